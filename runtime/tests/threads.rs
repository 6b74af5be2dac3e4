//! What handles may do: be shared by threads, and be used by who has caught a panic.

use samebits::prelude::*;
use samebits::{__private::Kernel, View, ViewMut};
use std::panic::{RefUnwindSafe, UnwindSafe, catch_unwind};

const fn shared<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}

const _: () = {
    shared::<Device>();
    shared::<Buffer<f32>>();
    shared::<View<'static, u8>>();
    shared::<Kernel>();
    shared::<Error>();
    shared::<Grid>();
};

// A mutable view is to panics what a mutable reference is.
const fn lent<T: Send + Sync + RefUnwindSafe>() {}
const _: () = lent::<ViewMut<'static, Vec3<f32>>>();

#[test]
fn a_device_works_on_after_a_panic() {
    let device = Device::interpreter();
    let buffer = device.upload(&[1u32, 2]).unwrap();
    let caught = catch_unwind(|| {
        assert_eq!(buffer.read().unwrap(), [1, 2]);
        device.zeros::<u32>(1).unwrap();
        panic!("on purpose");
    });
    assert!(caught.is_err());
    assert_eq!(buffer.read().unwrap(), [1, 2]);
}
