//! Launches that are compared with this CPU. One test, since it sets the environment.

mod devices;

use devices::devices;
use samebits::__private::ir::wire;
use samebits::__private::native::{self, Code, Endless, Native, Span};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn triple(n: u32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[i] * 3.0 + n as f32;
    }
}

/// Which of the numbers comes first depends on the schedule.
#[kernel(workgroup_size(64))]
fn tickets(next: &[Atomic<u32>], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = next[0].fetch_add(1);
    }
}

#[kernel(workgroup_size(1))]
fn one(n: u32, y: &mut [u32]) {
    y[1] = n;
}

/// Code for `one` that is wrong.
unsafe fn wrong(launch: &native::Launch<'_>, _span: Span) -> Result<(), Endless> {
    // SAFETY: the buffer is the kernel's, and has two elements.
    unsafe { native::store(launch.written(0), 4, 0xabcu32) };
    Ok(())
}

const CODE: Code = Code { baseline: wrong, avx2: Some(wrong), avx512: Some(wrong) };
static WRONG: Native = Native { bare: CODE, guarded: CODE, weight: 1, together: 1, image: &[] };

#[test]
fn a_launch_with_other_bytes_is_an_error_that_names_them() {
    // SAFETY: the test is the only one of its process, and no other thread reads the environment.
    unsafe { std::env::set_var("SAMEBITS_VERIFY", "1") };
    let xs: Vec<f32> = (0..1000).map(|i| i as f32 * 0.37).collect();
    let expected: Vec<f32> = xs.iter().map(|x| x * 3.0 + 2.0).collect();
    for device in devices() {
        let (x, mut y) = (device.upload(&xs).unwrap(), device.zeros::<f32>(1002).unwrap());
        triple::launch(&device, 1000, 2, &x, &mut y.slice_mut(1..1001).unwrap()).unwrap();
        assert_eq!(y.read_range(1..1001).unwrap(), expected, "on {}", device.name());
        let (mut next, mut y) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(256).unwrap());
        tickets::launch(&device, 256, &mut next, &mut y).unwrap();
        assert_eq!(next.read().unwrap(), [256]);
    }

    let image = one::KERNEL.image();
    let locations = wire::encode_locations(&wire::decode(image).unwrap(), &[] as &[wire::Site<&str>], |_| None);
    let kernel = Kernel::from_image("one", image).as_written(image, locations.leak()).native(Ok(&WRONG));
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(2).unwrap();
    let launched = kernel.launch(&device, 1, &[Arg::scalar(5u32), Arg::buffer_mut(&mut y)]);
    assert_eq!(
        launched.unwrap_err().to_string(),
        "kernel `one`: on `cpu` `y[1]` is 0x00000abc, but 0x00000005 on `interpreter`; please report this"
    );
    // The buffer keeps what the device has computed.
    assert_eq!(y.read().unwrap(), [0, 0xabc]);
}
