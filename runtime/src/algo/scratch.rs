//! Temporary memory of the primitives, which one call leaves for the next.
//!
//! Invariant: what a slot holds means nothing between two calls. Each primitive writes what it reads.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;

/// Temporary memory on a device, for calls that are made often.
///
/// Each function of [`algo`](super) allocates what it needs and frees it. The methods of a `Scratch` do the same work in
/// memory that stays, which grows with the largest call and is freed with the `Scratch`.
///
/// ```
/// use samebits::algo::Scratch;
/// use samebits::prelude::*;
///
/// let device = Device::best()?;
/// let mut scratch = Scratch::new(&device);
/// for round in 0..3 {
///     let mut keys = device.upload(&[5u32, 1 + round, 9])?;
///     scratch.sort(&mut keys)?; // allocates in the first round only
///     assert_eq!(keys.read()?, [1 + round, 5, 9]);
/// }
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Scratch {
    pub(super) device: Device,
    /// Whether many invocations work on each share, as on GPUs, or one does, as is best for processors.
    pub(super) wide: bool,
    slots: [Option<Buffer<u32>>; 10],
}

/// What temporary memory is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// As many words as the elements have.
    Elements,
    /// As many words as the values that go with keys have.
    Values,
    /// A few words for each workgroup.
    Groups,
    /// The same, scanned, or a few words for all.
    Totals,
    /// A word for each workgroup.
    Counts,
    /// The same, scanned.
    Starts,
    /// How many elements are kept, or nothing.
    Kept,
    /// A matrix with longer rows, the left one of a product.
    Left,
    /// The same of the right one.
    Right,
    /// The same of the product.
    Product,
}

impl Scratch {
    /// Nothing yet: memory is allocated by the first call that needs it.
    ///
    /// ```
    /// use samebits::algo::Scratch;
    /// use samebits::prelude::*;
    /// let mut scratch = Scratch::new(&Device::interpreter());
    /// # let _ = &mut scratch;
    /// ```
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), wide: device.is_gpu(), slots: [const { None }; 10] }
    }

    /// With the kernels for GPUs, whatever the device is; for tests.
    #[doc(hidden)]
    pub fn as_gpu(self) -> Self {
        Self { wide: true, ..self }
    }

    /// Memory of at least so many words, which is given back with [`put`](Self::put).
    pub(super) fn take(&mut self, slot: Slot, words: usize) -> Result<Buffer<u32>, Error> {
        match self.slots[slot as usize].take() {
            Some(buffer) if buffer.len() >= words => Ok(buffer),
            // What is too small is freed before the new memory is allocated.
            small => {
                drop(small);
                self.device.zeros(words)
            }
        }
    }

    /// Keeps memory for the next call.
    pub(super) fn put(&mut self, slot: Slot, buffer: Buffer<u32>) {
        self.slots[slot as usize] = Some(buffer);
    }
}

/// As many elements, if sums of indices in kernels do not wrap: fewer than 2³¹.
pub(super) fn addressable(len: usize) -> Result<usize, Error> {
    if len < 1 << 31 { Ok(len) } else { Err(Error::TooManyElements { asked: len as u128 }) }
}
