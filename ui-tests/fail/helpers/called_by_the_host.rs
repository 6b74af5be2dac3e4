//! A helper called by the host: it is a type there.
use samebits::prelude::*;

/// The square of a number.
#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    y[0] = square(1.0);
}

fn main() {
    let _ = square(1.0);
//~         ^ E0423
}
