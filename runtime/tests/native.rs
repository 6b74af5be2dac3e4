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

#[kernel(workgroup_size(64))]
fn early(at: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if at as usize >= x.len() {
        return;
    }
    let v = x[at as usize];
    if i < y.len() {
        y[i] = v;
    }
}

#[test]
fn what_an_early_return_proves_holds_after_it_only() {
    let x = numbers(16);
    for device in devices() {
        let x_there = device.upload(&x).unwrap();
        for at in [0, 15, 16, 1 << 29, u32::MAX] {
            let mut y = device.upload(&[7.0f32; 100]).unwrap();
            early::launch(&device, 100, at, &x_there, &mut y).unwrap();
            let expected = x.get(at as usize).copied().unwrap_or(7.0);
            assert_eq!(y.read().unwrap(), [expected; 100], "{at} on {device:?}");
        }
    }
}

#[kernel(workgroup_size(64))]
fn leaving(m: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut s = 0;
    for k in 0..m {
        workgroup_barrier();
        if x[i] == k {
            continue;
        }
        s += k;
        let mut j = 0;
        while j < k {
            s += j & 1;
            j += 1;
        }
    }
    y[i] = s;
}

#[test]
fn lanes_that_go_on_to_the_next_round_skip_the_rest_of_this_one() {
    let x: Vec<u32> = (0..128).map(|i| if i < 64 { 3 } else { i % 7 }).collect();
    let plain = |own: u32| (0..6).filter(|&k| k != own).map(|k| k + k / 2).sum::<u32>();
    let expected: Vec<u32> = x.iter().map(|&own| plain(own)).collect();
    for device in devices() {
        let mut y = device.zeros::<u32>(128).unwrap();
        leaving::launch(&device, 128, 6, &device.upload(&x).unwrap(), &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

#[kernel(workgroup_size(128))]
fn private(n: u32, x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    let mut a = [0u32; 4096];
    for k in 0..n {
        a[k as usize] += x[i] + k;
    }
    y[i] = a[i];
}

#[test]
fn large_private_arrays_fit_the_stack() {
    let x: Vec<u32> = (0..640).collect();
    let expected: Vec<u32> = x.iter().map(|i| 2 * i).collect();
    for device in devices() {
        let mut y = device.zeros::<u32>(640).unwrap();
        private::launch(&device, 640, 700, &device.upload(&x).unwrap(), &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "{device:?}");
    }
}

/// Names that the code of kernels uses, and a trait for everything.
mod hostile {
    use samebits::prelude::*;

    macro_rules! names {
        ($($name:ident)*) => {$(
            #[allow(non_upper_case_globals)]
            pub static $name: u8 = 3;
        )*};
    }
    names! { group gx ox within launch span gone i j l x y z v0 v1 n0 b0 fuel lo count shared0 k11 }

    pub trait Everything: Sized {
        fn fill(&mut self, _: u64) {}
        fn as_ptr(&self) -> u8 {
            3
        }
        fn as_mut_ptr(&mut self) -> u8 {
            3
        }
    }
    impl<T> Everything for T {}

    #[kernel(workgroup_size(64))]
    pub fn filled(q: u32, w: &[u32], out: &mut [u32]) {
        #[shared]
        let t: [u32; 64];
        let a = local_id().x;
        if workgroup_id().x == 0 {
            t[a] = w[global_id().x] + q;
        }
        workgroup_barrier();
        out[global_id().x] = t[63 - a];
    }

    #[test]
    fn names_and_traits_of_the_user_do_not_matter() {
        let names = [group, gx, ox, within, launch, span, gone, i, j, l, x, y, z, v0, v1, n0, b0, fuel, lo, count];
        assert_eq!((names, shared0 + k11, 0u8.as_ptr(), 0u8.as_mut_ptr()), ([3; 20], 6, 3, 3));
        0u8.fill(1);
        let given: Vec<u32> = (0..128).collect();
        let expected: Vec<u32> = (0..128).map(|at| if at < 64 { 63 - at + 5 } else { 0 }).collect();
        for device in super::devices() {
            let mut out = device.zeros::<u32>(128).unwrap();
            filled::launch(&device, 128, 5, &device.upload(&given).unwrap(), &mut out).unwrap();
            assert_eq!(out.read().unwrap(), expected, "{device:?}");
        }
    }
}
