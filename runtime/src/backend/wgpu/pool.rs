//! Buffers that the program has dropped, kept for new ones.
//!
//! wgpu and drivers take long to make a buffer. A dropped one of moderate size is kept, whole, since wgpu tracks the use
//! of whole buffers, and a new one of the same class of sizes takes it.
//!
//! Invariants:
//!
//! - A buffer is taken only when every batch that uses it was submitted. Then the queue's order does the rest.
//! - A buffer that others have, or that is in an encoder of theirs, is never kept.

use std::sync::{Mutex, PoisonError};
use wgpu::Buffer;

/// The most bytes of a buffer that is kept.
const LARGEST: u64 = 64 << 20;
/// The most bytes that are kept.
const MOST: u64 = 256 << 20;
/// Bytes of the smallest class.
const SMALLEST: u64 = 256;

/// The kept buffers of a device.
#[derive(Default, Debug)]
pub(super) struct Pool(Mutex<Kept>);

#[derive(Default, Debug)]
struct Kept {
    /// With the batch that used each last, the one that was dropped first in front.
    buffers: Vec<(Buffer, u64)>,
    bytes: u64,
}

/// The size that a buffer for so many bytes gets: at most a quarter more, so that others can use it.
pub(super) fn class(bytes: u64) -> u64 {
    if bytes > LARGEST {
        return bytes;
    }
    let step = (bytes.max(SMALLEST).next_power_of_two() / 8).max(SMALLEST);
    bytes.max(SMALLEST).next_multiple_of(step)
}

impl Pool {
    /// A buffer of exactly this size, of which no batch after this one was the last user.
    pub fn take(&self, size: u64, submitted: u64) -> Option<Buffer> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.buffers.iter().position(|(buffer, batch)| buffer.size() == size && *batch <= submitted)?;
        kept.bytes -= size;
        Some(kept.buffers.remove(at).0)
    }

    /// Keeps a buffer that this batch used last. Those that were dropped long ago make room.
    pub fn keep(&self, buffer: Buffer, batch: u64) {
        let size = buffer.size();
        if size > LARGEST || class(size) != size {
            return;
        }
        let mut gone = Vec::new();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while kept.bytes + size > MOST {
            let (oldest, _) = kept.buffers.remove(0);
            kept.bytes -= oldest.size();
            gone.push(oldest);
        }
        kept.bytes += size;
        kept.buffers.push((buffer, batch));
        // Buffers go without the lock.
        drop(kept);
    }

    /// The bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Drops all of them.
    pub fn clear(&self) {
        let kept = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_at_most_a_quarter_larger() {
        for bytes in (1..100_000).chain([LARGEST - 1, LARGEST]) {
            let class = class(bytes);
            assert!(class >= bytes && class.is_multiple_of(4), "{bytes}");
            assert!(class <= SMALLEST.max(bytes + bytes / 4 + SMALLEST), "{bytes}: {class}");
            assert_eq!(self::class(class), class, "{bytes}");
        }
        assert_eq!(class(LARGEST + 4), LARGEST + 4);
    }
}
