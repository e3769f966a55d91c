//! Coercion, promotion and broadcasting: how operands come to one dtype and one shape.

use super::{Elaborator, Outcome};
use crate::base::{DType, Diagnostic, Literal, Shape, Size, Span};
use crate::ir::array::{self, ArrayType, ReduceOp};
use crate::ops::promote::{self, Weak};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};

impl Elaborator<'_> {
    /// The dtype where these operands meet; `None` when one is no number.
    #[must_use]
    pub fn common_dtype(&self, operands: &[&Traced]) -> Option<DType> {
        let (mut strong, mut weak): (Option<DType>, Option<Weak>) = (None, None);
        for operand in operands {
            match operand {
                Value::Array(value) => {
                    let dtype = self.builder.ty(*value).dtype;
                    strong = Some(strong.map_or(dtype, |other| promote::join(other, dtype)));
                }
                Value::Host(host) => {
                    let kind = host.kind.weak()?;
                    weak = Some(weak.map_or(kind, |other| if other as u8 >= kind as u8 { other } else { kind }));
                }
                _ => return None,
            }
        }
        match (strong, weak) {
            (Some(strong), Some(weak)) => Some(promote::join_weak(strong, weak)),
            (Some(strong), None) => Some(strong),
            (None, Some(weak)) => Some(promote::default_dtype(weak)),
            (None, None) => None,
        }
    }

    /// The operand as an array of `dtype` (host scalars become rank-0 values; a literal that does not fit is an error).
    pub fn array_of(&mut self, operand: &Traced, dtype: DType, span: Span) -> Outcome<array::Value> {
        match operand {
            Value::Array(value) => Ok(self.builder.cast(*value, dtype)),
            Value::Host(host) if host.kind != HostKind::Str => self.host_as_array(host, dtype, span),
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::not_an_array(&found, span))
            }
        }
    }

    fn host_as_array(&mut self, host: &Host, dtype: DType, span: Span) -> Outcome<array::Value> {
        if host.origins.is_empty()
            && let Some(known) = &host.known
        {
            let literal = match known {
                Known::Int(Size::Known(n)) => {
                    let literal = Literal::from_i64(dtype, *n);
                    if dtype.is_int() && literal.to_i64() != *n {
                        return self.fail(diagnostics::does_not_fit(&n.to_string(), dtype, span));
                    }
                    literal
                }
                Known::Int(size) => return Ok(self.size_as_array(&size.clone(), dtype)),
                Known::Float(x) => {
                    let literal = Literal::from_f64(dtype, *x);
                    if x.is_finite() && dtype.is_float() && literal.to_f64().is_infinite() {
                        return self.fail(diagnostics::does_not_fit(&format!("{x:?}"), dtype, span));
                    }
                    literal
                }
                Known::Bool(b) => Literal::from_i64(dtype, i64::from(*b)),
                Known::Str(_) => Literal::from_i64(dtype, 0),
            };
            return Ok(self.builder.constant(literal));
        }
        match host.runtime {
            Some(value) => Ok(self.builder.cast(value, dtype)),
            None => self.fail(diagnostics::not_an_array(host.kind.name(), span)),
        }
    }

    /// A size in the dims of a signature, as a rank-0 value: sums over ones along those dims. Only its type matters,
    /// since a program with symbolic sizes is checked and never run.
    pub(super) fn size_as_array(&mut self, size: &Size, dtype: DType) -> array::Value {
        let one = Literal::from_i64(DType::I64, 1);
        let Size::Polynomial(terms) = size else {
            return self.builder.constant(Literal::from_i64(dtype, size.constant().unwrap_or(0)));
        };
        let mut sum = self.builder.constant(Literal::from_i64(DType::I64, 0));
        for (monomial, coefficient) in terms.iter() {
            let mut product = self.builder.constant(Literal::from_i64(DType::I64, *coefficient));
            for (symbol, power) in monomial {
                let ones = self.builder.full(one, Shape(vec![Size::symbol(symbol.clone())]));
                let extent = self.builder.reduce(ReduceOp::Sum, ones, vec![0]);
                for _ in 0..*power {
                    product = self.builder.map(ScalarOp::Mul, &[product, extent]);
                }
            }
            sum = self.builder.map(ScalarOp::Add, &[sum, product]);
        }
        self.builder.cast(sum, dtype)
    }

    /// The shape to which operands broadcast under NumPy's rule, or the pair of axes that disagree.
    ///
    /// # Errors
    /// The two extents that are neither equal nor 1, when some pair is.
    pub fn broadcast_shapes(shapes: &[&Shape]) -> Result<Shape, (Size, Size)> {
        let rank = shapes.iter().map(|shape| shape.rank()).max().unwrap_or(0);
        let mut result = vec![Size::from(1); rank];
        for shape in shapes {
            let skip = rank - shape.rank();
            for (slot, extent) in result.iter_mut().skip(skip).zip(&shape.0) {
                let one = Size::from(1);
                if *slot == one {
                    *slot = extent.clone();
                } else if *extent != one && extent != slot {
                    return Err((slot.clone(), extent.clone()));
                }
            }
        }
        Ok(Shape(result))
    }

    /// Operands at one dtype and one shape; `spans` are theirs, `whole` is the operation's.
    pub fn meet(
        &mut self,
        operands: &[(&Traced, Span)],
        dtype: DType,
        whole: Span,
        what: &str,
    ) -> Outcome<Vec<array::Value>> {
        let mut values = Vec::with_capacity(operands.len());
        for (operand, span) in operands {
            values.push(self.array_of(operand, dtype, *span)?);
        }
        let types: Vec<ArrayType> = values.iter().map(|&value| self.array_type(value)).collect();
        let shapes: Vec<&Shape> = types.iter().map(|ty| &ty.shape).collect();
        match Self::broadcast_shapes(&shapes) {
            Ok(shape) => Ok(values.into_iter().map(|v| self.builder.broadcast_to(v, shape.clone())).collect()),
            Err((a, b)) => {
                let all: Vec<String> = shapes.iter().map(ToString::to_string).collect();
                let message = format!("{what}: shapes {} do not broadcast", all.join(" and "));
                let mut diagnostic = Diagnostic::error("E0210", message, whole, format!("{a} against {b}"));
                for ((_, span), ty) in operands.iter().zip(&types) {
                    diagnostic = diagnostic.label(*span, format!("this is {ty}"));
                }
                self.fail(diagnostic.help("axes are aligned from the last; extents must be equal or 1"))
            }
        }
    }
}
