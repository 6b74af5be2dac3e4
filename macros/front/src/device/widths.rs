//! Checking that a constant computed with `usize` has only one value.
//!
//! A `#[device] const` is also a constant of Rust, where `usize` has the width of the host. In
//! a kernel it is 32 bits wide. An assertion compares both values, so a constant that depends
//! on the width is refused.

use crate::infer::Ty;
use crate::lower::evaluate::Value;
use crate::report::Refused;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;
use syn::spanned::Spanned;

/// The assertion that a constant, which rustc names by this path, has the same value to rustc and to
/// a kernel; nothing for one in which no `usize` is computed.
pub(super) fn assertions(path: &TokenStream, ty: &Ty, expr: &syn::Expr, value: &Value) -> TokenStream {
    if !value.usizes && !names_a_constant_of_usize(expr.to_token_stream()) {
        return TokenStream::new();
    }
    // The assertion stands where the value does, and its macro may be another one.
    let same = Ident::new("same", Span::mixed_site());
    let mut statements = TokenStream::new();
    compare(ty, path, &mut value.bits.iter().copied(), (&same, &mut statements));
    let shown = path.to_string().replace(' ', "");
    let message = format!("`{shown}` has another value in a kernel, where `usize` is 32 bits wide");
    let text = Refused::new(Code::V201, message).help("compute it in `u32`").text();
    // One assertion for all parts, so that one constant is one error.
    let asserted = quote_spanned!(expr.span()=> ::core::assert!(#same, #text););
    quote! {
        #[allow(unused_mut, clippy::all, clippy::pedantic)]
        const _: () = {
            let mut #same = true;
            #statements
            #asserted
        };
    }
}

/// Whether tokens name `usize::BITS` or another constant of that type.
fn names_a_constant_of_usize(tokens: TokenStream) -> bool {
    let mut before = false;
    tokens.into_iter().any(|token| match &token {
        TokenTree::Punct(punct) if punct.as_char() == ':' && before => true,
        TokenTree::Group(group) => names_a_constant_of_usize(group.stream()),
        _ => {
            before = matches!(&token, TokenTree::Ident(ident) if ident == "usize");
            false
        }
    })
}

/// Statements that clear `same` unless a part of a value has the bits that come next.
fn compare(
    ty: &Ty,
    path: &TokenStream,
    bits: &mut dyn Iterator<Item = u64>,
    (same, statements): (&Ident, &mut TokenStream),
) {
    match ty {
        Ty::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let i = Literal::usize_unsuffixed(i);
                compare(part, &quote!(#path.#i), bits, (same, statements));
            }
        }
        Ty::Struct(def) => {
            for field in &def.fields {
                let member: Option<syn::Member> = syn::parse_str(&field.name).ok();
                compare(&field.ty, &quote!(#path.#member), bits, (same, statements));
            }
        }
        Ty::Vector(lane, lanes) => {
            for axis in ["x", "y", "z", "w"].into_iter().take(usize::from(*lanes)) {
                let axis = Ident::new(axis, Span::mixed_site());
                compare(lane, &quote!(#path.#axis), bits, (same, statements));
            }
        }
        Ty::Matrix(column, columns) => {
            for axis in ["x_axis", "y_axis", "z_axis", "w_axis"].into_iter().take(usize::from(*columns)) {
                let axis = Ident::new(axis, Span::mixed_site());
                compare(column, &quote!(#path.#axis), bits, (same, statements));
            }
        }
        Ty::Array(element, len) => match element.scalar() {
            // A table may have thousands of elements, which a loop goes through.
            Some(scalar) => {
                let all = bits.take(*len as usize).map(|bits| literal(scalar, bits));
                let (len, element) = (Literal::u32_unsuffixed(*len), held(element, scalar));
                let differ = differs(&quote!(#path[i]), scalar, &quote!(expected[i]));
                statements.extend(quote! {{
                    let expected: [#element; #len] = [#(#all),*];
                    let mut i = 0;
                    while i < #len {
                        if #differ { #same = false; }
                        i += 1;
                    }
                }});
            }
            None => {
                for i in 0..*len {
                    let i = Literal::u32_unsuffixed(i);
                    compare(element, &quote!(#path[#i]), bits, (same, statements));
                }
            }
        },
        other => {
            let (Some(scalar), Some(bits)) = (other.scalar(), bits.next()) else { return };
            let differ = differs(path, scalar, &literal(scalar, bits));
            statements.extend(quote!(if #differ { #same = false; }));
        }
    }
}

/// The condition that a number differs from the expected one.
fn differs(path: &TokenStream, scalar: Scalar, expected: &TokenStream) -> TokenStream {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => quote!(#path.to_bits() != #expected),
        _ => quote!(#path != #expected),
    }
}

/// The type that expected elements have: floats are compared by their bits.
fn held(element: &Ty, scalar: Scalar) -> TokenStream {
    let name = match scalar {
        Scalar::F16 => "u16",
        Scalar::F32 => "u32",
        Scalar::F64 => "u64",
        _ if *element == Ty::Usize => "usize",
        other => other.name(),
    };
    Ident::new(name, Span::mixed_site()).into_token_stream()
}

/// A number of these bits; those of a float are the number.
fn literal(scalar: Scalar, bits: u64) -> TokenStream {
    if scalar == Scalar::Bool {
        let value = bits != 0;
        return quote!(#value);
    }
    if scalar.is_signed() && !scalar.is_float() {
        let shift = 64 - scalar.bits();
        Literal::i64_unsuffixed((bits << shift) as i64 >> shift).into_token_stream()
    } else {
        Literal::u64_unsuffixed(bits).into_token_stream()
    }
}
