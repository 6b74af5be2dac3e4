//! A helper whose barrier only some invocations reach wherever it is called.
use samebits::prelude::*;

#[device]
fn wait() {
    if local_id().x < 32 {
        workgroup_barrier();
//~     ^ V010
    }
}

#[kernel(workgroup_size(64))]
fn k(y: &mut [f32]) {
    wait();
    y[0] = 1.0;
}

fn main() {}
