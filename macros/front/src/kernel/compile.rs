//! A kernel from its signature and body to checked and optimised IR, in each of its instances.

use crate::attributes;
use crate::build::{self, Target};
use crate::check::{checked, in_bounds};
use crate::declare::{self, Used};
use crate::emit::asserted;
use crate::emit::messages::Messages;
use crate::emit::rust_type;
use crate::emit::untold::{self, Untold};
use crate::emit::{Constant, Image, Images};
use crate::hir;
use crate::infer::{Infer, Ty, VarKind};
use crate::instances;
use crate::link::Linked;
use crate::lower::{self, Source};
use crate::names::Within;
use crate::parse;
use crate::privacy::Judged;
use crate::report::{Refused, Reporter};
use crate::signature::{Instance, Signature};
use crate::spans::Spans;
use proc_macro2::TokenStream;
use samebits_ir::analysis::denied;
use samebits_ir::analysis::lints::lints;
use samebits_ir::analysis::races::{RaceCondition, Races};
use samebits_ir::check::{self, Checked};
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::limits::Limits;
use samebits_ir::loc::Loc;
use samebits_ir::pass::{self, Optimized};
use syn::ext::IdentExt;

/// A kernel as far as it could be compiled.
pub(super) struct Compiled<'a> {
    pub signature: Signature,
    pub judged: Vec<Judged<'a>>,
    /// Each instance.
    pub result: Result<Vec<Made>, Diags>,
}

/// Compiles a kernel as far as it goes: its signature, and its checked and optimised IR
/// or what is wrong with it. A generic kernel is given by its first instance.
///
/// ```
/// let item: syn::ItemFn = syn::parse_quote! { fn k(x: &mut [u32]) { x[global_id().x] = 1; } };
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

pub(super) fn compile_linked<'a>(
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
    parse::refuse_bounds(&function.sig.generics, scope, reporter);
    for instance in &instances {
        let names = Within { own: &instance.own, around: &scope };
        let (signature, params) = parse::signature(arguments, function, &names, reporter);
        let item = (arguments, function, instance);
        let (checked, judged) = one(&signature, &params, item, linked, reporter);
        let (signature, _) = first.get_or_insert((signature, judged));
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
                let (signature, judged) = first.unwrap_or_else(|| unreachable!("it was just set"));
                return Compiled { signature, judged, result: Err(diags) };
            }
        }
    }
    let (signature, judged) = first.unwrap_or_else(|| unreachable!("there is always an instance"));
    signature.declared.judge(&function.sig.ident.unraw().to_string(), &used, arguments, reporter);
    Compiled { signature, judged, result: reporter.diags.gate().map(|()| compiled) }
}

/// An instance that is compiled.
pub(super) struct Made {
    pub forms: Forms,
    /// The constants that its launch passes.
    pub constants: Vec<Constant>,
    /// What rustc has to find out about them.
    pub assertions: TokenStream,
    /// What it may say.
    pub messages: Messages,
    /// What it is warned of, where it asked for that.
    pub hints: Diags,
    /// The constants whose type no use tells, and the kernel for each type; it itself is that of the
    /// first type for which it is right.
    pub variants: Option<(Vec<Untold>, Vec<Variant>)>,
}

/// Both forms of a kernel.
#[derive(Clone)]
pub(super) struct Forms {
    /// What the passes made of it.
    optimised: Checked,
    /// The passes that were left out, so that it passes the checks again.
    left_out: Vec<&'static str>,
    /// The same before any pass.
    written: Checked,
    /// The conditions under which a launch has no race, as numbers.
    race_free_if: Vec<i64>,
}

impl Forms {
    pub fn images(&self, spans: &Spans<'_>) -> Images {
        let of = |form: &Checked, left_out| Image::of(form.module(), left_out, spans);
        let (optimised, written) = (of(&self.optimised, self.left_out.clone()), of(&self.written, Vec::new()));
        Images { optimised, written, race_free_if: self.race_free_if.clone() }
    }

    /// The image of the kernel before any pass.
    pub fn written_image(&self, spans: &Spans<'_>) -> Image {
        Image::of(self.written.module(), Vec::new(), spans)
    }
}

