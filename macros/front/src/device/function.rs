//! `#[device] fn`: helpers.

use super::{Constants, facts, names, params};
use crate::attributes;
use crate::build::{self, Target};
use crate::check::checked;
use crate::docs;
use crate::generics;
use crate::infer::{GenericArg, Ty};
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, Kind, identity};
use crate::link::{Linked, Scope};
use crate::lower::{self, Source};
use crate::names::{Own, Within};
use crate::parse;
use crate::privacy::{Judged, probes};
use crate::report::Reporter;
use crate::syntax;
use crate::warn;
use crate::words::reserved::is_nameable;
use proc_macro2::TokenStream;
use quote::quote;
use samebits_ir::diag::{Diag, Diags};
use samebits_ir::loc::Loc;
use syn::ext::IdentExt;

/// What stands for a helper in the user's program: a type of its name without values, which
/// carries its documentation.
pub(super) fn head(function: &syn::ItemFn) -> TokenStream {
    let attrs = syntax::named(&function.attrs, &syntax::ON_TYPE).filter_map(warn::outside);
    let (vis, name) = (&function.vis, &function.sig.ident);
    let doc = docs::of_function(&function.sig);
    quote! {
        #(#attrs)*
        #[doc = #doc]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations, dead_code)]
        #vis enum #name {}
    }
}

