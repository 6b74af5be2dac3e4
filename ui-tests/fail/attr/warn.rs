//! What `warn` cannot list.

use samebits::prelude::*;

#[kernel(warn(stride))]
//~           ^ V101
fn unknown(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(warn())]
//~      ^ V101
fn nothing(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(warn(all, banks))]
//~      ^ V101
fn twice(y: &mut [u32]) {
    y[global_id().x] = 1;
}

fn main() {}
