//! Subgroup ops on every device, in workgroups of all shapes, against plain Rust.
//!
//! The expected values are defined here a second time, in another way than in the op table: a
//! reduction is a tree over aligned halves, where a half without lanes is left out; a scan is
//! what its steps make of the lanes that end at one.

use super::Tally;
use super::expect::expect;
use crate::engines::{memory_bytes, memory_words};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::builder::Builder;
use samebits_ir::ir::{Access, Index, Module, Place, Root};
use samebits_ir::ops::{Builtin, Op, SubgroupOp};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type, Types};

/// Workgroups of a launch.
pub const GROUPS: usize = 3;
/// The lanes of a subgroup, as everybody is told.
const SUBGROUP: usize = 32;
/// Where operands come from that need no lane.
const FAR: u32 = 0x8000_0003;

/// The shapes of workgroups that one type of each kind is tried in: all in a long run, and else [`SHAPES`] by turns.
const SIZES: [[u32; 3]; 8] =
    [[1, 1, 1], [7, 1, 1], [32, 1, 1], [33, 1, 1], [64, 1, 1], [100, 1, 1], [8, 8, 1], [5, 7, 2]];
/// Shapes of each op and type in a short run.
const SHAPES: usize = 3;
/// The shapes for every other type.
const FEW_SIZES: [[u32; 3]; 1] = [[39, 1, 1]];

/// One op on a type, in workgroups of one shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    /// What is done.
    pub op: SubgroupOp,
    /// The first operand.
    pub ty: Type,
    /// The workgroup.
    pub size: [u32; 3],
}

/// Every case of a long run, or those of a short one.
pub fn cases() -> Vec<Case> {
    chosen(super::is_long())
}

/// All cases, or as many as it takes to meet each op on each scalar, and each shape with each kind of op.
fn chosen(all: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for (number, &op) in SubgroupOp::ALL.iter().enumerate() {
        let vectors = [Scalar::U32, Scalar::F32, Scalar::I64].map(|s| Type::Vector(s, 3));
        let vectors = vectors.into_iter().enumerate().filter(|(n, _)| all || *n == number % 3).map(|(_, ty)| ty);
        let vectors = vectors.filter(|ty| op.operands() > 0 && ty.lane().is_some_and(|s| op.class().contains(s)));
        for ty in op.class().members().map(Type::Scalar).chain(vectors) {
            let is_kind = matches!(ty, Type::U32 | Type::F32 | Type::BOOL);
            let sizes = if is_kind { &SIZES[..] } else { &FEW_SIZES[..] };
            let first = number * SHAPES + usize::from(ty == Type::F32);
            let turns = if all { sizes.len() } else { SHAPES.min(sizes.len()) };
            cases.extend((0..turns).map(|turn| Case { op, ty, size: sizes[(first + turn) % sizes.len()] }));
        }
    }
    cases
}

/// How an op combines values, if it does, and whether it scans.
enum Kind {
    Reduce(Op),
    Inclusive(Op),
    Exclusive(Op),
    Other,
}

fn kind(op: SubgroupOp) -> Kind {
    match op {
        SubgroupOp::Add => Kind::Reduce(Op::Add),
        SubgroupOp::Mul => Kind::Reduce(Op::Mul),
        SubgroupOp::Min => Kind::Reduce(Op::Min),
        SubgroupOp::Max => Kind::Reduce(Op::Max),
        SubgroupOp::And => Kind::Reduce(Op::And),
        SubgroupOp::Or => Kind::Reduce(Op::Or),
        SubgroupOp::Xor => Kind::Reduce(Op::Xor),
        SubgroupOp::InclusiveAdd => Kind::Inclusive(Op::Add),
        SubgroupOp::InclusiveMul => Kind::Inclusive(Op::Mul),
        SubgroupOp::InclusiveMin => Kind::Inclusive(Op::Min),
        SubgroupOp::InclusiveMax => Kind::Inclusive(Op::Max),
        SubgroupOp::ExclusiveAdd => Kind::Exclusive(Op::Add),
        SubgroupOp::ExclusiveMul => Kind::Exclusive(Op::Mul),
        SubgroupOp::ExclusiveMin => Kind::Exclusive(Op::Min),
        SubgroupOp::ExclusiveMax => Kind::Exclusive(Op::Max),
        SubgroupOp::All | SubgroupOp::Any | SubgroupOp::Ballot | SubgroupOp::Elect => Kind::Other,
        SubgroupOp::Broadcast | SubgroupOp::BroadcastFirst | SubgroupOp::Shuffle => Kind::Other,
        SubgroupOp::ShuffleXor | SubgroupOp::ShuffleUp | SubgroupOp::ShuffleDown => Kind::Other,
    }
}

