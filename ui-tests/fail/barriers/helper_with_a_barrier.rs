//! A helper with a barrier, called by one invocation alone.
use samebits::prelude::*;

#[device]
fn sync_then(x: u32) -> u32 {
    workgroup_barrier();
    x + 1
}

#[kernel(workgroup_size(64))]
fn k(y: &mut [u32]) {
    if local_id().x == 0 {
        y[0] = sync_then(1);
//~            ^ V010
    }
}

fn main() {}
