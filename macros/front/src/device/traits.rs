//! `#[device] trait`, `#[device] impl` of a trait, and structs that have traits.
//!
//! rustc sees a trait with its constants, and the implementations with theirs. Its functions are there too, with a
//! bound that no type satisfies outside of editors, because only kernels call them. For each function there is a hidden
//! constant, by which rustc judges whether the trait is in scope where the function is used.
//!
//! A struct lists its traits, `#[element(traits(Shape))]`, and each implementation stands in its module. An
//! implementation becomes a macro of a name that trait and struct make, and the struct's own macro hands on what all
//! of them told.

use super::element::Options;
use super::function::{Callable, attributes};
use super::methods::{bare as bare_implementation, own_name};
use super::{Constants, facts, names, params, widths};
use crate::build::value::Failure;
use crate::generics;
use crate::infer::{StructTy, Ty};
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, Kind, identity};
use crate::link::traits::{functions_of, last_name};
use crate::link::{Linked, Scope};
use crate::lower::evaluate;
use crate::names::{Own, Within};
use crate::parse;
use crate::privacy::{Judged, privacy_mark, probes};
use crate::report::{Refused, Reporter};
use crate::syntax::{self, spelled_path};
use crate::types;
use crate::warn;
use crate::words::around::{Around, Plain};
use crate::words::reserved::is_nameable;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use samebits_ir::diag::{Code, Diag};
use syn::ext::IdentExt;

/// The macro of a struct with its layout and its own methods, for the implementations of its traits.
pub(super) fn self_name(structure: &Ident) -> Ident {
    Ident::new(&format!("__samebits_self_{}", structure.unraw()), structure.span())
}

/// The macro of the implementation of a trait for a struct.
pub(super) fn implementation_name(of_trait: &syn::Path, structure: &Ident) -> Ident {
    let at = of_trait.segments.last().map_or(structure.span(), |last| last.ident.span());
    Ident::new(&format!("__samebits_{}_for_{}", last_name(of_trait), structure.unraw()), at)
}

