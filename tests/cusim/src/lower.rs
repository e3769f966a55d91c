//! Statements into checked instructions: names become registers, types are compared, labels become positions.
//!
//! Invariant: what comes out is executable without another look at types; what is not known to the letter, down to each
//! modifier, is refused. `lower/opcodes.rs` has the table of opcodes.

mod opcodes;

use crate::fault::Refused;
use crate::op::{Instruction, Kernel, Op, Preset, Reg, SharedArray};
use crate::parse::{Declared, Entry, Operand, Statement, Text};
use crate::types::{Class, Type};
use std::collections::HashMap;

/// Bytes between shared arrays, so that an access past the end of one does not land in the next.
const SHARED_GAP: u64 = 1024;

/// Most bytes of shared arrays with a size: what every device gives without being asked.
const MOST_STATIC_SHARED: u64 = 48 << 10;

/// Lowers every entry of a module.
pub(crate) fn lower(text: &Text) -> Result<Vec<Kernel>, Refused> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for entry in &text.entries {
        if kernels.iter().any(|kernel| kernel.name == entry.name) {
            return Err(Refused { line: entry.line, message: format!("the entry `{}` stands twice", entry.name) });
        }
        kernels.push(kernel(entry, &text.shared)?);
    }
    Ok(kernels)
}

fn kernel(entry: &Entry, module_shared: &[Declared]) -> Result<Kernel, Refused> {
    let mut scope = Scope { entry, ..Scope::empty(entry) };
    let at = |line: u32| move |message: String| Refused { line, message };
    scope.declare(module_shared).map_err(at(entry.line))?;
    let mut code = Vec::with_capacity(entry.statements.len() + 1);
    for statement in &entry.statements {
        code.push(scope.instruction(statement).map_err(at(statement.line))?);
    }
    // The end of the text is a return.
    code.push(Instruction { line: code.last().map_or(entry.line, |last| last.line), guard: None, op: Op::Return });
    Ok(Kernel {
        name: entry.name.clone(),
        params: entry.params.len(),
        registers: scope.names.len(),
        presets: scope.presets,
        names: scope.names,
        shared: scope.shared,
        most_threads: entry.most_threads.unwrap_or(1024),
        code,
    })
}

/// What names mean within an entry.
struct Scope<'a> {
    entry: &'a Entry,
    registers: HashMap<&'a str, (Reg, Type)>,
    symbols: HashMap<String, u64>,
    constants: HashMap<u64, Reg>,
    specials: HashMap<String, Reg>,
    names: Vec<String>,
    presets: Vec<(Reg, Preset)>,
    shared: Vec<SharedArray>,
}

impl<'a> Scope<'a> {
    fn empty(entry: &'a Entry) -> Self {
        Self {
            entry,
            registers: HashMap::new(),
            symbols: HashMap::new(),
            constants: HashMap::new(),
            specials: HashMap::new(),
            names: Vec::new(),
            presets: Vec::new(),
            shared: Vec::new(),
        }
    }

    fn declare(&mut self, module_shared: &[Declared]) -> Result<(), String> {
        for (name, of) in &self.entry.registers {
            let reg = self.names.len();
            self.names.push(name.clone());
            if self.registers.insert(name, (reg, *of)).is_some() {
                return Err(format!("the register `{name}` is declared twice"));
            }
        }
        let mut next = SHARED_GAP;
        let mut total = 0;
        let mut unsized_arrays = 0;
        // Arrays of a given size first: the launch's own array lies behind them.
        let declared = || module_shared.iter().chain(&self.entry.shared);
        let ordered = declared().filter(|one| one.bytes.is_some()).chain(declared().filter(|one| one.bytes.is_none()));
        for array in ordered {
            // An odd multiple of the alignment: nothing is aligned by luck.
            let base = next.next_multiple_of(2 * array.align) + array.align;
            next = base + array.bytes.unwrap_or(0) + SHARED_GAP;
            total += array.bytes.unwrap_or(0);
            unsized_arrays += usize::from(array.bytes.is_none());
            self.shared.push(SharedArray { base, bytes: array.bytes });
            if self.symbols.insert(array.name.clone(), base).is_some() {
                return Err(format!("the array `{}` is declared twice", array.name));
            }
        }
        if total > MOST_STATIC_SHARED {
            return Err(format!("{total} bytes of shared arrays; 48 KiB is what there is"));
        }
        if unsized_arrays > 1 {
            return Err("two arrays whose size the launch gives would overlap".to_owned());
        }
        Ok(())
    }

