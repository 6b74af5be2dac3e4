//! Buffers of `usize`, by itself and in what they hold.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [usize]) {
//~     ^ V201
    y[0] = 1;
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Walk {
    at: usize,
}

#[kernel]
fn structs(w: &[Walk], one: Walk, y: &mut [u32]) {
//~           ^ V201
    y[0] = (w[0].at + one.at) as u32;
}

#[kernel]
fn arrays(w: &[[usize; 4]], y: &mut [u32]) {
//~          ^ V201
    y[0] = w[0][1] as u32;
}

fn main() {}
