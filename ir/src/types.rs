//! Types of values and of memory, and their layout.
//!
//! Layout is that of `repr(C)`: natural alignment for scalars, a vector is its lanes
//! one after the other (a three-lane `f32` vector is 12 bytes and aligned to 4),
//! arrays have no padding beyond their element's, structs pad as C does.
//!
//! SSA values are scalars and vectors; arrays and structs describe memory.
//! [`Type::Error`] is what the builder gives a value whose operands did not fit;
//! the type check reports the cause once and is then silent about it.

use crate::arena::{Arena, Id};
use std::fmt;

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident $text:literal $bits:literal $kind:ident,)*) => {
        /// A scalar type.
        ///
        /// ```
        /// use samebits_ir::types::Scalar;
        /// assert_eq!(Scalar::from_name("u32"), Some(Scalar::U32));
        /// assert_eq!(Scalar::F16.size(), 2);
        /// assert_eq!((Scalar::I64.unsigned(), Scalar::U16.signed()), (Scalar::U64, Scalar::I16));
        /// assert_eq!(Scalar::I8.limits(), (-128, 127));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Scalar { $($(#[$doc])* $name,)* }

        impl Scalar {
            /// Every scalar type, in the order of their wire numbers.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text and in Rust.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The number of bits that a value has; `bool` has one.
            pub const fn bits(self) -> u32 {
                match self { $(Self::$name => $bits,)* }
            }

            /// What sort of number this is.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }
        }
    };
}

scalars! {
    /// `false` or `true`; a `u32` lane that is 0 or 1 when in memory.
    Bool "bool" 1 Bool,
    /// Signed 8-bit integer.
    I8 "i8" 8 Signed,
    /// Signed 16-bit integer.
    I16 "i16" 16 Signed,
    /// Signed 32-bit integer.
    I32 "i32" 32 Signed,
    /// Signed 64-bit integer.
    I64 "i64" 64 Signed,
    /// Unsigned 8-bit integer.
    U8 "u8" 8 Unsigned,
    /// Unsigned 16-bit integer.
    U16 "u16" 16 Unsigned,
    /// Unsigned 32-bit integer.
    U32 "u32" 32 Unsigned,
    /// Unsigned 64-bit integer; two `u32` lanes, low first, where a device has none.
    U64 "u64" 64 Unsigned,
    /// IEEE 754 binary16.
    F16 "f16" 16 Float,
    /// IEEE 754 binary32.
    F32 "f32" 32 Float,
    /// IEEE 754 binary64.
    F64 "f64" 64 Float,
}

/// The sort of number that a [`Scalar`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `bool`.
    Bool,
    /// Two's complement.
    Signed,
    /// Non-negative.
    Unsigned,
    /// IEEE 754 binary.
    Float,
}

impl Scalar {
    /// The scalar of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|s| s.name() == name)
    }

    /// Bytes in memory, which is also the alignment; `bool` takes 4.
    pub const fn size(self) -> u32 {
        match self {
            Self::Bool => 4,
            _ => self.bits() / 8,
        }
    }

    /// Whether this is a signed or unsigned integer.
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether this is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self.kind(), Kind::Signed)
    }

    /// Whether this is a float.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// The bits that a float has for its fraction.
    pub(crate) const fn fraction_bits(self) -> u32 {
        match self {
            Self::F16 => 10,
            Self::F32 => 23,
            _ => 52,
        }
    }

    /// What is added to a float's exponent where it is stored.
    pub(crate) const fn bias(self) -> i64 {
        (1 << (self.bits() - 2 - self.fraction_bits())) - 1
    }

    /// The bits of a float's exponent, all set: those of infinity.
    pub(crate) const fn infinity(self) -> u64 {
        (self.mask() >> 1) & !((1 << self.fraction_bits()) - 1)
    }

    /// The bits of 1.
    pub(crate) const fn one(self) -> u64 {
        if self.is_float() { (self.bias() as u64) << self.fraction_bits() } else { 1 }
    }

    /// The unsigned integer with as many bits; `u32` for `bool`, whose word in memory it is.
    pub const fn unsigned(self) -> Self {
        match self {
            Self::I8 | Self::U8 => Self::U8,
            Self::I16 | Self::U16 | Self::F16 => Self::U16,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => Self::U32,
            Self::I64 | Self::U64 | Self::F64 => Self::U64,
        }
    }

    /// The signed integer with as many bits.
    pub const fn signed(self) -> Self {
        match self.unsigned() {
            Self::U8 => Self::I8,
            Self::U16 => Self::I16,
            Self::U64 => Self::I64,
            _ => Self::I32,
        }
    }

    /// The least and the greatest number of an integer type or `bool`; of floats, those of
    /// their bits.
    pub const fn limits(self) -> (i128, i128) {
        let values = 1i128 << self.bits();
        if self.is_signed() { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
    }

    /// The bits that a value may have set.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

/// The declaration of a struct type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StructDef {
    /// The name in the source.
    pub name: String,
    /// Field names and types, in order.
    pub fields: Vec<(String, Type)>,
}

