//! What an attribute lists twice, and limits that allow too little.
use samebits::prelude::*;

#[kernel(deny(guards, guards))]
//~      ^ V101
fn guards(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(requires(y.len() >= 1, y.len() >= 1))]
//~                             ^ V101
fn requirements(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(instances(T = [f32]), instances(T = [u32]))]
//~                            ^ V101
fn instances<T: Number>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

#[kernel(workgroup_size(512), limits(invocations = 256))]
//~                     ^ V600
fn too_few(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(workgroup_size(512), limits(invocations = "many"))]
//~                                                ^ V101
fn no_number(y: &mut [u32]) {
    y[0] = 1;
}

#[kernel(limits(workgroup_memory = 16384))]
fn too_little(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 8192];
//~     ^ V601
    tile[0] = 1;
}

fn main() {}
