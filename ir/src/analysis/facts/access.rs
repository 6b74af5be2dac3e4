//! Whether accesses can be out of bounds.
//!
//! An index must be below its own bound, and the bytes of the access must end within the root.
//! For memory of fixed size the numbers decide; for a buffer a polynomial is compared with its
//! length. What neither proves becomes a condition on the launch.

use super::bound::{Bound, Bounds};
use super::fact::Fact;
use super::flow::Flow;
use super::poly::{Monomial, Poly, Symbol};
use super::{Condition, Judged, MAX_CONDITIONS, Missing, Verdict};
use crate::ir::{Index, Inst, Place, Root};

/// How many ways to bound a place are tried.
const WAYS: usize = 16;

/// Above this, in bytes, a number tells nothing but a type as a rule, and launches seldom have so
/// much.
const LARGE: i128 = 1 << 28;

/// What must be natural.
struct Claim {
    rest: Poly,
    needs: Vec<Poly>,
}

impl Flow<'_> {
    /// Notes what is known about an access as it is reached.
    pub(super) fn access(&mut self, inst: Inst) {
        let function = self.function;
        let Some(place) = function.insts[inst].kind.place() else { return };
        let states: Vec<_> = place.indices.iter().map(|index| self.fresh(index.value)).collect();
        let known: Vec<(Fact, Bounds)> =
            place.indices.iter().zip(states).map(|(index, state)| (self.fact(index.value), state.bounds)).collect();
        self.record_place(inst, place, &known);
        if self.launch {
            self.judge(inst, place, &known);
        }
    }

    fn judge(&mut self, inst: Inst, place: &Place, known: &[(Fact, Bounds)]) {
        let mut claims: Vec<Claim> = Vec::new();
        let mut missing = None;
        let mut bounds = 0;
        for (i, (index, (fact, known))) in place.indices.iter().zip(known).enumerate() {
            let below = index.bound.is_none_or(|bound| fact.most < bound.into() || known.certainly_below(bound.into()));
            if below && i < 64 {
                bounds |= 1 << i;
            } else if let Some(bound) = index.bound {
                let limit = Poly::constant(i128::from(bound) - 1);
                let possible = known.as_slice().iter().filter_map(|one| claim(&limit, &one.poly, &one.needs));
                let mut possible: Vec<Claim> = possible.collect();
                match possible.iter().position(|claim| self.holds(claim)).or((!possible.is_empty()).then_some(0)) {
                    Some(best) => claims.push(possible.swap_remove(best)),
                    None => {
                        missing.get_or_insert(Missing::Bound(index.value, bound));
                    }
                }
            }
        }
        let mut fits = false;
        match self.room(inst, place, known) {
            Ok(Some(claim)) => claims.push(claim),
            Ok(None) => fits = true,
            Err(lacking) => {
                missing.get_or_insert(lacking);
            }
        }
        let verdict = match missing.map_or_else(|| self.conditions(claims).ok_or(Missing::Conditions), Err) {
            Ok(0) => Verdict::Proven,
            Ok(conditions) => Verdict::IfLaunch(conditions),
            Err(missing) => Verdict::Guarded(missing),
        };
        self.facts.verdicts[inst] = Judged { verdict, bounds, fits };
    }

    fn record_place(&mut self, inst: Inst, place: &Place, known: &[(Fact, Bounds)]) {
        for (index, (fact, _)) in place.indices.iter().zip(known) {
            let is_constant = self.function.constant_bits(index.value).is_some();
            if !is_constant && *fact != self.facts.fact(index.value) {
                self.facts.at[inst].push((index.value, *fact));
            }
        }
    }

    /// What the launch must make natural for the access to end within its root.
    fn room(&self, inst: Inst, place: &Place, known: &[(Fact, Bounds)]) -> Result<Option<Claim>, Missing> {
        let accessed = self.function.accessed(inst).and_then(|ty| self.types.layout(ty)).ok_or(Missing::Room)?;
        let end = u128::from(place.offset) + u128::from(accessed.size);
        // Where an index has a bound of its own, that must hold as well.
        let most = |index: &Index, fact: &Fact| match index.bound {
            Some(bound) => fact.most.min(u64::from(bound).saturating_sub(1)),
            None => fact.most,
        };
        let reach = place.indices.iter().zip(known).fold(end, |reach, (index, (fact, _))| {
            reach.saturating_add(u128::from(most(index, fact)) * u128::from(index.stride))
        });
        let farthest = place
            .indices
            .iter()
            .zip(known)
            .max_by_key(|(index, (fact, _))| u128::from(most(index, fact)) * u128::from(index.stride));
        let lacking = farthest.map_or(Missing::Room, |(index, _)| Missing::Index(index.value));
        let total = match (place.root, self.function.root_size(self.types, place.root)) {
            (_, Some(size)) => Poly::constant(size.into()),
            (Root::Param(param), None) if self.function.is_kernel() => {
                let element = self.function.root_element(self.types, place.root).and_then(|ty| self.types.layout(ty));
                let element = element.ok_or(Missing::Room)?;
                let symbol = Symbol::Len(u16::try_from(param).map_err(|_| Missing::Room)?);
                Poly::symbol(symbol).times(element.size.into()).ok_or(Missing::Room)?
            }
            (_, None) => return Err(lacking),
        };
        if let Some(size) = total.as_constant()
            && reach <= size.unsigned_abs()
        {
            return Ok(None);
        }
        let start = Poly::constant(i128::try_from(end).map_err(|_| Missing::Room)?);
        // What the place comes to, what that needs, and whether a number in it is a large one.
        let mut ways: Vec<(Poly, Vec<Poly>, bool)> = vec![(start, Vec::new(), false)];
        for (index, (fact, bounds)) in place.indices.iter().zip(known) {
            let known = bounds.as_slice().iter();
            let mut options: Vec<(Poly, &[Poly], bool)> =
                known.map(|Bound { poly, needs, .. }| (poly.clone(), needs.as_slice(), false)).collect();
            let number = most(index, fact);
            let is_large = i128::from(number) * i128::from(index.stride) > LARGE;
            options.push((Poly::constant(number.into()), &[], is_large));
            let mut longer = Vec::new();
            for (poly, needs, large) in &ways {
                for (bound, more, is_large) in &options {
                    let sum = bound.times(index.stride.into()).and_then(|bytes| poly.add(&bytes));
                    if let Some(sum) = sum.filter(|_| longer.len() < WAYS) {
                        longer.push((sum, needs.iter().chain(*more).cloned().collect(), *large || *is_large));
                    }
                }
            }
            if longer.is_empty() {
                return Err(Missing::Index(index.value));
            }
            ways = longer;
        }
        let mut claims = Vec::new();
        for (poly, needs, is_large) in &ways {
            let Some(claim) = claim(&total, poly, needs) else { continue };
            if self.holds(&claim) {
                return Ok(None);
            }
            // Only a kernel's requirements promise as much as a large number.
            if !is_large {
                claims.push((rank(poly), claim));
            }
        }
        // The first of equal ones, which is of the bound that was learned last.
        let best = claims.into_iter().min_by_key(|(rank, _)| *rank);
        best.map(|(_, claim)| Some(claim)).ok_or(lacking)
    }

    /// Whether every launch makes a claim true.
    fn holds(&self, claim: &Claim) -> bool {
        claim.needs.iter().chain([&claim.rest]).all(|poly| self.given.makes_natural(self.function, poly))
    }

    /// The bits of the conditions that claims come to; `None` if there are too many.
    fn conditions(&mut self, claims: Vec<Claim>) -> Option<u64> {
        let mut bits = 0;
        for Claim { rest, needs } in claims {
            for poly in needs.iter().chain([&rest]) {
                if self.given.makes_natural(self.function, poly) {
                    continue;
                }
                let condition = Condition::natural(poly)?;
                let known = &mut self.facts.conditions;
                let number = match known.iter().position(|one| *one == condition) {
                    Some(number) => number,
                    None if known.len() < MAX_CONDITIONS => {
                        known.push(condition);
                        known.len() - 1
                    }
                    None => return None,
                };
                bits |= 1 << number;
            }
        }
        Some(bits)
    }
}

