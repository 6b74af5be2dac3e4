//! An index that is no constant may be that of any element.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn k(n: usize, y: &mut [u32]) {
    let mut digits = [0u32; 4];
    digits[n % 4] = local_id().x as u32;
    if digits[2] == 0 {
        workgroup_barrier();
//~     ^ V010
    }
    y[global_id().x] = digits[1];
}

fn main() {}
