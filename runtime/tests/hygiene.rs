//! What surrounds a kernel does not matter: denied lints, no prelude, shadowed names, a
//! renamed crate.
#![deny(warnings, missing_docs)]
#![forbid(unsafe_code)]

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(32))]
fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[test]
fn a_kernel_of_this_module() {
    for device in devices() {
        let x = device.upload(&[1.0, 2.0, 3.0]).unwrap();
        let mut y = device.upload(&[10.0, 20.0, 30.0]).unwrap();
        saxpy::launch(&device, x.len(), 2.0, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [12.0, 24.0, 36.0]);
    }
}

#[test]
fn a_kernel_inside_a_function() {
    #[kernel(workgroup_size(8))]
    fn count(n: u32, out: &mut [u32]) {
        out[global_id().x] = n;
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(3).unwrap();
        count::launch(&device, 3, 7, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [7, 7, 7]);
    }
}

#[test]
fn parameters_named_like_the_launchers_own() {
    #[kernel(workgroup_size(1))]
    fn own(device: u32, grid: u32, out: &mut [u32]) {
        out[0] = device + grid;
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        own::launch(&device, 1, 1, 2, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [3]);
    }
}

#[test]
fn every_type_of_argument() {
    #[kernel(workgroup_size(1))]
    fn all(a: bool, b: u32, c: i32, d: usize, e: u64, f: Vec2<u32>, out: &mut [u32]) {
        if a {
            out[0] = b;
            out[1] = c as u32;
            out[2] = d as u32;
            out[3] = e as u32;
            out[4] = f.x;
            out[5] = f.y;
        }
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(6).unwrap();
        all::launch(&device, 1, true, 1, -1, 3, (9 << 32) + 4, Vec2::new(5, 6), &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [1, u32::MAX, 3, 4, 5, 6]);
        let error = all::launch(&device, 1, true, 1, -1, 1 << 32, 4, Vec2::new(5, 6), &mut out).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `all`, argument `d`: 4294967296 was passed, but a `usize` is at most 4294967295 on a device"
        );
    }
}

#[test]
fn the_kernel_constant_has_the_name_and_the_image() {
    assert_eq!(saxpy::KERNEL.name(), "saxpy");
    assert!(!saxpy::KERNEL.image().is_empty());
}

/// No name of the standard prelude is in scope.
mod bare {
    #![no_implicit_prelude]

    #[::samebits::kernel(workgroup_size(4))]
    pub(super) fn double(x: &mut [f32]) {
        let i = global_id().x;
        x[i] = x[i] * 2.0;
    }
}

/// Every name that the launcher could mean is something else.
mod shadowed {
    #![allow(non_camel_case_types, dead_code, clippy::upper_case_acronyms)]
    struct u32;
    struct Option;
    struct Result;
    struct Into;
    struct Buffer;
    struct Device;
    struct Error;
    struct Grid;
    struct Kernel;
    mod core {}
    mod std {}
    mod samebits {}

    #[::samebits::kernel(workgroup_size(4))]
    pub(super) fn double(x: &mut [u32], n: u32) {
        let i = global_id().x;
        x[i] = x[i] * n;
    }
}

#[test]
fn constants_named_like_the_launchers_own() {
    const VALUE: u32 = 7;
    const KERNEL: u32 = 30;
    #[kernel(workgroup_size(1))]
    fn sum(out: &mut [u32]) {
        out[0] = VALUE + KERNEL;
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(1).unwrap();
        sum::launch(&device, 1, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [37]);
    }
}

#[test]
fn no_prelude_and_shadowed_names() {
    for device in devices() {
        let mut x = device.upload(&[1.5f32]).unwrap();
        bare::double::launch(&device, 1, &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [3.0]);
        let mut x = device.upload(&[4u32]).unwrap();
        shadowed::double::launch(&device, 1, &mut x, 2).unwrap();
        assert_eq!(x.read().unwrap(), [8]);
    }
}

