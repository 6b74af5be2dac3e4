//! This CPU as a device: kernels run as native code, launches at once.
//!
//! A kernel without native code runs on the interpreter, in the same memory, with the same results and errors as on
//! a device of the interpreter. Native code reads its lengths and scalars from a launch block, like a device.
//!
//! Invariants:
//!
//! - Native code is called as [`crate::native`] demands. The launcher has compared the arguments with the kernel's
//!   parameters and has held the launch to the conditions under which there are no races; here buffers are put
//!   where they begin at a multiple of eight bytes.
//! - What a loop may take and which instructions are used is found out when the device is opened.

mod float;
mod helpers;
mod level;
pub(crate) mod memory;
mod schedule;

use super::interpreter::{Interpreter, LIMITS, STEPS_VARIABLE, steps};
use super::outcome::{Failures, Inherited, Outcome, Queued};
use super::{Backend, Bound, Control, LaunchKind, Limits, PerArgument};
use crate::error::Error;
use crate::judge;
use crate::kernel::Loaded;
use crate::native::{self, HostBuffer, Run};
use crate::report::{Report, Way};
use level::Level;
use memory::Memory;
use samebits_ir::analysis::facts::Condition;
use samebits_ir::caps::Capabilities;
use samebits_ir::interp::Program;
use samebits_ir::launch::{Grid, LaunchBlock};
use samebits_ir::loc::Loc;
use schedule::{Stop, Work};
use std::cell::Cell;
use std::ptr;
use std::sync::Arc;

/// The device's name.
pub(crate) const CPU: &str = "cpu";

/// How many rounds the loops of an invocation may have that are not known to end: about ten seconds for short ones.
const ROUNDS: u64 = 1 << 32;

/// This CPU.
#[derive(Debug)]
pub(crate) struct Cpu {
    /// Runs the kernels without native code, and has the memory.
    interpreter: Interpreter,
    /// The instructions to use, or what is wrong with the variable that restricts them.
    level: Result<Level, Error>,
    /// The most rounds of loops, or what is wrong with the variable that sets them.
    rounds: Result<u64, Error>,
}

/// A kernel for this CPU.
pub(crate) enum Compiled {
    /// By the interpreter.
    Interpreted(Box<Program>),
    /// By native code.
    Native {
        run: Run,
        /// How much the work of a workgroup is, about.
        weight: u64,
        /// How many neighbouring workgroups are quickest if one call runs them.
        together: u64,
    },
}

