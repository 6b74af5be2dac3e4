//! wgpu as a back end: the search for devices, what a device is asked, and how bytes move.
//!
//! Bytes move in three ways: whole words are written at once, copies are queued like launches, and
//! a read is the end of a batch ([`super::reads`]). What begins or ends within a word goes through a kernel
//! ([`super::bytes`]), and so does what is large ([`super::blocks`]).

use super::adapters::{self, Adapter, adapters};
use super::batch::Batch;
use super::movers::Mover;
use super::plan::Plan;
use super::reads::Asked;
use super::settings::Shaders;
use super::writes::Chunks;
use super::{BLOCK, Pipeline, Storage, Wgpu, blocks, pool};
use crate::backend::find::Found;
use crate::backend::outcome::{Failures, Inherited, Outcome, Queued};
#[cfg(target_family = "wasm")]
use crate::backend::waiter::Work;
use crate::backend::{
    Again, Backend, Bound, CAN_WAIT, Control, EachMemory, LaunchKind, Limits, Sink, Step, conditions,
};
use crate::error::Error;
use crate::kernel::Loaded;
use crate::report::{Emitted, Report, Way};
use samebits_ir::backend::{naga, spirv};
use samebits_ir::caps::Capabilities;
use samebits_ir::soft::plan::Native;
use std::ops::{DerefMut, Range};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use wgpu::BufferUsages;

/// Bytes of an empty buffer's memory: enough for the word or block that a load out of bounds reads.
const SMALLEST: u64 = 256;

/// The fewest workgroups on x of a large launch.
const ENOUGH: u32 = 16;

/// The devices that exist at the moment, hardware first.
pub(crate) fn find() -> Vec<Found> {
    let found = |adapter: Adapter| {
        Found::new(adapter.name().to_owned(), adapter.is_hardware(), move || Wgpu::open(&adapter, None))
    };
    adapters().into_iter().map(found).collect()
}

impl Control for Wgpu {
    fn native(&self) -> Option<Native> {
        Some(if self.spirv.is_some() { self.native } else { self.native.limited_to(naga::writes) })
    }

