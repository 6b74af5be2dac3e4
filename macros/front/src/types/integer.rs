//! Integer constants as users write them: the lengths of arrays, the sizes of workgroups, the counts of loops.

use super::read;
use crate::infer::Ty;
use crate::known::{Bits, Kind, Known, operation};
use crate::names::Names;
use samebits_ir::types::Scalar;

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
            value.cast(Kind::of(&read(&cast.ty, names).ok()?)?)
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
    let ty = Kind::of(&read(ty, names).ok()?)?;
    if let Some(&[bits]) = bits.map(|bits| &**bits) {
        return Known::of_bits(bits, ty);
    }
    evaluate(expr, names)?.typed(ty)
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
    use crate::names::NoNames;

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
