//! Functions, structs, enums and constants that are not marked for kernels.
use samebits::prelude::*;

#[derive(Clone, Copy)]
enum Op {
    Add,
    Mul,
}

#[derive(Clone, Copy)]
struct Plain {
    a: u32,
}

type Real = f32;

const LUT: [u32; 4] = [1, 2, 3, 4];
static PRIMES: [u32; 2] = [2, 3];

fn square(x: u32) -> u32 {
    x * x
}

mod inner {
    pub fn cube(x: u32) -> u32 {
        x * x * x
    }
}

#[kernel]
fn calls(y: &mut [u32]) {
    y[0] = square(2);
//~        ^ V016
    y[1] = square(3) + inner::cube(2);
//~                    ^ V016
}

#[kernel]
fn variants(o: u32, y: &mut [u32]) {
    let add = Op::Add;
//~           ^ V201
    match o {
        Op::Mul => y[0] = 1,
        _ => {}
    }
}

#[kernel]
fn tables(y: &mut [u32]) {
    y[0] = LUT[1] + LUT[2];
//~        ^ V006
    y[1] = PRIMES[0];
//~        ^ V006
}

#[kernel]
fn iterated(y: &mut [u32]) {
    for v in LUT {
//~          ^ V006
        y[0] += v;
    }
}

#[kernel]
fn copied(y: &mut [u32]) {
    let table = LUT;
//~             ^ V006
    y[0] = table[1];
}

#[kernel]
fn literal(y: &mut [u32]) {
    let plain = Plain { a: 1 };
//~             ^ V201
    y[0] = plain.a;
}

#[kernel]
fn elements(x: &[Plain], y: &mut [u32]) {
//~            ^ V201
    y[0] = x[0].a;
}

#[kernel]
fn argument(o: Op, y: &mut [u32]) {
//~            ^ V201
    y[0] = o as u32;
}

#[kernel]
fn alias(y: &mut [Real]) {
//~         ^ V201
    y[0] = 1.0;
}

fn main() {}
