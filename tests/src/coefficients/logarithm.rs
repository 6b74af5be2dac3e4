//! The constants of logarithms, their kin and powers of `f32`.
//!
//! * Polynomials: Chebyshev interpolation in 500 bits (`fit`), rounded to `f64`.
//! * Constants in two parts: the head is cut to so many bits that its products are exact.
//! * Fixed-point tables: cut to 120 bits, two words of 60 bits each.
//! * Each one-argument function: about every 2^23rd argument has a result within 16 units of `f64` of the middle of two
//!   `f32` (`hard.rs`, found by running through all arguments: any evaluation within some units gives nearly the same
//!   list). Plain constants may leave some of these wrong. So attempts 0, 1, 2 ... move the low part of `ln 2` (or of its kin)
//!   by up to 2^-53 .. 2^-50 of the whole, and the five lowest coefficients by up to 2^-49 .. 2^-40 of themselves, by a random
//!   generator whose seed is the attempt; attempt 0 moves nothing. The first attempt by which all hard arguments come out
//!   right with both kinds of `step` is taken. The comparison of all arguments is the proof.

use super::fit::{PRECISION, float, polynomial, relative_error, text};
use super::hard;
use super::logarithm_functions as log;
use super::numbers::Fused;
use rug::{Float, Integer};
use samebits_random::Random;
use std::fmt::Write;

/// The interval of `m - 1` (see `split` beside the functions), a little wider.
const R: (f64, f64) = (-0.2930, 0.4143);

/// A one-argument function: its constants and how to find them.
struct Function {
    name: &'static str,
    about: &'static str,
    fused: fn(Fused, &[f64]) -> Fused,
    split: fn(f64, &[f64]) -> f64,
    right: fn(f32) -> f32,
    hard: &'static [u32],
    /// Even or odd, or of no use below zero: half of the arguments suffice.
    positive: bool,
    /// The plain constants.
    plain: fn() -> Constants,
    /// Where the low parts are, with the whole; and where the polynomial begins.
    low: &'static [(usize, f64)],
    first: usize,
}

macro_rules! function {
    ($name:literal, $by:ident, $right:ident, $hard:ident, $positive:literal, $plain:expr, $low:expr, $first:literal, $about:literal) => {
        Function {
            name: $name,
            about: $about,
            fused: log::$by,
            split: log::$by,
            right: core_math::$right,
            hard: hard::$hard,
            positive: $positive,
            plain: $plain,
            low: $low,
            first: $first,
        }
    };
}

const LN2: f64 = std::f64::consts::LN_2;

const FUNCTIONS: [Function; 7] = [
    function!(
        "ln",
        ln_by,
        logf,
        LN,
        true,
        || natural(17),
        &[(1, LN2)],
        2,
        "`ln 2` in two parts, `Q(r) = (ln(1 + r) - r) / r^2`"
    ),
    function!("log2", log2_by, log2f, LOG2, true, || binary(16), &[(1, 1.0)], 2, "`1 / ln 2` in two parts, `Q / ln 2`"),
    function!(
        "log10",
        log10_by,
        log10f,
        LOG10,
        true,
        || decimal(17),
        &[(1, 0.3), (3, 0.4)],
        4,
        "`lg 2` in two parts, `1 / ln 10` in two parts, `Q / ln 10`"
    ),
    function!("ln_1p", ln_1p_by, log1pf, LN_1P, false, || natural(17), &[(1, LN2)], 2, "`ln 2` in two parts, `Q`"),
    function!(
        "atanh",
        atanh_by,
        atanhf,
        ATANH,
        true,
        || quotient(1, 6),
        &[(1, LN2 / 2.0)],
        2,
        "`ln 2 / 2` in two parts, `(atanh(s) / s - 1) / s^2` of `s^2`"
    ),
    function!(
        "asinh",
        asinh_by,
        asinhf,
        ASINH,
        true,
        || quotient(2, 6),
        &[(1, LN2)],
        2,
        "`ln 2` in two parts, `2 (atanh(s) / s - 1) / s^2` of `s^2`"
    ),
    function!("acosh", acosh_by, acoshf, ACOSH, true, || natural(17), &[(1, LN2)], 2, "`ln 2` in two parts, `Q`"),
];

