//! Launchers that are emitted before their kernels: kernels that are linked later, and kernels
//! that never are.
//!
//! The types are written as the macro writes them.

mod devices;

use devices::devices;
use samebits::__private::{Arg, Kernel};
use samebits::{Readable, Writable, prelude::*};

macro_rules! launcher {
    ($name:ident) => {
        #[expect(non_camel_case_types, reason = "a kernel is a type of the function's name")]
        enum $name {}

        impl $name {
            fn launch(
                device: &Device,
                grid: impl Into<Grid>,
                x: &impl Readable<f32>,
                y: &mut impl Writable<f32>,
                a: f32,
            ) -> Result<(), Error> {
                #[allow(unused_imports, reason = "only an unlinked kernel needs it")]
                use ::samebits::__private::Unlinked as _;
                let args = &[Readable::<f32>::argument(x), Writable::<f32>::argument_mut(y), Arg::scalar(a)];
                Self::KERNEL.launch_linked(device, grid, args, &Self::__samebits_constants())
            }
        }
    };
}

launcher!(axpy);
launcher!(never);

/// What constants of [`axpy`] are.
const OFFSET: [f32; 2] = [3.0, 5.0];

/// Its code: the constants are the last two parameters.
#[kernel(workgroup_size(64))]
fn code(x: &[f32], y: &mut [f32], a: f32, offset: f32, scale: f32) {
    let i = global_id().x;
    y[i] = a * x[i] + offset * scale;
}

/// What follows the launcher, somewhere else.
mod later {
    use super::*;

    impl axpy {
        pub const KERNEL: &'static Kernel = code::KERNEL;

        pub fn __samebits_constants() -> [Arg<'static>; 2] {
            OFFSET.map(Arg::scalar)
        }
    }
}

#[test]
fn constants_follow_the_arguments() {
    for device in devices() {
        let x = device.upload(&[1.0f32, 2.0]).unwrap();
        let mut y = device.zeros::<f32>(2).unwrap();
        let args = [Arg::buffer(&x), Arg::buffer_mut(&mut y), Arg::scalar(2.0f32)];
        code::KERNEL.launch_linked(&device, 2, &args, &[Arg::scalar(OFFSET)]).unwrap();
        assert_eq!(y.read().unwrap(), [17.0, 19.0], "{}", device.name());
    }
}

#[test]
fn a_missing_constant_is_counted_among_the_arguments() {
    let device = Device::interpreter();
    let x = device.zeros::<f32>(1).unwrap();
    let mut y = device.zeros::<f32>(1).unwrap();
    let args = [Arg::buffer(&x), Arg::buffer_mut(&mut y), Arg::scalar(2.0f32)];
    let error = code::KERNEL.launch_linked(&device, 1, &args, &[Arg::scalar(OFFSET[0])]).unwrap_err();
    assert_eq!(error.to_string(), "kernel `code` takes 5 arguments, but 4 were passed");
}

#[test]
fn a_launcher_has_the_kernel_that_is_linked_later() {
    for device in devices() {
        let x = device.upload(&[1.0f32, 2.0]).unwrap();
        let mut y = device.zeros::<f32>(2).unwrap();
        axpy::launch(&device, 2, &x, &mut y, 3.0).unwrap();
        assert_eq!(y.read().unwrap(), [18.0, 21.0], "{}", device.name());
    }
}

#[test]
fn a_launcher_whose_kernel_was_never_linked_says_so() {
    for device in devices() {
        let x = device.upload(&[1.0f32]).unwrap();
        let mut y = device.upload(&[7.0f32]).unwrap();
        let error = never::launch(&device, 1, &x, &mut y, 3.0).unwrap_err();
        assert!(matches!(&error, Error::Image { reason, .. } if reason.starts_with("it was not linked")), "{error}");
        assert_eq!(y.read().unwrap(), [7.0], "{}", device.name());
    }
}
