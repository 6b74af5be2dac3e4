//! A helper that calls itself.
use samebits::prelude::*;

#[device]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
//~                            ^ V106
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = factorial(5);
}

fn main() {}
