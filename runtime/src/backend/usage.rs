//! How much memory a device's buffers have.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a device's buffers have of its memory; see [`Device::memory`](crate::Device::memory).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemoryUse {
    /// Buffers that the program has.
    pub buffers: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The most bytes that they ever had.
    pub most_bytes: u64,
    /// Bytes that dropped buffers had and that are kept for new ones.
    pub kept_bytes: u64,
}

/// Counts of a device.
#[derive(Default, Debug)]
pub(super) struct Usage {
    buffers: AtomicU64,
    bytes: AtomicU64,
    most: AtomicU64,
}

/// A memory that is counted as long as it lives.
#[derive(Debug)]
pub(super) struct Counted {
    usage: Arc<Usage>,
    bytes: u64,
}

impl Usage {
    /// Counts a memory of so many bytes.
    pub fn count(self: &Arc<Self>, bytes: u64) -> Counted {
        self.buffers.fetch_add(1, Relaxed);
        let now = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.most.fetch_max(now, Relaxed);
        Counted { usage: self.clone(), bytes }
    }

    /// The counts, beside bytes that are kept.
    pub fn told(&self, kept_bytes: u64) -> MemoryUse {
        let [buffers, bytes, most_bytes] = [&self.buffers, &self.bytes, &self.most].map(|count| count.load(Relaxed));
        MemoryUse { buffers, bytes, most_bytes, kept_bytes }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.usage.buffers.fetch_sub(1, Relaxed);
        self.usage.bytes.fetch_sub(self.bytes, Relaxed);
    }
}
