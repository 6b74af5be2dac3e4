//! Several devices that work on one grid: each has some of its rows.
//!
//! A [`Split`] says which rows each device has, and [`Rows`] are elements in rows, in a buffer on each device: its own rows,
//! and some rows of other devices above and below, the halo. [`Rows::step`] launches a kernel on every
//! device with one call, and [`Rows::exchange`] copies the halos.
//!
//! A kernel sees the buffer of its device only. So it must be written for that: it takes the number of the first row that
//! its buffer holds, and it may read no further up and down than the halo is high. What it computes of a cell must not
//! depend on which device has the cell; then the bytes are those of one device.
//!
//! Copies between devices go through the host. Launches are queued on one device after the other, so list this CPU last: a
//! launch on it is over when its call returns, and the others work meanwhile.
//!
//! ```
//! use samebits::prelude::*;
//! use samebits::split::{Rows, Split};
//!
//! /// The mean of each cell and the ones above and below it; the first and the last row stay.
//! #[kernel(workgroup_size(8, 8))]
//! fn smooth(width: usize, above: usize, height: usize, from: &[f32], to: &mut [f32]) {
//!     let (x, y) = (global_id().x, global_id().y);
//!     let i = y * width + x;
//!     if x < width && i < from.len() && i < to.len() {
//!         let row = above + y;
//!         let mut mean = from[i];
//!         if row > 0 && row + 1 < height && y > 0 && i + width < from.len() {
//!             mean = (from[i - width] + from[i] + from[i + width]) / 3.0;
//!         }
//!         to[i] = mean;
//!     }
//! }
//!
//! let devices = [Device::interpreter(), Device::cpu()];
//! let split = Split::evenly(&devices, 7, 1)?;
//! let mut from = split.upload(2, &[0.0f32, 1.0, 0.0, 1.0, 9.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 3.0, 1.0])?;
//! let mut to = split.zeros(2)?;
//! for _ in 0..2 {
//!     from.step(&mut to, |part, from, to| {
//!         let held = part.held();
//!         smooth::launch(part.device(), (2, held.len()), 2, held.start, part.height(), from, to)
//!     })?;
//!     to.exchange()?;
//!     std::mem::swap(&mut from, &mut to);
//! }
//! assert_eq!(from.read()?[..4], [0.0, 1.0, 2.0, 1.0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! Invariants:
//!
//! - Each row is one device's own, and the own rows stand in the order of the devices.
//! - A buffer holds its own rows and the halo, as far as there are rows.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use std::ops::Range;
use std::sync::Arc;

/// Which rows each of several devices has.
#[derive(Clone, Debug)]
pub struct Split {
    parts: Arc<[Part]>,
    height: usize,
}

/// What one device has of a grid.
#[derive(Clone, Debug)]
pub struct Part {
    device: Device,
    own: Range<usize>,
    held: Range<usize>,
    height: usize,
}

/// Elements in rows, on several devices. [`Split::upload`] and [`Split::zeros`] make them.
#[derive(Debug)]
pub struct Rows<T: Element> {
    split: Split,
    width: usize,
    buffers: Vec<Buffer<T>>,
    /// Rows on their way between devices; kept, as new memory of the system's takes longer than a copy.
    between: Vec<u8>,
}

impl Part {
    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The rows that the device computes.
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// The rows that its buffer holds: its own and the halo. Row `held().start` is the first one in the buffer.
    pub fn held(&self) -> Range<usize> {
        self.held.clone()
    }

    /// The rows of the whole grid.
    pub fn height(&self) -> usize {
        self.height
    }
}

