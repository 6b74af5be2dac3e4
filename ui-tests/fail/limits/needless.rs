//! Limits that a kernel does not need.
use samebits::prelude::*;

#[kernel(workgroup_size(64), limits(workgroup_memory = 32768))]
//~                                 ^ V605
fn memory(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 64];
    tile[local_id().x] = 1;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

#[kernel(instances(N = [64, 128]), features(f64), limits(invocations = 512, workgroup_memory = 32768))]
//~                                                      ^ V605
//~                                                                         ^ V605
fn in_no_instance<const N: usize>(y: &mut [f64]) {
    #[shared]
    let tile: [f64; N];
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

fn main() {}
