//! How native code takes the lanes of rows: blocks of lanes that meet others, numbers cut in two, strips that go on from
//! a workgroup to the next, squares that are turned round, branches of a single lane,
//! and what lanes carry from round to round.
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

const STEPS: [usize; 16] = [0, 1, 2, 3, 4, 8, 9, 12, 16, 24, 32, 48, 64, 127, 128, 192];
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

// In loops, through workgroup memory with a gap.
#[kernel(workgroup_size(8, 4))]
fn turn_in_loops(n: usize, x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 9]; 8];
    let (i, j) = (local_id().x, local_id().y);
    let (column, row) = (workgroup_id().x * 8, workgroup_id().y * 8);
    for r in 0..2 {
        tile[j + r * 4][i] = x[(row + j + r * 4) * n + column + i];
    }
    workgroup_barrier();
    for r in 0..2 {
        y[(column + j + r * 4) * n + row + i] = tile[i][j + r * 4];
    }
}

#[test]
fn squares_are_turned_round_on_their_way_from_workgroup_memory() {
    for n in [8, 24, 64] {
        // Some of these are NaN that compute to another one.
        let x: Vec<f32> = words(n * n).into_iter().map(|word| f32::from_bits(word << 7 | 0x7f00_0001)).collect();
        let turned = |at: usize| x[at % n * n + at / n].to_bits();
        let expected: Vec<u32> = (0..n * n).map(turned).collect();
        for device in devices() {
            let (x, mut y) = (device.upload(&x).unwrap(), device.zeros::<f32>(n * n).unwrap());
            turn_in_loops::launch(&device, Grid::groups(n / 8, n / 8, 1), n, &x, &mut y).unwrap();
            let got: Vec<u32> = y.read().unwrap().iter().map(|y| y.to_bits()).collect();
            assert_eq!(got, expected, "{n} on {device:?}");
        }
    }
}

// Neighbours on y store side by side, beside a move that does not turn round.
#[kernel(workgroup_size(8, 8))]
fn turn_into_a_group(n: usize, a: &[u32], b: &[u32], c: &mut [u32]) {
    #[shared]
    let left: [u32; 128];
    #[shared]
    let right: [u32; 64];
    let i = local_index();
    let at = (workgroup_id().y * 8 + i / 8) * n + workgroup_id().x * 8 + i % 8;
    left[i % 8 * 8 + i / 8] = a[at];
    left[i % 8 * 8 + i / 8 + 64] = b[at];
    right[i] = b[at];
    workgroup_barrier();
    c[at] = left[i] * 3 + left[i + 64] * 5 + right[i];
}

#[test]
fn squares_are_turned_round_on_their_way_to_workgroup_memory() {
    for (n, len) in [(8, 64), (40, 1600), (40, 1500)] {
        let (a, b) = (words(n * n + 7)[7..].to_vec(), words(n * n));
        let (a, b) = (&a[..len], &b[..len]);
        let mut expected = vec![0u32; n * n];
        for (at, to) in expected.iter_mut().enumerate() {
            let (x, y) = (at % n, at / n);
            let (column, row) = (x / 8 * 8, y / 8 * 8);
            let turned = (row + x % 8) * n + column + y % 8;
            let of = |words: &[u32], at: usize| words.get(at).copied().unwrap_or(0);
            *to = of(a, turned).wrapping_mul(3).wrapping_add(of(b, turned).wrapping_mul(5)).wrapping_add(of(b, at));
        }
        for device in devices() {
            let (a, b) = (device.upload(a).unwrap(), device.upload(b).unwrap());
            let mut c = device.zeros::<u32>(n * n).unwrap();
            turn_into_a_group::launch(&device, Grid::groups(n / 8, n / 8, 1), n, &a, &b, &mut c).unwrap();
            assert_eq!(c.read().unwrap(), expected, "{n} {len} on {device:?}");
        }
    }
}

