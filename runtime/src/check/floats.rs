//! Floats of chance: which kinds there are, how often, and what is simpler than one.
//!
//! All three types are made and made smaller in the same way, by their bits. What is an ordinary number is computed in
//! `f64` and rounded.
//!
//! One NaN among the elements of a list makes a sum of them NaN, and one infinity hides what smaller numbers add. So
//! kinds are mixed in two steps: an input has all kinds of floats, or only finite ones, or only ordinary ones, and then
//! each float is of some kind.

use super::Chance;

/// Below this power of two, the whole number before one is tried as a simpler one.
const SMALL: u64 = 10;

/// Which floats an input has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kinds {
    /// All that there are.
    All,
    /// All but NaN and the infinities.
    Finite,
    /// Zeros and numbers up to a hundred.
    Ordinary,
}

impl Kinds {
    /// Every second input has all kinds, every fourth one has ordinary numbers only.
    pub fn of_seed(seed: u64) -> Self {
        match seed % 4 {
            1 => Self::Ordinary,
            3 => Self::Finite,
            _ => Self::All,
        }
    }
}

/// How a type of floats has its bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Bits of the fraction.
    pub fraction: u32,
    /// Bits of the exponent.
    pub exponent: u32,
}

/// Of `f16`.
#[cfg(feature = "f16")]
pub(super) const F16: Format = Format { fraction: 10, exponent: 5 };
/// Of `f32`.
pub(super) const F32: Format = Format { fraction: 23, exponent: 8 };
/// Of `f64`.
pub(super) const F64: Format = Format { fraction: 52, exponent: 11 };

impl Format {
    const fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    /// All bits.
    const fn all(self) -> u64 {
        self.sign() | (self.sign() - 1)
    }

    /// The bits of infinity, which are the mask of the exponent.
    const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    const fn one(self) -> u64 {
        ((1 << (self.exponent - 1)) - 1) << self.fraction
    }

    const fn mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    /// The bits of a number that is not an ordinary one, as often as there are such; else `None`.
    pub fn special(self, chance: &mut Chance) -> Option<u64> {
        let kinds = chance.kinds();
        if kinds == Kinds::Ordinary {
            let is_special = chance.below(8) == 0;
            return is_special.then(|| chance.edge([0, self.one()]) | self.any_sign(chance));
        }
        let bits = match chance.below(16) {
            0..4 => self.edge(chance) | self.any_sign(chance),
            // Any exponent is as likely as another.
            4..6 => chance.bits() & self.all(),
            // A subnormal number, or zero.
            6 => chance.bits() & (self.sign() | self.mask()),
            // One with the largest exponent.
            7 => (self.infinity() - 1 - (chance.bits() & self.mask())) | self.any_sign(chance),
            _ => return None,
        };
        let is_finite = bits & self.infinity() != self.infinity();
        let largest_bit = 1 << (self.fraction + self.exponent - 1);
        Some(if is_finite || kinds == Kinds::All { bits } else { bits & !largest_bit })
    }

    /// A number where something ends.
    fn edge(self, chance: &mut Chance) -> u64 {
        // From here on there are whole numbers only, and then only even ones.
        let whole = self.one() + (u64::from(self.fraction) << self.fraction);
        let edges = [
            0,
            1,
            self.mask(),
            self.mask() + 1,
            self.one() - 1,
            self.one(),
            self.one() + 1,
            whole,
            whole + self.mask() + 1,
            self.infinity() - 1,
        ];
        match (chance.kinds(), chance.below(6)) {
            (Kinds::All, 0) => chance.edge([self.infinity(), self.infinity() | (1 << (self.fraction - 1))]),
            _ => chance.edge(edges),
        }
    }

    fn any_sign(self, chance: &mut Chance) -> u64 {
        if chance.bool() { self.sign() } else { 0 }
    }

