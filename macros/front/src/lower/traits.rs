//! What a type has: its own functions and constants, and those of its traits.
//!
//! As in Rust, a path through a type parameter means what the parameter's bounds name, and any other path means a
//! type's own before what traits give it. A method call that may mean either is refused, because a helper that is
//! inlined no longer knows whether a value had the type of a parameter.

use super::borrow::Passed;
use super::call::{is_of_numbers, turbofish};
use super::class::lacking;
use super::inline::Owner;
use super::structs::known_arguments;
use super::{Context, Lowerer};
use crate::generics;
use crate::hir::ExprId;
use crate::infer::{GenericArg, Ty};
use crate::known::{Bits, Kind, Known};
use crate::link::facts::Fact;
use crate::link::traits::{Function, functions_of};
use crate::report::Refused;
use crate::syntax;
use crate::types;
use crate::types::integer;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use syn::ext::IdentExt;

/// A function that a path or a method call means.
pub(super) struct Meant<'a> {
    /// The fact in which it stands.
    pub fact: &'a Fact,
    pub sig: &'a syn::Signature,
    /// Its body; nothing of a type of which only the traits are known.
    pub block: Option<&'a syn::Block>,
    /// How visible it is, if it is the type's own.
    pub vis: Option<&'a syn::Visibility>,
    /// What `Self` is in it.
    pub owner: Owner,
}

/// What is found by a name.
pub(super) enum Lookup<'a> {
    Nothing,
    One(Meant<'a>),
    /// It is of each of these traits, or of the type itself and of these.
    Several {
        traits: Vec<&'a Fact>,
        own: bool,
    },
}

/// A constant that a path means which leads through a type.
pub(super) struct Associated<'a> {
    /// The fact in which it stands.
    pub fact: &'a Fact,
    pub name: &'a syn::Ident,
    pub ty: &'a syn::Type,
    /// Its value; nothing of a type of which only the traits are known.
    pub value: Option<&'a syn::Expr>,
    /// The type that it is of.
    pub self_ty: Ty,
    /// Whether a trait has it.
    pub by_trait: bool,
}

impl<'a> Associated<'a> {
    /// The names in it.
    pub fn context(&self, around: &Context<'a>) -> Context<'a> {
        Context::of(around.scope.of(self.fact), Some(self.self_ty.clone()))
    }

    /// Its type.
    pub fn read(&self, around: &Context<'a>) -> Result<Ty, Refused> {
        types::read(self.ty, &self.context(around))
    }

    /// What is known of its value without lowering it. What a trait gives has another value for each type.
    pub fn bits(&self) -> Option<&'a Bits> {
        self.fact.value(self.name).filter(|_| self.fact.of_trait().is_none())
    }
}

impl<'a> Context<'a> {
    /// The value of an integer constant of a type.
    pub(super) fn associated_length(&self, path: &syn::Path) -> Option<Known> {
        let found = self.associated(path).filter(|_| syntax::is_bare(path))?;
        let Some(value) = found.value else {
            // As a constant parameter.
            return Known::of(generics::CHECKED_LENGTH, Some(Kind::of(&found.read(self).ok()?)?));
        };
        integer::item(found.ty, value, found.bits(), &found.context(self))
    }

    /// The constant that a path means which leads through a type.
    pub(super) fn associated(&self, path: &syn::Path) -> Option<Associated<'a>> {
        let (owner, constant) = syntax::owner(path)?;
        let bounds = self.own.bounds(&owner);
        let ty = match types::read(&as_type(&owner), self).ok()? {
            Ty::Error => return None,
            ty => ty,
        };
        if bounds.is_none() && ty.declared().is_none() && is_of_numbers(&constant.ident) {
            return None;
        }
        if bounds.is_none()
            && let Some(fact) = self.scope.of_type(&ty)
            && let Some(item) = fact.associated().find(|item| item.ident == constant.ident)
        {
            let (name, value) = (&item.ident, Some(&item.expr));
            return Some(Associated { fact, name, ty: &item.ty, value, self_ty: ty, by_trait: false });
        }
        match self.scope.trait_constants(&ty, &constant.ident, bounds).as_slice() {
            [one] => {
                let (fact, name, value) = (one.fact, one.name, one.value);
                Some(Associated { fact, name, ty: one.ty, value, self_ty: ty, by_trait: true })
            }
            _ => None,
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// The function of a type that a path means.
    pub(super) fn function_by_path(&self, owner: &syn::Path, ty: &Ty, name: &str) -> Lookup<'a> {
        let bounds = self.context.own.bounds(owner);
        if bounds.is_none()
            && let Some(own) = self.own_function(ty, name)
        {
            return Lookup::One(own);
        }
        by_traits(ty, self.context.scope.trait_functions(ty, name, bounds))
    }

