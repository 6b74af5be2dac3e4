//! Arguments that subgroup operations do not take.

use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn types(x: &[f32], y: &mut [u32]) {
    let i = global_id().x;
    let a = subgroup_and(x[i]);
//~         ^ V021
    let b = subgroup_any(y[i]);
//~                      ^ V200
    let c = subgroup_add(x[i] > 1.0);
//~         ^ V021
    let d = subgroup_shuffle(x[i], subgroup_lane() ^ 1);
//~                                ^ V200
    let e = subgroup_max((x[i], 1u32));
//~                      ^ V021
    y[i] = subgroup_add(x[i]);
//~        ^ V200
}

#[kernel(workgroup_size(64))]
fn numbers(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = subgroup_shuffle(x[i]);
//~        ^ V204
    if subgroup_elect(true) {
//~    ^ V204
        y[i] = subgroup_lane(1) as u32;
//~            ^ V204
    }
}

#[kernel(workgroup_size(64))]
fn names(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    y[i] = subgroup_sum(x[i]);
//~        ^ V016
}

fn main() {}
