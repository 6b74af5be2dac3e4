//! Helpers and structs that cannot have their names: their uses are no further mistakes.
use samebits::prelude::*;

#[device]
fn workgroup_barrier(x: u32) -> u32 {
//~^ V110
    x
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Vec3 {
//~    ^ V110
    a: u32,
}

#[kernel]
fn k(x: &[Vec3], y: &mut [u32]) {
    y[0] = workgroup_barrier(x[0].a);
}

fn main() {}
