//! `match` on integers and `bool`.
//!
//! Patterns are kept as ranges of numbers, so that an error can name the values that no arm
//! covers. The values of constants from outside are not known here, so they cover nothing.

use super::{Binding, Lowerer};
use crate::hir::{Arm, ExprId, ExprKind, Pattern};
use crate::infer::{Ty, VarKind};
use crate::known::Known;
use crate::names;
use crate::names::Names;
use crate::syntax::{self, is_constant};
use crate::types;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn match_(&mut self, match_: &'a syn::ExprMatch, loc: Loc) -> ExprId {
        let selector = self.expr(&match_.expr);
        let matched = self.ty(selector);
        if !matches!(matched, Ty::Usize | Ty::Never | Ty::Var(_)) && matched.scalar().is_none_or(Scalar::is_float) {
            return self.refused_match(match_, selector, &matched, loc);
        }
        let mut refused = false;
        let mut ty: Option<Ty> = None;
        let mut arms = Vec::new();
        for arm in &match_.arms {
            let scope = self.context.names.len();
            let mut patterns = Vec::new();
            let before = self.reporter.diags.count();
            let binding = self.arm_pattern(&arm.pat, selector, &mut patterns);
            if refused {
                // A pattern like one that was refused is the same mistake.
                self.reporter.diags.truncate(before);
            }
            refused |= self.reporter.diags.count() > before;
            let guard = arm.guard.as_ref().map(|(_, guard)| self.condition(guard));
            let body = self.expr(&arm.body);
            self.context.names.truncate(scope);
            let found = self.ty(body);
            match &ty {
                None | Some(Ty::Never) => ty = Some(found),
                Some(expected) => self.expect(body, expected),
            }
            arms.push(Arm { patterns, binding, guard, body });
        }
        if arms.is_empty() {
            return self.unsupported(match_, "a `match` without arms", None);
        }
        let ty = ty.map_or(Ty::Never, |ty| self.infer.resolve(&ty));
        self.push(ExprKind::Match(selector, arms), ty, loc)
    }

    /// A `match` on what cannot be matched: no pattern of it is a further mistake.
    fn refused_match(&mut self, match_: &'a syn::ExprMatch, selector: ExprId, ty: &Ty, loc: Loc) -> ExprId {
        if *ty != Ty::Error {
            let message = format!("a kernel cannot match a value of type `{}`", self.infer.show(ty));
            let help = match ty {
                Ty::Tuple(_) => "match each part with its own `match`, or compare the parts with `if`",
                _ => "match integers and `bool`; compare others with `if`",
            };
            self.reporter.report(Diag::new(Code::V100, self.body.exprs[selector].loc, message).help(help));
        }
        for arm in &match_.arms {
            let scope = self.context.names.len();
            self.poison(&arm.pat);
            if let Some((_, guard)) = &arm.guard {
                self.condition(guard);
            }
            self.expr(&arm.body);
            self.context.names.truncate(scope);
        }
        self.error(loc)
    }

    /// The alternatives of an arm's pattern, and the name that it gives the selector.
    fn arm_pattern(
        &mut self,
        pat: &'a syn::Pat,
        selector: ExprId,
        patterns: &mut Vec<Pattern>,
    ) -> Option<crate::hir::LocalId> {
        match pat {
            syn::Pat::Wild(_) => {
                patterns.push(Pattern::Any);
                None
            }
            syn::Pat::Paren(paren) => self.nested(pat, |this| this.arm_pattern(&paren.pat, selector, patterns))?,
            syn::Pat::Or(or) => {
                for case in &or.cases {
                    let bound = self.nested(case, |this| this.arm_pattern(case, selector, patterns)).flatten();
                    if bound.is_some() {
                        self.unsupported(case, "a name in one of several alternatives", Some("use `name @ (a | b)`"));
                    }
                }
                None
            }
            syn::Pat::Ident(ident) if ident.by_ref.is_none() => {
                if ident.subpat.is_none() && ident.mutability.is_none() && self.names_constant(&ident.ident) {
                    self.constant_pattern(&ident.ident, selector, patterns);
                    return None;
                }
                match &ident.subpat {
                    Some((_, inner)) => {
                        if self.nested(pat, |this| this.arm_pattern(inner, selector, patterns)).flatten().is_some() {
                            self.unsupported(&**inner, "a second name for one value", None);
                        }
                    }
                    None => patterns.push(Pattern::Any),
                }
                let loc = self.loc(&ident.ident);
                let name = ident.ident.unraw().to_string();
                let local = self.variable(&name, self.ty(selector), ident.mutability.is_some(), loc);
                self.context.names.push((name, Binding::Local(local)));
                Some(local)
            }
            syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_) => {
                self.value_pattern(pat, selector, patterns);
                None
            }
            other => {
                let help = "match integers and `bool` against literals, ranges, constants, names and `_`";
                self.unsupported(other, "this pattern", Some(help));
                self.poison(other);
                patterns.push(Pattern::Any);
                None
            }
        }
    }

    /// Whether a name in a pattern means a constant: one in scope, or one from outside.
    fn names_constant(&self, ident: &syn::Ident) -> bool {
        match self.find(&ident.unraw().to_string()) {
            // As in Rust a variable is never meant, however it is written.
            Some(Binding::Local(local)) => self.constants.contains(local),
            Some(Binding::Memory(_) | Binding::Alias(_) | Binding::Closure(_) | Binding::Unknown(_)) => false,
            Some(Binding::Refused) | None => is_constant(ident),
        }
    }

    fn constant_pattern(&mut self, ident: &'a syn::Ident, selector: ExprId, patterns: &mut Vec<Pattern>) {
        let loc = self.loc(ident);
        let name = ident.unraw().to_string();
        let ty = self.ty(selector);
        let value = match self.find(&name) {
            Some(Binding::Local(local)) => {
                let local = *local;
                let local_ty = self.body.locals[local].ty.clone();
                if let Some((_, value)) = self.known.iter().find(|(id, _)| *id == local) {
                    let value = *value;
                    patterns.push(Pattern::Range(Some(value), Some(value), loc));
                    self.expect_at(loc, &ty, &local_ty, "the pattern must have the type of the matched value");
                    return;
                }
                self.push(ExprKind::Local(local), local_ty, loc)
            }
            Some(_) => self.error(loc),
            None => {
                let path = syn::ExprPath { attrs: Vec::new(), qself: None, path: ident.clone().into() };
                if let Some(Known { value, ty: kind }) = self.constant(&path.path) {
                    if let Some(kind) = kind {
                        self.expect_at(loc, &ty, &kind.ty(), "the pattern must have the type of the matched value");
                    }
                    patterns.push(Pattern::Range(Some(value), Some(value), loc));
                    return;
                }
                self.outer_named(path.path, name, loc)
            }
        };
        self.expect(value, &ty);
        patterns.push(Pattern::Constant(value));
    }

    /// A literal, a range or a path.
    fn value_pattern(&mut self, pat: &'a syn::Pat, selector: ExprId, patterns: &mut Vec<Pattern>) {
        let loc = self.loc(pat);
        let ty = self.ty(selector);
        match pat {
            syn::Pat::Path(path) => {
                let value = self.associated_constant(path, loc);
                self.expect(value, &ty);
                let known = self.known_bits(value);
                let one = |known| Pattern::Range(Some(known), Some(known), loc);
                patterns.push(known.map_or(Pattern::Constant(value), one));
            }
            syn::Pat::Range(range) => {
                let mut bounds = [None; 2];
                for (bound, written) in bounds.iter_mut().zip([&range.start, &range.end]) {
                    let Some(written) = written else { continue };
                    *bound = self.bound(written, &ty);
                    if bound.is_none() {
                        return patterns.push(Pattern::Any);
                    }
                }
                let half_open = matches!(range.limits, syn::RangeLimits::HalfOpen(_));
                let (start, end) = (bounds[0], bounds[1].map(|end| end - i128::from(half_open)));
                if let (Some(a), Some(b)) = (start, end)
                    && a > b
                {
                    self.reporter.report(Diag::new(Code::V103, loc, "this range is empty"));
                }
                patterns.push(Pattern::Range(start, end, loc));
            }
            syn::Pat::Lit(lit) => {
                let value = self.literal_bound(&lit.lit, false, &ty, loc);
                patterns.push(value.map_or(Pattern::Any, |value| Pattern::Range(Some(value), Some(value), loc)));
            }
            _ => {}
        }
    }

    /// The number that a bound of a range or a negative literal is.
    fn bound(&mut self, expr: &'a syn::Expr, ty: &Ty) -> Option<i128> {
        let loc = self.loc(expr);
        match syntax::peel(expr) {
            syn::Expr::Lit(lit) => self.literal_bound(&lit.lit, false, ty, loc),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => match syntax::peel(expr) {
                syn::Expr::Lit(lit) => self.literal_bound(&lit.lit, true, ty, loc),
                _ => self.no_bound(loc),
            },
            syn::Expr::Path(path) => match syntax::name(&path.path) {
                Some(name) => self.known_constant(&name).or_else(|| self.no_bound(loc)),
                None => {
                    let value = self.associated_constant(path, loc);
                    self.expect(value, ty);
                    let wrong = matches!(self.body.exprs[value].kind, ExprKind::Error);
                    if wrong { None } else { self.known_bits(value).or_else(|| self.no_bound(loc)) }
                }
            },
            _ => self.no_bound(loc),
        }
    }

    /// The number that an expression is, if it is known.
    fn known_bits(&self, value: ExprId) -> Option<i128> {
        let ExprKind::Bits(bits) = self.body.exprs[value].kind else { return None };
        let scalar = self.ty(value).scalar().filter(|scalar| !scalar.is_float())?;
        Some(if scalar.is_signed() { samebits_ir::scalar::signed(scalar, bits).into() } else { bits.into() })
    }

    fn no_bound(&mut self, loc: Loc) -> Option<i128> {
        let message = "a bound of a pattern must be a literal, a `const` of the function or a `#[device] const`";
        let diag = Diag::new(Code::V100, loc, message);
        self.reporter.report(diag.help("test the range in a guard: `n if n < LIMIT =>`"));
        None
    }

    fn literal_bound(&mut self, lit: &'a syn::Lit, negative: bool, ty: &Ty, loc: Loc) -> Option<i128> {
        match lit {
            syn::Lit::Bool(value) if !negative => {
                self.expect_at(
                    loc,
                    ty,
                    &Ty::Scalar(Scalar::Bool),
                    "the pattern must have the type of the matched value",
                );
                Some(i128::from(value.value))
            }
            syn::Lit::Int(int) => {
                let found = match int.suffix() {
                    "" => self.infer.var(VarKind::Int),
                    suffix => match syn::parse_str(suffix).map(|ty: syn::Type| types::read(&ty, &names::NoNames)) {
                        Ok(Ok(ty)) => ty,
                        _ => Ty::Error,
                    },
                };
                self.expect_at(loc, ty, &found, "the pattern must have the type of the matched value");
                match int.base10_parse::<i128>() {
                    Ok(value) => Some(if negative { -value } else { value }),
                    Err(_) => {
                        self.reporter.report(Diag::new(Code::V103, loc, "integer literal is too large"));
                        None
                    }
                }
            }
            other => {
                let shown = other.to_token_stream().to_string();
                let message = format!("a kernel cannot match against `{shown}`");
                let diag = Diag::new(Code::V100, loc, message);
                self.reporter.report(diag.help("match integers and `bool`; compare floats with `if`"));
                None
            }
        }
    }
}
