//! Recorded work as wgpu takes it, to be queued again: pipelines, bind groups and the words of launches.
//!
//! A part of the work is noted once, and queued as often as it stays the same. All of it goes into the batch under one
//! lock, so that nothing is left to do for a launch but wgpu's own calls.
//!
//! Invariants:
//!
//! - A plan holds no memory that the program has dropped: [`Groups`](super::memory::Groups) tells it.
//! - While a plan is locked, no memory is dropped, and no driver is asked for anything that may take its time.

use super::dispatch::{Block, key, storages};
use super::memory::{Key, Storage};
use super::{Pipeline, Wgpu};
use crate::backend::outcome::{Inherited, Outcome};
use crate::backend::{Again, Bound, EachMemory, Memory, PerArgument, Step};
use crate::error::Error;
use crate::kernel::Loaded;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Work that is queued again and again, each part at its place.
#[derive(Default, Debug)]
pub(crate) struct Plan(Mutex<Vec<Noted>>);

/// A part of the work.
#[derive(Debug)]
enum Noted {
    /// It was never noted, or its memory was dropped.
    Gone,
    /// There is nothing to do.
    Nothing,
    /// A launch of a kernel.
    Launch { bindings: Arc<Bindings>, words: Vec<u32>, dispatched: [u32; 3] },
    /// A copy of whole words between two buffers.
    Copy { from: Place, to: Place, bytes: u64 },
    /// Bytes that become zero.
    Clear { at: Place, bytes: u64 },
}

/// What is set in a pass before launches that share it.
#[derive(Debug)]
struct Bindings {
    pipeline: Arc<Pipeline>,
    group: wgpu::BindGroup,
    /// What the group was made of; `None` of one that belongs to a single launch.
    key: Option<Key>,
    /// The numbers of all memory that is bound.
    memories: Vec<u64>,
}

/// Where bytes begin.
#[derive(Debug)]
struct Place {
    buffer: wgpu::Buffer,
    memory: u64,
    start: u64,
}

impl Place {
    fn new(storage: &Storage, start: u64) -> Self {
        Self { buffer: storage.buffer.clone(), memory: storage.number(), start }
    }
}

impl Noted {
    /// Whether it uses a memory.
    fn uses(&self, memory: u64) -> bool {
        match self {
            Self::Gone | Self::Nothing => false,
            Self::Launch { bindings, .. } => bindings.memories.contains(&memory),
            Self::Copy { from, to, .. } => from.memory == memory || to.memory == memory,
            Self::Clear { at, .. } => at.memory == memory,
        }
    }
}

impl Plan {
    fn lock(&self) -> MutexGuard<'_, Vec<Noted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out what uses this memory.
    pub fn forget(&self, memory: u64) {
        let mut noted = self.lock();
        noted.iter_mut().filter(|noted| noted.uses(memory)).for_each(|noted| *noted = Noted::Gone);
    }

    /// Takes out everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// The bindings of the launch before a place, if a launch can share them.
    fn bindings_before(&self, at: usize, pipeline: &Pipeline, key: &Key) -> Option<Arc<Bindings>> {
        match self.lock().get(at.checked_sub(1)?)? {
            Noted::Launch { bindings, .. } => {
                let same = bindings.pipeline.number == pipeline.number && bindings.key.as_ref() == Some(key);
                same.then(|| bindings.clone())
            }
            Noted::Gone | Noted::Nothing | Noted::Copy { .. } | Noted::Clear { .. } => None,
        }
    }

    /// Puts a part at its place.
    fn put(&self, at: usize, noted: Noted) {
        let mut all = self.lock();
        if all.len() <= at {
            all.resize_with(at + 1, || Noted::Gone);
        }
        all[at] = noted;
    }
}

impl Wgpu {
    /// An empty plan, which hears of memory that is dropped.
    pub(super) fn new_plan(&self) -> Arc<Plan> {
        let plan = Arc::new(Plan::default());
        self.groups.tell(&plan);
        plan
    }

    /// Notes a part of the work at its place; whether the plan can hold it.
    pub(super) fn note_step(
        &self,
        plan: &Plan,
        at: usize,
        step: Option<&Step<'_>>,
        pipeline: Option<&Arc<Pipeline>>,
    ) -> Result<bool, Error> {
        let noted = match (step, pipeline) {
            (None, _) => Some(Noted::Nothing),
            (Some(Step::Launch { kernel, groups, args }), Some(pipeline)) => {
                self.noted_launch(plan, at, (kernel, pipeline), *groups, args)?
            }
            (Some(Step::Launch { .. }), None) => None,
            (Some(Step::Fill { memory, bytes, pattern }), _) => {
                let (start, bytes) = (bytes.start, bytes.end - bytes.start);
                let fits = pattern.iter().all(|byte| *byte == 0) && [start, bytes].iter().all(|x| x.is_multiple_of(4));
                let storage = memory.of::<Storage>().filter(|_| fits);
                storage.map(|storage| Noted::Clear { at: planned(storage, start), bytes })
            }
            (Some(Step::Copy { from, to, bytes }), _) => self.noted_copy(*from, *to, *bytes)?,
        };
        let fits = noted.is_some();
        plan.put(at, noted.unwrap_or(Noted::Gone));
        Ok(fits)
    }

