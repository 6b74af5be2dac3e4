//! A product of square matrices, 64 × 64 × 16 tiles with 4 × 4 elements an invocation,
//! beside hand-written WGSL of the same shape: rolled under wgpu's run-time checks, and
//! unrolled without them.
//!
//! `cargo bench -p samebits --bench sgemm [-- DEVICE [SIZE]]`; a device is a part of a name,
//! as in `SAMEBITS_DEVICE`, and `wgpu` without one; the size is 4096 or 256. The arms take
//! turns, and the median of the rounds counts.
#![allow(missing_docs)]

use samebits::prelude::*;
use std::borrow::Cow;
use std::fmt::Write;
use std::time::Instant;

macro_rules! sgemm {
    ($name:ident, $size:literal $(, $fast:ident)?) => {
        #[kernel(workgroup_size(16, 16) $(, $fast)?)]
        fn $name(a: &[Vec4<f32>], b: &[Vec4<f32>], c: &mut [Vec4<f32>]) {
            const ROW: usize = $size / 4;
            #[shared]
            let left: [f32; 1024];
            #[shared]
            let right: [Vec4<f32>; 256];

            let (x, y, i) = (local_id().x, local_id().y, local_index());
            let (row, column) = (workgroup_id().y * 64, workgroup_id().x * 16);
            let mut sums = [Vec4::splat(0.0f32); 4];
            for step in 0..ROW / 4 {
                let v = a[(row + i / 4) * ROW + step * 4 + i % 4];
                left[(i % 4) * 256 + i / 4] = v.x;
                left[(i % 4) * 256 + 64 + i / 4] = v.y;
                left[(i % 4) * 256 + 128 + i / 4] = v.z;
                left[(i % 4) * 256 + 192 + i / 4] = v.w;
                right[i] = b[(step * 16 + i / 16) * ROW + column + i % 16];
                workgroup_barrier();
                for k in 0..16 {
                    let v = right[k * 16 + x];
                    for r in 0..4 {
                        sums[r] = v.mul_add(Vec4::splat(left[k * 64 + y * 4 + r]), sums[r]);
                    }
                }
                workgroup_barrier();
            }
            for r in 0..4 {
                c[(row + y * 4 + r) * ROW + column + x] = sums[r];
            }
        }
    };
}
sgemm!(strict_4096, 4096);
sgemm!(strict_256, 256);
sgemm!(fast_4096, 4096, fast_math);
sgemm!(fast_256, 256, fast_math);

const ROUNDS: usize = 7;
const ARMS: [&str; 4] = ["kernel, fast_math", "kernel, strict", "WGSL, rolled, checked", "WGSL, unrolled, unchecked"];

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let wanted = words.next().unwrap_or_else(|| "wgpu".to_owned());
    let size: usize = words.next().and_then(|word| word.parse().ok()).filter(|size| *size == 256).unwrap_or(4096);
    let device = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => return println!("nothing to measure: {error}"),
    };
    let numbers =
        |seed: usize| -> Vec<f32> { (0..size * size).map(|i| ((i * 31 + seed) % 17) as f32 * 0.125 - 1.0).collect() };
    let (left, right) = (numbers(1), numbers(5));
    let (a, b) = (device.upload(&left).expect("memory"), device.upload(&right).expect("memory"));
    let mut c = device.zeros::<f32>(size * size).expect("memory");
    let raw = Raw::new(device.name(), size, &left, &right);

    let groups = Grid::groups(size / 64, size / 64, 1);
    let mut run = |arm: usize, times: usize| {
        if arm >= 2 {
            return raw.run(arm - 2, times);
        }
        let (a, b) = (a.view().expect("a view"), b.view().expect("a view"));
        for _ in 0..times {
            let mut c = c.view_mut().expect("a view");
            let launched = match (size, arm) {
                (256, 0) => fast_256::launch(&device, groups, &a, &b, &mut c),
                (256, _) => strict_256::launch(&device, groups, &a, &b, &mut c),
                (_, 0) => fast_4096::launch(&device, groups, &a, &b, &mut c),
                (_, _) => strict_4096::launch(&device, groups, &a, &b, &mut c),
            };
            launched.expect("launch");
        }
        device.wait().expect("wait");
    };
    // A device in software takes seconds for what a GPU does in milliseconds.
    let times = if size == 256 { 1 } else { 10 };
    println!("{size}³ on {}, medians of {ROUNDS} rounds of {times}", device.name());
    let mut seconds = [const { Vec::new() }; ARMS.len()];
    for round in 0..=ROUNDS {
        for (arm, seconds) in seconds.iter_mut().enumerate() {
            let start = Instant::now();
            run(arm, times);
            // The first round compiles.
            if round > 0 {
                seconds.push(start.elapsed().as_secs_f64() / times as f64);
            }
        }
    }
    for (name, seconds) in ARMS.iter().zip(&mut seconds) {
        seconds.sort_by(f64::total_cmp);
        let time = seconds[ROUNDS / 2];
        println!("{name:28}{:>10.1} µs{:>8.3} TFLOP/s", time * 1e6, 2.0 * (size as f64).powi(3) / time / 1e12);
    }
    check(size, &left, &right, &c.read().expect("read"));
    check(size, &left, &right, &raw.read());
}

