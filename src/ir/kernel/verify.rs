//! Whether a kernel is well formed: order and dtypes of instructions, buffers, index expressions and their ranges.
//!
//! A range that depends on a value read from memory is taken as checked by the program. That no two points store to
//! one element is the matter of `passes::place`.

use super::range::{atoms, range};
use super::{Atom, Block, Body, Index, Inst, InstKind, Kernel, Store};
use crate::base::{Broken, DType};
use crate::ir::array::ReduceOp;
use crate::ops::scalar::ScalarOp;

/// Checks the invariants of the kernel IR on what `pass` has made.
///
/// # Errors
/// Names the pass, the kernel and the rule.
pub fn verify(kernel: &Kernel, pass: &'static str) -> Result<(), Broken> {
    check(kernel).map_err(|rule| Broken::new(pass, format!("kernel {}: {rule}", kernel.name)))
}

fn need(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}

fn check(kernel: &Kernel) -> Result<(), String> {
    match &kernel.body {
        Body::Map { block, stores } => {
            check_block(kernel, block, &kernel.extents, None)?;
            check_stores(kernel, block, stores)
        }
        Body::Reduce { inner, block, value, op, finish, stores } => {
            let all: Vec<u64> = kernel.extents.iter().chain(inner).copied().collect();
            check_block(kernel, block, &all, None)?;
            let reduced = dtype(block, *value)?;
            let result = match op {
                ReduceOp::ArgMax | ReduceOp::ArgMin => DType::I32,
                ReduceOp::Any | ReduceOp::All => {
                    need(reduced == DType::Bool, || format!("{} of {reduced}", op.name()))?;
                    DType::Bool
                }
                ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => reduced,
            };
            let first = finish.insts.first().is_some_and(|inst| inst.kind == InstKind::Reduced);
            need(first, || "the finish does not begin with the reduced value".into())?;
            check_block(kernel, finish, &kernel.extents, Some(result))?;
            check_stores(kernel, finish, stores)
        }
    }
}

fn dtype(block: &Block, inst: Inst) -> Result<DType, String> {
    let found = block.insts.get(inst.0 as usize).map(|inst| inst.dtype);
    found.ok_or_else(|| format!("v{} does not exist", inst.0))
}

/// `reduced` is the dtype of the reduction's result where there is one.
fn check_block(kernel: &Kernel, block: &Block, extents: &[u64], reduced: Option<DType>) -> Result<(), String> {
    for (at, inst) in block.insts.iter().enumerate() {
        let earlier = |used: Inst| {
            need((used.0 as usize) < at, || format!("v{at} uses v{} before it is there", used.0))?;
            dtype(block, used)
        };
        let expected = match &inst.kind {
            InstKind::Const(literal) => literal.dtype,
            InstKind::Load { buffer, index, guard } => {
                if let Some(guard) = guard {
                    let found = earlier(*guard)?;
                    need(found == DType::Bool, || format!("v{at} is guarded by {found}"))?;
                }
                check_index(index, extents.len(), &earlier)?;
                let info = kernel.buffers.get(*buffer).ok_or_else(|| format!("b{buffer} does not exist"))?;
                if guard.is_none() {
                    check_range(index, extents, info.elements, *buffer)?;
                }
                info.dtype
            }
            InstKind::Index(index) => {
                check_index(index, extents.len(), &earlier)?;
                DType::I64
            }
            InstKind::Op(op, operands) => {
                let operands = operands.iter().map(|&used| earlier(used)).collect::<Result<Vec<DType>, String>>()?;
                result_of(*op, &operands).map_err(|rule| format!("v{at}: {rule}"))?
            }
            InstKind::Reduced => {
                let result = reduced.filter(|_| at == 0);
                result.ok_or_else(|| format!("v{at} is no place for the reduced value"))?
            }
        };
        need(inst.dtype == expected, || format!("v{at} is {expected}, not {}", inst.dtype))?;
    }
    Ok(())
}

