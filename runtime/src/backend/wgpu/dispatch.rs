//! Kernels on wgpu: pipelines, the parameter block, and grids larger than an axis.
//!
//! The block is the back end's contract: the logical number of workgroups, the folding,
//! the lengths of the buffers and the words of the scalars. Buffers are bound in order
//! from 0; the block follows them as a uniform buffer where the device has no room for it
//! as immediate data, then the kernel's tables, and what comes last is where cut loops are counted ([`super::cuts`]).

use super::memory::{Key, Storage};
use super::{BLOCK, Floats, Wgpu};
use crate::backend::{Bound, Memory, Part};
use crate::error::Error;
use crate::kernel::Loaded;
use samebits_ir::backend::naga::{Options, Shader, emit};
use samebits_ir::ir::{Access, ParamKind};
use samebits_ir::limits::Limit;
use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::atomic::Ordering;
use wgpu::{
    BindGroupEntry, BindGroupLayoutEntry, BindingResource, BindingType, BufferBinding, BufferBindingType, BufferUsages,
    ShaderStages,
};

/// What the most workgroups on an axis are at least, on every device.
const AXIS: u32 = 65_535;
/// Bytes that are bound for a buffer without elements: enough for the word or block that a
/// load out of bounds reads, of which naga asks that it is there.
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
}

impl Wgpu {
    /// Compiles a kernel for launches that fulfil these conditions.
    pub fn compile(&self, kernel: &Loaded, fulfilled: u64) -> Result<Pipeline, Error> {
        self.compile_with(kernel, self.floats, fulfilled)
    }

    /// Compiles a kernel that uses this much of the device's own arithmetic.
    pub(super) fn compile_with(&self, kernel: &Loaded, floats: Floats, fulfilled: u64) -> Result<Pipeline, Error> {
        let (_, facts) = kernel.function();
        let bytes = facts.needs.get(Limit::ArgumentBytes);
        let immediates = bytes <= self.immediate_bytes;
        let words = bytes as usize / 4;
        let Floats { exact: exact_floats, fused_mul_add } = floats;
        let report_cut_loops = self.cuts.as_ref().map(|cuts| cuts.word(&kernel.name));
        let (function, _) = kernel.function();
        let zero_in_loops = self.own_spirv && !function.private.is_empty();
        let options = Options {
            immediates,
            fused_mul_add,
            exact_floats,
            report_cut_loops,
            launch_conditions: fulfilled,
            lane_stores: self.lane_stores,
            wgsl_rules: false,
            subgroups: self.subgroups,
            // Where there is no room for one more buffer they are part of the module.
            zero_in_loops,
            table_buffer: facts.needs.get(Limit::Buffers) < self.limits().buffers,
        };
        let Some(shader) = emit(kernel.checked(), kernel.index(), &options) else {
            let feature = "something that its driver interface cannot express".to_owned();
            return Err(Error::MissingFeature { kernel: kernel.name.clone(), feature, device: self.name.clone() });
        };
        let words = words.max(shader.param_words as usize);
        let refused = |error: wgpu::Error| match self.failed(error, None) {
            Error::Driver { device, reason } => Error::KernelRefused { kernel: kernel.name.clone(), device, reason },
            other => other,
        };
        let tables = match shader.tables.as_slice() {
            [] => None,
            words => Some(self.filled(bytemuck::cast_slice(words), BufferUsages::STORAGE)?),
        };
        self.scoped(|| self.pipeline(kernel, shader, (immediates, words), tables)).map_err(refused)
    }

