//! Every op of the table as C expressions, lane by lane.
//!
//! Operands are names or literals, so they never need parentheses.

use super::body::Body;
use super::cast::cast;
use super::code::{Code, literal};
use super::float::Float;
use super::int::Int;
use super::library;
use crate::ir::Value;
use crate::ops::{Op, Signature};
use crate::soft::Routine;
use crate::soft::plan::{Native, Way};
use crate::types::{Scalar, Type};

impl Body<'_> {
    /// The lanes of an op's result, and whether they are names that existed before.
    pub(super) fn op(&mut self, op: Op, args: &[Value], result: Value) -> (Vec<String>, bool) {
        let types: Vec<Type> = args.iter().map(|&v| self.function.ty(v)).collect();
        let to = self.function.ty(result);
        let lanes: Vec<Vec<String>> = args.iter().map(|&v| self.lanes(v)).collect();
        let first = lanes.first().cloned().unwrap_or_default();
        match op.info().signature {
            Signature::Select => {
                let [condition, yes, no] = &lanes[..] else { return (first, true) };
                let condition = condition.first().cloned().unwrap_or_default();
                (yes.iter().zip(no).map(|(yes, no)| format!("{condition} ? {yes} : {no}")).collect(), false)
            }
            Signature::Cast => {
                let from = types.first().copied().unwrap_or(to);
                (cast(&mut self.code, from, to, &first), from == to)
            }
            // Every type of a width is held as the same bits.
            Signature::Bitcast => (first, true),
            Signature::Construct => (lanes.into_iter().flatten().collect(), true),
            Signature::Extract => self.extract(&first, args.get(1).copied(), to),
            Signature::Lanes(..) => {
                let scalar = types.first().and_then(|ty| ty.lane()).unwrap_or(Scalar::U32);
                let lane = |code: &mut Code, i: usize| {
                    let args: Vec<&str> = lanes.iter().filter_map(|lanes| lanes.get(i)).map(String::as_str).collect();
                    lane(code, op, scalar, &args)
                };
                ((0..to.lanes()).map(|i| lane(&mut self.code, i)).collect(), false)
            }
            // Compound ops were expanded.
            Signature::Fixed(..) | Signature::Insert | Signature::Reduce => (first, true),
        }
    }

    /// A lane of a vector; zero if the vector has no such lane.
    fn extract(&mut self, lanes: &[String], index: Option<Value>, to: Type) -> (Vec<String>, bool) {
        let zero = literal(to.lane().unwrap_or(Scalar::U32), 0);
        let Some(index) = index else { return (vec![zero], true) };
        if let Some(index) = self.function.constant_bits(index) {
            let lane = usize::try_from(index).ok().and_then(|i| lanes.get(i));
            return (vec![lane.cloned().unwrap_or(zero)], true);
        }
        let index = self.lanes(index).into_iter().next().unwrap_or_default();
        let choice =
            lanes.iter().enumerate().map(|(i, lane)| format!("{index} == {i}u ? {lane} : ")).collect::<String>();
        (vec![choice + &zero], false)
    }
}

/// An op that works lane by lane. It ignores the operands that it does not have.
pub(super) fn lane(code: &mut Code, op: Op, scalar: Scalar, args: &[&str]) -> String {
    let native = match Native::CUDA.op(op, scalar, false) {
        // The operands of C's functions are widened, and their results are rounded, where they
        // are named.
        Way::Native(_) | Way::Loose | Way::Widened | Way::Lengthened => native(code, op, scalar, args),
        Way::Checked { .. } | Way::Routine(_) => None,
    };
    if let Some(native) = native {
        return native;
    }
    // What C lacks comes from the library, whose operands are words.
    let words: Vec<String> = args.iter().flat_map(|arg| library::words(scalar, arg)).collect();
    match Routine::of_op(op, scalar) {
        Some(routine) => library::call(code, routine, &words),
        // The table has no such form.
        None => literal(scalar, 0),
    }
}

