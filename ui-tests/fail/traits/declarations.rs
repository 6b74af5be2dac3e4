//! Traits that kernels cannot have, and what is wrong in their functions.
use samebits::prelude::*;

#[device]
trait Generic<T: Number> {
    fn of(x: T) -> T;
}

#[device]
trait Ordered: PartialOrd {
    fn of(x: u32) -> u32;
}

#[device]
trait WithType {
    type Item;
}

#[device]
trait Twice {
    fn of(x: u32) -> u32;
    fn of(x: f32) -> f32;
}

#[device]
trait Unknown {
    fn of(x: Vec<u32>) -> u32;
}

#[device]
trait Defaults {
    const BITS: u32;

    fn wrong(x: u32) -> u32 {
        x + 1.0
    }

    fn another(self, x: u32) -> u32 {
        Self::missing(x)
    }

    fn constant() -> u32 {
        Self::LOW
    }
}

fn main() {}
