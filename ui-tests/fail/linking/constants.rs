//! Constants that a kernel cannot evaluate while it is compiled.
use samebits::prelude::*;

const PLAIN: usize = 4;

const fn four() -> usize {
    4
}

#[device]
const CALLED: usize = four();
//~                   ^ V016

#[device]
const FROM_PLAIN: usize = PLAIN * 2;
//~                       ^ V006

#[device]
const WRONG: usize = 1.5;
//~                  ^ E0308

#[device]
const TEXT: &str = "text";
//~         ^ V201

fn main() {}
