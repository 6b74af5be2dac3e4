//! `#[device] trait`, `#[device] impl` of a trait, and structs that have traits.
//!
//! rustc sees a trait with its constants, and the implementations with theirs. Its functions are there too, with a
//! bound that no type satisfies outside of editors, because only kernels call them. For each function there is a hidden
//! constant, by which rustc judges whether the trait is in scope where the function is used.
//!
//! A struct lists its traits, `#[element(traits(Shape))]`, and each implementation stands in its module. An
//! implementation becomes a macro of a name that trait and struct make, and the struct's own macro hands on what all
//! of them told. A type of the language has no macro, so the trait lists it, `#[device(types(f32))]`, and its
//! implementation stands in the module of the trait, whose macro hands it on.

use super::element::Options;
use super::function::{Callable, attributes};
use super::methods::{bare as bare_implementation, own_name};
use super::operators::Listed;
use super::{Constants, constant, facts, names, params, start};
use crate::generics;
use crate::infer::{StructTy, Ty};
use crate::link::chain::{Job, State, hidden_name, macro_for};
use crate::link::facts::{Fact, Kind, identity};
use crate::link::traits::{functions_of, last_name};
use crate::link::{Linked, Scope};
use crate::names::{NoNames, Own, Within};
use crate::parse;
use crate::privacy::{Judged, privacy_mark, probes};
use crate::report::{Refused, Reporter};
use crate::spell::spelled;
use crate::syntax::{self, spelled_path};
use crate::types;
use crate::warn;
use crate::words::around::{Around, Plain};
use crate::words::operators::instead_of_trait;
use crate::words::reserved::{is_nameable, is_of_language};
use crate::words::suggest::methods_of;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::{Code, Diag};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// The macro of a struct with its layout and its own methods, for the implementations of its traits.
pub(super) fn self_name(structure: &Ident) -> Ident {
    Ident::new(&format!("__samebits_self_{}", structure.unraw()), structure.span())
}

/// The macro of the implementation of a trait for a type.
fn implementation_name(of_trait: &syn::Path, ty: &str) -> Ident {
    let at = of_trait.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    Ident::new(&format!("__samebits_{}_for_{ty}", last_name(of_trait)), at)
}

/// The macro of the implementation of a trait that a type of this name lists.
pub(super) fn marker_of_listed(listed: &Listed, name: &Ident) -> Option<Ident> {
    listed.operator().is_none().then(|| marker_of_path(&listed.path, name))
}

/// The same of a trait by its path.
pub(super) fn marker_of_path(of_trait: &syn::Path, name: &Ident) -> Ident {
    implementation_name(of_trait, &syntax::plain(name))
}

/// A type as a part of the name of a macro.
pub(super) fn spelled_type(ty: &syn::Type) -> String {
    match syntax::peel_type(ty) {
        syn::Type::Path(path) if path.path.get_ident().is_some() => last_name(&path.path),
        ty => ty.to_token_stream().to_string().replace(|c: char| !c.is_alphanumeric(), "_"),
    }
}

/// The types of the language that `#[device(types(…))]` lists, as far as they can be read.
pub(super) fn types(args: &TokenStream) -> Vec<syn::Type> {
    let metas = syntax::separated::<syn::Meta>(args.clone()).unwrap_or_default();
    let lists = metas.iter().filter(|meta| meta.path().is_ident("types"));
    lists.filter_map(|meta| listed(meta).ok()).flatten().collect()
}

fn listed(meta: &syn::Meta) -> syn::Result<Vec<syn::Type>> {
    let list = meta.require_list()?;
    Ok(list.parse_args_with(Punctuated::<syn::Type, syn::Token![,]>::parse_terminated)?.into_iter().collect())
}

