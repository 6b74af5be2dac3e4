//! Assignments to parts of what is matched behind a reference.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
enum E {
    A(u32),
    B,
}

#[device]
fn raise(e: &mut E) {
    match e {
        E::A(x) => *x += 1,
//~                ^ V005
        E::B => {}
    }
}

#[device]
fn read(e: &E) -> u32 {
    match e {
        E::A(x) => x + true,
//~                  ^ V021
        E::B => 0,
    }
}

fn main() {}
