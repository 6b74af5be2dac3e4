//! Facts: what is known about the values of a function without calls, wherever it runs.
//!
//! For each value: which bits are fixed and between which numbers it lies ([`Fact`]), and which
//! polynomials of what the launch decides it does not exceed. The guards around a place refine
//! both. From this follow whether each access can be out of bounds ([`Verdict`]), whether each
//! sum, difference and product wraps, and whether each loop ends.
//!
//! A fact is about the instruction where it is. It does not hold for a load that a pass has
//! moved out of its guard. After a change facts are computed again, for the very function that
//! they are used for.
//!
//! Parts: `fact` is the domain of bits and ranges, and `transfer` says what ops do to it.
//! `poly`, `condition` and `bound` do the same for polynomials. `given` knows what the kernel
//! requires of its launches. `flow` walks through a function, `refine` draws conclusions from
//! conditions, `order` knows comparisons, `loops` finds what holds for the parameters of
//! loops, `steps` how far a number of steps leads, and `access` judges places.

mod access;
mod bound;
mod condition;
mod fact;
mod flow;
mod given;
mod loops;
mod order;
mod poly;
mod refine;
mod steps;
mod transfer;

pub use condition::{Condition, Launch};
pub use fact::Fact;
pub(crate) use given::Given;
pub use poly::{Poly, Symbol};

use super::tree::Tree;
use crate::arena::{Side, Sparse};
use crate::ir::{Function, Inst, InstDef, Value, ValueDef};
use crate::types::{Scalar, Types};

/// The most conditions of a function; accesses that would need more keep their guards.
pub const MAX_CONDITIONS: usize = 64;

/// Whether an access can be out of bounds.
///
/// ```
/// use samebits_ir::analysis::facts::Verdict;
/// assert!(Verdict::Proven.holds_under(0));
/// assert!(Verdict::IfLaunch(0b10).holds_under(0b11) && !Verdict::IfLaunch(0b10).holds_under(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It never is.
    Proven,
    /// It is not in a launch that satisfies these [conditions](Facts::conditions), one bit
    /// each.
    IfLaunch(u64),
    /// It may be, since this is not known.
    Guarded(Missing),
}

impl Verdict {
    /// Whether the access is in bounds in a launch that satisfies these conditions.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Missing, Verdict};
    /// assert!(!Verdict::Guarded(Missing::Room).holds_under(u64::MAX));
    /// ```
    pub const fn holds_under(self, conditions: u64) -> bool {
        match self {
            Self::Proven => true,
            Self::IfLaunch(needed) => needed & !conditions == 0,
            Self::Guarded(_) => false,
        }
    }
}

/// What keeps an access from being proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Missing {
    /// Nothing is known that keeps an index below its own bound.
    Bound(Value, u32),
    /// Nothing useful is known about how large an index is.
    Index(Value),
    /// The place reaches beyond the end of the memory.
    Room,
    /// There are too many conditions already.
    Conditions,
    /// No launch ever comes here.
    Unreached,
}

/// Whether a sum, difference or product wraps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrapping {
    /// It may.
    Possible,
    /// It does not, in the signed or unsigned reading of its type.
    Never,
    /// It does not in a launch that satisfies the condition.
    Unless(Box<Condition>),
}

/// How often a loop comes round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounds {
    /// At most so many times, counting the round that leaves it.
    AtMost(u64),
    /// Nothing is known; it may never end.
    Unknown,
}

/// What is known about a function.
///
/// ```
/// use samebits_ir::analysis::facts::{Facts, Verdict};
/// use samebits_ir::{check::check, text::parse};
/// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
///     %i = global_id.x
///     %n = len @y
///     %c = lt %i, %n
///     if %c { store @y[%i], 7u32 yield } else { yield }
///     ret
/// }").map_err(|_| "text")?;
/// let checked = check(module).map_err(|_| "kernel")?;
/// let (function, _) = checked.function(0).ok_or("function")?;
/// let facts = Facts::of(&checked.module().types, function);
/// let store = function.insts.iter().find(|(_, def)| def.kind.place().is_some()).ok_or("store")?.0;
/// assert_eq!(facts.access(store), Verdict::Proven);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Facts {
    values: Side<ValueDef, Option<Fact>>,
    types: Side<ValueDef, Option<Scalar>>,
    /// What is known better at an instruction than where its operands are defined.
    at: Sparse<InstDef, Vec<(Value, Fact)>>,
    verdicts: Side<InstDef, Judged>,
    wrapping: Side<InstDef, Wrapping>,
    rounds: Side<InstDef, Rounds>,
    /// The instructions that some invocation may come to.
    reached: Side<InstDef, bool>,
    conditions: Vec<Condition>,
}

