//! The program's own use of wgpu: its device, a pipeline that draws points, and an encoder for each step that holds
//! the launch and the render pass.

use super::{LIGHT, Swarm, fly, middle};
use crate::cli::Size;
use crate::picture::Picture;
use samebits::graph::Graph;
use samebits::prelude::*;
use samebits::{interop, wgpu};
use std::borrow::Cow;
use std::error::Error as StdError;
use wgpu::{BufferUsages, TextureFormat};

/// Puts each particle into the middle of its pixel.
const SHADER: &str = "
struct Size { width: f32, height: f32, }
@group(0) @binding(0) var<storage, read> size: Size;

@vertex
fn place(@location(0) at: vec2<f32>) -> @builtin(position) vec4<f32> {
    let pixel = (floor(at) + 0.5) / vec2(size.width, size.height);
    return vec4(pixel.x * 2.0 - 1.0, 1.0 - pixel.y * 2.0, 0.0, 1.0);
}

@fragment
fn light() -> @location(0) vec4<f32> {
    return vec4(LIGHT, 255.0) / 255.0;
}
";

const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

/// A device that the program has opened, and has lent to the runtime.
#[derive(Debug)]
pub struct Stage {
    device: wgpu::Device,
    queue: wgpu::Queue,
    ours: Device,
}

impl Stage {
    /// All devices of this machine that can be opened.
    pub fn all() -> Vec<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let backends = wgpu::Backends::VULKAN | wgpu::Backends::DX12 | wgpu::Backends::METAL;
        let adapters = pollster::block_on(instance.enumerate_adapters(backends));
        adapters.into_iter().filter_map(|adapter| Self::open(adapter).ok()).collect()
    }

    /// Opens the device of an adapter.
    pub fn open(adapter: wgpu::Adapter) -> Result<Self, Box<dyn StdError>> {
        let (device, queue) = pollster::block_on(adapter.request_device(&interop::descriptor(&adapter)))?;
        let ours = Device::from_wgpu(adapter, device.clone(), queue.clone())?;
        Ok(Self { device, queue, ours })
    }

    /// The runtime's device.
    pub fn device(&self) -> &Device {
        &self.ours
    }

    /// The picture after so many steps.
    pub fn draw(&self, swarm: &Swarm, steps: usize, time: f32) -> Result<Picture, Error> {
        let Size { width, height } = swarm.size;
        let count = swarm.places.len();
        // The places are vertices of the program's and elements of the kernel's.
        let vertices = self.buffer((count * 8).max(256), interop::USAGES | BufferUsages::VERTEX);
        let mut places = Buffer::<Vec2<f32>>::from_wgpu(&self.ours, vertices.clone())?;
        places.write(0, &swarm.places)?;
        let mut speeds = self.ours.upload(&swarm.speeds)?;
        let mut graph = Graph::new(&self.ours);
        let (mut at, mut by) = (graph.buffer(), graph.buffer());
        fly::record(&mut graph, count, middle(swarm.size), time, &mut at, &mut by)?;

        let mut sizes = self.ours.upload(&[width as f32, height as f32])?;
        let (pipeline, group) = self.pipeline(&sizes.as_wgpu()?);
        let extent = wgpu::Extent3d { width: width as u32, height: height as u32, depth_or_array_layers: 1 };
        let picture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = picture.create_view(&wgpu::TextureViewDescriptor::default());
        for step in 0..steps {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let places = &mut places.slice_mut(..count)?;
            let encoded = graph.encode(&mut encoder, [at.bind(places), by.bind(&mut speeds)])?;
            let load = if step == 0 { wgpu::LoadOp::Clear(wgpu::Color::BLACK) } else { wgpu::LoadOp::Load };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(0..count as u32, 0..1);
            drop(pass);
            self.queue.submit([encoder.finish()]);
            encoded.submitted()?;
        }

        // Rows of a copy begin at multiples of 256 bytes.
        let row = (width * 4).next_multiple_of(256);
        let pixels = self.buffer((row * height).max(256), interop::USAGES);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let rows_per_image = None;
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image };
        encoder.copy_texture_to_buffer(
            picture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &pixels, layout },
            extent,
        );
        self.queue.submit([encoder.finish()]);
        let words = Buffer::<u32>::from_wgpu(&self.ours, pixels)?.read()?;
        let pixels = words.chunks(row / 4).take(height).flat_map(|row| &row[..width]).copied().collect();
        Ok(Picture { size: swarm.size, pixels })
    }

    fn buffer(&self, size: usize, usage: BufferUsages) -> wgpu::Buffer {
        let descriptor = wgpu::BufferDescriptor { label: None, size: size as u64, usage, mapped_at_creation: false };
        self.device.create_buffer(&descriptor)
    }

    /// The pipeline that draws the particles, and what it draws them with.
    fn pipeline(&self, sizes: &wgpu::Buffer) -> (wgpu::RenderPipeline, wgpu::BindGroup) {
        let [red, green, blue] = LIGHT;
        let text = SHADER.replace("LIGHT", &format!("{red}.0, {green}.0, {blue}.0"));
        let source = match naga::front::wgsl::parse_str(&text) {
            Ok(module) => wgpu::ShaderSource::Naga(Cow::Owned(module)),
            Err(error) => unreachable!("{}", error.emit_to_string(&text)),
        };
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        // Light adds up.
        let sum = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::One,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        let pipeline = self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("place"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: 8,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x2],
                })],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::PointList,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("light"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format: FORMAT,
                    blend: Some(wgpu::BlendState { color: sum, alpha: sum }),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: sizes.as_entire_binding() }],
        });
        (pipeline, group)
    }
}
