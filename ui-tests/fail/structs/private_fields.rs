//! Private fields of another module's struct: read, written, in a literal and in a pattern.
use samebits::prelude::*;

mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Circle {
        pub centre: f32,
        radius: f32,
    }
}

use shapes::Circle;

#[kernel(workgroup_size(1))]
fn read(c: &[Circle], y: &mut [f32]) {
    y[0] = c[0].centre + c[0].radius;
//~                           ^ E0616
}

#[kernel(workgroup_size(1))]
fn write(c: &mut [Circle]) {
    c[0].radius = 1.0;
//~      ^ E0616
}

#[kernel(workgroup_size(1))]
fn literal(y: &mut [Circle]) {
    y[0] = Circle { centre: 1.0, radius: 2.0 };
//~                              ^ E0616
}

#[kernel(workgroup_size(1))]
fn pattern(c: Circle, y: &mut [f32]) {
    let Circle { radius, .. } = c;
//~              ^ E0616
    y[0] = radius;
}

fn main() {}
