//! That a constant which is computed with `usize` has one value.
//!
//! A `#[device] const` is a constant of Rust as well, where a `usize` has the width of the host, and
//! in a kernel it is 32 bits wide. The value that a kernel computes is held against rustc's by
//! assertions, so that one whose width matters is refused and never two numbers.

use crate::build::{self, Target};
use crate::hir::{Body, ExprKind};
use crate::infer::{Infer, Ty};
use crate::link::Scope;
use crate::lower::{self, Source};
use crate::spans::Spans;
use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::{Code, Diags};
use samebits_ir::ir::InstKind;
use samebits_ir::types::Scalar;
use samebits_ir::{check, pass};
use syn::spanned::Spanned;

/// A constant, as its definition has it.
pub(super) struct Constant<'a> {
    /// How rustc names it.
    pub path: TokenStream,
    /// Its type.
    pub ty: Ty,
    /// Its value.
    pub expr: &'a syn::Expr,
    /// What its names mean.
    pub scope: Scope<'a>,
    /// What `Self` is.
    pub self_ty: Option<Ty>,
}

impl Constant<'_> {
    /// The assertions that its value is the same to rustc and to a kernel; nothing for a constant
    /// in which no `usize` is computed, or that is wrong.
    pub fn assertions(&self) -> TokenStream {
        let (mut spans, mut diags) = (Spans::new(), Diags::new());
        let loc = spans.add(self.expr);
        let expr = self.expr;
        let block: syn::Block = syn::parse_quote!({ #expr });
        let source = Source {
            params: &[],
            block: &block,
            result: Some((self.ty.clone(), loc)),
            name: String::new(),
            scope: self.scope,
            home: None,
            types: Vec::new(),
            lengths: Vec::new(),
            self_ty: self.self_ty.clone(),
            untold: lower::Untold::Default,
        };
        let mut inner = Spans::new();
        let lowered = lower::lower(source, &mut inner, &mut diags);
        let named = names_a_constant_of_usize(expr.to_token_stream());
        if lowered.wrong || !lowered.body.outer.is_empty() || !(named || is_computed(&lowered.body, &lowered.infer)) {
            return TokenStream::new();
        }
        let target = Target::Device(String::new(), self.ty.clone());
        let module = build::build(&target, &[], (&lowered.body, &lowered.block, &lowered.infer), loc, &mut diags);
        let Ok(checked) = diags.gate().and_then(|()| check::check(module)) else { return TokenStream::new() };
        let checked = pass::optimize(checked);
        let Some((function, _)) = checked.function(0) else { return TokenStream::new() };
        let last = function.regions[function.body].insts.last();
        let values = match last.map(|&inst| &function.insts[inst].kind) {
            Some(InstKind::Return(values)) => values.clone(),
            _ => Vec::new(),
        };
        let mut leaves = Vec::new();
        leaves_of(&self.ty, self.path.clone(), &mut leaves);
        let shown = self.path.to_string().replace(' ', "");
        let text = format!(
            "`{shown}` has another value in a kernel, where `usize` is 32 bits wide [{}]\n\
             help: compute it in `u32`",
            Code::V201
        );
        let sides = leaves.iter().enumerate().map(|(i, (path, ty))| {
            let bits = values.get(i).and_then(|&value| function.constant_bits(value));
            bits.and_then(|bits| equal(path, ty, bits)).unwrap_or_else(|| quote!(false))
        });
        let at = expr.span();
        let asserted = sides.map(|side| quote_spanned!(at=> const _: () = ::core::assert!(#side, #text);));
        // One error is enough.
        let asserted: Vec<TokenStream> = asserted.collect();
        quote!(#(#[allow(clippy::all, clippy::pedantic)] #asserted)*)
    }
}

/// Whether a body computes with a `usize`, or has one that is as wide as it gets.
fn is_computed(body: &Body, infer: &Infer) -> bool {
    let is_usize = |id| infer.decided(&body.exprs[id].ty) == Ty::Usize;
    body.exprs.iter().any(|(id, expr)| match &expr.kind {
        ExprKind::Op(_, args) => is_usize(id) || args.iter().any(|&arg| is_usize(arg)),
        ExprKind::Overflowing(_, _, a, _) => is_usize(*a),
        ExprKind::Bits(_) => is_usize(id),
        _ => false,
    })
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

/// The leaves of a value, as rustc names them, and their types.
fn leaves_of(ty: &Ty, path: TokenStream, leaves: &mut Vec<(TokenStream, Ty)>) {
    match ty {
        Ty::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                let i = Literal::usize_unsuffixed(i);
                leaves_of(part, quote!(#path.#i), leaves);
            }
        }
        Ty::Struct(def) => {
            for field in &def.fields {
                let member: Option<syn::Member> = syn::parse_str(&field.name).ok();
                leaves_of(&field.ty, quote!(#path.#member), leaves);
            }
        }
        Ty::Array(element, len) => {
            for i in 0..*len {
                let i = Literal::u32_unsuffixed(i);
                leaves_of(element, quote!(#path[#i]), leaves);
            }
        }
        other => leaves.push((path, other.clone())),
    }
}

/// That a leaf is a value of these bits; nothing for what rustc cannot compare.
fn equal(path: &TokenStream, ty: &Ty, bits: u64) -> Option<TokenStream> {
    let scalar = ty.scalar()?;
    Some(match scalar {
        Scalar::Bool => {
            let value = bits != 0;
            quote!(#path == #value)
        }
        Scalar::F32 | Scalar::F64 => {
            let bits = Literal::u64_unsuffixed(bits);
            quote!(#path.to_bits() == #bits)
        }
        Scalar::F16 => return None,
        _ => {
            let value = if scalar.is_signed() {
                let shift = 64 - scalar.bits();
                Literal::i64_unsuffixed((bits << shift) as i64 >> shift)
            } else {
                Literal::u64_unsuffixed(bits)
            };
            quote!(#path == #value)
        }
    })
}
