//! How native code takes the lanes of rows: blocks of lanes that meet others, numbers cut in two, and strips that go on
//! from a workgroup to the next.
//!
//! A dev build runs the kernels on the interpreter; `cargo test --release` compiles them for this CPU.

#![forbid(
    unsafe_code,
    unused_assignments,
    unused_labels,
    unused_mut,
    unused_parens,
    unused_variables,
    unreachable_code
)]
#![deny(warnings, unused)]

use samebits::prelude::*;

/// This CPU and the interpreter.
fn devices() -> [Device; 2] {
    [Device::cpu(), Device::interpreter()]
}

fn words(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect()
}

/// What it takes for pairs that differ in the bits of `step` to be in the order that `run` asks for.
fn exchanged(mut keys: Vec<u32>, run: usize, step: usize) -> Vec<u32> {
    for i in 0..keys.len() {
        let other = i ^ step;
        if other > i && other < keys.len() && (keys[i] > keys[other]) == (i & run == 0) {
            keys.swap(i, other);
        }
    }
    keys
}

const STEPS: [usize; 12] = [0, 1, 3, 8, 16, 24, 32, 48, 64, 127, 128, 192];
const RUNS: [usize; 6] = [0, 2, 16, 64, 96, 256];

#[kernel(workgroup_size(256))]
fn exchange(run: usize, step: usize, y: &mut [u32]) {
    let i = global_id().x;
    let other = i ^ step;
    if other > i && other < y.len() {
        let (a, b) = (y[i], y[other]);
        if (a > b) == (i & run == 0) {
            y[i] = b;
            y[other] = a;
        }
    }
}

#[test]
fn lanes_exchange_what_other_lanes_of_any_bits_have() {
    for n in [1, 16, 250, 256, 1000, 1024] {
        for step in STEPS {
            for run in RUNS {
                let expected = exchanged(words(n), run, step);
                for device in devices() {
                    let mut y = device.upload(&words(n)).unwrap();
                    exchange::launch(&device, n, run, step, &mut y).unwrap();
                    assert_eq!(y.read().unwrap(), expected, "{n} {step} {run} on {device:?}");
                }
            }
        }
    }
}

#[kernel(workgroup_size(96))]
fn exchange_in_a_group(run: usize, step: usize, y: &mut [u32]) {
    #[shared]
    let tile: [u32; 96];
    let (i, lane) = (global_id().x, local_index());
    tile[lane] = y[i];
    workgroup_barrier();
    let other = lane ^ step;
    if other > lane {
        let (a, b) = (tile[lane], tile[other]);
        if (a > b) == (lane & run == 0) {
            tile[lane] = b;
            tile[other] = a;
        }
    }
    workgroup_barrier();
    y[i] = tile[lane];
}

#[test]
fn lanes_exchange_what_is_in_workgroup_memory() {
    for step in STEPS {
        for run in RUNS {
            let keys = words(192);
            // Beyond the memory are zeros, which are never less, and stores do nothing there.
            let one = |part: &[u32]| {
                let mut tile = part.to_vec();
                for lane in 0..96 {
                    let other = lane ^ step;
                    let (a, b) = (tile[lane], tile.get(other).copied().unwrap_or(0));
                    if other > lane && (a > b) == (lane & run == 0) {
                        tile[lane] = b;
                        if let Some(place) = tile.get_mut(other) {
                            *place = a;
                        }
                    }
                }
                tile
            };
            let expected: Vec<u32> = keys.chunks(96).flat_map(one).collect();
            for device in devices() {
                let mut y = device.upload(&keys).unwrap();
                exchange_in_a_group::launch(&device, 192, run, step, &mut y).unwrap();
                assert_eq!(y.read().unwrap(), expected, "{step} {run} on {device:?}");
            }
        }
    }
}

#[kernel(workgroup_size(16, 8))]
fn cut(x: &[u32], y: &mut [[u32; 8]]) {
    #[shared]
    let tile: [u32; 128];
    let (i, at) = (local_index(), workgroup_id().x * 128 + local_index());
    tile[i % 16 * 8 + i / 16] = x[at];
    workgroup_barrier();
    let g = global_id().x;
    let (row, low) = (tile[i / 32 * 32 + i % 32], tile[i & 15]);
    y[at] = [row, low, tile[i % 24], tile[i >> 3], (i % 48) as u32, (i / 64) as u32, (g % 32) as u32, (g / 16) as u32];
}

