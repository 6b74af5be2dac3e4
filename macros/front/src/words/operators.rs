//! The operators of Rust and the conversion `From`, their traits and the functions of these.

use super::around::Around;
use super::reserved::is_of_language;
use crate::syntax;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

/// How an operator, or a conversion, is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `a + b`
    Binary,
    /// `-a`
    Unary,
    /// `a += b`
    Assign,
    /// `T::from(a)` and `a.into()`, where the type that has the trait is that of the result.
    Conversion,
}

/// An operator.
#[derive(PartialEq, Eq, Debug)]
pub struct Operator {
    /// The name of its trait.
    pub of_trait: &'static str,
    /// The function of the trait.
    pub function: &'static str,
    /// How it is written.
    pub sign: &'static str,
    /// How it is used.
    pub form: Form,
}

impl Operator {
    /// Whether its trait has a type `Output`.
    pub fn has_output(&self) -> bool {
        matches!(self.form, Form::Binary | Form::Unary)
    }
}

macro_rules! operators {
    ($($of_trait:ident, $function:ident, $sign:literal, $form:ident;)*) => {
        &[$(Operator {
            of_trait: stringify!($of_trait),
            function: stringify!($function),
            sign: $sign,
            form: Form::$form,
        }),*]
    };
}

/// All of them.
const OPERATORS: &[Operator] = operators! {
    Add, add, "+", Binary;
    Sub, sub, "-", Binary;
    Mul, mul, "*", Binary;
    Div, div, "/", Binary;
    Rem, rem, "%", Binary;
    BitAnd, bitand, "&", Binary;
    BitOr, bitor, "|", Binary;
    BitXor, bitxor, "^", Binary;
    Shl, shl, "<<", Binary;
    Shr, shr, ">>", Binary;
    Neg, neg, "-", Unary;
    Not, not, "!", Unary;
    AddAssign, add_assign, "+=", Assign;
    SubAssign, sub_assign, "-=", Assign;
    MulAssign, mul_assign, "*=", Assign;
    DivAssign, div_assign, "/=", Assign;
    RemAssign, rem_assign, "%=", Assign;
    BitAndAssign, bitand_assign, "&=", Assign;
    BitOrAssign, bitor_assign, "|=", Assign;
    BitXorAssign, bitxor_assign, "^=", Assign;
    ShlAssign, shl_assign, "<<=", Assign;
    ShrAssign, shr_assign, ">>=", Assign;
    From, from, "from", Conversion;
};

/// The operator that a path means, which leads to the function of its trait, and how many operands it has.
pub fn by_path(path: &syn::Path) -> Option<(TokenStream, usize)> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (function, of_trait) = (names.next()?, names.next()?);
    // Where the trait comes from, if that is written.
    let known = names.next().is_none_or(|module| module == "ops");
    let is = |row: &&Operator| of_trait == row.of_trait && function == row.function && row.has_output();
    let row = OPERATORS.iter().find(is).filter(|_| known)?;
    Some((row.sign.parse().ok()?, if row.form == Form::Unary { 1 } else { 2 }))
}

/// The operator of a function of this name, of so many operands.
pub fn by_function(name: &str, operands: usize) -> Option<&'static Operator> {
    let form = if operands == 1 { Form::Unary } else { Form::Binary };
    OPERATORS.iter().find(|row| row.function == name && row.form == form).filter(|_| operands == 1 || operands == 2)
}

/// The trait of conversions to one's own types.
pub fn conversion() -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.form == Form::Conversion)
}

/// The operator that an expression is.
pub fn by_sign(sign: &str, form: Form) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.sign == sign && row.form == form)
}

/// The operator whose trait a path names, unless the file shows a trait of kernels of this name.
pub fn by_trait(path: &syn::Path) -> Option<&'static Operator> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let name = names.next()?;
    let row = OPERATORS.iter().find(|row| name == row.of_trait)?;
    let home = if row.form == Form::Conversion { "convert" } else { "ops" };
    let row = Some(row).filter(|_| names.next().is_none_or(|module| module == home))?;
    let of_user = || Around::links_to(name) || Around::plain_of(name).is_some();
    (path.segments.len() > 1 || !of_user()).then_some(row)
}