impl Split {
    /// Splits so many rows evenly. Each device also holds up to `halo` rows above and below its own.
    ///
    /// # Errors
    ///
    /// [`Error::Split`] without a device.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::split::Split;
    /// let devices = [Device::interpreter(), Device::cpu(), Device::cpu()];
    /// let split = Split::evenly(&devices, 10, 1)?;
    /// let own: Vec<_> = split.parts().iter().map(|part| part.own()).collect();
    /// assert_eq!(own, [0..4, 4..7, 7..10]);
    /// assert_eq!(split.parts()[1].held(), 3..8);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn evenly(devices: &[Device], height: usize, halo: usize) -> Result<Self, Error> {
        let shares: Vec<(Device, u32)> = devices.iter().map(|device| (device.clone(), 1)).collect();
        Self::by_share(&shares, height, halo)
    }

    /// Splits so many rows so that each device gets about its share of them: of two devices with the shares 3 and 1, the
    /// first one gets three quarters.
    ///
    /// # Errors
    ///
    /// [`Error::Split`] if there is no share above 0.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::split::Split;
    /// let split = Split::by_share(&[(Device::interpreter(), 1), (Device::cpu(), 3)], 100, 2)?;
    /// assert_eq!(split.parts()[0].own(), 0..25);
    /// assert_eq!(split.parts()[1].held(), 23..100);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn by_share(shares: &[(Device, u32)], height: usize, halo: usize) -> Result<Self, Error> {
        let total: u128 = shares.iter().map(|(_, share)| u128::from(*share)).sum();
        if total == 0 {
            return Err(refused("there is no device with a share of the rows"));
        }
        let (mut before, mut parts) = (0u128, Vec::with_capacity(shares.len()));
        let row = |before: u128| (height as u128 * before).div_ceil(total) as usize;
        for (device, share) in shares {
            let start = row(before);
            before += u128::from(*share);
            let own = start..row(before);
            let held = own.start.saturating_sub(halo)..own.end.saturating_add(halo).min(height);
            parts.push(Part { device: device.clone(), own, held, height });
        }
        Ok(Self { parts: parts.into(), height })
    }

    /// What each device has.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Copies elements, row by row, to the devices. There are `width` in a row.
    ///
    /// # Errors
    ///
    /// [`Error::Split`] if they are not as many as the rows need, and what an [upload](Device::upload) may fail with.
    ///
    /// ```
    /// use samebits::prelude::*;
    /// use samebits::split::Split;
    /// let split = Split::evenly(&[Device::interpreter(), Device::cpu()], 4, 1)?;
    /// let rows = split.upload(2, &[1u32, 2, 3, 4, 5, 6, 7, 8])?;
    /// assert_eq!(rows.read()?, [1, 2, 3, 4, 5, 6, 7, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn upload<T: Element>(&self, width: usize, elements: &[T]) -> Result<Rows<T>, Error> {
        let needed = width.checked_mul(self.height);
        if needed != Some(elements.len()) {
            let (height, len) = (self.height, elements.len());
            return Err(refused(&format!("{height} rows of {width} elements are not {len} elements")));
        }
        let buffer = |part: &Part| part.device.upload(&elements[part.held.start * width..part.held.end * width]);
        let buffers = self.parts.iter().map(buffer).collect::<Result<_, _>>()?;
        Ok(Rows { split: self.clone(), width, buffers, between: Vec::new() })
    }

    /// Rows of `width` elements, all of whose bytes are zero.
    pub fn zeros<T: Element>(&self, width: usize) -> Result<Rows<T>, Error> {
        let buffer = |part: &Part| part.device.zeros(part.held.len().saturating_mul(width));
        let buffers = self.parts.iter().map(buffer).collect::<Result<_, _>>()?;
        Ok(Rows { split: self.clone(), width, buffers, between: Vec::new() })
    }
}

impl<T: Element> Rows<T> {
    /// How many elements a row has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Which rows each device has.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// Launches on every device: `launch` gets what the device has, its buffer of these rows, and its buffer of `to`.
    ///
    /// What it writes to the halo of `to` is replaced by the next [`exchange`](Self::exchange).
    ///
    /// # Errors
    ///
    /// [`Error::Split`] if `to` is split in another way, and the first error of a launch. Launches before that one
    /// were queued.
    pub fn step<U: Element>(
        &self,
        to: &mut Rows<U>,
        mut launch: impl FnMut(&Part, &Buffer<T>, &mut Buffer<U>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if !Arc::ptr_eq(&self.split.parts, &to.split.parts) {
            return Err(refused("the rows are split in two ways; make both with one `Split`"));
        }
        let parts = self.split.parts.iter().zip(&self.buffers).zip(&mut to.buffers);
        parts.into_iter().try_for_each(|((part, from), to)| launch(part, from, to))
    }

    /// Copies each row of a halo from the device whose own row it is. Between two parts on one device nothing leaves it; between
    /// devices the rows go through the host, which asks all devices before it waits for one.
    ///
    /// # Errors
    ///
    /// What reads and writes may fail with.
    pub fn exchange(&mut self) -> Result<(), Error> {
        let parts = self.split.parts.clone();
        let mut asked = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            for (from, other) in parts.iter().enumerate().filter(|(from, _)| *from != at) {
                let rows = part.held.start.max(other.own.start)..part.held.end.min(other.own.end);
                if rows.is_empty() || self.width == 0 {
                    continue;
                }
                let source = self.elements(other, &rows);
                let target = self.elements(part, &rows);
                let (low, high) = self.buffers.split_at_mut(at.max(from));
                let (from, to) = if from < at { (&low[from], &mut high[0]) } else { (&high[0], &mut low[at]) };
                if from.device().is(to.device()) {
                    to.slice_mut(target)?.copy_from(&from.slice(source)?)?;
                } else {
                    let bytes = source.len() * size_of::<T>();
                    asked.push((at, target, bytes, from.span().part(source)?.asked_bytes()?));
                }
            }
        }
        // Own rows alone were asked for, and no halo is one.
        for (at, target, bytes, receive) in asked {
            if self.between.len() < bytes {
                self.between.resize(bytes, 0);
            }
            let between = &mut self.between[..bytes];
            receive(between)?;
            self.buffers[at].slice_mut(target)?.span().write_bytes(between)?;
        }
        Ok(())
    }

    /// All elements, each from the device whose own row it is in.
    pub fn read(&self) -> Result<Vec<T>, Error> {
        let mut all = Vec::with_capacity(self.width * self.split.height);
        for (part, buffer) in self.split.parts.iter().zip(&self.buffers) {
            all.append(&mut buffer.read_range(self.elements(part, &part.own))?);
        }
        Ok(all)
    }

    /// Where rows are in a device's buffer.
    fn elements(&self, part: &Part, rows: &Range<usize>) -> Range<usize> {
        (rows.start - part.held.start) * self.width..(rows.end - part.held.start) * self.width
    }
}

fn refused(reason: &str) -> Error {
    Error::Split { reason: reason.to_owned() }
}