fn combine(op: Op, ty: Scalar, a: u64, b: u64) -> u64 {
    let (ty, lanes) = (Type::Scalar(ty), |bits| [bits, 0, 0, 0]);
    expect(op, &[ty, ty], ty, &[lanes(a), lanes(b)]).map_or(0, |lanes| lanes[0])
}

/// The values of so many lanes from one on, a power of two; `None` if none is there.
fn tree(op: Op, ty: Scalar, values: &[u64], first: usize, count: usize) -> Option<u64> {
    if count == 1 {
        return values.get(first).copied();
    }
    let half = count / 2;
    match (tree(op, ty, values, first, half), tree(op, ty, values, first + half, half)) {
        (Some(a), Some(b)) => Some(combine(op, ty, a, b)),
        (a, b) => a.or(b),
    }
}

/// What the steps below a power of two make of the lanes that end at one.
fn ending(op: Op, ty: Scalar, values: &[u64], lane: usize, steps: usize) -> u64 {
    let Some(step) = (steps > 1).then_some(steps / 2) else { return values[lane] };
    let own = ending(op, ty, values, lane, step);
    match lane.checked_sub(step) {
        Some(before) => combine(op, ty, ending(op, ty, values, before, step), own),
        None => own,
    }
}

/// What the first lane of an exclusive scan has, in Rust's own words.
fn start(op: Op, ty: Scalar) -> u64 {
    match (op, ty) {
        (Op::Add, _) => 0,
        (Op::Mul, Scalar::F16) => 0x3c00,
        (Op::Mul, Scalar::F32) => 1f32.to_bits().into(),
        (Op::Mul, Scalar::F64) => 1f64.to_bits(),
        (Op::Mul, _) => 1,
        (Op::Min, Scalar::F16) => 0x7c00,
        (Op::Min, Scalar::F32) => f32::INFINITY.to_bits().into(),
        (Op::Min, Scalar::F64) => f64::INFINITY.to_bits(),
        (Op::Max, Scalar::F16) => 0xfc00,
        (Op::Max, Scalar::F32) => f32::NEG_INFINITY.to_bits().into(),
        (Op::Max, Scalar::F64) => f64::NEG_INFINITY.to_bits(),
        (Op::Min, _) => ty.limits().1 as u64 & ty.mask(),
        (_, _) => ty.limits().0 as u64 & ty.mask(),
    }
}

impl Case {
    /// What the case is called in messages.
    pub fn name(&self) -> String {
        format!("subgroup.{} of {} in {:?}", self.op.name(), Types::default().display(self.ty), self.size)
    }

    fn invocations(&self) -> usize {
        self.size.iter().product::<u32>() as usize
    }

