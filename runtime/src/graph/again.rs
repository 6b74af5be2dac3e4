//! What a graph remembers of its last replay, so that the next one does again only what has changed.
//!
//! A launch was judged with what its slots stood for. As long as they stand for the same buffers, of the same lengths,
//! and for the same values, the judgement holds, and the device has the launch in its own form (a [`Plan`]). When a
//! slot changes, the work that uses it is judged anew, and nothing else.
//!
//! Invariants:
//!
//! - All work is judged before any of it is queued, as without a plan.
//! - What is remembered of a slot is what its part of the plan was made of. Memory is known by a number that is never
//!   used twice.
//! - The lock is held until the work is in the device's batch, and not while that is submitted.

use super::replay::Slots;
use super::{Graph, Item, Work};
use crate::argument::{Leaf, Words};
use crate::backend::{Again, Plan, PlannedPart};
use crate::error::Error;
use samebits_ir::types::Type;
use std::sync::{Mutex, PoisonError};

/// The last replay, and the device's plan of it.
#[derive(Debug)]
pub(super) struct Kept {
    plan: Plan,
    state: Mutex<State>,
}

#[derive(Default, Debug)]
struct State {
    /// What each slot stood for, if the plan was made of that.
    seen: Option<Vec<Vec<Seen>>>,
    /// Whether the plan cannot hold the work with these buffers.
    is_unfit: bool,
}

/// What a judgement rests on of a leaf. Its type is the slot's, which never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Buffer { memory: u64, start: u64, bytes: u64, len: u32, most: u32 },
    Value { ty: Type, words: Words },
    TooLarge(u64),
}

impl Seen {
    fn of(leaf: &Leaf<'_>) -> Self {
        match *leaf {
            Leaf::Buffer { memory, start, bytes, len, most, .. } => {
                Self::Buffer { memory: memory.number(), start, bytes, len, most }
            }
            Leaf::Words { memory, start, bytes, .. } => {
                Self::Buffer { memory: memory.number(), start, bytes, len: 0, most: u32::MAX }
            }
            Leaf::Value { ty, words } => Self::Value { ty, words },
            Leaf::TooLarge(value) => Self::TooLarge(value),
        }
    }
}

impl Kept {
    /// Nothing yet, for a device's plan.
    pub fn new(plan: Plan) -> Self {
        Self { plan, state: Mutex::default() }
    }

    /// Nothing is known any more, since the work is another.
    pub fn clear(&mut self) {
        *self.state.get_mut().unwrap_or_else(PoisonError::into_inner) = State::default();
    }
}

impl State {
    /// Whether a slot stands for something else than it did.
    fn has_changed(&self, slot: usize, leaves: &[Leaf<'_>]) -> bool {
        let seen = self.seen.as_ref().and_then(|seen| seen.get(slot));
        seen.is_none_or(|seen| !seen.iter().copied().eq(leaves.iter().map(Seen::of)))
    }
}

impl Graph {
    /// Queues the work as the device has it, with what has changed since the last replay; whether it is queued. If not,
    /// it has to be queued in another way.
    pub(super) fn again(&self, slots: &Slots<'_>) -> Result<bool, Error> {
        let Some(kept) = &self.kept else { return Ok(false) };
        let mut state = kept.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Memory that was dropped takes its part of the plan along; then all of it is noted once more.
        for _ in 0..2 {
            if !self.note(kept, &mut state, slots)? {
                return Ok(false);
            }
            match self.device.any().again(&kept.plan, self.work.len(), &|f| self.each_part(slots, f)) {
                Again::Queued => {
                    drop(state);
                    return self.device.any().end_together().map(|()| true);
                }
                Again::NotNow => return Ok(false),
                Again::Gone => state.seen = None,
            }
        }
        Ok(false)
    }

    /// Judges and notes the work of which a slot has changed; whether the plan holds all work.
    fn note(&self, kept: &Kept, state: &mut State, slots: &Slots<'_>) -> Result<bool, Error> {
        if !(0..slots.count()).any(|slot| state.has_changed(slot, slots.leaves(slot))) && state.seen.is_some() {
            return Ok(!state.is_unfit);
        }
        let changed: Vec<bool> = (0..slots.count()).map(|slot| state.has_changed(slot, slots.leaves(slot))).collect();
        if state.is_unfit {
            // Only other buffers may make it fit.
            if !(0..slots.count()).any(|slot| changed[slot] && slots.is_buffer(slot)) {
                return Ok(false);
            }
            state.seen = None;
        }
        let all = state.seen.is_none();
        let selected: Vec<bool> = self.work.iter().map(|work| all || work.uses(|slot| changed[slot])).collect();
        let mut has_begun = false;
        let noted = self.prepared_of(
            slots,
            |at| selected[at],
            &mut Vec::new(),
            |speaker| self.mailbox(speaker),
            |steps, work| {
                has_begun = true;
                self.device.any().note(&kept.plan, &selected, steps, work)
            },
        );
        match noted {
            Ok(fits) => {
                state.is_unfit = !fits;
                let seen = |slot| slots.leaves(slot).iter().map(Seen::of).collect();
                state.seen = Some((0..slots.count()).map(seen).collect());
                Ok(fits)
            }
            Err(error) => {
                // What was noted before the error is of these buffers.
                if has_begun {
                    state.seen = None;
                }
                Err(error)
            }
        }
    }

    /// Calls a function with each buffer of the slots.
    fn each_part<'a>(&self, slots: &Slots<'a>, f: &mut dyn FnMut(PlannedPart<'a>)) {
        for (slot, &written) in self.written.iter().enumerate() {
            if let [Leaf::Buffer { memory, start, bytes, .. } | Leaf::Words { memory, start, bytes, .. }] =
                *slots.leaves(slot)
            {
                f(PlannedPart { memory, bytes: start..start + bytes, written });
            }
        }
    }
}

impl Work {
    /// Whether it depends on such a slot.
    fn uses(&self, is: impl Fn(usize) -> bool) -> bool {
        match self {
            Self::Launch { grid, items, .. } => {
                let of_item = |item: &Item| match item {
                    Item::Leaf(_) => false,
                    Item::Slot(slot) | Item::Length(slot) => is(*slot),
                };
                items.iter().any(of_item) || grid.places().any(|place| is(place.index))
            }
            Self::Fill { slot, .. } => is(*slot),
            Self::Copy { from, to } => is(*from) || is(*to),
        }
    }
}
