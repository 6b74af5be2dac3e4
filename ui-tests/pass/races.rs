//! Kernels without races, and with those that their authors answer for.
use samebits::prelude::*;

#[kernel(workgroup_size(8, 8), deny(schedule))]
fn transposed(x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [[f32; 9]; 8];
    let l = local_id();
    let g = workgroup_id();
    let width = num_workgroups().x * 8;
    tile[l.y][l.x] = x[(g.y * 8 + l.y) * width + g.x * 8 + l.x];
    workgroup_barrier();
    let i = (g.y * num_workgroups().x + g.x) * 64 + local_index();
    y[i] = tile[l.x][l.y];
}

#[kernel(workgroup_size(64))]
fn a_search_of_any(x: &[u32], found: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() && x[i] == 7 {
        // Whichever is last is as good as any.
        unsafe {
            found[0] = i as u32;
        }
    }
}

#[kernel(workgroup_size(64))]
fn relaxed(y: &mut [u32]) {
    let i = global_id().x;
    if i >= 1 && i < y.len() {
        let left = unsafe { y[i - 1] };
        unsafe { y[i] = left + 1 };
    }
}

#[kernel(workgroup_size(256), deny(schedule))]
fn summed(x: &[u32], sums: &mut [u32]) {
    #[shared]
    let part: [u32; 256];
    let l = local_index();
    part[l] = if global_id().x < x.len() { x[global_id().x] } else { 0 };
    let mut width = 128;
    while width > 0 {
        workgroup_barrier();
        if l < width {
            part[l] += part[l + width];
        }
        width /= 2;
    }
    if l == 0 {
        sums[workgroup_id().x] = part[0];
    }
}

fn main() {
    let device = Device::interpreter();
    let x = device.upload(&[1, 7, 3, 7]).expect("a buffer");
    let mut found = device.zeros(1).expect("a buffer");
    a_search_of_any::launch(&device, 4, &x, &mut found).expect("a launch");
    assert!([1, 3].contains(&found.read().expect("a result")[0]));
    summed::launch(&device, 4, &x, &mut found).expect("a launch");
    assert_eq!(found.read().expect("a result"), [18]);
    let error = summed::launch(&device, (4, 4), &x, &mut found).expect_err("rows of workgroups store to one place");
    assert!(error.to_string().contains("may race in this launch"), "{error}");
}
