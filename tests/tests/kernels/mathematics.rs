//! Mathematical functions as kernels spell them. `tests/math` has their arguments by the million.

use crate::{devices, table};
use samebits::prelude::*;

table! { powers_of_e_and_two_and_ten(a: f32) -> f32 = a.exp().max(0.5) + a.exp2() + exp10(a) + a.exp_m1() * 0.0;
    0.0 => 3.0, -200.0 => 0.5,
}
table! { logarithms_of_powers(a: f32) -> f32 = a.log2() + a.log10() * 0.0 + a.ln() * 0.0 + (a - a).ln_1p(); 8.0 => 3.0, 1024.0 => 10.0 }
table! { exact_angles(a: f32) -> f32 = sin_pi(a) + cos_pi(a) * 10.0 + tan_pi(a * 0.5) * 100.0; 0.5 => 101.0, 0.0 => 10.0 }
table! { quadrants(y: f32, x: f32) -> f32 = y.atan2(x) * 4.0 / std::f32::consts::PI; (1.0, 1.0) => 1.0, (0.0, -1.0) => 4.0, (-0.0, -1.0) => -4.0 }
table! { roots(a: f32, b: f32) -> f32 = a.cbrt() + a.hypot(b) * 0.0 + rsqrt(b); (27.0, 16.0) => 3.25, (-8.0, 4.0) => -1.5 }
table! { powers_of_numbers(a: f32, n: i32) -> f32 = a.powi(n) + a.powf(n as f32); (3.0, 4) => 162.0, (2.0, -3) => 0.25, (-2.0, 3) => -16.0, (0.0, 0) => 2.0 }
table! { special_functions(a: f32) -> f32 = erf(a) + erfc(a) + tgamma(a) + lgamma(a) * 0.0; 4.0 => 7.0, 1.0 => 2.0 }

#[kernel]
fn both(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && 4 * i + 3 < y.len() {
        let (sine, cosine) = x[i].sin_cos();
        let (sines, _) = Vec2::new(x[i], -x[i]).sin_cos();
        y[4 * i] = sine - x[i].sin();
        y[4 * i + 1] = cosine;
        y[4 * i + 2] = sines.x + sines.y;
        y[4 * i + 3] = Vec2::splat(x[i]).cos().y;
    }
}

#[test]
fn a_sine_with_its_cosine_has_the_bits_of_each_alone() {
    let x = [0.0f32, 1.0, -2.5, 1e10, 3e38];
    let expected: Vec<f32> =
        x.iter().flat_map(|&x| [0.0, samebits::math::cos(x), 0.0, samebits::math::cos(x)]).collect();
    for device in devices() {
        let (buffer, mut y) = (device.upload(&x).unwrap(), device.zeros(4 * x.len()).unwrap());
        both::launch(device, x.len(), &buffer, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[kernel(workgroup_size(1))]
fn with_a_common_argument(a: f32, b: f32, n: f32, y: &mut [f32]) {
    y[0] = a.powf(n);
    y[1] = b.powf(n);
    y[2] = n.powf(a);
    y[3] = n.powf(b);
    y[4] = a.atan2(n);
    y[5] = b.atan2(n);
    y[6] = a.hypot(n);
    y[7] = b.hypot(n);
}

#[test]
fn two_results_with_a_common_argument_are_each_right() {
    use samebits::math::{atan2, hypot, powf};
    for (a, b, n) in
        [(0.9f32, 0.81f32, 3.0f32), (0.5, 1.5, -1.0), (-2.0, -0.5, 5.0), (-0.0, 0.25, -3.0), (3.0, 7.0, 2.5)]
    {
        let pairs =
            [powf(a, n), powf(b, n), powf(n, a), powf(n, b), atan2(a, n), atan2(b, n), hypot(a, n), hypot(b, n)];
        for device in devices() {
            let mut y = device.zeros(8).unwrap();
            with_a_common_argument::launch(device, 1, a, b, n, &mut y).unwrap();
            let found: Vec<u32> = y.read().unwrap().into_iter().map(f32::to_bits).collect();
            assert_eq!(found, pairs.map(f32::to_bits), "{a} {b} {n} on {device:?}");
        }
    }
}

#[kernel]
fn nearly(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = approx::exp(x[i]) + approx::powf(x[i], 2.0) + approx::rsqrt(x[i]) + approx::sin(x[i]);
    }
}

#[test]
fn functions_of_a_device_are_near_the_right_ones() {
    let x = [0.5f32, 1.0, 2.5];
    for device in devices() {
        let (buffer, mut y) = (device.upload(&x).unwrap(), device.zeros(x.len()).unwrap());
        nearly::launch(device, x.len(), &buffer, &mut y).unwrap();
        for (x, y) in x.into_iter().zip(y.read().unwrap()) {
            let right = x.exp() + x * x + 1.0 / x.sqrt() + x.sin();
            assert!((y - right).abs() < 1e-3 * right, "{device:?}: {y}, not {right}");
        }
    }
}
