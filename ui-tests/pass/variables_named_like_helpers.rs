//! A variable, a parameter or a closure may have the name of a helper, which it hides from there on.
#![deny(warnings)]
use samebits::prelude::*;

#[device]
fn square(x: f32) -> f32 {
    x * x
}

#[device]
fn apply(square: impl Fn(f32) -> f32, x: f32) -> f32 {
    square(x)
}

#[kernel(workgroup_size(1))]
fn k(y: &mut [f32]) {
    let square = square(3.0);
    y[0] = square;
    y[1] = apply(|x| x + 1.0, square);
}

#[kernel(workgroup_size(1))]
fn closure(y: &mut [f32]) {
    y[0] = {
        let square = |x: f32| x * 10.0;
        square(2.0)
    };
    y[1] = square(2.0);
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(2)?;
    k::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [9.0, 10.0]);
    closure::launch(&device, 1, &mut y)?;
    assert_eq!(y.read()?, [20.0, 4.0]);
    Ok(())
}
