//! What the helps say to write, written: each line answers one wrong file of `fail`.
use samebits::prelude::*;

#[device]
const LUT: [u32; 4] = [1, 2, 3, 4];

const ADD: u32 = 0;

#[device]
fn square(x: u32) -> u32 {
    x * x
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: u32,
    b: f32,
}

/// Functions of other languages, and free functions.
#[kernel(workgroup_size(64))]
fn functions(v: f32, n: u32, b: u8, u: &[u32], c: &[Atomic<u32>], y: &mut [u32], z: &mut [f32]) {
    workgroup_barrier();
    c[0].fetch_add(1);
    c[2].compare_exchange(1, 2);
    let g = global_id().x;
    let l = local_id().x;
    let s = subgroup_add(u[0]) + subgroup_shuffle_down(u[0], 1);
    let p = (u[0] + 1).count_ones();
    let (mut i, mut j) = (n, 2u32);
    (i, j) = (j, i);
    let old = i;
    i = 3;
    let w = Vec4::new(1.0, 2.0, v, v);
    if g < y.len() {
        y[g] = s + p + i + j + old + n.max(2) + n.min(3) + 2u32.pow(n) + l as u32;
        y[g] += b as u32 + u[0] | (u[1] as u32) << 8;
        y[g] += (n >> 8) as u8 as u32 + square(2) + LUT[1] + ADD;
        z[g] = v.sqrt() + (v + 1.0).clamp(0.0, 1.0) + v + (z[g] - v) * 0.5 + 1.0 / v.sqrt() + w.x;
    }
}

/// Statements.
#[kernel(workgroup_size(64))]
fn statements(x: &[f32], pairs: &[Pair], y: &mut [f32], w: &mut [u32]) {
    #[shared]
    let a: i32;
    #[shared]
    let done: Atomic<u32>;
    #[shared]
    let cell: u32;
    let i = global_id().x;
    if local_index() == 0 {
        a = 1;
        cell = done.load();
    }
    workgroup_barrier();
    if broadcast(&cell) == 0 {
        workgroup_barrier();
    }
    for k in 0..x.len() {
        y[3 * i] += x[k];
    }
    if 1 < x.len() {
        y[3 * i + 1] = x[1];
    }
    let mut v = Vec3::new(1.0f32, 2.0, 3.0);
    v.x = 1.0;
    v.y = v.xy().x;
    let u = Vec3::new(v.x as u32, v.y as u32, v.z as u32);
    let splat = Vec2::splat(w[3 * i] as f32);
    w[3 * i] = u.x + 49u8 as u32 + [49u8, 50u8][1] as u32 + 99u32;
    y[3 * i + 2] = [v.x, v.y, v.z][i] + v.y + splat.x + subgroup_shuffle(pairs[0].b, 1) + a as f32;
    w[3 * i + 1] = subgroup_shuffle(pairs[0].a, 1);
    let (sum, wrapped) = w[3 * i].overflowing_add(1);
    if !wrapped && (sum == 1 || sum == 2) {
        w[3 * i + 2] = sum;
    }
}

/// What holds an early return before a barrier together.
#[kernel(workgroup_size(64))]
fn together(y: &mut [u32]) {
    let closure = |a: usize| {
        let mut result = 1u32;
        if a != local_id().x {
            result = 2;
        }
        workgroup_barrier();
        result
    };
    y[global_id().x] = closure(3);
}

#[device]
fn shuffled<T: Number>(x: T) -> T {
    subgroup_shuffle(x, 1)
}

#[kernel(workgroup_size(64))]
fn generic(y: &mut [u32]) {
    y[global_id().x] = shuffled(1u32);
}

#[kernel(workgroup_size(512), limits(invocations = 512))]
fn large(y: &mut [u32]) {
    y[global_id().x] = 1;
}

#[kernel(limits(workgroup_memory = 32768))]
fn wide(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 8192];
    tile[local_index()] = 1;
    workgroup_barrier();
    y[global_id().x] = tile[1];
}

fn main() {}
