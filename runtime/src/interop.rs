//! Programs that use wgpu themselves: their devices, their buffers, and what they submit.
//!
//! A program that draws with wgpu lends its device with [`Device::from_wgpu`], and kernels then run on the same queue,
//! in the order in which work is submitted. [`descriptor`] says what to ask an adapter for. Buffers go both ways,
//! with [`Buffer::from_wgpu`] and [`Buffer::as_wgpu`], and nothing is copied. Use the crate wgpu that
//! [`samebits::wgpu`](crate::wgpu) is, so that both are of one version.
//!
//! Launches are queued and reach the driver later, so submit them before work of your own that uses the same buffers:
//! [`Buffer::as_wgpu`] does that for one buffer, and [`Device::submit`] for all.
//!
//! Kernels can also be part of a command encoder of the program's own, between its render passes:
//! [`Graph::encode`](crate::graph::Graph::encode) puts recorded work into it.
//!
//! A device that is lent is used as it is. Only what its features and limits show is used of it: with
//! `PASSTHROUGH_SHADERS` kernels reach a Vulkan driver as SPIR-V, otherwise by naga. It keeps its handlers
//! of errors and of loss, and every call of the runtime has an error scope of its own, on the thread of the call.
//!
//! ```
//! use samebits::prelude::*;
//! use samebits::{interop, wgpu};
//!
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     let i = global_id().x;
//!     if i < x.len() {
//!         x[i] = x[i] * 2.0;
//!     }
//! }
//!
//! async fn on(adapter: wgpu::Adapter) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
//!     let (device, queue) = adapter.request_device(&interop::descriptor(&adapter)).await?;
//!     let yours = device.create_buffer(&wgpu::BufferDescriptor {
//!         label: None,
//!         size: 4096,
//!         usage: interop::USAGES | wgpu::BufferUsages::VERTEX,
//!         mapped_at_creation: false,
//!     });
//!     let device = Device::from_wgpu(adapter, device, queue)?;
//!     let mut x = Buffer::<f32>::from_wgpu(&device, yours)?;
//!     double::launch(&device, x.len(), &mut x)?;
//!     Ok(x.read()?)
//! }
//! ```

use crate::backend::{Mailbox, Memory, Speaker, foreign, recording};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::graph::{Binding, Graph};
use std::fmt;
use std::ops::Range;
use wgpu::{BufferUsages, CommandEncoder, DeviceDescriptor};

/// The usages that a buffer needs for [`Buffer::from_wgpu`]: storage, and a copy's source and target.
///
/// ```
/// use samebits::{interop, wgpu::BufferUsages};
/// let usage = interop::USAGES | BufferUsages::VERTEX;
/// assert!(usage.contains(BufferUsages::STORAGE));
/// ```
pub const USAGES: BufferUsages = foreign::USAGES;

/// How to ask an adapter for a device that kernels run on at their best: all its limits, and the features that kernels
/// make use of. Add your own features to `required_features` before you ask.
///
/// Every feature is optional. Without `PASSTHROUGH_SHADERS` kernels run through naga and are slower. Without
/// `SHADER_INT64` and `SHADER_INT64_ATOMIC_ALL_OPS` there are no atomics of 64 bits. A device that `Device::best` opens
/// has more, since wgpu leaves some things of Vulkan switched off that it has no feature for: elements of 8 bits in
/// buffers then take longer. Orders of atomics need `EXPERIMENTAL_COOPERATIVE_MATRIX`, with which wgpu switches on
/// Vulkan's memory model; as a feature that wgpu calls experimental, it is not asked for here.
///
/// ```
/// use samebits::{interop, wgpu};
/// async fn open(adapter: &wgpu::Adapter) -> Result<(wgpu::Device, wgpu::Queue), wgpu::RequestDeviceError> {
///     let mut descriptor = interop::descriptor(adapter);
///     descriptor.required_features |= wgpu::Features::POLYGON_MODE_LINE; // for drawing
///     adapter.request_device(&descriptor).await
/// }
/// ```
pub fn descriptor(adapter: &wgpu::Adapter) -> DeviceDescriptor<'static> {
    foreign::descriptor(adapter)
}

