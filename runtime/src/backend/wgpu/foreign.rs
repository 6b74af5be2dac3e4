//! Devices and buffers that a program has made with wgpu by itself, and lends.
//!
//! Invariants:
//!
//! - Nothing is used of a device that its features and limits do not show.
//! - No handler of errors is set: the device keeps those that it has.
//! - Memory that others hold is marked as such ([`Memory::has_left`](crate::backend::Memory)), since they may write it.

use super::adapters::Adapter;
use super::batch::encoder;
use super::dispatch::EMPTY;
use super::memory::Storage;
use super::open::{self, Given, usable, wanted};
use super::reported::{FloatSums, MEMORY_MODEL, Reported};
use super::settings::{Settings, Shaders};
use super::{Faults, Wgpu, caught, vulkan};
use crate::backend::{AnyDevice, CAN_WAIT, Memory, Opened};
use crate::error::Error;
use samebits_ir::caps::Capabilities;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc;
use wgpu::{BufferUsages, DeviceDescriptor, Features, MapMode};

/// Bytes of the smallest buffer that may be lent: what a kernel may load from a buffer without elements.
const SMALLEST: u64 = EMPTY;

/// What kernels need of a buffer.
pub(crate) const USAGES: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);

/// How to ask an adapter for a device that is then lent.
pub(crate) fn descriptor(adapter: &wgpu::Adapter) -> DeviceDescriptor<'static> {
    let takes_spirv = vulkan::report(adapter).is_some();
    let (features, _) = usable(adapter, wanted(adapter, takes_spirv));
    open::descriptor(adapter, features)
}

/// The device, for handles to share.
pub(crate) fn open(
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
) -> Result<Arc<dyn AnyDevice>, Error> {
    Wgpu::lent(Adapter::new(adapter), device, queue).map(Opened::device)
}

/// A device of any back end, if it is one of wgpu's.
pub(super) fn of(device: &Arc<dyn AnyDevice>) -> Result<&Wgpu, Error> {
    opened(device).map(Opened::backend)
}

/// The same with what all back ends have in common.
pub(super) fn opened(device: &Arc<dyn AnyDevice>) -> Result<&Opened<Wgpu>, Error> {
    let any: &dyn Any = &**device;
    any.downcast_ref().ok_or_else(|| Error::NotWgpu { device: device.control().name().to_owned() })
}

/// Memory in a buffer of the program's own.
pub(crate) fn adopt(device: &Arc<dyn AnyDevice>, buffer: wgpu::Buffer) -> Result<Memory, Error> {
    let opened = opened(device)?;
    let device = opened.backend();
    device.accepts(&buffer)?;
    let size = buffer.size();
    let memory = Memory::new(Storage::new(buffer, device.groups.clone()), opened.usage().count(size));
    memory.leave();
    Ok(memory)
}

/// wgpu's own handle of some memory, after all that was queued for it has been submitted.
pub(crate) fn handle(device: &Arc<dyn AnyDevice>, memory: &Memory) -> Result<wgpu::Buffer, Error> {
    let device = of(device)?;
    let storage = memory.of::<Storage>().ok_or_else(|| device.lost("its memory is another device's"))?;
    memory.leave();
    storage.leave();
    let wait_for = device.submit_users(storage);
    wait_for.map_or(Ok(()), |mark| device.wait(Some(mark)))?;
    Ok(storage.buffer.clone())
}

/// wgpu's own handles of a device.
pub(crate) fn handles(device: &Arc<dyn AnyDevice>) -> Result<(wgpu::Device, wgpu::Queue), Error> {
    let device = of(device)?;
    Ok((device.device.clone(), device.queue.clone()))
}

/// Submits all that was queued.
pub(crate) fn submit(device: &Arc<dyn AnyDevice>) -> Result<(), Error> {
    submit_all(of(device)?)
}

/// The same of a device of wgpu's.
pub(super) fn submit_all(device: &Wgpu) -> Result<(), Error> {
    let (number, _) = device.batch().close();
    device.submit(number, None).map(|_| ())
}

