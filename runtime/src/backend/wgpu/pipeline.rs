//! Kernels as wgpu runs them: how a pipeline is made.
//!
//! A kernel reaches a driver as SPIR-V of `samebits_ir::backend::spirv` where the device takes it,
//! else as a module of naga. A device has one way: its `spirv` says which.
//!
//! Both ways have the same bindings. Buffers are bound in order from 0. The launch block
//! (`samebits_ir::launch`) follows them as a uniform buffer where the device has no room for it as
//! immediate data. Then come the kernel's tables, and last the launch's word where cut loops are
//! counted ([`super::cuts`]).

use super::Wgpu;
use super::kept::Kept;
use crate::backend::disk::Digest;
use crate::backend::{Control, LaunchKind, writes};
use crate::error::Error;
use crate::kernel::Loaded;
use crate::report::Emitted;
use samebits_ir::backend::{naga, spirv};
use samebits_ir::ir::ParamKind;
use samebits_ir::limits::Limit;
use samebits_ir::soft::plan::Native;
use std::borrow::Cow;
use std::hash::Hasher;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use wgpu::{BindGroupLayoutEntry, BindingType, BufferBindingType, BufferUsages, PipelineCache, ShaderStages};

/// A kernel as wgpu runs it.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// The pipeline's identity among those of its device.
    pub(super) number: u64,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Whether the block is immediate data.
    pub(super) immediates: bool,
    /// Words of the block.
    pub(super) words: usize,
    /// The kernel's tables, if it has any that are not part of its module.
    pub(super) tables: Option<wgpu::Buffer>,
    /// Whether it says that the device ended its loops.
    pub(super) reports: bool,
    /// The workgroups that are one of the device.
    pub(super) groups_at_once: u32,
    /// The kernel.
    pub(super) name: Arc<str>,
}

/// A kernel as a back end of the compiler wrote it.
enum Shader {
    /// Words that the driver receives as they are.
    Spirv(spirv::Shader),
    /// A module of which wgpu makes what the driver takes.
    Naga(Box<naga::Shader>),
}

impl Wgpu {
    /// Compiles a kernel that uses this much of the device's own arithmetic, for some launches.
    pub(super) fn compile_with(&self, kernel: &Loaded, native: Native, kind: LaunchKind) -> Result<Pipeline, Error> {
        let shader = self.shader(kernel, native, kind).ok_or_else(|| kernel.missing())?;
        #[cfg(target_family = "wasm")]
        self.takes_as_text(kernel, &shader)?;
        let tables = match &shader {
            Shader::Spirv(shader) => &shader.tables,
            Shader::Naga(shader) => &shader.tables,
        };
        let tables = match tables.as_slice() {
            [] => None,
            words => Some(self.filled(bytemuck::cast_slice(words), BufferUsages::STORAGE)?),
        };
        let refused = |error: wgpu::Error| match self.failed(error, None) {
            Error::Driver { device, reason } => Error::KernelRefused { kernel: kernel.name.clone(), device, reason },
            other => other,
        };
        let kept = match &shader {
            Shader::Spirv(shader) if kernel.is_of_source() => self.kept(&shader.words),
            Shader::Spirv(_) | Shader::Naga(_) => None,
        };
        let cache = kept.as_ref().map(Kept::cache);
        let pipeline = self.scoped(|| self.pipeline(kernel, shader, tables, cache)).map_err(refused)?;
        if let Some(kept) = &kept {
            kept.keep();
        }
        Ok(pipeline)
    }

    /// Whether a kernel can be written as WGSL. wgpu writes it for browsers, which take nothing else, and panics if that
    /// fails.
    #[cfg(target_family = "wasm")]
    fn takes_as_text(&self, kernel: &Loaded, shader: &Shader) -> Result<(), Error> {
        let Shader::Naga(shader) = shader else { return Ok(()) };
        let refused = |reason| Error::KernelRefused { kernel: kernel.name.clone(), device: self.name.clone(), reason };
        shader.wgsl().map(|_| ()).map_err(refused)
    }

    /// Adds the kernel's code for a device that computes in these forms to a digest.
    pub(super) fn digest(&self, kernel: &Loaded, native: Native, digest: &mut Digest) -> Option<()> {
        match self.shader(kernel, native, LaunchKind::of(0))? {
            Shader::Spirv(shader) => digest.write(bytemuck::cast_slice(&shader.words)),
            Shader::Naga(shader) => digest.write(format!("{:?}", shader.module).as_bytes()),
        }
        Some(())
    }

    /// What the driver is handed for a kernel, in some launches.
    pub(super) fn emitted_with(&self, kernel: &Loaded, kind: LaunchKind) -> Option<Emitted> {
        Some(match self.shader(kernel, self.native, kind)? {
            Shader::Spirv(shader) => Emitted::Spirv(shader.words),
            Shader::Naga(shader) => Emitted::Naga(format!("{:#?}", shader.module)),
        })
    }

