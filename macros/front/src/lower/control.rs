//! `if`, loops and blocks with labels. A `for` goes over an [iterator](super::iterate).

use super::{Lowerer, MAX_CHAIN};
use crate::attributes::is_unroll;
use crate::hir::{Arm, Block, ExprId, ExprKind, Loop, LoopId, Pattern};
use crate::infer::{Ty, VarKind};
use crate::syntax::{self, peel};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::flags::Unroll;
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// An `if` of a chain.
enum Link {
    /// Its condition, and its block with the type.
    If(ExprId, (Block, Ty)),
    /// What a `let` alone matches, and an arm for each way through the alternatives of its pattern.
    Turns(ExprId, Vec<Arm>),
}

impl<'a> Lowerer<'a, '_> {
    /// A condition, which must be a `bool`.
    pub(super) fn condition(&mut self, expr: &'a syn::Expr) -> ExprId {
        if let syn::Expr::Assign(assign) = peel(expr) {
            let loc = self.loc(&assign.eq_token);
            let diag = Diag::new(Code::V022, loc, "a condition must be a `bool`, but this is an assignment");
            return self.refuse(diag.help("compare with `==`"));
        }
        let id = self.expr(expr);
        let ty = self.ty(id);
        if !self.infer.unify(&ty, &Ty::Scalar(Scalar::Bool)) {
            let loc = self.body.exprs[id].loc;
            let message = format!("a condition must be a `bool`, but this is `{}`", self.infer.show(&ty));
            let help = match &ty {
                Ty::Vector(lane, _) if **lane == Ty::Scalar(Scalar::Bool) => {
                    "say which lanes count: `.all()` or `.any()`"
                }
                ty if ty.scalar().is_some_and(Scalar::is_float) => "compare it: `… != 0.0`",
                ty if ty.held().is_some() => "ask whether it holds something: `.is_some()`",
                _ => "compare it: `… != 0`",
            };
            self.reporter.report(Diag::new(Code::V022, loc, message).help(help));
        }
        id
    }

    /// An `if` with all the `else if`s behind it, which do not count as nested in each other.
    pub(super) fn if_(&mut self, if_: &'a syn::ExprIf, loc: Loc) -> ExprId {
        let (chain, otherwise) = syntax::chain(if_);
        let around = self.outer_depth;
        let mut links = Vec::new();
        for if_ in chain {
            if links.len() == MAX_CHAIN {
                self.outer_depth = around;
                let message = format!("a chain has at most {MAX_CHAIN} conditions, one `if` and `else if`s");
                let help = "`match` on a number, or leave with `return` or `break` after some of them";
                return self.refuse(Diag::new(Code::V018, loc, message).help(help));
            }
            let at = self.loc(if_);
            if let Some(let_) = self.has_turns(&if_.cond) {
                let (selector, arms) = self.let_in_turn(let_, &if_.then_branch);
                links.push((Link::Turns(selector, arms), at));
            } else {
                // The names of a `let` are known in the branch.
                let (condition, then) = self.scoped(|this| (this.conditions(&if_.cond), this.block(&if_.then_branch)));
                links.push((Link::If(condition, then), at));
            }
            self.outer_depth += 1;
        }
        let mut last = otherwise.map(|otherwise| self.expr(otherwise));
        self.outer_depth = around;
        for (link, loc) in links.into_iter().rev() {
            last = Some(match link {
                Link::If(condition, then) => self.link(condition, then, last, loc),
                Link::Turns(selector, arms) => self.turns(selector, arms, last, loc),
            });
        }
        last.unwrap_or_else(|| self.error(loc))
    }

    /// An `if let` of several turns with what is behind its `else`.
    fn turns(&mut self, selector: ExprId, mut arms: Vec<Arm>, otherwise: Option<ExprId>, loc: Loc) -> ExprId {
        let otherwise = otherwise.unwrap_or_else(|| {
            let unit = Block { stmts: Vec::new(), tail: None };
            self.push(ExprKind::Block(unit), Ty::Unit, loc)
        });
        let mut ty = self.ty(otherwise);
        for arm in &arms {
            match ty {
                Ty::Never => ty = self.ty(arm.body),
                _ => self.expect(arm.body, &ty),
            }
        }
        if self.ty(selector) == Ty::Error {
            return self.error(loc);
        }
        arms.push(Arm { pattern: Pattern::Any, guard: None, body: otherwise });
        let ty = self.infer.resolve(&ty);
        self.push(ExprKind::Match(selector, arms), ty, loc)
    }

    /// One `if` with what is behind its `else`.
    fn link(&mut self, condition: ExprId, (then, then_ty): (Block, Ty), otherwise: Option<ExprId>, loc: Loc) -> ExprId {
        let Some(otherwise) = otherwise else {
            if let Some(tail) = then.tail {
                let (at, found) = (self.body.exprs[tail].loc, self.ty(tail));
                let before = self.reporter.diags.count();
                self.expect_at(at, &Ty::Unit, &found, "add an `else` with the other value, or end it with `;`");
                if self.reporter.diags.count() > before {
                    // That it has no value is no second mistake.
                    return self.error(loc);
                }
            }
            return self.push(ExprKind::If(condition, then, None), Ty::Unit, loc);
        };
        let else_ty = self.ty(otherwise);
        if !self.infer.unify(&then_ty, &else_ty) {
            let at = self.body.exprs[otherwise].loc;
            let (t, e) = (self.infer.show(&then_ty), self.infer.show(&else_ty));
            let message = format!("`if` and `else` have incompatible types: `{t}` and `{e}`");
            let mut diag = Diag::new(Code::V200, at, message);
            if let Some(tail) = then.tail {
                diag = diag.label(self.body.exprs[tail].loc, format!("the other value is `{t}`"));
            }
            self.reporter.report(diag);
            // What literals in them are is no second mistake.
            [&then_ty, &else_ty].into_iter().for_each(|ty| self.infer.give_up(ty));
            return self.error(loc);
        }
        let ty = if then_ty == Ty::Never { else_ty } else { self.infer.resolve(&then_ty) };
        self.push(ExprKind::If(condition, then, Some(otherwise)), ty, loc)
    }

    /// What the attributes of a loop ask.
    fn unroll(&mut self, attrs: &'a [syn::Attribute]) -> Option<(Unroll, Loc)> {
        let mut asked = None;
        for attr in attrs.iter().filter(|attr| is_unroll(attr)) {
            let loc = self.loc(attr);
            if asked.is_some() {
                self.reporter.report(Diag::new(Code::V101, loc, "`unroll` is given twice"));
                continue;
            }
            let unroll = match &attr.meta {
                syn::Meta::Path(_) => Some(Unroll::Full),
                syn::Meta::List(list) => match list.parse_args::<syn::Ident>() {
                    Ok(word) => (word == "never").then_some(Unroll::Never),
                    Err(_) => {
                        let copies = list.parse_args::<syn::LitInt>().ok();
                        let copies = copies.filter(|copies| copies.suffix().is_empty());
                        copies.and_then(|copies| copies.base10_parse().ok()).filter(|&n| n > 0).map(Unroll::By)
                    }
                },
                syn::Meta::NameValue(_) => None,
            };
            if unroll.is_none() {
                let message = "`unroll` takes a number of copies, at least 1, or `never`";
                let help = "write `#[unroll]`, `#[unroll(4)]` or `#[unroll(never)]`";
                self.reporter.report(Diag::new(Code::V101, loc, message).help(help));
            }
            asked = Some((unroll.unwrap_or(Unroll::Never), loc));
        }
        asked
    }

    pub(super) fn begin_loop(&mut self, label: &'a Option<syn::Label>, attrs: &'a [syn::Attribute]) -> LoopId {
        let unroll = self.unroll(attrs);
        let ty = self.infer.var(VarKind::General);
        let label = label.as_ref().map(|l| l.name.ident.to_string());
        let id = self.body.loops.push(Loop { label, ty, broken: false, is_block: false, unroll });
        self.context.loops.push(id);
        id
    }

    /// Closes a loop; its body must have no value.
    pub(super) fn end_loop(&mut self, block: &'a syn::Block, body: &Block, ty: &Ty) {
        self.context.loops.pop();
        let at = match body.tail {
            Some(tail) => self.body.exprs[tail].loc,
            None => self.loc(block),
        };
        self.expect_at(at, &Ty::Unit, ty, "end it with `;`: the body of a loop has no value");
    }

    pub(super) fn while_(&mut self, while_: &'a syn::ExprWhile, loc: Loc) -> ExprId {
        let id = self.begin_loop(&while_.label, &while_.attrs);
        let unit = self.body.loops[id].ty.clone();
        self.infer.unify(&unit, &Ty::Unit);
        let (condition, (body, ty)) = self.scoped(|this| (this.conditions(&while_.cond), this.block(&while_.body)));
        self.end_loop(&while_.body, &body, &ty);
        self.push(ExprKind::While(id, condition, body), Ty::Unit, loc)
    }

    /// `'label: { … }`
    pub(super) fn labelled(&mut self, label: &'a syn::Label, block: &'a syn::Block, loc: Loc) -> ExprId {
        let name = Some(label.name.ident.to_string());
        let ty = self.infer.var(VarKind::General);
        let id =
            self.body.loops.push(Loop { label: name, ty: ty.clone(), broken: false, is_block: true, unroll: None });
        self.context.loops.push(id);
        let (block, found) = self.block(block);
        self.context.loops.pop();
        let before = self.reporter.diags.count();
        match block.tail {
            Some(tail) => self.expect(tail, &ty),
            None => self.expect_at(loc, &ty, &found, "end the block with a value of the type of its `break`s"),
        }
        if self.reporter.diags.count() > before {
            return self.error(loc);
        }
        let ty = if self.body.loops[id].broken { self.infer.resolve(&ty) } else { found };
        self.push(ExprKind::Labelled(id, block), ty, loc)
    }

    pub(super) fn break_(&mut self, break_: &'a syn::ExprBreak, loc: Loc) -> ExprId {
        let value = break_.expr.as_ref().map(|value| self.expr(value));
        let Some(id) = self.loop_target(&break_.label, loc, "break") else {
            return self.push(ExprKind::Error, Ty::Never, loc);
        };
        self.body.loops[id].broken = true;
        let ty = self.body.loops[id].ty.clone();
        match value {
            Some(value) => self.expect(value, &ty),
            None => self.expect_at(loc, &ty, &Ty::Unit, "give every `break` of this loop a value of the same type"),
        }
        self.push(ExprKind::Break(id, value), Ty::Never, loc)
    }

    /// The loop that a `break` or `continue` is about.
    pub(super) fn loop_target(&mut self, label: &'a Option<syn::Lifetime>, loc: Loc, what: &str) -> Option<LoopId> {
        let found = match label {
            None => self.context.loops.last().copied(),
            Some(label) => {
                let name = label.ident.to_string();
                self.context.loops.iter().rev().copied().find(|&id| self.body.loops[id].label.as_ref() == Some(&name))
            }
        };
        let is_block = found.is_some_and(|id| self.body.loops[id].is_block);
        let in_loop = self.context.loops.iter().any(|&id| !self.body.loops[id].is_block);
        if is_block && (in_loop || label.is_some()) && (label.is_none() || what == "continue") {
            let (message, help) = match label {
                None => (
                    format!("unlabeled `{what}` inside of a labeled block"),
                    "name the loop or the block that is meant: `break 'label`",
                ),
                Some(_) => (
                    "`continue` pointing to a labeled block".to_owned(),
                    "a block has no next round: leave it with `break`",
                ),
            };
            self.reporter.report(Diag::new(Code::V104, loc, message).help(help));
            return None;
        }
        let found = found.filter(|_| !is_block || label.is_some());
        if found.is_none() {
            let message = match label {
                Some(label) => format!("cannot find a loop labelled `{label}` around this"),
                None => format!("`{what}` outside of a loop"),
            };
            self.reporter.report(Diag::new(Code::V104, loc, message));
        }
        found
    }
}