/// A helper once all that it names is linked. What was refused is not compiled.
pub(super) fn finish(mut function: syn::ItemFn, krate: &syn::Path, linked: Linked, refused: bool) -> TokenStream {
    let name = function.sig.ident.clone();
    let (id, hash) = identity(&name);
    let Definition { nameable, errors, probes, constants } = check(&function, krate, (&linked, &id), refused);
    let conditions: Vec<syn::Attribute> = syntax::conditions(&function.attrs).into_iter().cloned().collect();
    let conditions: Vec<&syn::Attribute> = conditions.iter().collect();
    let implementation = constants.implementation(&quote!(#name), &conditions);
    let right = errors.is_empty() && !constants.wrong;
    let types = || generics::written(&function.sig).into_iter();
    let classes = right.then(|| generics::demanded(&function.sig.generics, types(), krate));
    let body = (&function.sig, &*function.block);
    let warnings = right.then(|| warn::warnings(body, &TokenStream::new(), &function.attrs, &linked));
    let vis = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    // Only its definition needs them.
    function.attrs.clear();
    let fact = Fact {
        kind: Kind::Function,
        id,
        name: name.unraw().to_string(),
        broken: !right,
        names: names(&linked),
        constants: constants.list,
        values: Vec::new(),
        items: vec![syn::Item::Fn(function)],
    };
    let definition = nameable.then(|| macro_for(&name, hash, &vis, &conditions, facts(&fact, &linked)));
    quote! { #errors #probes #classes #implementation #definition #warnings }
}

/// What is found out about a helper where it is defined.
struct Definition {
    /// Whether it can have its name.
    nameable: bool,
    errors: TokenStream,
    probes: TokenStream,
    constants: Constants,
}

fn check(function: &syn::ItemFn, krate: &syn::Path, (linked, id): (&Linked, &str), refused: bool) -> Definition {
    let mut reporter = Reporter::new();
    let nameable = is_nameable(&function.sig.ident, "a helper", &mut reporter);
    attributes(&function.attrs, &mut reporter);
    let mut constants = Constants::new(krate);
    constants.wrong = refused;
    let callable = Callable::of_function(function, linked.scope(), id);
    let fields = if refused { Vec::new() } else { callable.check(&mut constants, &mut reporter) };
    let (probes, unnamed) = probes(&fields, linked, None, krate);
    let mut errors = reporter.tokens();
    errors.extend(unnamed);
    constants.named(linked);
    Definition { nameable, errors, probes, constants }
}

/// Reports attributes that mean nothing on a helper.
pub(super) fn attributes<'a>(attrs: &'a [syn::Attribute], reporter: &mut Reporter<'a>) {
    attributes::of_item(attrs, "helper", &["inline", "must_use"], reporter);
}

/// A helper, method or associated function that is compiled alone.
pub(super) struct Callable<'a, 'i> {
    pub sig: &'a syn::Signature,
    pub block: &'a syn::Block,
    pub scope: Scope<'a>,
    /// The fact whose implementation it stands in.
    pub home: Option<String>,
    /// The implementation that it stands in, with the fact of its struct.
    pub of: Option<(&'a syn::ItemImpl, &'i Fact)>,
    /// What `Self` is in a trait or in the implementation of one, and what is known of it.
    pub own: Own,
    /// The id of the fact that its constants are of.
    pub id: &'i str,
}

impl<'a, 'i> Callable<'a, 'i> {
    /// A function that stands alone.
    pub fn of_function(function: &'a syn::ItemFn, scope: Scope<'a>, id: &'i str) -> Self {
        let (sig, block) = (&function.sig, &function.block);
        Self { sig, block, scope, home: None, of: None, own: Own::default(), id }
    }

    /// Checks it, for every member of its classes, and adds the constants from outside that it
    /// names. Gives the fields whose privacy rustc has to judge.
    pub fn check(&self, constants: &mut Constants, reporter: &mut Reporter<'a>) -> Vec<Judged<'a>> {
        let mut fields = None;
        let before = reporter.diags.count();
        params::unsuitable(self.sig, reporter);
        parse::refuse_bounds(&self.sig.generics, self.scope, reporter);
        if reporter.diags.count() > before {
            return Vec::new();
        }
        attributes::inside(self.sig, self.block, reporter);
        let of = self.of.map(|(implementation, _)| &implementation.generics);
        let generics: Vec<&syn::Generics> = of.into_iter().chain([&self.sig.generics]).collect();
        let around = (&self.own, self.scope);
        let instances = params::instances(&generics, around, &|own| self.self_ty(own));
        for (i, instance) in instances.iter().enumerate() {
            match self.attempt(instance, constants, reporter) {
                Attempt::Judged(uses, Ok(())) => {
                    fields.get_or_insert(uses);
                }
                Attempt::Judged(uses, Err(mut wrong)) => {
                    fields.get_or_insert(uses);
                    if instances.len() > 1 && !self.same_for(&instances[i + 1..], &wrong, &constants.krate, reporter) {
                        let shown = instance.shown();
                        wrong.each(|diag| diag.labels.push((Loc::NONE, format!("where {shown}"))));
                    }
                    reporter.diags.append(wrong);
                    break;
                }
                Attempt::Refused(found) => {
                    reporter.diags.append(found);
                    break;
                }
                Attempt::Elsewhere(uses) => {
                    constants.wrong = true;
                    fields.get_or_insert(uses);
                    break;
                }
            }
        }
        fields.unwrap_or_default()
    }

    /// The first of the choices of types and lengths that it is checked for.
    pub fn first_instance(&self) -> Own {
        let of = self.of.map(|(implementation, _)| &implementation.generics);
        let generics: Vec<&syn::Generics> = of.into_iter().chain([&self.sig.generics]).collect();
        let instances = params::instances(&generics, (&self.own, self.scope), &|own| self.self_ty(own));
        instances.into_iter().next().unwrap_or_default()
    }

    /// What `Self` is where the parameters of the implementation are these.
    fn self_ty(&self, own: &Own) -> Option<Ty> {
        let Some((implementation, fact)) = self.of else { return self.own.self_ty.clone() };
        let arg = |name: &String| match own.length(name) {
            Some(len) => u32::try_from(len).ok().map(GenericArg::Len),
            None => own.types.iter().find(|(known, _)| known == name).map(|(_, ty)| GenericArg::Ty(ty.clone())),
        };
        let args: Option<Vec<GenericArg>> = generics::of_self(implementation)?.iter().map(arg).collect();
        let ty = if fact.broken { None } else { self.scope.of_arguments(fact, args?).ok() };
        Some(ty.unwrap_or(Ty::Error))
    }

    /// Compiles it for one instance, and adds its constants.
    fn attempt(&self, own: &Own, constants: &mut Constants, reporter: &mut Reporter<'a>) -> Attempt<'a> {
        reporter.apart(|reporter| self.judge(own, constants, reporter))
    }

    /// Like [`attempt`](Self::attempt), with a reporter to which nothing else was reported.
    fn judge(&self, own: &Own, constants: &mut Constants, reporter: &mut Reporter<'a>) -> Attempt<'a> {
        let names = Within { own, around: &self.scope };
        let (params, result) = params::signature(self.sig, &names, reporter);
        if result == Ty::Error && reporter.has_errors() {
            // What the body gives cannot be right then.
            return Attempt::Refused(std::mem::take(&mut reporter.diags));
        }
        let loc = reporter.loc(&self.sig.ident);
        let name = self.sig.ident.unraw().to_string();
        let at = match &self.sig.output {
            syn::ReturnType::Type(_, ty) => reporter.loc(&**ty),
            syn::ReturnType::Default => loc,
        };
        let source = Source {
            params: &params,
            block: self.block,
            result: Some((result.clone(), at)),
            name: name.clone(),
            scope: self.scope,
            home: self.home.clone(),
            own: own.clone(),
            untold: lower::Untold::Default,
            constant: None,
        };
        let lowered = lower::lower(source, reporter);
        constants.own(self.id, &lowered.body, &lowered.infer);
        if lowered.wrong && !reporter.has_errors() {
            return Attempt::Elsewhere(lowered.judged);
        }
        let parts = (&lowered.body, &lowered.block, &lowered.infer);
        let module = build::build(&Target::Device(name, result), &params, parts, loc, &mut reporter.diags);
        let judged = reporter.diags.gate().and_then(|()| checked(module, &reporter.spans).map(drop));
        Attempt::Judged(lowered.judged, judged)
    }

    /// Whether other instances are wrong in the same words, so that none of them matters.
    fn same_for(&self, others: &[Own], wrong: &Diags, krate: &syn::Path, reporter: &mut Reporter<'a>) -> bool {
        let words = |diags: &Diags| -> Vec<String> { diags.as_slice().iter().map(Diag::headline).collect() };
        !others.is_empty()
            && others.iter().all(|other| match self.attempt(other, &mut Constants::new(krate), reporter) {
                Attempt::Judged(_, Err(found)) => words(&found) == words(wrong),
                _ => false,
            })
    }
}

/// The result of compiling a helper for one instance.
enum Attempt<'a> {
    /// Its signature is wrong.
    Refused(Diags),
    /// It is wrong for a reason that was reported where that is defined.
    Elsewhere(Vec<Judged<'a>>),
    /// It was compiled and checked.
    Judged(Vec<Judged<'a>>, Result<(), Diags>),
}
