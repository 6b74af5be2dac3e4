//! Which values need the canonical NaN, for every back end that computes floats.

use crate::arena::Side;
use crate::ir::{Function, InstKind, ValueDef};
use crate::ops::{Op, compound_ops};

/// Which values have a use that can tell one NaN from another: all uses but those as
/// operands of ops that treat every NaN alike.
pub(crate) fn observed(function: &Function) -> Side<ValueDef, bool> {
    let mut observed = Side::new(false);
    for (_, inst) in function.insts.iter() {
        let float = inst.results.first().and_then(|&v| function.ty(v).lane()).is_some_and(|lane| lane.is_float());
        if let InstKind::Op(op, _) = &inst.kind
            && !tells_apart(*op, float)
        {
            continue;
        }
        inst.kind.for_each_operand(|value| observed[value] = true);
    }
    observed
}

fn tells_apart(op: Op, float_result: bool) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::Min | Op::Max | Op::MulAdd => false,
        Op::Sqrt | Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven | Op::Round => false,
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => false,
        Op::IsNan | Op::IsInfinite | Op::IsFinite => false,
        Op::Cast => float_result,
        Op::Neg | Op::Abs | Op::Sign | Op::AbsDiff | Op::And | Op::Or | Op::Xor | Op::Not => true,
        Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight | Op::CountOnes | Op::LeadingZeros => true,
        Op::TrailingZeros | Op::ReverseBits | Op::SwapBytes | Op::Select | Op::CopySign => true,
        Op::Bitcast | Op::Construct | Op::Extract | compound_ops!() => true,
    }
}
