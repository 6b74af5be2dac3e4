//! `f64` in words against Rust's own arithmetic, on edge values and random ones.

use super::double::*;
use super::double_bits::*;
use super::float::Rounding;
use super::float_tests::Cpu;
use super::half;
use crate::scalar::{NAN_F32, NAN_F64, half as exact_half};

/// Positive numbers; each is used with both signs.
const EDGES: &[u64] = &[
    0,
    1,
    2,
    3,
    0x0000_0000_ffff_ffff,
    0x0000_0001_0000_0000,
    0x0008_0000_0000_0000,
    0x000f_ffff_ffff_fffe,
    0x000f_ffff_ffff_ffff, // the greatest subnormal
    0x0010_0000_0000_0000, // the least normal
    0x0010_0000_0000_0001,
    0x001f_ffff_ffff_ffff,
    0x0020_0000_0000_0000,
    0x0360_0000_0000_0000,
    0x1ff0_0000_0000_0001,
    0x2000_0000_0000_0000,
    0x3690_0000_0000_0000, // half of the least `f32`
    0x3690_0000_0000_0001,
    0x36a0_0000_0000_0000,
    0x380f_ffff_e000_0000,
    0x380f_ffff_f000_0000,
    0x3ca0_0000_0000_0000,
    0x3ca0_0000_0000_0001,
    0x3cb0_0000_0000_0000,
    0x3e60_0000_0000_0000, // half of the least `f16`
    0x3fdf_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000, // 0.5
    0x3fe0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0000, // 1
    0x3ff0_0000_0000_0001,
    0x3ff0_0000_1000_0000, // halfway between two `f32`s
    0x3ff0_0000_1000_0001,
    0x3ff0_0000_3000_0000,
    0x3ff0_0200_0000_0000, // halfway between two `f16`s
    0x3ff0_0200_0000_0001,
    0x3ff8_0000_0000_0000, // 1.5
    0x3fff_ffff_ffff_ffff,
    0x4000_0000_0000_0000,
    0x4004_0000_0000_0000, // 2.5
    0x4009_21fb_5444_2d18,
    0x400c_0000_0000_0000, // 3.5
    0x40ef_fde0_0000_0000, // just below the overflow of `f16`
    0x40ef_fe00_0000_0000,
    0x41df_ffff_ffc0_0000, // 2³¹ - 1
    0x41e0_0000_0000_0000,
    0x41ef_ffff_ffff_ffff,
    0x41f0_0000_0000_0000,
    0x431f_ffff_ffff_ffff,
    0x432f_ffff_ffff_ffff, // 2⁵² - 0.5
    0x4330_0000_0000_0000, // 2⁵²
    0x4330_0000_0000_0001,
    0x4340_0000_0000_0000,
    0x43df_ffff_ffff_ffff,
    0x43e0_0000_0000_0000, // 2⁶³
    0x43ef_ffff_ffff_ffff,
    0x43f0_0000_0000_0000, // 2⁶⁴
    0x47ef_ffff_e000_0000, // the greatest `f32`
    0x47ef_ffff_efff_ffff,
    0x47ef_ffff_f000_0000,
    0x5fe0_0000_0000_0000,
    0x7fd0_0000_0000_0000,
    0x7fef_ffff_ffff_fffe,
    0x7fef_ffff_ffff_ffff, // the greatest number
    0x7ff0_0000_0000_0000, // infinity
    0x7ff0_0000_0000_0001, // a signalling NaN
    0x7ff0_0000_8000_0000,
    0x7ff8_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
];

const SIGN_BIT: u64 = 1 << 63;

fn edges() -> Vec<u64> {
    EDGES.iter().flat_map(|&bits| [bits, bits | SIGN_BIT]).collect()
}

struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Bits of a number: any, near 1, near the subnormals, or of few digits.
    fn float(&mut self) -> u64 {
        let (kind, bits) = (self.word(), self.word());
        let fraction = bits & (SIGN_BIT | 0xf_ffff_ffff_ffff);
        match kind % 8 {
            0 => bits,
            1 => fraction | (kind >> 8 & 3) << 52,
            2 => fraction & !0x7ff_ffff_ffff | (1020 + (kind >> 8) % 8) << 52,
            3 => fraction | (1023 + (kind >> 8) % 64) << 52,
            4 => fraction & (u64::MAX << (kind >> 16 & 63)) | (1000 + (kind >> 8) % 64) << 52,
            5 => fraction | (960 + (kind >> 8) % 128) << 52,
            _ => fraction | (1020 + (kind >> 8) % 8) << 52,
        }
    }
}

fn split(a: u64) -> [u32; 2] {
    [a as u32, (a >> 32) as u32]
}

fn join(a: [u32; 2]) -> u64 {
    u64::from(a[0]) | u64::from(a[1]) << 32
}

fn f(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn canonical(value: f64) -> u64 {
    if value.is_nan() { NAN_F64 } else { value.to_bits() }
}

#[track_caller]
fn same(got: [u32; 2], expected: f64, operands: &[u64]) {
    let (got, expected) = (join(got), canonical(expected));
    assert_eq!(got, expected, "got {got:#018x}, expected {expected:#018x}, operands {operands:#018x?}");
}

/// Random numbers of each test; fewer where they take long.
const ROUNDS: usize = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };

fn pairs(mut check: impl FnMut(u64, u64)) {
    for &a in &edges() {
        for &b in &edges() {
            check(a, b);
        }
    }
    let mut random = Random(1);
    for _ in 0..ROUNDS {
        check(random.float(), random.float());
    }
}

fn singles(mut check: impl FnMut(u64)) {
    edges().into_iter().for_each(&mut check);
    let mut random = Random(2);
    for _ in 0..ROUNDS {
        check(random.float());
    }
}

#[test]
fn sums_are_rounded_to_nearest() {
    pairs(|a, b| {
        same(sum(&mut Cpu, split(a), split(b)), f(a) + f(b), &[a, b]);
        // Of nearly the same magnitude, so that all but the last bits cancel.
        let near = a.wrapping_add(b % 5).wrapping_sub(2) ^ SIGN_BIT;
        same(sum(&mut Cpu, split(a), split(near)), f(a) + f(near), &[a, near]);
    });
}

#[test]
fn products_are_rounded_to_nearest() {
    pairs(|a, b| same(product(&mut Cpu, split(a), split(b)), f(a) * f(b), &[a, b]));
    // Products around the least normal number.
    let mut random = Random(5);
    for _ in 0..ROUNDS / 4 {
        let (a, b) = (random.float(), random.word());
        let exponent = (a >> 52) & 2047;
        let other = (1023 + random.word() % 64).saturating_sub(exponent);
        let b = b & (SIGN_BIT | 0xf_ffff_ffff_ffff) | (other & 2047) << 52;
        same(product(&mut Cpu, split(a), split(b)), f(a) * f(b), &[a, b]);
    }
}

#[test]
fn mul_add_rounds_once() {
    let check = |a: u64, b: u64, c: u64| {
        same(mul_add(&mut Cpu, split(a), split(b), split(c)), f(a).mul_add(f(b), f(c)), &[a, b, c]);
    };
    let few: Vec<u64> = edges().into_iter().step_by(3).collect();
    for &a in &few {
        for &b in &few {
            for &c in &few {
                check(a, b, c);
            }
        }
    }
    let mut random = Random(3);
    for _ in 0..ROUNDS / 2 {
        let (a, b, c) = (random.float(), random.float(), random.float());
        check(a, b, c);
        // An addend that nearly cancels the product.
        let near = (f(a) * f(b)).to_bits().wrapping_add(random.word() % 5).wrapping_sub(2) ^ SIGN_BIT;
        check(a, b, near);
        // An addend at any distance of the product.
        let exponent = (f(a) * f(b)).to_bits() >> 52 & 2047;
        let exponent = exponent.wrapping_add(random.word() % 240).wrapping_sub(120).min(2046);
        check(a, b, c & (SIGN_BIT | 0xf_ffff_ffff_ffff) | exponent << 52);
    }
}

