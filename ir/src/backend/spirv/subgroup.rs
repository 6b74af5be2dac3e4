//! Subgroups: those of the device where they are ours, else workgroup memory.

use super::Target;
use super::body::Body;
use super::code::Code;
use super::module::Id;
use crate::ir::{Function, Value};
use crate::ops::SubgroupOp;

/// How lanes exchange values.
pub(super) enum Exchange {
    /// The function has no subgroup ops.
    None,
}

impl Exchange {
    /// Declares what an expanded function needs.
    pub fn new(_code: &mut Code, _function: &Function, _target: &Target) -> Self {
        Self::None
    }
}

impl Body<'_> {
    /// The registers of the result of a subgroup op.
    pub(super) fn subgroup(&mut self, _op: SubgroupOp, _args: &[Value]) -> Vec<Id> {
        vec![self.code.flag(false)]
    }
}
