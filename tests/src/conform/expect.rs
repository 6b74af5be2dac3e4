//! What every op of the table gives, in native Rust.
//!
//! This is a second statement of the meaning of ops and shares nothing with the
//! compiler's: integers are Rust's `i32` and `u32`, floats Rust's `f32`, and the rules
//! that Rust does not have (division by zero is 0, one NaN) are written out here.
//! `None` says that an op has no meaning on a type.

use samebits_ir::ops::Op;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};

/// The one NaN that arithmetic gives.
const NAN: u32 = 0x7fc0_0000;

/// The bits of an arithmetic result.
fn arithmetic(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

fn float(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The result of an op on values of these types; the result type matters to casts.
pub fn expect(op: Op, types: &[Type], result: Type, args: &[Lanes]) -> Option<Lanes> {
    let mut out = Lanes::default();
    match op {
        Op::Select => return Some(if args[0][0] == 1 { args[1] } else { args[2] }),
        Op::Cast => return super::casts::expect(types[0], result, args[0]),
        Op::Bitcast => return Some(args[0]),
        Op::Construct => {
            for (lane, arg) in out.iter_mut().zip(args) {
                *lane = arg[0];
            }
        }
        Op::Extract => {
            let index = args[1][0] as usize;
            out[0] = if index < types[0].lanes() { args[0][index] } else { 0 };
        }
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
        | Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Min
        | Op::Max
        | Op::AbsDiff
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Shl
        | Op::Shr
        | Op::RotateLeft
        | Op::RotateRight
        | Op::CountOnes
        | Op::LeadingZeros
        | Op::TrailingZeros
        | Op::ReverseBits
        | Op::SwapBytes
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Sqrt
        | Op::Floor
        | Op::Ceil
        | Op::Trunc
        | Op::RoundEven
        | Op::Round
        | Op::MulAdd
        | Op::CopySign
        | Op::IsNan
        | Op::IsInfinite
        | Op::IsFinite => {
            let ty = types[0].lane()?;
            for i in 0..types[0].lanes() {
                let operand = |n: usize| args.get(n).map_or(0, |lanes| lanes[i] as u32);
                out[i] = u64::from(lane(op, ty, operand(0), operand(1), operand(2))?);
            }
        }
    }
    Some(out)
}

/// The result type of an op on these types where the op alone decides it.
pub fn result_type(op: Op, types: &[Type]) -> Type {
    let first = types[0];
    match op {
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNan | Op::IsInfinite | Op::IsFinite => {
            first.with_lane(Scalar::Bool)
        }
        Op::AbsDiff | Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => first.with_lane(Scalar::U32),
        Op::Select => types[1],
        Op::Construct => first.lane().map_or(first, |lane| Type::Vector(lane, types.len() as u8)),
        Op::Extract => first.lane().map_or(first, Type::Scalar),
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Rem
        | Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Min
        | Op::Max
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Not
        | Op::Shl
        | Op::Shr
        | Op::RotateLeft
        | Op::RotateRight
        | Op::ReverseBits
        | Op::SwapBytes
        | Op::Sqrt
        | Op::Floor
        | Op::Ceil
        | Op::Trunc
        | Op::RoundEven
        | Op::Round
        | Op::MulAdd
        | Op::CopySign
        | Op::Cast
        | Op::Bitcast => first,
    }
}

/// One lane of an op that works lane by lane.
fn lane(op: Op, ty: Scalar, a: u32, b: u32, c: u32) -> Option<u32> {
    let both = Operands { ty, a, b };
    match op {
        Op::Add => both.numbers(i32::wrapping_add, u32::wrapping_add, |a, b| a + b),
        Op::Sub => both.numbers(i32::wrapping_sub, u32::wrapping_sub, |a, b| a - b),
        Op::Mul => both.numbers(i32::wrapping_mul, u32::wrapping_mul, |a, b| a * b),
        Op::Div => {
            let signed = |a: i32, b| if b == 0 { 0 } else { a.wrapping_div(b) };
            both.numbers(signed, |a, b| a.checked_div(b).unwrap_or(0), |a, b| a / b)
        }
        Op::Rem => {
            let signed = |a: i32, b| if b == 0 { 0 } else { a.wrapping_rem(b) };
            both.numbers(signed, |a, b| a.checked_rem(b).unwrap_or(0), |a, b| a % b)
        }
        Op::Min => both.numbers(i32::min, u32::min, |a, b| lesser(a, b, f32::total_cmp)),
        Op::Max => both.numbers(i32::max, u32::max, |a, b| lesser(a, b, |a, b| b.total_cmp(a))),
        Op::Neg => match ty {
            Scalar::F32 => Some((-float(a)).to_bits()),
            _ => both.integers(|a, _| a.wrapping_neg(), |a, _| a.wrapping_neg()),
        },
        Op::Abs => match ty {
            Scalar::F32 => Some(float(a).abs().to_bits()),
            Scalar::I32 => Some((a as i32).wrapping_abs() as u32),
            _ => None,
        },
        Op::Sign => (ty == Scalar::I32).then(|| (a as i32).signum() as u32),
        Op::AbsDiff => match ty {
            Scalar::I32 => Some((a as i32).abs_diff(b as i32)),
            Scalar::U32 => Some(a.abs_diff(b)),
            _ => None,
        },
        Op::And => both.bits(|a, b| a & b, |a, b| a && b),
        Op::Or => both.bits(|a, b| a | b, |a, b| a || b),
        Op::Xor => both.bits(|a, b| a ^ b, |a, b| a != b),
        Op::Not => both.bits(|a, _| !a, |a, _| !a),
        Op::Shl => both.integers(|a, n| a.wrapping_shl(n as u32), u32::wrapping_shl),
        Op::Shr => both.integers(|a, n| a.wrapping_shr(n as u32), u32::wrapping_shr),
        Op::RotateLeft => both.integers(|a, n| a.rotate_left(n as u32 % 32), |a, n| a.rotate_left(n % 32)),
        Op::RotateRight => both.integers(|a, n| a.rotate_right(n as u32 % 32), |a, n| a.rotate_right(n % 32)),
        Op::CountOnes => both.integers(|a, _| a.count_ones() as i32, |a, _| a.count_ones()),
        Op::LeadingZeros => both.integers(|a, _| a.leading_zeros() as i32, |a, _| a.leading_zeros()),
        Op::TrailingZeros => both.integers(|a, _| a.trailing_zeros() as i32, |a, _| a.trailing_zeros()),
        Op::ReverseBits => both.integers(|a, _| a.reverse_bits(), |a, _| a.reverse_bits()),
        Op::SwapBytes => both.integers(|a, _| a.swap_bytes(), |a, _| a.swap_bytes()),
        Op::Eq => both.compare(|a, b| a == b, |a, b| a == b, |a, b| a == b),
        Op::Ne => both.compare(|a, b| a != b, |a, b| a != b, |a, b| a != b),
        Op::Lt => both.compare(|a, b| a < b, |a, b| a < b, |a, b| a < b),
        Op::Le => both.compare(|a, b| a <= b, |a, b| a <= b, |a, b| a <= b),
        Op::Gt => both.compare(|a, b| a > b, |a, b| a > b, |a, b| a > b),
        Op::Ge => both.compare(|a, b| a >= b, |a, b| a >= b, |a, b| a >= b),
        Op::Sqrt => both.float(|a, _| a.sqrt()),
        Op::Floor => both.float(|a, _| a.floor()),
        Op::Ceil => both.float(|a, _| a.ceil()),
        Op::Trunc => both.float(|a, _| a.trunc()),
        Op::RoundEven => both.float(|a, _| a.round_ties_even()),
        Op::Round => both.float(|a, _| a.round()),
        Op::MulAdd => both.float(|a, b| a.mul_add(b, float(c))),
        Op::CopySign => (ty == Scalar::F32).then(|| float(a).copysign(float(b)).to_bits()),
        Op::IsNan => (ty == Scalar::F32).then(|| u32::from(float(a).is_nan())),
        Op::IsInfinite => (ty == Scalar::F32).then(|| u32::from(float(a).is_infinite())),
        Op::IsFinite => (ty == Scalar::F32).then(|| u32::from(float(a).is_finite())),
        // Not lane by lane.
        Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract => None,
    }
}

/// The first of two numbers in an order in which NaN is last and -0.0 is not 0.0.
fn lesser(a: f32, b: f32, order: fn(&f32, &f32) -> std::cmp::Ordering) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if order(&a, &b).is_le() => a,
        _ => b,
    }
}

