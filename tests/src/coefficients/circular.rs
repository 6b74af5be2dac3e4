//! The constants of trigonometric functions of `f32`.
//!
//! Method. Each odd function is `s * F(s * s)`; `F` is interpolated at Chebyshev nodes of an interval that begins a little
//! below zero, so that the lowest node is zero itself: the constant coefficient is then the right one (1 or pi) without
//! costing a degree, and the error, which has a zero there, is spread evenly over the rest. Tangents are fractions of two
//! polynomials whose coefficients solve the linear equations at such nodes. Bounds are the largest relative error at 4,001
//! points, with the coefficients as they are rounded. All in 500 bits.

use super::fit::{Coefficient, PRECISION, float, pi, text, value};
use rug::Float;
use std::fmt::Write;

/// The number with only the highest `bits` bits kept (rounded towards zero), and what is left.
fn parts(number: &Float, bits: u32) -> (f64, Float) {
    let head = Float::with_val_round(bits, number, rug::float::Round::Zero).0.to_f64();
    (head, Float::with_val(PRECISION, number - head))
}

/// `f(sqrt u) / sqrt u` of an odd function, given also what it is for imaginary arguments.
fn odd(f: impl Fn(Float) -> Float, imaginary: impl Fn(Float) -> Float) -> impl Fn(&Float) -> Float {
    move |u| {
        let s = u.clone().abs().sqrt();
        let y = if u.is_sign_negative() { imaginary(s.clone()) } else { f(s.clone()) };
        y / s
    }
}

/// Where the interval must begin for the lowest of `count` nodes to be zero.
fn below_zero(high: f64, count: usize) -> f64 {
    let c = (std::f64::consts::PI / (2 * count) as f64).cos();
    -high * (1.0 - c) / (1.0 + c)
}

/// The coefficients above the constant one, which is `constant`.
fn above(name: &str, f: impl Fn(&Float) -> Float, constant: &Float, high: f64, count: usize) -> (Vec<f64>, f64) {
    let low = below_zero(high, count + 1);
    let fitted = super::fit::polynomial(&f, low, high, count, 0);
    let heads = moved(name, fitted[1..].iter().map(|c| c.head).collect());
    let bound = bound(&f, high, |u| polynomial(&heads, u) * u + constant);
    (heads, bound)
}

fn polynomial(heads: &[f64], u: &Float) -> Float {
    let coefficients: Vec<Coefficient> = heads.iter().map(|&head| Coefficient { head, tail: 0.0 }).collect();
    value(&coefficients, u)
}

/// The base-2 logarithm of the largest relative error from a little above zero to `high`.
fn bound(f: impl Fn(&Float) -> Float, high: f64, approximation: impl Fn(&Float) -> Float) -> f64 {
    let mut worst = float(0.0);
    for i in 0..=4000 {
        let u = float(high) * Float::with_val(PRECISION, i as f64 + 1e-3) / 4000.001;
        let right = f(&u);
        let error = ((approximation(&u) - &right) / right).abs();
        if error > worst {
            worst = error;
        }
    }
    worst.log2().to_f64()
}

