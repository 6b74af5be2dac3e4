//! More workgroup memory than every device has, than is declared, and than any has.
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn undeclared(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 4097];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

#[kernel(workgroup_size(64), limits(workgroup_memory = 20000))]
fn declared_as_less(y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 64]; 80];
//~     ^ V601
    tile[local_id().x][0] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0][0];
}

#[kernel(workgroup_size(64))]
fn never(y: &mut [f32]) {
    #[shared]
    let tile: [f32; 60000];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

#[kernel(workgroup_size(64), instances(N = [64, 8192]))]
fn in_one_instance<const N: usize>(y: &mut [f32]) {
    #[shared]
    let tile: [f32; N];
//~     ^ V601
    tile[local_id().x] = 1.0;
    workgroup_barrier();
    y[global_id().x] = tile[0];
}

/// The help names all that is missing.
#[kernel(workgroup_size(64), requires(b.len() >= 1))]
fn of_several(a: &[u32], b: &[u32], c: &[u32], d: &[u32], e: &[u32], f: &[u32], g: &[u32], h: &[u32], y: &mut [u32]) {
//~                                                                                                   ^ V603
    #[shared]
    let tile: [f64; 4097];
//~     ^ V601
    tile[local_id().x] = a[0] as f64 + b[0] as f64;
    workgroup_barrier();
    y[0] = tile[0] as u32 + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
}

#[kernel(workgroup_size(32, 32))]
//~                     ^ V600
fn with_a_large_workgroup(y: &mut [u32]) {
    #[shared]
    let tile: [[u32; 64]; 65];
    tile[local_id().y][local_id().x] = 1;
    workgroup_barrier();
    y[0] = tile[0][0];
}

fn main() {}