/// What is known about an access.
#[derive(Clone, Debug)]
struct Judged {
    verdict: Verdict,
    /// The indices whose own bounds always hold, one bit each.
    bounds: u64,
    /// Whether it ends within its root wherever the bounds of its indices hold.
    fits: bool,
}

impl Facts {
    /// Looks at a function in SSA form without calls.
    ///
    /// ```
    /// use samebits_ir::{analysis::facts::Facts, builder::Builder, ops::Builtin, types::Types};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// let i = b.builtin(Builtin::LocalIdX);
    /// b.ret();
    /// assert_eq!(Facts::of(&Types::default(), &b.finish()).range(i), (0, 63));
    /// ```
    pub fn of(types: &Types, function: &Function) -> Self {
        flow::facts(types, function, &Tree::of(function), true)
    }

    /// The same of values alone, for less than half of the time: whether accesses are in
    /// bounds, what wraps and how often loops come round is not asked.
    pub(crate) fn of_values(types: &Types, function: &Function, tree: &Tree) -> Self {
        flow::facts(types, function, tree, false)
    }

    fn nothing() -> Self {
        let judged = Judged { verdict: Verdict::Guarded(Missing::Unreached), bounds: 0, fits: false };
        Self {
            values: Side::new(None),
            types: Side::new(None),
            at: Sparse::new(Vec::new()),
            verdicts: Side::new(judged),
            wrapping: Side::new(Wrapping::Possible),
            rounds: Side::new(Rounds::Unknown),
            reached: Side::new(false),
            conditions: Vec::new(),
        }
    }

    /// What is known about a value, or each lane of it, wherever it is visible. Of floats
    /// this is about their bits.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, ops::Builtin, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// let i = b.builtin(Builtin::LocalIndex);
    /// # b.ret();
    /// # let function = b.finish();
    /// # let facts = Facts::of(&Types::default(), &function);
    /// assert_eq!(facts.fact(i).zeros, !63);
    /// ```
    pub fn fact(&self, value: Value) -> Fact {
        match (self.values[value], self.types[value]) {
            (Some(fact), _) => fact,
            (None, Some(ty)) => Fact::any(ty),
            (None, None) => Fact::any(Scalar::U64),
        }
    }

    /// The least and the greatest number that a value can be, read without a sign.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, ops::Op, types::{Type, Types}};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let n = b.scalar("n", Type::U32);
    /// # let ten = b.u32(10);
    /// let digit = b.op(Op::Rem, &[n, ten]);
    /// # b.ret();
    /// # let facts = Facts::of(&Types::default(), &b.finish());
    /// assert_eq!(facts.range(digit), (0, 9));
    /// ```
    pub fn range(&self, value: Value) -> (u64, u64) {
        let fact = self.fact(value);
        (fact.least, fact.most)
    }

    /// The bits of a value that are always zero and those that are always one.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, ops::Op, types::{Type, Types}};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let n = b.scalar("n", Type::U32);
    /// # let four = b.u32(4);
    /// let aligned = b.op(Op::Mul, &[n, four]);
    /// # b.ret();
    /// # let facts = Facts::of(&Types::default(), &b.finish());
    /// assert_eq!(facts.known(aligned).0 & 7, 3);
    /// ```
    pub fn known(&self, value: Value) -> (u64, u64) {
        let fact = self.fact(value);
        (fact.zeros, fact.ones)
    }

