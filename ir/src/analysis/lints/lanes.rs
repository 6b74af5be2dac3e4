//! What a number is in each lane of a subgroup, as far as that is known.
//!
//! A number is a base, which the subgroup shares and of which only a divisor may be known, and an
//! offset for each lane. Ids are so, constants, and what arithmetic makes of them and of numbers
//! that all share. Numbers are taken for ones that never wrap: a hint may be wrong where code is
//! wrong, and nothing but hints rests on this.

use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Access, Function, Inst, InstKind, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE};
use crate::types::Type;

/// The most lanes.
const LANES: usize = SUBGROUP_SIZE as usize;

/// What a number is in the lanes of a subgroup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lanes {
    /// Nothing is known.
    Any,
    /// Offsets from a base that is a multiple of this number, where 0 stands for a base of 0.
    Offsets(u64, Box<[i64; LANES]>),
    /// Lanes are apart by a multiple of a number that the launch decides.
    Apart(Value),
}

impl Lanes {
    /// A number that all share.
    fn shared() -> Self {
        Self::Offsets(1, Box::new([0; LANES]))
    }

    fn constant(number: i64) -> Self {
        Self::Offsets(0, Box::new([number; LANES]))
    }

    /// Whether all lanes have the same.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Offsets(_, offsets) if offsets.iter().all(|offset| *offset == offsets[0]))
    }

    /// Each offset becomes another one, and the base a multiple of this.
    fn map(&self, divisor: u64, with: impl Fn(i64) -> Option<i64>) -> Self {
        let Self::Offsets(_, offsets) = self else { return Self::Any };
        let mut mapped = [0; LANES];
        for (to, offset) in mapped.iter_mut().zip(offsets.iter()) {
            let Some(offset) = with(*offset) else { return Self::Any };
            *to = offset;
        }
        Self::Offsets(divisor, Box::new(mapped))
    }

    fn plus(&self, other: &Self, sign: i64) -> Self {
        match (self, other) {
            (Self::Offsets(a, left), Self::Offsets(b, right)) => {
                let mut sum = [0; LANES];
                for (i, to) in sum.iter_mut().enumerate() {
                    let Some(offset) = right[i].checked_mul(sign).and_then(|right| left[i].checked_add(right)) else {
                        return Self::Any;
                    };
                    *to = offset;
                }
                Self::Offsets(divisor(*a, *b), Box::new(sum))
            }
            (Self::Apart(by), Self::Offsets(..) | Self::Apart(_)) | (Self::Offsets(..), Self::Apart(by)) => {
                Self::Apart(*by)
            }
            _ => Self::Any,
        }
    }

    fn times(&self, factor: i64) -> Self {
        match self {
            Self::Offsets(base, _) => {
                self.map(base.saturating_mul(factor.unsigned_abs()), |offset| offset.checked_mul(factor))
            }
            Self::Apart(by) if factor != 0 => Self::Apart(*by),
            _ => Self::Any,
        }
    }

    /// The number divided by another one, if the base is a multiple of that.
    fn over(&self, by: i64) -> Self {
        match self {
            Self::Offsets(base, _) if by > 0 && base.is_multiple_of(by.unsigned_abs()) => {
                self.map(base / by.unsigned_abs(), |offset| (offset >= 0).then_some(offset / by))
            }
            _ if self.is_shared() => Self::shared(),
            _ => Self::Any,
        }
    }

    fn modulo(&self, by: i64) -> Self {
        match self {
            Self::Offsets(base, _) if by > 0 && base.is_multiple_of(by.unsigned_abs()) => {
                self.map(0, |offset| (offset >= 0).then_some(offset % by))
            }
            _ if self.is_shared() => Self::shared(),
            _ => Self::Any,
        }
    }

    /// The number with bits changed that are all below the base's lowest one.
    fn bits(&self, bits: i64, with: impl Fn(i64, i64) -> i64) -> Self {
        match self {
            Self::Offsets(base, _) => {
                let room =
                    if *base == 0 { i64::MAX } else { 1i64.checked_shl(base.trailing_zeros()).unwrap_or(i64::MAX) };
                let fits = |offset: i64| offset >= 0 && (offset < room || *base == 0);
                if bits < 0 || bits >= room {
                    return if self.is_shared() { Self::shared() } else { Self::Any };
                }
                self.map(*base, |offset| fits(offset).then(|| with(offset, bits)))
            }
            _ => Self::Any,
        }
    }
}

/// The greatest divisor that two bases are known to have.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The numbers of a function.
pub(super) struct Numbers<'f> {
    function: &'f Function,
    tree: &'f Tree,
    known: Side<ValueDef, Option<Lanes>>,
}

