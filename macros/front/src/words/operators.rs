//! The operators of Rust, their traits and the functions of these.

use super::around::Around;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

/// How an operator is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `a + b`
    Binary,
    /// `-a`
    Unary,
    /// `a += b`
    Assign,
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
};

/// The operator that a path means, which leads to the function of its trait, and how many operands it has.
pub fn by_path(path: &syn::Path) -> Option<(TokenStream, usize)> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (function, of_trait) = (names.next()?, names.next()?);
    // Where the trait comes from, if that is written.
    let known = names.next().is_none_or(|module| module == "ops");
    let is = |row: &&Operator| of_trait == row.of_trait && function == row.function && row.form != Form::Assign;
    let row = OPERATORS.iter().find(is).filter(|_| known)?;
    Some((row.sign.parse().ok()?, if row.form == Form::Unary { 1 } else { 2 }))
}

/// The operator of a function of this name, of so many operands.
pub fn by_function(name: &str, operands: usize) -> Option<&'static Operator> {
    let form = if operands == 1 { Form::Unary } else { Form::Binary };
    OPERATORS.iter().find(|row| row.function == name && row.form == form).filter(|_| operands == 1 || operands == 2)
}

/// The operator that an expression is.
pub fn by_sign(sign: &str, form: Form) -> Option<&'static Operator> {
    OPERATORS.iter().find(|row| row.sign == sign && row.form == form)
}

/// The operator whose trait a path names, unless the file shows a trait of kernels of this name.
pub fn by_trait(path: &syn::Path) -> Option<&'static Operator> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let name = names.next()?;
    let known = names.next().is_none_or(|module| module == "ops");
    let row = OPERATORS.iter().find(|row| name == row.of_trait).filter(|_| known)?;
    let of_user = || Around::links_to(name) || Around::plain_of(name).is_some();
    (path.segments.len() > 1 || !of_user()).then_some(row)
}

/// The operator that an implementation is of.
pub fn of(item: &syn::ItemImpl) -> Option<&'static Operator> {
    by_trait(&item.trait_.as_ref()?.1)
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
        let function = |path: &str| by_path(&syn::parse_str(path).expect("a path")).map(|(_, operands)| operands);
        assert_eq!((function("Neg::neg"), function("std::ops::Add::add")), (Some(1), Some(2)));
        assert_eq!(function("AddAssign::add_assign"), None);
        assert_eq!(by_sign("-", Form::Unary).map(|row| row.of_trait), Some("Neg"));
    }
}
