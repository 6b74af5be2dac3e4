//! Methods, functions and constants that a struct does not have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Ray {
    origin: Vec3<f32>,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Plain {
    a: f32,
}

#[device]
impl Ray {
    const UP: f32 = 1.0;

    fn first(self) -> f32 {
        self.origin.x
    }
}

#[kernel]
fn k(x: &[Ray], p: Plain, y: &mut [f32]) {
    y[0] = x[0].frist();
//~             ^ V203
    y[1] = p.first();
//~          ^ V203
    y[2] = Ray::new(1.0).origin.x;
//~        ^ V203
    y[3] = Plain::new(1.0).a;
//~        ^ V203
    y[4] = Ray::DOWN;
//~        ^ V006
    y[5] = Ray::UP;
}

fn main() {}
