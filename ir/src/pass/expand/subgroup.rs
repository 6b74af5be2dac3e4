//! Expansions of subgroup ops into shuffles and ballots, and of those on vectors into one per
//! lane.
//!
//! The steps are those of [`SubgroupOp::apply`]. The size of the workgroup decides which steps
//! are left out because no lane has a partner, and which lanes may be missing.

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
            // The others are folds.
            _ => value,
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

    /// The value of the lane that is this many before; any value if there is no such lane.
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
        self.function.invocations() as u32
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::Builder;
    use crate::check::check;
    use crate::interp::{Arg, Options, Program, Words};
    use crate::ir::{Access, Index, InstKind, Module};
    use crate::ops::{Builtin, SubgroupOp, SubgroupSignature};
    use crate::pass::{Expansion, expand};
    use crate::types::{Scalar, Type, Types};

    /// A kernel of an op whose operands come from buffers.
    fn kernel(op: SubgroupOp, ty: Type, size: [u32; 3]) -> Module {
        let types = Types::default();
        let bytes = |ty| types.layout(ty).map_or(4, |layout| layout.size);
        let mut b = Builder::new("op", size);
        let (x, lanes) = (b.buffer("x", ty, Access::Read), b.buffer("lanes", Type::U32, Access::Read));
        let i = b.builtin(Builtin::LocalIndex);
        let at = |stride| [Index { value: i, stride, bound: None }];
        let (x, lanes) = (b.place(x, &at(bytes(ty)), 0), b.place(lanes, &at(4), 0));
        let operands = [b.load(x, ty), b.load(lanes, Type::U32)];
        let value = b.subgroup(op, &operands[..op.operands()]);
        let result = b.function().ty(value);
        let y = b.buffer("y", result, Access::ReadWrite);
        let y = b.place(y, &at(bytes(result)), 0);
        b.store(y, value);
        b.ret();
        b.into_module(types)
    }

    fn run(module: Module, invocations: u32) -> Vec<u8> {
        let checked = check(module).unwrap_or_else(|diags| panic!("{:?}", diags.as_slice()));
        let program = Program::new(&checked, 0).expect("a kernel");
        let words = |salt: u32| -> Vec<u8> {
            (0..8 * invocations).flat_map(|i| (i + salt).wrapping_mul(0x9e37_79b1).to_le_bytes()).collect()
        };
        // Some lanes are there, some are beyond the last, and some are far away.
        let lanes = (0..invocations).flat_map(|i| {
            match i % 7 {
                6 => u32::MAX - i,
                _ => i.wrapping_mul(0x9e37_79b1) % 40,
            }
            .to_le_bytes()
        });
        let buffers = [words(1), lanes.collect(), vec![0; 32 * invocations as usize]];
        let buffers = buffers.map(|bytes| Words::from_bytes(&bytes));
        let args = buffers.each_ref().map(|words| Arg::Buffer { words, offset: 0, len: invocations });
        program.run([1, 1, 1], &args, &Options::default()).expect("no fault");
        buffers[2].read(0..32 * invocations as usize)
    }

    #[test]
    fn every_subgroup_op_expands_to_its_value() {
        let sizes = [[1, 1, 1], [4, 1, 1], [7, 1, 1], [32, 1, 1], [33, 1, 1], [40, 1, 1], [8, 8, 1], [5, 7, 2]];
        let mut held = 0;
        for &op in SubgroupOp::ALL {
            let firsts: Vec<Type> = match op.signature() {
                SubgroupSignature::Value(class) | SubgroupSignature::Exchange(class) => {
                    let members = class.members().filter(|&scalar| scalar != Scalar::Bool);
                    members.flat_map(|s| [Type::Scalar(s), Type::Vector(s, 3)]).collect()
                }
                _ => vec![Type::BOOL],
            };
            for (ty, size) in firsts.iter().flat_map(|&ty| sizes.map(|size| (ty, size))) {
                let module = kernel(op, ty, size);
                let mut expanded = module.clone();
                expanded.functions[0] = expand(&module.functions[0], Expansion::ALL);
                for (_, inst) in expanded.functions[0].insts.iter() {
                    if let InstKind::Subgroup(op, args) = &inst.kind {
                        let ty = expanded.functions[0].ty(args[0]);
                        assert!(!op.is_compound() && matches!(ty, Type::Scalar(_)), "{op:?} of {ty:?} is left");
                    }
                }
                let invocations = size.iter().product();
                assert_eq!(run(module, invocations), run(expanded, invocations), "{op:?} of {ty:?} in {size:?}");
                held += 1;
            }
        }
        assert!(held > 3000, "{held}");
    }
}
