//! Ops on `f64`, whose registers are two words, low first.
//!
//! Arithmetic is a call of a function of [`double`], made once in a module; what only
//! looks at bits ([`bits`]) is written in place.

use super::body::Body;
use super::code::{Basic, Code, Expr};
use super::double;
use super::double_bits as bits;
use super::float::{MAGNITUDE, Machine, Rounding, SIGN};
use super::half;
use super::soft::{define_of, sums_atomically, uses};
use super::wide::Pair;
use crate::ir::{Function, InstKind};
use crate::ops::{Op, ops_of};
use crate::types::{Scalar, Type};
use naga::{Expression, Handle, Span, TypeInner, VectorSize};

/// The functions of a module, from words to vectors of two words.
#[derive(Clone, Copy, Default)]
pub(super) struct Doubles {
    sum: Option<Handle<naga::Function>>,
    product: Option<Handle<naga::Function>>,
    mul_add: Option<Handle<naga::Function>>,
    quotient: Option<Handle<naga::Function>>,
    root: Option<Handle<naga::Function>>,
    remainder: Option<Handle<naga::Function>>,
    /// Of unsigned integers of 64 bits.
    from_integer: Option<Handle<naga::Function>>,
}

impl Doubles {
    /// The functions that the ops of this kernel call.
    pub fn new(module: &mut naga::Module, basic: Basic, function: &Function) -> Self {
        let used = |op: Op| uses(function, op, &|scalar| scalar == Scalar::F64);
        let mut made = Self::default();
        if used(Op::Add) || used(Op::Sub) || sums_atomically(function, Scalar::F64) {
            made.sum = Some(define(module, basic, "double_sum_", 2, |m, [a, b, _]| double::sum(m, a, b)));
        }
        if used(Op::Mul) {
            made.product = Some(define(module, basic, "double_product_", 2, |m, [a, b, _]| double::product(m, a, b)));
        }
        if used(Op::MulAdd) {
            let body = |m: &mut Code, [a, b, c]: [Pair<Code>; 3]| double::mul_add(m, a, b, c);
            made.mul_add = Some(define(module, basic, "double_mul_add_", 3, body));
        }
        if used(Op::Div) {
            made.quotient =
                Some(define(module, basic, "double_quotient_", 2, |m, [a, b, _]| double::quotient(m, a, b)));
        }
        if used(Op::Sqrt) {
            made.root = Some(define(module, basic, "double_root_", 1, |m, [a, _, _]| double::root(m, a)));
        }
        if used(Op::Rem) {
            let body = |m: &mut Code, [a, b, _]: [Pair<Code>; 3]| double::remainder(m, a, b);
            made.remainder = Some(define(module, basic, "double_remainder_", 2, body));
        }
        let converts = function.insts.iter().any(|(_, inst)| {
            let InstKind::Op(Op::Cast, args) = &inst.kind else { return false };
            let lane = |&value| function.ty(value).lane();
            args.iter().filter_map(lane).any(Scalar::is_int)
                && inst.results.iter().filter_map(lane).any(|scalar| scalar == Scalar::F64)
        });
        if converts {
            let body = |m: &mut Code, [a, _, _]: [Pair<Code>; 3]| bits::from_integer(m, a);
            made.from_integer = Some(define(module, basic, "double_from_integer_", 1, body));
        }
        made
    }
}

/// A function of up to three numbers.
fn define(
    module: &mut naga::Module,
    basic: Basic,
    name: &str,
    numbers: u32,
    body: impl FnOnce(&mut Code, [Pair<Code>; 3]) -> Pair<Code>,
) -> Handle<naga::Function> {
    let ty = TypeInner::Vector { size: VectorSize::Bi, scalar: naga::Scalar::U32 };
    let ty = module.types.insert(naga::Type { name: None, inner: ty }, Span::UNDEFINED);
    define_of(module, basic, name, 2 * numbers, ty, |m, words| {
        let zero = m.word(0);
        let at = |i: usize| words.get(i).copied().unwrap_or(zero);
        let components = body(m, [0, 2, 4].map(|i| [at(i), at(i + 1)])).to_vec();
        m.push(Expression::Compose { ty, components })
    })
}

