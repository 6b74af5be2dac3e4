//! Passes: rewrites that keep what a kernel does, bit for bit.
//!
//! Calls are replaced first; passes never see one in what [`optimize`] gives them.
//! A pass takes a function in SSA form and changes it in place; the arenas keep what is
//! no longer used, the regions' lists say what is. [`optimize`] runs them all and checks
//! the result again, since facts belong to the function that they were found in.
//!
//! No pass moves or adds an effect or drops one that anybody could see, and none moves, adds
//! or drops a barrier or a loop that may come round again. A load is no effect: a load that
//! nobody looks at goes, also one that is out of bounds, and one may happen that did not.
//! What reads memory that others write stays on its side of a barrier, a fence and an ordered
//! atomic access; [`effects`](crate::analysis::effects) says what that is.

mod dce;
mod expand;
mod fold;
mod gvn;
pub mod inline;
mod licm;
mod memory;
pub(crate) mod nan;
mod once;

pub use dce::dce;
pub use expand::expand;
pub use fold::fold;
pub use gvn::gvn;
pub use licm::licm;
pub use memory::memory;
pub use once::once;

use crate::check::{self, Checked};
use crate::ir::{Function, Module};
use crate::types::Types;

/// A pass: its name and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What it is called on the command line.
    pub name: &'static str,
    /// One sentence of documentation.
    pub doc: &'static str,
    /// Changes a function in SSA form without calls; says whether anything changed.
    run: fn(&mut Function, &Types) -> bool,
}

/// Every pass, by name.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "fold",
        doc: "Computes what is known already and takes the branches that are decided.",
        run: |function, _| fold(function),
    },
    Pass { name: "once", doc: "Removes loops that run once.", run: |function, _| once(function) },
    Pass {
        name: "gvn",
        doc: "Computes once what would be computed again where the first is still known.",
        run: |function, _| gvn(function),
    },
    Pass {
        name: "memory",
        doc: "Removes loads of what memory is known to hold and stores that nobody sees.",
        run: memory,
    },
    Pass {
        name: "licm",
        doc: "Computes before a loop what every round would compute alike.",
        run: |function, _| licm(function),
    },
    Pass { name: "dce", doc: "Removes what nobody looks at.", run: |function, _| dce(function) },
];

impl Pass {
    /// The pass of this name.
    ///
    /// ```
    /// use samebits_ir::pass::Pass;
    /// assert_eq!(Pass::from_name("dce").map(|pass| pass.name), Some("dce"));
    /// assert!(Pass::from_name("magic").is_none());
    /// ```
    pub fn from_name(name: &str) -> Option<&'static Self> {
        PASSES.iter().find(|pass| pass.name == name)
    }

    /// Runs this pass alone and checks what it made.
    ///
    /// ```
    /// use samebits_ir::{check::check, ir::Module, pass::PASSES};
    /// let mut checked = check(Module::default()).expect("nothing is sound");
    /// for pass in PASSES {
    ///     checked = pass.apply(checked);
    /// }
    /// ```
    pub fn apply(&self, checked: Checked) -> Checked {
        let mut module = checked.into_flat_module();
        let Module { types, functions } = &mut module;
        for function in functions {
            (self.run)(function, types);
        }
        check::recheck(module)
    }
}

/// Passes that take turns until none of them changes anything, or so many times.
struct Stage {
    passes: &'static [&'static str],
    rounds: usize,
}

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Nothing.
    None,
    /// What makes a function smaller and costs next to no time.
    Simple,
    /// Everything; what the macro does.
    Full,
}

impl Level {
    /// Every level.
    pub const ALL: &[Self] = &[Self::None, Self::Simple, Self::Full];

    /// What the level is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Simple => "simple",
            Self::Full => "full",
        }
    }

    /// The level of this name.
    ///
    /// ```
    /// use samebits_ir::pass::Level;
    /// assert_eq!(Level::from_name("full"), Some(Level::Full));
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|level| level.name() == name)
    }

    const fn stages(self) -> &'static [Stage] {
        match self {
            Self::None => &[],
            Self::Simple => &[Stage { passes: &["fold", "once", "dce"], rounds: 4 }],
            Self::Full => &[Stage { passes: &["fold", "once", "gvn", "memory", "licm", "dce"], rounds: 4 }],
        }
    }
}

/// Runs every pass on every function.
///
/// ```
/// use samebits_ir::{check::check, ir::Module, pass::optimize};
/// let checked = check(Module::default()).expect("nothing is sound");
/// assert!(optimize(checked).module().functions.is_empty());
/// ```
pub fn optimize(checked: Checked) -> Checked {
    optimize_to(checked, Level::Full)
}

/// Runs the passes of a level on every function.
///
/// ```
/// use samebits_ir::{check::check, ir::Module, pass::{Level, optimize_to}};
/// let checked = check(Module::default()).expect("nothing is sound");
/// assert!(optimize_to(checked, Level::Simple).module().functions.is_empty());
/// ```
pub fn optimize_to(checked: Checked, level: Level) -> Checked {
    let mut module = checked.into_flat_module();
    let Module { types, functions } = &mut module;
    for function in functions {
        for stage in level.stages() {
            run_stage(stage, function, types);
        }
    }
    check::recheck(module)
}

fn run_stage(stage: &Stage, function: &mut Function, types: &Types) {
    let passes: Vec<&Pass> = stage.passes.iter().filter_map(|name| Pass::from_name(name)).collect();
    for _ in 0..stage.rounds {
        let mut changed = false;
        for pass in &passes {
            changed |= (pass.run)(function, types);
        }
        if !changed {
            break;
        }
    }
}

#[cfg(test)]
mod tests;
