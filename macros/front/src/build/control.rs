//! Statements, `if` and loops.

use super::{Build, Round, Slot};
use crate::hir::{Block, Bound, Deferred, ExprId, ExprKind, LocalId, LoopId, Pattern, Place, Stmt};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Inst, Region, Root, Value};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// The statements of a block and its values.
    pub(super) fn block(&mut self, block: &Block) -> Vec<Value> {
        self.stmts(&block.stmts);
        block.tail.map(|tail| self.flat(tail)).unwrap_or_default()
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Expr(id) => {
                    self.flat(*id);
                }
                Stmt::Let(local, value) if self.let_wide(*local, *value) => {}
                Stmt::Let(local, value) => {
                    let values = self.flat(*value);
                    let range = self.range(*value);
                    self.note(*local, range);
                    self.let_(*local, &values);
                }
                Stmt::Store { root, value } => {
                    let values = self.flat(*value);
                    self.whole(*root, &values);
                }
                Stmt::Destructure(Pattern::Named(Bound::Local(local), inner), value)
                    if matches!(**inner, Pattern::Any) && self.let_wide(*local, *value) => {}
                Stmt::Destructure(pattern, value) => self.destructure(pattern, *value),
                Stmt::LetElse(pattern, value, otherwise) => self.let_else(pattern, *value, otherwise),
                Stmt::Array { root, init } => self.array(*root, init),
                Stmt::Declare(variable) => self.declare_later(&self.body.deferred[*variable]),
                Stmt::Used(..) | Stmt::Borrow(_) | Stmt::Called(_) | Stmt::Made(_) => {}
                Stmt::Kept(_) | Stmt::UsedUp(..) => {}
            }
        }
    }

    /// Gives a whole memory its values, leaf by leaf.
    pub(super) fn whole(&mut self, root: Root, values: &[Value]) {
        let Root::Private(index) = root else { return };
        let loc = self.body.private[index as usize].loc;
        self.assign(&Place::Memory { root, path: Vec::new(), lane: None }, values, loc);
    }

    /// A call: the arguments, then the body, as a loop of one round if a `return` leaves it early.
    pub(super) fn call(&mut self, id: LoopId, stmts: &[Stmt], block: &Block, expr: ExprId) -> Vec<Value> {
        self.stmts(stmts);
        // What calls a helper answers for its own accesses alone.
        self.racy(false, |this| this.called(id, block, expr))
    }

    /// What is built by `f`, with loads and stores that may race or may not.
    pub(super) fn racy<T>(&mut self, racy: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_racy, racy);
        self.b.flags(self.flags_of_accesses());
        let result = f(self);
        self.is_racy = before;
        self.b.flags(self.flags_of_accesses());
        result
    }

    /// The flags of loads and stores here.
    pub(super) const fn flags_of_accesses(&self) -> Flags {
        if self.is_racy { Flags::RACY } else { Flags::NONE }
    }

    /// What a `break` may leave with a value: a loop of one round, if any does.
    pub(super) fn called(&mut self, id: LoopId, block: &Block, expr: ExprId) -> Vec<Value> {
        let types = self.ty(expr).flat().unwrap_or_default();
        if !self.body.loops[id].broken {
            return self.block(block);
        }
        let loc = self.expr(expr).loc;
        self.b.at(loc);
        let (inst, _) = self.b.begin_loop(None, &[]);
        self.loops[id.index()] = Some((inst, Round::None));
        let values = self.block(block);
        self.b.at(loc);
        if !self.b.is_terminated() {
            // Only after a mistake are there fewer values than there should be.
            self.b.break_(inst, values.get(..types.len()).unwrap_or_default());
        }
        self.b.end_loop(inst, &types)
    }

    /// The variables of a local that gets its values later; memory is there already.
    fn declare_later(&mut self, deferred: &Deferred) {
        if deferred.root.is_some() {
            return;
        }
        let Some(types) = self.leaves_of(deferred.local, false) else { return };
        let name = &self.body.locals[deferred.local].name;
        let slots = types.into_iter().map(|ty| Slot::Var(self.b.var(name, ty))).collect();
        self.locals[deferred.local.index()] = slots;
    }

    /// The types of a local's leaves; reports a type that nothing decides. `refused` says that its
    /// value was.
    pub(super) fn leaves_of(&mut self, local: LocalId, refused: bool) -> Option<Vec<Type>> {
        let def = &self.body.locals[local];
        let ty = self.infer.decided(&def.ty);
        self.b.at(def.loc);
        let flat = ty.flat();
        if flat.is_none() {
            let reported = self.undecided.contains(&self.infer.resolve(&def.ty)) || self.cast_reported && refused;
            if !reported && !matches!(ty, Ty::Error | Ty::Ids(_)) {
                let message = format!("cannot infer the type of `{}`", def.name);
                let of = if ty.held().is_some() { "Option<f32>" } else { "T" };
                let help = format!("write `let {}: {of} = …`", def.name);
                self.diags.push(Diag::new(Code::V202, def.loc, message).help(help));
            }
        }
        flat
    }

    /// Gives a local its values.
    pub(super) fn let_(&mut self, local: LocalId, values: &[Value]) {
        let Some(types) = self.leaves_of(local, values.is_empty()) else { return };
        let def = &self.body.locals[local];
        let mut slots = Vec::with_capacity(values.len());
        for (&value, ty) in values.iter().zip(types) {
            slots.push(if def.mutable {
                let var = self.b.var(&def.name, ty);
                self.b.set(var, value);
                Slot::Var(var)
            } else {
                self.b.name(value, &def.name);
                Slot::Value(value)
            });
        }
        self.locals[local.index()] = slots;
    }

    /// `if condition { break }`
    pub(super) fn leave_if(&mut self, condition: Value, target: Inst) {
        let (then, otherwise) = (self.leaving_region(target), self.empty_region());
        self.b.if_else(condition, then, otherwise, &[]);
    }

    /// A region that leaves a loop without values.
    fn leaving_region(&mut self, target: Inst) -> Region {
        let leave = |this: &mut Self| {
            this.b.break_(target, &[]);
            Vec::new()
        };
        self.arm(0, leave).0
    }

    /// A region that gives so many values, and whether its end is reached.
    pub(super) fn arm(&mut self, expected: usize, values: impl FnOnce(&mut Self) -> Vec<Value>) -> (Region, bool) {
        let region = self.b.region(&[]);
        self.b.enter(region);
        let values = values(self);
        (region, self.end_arm(&values, expected))
    }

    /// A region that only yields nothing.
    pub(super) fn empty_region(&mut self) -> Region {
        self.arm(0, |_| Vec::new()).0
    }

    pub(super) fn if_(&mut self, condition: ExprId, then: &Block, otherwise: Option<ExprId>, id: ExprId) -> Vec<Value> {
        let loc = self.expr(id).loc;
        let condition = self.operand(condition);
        let types = self.ty(id).flat().unwrap_or_default();
        let (then_region, then_falls) = self.arm(types.len(), |this| this.block(then));
        let otherwise = |this: &mut Self| otherwise.map(|otherwise| this.flat(otherwise)).unwrap_or_default();
        let (else_region, else_falls) = self.arm(types.len(), otherwise);
        self.b.at(loc);
        let results = self.b.if_else(condition, then_region, else_region, &types);
        if !then_falls && !else_falls {
            self.b.unreachable();
        }
        results
    }

    /// Ends an arm of an `if` or `match` with its values and tells whether its end is reached.
    pub(super) fn end_arm(&mut self, values: &[Value], expected: usize) -> bool {
        let falls = !self.b.is_terminated();
        // Only after a mistake does an arm lack the values that it should have.
        self.b.yield_(values.get(..expected).unwrap_or_default());
        self.b.leave();
        falls
    }

    /// `a && b` and `a || b`: the right side runs only if it must, unless running it has no visible
    /// effect.
    pub(super) fn logical(&mut self, and: bool, a: ExprId, b: ExprId, loc: Loc) -> Option<Value> {
        let left = self.operand(a);
        if self.is_cheap(b) {
            let right = self.operand(b);
            self.b.at(loc);
            return Some(self.b.op(if and { Op::And } else { Op::Or }, &[left, right]));
        }
        self.bound_later(b);
        let (evaluated, _) = self.arm(1, |this| this.flat(b));
        let (skipped, _) = self.arm(1, |this| vec![this.b.constant(Scalar::Bool, u64::from(!and))]);
        self.b.at(loc);
        let (then, otherwise) = if and { (evaluated, skipped) } else { (skipped, evaluated) };
        self.b.if_else(left, then, otherwise, &[Type::BOOL]).first().copied()
    }

    /// Whether evaluating an expression has no effect and costs almost nothing.
    fn is_cheap(&self, id: ExprId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) | ExprKind::Local(_) => true,
            ExprKind::Builtin(_) | ExprKind::Len(_) | ExprKind::ArrayLen(_) => true,
            ExprKind::Op(op, _) if op.is_costly() => false,
            ExprKind::Op(_, args) => args.iter().all(|&arg| self.is_cheap(arg)),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.is_cheap(*a) && self.is_cheap(*b),
            ExprKind::Let(_, value) | ExprKind::Behind(value) => self.is_cheap(*value),
            ExprKind::Same(a, b) => self.is_cheap(*a) && self.is_cheap(*b),
            _ => false,
        }
    }

    /// Opens a loop with its label and with what is asked of it.
    pub(super) fn begin_loop(&mut self, id: LoopId, initial: &[Value]) -> (Inst, Vec<Value>) {
        let def = &self.body.loops[id];
        let (inst, params) = self.b.begin_loop(def.label.as_deref(), initial);
        if let Some((unroll, loc)) = def.unroll {
            let here = self.b.loc();
            self.b.at(loc);
            self.b.unroll(inst, unroll);
            self.b.at(here);
        }
        (inst, params)
    }

    pub(super) fn loop_(&mut self, id: LoopId, block: &Block, expr: ExprId) -> Vec<Value> {
        let loc = self.expr(expr).loc;
        self.b.at(loc);
        let (inst, _) = self.begin_loop(id, &[]);
        self.loops[id.index()] = Some((inst, Round::None));
        self.block(block);
        self.continue_(id);
        let broken = self.body.loops[id].broken;
        let types = self.infer.decided(&self.body.loops[id].ty).flat().filter(|_| broken).unwrap_or_default();
        let results = self.b.end_loop(inst, &types);
        if !broken {
            self.b.at(loc);
            self.b.unreachable();
        }
        results
    }

    pub(super) fn while_(&mut self, id: LoopId, condition: ExprId, block: &Block, loc: Loc) {
        self.b.at(loc);
        let (inst, _) = self.begin_loop(id, &[]);
        self.loops[id.index()] = Some((inst, Round::None));
        let more = self.operand(condition);
        self.b.at(self.expr(condition).loc);
        let then = self.empty_region();
        let otherwise = self.leaving_region(inst);
        self.b.if_else(more, then, otherwise, &[]);
        self.block(block);
        self.continue_(id);
        self.b.end_loop(inst, &[]);
    }

    /// Goes on with the next round of a loop.
    pub(super) fn continue_(&mut self, id: LoopId) {
        let Some((inst, step)) = self.loops[id.index()] else { return };
        match step {
            Round::None => self.b.continue_(inst, &[]),
            Round::Next(at, scalar) => {
                let one = self.b.constant(scalar, 1);
                let next = self.b.op(Op::Add, &[at, one]);
                self.b.continue_(inst, &[next]);
            }
            Round::Until { at, last, op, scalar } => {
                let done = self.b.op(Op::Eq, &[at, last]);
                self.leave_if(done, inst);
                let one = self.b.constant(scalar, 1);
                let next = self.b.op(op, &[at, one]);
                self.b.continue_(inst, &[next]);
            }
        }
    }
}
