//! What a typed launch is measured against: wgpu by hand, doing the same with everything
//! cached. The code, the arguments and the size of a batch are those of the runtime.

use samebits::__private::Kernel;
use samebits::__private::ir::backend::naga::{Options, emit};
use samebits::__private::ir::check::check_image;
use samebits::__private::ir::soft::plan::Native;
use samebits::__private::ir::wire;
use std::borrow::Cow;
use wgpu::{BufferUsages, CommandEncoder, ComputePass, Features, PollType};

/// Launches of a batch.
const BATCH: usize = 64;

/// A kernel of a value, a buffer that it reads and one that it writes, ready to run.
pub struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    input: wgpu::Buffer,
    output: wgpu::Buffer,
    staging: wgpu::Buffer,
    len: u32,
    pass: Option<ComputePass<'static>>,
    encoder: Option<CommandEncoder>,
    launches: usize,
}

impl Raw {
    /// The kernel on the adapter of this name, with buffers of as many words.
    pub fn new(adapter: &str, kernel: &Kernel, len: u32) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters.into_iter().find(|a| a.get_info().name == adapter).expect("the adapter is there");
        let descriptor = wgpu::DeviceDescriptor {
            required_features: Features::IMMEDIATES,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("the device opens");
        let checked = wire::decode(kernel.image()).and_then(check_image).expect("the image is well formed");
        let options = Options {
            immediates: true,
            native: Native::EXACT_F32,
            report_cut_loops: None,
            launch_conditions: 0,
            lane_stores: false,
            wgsl_rules: false,
            subgroups: false,
            table_buffer: false,
        };
        let shader = emit(&checked, 0, &options).expect("the kernel is expressible");
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(Cow::Owned(shader.module)),
        });
        let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[entry(0, true), entry(1, false)],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: shader.param_words * 4,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: u64::from(len) * 4,
                usage,
                mapped_at_creation: false,
            })
        };
        let [input, output] =
            [(); 2].map(|()| buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST));
        let staging = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: input.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: output.as_entire_binding() },
            ],
        });
        Self { device, queue, pipeline, group, input, output, staging, len, pass: None, encoder: None, launches: 0 }
    }

    /// Copies words to the input.
    pub fn write(&self, words: &[u32]) {
        self.queue.write_buffer(&self.input, 0, bytemuck::cast_slice(words));
    }

    /// Queues one workgroup with this value.
    pub fn launch(&mut self, value: u32) {
        let device = &self.device;
        let encoder = self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()));
        let pass = self.pass.get_or_insert_with(|| encoder.begin_compute_pass(&Default::default()).forget_lifetime());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(&[1, 1, 1, 0, 0, self.len, self.len, value]));
        pass.dispatch_workgroups(1, 1, 1);
        self.launches += 1;
        if self.launches == BATCH {
            self.submit();
        }
    }

    /// Waits for what is queued.
    pub fn wait(&mut self) {
        self.submit();
        self.device.poll(PollType::wait_indefinitely()).expect("the device works");
    }

    /// The words of the output.
    pub fn read(&mut self) -> Vec<u32> {
        self.pass = None;
        let device = &self.device;
        let encoder = self.encoder.get_or_insert_with(|| device.create_command_encoder(&Default::default()));
        encoder.copy_buffer_to_buffer(&self.output, 0, &self.staging, 0, u64::from(self.len) * 4);
        self.submit();
        self.staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("the memory is mapped"));
        self.device.poll(PollType::wait_indefinitely()).expect("the device works");
        let words = bytemuck::cast_slice(&self.staging.get_mapped_range(..).expect("the memory is mapped")).to_vec();
        self.staging.unmap();
        words
    }

    fn submit(&mut self) {
        self.pass = None;
        self.queue.submit(self.encoder.take().map(CommandEncoder::finish));
        self.launches = 0;
    }
}
