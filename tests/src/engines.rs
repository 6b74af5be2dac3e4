//! The devices of this machine, for tests.
//!
//! [`devices`] never skips GPUs silently: a line on the process's standard error says so, also
//! while output is captured, and `SAMEBITS_REQUIRE_GPU=1` makes it a failure.

use crate::filetest::{Argument, Engine, Failure, Launch, Memories};
use samebits::__private::{Arg, Kernel};
use samebits::prelude::*;
use samebits_ir::check::Checked;
use samebits_ir::ir::{Elements, Param, ParamKind};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::Type;
use std::io::Write;

/// The variable that makes a machine without a GPU device a failure.
const REQUIRE: &str = "SAMEBITS_REQUIRE_GPU";

/// The interpreter and every other device of this machine but this CPU, software Vulkan included. A device that
/// kernels reach in two ways, as SPIR-V of ours and by naga, is there twice.
///
/// # Panics
///
/// If there is no GPU device and one is required, or one does not open again.
pub fn devices() -> Vec<Device> {
    crate::validation::listen();
    let mut devices = Device::all();
    if devices.len() < 3 {
        let required = std::env::var_os(REQUIRE).is_some_and(|value| value == "1");
        assert!(!required, "{REQUIRE}=1, and there is no device but this CPU");
        say("SKIPPED on GPU devices: there is none, so nothing was tested but this CPU");
    }
    // A kernel that is made from a module has no native code, and this CPU is the interpreter again.
    devices.retain(|device| device.name() != Device::cpu().name());
    let again: Vec<Device> =
        devices.iter().filter_map(Device::other_way).map(|device| device.expect("it opened before")).collect();
    devices.extend(again);
    devices
}

/// The [`devices`], and those again whose kernels have a form for large launches, with all launches large.
///
/// # Panics
///
/// As `devices`.
pub fn devices_and_forms() -> Vec<Device> {
    let mut devices = devices();
    let again: Vec<Device> = devices.iter().filter_map(in_large_form).collect();
    devices.extend(again);
    devices
}

/// The device, opened again, with all launches large; `None` if its kernels have one form.
///
/// # Panics
///
/// If it does not open again.
pub fn in_large_form(device: &Device) -> Option<Device> {
    if device.report().way() != samebits::report::Way::Spirv {
        return None;
    }
    let again = Device::named(device.name()).expect("it opened before");
    again.set_large(0);
    Some(again)
}

/// Writes a line that the test harness does not capture.
pub fn say(line: &str) {
    // Nothing can be done about a closed stream, and the test has other results.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A device of the runtime's.
pub struct OnDevice(pub Device);

impl Engine for OnDevice {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let params = &checked.function(function).ok_or("there is no such function")?.0.params;
        let kernel = Kernel::from_module(checked.module(), function).map_err(|error| error.to_string())?;
        launch_on(&self.0, &kernel, params, launch)
    }
}

/// Launches a kernel with these parameters.
pub fn launch_on(device: &Device, kernel: &Kernel, params: &[Param], launch: &Launch) -> Result<Memories, Failure> {
    let mut buffers = Vec::new();
    for argument in &launch.arguments {
        let words = match argument {
            Argument::Buffer { bytes, .. } => words(bytes)?,
            Argument::Scalar(_) => Vec::new(),
        };
        buffers.push(device.upload(&words).map_err(|error| error.to_string())?);
    }
    let leaves = launch.arguments.iter().zip(&mut buffers).zip(params);
    let args = leaves.map(|((argument, buffer), param)| bind(argument, buffer, param)).collect::<Result<Vec<_>, _>>();
    let args: Vec<Arg<'_>> = args.map_err(failure)?;
    let [x, y, z] = launch.groups.map(|n| n as usize);
    kernel.launch(device, Grid::groups(x, y, z), &args).map_err(failure)?;
    let read = |buffer: &Buffer<u32>| {
        let words = buffer.read().map_err(failure)?;
        Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    };
    buffers.iter().map(read).collect()
}

/// What a launch passes for a parameter.
fn bind<'b>(argument: &Argument, buffer: &'b mut Buffer<u32>, param: &Param) -> Result<Arg<'b>, Error> {
    Ok(match (argument, param.kind) {
        (Argument::Scalar(lanes), ParamKind::Scalar(ty)) => Arg::value(ty, &lane_words(ty, lanes)),
        // With the least bound that its elements are below.
        (Argument::Buffer { .. }, _) if param.elements == Elements::Below => {
            let most = buffer.read()?.into_iter().max().unwrap_or(0);
            Below::check(buffer, most as usize + 1)?.argument()
        }
        (Argument::Scalar(_), ParamKind::Buffer { .. }) | (Argument::Buffer { .. }, _) => Arg::words_mut(buffer),
    })
}

/// What an error of a launch means. Of a loop that a device ends there is no result, and that is said.
fn failure(error: Error) -> Failure {
    match error {
        Error::MissingFeature { .. } | Error::LoopCut { .. } => Failure::Lacks(error.to_string()),
        error => Failure::Wrong(error.to_string()),
    }
}

/// Bytes as the words that buffers are made of.
fn words(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    if rest.is_empty() {
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    } else {
        Err(format!("{} bytes are not a whole number of words", bytes.len()))
    }
}

/// The words of a value: one a lane, two for lanes of 64 bits, low first.
pub fn lane_words(ty: Type, lanes: &Lanes) -> Vec<u32> {
    let wide = ty.lane().is_some_and(|lane| lane.bits() == 64);
    let words = |lane: &u64| [*lane as u32, (lane >> 32) as u32].into_iter().take(if wide { 2 } else { 1 });
    lanes.iter().take(ty.lanes()).flat_map(words).collect()
}

/// Values one after the other as memory holds them, in whole words.
pub fn memory_words<'v>(ty: Type, values: impl IntoIterator<Item = &'v Lanes>) -> Vec<u32> {
    let bytes: Vec<u8> = values.into_iter().flat_map(|value| memory_bytes(ty, value)).collect();
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    bytes.chunks(4).map(word).collect()
}

/// A value as memory holds it.
pub fn memory_bytes(ty: Type, value: &Lanes) -> Vec<u8> {
    let size = ty.lane().map_or(0, |lane| lane.size() as usize);
    value.iter().take(ty.lanes()).flat_map(|lane| lane.to_le_bytes().into_iter().take(size)).collect()
}
