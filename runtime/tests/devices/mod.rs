//! The devices that tests run on.

mod validation;

use samebits::prelude::*;

/// Every device of this machine, this CPU and the interpreter first. If there is no other, a line says so, or,
/// with `SAMEBITS_REQUIRE_GPU=1`, the test fails.
pub fn devices() -> Vec<Device> {
    validation::listen();
    let devices = Device::all();
    if devices.len() < 3 {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "a GPU device is required, and there is none");
        eprintln!("SKIPPED on GPU devices: there is none");
    }
    devices
}

/// The devices to whose driver work is submitted.
#[allow(dead_code, reason = "some tests run on all devices")]
pub fn drivers() -> impl Iterator<Item = Device> {
    devices().into_iter().filter(|device| {
        device.upload(&[1u32]).and_then(|buffer| buffer.read()).expect("a device that reads back");
        device.submissions() > 0
    })
}
