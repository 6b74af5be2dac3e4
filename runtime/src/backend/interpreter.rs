//! The reference interpreter as a device: launches run at once, on worker threads.

use super::{Bound, Limits, Memory, Part, PerArgument};
use crate::error::Error;
use crate::judge::{self, Finding, Schedule};
use crate::kernel::Loaded;
use samebits_ir::interp::{Arg, Fault, Judge, Options, Program, Verdict, Words};
use samebits_ir::ir::ParamKind;
use samebits_ir::limits::{Limit, MAX_SIZE_ON_Z};
use samebits_ir::types::Scalar;
use std::sync::{Mutex, PoisonError};

/// All that a kernel can declare, and buffers as large as 32-bit indices of words reach.
pub(crate) const LIMITS: Limits = Limits {
    buffer_bytes: 1 << 34,
    workgroup_size: [Limit::Invocations.most(), Limit::Invocations.most(), MAX_SIZE_ON_Z],
    workgroup_invocations: Limit::Invocations.most(),
    shared_bytes: Limit::WorkgroupMemory.most(),
    buffers: Limit::Buffers.most(),
    argument_bytes: Limit::ArgumentBytes.most(),
    view_alignment: 4,
};

/// How the interpreter runs its launches.
#[derive(Debug)]
pub(crate) struct Interpreter {
    options: Options,
    judge: Option<Court>,
}

/// An interpreter that watches.
#[derive(Debug)]
struct Court {
    judge: Judge,
    findings: Mutex<Vec<Finding>>,
}

impl Interpreter {
    /// Every worker thread, and this budget of steps for a launch.
    pub fn new(max_steps: Option<u64>) -> Self {
        Self { options: Options { max_steps, ..Options::default() }, judge: None }
    }

    /// One that runs every launch before the judge.
    pub fn judge(schedule: Schedule, max_steps: Option<u64>) -> Self {
        let judge = Judge { schedule, max_steps };
        Self { judge: Some(Court { judge, findings: Mutex::default() }), ..Self::new(max_steps) }
    }

    /// Whether every launch is judged.
    pub fn judges(&self) -> bool {
        self.judge.is_some()
    }

    /// Takes what the judge found since the last call.
    pub fn findings(&self) -> Vec<Finding> {
        let take = |court: &Court| std::mem::take(&mut *court.findings.lock().unwrap_or_else(PoisonError::into_inner));
        self.judge.as_ref().map(take).unwrap_or_default()
    }

    /// Memory of this many bytes.
    pub fn zeros(&self, name: &str, bytes: u64) -> Result<Words, Error> {
        let full = || Error::OutOfMemory { device: name.to_owned(), asked: Some(bytes) };
        usize::try_from(bytes).ok().and_then(Words::try_zeroed).ok_or_else(full)
    }

    /// Copies bytes between memories, or between parts of one that do not overlap.
    pub fn copy(&self, from: (&Words, u64), to: (&Words, u64), bytes: u64) {
        let mut chunk = [0; 4096];
        let mut done = 0;
        while done < bytes {
            let some = &mut chunk[..(bytes - done).min(4096) as usize];
            from.0.copy_to((from.1 + done) as usize, some);
            to.0.write((to.1 + done) as usize, some);
            done += some.len() as u64;
        }
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
        let mut passed = PerArgument::new(args.len(), Arg::Scalar([0; 4]));
        let passed = passed.as_mut_slice();
        for (to, (param, arg)) in passed.iter_mut().zip(params.iter().zip(args)) {
            *to = argument(&param.kind, arg);
        }
        let fault = |fault: &Fault| Error::Fault { kernel: kernel.name.clone(), reason: judge::fault(kernel, fault) };
        match &self.judge {
            Some(court) => {
                let verdict = program.judge(groups, passed, &court.judge);
                let error = court.hear(kernel, &verdict);
                verdict.fault.as_ref().map_or(error, |found| Err(fault(found)))
            }
            None => program.run(groups, passed, &self.options).map(|_| ()).map_err(|found| fault(&found)),
        }
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

/// Findings that wait for somebody to take them.
const MAX_FINDINGS: usize = 1 << 12;

/// An argument as the interpreter takes it: a scalar's words become a lane each, a 64-bit
/// lane's two words one.
fn argument<'a>(kind: &ParamKind, arg: &Bound<'a>) -> Arg<'a> {
    match arg {
        Bound::Buffer(Part { memory: Memory::Interpreter(words), start, len, .. }) => {
            Arg::Buffer { words, offset: *start as usize, len: *len }
        }
        // Of another device, which the launch ruled out; without lanes it cannot be mistaken for a buffer.
        #[cfg(feature = "wgpu")]
        Bound::Buffer(Part { memory: Memory::Wgpu(_), .. }) => Arg::Scalar([0; 4]),
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
