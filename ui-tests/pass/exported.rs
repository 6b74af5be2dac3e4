//! Re-exports by glob, by name and under another name, through several modules.
#![deny(warnings)]
use samebits::prelude::*;

pub mod math {
    use samebits::prelude::*;

    /// The square of a number.
    #[device]
    pub fn square(x: f32) -> f32 {
        x * x
    }

    /// A pair of numbers.
    #[derive(Clone, Copy, Debug, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Pair {
        /// The first.
        pub a: f32,
        /// The second.
        pub b: f32,
    }

    #[device]
    impl Pair {
        /// The first and the square of the second.
        pub fn sum(self) -> f32 {
            self.a + square(self.b)
        }
    }

    /// How many.
    #[device]
    pub const COUNT: usize = 3;
}

pub mod by_glob {
    pub use crate::math::*;
}

pub mod by_name {
    pub use crate::by_glob::{COUNT as NUMBER, Pair as Two, square as second_power};
}

pub mod again {
    pub use crate::by_name::*;
}

use again::{NUMBER, Two, second_power};

#[kernel(workgroup_size(NUMBER))]
fn k(p: Two, y: &mut [f32]) {
    let a = [p.sum(); NUMBER];
    let q = Two { a: 1.0, ..p };
    if global_id().x == 0 {
        y[0] = second_power(a[2]) + q.sum();
    }
}

#[kernel(workgroup_size(1))]
fn through_the_glob(y: &mut [f32]) {
    let p = by_glob::Pair { a: 1.0, b: 2.0 };
    y[0] = by_glob::square(p.b);
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, Two { a: 0.0, b: 2.0 }, &mut y)?;
    assert_eq!(y.read()?, [21.0]);
    through_the_glob::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [4.0]);
    Ok(())
}
