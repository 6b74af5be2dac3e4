//! Whether a kernel computes the same after passes, at every level and in text and wire form.
//!
//! The interpreter's result of the kernel as it was generated is the truth. The comparison only
//! knows the table of passes, so a new row is compared automatically. A panic is a finding too:
//! no pass may panic, and the checks after a pass panic if it broke an invariant.

use super::Kernel;
use crate::filetest::{Argument, Engine, Failure, Launch, Memories};
use samebits_ir::check::{Checked, check, check_image};
use samebits_ir::diag::{Diags, render};
use samebits_ir::interp::{Arg, Judge, Options, Program, Schedule, Words};
use samebits_ir::ir::Module;
use samebits_ir::pass::{Level, PASSES, optimize_to};
use samebits_ir::{text, wire};
use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Steps of a launch; more are a fault of the generator.
pub const MAX_STEPS: u64 = 400_000;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which step went wrong, such as `pass dce`; shrinking keeps it.
    pub step: String,
    /// How.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.what)
    }
}

fn finding(step: impl Into<String>, what: impl Into<String>) -> Finding {
    Finding { step: step.into(), what: what.into() }
}

/// The memory after a launch on the interpreter, and how many steps that took.
pub fn run(checked: &Checked, index: usize, launch: &Launch) -> Result<(Memories, u64), String> {
    let (program, words) = load(checked, index, launch)?;
    let options = Options { threads: 1, max_steps: Some(MAX_STEPS) };
    let report = program.run(launch.groups, &bind(launch, &words), &options).map_err(|fault| fault.to_string())?;
    Ok((words.iter().map(|words| words.read(0..words.bytes())).collect(), report.steps))
}

/// The memory after a launch under a schedule, in which no race may be.
pub fn judge(checked: &Checked, index: usize, launch: &Launch, schedule: Schedule) -> Result<Memories, String> {
    let (program, words) = load(checked, index, launch)?;
    let judge = Judge { schedule, max_steps: Some(MAX_STEPS) };
    let verdict = program.judge(launch.groups, &bind(launch, &words), &judge);
    if let Some(fault) = verdict.fault {
        return Err(fault.to_string());
    }
    match verdict.findings.iter().find(|finding| finding.is_race()) {
        Some(race) => Err(race.to_string()),
        None => Ok(words.iter().map(|words| words.read(0..words.bytes())).collect()),
    }
}

fn load(checked: &Checked, index: usize, launch: &Launch) -> Result<(Program, Vec<Words>), String> {
    let program = Program::new(checked, index).ok_or("there is no such function")?;
    let words = launch.arguments.iter().map(|argument| match argument {
        Argument::Buffer { bytes, .. } => Words::from_bytes(bytes),
        Argument::Scalar(_) => Words::zeroed(0),
    });
    Ok((program, words.collect()))
}

fn bind<'w>(launch: &Launch, words: &'w [Words]) -> Vec<Arg<'w>> {
    let args = launch.arguments.iter().zip(words).map(|(argument, words)| match argument {
        Argument::Buffer { len, .. } => Arg::Buffer { words, offset: 0, len: *len },
        Argument::Scalar(lanes) => Arg::Scalar(*lanes),
    });
    args.collect()
}

/// Compares a kernel with what everything makes of it; gives the steps that it took, or
/// the first difference.
pub fn compare(kernel: &Kernel) -> Result<u64, Finding> {
    let checked = accept(kernel)?;
    let index = kernel.index();
    let (expected, steps) = run(&checked, index, &kernel.launch).map_err(|fault| finding("as generated", fault))?;
    let same = |step: &str, checked: &Checked| {
        let (found, _) = run(checked, index, &kernel.launch).map_err(|fault| finding(step, fault))?;
        differs(&expected, &found).map_or(Ok(()), |what| Err(finding(step, what)))
    };
    for pass in PASSES {
        let step = format!("pass {}", pass.name);
        same(&step, &guarded(&step, || pass.apply(checked.clone()))?)?;
    }
    let mut best = None;
    for &level in Level::ALL {
        let step = format!("level {}", level.name());
        let optimized = guarded(&step, || optimize_to(checked.clone(), level))?;
        same(&step, &optimized)?;
        best = Some(optimized);
    }
    // The stored forms have tests of their own; here they meet what passes leave.
    if let Some(optimized) = best.filter(|_| kernel.seed.is_multiple_of(8)) {
        same("text", &stored("text", || text::parse(&text::print(optimized.module())))?)?;
        same("wire", &stored("wire", || wire::decode(&wire::encode(optimized.module())))?)?;
        same("text as generated", &stored("text as generated", || text::parse(&text::print(&kernel.module)))?)?;
    }
    Ok(steps)
}

