//! The devices that wgpu finds on this machine, hardware first.

use crate::backend::CAN_WAIT;
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use wgpu::{Backend, Backends, DeviceType, DownlevelFlags, Instance, InstanceDescriptor, InstanceFlags};

/// A device of wgpu's, open or not.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    adapter: wgpu::Adapter,
    name: String,
    kind: DeviceType,
}

/// The adapters that can compute, in order of preference, as they are at the moment.
/// On the web they can only be asked for, in [`web`](super::web).
pub(super) fn adapters() -> Vec<Adapter> {
    if !CAN_WAIT {
        return Vec::new();
    }
    let _alone = alone();
    let found = pollster::block_on(instance().enumerate_adapters(backends()));
    let mut adapters: Vec<_> =
        found.into_iter().map(Adapter::new).filter(|adapter| adapter.unfit().is_none()).collect();
    adapters.sort_by_key(|adapter| rank(adapter.kind));
    adapters
}

impl Adapter {
    /// A device that wgpu has found.
    pub fn new(adapter: wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        // Browsers seldom tell a name.
        let name = if info.name.is_empty() { info.backend.to_string() } else { info.name };
        // Nor what a GPU is; what is none is told.
        let is_web = info.backend == Backend::BrowserWebGpu && info.device_type == DeviceType::Other;
        let kind = if is_web { DeviceType::VirtualGpu } else { info.device_type };
        Self { adapter, name, kind }
    }

    /// Why the runtime has no use for it, if so.
    pub fn unfit(&self) -> Option<String> {
        let backend = self.adapter.get_info().backend;
        if !backends().contains(Backends::from(backend)) {
            return Some(format!("kernels run through Vulkan, DX12 and Metal, but it is one of {backend}"));
        }
        let computes = self.adapter.get_downlevel_capabilities().flags.contains(DownlevelFlags::COMPUTE_SHADERS);
        (!computes).then(|| "it has no compute shaders".to_owned())
    }

    /// The driver's name for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is a GPU and not software.
    pub fn is_hardware(&self) -> bool {
        match self.kind {
            DeviceType::DiscreteGpu | DeviceType::IntegratedGpu | DeviceType::VirtualGpu => true,
            DeviceType::Other | DeviceType::Cpu => false,
        }
    }

    /// wgpu's own handle.
    pub fn raw(&self) -> &wgpu::Adapter {
        &self.adapter
    }
}

/// While this lives, no other thread looks for, opens or closes a device: NVIDIA's driver (580)
/// hangs if many threads do so at once. Unlike the guard of a mutex it may be dropped in
/// another thread, so that a device can own it.
#[derive(Debug)]
pub(super) struct Alone(());

/// Whether there is an [`Alone`], and the threads that wait for its end.
static TAKEN: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Waits until there is no other [`Alone`].
pub(super) fn alone() -> Alone {
    let (taken, freed) = &TAKEN;
    let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
    *freed.wait_while(taken, |taken| *taken).unwrap_or_else(PoisonError::into_inner) = true;
    Alone(())
}

impl Drop for Alone {
    fn drop(&mut self) {
        let (taken, freed) = &TAKEN;
        *taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        freed.notify_one();
    }
}

fn rank(kind: DeviceType) -> u8 {
    match kind {
        DeviceType::DiscreteGpu => 0,
        DeviceType::IntegratedGpu => 1,
        DeviceType::VirtualGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    }
}

fn backends() -> Backends {
    if CAN_WAIT { Backends::VULKAN | Backends::DX12 | Backends::METAL } else { Backends::BROWSER_WEBGPU }
}

/// The environment variable that switches the driver's validation on, for tests.
const VALIDATION: &str = "SAMEBITS_VALIDATION";

/// Validation if it is asked for. wgpu hands its messages to the `log` facade, where the
/// program's logger, if there is one, receives them.
fn flags() -> InstanceFlags {
    if std::env::var_os(VALIDATION).is_some_and(|value| value == "1") {
        InstanceFlags::VALIDATION | InstanceFlags::DEBUG
    } else {
        InstanceFlags::empty()
    }
}

/// The process's one instance. It lives as long as the process, since not every driver survives
/// being unloaded.
pub(super) fn instance() -> &'static Instance {
    static INSTANCE: OnceLock<Instance> = OnceLock::new();
    INSTANCE.get_or_init(|| {
        let descriptor = InstanceDescriptor {
            backends: backends(),
            flags: flags(),
            ..InstanceDescriptor::new_without_display_handle()
        };
        Instance::new(descriptor)
    })
}