fn number(value: u32) -> Float {
    Float::with_val(PRECISION, value)
}

fn ln2() -> Float {
    number(2).ln()
}

/// A number in two parts: the head is a multiple of `unit`, the tail is positive.
fn parts(value: &Float, unit: f64) -> [f64; 2] {
    let head = Float::with_val(PRECISION, value / unit).floor() * unit;
    [head.to_f64(), Float::with_val(PRECISION, value - &head).to_f64()]
}

/// Constants that end with a polynomial, and the base-2 logarithm of its largest relative error.
struct Constants {
    values: Vec<f64>,
    error: f64,
}

impl Constants {
    fn after(mut self, others: &[f64]) -> Self {
        self.values.splice(0..0, others.iter().copied());
        self
    }
}

fn fitted(f: impl Fn(&Float) -> Float, (low, high): (f64, f64), degree: usize) -> Constants {
    let c = polynomial(&f, low, high, degree, 0);
    // Where the function is 0 / 0, a number nearby stands for it.
    let error = relative_error(|x| if x.is_zero() { f(&float(1e-30)) } else { f(x) }, &c, low, high);
    Constants { values: c.iter().map(|c| c.head).collect(), error }
}

/// `(ln(1 + r) - r) / r^2 * scale`.
fn q(scale: &Float, degree: usize) -> Constants {
    let f = |r: &Float| (r.clone().ln_1p() - r) / r.clone().square() * scale;
    fitted(f, R, degree)
}

/// The head has so many bits that `k * head + r` is exact: |k| < 2^8, r and the head are multiples of 2^-44.
fn natural(degree: usize) -> Constants {
    q(&number(1), degree).after(&parts(&ln2(), 2f64.powi(-44)))
}

/// `r * head + k` is exact: r is a multiple of 2^-24, the head one of 2^-20.
fn binary(degree: usize) -> Constants {
    let scale = ln2().recip();
    q(&scale, degree).after(&parts(&scale, 2f64.powi(-20)))
}

fn decimal(degree: usize) -> Constants {
    let scale = number(10).ln().recip();
    let lg2 = number(2).log10();
    q(&scale, degree).after(&parts(&scale, 2f64.powi(-21))).after(&parts(&lg2, 2f64.powi(-45)))
}

/// `(atanh(s) / s - 1) / s^2 * factor` of `s^2`.
fn atanh_series(factor: &Float, largest: f64, degree: usize) -> Constants {
    let f = |square: &Float| {
        let s = square.clone().sqrt();
        (s.clone().atanh() / s - 1u32) / square * factor
    };
    fitted(f, (0.0, largest * largest), degree)
}

fn quotient(factor: u32, degree: usize) -> Constants {
    let parts = parts(&(ln2() * factor / 2u32), 2f64.powi(-44));
    // The quotient is below 0.1716 for `asinh`; for `atanh`, whose k is coarser, below 0.1866.
    let largest = if factor == 1 { 0.1870 } else { 0.1716 };
    atanh_series(&number(factor), largest, degree).after(&parts)
}

/// A number between -1 and 1.
fn signed(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / 2f64.powi(52) - 1.0
}

impl Function {
    /// The constants of an attempt.
    fn attempt(&self, plain: &[f64], attempt: u64) -> Vec<f64> {
        let mut c = plain.to_vec();
        if attempt > 0 {
            let mut random = Random::new(attempt);
            let spread = 2f64.powi((attempt % 10) as i32);
            for &(index, whole) in self.low {
                c[index] += whole * signed(&mut random) * 2f64.powi(-53 + (attempt / 10 % 4) as i32);
            }
            for value in &mut c[self.first..self.first + 5] {
                *value *= 1.0 + 8.0 * spread * signed(&mut random) * f64::EPSILON;
            }
        }
        c
    }

