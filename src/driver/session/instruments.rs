//! The instruments: `print`, `live`, `ledger`, `memory`, `clear_caches`, and reading values to the host.

use super::call::Evaluated;
use super::evaluate::type_of;
use super::{Live, Session};
use crate::base::{Broken, Diagnostic, Fault, Span, bytes};
use crate::driver::failure::Outcome;
use crate::ir::array::ParamKind;
use crate::ir::plan::{OutputSource, Plan};
use crate::sema::elaborate;
use crate::sema::value::{Scalar, Value};
use crate::syntax::ast::{Arg, ExprKind, Function, Name};
use std::rc::Rc;

/// What a compiled program needs, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Of all array arguments.
    pub argument: u64,
    /// Of all distinct outputs, those in donated buffers included.
    pub output: u64,
    /// Of the outputs that are in an argument's buffer.
    pub aliased: u64,
    /// Of the arena.
    pub temporary: u64,
    /// Of the constant copies of captured arrays.
    pub constant: u64,
    /// Of machine code.
    pub code: u64,
}

impl Figures {
    /// Read off a plan.
    #[must_use]
    pub fn of(plan: &Plan, code: u64) -> Self {
        let (mut argument, mut constant, mut output, mut aliased) = (0, 0, 0, 0);
        for param in &plan.params {
            match param.kind {
                ParamKind::Array { .. } => argument += param.bytes,
                ParamKind::Captured => constant += param.bytes,
                ParamKind::Scalar => {}
            }
        }
        for result in &plan.outputs {
            match result.source {
                OutputSource::Fresh(_) | OutputSource::HandedOver { .. } => output += result.bytes,
                OutputSource::InPlace(_) | OutputSource::Shared(_) => {
                    output += result.bytes;
                    aliased += result.bytes;
                }
                OutputSource::Same(_) => {}
            }
        }
        Self { argument, output, aliased, temporary: plan.arena, constant, code }
    }

