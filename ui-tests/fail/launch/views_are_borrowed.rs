//! A view is no handle of its buffer: nothing takes one out of it, and nothing writes through
//! what was lent to be read.

use samebits::__private::Arg;
use samebits::prelude::*;
use samebits::{View, ViewMut};

#[kernel(workgroup_size(64))]
fn clear(y: &mut [u32]) {
    y[global_id().x] = 0;
}

fn takes_the_buffer_out(buffer: &mut Buffer<u32>, other: &mut Buffer<u32>) -> Result<(), Error> {
    let mut view = buffer.slice_mut(1..)?;
    std::mem::swap(&mut *view, other);
    let out: &mut Buffer<u32> = &mut view;
    out.fill(0)
}

fn keeps_a_view(buffer: &mut Buffer<u32>) -> Result<(View<'_, u32>, ViewMut<'_, u32>), Error> {
    let mut view = buffer.slice_mut(1..)?;
    let part = view.slice(..1)?;
    let (low, high) = view.split_at_mut(1)?;
    view.fill(0)?;
    low.read()?;
    Ok((part, high))
}

fn writes_what_is_read(buffer: &Buffer<u32>, view: View<'_, u32>) -> Result<(), Error> {
    buffer.fill(0)?;
    view.fill(0)?;
    buffer.slice_mut(..)?;
    let _ = Arg::buffer_mut(buffer);
    Ok(())
}

fn writes_twice(buffer: &mut Buffer<u32>, device: &Device) -> Result<(), Error> {
    let arg = Arg::buffer_mut(buffer);
    clear::KERNEL.launch(device, 1, &[arg.clone()])?;
    buffer.fill(0)?;
    clear::KERNEL.launch(device, 1, &[arg])
}

fn clones(buffer: &Buffer<u32>, view: ViewMut<'_, u32>) {
    let _: Buffer<u32> = buffer.clone();
    let _: ViewMut<'_, u32> = view.clone();
}

fn main() {}
