//! Running passes, and what happens when they spoil a kernel.
//!
//! A pass keeps it true that all invocations reach a barrier together, but it may lose what
//! shows this. A kernel must be accepted again wherever it is read. So the checks run again on
//! the result: once, at the end, since they take time and hardly ever find anything. If they
//! do, the function is optimised again in small steps, and each step is checked. A step that
//! spoils the kernel is undone, and only the pass at fault is left out of it.
//!
//! Invariants: the result has passed the checks; nothing here panics on what a pass made; a
//! step that was left out is reported, and is an error if it was an `#[unroll]`.

use super::{PASSES, Pass, position, set};
use crate::check::{self, Checked};
use crate::diag::{Code, Diag, Diags};
use crate::ir::{Function, Module};
use crate::types::Types;
use std::fmt;

/// A module after passes.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The module and what the checks found out about it.
    pub checked: Checked,
    /// What was not done because it would have been refused.
    pub left_out: Vec<LeftOut>,
}

/// A pass that was left out at least once.
#[derive(Clone, Debug)]
pub struct LeftOut {
    /// The function's position in the module.
    pub function: usize,
    /// The pass's name.
    pub pass: &'static str,
    /// The first of what would have been reported of the result.
    pub diag: Diag,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pass, .. } = self;
        write!(
            f,
            "`{pass}` was left out: after it, the checks could not prove that all invocations reach the same barriers"
        )
    }
}

