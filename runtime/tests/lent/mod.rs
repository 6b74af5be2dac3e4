//! Devices that a test opens by wgpu alone.

use samebits::prelude::*;
use samebits::{interop, wgpu};
use std::sync::OnceLock;

/// A device that the program has opened.
pub struct Lent {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Lent {
    /// The runtime's part of it.
    pub fn ours(&self) -> Device {
        Device::from_wgpu(self.adapter.clone(), self.device.clone(), self.queue.clone()).unwrap()
    }
}

/// The devices of this machine, with what `choose` leaves of the features to ask for. Without features, the limits
/// are those that every device has.
pub fn lent(choose: impl Fn(wgpu::Features) -> wgpu::Features) -> Vec<Lent> {
    // Validation listens from now on, and a test that needs a GPU says so.
    let gpus = crate::devices::devices().len() - 2;
    let backends = wgpu::Backends::VULKAN | wgpu::Backends::DX12 | wgpu::Backends::METAL;
    let adapters = pollster::block_on(instance().enumerate_adapters(backends));
    assert!(adapters.len() >= gpus);
    let open = |adapter: wgpu::Adapter| {
        let mut descriptor = interop::descriptor(&adapter);
        descriptor.required_features = choose(descriptor.required_features);
        if descriptor.required_features.is_empty() {
            descriptor.required_limits = wgpu::Limits::default();
        }
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
        Lent { adapter, device, queue }
    };
    adapters.into_iter().map(open).collect()
}

/// One for all tests, as a program has.
fn instance() -> &'static wgpu::Instance {
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let is_validated = std::env::var_os("SAMEBITS_VALIDATION").is_some_and(|value| value == "1");
        let flags = wgpu::InstanceFlags::VALIDATION | wgpu::InstanceFlags::DEBUG;
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: if is_validated { flags } else { wgpu::InstanceFlags::empty() },
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    })
}
