//! Element types, and one element as bits.

/// The element type of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DType {
    /// One byte, 0 or 1.
    Bool,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// IEEE half.
    F16,
    /// Upper half of an `f32`.
    Bf16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
}

impl DType {
    /// All of them, in the order of the language guide.
    pub const ALL: [Self; 9] =
        [Self::Bool, Self::U8, Self::U32, Self::I32, Self::I64, Self::F16, Self::Bf16, Self::F32, Self::F64];

    /// Bytes of one element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    /// The name in programs: `f32`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The dtype of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// `f16 bf16 f32 f64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// `u8 u32 i32 i64`.
    #[must_use]
    pub const fn is_int(self) -> bool {
        matches!(self, Self::U8 | Self::U32 | Self::I32 | Self::I64)
    }

    /// `i32 i64`.
    #[must_use]
    pub const fn is_signed_int(self) -> bool {
        matches!(self, Self::I32 | Self::I64)
    }
}

impl std::fmt::Display for DType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One element: its dtype and its bits, zero-extended to 64.
///
/// Equality is of bits, so that `-0.0 != 0.0` and a NaN equals itself: what a compiler must keep apart stays apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    /// Element type.
    pub dtype: DType,
    /// The element's bits in the low bytes, zero above.
    pub bits: u64,
}

impl Literal {
    /// An element of these bits.
    #[must_use]
    pub const fn new(dtype: DType, bits: u64) -> Self {
        Self { dtype, bits }
    }

    /// `value` rounded to a float dtype (once), or converted as a cast does: saturating, NaN to 0.
    #[must_use]
    pub fn from_f64(dtype: DType, value: f64) -> Self {
        let bits = match dtype {
            DType::Bool => u64::from(value != 0.0),
            DType::U8 => u64::from(value as u8),
            DType::U32 => u64::from(value as u32),
            DType::I32 => u64::from((value as i32) as u32),
            DType::I64 => (value as i64) as u64,
            DType::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            DType::Bf16 => u64::from(half::bf16::from_f64(value).to_bits()),
            DType::F32 => u64::from((value as f32).to_bits()),
            DType::F64 => value.to_bits(),
        };
        Self { dtype, bits }
    }

    /// `value` wrapped to an int dtype, or rounded to a float dtype.
    #[must_use]
    pub fn from_i64(dtype: DType, value: i64) -> Self {
        let bits = match dtype {
            DType::Bool => u64::from(value != 0),
            DType::U8 => u64::from(value as u8),
            DType::U32 | DType::I32 => u64::from(value as u32),
            DType::I64 => value as u64,
            DType::F32 => u64::from((value as f32).to_bits()),
            DType::F64 => (value as f64).to_bits(),
            // By way of f32, as the kernels do.
            DType::F16 => u64::from(half::f16::from_f32(value as f32).to_bits()),
            DType::Bf16 => u64::from(half::bf16::from_f32(value as f32).to_bits()),
        };
        Self { dtype, bits }
    }

    /// A `bool` element.
    #[must_use]
    pub const fn from_bool(value: bool) -> Self {
        Self { dtype: DType::Bool, bits: value as u64 }
    }

    /// The value as `f64`: exact for all dtypes but large 64-bit integers.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        match self.dtype {
            DType::F16 => half::f16::from_bits(self.bits as u16).to_f64(),
            DType::Bf16 => half::bf16::from_bits(self.bits as u16).to_f64(),
            DType::F32 => f64::from(f32::from_bits(self.bits as u32)),
            DType::F64 => f64::from_bits(self.bits),
            _ => self.to_i64() as f64,
        }
    }

    /// The value of an int or bool as `i64`; floats are cut off, saturating, NaN to 0.
    #[must_use]
    pub fn to_i64(self) -> i64 {
        match self.dtype {
            DType::Bool | DType::U8 | DType::U32 => self.bits as i64,
            DType::I32 => i64::from(self.bits as u32 as i32),
            DType::I64 => self.bits as i64,
            _ => self.to_f64() as i64,
        }
    }

    /// Whether it is not zero.
    #[must_use]
    pub fn to_bool(self) -> bool {
        if self.dtype.is_float() { self.to_f64() != 0.0 } else { self.bits != 0 }
    }
}

impl std::fmt::Debug for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Literal {
    /// `0.99`, `-0.0`, `7`, `true`; `nan(0x7fc00001)` where the value alone would lose bits.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.dtype {
            DType::Bool => write!(f, "{}", self.bits != 0),
            DType::U8 | DType::U32 | DType::I32 | DType::I64 => write!(f, "{}", self.to_i64()),
            _ if self.to_f64().is_nan() => write!(f, "nan(0x{:x})", self.bits),
            DType::F32 => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            _ => write!(f, "{:?}", self.to_f64()),
        }
    }
}
