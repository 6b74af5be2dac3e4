//! More invocations than every device lets a workgroup have, or than any does.
use samebits::prelude::*;

#[kernel(workgroup_size(64, 64))]
//~                     ^ V600
fn never(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(workgroup_size(8, 8, 8))]
//~                     ^ V600
fn undeclared(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(limits(invocations = 512), workgroup_size(32, 32))]
//~                                                ^ V600
fn declared_as_fewer(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(workgroup_size(1, 1, 65))]
//~                           ^ V600
fn deep(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