/// Stages of passes: those of a stage take turns until none changes anything, or so many
/// times.
pub type Stages = [(Vec<&'static Pass>, usize)];

/// Runs stages of passes on every function: the passes of a stage take turns until none
/// changes anything, or so many times. After each change `after` is told of the pass and
/// the module; what was taken back later it is told of too.
///
/// ```
/// use samebits_ir::pass::{Pass, run};
/// use samebits_ir::{builder::Builder, check::check, ops::Op, types::Types};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// let two = b.u32(2);
/// b.op(Op::Add, &[two, two]);
/// b.ret();
/// let checked = check(b.into_module(Types::default())).expect("a sound module");
/// let dce = Pass::from_name("dce").ok_or("a pass")?;
/// let mut changes = Vec::new();
/// let optimized = run(checked, &[(vec![dce], 2)], &mut |pass, _| changes.push(pass.name));
/// assert_eq!(changes, ["dce"]);
/// assert!(optimized.left_out.is_empty());
/// # Ok::<(), &str>(())
/// ```
pub fn run(checked: Checked, stages: &Stages, after: &mut dyn FnMut(&'static Pass, &Module)) -> Optimized {
    let mut module = checked.clone().into_flat_module();
    for index in 0..module.functions.len() {
        at_once(&mut module, index, stages, after);
    }
    if let Ok(checked) = check::check_image(module) {
        return Optimized { checked, left_out: Vec::new() };
    }
    let mut module = checked.clone().into_flat_module();
    let mut left_out = Vec::new();
    for index in 0..module.functions.len() {
        let Module { types, functions } = &mut module;
        let mut careful = Careful { types, function: &mut functions[index], index, left_out: &mut left_out };
        careful.run(stages);
    }
    // Each function was accepted alone, so that the module is.
    let checked = check::check_image(module).unwrap_or(checked);
    Optimized { checked, left_out }
}

/// Runs all passes on a function.
fn at_once(module: &mut Module, index: usize, stages: &Stages, after: &mut dyn FnMut(&'static Pass, &Module)) {
    let unmoved: Vec<u32> = PASSES.iter().map(|pass| set(pass.unmoved_by)).collect();
    let mut turns = Turns { runs: 0, looked: [0; PASSES.len()], changed: [0; PASSES.len()] };
    for (passes, rounds) in stages {
        let passes: Vec<(usize, &'static Pass)> =
            passes.iter().filter_map(|pass| Some((position(pass.name)?, *pass))).collect();
        for _ in 0..*rounds {
            let mut changed = false;
            for &(number, pass) in &passes {
                if !turns.has_work(number, unmoved[number]) {
                    continue;
                }
                let Module { types, functions } = &mut *module;
                if turns.note(number, (pass.run)(&mut functions[index], types)) {
                    changed = true;
                    after(pass, module);
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// When passes last looked at a function, and when they last changed it.
struct Turns {
    runs: usize,
    /// Before which run; 0 if there was none.
    looked: [usize; PASSES.len()],
    /// In which run; 0 if there was none.
    changed: [usize; PASSES.len()],
}

impl Turns {
    /// Whether a pass may find something: it never looked, or another one changed something
    /// since that it is not unmoved by.
    fn has_work(&self, pass: usize, unmoved: u32) -> bool {
        let looked = self.looked[pass];
        looked == 0 || self.changed.iter().enumerate().any(|(other, &run)| run >= looked && unmoved >> other & 1 == 0)
    }

    /// Notes a run of a pass and whether it changed anything, which it gives back.
    fn note(&mut self, pass: usize, changed: bool) -> bool {
        self.runs += 1;
        self.looked[pass] = self.runs;
        if changed {
            self.changed[pass] = self.runs;
        }
        changed
    }
}

/// Runs passes on a function and judges every round of them.
struct Careful<'a> {
    types: &'a Types,
    /// What was accepted last.
    function: &'a mut Function,
    index: usize,
    left_out: &'a mut Vec<LeftOut>,
}

impl Careful<'_> {
    fn run(&mut self, stages: &Stages) {
        for (passes, rounds) in stages {
            for _ in 0..*rounds {
                if !self.round(passes) {
                    break;
                }
            }
        }
    }

    /// A round of passes; whether any changed anything that stays.
    fn round(&mut self, passes: &[&'static Pass]) -> bool {
        let (all, changed) = self.after(passes, None);
        if changed.is_empty() {
            return false;
        }
        let Some(diag) = spoils(self.types, &all) else {
            *self.function = all;
            return true;
        };
        // One pass may spoil what another one would have mended, so that leaving out that one
        // is better than judging each alone. What was asked for comes last.
        let mut suspects = changed;
        if let Some(at) = suspects.iter().position(|pass| pass.name.starts_with("unroll")) {
            let unroll = suspects.remove(at);
            suspects.push(unroll);
        }
        for suspect in suspects {
            let (rest, _) = self.after(passes, Some(suspect));
            if spoils(self.types, &rest).is_none() {
                *self.function = rest;
                self.leave_out(suspect, diag);
                return true;
            }
        }
        let mut stays = false;
        for pass in passes {
            let (one, changed) = self.after(&[pass], None);
            if changed.is_empty() {
                continue;
            }
            match spoils(self.types, &one) {
                None => {
                    *self.function = one;
                    stays = true;
                }
                Some(diag) => self.leave_out(pass, diag),
            }
        }
        stays
    }

    /// The function after passes but one, and which of them changed anything.
    fn after(&self, passes: &[&'static Pass], but: Option<&Pass>) -> (Function, Vec<&'static Pass>) {
        let mut function = self.function.clone();
        let mut changed = Vec::new();
        for &pass in passes {
            if but.is_none_or(|but| but.name != pass.name) && (pass.run)(&mut function, self.types) {
                changed.push(pass);
            }
        }
        (function, changed)
    }

    fn leave_out(&mut self, pass: &'static Pass, diag: Diag) {
        let index = self.index;
        if !self.left_out.iter().any(|known| (known.function, known.pass) == (index, pass.name)) {
            self.left_out.push(LeftOut { function: index, pass: pass.name, diag });
        }
    }
}

/// What the checks find wrong with a function that passes changed.
fn spoils(types: &Types, function: &Function) -> Option<Diag> {
    let module = Module { types: types.clone(), functions: vec![function.clone()] };
    let diags: Diags = check::check_image(module).err()?;
    let diag = diags.as_slice().first()?.clone();
    // Only what shows that all reach a barrier may get lost. Tests want to know of anything
    // else; who compiles a kernel wants the kernel.
    let may_be = matches!(diag.code, Code::V010 | Code::V400);
    assert!(may_be || !cfg!(any(test, feature = "mistakes")), "pass made an invalid module: {}", diag.headline());
    Some(diag)
}

#[cfg(test)]
mod tests;
