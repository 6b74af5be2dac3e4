//! `Option`: values and paths of it, its methods, and `?`.
//!
//! A method becomes a `match` of the hir, with the function of a closure in an arm. Arguments that are values are
//! evaluated before it, as in Rust.

use super::borrow::Passed;
use super::iterate::Given;
use super::place::{BORROW, Target};
use super::{Binding, Lowerer};
use crate::hir::{Arm, Block, Bound, Constructor, ExprId, ExprKind, Pattern, Place, Stmt};
use crate::infer::{NONE, SOME, Ty, VarKind};
use crate::syntax::{self, peel};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

/// The methods that kernels have, and how many arguments each takes.
const METHODS: [(&str, usize); 26] = [
    ("is_some", 0),
    ("is_none", 0),
    ("is_some_and", 1),
    ("is_none_or", 1),
    ("unwrap_or", 1),
    ("unwrap_or_default", 0),
    ("unwrap_or_else", 1),
    ("map", 1),
    ("map_or", 2),
    ("map_or_else", 2),
    ("and", 1),
    ("and_then", 1),
    ("or", 1),
    ("or_else", 1),
    ("xor", 1),
    ("filter", 1),
    ("zip", 1),
    ("copied", 0),
    ("cloned", 0),
    ("flatten", 0),
    ("take", 0),
    ("replace", 1),
    ("take_if", 1),
    ("unwrap", 0),
    ("expect", 1),
    ("unwrap_unchecked", 0),
];

/// That a pattern of `Some` does not have one part.
pub(super) const UNNAMED_FIELD: &str = "`Some` has 1 field, which this pattern does not name";

/// A path that names a variant of `Option`.
pub(super) struct OptionPath<'a> {
    variant: usize,
    /// The type that it says it may hold.
    held: Option<&'a syn::Type>,
}

/// The variant of `Option` that a path names: `Some`, `Option::None`, `None::<f32>`.
pub(super) fn option_path(path: &syn::Path) -> Option<OptionPath<'_>> {
    let mut segments = path.segments.iter().rev();
    let last = segments.next()?;
    let variant = match &*last.ident.unraw().to_string() {
        "None" => NONE,
        "Some" => SOME,
        _ => return None,
    };
    let owner = segments.next();
    if owner.is_some_and(|owner| owner.ident != "Option") {
        return None;
    }
    let written = owner.and_then(syntax::type_argument).or_else(|| syntax::type_argument(last));
    Some(OptionPath { variant, held: written })
}

