//! Primitives on every device against plain Rust.

#[path = "../devices/mod.rs"]
mod devices;

mod moves;
mod products;
mod random;
mod scan;
mod sort;

use samebits::algo::Scratch;
use samebits::judge::Schedule;
use samebits::prelude::*;
use std::sync::OnceLock;

/// The lengths at which everything is tried.
const LENGTHS: [usize; 12] = [0, 1, 2, 31, 32, 33, 255, 256, 257, 3071, 3073, 6145];
/// Those for devices that do not interpret.
const LONG: [usize; 2] = [65_535, 65_537];
/// And those for devices that are quick.
const LONGEST: [usize; 1] = [1_000_007];

/// The devices, opened once for all tests.
fn devices() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(devices::devices)
}

/// Every device with the kernels that it gets, and the interpreter also with those of GPUs.
fn scratches() -> Vec<(Device, Scratch)> {
    let mut all: Vec<_> = devices().iter().map(|device| (device.clone(), Scratch::new(device))).collect();
    let interpreter = Device::interpreter();
    let scratch = Scratch::new(&interpreter).as_gpu();
    all.push((interpreter, scratch));
    all
}

/// The lengths that are tried on a device.
fn lengths(device: &Device) -> impl Iterator<Item = usize> {
    let native = device.name() == Device::cpu().name() && !cfg!(debug_assertions);
    let interprets =
        [Device::cpu(), Device::interpreter()].iter().any(|other| other.name() == device.name()) && !native;
    let long = if interprets { &[][..] } else { &LONG };
    let longest = if device.is_gpu() || native { &LONGEST[..] } else { &[] };
    LENGTHS.iter().chain(long).chain(longest).copied()
}

/// The judge in three orders, before which no kernel may have a race, with both sorts of kernels.
fn judges() -> Vec<(Device, Scratch)> {
    let schedules = [Schedule::Forward, Schedule::Reversed, Schedule::Random(7)];
    let judge = |schedule| {
        let device = Device::judge(schedule);
        let scratch = Scratch::new(&device);
        let gpu = Device::judge(schedule);
        let wide = Scratch::new(&gpu).as_gpu();
        [(device, scratch), (gpu, wide)]
    };
    schedules.into_iter().flat_map(judge).collect()
}

/// Numbers that are all over their type.
fn words(count: usize, seed: u32) -> Vec<u32> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        word >> 22 ^ word
    };
    (0..count).map(|_| next()).collect()
}
