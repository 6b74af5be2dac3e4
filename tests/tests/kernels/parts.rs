//! Parts of buffers, workgroup memory and arrays: `&x[a..b]`, against the same Rust on the host, and what lies beyond.

use crate::twins;
use samebits::prelude::*;

twins! {
    parts_of_every_memory_are_lent([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]);
    { struct Grid { pub before: u32, pub rows: [[u32; 4]; 3] } }
    { fn sum(t: &[u32]) -> u32 { let mut s = 0; for i in 0..t.len() { s += t[i] * (i as u32 + 1); } s } }
    { fn add(t: &mut [u32], by: u32) { for i in 0..t.len() { t[i] += by * (i as u32 + 1); } } }
    { fn first(t: &[u32]) -> u32 { if t.is_empty() { 77 } else { t[0] } } }
    { fn one(x: &mut u32) { *x += 100; } }
    kernel(x, y) {
        let (a, b) = (x[1] as usize, x[2] as usize);
        y[0] = sum(&x[2..6]);
        y[1] = sum(&x[a..b + 2]);
        y[2] = sum(&x[b..]);
        y[3] = sum(&x[..b]);
        y[4] = sum(&x[a..=b]);
        y[5] = sum(&x[..=b]) + sum(&x[..=2]);
        y[6] = first(&x[a..a]) + first(&x[b..]);
        let mut t = [1u32, 2, 3, 4, 5, 6, 7, 8];
        add(&mut t[2..5], 10);
        add(&mut t[b..], 1000);
        add(&mut t[..a], 7);
        add(&mut t[b - 2..b], 3);
        one(&mut t[4..][a]);
        y[7] = sum(&t);
        y[8] = (&t[3..7]).len() as u32 + t[a..b].len() as u32 * 10;
        let mut g = Grid { before: 5, rows: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]] };
        add(&mut g.rows[a][1..3], 50);
        add(&mut g.rows[2][a + 1..], 500);
        y[9] = sum(&g.rows[1][..]) + g.before;
        y[10] = sum(&g.rows[a + 1][1..]);
        add(&mut g.rows[a..][1][2..4], 4);
        y[11] = sum(&g.rows[2]);
        y[12] = x[a..b][2] + x[4..][a] + x[2..7][a..][2] + t[2..6][1];
        add(&mut y[20..23], 9);
        y[21] += y[20..24][0];
        y[20..][4] = y[20..][1] + 1;
    }
}

