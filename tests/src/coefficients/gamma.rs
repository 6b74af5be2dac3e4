//! The constants of the error functions and the gamma functions.
//!
//! The method: polynomials interpolate at Chebyshev nodes (`fit`) and each coefficient is rounded to
//! nearest. The functions, as they are used:
//! - `exp r` for `|r| <= ln 2 / 2`, and `ln x = 2 s + s z L(z)` with `s = (x - 1) / (x + 1)` and `z = s^2 <= 0.041`
//!   (`x` up to 1.502).
//! - `erf x = x E(x^2)` for `|x| <= 1/2`.
//! - `erfc x = exp(-x^2) u F(u - c)` with `u = 1 / (x + 3)` for `1/2 <= x <= 10.5`; `c` is the middle of all `u`.
//! - `1 / Gamma(1 + f) = 1 + f H(f)` for `|f| <= 1/2`.
//! - `ln Gamma(a) = (a - 1/2) (ln a - 1) + (ln(2 pi) - 1) / 2 + W(w) / a` with `w = 1 / a^2`, for `a >= 7.5`.
//! - `sin(pi f) / pi = f S(f^2)` for `|f| <= 1/2`.

use super::fit::{PRECISION, pi, polynomial, relative_error, text};
use rug::{Float, float::Constant};
use std::fmt::Write;

fn array(out: &mut String, name: &str, about: &str, numbers: &[f64]) {
    let numbers: Vec<String> = numbers.iter().map(|&x| text(x)).collect();
    writeln!(out, "/// {about}\npub const {name}: [f64; {}] = [{}];", numbers.len(), numbers.join(", ")).unwrap();
}

fn number(out: &mut String, name: &str, about: &str, number: f64) {
    writeln!(out, "/// {about}\npub const {name}: f64 = {};", text(number)).unwrap();
}

fn pair(out: &mut String, name: &str, about: &str, number: &Float) {
    let head = number.to_f64();
    array(out, name, about, &[head, Float::with_val(PRECISION, number - head).to_f64()]);
}

fn fitted(out: &mut String, name: &str, about: &str, f: impl Fn(&Float) -> Float, low: f64, high: f64, degree: usize) {
    let found = polynomial(&f, low, high, degree, 0);
    let error = relative_error(&f, &found, low, high);
    let heads: Vec<f64> = found.iter().map(|c| c.head).collect();
    array(out, name, &format!("{about}; relative error 2^{error:.1}."), &heads);
}

/// The text of `constants.rs`.
pub(super) fn constants() -> String {
    let p = PRECISION;
    let mut out = String::from(
        "//! Constants of the gamma and error functions; written by `coefficients`, not by hand.\n#![allow(clippy::approx_constant, clippy::excessive_precision)]\n\n",
    );
    let ln2 = Float::with_val(p, Constant::Log2);
    number(&mut out, "LOG2_E", "1 / ln 2, rounded.", ln2.clone().recip().to_f64());
    pair(&mut out, "LN_2", "ln 2 in two parts.", &ln2);
    fitted(&mut out, "EXP", "exp(r) for `|r| <= ln 2 / 2`", |r| r.clone().exp(), -0.3467, 0.3467, 11);
    let logarithm = |z: &Float| {
        let s = z.clone().sqrt();
        (s.clone().atanh() / s - 1u32) * 2u32 / z
    };
    fitted(&mut out, "LN", "L of `ln x = 2 s + s z L(z)`, `z <= 0.041`", logarithm, 0.0, 0.041, 7);

    let small = |z: &Float| {
        let x = z.clone().sqrt();
        x.clone().erf() / x
    };
    fitted(&mut out, "ERF", "E of `erf x = x E(x^2)` for `|x| <= 1/2`", small, 0.0, 0.25, 9);
    let (low, high) = (1.0 / 13.5, 1.0 / 3.5);
    let middle = (low + high) / 2.0;
    number(&mut out, "ERFC_MIDDLE", "c of `erfc x = exp(-x^2) u F(u - c)`.", middle);
    let scaled = |t: &Float| {
        let u = Float::with_val(p, t + middle);
        let x: Float = Float::with_val(p, u.recip_ref()) - 3u32;
        let factor = x.clone().square().exp();
        x.erfc() * factor / u
    };
    fitted(
        &mut out,
        "ERFC",
        "F of `erfc x = exp(-x^2) u F(u - c)` with `u = 1 / (x + 3)` for `1/2 <= x <= 10.5`",
        scaled,
        low - middle,
        high - middle,
        17,
    );

    let inverse = |f: &Float| {
        let x = Float::with_val(p, f + 1u32);
        (x.gamma().recip() - 1u32) / f
    };
    fitted(&mut out, "INVERSE_GAMMA", "H of `1 / Gamma(1 + f) = 1 + f H(f)` for `|f| <= 1/2`", inverse, -0.5, 0.5, 15);
    let constant = (Float::with_val(p, pi() * 2u32).ln() - 1u32) / 2u32;
    number(&mut out, "STIRLING_CONSTANT", "(ln(2 pi) - 1) / 2, rounded.", constant.to_f64());
    let rest = |w: &Float| {
        let a = w.clone().sqrt().recip();
        let main = Float::with_val(p, &a - 0.5) * (a.clone().ln() - 1u32);
        (a.clone().ln_gamma() - main - &constant) * a
    };
    // Not from 0, as infinity has no logarithm; near it the function is constant.
    fitted(
        &mut out,
        "STIRLING",
        "W of `ln Gamma(a) = (a - 1/2) (ln a - 1) + (ln(2 pi) - 1) / 2 + W(1 / a^2) / a` for `a >= 7.5`",
        rest,
        1e-9,
        1.0 / 56.25,
        5,
    );
    let sine = |z: &Float| {
        let f = z.clone().sqrt();
        Float::with_val(p, pi() * &f).sin() / f / pi()
    };
    fitted(&mut out, "SIN_PI", "S of `sin(pi f) / pi = f S(f^2)` for `|f| <= 1/2`", sine, 0.0, 0.25, 8);
    out
}