/// The report of what `#[device(types(…))]` cannot list.
pub(super) fn unsuitable_types(meta: &syn::Meta) -> TokenStream {
    let help = "list types of the language, as in `types(f32, Vec2<f32>)`";
    let list = match listed(meta) {
        Ok(list) => list,
        Err(error) => return Refused::new(Code::V101, error.to_string()).help(help).over(error.span()),
    };
    let mut seen: Vec<String> = Vec::new();
    let mut errors = TokenStream::new();
    for ty in &list {
        let shown = spelled(ty);
        if !is_of_language(ty) || types::read(ty, &NoNames).is_err() {
            let message = format!("`{shown}` is not a type of the language that values have");
            let help = "a struct or an enum says itself which traits it has: `#[element(traits(…))]`";
            errors.extend(Refused::new(Code::V101, message).help(help).on(ty));
        } else if seen.contains(&shown) {
            errors.extend(Refused::new(Code::V101, format!("`{shown}` is given twice")).on(ty));
        }
        seen.push(shown);
    }
    errors
}

/// The report of what the implementation of a trait for a type of the language cannot be.
pub(super) fn unsuitable_for_language(item: &syn::ItemImpl, of_trait: &syn::Path) -> TokenStream {
    let refuse = |node: &dyn ToTokens, message: &str, help: &str| Refused::new(Code::V102, message).help(help).on(node);
    if let Some((Some(not), ..)) = &item.trait_ {
        return refuse(not, "a `#[device] impl` cannot be negative", "remove it");
    }
    if !item.generics.params.is_empty() {
        let help = "write one for each type";
        return refuse(&item.generics, "the implementation of a trait of kernels cannot be generic", help);
    }
    if of_trait.get_ident().is_none() {
        let message = "the implementation of a trait for a type of the language must stand in the trait's module";
        return refuse(of_trait, message, "move it there, and name the trait without a path");
    }
    TokenStream::new()
}

/// The macro of what an implementation adds to: of the type, or of the trait if the type has none.
pub(super) fn declaration(item: &syn::ItemImpl) -> Option<Ident> {
    match &item.trait_ {
        Some((_, path, _)) if is_of_language(&item.self_ty) => path.get_ident().map(self_name),
        _ => own_name(item).map(self_name),
    }
}