impl Device {
    /// A device that the program has opened with wgpu, for kernels to run on. [`interop`](crate::interop) has an
    /// example, and says what to open it with.
    ///
    /// Opening takes as long as that of another device, since its arithmetic is tried out; see [`report`](Self::report).
    /// The limits and what kernels may use are those that the device was opened with.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceRefused`] if the adapter is not one of Vulkan, DX12 or Metal, if the device was opened from
    /// another one, or if the queue is another device's. wgpu tells the last only to the owner of that other device, by
    /// its handler of errors, which panics unless it was set; the panic is caught here.
    ///
    /// ```
    /// use samebits::{Device, Error, wgpu};
    /// fn lent(adapter: wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Result<Device, Error> {
    ///     Device::from_wgpu(adapter, device, queue)
    /// }
    /// ```
    pub fn from_wgpu(adapter: wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, Error> {
        foreign::open(adapter, device, queue).map(Self::of_shared)
    }

    /// wgpu's own handles of this device and its queue, to draw with what kernels have computed. `None` of a device
    /// that is not one of wgpu's.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// assert!(Device::cpu().as_wgpu().is_none());
    /// ```
    pub fn as_wgpu(&self) -> Option<(wgpu::Device, wgpu::Queue)> {
        foreign::handles(self.shared()).ok()
    }

    /// Submits everything that was queued, without waiting for it. Work that the program submits after this comes
    /// after it. On a device that is not one of wgpu's nothing is left to submit.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`]. Work that the driver refuses is an error of what depends on it, as always.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// Device::cpu().submit()?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn submit(&self) -> Result<(), Error> {
        match foreign::submit(self.shared()) {
            Err(Error::NotWgpu { .. }) => Ok(()),
            other => other,
        }
    }
}

impl<T: Element> Buffer<T> {
    /// The elements of a buffer that the program has made with wgpu. It has as many as its bytes are.
    ///
    /// The buffer must come from the `wgpu::Instance` of the device. wgpu numbers what an instance has, and may take a
    /// buffer of another instance for one of this.
    ///
    /// The program may go on to use its buffer. What it submits before a launch, a read or a write of the runtime's
    /// comes before that.
    ///
    /// # Errors
    ///
    /// [`Error::BufferRefused`] if it lacks one of [`USAGES`], if it can be mapped, if it was destroyed or is another
    /// device's, and if its size is below 256 bytes, no multiple of 4, or above what the device can bind.
    /// [`Error::Reinterpreted`] if its size is no multiple of the element's. [`Error::NotWgpu`] on another device.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::wgpu;
    /// fn positions(device: &Device, buffer: wgpu::Buffer) -> Result<Buffer<Vec2<f32>>, Error> {
    ///     Buffer::from_wgpu(device, buffer)
    /// }
    /// ```
    pub fn from_wgpu(device: &Device, buffer: wgpu::Buffer) -> Result<Self, Error> {
        let bytes = buffer.size();
        let memory = foreign::adopt(device.shared(), buffer)?;
        let element = size_of::<T>();
        let whole = usize::try_from(bytes).ok().filter(|bytes| bytes.is_multiple_of(element));
        let len = whole.ok_or(Error::Reinterpreted { bytes, element })? / element;
        let (len, _) = device.allowed::<T>(len)?;
        Ok(Self::of_memory(device.clone(), memory, len))
    }

    /// wgpu's own handle of the buffer, after everything that was queued for it has been submitted. The buffer has the
    /// usages [`USAGES`], or those that the program made it with, and may have more bytes than the elements.
    ///
    /// From then on the program may write the elements, so the runtime relies on nothing that it has found out about
    /// them: they are never [`Distinct`](crate::Distinct) again. Ask again, or [submit](Device::submit), after
    /// later launches.
    ///
    /// # Errors
    ///
    /// [`Error::NotWgpu`] on a device that is not one of wgpu's, and [`Error::DeviceLost`].
    ///
    /// ```
    /// use samebits::prelude::*;
    /// let mut x = Device::cpu().upload(&[1u32])?;
    /// assert!(matches!(x.as_wgpu(), Err(Error::NotWgpu { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn as_wgpu(&mut self) -> Result<wgpu::Buffer, Error> {
        foreign::handle(self.device().shared(), self.memory())
    }
}

