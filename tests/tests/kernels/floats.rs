//! Arithmetic and methods of `f32`: IEEE 754, strictly, with Rust's meanings.

use crate::table;
use samebits::prelude::*;

const NAN: f32 = f32::from_bits(0x7fc0_0000);

table! { remainder_of_floats(a: f32, b: f32) -> f32 = a % b;
    (-5.5, 2.0) => -1.5, (5.5, -2.0) => 1.5, (-4.0, 2.0) => -0.0, (3e9, 7.0) => 4.0, (1e10, 3.0) => 1.0, (1e20, 7.0) => 3.0,
    (123456792.0, 0.1) => f32::from_bits(0x3d77_320e), (5.0, f32::INFINITY) => 5.0, (5.0, 0.0) => NAN, (f32::INFINITY, 2.0) => NAN,
}
table! { sums(a: f32, b: f32) -> f32 = a + b;
    (f32::INFINITY, f32::NEG_INFINITY) => NAN, (0.0, -0.0) => 0.0, (-0.0, -0.0) => -0.0, (16777216.0, 1.0) => 16777216.0,
    (f32::MAX, f32::MAX) => f32::INFINITY, (0.1, 0.2) => f32::from_bits(0x3e99_999a), (f32::NAN, 1.0) => NAN,
}
table! { quotients(a: f32, b: f32) -> f32 = a / b;
    (1.0, 0.0) => f32::INFINITY, (-1.0, 0.0) => f32::NEG_INFINITY, (0.0, 0.0) => NAN, (1.0, 3.0) => f32::from_bits(0x3eaa_aaab),
    (1.0, 10.0) => 0.1, (7.0, 1e-40) => f32::INFINITY,
}
table! { negation_flips_the_sign_only(a: f32) -> u32 = (-a).to_bits();
    0.0 => 0x8000_0000, -1.0 => 0x3f80_0000, f32::NAN => 0xffc0_0000,
}
table! { square_roots(a: f32) -> f32 = a.sqrt();
    2.0 => f32::from_bits(0x3fb5_04f3), -1.0 => NAN, -0.0 => -0.0, 1e-40 => f32::from_bits(0x1e3c_e4e7), f32::INFINITY => f32::INFINITY, 3.0 => f32::from_bits(0x3fdd_b3d7),
}
table! { round_is_half_away_from_zero(a: f32) -> f32 = a.round();
    0.5 => 1.0, 1.5 => 2.0, 2.5 => 3.0, -0.5 => -1.0, -2.5 => -3.0, 0.49999997 => 0.0, 8388609.0 => 8388609.0, -0.3 => -0.0,
    8388607.5 => 8388608.0, f32::INFINITY => f32::INFINITY,
}
table! { round_ties_even(a: f32) -> f32 = a.round_ties_even();
    0.5 => 0.0, 1.5 => 2.0, 2.5 => 2.0, -0.5 => -0.0, -1.5 => -2.0, 3.5 => 4.0,
}
table! { floor_ceil_trunc(a: f32) -> f32 = a.floor() * 100.0 + a.ceil() * 10.0 + a.trunc();
    1.25 => 121.0, -1.25 => -211.0, 3.0 => 333.0,
}
table! { ceil_keeps_the_sign_of_zero(a: f32) -> f32 = a.ceil(); -0.5 => -0.0, 0.5 => 1.0 }
table! { trunc_keeps_the_sign_of_zero(a: f32) -> f32 = a.trunc(); -0.5 => -0.0, 1e20 => 1e20 }
table! { fract_has_the_sign_of_its_operand(a: f32) -> f32 = a.fract(); -1.25 => -0.25, 1.25 => 0.25, 2.0 => 0.0 }
table! { signum_of_zeros_and_nan(a: f32) -> f32 = a.signum();
    0.0 => 1.0, -0.0 => -1.0, f32::NAN => NAN, -3.0 => -1.0, f32::INFINITY => 1.0,
}
table! { absolute_value_of_floats(a: f32) -> f32 = a.abs(); -0.0 => 0.0, -2.5 => 2.5, f32::NEG_INFINITY => f32::INFINITY }
table! { copysign(a: f32, b: f32) -> f32 = a.copysign(b); (3.0, -1.0) => -3.0, (-3.0, 0.0) => 3.0, (3.0, -0.0) => -3.0 }
table! { least(a: f32, b: f32) -> f32 = a.min(b);
    (1.0, 2.0) => 1.0, (f32::NAN, 2.0) => 2.0, (2.0, f32::NAN) => 2.0, (0.0, -0.0) => -0.0, (-0.0, 0.0) => -0.0, (f32::NAN, f32::NAN) => NAN,
    (1e-45, 0.0) => 0.0, (-1e-45, 0.0) => -1e-45,
}
table! { greatest(a: f32, b: f32) -> f32 = a.max(b);
    (1.0, 2.0) => 2.0, (f32::NAN, 2.0) => 2.0, (2.0, f32::NAN) => 2.0, (0.0, -0.0) => 0.0, (-0.0, 0.0) => 0.0, (1e-45, 0.0) => 1e-45,
}
table! { clamp_keeps_nan(a: f32, b: f32) -> f32 = a.clamp(-b, b); (9.0, 1.5) => 1.5, (-9.0, 1.5) => -1.5, (0.5, 1.5) => 0.5, (f32::NAN, 1.0) => NAN }
table! { reciprocals(a: f32) -> f32 = a.recip(); 4.0 => 0.25, 0.0 => f32::INFINITY, 3.0 => f32::from_bits(0x3eaa_aaab) }
table! { tests_of_floats(a: f32) -> u32 = a.is_nan() as u32 + a.is_infinite() as u32 * 2 + a.is_finite() as u32 * 4;
    f32::NAN => 1, f32::INFINITY => 2, f32::NEG_INFINITY => 2, 1.0 => 4, 1e-45 => 4,
}
table! { comparisons_with_nan(a: f32, b: f32) -> u32 =
    (a < b) as u32 + (a <= b) as u32 * 2 + (a > b) as u32 * 4 + (a >= b) as u32 * 8 + (a == b) as u32 * 16 + (a != b) as u32 * 32 + !(a < b) as u32 * 64;
    (f32::NAN, 1.0) => 32 + 64, (1.0, f32::NAN) => 32 + 64, (0.0, -0.0) => 2 + 8 + 16 + 64, (1e-45, 0.0) => 4 + 8 + 32 + 64, (-1.0, 1.0) => 1 + 2 + 32,
}
table! { fused_multiply_add_rounds_once(a: f32, b: f32) -> f32 = a.mul_add(a, b);
    (f32::from_bits(0x3f80_0800), f32::from_bits(0xbf80_1000)) => f32::from_bits(0x3380_0000), (2.0, 1.0) => 5.0, (1e-30, 1e-45) => 1e-45,
}