impl Wgpu {
    /// The runtime's part of a device that a program has opened.
    fn lent(adapter: Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, Error> {
        let settings = Settings::read()?;
        let refused = |reason: String| Error::DeviceRefused { device: adapter.name().to_owned(), reason };
        if !CAN_WAIT {
            let reason = "whether it works would have to be waited for, which a page of the web cannot do";
            return Err(refused(format!("{reason}; open a device with `Device::best_async`")));
        }
        if let Some(reason) = adapter.unfit() {
            return Err(refused(reason));
        }
        if device.adapter_info() != adapter.raw().get_info() {
            let other = device.adapter_info().name;
            return Err(refused(format!("the device was opened from another adapter, `{other}`")));
        }
        let (features, mut capabilities) = usable(adapter.raw(), device.features());
        let is_naga = settings.shaders == Some(Shaders::Naga) || !features.contains(Features::PASSTHROUGH_SHADERS);
        let reported = if is_naga { None } else { vulkan::report(adapter.raw()).map(|all| switched_on(all, features)) };
        if settings.shaders == Some(Shaders::Spirv) && reported.is_none() {
            let reason = "it takes no SPIR-V of Vulkan 1.2, which `SAMEBITS_SHADERS` asks for";
            return Err(refused(format!("{reason}; open it with the feature `PASSTHROUGH_SHADERS`")));
        }
        if !reported.as_ref().is_some_and(|reported| reported.memory_model) {
            capabilities = capabilities.without(Capabilities::ATOMIC_ORDERS);
        }
        let mut limits = device.limits();
        if !features.contains(Features::IMMEDIATES) {
            limits.max_immediate_size = 0;
        }
        let (name, faults) = (adapter.name().to_owned(), Arc::new(Faults::default()));
        let is_foreign = true;
        let given = Given { device, queue, features, limits, reported, capabilities, faults, name, is_foreign };
        given.belong_together().map_err(refused)?;
        Self::of(&adapter, given, settings)
    }

    /// Whether a device that is lent still works. Others say so by themselves.
    pub(super) fn is_alive(&self) -> Result<(), Error> {
        if self.is_foreign && !answers(&self.device) {
            return Err(Error::DeviceLost { device: self.name.clone(), reason: "it no longer answers".to_owned() });
        }
        Ok(())
    }

    /// Whether kernels can use a buffer of the program's.
    fn accepts(&self, buffer: &wgpu::Buffer) -> Result<(), Error> {
        let refused = |reason: String| Err(Error::BufferRefused { device: self.name.clone(), reason });
        let (size, lacks) = (buffer.size(), USAGES - buffer.usage());
        let allowed = u64::from(u32::MAX).min(self.limits.max_storage_buffer_binding_size);
        if !lacks.is_empty() {
            let names: Vec<String> = lacks.iter_names().map(|(name, _)| format!("`{name}`")).collect();
            return refused(format!("it lacks the usage {}; make it with `interop::USAGES`", names.join(", ")));
        }
        if buffer.usage().intersects(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE) {
            return refused("it can be mapped, so its bytes may be the host's at any time".to_owned());
        }
        if size < SMALLEST || !size.is_multiple_of(4) || size > allowed {
            let sizes = format!("a multiple of 4 from {SMALLEST} to {allowed}");
            return refused(format!("it has {size} bytes, but must have {sizes}"));
        }
        // Nothing else tells whose buffer it is. Of a buffer of another instance wgpu panics, or takes it for one of
        // this instance's.
        let scratch = self.buffer(4, BufferUsages::COPY_DST)?;
        let copy = || {
            let mut encoder = encoder(&self.device, self.is_foreign);
            encoder.copy_buffer_to_buffer(buffer, 0, &scratch, 0, 4);
            self.scoped(|| self.queue.submit([encoder.finish()]))
        };
        match catch_unwind(AssertUnwindSafe(copy)) {
            Ok(Ok(_)) => Ok(()),
            Err(_) | Ok(Err(wgpu::Error::Validation { .. })) => {
                self.is_alive()?;
                refused("it belongs to another device, or was destroyed".to_owned())
            }
            Ok(Err(error)) => Err(self.failed(error, None)),
        }
    }
}

impl Given {
    /// Whether the queue is the device's, and both work.
    fn belong_together(&self) -> Result<(), String> {
        let wrong = || "the device and the queue were not opened together, or do not work".to_owned();
        let (size, usage) = (4, BufferUsages::COPY_DST | BufferUsages::MAP_READ);
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let (buffer, error) = caught(&self.device, || self.device.create_buffer(&descriptor));
        if error.is_some() {
            return Err(wrong());
        }
        // A queue of another device tells that device, in whose name nobody listens here.
        let write = || {
            self.queue.write_buffer(&buffer, 0, b"same");
            self.queue.submit([])
        };
        let written = catch_unwind(AssertUnwindSafe(write)).map_err(|_| wrong())?;
        let (sink, answer) = mpsc::channel();
        let map = || {
            buffer.map_async(MapMode::Read, .., move |result| {
                // Sending fails only if nobody waits any more.
                let _ = sink.send(result);
            });
            self.device.poll(wgpu::PollType::Wait { submission_index: Some(written), timeout: None })
        };
        let (polled, error) = caught(&self.device, map);
        if polled.is_err() || error.is_some() || !matches!(answer.recv(), Ok(Ok(()))) {
            return Err(wrong());
        }
        match buffer.get_mapped_range(..) {
            Ok(bytes) if bytes[..] == *b"same" => Ok(()),
            _ => Err(wrong()),
        }
    }
}

/// Whether a device is there: one that is lost makes no memory.
fn answers(device: &wgpu::Device) -> bool {
    let (size, usage) = (4, BufferUsages::COPY_SRC);
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: true };
    // Without memory it is still there.
    let (buffer, error) = caught(device, || device.create_buffer(&descriptor));
    error.is_some() || buffer.get_mapped_range(..).is_ok()
}

/// What wgpu has switched on of what a device reports, with these features.
fn switched_on(all: Reported, features: Features) -> Reported {
    let has = |feature| features.contains(feature);
    let buffer_f32 = all.float_sums.buffer_f32 && has(Features::SHADER_FLOAT32_ATOMIC);
    Reported {
        memory_model: all.memory_model && has(MEMORY_MODEL),
        storage8: false,
        storage16: all.storage16 && features.intersects(Features::SHADER_F16 | Features::SHADER_I16),
        int16: all.int16 && has(Features::SHADER_I16),
        int64: all.int64 && has(Features::SHADER_INT64),
        float16: all.float16 && has(Features::SHADER_F16),
        float64: all.float64 && has(Features::SHADER_F64),
        atomic64: all.atomic64 && has(Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS),
        float_sums: FloatSums { buffer_f32, ..FloatSums::default() },
        subgroup_extended_types: false,
        ..all
    }
}
