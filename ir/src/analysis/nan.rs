//! Which values need the canonical NaN, for every back end that computes floats.

use crate::arena::Side;
use crate::ir::{Function, InstKind, ValueDef};
use crate::ops::Op;

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

/// Back ends may move the bits of a cast between equal types.
fn tells_apart(op: Op, float_result: bool) -> bool {
    op.keeps_nan_bits() || op == Op::Cast && float_result
}
