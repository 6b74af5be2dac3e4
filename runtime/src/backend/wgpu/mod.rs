//! Devices of wgpu: Vulkan, DX12 and Metal.
//!
//! wgpu reports mistakes in three ways, and none may end the process: through error
//! scopes (every creation and every submission runs in one), to the handler of errors
//! that no scope caught, and to the handler of a lost device. What the handlers receive is
//! kept in [`Faults`] and is the result of the next operation that waits or submits.

mod adapters;
mod dispatch;
mod probe;
mod validation;

pub(crate) use adapters::{Adapter, Adapters};
pub(crate) use dispatch::Pipeline;

use super::Limits;
use crate::error::Error;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use wgpu::{BufferDescriptor, BufferUsages, ErrorFilter, Features, PollType, SubmissionIndex};

/// Bytes that are read back at once, so that a read needs little memory beside the result.
const CHUNK: usize = 64 << 20;
/// Launches that may be queued before one waits for those before them: enough to keep a
/// device busy, few enough that what they hold stays small.
const QUEUED: u32 = 256;
/// How long after its work is done the answer to a mapping may take, on its way through another thread.
const ANSWER: Duration = Duration::from_secs(10);

/// An open device of wgpu's.
#[derive(Debug)]
pub(crate) struct Wgpu {
    device: ManuallyDrop<wgpu::Device>,
    queue: ManuallyDrop<wgpu::Queue>,
    name: String,
    hardware: bool,
    limits: wgpu::Limits,
    /// The most bytes of immediate data; 0 if there is none.
    immediate_bytes: u32,
    /// What of the device's own arithmetic is used.
    floats: Floats,
    faults: Arc<Faults>,
    backlog: Mutex<Backlog>,
}

/// What of a device's own arithmetic on `f32` gives the right bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Floats {
    /// `+ - * /` and `sqrt`.
    exact: bool,
    /// `mul_add`.
    fused_mul_add: bool,
}

/// What went wrong while nobody was asking.
#[derive(Default, Debug)]
struct Faults {
    lost: Mutex<Option<String>>,
    uncaptured: Mutex<Option<String>>,
}

/// How much was submitted since somebody waited.
#[derive(Default, Debug)]
struct Backlog {
    launches: u32,
    /// Bytes that `write_buffer` has gathered and nobody has submitted.
    gathered: usize,
    mark: Option<SubmissionIndex>,
}