/// The declaration of an array type of fixed length.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayDef {
    /// The element.
    pub element: Type,
    /// The number of elements.
    pub len: u32,
}

/// A type. Arrays and structs live in a module's [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// The result of a mistake that has been, or will be, reported once.
    Error,
    /// A run of bytes of unknown length; it casts to itself only.
    Bytes,
    /// One number.
    Scalar(Scalar),
    /// Two to four lanes of one scalar type.
    Vector(Scalar, u8),
    /// A fixed number of equal elements; memory only.
    Array(Id<ArrayDef>),
    /// Named fields; memory only.
    Struct(Id<StructDef>),
}

impl Type {
    /// The type of conditions.
    pub const BOOL: Self = Self::Scalar(Scalar::Bool);
    /// The type of indices, lengths and ids.
    pub const U32: Self = Self::Scalar(Scalar::U32);
    /// Signed 32-bit integers.
    pub const I32: Self = Self::Scalar(Scalar::I32);
    /// Single-precision floats.
    pub const F32: Self = Self::Scalar(Scalar::F32);
    /// Unsigned 64-bit integers.
    pub const U64: Self = Self::Scalar(Scalar::U64);
    /// Two `u32` lanes.
    pub const VEC2_U32: Self = Self::Vector(Scalar::U32, 2);
    /// Four `u32` lanes.
    pub const VEC4_U32: Self = Self::Vector(Scalar::U32, 4);

    /// The scalar itself, or a vector's lane type.
    pub const fn lane(self) -> Option<Scalar> {
        match self {
            Self::Scalar(s) | Self::Vector(s, _) => Some(s),
            Self::Error | Self::Bytes | Self::Array(_) | Self::Struct(_) => None,
        }
    }

    /// The number of lanes of a scalar (1) or vector (2–4), otherwise 0.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Vector(_, n) => n as usize,
            Self::Error | Self::Bytes | Self::Array(_) | Self::Struct(_) => 0,
        }
    }

    /// A type with the same number of lanes, of another scalar.
    pub const fn with_lane(self, lane: Scalar) -> Self {
        match self {
            Self::Vector(_, n) => Self::Vector(lane, n),
            Self::Scalar(_) => Self::Scalar(lane),
            other => other,
        }
    }

    /// Whether a value of this type can be an SSA value.
    pub const fn is_value(self) -> bool {
        matches!(self, Self::Scalar(_) | Self::Vector(..))
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Self {
        Self::Scalar(scalar)
    }
}

/// How many regions may be inside each other, not counting a function's body, and how many
/// types. What walks over regions or types may therefore call itself.
pub const MAX_NESTING: usize = 64;

/// How many types a type may consist of when each use of another is written out. What
/// walks over a type may therefore follow every use.
pub const MAX_TYPE_PARTS: usize = 10_000;

/// The arrays and structs of a module, each stored once.
#[derive(Clone, Default, Debug)]
pub struct Types {
    /// The array types.
    pub arrays: Arena<ArrayDef>,
    /// The struct types.
    pub structs: Arena<StructDef>,
}

