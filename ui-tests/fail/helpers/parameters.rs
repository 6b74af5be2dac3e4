//! Parameters that a helper cannot have.
use samebits::prelude::*;

#[device]
fn pattern((a, b): (f32, f32)) -> f32 {
//~        ^ V102
    a + b
}

#[device]
fn twice(a: f32, a: f32) -> f32 {
//~              ^ V001
    a
}

#[device]
fn slice(x: [f32]) -> f32 {
//~         ^ V201
    1.0
}

#[device]
fn atomic(x: Atomic<u32>) -> u32 {
//~          ^ V201
    1
}

#[device]
fn nested(x: &&f32) -> f32 {
//~          ^ V201
    1.0
}

#[device]
fn exclusive(x: &mut Atomic<u32>) {
//~             ^ V201
    x.store(1);
}

#[device]
fn text(x: &str) -> f32 {
//~        ^ V201
    1.0
}

#[device]
fn receiver(self) -> f32 {
//~         ^ V102
    1.0
}

#[kernel]
fn k(c: &[Atomic<u32>], y: &mut [f32]) {
    y[0] = pattern((1.0, 2.0)) + twice(1.0, 2.0) + slice(y) + atomic(c[0]) as f32 + nested(&y[1]);
    exclusive(&c[0]);
}

fn main() {}
