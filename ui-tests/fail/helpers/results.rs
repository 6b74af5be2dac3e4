//! Results that a helper cannot have.
use samebits::prelude::*;

#[device]
fn reference(x: &f32) -> &f32 {
//~                      ^ V201
    x
}

#[device]
fn slice(x: &[f32]) -> [f32] {
//~                    ^ V201
    x
}

#[device]
fn result(x: f32) -> Result<f32, u32> {
//~                  ^ V201
    Ok(x)
}

#[device]
fn anything(x: f32) -> impl Copy {
//~                    ^ V201
    x
}

#[device]
fn function(x: f32) -> impl Fn(f32) -> f32 {
//~                    ^ V201
    |y| x + y
}

#[kernel]
fn k(y: &mut [f32]) {
    y[0] = reference(&y[1]);
    y[0] = slice(y)[0];
    y[0] = result(1.0);
    y[0] = anything(1.0);
    y[0] = function(1.0);
}

fn main() {}
