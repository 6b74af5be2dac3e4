//! A barrier in an arm that only some invocations take.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    match x[i] {
        0 => workgroup_barrier(),
//~          ^ V010
        _ => y[i] = 1,
    }
}

fn main() {}
