//! Types that there are not, in a signature and in a body.
use samebits::prelude::*;

#[device]
fn first(r: Ray) -> f32 {
//~         ^ V201
    r.a
}

#[kernel]
fn signature(r: Ray, x: &[Circle], y: &mut [f32]) {
//~             ^ V201
//~                     ^ V201
    y[0] = r.a;
}

#[kernel]
fn body(y: &mut [f32]) {
    let r: Ray = y[0];
//~        ^ V201
    y[0] = 1.0;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    body::launch(&device, 1, &mut y)
}