/// How unlikely it is that launches are made for a bound like this: grids are rounded up to
/// whole workgroups, and are larger than what the guards let through.
fn rank(poly: &Poly) -> u8 {
    match poly.as_constant() {
        Some(bytes) if bytes <= LARGE => 0,
        Some(_) => 4,
        None => poly.symbols().map(symbol_rank).max().unwrap_or(0),
    }
}

const fn symbol_rank(symbol: Symbol) -> u8 {
    match symbol {
        Symbol::Len(_) | Symbol::Most(_) => 1,
        Symbol::Scalar(_) => 2,
        Symbol::LastGroup(_) => 3,
    }
}

/// That a number does not exceed a limit, unless no launch makes that true in which there is
/// anything to access.
fn claim(limit: &Poly, poly: &Poly, needs: &[Poly]) -> Option<Claim> {
    let rest = limit.sub(poly)?;
    // No symbol is negative.
    let (terms, _) = rest.parts();
    let is_empty_only = |monomial: &Monomial| {
        let mut symbols = monomial.iter().flatten();
        let first = symbols.next();
        symbols.next().is_none() && first.is_none_or(|symbol| limit.symbols().any(|own| own == *symbol))
    };
    let never = terms.iter().all(|&(_, value)| value < 0) && terms.iter().any(|(monomial, _)| is_empty_only(monomial));
    (!never).then(|| Claim { rest, needs: needs.to_vec() })
}
