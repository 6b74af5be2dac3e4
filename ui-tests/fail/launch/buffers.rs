//! A buffer of another type, a view that cannot be written, a value for a buffer, and one
//! buffer that is read and written.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn add(x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    y[i] = y[i] + x[i];
}

fn launch(device: &Device, x: &Buffer<u32>, y: &mut Buffer<f32>, z: &Buffer<f32>) -> Result<(), Error> {
    add::launch(device, 1, x, y)?;
//~                        ^ E0277
    add::launch(device, 1, z, &mut z.slice(1..)?)?;
//~                           ^ E0277
    add::launch(device, 1, &7.5f32, y)?;
//~                        ^ E0277
    add::launch(device, 1, z, z)
//~                           ^ E0308
}

fn main() {}
