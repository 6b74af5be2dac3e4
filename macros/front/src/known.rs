//! Integer constants that are known while a kernel is compiled: lengths, sizes, counts.
//!
//! They are computed as rustc would: in the type that they have, where what overflows has no
//! value. A literal without a suffix has any type.

use crate::infer::Ty;
use crate::lower::evaluate::Bits;
use crate::types::{self, Names};
use samebits_ir::types::Scalar;

/// The type of an integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A scalar of Rust.
    Fixed(Scalar),
    /// `usize`, 32 bits wide as in a kernel.
    Usize,
}

impl Kind {
    /// The kind that a type is; nothing for what is no integer.
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
    fn cast(self, kind: Kind) -> Option<Self> {
        let to = kind.scalar();
        let bits = self.value & i128::from(to.mask());
        let negative = to.is_signed() && bits >> (to.bits() - 1) & 1 == 1;
        Self::of(if negative { bits - (1i128 << to.bits()) } else { bits }, Some(kind))
    }
}

/// The value of an expression of literals and known constants; nothing for another one.
pub fn evaluate(expr: &syn::Expr, names: &dyn Names) -> Option<Known> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
            let ty = match int.suffix() {
                "" => None,
                "usize" => Some(Kind::Usize),
                other => Some(Kind::of(&Ty::Scalar(Scalar::from_name(other)?))?),
            };
            Known::of(int.base10_parse().ok()?, ty)
        }
        syn::Expr::Paren(paren) => evaluate(&paren.expr, names),
        syn::Expr::Group(group) => evaluate(&group.expr, names),
        syn::Expr::Block(block) if block.label.is_none() => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => evaluate(value, names),
            _ => None,
        },
        syn::Expr::Cast(cast) => {
            let value = evaluate(&cast.expr, names)?;
            value.cast(Kind::of(&types::read(&cast.ty, names).ok()?)?)
        }
        syn::Expr::Unary(unary) => {
            let Known { value, ty } = evaluate(&unary.expr, names)?;
            match (&unary.op, ty) {
                (syn::UnOp::Neg(_), ty) => Known::of(value.checked_neg()?, ty),
                (syn::UnOp::Not(_), Some(kind)) => Known { value: !value, ty }.cast(kind),
                _ => None,
            }
        }
        // The length of a constant array.
        syn::Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => match &*call.receiver {
            syn::Expr::Path(path) => Known::of(names.length(&path.path)?.into(), Some(Kind::Usize)),
            _ => None,
        },
        syn::Expr::Path(path) => names.constant(&path.path).or_else(|| limit(&path.path)),
        syn::Expr::Binary(binary) => {
            operation(&binary.op, evaluate(&binary.left, names)?, evaluate(&binary.right, names)?)
        }
        _ => None,
    }
}

/// The value of a constant item of a type, whose bits are perhaps known.
pub fn item(ty: &syn::Type, expr: &syn::Expr, bits: Option<&Bits>, names: &dyn Names) -> Option<Known> {
    let ty = Kind::of(&types::read(ty, names).ok()?)?;
    if let Some(&[bits]) = bits.map(|bits| &**bits) {
        return Known::of_bits(bits, ty);
    }
    evaluate(expr, names)?.typed(ty)
}

/// The result of an operator.
fn operation(op: &syn::BinOp, left: Known, right: Known) -> Option<Known> {
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

/// `u8::MAX` and its like; a `usize` is 64 bits wide to the host, so that its own are not known.
fn limit(path: &syn::Path) -> Option<Known> {
    let mut segments = path.segments.iter().rev();
    let (name, owner) = (segments.next()?, segments.next()?);
    let scalar = Scalar::from_name(&owner.ident.to_string()).filter(|scalar| scalar.is_int())?;
    let (low, high) = scalar.limits();
    match name.ident.to_string().as_str() {
        "MIN" => Known::of(low, Some(Kind::Fixed(scalar))),
        "MAX" => Known::of(high, Some(Kind::Fixed(scalar))),
        "BITS" => Known::of(scalar.bits().into(), Some(Kind::Fixed(Scalar::U32))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::NoNames;

    fn value(expr: syn::Expr) -> Option<i128> {
        evaluate(&expr, &NoNames).map(|known| known.value)
    }

    #[test]
    fn values_are_those_of_their_types() {
        assert_eq!(value(syn::parse_quote!((0xFFu8 << 4) as usize)), Some(0xF0));
        assert_eq!(value(syn::parse_quote!(((0xC3u8 << 1) >> 1) as usize)), Some(0x43));
        assert_eq!(value(syn::parse_quote!(!0x0Fu8 as usize)), Some(0xF0));
        assert_eq!(value(syn::parse_quote!(-1i8 as u8 as usize)), Some(255));
        assert_eq!(value(syn::parse_quote!(u8::MAX as usize ^ 1)), Some(254));
        assert_eq!(value(syn::parse_quote!(3 + 2 * 4)), Some(11));
    }

    #[test]
    fn what_overflows_has_no_value() {
        assert_eq!(value(syn::parse_quote!(200u8 + 100)), None);
        assert_eq!(value(syn::parse_quote!(1usize - 2)), None);
        assert_eq!(value(syn::parse_quote!(1u8 << 8)), None);
        assert_eq!(value(syn::parse_quote!(1u8 + 1u16)), None);
        assert_eq!(value(syn::parse_quote!(1 / 0)), None);
    }
}
