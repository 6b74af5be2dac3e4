//! The table of subgroup ops: what the invocations of a subgroup tell each other.
//!
//! A subgroup is [`SUBGROUP_SIZE`] consecutive local indices, on every device. The last one of
//! a workgroup may have fewer. A *lane* is an invocation, named by its place in its subgroup.
//! [`SubgroupOp::apply`] is the one meaning of each op. Only shuffle and ballot are
//! [basic](SubgroupOp::is_compound); `pass::expand` makes the others of these two, in the same
//! steps.
//!
//! Sums of floats have one order: that of the steps in [`SubgroupOp::apply`]. The checks see to it that
//! the whole workgroup comes to a subgroup op, so a back end may do it through workgroup memory, between barriers.

use super::numbered::numbered;
use super::{Class, Op};
use crate::scalar::Lanes;
use crate::types::{Scalar, Type};

/// The lanes of a subgroup; the last one of a workgroup may have fewer.
pub const SUBGROUP_SIZE: u32 = 32;

/// The operands and the result of a subgroup op.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubgroupSignature {
    /// `(T) -> T`, where `T` is a scalar of the class or a vector of it, lane by lane.
    Value(Class),
    /// `(T, u32) -> T`, where `T` is a scalar of the class or a vector of it.
    Exchange(Class),
    /// `(bool) -> bool`
    Vote,
    /// `(bool) -> u32`
    Ballot,
    /// `() -> bool`
    Elect,
}

numbered! {
    /// What the invocations of a subgroup do together; in text its name stands after `subgroup.`. Every
    /// invocation of the subgroup takes part.
    ///
    /// ```
    /// use samebits_ir::ops::SubgroupOp;
    /// assert_eq!(SubgroupOp::from_rust("subgroup_add"), Some(SubgroupOp::Add));
    /// ```
    SubgroupOp: (SubgroupSignature, Option<Fold>) {
        Add(1, "add", "subgroup_add", folds(Class::NUM, Fold::Reduce(Op::Add)), "The sum of all lanes, in all of them; integers wrap.");
        Mul(2, "mul", "subgroup_mul", folds(Class::NUM, Fold::Reduce(Op::Mul)), "The product of all lanes, in all of them; integers wrap.");
        Min(3, "min", "subgroup_min", folds(Class::NUM, Fold::Reduce(Op::Min)), "The least value of all lanes, in all of them, as `min`.");
        Max(4, "max", "subgroup_max", folds(Class::NUM, Fold::Reduce(Op::Max)), "The greatest value of all lanes, in all of them, as `max`.");
        And(5, "and", "subgroup_and", folds(Class::INT, Fold::Reduce(Op::And)), "Bitwise and of all lanes, in all of them.");
        Or(6, "or", "subgroup_or", folds(Class::INT, Fold::Reduce(Op::Or)), "Bitwise or of all lanes, in all of them.");
        Xor(7, "xor", "subgroup_xor", folds(Class::INT, Fold::Reduce(Op::Xor)), "Bitwise exclusive or of all lanes, in all of them.");
        InclusiveAdd(8, "inclusive_add", "subgroup_inclusive_add", folds(Class::NUM, Fold::Inclusive(Op::Add)), "The sum of the lanes up to this one; integers wrap.");
        InclusiveMul(9, "inclusive_mul", "subgroup_inclusive_mul", folds(Class::NUM, Fold::Inclusive(Op::Mul)), "The product of the lanes up to this one; integers wrap.");
        InclusiveMin(10, "inclusive_min", "subgroup_inclusive_min", folds(Class::NUM, Fold::Inclusive(Op::Min)), "The least value of the lanes up to this one, as `min`.");
        InclusiveMax(11, "inclusive_max", "subgroup_inclusive_max", folds(Class::NUM, Fold::Inclusive(Op::Max)), "The greatest value of the lanes up to this one, as `max`.");
        ExclusiveAdd(12, "exclusive_add", "subgroup_exclusive_add", folds(Class::NUM, Fold::Exclusive(Op::Add)), "What `inclusive_add` gives in the lane before; 0 in the first, for floats 0.0.");
        ExclusiveMul(13, "exclusive_mul", "subgroup_exclusive_mul", folds(Class::NUM, Fold::Exclusive(Op::Mul)), "What `inclusive_mul` gives in the lane before; 1 in the first.");
        ExclusiveMin(14, "exclusive_min", "subgroup_exclusive_min", folds(Class::NUM, Fold::Exclusive(Op::Min)), "What `inclusive_min` gives in the lane before; the type's `MAX` in the first, for floats infinity.");
        ExclusiveMax(15, "exclusive_max", "subgroup_exclusive_max", folds(Class::NUM, Fold::Exclusive(Op::Max)), "What `inclusive_max` gives in the lane before; the type's `MIN` in the first, for floats minus infinity.");
        All(16, "all", "subgroup_all", (SubgroupSignature::Vote, None), "Whether the operand is true in every lane.");
        Any(17, "any", "subgroup_any", (SubgroupSignature::Vote, None), "Whether the operand is true in any lane.");
        Ballot(18, "ballot", "subgroup_ballot", (SubgroupSignature::Ballot, None), "A bit for each lane, set where the operand is true; bit 0 is the first lane's.");
        Broadcast(19, "broadcast", "subgroup_broadcast", (SubgroupSignature::Exchange(Class::ANY), None), "The value of the lane that the second operand says; zero if there is none. As `shuffle`, but known to be the same in all lanes where the second operand is.");
        BroadcastFirst(20, "broadcast_first", "subgroup_broadcast_first", (SubgroupSignature::Value(Class::ANY), None), "The value of the first lane.");
        Shuffle(21, "shuffle", "subgroup_shuffle", (SubgroupSignature::Exchange(Class::ANY), None), "The value of the lane that the second operand says; zero if there is none.");
        ShuffleXor(22, "shuffle_xor", "subgroup_shuffle_xor", (SubgroupSignature::Exchange(Class::ANY), None), "The value of the lane whose number is this one's, exclusive or the second operand; zero if there is none.");
        ShuffleUp(23, "shuffle_up", "subgroup_shuffle_up", (SubgroupSignature::Exchange(Class::ANY), None), "The value of the lane that is so many before this one; zero if there is none.");
        ShuffleDown(24, "shuffle_down", "subgroup_shuffle_down", (SubgroupSignature::Exchange(Class::ANY), None), "The value of the lane that is so many after this one; zero if there is none.");
        Elect(25, "elect", "subgroup_elect", (SubgroupSignature::Elect, None), "Whether this is the first lane.");
    }
}

