//! Uses of what not every device has, without a declaration: the first use is shown.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Measure {
    value: f64,
}

#[device]
fn half(x: f32) -> f32 {
    (x as f64 * 0.5) as f32
}

#[kernel(workgroup_size(1))]
fn buffer(x: &[f64], y: &mut [f64]) {
//~            ^ V606
    y[0] = x[0];
}

#[kernel(workgroup_size(1), fast_math)]
fn of_structs(x: &[Measure], y: &mut [u32]) {
//~                ^ V606
    y[0] = x[0].value as u32;
}

#[kernel(workgroup_size(1))]
fn literal(y: &mut [f32]) {
    y[0] = (2.0 + 1.5f64) as f32;
//~         ^ V606
}

#[kernel(workgroup_size(1))]
fn cast(x: &[u32], y: &mut [u32]) {
    y[0] = (x[0] as f64).sqrt() as u32;
//~                 ^ V606
}

#[kernel(workgroup_size(1))]
fn annotation(y: &mut [u32]) {
    let x: f64 = 1.0;
//~        ^ V606
    y[0] = x as u32;
}

#[kernel(workgroup_size(1))]
fn through_a_helper(x: &[f32], y: &mut [f32]) {
    y[0] = half(x[0]);
//~        ^ V606
}

#[kernel(workgroup_size(64))]
fn atomics(sums: &[Atomic<u64>]) {
//~                ^ V606
    sums[0].fetch_add(1);
}

#[kernel(workgroup_size(1))]
fn in_workgroup_memory(y: &mut [f32]) {
    #[shared]
    let sum: Atomic<f32>;
//~          ^ V606
    sum.fetch_add(0.5);
    workgroup_barrier();
    y[0] = sum.load();
}

#[kernel(workgroup_size(64), features(f64))]
fn all_at_once(sums: &[Atomic<f64>]) {
//~                    ^ V606
    sums[0].fetch_add(0.5);
}

#[kernel(workgroup_size(1), instances(T = [f32, f64]))]
fn in_an_instance<T: Float>(x: &[T], y: &mut [T]) {
//~                              ^ V606
    y[0] = x[0];
}

#[kernel(workgroup_size(1), requires(x.len() >= n, n == 4, -3 <= m, 2 * n - 1 < n + n))]
fn what_is_required_stays(n: usize, m: i32, x: &[f64], y: &mut [u32]) {
//~                                              ^ V606
    y[0] = x[n - 1] as u32;
}

fn main() {}
