//! Items in a body that are used: one error for each item, and none for its uses.
use samebits::prelude::*;

#[kernel]
fn functions(y: &mut [u32]) {
    fn square(x: u32) -> u32 {
//~ ^ V100
        x * x
    }
    y[0] = square(2);
}

#[kernel]
fn structs(y: &mut [u32]) {
    struct Pair {
//~ ^ V100
        a: u32,
    }
    let pair = Pair { a: 1 };
    y[0] = pair.a;
}

#[kernel]
fn enums(y: &mut [u32]) {
    enum Op {
//~ ^ V100
        Add,
    }
    let op = Op::Add;
}

#[kernel]
fn statics(y: &mut [u32]) {
    static N: u32 = 3;
//~ ^ V100
    y[0] = N;
}

#[kernel]
fn uses(y: &mut [u32]) {
    use std::cmp::max;
//~ ^ V100
    y[0] = max(1, 2);
}

#[kernel]
fn modules(y: &mut [u32]) {
    mod inner {
//~ ^ V100
        pub fn f() -> u32 {
            1
        }
    }
    y[0] = inner::f();
}

#[kernel]
fn macros(y: &mut [u32]) {
    macro_rules! one {
//~ ^ V100
        () => {
            1
        };
    }
    y[0] = one!();
}

#[kernel]
fn aliases(y: &mut [u32]) {
    type Word = u32;
//~ ^ V100
    let a: Word = 1;
    y[0] = a;
}

fn main() {}