/// How an op combines the values of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// All lanes, with the result in all of them.
    Reduce(Op),
    /// The lanes up to this one.
    Inclusive(Op),
    /// The lanes before this one.
    Exclusive(Op),
}

/// The columns of an op on scalars of a class that combines the values of lanes.
const fn folds(class: Class, fold: Fold) -> (SubgroupSignature, Option<Fold>) {
    (SubgroupSignature::Value(class), Some(fold))
}

impl SubgroupOp {
    /// Operands and result.
    pub const fn signature(self) -> SubgroupSignature {
        self.columns().0
    }

    /// The number of operands.
    pub const fn operands(self) -> usize {
        match self.signature() {
            SubgroupSignature::Elect => 0,
            SubgroupSignature::Value(_) | SubgroupSignature::Vote | SubgroupSignature::Ballot => 1,
            SubgroupSignature::Exchange(_) => 2,
        }
    }

    /// Whether the op hands on what another lane has, without looking at it.
    ///
    /// ```
    /// use samebits_ir::ops::SubgroupOp;
    /// assert!(SubgroupOp::Shuffle.moves() && SubgroupOp::BroadcastFirst.moves());
    /// assert!(!SubgroupOp::Add.moves() && !SubgroupOp::Ballot.moves());
    /// ```
    pub const fn moves(self) -> bool {
        matches!(self.columns(), (SubgroupSignature::Value(_) | SubgroupSignature::Exchange(_), None))
    }

    /// The scalars that the first operand may have, or its lanes.
    pub const fn class(self) -> Class {
        match self.signature() {
            SubgroupSignature::Value(class) | SubgroupSignature::Exchange(class) => class,
            SubgroupSignature::Vote | SubgroupSignature::Ballot | SubgroupSignature::Elect => Class::BOOL,
        }
    }

    /// The result type for these operand types, or `None` if they do not fit.
    ///
    /// ```
    /// use samebits_ir::{ops::SubgroupOp, types::Type};
    /// assert_eq!(SubgroupOp::Ballot.result(&[Type::BOOL]), Some(Type::U32));
    /// assert_eq!(SubgroupOp::Shuffle.result(&[Type::F32]), None);
    /// ```
    pub fn result(self, args: &[Type]) -> Option<Type> {
        let fits = |class: Class, ty: Type| ty.lane().is_some_and(|lane| class.contains(lane));
        match (self.signature(), args) {
            (SubgroupSignature::Value(class), &[ty]) if fits(class, ty) => Some(ty),
            (SubgroupSignature::Exchange(class), &[ty, Type::U32]) if fits(class, ty) => Some(ty),
            (SubgroupSignature::Vote, [Type::BOOL]) => Some(Type::BOOL),
            (SubgroupSignature::Ballot, [Type::BOOL]) => Some(Type::U32),
            (SubgroupSignature::Elect, []) => Some(Type::BOOL),
            _ => None,
        }
    }