/// A kernel for one type of its untold constants.
pub(super) struct Variant {
    ty: Ty,
    /// The kernel, or why it could not be compiled.
    made: Result<Forms, Refused>,
}

impl Variant {
    pub fn images(&self, spans: &Spans<'_>) -> (Ty, Result<Images, Refused>) {
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
) -> (Built, Vec<Judged<'a>>) {
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
    let mut races: Option<Diags> = None;
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
                [diag, ..] => {
                    let error = Refused::from(diag);
                    if [Code::V500, Code::V501, Code::V502].contains(&diag.code) {
                        races.get_or_insert(diags);
                    }
                    Err(error)
                }
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
        // It races, whatever the type is.
        None if races.is_some() => {
            reporter.diags = reported;
            (Err(races.unwrap_or_default()), uses)
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
type Attempt<'a> = (Built, Vec<Judged<'a>>, Vec<Untold>);

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
        return (Err(Diags::new()), lowered.judged, untold);
    }
    if lowered.wrong && !reporter.has_errors() {
        // It was reported where it is defined, unless somebody made the facts up.
        let known = lowered.excused || linked.facts().iter().any(|fact| fact.broken);
        let unknown = || Diag::new(Code::V111, loc, "this kernel uses an item from another version of samebits");
        let diags = if known { Diags::new() } else { unknown().into() };
        return (Err(diags), lowered.judged, Vec::new());
    }
    let parts = (&lowered.body, &lowered.block, &lowered.infer);
    let mut module = build::build(&Target::Kernel(signature), params, parts, loc, &mut reporter.diags);
    let mut constants = constants(&lowered.body, &lowered.infer, &signature.krate);
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
    constants.extend(lowered.body.debug_assertions.map(|_| Constant::debug_assertions()));
    let messages = Messages::of(&lowered.body, &lowered.infer, signature, &reporter.spans);
    let checked = checked.and_then(|written| Ok((unraced(&written, signature)?, written)));
    let forms = checked.map(|(race_free_if, written)| {
        let Optimized { checked, left_out } = pass::run(written.clone(), &pass::Level::Full.plan(), &mut |_, _| {});
        let left_out = left_out.iter().map(|left_out| left_out.pass).collect();
        Forms { optimised: checked, left_out, written, race_free_if }
    });
    let hints = match &forms {
        Ok(forms) => hints(&forms.optimised, signature),
        Err(_) => Diags::new(),
    };
    // Only now is it known what was made of the loops and the accesses in them.
    let forms = forms.and_then(|forms| {
        let mut unmet = pass::unmet(&forms.optimised);
        if signature.denied.guards
            && let Some((function, _)) = forms.optimised.function(0)
        {
            unmet.append(denied::guards_in_loops(
                &forms.optimised.module().types,
                &pass::expand(function, pass::Expansion::ALL),
            ));
        }
        unmet.gate().map(|()| forms)
    });
    let used = Used { features, needs, instance: None };
    let made = match forms {
        Ok(forms) => Ok((Made { forms, constants, assertions, messages, hints, variants: None }, used)),
        Err(mut diags) => {
            diags.each(|diag| signature.declared.show(diag, &used, arguments));
            Err(diags)
        }
    };
    (made, lowered.judged, Vec::new())
}

/// What an optimised kernel is warned of.
fn hints(optimised: &Checked, signature: &Signature) -> Diags {
    match optimised.function(0) {
        Some((function, _)) if !signature.warned.is_empty() => {
            lints(&optimised.module().types, function, &signature.warned)
        }
        _ => Diags::new(),
    }
}

/// The conditions under which a launch of a kernel has no race.
fn unraced(written: &Checked, signature: &Signature) -> Result<Vec<i64>, Diags> {
    let Some((function, findings)) = written.function(0) else { return Ok(Vec::new()) };
    let of = if signature.denied.schedule { Races::of } else { Races::without_order };
    let races = of(&written.module().types, function, &findings.uniform);
    let conditions = check::races(function, &races)?;
    if signature.denied.schedule {
        check::orders(function, &races).gate()?;
    }
    Ok(RaceCondition::numbers(conditions))
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
