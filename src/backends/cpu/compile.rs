//! Kernels to machine code: one module per program.
//!
//! Invariant: the code of a kernel depends on the kernel and the processor alone, not on threads.

use super::call::{Entry, Helpers, Machine, symbols};
use super::emit::block::Code;
use super::emit::lanes::Lanes;
use super::emit::map::map;
use super::emit::reduce::{Reduction, kept, reduce};
use super::loops::collapse;
use crate::base::{Broken, DType};
use crate::ir::array::ReduceOp;
use crate::ir::kernel::{Atom, Block, Body, CHUNK, Index, InstKind, Kernel, Store};
use cranelift_codegen::Context;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, InstBuilder};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use std::sync::OnceLock;

/// A compiled kernel.
pub(super) struct Compiled {
    /// Its parts.
    pub(super) work: Work,
    /// Product of the parallel loops but the innermost.
    pub(super) rows: u64,
    /// The innermost parallel loop.
    pub(super) columns: u64,
    /// Whether it walks memory along the rows rather than the columns, and is better done in narrow stripes.
    pub(super) striped: bool,
    /// Roughly: instructions in all, or bytes touched if that is more.
    pub(super) cost: u64,
}

/// What there is to call.
pub(super) enum Work {
    /// One function.
    Map(Entry),
    /// Results of chunks into the scratch; they are combined, and the finish runs on the results.
    Reduce {
        /// To the scratch.
        chunks: Entry,
        /// From the scratch.
        finish: Entry,
        /// Chunks per result.
        count: u64,
        /// How a result is kept in the scratch.
        kept: DType,
        /// Before it was kept.
        dtype: DType,
        /// How.
        op: ReduceOp,
    },
}

fn broken(error: impl std::fmt::Display) -> Broken {
    Broken::new("cpu", error.to_string())
}

/// The processor, asked once per process.
fn processor() -> Result<OwnedTargetIsa, Broken> {
    static PROCESSOR: OnceLock<Result<OwnedTargetIsa, String>> = OnceLock::new();
    let found = PROCESSOR.get_or_init(|| {
        let mut flags = settings::builder();
        let set = [("opt_level", "speed"), ("use_colocated_libcalls", "false"), ("is_pic", "false")];
        let more =
            [("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }), ("unwind_info", "false")];
        for (name, value) in set.into_iter().chain(more) {
            flags.set(name, value).map_err(|error| error.to_string())?;
        }
        let builder = cranelift_native::builder().map_err(str::to_owned)?;
        builder.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
    });
    found.clone().map_err(broken)
}

/// Whether this machine can run what is compiled here.
pub(super) fn available() -> Result<(), Broken> {
    processor().map(|_| ())
}

/// Text of the stages that only this backend knows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Cranelift's IR.
    Clif,
    /// Machine instructions.
    Asm,
}

struct Compiler {
    module: JITModule,
    helpers: Helpers,
    context: Context,
    builder: FunctionBuilderContext,
    /// What is shown of each function, if anything.
    stage: Option<Stage>,
    text: String,
    bytes: u64,
}

/// All kernels of a plan, with the module that holds them and the bytes of code.
pub(super) fn compile(kernels: &[Kernel]) -> Result<(Machine, Vec<Compiled>, u64), Broken> {
    let mut compiler = Compiler::new(None)?;
    let ids = kernels.iter().map(|kernel| compiler.kernel(kernel)).collect::<Result<Vec<_>, Broken>>()?;
    compiler.module.finalize_definitions().map_err(broken)?;
    let machine = Machine::new(compiler.module);
    let mut compiled = Vec::with_capacity(ids.len());
    for (kernel, functions) in kernels.iter().zip(ids) {
        compiled.push(functions.into_compiled(kernel, &machine)?);
    }
    Ok((machine, compiled, compiler.bytes))
}

/// The text of a stage, kernel by kernel.
pub(super) fn show(kernels: &[Kernel], stage: Stage) -> Result<String, Broken> {
    let mut compiler = Compiler::new(Some(stage))?;
    for kernel in kernels {
        compiler.kernel(kernel)?;
    }
    // The module is dropped with its memory: nothing in it was made executable.
    let text = std::mem::take(&mut compiler.text);
    drop(Machine::new(compiler.module));
    Ok(text)
}

/// The functions of a kernel.
struct Functions {
    chunks: Option<cranelift_module::FuncId>,
    last: cranelift_module::FuncId,
    collapsed: Kernel,
}

impl Functions {
    fn into_compiled(self, original: &Kernel, machine: &Machine) -> Result<Compiled, Broken> {
        let last = machine.entry(self.last)?;
        let (columns, outer) = self.collapsed.extents.split_last().ok_or_else(|| broken("a kernel has a loop"))?;
        let rows = product(outer);
        let points = rows.saturating_mul(*columns);
        let (work, steps) = match (&self.collapsed.body, self.chunks) {
            (Body::Reduce { inner, block, value, op, .. }, Some(chunks)) => {
                let chunks = machine.entry(chunks)?;
                let dtype = dtype_of(block, value.0)?;
                let position = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin);
                let elements = product(inner);
                let count = if position { 1 } else { elements.div_ceil(CHUNK).max(1) };
                let held = if position { DType::I32 } else { kept(dtype) };
                let work = Work::Reduce { chunks, finish: last, count, kept: held, dtype, op: *op };
                (work, points.saturating_mul(elements).saturating_mul(block.insts.len() as u64))
            }
            (Body::Map { block, .. }, _) => (Work::Map(last), points.saturating_mul(block.insts.len() as u64)),
            _ => return Err(broken("a reduction has two functions")),
        };
        let bytes = original.buffers.iter().map(|info| info.elements.saturating_mul(info.dtype.bytes() as u64));
        let bytes = bytes.fold(0u64, u64::saturating_add);
        let bytes = bytes.min(steps.saturating_mul(8));
        let striped = striped(&self.collapsed);
        Ok(Compiled { work, rows, columns: *columns, striped, cost: bytes.max(steps) })
    }
}