/// Coefficients above the constant ones (`constant` and 1) of a fraction with equal degrees.
fn fraction(f: impl Fn(&Float) -> Float, constant: &Float, high: f64, degree: usize) -> ([Vec<f64>; 2], f64) {
    let count = 2 * degree;
    let low = float(below_zero(high, count + 1));
    let middle = Float::with_val(PRECISION, &low + high) / 2u32;
    let half = Float::with_val(PRECISION, high - &low) / 2u32;
    // One row for each node: top(u) - f(u) * bottom(u) = f(u) - constant.
    let mut rows: Vec<Vec<Float>> = (0..count)
        .map(|i| {
            let angle = pi() * (2 * i + 1) as u32 / (2 * (count + 1)) as u32;
            let u = Float::with_val(PRECISION, &half * angle.cos()) + &middle;
            let right = f(&u);
            let power = |k: usize| (1..k).fold(u.clone(), |p, _| p * &u);
            let mut row: Vec<Float> = (1..=degree).map(power).collect();
            row.extend((1..=degree).map(|k| -(power(k) * &right)));
            row.push(right - constant);
            row
        })
        .collect();
    for i in 0..count {
        let best = (i..count).max_by(|&a, &b| rows[a][i].cmp_abs(&rows[b][i]).unwrap()).unwrap();
        rows.swap(i, best);
        let pivot = rows[i].clone();
        for (j, row) in rows.iter_mut().enumerate() {
            if j != i {
                let factor = Float::with_val(PRECISION, &row[i] / &pivot[i]);
                for (cell, p) in row.iter_mut().zip(&pivot) {
                    *cell -= Float::with_val(PRECISION, &factor * p);
                }
            }
        }
    }
    let solved: Vec<f64> =
        (0..count).map(|i| Float::with_val(PRECISION, &rows[i][count] / &rows[i][i]).to_f64()).collect();
    let (top, bottom) = (solved[..degree].to_vec(), solved[degree..].to_vec());
    let bound = bound(&f, high, |u| (polynomial(&top, u) * u + constant) / (polynomial(&bottom, u) * u + 1u32));
    ([top, bottom], bound)
}

struct Writer(String);

impl Writer {
    fn list(&mut self, about: &str, name: &str, values: &[f64]) {
        writeln!(self.0, "/// {about}").unwrap();
        writeln!(self.0, "pub const {name}: [f64; {}] = [", values.len()).unwrap();
        for &v in values {
            writeln!(self.0, "    {},", text(v)).unwrap();
        }
        self.0.push_str("];\n");
    }

    fn number(&mut self, about: &str, name: &str, value: f64) {
        writeln!(self.0, "/// {about}\npub const {name}: f64 = {};", text(value)).unwrap();
    }

    fn words(&mut self, about: &str, name: &str, values: &[u64]) {
        writeln!(self.0, "/// {about}").unwrap();
        writeln!(self.0, "pub static {name}: [u64; {}] = [", values.len()).unwrap();
        for &v in values {
            writeln!(self.0, "    {v:#018x},").unwrap();
        }
        self.0.push_str("];\n");
    }
}

/// Coefficients moved by a few units of their last place: name, index, units. With these the last arguments come out right
/// whose results lie within a unit of an `f64` from the middle between two `f32`. Found by a random search (accepted moves
/// do not make more arguments wrong and change the results by less than 2^-51.4) over all arguments within 8 units of a
/// middle, which `hard` lists; confirmed by the enumeration of all arguments. Bounds include them.
const MOVES: &[(&str, usize, i64)] = &[
    ("SIN_PI", 1, 8),
    ("SIN_PI", 6, 32),
    ("ASIN", 0, 8),
    ("SIN", 0, 34),
    ("SIN", 1, 520),
    ("SIN", 2, 7640),
    ("SIN", 3, 1858),
    ("SIN", 4, 6476),
    ("SIN", 5, -24150),
    ("SIN", 6, -91050),
    ("SIN_SHORT", 0, 6),
    ("SIN_SHORT", 1, 20),
    ("SIN_SHORT", 2, -111),
    ("SIN_SHORT", 3, 318),
    ("SIN_SHORT", 4, 1036),
    ("SIN_SHORT", 5, -1135),
    ("COS_SHORT", 0, 3),
    ("COS_SHORT", 1, 14),
    ("COS_SHORT", 2, 62),
    ("COS_SHORT", 3, 65),
    ("COS_SHORT", 4, -1841),
    ("COS_SHORT", 5, 414),
    ("LARGE_SIN", 1, 8363320),
    ("LARGE_QUARTER", 1, 1888852),
];

fn moved(name: &str, mut values: Vec<f64>) -> Vec<f64> {
    for &(_, index, units) in MOVES.iter().filter(|m| m.0 == name) {
        values[index] = f64::from_bits(values[index].to_bits().wrapping_add_signed(units));
    }
    values
}

