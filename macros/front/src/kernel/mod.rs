//! `#[kernel]`: from the attribute to the launcher.
//!
//! The launcher's [head](crate::emit::head) comes at once; the [tail](crate::emit::tail) with the compiled image comes when all
//! that the kernel names is linked, which for a kernel without helpers and structs is at once
//! as well.

use crate::attributes;
use crate::build::{self, Target};
use crate::check::{checked, in_bounds};
use crate::configure;
use crate::declare::{self, Used};
use crate::depth;
use crate::editor;
use crate::emit::asserted;
use crate::emit::rust_type;
use crate::emit::untold::{self, Untold, Variants};
use crate::emit::{self, Constant, Image, Images};
use crate::fragments;
use crate::generics;
use crate::hir;
use crate::hygiene;
use crate::infer::{Infer, Ty, VarKind};
use crate::instances;
use crate::link::chain::{self, Job, State};
use crate::link::{Linked, refs};
use crate::lower::{self, Source};
use crate::names::{Assumed, Within};
use crate::parse;
use crate::privacy::{PrivateUse, probes};
use crate::report::{self, Refused, Reporter};
use crate::signature::{self, Instance, Signature};
use crate::spans::Spans;
use crate::syntax;
use crate::words::around::Around;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use samebits_ir::backend::guards;
use samebits_ir::check::{self, Checked};
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::Access;
use samebits_ir::limits::Limits;
use samebits_ir::loc::Loc;
use samebits_ir::pass::{self, Optimized};
use syn::ext::IdentExt;

/// Expands `#[kernel(args)] item`.
///
/// After a mistake the expansion holds the errors and still the launcher, so that its
/// uses do not fail as well.
///
/// ```
/// use quote::quote;
/// let kernel = quote! { fn k(x: &mut [u32]) { x[0] = 1; } };
/// assert!(!samebits_front::kernel::expand(quote!(workgroup_size(64)), kernel).to_string().contains("compile_error"));
/// let wrong = quote! { fn k(x: &[u32]) { x[0] = 1; } };
/// assert!(samebits_front::kernel::expand(quote!(), wrong).to_string().contains("V005"));
/// ```
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, false)
}

/// Expands a kernel in which every `cfg` is decided.
pub(crate) fn expand_configured(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, true)
}

