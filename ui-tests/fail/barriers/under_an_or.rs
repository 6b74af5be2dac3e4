//! A broadcast on the right of `||`.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    #[shared]
    let cell: u32;
    let i = local_id().x;
    if i > 32 || broadcast(&cell) == 0 {
//~              ^ V010
        y[i] = 1;
    }
}

fn main() {}
