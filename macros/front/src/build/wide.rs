//! Casts of 64 bits to `usize`, which has 32 bits in a kernel.
//!
//! What such a cast loses must never show. As an index it loses nothing: what does not fit is out of
//! bounds of everything, and so is the greatest `usize`, which then stands for it. A comparison is made
//! of 64 bits. A variable that never changes keeps its 64 bits for these two uses. Anything else, such
//! as a sum, could wrap to the index of another element, and is an error.

use super::{Build, Slot};
use crate::hir::{Block, ExprId, ExprKind, LocalId};
use crate::infer::Ty;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Value;
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Op, Part, Signature};
use samebits_ir::types::{Scalar, Type};

/// The 64 bits that a variable was cast from.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    value: Value,
    from: Scalar,
}

impl Build<'_> {
    /// What is cast, if an expression is a cast of 64 bits to `usize` that might lose some.
    fn wide_cast(&self, id: ExprId) -> Option<(ExprId, Scalar)> {
        let ExprKind::Op(Op::Cast, args) = &self.expr(id).kind else { return None };
        let source = *args.first()?;
        let from = self.ty(source).scalar().filter(|from| matches!(from, Scalar::I64 | Scalar::U64))?;
        (self.ty(id) == Ty::Usize && !self.fits_usize(source)).then_some((source, from))
    }

    /// Whether an integer is seen to be one of a `usize`.
    pub(super) fn fits_usize(&self, id: ExprId) -> bool {
        let (least, greatest) = self.range(id);
        least >= 0 && greatest <= i128::from(u32::MAX)
    }

    /// Whether an expression is such a cast, or a variable that is one.
    fn is_wide(&self, id: ExprId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Local(local) => self.wide.contains_key(local),
            ExprKind::Block(Block { stmts, tail: Some(tail) }) => stmts.is_empty() && self.is_wide(*tail),
            _ => self.wide_cast(id).is_some(),
        }
    }

    /// The 64 bits of a `usize`: those that were cast to it, or the number with zeros above it.
    fn all_bits(&mut self, id: ExprId) -> Option<Value> {
        let (value, from) = match &self.expr(id).kind {
            ExprKind::Block(Block { tail: Some(tail), .. }) if self.is_wide(id) => return self.all_bits(*tail),
            ExprKind::Local(local) if self.is_wide(id) => {
                let Wide { value, from } = *self.wide.get(local)?;
                (value, from)
            }
            _ => match self.wide_cast(id) {
                Some((source, from)) => (self.value(source)?, from),
                None => (self.value(id)?, Scalar::U32),
            },
        };
        self.b.at(self.expr(id).loc);
        Some(if from == Scalar::U64 { value } else { self.b.op_to(Op::Cast, &[value], Type::U64) })
    }

    /// The value of an index: the greatest `usize` for what does not fit.
    pub(super) fn index(&mut self, id: ExprId) -> Value {
        if let ExprKind::Block(block) = &self.body.exprs[id].kind
            && let Some(tail) = block.tail
        {
            self.stmts(&block.stmts);
            return self.index(tail);
        }
        if !self.is_wide(id) {
            return self.operand(id);
        }
        let Some(value) = self.all_bits(id) else { return self.b.u32(0) };
        let most = self.b.constant(Scalar::U64, u32::MAX.into());
        let value = self.b.op(Op::Min, &[value, most]);
        self.b.op_to(Op::Cast, &[value], Type::U32)
    }

    /// A comparison with a `usize` that has 64 bits; `None` for any other op.
    pub(super) fn compare_wide(&mut self, op: Op, args: &[ExprId], loc: Loc) -> Option<Option<Value>> {
        let compares = matches!(op.info().signature, Signature::Lanes(_, [_, _], Part::Bool));
        if !compares || !args.iter().any(|&arg| self.ty(arg) == Ty::Usize && self.is_wide(arg)) {
            return None;
        }
        let values: Vec<Option<Value>> = args.iter().map(|&arg| self.all_bits(arg)).collect();
        let values: Option<Vec<Value>> = values.into_iter().collect();
        self.b.at(loc);
        Some(values.map(|values| self.b.op(op, &values)))
    }

    /// `let local = value`, if the value is such a cast and the variable never changes.
    pub(super) fn let_wide(&mut self, local: LocalId, value: ExprId) -> bool {
        if self.body.locals[local].mutable {
            return false;
        }
        let wide = match (&self.expr(value).kind, self.wide_cast(value)) {
            (ExprKind::Local(other), _) => self.wide.get(other).copied(),
            (_, Some((source, from))) => self.value(source).map(|value| Wide { value, from }),
            _ => None,
        };
        let Some(wide) = wide else { return false };
        self.b.name(wide.value, &self.body.locals[local].name);
        self.wide.insert(local, wide);
        true
    }

    /// The values of a variable.
    pub(super) fn local(&mut self, local: LocalId, loc: Loc) -> Vec<Value> {
        if let Some(Wide { from, .. }) = self.wide.get(&local) {
            let (name, from) = (&self.body.locals[local].name, from.name());
            let message =
                format!("`{name}` was cast from `{from}`, and may not fit `usize`, which is 32 bits wide here");
            let help = format!(
                "it can index, `x[{name}]`, and be compared: for anything else stay with `{from}`, and cast where it \
                 indexes: `x[(…) as usize]`"
            );
            let declared = self.body.locals[local].loc;
            let diag = Diag::new(Code::V012, loc, message).label(declared, format!("`{name}` is declared here"));
            self.diags.push(diag.help(help));
            return Vec::new();
        }
        self.b.at(loc);
        let slots: Vec<Slot> = self.locals[local.index()].clone();
        slots.into_iter().map(|slot| self.read(slot)).collect()
    }

    /// The report of a cast that might lose bits where that would show.
    pub(super) fn loses_bits(&mut self, from: &Ty, loc: Loc) {
        let message = format!("cannot cast `{from}` to `usize` here, which is 32 bits wide in a kernel");
        let help = format!(
            "compute with `{from}`, and cast where it indexes, `x[(…) as usize]`, or is compared; or drop the high \
             half: `as u32 as usize`"
        );
        self.diags.push(Diag::new(Code::V012, loc, message).help(help));
    }
}
