//! Types that no field can have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: (u32, u32),
//~    ^ V207
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Text {
    a: char,
//~    ^ V207
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Reference {
    a: &'static f32,
//~    ^ V207
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Nothing {
    a: [f32; 0],
//~    ^ V207
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Gap {
    a: bool,
    b: u32,
//~ ^ V207
}

#[kernel]
fn k(c: Pair, d: Text, e: &[Reference], f: &[Nothing], g: &mut [Gap], y: &mut [u32]) {
    y[0] = c.a.0;
}

fn main() {}
