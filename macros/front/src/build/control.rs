//! Statements, `if` and loops.

use super::{Build, Slot, Step};
use crate::hir::{Block, ExprId, ExprKind, LocalId, LoopId, Stmt};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Index, Inst, Region, Root, Value};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// Arrays up to this length are filled store by store, longer ones by a loop.
const UNROLLED_FILL: u32 = 16;

impl Build<'_> {
    /// The statements of a block and its value.
    pub(super) fn block(&mut self, block: &Block) -> Option<Value> {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Expr(id) => {
                    self.value(*id);
                }
                Stmt::Let(local, value) => self.let_(*local, *value),
                Stmt::Array { root, values } => self.array(*root, values),
            }
        }
        self.value(block.tail?)
    }

    fn let_(&mut self, local: LocalId, init: ExprId) {
        let def = &self.body.locals[local];
        let value = self.value(init);
        let ty = self.infer.decided(&def.ty);
        if let Ty::Var(_) = ty {
            let message = format!("nothing says what type `{}` has", def.name);
            self.diags.push(Diag::new(Code::V202, def.loc, message).help(format!("write `let {}: T = …`", def.name)));
            return;
        }
        let Some(value) = value else { return };
        self.b.at(def.loc);
        self.locals[local.index()] = match (def.mutable, ty.value()) {
            (true, Some(ty)) => {
                let var = self.b.var(&def.name, ty);
                self.b.set(var, value);
                Slot::Var(var)
            }
            _ => {
                self.b.name(value, &def.name);
                Slot::Value(value)
            }
        };
    }

    /// Gives an array its initial values, each time that its `let` is reached.
    fn array(&mut self, root: Root, values: &[ExprId]) {
        let Root::Private(index) = root else { return };
        let memory = &self.body.private[index as usize];
        let Ty::Array(element, len) = self.infer.decided(&memory.ty) else { return };
        let built: Vec<Option<Value>> = values.iter().map(|&v| self.value(v)).collect();
        let Some(stride) = element.value().and_then(|ty| self.types.layout(ty)).map(|l| l.size) else { return };
        self.b.at(memory.loc);
        let repeated = built.len() == 1 && len > 1;
        if repeated && len > UNROLLED_FILL {
            let Some(value) = built[0] else { return };
            let (zero, end, one) = (self.b.u32(0), self.b.u32(len), self.b.u32(1));
            let (inst, params) = self.b.begin_loop(None, &[zero]);
            let done = self.b.op(Op::Ge, &[params[0], end]);
            self.leave_if(done, inst);
            let place = self.b.place(root, &[Index { value: params[0], stride, bound: None }], 0);
            self.b.store(place, value);
            let next = self.b.op(Op::Add, &[params[0], one]);
            self.b.continue_(inst, &[next]);
            self.b.end_loop(inst, &[]);
            return;
        }
        for i in 0..len {
            let Some(value) = built[if repeated { 0 } else { i as usize }] else { return };
            let index = self.b.u32(i);
            let place = self.b.place(root, &[Index { value: index, stride, bound: None }], 0);
            self.b.store(place, value);
        }
    }

    /// `if condition { break }`
    fn leave_if(&mut self, condition: Value, target: Inst) {
        let then = self.b.region(&[]);
        self.b.enter(then);
        self.b.break_(target, &[]);
        self.b.leave();
        let otherwise = self.empty_region();
        self.b.if_else(condition, then, otherwise, &[]);
    }

    /// A region that only yields nothing.
    fn empty_region(&mut self) -> Region {
        let region = self.b.region(&[]);
        self.b.enter(region);
        self.b.yield_(&[]);
        self.b.leave();
        region
    }

    pub(super) fn if_(
        &mut self,
        condition: ExprId,
        then: &Block,
        otherwise: Option<ExprId>,
        id: ExprId,
    ) -> Option<Value> {
        let loc = self.expr(id).loc;
        let condition = self.operand(condition);
        let ty = self.ty(id).value();
        let then_region = self.b.region(&[]);
        self.b.enter(then_region);
        let value = self.block(then);
        let then_falls = self.end_arm(value, ty.is_some());
        let else_region = self.b.region(&[]);
        self.b.enter(else_region);
        let value = otherwise.and_then(|otherwise| self.value(otherwise));
        let else_falls = self.end_arm(value, ty.is_some());
        self.b.at(loc);
        let types: Vec<_> = ty.into_iter().collect();
        let results = self.b.if_else(condition, then_region, else_region, &types);
        if !then_falls && !else_falls {
            self.b.unreachable();
        }
        results.first().copied()
    }

    /// Ends an arm of an `if` with its value and tells whether its end is reached.
    fn end_arm(&mut self, value: Option<Value>, has_value: bool) -> bool {
        let falls = !self.b.is_terminated();
        match (value, has_value) {
            (Some(value), true) => self.b.yield_(&[value]),
            // Only after a mistake does an arm lack the value that it should have.
            _ => self.b.yield_(&[]),
        }
        self.b.leave();
        falls
    }

    /// `a && b` and `a || b`: the right side runs only if it must, unless nothing could tell.
    pub(super) fn logical(&mut self, and: bool, a: ExprId, b: ExprId, loc: Loc) -> Option<Value> {
        let left = self.operand(a);
        if self.is_cheap(b) {
            let right = self.operand(b);
            self.b.at(loc);
            return Some(self.b.op(if and { Op::And } else { Op::Or }, &[left, right]));
        }
        let evaluated = self.b.region(&[]);
        self.b.enter(evaluated);
        let right = self.value(b);
        self.end_arm(right, true);
        let skipped = self.b.region(&[]);
        self.b.enter(skipped);
        let known = self.b.constant(Scalar::Bool, u64::from(!and));
        self.b.yield_(&[known]);
        self.b.leave();
        self.b.at(loc);
        let (then, otherwise) = if and { (evaluated, skipped) } else { (skipped, evaluated) };
        self.b.if_else(left, then, otherwise, &[samebits_ir::types::Type::BOOL]).first().copied()
    }

    /// Whether evaluating an expression has no effect and costs next to nothing.
    fn is_cheap(&self, id: ExprId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) | ExprKind::Local(_) | ExprKind::Id(..) => true,
            ExprKind::LocalIndex | ExprKind::Len(_) | ExprKind::ArrayLen(_) => true,
            ExprKind::Op(Op::Div | Op::Rem | Op::Sqrt | Op::MulAdd, _) => false,
            ExprKind::Op(_, args) => args.iter().all(|&arg| self.is_cheap(arg)),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.is_cheap(*a) && self.is_cheap(*b),
            _ => false,
        }
    }

    fn label(&self, id: LoopId) -> Option<&str> {
        self.body.loops[id].label.as_deref()
    }

    pub(super) fn loop_(&mut self, id: LoopId, block: &Block, expr: ExprId) -> Option<Value> {
        let loc = self.expr(expr).loc;
        self.b.at(loc);
        let label = self.label(id).map(str::to_owned);
        let (inst, _) = self.b.begin_loop(label.as_deref(), &[]);
        self.loops[id.index()] = Some((inst, Step::None));
        self.block(block);
        self.continue_(id);
        let ty = self.infer.decided(&self.body.loops[id].ty).value();
        let types: Vec<_> = ty.into_iter().filter(|_| self.body.loops[id].broken).collect();
        let results = self.b.end_loop(inst, &types);
        if !self.body.loops[id].broken {
            self.b.at(loc);
            self.b.unreachable();
        }
        results.first().copied()
    }

    pub(super) fn while_(&mut self, id: LoopId, condition: ExprId, block: &Block, loc: Loc) {
        self.b.at(loc);
        let label = self.label(id).map(str::to_owned);
        let (inst, _) = self.b.begin_loop(label.as_deref(), &[]);
        self.loops[id.index()] = Some((inst, Step::None));
        let more = self.operand(condition);
        self.b.at(self.expr(condition).loc);
        let then = self.empty_region();
        let otherwise = self.b.region(&[]);
        self.b.enter(otherwise);
        self.b.break_(inst, &[]);
        self.b.leave();
        self.b.if_else(more, then, otherwise, &[]);
        self.block(block);
        self.continue_(id);
        self.b.end_loop(inst, &[]);
    }

    pub(super) fn for_(
        &mut self,
        id: LoopId,
        local: LocalId,
        (start, end, inclusive): (ExprId, ExprId, bool),
        block: &Block,
        loc: Loc,
    ) {
        let ty = self.infer.decided(&self.body.locals[local].ty);
        let Some(scalar) = ty.scalar().filter(|s| matches!(s, Scalar::I32 | Scalar::U32)) else {
            if !matches!(ty, Ty::Error | Ty::Never) {
                let message = format!("cannot count in `{ty}`");
                let diag = Diag::new(Code::V015, self.expr(start).loc, message);
                self.diags.push(diag.help("a range needs bounds of type `i32`, `u32` or `usize`"));
            }
            self.block(block);
            return;
        };
        let (first, last) = (self.operand(start), self.operand(end));
        let bound = self.expr(end).loc;
        self.b.at(bound);
        if inclusive {
            // The last value may be the type's greatest, so the test comes before the step.
            let some = self.b.op(Op::Le, &[first, last]);
            let then = self.b.region(&[]);
            self.b.enter(then);
            self.counted(id, local, (first, last, scalar, true), block, (loc, bound));
            self.b.yield_(&[]);
            self.b.leave();
            let otherwise = self.empty_region();
            self.b.if_else(some, then, otherwise, &[]);
        } else {
            self.counted(id, local, (first, last, scalar, false), block, (loc, bound));
        }
    }

    /// The loop of a `for`; if inclusive, it is known to run at least once.
    fn counted(
        &mut self,
        id: LoopId,
        local: LocalId,
        (first, last, scalar, inclusive): (Value, Value, Scalar, bool),
        block: &Block,
        (loc, bound): (Loc, Loc),
    ) {
        let label = self.label(id).map(str::to_owned);
        self.b.at(loc);
        let (inst, params) = self.b.begin_loop(label.as_deref(), &[first]);
        let variable = params[0];
        self.b.name(variable, &self.body.locals[local].name);
        self.locals[local.index()] = Slot::Value(variable);
        let step = if inclusive { Step::NextUntil(variable, last, scalar) } else { Step::Next(variable, scalar) };
        self.loops[id.index()] = Some((inst, step));
        if !inclusive {
            self.b.at(bound);
            let done = self.b.op(Op::Ge, &[variable, last]);
            self.leave_if(done, inst);
        }
        self.block(block);
        self.b.at(loc);
        self.continue_(id);
        self.b.end_loop(inst, &[]);
    }

    /// Goes on with the next round of a loop.
    pub(super) fn continue_(&mut self, id: LoopId) {
        let Some((inst, step)) = self.loops[id.index()] else { return };
        match step {
            Step::None => self.b.continue_(inst, &[]),
            Step::Next(variable, scalar) => {
                let one = self.b.constant(scalar, 1);
                let next = self.b.op(Op::Add, &[variable, one]);
                self.b.continue_(inst, &[next]);
            }
            Step::NextUntil(variable, last, scalar) => {
                let done = self.b.op(Op::Eq, &[variable, last]);
                self.leave_if(done, inst);
                let one = self.b.constant(scalar, 1);
                let next = self.b.op(Op::Add, &[variable, one]);
                self.b.continue_(inst, &[next]);
            }
        }
    }
}