impl<'f> Numbers<'f> {
    pub(super) fn new(function: &'f Function, tree: &'f Tree) -> Self {
        Self { function, tree, known: Side::new(None) }
    }

    /// The lanes that there are.
    pub(super) fn lanes(&self) -> usize {
        self.function.invocations().min(LANES as u64) as usize
    }

    /// What is known of a value.
    pub(super) fn of(&mut self, value: Value) -> Lanes {
        if let Some(bits) = self.function.constant_bits(value) {
            return self.number(value, bits).map_or_else(Lanes::shared, Lanes::constant);
        }
        if let Some(lanes) = &self.known[value] {
            return lanes.clone();
        }
        // A value that is asked for while it is looked for depends on itself.
        self.known[value] = Some(Lanes::Any);
        let lanes = match self.tree.def(value) {
            Def::Argument(_) => Lanes::shared(),
            Def::Constant => Lanes::Any,
            Def::Result(inst, _) => self.result(inst),
            Def::Param(inst, i) => self.param(inst, i, value),
        };
        self.known[value] = Some(lanes.clone());
        lanes
    }

    /// A constant as a number. One of 32 bits that is huge stands for a negative one, since `i - 1` wraps.
    fn number(&self, value: Value, bits: u64) -> Option<i64> {
        match self.function.ty(value) {
            Type::Scalar(scalar) if scalar.is_int() && scalar.bits() == 32 => Some(i64::from(bits as u32 as i32)),
            Type::Scalar(scalar) if scalar.is_int() => i64::try_from(bits).ok(),
            _ => None,
        }
    }

    /// A parameter of a loop: its first value, if each round adds what all share.
    fn param(&mut self, inst: Inst, i: usize, value: Value) -> Lanes {
        let InstKind::Loop { initial, .. } = &self.function.insts[inst].kind else { return Lanes::Any };
        let Some(&first) = initial.get(i) else { return Lanes::Any };
        let first = match self.of(first) {
            Lanes::Offsets(_, offsets) => Lanes::Offsets(1, offsets),
            other => other,
        };
        let next: Vec<Value> = self
            .tree
            .continues(inst)
            .iter()
            .filter_map(|&jump| self.function.insts[jump].kind.passed().get(i).copied())
            .collect();
        let grows = next.into_iter().all(|next| {
            if next == value {
                return true;
            }
            let Some((Op::Add | Op::Sub, &[left, right])) = self.tree.op(self.function, next) else { return false };
            let step = if left == value { right } else { left };
            (left == value || right == value) && self.of(step).is_shared()
        });
        if grows { first } else { Lanes::Any }
    }

