//! `f64` everywhere: a kernel that computes with it runs on every device, between others
//! in the queue.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn ones(y: &mut [i32]) {
    y[global_id().x] = 111;
}

#[kernel(workgroup_size(1), features(f64))]
fn wide(y: &mut [f64]) {
    let i = global_id().x;
    y[i] = y[i] * 2.0 + 0.5;
}

#[kernel(workgroup_size(1))]
fn twos(y: &mut [i32]) {
    y[global_id().x] = 222;
}

#[test]
fn a_kernel_of_f64_runs_between_its_neighbours() {
    for device in devices() {
        let mut a = device.upload(&[-1i32]).unwrap();
        let mut b = device.upload(&[-1.0f64]).unwrap();
        let mut c = device.upload(&[-1i32]).unwrap();
        ones::launch(&device, 1, &mut a).unwrap();
        wide::launch(&device, 1, &mut b).unwrap();
        twos::launch(&device, 1, &mut c).unwrap();
        assert_eq!(b.read().unwrap(), [-1.5], "on {}", device.name());
        assert_eq!((a.read().unwrap(), c.read().unwrap()), (vec![111], vec![222]), "on {}", device.name());
    }
}

#[kernel(workgroup_size(64), features(f64))]
fn newton(x: &[f64], y: &mut [f64]) {
    let i = global_id().x;
    if i < y.len() {
        let mut root = x[i] / 2.0 + 0.5;
        for _ in 0..8 {
            root = (root + x[i] / root) / 2.0;
        }
        let rest = root.mul_add(root, -x[i]);
        y[i] = root + rest.min(0.0) * 1e-3 + (x[i] % 3.25).floor() + (i as f64).sqrt();
    }
}

#[test]
fn a_longer_computation_gives_the_bits_of_rust() {
    let x: Vec<f64> = (0..200).map(|i| 0.37 + f64::from(i) * 1.618_033_988_749_895).collect();
    let expected = x.iter().zip(0u32..).map(|(&x, i)| {
        let mut root = x / 2.0 + 0.5;
        for _ in 0..8 {
            root = (root + x / root) / 2.0;
        }
        let rest = root.mul_add(root, -x);
        root + rest.min(0.0) * 1e-3 + (x % 3.25).floor() + f64::from(i).sqrt()
    });
    let expected: Vec<f64> = expected.collect();
    for device in devices() {
        let input = device.upload(&x).unwrap();
        let mut y = device.zeros::<f64>(x.len()).unwrap();
        newton::launch(&device, x.len(), &input, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "on {}", device.name());
    }
}

#[kernel(workgroup_size(1), features(f64))]
fn remainders(x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] = x[0] % x[1 + i];
    }
}

#[test]
fn many_remainders_of_distant_numbers_end_on_every_device() {
    // Some devices end an invocation's loops after 65,535 rounds in all.
    let mut x = vec![f64::MAX];
    x.extend((1..600u64).map(|bits| f64::from_bits(2 * bits + 1)));
    let expected: Vec<f64> = x[1..].iter().map(|y| x[0] % y).collect();
    for device in devices() {
        let input = device.upload(&x).unwrap();
        let mut y = device.zeros::<f64>(expected.len()).unwrap();
        remainders::launch(&device, 1, &input, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), expected, "on {}", device.name());
    }
}
