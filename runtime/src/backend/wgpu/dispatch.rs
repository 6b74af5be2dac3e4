//! Launches on wgpu: what is bound, and how they are queued.

use super::batch::Batch;
use super::clock::Edge;
use super::cuts::Cuts;
use super::memory::{Key, Storage};
use super::movers::Mover;
use super::{BLOCK, Pipeline, Wgpu};
use crate::backend::outcome::{Inherited, Outcome, Queued};
use crate::backend::{Bound, Control, Part, writes};
use crate::error::Error;
use crate::kernel::Loaded;
use samebits_ir::launch::{Grid, LaunchBlock};
use std::num::NonZeroU64;
use std::sync::Arc;
use wgpu::{BindGroupEntry, BindingResource, BufferBinding, BufferUsages};

/// Bytes that are bound for a buffer without elements: enough for the word or block that a
/// load out of bounds reads. Both back ends of the compiler require that these bytes exist.
pub(super) const EMPTY: u64 = 256;

impl Wgpu {
    /// Queues a launch, whose arguments depend on these outcomes.
    pub(super) fn queue(
        &self,
        kernel: &Loaded,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Storage>],
        inherited: &Inherited,
    ) -> Result<Queued, Error> {
        let moves = self.moves(kernel, args)?;
        let mut batch = self.batch();
        while self.cuts.is_some() && batch.watched.is_full() {
            drop(batch);
            self.finish()?;
            batch = self.batch();
        }
        while batch.has_full_clock() {
            drop(batch);
            self.read_clock()?;
            batch = self.batch();
        }
        let Placed { batch: outcome, launch, number } =
            self.place(&mut batch, self.cuts.as_ref(), pipeline, groups, args, &moves, inherited)?;
        Ok(Queued { batch: Some(outcome), launch, number, afterwards: self.launched(batch) })
    }

    /// Puts a launch with all that belongs to it into a batch, whose launches count their loops in words of `cuts`.
    #[expect(clippy::too_many_arguments, reason = "each is one thing that a launch needs")]
    pub(super) fn place(
        &self,
        batch: &mut Batch,
        cuts: Option<&Cuts>,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Storage>],
        Moves { copies, mover }: &Moves<'_>,
        inherited: &Inherited,
    ) -> Result<Placed, Error> {
        let mut block = Block::take(batch);
        self.fill_block_of(&mut block, pipeline, groups, args);
        // Groups with words that are not the device's own are not kept.
        let mut bound = None;
        let is_kept = copies.is_empty() && !(pipeline.reports && batch.is_lent()) && pipeline.immediates;
        let parts = || storages(args).map(|(_, part)| part);
        // A launch that counts its loops has an offset of its own.
        let is_bound = is_kept && batch.bound.as_ref().is_some_and(|bound| bound.is_of(pipeline.number, parts()));
        let mut group = None;
        if !is_bound || pipeline.reports {
            let key = if is_kept { key(pipeline, args) } else { None };
            group = match key.as_ref().and_then(|key| self.groups.get(key)) {
                Some(group) => Some(group),
                None => {
                    let bindings = storages(args).map(|(index, (storage, start, size))| {
                        let copy = copies.iter().find(|copy| copy.index == index);
                        copy.map_or((&storage.buffer, start, size), |copy| (&copy.buffer, 0, copy.buffer.size()))
                    });
                    let group = self.group(pipeline, cuts, bindings, &block)?;
                    if let Some(key) = key {
                        self.groups.keep(key, group.clone(), parts().map(|part| part.0));
                    }
                    Some(group)
                }
            };
            // Copies end the pass, and with it what is bound.
            batch.bound = None;
            bound = key;
        }
        for copy in copies {
            let (of, here) = ((&copy.of.buffer, copy.start), (&copy.buffer, 0));
            match mover {
                Some(mover) if !copy.is_whole() => self.shift(batch, mover, of, here, copy.bytes)?,
                _ => batch.encoder(&self.device).copy_buffer_to_buffer(of.0, of.1, here.0, 0, copy.bytes),
            }
        }
        let outcome = batch.outcome();
        // Work that is in the same batch fails together with the launch.
        let mut earlier = inherited.iter().filter(|other| !Arc::ptr_eq(other, &outcome)).cloned().peekable();
        let cuts = cuts.filter(|_| pipeline.reports || earlier.peek().is_some());
        let watched = cuts.map(|cuts| batch.watched.begin(cuts, &pipeline.name, earlier));
        let (word, launch) = watched.unzip();
        batch.stamp(&self.device, Edge::Begin);
        self.record(batch, pipeline, group.as_ref(), word.filter(|_| pipeline.reports), block);
        let number = batch.stamp(&self.device, Edge::End);
        if group.is_some() {
            batch.bound = bound;
        }
        for copy in copies.iter().filter(|copy| copy.written) {
            let (of, here) = ((&copy.of.buffer, copy.start), (&copy.buffer, 0));
            match mover {
                Some(mover) if !copy.is_whole() => self.shift(batch, mover, here, of, copy.bytes)?,
                _ => batch.encoder(&self.device).copy_buffer_to_buffer(here.0, 0, of.0, of.1, copy.bytes),
            }
        }
        for (_, (storage, ..)) in storages(args) {
            storage.used_by(batch.number());
        }
        Ok(Placed { batch: outcome, launch, number })
    }

    /// What must be copied for a launch, and how.
    pub(super) fn moves<'a>(&self, kernel: &Loaded, args: &[Bound<'a, &'a Storage>]) -> Result<Moves<'a>, Error> {
        let copies = self.copies(kernel, args)?;
        let mover = if copies.iter().all(Copy::is_whole) { None } else { Some(self.mover(Mover::Bytes)?) };
        Ok(Moves { copies, mover })
    }

    /// Puts a launch into the batch, with its group unless that is bound, and with the offset of the
    /// word where it counts loops.
    pub(super) fn record(
        &self,
        batch: &mut Batch,
        pipeline: &Pipeline,
        group: Option<&wgpu::BindGroup>,
        word: Option<u32>,
        block: Block,
    ) {
        let pass = batch.pass(&self.device);
        if let Some(group) = group {
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, group, word.as_slice());
        }
        if pipeline.immediates {
            pass.set_immediates(0, bytemuck::cast_slice(&block.words));
        }
        let [x, y, z] = block.dispatched;
        pass.dispatch_workgroups(x, y, z);
        batch.words = block.words;
    }

    /// Writes the block for a launch with these arguments.
    pub(super) fn fill_block_of(
        &self,
        block: &mut Block,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Storage>],
    ) {
        let lens = args.iter().filter_map(|arg| match arg {
            Bound::Buffer(part) => Some(part.len),
            Bound::Scalar(_) => None,
        });
        let scalars = args.iter().filter_map(|arg| match arg {
            Bound::Scalar(words) => Some(*words),
            Bound::Buffer(_) => None,
        });
        self.fill_block(block, pipeline, groups, lens, scalars);
    }

    /// Writes the block for a launch.
    pub(super) fn fill_block<'s>(
        &self,
        block: &mut Block,
        pipeline: &Pipeline,
        groups: [u32; 3],
        lens: impl Iterator<Item = u32>,
        scalars: impl Iterator<Item = &'s [u32]>,
    ) {
        let grid = Grid::of_several(groups, pipeline.groups_at_once, self.limits.max_compute_workgroups_per_dimension);
        let Block { words, dispatched } = block;
        *dispatched = grid.dispatched;
        LaunchBlock::write(words, &grid, lens, scalars);
        words.resize(pipeline.words, 0);
        if !pipeline.immediates {
            // A uniform block is a multiple of 16 bytes.
            words.resize(words.len().next_multiple_of(BLOCK as usize / 4), 0);
        }
    }

    /// The parts that cannot be bound in place, and whether each is written: parts whose start is not aligned as the
    /// device requires, and parts that are only read while the launch writes the same memory
    /// elsewhere.
    pub(super) fn copied<'a>(
        &self,
        kernel: &Loaded,
        args: &[Bound<'a, &'a Storage>],
    ) -> impl Iterator<Item = (usize, (&'a Storage, u64, u64), bool)> {
        let alignment = u64::from(self.limits.min_storage_buffer_offset_alignment);
        let params = &kernel.function().0.params;
        let written = |index: usize| params.get(index).is_some_and(writes);
        storages(args).filter_map(move |(index, part)| {
            let (storage, start, _) = part;
            let mut others = storages(args);
            let torn = !written(index) && others.any(|(i, (other, ..))| written(i) && other.is(storage));
            (!start.is_multiple_of(alignment) || torn).then(|| (index, part, written(index)))
        })
    }

    /// Copies for these parts.
    fn copies<'a>(&self, kernel: &Loaded, args: &[Bound<'a, &'a Storage>]) -> Result<Vec<Copy<'a>>, Error> {
        let copy = |(index, (of, start, size), written): (usize, (&'a Storage, u64, u64), bool)| {
            // The copy is memory of the device's own, and counted as such.
            let buffer = self.storage(size)?.buffer.clone();
            let bytes = match args.get(index) {
                Some(Bound::Buffer(part)) if part.len > 0 => part.bytes,
                _ => size,
            };
            Ok(Copy { index, of, start, bytes, buffer, written })
        };
        self.copied(kernel, args).map(copy).collect()
    }

    /// A new buffer that holds these bytes.
    pub(super) fn filled(&self, bytes: &[u8], usage: BufferUsages) -> Result<wgpu::Buffer, Error> {
        let buffer = self.buffer(bytes.len() as u64, usage | BufferUsages::COPY_DST)?;
        // No batch uses a new buffer, so that it may be written at once.
        let written = self.scoped(|| self.queue.write_buffer(&buffer, 0, bytes));
        written.map_err(|error| self.failed(error, None))?;
        Ok(buffer)
    }

    /// The bind group of a launch whose buffers are all bound in place: one that is kept by its key, or a new one.
    pub(super) fn kept_group(
        &self,
        pipeline: &Pipeline,
        key: Option<Key>,
        args: &[Bound<'_, &Storage>],
        block: &Block,
    ) -> Result<wgpu::BindGroup, Error> {
        if let Some(group) = key.as_ref().and_then(|key| self.groups.get(key)) {
            return Ok(group);
        }
        let bindings = storages(args).map(|(_, (storage, start, size))| (&storage.buffer, start, size));
        let group = self.group(pipeline, None, bindings, block)?;
        if let Some(key) = key {
            self.groups.keep(key, group.clone(), storages(args).map(|(_, part)| part.0));
        }
        Ok(group)
    }

    /// The bind group of a launch whose buffers are bound at these places.
    pub(super) fn group<'b>(
        &self,
        pipeline: &Pipeline,
        cuts: Option<&Cuts>,
        bindings: impl Iterator<Item = (&'b wgpu::Buffer, u64, u64)>,
        block: &Block,
    ) -> Result<wgpu::BindGroup, Error> {
        let uniform = if pipeline.immediates {
            None
        } else {
            Some(self.filled(bytemuck::cast_slice(&block.words), BufferUsages::UNIFORM)?)
        };
        let part = |(buffer, offset, size)| {
            BindingResource::Buffer(BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
        };
        let mut entries = Vec::with_capacity(MOST_ENTRIES);
        let mut entry = |resource| entries.push(BindGroupEntry { binding: entries.len() as u32, resource });
        bindings.for_each(|binding| entry(part(binding)));
        if let Some(uniform) = &uniform {
            entry(uniform.as_entire_binding());
        }
        if let Some(tables) = &pipeline.tables {
            entry(tables.as_entire_binding());
        }
        if let (Some(cuts), true) = (cuts, pipeline.reports) {
            // Which word it is says the offset at each launch.
            entry(part((cuts.buffer(), 0, 4)));
        }
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = self.scoped(|| self.device.create_bind_group(&descriptor));
        group.map_err(|error| self.failed(error, None))
    }
}

/// The bindings of a group that need only one allocation.
const MOST_ENTRIES: usize = 11;

/// The launch's words as the kernel reads them, and the workgroups that are dispatched.
#[derive(Default)]
pub(super) struct Block {
    words: Vec<u32>,
    dispatched: [u32; 3],
}

impl Block {
    /// An empty one, in the room that the batch keeps.
    pub fn take(batch: &mut Batch) -> Self {
        Self { words: std::mem::take(&mut batch.words), dispatched: [0; 3] }
    }

    /// Its words, and the workgroups that are dispatched.
    pub fn into_parts(self) -> (Vec<u32>, [u32; 3]) {
        (self.words, self.dispatched)
    }
}

/// What a launch in a batch depends on.
pub(super) struct Placed {
    batch: Arc<Outcome>,
    /// Whether it runs to its end, where that is in doubt.
    pub launch: Option<Arc<Outcome>>,
    number: Option<usize>,
}

/// Copies of parts for one launch, and the kernel for those that begin or end within a word.
pub(super) struct Moves<'a> {
    copies: Vec<Copy<'a>>,
    mover: Option<Arc<Pipeline>>,
}

/// A part of memory in memory of its own, for one launch.
struct Copy<'a> {
    /// The argument.
    index: usize,
    of: &'a Storage,
    start: u64,
    bytes: u64,
    buffer: wgpu::Buffer,
    /// Whether it is copied back.
    written: bool,
}

impl Copy<'_> {
    /// Whether it is whole words, which the device itself copies.
    fn is_whole(&self) -> bool {
        self.start.is_multiple_of(4) && self.bytes.is_multiple_of(4)
    }
}

/// The key of a launch's bind group, if its buffers are not too many.
pub(super) fn key(pipeline: &Pipeline, args: &[Bound<'_, &Storage>]) -> Option<Key> {
    let mut key = Key::new(pipeline.number);
    storages(args).try_for_each(|(_, (storage, start, size))| key.add(storage, start, size))?;
    Some(key)
}

/// The buffers among arguments: which argument, its memory, where the binding begins, and
/// its bytes, whole words. An empty part is bound as the beginning of the memory.
pub(super) fn storages<'a>(args: &[Bound<'a, &'a Storage>]) -> impl Iterator<Item = (usize, (&'a Storage, u64, u64))> {
    args.iter().enumerate().filter_map(|(index, arg)| match *arg {
        Bound::Buffer(Part { memory, len: 0, .. }) => Some((index, (memory, 0, memory.buffer.size().min(EMPTY)))),
        Bound::Buffer(Part { memory, start, bytes, .. }) => Some((index, (memory, start, bytes.next_multiple_of(4)))),
        Bound::Scalar(_) => None,
    })
}