    /// Whether the words of a kernel's launch are immediate data.
    fn has_immediates(&self, kernel: &Loaded) -> bool {
        kernel.function().1.needs.get(Limit::ArgumentBytes) <= self.immediate_bytes
    }

    /// The kernel in the form in which it reaches the device; `None` if it is no kernel.
    fn shader(&self, kernel: &Loaded, native: Native, kind: LaunchKind) -> Option<Shader> {
        let launch_conditions = kind.fulfilled;
        let immediates = self.has_immediates(kernel);
        // Without room for one more buffer, the tables are part of the module.
        let table_buffer = kernel.function().1.needs.get(Limit::Buffers) < self.limits().buffers;
        // The launch binds its own word.
        let report_cut_loops = self.cuts.as_ref().map(|_| 0);
        if let Some(target) = &self.spirv {
            let target = spirv::Target {
                native,
                subgroups: self.subgroups,
                immediates,
                table_buffer,
                report_cut_loops,
                launch_conditions,
                large: kind.is_large,
                ..*target
            };
            return spirv::emit(kernel.checked(), kernel.index(), &target).map(Shader::Spirv);
        }
        let options = naga::Options {
            immediates,
            native,
            report_cut_loops,
            launch_conditions,
            lane_stores: self.lane_stores,
            wgsl_rules: cfg!(target_family = "wasm"),
            subgroups: self.subgroups,
            table_buffer,
        };
        naga::emit(kernel.checked(), kernel.index(), &options).map(|shader| Shader::Naga(Box::new(shader)))
    }

    fn pipeline(
        &self,
        kernel: &Loaded,
        shader: Shader,
        tables: Option<wgpu::Buffer>,
        cache: Option<&PipelineCache>,
    ) -> Pipeline {
        let immediates = self.has_immediates(kernel);
        let (words, reports, groups_at_once) = match &shader {
            Shader::Spirv(shader) => (shader.param_words, shader.reports, shader.groups_at_once),
            Shader::Naga(shader) => (shader.param_words, shader.reports, 1),
        };
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
        if reports {
            entries.push(entry(entries.len() as u32, BufferBindingType::Storage { read_only: false }, true));
        }
        let label = Some(kernel.name.as_str());
        let layout =
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: if immediates { words * 4 } else { 0 },
        });
        let module = self.module(kernel, shader);
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache,
        });
        let number = self.pipelines.fetch_add(1, Ordering::Relaxed);
        let name = kernel.name.as_str().into();
        Pipeline { number, pipeline, layout, immediates, words: words as usize, tables, reports, groups_at_once, name }
    }

    /// The module, which wgpu does not check.
    fn module(&self, kernel: &Loaded, shader: Shader) -> wgpu::ShaderModule {
        let label = Some(kernel.name.as_str());
        // SAFETY: wgpu requires that a module without its checks does by itself what they are for.
        // - Bounds: each access is to an element below the bound number of elements, by a
        //   comparison before it or by a proof. If a proof rests on conditions, only launches that
        //   fulfil them get the module. The conditions are about the numbers of elements that the
        //   module is told and that the buffers are bound with. A buffer without elements is bound
        //   with `EMPTY` bytes, more than the word or block that a load out of bounds reads. The
        //   module comes from a `Checked`, and from nowhere else.
        // - Loops: in SPIR-V, those that are not proven to end have a bound of their own. In a
        //   module of naga's they keep wgpu's.
        // - Division: a selection before it rules out a zero divisor and an overflow.
        // - wgpu's other checks are about rays and meshes, which a compute kernel does not have.
        // - SPIR-V as it is: the back end writes valid modules only, which use no more than
        //   `Wgpu::spirv` says of the device, and their bindings are the ones of the layout.
        match shader {
            Shader::Spirv(shader) => {
                let [x, y, z] = kernel.function().0.workgroup_size();
                let entry = wgpu::PassthroughShaderEntryPoint { name: "main".into(), workgroup_size: (x, y, z) };
                let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
                    label,
                    entry_points: Cow::Owned(vec![entry]),
                    spirv: Some(Cow::Owned(shader.words)),
                    ..wgpu::ShaderModuleDescriptorPassthrough::default()
                };
                // SAFETY: as above.
                unsafe { self.device.create_shader_module_passthrough(descriptor) }
            }
            Shader::Naga(shader) => {
                let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
                // Without the bound, Mesa's llvmpipe (22.3) ran a loop once more that ends in its first
                // round.
                checks.force_loop_bounding = shader.unbounded || self.cuts.is_some();
                let source = wgpu::ShaderSource::Naga(Cow::Owned(shader.module));
                let descriptor = wgpu::ShaderModuleDescriptor { label, source };
                // SAFETY: as above.
                unsafe { self.device.create_shader_module_trusted(descriptor, checks) }
            }
        }
    }
}