    /// A launch, unless something must be copied for it, or its loops are counted.
    fn noted_launch(
        &self,
        plan: &Plan,
        at: usize,
        (kernel, pipeline): (&Loaded, &Arc<Pipeline>),
        groups: [u32; 3],
        args: &[Bound<'_>],
    ) -> Result<Option<Noted>, Error> {
        let mut own = PerArgument::new(args.len(), Bound::Scalar(&[]));
        let own = own.as_mut_slice();
        for (own, arg) in own.iter_mut().zip(args) {
            let Some(arg) = arg.of::<Storage>() else { return Ok(None) };
            *own = arg;
        }
        if pipeline.reports || self.copied(kernel, own).next().is_some() {
            return Ok(None);
        }
        let mut block = Block::default();
        self.fill_block_of(&mut block, pipeline, groups, own);
        // A group with words of its own is no other launch's.
        let key = if pipeline.immediates { key(pipeline, own) } else { None };
        let shared = key.as_ref().and_then(|key| plan.bindings_before(at, pipeline, key));
        let bindings = match shared {
            Some(bindings) => bindings,
            None => {
                let group = self.kept_group(pipeline, key, own, &block)?;
                let memories = storages(own).map(|(_, (storage, ..))| planned(storage, 0).memory).collect();
                Arc::new(Bindings { pipeline: pipeline.clone(), group, key, memories })
            }
        };
        let (words, dispatched) = block.into_parts();
        Ok(Some(Noted::Launch { bindings, words, dispatched }))
    }

    /// A copy, if the driver makes it in one go.
    fn noted_copy(&self, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<Option<Noted>, Error> {
        let (Some(source), Some(target)) = (from.0.of::<Storage>(), to.0.of::<Storage>()) else { return Ok(None) };
        let whole = [bytes, from.1, to.1].iter().all(|bytes| bytes.is_multiple_of(4));
        if !whole || source.is(target) || self.copier(bytes, [from.1, to.1])?.is_some() {
            return Ok(None);
        }
        Ok(Some(Noted::Copy { from: planned(source, from.1), to: planned(target, to.1), bytes }))
    }

    /// Queues all of a plan, of as many parts as are expected; the outcome of the work, which gathers then. `each` calls a
    /// function with all memory, which depends on the outcomes that are inherited.
    pub(super) fn queue_plan(
        &self,
        plan: &Plan,
        count: usize,
        each: &EachMemory<'_, Storage>,
        inherited: &Inherited,
    ) -> Result<Arc<Outcome>, Again> {
        let noted = plan.lock();
        if noted.len() != count || noted.iter().any(|noted| matches!(noted, Noted::Gone)) {
            return Err(Again::Gone);
        }
        let mut batch = self.batch();
        let outcome = batch.outcome();
        // What is in the same batch fails together. Else each launch depends on what its own arguments did.
        if batch.clock.is_some() || inherited.iter().any(|other| !Arc::ptr_eq(other, &outcome)) {
            return Err(Again::NotNow);
        }
        let mut set: Option<&Arc<Bindings>> = None;
        for noted in &*noted {
            match noted {
                Noted::Gone | Noted::Nothing => {}
                Noted::Launch { bindings, words, dispatched: [x, y, z] } => {
                    let pass = batch.pass(&self.device);
                    if !set.is_some_and(|set| Arc::ptr_eq(set, bindings)) {
                        pass.set_pipeline(&bindings.pipeline.pipeline);
                        pass.set_bind_group(0, &bindings.group, &[]);
                        set = Some(bindings);
                    }
                    if bindings.pipeline.immediates {
                        pass.set_immediates(0, bytemuck::cast_slice(words));
                    }
                    pass.dispatch_workgroups(*x, *y, *z);
                    batch.count_launch();
                }
                Noted::Copy { from, to, bytes } => {
                    set = None;
                    let encoder = batch.encoder(&self.device);
                    encoder.copy_buffer_to_buffer(&from.buffer, from.start, &to.buffer, to.start, *bytes);
                }
                Noted::Clear { at, bytes } => {
                    set = None;
                    batch.encoder(&self.device).clear_buffer(&at.buffer, at.start, Some(*bytes));
                }
            }
        }
        batch.bound = None;
        batch.begin_gathering();
        each(&mut |storage| storage.used_by(batch.number()));
        Ok(outcome)
    }
}

/// A place in memory of which a plan will hear when it is dropped.
fn planned(storage: &Storage, start: u64) -> Place {
    storage.tell_groups();
    Place::new(storage, start)
}
