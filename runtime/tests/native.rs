//! Shapes of kernels that native code treats in a way of their own, under lints that a crate may forbid.
//!
//! A dev build runs them on the interpreter; `cargo test --release` compiles them for this CPU.

#![forbid(
    unsafe_code,
    let_underscore,
    keyword_idents,
    future_incompatible,
    unused_assignments,
    unused_labels,
    unused_mut,
    unused_parens,
    unused_unsafe,
    unused_variables,
    unreachable_code
)]
#![deny(
    warnings,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    missing_debug_implementations,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unsafe_op_in_unsafe_fn
)]

use samebits::prelude::*;

/// This CPU and the interpreter.
fn devices() -> [Device; 2] {
    [Device::cpu(), Device::interpreter()]
}

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i * 7919 % 1013) as f32 * 0.25 - 100.0).collect()
}

#[kernel(workgroup_size(256))]
fn scan(x: &[f32], y: &mut [f32]) {
    #[shared]
    let tile: [f32; 256];
    let lane = local_index();
    tile[lane] = x[global_id().x];
    workgroup_barrier();
    let mut sum = tile[lane];
    // The index of what comes before the first lane wraps.
    if lane >= 1 {
        sum += tile[lane - 1];
    }
    y[global_id().x] = sum;
}

#[test]
fn an_index_that_wraps_before_the_first_lane_that_uses_it_is_sound() {
    let x = numbers(1024);
    let expected: Vec<f32> = (0..1024).map(|i| if i % 256 == 0 { x[i] } else { x[i] + x[i - 1] }).collect();
    for device in devices() {
        let mut y = device.zeros::<f32>(1024).unwrap();
        scan::launch(&device, 1024, &device.upload(&x).unwrap(), &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[kernel(workgroup_size(16, 16))]
fn stencil(w: usize, h: usize, x: &[f32], y: &mut [f32]) {
    let (i, j) = (global_id().x, global_id().y);
    if i >= 1 && j >= 1 && i + 1 < w && j + 1 < h {
        let at = j * w + i;
        y[at] = 0.25 * (x[at - 1] + x[at + 1] + x[at - w] + x[at + w]);
    }
}

#[test]
fn the_edges_of_an_image_are_left_alone_whatever_its_size_is() {
    for (w, h) in [(1, 1), (2, 3), (3, 3), (17, 5), (33, 18), (48, 32), (65, 2)] {
        let x = numbers(w * h);
        let at = |i: usize, j: usize| x[j * w + i];
        let inner = |i: usize, j: usize| i >= 1 && j >= 1 && i + 1 < w && j + 1 < h;
        let sum = |i: usize, j: usize| at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
        let one = |n: usize| if inner(n % w, n / w) { 0.25 * sum(n % w, n / w) } else { 0.0 };
        let expected: Vec<f32> = (0..w * h).map(one).collect();
        for device in devices() {
            let mut y = device.zeros::<f32>(w * h).unwrap();
            stencil::launch(&device, (w, h), w, h, &device.upload(&x).unwrap(), &mut y).unwrap();
            assert_eq!(y.read().unwrap(), expected, "{w}x{h} on {device:?}");
        }
    }
}

#[kernel(workgroup_size(64))]
fn escape(limit: u32, c: &[f32], rounds: &mut [u32], last: &mut [f32]) {
    let i = global_id().x;
    if i >= rounds.len() {
        return;
    }
    let (mut x, mut n) = (0.0, 0);
    while n < limit && x * x <= 4.0 {
        x = x * x + c[i];
        n += 1;
        if x < -1.5 {
            x = -x;
            continue;
        }
    }
    rounds[i] = n;
    last[i] = x;
}

#[test]
fn lanes_that_leave_a_loop_in_different_rounds_keep_what_they_had() {
    for count in [1, 15, 16, 63, 64, 65, 200] {
        let c: Vec<f32> = (0..count).map(|i| i as f32 * 0.02 - 2.0).collect();
        let plain = |c: f32| {
            let (mut x, mut n) = (0.0f32, 0);
            while n < 100 && x * x <= 4.0 {
                x = x * x + c;
                n += 1;
                if x < -1.5 {
                    x = -x;
                }
            }
            (n, x)
        };
        let (rounds, last): (Vec<u32>, Vec<f32>) = c.iter().map(|&c| plain(c)).unzip();
        for device in devices() {
            let c = device.upload(&c).unwrap();
            let mut n = device.zeros::<u32>(count).unwrap();
            let mut x = device.zeros::<f32>(count).unwrap();
            escape::launch(&device, count, 100, &c, &mut n, &mut x).unwrap();
            assert_eq!((n.read().unwrap(), x.read().unwrap()), (rounds.clone(), last.clone()), "{count} on {device:?}");
        }
    }
}

#[kernel(workgroup_size(16, 16))]
fn product(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    #[shared]
    let left: [[f32; 16]; 16];
    #[shared]
    let right: [[f32; 16]; 16];
    let (i, j) = (global_id().x, global_id().y);
    let (x, y) = (local_id().x, local_id().y);
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(16) {
        left[y][x] = if j < n && tile * 16 + x < n { a[j * n + tile * 16 + x] } else { 0.0 };
        right[y][x] = if i < n && tile * 16 + y < n { b[(tile * 16 + y) * n + i] } else { 0.0 };
        workgroup_barrier();
        for k in 0..16 {
            sum += left[y][k] * right[k][x];
        }
        workgroup_barrier();
    }
    if i < n && j < n {
        c[j * n + i] = sum;
    }
}

#[test]
fn a_product_in_tiles_has_the_bits_of_plain_rust() {
    for n in [1, 7, 16, 33] {
        let (a, b) = (numbers(n * n), numbers(n * n + 5)[5..].to_vec());
        let padded = n.div_ceil(16) * 16;
        let at = |m: &[f32], j: usize, i: usize| if j < n && i < n { m[j * n + i] } else { 0.0 };
        let one = |at_c: usize| (0..padded).fold(0.0, |sum, k| sum + at(&a, at_c / n, k) * at(&b, k, at_c % n));
        let expected: Vec<f32> = (0..n * n).map(one).collect();
        for device in devices() {
            let mut c = device.zeros::<f32>(n * n).unwrap();
            let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            product::launch(&device, (n, n), n, &a, &b, &mut c).unwrap();
            assert_eq!(c.read().unwrap(), expected, "{n} on {device:?}");
        }
    }
}

#[kernel(workgroup_size(64))]
fn endless(x: &[u32], y: &mut [u32]) {
    let mut n = x[0];
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 2 * n };
    }
    y[global_id().x] = n;
}

#[test]
fn a_loop_without_an_end_is_an_error_that_names_it() {
    let device = Device::cpu();
    let kernel = endless::KERNEL.report().unwrap();
    if kernel.to_string().contains("native code") {
        // The interpreter takes its ten seconds for it.
        let mut y = device.zeros::<u32>(1).unwrap();
        let error = endless::launch(&device, 1, &device.upload(&[3]).unwrap(), &mut y).unwrap_err().to_string();
        assert!(error.starts_with("kernel `endless`: "), "{error}");
        assert!(error.contains("runtime/tests/native.rs:"), "{error}");
    }
}
