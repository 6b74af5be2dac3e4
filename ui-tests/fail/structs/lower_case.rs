//! Names that do not begin with a capital.
#![allow(non_camel_case_types)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct ray {
//~    ^ V110
    origin: Vec3<f32>,
}

fn main() {}
