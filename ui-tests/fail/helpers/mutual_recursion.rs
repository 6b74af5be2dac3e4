//! Two helpers that call each other: each needs the other's macro before its own.
use samebits::prelude::*;

#[device]
fn even(n: u32) -> bool {
    if n == 0 { true } else { odd(n - 1) }
//~                           ^ no code
}

#[device]
fn odd(n: u32) -> bool {
    if n == 0 { false } else { even(n - 1) }
//~                            ^ no code
}

#[kernel]
fn k(y: &mut [u32]) {
    y[0] = even(4) as u32;
//~        ^ no code
}

fn main() {}
