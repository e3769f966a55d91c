//! What a compiled program will do to memory: which buffers it makes, shares and takes over, and its arena.
//!
//! With every extent known this is read off the very plan that will run. With extents that are polynomials the plan
//! of one generic size (a different prime for every symbol) says which output lies where, the sizes themselves stay
//! polynomials, and the arena is bounded by all its buffers side by side.
//! Invariant: [`Planned::exact`] says which of the two it was.

use crate::base::{Broken, DType, Shape, Size, Symbol};
use crate::ir::array::verify::verify;
use crate::ir::array::{ArrayType, Op, ParamKind, Program, Region};
use crate::ir::plan::{OutputSource, Plan, PlanOutput, Storage};
use crate::ledger::Amount;
use crate::passes::{self, place};
use crate::proof::evaluate::inputs_read;
use crate::sema::elaborate::{Elaborated, Input, Leaf};
use crate::sema::value::{Type, Value};
use std::collections::{BTreeMap, BTreeSet};

/// An output of a planned program.
#[derive(Clone, Debug)]
pub struct Output {
    /// Where its buffer comes from.
    pub source: OutputSource,
    /// Its type.
    pub ty: ArrayType,
}

/// A program with its plan's figures.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Where parameters come from.
    pub inputs: Vec<Input>,
    /// How they arrive.
    pub kinds: Vec<ParamKind>,
    /// Their names, as messages show them.
    pub names: Vec<String>,
    /// Their types.
    pub params: Vec<ArrayType>,
    /// Per parameter: its elements are read, and not only its type.
    pub read: Vec<bool>,
    /// Results.
    pub outputs: Vec<Output>,
    /// Bytes of every fresh buffer.
    pub fresh: Vec<Size>,
    /// Bytes of the arena.
    pub arena: Size,
    /// The plan; with symbolic sizes, that of a generic size.
    pub plan: Plan,
    /// The result's structure: array leaves are output numbers.
    pub result: Value<usize, Leaf>,
    /// The result's type.
    pub ty: Type,
    /// Host inputs that were compiled in.
    pub demanded: Vec<usize>,
    /// Whether every figure is that of the plan that runs.
    pub exact: bool,
}

/// The bytes of a type; more than 63 bits is the greatest number there is.
#[must_use]
pub fn bytes(ty: &ArrayType) -> Size {
    ty.bytes().unwrap_or(Size::Known(i64::MAX))
}

/// The primes that stand for symbols, far enough apart that no two sizes of a program agree by chance.
const GENERIC: [i64; 8] = [37, 53, 71, 97, 131, 173, 211, 263];

/// The number that stands for the `at`-th symbol.
fn generic(at: usize) -> i64 {
    GENERIC.get(at).copied().unwrap_or(307 + 2 * at as i64)
}

/// Every symbol in the types of a program, sorted.
fn symbols(program: &Program) -> Vec<Symbol> {
    let all: BTreeSet<Symbol> = program.types.iter().flat_map(|ty| &ty.shape.0).flat_map(Size::symbols).collect();
    all.into_iter().collect()
}

/// A size with numbers for its symbols. What would be negative (the length of a slice, say) is empty.
fn at_point(size: &Size, point: &BTreeMap<Symbol, i64>) -> Size {
    let number = size.substitute(&|symbol| point.get(symbol).map(|&n| Size::Known(n)));
    match number.as_ref().and_then(Size::constant) {
        Some(n) => Size::Known(n.max(0)),
        None => Size::Known(0),
    }
}

/// The program with numbers for its symbols.
fn instance(program: &Program, point: &BTreeMap<Symbol, i64>) -> Program {
    fn region(from: &Region, size: &dyn Fn(&Size) -> Size) -> Region {
        let op = |op: &Op| Op {
            kind: op.kind.with_sizes(size),
            operands: op.operands.clone(),
            results: op.results.clone(),
            regions: op.regions.iter().map(|inner| region(inner, size)).collect(),
            span: op.span,
        };
        Region { params: from.params.clone(), ops: from.ops.iter().map(op).collect(), results: from.results.clone() }
    }
    let size = |size: &Size| at_point(size, point);
    let types = program.types.iter();
    let types = types.map(|ty| ArrayType::new(ty.dtype, Shape(ty.shape.0.iter().map(size).collect())));
    Program { params: program.params.clone(), types: types.collect(), body: region(&program.body, &size) }
}

