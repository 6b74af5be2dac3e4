//! Building instructions: arithmetic, memory, atomics and calls.

use super::ast::{Arg, Conv, Family, Inst, Kind, Operand, Rmw, Space, Ty};
use super::emit::{Emit, hidden};
use super::infer::Sort;
use super::pointer::{Address, Base};
use crate::diag::Code;
use crate::ir::{CallArg, Index, Place, Value};
use crate::loc::Loc;
use crate::ops::{AtomicOp, Op, Part, Signature};
use crate::order::MemoryOrder;
use crate::types::{Scalar, Type};

impl Emit<'_, '_> {
    /// Builds an instruction; the result is its value, if it has one.
    pub(super) fn inst(&mut self, inst: &Inst) -> Option<Value> {
        let is_pointer = inst.result.is_some_and(|val| self.input.typed.sorts[val] != Sort::Value);
        let args = &inst.args;
        match &inst.kind {
            Kind::Mov | Kind::Gep { .. } => None,
            Kind::Conv(_) if is_pointer => {
                self.space_fits(inst);
                None
            }
            Kind::Op(Op::Select) => {
                let condition = self.truth(args[0]);
                let arms = match inst.result.filter(|_| is_pointer) {
                    Some(val) => {
                        let unit = self.input.pointers.unit(val);
                        [self.distance(args[1], unit), self.distance(args[2], unit)]
                    }
                    None => [self.value(args[1]), self.value(args[2])],
                };
                Some(self.builder.op(Op::Select, &[condition, arms[0], arms[1]]))
            }
            Kind::Op(op) => Some(self.op(*op, inst)),
            Kind::Compare(family, op) => {
                let values = [self.value(args[0]), self.value(args[1])];
                Some(self.compare(*family, *op, values))
            }
            Kind::Ordered(ordered) => {
                let values = [self.value(args[0]), self.value(args[1])];
                let nans = values.map(|value| self.builder.op(Op::IsNan, &[value]));
                let any = self.builder.op(Op::Or, &nans);
                Some(if *ordered { self.builder.op(Op::Not, &[any]) } else { any })
            }
            Kind::Conv(conv) => {
                let value = self.value(args[0]);
                let ty = inst.result.map_or(Type::U32, |val| self.input.typed.types[val]);
                let op = if *conv == Conv::Bitcast { Op::Bitcast } else { Op::Cast };
                Some(self.builder.op_to(op, &[value], ty))
            }
            Kind::Load => {
                let address = self.input.pointers.address(args[0])?;
                let ty = inst.result.map(|val| self.input.typed.types[val])?;
                self.load(&address, ty, inst.loc)
            }
            Kind::Store => {
                let address = self.input.pointers.address(args[0])?;
                let value = self.value(args[1]);
                self.store(&address, value, inst.loc);
                None
            }
            Kind::Len => {
                let address = self.input.pointers.address(args[0])?;
                let (root, _) = self.root(address.base)?;
                Some(self.builder.len(root))
            }
            Kind::Builtin(builtin) => Some(self.builder.builtin(*builtin)),
            Kind::WorkgroupSize(axis) => match self.input.func.kernel {
                Some(size) => Some(self.builder.u32(size[*axis])),
                None => {
                    self.error(Code::V201, inst.loc, "only a kernel knows its workgroup size");
                    None
                }
            },
            Kind::Barrier => {
                self.builder.barrier();
                None
            }
            Kind::Subgroup(op) => {
                let values: Vec<Value> = args.iter().map(|&arg| self.value(arg)).collect();
                Some(self.builder.subgroup(*op, &values))
            }
            Kind::Fence(ordering, scope) => {
                self.builder.fence(*ordering, *scope);
                None
            }
            Kind::Call(callee) => self.call(callee, inst),
            Kind::Atomic(rmw, order) => self.atomic(*rmw, *order, inst),
        }
    }

    /// A pointer out of `generic` memory is into what its type says.
    fn space_fits(&mut self, inst: &Inst) {
        let Some(Ty::Pointer(space, _)) = inst.to else { return };
        let Some(address) = self.input.pointers.address(inst.args[0]) else { return };
        let found = self.space(address.base);
        if space != found && space != Space::Generic && found != Space::Generic {
            let message = format!("this pointer is into `{}` memory, not `{}`", found.name(), space.name());
            self.error(Code::V012, inst.loc, message);
        }
    }

