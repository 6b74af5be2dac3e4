//! Polynomials over what a launch decides, and conditions between them.
//!
//! A [`Poly`] stands for a rational number that each launch determines: coefficients are whole,
//! with one positive denominator. All symbols are natural numbers, so a polynomial without
//! negative coefficients grows with each of them. This is the only fact used to compare two
//! polynomials. Degree and length are limited. A larger polynomial is dropped, which loses
//! knowledge and is never wrong.

use super::condition::Launch;

/// A number that a launch decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// The number of workgroups on an axis less one, which is the greatest workgroup id.
    LastGroup(u8),
    /// The number of elements of the buffer that is the parameter of this index.
    Len(u16),
    /// The bits, read without a sign, of the scalar that is the parameter of this index.
    Scalar(u16),
    /// The greatest number that an element may be of the buffer that is the parameter of this index.
    Most(u16),
}

impl Symbol {
    /// A number that the symbol never exceeds.
    const fn limit(self) -> i128 {
        match self {
            Self::LastGroup(_) | Self::Len(_) | Self::Most(_) => u32::MAX as i128,
            Self::Scalar(_) => u64::MAX as i128,
        }
    }
}

/// A product of symbols, in order; `None`s come first.
pub(super) type Monomial = [Option<Symbol>; DEGREE];

/// The most symbols of a product.
const DEGREE: usize = 3;
/// The most terms of a sum.
const TERMS: usize = 8;
/// Coefficients and denominators stay below this, so that a few of them can be multiplied.
const LARGE: i128 = 1 << 80;

const ONE: Monomial = [None; DEGREE];

/// A polynomial with rational coefficients.
///
/// ```
/// use samebits_ir::analysis::facts::{Poly, Symbol};
/// let len = Poly::symbol(Symbol::Len(0));
/// let last = len.add(&Poly::constant(-1)).unwrap();
/// assert!(last.at_most(&len) && !len.at_most(&last));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poly {
    /// Sorted; no coefficient is zero.
    terms: Vec<(Monomial, i128)>,
    denominator: i128,
}

impl Poly {
    /// A number.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(7).as_constant(), Some(7));
    /// ```
    pub fn constant(value: i128) -> Self {
        Self { terms: if value == 0 { Vec::new() } else { vec![(ONE, value)] }, denominator: 1 }
    }

    /// A symbol.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Poly, Symbol};
    /// assert_eq!(Poly::symbol(Symbol::LastGroup(0)).as_constant(), None);
    /// ```
    pub fn symbol(symbol: Symbol) -> Self {
        Self { terms: vec![([None, None, Some(symbol)], 1)], denominator: 1 }
    }

