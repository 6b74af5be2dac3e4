//! `swap` and `get`, and iterators that a mistake is in: one error each.
use samebits::prelude::*;

#[kernel]
fn sum(y: &mut [u32], n: u32) {
    y[0] = (0..n).map(|v| v * 2.0).sum();
//~                         ^ V021
}

#[kernel]
fn each(y: &mut [u32]) {
    (0..4).for_each(|i| y[i] = 1.5);
//~                            ^ V200
}

#[kernel]
fn elements(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().map(|v| v.sqrt()).sum();
//~                           ^ V203
}

#[kernel]
fn turned(y: &mut [u32]) {
    y.rotate_left(1);
//~   ^ V203
}

#[kernel]
fn element(x: &[u32], y: &mut [u32], i: usize) {
    y[0] = *x.get(i).unwrap();
//~                  ^ V203
}

#[kernel]
fn result(y: &mut [u32], n: u32) {
    let o = Ok(n);
//~         ^ V016
    if let Ok(v) = o {
        y[0] = v;
    }
}

fn main() {}