fn product(extents: &[u64]) -> u64 {
    extents.iter().fold(1u64, |product, &extent| product.saturating_mul(extent))
}

fn dtype_of(block: &Block, inst: u32) -> Result<DType, Broken> {
    let found = block.insts.get(inst as usize).map(|inst| inst.dtype);
    found.ok_or_else(|| broken("a reduced value is an instruction"))
}

impl Compiler {
    fn new(stage: Option<Stage>) -> Result<Self, Broken> {
        let isa = processor()?;
        let fma = isa.isa_flags().iter().any(|flag| flag.name == "has_fma" && flag.as_bool() == Some(true))
            || isa.name() != "x64";
        let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
        symbols(&mut builder);
        let mut module = JITModule::new(builder);
        let helpers = Helpers::declare(&mut module, fma)?;
        let context = module.make_context();
        let builder = FunctionBuilderContext::new();
        Ok(Self { module, helpers, context, builder, stage, text: String::new(), bytes: 0 })
    }

    fn kernel(&mut self, kernel: &Kernel) -> Result<Functions, Broken> {
        let collapsed = collapse(kernel);
        let natural: Vec<u32> = (0..collapsed.extents.len() as u32).collect();
        let (chunks, last) = match &collapsed.body {
            Body::Map { block, stores } => {
                let last = self.function(
                    &kernel.name,
                    &collapsed,
                    block,
                    &natural,
                    |code| {
                        let frame = code.open();
                        map(code, &frame, &collapsed.extents, stores, None);
                    },
                    &roots(stores),
                )?;
                (None, last)
            }
            Body::Reduce { inner, block, value, op, finish, stores } => {
                let dtype = dtype_of(block, value.0)?;
                let together = together(&collapsed, inner, block, *op);
                let first_inner = natural.len() as u32;
                let inner_loops = first_inner..first_inner + inner.len() as u32;
                let mut nest = natural.clone();
                let column = if together { nest.pop() } else { None };
                nest.extend(inner_loops);
                nest.extend(column);
                let reduction = Reduction { outer: &collapsed.extents, inner, value: *value, dtype, op: *op, together };
                let chunks = self.function(
                    &kernel.name,
                    &collapsed,
                    block,
                    &nest,
                    |code| {
                        let frame = code.open();
                        reduce(code, &frame, &reduction);
                    },
                    &[*value],
                )?;
                let position = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin);
                let held = if position { DType::I32 } else { kept(dtype) };
                let name = format!("{}_finish", kernel.name);
                let last = self.function(
                    &name,
                    &collapsed,
                    finish,
                    &natural,
                    |code| {
                        let frame = code.open();
                        map(code, &frame, &collapsed.extents, stores, Some(held));
                    },
                    &roots(stores),
                )?;
                (Some(chunks), last)
            }
        };
        Ok(Functions { chunks, last, collapsed })
    }

    fn function(
        &mut self,
        name: &str,
        kernel: &Kernel,
        block: &Block,
        nest: &[u32],
        write: impl FnOnce(&mut Code<'_, '_>),
        roots: &[crate::ir::kernel::Inst],
    ) -> Result<cranelift_module::FuncId, Broken> {
        self.module.clear_context(&mut self.context);
        let pointer = AbiParam::new(I64);
        self.context.func.signature.params.extend([pointer, pointer, pointer]);
        let id = self.module.declare_anonymous_function(&self.context.func.signature).map_err(broken)?;
        {
            let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
            let lanes = Lanes::new(builder, self.helpers);
            let mut code = Code::new(lanes, &kernel.buffers, block, nest, roots);
            write(&mut code);
            let mut builder = code.lanes.b;
            builder.ins().return_(&[]);
            builder.seal_all_blocks();
            builder.finalize(self.module.isa().frontend_config());
        }
        if self.stage == Some(Stage::Clif) {
            self.text.push_str(&format!("; {name}\n{}\n", self.context.func));
        }
        self.context.set_disasm(self.stage == Some(Stage::Asm));
        self.module.define_function(id, &mut self.context).map_err(|error| broken(format!("{name}: {error:?}")))?;
        if let Some(code) = self.context.compiled_code() {
            self.bytes += code.code_buffer().len() as u64;
            if let Some(text) = &code.vcode {
                self.text.push_str(&format!("; {name}\n{text}\n"));
            }
        }
        Ok(id)
    }
}

