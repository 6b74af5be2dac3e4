//! One struct where another belongs, and arithmetic on structs.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Metres {
    a: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Feet {
    a: f32,
}

#[device]
fn double(m: Metres) -> Metres {
    Metres { a: m.a * 2.0 }
}

#[kernel]
fn k(m: Metres, f: Feet, y: &mut [Metres]) {
    y[0] = f;
//~        ^ V200
    y[1] = double(f);
//~               ^ V200
    y[2] = m + m;
//~          ^ V021
    y[3] = -m;
//~        ^ V021
    if m == m {
//~      ^ E0277
        y[4] = m as Feet;
//~                 ^ V012
    }
}

fn main() {}