/// What stands for an implementation of a trait that kernels cannot use: itself, and the macro that its type calls.
pub(super) fn placeholder(item: &syn::ItemImpl, of_trait: &syn::Path) -> TokenStream {
    let definition = broken(&implementation_name(of_trait, &spelled_type(&item.self_ty)), &item.attrs);
    quote! { #item #definition }
}

/// The macro of an implementation that was refused.
pub(super) fn broken(marker: &Ident, attrs: &[syn::Attribute]) -> TokenStream {
    let (id, hash) = identity(marker);
    let fact = Fact {
        kind: Kind::Implementation,
        id,
        name: marker.to_string(),
        broken: true,
        names: Vec::new(),
        constants: Vec::new(),
        values: Vec::new(),
        items: Vec::new(),
    };
    let conditions = syntax::conditions(attrs);
    let facts = facts(&fact, &Linked::default());
    macro_for(marker, hash, &syn::Visibility::Inherited, &conditions, facts)
}

/// What rustc sees of a trait.
pub(super) fn head(item: &syn::ItemTrait, krate: &syn::Path, types: &[syn::Type]) -> TokenStream {
    let attrs: Vec<syn::Attribute> = syntax::named(&item.attrs, &syntax::ON_TYPE).filter_map(warn::outside).collect();
    let syn::ItemTrait { vis, ident, colon_token, supertraits, .. } = item;
    let constants = item.items.iter().filter(|item| matches!(item, syn::TraitItem::Const(_)));
    let of = generics::on_device(krate, &ident.unraw().to_string());
    // A second one of a name is reported later.
    let is_first = |function: &&syn::TraitItemFn| {
        let first = functions_of(item).find(|other| other.sig.ident == function.sig.ident);
        first.is_some_and(|first| std::ptr::eq(first, *function))
    };
    let declared = |function: &syn::TraitItemFn, bound: &syn::TypeParamBound| {
        let documentation = syntax::named(&function.attrs, &["doc", "cfg"]);
        let mut sig = function.sig.clone();
        sig.generics.make_where_clause().predicates.push(syn::parse_quote!(Self: #bound));
        quote! {
            #(#documentation)*
            #[allow(unused, unused_mut, clippy::all, clippy::pedantic)]
            #sig { #krate::__private::editor::never() }
        }
    };
    let functions = functions_of(item).filter(is_first).map(|function| {
        let (mark, rust) = (privacy_mark(&function.sig.ident), declared(function, &of));
        let declared = match types {
            [] => rust,
            // No crate but ours can say of a type of the language that it has the bound.
            _ => {
                let editors = declared(function, &syn::parse_quote!(::core::marker::Sized));
                quote! { #[cfg(not(rust_analyzer))] #rust #[cfg(rust_analyzer)] #editors }
            }
        };
        quote! { #declared #[doc(hidden)] #[allow(non_upper_case_globals)] const #mark: () = (); }
    });
    quote! {
        #(#attrs)*
        #[allow(dead_code, unexpected_cfgs)]
        #vis trait #ident #colon_token #supertraits { #(#constants)* #(#functions)* }
    }
}

/// The report of what a trait of kernels cannot be.
pub(super) fn unsuitable(item: &syn::ItemTrait) -> TokenStream {
    let refuse = |node: &dyn ToTokens, message: &str, help: &str| Refused::new(Code::V102, message).help(help).on(node);
    let mut errors = TokenStream::new();
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        let node: &dyn ToTokens = match &item.generics.where_clause {
            Some(clause) if item.generics.params.is_empty() => clause,
            _ => &item.generics,
        };
        errors.extend(refuse(node, "a `#[device] trait` cannot be generic", "make its functions generic"));
    }
    if let Some(bound) = item.supertraits.iter().find(|bound| !generics::is_copy(bound)) {
        let help = "write the functions of both in one trait, or bound a type parameter by both: `T: A + B`";
        errors.extend(refuse(bound, "a `#[device] trait` cannot build on another trait", help));
    }
    if let Some(word) = &item.unsafety {
        errors.extend(refuse(word, "a `#[device] trait` cannot be `unsafe`", "remove the word"));
    }
    for item in &item.items {
        match item {
            syn::TraitItem::Fn(_) => {}
            syn::TraitItem::Const(constant) if constant.generics.params.is_empty() => {}
            other => {
                let message = "a `#[device] trait` can only hold functions and constants";
                errors.extend(refuse(other, message, "write a function or a constant"));
            }
        }
    }
    errors
}

/// A trait once all that it names is linked. What was refused is not compiled.
pub(super) fn finish(
    item: syn::ItemTrait,
    krate: &syn::Path,
    mut linked: Linked,
    (types, refused): (&[syn::Type], bool),
) -> TokenStream {
    let name = &item.ident;
    let (id, hash) = identity(name);
    let mut reporter = Reporter::new();
    let nameable = is_nameable(name, "a trait", &mut reporter);
    let mut known = names(&linked);
    known.push((name.unraw().to_string(), id.clone()));
    let fact = Fact {
        kind: Kind::Trait,
        id: id.clone(),
        name: name.unraw().to_string(),
        broken: false,
        names: known,
        constants: Vec::new(),
        values: Vec::new(),
        items: vec![syn::Item::Trait(bare(item.clone(), types))],
    };
    // While it is checked, it may name itself.
    linked.name(name.clone().into(), fact.clone());
    let scope = linked.scope();
    let self_ty = Ty::Struct(StructTy::with_traits("Self", vec![id.clone()], false));
    let own = Own { self_ty: Some(self_ty), bounds: vec![("Self".to_owned(), vec![id.clone()])], ..Own::default() };
    attributes_of_trait(&item.attrs, &mut reporter);
    let mut constants = Constants::new(krate);
    let mut uses = Vec::new();
    let mut seen: Vec<&Ident> = Vec::new();
    for item in item.items.iter().filter(|_| !refused) {
        let ident = match item {
            syn::TraitItem::Fn(function) => &function.sig.ident,
            syn::TraitItem::Const(constant) => &constant.ident,
            _ => continue,
        };
        if twice(&mut seen, ident, &mut reporter) {
            continue;
        }
        match item {
            syn::TraitItem::Fn(function) => {
                attributes(&function.attrs, &mut reporter);
                uses.extend(function_of_trait(function, (scope, &own, &id), &mut constants, &mut reporter));
            }
            syn::TraitItem::Const(constant) => {
                if let Err(refused) = types::read(&constant.ty, &Within { own: &own, around: &scope }) {
                    reporter.refuse(&constant.ty, refused);
                }
            }
            _ => {}
        }
    }
    constants.named(&linked);
    let (probes, unnamed) = probes(&uses, &linked, Some(&id), krate);
    let mut errors = reporter.tokens();
    errors.extend(unnamed);
    let right = errors.is_empty() && !constants.wrong && !refused;
    let conditions = syntax::conditions(&item.attrs);
    let bodies = functions_of(&item).filter(|_| right);
    let warnings = bodies.clone().filter_map(|function| {
        let attrs = [item.attrs.as_slice(), &function.attrs].concat();
        let block = function.default.as_ref()?;
        Some(warn::warnings((&function.sig, block), &TokenStream::new(), &attrs, &linked))
    });
    let warnings: TokenStream = warnings.collect();
    let demanded = |function: &syn::TraitItemFn| generics::demanded(&function.sig.generics, std::iter::empty(), krate);
    let classes: TokenStream = bodies.map(demanded).collect();
    let own = self_name(name);
    // Those that implement it for types of the language ask for it by this name.
    let (called, vis) = if types.is_empty() { (name, &item.vis) } else { (&own, &syn::Visibility::Inherited) };
    let passed_on = constants.of_trait((vis, called), &conditions);
    let fact = Fact { broken: !right, constants: constants.list, ..fact };
    let mut definition = TokenStream::new();
    if nameable {
        definition.extend(macro_for(called, hash, vis, &conditions, facts(&fact, &linked)));
    }
    if nameable && types.is_empty() {
        let hidden = hidden_name(name, hash);
        definition.extend(quote! { #(#conditions)* #[doc(hidden)] #[allow(unused_imports)] use #hidden as #own; });
    }
    if nameable && !types.is_empty() {
        let lacks = |ty: &&syn::Type| Around::lacks_implementation(name, &syntax::plain(name), &spelled(ty));
        let (lacking, types): (Vec<&syn::Type>, Vec<&syn::Type>) = types.iter().partition(lacks);
        for ty in &lacking {
            let (of, shown) = (name.unraw(), spelled(ty));
            let message = format!("`{of}` lists `{shown}`, but there is no `#[device] impl {of} for {shown}`");
            let help = "write it in the module of the trait, or remove it from the list";
            definition.extend(Refused::new(Code::V102, message).help(help).on(ty));
        }
        for ty in &types {
            let has = quote_spanned!(ty.span()=> const _: () = { fn has<__T: #name>() {} _ = has::<#ty>; };);
            definition.extend(quote! { #(#conditions)* #has });
        }
        let markers = types.iter().map(|ty| implementation_name(&name.clone().into(), &spelled_type(ty)).into());
        let names = std::iter::once(own.clone().into()).chain(markers).collect();
        let (vis, bare) = (&item.vis, bare(item.clone(), &[]));
        let item = quote! { #(#conditions)* #vis #bare };
        // What it lacks is no further mistake of its uses.
        let arguments = if lacking.is_empty() { quote!(crate = #krate) } else { super::refused(krate) };
        definition.extend(start(State::new(Job::WithTraits, arguments, item, names), krate));
    }
    quote! { #errors #probes #classes #passed_on #definition #warnings }
}

/// Checks a function of a trait, for a type of which nothing is known but the trait.
fn function_of_trait<'a>(
    function: &'a syn::TraitItemFn,
    (scope, own, id): (Scope<'a>, &Own, &str),
    constants: &mut Constants,
    reporter: &mut Reporter<'a>,
) -> Vec<Judged<'a>> {
    let sig = &function.sig;
    if let Some(block) = &function.default {
        let callable = Callable { sig, block, scope, home: Some(id.to_owned()), of: None, own: own.clone(), id };
        return callable.check(constants, reporter);
    }
    let before = reporter.diags.count();
    params::unsuitable(sig, reporter);
    parse::refuse_bounds(&sig.generics, scope, reporter);
    if reporter.diags.count() == before {
        signature(sig, own, scope, reporter);
    }
    Vec::new()
}

/// What a signature takes and gives, for one of the choices that it is checked for.
fn signature<'a>(
    sig: &'a syn::Signature,
    own: &Own,
    scope: Scope<'_>,
    reporter: &mut Reporter<'a>,
) -> (Vec<crate::hir::BodyParam>, Ty) {
    let self_ty = |_: &Own| own.self_ty.clone();
    let instances = params::instances(&[&sig.generics], (own, scope), &self_ty);
    let instance = instances.into_iter().next().unwrap_or_default();
    params::signature(sig, &Within { own: &instance, around: &scope }, reporter)
}

/// Whether a name was seen before, which is reported.
pub(super) fn twice<'a>(seen: &mut Vec<&'a Ident>, ident: &'a Ident, reporter: &mut Reporter<'a>) -> bool {
    if let Some(first) = seen.iter().find(|other| **other == ident) {
        let message = format!("`{ident}` is defined twice");
        let label = format!("`{ident}` is first defined here");
        let (first, second) = (reporter.loc(*first), reporter.loc(ident));
        reporter.report(Diag::new(Code::V001, second, message).label(first, label));
        return true;
    }
    seen.push(ident);
    false
}

fn attributes_of_trait<'a>(attrs: &'a [syn::Attribute], reporter: &mut Reporter<'a>) {
    crate::attributes::of_item(attrs, "trait", &[], reporter);
}

/// A trait without what only its definition needs. The types that it lists are kept for their implementations.
fn bare(mut item: syn::ItemTrait, types: &[syn::Type]) -> syn::ItemTrait {
    item.attrs.clear();
    if !types.is_empty() {
        item.attrs.push(syn::parse_quote!(#[device(types(#(#types),*))]));
    }
    item.vis = syn::Visibility::Inherited;
    item.supertraits.clear();
    item.colon_token = None;
    for item in &mut item.items {
        match item {
            syn::TraitItem::Fn(function) => function.attrs.clear(),
            syn::TraitItem::Const(constant) => constant.attrs.clear(),
            _ => {}
        }
    }
    item
}

/// What rustc sees of the implementation of a trait: its constants, and a type that has those from outside.
pub(super) fn head_of_implementation(item: &syn::ItemImpl, of_trait: &syn::Path) -> TokenStream {
    let name = &item.self_ty;
    let constants = item.items.iter().filter(|item| matches!(item, syn::ImplItem::Const(_)));
    let conditions = syntax::conditions(&item.attrs);
    let marker = implementation_name(of_trait, &spelled_type(name));
    quote! {
        #(#conditions)*
        impl #of_trait for #name { #(#constants)* }
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations, dead_code)]
        enum #marker {}
    }
}

/// The implementation of a trait once all that it names is linked. What was refused is not compiled.
pub(super) fn finish_implementation(
    item: syn::ItemImpl,
    krate: &syn::Path,
    mut linked: Linked,
    refused: bool,
) -> TokenStream {
    let (Some(own_macro), Some((_, path, _))) = (declaration(&item), &item.trait_) else { return TokenStream::new() };
    let (of_language, name) = (is_of_language(&item.self_ty), &item.self_ty);
    let shown = spelled(name);
    // The trait itself, if the type is one of the language.
    let Some(structure) = linked.direct().find(|(path, _)| path.is_ident(&own_macro)).map(|(_, fact)| fact.clone())
    else {
        return TokenStream::new();
    };
    let mut reporter = Reporter::new();
    let marker = implementation_name(path, &spelled_type(name));
    let (id, hash) = identity(&marker);
    let conditions = syntax::conditions(&item.attrs);
    let attrs = match structure.items.first() {
        Some(syn::Item::Struct(item)) => &item.attrs[..],
        Some(syn::Item::Enum(item)) => &item.attrs[..],
        _ => &[],
    };
    let of_trait = match of_language {
        true => Some(&structure).filter(|fact| fact.kind == Kind::Trait).cloned(),
        false => linked.scope().trait_named(path).cloned(),
    };
    let announced = match structure.of_trait().filter(|_| of_language) {
        Some(of) => listed_by(of).iter().any(|ty| spelled(ty) == shown),
        None => Options::of(attrs).0.traits.iter().any(|of| last_name(&of.path) == last_name(path)),
    };
    if !announced && !structure.broken && !refused {
        let of = spelled_path(path);
        let (at, message, help): (&dyn ToTokens, String, String) = match of_language {
            true => (
                name,
                format!("the trait `{of}` does not say that `{shown}` has it"),
                format!("write `#[device(types({shown}))]` before `trait {of}`"),
            ),
            false => (
                path,
                format!("`{shown}` does not say that it has the trait `{of}`"),
                format!("write `#[element(traits({of}))]` below the `#[derive(…)]` of `{shown}`"),
            ),
        };
        reporter.refuse(at, Refused::new(Code::V102, message).help(help));
    }
    if of_trait.is_none() && !refused {
        reporter.refuse(path, no_trait(path));
    }
    let mut known = names(&linked);
    known.retain(|(path, _)| own_macro != path);
    let declared: syn::Path = match own_name(&item).filter(|_| !of_language) {
        Some(name) => name.clone().into(),
        None => path.clone(),
    };
    known.push((spelled_path(&declared), structure.id.clone()));
    let mut fact = Fact {
        kind: Kind::Implementation,
        id: id.clone(),
        name: marker.to_string(),
        broken: false,
        names: known,
        constants: Vec::new(),
        values: Vec::new(),
        items: vec![syn::Item::Impl(bare_implementation(item.clone()))],
    };
    // While its functions are compiled, the struct has them all.
    linked.name(declared, structure.clone());
    linked.name(marker.clone().into(), fact.clone());
    let self_ty = match structure.broken {
        true => Ty::Error,
        false if of_language => types::read(name, &NoNames).unwrap_or(Ty::Error),
        false => linked.scope().of_arguments(&structure, Vec::new()).unwrap_or(Ty::Error),
    };
    let widths = if refused || structure.broken {
        TokenStream::new()
    } else {
        let named = |ident: &Ident| quote!(<#name as #path>::#ident);
        constant::of_implementation(&item, (&mut linked, &mut fact), &self_ty, named, &mut reporter)
    };
    let own = Own { self_ty: Some(self_ty), ..Own::default() };
    let scope = linked.scope();
    attributes(&item.attrs, &mut reporter);
    let mut constants = Constants::new(krate);
    let mut uses = Vec::new();
    let mut seen: Vec<&Ident> = Vec::new();
    for part in item.items.iter().filter(|_| !refused) {
        let function = match part {
            syn::ImplItem::Fn(function) => function,
            syn::ImplItem::Const(_) => continue,
            other => {
                let message = "a `#[device] impl` can only hold functions and constants";
                reporter.refuse(other, Refused::new(Code::V102, message));
                continue;
            }
        };
        let (sig, block) = (&function.sig, &function.block);
        if twice(&mut seen, &sig.ident, &mut reporter) {
            continue;
        }
        let method = sig.ident.unraw().to_string();
        if sig.receiver().is_some() && own.self_ty.as_ref().is_some_and(|ty| has_method(ty, &method)) {
            let message = format!("`{shown}` has a method `{method}` of the language");
            let help = "rename it in the trait, so that a call of it has one meaning";
            reporter.refuse(&sig.ident, Refused::new(Code::V102, message).help(help));
            continue;
        }
        attributes(&function.attrs, &mut reporter);
        let before = reporter.diags.count();
        let callable = Callable { sig, block, scope, home: Some(id.clone()), of: None, own: own.clone(), id: &id };
        uses.extend(callable.check(&mut constants, &mut reporter));
        if let Some(of_trait) = &of_trait
            && reporter.diags.count() == before
            && own.self_ty != Some(Ty::Error)
        {
            fits(sig, of_trait, (scope, &own), &mut reporter);
        }
    }
    if let Some(of) = of_trait.as_ref().and_then(Fact::of_trait).filter(|_| !refused) {
        let lacking = functions_of(of).filter(|function| function.default.is_none());
        let lacking = lacking.map(|function| &function.sig.ident).filter(|name| !seen.contains(name));
        let lacking: Vec<String> = lacking.map(|name| format!("`{}`", name.unraw())).collect();
        if !lacking.is_empty() {
            let message = format!("`{shown}` lacks {} of the trait `{}`", lacking.join(", "), of.ident);
            reporter.refuse(path, Refused::new(Code::V102, message).help("write all functions of the trait"));
        }
    }
    let (probes, unnamed) = probes(&uses, &linked, Some(&structure.id), krate);
    let mut errors = reporter.tokens();
    errors.extend(unnamed);
    let right = errors.is_empty() && !constants.wrong && !refused;
    let bodies = item.items.iter().filter_map(|part| match part {
        syn::ImplItem::Fn(function) if right => Some(function),
        _ => None,
    });
    let warnings = bodies.clone().map(|function| {
        let attrs = [item.attrs.as_slice(), &function.attrs].concat();
        warn::warnings((&function.sig, &function.block), &TokenStream::new(), &attrs, &linked)
    });
    let warnings: TokenStream = warnings.collect();
    let demanded = |function: &syn::ImplItemFn| generics::demanded(&function.sig.generics, std::iter::empty(), krate);
    let classes: TokenStream = bodies.map(demanded).collect();
    constants.named(&linked);
    let passed_on = constants.implementation(&quote!(#marker), &conditions);
    fact.constants.clone_from(&constants.list);
    fact.broken = !right;
    let definition = macro_for(&marker, hash, &syn::Visibility::Inherited, &conditions, facts(&fact, &linked));
    let widths = (!widths.is_empty() && right).then(|| quote! { #(#conditions)* const _: () = { #widths }; });
    quote! { #errors #probes #classes #passed_on #widths #definition #warnings }
}

/// Whether values of a type of the language have a method of this name.
fn has_method(ty: &Ty, name: &str) -> bool {
    let (scalar, lanes) = match ty {
        Ty::Vector(lane, lanes) => (lane.scalar(), Some(*lanes)),
        ty => (ty.scalar(), None),
    };
    scalar.is_some_and(|scalar| methods_of(scalar, lanes).any(|known| known == name))
}

/// Whether a trait is for the host alone: one of Rust's, or one that the file shows.
pub(super) fn is_plain(path: &syn::Path) -> bool {
    instead_of_trait(path).is_some()
        || path.segments.last().and_then(|last| Around::plain_of(&last.ident)) == Some(Plain::Trait)
}

/// The report that a path leads to no trait of kernels.
pub(super) fn no_trait(path: &syn::Path) -> Refused {
    let shown = spelled_path(path);
    if let Some(instead) = instead_of_trait(path) {
        return Refused::new(Code::V102, format!("`{shown}` is no trait that kernels have")).help(instead);
    }
    let help = match path.segments.last().and_then(|last| Around::plain_of(&last.ident)) {
        Some(Plain::Trait) => format!("write `#[device]` before `trait {shown}`"),
        _ => "implement a trait with `#[device]`, or write the functions in an `impl` without a trait".to_owned(),
    };
    Refused::new(Code::V102, format!("`{shown}` is not a trait that kernels can use")).help(help)
}

/// Reports a function that is not as its trait says.
fn fits<'a>(sig: &'a syn::Signature, of_trait: &Fact, (scope, own): (Scope<'_>, &Own), reporter: &mut Reporter<'a>) {
    let name = &sig.ident;
    let Some(of) = of_trait.of_trait() else { return };
    let Some(declared) = functions_of(of).find(|function| function.sig.ident == *name) else {
        let names: Vec<String> = functions_of(of).map(|function| format!("`{}`", function.sig.ident.unraw())).collect();
        let message = format!("the trait `{}` has no function `{}`", of.ident, name.unraw());
        let refused = Refused::new(Code::V203, message);
        reporter.refuse(
            name,
            match names.as_slice() {
                [] => refused,
                names => refused.help(format!("it has {}", names.join(", "))),
            },
        );
        return;
    };
    // What is wrong in the trait was reported there.
    let mut silent = Reporter::new();
    let expected = signature(&declared.sig, own, scope.of(of_trait), &mut silent);
    let found = signature(sig, own, scope, &mut Reporter::new());
    if silent.has_errors() {
        return;
    }
    let unknown = |ty: &Ty| matches!(ty, Ty::Struct(def) if def.unknown.is_some());
    let same = |a: &Ty, b: &Ty| a == b || unknown(a) && unknown(b);
    let generics = |sig: &syn::Signature| generics::parameters(&sig.generics).len();
    let params = expected.0.len() == found.0.len()
        && expected
            .0
            .iter()
            .zip(&found.0)
            .all(|(a, b)| same(&a.ty, &b.ty) && a.passing == b.passing && (a.name == "self") == (b.name == "self"));
    if params && same(&expected.1, &found.1) && generics(&declared.sig) == generics(sig) {
        return;
    }
    let message = format!("`{}` differs from that of the trait `{}`", name.unraw(), of.ident);
    let help = format!("write `{}`", spelled(&declared.sig));
    reporter.refuse(name, Refused::new(Code::V200, message).help(help));
}

/// The types of the language that a trait lists, as its fact tells.
fn listed_by(item: &syn::ItemTrait) -> Vec<syn::Type> {
    item.attrs.iter().filter_map(|attr| attr.meta.require_list().ok()).flat_map(|list| types(&list.tokens)).collect()
}

/// The names of a type that has traits: the macros of what it is and of all its traits.
pub(super) fn names_of_type(name: &Ident, traits: &[Listed], params: &[String]) -> Vec<syn::Path> {
    let marker = |listed: &Listed| marker_of_listed(listed, name).unwrap_or_else(|| listed.marker(name, params));
    let implementations = traits.iter().map(|listed| marker(listed).into());
    std::iter::once(self_name(name).into()).chain(implementations).collect()
}

/// A struct or an enum with the implementations of its traits, or a trait with those for types of the language.
pub(super) fn finish_type(item: &syn::Item, krate: &syn::Path, linked: Linked, refused: bool) -> TokenStream {
    let (name, vis, attrs) = match item {
        syn::Item::Struct(item) => (&item.ident, &item.vis, &item.attrs),
        syn::Item::Enum(item) => (&item.ident, &item.vis, &item.attrs),
        syn::Item::Trait(item) => (&item.ident, &item.vis, &item.attrs),
        _ => return TokenStream::new(),
    };
    let own_macro = self_name(name);
    let Some(fact) = linked.direct().find(|(path, _)| path.is_ident(&own_macro)).map(|(_, fact)| fact.clone()) else {
        return TokenStream::new();
    };
    let conditions = syntax::conditions(attrs);
    let mut constants = Constants::new(krate);
    let passed_on = if fact.kind == Kind::Trait {
        constants.named(&linked);
        constants.of_trait((vis, name), &conditions)
    } else {
        // A type has its own constants already.
        constants.list.clone_from(&fact.constants);
        constants.named(&linked);
        let of = match item {
            syn::Item::Struct(item) => {
                let (of, arguments, clause) = item.generics.split_for_impl();
                quote!(#of #name #arguments #clause)
            }
            _ => quote!(#name),
        };
        constants.implementation(&of, &conditions)
    };
    let broken = refused || fact.broken || linked.direct().any(|(_, fact)| fact.broken);
    let fact = Fact { constants: constants.list, broken, ..fact };
    let definition = macro_for(name, identity(name).1, vis, &conditions, facts(&fact, &linked));
    quote! { #passed_on #definition }
}
