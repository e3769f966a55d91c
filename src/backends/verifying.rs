//! A backend beside the reference: every run is repeated by the plain evaluator on copies, with nothing given away, and
//! the results are compared bit by bit.
//!
//! Matrix products, whose order of summation is the library's, and what is computed from them are compared to a
//! tolerance. Invariant: a run whose results differ does not succeed; the message names the first operation that differs.

use super::reference::{self, Array};
use super::{Arguments, Backend, Buffer, Executable, Stop};
use crate::base::{Broken, DType, Literal, Span, Unavailable};
use crate::ir::array::{OpKind, Param, ParamKind, Program, Region, Value};
use crate::ir::plan::{OutputSource, Plan};
use std::rc::Rc;

/// Makes the plan of a program.
pub type Planner = fn(&Program) -> Result<Plan, Broken>;

/// Looks over another backend's shoulder.
pub struct Verifying {
    inner: Rc<dyn Backend>,
    planner: Planner,
}

impl Verifying {
    /// Verifies `inner`; `planner` plans the parts of a program in which a difference is searched for.
    #[must_use]
    pub fn new(inner: Rc<dyn Backend>, planner: Planner) -> Self {
        Self { inner, planner }
    }
}

impl Backend for Verifying {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Unavailable> {
        self.inner.allocate(bytes)
    }

    fn allocated(&self) -> u64 {
        self.inner.allocated()
    }

    fn pooled(&self) -> u64 {
        self.inner.pooled()
    }

    fn load(&self, program: &Program, plan: &Plan) -> Result<Rc<dyn Executable>, Broken> {
        Ok(Rc::new(Pair {
            fast: self.inner.load(program, plan)?,
            program: program.clone(),
            plan: plan.clone(),
            backend: self.inner.clone(),
            planner: self.planner,
        }))
    }
}

/// A program on both.
struct Pair {
    fast: Rc<dyn Executable>,
    program: Program,
    plan: Plan,
    backend: Rc<dyn Backend>,
    planner: Planner,
}

/// The elements of a buffer on the host.
fn fetched(buffer: &dyn Buffer, dtype: DType, extents: &[u64], bytes: u64) -> Array {
    let mut contents = vec![0; usize::try_from(bytes).unwrap_or(0)];
    buffer.read(0, &mut contents);
    Array { dtype, extents: extents.to_vec(), bytes: contents }
}

/// How far results may lie apart, relative to the greatest of them.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-9,
        DType::F32 => 1e-3,
        _ => 5e-2,
    }
}

/// The first element in which two arrays differ, with what is there.
fn difference(found: &Array, expected: &Array, exact: bool) -> Option<(usize, Literal, Literal)> {
    let (found, expected) = (found.elements(), expected.elements());
    let greatest = expected.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(1.0, f64::max);
    found.into_iter().zip(expected).enumerate().find_map(|(at, (a, b))| {
        let (x, y) = (a.to_f64(), b.to_f64());
        let nans = a.dtype.is_float() && x.is_nan() && y.is_nan();
        let near = !exact && a.dtype.is_float() && (x - y).abs() <= greatest * tolerance(a.dtype);
        (a != b && !nans && !near).then_some((at, a, b))
    })
}

/// Whether a matrix product is somewhere in it.
fn has_matmul(region: &Region) -> bool {
    region.ops.iter().any(|op| op.kind == OpKind::Matmul || op.regions.iter().any(has_matmul))
}

impl Pair {
    fn different(&self, span: Span, what: &str, found: (usize, Literal, Literal)) -> Stop {
        let (at, is, should) = found;
        let device = self.backend.name();
        let message = format!("{what} differs at element {at}: {device} gives {is}, the reference {should}");
        Stop::Different { span, message }
    }

    /// The place and name of the operation that defines a value.
    fn definition(&self, value: Value) -> (Span, String) {
        let op = self.program.body.ops.iter().find(|op| op.results.contains(&value));
        op.map_or((Span::default(), "an argument".to_owned()), |op| (op.span, op.kind.name()))
    }

