//! Vectors: their own methods, as ops in the order that the table documents.
//!
//! Each operand is evaluated once.

use super::Build;
use crate::hir::{ExprId, ExprKind, Lane};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Value, Var};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Op, VectorMethod};
use samebits_ir::scalar::half;
use samebits_ir::types::{Scalar, Type};

impl Build<'_> {
    /// The value of an expression that is about a vector; `None` if it was refused.
    pub(super) fn vector(&mut self, id: ExprId) -> Option<Value> {
        let body = self.body;
        let loc = body.exprs[id].loc;
        match &body.exprs[id].kind {
            ExprKind::Lane(vector, lane) => {
                let vector = self.value(*vector)?;
                self.b.at(loc);
                Some(self.lane(vector, *lane))
            }
            ExprKind::LaneAt(vector, index) => {
                let index = self.index(*index);
                let vector = self.value(*vector)?;
                self.b.at(loc);
                self.is_lane(vector, index, loc).then(|| self.b.op(Op::Extract, &[vector, index]))
            }
            ExprKind::ColumnAt(matrix, index) => {
                let index = self.index(*index);
                let columns = self.flat(*matrix);
                self.b.at(loc);
                self.column_at(&columns, index, loc)
            }
            ExprKind::Swizzle(vector, picked) => {
                let vector = self.value(*vector)?;
                self.b.at(loc);
                let lanes: Vec<Value> = picked.iter().map(|&lane| self.lane(vector, lane)).collect();
                Some(self.b.op(Op::Construct, &lanes))
            }
            ExprKind::Splat(scalar) => {
                let scalar = self.value(*scalar)?;
                let lanes = self.ty(id).value()?.lanes();
                self.b.at(loc);
                Some(self.b.op(Op::Construct, &vec![scalar; lanes]))
            }
            ExprKind::Lanes(parts) => {
                let values = self.flat(*parts);
                self.b.at(loc);
                let lanes: Vec<Value> = values.into_iter().flat_map(|value| self.lanes(value)).collect();
                (lanes.len() == self.ty(id).value()?.lanes()).then(|| self.b.op(Op::Construct, &lanes))
            }
            ExprKind::CastLanes(vector) => self.cast_lanes(*vector, id),
            ExprKind::SelectLanes(args) => {
                let values = self.values(args)?;
                self.b.at(loc);
                let parts: Vec<Vec<Value>> = values.into_iter().map(|value| self.lanes(value)).collect();
                let [mask, a, b] = parts.as_slice() else { return None };
                let lanes: Vec<Value> =
                    mask.iter().zip(a).zip(b).map(|((&m, &a), &b)| self.b.op(Op::Select, &[m, a, b])).collect();
                (lanes.len() > 1).then(|| self.b.op(Op::Construct, &lanes))
            }
            ExprKind::Vector(method, args) => {
                let values = self.values(args)?;
                let lane = self.b.function().ty(values[0]).lane()?;
                self.b.at(loc);
                Some(self.method(*method, &values, lane))
            }
            _ => None,
        }
    }

    /// The lanes of a vector; a scalar is its own.
    pub(super) fn lanes(&mut self, value: Value) -> Vec<Value> {
        match self.b.function().ty(value) {
            Type::Vector(_, lanes) => (0..lanes.into()).map(|lane| self.lane(value, lane)).collect(),
            _ => vec![value],
        }
    }

    pub(super) fn lane(&mut self, vector: Value, lane: u32) -> Value {
        let lane = self.b.u32(lane);
        self.b.op(Op::Extract, &[vector, lane])
    }

    /// A scalar in as many lanes as a vector has.
    fn splat(&mut self, scalar: Value, like: Value) -> Value {
        let lanes = self.b.function().ty(like).lanes();
        self.b.op(Op::Construct, &vec![scalar; lanes])
    }

    fn method(&mut self, method: VectorMethod, values: &[Value], lane: Scalar) -> Value {
        use VectorMethod as M;
        let (first, second) = (values[0], *values.last().unwrap_or(&values[0]));
        match method {
            M::Dot => self.dot(first, second),
            M::Cross => self.cross(first, second),
            M::Length => self.length(first),
            M::LengthSquared => self.dot(first, first),
            M::Distance | M::DistanceSquared => {
                let between = self.b.op(Op::Sub, &[first, second]);
                if method == M::Distance { self.length(between) } else { self.dot(between, between) }
            }
            M::Normalize | M::NormalizeOrZero => {
                let length = self.length(first);
                let scale = self.b.op(Op::Recip, &[length]);
                let scales = self.splat(scale, first);
                let scaled = self.b.op(Op::Mul, &[first, scales]);
                if method == M::Normalize {
                    return scaled;
                }
                let zero = self.b.constant(lane, 0);
                let (finite, above) = (self.b.op(Op::IsFinite, &[scale]), self.b.op(Op::Gt, &[scale, zero]));
                let right = self.b.op(Op::And, &[finite, above]);
                let zeros = self.splat(zero, first);
                self.b.op(Op::Select, &[right, scaled, zeros])
            }
            M::Reflect => {
                let (two, dot) = (self.number(lane, 2.0), self.dot(first, second));
                let twice = self.b.op(Op::Mul, &[two, dot]);
                let twice = self.splat(twice, first);
                let back = self.b.op(Op::Mul, &[second, twice]);
                self.b.op(Op::Sub, &[first, back])
            }
            M::Lerp => {
                let (one, t) = (self.number(lane, 1.0), second);
                let rest = self.b.op(Op::Sub, &[one, t]);
                let (rest, t) = (self.splat(rest, first), self.splat(t, first));
                let (from, to) = (self.b.op(Op::Mul, &[first, rest]), self.b.op(Op::Mul, &[values[1], t]));
                self.b.op(Op::Add, &[from, to])
            }
            M::MinElement => self.folded(Op::Min, first),
            M::MaxElement => self.folded(Op::Max, first),
            M::Product => self.folded(Op::Mul, first),
            M::Sum => self.folded(Op::Add, first),
            // The front end makes these of other expressions.
            M::CmpEq | M::CmpNe | M::CmpLt | M::CmpLe | M::CmpGt | M::CmpGe | M::All | M::Any => first,
            M::Extend | M::Truncate | M::ToArray => first,
        }
    }

    fn dot(&mut self, a: Value, b: Value) -> Value {
        let products = self.b.op(Op::Mul, &[a, b]);
        self.folded(Op::Add, products)
    }

    /// The lanes under an op, from the first to the last.
    fn folded(&mut self, op: Op, vector: Value) -> Value {
        let lanes = self.lanes(vector);
        let mut all = lanes[0];
        for &lane in &lanes[1..] {
            all = self.b.op(op, &[all, lane]);
        }
        all
    }

    fn length(&mut self, vector: Value) -> Value {
        let square = self.dot(vector, vector);
        self.b.op(Op::Sqrt, &[square])
    }

    fn cross(&mut self, a: Value, b: Value) -> Value {
        let lanes = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
            let [ai, aj, bi, bj] = [(a, i), (a, j), (b, i), (b, j)].map(|(v, lane)| self.lane(v, lane));
            let (left, right) = (self.b.op(Op::Mul, &[ai, bj]), self.b.op(Op::Mul, &[aj, bi]));
            self.b.op(Op::Sub, &[left, right])
        });
        self.b.op(Op::Construct, &lanes)
    }

    /// A small whole number as a float.
    fn number(&mut self, lane: Scalar, number: f32) -> Value {
        let bits = match lane {
            Scalar::F16 => half::from_f64(number.into()).into(),
            Scalar::F64 => f64::from(number).to_bits(),
            _ => number.to_bits().into(),
        };
        self.b.constant(lane, bits)
    }

    fn cast_lanes(&mut self, vector: ExprId, id: ExprId) -> Option<Value> {
        let (from, to) = (self.ty(vector), self.ty(id));
        let value = self.value(vector)?;
        let (crate::infer::Ty::Vector(from, _), crate::infer::Ty::Vector(to, _)) = (from, to) else { return None };
        let loc = self.expr(id).loc;
        self.b.at(loc);
        let lanes = self.lanes(value);
        let lanes: Option<Vec<Value>> = lanes.into_iter().map(|lane| self.cast_of(lane, &from, &to, loc)).collect();
        Some(self.b.op(Op::Construct, &lanes?))
    }

    /// Whether a vector has a lane of this index, as far as that is known; reports it if not.
    pub(super) fn is_lane(&mut self, vector: Value, index: Value, loc: Loc) -> bool {
        let lanes = self.b.function().ty(vector).lanes();
        self.is_one_of(lanes as u32, index, loc)
    }

    /// Whether an index is one of so many lanes, as far as that is known; reports it if not.
    pub(super) fn is_one_of(&mut self, lanes: u32, index: Value, loc: Loc) -> bool {
        match self.b.function().constant_bits(index) {
            Some(at) if at >= lanes.into() => {
                let message = format!("index {at} is out of bounds: the vector has {lanes} lanes");
                self.diags.push(Diag::new(Code::V300, loc, message));
                false
            }
            _ => true,
        }
    }

    /// The index of a lane that is assigned to, evaluated; nothing for a whole column.
    pub(super) fn lane_index(&mut self, lane: Lane) -> Option<Value> {
        match lane.of_vector()? {
            Lane::Known(lane) => Some(self.b.u32(lane)),
            Lane::Index(index) => Some(self.index(index)),
            _ => None,
        }
    }

    /// The column of an index; zero if there is none.
    pub(super) fn column_at(&mut self, columns: &[Value], index: Value, loc: Loc) -> Option<Value> {
        if !self.is_one_of(columns.len() as u32, index, loc) {
            return None;
        }
        let ty = self.b.function().ty(*columns.first()?);
        let mut found = self.zero(ty);
        for (i, &column) in (0..).zip(columns) {
            let is = self.is_column(index, i);
            found = self.b.op(Op::Select, &[is, column, found]);
        }
        Some(found)
    }

    /// Whether an index is that of a column.
    pub(super) fn is_column(&mut self, index: Value, column: u32) -> Value {
        let column = self.b.u32(column);
        self.b.op(Op::Eq, &[index, column])
    }

    /// A lane of a variable's vector.
    pub(super) fn lane_of(&mut self, vector: Value, index: Value, loc: Loc) -> Value {
        self.is_lane(vector, index, loc);
        self.b.op(Op::Extract, &[vector, index])
    }

    /// A variable's vector with another value in one lane.
    pub(super) fn with_lane(&mut self, var: Var, index: Value, value: Value, loc: Loc) -> Value {
        let old = self.b.get(var);
        let Some(lane) = self.b.function().constant_bits(index) else {
            return self.b.op(Op::Insert, &[old, index, value]);
        };
        if !self.is_lane(old, index, loc) {
            return old;
        }
        let lanes: Vec<Value> = self.lanes(old);
        let lanes: Vec<Value> = (0..).zip(lanes).map(|(i, old)| if i == lane { value } else { old }).collect();
        self.b.op(Op::Construct, &lanes)
    }
}