    fn result(&mut self, inst: Inst) -> Lanes {
        let kind = &self.function.insts[inst].kind;
        match kind {
            InstKind::Op(op, args) => self.op(*op, args),
            InstKind::Builtin(builtin) => self.builtin(*builtin),
            InstKind::Len(_) => Lanes::shared(),
            InstKind::Load(place) => {
                let is_read = match place.root {
                    Root::Table(_) => true,
                    root @ Root::Param(_) => self.function.root_access(root) == Some(Access::Read),
                    Root::Shared(_) | Root::Private(_) => false,
                };
                let shared = is_read && place.indices.iter().all(|index| self.of(index.value).is_shared());
                if shared { Lanes::shared() } else { Lanes::Any }
            }
            _ => Lanes::Any,
        }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Lanes {
        let lanes: Vec<Lanes> = args.iter().map(|&arg| self.of(arg)).collect();
        let number = |at: usize| {
            let &arg = args.get(at)?;
            self.number(arg, self.function.constant_bits(arg)?)
        };
        let power = |at: usize| number(at).filter(|by| (0..32).contains(by)).map(|by| 1i64 << by);
        match (op, lanes.as_slice()) {
            (Op::Add, [a, b]) => a.plus(b, 1),
            (Op::Sub, [a, b]) => a.plus(b, -1),
            (Op::Mul, [a, b]) => match (number(0), number(1)) {
                (_, Some(factor)) => a.times(factor),
                (Some(factor), _) => b.times(factor),
                _ if a.is_shared() && b.is_shared() => Lanes::shared(),
                _ if b.is_shared() => apart(a, args[1]),
                _ if a.is_shared() => apart(b, args[0]),
                _ => Lanes::Any,
            },
            (Op::Shl, [a, _]) => power(1).map_or(Lanes::Any, |by| a.times(by)),
            (Op::Shr, [a, _]) => power(1).map_or(Lanes::Any, |by| a.over(by)),
            (Op::Div, [a, _]) if number(1).is_some() => a.over(number(1).unwrap_or(0)),
            (Op::Rem, [a, _]) if number(1).is_some() => a.modulo(number(1).unwrap_or(0)),
            (Op::And, [a, _]) => match number(1).and_then(|bits| bits.checked_add(1)) {
                Some(count) if count > 0 && count.count_ones() == 1 => a.modulo(count),
                _ if lanes.iter().all(Lanes::is_shared) => Lanes::shared(),
                _ => Lanes::Any,
            },
            (Op::Xor, [a, _]) if number(1).is_some() => a.bits(number(1).unwrap_or(-1), |a, b| a ^ b),
            (Op::Or, [a, _]) if number(1).is_some() => a.bits(number(1).unwrap_or(-1), |a, b| a | b),
            (Op::Cast | Op::Bitcast, [a]) => a.clone(),
            _ if lanes.iter().all(Lanes::is_shared) => Lanes::shared(),
            _ => Lanes::Any,
        }
    }

    fn builtin(&self, builtin: Builtin) -> Lanes {
        let [x, y, _] = self.function.workgroup_size().map(i64::from);
        let whole = self.function.invocations() <= LANES as u64;
        // The first subgroup's ids; others have the same offsets where a row is a multiple of a subgroup, or a
        // subgroup of whole rows.
        let regular = x % LANES as i64 == 0 || LANES as i64 % x == 0;
        let ids = |of: &dyn Fn(i64) -> i64| {
            let mut offsets = [0; LANES];
            for (lane, to) in (0..).zip(&mut offsets) {
                *to = of(lane);
            }
            Box::new(offsets)
        };
        let base = |step: i64| if whole { 0 } else { step.unsigned_abs() };
        let rows = (LANES as i64 / x).max(1);
        match builtin {
            Builtin::SubgroupLane => Lanes::Offsets(0, ids(&|lane| lane)),
            Builtin::LocalIndex => Lanes::Offsets(base(LANES as i64), ids(&|lane| lane)),
            Builtin::LocalIdX | Builtin::GlobalIdX if regular => {
                let step = if x % LANES as i64 == 0 { LANES as i64 } else { x };
                let local = builtin == Builtin::LocalIdX && x <= LANES as i64;
                Lanes::Offsets(if local { 0 } else { step.unsigned_abs() }, ids(&|lane| lane % x))
            }
            Builtin::LocalIdY if regular => Lanes::Offsets(base(rows), ids(&|lane| lane / x % y.max(1))),
            Builtin::GlobalIdY if regular => Lanes::Offsets(1, ids(&|lane| lane / x % y.max(1))),
            Builtin::LocalIdZ | Builtin::GlobalIdZ if regular => Lanes::Offsets(1, ids(&|lane| lane / x / y.max(1))),
            Builtin::LocalIdX | Builtin::LocalIdY | Builtin::LocalIdZ => Lanes::Any,
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => Lanes::Any,
            _ => Lanes::shared(),
        }
    }

    /// The lanes that may go one way at a branch.
    pub(super) fn may_pass(&mut self, condition: Value, wanted: bool) -> [bool; LANES] {
        let mut may = [true; LANES];
        let Some((op, &[left, right])) = self.tree.op(self.function, condition) else {
            return may;
        };
        let Some(limit) = self.function.constant_bits(right).and_then(|bits| self.number(right, bits)) else {
            return may;
        };
        let Lanes::Offsets(base, offsets) = self.of(left) else { return may };
        let passes = |offset: i64| match (op, wanted) {
            (Op::Eq, true) | (Op::Ne, false) => limit >= offset && limit.abs_diff(offset).is_multiple_of(base),
            (Op::Lt, true) | (Op::Ge, false) => offset < limit,
            (Op::Le, true) | (Op::Gt, false) => offset <= limit,
            _ => true,
        };
        for (may, offset) in may.iter_mut().zip(offsets.iter()) {
            *may = passes(*offset);
        }
        may
    }
}

/// How many numbers a subgroup may have that are multiplied by one that the launch decides, and still have rows of
/// neighbours: a tile that is 8 wide has 4.
const ROWS: usize = 4;

/// Lanes whose numbers are multiplied by one that the launch decides.
fn apart(lanes: &Lanes, by: Value) -> Lanes {
    match lanes {
        Lanes::Any => Lanes::Any,
        Lanes::Apart(_) => Lanes::Apart(by),
        Lanes::Offsets(_, offsets) => {
            let mut rows = offsets.to_vec();
            rows.sort_unstable();
            rows.dedup();
            if rows.len() > ROWS { Lanes::Apart(by) } else { Lanes::Any }
        }
    }
}
