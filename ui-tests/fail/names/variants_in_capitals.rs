//! Variants of an enum that are written like constants.
use samebits::prelude::*;

#[allow(dead_code)]
enum Op {
    A,
    ADD,
}

#[kernel]
fn value(y: &mut [u32]) {
    let o = Op::A;
//~         ^ V201
    y[0] = 1;
}

#[kernel]
fn cast(y: &mut [u32]) {
    y[0] = Op::ADD as u32;
//~        ^ V201
}

#[kernel]
fn matched(y: &mut [u32], o: u32) {
    match o {
        Op::A => y[0] = 1,
//~     ^ V201
        Op::ADD => y[0] = 2,
        _ => {}
    }
}

fn main() {}
