//! Iterators: over buffers, arrays, workgroup memory, tables and ranges, with adapters, and consumed.

use crate::twins;
use samebits::prelude::*;

twins! {
    elements([3, 1, 4, 1, 5, 9]);
    { const TABLE: [u32; 4] = [7, 5, 3, 2]; }
    { fn total(x: &[u32]) -> u32 {
        let mut total = 0;
        for v in x {
            total += v;
        }
        total
    } }
    { fn bump(x: &mut [u32; 3], by: &u32) {
        for v in x.iter_mut() {
            *v += by;
        }
    } }
    kernel(x, out) {
        out[0] = total(x);
        let mut a = [1, 2, 3];
        bump(&mut a, &x[2]);
        for (i, v) in a.iter().enumerate() {
            out[1 + i] = *v;
        }
        for v in &mut a {
            *v *= 2;
        }
        // An array by value is what it was when the loop began.
        let mut at = 4;
        for v in a {
            a[2] = 100;
            out[at] = v;
            at += 1;
        }
        out[7] = a[2];
        for v in [x[0], x[1] + 1, 7] {
            out[8] = out[8] * 10 + v;
        }
        for &v in &TABLE {
            out[9] = out[9] * 10 + v;
        }
        for v in TABLE.iter().rev() {
            out[10] = out[10] * 10 + *v;
        }
        for [p, q] in [[x[0], 1], [x[1], 2]] {
            out[11] += p * q;
        }
        for (p, q) in [(x[0], true), (x[1], false)] {
            if q {
                out[12] += p;
            }
        }
        let rows = [[1, 2], [x[0], x[1]]];
        for row in &rows {
            for v in row {
                out[13] = out[13] * 10 + v;
            }
        }
        for row in rows {
            out[14] += row[1] - row[0] / 3;
        }
        for v in x.iter().copied() {
            out[15] ^= v;
        }
        'all: for v in x {
            for w in &TABLE {
                if v == w {
                    continue 'all;
                }
                if *v > *w && *w == 2 {
                    break 'all;
                }
            }
            out[16] += v;
        }
    }
}

twins! {
    adapters([3, 1, 4, 1, 5, 9, 2, 6]);
    { fn all<F: Fn(u32) -> u32>(x: &[u32], f: F) -> u32 {
        x.iter().map(|v| f(*v)).sum()
    } }
    kernel(x, out) {
        for (i, &v) in x.iter().enumerate().skip(1).step_by(3) {
            out[i] = v;
        }
        for (i, v) in x.iter().rev().enumerate().take(2) {
            out[8 + i] = *v;
        }
        for (i, v) in x.iter().enumerate().rev().take(2) {
            out[10] = out[10] * 10 + i as u32 + v;
        }
        for (a, b) in x.iter().zip(x.iter().skip(1)) {
            out[11] += a * b;
        }
        for ((a, b), i) in x.iter().zip(&x[..]).zip(5u32..) {
            out[12] += a * b - i / 5;
        }
        for (o, v) in out.iter_mut().skip(13).zip(x.iter().step_by(2)) {
            *o = v + 1;
        }
        for v in x.iter().filter(|v| **v > 2).skip(1).step_by(2).take(2) {
            out[17] = out[17] * 10 + v;
        }
        for (i, v) in x.iter().filter(|&&v| v != 1).map(|v| v * v).enumerate() {
            out[18] += i as u32 * v;
        }
        for v in (0..20u32).step_by(3).skip(1).take(4).rev() {
            out[19] = out[19] * 3 + v;
        }
        for (i, v) in (-3..=4i32).rev().step_by(2).enumerate() {
            out[20] = out[20].wrapping_mul(7).wrapping_add((v * i as i32) as u32);
        }
        for v in x.iter().skip(20) {
            out[21] += v + 100;
        }
        for v in x.iter().skip(6).take(100) {
            out[21] += v;
        }
        for v in x.iter().take(0) {
            out[21] += v;
        }
        for (i, k) in (3..7u8).zip((0..30i32).step_by(10)).map(|(a, b)| (a as u32, b as u32)) {
            out[22] += i * k;
        }
        for (a, b) in [(1, 2), (3, 4u32)].iter().map(|(a, b)| (*b, *a)) {
            out[23] = out[23] * 100 + a * 10 + b;
        }
        out[24] = all(x, |v| v * 3);
        let factor = x[0];
        out[25] = all(x, |v| v * factor);
        for v in x.iter().rev().rev().step_by(2).step_by(2) {
            out[26] = out[26] * 10 + v;
        }
        for v in x.iter().step_by(3).rev().rev().skip(1) {
            out[27] = out[27] * 10 + v;
        }
        for (i, v) in x.iter().enumerate().filter(|(i, v)| i % 2 == 0 && **v > 3) {
            out[28] = out[28] * 10 + i as u32 + v;
        }
    }
}

