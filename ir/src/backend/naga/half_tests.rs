//! `f16` in words against the host's exact conversions.

use super::float;
use super::float_tests::Cpu;
use super::half::{narrow, widen};
use crate::scalar::half;

#[test]
fn every_f16_widens_to_itself() {
    for bits in 0..=u16::MAX {
        let value = f32::from_bits(widen(&mut Cpu, bits.into()));
        let expected = half::to_f64(bits) as f32;
        assert!(value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan(), "{bits:#x}: {value}");
    }
}

#[test]
fn f32_narrows_to_the_nearest() {
    let check = |bits: u32| {
        let expected = u32::from(half::from_f64(f32::from_bits(bits).into()));
        assert_eq!(narrow(&mut Cpu, bits), expected, "{bits:#x}");
    };
    (0..=u32::MAX).step_by(9973).for_each(check);
    // Around every middle of two neighbours, in normal and subnormal numbers.
    for half in 0..=0x7c00u16 {
        let bits = (half::to_f64(half) as f32).to_bits();
        for middle in [bits, bits ^ 0x1000, bits.wrapping_add(0x1000)] {
            for near in [middle.wrapping_sub(1), middle, middle.wrapping_add(1)] {
                check(near);
                check(near | 0x8000_0000);
            }
        }
        if half < 0x400 {
            let middle = ((f64::from(half) + 0.5) / 16_777_216.0) as f32;
            (0..3).for_each(|near| check((middle.to_bits() + near).wrapping_sub(1)));
        }
    }
}

#[test]
fn a_fused_product_rounded_to_odd_narrows_to_the_exact_result() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u16
    };
    for round in 0..300_000 {
        let (a, b, mut c) = (next(), next(), next());
        if round % 2 == 0 {
            // Near the product, so that most of it cancels.
            c = (half::from_f64(-half::to_f64(a) * half::to_f64(b)) & 0xfffc) | (c & 3);
        }
        let [x, y, z] = [a, b, c].map(|half| widen(&mut Cpu, half.into()));
        let odd = float::mul_add_odd(&mut Cpu, x, y, z);
        assert_eq!(narrow(&mut Cpu, odd), u32::from(half::mul_add(a, b, c)), "{a:#x} * {b:#x} + {c:#x}");
    }
}