/// The text of `constants.rs`.
pub(super) fn constants() -> String {
    let mut out = Writer(String::new());
    let pi = pi();
    let half_pi = Float::with_val(PRECISION, &pi / 2u32);
    let one = float(1.0);

    let (head, rest) = parts(&pi, 33);
    out.list("pi in two parts: 33 bits, and the rest to 2^-86.", "PI", &[head, rest.to_f64()]);
    out.list("pi / 2 in two parts: 33 bits, and the rest to 2^-87.", "HALF_PI", &[head / 2.0, rest.to_f64() / 2.0]);
    let (head, rest) = parts(&pi, 29);
    out.list(
        "pi in two parts: 29 bits, so that products with an `f32` are exact, and the rest.",
        "PI_29",
        &[head, rest.to_f64()],
    );
    let (head, rest) = parts(&pi, 21);
    let rest = rest.to_f64();
    out.list("pi in two parts for large arguments: 21 bits, whose products with 32 bits are exact, and the rest (to 2^-52 or so).", "LARGE_SIN", &moved("LARGE_SIN", vec![head, rest]));
    out.list("The same for cosines.", "LARGE_COS", &moved("LARGE_COS", vec![head, rest]));
    out.list("The same of pi / 2.", "LARGE_QUARTER", &moved("LARGE_QUARTER", vec![head / 2.0, rest / 2.0]));
    let nudges = |list: &[(u32, f64)]| -> Vec<f64> {
        list.iter().flat_map(|&(bits, sign)| [f64::from(f32::from_bits(bits)), 1.0 + sign * 2f64.powi(-46)]).collect()
    };
    out.list(
        "Odd arguments of the sine, and the factors of what is left of them.",
        "ODD_SIN",
        &nudges(&[(0x6446_cec0, 1.0)]),
    );
    out.list(
        "The same for the cosine.",
        "ODD_COS",
        &nudges(&[(0x5922_aa80, 1.0), (0x5f18_b878, -1.0), (0x7908_cd73, -1.0)]),
    );
    out.list("The same for both at once.", "ODD_QUARTER", &nudges(&[(0x5f18_b878, 1.0), (0x6115_cb11, -1.0)]));
    let head = pi.to_f64();
    let tail = Float::with_val(PRECISION, &pi - head).to_f64();
    out.list("pi to 2^-106 in two numbers.", "PI_2", &[head, tail]);
    let rest = tail / head;
    out.list("What the first of `PI_2` leaves, as a fraction of it, times 2.75: a bias below 2^-53, with which the last arguments come out right.", "ACOS_REST", &moved("ACOS_REST", vec![rest * 2.75]));
    out.number("1 / pi", "INVERSE_PI", Float::with_val(PRECISION, pi.recip_ref()).to_f64());
    out.number("2 / pi", "INVERSE_HALF_PI", Float::with_val(PRECISION, half_pi.recip_ref()).to_f64());
    let scaled = Float::with_val(PRECISION, half_pi.recip_ref()) << 251u32;
    let scaled = scaled.to_integer_round(rug::float::Round::Zero).unwrap().0;
    let words: Vec<u64> = (0..4u32).map(|i| rug::Integer::from(&scaled >> (64 * (3 - i))).to_u64_wrapping()).collect();
    out.words("The bits of 2 / pi from that of 2^4 down to that of 2^-251.", "TWO_OVER_PI", &words);

    // Reduced arguments may pass the end of their interval a little, by the rounding of the multiple.
    let quarter = (std::f64::consts::FRAC_PI_4 * (1.0 + 1e-6)).powi(2);
    let half = (std::f64::consts::FRAC_PI_2 * (1.0 + 1e-6)).powi(2);
    let sine = odd(|s| s.sin(), |s| s.sinh());
    let (c, bound) = above("SIN", &sine, &one, half, 7);
    out.list(&format!("(sin(s) / s - 1) / s^2 by s^2, |s| <= pi / 2; error of the sine 2^{bound:.1}."), "SIN", &c);
    let (c, bound) = above("SIN_SHORT", &sine, &one, quarter, 6);
    out.list(
        &format!("(sin(s) / s - 1) / s^2 by s^2, |s| <= pi / 4; error of the sine 2^{bound:.1}."),
        "SIN_SHORT",
        &c,
    );
    let cosine = |u: &Float| {
        let s = u.clone().abs().sqrt();
        if u.is_sign_negative() { s.cosh() } else { s.cos() }
    };
    let (c, bound) = above("COS_SHORT", cosine, &one, quarter, 6);
    out.list(&format!("(cos(s) - 1) / s^2 by s^2, |s| <= pi / 4; error of the cosine 2^{bound:.1}."), "COS_SHORT", &c);
    let ([top, bottom], bound) = fraction(odd(|s| s.tan(), |s| s.tanh()), &one, quarter, 3);
    out.list(
        &format!("tan(s) / s is (1 + s^2 * TOP(s^2)) / (1 + s^2 * BOTTOM(s^2)), |s| <= pi / 4; error 2^{bound:.1}."),
        "TAN_TOP",
        &top,
    );
    out.list("See `TAN_TOP`.", "TAN_BOTTOM", &bottom);

    let (c, bound) = above("SIN_PI", odd(|s| (s * &pi).sin(), |s| (s * &pi).sinh()), &pi, 0.25, 7);
    out.list(&format!("(sin(pi s) / s - pi) / s^2 by s^2, |s| <= 1/2; error of the sine 2^{bound:.1}."), "SIN_PI", &c);
    let ([top, bottom], bound) = fraction(odd(|s| (s * &pi).tan(), |s| (s * &pi).tanh()), &pi, 0.0625, 3);
    out.list(
        &format!("tan(pi s) / s is (pi + s^2 * TOP(s^2)) / (1 + s^2 * BOTTOM(s^2)), |s| <= 1/4; error 2^{bound:.1}."),
        "TAN_PI_TOP",
        &top,
    );
    out.list("See `TAN_PI_TOP`.", "TAN_PI_BOTTOM", &bottom);

    let arc = odd(|s| s.atan(), |s| s.atanh());
    let (c, bound) = above("ATAN", &arc, &one, 1.0, 19);
    // A bias of 3/4 of 2^-53, where otherwise a zero would be, gets the last arguments right, see `MOVES`.
    let c = [vec![f64::EPSILON * 0.375], c].concat();
    out.list(&format!("atan(s) / s - 1 by s^2, |s| <= 1; error of the arc 2^{bound:.1}."), "ATAN", &c);
    let (c, bound) = above("ATAN_SHORT", &arc, &one, 1.0, 16);
    out.list(
        &format!("(atan(s) / s - 1) / s^2 by s^2, |s| <= 1, shorter; error of the arc 2^{bound:.1}."),
        "ATAN_SHORT",
        &c,
    );
    let (c, bound) = above("ASIN", odd(|s| s.asin(), |s| s.asinh()), &one, 0.25, 11);
    out.list(&format!("(asin(s) / s - 1) / s^2 by s^2, |s| <= 1/2; error of the arc 2^{bound:.1}."), "ASIN", &c);

    let pairs: Vec<f64> = [3u32, 5, 7]
        .iter()
        .flat_map(|&n| {
            let exact = float(1.0) / n;
            let head = exact.to_f64();
            [head, Float::with_val(PRECISION, exact - head).to_f64()]
        })
        .collect();
    out.list("1/3, 1/5 and 1/7 in two numbers each: atan(s) is s (1 - s^2/3 + s^4/5 ...).", "ATAN_PAIRS", &pairs);
    let rest: Vec<f64> = (0..5).map(|i| (1 - 2 * (i % 2)) as f64 / (9 + 2 * i) as f64).collect();
    out.list("1/9, -1/11 ... 1/17: what follows them; |s| <= 1/64, error 2^-112.", "ATAN_REST", &rest);
    let table: Vec<u64> = (0..=32)
        .flat_map(|i| {
            let exact = (float(f64::from(i)) / 32u32).atan();
            let head = exact.to_f64();
            [head, Float::with_val(PRECISION, exact - head).to_f64()].map(f64::to_bits)
        })
        .collect();
    out.words("atan(i / 32), each in two numbers (their bits), to 2^-106.", "ATAN_TABLE", &table);
    out.0
}
