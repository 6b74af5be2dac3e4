//! Subgroup operations where some invocations do not come by.

use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn of_each(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = subgroup_add(x[i]);
//~            ^ V400
    }
}

/// A subgroup of 24 wide workgroups has parts of two rows.
#[kernel(workgroup_size(24, 4))]
fn of_a_row(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if local_id().y == 1 {
        y[i] = subgroup_shuffle(x[i], 3);
//~            ^ V400
    }
}

/// Others may write in between.
#[kernel(workgroup_size(64))]
fn by_memory(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if y[subgroup_id()] == 1 {
        y[i] = subgroup_shuffle(x[i], 3);
//~            ^ V400
    }
}

#[kernel(workgroup_size(64))]
fn after_a_return(n: usize, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i >= n {
        return;
    }
    let sum = subgroup_inclusive_add(x[i]);
//~           ^ V400
    y[i] = sum;
}

#[kernel(workgroup_size(64))]
fn short_circuit(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if x[i] > 3 && subgroup_any(x[i] > 9) {
//~                ^ V400
        y[i] = 1;
    }
}

/// What a lane has of a scan is its own.
#[kernel(workgroup_size(64))]
fn by_a_scan(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let sum = subgroup_inclusive_add(x[i]);
    if sum > 3 {
        y[i] = subgroup_max(x[i]);
//~            ^ V400
    }
}

#[device]
fn total(x: u32) -> u32 {
    subgroup_add(x)
}

#[kernel(workgroup_size(64))]
fn in_a_helper(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i % 2 == 0 {
        y[i] = total(x[i]);
//~            ^ V400
    }
}

fn main() {}
