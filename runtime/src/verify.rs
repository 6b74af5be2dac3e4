//! `SAMEBITS_VERIFY=1`: every launch runs a second time, on this CPU, and the bytes are compared.
//!
//! What a GPU has computed is compared with what this CPU computes, and what native code on this CPU has computed
//! with the interpreter. A launch that differs is an error that names the kernel and the first element.
//!
//! Only what has one right result is compared: a kernel whose result depends on the order in which invocations run,
//! or that asks for loose floats, is left out, and a line on standard error says so once.

use crate::backend::cpu::CPU;
use crate::backend::interpreter::INTERPRETER;
use crate::backend::{Bound, Memory, Part, PerArgument, writes};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Kernel, Loaded};
use samebits_ir::analysis::races::Races;
use samebits_ir::ir::ParamKind;
use std::env;
use std::sync::{Arc, OnceLock};

/// The variable that asks for it.
const VARIABLE: &str = "SAMEBITS_VERIFY";

/// Whether launches are compared, as the environment says when the first one is made.
fn is_asked() -> Result<bool, Error> {
    static ASKED: OnceLock<Result<bool, Error>> = OnceLock::new();
    let asked = ASKED.get_or_init(|| match env::var_os(VARIABLE) {
        None => Ok(false),
        Some(value) => match value.to_str() {
            Some("" | "0") => Ok(false),
            Some("1") => Ok(true),
            _ => Err(Error::Variable {
                variable: VARIABLE,
                value: value.to_string_lossy().into_owned(),
                expected: "`1` or `0`",
            }),
        },
    });
    asked.clone()
}

/// The device that computes what another one should have; `None` if that is one of them, or a judge.
fn reference(device: &Device) -> Option<&'static Device> {
    static REFERENCES: [OnceLock<Device>; 2] = [const { OnceLock::new() }; 2];
    let [cpu, interpreter] = &REFERENCES;
    match device.name() {
        _ if device.control().judges() => None,
        INTERPRETER => None,
        CPU => Some(interpreter.get_or_init(Device::interpreter)),
        _ => Some(cpu.get_or_init(Device::cpu)),
    }
}

/// Whether launches on a device are compared.
pub(crate) fn compares(device: &Device) -> Result<bool, Error> {
    Ok(is_asked()? && reference(device).is_some())
}

/// Launches a kernel, and compares what it writes if that was asked for.
pub(crate) fn launch(
    kernel: &Kernel,
    loaded: &Arc<Loaded>,
    device: &Device,
    groups: [u32; 3],
    args: &[Bound<'_>],
) -> Result<(), Error> {
    let reference = if is_asked()? { reference(device) } else { None };
    let Some(reference) = reference.filter(|_| kernel.has_one_result()) else {
        return device.any().launch(loaded, groups, args);
    };
    // What the launch reads is what it is before it writes.
    let mut memories = Vec::with_capacity(args.len());
    for arg in args {
        memories.push(match arg {
            Bound::Buffer(part) => Some(copied(device, reference, part)?),
            Bound::Scalar(_) => None,
        });
    }
    device.any().launch(loaded, groups, args)?;
    let mut own = PerArgument::new(args.len(), Bound::Scalar(&[]));
    let own = own.as_mut_slice();
    for ((own, arg), memory) in own.iter_mut().zip(args).zip(&memories) {
        *own = match (arg, memory) {
            (Bound::Buffer(part), Some(memory)) => Bound::Buffer(Part { memory, start: 0, ..*part }),
            (arg, _) => *arg,
        };
    }
    reference.any().launch(loaded, groups, own)?;
    for ((param, arg), memory) in loaded.function().0.params.iter().zip(args).zip(&memories) {
        if let (Bound::Buffer(part), Some(memory), ParamKind::Buffer { element, .. }) = (arg, memory, param.kind)
            && writes(param)
            && !param.is_messages()
        {
            let found = read(device, part.memory, part.start, part.bytes)?;
            let expected = read(reference, memory, 0, part.bytes)?;
            let size = loaded.checked().module().types.layout(element).map_or(1, |layout| layout.size.max(1)) as usize;
            if let Some(at) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
                let element = at / size;
                let bits = |bytes: &[u8]| bytes.chunks(size).nth(element).map_or_else(String::new, hexadecimal);
                let (name, other) = (&param.name, reference.name());
                return Err(Error::Differs {
                    kernel: loaded.name.clone(),
                    device: device.name().to_owned(),
                    reason: format!("`{name}[{element}]` is {}, but {} on `{other}`", bits(&found), bits(&expected)),
                });
            }
        }
    }
    Ok(())
}

/// The part's bytes in memory of another device.
fn copied(from: &Device, to: &Device, part: &Part<&Memory>) -> Result<Memory, Error> {
    let memory = to.any().zeros(part.bytes)?;
    if part.bytes > 0 {
        to.any().write(&memory, 0, &read(from, part.memory, part.start, part.bytes)?)?;
    }
    Ok(memory)
}

fn read(device: &Device, memory: &Memory, start: u64, bytes: u64) -> Result<Vec<u8>, Error> {
    let mut read = vec![0; bytes as usize];
    if bytes > 0 {
        device.any().read(memory, start, &mut read)?;
    }
    Ok(read)
}

/// An element's bits, the most significant byte first.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

impl Kernel {
    /// Whether every launch has one right result, whatever the device and the schedule. Says so once if not.
    fn has_one_result(&self) -> bool {
        self.one_result(|| {
            let Ok(written) = self.load_as_written() else { return false };
            let (function, findings) = written.function();
            let types = &written.checked().module().types;
            let is_loose = function.insts.iter().any(|(inst, _)| function.is_loose(inst));
            let spoiled = if is_loose {
                "it asks for loose floats"
            } else if Races::of(types, function, &findings.uniform).is_deterministic() {
                return true;
            } else {
                "its result may depend on the order in which invocations run"
            };
            eprintln!("samebits: kernel `{}` is not verified: {spoiled}", self.name());
            false
        })
    }
}
