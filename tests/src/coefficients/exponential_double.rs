//! The constants of exponentials, logarithms, powers, hyperbolic functions and roots of `f64`.
//!
//! The method: logarithms in 500 bits by MPFR, rounded to `f64` (to nearest), with what the rounding left rounded to a
//! second one. A "short" constant has its last 11 bits cut off, such that its products with integers of 11 bits are
//! exact. Polynomials come from `fit`: interpolation at the Chebyshev nodes, each coefficient rounded to nearest. Their
//! bounds are the largest relative error at 4001 points. The start of the cube root is the integer for which `a * r^3`
//! spreads evenly around 1, found by bisection on 3 * 2^14 numbers from 1 to 8.

use super::fit::{Coefficient, PRECISION, float, polynomial, relative_error, text};
use rug::Float;
use std::fmt::Write;

/// The text of a named number.
fn number(out: &mut String, name: &str, value: f64, what: &str) {
    writeln!(out, "/// {what}\npub const {name}: f64 = {};", text(value)).unwrap();
}

/// A constant in two parts, `name` and `name_LOW`; and short, if asked for.
fn pair(out: &mut String, name: &str, value: &Float, what: &str, short: bool) {
    let mut write = |name: String, head: f64, what: String| {
        number(out, &name, head, &format!("{what}; the sum with the next one is exact to 2^-105 of it."));
        number(out, &format!("{name}_LOW"), Float::with_val(PRECISION, value - head).to_f64(), "What is left of it.");
    };
    write(name.into(), value.to_f64(), what.into());
    if short {
        let head = f64::from_bits(value.to_f64().to_bits() & !0x7ff);
        write(format!("{name}_SHORT"), head, format!("{what}, in 42 bits"));
    }
}

/// Numbers as a named array.
fn array(out: &mut String, name: &str, values: &[f64], what: &str) {
    writeln!(out, "/// {what}\npub const {name}: [f64; {}] = [", values.len()).unwrap();
    for value in values {
        writeln!(out, "    {},", text(*value)).unwrap();
    }
    writeln!(out, "];").unwrap();
}

/// A polynomial's array, with its bound; and one of the low parts of its first `pairs` coefficients.
fn fitted(
    out: &mut String,
    name: &str,
    f: impl Fn(&Float) -> Float,
    range: [f64; 2],
    count: usize,
    pairs: usize,
    what: &str,
) {
    let [low, high] = range;
    let c: Vec<Coefficient> = polynomial(&f, low, high, count - 1, pairs);
    let error = relative_error(&f, &c, low, high);
    let heads: Vec<f64> = c.iter().map(|c| c.head).collect();
    array(out, name, &heads, &format!("{what}, from {low} to {high}: relative error 2^{error:.1}."));
    if pairs > 0 {
        let lows: Vec<f64> = c[..pairs].iter().map(|c| c.tail).collect();
        array(out, &format!("{name}_LOW"), &lows, "What is left of its first coefficients.");
    }
}

/// The start of the cube root, and the smallest and largest `a * r^3`.
fn cube_root_start() -> (u64, [f64; 2]) {
    let spread = |start: u64| {
        let mut spread = [f64::MAX, 0.0];
        for i in 0..3 << 14u64 {
            let a = f64::from_bits(((1023 << 14) + i) << 38);
            let r = f64::from_bits((start - (((a.to_bits() >> 32) * 0x5555_5556) >> 32)) << 32);
            let product = a * r * (r * r);
            spread = [product.min(spread[0]), product.max(spread[1])];
        }
        spread
    };
    let (mut below, mut above) = (0x5400_0000u64, 0x5600_0000u64);
    while above - below > 1 {
        let middle = (below + above) / 2;
        let [low, high] = spread(middle);
        if low + high < 2.0 { below = middle } else { above = middle }
    }
    (below, spread(below))
}

/// The text of `constants.rs`.
pub(super) fn constants() -> String {
    let mut out = String::new();
    out += "// Each was computed here, those of the standard library too.\n#![allow(clippy::approx_constant)]\n\n";
    let (two, ten) = (float(2.0).ln(), float(10.0).ln());
    pair(&mut out, "LN_2", &two, "ln 2", true);
    pair(&mut out, "LN_10", &ten, "ln 10", false);
    pair(&mut out, "LOG2_E", &float(1.0).exp().log2(), "log2 e", false);
    pair(&mut out, "LOG10_E", &float(1.0).exp().log10(), "log10 e", false);
    pair(&mut out, "LOG10_2", &float(2.0).log10(), "log10 2", true);
    number(&mut out, "LOG2_10", float(10.0).log2().to_f64(), "log2 10, rounded.");

    // (ln 2 / 2)^2 and a little more.
    let z = [0.0, 0.1203];
    let sinh = |z: &Float| {
        let r = z.clone().sqrt();
        (r.clone().sinh() / &r - 1u32) / z
    };
    let cosh = |z: &Float| (z.clone().sqrt().cosh() - 1u32 - z.clone() / 2u32) / z.clone().square();
    fitted(&mut out, "SINH", sinh, z, 5, 0, "(sinh(r) - r) / r^3 by z = r^2");
    fitted(&mut out, "SINH_PRECISE", sinh, z, 6, 0, "The same, more precise");
    fitted(&mut out, "COSH", cosh, z, 5, 0, "(cosh(r) - 1 - z / 2) / z^2 by z = r^2");

    // With s = 2 (m - 1) / (m + 1), ln m = 2 atanh(s / 2); |s| <= 0.34315.
    let z = [0.0, 0.1178];
    let ln = |z: &Float| {
        let s = z.clone().sqrt();
        (Float::with_val(PRECISION, &s / 2u32).atanh() * 2u32 / s - 1u32) / z
    };
    fitted(&mut out, "LN", ln, z, 8, 0, "(ln(m) - s) / s^3 by z = s^2");
    fitted(&mut out, "LN_PRECISE", ln, z, 9, 2, "The same, more precise");

    let (start, [low, high]) = cube_root_start();
    writeln!(
        out,
        "/// The upper half of r's bits is this less a third of that of a's; a * r^3 is from {low:.4} to {high:.4}."
    )
    .unwrap();
    writeln!(out, "pub const CBRT_START: u64 = {start:#x};").unwrap();
    let cbrt = |h: &Float| ((Float::with_val(PRECISION, 1u32 - h).cbrt()).recip() - 1u32) / h;
    let widest = ((1.0 - low).max(high - 1.0) * 1e4).ceil() / 1e4;
    fitted(&mut out, "CBRT", cbrt, [-widest, widest], 4, 0, "((1 - h)^(-1/3) - 1) / h");
    out
}