impl<'a> Lowerer<'a, '_> {
    /// `Some(value)`; `None` if the call is of something else.
    pub(super) fn some(&mut self, call: &'a syn::ExprCall, path: &'a syn::Path, loc: Loc) -> Option<ExprId> {
        let named = self.option_named(path)?;
        if named.variant == NONE {
            self.lower_all(&call.args);
            let diag = Diag::new(Code::V204, loc, "`None` takes no value");
            return Some(self.refuse(diag.help("write `Some(…)`, or `None` alone")));
        }
        let held = self.held_type(&named);
        let ty = Ty::option(held.clone());
        if !self.arity(&call.args, 1, "Some", loc) {
            self.lower_all(&call.args);
            return Some(self.error(loc));
        }
        let value = self.carried_arg(&call.args[0]);
        if matches!(self.ty(value), Ty::Ids(_)) {
            let at = self.body.exprs[value].loc;
            let shown = self.infer.show(&self.ty(value));
            let diag = Diag::new(Code::V201, at, format!("an `Option` cannot hold `{shown}`"));
            return Some(self.refuse(diag.help("pick an axis, such as `.x`")));
        }
        self.expect(value, &held);
        if self.ty(value) == Ty::Error {
            return Some(self.error(loc));
        }
        Some(self.variant_of(SOME, vec![value], ty, loc))
    }

    /// `None`; `None` if the path names something else.
    pub(super) fn none(&mut self, path: &'a syn::Path, loc: Loc) -> Option<ExprId> {
        let named = self.option_named(path)?;
        if named.variant == SOME {
            let diag = Diag::new(Code::V204, loc, "`Some` needs a value here");
            return Some(self.refuse(diag.help("write `Some(value)`, and in place of a function `|x| Some(x)`")));
        }
        let held = self.held_type(&named);
        Some(self.variant_of(NONE, Vec::new(), Ty::option(held), loc))
    }

    fn option_named<'p>(&self, path: &'p syn::Path) -> Option<OptionPath<'p>> {
        let hidden = syntax::name(path).is_some_and(|name| self.find(&name).is_some());
        option_path(path).filter(|_| !hidden)
    }

    fn held_type(&mut self, named: &OptionPath<'a>) -> Ty {
        match named.held {
            Some(written) if !matches!(syntax::peel_type(written), syn::Type::Infer(_)) => self.read_type(written),
            _ => self.infer.var(VarKind::General),
        }
    }

    /// A variant with these values.
    pub(super) fn variant_of(&mut self, number: usize, values: Vec<ExprId>, ty: Ty, loc: Loc) -> ExprId {
        let ty = self.infer.resolve(&ty);
        if ty.nodes() > super::expr::MAX_PARTS || !self.unsized_values && ty.width() > crate::infer::MAX_LEAVES {
            let message =
                format!("an enum has at most {} parts, counting the parts of its parts", super::expr::MAX_PARTS);
            return self.refuse(Diag::new(Code::V019, loc, message).help("keep an index instead of the value"));
        }
        self.push(ExprKind::Variant(number, values), ty, loc)
    }

    /// An argument that an `Option` may hold, which may be a reference to a value.
    pub(super) fn carried_arg(&mut self, arg: &'a syn::Expr) -> ExprId {
        let loc = self.loc(arg);
        match peel(arg) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => {
                let value = self.expr(&reference.expr);
                self.referred(value, loc)
            }
            syn::Expr::Path(path) => {
                let target = syntax::name(&path.path)
                    .and_then(|name| self.named_place(&name, super::place::Places::Loaded))
                    .filter(|target| target.reference && target.more == 0 && is_plain(&target.ty));
                match target {
                    Some(target) => {
                        let value = self.load(Target { reference: false, ..target }, loc);
                        self.referred(value, loc)
                    }
                    None => self.expr(arg),
                }
            }
            _ => self.expr(arg),
        }
    }

    /// A reference to a value.
    pub(super) fn referred(&mut self, value: ExprId, loc: Loc) -> ExprId {
        match self.ty(value) {
            Ty::Error => value,
            ty => self.push(ExprKind::Behind(value), Ty::Reference(Box::new(ty)), loc),
        }
    }

    /// The value behind a reference, where it is one.
    pub(super) fn dereferred(&mut self, value: ExprId) -> ExprId {
        match self.ty(value) {
            Ty::Reference(of) => {
                let loc = self.body.exprs[value].loc;
                let value = self.push(ExprKind::Behind(value), *of, loc);
                self.dereferred(value)
            }
            _ => value,
        }
    }

    /// `Some(pattern)` and `None`; `None` if the path names something else.
    pub(super) fn option_pattern(
        &mut self,
        (path, pat): (&'a syn::Path, &'a syn::Pat),
        ty: &Ty,
        found: &mut super::pattern::Found<'a>,
    ) -> Option<Pattern> {
        let named = option_path(path)?;
        let loc = self.loc(pat);
        let inner = match pat {
            syn::Pat::TupleStruct(inner) => inner.elems.iter().collect(),
            _ => Vec::new(),
        };
        let takes = usize::from(named.variant == SOME);
        let held = self.infer.var(VarKind::General);
        let fits =
            self.fits_at(loc, ty, &Ty::option(held.clone()), "the pattern must have the type of the matched value");
        let rest = matches!(inner.as_slice(), [syn::Pat::Rest(_)]);
        if fits && !rest && (inner.len() != takes || takes == 0 && matches!(pat, syn::Pat::TupleStruct(_))) {
            let (shown, help) = match named.variant {
                SOME => (UNNAMED_FIELD, "write `Some(name)`, or `Some(_)`"),
                _ => ("`None` has no field", "write `None` alone"),
            };
            self.reporter.report(Diag::new(Code::V204, loc, shown).help(help));
            found.refuse(pat);
            return Some(Pattern::Any);
        }
        if !fits || *ty == Ty::Error {
            found.refuse(pat);
            return Some(Pattern::Any);
        }
        let parts = match (inner.as_slice(), rest) {
            ([one], false) => {
                let at = (Constructor::Variant(named.variant), 0);
                vec![self.at_part(found, at, &held, |this, found| this.pattern_of(one, &held, found))]
            }
            _ => vec![Pattern::Any; takes],
        };
        Some(Pattern::Made(Constructor::Variant(named.variant), parts))
    }

    /// A method of an `Option`, which is a place or a value.
    pub(super) fn option_method(
        &mut self,
        call: &'a syn::ExprMethodCall,
        own: Result<Target, ExprId>,
        ty: &Ty,
        loc: Loc,
    ) -> ExprId {
        let name = call.method.unraw().to_string();
        let Some(held) = ty.behind().held().cloned() else { return self.error(loc) };
        let at = self.loc(&call.method);
        let known = METHODS.iter().find(|(known, _)| *known == name);
        let Some(&(_, takes)) = known else {
            self.args_of_refused(&call.args);
            let help = match &*name {
                "iter" | "into_iter" => Some("write `if let Some(x) = …`".to_owned()),
                "insert" | "get_or_insert" | "get_or_insert_with" => Some("assign to it: `x = Some(value)`".to_owned()),
                "as_ref" | "as_mut" | "as_deref" | "clone" => Some("remove it: a kernel copies the value".to_owned()),
                "ok_or" | "ok_or_else" => Some("a kernel has no `Result`: match the `Option`".to_owned()),
                _ => None,
            };
            let message = format!("no method `{name}` on type `{}`", self.infer.show(ty));
            let diag = Diag::new(Code::V203, at, message);
            return self.refuse(Diag { help, ..diag });
        };
        if let Some(turbofish) = &call.turbofish {
            return self.unsupported(turbofish, "a turbofish here", Some("write the type in the closure"));
        }
        if matches!(&*name, "unwrap" | "expect" | "unwrap_unchecked") {
            self.args_of_refused(&call.args);
            let diag = Diag::new(Code::V203, at, format!("`{name}` cannot be used in a kernel, which cannot panic"));
            let help = "write `.unwrap_or(value)`, or `let Some(x) = … else { return };`";
            return self.refuse(diag.help(help));
        }
        if !self.arity(&call.args, takes, &name, loc) {
            self.lower_all(&call.args);
            return self.error(loc);
        }
        let mut stmts = Vec::new();
        let result = match (&*name, own) {
            ("take" | "replace" | "take_if", own) => self.changed(call, own, (ty, &held), loc, &mut stmts),
            (_, own) => {
                let own_loc = self.loc(&*call.receiver);
                let value = match own {
                    Ok(target) => self.load(Target { reference: false, more: 0, ..target }, own_loc),
                    Err(value) => self.dereferred(value),
                };
                let value = self.fixed(value, &mut stmts);
                self.option_result(call, &name, (value, &held), loc, &mut stmts)
            }
        };
        if stmts.is_empty() {
            return result;
        }
        let ty = self.ty(result);
        self.push(ExprKind::Block(Block { stmts, tail: Some(result) }), ty, loc)
    }

    fn option_result(
        &mut self,
        call: &'a syn::ExprMethodCall,
        name: &str,
        (value, held): (ExprId, &Ty),
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> ExprId {
        let (bool, own) = (Ty::Scalar(Scalar::Bool), self.ty(value));
        let args: Vec<&'a syn::Expr> = call.args.iter().collect();
        match name {
            "is_some" => self.is_some(value, loc),
            "is_none" => {
                let pattern = Pattern::Made(Constructor::Variant(NONE), Vec::new());
                self.push(ExprKind::Let(pattern, value), bool, loc)
            }
            "is_some_and" | "is_none_or" => {
                let Some(function) = self.option_function(args[0], 1, stmts) else { return self.error(loc) };
                let otherwise = self.push(ExprKind::Bits(u64::from(name == "is_none_or")), bool.clone(), loc);
                self.split(value, held, &bool, otherwise, loc, |this, given| {
                    let holds = this.apply(&function, vec![given], loc);
                    this.expect(holds, &bool);
                    holds
                })
            }
            "unwrap_or" => {
                let other = self.carried_arg(args[0]);
                self.expect(other, held);
                if self.ty(other) == Ty::Error {
                    return self.error(loc);
                }
                let other = self.fixed(other, stmts);
                self.split(value, held, held, other, loc, |this, given| this.carried(given, loc))
            }
            "unwrap_or_default" => {
                let at = self.loc(&call.method);
                let other = self.push(ExprKind::Default, held.clone(), at);
                self.split(value, held, held, other, loc, |this, given| this.carried(given, loc))
            }
            "unwrap_or_else" => {
                let Some(function) = self.option_function(args[0], 0, stmts) else { return self.error(loc) };
                let other = self.apply(&function, Vec::new(), loc);
                self.expect(other, held);
                self.split(value, held, held, other, loc, |this, given| this.carried(given, loc))
            }
            "map" | "and_then" => {
                let Some(function) = self.option_function(args[0], 1, stmts) else { return self.error(loc) };
                let to = self.infer.var(VarKind::General);
                let result = Ty::option(to.clone());
                let none = self.variant_of(NONE, Vec::new(), result.clone(), loc);
                self.split(value, held, &result, none, loc, |this, given| {
                    let made = this.apply(&function, vec![given], loc);
                    if name == "and_then" {
                        this.expect(made, &result);
                        return made;
                    }
                    this.expect(made, &to);
                    this.variant_of(SOME, vec![made], result.clone(), loc)
                })
            }
            "map_or" | "map_or_else" => {
                let mut other = None;
                let mut default = None;
                if name == "map_or" {
                    let value = self.expr(args[0]);
                    other = Some(self.fixed(value, stmts));
                } else {
                    default = self.option_function(args[0], 0, stmts);
                }
                let Some(function) = self.option_function(args[1], 1, stmts) else { return self.error(loc) };
                let other = match (other, default) {
                    (Some(other), _) => other,
                    (None, Some(default)) => self.apply(&default, Vec::new(), loc),
                    (None, None) => return self.error(loc),
                };
                let result = self.ty(other);
                self.split(value, held, &result, other, loc, |this, given| {
                    let made = this.apply(&function, vec![given], loc);
                    this.expect(made, &result);
                    made
                })
            }
            "and" => {
                let to = self.infer.var(VarKind::General);
                let result = Ty::option(to);
                let other = self.option_arg(args[0], &result, stmts);
                let none = self.variant_of(NONE, Vec::new(), result.clone(), loc);
                self.split(value, held, &result, none, loc, |_, _| other)
            }
            "or" => {
                let other = self.option_arg(args[0], &own, stmts);
                self.split(value, held, &own, other, loc, |_, _| value)
            }
            "or_else" => {
                let Some(function) = self.option_function(args[0], 0, stmts) else { return self.error(loc) };
                let other = self.apply(&function, Vec::new(), loc);
                self.expect(other, &own);
                self.split(value, held, &own, other, loc, |_, _| value)
            }
            "xor" => {
                let other = self.option_arg(args[0], &own, stmts);
                let none = self.variant_of(NONE, Vec::new(), own.clone(), loc);
                let alone = self.split(other, held, &own, value, loc, |_, _| none);
                self.split(value, held, &own, other, loc, |_, _| alone)
            }
            "filter" => {
                let Some(function) = self.option_function(args[0], 1, stmts) else { return self.error(loc) };
                let none = self.variant_of(NONE, Vec::new(), own.clone(), loc);
                self.split(value, held, &own, none, loc, |this, given| {
                    let holds = this.apply(&function, vec![Given::Borrowed(Box::new(given.clone()))], loc);
                    this.expect(holds, &bool);
                    let kept = this.carried(given, loc);
                    this.push(ExprKind::When(holds, kept), own.clone(), loc)
                })
            }
            "zip" => {
                let to = self.infer.var(VarKind::General);
                let other = self.option_arg(args[0], &Ty::option(to.clone()), stmts);
                let result = Ty::option(Ty::Tuple(vec![held.clone(), self.infer.resolve(&to)]));
                let none = self.variant_of(NONE, Vec::new(), result.clone(), loc);
                self.split(value, held, &result, none, loc, |this, first| {
                    let to = this.infer.resolve(&to);
                    this.split(other, &to, &result, none, loc, |this, second| {
                        let (first, second) = (this.carried(first, loc), this.carried(second, loc));
                        let ty = Ty::Tuple(vec![this.ty(first), this.ty(second)]);
                        let pair = this.push(ExprKind::Tuple(vec![first, second]), ty, loc);
                        this.variant_of(SOME, vec![pair], result.clone(), loc)
                    })
                })
            }
            "flatten" => match held.held() {
                Some(_) => {
                    let none = self.variant_of(NONE, Vec::new(), held.clone(), loc);
                    self.split(value, held, held, none, loc, |this, given| this.carried(given, loc))
                }
                None => self.no_option_method(call, &own, "it is for an `Option` of an `Option`"),
            },
            _ => match held {
                Ty::Reference(of) => self.push(ExprKind::Behind(value), Ty::option((**of).clone()), loc),
                Ty::Error => self.error(loc),
                _ => self.no_option_method(call, &own, "remove it: what it holds is a value already"),
            },
        }
    }

    fn no_option_method(&mut self, call: &'a syn::ExprMethodCall, ty: &Ty, help: &str) -> ExprId {
        let at = self.loc(&call.method);
        let message = format!("no method `{}` on type `{}`", call.method, self.infer.show(ty));
        self.refuse(Diag::new(Code::V203, at, message).help(help))
    }

    /// `take`, `replace` and `take_if`: what a place holds, which then holds something else.
    fn changed(
        &mut self,
        call: &'a syn::ExprMethodCall,
        own: Result<Target, ExprId>,
        (ty, held): (&Ty, &Ty),
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> ExprId {
        let at = self.loc(&*call.receiver);
        let Ok(target) = own else {
            self.args_of_refused(&call.args);
            let message = format!("`{}` changes a variable, but this is a value", call.method);
            return self.refuse(Diag::new(Code::V203, at, message).help("give it a name first, with `let mut`"));
        };
        let target = self.storable(Target { reference: false, more: 0, ..target }, BORROW, at);
        if target.ty == Ty::Error {
            self.args_of_refused(&call.args);
            return self.error(loc);
        }
        let target = self.frozen(target, stmts);
        let (next, kept) = if call.method == "replace" {
            let value = self.carried_arg(&call.args[0]);
            self.expect(value, held);
            let value = self.fixed(value, stmts);
            (self.variant_of(SOME, vec![value], ty.clone(), loc), None)
        } else {
            let function = match call.args.first() {
                Some(arg) => match self.option_function(arg, 1, stmts) {
                    Some(function) => Some(function),
                    None => return self.error(loc),
                },
                None => None,
            };
            (self.variant_of(NONE, Vec::new(), ty.clone(), loc), function)
        };
        let before = self.variable("before", ty.clone(), false, loc);
        let old = self.load(target.clone(), at);
        let through = target.loan;
        stmts.push(Stmt::Let(before, old));
        let old = self.push(ExprKind::Local(before), ty.clone(), loc);
        let Some(function) = kept else {
            let assigned = self.push(ExprKind::Assign(target.place, next), Ty::Unit, loc);
            self.through(assigned, 0, through);
            stmts.push(Stmt::Expr(assigned));
            return old;
        };
        let bool = Ty::Scalar(Scalar::Bool);
        let no = self.push(ExprKind::Bits(0), bool.clone(), loc);
        let goes = self.split(old, held, &bool, no, loc, |this, given| {
            let holds = this.apply(&function, vec![Given::Borrowed(Box::new(given))], loc);
            this.expect(holds, &bool);
            holds
        });
        let goes = self.fixed(goes, stmts);
        let assigned = self.push(ExprKind::Assign(target.place, next), Ty::Unit, loc);
        self.through(assigned, 0, through);
        self.when(goes, assigned, loc, stmts);
        let then = Block { stmts: Vec::new(), tail: Some(old) };
        let none = self.variant_of(NONE, Vec::new(), ty.clone(), loc);
        self.push(ExprKind::If(goes, then, Some(none)), ty.clone(), loc)
    }

    /// An argument that is an `Option`.
    fn option_arg(&mut self, arg: &'a syn::Expr, ty: &Ty, stmts: &mut Vec<Stmt>) -> ExprId {
        let other = self.expr(arg);
        self.expect(other, ty);
        self.fixed(other, stmts)
    }

    /// `condition.then(|| value)`: the function runs where the condition holds.
    pub(super) fn some_of(&mut self, call: &'a syn::ExprMethodCall, condition: ExprId, loc: Loc) -> ExprId {
        if !self.arity(&call.args, 1, "then", loc) {
            self.args_of_refused(&call.args);
            return self.error(loc);
        }
        let mut stmts = Vec::new();
        let condition = self.fixed(condition, &mut stmts);
        let Some(function) = self.option_function(&call.args[0], 0, &mut stmts) else { return self.error(loc) };
        let made = self.apply(&function, Vec::new(), loc);
        let held = self.ty(made);
        if held == Ty::Error {
            return self.error(loc);
        }
        let ty = Ty::option(held);
        let some = self.variant_of(SOME, vec![made], ty.clone(), loc);
        let none = self.variant_of(NONE, Vec::new(), ty.clone(), loc);
        let then = Block { stmts: Vec::new(), tail: Some(some) };
        let chosen = self.push(ExprKind::If(condition, then, Some(none)), ty.clone(), loc);
        if stmts.is_empty() {
            return chosen;
        }
        self.push(ExprKind::Block(Block { stmts, tail: Some(chosen) }), ty, loc)
    }

    fn option_function(&mut self, arg: &'a syn::Expr, arity: usize, stmts: &mut Vec<Stmt>) -> Option<Binding<'a>> {
        match self.passed_function(arg, arity, stmts) {
            Passed::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Whether an `Option` holds something.
    pub(super) fn is_some(&mut self, value: ExprId, loc: Loc) -> ExprId {
        let pattern = Pattern::Made(Constructor::Variant(SOME), vec![Pattern::Any]);
        self.push(ExprKind::Let(pattern, value), Ty::Scalar(Scalar::Bool), loc)
    }

    /// `match value { Some(held) => some(held), None => otherwise }`
    pub(super) fn split(
        &mut self,
        value: ExprId,
        held: &Ty,
        ty: &Ty,
        otherwise: ExprId,
        loc: Loc,
        some: impl FnOnce(&mut Self, Given) -> ExprId,
    ) -> ExprId {
        let binding = self.declare("value", false, self.infer.resolve(held), loc);
        let (inner, given) = match self.bound_by(&binding) {
            Some(bound) => (Pattern::Named(bound, Box::new(Pattern::Any)), self.given(&binding, loc)),
            None => (Pattern::Any, Given::Value(self.error(loc))),
        };
        let body = some(self, given);
        let pattern = Pattern::Made(Constructor::Variant(SOME), vec![inner]);
        let arms =
            vec![Arm { pattern, guard: None, body }, Arm { pattern: Pattern::Any, guard: None, body: otherwise }];
        self.push(ExprKind::Match(value, arms), self.infer.resolve(ty), loc)
    }

    /// What a name that a pattern binds stands for, as an item.
    fn given(&mut self, binding: &Binding<'a>, loc: Loc) -> Given {
        match binding {
            Binding::Local(local) => {
                let ty = self.body.locals[*local].ty.clone();
                Given::Value(self.push(ExprKind::Local(*local), ty, loc))
            }
            Binding::Alias(target) => Given::Reference((**target).clone()),
            Binding::Memory(memory) => {
                let target = Target::of(memory);
                if target.reference { Given::Reference(target) } else { Given::Value(self.load(target, loc)) }
            }
            _ => Given::Value(self.error(loc)),
        }
    }

    /// What a pattern binds for a name.
    pub(super) fn bound_by(&self, binding: &Binding<'a>) -> Option<Bound> {
        match binding {
            Binding::Local(local) => Some(Bound::Local(*local)),
            Binding::Memory(memory) => Some(Bound::Memory(memory.root)),
            Binding::Alias(target) => match &target.place {
                Place::Local { local, .. } => Some(Bound::Local(*local)),
                _ => None,
            },
            _ => None,
        }
    }

    /// An item as a value, which may be a reference.
    pub(super) fn carried(&mut self, given: Given, loc: Loc) -> ExprId {
        match given {
            Given::Reference(target) if target.more == 0 => {
                let value = self.load(Target { reference: false, ..target }, loc);
                self.referred(value, loc)
            }
            Given::Pair(a, b) => {
                let (a, b) = (self.carried(*a, loc), self.carried(*b, loc));
                let ty = Ty::Tuple(vec![self.ty(a), self.ty(b)]);
                self.push(ExprKind::Tuple(vec![a, b]), ty, loc)
            }
            other => self.given_value(other, loc),
        }
    }

    /// `value?`
    pub(super) fn try_(&mut self, try_: &'a syn::ExprTry, loc: Loc) -> ExprId {
        let value = self.expr(&try_.expr);
        let ty = self.ty(value);
        if ty == Ty::Error {
            return self.error(loc);
        }
        let at = self.loc(&try_.question_token);
        let held = self.infer.var(VarKind::General);
        if !self.infer.unify(&ty, &Ty::option(held.clone())) {
            let shown = self.infer.show(&ty);
            let message = format!("the `?` operator is for `Option`s, but this is `{shown}`");
            return self.refuse(Diag::new(Code::V200, at, message).help("remove the `?`"));
        }
        let result = self.context.result.clone();
        let returned = Ty::option(self.infer.var(VarKind::General));
        if !self.infer.unify(&result, &returned) {
            let message = match self.infer.resolve(&result) {
                Ty::Unit => "the `?` operator needs a function that returns an `Option`, but this one returns nothing"
                    .to_owned(),
                other => {
                    let shown = self.infer.show(&other);
                    format!(
                        "the `?` operator needs a function that returns an `Option`, but this one returns `{shown}`"
                    )
                }
            };
            let help = "write `let Some(x) = … else { return };`, with what is returned then";
            return self.refuse(Diag::new(Code::V200, at, message).help(help));
        }
        let none = self.variant_of(NONE, Vec::new(), returned, loc);
        let leave = self.return_(Some(none), loc);
        let held = self.infer.resolve(&held);
        self.split(value, &held, &held, leave, loc, |this, given| this.carried(given, loc))
    }

    /// Whether two values are the same, of types that are compared by `==` and consist of several numbers; `None` if
    /// the type is none.
    pub(super) fn same_sums(&mut self, op: Op, (a, b): (ExprId, ExprId), loc: Loc) -> ExprId {
        let bool = Ty::Scalar(Scalar::Bool);
        let same = self.push(ExprKind::Same(a, b), bool.clone(), loc);
        if op == Op::Eq { same } else { self.push(ExprKind::Op(Op::Not, vec![same]), bool, loc) }
    }
}

/// Whether a type is one of values, and not of memory that has a name.
fn is_plain(ty: &Ty) -> bool {
    !matches!(ty, Ty::Slice(_) | Ty::Atomic(_) | Ty::Error)
}

/// Whether two values of a type can be compared: it consists of numbers, vectors and enums.
pub(super) fn is_comparable(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Usize | Ty::Enum(_) | Ty::Vector(..) | Ty::Var(_) | Ty::Unit | Ty::Error => true,
        Ty::Reference(of) => is_comparable(of),
        Ty::Sum(def) => def.fields().all(is_comparable),
        Ty::Struct(def) => def.unknown.is_none() && def.fields.iter().all(|field| is_comparable(&field.ty)),
        Ty::Tuple(parts) => parts.iter().all(is_comparable),
        Ty::Array(element, _) | Ty::Matrix(element, _) => is_comparable(element),
        _ => false,
    }
}
