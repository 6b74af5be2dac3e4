//! Rules whose types vary: casts of casts, bits read as another type, and lanes.
//!
//! One function of three types, [`is_direct`], says which casts may be left out. The tests try
//! it on every triple of types.

use super::{Algebra, Rewrite};
use crate::ir::Value;
use crate::ops::Op;
use crate::types::{Kind, Scalar, Type};

impl Algebra<'_> {
    /// What takes the place of an op for reasons that lie in types or lanes.
    pub(super) fn shape(&mut self, op: Op, args: &[Value], result: Value) -> Option<Rewrite> {
        match (op, args) {
            (Op::Cast, &[a]) => self.cast(a, self.function.ty(result)),
            (Op::Bitcast, &[a]) => self.bitcast(a, self.function.ty(result)),
            (Op::Extract, &[vector, index]) => self.extract(vector, index, result),
            (Op::Insert, &[vector, index, lane]) => self.insert(vector, index, lane),
            (Op::Construct, lanes) => self.construct(lanes, result),
            (Op::And, &[a, mask]) => self.mask_of_cast(a, mask),
            (Op::Eq | Op::Ne, &[a, number]) => self.compare_of_bool(op, a, number),
            _ => None,
        }
    }

    /// The operand of the op that gives a value, if it is one of these conversions.
    fn converted(&self, value: Value, ops: &[Op]) -> Option<Value> {
        match self.op_of(value)? {
            (op, &[operand]) if ops.contains(&op) => Some(operand),
            _ => None,
        }
    }

    fn cast(&mut self, a: Value, to: Type) -> Option<Rewrite> {
        let from = self.function.ty(a);
        if from == to {
            return Some(Rewrite::Value(a));
        }
        let (Type::Scalar(middle), Type::Scalar(last)) = (from, to) else { return None };
        if let Some(source) = self.converted(a, &[Op::Cast, Op::Bitcast])
            && let Type::Scalar(first) = self.function.ty(source)
            && self.is_cast(a, first, middle)
            && is_direct(first, middle, last)
        {
            return Some(if first == last { Rewrite::Value(source) } else { Rewrite::Op(Op::Cast, vec![source]) });
        }
        if let Some((Op::And, &[masked, mask])) = self.op_of(a)
            && middle.is_int()
            && last.is_int()
            && let Some(mask) = self.function.constant_bits(mask)
            && last.bits() <= middle.bits()
            && mask & last.mask() == last.mask()
        {
            return Some(Rewrite::Op(Op::Cast, vec![masked]));
        }
        if middle.is_int() && last == Scalar::Bool {
            let zero = self.function.constant(middle, 0);
            return Some(Rewrite::Op(Op::Ne, vec![a, zero]));
        }
        None
    }

    /// Whether a conversion means what a cast between these types does.
    fn is_cast(&self, value: Value, from: Scalar, to: Scalar) -> bool {
        let is_bitcast = self.op_of(value).is_some_and(|(op, _)| op == Op::Bitcast);
        !is_bitcast || from.is_int() && to.is_int()
    }

    fn bitcast(&mut self, a: Value, to: Type) -> Option<Rewrite> {
        if self.function.ty(a) == to {
            return Some(Rewrite::Value(a));
        }
        if let Some(source) = self.converted(a, &[Op::Bitcast]) {
            let same = self.function.ty(source) == to;
            return Some(if same { Rewrite::Value(source) } else { Rewrite::Op(Op::Bitcast, vec![source]) });
        }
        let source = self.converted(a, &[Op::Cast])?;
        match (self.function.ty(source), self.function.ty(a), to) {
            (Type::Scalar(first), Type::Scalar(middle), Type::Scalar(last))
                if first.is_int() && middle.is_int() && last.is_int() && is_direct(first, middle, last) =>
            {
                Some(if first == last { Rewrite::Value(source) } else { Rewrite::Op(Op::Cast, vec![source]) })
            }
            _ => None,
        }
    }

    /// A lane of a vector whose making is known.
    fn extract(&mut self, vector: Value, index: Value, result: Value) -> Option<Rewrite> {
        let lane = usize::try_from(self.function.constant_bits(index)?).ok()?;
        let Type::Scalar(scalar) = self.function.ty(result) else { return None };
        if lane >= self.function.ty(vector).lanes() {
            return Some(Rewrite::Value(self.function.constant(scalar, 0)));
        }
        match self.op_of(vector)? {
            (Op::Construct, lanes) => lanes.get(lane).map(|&lane| Rewrite::Value(lane)),
            (Op::Insert, &[before, at, new]) => {
                let at = self.function.constant_bits(at)?;
                Some(if at == lane as u64 {
                    Rewrite::Value(new)
                } else {
                    Rewrite::Op(Op::Extract, vec![before, index])
                })
            }
            (Op::Select, &[condition, yes, no]) => {
                let lane_of = |vector| match self.op_of(vector)? {
                    (Op::Construct, lanes) => lanes.get(lane).copied(),
                    _ => None,
                };
                Some(Rewrite::Op(Op::Select, vec![condition, lane_of(yes)?, lane_of(no)?]))
            }
            _ => None,
        }
    }

    fn insert(&mut self, vector: Value, index: Value, new: Value) -> Option<Rewrite> {
        let lane = usize::try_from(self.function.constant_bits(index)?).ok()?;
        if lane >= self.function.ty(vector).lanes() {
            return Some(Rewrite::Value(vector));
        }
        match self.op_of(vector)? {
            (Op::Construct, lanes) => {
                let mut lanes = lanes.to_vec();
                *lanes.get_mut(lane)? = new;
                Some(Rewrite::Op(Op::Construct, lanes))
            }
            (Op::Insert, &[before, at, _]) if at == index => Some(Rewrite::Op(Op::Insert, vec![before, index, new])),
            _ => None,
        }
    }

    /// All lanes of a vector in their order are the vector.
    fn construct(&self, lanes: &[Value], result: Value) -> Option<Rewrite> {
        let mut vector = None;
        for (i, &lane) in lanes.iter().enumerate() {
            let (Op::Extract, &[from, index]) = self.op_of(lane)? else { return None };
            if self.function.constant_bits(index) != Some(i as u64) || *vector.get_or_insert(from) != from {
                return None;
            }
        }
        let vector = vector?;
        (self.function.ty(vector) == self.function.ty(result)).then_some(Rewrite::Value(vector))
    }

    /// A mask that keeps all bits that a zero-extended value can have.
    fn mask_of_cast(&self, a: Value, mask: Value) -> Option<Rewrite> {
        let source = self.converted(a, &[Op::Cast])?;
        let mask = self.function.constant_bits(mask)?;
        match (self.function.ty(source), self.function.ty(a)) {
            (Type::Scalar(from), Type::Scalar(to))
                if matches!(from.kind(), Kind::Unsigned | Kind::Bool)
                    && to.is_int()
                    && from.bits() < to.bits()
                    && mask & from.mask() == from.mask() =>
            {
                Some(Rewrite::Value(a))
            }
            _ => None,
        }
    }

    /// A comparison of a `bool` as a number with a constant.
    fn compare_of_bool(&mut self, op: Op, a: Value, number: Value) -> Option<Rewrite> {
        let source = self.converted(a, &[Op::Cast])?;
        if self.function.ty(source) != Type::BOOL || !matches!(self.function.ty(a), Type::Scalar(_)) {
            return None;
        }
        let number = self.function.constant_bits(number)?;
        Some(match number {
            0 | 1 if (op == Op::Eq) == (number == 1) => Rewrite::Value(source),
            0 | 1 => Rewrite::Op(Op::Not, vec![source]),
            _ => Rewrite::Value(self.function.constant(Scalar::Bool, u64::from(op == Op::Ne))),
        })
    }
}

