//! Sine, cosine and tangent of an `f32`, of radians and of multiples of pi.
//!
//! Method. The argument is brought to `r` around zero by taking off a multiple of pi (sine, cosine: |r| <= pi/2, so one
//! polynomial serves both) or of pi/2 (tangent, and sine with cosine: |r| <= pi/4).
//! - Radians below 2^20: the multiple has at most 20 bits and the head of pi 33, so their product is exact and so is what it
//!   leaves; the second part of pi leaves an error of at most 2^-53 |r| + 2^-66. Larger ones (behind a branch): the bits of
//!   2/pi that matter are multiplied by the 24 bits of the argument as integers: 96 bits of the turn, of which at most 30
//!   cancel.
//! - Multiples of pi: `x` less the nearest integer is exact; pi has a head of 29 bits, whose product with 24 bits is exact.
//!
//! What infinities and NaN give is for the caller (`Ends::Finite`).
//!
//! The polynomials are right to 2^-51 or better (each bound stands at its constants), results in `f64` to about 2^-50. That is
//! close enough for the correct `f32`, as was verified for every argument in both modes of `step`; the few arguments whose
//! results are nearer to the middle between two `f32` than that are right by small moves of coefficients (see `MOVES` in
//! `tests/src/coefficients/circular.rs`) or, if they are large, of what is left of them.

use super::constants::circular::*;
use crate::math::{Bits, Real, polynomial};

/// Added and taken off again, it leaves the nearest integer; the last bits of the sum are those of the integer.
const ROUND: f64 = 6755399441055744.0;
/// The same for halves of integers.
const ROUND_HALVES: f64 = ROUND / 2.0;
/// The same for even integers.
const ROUND_EVEN: f64 = ROUND * 2.0;
/// Radians from here on are reduced with integers.
const LARGE: f64 = 1048576.0;
/// 2^-600: zeros get their sign from a number this small, which rounds to zero in `f32` and `f16`.
const TINY: f64 = 2.409919865102884e-181;

