//! `f16` on hosts, which have none: exact conversions, and the operations that need more
//! than a detour through `f64`.
//!
//! Sums, products, quotients, square roots and remainders of `f16`s are computed in `f64`
//! and rounded again. That is the same as rounding once, because the 53 bits of `f64` are
//! more than twice the 11 of `f16` and two.

use std::cmp::Ordering;

/// The bit pattern of the canonical `f16` NaN.
pub const NAN_F16: u16 = 0x7e00;
/// The bits of infinity.
const INFINITY: u16 = 0x7c00;

/// The same number.
pub fn to_f64(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The nearest `f16`, ties to even; a NaN becomes the canonical one.
///
/// ```
/// use samebits_ir::scalar::half::from_f64;
/// assert_eq!(from_f64(1.0), 0x3c00);
/// assert_eq!(from_f64(65_520.0), 0x7c00);
/// ```
pub fn from_f64(value: f64) -> u16 {
    if value.is_nan() {
        return NAN_F16;
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let sign = (bits >> 63) as u16;
    match exponent {
        0x7ff => sign << 15 | INFINITY,
        // Far below half of the least `f16`.
        0 => sign << 15,
        _ => nearest(sign == 1, u128::from(fraction | 1 << 52), exponent - 1075),
    }
}

/// The `f16` nearest to `magnitude * 2^exponent`, ties to even.
fn nearest(negative: bool, magnitude: u128, exponent: i32) -> u16 {
    let sign = u16::from(negative) << 15;
    if magnitude == 0 {
        return sign;
    }
    let top = 127 - magnitude.leading_zeros() as i32 + exponent;
    if top > 15 {
        return sign | INFINITY;
    }
    // The place of the result's last bit: 2^-24 for subnormals.
    let last = (top - 10).max(-24);
    let (kept, up) = match last - exponent {
        drop @ 1..128 => {
            let (kept, rest) = (magnitude >> drop, magnitude & ((1 << drop) - 1));
            let half = 1 << (drop - 1);
            (kept, rest > half || rest == half && kept & 1 == 1)
        }
        drop @ ..=0 => (magnitude << -drop, false),
        _ => (0, false),
    };
    // A carry out of the fraction raises the exponent, as it should.
    let biased = (last + 24) as u16;
    sign | ((biased << 10) + kept as u16 + u16::from(up))
}

/// `a * b + c` with one rounding.
pub fn mul_add(a: u16, b: u16, c: u16) -> u16 {
    let (x, y, z) = (to_f64(a), to_f64(b), to_f64(c));
    // The product has 22 bits and is exact.
    let product = x * y;
    if !product.is_finite() || !z.is_finite() || product == 0.0 || z == 0.0 {
        return from_f64(product + z);
    }
    // Everything is a multiple of 2^-48, and below 2^33.
    let whole = |value: f64| (value * 2f64.powi(48)) as i128;
    let sum = whole(product) + whole(z);
    nearest(sum < 0, sum.unsigned_abs(), -48)
}

/// The `f16` nearest to a decimal number, as it is written in Rust; nothing if it is not
/// a number. What is too large is an infinity.
///
/// ```
/// use samebits_ir::scalar::half::parse;
/// assert_eq!(parse("1.5"), Some(0x3e00));
/// // Just above the middle of two `f16`s, which an `f64` does not tell from the middle.
/// assert_eq!(parse("1.00048828125000000000000000001"), Some(0x3c01));
/// assert_eq!(parse("1.00048828125"), Some(0x3c00));
/// ```
pub fn parse(text: &str) -> Option<u16> {
    let value: f64 = text.parse().ok()?;
    let bits = from_f64(value);
    if !value.is_finite() || value == 0.0 {
        return Some(bits);
    }
    // Only where the `f64` is the middle of two neighbours does what it lacks matter.
    let step = |up: bool| f64::from_bits(if up { value.to_bits() + 1 } else { value.to_bits() - 1 });
    let (below, above) = (from_f64(step(false)), from_f64(step(true)));
    if below == above {
        return Some(bits);
    }
    // A middle is a multiple of 2^-25 and so has at most 25 decimals.
    let exact = format!("{:.30}", value.abs());
    let written = Decimal::of(text)?;
    Some(match written.cmp(&Decimal::of(&exact)?) {
        Ordering::Less => below,
        Ordering::Equal => bits,
        Ordering::Greater => above,
    })
}

/// A magnitude `0.digits * 10^exponent`, the first and the last digit not zero.
#[derive(PartialEq, Eq)]
struct Decimal {
    exponent: i64,
    digits: String,
}

impl Decimal {
    fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['+', '-']);
        let (number, power) = match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0');
        let exponent = whole.len() as i64 - (all.len() - digits.len()) as i64;
        let exponent = exponent.checked_add(power)?;
        Some(Self { exponent, digits: digits.trim_end_matches('0').to_owned() })
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits))
    }
}