thread_local! {
    /// Room for the launch block of this thread's next launch.
    static BLOCK: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

impl Cpu {
    /// This CPU, as the environment wants it.
    pub fn new() -> Self {
        Self { interpreter: Interpreter::of_device(CPU), level: Level::chosen(), rounds: steps(ROUNDS) }
    }

    /// Runs native code over workgroups.
    fn run(
        &self,
        (run, weight, together): (Run, u64, u64),
        groups: [u32; 3],
        args: &[Bound<'_, &Memory>],
        rounds: u64,
    ) -> Result<(), Stop> {
        let parts = args.iter().filter_map(|arg| match arg {
            Bound::Buffer(part) => Some(part),
            Bound::Scalar(_) => None,
        });
        let none = HostBuffer { start: ptr::null_mut(), bytes: 0, len: 0 };
        let mut buffers = PerArgument::new(parts.clone().count(), none);
        let buffers = buffers.as_mut_slice();
        for (buffer, part) in buffers.iter_mut().zip(parts.clone()) {
            *buffer = HostBuffer { start: part.pointer(), bytes: part.bytes as usize, len: part.len };
        }
        let scalars = args.iter().filter_map(|arg| match arg {
            Bound::Scalar(words) => Some(*words),
            Bound::Buffer(_) => None,
        });
        let mut block = BLOCK.try_with(Cell::take).unwrap_or_default();
        LaunchBlock::write(&mut block, &Grid::of(groups, u32::MAX), parts.map(|part| part.len), scalars);
        let launch = native::Launch { buffers, block: &block, rounds };
        // SAFETY: the arguments of a dispatch fit the kernel and are borrowed for it, and all of them are in
        // memory; whoever dispatches has seen to it that there are no races; a buffer that does not begin at a
        // multiple of eight was replaced by a copy.
        let result = unsafe { Work::new(&launch, run, groups) }.run(weight, together);
        // Without the room, the next launch makes some.
        let _ = BLOCK.try_with(|room| room.set(block));
        result
    }
}

/// The error for a loop of native code that does not end.
fn endless(kernel: &Loaded, loc: u32, rounds: u64) -> Error {
    let reason = judge::endless(&kernel.source_as_written(), Loc::new(loc), rounds);
    let help = format!("if this is intended, set the environment variable `{STEPS_VARIABLE}` to more rounds");
    Error::Fault { kernel: kernel.name.clone(), reason: format!("{reason}\n  help: {help}") }
}

impl Control for Cpu {
    fn name(&self) -> &str {
        CPU
    }

    fn is_gpu(&self) -> bool {
        false
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn capabilities(&self) -> Capabilities {
        self.interpreter.capabilities()
    }

    fn report(&self) -> Report {
        let level = self.level.as_ref().map_or(Level::Baseline, |level| *level);
        Report { way: Way::Native, instructions: Some(level.name()), ..self.interpreter.report() }
    }

    fn finish(&self) -> Result<(), Error> {
        Ok(())
    }

    fn failures(&self) -> &Failures {
        self.interpreter.failures()
    }
}

impl Backend for Cpu {
    type Memory = Memory;
    type Pipeline = Compiled;
    type Asked = Vec<u8>;
    type Plan = ();

    const QUEUES: bool = false;
    const USES_CONDITIONS: bool = true;

    fn conditions<'a>(&self, kernel: &'a Loaded) -> &'a [Condition] {
        kernel.native_conditions()
    }

    /// There is code for all conditions, and for none.
    fn form(&self, kernel: &Loaded, fulfilled: u64) -> u64 {
        let all = kernel.native().is_some() && fulfilled.count_ones() as usize == kernel.native_conditions().len();
        if all { fulfilled } else { 0 }
    }

    fn zeros(&self, bytes: u64) -> Result<(Memory, Option<Arc<Outcome>>), Error> {
        self.interpreter.zeros(bytes)
    }

    fn adopt(&self, memory: Memory) -> Result<Memory, Memory> {
        self.interpreter.adopt(memory)
    }

    fn slice<'a>(&self, memory: &'a Memory, offset: u64, bytes: u64) -> Option<&'a [u8]> {
        self.interpreter.slice(memory, offset, bytes)
    }

    fn write(&self, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<Option<Arc<Outcome>>, Error> {
        self.interpreter.write(memory, offset, bytes)
    }

    fn read(&self, memory: &Memory, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        self.interpreter.read(memory, offset, out)
    }

    fn ask(&self, from: Option<(&Memory, u64, u64)>) -> Result<Vec<u8>, Error> {
        self.interpreter.ask(from)
    }

    fn receive(&self, asked: Vec<u8>, out: &mut [u8]) -> Result<(), Error> {
        self.interpreter.receive(asked, out)
    }

    fn copy(&self, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<Option<Arc<Outcome>>, Error> {
        self.interpreter.copy(from, to, bytes)
    }

    fn compile(&self, kernel: &Loaded, kind: LaunchKind) -> Result<Compiled, Error> {
        let level = self.level.clone()?;
        let Some(native) = kernel.native() else {
            return Ok(Compiled::Interpreted(Box::new(self.interpreter.compile(kernel, kind)?)));
        };
        // The conditions that are fulfilled are all there are, or count as none.
        let bare = kind.fulfilled.count_ones() as usize == kernel.native_conditions().len();
        let invocations: u64 = kernel.function().0.workgroup_size().into_iter().map(u64::from).product();
        let run = level.of(if bare { &native.bare } else { &native.guarded });
        let weight = u64::from(native.weight).saturating_mul(invocations);
        Ok(Compiled::Native { run, weight, together: native.together.into() })
    }

    /// Runs a launch to its end. If it is given up, the bytes that it may have written depend on its error.
    fn dispatch(
        &self,
        kernel: &Loaded,
        compiled: &Compiled,
        groups: [u32; 3],
        args: &[Bound<'_, &Memory>],
        inherited: &Inherited,
    ) -> Result<Queued, Error> {
        float::check()?;
        let code = match compiled {
            Compiled::Interpreted(program) => {
                return self.interpreter.dispatch(kernel, program, groups, args, inherited);
            }
            Compiled::Native { run, weight, together } => (*run, *weight, *together),
        };
        let rounds = self.rounds.clone()?;
        let copies = self.interpreter.copies(args)?;
        let mut passed = PerArgument::new(args.len(), Bound::Scalar(&[]));
        let passed = passed.as_mut_slice();
        for (i, (to, arg)) in passed.iter_mut().zip(args).enumerate() {
            *to = copies.passed(i, arg);
        }
        let result = self.run(code, groups, passed, rounds);
        // SAFETY: the launch is over, and its arguments are borrowed as long as this runs.
        unsafe { copies.back(&kernel.function().0.params) };
        match result {
            Ok(()) => Ok(Queued { batch: None, launch: None, number: None, afterwards: Ok(()) }),
            Err(Stop::Thread(error)) => Ok(self.interpreter.gave_up(error)),
            Err(Stop::Endless(native::Endless(loc))) => Ok(self.interpreter.gave_up(endless(kernel, loc, rounds))),
        }
    }
}
