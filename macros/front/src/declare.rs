//! What a kernel declares: `limits(workgroup_memory = 32768)` and `features(f64)`.
//!
//! A declaration says what a kernel may use beyond what every device has. Uses are looked for
//! in the source as it is and in the IR before any pass, in all instances of a generic kernel.
//! An undeclared use is an error at the use. A declaration that no instance needs is an error
//! too. The checks of the IR judge how much each instance needs; the front end adds to their
//! errors the attribute to write.

use crate::hir::BodyParam;
use crate::hir::{Body, ExprKind};
use crate::infer::{Infer, Ty};
use crate::names::NoNames;
use crate::report::{Refused, Reporter};
use crate::spell;
use crate::syntax;
use crate::types::integer;
use quote::ToTokens;
use samebits_ir::caps::Capabilities;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Function;
use samebits_ir::limits::{Limit, Limits};
use samebits_ir::loc::Loc;
use samebits_ir::nearest::nearest;
use samebits_ir::order::MemoryOrder;

/// What the attribute declares, and where.
#[derive(Clone, Default)]
pub struct Declared {
    limits: Vec<(Limit, u32, Loc)>,
    features: Vec<(Capabilities, Loc)>,
    /// Whether some of the limits could not be read, which was reported.
    unread: bool,
}

/// What one instance of a kernel uses.
pub struct Used {
    /// Features in the order of the source, each where it is first used.
    pub features: Vec<(Capabilities, Loc)>,
    /// How much it needs.
    pub needs: Limits,
    /// The instance, where there are several.
    pub instance: Option<String>,
}

impl Declared {
    /// The limits as the IR has them.
    pub fn limits(&self) -> Limits {
        let mut limits = Limits::NONE;
        self.limits.iter().for_each(|&(limit, amount, _)| limits.set(limit, amount));
        limits
    }

    /// Whether more limits are declared than could be read.
    pub fn is_unread(&self) -> bool {
        self.unread
    }

    /// Gives an instance those of the limits that it needs; the others may be there for
    /// other instances.
    pub fn give(&self, function: &mut Function, needs: Limits) {
        for (limit, _) in needs.beyond_defaults().iter() {
            let declared = self.limits().get(limit);
            // Less than every device has allows nothing more.
            function.limits.set(limit, if declared > limit.default() { declared } else { 0 });
        }
    }