mod renamed {
    pub(super) extern crate samebits as sb;

    #[sb::kernel(crate = sb, workgroup_size(1))]
    pub(super) fn one(x: &mut [u32]) {
        x[0] = 1;
    }
}

#[test]
fn a_renamed_crate() {
    for device in devices() {
        let mut x = device.zeros::<u32>(1).unwrap();
        renamed::one::launch(&device, Grid::groups(1, 1, 1), &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [1]);
    }
}

/// A kernel that only its module sees, documented, with lints of its own.
mod private {
    use samebits::prelude::*;

    pub(in crate::private) mod inner {
        use super::*;

        /// Adds one.
        #[allow(unused_variables)]
        #[kernel(workgroup_size(4))]
        pub(in crate::private) fn add(unused: u32, x: &mut [u32]) {
            #[allow(unused_mut)]
            let mut one = 1;
            x[global_id().x] += one;
        }
    }

    /// Queues the kernel.
    pub(super) fn go(device: &Device, x: &mut Buffer<u32>) -> Result<(), Error> {
        inner::add::launch(device, x.len(), 0, x)
    }
}

#[test]
fn a_kernel_that_only_its_module_sees() {
    for device in devices() {
        let mut x = device.upload(&[1u32, 2]).unwrap();
        private::go(&device, &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [2, 3]);
    }
}

/// A macro that makes a documented, public kernel in whatever module calls it.
macro_rules! scale {
    ($(#[$attr:meta])* $vis:vis $name:ident, $ty:ty, $by:expr, $size:literal) => {
        $(#[$attr])*
        #[::samebits::kernel(workgroup_size($size))]
        $vis fn $name(x: &mut [$ty]) {
            let i = global_id().x;
            x[i] = x[i] * $by;
        }
    };
}

/// Where macros put kernels; no name of the prelude is in scope.
pub mod made {
    #![no_implicit_prelude]
    scale!(
        /// Times three.
        pub triple, f32, 1.0 + 2.0, 4
    );
    scale!(pub(super) negate, i32, -1, 8);
}

#[test]
fn kernels_that_macros_make() {
    for device in devices() {
        let mut x = device.upload(&[1.5f32]).unwrap();
        made::triple::launch(&device, 1, &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [4.5]);
        let mut x = device.upload(&[4]).unwrap();
        made::negate::launch(&device, 1, &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [-4]);
    }
}

#[test]
fn a_kernel_that_is_configured_away_is_not_looked_at() {
    #[cfg(any())]
    #[kernel]
    fn gone(x: Nope) {
        no_such_function();
    }
    #[cfg(not(any()))]
    #[kernel(workgroup_size(1))]
    fn gone(x: &mut [u32]) {
        x[0] = 1;
    }
    for device in devices() {
        let mut x = device.zeros::<u32>(1).unwrap();
        gone::launch(&device, 1, &mut x).unwrap();
        assert_eq!(x.read().unwrap(), [1]);
    }
}

/// Helpers that are called alike, with constants that are called alike.
mod alike {
    pub mod one {
        use samebits::prelude::*;

        const LIMIT: u32 = 3;

        #[device]
        pub fn limited(x: u32) -> u32 {
            x.min(LIMIT)
        }
    }

    pub mod two {
        use samebits::prelude::*;

        const LIMIT: u32 = 5;

        #[device]
        pub fn limited(x: u32) -> u32 {
            x.min(LIMIT)
        }
    }
}

#[test]
fn constants_called_alike_in_helpers_called_alike() {
    const LIMIT: u32 = 7;

    #[kernel(workgroup_size(1))]
    fn limits(x: u32, out: &mut [u32]) {
        out[0] = alike::one::limited(x);
        out[1] = alike::two::limited(x);
        out[2] = x.min(LIMIT);
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(3).unwrap();
        limits::launch(&device, 1, 9, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [3, 5, 7]);
    }
}
