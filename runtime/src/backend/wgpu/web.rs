//! A browser's WebGPU: how its device is found and opened without waiting.
//!
//! Kernels reach it as WGSL, which is all that a browser takes.

use super::adapters::{Adapter, instance};
use super::open::{Given, descriptor, listen, usable};
use super::settings::Settings;
use super::{Faults, Wgpu};
use crate::backend::{AnyDevice, Opened};
use crate::error::Error;
use samebits_ir::caps::Capabilities;
use std::sync::Arc;
use wgpu::{Features, PowerPreference, RequestAdapterOptions};

/// Opens the browser's best device; `None` if it has no WebGPU, or no device for it.
pub(crate) async fn open() -> Option<Result<Arc<dyn AnyDevice>, Error>> {
    // Outside of pages and workers there is no instance.
    if !wgpu::util::is_browser_webgpu_supported().await {
        return None;
    }
    let power_preference = PowerPreference::HighPerformance;
    let options = RequestAdapterOptions { power_preference, ..RequestAdapterOptions::default() };
    let adapter = instance().request_adapter(&options).await.ok()?;
    Some(Wgpu::asked_for(&Adapter::new(adapter)).await.map(Opened::device))
}

impl Wgpu {
    /// The device of an adapter. It is opened without features: subgroups are not ours in every browser, the clock's
    /// times would have to be waited for, and WebGPU has no other that kernels use.
    async fn asked_for(adapter: &Adapter) -> Result<Self, Error> {
        let settings = Settings::read()?;
        let refused = |reason: String| Error::DeviceRefused { device: adapter.name().to_owned(), reason };
        if let Some(reason) = adapter.unfit() {
            return Err(refused(reason));
        }
        let (features, capabilities) = usable(adapter.raw(), Features::empty());
        let descriptor = descriptor(adapter.raw(), features);
        let limits = descriptor.required_limits.clone();
        let opened = adapter.raw().request_device(&descriptor).await;
        let (device, queue) = opened.map_err(|error| refused(error.to_string()))?;
        let faults = Arc::new(Faults::default());
        listen(&device, &faults);
        let capabilities = capabilities.without(Capabilities::ATOMIC_ORDERS);
        let (name, is_foreign, reported) = (adapter.name().to_owned(), false, None);
        let given = Given { device, queue, features, limits, reported, capabilities, faults, name, is_foreign };
        Self::of(adapter, given, settings)
    }
}
