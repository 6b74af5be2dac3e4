//! Atomic accesses and fences.

use super::body::Body;
use super::module::Id;
use crate::ir::{Inst, Place};
use crate::ops::AtomicOp;
use crate::order::{MemoryOrder, Ordering, Scope};
use crate::types::Type;

impl Body<'_> {
    /// An atomic access; the registers of the old value, or of zero out of bounds.
    pub(super) fn atomic(
        &mut self,
        _inst: Inst,
        (_op, _order): (AtomicOp, MemoryOrder),
        _place: &Place,
        ty: Type,
        _args: &[Vec<Id>],
    ) -> Vec<Id> {
        self.zero(ty)
    }

    /// A fence.
    pub(super) fn fence(&mut self, _ordering: Ordering, _scope: Scope) {}
}
