//! Storage buffers, and the bind groups made of them.
//!
//! Making a bind group is the most expensive part of a launch, so the latest ones are kept. A kept
//! group holds its buffers. When memory is dropped, its groups are dropped too, so that no buffer
//! outlives the program's handle. Numbers of memory are never used twice, and equal keys mean
//! equal bindings.

use super::plan::Plan;
use super::pool::Pool;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Bind groups that are kept.
const KEPT: usize = 64;
/// The most buffers of a bind group that is kept.
const BINDINGS: usize = 8;

/// A storage buffer.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(super) buffer: wgpu::Buffer,
    /// The memory's identity in keys.
    number: u64,
    /// The batch that last used the memory other than by writing it.
    batch: AtomicU64,
    /// Whether a kept group or a plan may have this memory.
    bound: AtomicBool,
    groups: Arc<Groups>,
    /// Where the buffer goes when the memory is dropped.
    pool: Option<Arc<Pool>>,
    /// Whether somebody else has the buffer, or may use it at any time.
    left: AtomicBool,
}

impl Storage {
    /// The buffer as memory of the device that these groups belong to.
    pub(super) fn new(buffer: wgpu::Buffer, groups: Arc<Groups>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Relaxed);
        let [bound, left] = [(); 2].map(|()| AtomicBool::new(false));
        Self { buffer, number, batch: AtomicU64::new(0), bound, groups, pool: None, left }
    }

    /// The same, and the buffer goes into a pool when the memory is dropped.
    pub(super) fn pooled(buffer: wgpu::Buffer, groups: Arc<Groups>, pool: Arc<Pool>) -> Self {
        let mut memory = Self::new(buffer, groups);
        memory.pool = Some(pool);
        memory
    }

    /// Notes that somebody else has the buffer, or may use it at any time.
    pub(super) fn leave(&self) {
        self.left.store(true, Relaxed);
    }

    /// The memory's identity.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Notes that a kept group or a plan may have the memory, so that they hear when it is dropped.
    pub(super) fn tell_groups(&self) {
        self.bound.store(true, Relaxed);
    }

    /// Whether two are one.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.number == other.number
    }

    /// Notes that a batch uses the memory.
    pub(super) fn used_by(&self, batch: u64) {
        self.batch.fetch_max(batch, Relaxed);
    }

    /// The batch that last used the memory; 0 for none.
    pub(super) fn last_batch(&self) -> u64 {
        self.batch.load(Relaxed)
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        if self.bound.load(Relaxed) {
            self.groups.forget(self.number);
        }
        if let Some(pool) = self.pool.take()
            && !self.left.load(Relaxed)
        {
            pool.keep(self.buffer.clone(), self.last_batch());
        }
    }
}

/// What a bind group was made of: a pipeline's layout, and parts of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pipeline: u64,
    len: usize,
    /// Number, start and size.
    bindings: [(u64, u64, u64); BINDINGS],
}

impl Key {
    /// No bindings yet.
    pub fn new(pipeline: u64) -> Self {
        Self { pipeline, len: 0, bindings: [(0, 0, 0); BINDINGS] }
    }

    /// Adds one more binding; `None` if there are too many.
    pub fn add(&mut self, storage: &Storage, start: u64, size: u64) -> Option<()> {
        *self.bindings.get_mut(self.len)? = (storage.number, start, size);
        self.len += 1;
        Some(())
    }

    /// Whether it is the key of a pipeline and these bindings, each a memory with where it begins and its size. This is
    /// what most launches ask, so no key is made for it.
    pub fn is_of<'a>(&self, pipeline: u64, mut bindings: impl Iterator<Item = (&'a Storage, u64, u64)>) -> bool {
        let same = self.bindings[..self.len]
            .iter()
            .all(|known| bindings.next().is_some_and(|(storage, start, size)| *known == (storage.number, start, size)));
        self.pipeline == pipeline && same && bindings.next().is_none()
    }
}

/// The kept bind groups of a device.
#[derive(Default, Debug)]
pub(super) struct Groups(Mutex<Kept>);

#[derive(Default, Debug)]
struct Kept {
    entries: Vec<(Key, wgpu::BindGroup)>,
    /// The entry that goes next.
    oldest: usize,
    /// Recorded work that has groups of its own.
    plans: Vec<Weak<Plan>>,
}

impl Kept {
    /// The plans that still exist.
    fn plans(&self) -> Vec<Arc<Plan>> {
        self.plans.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Groups {
    /// The group of a key.
    pub fn get(&self, key: &Key) -> Option<wgpu::BindGroup> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entries.iter().find(|(other, _)| other == key).map(|(_, group)| group.clone())
    }

    /// Keeps a group of these memories.
    pub fn keep<'a>(&self, key: Key, group: wgpu::BindGroup, of: impl Iterator<Item = &'a Storage>) {
        of.for_each(Storage::tell_groups);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.oldest;
        match kept.entries.get_mut(at) {
            Some(entry) => *entry = (key, group),
            None => kept.entries.push((key, group)),
        }
        kept.oldest = (at + 1) % KEPT;
    }

    /// From now on the plan hears of memory that is dropped.
    pub fn tell(&self, plan: &Arc<Plan>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.plans.retain(|plan| plan.strong_count() > 0);
        kept.plans.push(Arc::downgrade(plan));
    }

    /// Drops the groups that this memory is part of.
    fn forget(&self, number: u64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entries.retain(|(key, _)| key.bindings[..key.len].iter().all(|binding| binding.0 != number));
        kept.oldest = kept.entries.len() % KEPT;
        let plans = kept.plans();
        // Who has locked a plan may need the groups.
        drop(kept);
        plans.iter().for_each(|plan| plan.forget(number));
    }

    /// Drops all of them.
    pub fn clear(&self) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entries.clear();
        kept.oldest = 0;
        let plans = kept.plans();
        drop(kept);
        plans.iter().for_each(|plan| plan.clear());
    }
}