    fn pipeline(
        &self,
        kernel: &Loaded,
        shader: Shader,
        (immediates, words): (bool, usize),
        tables: Option<wgpu::Buffer>,
    ) -> Pipeline {
        let entry = |binding, ty| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let mut entries = Vec::new();
        for param in &kernel.function().0.params {
            if let ParamKind::Buffer { .. } = param.kind {
                let read_only = !writes(&param.kind);
                entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only }));
            }
        }
        if !immediates {
            entries.push(entry(entries.len() as u32, BufferBindingType::Uniform));
        }
        if tables.is_some() {
            entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only: true }));
        }
        if shader.reports {
            entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only: false }));
        }
        let reports = shader.reports;
        let label = Some(kernel.name.as_str());
        let layout =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: if immediates { words as u32 * 4 } else { 0 },
        });
        let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
        // Without the bound Mesa's llvmpipe (22.3) was seen to run a loop once more that ends in
        // its first round.
        checks.force_loop_bounding = shader.unbounded || self.cuts.is_some();
        // SAFETY: wgpu asks that a module without its checks does by itself what they are for.
        // - Bounds: every access of the back end's is of an element below the bound number of
        //   elements, by a comparison before it or by a proof. Where a proof rests on conditions,
        //   only launches that fulfil them get the module, and these are about the numbers of
        //   elements that the module is told and the buffers are bound with. A
        //   buffer without elements is bound with `EMPTY` bytes, more than the word or the block
        //   that a load that is out of bounds reads. `Checked` vouches for the module; no other way leads here.
        // - Loops: those not proven to end keep wgpu's bound.
        // - Division: no divisor is zero and no quotient overflows, by selection before it.
        // - What else there is to check, of rays and meshes, a compute kernel has not.
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
                // SAFETY: naga has validated the module and written the words, of which only first
                // values are gone of arrays that the module sets to zero before all else. For the
                // rest it is as above.
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
        Pipeline { number, pipeline, layout, immediates, words, tables, reports }
    }

    /// Queues a launch.
    pub fn dispatch(
        &self,
        kernel: &Loaded,
        pipeline: &Pipeline,
        groups: [u32; 3],
        args: &[Bound<'_>],
    ) -> Result<(), Error> {
        let copies = self.copies(kernel, args)?;
        let mut batch = self.batch();
        let mut words = std::mem::take(&mut batch.words);
        let fold = self.block(&mut words, pipeline, groups, args);
        let key = if copies.is_empty() { key(pipeline, args) } else { None };
        if key.is_none() || key != batch.bound {
            let group = match key.and_then(|key| self.groups.get(&key)) {
                Some(group) => group,
                None => {
                    let group = self.group(pipeline, args, &copies, &words)?;
                    if let Some(key) = key {
                        self.groups.keep(key, group.clone(), storages(args).map(|(_, part)| part.0));
                    }
                    group
                }
            };
            for copy in &copies {
                let encoder = batch.encoder(&self.device);
                encoder.copy_buffer_to_buffer(&copy.of.buffer, copy.start, &copy.buffer, 0, copy.size);
            }
            let pass = batch.pass(&self.device);
            pass.set_pipeline(&pipeline.pipeline);
            pass.set_bind_group(0, &group, &[]);
            batch.bound = key;
        }
        let pass = batch.pass(&self.device);
        if pipeline.immediates {
            pass.set_immediates(0, bytemuck::cast_slice(&words));
        }
        let [x, y, z] = fold.physical;
        pass.dispatch_workgroups(x, y, z);
        for copy in copies.iter().filter(|copy| copy.written) {
            let encoder = batch.encoder(&self.device);
            encoder.copy_buffer_to_buffer(&copy.buffer, 0, &copy.of.buffer, copy.start, copy.size);
        }
        for (_, (storage, ..)) in storages(args) {
            storage.used_by(batch.number());
        }
        batch.words = words;
        batch.reports |= pipeline.reports;
        self.launched(batch)
    }

    /// Writes the block for a launch.
    fn block(&self, words: &mut Vec<u32>, pipeline: &Pipeline, groups: [u32; 3], args: &[Bound<'_>]) -> Fold {
        let fold = Fold::of(groups, self.limits.max_compute_workgroups_per_dimension);
        words.clear();
        words.extend([groups[0], groups[1], groups[2], fold.x, fold.y]);
        for arg in args {
            if let Bound::Buffer(part) = arg {
                words.push(part.len);
            }
        }
        for arg in args {
            if let Bound::Scalar(scalar) = arg {
                words.extend_from_slice(scalar);
            }
        }
        words.resize(pipeline.words, 0);
        if !pipeline.immediates {
            // A uniform block is a multiple of 16 bytes.
            words.resize(words.len().next_multiple_of(BLOCK as usize / 4), 0);
        }
        fold
    }

    /// Copies for the parts that cannot be bound: those that begin where the device does
    /// not let a binding begin, and those that are only read, of memory that the launch
    /// also writes elsewhere.
    fn copies<'a>(&self, kernel: &Loaded, args: &[Bound<'a>]) -> Result<Vec<Copy<'a>>, Error> {
        let params = &kernel.function().0.params;
        let written = |index: usize| params.get(index).is_some_and(|param| writes(&param.kind));
        let mut copies = Vec::new();
        for (index, (storage, start, size)) in storages(args) {
            let aligned = start.is_multiple_of(self.limits.min_storage_buffer_offset_alignment.into());
            let mut others = storages(args);
            let torn = !written(index) && others.any(|(i, (other, ..))| written(i) && other.is(storage));
            if !aligned || torn {
                // The copy is memory of the device's own, and counted as such.
                let buffer = self.zeros(size)?.buffer.clone();
                copies.push(Copy { index, of: storage, start, size, buffer, written: written(index) });
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

    /// The bind group of a launch.
    fn group(
        &self,
        pipeline: &Pipeline,
        args: &[Bound<'_>],
        copies: &[Copy<'_>],
        words: &[u32],
    ) -> Result<wgpu::BindGroup, Error> {
        let block = if pipeline.immediates {
            None
        } else {
            Some(self.filled(bytemuck::cast_slice(words), BufferUsages::UNIFORM)?)
        };
        let mut entries = Vec::with_capacity(args.len() + 3);
        for (index, (storage, start, size)) in storages(args) {
            let resource = match copies.iter().find(|copy| copy.index == index) {
                Some(copy) => copy.buffer.as_entire_binding(),
                None => BindingResource::Buffer(BufferBinding {
                    buffer: &storage.buffer,
                    offset: start,
                    size: NonZeroU64::new(size),
                }),
            };
            entries.push(BindGroupEntry { binding: entries.len() as u32, resource });
        }
        if let Some(block) = &block {
            entries.push(BindGroupEntry { binding: entries.len() as u32, resource: block.as_entire_binding() });
        }
        if let Some(tables) = &pipeline.tables {
            entries.push(BindGroupEntry { binding: entries.len() as u32, resource: tables.as_entire_binding() });
        }
        if let (Some(cuts), true) = (&self.cuts, pipeline.reports) {
            entries.push(BindGroupEntry { binding: entries.len() as u32, resource: cuts.buffer().as_entire_binding() });
        }
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = self.scoped(|| self.device.create_bind_group(&descriptor));
        group.map_err(|error| self.failed(error, None))
    }
}

/// A part of memory in memory of its own, for one launch.
struct Copy<'a> {
    /// The argument.
    index: usize,
    of: &'a Storage,
    start: u64,
    size: u64,
    buffer: wgpu::Buffer,
    /// Whether it is copied back.
    written: bool,
}

/// The key of a launch's bind group, if it may be kept.
fn key(pipeline: &Pipeline, args: &[Bound<'_>]) -> Option<Key> {
    let new = pipeline.immediates.then(|| Key::new(pipeline.number))?;
    storages(args).try_fold(new, |key, (_, (storage, start, size))| key.with(storage, start, size))
}

/// The buffers among arguments: which argument, its memory, where the binding begins, and
/// its bytes, whole words. An empty part is bound as the beginning of the memory.
fn storages<'a>(args: &[Bound<'a>]) -> impl Iterator<Item = (usize, (&'a Storage, u64, u64))> {
    args.iter().enumerate().filter_map(|(index, arg)| match arg {
        Bound::Buffer(Part { memory: Memory::Wgpu(storage), start, bytes, len }) => match len {
            0 => Some((index, (storage, 0, storage.buffer.size().min(EMPTY)))),
            _ => Some((index, (storage, *start, bytes.next_multiple_of(4)))),
        },
        // Memory of another device, which the launch ruled out.
        Bound::Buffer(Part { memory: Memory::Interpreter(_), .. }) | Bound::Scalar(_) => None,
    })
}

/// Whether a kernel may write a parameter.
fn writes(kind: &ParamKind) -> bool {
    match kind {
        ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. } => true,
        ParamKind::Buffer { access: Access::Read, .. } | ParamKind::Scalar(_) => false,
    }
}

/// How logical workgroups lie on a device's axes, which are short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fold {
    /// What is dispatched.
    physical: [u32; 3],
    /// The physical extents on x and y if the grid is folded, else 0.
    x: u32,
    y: u32,
}

