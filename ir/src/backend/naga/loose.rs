//! `f32` as the device computes it, for kernels that ask for `fast_math`.
//!
//! What the device then does (fusing a product into a sum, flushing subnormals, quotients
//! and roots that are off by a little, any NaN for a NaN) is up to its driver. An op with
//! the flag `precise` is computed strictly there as well. Ops that are exact on every
//! device when done on bits, and cost little, stay as they are.

use super::body::Body;
use super::code::{Code, Expr};
use crate::ops::Op;
use naga::{BinaryOperator as Bin, Expression, MathFunction, UnaryOperator};

impl Body<'_> {
    /// The device's own result of an op on `f32`, if it has one.
    pub(super) fn loose(&mut self, op: Op, [a, b, c]: [Expr; 3]) -> Option<Expr> {
        let code = &mut self.code;
        Some(match op {
            Op::Add => code.raw(Bin::Add, a, b),
            Op::Sub => code.raw(Bin::Subtract, a, b),
            Op::Mul => code.raw(Bin::Multiply, a, b),
            Op::Div => code.raw(Bin::Divide, a, b),
            Op::MulAdd => math(code, MathFunction::Fma, a, Some(b), Some(c)),
            Op::Neg => code.push(Expression::Unary { op: UnaryOperator::Negate, expr: a }),
            Op::Abs => code.math(MathFunction::Abs, a),
            Op::Sqrt => code.math(MathFunction::Sqrt, a),
            Op::Min => math(code, MathFunction::Min, a, Some(b), None),
            Op::Max => math(code, MathFunction::Max, a, Some(b), None),
            Op::Floor => code.math(MathFunction::Floor, a),
            Op::Ceil => code.math(MathFunction::Ceil, a),
            Op::Trunc => code.math(MathFunction::Trunc, a),
            // naga rounds halves to even.
            Op::RoundEven => code.math(MathFunction::Round, a),
            Op::Exp => code.math(MathFunction::Exp, a),
            Op::Exp2 => code.math(MathFunction::Exp2, a),
            Op::Ln => code.math(MathFunction::Log, a),
            Op::Log2 => code.math(MathFunction::Log2, a),
            Op::Sin => code.math(MathFunction::Sin, a),
            Op::Cos => code.math(MathFunction::Cos, a),
            Op::Tan => code.math(MathFunction::Tan, a),
            Op::Asin => code.math(MathFunction::Asin, a),
            Op::Acos => code.math(MathFunction::Acos, a),
            Op::Atan => code.math(MathFunction::Atan, a),
            Op::Atan2 => math(code, MathFunction::Atan2, a, Some(b), None),
            Op::Sinh => code.math(MathFunction::Sinh, a),
            Op::Cosh => code.math(MathFunction::Cosh, a),
            Op::Tanh => code.math(MathFunction::Tanh, a),
            Op::Asinh => code.math(MathFunction::Asinh, a),
            Op::Acosh => code.math(MathFunction::Acosh, a),
            Op::Atanh => code.math(MathFunction::Atanh, a),
            Op::Rsqrt => code.math(MathFunction::InverseSqrt, a),
            Op::Powf => math(code, MathFunction::Pow, a, Some(b), None),
            Op::Eq => code.raw(Bin::Equal, a, b),
            Op::Ne => {
                // naga's own `!=` is false for a NaN.
                let equal = code.raw(Bin::Equal, a, b);
                code.push(Expression::Unary { op: UnaryOperator::LogicalNot, expr: equal })
            }
            Op::Lt => code.raw(Bin::Less, a, b),
            Op::Le => code.raw(Bin::LessEqual, a, b),
            Op::Gt => code.raw(Bin::Greater, a, b),
            Op::Ge => code.raw(Bin::GreaterEqual, a, b),
            _ => return None,
        })
    }
}

fn math(code: &mut Code, fun: MathFunction, arg: Expr, arg1: Option<Expr>, arg2: Option<Expr>) -> Expr {
    code.push(Expression::Math { fun, arg, arg1, arg2, arg3: None })
}
