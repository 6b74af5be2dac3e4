//! The parameters and the result of helpers.

use crate::class::{Class, members};
use crate::generics::{self, Parameter};
use crate::generics::{Takes, takes_reference};
use crate::hir::{BodyParam, Passing};
use crate::infer::{StructTy, Ty};
use crate::link::Scope;
use crate::lower::function_types;
use crate::names::Names;
use crate::names::{Own, Within};
use crate::parse;
use crate::report::{Refused, Reporter};
use crate::syntax;
use crate::types;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Access;
use syn::ext::IdentExt;

/// The most instances for which a generic helper is checked; beyond them, each parameter
/// is varied alone.
const MAX_CHECKED: usize = 16;

/// The parameters of a helper as its body sees them, `self` among them, and what it
/// returns.
pub(super) fn signature<'a>(
    sig: &'a syn::Signature,
    names: &Within<'_>,
    reporter: &mut Reporter<'a>,
) -> (Vec<BodyParam>, Ty) {
    let mut params: Vec<BodyParam> = Vec::new();
    for input in &sig.inputs {
        let param = match input {
            syn::FnArg::Receiver(own) => receiver(own, names.own.self_ty.as_ref(), reporter),
            syn::FnArg::Typed(typed) => {
                let Some((name, mutable)) = syntax::binding(&typed.pat) else {
                    let loc = reporter.loc(&*typed.pat);
                    let diag = Diag::new(Code::V102, loc, "a parameter of a helper must be a plain name");
                    reporter.report(diag.help("take it apart in the body: `let (a, b) = pair;`"));
                    // Uses of its names are not reported again.
                    params.extend(parse::refused_names(&typed.pat, loc));
                    continue;
                };
                let loc = reporter.loc(name);
                let (ty, passing) = match parameter(&typed.ty, sig, names) {
                    Ok(found) => found,
                    Err(refused) => {
                        reporter.refuse(&*typed.ty, refused);
                        (Ty::Error, Passing::Value)
                    }
                };
                // What is behind a `&mut` may change, whatever the name says.
                let behind = matches!(&passing, Passing::Function(..)) && takes_reference(&typed.ty).is_some();
                BodyParam { name: name.unraw().to_string(), ty, passing, mutable: mutable || behind, loc }
            }
        };
        if let Some(first) = params.iter().find(|known| known.name == param.name) {
            let message = format!("parameter `{}` is declared twice", param.name);
            let label = format!("`{}` is first declared here", param.name);
            reporter.report(Diag::new(Code::V001, param.loc, message).label(first.loc, label));
            continue;
        }
        params.push(param);
    }
    let result = match &sig.output {
        syn::ReturnType::Default => Ty::Unit,
        syn::ReturnType::Type(_, ty) => match result(ty, names) {
            Ok(ty) => ty,
            Err(refused) => {
                reporter.refuse(&**ty, refused);
                Ty::Error
            }
        },
    };
    (params, result)
}

fn receiver<'a>(own: &'a syn::Receiver, self_ty: Option<&Ty>, reporter: &mut Reporter<'a>) -> BodyParam {
    let loc = reporter.loc(own);
    let mutable = own.mutability.is_some();
    let ty = match self_ty {
        Some(ty) if own.colon_token.is_none() => ty.clone(),
        Some(_) => {
            let diag = Diag::new(Code::V102, loc, "a typed `self` cannot be used in a helper");
            reporter.report(diag.help("write `self`, `&self` or `&mut self`"));
            Ty::Error
        }
        None => {
            reporter.report(no_method().at(loc));
            Ty::Error
        }
    };
    let passing = match own.reference {
        Some(_) => reference(&ty, mutable),
        None => Passing::Value,
    };
    BodyParam { name: "self".to_owned(), ty, passing, mutable: mutable && own.reference.is_none(), loc }
}

/// The error for `self` in a helper that is not a method.
pub(super) fn no_method() -> Refused {
    Refused::new(Code::V102, "only a method can take `self`").help("write methods in a `#[device] impl` of the struct")
}

/// How a reference to a value of this type is passed to a helper that is compiled alone.
fn reference(ty: &Ty, mutable: bool) -> Passing {
    match ty {
        Ty::Atomic(_) => Passing::Memory(Access::Atomic),
        ty if ty.has_array() || ty.has_atomics() => {
            Passing::Memory(if mutable { Access::ReadWrite } else { Access::Read })
        }
        _ => Passing::Reference { mutable },
    }
}