#[test]
fn quotients_are_rounded_to_nearest() {
    pairs(|a, b| same(quotient(&mut Cpu, split(a), split(b)), f(a) / f(b), &[a, b]));
}

#[test]
fn quotients_near_a_middle_are_rounded_to_nearest() {
    let mut random = Random(6);
    for _ in 0..ROUNDS / 2 {
        // A product and its neighbours by a factor is near a number of few digits.
        let (a, b) = (random.float(), random.float());
        let product = (f(a) * f(b)).to_bits().wrapping_add(random.word() % 5).wrapping_sub(2);
        same(quotient(&mut Cpu, split(product), split(b)), f(product) / f(b), &[product, b]);
    }
}

#[test]
fn roots_are_rounded_to_nearest() {
    singles(|a| {
        same(root(&mut Cpu, split(a)), f(a).sqrt(), &[a]);
        // Squares and their neighbours.
        let square = (f(a) * f(a)).to_bits();
        for near in [square.wrapping_sub(1), square, square.wrapping_add(1)] {
            same(root(&mut Cpu, split(near)), f(near).sqrt(), &[near]);
        }
    });
}

#[test]
fn remainders_are_exact() {
    let mut distant = 0;
    pairs(|a, b| {
        // Rust's own takes long for these, so few are enough.
        let steps = (a >> 52 & 2047).saturating_sub(b >> 52 & 2047);
        distant += usize::from(steps > 100);
        if steps <= 100 || distant % 16 == 0 {
            same(remainder(&mut Cpu, split(a), split(b)), f(a) % f(b), &[a, b]);
        }
    });
    // Dividends that are whole multiples, and their neighbours.
    let mut random = Random(7);
    for _ in 0..ROUNDS / 4 {
        let b = random.float();
        let factor = (random.word() >> (11 + random.word() % 53)) as f64;
        let a = (f(b) * factor).to_bits().wrapping_add(random.word() % 3).wrapping_sub(1);
        same(remainder(&mut Cpu, split(a), split(b)), f(a) % f(b), &[a, b]);
    }
}

#[test]
fn whole_numbers_are_the_ones_of_rust() {
    singles(|a| {
        same(whole(&mut Cpu, split(a), Rounding::Down), f(a).floor(), &[a]);
        same(whole(&mut Cpu, split(a), Rounding::Up), f(a).ceil(), &[a]);
        same(whole(&mut Cpu, split(a), Rounding::TowardsZero), f(a).trunc(), &[a]);
        same(whole(&mut Cpu, split(a), Rounding::HalfToEven), f(a).round_ties_even(), &[a]);
        same(whole(&mut Cpu, split(a), Rounding::HalfAway), f(a).round(), &[a]);
        // A whole number and a half.
        let half = (f((a & !SIGN_BIT) % (60 << 52) + (1020 << 52)).trunc() + 0.5).to_bits();
        same(whole(&mut Cpu, split(half), Rounding::HalfToEven), f(half).round_ties_even(), &[half]);
        same(whole(&mut Cpu, split(half), Rounding::HalfAway), f(half).round(), &[half]);
    });
}

#[test]
fn comparisons_see_subnormals_and_no_nan() {
    pairs(|a, b| {
        let (x, y) = (split(a), split(b));
        assert_eq!(equal(&mut Cpu, x, y), f(a) == f(b), "{a:x} {b:x}");
        assert_eq!(less(&mut Cpu, x, y), f(a) < f(b), "{a:x} {b:x}");
        assert!(equal(&mut Cpu, x, x) != f(a).is_nan(), "{a:x}");
        assert_eq!(is_nan(&mut Cpu, x), f(a).is_nan(), "{a:x}");
        assert_eq!(is_infinite(&mut Cpu, x), f(a).is_infinite(), "{a:x}");
        assert_eq!(is_finite(&mut Cpu, x), f(a).is_finite(), "{a:x}");
    });
}

