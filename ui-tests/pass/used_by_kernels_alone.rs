//! Imports, constants and modules that only kernels use count as used.
#![deny(warnings, unused)]
use samebits::prelude::*;

mod math {
    use samebits::prelude::*;

    #[device]
    pub(crate) fn square(x: f32) -> f32 {
        x * x
    }

    #[device]
    pub(crate) fn cube(x: f32) -> f32 {
        square(x) * x
    }

    #[device]
    pub(crate) const SIZE: usize = 2;

    pub(crate) const SCALE: f32 = 10.0;
}

use math::{SCALE, SIZE, cube as third_power, square};

#[derive(Clone, Copy, Element)]
enum Shape {
    Square(f32),
    Box { sides: [f32; 2] },
    Nothing,
}

#[device]
fn area(shape: Shape) -> f32 {
    match shape {
        Shape::Square(side) => side * side,
        Shape::Box { sides } => sides[0] * sides[1],
        Shape::Nothing => 0.0,
    }
}

#[kernel(workgroup_size(SIZE))]
fn k(y: &mut [f32]) {
    let a = [3.0; SIZE];
    let i = global_id().x;
    y[i] = SCALE * square(a[i]) + third_power(2.0);
    y[i] += area(if y[i] > 0.0 { Shape::Nothing } else { Shape::Box { sides: [a[i], 2.0] } }) + area(Shape::Square(0.5));
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(2)?;
    k::launch(&device, 2, &mut y)?;
    assert_eq!(y.read()?, [98.25, 98.25]);
    Ok(())
}