/// What rustc sees of a trait.
pub(super) fn head(item: &syn::ItemTrait, krate: &syn::Path) -> TokenStream {
    let attrs = syntax::named(&item.attrs, &syntax::ON_TYPE).filter_map(warn::outside);
    let syn::ItemTrait { vis, ident, colon_token, supertraits, .. } = item;
    let constants = item.items.iter().filter(|item| matches!(item, syn::TraitItem::Const(_)));
    let of = generics::on_device(krate, &ident.unraw().to_string());
    // A second one of a name is reported later.
    let is_first = |function: &&syn::TraitItemFn| {
        let first = functions_of(item).find(|other| other.sig.ident == function.sig.ident);
        first.is_some_and(|first| std::ptr::eq(first, *function))
    };
    let functions = functions_of(item).filter(is_first).map(|function| {
        let mark = privacy_mark(&function.sig.ident);
        let documentation = syntax::named(&function.attrs, &["doc", "cfg"]);
        let mut sig = function.sig.clone();
        sig.generics.make_where_clause().predicates.push(syn::parse_quote!(Self: #of));
        quote! {
            #(#documentation)*
            #[allow(unused, unused_mut, clippy::all, clippy::pedantic)]
            #sig { #krate::__private::editor::never() }
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            const #mark: () = ();
        }
    });
    quote! {
        #(#attrs)*
        #[allow(dead_code)]
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
pub(super) fn finish(item: syn::ItemTrait, krate: &syn::Path, mut linked: Linked, refused: bool) -> TokenStream {
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
        items: vec![syn::Item::Trait(bare(item.clone()))],
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
    let passed_on = constants.of_trait(&item, &conditions);
    let fact = Fact { broken: !right, constants: constants.list, ..fact };
    let definition = nameable.then(|| macro_for(name, hash, &item.vis, &conditions, facts(&fact, &linked)));
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
fn twice<'a>(seen: &mut Vec<&'a Ident>, ident: &'a Ident, reporter: &mut Reporter<'a>) -> bool {
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

/// A trait without what only its definition needs.
fn bare(mut item: syn::ItemTrait) -> syn::ItemTrait {
    item.attrs.clear();
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
pub(super) fn head_of_implementation(item: &syn::ItemImpl, of_trait: &syn::Path, name: &Ident) -> TokenStream {
    let constants = item.items.iter().filter(|item| matches!(item, syn::ImplItem::Const(_)));
    let conditions = syntax::conditions(&item.attrs);
    let marker = implementation_name(of_trait, name);
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
    let (Some(name), Some((_, path, _))) = (own_name(&item), &item.trait_) else { return TokenStream::new() };
    let own_macro = self_name(name);
    let Some(structure) = linked.direct().find(|(path, _)| path.is_ident(&own_macro)).map(|(_, fact)| fact.clone())
    else {
        return TokenStream::new();
    };
    let mut reporter = Reporter::new();
    let marker = implementation_name(path, name);
    let (id, hash) = identity(&marker);
    let conditions = syntax::conditions(&item.attrs);
    let attrs = match structure.items.first() {
        Some(syn::Item::Struct(item)) => &item.attrs[..],
        Some(syn::Item::Enum(item)) => &item.attrs[..],
        _ => &[],
    };
    let announced = Options::of(attrs).0.traits.iter().any(|of| last_name(of) == last_name(path));
    let of_trait = linked.scope().trait_named(path).cloned();
    if !announced && !structure.broken && !refused {
        let of = spelled_path(path);
        let help = format!("write `#[element(traits({of}))]` below the `#[derive(…)]` of `{name}`");
        let message = format!("the struct `{name}` does not say that it has the trait `{of}`");
        reporter.refuse(path, Refused::new(Code::V102, message).help(help));
    }
    if of_trait.is_none() && !refused {
        reporter.refuse(path, no_trait(path));
    }
    let mut known = names(&linked);
    known.retain(|(path, _)| own_macro != path);
    known.push((name.unraw().to_string(), structure.id.clone()));
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
    linked.name(name.clone().into(), structure.clone());
    linked.name(marker.clone().into(), fact.clone());
    let self_ty = match structure.broken {
        true => Ty::Error,
        false => linked.scope().of_arguments(&structure, Vec::new()).unwrap_or(Ty::Error),
    };
    let own = Own { self_ty: Some(self_ty), ..Own::default() };
    let mut widths = TokenStream::new();
    for constant in item.items.iter().filter(|_| !refused && !structure.broken) {
        let syn::ImplItem::Const(constant) = constant else { continue };
        let (ident, expr) = (&constant.ident, &constant.expr);
        let scope = linked.scope();
        let Ok(ty) = types::read(&constant.ty, &Within { own: &own, around: &scope }) else { continue };
        match evaluate::definition(&ty, expr, scope, own.self_ty.clone()) {
            Ok(value) => {
                widths.extend(widths::assertions(&quote!(<#name as #path>::#ident), &ty, expr, &value));
                let known = (ident.unraw().to_string(), value.bits);
                fact.values.push(known.clone());
                linked.know(&fact.id, known);
            }
            Err(Failure::Endless) => reporter.refuse(ident, evaluate::endless(&ident.to_string())),
            Err(Failure::Unknown) => {}
        }
    }
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
            let message = format!("`{name}` lacks {} of the trait `{}`", lacking.join(", "), of.ident);
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

/// Whether the file shows that a trait is for the host alone.
pub(super) fn is_plain(path: &syn::Path) -> bool {
    path.segments.last().and_then(|last| Around::plain_of(&last.ident)) == Some(Plain::Trait)
}

/// The report that a path leads to no trait of kernels.
pub(super) fn no_trait(path: &syn::Path) -> Refused {
    let shown = spelled_path(path);
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
    let help = format!("write `{}`", crate::spell::spelled(&declared.sig));
    reporter.refuse(name, Refused::new(Code::V200, message).help(help));
}

/// The names of a type that has traits: the macros of what it is and of all its traits.
pub(super) fn names_of_type(name: &Ident, traits: &[syn::Path]) -> Vec<syn::Path> {
    let implementations = traits.iter().map(|of| implementation_name(of, name).into());
    std::iter::once(self_name(name).into()).chain(implementations).collect()
}

/// A struct or an enum with the implementations of its traits.
pub(super) fn finish_type(item: &syn::Item, krate: &syn::Path, linked: Linked) -> TokenStream {
    let (name, vis, attrs) = match item {
        syn::Item::Struct(item) => (&item.ident, &item.vis, &item.attrs),
        syn::Item::Enum(item) => (&item.ident, &item.vis, &item.attrs),
        _ => return TokenStream::new(),
    };
    let own_macro = self_name(name);
    let Some(fact) = linked.direct().find(|(path, _)| path.is_ident(&own_macro)).map(|(_, fact)| fact.clone()) else {
        return TokenStream::new();
    };
    let mut constants = Constants { list: fact.constants.clone(), ..Constants::new(krate) };
    constants.named(&linked);
    let conditions = syntax::conditions(attrs);
    let passed_on = constants.implementation(&quote!(#name), &conditions);
    let broken = fact.broken || linked.direct().any(|(_, fact)| fact.broken);
    let fact = Fact { constants: constants.list, broken, ..fact };
    let definition = macro_for(name, identity(name).1, vis, &conditions, facts(&fact, &linked));
    quote! { #passed_on #definition }
}