#[kernel(workgroup_size(24, 4))]
fn cut_by_no_power_of_two(x: &[u32], y: &mut [[u32; 4]]) {
    #[shared]
    let tile: [u32; 96];
    let (i, at) = (local_index(), workgroup_id().x * 96 + local_index());
    tile[i] = x[at];
    workgroup_barrier();
    y[at] = [tile[i % 48], tile[i / 24], tile[i % 32], tile[i / 7]];
}

#[test]
fn numbers_of_lanes_are_cut_in_two() {
    let x = words(512);
    let expected: Vec<[u32; 8]> = (0..512)
        .map(|at| {
            let (part, i) = (&x[at / 128 * 128..][..128], at % 128);
            let g = at / 128 * 16 + i % 16;
            let tile = |k: usize| part[k % 8 * 16 + k / 8];
            let cuts = [i % 48, i / 64, g % 32, g / 16].map(|cut| cut as u32);
            [tile(i), tile(i & 15), tile(i % 24), tile(i >> 3), cuts[0], cuts[1], cuts[2], cuts[3]]
        })
        .collect();
    for device in devices() {
        let mut y = device.zeros::<[u32; 8]>(512).unwrap();
        cut::launch(&device, Grid::groups(4, 1, 1), &device.upload(&x).unwrap(), &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[test]
fn numbers_of_lanes_are_cut_by_any_multiple_of_a_row() {
    let x = words(288);
    let one = |at: usize| {
        let (part, i) = (&x[at / 96 * 96..][..96], at % 96);
        [part[i % 48], part[i / 24], part[i % 32], part[i / 7]]
    };
    let expected: Vec<[u32; 4]> = (0..288).map(one).collect();
    for device in devices() {
        let mut y = device.zeros::<[u32; 4]>(288).unwrap();
        cut_by_no_power_of_two::launch(&device, Grid::groups(3, 1, 1), &device.upload(&x).unwrap(), &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[kernel(workgroup_size(8, 4))]
fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let (i, j) = (global_id().x, global_id().y);
    if i < n && j < n {
        let mut sum = 0.0f32;
        for k in 0..n {
            sum += a[j * n + k] * b[k * n + i];
        }
        c[j * n + i] = sum;
    }
}

#[test]
fn strips_go_on_from_a_workgroup_to_the_next() {
    for n in [1, 7, 8, 100, 128, 141, 300] {
        let numbers = |seed: usize| (0..n * n).map(move |i| ((i + seed) * 7919 % 1013) as f32 * 0.25 - 100.0);
        let (a, b): (Vec<f32>, Vec<f32>) = (numbers(1).collect(), numbers(2).collect());
        let one = |at: usize| (0..n).fold(0.0, |sum, k| sum + a[at / n * n + k] * b[k * n + at % n]);
        let expected: Vec<f32> = (0..n * n).map(one).collect();
        // The interpreter takes long for large ones.
        for device in &devices()[..if n < 50 { 2 } else { 1 }] {
            let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut c = device.zeros::<f32>(n * n).unwrap();
            product::launch(device, (n, n), n, &a, &b, &mut c).unwrap();
            assert_eq!(c.read().unwrap(), expected, "{n} on {device:?}");
        }
    }
}

#[kernel(workgroup_size(32, 2))]
fn turn(w: usize, h: usize, x: &[u32], y: &mut [u32]) {
    let (i, j) = (global_id().x, global_id().y);
    if i < w && j < h {
        y[i * h + j] = x[j * w + i];
    }
}

#[test]
fn what_lanes_only_move_far_apart_arrives() {
    for (w, h) in [(1, 1), (31, 5), (32, 2), (70, 33)] {
        let x = words(w * h);
        let expected: Vec<u32> = (0..w * h).map(|at| x[at % h * w + at / h]).collect();
        for device in devices() {
            let mut y = device.zeros::<u32>(w * h).unwrap();
            turn::launch(&device, (w, h), w, h, &device.upload(&x).unwrap(), &mut y).unwrap();
            assert_eq!(y.read().unwrap(), expected, "{w} {h} on {device:?}");
        }
    }
}