    /// The lanes of the first operand and the second one of an invocation: numbers that
    /// are far from exact in the first workgroup, then any bits, then edges.
    fn given(&self, invocation: usize) -> (Lanes, u32) {
        let lane = self.ty.lane().unwrap_or(Scalar::Bool);
        let (mask, top) = (lane.mask(), 1u64 << (lane.bits() - 1));
        let mut lanes = Lanes::default();
        let spread = |n: usize| (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (n, bits) in lanes.iter_mut().enumerate().take(self.ty.lanes()) {
            let random = spread(4 * invocation + n) ^ spread(n) >> 7;
            let near = match lane {
                Scalar::F16 => 0x3800 | random >> 40 & 0x8fff,
                Scalar::F32 => 0x3f00_0000 | random >> 24 & 0x80ff_ffff,
                Scalar::F64 => 0x3fe0_0000_0000_0000 | random & 0x801f_ffff_ffff_ffff,
                _ => random >> 24,
            };
            let edges = [0, 1, mask, mask >> 1, top, top + 1, mask.wrapping_sub(4), near];
            *bits = match invocation / self.invocations() {
                0 => near,
                1 => random >> 11,
                _ => edges[(random >> 33) as usize % edges.len()],
            } & mask;
            if lane == Scalar::Bool && invocation / self.invocations() == 2 {
                // All are true, or none.
                *bits = u64::from((invocation / SUBGROUP).is_multiple_of(2));
            }
        }
        let other = spread(invocation) >> 40;
        let other = match (self.op, other % 8) {
            (SubgroupOp::Broadcast, _) => spread(invocation / self.invocations()) as u32 % 9,
            (_, 0) => FAR.wrapping_add(other as u32),
            (_, 1) => u32::MAX - other as u32 % 40,
            (_, _) => other as u32 / 8 % 36,
        };
        (lanes, other)
    }

    /// What the lanes of one subgroup get.
    fn expected(&self, given: &[(Lanes, u32)]) -> Vec<Lanes> {
        let lane = self.ty.lane().unwrap_or(Scalar::Bool);
        let mut results = vec![Lanes::default(); given.len()];
        for n in 0..self.ty.lanes() {
            let values: Vec<u64> = given.iter().map(|(lanes, _)| lanes[n]).collect();
            for (i, result) in results.iter_mut().enumerate() {
                result[n] = self.value(lane, &values, i, given[i].1);
            }
        }
        results
    }

    fn value(&self, ty: Scalar, values: &[u64], lane: usize, other: u32) -> u64 {
        let of = |lane: Option<usize>| lane.and_then(|lane| values.get(lane)).copied().unwrap_or(0);
        let by = other as usize;
        match kind(self.op) {
            Kind::Reduce(op) => tree(op, ty, values, 0, SUBGROUP).unwrap_or(0),
            Kind::Inclusive(op) => ending(op, ty, values, lane, SUBGROUP),
            Kind::Exclusive(op) if lane == 0 => start(op, ty),
            Kind::Exclusive(op) => ending(op, ty, values, lane - 1, SUBGROUP),
            Kind::Other => match self.op {
                SubgroupOp::All => values.iter().all(|&bit| bit == 1).into(),
                SubgroupOp::Any => values.contains(&1).into(),
                SubgroupOp::Ballot => values.iter().rev().fold(0, |bits, bit| bits * 2 + bit),
                SubgroupOp::Elect => (lane == 0).into(),
                SubgroupOp::BroadcastFirst => values[0],
                SubgroupOp::Broadcast | SubgroupOp::Shuffle => of(Some(by)),
                SubgroupOp::ShuffleXor => of(Some(lane ^ by)),
                SubgroupOp::ShuffleUp => of(lane.checked_sub(by)),
                SubgroupOp::ShuffleDown => of(lane.checked_add(by)),
                SubgroupOp::Add | SubgroupOp::Mul | SubgroupOp::Min | SubgroupOp::Max => 0,
                SubgroupOp::And | SubgroupOp::Or | SubgroupOp::Xor => 0,
                SubgroupOp::InclusiveAdd | SubgroupOp::InclusiveMul => 0,
                SubgroupOp::InclusiveMin | SubgroupOp::InclusiveMax => 0,
                SubgroupOp::ExclusiveAdd | SubgroupOp::ExclusiveMul => 0,
                SubgroupOp::ExclusiveMin | SubgroupOp::ExclusiveMax => 0,
            },
        }
    }

    fn result(&self) -> Type {
        match self.op {
            SubgroupOp::Ballot => Type::U32,
            _ => self.ty,
        }
    }

    /// The kernel: each invocation loads its operands and stores its result.
    pub fn module(&self) -> Module {
        let types = Types::default();
        let bytes = |ty| types.layout(ty).map_or(4, |layout| layout.size);
        let mut b = Builder::new("exchange", self.size);
        let (x, lanes) = (b.buffer("x", self.ty, Access::Read), b.buffer("lanes", Type::U32, Access::Read));
        let y = b.buffer("y", self.result(), Access::ReadWrite);
        let (group, local) = (b.builtin(Builtin::WorkgroupIdX), b.builtin(Builtin::LocalIndex));
        let size = b.u32(self.invocations() as u32);
        let first = b.op(Op::Mul, &[group, size]);
        let value = b.op(Op::Add, &[first, local]);
        let at = |root: Root, stride| Place { root, offset: 0, indices: vec![Index { value, stride, bound: None }] };
        let mut operands = Vec::new();
        if self.op.operands() > 0 {
            operands.push(b.load(at(x, bytes(self.ty)), self.ty));
        }
        if self.op.operands() > 1 {
            operands.push(b.load(at(lanes, 4), Type::U32));
        }
        let result = b.subgroup(self.op, &operands);
        b.store(at(y, bytes(self.result())), result);
        b.ret();
        b.into_module(types)
    }

    /// The operands and the expected results of a launch, in the order of invocations.
    pub fn launch(&self) -> (Vec<(Lanes, u32)>, Vec<Lanes>) {
        let given: Vec<(Lanes, u32)> = (0..GROUPS * self.invocations()).map(|i| self.given(i)).collect();
        let groups = given.chunks(self.invocations());
        let subgroups = groups.flat_map(|group| group.chunks(SUBGROUP));
        let expected = subgroups.flat_map(|subgroup| self.expected(subgroup)).collect();
        (given, expected)
    }

    /// The bytes of the arguments of a launch before it, and of the last one after it.
    pub fn memories(&self) -> ([Vec<u8>; 3], Vec<u8>) {
        let (given, expected) = self.launch();
        let bytes = |ty, lanes: Vec<Lanes>| lanes.iter().flat_map(|lanes| memory_bytes(ty, lanes)).collect::<Vec<u8>>();
        let result = bytes(self.result(), expected);
        let x = bytes(self.ty, given.iter().map(|given| given.0).collect());
        let lanes = bytes(Type::U32, given.iter().map(|given| [given.1.into(), 0, 0, 0]).collect());
        ([x, lanes, vec![0; result.len()]], result)
    }

    fn run(&self, device: &Device) -> Result<Vec<u32>, Error> {
        let (given, _) = self.launch();
        let x = device.upload(&memory_words(self.ty, given.iter().map(|given| &given.0)))?;
        let lanes = device.upload(&given.iter().map(|given| given.1).collect::<Vec<u32>>())?;
        let zeros = vec![Lanes::default(); given.len()];
        let mut y = device.upload(&memory_words(self.result(), &zeros))?;
        let args = [Arg::words(&x), Arg::words(&lanes), Arg::words_mut(&mut y)];
        Kernel::from_module(&self.module(), 0)?.launch(device, Grid::groups(GROUPS, 1, 1), &args)?;
        y.read()
    }
}

/// Runs the cases on a device.
pub fn run(device: &Device, cases: &[Case], tally: &mut Tally) {
    for case in cases {
        let (_, expected) = case.launch();
        match case.run(device) {
            Ok(words) => {
                tally.count(case.op.name(), case.ty.lane(), expected.len() as u64);
                let wanted = memory_words(case.result(), &expected);
                if let Some(at) = words.iter().zip(&wanted).position(|(word, wanted)| word != wanted) {
                    let (word, wanted) = (words[at], wanted[at]);
                    tally.wrong(format!("{} gave {word:#x} and not {wanted:#x} in word {at}", case.name()));
                }
            }
            Err(error) => tally.wrong(format!("{}: {error}", case.name())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(op: SubgroupOp, ty: Type) -> Case {
        Case { op, ty, size: [7, 1, 1] }
    }

    #[test]
    fn a_tree_and_the_order_from_left_to_right_are_told_apart() {
        let number = |lanes: &Lanes| f32::from_bits(lanes[0] as u32);
        let case = Case { size: [256, 1, 1], ..case(SubgroupOp::Add, Type::F32) };
        let (given, expected) = case.launch();
        let subgroups = given.chunks(SUBGROUP).zip(expected.chunks(SUBGROUP)).take(8);
        let differ = subgroups.filter(|(given, expected)| {
            let sum: f32 = given.iter().map(|(lanes, _)| number(lanes)).sum();
            sum.to_bits() != number(&expected[0]).to_bits()
        });
        // In some of them the two happen to be equal.
        assert!(differ.count() >= 2);
    }

    #[test]
    fn a_short_run_has_each_op_on_each_scalar_and_each_shape_with_each_kind_of_op() {
        let (short, long) = (chosen(false), chosen(true));
        assert!(short.len() * 3 < long.len() * 2 && short.iter().all(|case| long.contains(case)));
        let scalars = long.iter().filter(|case| case.ty.lanes() == 1);
        let same = |a: &Case, b: &Case| (a.op, a.ty) == (b.op, b.ty);
        assert!(scalars.clone().all(|case| short.iter().any(|other| same(case, other))));
        let kinds: [fn(&Case) -> bool; 5] = [
            |case| matches!(kind(case.op), Kind::Reduce(_)),
            |case| matches!(kind(case.op), Kind::Inclusive(_) | Kind::Exclusive(_)),
            |case| matches!(kind(case.op), Kind::Other),
            |case| matches!(kind(case.op), Kind::Reduce(_)) && case.ty == Type::F32,
            |case| matches!(kind(case.op), Kind::Inclusive(_) | Kind::Exclusive(_)) && case.ty == Type::F32,
        ];
        for (n, is_kind) in kinds.iter().enumerate() {
            for size in SIZES {
                assert!(short.iter().any(|case| is_kind(case) && case.size == size), "kind {n} in {size:?}");
            }
        }
    }

    #[test]
    fn some_lanes_are_there_and_some_are_not() {
        for op in [SubgroupOp::Shuffle, SubgroupOp::ShuffleUp, SubgroupOp::ShuffleDown, SubgroupOp::ShuffleXor] {
            let (given, _) = case(op, Type::U32).launch();
            assert!(given.iter().any(|given| given.1 < 7) && given.iter().any(|given| given.1 >= 32), "{op:?}");
        }
    }

    #[test]
    fn ballots_are_mixed_all_and_none() {
        let (_, expected) = Case { size: [64, 1, 1], ..case(SubgroupOp::Ballot, Type::BOOL) }.launch();
        let ballots: Vec<u64> = expected.iter().map(|lanes| lanes[0]).collect();
        assert!(ballots.contains(&0) && ballots.contains(&0xffff_ffff));
        assert!(ballots.iter().any(|ballot| ![0, 0xffff_ffff].contains(ballot)));
    }
}
