//! `usize` where only a device sees it, lengths of arrays, and casts to it that cannot cut.

use crate::twins;
use samebits::prelude::*;

twins! {
    arrays_results_tables_and_structs_hold_usize([3, 1, 2]);
    { struct Walk { at: usize, left: [usize; 2], small: u8 } }
    { const NEXT: [usize; 4] = [2, 3, 1, 0]; }
    { fn step(w: Walk) -> Walk { Walk { at: NEXT[w.at], left: [w.left[1], w.left[0] + 1], ..w } } }
    { fn three(n: usize) -> [usize; 3] { [n, n + 1, n * 2] } }
    { fn last(t: &[usize]) -> usize { t[t.len() - 1] } }
    { fn pair(n: usize) -> (usize, [usize; 2]) { (n, [n + 1, n + 2]) } }
    kernel(x, y) {
        let mut w = Walk { at: x[1] as usize, left: [5, 6], small: 7 };
        for _ in 0..3 { w = step(w); }
        y[0] = (w.at + w.left[0] * 10 + w.left[1] * 100) as u32 + w.small as u32;
        let a: [usize; 3] = three(x[0] as usize);
        y[1] = (a[0] + a[1] * 10 + last(&a) * 100) as u32;
        let mut places = [[0usize; 2]; 2];
        places[1][0] = a[2];
        places[0] = pair(4).1;
        y[2] = (places[1][0] + places[0][1] * 10) as u32;
        y[3] = x[NEXT[1] - 1];
    }
}

twins! {
    every_array_has_a_length([3, 1, 2]);
    { struct Bag { n: u32, a: [u32; 6] } }
    { const TABLE: [u32; 5] = [1, 2, 3, 4, 5]; }
    { fn four() -> [f32; 4] { [0.0; 4] } }
    { fn bag(n: u32) -> Bag { Bag { n, a: [n; 6] } } }
    kernel(x, y) {
        let b = bag(x[0]);
        let mut own = [0u32; TABLE.len()];
        own[TABLE.len() - 1] = 9;
        y[0] = own[4] + own.len() as u32;
        y[1] = (TABLE.len() * 1000 + [1u32, 2, 3].len() * 100 + four().len() * 10 + b.a.len()) as u32;
        y[2] = bag(1).a.len() as u32;
        y[3] = [[0u8; 7]; 2][1].len() as u32 + [x[0]; 8].len() as u32;
        if TABLE.is_empty() || [1u32].is_empty() || x.is_empty() || b.a.is_empty() || own.is_empty() { y[4] = 1; }
        y[5] = b.n;
    }
}

const WORDS: &[&str] = &["a", "b"];
const LUT: [f64; 3] = [1.0, 2.0, 3.0];

#[test]
fn lengths_of_what_only_rustc_knows() {
    #[device]
    fn words() -> usize {
        WORDS.len() + 1
    }
    #[kernel(workgroup_size(1))]
    fn outer(o: &mut [u32]) {
        o[0] = (WORDS.len() * 100 + LUT.len() * 10 + words()) as u32;
        if WORDS.is_empty() {
            o[1] = 1;
        }
        for i in 0..LUT.len() {
            o[2] += i as u32;
        }
    }
    crate::expect(&[233, 0, 3], |device, out| outer::launch(device, 1, out));
}

#[test]
fn usize_in_workgroup_memory_and_arguments() {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Walk {
        small: u8,
        at: usize,
        left: [usize; 2],
    }
    #[kernel(workgroup_size(1))]
    fn kept(w: Walk, by: [usize; 3], o: &mut [u32]) {
        #[shared]
        let places: [[usize; 2]; 2];
        #[shared]
        let one: usize;
        #[shared]
        let walk: Walk;
        places[1][0] = w.left[1];
        one = by[2];
        walk = w;
        workgroup_barrier();
        o[0] = (places[1][0] + one * 10 + walk.at * 100) as u32 + walk.small as u32 * 1000;
    }
    let walk = Walk { small: 4, at: 3, left: [9, 1] };
    crate::expect(&[4321], |device, out| kept::launch(device, 1, walk, [7, 8, 2], out));
}

twins! {
    casts_that_cannot_cut([0xdead_beef, 0x1234_5678, 77]);
    { fn joined(low: u32, high: u32) -> u64 { low as u64 | (high as u64) << 32 } }
    kernel(x, y) {
        let v = joined(x[0], x[1]);
        let s = v as i64 - (1 << 62);
        y[(v >> 8 & 0x1f) as usize & 7] = 1;
        y[(v % 1000) as usize % 8 + 8] += 2;
        y[v.min(5) as usize + 16] += 3;
        y[(v >> 61) as usize + 20] += 4;
        for k in 0..3u64 { y[k as usize] += 5; }
        for k in (0..=2i64).rev().step_by(2) { y[k as usize + 29] += 6; }
        let part = (v >> 32) % 4;
        let of = part * 2 + 1;
        y[of as usize] += 7;
        y[s.rem_euclid(8) as usize] += 8;
        y[(x[0] as u64 & 3) as usize] += 9;
        y[if v > 9 { 1u64 } else { 2 } as usize] += 10;
        y[s.clamp(3, 9) as usize] += 11;
        y[(x[2] as u64 / 16 ^ 1) as usize] += 12;
    }
}
