//! Launches of instances that there are not.
use samebits::prelude::*;

#[kernel(workgroup_size(1), instances(T = [f32, u32], N = [2, 3]))]
fn k<T: Number, const N: usize>(x: T, y: &mut [T]) {
    y[0] = x + N as T;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<i32>(1)?;
    k::launch::<_, 2>(&device, 1, 1, &mut y)?;
//~                                  ^ E0277
    let mut y = device.zeros::<f32>(1)?;
    k::launch::<_, 4>(&device, 1, 1.0, &mut y)?;
//~                               ^ E0277
    k::launch::<f32>(&device, 1, 1.0, &mut y)?;
//~    ^ E0107
    let _ = k::kernel::<f32, 5>();
//~                     ^ E0277
    k::launch::<_, 2>(&device, 1, 1u32, &mut y)
//~                                     ^ E0277
}
