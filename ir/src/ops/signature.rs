//! The types that an op takes and gives.
//!
//! Most ops work lane by lane: their types follow from the leading operand's, part by
//! part, so that a new shape of op is a new list and no new case anywhere.

use crate::types::{Scalar, Type};

/// A set of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class(u16);

impl Class {
    /// Signed integers.
    pub const SIGNED: Self = Self::of(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
    /// Unsigned integers.
    pub const UNSIGNED: Self = Self::of(&[Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64]);
    /// Integers.
    pub const INT: Self = Self::SIGNED.or(Self::UNSIGNED);
    /// Floats.
    pub const FLOAT: Self = Self::of(&[Scalar::F16, Scalar::F32, Scalar::F64]);
    /// Integers and floats.
    pub const NUM: Self = Self::INT.or(Self::FLOAT);
    /// Signed integers and floats.
    pub const NEGATABLE: Self = Self::SIGNED.or(Self::FLOAT);
    /// `bool`.
    pub const BOOL: Self = Self::of(&[Scalar::Bool]);
    /// Floats with constants of their own for angles.
    pub(super) const WIDE_FLOAT: Self = Self::of(&[Scalar::F32, Scalar::F64]);
    /// Floats of at most 32 bits.
    pub(super) const SMALL_FLOAT: Self = Self::of(&[Scalar::F16, Scalar::F32]);
    /// Integers and `bool`.
    pub const BITS: Self = Self::INT.or(Self::of(&[Scalar::Bool]));
    /// Integers, floats and `bool`.
    pub const ORDERED: Self = Self::NUM.or(Self::of(&[Scalar::Bool]));
    /// Every scalar.
    pub const ANY: Self = Self::of(Scalar::ALL);

    pub(super) const fn of(scalars: &[Scalar]) -> Self {
        let (mut set, mut i) = (0, 0);
        while i < scalars.len() {
            set |= 1 << scalars[i] as u16;
            i += 1;
        }
        Self(set)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the scalar belongs to the class.
    pub const fn contains(self, scalar: Scalar) -> bool {
        self.0 & 1 << scalar as u16 != 0
    }

    /// The scalars of the class.
    pub fn members(self) -> impl Iterator<Item = Scalar> {
        Scalar::ALL.iter().copied().filter(move |&s| self.contains(s))
    }
}

/// The type of an operand or of the result of an op that works lane by lane, relative to
/// the type `T` of the leading operand. On vectors each is a vector as long as `T`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// `T`.
    Same,
    /// The unsigned integer as wide as `T`.
    Unsigned,
    /// `u32`.
    U32,
    /// `i32`.
    I32,
    /// `bool`.
    Bool,
}

impl Part {
    /// The type, for a leading operand of this one.
    ///
    /// ```
    /// use samebits_ir::{ops::Part, types::{Scalar, Type}};
    /// assert_eq!(Part::U32.of(Type::Vector(Scalar::F16, 3)), Type::Vector(Scalar::U32, 3));
    /// ```
    pub fn of(self, first: Type) -> Type {
        match self {
            Self::Same => first,
            Self::Unsigned => first.with_lane(first.lane().map_or(Scalar::U32, Scalar::unsigned)),
            Self::U32 => first.with_lane(Scalar::U32),
            Self::I32 => first.with_lane(Scalar::I32),
            Self::Bool => first.with_lane(Scalar::Bool),
        }
    }
}

/// The operands and result of an op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signature {
    /// Lane by lane: `T` is a scalar of the class or a vector of it. The first of the
    /// operands is always [`Part::Same`].
    Lanes(Class, &'static [Part], Part),
    /// These types and no others.
    Fixed(&'static [Type], Type),
    /// `(bool, T, T) -> T` for any value type
    Select,
    /// `(T) -> U`, the result type is part of the instruction; see `scalar::cast_rule`
    Cast,
    /// `(T) -> U` of the same number of bits, the result type is part of the instruction
    Bitcast,
    /// two to four scalars `T` to their vector
    Construct,
    /// `(vector of T, u32) -> T`
    Extract,
    /// `(vector of T, u32, T) -> vector of T`
    Insert,
    /// `(vector of bool) -> bool`
    Reduce,
}

/// Two lanes of `f32`.
const VEC2_F32: Type = Type::Vector(Scalar::F32, 2);
/// Four lanes of `f32`.
const VEC4_F32: Type = Type::Vector(Scalar::F32, 4);

impl Signature {
    pub(super) const PACK2: Self = Self::Fixed(&[VEC2_F32], Type::U32);
    pub(super) const PACK4: Self = Self::Fixed(&[VEC4_F32], Type::U32);
    pub(super) const UNPACK2: Self = Self::Fixed(&[Type::U32], VEC2_F32);
    pub(super) const UNPACK4: Self = Self::Fixed(&[Type::U32], VEC4_F32);
    pub(super) const DOT_SIGNED: Self = Self::Fixed(&[Type::U32, Type::U32, Type::I32], Type::I32);
    pub(super) const DOT_UNSIGNED: Self = Self::Fixed(&[Type::U32, Type::U32, Type::U32], Type::U32);
    pub(super) const NARROW: Self = Self::Fixed(&[Type::F32], Type::Scalar(Scalar::F16));
    pub(super) const TO_BFLOAT: Self = Self::Fixed(&[Type::F32], Type::Scalar(Scalar::U16));
    pub(super) const FROM_BFLOAT: Self = Self::Fixed(&[Type::Scalar(Scalar::U16)], Type::F32);

    /// `(T) -> T`
    pub(super) const fn unary(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same], Part::Same)
    }

