//! The reference interpreter as a device: launches run at once, on worker threads.

use super::cpu::memory::{ALIGN, Copies, Memory};
use super::outcome::{Failures, Inherited, Outcome, Queued};
use super::{Backend, Bound, Control, LaunchKind, Limits, PerArgument};
use crate::error::Error;
use crate::judge::{self, Finding, Schedule};
use crate::kernel::Loaded;
use crate::report::{Report, Way};
use bytemuck::allocation::try_zeroed_vec;
use samebits_ir::caps::Capabilities;
use samebits_ir::interp::{Arg, Fault, Judge, Options, Program, Verdict};
use samebits_ir::ir::ParamKind;
use samebits_ir::limits::{Limit, MAX_SIZE_ON_Z};
use samebits_ir::types::Scalar;
use std::sync::{Arc, Mutex, PoisonError};

/// The reference interpreter's name.
pub(crate) const INTERPRETER: &str = "interpreter";
/// The judge's name.
pub(crate) const JUDGE: &str = "judge";

/// The environment variable that sets how many steps an invocation may take.
pub(super) const STEPS_VARIABLE: &str = "SAMEBITS_STEPS";
/// Steps of an invocation before it counts as endless: about ten seconds in a release build. An
/// invocation of a useful kernel takes a second at most. The invocations of a workgroup that take turns
/// may take sixteen times as many together.
const STEPS: u64 = 1 << 30;
/// The same for the judge, which is slower.
const JUDGE_STEPS: u64 = 1 << 27;

/// The limits of the language, and buffers as large as 32-bit indices of words reach.
pub(crate) const LIMITS: Limits = Limits {
    buffer_bytes: 1 << 34,
    workgroup_size: [Limit::Invocations.most(), Limit::Invocations.most(), MAX_SIZE_ON_Z],
    workgroup_invocations: Limit::Invocations.most(),
    shared_bytes: Limit::WorkgroupMemory.most(),
    buffers: Limit::Buffers.most(),
    argument_bytes: Limit::ArgumentBytes.most(),
    view_alignment: ALIGN as u32,
};

/// How the interpreter runs its launches.
#[derive(Debug)]
pub(crate) struct Interpreter {
    /// The name of the device that it is or belongs to.
    name: &'static str,
    /// The most steps of an invocation, or what is wrong with the variable that sets them.
    steps: Result<u64, Error>,
    /// The most steps of a launch.
    launch_steps: Option<u64>,
    judge: Option<Court>,
    failures: Failures,
}

/// An interpreter that watches.
#[derive(Debug)]
struct Court {
    schedule: Schedule,
    findings: Mutex<Vec<Finding>>,
}

impl Interpreter {
    /// Every worker thread, and the usual budget of steps for an invocation.
    pub fn new() -> Self {
        Self::of_device(INTERPRETER)
    }

    /// The same for a device that runs some kernels by the interpreter.
    pub fn of_device(name: &'static str) -> Self {
        Self { name, steps: steps(STEPS), launch_steps: None, judge: None, failures: Failures::default() }
    }

    /// The same, but with a budget of steps for a launch and without one for an invocation.
    pub fn with_budget(steps: u64) -> Self {
        Self { steps: Ok(u64::MAX), launch_steps: Some(steps), ..Self::new() }
    }

    /// An interpreter that judges every launch.
    pub fn judge(schedule: Schedule) -> Self {
        let court = Court { schedule, findings: Mutex::default() };
        Self { steps: steps(JUDGE_STEPS), judge: Some(court), ..Self::of_device(JUDGE) }
    }

