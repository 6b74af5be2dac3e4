//! One buffer as input and output: the borrow checker says so.
use samebits::prelude::*;

#[kernel]
fn k(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = x[i];
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    k::launch(&device, 1, &y, &mut y)
//~                           ^ E0502
}
