//! Races: whether two invocations can access one byte, of which one stores, with no order.
//!
//! Every two accesses of one memory are compared, if at least one is a plain store. Within a
//! workgroup they can meet in a phase, between two barriers; accesses of different workgroups can
//! always meet. First it is tried to prove that the addresses differ, whatever the launch is;
//! then with conditions on the launch; then by enumerating the invocations of a workgroup. What
//! none of these proves is a [`Finding`].
//!
//! Invariant: a kernel that is [free](RaceVerdict::Free) has no race in any launch, and one that
//! is free [under conditions](RaceVerdict::FreeIf) has none in a launch that satisfies them. This
//! rests on what every launcher sees to: that a launch has fewer than 2³² invocations, that no two
//! buffers overlap of which one is written, and that no two elements of a distinct buffer are equal.
//! Nothing follows from a finding: there may be no race.
//!
//! Parts: `access` collects accesses and the conditions around them, and `phases` tells which of
//! them can meet in a workgroup. `values` and `counters` give numbers as `form`s of `unknowns`, and
//! `tickets` knows numbers that differ: elements of a distinct buffer, and what a counter gives.
//! `fields` and `digits` tell most accesses apart at once. `pair` compares two by a `system` of inequalities, if
//! need be with `rows` that are long enough, and `table` by enumeration of what `compute` finds in the
//! `states` of loops.
//! `prove` leads the search, `order` says whether results depend on the order of atomics, and
//! `report` puts all that in words. `stored` keeps conditions as numbers.

mod access;
mod compute;
mod counters;
mod digits;
mod fields;
mod form;
mod order;
mod pair;
mod phases;
mod prove;
mod report;
mod rows;
mod states;
mod stored;
mod system;
mod table;
mod tickets;
mod unknowns;
mod values;

use super::facts::{Condition, Launch};
use crate::arena::Side;
use crate::ir::{Function, Inst, Root, ValueDef};
use crate::types::Types;

/// What is known about races of a kernel.
///
/// ```
/// use samebits_ir::analysis::races::{RaceCondition, RaceVerdict, Races};
/// use samebits_ir::{check::check, text::parse};
/// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
///     %i = global_id.x
///     store @y[%i], 7u32
///     ret
/// }").map_err(|_| "text")?;
/// let checked = check(module).map_err(|_| "kernel")?;
/// let (function, findings) = checked.function(0).ok_or("function")?;
/// let races = Races::of(&checked.module().types, function, &findings.uniform);
/// let axes = [1, 2].map(RaceCondition::AxisIsOne).to_vec();
/// assert_eq!(races.verdict, RaceVerdict::FreeIf(axes));
/// assert!(races.is_deterministic());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Races {
    /// Whether the kernel races.
    pub verdict: RaceVerdict,
    /// If it does not under conditions: for each of these in order, two accesses that are proven apart by it. They are one
    /// access if it is by different invocations.
    pub needed_by: Vec<[Inst; 2]>,
    /// The instructions because of which results may depend on the order in which invocations
    /// run though they do not race, in program order: atomics of which the order matters.
    pub ordered: Vec<Inst>,
    /// The accesses that may race by the word of their authors, in program order: marked as racy, and not
    /// proven apart from each other.
    pub trusted: Vec<Inst>,
}

/// Whether a kernel races.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RaceVerdict {
    /// In no launch.
    Free,
    /// In no launch that satisfies all of these.
    FreeIf(Vec<RaceCondition>),
    /// These may be races.
    Unproven(Vec<Finding>),
}

/// A condition on a launch that a proof rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RaceCondition {
    /// There is one workgroup on this axis, 0 to 2, since an index does not use it.
    AxisIsOne(u8),
    /// One polynomial is at most another, so that a sum or product does not wrap.
    Holds(Condition),
}

impl RaceCondition {
    /// Whether a launch satisfies the condition.
    ///
    /// ```
    /// use samebits_ir::analysis::{facts::Launch, races::RaceCondition};
    /// let launch = Launch { groups: [4, 1, 1], lens: &[], scalars: &[] };
    /// assert!(RaceCondition::AxisIsOne(1).holds(&launch) && !RaceCondition::AxisIsOne(0).holds(&launch));
    /// ```
    pub fn holds(&self, launch: &Launch<'_>) -> bool {
        match self {
            Self::AxisIsOne(axis) => launch.groups.get(usize::from(*axis)).is_none_or(|count| *count <= 1),
            Self::Holds(condition) => condition.holds(launch),
        }
    }

    /// The condition in the words of the source.
    ///
    /// ```
    /// use samebits_ir::{analysis::races::RaceCondition, builder::Builder};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # b.ret();
    /// assert_eq!(RaceCondition::AxisIsOne(1).display(&b.finish()), "groups.y == 1");
    /// ```
    pub fn display(&self, function: &Function) -> String {
        match self {
            Self::AxisIsOne(axis) => format!("groups.{} == 1", ["x", "y", "z"].get(usize::from(*axis)).unwrap_or(&"?")),
            Self::Holds(condition) => condition.display(function),
        }
    }
}