fn roots(stores: &[Store]) -> Vec<crate::ir::kernel::Inst> {
    let mut roots = Vec::new();
    for store in stores {
        roots.push(store.value);
        values(&store.index, &mut roots);
    }
    roots
}

fn values(index: &Index, into: &mut Vec<crate::ir::kernel::Inst>) {
    for (atom, _) in &index.terms {
        match atom {
            Atom::Value(inst) => into.push(*inst),
            Atom::Div(inner, _) | Atom::Mod(inner, _) => values(inner, into),
            Atom::Var(_) => {}
        }
    }
}

/// Whether a load or store of an elementwise kernel stays within cache lines from row to row but not from column to
/// column, as in a transposition.
fn striped(kernel: &Kernel) -> bool {
    const LINE: u64 = 64;
    let Body::Map { block, stores } = &kernel.body else { return false };
    let Some(row) = (kernel.extents.len() as u32).checked_sub(2) else { return false };
    let walks = |buffer: usize, index: &Index| {
        let size = kernel.buffers.get(buffer).map_or(1, |info| info.dtype.bytes() as u64);
        let stride = |variable: u32| {
            let term = index.terms.iter().find(|(atom, _)| *atom == Atom::Var(variable));
            term.map_or(0, |(_, by)| by.unsigned_abs().saturating_mul(size))
        };
        stride(row + 1) >= LINE && (1..LINE).contains(&stride(row))
    };
    let loads = block.insts.iter().any(|inst| match &inst.kind {
        InstKind::Load { buffer, index, .. } => walks(*buffer, index),
        _ => false,
    });
    loads || stores.iter().any(|store| walks(store.buffer, &store.index))
}

/// Whether neighbouring results are better computed together: loads are neighbours along the innermost parallel loop
/// rather than along the innermost reduced one.
fn together(kernel: &Kernel, inner: &[u64], block: &Block, op: ReduceOp) -> bool {
    let columns = kernel.extents.last().copied().unwrap_or(0);
    if columns < 4 || matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) {
        return false;
    }
    let column = kernel.extents.len() as u32 - 1;
    let reduced = column + inner.len() as u32;
    let mut votes = (0usize, 0usize);
    for inst in &block.insts {
        if let InstKind::Load { index, .. } = &inst.kind {
            let unit =
                |variable: u32| index.terms.iter().any(|(atom, by)| *atom == Atom::Var(variable) && by.abs() == 1);
            votes.0 += usize::from(unit(column));
            votes.1 += usize::from(unit(reduced));
        }
    }
    votes.0 > votes.1
}
