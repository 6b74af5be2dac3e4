//! Whether some inequalities have no solution in whole numbers.
//!
//! Products count as unknowns of their own. Equalities are solved first, then unknowns are
//! eliminated one by one (Fourier and Motzkin). Whenever a number divides all coefficients, the
//! constant is rounded, which is where whole numbers count. Only the answer yes is a proof: a
//! system that grows too large is not refuted.

use super::form::{Form, Product, gcd};
use crate::ops::Op;
use std::collections::{BTreeMap, BTreeSet};

/// Beyond so many inequalities the system is given up.
const MAX_ROWS: usize = 400;
/// Coefficients beyond this likewise.
const LARGE: i128 = 1 << 100;

/// Inequalities and equalities between forms.
#[derive(Clone, Default, Debug)]
pub(super) struct System {
    /// Each is at least zero.
    naturals: BTreeSet<Form>,
    /// Each is zero.
    zeros: Vec<Form>,
}

impl System {
    /// Adds that a form is at least zero.
    pub(super) fn natural(&mut self, form: Form) {
        self.naturals.insert(form);
    }

    /// Adds that a form is zero.
    pub(super) fn zero(&mut self, form: Form) {
        if !self.zeros.contains(&form) {
            self.zeros.push(form);
        }
    }

    /// Adds how two forms compare.
    pub(super) fn compares(&mut self, op: Op, a: &Form, b: &Form) {
        let (rest, strict) = match op {
            Op::Lt => (b.sub(a), 1),
            Op::Le => (b.sub(a), 0),
            Op::Gt => (a.sub(b), 1),
            Op::Ge => (a.sub(b), 0),
            Op::Eq => return a.sub(b).into_iter().for_each(|zero| self.zero(zero)),
            _ => return,
        };
        rest.and_then(|rest| rest.shifted(-strict)).into_iter().for_each(|rest| self.natural(rest));
    }

    /// Every unknown, as often as it occurs.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = u32> {
        self.zeros.iter().chain(&self.naturals).flat_map(Form::unknowns)
    }

    /// The forms that are zero.
    pub(super) fn zeros(&self) -> &[Form] {
        &self.zeros
    }

    /// Whether a form cannot be zero or more.
    pub(super) fn excludes(&self, form: Form) -> bool {
        let mut system = self.clone();
        system.natural(form);
        system.is_refuted()
    }

    /// What a form is at most, if that can be told; an unknown that is in no form stands for it.
    pub(super) fn most(&self, form: &Form) -> Option<i128> {
        let own = u32::MAX;
        let mut system = self.clone();
        system.natural(form.sub(&Form::unknown(own))?);
        let (mut rows, zeros, columns) = system.rows()?;
        let kept = columns.get(&vec![own]).copied()?;
        rows.keep = Some(kept);
        let (rows, _) = rows.solve(zeros)?;
        let bounds = rows.all.iter().filter_map(|(terms, constant)| match terms.as_slice() {
            &[(column, value)] if column == kept && value < 0 => Some(constant.div_euclid(-value)),
            _ => None,
        });
        bounds.min()
    }

    /// Whether no whole numbers satisfy everything.
    pub(super) fn is_refuted(&self) -> bool {
        match self.rows() {
            None => true,
            Some((rows, zeros, _)) => rows.solve(zeros).is_some_and(|(_, refuted)| refuted),
        }
    }

    /// The inequalities and equalities with products numbered; `None` if one has no solution.
    fn rows(&self) -> Option<(Rows, Vec<Row>, BTreeMap<Product, u32>)> {
        let mut columns: BTreeMap<Product, u32> = BTreeMap::new();
        for (product, _) in self.zeros.iter().chain(&self.naturals).flat_map(|form| &form.terms) {
            let next = columns.len() as u32;
            if !columns.contains_key(product) {
                columns.insert(product.clone(), next);
            }
        }
        let row = |form: &Form| Row {
            terms: {
                let mut terms: Vec<_> = form.terms.iter().map(|(product, value)| (columns[product], *value)).collect();
                terms.sort_unstable_by_key(|(column, _)| *column);
                terms
            },
            constant: form.constant,
        };
        let zeros = self.zeros.iter().map(row).collect();
        let mut rows = Rows::default();
        let contradicts = self.naturals.iter().any(|form| rows.add(row(form)) == Some(true));
        (!contradicts).then_some((rows, zeros, columns))
    }
}