/// The plan of a program whose extents are numbers, checked.
fn plan(program: &Program) -> Result<Plan, Broken> {
    let checked = place::check::check(place::plan::plan(&passes::optimise(program.clone())?)?)?;
    Ok(checked.plan().clone())
}

/// What an elaborated program will do to memory.
///
/// # Errors
/// When a pass breaks an invariant.
pub fn planned(elaborated: &Elaborated) -> Result<Planned, Broken> {
    let program = &elaborated.program;
    let symbols = symbols(program);
    let point: BTreeMap<Symbol, i64> =
        symbols.iter().enumerate().map(|(at, symbol)| (symbol.clone(), generic(at))).collect();
    let exact = symbols.is_empty();
    let plan = if exact {
        plan(program)?
    } else {
        // Where the generic size breaks a rule of the IR (a slice of two symbols, say), nothing is known of the plan.
        let numbers = instance(program, &point);
        let known = verify(&numbers, "instance").and_then(|()| plan(&numbers));
        known.unwrap_or_else(|_| unknown(program))
    };
    let outputs: Vec<Output> = program
        .body
        .results
        .iter()
        .zip(&plan.outputs)
        .map(|(&value, output)| Output { source: output.source, ty: program.ty(value).clone() })
        .collect();
    let mut fresh: Vec<Size> = plan.fresh.iter().map(|&bytes| Size::from(bytes)).collect();
    let mut arena = Size::from(plan.arena);
    if plan.slots.is_empty() && !exact {
        fresh = outputs.iter().map(|output| bytes(&output.ty)).collect();
        arena = every_result(program, &program.body);
    } else if !exact {
        for output in &outputs {
            if let OutputSource::Fresh(k) | OutputSource::HandedOver { fresh: k, .. } = output.source
                && let Some(size) = fresh.get_mut(k)
            {
                *size = bytes(&output.ty);
            }
        }
        arena = arena_bound(program, &plan, &point);
    }
    Ok(Planned {
        inputs: elaborated.inputs.clone(),
        kinds: program.params.iter().map(|param| param.kind).collect(),
        names: program.params.iter().map(|param| param.name.clone()).collect(),
        params: program.params.iter().map(|param| program.ty(param.value).clone()).collect(),
        read: inputs_read(program),
        outputs,
        fresh,
        arena,
        plan,
        result: elaborated.result.clone(),
        ty: elaborated.ty.clone(),
        demanded: elaborated.demanded.clone(),
        exact,
    })
}

/// A plan without steps: every output is fresh, every donation handed over or unknown.
fn unknown(program: &Program) -> Plan {
    let output = |at: usize| PlanOutput {
        source: OutputSource::Fresh(at),
        dtype: program.body.results.get(at).map_or(DType::F32, |&value| program.ty(value).dtype),
        extents: Vec::new(),
        bytes: 0,
    };
    Plan { outputs: (0..program.body.results.len()).map(output).collect(), ..Plan::default() }
}

/// All results of all operations side by side, with what is carried.
fn every_result(program: &Program, region: &Region) -> Size {
    let values = region.params.iter().chain(region.ops.iter().flat_map(|op| &op.results));
    let own = values.map(|&value| bytes(program.ty(value)).plus(&Size::Known(63)));
    let inner = region.ops.iter().flat_map(|op| &op.regions).map(|region| every_result(program, region));
    own.chain(inner).fold(Size::Known(0), |sum, size| sum.plus(&size))
}

/// All buffers of the arena side by side, each of the type that has its bytes at this point.
fn arena_bound(program: &Program, plan: &Plan, point: &BTreeMap<Symbol, i64>) -> Size {
    let known: BTreeMap<u64, Size> =
        program.types.iter().map(bytes).filter_map(|size| Some((at_point(&size, point).known()?, size))).collect();
    let mut places: BTreeMap<u64, u64> = BTreeMap::new();
    for slot in &plan.slots {
        if let Storage::Arena(offset) = slot.storage {
            let bytes = places.entry(offset).or_default();
            *bytes = slot.bytes.max(*bytes);
        }
    }
    let rounding = Size::Known(63);
    places.values().fold(Size::Known(0), |sum, &bytes| {
        let size = match known.get(&bytes) {
            Some(size) if size.is_symbolic() => size.plus(&rounding),
            _ => Size::from(bytes.next_multiple_of(64)),
        };
        sum.plus(&size)
    })
}
