//! What a kernel's signature cannot have is used in its body.
use samebits::prelude::*;

#[kernel]
fn taken_apart((a, b): (u32, u32), y: &mut [u32]) {
//~            ^ V102
    y[0] = a + b;
}

#[kernel]
fn array([a, b]: [u32; 2], y: &mut [u32]) {
//~      ^ V102
    y[0] = a + b;
}

#[kernel]
fn result(y: &mut [u32]) -> u32 {
//~                      ^ V102
    if y[0] == 1 {
        return 4;
    }
    y[0]
}

struct Host;

impl Host {
    #[kernel]
    fn method(y: &mut [u32]) {
//~    ^ V102
        y[0] = 1;
    }

    #[device]
    fn helper(x: u32) -> u32 {
//~    ^ V102
        x
    }
}

fn main() {}
