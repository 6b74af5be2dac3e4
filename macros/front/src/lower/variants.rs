//! Variants of enums with fields: values and patterns of them.

use super::Lowerer;
use super::pattern::Found;
use crate::hir::{Constructor, ExprId, ExprKind, Pattern};
use crate::infer::{Case, CaseForm, SumTy, Ty};
use crate::syntax::{self, member};
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
pub(super) fn no_variant(ty: &Ty, name: &syn::Ident, loc: Loc) -> Diag {
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
    /// The enum with fields that a path names a variant of, and the name of the variant.
    fn sum_named<'p>(&self, path: &'p syn::Path) -> Option<(Rc<SumTy>, &'p syn::Ident)> {
        let (owner, variant) = syntax::owner(path)?;
        match self.named_type(&owner)? {
            Ok(ty @ Ty::Sum(_)) => Some((Rc::clone(ty.sum()?), &variant.ident)),
            _ => None,
        }
    }

    /// The variant of this name, with its number; reports it if there is none of this form.
    fn case_named<'d>(
        &mut self,
        (def, name): (&'d Rc<SumTy>, &syn::Ident),
        form: CaseForm,
        loc: Loc,
    ) -> Option<(usize, &'d Case)> {
        let Some((number, case)) = def.case(&syntax::plain(name)) else {
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
    pub(super) fn unit_variant(&mut self, def: &Rc<SumTy>, name: &str, loc: Loc) -> ExprId {
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
        let (def, name) = self.sum_named(&path.path)?;
        let is_method =
            self.context.scope.of_type(&Ty::Sum(Rc::clone(&def))).is_some_and(|fact| {
                fact.methods().any(|method| syntax::plain(&method.sig.ident) == syntax::plain(name))
            });
        if is_method || def.case(&syntax::plain(name)).is_none() && !syntax::is_type_name(name) {
            return None;
        }
        let at = self.loc(path);
        let Some((number, case)) = self.case_named((&def, name), CaseForm::Tuple, at) else {
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
        let (def, name) = self.sum_named(&literal.path)?;
        let at = self.loc(&literal.path);
        let found = self.case_named((&def, name), CaseForm::Named, at);
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
        let Some((number, case)) = found else { return Some(self.error(loc)) };
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
        let (def, name) = self.sum_named(path)?;
        let (loc, at) = (self.loc(pat), self.loc(path));
        let form = if matches!(pat, syn::Pat::Struct(_)) { CaseForm::Named } else { CaseForm::Tuple };
        let fits = self.fits_at(loc, ty, &Ty::Sum(Rc::clone(&def)), PATTERN_TYPE) && *ty != Ty::Error;
        let case = if fits { self.case_named((&def, name), form, at) } else { None };
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
                            parts[i] = self.pattern_of(&field.pat, &types[i], found);
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

    /// `Enum::Variant` in a pattern; `None` if the path names something else.
    pub(super) fn unit_pattern(&mut self, path: &'a syn::PatPath, ty: &Ty, loc: Loc) -> Option<Pattern> {
        let (def, name) = self.sum_named(&path.path)?;
        let fits = self.fits_at(loc, ty, &Ty::Sum(Rc::clone(&def)), PATTERN_TYPE) && *ty != Ty::Error;
        let case = if fits { self.case_named((&def, name), CaseForm::Unit, loc) } else { None };
        Some(case.map_or(Pattern::Any, |(number, _)| Pattern::Made(Constructor::Variant(number), Vec::new())))
    }
}
