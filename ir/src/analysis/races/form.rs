//! Sums of products of unknown whole numbers.
//!
//! An unknown has a number; who makes a form says what the numbers stand for. Arithmetic is
//! exact. What would become too large is dropped, and whoever asked knows less.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The unknowns of a product, in order.
pub(super) type Product = Vec<u32>;

/// The most factors of a product.
const DEGREE: usize = 4;
/// The most products of a sum.
const TERMS: usize = 32;
/// Coefficients stay below this, so that two of them can be multiplied.
const LARGE: i128 = 1 << 66;
/// And constants below this.
const FAR: i128 = 1 << 110;

/// A sum of products with whole coefficients.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Debug)]
pub(super) struct Form {
    /// Sorted; no coefficient is zero and no product is empty.
    pub(super) terms: Vec<(Product, i128)>,
    pub(super) constant: i128,
}

impl Form {
    pub(super) fn constant(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    pub(super) fn unknown(unknown: u32) -> Self {
        Self { terms: vec![(vec![unknown], 1)], constant: 0 }
    }

    fn of(sum: BTreeMap<Product, i128>, constant: i128) -> Option<Self> {
        let terms: Vec<_> = sum.into_iter().filter(|(_, value)| *value != 0).collect();
        let small = terms.len() <= TERMS && terms.iter().all(|(_, value)| value.abs() < LARGE);
        (small && constant.abs() < FAR).then_some(Self { terms, constant })
    }

    /// This and so many times another.
    pub(super) fn plus(&self, other: &Self, times: i128) -> Option<Self> {
        let (ours, theirs) = (&self.terms, &other.terms);
        let mut terms = Vec::with_capacity(ours.len() + theirs.len());
        let (mut i, mut j) = (0, 0);
        while i < ours.len() || j < theirs.len() {
            let order = match (ours.get(i), theirs.get(j)) {
                (Some((one, _)), Some((other, _))) => one.cmp(other),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let (product, mut value) = if order.is_gt() { (&theirs[j].0, 0) } else { (&ours[i].0, ours[i].1) };
            if order.is_ge() {
                value = value.checked_add(theirs[j].1.checked_mul(times)?)?;
                j += 1;
            }
            if order.is_le() {
                i += 1;
            }
            if value.abs() >= LARGE {
                return None;
            }
            if value != 0 {
                terms.push((product.clone(), value));
            }
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        (terms.len() <= TERMS && constant.abs() < FAR).then_some(Self { terms, constant })
    }

    pub(super) fn add(&self, other: &Self) -> Option<Self> {
        self.plus(other, 1)
    }

    pub(super) fn sub(&self, other: &Self) -> Option<Self> {
        self.plus(other, -1)
    }

    pub(super) fn shifted(&self, by: i128) -> Option<Self> {
        let constant = self.constant.checked_add(by)?;
        Some(Self { terms: self.terms.clone(), constant })
    }

    pub(super) fn times(&self, by: i128) -> Option<Self> {
        Self::constant(0).plus(self, by)
    }

    pub(super) fn mul(&self, other: &Self) -> Option<Self> {
        let mut sum: BTreeMap<Product, i128> = BTreeMap::new();
        let none = Product::new();
        let all = |form: &'_ Self| -> Vec<(Product, i128)> {
            form.terms.iter().cloned().chain([(none.clone(), form.constant)]).filter(|(_, value)| *value != 0).collect()
        };
        let mut constant = 0;
        for (a, x) in all(self) {
            for (b, y) in all(other) {
                let mut product: Product = a.iter().chain(&b).copied().collect();
                product.sort_unstable();
                let value = x.checked_mul(y)?;
                if product.is_empty() {
                    constant = value;
                } else if product.len() > DEGREE {
                    return None;
                } else {
                    let entry = sum.entry(product).or_default();
                    *entry = entry.checked_add(value)?;
                }
            }
        }
        Self::of(sum, constant)
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The same with each coefficient replaced by the number nearest to zero that is congruent
    /// to it.
    pub(super) fn reduced(&self, modulus: i128) -> Self {
        let near = |value: i128| {
            let rest = value.rem_euclid(modulus);
            if rest > modulus / 2 { rest - modulus } else { rest }
        };
        let terms = self.terms.iter().map(|(product, value)| (product.clone(), near(*value)));
        Self { terms: terms.filter(|(_, value)| *value != 0).collect(), constant: near(self.constant) }
    }

    /// Every unknown, as often as it occurs.
    pub(super) fn unknowns(&self) -> impl Iterator<Item = u32> + '_ {
        self.terms.iter().flat_map(|(product, _)| product.iter().copied())
    }

    /// The terms that satisfy a test, and the others with the constant.
    pub(super) fn split(&self, test: impl Fn(&[u32], i128) -> bool) -> (Self, Self) {
        let (chosen, others) = self.terms.iter().cloned().partition(|(product, value)| test(product, *value));
        (Self { terms: chosen, constant: 0 }, Self { terms: others, constant: self.constant })
    }

    /// The quotient by a number that divides every coefficient and the constant.
    pub(super) fn divided(&self, by: i128) -> Self {
        let terms = self.terms.iter().map(|(product, value)| (product.clone(), value / by)).collect();
        Self { terms, constant: self.constant / by }
    }

    /// The greatest number that divides every coefficient; 0 if there are none.
    pub(super) fn divisor(&self) -> i128 {
        self.terms.iter().fold(0, |common, (_, value)| gcd(common, *value))
    }

    /// The quotient by a product of unknowns; `None` if a term has not all of them.
    pub(super) fn without(&self, unknowns: &[u32]) -> Option<Self> {
        if unknowns.is_empty() {
            return Some(self.clone());
        }
        let mut sum = BTreeMap::new();
        let mut constant = 0;
        for (product, value) in &self.terms {
            let mut rest = product.clone();
            for unknown in unknowns {
                rest.remove(rest.iter().position(|one| one == unknown)?);
            }
            if rest.is_empty() {
                constant = *value;
            } else {
                sum.insert(rest, *value);
            }
        }
        if self.constant == 0 { Self::of(sum, constant) } else { None }
    }

    /// What an unknown is multiplied with in products of more than one.
    pub(super) fn cofactor(&self, unknown: u32) -> Self {
        let mut terms: Vec<(Product, i128)> = Vec::new();
        let mut constant = 0;
        let is_factor = self.terms.iter().any(|(product, _)| product.len() > 1 && product.contains(&unknown));
        for (product, value) in self.terms.iter().filter(|_| is_factor) {
            let Some(at) = product.iter().position(|&one| one == unknown) else { continue };
            let mut rest = product.clone();
            rest.remove(at);
            if rest.is_empty() {
                constant += value;
            } else {
                terms.push((rest, *value));
            }
        }
        terms.sort();
        Self { terms, constant }
    }
}

/// The greatest common divisor, not negative.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Form {
        Form::unknown(0)
    }

