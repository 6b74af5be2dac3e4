//! `mul_add` of `f64` in the form [`Split`](crate::soft::plan::Form::Split): by products and sums that
//! the target rounds to nearest, subnormals among them, and by operations on the bits.
//!
//! Some compilers put the steps wherever they are used, so they are few and have no branch: a function
//! of 72 instructions. It names nothing of the function that calls it.
//!
//! # Why it is exact
//!
//! "E" is the field of an exponent, from 0 to 2047, and a power of two whose field is E has the inverse
//! whose field is 2046 - E. All numbers below are finite up to *What is not finite*.
//!
//! *Scales.* Each factor is multiplied by the power of two whose field is 2046 less its own E, rounded
//! down to a multiple of 4. So it becomes a multiple of 2^-52 below 16, and at least 1 unless it was
//! subnormal or zero. With N as the mean of the two multiples and H as the power of two with the field N,
//! the exact product is `abH²`, where `a` and `b` are the scaled factors. `ab` is a multiple of 2^-104
//! below 2^8. N is at most 2044, and at most 1022 if a factor is subnormal.
//!
//! The addend is divided by H² to `c`, so that `ab + c` is to be multiplied by H². With K as half of the
//! addend's E, rounded down, N has to be from K + 410 to K + 613, so that `c` is from 2^-254 to 2^205 or
//! zero, and nothing here overflows or is subnormal. N may be too great or too small:
//!
//! - Above K + 613, `c` is taken for a number of the same sign that is greater, but below 2^-201. As N is
//!   above 613, not both factors are subnormal, and a product that is not zero is at least 2^-51. What
//!   decides how the sum is rounded is whether it is below, at or above certain numbers of 54 bits. Near
//!   `ab` these are multiples of 2^-105, and so is `ab`. So any addend of that sign and below 2^-105
//!   gives the same result. It is at least half of 2^-51, and as H² is above 2^-820, it is no
//!   subnormal.
//! - Below K + 410, N is made K + 410: the product is taken for one of the same sign that is greater, but
//!   below 2^8. `c` is at least 2^203, unless the addend is subnormal; then it is a multiple of 2^152.
//!   The numbers that decide are multiples of 2^97 near `c`, and so is `c`. A subnormal sum has to be
//!   rounded to multiples of 2^152, and then the addend is one. If the addend is zero, the product
//!   is below 2^-1218 with either N, which becomes a zero of its sign.
//!
//! A product of zero has no N of its own. It is taken for 0, which leaves K + 410: the least of N and of
//! twice the bits of `ab`, whose sign is shifted out. Those are above N for all other products, since
//! these are at least 1, or at least 2^-102 where N is at most 1022.
//!
//! *The product's error.* `p` is the rounded product, and `lost` is `p - ab`. `a` is cut into its upper 26
//! bits and 27 bits of the same sign, `b` into 26 and a rest of 26 bits that may have the other sign. So
//! the four products of these parts are exact. They are subtracted from `p` in an order in which each
//! difference is exact: in units of the last places of `a` and `b`, these are multiples of 2^52, 2^27,
//! 2^27 and 1, and below 2^81, 2^80, 2^54 and 2^53.
//!
//! *The sum's error.* `s` is the rounded sum of `p` and `c`, and `s + low` is the exact one: so is the
//! error of each sum that does not overflow (Møller and Knuth). In the same way `lost - low` is exactly
//! `r + e`. So the sum is `s - (r + e)`.
//!
//! *Once more, to odd.* `z` is `r + e` rounded to odd: if it is not exact, it is the one of the two
//! neighbours whose last bit is set. The sum is rounded to `t`, which is `s - z`, rounded to nearest. If
//! `low` is zero, `z` is `lost`, and that is one rounding of the exact sum. Else `c` is not from -p/2 to
//! -2p, where the sum would be exact, so that `s` is at least half of `p`, and `r + e` is below two
//! units of the last place of `s`. The numbers that decide are further from `s` by multiples of a quarter
//! of that unit. All of these are even in the last place of `z`, so that `z` is below, at or above one if
//! `r + e` is (Boldo and Melquiond).
//!
//! *The scale back.* `t` has 53 bits, so multiplying it by H twice is exact, or the result overflows as
//! the sum does, unless it is subnormal. The first product is never subnormal. A subnormal result
//! was rounded twice: the exact sum to `t`, and that to a multiple of the least subnormal. This is
//! wrong only where `t` is halfway between two of these and the exact sum is on the side of the one that
//! was not taken. `back` is the result divided by H², and `beyond` is `back - t`, both exact. `rest`,
//! which is `s - t - z`, is exact, too (Dekker: `s` is zero or not below `z`), and it has the sign of
//! what the exact sum is above `t`. If `rest` and `beyond` have opposite signs, `beyond` is made greater
//! by its last bit, multiplied by H², and subtracted from the result. That is the least subnormal if
//! `beyond` was half of it; if it was less it becomes at most that half, and a half is rounded to zero.
//!
//! *Zeros.* A difference is -0 only if +0 is subtracted from -0, and a sum only if both are -0. If `p` is
//! -0, so is the first product that is subtracted from it. So `lost`, `low`, `e` and `z` are +0 where they
//! are zero, and `t` keeps the sign that `s` has: of two zeros, or of numbers that cancel. Where the result
//! is rounded to zero, the product with H gives it the sign of `t`.
//!
//! *What is not finite.* An infinite result of finite operands has an infinite `beyond`, which corrects
//! nothing. If an operand is infinite or NaN, its parts or its errors are NaN, and so is the result; then
//! it is `s`, which is the infinity or the NaN that it should be. The scales are finite powers of two.