twins! {
    consumers([3, 1, 4, 1, 5, 9, 2, 6]);
    { fn mean(x: &[u32]) -> f32 {
        let total: f32 = x.iter().map(|&v| v as f32 / 3.0).sum();
        total / x.len() as f32
    } }
    kernel(x, out) {
        out[0] = x.iter().sum();
        out[1] = x.iter().product::<u32>();
        out[2] = mean(x).to_bits();
        let none: f32 = x.iter().skip(9).map(|&v| v as f32).sum();
        out[3] = none.to_bits();
        out[4] = x.iter().skip(9).map(|&v| v as f32).product::<f32>().to_bits();
        out[5] = x.iter().any(|v| *v == 9) as u32 + 2 * x.iter().all(|&v| v > 1) as u32;
        out[6] = x.iter().position(|&v| v == 4).unwrap_or(99) as u32;
        out[7] = x.iter().position(|&v| v == 7).unwrap_or(99) as u32;
        out[8] = x.iter().copied().min().unwrap_or(50) + x.iter().map(|v| v * 2).max().unwrap_or(1);
        out[9] = x.iter().skip(8).copied().max().unwrap_or(77);
        out[10] = x.iter().fold(1u32, |hash, v| hash.wrapping_mul(31).wrapping_add(*v));
        out[11] = x.iter().count() as u32 + 10 * x.iter().filter(|v| **v % 2 == 1).count() as u32;
        let (least, most) = x.iter().fold((100, 0), |(a, b), &v| (if v < a { v } else { a }, if v > b { v } else { b }));
        out[12] = least * 10 + most;
        let mut count = 0;
        x.iter().skip(2).for_each(|v| count += v);
        out[13] = count;
        out[14] = (1..=10u32).map(|i| i * i).filter(|i| i % 2 == 1).sum();
        out[15] = (0..x.len()).map(|i| x[i] * i as u32).sum::<u32>();
        out[16] = (1..=5).product();
        out[17] = x.iter().zip(x.iter().rev()).map(|(a, b)| a * b).sum::<u32>();
        out[18] = [x[0], x[1], 8].iter().sum::<u32>() + [2, 3, x[2]].into_iter().map(|v| v + 1).sum::<u32>();
        out[19] = (0..100).any(|i| i * i == x[5]) as u32;
        let sums = x.iter().fold([0u32; 2], |sums, &v| if v > 3 { [sums[0] + v, sums[1]] } else { [sums[0], sums[1] + v] });
        out[20] = sums[0] * 100 + sums[1];
        out[21] = (0..3u32).map(|i| (0..i).map(|j| i * j).sum::<u32>()).sum();
        out[22] = (-4..4i32).map(|i| i * i).max().unwrap_or(0) as u32;
        let mut calls = 0;
        let found = x.iter().map(|v| {
            calls += 1;
            *v
        }).any(|v| v == 5);
        out[23] = calls * 10 + found as u32;
    }
}

/// Sums of floats go from the first to the last.
#[test]
fn sums_of_floats_keep_their_order() {
    #[kernel(workgroup_size(1))]
    fn k(x: &[f32], out: &mut [f32]) {
        out[0] = x.iter().sum();
        out[1] = x.iter().rev().sum();
        out[2] = x.iter().copied().filter(|v| *v < 100.0).sum();
        out[3] = x.iter().zip(x.iter().skip(1)).map(|(a, b)| a * b).sum();
    }
    let x = [1e8f32, 1.0, -1e8, 3.25, 0.1, 7e-3];
    let expected = [
        x.iter().sum(),
        x.iter().rev().sum(),
        x.iter().copied().filter(|v| *v < 100.0).sum(),
        x.iter().zip(x.iter().skip(1)).map(|(a, b)| a * b).sum(),
    ];
    crate::expect(&expected, |device, out| k::launch(device, 1, &device.upload(&x)?, out));
}

/// Workgroup memory, atomics and structs in buffers.
#[test]
fn elements_of_all_memories() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Point {
        x: u32,
        y: [u32; 2],
    }

    #[kernel(workgroup_size(1))]
    fn k(points: &[Point], bins: &[Atomic<u32>], out: &mut [u32]) {
        #[shared]
        let tile: [[u32; 2]; 3];
        for (row, p) in tile.iter_mut().zip(points) {
            for (cell, y) in row.iter_mut().zip(p.y.iter()) {
                *cell = p.x * y;
            }
        }
        workgroup_barrier();
        for (i, row) in tile.iter().enumerate() {
            out[i] = row.iter().sum();
        }
        for bin in bins.iter() {
            bin.fetch_add(2);
        }
        for Point { x, y: [a, b] } in points.iter().copied() {
            out[3] += x * a + b;
        }
        out[4] = points.iter().map(|p| p.y[1]).max().unwrap_or(0);
        out[5] = bins.iter().map(|bin| bin.load()).sum();
    }
    let points = [Point { x: 1, y: [2, 3] }, Point { x: 4, y: [5, 6] }, Point { x: 7, y: [8, 9] }];
    let expected = [5, 44, 119, 5 + 26 + 65, 9, 8];
    crate::expect(&expected, |device, out| {
        let mut bins = device.upload(&[1, 3])?;
        k::launch(device, 1, &device.upload(&points)?, &mut bins, out)?;
        crate::same(device, &bins, &[3, 5]);
        Ok(())
    });
}

/// A kernel of a macro.
macro_rules! summing {
    ($kernel:ident, $($adapter:tt)*) => {
        #[kernel(workgroup_size(1))]
        fn $kernel(x: &[u32], out: &mut [u32]) {
            for (i, v) in x.iter()$($adapter)*.enumerate() {
                out[i] = *v;
            }
            out[2] = x.iter()$($adapter)*.map(|v| v + 1).sum();
        }
    };
}

#[test]
fn macros_make_iterators() {
    summing!(k, .rev().take(2));
    crate::expect(&[6, 2, 10], |device, out| k::launch(device, 1, &device.upload(&[4, 2, 6])?, out));
}
