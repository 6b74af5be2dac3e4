//! Definite assignment: a variable that is declared without a value gets one before it is used.
//!
//! The walk follows the order of evaluation. It keeps which of these variables have a value on
//! every way to the current place, and which on any. A loop is walked once: of what a round may
//! have assigned, the next round finds out when the walk is back at the head. Each variable has
//! at most one error.

use crate::hir::{ArrayInit, Block, Body, ExprId, ExprKind, LocalId, LoopId, Place, Step, Stmt};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use std::collections::BTreeSet;

/// The mistakes with variables that are declared without a value.
pub(super) fn mistakes(body: &Body, block: &Block) -> Vec<Diag> {
    if body.deferred.is_empty() {
        return Vec::new();
    }
    let none = vec![false; body.deferred.len()];
    let mut walk = Walk {
        body,
        state: Some(State { always: none.clone(), ever: none }),
        frames: Vec::new(),
        assigned: Vec::new(),
        declared: Vec::new(),
        wrong: BTreeSet::new(),
        diags: Vec::new(),
    };
    walk.block(block);
    walk.diags
}

/// Which variables have a value, by their numbers.
#[derive(Clone)]
struct State {
    /// On every way that leads here.
    always: Vec<bool>,
    /// On some way that leads here.
    ever: Vec<bool>,
}

impl State {
    /// Where two ways meet, of which either may not be there.
    fn meet(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(mut a), Some(b)) => {
                a.always.iter_mut().zip(&b.always).for_each(|(a, b)| *a &= b);
                a.ever.iter_mut().zip(&b.ever).for_each(|(a, b)| *a |= b);
                Some(a)
            }
            (a, b) => a.or(b),
        }
    }
}

/// A loop, a labelled block or a call around the current place.
struct Frame {
    id: LoopId,
    /// Where its `break`s lead.
    behind: Option<State>,
    /// Where its `continue`s lead.
    head: Option<State>,
}

struct Walk<'b> {
    body: &'b Body,
    /// `None` where no way leads.
    state: Option<State>,
    frames: Vec<Frame>,
    /// The assignments so far, and the declarations.
    assigned: Vec<(usize, Loc)>,
    declared: Vec<usize>,
    /// The variables that were reported.
    wrong: BTreeSet<usize>,
    diags: Vec<Diag>,
}

