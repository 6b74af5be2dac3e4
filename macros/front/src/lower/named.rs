//! Functions that are given by name where a closure could stand: `f32::max`, `core::ops::Add::add`, `Point::add`.
//!
//! Each is taken for the closure that calls it, made of the user's own tokens.

use super::Lowerer;
use super::traits::{Lookup, as_type};
use crate::infer::Ty;
use crate::privacy::Judged;
use crate::report::Refused;
use crate::syntax;
use crate::types;
use crate::words::operators;
use quote::{format_ident, quote_spanned};
use samebits_ir::diag::{Code, count};
use samebits_ir::ops::Op;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

impl<'a> Lowerer<'a, '_> {
    /// The closure that calls what a path names with so many arguments; nothing if the path leads through no type.
    pub(super) fn closure_of_name(
        &mut self,
        path: &'a syn::ExprPath,
        arity: usize,
    ) -> Option<Result<&'a syn::ExprClosure, Refused>> {
        let span = path.span();
        let names: Vec<syn::Ident> = (0..arity).map(|i| format_ident!("__samebits_{i}", span = span)).collect();
        let operator = operators::by_path(&path.path).filter(|_| path.qself.is_none());
        let closure = if let Some((operator, operands)) = operator {
            self.judge(Judged::Operator(&path.path, operands));
            match names.as_slice() {
                [a] if operands == 1 => quote_spanned!(span=> |#a| #operator #a),
                [a, b] if operands == 2 => quote_spanned!(span=> |#a, #b| #a #operator #b),
                _ => return Some(Err(takes(path, operands, arity))),
            }
        } else {
            let (owner, function) = syntax::owner(&path.path)?;
            match names.split_first().filter(|_| path.qself.is_none()) {
                Some((own, others)) if let Some(operands) = self.method_of(&owner, function) => {
                    if operands.is_some_and(|operands| operands != arity) {
                        return Some(Err(takes(path, operands.unwrap_or_default(), arity)));
                    }
                    quote_spanned!(span=> |#own: #owner #(, #others)*| #own.#function(#(#others),*))
                }
                _ if path.qself.is_some() || self.has_functions(&owner) => {
                    quote_spanned!(span=> |#(#names),*| #path(#(#names),*))
                }
                _ => return None,
            }
        };
        match self.context.scope.keep(syn::parse2(closure).ok()?) {
            syn::Expr::Closure(closure) => Some(Ok(closure)),
            _ => None,
        }
    }

    /// Whether a path names a type that can have functions.
    fn has_functions(&self, owner: &syn::Path) -> bool {
        self.context.scope.generic(owner).is_some()
            || self.context.scope.trait_named(owner).is_some()
            || types::read(&as_type(owner), self).is_ok()
    }

    /// Whether a function of a number or a vector is called as a method, and how many operands it has, if that is known.
    fn method_of(&self, owner: &syn::Path, function: &syn::PathSegment) -> Option<Option<usize>> {
        let name = function.ident.unraw().to_string();
        let ty = self.infer.resolve(&types::read(&as_type(owner), self).ok()?);
        let scalar = match &ty {
            Ty::Vector(lane, _) => self.infer.resolve(lane).scalar(),
            ty => ty.scalar(),
        }?;
        let constructs = name.starts_with("from") || ["new", "splat"].contains(&name.as_str());
        let by_trait = !matches!(self.function_by_path(owner, &ty, &name), Lookup::Nothing);
        let operands = Op::from_method(&name, scalar).map(|op| op.info().signature.arity().0);
        (!constructs && !by_trait).then_some(operands)
    }
}

/// The report that a function takes another number of arguments than it is given.
fn takes(path: &syn::ExprPath, operands: usize, given: usize) -> Refused {
    let shown = syntax::spelled_path(&path.path);
    let message = format!("`{shown}` takes {}, but is given {given}", count(operands, "argument"));
    Refused::new(Code::V204, message).help("write a closure that calls it")
}