/// A kernel in which the lane `$at` of a workgroup does something by itself.
macro_rules! by_one_lane {
    ($name:ident, $at:literal) => {
        #[kernel(workgroup_size(16, 4))]
        fn $name(x: &[u32], y: &mut [u32], sums: &mut [u32]) {
            let lane = local_index();
            let i = workgroup_id().x * 64 + lane;
            let mut sum = 7;
            if i < x.len() && i < y.len() {
                sum += x[i];
                y[i] = sum;
            }
            if lane == $at && i < 150 {
                sums[workgroup_id().x] = sum;
            }
        }
    };
}
by_one_lane!(by_the_first, 0);
by_one_lane!(by_one_of_them, 37);
by_one_lane!(by_the_last, 63);

#[test]
fn what_one_lane_does_is_done_once() {
    let x = words(140);
    for at in [0, 37, 63] {
        let mut expected = vec![0; 3];
        for (group, sum) in expected.iter_mut().enumerate().filter(|(group, _)| group * 64 + at < 150) {
            *sum = x.get(group * 64 + at).map_or(7, |x| x + 7);
        }
        let plus: Vec<u32> = x.iter().map(|x| x + 7).collect();
        for device in devices() {
            let dx = device.upload(&x).unwrap();
            let (mut y, mut sums) = (device.zeros::<u32>(140).unwrap(), device.zeros::<u32>(3).unwrap());
            let grid = Grid::groups(3, 1, 1);
            match at {
                0 => by_the_first::launch(&device, grid, &dx, &mut y, &mut sums).unwrap(),
                37 => by_one_of_them::launch(&device, grid, &dx, &mut y, &mut sums).unwrap(),
                _ => by_the_last::launch(&device, grid, &dx, &mut y, &mut sums).unwrap(),
            }
            assert_eq!(
                (y.read().unwrap(), sums.read().unwrap()),
                (plus.clone(), expected.clone()),
                "{at} on {device:?}"
            );
        }
    }
}

// Of what is carried, `sum` alone is never looked at after it has changed; `a` and `b` pass on what they were.
#[kernel(workgroup_size(8, 2))]
fn carrying(rounds: usize, x: &[u32], y: &mut [[u32; 4]]) {
    #[shared]
    let tile: [u32; 16];
    let lane = local_index();
    let i = workgroup_id().x * 16 + lane;
    let (mut a, mut b, mut sum, mut old) = (if i < x.len() { x[i] } else { 0 }, 1, 2, 3);
    for round in 0..rounds {
        tile[lane] = a + b;
        workgroup_barrier();
        let met = tile[(lane + 1) % 16];
        sum = sum * 3 + met;
        let next = met ^ (round as u32 + sum);
        workgroup_barrier();
        tile[lane] = next;
        workgroup_barrier();
        old = a + tile[(lane + 5) % 16];
        (a, b) = (next, a);
        workgroup_barrier();
    }
    if i < y.len() {
        y[i] = [a, b, sum, old];
    }
}

#[test]
fn lanes_carry_what_they_had_from_round_to_round() {
    let x = words(64);
    for rounds in [0, 1, 2, 7] {
        let mut expected = Vec::new();
        for x in x.as_chunks::<16>().0 {
            let mut lanes: Vec<[u32; 4]> = x.iter().map(|x| [*x, 1, 2, 3]).collect();
            for round in 0..rounds {
                let tile: Vec<u32> = lanes.iter().map(|[a, b, ..]| a.wrapping_add(*b)).collect();
                let mut nexts = Vec::new();
                for (lane, [_, _, sum, _]) in lanes.iter_mut().enumerate() {
                    let met = tile[(lane + 1) % 16];
                    *sum = sum.wrapping_mul(3).wrapping_add(met);
                    nexts.push(met ^ sum.wrapping_add(round));
                }
                for (lane, [a, b, _, old]) in lanes.iter_mut().enumerate() {
                    *old = a.wrapping_add(nexts[(lane + 5) % 16]);
                    (*a, *b) = (nexts[lane], *a);
                }
            }
            expected.extend(lanes);
        }
        for device in devices() {
            let (x, mut y) = (device.upload(&x).unwrap(), device.zeros::<[u32; 4]>(64).unwrap());
            carrying::launch(&device, Grid::groups(4, 1, 1), rounds as usize, &x, &mut y).unwrap();
            assert_eq!(y.read().unwrap(), expected, "{rounds} on {device:?}");
        }
    }
}