    /// What is known about an operand of an instruction where that runs, under its guards.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, ops::Builtin, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let i = b.builtin(Builtin::LocalIndex);
    /// # b.ret();
    /// # let function = b.finish();
    /// # let facts = Facts::of(&Types::default(), &function);
    /// for (inst, def) in function.insts.iter() {
    ///     def.kind.for_each_operand(|value| assert!(facts.at(inst, value).most <= facts.range(value).1));
    /// }
    /// ```
    pub fn at(&self, inst: Inst, value: Value) -> Fact {
        let refined = self.at[inst].iter().find(|(refined, _)| *refined == value);
        refined.map_or_else(|| self.fact(value), |(_, fact)| *fact)
    }

    /// Whether a load, store or atomic access can be out of bounds; of anything else
    /// nothing is proven.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::{Facts, Missing, Verdict}, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// # let function = b.finish();
    /// let facts = Facts::of(&Types::default(), &function);
    /// # for inst in function.insts.ids() {
    /// assert_eq!(facts.access(inst), Verdict::Guarded(Missing::Unreached));
    /// # }
    /// ```
    pub fn access(&self, inst: Inst) -> Verdict {
        self.verdicts[inst].verdict
    }

    /// Whether the index of this position in an access is always below its own bound; also
    /// if it has none.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// # let function = b.finish();
    /// let facts = Facts::of(&Types::default(), &function);
    /// # for inst in function.insts.ids() {
    /// assert!(!facts.index_is_below(inst, 0));
    /// # }
    /// ```
    pub fn index_is_below(&self, inst: Inst, index: usize) -> bool {
        index < 64 && self.verdicts[inst].bounds >> index & 1 == 1
    }

    /// Whether an access always ends within its root if each index is below its own bound.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// # let function = b.finish();
    /// let facts = Facts::of(&Types::default(), &function);
    /// # for inst in function.insts.ids() {
    /// assert!(!facts.fits(inst));
    /// # }
    /// ```
    pub fn fits(&self, inst: Inst) -> bool {
        self.verdicts[inst].fits
    }

    /// The conditions that verdicts rest on, in the order of their bits.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// assert!(Facts::of(&Types::default(), &b.finish()).conditions().is_empty());
    /// ```
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether an integer sum, difference or product wraps.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::{Facts, Wrapping}, builder::Builder, ops::{Builtin, Op}, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let i = b.builtin(Builtin::LocalIdX);
    /// let sum = b.op(Op::Add, &[i, i]);
    /// # b.ret();
    /// # let function = b.finish();
    /// # let facts = Facts::of(&Types::default(), &function);
    /// # let inst = function.insts.iter().find(|(_, def)| def.results == [sum]).unwrap().0;
    /// assert_eq!(facts.wrapping(inst), &Wrapping::Never);
    /// ```
    pub fn wrapping(&self, inst: Inst) -> &Wrapping {
        &self.wrapping[inst]
    }

    /// How often a loop comes round before it ends, not counting loops inside it, which may
    /// themselves not end.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::{Facts, Rounds}, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// let (forever, _) = b.begin_loop(None, &[]);
    /// b.continue_(forever, &[]);
    /// b.end_loop(forever, &[]);
    /// # b.unreachable();
    /// # let function = b.finish();
    /// assert_eq!(Facts::of(&Types::default(), &function).rounds(forever), Rounds::Unknown);
    /// ```
    pub fn rounds(&self, inst: Inst) -> Rounds {
        self.rounds[inst]
    }

    /// Whether an invocation may come to an instruction. Of one that nobody comes to no
    /// other fact says anything.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// # let function = b.finish();
    /// let facts = Facts::of(&Types::default(), &function);
    /// assert!(function.insts.ids().all(|inst| facts.is_reached(inst)));
    /// ```
    pub fn is_reached(&self, inst: Inst) -> bool {
        self.reached[inst]
    }

    /// Whether a loop is known to come round a finite number of times.
    ///
    /// ```
    /// # use samebits_ir::{analysis::facts::Facts, builder::Builder, types::Types};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let (once, _) = b.begin_loop(None, &[]);
    /// # b.break_(once, &[]);
    /// # b.end_loop(once, &[]);
    /// # b.ret();
    /// # let function = b.finish();
    /// assert!(Facts::of(&Types::default(), &function).ends(once));
    /// ```
    pub fn ends(&self, inst: Inst) -> bool {
        self.rounds[inst] != Rounds::Unknown
    }
}

#[cfg(test)]
mod given_tests;
#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod steps_tests;
#[cfg(test)]
mod tests;