fn expand_item(args: TokenStream, item: TokenStream, configured: bool) -> TokenStream {
    let (shallow, deep) = match depth::shallow(&item) {
        Ok((found, deep)) => (fragments::without(found), deep),
        Err(at) => return depth::error(at),
    };
    let mut function = match syn::parse2::<syn::ItemFn>(shallow.clone()) {
        Ok(function) => function,
        Err(error) if deep.is_none() => {
            return match syntax::without_body(item.clone()).filter(|_| depth::unparsed(args.clone()).is_none()) {
                Some(function) => unreadable(args, item, &function, &error),
                None => not_a_function(item, &error),
            };
        }
        Err(_) => return deep.map(depth::error).unwrap_or_default(),
    };
    if Around::has_member(&function.vis, &function.sig) {
        let help = "write it outside, and take what it needs as parameters";
        let message = "a kernel cannot stand in an `impl` or a `trait`";
        return Refused::new(Code::V102, message).help(help).on(&function.sig.ident);
    }
    let arguments = match depth::unparsed(args.clone()) {
        Some(at) => Err(depth::error(at)),
        None => parse::arguments(args.clone()),
    };
    let (arguments, mut errors) = match arguments {
        Ok(arguments) => (arguments, TokenStream::new()),
        Err(error) => (Vec::new(), error),
    };
    errors.extend(deep.map(depth::error));
    // In an `impl` neither a launcher nor what decides a `cfg` can stand.
    let method = function.sig.receiver().is_some();
    let krate = syntax::krate(&if errors.is_empty() { args.clone() } else { TokenStream::new() });
    if errors.is_empty() && !configured && !method && configure::is_conditional(&shallow) {
        return configure::hop("kernel", &args, &shallow, &krate);
    }
    let (resolved, arguments, args, shallow) = match method {
        true => (hygiene::Resolved::default(), arguments, args, shallow),
        false => {
            let mut item = syn::Item::Fn(function);
            let resolved = hygiene::item(&mut item, &shallow, &krate);
            let syn::Item::Fn(renamed) = item else { return TokenStream::new() };
            function = renamed;
            match resolved.tokens.is_empty() {
                true => (resolved, arguments, args, shallow),
                false => {
                    let args = resolved.arguments(args);
                    let arguments = parse::arguments(args.clone()).unwrap_or(arguments);
                    let tokens = function.to_token_stream();
                    (resolved, arguments, args, tokens)
                }
            }
        }
    };
    let names_wrong = resolved.wrong;
    let probe = resolved.tokens;
    let mut names = refs::of_function(&function);
    names.extend(instances::named_by_arguments(&arguments, &function.sig));
    let (names, too_many) = chain::bounded(names);
    let (signature, head) = head(&arguments, &function);
    let shell = shell(&function, &args, if deep.is_some() { TokenStream::new() } else { item });
    let head = quote! { #shell #probe #head };
    if names_wrong {
        let tail = without_image(&signature);
        return quote! { #head #tail };
    }
    if !too_many.is_empty() {
        return quote! { #errors #too_many #head };
    }
    let head = if method { TokenStream::new() } else { head };
    let mut state = State::new(Job::Kernel, args, shallow, names);
    match state.hop(&signature.krate) {
        Some(hop) if errors.is_empty() && !method => quote! { #head #hop },
        // Without what it names nothing more can be said of it.
        Some(_) => quote! { #errors #head },
        None => {
            let (tail, more) = tail(&arguments, &function, &Linked::default(), errors.is_empty());
            let tail = if method { TokenStream::new() } else { tail };
            quote! { #errors #more #head #tail }
        }
    }
}

/// What a kernel is once all that it names is linked.
pub(crate) fn finish(state: State) -> TokenStream {
    let (arguments, item) = (state.arguments.clone(), state.item.clone());
    let (found, errors) = state.linked();
    if !errors.is_empty() {
        return errors;
    }
    // Both were parsed before the first hop.
    let (Ok(arguments), Ok(function)) = (parse::arguments(arguments), syn::parse2::<syn::ItemFn>(item)) else {
        return TokenStream::new();
    };
    let (tail, errors) = tail(&arguments, &function, &Linked::new(found), true);
    quote! { #errors #tail }
}

/// The launcher, as far as it is known before anything is linked.
fn head(arguments: &[syn::Meta], function: &syn::ItemFn) -> (Signature, TokenStream) {
    let mut reporter = Reporter::new();
    let assumed = Assumed::default();
    let instances = instances::listed(arguments, function, &assumed, &mut reporter);
    let first = Within { own: &instances[0].own, around: &assumed };
    let (mut signature, _) = parse::signature(arguments, function, &first, &mut reporter);
    signature.instances = instances;
    let head = emit::head(&signature, !assumed.constant.get(), reporter.has_errors());
    (signature, head)
}

/// The images of a kernel's instances, and what is wrong with it.
fn tail(arguments: &[syn::Meta], function: &syn::ItemFn, linked: &Linked, wanted: bool) -> (TokenStream, TokenStream) {
    let mut reporter = Reporter::new();
    let compiled = compile_linked(arguments, function, linked, &mut reporter);
    let spans = &reporter.spans;
    let mut errors = match &compiled.result {
        Ok(_) => TokenStream::new(),
        Err(diags) => report::shown(diags, spans),
    };
    let (probes, unnamed) = probes(&compiled.private_uses, linked, None);
    errors.extend(unnamed);
    let tail: TokenStream = match compiled.result {
        Ok(instances) if wanted && errors.is_empty() => {
            let tails = instances.iter().enumerate().map(|(i, made)| {
                let code = match &made.variants {
                    None => emit::Code::One(made.forms.images(spans)),
                    Some((untold, variants)) => emit::Code::Varying(Variants {
                        untold: untold.clone(),
                        of: variants.iter().map(|variant| variant.images(spans)).collect(),
                    }),
                };
                emit::tail(&compiled.signature, i, &code, &made.constants)
            });
            // What is wrong in one instance is wrong in others, and one error.
            let assertions = instances.iter().map(|made| &made.assertions).find(|assertions| !assertions.is_empty());
            tails.chain(assertions.cloned()).collect()
        }
        _ => without_image(&compiled.signature),
    };
    let classes = match errors.is_empty() {
        true => {
            // The launcher names all of them but those of atomics.
            let atomic = |param: &&signature::Param| {
                matches!(&param.kind, signature::ParamKind::Buffer { access: Access::Atomic, .. })
            };
            let names: Vec<String> =
                compiled.signature.params.iter().filter(atomic).map(|p| p.name.to_string()).collect();
            let types = function.sig.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(typed) => {
                    let (name, _) = syntax::binding(&typed.pat)?;
                    names.contains(&name.to_string()).then_some(&*typed.ty)
                }
                syn::FnArg::Receiver(_) => None,
            });
            generics::demanded(&function.sig.generics, types, &compiled.signature.krate)
        }
        false => TokenStream::new(),
    };
    (quote! { #tail #probes #classes }, errors)
}

/// Instead of the image of a wrong kernel: uses of what a right one has are no further mistakes.
fn without_image(signature: &Signature) -> TokenStream {
    let none = emit::Code::One(Images::default());
    let count = signature.instances.len().max(1);
    (0..count).map(|i| emit::tail(signature, i, &none, &[])).collect()
}

/// The launcher of a kernel whose body is no Rust, or not yet.
fn unreadable(args: TokenStream, item: TokenStream, function: &syn::ItemFn, error: &syn::Error) -> TokenStream {
    let error = report::syntax(error);
    if function.sig.receiver().is_some() {
        return error;
    }
    let shell = shell(function, &args, item);
    let (signature, head) = head(&parse::arguments(args).unwrap_or_default(), function);
    let tail = without_image(&signature);
    quote! { #shell #error #head #tail }
}

/// What editors look into. There is none in an `impl`, where no constant without a name can stand.
fn shell(function: &syn::ItemFn, args: &TokenStream, item: TokenStream) -> TokenStream {
    match item.is_empty() || function.sig.receiver().is_some() {
        true => TokenStream::new(),
        false => editor::shell("kernel", args, &item),
    }
}

/// A kernel as far as it could be compiled.
struct Compiled<'a> {
    signature: Signature,
    private_uses: Vec<PrivateUse<'a>>,
    /// Each instance.
    result: Result<Vec<Made>, Diags>,
}

/// Compiles a kernel as far as it goes: its signature, and its checked and optimised IR
/// or what is wrong with it. A generic kernel is given by its first instance.
///
/// ```
/// let item: syn::ItemFn = syn::parse_quote! { fn k(x: &mut [u32]) { x[0] = 1; } };
/// let mut reporter = samebits_front::report::Reporter::new();
/// let linked = samebits_front::link::Linked::default();
/// let (signature, checked) = samebits_front::kernel::compile(&[], &item, &linked, &mut reporter);
/// assert_eq!(signature.workgroup_size, [64, 1, 1]);
/// assert!(checked.is_ok());
/// ```
pub fn compile<'a>(
    arguments: &'a [syn::Meta],
    function: &'a syn::ItemFn,
    linked: &'a Linked,
    reporter: &mut Reporter<'a>,
) -> (Signature, Result<Checked, Diags>) {
    let Compiled { signature, result, .. } = compile_linked(arguments, function, linked, reporter);
    let first = |mut instances: Vec<Made>| instances.swap_remove(0).forms.optimised;
    (signature, result.map(first))
}

fn compile_linked<'a>(
    arguments: &'a [syn::Meta],
    function: &'a syn::ItemFn,
    linked: &'a Linked,
    reporter: &mut Reporter<'a>,
) -> Compiled<'a> {
    let scope = linked.scope();
    let instances = instances::listed(arguments, function, &scope, reporter);
    let mut compiled = Vec::new();
    let mut used = Vec::new();
    let mut first = None;
    attributes::inside(&function.sig, &function.block, reporter);
    for instance in &instances {
        let names = Within { own: &instance.own, around: &scope };
        let (signature, params) = parse::signature(arguments, function, &names, reporter);
        let item = (arguments, function, instance);
        let (checked, private_uses) = one(&signature, &params, item, linked, reporter);
        let (signature, _) = first.get_or_insert((signature, private_uses));
        signature.instances.clone_from(&instances);
        match checked {
            Ok((made, uses)) => {
                compiled.push(made);
                let instance = (instances.len() > 1).then(|| instance.own.shown());
                used.push(Used { instance, ..uses });
            }
            Err(mut diags) => {
                if instances.len() > 1 {
                    let shown = instance.own.shown();
                    diags.each(|diag| diag.labels.push((Loc::NONE, format!("in the instance {shown}"))));
                }
                let (signature, private_uses) = first.unwrap_or_else(|| unreachable!("it was just set"));
                return Compiled { signature, private_uses, result: Err(diags) };
            }
        }
    }
    let (signature, private_uses) = first.unwrap_or_else(|| unreachable!("there is always an instance"));
    signature.declared.judge(&function.sig.ident.unraw().to_string(), &used, arguments, reporter);
    Compiled { signature, private_uses, result: reporter.diags.gate().map(|()| compiled) }
}

/// An instance that is compiled.
struct Made {
    forms: Forms,
    /// The constants that its launch passes.
    constants: Vec<Constant>,
    /// What rustc has to find out about them.
    assertions: TokenStream,
    /// The constants whose type no use tells, and the kernel for each type; it itself is that of the
    /// first type for which it is right.
    variants: Option<(Vec<Untold>, Vec<Variant>)>,
}

/// Both forms of a kernel.
#[derive(Clone)]
struct Forms {
    /// What the passes made of it.
    optimised: Checked,
    /// The passes that were left out, so that it passes the checks again.
    left_out: Vec<&'static str>,
    /// The same before any pass.
    written: Checked,
}

impl Forms {
    fn images(&self, spans: &Spans<'_>) -> Images {
        let of = |form: &Checked, left_out| Image::of(form.module(), left_out, spans);
        Images { optimised: of(&self.optimised, self.left_out.clone()), written: of(&self.written, Vec::new()) }
    }
}

/// A kernel for one type of its untold constants.
struct Variant {
    ty: Ty,
    /// The kernel, or why it is none.
    made: Result<Forms, Refused>,
}

impl Variant {
    fn images(&self, spans: &Spans<'_>) -> (Ty, Result<Images, Refused>) {
        (self.ty.clone(), self.made.as_ref().map(|forms| forms.images(spans)).map_err(Clone::clone))
    }
}

/// An instance and what it uses.
type Built = Result<(Made, Used), Diags>;

/// Compiles one instance; takes what was found wrong with the signature.
fn one<'a>(
    signature: &Signature,
    params: &[hir::BodyParam],
    item: (&'a [syn::Meta], &'a syn::ItemFn, &Instance),
    linked: &'a Linked,
    reporter: &mut Reporter<'a>,
) -> (Built, Vec<PrivateUse<'a>>) {
    let before = reporter.diags.clone();
    let (built, uses, untold) = once(signature, params, item, (linked, lower::Untold::Listed), reporter);
    let untold = untold::together(untold);
    if untold.is_empty() {
        return (built, uses);
    }
    let ids: Vec<String> = untold.iter().map(|constant| constant.id.clone()).collect();
    let reported = reporter.diags.clone();
    let mut first: Option<(Made, Used)> = None;
    let mut variants = Vec::new();
    for ty in untold::candidates(untold::sort(&untold)) {
        reporter.diags = before.clone();
        let assumed = (linked, lower::Untold::Of(&ids, &ty));
        let (built, _, _) = once(signature, params, item, assumed, reporter);
        let made = match built {
            Ok((made, used)) => match signature.declared.lacking(&used) {
                // Only a constant of that type would need it.
                Some(lacking) => Err(lacking),
                None => {
                    let forms = made.forms.clone();
                    match &mut first {
                        Some((_, all)) => all.features.extend(used.features),
                        None => first = Some((made, used)),
                    }
                    Ok(forms)
                }
            },
            Err(diags) => match diags.as_slice() {
                [diag, ..] => Err(Refused::from(diag)),
                // It was reported where it is defined.
                [] => continue,
            },
        };
        variants.push(Variant { ty, made });
    }
    match first {
        Some((made, used)) => {
            reporter.diags = reported;
            let constants = made.constants.into_iter().map(|constant| {
                let same = |other: &&Untold| other.id == constant.id;
                Constant { untold: untold.iter().find(same).cloned(), ..constant }
            });
            let made = Made { constants: constants.collect(), variants: Some((untold, variants)), ..made };
            (Ok((made, used)), uses)
        }
        // What is wrong is wrong for each type.
        None => {
            reporter.diags = before;
            let (built, ..) = once(signature, params, item, (linked, lower::Untold::Default), reporter);
            (built, uses)
        }
    }
}

/// What [`once`] gives: an instance, what it uses of structs, and the constants whose type was not told.
type Attempt<'a> = (Built, Vec<PrivateUse<'a>>, Vec<Untold>);

/// Compiles one instance with what is assumed of constants whose type no use tells; stops where there
/// are such constants that are to be listed.
fn once<'a>(
    signature: &Signature,
    params: &[hir::BodyParam],
    (arguments, function, instance): (&'a [syn::Meta], &'a syn::ItemFn, &Instance),
    (linked, untold): (&'a Linked, lower::Untold<'_>),
    reporter: &mut Reporter<'a>,
) -> Attempt<'a> {
    let loc = reporter.loc(&function.sig.ident);
    let source = Source {
        params,
        block: &function.block,
        // A result is refused; what is returned is then no further mistake.
        result: match &function.sig.output {
            syn::ReturnType::Type(_, ty) if reporter.has_errors() => Some((Ty::Error, reporter.loc(&**ty))),
            _ => None,
        },
        name: function.sig.ident.unraw().to_string(),
        scope: linked.scope(),
        home: None,
        own: instance.own.clone(),
        untold,
        constant: None,
    };
    let lowered = lower::lower(source, reporter);
    if let (lower::Untold::Listed, false) = (untold, lowered.untold.is_empty()) {
        let untold = listed(&lowered, &reporter.spans);
        return (Err(Diags::new()), lowered.private_uses, untold);
    }
    if lowered.wrong && !reporter.has_errors() {
        // It was reported where it is defined, unless somebody made the facts up.
        let known = lowered.excused || linked.facts().iter().any(|fact| fact.broken);
        let unknown = || Diag::new(Code::V111, loc, "something that this kernel names is of an unknown form");
        let diags = if known { Diags::new() } else { unknown().into() };
        return (Err(diags), lowered.private_uses, Vec::new());
    }
    let parts = (&lowered.body, &lowered.block, &lowered.infer);
    let mut module = build::build(&Target::Kernel(signature), params, parts, loc, &mut reporter.diags);
    let constants = constants(&lowered.body, &lowered.infer, &signature.krate);
    let features = declare::features(function, params, (&lowered.body, &lowered.infer), reporter);
    let needs = module.functions.first().map_or(Limits::NONE, |kernel| check::needs(&module.types, kernel));
    module.functions.iter_mut().for_each(|kernel| signature.declared.give(kernel, needs));
    let checked = reporter.diags.gate().and_then(|()| checked(module, &reporter.spans)).and_then(in_bounds);
    let mut assertions = TokenStream::new();
    if let Ok(checked) = &checked
        && constants.len() == lowered.body.outer.len()
    {
        assertions = asserted::steps(&lowered.body, &constants, &reporter.spans);
        assertions.extend(asserted::assertions(checked, &constants, &reporter.spans));
    }
    let forms = checked.map(|written| {
        let Optimized { checked, left_out } = pass::run(written.clone(), &pass::Level::Full.plan(), &mut |_, _| {});
        let left_out = left_out.iter().map(|left_out| left_out.pass).collect();
        Forms { optimised: checked, left_out, written }
    });
    // Only now is it known what was made of the loops and the accesses in them.
    let forms = forms.and_then(|forms| {
        let mut unmet = pass::unmet(&forms.optimised);
        if signature.deny_guards {
            unmet.append(guards::in_loops(&forms.optimised, 0));
        }
        unmet.gate().map(|()| forms)
    });
    let used = Used { features, needs, instance: None };
    let made = match forms {
        Ok(forms) => Ok((Made { forms, constants, assertions, variants: None }, used)),
        Err(mut diags) => {
            diags.each(|diag| signature.declared.show(diag, &used, arguments));
            Err(diags)
        }
    };
    (made, lowered.private_uses, Vec::new())
}