/// A sum of unknowns and a constant.
#[derive(Clone, Default, Debug)]
struct Row {
    /// In the order of the unknowns; no coefficient is zero.
    terms: Vec<(u32, i128)>,
    constant: i128,
}

impl Row {
    /// This times a number and another times a number; `None` if that is too large.
    fn combined(&self, by: i128, other: &Self, times: i128) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut ours, mut theirs) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let (column, value) = match (ours, theirs) {
                ([], []) => break,
                ([(a, x), ours_left @ ..], [(b, y), theirs_left @ ..]) if a == b => {
                    (ours, theirs) = (ours_left, theirs_left);
                    (*a, x.checked_mul(by)?.checked_add(y.checked_mul(times)?)?)
                }
                ([(a, x), left @ ..], []) => {
                    ours = left;
                    (*a, x.checked_mul(by)?)
                }
                ([(a, x), left @ ..], [(b, _), ..]) if a < b => {
                    ours = left;
                    (*a, x.checked_mul(by)?)
                }
                (_, [(b, y), left @ ..]) => {
                    theirs = left;
                    (*b, y.checked_mul(times)?)
                }
            };
            if value.abs() >= LARGE {
                return None;
            }
            if value != 0 {
                terms.push((column, value));
            }
        }
        let constant = self.constant.checked_mul(by)?.checked_add(other.constant.checked_mul(times)?)?;
        (constant.abs() < LARGE).then_some(Self { terms, constant })
    }

    /// What an unknown is multiplied with; 0 if it does not occur.
    fn of(&self, column: u32) -> i128 {
        self.terms.binary_search_by_key(&column, |(column, _)| *column).map_or(0, |at| self.terms[at].1)
    }

    /// An unknown with a coefficient of the least magnitude.
    fn least(&self) -> Option<(u32, i128)> {
        self.terms.iter().copied().min_by_key(|(_, value)| value.abs())
    }

    /// The same where an unknown is another one less so many times each of the others.
    fn exchanged(&self, column: u32, quotients: &[(u32, i128)]) -> Option<Self> {
        let value = self.of(column);
        if value == 0 {
            return Some(self.clone());
        }
        let others = quotients.iter().filter(|(other, by)| *other != column && *by != 0);
        self.combined(1, &Self { terms: others.copied().collect(), constant: 0 }, -value)
    }

    fn divisor(&self) -> i128 {
        let mut common = 0;
        for (_, value) in &self.terms {
            common = gcd(common, *value);
            if common == 1 {
                break;
            }
        }
        common
    }

    /// Both sides divided by a number that divides all coefficients.
    fn divide(&mut self, by: i128) {
        if by > 1 {
            self.terms.iter_mut().for_each(|(_, value)| *value /= by);
        }
    }
}

/// Inequalities: the constant by the coefficients, the strongest one of each.
#[derive(Default)]
struct Rows {
    all: BTreeMap<Vec<(u32, i128)>, i128>,
    /// The unknown that is not eliminated.
    keep: Option<u32>,
}

impl Rows {
    /// Adds an inequality, with its constant rounded; whether nothing satisfies it.
    fn add(&mut self, mut row: Row) -> Option<bool> {
        let common = row.divisor();
        if common == 0 {
            return Some(row.constant < 0);
        }
        row.divide(common);
        let constant = row.constant.div_euclid(common);
        let known = self.all.entry(row.terms).or_insert(constant);
        *known = constant.min(*known);
        Some(false)
    }

    fn take(&mut self) -> Vec<Row> {
        let rows = std::mem::take(&mut self.all).into_iter();
        rows.map(|(terms, constant)| Row { terms, constant }).collect()
    }

    /// Solves equalities, then eliminates. What is left, and whether nothing satisfies it; `None` if
    /// that is too much.
    fn solve(mut self, mut zeros: Vec<Row>) -> Option<(Self, bool)> {
        while let Some(mut zero) = zeros.pop() {
            let common = zero.divisor();
            if common == 0 {
                if zero.constant != 0 {
                    return Some((self, true));
                }
                continue;
            }
            if zero.constant % common != 0 {
                return Some((self, true));
            }
            zero.divide(common);
            zero.constant /= common;
            while let Some((column, value)) = zero.least().filter(|(_, value)| value.abs() > 1) {
                // As Euclid does: another unknown in this one's place, which is it and multiples of
                // the others, makes their coefficients less.
                let quotients: Vec<(u32, i128)> =
                    zero.terms.iter().map(|(one, by)| (*one, by.div_euclid(value))).collect();
                let change = |row: &Row| row.exchanged(column, &quotients);
                zeros = zeros.iter().map(change).collect::<Option<_>>()?;
                zero = change(&zero)?;
                for row in self.take() {
                    self.add(change(&row)?)?;
                }
            }
            let (column, sign) = zero.least()?;
            let without = |row: Row| -> Option<Row> {
                match row.of(column) {
                    0 => Some(row),
                    value => row.combined(1, &zero, -value * sign),
                }
            };
            zeros = zeros.into_iter().map(without).collect::<Option<_>>()?;
            for row in self.take() {
                if self.add(without(row)?)? {
                    return Some((self, true));
                }
            }
        }
        self.eliminate()
    }

