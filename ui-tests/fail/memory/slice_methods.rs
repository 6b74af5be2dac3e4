//! Methods of slices: sizes and places that they cannot have, borrows that disagree, and elements without an order.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[kernel(workgroup_size(1))]
fn sizes(x: &[u32], y: &mut [u32]) {
    for c in x.chunks(0) {
//~                   ^ V015
        y[0] += c[0];
    }
    for w in x.windows(2.5) {
//~                    ^ V301
        y[0] += w[0];
    }
    for c in x.chunks_exact() {
//~          ^ V204
        y[0] += 1;
    }
    let mut t = [1u32, 2, 3, 4];
    t[..2].copy_from_slice(&[5, 6, 7]);
//~ ^ V300
    let (a, b) = t.split_at(5);
//~                         ^ V300
    y[0] += t[0];
}

#[kernel(workgroup_size(1))]
fn places(x: &[u32], y: &mut [u32]) {
    for c in x.chunks_mut(2) {
//~          ^ V005
        c[0] = 1;
    }
    for c in y.chunks(2) {
        c[0] = 1;
//~     ^ V005
    }
    let t = [1u32, 2];
    t.fill(3);
//~ ^ V008
    x.swap(0, 1);
//~ ^ V005
    let halves = y.split_at(2);
//~                ^ V100
    let (a, b, c) = y.split_at(2);
//~     ^ V100
    let (low, high) = x.split_at_mut(1);
//~                   ^ V005
    let it = Some(x.chunks(2));
//~               ^ V100
}

#[kernel(workgroup_size(1))]
fn borrows(y: &mut [u32]) {
    for c in y.chunks_mut(2) {
        c[0] = y[1];
//~            ^ V206
    }
    y.copy_from_slice(&y[1..]);
//~                   ^ V206
}

#[kernel(workgroup_size(1))]
fn halves(y: &mut [u32]) {
    let (low, high) = y.split_at_mut(2);
    y[0] = 1;
//~ ^ V206
    low[0] = high[0];
}

#[kernel(workgroup_size(1))]
fn types(x: &[u32], pairs: &[Pair], y: &mut [u32]) {
    y.fill(1.5);
//~        ^ V200
    let a = x.contains(3);
//~                    ^ V200
    let b = x.contains(&1.5);
//~                    ^ V200
    let c = pairs.contains(&Pair { a: 1, b: 2 });
//~         ^ V021
    let d = (1..4).contains(2);
//~                         ^ V200
    let e = (1..4u32).contains(&2.0);
//~                            ^ V200
    let f = (..).contains(&1);
//~          ^ V100
    let g = (false..true).contains(&true);
//~         ^ V021
    y.copy_from_slice(x[0]);
//~                   ^ V200
    let h = x.starts_with(&[1.0, 2.0]);
//~                       ^ V200
    x.rotate_left(1);
//~   ^ V203
}

fn main() {}
