//! `#[device] impl`: the methods, associated functions and constants of a struct.
//!
//! With `#[element(methods)]` the struct's derive leaves the public macro to the
//! implementation, and gives it the layout by a macro of another name. All methods of a struct
//! are in one implementation, so that they may call each other. Without `#[element(methods)]` a
//! struct has the macro for its layout too, so that the implementation can say what is missing.

use super::element::{Options, is_announced};
use super::function::{Callable, attributes};
use super::{Constants, constant, facts, names, params, traits};
use crate::docs;
use crate::generics;
use crate::infer::Ty;
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, identity};
use crate::link::{self, Linked};
use crate::names::Own;
use crate::privacy::{privacy_mark, probes};
use crate::report::{Refused, Reporter};
use crate::syntax;
use crate::warn;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use samebits_ir::diag::{Code, Diag};
use syn::ext::IdentExt;

/// The name of the macro that hands on a struct's layout to its implementation.
pub(super) fn layout_name(structure: &Ident) -> Ident {
    Ident::new(&format!("__samebits_layout_{}", structure.unraw()), structure.span())
}

/// The name of the type that stands for a generic struct where it is asked whether its methods exist.
pub(super) fn announced_name(structure: &Ident) -> Ident {
    Ident::new(&format!("__samebits_methods_{}", structure.unraw()), structure.span())
}

/// The struct that an implementation is of.
pub(super) fn own_name(implementation: &syn::ItemImpl) -> Option<&Ident> {
    match syntax::peel_type(&implementation.self_ty) {
        syn::Type::Path(path) if path.path.segments.len() == 1 && path.path.leading_colon.is_none() => {
            path.path.segments.last().map(|last| &last.ident)
        }
        _ => None,
    }
}

fn error(node: &dyn ToTokens, message: &str, help: &str) -> TokenStream {
    Refused::new(Code::V102, message).help(help).on(node)
}

/// The report that an implementation is of something else than a struct of the same module.
pub(super) fn unnamed(implementation: &syn::ItemImpl) -> TokenStream {
    let help = "write `#[device] impl Name { … }` in the module of the struct";
    error(&implementation.self_ty, "a `#[device] impl` must be for a struct, named without a path", help)
}

/// The report that an implementation is negative, or not of all types of a generic struct.
pub(super) fn unsuitable(implementation: &syn::ItemImpl) -> Option<TokenStream> {
    if let Some((Some(not), ..)) = &implementation.trait_ {
        return Some(error(not, "a `#[device] impl` cannot be negative", "remove it"));
    }
    if let (Some((_, path, _)), true) = (&implementation.trait_, is_generic(implementation)) {
        let help = "write a struct without type parameters for it";
        return Some(error(path, "a generic struct cannot have the traits of kernels", help));
    }
    let mut reporter = Reporter::new();
    params::unsuitable_generics(&implementation.generics, "a `#[device] impl`", &mut reporter);
    let wrong = reporter.tokens();
    if !wrong.is_empty() {
        return Some(wrong);
    }
    if generics::of_self(implementation).is_none() {
        let message = "a `#[device] impl` must be for all types of its struct";
        let help = "make each argument a parameter: `impl<T: Number> Pair<T>`";
        return Some(error(&implementation.self_ty, message, help));
    }
    let constant = implementation.items.iter().find(|item| matches!(item, syn::ImplItem::Const(_)));
    let generic = !implementation.generics.params.is_empty();
    constant.filter(|_| generic).map(|constant| {
        let help = "write a function that gives its value";
        error(constant, "a generic `#[device] impl` cannot have constants", help)
    })
}

/// Whether an implementation is of a generic struct.
fn is_generic(implementation: &syn::ItemImpl) -> bool {
    !implementation.generics.params.is_empty()
        || matches!(syntax::peel_type(&implementation.self_ty), syn::Type::Path(path) if !syntax::is_bare(&path.path))
}

/// What rustc sees of an implementation: its constants, and that it exists.
pub(super) fn head(implementation: &syn::ItemImpl, name: &Ident, krate: &syn::Path) -> TokenStream {
    let constants = implementation.items.iter().filter(|item| matches!(item, syn::ImplItem::Const(_)));
    let conditions = syntax::conditions(&implementation.attrs);
    let documentation = docs::of_methods(implementation);
    let marks = implementation.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) if !matches!(function.vis, syn::Visibility::Public(_)) => {
            let (vis, mark) = (&function.vis, privacy_mark(&function.sig.ident));
            Some(quote! {
                #[doc(hidden)]
                #[allow(non_upper_case_globals)]
                #vis const #mark: () = ();
            })
        }
        _ => None,
    });
    // A generic struct has a type without parameters for this.
    let announced = if is_generic(implementation) { announced_name(name) } else { name.clone() };
    let ((of, _, clause), ty) = (implementation.generics.split_for_impl(), &implementation.self_ty);
    quote! {
        #(#conditions)*
        impl #krate::__private::Implemented for #announced {}
        #(#conditions)*
        #documentation
        #[allow(dead_code)]
        impl #of #ty #clause { #(#constants)* #(#marks)* }
    }
}

