//! A vector that cannot be.
use samebits::prelude::*;

#[kernel]
fn k(y: &mut [u32]) {
    let v: Vec2<bool> = Vec2::new(true, false);
//~        ^ V201
    let w = Vec2::new(true, false);
//~         ^ V201
    y[0] = 1;
}

fn main() {}
