//! The constants of trigonometric functions of `f64`.
//!
//! The method: all numbers are computed with 1,400 bits (the table of 2/pi) or 500 bits (`fit`).
//! Numbers in parts are cut from the front: each head is the number, or what the heads before it left, rounded to
//! the stated count of bits. Polynomials interpolate at Chebyshev nodes of the squared argument `z`, the first
//! term of each function being taken out exactly:
//! `sin x = x + x z S(z)`, `cos x = 1 - z/2 + z^2 C(z)`, `atan t = t + t z A(z)`, `asin x = x + x z B(z)`.
//! Each coefficient is rounded to nearest; the first one of `S` is in two parts.

use super::fit::{PRECISION, float, pi, polynomial, text};
use rug::{Float, Integer, float::Constant};
use std::fmt::Write;

/// A number's head of `bits` bits, rounded to nearest; the rest stays.
fn cut(rest: &mut Float, bits: u32) -> f64 {
    let head = Float::with_val(bits, &*rest).to_f64();
    *rest -= head;
    head
}

/// A number in parts of these many bits.
fn parts(number: &Float, bits: &[u32]) -> Vec<f64> {
    let mut rest = number.clone();
    bits.iter().map(|&bits| cut(&mut rest, bits)).collect()
}

fn array(out: &mut String, name: &str, about: &str, numbers: &[f64]) {
    let numbers: Vec<String> = numbers.iter().map(|&x| text(x)).collect();
    writeln!(out, "/// {about}\npub const {name}: [f64; {}] = [{}];", numbers.len(), numbers.join(", ")).unwrap();
}

/// A polynomial in the square of the argument; `whole` says what the function is, given the rest `f(z)`,
/// to measure the error relative to the whole result. As the rest is weighted by `z`, small `z` need less: the
/// nodes lie on `[low, high]`, with the best of 32 values of `low`. `tails` many coefficients are in two parts.
fn fitted(
    out: &mut String,
    [name, about]: [&str; 2],
    f: impl Fn(&Float) -> Float,
    high: f64,
    degree: usize,
    tails: usize,
    whole: impl Fn(&Float, &Float) -> Float,
) {
    let points: Vec<Float> = (1..=500u32).map(|i| float(high) * i / 500u32).collect();
    let right: Vec<(Float, Float)> = points.iter().map(|z| (z.clone(), whole(z, &f(z)))).collect();
    let mut best: (f64, Vec<f64>) = (f64::INFINITY, Vec::new());
    for low in 0..32 {
        let found = polynomial(&f, high * 1e-9 + high * low as f64 / 128.0, high, degree, tails);
        let mut worst = float(0.0);
        for (z, right) in &right {
            let error = ((whole(z, &super::fit::value(&found, z)) - right) / right).abs();
            if error > worst {
                worst = error;
            }
        }
        let worst = worst.log2().to_f64();
        if worst < best.0 {
            best = (worst, found[..tails].iter().map(|c| c.tail).chain(found.iter().map(|c| c.head)).collect());
        }
    }
    array(out, name, &format!("{about}; relative error of the function 2^{:.1}.", best.0), &best.1);
}

/// The words of 2/pi, 64 bits each, with one word of zeros in front.
fn words(count: usize) -> Vec<u64> {
    let pi = Float::with_val(1400, Constant::Pi);
    let shifted = (Float::with_val(1400, 2.0) / pi) << (64 * (count as i32 - 1));
    let whole: Integer = shifted.trunc().to_integer().unwrap();
    (0..count).map(|i| (Integer::from(&whole >> (64 * (count - 1 - i) as u32))).to_u64_wrapping()).collect()
}

/// The text of `constants.rs`.
pub(super) fn constants() -> String {
    let mut out = String::new();
    let (pi, half_pi) = (pi(), pi() / 2u32);
    let two_over_pi = Float::with_val(PRECISION, 2.0) / &pi;
    writeln!(out, "/// 2/pi, rounded.\npub const TWO_OVER_PI: f64 = {};", text(two_over_pi.to_f64())).unwrap();
    array(
        &mut out,
        "HALF_PI",
        "pi/2 in parts of 53, 33 and 53 bits; what is left is below 2^-141.",
        &parts(&half_pi, &[53, 33, 53]),
    );
    array(
        &mut out,
        "HALF_PI_SCALED",
        "pi/2 * 2^-62 in two parts.",
        &parts(&Float::with_val(PRECISION, &half_pi >> 62), &[53, 53]),
    );
    array(&mut out, "PI", "pi in two parts.", &parts(&pi, &[53, 53]));
    array(
        &mut out,
        "QUARTER_PI",
        "pi/4 in two parts; the first one has 50 bits, so its multiples up to 4 are exact.",
        &parts(&Float::with_val(PRECISION, &pi / 4u32), &[50, 53]),
    );
    let table: Vec<String> = words(20).iter().map(|w| format!("{w:#018x}")).collect();
    writeln!(
        out,
        "/// 2/pi: 64 zeros, then its first 1,216 bits.\npub static TWO_OVER_PI_BITS: [u64; 20] = [\n    {},\n];",
        table.chunks(5).map(|c| c.join(", ")).collect::<Vec<_>>().join(",\n    ")
    )
    .unwrap();

    let largest = Float::with_val(PRECISION, half_pi / 2u32).square().to_f64() * 1.0001;
    let sine = |z: &Float| {
        let x = z.clone().sqrt();
        (x.clone().sin() / x - 1u32) / z
    };
    let cosine = |z: &Float| {
        let x = z.clone().sqrt();
        let z2 = z.clone().square();
        (x.cos() - 1u32 + Float::with_val(PRECISION, z / 2u32)) / z2
    };
    let arc_tangent = |z: &Float| {
        let x = z.clone().sqrt();
        (x.clone().atan() / x - 1u32) / z
    };
    let arc_sine = |z: &Float| {
        let x = z.clone().sqrt();
        (x.clone().asin() / x - 1u32) / z
    };
    let odd = |z: &Float, f: &Float| Float::with_val(PRECISION, z * f) + 1u32;
    fitted(
        &mut out,
        [
            "SIN",
            "What the first coefficient's rounding lost, then S of `sin x = x + x z S(z)` for `z = x^2 <= (pi/4)^2`",
        ],
        sine,
        largest,
        5,
        1,
        odd,
    );
    fitted(
        &mut out,
        ["COS", "C of `cos x = 1 - z/2 + z^2 C(z)` for `z = x^2 <= (pi/4)^2`"],
        cosine,
        largest,
        5,
        0,
        |z, f| Float::with_val(PRECISION, 1u32 - Float::with_val(PRECISION, z / 2u32)) + z.clone().square() * f,
    );
    fitted(
        &mut out,
        ["ATAN", "A of `atan t = t + t z A(z)` for `z = t^2`, `|t| <= tan(pi/8)`"],
        arc_tangent,
        0.1718,
        10,
        0,
        odd,
    );
    fitted(&mut out, ["ASIN", "B of `asin x = x + x z B(z)` for `z = x^2 <= 1/4`"], arc_sine, 0.25, 12, 0, odd);
    out
}
