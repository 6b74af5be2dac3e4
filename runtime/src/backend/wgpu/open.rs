//! How a device is opened: with all that its adapter allows, and with what its probes find.

use super::adapters::{self, Adapter};
use super::batch::Batch;
use super::clock::CLOCK;
use super::movers::Movers;
use super::reported::Reported;
use super::settings::{Settings, Shaders};
use super::writes::Slots;
use super::{Cuts, Faults, LARGE, TIMEOUT, Wgpu, cuts, keep, one_line, probe, vulkan};
use crate::backend::CAN_WAIT;
use crate::backend::outcome::Failures;
use crate::error::Error;
use samebits_ir::backend::spirv::Target;
use samebits_ir::caps::Capabilities;
use samebits_ir::ops::SUBGROUP_SIZE;
use samebits_ir::soft::plan::Native;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use wgpu::{Device, DeviceDescriptor, Features};

/// wgpu's features for atomics of 64 bits.
const WIDE: Features = Features::SHADER_INT64.union(Features::SHADER_INT64_ATOMIC_ALL_OPS);

/// wgpu's features for what kernels use that are SPIR-V.
const SPIRV: Features = Features::SHADER_I16
    .union(Features::SHADER_F16)
    .union(Features::SHADER_F64)
    .union(Features::PASSTHROUGH_SHADERS)
    .union(Features::PIPELINE_CACHE);

/// An open device, and what is known of it before it is probed.
pub(super) struct Given {
    pub device: Device,
    pub queue: wgpu::Queue,
    /// The features that are switched on.
    pub features: Features,
    pub limits: wgpu::Limits,
    /// What is switched on of what the device reports; `None` if kernels reach it by naga.
    pub reported: Option<Reported>,
    pub capabilities: Capabilities,
    pub faults: Arc<Faults>,
    pub name: String,
    /// Whether somebody else has opened it.
    pub is_foreign: bool,
}

impl Wgpu {
    /// Opens the device of an adapter. `shaders` says how kernels reach it, if that is not left
    /// to us and to the environment.
    ///
    /// # Errors
    ///
    /// What the driver says, or that the environment asks for what does not exist.
    pub fn open(adapter: &Adapter, shaders: Option<Shaders>) -> Result<Self, Error> {
        let settings = Settings::read()?;
        let refused = |reason: String| Error::DeviceRefused { device: adapter.name().to_owned(), reason };
        let wanted = shaders.or(settings.shaders);
        let reported = match wanted {
            Some(Shaders::Naga) => None,
            Some(Shaders::Spirv) | None => vulkan::report(adapter.raw()),
        };
        if wanted == Some(Shaders::Spirv) && reported.is_none() {
            return Err(refused("it takes no SPIR-V of Vulkan 1.2, which `SAMEBITS_SHADERS` asks for".to_owned()));
        }
        let (features, capabilities) = features(adapter.raw(), reported.as_ref());
        let descriptor = descriptor(adapter.raw(), features);
        let limits = descriptor.required_limits.clone();
        let (device, queue) = {
            let _alone = adapters::alone();
            vulkan::open(adapter.raw(), reported.as_ref(), &descriptor).map_err(refused)?
        };
        let faults = Arc::new(Faults::default());
        listen(&device, &faults);
        let name = match shaders {
            Some(Shaders::Naga) => format!("{} by naga", adapter.name()),
            Some(Shaders::Spirv) | None => adapter.name().to_owned(),
        };
        let is_foreign = false;
        let given = Given { device, queue, features, limits, reported, capabilities, faults, name, is_foreign };
        Self::of(adapter, given, settings)
    }

    /// The runtime's part of a device that is open: what its probes find, and nothing queued.
    pub(super) fn of(adapter: &Adapter, given: Given, settings: Settings) -> Result<Self, Error> {
        let Given { device, queue, features, limits, reported, capabilities, faults, name, is_foreign } = given;
        let is_vulkan = adapter.raw().get_info().backend == wgpu::Backend::Vulkan;
        let mut opened = Self {
            device,
            queue,
            adapter: adapter.clone(),
            name,
            is_foreign,
            immediate_bytes: limits.max_immediate_size,
            limits,
            native: Native::SOFTWARE,
            subgroups: features.contains(Features::SUBGROUP),
            spirv: reported.as_ref().map(target),
            reported,
            lane_stores: is_vulkan,
            capabilities,
            faults,
            timeout: AtomicU64::new(TIMEOUT),
            large: AtomicU64::new(if adapter.is_hardware() { LARGE } else { u64::MAX }),
            batch: Mutex::new(Batch::of_device(is_foreign)),
            submitted: Mutex::default(),
            last_submitted: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            failures: Failures::default(),
            movers: Movers::default(),
            groups: Arc::default(),
            pool: Arc::default(),
            slots: Slots::default(),
            staging: Mutex::default(),
            cuts: None,
            pipelines: AtomicU64::new(0),
            closing: None,
        };
        if is_vulkan && cuts::expected(adapter.name()) {
            opened.cuts = Some(Cuts::new(&opened)?);
        }
        if !settings.software_floats {
            // Nobody waits for a probe on the web; there it is the forms that are right in every browser.
            opened.native = if CAN_WAIT { probe::native(&opened) } else { Native::WEBGPU };
        }
        // The probe runs with what it asks about.
        opened.subgroups = opened.subgroups && probe::subgroups(&opened);
        Ok(opened)
    }
}

