//! Structs: literals, patterns, fields, methods; and arrays as values.

use super::Lowerer;
use super::borrow::Passed;
use super::generic::{self, Open};
use super::inline::{Callee, Owner};
use super::pattern::Found;
use super::place::{BORROW, Places, Target};
use super::traits::{Associated, Lookup, Meant, as_type, own_function};
use super::variants::no_variant;
use crate::generics;
use crate::hir::{Constructor, ExprId, ExprKind, Pattern, Stmt};
use crate::infer::{GenericArg, MAX_LEAVES, StructTy, Ty, VarKind};
use crate::link::facts::Fact;
use crate::link::traits::functions_of;
use crate::names::Names;
use crate::privacy::{Judged, Private, PrivateUse};
use crate::report::Refused;
use crate::syntax::{self, is_constant, member, spelled_path};
use crate::types;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use std::rc::Rc;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    /// Notes a field whose privacy rustc has to judge. What a helper uses was judged where
    /// the helper is.
    pub(super) fn used_field(&mut self, def: &Rc<StructTy>, member: &'a syn::Member) {
        self.used((&def.id, &def.name), Private::Field(member));
    }

    /// Notes a comparison of enums, which rustc has to allow.
    pub(super) fn compared(&mut self, ty: &Ty, operator: &'a syn::BinOp) {
        match ty {
            Ty::Reference(of) => self.compared(of, operator),
            Ty::Sum(def) if ty.declared().is_none() => def.types().for_each(|ty| self.compared(ty, operator)),
            Ty::Tuple(parts) => parts.iter().for_each(|ty| self.compared(ty, operator)),
            Ty::Array(element, _) => self.compared(element, operator),
            ty => {
                if let Some((id, name)) = ty.declared() {
                    self.used((id, name), Private::Comparison(operator));
                }
            }
        }
    }

    fn used(&mut self, (id, name): (&str, &str), what: Private<'a>) {
        self.judge(Judged::Private(PrivateUse { id: id.to_owned(), name: name.to_owned(), what }));
    }

    /// Leaves it to rustc to judge what is named here, unless that was done where a helper is defined.
    pub(super) fn judge(&mut self, named: Judged<'a>) {
        if self.context.scope.owner().is_none() {
            self.judged.push(named);
        }
    }

    /// The same for a method or an associated function.
    fn used_function(&mut self, found: &Meant<'a>, name: &'a syn::Ident) {
        match (&found.owner, found.vis) {
            (_, Some(syn::Visibility::Public(_))) => {}
            (_, Some(_)) => self.used((&found.fact.id, &found.fact.name), Private::Function(name)),
            (Owner::Type(ty), None) => self.used_by_trait(&ty.clone(), Private::OfTrait(name)),
            (_, None) => {}
        }
    }

    /// The same for what a trait gives: rustc sees whether the trait is in scope. A type parameter has its traits by
    /// its bounds.
    fn used_by_trait(&mut self, ty: &Ty, what: Private<'a>) {
        if let Some(declared) = ty.declared()
            && !ty.is_unknown()
            && !self.context.own.types.iter().any(|(_, own)| own == ty)
        {
            self.used(declared, what);
        }
    }

    /// The struct that a path names, or the report that it names none. The values tell the lengths of a generic one
    /// that are not written.
    fn struct_named(&mut self, path: &'a syn::Path, values: &[generic::Written<'a>]) -> Option<Ty> {
        if let Some(open) = self.open_struct(path) {
            let loc = self.loc(path);
            return match open.and_then(|open| self.close(open, values, loc)) {
                Ok(ty) => Some(ty),
                Err(refused) => {
                    self.reporter.report(refused.at(loc));
                    None
                }
            };
        }
        match self.named_type(path) {
            Some(Ok(ty @ (Ty::Struct(_) | Ty::Error))) => Some(ty),
            Some(Err(refused)) => {
                self.reporter.refuse(path, refused);
                None
            }
            _ if path.segments.last().is_some_and(|last| types::lanes(&last.ident).is_some()) => {
                let message = "a kernel cannot use braces to make a vector or to take one apart";
                let help = "write `Vec3::new(x, y, z)`, and `v.x` for a lane";
                self.reporter.refuse(path, Refused::new(Code::V201, message).help(help));
                None
            }
            _ if path.segments.last().is_some_and(|last| types::columns(&last.ident).is_some()) => {
                let message = "a kernel cannot use braces to make a matrix or to take one apart";
                let help = "write `Mat2::from_cols(x, y)`, and `m.x_axis` for a column";
                self.reporter.refuse(path, Refused::new(Code::V201, message).help(help));
                None
            }
            _ => {
                let loc = self.loc(path);
                if self.brought_variant(path, loc).is_some() {
                    return None;
                }
                // A variant of an enum that is wrong, or has a wrong `impl`, which was reported there.
                if let Some((owner, _)) = syntax::owner(path)
                    && matches!(self.named_type(&owner), Some(Ok(Ty::Error)))
                {
                    return None;
                }
                let message = format!("`{}` is not a struct that a kernel can use", spelled_path(path));
                let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
                let help = format!("write `#[derive(Clone, Copy, Element)] #[repr(C)]` before `struct {name}`");
                self.refuse_name(&name, Diag::new(Code::V201, loc, message).help(help));
                None
            }
        }
    }

    /// The type that a path names. A generic one has all its arguments, none of which is left to the inference.
    pub(super) fn named_type(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        if !syntax::is_bare(path) && Names::slots(self, &syntax::bare(path)).is_some() {
            let ty = syn::Type::Path(syn::TypePath { qself: None, path: path.clone() });
            return Some(types::read(&ty, self));
        }
        let named = Names::ty(self, &syntax::bare(path));
        let fits = |ty: &Result<Ty, Refused>| syntax::is_bare(path) || matches!(ty, Ok(Ty::Error));
        named.map(|ty| if fits(&ty) { ty } else { Err(types::no_arguments(path)) })
    }

    /// `Name { field: value, ..base }`
    pub(super) fn struct_literal(&mut self, literal: &'a syn::ExprStruct, loc: Loc) -> ExprId {
        if let Some(variant) = self.variant_literal(literal, loc) {
            return variant;
        }
        let (early, known) = self.values_of_open(literal);
        let named = self.struct_named(&literal.path, &known);
        if let Some(Ty::Struct(def)) = &named
            && def.is_marker()
        {
            let refused = types::no_value(&def.name);
            return self.refuse(refused.at(loc));
        }
        if let Some(Ty::Struct(def)) = &named
            && let Some(refused) = made_with_atomics(def, loc)
        {
            return self.refuse(refused);
        }
        let def = match &named {
            Some(Ty::Struct(def)) => Some(Rc::clone(def)),
            _ => None,
        };
        let mut early = early.into_iter();
        let mut fields: Vec<(usize, ExprId)> = Vec::new();
        let mut right = def.is_some();
        for field in &literal.fields {
            let value = early.next().unwrap_or_else(|| self.expr(&field.expr));
            let Some(def) = &def else { continue };
            let name = member(&field.member);
            let at = self.loc(&field.member);
            let ty = Ty::Struct(Rc::clone(def));
            match self.part(&ty, &name, &field.member) {
                Some((i, _)) if fields.iter().any(|(other, _)| *other == i) => {
                    self.reporter.report(Diag::new(Code::V200, at, format!("field `{name}` is given twice")));
                    right = false;
                }
                Some((i, part)) => {
                    self.expect(value, &part);
                    fields.push((i, value));
                }
                None => {
                    let diag = self.missing_field(&ty, &name, at);
                    self.reporter.report(diag);
                    right = false;
                }
            }
        }
        let base = literal.rest.as_ref().map(|rest| early.next().unwrap_or_else(|| self.expr(rest)));
        let Some(def) = def else { return self.error(loc) };
        let ty = Ty::Struct(Rc::clone(&def));
        match base {
            Some(base) => self.expect(base, &ty),
            None => {
                let given = |i: usize| fields.iter().any(|(other, _)| *other == i);
                let missing: Vec<String> =
                    (0..def.fields.len()).filter(|&i| !given(i)).map(|i| format!("`{}`", def.fields[i].name)).collect();
                if right && !missing.is_empty() {
                    let at = self.loc(&literal.path);
                    let plural = if missing.len() == 1 { "" } else { "s" };
                    let message = format!("missing field{plural} {} of `{}`", missing.join(", "), def.name);
                    self.reporter.report(Diag::new(Code::V204, at, message));
                    right = false;
                }
            }
        }
        if !right {
            return self.push(ExprKind::Error, ty, loc);
        }
        if self.doubles(&ty, loc) {
            return self.error(loc);
        }
        self.push(ExprKind::Struct(fields, base), ty, loc)
    }

    /// The values of a literal of a generic struct some of whose lengths only they tell, and their types; nothing if
    /// all are known before.
    fn values_of_open(&mut self, literal: &'a syn::ExprStruct) -> (Vec<ExprId>, Vec<generic::Written<'a>>) {
        let Some(Ok(open)) = self.open_struct(&literal.path) else { return Default::default() };
        if open.args.iter().all(Option::is_some) {
            return Default::default();
        }
        let mut values: Vec<ExprId> = literal.fields.iter().map(|field| self.expr(&field.expr)).collect();
        let names = literal.fields.iter().map(|field| member(&field.member));
        let named: Vec<(String, ExprId)> = names.zip(values.iter().copied()).collect();
        let mut known = self.written_fields(open.fact, &named);
        if let Some(rest) = &literal.rest {
            let base = self.expr(rest);
            values.push(base);
            if let (Ty::Struct(def), Some(item)) = (self.ty(base), open.fact.structure())
                && def.id == open.fact.id
            {
                known.extend(item.fields.iter().zip(&def.fields).map(|(field, known)| (&field.ty, known.ty.clone())));
            }
        }
        (values, known)
    }

    /// `Name(a, b)` of a generic struct.
    fn generic_tuple_struct(
        &mut self,
        (call, path): (&'a syn::ExprCall, &'a syn::ExprPath),
        open: Open<'a>,
        loc: Loc,
    ) -> ExprId {
        let args = self.args(&call.args);
        let named: Vec<(String, ExprId)> = args.iter().enumerate().map(|(i, value)| (i.to_string(), *value)).collect();
        let known = self.written_fields(open.fact, &named);
        match self.close(open, &known, loc) {
            Ok(Ty::Struct(def)) => self.tuple_struct(call, args, &def, loc),
            Ok(_) => self.error(loc),
            Err(refused) => {
                let at = self.loc(path);
                self.refuse(refused.at(at))
            }
        }
    }

    /// `Name(a, b)`
    fn tuple_struct(&mut self, call: &'a syn::ExprCall, args: Vec<ExprId>, def: &Rc<StructTy>, loc: Loc) -> ExprId {
        let ty = Ty::Struct(Rc::clone(def));
        if !def.tuple {
            let message = format!("`{}` has named fields", def.name);
            let help = format!("write `{} {{ {}: … }}`", def.name, def.fields.first().map_or("field", |f| &f.name));
            return self.refuse(Diag::new(Code::V204, loc, message).help(help));
        }
        if !self.arity(&call.args, def.fields.len(), &def.name, loc) {
            return self.push(ExprKind::Error, ty, loc);
        }
        if let Some(refused) = made_with_atomics(def, loc) {
            return self.refuse(refused);
        }
        for (&arg, field) in args.iter().zip(&def.fields) {
            self.expect(arg, &field.ty);
        }
        if self.doubles(&ty, loc) {
            return self.error(loc);
        }
        self.push(ExprKind::Struct(args.into_iter().enumerate().collect(), None), ty, loc)
    }

    /// A call whose path begins with a capital, or has an owner that does: a tuple struct's
    /// constructor, or an associated function. `None` if it is neither.
    pub(super) fn call_of_type(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::ExprPath,
        loc: Loc,
    ) -> Option<ExprId> {
        if let Some(variant) = self.variant_call(call, path, loc) {
            return Some(variant);
        }
        match self.open_struct(&path.path) {
            Some(Ok(open)) => return Some(self.generic_tuple_struct((call, path), open, loc)),
            Some(Err(refused)) => return Some(self.refused_path(call, path, refused)),
            None => {}
        }
        match self.named_type(&path.path) {
            Some(Ok(Ty::Struct(def))) => {
                let args = self.args(&call.args);
                return Some(self.tuple_struct(call, args, &def, loc));
            }
            // It is wrong where it is declared.
            Some(Ok(Ty::Error)) => {
                self.lower_all(&call.args);
                return Some(self.error(loc));
            }
            Some(Err(refused)) => return Some(self.refused_path(call, path, refused)),
            _ => {}
        }
        let (owner, function) = syntax::owner(&path.path)?;
        if let Some(of_trait) = self.context.scope.trait_named(&owner) {
            return Some(self.call_of_trait(call, of_trait, function, loc));
        }
        let name = function.ident.unraw().to_string();
        let found = match self.open_struct(&owner) {
            Some(Ok(open)) => match own_function(open.fact, open.args, &name) {
                Some(found) => found,
                None => {
                    self.lower_all(&call.args);
                    let at = self.loc(path);
                    let names = names_of(open.fact.methods().map(|item| &item.sig));
                    return Some(self.no_function_of((&open.fact.name, names), &name, at));
                }
            },
            Some(Err(refused)) => return Some(self.refused_path(call, path, refused)),
            None => {
                let ty = match self.named_type(&owner) {
                    Some(Ok(Ty::Error)) => {
                        self.lower_all(&call.args);
                        return Some(self.error(loc));
                    }
                    Some(Ok(ty)) => ty,
                    Some(Err(refused)) => return Some(self.refused_path(call, path, refused)),
                    // A type of the language may have traits.
                    None => types::read(&as_type(&owner), self).ok()?,
                };
                match self.function_by_path(&owner, &ty, &name) {
                    Lookup::One(found) => found,
                    Lookup::Several { traits, own } => {
                        self.lower_all(&call.args);
                        let at = self.loc(path);
                        let diag = self.ambiguous((&ty, &name), &traits, own, at);
                        return Some(self.refuse(diag));
                    }
                    Lookup::Nothing => {
                        let (_, declared) = ty.declared()?;
                        let args: Vec<&'a syn::Expr> = call.args.iter().collect();
                        if name == "from" && args.len() == 1 {
                            return Some(self.own_from(args[0], &ty, loc));
                        }
                        if let Some(operator) = self.operator_named(&ty, &name, args.len()) {
                            let values: Vec<ExprId> = args.into_iter().map(|arg| self.expr(arg)).collect();
                            return Some(self.operator_called(operator, values, loc));
                        }
                        self.lower_all(&call.args);
                        let at = self.loc(path);
                        let names = self.functions_of(&ty);
                        return Some(self.no_function_of((declared, names), &name, at));
                    }
                }
            }
        };
        self.used_function(&found, &function.ident);
        Some(self.call_found(call, found, function, loc))
    }

    /// A call of a function of a type, which is named in the last segment of a path.
    pub(super) fn call_found(
        &mut self,
        call: &'a syn::ExprCall,
        found: Meant<'a>,
        function: &'a syn::PathSegment,
        loc: Loc,
    ) -> ExprId {
        let of = match &found.owner {
            Owner::Type(ty) => self.infer.show(ty),
            _ => found.fact.name.clone(),
        };
        let turbofish = super::call::turbofish(function);
        if turbofish.is_none() && !function.arguments.is_none() {
            self.reporter.refuse(function, types::no_arguments(&function.clone().into()));
            self.lower_all(&call.args);
            return self.error(loc);
        }
        let receiver = found.sig.receiver();
        let callee = self.callee_of(found, format!("{of}::{}", function.ident.unraw()));
        let mut args: Vec<&'a syn::Expr> = call.args.iter().collect();
        let Some(receiver) = receiver else {
            return self.call_helper(callee, turbofish, None, args, loc);
        };
        // `Type::method(value, …)`: the first argument is the receiver.
        if args.is_empty() {
            self.takes(0, callee.sig.inputs.len(), &callee.shown, loc);
            return self.error(loc);
        }
        let own = args.remove(0);
        let mut stmts = Vec::new();
        let passed = self.passed(own, generics::takes(&receiver.ty, callee.sig), &mut stmts);
        let passed = self.borrowed_by_call(passed, (own, false), &args, &mut stmts);
        let call = self.call_helper(callee, turbofish, Some(passed), args, loc);
        self.value_after(stmts, call, loc)
    }

    /// A value with statements before it.
    pub(super) fn value_after(&mut self, stmts: Vec<Stmt>, value: ExprId, loc: Loc) -> ExprId {
        if stmts.is_empty() {
            return value;
        }
        let ty = self.ty(value);
        self.push(ExprKind::Block(crate::hir::Block { stmts, tail: Some(value) }), ty, loc)
    }

    fn refused_path(&mut self, call: &'a syn::ExprCall, path: &'a syn::ExprPath, refused: Refused) -> ExprId {
        let at = self.loc(path);
        let error = self.refuse(refused.at(at));
        self.lower_all(&call.args);
        error
    }

    pub(super) fn callee_of(&self, found: Meant<'a>, shown: String) -> Callee<'a> {
        let scope = self.context.scope.of(found.fact);
        let Meant { fact, sig, block, owner, .. } = found;
        Callee { fact, sig, block, scope, owner, shown }
    }

    /// The functions that a type has, its own and those of its traits.
    fn functions_of(&self, ty: &Ty) -> Vec<String> {
        let scope = self.context.scope;
        let methods = scope.of_type(ty).into_iter().flat_map(Fact::methods).map(|item| &item.sig);
        let traits = scope.traits_of(ty);
        let of_traits = traits.iter().filter_map(|(of, _)| of.of_trait()).flat_map(functions_of).map(|item| &item.sig);
        names_of(methods.chain(of_traits))
    }

    fn no_function_of(&mut self, (of, names): (&str, Vec<String>), name: &str, at: Loc) -> ExprId {
        let message = format!("no method or function `{name}` on type `{of}`");
        let parameter = self.context.own.types.iter().any(|(own, _)| own == of) || of == "Self";
        let help = match names.as_slice() {
            [] if parameter => lacking_bound(of),
            [] => "write methods in a `#[device] impl`, and `#[element(methods)]` on the struct".to_owned(),
            [one] => format!("there is {one}"),
            several => format!("there are {}", several.join(", ")),
        };
        self.refuse(Diag::new(Code::V203, at, message).help(help))
    }

    /// `value.method(…)` on a struct, which is a place or a value.
    pub(super) fn struct_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        own: Result<Target, ExprId>,
        ty: &Ty,
        loc: Loc,
    ) -> ExprId {
        let name = call.method.unraw().to_string();
        let at = self.loc(&call.method);
        let shown = ty.declared().map_or_else(|| self.infer.show(ty), |(_, name)| name.to_owned());
        let found = match self.function_by_method(ty, &name) {
            Lookup::One(found) => found,
            Lookup::Several { traits, own } => {
                self.lower_all(&call.args);
                let diag = self.ambiguous((ty, &name), &traits, own, at);
                return self.refuse(diag);
            }
            Lookup::Nothing if name == "into" && call.args.is_empty() => {
                let own_loc = self.loc(&*call.receiver);
                let value = match own {
                    Ok(target) => self.load(Target { reference: false, ..target }, own_loc),
                    Err(value) => value,
                };
                return self.own_into(value, at, loc);
            }
            Lookup::Nothing if let Some(operator) = self.operator_named(ty, &name, call.args.len() + 1) => {
                let own_loc = self.loc(&*call.receiver);
                let own = match own {
                    Ok(target) => self.load(Target { reference: false, ..target }, own_loc),
                    Err(value) => value,
                };
                let values = std::iter::once(own).chain(self.args(&call.args)).collect();
                return self.operator_called(operator, values, loc);
            }
            Lookup::Nothing => {
                self.lower_all(&call.args);
                let names = self.functions_of(ty);
                return self.no_function_of((&shown, names), &name, at);
            }
        };
        self.used_function(&found, &call.method);
        let Some(receiver) = found.sig.receiver() else {
            self.lower_all(&call.args);
            let message = format!("`{name}` of `{shown}` takes no `self`");
            let help = format!("write `{shown}::{name}(…)`");
            return self.refuse(Diag::new(Code::V203, at, message).help(help));
        };
        let own_loc = self.loc(&*call.receiver);
        let mut stmts = Vec::new();
        let passed = match (own, &receiver.reference) {
            (Ok(target), None) => Passed::Value(self.load(Target { reference: false, ..target }, own_loc)),
            (Err(value), None) => Passed::Value(value),
            (own, Some(_)) => {
                let mutable = receiver.mutability.is_some();
                let target = match own {
                    Ok(target) if mutable => Some(self.storable(target, BORROW, own_loc)),
                    Ok(target) => Some(target),
                    Err(value) => self.temporary(value, &mut stmts),
                };
                self.lend(target, mutable, own_loc, &mut stmts)
            }
        };
        let callee = self.callee_of(found, format!("{shown}::{name}"));
        let args: Vec<&'a syn::Expr> = call.args.iter().collect();
        let passed = self.borrowed_by_call(passed, (&call.receiver, true), &args, &mut stmts);
        let call = self.call_helper(callee, call.turbofish.as_ref(), Some(passed), args, loc);
        self.value_after(stmts, call, loc)
    }

    /// `Type::CONSTANT`; `None` if the type is none that declares it.
    pub(super) fn constant_of_type(&mut self, path: &'a syn::ExprPath, loc: Loc) -> Option<ExprId> {
        if let Some(variant) = self.variant_of_generic(&path.path, loc) {
            return Some(variant);
        }
        let (owner, constant) = syntax::owner(&path.path)?;
        let named = self.named_type(&owner);
        match &named {
            Some(Ok(Ty::Error)) => return Some(self.error(loc)),
            Some(Ok(ty)) => {
                if let Some(variant) = self.variant_value(ty, &syntax::plain(&constant.ident), loc) {
                    return Some(variant);
                }
            }
            Some(Err(refused)) => return Some(self.refuse(refused.clone().at(loc))),
            _ => {}
        }
        if let Some(found) = self.context.associated(&path.path) {
            if !constant.arguments.is_none() {
                return Some(self.refuse(types::no_arguments(&path.path).at(loc)));
            }
            return Some(self.associated_value(&path.path, &constant.ident, found, loc));
        }
        let Some(Ok(owner)) = named else { return None };
        let (_, declared) = owner.declared()?;
        if !constant.arguments.is_none() {
            return Some(self.refuse(types::no_arguments(&path.path).at(loc)));
        }
        if matches!(owner, Ty::Enum(_) | Ty::Sum(_)) {
            let diag = no_variant(&owner, &syntax::plain(&constant.ident), loc);
            return Some(self.refuse(diag));
        }
        let message = format!("no constant `{}` on type `{declared}`", constant.ident);
        let help = match &owner {
            Ty::Struct(def) if def.unknown.is_some() => lacking_bound(declared),
            _ => "declare it in the struct's `#[device] impl`".to_owned(),
        };
        let code = if is_constant(&constant.ident) { Code::V006 } else { Code::V203 };
        Some(self.refuse(Diag::new(code, loc, message).help(help)))
    }

    /// The value of a constant that a path means which leads through a type.
    pub(super) fn associated_value(
        &mut self,
        path: &'a syn::Path,
        name: &'a syn::Ident,
        found: Associated<'a>,
        loc: Loc,
    ) -> ExprId {
        if found.by_trait {
            self.used_by_trait(&found.self_ty, Private::ConstantOfTrait(name));
        }
        let Some(value) = found.value else {
            return match found.read(&self.context) {
                Ok(Ty::Usize) => self.push(ExprKind::Int(generics::CHECKED_LENGTH.unsigned_abs()), Ty::Usize, loc),
                Ok(ty) => self.unknown(&name.to_string(), ty, loc),
                Err(_) => self.error(loc),
            };
        };
        if let Some(target) = self.table_named(path, loc) {
            return self.load(target, loc);
        }
        self.constant_value_of(found.fact, (found.name, found.ty, value), Some(found.self_ty), loc)
    }

    /// The struct that a path names which takes a value of this type apart; `None` if it is another one, which is
    /// reported.
    pub(super) fn struct_of_value(&mut self, path: &'a syn::Path, ty: &Ty, loc: Loc) -> Option<Rc<StructTy>> {
        // What a generic one's parameters are, its value tells, and one that was refused tells nothing.
        let same = |fact: &Fact| matches!(ty, Ty::Struct(def) if def.id == fact.id) || *ty == Ty::Error;
        let of_value = syntax::is_bare(path) && self.context.scope.generic(path).is_some_and(same);
        let named = if of_value { Some(ty.clone()) } else { self.struct_named(path, &[]) };
        let help = "the pattern must have the type of the value";
        match named.filter(|named| self.fits_at(loc, ty, named, help) && *ty != Ty::Error) {
            Some(Ty::Struct(def)) => Some(def),
            _ => None,
        }
    }

    /// `Name { field: pattern, .. }` and `Name(pattern, ..)`
    pub(super) fn struct_pattern(&mut self, pat: &'a syn::Pat, ty: &Ty, names: &mut Found<'a>) -> Pattern {
        let path = match pat {
            syn::Pat::Struct(pat) => &pat.path,
            syn::Pat::TupleStruct(pat) => &pat.path,
            _ => return Pattern::Any,
        };
        if let Some(pattern) = self.fields_pattern(pat, path, ty, names) {
            return pattern;
        }
        let loc = self.loc(pat);
        let Some(def) = self.struct_of_value(path, ty, loc) else {
            names.refuse(pat);
            return Pattern::Any;
        };
        let types: Vec<Ty> = def.fields.iter().map(|field| field.ty.clone()).collect();
        match pat {
            syn::Pat::Struct(fields) => {
                let whole = Ty::Struct(Rc::clone(&def));
                let mut parts = vec![Pattern::Any; types.len()];
                let mut found = 0;
                for field in &fields.fields {
                    let name = member(&field.member);
                    match self.part(&whole, &name, &field.member) {
                        Some((i, part)) => {
                            found += 1;
                            let at = (Constructor::Only, i);
                            parts[i] =
                                self.at_part(names, at, &part, |this, names| this.pattern_of(&field.pat, &part, names));
                        }
                        None => {
                            let at = self.loc(&field.member);
                            let diag = self.missing_field(&whole, &name, at);
                            self.reporter.report(diag);
                            names.refuse(&field.pat);
                        }
                    }
                }
                if fields.rest.is_none() && found < types.len() {
                    let message = format!("this pattern names {found} of {}", count(types.len(), "field"));
                    self.reporter.report(Diag::new(Code::V204, loc, message).help("write `..` for the others"));
                }
                Pattern::Made(Constructor::Only, parts)
            }
            syn::Pat::TupleStruct(parts) => {
                let Some((first, last)) = self.around_rest(&parts.elems, names) else { return Pattern::Any };
                let (given, open) = (first.len() + last.len(), first.len() < parts.elems.len());
                if given > types.len() || !open && given < types.len() {
                    let (shown, fields) = (count(given, "part"), count(types.len(), "field"));
                    let message = format!("this pattern has {shown}, but `{}` has {fields}", def.name);
                    let diag = Diag::new(Code::V204, loc, message);
                    let few = given < types.len();
                    self.reporter.report(if few { diag.help("write `..` for the others") } else { diag });
                    names.refuse(pat);
                    return Pattern::Any;
                }
                self.made(Constructor::Only, &types, (first, last), names)
            }
            _ => Pattern::Any,
        }
    }

    /// `[a, b]` as a value.
    pub(super) fn array_value(&mut self, array: &'a syn::ExprArray, loc: Loc) -> ExprId {
        let element = self.infer.var(VarKind::General);
        let values: Vec<ExprId> = array.elems.iter().map(|value| self.expr(value)).collect();
        for &value in &values {
            self.expect(value, &element);
        }
        if values.is_empty() {
            return self.refuse(Diag::new(Code::V024, loc, "an array needs at least one element"));
        }
        let ty = Ty::Array(Box::new(self.infer.resolve(&element)), values.len() as u32);
        self.sized(ExprKind::Array(values), ty, loc)
    }

    /// `[value; N]` as a value.
    pub(super) fn repeat_value(&mut self, repeat: &'a syn::ExprRepeat, loc: Loc) -> ExprId {
        let value = self.expr(&repeat.expr);
        match types::array_len(&repeat.len, self) {
            Ok(len) => {
                let ty = Ty::Array(Box::new(self.ty(value)), len);
                self.sized(ExprKind::Repeat(value, len), ty, loc)
            }
            Err(refused) => {
                self.reporter.refuse(&*repeat.len, refused);
                self.error(loc)
            }
        }
    }

    /// An array that is not too large for a value.
    pub(super) fn sized(&mut self, kind: ExprKind, ty: Ty, loc: Loc) -> ExprId {
        if !self.unsized_values && self.infer.resolve(&ty).width() > MAX_LEAVES {
            let message = format!("an array of more than {MAX_LEAVES} numbers cannot be used as a value");
            let help = "give it a name first: `let name = [0; 4096];`";
            return self.refuse(Diag::new(Code::V019, loc, message).help(help));
        }
        self.push(kind, ty, loc)
    }

    /// The place that a method is called on, or its value.
    pub(super) fn receiver(&mut self, expr: &'a syn::Expr) -> Result<Target, ExprId> {
        match self.place(expr, Places::All) {
            Some(target) => Ok(target),
            None => Err(self.expr(expr)),
        }
    }
}

/// The arguments of a type, all of which are known.
pub(super) fn known_arguments(ty: &Ty) -> Vec<Option<GenericArg>> {
    ty.arguments().iter().cloned().map(Some).collect()
}

/// How a type parameter gets what it lacks.
fn lacking_bound(parameter: &str) -> String {
    match parameter {
        "Self" => "declare it in the trait".to_owned(),
        parameter => format!("bound `{parameter}` by a trait with `#[device]` that has it"),
    }
}

fn names_of<'s>(functions: impl Iterator<Item = &'s syn::Signature>) -> Vec<String> {
    functions.map(|sig| format!("`{}`", sig.ident.unraw())).collect()
}

/// The report of a struct with atomics that is made in a kernel.
fn made_with_atomics(def: &Rc<StructTy>, loc: Loc) -> Option<Diag> {
    Ty::Struct(Rc::clone(def)).has_atomics().then(|| {
        let message = format!("`{}` holds atomics, and there are no values of it in a kernel", def.name);
        Diag::new(Code::V025, loc, message)
            .help("set the fields of one in memory: `.store(value)` for the atomics, and assignments for the others")
    })
}
