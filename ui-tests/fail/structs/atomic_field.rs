//! An atomic as a field.
use samebits::prelude::*;

#[derive(Element)]
#[repr(C)]
struct Counter {
    hits: Atomic<u32>,
//~       ^ V207
}

#[kernel]
fn k(x: &[Counter]) {
    x[0].hits.fetch_add(1);
}

fn main() {}
