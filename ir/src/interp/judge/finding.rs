//! What the judge reports: one finding for each pair of places, or each place, with a count and
//! a message.

use super::super::watch::AccessKind;
use super::super::{Fault, Report};
use crate::diag::{Severity, count, excerpt, visible};
use crate::loc::Loc;
use crate::ops::AtomicOp;
use std::fmt::{self, Write};

/// Something about a launch that its result does not show.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// Two accesses of which one writes, at least one is not atomic, and neither happens
    /// before the other. That both store the same value makes no difference.
    Race {
        /// The memory.
        root: String,
        /// The element that both access.
        element: u64,
        /// The access that came first in this run.
        first: Touch,
        /// The other one.
        second: Touch,
        /// How often these two places raced.
        times: u64,
    },
    /// An access out of bounds. It has a meaning, but is rarely meant.
    OutOfBounds {
        /// The memory.
        root: String,
        /// The element that would be there.
        element: u64,
        /// The first of the accesses.
        access: Touch,
        /// How many there were at this place.
        times: u64,
    },
    /// A load of workgroup memory to which no invocation of the workgroup had written. It
    /// gives zero. An atomic that changes what it finds counts as a write.
    Unwritten {
        /// The memory.
        root: String,
        /// The element.
        element: u64,
        /// The first of the loads.
        access: Touch,
        /// How many there were at this place.
        times: u64,
    },
}

/// An access of an invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// What it does.
    pub action: Action,
    /// Where it is written.
    pub loc: Loc,
    /// The invocation's global id.
    pub invocation: [u32; 3],
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// A plain load.
    Load,
    /// A plain store.
    Store,
    /// An atomic access.
    Atomic(AtomicOp),
}

impl From<AccessKind> for Action {
    fn from(kind: AccessKind) -> Self {
        match kind {
            AccessKind::Load => Self::Load,
            AccessKind::Store => Self::Store,
            AccessKind::Atomic(op, _) => Self::Atomic(op),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load => f.write_str("loads"),
            Self::Store => f.write_str("stores"),
            Self::Atomic(op) => write!(f, "does an atomic `{}`", op.name()),
        }
    }
}

impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.invocation;
        write!(f, "invocation ({x}, {y}, {z}) {}", self.action)
    }
}

impl Finding {
    /// Whether this is always a mistake: a race. The others have a defined result.
    pub fn is_race(&self) -> bool {
        match self {
            Self::Race { .. } => true,
            Self::OutOfBounds { .. } | Self::Unwritten { .. } => false,
        }
    }

    /// Whether this is a load of workgroup memory that nobody wrote, which gives zero.
    pub fn is_unwritten(&self) -> bool {
        matches!(self, Self::Unwritten { .. })
    }

    /// The memory that this is about, and the element of it.
    pub fn element(&self) -> (&str, u64) {
        let (Self::Race { root, element, .. }
        | Self::OutOfBounds { root, element, .. }
        | Self::Unwritten { root, element, .. }) = self;
        (root, *element)
    }

    /// What happened, and to which element of which memory.
    pub fn message(&self) -> String {
        let (Self::Race { root, element, times, .. }
        | Self::OutOfBounds { root, element, times, .. }
        | Self::Unwritten { root, element, times, .. }) = self;
        let often = match times {
            0 | 1 => String::new(),
            times => format!(" (the first of {times} such cases)"),
        };
        match self {
            Self::Race { first, second, .. } => {
                format!("race on `{root}[{element}]`: {first}, {second}, and nothing orders the two{often}")
            }
            Self::OutOfBounds { access, .. } => format!("out of bounds: {access} `{root}[{element}]`{often}"),
            Self::Unwritten { access, .. } => {
                format!("{access} `{root}[{element}]`, which nothing in its workgroup has written{often}")
            }
        }
    }

    /// The place to look at first, and what is at others.
    pub fn places(&self) -> (Loc, Vec<(Loc, String)>) {
        match self {
            Self::Race { first, second, .. } => (second.loc, vec![(first.loc, format!("{first} here"))]),
            Self::OutOfBounds { access, .. } | Self::Unwritten { access, .. } => (access.loc, Vec::new()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// What the judge says about a launch.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Verdict {
    /// What was executed, up to the fault if there is one.
    pub report: Report,
    /// What was found, in the order in which it was met.
    pub findings: Vec<Finding>,
    /// How many findings more there were than are kept.
    pub left_out: u64,
    /// Why the launch was given up, if it was.
    pub fault: Option<Fault>,
}

impl Verdict {
    /// Whether the launch came to its end and had no race.
    pub fn is_sound(&self) -> bool {
        self.fault.is_none() && !self.findings.iter().any(Finding::is_race)
    }

    /// Shows everything over the text that the locations are byte offsets of; nothing if
    /// there is nothing to show.
    pub fn render(&self, file: &str, source: &str) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            let severity = if finding.is_race() { Severity::Error } else { Severity::Warning };
            let (loc, notes) = finding.places();
            show(&mut out, (severity, &finding.message()), loc, &notes, (file, source));
        }
        if self.left_out > 0 {
            let are = if self.left_out == 1 { "is" } else { "are" };
            let _ = writeln!(out, "{}: {} {are} not shown", Severity::Warning, count(self.left_out, "more finding"));
        }
        if let Some(fault) = &self.fault {
            show(&mut out, (Severity::Error, &fault.to_string()), fault.loc(), &fault.notes(), (file, source));
        }
        out
    }
}

fn show(
    out: &mut String,
    (severity, text): (Severity, &str),
    loc: Loc,
    notes: &[(Loc, String)],
    (file, source): (&str, &str),
) {
    let _ = writeln!(out, "{severity}: {}", visible(text));
    excerpt(out, file, source, loc);
    for (loc, text) in notes.iter().filter(|(loc, _)| *loc != Loc::NONE) {
        let _ = writeln!(out, "note: {}", visible(text));
        excerpt(out, file, source, *loc);
    }
}