use super::code::Code;
use super::float_bits::{FIELD, INFINITY, SIGN, Steps};
use super::module::Id;
use spirv::{GlslStd450Op as Glsl, Op as Spirv};

/// How many bits a factor's lower part has.
const LOWER: u32 = 27;
/// How far N is at least above K, and at most.
const DISTANCES: [u64; 2] = [410, 613];

/// Writes the steps; the result for three floats. Its NaN need not be the canonical one.
pub(super) fn mul_add(code: &mut Code, [a, b, c]: [Id; 3]) -> Id {
    let mut steps = Steps { code };
    let [(a, field_a), (b, field_b)] = [a, b].map(|factor| steps.scaled(factor));
    let p = steps.mul(a, b);
    let n = steps.mean(field_a, field_b, p);
    let (c, h) = steps.addend(c, n);
    let lost = steps.error_of_product(a, b, p);
    // The sum is `s - (r + e)`.
    let s = steps.add(p, c);
    let low = steps.error_of_sum(p, c, s);
    let r = steps.sub(lost, low);
    let e = steps.error_of_difference(lost, low, r);
    let z = steps.odd(r, e);
    let t = steps.sub(s, z);
    let result = steps.scaled_back(s, z, t, h);
    let is_nan = steps.is_nan(result);
    steps.select(is_nan, s, result)
}

impl Steps<'_> {
    /// N, in the field's place.
    fn mean(&mut self, a: Id, b: Id, product: Id) -> Id {
        let both = self.int(Spirv::IAdd, a, b);
        let mean = self.shift(Spirv::ShiftRightLogical, both, 1);
        let twice = self.shift(Spirv::ShiftLeftLogical, product, 1);
        self.chosen(Glsl::UMin, mean, twice)
    }

    /// The scaled addend, and H.
    fn addend(&mut self, c: Id, n: Id) -> (Id, Id) {
        let half = self.shift(Spirv::ShiftRightLogical, c, 1);
        let k = self.masked(half, 1023 << FIELD);
        let [least, most] = DISTANCES.map(|distance| self.plus(k, distance << FIELD));
        let h = self.chosen(Glsl::UMax, n, least);
        let divisor = self.chosen(Glsl::UMin, h, most);
        let scale = self.inverse(divisor);
        (self.mul_twice(c, scale), h)
    }

    /// What a product was rounded up by.
    fn error_of_product(&mut self, a: Id, b: Id, product: Id) -> Id {
        let upper_a = self.masked(a, u64::MAX << LOWER);
        let lower_a = self.sub(a, upper_a);
        let rounded = self.plus(b, 1 << (LOWER - 1));
        let upper_b = self.masked(rounded, u64::MAX << LOWER);
        let lower_b = self.sub(b, upper_b);
        let parts = [(upper_a, upper_b), (lower_a, upper_b), (upper_a, lower_b), (lower_a, lower_b)];
        parts.into_iter().fold(product, |rest, (a, b)| {
            let part = self.mul(a, b);
            self.sub(rest, part)
        })
    }

    /// What a sum lacks.
    fn error_of_sum(&mut self, a: Id, b: Id, sum: Id) -> Id {
        let of_b = self.sub(sum, a);
        let of_a = self.sub(sum, of_b);
        let (a, b) = (self.sub(a, of_a), self.sub(b, of_b));
        self.add(a, b)
    }

    /// What a difference lacks.
    fn error_of_difference(&mut self, a: Id, b: Id, difference: Id) -> Id {
        let of_b = self.sub(difference, a);
        let of_a = self.sub(difference, of_b);
        let (a, b) = (self.sub(a, of_a), self.add(b, of_b));
        self.sub(a, b)
    }

    /// A number and its error as one that is rounded to odd: towards zero, and the last bit set, unless
    /// there is no error, which is +0.
    fn odd(&mut self, number: Id, error: Id) -> Id {
        let (one, zero) = (self.bits(1), self.bits(0));
        let is_inexact = self.int(Spirv::INotEqual, error, zero);
        let inexact = self.select(is_inexact, one, zero);
        let signs = self.int(Spirv::BitwiseXor, number, error);
        let beyond = self.shift(Spirv::ShiftRightLogical, signs, 63);
        let beyond = self.int(Spirv::BitwiseAnd, beyond, inexact);
        let towards_zero = self.int(Spirv::ISub, number, beyond);
        self.int(Spirv::BitwiseOr, towards_zero, inexact)
    }

    /// The sum `t` times H², where it is subnormal rounded as `s - z` has to be.
    fn scaled_back(&mut self, s: Id, z: Id, t: Id, h: Id) -> Id {
        let result = self.mul_twice(t, h);
        let inverse = self.inverse(h);
        let back = self.mul_twice(result, inverse);
        let beyond = self.sub(back, t);
        let rest = self.sub(s, t);
        let rest = self.sub(rest, z);
        let signs = self.mul(beyond, rest);
        // Below zero and finite.
        let place = self.plus(signs, SIGN.wrapping_sub(1));
        let count = self.bits(INFINITY - 1);
        let is_opposite = self.int(Spirv::ULessThan, place, count);
        let more = self.bits((1.0 + f64::EPSILON).to_bits());
        let (zero, greater) = (self.bits(0), self.mul(beyond, more));
        let correction = self.select(is_opposite, greater, zero);
        let correction = self.mul_twice(correction, h);
        self.sub(result, correction)
    }
}