    /// Whether a hard argument comes out wrong.
    fn is_wrong(&self, c: &[f64]) -> bool {
        self.hard.iter().any(|&bits| {
            let x = f32::from_bits(bits);
            let right = (self.right)(x).to_bits();
            let fused = ((self.fused)(Fused(x.into()), c).0 as f32).to_bits();
            let split = ((self.split)(x.into(), c) as f32).to_bits();
            fused != right || split != right
        })
    }

    /// The first attempt without a wrong argument, its constants, and the error of the polynomial.
    fn constants(&self) -> (u64, Constants) {
        let plain = (self.plain)();
        let attempts = (0..1_000_000).map(|attempt| (attempt, self.attempt(&plain.values, attempt)));
        let good = attempts.into_iter().find(|(_, values)| !self.is_wrong(values));
        let (attempt, values) = good.unwrap_or_else(|| panic!("{}: no attempt succeeds", self.name));
        (attempt, Constants { values, error: plain.error })
    }
}

fn array(out: &mut String, about: &str, name: &str, values: &[f64]) {
    writeln!(out, "\n/// {about}.\npub const {name}: [f64; {}] = [", values.len()).unwrap();
    for value in values {
        writeln!(out, "    {},", text(*value)).unwrap();
    }
    out.push_str("];\n");
}

fn words(out: &mut String, about: &str, name: &str, values: &[u64]) {
    writeln!(out, "\n/// {about}.\npub static {name}: [u64; {}] = [", values.len()).unwrap();
    for value in values {
        writeln!(out, "    {value:#018x},").unwrap();
    }
    out.push_str("];\n");
}

/// A number below 16 cut to 120 bits after the point, as two words.
fn fixed(value: &Float) -> [u64; 2] {
    let whole: Integer = Float::with_val(PRECISION, value << 120u32).floor().to_integer().expect("it is finite");
    let high = Integer::from(&whole >> 60u32);
    let low = whole - Integer::from(&high << 60u32);
    [low.to_u64().expect("60 bits"), high.to_u64().expect("64 bits")]
}

/// `log2 (1 + z) / z / 2` by powers of `-64 z`, the last one first.
fn wide_log2() -> Vec<u64> {
    let term = |j: u32| fixed(&((number(2) * (j + 1) * ln2()).recip() >> (6 * j)));
    (0..20).rev().flat_map(term).collect()
}

/// `2^F / 2` by powers of `F`, the last one first.
fn wide_exp2() -> Vec<u64> {
    let mut terms = vec![number(1) / 2u32];
    for j in 1..32u32 {
        let next = terms.last().expect("there is one").clone() * ln2() / j;
        terms.push(next);
    }
    terms.iter().rev().flat_map(fixed).collect()
}

/// For each `m` near `j / 64` a number of 9 bits near `1 / m`, and one minus its logarithm.
fn inverses() -> Vec<u64> {
    let row = |j: u32| {
        let c = (256.0 * 64.0 / f64::from(j)).round() / 256.0;
        let [low, high] = fixed(&(number(1) - float(c).log2()));
        [c.to_bits(), low, high]
    };
    (45..=91).flat_map(row).collect()
}