impl Fold {
    /// A way to dispatch these workgroups, fewer than 2³² in all, with at most `axis` on an
    /// axis. The last of them is followed by few surplus ones, and no number of one, surplus
    /// included, exceeds 32 bits.
    fn of(groups: [u32; 3], axis: u32) -> Self {
        if groups.iter().all(|count| *count <= axis) {
            return Self { physical: groups, x: 0, y: 0 };
        }
        let axis = u64::from(axis.max(AXIS));
        let total = groups.iter().map(|count| u64::from(*count)).product::<u64>();
        let z = total.div_ceil(axis * axis);
        let y = total.div_ceil(z * axis);
        let x = total.div_ceil(z * y);
        let [x, y, z] = if x * y * z <= 1 << 32 { [x, y, z] } else { [1 << 15, 1 << 15, 4] };
        Self { physical: [x as u32, y as u32, z as u32], x: x as u32, y: y as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_grids_are_not_folded() {
        assert_eq!(Fold::of([65_535, 65_535, 1], 65_535), Fold { physical: [65_535, 65_535, 1], x: 0, y: 0 });
    }

    #[test]
    fn a_folded_grid_covers_every_group_once_and_fits_the_axes() {
        let totals = [65_536, 65_537, 131_071, 4_294_836_225, 4_294_836_226, 4_294_901_760, 4_294_967_291, u32::MAX];
        for total in totals {
            let fold = Fold::of([total, 1, 1], 65_535);
            let covered = fold.physical.iter().map(|n| u64::from(*n)).product::<u64>();
            assert!(covered >= total.into() && covered <= 1 << 32, "{total}: {fold:?}");
            assert!(fold.physical.iter().all(|n| (1..=65_535).contains(n)), "{total}: {fold:?}");
            assert_eq!([fold.x, fold.y], fold.physical[..2]);
        }
    }

    #[test]
    fn folding_wastes_little() {
        let fold = Fold::of([65_537, 1, 1], 65_535);
        assert_eq!(fold.physical, [32_769, 2, 1]);
    }
}
