//! Pure ops as expressions.
//!
//! Rust's own operators and methods have the meaning of most ops. Integers use the wrapping ones, also where
//! the user's crate checks for overflow. What Rust lacks are functions of `samebits::native`. A sum that is
//! known not to wrap says so, since then an index that it gives is known to grow with the lane.

use super::code::{lane_of, literal, rust};
use super::writer::Writer;
use crate::analysis::facts::Wrapping;
use crate::ir::{Inst, Value};
use crate::ops::{Op, Signature};
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Kind, Scalar, Type};

impl Writer<'_> {
    /// The lanes of an op's result as expressions. `may_assume` says whether whoever comes here would come to
    /// the instruction.
    pub(super) fn op(&self, inst: Inst, op: Op, args: &[Value], result: Value, may_assume: bool) -> Vec<String> {
        if let Some(cut) = self.cut(result) {
            return vec![if cut.steps { format!("{}.unchecked_add(x)", cut.first) } else { cut.first }];
        }
        let function = self.function;
        let to = function.ty(result);
        let lanes: Vec<Vec<String>> = args.iter().map(|&arg| self.lanes(arg)).collect();
        let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
        let first = lanes.first().cloned().unwrap_or_default();
        match op.info().signature {
            Signature::Select => {
                let (condition, ones, others) = (&first, lanes.get(1), lanes.get(2));
                let pairs = ones.into_iter().flatten().zip(others.into_iter().flatten()).enumerate();
                pairs
                    .map(|(i, (one, other))| {
                        let condition = condition.get(i).or(condition.first()).map_or("false", String::as_str);
                        format!("(if {condition} {{ {one} }} else {{ {other} }})")
                    })
                    .collect()
            }
            Signature::Cast => cast(types.first().copied().unwrap_or(to), to, &first),
            Signature::Bitcast => {
                let from = lane_of(types.first().copied().unwrap_or(to));
                first.iter().map(|lane| bitcast(from, lane_of(to), lane)).collect()
            }
            Signature::Construct => lanes.into_iter().flatten().collect(),
            Signature::Extract => vec![self.extract(&first, args.get(1).copied(), to)],
            Signature::Lanes(..) => {
                let scalar = lane_of(types.first().copied().unwrap_or(to));
                let exact = may_assume && self.facts().wrapping(inst) == &Wrapping::Never;
                (0..to.lanes())
                    .map(|i| {
                        let args: Vec<&str> =
                            lanes.iter().filter_map(|lanes| lanes.get(i)).map(String::as_str).collect();
                        lane(op, scalar, &args, exact)
                    })
                    .collect()
            }
            // Compound ops were expanded.
            Signature::Fixed(..) | Signature::Insert | Signature::Reduce => first,
        }
    }

    /// A lane of a vector; zero if the vector has no such lane.
    fn extract(&self, lanes: &[String], index: Option<Value>, to: Type) -> String {
        let zero = literal(lane_of(to), 0);
        let Some(index) = index else { return zero };
        if let Some(index) = self.function.constant_bits(index) {
            let lane = usize::try_from(index).ok().and_then(|i| lanes.get(i));
            return lane.cloned().unwrap_or(zero);
        }
        let index = self.scalar(index);
        let arms = lanes.iter().enumerate().map(|(i, lane)| format!("{i} => {lane}, ")).collect::<String>();
        format!("(match {index} {{ {arms}_ => {zero} }})")
    }
}