    /// The function that is called as a method of a value.
    pub(super) fn function_by_method(&self, ty: &Ty, name: &str) -> Lookup<'a> {
        let found = self.context.scope.trait_functions(ty, name, None);
        match (self.own_function(ty, name), found.is_empty()) {
            (Some(own), true) => Lookup::One(own),
            (Some(_), false) => {
                Lookup::Several { traits: found.iter().map(|found| found.of_trait).collect(), own: true }
            }
            (None, _) => by_traits(ty, found),
        }
    }

    /// `Trait::method(value, …)`: the first argument tells the type.
    pub(super) fn call_of_trait(
        &mut self,
        call: &'a syn::ExprCall,
        of_trait: &'a Fact,
        function: &'a syn::PathSegment,
        loc: Loc,
    ) -> ExprId {
        let name = function.ident.unraw().to_string();
        let mut args: Vec<&'a syn::Expr> = call.args.iter().collect();
        let declared = of_trait.of_trait().and_then(|of| functions_of(of).find(|item| item.sig.ident.unraw() == name));
        let receiver = declared.and_then(|declared| Some((declared, declared.sig.receiver()?)));
        let Some((declared, receiver)) = receiver.filter(|_| !args.is_empty()) else {
            self.lower_all(args);
            let at = self.loc(&*call.func);
            let diag = match declared {
                None => Diag::new(Code::V203, at, format!("the trait `{}` has no function `{name}`", of_trait.name)),
                Some(_) => {
                    let message = format!("nothing tells the type whose `{}::{name}` this is", of_trait.name);
                    Diag::new(Code::V202, at, message).help(format!("name the type: `Type::{name}(…)`"))
                }
            };
            return self.refuse(diag);
        };
        let mut stmts = Vec::new();
        let own = args.remove(0);
        let passed = self.passed(own, generics::takes(&receiver.ty, &declared.sig), &mut stmts);
        let passed = self.borrowed_by_call(passed, (own, false), &args, &mut stmts);
        let ty = match &passed {
            Passed::Value(value) => self.ty(*value),
            Passed::Reference(borrow) => self.infer.resolve(&borrow.target.ty),
            Passed::Function(_) | Passed::Item(_) | Passed::Refused => Ty::Error,
        };
        if ty == Ty::Error {
            self.lower_all(args);
            return self.error(loc);
        }
        let id = std::slice::from_ref(&of_trait.id);
        let Lookup::One(found) = by_traits(&ty, self.context.scope.trait_functions(&ty, &name, Some(id))) else {
            self.lower_all(args);
            let diag = self.lacks_trait(&ty, of_trait, loc);
            return self.refuse(diag);
        };
        let callee = self.callee_of(found, format!("{}::{name}", of_trait.name));
        let called = self.call_helper(callee, turbofish(function), Some(passed), args, loc);
        self.value_after(stmts, called, loc)
    }

    fn lacks_trait(&mut self, ty: &Ty, of_trait: &Fact, at: Loc) -> Diag {
        let (shown, name) = (self.infer.show(ty), &of_trait.name);
        Diag::new(Code::V205, at, format!("`{shown}` does not have the trait `{name}`")).help(lacking(name, ty, &shown))
    }

    /// The type and the trait of `<Type as Trait>::name`; `None` if the path is not of this form.
    fn qualified(&mut self, path: &'a syn::ExprPath) -> Option<Result<(Ty, &'a Fact, &'a syn::PathSegment), ExprId>> {
        let of_type = path.qself.as_ref().filter(|of| of.as_token.is_some())?;
        let name = path.path.segments.last().filter(|_| of_type.position + 1 == path.path.segments.len())?;
        let mut of_trait = syn::Path { leading_colon: path.path.leading_colon, segments: Default::default() };
        of_trait.segments.extend(path.path.segments.iter().take(of_type.position).cloned());
        let fact = self.context.scope.trait_named(&of_trait)?;
        let ty = self.read_type(&of_type.ty);
        let at = self.loc(path);
        if ty == Ty::Error {
            return Some(Err(self.error(at)));
        }
        if !self.context.scope.implements(&ty, &fact.id) {
            let diag = self.lacks_trait(&ty, fact, at);
            return Some(Err(self.refuse(diag)));
        }
        Some(Ok((ty, fact, name)))
    }

    /// `<Type as Trait>::function(…)`; `None` if the path is not of this form.
    pub(super) fn call_qualified(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::ExprPath,
        loc: Loc,
    ) -> Option<ExprId> {
        let (ty, of_trait, function) = match self.qualified(path)? {
            Ok(found) => found,
            Err(refused) => {
                self.lower_all(&call.args);
                return Some(refused);
            }
        };
        let name = function.ident.unraw().to_string();
        let id = std::slice::from_ref(&of_trait.id);
        let Lookup::One(found) = by_traits(&ty, self.context.scope.trait_functions(&ty, &name, Some(id))) else {
            self.lower_all(&call.args);
            let at = self.loc(path);
            let message = format!("the trait `{}` has no function `{name}`", of_trait.name);
            return Some(self.refuse(Diag::new(Code::V203, at, message)));
        };
        Some(self.call_found(call, found, function, loc))
    }

    /// `<Type as Trait>::CONSTANT`; `None` if the path is not of this form.
    pub(super) fn constant_qualified(&mut self, path: &'a syn::ExprPath, loc: Loc) -> Option<ExprId> {
        let (ty, of_trait, constant) = match self.qualified(path)? {
            Ok(found) => found,
            Err(refused) => return Some(refused),
        };
        let id = std::slice::from_ref(&of_trait.id);
        let found = self.context.scope.trait_constants(&ty, &constant.ident, Some(id));
        let [one] = found.as_slice() else {
            let message = format!("the trait `{}` has no constant `{}`", of_trait.name, constant.ident);
            return Some(self.refuse(Diag::new(Code::V006, loc, message)));
        };
        let (fact, name, of, value) = (one.fact, one.name, one.ty, one.value);
        let found = Associated { fact, name, ty: of, value, self_ty: ty, by_trait: false };
        Some(self.associated_value(&path.path, &constant.ident, found, loc))
    }

    fn own_function(&self, ty: &Ty, name: &str) -> Option<Meant<'a>> {
        own_function(self.context.scope.of_type(ty)?, known_arguments(ty), name)
    }

    /// The report that a name means several functions.
    pub(super) fn ambiguous(&mut self, (ty, name): (&Ty, &str), traits: &[&Fact], own: bool, at: Loc) -> Diag {
        let shown = self.infer.show(ty);
        let mut names: Vec<String> = traits.iter().map(|of| format!("`{}::{name}`", of.name)).collect();
        if own {
            names.insert(0, format!("`{shown}::{name}`"));
        }
        let message = format!("`{name}` of `{shown}` may be {}", names.join(" or "));
        let help = match own {
            true => format!("write `{shown}::{name}(value)` for that of the type itself, or rename one of them"),
            false => format!("write `<{shown} as {}>::{name}(…)`", traits.first().map_or("Trait", |of| &of.name)),
        };
        Diag::new(Code::V203, at, message).help(help)
    }
}

/// The function of this name of a struct with these arguments, as far as they are known.
pub(super) fn own_function<'a>(fact: &'a Fact, args: Vec<Option<GenericArg>>, name: &str) -> Option<Meant<'a>> {
    let item = fact.methods().find(|item| item.sig.ident.unraw() == name)?;
    let (sig, block, vis) = (&item.sig, Some(&item.block), Some(&item.vis));
    Some(Meant { fact, sig, block, vis, owner: Owner::Struct(args) })
}

fn by_traits<'a>(ty: &Ty, found: Vec<Function<'a>>) -> Lookup<'a> {
    match found.as_slice() {
        [] => Lookup::Nothing,
        [one] => {
            let owner = Owner::Type(ty.clone());
            Lookup::One(Meant { fact: one.fact, sig: one.sig, block: one.block, vis: None, owner })
        }
        several => Lookup::Several { traits: several.iter().map(|found| found.of_trait).collect(), own: false },
    }
}

/// A path as a type.
pub(super) fn as_type(path: &syn::Path) -> syn::Type {
    syn::Type::Path(syn::TypePath { qself: None, path: path.clone() })
}
