//! Launches on a browser, compared with the interpreter.
//!
//! What WebGPU cannot have is no failure: [`lacks`] says what it is, by the limits that
//! every device has at least, which are WebGPU's. A test that lets a kernel go for such a reason
//! lists it.

use super::{Browser, Job, Kind, Outcome};
use crate::engines::lane_words;
use crate::filetest::{Argument, Engine, Failure, Interpreter, Launch, Memories};
use crate::random::compare::differs;
use samebits_ir::backend::naga::{Options, emit};
use samebits_ir::caps::Capabilities;
use samebits_ir::check::Checked;
use samebits_ir::ir::{Access, ParamKind};
use samebits_ir::launch::{Grid, LaunchBlock};
use std::cell::RefCell;
use std::collections::HashSet;

/// The workgroups on an axis that every device of WebGPU takes.
const MOST_GROUPS: u32 = 65_535;

/// What a kernel needs that not every browser has, or `None`. Other types than WGSL's are
/// made of those.
pub fn lacks(checked: &Checked, index: usize) -> Option<String> {
    let (_, facts) = checked.function(index)?;
    if facts.capabilities.contains(Capabilities::ATOMIC64) {
        return Some(Capabilities::ATOMIC64.to_string());
    }
    let beyond = facts.needs.beyond_defaults();
    beyond.iter().map(|(limit, amount)| limit.amount(amount)).next()
}

/// A launch as a job; without a launch the kernel is only compiled.
pub fn job(checked: &Checked, index: usize, options: &Options, launch: Option<&Launch>) -> Result<Job, Failure> {
    if let Some(what) = lacks(checked, index) {
        return Err(Failure::Lacks(what));
    }
    let (function, _) = checked.function(index).ok_or("there is no such kernel")?;
    let shader = emit(checked, index, options).ok_or("there is no such kernel")?;
    let wgsl = shader.wgsl().map_err(Failure::Lacks)?;
    if let Some(count) = launch.and_then(|launch| launch.groups.into_iter().find(|count| *count > MOST_GROUPS)) {
        return Err(Failure::Lacks(format!("{count} workgroups on an axis")));
    }
    let mut buffers = Vec::new();
    let (mut lens, mut scalars) = (Vec::new(), Vec::new());
    for (i, param) in function.params.iter().enumerate() {
        let argument = launch.and_then(|launch| launch.arguments.get(i));
        match (param.kind, argument) {
            (ParamKind::Scalar(ty), Some(Argument::Scalar(lanes))) => scalars.extend(lane_words(ty, lanes)),
            (ParamKind::Buffer { access, .. }, argument) => {
                let kind = match access {
                    Access::Read => Kind::Read,
                    Access::ReadWrite | Access::Atomic => Kind::ReadWrite,
                };
                let (len, bytes) = match argument {
                    Some(Argument::Buffer { len, bytes, .. }) => (*len, bytes.clone()),
                    Some(Argument::Scalar(_)) => return Err("a buffer's argument is a scalar".into()),
                    None => (0, Vec::new()),
                };
                lens.push(len);
                buffers.push((kind, bytes));
            }
            (ParamKind::Scalar(_), Some(Argument::Buffer { .. })) => {
                return Err("a scalar's argument is a buffer".into());
            }
            (ParamKind::Scalar(_), None) => {}
        }
    }
    // Nothing is folded.
    let grid = Grid::of(launch.map_or([0; 3], |launch| launch.groups), MOST_GROUPS);
    let mut block = Vec::new();
    LaunchBlock::write(&mut block, &grid, lens.into_iter(), std::iter::once(scalars.as_slice()));
    block.resize(shader.param_words as usize, 0);
    buffers.push((Kind::Uniform, block.into_iter().flat_map(u32::to_le_bytes).collect()));
    Ok(Job::new(wgsl, launch.map(|launch| launch.groups), buffers))
}

/// A launch that came out differently, or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The kernel.
    pub name: String,
    /// What is wrong.
    pub what: String,
    /// The text that the browser got.
    pub wgsl: String,
}

