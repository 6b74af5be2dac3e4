//! Polynomials for functions, computed in numbers of many bits.
//!
//! The method: a function is interpolated at the Chebyshev nodes of an interval, which is within a small factor of
//! the best polynomial of that degree. Each coefficient is rounded to `f64`, or to two of them. The bound of the
//! error is the largest one at many points between.

use rug::Float;

/// The bits of all numbers here.
pub const PRECISION: u32 = 500;

/// A number of many bits.
pub fn float(value: f64) -> Float {
    Float::with_val(PRECISION, value)
}

/// The ratio of a circle's circumference to its diameter.
pub fn pi() -> Float {
    Float::with_val(PRECISION, rug::float::Constant::Pi)
}

/// The Chebyshev nodes of an interval.
fn nodes(low: &Float, high: &Float, count: usize) -> Vec<Float> {
    let middle = Float::with_val(PRECISION, low + high) / 2u32;
    let half = Float::with_val(PRECISION, high - low) / 2u32;
    (0..count)
        .map(|i| {
            let angle = Float::with_val(PRECISION, pi() * (2 * i + 1) as u32) / (2 * count) as u32;
            Float::with_val(PRECISION, &half * angle.cos()) + &middle
        })
        .collect()
}

/// The coefficients, lowest first, of the polynomial through values at points.
fn interpolate(points: &[Float], values: &[Float]) -> Vec<Float> {
    let n = points.len();
    // Divided differences, then Newton's form is multiplied out.
    let mut table = values.to_vec();
    for level in 1..n {
        for i in (level..n).rev() {
            let rise = Float::with_val(PRECISION, &table[i] - &table[i - 1]);
            table[i] = rise / Float::with_val(PRECISION, &points[i] - &points[i - level]);
        }
    }
    let mut result = vec![float(0.0); n];
    for i in (0..n).rev() {
        for j in (1..n).rev() {
            let lower = result[j - 1].clone();
            result[j] = lower - Float::with_val(PRECISION, &result[j] * &points[i]);
        }
        result[0] = Float::with_val(PRECISION, &table[i] - Float::with_val(PRECISION, &result[0] * &points[i]));
    }
    result
}

/// The coefficients, lowest first, of a polynomial of `degree` for `f` on an interval. `pairs` many of the lowest are
/// given as two numbers, the second one what the rounding of the first one left (see [`Coefficient`]).
pub fn polynomial(f: impl Fn(&Float) -> Float, low: f64, high: f64, degree: usize, pairs: usize) -> Vec<Coefficient> {
    let (low, high) = (float(low), float(high));
    let mut points = nodes(&low, &high, degree + 1);
    for point in &mut points {
        // Functions such as `ln(1 + x) / x` have no value there.
        if point.clone().abs() < 1e-60 {
            *point += Float::with_val(PRECISION, &high - &low) * 1e-20;
        }
    }
    let values: Vec<Float> = points.iter().map(f).collect();
    let exact = interpolate(&points, &values);
    let rounded = |(i, exact): (usize, &Float)| {
        let head = exact.to_f64();
        let tail = if i < pairs { Float::with_val(PRECISION, exact - head).to_f64() } else { 0.0 };
        Coefficient { head, tail }
    };
    exact.iter().enumerate().map(rounded).collect()
}

/// A coefficient: a number, and what its rounding left, or zero.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient {
    /// The number.
    pub head: f64,
    /// What its rounding left, or zero.
    pub tail: f64,
}

/// The value of a polynomial, in many bits.
pub fn value(coefficients: &[Coefficient], x: &Float) -> Float {
    let mut sum = float(0.0);
    for c in coefficients.iter().rev() {
        sum = sum * x + c.head + c.tail;
    }
    sum
}

/// The base-2 logarithm of the largest relative error of a polynomial on an interval.
pub fn relative_error(f: impl Fn(&Float) -> Float, coefficients: &[Coefficient], low: f64, high: f64) -> f64 {
    let mut worst = float(0.0);
    for i in 0..=4000u32 {
        let x = float(low) + Float::with_val(PRECISION, float(high) - float(low)) * i / 4000u32;
        let right = f(&x);
        if right.is_zero() || !right.is_finite() {
            continue;
        }
        let error = ((value(coefficients, &x) - &right) / right).abs();
        if error > worst {
            worst = error;
        }
    }
    worst.log2().to_f64()
}

/// A number as Rust text that reads back exactly.
pub fn text(value: f64) -> String {
    format!("{value:e}")
}
