//! Expressions without control flow.

use super::{Build, Slot};
use crate::hir::{ExprId, ExprKind, LocalId, Place as HirPlace};
use crate::infer::{Ids, Ty};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Value;
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Builtin, Op, Signature};
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// Evaluates an expression; `None` if it has no value or was refused.
    pub(super) fn value(&mut self, id: ExprId) -> Option<Value> {
        let body = self.body;
        let expr = &body.exprs[id];
        let loc = expr.loc;
        match &expr.kind {
            ExprKind::Error | ExprKind::Ids => None,
            ExprKind::Int(value) => self.int(*value, false, id),
            ExprKind::Float(text) => self.float(text, id),
            ExprKind::Bits(bits) => {
                let scalar = expr.ty.scalar()?;
                Some(self.b.constant(scalar, *bits))
            }
            ExprKind::Local(local) => match self.locals[local.index()] {
                Slot::Unset => None,
                Slot::Value(value) => Some(value),
                Slot::Var(var) => {
                    self.b.at(loc);
                    Some(self.b.get(var))
                }
            },
            ExprKind::Op(op, args) => self.op(*op, args, id),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let and = matches!(expr.kind, ExprKind::And(..));
                self.logical(and, *a, *b, loc)
            }
            ExprKind::Fract(x) => {
                let x = self.operand(*x);
                self.b.at(loc);
                let whole = self.b.op(Op::Trunc, &[x]);
                Some(self.b.op(Op::Sub, &[x, whole]))
            }
            ExprKind::Signum(x) => {
                let x = self.operand(*x);
                self.b.at(loc);
                let (one, nan) = (self.f32(1.0), self.b.constant(Scalar::F32, u64::from(scalar::NAN_F32)));
                let is_nan = self.b.op(Op::IsNan, &[x]);
                let sign = self.b.op(Op::CopySign, &[one, x]);
                Some(self.b.op(Op::Select, &[is_nan, nan, sign]))
            }
            ExprKind::Recip(x) => {
                let x = self.operand(*x);
                self.b.at(loc);
                let one = self.f32(1.0);
                Some(self.b.op(Op::Div, &[one, x]))
            }
            ExprKind::Clamp(x, low, high) => {
                let (x, low, high) = (self.operand(*x), self.operand(*low), self.operand(*high));
                self.b.at(loc);
                // As `core` writes it: a NaN stays, and so do the signs of zeros.
                let below = self.b.op(Op::Lt, &[x, low]);
                let raised = self.b.op(Op::Select, &[below, low, x]);
                let above = self.b.op(Op::Gt, &[raised, high]);
                Some(self.b.op(Op::Select, &[above, high, raised]))
            }
            ExprKind::Lane(vector, lane) => {
                let vector = self.value(*vector)?;
                self.b.at(loc);
                let lane = self.b.u32(*lane);
                Some(self.b.op(Op::Extract, &[vector, lane]))
            }
            ExprKind::Id(ids, axis) => {
                self.b.at(loc);
                Some(self.b.builtin(builtin(*ids, *axis)))
            }
            ExprKind::LocalIndex => {
                self.b.at(loc);
                Some(self.b.builtin(Builtin::LocalIndex))
            }
            ExprKind::Len(root) => {
                self.b.at(loc);
                Some(self.b.len(*root))
            }
            ExprKind::ArrayLen(len) => Some(self.b.u32(*len)),
            ExprKind::Load(place) => {
                let place = self.place(place)?;
                let ty = self.ty(id).value()?;
                self.b.at(loc);
                Some(self.b.load(place, ty))
            }
            ExprKind::Assign(place, value) => {
                let value = self.operand(*value);
                self.assign(place, value, loc);
                None
            }
            ExprKind::AssignOp(op, place, value) => {
                self.assign_op(*op, place, *value, loc);
                None
            }
            ExprKind::Atomic(op, scalar, place, args) => {
                let place = self.place(place)?;
                let args: Vec<Value> = args.iter().map(|&arg| self.operand(arg)).collect();
                self.b.at(loc);
                self.b.atomic(*op, place, &args, Type::Scalar(*scalar))
            }
            ExprKind::Barrier => {
                self.b.at(loc);
                self.b.barrier();
                None
            }
            ExprKind::Broadcast(place) => {
                let place = self.place(place)?;
                let ty = self.ty(id).value()?;
                self.b.at(loc);
                self.b.barrier();
                let value = self.b.load(place, ty);
                self.b.barrier();
                Some(value)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If(condition, then, otherwise) => self.if_(*condition, then, *otherwise, id),
            ExprKind::Loop(loop_, block) => self.loop_(*loop_, block, id),
            ExprKind::While(loop_, condition, block) => {
                self.while_(*loop_, *condition, block, loc);
                None
            }
            ExprKind::For { id: loop_, local, start, end, inclusive, body } => {
                self.for_(*loop_, *local, (*start, *end, *inclusive), body, loc);
                None
            }
            ExprKind::Break(loop_, value) => {
                let value = value.and_then(|value| self.value(value));
                self.b.at(loc);
                if let Some((inst, _)) = self.loops[loop_.index()] {
                    self.b.break_(inst, value.as_slice());
                }
                None
            }
            ExprKind::Continue(loop_) => {
                self.b.at(loc);
                self.continue_(*loop_);
                None
            }
            ExprKind::Return => {
                self.b.at(loc);
                self.b.ret();
                None
            }
        }
    }

    fn f32(&mut self, value: f32) -> Value {
        self.b.constant(Scalar::F32, u64::from(value.to_bits()))
    }

    /// An integer literal, negated or not, which must fit its type.
    fn int(&mut self, value: u128, negated: bool, id: ExprId) -> Option<Value> {
        let ty = self.ty(id);
        let scalar = ty.scalar()?;
        let most = match (scalar.is_signed(), negated) {
            (true, true) => 1u128 << (scalar.bits() - 1),
            (true, false) => (1u128 << (scalar.bits() - 1)) - 1,
            (false, _) => u128::from(scalar.mask()),
        };
        if value > most {
            let sign = if negated { "-" } else { "" };
            let message = format!("literal `{sign}{value}` does not fit `{ty}`");
            let diag = Diag::new(Code::V103, self.expr(id).loc, message);
            let width = if ty == Ty::Usize { "`usize` is 32 bits wide in a kernel" } else { "" };
            self.diags.push(if width.is_empty() { diag } else { diag.help(width) });
            return None;
        }
        let bits = value as u64;
        Some(self.b.constant(scalar, if negated { bits.wrapping_neg() } else { bits }))
    }

    fn float(&mut self, text: &str, id: ExprId) -> Option<Value> {
        let loc = self.expr(id).loc;
        if self.ty(id).scalar()? == Scalar::F64 {
            if !self.float_reported {
                self.float_reported = true;
                let message = "nothing says what type this float has, and a kernel has no `f64`";
                let digits = if text.contains('.') || text.contains('e') { "" } else { ".0" };
                self.diags.push(Diag::new(Code::V202, loc, message).help(format!("write `{text}{digits}f32`")));
            }
            return None;
        }
        match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Some(self.f32(value)),
            _ => {
                self.diags.push(Diag::new(Code::V103, loc, format!("literal `{text}` does not fit `f32`")));
                None
            }
        }
    }

    fn op(&mut self, op: Op, args: &[ExprId], id: ExprId) -> Option<Value> {
        let loc = self.expr(id).loc;
        if op == Op::Neg && !self.negatable(args[0], loc) {
            return None;
        }
        if let (Op::Neg, ExprKind::Int(value)) = (op, &self.expr(args[0]).kind) {
            return self.int(*value, true, args[0]);
        }
        if let Signature::Shift(_) = op.info().signature {
            let value = self.value(args[0])?;
            let count = self.count(args[1])?;
            return self.checked_op(op, &[value, count], &self.ty(args[0]), loc);
        }
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.value(arg));
        }
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let from = self.ty(args[0]);
        match op {
            Op::Cast => self.cast(values[0], &from, &self.ty(id), loc),
            Op::Bitcast => {
                self.b.at(loc);
                Some(self.b.op_to(op, &values, self.ty(id).value()?))
            }
            _ => self.checked_op(op, &values, &from, loc),
        }
    }

    /// Whether a value can be negated; reports it if not.
    fn negatable(&mut self, arg: ExprId, loc: Loc) -> bool {
        let ty = self.ty(arg);
        let unsigned = ty.scalar().is_some_and(|s| s.is_int() && !s.is_signed());
        if unsigned {
            let message = format!("cannot apply unary `-` to type `{ty}`");
            let help = "unsigned values cannot be negated; `wrapping_neg` wraps";
            self.diags.push(Diag::new(Code::V021, loc, message).help(help));
        }
        !unsigned
    }

    /// A shift count as the `u32` that the IR wants; only its low bits matter.
    fn count(&mut self, id: ExprId) -> Option<Value> {
        let value = self.value(id)?;
        match self.ty(id) {
            Ty::Usize | Ty::Scalar(Scalar::U32) => Some(value),
            _ => Some(self.b.op_to(Op::Cast, &[value], Type::U32)),
        }
    }

    /// An op of the table, reported if it does not exist for these types.
    fn checked_op(&mut self, op: Op, values: &[Value], ty: &Ty, loc: Loc) -> Option<Value> {
        let types: Vec<Type> = values.iter().map(|&v| self.b.function().ty(v)).collect();
        if op.result(&types, None).is_none() {
            let spelling = op.info().rust.first().copied().unwrap_or(op.info().name);
            if *ty != Ty::Scalar(Scalar::F64) {
                let message = format!("`{spelling}` is not available for `{ty}`");
                self.diags.push(Diag::new(Code::V021, loc, message));
            }
            return None;
        }
        self.b.at(loc);
        Some(self.b.op(op, values))
    }

    fn cast(&mut self, value: Value, from: &Ty, to: &Ty, loc: Loc) -> Option<Value> {
        let (source, target) = (self.b.function().ty(value), to.value()?);
        if *to == Ty::Usize && *from == Ty::Scalar(Scalar::U64) {
            let message = "cannot cast `u64` to `usize`, which is 32 bits wide in a kernel";
            self.diags.push(Diag::new(Code::V012, loc, message).help("write `as u32 as usize` to drop the high half"));
            return None;
        }
        if scalar::cast_rule(source, target).is_none() {
            let message = format!("cannot cast `{from}` to `{to}`");
            let diag = Diag::new(Code::V012, loc, message);
            let truth = *to == Ty::Scalar(Scalar::Bool);
            self.diags.push(if truth { diag.help("compare with zero: `… != 0.0`") } else { diag });
            return None;
        }
        self.b.at(loc);
        Some(if source == target { value } else { self.b.op_to(Op::Cast, &[value], target) })
    }

    pub(super) fn set_local(&mut self, local: LocalId, value: Value) {
        if let Slot::Var(var) = self.locals[local.index()] {
            self.b.set(var, value);
        }
    }

    fn assign(&mut self, place: &HirPlace, value: Value, loc: Loc) {
        match place {
            HirPlace::Local(local) => {
                self.b.at(loc);
                self.set_local(*local, value);
            }
            HirPlace::Memory { .. } => {
                if let Some(place) = self.place(place) {
                    self.b.at(loc);
                    self.b.store(place, value);
                }
            }
            HirPlace::Error => {}
        }
    }

    /// `place op= value`: the value first, then the place, once.
    fn assign_op(&mut self, op: Op, target: &HirPlace, value: ExprId, loc: Loc) {
        let shift = matches!(op.info().signature, Signature::Shift(_));
        let right = if shift { self.count(value) } else { self.value(value) };
        match target {
            HirPlace::Local(local) => {
                self.b.at(loc);
                let ty = self.infer.decided(&self.body.locals[*local].ty);
                if let (Slot::Var(var), Some(right)) = (self.locals[local.index()], right) {
                    let old = self.b.get(var);
                    if let Some(new) = self.checked_op(op, &[old, right], &ty, loc) {
                        self.b.set(var, new);
                    }
                }
            }
            HirPlace::Memory { root, indices } => {
                let Some(place) = self.place(target) else { return };
                let element = match indices.last() {
                    Some((_, Ty::Array(element, _) | Ty::Slice(element))) => self.infer.decided(element),
                    _ => self.memory_scalar(*root),
                };
                let Some(ty) = element.value() else { return };
                self.b.at(loc);
                let old = self.b.load(place.clone(), ty);
                let Some(right) = right else { return };
                if let Some(new) = self.checked_op(op, &[old, right], &element, loc) {
                    self.b.store(place, new);
                }
            }
            HirPlace::Error => {}
        }
    }

    /// The type of workgroup memory that is no array.
    fn memory_scalar(&self, root: samebits_ir::ir::Root) -> Ty {
        match root {
            samebits_ir::ir::Root::Shared(i) => {
                self.body.shared.get(i as usize).map_or(Ty::Error, |m| self.infer.decided(&m.ty))
            }
            _ => Ty::Error,
        }
    }
}

fn builtin(ids: Ids, axis: u32) -> Builtin {
    use Builtin as B;
    let axes = match ids {
        Ids::Global => [B::GlobalIdX, B::GlobalIdY, B::GlobalIdZ],
        Ids::Local => [B::LocalIdX, B::LocalIdY, B::LocalIdZ],
        Ids::Workgroup => [B::WorkgroupIdX, B::WorkgroupIdY, B::WorkgroupIdZ],
        Ids::NumWorkgroups => [B::NumWorkgroupsX, B::NumWorkgroupsY, B::NumWorkgroupsZ],
    };
    axes[axis as usize % 3]
}
