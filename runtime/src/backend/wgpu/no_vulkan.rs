//! Stands for `vulkan.rs` on targets where wgpu looks for no Vulkan devices.

use super::reported::Reported;
use wgpu::{Device, DeviceDescriptor, Queue};

/// No device is one of Vulkan's.
pub(super) fn report(_: &wgpu::Adapter) -> Option<Reported> {
    None
}

/// Opens the device of an adapter.
pub(super) fn open(
    adapter: &wgpu::Adapter,
    _: Option<&Reported>,
    descriptor: &DeviceDescriptor<'_>,
) -> Result<(Device, Queue), String> {
    pollster::block_on(adapter.request_device(descriptor)).map_err(|error| error.to_string())
}