    /// Reads the list after `limits`.
    pub fn read_limits<'a>(&mut self, list: &'a syn::MetaList, reporter: &mut Reporter<'a>) {
        let help = "write `limits(workgroup_memory = 32768)`";
        let Ok(given) = syntax::separated::<syn::MetaNameValue>(list.tokens.clone()) else {
            let message = "`limits` needs names of limits with numbers";
            self.unread = true;
            reporter.refuse(list, Refused::new(Code::V101, message).help(help));
            return;
        };
        if given.is_empty() {
            reporter.refuse(list, Refused::new(Code::V101, "`limits` is empty").help(help));
        }
        for one in given {
            let name = one.path.to_token_stream().to_string();
            let Some(limit) = Limit::from_name(&name) else {
                let names = Limit::ALL.iter().map(|limit| limit.name());
                self.unread = true;
                let (what, loc) = ("limit", reporter.spans.add_tokens(one.path.to_token_stream()));
                reporter.report(unknown(what, &name, loc, names.collect::<Vec<_>>()));
                continue;
            };
            let Some(amount) = integer::evaluate(&one.value, &NoNames).and_then(|n| u64::try_from(n.value).ok()) else {
                self.unread = true;
                let message = format!("the number of `{name}` must be an integer literal");
                let loc = reporter.spans.add_tokens(one.value.to_token_stream());
                reporter.report(
                    Diag::new(Code::V101, loc, message).help(format!("write `limits({name} = {})`", limit.most())),
                );
                continue;
            };
            let loc = reporter.spans.add_tokens(one.to_token_stream());
            if self.limits.iter().any(|(other, ..)| *other == limit) {
                reporter.report(Diag::new(Code::V101, loc, format!("`{name}` is declared twice")).help("remove one"));
            } else if let Some((code, message)) = limit.refuse(amount).filter(|(code, _)| *code != Code::V605) {
                self.unread = true;
                reporter.report(Diag::new(code, loc, message).help("remove it"));
            } else {
                // Whether it is needed is judged later, when the needs are known.
                self.limits.push((limit, u32::try_from(amount).unwrap_or(u32::MAX), loc));
            }
        }
    }

    /// Reads the list after `features`.
    pub fn read_features<'a>(&mut self, list: &'a syn::MetaList, reporter: &mut Reporter<'a>) {
        let help = "write `features(f64)`";
        let Ok(given) = syntax::separated::<syn::Path>(list.tokens.clone()) else {
            let message = "`features` needs names of features";
            reporter.refuse(list, Refused::new(Code::V101, message).help(help));
            return;
        };
        if given.is_empty() {
            reporter.refuse(list, Refused::new(Code::V101, "`features` is empty").help(help));
        }
        for path in given {
            let name = path.to_token_stream().to_string();
            let loc = reporter.spans.add_tokens(path.to_token_stream());
            match Capabilities::from_name(&name) {
                None => {
                    let names = Capabilities::NAMES.iter().map(|(_, name, _)| *name);
                    reporter.report(unknown("feature", &name, loc, names.collect::<Vec<_>>()));
                }
                Some(feature) if self.features.iter().any(|(other, _)| *other == feature) => {
                    reporter
                        .report(Diag::new(Code::V101, loc, format!("`{name}` is declared twice")).help("remove one"));
                }
                Some(feature) => self.features.push((feature, loc)),
            }
        }
    }

    /// Reports what is used and not declared, and what is declared and not used, by the kernel
    /// of this name.
    pub fn judge(&self, name: &str, used: &[Used], args: &[syn::Meta], reporter: &mut Reporter<'_>) {
        let declared = self.capabilities();
        let mut needed = Capabilities::NONE;
        // The first use of each feature that is not declared.
        let mut undeclared: Vec<(Capabilities, Loc, &Option<String>)> = Vec::new();
        for one in used {
            for &(features, loc) in &one.features {
                let new = features.without(declared | needed);
                needed |= features;
                if !new.is_empty() {
                    undeclared.push((new, loc, &one.instance));
                }
            }
        }
        if let Some(((first, loc, instance), more)) = undeclared.split_first() {
            let all = more.iter().fold(*first, |all, (features, ..)| all | *features);
            let message = format!("`{name}` uses {all}, which it does not declare");
            let mut diag = Diag::new(Code::V606, *loc, message);
            for (features, loc, _) in more {
                diag = diag.label(*loc, format!("here it uses {features}"));
            }
            if let Some(instance) = instance {
                diag = diag.label(Loc::NONE, format!("in the instance {instance}"));
            }
            let attribute = attribute(args, declared | all, &self.limits());
            reporter.report(diag.help(format!("declare it: `{attribute}`")));
        }
        for &(feature, loc) in self.features.iter().filter(|(feature, _)| !needed.contains(*feature)) {
            let attribute = attribute(args, declared.without(feature), &self.limits());
            let message = format!("`{name}` declares {feature}, which it does not use");
            reporter.report(Diag::new(Code::V605, loc, message).help(format!("write `{attribute}`")));
        }
        for &(limit, amount, loc) in &self.limits {
            let most = used.iter().map(|one| one.needs.get(limit)).max().unwrap_or(0);
            if most <= limit.default() {
                let (needs, declared_as) = (limit.amount(most), limit.name());
                let message = format!("`{name}` needs {needs}, so `{declared_as} = {amount}` is not needed");
                let mut limits = self.limits();
                limits.set(limit, 0);
                let attribute = attribute(args, declared, &limits);
                let help = format!("every device has {}: write `{attribute}`", limit.default());
                reporter.report(Diag::new(Code::V605, loc, message).help(help));
            }
        }
    }

    /// Adds to an error about a limit the attribute that allows all that an instance uses. So if
    /// several declarations are missing, the help shows all of them.
    pub fn show(&self, diag: &mut Diag, used: &Used, args: &[syn::Meta]) {
        let over = |limit: Limit| {
            let need = used.needs.get(limit);
            need <= limit.most() && limit.excess(need.into(), &self.limits()).is_some()
        };
        let of_code = |limit: &&Limit| limit.code() == diag.code && over(**limit);
        if Limit::ALL.iter().find(of_code).is_none() {
            return;
        }
        let mut limits = self.limits();
        for &limit in Limit::ALL.iter().filter(|limit| over(**limit)) {
            limits.set(limit, used.needs.get(limit));
        }
        let features = used.features.iter().fold(self.capabilities(), |all, (feature, _)| all | *feature);
        diag.help = Some(format!("declare it: `{}`", attribute(args, features, &limits)));
    }

    /// That a kernel uses what it does not declare.
    pub fn lacking(&self, used: &Used) -> Option<Refused> {
        let features = used.features.iter().fold(Capabilities::NONE, |all, (feature, _)| all | *feature);
        let lacking = features.without(self.capabilities());
        (!lacking.is_empty()).then(|| {
            let names = lacking.to_string().replace('`', "");
            Refused::new(Code::V606, format!("this kernel uses {lacking}, which it does not declare"))
                .help(format!("declare it: `features({names})`"))
        })
    }

    /// The features that are declared.
    fn capabilities(&self) -> Capabilities {
        self.features.iter().fold(Capabilities::NONE, |all, (feature, _)| all | *feature)
    }

    /// How to declare an amount of a limit.
    pub fn allowing(&self, limit: Limit, amount: u32, args: &[syn::Meta]) -> String {
        let mut limits = self.limits();
        limits.set(limit, amount);
        format!("declare it: `{}`", attribute(args, self.capabilities(), &limits))
    }
}

/// The report of an unknown name.
fn unknown(what: &str, name: &str, loc: Loc, names: Vec<&'static str>) -> Diag {
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let near = nearest(name, names.into_iter(), "").map(|near| format!("{near}; ")).unwrap_or_default();
    Diag::new(Code::V101, loc, format!("there is no {what} `{name}`")).help(format!("{near}the {what}s are {list}"))
}

