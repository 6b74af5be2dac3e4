//! The devices that tests run on.

mod validation;

use samebits::prelude::*;

/// The interpreter, and what wgpu offers. Without that a line says so, or, with
/// `SAMEBITS_REQUIRE_GPU=1`, the test fails.
pub fn devices() -> Vec<Device> {
    validation::listen();
    let mut devices = vec![Device::interpreter()];
    match Device::named("wgpu") {
        Ok(device) => devices.push(device),
        Err(error) => {
            let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!required, "a GPU device is required: {error}");
            eprintln!("SKIPPED on GPU devices: {error}");
        }
    }
    devices
}