/// Traits of Rust that kernels do not have, and what to write instead.
const OTHERS: &[(&[&str], &str)] = &[
    (&["Into"], "write `#[device] impl From<…> for …`, which gives `into` as well"),
    (&["TryFrom", "TryInto"], "write a function in a `#[device] impl` that gives an `Option`"),
    (&["Default"], "write a function in a `#[device] impl`: `fn new() -> Self`"),
    (&["PartialEq", "Eq"], "write `#[derive(PartialEq)]`, which kernels follow"),
    (&["PartialOrd", "Ord", "Iterator", "IntoIterator", "Sum", "Product"], "write a method in a `#[device] impl`"),
    (&["Index", "IndexMut", "Deref", "DerefMut", "RangeBounds"], "write a method in a `#[device] impl`"),
];

/// What to write instead of a trait of Rust that kernels do not have; nothing for operators and for a user's traits.
pub fn instead_of_trait(path: &syn::Path) -> Option<&'static str> {
    let name = &path.segments.last()?.ident;
    let (_, instead) = OTHERS.iter().find(|(names, _)| names.iter().any(|other| name == other))?;
    let text = name.to_string();
    let of_user = Around::of(name).is_some_and(|around| around.shows(&text) || around.plain(&text).is_some());
    (!of_user).then_some(*instead)
}

/// The operator that an implementation is of.
pub fn of(item: &syn::ItemImpl) -> Option<&'static Operator> {
    by_trait(&item.trait_.as_ref()?.1)
}

/// The attribute that keeps on an implementation which type lists it.
pub const LISTED_BY: &str = "listed_by";

/// The type that an attribute names as the one that lists an implementation.
pub fn lister(item: &syn::ItemImpl) -> Option<syn::Ident> {
    item.attrs.iter().find(|attr| attr.path().is_ident(LISTED_BY))?.parse_args().ok()
}

/// Whether another type than that on the left lists an implementation.
pub fn is_of_other(item: &syn::ItemImpl) -> bool {
    let is_own = |name: &syn::Ident| match syntax::peel_type(&item.self_ty) {
        syn::Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == *name),
        _ => false,
    };
    is_of_language(&item.self_ty) || lister(item).is_some_and(|name| !is_own(&name))
}

/// `type Output = …;`
pub fn output(item: &syn::ItemImpl) -> Option<&syn::ImplItemType> {
    item.items.iter().find_map(|item| match item {
        syn::ImplItem::Type(output) if output.ident == "Output" => Some(output),
        _ => None,
    })
}

/// An implementation in whose tokens the type stands for `Self::Output`; nothing if there is none.
pub fn with_output(item: &syn::ItemImpl, tokens: &TokenStream) -> Option<TokenStream> {
    fn replaced(tokens: TokenStream, output: &TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, text: &str| trees.get(at).is_some_and(|tree| tree.to_string() == text);
        let (mut at, mut out) = (0, TokenStream::new());
        while let Some(tree) = trees.get(at) {
            let path = is(at, "Self") && is(at + 1, ":") && is(at + 2, ":") && is(at + 3, "Output");
            match tree {
                TokenTree::Ident(_) if path => {
                    out.extend(output.clone());
                    at += 4;
                    continue;
                }
                TokenTree::Group(group) => {
                    let mut same = proc_macro2::Group::new(group.delimiter(), replaced(group.stream(), output));
                    same.set_span(group.span());
                    out.extend([TokenTree::from(same)]);
                }
                other => out.extend([other.clone()]),
            }
            at += 1;
        }
        out
    }
    of(item)?;
    let output = output(item)?.ty.to_token_stream();
    Some(replaced(tokens.clone(), &output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_known_by_their_traits_and_functions() {
        let of = |path: &str| by_trait(&syn::parse_str(path).expect("a path")).map(|row| (row.sign, row.form));
        assert_eq!(of("Mul<f32>"), Some(("*", Form::Binary)));
        assert_eq!(of("core::ops::ShlAssign"), Some(("<<=", Form::Assign)));
        assert_eq!((of("shapes::Add"), of("Shape")), (None, None));
        assert_eq!(of("std::convert::From<Polar>"), Some(("from", Form::Conversion)));
        assert_eq!(of("std::ops::From<Polar>"), None);
        let function = |path: &str| by_path(&syn::parse_str(path).expect("a path")).map(|(_, operands)| operands);
        assert_eq!((function("Neg::neg"), function("std::ops::Add::add")), (Some(1), Some(2)));
        assert_eq!((function("AddAssign::add_assign"), function("From::from")), (None, None));
        assert_eq!(by_sign("-", Form::Unary).map(|row| row.of_trait), Some("Neg"));
    }
}