/// The constants of a body whose type no use tells.
fn listed(lowered: &lower::Lowered<'_>, spans: &Spans<'_>) -> Vec<Untold> {
    let of = |(local, kind): &(hir::LocalId, VarKind)| {
        let outer = lowered.body.outer.iter().find(|outer| outer.local == *local)?;
        let at = spans.start(spans.outermost(lowered.body.locals[*local].loc));
        let (path, kept) = (outer.path.clone(), outer.form == hir::Form::Kept);
        Some(Untold { id: outer.id(), key: outer.key.clone(), path, kept, kind: *kind, at })
    };
    lowered.untold.iter().filter_map(of).collect()
}

/// The constants from outside that a body uses, with the Rust types of their uses.
fn constants(body: &hir::Body, infer: &Infer, krate: &syn::Path) -> Vec<Constant> {
    let constant = |outer: &hir::Outer| {
        let decided = infer.decided(&body.locals[outer.local].ty);
        let (ty, is_usize) = (rust_type(&decided, krate)?, decided == Ty::Usize);
        let value = outer.value(&decided, &ty, krate);
        Some(Constant { id: outer.id(), path: outer.path.clone(), value, ty, is_usize, untold: None })
    };
    body.outer.iter().filter_map(constant).collect()
}

/// The item unchanged, and the error that it is not a function, on its own tokens.
fn not_a_function(item: TokenStream, error: &syn::Error) -> TokenStream {
    let error = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(_) => Refused::new(Code::V102, "`#[kernel]` belongs on a function").over(error.span()),
        Err(_) => report::syntax(error),
    };
    quote! { #error #item }
}