/// What a device gets of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The kernel as it was generated.
    Generated,
    /// What all passes leave of it.
    Passed,
}

/// Compares what a device makes of a kernel in each form with what the interpreter does; `false` if the
/// device lacks what the kernel needs.
pub fn compare_on(kernel: &Kernel, engine: &dyn Engine) -> Result<bool, Finding> {
    Ok(compare_form_on(kernel, engine, Form::Generated)? && compare_form_on(kernel, engine, Form::Passed)?)
}

/// The same in one form.
pub fn compare_form_on(kernel: &Kernel, engine: &dyn Engine, form: Form) -> Result<bool, Finding> {
    let checked = accept(kernel)?;
    let index = kernel.index();
    let (expected, _) = run(&checked, index, &kernel.launch).map_err(|fault| finding("as generated", fault))?;
    let (name, module) = match form {
        Form::Generated => ("as generated", checked),
        Form::Passed => ("after the passes", guarded("passes", || optimize_to(checked, Level::Full))?),
    };
    let step = format!("{} {name}", engine.name());
    match engine.launch(&module, index, &kernel.launch) {
        // A device gives a word for a scalar argument, of which nothing is known.
        Ok(found) => differs(&expected, &found).map_or(Ok(true), |what| Err(finding(step, what))),
        Err(Failure::Lacks(_)) => Ok(false),
        Err(Failure::Wrong(what)) => Err(finding(step, what)),
    }
}

/// The kernel, which the checks must accept as if a person had written it.
pub fn accept(kernel: &Kernel) -> Result<Checked, Finding> {
    let shown = |diags: Diags| finding("check", render(&diags, "k.gir", &text::print(&kernel.module)));
    check(kernel.module.clone()).map_err(shown)
}

fn stored(step: &str, read: impl FnOnce() -> Result<Module, Diags>) -> Result<Checked, Finding> {
    let module = guarded(step, read)?;
    module.and_then(check_image).map_err(|diags| finding(step, render(&diags, step, "")))
}

/// Where two memories differ first.
pub fn differs(expected: &Memories, found: &Memories) -> Option<String> {
    for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
        if expected.is_empty() || expected == found {
            continue;
        }
        let at = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(expected.len().min(found.len()));
        let word =
            |bytes: &[u8]| bytes.iter().skip(at & !3).take(4).rev().map(|b| format!("{b:02x}")).collect::<String>();
        let (is, was) = (word(found), word(expected));
        return Some(format!("argument {i} has 0x{is} at byte {}, not 0x{was}", at & !3));
    }
    None
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `run` gives; a panic is a finding, and is not printed.
pub fn guarded<T>(step: &str, run: impl FnOnce() -> T) -> Result<T, Finding> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.with(Cell::get) {
                before(info);
            }
        }));
    });
    QUIET.with(|quiet| quiet.set(true));
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.with(|quiet| quiet.set(false));
    outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        finding(step, format!("panics: {}", text.unwrap_or("without words")))
    })
}

/// The interpreter on what a pass alone makes of a module, or a level.
pub struct After {
    name: String,
    apply: Box<dyn Fn(Checked) -> Checked>,
}

impl After {
    /// One for each pass and each level.
    pub fn all() -> Vec<Self> {
        let passes = PASSES.iter().map(|pass| Self {
            name: format!("interpreter after {}", pass.name),
            apply: Box::new(|checked| pass.apply(checked)),
        });
        let levels = Level::ALL.iter().map(|&level| Self {
            name: format!("interpreter at level {}", level.name()),
            apply: Box::new(move |checked| optimize_to(checked, level)),
        });
        passes.chain(levels).collect()
    }
}

impl Engine for After {
    fn name(&self) -> &str {
        &self.name
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let after = guarded(&self.name, || (self.apply)(checked.clone())).map_err(|finding| finding.to_string())?;
        Ok(run(&after, function, launch)?.0)
    }
}
