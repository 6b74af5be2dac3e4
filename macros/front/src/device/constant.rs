//! `#[device] const`: constants whose values are known when kernels are compiled.

use super::function::{Callable, attributes};
use super::{Constants, facts, names, widths};
use crate::build::value::Failure;
use crate::infer::{MAX_LEAVES, Ty};
use crate::link::Linked;
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, Kind, identity};
use crate::lower::evaluate;
use crate::names::{Own, Within};
use crate::report::{Refused, Reporter};
use crate::syntax;
use crate::types;
use crate::words::reserved::is_nameable;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use samebits_ir::diag::Code;
use syn::ext::IdentExt;

/// A constant once all that it names is linked. The constant itself stands already.
pub(super) fn finish(constant: syn::ItemConst, krate: &syn::Path, linked: Linked, refused: bool) -> TokenStream {
    let mut reporter = Reporter::new();
    let (id, hash) = identity(&constant.ident);
    let nameable = is_nameable(&constant.ident, "a constant", &mut reporter);
    attributes(&constant.attrs, &mut reporter);
    if !syntax::is_constant(&constant.ident) {
        let message = format!("the constant `{}` must be in capitals", constant.ident);
        let help = format!("call it `{}`", constant.ident.to_string().to_uppercase());
        reporter.refuse(&constant.ident, Refused::new(Code::V110, message).help(help));
    }
    let (ty, expr, ident) = (&constant.ty, &constant.expr, &constant.ident);
    // What is too large to be a result is a table only, as a constant of a body is.
    let large = types::read(ty, &linked.scope()).is_ok_and(|ty| ty.has_array() && ty.width() > MAX_LEAVES);
    let function: syn::ItemFn = if large {
        syn::parse_quote!(fn #ident() { const #ident: #ty = #expr; })
    } else {
        syn::parse_quote!(fn #ident() -> #ty { #expr })
    };
    let callable = Callable::of_function(&function, linked.scope(), &id);
    let mut constants = Constants::new(krate);
    constants.wrong = refused;
    if let syn::Type::Reference(_) = syntax::peel_type(ty) {
        let message = "a `#[device] const` cannot be a reference";
        let help = "use a number, a vector, a tuple, an array or a struct";
        reporter.refuse(&**ty, Refused::new(Code::V201, message).help(help));
    } else if !refused {
        let found = reporter.apart(|reporter| {
            callable.check(&mut constants, reporter);
            std::mem::take(&mut reporter.diags)
        });
        // It is also a constant of Rust, so rustc reports the wrong type.
        constants.wrong |= found.as_slice().iter().any(|diag| diag.code == Code::V200);
        reporter.diags.extend(found.as_slice().iter().filter(|diag| diag.code != Code::V200).cloned());
    }
    if let (true, Some(outer)) = (!reporter.has_errors(), constants.list.first()) {
        let message = format!("the value of `{ident}` depends on `{}`, which is not a `#[device] const`", outer.key);
        let help = format!("make it a `#[device] const {}` too", outer.key);
        reporter.refuse(&*constant.expr, Refused::new(Code::V006, message).help(help));
    }
    let mut values = Vec::new();
    let mut widths = TokenStream::new();
    if let (true, false, Ok(ty)) = (!reporter.has_errors(), constants.wrong, types::read(ty, &linked.scope())) {
        match evaluate::definition(&ty, expr, linked.scope(), None) {
            Ok(value) => {
                widths = widths::assertions(&quote!(#ident), &ty, expr, &value);
                values.push((ident.unraw().to_string(), value.bits));
            }
            Err(Failure::Endless) => reporter.refuse(ident, evaluate::endless(&ident.unraw().to_string())),
            Err(Failure::Unknown) => {}
        }
    }
    let errors = reporter.tokens();
    let conditions = syntax::conditions(&constant.attrs);
    let widths = (!widths.is_empty()).then(|| quote! { #(#conditions)* const _: () = { #widths }; });
    let mut bare = constant.clone();
    bare.attrs.clear();
    bare.vis = syn::Visibility::Inherited;
    let fact = Fact {
        kind: Kind::Constant,
        id: id.clone(),
        name: ident.unraw().to_string(),
        broken: !errors.is_empty() || constants.wrong,
        names: names(&linked),
        constants: Vec::new(),
        values,
        items: vec![syn::Item::Const(bare)],
    };
    let definition = nameable.then(|| macro_for(ident, hash, &constant.vis, &conditions, facts(&fact, &linked)));
    quote! { #errors #widths #definition }
}

/// Gives the fact of an implementation the values of its constants that are known, and what rustc asserts of them, whose
/// paths `named` tells.
pub(super) fn of_implementation<'a>(
    item: &'a syn::ItemImpl,
    (linked, fact): (&mut Linked, &mut Fact),
    self_ty: &Ty,
    named: impl Fn(&Ident) -> TokenStream,
    reporter: &mut Reporter<'a>,
) -> TokenStream {
    let own = Own { self_ty: Some(self_ty.clone()), ..Own::default() };
    let mut widths = TokenStream::new();
    for constant in &item.items {
        let syn::ImplItem::Const(constant) = constant else { continue };
        let (ident, expr) = (&constant.ident, &constant.expr);
        let scope = linked.scope();
        let Ok(ty) = types::read(&constant.ty, &Within { own: &own, around: &scope }) else { continue };
        match evaluate::definition(&ty, expr, scope, own.self_ty.clone()) {
            Ok(value) => {
                widths.extend(widths::assertions(&named(ident), &ty, expr, &value));
                let known = (ident.unraw().to_string(), value.bits);
                fact.values.push(known.clone());
                linked.know(&fact.id, known);
            }
            Err(Failure::Endless) => reporter.refuse(ident, evaluate::endless(&ident.to_string())),
            Err(Failure::Unknown) => {}
        }
    }
    widths
}
