//! The operators of Rust by the paths of their functions: `core::ops::Add::add`.

use proc_macro2::TokenStream;

/// The traits of operators with their functions, and the operators.
const OPERATORS: [(&str, &str, &str); 12] = [
    ("Add", "add", "+"),
    ("Sub", "sub", "-"),
    ("Mul", "mul", "*"),
    ("Div", "div", "/"),
    ("Rem", "rem", "%"),
    ("BitAnd", "bitand", "&"),
    ("BitOr", "bitor", "|"),
    ("BitXor", "bitxor", "^"),
    ("Shl", "shl", "<<"),
    ("Shr", "shr", ">>"),
    ("Neg", "neg", "-"),
    ("Not", "not", "!"),
];

/// The operator that a path means, which leads to the function of its trait, and how many operands it has.
pub fn by_path(path: &syn::Path) -> Option<(TokenStream, usize)> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (function, of_trait) = (names.next()?, names.next()?);
    // Where the trait comes from, if that is written.
    let known = names.next().is_none_or(|module| module == "ops");
    let row = OPERATORS.iter().find(|(known, name, _)| of_trait == known && function == name).filter(|_| known)?;
    Some((row.2.parse().ok()?, if ["Neg", "Not"].contains(&row.0) { 1 } else { 2 }))
}
