//! Traits that kernels cannot have, and what is wrong in their functions.
use samebits::prelude::*;

#[device]
trait Generic<T: Number> {
//~          ^ V102
    fn of(x: T) -> T;
}

#[device]
trait Ordered: PartialOrd {
//~            ^ V102
    fn of(x: u32) -> u32;
}

#[device]
trait WithType {
    type Item;
//~ ^ V102
}

#[device]
trait Twice {
    fn of(x: u32) -> u32;
    fn of(x: f32) -> f32;
//~    ^ V001
}

#[device]
trait Unknown {
    fn of(x: Vec<u32>) -> u32;
//~          ^ V201
}

#[device]
trait Defaults {
    const BITS: u32;

    fn wrong(x: u32) -> u32 {
        x + 1.0
//~       ^ V021
    }

    fn another(self, x: u32) -> u32 {
        Self::missing(x)
//~     ^ V203
    }

    fn constant() -> u32 {
        Self::LOW
//~     ^ V006
    }
}

fn main() {}
