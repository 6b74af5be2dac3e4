//! `#[kernel]`: from the attribute to the launcher.
//!
//! The launcher's [head](crate::emit::head) comes at once; the [tail](crate::emit::tail) with the compiled image comes when all
//! that the kernel names is linked, which for a kernel without helpers and structs is at once
//! as well.

use crate::attributes;
use crate::build::{self, Target};
use crate::configure;
use crate::declare::{self, Used};
use crate::depth;
use crate::editor;
use crate::emit::asserted;
use crate::emit::untold::{self, Untold, Variants};
use crate::emit::{self, Constant, Image, Images};
use crate::fragments;
use crate::generics;
use crate::hir;
use crate::hygiene;
use crate::infer::StructTy;
use crate::infer::{Infer, Ty, VarKind};
use crate::instances;
use crate::known::{Kind, Known};
use crate::link::chain::{self, Job, State};
use crate::link::{Linked, facts, refs};
use crate::lower::{self, Private, PrivateUse, Source};
use crate::parse;
use crate::report::{self, Refused, Reporter};
use crate::signature::{self, Instance, Signature};
use crate::spans::Spans;
use crate::types::Names;
use crate::words::around::Around;
use crate::words::reserved;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use samebits_ir::backend::guards;
use samebits_ir::check::{self, Checked};
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::{Access, Module};
use samebits_ir::limits::Limits;
use samebits_ir::loc::Loc;
use samebits_ir::pass::{self, Optimized};
use samebits_ir::types::Scalar;
use std::cell::Cell;
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
            return match parse::without_body(item.clone()).filter(|_| depth::unparsed(args.clone()).is_none()) {
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
    let krate = chain::krate(&if errors.is_empty() { args.clone() } else { TokenStream::new() });
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
    let first = Instanced { names: &assumed, instance: &instances[0] };
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
                    let (name, _) = parse::binding(&typed.pat)?;
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
        let names = Instanced { names: &scope, instance };
        let (signature, params) = parse::signature(arguments, function, &names, reporter);
        let item = (arguments, function, instance);
        let (checked, private_uses) = one(&signature, &params, item, linked, reporter);
        let (signature, _) = first.get_or_insert((signature, private_uses));
        signature.instances.clone_from(&instances);
        match checked {
            Ok((made, uses)) => {
                compiled.push(made);
                let instance = (instances.len() > 1).then(|| instance.shown());
                used.push(Used { instance, ..uses });
            }
            Err(mut diags) => {
                if instances.len() > 1 {
                    let shown = instance.shown();
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
    params: &[parse::BodyParam],
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
    params: &[parse::BodyParam],
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
        types: instance.types.clone(),
        lengths: instance.lengths.clone(),
        self_ty: None,
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

/// Checks a module. A helper may test a length before it indexes what may be shorter: a
/// constant index that is out of bounds there is a mistake only if it is still there once what
/// cannot be reached is gone.
pub(crate) fn checked(module: Module, spans: &Spans<'_>) -> Result<Checked, Diags> {
    let calls = spans.has_calls().then(|| module.clone());
    check::check(module).or_else(|diags| {
        let of_helper = |diag: &Diag| diag.code == Code::V300 && spans.helper(diag.loc).is_some();
        let Some(module) = calls.filter(|_| diags.as_slice().iter().all(of_helper)) else { return Err(diags) };
        let checked = check::check_image(module)?;
        let reached = check::check(pruned(checked.clone()).module().clone()).err().unwrap_or_default();
        let same = |left: &Diag| diags.as_slice().iter().any(|diag| diag.loc == left.loc);
        if reached.as_slice().iter().any(same) { Err(diags) } else { Ok(checked) }
    })
}

/// A module without computed indices beyond the end of memory of a fixed length, save where
/// nothing leads to: the code of one instance, or a length, may be tested before it.
fn in_bounds(checked: Checked) -> Result<Checked, Diags> {
    let found = check::computed_indices(&checked);
    if found.is_empty() {
        return Ok(checked);
    }
    let reached = check::check(pruned(checked.clone()).module().clone()).err().unwrap_or_default();
    let is_reached = |diag: &&Diag| reached.as_slice().iter().any(|other| other.loc == diag.loc);
    let mut wrong = Diags::new();
    wrong.extend(found.as_slice().iter().filter(is_reached).cloned());
    wrong.gate().map(|()| checked)
}

/// A module without what cannot be reached. Later passes would give what an index loads that is
/// out of bounds.
fn pruned(checked: Checked) -> Checked {
    let passes = ["fold", "sccp"].into_iter().filter_map(pass::Pass::from_name);
    passes.fold(checked, |checked, pass| pass.apply(checked))
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

/// A number type, as rustc knows it wherever it stands. `f16` is no primitive type there.
pub(crate) fn rust_type(ty: &Ty, krate: &syn::Path) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(Scalar::F16) => Some(quote!(#krate::prelude::f16)),
        Ty::Usize => Some(quote!(::core::primitive::usize)),
        Ty::Scalar(scalar) => {
            let name = proc_macro2::Ident::new(scalar.name(), proc_macro2::Span::mixed_site());
            Some(quote!(::core::primitive::#name))
        }
        _ => None,
    }
}

/// Items by which rustc judges whether what is private may be used, and the errors for that of
/// structs that the function does not name. `own` is the struct whose implementation it is in.
pub(crate) fn probes(uses: &[PrivateUse<'_>], linked: &Linked, own: Option<&str>) -> (TokenStream, TokenStream) {
    let (mut probes, mut errors) = (TokenStream::new(), TokenStream::new());
    let mut unnamed: Vec<&str> = Vec::new();
    for PrivateUse { id, name, what } in uses.iter().filter(|used| Some(used.id.as_str()) != own) {
        match linked.direct().find(|(_, fact)| fact.id == *id) {
            Some((path, _)) => probes.extend(match what {
                Private::Field(member) => quote! {
                    const _: () = {
                        #[allow(dead_code, clippy::all)]
                        fn field(__samebits_value: &#path) { let _ = &__samebits_value.#member; }
                    };
                },
                Private::Function(function) => {
                    let mark = privacy_mark(function);
                    quote! { const _: () = #path::#mark; }
                }
            }),
            // Which module of this crate may use it, only rustc knows, and only of a type with a
            // name. No other crate may.
            None if facts::is_own(id) => {}
            // One error a struct.
            None if unnamed.contains(&id.as_str()) => {}
            None => {
                unnamed.push(id);
                let message = format!("this is private to the crate of `{name}`");
                let refused = Refused::new(Code::V203, message).help("use what is `pub` of it");
                let at = match what {
                    Private::Field(member) => member.to_token_stream(),
                    Private::Function(function) => function.to_token_stream(),
                };
                errors.extend(refused.on(&at));
            }
        }
    }
    (probes, errors)
}

/// The constant that is as private as a method of this name: rustc sees no methods.
pub(crate) fn privacy_mark(function: &proc_macro2::Ident) -> proc_macro2::Ident {
    proc_macro2::Ident::new(&format!("__samebits_{}", function.unraw()), function.span())
}

/// The item unchanged, and the error that it is not a function, on its own tokens.
fn not_a_function(item: TokenStream, error: &syn::Error) -> TokenStream {
    let error = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(_) => Refused::new(Code::V102, "`#[kernel]` belongs on a function").over(error.span()),
        Err(_) => report::syntax(error),
    };
    quote! { #error #item }
}

/// What names mean before anything is linked: whatever may be a struct is one.
#[derive(Default)]
pub(crate) struct Assumed {
    /// Whether a constant was asked for, whose value is not known.
    constant: Cell<bool>,
}

impl Names for Assumed {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        let last = path.segments.last()?.ident.unraw().to_string();
        let capital = last.chars().next().is_some_and(char::is_uppercase);
        (capital && !reserved::is_known_type(&last)).then(|| Ok(Ty::Struct(StructTy::opaque(&last))))
    }

    fn constant(&self, _: &syn::Path) -> Option<Known> {
        self.constant.set(true);
        Some(Known { value: 1, ty: None })
    }

    fn length(&self, _: &syn::Path) -> Option<u32> {
        self.constant.set(true);
        Some(1)
    }
}

/// Names, and the parameters of one instance.
pub(crate) struct Instanced<'n> {
    pub names: &'n dyn Names,
    pub instance: &'n Instance,
}

impl Names for Instanced<'_> {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        let name = path.get_ident().map(|ident| ident.unraw().to_string());
        let own = name.and_then(|name| self.instance.types.iter().find(|(known, _)| *known == name));
        match own {
            Some((_, ty)) => Some(Ok(ty.clone())),
            None => self.names.ty(path),
        }
    }

    fn constant(&self, path: &syn::Path) -> Option<Known> {
        let name = path.get_ident().map(|ident| ident.unraw().to_string());
        let own = name.and_then(|name| self.instance.lengths.iter().find(|(known, _)| *known == name));
        own.and_then(|(_, value)| Known::of(*value, Some(Kind::Usize))).or_else(|| self.names.constant(path))
    }

    fn length(&self, path: &syn::Path) -> Option<u32> {
        self.names.length(path)
    }
}

/// Whether an item can have its name; reports it if not.
pub(crate) fn is_nameable<'a>(name: &'a syn::Ident, what: &str, reporter: &mut Reporter<'a>) -> bool {
    let loc = reporter.loc(name);
    let wrong = reserved::refuse(name, what, loc);
    let nameable = wrong.is_none();
    reporter.diags.extend(wrong);
    nameable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_fields_of_a_struct_of_another_crate_are_one_error() {
        let member: syn::Member = syn::parse_quote!(length);
        let field = |id: &str| PrivateUse { id: id.to_owned(), name: "Hit".to_owned(), what: Private::Field(&member) };
        let (_, errors) = probes(&[field("a::Hit 1"), field("a::Hit 1"), field("b::Hit 1")], &Linked::default(), None);
        assert_eq!(errors.to_string().matches("compile_error").count(), 2, "{errors}");
    }
}
