//! A view is no handle of its buffer, none can be copied, and no type of a program is one.
use samebits::__private::Arg;
use samebits::prelude::*;
use samebits::{Readable, View, ViewMut};

fn takes_the_buffer_out(buffer: &mut Buffer<u32>, other: &mut Buffer<u32>) -> Result<(), Error> {
    let mut view = buffer.slice_mut(1..)?;
    std::mem::swap(&mut *view, other);
//~                     ^ E0614
    let out: &mut Buffer<u32> = &mut view;
//~                             ^ E0308
    out.fill(0)
}

fn writes_what_is_read(buffer: &Buffer<u32>, view: View<'_, u32>) -> Result<(), Error> {
    let _ = Arg::buffer_mut(buffer);
//~                         ^ E0308
    view.fill(0)
//~      ^ E0599
}

fn copies(buffer: &Buffer<u32>, view: ViewMut<'_, u32>, arg: Arg<'_>) {
    let _: Buffer<u32> = buffer.clone();
//~                      ^ E0308
    let _: ViewMut<'_, u32> = view.clone();
//~                                ^ E0599
    let _: Arg<'_> = arg.clone();
//~                      ^ E0599
}

struct Shared<'a>(&'a Buffer<u32>);

impl Readable<u32> for Shared<'_> {
//~                    ^ E0277
    fn as_view(&self) -> View<'_, u32> {
        self.0.slice(..).unwrap()
    }

    fn argument(&self) -> Arg<'_> {
        Arg::buffer(self.0)
    }
}

fn main() {}