    fn instruction(&mut self, statement: &Statement) -> Result<Instruction, String> {
        let guard = match &statement.guard {
            Some((name, negated)) => Some((self.register(name, predicate())?, *negated)),
            None => None,
        };
        let op = self.operation(statement)?;
        Ok(Instruction { line: statement.line, guard, op })
    }

    fn preset(&mut self, name: String, preset: Preset) -> Reg {
        let reg = self.names.len();
        self.names.push(name);
        self.presets.push((reg, preset));
        reg
    }

    fn constant(&mut self, value: u64) -> Reg {
        if let Some(reg) = self.constants.get(&value) {
            return *reg;
        }
        let reg = self.preset(format!("constant {value:#x}"), Preset::Constant(value));
        self.constants.insert(value, reg);
        reg
    }

    fn special(&mut self, name: &str) -> Option<Reg> {
        let preset = match name {
            "%tid.x" => Preset::Thread,
            "%ntid.x" => Preset::Threads,
            "%ctaid.x" => Preset::Block,
            "%nctaid.x" => Preset::Blocks,
            "%laneid" => Preset::Lane,
            _ => return None,
        };
        if let Some(reg) = self.specials.get(name) {
            return Some(*reg);
        }
        let reg = self.preset(name.to_owned(), preset);
        self.specials.insert(name.to_owned(), reg);
        Some(reg)
    }

    fn typed(&self, name: &str) -> Result<(Reg, Type), String> {
        self.registers.get(name).copied().ok_or_else(|| format!("`{name}` is no register"))
    }

    /// The register `name`, which an instruction uses as a `wanted`.
    fn register(&self, name: &str, wanted: Type) -> Result<Reg, String> {
        let (reg, of) = self.typed(name)?;
        if of.agrees(wanted) { Ok(reg) } else { Err(format!("`{name}` has another type than the instruction")) }
    }

    /// The register `name`, which may be wider than `wanted`, and its width.
    fn holder(&self, name: &str, wanted: Type) -> Result<(Reg, u32), String> {
        let (reg, of) = self.typed(name)?;
        if of.holds(wanted) { Ok((reg, of.bits)) } else { Err(format!("`{name}` cannot hold what is moved")) }
    }

    /// A register or a literal as a `wanted`.
    fn source(&mut self, operand: &Operand, wanted: Type) -> Result<Reg, String> {
        match operand {
            Operand::Name(name) => self.register(name, wanted),
            _ => {
                let value = literal(operand, wanted)?;
                Ok(self.constant(value))
            }
        }
    }

    fn target(&self, operand: &Operand, wanted: Type) -> Result<Reg, String> {
        match operand {
            Operand::Name(name) => self.register(name, wanted),
            _ => Err("a result goes to a register".to_owned()),
        }
    }

    fn label(&self, name: &str) -> Result<usize, String> {
        self.entry.labels.get(name).copied().ok_or_else(|| format!("there is no label `{name}`"))
    }

    /// Base register and offset of an address in shared or global memory.
    fn address(&mut self, operand: &Operand, wide_only: bool) -> Result<(Reg, i64), String> {
        let Operand::Address { base, offset } = operand else {
            return Err("an address in brackets is missing".to_owned());
        };
        if let Some(at) = self.symbols.get(base).copied() {
            return if wide_only {
                Err(format!("`{base}` is in shared memory"))
            } else {
                Ok((self.constant(at), *offset))
            };
        }
        let (reg, of) = self.typed(base)?;
        let fits = (of.bits == 64 || (of.bits == 32 && !wide_only)) && of.class != Class::Float;
        if fits { Ok((reg, *offset)) } else { Err(format!("`{base}` cannot be an address")) }
    }
}

/// The type of guards.
fn predicate() -> Type {
    Type { class: Class::Predicate, bits: 1 }
}

/// The bits of a literal as a `wanted`.
fn literal(operand: &Operand, wanted: Type) -> Result<u64, String> {
    match *operand {
        Operand::Integer(value) if matches!(wanted.class, Class::Bits | Class::Signed | Class::Unsigned) => {
            let bits = wanted.bits;
            if value >= -(1_i128 << (bits - 1)) && value < 1_i128 << bits {
                Ok(crate::types::truncate(value as u64, bits))
            } else {
                Err(format!("{value} does not fit in {bits} bits"))
            }
        }
        Operand::Single(bits) if wanted.bits == 32 && matches!(wanted.class, Class::Float | Class::Bits) => {
            Ok(bits.into())
        }
        Operand::Double(bits) if wanted.bits == 64 && matches!(wanted.class, Class::Float | Class::Bits) => Ok(bits),
        _ => Err("the operand does not fit the instruction".to_owned()),
    }
}