#[test]
fn extremes_prefer_numbers_and_order_zeros() {
    pairs(|a, b| {
        let order = |least: bool| match (f(a).is_nan(), f(b).is_nan()) {
            (true, _) => f(b),
            (_, true) => f(a),
            _ if f(a).total_cmp(&f(b)).is_le() == least => f(a),
            _ => f(b),
        };
        same(extreme(&mut Cpu, split(a), split(b), true), order(true), &[a, b]);
        same(extreme(&mut Cpu, split(a), split(b), false), order(false), &[a, b]);
    });
}

#[test]
fn integers_of_every_width_saturate() {
    singles(|a| {
        let number = f(a);
        let expected: [(bool, u32, u64); 8] = [
            (true, 8, (number as i8 as u8).into()),
            (false, 8, (number as u8).into()),
            (true, 16, (number as i16 as u16).into()),
            (false, 16, (number as u16).into()),
            (true, 32, (number as i32 as u32).into()),
            (false, 32, (number as u32).into()),
            (true, 64, number as i64 as u64),
            (false, 64, number as u64),
        ];
        for (signed, bits, expected) in expected {
            let got = join(to_integer(&mut Cpu, signed, bits, split(a)));
            assert_eq!(got, expected, "{number:e} to {bits} bits, {signed}");
        }
    });
}

#[test]
fn integers_become_the_nearest_number() {
    let mut random = Random(4);
    for round in 0..ROUNDS {
        let integer = match round {
            0..64 => 1 << round,
            64..128 => u64::MAX >> (round - 64),
            128 => 0,
            _ => random.word() >> (random.word() % 64),
        };
        same(from_integer(&mut Cpu, split(integer)), integer as f64, &[integer]);
        let middle = integer & !0x7ff | 0x400;
        same(from_integer(&mut Cpu, split(middle)), middle as f64, &[middle]);
    }
}

#[test]
fn conversions_to_narrower_floats_round_once() {
    singles(|a| {
        for near in [a, a & !0x1fff_ffff | 0x1000_0000, a & !0x3ff_ffff_ffff | 0x200_0000_0000] {
            for bits in [near, near ^ 1, near.wrapping_sub(1)] {
                let expected = f(bits) as f32;
                let expected = if expected.is_nan() { NAN_F32 } else { expected.to_bits() };
                assert_eq!(to_f32(&mut Cpu, split(bits)), expected, "{bits:#018x}");
                let odd = to_f32_odd(&mut Cpu, split(bits));
                let expected = u32::from(exact_half::from_f64(f(bits)));
                assert_eq!(half::narrow(&mut Cpu, odd), expected, "{bits:#018x}");
            }
        }
    });
}

#[test]
fn subnormals_of_narrower_floats_round_once() {
    let mut random = Random(8);
    for _ in 0..ROUNDS / 2 {
        let fraction = random.word() & (SIGN_BIT | 0xf_ffff_ffff_ffff);
        let single = fraction | (1023 - 152 + random.word() % 30) << 52;
        let half_sized = fraction | (1023 - 27 + random.word() % 16) << 52;
        for bits in [single, half_sized, half_sized & !0xfff_ffff_ffff, single & !0xfff_ffff_ffff] {
            assert_eq!(to_f32(&mut Cpu, split(bits)), (f(bits) as f32).to_bits(), "{bits:#018x}");
            let odd = to_f32_odd(&mut Cpu, split(bits));
            let expected = u32::from(exact_half::from_f64(f(bits)));
            assert_eq!(half::narrow(&mut Cpu, odd), expected, "{bits:#018x}");
        }
    }
}

#[test]
fn narrower_floats_become_the_same_number() {
    let mut check = |bits: u32| same(from_f32(&mut Cpu, bits), f32::from_bits(bits).into(), &[bits.into()]);
    (0..=u32::MAX).step_by(4099).for_each(&mut check);
    (0..1 << 16).for_each(check);
    for bits in 0..=u16::MAX {
        let single = half::widen(&mut Cpu, bits.into());
        same(from_f32(&mut Cpu, single), exact_half::to_f64(bits), &[bits.into()]);
    }
}
