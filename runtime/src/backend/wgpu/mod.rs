//! Devices of wgpu: Vulkan, DX12 and Metal.
//!
//! wgpu reports errors in three ways, and none of them may end the process:
//!
//! - through error scopes. Every creation and every submission runs in one; the recording of a
//!   launch does not.
//! - to the handler of errors that no scope caught.
//! - to the handler of a lost device.
//!
//! [`Faults`] keeps what the handlers receive. From then on it is the result of every operation
//! that waits or submits, since nobody knows which work caused it. A failure that is known to be
//! one batch's or one launch's goes to the memory that depends on it
//! ([`crate::backend::outcome`]).

mod adapters;
mod backend;
mod batch;
mod bytes;
mod cuts;
mod dispatch;
mod memory;
mod probe;

pub(super) use backend::find;
use dispatch::Pipeline;
use memory::Storage;

use super::outcome::Failures;
use crate::error::Error;
use adapters::{Adapter, Alone};
use batch::{Batch, Submitted};
use cuts::Cuts;
use memory::Groups;
use samebits_ir::caps::Capabilities;
use samebits_ir::ops::SUBGROUP_SIZE;
use samebits_ir::soft::plan::{Form, Group, Native};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wgpu::{ErrorFilter, Features};

/// A uniform block is a multiple of this many bytes.
const BLOCK: u64 = 16;

/// How long a wait may take, in milliseconds: longer than any work that ends.
const TIMEOUT: u64 = 600_000;

/// An open device of wgpu's.
#[derive(Debug)]
struct Wgpu {
    // Before the device, which is then the last to go.
    queue: wgpu::Queue,
    device: wgpu::Device,
    name: String,
    hardware: bool,
    limits: wgpu::Limits,
    /// The most bytes of immediate data; 0 if there is none.
    immediate_bytes: u32,
    /// Which of the device's own float operations kernels use.
    floats: Floats,
    /// Whether its subgroups are ours; see [`probe::subgroups`].
    subgroups: bool,
    /// Whether it takes SPIR-V as it is, and should for kernels with large arrays.
    own_spirv: bool,
    /// Whether it takes SPIR-V, in which a store to a lane leaves the others alone.
    lane_stores: bool,
    /// The optional features that the device has.
    capabilities: Capabilities,
    faults: Arc<Faults>,
    timeout: AtomicU64,
    batch: Mutex<Batch>,
    /// Held during a submission, which may take as long as the work before. A thread that holds
    /// the batch never takes it.
    submitted: Mutex<Submitted>,
    /// The last batch that was submitted.
    last_submitted: AtomicU64,
    failures: Failures,
    /// The kernel that moves bytes, once it was needed.
    mover: Mutex<Option<Arc<Pipeline>>>,
    groups: Arc<Groups>,
    /// Memory of the last read.
    staging: Mutex<Option<wgpu::Buffer>>,
    /// Where kernels report that the device ended their loops, if it is a device that does so.
    cuts: Option<Cuts>,
    /// Counts pipelines.
    pipelines: AtomicU64,
    /// Set when the device is closed; the last field, so that it goes after the others.
    closing: Option<Alone>,
}

/// Which of a device's own operations on `f32` give the right bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Floats {
    /// `+ - * /` and `sqrt`.
    exact: bool,
    /// `mul_add`.
    fused_mul_add: bool,
}

impl Floats {
    /// What such a device computes as the table of ops says.
    const fn native(self) -> Native {
        let native = if self.exact { Native::EXACT_F32 } else { Native::WEBGPU };
        native.with(
            Group::Fused32,
            match self {
                Self { fused_mul_add: false, .. } => Form::Routine,
                Self { exact: false, .. } => Form::Checked,
                Self { .. } => Form::Function,
            },
        )
    }
}

/// Errors that wgpu reported to a handler, and not as the result of a call.
#[derive(Default, Debug)]
struct Faults {
    /// Whether there is any; never reset.
    any: AtomicBool,
    lost: Mutex<Option<String>>,
    uncaptured: Mutex<Option<String>>,
}

