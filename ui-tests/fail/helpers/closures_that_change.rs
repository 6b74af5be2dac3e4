//! Closures that change what they capture, called otherwise than Rust allows.
use samebits::prelude::*;

#[device]
fn apply(f: impl Fn(u32) -> u32) -> u32 {
    f(1)
}

#[device]
fn not_mut(a: u32) -> u32 {
    let mut v = a;
    let c = |x: u32| v += x;
    c(1);
//~ ^ V008
    v
}

#[device]
fn copies(a: u32) -> u32 {
    let mut v = a;
    let c = move || {
        v += 1;
        v
    };
    c()
//~ ^ V008
}

#[device]
fn passed_as_fn(a: u32, y: &mut [u32]) -> u32 {
    let mut v = a;
    apply(|x| { v += x; v })
//~             ^ V008
        + apply(|x| { y[0] = x; x })
//~                   ^ V008
}

#[device]
fn parameter(f: impl FnMut()) {
    f();
//~ ^ V008
}

#[device]
fn twice(f: impl FnOnce(u32) -> u32) -> u32 {
    f(1) + f(2)
//~        ^ V206
}

#[device]
fn in_a_loop<F: FnOnce(u32) -> u32>(n: u32, f: F) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        sum += f(i);
//~            ^ V206
    }
    sum
}

#[device]
fn passed_on(f: impl FnOnce(u32) -> u32) -> u32 {
    apply(f) + f(1)
//~            ^ V206
}

#[device]
fn either(a: bool, f: impl FnOnce(u32) -> u32) -> u32 {
    if a { f(1) } else { f(2) }
}

#[device]
fn two_types(a: u32) -> u32 {
    let c = |x| { let _ = x; };
    c(1u8);
    c(a);
//~   ^ V200
    a
}

fn main() {}
