//! Recorded work that a device keeps in its own form, so that the same work is queued again without looking at it.
//!
//! Who keeps a [`Plan`] notes each part of the work at its place, and notes it again when it has changed. What the
//! device makes of a part, such as a bind group, is made then and not when the work is queued.
//!
//! Invariant: a plan keeps no memory alive that the program has dropped. A device that cannot say so by itself takes
//! such parts out of the plan, and [`Again::Gone`] tells of it.

use super::Memory;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;

/// A back end's [`Backend::Plan`](super::Backend::Plan).
pub(crate) struct Plan(Arc<dyn Any + Send + Sync + UnwindSafe + RefUnwindSafe>);

impl Plan {
    /// A back end's plan.
    pub(super) fn new<P: Send + Sync + UnwindSafe + RefUnwindSafe + 'static>(plan: Arc<P>) -> Self {
        Self(plan)
    }

    /// The plan as that of one back end; `None` if it is another's.
    pub(super) fn of<P: Any>(&self) -> Option<&P> {
        let plan: &dyn Any = &*self.0;
        plan.downcast_ref()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").finish_non_exhaustive()
    }
}

/// A buffer of planned work.
pub(crate) struct PlannedPart<'a> {
    /// Where it is.
    pub memory: &'a Memory,
    /// Its bytes.
    pub bytes: Range<u64>,
    /// Whether the work writes it.
    pub written: bool,
}

/// Calls a function with each buffer of planned work.
pub(crate) type EachPart<'a> = dyn Fn(&mut dyn FnMut(PlannedPart<'a>)) + 'a;

/// Calls a function with the memory of each of these buffers, as a back end has it.
pub(crate) type EachMemory<'a, M> = dyn Fn(&mut dyn FnMut(&M)) + 'a;

/// What became of planned work that was to be queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Again {
    /// It is queued, and has to be submitted by [`end_together`](super::AnyDevice::end_together).
    Queued,
    /// Some of it was taken out of the plan and has to be noted anew. Nothing was queued.
    #[cfg_attr(not(feature = "wgpu"), allow(dead_code, reason = "only drivers keep plans"))]
    Gone,
    /// Something is asked for that planned work has not, such as times. Nothing was queued; other ways remain.
    NotNow,
}