/// How an adapter is asked for a device: with these features, and with all its limits.
pub(super) fn descriptor(adapter: &wgpu::Adapter, features: Features) -> DeviceDescriptor<'static> {
    let mut limits = adapter.limits();
    if !features.contains(Features::IMMEDIATES) {
        limits.max_immediate_size = 0;
    }
    let label = Some("samebits");
    DeviceDescriptor { label, required_features: features, required_limits: limits, ..DeviceDescriptor::default() }
}

/// The features of wgpu's to open a device with, and the optional features that kernels then have.
fn features(adapter: &wgpu::Adapter, spirv: Option<&Reported>) -> (Features, Capabilities) {
    let wanted = wanted(adapter, spirv.is_some());
    let (features, mut capabilities) = usable(adapter, wanted);
    if !spirv.is_some_and(|reported| reported.memory_model) {
        capabilities = capabilities.without(Capabilities::ATOMIC_ORDERS);
    }
    (features, capabilities)
}

/// The features of an adapter that kernels can make use of, with or without SPIR-V.
pub(super) fn wanted(adapter: &wgpu::Adapter, spirv: bool) -> Features {
    let wanted = Features::IMMEDIATES | Features::SUBGROUP | WIDE | CLOCK;
    adapter.features() & if spirv { wanted | SPIRV } else { wanted }
}

/// Of features that a device has those that are of use, and the optional features that kernels then have. Whether
/// those have orders of atomics is another question.
pub(super) fn usable(adapter: &wgpu::Adapter, mut features: Features) -> (Features, Capabilities) {
    let info = adapter.get_info();
    if [info.subgroup_min_size, info.subgroup_max_size] != [SUBGROUP_SIZE; 2] {
        // They are of no use, since ours have one size.
        features.remove(Features::SUBGROUP);
    }
    // Floats of other widths, and their atomics, are the back end's own work. Nothing that a driver is told
    // here makes all accesses have one order.
    let mut capabilities = Capabilities::ALL.without(Capabilities::SEQ_CST);
    if !features.contains(WIDE) {
        capabilities = capabilities.without(Capabilities::ATOMIC64);
        features.remove(Features::SHADER_INT64_ATOMIC_ALL_OPS);
    }
    (features, capabilities)
}

/// What modules for a device may use, before anything is known of its arithmetic. What is the
/// launch's and the kernel's is filled in for each kernel.
fn target(reported: &Reported) -> Target {
    Target {
        native: Native::SOFTWARE,
        round_to_nearest: reported.rounding,
        keep_subnormals: reported.subnormals,
        bytes: reported.storage8,
        halves: reported.storage16,
        memory_model: reported.memory_model,
        subgroups: false,
        immediates: false,
        table_buffer: false,
        report_cut_loops: None,
        large: false,
        launch_conditions: 0,
    }
}

impl Wgpu {
    /// What tells the device, its driver and how kernels reach it from others; `None` if that is
    /// not known well enough.
    pub(super) fn identity(&self) -> Option<String> {
        let info = self.adapter.raw().get_info();
        let wgpu::AdapterInfo { name, vendor, device, driver, driver_info, backend, .. } = info;
        if driver.is_empty() || driver_info.is_empty() {
            return None;
        }
        let way = match &self.reported {
            Some(Reported { api: [major, minor], version, build, .. }) => {
                format!("SPIR-V {major}.{minor} {version:x} {:032x}", u128::from_le_bytes(*build))
            }
            None => "naga".to_owned(),
        };
        // What software computes depends on what runs it.
        let host = if self.adapter.is_hardware() { "" } else { host() };
        let version = env!("CARGO_PKG_VERSION");
        // A device that is lent has some features, and others are opened with all that we use.
        let lent = if self.is_foreign { format!("lent {:?}", self.device.features()) } else { String::new() };
        Some(one_line(&format!(
            "{version} {lent} {name} {vendor:x} {device:x} {backend} {driver} {driver_info} {way} {host}"
        )))
    }
}

/// Which instructions for floats this machine has, as far as there are machines without.
fn host() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        let has =
            (is_x86_feature_detected!("fma"), is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f"));
        match has {
            (true, _, true) => "fma avx512",
            (true, true, false) => "fma avx2",
            (true, false, false) => "fma",
            (false, ..) => "no fma",
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::env::consts::ARCH
}

/// Keeps the errors that no call returns.
pub(super) fn listen(device: &Device, faults: &Arc<Faults>) {
    let sink = faults.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&sink, &sink.uncaptured, error.to_string())));
    let sink = faults.clone();
    device.set_device_lost_callback(move |reason, text| match reason {
        wgpu::DeviceLostReason::Destroyed => keep(&sink, &sink.lost, "it was destroyed".to_owned()),
        wgpu::DeviceLostReason::Unknown => keep(&sink, &sink.lost, text),
    });
}