fn refuse<T>(code: Code, message: impl Into<String>, help: &str) -> Result<T, Refused> {
    Err(Refused::new(code, message).help(help))
}

fn parameter(ty: &syn::Type, sig: &syn::Signature, names: &dyn Names) -> Result<(Ty, Passing), Refused> {
    match generics::takes(ty, sig) {
        Takes::Function(signature, calls) => match function_types(signature, names) {
            Some((params, result)) => Ok((result, Passing::Function(params, calls))),
            None => refuse(
                Code::V201,
                "a function parameter can only take and return values",
                "write `impl Fn(f32) -> f32`",
            ),
        },
        Takes::Value(written) if matches!(syntax::peel_type(written), syn::Type::Slice(_)) => {
            refuse(Code::V201, "a slice cannot be passed by value", "take a reference: `&[T]` or `&mut [T]`")
        }
        Takes::Value(written) => match types::read(written, names)? {
            Ty::Atomic(_) => {
                refuse(Code::V201, "an atomic cannot be passed by value", "take a reference: `&Atomic<u32>`")
            }
            ty => value(ty),
        }
        .map(|ty| (ty, Passing::Value)),
        Takes::Reference(written) => {
            let mutable = written.mutability.is_some();
            let (ty, slice) = match syntax::peel_type(&written.elem) {
                syn::Type::Slice(slice) => (types::read(&slice.elem, names)?, true),
                syn::Type::Reference(_) => {
                    return refuse(Code::V201, "a reference to a reference cannot be passed", "write one `&`");
                }
                other => (types::read(other, names)?, false),
            };
            let atomic = matches!(ty.innermost(), Ty::Atomic(_));
            if atomic && mutable {
                let help = if slice { "write `&[Atomic<T>]`" } else { "write `&Atomic<T>`" };
                return refuse(Code::V201, "atomics are shared, so they cannot be borrowed as `&mut`", help);
            }
            match (slice, &ty) {
                (_, Ty::Error) => Ok((Ty::Error, Passing::Value)),
                (true, Ty::Unit | Ty::Tuple(_)) => Err(types::no_element(&ty)),
                (true, _) => {
                    let access = match (atomic, mutable) {
                        (true, _) => Access::Atomic,
                        (false, true) => Access::ReadWrite,
                        (false, false) => Access::Read,
                    };
                    Ok((Ty::Slice(Box::new(ty)), Passing::Memory(access)))
                }
                (false, _) if atomic => Ok((ty, Passing::Memory(Access::Atomic))),
                (false, _) => {
                    let passing = reference(&ty, mutable);
                    match &passing {
                        Passing::Reference { .. } => value(ty).map(|ty| (ty, passing)),
                        _ => Ok((ty, passing)),
                    }
                }
            }
        }
    }
}

/// A type that can be passed by value.
fn value(ty: Ty) -> Result<Ty, Refused> {
    match ty {
        Ty::Error => Ok(ty),
        Ty::Struct(def) if def.is_marker() => Err(types::no_value(&def.name)),
        ty if ty.flat().is_some() => Ok(ty),
        ty => {
            let message = format!("`{ty}` cannot be passed by value");
            refuse(Code::V201, message, "take a reference: `&T` or `&mut T`")
        }
    }
}

fn result(ty: &syn::Type, names: &dyn Names) -> Result<Ty, Refused> {
    match syntax::peel_type(ty) {
        syn::Type::Reference(_) => {
            return refuse(Code::V201, "a helper cannot return a reference", "return the value itself");
        }
        syn::Type::Slice(_) => {
            return refuse(Code::V201, "a slice cannot be returned by value", "write to a `&mut [T]` parameter");
        }
        syn::Type::ImplTrait(_) => {
            return refuse(Code::V201, "a helper must name the type that it returns", "name the type");
        }
        _ => {}
    }
    match types::read(ty, names)? {
        Ty::Error => Ok(Ty::Error),
        ty if ty.flat().is_some() => Ok(ty),
        ty => {
            let message = format!("`{ty}` cannot be returned");
            refuse(Code::V201, message, "write to a `&mut` parameter")
        }
    }
}

