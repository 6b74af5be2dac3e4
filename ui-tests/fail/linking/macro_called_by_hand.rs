//! The macro behind a helper, called by hand.
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

fn main() {
    square!(1.0);
//~         ^ no code
}