impl Wgpu {
    /// Opens a device with all that its adapter allows.
    pub fn open(adapter: &Adapter) -> Result<Self, Error> {
        let name = adapter.name().to_owned();
        let refused = |reason: String| Error::DeviceRefused { device: name.clone(), reason };
        let wide = Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS;
        let mut features = adapter.raw().features() & (Features::IMMEDIATES | Features::SUBGROUP | wide);
        let info = adapter.raw().get_info();
        if info.backend == wgpu::Backend::Vulkan && cuts::expected(&name) {
            // Its compiler takes minutes for what naga makes of a large array.
            features |= adapter.raw().features() & Features::PASSTHROUGH_SHADERS;
        }
        if [info.subgroup_min_size, info.subgroup_max_size] != [SUBGROUP_SIZE; 2] {
            // They are of no use, since ours have one size.
            features.remove(Features::SUBGROUP);
        }
        // Floats of other widths, and their atomics, are the back end's own work.
        let mut capabilities = Capabilities::ALL;
        if !features.contains(wide) {
            capabilities = capabilities.without(Capabilities::ATOMIC64);
            features.remove(wide);
        }
        let mut limits = adapter.raw().limits();
        if !features.contains(Features::IMMEDIATES) {
            limits.max_immediate_size = 0;
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("samebits"),
            required_features: features,
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = {
            let _alone = adapters::alone();
            pollster::block_on(adapter.raw().request_device(&descriptor))
        };
        let (device, queue) = opened.map_err(|error| refused(error.to_string()))?;
        let faults = Arc::new(Faults::default());
        let sink = faults.clone();
        device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&sink, &sink.uncaptured, error.to_string())));
        let sink = faults.clone();
        device.set_device_lost_callback(move |reason, text| match reason {
            wgpu::DeviceLostReason::Destroyed => keep(&sink, &sink.lost, "it was destroyed".to_owned()),
            wgpu::DeviceLostReason::Unknown => keep(&sink, &sink.lost, text),
        });
        let mut opened = Self {
            device,
            queue,
            name: name.clone(),
            hardware: adapter.is_hardware(),
            immediate_bytes: limits.max_immediate_size,
            limits,
            floats: Floats::default(),
            subgroups: features.contains(Features::SUBGROUP),
            own_spirv: features.contains(Features::PASSTHROUGH_SHADERS),
            lane_stores: info.backend == wgpu::Backend::Vulkan,
            capabilities,
            faults,
            timeout: AtomicU64::new(TIMEOUT),
            batch: Mutex::default(),
            submitted: Mutex::default(),
            last_submitted: AtomicU64::new(0),
            failures: Failures::default(),
            mover: Mutex::default(),
            groups: Arc::default(),
            staging: Mutex::default(),
            cuts: None,
            pipelines: AtomicU64::new(0),
            closing: None,
        };
        if cuts::expected(&name) {
            opened.cuts = Some(Cuts::new(&opened)?);
        }
        opened.floats = probe::floats(&opened);
        // The probe runs with what it asks about.
        opened.subgroups = opened.subgroups && probe::subgroups(&opened);
        Ok(opened)
    }

    /// How long a wait may take.
    fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.load(Ordering::Relaxed))
    }

    /// Runs `f` and gives the first error that it caused.
    fn scoped<T>(&self, f: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let memory = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let validation = self.device.push_error_scope(ErrorFilter::Validation);
        let internal = self.device.push_error_scope(ErrorFilter::Internal);
        let result = f();
        let mut first = None;
        for scope in [internal, validation, memory] {
            first = pollster::block_on(scope.pop()).or(first);
        }
        first.map_or(Ok(result), Err)
    }

    /// The error for one of wgpu's.
    fn failed(&self, error: wgpu::Error, asked: Option<u64>) -> Error {
        match error {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { device: self.name.clone(), asked },
            wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => match self.check() {
                Err(lost @ Error::DeviceLost { .. }) => lost,
                Ok(()) | Err(_) => Error::Driver { device: self.name.clone(), reason: one_line(&error.to_string()) },
            },
        }
    }

    /// The error for a device that no longer answers.
    fn lost(&self, reason: &str) -> Error {
        match self.check() {
            Err(known) => known,
            Ok(()) => Error::DeviceLost { device: self.name.clone(), reason: one_line(reason) },
        }
    }

    /// [`check`](Self::check) for launches: cheap as long as there is no error.
    fn check_quickly(&self) -> Result<(), Error> {
        if self.faults.any.load(Ordering::Acquire) { self.check() } else { Ok(()) }
    }

    /// The error that the handlers received, if any.
    fn check(&self) -> Result<(), Error> {
        let device = || self.name.clone();
        if let Some(reason) = self.faults.lost.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(Error::DeviceLost { device: device(), reason: one_line(&reason) });
        }
        match self.faults.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            Some(reason) => Err(Error::Driver { device: device(), reason: one_line(&reason) }),
            None => Ok(()),
        }
    }
}

// wgpu's own types lack these traits because of the callbacks in them. A panic of the program
// leaves nothing half done here: no panic happens while a lock is held, and poison is ignored.
impl UnwindSafe for Wgpu {}
impl RefUnwindSafe for Wgpu {}
impl UnwindSafe for Storage {}
impl RefUnwindSafe for Storage {}
impl UnwindSafe for Pipeline {}
impl RefUnwindSafe for Pipeline {}

impl Drop for Wgpu {
    fn drop(&mut self) {
        // Nobody can see the result of work that was not submitted. A driver cannot be stopped,
        // so what it still works on is waited for. Errors no longer matter.
        *self.batch() = Batch::default();
        self.groups.clear();
        *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let _ = self.wait(None);
        self.closing = Some(adapters::alone());
    }
}

/// Keeps the first message.
fn keep(faults: &Faults, place: &Mutex<Option<String>>, message: String) {
    place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
    faults.any.store(true, Ordering::Release);
}

/// A driver's message as part of a line.
fn one_line(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