/// The type and constant parameters of a helper, in each instance that is checked, with those of the implementation
/// around it, what is known there, and what `Self` then is.
pub(super) fn instances(
    generics: &[&syn::Generics],
    (around, scope): (&Own, Scope<'_>),
    self_ty: &dyn Fn(&Own) -> Option<Ty>,
) -> Vec<Own> {
    let mut bounds = around.bounds.clone();
    let mut axes: Vec<(String, Vec<Ty>)> = Vec::new();
    let mut lengths = Vec::new();
    for parameter in generics.iter().flat_map(|generics| generics::parameters(generics)) {
        match parameter {
            Parameter::Type { name, class, traits } => {
                let ids: Vec<String> =
                    traits.iter().filter_map(|path| scope.trait_named(path)).map(|fact| fact.id.clone()).collect();
                let of = match class {
                    Some(class) if traits.is_empty() => members(class, &name),
                    Some(class) if class != Class::Element => scope.members(class, &name, &traits),
                    class => vec![Ty::Struct(StructTy::with_traits(&name, ids.clone(), class.is_some()))],
                };
                if !ids.is_empty() {
                    bounds.push((name.clone(), ids));
                }
                axes.push((name, of));
            }
            Parameter::Const { name } => lengths.push((name, generics::CHECKED_LENGTH)),
            Parameter::Function { .. } | Parameter::Wrong(_) => {}
        }
    }
    let all: usize = axes.iter().map(|(_, members)| members.len()).product();
    let with = |picked: &[usize]| {
        let types = axes
            .iter()
            .zip(picked)
            .filter_map(|((name, members), &i)| Some((name.clone(), members.get(i).or(members.last())?.clone())));
        let own = Own { types: types.collect(), lengths: lengths.clone(), self_ty: None, bounds: bounds.clone() };
        Own { self_ty: self_ty(&own), ..own }
    };
    if all <= MAX_CHECKED {
        let mut picked = vec![vec![]];
        for (_, members) in &axes {
            let extend = |before: &Vec<usize>| {
                (0..members.len()).map(|i| before.iter().copied().chain([i]).collect::<Vec<_>>()).collect::<Vec<_>>()
            };
            picked = picked.iter().flat_map(extend).collect();
        }
        return picked.iter().map(|picked| with(picked)).collect();
    }
    let longest = axes.iter().map(|(_, members)| members.len()).max().unwrap_or(1);
    (0..longest).map(|i| with(&vec![i; axes.len()])).collect()
}

/// Reports the parts of a signature that a helper cannot have.
pub(super) fn unsuitable<'a>(sig: &'a syn::Signature, reporter: &mut Reporter<'a>) {
    parse::refuse_words(
        sig,
        "a helper",
        (Some("remove `const`: where possible, calls are computed at compile time anyway"), None),
        reporter,
    );
    unsuitable_generics(&sig.generics, "a helper", reporter);
}

/// Reports the parameters that `what`, a helper or an implementation, cannot have.
pub(super) fn unsuitable_generics<'a>(generics: &'a syn::Generics, what: &str, reporter: &mut Reporter<'a>) {
    let mut refuse = |node: &'a dyn ToTokens, message: String, help: Option<&str>| {
        reporter.refuse(node, Refused::new(Code::V102, message).advised(help));
    };
    for (param, read) in generics.params.iter().zip(generics::parameters(generics)) {
        let shown = match read {
            Parameter::Wrong(shown) => shown,
            Parameter::Type { traits, .. } if what != "a helper" && !traits.is_empty() => {
                let message = format!("a type parameter of {what} cannot be bound by a trait of kernels");
                refuse(param, message, Some("bound it by a class, such as `Number`, and write a generic helper"));
                continue;
            }
            _ => continue,
        };
        match param {
            syn::GenericParam::Lifetime(_) => {
                refuse(param, format!("{what} cannot have lifetime parameters"), Some("remove them: write `&[T]`"));
            }
            syn::GenericParam::Const(_) => {
                refuse(
                    param,
                    format!("a constant parameter of {what} must be a `usize`"),
                    Some("write `const N: usize`"),
                );
            }
            syn::GenericParam::Type(ty) => {
                let unknown = generics::unknown_bound(generics, &ty.ident);
                let message = match unknown {
                    Some(bound) => format!("`{bound}` is no bound of a kernel's type parameter"),
                    None => format!("the type parameter `{shown}` needs a bound"),
                };
                refuse(param, message, Some(parse::BOUNDS));
            }
        }
    }
}
