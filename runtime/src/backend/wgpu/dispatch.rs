//! Kernels on wgpu: pipelines, bindings and launches.
//!
//! Buffers are bound in order from 0. The launch block (`samebits_ir::launch`) follows them as a
//! uniform buffer where the device has no room for it as immediate data. Then come the kernel's
//! tables, and last the launch's word where cut loops are counted ([`super::cuts`]).

use super::batch::Batch;
use super::memory::{Key, Storage};
use super::{BLOCK, Floats, Wgpu};
use crate::backend::outcome::{Inherited, Queued};
use crate::backend::{Backend, Bound, Control, Part, writes};
use crate::error::Error;
use crate::kernel::Loaded;
use samebits_ir::backend::naga::{Options, Shader, emit};
use samebits_ir::ir::ParamKind;
use samebits_ir::launch::{Grid, LaunchBlock};
use samebits_ir::limits::Limit;
use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use wgpu::{
    BindGroupEntry, BindGroupLayoutEntry, BindingResource, BindingType, BufferBinding, BufferBindingType, BufferUsages,
    ShaderStages,
};

/// Bytes that are bound for a buffer without elements: enough for the word or block that a
/// load out of bounds reads. naga requires that these bytes exist.
const EMPTY: u64 = 256;

/// A kernel as wgpu runs it.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// The pipeline's identity among those of its device.
    number: u64,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// Whether the block is immediate data.
    immediates: bool,
    /// Words of the block.
    words: usize,
    /// The kernel's tables, if it has any that are not part of its module.
    tables: Option<wgpu::Buffer>,
    /// Whether it says that the device ended its loops.
    reports: bool,
    /// The kernel.
    name: Arc<str>,
}

impl Wgpu {
    /// Compiles a kernel that uses this much of the device's own arithmetic, for launches that
    /// fulfil these conditions.
    pub(super) fn compile_with(&self, kernel: &Loaded, floats: Floats, fulfilled: u64) -> Result<Pipeline, Error> {
        let (_, facts) = kernel.function();
        let bytes = facts.needs.get(Limit::ArgumentBytes);
        let immediates = bytes <= self.immediate_bytes;
        // The launch binds its own word.
        let report_cut_loops = self.cuts.as_ref().map(|_| 0);
        let (function, _) = kernel.function();
        let zero_in_loops = self.own_spirv && !function.private.is_empty();
        let options = Options {
            immediates,
            native: floats.native(),
            report_cut_loops,
            launch_conditions: fulfilled,
            lane_stores: self.lane_stores,
            wgsl_rules: false,
            subgroups: self.subgroups,
            zero_in_loops,
            // Without room for one more buffer, the tables are part of the module.
            table_buffer: facts.needs.get(Limit::Buffers) < self.limits().buffers,
        };
        let shader = emit(kernel.checked(), kernel.index(), &options).ok_or_else(|| kernel.missing())?;
        let refused = |error: wgpu::Error| match self.failed(error, None) {
            Error::Driver { device, reason } => Error::KernelRefused { kernel: kernel.name.clone(), device, reason },
            other => other,
        };
        let tables = match shader.tables.as_slice() {
            [] => None,
            words => Some(self.filled(bytemuck::cast_slice(words), BufferUsages::STORAGE)?),
        };
        self.scoped(|| self.pipeline(kernel, shader, immediates, tables)).map_err(refused)
    }