impl Body<'_> {
    /// One lane of an op on `f64`.
    pub(super) fn double(&mut self, op: Op, [a, b, c]: [Pair<Code>; 3]) -> Vec<Expr> {
        let made = self.soft.doubles;
        let m = &mut self.code;
        let pair = match op {
            Op::Add => call(m, made.sum, &[a, b]),
            Op::Sub => {
                let sign = m.word(SIGN);
                let opposite = [b[0], m.xor(b[1], sign)];
                call(m, made.sum, &[a, opposite])
            }
            Op::Mul => call(m, made.product, &[a, b]),
            Op::Div => call(m, made.quotient, &[a, b]),
            Op::Rem => call(m, made.remainder, &[a, b]),
            Op::MulAdd => call(m, made.mul_add, &[a, b, c]),
            Op::Sqrt => call(m, made.root, &[a]),
            Op::Neg => {
                let sign = m.word(SIGN);
                [a[0], m.xor(a[1], sign)]
            }
            Op::Abs => [a[0], m.and_k(a[1], MAGNITUDE)],
            Op::CopySign => {
                let (magnitude, sign) = (m.and_k(a[1], MAGNITUDE), m.and_k(b[1], SIGN));
                [a[0], m.or(magnitude, sign)]
            }
            Op::Min | Op::Max => bits::extreme(m, a, b, op == Op::Min),
            Op::Floor => bits::whole(m, a, Rounding::Down),
            Op::Ceil => bits::whole(m, a, Rounding::Up),
            Op::Trunc => bits::whole(m, a, Rounding::TowardsZero),
            Op::RoundEven => bits::whole(m, a, Rounding::HalfToEven),
            Op::Round => bits::whole(m, a, Rounding::HalfAway),
            Op::Eq => return vec![bits::equal(m, a, b)],
            Op::Ne => {
                let equal = bits::equal(m, a, b);
                return vec![Code::not(m, equal)];
            }
            Op::Lt => return vec![bits::less(m, a, b)],
            Op::Gt => return vec![bits::less(m, b, a)],
            Op::Le | Op::Ge => {
                let (x, y) = if op == Op::Le { (a, b) } else { (b, a) };
                let (below, equal) = (bits::less(m, x, y), bits::equal(m, x, y));
                return vec![m.either(below, equal)];
            }
            Op::IsNan => return vec![bits::is_nan(m, a)],
            Op::IsInfinite => return vec![bits::is_infinite(m, a)],
            Op::IsFinite => return vec![bits::is_finite(m, a)],
            // The table has no float form of these, or they are not lane by lane.
            Op::Sign | Op::AbsDiff | Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr => a,
            Op::RotateLeft | Op::RotateRight | Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => a,
            Op::ReverseBits | Op::SwapBytes => a,
            Op::Select | Op::Cast | Op::Bitcast | Op::Construct | Op::Extract | ops_of!(compound) => a,
        };
        pair.to_vec()
    }

    /// The nearest `f64` of an integer.
    pub(super) fn integer_to_double(&mut self, source: Scalar, value: &[Expr]) -> Vec<Expr> {
        let wide = if source.is_signed() { Scalar::I64 } else { Scalar::U64 };
        let [low, high] = self.resize(source, wide, value)[..] else { return self.zero(Type::Scalar(Scalar::F64)) };
        let made = self.soft.doubles.from_integer;
        let m = &mut self.code;
        if !source.is_signed() {
            return call(m, made, &[[low, high]]).to_vec();
        }
        let sign = m.and_k(high, SIGN);
        let magnitude = super::wide::abs(m, [low, high]);
        let [low, high] = call(m, made, &[magnitude]);
        vec![low, m.or(high, sign)]
    }

    /// The integer of an `f64`, which saturates.
    pub(super) fn double_to_integer(&mut self, target: Scalar, value: Pair<Code>) -> Vec<Expr> {
        let words = bits::to_integer(&mut self.code, target.is_signed(), target.bits(), value);
        words.into_iter().take(if target.bits() == 64 { 2 } else { 1 }).collect()
    }

    /// The nearest `f32` or `f16` of an `f64`.
    pub(super) fn double_to_float(&mut self, target: Scalar, value: Pair<Code>) -> Vec<Expr> {
        let m = &mut self.code;
        if target == Scalar::F16 {
            let odd = bits::to_f32_odd(m, value);
            return vec![half::narrow(m, odd)];
        }
        let single = bits::to_f32(m, value);
        vec![m.float_of(single)]
    }

    /// The `f64` of an `f32` or `f16`.
    pub(super) fn float_to_double(&mut self, source: Scalar, value: Expr) -> Vec<Expr> {
        let m = &mut self.code;
        let single = if source == Scalar::F16 { half::widen(m, value) } else { m.word_of(value) };
        bits::from_f32(m, single).to_vec()
    }
}

/// The result of a function on numbers.
fn call(m: &mut Code, function: Option<Handle<naga::Function>>, numbers: &[Pair<Code>]) -> Pair<Code> {
    match function {
        Some(function) => {
            let value = m.call(function, numbers.concat());
            [m.member(value, 0), m.member(value, 1)]
        }
        None => [m.word(0); 2],
    }
}
