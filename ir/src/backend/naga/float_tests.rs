//! The software float ops against Rust's arithmetic, on edge values and random ones.

use super::float::*;
use crate::scalar::NAN_F32;

/// The machine that computes.
struct Cpu;

impl Machine for Cpu {
    type U = u32;
    type B = bool;

    fn k(&mut self, value: u32) -> u32 {
        value
    }
    fn add(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn sub(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_sub(b)
    }
    fn mul(&mut self, a: u32, b: u32) -> u32 {
        a.wrapping_mul(b)
    }
    fn div(&mut self, a: u32, b: u32) -> u32 {
        a / b
    }
    fn and(&mut self, a: u32, b: u32) -> u32 {
        a & b
    }
    fn or(&mut self, a: u32, b: u32) -> u32 {
        a | b
    }
    fn xor(&mut self, a: u32, b: u32) -> u32 {
        a ^ b
    }
    fn shl(&mut self, a: u32, n: u32) -> u32 {
        assert!(n < 32);
        a << n
    }
    fn shr(&mut self, a: u32, n: u32) -> u32 {
        assert!(n < 32);
        a >> n
    }
    fn clz(&mut self, a: u32) -> u32 {
        a.leading_zeros()
    }
    fn eq(&mut self, a: u32, b: u32) -> bool {
        a == b
    }
    fn lt(&mut self, a: u32, b: u32) -> bool {
        a < b
    }
    fn both(&mut self, a: bool, b: bool) -> bool {
        a & b
    }
    fn either(&mut self, a: bool, b: bool) -> bool {
        a | b
    }
    fn not(&mut self, a: bool) -> bool {
        !a
    }
    fn pick(&mut self, c: bool, a: u32, b: u32) -> u32 {
        if c { a } else { b }
    }
    fn repeat(&mut self, mut count: u32, mut word: u32, step: &mut Step<'_, Self>) -> u32 {
        while count != 0 {
            (count, word) = step(self, count, word);
        }
        word
    }
}

const EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    0x0000_8000,
    0x003f_ffff,
    0x0040_0000,
    0x007f_fffe,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0c00_0000,
    0x1f80_0001,
    0x2000_0000,
    0x3380_0000,
    0x3380_0001,
    0x3effffff,
    0x3f00_0000,
    0x3f00_0001,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x3fc0_0000,
    0x3fff_ffff,
    0x4000_0000,
    0x4020_0000,
    0x4060_0000,
    0x4049_0fdb,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b00_0001,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4eff_ffff,
    0x4f00_0000,
    0x4f00_0001,
    0x4f7f_ffff,
    0x4f80_0000,
    0x5f00_0000,
    0x7e80_0000,
    0x7f00_0000,
    0x7f7f_fffe,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fff_ffff,
];

fn edges() -> Vec<u32> {
    EDGES.iter().flat_map(|&bits| [bits, bits | SIGN]).collect()
}

/// Random bits, half of them with exponents that are close together.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) as u32
    }
    fn float(&mut self) -> u32 {
        let word = self.word();
        match word % 4 {
            0 => self.word(),
            1 => self.word() & 0x8080_0fff | 0x3f00_0000,
            2 => self.word() & 0x81ff_ffff,
            _ => self.word() & 0x83ff_ffff | 0x3e00_0000,
        }
    }
}

fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN_F32 } else { value.to_bits() }
}

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[track_caller]
fn same(got: u32, expected: u32, operands: &[u32]) {
    assert_eq!(got, expected, "got {got:#010x}, expected {expected:#010x}, operands {operands:x?}");
}

fn pairs(mut check: impl FnMut(u32, u32)) {
    for &a in &edges() {
        for &b in &edges() {
            check(a, b);
        }
    }
    let mut random = Random(1);
    for _ in 0..200_000 {
        check(random.float(), random.float());
    }
}