    /// The bits of what is simpler than a float, the simplest first.
    ///
    /// Zero is the simplest. Of numbers of at least 1 smaller ones are simpler, and of those below, larger ones: all come
    /// closer to 1. Infinities and NaN are the least simple. Of a number and its negative, the number is simpler.
    pub fn simpler(self, bits: u64) -> Vec<u64> {
        let (sign, magnitude) = (bits & self.sign(), bits & !self.sign());
        if bits == 0 {
            return Vec::new();
        }
        let mut simpler = vec![0, self.one()];
        if sign != 0 {
            simpler.push(self.one() | sign);
        }
        if magnitude > self.infinity() {
            simpler.push(self.infinity());
        } else if magnitude == self.infinity() {
            simpler.push((self.infinity() - 1) | sign);
        } else if magnitude > self.one() {
            simpler.extend(self.below(magnitude).into_iter().map(|magnitude| magnitude | sign));
        } else if magnitude > 0 {
            simpler.extend(self.above(magnitude).into_iter().map(|magnitude| magnitude | sign));
        }
        simpler.push(magnitude);
        simpler.retain(|other| self.rank(*other) < self.rank(bits));
        simpler.sort_by_key(|other| self.rank(*other));
        simpler.dedup();
        simpler
    }

    /// How simple a float is: the less, the simpler.
    fn rank(self, bits: u64) -> (u8, u64, u64) {
        let (sign, magnitude) = (bits & self.sign(), bits & !self.sign());
        match magnitude {
            0 => (0, 0, sign),
            _ if magnitude > self.infinity() => (4, magnitude, sign),
            _ if magnitude == self.infinity() => (3, 0, sign),
            _ if magnitude >= self.one() => (1, magnitude, sign),
            // Below 1, a larger one is simpler.
            _ => (2, self.one() - magnitude, sign),
        }
    }

    /// Masks of the digits that a number may do without: all of them, half, a quarter, the last one.
    fn spare(self, magnitude: u64) -> [u64; 4] {
        let zeros = (magnitude | 1 << self.fraction).trailing_zeros();
        let digits = self.fraction - zeros;
        [digits, digits / 2, digits / 4, digits.min(1)].map(|spare| (1 << (zeros + spare)) - 1)
    }

    /// Simpler numbers than one above 1.
    fn below(self, magnitude: u64) -> Vec<u64> {
        let fraction = u64::from(self.fraction);
        let exponent = (magnitude - self.one()) >> fraction;
        let mut below = vec![self.one() + ((exponent / 2) << fraction)];
        if exponent > 0 {
            below.push(magnitude - (1 << fraction));
        }
        below.extend(self.spare(magnitude).map(|spare| magnitude & !spare));
        if exponent < fraction {
            let unit = 1 << (fraction - exponent);
            let whole = magnitude & !(unit - 1);
            below.push(whole);
            if (1..SMALL).contains(&exponent) {
                // Before a power of two the units are half as large.
                below.push(whole - if whole & self.mask() == 0 { 2 * unit } else { unit });
            }
        }
        below
    }

    /// Simpler numbers than one below 1.
    fn above(self, magnitude: u64) -> Vec<u64> {
        let powers = (self.one() - (magnitude & !self.mask())) >> self.fraction;
        let mut above = vec![self.one() - ((powers / 2) << self.fraction), magnitude + (1 << self.fraction)];
        // Rounded up, to fewer digits.
        above.extend(self.spare(magnitude).map(|spare| (magnitude + spare) & !spare));
        above.retain(|above| *above < self.one());
        above
    }
}

