//! `From` between numbers: `u64::from(x)`, where every value of one type is one of the other.

use super::Lowerer;
use crate::hir::{ExprId, ExprKind};
use crate::infer::Ty;
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    /// `T::from(x)`, where `T` is a number.
    pub(super) fn number_from(
        &mut self,
        call: &'a syn::ExprCall,
        (path, to): (&'a syn::ExprPath, Ty),
        loc: Loc,
    ) -> ExprId {
        let args = self.args(&call.args);
        let from = args.first().filter(|_| args.len() == 1).map(|&arg| self.ty(arg));
        match from {
            Some(Ty::Bf16) if to == Ty::Scalar(Scalar::F32) => self.push(ExprKind::Op(Op::FromBfloat, args), to, loc),
            Some(Ty::Error) => self.error(loc),
            Some(from) if from == to => args[0],
            Some(from) if is_lossless(&from, &to) => self.push(ExprKind::Op(Op::Cast, args), to, loc),
            _ => self.unknown_call(call, path),
        }
    }
}

/// Whether Rust has `From` of one type for another one.
fn is_lossless(from: &Ty, to: &Ty) -> bool {
    let scalar = |ty: &Ty| if let Ty::Scalar(scalar) = ty { Some(*scalar) } else { None };
    match (scalar(from), scalar(to)) {
        // As wide as on any host.
        (Some(Scalar::Bool | Scalar::U8 | Scalar::U16), None) => *to == Ty::Usize,
        (Some(Scalar::Bool), Some(to)) => to.is_int(),
        (Some(from), Some(to)) if from.is_float() => to.is_float() && from.bits() < to.bits(),
        (Some(from), Some(Scalar::F32)) => from.bits() <= 16,
        (Some(from), Some(Scalar::F64)) => from.bits() <= 32,
        (Some(from), Some(to)) if to.is_int() => from.bits() < to.bits() && (to.is_signed() || !from.is_signed()),
        _ => false,
    }
}
