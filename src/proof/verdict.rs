//! The callee's half: which output takes over which donated buffer.
//!
//! V1 every donated leaf needs an output of its own with exactly as many bytes, for every size; V2 the matching is
//! the largest there is, and a donated array that is returned as it is takes itself first; V3 of leaves that cannot
//! all be served, the later is refused. Reasons by precedence: no output left, dtype, shape, not provable.

use crate::base::Size;
use crate::ir::array::{ArrayType, Value};
use crate::ir::plan::Refusal;

/// A donated leaf.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its path: `state.m`.
    pub path: String,
    /// Its type.
    pub ty: ArrayType,
    /// Its value in the program, if it is one.
    pub is: Option<Value>,
}

/// An output that is no lent argument.
#[derive(Clone, Debug)]
pub struct Taker {
    /// Its type.
    pub ty: ArrayType,
    /// Its value in the program.
    pub is: Value,
}

/// A donated leaf that nothing takes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Which offer.
    pub offer: usize,
    /// Why.
    pub why: Refusal,
    /// For [`Refusal::NoOutputLeft`]: all offers that contend.
    pub contenders: Vec<usize>,
}

/// Whether an output fills exactly the buffer: equal as polynomials.
fn fits(offer: &Offer, taker: &Taker) -> bool {
    match (offer.ty.bytes(), taker.ty.bytes()) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// The offers that find no output.
#[must_use]
pub fn refusals(offers: &[Offer], takers: &[Taker]) -> Vec<Refused> {
    let mut taken: Vec<Option<usize>> = vec![None; takers.len()];
    let mut served = vec![false; offers.len()];
    for (k, offer) in offers.iter().enumerate() {
        if let Some(at) = takers.iter().position(|taker| offer.is == Some(taker.is))
            && let (Some(slot), Some(done)) = (taken.get_mut(at), served.get_mut(k))
            && slot.is_none()
        {
            *slot = Some(k);
            *done = true;
        }
    }
    let mut refused = Vec::new();
    for k in 0..offers.len() {
        if served.get(k) == Some(&true) {
            continue;
        }
        let mut visited = vec![false; takers.len()];
        if !augment(k, offers, takers, &mut taken, &mut visited) {
            refused.push(judge(k, offers, takers));
        }
    }
    refused
}

/// Finds an output for offer `k`, moving others where that helps (Kuhn's algorithm).
fn augment(k: usize, offers: &[Offer], takers: &[Taker], taken: &mut [Option<usize>], visited: &mut [bool]) -> bool {
    let Some(offer) = offers.get(k) else { return false };
    for (at, taker) in takers.iter().enumerate() {
        if !fits(offer, taker) || visited.get(at) != Some(&false) {
            continue;
        }
        if let Some(slot) = visited.get_mut(at) {
            *slot = true;
        }
        let holder = taken.get(at).copied().flatten();
        if holder.is_none_or(|other| augment(other, offers, takers, taken, visited)) {
            if let Some(slot) = taken.get_mut(at) {
                *slot = Some(k);
            }
            return true;
        }
    }
    false
}

fn judge(k: usize, offers: &[Offer], takers: &[Taker]) -> Refused {
    let Some(offer) = offers.get(k) else {
        return Refused { offer: k, why: Refusal::Shape, contenders: Vec::new() };
    };
    if takers.iter().any(|taker| fits(offer, taker)) {
        let bytes = offer.ty.bytes();
        let contenders = (0..offers.len()).filter(|&j| offers.get(j).map(|o| o.ty.bytes()) == Some(bytes.clone()));
        return Refused { offer: k, why: Refusal::NoOutputLeft, contenders: contenders.collect() };
    }
    let elements = offer.ty.shape.elements();
    if elements.is_some() && takers.iter().any(|taker| taker.ty.shape.elements() == elements) {
        return Refused { offer: k, why: Refusal::DType, contenders: Vec::new() };
    }
    let symbolic = |ty: &ArrayType| ty.bytes().is_some_and(|bytes| bytes.is_symbolic());
    // Numbers that differ are a shape that differs; symbols might be equal by chance.
    let might = takers.iter().any(|taker| {
        (symbolic(&offer.ty) || symbolic(&taker.ty))
            && differ_for_some_size_only(offer.ty.bytes().as_ref(), taker.ty.bytes().as_ref())
    });
    let why = if might { Refusal::NotProvable } else { Refusal::Shape };
    Refused { offer: k, why, contenders: Vec::new() }
}

/// Whether two polynomials are of one degree, so that the author may have meant them equal: `n + m` and `2 * n`.
fn differ_for_some_size_only(a: Option<&Size>, b: Option<&Size>) -> bool {
    let degree = |size: Option<&Size>| size.map(Size::degree);
    degree(a) == degree(b)
}
