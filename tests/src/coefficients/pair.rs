//! The constants of functions in pairs of `f32`.
//!
//! The method is that of the functions in `f64` (`fit`); degrees are so high that the error is below 2^-42 of the function.
//! A coefficient is written as an `f64`, which has the bits of a pair.
//!
//! A bound of errors is for all that a pair is off by: the polynomial, the constants and the roundings. It is a power of two for
//! which no argument has a sure result that is wrong, found by trying all of them.

use super::exponential::{array, error, number};
use super::fit::{PRECISION, float, pi, polynomial, text};
use rug::Float;
use rug::float::Constant;
use std::fmt::Write;

/// Exponentials and the hyperbolic tangent.
pub(super) fn exponential() -> String {
    let mut out = String::new();
    let ln2 = Float::with_val(PRECISION, Constant::Log2);
    let ln10 = float(10.0).ln();
    let log10_2 = float(2.0).log10();
    let half_ln2 = ln2.clone() / 2u32;
    for (name, unit, what) in [
        ("LN_2", &ln2, "`1 / ln 2`, and `ln 2` in parts of 16, 16 and 24 bits."),
        ("LOG10_2", &log10_2, "`log2(10)`, and `log10(2)` in parts of 16, 16 and 24 bits."),
        ("HALF_LN_2", &half_ln2, "`2 / ln 2`, and `ln(2) / 2` in parts of 16, 16 and 24 bits."),
    ] {
        let inverse = Float::with_val(PRECISION, 1u32 / unit).to_f64();
        list(&mut out, name, what, &[vec![inverse], parts(unit, &[16, 16, 24])].concat());
    }
    let exponentials = [
        ("EXP", "`e^r`", half_ln2.to_f64(), float(1.0)),
        ("EXP2", "`2^r`", 0.5, ln2.clone()),
        ("EXP10", "`10^r`", log10_2.to_f64() / 2.0, ln10),
    ];
    for (name, what, limit, rate) in exponentials {
        let f = |r: &Float| (r.clone() * &rate).exp_m1() / r;
        let relative = |r: &Float| r.clone() / (r.clone() * &rate).exp();
        let c = polynomial(f, -limit, limit, 8, 0);
        let error = error(f, relative, &c, -limit, limit);
        let all: Vec<f64> = [1.0].into_iter().chain(c.iter().map(|c| c.head)).collect();
        list(&mut out, name, &format!("{what}; error below 2^{:.1} of it.", (error * 10.0).ceil() / 10.0), &all);
    }
    let limit = half_ln2.to_f64() / 2.0;
    let f = |r: &Float| (r.clone() * 2u32).exp_m1() / 2u32 / r;
    let c = polynomial(f, -limit, limit, 9, 0);
    array(&mut out, "TANH", "`(e^(2r) - 1) / (2r)`", &c, error(f, |r| 1u32 / f(r), &c, -limit, limit));
    bound(&mut out, "EXP_ERROR", -40, "exponentials");
    bound(&mut out, "TANH_ERROR", -39, "the hyperbolic tangent");
    bound(&mut out, "RSQRT_ERROR", -39, "the reciprocal root");
    out
}

/// Logarithms.
pub(super) fn logarithm() -> String {
    let mut out = String::new();
    let ln2 = Float::with_val(PRECISION, Constant::Log2);
    // A little more than where `m` is the root of 2 or of 1/2.
    let root = float(2.0).sqrt();
    let most = (Float::with_val(PRECISION, &root - 1u32) / Float::with_val(PRECISION, &root + 1u32)).to_f64() * 1.0001;
    for (name, what, base) in [
        ("LN", "`2 atanh(s) / s`, of `s^2`", float(1.0)),
        ("LOG2", "the same divided by `ln 2`", ln2.clone()),
        ("LOG10", "the same divided by `ln 10`", float(10.0).ln()),
    ] {
        let f = |u: &Float| {
            let s = u.clone().sqrt();
            s.clone().atanh() / s * 2u32 / &base
        };
        let limit = most * most;
        let c = polynomial(f, 0.0, limit, 5, 0);
        array(&mut out, name, what, &c, error(f, |u| 1u32 / f(u), &c, 0.0, limit));
    }
    list(&mut out, "LN_UNIT", "`ln 2` in parts of 16, 16 and 24 bits.", &parts(&ln2, &[16, 16, 24]));
    list(
        &mut out,
        "LOG10_UNIT",
        "`log10(2)` in parts of 16, 16 and 24 bits.",
        &parts(&float(2.0).log10(), &[16, 16, 24]),
    );
    bound(&mut out, "LN_ERROR", -39, "logarithms");
    out
}

/// Sine and cosine.
pub(super) fn circular() -> String {
    let mut out = String::new();
    let half_pi = pi() / 2u32;
    number(&mut out, "PER_HALF_PI", Float::with_val(PRECISION, 1u32 / &half_pi).to_f64(), "`2 / pi`.");
    list(
        &mut out,
        "HALF_PI",
        "`pi / 2` in four parts of 12 bits and one of 24.",
        &parts(&half_pi, &[12, 12, 12, 12, 24]),
    );
    let limit = (half_pi.to_f64() / 2.0 * 1.001).powi(2);
    let sine = |u: &Float| u.clone().sqrt().sin() / u.clone().sqrt();
    let c = polynomial(sine, 0.0, limit, 5, 0);
    array(&mut out, "SIN", "`sin(r) / r`, of `r^2`", &c, error(sine, |u| 1u32 / sine(u), &c, 0.0, limit));
    let cosine = |u: &Float| u.clone().sqrt().cos();
    let c = polynomial(cosine, 0.0, limit, 5, 0);
    array(&mut out, "COS", "`cos(r)`, of `r^2`", &c, error(cosine, |u| 1u32 / cosine(u), &c, 0.0, limit));
    bound(&mut out, "SIN_ERROR", -39, "the sine and the cosine");
    out
}

/// A number as a sum of parts of so many bits.
fn parts(number: &Float, bits: &[u32]) -> Vec<f64> {
    let mut rest = number.clone();
    let mut part = |&bits: &u32| {
        let part = Float::with_val(bits, &rest).to_f64();
        rest -= part;
        part
    };
    bits.iter().map(&mut part).collect()
}

fn bound(out: &mut String, name: &str, exponent: i32, of: &str) {
    number(
        out,
        name,
        2f64.powi(exponent),
        &format!("The bound of the error of {of}, relative to the result: 2^{exponent}."),
    );
}

fn list(out: &mut String, name: &str, what: &str, values: &[f64]) {
    let texts: Vec<String> = values.iter().map(|&value| text(value)).collect();
    writeln!(out, "/// {what}\npub const {name}: [f64; {}] = [{}];", values.len(), texts.join(", ")).unwrap();
}
