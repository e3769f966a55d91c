//! Values as text, as `print` and the prompt show them.

use super::{Live, Session};
use crate::base::{Broken, Literal};
use crate::driver::failure::Outcome;
use crate::runtime::{Array, text};
use crate::sema::value::{Scalar, Value};
use crate::syntax::ast::FunctionKind;

impl Session {
    /// A value as `print` writes it.
    ///
    /// # Errors
    /// An internal error when an array was given away.
    pub fn text(&self, value: &Live) -> Outcome<String> {
        match value {
            Value::Array(array) => array_text(array),
            Value::Host(Scalar::Str(s)) => Ok(s.to_string()),
            other => self.inner(other),
        }
    }

    fn inner(&self, value: &Live) -> Outcome<String> {
        Ok(match value {
            Value::Array(array) => match array.item() {
                Some(literal) => text::element_in_tuple(literal),
                None => format!("array({})", array_text(array)?.replace('\n', " ")),
            },
            Value::Host(scalar) => scalar_text(scalar),
            Value::DType(dtype) => dtype.to_string(),
            Value::Tuple(items) => {
                let items = items.iter().map(|item| self.inner(item)).collect::<Outcome<Vec<String>>>()?;
                match items.as_slice() {
                    [one] => format!("({one},)"),
                    _ => format!("({})", items.join(", ")),
                }
            }
            Value::Record(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, item)| Ok(format!("{name}: {}", self.inner(item)?)))
                    .collect::<Outcome<Vec<String>>>()?;
                format!("{{{}}}", fields.join(", "))
            }
            Value::Function(function) => {
                let kind = if function.kind == FunctionKind::Jit { "jit" } else { "fn" };
                format!("<{kind} {}>", function.name.name)
            }
            Value::Builtin(name) => format!("<built-in {name}>"),
            Value::Unit => "()".into(),
        })
    }
}

fn scalar_text(scalar: &Scalar) -> String {
    match scalar {
        Scalar::Int(n) => n.to_string(),
        Scalar::Float(x) => text::host_float(*x),
        Scalar::Bool(true) => "True".into(),
        Scalar::Bool(false) => "False".into(),
        Scalar::Str(s) => text::host_str(s),
    }
}

fn array_text(array: &Array) -> Outcome<String> {
    let memory = array.memory().ok_or_else(|| Broken::new("show", "no buffer is read after it was given away"))?;
    if array.extents.is_empty() {
        let literal: Option<Literal> = array.item();
        return literal.map(text::scalar).ok_or_else(|| Broken::new("show", "a scalar array has one element").into());
    }
    let mut bytes = vec![0; usize::try_from(array.bytes()).unwrap_or(0)];
    memory.read(0, &mut bytes);
    Ok(text::array(array.dtype, &array.extents, &bytes))
}
