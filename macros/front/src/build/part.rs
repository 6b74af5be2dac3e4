//! Accesses of parts.
//!
//! An index of a part is tested against the part's length before the whole is accessed: by the bound that an index of
//! the IR has, if all numbers are known, and else by an `if` around the access. Out of bounds of the part, a load
//! gives zero and a store does nothing, as beyond the end of a whole.

use super::Build;
use crate::hir::{ExprId, ExprKind};
use samebits_ir::ir::Value;
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type};

/// Where a part begins and how long it is.
pub(super) enum Window {
    Known { begin: u32, len: u32 },
    Value { begin: Value, len: Value },
}

impl Build<'_> {
    pub(super) fn window(&mut self, begin: ExprId, len: ExprId) -> Window {
        if let (ExprKind::Int(begin), ExprKind::ArrayLen(len)) = (&self.expr(begin).kind, &self.expr(len).kind) {
            return Window::Known { begin: *begin as u32, len: *len };
        }
        Window::Value { begin: self.operand(begin), len: self.operand(len) }
    }

    /// What an access gives where it is made only within a part, and zeros elsewhere.
    pub(super) fn inside(
        &mut self,
        inside: Option<Value>,
        results: &[Type],
        access: impl FnOnce(&mut Self) -> Vec<Value>,
    ) -> Vec<Value> {
        let Some(inside) = inside else { return access(self) };
        let loc = self.b.loc();
        let (then, _) = self.arm(results.len(), access);
        let zeros = |this: &mut Self| results.iter().map(|&ty| this.zero(ty)).collect();
        let (otherwise, _) = self.arm(results.len(), zeros);
        self.b.at(loc);
        self.b.if_else(inside, then, otherwise, results)
    }

    /// The zero of a type.
    pub(super) fn zero(&mut self, ty: Type) -> Value {
        let zero = self.b.constant(ty.lane().unwrap_or(Scalar::U32), 0);
        if ty.lanes() == 1 { zero } else { self.b.op_to(Op::Construct, &vec![zero; ty.lanes()], ty) }
    }
}
