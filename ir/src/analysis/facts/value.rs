//! What is known about one number: the range of its bits read as unsigned, the bits that
//! are known, and bounds that depend on the launch.
//!
//! Only integers and `bool` have facts. The numeric part holds always; a bound holds at
//! launches that fulfil its conditions.

use super::launch::Poly;
use crate::types::Scalar;

/// Conditions of one bound at most.
const MAX_CONDITIONS: usize = 8;
/// Bounds of one value at most.
const MAX_BOUNDS: usize = 3;

/// The numbers of conditions in the table of [`Facts`](super::Facts), in order.
pub type Conditions = Vec<u16>;

/// An upper bound that a launch decides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// The value is at most this.
    pub most: Poly,
    /// Whether it is this.
    pub exact: bool,
    /// What that rests on.
    pub conditions: Conditions,
}

/// What is known about a number of some bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The least value, read as unsigned.
    pub least: u64,
    /// The greatest value, read as unsigned.
    pub most: u64,
    /// The bits that are 0 for certain.
    pub zeros: u64,
    /// The bits that are 1 for certain.
    pub ones: u64,
    /// Bounds that a launch decides.
    pub(super) bounds: Vec<Bound>,
}

impl Fact {
    /// Nothing but the width.
    pub(super) fn any(ty: Scalar) -> Self {
        Self::of_mask(ty.mask())
    }

    fn of_mask(mask: u64) -> Self {
        Self { least: 0, most: mask, zeros: !mask, ones: 0, bounds: Vec::new() }
    }

    /// This value and no other.
    pub(super) fn constant(value: u64) -> Self {
        let most = Poly::number(value.into());
        let bounds = vec![Bound { most, exact: true, conditions: Vec::new() }];
        Self { least: value, most: value, zeros: !value, ones: value, bounds }
    }

    /// From 0 to `most`, of numbers that fit a type.
    pub(super) fn up_to(ty: Scalar, most: u64) -> Self {
        let mut fact = Self::any(ty);
        fact.most = most.min(ty.mask());
        fact.settled()
    }

    /// The value, if only one is left.
    pub fn known(&self) -> Option<u64> {
        (self.least == self.most).then_some(self.least)
    }

    /// Whether the facts contradict each other, so that this is never computed.
    pub fn is_impossible(&self) -> bool {
        self.least > self.most || self.zeros & self.ones != 0
    }

    /// How many low bits are 0 for certain: the value is a multiple of two to that power.
    pub fn trailing_zeros(&self) -> u32 {
        (!self.zeros).trailing_zeros()
    }

    /// Lets range and bits tell each other what they know.
    pub(super) fn settled(mut self) -> Self {
        if self.is_impossible() {
            return self;
        }
        self.least = self.least.max(self.ones);
        self.most = self.most.min(!self.zeros);
        if self.least <= self.most {
            // Above the highest bit in which the ends differ, all values agree.
            let differ = self.least ^ self.most;
            let agree = match differ.leading_zeros() {
                64 => u64::MAX,
                equal => !(u64::MAX >> equal),
            };
            self.zeros |= agree & !self.least;
            self.ones |= agree & self.least;
        }
        self
    }

    /// What holds for this and for the other.
    pub(super) fn join(&self, other: &Self) -> Self {
        if self.is_impossible() {
            return other.clone();
        }
        if other.is_impossible() {
            return self.clone();
        }
        let bounds = self.bounds.iter().filter_map(|bound| {
            let same = other.bounds.iter().find(|second| second.most == bound.most)?;
            let conditions = merged(&bound.conditions, &same.conditions)?;
            Some(Bound { most: bound.most.clone(), exact: bound.exact && same.exact, conditions })
        });
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            bounds: bounds.collect(),
        }
    }

    /// What both say of one value.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let mut met = Self {
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            bounds: self.bounds.clone(),
        };
        for bound in &other.bounds {
            met.add_bound(bound.clone());
        }
        met.settled()
    }

    /// Adds a bound in front of those that are there, the later ones of which may go.
    pub(super) fn add_bound(&mut self, bound: Bound) {
        self.bounds.retain(|known| {
            known.most != bound.most || known.exact && !bound.exact || known.conditions < bound.conditions
        });
        self.bounds.insert(0, bound);
        self.bounds.truncate(MAX_BOUNDS);
    }

    /// What the value is at every launch that meets conditions, if that is known.
    pub(super) fn exact(&self) -> Option<&Bound> {
        self.bounds.iter().find(|bound| bound.exact)
    }

    /// The bounds, and the greatest value as one more.
    pub(super) fn all_bounds(&self) -> impl Iterator<Item = Bound> + '_ {
        let plain =
            Bound { most: Poly::number(self.most.into()), exact: self.least == self.most, conditions: Vec::new() };
        self.bounds.iter().cloned().chain([plain])
    }
}

/// Both lists as one, or nothing if that is too long.
pub(super) fn merged(a: &[u16], b: &[u16]) -> Option<Conditions> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    all.dedup();
    (all.len() <= MAX_CONDITIONS).then_some(all)
}
