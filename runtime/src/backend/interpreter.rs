//! The reference interpreter as a device: launches run at once, on worker threads.

use super::{Bound, Limits, Memory};
use crate::error::Error;
use crate::kernel::Loaded;
use samebits_ir::interp::{Arg, Fault, Options, Program, Words};
use samebits_ir::ir::ParamKind;
use samebits_ir::types::Scalar;

/// The limits that every hardware device of today has at least, save for the buffers,
/// which may be as large as 32-bit indices of words reach.
pub(crate) const LIMITS: Limits = Limits {
    buffer_bytes: 1 << 34,
    workgroup_size: [1024, 1024, 64],
    workgroup_invocations: 1024,
    shared_bytes: 1 << 16,
    buffers: 1024,
};

/// How the interpreter runs its launches.
#[derive(Debug)]
pub(crate) struct Interpreter {
    options: Options,
}

impl Interpreter {
    /// Every worker thread, and this budget of steps for a launch.
    pub fn new(max_steps: Option<u64>) -> Self {
        Self { options: Options { max_steps, ..Options::default() } }
    }

    /// Memory of this many bytes.
    pub fn zeros(&self, name: &str, bytes: u64) -> Result<Words, Error> {
        let full = || Error::OutOfMemory { device: name.to_owned(), asked: Some(bytes) };
        let size = usize::try_from(bytes).map_err(|_| full())?;
        // A refusal of the allocator must be an error and not the end of the process, and
        // `Words` cannot report one.
        Vec::<u32>::new().try_reserve_exact(size.div_ceil(4)).map_err(|_| full())?;
        Ok(Words::zeroed(size))
    }

    /// The kernel as the interpreter's code.
    pub fn compile(&self, kernel: &Loaded) -> Result<Program, Error> {
        Program::new(kernel.checked(), kernel.index()).ok_or_else(|| Error::MissingFeature {
            kernel: kernel.name.clone(),
            feature: "something".to_owned(),
            device: "interpreter".to_owned(),
        })
    }

    /// Runs a launch to its end.
    pub fn dispatch(
        &self,
        kernel: &Loaded,
        program: &Program,
        groups: [u32; 3],
        args: &[Bound<'_>],
    ) -> Result<(), Error> {
        let params = &kernel.function().0.params;
        let args: Vec<_> = params.iter().zip(args).map(|(param, arg)| argument(&param.kind, arg)).collect();
        match program.run(groups, &args, &self.options) {
            Ok(_) => Ok(()),
            Err(fault) => Err(Error::Fault { kernel: kernel.name.clone(), reason: reason(&fault) }),
        }
    }
}

/// An argument as the interpreter takes it: a scalar's words become a lane each, a 64-bit
/// lane's two words one.
fn argument<'a>(kind: &ParamKind, arg: &Bound<'a>) -> Arg<'a> {
    match arg {
        Bound::Buffer(Memory::Interpreter(words), len) => Arg::Buffer { words, offset: 0, len: *len },
        // Of another device, which the launch ruled out; without lanes it cannot be mistaken for a buffer.
        #[cfg(feature = "wgpu")]
        Bound::Buffer(Memory::Wgpu(_), _) => Arg::Scalar([0; 4]),
        Bound::Scalar(words) => {
            let wide = match kind {
                ParamKind::Scalar(ty) => ty.lane().is_some_and(|lane: Scalar| lane.bits() == 64),
                ParamKind::Buffer { .. } => false,
            };
            let mut lanes = [0; 4];
            for (lane, words) in lanes.iter_mut().zip(words.chunks(if wide { 2 } else { 1 })) {
                *lane = words.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word));
            }
            Arg::Scalar(lanes)
        }
    }
}

/// The fault without the kernel's name, which the error adds itself.
fn reason(fault: &Fault) -> String {
    let whole = fault.to_string();
    match whole.strip_prefix("kernel `").and_then(|rest| rest.split_once('`')) {
        Some((_, rest)) => rest.trim_start_matches(':').trim_start().to_owned(),
        None => whole,
    }
}
