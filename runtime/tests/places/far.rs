//! Helpers of another file than the kernels that call them.

use samebits::prelude::*;

/// Line 8 is where it stores.
#[device]
pub fn far_store(y: &mut [u32], value: u32) {
    unsafe { y[0] = value };
}

/// Line 14 is where it waits.
#[device]
pub fn take(lock: &[Atomic<u32>]) {
    while lock[0].compare_exchange(0, 1) != 0 {}
}
