//! The reference interpreter: what a kernel means, executed exactly and in the open.
//!
//! [`Program::new`] turns structured SSA into flat code over a frame of `u64` slots, so
//! that an invocation is a frame and a position, and can stop at a barrier and go on.
//! [`Program::run`] executes a launch: worker threads take whole workgroups; within one,
//! invocations run one after the other, each up to its next barrier.
//!
//! Invariants: the meaning of ops comes from the op table and `scalar` alone; the result
//! of a kernel without races does not depend on the number of threads, nor do
//! [`Report`] and [`Fault`]; nothing panics on a checked function, whatever the arguments.

// Programs carry what the judge reports with.
#![cfg_attr(not(feature = "judge"), allow(dead_code))]

mod compile;
#[cfg(feature = "judge")]
mod judge;
mod memory;
mod run;
mod watch;
mod wrap;

pub use compile::Program;
#[cfg(feature = "judge")]
pub use judge::{Action, Finding, Judge, Schedule, Touch, Verdict};
pub use memory::Words;
pub use wrap::entry;

use crate::diag::count;
use crate::loc::Loc;
use crate::scalar::Lanes;
use std::fmt;
use std::sync::atomic::AtomicU32;

/// What a launch passes for a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// Elements that lie in `words` from the byte `offset` on.
    Buffer {
        /// The memory.
        words: &'a Words,
        /// Where the first element begins.
        offset: usize,
        /// The number of elements.
        len: u32,
    },
    /// Elements that fill memory of somebody else's from its first word on.
    Words {
        /// The memory, little-endian.
        words: &'a [AtomicU32],
        /// The number of elements.
        len: u32,
        /// What no element exceeds, if the launch says so; else they are looked at where a requirement asks for it.
        most: Option<u32>,
    },
    /// The bits of a scalar or vector.
    Scalar(Lanes),
}

/// How to run a launch.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Worker threads; 0 means as many as the machine runs at once.
    pub threads: usize,
    /// The most steps that all invocations together may take.
    pub max_steps: Option<u64>,
}

/// What happened in a launch that came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Report {
    /// Instructions that were executed, one a lane, moves and jumps included.
    pub steps: u64,
    /// Accesses that were out of bounds, in any address space.
    pub out_of_bounds: u64,
}

/// Why a launch was given up. Buffers keep what was written before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The arguments do not fit the parameters.
    Arguments {
        /// The kernel.
        kernel: String,
        /// Which, and how they do not fit.
        reason: String,
    },
    /// The launch does not satisfy what the kernel requires. Nothing was run.
    Requirement {
        /// The kernel.
        kernel: String,
        /// The requirement, and the numbers on both sides of it.
        reason: String,
        /// The requirement.
        loc: Loc,
    },
    /// Not every invocation of a workgroup reached the same barrier.
    DivergentBarrier {
        /// The kernel.
        kernel: String,
        /// The workgroup.
        group: [u32; 3],
        /// The barrier.
        barrier: Loc,
        /// An invocation that waits there, by its place in the workgroup.
        waiting: [u32; 3],
        /// An invocation that does not, by its place in the workgroup.
        other: [u32; 3],
        /// The barrier where the other one waits; `None` if it has returned.
        other_barrier: Option<Loc>,
        /// Where both wait at one barrier, but in different rounds of a loop around it: the
        /// loop's rounds of the one and of the other, from 1. Only the judge sees this.
        rounds: Option<[u64; 2]>,
    },
    /// Invocations wait in loops for a change of memory that none is left to make. Only the
    /// judge sees this.
    Livelock {
        /// The kernel.
        kernel: String,
        /// The access that is repeated, or none.
        access: Loc,
        /// The loop around it.
        repeats: Loc,
        /// The memory that is looked at, if the loop looks at any.
        root: Option<String>,
        /// The element of it.
        element: u64,
        /// The global id of the first invocation that is caught.
        invocation: [u32; 3],
        /// How many are caught in all.
        caught: u64,
        /// How many others wait at barriers.
        waiting: u64,
    },
    /// The launch took more steps than [`Options::max_steps`].
    StepLimit {
        /// The kernel.
        kernel: String,
        /// The limit.
        limit: u64,
    },
    /// An invocation took more steps than [`Program::with_invocation_steps`] allows, or it and
    /// those that it takes turns with did.
    Endless {
        /// The kernel.
        kernel: String,
        /// The global id of the invocation.
        invocation: [u32; 3],
        /// How many take turns, itself included, if it is all of them that took too many.
        together: Option<u64>,
        /// The loops that it was in, the innermost first.
        loops: Vec<Loc>,
        /// The limit.
        limit: u64,
    },
    /// The machine has not the memory that the workgroups need. Nothing was run.
    OutOfMemory {
        /// The kernel.
        kernel: String,
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// An invocation came to a place that the kernel says cannot be reached.
    Unreachable {
        /// The kernel.
        kernel: String,
        /// The workgroup.
        group: [u32; 3],
        /// The place.
        loc: Loc,
    },
}

impl Fault {
    /// The kernel's name.
    pub fn kernel(&self) -> &str {
        match self {
            Self::Arguments { kernel, .. }
            | Self::Requirement { kernel, .. }
            | Self::DivergentBarrier { kernel, .. }
            | Self::Livelock { kernel, .. }
            | Self::StepLimit { kernel, .. }
            | Self::Endless { kernel, .. }
            | Self::OutOfMemory { kernel, .. }
            | Self::Unreachable { kernel, .. } => kernel,
        }
    }

