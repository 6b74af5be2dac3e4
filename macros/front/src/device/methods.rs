//! `#[device] impl`: the methods, associated functions and constants of a struct.
//!
//! The struct's derive leaves its public macro to the implementation if it says
//! `#[element(methods)]`, and gives this one its layout by a macro of another name. All
//! methods of a struct stand in one implementation, so that they may call each other.

use super::function::{Callable, attributes};
use super::{Constants, conditions, facts, names};
use crate::infer::Ty;
use crate::kernel::probes;
use crate::link::Linked;
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, identity};
use crate::report;
use crate::spans::Spans;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use samebits_ir::diag::{Code, Diag, Diags};
use syn::ext::IdentExt;

/// The name of the macro that hands on a struct's layout to its implementation.
pub(super) fn layout_name(structure: &Ident) -> Ident {
    Ident::new(&format!("__samebits_layout_{}", structure.unraw()), structure.span())
}

/// The path of that macro.
pub(super) fn layout_path(implementation: &syn::ItemImpl) -> syn::Path {
    match own_name(implementation) {
        Some(name) => layout_name(name).into(),
        None => syn::parse_quote!(__samebits_layout),
    }
}

/// The struct that an implementation is of.
fn own_name(implementation: &syn::ItemImpl) -> Option<&Ident> {
    match crate::types::peel(&implementation.self_ty) {
        syn::Type::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// What rustc sees of an implementation: its constants, and that it exists.
pub(super) fn head(implementation: &syn::ItemImpl) -> Result<TokenStream, TokenStream> {
    let error = |node: &dyn ToTokens, message: &str, help: &str| {
        let text = format!("{message} [{}]\nhelp: {help}", Code::V102);
        Err(syn::Error::new_spanned(node.to_token_stream(), text).to_compile_error())
    };
    let Some(name) = own_name(implementation) else {
        let help = "write `#[device] impl Name { … }` in the module of the struct";
        return error(&implementation.self_ty, "a `#[device] impl` is of a struct, by its plain name", help);
    };
    if let Some((_, path, _)) = &implementation.trait_ {
        return error(path, "a kernel knows no traits", "write the methods without the trait");
    }
    if !implementation.generics.params.is_empty() {
        return error(&implementation.generics, "a `#[device] impl` cannot be generic", "make the methods generic");
    }
    let constants = implementation.items.iter().filter(|item| matches!(item, syn::ImplItem::Const(_)));
    let conditions = conditions(&implementation.attrs);
    Ok(quote! {
        #(#conditions)*
        #[allow(dead_code)]
        impl #name {
            #[doc(hidden)]
            pub const __SAMEBITS_DEVICE_IMPL: () = ();
            #(#constants)*
        }
    })
}

/// An implementation once all that it names is linked.
pub(super) fn finish(implementation: syn::ItemImpl, mut linked: Linked) -> TokenStream {
    let Some(name) = own_name(&implementation) else { return TokenStream::new() };
    let layout = layout_name(name);
    let Some(fact) = linked.direct().find(|(path, _)| path.is_ident(&layout)).map(|(_, fact)| fact.clone()) else {
        return TokenStream::new();
    };
    let Some(structure) = fact.structure().cloned() else { return TokenStream::new() };
    let (mut spans, mut diags) = (Spans::new(), Diags::new());
    let bare = bare(implementation.clone());
    let mut known = fact.names.clone();
    known.extend(names(&linked).into_iter().filter(|(path, _)| layout != path));
    known.push((name.unraw().to_string(), fact.id.clone()));
    let mut fact =
        Fact { items: vec![syn::Item::Struct(structure.clone()), syn::Item::Impl(bare)], names: known, ..fact };
    // While its methods are compiled, the struct has them all.
    linked.name(name.clone().into(), fact.clone());
    let scope = linked.scope();
    let self_ty = match fact.broken {
        true => Ty::Error,
        false => scope.structure(&fact).map_or(Ty::Error, Ty::Struct),
    };
    attributes(&implementation.attrs, &mut spans, &mut diags);
    // Those of the fields' types are there already.
    let mut constants = Constants { list: fact.constants.clone(), ..Constants::new() };
    let mut fields = Vec::new();
    for item in &implementation.items {
        let function = match item {
            syn::ImplItem::Fn(function) => function,
            syn::ImplItem::Const(_) => continue,
            other => {
                let loc = spans.add(other);
                diags.push(Diag::new(Code::V102, loc, "a `#[device] impl` holds functions and constants"));
                continue;
            }
        };
        attributes(&function.attrs, &mut spans, &mut diags);
        let callable = Callable {
            sig: &function.sig,
            block: &function.block,
            scope,
            home: Some(fact.id.clone()),
            self_ty: Some(self_ty.clone()),
            id: &fact.id,
        };
        fields.extend(callable.check(&mut constants, &mut spans, &mut diags));
    }
    let (probes, unnamed) = probes(&fields, &linked, Some(&fact.id));
    let mut errors = report::errors(&diags, &spans);
    errors.extend(unnamed);
    constants.named(&linked);
    let conditions = conditions(&implementation.attrs);
    let passed_on = constants.implementation(name, &conditions);
    fact.constants = constants.list;
    fact.broken |= !errors.is_empty();
    let hash = identity(name).1;
    let definition = macro_for(name, hash, &structure.vis, &conditions, facts(&fact, &linked));
    quote! { #errors #probes #passed_on #definition }
}

/// An implementation without what only its definition needs.
fn bare(mut implementation: syn::ItemImpl) -> syn::ItemImpl {
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
