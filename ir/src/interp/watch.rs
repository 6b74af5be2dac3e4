//! Observing an invocation while it runs.
//!
//! The judge runs the same code in the same loop as the plain interpreter, and is told here
//! what it must know. A [`Watch`] is a type parameter of that loop, so [`Unwatched`] costs
//! nothing.

use super::compile::{Code, IndexCode, PlaceCode};
use super::memory;
use super::run::Worker;
use crate::ops::AtomicOp;
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::scalar::Lanes;
use std::sync::atomic::AtomicU32;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessKind {
    Load,
    Store,
    Atomic(AtomicOp, MemoryOrder),
}

/// An access that is about to happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessInfo {
    pub(super) kind: AccessKind,
    /// An index into the program's places.
    pub(super) place: u32,
    /// The byte where it begins in its memory, or `None` out of bounds.
    pub(super) at: Option<usize>,
    /// The byte of its root where it begins, in bounds or not.
    pub(super) position: u64,
    /// The bytes of an element of its root.
    pub(super) stride: u64,
    /// Its bytes.
    pub(super) size: usize,
}

impl AccessInfo {
    /// The element in which a byte of the access lies, in bounds or not.
    pub(super) fn element(&self, byte: u64) -> u64 {
        self.position.saturating_add(byte) / self.stride
    }
}

/// What looks on while an invocation runs.
pub(super) trait Watch {
    /// Whether the other functions do anything.
    const WATCHES: bool;

    /// Before an access; true pauses the invocation before it.
    fn access(&mut self, access: &AccessInfo) -> bool;

    /// After that access, and whether it changed the memory.
    fn accessed(&mut self, access: &AccessInfo, changed: bool);

    /// A fence.
    fn fence(&mut self, ordering: Ordering, scope: Scope);

    /// Before a loop's next round; true pauses the invocation there.
    fn round(&mut self, index: u32, frame: &[u64], private: &[AtomicU32]) -> bool;
}

/// Looks at nothing, which costs nothing.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    const WATCHES: bool = false;

    fn access(&mut self, _: &AccessInfo) -> bool {
        false
    }

    fn accessed(&mut self, _: &AccessInfo, _: bool) {}

    fn fence(&mut self, _: Ordering, _: Scope) {}

    fn round(&mut self, _: u32, _: &[u64], _: &[AtomicU32]) -> bool {
        false
    }
}

impl Worker<'_> {
    /// Does an access under the eyes of a watch, or nothing if that pauses the invocation.
    pub(super) fn watched<W: Watch>(
        &mut self,
        code: &Code,
        frame: &mut [u64],
        private: &[AtomicU32],
        watch: &mut W,
    ) -> Option<()> {
        let program = self.launch.program;
        let (kind, place) = code.access()?;
        let (code_of, site) = (&program.places[place as usize], &program.sites[place as usize]);
        let at = self.resolve(code_of, frame, private).map(|(_, at)| at);
        let stride = program.memories.get(site.memory as usize).map_or(1, |memory| memory.stride);
        let position = code_of.position(frame);
        let access = AccessInfo { kind, place, at, position, stride, size: code_of.size() as usize };
        if watch.access(&access) {
            return None;
        }
        let before = self.peek(code_of, frame, private);
        match *code {
            Code::Load { out, .. } => self.load(code_of, out, frame, private),
            Code::Store { from, .. } => self.store(code_of, from, frame, private),
            Code::Atomic { op, args, out, .. } => {
                // There is one thread, so the order adds nothing.
                let args = args.map(|slot| frame[slot as usize]);
                let old = self.atomic(op, code_of, args, frame, private);
                if op != AtomicOp::Store {
                    frame[out as usize] = old;
                }
            }
            _ => {}
        }
        let changed = kind != AccessKind::Load && self.peek(code_of, frame, private) != before;
        watch.accessed(&access, changed);
        Some(())
    }

    /// What lies at a place.
    fn peek(&self, place: &PlaceCode, frame: &[u64], private: &[AtomicU32]) -> Lanes {
        let size = place.scalar.size() as usize;
        let mut lanes = Lanes::default();
        if let Some((words, at)) = self.resolve(place, frame, private) {
            for (i, lane) in lanes.iter_mut().enumerate().take(place.lanes) {
                *lane = memory::load(words, at + i * size, size);
            }
        }
        lanes
    }
}

impl Code {
    /// What kind of access this is, and its place.
    pub(super) const fn access(&self) -> Option<(AccessKind, u32)> {
        match *self {
            Self::Load { place, .. } => Some((AccessKind::Load, place)),
            Self::Store { place, .. } => Some((AccessKind::Store, place)),
            Self::Atomic { op, order, place, .. } => Some((AccessKind::Atomic(op, order), place)),
            _ => None,
        }
    }
}

impl PlaceCode {
    /// The bytes of an access.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.scalar.size()) * self.lanes as u64
    }

    /// The byte where an access begins, in bounds or not.
    fn position(&self, frame: &[u64]) -> u64 {
        let add = |at: u64, index: &IndexCode| {
            at.saturating_add(frame[index.slot as usize].saturating_mul(u64::from(index.stride)))
        };
        self.indices.iter().fold(self.offset, add)
    }
}
