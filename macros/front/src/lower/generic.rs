//! Generic structs and enums in bodies: what their parameters are, by what is written and by the values of fields and arguments.
//!
//! A type that is not written is a variable of the inference. A length that is not written must follow from the type
//! of a value at the place that names it, since the inference knows no open lengths.

use super::borrow::{Borrow, Passed};
use super::class::Bound;
use super::inline::{Callee, Owner};
use super::{Context, Lowerer};
use crate::generics::{self, Parameter, Takes};
use crate::hir::ExprId;
use crate::infer::{GenericArg, Ty, VarKind};
use crate::link;
use crate::link::facts::Fact;
use crate::names::{Own, Slot};
use crate::report::Refused;
use crate::syntax;
use crate::types;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;

/// A generic struct or enum of which some lengths may not be known.
pub(super) struct Open<'a> {
    pub fact: &'a Fact,
    /// Its arguments; nothing for a length that is not known.
    pub args: Vec<Option<GenericArg>>,
}

/// A value at a place whose type is written.
pub(super) type Written<'a> = (&'a syn::Type, Ty);

impl<'a> Lowerer<'a, '_> {
    /// The generic struct or enum that a path names, with what the path says of its arguments; `None` if it names another type.
    pub(super) fn open_struct(&mut self, path: &syn::Path) -> Option<Result<Open<'a>, Refused>> {
        let named = syntax::bare(path);
        if self.context.own.ty(&named).is_some() {
            return None;
        }
        let fact = self.context.scope.generic(&named)?;
        let slots = link::slots(fact);
        if syntax::is_bare(path) {
            let unknown = |slot: &Slot| match slot {
                Slot::Type(_) => Some(GenericArg::Ty(self.infer.var(VarKind::General))),
                Slot::Length(_) => None,
            };
            let args = slots.iter().map(unknown).collect();
            return Some(Ok(Open { fact, args }));
        }
        let given = match types::given(path, &slots) {
            Ok(given) => given,
            Err(refused) => return Some(Err(refused)),
        };
        let mut args = Vec::new();
        for (slot, given) in slots.iter().zip(given) {
            let inferred = given.to_token_stream().to_string() == "_";
            args.push(match (slot, inferred) {
                (Slot::Type(_), true) => Some(GenericArg::Ty(self.infer.var(VarKind::General))),
                (Slot::Length(_), true) => None,
                _ => match types::argument_of(slot, given, self) {
                    Ok(arg) => Some(arg),
                    Err(refused) => return Some(Err(refused)),
                },
            });
        }
        Some(Ok(Open { fact, args }))
    }

    /// Finds the lengths that are not known by values whose types are written with the struct's own parameters. Their
    /// types must be of the parameters' classes.
    pub(super) fn close(&mut self, open: Open<'a>, values: &[Written<'a>], loc: Loc) -> Result<Ty, Refused> {
        let Open { fact, args } = open;
        let mut known = Vec::new();
        for (slot, arg) in link::slots(fact).iter().zip(args) {
            let found = |name: &str| {
                let len =
                    values.iter().find_map(|(written, ty)| generics::length(written, &self.infer.resolve(ty), name));
                len.and_then(|len| u32::try_from(len).ok()).map(GenericArg::Len)
            };
            match (slot, arg) {
                (_, Some(arg)) => known.push(arg),
                (Slot::Type(name) | Slot::Length(name), None) => match found(name) {
                    Some(arg) => known.push(arg),
                    None => return Err(not_inferred(name, fact)),
                },
            }
        }
        if let Some(parameters) = fact.generics() {
            self.owe_all(parameters, &known, &fact.name, loc);
        }
        self.context.scope.of_arguments(fact, known)
    }

    /// Demands that the arguments are of the classes of these parameters, which are in the same order.
    fn owe_all(&mut self, of: &syn::Generics, args: &[GenericArg], shown: &str, loc: Loc) {
        for (parameter, arg) in generics::parameters(of).iter().zip(args) {
            if let (Parameter::Type { name, class: Some(class), .. }, GenericArg::Ty(ty)) = (parameter, arg) {
                self.owe(ty.clone(), Bound::Class(*class), name, shown, loc);
            }
        }
    }

    /// What the names of an implementation stand for in a call of its function: its parameters and `Self`.
    pub(super) fn own_of(
        &mut self,
        callee: &Callee<'a>,
        (takes, passed): (&[Takes<'a>], &[Passed<'a>]),
        loc: Loc,
    ) -> Result<Own, Refused> {
        let args = match &callee.owner {
            Owner::Helper => return Ok(Own::default()),
            Owner::Type(ty) => {
                let ty = self.infer.resolve(ty);
                let Own { types, lengths, .. } = self.parameters_of(callee.fact, &ty);
                if let Some(item) = callee.fact.implementation() {
                    let (of, names) = (&item.generics, generics::of_self(item).unwrap_or_default());
                    let arg = |parameter: &Parameter| {
                        names
                            .iter()
                            .position(|name| *name == parameter.name())
                            .and_then(|i| ty.arguments().get(i).cloned())
                    };
                    let args: Vec<GenericArg> = generics::parameters(of).iter().filter_map(arg).collect();
                    self.owe_all(of, &args, &callee.shown, loc);
                }
                return Ok(Own { types, lengths, ..Context::of(callee.scope, Some(ty)).own });
            }
            Owner::Struct(args) => args,
        };
        let fact = callee.fact;
        let implementation = fact.implementation();
        let names = implementation.and_then(generics::of_self).unwrap_or_default();
        let (mut own, mut known) = (Own::default(), Vec::new());
        for (name, arg) in names.iter().zip(args) {
            let arg = match arg {
                Some(arg) => arg.clone(),
                None => match self.length_of(name, takes, passed).and_then(|len| u32::try_from(len).ok()) {
                    Some(len) => GenericArg::Len(len),
                    None => return Err(not_inferred(name, fact)),
                },
            };
            match &arg {
                GenericArg::Ty(ty) => own.types.push((name.clone(), ty.clone())),
                GenericArg::Len(len) => own.lengths.push((name.clone(), i128::from(*len))),
            }
            known.push(arg);
        }
        if let Some(implementation) = implementation {
            let ordered =
                |name: String| names.iter().position(|other| *other == name).and_then(|i| known.get(i).cloned());
            let of = &implementation.generics;
            let args: Vec<GenericArg> =
                generics::parameters(of).iter().filter_map(|parameter| ordered(parameter.name())).collect();
            self.owe_all(of, &args, &callee.shown, loc);
        }
        own.self_ty = Some(self.context.scope.of_arguments(fact, known)?);
        Ok(own)
    }

    /// The constant parameter that is a length of an argument's array.
    pub(super) fn length_of(&self, name: &str, takes: &[Takes<'a>], passed: &[Passed<'a>]) -> Option<i128> {
        takes.iter().zip(passed).find_map(|(takes, passed)| {
            let (written, found) = match (takes, passed) {
                (Takes::Value(ty), Passed::Value(value)) => (*ty, self.ty(*value)),
                (Takes::Reference(ty), Passed::Reference(Borrow { target, .. })) => {
                    (&*ty.elem, target.seen(self.infer.resolve(&target.ty)))
                }
                _ => return None,
            };
            generics::length(written, &found, name)
        })
    }

    /// The types of the values of a literal's fields, each with the type that its declaration writes.
    pub(super) fn written_fields(&self, fact: &'a Fact, values: &[(String, ExprId)]) -> Vec<Written<'a>> {
        let Some(item) = fact.structure() else { return Vec::new() };
        let members = item.fields.members().map(|member| syntax::member(&member));
        let fields: Vec<(String, &syn::Type)> = members.zip(item.fields.iter().map(|field| &field.ty)).collect();
        let of = |(name, value): &(String, ExprId)| {
            let (_, written) = fields.iter().find(|(field, _)| field == name)?;
            Some((*written, self.ty(*value)))
        };
        values.iter().filter_map(of).collect()
    }

    /// Whether a struct of this type is too large to be made; reports it.
    pub(super) fn doubles(&mut self, ty: &Ty, loc: Loc) -> bool {
        let large = ty.is_open() && self.infer.resolve(ty).nodes() > super::expr::MAX_PARTS;
        if large {
            let message =
                format!("a struct has at most {} parts, counting the parts of its parts", super::expr::MAX_PARTS);
            self.reporter.report(Diag::new(Code::V019, loc, message).help("use an array"));
        }
        large
    }
}

fn not_inferred(name: &str, fact: &Fact) -> Refused {
    let example =
        link::slots(fact).iter().map(|slot| if matches!(slot, Slot::Type(_)) { "_" } else { "4" }).collect::<Vec<_>>();
    Refused::new(Code::V202, format!("cannot infer `{name}` of `{}`", fact.name)).help(format!(
        "write it: `{}::<{}>`",
        fact.name,
        example.join(", ")
    ))
}