#[test]
fn a_product_and_a_sum_are_two_roundings() {
    #[kernel(workgroup_size(1))]
    fn two(a: &[f32], b: &[f32], c: &[f32], o: &mut [f32]) {
        let p = a[0] * b[0];
        o[0] = p + c[0];
        o[1] = a[0] * b[0] - p;
        o[2] = a[0].mul_add(b[0], c[0]);
        o[3] = c[0] - (-(a[0] * b[0]));
        let x = a[1];
        let y = b[1];
        o[4] = x * x - y * y;
    }
    #[kernel(workgroup_size(1))]
    fn literal(o: &mut [f32]) {
        let a = 1.000_244_140_625f32;
        let c = -1.000_488_281_25f32;
        let p = a * a;
        o[0] = p + c;
        o[1] = a * a - p;
        o[2] = a.mul_add(a, c);
        o[3] = c - (-(a * a));
        o[4] = 0.1f32 * 0.1 - 0.1 * 0.1;
    }
    let expected = [0.0, 0.0, f32::from_bits(0x3380_0000), 0.0, 0.0];
    let a = [f32::from_bits(0x3f80_0800), 0.1];
    let c = [f32::from_bits(0xbf80_1000)];
    crate::expect(&expected, |device, out| {
        let (a, b, c) = (device.upload(&a)?, device.upload(&a)?, device.upload(&c)?);
        two::launch(device, 1, &a, &b, &c, out)
    });
    crate::expect(&expected, |device, out| literal::launch(device, 1, out));
}

table! { inequality_with_nan(a: f32, b: f32) -> u32 = (a != b) as u32; (1.0, f32::NAN) => 1, (f32::NAN, 1.0) => 1, (f32::NAN, f32::NAN) => 1 }