    /// Names and values, in the order in which they print.
    #[must_use]
    pub fn rows(&self) -> [(&'static str, u64); 6] {
        [
            ("argument", self.argument),
            ("output", self.output),
            ("aliased", self.aliased),
            ("temporary", self.temporary),
            ("constant", self.constant),
            ("code", self.code),
        ]
    }
}

impl Session {
    /// A call of an instrument with evaluated arguments.
    pub(super) fn instrument(&mut self, name: &str, args: &[Evaluated<'_>], at: Span) -> Outcome<Live> {
        let arity = match name {
            "print" => None,
            "item" | "int" | "float" => Some(1),
            _ => Some(0),
        };
        if let Some(arity) = arity
            && (args.len() != arity || args.iter().any(|arg| arg.name.is_some()))
        {
            let message = format!("`{name}` takes {arity} arguments, found {}", args.len());
            return Err(Diagnostic::error("E0327", message, at, "in this call").into());
        }
        match (name, args) {
            ("print", _) => {
                let texts = args.iter().map(|arg| self.text(&arg.value)).collect::<Outcome<Vec<String>>>()?;
                self.print(&texts.join(" "))?;
                Ok(Value::Unit)
            }
            ("live", _) => {
                let count = Scalar::Int(self.ledger.count() as i64);
                let bytes = Scalar::Int(i64::try_from(self.ledger.bytes()).unwrap_or(i64::MAX));
                Ok(Value::Tuple(vec![Value::Host(count), Value::Host(bytes)]))
            }
            ("ledger", _) => {
                let table = self.ledger.table();
                self.print(&table)?;
                Ok(Value::Unit)
            }
            ("clear_caches", _) => {
                self.clear_caches();
                Ok(Value::Unit)
            }
            ("item" | "int" | "float", [arg]) => self.read(name, &arg.value, arg.span),
            _ => Err(Broken::new("instruments", format!("`{name}` is an instrument")).into()),
        }
    }

    /// `item(x)`, `int(x)`, `float(x)`.
    fn read(&self, name: &str, value: &Live, at: Span) -> Outcome<Live> {
        let scalar = match value {
            Value::Host(scalar) => scalar.clone(),
            Value::Array(array) => match array.item() {
                Some(literal) if array.dtype.is_float() => Scalar::Float(literal.to_f64()),
                Some(literal) if array.dtype.is_int() => Scalar::Int(literal.to_i64()),
                Some(literal) => Scalar::Bool(literal.to_bool()),
                None => {
                    let message = format!("`{name}` reads one element, found {}", array.contents());
                    return Err(Fault::new("R0206", message, at).help("index or reduce it first").into());
                }
            },
            other => {
                let message = format!("`{name}` reads an array or a number, found {}", other.kind());
                return Err(Diagnostic::error("E0327", message, at, "not a number")
                    .help(format!("write `{name}(x)` with an array of one element"))
                    .into());
            }
        };
        let converted = match (name, &scalar) {
            ("item", _) => scalar,
            ("int", Scalar::Int(_)) | ("float", Scalar::Float(_)) => scalar,
            ("int", Scalar::Bool(b)) => Scalar::Int(i64::from(*b)),
            ("float", Scalar::Int(n)) => Scalar::Float(*n as f64),
            ("float", Scalar::Bool(b)) => Scalar::Float(f64::from(u8::from(*b))),
            ("int", Scalar::Float(x)) if x.is_finite() && x.abs() < 9.2e18 => Scalar::Int(*x as i64),
            _ => {
                let message = format!("`{name}` cannot read {}", self.text(&Value::Host(scalar))?);
                let help = "test it first: `int` takes finite numbers below 9.2e18";
                return Err(Fault::new("R0207", message, at).help(help).into());
            }
        };
        Ok(Value::Host(converted))
    }

    /// `memory(f, args...)`: what the compiled program needs, without running it.
    pub(super) fn memory(&mut self, args: &[Arg], at: Span) -> Outcome<Live> {
        let function = args.first().and_then(|arg| match &arg.value.kind {
            ExprKind::Name(name) => match self.names.value(name) {
                Some(Value::Function(function)) => Some(function.clone()),
                _ => None,
            },
            _ => None,
        });
        let Some(function) = function else {
            return Err(Diagnostic::error("E0327", "`memory` takes a function and its arguments", at, "in this call")
                .help("write memory(f, x)")
                .into());
        };
        let evaluated = self.arguments(args.get(1..).unwrap_or(&[]))?;
        let values = self.bound(&function, &evaluated, at)?;
        let figures = self.outside(|session| session.figures(&function, &values, at))?;
        let types: Vec<String> = values.iter().map(type_text).collect();
        let mut lines = vec![format!("memory of {}({})", function.name.name, types.join(", "))];
        lines.extend(figures.rows().iter().map(|(name, n)| format!("  {name:<9}  {}", bytes::human(*n))));
        self.print(&lines.join("\n"))?;
        let fields = figures
            .rows()
            .map(|(name, n)| (Name::from(name), Value::Host(Scalar::Int(i64::try_from(n).unwrap_or(i64::MAX)))));
        Ok(Value::Record(fields.to_vec()))
    }

    fn figures(&self, function: &Rc<Function>, values: &[Live], at: Span) -> Outcome<Figures> {
        let types: Vec<_> = values.iter().map(type_of).collect();
        let elaborated = elaborate::call(self, function, &types, at)?;
        let compiled = crate::driver::pipeline::compile(&self.device, &elaborated.program)?;
        Ok(Figures::of(compiled.plan.plan(), compiled.executable.code_bytes()))
    }
}

/// `f32[4]`, `float`, `(f32[4], int)`.
fn type_text(value: &Live) -> String {
    match value {
        Value::Array(array) => array.contents().to_string(),
        Value::Host(scalar) => scalar.kind().name().into(),
        Value::DType(dtype) => dtype.to_string(),
        Value::Tuple(items) => {
            let items: Vec<String> = items.iter().map(type_text).collect();
            format!("({})", items.join(", "))
        }
        Value::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, v)| format!("{name}: {}", type_text(v))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Function(_) | Value::Builtin(_) => "function".into(),
        Value::Unit => "()".into(),
    }
}
