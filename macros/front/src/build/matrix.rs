//! Matrices: the steps of [`samebits_ir::matrix`], recorded as ops.
//!
//! A matrix is as many values as it has columns. Each operand is evaluated once.

use super::Build;
use crate::hir::{ExprId, MatrixOp};
use samebits_ir::builder::Builder;
use samebits_ir::ir::Value;
use samebits_ir::matrix::{self, Steps};
use samebits_ir::ops::Op;

/// Records steps.
struct Recorded<'b>(&'b mut Builder);

impl Steps for Recorded<'_> {
    type Number = Value;

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.0.op(Op::Add, &[a, b])
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.0.op(Op::Sub, &[a, b])
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.0.op(Op::Mul, &[a, b])
    }

    fn neg(&mut self, a: Value) -> Value {
        self.0.op(Op::Neg, &[a])
    }

    fn recip(&mut self, a: Value) -> Value {
        self.0.op(Op::Recip, &[a])
    }
}

impl Build<'_> {
    /// The values of an expression that is about matrices; none if it was refused.
    pub(super) fn matrix(&mut self, op: MatrixOp, args: &[ExprId], id: ExprId) -> Vec<Value> {
        let parts: Vec<Vec<Value>> = args.iter().map(|&arg| self.flat(arg)).collect();
        self.b.at(self.expr(id).loc);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
        let (&[one, ..], &[other, ..]) = (first.as_slice(), last.as_slice()) else { return Vec::new() };
        let n = first.len().max(last.len());
        match op {
            MatrixOp::Add | MatrixOp::Sub => {
                let op = if op == MatrixOp::Add { Op::Add } else { Op::Sub };
                first.iter().zip(last).map(|(&a, &b)| self.b.op(op, &[a, b])).collect()
            }
            MatrixOp::Neg => first.iter().map(|&column| self.b.op(Op::Neg, &[column])).collect(),
            MatrixOp::Scale | MatrixOp::Over => {
                let op = if op == MatrixOp::Over { Op::Div } else { Op::Mul };
                let (columns, by) = if first.len() > 1 { (first, other) } else { (last, one) };
                let by = self.b.op(Op::Construct, &vec![by; n]);
                columns.iter().map(|&column| self.b.op(op, &[column, by])).collect()
            }
            MatrixOp::Eq | MatrixOp::Ne => {
                let (each, all, both) =
                    if op == MatrixOp::Eq { (Op::Eq, Op::All, Op::And) } else { (Op::Ne, Op::Any, Op::Or) };
                let mut result = None;
                for (&a, &b) in first.iter().zip(last) {
                    let lanes = self.b.op(each, &[a, b]);
                    let column = self.b.op(all, &[lanes]);
                    result = Some(result.map_or(column, |result| self.b.op(both, &[result, column])));
                }
                result.into_iter().collect()
            }
            MatrixOp::Times => {
                let (matrix, columns) = (self.numbers(first), self.numbers(last));
                let numbers = matrix::product(&mut Recorded(&mut self.b), n, &matrix, &columns);
                self.columns(n, &numbers)
            }
            MatrixOp::Transpose => {
                let numbers = matrix::transposed(n, &self.numbers(first));
                self.columns(n, &numbers)
            }
            MatrixOp::Inverse => {
                let matrix = self.numbers(first);
                let numbers = matrix::inverse(&mut Recorded(&mut self.b), n, &matrix);
                self.columns(n, &numbers)
            }
            MatrixOp::Determinant => {
                let matrix = self.numbers(first);
                vec![matrix::determinant(&mut Recorded(&mut self.b), n, &matrix)]
            }
            MatrixOp::Columns => first.clone(),
            MatrixOp::ToArray => self.numbers(first),
            MatrixOp::FromArray => self.columns(n.isqrt(), first),
            MatrixOp::FromDiagonal => {
                let diagonal = self.lanes(one);
                let Some(lane) = self.b.function().ty(one).lane() else { return Vec::new() };
                let (zero, n) = (self.b.constant(lane, 0), diagonal.len());
                let mut numbers = vec![zero; n * n];
                diagonal.into_iter().enumerate().for_each(|(i, number)| numbers[i * n + i] = number);
                self.columns(n, &numbers)
            }
        }
    }

    /// The numbers of columns.
    fn numbers(&mut self, columns: &[Value]) -> Vec<Value> {
        columns.iter().flat_map(|&column| self.lanes(column)).collect()
    }

    /// The columns of so many of these numbers each.
    fn columns(&mut self, n: usize, numbers: &[Value]) -> Vec<Value> {
        numbers.chunks(n.max(1)).map(|column| self.b.op(Op::Construct, column)).collect()
    }
}