#[test]
fn nothing_is_regrouped() {
    #[kernel(workgroup_size(1))]
    fn regroup(x: &[f32], o: &mut [f32]) {
        let a = x[0];
        let b = x[1];
        let c = x[2];
        let inf = x[3];
        o[0] = (a + b) - a;
        o[1] = a * b + a * c;
        o[2] = x[3] - x[3];
        o[3] = a * 3.0 * 0.1;
        o[4] = b + 1e8 - 1e8;
        o[5] = inf * 0.0;
        o[6] = 0.0 - (a - a);
        o[7] = b / b * a;
        o[8] = x[4] / x[4];
        o[9] = a / 3.0;
        o[10] = (a + b < a) as u32 as f32;
        o[11] = (b * 1e38) * 1e-38;
        o[12] = -(a - b) + 0.0;
        o[13] = a * 3.0 - a - a - a;
    }
    let [a, b, c, inf, zero] = [1e9f32 / 7.0, 0.3, 1e8 / 3.0, f32::INFINITY, 0.0];
    let expected = [
        (a + b) - a,
        a * b + a * c,
        NAN,
        a * 3.0 * 0.1,
        b + 1e8 - 1e8,
        NAN,
        0.0 - (a - a),
        b / b * a,
        NAN,
        a / 3.0,
        0.0,
        (b * 1e38) * 1e-38,
        -(a - b) + 0.0,
        a * 3.0 - a - a - a,
    ];
    let x = [a, b, c, inf, zero];
    crate::expect(&expected, |device, out| regroup::launch(device, 1, &device.upload(&x)?, out));
}

#[test]
fn a_dot_product_has_the_bits_of_a_sequential_sum() {
    #[kernel(workgroup_size(1))]
    fn dot(x: &[f32], y: &[f32], o: &mut [f32]) {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i] * y[i];
        }
        o[0] = sum;
    }
    let numbers = |seed: u32| -> Vec<f32> {
        (0..1000u32).map(|i| (i.wrapping_mul(seed).wrapping_add(i * i) % 2003) as f32 / 997.0 - 1.0).collect()
    };
    let (x, y) = (numbers(2_654_435_761), numbers(40_503));
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(&y) {
        sum += x * y;
    }
    crate::expect(&[sum], |device, out| dot::launch(device, 1, &device.upload(&x)?, &device.upload(&y)?, out));
}

#[test]
fn subnormal_numbers_and_nan_bits_survive() {
    #[kernel(workgroup_size(1))]
    fn small(a: &[f32], o: &mut [u32], copy: &mut [f32]) {
        o[0] = f32::from_bits(50).to_bits();
        o[1] = (a[0] + a[1]).to_bits();
        o[2] = (a[2] * 0.5).to_bits();
        o[3] = (a[3] + a[4]).to_bits();
        o[4] = (a[0] > 0.0) as u32;
        o[5] = a[5].to_bits();
        o[6] = (a[2] / 2.0).to_bits();
        o[7] = (a[2] - a[0]).to_bits();
        #[shared]
        let cell: f32;
        cell = a[5];
        let here = cell;
        let mut array = [0.0, a[5]];
        array[0] = here;
        copy[0] = array[0];
        copy[1] = if o[4] == 1 { array[1] } else { 0.0 };
        copy[2] = a[0];
    }
    let bits = [1, 1, 0x0080_0000, 0x8080_0000, 0x807f_ffff, 0x7fa0_0001].map(f32::from_bits);
    for device in crate::devices() {
        let a = device.upload(&bits).unwrap();
        let (mut o, mut copy) = (device.zeros(8).unwrap(), device.zeros(3).unwrap());
        small::launch(device, 1, &a, &mut o, &mut copy).unwrap();
        crate::same(device, &o, &[50, 2, 0x0040_0000, 0x80ff_ffff, 1, 0x7fa0_0001, 0x0040_0000, 0x007f_ffff]);
        crate::same(device, &copy, &[0x7fa0_0001, 0x7fa0_0001, 1].map(f32::from_bits));
    }
}

/// NVIDIA's driver took the comparisons of all four for that of the last one.
#[kernel(workgroup_size(1))]
fn signs_of_remainders(x: &[f32], y: &[f32], signs: &mut [u32]) {
    let remainders = [x[0] % y[0], x[1] % y[1], x[2] % y[2], x[3] % y[3]];
    #[unroll]
    for i in 0..4 {
        signs[i] = if remainders[i] < 0.0 { 1 } else { 2 };
    }
}

#[test]
fn remainders_that_are_compared_after_all_of_them_are_compared_each() {
    crate::expect(&[2u32, 1, 2, 1], |device, signs| {
        let x = device.upload(&[7.0f32, -7.0, 0.5, -0.5])?;
        let y = device.upload(&[4.0f32, 4.0, 3.0, -3.0])?;
        signs_of_remainders::launch(device, 1, &x, &y, signs)
    });
}
