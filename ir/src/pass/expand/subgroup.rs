//! Subgroup ops as shuffles and ballots, and those of vectors as one of each lane.
//!
//! The steps are those of [`SubgroupOp::apply`]. What the size of the workgroup decides is
//! decided here: steps that no lane has a partner for, and lanes that may not be there.

use super::Expander;
use crate::ir::{InstKind, Value};
use crate::ops::{Builtin, Fold, Op, STEPS, SUBGROUP_SIZE, SubgroupOp};
use crate::types::{Scalar, Type};

impl Expander {
    /// The value of a subgroup op on whole operands.
    pub(super) fn subgroup(&mut self, op: SubgroupOp, args: &[Value]) -> Value {
        let Some((&value, rest)) = args.split_first() else { return self.is_first() };
        let Type::Vector(_, lanes) = self.function.ty(value) else { return self.subgroup_of(op, value, rest) };
        let values: Vec<Value> = (0..u64::from(lanes))
            .map(|lane| {
                let value = self.lane(value, lane);
                self.subgroup_of(op, value, rest)
            })
            .collect();
        self.op(Op::Construct, &values)
    }

    fn subgroup_of(&mut self, op: SubgroupOp, value: Value, rest: &[Value]) -> Value {
        let first = self.u32(0);
        let other = rest.first().copied().unwrap_or(first);
        match op.fold() {
            Some(Fold::Reduce(op)) => return self.reduction(op, value),
            Some(Fold::Inclusive(op)) => return self.scan(op, value),
            Some(Fold::Exclusive(op)) => {
                let scanned = self.scan(op, value);
                let before = self.before(scanned, 1);
                let ty = self.scalar(value);
                let (nothing, is_first) = (self.constant(ty, SubgroupOp::nothing(op, ty)), self.is_first());
                return self.select(is_first, nothing, before);
            }
            None => {}
        }
        match op {
            SubgroupOp::Ballot => self.push(InstKind::Subgroup(SubgroupOp::Ballot, vec![value]), Type::U32),
            SubgroupOp::Any => {
                let ballot = self.subgroup_of(SubgroupOp::Ballot, value, &[]);
                self.op(Op::Ne, &[ballot, first])
            }
            SubgroupOp::All => {
                let not = self.op(Op::Not, &[value]);
                let ballot = self.subgroup_of(SubgroupOp::Ballot, not, &[]);
                self.op(Op::Eq, &[ballot, first])
            }
            SubgroupOp::BroadcastFirst => self.shuffle(value, first),
            SubgroupOp::Broadcast | SubgroupOp::Shuffle => self.shuffle(value, other),
            SubgroupOp::ShuffleXor => {
                let lane = self.builtin(Builtin::SubgroupLane);
                let from = self.op(Op::Xor, &[lane, other]);
                self.shuffle(value, from)
            }
            SubgroupOp::ShuffleUp => {
                let lane = self.builtin(Builtin::SubgroupLane);
                let from = self.op(Op::Sub, &[lane, other]);
                let is_there = self.op(Op::Le, &[other, lane]);
                self.shuffle_if(is_there, value, from)
            }
            SubgroupOp::ShuffleDown => {
                let (lane, size) = (self.builtin(Builtin::SubgroupLane), self.u32(SUBGROUP_SIZE));
                let from = self.op(Op::Add, &[lane, other]);
                let is_there = self.op(Op::Lt, &[other, size]);
                self.shuffle_if(is_there, value, from)
            }
            SubgroupOp::Elect => self.is_first(),
            // These are folds.
            SubgroupOp::Add | SubgroupOp::Mul | SubgroupOp::Min | SubgroupOp::Max => value,
            SubgroupOp::And | SubgroupOp::Or | SubgroupOp::Xor => value,
            SubgroupOp::InclusiveAdd | SubgroupOp::InclusiveMul => value,
            SubgroupOp::InclusiveMin | SubgroupOp::InclusiveMax => value,
            SubgroupOp::ExclusiveAdd | SubgroupOp::ExclusiveMul => value,
            SubgroupOp::ExclusiveMin | SubgroupOp::ExclusiveMax => value,
        }
    }

    fn reduction(&mut self, op: Op, value: Value) -> Value {
        let invocations = self.invocations();
        let mut value = value;
        for step in self.steps() {
            let (lane, step) = (self.builtin(Builtin::SubgroupLane), self.u32(step));
            let from = self.op(Op::Xor, &[lane, step]);
            let other = self.shuffle(value, from);
            let both = self.op(op, &[value, other]);
            value = if invocations.is_multiple_of(SUBGROUP_SIZE) {
                both
            } else {
                let (index, end) = (self.builtin(Builtin::LocalIndex), self.u32(invocations));
                let partner = self.op(Op::Xor, &[index, step]);
                let is_there = self.op(Op::Lt, &[partner, end]);
                self.select(is_there, both, value)
            };
        }
        // Where all lanes had partners in each step, all have the same.
        let rest = invocations % SUBGROUP_SIZE;
        if rest == 0 || rest.is_power_of_two() && invocations < SUBGROUP_SIZE {
            return value;
        }
        let first = self.u32(0);
        self.shuffle(value, first)
    }

    fn scan(&mut self, op: Op, value: Value) -> Value {
        let mut value = value;
        for step in self.steps() {
            let other = self.before(value, step);
            let both = self.op(op, &[other, value]);
            let (lane, step) = (self.builtin(Builtin::SubgroupLane), self.u32(step));
            let is_there = self.op(Op::Ge, &[lane, step]);
            value = self.select(is_there, both, value);
        }
        value
    }

    /// The value of the lane that is so many before; anything where there is none.
    fn before(&mut self, value: Value, by: u32) -> Value {
        let (lane, by) = (self.builtin(Builtin::SubgroupLane), self.u32(by));
        let from = self.op(Op::Sub, &[lane, by]);
        self.shuffle(value, from)
    }

    /// A shuffle from a lane that is there only under a condition.
    fn shuffle_if(&mut self, condition: Value, value: Value, from: Value) -> Value {
        let nowhere = self.u32(u32::MAX);
        let from = self.select(condition, from, nowhere);
        self.shuffle(value, from)
    }

    fn shuffle(&mut self, value: Value, from: Value) -> Value {
        let ty = self.function.ty(value);
        self.push(InstKind::Subgroup(SubgroupOp::Shuffle, vec![value, from]), ty)
    }

    fn is_first(&mut self) -> Value {
        let (lane, first) = (self.builtin(Builtin::SubgroupLane), self.constant(Scalar::U32, 0));
        self.op(Op::Eq, &[lane, first])
    }

    fn builtin(&mut self, builtin: Builtin) -> Value {
        self.push(InstKind::Builtin(builtin), Type::U32)
    }

    /// The steps in which some lane has a partner.
    fn steps(&self) -> impl Iterator<Item = u32> + use<> {
        let invocations = self.invocations();
        STEPS.into_iter().filter(move |&step| step < invocations)
    }

    fn invocations(&self) -> u32 {
        self.function.workgroup_size().iter().fold(1, |product: u32, &extent| product.saturating_mul(extent))
    }
}