    /// Runs a launch. The outer error says that it did not come to its end; the inner one is the
    /// judge's verdict on a launch that did.
    fn run(
        &self,
        kernel: &Loaded,
        program: &Program,
        groups: [u32; 3],
        args: &[Arg<'_>],
    ) -> Result<Result<(), Error>, Error> {
        let max_steps = self.launch_steps;
        let fault = |found: &Fault| match found {
            Fault::OutOfMemory { bytes, .. } => {
                Error::OutOfMemory { device: self.name().to_owned(), asked: Some(*bytes) }
            }
            Fault::Endless { .. } => {
                let help =
                    format!("if this is intended, set the environment variable `{STEPS_VARIABLE}` to more steps");
                Error::Fault {
                    kernel: kernel.name.clone(),
                    reason: format!("{}\n  help: {help}", judge::fault(kernel, found)),
                }
            }
            Fault::Arguments { .. }
            | Fault::Requirement { .. }
            | Fault::DivergentBarrier { .. }
            | Fault::Livelock { .. }
            | Fault::StepLimit { .. }
            | Fault::Unreachable { .. } => {
                Error::Fault { kernel: kernel.name.clone(), reason: judge::fault(kernel, found) }
            }
        };
        match &self.judge {
            Some(court) => {
                let judge = Judge { schedule: court.schedule, max_steps };
                let verdict = program.judge(groups, args, &judge);
                let error = court.hear(kernel, &verdict);
                verdict.fault.as_ref().map_or(Ok(error), |found| Err(fault(found)))
            }
            None => {
                let options = Options { max_steps, ..Options::default() };
                program.run(groups, args, &options).map(|_| Ok(())).map_err(|found| fault(&found))
            }
        }
    }

    /// What has happened to a launch that was given up on the way.
    pub fn gave_up(&self, error: Error) -> Queued {
        let failed = Outcome::failed(error.clone());
        self.failures.keep(failed.clone());
        Queued { batch: None, launch: Some(failed), number: None, afterwards: Err(error) }
    }

    /// The copies of parts that a launch cannot use in place.
    pub fn copies<'a>(&self, args: &[Bound<'a, &'a Memory>]) -> Result<Copies<'a>, Error> {
        // SAFETY: the arguments of a dispatch are borrowed for it.
        unsafe { Copies::of(args) }.map_err(|bytes| self.full(bytes))
    }

    fn full(&self, bytes: u64) -> Error {
        Error::OutOfMemory { device: self.name.to_owned(), asked: Some(bytes) }
    }
}

impl Control for Interpreter {
    fn name(&self) -> &str {
        self.name
    }