/// The features that a kernel's parameters and body use, in the order of the source.
pub fn features<'a>(
    function: &'a syn::ItemFn,
    params: &[BodyParam],
    (body, infer): (&Body, &Infer),
    reporter: &mut Reporter<'a>,
) -> Vec<(Capabilities, Loc)> {
    let mut found = Vec::new();
    let mut seen = Capabilities::NONE;
    let mut note = |features: Capabilities, loc: Loc| {
        if !features.without(seen).is_empty() {
            found.push((features.without(seen), loc));
            seen |= features;
        }
    };
    let written = function.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(&*typed.ty),
        syn::FnArg::Receiver(_) => None,
    });
    for (ty, param) in written.zip(params) {
        let features = of_type(&param.ty);
        if !features.is_empty() {
            note(features, reporter.loc(innermost(ty)));
        }
    }
    // Expressions stand in the order in which they are evaluated, operands first.
    let mut written = body.written.iter().peekable();
    for (id, expr) in body.exprs.iter() {
        while let Some(ty) = written.next_if(|ty| ty.before <= id.index()) {
            note(ty.features, ty.loc);
        }
        if !matches!(expr.kind, ExprKind::Error) {
            note(of_type(&infer.decided(&expr.ty)), expr.loc);
            note(of_order(&expr.kind), expr.loc);
        }
    }
    written.for_each(|ty| note(ty.features, ty.loc));
    found
}

/// What values or memory of a type need.
pub fn of_type(ty: &Ty) -> Capabilities {
    match ty {
        Ty::Scalar(scalar) => Capabilities::of_scalar(*scalar),
        Ty::Atomic(scalar) => Capabilities::of_scalar(*scalar) | Capabilities::of_atomic(*scalar),
        Ty::Vector(inner, _) | Ty::Matrix(inner, _) | Ty::Array(inner, _) | Ty::Slice(inner) => of_type(inner),
        Ty::Tuple(parts) => parts.iter().fold(Capabilities::NONE, |all, part| all | of_type(part)),
        Ty::Struct(def) => def.fields.iter().fold(Capabilities::NONE, |all, field| all | of_type(&field.ty)),
        Ty::Sum(def) => def.fields().fold(Capabilities::NONE, |all, field| all | of_type(field)),
        Ty::Reference(of) => of_type(of),
        Ty::Error | Ty::Never | Ty::Unit | Ty::Usize | Ty::Bf16 => Capabilities::NONE,
        Ty::Enum(_) | Ty::Ids(_) | Ty::Var(_) => Capabilities::NONE,
    }
}

/// What the order of an access or a fence needs.
fn of_order(kind: &ExprKind) -> Capabilities {
    match kind {
        ExprKind::Atomic(.., MemoryOrder { ordering, failure, scope }) => {
            Capabilities::of_order(*ordering, *scope) | Capabilities::of_order(*failure, *scope)
        }
        ExprKind::Fence(ordering, scope) => Capabilities::of_order(*ordering, *scope),
        _ => Capabilities::NONE,
    }
}

/// The element of a type of slices and arrays, as written.
pub fn innermost(ty: &syn::Type) -> &syn::Type {
    match syntax::peel_type(ty) {
        syn::Type::Reference(reference) => innermost(&reference.elem),
        syn::Type::Slice(slice) => innermost(&slice.elem),
        syn::Type::Array(array) => innermost(&array.elem),
        other => other,
    }
}

/// The attribute with these declarations in the place of its own, and all else as it is.
fn attribute(args: &[syn::Meta], features: Capabilities, limits: &Limits) -> String {
    let features = if features.is_empty() {
        None
    } else {
        Some(format!("features({})", features.iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ")))
    };
    let limits = (!limits.is_empty()).then(|| limits.to_string());
    let mut texts = Vec::new();
    let (mut features, mut limits) = (features, limits);
    for arg in args {
        if arg.path().is_ident("features") {
            texts.extend(features.take());
        } else if arg.path().is_ident("limits") {
            texts.extend(limits.take());
        } else {
            texts.push(spell::argument(arg));
        }
    }
    texts.extend(limits);
    texts.extend(features);
    if texts.is_empty() { "#[kernel]".to_owned() } else { format!("#[kernel({})]", texts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn an_attribute_keeps_what_is_there() {
        let args: [syn::Meta; 3] = [
            parse_quote!(instances(T = [f32, u32], N = [4, 8])),
            parse_quote!(features(f16)),
            parse_quote!(crate = ::some::path),
        ];
        let mut limits = Limits::NONE;
        limits.set(Limit::Invocations, 512);
        let expected = "#[kernel(instances(T = [f32, u32], N = [4, 8]), features(f64, f16), crate = ::some::path, \
                        limits(invocations = 512))]";
        assert_eq!(attribute(&args, Capabilities::F64 | Capabilities::F16, &limits), expected);
    }

    #[test]
    fn an_attribute_of_nothing_has_no_list() {
        assert_eq!(attribute(&[parse_quote!(features(f16))], Capabilities::NONE, &Limits::NONE), "#[kernel]");
    }
}