/// What became of all jobs of a recorder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// How many jobs the browser did, with the bytes that were expected.
    pub agreed: usize,
    /// Those that it did not.
    pub wrong: Vec<Disagreement>,
    /// Kernels that not every browser can run, with the reason.
    pub lacking: Vec<(String, String)>,
}

/// What is expected of a job.
struct Expected {
    name: String,
    wgsl: String,
    /// The memory of each buffer that can be written; empty if nothing was launched.
    written: Memories,
}

/// An engine that sends every launch to a browser, and expects what the interpreter gives.
pub struct Recorder<'b> {
    browser: RefCell<&'b mut Browser>,
    options: Options,
    state: RefCell<State>,
}

/// What a recorder has seen.
#[derive(Default)]
struct State {
    expected: Vec<Expected>,
    known: HashSet<Job>,
    lacking: Vec<(String, String)>,
}

impl<'b> Recorder<'b> {
    /// A recorder for kernels that are written with these options.
    pub fn new(browser: &'b mut Browser, options: Options) -> Self {
        Self { browser: RefCell::new(browser), options, state: RefCell::default() }
    }

    /// Sends a kernel to be compiled, or launched with the memories that are expected. What
    /// was sent before, word for word, is not sent again.
    pub fn send(
        &self,
        name: &str,
        checked: &Checked,
        index: usize,
        launch: Option<(&Launch, &Memories)>,
    ) -> Result<(), Failure> {
        let mut state = self.state.borrow_mut();
        let made = match job(checked, index, &self.options, launch.map(|(launch, _)| launch)) {
            Ok(made) => made,
            Err(Failure::Lacks(what)) => {
                state.lacking.push((name.to_owned(), what.clone()));
                return Err(Failure::Lacks(what));
            }
            Err(failure) => return Err(failure),
        };
        if !state.known.insert(made.clone()) {
            return Ok(());
        }
        let (function, _) = checked.function(index).ok_or("there is no such kernel")?;
        let written = launch.map_or_else(Vec::new, |(_, memories)| {
            let pairs = function.params.iter().zip(memories);
            let written = pairs.filter(|(param, _)| match param.kind {
                ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. } => true,
                ParamKind::Buffer { access: Access::Read, .. } | ParamKind::Scalar(_) => false,
            });
            written.map(|(_, memory)| memory.clone()).collect()
        });
        state.expected.push(Expected { name: name.to_owned(), wgsl: made.wgsl.clone(), written });
        self.browser.borrow_mut().send(made);
        Ok(())
    }

    /// What became of all that was sent, or why the page did not answer.
    pub fn finish(self) -> Result<Report, String> {
        let outcomes = self.browser.into_inner().collect()?;
        let State { expected, lacking, .. } = self.state.into_inner();
        let wrong = |(expected, outcome): (Expected, Outcome)| {
            let what = match outcome {
                Outcome::Done { warnings, .. } if !warnings.is_empty() => format!("compiles with {warnings}"),
                Outcome::Done { written, .. } if written.len() != expected.written.len() => {
                    format!("gives {} buffers, not {}", written.len(), expected.written.len())
                }
                Outcome::Done { written, .. } => differs(&expected.written, &written)?,
                Outcome::Refused(what) => format!("does not compile: {what}"),
                Outcome::Failed(what) => format!("does not run: {what}"),
            };
            Some(Disagreement { name: expected.name, what, wgsl: expected.wgsl })
        };
        let count = expected.len();
        let wrong: Vec<Disagreement> = expected.into_iter().zip(outcomes).filter_map(wrong).collect();
        Ok(Report { agreed: count - wrong.len(), wrong, lacking })
    }
}

impl Engine for Recorder<'_> {
    fn name(&self) -> &str {
        "interpreter, recorded for a browser"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let memories = Interpreter.launch(checked, function, launch)?;
        let name = checked.module().functions.get(function).map(|f| f.name.clone()).unwrap_or_default();
        match self.send(&name, checked, function, Some((launch, &memories))) {
            Ok(()) | Err(Failure::Lacks(_)) => Ok(memories),
            Err(failure) => Err(failure),
        }
    }
}