fn singles(mut check: impl FnMut(u32)) {
    edges().into_iter().for_each(&mut check);
    let mut random = Random(2);
    for _ in 0..200_000 {
        check(random.float());
    }
    for step in 0..1 << 17 {
        check(step << 15 | step & 0x7fff);
    }
}

#[test]
fn mul_add_rounds_once() {
    for &a in &edges() {
        for &b in &edges() {
            for &c in &edges() {
                same(mul_add(&mut Cpu, a, b, c), bits(f(a).mul_add(f(b), f(c))), &[a, b, c]);
            }
        }
    }
    let mut random = Random(3);
    for _ in 0..500_000 {
        let (a, b, c) = (random.float(), random.float(), random.float());
        same(mul_add(&mut Cpu, a, b, c), bits(f(a).mul_add(f(b), f(c))), &[a, b, c]);
        // An addend that nearly cancels the product.
        let c = (f(a) * f(b)).to_bits().wrapping_add(random.word() % 5).wrapping_sub(2) ^ SIGN;
        same(mul_add(&mut Cpu, a, b, c), bits(f(a).mul_add(f(b), f(c))), &[a, b, c]);
    }
}

#[test]
fn sums_and_products_are_special_cases_of_mul_add() {
    pairs(|a, b| {
        same(mul_add(&mut Cpu, a, 1f32.to_bits(), b), bits(f(a) + f(b)), &[a, b]);
        same(mul_add(&mut Cpu, a, b, (a ^ b) & SIGN), bits(f(a) * f(b)), &[a, b]);
    });
}

#[test]
fn quotients_are_rounded_to_nearest() {
    pairs(|a, b| same(quotient(&mut Cpu, a, b), bits(f(a) / f(b)), &[a, b]));
}

#[test]
fn roots_are_rounded_to_nearest() {
    singles(|a| same(root(&mut Cpu, a), bits(f(a).sqrt()), &[a]));
}

#[test]
fn remainders_are_exact() {
    pairs(|a, b| same(remainder(&mut Cpu, a, b), bits(f(a) % f(b)), &[a, b]));
}

#[test]
fn whole_numbers_are_the_ones_of_rust() {
    singles(|a| {
        same(whole(&mut Cpu, a, Rounding::Down), bits(f(a).floor()), &[a]);
        same(whole(&mut Cpu, a, Rounding::Up), bits(f(a).ceil()), &[a]);
        same(whole(&mut Cpu, a, Rounding::TowardsZero), bits(f(a).trunc()), &[a]);
        same(whole(&mut Cpu, a, Rounding::HalfToEven), bits(f(a).round_ties_even()), &[a]);
        same(whole(&mut Cpu, a, Rounding::HalfAway), bits(f(a).round()), &[a]);
    });
}

#[test]
fn integers_saturate() {
    singles(|a| {
        same(to_int(&mut Cpu, a, true), f(a) as i32 as u32, &[a]);
        same(to_int(&mut Cpu, a, false), f(a) as u32, &[a]);
    });
}

#[test]
fn comparisons_see_subnormals_and_no_nan() {
    pairs(|a, b| {
        assert_eq!(equal(&mut Cpu, a, b), f(a) == f(b), "{a:x} {b:x}");
        assert_eq!(less(&mut Cpu, a, b), f(a) < f(b), "{a:x} {b:x}");
    });
}

#[test]
fn extremes_prefer_numbers_and_order_zeros() {
    let order = |x: f32| (x.is_nan(), x, x.is_sign_positive());
    pairs(|a, b| {
        let first = match order(f(a)).partial_cmp(&order(f(b))) {
            Some(order) => order.is_le(),
            None => f(b).is_nan(),
        };
        let least = if first { f(a) } else { f(b) };
        same(extreme(&mut Cpu, a, b, true), bits(least), &[a, b]);
        let greatest = match (f(a).is_nan(), f(b).is_nan()) {
            (false, false) if first => f(b),
            (false, _) => f(a),
            _ => f(b),
        };
        same(extreme(&mut Cpu, a, b, false), bits(greatest), &[a, b]);
    });
}