/// Work that was put into a command encoder of the program's. It borrows what the work uses.
///
/// [`Graph::encode`] gives it. Say with [`submitted`](Self::submitted) that the encoder was submitted. Without that, what
/// the work writes cannot be read: each read, and each read of what later launches compute from it, is
/// [`Error::NotSubmitted`], until it is written anew.
#[must_use = "say `submitted()` when the encoder was submitted; until then what the work writes cannot be read"]
pub struct Encoded<'a> {
    device: Device,
    recording: recording::Recording,
    written: Vec<(&'a Memory, Range<u64>)>,
    mailboxes: Vec<Mailbox>,
}

impl Graph {
    /// Puts the work into a command encoder of the program's, instead of queueing it. It borrows what the slots stand
    /// for until the program has submitted the encoder and said so.
    ///
    /// The encoder belongs to the graph's device, which is one of wgpu's, and has no open pass. Everything that was queued
    /// is submitted first, so the work comes after it. The work is not part of a [profile](Device::profile), and
    /// `SAMEBITS_VERIFY` does not compare it.
    ///
    /// # Errors
    ///
    /// Those of a [replay](Self::replay), [`Error::NotWgpu`], and [`Error::Encoder`] for a fill with elements of more
    /// than 4096 bytes, or for more than 1024 launches on llvmpipe. After the last, and if memory runs out,
    /// part of the work may be in the encoder, so drop it.
    ///
    /// ```
    /// use samebits::graph::{BufferSlot, Graph};
    /// use samebits::prelude::*;
    /// use samebits::wgpu;
    ///
    /// fn frame(
    ///     graph: &Graph,
    ///     slot: &BufferSlot<Vec2<f32>>,
    ///     positions: &mut Buffer<Vec2<f32>>,
    ///     (device, queue): &(wgpu::Device, wgpu::Queue),
    /// ) -> Result<(), Error> {
    ///     let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    ///     let encoded = graph.encode(&mut encoder, [slot.bind(positions)])?;
    ///     // … a render pass that draws the positions …
    ///     queue.submit([encoder.finish()]);
    ///     encoded.submitted()
    /// }
    /// ```
    pub fn encode<'a>(
        &self,
        encoder: &mut CommandEncoder,
        bindings: impl IntoIterator<Item = Binding<'a>>,
    ) -> Result<Encoded<'a>, Error> {
        let device = self.device();
        let slots = self.bound(bindings)?;
        let (mut mailboxes, written) = (Vec::new(), self.written(&slots));
        let new = |speaker: &Speaker<'_>| Mailbox::new(device.any(), speaker);
        let recording = self.prepared(&slots, &mut mailboxes, new, |steps, _| {
            recording::encode(device.shared(), encoder, steps, &written)
        })?;
        Ok(Encoded { device: device.clone(), recording, written, mailboxes })
    }
}

impl Encoded<'_> {
    /// The program has submitted the encoder, so what the work has written may be read and used. Said of an encoder that
    /// was not submitted, reads give what was there before.
    ///
    /// If the driver or wgpu has refused the program's submission, the program was told, and reads give what was
    /// there before.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] on devices that must be asked whether they ran all loops to their ends, such as llvmpipe.
    pub fn submitted(self) -> Result<(), Error> {
        let Self { device, recording, written, mailboxes } = self;
        mailboxes.into_iter().for_each(|mailbox| device.any().board().put(mailbox));
        recording::submitted(device.shared(), recording, &written)
    }
}

impl fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoded").field("device", &self.device).finish_non_exhaustive()
    }
}