/// The op as CUDA has it, if it does.
pub(super) fn native(code: &mut Code, op: Op, scalar: Scalar, args: &[&str]) -> Option<String> {
    let argument = |n: usize| args.get(n).copied().unwrap_or("0");
    let (a, b) = (argument(0), argument(1));
    let (int, float, is_float) = (Int::new(scalar), Float::new(scalar), scalar.is_float());
    Some(match op {
        Op::Add if is_float => float.call(code, ["__fadd_rn", "__dadd_rn"], args),
        Op::Sub if is_float => float.call(code, ["__fsub_rn", "__dsub_rn"], args),
        Op::Mul if is_float => float.call(code, ["__fmul_rn", "__dmul_rn"], args),
        Op::Div if is_float => float.call(code, ["__fdiv_rn", "__ddiv_rn"], args),
        Op::Rem if is_float => float.call(code, ["fmodf", "fmod"], args),
        Op::Add => int.arithmetic("+", a, b),
        Op::Sub => int.arithmetic("-", a, b),
        Op::Mul => int.arithmetic("*", a, b),
        Op::Div | Op::Rem => int.divide(code, op == Op::Rem, a, b),
        Op::Neg if is_float => float.negate(a),
        Op::Neg => int.negate(a),
        Op::Abs if is_float => float.magnitude(a),
        Op::Abs => int.abs(code, a),
        // Of floats it was expanded.
        Op::Sign => int.sign(code, a),
        Op::Min | Op::Max if is_float => float.extreme(code, op == Op::Max, a, b),
        Op::Min => int.min(code, a, b),
        Op::Max => int.max(code, a, b),
        Op::AbsDiff => int.abs_diff(code, a, b),
        Op::And => format!("{a} & {b}"),
        Op::Or => format!("{a} | {b}"),
        Op::Xor => format!("{a} ^ {b}"),
        Op::Not if scalar == Scalar::Bool => format!("!{a}"),
        Op::Not => int.not(a),
        Op::Shl => int.shift_left(a, b),
        Op::Shr => int.shift_right(code, a, b),
        Op::RotateLeft => int.rotate(code, "rotl", "<<", ">>", a, b),
        Op::RotateRight => int.rotate(code, "rotr", ">>", "<<", a, b),
        Op::CountOnes => int.count_ones(a),
        Op::LeadingZeros => int.leading_zeros(a),
        Op::TrailingZeros => int.trailing_zeros(a),
        Op::ReverseBits => int.reverse_bits(a),
        Op::SwapBytes => int.swap_bytes(code, a),
        Op::Eq => compare(code, scalar, "==", a, b),
        Op::Ne => compare(code, scalar, "!=", a, b),
        Op::Lt => compare(code, scalar, "<", a, b),
        Op::Le => compare(code, scalar, "<=", a, b),
        Op::Gt => compare(code, scalar, ">", a, b),
        Op::Ge => compare(code, scalar, ">=", a, b),
        Op::Sqrt => float.call(code, ["__fsqrt_rn", "__dsqrt_rn"], args),
        Op::Floor => float.call(code, ["floorf", "floor"], args),
        Op::Ceil => float.call(code, ["ceilf", "ceil"], args),
        Op::Trunc => float.call(code, ["truncf", "trunc"], args),
        Op::RoundEven => float.call(code, ["rintf", "rint"], args),
        Op::Round => float.call(code, ["roundf", "round"], args),
        Op::MulAdd => float.mul_add(code, args),
        Op::CopySign => float.copy_sign(a, b),
        Op::IsNan => float.is_nan(a),
        Op::IsInfinite => float.is_infinite(a),
        Op::IsFinite => float.is_finite(a),
        _ => return None,
    })
}

fn compare(code: &mut Code, scalar: Scalar, sign: &str, a: &str, b: &str) -> String {
    if scalar.is_float() {
        let float = Float::new(scalar);
        let (a, b) = (float.value(code, a), float.value(code, b));
        // A choice by a comparison of what is chosen becomes a minimum or a maximum, which
        // have a NaN of their own; not so if the condition may be its opposite. A launch has
        // at least one workgroup, but that is known to nobody here.
        return format!("({a} {sign} {b}) != (groups_z == 0u)");
    }
    let int = Int::new(scalar);
    format!("{} {sign} {}", int.ordered(a), int.ordered(b))
}