/// Whether every value of a type is the same number in another.
fn keeps_numbers(from: Scalar, to: Scalar) -> bool {
    match (from.kind(), to.kind()) {
        (Kind::Bool | Kind::Signed | Kind::Unsigned, Kind::Bool | Kind::Signed | Kind::Unsigned) => {
            let ((least, most), (low, high)) = (from.limits(), to.limits());
            low <= least && most <= high
        }
        (Kind::Signed | Kind::Unsigned, Kind::Float) => {
            from.bits() - u32::from(from.is_signed()) <= to.fraction_bits() + 1
        }
        (Kind::Float, Kind::Float) => from.bits() <= to.bits(),
        (Kind::Bool, Kind::Float) | (Kind::Float, Kind::Bool | Kind::Signed | Kind::Unsigned) => false,
    }
}

/// Whether a cast from the first type to the second and then to the third is, bit for bit,
/// one from the first to the third, or nothing if these are equal.
fn is_direct(first: Scalar, middle: Scalar, last: Scalar) -> bool {
    let whole = |ty: Scalar| !ty.is_float();
    if first.is_float() && last == first {
        // A NaN became the canonical one on the way.
        return false;
    }
    if last == Scalar::Bool {
        // Whether any bit is set: none may be cut off, and none may be set twice.
        return whole(first) && whole(middle) && first.bits() <= middle.bits();
    }
    if whole(first) && whole(middle) && whole(last) && middle != Scalar::Bool && last.bits() <= middle.bits() {
        return true;
    }
    if middle.is_float() && whole(last) && whole(first) {
        // Out of range is the nearest number, not the low bits.
        return keeps_numbers(first, middle) && keeps_numbers(first, last);
    }
    keeps_numbers(first, middle) && first != Scalar::Bool
        || first == Scalar::Bool && whole(middle) && whole(last) && middle != Scalar::Bool
}

#[cfg(test)]
mod tests;
