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
        let bounds = rows.all.iter().filter_map(|row| match row.terms.as_slice() {
            &[(column, value)] if column == kept && value < 0 => Some(row.constant.div_euclid(-value)),
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
        let (ours, theirs) = (self.terms.as_slice(), other.terms.as_slice());
        let mut terms = Vec::with_capacity(ours.len() + theirs.len());
        let (mut i, mut j) = (0, 0);
        while i < ours.len() || j < theirs.len() {
            let is_ours = i < ours.len() && (j == theirs.len() || ours[i].0 <= theirs[j].0);
            let is_theirs = j < theirs.len() && (i == ours.len() || theirs[j].0 <= ours[i].0);
            let (mut value, column) = if is_ours { (ours[i].1, ours[i].0) } else { (0, theirs[j].0) };
            if by != 1 {
                value = value.checked_mul(by)?;
            }
            if is_theirs {
                value = value.checked_add(theirs[j].1.checked_mul(times)?)?;
                j += 1;
            }
            if is_ours {
                i += 1;
            }
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

/// Inequalities, the strongest one of those with the same coefficients. Most of a proof's time is spent
/// here, in a compiler that is not optimised; so rows stay where they are, and are found by a hash.
#[derive(Default)]
struct Rows {
    /// A row that was taken out has no terms.
    all: Vec<Row>,
    /// How many were not taken out.
    count: usize,
    /// For each row its columns, one bit for those that are equal modulo 64.
    masks: Vec<u64>,
    /// Where a row is, counted from one, at a place that the hash of its terms tells, or the next free one
    /// behind it. The length is a power of two.
    places: Vec<u32>,
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
        row.constant = row.constant.div_euclid(common);
        if 2 * self.all.len() >= self.places.len() {
            self.grow();
        }
        let place = self.place(&row.terms);
        match self.places[place] {
            0 => {
                self.masks.push(row.terms.iter().fold(0, |mask, (column, _)| mask | bit(*column)));
                self.all.push(row);
                self.count += 1;
                self.places[place] = self.all.len() as u32;
            }
            known => {
                let known = &mut self.all[known as usize - 1].constant;
                *known = row.constant.min(*known);
            }
        }
        Some(false)
    }

    /// Where in `places` a row with these terms is, or would be.
    fn place(&self, terms: &[(u32, i128)]) -> usize {
        let mut hash = 0_u64;
        for (column, value) in terms {
            hash = (hash ^ *value as u64 ^ u64::from(*column) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            hash ^= hash >> 29;
        }
        let last = self.places.len() - 1;
        let mut place = hash as usize & last;
        while self.places[place] != 0 && self.all[self.places[place] as usize - 1].terms != terms {
            place = (place + 1) & last;
        }
        place
    }

    /// Makes room for twice as many rows.
    fn grow(&mut self) {
        self.places = vec![0; (2 * self.places.len()).max(256)];
        for at in 0..self.all.len() {
            if !self.all[at].terms.is_empty() {
                let place = self.place(&self.all[at].terms);
                self.places[place] = at as u32 + 1;
            }
        }
    }

    /// Takes out the rows that have an unknown, each with what this is multiplied with.
    fn take(&mut self, column: u32) -> Vec<(Row, i128)> {
        let mut taken = Vec::new();
        for at in 0..self.all.len() {
            if self.masks[at] & bit(column) == 0 {
                continue;
            }
            let value = self.all[at].of(column);
            if value != 0 {
                taken.push((std::mem::take(&mut self.all[at]), value));
                self.masks[at] = 0;
                self.count -= 1;
            }
        }
        taken
    }

    /// Adds so many times the number by which each row has an unknown, in the rows and the equalities that
    /// have it. Whether nothing satisfies that.
    fn replace(&mut self, zeros: &mut [Row], column: u32, by: &Row, times: i128) -> Option<bool> {
        for zero in zeros {
            let value = zero.of(column);
            if value != 0 {
                *zero = zero.combined(1, by, value * times)?;
            }
        }
        for (row, value) in self.take(column) {
            if self.add(row.combined(1, by, value * times)?)? {
                return Some(true);
            }
        }
        Some(false)
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
                let quotients = zero.terms.iter().map(|(one, by)| (*one, by.div_euclid(value)));
                let others = quotients.filter(|(one, by)| *one != column && *by != 0).collect();
                let others = Row { terms: others, constant: 0 };
                zero = zero.combined(1, &others, -value)?;
                if self.replace(&mut zeros, column, &others, -1)? {
                    return Some((self, true));
                }
            }
            let (column, sign) = zero.least()?;
            if self.replace(&mut zeros, column, &zero, -sign)? {
                return Some((self, true));
            }
        }
        self.eliminate()
    }

    fn eliminate(mut self) -> Option<(Self, bool)> {
        while let Some(column) = self.cheapest() {
            let (above, below): (Vec<_>, Vec<_>) = self.take(column).into_iter().partition(|(_, value)| *value > 0);
            for (one, up) in &above {
                for (other, down) in &below {
                    let common = gcd(*up, *down);
                    if self.add(one.combined(-down / common, other, up / common)?)? {
                        return Some((self, true));
                    }
                    if self.count > MAX_ROWS {
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
        let mut uses: Vec<([usize; 2], [bool; 2])> = Vec::new();
        for row in &self.all {
            for &(column, value) in &row.terms {
                let column = column as usize;
                if column >= uses.len() {
                    uses.resize(column + 1, ([0; 2], [true; 2]));
                }
                let (counts, units) = &mut uses[column];
                let side = usize::from(value < 0);
                counts[side] += 1;
                units[side] &= value == 1 || value == -1;
            }
        }
        let cost = |&(_, ([up, down], [one, other])): &(u32, ([usize; 2], [bool; 2]))| {
            let grows = up * down > up + down + 8;
            (grows, !one && !other, up * down)
        };
        let used =
            |&(column, (counts, _)): &(u32, ([usize; 2], [bool; 2]))| counts != [0; 2] && Some(column) != self.keep;
        (0..).zip(uses).filter(used).min_by_key(cost).map(|(column, _)| column)
    }
}

/// The bit of a column in the mask of a row.
fn bit(column: u32) -> u64 {
    1 << (column % 64)
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
