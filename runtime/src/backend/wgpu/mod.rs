//! Devices of wgpu: Vulkan, DX12, Metal, and on the web WebGPU.
//!
//! wgpu reports errors in three ways, and none of them may end the process:
//!
//! - through error scopes. Every creation and every submission runs in one; the recording of a
//!   launch does not.
//! - to the handler of errors that no scope caught.
//! - to the handler of a lost device.
//!
//! A device that a program lends ([`foreign`]) keeps the handlers that it has. There every call that can fail runs in
//! an error scope, recording only excepted, whose errors come when a batch ends; and whether the device is lost is
//! asked after each wait.
//!
//! A page of the web cannot wait for what a scope has caught. There nothing runs in one, and all errors go to the handlers.
//! A browser says of an error before it says that the work is done in which it happened.
//!
//! [`Faults`] keeps what the handlers receive. From then on it is the result of every operation
//! that waits or submits, since nobody knows which work caused it. A failure that is known to be
//! one batch's or one launch's goes to the memory that depends on it
//! ([`crate::backend::outcome`]).

mod adapters;
mod backend;
mod batch;
mod blocks;
mod bytes;
mod clock;
mod cuts;
mod dispatch;
pub(crate) mod foreign;
mod kept;
mod memory;
mod movers;
mod open;
mod pipeline;
mod plan;
mod pool;
mod probe;
mod reads;
pub(crate) mod recording;
mod reported;
mod settings;
#[cfg(target_family = "wasm")]
pub(crate) mod web;
mod writes;
// Where wgpu looks for Vulkan devices, and where not.
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod vulkan;
#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
#[path = "no_vulkan.rs"]
mod vulkan;

pub(super) use backend::find;
use memory::Storage;
use pipeline::Pipeline;

use super::CAN_WAIT;
use super::outcome::Failures;
use crate::error::Error;
use adapters::{Adapter, Alone};
use batch::{Batch, Submitted};
use cuts::Cuts;
use memory::Groups;
use movers::Movers;
use pool::Pool;
use reported::Reported;
use samebits_ir::backend::spirv::Target;
use samebits_ir::caps::Capabilities;
use samebits_ir::soft::plan::Native;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wgpu::ErrorFilter;
use writes::Slots;

/// A uniform block is a multiple of this many bytes.
const BLOCK: u64 = 16;

/// How long a wait may take, in milliseconds: longer than any work that ends.
const TIMEOUT: u64 = 600_000;

/// A launch of more invocations keeps every GPU busy, also if each of the GPU's does the work of four.
const LARGE: u64 = 1 << 21;

/// An open device of wgpu's.
#[derive(Debug)]
struct Wgpu {
    // Before the device, which is then the last to go.
    queue: wgpu::Queue,
    device: wgpu::Device,
    adapter: Adapter,
    name: String,
    /// Whether a program has opened the device and lends it. Then no handler of errors is ours.
    is_foreign: bool,
    limits: wgpu::Limits,
    /// The most bytes of immediate data; 0 if there is none.
    immediate_bytes: u32,
    /// What kernels compute with the device's own operations, and in which form.
    native: Native,
    /// Whether its subgroups are ours; see [`probe::subgroups`].
    subgroups: bool,
    /// What the device reports, if kernels reach it as SPIR-V.
    reported: Option<Reported>,
    /// What kernels for it may use that are SPIR-V; `None` if kernels reach it by naga.
    spirv: Option<Target>,
    /// Whether a store to a lane that is naga's leaves the others alone.
    lane_stores: bool,
    /// The optional features that the device has.
    capabilities: Capabilities,
    faults: Arc<Faults>,
    timeout: AtomicU64,
    /// A launch of more invocations counts as large.
    large: AtomicU64,
    batch: Mutex<Batch>,
    /// Held during a submission, which may take as long as the work before. A thread that holds
    /// the batch never takes it.
    submitted: Mutex<Submitted>,
    /// The last batch that was submitted.
    last_submitted: AtomicU64,
    /// The last batch that is known to have run.
    finished: AtomicU64,
    failures: Failures,
    movers: Movers,
    groups: Arc<Groups>,
    pool: Arc<Pool>,
    /// Memory through which large writes go.
    slots: Slots,
    /// Memory that reads have used.
    staging: Mutex<Vec<wgpu::Buffer>>,
    /// Where kernels report that the device ended their loops, if it is a device that does so.
    cuts: Option<Cuts>,
    /// Counts pipelines.
    pipelines: AtomicU64,
    /// Set when the device is closed; the last field, so that it goes after the others.
    closing: Option<Alone>,
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
    /// How long a wait may take.
    fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.load(Ordering::Relaxed))
    }

    /// Runs `f` and gives the first error that it caused.
    fn scoped<T>(&self, f: impl FnOnce() -> T) -> Result<T, wgpu::Error> {
        let (result, error) = caught(&self.device, f);
        error.map_or(Ok(result), Err)
    }

    /// The error for one of wgpu's.
    fn failed(&self, error: wgpu::Error, asked: Option<u64>) -> Error {
        match error {
            wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory { device: self.name.clone(), asked },
            wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => match self
                .check()
                .and_then(|()| self.is_alive())
            {
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
        self.slots.clear();
        self.pool.clear();
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let _ = self.wait(None);
        self.closing = Some(adapters::alone());
    }
}

/// Runs `f`, and gives the first error that it caused on this thread. On the web the handlers hear of it.
fn caught<T>(device: &wgpu::Device, f: impl FnOnce() -> T) -> (T, Option<wgpu::Error>) {
    if !CAN_WAIT {
        return (f(), None);
    }
    let memory = device.push_error_scope(ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(ErrorFilter::Validation);
    let internal = device.push_error_scope(ErrorFilter::Internal);
    let result = f();
    let mut first = None;
    for scope in [internal, validation, memory] {
        first = pollster::block_on(scope.pop()).or(first);
    }
    (result, first)
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
