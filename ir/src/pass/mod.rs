//! Passes: rewrites that keep what a kernel does, bit for bit.
//!
//! Calls are replaced first; passes never see one in what [`optimize`] gives them.
//! A pass takes a function in SSA form and changes it in place; the arenas keep what is
//! no longer used, the regions' lists say what is. [`run()`] runs them and checks the result
//! again, since facts belong to the function that they were found in.
//!
//! No pass moves or drops a barrier or a loop that may come round again, or moves an effect
//! over one; [`unroll()`] takes loops apart, so that what they do happens as often and in the
//! same order. Stores may become one store within a region; those that nobody could see go,
//! and those to memory that no other invocation sees may become values. A load is no effect: a
//! load that nobody looks at goes, also one that is out of bounds, and one may happen that did
//! not. What reads memory that others write stays on its side of a barrier, a fence and an
//! ordered atomic access; [`effects`](crate::analysis::effects) says what that is.

mod algebra;
mod copies;
mod dce;
mod expand;
mod fold;
mod gvn;
pub mod inline;
mod licm;
mod memory;
mod once;
mod places;
mod ranges;
mod run;
mod sccp;
mod sroa;
mod strength;
mod tables;
mod unroll;
mod vectorize;

pub use algebra::algebra;
pub use copies::copies;
pub use dce::dce;
pub use expand::{Expansion, expand};
pub use fold::fold;
pub use gvn::gvn;
pub use licm::licm;
pub use memory::memory;
pub use once::once;
pub use places::places;
pub use ranges::{bounds, ranges};
pub use run::{LeftOut, Optimized, Stages, run};
pub use sccp::sccp;
pub use sroa::sroa;
pub use strength::strength;
pub use tables::tables;
pub use unroll::{MAX_SIZE_ASKED, rounds, unmet, unroll, unroll_arrays};
pub use vectorize::vectorize;

use crate::check::Checked;
use crate::ir::Function;
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
    /// The passes whose changes give this one nothing to do that it would not have found
    /// before them; itself, where it leaves nothing for another run.
    unmoved_by: &'static [&'static str],
}

/// The table of passes: `"name" = what it does, unmoved by [passes], "documentation";`
macro_rules! passes {
    ($($name:literal = $run:expr, unmoved by [$($other:literal),*], $doc:literal;)*) => {
        /// Every pass, by name.
        pub const PASSES: &[Pass] =
            &[$(Pass { name: $name, doc: $doc, run: $run, unmoved_by: &[$($other),*] },)*];
    };
}

passes! {
    "fold" = |function, _| fold(function), unmoved by ["licm", "dce"],
        "Computes what is known already and takes the branches that are decided.";
    "algebra" = |function, _| algebra(function), unmoved by ["algebra", "licm"],
        "Makes ops of simpler ones that give the same bits.";
    "once" = |function, _| once(function), unmoved by ["algebra", "places", "licm"],
        "Removes loops that run once.";
    "unroll" = |function, _| unroll(function), unmoved by [],
        "Puts the bodies of loops several times, where that is asked for or pays.";
    "unroll-arrays" = |function, _| unroll_arrays(function), unmoved by [],
        "Puts the bodies of loops several times, where that is asked for or private arrays are in them.";
    "rounds" = rounds, unmoved by ["rounds"],
        "Lets loops make several rounds before they ask whether they end; back ends for devices run it.";
    "sccp" = |function, _| sccp(function), unmoved by ["sccp"],
        "Finds values that are constant on every path that can be taken.";
    "strength" = |function, _| strength(function), unmoved by [],
        "Divides by multiplying and multiplies by adding.";
    "places" = |function, _| places(function), unmoved by ["places", "dce"],
        "Adds constants to places and no longer to indices.";
    "ranges" = ranges, unmoved by ["ranges", "licm"],
        "Uses what is known about the ranges and bits of values.";
    "bounds" = bounds, unmoved by ["bounds"],
        "Takes off bounds of indices that always hold.";
    "copies" = copies, unmoved by ["copies"],
        "Reads what was copied to private memory where it was copied from.";
    "tables" = tables, unmoved by ["tables"],
        "Makes constant tables of private memory that never holds anything but constants.";
    "sroa" = sroa, unmoved by ["sroa"],
        "Makes values of private memory whose places are known.";
    "vectorize" = vectorize, unmoved by [],
        "Makes vector accesses of neighbouring scalar ones.";
    "gvn" = |function, _| gvn(function), unmoved by ["gvn", "dce"],
        "Computes once what would be computed again where the first is still known.";
    "memory" = memory, unmoved by [],
        "Removes loads of what memory is known to hold and stores that nobody sees.";
    "licm" = |function, _| licm(function), unmoved by ["dce"],
        "Computes before a loop what every round would compute alike.";
    "dce" = |function, _| dce(function), unmoved by ["licm", "dce"],
        "Removes what nobody looks at.";
}

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

    /// Runs this pass alone, once, and checks what it made. A function that would no longer
    /// be accepted stays as it was.
    ///
    /// ```
    /// use samebits_ir::{check::check, ir::Module, pass::PASSES};
    /// let mut checked = check(Module::default()).expect("nothing is sound");
    /// for pass in PASSES {
    ///     checked = pass.apply(checked);
    /// }
    /// ```
    pub fn apply(&'static self, checked: Checked) -> Checked {
        run(checked, &[(vec![self], 1)], &mut |_, _| {}).checked
    }
}

