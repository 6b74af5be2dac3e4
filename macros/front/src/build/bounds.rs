//! Which numbers an integer expression may have, as far as its syntax shows.
//!
//! A cast of 64 bits to `usize` is allowed if it cannot lose bits. The range is known for a
//! literal, a mask, a shift, a remainder, a minimum, the counter of a loop, and a variable that
//! never changes.

use super::Build;
use crate::hir::{Block, ExprId, ExprKind, LocalId, Stmt};
use crate::infer::Ty;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// How deep an expression is looked into.
const MAX_DEPTH: usize = 32;

/// The least and the greatest number.
pub(super) type Range = (i128, i128);

impl Build<'_> {
    /// The numbers that an integer expression may be.
    pub(super) fn range(&self, id: ExprId) -> Range {
        self.range_to(id, MAX_DEPTH)
    }

    fn range_to(&self, id: ExprId, depth: usize) -> Range {
        let whole = whole(&self.ty(id));
        let Some(depth) = depth.checked_sub(1) else { return whole };
        let of = |id: ExprId| self.range_to(id, depth);
        let found = match &self.expr(id).kind {
            ExprKind::Int(value) => i128::try_from(*value).ok().map(|value| (value, value)),
            ExprKind::Local(local) => self.ranges.get(local).copied(),
            ExprKind::Block(Block { tail: Some(tail), stmts }) if stmts.iter().all(is_expression) => Some(of(*tail)),
            ExprKind::If(_, then, Some(otherwise)) => then.tail.filter(|_| then.stmts.is_empty()).map(|then| {
                let (a, b) = (of(then), of(*otherwise));
                (a.0.min(b.0), a.1.max(b.1))
            }),
            ExprKind::Op(Op::Cast, args) => match self.ty(args[0]) {
                Ty::Scalar(Scalar::Bool) => Some((0, 1)),
                ty if ty.scalar().is_some_and(Scalar::is_int) => Some(of(args[0])),
                _ => None,
            },
            ExprKind::Op(op, args) => match *args.as_slice() {
                [a, b] => operation(*op, of(a), of(b), self.ty(a).scalar().map_or(0, Scalar::bits)),
                [a, low, high] if *op == Op::Clamp => {
                    let (a, low, high) = (of(a), of(low), of(high));
                    Some((a.0.max(low.0).min(high.0), a.1.max(low.1).min(high.1)))
                }
                _ => None,
            },
            _ => None,
        };
        // What wraps may be anything.
        found.filter(|found| found.0 <= found.1 && whole.0 <= found.0 && found.1 <= whole.1).unwrap_or(whole)
    }

    /// Notes the numbers of a variable that never changes.
    pub(super) fn note(&mut self, local: LocalId, range: Range) {
        let def = &self.body.locals[local];
        if !def.mutable && self.infer.decided(&def.ty).scalar().is_some_and(Scalar::is_int) {
            self.ranges.insert(local, range);
        }
    }
}

fn is_expression(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(_) | Stmt::Borrow(_))
}

/// All numbers of a type.
fn whole(ty: &Ty) -> Range {
    match ty.scalar() {
        Some(Scalar::Bool) => (0, 1),
        Some(scalar) if scalar.is_int() => scalar.limits(),
        _ => (i128::MIN, i128::MAX),
    }
}

/// The range of an op's result, given the operands' and the first one's width; `None` if it may be anything.
fn operation(op: Op, a: Range, b: Range, bits: u32) -> Option<Range> {
    let natural = a.0 >= 0 && b.0 >= 0;
    match op {
        Op::Add => Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?)),
        Op::Sub => Some((a.0.checked_sub(b.1)?, a.1.checked_sub(b.0)?)),
        Op::Mul if natural => Some((a.0.checked_mul(b.0)?, a.1.checked_mul(b.1)?)),
        // A quotient by zero is zero.
        Op::Div if natural => Some((0, a.1 / b.0.max(1))),
        // A remainder by zero is zero, else it is below the divisor.
        Op::Rem | Op::RemEuclid | Op::Mod if natural => Some((0, a.1.min((b.1 - 1).max(0)))),
        Op::RemEuclid if b.0 >= 0 => Some((0, (b.1 - 1).max(0))),
        // A number without a sign has no more bits than either side.
        Op::And if natural => Some((0, a.1.min(b.1))),
        Op::And if a.0 >= 0 => Some((0, a.1)),
        Op::And if b.0 >= 0 => Some((0, b.1)),
        Op::Or | Op::Xor if natural => {
            let bits = 128 - a.1.max(b.1).leading_zeros();
            Some((0, (1i128 << bits) - 1))
        }
        // The count may be taken modulo the width, so that only a known one says how far.
        Op::Shr if a.0 >= 0 && b.0 == b.1 && (0..i128::from(bits)).contains(&b.0) => Some((0, a.1 >> b.0)),
        Op::Shr if a.0 >= 0 => Some((0, a.1)),
        Op::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        Op::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against every pair of small numbers, by the ops' own meaning in `i64`.
    #[test]
    fn ranges_hold_what_the_ops_give() {
        use samebits_ir::types::Type;
        let ends = [-9i128, -4, -1, 0, 1, 2, 3, 7, 8, 12];
        let of = |value: i128| [value as i64 as u64, 0, 0, 0];
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Div,
            Op::Rem,
            Op::RemEuclid,
            Op::Mod,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Shr,
            Op::Min,
            Op::Max,
        ];
        let i64 = Type::Scalar(Scalar::I64);
        let mut seen = 0;
        for op in ops {
            for (i, &low) in ends.iter().enumerate() {
                for &high in &ends[i..] {
                    for (j, &from) in ends.iter().enumerate() {
                        for &to in &ends[j..] {
                            let Some((least, most)) = operation(op, (low, high), (from, to), 64) else { continue };
                            for a in low..=high {
                                for b in from..=to {
                                    let second = if op == Op::Shr { Type::U32 } else { i64 };
                                    let second_bits =
                                        if op == Op::Shr { [u64::from(b as u32), 0, 0, 0] } else { of(b) };
                                    let got = op.eval(&[i64, second], i64, &[of(a), second_bits]);
                                    let got = i128::from(got[0] as i64);
                                    assert!((least..=most).contains(&got), "{op:?} of {a} and {b} is {got}");
                                    seen += 1;
                                }
                            }
                        }
                    }
                }
            }
        }
        assert!(seen > 100_000);
    }
}
