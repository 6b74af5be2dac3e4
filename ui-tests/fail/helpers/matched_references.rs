//! Assignments to parts of what is matched behind a reference, where a name is in several places.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
enum E {
    A(u32),
    B,
    C(u32),
}

#[device]
fn raise(e: &mut E) {
    match e {
        E::A(x) | E::C(x) => *x += 1,
//~                          ^ V005
        E::B => {}
    }
}

#[device]
fn read(e: &E) -> u32 {
    match e {
        E::A(x) => x + true,
//~                  ^ V021
        E::B | E::C(_) => 0,
    }
}

fn main() {}
