//! Fourier transforms of 512 complex numbers each, there and back.
//!
//! A workgroup of 64 makes one transform in three rounds of transforms of eight numbers, which stay in variables. Between
//! rounds the numbers are turned by their angles, and change places through workgroup memory, first their real parts and
//! then their imaginary ones.
//!
//! Sizes: 32,768 transforms of `f64` (256 MiB).
//! What differs: each transform there begins with the same numbers and each one back with its result, so a step copies
//! them first.

use crate::answer::Answer;
use crate::job::{Ask, Job, Scale};
use samebits::math;
use samebits::prelude::*;

/// Numbers of a transform.
const SIZE: usize = 512;

/// The order in which a transform of eight leaves its results.
#[device]
const REVERSED: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];

#[device]
fn product(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// A sum and a difference.
#[device]
fn two(x: &mut [[f64; 2]; 8], i: usize, j: usize) {
    let (a, b) = (x[i], x[j]);
    x[i] = [a[0] + b[0], a[1] + b[1]];
    x[j] = [a[0] - b[0], a[1] - b[1]];
}

/// A transform of four numbers from `i` on; `sign` is -1 there and 1 back.
#[device]
fn four(x: &mut [[f64; 2]; 8], i: usize, sign: f64) {
    two(x, i, i + 2);
    two(x, i + 1, i + 3);
    x[i + 3] = product(x[i + 3], [0.0, sign]);
    two(x, i, i + 1);
    two(x, i + 2, i + 3);
}

#[device]
fn eight(x: &mut [[f64; 2]; 8], sign: f64) {
    for i in 0..4 {
        two(x, i, i + 4);
    }
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let turned = product(x[5], [1.0, sign]);
    x[5] = [half * turned[0], half * turned[1]];
    x[6] = product(x[6], [0.0, sign]);
    let turned = product(x[7], [-1.0, sign]);
    x[7] = [half * turned[0], half * turned[1]];
    four(x, 0, sign);
    four(x, 4, sign);
}

/// Turns each number by its share of a circle of so many parts.
#[device]
fn turn(x: &mut [[f64; 2]; 8], sign: f64, parts: f64, times: usize) {
    for i in 1..8 {
        let angle = sign * 2.0 * std::f64::consts::PI * REVERSED[i] as f64 / parts * times as f64;
        x[i] = product(x[i], [angle.cos(), angle.sin()]);
    }
}

/// Numbers change places: each goes to `to` and those `to_step` after, and comes from `from` and those eight after.
#[device]
fn exchange(x: &mut [[f64; 2]; 8], tile: &mut [f64; 576], to: usize, to_step: usize, from: usize) {
    let mut moved = *x;
    for part in 0..2 {
        for i in 0..8 {
            tile[to + i * to_step] = x[REVERSED[i]][part];
        }
        workgroup_barrier();
        for i in 0..8 {
            moved[i][part] = tile[from + i * 8];
        }
        workgroup_barrier();
    }
    *x = moved;
}

/// `sign` is -1 for the transform and 1 for the one back, which also divides by the size.
#[kernel(workgroup_size(64), features(f64))]
pub(crate) fn transform(sign: f64, numbers: &mut [[f64; 2]]) {
    #[shared]
    let tile: [f64; 576];
    let lane = local_id().x;
    let first = workgroup_id().x * SIZE + lane;
    let (high, low) = (lane / 8, lane % 8);
    let mut x = [[0.0; 2]; 8];
    for i in 0..8 {
        x[i] = numbers[first + i * 64];
    }
    eight(&mut x, sign);
    turn(&mut x, sign, 512.0, lane);
    exchange(&mut x, &mut tile, lane, 66, low * 66 + high);
    eight(&mut x, sign);
    turn(&mut x, sign, 64.0, high);
    exchange(&mut x, &mut tile, lane, 72, high * 72 + low);
    eight(&mut x, sign);
    for i in 0..8 {
        let [re, im] = x[REVERSED[i]];
        numbers[first + i * 64] = if sign > 0.0 { [re / 512.0, im / 512.0] } else { [re, im] };
    }
}

fn inputs(scale: Scale) -> Vec<[f64; 2]> {
    let half = scale.of(1, 16_384) * SIZE;
    let number = |i: usize| {
        let angle = if i % 768 / 384 == 0 { i as f32 } else { i as f32 / 10_000.0 };
        [math::sin(angle), math::cos(angle)].map(f64::from)
    };
    (0..2 * half).map(|i| number(i % half)).collect()
}

pub(crate) fn start(device: &Device, scale: Scale) -> Result<Job<'_>, Error> {
    let source = device.upload(&inputs(scale))?;
    let n = source.len();
    let (mut there, mut back) = (device.zeros(n)?, device.zeros(n)?);
    Ok(Job::new(["there", "back"], move |ask| match ask {
        Ask::Step(0) => {
            there.copy_from(&source)?;
            transform::launch(device, n / 8, -1.0, &mut there)
        }
        Ask::Step(_) => {
            back.copy_from(&there)?;
            transform::launch(device, n / 8, 1.0, &mut back)
        }
        Ask::Answer(answer) => {
            answer.add("there", &there.read()?);
            answer.add("back", &back.read()?);
            Ok(())
        }
    }))
}

