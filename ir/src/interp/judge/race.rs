//! What happens before what.
//!
//! An invocation's own accesses are ordered, and a barrier orders everything that the
//! invocations of a workgroup did before it, to any memory, before all that they do after
//! it. Nothing else orders anything: the atomics of today are relaxed.

use super::shadow::Record;

/// Who makes an access, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The invocation, counted over the launch.
    pub(super) thread: u64,
    /// Its workgroup.
    pub(super) group: u64,
    /// How many barriers the workgroup has passed.
    pub(super) phase: u32,
}

impl Moment {
    /// Whether an access that was made happens before whatever happens at this moment.
    pub(super) fn is_after(&self, earlier: &Record) -> bool {
        earlier.thread == self.thread || earlier.group == self.group && earlier.phase < self.phase
    }
}