fn result_of(op: ScalarOp, operands: &[DType]) -> Result<DType, String> {
    need(operands.len() == op.arity(), || format!("{} of {} operands", op.name(), operands.len()))?;
    let typed = match (op, operands) {
        (ScalarOp::Select, [condition, rest @ ..]) => {
            need(*condition == DType::Bool, || format!("select by {condition}"))?;
            rest
        }
        _ => operands,
    };
    let first = typed.first().copied().ok_or("no operands")?;
    need(typed.iter().all(|&dtype| dtype == first), || format!("{} of {typed:?}", op.name()))?;
    need(op.takes(first), || format!("{} does not take {first}", op.name()))?;
    Ok(op.result(first))
}

fn check_stores(kernel: &Kernel, block: &Block, stores: &[Store]) -> Result<(), String> {
    for store in stores {
        let info = kernel.buffers.get(store.buffer).ok_or_else(|| format!("b{} does not exist", store.buffer))?;
        need(info.stored, || format!("b{} is not for storing", store.buffer))?;
        let value = dtype(block, store.value)?;
        need(value == info.dtype, || format!("{value} is stored to b{} of {}", store.buffer, info.dtype))?;
        check_index(&store.index, kernel.extents.len(), &|used| dtype(block, used))?;
        check_range(&store.index, &kernel.extents, info.elements, store.buffer)?;
    }
    Ok(())
}

fn check_index(index: &Index, variables: usize, value: &dyn Fn(Inst) -> Result<DType, String>) -> Result<(), String> {
    let sorted = |index: &Index| {
        index.terms.is_sorted_by(|a, b| a.0 < b.0) && index.terms.iter().all(|(_, coefficient)| *coefficient != 0)
    };
    need(sorted(index), || format!("{index} is not in normal form"))?;
    let mut fault = Ok(());
    atoms(index, &mut |atom| {
        let found = match atom {
            Atom::Var(at) => need((*at as usize) < variables, || format!("i{at} does not exist here")),
            Atom::Value(inst) => value(*inst)
                .and_then(|dtype| need(dtype == DType::I64, || format!("v{} of {dtype} is an index", inst.0))),
            Atom::Div(inner, by) | Atom::Mod(inner, by) => {
                need(sorted(inner), || format!("{inner} is not in normal form"))
                    .and_then(|()| need(*by > 0, || format!("{inner} is divided by 0")))
            }
        };
        if fault.is_ok() {
            fault = found;
        }
    });
    fault
}