type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// A transform of eight by halves, whose results are in the order of reversed bits; each twiddle factor is one that
/// is exact but for a root.
fn plain_eight(x: [Complex; 8], sign: f64) -> [Complex; 8] {
    let mut x = x.to_vec();
    for size in [8, 4, 2] {
        for part in x.chunks_mut(size) {
            for i in 0..size / 2 {
                let (a, b) = (part[i], part[i + size / 2]);
                part[i] = (a.0 + b.0, a.1 + b.1);
                let difference = (a.0 - b.0, a.1 - b.1);
                let rooted =
                    |z: Complex| (z.0 * std::f64::consts::FRAC_1_SQRT_2, z.1 * std::f64::consts::FRAC_1_SQRT_2);
                part[i + size / 2] = match 8 / size * i {
                    0 => difference,
                    1 => rooted(times(difference, (1.0, sign))),
                    2 => times(difference, (0.0, sign)),
                    _ => rooted(times(difference, (-1.0, sign))),
                };
            }
        }
    }
    std::array::from_fn(|i| x[i])
}

/// A transform of 512 numbers in three rounds of eight.
fn plain(numbers: &[[f64; 2]], sign: f64) -> Vec<[f64; 2]> {
    let reversed = |i: usize| i >> 2 | i & 2 | (i & 1) << 2;
    let mut x: Vec<Complex> = numbers.iter().map(|x| (x[0], x[1])).collect();
    // In each round, eight numbers `apart` are transformed, and stay there in their own order.
    for apart in [64, 8, 1] {
        let mut after = x.clone();
        for first in 0..SIZE {
            if first / apart % 8 != 0 {
                continue;
            }
            let transformed = plain_eight(std::array::from_fn(|i| x[first + i * apart]), sign);
            for (i, &number) in transformed.iter().enumerate() {
                let frequency = reversed(i);
                let angle =
                    sign * 2.0 * std::f64::consts::PI * frequency as f64 / (8 * apart) as f64 * (first % apart) as f64;
                let turned = times(number, (math::cos(angle), math::sin(angle)));
                after[first + frequency * apart] = if i == 0 || apart == 1 { number } else { turned };
            }
        }
        x = after;
    }
    // Three digits of eight are now in the opposite order.
    let result = (0..SIZE).map(|i| x[i % 8 * 64 + i / 8 % 8 * 8 + i / 64]);
    result.map(|(re, im)| if sign > 0.0 { [re / 512.0, im / 512.0] } else { [re, im] }).collect()
}

pub(crate) fn reference(scale: Scale) -> Answer {
    let numbers = inputs(scale);
    let there: Vec<_> = numbers.chunks(SIZE).flat_map(|numbers| plain(numbers, -1.0)).collect();
    let back: Vec<_> = there.chunks(SIZE).flat_map(|numbers| plain(numbers, 1.0)).collect();
    let mut answer = Answer::default();
    answer.add("there", &there);
    answer.add("back", &back);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_the_transform_of_the_definition() {
        let numbers: Vec<[f64; 2]> = (0..SIZE).map(|i| [(i * i % 37) as f64 - 18.0, (i % 11) as f64]).collect();
        let found = plain(&numbers, -1.0);
        for k in [0, 1, 9, 77, 256, 511] {
            let sum = numbers.iter().enumerate().fold((0.0, 0.0), |sum, (j, x)| {
                let (s, c) = (-2.0 * std::f64::consts::PI * (j * k % SIZE) as f64 / SIZE as f64).sin_cos();
                (sum.0 + x[0] * c - x[1] * s, sum.1 + x[0] * s + x[1] * c)
            });
            assert!((found[k][0] - sum.0).hypot(found[k][1] - sum.1) < 1e-9, "{k}: {:?}, not {sum:?}", found[k]);
        }
        let back = plain(&found, 1.0);
        assert!(back.iter().zip(&numbers).all(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-12));
    }
}
