//! Names that collide with macros, attributes and the language.
use samebits::prelude::*;

#[device]
fn vec(x: f32) -> f32 {
//~^ V110
    x
}

#[device]
fn assert(x: f32) -> f32 {
//~^ V110
    x
}

#[device]
fn inline(x: f32) -> f32 {
//~^ V110
    x
}

#[device]
fn barrier() {
//~^ V110
    workgroup_barrier();
}

#[device]
fn global_id() -> usize {
//~^ V110
    1
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Vec3 {
//~    ^ V110
    a: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Default {
//~    ^ V110
    a: f32,
}

#[device]
const N: usize = 4;

fn main() {}
