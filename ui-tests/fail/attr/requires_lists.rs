//! Lists of requirements that are none.
use samebits::prelude::*;

#[kernel(requires(x.len() >= n), requires(n >= 1))]
//~                              ^ V101
fn twice(n: usize, x: &mut [f32]) {
    x[0] = n as f32;
}

#[kernel(requires())]
//~      ^ V101
fn empty(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(requires)]
//~      ^ V101
fn bare(x: &mut [f32]) {
    x[0] = 1.0;
}

#[kernel(requires(0 <= n <= 4))]
//~                      ^ V101
fn chained(n: usize, x: &mut [f32]) {
    x[0] = n as f32;
}

#[kernel(requires(n >= 1; n <= 4))]
//~                     ^ V101
fn separated(n: usize, x: &mut [f32]) {
    x[0] = n as f32;
}

#[kernel(requires((n >= 1) == (n <= 4)))]
//~                  ^ V101
//~                              ^ V101
fn compared(n: usize, x: &mut [f32]) {
    x[0] = n as f32;
}

#[kernel(requires(x.len() * x.len() * x.len() * x.len() > 4, x.len() > 4))]
//~               ^ V305
fn large(x: &mut [f32]) {
    x[0] = 1.0;
}

fn main() {}
