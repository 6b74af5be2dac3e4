//! `x^y` in fixed-point numbers of 120 bits, for what the fast path of `pow` cannot decide.
//!
//! A number is four limbs of 30 bits, the lowest first, in integers of 64 bits: sums of a few products of limbs fit, and carries
//! are propagated once per step. Limbs may be negative until then. Loops keep the recorded code small.
//!
//! `x = 2^k m`, and a table gives `c`, of 9 bits, near `1 / m`: `z = m c - 1` is exact, `|z| < 2^-6`. Then
//! `log2 x = (k - log2 c) + z G(z)` with the series `G` of 20 terms, and `T = y log2 x = y (k - log2 c) + (y z) G(z)`,
//! where `y z` is exact. If `log2 c` and `k` are 0 (x near 1, y up to 2^31), the first part is 0; else `|y| < 2^14`.
//! So `T` has an absolute error below 2^-106. Finally `2^T = 2^n 2^F` by the series of 2^F, `0 <= F < 1`.
//!
//! The relative error of the power is below 2^-105. The 2^60 pairs whose power is neither trivial nor out of range come as near
//! as about 2^-86 to a jump of the rounding, if they behave like random numbers; that one is nearer than
//! 2^-105 has a probability below 2^-18. The result is the power cut to 53 bits with an odd last one, so that any
//! later rounding is right.

use super::constants::logarithm::{POW_INVERSES, POW_WIDE_EXP2, POW_WIDE_LOG2};
use super::logarithm::split;
use crate::math::{Bits, Real};

const ROUND: f64 = 6_755_399_441_055_744.0;
const LIMB: u64 = (1 << 30) - 1;
/// The first table entry is for `m` near 45/64.
const FIRST: u64 = 45;

/// An integer in a float of less than 2^51, as bits, and the rest of the float times 2^30.
fn digit<R: Real>(x: R) -> (R::Bits, R) {
    let shifted = x + ROUND;
    (shifted.bits() - ROUND.to_bits(), (x - (shifted - ROUND)) * 1_073_741_824.0)
}

/// Columns of weight 2^-150, 2^-120 ... to limbs; what is above them comes last.
fn carry<B: Bits>(columns: [B; 5]) -> ([B; 4], B) {
    let [a, b, c, d, e] = columns;
    let b = b + a.sar(30);
    let c = c + b.sar(30);
    let d = d + c.sar(30);
    let e = e + d.sar(30);
    ([b & LIMB, c & LIMB, d & LIMB, e & LIMB], e.sar(30))
}

/// The limbs of an entry of a table of numbers of 120 bits, 60 in each word. The last one may be larger.
fn entry<B: Bits>(index: B, table: &'static [u64]) -> [B; 4] {
    let (low, high) = (index.of_table(table), (index + 1).of_table(table));
    [low & LIMB, low >> 30, high & LIMB, high >> 30]
}

/// The terms of a series by Horner's rule: `sum = term + multiply(sum)`, where the factor's result is in columns.
fn series<R: Real>(x: R, table: &'static [u64], multiply: impl Fn([R::Bits; 4]) -> [R::Bits; 4]) -> [R::Bits; 4] {
    let first = entry(x.n(0), table).map(R::of_bits);
    let state = [first[0], first[1], first[2], first[3], R::of_bits(x.n(2))];
    let count = u32::try_from(table.len() / 2 - 1).expect("a table is short");
    let [a, b, c, d, _] = R::repeat(count, state, |[a, b, c, d, index]| {
        let term = entry(index.bits(), table);
        let product = multiply([a, b, c, d].map(R::bits));
        let columns = [product[0], product[1] + term[0], product[2] + term[1], product[3] + term[2], term[3]];
        let (sum, _) = carry(columns);
        let [a, b, c, d] = sum.map(R::of_bits);
        [a, b, c, d, R::of_bits(index.bits() + 2)]
    });
    [a, b, c, d].map(R::bits)
}

/// `x^y`, not exactly a number of few bits, for a positive `x` and `2^-26 <= |T| < 160`.
pub fn power<R: Real>(x: R, y: R) -> R {
    let (n, v) = scaled(x, y);
    // The hidden bit adds one to the exponent.
    let mantissa = (v[3] << 23) | (v[2] >> 7);
    R::of_bits((((n + 1022) << 52) + mantissa) | 1)
}

/// `x^y` as `2^n * 2 v`, with `v` in limbs.
pub fn scaled<R: Real>(x: R, y: R) -> (R::Bits, [R::Bits; 4]) {
    let (k, m) = split(x);
    let (nearest, _) = digit(m * 64.0);
    let index = (nearest - FIRST) * 3;
    let z = m * R::of_bits(index.of_table(&POW_INVERSES)) - 1.0;
    let log = entry(index + 1, &POW_INVERSES);

    // G / 2 by powers of -64 z, which has 30 bits after the point.
    let (minus_z, _) = digit(z * -68_719_476_736.0);
    let g = series(x, &POW_WIDE_LOG2, |sum| sum.map(|limb| limb * minus_z));

    // The table has 1 - log2 c; its integer is above the last limb.
    let (k, _) = digit(k);
    let a = [log[0], log[1], log[2], log[3] & LIMB, (log[3] >> 30) + k - 1];
    let (y2, rest) = digit(y);
    let (y1, rest) = digit(rest);
    let (y0, _) = digit(rest);
    let (w3, rest) = digit(y * z * 2.0);
    let (w2, rest) = digit(rest);
    let (w1, rest) = digit(rest);
    let (w0, _) = digit(rest);
    let columns = [
        w2 * g[0] + w1 * g[1] + w0 * g[2] + y1 * a[0] + y0 * a[1],
        w3 * g[0] + w2 * g[1] + w1 * g[2] + w0 * g[3] + y2 * a[0] + y1 * a[1] + y0 * a[2],
        w3 * g[1] + w2 * g[2] + w1 * g[3] + y2 * a[1] + y1 * a[2] + y0 * a[3],
        w3 * g[2] + w2 * g[3] + y2 * a[2] + y1 * a[3] + y0 * a[4],
        w3 * g[3] + y2 * a[3] + y1 * a[4],
    ];
    let (f, above) = carry(columns);
    let n = above + y2 * a[4];

    // 2^F / 2.
    let v = series(x, &POW_WIDE_EXP2, |s| {
        [
            s[0] * f[3] + s[1] * f[2] + s[2] * f[1] + s[3] * f[0],
            s[1] * f[3] + s[2] * f[2] + s[3] * f[1],
            s[2] * f[3] + s[3] * f[2],
            s[3] * f[3],
        ]
    });
    (n, v)
}
