//! A kernel that needs what a device lacks: refused before anything is queued, and its
//! neighbours in the queue are unharmed.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(1))]
fn ones(y: &mut [i32]) {
    y[global_id().x] = 111;
}

#[kernel(workgroup_size(1))]
fn wide(y: &mut [f64]) {
    let i = global_id().x;
    y[i] = y[i] * 2.0 + 0.5;
}

#[kernel(workgroup_size(1))]
fn twos(y: &mut [i32]) {
    y[global_id().x] = 222;
}

#[test]
fn a_kernel_that_needs_a_missing_feature_leaves_its_neighbours_alone() {
    for device in devices() {
        let mut a = device.upload(&[-1i32]).unwrap();
        let mut b = device.upload(&[-1.0f64]).unwrap();
        let mut c = device.upload(&[-1i32]).unwrap();
        ones::launch(&device, 1, &mut a).unwrap();
        let refused = wide::launch(&device, 1, &mut b);
        twos::launch(&device, 1, &mut c).unwrap();
        if device.name() != "interpreter" {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains("wide") && text.contains("f64"), "{text}");
            assert_eq!(b.read().unwrap(), [-1.0]);
        } else {
            refused.unwrap();
            assert_eq!(b.read().unwrap(), [-1.5]);
        }
        assert_eq!((a.read().unwrap(), c.read().unwrap()), (vec![111], vec![222]), "on {}", device.name());
    }
}