    /// Whether the op is made of others before a back end sees it.
    pub const fn is_compound(self) -> bool {
        !matches!(self, Self::Shuffle | Self::Ballot)
    }

    /// How the op combines the values of lanes, if it does.
    pub const fn fold(self) -> Option<Fold> {
        self.columns().1
    }

    /// Whether the result is the same in all lanes of a subgroup, whatever the first operand
    /// is; for `broadcast` only where the second one is the same.
    pub const fn is_same(self) -> bool {
        match self.fold() {
            Some(Fold::Reduce(_)) => true,
            Some(Fold::Inclusive(_) | Fold::Exclusive(_)) => false,
            None => matches!(self, Self::All | Self::Any | Self::Ballot | Self::Broadcast | Self::BroadcastFirst),
        }
    }

    /// What the first lane has of nothing: the bits with which `exclusive_` scans begin.
    ///
    /// ```
    /// use samebits_ir::{ops::{Op, SubgroupOp}, types::Scalar};
    /// assert_eq!(SubgroupOp::nothing(Op::Min, Scalar::I8), 0x7f);
    /// assert_eq!(SubgroupOp::nothing(Op::Mul, Scalar::F32), 0x3f80_0000);
    /// ```
    pub fn nothing(op: Op, ty: Scalar) -> u64 {
        let sign = 1 << (ty.bits() - 1);
        match op {
            Op::Mul => ty.one(),
            Op::Min if ty.is_float() => ty.infinity(),
            Op::Max if ty.is_float() => ty.infinity() | sign,
            Op::Min if ty.is_signed() => sign - 1,
            Op::Min => ty.mask(),
            Op::Max if ty.is_signed() => sign,
            _ => 0,
        }
    }

    /// The results of all lanes of a subgroup, for scalars of this type. `values` has the
    /// first operand of each lane that there is, and `lanes` the second one; both may be
    /// anything where the op has no such operand.
    ///
    /// A reduction goes in steps of 1, 2, 4, 8 and 16: in each, every lane's value is
    /// combined with that of the lane whose number is its own exclusive or the step, as it
    /// was before, and stays where there is no such lane. The result is the first lane's.
    /// A scan goes in the same steps: every lane whose number is not below the step combines
    /// the value of the lane that is so many before it, as it was before, with its own.
    ///
    /// ```
    /// use samebits_ir::{ops::SubgroupOp, types::Scalar};
    /// assert_eq!(SubgroupOp::Add.apply(Scalar::U32, &[1, 2, 3], &[]), [6, 6, 6]);
    /// assert_eq!(SubgroupOp::ExclusiveAdd.apply(Scalar::U32, &[1, 2, 3], &[]), [0, 1, 3]);
    /// assert_eq!(SubgroupOp::ShuffleDown.apply(Scalar::U32, &[1, 2, 3], &[1; 3]), [2, 3, 0]);
    /// ```
    pub fn apply(self, ty: Scalar, values: &[u64], lanes: &[u64]) -> Vec<u64> {
        let count = values.len();
        let of = |lane: u64| usize::try_from(lane).ok().and_then(|lane| values.get(lane)).copied().unwrap_or(0);
        let each = |from: &dyn Fn(u64, u64) -> u64| -> Vec<u64> {
            (0..count).map(|lane| from(lane as u64, lanes.get(lane).copied().unwrap_or(0))).collect()
        };
        let ballot = || values.iter().enumerate().fold(0, |bits, (lane, &bit)| bits | u64::from(bit != 0) << lane);
        match (self, self.fold()) {
            (_, Some(Fold::Reduce(op))) => vec![reduced(op, ty, values); count],
            (_, Some(Fold::Inclusive(op))) => scanned(op, ty, values),
            (_, Some(Fold::Exclusive(op))) => {
                let scanned = scanned(op, ty, values);
                std::iter::once(Self::nothing(op, ty)).chain(scanned).take(count).collect()
            }
            (Self::All, None) => vec![u64::from(values.iter().all(|&bit| bit != 0)); count],
            (Self::Any, None) => vec![u64::from(ballot() != 0); count],
            (Self::Ballot, None) => vec![ballot(); count],
            (Self::BroadcastFirst, None) => vec![of(0); count],
            (Self::Elect, None) => each(&|lane, _| u64::from(lane == 0)),
            (Self::ShuffleXor, None) => each(&|lane, mask| of(lane ^ mask)),
            (Self::ShuffleUp, None) => each(&|lane, by| lane.checked_sub(by).map_or(0, of)),
            (Self::ShuffleDown, None) => each(&|lane, by| of(lane + by)),
            (Self::Broadcast | Self::Shuffle, None) => each(&|_, from| of(from)),
            // The table of folds has these.
            (_, None) => values.to_vec(),
        }
    }
}

