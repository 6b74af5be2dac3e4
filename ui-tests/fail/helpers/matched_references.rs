//! What is matched behind a reference has the type of its place.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
enum E {
    A(u32),
    B,
    C(u32),
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
