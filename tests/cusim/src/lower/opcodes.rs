//! The table of opcodes: which modifiers and operands each takes, and what it becomes.
//!
//! Invariant: all modifiers of an opcode are matched in the order in which PTX writes them; a missing `.rn` is refused,
//! since the driver may contract unmarked multiplications and additions.

use super::{Scope, predicate};
use crate::op::{Alu, Comparison, FloatOp, IntOp, Joined, Op, Rounding, ShuffleMode, Space};
use crate::parse::{Operand, Statement};
use crate::types::{Class, Type};

impl Scope<'_> {
    pub(super) fn operation(&mut self, statement: &Statement) -> Result<Op, String> {
        let parts: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
        let operands = statement.operands.as_slice();
        let unknown = || format!("`{}` is not known in this form", parts.join("."));
        let (&head, modifiers) = parts.split_first().ok_or_else(unknown)?;
        let op = match (head, modifiers) {
            ("bra", []) => self.branch(operands, false)?,
            ("bra", ["uni"]) => self.branch(operands, true)?,
            ("bar", ["sync"]) if operands == [Operand::Integer(0)] => Some(Op::Barrier),
            ("ret", []) if operands.is_empty() => Some(Op::Return),
            ("trap", []) if operands.is_empty() => Some(Op::Trap),
            ("ld" | "st", _) => self.access(head, modifiers, operands)?,
            ("mov", [of]) => match Type::parse(of) {
                Some(of) if of.bits != 8 => self.moved(of, operands)?,
                _ => None,
            },
            ("setp", _) => self.compare(modifiers, operands)?,
            ("selp", [of]) => self.select(of, operands)?,
            ("cvt", _) => self.convert(modifiers, operands)?,
            ("shfl", ["sync", mode, "b32"]) => self.shuffle(mode, operands)?,
            _ => self.arithmetic(head, modifiers, operands)?,
        };
        op.ok_or_else(unknown)
    }

    fn branch(&mut self, operands: &[Operand], uniform: bool) -> Result<Option<Op>, String> {
        let [Operand::Name(label)] = operands else { return Ok(None) };
        Ok(Some(Op::Branch { target: self.label(label)?, uniform }))
    }

    fn arithmetic(&mut self, head: &str, modifiers: &[&str], operands: &[Operand]) -> Result<Option<Op>, String> {
        let Some((of, modifiers)) = modifiers.split_last() else { return Ok(None) };
        let Some(of) = Type::parse(of) else { return Ok(None) };
        if of.is_float() {
            return self.float(head, modifiers, of, operands);
        }
        self.integer(head, modifiers, of, operands)
    }

    fn float(&mut self, head: &str, modifiers: &[&str], of: Type, operands: &[Operand]) -> Result<Option<Op>, String> {
        let (op, count) = match (head, modifiers) {
            ("add", ["rn"]) => (FloatOp::Add, 2),
            ("sub", ["rn"]) => (FloatOp::Sub, 2),
            ("mul", ["rn"]) => (FloatOp::Mul, 2),
            ("div", ["rn"]) => (FloatOp::Div, 2),
            ("fma", ["rn"]) => (FloatOp::Fma, 3),
            ("sqrt", ["rn"]) => (FloatOp::Sqrt, 1),
            ("neg", []) => (FloatOp::Neg, 1),
            ("abs", []) => (FloatOp::Abs, 1),
            ("min", []) => (FloatOp::Min, 2),
            ("max", []) => (FloatOp::Max, 2),
            // Only f32 has them.
            ("min", ["NaN"]) if of.bits == 32 => (FloatOp::MinNan, 2),
            ("max", ["NaN"]) if of.bits == 32 => (FloatOp::MaxNan, 2),
            ("copysign", []) => (FloatOp::CopySign, 2),
            _ => return Ok(None),
        };
        let alu = if of.bits == 32 { Alu::Float32(op) } else { Alu::Float64(op) };
        self.compute(alu, of, &[of, of, of][..count], operands)
    }

    fn integer(
        &mut self,
        head: &str,
        modifiers: &[&str],
        of: Type,
        operands: &[Operand],
    ) -> Result<Option<Op>, String> {
        let number = of.is_integer() && of.bits >= 16;
        let is_signed = of.class == Class::Signed;
        let untyped = of.class == Class::Bits && of.bits >= 16;
        let counted = untyped && of.bits >= 32;
        let unsigned32 = Type { class: Class::Unsigned, bits: 32 };
        let twice = Type { class: of.class, bits: 2 * of.bits };
        let (two, three) = ([of, of], [of, of, of]);
        let (op, to, sources): (IntOp, Type, &[Type]) = match (head, modifiers) {
            ("add", []) if number => (IntOp::Add, of, &two),
            ("sub", []) if number => (IntOp::Sub, of, &two),
            ("mul", ["lo"]) if number => (IntOp::MulLow, of, &two),
            ("mul", ["hi"]) if number => (IntOp::MulHigh, of, &two),
            ("mul", ["wide"]) if number && of.bits <= 32 => (IntOp::MulWide, twice, &two),
            ("mad", ["lo"]) if number => (IntOp::MadLow, of, &three),
            ("mad", ["wide"]) if number && of.bits <= 32 => (IntOp::MadWide, twice, &[of, of, twice]),
            ("div", []) if number => (IntOp::Div, of, &two),
            ("rem", []) if number => (IntOp::Rem, of, &two),
            ("neg", []) if number && is_signed => (IntOp::Neg, of, &[of]),
            ("abs", []) if number && is_signed => (IntOp::Abs, of, &[of]),
            ("min", []) if number => (IntOp::Min, of, &two),
            ("max", []) if number => (IntOp::Max, of, &two),
            ("and", []) if untyped || of.class == Class::Predicate => (IntOp::And, of, &two),
            ("or", []) if untyped || of.class == Class::Predicate => (IntOp::Or, of, &two),
            ("xor", []) if untyped || of.class == Class::Predicate => (IntOp::Xor, of, &two),
            ("not", []) if untyped || of.class == Class::Predicate => (IntOp::Not, of, &[of]),
            ("shl", []) if untyped => (IntOp::ShiftLeft, of, &[of, unsigned32]),
            ("shr", []) if untyped || number => (IntOp::ShiftRight, of, &[of, unsigned32]),
            ("clz", []) if counted => (IntOp::LeadingZeros, unsigned32, &[of]),
            ("popc", []) if counted => (IntOp::Population, unsigned32, &[of]),
            ("brev", []) if counted => (IntOp::Reverse, of, &[of]),
            _ => return Ok(None),
        };
        self.compute(Alu::Int { op, signed: is_signed, bits: of.bits }, to, sources, operands)
    }

    /// An operation from its operands' types.
    fn compute(&mut self, alu: Alu, to: Type, sources: &[Type], operands: &[Operand]) -> Result<Option<Op>, String> {
        let Some((target, rest)) = operands.split_first() else { return Ok(None) };
        if rest.len() != sources.len() {
            return Err(format!("{} operands are given, {} are needed", operands.len(), sources.len() + 1));
        }
        let to = self.target(target, to)?;
        let mut regs = Vec::new();
        for (operand, of) in rest.iter().zip(sources) {
            regs.push(self.source(operand, *of)?);
        }
        let Some(&a) = regs.first() else { return Ok(None) };
        let (b, c) = (regs.get(1).copied().unwrap_or(a), regs.get(2).copied().unwrap_or(a));
        Ok(Some(Op::Compute { alu, to, a, b, c }))
    }

    fn moved(&mut self, of: Type, operands: &[Operand]) -> Result<Option<Op>, String> {
        let [to, from] = operands else { return Ok(None) };
        match (to, from) {
            (Operand::Vector(parts), Operand::Name(from)) => {
                let Some(part) = part_of(of, parts) else { return Ok(None) };
                let from = self.register(from, of)?;
                let to = self.parts(parts, part)?;
                return Ok(Some(Op::Unpack { to, from, bits: part.bits }));
            }
            (Operand::Name(to), Operand::Vector(parts)) => {
                let Some(part) = part_of(of, parts) else { return Ok(None) };
                let to = self.register(to, of)?;
                let from = self.parts(parts, part)?;
                return Ok(Some(Op::Pack { to, from, bits: part.bits }));
            }
            _ => {}
        }
        let to = self.target(to, of)?;
        let from = match from {
            Operand::Name(name) if name.starts_with('%') && !self.registers.contains_key(name.as_str()) => {
                if of.bits != 32 || of.is_float() {
                    return Err("special registers are 32-bit integers".to_owned());
                }
                self.special(name).ok_or_else(|| format!("`{name}` is not known"))?
            }
            Operand::Name(name) if self.symbols.contains_key(name) => {
                if of.bits < 32 || of.is_float() {
                    return Err("an address does not fit here".to_owned());
                }
                let at = self.symbols.get(name).copied().unwrap_or_default();
                self.constant(at)
            }
            _ => self.source(from, of)?,
        };
        Ok(Some(Op::Compute { alu: Alu::Move, to, a: from, b: from, c: from }))
    }

    fn parts(&self, names: &[String], of: Type) -> Result<Vec<usize>, String> {
        names.iter().map(|name| self.register(name, of)).collect()
    }

    fn compare(&mut self, modifiers: &[&str], operands: &[Operand]) -> Result<Option<Op>, String> {
        let (name, joined, of) = match modifiers {
            [name, of] => (name, Joined::Alone, of),
            [name, "and", of] => (name, Joined::And, of),
            [name, "or", of] => (name, Joined::Or, of),
            [name, "xor", of] => (name, Joined::Xor, of),
            _ => return Ok(None),
        };
        let Some(of) = Type::parse(of).filter(|of| of.bits >= 16) else { return Ok(None) };
        let Some(comparison) = comparison(name, of) else { return Ok(None) };
        let (operands, other, negated) = match (joined, operands) {
            (Joined::Alone, [_, _, _]) => (operands, None, false),
            (Joined::Alone, _) => return Ok(None),
            (_, [_, _, _, Operand::Name(other)]) => (operands.split_at(3).0, Some(other), false),
            (_, [_, _, _, Operand::Negated(other)]) => (operands.split_at(3).0, Some(other), true),
            _ => return Ok(None),
        };
        let other = match other {
            Some(other) => Some(self.register(other, predicate())?),
            None => None,
        };
        let alu = Alu::Compare { comparison, of, joined, negated };
        Ok(match (self.compute(alu, predicate(), &[of, of], operands)?, other) {
            (Some(Op::Compute { alu, to, a, b, .. }), Some(c)) => Some(Op::Compute { alu, to, a, b, c }),
            (op, _) => op,
        })
    }

    fn select(&mut self, of: &str, operands: &[Operand]) -> Result<Option<Op>, String> {
        let Some(of) = Type::parse(of).filter(|of| of.bits >= 16) else { return Ok(None) };
        let [to, a, b, Operand::Name(condition)] = operands else { return Ok(None) };
        let to = self.target(to, of)?;
        let (a, b) = (self.source(a, of)?, self.source(b, of)?);
        Ok(Some(Op::Select { to, a, b, condition: self.register(condition, predicate())? }))
    }

    fn convert(&mut self, modifiers: &[&str], operands: &[Operand]) -> Result<Option<Op>, String> {
        let (rounding, to, from) = match modifiers {
            [to, from] => (None, to, from),
            [rounding, to, from] => (Some(*rounding), to, from),
            _ => return Ok(None),
        };
        let (Some(to), Some(from)) = (Type::parse(to), Type::parse(from)) else { return Ok(None) };
        let numbers = [to, from].iter().all(|of| of.is_integer() || of.is_float());
        // To an integer, or to one within the same floating-point format: the roundings that end in `i`.
        let integral = from.is_float() && (!to.is_float() || to == from);
        let rounds = integral || (to.is_float() && !from.is_float()) || (to.is_float() && to.bits < from.bits);
        if !numbers || rounds != rounding.is_some() {
            return Ok(None);
        }
        let rounding = match rounding {
            None => None,
            Some("rni") if integral => Some(Rounding::Nearest),
            Some("rzi") if integral => Some(Rounding::Zero),
            Some("rmi") if integral => Some(Rounding::Minus),
            Some("rpi") if integral => Some(Rounding::Plus),
            Some("rn") if !integral => Some(Rounding::Nearest),
            Some("rz") if !integral => Some(Rounding::Zero),
            Some("rm") if !integral => Some(Rounding::Minus),
            Some("rp") if !integral => Some(Rounding::Plus),
            Some(_) => return Ok(None),
        };
        let [Operand::Name(target), Operand::Name(source)] = operands else { return Ok(None) };
        let (target, width) = self.holder(target, to)?;
        let (source, _) = self.holder(source, from)?;
        let alu = Alu::Convert { to, from, rounding, width };
        Ok(Some(Op::Compute { alu, to: target, a: source, b: source, c: source }))
    }

    fn access(&mut self, head: &str, modifiers: &[&str], operands: &[Operand]) -> Result<Option<Op>, String> {
        let (space, count, of) = match modifiers {
            [space, of] => (space, 1, of),
            [space, "v2", of] => (space, 2, of),
            [space, "v4", of] => (space, 4, of),
            _ => return Ok(None),
        };
        let Some(of) = Type::parse(of).filter(|of| of.class != Class::Predicate) else { return Ok(None) };
        if of.bits * count > 128 {
            return Err("an access moves 16 bytes at most".to_owned());
        }
        if *space == "param" {
            return self.parameter(head, count, of, operands);
        }
        let space = match *space {
            "global" => Space::Global,
            "shared" => Space::Shared,
            _ => return Ok(None),
        };
        let (data, address) = match (head, operands) {
            ("ld", [data, address]) | ("st", [address, data]) => (data, address),
            _ => return Ok(None),
        };
        let (base, offset) = self.address(address, space == Space::Global)?;
        let names = match data {
            Operand::Name(name) if count == 1 => std::slice::from_ref(name),
            Operand::Vector(names) if names.len() == count as usize && count > 1 => names.as_slice(),
            _ if head == "st" && count == 1 && of.bits > 8 => {
                let value = self.source(data, of)?;
                return Ok(Some(Op::Store { space, of, from: vec![value], base, offset }));
            }
            _ => return Ok(None),
        };
        let mut regs = Vec::new();
        let mut widths = None;
        for name in names {
            let (reg, width) = self.holder(name, of)?;
            if *widths.get_or_insert(width) != width || (head == "ld" && regs.contains(&reg)) {
                return Err("the registers of a vector are distinct and of one width".to_owned());
            }
            regs.push(reg);
        }
        let widths = widths.unwrap_or(of.bits);
        Ok(Some(match head {
            "ld" => Op::Load { space, of, to: regs, widths, base, offset },
            _ => Op::Store { space, of, from: regs, base, offset },
        }))
    }

    fn parameter(&mut self, head: &str, count: u32, of: Type, operands: &[Operand]) -> Result<Option<Op>, String> {
        let ("ld", 1, 64, [to, Operand::Address { base, offset: 0 }]) = (head, count, of.bits, operands) else {
            return Ok(None);
        };
        let Some(index) = self.entry.params.iter().position(|name| name == base) else {
            return Err(format!("`{base}` is no parameter"));
        };
        Ok(Some(Op::Parameter { to: self.target(to, of)?, index }))
    }

    fn shuffle(&mut self, mode: &str, operands: &[Operand]) -> Result<Option<Op>, String> {
        let mode = match mode {
            "up" => ShuffleMode::Up,
            "down" => ShuffleMode::Down,
            "bfly" => ShuffleMode::Butterfly,
            "idx" => ShuffleMode::Index,
            _ => return Ok(None),
        };
        let bits = Type { class: Class::Bits, bits: 32 };
        let [to, value, lane, clamp, Operand::Integer(mask)] = operands else { return Ok(None) };
        let (to, valid) = match to {
            Operand::Name(to) => (self.register(to, bits)?, None),
            Operand::Pair(to, valid) => (self.register(to, bits)?, Some(self.register(valid, predicate())?)),
            _ => return Ok(None),
        };
        let mask = super::literal(&Operand::Integer(*mask), bits)? as u32;
        let Operand::Name(value) = value else { return Ok(None) };
        let value = self.register(value, bits)?;
        let (lane, clamp) = (self.source(lane, bits)?, self.source(clamp, bits)?);
        Ok(Some(Op::Shuffle { mode, to, valid, value, lane, clamp, mask }))
    }
}

