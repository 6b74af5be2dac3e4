//! How far apart the ends of a range are, found by their syntax.
//!
//! `a..a + n` has `n` elements, and so has `i * n..(i + 1) * n`. The ends are read as sums of products of what has no
//! effect, and taken off each other. So the length of a part is known better than the difference of two numbers
//! tells, and the sums need not be proven not to wrap.

use crate::syntax::{self, peel};
use quote::ToTokens;
use samebits_ir::ops::Function;
use std::collections::BTreeMap;

/// The most products of a sum.
const TERMS: usize = 16;
/// The most factors of a product.
const DEGREE: usize = 4;
/// How deep an expression is looked into.
const DEPTH: usize = 16;
/// Coefficients stay below this.
const LARGE: i128 = 1 << 40;

/// A number of times a product of expressions without effects.
pub(super) struct Product<'a> {
    /// The number.
    pub times: u32,
    /// The factors.
    pub factors: Vec<&'a syn::Expr>,
}

/// Sums of products; a product is the sorted tokens of its factors.
type Sum = BTreeMap<Vec<String>, i128>;

/// The end of a range less its start, if that is one product.
pub(super) fn distance<'a>(start: &'a syn::Expr, end: &'a syn::Expr) -> Option<Product<'a>> {
    let mut atoms = BTreeMap::new();
    let start = sum(start, &mut atoms, DEPTH)?;
    let mut terms = sum(end, &mut atoms, DEPTH)?;
    for (product, times) in start {
        *terms.entry(product).or_default() -= times;
    }
    terms.retain(|_, times| *times != 0);
    let mut terms = terms.into_iter();
    let (product, times) = terms.next().unwrap_or_default();
    if terms.next().is_some() {
        return None;
    }
    let factors = product.iter().map(|atom| atoms.get(atom).copied()).collect::<Option<_>>()?;
    Some(Product { times: u32::try_from(times).ok()?, factors })
}

fn sum<'a>(expr: &'a syn::Expr, atoms: &mut BTreeMap<String, &'a syn::Expr>, depth: usize) -> Option<Sum> {
    let depth = depth.checked_sub(1)?;
    match peel(expr) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
            let value = int.base10_parse::<u32>().ok()?;
            Some([(Vec::new(), i128::from(value))].into())
        }
        syn::Expr::Binary(syn::ExprBinary { op: syn::BinOp::Add(_), left, right, .. }) => {
            let (left, right) = (sum(left, atoms, depth)?, sum(right, atoms, depth)?);
            small(right.into_iter().fold(left, added))
        }
        syn::Expr::Binary(syn::ExprBinary { op: syn::BinOp::Sub(_), left, right, .. }) => {
            let (left, right) = (sum(left, atoms, depth)?, sum(right, atoms, depth)?);
            small(right.into_iter().map(|(product, times)| (product, -times)).fold(left, added))
        }
        syn::Expr::Binary(syn::ExprBinary { op: syn::BinOp::Mul(_), left, right, .. }) => {
            let (left, right) = (sum(left, atoms, depth)?, sum(right, atoms, depth)?);
            let mut all = Sum::new();
            for (a, x) in &left {
                for (b, y) in &right {
                    let mut product: Vec<String> = a.iter().chain(b).cloned().collect();
                    product.sort();
                    all = added(all, (product, x * y));
                }
            }
            small(all)
        }
        other if is_pure(other, depth) => {
            let atom = other.to_token_stream().to_string();
            atoms.insert(atom.clone(), other);
            Some([(vec![atom], 1)].into())
        }
        _ => None,
    }
}

fn added(mut sum: Sum, (product, times): (Vec<String>, i128)) -> Sum {
    *sum.entry(product).or_default() += times;
    sum
}

fn small(sum: Sum) -> Option<Sum> {
    let fits = sum.len() <= TERMS && sum.iter().all(|(product, times)| product.len() <= DEGREE && times.abs() < LARGE);
    fits.then_some(sum)
}

/// Whether evaluating an expression twice is evaluating it once.
fn is_pure(expr: &syn::Expr, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match peel(expr) {
        syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
        syn::Expr::Field(field) => is_pure(&field.base, depth),
        syn::Expr::Cast(cast) => is_pure(&cast.expr, depth),
        syn::Expr::Unary(unary) => is_pure(&unary.expr, depth),
        syn::Expr::Binary(binary) => {
            let assigns = binary.op.to_token_stream().to_string();
            let assigns = assigns.len() > 1 && assigns.ends_with('=') && !["==", "!=", "<=", ">="].contains(&&*assigns);
            !assigns && is_pure(&binary.left, depth) && is_pure(&binary.right, depth)
        }
        syn::Expr::MethodCall(call) => call.method == "len" && call.args.is_empty() && is_pure(&call.receiver, depth),
        syn::Expr::Call(call) => match peel(&call.func) {
            syn::Expr::Path(path) if call.args.is_empty() => {
                let function = syntax::name(&path.path).and_then(|name| Function::from_name(&name));
                matches!(function, Some(Function::Builtin(_)))
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance as text: the number, then the factors.
    fn shown(range: syn::ExprRange) -> Option<String> {
        let found = distance(range.start.as_deref()?, range.end.as_deref()?)?;
        let factors = found.factors.iter().map(|factor| format!(" {}", factor.to_token_stream()));
        Some(format!("{}{}", found.times, factors.collect::<String>()))
    }

    #[test]
    fn what_both_ends_have_in_common_falls_away() {
        assert_eq!(shown(syn::parse_quote!(a..a + 4)).as_deref(), Some("4"));
        assert_eq!(shown(syn::parse_quote!(i * 8..(i + 1) * 8)).as_deref(), Some("8"));
        assert_eq!(shown(syn::parse_quote!(i * w..i * w + w)).as_deref(), Some("1 w"));
        assert_eq!(shown(syn::parse_quote!(n - 2..n)).as_deref(), Some("2"));
        assert_eq!(shown(syn::parse_quote!(a..a)).as_deref(), Some("0"));
        assert_eq!(shown(syn::parse_quote!(local_id().x * 2..2 * (local_id().x + s.w))).as_deref(), Some("2 s . w"));
        assert_eq!(shown(syn::parse_quote!((n / 2)..(n / 2) + x.len())).as_deref(), Some("1 x . len ()"));
    }

    #[test]
    fn other_ends_are_no_product_apart() {
        assert_eq!(shown(syn::parse_quote!(a..b)), None);
        assert_eq!(shown(syn::parse_quote!(a..a - 4)), None);
        assert_eq!(shown(syn::parse_quote!(a..a + n - m)), None);
        assert_eq!(shown(syn::parse_quote!(f(x)..f(x) + 4)), None);
        assert_eq!(shown(syn::parse_quote!(x[i]..x[i] + 4)), None);
    }
}
