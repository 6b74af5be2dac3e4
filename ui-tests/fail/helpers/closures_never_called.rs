//! Closures that nothing calls are checked as others are.
use samebits::prelude::*;

#[device]
fn names(a: u32) -> u32 {
    let f = |x: u32| x + unknown;
//~                      ^ V006
    a
}

#[device]
fn types(a: u32) -> u32 {
    let f = |x: u32, y: &[f32]| x + y[0];
//~                               ^ V021
    a
}

#[device]
fn casts(a: u32) -> u32 {
    let f = |x: f32| x as bool;
//~                  ^ V012
    a
}

#[device]
fn undecided(a: u32) -> u32 {
    let f = |x| x;
//~          ^ V202
    a
}

#[device]
fn in_a_closure(a: u32) -> u32 {
    let f = |x: u32| {
        let g = |y: u32| y.nonsense();
//~                        ^ V203
        x
    };
    f(a)
}

#[device]
fn never_uses(_f: impl Fn(u32) -> u32) {}

#[device]
fn passed() {
    never_uses(|x| x.nonsense());
//~                  ^ V203
}

fn main() {}
