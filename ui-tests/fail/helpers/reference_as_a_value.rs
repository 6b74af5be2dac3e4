//! A reference used as the value behind it.
use samebits::prelude::*;

#[device]
fn double(x: &f32) -> f32 {
    x.max(x)
//~       ^ V200
}

#[device]
fn same(x: &f32) -> f32 {
    x
//~ ^ V200
}

#[device]
fn set(x: &mut f32) {
    x = 1.0;
//~ ^ V200
}

#[device]
fn add(x: &mut f32) {
    x += 1.0;
//~ ^ V200
}

#[device]
fn negative(x: &f32) -> bool {
    x < 0.0
//~ ^ V200
}

#[device]
fn widen(x: &u32) -> f32 {
    x as f32
//~ ^ V200
}

#[kernel]
fn k(y: &mut [f32]) {
    let mut a = double(&y[0]) + same(&y[0]) + widen(&1);
    set(&mut a);
    add(&mut a);
    if negative(&a) {
        y[0] = a;
    }
}

fn main() {}