/// An op that works lane by lane.
pub(super) fn lane(op: Op, scalar: Scalar, args: &[&str], exact: bool) -> String {
    let argument = |n: usize| args.get(n).copied().unwrap_or("0");
    let (a, b, c) = (argument(0), argument(1), argument(2));
    let (is_float, is_int) = (scalar.is_float(), scalar.is_int());
    let infix = |sign: &str| format!("({a} {sign} {b})");
    let method = |name: &str| format!("{a}.{name}()");
    let sum = |sign: &str, name: &str| match (is_float, exact) {
        (true, _) => infix(sign),
        (false, true) => format!("{a}.unchecked_{name}({b})"),
        (false, false) => format!("{a}.wrapping_{name}({b})"),
    };
    match op {
        Op::Add => sum("+", "add"),
        Op::Sub => sum("-", "sub"),
        Op::Mul => sum("*", "mul"),
        Op::Div if is_float => infix("/"),
        Op::Rem if is_float => infix("%"),
        Op::Div => format!("n::Whole::quotient({a}, {b})"),
        Op::Rem => format!("n::Whole::remainder({a}, {b})"),
        Op::Neg if is_float => format!("(-{a})"),
        Op::Neg => method("wrapping_neg"),
        Op::Abs if is_int => method("wrapping_abs"),
        Op::Abs => method("abs"),
        Op::Sign => method("signum"),
        Op::Min => format!("n::Lane::lesser({a}, {b})"),
        Op::Max => format!("n::Lane::greater({a}, {b})"),
        Op::AbsDiff => format!("{a}.abs_diff({b})"),
        Op::And => infix("&"),
        Op::Or => infix("|"),
        Op::Xor => infix("^"),
        Op::Not => format!("(!{a})"),
        Op::Shl => format!("{a}.wrapping_shl({b})"),
        Op::Shr => format!("{a}.wrapping_shr({b})"),
        Op::RotateLeft => format!("{a}.rotate_left({b} & {})", scalar.bits() - 1),
        Op::RotateRight => format!("{a}.rotate_right({b} & {})", scalar.bits() - 1),
        Op::CountOnes => method("count_ones"),
        Op::LeadingZeros => method("leading_zeros"),
        Op::TrailingZeros => method("trailing_zeros"),
        Op::ReverseBits => method("reverse_bits"),
        Op::SwapBytes => method("swap_bytes"),
        Op::Eq => infix("=="),
        Op::Ne => infix("!="),
        Op::Lt => infix("<"),
        Op::Le => infix("<="),
        Op::Gt => infix(">"),
        Op::Ge => infix(">="),
        Op::Sqrt => method("sqrt"),
        Op::Floor => method("floor"),
        Op::Ceil => method("ceil"),
        Op::Trunc => method("trunc"),
        Op::RoundEven => method("round_ties_even"),
        Op::Round => method("round"),
        Op::MulAdd if scalar == Scalar::F16 => format!("n::mul_add_f16({a}, {b}, {c})"),
        Op::MulAdd => format!("n::mul_add::<M, {}>({a}, {b}, {c})", rust(scalar)),
        Op::CopySign => format!("{a}.copysign({b})"),
        Op::IsNan => method("is_nan"),
        Op::IsInfinite => method("is_infinite"),
        Op::IsFinite => method("is_finite"),
        // The table has no other basic op that works lane by lane.
        _ => a.to_owned(),
    }
}

/// Whether Rust's form of an op may give another NaN than the canonical one.
pub(super) const fn gives_a_nan(op: Op, result: Scalar) -> bool {
    // What is rounded to an `f16` has the canonical NaN already.
    matches!(result, Scalar::F32 | Scalar::F64) && !matches!(op, Op::Min | Op::Max)
}

/// The lanes of a value converted to another type.
fn cast(from: Type, to: Type, lanes: &[String]) -> Vec<String> {
    let (Some(rule), Some(source), Some(target)) = (cast_rule(from, to), from.lane(), to.lane()) else {
        return lanes.to_vec();
    };
    let first = lanes.first().map_or("0", String::as_str);
    let zero = literal(source, 0);
    match rule {
        CastRule::Identity => lanes.to_vec(),
        CastRule::Resize => vec![format!("({first} as {})", target.name())],
        CastRule::Truth => {
            let tests: Vec<String> = lanes.iter().map(|lane| format!("({lane} != {zero})")).collect();
            vec![format!("({})", tests.join(" | "))]
        }
        CastRule::Splat => vec![format!("({first} as u32)"); to.lanes()],
        // The target may be the signed type of the same width.
        CastRule::Lanes => lanes.iter().take(to.lanes()).map(|lane| format!("({lane} as {})", target.name())).collect(),
        CastRule::Split => vec![format!("({first} as u32)"), format!("(({first} >> 32) as u32)")],
        CastRule::Join => match lanes {
            [low, high, ..] => vec![format!("(({high} as u64) << 32 | ({low} as u64))")],
            _ => lanes.to_vec(),
        },
        CastRule::IntToFloat if target == Scalar::F16 => vec![format!("n::F16::from_f32({first} as f32)")],
        CastRule::FloatToInt if source == Scalar::F16 => vec![format!("({first}.to_f32() as {})", target.name())],
        CastRule::IntToFloat | CastRule::FloatToInt => vec![format!("({first} as {})", target.name())],
        CastRule::FloatToFloat => vec![match (source, target) {
            (Scalar::F16, Scalar::F64) => format!("{first}.to_f64()"),
            (Scalar::F16, _) => format!("{first}.to_f32()"),
            (Scalar::F64, Scalar::F16) => format!("n::F16::from_f64({first})"),
            (_, Scalar::F16) => format!("n::F16::from_f32({first})"),
            _ => format!("({first} as {})", target.name()),
        }],
    }
}

/// The same bits as another scalar of the same width.
pub(super) fn bitcast(from: Scalar, to: Scalar, value: &str) -> String {
    if from == to {
        return value.to_owned();
    }
    let unsigned = from.unsigned();
    let bits = match from.kind() {
        Kind::Float => format!("{value}.to_bits()"),
        Kind::Signed => format!("({value} as {})", unsigned.name()),
        Kind::Unsigned | Kind::Bool => value.to_owned(),
    };
    match to.kind() {
        Kind::Float => format!("{}::from_bits({bits})", rust(to)),
        Kind::Signed => format!("({bits} as {})", to.name()),
        Kind::Unsigned | Kind::Bool => bits,
    }
}
