//! Limits that are declared wrongly.
use samebits::prelude::*;

#[kernel(limits(shared_memory = 32768))]
//~             ^ V101
fn unknown(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(buffer = 9))]
//~             ^ V101
fn misspelled(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(buffers = 9, buffers = 10))]
//~                          ^ V101
fn twice(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(buffers = 9), limits(invocations = 512))]
//~                           ^ V101
fn two_lists(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(buffers = "many"))]
//~                       ^ V101
fn no_number(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(buffers))]
//~      ^ V101
fn without_a_number(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits())]
//~      ^ V101
fn nothing(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits = 9)]
//~      ^ V101
fn no_list(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(workgroup_size(1), limits(workgroup_memory = 16384))]
//~                                ^ V605
fn the_default(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(invocations = 2048))]
//~             ^ V600
fn more_than_any(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