/// `|x| * 2 / pi` modulo 4 for `LARGE <= |x| < 2^128`: the first word counts units of 2^-62, the second one (32 bits) those of 2^-94.
fn quarters<R: Real>(x: R) -> (R::Bits, R::Bits) {
    let bits = x.abs().bits();
    let mantissa = ((bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000) >> 29;
    // Bits of 2/pi that only make multiples of 4 are skipped; 128 bits from there on are enough.
    let skipped = (bits >> 52) - (1023 + 20);
    let near = skipped.below(x.n(64));
    let word = |i: usize| x.n(TWO_OVER_PI[i]);
    let first = R::pick_bits(near, word(0), word(1));
    let second = R::pick_bits(near, word(1), word(2));
    let third = R::pick_bits(near, word(2), word(3));
    let shift = skipped & 63;
    let opposite = shift ^ 63;
    let high = first.shl_by(shift) | (second >> 1).shr_by(opposite);
    let low = second.shl_by(shift) | (third >> 1).shr_by(opposite);
    let middle = mantissa * (low >> 32) + ((mantissa * (low & 0xffff_ffff)) >> 32);
    (mantissa * high + (middle >> 32), middle & 0xffff_ffff)
}

/// Takes off the nearest multiple of 2^-`shift` turns (a turn has 2^64 units) and gives what is left, in units of `part`, which is
/// 2^-`shift` turns in radians; also a number whose last bits are those of the multiple.
fn nearest<R: Real>((high, low): (R::Bits, R::Bits), shift: u32, part: &[f64]) -> [R; 2] {
    let multiple = (high + (1 << (63 - shift))) >> (64 - shift);
    // What is left, as a signed fraction of 96 bits: 32 bits with the sign, 32 bits, 32 bits.
    let left = (high << shift) | (low >> (32 - shift));
    let number = |base: f64, digits: R::Bits, offset: f64| R::of_bits(digits | base.to_bits()) - offset;
    let head = number(1048576.0, (left >> 32) ^ 0x8000_0000, 1048576.5);
    let small = 1.0 / 4096.0;
    let tiny = small / 4294967296.0;
    let tail = number(small, left & 0xffff_ffff, small) + number(tiny, (low << shift) & 0xffff_ffff, tiny);
    // `head * part[0]` is exact.
    let rest = head * part[1] + tail * (part[0] + part[1]);
    [head * part[0] + rest, R::of_bits(multiple | ROUND.to_bits())]
}

/// Moves `r` by 2^-46 of it for a few large arguments: otherwise the result would be the middle between two `f32` that is
/// within 2^-53 of the right one, or on its wrong side.
fn nudged<R: Real>(r: R, x: R, odd: &[f64]) -> R {
    odd.chunks(2).fold(r, |r, pair| R::pick(x.abs().equals(x.k(pair[0])), r * pair[1], r))
}

/// A large argument less a multiple of `part`, which is 2^-`shift` turns, and a number whose last bits are those of the multiple.
fn reduce_large<R: Real>(x: R, shift: u32, part: &[f64], odd: &[f64]) -> [R; 2] {
    let [r, t]: [R; 2] = nearest(quarters(x), shift, part);
    let sign = x.bits() & (1 << 63);
    // The last two bits of `-n`: the second one is the other if the first is set.
    let t = t.bits() ^ ((t.bits() & (sign >> 63)) << 1);
    [R::of_bits(nudged(r, x, odd).bits() ^ sign), R::of_bits(t)]
}

/// The argument less the nearest multiple of pi / 2, and a number whose last bits are those of the multiple.
fn reduce_to_quarter<R: Real>(x: R) -> [R; 2] {
    R::branch(
        x.k(LARGE).le(x.abs()),
        || reduce_large(x, 2, &LARGE_QUARTER, &ODD_QUARTER),
        || {
            let t = x.step(x.k(INVERSE_HALF_PI), x.k(ROUND));
            let n = t - ROUND;
            [n.step(x.k(-HALF_PI[1]), n.step(x.k(-HALF_PI[0]), x)), t]
        },
    )
}

/// `number`, its sign changed if the last bit of `t` is set.
fn negate_if_odd<R: Real>(number: R, t: R) -> R {
    R::of_bits(number.bits() ^ (t.bits() << 63))
}

/// The sine.
pub fn sin<R: Real>(x: R) -> R {
    let [r, t] = R::branch(
        x.k(LARGE).le(x.abs()),
        || reduce_large(x, 1, &LARGE_SIN, &ODD_SIN),
        || {
            let t = x.step(x.k(INVERSE_PI), x.k(ROUND));
            let n = t - ROUND;
            [n.step(x.k(-PI[1]), n.step(x.k(-PI[0]), x)), t]
        },
    );
    let u = r * r;
    let sine = (r * u).step(polynomial(u, &SIN), r);
    // Not only its sign: a zero would have lost it.
    sine.copysign(negate_if_odd(r, t))
}

/// The cosine.
pub fn cos<R: Real>(x: R) -> R {
    // cos(x) = (-1)^n sin((n + 1/2) pi - x)
    let [r, t] = R::branch(
        x.k(LARGE).le(x.abs()),
        || {
            let (high, low) = quarters(x);
            // cos(x) = sin(|x| + pi/2)
            let [r, t]: [R; 2] = nearest((high + (1 << 62), low), 1, &LARGE_COS);
            [nudged(r, x, &ODD_COS), t]
        },
        || {
            let t = x.step(x.k(INVERSE_PI), x.k(-0.5)) + ROUND;
            let n = (t - ROUND) + 0.5;
            [n.step(x.k(PI[1]), n.step(x.k(PI[0]), -x)), t]
        },
    );
    let u = r * r;
    negate_if_odd((r * u).step(polynomial(u, &SIN), r), t)
}

/// The sine and the cosine.
pub fn sin_cos<R: Real>(x: R) -> (R, R) {
    let [r, t] = reduce_to_quarter(x);
    let u = r * r;
    let sine = (r * u).step(polynomial(u, &SIN_SHORT), r);
    let cosine = u.step(polynomial(u, &COS_SHORT), x.k(1.0));
    // A zero has lost its sign.
    let sine = sine.copysign(r);
    // Every odd quarter swaps them; sines are negative in the quarters 2 and 3, cosines in 1 and 2.
    let odd = (t.bits() & 1).equals(1);
    let sign = t.bits() >> 1;
    let first = R::pick(odd, cosine, sine);
    let second = R::pick(odd, sine, cosine);
    (R::of_bits(first.bits() ^ (sign << 63)), R::of_bits(second.bits() ^ ((t.bits() ^ sign) << 63)))
}

/// The tangent.
pub fn tan<R: Real>(x: R) -> R {
    let [r, t] = reduce_to_quarter(x);
    let u = r * r;
    let top = (r * u).step(polynomial(u, &TAN_TOP), r);
    let bottom = u.step(polynomial(u, &TAN_BOTTOM), x.k(1.0));
    // tan(r + pi/2) = -1 / tan(r)
    let odd = (t.bits() & 1).equals(1);
    let tangent = R::pick(odd, bottom, top) / R::pick(odd, top, bottom);
    tangent.copysign(negate_if_odd(r, t))
}

/// A number, or 0 for one from 2^24 on, as all of these are even. Above 2^52 a sum with `ROUND` would not give the nearest
/// integer.
fn below_even<R: Real>(x: R) -> R {
    R::pick(x.abs().lt(x.k(16777216.0)), x, x.k(0.0))
}

/// The sine of pi times a number; an integer has a zero with its own sign.
pub fn sin_pi<R: Real>(x: R) -> R {
    let small = below_even(x);
    let t = small + ROUND;
    let r = negate_if_odd(small - (t - ROUND), t);
    let u = r * r;
    // Next to any other result the last term is nothing.
    let rest = r.step(horner_on(u, &SIN_PI, PI_29[1]), x * TINY);
    r.step(x.k(PI_29[0]), rest)
}

/// The cosine of pi times a number; its zeros are +0.
pub fn cos_pi<R: Real>(x: R) -> R {
    // cos(pi r) = sin(pi (1/2 - |r|)), |r| <= 1
    let small = below_even(x);
    let r = small - ((small + ROUND_EVEN) - ROUND_EVEN);
    let s = x.k(0.5) - r.abs();
    let u = s * s;
    let rest = s * horner_on(u, &SIN_PI, PI_29[1]);
    s.step(x.k(PI_29[0]), rest)
}

/// The tangent of pi times a number. In the order of the multiples of 1/2 from +0 on upwards, it is +0, +inf, -0, -inf, and so
/// on; those of negative numbers have the other sign.
pub fn tan_pi<R: Real>(x: R) -> R {
    let a = below_even(x.abs());
    let t = a + ROUND_HALVES;
    // In odd quarters tan(pi (r + 1/2)) = 1 / tan(-pi r).
    let r = negate_if_odd(a - (t - ROUND_HALVES), t);
    // Where this is a zero, its sign is to be that of the result.
    let r = r + R::of_bits(((t.bits() >> 1) << 63) | TINY.to_bits());
    let u = r * r;
    let top = r.step(x.k(PI_29[0]), r * horner_on(u, &TAN_PI_TOP, PI_29[1]));
    let bottom = u.step(polynomial(u, &TAN_PI_BOTTOM), x.k(1.0));
    let odd = (t.bits() & 1).equals(1);
    let tangent = R::pick(odd, bottom, top) / R::pick(odd, top, bottom);
    R::of_bits(tangent.bits() ^ (x.bits() & (1 << 63)))
}

/// A polynomial whose constant coefficient is given by itself.
fn horner_on<R: Real>(u: R, coefficients: &[f64], constant: f64) -> R {
    polynomial(u, coefficients).step(u, u.k(constant))
}