/// The steps of reductions and scans.
pub(crate) const STEPS: [u32; 5] = [1, 2, 4, 8, 16];

fn combine(op: Op, ty: Scalar, a: u64, b: u64) -> u64 {
    let (ty, lanes) = (Type::Scalar(ty), |bits: u64| -> Lanes { [bits, 0, 0, 0] });
    op.eval(&[ty, ty], ty, &[lanes(a), lanes(b)])[0]
}

fn reduced(op: Op, ty: Scalar, values: &[u64]) -> u64 {
    let mut values = values.to_vec();
    for step in STEPS {
        let before = values.clone();
        for (lane, value) in values.iter_mut().enumerate() {
            if let Some(&other) = before.get(lane ^ step as usize) {
                *value = combine(op, ty, *value, other);
            }
        }
    }
    values.first().copied().unwrap_or(0)
}

fn scanned(op: Op, ty: Scalar, values: &[u64]) -> Vec<u64> {
    let mut values = values.to_vec();
    for step in STEPS {
        let before = values.clone();
        for (value, &other) in values.iter_mut().skip(step as usize).zip(&before) {
            *value = combine(op, ty, other, *value);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(values: &[f32]) -> Vec<u64> {
        values.iter().map(|value| u64::from(value.to_bits())).collect()
    }

    #[test]
    fn a_sum_of_floats_is_a_tree() {
        let values: [f32; 7] = [1e8, 1.0, -1e8, 3.0, 0.25, 7.0, -0.125];
        let [a, b, c, d, e, f, g] = values;
        let expected = ((a + b) + (c + d)) + ((e + f) + g);
        let left_to_right: f32 = values.iter().sum();
        assert_ne!(expected, left_to_right);
        assert_eq!(SubgroupOp::Add.apply(Scalar::F32, &bits(&values), &[]), bits(&[expected; 7]));
    }

    #[test]
    fn a_scan_of_floats_goes_in_steps() {
        let values: [f32; 4] = [1e8, 1.0, -1e8, 3.0];
        let [a, b, c, d] = values;
        let expected = [a, a + b, a + (b + c), (a + b) + (c + d)];
        assert_eq!(SubgroupOp::InclusiveAdd.apply(Scalar::F32, &bits(&values), &[]), bits(&expected));
        let expected = [0.0, a, a + b, a + (b + c)];
        assert_eq!(SubgroupOp::ExclusiveAdd.apply(Scalar::F32, &bits(&values), &[]), bits(&expected));
    }

    #[test]
    fn a_lane_that_is_not_there_gives_zero() {
        let (values, far) = ([5, 6, 7], [u64::from(u32::MAX), 3, 32]);
        for op in [SubgroupOp::Shuffle, SubgroupOp::Broadcast, SubgroupOp::ShuffleXor, SubgroupOp::ShuffleDown] {
            assert_eq!(op.apply(Scalar::U32, &values, &far)[0], 0, "{op:?}");
            assert_eq!(op.apply(Scalar::U32, &values, &far)[2], 0, "{op:?}");
        }
        assert_eq!(SubgroupOp::ShuffleUp.apply(Scalar::U32, &values, &far), [0, 0, 0]);
        assert_eq!(SubgroupOp::ShuffleUp.apply(Scalar::U32, &values, &[0, 1, 1]), [5, 5, 6]);
    }

    #[test]
    fn ballots_have_the_first_lane_in_bit_0() {
        assert_eq!(SubgroupOp::Ballot.apply(Scalar::Bool, &[1, 0, 1], &[]), [5; 3]);
        assert_eq!(SubgroupOp::All.apply(Scalar::Bool, &[1, 1], &[]), [1; 2]);
        assert_eq!(SubgroupOp::Any.apply(Scalar::Bool, &[0, 0], &[]), [0; 2]);
        assert_eq!(SubgroupOp::Elect.apply(Scalar::Bool, &[0, 0], &[]), [1, 0]);
    }
}
