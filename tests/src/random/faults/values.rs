//! Mistakes about values: laws that do not hold, or not for all types.

use super::{becomes, becomes_constant, each_op, op_of, result_scalar, scalar_of};
use samebits_ir::analysis::tree::Tree;
use samebits_ir::arena::Side;
use samebits_ir::flags::Flags;
use samebits_ir::ir::{Function, Inst, InstKind, Region, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type, Types};

pub(super) fn fold_sub_reversed(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Sub, Some(scalar)) = (op, result_scalar(f, inst)) else { return false };
        match (f.constant_bits(args[0]), f.constant_bits(args[1])) {
            (Some(a), Some(b)) if a != b && scalar.is_int() => becomes_constant(f, inst, b.wrapping_sub(a)),
            _ => false,
        }
    })
}

pub(super) fn fold_shift_unmasked(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Shl | Op::Shr, Some(scalar)) = (op, result_scalar(f, inst)) else { return false };
        match (f.constant_bits(args[0]), f.constant_bits(args[1])) {
            (Some(_), Some(by)) if by >= u64::from(scalar.bits()) => becomes_constant(f, inst, 0),
            _ => false,
        }
    })
}

pub(super) fn quotient_of_itself(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let is_int = result_scalar(f, inst).is_some_and(Scalar::is_int);
        op == Op::Div && is_int && args[0] == args[1] && becomes_constant(f, inst, 1)
    })
}

pub(super) fn signed_division_is_shift(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Div, Some(scalar)) = (op, result_scalar(f, inst)) else { return false };
        let Some(power) = power_of_two(f, scalar, args[1]).filter(|_| scalar.is_signed()) else { return false };
        let by = f.constant(Scalar::U32, power.into());
        f.insts[inst].kind = InstKind::Op(Op::Shr, vec![args[0], by]);
        true
    })
}

pub(super) fn signed_remainder_is_mask(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Rem, Some(scalar)) = (op, result_scalar(f, inst)) else { return false };
        let Some(power) = power_of_two(f, scalar, args[1]).filter(|_| scalar.is_signed()) else { return false };
        let mask = f.constant(scalar, (1 << power) - 1);
        f.insts[inst].kind = InstKind::Op(Op::And, vec![args[0], mask]);
        true
    })
}

/// The power of two that a positive constant is.
fn power_of_two(function: &Function, scalar: Scalar, value: Value) -> Option<u32> {
    let bits = function.constant_bits(value)?;
    (bits.is_power_of_two() && i128::from(bits) <= scalar.limits().1).then(|| bits.trailing_zeros())
}

pub(super) fn float_plus_zero(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let is_float = result_scalar(f, inst).is_some_and(Scalar::is_float);
        op == Op::Add && is_float && f.constant_bits(args[1]) == Some(0) && becomes(f, inst, args[0])
    })
}

pub(super) fn float_minus_itself(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let is_float = result_scalar(f, inst).is_some_and(Scalar::is_float);
        op == Op::Sub && is_float && args[0] == args[1] && becomes_constant(f, inst, 0)
    })
}

pub(super) fn product_over_factor(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| match op_of(f, tree, args[0]) {
        Some((Op::Mul, factors)) if op == Op::Div && factors[1] == args.get(1).copied().unwrap_or(factors[0]) => {
            becomes(f, inst, factors[0])
        }
        _ => false,
    })
}

pub(super) fn not_less_of_floats(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Not, Some((Op::Lt, compared))) = (op, op_of(f, tree, args[0])) else { return false };
        let is_float = f.ty(compared[0]).lane().is_some_and(Scalar::is_float);
        if is_float {
            f.insts[inst].kind = InstKind::Op(Op::Ge, compared);
        }
        is_float
    })
}

pub(super) fn choice_is_minimum(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Select, Some((Op::Lt | Op::Le, compared))) = (op, op_of(f, tree, args[0])) else { return false };
        let is_float = scalar_of(f, compared[0]).is_some_and(Scalar::is_float);
        let fits = is_float && compared == args[1..];
        if fits {
            f.insts[inst].kind = InstKind::Op(Op::Min, compared);
        }
        fits
    })
}

pub(super) fn shifts_cancel(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| match (op, args.first().and_then(|&arg| op_of(f, tree, arg))) {
        (Op::Shr, Some((Op::Shl, inner))) if inner[1] == args[1] => becomes(f, inst, inner[0]),
        _ => false,
    })
}

pub(super) fn casts_cancel(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Cast, Some((Op::Cast, inner))) = (op, op_of(f, tree, args[0])) else { return false };
        let result = f.insts[inst].results[0];
        f.ty(inner[0]) == f.ty(result) && becomes(f, inst, inner[0])
    })
}

pub(super) fn regroup_floats(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Add | Op::Mul, Some((inner_op, inner))) = (op, op_of(f, tree, args[0])) else { return false };
        let Some(scalar) = result_scalar(f, inst).filter(|s| s.is_float() && inner_op == op) else { return false };
        let (Some(a), Some(b)) = (f.constant_bits(inner[1]), f.constant_bits(args[1])) else { return false };
        let ty = Type::Scalar(scalar);
        let both = op.eval(&[ty, ty], ty, &[[a, 0, 0, 0], [b, 0, 0, 0]]);
        let both = f.constant(scalar, both[0]);
        f.insts[inst].kind = InstKind::Op(op, vec![inner[0], both]);
        true
    })
}