    fn is_gpu(&self) -> bool {
        false
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn report(&self) -> Report {
        Report {
            device: self.name().to_owned(),
            driver: None,
            api: None,
            way: Way::Interpreter,
            instructions: None,
            native: None,
            subgroups: true,
            capabilities: self.capabilities(),
            reported: Vec::new(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn finish(&self) -> Result<(), Error> {
        Ok(())
    }

    fn failures(&self) -> &Failures {
        &self.failures
    }

    fn judges(&self) -> bool {
        self.judge.is_some()
    }

    fn findings(&self) -> Vec<Finding> {
        let take = |court: &Court| std::mem::take(&mut *court.findings.lock().unwrap_or_else(PoisonError::into_inner));
        self.judge.as_ref().map(take).unwrap_or_default()
    }
}

impl Backend for Interpreter {
    type Memory = Memory;
    type Pipeline = Program;
    type Asked = Vec<u8>;
    type Plan = ();

    const QUEUES: bool = false;
    const USES_CONDITIONS: bool = false;

    fn zeros(&self, bytes: u64) -> Result<(Memory, Option<Arc<Outcome>>), Error> {
        let memory = usize::try_from(bytes).ok().and_then(Memory::zeroed).ok_or_else(|| self.full(bytes))?;
        Ok((memory, None))
    }

    fn adopt(&self, memory: Memory) -> Result<Memory, Memory> {
        Ok(memory)
    }

    fn slice<'a>(&self, memory: &'a Memory, offset: u64, bytes: u64) -> Option<&'a [u8]> {
        // SAFETY: the caller has borrowed the bytes, and nobody writes them as long.
        Some(unsafe { memory.slice(offset as usize, bytes as usize) })
    }

    fn write(&self, memory: &Memory, offset: u64, bytes: &[u8]) -> Result<Option<Arc<Outcome>>, Error> {
        // SAFETY: the caller has borrowed the bytes to write them.
        unsafe { memory.write(offset as usize, bytes) };
        Ok(None)
    }

    fn read(&self, memory: &Memory, offset: u64, out: &mut [u8]) -> Result<(), Error> {
        // SAFETY: the caller has borrowed the bytes to read them.
        unsafe { memory.read(offset as usize, out) };
        Ok(())
    }

    /// Every launch is over when its call returns, so the bytes are there.
    fn ask(&self, from: Option<(&Memory, u64, u64)>) -> Result<Vec<u8>, Error> {
        let Some((memory, offset, bytes)) = from else { return Ok(Vec::new()) };
        let full = || Error::OutOfMemory { device: "host".to_owned(), asked: Some(bytes) };
        let mut taken = try_zeroed_vec(bytes as usize).map_err(|()| full())?;
        self.read(memory, offset, &mut taken)?;
        Ok(taken)
    }

    fn receive(&self, asked: Vec<u8>, out: &mut [u8]) -> Result<(), Error> {
        out.copy_from_slice(&asked);
        Ok(())
    }

    fn copy(&self, from: (&Memory, u64), to: (&Memory, u64), bytes: u64) -> Result<Option<Arc<Outcome>>, Error> {
        // SAFETY: the caller has borrowed both.
        unsafe { Memory::copy((from.0, from.1 as usize), (to.0, to.1 as usize), bytes as usize) };
        Ok(None)
    }

    fn compile(&self, kernel: &Loaded, _kind: LaunchKind) -> Result<Program, Error> {
        let steps = self.steps.clone()?;
        let program = Program::new(kernel.checked(), kernel.index()).ok_or_else(|| kernel.missing())?;
        Ok(program.with_invocation_steps(steps))
    }

    /// Runs a launch to its end. If it is given up, the bytes that it may have written depend on
    /// its error.
    fn dispatch(
        &self,
        kernel: &Loaded,
        program: &Program,
        groups: [u32; 3],
        args: &[Bound<'_, &Memory>],
        _inherited: &Inherited,
    ) -> Result<Queued, Error> {
        let params = &kernel.function().0.params;
        let copies = self.copies(args)?;
        let mut passed = PerArgument::new(args.len(), Arg::Scalar([0; 4]));
        let passed = passed.as_mut_slice();
        for (i, (to, (param, arg))) in passed.iter_mut().zip(params.iter().zip(args)).enumerate() {
            *to = argument(&param.kind, &copies.passed(i, arg));
        }
        let ran = self.run(kernel, program, groups, passed);
        // SAFETY: the launch is over, and its arguments are borrowed as long as this runs.
        unsafe { copies.back(params) };
        match ran {
            Ok(verdict) => Ok(Queued { batch: None, launch: None, number: None, afterwards: verdict }),
            // Without a judge, memory is asked for before anything runs.
            Err(error @ Error::OutOfMemory { .. }) if self.judge.is_none() => Err(error),
            Err(error) => Ok(self.gave_up(error)),
        }
    }
}

/// The budget of steps of an invocation that the environment sets, or the usual one.
pub(super) fn steps(usual: u64) -> Result<u64, Error> {
    match std::env::var_os(STEPS_VARIABLE) {
        Some(value) if !value.is_empty() => value.to_str().and_then(|value| value.parse().ok()).ok_or_else(|| {
            let value = value.to_string_lossy().into_owned();
            Error::Variable { variable: STEPS_VARIABLE, value, expected: "a number of steps" }
        }),
        _ => Ok(usual),
    }
}

impl Court {
    /// Keeps what was found; a race is an error.
    fn hear(&self, kernel: &Loaded, verdict: &Verdict) -> Result<(), Error> {
        let found: Vec<Finding> = verdict.findings.iter().map(|finding| Finding::new(kernel, finding)).collect();
        let mut races = found.iter().filter(|finding| finding.is_race());
        let error = races.next().map(|first| Error::Race {
            kernel: kernel.name.clone(),
            reason: first.with_places(),
            more: races.count(),
        });
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_FINDINGS.saturating_sub(findings.len());
        findings.extend(found.into_iter().take(room));
        error.map_or(Ok(()), Err)
    }
}

/// The most findings that are kept for `Device::findings`.
const MAX_FINDINGS: usize = 1 << 12;

/// An argument as the interpreter takes it: a scalar's words become a lane each, a 64-bit
/// lane's two words one.
fn argument<'a>(kind: &ParamKind, arg: &Bound<'a, &'a Memory>) -> Arg<'a> {
    match arg {
        Bound::Buffer(part) => {
            // SAFETY: a dispatch has borrowed its arguments, and this part can be accessed in place.
            let words = unsafe { part.words() };
            Arg::Words { words, len: part.len, most: Some(part.most) }
        }
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