    /// The number, rounded down, if there is no symbol.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(7).divided(2).unwrap().as_constant(), Some(3));
    /// ```
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(ONE, value)] => Some(value.div_euclid(self.denominator)),
            _ => None,
        }
    }

    /// The terms and the positive denominator of all of them.
    pub(in crate::analysis) fn parts(&self) -> (&[(Monomial, i128)], i128) {
        (&self.terms, self.denominator)
    }

    /// Every symbol, as often as it occurs.
    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied().flatten())
    }

    fn of(mut terms: Vec<(Monomial, i128)>, denominator: i128) -> Option<Self> {
        terms.sort_unstable();
        let mut sum: Vec<(Monomial, i128)> = Vec::with_capacity(terms.len());
        for (monomial, value) in terms {
            match sum.last_mut() {
                Some((last, total)) if *last == monomial => *total = total.checked_add(value)?,
                _ => sum.push((monomial, value)),
            }
        }
        sum.retain(|&(_, value)| value != 0);
        let common = sum.iter().fold(denominator, |common, &(_, value)| divisor(common, value));
        for (_, value) in &mut sum {
            *value /= common;
        }
        let denominator = denominator / common;
        let small = denominator < LARGE && sum.len() <= TERMS && sum.iter().all(|(_, value)| value.abs() < LARGE);
        small.then_some(Self { terms: sum, denominator })
    }

    /// The sum.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(1).add(&Poly::constant(2)), Some(Poly::constant(3)));
    /// ```
    pub fn add(&self, other: &Self) -> Option<Self> {
        self.combined(other, 1)
    }

    /// The difference.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(1).sub(&Poly::constant(2)), Some(Poly::constant(-1)));
    /// ```
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.combined(other, -1)
    }

    fn combined(&self, other: &Self, sign: i128) -> Option<Self> {
        if self.denominator == 1 && other.denominator == 1 {
            let others = other.terms.iter().map(|&(monomial, value)| (monomial, value * sign));
            return Self::of(self.terms.iter().copied().chain(others).collect(), 1);
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        for &(monomial, value) in &self.terms {
            terms.push((monomial, value.checked_mul(other.denominator)?));
        }
        for &(monomial, value) in &other.terms {
            terms.push((monomial, value.checked_mul(self.denominator)?.checked_mul(sign)?));
        }
        Self::of(terms, self.denominator.checked_mul(other.denominator)?)
    }

    /// The product.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(3).mul(&Poly::constant(2)), Some(Poly::constant(6)));
    /// ```
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                terms.push((product(a, b)?, x.checked_mul(*y)?));
            }
        }
        Self::of(terms, self.denominator.checked_mul(other.denominator)?)
    }

    /// The quotient by a positive number.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::Poly;
    /// assert_eq!(Poly::constant(6).divided(2), Some(Poly::constant(3)));
    /// assert_eq!(Poly::constant(6).divided(0), None);
    /// ```
    pub fn divided(&self, by: i128) -> Option<Self> {
        if by < 1 {
            return None;
        }
        Self::of(self.terms.clone(), self.denominator.checked_mul(by)?)
    }

    /// The sum with a number.
    pub(super) fn plus(&self, value: i128) -> Option<Self> {
        self.add(&Self::constant(value))
    }

    /// The product with a number.
    pub(super) fn times(&self, value: i128) -> Option<Self> {
        self.mul(&Self::constant(value))
    }

    /// Whether this is at most the other, whatever the symbols are.
    ///
    /// ```
    /// use samebits_ir::analysis::facts::{Poly, Symbol};
    /// let (n, m) = (Poly::symbol(Symbol::Scalar(0)), Poly::symbol(Symbol::Scalar(1)));
    /// assert!(n.at_most(&n.add(&m).unwrap()) && !n.at_most(&m));
    /// ```
    pub fn at_most(&self, other: &Self) -> bool {
        other.sub(self).is_some_and(|rest| rest.is_natural())
    }

    /// Whether this is at least zero, whatever the symbols are.
    pub(super) fn is_natural(&self) -> bool {
        let mut least: i128 = 0;
        for (monomial, value) in &self.terms {
            let mut value = *value;
            if *monomial != ONE {
                if value > 0 {
                    continue;
                }
                for symbol in monomial.iter().flatten() {
                    match value.checked_mul(symbol.limit()) {
                        Some(product) => value = product,
                        None => return false,
                    }
                }
            }
            match least.checked_add(value) {
                Some(sum) => least = sum,
                None => return false,
            }
        }
        least >= 0
    }

    /// The number times the denominator for a launch; `None` if 128 bits do not hold it.
    pub(super) fn numerator(&self, launch: &Launch<'_>) -> Option<i128> {
        let mut sum: i128 = 0;
        for (monomial, value) in &self.terms {
            let mut product = *value;
            for symbol in monomial.iter().flatten() {
                product = product.checked_mul(launch.value(*symbol)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }
}

/// The greatest common divisor with a positive number.
pub(super) fn divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn product(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    if *a == ONE {
        return Some(*b);
    }
    if *b == ONE {
        return Some(*a);
    }
    let mut all = a.iter().chain(b).copied().flatten();
    let mut out = [all.next(), all.next(), all.next()];
    if all.next().is_some() {
        return None;
    }
    out.sort_unstable();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Poly {
        Poly::symbol(Symbol::Scalar(0))
    }

    fn len() -> Poly {
        Poly::symbol(Symbol::Len(1))
    }

    #[test]
    fn sums_and_products_are_those_of_numbers() {
        let a = n().times(3).unwrap().plus(2).unwrap();
        let b = len().plus(-1).unwrap();
        let product = a.mul(&b).unwrap();
        let scalars = [10];
        let launch = Launch { groups: [1; 3], lens: &[0, 7], scalars: &scalars };
        assert_eq!(product.numerator(&launch), Some((3 * 10 + 2) * (7 - 1)));
        assert_eq!(product.sub(&product), Some(Poly::constant(0)));
    }

    #[test]
    fn fractions_are_reduced() {
        let half = n().divided(2).unwrap();
        assert_eq!(half.add(&half), Some(n()));
        assert_eq!(half.times(4), n().times(2));
    }

    #[test]
    fn products_beyond_the_degree_are_dropped() {
        let square = n().mul(&n()).unwrap();
        assert!(square.mul(&n()).is_some());
        assert!(square.mul(&square).is_none());
    }

    #[test]
    fn sums_beyond_the_length_are_dropped() {
        let sum = |count: u16| (0..count).try_fold(Poly::constant(1), |sum, i| sum.add(&Poly::symbol(Symbol::Len(i))));
        assert!(sum(7).is_some());
        assert!(sum(8).is_none());
    }

    #[test]
    fn a_number_that_exceeds_every_symbol_is_known_to() {
        let most = Poly::constant(u32::MAX.into());
        assert!(len().at_most(&most));
        assert!(!len().at_most(&most.plus(-1).unwrap()));
        assert!(!n().at_most(&most));
        assert!(!len().mul(&len()).unwrap().at_most(&most));
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let large = Poly::constant(1 << 79);
        assert!(large.add(&large).is_none());
        assert!(large.mul(&large).is_none());
        let launch = Launch { groups: [1; 3], lens: &[], scalars: &[u64::MAX] };
        let cube = n().mul(&n()).unwrap().mul(&n()).unwrap();
        assert_eq!(cube.numerator(&launch), None);
    }
}