impl Types {
    /// The element of an array of any number of dimensions; every other type itself.
    pub(crate) fn innermost(&self, mut ty: Type) -> Type {
        while let Type::Array(id) = ty
            && let Some(def) = self.arrays.get(id)
        {
            ty = def.element;
        }
        ty
    }

    /// The array type of `len` elements.
    pub fn array(&mut self, element: Type, len: u32) -> Type {
        let def = ArrayDef { element, len };
        let found = self.arrays.iter().find(|(_, d)| **d == def).map(|(id, _)| id);
        Type::Array(found.unwrap_or_else(|| self.arrays.push(def)))
    }

    /// The struct type with this declaration.
    pub fn structure(&mut self, def: StructDef) -> Type {
        let found = self.structs.iter().find(|(_, d)| **d == def).map(|(id, _)| id);
        Type::Struct(found.unwrap_or_else(|| self.structs.push(def)))
    }

    /// Size and alignment in bytes; `None` where there is no size or it exceeds 32 bits, and
    /// for a type beyond the limits, such as one inside itself.
    pub fn layout(&self, ty: Type) -> Option<Layout> {
        self.layout_within(ty, MAX_NESTING, &mut { MAX_TYPE_PARTS })
    }

    /// The layout of a type of at most so many levels and parts.
    fn layout_within(&self, ty: Type, levels: usize, parts: &mut usize) -> Option<Layout> {
        *parts = parts.checked_sub(1)?;
        match ty {
            Type::Error | Type::Bytes => None,
            Type::Scalar(s) => Some(Layout { size: s.size(), align: s.size() }),
            Type::Vector(s, n) => Some(Layout { size: s.size() * u32::from(n), align: s.size() }),
            Type::Array(id) => {
                let def = self.arrays.get(id)?;
                let element = self.layout_within(def.element, levels.checked_sub(1)?, parts)?;
                Some(Layout { size: element.size.checked_mul(def.len)?, align: element.align })
            }
            Type::Struct(id) => {
                let def = self.structs.get(id)?;
                let levels = levels.checked_sub(1)?;
                let mut whole = Layout { size: 0, align: 1 };
                for (_, field) in &def.fields {
                    let field = self.layout_within(*field, levels, parts)?;
                    whole.align = whole.align.max(field.align);
                    whole.size = whole.size.checked_next_multiple_of(field.align)?;
                    whole.size = whole.size.checked_add(field.size)?;
                }
                whole.size = whole.size.checked_next_multiple_of(whole.align)?;
                Some(whole)
            }
        }
    }

    /// The byte offset of a struct's field.
    pub fn field_offset(&self, id: Id<StructDef>, field: usize) -> Option<u32> {
        let def = self.structs.get(id)?;
        let mut offset = 0u32;
        for (i, (_, ty)) in def.fields.iter().enumerate() {
            let layout = self.layout(*ty)?;
            offset = offset.checked_next_multiple_of(layout.align)?;
            if i == field {
                return Some(offset);
            }
            offset = offset.checked_add(layout.size)?;
        }
        None
    }

    /// The type as the text form and messages spell it. Nesting beyond the limit shows as `?`.
    pub fn display(&self, ty: Type) -> impl fmt::Display {
        self.display_within(ty, MAX_NESTING)
    }

    fn display_within(&self, ty: Type, levels: usize) -> String {
        match ty {
            Type::Error => "?".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::Scalar(s) => s.name().to_owned(),
            Type::Vector(s, n) => format!("vec{n}<{}>", s.name()),
            Type::Array(id) => match self.arrays.get(id).zip(levels.checked_sub(1)) {
                Some((def, levels)) => format!("[{}; {}]", self.display_within(def.element, levels), def.len),
                None => "?".to_owned(),
            },
            Type::Struct(id) => match self.structs.get(id) {
                Some(def) => def.name.clone(),
                None => "?".to_owned(),
            },
        }
    }
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes from one element to the next.
    pub size: u32,
    /// What offsets are a multiple of.
    pub align: u32,
}