    fn y() -> Form {
        Form::unknown(1)
    }

    #[test]
    fn arithmetic_is_that_of_numbers() {
        let sum = x().times(3).and_then(|form| form.add(&y())).and_then(|form| form.shifted(2)).expect("small");
        let product = sum.mul(&y()).expect("small");
        assert_eq!(product.terms, [(vec![0, 1], 3), (vec![1], 2), (vec![1, 1], 1)]);
        assert_eq!(product.sub(&product), Some(Form::constant(0)));
        assert_eq!(sum.divisor(), 1);
    }

    #[test]
    fn coefficients_are_reduced_to_the_nearest() {
        let form = x().times((1 << 32) - 1).and_then(|form| form.shifted(1 << 32)).expect("small");
        assert_eq!(form.reduced(1 << 32), x().times(-1).expect("small"));
    }

    #[test]
    fn a_cofactor_is_what_is_multiplied() {
        let form = x().mul(&y()).and_then(|form| form.plus(&y(), 5)).and_then(|form| form.add(&x())).expect("small");
        assert_eq!(form.cofactor(1), x().shifted(5).expect("small"));
        assert_eq!(x().cofactor(0), Form::constant(0));
    }

    #[test]
    fn what_is_too_large_is_dropped() {
        assert_eq!(x().times(1 << 70), None);
        let square = x().mul(&y()).expect("small");
        assert!(square.mul(&square).is_some_and(|form| form.mul(&x()).is_none()));
    }
}
