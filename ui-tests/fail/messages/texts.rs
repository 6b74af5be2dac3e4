//! Texts that do not fit their values, which rustc finds.
use samebits::prelude::*;

#[kernel(debug)]
fn few(y: &mut [u32]) {
    debug!("{} of {}", y[0]);
//~         ^ no code
}

#[kernel]
fn many(y: &mut [u32]) {
    let i = global_id().x;
    assert!(y[i] < 4, "in {}", i, y[i]);
//~                               ^ no code
}

#[kernel(debug)]
fn of_another_type(y: &mut [u32]) {
    let i = global_id().x;
    debug!("{:x}", y[i] as f32 + 0.5);
//~                ^ E0277
}

fn main() {}