/// Passes that take turns until none of them changes anything, or so many times.
struct Stage {
    passes: &'static [&'static str],
    rounds: usize,
}

/// How much is optimised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Nothing.
    None,
    /// What makes a function smaller and costs next to no time.
    Simple,
    /// Everything; the macro uses this level.
    Full,
    /// What helps a compiler for a processor, which unrolls loops and makes vectors itself.
    Processor,
}

impl Level {
    /// Every level.
    pub const ALL: &[Self] = &[Self::None, Self::Simple, Self::Full, Self::Processor];

    /// The level's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Simple => "simple",
            Self::Full => "full",
            Self::Processor => "processor",
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

    /// The passes of the level as [`run`] takes them.
    ///
    /// ```
    /// use samebits_ir::pass::Level;
    /// assert!(Level::None.plan().is_empty() && !Level::Full.plan().is_empty());
    /// ```
    pub fn plan(self) -> Vec<(Vec<&'static Pass>, usize)> {
        let passes = |stage: &Stage| stage.passes.iter().filter_map(|name| Pass::from_name(name)).collect();
        self.stages().iter().map(|stage| (passes(stage), stage.rounds)).collect()
    }

    const fn stages(self) -> &'static [Stage] {
        match self {
            Self::None => &[],
            Self::Simple => &[Stage { passes: &["fold", "algebra", "once", "dce"], rounds: 4 }],
            Self::Full => &[
                Stage {
                    passes: &[
                        "sccp", "fold", "algebra", "places", "gvn", "memory", "once", "tables", "copies", "sroa", "dce",
                    ],
                    rounds: 3,
                },
                // Each round goes on with the loops around those of the one before.
                Stage {
                    passes: &[
                        "unroll", "sccp", "fold", "algebra", "places", "once", "tables", "copies", "sroa", "gvn",
                        "memory", "dce",
                    ],
                    rounds: 8,
                },
                Stage { passes: &["ranges", "fold", "algebra", "once", "licm", "gvn", "memory", "dce"], rounds: 2 },
                Stage { passes: &["vectorize", "strength", "fold", "algebra", "gvn", "dce"], rounds: 1 },
                Stage { passes: &["bounds"], rounds: 1 },
            ],
            Self::Processor => &[
                Stage {
                    passes: &[
                        "sccp", "fold", "algebra", "places", "gvn", "memory", "once", "tables", "copies", "sroa", "dce",
                    ],
                    rounds: 3,
                },
                Stage {
                    passes: &[
                        "unroll-arrays",
                        "sccp",
                        "fold",
                        "algebra",
                        "places",
                        "once",
                        "tables",
                        "copies",
                        "sroa",
                        "gvn",
                        "memory",
                        "dce",
                    ],
                    rounds: 8,
                },
                Stage { passes: &["ranges", "fold", "algebra", "once", "licm", "gvn", "memory", "dce"], rounds: 2 },
                Stage { passes: &["bounds"], rounds: 1 },
            ],
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
    run(checked, &level.plan(), &mut |_, _| {}).checked
}

/// The position of the pass of a name.
fn position(name: &str) -> Option<usize> {
    PASSES.iter().position(|pass| pass.name == name)
}

/// The positions of passes, one bit each.
fn set(names: &[&str]) -> u32 {
    names.iter().filter_map(|name| position(name)).fold(0, |set, position| set | 1 << position)
}

#[cfg(test)]
mod tests;