/// The text of the constants.
pub(super) fn constants() -> String {
    let mut out = String::new();
    for function in &FUNCTIONS {
        let (attempt, c) = function.constants();
        let about = format!("{} with an error of 2^{:.1} (attempt {attempt})", function.about, c.error);
        array(&mut out, &about, &function.name.to_uppercase(), &c.values);
    }
    let c = number(2) / ln2();
    let c_parts = parts(&c, 2f64.powi(-24));
    let log2 = atanh_series(&c, 0.1716, 7).after(&[c_parts[0], c_parts[1], c.to_f64()]);
    let about = "`2 / ln 2` in two parts and whole, `(log2 ((1 + s) / (1 - s)) - 2 s / ln 2) / s^3` of `s^2`";
    array(&mut out, &format!("{about} with an error of 2^{:.1}", log2.error), "POW_LOG2", &log2.values);
    let exp2 = fitted(|f: &Float| (f.clone() * ln2()).exp_m1() / f, (-0.5001, 0.5001), 11);
    array(&mut out, &format!("`(2^f - 1) / f` with an error of 2^{:.1}", exp2.error), "POW_EXP2", &exp2.values);
    words(&mut out, "The terms `1 / (2 (j + 1) ln 2 64^j)`, j = 19 ... 0, in 120 bits", "POW_WIDE_LOG2", &wide_log2());
    words(&mut out, "The terms `(ln 2)^j / j! / 2`, j = 31 ... 0, in 120 bits", "POW_WIDE_EXP2", &wide_exp2());
    words(
        &mut out,
        "For m near j / 64, j = 45 ... 91: c near 1 / m, and `1 - log2 c` in 120 bits",
        "POW_INVERSES",
        &inverses(),
    );
    out
}

/// The text of the constants of the quick forms.
pub(super) fn quick() -> String {
    let mut out = String::new();
    let about = |what: &str, error: f64| format!("{what} with an error of 2^{error:.1}");
    let per_ln2 = ln2().recip();
    let per_ln10 = number(10).ln().recip();
    for (name, what, scale) in [
        ("LN", "`Q(r) = (ln(1 + r) - r) / r^2`", &number(1)),
        ("LOG2", "`Q / ln 2`", &per_ln2),
        ("LOG10", "`Q / ln 10`", &per_ln10),
    ] {
        let q = q(scale, 12);
        array(&mut out, &about(what, q.error), name, &q.values);
    }
    for (name, what, value) in [
        ("LN_2", "ln 2", ln2()),
        ("LOG10_2", "log10(2)", number(2).log10()),
        ("PER_LN_2", "1 / ln 2", per_ln2.clone()),
        ("PER_LN_10", "1 / ln 10", per_ln10.clone()),
    ] {
        writeln!(out, "\n/// `{what}`.\npub const {name}: f64 = {};", text(value.to_f64())).unwrap();
    }
    out
}

impl Function {
    /// The arguments whose result is within 16 units of the middle of two `f32`.
    fn hard_arguments(&self) -> Vec<u32> {
        let c = (self.plain)().values;
        let end = if self.positive { 1u64 << 31 } else { 1 << 32 };
        let is_hard = |bits: &u32| {
            let x = f32::from_bits(*bits);
            let y = (self.fused)(Fused(x.into()), &c).0;
            // What the method gives for others means nothing.
            let is_between = x.is_finite() && (x > 0.0 || !self.positive);
            is_between && y.is_finite() && (y.to_bits() + 16 + (1 << 28)) & ((1 << 29) - 1) < 32
        };
        let search = |from: u64, to: u64| (from..to).map(|bits| bits as u32).filter(is_hard).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let upper = scope.spawn(|| search(end / 2, end));
            let lower = search(0, end / 2);
            [lower, upper.join().expect("no panic")].concat()
        })
    }
}

/// The text of `hard.rs`.
pub fn hard_arguments() -> String {
    let mut out = String::from(
        "//! Written by `coefficients`: the bits of all arguments whose result is within 16 units of `f64` of a middle.\n",
    );
    for function in &FUNCTIONS {
        let found = function.hard_arguments();
        eprintln!("{}: {} hard arguments", function.name, found.len());
        writeln!(out, "\n/// `{}`.\npub const {}: &[u32] = &[", function.name, function.name.to_uppercase()).unwrap();
        for row in found.chunks(8) {
            let row: Vec<String> = row.iter().map(|bits| format!("{bits:#010x},")).collect();
            writeln!(out, "    {}", row.join(" ")).unwrap();
        }
        out.push_str("];\n");
    }
    out
}
