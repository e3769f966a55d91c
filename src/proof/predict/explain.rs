//! What became of each donation and of each `x[...] = v`, and why not better.

use super::Predictor;
use super::evaluate::View;
use super::program::{Planned, bytes, planned};
use super::world::World;
use crate::base::{Size, Span};
use crate::ir::array::ArrayType;
use crate::ir::plan::{OutputSource, Verdict};
use crate::ledger::Amount;
use crate::sema::elaborate;
use crate::syntax::ast::{Block, Function, FunctionKind, Name, StatementKind, Target};

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// The call or assignment.
    pub at: Span,
    /// What happens there.
    pub what: What,
}

/// A donation or an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A donated leaf of a call.
    Donation {
        /// The function.
        function: Name,
        /// The parameter.
        param: Span,
        /// The leaf: `state.m`.
        leaf: String,
        /// Its type.
        ty: ArrayType,
        /// What became of it.
        verdict: Verdict,
        /// The output that takes it, with its type.
        output: Option<(usize, ArrayType)>,
        /// How many outputs there are.
        outputs: usize,
    },
    /// `x[...] = v`.
    Assignment {
        /// The changed array: `params.w`.
        target: String,
        /// Its type.
        ty: ArrayType,
        /// Whether it is changed where it lies.
        in_place: bool,
        /// Who else holds it, if that is why.
        holders: Vec<String>,
        /// Why not in place although nobody else holds it.
        why: Option<String>,
    },
}

impl Explained {
    /// The bytes that are copied, or needed beside the donated ones.
    #[must_use]
    pub fn extra(&self) -> Size {
        match &self.what {
            What::Donation { ty, verdict: Verdict::HandedOver { .. }, .. } => bytes(ty),
            What::Assignment { ty, in_place: false, .. } => bytes(ty),
            _ => Size::Known(0),
        }
    }
}

/// `output 1`, or `the result` where there is one.
fn output_text(at: usize, outputs: usize) -> String {
    if outputs < 2 { "the result".to_owned() } else { format!("output {at}") }
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Donation { function, leaf, ty, verdict, output, outputs, .. } => {
                write!(f, "{function}: {leaf} {ty} ")?;
                let taken = output.as_ref().map(|(at, ty)| format!("{}, {ty}", output_text(*at, *outputs)));
                let taken = taken.unwrap_or_else(|| "nothing".into());
                match verdict {
                    Verdict::InPlace { .. } => write!(f, "in place: becomes {taken}"),
                    Verdict::HandedOver { why, .. } => {
                        let size = bytes(ty).human();
                        write!(f, "handed over to {taken}, {size} more during the call: {why}")
                    }
                    Verdict::Refused(_) => write!(f, "refused"),
                }
            }
            Self::Assignment { target, ty, in_place: true, .. } => write!(f, "{target}[...] {ty} in place"),
            Self::Assignment { target, ty, holders, why, .. } => {
                write!(f, "{target}[...] {ty} copied, {}: ", bytes(ty).human())?;
                match why {
                    Some(why) => f.write_str(why),
                    None if holders.is_empty() => f.write_str("a value under way holds it too"),
                    None => write!(f, "held by {} too", holders.join(", ")),
                }
            }
        }
    }
}

impl Predictor {
    fn explain(&mut self, at: Span, what: What) {
        let explained = Explained { at, what };
        if self.said.insert(format!("{explained:?}")) {
            self.explained.push(explained);
        }
    }

    /// The donations of a call.
    pub(super) fn explain_call(&mut self, function: &Function, planned: &Planned, at: Span) {
        for what in donations(function, planned) {
            self.explain(at, what);
        }
    }

    /// The donations of functions that nobody calls, for every size that their signatures allow.
    pub(super) fn explain_definitions(&mut self, program: &Block, world: &World) {
        for statement in &program.statements {
            let StatementKind::Function(function) = &statement.kind else { continue };
            let named = |explained: &Explained| matches!(&explained.what, What::Donation { function: name, .. } if *name == function.name.name);
            let donates = function.kind == FunctionKind::Jit && function.params.iter().any(|param| param.donate);
            if !donates || self.explained.iter().any(named) {
                continue;
            }
            let Some(types) = elaborate::bind::signature_types(function) else { continue };
            let Ok(elaborated) = elaborate::call(&View(world), function, &types, function.name.span) else { continue };
            if let Ok(planned) = planned(&elaborated) {
                self.explain_call(function, &planned, function.name.span);
            }
        }
    }

    /// An assignment to elements.
    pub(super) fn explain_assignment(&mut self, target: &Target, planned: &Planned, alone: bool, world: &World) {
        let fields: String = target.fields.iter().map(|field| format!(".{}", field.name)).collect();
        let path = format!("{}{fields}", target.root.name);
        let Some(output) = planned.outputs.first() else { return };
        let in_place = matches!(output.source, OutputSource::InPlace(_));
        let why = planned.plan.donations.iter().find_map(|donation| match &donation.verdict {
            Verdict::HandedOver { why, .. } => Some(why.clone()),
            _ => None,
        });
        let mut holders: Vec<String> = Vec::new();
        if !alone {
            let own = |holder: &str| holder == path || holder.starts_with(&format!("{path} of "));
            let held = world.ledger.rows().values().map(|row| &row.holders);
            let held = held.filter(|all| all.iter().any(|holder| own(&holder.to_string())));
            holders.extend(held.flatten().map(ToString::to_string).filter(|holder| !own(holder)));
        }
        let ty = output.ty.clone();
        self.explain(target.span, What::Assignment { target: path, ty, in_place, holders, why });
    }
}

/// The verdicts on all donated leaves of a program.
pub(crate) fn donations(function: &Function, planned: &Planned) -> Vec<What> {
    let mut all = Vec::with_capacity(planned.plan.donations.len());
    for donation in &planned.plan.donations {
        let (Some(leaf), Some(ty)) = (planned.names.get(donation.param), planned.params.get(donation.param)) else {
            continue;
        };
        let root = leaf.split(['.', '[']).next().unwrap_or_default();
        let param = function.params.iter().find(|param| param.name.name.as_ref() == root);
        let output = match &donation.verdict {
            Verdict::InPlace { output } | Verdict::HandedOver { output, .. } => {
                planned.outputs.get(*output).map(|taker| (*output, taker.ty.clone()))
            }
            Verdict::Refused(_) => None,
        };
        all.push(What::Donation {
            function: function.name.name.clone(),
            param: param.map_or(function.name.span, |param| param.span),
            leaf: leaf.clone(),
            ty: ty.clone(),
            verdict: donation.verdict.clone(),
            output,
            outputs: planned.outputs.len(),
        });
    }
    all
}