    fn op(&mut self, op: Op, inst: &Inst) -> Value {
        let truths = inst.result.is_some_and(|val| self.truths[val]);
        if truths {
            let values: Vec<Value> = inst.args.iter().map(|&arg| self.truth(arg)).collect();
            return self.builder.op(op, &values);
        }
        let mut values: Vec<Value> = inst.args.iter().map(|&arg| self.value(arg)).collect();
        if is_shift(op) {
            // The width of the value divides that of every count.
            let ty = self.builder.function().ty(values[1]);
            if ty.lanes() == 1 && ty != Type::U32 {
                values[1] = self.builder.op_to(Op::Cast, &[values[1]], Type::U32);
            }
        }
        self.builder.op(op, &values)
    }

    fn compare(&mut self, family: Family, op: Op, [a, b]: [Value; 2]) -> Value {
        let opposite = match op {
            Op::Lt => Op::Ge,
            Op::Le => Op::Gt,
            Op::Gt => Op::Le,
            Op::Ge => Op::Lt,
            other => other,
        };
        match (family, op) {
            (Family::Ordered, Op::Ne) => self.differ(a, b),
            (Family::Unordered, Op::Eq) => {
                let differ = self.differ(a, b);
                self.builder.op(Op::Not, &[differ])
            }
            (Family::Unordered, _) if opposite != op => {
                let not = self.builder.op(opposite, &[a, b]);
                self.builder.op(Op::Not, &[not])
            }
            // Equality is ordered and inequality unordered in the table.
            _ => self.builder.op(op, &[a, b]),
        }
    }

    /// Whether one is less than the other: they differ, and none is NaN.
    fn differ(&mut self, a: Value, b: Value) -> Value {
        let (less, greater) = (self.builder.op(Op::Lt, &[a, b]), self.builder.op(Op::Gt, &[a, b]));
        self.builder.op(Op::Or, &[less, greater])
    }

    // Places.

    /// An index of a `gep` as a `u32`; what is greater is the greatest, out of any bounds.
    fn index(&mut self, operand: Operand) -> Value {
        let value = self.value(operand);
        match self.builder.function().ty(value) {
            Type::Scalar(Scalar::U64) => {
                let most = self.builder.constant(Scalar::U64, u64::from(u32::MAX));
                let least = self.builder.op(Op::Min, &[value, most]);
                self.builder.op_to(Op::Cast, &[least], Type::U32)
            }
            Type::U32 => value,
            _ => self.builder.op_to(Op::Cast, &[value], Type::U32),
        }
    }

    fn place(&mut self, address: &Address, loc: Loc) -> Option<Place> {
        let (root, start) = self.root(address.base)?;
        let Ok(offset) = u32::try_from(address.offset + u64::from(start)) else {
            self.error(
                Code::V302,
                loc,
                "this place is too far from the start of its memory: the distance does not fit 32 bits",
            );
            return None;
        };
        let mut indices = Vec::new();
        if let Some(val) = address.chosen {
            let stride = self.input.pointers.unit(val);
            indices.push(Index { value: self.raw(val), stride, bound: None });
        }
        for step in &address.steps {
            indices.push(Index { value: self.index(step.index), stride: step.stride, bound: step.bound });
        }
        Some(Place { root, offset, indices })
    }

