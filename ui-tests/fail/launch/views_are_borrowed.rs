//! A view borrows its buffer, a part of a view borrows the view, and so does an argument.
use samebits::ViewMut;
use samebits::__private::Arg;
use samebits::prelude::*;

#[kernel]
fn clear(y: &mut [u32]) {
    y[global_id().x] = 0;
}

fn part_outlives_its_view(buffer: &mut Buffer<u32>) -> Result<ViewMut<'_, u32>, Error> {
    let mut view = buffer.slice_mut(1..)?;
    let (_, high) = view.split_at_mut(1)?;
    Ok(high)
//~ ^ E0515
}

fn view_beside_its_part(buffer: &mut Buffer<u32>) -> Result<Vec<u32>, Error> {
    let mut view = buffer.slice_mut(1..)?;
    let (low, _) = view.split_at_mut(1)?;
    view.fill(0)?;
//~ ^ E0499
    low.read()
}

fn writes_what_is_read(buffer: &Buffer<u32>) -> Result<(), Error> {
    buffer.fill(0)
//~ ^ E0596
}

fn buffer_beside_its_argument(buffer: &mut Buffer<u32>, device: &Device) -> Result<(), Error> {
    let arg = Arg::buffer_mut(buffer);
    buffer.fill(0)?;
//~ ^ E0499
    clear::KERNEL.launch(device, 1, &[arg])
}

fn main() {}
