//! Variants of enums: values and patterns of them, and what a `use` in a body brings in.

use super::generic::Open;
use super::pattern::Found;
use super::{Binding, Lowerer};
use crate::hir::{Constructor, ExprId, ExprKind, Pattern};
use crate::infer::{Case, CaseForm, GenericArg, SumTy, Ty, VarKind};
use crate::link::facts::{Fact, Kind};
use crate::report::Refused;
use crate::syntax::{self, member};
use crate::words::around::Around;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use std::rc::Rc;

/// What to do about a pattern of another type.
const PATTERN_TYPE: &str = "the pattern must have the type of the matched value";

/// How a variant is written.
fn written(def: &SumTy, case: &Case) -> String {
    let path = format!("{}::{}", def.name, case.name);
    match (case.form, case.fields.first()) {
        (CaseForm::Unit, _) => path,
        (CaseForm::Tuple, _) => format!("{path}({})", vec!["…"; case.fields.len()].join(", ")),
        (CaseForm::Named, None) => format!("{path} {{}}"),
        (CaseForm::Named, Some(_)) => {
            let fields: Vec<String> = case.fields.iter().map(|field| format!("{}: …", field.name)).collect();
            format!("{path} {{ {} }}", fields.join(", "))
        }
    }
}

/// The report that an enum has no variant of this name.
pub(super) fn no_variant(ty: &Ty, name: &str, loc: Loc) -> Diag {
    let (of, names): (&str, Vec<&str>) = match ty {
        Ty::Enum(def) => (&def.name, def.variants.iter().map(|variant| variant.name.as_str()).collect()),
        Ty::Sum(def) => (&def.name, def.cases.iter().map(|case| case.name.as_str()).collect()),
        _ => ("", Vec::new()),
    };
    let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let diag = Diag::new(Code::V203, loc, format!("no variant `{name}` of enum `{of}`"));
    diag.help(format!("its variants are {}", shown.join(", ")))
}