pub(super) fn remainder_is_mask(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Rem, Some(scalar)) = (op, result_scalar(f, inst)) else { return false };
        let Some(divisor) = f.constant_bits(args[1]).filter(|&bits| bits > 0 && scalar.is_int()) else { return false };
        let mask = f.constant(scalar, divisor - 1);
        f.insts[inst].kind = InstKind::Op(Op::And, vec![args[0], mask]);
        !divisor.is_power_of_two()
    })
}

pub(super) fn wrong_magic(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, _, inst, op, args| {
        let (Op::Div, Some(Scalar::U32)) = (op, result_scalar(f, inst)) else { return false };
        let Some(divisor) = f.constant_bits(args[1]).filter(|&bits| bits > 1) else { return false };
        let magic = f.constant(Scalar::U32, (1 << 32) / divisor);
        f.insts[inst].kind = InstKind::Op(Op::MulHigh, vec![args[0], magic]);
        true
    })
}

/// An op that was met, its operands and its result.
type Seen = (Op, Vec<Value>, Value);

/// Numbers values: whatever `same` says is an earlier one becomes it.
fn number(function: &mut Function, same: impl Fn(&Function, Inst, &Seen, Op, &[Value]) -> bool) -> usize {
    fn walk(
        f: &mut Function,
        region: Region,
        seen: &mut Vec<Seen>,
        same: &impl Fn(&Function, Inst, &Seen, Op, &[Value]) -> bool,
    ) -> usize {
        let (visible, mut changed) = (seen.len(), 0);
        for inst in f.region_insts(region) {
            let InstKind::Op(op, args) = f.insts[inst].kind.clone() else {
                for inner in f.insts[inst].kind.regions() {
                    changed += walk(f, inner, seen, same);
                }
                continue;
            };
            match seen.iter().find(|seen| same(f, inst, seen, op, &args)).map(|seen| seen.2) {
                Some(value) => changed += usize::from(becomes(f, inst, value)),
                None => seen.push((op, args, f.insts[inst].results[0])),
            }
        }
        seen.truncate(visible);
        changed
    }
    let body = function.body;
    walk(function, body, &mut Vec::new(), &same)
}

pub(super) fn sub_commutes(function: &mut Function, _: &Types) -> usize {
    number(function, |_, _, (seen, before, _), op, args| {
        *seen == Op::Sub && op == Op::Sub && before[0] == args[1] && before[1] == args[0] && args[0] != args[1]
    })
}

/// A value that is said to differ among invocations stands for an equal one that is not.
pub(super) fn flags_are_forgotten(function: &mut Function, _: &Types) -> usize {
    let tree = Tree::of(function);
    number(function, |f, inst, (seen, before, value), op, args| {
        let differs = |inst: Inst| f.flags[inst].has(Flags::NONUNIFORM);
        let result = f.insts[inst].results[0];
        *seen == op
            && before == args
            && f.ty(*value) == f.ty(result)
            && tree.inst_of(*value).is_some_and(differs)
            && !differs(inst)
    })
}

pub(super) fn wrong_lane(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Extract, Some((Op::Construct, lanes))) = (op, op_of(f, tree, args[0])) else { return false };
        let Some(lane) = f.constant_bits(args[1]).filter(|&lane| lane < lanes.len() as u64) else { return false };
        becomes(f, inst, lanes[(lane as usize + 1) % lanes.len()])
    })
}

/// Changes comparisons that stand below a branch on another comparison of the same
/// values: `then` says in which region, and `holds` which comparison is taken to be true
/// there.
fn below_guards(
    function: &mut Function,
    then: bool,
    holds: impl Fn(&Function, &Tree, (Op, &[Value]), (Op, &[Value])) -> bool,
) -> usize {
    let tree = Tree::of(function);
    let mut guards: Side<samebits_ir::ir::RegionDef, Option<Value>> = Side::new(None);
    for &inst in tree.insts() {
        if let InstKind::If { condition, then: a, otherwise: b } = function.insts[inst].kind {
            guards[if then { a } else { b }] = Some(condition);
        }
    }
    each_op(function, |f, tree, inst, op, args| {
        let mut region = tree.parent(inst);
        while let Some(at) = region {
            if let Some((guard, compared)) = guards[at].and_then(|guard| op_of(f, tree, guard))
                && holds(f, tree, (guard, &compared), (op, args))
            {
                return becomes_constant(f, inst, 1);
            }
            region = tree.owner(at).and_then(|owner: Inst| tree.parent(owner));
        }
        false
    })
}

pub(super) fn not_below_is_above(function: &mut Function, _: &Types) -> usize {
    below_guards(function, false, |_, _, (guard, compared), (op, args)| {
        guard == Op::Lt && op == Op::Gt && compared == args
    })
}

pub(super) fn next_index_is_guarded(function: &mut Function, _: &Types) -> usize {
    below_guards(function, true, |f, tree, (guard, compared), (op, args)| {
        let next = args.first().and_then(|&arg| op_of(f, tree, arg));
        let is_next = next.is_some_and(|(op, of)| op == Op::Add && of[0] == compared[0]);
        guard == Op::Lt && op == Op::Lt && is_next && args[1] == compared[1]
    })
}

pub(super) fn below_its_mask(function: &mut Function, _: &Types) -> usize {
    each_op(function, |f, tree, inst, op, args| {
        let (Op::Lt, Some((Op::And, masked))) = (op, op_of(f, tree, args[0])) else { return false };
        let (mask, limit) = (f.constant_bits(masked[1]), f.constant_bits(args[1]));
        scalar_of(f, args[0]) == Some(Scalar::U32)
            && matches!((mask, limit), (Some(mask), Some(limit)) if mask <= limit)
            && becomes_constant(f, inst, 1)
    })
}
