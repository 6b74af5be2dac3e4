//! Constants that a kernel cannot evaluate while it is compiled.
use samebits::prelude::*;

const PLAIN: usize = 4;

const fn four() -> usize {
    4
}

#[device]
const CALLED: usize = four();

#[device]
const FROM_PLAIN: usize = PLAIN * 2;

#[device]
const WRONG: usize = 1.5;

#[device]
const TEXT: &str = "text";

fn main() {}