/// An ordinary number: one in three is whole.
pub(super) fn ordinary(chance: &mut Chance) -> f64 {
    if chance.below(3) == 0 {
        return chance.below(21) as f64 - 10.0;
    }
    chance.fraction() * 200.0 - 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_types() {
        assert_eq!((F32.one(), F32.infinity()), (1f32.to_bits().into(), f32::INFINITY.to_bits().into()));
        assert_eq!((F64.one(), F64.infinity()), (1f64.to_bits(), f64::INFINITY.to_bits()));
        // One and infinity of IEEE 754's binary16.
        #[cfg(feature = "f16")]
        assert_eq!((F16.one(), F16.infinity()), (0x3c00, 0x7c00));
    }

    /// All kinds that many numbers of a seed have.
    fn kinds(seed: u64) -> Vec<std::num::FpCategory> {
        let mut chance = Chance::new(seed);
        let mut kinds: Vec<_> = (0..4000).map(|_| chance.f32().classify()).collect();
        kinds.sort_by_key(|kind| *kind as u8);
        kinds.dedup();
        kinds
    }

    #[test]
    fn an_input_has_all_kinds_or_finite_ones_or_ordinary_ones() {
        use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
        for seed in [0, 2, 4, 102] {
            assert_eq!(kinds(seed), [Nan, Infinite, Zero, Subnormal, Normal]);
            let mut chance = Chance::new(seed);
            let numbers: Vec<f64> = (0..4000).map(|_| chance.f64()).collect();
            assert!(numbers.iter().any(|x| x.is_nan()) && numbers.iter().any(|x| x.is_subnormal()));
        }
        for seed in [3, 7, 103] {
            assert_eq!(kinds(seed), [Zero, Subnormal, Normal]);
            let mut chance = Chance::new(seed);
            let numbers: Vec<f64> = (0..4000).map(|_| chance.f64()).collect();
            assert!(numbers.iter().all(|x| x.is_finite()) && numbers.iter().any(|x| x.abs() > 1e300));
        }
        for seed in [1, 5, 101] {
            assert_eq!(kinds(seed), [Zero, Normal]);
            let mut chance = Chance::new(seed);
            assert!((0..4000).all(|_| chance.f64().abs() <= 100.0));
        }
    }

    #[test]
    fn each_kind_of_edge_occurs_with_both_signs() {
        let mut chance = Chance::new(0);
        let found: Vec<f32> = (0..20_000).map(|_| chance.f32()).collect();
        let largest_subnormal = f32::MIN_POSITIVE.next_down();
        let next_to_one = [1f32.next_down(), 1f32.next_up()];
        let whole = [8_388_608.0, 16_777_216.0];
        let edges = [0.0, f32::from_bits(1), largest_subnormal, f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY];
        for edge in edges.into_iter().chain(next_to_one).chain(whole) {
            for edge in [edge, -edge] {
                assert!(found.iter().any(|x| x.to_bits() == edge.to_bits()), "{edge:e}");
            }
        }
        // Most are ordinary, and few hide what is computed of the others.
        let share = |is: fn(&f32) -> bool| found.iter().filter(|x| is(x)).count() as f64 / found.len() as f64;
        assert!(share(|x| (0.01..=100.0).contains(&x.abs())) > 0.4);
        let hiding = share(|x| !x.is_finite());
        assert!((0.01..0.08).contains(&hiding), "{hiding}");
    }

    /// What is left of a number that is made simpler as long as it is wrong.
    fn simplest(mut x: f64, is_wrong: impl Fn(f64) -> bool) -> f64 {
        while let Some(simpler) = F64.simpler(x.to_bits()).into_iter().map(f64::from_bits).find(|x| is_wrong(*x)) {
            x = simpler;
        }
        x
    }

    #[test]
    fn the_simplest_wrong_number_is_found() {
        for x in [150.7, 1e300, f64::INFINITY, 100.000_1] {
            assert_eq!(simplest(x, |x| x > 100.0).floor(), if x == 100.000_1 { 100.0 } else { 101.0 }, "{x}");
        }
        assert_eq!(simplest(-37.3, |x| x <= -5.0), -5.0);
        assert_eq!(simplest(f64::NAN, f64::is_nan).to_bits() & F64.infinity(), F64.infinity());
        assert_eq!(simplest(f64::NAN, |x| !x.is_finite()), f64::INFINITY);
        assert_eq!(simplest(-f64::INFINITY, f64::is_infinite), f64::INFINITY);
        assert_eq!(simplest(-0.0, |x| x == 0.0).to_bits(), 0);
        assert_eq!(simplest(-0.0, |x| x.to_bits() == (-0.0f64).to_bits()).to_bits(), (-0.0f64).to_bits());
        // Of small numbers the one that is closest to 1.
        assert_eq!(simplest(1e-300, |x| x != 0.0 && x.abs() < 1e-3), 0.5f64.powi(10));
        assert_eq!(simplest(37.3, |x| x.fract() != 0.0), 1.125);
    }

    #[test]
    fn making_a_number_simpler_comes_to_an_end() {
        for format in [Format { fraction: 10, exponent: 5 }, F32, F64] {
            let mut chance = Chance::new(0);
            for _ in 0..200 {
                let mut bits = chance.bits() & format.all();
                let mut steps = 0;
                // The last one is the least simple.
                while let Some(&next) = format.simpler(bits).last() {
                    assert!(format.rank(next) < format.rank(bits));
                    (bits, steps) = (next, steps + 1);
                    assert!(steps < 5000);
                }
                assert_eq!(bits, 0);
            }
        }
    }
}
