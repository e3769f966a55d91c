//! Types of PTX and which registers agree with which instructions.
//!
//! Invariant: a value in a register is kept zero-extended from the width of its type; signs are extended on use.

/// What the bits stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Untyped.
    Bits,
    /// Unsigned integer.
    Unsigned,
    /// Signed integer.
    Signed,
    /// Floating point.
    Float,
    /// True or false.
    Predicate,
}

/// A fundamental type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    /// What the bits stand for.
    pub(crate) class: Class,
    /// How many; 1 for predicates.
    pub(crate) bits: u32,
}

impl Type {
    /// The type that is written `text`, without its dot.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text == "pred" {
            return Some(Self { class: Class::Predicate, bits: 1 });
        }
        let (letter, width) = text.split_at_checked(1)?;
        let class = match letter {
            "b" => Class::Bits,
            "u" => Class::Unsigned,
            "s" => Class::Signed,
            "f" => Class::Float,
            _ => return None,
        };
        let bits = match width {
            "8" if class != Class::Float => 8,
            "16" if class != Class::Float => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        Some(Self { class, bits })
    }

    /// Bytes in memory.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.bits / 8)
    }

    /// Whether it is a signed or unsigned integer.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self.class, Class::Signed | Class::Unsigned)
    }

    /// Whether it is a floating-point number.
    pub(crate) fn is_float(self) -> bool {
        self.class == Class::Float
    }

    /// Whether a register of this type may stand where an instruction works on `wanted`: same width, and untyped bits
    /// go with anything but a predicate.
    pub(crate) fn agrees(self, wanted: Self) -> bool {
        if self.bits != wanted.bits {
            return false;
        }
        match (self.class, wanted.class) {
            (Class::Predicate, other) | (other, Class::Predicate) => other == Class::Predicate,
            (Class::Bits, _) | (_, Class::Bits) => true,
            (Class::Float, other) | (other, Class::Float) => other == Class::Float,
            _ => true,
        }
    }

    /// The same for loads, stores and conversions, whose registers may be wider than their (integer or untyped) type.
    pub(crate) fn holds(self, wanted: Self) -> bool {
        let widened = Self { class: wanted.class, bits: self.bits };
        self.agrees(wanted)
            || (!wanted.is_float() && !self.is_float() && self.bits > wanted.bits && self.agrees(widened))
    }
}

/// The low `bits` bits of `value`.
pub(crate) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The low `bits` bits of `value` as a signed number.
pub(crate) fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}
