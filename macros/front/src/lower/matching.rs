//! `match`, `let` in conditions and with `else`, and the patterns that are values.
//!
//! Literals and constants are kept as ranges of numbers, so that an error can name the values that
//! no arm covers. The values of constants from outside are not known here, so they cover nothing.

use super::matched::{Matched, Picks, Subject};
use super::pattern::Names as PatternNames;
use super::{Binding, Lowerer};
use crate::hir::{Arm, Constructor, ExprId, ExprKind, Pattern, Stmt};
use crate::infer::{Ty, VarKind, Variant};
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
use syn::visit::{self, Visit};

/// What to do about a pattern of another type.
const PATTERN_TYPE: &str = "the pattern must have the type of the matched value";

impl<'a> Lowerer<'a, '_> {
    pub(super) fn match_(&mut self, match_: &'a syn::ExprMatch, loc: Loc) -> ExprId {
        let subject = self.subject(&match_.expr);
        let (selector, matched) = (subject.value, self.matched(subject.value));
        let mut refused = false;
        let mut ty: Option<Ty> = None;
        let mut arms = Vec::new();
        for arm in &match_.arms {
            let (first, mut picks) = (self.reporter.diags.count(), Picks::default());
            loop {
                let scope = self.context.names.len();
                let before = self.reporter.diags.count();
                let failed = before > first;
                let Matched { pattern, mut made } =
                    self.matched_in_turn(&arm.pat, &matched, PatternNames::Constants, &subject, Some(&mut picks));
                if refused {
                    // A pattern like one that was refused is the same mistake.
                    self.reporter.diags.truncate(before);
                }
                refused |= self.reporter.diags.count() > before;
                let own = self.reporter.diags.count();
                let guard = arm.guard.as_ref().map(|(_, guard)| self.conditions(guard));
                let guard = guard.map(|guard| self.after_names(&mut made, guard));
                let body = self.expr(&arm.body);
                let body = self.after_names(&mut made, body);
                self.context.names.truncate(scope);
                let found = self.ty(body);
                match &ty {
                    None | Some(Ty::Never) => ty = Some(found),
                    Some(expected) => self.expect(body, expected),
                }
                arms.push(Arm { pattern, guard, body });
                self.same_mistake(&picks, (failed, before, own));
                if !self.next_turn(&mut picks, &arm.pat) {
                    break;
                }
            }
        }
        if arms.is_empty() {
            return self.unsupported(match_, "a `match` without arms", None);
        }
        if matched == Ty::Error {
            return self.error(loc);
        }
        let ty = ty.map_or(Ty::Never, |ty| self.infer.resolve(&ty));
        self.push(ExprKind::Match(selector, arms), ty, loc)
    }

    /// The type of a value that is matched; an error, which is reported, if that is no value.
    fn matched(&mut self, value: ExprId) -> Ty {
        let ty = self.ty(value);
        if let Ty::Ids(_) = ty {
            let message = format!("a kernel cannot match a value of type `{}`", self.infer.show(&ty));
            let diag = Diag::new(Code::V100, self.body.exprs[value].loc, message);
            self.reporter.report(diag.help("pick an axis: `.x`, `.y` or `.z`"));
            return Ty::Error;
        }
        ty
    }

    /// The condition of an `if` or a `while`, which may hold `let`s between `&&`.
    pub(super) fn conditions(&mut self, expr: &'a syn::Expr) -> ExprId {
        let loc = self.loc(expr);
        match expr {
            syn::Expr::Group(group) => self.conditions(&group.expr),
            syn::Expr::Let(let_) => self.let_condition(let_, loc),
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) && has_let(expr) => {
                let both = |this: &mut Self| (this.conditions(&binary.left), this.conditions(&binary.right));
                match self.nested(expr, both) {
                    Some((a, b)) => self.push(ExprKind::And(a, b), Ty::Scalar(Scalar::Bool), loc),
                    None => self.error(loc),
                }
            }
            _ => self.condition(expr),
        }
    }

    fn let_condition(&mut self, let_: &'a syn::ExprLet, loc: Loc) -> ExprId {
        if let Some(refused) = self.refused_let(let_) {
            return refused;
        }
        let subject = self.subject(&let_.expr);
        let value = subject.value;
        let ty = self.matched(value);
        let Matched { pattern, made } = self.matched_by(&let_.pat, &ty, PatternNames::Constants, &subject);
        match ty {
            Ty::Error => self.push(ExprKind::Error, Ty::Scalar(Scalar::Bool), loc),
            _ => {
                let condition = self.push(ExprKind::Let(pattern, value), Ty::Scalar(Scalar::Bool), loc);
                self.with_names(condition, made, loc)
            }
        }
    }

    /// The `let` that is a whole condition, if its pattern names parts of a place in several alternatives.
    pub(super) fn has_turns(&mut self, condition: &'a syn::Expr) -> Option<&'a syn::ExprLet> {
        let syn::Expr::Let(let_) = syntax::peel(condition) else { return None };
        let alternatives = Alternatives::of(&let_.pat);
        (alternatives.iter().any(|or| self.has_names(&or.cases)) && self.is_changeable(&let_.expr)).then_some(let_)
    }

    /// `if let A(x) | B(x) = &mut place { … }`: what is matched, and an arm for each alternative.
    pub(super) fn let_in_turn(&mut self, let_: &'a syn::ExprLet, then: &'a syn::Block) -> (ExprId, Vec<Arm>) {
        let subject = self.subject(&let_.expr);
        let ty = self.matched(subject.value);
        let (before, mut picks) = (self.reporter.diags.count(), Picks::default());
        let mut arms = Vec::new();
        loop {
            let start = self.reporter.diags.count();
            let (pattern, body, own) = self.scoped(|this| {
                let names = PatternNames::Constants;
                let found = this.matched_in_turn(&let_.pat, &ty, names, &subject, Some(&mut picks));
                let Matched { pattern, mut made } = found;
                let own = this.reporter.diags.count();
                let loc = this.loc(then);
                let (block, ty) = this.block(then);
                let body = this.push(ExprKind::Block(block), ty, loc);
                (pattern, this.after_names(&mut made, body), own)
            });
            arms.push(Arm { pattern, guard: None, body });
            self.same_mistake(&picks, (start > before, start, own));
            if !self.next_turn(&mut picks, &let_.pat) {
                return (subject.value, arms);
            }
        }
    }

    /// `let pattern = value else { … };`
    pub(super) fn let_else(
        &mut self,
        pat: &'a syn::Pat,
        (value, annotated): (&'a syn::Expr, Option<Ty>),
        otherwise: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) {
        let subject = match annotated {
            Some(_) => Subject::value(self.expr(value)),
            None => self.subject(value),
        };
        let value = subject.value;
        if let Some(expected) = annotated {
            self.expect(value, &expected);
        }
        let ty = self.matched(value);
        let syn::Expr::Block(block) = otherwise else { return self.poison(pat) };
        let (block, found) = self.block(&block.block);
        if !matches!(found, Ty::Never | Ty::Error) {
            let loc = self.loc(otherwise);
            let message = "`else` clause of `let...else` does not diverge";
            let help = "end it with `return`, `break` or `continue`";
            self.reporter.report(Diag::new(Code::V200, loc, message).help(help));
        }
        let Matched { pattern, made } = self.matched_by(pat, &ty, PatternNames::Constants, &subject);
        if ty != Ty::Error {
            stmts.push(Stmt::LetElse(pattern, value, block));
            stmts.extend(made);
        }
    }

    /// Whether a name in a pattern means a constant: one in scope, or one from outside.
    pub(super) fn names_constant(&self, ident: &syn::Ident) -> bool {
        match self.find(&ident.unraw().to_string()) {
            // As in Rust a variable is never meant, however it is written.
            Some(Binding::Local(local)) => self.constants.contains(local),
            Some(Binding::Memory(_) | Binding::Alias(_) | Binding::Closure(_) | Binding::Unknown(_)) => false,
            Some(Binding::Variant(..) | Binding::Iterator(_)) => false,
            Some(Binding::Refused) | None => is_constant(ident),
        }
    }

    pub(super) fn constant_pattern(&mut self, ident: &'a syn::Ident, ty: &Ty) -> Pattern {
        let loc = self.loc(ident);
        let name = ident.unraw().to_string();
        let value = match self.find(&name) {
            Some(Binding::Local(local)) => {
                let local = *local;
                let local_ty = self.body.locals[local].ty.clone();
                if let Some(&value) = self.written.get(&local) {
                    let fits = self.fits_at(loc, ty, &local_ty, PATTERN_TYPE);
                    return if fits { self.pattern_of_value(value) } else { Pattern::Any };
                }
                if let Some((_, value)) = self.known.iter().find(|(id, _)| *id == local) {
                    let value = *value;
                    let fits = self.fits_at(loc, ty, &local_ty, PATTERN_TYPE);
                    return if fits { Pattern::Range(Some(value), Some(value), loc) } else { Pattern::Any };
                }
                self.push(ExprKind::Local(local), local_ty, loc)
            }
            Some(_) => self.error(loc),
            None => {
                let path = syn::ExprPath { attrs: Vec::new(), qself: None, path: ident.clone().into() };
                if let Some(Known { value, ty: kind }) = self.constant(&path.path) {
                    let fits = kind.is_none_or(|kind| self.fits_at(loc, ty, &kind.ty(), PATTERN_TYPE));
                    return if fits { Pattern::Range(Some(value), Some(value), loc) } else { Pattern::Any };
                }
                match self.context.scope.find(&path.path).and_then(|fact| Some((fact, fact.constant()?))) {
                    Some((fact, _)) if fact.broken => self.error(loc),
                    Some((fact, item)) => self.constant_value_of(fact, (&item.ident, &item.ty, &item.expr), None, loc),
                    None => self.outer_named(path.path, name, loc),
                }
            }
        };
        self.expect(value, ty);
        self.pattern_of_value(value)
    }

    /// The pattern that fits this value of a constant and no other.
    fn pattern_of_value(&mut self, value: ExprId) -> Pattern {
        let (ty, loc) = (self.ty(value), self.body.exprs[value].loc);
        let (constructor, parts) = match (&self.body.exprs[value].kind, &ty) {
            (_, Ty::Error) => return Pattern::Any,
            (ExprKind::Bits(bits), Ty::Enum(def)) => {
                let same = |variant: &Variant| variant.value as u64 & def.tag.mask() == *bits;
                match def.variants.iter().position(same) {
                    Some(number) => (Constructor::Variant(number), Vec::new()),
                    None => return Pattern::Constant(value),
                }
            }
            (ExprKind::Variant(number, fields), _) => (Constructor::Variant(*number), fields.clone()),
            (ExprKind::Tuple(parts), _) => (Constructor::Only, parts.clone()),
            (ExprKind::Struct(fields, None), _) => {
                let mut fields = fields.clone();
                fields.sort_by_key(|(i, _)| *i);
                (Constructor::Only, fields.into_iter().map(|(_, value)| value).collect())
            }
            (ExprKind::Block(block), _) if block.stmts.is_empty() => match block.tail {
                Some(tail) => return self.pattern_of_value(tail),
                None => return Pattern::Any,
            },
            (ExprKind::Int(number), _) if !ty.scalar().is_some_and(Scalar::is_float) => {
                let known = i128::try_from(*number).ok();
                return known.map_or(Pattern::Constant(value), |known| Pattern::Range(Some(known), Some(known), loc));
            }
            _ => {
                let known = self.known_bits(value);
                if known.is_none() && ty.value().is_none() && !matches!(ty, Ty::Var(_)) {
                    let message =
                        format!("the value of this constant of type `{}` is not known here", self.infer.show(&ty));
                    let help = "compare with `==`, or write the value itself as the pattern";
                    self.reporter.report(Diag::new(Code::V100, loc, message).help(help));
                    return Pattern::Any;
                }
                return known.map_or(Pattern::Constant(value), |known| Pattern::Range(Some(known), Some(known), loc));
            }
        };
        Pattern::Made(constructor, parts.into_iter().map(|part| self.pattern_of_value(part)).collect())
    }

    /// A literal, a range or a path.
    pub(super) fn value_pattern(&mut self, pat: &'a syn::Pat, ty: &Ty) -> Pattern {
        let loc = self.loc(pat);
        match pat {
            syn::Pat::Path(path) => {
                if let Some(pattern) = self.unit_pattern(&path.path, ty, loc) {
                    return pattern;
                }
                let value = self.associated_constant(path, loc);
                self.expect(value, ty);
                self.pattern_of_value(value)
            }
            syn::Pat::Range(range) => {
                let mut bounds = [None; 2];
                for (bound, written) in bounds.iter_mut().zip([&range.start, &range.end]) {
                    let Some(written) = written else { continue };
                    *bound = self.bound(written, ty);
                    if bound.is_none() {
                        return Pattern::Any;
                    }
                }
                let half_open = matches!(range.limits, syn::RangeLimits::HalfOpen(_));
                let (start, end) = (bounds[0], bounds[1].map(|end| end - i128::from(half_open)));
                if let (Some(a), Some(b)) = (start, end)
                    && a > b
                {
                    self.reporter.report(Diag::new(Code::V103, loc, "this range is empty"));
                }
                Pattern::Range(start, end, loc)
            }
            syn::Pat::Lit(lit) => {
                let value = self.literal_bound(&lit.lit, false, ty, loc);
                value.map_or(Pattern::Any, |value| Pattern::Range(Some(value), Some(value), loc))
            }
            _ => Pattern::Any,
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
                let fits = self.fits_at(loc, ty, &Ty::Scalar(Scalar::Bool), PATTERN_TYPE);
                fits.then(|| i128::from(value.value))
            }
            syn::Lit::Byte(byte) if !negative => {
                let fits = self.fits_at(loc, ty, &Ty::Scalar(Scalar::U8), PATTERN_TYPE);
                fits.then(|| i128::from(byte.value()))
            }
            syn::Lit::Int(int) => {
                let found = match int.suffix() {
                    "" => self.infer.var(VarKind::Int),
                    suffix => match syn::parse_str(suffix).map(|ty: syn::Type| types::read(&ty, &names::NoNames)) {
                        Ok(Ok(ty)) => ty,
                        _ => Ty::Error,
                    },
                };
                if !self.fits_at(loc, ty, &found, PATTERN_TYPE) {
                    return None;
                }
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

/// The alternatives in a pattern.
struct Alternatives<'a>(Vec<&'a syn::PatOr>);

impl<'a> Alternatives<'a> {
    fn of(pat: &'a syn::Pat) -> Vec<&'a syn::PatOr> {
        let mut all = Self(Vec::new());
        all.visit_pat(pat);
        all.0
    }
}

impl<'a> Visit<'a> for Alternatives<'a> {
    fn visit_pat_or(&mut self, or: &'a syn::PatOr) {
        self.0.push(or);
        visit::visit_pat_or(self, or);
    }
}

/// Whether there is a `let` between the `&&`s of a condition.
fn has_let(expr: &syn::Expr) -> bool {
    match expr {
        syn::Expr::Let(_) => true,
        syn::Expr::Group(group) => has_let(&group.expr),
        syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
            has_let(&binary.left) || has_let(&binary.right)
        }
        _ => false,
    }
}
