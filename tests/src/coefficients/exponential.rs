//! The constants of exponentials, hyperbolic functions and roots of `f32`.
//!
//! Polynomials interpolate at Chebyshev nodes (`fit`) what remains of a function when its first terms, which
//! are exact, are taken off, on the interval of the reduced argument. The error that is stated is relative to the
//! whole function. Each degree is the least for which no `f32` argument comes out wrong .

use super::fit::{Coefficient, PRECISION, float, polynomial, text, value};
use rug::Float;
use rug::float::Constant;
use std::fmt::Write;

/// The bits of the first part of a `ln 2`: with an integer of 8 bits the product has at most 53.
const HEAD_BITS: u32 = 42;

/// The text of `constants.rs`.
pub(super) fn constants() -> String {
    let mut out = String::new();
    let ln2 = Float::with_val(PRECISION, Constant::Log2);
    let log10_2 = float(2.0).log10();
    let half_ln2 = ln2.clone() / 2u32;

    let shift = 1.5 * 2f64.powi(52);
    number(&mut out, "SHIFT", shift, "A sum with it has the nearest integer in its low bits.");
    number(&mut out, "SHIFT_TO_POWER", shift + 1023.0, "The low bits become the exponent of `2^k`.");
    number(&mut out, "SHIFT_TO_HALF_POWER", shift + 1022.0, "The low bits become the exponent of `2^(k-1)`.");
    unit(&mut out, "LN_2", &ln2, "`1 / ln 2`, and `ln 2` in two parts");
    unit(&mut out, "LOG10_2", &log10_2, "`log2(10)`, and `log10(2)` in two parts");
    unit(&mut out, "HALF_LN_2", &half_ln2, "`2 / ln 2`, and `ln(2) / 2` in two parts");

    // Of the multiples of `1 / (64 * sqrt(3))`, which have all the bits of a fraction, the least one with no wrong result.
    let slope = -112.0 / 64.0 / 3f64.sqrt();
    number(&mut out, "EXP2_SLOPE", slope, "The part of the linear term of `2^r` that is added first.");

    let exp_m1 = |x: &Float| x.clone().exp_m1();
    let fits = [
        Fit {
            name: "EXP",
            what: "`(e^r - 1) / r`",
            f: &|r| exp_m1(r) / r,
            relative: &|r| r.clone() / r.clone().exp(),
            limit: half_ln2.to_f64(),
            degree: 9,
        },
        Fit {
            name: "EXP2",
            what: "`(2^r - 1) / r - EXP2_SLOPE`",
            f: &|r| exp_m1(&(r * ln2.clone())) / r - slope,
            relative: &|r| r.clone() / r.clone().exp2(),
            limit: 0.5,
            degree: 9,
        },
        Fit {
            name: "EXP10",
            what: "`(10^r - 1) / r`",
            f: &|r| exp_m1(&(r * float(10.0).ln())) / r,
            relative: &|r| r.clone() / r.clone().exp10(),
            limit: log10_2.to_f64() / 2.0,
            degree: 9,
        },
        Fit {
            name: "EXP_M1",
            what: "`(e^r - 1 - r) / r^2`",
            f: &|r| (exp_m1(r) - r) / r.clone().square(),
            relative: &|r| r.clone().square() / exp_m1(r),
            limit: half_ln2.to_f64(),
            degree: 8,
        },
        Fit {
            name: "TANH",
            what: "`((e^(2r) - 1) / 2 - r) / r^2`",
            f: &|r| (exp_m1(&(r.clone() * 2u32)) / 2u32 - r) / r.clone().square(),
            relative: &|r| r.clone().square() / (exp_m1(&(r.clone() * 2u32)) / 2u32),
            limit: half_ln2.to_f64() / 2.0,
            degree: 8,
        },
    ];
    for fit in &fits {
        let c = polynomial(fit.f, -fit.limit, fit.limit, fit.degree, 0);
        array(&mut out, fit.name, fit.what, &c, error(fit.f, fit.relative, &c, -fit.limit, fit.limit));
    }

    // In the square `u` of the rest.
    let limit = half_ln2.to_f64().powi(2);
    let odd = |u: &Float| {
        let r = u.clone().sqrt();
        (r.clone().sinh() - &r) / (r * u)
    };
    // On an interval wider by 3/32 the degree 3 makes no wrong result (found by trying).
    let c = polynomial(odd, 0.0, limit * (1.0 + 3.0 / 32.0), 3, 0);
    let relative = |u: &Float| u.clone() * u.clone().sqrt() / u.clone().sqrt().sinh();
    array(&mut out, "SINH", "`(sinh(r) - r) / r^3`, of `r^2`", &c, error(odd, relative, &c, 0.0, limit));
    let even = |u: &Float| (u.clone().sqrt().cosh() - 1u32) / u;
    let c = polynomial(even, 0.0, limit, 4, 0);
    let relative = |u: &Float| u.clone() / u.clone().sqrt().cosh();
    array(&mut out, "COSH", "`(cosh(r) - 1) / r^2`, of `r^2`", &c, error(even, relative, &c, 0.0, limit));

    cube_root(&mut out);
    out
}

