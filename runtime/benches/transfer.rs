//! How fast memory moves, beside wgpu by hand: writes, reads, copies and fills, and what waiting costs.
//!
//! `cargo bench -p samebits --bench transfer [-- DEVICE [MIB]]`; a device is a part of a name, as in
//! `SAMEBITS_DEVICE`, and `wgpu` without one; buffers have 256 MiB if nothing else is asked for. Both ways take turns,
//! and medians are compared. By hand a copy is the driver's, a write is `write_buffer`, a read maps memory that is
//! kept, and a fill is a write, since wgpu has no other.
#![allow(missing_docs)]

use samebits::prelude::*;
use std::time::Instant;
use wgpu::{BufferUsages, PollType};

const ROUNDS: usize = 7;

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    let wanted = args.next().unwrap_or_else(|| "wgpu".to_owned());
    let mib: usize = args.next().map_or(256, |text| text.parse().expect("a number of MiB"));
    let device = match Device::named(&wanted) {
        Ok(device) => device,
        Err(error) => return println!("nothing to measure: {error}"),
    };
    let raw = Raw::new(device.name(), (mib << 20) as u64);
    println!("{mib} MiB on {}, medians of {ROUNDS} rounds", device.name());
    println!("{:36}{:>12}{:>12}{:>8}", "GB/s", "samebits", "raw wgpu", "ratio");
    let words = (mib << 20) / 4;
    let source: Vec<u32> = (0..words as u32).collect();
    let mut target = vec![0u32; words];
    let mut a = device.upload(&source).expect("memory");
    let mut b = device.zeros::<u32>(words).expect("memory");
    device.wait().expect("a wait");

    row(mib, "write", || a.write(0, &source).and_then(|()| device.wait()).expect("a write"), || raw.write(&source));
    row(mib, "read into memory that is there", || a.read_into(&mut target).expect("a read"), || raw.read());
    row(mib, "read into a new vector", || drop(a.read().expect("a read")), || raw.read());
    row(
        mib,
        "write from where it is computed",
        || {
            let numbers = a.write_with(0, |out| out.extend(0..words as u32));
            numbers.and_then(|()| device.wait()).expect("a write");
        },
        || {
            let numbers: Vec<u32> = (0..words as u32).collect();
            raw.write(&numbers);
        },
    );
    row(
        mib,
        "write through mapped memory",
        || a.write_with(0, |out| out.push(&source)).and_then(|()| device.wait()).expect("a write"),
        || raw.write(&source),
    );
    let add = |sum: u32, piece: &[u32]| piece.iter().fold(sum, |sum, x| sum.wrapping_add(*x));
    row(
        mib,
        "sum where it is mapped",
        || {
            let mut sum = 0;
            a.read_with(|piece| sum = add(sum, piece)).expect("a read");
            std::hint::black_box(sum);
        },
        || raw.sum(),
    );
    row(mib, "copy", || b.copy_from(&a).and_then(|()| device.wait()).expect("a copy"), || raw.copy());
    row(mib, "fill with zero", || b.fill(0).and_then(|()| device.wait()).expect("a fill"), || raw.clear());
    row(mib, "fill with a number", || b.fill(7).and_then(|()| device.wait()).expect("a fill"), || raw.write(&source));
    row(
        mib,
        "zeros, first use and drop",
        || {
            let mut c = device.zeros::<u32>(words).expect("memory");
            c.write(0, &[1]).and_then(|()| device.wait()).expect("a write");
        },
        || raw.zeros(),
    );
    let wait = median(|| device.wait().expect("a wait"));
    println!("{:36}{:>9.2} µs", "a wait without work", wait * 1e6);
}

/// Prints the rates of both ways and their ratio.
fn row(mib: usize, what: &str, mut ours: impl FnMut(), mut raw: impl FnMut()) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(timed(&mut ours));
        times[1].push(timed(&mut raw));
    }
    let [ours, raw] = times.map(middle);
    let rate = |seconds: f64| (mib << 20) as f64 / seconds / 1e9;
    println!("{what:36}{:>12.2}{:>12.2}{:>8.2}", rate(ours), rate(raw), raw / ours);
}

fn timed(f: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

fn median(mut f: impl FnMut()) -> f64 {
    middle((0..ROUNDS).map(|_| timed(&mut f)).collect())
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// wgpu by hand, with everything kept that can be.
struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    a: wgpu::Buffer,
    b: wgpu::Buffer,
    staging: wgpu::Buffer,
    target: std::cell::RefCell<Vec<u8>>,
}

impl Raw {
    fn new(adapter: &str, bytes: u64) -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
        let adapter = adapters.into_iter().find(|a| a.get_info().name == adapter).expect("the adapter is there");
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).expect("the device opens");
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size: bytes, usage, mapped_at_creation: false })
        };
        let [a, b] = [(); 2].map(|()| buffer(BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST));
        let staging = buffer(BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let target = std::cell::RefCell::new(vec![0; bytes as usize]);
        Self { device, queue, a, b, staging, target }
    }

    fn run(&self, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder);
        self.queue.submit([encoder.finish()]);
        self.device.poll(PollType::wait_indefinitely()).expect("the device works");
    }

    fn write(&self, words: &[u32]) {
        self.queue.write_buffer(&self.a, 0, bytemuck::cast_slice(words));
        self.run(|_| {});
    }

    fn read(&self) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.a, 0, &self.staging, 0, self.a.size());
        self.queue.submit([encoder.finish()]);
        self.staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("the memory is mapped"));
        self.device.poll(PollType::wait_indefinitely()).expect("the device works");
        self.target.borrow_mut().copy_from_slice(&self.staging.get_mapped_range(..).expect("the memory is mapped"));
        self.staging.unmap();
    }

    fn sum(&self) {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.a, 0, &self.staging, 0, self.a.size());
        self.queue.submit([encoder.finish()]);
        self.staging.map_async(wgpu::MapMode::Read, .., |result| result.expect("the memory is mapped"));
        self.device.poll(PollType::wait_indefinitely()).expect("the device works");
        let view = self.staging.get_mapped_range(..).expect("the memory is mapped");
        std::hint::black_box(bytemuck::cast_slice::<u8, u32>(&view).iter().fold(0, |sum: u32, x| sum.wrapping_add(*x)));
        drop(view);
        self.staging.unmap();
    }

    fn copy(&self) {
        self.run(|encoder| encoder.copy_buffer_to_buffer(&self.a, 0, &self.b, 0, self.a.size()));
    }

    fn clear(&self) {
        self.run(|encoder| encoder.clear_buffer(&self.b, 0, None));
    }

    fn zeros(&self) {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: self.a.size(),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, &[1, 0, 0, 0]);
        self.run(|_| {});
    }
}
