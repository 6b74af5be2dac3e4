//! Accesses of invocations of several workgroups that meet, and what cannot be told.

use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn a_barrier_orders_no_other_workgroups(x: &mut [u32], y: &mut [u32]) {
    let i = global_id().x;
    x[i] = i as u32;
//~ ^ V500
    workgroup_barrier();
    y[i] = x[i ^ 64];
}

#[kernel(workgroup_size(64))]
fn scattered(p: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < p.len() {
        y[p[i] as usize] = i as u32;
//~     ^ V501
    }
}

#[device]
fn put(y: &mut [u32], at: usize) {
    y[at] = 7;
}

#[kernel(workgroup_size(64))]
fn by_a_helper(y: &mut [u32]) {
    put(y, local_index() / 2);
//~ ^ V500
}

#[kernel(workgroup_size(64))]
fn unsafe_at_one_of_two(y: &mut [u32]) {
    let i = global_id().x;
    if i >= 1 && i < y.len() {
        let left = y[i - 1];
        unsafe {
            y[i] = left + 1;
//~         ^ V500
        }
    }
}

#[kernel(workgroup_size(64), deny(schedule))]
fn tickets(n: &[Atomic<u32>], y: &mut [u32]) {
    y[global_id().x] = n[0].fetch_add(1);
//~                    ^ V502
}

fn main() {}
