//! The operators on arrays, and on a mixture of arrays and host values.
//!
//! Ints divided by `/` give `f32` (`f64` where one operand is `f64`); `//` and `%` floor, of floats by the formulas
//! of CPython and NumPy.

use super::fold;
use super::host::nonzero;
use super::{Elaborator, Outcome};
use crate::base::{DType, Literal, Shape, Size, Span};
use crate::ir::array::{self, Check};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, Known, Traced, Value};
use crate::syntax::ast::{BinaryOp, UnaryOp};

impl Elaborator<'_> {
    /// `a op b` for every operator but `and` and `or`.
    pub fn binary_values(
        &mut self,
        op: BinaryOp,
        a: (&Traced, Span),
        b: (&Traced, Span),
        span: Span,
    ) -> Outcome<Traced> {
        match (a.0, b.0) {
            (Value::Host(left), Value::Host(right)) => self.host_binary(op, (left, a.1), (right, b.1), span),
            (Value::Array(_), Value::Array(_) | Value::Host(_)) | (Value::Host(_), Value::Array(_)) => {
                self.array_binary(op, a, b, span).map(Value::Array)
            }
            _ if matches!(op, BinaryOp::Eq | BinaryOp::Ne) => {
                let equal = self.same_tree(a, b, span)?;
                if op == BinaryOp::Eq {
                    Ok(Value::Host(equal))
                } else {
                    self.host_unary(UnaryOp::Not, &equal, span, span)
                }
            }
            _ => self.refuse_operands(op.symbol(), &[a, b], span, "operators work on arrays and numbers"),
        }
    }

    pub(super) fn refuse_operands<T>(
        &mut self,
        op: &str,
        operands: &[(&Traced, Span)],
        span: Span,
        help: &str,
    ) -> Outcome<T> {
        let found: Vec<_> = operands.iter().map(|(value, at)| (self.describe(value), *at)).collect();
        self.fail(diagnostics::bad_operands(op, &found, span, help))
    }

    /// Whether two trees of host values are equal; trees of different structure are not.
    fn same_tree(&mut self, a: (&Traced, Span), b: (&Traced, Span), span: Span) -> Outcome<Host> {
        let no = Host::constant(Known::Bool(false));
        let pairs: Vec<(&Traced, &Traced)> = match (a.0, b.0) {
            (Value::Host(left), Value::Host(right)) => {
                if fold::kind(BinaryOp::Eq, left.kind, right.kind).is_none() {
                    return Ok(no);
                }
                return match self.host_binary(BinaryOp::Eq, (left, a.1), (right, b.1), span)? {
                    Value::Host(host) => Ok(host),
                    _ => Ok(no),
                };
            }
            (Value::Tuple(left), Value::Tuple(right)) if left.len() == right.len() => left.iter().zip(right).collect(),
            (Value::Record(left), Value::Record(right))
                if left.len() == right.len() && left.iter().zip(right).all(|(l, r)| l.0 == r.0) =>
            {
                left.iter().zip(right).map(|(l, r)| (&l.1, &r.1)).collect()
            }
            (Value::Array(_), _) | (_, Value::Array(_)) => {
                let help = "compare the arrays of the two, one by one, with `all(a == b)`";
                return self.refuse_operands("==", &[a, b], span, help);
            }
            (Value::DType(left), Value::DType(right)) => return Ok(Host::constant(Known::Bool(left == right))),
            (Value::Unit, Value::Unit) => return Ok(Host::constant(Known::Bool(true))),
            _ => return Ok(no),
        };
        let mut all = Host::constant(Known::Bool(true));
        for (left, right) in pairs {
            let equal = self.same_tree((left, a.1), (right, b.1), span)?;
            if let Value::Host(both) = self.host_binary(BinaryOp::BitAnd, (&all, span), (&equal, span), span)? {
                all = both;
            }
        }
        Ok(all)
    }

    fn array_binary(
        &mut self,
        op: BinaryOp,
        a: (&Traced, Span),
        b: (&Traced, Span),
        span: Span,
    ) -> Outcome<array::Value> {
        use BinaryOp::{BitAnd, BitOr, BitXor, Div, FloorDiv, MatMul, Mod, Pow, Shl, Shr, Sub};
        let Some(mut dtype) = self.common_dtype(&[a.0, b.0]) else {
            return self.refuse_operands(op.symbol(), &[a, b], span, "operators work on arrays and numbers");
        };
        match op {
            MatMul => return self.matrix_product(a, b, dtype, span),
            Pow => return self.power(a, b, dtype, span),
            Div if !dtype.is_float() => dtype = DType::F32,
            FloorDiv | Mod | Shl | Shr if dtype == DType::Bool => dtype = DType::I32,
            Sub if dtype == DType::Bool => {
                return self.refuse_operands("-", &[a, b], span, "use `^` or `!=` on bools, or convert with `i32(x)`");
            }
            _ => {}
        }
        if dtype.is_float() && matches!(op, BitAnd | BitOr | BitXor | Shl | Shr) {
            let help = "the bit operators are for ints and bools; `and`, `or` combine conditions";
            return self.refuse_operands(op.symbol(), &[a, b], span, help);
        }
        self.builder.span = span;
        let values = self.meet(&[a, b], dtype, span, &format!("`{}`", op.symbol()))?;
        self.builder.span = span;
        match values.as_slice() {
            &[x, y] => self.elementwise(op, x, y, nonzero(b.0), span),
            _ => self.fail(diagnostics::not_an_array("nothing", span)),
        }
    }

    /// `x op y` of one dtype and one shape that the operator takes. `safe`: `y` is not 0 anywhere.
    pub fn elementwise(
        &mut self,
        op: BinaryOp,
        x: array::Value,
        y: array::Value,
        safe: bool,
        span: Span,
    ) -> Outcome<array::Value> {
        let dtype = self.builder.ty(x).dtype;
        let (scalar, operands) = match op {
            BinaryOp::Add => (ScalarOp::Add, [x, y]),
            BinaryOp::Sub => (ScalarOp::Sub, [x, y]),
            BinaryOp::Mul => (ScalarOp::Mul, [x, y]),
            BinaryOp::Div => (ScalarOp::Div, [x, y]),
            BinaryOp::Lt => (ScalarOp::Lt, [x, y]),
            BinaryOp::Le => (ScalarOp::Le, [x, y]),
            BinaryOp::Gt => (ScalarOp::Lt, [y, x]),
            BinaryOp::Ge => (ScalarOp::Le, [y, x]),
            BinaryOp::Eq => (ScalarOp::Eq, [x, y]),
            BinaryOp::Ne => (ScalarOp::Ne, [x, y]),
            BinaryOp::BitAnd | BinaryOp::And => (ScalarOp::And, [x, y]),
            BinaryOp::BitOr | BinaryOp::Or => (ScalarOp::Or, [x, y]),
            BinaryOp::BitXor => (ScalarOp::Xor, [x, y]),
            BinaryOp::Shl => (ScalarOp::Shl, [x, y]),
            BinaryOp::Shr => (ScalarOp::Shr, [x, y]),
            BinaryOp::FloorDiv | BinaryOp::Mod if dtype.is_float() => return Ok(self.float_division(op, x, y)),
            BinaryOp::FloorDiv | BinaryOp::Mod => {
                if !safe {
                    self.refuse_zero(y, span);
                }
                (if op == BinaryOp::Mod { ScalarOp::Mod } else { ScalarOp::FloorDiv }, [x, y])
            }
            BinaryOp::Pow => return Ok(self.builder.function(crate::ops::scalar::Function::Power, &[x, y])),
            BinaryOp::MatMul => {
                let ty = self.array_type(x).to_string();
                return self.fail(diagnostics::bad_operands("@", &[(ty, span)], span, "`@` needs arrays with an axis"));
            }
        };
        Ok(self.builder.map(scalar, &operands))
    }

    fn refuse_zero(&mut self, divisor: array::Value, span: Span) {
        let ty = self.array_type(divisor);
        let zero = self.builder.full(Literal::from_i64(ty.dtype, 0), ty.shape);
        let zeros = self.builder.map(ScalarOp::Eq, &[divisor, zero]);
        let bad = self.any(zeros);
        let check = Check {
            code: "R0001",
            message: "integer division by zero".into(),
            help: Some("test the divisor first, as in `where(d == 0, 1, d)`".into()),
        };
        self.builder.span = span;
        self.builder.check(check, bad, &[]);
    }

    /// `//` and `%` of floats, as CPython and NumPy define them: the remainder and its zero take the divisor's sign, the
    /// quotient is what then divides exactly, and its zero has the sign of `x / y`. By zero: `x / y`, and NaN.
    fn float_division(&mut self, op: BinaryOp, x: array::Value, y: array::Value) -> array::Value {
        let ty = self.array_type(x);
        let zero = self.builder.full(Literal::from_i64(ty.dtype, 0), ty.shape.clone());
        let rest = self.builder.map(ScalarOp::Rem, &[x, y]);
        let inexact = self.builder.map(ScalarOp::Ne, &[rest, zero]);
        let below = self.builder.map(ScalarOp::Lt, &[rest, zero]);
        let divisor_below = self.builder.map(ScalarOp::Lt, &[y, zero]);
        let apart = self.builder.map(ScalarOp::Xor, &[below, divisor_below]);
        let crosses = self.builder.map(ScalarOp::And, &[inexact, apart]);
        if op == BinaryOp::Mod {
            let negative_zero = self.builder.full(Literal::from_f64(ty.dtype, -0.0), ty.shape);
            let none = self.builder.map(ScalarOp::Select, &[divisor_below, negative_zero, zero]);
            let moved = self.builder.map(ScalarOp::Add, &[rest, y]);
            let rest = self.builder.map(ScalarOp::Select, &[inexact, rest, none]);
            return self.builder.map(ScalarOp::Select, &[crosses, moved, rest]);
        }
        let one = self.builder.full(Literal::from_i64(ty.dtype, 1), ty.shape);
        let whole = self.builder.map(ScalarOp::Sub, &[x, rest]);
        let quotient = self.builder.map(ScalarOp::Div, &[whole, y]);
        let lower = self.builder.map(ScalarOp::Sub, &[quotient, one]);
        let floored = self.builder.map(ScalarOp::Select, &[crosses, lower, quotient]);
        let floored = self.builder.map(ScalarOp::Round, &[floored]);
        let plain = self.builder.map(ScalarOp::Div, &[x, y]);
        let signed = self.builder.map(ScalarOp::Trunc, &[plain]);
        let vanishes = self.builder.map(ScalarOp::Eq, &[floored, zero]);
        let floored = self.builder.map(ScalarOp::Select, &[vanishes, signed, floored]);
        let by_zero = self.builder.map(ScalarOp::Eq, &[y, zero]);
        self.builder.map(ScalarOp::Select, &[by_zero, plain, floored])
    }

    /// `-a`, `~a`, `not a`.
    pub fn unary_value(&mut self, op: UnaryOp, value: &Traced, operand: Span, span: Span) -> Outcome<Traced> {
        let array = match value {
            Value::Host(host) => return self.host_unary(op, host, operand, span),
            Value::Array(array) => *array,
            _ => return self.refuse_operands("-", &[(value, operand)], span, "operators work on arrays and numbers"),
        };
        let dtype = self.builder.ty(array).dtype;
        self.builder.span = span;
        let (scalar, symbol, takes, help) = match op {
            UnaryOp::Neg => (ScalarOp::Neg, "-", dtype != DType::Bool, "use `~` on bools, or convert with `i32(x)`"),
            UnaryOp::Invert => (ScalarOp::Not, "~", !dtype.is_float(), "`~` is for ints and bools"),
            UnaryOp::Not => (ScalarOp::Not, "not", dtype == DType::Bool, "compare first: `x == 0`"),
        };
        if !takes {
            return self.refuse_operands(symbol, &[(value, operand)], span, help);
        }
        Ok(Value::Array(self.builder.map(scalar, &[array])))
    }

    /// `a @ b`: matrices in the last two axes, the axes before broadcast, vectors as NumPy has them.
    fn matrix_product(
        &mut self,
        a: (&Traced, Span),
        b: (&Traced, Span),
        dtype: DType,
        span: Span,
    ) -> Outcome<array::Value> {
        let (x, y) = (self.array_of(a.0, dtype, a.1)?, self.array_of(b.0, dtype, b.1)?);
        let (left, right) = (self.array_type(x), self.array_type(y));
        let (mut l, mut r) = (left.shape.0.clone(), right.shape.0.clone());
        if l.is_empty() || r.is_empty() {
            return self.refuse_operands("@", &[a, b], span, "`@` needs arrays with at least one axis; use `*`");
        }
        let (row, column) = (l.len() == 1, r.len() == 1);
        if row {
            l.insert(0, Size::from(1));
        }
        if column {
            r.push(Size::from(1));
        }
        let (k, m) = (l.pop().unwrap_or_default(), l.pop().unwrap_or_default());
        let (n, inner) = (r.pop().unwrap_or_default(), r.pop().unwrap_or_default());
        if k != inner {
            let texts = (left.to_string(), right.to_string());
            return self.fail(diagnostics::matmul((&texts.0, &k, a.1), (&texts.1, &inner, b.1), span));
        }
        let Ok(batch) = Self::broadcast_shapes(&[&Shape(l.clone()), &Shape(r.clone())]) else {
            let help = "the axes before the last two broadcast: equal extents, or 1";
            return self.refuse_operands("@", &[a, b], span, help);
        };
        let Some(count) = batch.elements() else {
            return self.fail(diagnostics::too_large(&left.to_string(), span));
        };
        self.builder.span = span;
        let mut place = |value: array::Value, own: Vec<Size>, rows: &Size, columns: &Size| {
            let own = Shape(own.into_iter().chain([rows.clone(), columns.clone()]).collect());
            let value = self.builder.reshape(value, own);
            let full = Shape(batch.0.iter().cloned().chain([rows.clone(), columns.clone()]).collect());
            let value = self.builder.broadcast_to(value, full);
            self.builder.reshape(value, Shape(vec![count.clone(), rows.clone(), columns.clone()]))
        };
        let (x, y) = (place(x, l, &m, &k), place(y, r, &k, &n));
        let product = self.builder.matmul(x, y);
        let mut shape = batch.0;
        if !row {
            shape.push(m);
        }
        if !column {
            shape.push(n);
        }
        Ok(self.builder.reshape(product, Shape(shape)))
    }
}