/// Two accesses that are not proven to be of different bytes or ordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The access that comes first in the program.
    pub first: Inst,
    /// The other one; the same one if it may race with itself.
    pub second: Inst,
    /// The memory.
    pub root: Root,
    /// When they can meet.
    pub phase: Phase,
    /// Two invocations that would access one byte, the first one by the first access, if such
    /// were found.
    pub example: Option<[Invocation; 2]>,
    /// Why nothing is proven, in a sentence without a capital letter and a full stop.
    pub reason: String,
}

/// When two accesses can meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Within a workgroup before any barrier.
    Start,
    /// Within a workgroup after this barrier.
    After(Inst),
    /// At any time, in different workgroups.
    Grid,
}

/// An invocation of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// The workgroup's id on x, y and z. Of two invocations that meet within a workgroup it is that
    /// of the first one.
    pub group: [u32; 3],
    /// The place in the workgroup.
    pub local: [u32; 3],
}

impl Races {
    /// Judges a kernel in SSA form without calls, of which the checks found out which values are
    /// the same in all invocations of a workgroup. A device function has no invocations that
    /// could race.
    ///
    /// ```
    /// use samebits_ir::analysis::races::{RaceVerdict, Races};
    /// use samebits_ir::{check::check, text::parse};
    /// let module = parse("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) {
    ///     store @y[0u32], 7u32
    ///     ret
    /// }").map_err(|_| "text")?;
    /// let checked = check(module).map_err(|_| "kernel")?;
    /// let (function, findings) = checked.function(0).ok_or("function")?;
    /// let races = Races::of(&checked.module().types, function, &findings.uniform);
    /// let RaceVerdict::Unproven(found) = races.verdict else { panic!("it races") };
    /// let [one, other] = found[0].example.ok_or("an example")?;
    /// assert!(one.local != other.local);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(types: &Types, function: &Function, uniform: &Side<ValueDef, bool>) -> Self {
        Self::judge(types, function, uniform, true)
    }

    /// The same without asking which atomics are [ordered](Self::ordered), which takes longer: none are
    /// listed.
    ///
    /// ```
    /// use samebits_ir::{analysis::races::{RaceVerdict, Races}, builder::Builder, check::check, types::Types};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// b.ret();
    /// let checked = check(b.into_module(Types::default())).map_err(|_| "kernel")?;
    /// let (function, findings) = checked.function(0).ok_or("function")?;
    /// let races = Races::without_order(&Types::default(), function, &findings.uniform);
    /// assert_eq!(races.verdict, RaceVerdict::Free);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_order(types: &Types, function: &Function, uniform: &Side<ValueDef, bool>) -> Self {
        Self::judge(types, function, uniform, false)
    }

    fn judge(types: &Types, function: &Function, uniform: &Side<ValueDef, bool>, orders: bool) -> Self {
        if !function.is_kernel() {
            return Self {
                verdict: RaceVerdict::Free,
                needed_by: Vec::new(),
                ordered: Vec::new(),
                trusted: Vec::new(),
            };
        }
        prove::races(types, function, uniform, orders)
    }

    /// Whether a launch that satisfies the conditions gives the same bytes in whatever order
    /// its invocations run.
    ///
    /// ```
    /// use samebits_ir::{analysis::races::Races, builder::Builder, check::check, types::Types};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// b.ret();
    /// let checked = check(b.into_module(Types::default())).map_err(|_| "kernel")?;
    /// let (function, findings) = checked.function(0).ok_or("function")?;
    /// assert!(Races::of(&Types::default(), function, &findings.uniform).is_deterministic());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_deterministic(&self) -> bool {
        self.ordered.is_empty() && self.trusted.is_empty() && !matches!(self.verdict, RaceVerdict::Unproven(_))
    }

    /// Whether a launch is known to have no race.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Launch;
    /// use samebits_ir::analysis::races::{RaceCondition, RaceVerdict, Races};
    /// let axis = RaceVerdict::FreeIf(vec![RaceCondition::AxisIsOne(2)]);
    /// let races = Races { verdict: axis, needed_by: Vec::new(), ordered: Vec::new(), trusted: Vec::new() };
    /// let launch = |groups| Launch { groups, lens: &[], scalars: &[] };
    /// assert!(races.is_free(&launch([9, 9, 1])) && !races.is_free(&launch([1, 1, 9])));
    /// ```
    pub fn is_free(&self, launch: &Launch<'_>) -> bool {
        match &self.verdict {
            RaceVerdict::Free => true,
            RaceVerdict::FreeIf(conditions) => conditions.iter().all(|condition| condition.holds(launch)),
            RaceVerdict::Unproven(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;