/// Compares some elements with plain Rust; the numbers are such that nothing is rounded.
fn check(size: usize, left: &[f32], right: &[f32], product: &[f32]) {
    for at in (0..size * size).step_by(size * 7 + 13) {
        let (row, column) = (at / size, at % size);
        let sum = (0..size).fold(0.0f32, |sum, k| right[k * size + column].mul_add(left[row * size + k], sum));
        assert!(product[at] == sum, "{} instead of {sum} at {row}, {column}", product[at]);
    }
}

/// wgpu by hand.
struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipelines: [wgpu::ComputePipeline; 2],
    group: wgpu::BindGroup,
    c: wgpu::Buffer,
    size: usize,
}

impl Raw {
    fn new(adapter: &str, size: usize, left: &[f32], right: &[f32]) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters.into_iter().find(|a| a.get_info().name == adapter).expect("the adapter is there");
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("the device opens");
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
            entries: &[entry(0, true), entry(1, true), entry(2, false)],
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = |module: wgpu::ShaderModule| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let source = |text: String| {
            let module = naga::front::wgsl::parse_str(&text).expect("the text is WGSL");
            wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Naga(Cow::Owned(module)) }
        };
        let checked = device.create_shader_module(source(rolled(size)));
        // SAFETY: the text's indices stay below the lengths of the buffers bound below, its
        // loop ends, and it divides by constants only.
        let unchecked = unsafe {
            device.create_shader_module_trusted(source(unrolled(size)), wgpu::ShaderRuntimeChecks::unchecked())
        };
        let pipelines = [pipeline(checked), pipeline(unchecked)];
        let buffer = |content: &[f32]| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            let size = (size * size * 4) as u64;
            let buffer =
                device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
            queue.write_buffer(&buffer, 0, bytemuck::cast_slice(content));
            buffer
        };
        let (a, b, c) = (buffer(left), buffer(right), buffer(&[]));
        let entries = [&a, &b, &c]
            .into_iter()
            .enumerate()
            .map(|(i, buffer)| wgpu::BindGroupEntry { binding: i as u32, resource: buffer.as_entire_binding() });
        let entries: Vec<_> = entries.collect();
        let group =
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries });
        Self { device, queue, pipelines, group, c, size }
    }

    fn run(&self, arm: usize, times: usize) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipelines[arm]);
            pass.set_bind_group(0, &self.group, &[]);
            let groups = (self.size / 64) as u32;
            for _ in 0..times {
                pass.dispatch_workgroups(groups, groups, 1);
            }
        }
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
    }

    fn read(&self) -> Vec<f32> {
        let size = self.c.size();
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.c, 0, &staging, 0, size);
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("the memory is mapped"));
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device works");
        bytemuck::cast_slice(&staging.get_mapped_range(..).expect("the memory is mapped")).to_vec()
    }
}

/// What both texts begin with: everything before the sums over a tile.
fn head(size: usize) -> String {
    format!(
        "const ROW = {row}u;
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
var<workgroup> left: array<f32, 1024>;
var<workgroup> right: array<vec4<f32>, 256>;

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) i: u32,
) {{
    let row = group.y * 64u;
    let column = group.x * 16u;
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    var sums: array<vec4<f32>, 4>;
    for (var step = 0u; step < ROW / 4u; step++) {{
        let v = a[(row + i / 4u) * ROW + step * 4u + i % 4u];
        let at = (i % 4u) * 256u + i / 4u;
        left[at] = v.x;
        left[at + 64u] = v.y;
        left[at + 128u] = v.z;
        left[at + 192u] = v.w;
        right[i] = b[(step * 16u + i / 16u) * ROW + column + i % 16u];
        workgroupBarrier();
",
        row = size / 4
    )
}

fn rolled(size: usize) -> String {
    head(size)
        + "        for (var k = 0u; k < 16u; k++) {
            let v = right[k * 16u + id.x];
            for (var r = 0u; r < 4u; r++) {
                sums[r] = fma(v, vec4<f32>(left[k * 64u + id.y * 4u + r]), sums[r]);
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 4u; r++) {
        c[(row + id.y * 4u + r) * ROW + column + id.x] = sums[r];
    }
}
"
}

fn unrolled(size: usize) -> String {
    let mut text = head(size);
    for k in 0..16 {
        writeln!(text, "let v{k} = right[{}u + id.x];", k * 16).expect("memory");
        for r in 0..4 {
            let at = k * 64 + r;
            writeln!(text, "s{r} = fma(v{k}, vec4<f32>(left[{at}u + id.y * 4u]), s{r});").expect("memory");
        }
    }
    text += "workgroupBarrier(); }\n";
    for r in 0..4 {
        writeln!(text, "c[(row + id.y * 4u + {r}u) * ROW + column + id.x] = s{r};").expect("memory");
    }
    text + "}\n"
}