    /// Runs the program up to `value` on the fast backend, with nothing given away.
    fn part(&self, value: Value, arguments: &[Array]) -> Option<(Array, Array)> {
        let lent = |param: &Param| match param.kind {
            ParamKind::Array { .. } => Param { kind: ParamKind::Array { donated: false }, ..param.clone() },
            _ => param.clone(),
        };
        let body = Region { results: vec![value], ..self.program.body.clone() };
        let program =
            Program { params: self.program.params.iter().map(lent).collect(), types: self.program.types.clone(), body };
        let plan = (self.planner)(&program).ok()?;
        let expected = reference::evaluate(&program, arguments).ok()?.into_iter().next()?;
        let executable = self.backend.load(&program, &plan).ok()?;
        let mut params: Vec<Option<Rc<dyn Buffer>>> = Vec::new();
        let mut scalars = Vec::new();
        for (param, array) in program.params.iter().zip(arguments) {
            let mut bits = [0; 8];
            if param.kind == ParamKind::Scalar {
                bits.get_mut(..array.bytes.len())?.copy_from_slice(&array.bytes);
                params.push(None);
            } else {
                let buffer = self.backend.allocate(array.bytes.len() as u64).ok()?;
                buffer.write(0, &array.bytes);
                params.push(Some(buffer));
            }
            scalars.push(u64::from_le_bytes(bits));
        }
        let fresh = plan.fresh.iter().map(|&bytes| self.backend.allocate(bytes).ok()).collect::<Option<Vec<_>>>()?;
        let arena = self.backend.allocate(plan.arena).ok()?;
        let borrowed: Vec<Option<&dyn Buffer>> = params.iter().map(Option::as_deref).collect();
        let lying: Vec<&dyn Buffer> = fresh.iter().map(Rc::as_ref).collect();
        let never = std::sync::atomic::AtomicBool::new(false);
        let run = Arguments {
            params: &borrowed,
            scalars: &scalars,
            fresh: &lying,
            arena: Some(arena.as_ref()),
            interrupt: &never,
        };
        executable.run(&run).ok()?;
        let output = plan.outputs.first()?;
        let buffer = buffer_of(output.source, &run, &plan)?;
        Some((fetched(buffer, output.dtype, &output.extents, output.bytes), expected))
    }

    /// The first operation whose value, computed by itself, differs; else the one that defines the output.
    fn first_difference(&self, output: usize, found: (usize, Literal, Literal), arguments: &[Array]) -> Stop {
        let exact = !has_matmul(&self.program.body);
        for op in &self.program.body.ops {
            for &value in &op.results {
                if let Some((is, should)) = self.part(value, arguments)
                    && let Some(found) = difference(&is, &should, exact)
                {
                    return self.different(op.span, &op.kind.name(), found);
                }
            }
        }
        let value = self.program.body.results.get(output).copied();
        let (span, name) = value.map_or((Span::default(), String::new()), |value| self.definition(value));
        self.different(span, &format!("output {output}, {name} in this plan,"), found)
    }

    fn arguments(&self, arguments: &Arguments<'_>) -> Vec<Array> {
        let params = self.plan.params.iter().enumerate();
        let arrays = params.map(|(at, param)| match (param.kind, arguments.params.get(at).copied().flatten()) {
            (ParamKind::Scalar, _) => {
                let bits = arguments.scalars.get(at).copied().unwrap_or(0).to_le_bytes();
                let bytes = bits.get(..param.dtype.bytes()).unwrap_or_default().to_vec();
                Array { dtype: param.dtype, extents: Vec::new(), bytes }
            }
            (_, Some(buffer)) => fetched(buffer, param.dtype, &param.extents, param.bytes),
            // Only its type is read.
            (_, None) => {
                let bytes = vec![0; usize::try_from(param.bytes).unwrap_or(0)];
                Array { dtype: param.dtype, extents: param.extents.clone(), bytes }
            }
        });
        arrays.collect()
    }
}

/// Where an output lies.
fn buffer_of<'a>(source: OutputSource, arguments: &Arguments<'a>, plan: &Plan) -> Option<&'a dyn Buffer> {
    match source {
        OutputSource::Fresh(at) | OutputSource::HandedOver { fresh: at, .. } => arguments.fresh.get(at).copied(),
        OutputSource::InPlace(at) | OutputSource::Shared(at) => arguments.params.get(at).copied().flatten(),
        OutputSource::Same(earlier) => buffer_of(plan.outputs.get(earlier)?.source, arguments, plan),
    }
}

impl Executable for Pair {
    fn run(&self, arguments: &Arguments<'_>) -> Result<(), Stop> {
        let copies = self.arguments(arguments);
        let done = self.fast.run(arguments);
        if matches!(done, Err(Stop::Interrupted | Stop::Broken(_))) {
            return done;
        }
        match (done, reference::evaluate(&self.program, &copies)) {
            (Ok(()), Ok(expected)) => {
                let exact = !has_matmul(&self.program.body);
                for (at, (output, expected)) in self.plan.outputs.iter().zip(&expected).enumerate() {
                    let Some(buffer) = buffer_of(output.source, arguments, &self.plan) else { continue };
                    let found = fetched(buffer, output.dtype, &output.extents, output.bytes);
                    if let Some(found) = difference(&found, expected, exact) {
                        return Err(self.first_difference(at, found, &copies));
                    }
                }
                Ok(())
            }
            // Both stop; the place and the message are those of the fast backend.
            (Err(stop), Err(_)) => Err(stop),
            (Ok(()), Err(stop)) => {
                let message = format!("{} goes on where the reference stops: {stop:?}", self.backend.name());
                Err(Stop::Different { span: Span::default(), message })
            }
            (Err(stop), Ok(_)) => {
                let message = format!("{} stops where the reference goes on: {stop:?}", self.backend.name());
                Err(Stop::Different { span: Span::default(), message })
            }
        }
    }

    fn code_bytes(&self) -> u64 {
        self.fast.code_bytes()
    }

    fn dump(&self, stage: &str) -> Option<String> {
        self.fast.dump(stage)
    }
}
