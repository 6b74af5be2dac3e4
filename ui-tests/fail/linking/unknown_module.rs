//! A path whose module there is not.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = math::square(y[0]);
//~        ^ E0433
}

fn main() {}
