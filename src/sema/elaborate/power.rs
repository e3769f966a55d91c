//! `**`: by a literal int as multiplications, by a computed int as a loop of the same multiplications, else `power`.
//!
//! ```text
//! x ** 3      x * (x * x), in the order of repeated squaring; x ** -2 is 1 / (x * x)
//! ```
//! Invariant: the three ways to write one int exponent (literal, host value, loop) give the same bits.

use super::{Elaborator, Outcome};
use crate::base::{DType, Literal, Size, Span};
use crate::ir::array::{self, ArrayType, Check, OpKind, ReduceOp};
use crate::ops::scalar::{Function, ScalarOp};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};

impl Elaborator<'_> {
    /// `base ** exponent` where at least one is an array.
    pub fn power(
        &mut self,
        base: (&Traced, Span),
        exponent: (&Traced, Span),
        dtype: DType,
        span: Span,
    ) -> Outcome<array::Value> {
        let dtype = if dtype == DType::Bool { DType::I32 } else { dtype };
        if let (Value::Array(_), Value::Host(host)) = (base.0, exponent.0)
            && host.kind != HostKind::Float
        {
            let value = self.array_of(base.0, dtype, base.1)?;
            return self.power_by_int(value, exponent.0, exponent.1);
        }
        let values = self.meet(&[base, exponent], dtype, span, "`**`")?;
        self.builder.span = span;
        let (Some(&x), Some(&y)) = (values.first(), values.get(1)) else {
            return self.fail(diagnostics::not_an_array("nothing", span));
        };
        if dtype.is_float() {
            return Ok(self.builder.function(Function::Power, &[x, y]));
        }
        self.refuse_negative(y, span);
        Ok(self.squaring(x, y))
    }

    /// `x ** exponent` for an int exponent of the host.
    pub fn power_by_int(&mut self, x: array::Value, exponent: &Traced, span: Span) -> Outcome<array::Value> {
        let Value::Host(host) = exponent else {
            return self.fail(diagnostics::not_an_array(exponent.kind(), span));
        };
        let ty = self.array_type(x);
        if let Host { known: Some(known), origins, .. } = host
            && origins.is_empty()
            && let Some(n) = match known {
                Known::Int(Size::Known(n)) => Some(*n),
                Known::Bool(b) => Some(i64::from(*b)),
                _ => None,
            }
        {
            if n < 0 && !ty.dtype.is_float() {
                return self.fail(diagnostics::negative_power(span));
            }
            return Ok(self.literal_power(x, n));
        }
        let exponent = self.runtime_as(host, HostKind::Int);
        if !ty.dtype.is_float() {
            self.refuse_negative(exponent, span);
            return Ok(self.squaring(x, exponent));
        }
        let magnitude = self.builder.map(ScalarOp::Abs, &[exponent]);
        let product = self.squaring(x, magnitude);
        let zero = self.builder.constant(Literal::from_i64(DType::I64, 0));
        let negative = self.builder.map(ScalarOp::Lt, &[exponent, zero]);
        let negative = self.builder.broadcast_to(negative, ty.shape.clone());
        let one = self.builder.full(Literal::from_i64(ty.dtype, 1), ty.shape);
        let reciprocal = self.builder.map(ScalarOp::Div, &[one, product]);
        Ok(self.builder.map(ScalarOp::Select, &[negative, reciprocal, product]))
    }

    fn literal_power(&mut self, x: array::Value, n: i64) -> array::Value {
        let ty = self.array_type(x);
        let one = Literal::from_i64(ty.dtype, 1);
        let (mut square, mut product, mut left) = (x, None, n.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                product = Some(match product {
                    Some(product) => self.builder.map(ScalarOp::Mul, &[product, square]),
                    None => square,
                });
            }
            left >>= 1;
            if left > 0 {
                square = self.builder.map(ScalarOp::Mul, &[square, square]);
            }
        }
        match product {
            None => self.builder.full(one, ty.shape),
            Some(product) if n < 0 => {
                let one = self.builder.full(one, ty.shape);
                self.builder.map(ScalarOp::Div, &[one, product])
            }
            Some(product) => product,
        }
    }

    fn refuse_negative(&mut self, exponent: array::Value, span: Span) {
        let ty = self.array_type(exponent);
        if matches!(ty.dtype, DType::U8 | DType::U32 | DType::Bool) {
            return;
        }
        self.builder.span = span;
        let zero = self.builder.full(Literal::from_i64(ty.dtype, 0), ty.shape);
        let negative = self.builder.map(ScalarOp::Lt, &[exponent, zero]);
        let bad = self.any(negative);
        let help = Some("convert the base to a float first".to_owned());
        let message = "an integer has no negative power".to_owned();
        self.builder.check(Check { code: "R0004", message, help }, bad, &[]);
    }

    /// Whether any element of a bool array is true, as `bool[]`.
    pub fn any(&mut self, bools: array::Value) -> array::Value {
        let rank = self.builder.ty(bools).shape.rank();
        if rank == 0 { bools } else { self.builder.reduce(ReduceOp::Any, bools, (0..rank).collect()) }
    }

    /// Repeated squaring in a loop; `exponent >= 0`, of the shape of `x` or rank 0.
    fn squaring(&mut self, x: array::Value, exponent: array::Value) -> array::Value {
        let (ty, count) = (self.array_type(x), self.array_type(exponent));
        let product = self.builder.full(Literal::from_i64(ty.dtype, 1), ty.shape.clone());
        let types = vec![ty.clone(), ty.clone(), count.clone()];
        let zero = Literal::from_i64(count.dtype, 0);

        let params = self.builder.open(types.clone());
        let left = params.get(2).copied().unwrap_or(exponent);
        let more = {
            let zero = self.builder.full(zero, count.shape.clone());
            let positive = self.builder.map(ScalarOp::Lt, &[zero, left]);
            self.any(positive)
        };
        let test = self.builder.close(vec![more]);

        let params = self.builder.open(types.clone());
        let results = match params.as_slice() {
            &[product, square, left] => self.squaring_round(&ty, &count, product, square, left),
            _ => Vec::new(),
        };
        let round = self.builder.close(results);
        let results = self.builder.push(OpKind::While, vec![product, x, exponent], types, vec![test, round]);
        results.first().copied().unwrap_or(x)
    }

    fn squaring_round(
        &mut self,
        ty: &ArrayType,
        count: &ArrayType,
        product: array::Value,
        square: array::Value,
        left: array::Value,
    ) -> Vec<array::Value> {
        let one = self.builder.full(Literal::from_i64(count.dtype, 1), count.shape.clone());
        let low = self.builder.map(ScalarOp::And, &[left, one]);
        let odd = self.builder.map(ScalarOp::Eq, &[low, one]);
        let odd = self.builder.broadcast_to(odd, ty.shape.clone());
        let more = self.builder.map(ScalarOp::Mul, &[product, square]);
        let product = self.builder.map(ScalarOp::Select, &[odd, more, product]);
        let square = self.builder.map(ScalarOp::Mul, &[square, square]);
        let left = self.builder.map(ScalarOp::Shr, &[left, one]);
        vec![product, square, left]
    }
}