    /// What happened, without the kernel's name.
    ///
    /// ```
    /// use samebits_ir::interp::Fault;
    /// let fault = Fault::StepLimit { kernel: "sum".to_owned(), limit: 9 };
    /// assert_eq!(fault.reason(), "took more than the 9 steps allowed for a launch");
    /// assert_eq!(fault.to_string(), format!("kernel `sum`: {}", fault.reason()));
    /// ```
    pub fn reason(&self) -> String {
        let id = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        match self {
            Self::Arguments { reason, .. } | Self::Requirement { reason, .. } => reason.clone(),
            Self::DivergentBarrier { group, waiting, other, rounds: Some([round, other_round]), .. } => format!(
                "not every invocation of workgroup {} reaches a barrier in the same round of the loop around it: \
                 local id {} waits in round {round}, but local id {} in round {other_round}",
                id(*group),
                id(*waiting),
                id(*other)
            ),
            Self::DivergentBarrier { group, waiting, other, other_barrier, rounds: None, .. } => {
                let (group, waiting, other) = (id(*group), id(*waiting), id(*other));
                let does = if other_barrier.is_some() { "waits at another barrier" } else { "has returned" };
                format!(
                    "not every invocation of workgroup {group} reaches the same barrier: \
                     local id {waiting} waits at one, but local id {other} {does}"
                )
            }
            Self::Livelock { root, element, invocation, caught, waiting, .. } => {
                let does = |more| if more == 1 { "does" } else { "do" };
                let waits = |waiting| if waiting == 1 { "waits" } else { "wait" };
                let others = match (caught.saturating_sub(1), *waiting) {
                    (0, 0) => String::new(),
                    (more, 0) => format!(", and so {} {more} more", does(more)),
                    (0, waiting) => format!(", and {waiting} {} at a barrier", waits(waiting)),
                    (more, waiting) => {
                        format!(", so {} {more} more, and {waiting} {} at a barrier", does(more), waits(waiting))
                    }
                };
                let first = id(*invocation);
                match root {
                    Some(root) => format!(
                        "livelock: invocation {first} waits in a loop for a change of `{root}[{element}]` \
                         that no invocation will make{others}"
                    ),
                    None => {
                        format!(
                            "livelock: invocation {first} is in a loop that goes on for ever and changes nothing{others}"
                        )
                    }
                }
            }
            Self::StepLimit { limit, .. } => format!("took more than the {limit} steps allowed for a launch"),
            Self::Endless { invocation, together: None, limit, loops, .. } => {
                let place = if loops.is_empty() { "" } else { ", and is still in this loop" };
                format!("invocation {} took more than the {limit} steps allowed for one{place}", id(*invocation))
            }
            Self::Endless { invocation, together: Some(all), limit, loops, .. } => {
                let (first, others) = (id(*invocation), count(all.saturating_sub(1), "other"));
                let place = if loops.is_empty() { "" } else { ", and the first is still in this loop" };
                format!(
                    "invocation {first} and the {others} that it takes turns with \
                     took more than the {limit} steps allowed for all of them{place}"
                )
            }
            Self::OutOfMemory { bytes, .. } => {
                format!("not enough memory for the {} that its workgroups need", count(bytes, "byte"))
            }
            Self::Unreachable { group, .. } => format!("workgroup {} reached code that cannot be reached", id(*group)),
        }
    }

    /// The barrier or the place that the fault is about.
    pub fn loc(&self) -> Loc {
        match self {
            Self::Arguments { .. } | Self::StepLimit { .. } | Self::OutOfMemory { .. } => Loc::NONE,
            Self::Endless { loops, .. } => loops.first().copied().unwrap_or_default(),
            Self::Livelock { root: None, repeats, .. } => *repeats,
            Self::DivergentBarrier { barrier: loc, .. }
            | Self::Requirement { loc, .. }
            | Self::Livelock { access: loc, .. }
            | Self::Unreachable { loc, .. } => *loc,
        }
    }
}

impl Fault {
    /// What is at other places than [`loc`](Self::loc).
    pub fn notes(&self) -> Vec<(Loc, String)> {
        match self {
            Self::DivergentBarrier { barrier, other, other_barrier: Some(loc), .. } if loc != barrier => {
                let [x, y, z] = other;
                vec![(*loc, format!("local id ({x}, {y}, {z}) waits here"))]
            }
            Self::Endless { loops, .. } => {
                loops.iter().skip(1).map(|&outer| (outer, "in a round of this loop".to_owned())).collect()
            }
            Self::Livelock { root: Some(_), repeats, .. } => vec![(*repeats, "this loop goes on for ever".to_owned())],
            Self::DivergentBarrier { .. }
            | Self::Livelock { .. }
            | Self::Arguments { .. }
            | Self::Requirement { .. }
            | Self::StepLimit { .. }
            | Self::OutOfMemory { .. }
            | Self::Unreachable { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if matches!(self, Self::Requirement { .. }) { "" } else { ":" };
        write!(f, "kernel `{}`{colon} {}", self.kernel(), self.reason())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests;
