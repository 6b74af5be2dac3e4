//! Values that are known while a kernel is compiled: integers with their types, and the bits of
//! constants.
//!
//! Integers are computed as rustc would: in their type, where an overflow has no value. A
//! literal without a suffix has any type.

use crate::infer::Ty;
use samebits_ir::types::Scalar;
use std::rc::Rc;

/// The bits of the scalars that a value is made of, in order.
pub type Bits = Rc<[u64]>;

/// The type of an integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A scalar of Rust.
    Fixed(Scalar),
    /// `usize`, 32 bits wide as in a kernel.
    Usize,
}

impl Kind {
    /// The kind that a type is; `None` if it is not an integer.
    pub fn of(ty: &Ty) -> Option<Self> {
        match ty {
            Ty::Usize => Some(Self::Usize),
            Ty::Scalar(scalar) if scalar.is_int() => Some(Self::Fixed(*scalar)),
            _ => None,
        }
    }

    /// The type.
    pub fn ty(self) -> Ty {
        match self {
            Self::Fixed(scalar) => Ty::Scalar(scalar),
            Self::Usize => Ty::Usize,
        }
    }

    fn scalar(self) -> Scalar {
        match self {
            Self::Fixed(scalar) => scalar,
            Self::Usize => Scalar::U32,
        }
    }
}

/// The value of an integer expression and its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The value.
    pub value: i128,
    /// The type; nothing for what fits any.
    pub ty: Option<Kind>,
}

impl Known {
    /// A value of a type that it fits.
    pub fn of(value: i128, ty: Option<Kind>) -> Option<Self> {
        let (low, high) = ty.map_or((i128::MIN, i128::MAX), |kind| kind.scalar().limits());
        (low..=high).contains(&value).then_some(Self { value, ty })
    }

    /// The same as a value of a type, if it can be one.
    pub fn typed(self, ty: Kind) -> Option<Self> {
        match self.ty {
            Some(own) if own != ty => None,
            _ => Self::of(self.value, Some(ty)),
        }
    }

    /// The value of an integer of these bits.
    pub fn of_bits(bits: u64, ty: Kind) -> Option<Self> {
        Self { value: bits.into(), ty: None }.cast(ty)
    }

    /// What `as` makes of it.
    pub fn cast(self, kind: Kind) -> Option<Self> {
        let to = kind.scalar();
        let bits = self.value & i128::from(to.mask());
        let negative = to.is_signed() && bits >> (to.bits() - 1) & 1 == 1;
        Self::of(if negative { bits - (1i128 << to.bits()) } else { bits }, Some(kind))
    }
}

/// The result of an operator.
pub fn operation(op: &syn::BinOp, left: Known, right: Known) -> Option<Known> {
    let (a, b) = (left.value, right.value);
    if let syn::BinOp::Shl(_) | syn::BinOp::Shr(_) = op {
        let count = u32::try_from(b).ok().filter(|&count| left.ty.is_none_or(|ty| count < ty.scalar().bits()))?;
        return match (op, left.ty) {
            (syn::BinOp::Shr(_), ty) => Known::of(a.checked_shr(count)?, ty),
            // Bits that leave the type are no overflow.
            (_, Some(ty)) => Known { value: a.checked_shl(count)?, ty: None }.cast(ty),
            (_, None) => Known::of(a.checked_shl(count)?, None),
        };
    }
    let ty = match (left.ty, right.ty) {
        (None, ty) | (ty, None) => ty,
        (Some(a), Some(b)) if a == b => Some(a),
        _ => return None,
    };
    let value = match op {
        syn::BinOp::Add(_) => a.checked_add(b),
        syn::BinOp::Sub(_) => a.checked_sub(b),
        syn::BinOp::Mul(_) => a.checked_mul(b),
        syn::BinOp::Div(_) => a.checked_div(b),
        syn::BinOp::Rem(_) => a.checked_rem(b),
        syn::BinOp::BitAnd(_) => Some(a & b),
        syn::BinOp::BitOr(_) => Some(a | b),
        syn::BinOp::BitXor(_) => Some(a ^ b),
        _ => None,
    };
    Known::of(value?, ty)
}