    /// `(T, T) -> T`
    pub(super) const fn binary(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same; 2], Part::Same)
    }

    /// `(T, T, T) -> T`
    pub(super) const fn ternary(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same; 3], Part::Same)
    }

    /// `(T, T) -> bool`
    pub(super) const fn compare(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same; 2], Part::Bool)
    }

    /// `(T) -> bool`
    pub(super) const fn test(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same], Part::Bool)
    }

    /// `(T) -> u32`
    pub(super) const fn count(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same], Part::U32)
    }

    /// `(T) -> i32`
    pub(super) const fn position(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same], Part::I32)
    }

    /// `(T) -> ` the unsigned integer of the same width
    pub(super) const fn magnitude(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same], Part::Unsigned)
    }

    /// `(T, T) -> ` the unsigned integer of the same width
    pub(super) const fn distance(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same; 2], Part::Unsigned)
    }

    /// `(T, u32) -> T`
    pub(super) const fn shift(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::U32], Part::Same)
    }

    /// `(T, T, u32) -> T`
    pub(super) const fn funnel(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::Same, Part::U32], Part::Same)
    }

    /// `(T, u32) -> bool`
    pub(super) const fn probe(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::U32], Part::Bool)
    }

    /// `(T, i32) -> T`
    pub(super) const fn scale(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::I32], Part::Same)
    }

    /// `(T, u32, u32) -> T`
    pub(super) const fn field(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::U32, Part::U32], Part::Same)
    }

    /// `(T, T, u32, u32) -> T`
    pub(super) const fn deposit(class: Class) -> Self {
        Self::Lanes(class, &[Part::Same, Part::Same, Part::U32, Part::U32], Part::Same)
    }

    /// The fewest and the most operands.
    pub const fn arity(self) -> (usize, usize) {
        match self {
            Self::Lanes(_, parts, _) => (parts.len(), parts.len()),
            Self::Fixed(types, _) => (types.len(), types.len()),
            Self::Cast | Self::Bitcast | Self::Reduce => (1, 1),
            Self::Extract => (2, 2),
            Self::Select | Self::Insert => (3, 3),
            Self::Construct => (2, 4),
        }
    }

    /// Whether the result type must be stated because the operands do not decide it.
    pub const fn states_result(self) -> bool {
        matches!(self, Self::Cast | Self::Bitcast)
    }

    /// The scalars that the leading operand may have, or its lanes.
    pub fn class(self) -> Class {
        match self {
            Self::Lanes(class, ..) => class,
            Self::Fixed(types, _) => {
                types.first().and_then(|ty| ty.lane()).map_or(Class::ANY, |lane| Class::of(&[lane]))
            }
            Self::Reduce => Class::BOOL,
            Self::Select | Self::Cast | Self::Bitcast | Self::Construct | Self::Extract | Self::Insert => Class::ANY,
        }
    }

    /// The operand types and the result type for a leading operand of this type, where the
    /// leading operand decides them.
    ///
    /// ```
    /// use samebits_ir::{ops::Op, types::Type};
    /// let (operands, result) = Op::Shl.info().signature.types(Type::I32).unwrap();
    /// assert_eq!((operands, result), (vec![Type::I32, Type::U32], Type::I32));
    /// ```
    pub fn types(self, first: Type) -> Option<(Vec<Type>, Type)> {
        let lane = first.lane()?;
        match self {
            Self::Lanes(class, parts, result) => {
                let operands = parts.iter().map(|part| part.of(first)).collect();
                class.contains(lane).then(|| (operands, result.of(first)))
            }
            Self::Fixed(types, result) => (types.first() == Some(&first)).then(|| (types.to_vec(), result)),
            Self::Extract => matches!(first, Type::Vector(..)).then(|| (vec![first, Type::U32], Type::Scalar(lane))),
            Self::Insert => {
                matches!(first, Type::Vector(..)).then(|| (vec![first, Type::U32, Type::Scalar(lane)], first))
            }
            Self::Reduce => matches!(first, Type::Vector(Scalar::Bool, _)).then(|| (vec![first], Type::BOOL)),
            Self::Select | Self::Cast | Self::Bitcast | Self::Construct => None,
        }
    }
}