impl Wgpu {
    /// Opens a device with all that its adapter allows.
    pub fn open(adapter: &Adapter) -> Result<Self, Error> {
        let name = adapter.name().to_owned();
        let refused = |reason: String| Error::DeviceRefused { device: name.clone(), reason };
        let features = adapter.raw().features() & Features::IMMEDIATES;
        let mut limits = adapter.raw().limits();
        if features.is_empty() {
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
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| keep(&sink.uncaptured, error.to_string())));
        let sink = faults.clone();
        device.set_device_lost_callback(move |reason, text| match reason {
            wgpu::DeviceLostReason::Destroyed => {}
            wgpu::DeviceLostReason::Unknown => keep(&sink.lost, text),
        });
        let mut opened = Self {
            device: ManuallyDrop::new(device),
            queue: ManuallyDrop::new(queue),
            name: name.clone(),
            hardware: adapter.is_hardware(),
            immediate_bytes: limits.max_immediate_size,
            limits,
            floats: Floats::default(),
            faults,
            backlog: Mutex::default(),
        };
        opened.floats = probe::floats(&opened);
        Ok(opened)
    }

    /// What the driver calls the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is a GPU and not software.
    pub fn is_hardware(&self) -> bool {
        self.hardware
    }

    /// What the device allows.
    pub fn limits(&self) -> Limits {
        let limits = &self.limits;
        // Lengths are 32 bits wide on devices, so that more than this many words are never of use.
        let addressable = u64::from(u32::MAX) * 4;
        Limits {
            buffer_bytes: limits.max_buffer_size.min(limits.max_storage_buffer_binding_size).min(addressable),
            workgroup_size: [
                limits.max_compute_workgroup_size_x,
                limits.max_compute_workgroup_size_y,
                limits.max_compute_workgroup_size_z,
            ],
            workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            shared_bytes: limits.max_compute_workgroup_storage_size,
            buffers: limits
                .max_storage_buffers_per_shader_stage
                .min(limits.max_bindings_per_bind_group.saturating_sub(1)),
        }
    }

    /// A storage buffer of zeros.
    pub fn zeros(&self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.buffer(bytes, usage)
    }

    /// Copies bytes into a buffer, after all that was submitted before.
    pub fn write(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let mut at = offset;
        for chunk in bytes.chunks(CHUNK) {
            let written = self.scoped(|| self.queue.write_buffer(buffer, at, chunk));
            written.map_err(|error| self.failed(error, Some(chunk.len() as u64)))?;
            at += chunk.len() as u64;
            // What is written sits in memory of its own until the device has taken it.
            let gathered = {
                let mut backlog = self.backlog.lock().unwrap_or_else(PoisonError::into_inner);
                backlog.gathered += chunk.len();
                backlog.gathered
            };
            if gathered >= CHUNK {
                self.wait(Some(self.submit(None)?))?;
            }
        }
        self.check()
    }

    /// Copies bytes from a buffer, after all that was submitted before has run.
    pub fn read(&self, buffer: &wgpu::Buffer, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        let size = out.len().min(CHUNK) as u64;
        let staging = self.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
        let mut at = offset;
        for chunk in out.chunks_mut(CHUNK) {
            let size = chunk.len() as u64;
            let commands = self.scoped(|| {
                let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                encoder.copy_buffer_to_buffer(buffer, at, &staging, 0, size);
                encoder.finish()
            });
            let submission = self.submit(Some(commands.map_err(|error| self.failed(error, None))?))?;
            let (sink, outcome) = mpsc::channel();
            let map = || {
                staging.map_async(wgpu::MapMode::Read, 0..size, move |result| {
                    // Nobody is there to hear it only if the read was given up.
                    let _ = sink.send(result);
                });
            };
            self.scoped(map).map_err(|error| self.failed(error, None))?;
            self.wait(Some(submission))?;
            // Another thread's wait may have taken the answer along and be about to give it.
            let mapped = outcome.recv_timeout(ANSWER);
            if !matches!(mapped, Ok(Ok(()))) {
                return Err(self.lost("the memory of a read could not be mapped"));
            }
            match staging.get_mapped_range(0..size) {
                Ok(view) => chunk.copy_from_slice(&view),
                Err(error) => return Err(self.lost(&error.to_string())),
            }
            staging.unmap();
            at += size;
        }
        self.check()
    }

    /// A buffer of any use.
    fn buffer(&self, size: u64, usage: BufferUsages) -> Result<wgpu::Buffer, Error> {
        let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = self.scoped(|| self.device.create_buffer(&descriptor));
        buffer.map_err(|error| self.failed(error, Some(size)))
    }

    /// Submits commands, or only what `write_buffer` has gathered. The one place that
    /// submits: every so often it waits for what was submitted long before.
    fn submit(&self, commands: Option<wgpu::CommandBuffer>) -> Result<SubmissionIndex, Error> {
        let index = self.scoped(|| self.queue.submit(commands)).map_err(|error| self.failed(error, None))?;
        let wait_for = {
            let mut backlog = self.backlog.lock().unwrap_or_else(PoisonError::into_inner);
            backlog.launches += 1;
            backlog.gathered = 0;
            if backlog.launches < QUEUED {
                None
            } else {
                backlog.launches = 0;
                backlog.mark.replace(index.clone())
            }
        };
        if let Some(mark) = wait_for {
            self.wait(Some(mark))?;
        }
        Ok(index)
    }

    /// Waits until a submission, or everything, has run.
    fn wait(&self, submission_index: Option<SubmissionIndex>) -> Result<(), Error> {
        let poll = || self.device.poll(PollType::Wait { submission_index, timeout: None });
        // wgpu panics here when the driver reports something that it does not expect.
        match catch_unwind(AssertUnwindSafe(poll)) {
            Ok(Ok(_)) => self.check(),
            Ok(Err(error)) => Err(self.lost(&error.to_string())),
            Err(_) => Err(self.lost("the driver failed while it was waited for")),
        }
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

    /// What the handlers received. A lost device stays lost; another error is given once.
    fn check(&self) -> Result<(), Error> {
        let device = || self.name.clone();
        if let Some(reason) = self.faults.lost.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(Error::DeviceLost { device: device(), reason: one_line(&reason) });
        }
        let uncaptured = self.faults.uncaptured.lock().unwrap_or_else(PoisonError::into_inner).take();
        match uncaptured.or_else(validation::take) {
            Some(reason) => Err(Error::Driver { device: device(), reason: one_line(&reason) }),
            None => Ok(()),
        }
    }
}

impl Drop for Wgpu {
    fn drop(&mut self) {
        // What a driver still works on cannot be taken from it; errors no longer matter.
        let _ = self.wait(None);
        let _alone = adapters::alone();
        // SAFETY: "the value must not be used again": this is the only place that drops the
        // two, each once, and `self` is gone afterwards.
        unsafe {
            ManuallyDrop::drop(&mut self.queue);
            ManuallyDrop::drop(&mut self.device);
        }
    }
}

/// Keeps the first message.
fn keep(place: &Mutex<Option<String>>, message: String) {
    place.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(message);
}

/// A driver's message as part of a line.
fn one_line(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}