/// A polynomial of the rest.
struct Fit<'a> {
    name: &'a str,
    what: &'a str,
    f: &'a dyn Fn(&Float) -> Float,
    /// What an error of `f` is multiplied by to be one relative to the whole function.
    relative: &'a dyn Fn(&Float) -> Float,
    /// The interval is from minus it to it.
    limit: f64,
    degree: usize,
}

/// The base-2 logarithm of the largest error.
pub(super) fn error(
    f: impl Fn(&Float) -> Float,
    weight: impl Fn(&Float) -> Float,
    c: &[Coefficient],
    low: f64,
    high: f64,
) -> f64 {
    let points = (0..2000).map(|i| float(low + (high - low) * (f64::from(i) + 0.5) / 2000.0));
    let errors = points.map(|x| ((value(c, &x) - f(&x)) * weight(&x)).abs().to_f64());
    errors.fold(0.0, f64::max).log2()
}

/// The start of the cube root: the bits of `y` are a constant less a third of those of `x`. The constant makes the
/// largest `|h|` least, to 2^-9 of the interval; the polynomial is for just that interval.
fn cube_root(out: &mut String) {
    // The sign, the exponent and 8 bits of the fraction.
    let mask = !0u64 << 44;
    let third = (1u64 << 32) / 3;
    let range = |start: u64| {
        let mut range = (0f64, 0f64);
        // Three octaves; the pattern repeats.
        for i in 0..3 << 13 {
            let x = f64::from_bits((1023 << 52) + ((i as u64) << 39));
            let y = f64::from_bits((start - (x.to_bits() >> 32) * third) & mask);
            let h = 1.0 - x * y * y * y;
            range = (range.0.min(h), range.1.max(h));
        }
        range
    };
    let middle = (1023u64 << 52) / 3 * 4;
    let starts = (0..1024).map(|i| middle - (1 << 50) + (i << 41));
    let worst = |&start: &u64| range(start).1.max(-range(start).0);
    let start = starts.min_by(|a, b| worst(a).total_cmp(&worst(b))).expect("some");
    let (low, high) = range(start);
    let f = |h: &Float| ((-(float(1.0) - h).ln() * 2u32 / 3u32).exp_m1()) / h;
    let relative = |h: &Float| h.clone() * ((float(1.0) - h).ln() * 2u32 / 3u32).exp();
    // Fitted on a part of the interval, the degree 9 makes no wrong result (found by trying).
    let part = 1.0 - 3.0 / 128.0;
    let c = polynomial(f, low * part, high * part, 9, 0);
    bits(out, "CBRT_THIRD", third, "A third, with the point before bit 32.");
    bits(out, "CBRT_START", start, "From it a third of the bits of `x` is taken.");
    bits(out, "CBRT_MASK", mask, "What is kept of the start: 9 bits.");
    let what = format!("`((1 - h)^(-2/3) - 1) / h`, for `h` from {low:.4} to {high:.4}");
    array(out, "CBRT", &what, &c, error(f, relative, &c, low, high));
}

pub(super) fn number(out: &mut String, name: &str, value: f64, what: &str) {
    writeln!(out, "/// {what}\npub const {name}: f64 = {};", text(value)).unwrap();
}

fn bits(out: &mut String, name: &str, value: u64, what: &str) {
    writeln!(out, "/// {what}\npub const {name}: u64 = {value:#018x};").unwrap();
}

/// The inverse of a unit, and the unit in two parts.
fn unit(out: &mut String, name: &str, unit: &Float, what: &str) {
    let inverse = Float::with_val(PRECISION, 1u32 / unit).to_f64();
    let head = Float::with_val(HEAD_BITS, unit).to_f64();
    let tail = Float::with_val(PRECISION, unit - head).to_f64();
    let rest = Float::with_val(PRECISION, unit - head) - tail;
    let error = rest.abs().log2().to_f64().ceil();
    writeln!(out, "/// {what}: the first of {HEAD_BITS} bits; together they have an error of 2^{error}.").unwrap();
    writeln!(out, "pub const {name}: [f64; 3] = [{}, {}, {}];", text(inverse), text(head), text(tail)).unwrap();
}

pub(super) fn array(out: &mut String, name: &str, what: &str, coefficients: &[Coefficient], error: f64) {
    writeln!(out, "/// {what}; error below 2^{:.1} of the whole function.", (error * 10.0).ceil() / 10.0).unwrap();
    writeln!(out, "pub const {name}: [f64; {}] = [", coefficients.len()).unwrap();
    for c in coefficients {
        writeln!(out, "    {},", text(c.head)).unwrap();
    }
    writeln!(out, "];").unwrap();
}