    fn emitted(&self, kernel: &Loaded) -> Option<Emitted> {
        self.emitted_with(kernel, LaunchKind::of(conditions::all(kernel.conditions())))
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_gpu(&self) -> bool {
        self.adapter.is_hardware()
    }

    fn limits(&self) -> Limits {
        let limits = &self.limits;
        // Lengths are 32 bits wide on devices, so that more than this many words are never of use.
        let addressable = u64::from(u32::MAX) * 4;
        Limits {
            view_alignment: limits.min_storage_buffer_offset_alignment,
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
                .min(limits.max_bindings_per_bind_group.saturating_sub(1))
                .saturating_sub(u32::from(self.cuts.is_some())),
            // The part of the size that is no whole block cannot be filled.
            argument_bytes: u64::from(self.immediate_bytes)
                .max(limits.max_uniform_buffer_binding_size / BLOCK * BLOCK)
                .try_into()
                .unwrap_or(u32::MAX),
        }
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn report(&self) -> Report {
        let info = self.adapter.raw().get_info();
        let words =
            |texts: &[&str]| texts.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join(" ");
        let (driver, api, way, reported) = match &self.reported {
            Some(reported) => {
                let [major, minor] = reported.api;
                (reported.driver.clone(), format!("Vulkan {major}.{minor}"), Way::Spirv, reported.list())
            }
            None => (words(&[&info.driver, &info.driver_info]), info.backend.to_string(), Way::Naga, Vec::new()),
        };
        Report {
            device: self.name.clone(),
            driver: Some(driver).filter(|driver| !driver.is_empty()),
            api: Some(api),
            way,
            instructions: None,
            native: self.native(),
            subgroups: self.subgroups,
            capabilities: self.capabilities,
            reported,
        }
    }

    fn finish(&self) -> Result<(), Error> {
        self.wait_for_all()
    }

    fn failures(&self) -> &Failures {
        &self.failures
    }

    fn submissions(&self) -> u64 {
        self.submitted.lock().unwrap_or_else(PoisonError::into_inner).submissions
    }

    fn lose(&self) {
        let _alone = adapters::alone();
        self.device.destroy();
        let _ = self.wait(None);
    }

    fn spoil(&self) {
        let Ok(buffer) = self.buffer(4, BufferUsages::COPY_SRC | BufferUsages::COPY_DST) else { return };
        self.batch().encoder(&self.device).copy_buffer_to_buffer(&buffer, 0, &buffer, 1 << 20, 4);
    }

    fn set_large(&self, invocations: u64) {
        self.large.store(invocations, Ordering::Relaxed);
    }

    fn set_timeout(&self, timeout: Duration) {
        self.timeout.store(timeout.as_millis().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Wgpu {
    /// Storage of this many bytes of zero, a multiple of four.
    pub(super) fn storage(&self, bytes: u64) -> Result<Storage, Error> {
        self.new_buffer(bytes).map(|buffer| Storage::new(buffer, self.groups.clone()))
    }

    /// Storage of at least this many bytes, of whatever value, for a buffer of the program's; and whether
    /// they are zero.
    fn room(&self, bytes: u64) -> Result<(Storage, bool), Error> {
        let size = pool::class(bytes.next_multiple_of(4).max(SMALLEST)).min(self.limits().buffer_bytes / 4 * 4);
        let kept = self.pool.take(size, self.last_submitted.load(Ordering::Acquire));
        let is_zero = kept.is_none();
        let buffer = kept.map_or_else(|| self.new_buffer(size), Ok)?;
        Ok((Storage::pooled(buffer, self.groups.clone(), self.pool.clone()), is_zero))
    }

    /// A buffer of this many bytes of zero.
    fn new_buffer(&self, bytes: u64) -> Result<wgpu::Buffer, Error> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.grown(bytes)?;
        match self.buffer(bytes, usage) {
            // What was dropped is free only when nothing keeps it and the work that used it is done.
            Err(Error::OutOfMemory { .. }) => {
                self.pool.clear();
                self.finish()?;
                self.buffer(bytes, usage)
            }
            other => other,
        }
    }
}

impl Wgpu {
    /// Puts a copy into a batch that is taken when all is ready for it.
    pub(super) fn copy_in<B: DerefMut<Target = Batch>>(
        &self,
        batch: impl FnOnce() -> B,
        from: (&Storage, u64),
        to: (&Storage, u64),
        bytes: u64,
    ) -> Result<B, Error> {
        let whole = [bytes, from.1, to.1].iter().all(|bytes| bytes.is_multiple_of(4));
        let mover = if whole { None } else { Some(self.mover(Mover::Bytes)?) };
        // A device copies between two buffers only.
        let before = from.1 % 4;
        let between_bytes = (before + bytes).next_multiple_of(4);
        let between = if from.0.is(to.0) { Some(self.storage(between_bytes)?) } else { None };
        let begins = if between.is_some() { before } else { from.1 };
        let copier = if whole { self.copier(bytes, [begins, to.1])? } else { None };
        let mut batch = batch();
        let source = match &between {
            Some(between) => {
                let encoder = batch.encoder(&self.device);
                encoder.copy_buffer_to_buffer(&from.0.buffer, from.1 - before, &between.buffer, 0, between_bytes);
                (&between.buffer, before)
            }
            None => (&from.0.buffer, from.1),
        };
        match (mover, copier) {
            (Some(mover), _) => self.shift(&mut batch, &mover, source, (&to.0.buffer, to.1), bytes)?,
            (None, Some(copier)) => self.copy_blocks(&mut batch, &copier, source, (&to.0.buffer, to.1), bytes)?,
            (None, None) => {
                let encoder = batch.encoder(&self.device);
                encoder.copy_buffer_to_buffer(source.0, source.1, &to.0.buffer, to.1, bytes);
            }
        }
        from.0.used_by(batch.number());
        to.0.used_by(batch.number());
        Ok(batch)
    }
}

impl Backend for Wgpu {
    type Memory = Storage;
    type Pipeline = Pipeline;
    type Asked = Asked;
    type Plan = Plan;

    const QUEUES: bool = true;
    const USES_CONDITIONS: bool = true;

    fn other_way(&self) -> Option<Result<Self, Error>> {
        self.spirv.as_ref().map(|_| Self::open(&self.adapter, Some(Shaders::Naga)))
    }

    fn zeros(&self, bytes: u64) -> Result<(Storage, Option<Arc<Outcome>>), Error> {
        let (storage, is_zero) = self.room(bytes)?;
        if is_zero || bytes == 0 {
            return Ok((storage, None));
        }
        let cleared = self.repeat(&storage, 0..bytes.next_multiple_of(4), &[0])?;
        Ok((storage, Some(cleared)))
    }

    fn uninitialised(&self, bytes: u64) -> Result<(Storage, Option<Arc<Outcome>>), Error> {
        Ok((self.room(bytes)?.0, None))
    }

    fn kept_bytes(&self) -> u64 {
        self.pool.bytes()
    }

    fn trim(&self) -> Result<(), Error> {
        self.pool.clear();
        self.groups.clear();
        self.slots.clear();
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).clear();
        // The driver gets back what the work that is on its way still uses when that is done.
        if CAN_WAIT { self.finish() } else { self.check() }
    }

    /// Whole words are written at once. Bytes before and after them are queued, and the outcome is
    /// that of their batch.
    fn write(&self, storage: &Storage, offset: u64, bytes: &[u8]) -> Result<Option<Arc<Outcome>>, Error> {
        let before = (offset.next_multiple_of(4) - offset).min(bytes.len() as u64);
        let (head, bytes) = bytes.split_at(before as usize);
        let (words, tail) = bytes.split_at(bytes.len() / 4 * 4);
        self.write_words(storage, offset + before, words)?;
        let mut queued = None;
        for (at, some) in [(offset, head), (offset + before + words.len() as u64, tail)] {
            if some.is_empty() {
                continue;
            }
            let mut word = [0; 4];
            word[..some.len()].copy_from_slice(some);
            let (mover, scratch) = (self.mover(Mover::Bytes)?, self.storage(4)?);
            self.write_words(&scratch, 0, &word)?;
            let mut batch = self.batch();
            self.shift(&mut batch, &mover, (&scratch.buffer, 0), (&storage.buffer, at), some.len() as u64)?;
            storage.used_by(batch.number());
            queued = Some(batch.outcome());
            self.launched(batch)?;
        }
        Ok(queued)
    }

    fn fill(&self, storage: &Storage, bytes: Range<u64>, pattern: &[u8]) -> Result<Option<Arc<Outcome>>, Error> {
        if blocks::repeats(pattern) { self.repeat(storage, bytes, pattern).map(Some) } else { Ok(None) }
    }

    fn sink<'a>(&'a self, storage: &'a Storage, at: u64) -> Box<dyn Sink + 'a> {
        Box::new(Chunks::new(self, storage, at))
    }

    fn read_pieces(
        &self,
        storage: &Storage,
        bytes: Range<u64>,
        unit: usize,
        can_show: &mut dyn FnMut() -> Result<(), Error>,
        show: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        self.show_pieces(storage, bytes, unit, can_show, show)
    }

    fn read(&self, storage: &Storage, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.read_bytes(storage, offset, out)
    }

    fn ask(&self, from: Option<(&Storage, u64, u64)>) -> Result<Asked, Error> {
        self.ask_for(from)
    }

    fn receive(&self, asked: Asked, out: &mut [u8]) -> Result<(), Error> {
        self.receive_from(asked, out)
    }

    /// The browser calls back when the queue is done, and when the mappings that were asked for before are.
    #[cfg(target_family = "wasm")]
    fn when_done(&self, work: Work) -> Result<(), Work> {
        self.queue.on_submitted_work_done(work);
        Ok(())
    }

    /// The copy happens if the driver takes its batch.
    fn copy(&self, from: (&Storage, u64), to: (&Storage, u64), bytes: u64) -> Result<Option<Arc<Outcome>>, Error> {
        let batch = self.copy_in(|| self.batch(), from, to, bytes)?;
        let outcome = batch.outcome();
        self.launched(batch)?;
        Ok(Some(outcome))
    }

    fn begin_together(&self) {
        self.gather();
    }

    fn end_together(&self) -> Result<(), Error> {
        self.submit_gathered()
    }

    fn plan(&self) -> Option<Arc<Plan>> {
        Some(self.new_plan())
    }

    fn note(
        &self,
        plan: &Plan,
        at: usize,
        step: Option<&Step<'_>>,
        pipeline: Option<&Arc<Pipeline>>,
    ) -> Result<bool, Error> {
        self.note_step(plan, at, step, pipeline)
    }

    fn again(
        &self,
        plan: &Plan,
        count: usize,
        each: &EachMemory<'_, Storage>,
        inherited: &Inherited,
    ) -> Result<Arc<Outcome>, Again> {
        self.queue_plan(plan, count, each, inherited)
    }

    fn start_clock(&self) -> Result<(), Error> {
        self.start_own_clock()
    }

    fn stop_clock(&self) -> Result<Vec<[u64; 2]>, Error> {
        self.stop_own_clock()
    }

    fn is_large(&self, kernel: &Loaded, groups: [u32; 3]) -> bool {
        let size = kernel.function().0.invocations();
        let invocations = groups.iter().fold(size, |all, &count| all.saturating_mul(count.into()));
        let large = self.large.load(Ordering::Relaxed);
        // Along x there are enough for the last few not to matter.
        invocations > large && (groups[0] >= ENOUGH || large == 0)
    }

    fn has_large_form(&self, kernel: &Loaded) -> bool {
        let Some(target) = &self.spirv else { return false };
        spirv::has_large_form(kernel.checked(), kernel.index(), &spirv::Target { native: self.native, ..*target })
    }

    fn compile(&self, kernel: &Loaded, kind: LaunchKind) -> Result<Pipeline, Error> {
        self.compile_with(kernel, self.native, kind)
    }

    fn dispatch(
        &self,
        kernel: &Loaded,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Storage>],
        inherited: &Inherited,
    ) -> Result<Queued, Error> {
        self.queue(kernel, pipeline, groups, args, inherited)
    }
}