impl<'a> Lowerer<'a, '_> {
    /// Whether a path may name a variant, by a type or by a `use` in the body.
    pub(super) fn may_be_variant(&self, path: &syn::Path) -> bool {
        if let Some(name) = syntax::name(path) {
            return matches!(self.find(&name), Some(Binding::Variant(..)));
        }
        let Some((owner, _)) = syntax::owner(path) else { return false };
        self.generic_enum(&owner).is_some() || matches!(self.named_type(&owner), Some(Ok(Ty::Sum(_) | Ty::Enum(_))))
    }

    /// The generic enum that a path names.
    fn generic_enum(&self, owner: &syn::Path) -> Option<&'a Fact> {
        let named = syntax::bare(owner);
        let own = self.context.own.ty(&named).is_some();
        self.context.scope.generic(&named).filter(|fact| !own && fact.kind == Kind::Enum)
    }

    /// The enum that a path names a variant of, by its type or by a `use` in the body, and the name of the variant. What
    /// the path does not say of a generic one is left to the inference. `None` for a function of an enum.
    pub(super) fn variant_named(&mut self, path: &syn::Path, loc: Loc) -> Option<(Ty, String)> {
        if let Some(name) = syntax::name(path) {
            let Binding::Variant(ty, variant) = self.find(&name)? else { return None };
            let (ty, variant) = (ty.clone(), variant.to_string());
            return Some((self.renewed(ty, loc), variant));
        }
        let (owner, variant) = syntax::owner(path)?;
        let name = syntax::plain(&variant.ident);
        let ty = match self.generic_enum(&owner) {
            Some(fact) if !fact.has_variant(&name) && !name.starts_with(char::is_uppercase) => return None,
            Some(_) => self.enum_named(&owner, loc)?.ok()?,
            None => self.named_type(&owner)?.ok()?,
        };
        matches!(ty, Ty::Sum(_) | Ty::Enum(_)).then_some((ty, name))
    }

    /// The enum that a path names; of a generic one, with variables for what is not written.
    fn enum_named(&mut self, owner: &syn::Path, loc: Loc) -> Option<Result<Ty, Refused>> {
        if self.generic_enum(owner).is_none() {
            return self.named_type(owner);
        }
        let open = self.open_struct(owner)?;
        Some(open.and_then(|open| self.close(open, &[], loc)))
    }

    /// The enum whose variants a `use` brings in: no value is of it yet, so that its types need not be of any class.
    fn enum_brought(&mut self, owner: &syn::Path) -> Option<Result<Ty, Refused>> {
        if self.generic_enum(owner).is_none() {
            return self.named_type(owner);
        }
        let Open { fact, args } = match self.open_struct(owner)? {
            Ok(open) => open,
            Err(refused) => return Some(Err(refused)),
        };
        // A length that no path tells leaves nothing to be brought in.
        let args: Vec<GenericArg> = args.into_iter().collect::<Option<_>>()?;
        Some(self.context.scope.of_arguments(fact, args))
    }

    /// The type of another value of an enum whose variants a `use` brought in: of a generic one, with other types.
    fn renewed(&mut self, ty: Ty, loc: Loc) -> Ty {
        let Some(fact) = self.context.scope.of_type(&ty).filter(|_| ty.is_open()) else { return ty };
        let arg = |arg: &GenericArg| match arg {
            GenericArg::Ty(_) => GenericArg::Ty(self.infer.var(VarKind::General)),
            GenericArg::Len(len) => GenericArg::Len(*len),
        };
        let args = ty.arguments().iter().map(arg).map(Some).collect();
        self.close(Open { fact, args }, &[], loc).unwrap_or(ty)
    }

    /// The enum that a pattern names a variant of. What the path does not say of a generic one, its value tells.
    fn variant_matched(&mut self, path: &syn::Path, ty: &Ty, loc: Loc) -> Option<(Ty, String)> {
        if let Some((owner, variant)) = syntax::owner(path)
            && syntax::is_bare(&owner)
            && let Some(fact) = self.generic_enum(&owner)
            && let known @ Ty::Sum(_) = self.infer.resolve(ty)
            && known.declared().is_some_and(|(id, _)| id == fact.id)
        {
            return Some((known, syntax::plain(&variant.ident)));
        }
        self.variant_named(path, loc)
    }

    /// The enum with fields that a path names a variant of.
    fn sum_named(&mut self, path: &syn::Path, loc: Loc) -> Option<(Rc<SumTy>, String)> {
        let (ty, name) = self.variant_named(path, loc)?;
        Some((Rc::clone(ty.sum()?), name))
    }

    /// `Enum::Variant` of a generic enum without arguments; `None` for another path.
    pub(super) fn variant_of_generic(&mut self, path: &syn::Path, loc: Loc) -> Option<ExprId> {
        let (owner, _) = syntax::owner(path)?;
        self.generic_enum(&owner)?;
        if let Some((ty, name)) = self.variant_named(path, loc) {
            return Some(match self.variant_value(&ty, &name, loc) {
                Some(value) => value,
                None => {
                    self.infer.give_up(&ty);
                    self.refuse(no_variant(&ty, &name, loc))
                }
            });
        }
        match self.enum_named(&owner, loc) {
            Some(Err(refused)) => Some(self.refuse(refused.at(loc))),
            _ => None,
        }
    }

    /// The value of a variant of this name, which has no fields; `None` if the type has none of this name.
    pub(super) fn variant_value(&mut self, ty: &Ty, name: &str, loc: Loc) -> Option<ExprId> {
        match ty {
            Ty::Enum(def) => {
                let (_, variant) = def.variant(name)?;
                Some(self.push(ExprKind::Bits(variant.value as u64 & def.tag.mask()), ty.clone(), loc))
            }
            Ty::Sum(def) => def.case(name).map(|_| self.unit_variant(def, name, loc)),
            _ => None,
        }
    }

    /// Brings variants into scope; `false` if the `use` is of something else, or of a path that names no type.
    pub(super) fn brings_variants(&mut self, item: &'a syn::ItemUse) -> bool {
        let Some(mut imports) = syntax::imports(item) else { return false };
        // What is named counts before what comes with all others.
        imports.sort_by_key(|import| import.name.is_some());
        let loc = self.loc(item);
        for syntax::Import { owner, name } in imports {
            // `Self` and type parameters lead nowhere in a `use`.
            let declared = self.context.scope.find(&owner).is_some();
            let ty = match self.enum_brought(&owner) {
                Some(Ok(ty @ (Ty::Enum(_) | Ty::Sum(_) | Ty::Error))) if declared => ty,
                _ => {
                    let shown = syntax::spelled_path(&owner);
                    let message = format!("`{shown}` is no enum that kernels know");
                    let help = "a `use` in a body brings in variants: write it before the kernel for anything else";
                    let known = owner.segments.last().map_or_else(String::new, |last| last.ident.to_string());
                    self.refuse_name(&known, Diag::new(Code::V100, loc, message).help(help));
                    Ty::Error
                }
            };
            let all: Vec<String> = match &ty {
                Ty::Enum(def) => def.variants.iter().map(|variant| variant.name.clone()).collect(),
                Ty::Sum(def) => def.cases.iter().map(|case| case.name.clone()).collect(),
                _ => Vec::new(),
            };
            let Some((variant, own)) = name else {
                let variant = |name: String| (name.clone(), Binding::Variant(ty.clone(), name.into()));
                self.context.names.extend(all.into_iter().map(variant));
                continue;
            };
            let (variant, own) = (syntax::plain(&variant), syntax::plain(&own));
            let binding = match all.contains(&variant) {
                true => Binding::Variant(ty, variant.into()),
                false => {
                    if ty != Ty::Error {
                        self.reporter.report(no_variant(&ty, &variant, loc));
                    }
                    Binding::Refused
                }
            };
            self.context.names.push((own, binding));
        }
        true
    }

    /// The report of a variant that a `use` outside of the body brings in, which only rustc knows; `None` for another
    /// name.
    pub(super) fn brought_variant(&mut self, path: &syn::Path, loc: Loc) -> Option<ExprId> {
        let name = path.get_ident()?;
        let of = Around::brought_variant(name)?;
        let message = format!("`{name}` is a variant of `{of}`, which a `use` outside of the body brings in");
        let diag =
            Diag::new(Code::V100, loc, message).help(format!("write `{of}::{name}`, or `use {of}::*;` in the body"));
        Some(self.refuse_name(&syntax::plain(name), diag))
    }

    /// The variant of this name, with its number; reports it if there is none of this form.
    fn case_named<'d>(
        &mut self,
        (def, name): (&'d Rc<SumTy>, &str),
        form: CaseForm,
        loc: Loc,
    ) -> Option<(usize, &'d Case)> {
        let Some((number, case)) = def.case(name) else {
            let diag = no_variant(&Ty::Sum(Rc::clone(def)), name, loc);
            self.reporter.report(diag);
            return None;
        };
        if case.form == form {
            return Some((number, case));
        }
        let message = match case.form {
            CaseForm::Unit => format!("the variant `{}` has no fields", def.path(number)),
            CaseForm::Tuple => format!("the fields of `{}` are numbered", def.path(number)),
            CaseForm::Named => format!("the fields of `{}` have names", def.path(number)),
        };
        let diag = Diag::new(Code::V204, loc, message);
        self.reporter.report(diag.help(format!("write `{}`", written(def, case))));
        None
    }

    /// `Enum::Variant`
    fn unit_variant(&mut self, def: &Rc<SumTy>, name: &str, loc: Loc) -> ExprId {
        let ty = Ty::Sum(Rc::clone(def));
        match def.case(name) {
            Some((number, case)) if case.form == CaseForm::Unit => self.variant_of(number, Vec::new(), ty, loc),
            Some((number, case)) => {
                let message = format!("the variant `{}` needs its fields", def.path(number));
                let diag = Diag::new(Code::V204, loc, message);
                self.refuse(diag.help(format!("write `{}`", written(def, case))))
            }
            None => self.error(loc),
        }
    }

    /// `Enum::Variant(a, b)`; `None` if the path names something else.
    pub(super) fn variant_call(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::ExprPath,
        loc: Loc,
    ) -> Option<ExprId> {
        let at = self.loc(path);
        let (def, name) = self.sum_named(&path.path, at)?;
        let is_method = self
            .context
            .scope
            .of_type(&Ty::Sum(Rc::clone(&def)))
            .is_some_and(|fact| fact.methods().any(|method| syntax::plain(&method.sig.ident) == name));
        if is_method || def.case(&name).is_none() && !name.starts_with(char::is_uppercase) {
            return None;
        }
        let Some((number, case)) = self.case_named((&def, &name), CaseForm::Tuple, at) else {
            self.infer.give_up(&Ty::Sum(Rc::clone(&def)));
            self.args_of_refused(&call.args);
            return Some(self.error(loc));
        };
        let args = self.args(&call.args);
        if !self.arity(&call.args, case.fields.len(), &def.path(number), loc) {
            return Some(self.error(loc));
        }
        for (&arg, field) in args.iter().zip(&case.fields) {
            self.expect(arg, &field.ty);
        }
        Some(self.variant_of(number, args, Ty::Sum(Rc::clone(&def)), loc))
    }

    /// `Enum::Variant { a: x, b }`; `None` if the path names something else.
    pub(super) fn variant_literal(&mut self, literal: &'a syn::ExprStruct, loc: Loc) -> Option<ExprId> {
        let at = self.loc(&literal.path);
        let (def, name) = self.sum_named(&literal.path, at)?;
        let found = self.case_named((&def, &name), CaseForm::Named, at);
        let mut values: Vec<Option<ExprId>> = vec![None; found.map_or(0, |(_, case)| case.fields.len())];
        let mut in_order = Vec::new();
        let mut right = found.is_some();
        for field in &literal.fields {
            let value = self.expr(&field.expr);
            let Some((number, case)) = found else { continue };
            let (name, at) = (member(&field.member), self.loc(&field.member));
            match case.fields.iter().position(|field| field.name == name) {
                Some(i) if values[i].is_some() => {
                    self.reporter.report(Diag::new(Code::V200, at, format!("field `{name}` is given twice")));
                    right = false;
                }
                Some(i) => {
                    self.expect(value, &case.fields[i].ty);
                    let mut stmts = Vec::new();
                    let fixed = self.fixed(value, &mut stmts);
                    in_order.extend(stmts);
                    values[i] = Some(fixed);
                }
                None => {
                    let diag = self.no_field(&def, (number, case), &name, at);
                    self.reporter.report(diag);
                    right = false;
                }
            }
        }
        if let Some(rest) = &literal.rest {
            self.unsupported(&**rest, "the rest of another value here", Some("write all fields"));
            right = false;
        }
        let Some((number, case)) = found else {
            self.infer.give_up(&Ty::Sum(Rc::clone(&def)));
            return Some(self.error(loc));
        };
        let missing: Vec<String> = case
            .fields
            .iter()
            .zip(&values)
            .filter(|(_, value)| value.is_none())
            .map(|(field, _)| format!("`{}`", field.name))
            .collect();
        if right && !missing.is_empty() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            let message = format!("missing field{plural} {} of `{}`", missing.join(", "), def.path(number));
            self.reporter.report(Diag::new(Code::V204, at, message));
            right = false;
        }
        if !right {
            return Some(self.error(loc));
        }
        let made = self.variant_of(number, values.into_iter().flatten().collect(), Ty::Sum(Rc::clone(&def)), loc);
        let ty = self.ty(made);
        let block = crate::hir::Block { stmts: in_order, tail: Some(made) };
        Some(self.push(ExprKind::Block(block), ty, loc))
    }

    fn no_field(&self, def: &SumTy, (number, case): (usize, &Case), name: &str, at: Loc) -> Diag {
        let names: Vec<String> = case.fields.iter().map(|field| format!("`{}`", field.name)).collect();
        let diag = Diag::new(Code::V203, at, format!("no field `{name}` in the variant `{}`", def.path(number)));
        diag.help(format!("its fields are {}", names.join(", ")))
    }

    /// `Enum::Variant(a, ..)` and `Enum::Variant { a, .. }`; `None` if the path names something else.
    pub(super) fn fields_pattern(
        &mut self,
        pat: &'a syn::Pat,
        path: &'a syn::Path,
        ty: &Ty,
        found: &mut Found<'a>,
    ) -> Option<Pattern> {
        let (loc, at) = (self.loc(pat), self.loc(path));
        let (named, name) = self.variant_matched(path, ty, at)?;
        let mut def = Rc::clone(named.sum()?);
        let form = if matches!(pat, syn::Pat::Struct(_)) { CaseForm::Named } else { CaseForm::Tuple };
        let fits = self.fits_at(loc, ty, &Ty::Sum(Rc::clone(&def)), PATTERN_TYPE) && *ty != Ty::Error;
        if let Ty::Sum(known) = self.infer.resolve(&Ty::Sum(Rc::clone(&def))) {
            def = known;
        }
        if !fits {
            // What it would be is not asked as well.
            self.infer.give_up(&Ty::Sum(Rc::clone(&def)));
        }
        let case = if fits { self.case_named((&def, &name), form, at) } else { None };
        let Some((number, case)) = case else {
            found.refuse(pat);
            return Some(Pattern::Any);
        };
        let constructor = Constructor::Variant(number);
        let types: Vec<Ty> = case.fields.iter().map(|field| field.ty.clone()).collect();
        Some(match pat {
            syn::Pat::Struct(fields) => {
                let mut parts = vec![Pattern::Any; types.len()];
                let mut given = 0;
                for field in &fields.fields {
                    let name = member(&field.member);
                    match case.fields.iter().position(|field| field.name == name) {
                        Some(i) => {
                            given += 1;
                            let (at, ty) = ((constructor, i), &types[i]);
                            parts[i] =
                                self.at_part(found, at, ty, |this, found| this.pattern_of(&field.pat, ty, found));
                        }
                        None => {
                            let at = self.loc(&field.member);
                            let diag = self.no_field(&def, (number, case), &name, at);
                            self.reporter.report(diag);
                            found.refuse(&field.pat);
                        }
                    }
                }
                if fields.rest.is_none() && given < types.len() {
                    let message = format!("this pattern names {given} of {}", count(types.len(), "field"));
                    self.reporter.report(Diag::new(Code::V204, loc, message).help("write `..` for the others"));
                }
                Pattern::Made(constructor, parts)
            }
            syn::Pat::TupleStruct(parts) => {
                let Some((first, last)) = self.around_rest(&parts.elems, found) else { return Some(Pattern::Any) };
                let (given, open) = (first.len() + last.len(), first.len() < parts.elems.len());
                if given > types.len() || !open && given < types.len() {
                    let (shown, fields) = (count(given, "part"), count(types.len(), "field"));
                    let message = format!("this pattern has {shown}, but `{}` has {fields}", def.path(number));
                    self.reporter
                        .report(Diag::new(Code::V204, loc, message).help(format!("write `{}`", written(&def, case))));
                    found.refuse(pat);
                    return Some(Pattern::Any);
                }
                self.made(constructor, &types, (first, last), found)
            }
            _ => Pattern::Any,
        })
    }

    /// `Enum::Variant` in a pattern, or its name alone where it is in scope; `None` if the path names something else, such
    /// as a constant of the enum.
    pub(super) fn unit_pattern(&mut self, path: &syn::Path, ty: &Ty, loc: Loc) -> Option<Pattern> {
        let (of, name) = self.variant_matched(path, ty, loc)?;
        let known = match &of {
            Ty::Enum(def) => def.variant(&name).map(|(number, _)| number),
            Ty::Sum(def) => def.case(&name).map(|(number, _)| number),
            _ => None,
        }?;
        if !self.fits_at(loc, ty, &of, PATTERN_TYPE) || *ty == Ty::Error {
            self.infer.give_up(&of);
            return Some(Pattern::Any);
        }
        let number = match of.sum() {
            Some(def) => self.case_named((def, &name), CaseForm::Unit, loc).map(|(number, _)| number),
            None => Some(known),
        };
        Some(number.map_or(Pattern::Any, |number| Pattern::Made(Constructor::Variant(number), Vec::new())))
    }
}
