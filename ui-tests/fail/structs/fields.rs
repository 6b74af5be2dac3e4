//! Types that no field can have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Truth {
    a: bool,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Index {
    a: usize,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: (u32, u32),
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Text {
    a: char,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Reference {
    a: &'static f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Nothing {
    a: [f32; 0],
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Flags {
    a: [bool; 4],
}

#[kernel]
fn k(a: Truth, b: Index, c: Pair, d: Text, e: &[Reference], f: &[Nothing], g: &mut [Flags], y: &mut [u32]) {
    y[0] = c.a.0 + b.a as u32;
}

fn main() {}