    /// How many units a pointer is from its root's start, at most `u32::MAX`.
    pub(super) fn distance(&mut self, operand: Operand, unit: u32) -> Value {
        let Some(address) = self.input.pointers.address(operand) else { return self.builder.u32(0) };
        let mut sum = None;
        if address.offset > 0 {
            let units = u32::try_from(address.offset / u64::from(unit)).unwrap_or(u32::MAX);
            sum = Some(self.builder.u32(units));
        }
        let mut terms = Vec::new();
        if let Some(val) = address.chosen {
            let stride = self.input.pointers.unit(val);
            terms.push((self.raw(val), stride));
        }
        for step in &address.steps {
            let mut index = self.index(step.index);
            if let Some(bound) = step.bound {
                let (bound, most) = (self.builder.u32(bound), self.builder.u32(u32::MAX));
                let inside = self.builder.op(Op::Lt, &[index, bound]);
                index = self.builder.op(Op::Select, &[inside, index, most]);
            }
            terms.push((index, step.stride));
        }
        for (value, stride) in terms {
            let term = self.times(value, stride / unit);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.plus(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.builder.u32(0))
    }

    fn times(&mut self, value: Value, factor: u32) -> Value {
        if factor <= 1 {
            return value;
        }
        let (limit, most) = (self.builder.u32(u32::MAX / factor), self.builder.u32(u32::MAX));
        let factor = self.builder.u32(factor);
        let product = self.builder.op(Op::Mul, &[value, factor]);
        let beyond = self.builder.op(Op::Gt, &[value, limit]);
        self.builder.op(Op::Select, &[beyond, most, product])
    }

    fn plus(&mut self, a: Value, b: Value) -> Value {
        let most = self.builder.u32(u32::MAX);
        let sum = self.builder.op(Op::Add, &[a, b]);
        let beyond = self.builder.op(Op::Lt, &[sum, a]);
        self.builder.op(Op::Select, &[beyond, most, sum])
    }

    // Memory.

    /// The type that an access of this type has to have: that of the root's element, if
    /// the two have one size.
    fn access_ty(&self, base: Base, ty: Type) -> Type {
        let types = self.input.types;
        let element = self.root(base).and_then(|(root, _)| self.builder.function().root_element(types, root));
        match (element, ty) {
            (Some(Type::Scalar(element)), Type::Scalar(access)) if element.size() == access.size() => element.into(),
            _ => ty,
        }
    }

    /// A value as another type of its size.
    fn reread(&mut self, value: Value, ty: Type) -> Value {
        let from = self.builder.function().ty(value);
        match (from, ty) {
            _ if from == ty => value,
            (Type::Scalar(Scalar::Bool), _) | (_, Type::Scalar(Scalar::Bool)) => {
                self.builder.op_to(Op::Cast, &[value], ty)
            }
            _ => self.builder.op_to(Op::Bitcast, &[value], ty),
        }
    }

    fn load(&mut self, address: &Address, ty: Type, loc: Loc) -> Option<Value> {
        let place = self.place(address, loc)?;
        let access = self.access_ty(address.base, ty);
        let value = if self.is_atomic(address.base) {
            self.builder.atomic(AtomicOp::Load, place, &[], access)?
        } else {
            self.builder.load(place, access)
        };
        Some(self.reread(value, ty))
    }

    fn store(&mut self, address: &Address, value: Value, loc: Loc) {
        if self.space(address.base) == Space::Const {
            self.error(Code::V005, loc, "cannot store to `const` memory");
            return;
        }
        let Some(place) = self.place(address, loc) else { return };
        let access = self.access_ty(address.base, self.builder.function().ty(value));
        let value = self.reread(value, access);
        if self.is_atomic(address.base) {
            self.builder.atomic(AtomicOp::Store, place, &[value], access);
        } else {
            self.builder.store(place, value);
        }
    }

    fn atomic(&mut self, rmw: Rmw, order: MemoryOrder, inst: &Inst) -> Option<Value> {
        let address = self.input.pointers.address(inst.args[0])?;
        let space = self.space(address.base);
        let op = rmw.op;
        if let Some(fault) = order.fault(op) {
            self.error(Code::V310, inst.loc, fault);
            return None;
        }
        if space == Space::Const && op != AtomicOp::Load {
            self.error(Code::V005, inst.loc, "cannot change `const` memory");
            return None;
        }
        let ty = match inst.result.or(match inst.args[0].arg {
            Arg::Value(val) => Some(val),
            Arg::Global(_) | Arg::Const(..) => None,
        }) {
            Some(val) => self.input.typed.types[val],
            None => self.pointee(address.base),
        };
        let lane = ty.lane().unwrap_or(Scalar::U32);
        let values: Vec<Value> = match rmw.flag {
            Some(bit) => vec![self.builder.constant(lane, bit)],
            None => inst.args[1..].iter().map(|&arg| self.value(arg)).collect(),
        };
        // What one invocation owns, or nothing changes, needs no atomics.
        if space == Space::Local || (space == Space::Const && !self.is_atomic(address.base)) {
            return self.alone(op, &address, ty, &values, inst.loc);
        }
        let place = self.place(&address, inst.loc)?;
        self.builder.atomic_with(op, place, &values, ty, order)
    }

    /// What a global points to.
    fn pointee(&self, base: Base) -> Type {
        match base {
            Base::Global(slot) => {
                let pointee = self.input.globals.get(slot).map(|global| global.pointee);
                pointee.map_or(Type::U32, |ty| self.input.types.innermost(ty))
            }
            Base::Param(_) => Type::U32,
        }
    }

    /// An atomic access to memory of the invocation: a load, an op, a store.
    fn alone(&mut self, op: AtomicOp, address: &Address, ty: Type, values: &[Value], loc: Loc) -> Option<Value> {
        let old = match op {
            AtomicOp::Store => None,
            _ => Some(self.load(address, ty, loc)?),
        };
        let lane = ty.lane().unwrap_or(Scalar::U32);
        let of = |n: usize| values.get(n).copied();
        let new = match (op, old, of(0)) {
            (AtomicOp::Load, ..) => None,
            (AtomicOp::Store | AtomicOp::Exchange, _, value) => value,
            (_, Some(old), Some(value)) => Some(self.changed(op, lane, [old, value, of(1).unwrap_or(value)])),
            (_, None, _) | (_, _, None) => None,
        };
        if let Some(new) = new {
            self.store(address, new, loc);
        }
        old
    }

    fn changed(&mut self, op: AtomicOp, lane: Scalar, [old, value, new]: [Value; 3]) -> Value {
        let (zero, one) = (self.builder.constant(lane, 0), self.builder.constant(lane, 1));
        let both = [old, value];
        let b = &mut self.builder;
        match op {
            AtomicOp::Load => old,
            AtomicOp::Store | AtomicOp::Exchange => value,
            AtomicOp::Add => b.op(Op::Add, &both),
            AtomicOp::Sub => b.op(Op::Sub, &both),
            AtomicOp::Min => b.op(Op::Min, &both),
            AtomicOp::Max => b.op(Op::Max, &both),
            AtomicOp::And => b.op(Op::And, &both),
            AtomicOp::Or => b.op(Op::Or, &both),
            AtomicOp::Xor => b.op(Op::Xor, &both),
            AtomicOp::Nand => {
                let and = b.op(Op::And, &both);
                b.op(Op::Not, &[and])
            }
            AtomicOp::IncWrap => {
                let (more, wraps) = (b.op(Op::Add, &[old, one]), b.op(Op::Ge, &both));
                b.op(Op::Select, &[wraps, zero, more])
            }
            AtomicOp::DecWrap => {
                let (less, is_zero, above) =
                    (b.op(Op::Sub, &[old, one]), b.op(Op::Eq, &[old, zero]), b.op(Op::Gt, &both));
                let wraps = b.op(Op::Or, &[is_zero, above]);
                b.op(Op::Select, &[wraps, value, less])
            }
            AtomicOp::CompareExchange => {
                let bits = both.map(|value| b.op_to(Op::Bitcast, &[value], lane.unsigned().into()));
                let equal = b.op(Op::Eq, &bits);
                b.op(Op::Select, &[equal, new, old])
            }
        }
    }

    // Calls.

    fn call(&mut self, name: &str, inst: &Inst) -> Option<Value> {
        let input = self.input;
        let Some(callee) = input.callees.get(name) else {
            self.error(Code::V016, inst.loc, format!("cannot find function `@{name}`"));
            return None;
        };
        let mut args = Vec::new();
        for (&arg, param) in inst.args.iter().zip(&callee.params) {
            args.push(match param {
                Ty::Value(_) => CallArg::Value(self.value(arg)),
                Ty::Pointer(..) => {
                    let address = input.pointers.address(arg)?;
                    CallArg::Place(self.place(&address, inst.loc)?)
                }
            });
        }
        if let Some(uses) = input.all.get(name) {
            let mut arena = false;
            for slot in hidden(input.globals, uses) {
                let (root, offset) = self.root(Base::Global(slot))?;
                // All that lies in the arena is passed once, as the arena.
                if input.globals.get(slot).is_some_and(|g| matches!(g.initial, super::ast::Initial::Address(_))) {
                    if std::mem::replace(&mut arena, true) {
                        continue;
                    }
                    args.push(CallArg::Place(Place { root, offset: 0, indices: Vec::new() }));
                    continue;
                }
                args.push(CallArg::Place(Place { root, offset, indices: Vec::new() }));
            }
        }
        let index = u32::try_from(callee.index).unwrap_or(u32::MAX);
        let results: Vec<Type> = callee.ret.into_iter().collect();
        self.builder.call(index, args, &results).first().copied()
    }
}

/// Whether the second operand is a count that the text may give in another type.
pub(super) fn is_shift(op: Op) -> bool {
    matches!(op.info().signature, Signature::Lanes(_, [_, Part::U32], Part::Same))
}