    fn pipeline(&self, kernel: &Loaded, shader: Shader, immediates: bool, tables: Option<wgpu::Buffer>) -> Pipeline {
        let entry = |binding, ty, has_dynamic_offset| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let mut entries = Vec::new();
        for param in &kernel.function().0.params {
            if let ParamKind::Buffer { .. } = param.kind {
                let read_only = !writes(param);
                entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only }, false));
            }
        }
        if !immediates {
            entries.push(entry(entries.len() as u32, BufferBindingType::Uniform, false));
        }
        if tables.is_some() {
            entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only: true }, false));
        }
        if shader.reports {
            entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only: false }, true));
        }
        let (reports, words) = (shader.reports, shader.param_words as usize);
        let label = Some(kernel.name.as_str());
        let layout =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: if immediates { shader.param_words * 4 } else { 0 },
        });
        let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
        // Without the bound, Mesa's llvmpipe (22.3) ran a loop once more that ends in its first
        // round.
        checks.force_loop_bounding = shader.unbounded || self.cuts.is_some();
        // SAFETY: wgpu requires that a module without its checks does by itself what they are for.
        // - Bounds: each access is to an element below the bound number of elements, by a
        //   comparison before it or by a proof. If a proof rests on conditions, only launches that
        //   fulfil them get the module. The conditions are about the numbers of elements that the
        //   module is told and that the buffers are bound with. A buffer without elements is bound
        //   with `EMPTY` bytes, more than the word or block that a load out of bounds reads. The
        //   module comes from a `Checked`, and from nowhere else.
        // - Loops: those that are not proven to end keep wgpu's bound.
        // - Division: a selection before it rules out a zero divisor and an overflow.
        // - wgpu's other checks are about rays and meshes, which a compute kernel does not have.
        let spirv = if shader.zeroed_in_loops { shader.spirv(checks.force_loop_bounding).ok() } else { None };
        let module = match spirv {
            Some(words) => {
                let [x, y, z] = kernel.function().0.workgroup_size();
                let entry = wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (x, y, z) };
                let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
                    label,
                    entry_points: Cow::Owned(vec![entry]),
                    spirv: Some(Cow::Owned(words)),
                    ..wgpu::ShaderModuleDescriptorPassthrough::default()
                };
                // SAFETY: naga has validated the module and written the words. Only the initial
                // values of some arrays were removed, and the module sets these arrays to zero
                // before anything else. The rest is as above.
                unsafe { self.device.create_shader_module_passthrough(descriptor) }
            }
            None => {
                let source = wgpu::ShaderSource::Naga(Cow::Owned(shader.module));
                let descriptor = wgpu::ShaderModuleDescriptor { label, source };
                // SAFETY: as above.
                unsafe { self.device.create_shader_module_trusted(descriptor, checks) }
            }
        };
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let number = self.pipelines.fetch_add(1, Ordering::Relaxed);
        let name = kernel.name.as_str().into();
        Pipeline { number, pipeline, layout, immediates, words, tables, reports, name }
    }

    /// Queues a launch, whose arguments depend on these outcomes.
    pub(super) fn queue(
        &self,
        kernel: &Loaded,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_, &Storage>],
        inherited: &Inherited,
    ) -> Result<Queued, Error> {
        let copies = self.copies(kernel, args)?;
        let mover = if copies.iter().all(Copy::is_whole) { None } else { Some(self.mover()?) };
        let mut batch = self.batch();
        while self.cuts.is_some() && batch.watched.is_full() {
            drop(batch);
            self.finish()?;
            batch = self.batch();
        }
        let mut block = Block::take(&mut batch);
        let lens = args.iter().filter_map(|arg| match arg {
            Bound::Buffer(part) => Some(part.len),
            Bound::Scalar(_) => None,
        });
        let scalars = args.iter().filter_map(|arg| match arg {
            Bound::Scalar(words) => Some(*words),
            Bound::Buffer(_) => None,
        });
        self.fill_block(&mut block, pipeline, groups, lens, scalars);
        let key = if copies.is_empty() { key(pipeline, args) } else { None };
        let mut group = None;
        if key.is_none() || key != batch.bound || pipeline.reports {
            group = match key.and_then(|key| self.groups.get(&key)) {
                Some(group) => Some(group),
                None => {
                    let bindings = storages(args).map(|(index, (storage, start, size))| {
                        let copy = copies.iter().find(|copy| copy.index == index);
                        copy.map_or((&storage.buffer, start, size), |copy| (&copy.buffer, 0, copy.buffer.size()))
                    });
                    let group = self.group(pipeline, bindings, &block)?;
                    if let Some(key) = key {
                        self.groups.keep(key, group.clone(), storages(args).map(|(_, part)| part.0));
                    }
                    Some(group)
                }
            };
        }
        for copy in &copies {
            let (of, here) = ((&copy.of.buffer, copy.start), (&copy.buffer, 0));
            match &mover {
                Some(mover) if !copy.is_whole() => self.shift(&mut batch, mover, of, here, copy.bytes)?,
                _ => batch.encoder(&self.device).copy_buffer_to_buffer(of.0, of.1, here.0, 0, copy.bytes),
            }
        }
        let outcome = batch.outcome();
        // Work that is in the same batch fails together with the launch.
        let mut earlier = inherited.iter().filter(|other| !Arc::ptr_eq(other, &outcome)).cloned().peekable();
        let cuts = self.cuts.as_ref().filter(|_| pipeline.reports || earlier.peek().is_some());
        let watched = cuts.map(|cuts| batch.watched.begin(cuts, &pipeline.name, earlier));
        let (word, launch) = watched.unzip();
        self.record(&mut batch, pipeline, group.as_ref(), word.filter(|_| pipeline.reports), block);
        batch.bound = key;
        for copy in copies.iter().filter(|copy| copy.written) {
            let (of, here) = ((&copy.of.buffer, copy.start), (&copy.buffer, 0));
            match &mover {
                Some(mover) if !copy.is_whole() => self.shift(&mut batch, mover, here, of, copy.bytes)?,
                _ => batch.encoder(&self.device).copy_buffer_to_buffer(here.0, 0, of.0, of.1, copy.bytes),
            }
        }
        for (_, (storage, ..)) in storages(args) {
            storage.used_by(batch.number());
        }
        Ok(Queued { batch: Some(outcome), launch, afterwards: self.launched(batch) })
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

    /// Writes the block for a launch.
    pub(super) fn fill_block<'s>(
        &self,
        block: &mut Block,
        pipeline: &Pipeline,
        groups: [u32; 3],
        lens: impl Iterator<Item = u32>,
        scalars: impl Iterator<Item = &'s [u32]>,
    ) {
        let grid = Grid::of(groups, self.limits.max_compute_workgroups_per_dimension);
        let Block { words, dispatched } = block;
        *dispatched = grid.dispatched;
        LaunchBlock::write(words, &grid, lens, scalars);
        words.resize(pipeline.words, 0);
        if !pipeline.immediates {
            // A uniform block is a multiple of 16 bytes.
            words.resize(words.len().next_multiple_of(BLOCK as usize / 4), 0);
        }
    }

    /// Copies for the parts that cannot be bound in place: parts whose start is not aligned as the
    /// device requires, and parts that are only read while the launch writes the same memory
    /// elsewhere.
    fn copies<'a>(&self, kernel: &Loaded, args: &[Bound<'a, &'a Storage>]) -> Result<Vec<Copy<'a>>, Error> {
        let params = &kernel.function().0.params;
        let written = |index: usize| params.get(index).is_some_and(writes);
        let mut copies = Vec::new();
        for (index, (storage, start, size)) in storages(args) {
            let aligned = start.is_multiple_of(self.limits.min_storage_buffer_offset_alignment.into());
            let mut others = storages(args);
            let torn = !written(index) && others.any(|(i, (other, ..))| written(i) && other.is(storage));
            if !aligned || torn {
                // The copy is memory of the device's own, and counted as such.
                let buffer = self.zeros(size)?.buffer.clone();
                let bytes = match args.get(index) {
                    Some(Bound::Buffer(part)) if part.len > 0 => part.bytes,
                    _ => size,
                };
                copies.push(Copy { index, of: storage, start, bytes, buffer, written: written(index) });
            }
        }
        Ok(copies)
    }

    /// A new buffer that holds these bytes.
    fn filled(&self, bytes: &[u8], usage: BufferUsages) -> Result<wgpu::Buffer, Error> {
        let buffer = self.buffer(bytes.len() as u64, usage | BufferUsages::COPY_DST)?;
        // No batch uses a new buffer, so that it may be written at once.
        let written = self.scoped(|| self.queue.write_buffer(&buffer, 0, bytes));
        written.map_err(|error| self.failed(error, None))?;
        Ok(buffer)
    }

    /// The bind group of a launch whose buffers are bound at these places.
    pub(super) fn group<'b>(
        &self,
        pipeline: &Pipeline,
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
        if let (Some(cuts), true) = (&self.cuts, pipeline.reports) {
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

/// The key of a launch's bind group, if it may be kept.
fn key(pipeline: &Pipeline, args: &[Bound<'_, &Storage>]) -> Option<Key> {
    let new = pipeline.immediates.then(|| Key::new(pipeline.number))?;
    storages(args).try_fold(new, |key, (_, (storage, start, size))| key.with(storage, start, size))
}

/// The buffers among arguments: which argument, its memory, where the binding begins, and
/// its bytes, whole words. An empty part is bound as the beginning of the memory.
fn storages<'a>(args: &[Bound<'a, &'a Storage>]) -> impl Iterator<Item = (usize, (&'a Storage, u64, u64))> {
    args.iter().enumerate().filter_map(|(index, arg)| match *arg {
        Bound::Buffer(Part { memory, len: 0, .. }) => Some((index, (memory, 0, memory.buffer.size().min(EMPTY)))),
        Bound::Buffer(Part { memory, start, bytes, .. }) => Some((index, (memory, start, bytes.next_multiple_of(4)))),
        Bound::Scalar(_) => None,
    })
}