/// The bits of the first two operands.
struct Operands {
    ty: Scalar,
    a: u32,
    b: u32,
}

impl Operands {
    fn integers(&self, signed: fn(i32, i32) -> i32, unsigned: fn(u32, u32) -> u32) -> Option<u32> {
        match self.ty {
            Scalar::I32 => Some(signed(self.a as i32, self.b as i32) as u32),
            Scalar::U32 => Some(unsigned(self.a, self.b)),
            _ => None,
        }
    }

    fn float(&self, f: impl Fn(f32, f32) -> f32) -> Option<u32> {
        (self.ty == Scalar::F32).then(|| arithmetic(f(float(self.a), float(self.b))))
    }

    fn numbers(
        &self,
        signed: fn(i32, i32) -> i32,
        unsigned: fn(u32, u32) -> u32,
        f: fn(f32, f32) -> f32,
    ) -> Option<u32> {
        self.integers(signed, unsigned).or_else(|| self.float(f))
    }

    fn bits(&self, words: fn(u32, u32) -> u32, truths: fn(bool, bool) -> bool) -> Option<u32> {
        match self.ty {
            Scalar::I32 | Scalar::U32 => Some(words(self.a, self.b)),
            Scalar::Bool => Some(truths(self.a == 1, self.b == 1).into()),
            _ => None,
        }
    }

    fn compare(
        &self,
        signed: fn(i32, i32) -> bool,
        unsigned: fn(u32, u32) -> bool,
        floats: fn(f32, f32) -> bool,
    ) -> Option<u32> {
        match self.ty {
            Scalar::I32 => Some(signed(self.a as i32, self.b as i32).into()),
            Scalar::U32 | Scalar::Bool => Some(unsigned(self.a, self.b).into()),
            Scalar::F32 => Some(floats(float(self.a), float(self.b)).into()),
            _ => None,
        }
    }
}