impl Walk<'_> {
    fn local(&self, local: LocalId) -> Option<usize> {
        self.body.deferred.iter().position(|deferred| deferred.local == local)
    }

    fn memory(&self, root: Root) -> Option<usize> {
        self.body.deferred.iter().position(|deferred| deferred.root == Some(root))
    }

    fn report(&mut self, variable: usize, diag: impl FnOnce(&str, Loc) -> Diag) {
        if self.wrong.insert(variable) {
            let def = &self.body.locals[self.body.deferred[variable].local];
            self.diags.push(diag(&def.name, def.loc));
        }
    }

    fn used(&mut self, variable: Option<usize>, loc: Loc) {
        let (Some(variable), Some(state)) = (variable, &self.state) else { return };
        if state.always[variable] {
            return;
        }
        let ever = state.ever[variable];
        self.report(variable, |name, declared| {
            let (is, help) = match ever {
                false => ("isn't initialized", format!("assign to it before: `{name} = value;`")),
                true => ("is possibly-uninitialized", format!("assign to `{name}` on every way that leads here")),
            };
            let message = format!("used binding `{name}` {is}");
            Diag::new(Code::V209, loc, message)
                .label(declared, format!("`{name}` is declared here without a value"))
                .help(help)
        });
    }

    fn assign(&mut self, variable: usize, loc: Loc) {
        let Some(state) = &mut self.state else { return };
        state.always[variable] = true;
        let again = std::mem::replace(&mut state.ever[variable], true);
        self.assigned.push((variable, loc));
        if again {
            self.twice(variable, loc);
        }
    }

    fn twice(&mut self, variable: usize, loc: Loc) {
        if self.body.locals[self.body.deferred[variable].local].mutable {
            return;
        }
        self.report(variable, |name, declared| {
            Diag::new(Code::V008, loc, format!("cannot assign twice to immutable variable `{name}`"))
                .label(declared, format!("`{name}` is declared here"))
                .help(format!("declare it as `mut {name}`"))
        });
    }

    /// An assignment to a place, or to a part of it, which needs the whole.
    fn place(&mut self, place: &Place, loc: Loc) {
        self.indices(place);
        let (variable, whole) = match place {
            Place::Local { local, path, lane } => (self.local(*local), path.is_empty() && lane.is_none()),
            Place::Memory { root, path, lane } => (self.memory(*root), path.is_empty() && lane.is_none()),
            Place::Ignored | Place::Error => return,
        };
        match variable {
            Some(variable) if whole => self.assign(variable, loc),
            variable => self.used(variable, loc),
        }
    }

    fn indices(&mut self, place: &Place) {
        match place {
            Place::Memory { path, .. } => {
                for step in path {
                    if let Step::Index(index, _) | Step::Slice { begin: index, .. } = step {
                        self.expr(*index);
                    }
                }
            }
            Place::Local { lane: Some(lane), .. } => lane.indices().for_each(|index| self.expr(index)),
            Place::Local { .. } | Place::Ignored | Place::Error => {}
        }
    }

    fn load(&mut self, place: &Place, loc: Loc) {
        self.indices(place);
        if let Place::Memory { root, .. } = place {
            self.used(self.memory(*root), loc);
        }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.all(block.tail.as_slice());
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(value) | Stmt::Let(_, value) | Stmt::Store { value, .. } | Stmt::Destructure(_, value) => {
                self.expr(*value);
            }
            Stmt::Array { init, .. } => self.init(init),
            Stmt::LetElse(_, value, otherwise) => {
                self.expr(*value);
                let fits = self.state.clone();
                self.block(otherwise);
                self.state = State::meet(self.state.take(), fits);
            }
            Stmt::Declare(variable) => {
                self.declared.push(*variable);
                if let Some(state) = &mut self.state {
                    (state.always[*variable], state.ever[*variable]) = (false, false);
                }
            }
            Stmt::Borrow(_) | Stmt::Called(_) | Stmt::Made(_) | Stmt::Kept(_) | Stmt::UsedUp(..) => {}
            Stmt::Used(variable, loc) => self.used(Some(*variable), *loc),
        }
    }

    fn init(&mut self, init: &ArrayInit) {
        match init {
            ArrayInit::Value(value) => self.expr(*value),
            ArrayInit::Repeat(inner, _) => self.init(inner),
            ArrayInit::List(list) => list.iter().for_each(|init| self.init(init)),
        }
    }

    fn all(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|&expr| self.expr(expr));
    }

    /// A condition: the states in which it holds and in which it fails.
    fn condition(&mut self, id: ExprId) -> [Option<State>; 2] {
        match &self.body.exprs[id].kind {
            ExprKind::And(a, b) => {
                let [holds, fails] = self.condition(*a);
                self.state = holds;
                let [holds, fails_late] = self.condition(*b);
                [holds, State::meet(fails, fails_late)]
            }
            ExprKind::Or(a, b) => {
                let [holds, fails] = self.condition(*a);
                self.state = fails;
                let [holds_late, fails] = self.condition(*b);
                [State::meet(holds, holds_late), fails]
            }
            ExprKind::Op(Op::Not, args) if args.len() == 1 => {
                let [holds, fails] = self.condition(args[0]);
                [fails, holds]
            }
            _ => {
                self.expr(id);
                let state = self.state.take();
                [state.clone(), state]
            }
        }
    }

    /// What may be skipped.
    fn perhaps(&mut self, walk: impl FnOnce(&mut Self)) {
        let skipped = self.state.clone();
        walk(self);
        self.state = State::meet(self.state.take(), skipped);
    }

    /// What a `break` leaves; `repeats` if its end leads to its head.
    fn framed(&mut self, id: LoopId, repeats: bool, walk: impl FnOnce(&mut Self)) {
        let entry = self.state.clone();
        let (assigned, declared) = (self.assigned.len(), self.declared.len());
        self.frames.push(Frame { id, behind: None, head: None });
        walk(self);
        let Some(Frame { behind, head, .. }) = self.frames.pop() else { return };
        if !repeats {
            self.state = State::meet(self.state.take(), behind);
            return;
        }
        let back = State::meet(self.state.take(), head);
        self.state = behind;
        let (Some(entry), Some(back)) = (entry, back) else { return };
        for variable in 0..self.body.deferred.len() {
            let again = back.ever[variable] && !entry.ever[variable];
            if !again || self.declared[declared..].contains(&variable) {
                continue;
            }
            if let Some(state) = &mut self.state {
                state.ever[variable] = true;
            }
            let at = self.assigned[assigned..].iter().find(|(of, _)| *of == variable).map(|(_, loc)| *loc);
            if let Some(at) = at {
                self.twice(variable, at);
            }
        }
    }

    /// A jump behind a loop, or to its head.
    fn jump(&mut self, id: LoopId, on: bool) {
        let state = self.state.take();
        if let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.id == id) {
            let to = if on { &mut frame.head } else { &mut frame.behind };
            *to = State::meet(to.take(), state);
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body;
        let expr = &body.exprs[id];
        match &expr.kind {
            ExprKind::Error | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) | ExprKind::Ids => {}
            ExprKind::Builtin(_)
            | ExprKind::Len(_)
            | ExprKind::ArrayLen(_)
            | ExprKind::Default
            | ExprKind::Barrier
            | ExprKind::Fence(..) => {}
            ExprKind::Local(local) => self.used(self.local(*local), expr.loc),
            ExprKind::Op(_, args) | ExprKind::Approx(_, args) | ExprKind::Pair(_, _, args) => self.all(args),
            ExprKind::Tuple(args) | ExprKind::Array(args) | ExprKind::Subgroup(_, args) => self.all(args),
            ExprKind::Vector(_, args) | ExprKind::Message(_, args) => self.all(args),
            ExprKind::SelectLanes(args) => self.all(args),
            ExprKind::Number(_, args) | ExprKind::Matrix(_, args) | ExprKind::Variant(_, args) => self.all(args),
            ExprKind::When(a, b) | ExprKind::Same(a, b) => self.all(&[*a, *b]),
            ExprKind::Behind(value) => self.expr(*value),
            ExprKind::OfBytes(value, _) => self.expr(*value),
            ExprKind::LaneAt(vector, index) | ExprKind::ColumnAt(vector, index) => self.all(&[*index, *vector]),
            ExprKind::Lanes(value) | ExprKind::CastLanes(value) => self.expr(*value),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(*a);
                self.perhaps(|this| this.expr(*b));
            }
            ExprKind::Struct(fields, base) => {
                fields.iter().for_each(|(_, value)| self.expr(*value));
                self.all(base.as_slice());
            }
            ExprKind::Repeat(value, _) | ExprKind::Field(value, _) | ExprKind::Lane(value, _) => self.expr(*value),
            ExprKind::Swizzle(value, _) | ExprKind::Splat(value) => self.expr(*value),
            ExprKind::Load(place) | ExprKind::Broadcast(place) => self.load(place, expr.loc),
            ExprKind::Assign(place, value) => {
                self.expr(*value);
                self.place(place, expr.loc);
            }
            ExprKind::AssignParts(places, value) => {
                self.expr(*value);
                places.iter().for_each(|(place, _)| self.place(place, expr.loc));
            }
            ExprKind::AssignOp(_, place, value) => {
                self.expr(*value);
                self.load(place, expr.loc);
                if let Place::Local { local, .. } = place {
                    self.used(self.local(*local), expr.loc);
                }
            }
            ExprKind::Atomic(_, _, place, args, _) => {
                self.indices(place);
                self.all(args);
            }
            ExprKind::Let(_, value) => self.expr(*value),
            ExprKind::Block(block) | ExprKind::Unsafe(block) => self.block(block),
            ExprKind::Labelled(label, block) => self.framed(*label, false, |this| this.block(block)),
            ExprKind::Call(call, stmts, block) => {
                stmts.iter().for_each(|stmt| self.stmt(stmt));
                self.framed(*call, false, |this| this.block(block));
            }
            ExprKind::If(condition, then, otherwise) => {
                let [holds, fails] = self.condition(*condition);
                self.state = holds;
                self.block(then);
                let then = std::mem::replace(&mut self.state, fails);
                self.all(otherwise.as_slice());
                self.state = State::meet(self.state.take(), then);
            }
            ExprKind::Match(selector, arms) => {
                self.expr(*selector);
                let mut after = None;
                for arm in arms {
                    // Here the arms before it do not fit.
                    let mut others = self.state.clone();
                    if let Some(guard) = arm.guard {
                        let [holds, fails] = self.condition(guard);
                        others = State::meet(others, fails);
                        self.state = holds;
                    }
                    self.expr(arm.body);
                    after = State::meet(after, std::mem::replace(&mut self.state, others));
                }
                self.state = after;
            }
            ExprKind::Loop(id, block) => self.framed(*id, true, |this| this.block(block)),
            ExprKind::While(id, condition, block) => self.framed(*id, true, |this| {
                let [holds, fails] = this.condition(*condition);
                this.state = fails;
                this.jump(*id, false);
                this.state = holds;
                this.block(block);
            }),
            ExprKind::For { id, start, end, step, body, .. } => {
                self.all(&[*start, *end]);
                self.all(step.as_slice());
                self.framed(*id, true, |this| {
                    let state = this.state.clone();
                    this.jump(*id, false);
                    this.state = state;
                    this.block(body);
                });
            }
            ExprKind::Break(id, value) => {
                self.all(value.as_slice());
                self.jump(*id, false);
            }
            ExprKind::Continue(id) => self.jump(*id, true),
            ExprKind::Return(value) => {
                self.all(value.as_slice());
                self.state = None;
            }
        }
    }
}
