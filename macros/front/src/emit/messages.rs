//! What a kernel may say, as its launcher holds it: for each message its place, and a function that puts values from
//! words into its text.
//!
//! The text stays the user's literal, so rustc judges whether it fits its values, and formats them.

use super::rust_type;
use crate::build::shown;
use crate::hir::{self, ExprKind};
use crate::infer::{Infer, Ty};
use crate::signature::Signature;
use crate::spans::Spans;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// The messages of a kernel by number; none of a kernel that says nothing.
#[derive(Clone, Default)]
pub struct Messages(Vec<Message>);

#[derive(Clone)]
struct Message {
    is_assertion: bool,
    place: String,
    format: Literal,
    values: Vec<Value>,
}

/// A value in a message.
#[derive(Clone)]
struct Value {
    name: Option<Ident>,
    ty: Ty,
    /// Where it stands, for what rustc says of it.
    at: Span,
}

impl Messages {
    /// Those of a body that was built.
    pub fn of(body: &hir::Body, infer: &Infer, signature: &Signature, spans: &Spans<'_>) -> Self {
        if !body.messages.iter().any(|message| message.is_assertion || signature.debug) {
            return Self::default();
        }
        let mut values = vec![Vec::new(); body.messages.len()];
        for (_, expr) in body.exprs.iter() {
            if let ExprKind::Message(number, args) = &expr.kind {
                let names = body.messages[*number].names.iter().cloned();
                let value = |(name, &arg): (_, &hir::ExprId)| {
                    let hir::Expr { ty, loc, .. } = &body.exprs[arg];
                    Value { name, ty: infer.decided(ty), at: spans.start(*loc) }
                };
                values[*number] = names.zip(args).map(value).collect();
            }
        }
        let messages = body.messages.iter().zip(values).map(|(message, values)| Message {
            is_assertion: message.is_assertion,
            place: place(message.loc, spans),
            format: message.format.clone(),
            values,
        });
        Self(messages.collect())
    }

    /// The call that gives them to a kernel.
    pub fn tokens(&self, krate: &syn::Path) -> TokenStream {
        if self.0.is_empty() {
            return TokenStream::new();
        }
        let messages = self.0.iter().map(|message| message.tokens(krate));
        quote!(.messages(&[#(#messages),*]))
    }
}

impl Message {
    fn tokens(&self, krate: &syn::Path) -> TokenStream {
        let Self { is_assertion, place, format, values } = self;
        // Its uses stand among the user's tokens.
        let words_of = Ident::new("words", Span::mixed_site());
        let mut at = 0;
        let values: Vec<TokenStream> = values
            .iter()
            .filter_map(|Value { name, ty, at: span }| {
                let rust = said_type(ty, krate)?;
                let value = quote_spanned!(*span=> <#rust as #krate::__private::Said>::said(#words_of, #at));
                at += words(ty);
                Some(match name {
                    Some(name) => quote!(#name = #value),
                    None => value,
                })
            })
            .collect();
        quote! {
            #krate::__private::Message {
                is_assertion: #is_assertion,
                place: #place,
                words: #at,
                text: |#words_of: &[::core::primitive::u32], to: &mut ::core::fmt::Formatter<'_>| {
                    let _ = #words_of;
                    ::core::write!(to, #format #(, #values)*)
                },
            }
        }
    }
}

/// The type of a value for the host.
fn said_type(ty: &Ty, krate: &syn::Path) -> Option<TokenStream> {
    let Ty::Vector(lane, lanes) = ty else { return rust_type(ty, krate) };
    let (lane, vector) = (rust_type(lane, krate)?, format_ident!("Vec{lanes}"));
    Some(quote!(#krate::#vector<#lane>))
}

/// How many words a value has.
fn words(ty: &Ty) -> usize {
    let Some(scalar) = shown(ty) else { return 0 };
    let lanes = if let Ty::Vector(_, lanes) = ty { usize::from(*lanes) } else { 1 };
    lanes * if scalar != Scalar::Bool && scalar.bits() == 64 { 2 } else { 1 }
}

/// A place in words, with the calls that lead to it.
fn place(loc: Loc, spans: &Spans<'_>) -> String {
    let shown = |loc| {
        let (line, column) = spans.line_column(loc).unwrap_or((0, 0));
        format!("{}:{line}:{column}", spans.start(loc).file())
    };
    let (mut place, mut at) = (shown(loc), loc);
    while let Some((helper, call)) = spans.call(at) {
        place += &format!(", in `{helper}`, called at {}", shown(call));
        at = call;
    }
    place
}
