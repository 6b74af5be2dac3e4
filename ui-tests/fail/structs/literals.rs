//! Literals that lack a field, give one twice, or give it another type.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    a: f32,
    b: f32,
    c: u32,
}

#[kernel]
fn k(x: &[Ray], y: &mut [Ray]) {
    y[0] = Ray { a: 1.0 };
//~        ^ V204
    y[1] = Ray { a: 1.0, b: 2.0 };
//~        ^ V204
    y[2] = Ray { a: 1.0, b: 2.0, a: 3.0, c: 1 };
//~                              ^ V200
    y[3] = Ray { a: 1u32, ..x[0] };
//~                 ^ V200
    y[4] = Ray { a: 1.0, ..2.0 };
//~                        ^ V200
    let n = 1.0f32;
    y[5] = Ray { a: 1.0, b: 2.0, c: n };
//~                                 ^ V200
}

fn main() {}