/// The type of the parts that a register of type `of` is made of.
fn part_of(of: Type, parts: &[String]) -> Option<Type> {
    let bits = match (of.class, of.bits, parts.len()) {
        (Class::Bits, 32 | 64, 2) => of.bits / 2,
        (Class::Bits, 64, 4) => 16,
        _ => return None,
    };
    Some(Type { class: Class::Bits, bits })
}

fn comparison(name: &str, of: Type) -> Option<Comparison> {
    let make = |less, equal, greater, unordered| Some(Comparison { equal, less, greater, unordered });
    match name {
        "eq" => return make(false, true, false, false),
        // An ordered "not equal" for floats is false on NaN.
        "ne" => return make(true, false, true, false),
        "lt" if of.class != Class::Bits => return make(true, false, false, false),
        "le" if of.class != Class::Bits => return make(true, true, false, false),
        "gt" if of.class != Class::Bits => return make(false, false, true, false),
        "ge" if of.class != Class::Bits => return make(false, true, true, false),
        _ => {}
    }
    if of.class == Class::Unsigned {
        return match name {
            "lo" => make(true, false, false, false),
            "ls" => make(true, true, false, false),
            "hi" => make(false, false, true, false),
            "hs" => make(false, true, true, false),
            _ => None,
        };
    }
    if !of.is_float() {
        return None;
    }
    match name {
        "equ" => make(false, true, false, true),
        "neu" => make(true, false, true, true),
        "ltu" => make(true, false, false, true),
        "leu" => make(true, true, false, true),
        "gtu" => make(false, false, true, true),
        "geu" => make(false, true, true, true),
        "num" => make(true, true, true, false),
        "nan" => make(false, false, false, true),
        _ => None,
    }
}
