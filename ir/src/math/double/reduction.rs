//! Angles of any size, brought to at most an eighth of a turn.
//!
//! A reduced angle is `head + tail`, exact to about 2^-63 of itself however near the argument is to a multiple of
//! pi/2 (no `f64` is nearer to one than about 2^-61 of a quarter turn, up to 2^1024).
//!
//! - Below 2^20: pi/2 in parts of 53, 33 and 53 bits (Cody and Waite); the products with the first two parts are exact.
//! - Else (rare, a branch): the bits of 2/pi that matter, times the argument's 53 bits, as an integer modulo whole turns
//!   (Payne and Hanek). It keeps 126 bits of the fraction of a quarter turn.

use super::constants::circular::{HALF_PI, HALF_PI_SCALED, PI, TWO_OVER_PI, TWO_OVER_PI_BITS};
use crate::math::{Bits, Real, zero_or_nan};

/// `1.5 * 2^52`: the low bits of `x + ROUND` are `x` rounded to an integer.
const ROUND: f64 = 6755399441055744.0;
const TWO_52: f64 = 4503599627370496.0;

/// An angle: `quarters` quarter turns (their low bits) and `head + tail`, which is at most an eighth of a turn.
pub struct Angle<R: Real> {
    pub head: R,
    pub tail: R,
    pub quarters: R::Bits,
}

/// The angle of `a >= 0` radians; NaN for infinity and NaN.
pub fn radians<R: Real>(a: R) -> Angle<R> {
    let [head, tail, turns] = R::branch(a.lt(a.k(1048576.0)), || below_a_million(a), || above(a));
    Angle { head, tail, quarters: turns.bits() }
}

fn below_a_million<R: Real>(a: R) -> [R; 3] {
    let turns = a.mul_add(a.k(TWO_OVER_PI), a.k(ROUND));
    let minus = -(turns - ROUND);
    // Exact: a multiple of 2^-53 that is below 1.
    let first = minus.mul_add(a.k(HALF_PI[0]), a);
    // The second product has at most 53 bits. If `first` is so small that the next difference could be inexact,
    // then `second` is exact and the difference is just that product.
    let second = minus.mul_add(a.k(HALF_PI[1]), first);
    let lost = minus.mul_add(a.k(HALF_PI[1]), first - second);
    let third = minus.mul_add(a.k(HALF_PI[2]), lost);
    let head = second + third;
    [head, (second - head) + third, turns]
}

fn above<R: Real>(a: R) -> [R; 3] {
    let bits = a.bits();
    let mantissa = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    // The argument is `mantissa * 2^(exponent - 1075)`. Bits of 2/pi that give whole turns are skipped.
    let offset = (bits >> 52) - 1013;
    let (index, shift) = (offset >> 6, offset & 63);
    let back = a.n(63) - shift;
    let word = |i: u64| {
        let (this, next) = ((index + i).of_table(&TWO_OVER_PI_BITS), (index + (i + 1)).of_table(&TWO_OVER_PI_BITS));
        this.shl_by(shift) | (next >> 1).shr_by(back)
    };
    // The upper two words of the product are a fraction of a turn; what is cut off is below 2^-125 of a quarter.
    let (second, third) = (word(1), word(2));
    let middle = mantissa * second;
    let low = middle + upper::<R>(mantissa, third);
    let carry = R::pick_bits(low.below(middle), a.n(1), a.n(0));
    let high = mantissa * word(0) + upper::<R>(mantissa, second) + carry;
    // Now in quarter turns, the nearest number of them taken off: a signed number of 62 and 64 bits.
    let quarters = (high + (1 << 61)) >> 62;
    let high = high - (quarters << 62);
    let small = |part: R::Bits| R::of_bits(part | TWO_52.to_bits()) - TWO_52;
    let top = (R::of_bits(high.sar(32) + ROUND.to_bits()) - ROUND) * 4294967296.0;
    let rest = small(high & 0xffff_ffff);
    // Four parts are summed; only the last sum is rounded without keeping what is lost.
    let sum = top + rest;
    let carried = ((top - sum) + rest) + small(low >> 32) * 2f64.powi(-32);
    let head = sum + carried;
    let tail = ((sum - head) + carried) + small(low & 0xffff_ffff) * 2f64.powi(-64);
    let [head, tail] = scaled(head, tail, HALF_PI_SCALED);
    // `a - a` is NaN for infinity and NaN.
    [head + zero_or_nan(a), tail, R::of_bits(quarters + ROUND.to_bits())]
}

/// The upper word of a product; the first factor is below 2^53.
fn upper<R: Real>(a: R::Bits, b: R::Bits) -> R::Bits {
    let low_half = 0xffff_ffff;
    let (a1, a0, b1, b0) = (a >> 32, a & low_half, b >> 32, b & low_half);
    let first = a1 * b0 + ((a0 * b0) >> 32);
    let second = a0 * b1 + (first & low_half);
    a1 * b1 + (first >> 32) + (second >> 32)
}

/// `(head + tail) * factor` in two parts.
fn scaled<R: Real>(head: R, tail: R, factor: [f64; 2]) -> [R; 2] {
    let (f, g) = (head.k(factor[0]), head.k(factor[1]));
    let product = head * f;
    let lost = tail.mul_add(f, head.mul_add(g, head.mul_add(f, -product)));
    let sum = product + lost;
    [sum, (product - sum) + lost]
}

/// The angle of `a >= 0` half turns, exactly reduced; NaN for infinity and NaN.
/// Also the fraction of a half turn that is left.
pub fn half_turns<R: Real>(a: R) -> (Angle<R>, R) {
    // From 2^53 on all numbers are whole turns. Whole turns are taken off first, so that quarters can be counted.
    let a = R::pick(a.lt(a.k(9007199254740992.0)), a, zero_or_nan(a));
    let turns = (a * 0.5 + TWO_52) - TWO_52;
    let a = turns.mul_add(a.k(-2.0), a);
    let turns = a.mul_add(a.k(2.0), a.k(ROUND));
    let rest = (turns - ROUND).mul_add(a.k(-0.5), a);
    let pi = rest.k(PI[0]);
    let head = rest * pi;
    let tail = rest.mul_add(rest.k(PI[1]), rest.mul_add(pi, -head));
    (Angle { head, tail, quarters: turns.bits() }, rest)
}