/// An implementation once all that it names is linked. What was refused is not compiled.
pub(super) fn finish(
    implementation: syn::ItemImpl,
    krate: &syn::Path,
    mut linked: Linked,
    refused: bool,
) -> TokenStream {
    let Some(name) = own_name(&implementation) else { return TokenStream::new() };
    let layout = layout_name(name);
    let Some(fact) = linked.direct().find(|(path, _)| path.is_ident(&layout)).map(|(_, fact)| fact.clone()) else {
        return TokenStream::new();
    };
    let Some(mut declared) = fact.items.first().cloned() else { return TokenStream::new() };
    let (attrs, vis) = match &mut declared {
        syn::Item::Struct(item) => (&mut item.attrs, item.vis.clone()),
        syn::Item::Enum(item) => (&mut item.attrs, item.vis.clone()),
        _ => return TokenStream::new(),
    };
    let mut reporter = Reporter::new();
    if !is_announced(attrs) {
        // The struct is whole without methods; if it is wrong, that may be the reason.
        let help = format!("write `#[element(methods)]` below the `#[derive(…)]` of `{name}`");
        let message = format!("the struct `{name}` needs `#[element(methods)]` to have methods");
        let diag = Diag::new(Code::V102, reporter.loc(name), message).help(help);
        reporter.diags.extend((!fact.broken && !refused).then_some(diag));
        return reporter.tokens();
    }
    let traits = !Options::of(attrs).0.traits.is_empty();
    if !traits {
        attrs.retain(|attr| !attr.path().is_ident("element"));
    }
    let bare = bare(implementation.clone());
    let mut known = fact.names.clone();
    known.extend(names(&linked).into_iter().filter(|(path, _)| layout != path));
    known.push((name.unraw().to_string(), fact.id.clone()));
    let mut fact = Fact { items: vec![declared, syn::Item::Impl(bare)], names: known, ..fact };
    // While its methods are compiled, the struct has them all.
    linked.name(name.clone().into(), fact.clone());
    let self_ty = linked.scope().of_arguments(&fact, Vec::new()).ok();
    let widths = match self_ty {
        Some(self_ty @ (Ty::Struct(_) | Ty::Enum(_) | Ty::Sum(_))) if !fact.broken && !refused => {
            let named = |ident: &Ident| quote!(#name::#ident);
            constant::of_implementation(&implementation, (&mut linked, &mut fact), &self_ty, named, &mut reporter)
        }
        _ => TokenStream::new(),
    };
    let scope = linked.scope();
    attributes(&implementation.attrs, &mut reporter);
    let slots = link::slots(&fact).len();
    let given = generics::of_self(&implementation).map_or(slots, |given| given.len());
    let refused = if given == slots || refused {
        refused
    } else {
        // rustc says so, where its constants stand.
        true
    };
    // Those of the fields' types are there already.
    let mut constants = Constants { list: fact.constants.clone(), ..Constants::new(krate) };
    let mut fields = Vec::new();
    let mut seen: Vec<&Ident> = Vec::new();
    for item in implementation.items.iter().filter(|_| !refused) {
        let function = match item {
            syn::ImplItem::Fn(function) => function,
            syn::ImplItem::Const(_) => continue,
            other => {
                let message = "a `#[device] impl` can only hold functions and constants";
                reporter.refuse(other, Refused::new(Code::V102, message));
                continue;
            }
        };
        if let Some(first) = seen.iter().find(|other| **other == &function.sig.ident) {
            let message = format!("`{}` is defined twice", function.sig.ident);
            let label = format!("`{}` is first defined here", function.sig.ident);
            let (first, second) = (reporter.loc(*first), reporter.loc(&function.sig.ident));
            reporter.report(Diag::new(Code::V001, second, message).label(first, label));
            continue;
        }
        seen.push(&function.sig.ident);
        attributes(&function.attrs, &mut reporter);
        let callable = Callable {
            sig: &function.sig,
            block: &function.block,
            scope,
            home: Some(fact.id.clone()),
            of: Some((&implementation, &fact)),
            own: Own::default(),
            id: &fact.id,
        };
        fields.extend(callable.check(&mut constants, &mut reporter));
    }
    let (probes, unnamed) = probes(&fields, &linked, Some(&fact.id), krate);
    let mut errors = reporter.tokens();
    errors.extend(unnamed);
    let right = errors.is_empty() && !constants.wrong;
    let functions = || {
        implementation.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(function) if right => Some(function),
            _ => None,
        })
    };
    let warnings = functions().map(|function| {
        let attrs = [implementation.attrs.as_slice(), &function.attrs].concat();
        warn::warnings((&function.sig, &function.block), &TokenStream::new(), &attrs, &linked)
    });
    let warnings: TokenStream = warnings.collect();
    let demanded = |function: &syn::ImplItemFn| generics::demanded(&function.sig.generics, std::iter::empty(), krate);
    let own = right.then(|| generics::demanded(&implementation.generics, std::iter::empty(), krate));
    let classes: TokenStream = functions().map(demanded).chain(own).collect();
    constants.named(&linked);
    let conditions = syntax::conditions(&implementation.attrs);
    let ((of, _, clause), ty) = (implementation.generics.split_for_impl(), &implementation.self_ty);
    let passed_on = constants.implementation(&quote!(#of #ty #clause), &conditions);
    fact.constants.clone_from(&constants.list);
    fact.broken |= !errors.is_empty() || constants.wrong || refused;
    let hash = identity(name).1;
    let (called, vis) =
        if traits { (traits::self_name(name), syn::Visibility::Inherited) } else { (name.clone(), vis) };
    let definition = macro_for(&called, hash, &vis, &conditions, facts(&fact, &linked));
    let checked = !widths.is_empty() && errors.is_empty();
    let widths = checked.then(|| quote! { #(#conditions)* const _: () = { #widths }; });
    quote! { #errors #probes #classes #passed_on #widths #definition #warnings }
}

/// An implementation without what only its definition needs.
pub(super) fn bare(mut implementation: syn::ItemImpl) -> syn::ItemImpl {
    implementation.attrs.clear();
    for item in &mut implementation.items {
        match item {
            syn::ImplItem::Fn(function) => function.attrs.clear(),
            syn::ImplItem::Const(constant) => constant.attrs.clear(),
            _ => {}
        }
    }
    implementation
}
