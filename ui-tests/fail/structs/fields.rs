//! Types that no field can have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Truth {
    a: bool,
//~    ^ V207
}

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
struct Flags {
    a: [bool; 4],
//~    ^ V207
}

#[kernel]
fn k(a: Truth, c: Pair, d: Text, e: &[Reference], f: &[Nothing], g: &mut [Flags], y: &mut [u32]) {
    y[0] = c.a.0;
}

fn main() {}
