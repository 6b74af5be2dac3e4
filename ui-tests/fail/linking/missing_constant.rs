//! A constant that there is not, where a kernel must know its value.
use samebits::prelude::*;

#[kernel]
fn array(y: &mut [u32]) {
    let a = [1u32; SIZE];
//~                ^ V201
    y[0] = a[0];
}

#[device]
fn first(a: &[f32; SIZE]) -> f32 {
//~         ^ V201
    a[0]
}

fn main() {}
