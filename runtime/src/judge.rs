//! The judge: the interpreter that watches every access, for tests and debugging.
//!
//! A device of [`Device::judge`](crate::Device::judge) gives the same bytes as any other, much
//! more slowly. It also reports races, endless loops and accesses out of bounds, which results do not
//! show.

use crate::kernel::Loaded;
use crate::place::Source;
use samebits_ir::interp::{self, Fault};
use samebits_ir::loc::Loc;
use std::fmt;

pub use crate::place::Place;
pub use samebits_ir::interp::Schedule;

/// Something that the judge saw in a launch: a race, an access out of bounds, or a load of
/// workgroup memory that nothing wrote.
///
/// Shown, it is the message and the places.
///
/// ```
/// use samebits::prelude::*;
/// use samebits::judge::Schedule;
///
/// #[kernel(workgroup_size(4))]
/// fn past_the_end(y: &mut [u32]) {
///     y[global_id().x] = 1;
/// }
///
/// let device = Device::judge(Schedule::Forward);
/// let mut y = device.zeros::<u32>(3)?;
/// past_the_end::launch(&device, 4, &mut y)?;
/// let findings = device.findings();
/// assert_eq!(findings[0].kernel(), "past_the_end");
/// assert_eq!(findings[0].message(), "out of bounds: invocation (3, 0, 0) stores `y[3]`");
/// assert_eq!((findings[0].memory(), findings[0].element()), ("y", 3));
/// assert!(findings[0].place().is_some_and(|place| place.column == 5));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    kernel: String,
    message: String,
    memory: String,
    element: u64,
    is_race: bool,
    is_unwritten: bool,
    place: Option<Place>,
    notes: Vec<(Option<Place>, String)>,
}

impl Finding {
    pub(crate) fn new(kernel: &Loaded, finding: &interp::Finding) -> Self {
        let (place, notes) = finding.places();
        let (memory, element) = finding.element();
        let source = kernel.source();
        Self {
            kernel: kernel.name.clone(),
            message: finding.message(),
            memory: memory.to_owned(),
            element,
            is_race: finding.is_race(),
            is_unwritten: finding.is_unwritten(),
            place: source.place(place),
            notes: with_calls(source, place, notes),
        }
    }

    /// The message and the places.
    pub(crate) fn with_places(&self) -> String {
        placed(&self.message, self.place, &self.notes)
    }

    /// The kernel.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// What happened, in a line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The argument, or the memory that the kernel declares.
    pub fn memory(&self) -> &str {
        &self.memory
    }

    /// Whether it is a load of workgroup memory that nobody wrote, which gives zero.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.is_unwritten
    }

    /// The element of it.
    pub fn element(&self) -> u64 {
        self.element
    }

    /// Whether it is a race; the launch then was an error as well.
    pub fn is_race(&self) -> bool {
        self.is_race
    }

    /// Where the access stands, in the kernel or in a helper; of a race, the access that came
    /// later.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// Notes at other places: the calls through which the kernel comes to an access in a helper,
    /// the last one first, and the other access of a race.
    pub fn notes(&self) -> impl Iterator<Item = (Option<Place>, &str)> {
        self.notes.iter().map(|(place, text)| (*place, text.as_str()))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`: {}", self.kernel, self.with_places())
    }
}

/// A fault with the places that it is about.
pub(crate) fn fault(kernel: &Loaded, fault: &Fault) -> String {
    let source = kernel.source();
    placed(&fault.reason(), source.place(fault.loc()), &with_calls(source, fault.loc(), fault.notes()))
}

/// What is said of a loop of native code that had too many rounds.
pub(crate) fn endless(source: &Source, loc: Loc, rounds: u64) -> String {
    let place = source.place(loc);
    let still = if place.is_some() { ", and is still in this loop" } else { "" };
    let message = format!("an invocation took more than the {rounds} rounds of loops allowed for one{still}");
    placed(&message, place, &with_calls(source, loc, Vec::new()))
}

/// The notes on a location and its own calls; each note is followed by the calls that lead to it.
fn with_calls(source: &Source, loc: Loc, notes: Vec<(Loc, String)>) -> Vec<(Option<Place>, String)> {
    let calls =
        |loc: Loc| source.calls(loc).map(|(at, helper)| (Some(at), format!("in `{helper}`, which is called here")));
    let mut all: Vec<_> = calls(loc).collect();
    for (loc, text) in notes {
        all.push((source.place(loc), text));
        all.extend(calls(loc));
    }
    all
}

/// A message and lines with places. Notes without a place are left out.
fn placed(message: &str, place: Option<Place>, notes: &[(Option<Place>, String)]) -> String {
    let mut out = message.to_owned();
    if let Some(place) = place {
        out.push_str(&format!("\n  --> {place}"));
    }
    for (place, text) in notes {
        if let Some(place) = place {
            out.push_str(&format!("\n  note: {text}\n  --> {place}"));
        }
    }
    out
}
