//! Sets of value types, and which types a conversion may connect.

use super::ast::Conv;
use crate::ops::{Class, Op};
use crate::scalar::cast_rule;
use crate::types::{Kind, Scalar, Type};

/// A set of scalars and vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Set(u64);

const SCALARS: u32 = Scalar::ALL.len() as u32;

/// The type with this number.
fn ty(number: u32) -> Type {
    let scalar = Scalar::ALL[(number % SCALARS) as usize];
    match number / SCALARS {
        0 => Type::Scalar(scalar),
        more => Type::Vector(scalar, more as u8 + 1),
    }
}

impl Set {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self((1 << (4 * SCALARS)) - 1);
    pub(super) const SCALARS: Self = Self((1 << SCALARS) - 1);

    /// One type; nothing for what is no value.
    pub(super) fn one(ty: Type) -> Self {
        match ty {
            Type::Scalar(scalar) => Self(1 << scalar as u32),
            Type::Vector(scalar, lanes @ 2..=4) => Self(1 << (scalar as u32 + SCALARS * (u32::from(lanes) - 1))),
            Type::Error | Type::Bytes | Type::Vector(..) | Type::Array(_) | Type::Struct(_) => Self::NONE,
        }
    }

    /// The scalars of a class, and their vectors.
    pub(super) fn class(class: Class) -> Self {
        let scalars = class.members().fold(0u64, |set, scalar| set | 1 << scalar as u32);
        Self((0..4).fold(0, |set, lanes| set | scalars << (lanes * SCALARS)))
    }

    /// The scalars of a class, without vectors.
    pub(super) fn scalars(class: Class) -> Self {
        Self::class(class).and(Self::SCALARS)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn contains(self, ty: Type) -> bool {
        !self.and(Self::one(ty)).is_empty()
    }

    pub(super) fn types(self) -> impl Iterator<Item = Type> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let number = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (number < 4 * SCALARS).then(|| ty(number))
        })
    }

    /// The type, if there is exactly one.
    pub(super) fn only(self) -> Option<Type> {
        if self.0.count_ones() == 1 { self.types().next() } else { None }
    }

    /// The types that are related to one of these.
    pub(super) fn related(self, to: Self, relation: impl Fn(Type, Type) -> bool) -> Self {
        let mut found = Self::NONE;
        for b in to.types() {
            if self.types().any(|a| relation(a, b)) {
                found = found.or(Self::one(b));
            }
        }
        found
    }
}

/// Whether a conversion may lead from one type to another.
pub(super) fn converts(conv: Conv, from: Type, to: Type) -> bool {
    match conv {
        Conv::Cast => return cast_rule(from, to).is_some(),
        Conv::Bitcast => return Op::Bitcast.result(&[from], Some(to)).is_some(),
        _ => {}
    }
    let (Type::Scalar(a), Type::Scalar(b)) = (from, to) else { return false };
    let (signed, unsigned, float) = (Kind::Signed, Kind::Unsigned, Kind::Float);
    match conv {
        Conv::Trunc => a.is_int() && a.kind() == b.kind() && b.bits() < a.bits(),
        Conv::Zext => (a.kind(), b.kind()) == (unsigned, unsigned) && b.bits() > a.bits(),
        Conv::Sext => (a.kind(), b.kind()) == (signed, signed) && b.bits() > a.bits(),
        Conv::FpToSi => (a.kind(), b.kind()) == (float, signed),
        Conv::FpToUi => (a.kind(), b.kind()) == (float, unsigned),
        Conv::SiToFp => (a.kind(), b.kind()) == (signed, float),
        Conv::UiToFp => (a.kind(), b.kind()) == (unsigned, float),
        Conv::FpExt => (a.kind(), b.kind()) == (float, float) && b.bits() > a.bits(),
        Conv::FpTrunc => (a.kind(), b.kind()) == (float, float) && b.bits() < a.bits(),
        Conv::Cast | Conv::Bitcast => false,
    }
}

/// What a conversion without stated type gives by preference, the best first. One that has
/// no preference states its type, or uses decide it.
pub(super) fn preferred(conv: Conv, from: Type) -> Vec<Type> {
    let Some(lane) = from.lane() else { return Vec::new() };
    let of = |kind: Kind, bits: u32| Scalar::ALL.iter().copied().find(|s| s.kind() == kind && s.bits() == bits);
    let bits = lane.bits();
    let wanted = match conv {
        Conv::Bitcast => match lane.kind() {
            Kind::Float | Kind::Signed => vec![of(Kind::Unsigned, bits)],
            Kind::Unsigned => vec![of(Kind::Signed, bits)],
            Kind::Bool => Vec::new(),
        },
        Conv::Zext | Conv::Sext => vec![of(lane.kind(), 32.max(2 * bits)), of(lane.kind(), 2 * bits)],
        Conv::Trunc => vec![of(lane.kind(), bits / 2)],
        Conv::FpToSi => vec![of(Kind::Signed, 32.max(bits))],
        Conv::FpToUi => vec![of(Kind::Unsigned, 32.max(bits))],
        Conv::SiToFp | Conv::UiToFp => vec![of(Kind::Float, 32.max(bits)), of(Kind::Float, 32)],
        Conv::FpExt => vec![of(Kind::Float, 2 * bits)],
        Conv::FpTrunc => vec![of(Kind::Float, bits / 2)],
        Conv::Cast => Vec::new(),
    };
    wanted.into_iter().flatten().map(|scalar| from.with_lane(scalar)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_in_its_own_set_alone() {
        assert_eq!(Set::ALL.types().count(), 48);
        for ty in Set::ALL.types() {
            assert_eq!(Set::one(ty).only(), Some(ty));
            assert!(Set::ALL.contains(ty));
        }
    }

    #[test]
    fn conversions_join_the_types_that_they_are_for() {
        let from = |conv, ty| Set::one(ty).related(Set::ALL, |a, b| converts(conv, a, b)).types().collect::<Vec<_>>();
        assert_eq!(from(Conv::Zext, Type::Scalar(Scalar::U16)), [Type::U32, Type::U64]);
        assert_eq!(from(Conv::Zext, Type::I32), []);
        assert_eq!(from(Conv::Trunc, Type::U32), [Type::Scalar(Scalar::U8), Type::Scalar(Scalar::U16)]);
        assert_eq!(from(Conv::FpExt, Type::F32), [Type::Scalar(Scalar::F64)]);
        assert_eq!(from(Conv::Bitcast, Type::F32), [Type::I32, Type::U32, Type::F32]);
    }
}
