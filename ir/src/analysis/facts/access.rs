//! Whether memory accesses are in bounds.
//!
//! An access is in bounds if each index is below its own bound, where it has one, and the
//! access ends within its root. Both are shown by ranges, which hold at every launch, or by
//! bounds that a launch decides, which then become conditions.

use super::launch::{Condition, Poly, Symbol};
use super::value::{Bound, Conditions, merged};
use super::{Facts, Walk};
use crate::ir::{Inst, InstKind, Place, Root};
use crate::types::Type;

/// Conditions that the verdicts of a function may rest on, together.
const MAX_CONDITIONS: usize = 64;
/// Choices of bounds that are tried for one access.
const MAX_CHOICES: usize = 64;

/// Whether an access is in bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// At every launch.
    Proven,
    /// At launches that fulfil these conditions.
    IfLaunch(Conditions),
    /// Nobody knows.
    Unknown,
}

impl Verdict {
    /// Whether the access is in bounds where these conditions, as bits, are fulfilled.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Verdict;
    /// assert!(Verdict::Proven.holds(0) && !Verdict::Unknown.holds(u64::MAX));
    /// assert!(Verdict::IfLaunch(vec![0, 2]).holds(0b101) && !Verdict::IfLaunch(vec![1]).holds(0b101));
    /// ```
    pub fn holds(&self, fulfilled: u64) -> bool {
        match self {
            Self::Proven => true,
            Self::IfLaunch(conditions) => {
                conditions.iter().all(|&condition| fulfilled.checked_shr(condition.into()).unwrap_or(0) & 1 == 1)
            }
            Self::Unknown => false,
        }
    }
}

impl Walk<'_> {
    /// Notes whether an access is in bounds.
    pub(super) fn access(&mut self, inst: Inst, place: &Place) {
        let facts: Vec<_> = place.indices.iter().map(|index| self.fact(index.value)).collect();
        self.bounded[inst] = place
            .indices
            .iter()
            .zip(&facts)
            .map(|(index, fact)| match (index.bound, fact) {
                (Some(bound), Some(fact)) => fact.most < bound.into(),
                (bound, _) => bound.is_none(),
            })
            .collect();
        self.accesses[inst] = Some(match self.conditions_of(inst, place) {
            Some(conditions) if conditions.is_empty() => Verdict::Proven,
            Some(conditions) => Verdict::IfLaunch(conditions),
            None => Verdict::Unknown,
        });
    }

    /// What an access needs to be in bounds, if that can be said.
    fn conditions_of(&mut self, inst: Inst, place: &Place) -> Option<Conditions> {
        let size = self.types.layout(self.accessed(inst)?)?.size;
        let room = self.room(place.root)?;
        let fixed = Poly::number(i128::from(place.offset) + i128::from(size));
        // For each way to bound the indices: the end of the access, and what that rests on.
        let mut ways = vec![(fixed, Conditions::new())];
        for index in &place.indices {
            let bounds: Vec<Bound> = match self.fact(index.value) {
                Some(fact) => fact.all_bounds().collect(),
                None => return None,
            };
            let mut next = Vec::new();
            for (end, conditions) in &ways {
                for bound in &bounds {
                    let Some(mut all) = merged(conditions, &bound.conditions) else { continue };
                    if let Some(limit) = index.bound {
                        let most = Poly::number(i128::from(limit) - 1);
                        if !self.pool.require(&bound.most, &most, &mut all) {
                            continue;
                        }
                    }
                    let reach = bound.most.times(&Poly::number(index.stride.into()));
                    if let Some(end) = reach.and_then(|reach| end.plus(&reach)) {
                        next.push((end, all));
                    }
                }
            }
            next.truncate(MAX_CHOICES);
            ways = next;
        }
        // No condition is best; then the one that the smallest launches fulfil, with the
        // fewest besides.
        let mut best: Option<(bool, i128, usize)> = None;
        let mut chosen = None;
        for (end, mut conditions) in ways {
            if !self.pool.require(&end, &room, &mut conditions) {
                continue;
            }
            self.pool.simplify(&mut conditions);
            let rank = (!conditions.is_empty(), end.least(), conditions.len());
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
                chosen = Some(conditions);
            }
        }
        chosen
    }

    /// The type that an instruction accesses.
    fn accessed(&self, inst: Inst) -> Option<Type> {
        let def = &self.function.insts[inst];
        let value = match &def.kind {
            InstKind::Store(_, value) => Some(*value),
            InstKind::Atomic(_, _, args, _) => args.first().or(def.results.first()).copied(),
            _ => def.results.first().copied(),
        };
        value.map(|value| self.function.ty(value))
    }

    /// The bytes of a root.
    fn room(&self, root: Root) -> Option<Poly> {
        match root {
            Root::Param(param) => {
                let element = self.types.layout(self.function.root_element(self.types, root)?)?;
                Poly::symbol(Symbol::Len(param)).times(&Poly::number(element.size.into()))
            }
            Root::Shared(_) | Root::Private(_) => Some(Poly::number(self.function.root_size(self.types, root)?.into())),
        }
    }
}

/// Keeps the conditions that verdicts rest on and numbers them in the order of the accesses.
/// A verdict for which there is no room left becomes unknown.
pub(super) fn number_conditions(facts: &mut Facts, pool: &[Condition], insts: &[Inst]) {
    let mut numbers: Vec<Option<u16>> = vec![None; pool.len()];
    for &inst in insts {
        let Some(Verdict::IfLaunch(conditions)) = &mut facts.accesses[inst] else { continue };
        let missing = conditions.iter().filter(|&&old| numbers.get(usize::from(old)).is_some_and(Option::is_none));
        if facts.conditions.len() + missing.count() > MAX_CONDITIONS {
            facts.accesses[inst] = Some(Verdict::Unknown);
            continue;
        }
        for old in conditions.iter_mut() {
            let Some(number) = numbers.get_mut(usize::from(*old)) else { continue };
            let new = *number.get_or_insert_with(|| {
                facts.conditions.extend(pool.get(usize::from(*old)).cloned());
                facts.conditions.len() as u16 - 1
            });
            *old = new;
        }
        conditions.sort_unstable();
        conditions.dedup();
    }
}