fn check_range(index: &Index, extents: &[u64], elements: u64, buffer: usize) -> Result<(), String> {
    // A loop without rounds touches nothing.
    if extents.contains(&0) {
        return Ok(());
    }
    let Some((low, high)) = range(index, extents) else { return Ok(()) };
    need(low >= 0 && high < i128::from(elements), || {
        format!("{index} is {low} to {high}, and b{buffer} has {elements} elements")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Literal;
    use crate::ir::kernel::{BufferInfo, InstData};

    fn term(terms: &[(u32, i64)], constant: i64) -> Index {
        Index { terms: terms.iter().map(|&(var, by)| (Atom::Var(var), by)).collect(), constant }
    }

    fn inst(kind: InstKind, dtype: DType) -> InstData {
        InstData { kind, dtype }
    }

    fn load(index: Index) -> InstData {
        inst(InstKind::Load { buffer: 0, index, guard: None }, DType::F32)
    }

    /// `b1[4 * i0 + i1] = b0[index] * 2`.
    fn scale(index: Index) -> Kernel {
        let two = Literal::from_f64(DType::F32, 2.0);
        let buffer = |stored| BufferInfo { dtype: DType::F32, elements: 128, stored };
        Kernel {
            name: "scale".into(),
            buffers: vec![buffer(false), buffer(true)],
            extents: vec![32, 4],
            body: Body::Map {
                block: Block {
                    insts: vec![
                        load(index),
                        inst(InstKind::Const(two), DType::F32),
                        inst(InstKind::Op(ScalarOp::Mul, vec![Inst(0), Inst(1)]), DType::F32),
                    ],
                },
                stores: vec![Store { buffer: 1, index: term(&[(0, 4), (1, 1)], 0), value: Inst(2) }],
            },
        }
    }

    fn rule(kernel: &Kernel) -> String {
        verify(kernel, "fuse").map_or_else(|broken| broken.to_string(), |()| "fine".into())
    }

    #[test]
    fn good_kernels_print() {
        let kernel = scale(term(&[(0, -4), (1, 1)], 124));
        assert_eq!(rule(&kernel), "fine");
        let text = "kernel scale(b0: f32[128] in, b1: f32[128] out)\nfor i0 in 0..32, i1 in 0..4 {\n  \
                    v0: f32 = load b0[-4 * i0 + i1 + 124]\n  v1: f32 = const 2.0\n  v2: f32 = mul v0, v1\n  \
                    store b1[4 * i0 + i1] = v2\n}\n";
        assert_eq!(kernel.to_string(), text);
    }

    #[test]
    fn ranges_are_bounded_through_div_and_mod() {
        let flat = term(&[(0, 4), (1, 1)], 0);
        let div = Atom::Div(Box::new(flat.clone()), 8);
        let modulo = Atom::Mod(Box::new(flat), 8);
        let within = Index { terms: vec![(div.clone(), 8), (modulo.clone(), 1)], constant: 0 };
        assert_eq!(rule(&scale(within)), "fine");
        let beyond = Index { terms: vec![(div, 8), (modulo, 1)], constant: 1 };
        assert!(rule(&scale(beyond)).contains("is 1 to 128, and b0 has 128 elements"));
    }

    #[test]
    fn bad_kernels_are_refused() {
        assert!(rule(&scale(term(&[(0, 4), (1, 1)], -1))).contains("is -1 to 126"));
        assert!(rule(&scale(term(&[(2, 1)], 0))).contains("i2 does not exist"));
        assert!(rule(&scale(term(&[(1, 1), (0, 4)], 0))).contains("normal form"));
        let by_value = Index { terms: vec![(Atom::Value(Inst(0)), 1)], constant: 0 };
        assert!(rule(&scale(by_value)).contains("v0 uses v0 before it is there"));
        let mut kernel = scale(Index::default());
        if let Some(info) = kernel.buffers.get_mut(1) {
            info.stored = false;
        }
        assert!(rule(&kernel).contains("b1 is not for storing"));
        let mut kernel = scale(Index::default());
        if let Body::Map { block, .. } = &mut kernel.body {
            block.insts[2].kind = InstKind::Op(ScalarOp::Not, vec![Inst(0)]);
        }
        assert!(rule(&kernel).contains("not does not take f32"));
    }

    #[test]
    fn reductions_print_and_are_checked() {
        let mut kernel = scale(Index::default());
        kernel.extents = vec![32];
        kernel.body = Body::Reduce {
            inner: vec![4],
            block: Block { insts: vec![load(term(&[(0, 4), (1, 1)], 0))] },
            value: Inst(0),
            op: ReduceOp::Sum,
            finish: Block { insts: vec![inst(InstKind::Reduced, DType::F32)] },
            stores: vec![Store { buffer: 1, index: term(&[(0, 1)], 0), value: Inst(0) }],
        };
        assert_eq!(rule(&kernel), "fine");
        assert!(
            kernel
                .to_string()
                .contains("  reduce.sum v0 over i1 in 0..4 {\n    v0: f32 = load b0[4 * i0 + i1]\n  } finish\n")
        );
        if let Body::Reduce { op, .. } = &mut kernel.body {
            *op = ReduceOp::ArgMax;
        }
        assert!(rule(&kernel).contains("v0 is i32, not f32"));
    }
}
