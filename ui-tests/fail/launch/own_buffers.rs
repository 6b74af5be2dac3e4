//! What a launcher takes is this crate's to say: no type of a program's own is a buffer.

use samebits::prelude::*;
use samebits::{Readable, View};

struct Shared<'a>(&'a Buffer<u32>);

impl Readable<u32> for Shared<'_> {
    fn as_view(&self) -> View<'_, u32> {
        self.0.slice(..).unwrap()
    }
}

fn main() {}