twins! {
    parts_of_parts([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    { fn total(t: &[u32]) -> u32 { let mut s = 0; for i in 0..t.len() { s = s * 3 + t[i]; } s } }
    { fn middle(t: &[u32]) -> u32 { if t.len() < 3 { total(t) } else { total(&t[1..t.len() - 1]) } } }
    { fn halves(t: &mut [u32]) { let half = t.len() / 2; mark(&mut t[..half], 1); mark(&mut t[half..], 2); } }
    { fn mark(t: &mut [u32], by: u32) { for i in 0..t.len() { t[i] = t[i] * 10 + by + i as u32; } } }
    { fn deep(t: &[u32], n: usize) -> u32 { total(&t[n..][n..2 * n + 1][..n]) } }
    kernel(x, y) {
        y[0] = middle(&x[2..8]);
        y[1] = middle(&x[2..4]);
        y[2] = deep(&x[1..], 2);
        let mut t = [1u32; 9];
        halves(&mut t[1..8]);
        for i in 0..9 { y[3 + i] = t[i]; }
        halves(&mut y[12..17]);
        y[17] = total(&x[3..=5][1..=2]);
    }
}

twins! {
    parts_in_generics_methods_closures_and_macros([2, 7, 1, 8, 2, 8, 1, 8]);
    { with_methods struct Ring { at: u32, data: [u32; 6] } }
    { fn dot(a: &[u32], b: &[u32]) -> u32 { let mut s = 0; for i in 0..a.len() { s += a[i] * b[i]; } s } }
    { fn turned(t: &mut [u32]) { for i in 0..t.len() / 2 { (t[i], t[t.len() - 1 - i]) = (t[t.len() - 1 - i], t[i]); } } }
    { impl Ring {
        fn put(&mut self, from: &[u32]) {
            let n = from.len();
            for i in 0..n { self.data[self.at as usize + i] = from[i]; }
            turned(&mut self.data[self.at as usize..self.at as usize + n]);
            self.at += n as u32;
        }
        fn tail(&self, n: usize) -> u32 { dot(&self.data[6 - n..], &self.data[..n]) }
    } }
    { fn both(f: impl Fn(&[u32], usize) -> u32, x: &[u32]) -> u32 { f(&x[1..4], 2) * 100 + f(&x[4..], 1) } }
    { fn each(mut f: impl FnMut(&mut [u32]), t: &mut [u32]) { f(&mut t[1..3]); f(&mut t[2..]); } }
    kernel(x, y) {
        let mut ring = Ring { at: 1, data: [1; 6] };
        ring.put(&x[1..3]);
        ring.put(&x[5..7]);
        y[0] = ring.tail(4);
        let pick = |s: &[u32], i: usize| s[i] + s.len() as u32;
        y[1] = pick(&x[3..], 2) + pick(&x[..2], 1);
        y[2] = both(|s: &[u32], i: usize| s[i] * 10 + s.len() as u32, x);
        let mut t = [5u32, 6, 7, 8];
        let mut calls = 0;
        each(|s: &mut [u32]| { calls += s.len() as u32; turned(s); s[0] += 1; }, &mut t);
        y[3] = calls;
        for i in 0..4 { y[4 + i] = t[i]; }
    }
}

#[test]
fn beyond_its_end_a_part_is_out_of_bounds() {
    #[device]
    fn at(part: &[u32], i: usize) -> u32 {
        part[i] + 1000 * part.len() as u32
    }
    #[device]
    fn put(part: &mut [u32], i: usize) {
        part[i] = 5;
        part[i + 1] += 6;
    }
    #[kernel(workgroup_size(1))]
    fn k(n: usize, most: usize, x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 8];
        // `n` is 3 and `most` the greatest number, of which no sum may come round to the beginning.
        let far = [at(&x[1..n], 2), at(&x[n..], 2), at(&x[..n], 3), at(&x[1..n], most), at(&x[n..], most - 1)];
        for i in 0..5 {
            y[i] = far[i];
        }
        // Too long, behind the end, and the wrong way round.
        y[5] = at(&x[n..n + 9], 1);
        y[6] = at(&x[n..most], 1);
        y[7] = at(&x[most..], 0);
        y[8] = at(&x[n..n - 1], 0);
        y[9] = at(&x[n + 4..n], 0);
        y[10] = at(&x[..=most], 4);
        y[11] = at(&x[n - 1..=n], 1);
        y[12] = at(&x[n..=n - 1], 0);
        y[13] = at(&x[most..most], 0);
        y[14] = at(&x[n..n + most], 0);
        put(&mut tile[..n], 2);
        put(&mut tile[n..][..n], 2);
        put(&mut tile[n + 9..], 0);
        for i in 0..8 {
            y[16 + i] = tile[i];
        }
        put(&mut y[24..26], 1);
        put(&mut y[30..], 1);
    }
    let mut expected = [0u32; 32];
    // The length times a thousand, and the element if there is one.
    let seen = [2000, 2000, 3000, 2000, 2000, 2014, 2014, 0, 0, 0, 5014, 2013, 0, 0];
    expected[..14].copy_from_slice(&seen);
    // The ends are as far apart as they say, though their sum comes round.
    expected[14] = 2013;
    (expected[18], expected[21]) = (5, 5);
    (expected[25], expected[31]) = (5, 5);
    crate::expect(&expected, |device, out| {
        k::launch(device, 1, 3, u32::MAX as usize, &device.upload(&[10u32, 11, 12, 13, 14])?, out)
    });
}

#[test]
fn atomics_and_tables_have_parts() {
    #[device]
    const TABLE: [u32; 6] = [3, 1, 4, 1, 5, 9];
    #[device]
    fn count(counts: &[Atomic<u32>], i: usize) {
        counts[i].fetch_add(i as u32 + 1);
    }
    #[device]
    fn sum(t: &[u32]) -> u32 {
        let mut s = 0;
        for i in 0..t.len() {
            s += t[i];
        }
        s
    }
    #[kernel(workgroup_size(4))]
    fn k(n: usize, y: &mut [u32]) {
        #[shared]
        let counts: [Atomic<u32>; 8];
        let i = local_id().x;
        count(&counts[n..], i);
        count(&counts[..n], i);
        count(&counts[2..4], i);
        workgroup_barrier();
        y[i] = counts[2 * i].load() * 100 + counts[2 * i + 1].load();
        y[4 + i] = sum(&TABLE[i..n + 1]) + sum(&TABLE[4..]) + TABLE[1..][i];
    }
    let table = [3u32, 1, 4, 1, 5, 9];
    let mut expected = [0u32; 8];
    // `n` is 3.
    let mut counts = [0u32; 8];
    for i in 0..4 {
        counts[3 + i] += i as u32 + 1;
        if i < 3 {
            counts[i] += i as u32 + 1;
        }
        if i < 2 {
            counts[2 + i] += i as u32 + 1;
        }
    }
    for i in 0..4 {
        expected[i] = counts[2 * i] * 100 + counts[2 * i + 1];
        expected[4 + i] = table[i..4].iter().sum::<u32>() + table[4..].iter().sum::<u32>() + table[1..][i];
    }
    crate::expect(&expected, |device, out| k::launch(device, 4, 3, out));
}

#[test]
fn parts_of_structs_lanes_and_floats() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Cell {
        place: Vec2<f32>,
        weights: [f32; 2],
    }
    #[device]
    fn weight(cells: &[Cell], i: usize) -> f32 {
        cells[i].place.x + cells[i].place.y * 10.0 + cells[i].weights[1] * 100.0
    }
    #[device]
    fn grow(cells: &mut [Cell], i: usize) {
        cells[i].place.y += 1.0;
        cells[i].weights[i] = 7.0;
        let whole = cells[i];
        cells[i + 1] = whole;
    }
    #[kernel(workgroup_size(1))]
    fn k(n: usize, cells: &mut [Cell], y: &mut [f32]) {
        y[0] = weight(&cells[n..], 1);
        y[1] = weight(&cells[n..n + 1], 1);
        grow(&mut cells[n..n + 2], 0);
        grow(&mut cells[n..n + 2], 1);
        for i in 0..4 {
            y[2 + i] = weight(cells, i);
        }
    }
    let cell = |x: f32| Cell { place: Vec2::new(x, 2.0), weights: [3.0, 4.0] };
    let cells = [cell(1.0), cell(2.0), cell(3.0), cell(4.0)];
    // The second one grows; the third becomes it and grows; there is no fourth one in the part.
    let of = |x: f32, y: f32, w: f32| x + y * 10.0 + w * 100.0;
    let expected = [of(3.0, 2.0, 4.0), 0.0, of(1.0, 2.0, 4.0), of(2.0, 3.0, 4.0), of(2.0, 4.0, 7.0), of(4.0, 2.0, 4.0)];
    crate::expect(&expected, |device, out| k::launch(device, 1, 1, &mut device.upload(&cells)?, out));
}

#[test]
fn invocations_share_a_tile_by_parts() {
    #[device]
    fn fill(part: &mut [u32], by: u32) {
        for i in 0..part.len() {
            part[i] = by * 10 + i as u32;
        }
    }
    #[kernel(workgroup_size(8))]
    fn k(y: &mut [u32]) {
        #[shared]
        let tile: [u32; 32];
        let i = local_id().x;
        fill(&mut tile[i * 4..i * 4 + 4], i as u32);
        workgroup_barrier();
        let from = (7 - i) * 4;
        fill(&mut y[i * 4..(i + 1) * 4], tile[from..][3]);
    }
    let expected: Vec<u32> = (0..32).map(|at| ((7 - at / 4) * 10 + 3) * 10 + at % 4).collect();
    crate::expect(&expected, |device, out| k::launch(device, 8, out));
}