    fn eliminate(mut self) -> Option<(Self, bool)> {
        while let Some(column) = self.cheapest() {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            for row in self.take() {
                match row.of(column) {
                    0 => {
                        self.add(row)?;
                    }
                    value if value > 0 => above.push((row, value)),
                    value => below.push((row, -value)),
                }
            }
            for (one, up) in &above {
                for (other, down) in &below {
                    let common = gcd(*up, *down);
                    if self.add(one.combined(down / common, other, up / common)?)? {
                        return Some((self, true));
                    }
                    if self.all.len() > MAX_ROWS {
                        return None;
                    }
                }
            }
        }
        Some((self, false))
    }

    /// The unknown whose elimination loses nothing if there is one, else makes the fewest rows.
    fn cheapest(&self) -> Option<u32> {
        // Of each unknown: how many rows bound it from below and above, and whether all of the
        // one and of the other kind have a coefficient of one.
        let mut uses: BTreeMap<u32, ([usize; 2], [bool; 2])> = BTreeMap::new();
        for (column, value) in self.all.keys().flatten() {
            let (counts, units) = uses.entry(*column).or_insert(([0; 2], [true; 2]));
            let side = usize::from(*value < 0);
            counts[side] += 1;
            units[side] &= value.abs() == 1;
        }
        let cost = |&(_, ([up, down], [one, other])): &(u32, ([usize; 2], [bool; 2]))| {
            let grows = up * down > up + down + 8;
            (grows, !one && !other, up * down)
        };
        uses.retain(|column, _| Some(*column) != self.keep);
        uses.into_iter().min_by_key(cost).map(|(column, _)| column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(u32, i128)], constant: i128) -> Form {
        let one = |form: Form, &(unknown, value): &(u32, i128)| form.plus(&Form::unknown(unknown), value);
        terms.iter().try_fold(Form::constant(constant), one).expect("small")
    }

    #[test]
    fn a_remainder_and_a_multiple_tell_two_apart() {
        // 64 (a - b) + c - d = 0 with c and d below 64 and a above b.
        let mut system = System::default();
        system.zero(sum(&[(0, 64), (1, -64), (2, 1), (3, -1)], 0));
        for unknown in [2, 3] {
            system.natural(sum(&[(unknown, 1)], 0));
            system.natural(sum(&[(unknown, -1)], 63));
        }
        assert!(!system.is_refuted());
        system.natural(sum(&[(0, 1), (1, -1)], -1));
        assert!(system.is_refuted());
    }

    #[test]
    fn whole_numbers_have_gaps() {
        // 1 <= 128 p <= 127.
        let mut system = System::default();
        system.natural(sum(&[(0, 128)], -1));
        system.natural(sum(&[(0, -128)], 127));
        assert!(system.is_refuted());
        let mut system = System::default();
        system.zero(sum(&[(0, 2), (1, 4)], 1));
        assert!(system.is_refuted());
        // 7 a = 5 b and 0 < b < 7.
        let mut system = System::default();
        system.zero(sum(&[(0, 7), (1, -5)], 0));
        system.natural(sum(&[(1, 1)], -1));
        assert!(!system.is_refuted());
        system.natural(sum(&[(1, -1)], 6));
        assert!(system.is_refuted());
    }

    #[test]
    fn what_has_a_solution_is_not_refuted() {
        let mut system = System::default();
        system.zero(sum(&[(0, 1), (1, -3)], 0));
        system.natural(sum(&[(0, 1)], -4));
        system.natural(sum(&[(0, -1)], 6));
        assert!(!system.is_refuted());
        system.natural(sum(&[(0, -1)], 5));
        assert!(system.is_refuted());
    }
}
