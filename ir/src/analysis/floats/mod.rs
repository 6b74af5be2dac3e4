//! What is known of floats: whether a value can be NaN, an infinity, subnormal or zero, its
//! sign, and between which powers of two its magnitude lies.
//!
//! A forward dataflow over structured SSA. Nothing is assumed of a value at first, and what it
//! may be only ever grows, until nothing changes. Where spans of magnitudes keep growing in a
//! loop, they are widened; a loop that takes too many rounds even so may give any float.
//!
//! Facts hold for what the table of ops says. An op that a device may compute as it pleases
//! ([`Function::is_loose`]) gives any float here.
//!
//! Parts: `classes` is the domain of classes, `known` adds magnitudes, and `transfer` says what
//! ops do to both.

mod classes;
mod known;
#[cfg(test)]
mod tests;
mod transfer;

pub use classes::Classes;

use super::facts::Facts;
use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, Place, Region, Root, Value, ValueDef};
use crate::ops::{Op, Signature};
use crate::scalar::{CastRule, cast_rule};
use crate::types::{Scalar, Type};
use known::Known;
use std::collections::HashMap;

/// After so many rounds a span that still grows is widened.
const WIDENING: usize = 3;
/// After so many rounds parameters that still change may be any float.
const MAX_ROUNDS: usize = 16;

/// What is known of every float of a function.
///
/// ```
/// use samebits_ir::analysis::{facts::Facts, floats::{Classes, Floats}};
/// use samebits_ir::{builder::Builder, ops::{Builtin, Op}, types::{Scalar, Type, Types}};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// let i = b.builtin(Builtin::LocalIdX);
/// let x = b.op_to(Op::Cast, &[i], Type::F32);
/// let third = b.constant(Scalar::F32, 0x3eaa_aaab);
/// let product = b.op(Op::Mul, &[x, third]);
/// b.ret();
/// let function = b.finish();
/// let floats = Floats::of(&function, &Facts::of(&Types::default(), &function));
/// assert_eq!(floats.at(product), Classes::ZEROS.union(Classes::NORMALS).and(Classes::POSITIVE));
/// // From 1 / 3 to 21.
/// assert_eq!(floats.exponents(product), Some((-2, 4)));
/// ```
#[derive(Clone, Debug)]
pub struct Floats {
    known: Side<ValueDef, Option<Known>>,
}

impl Floats {
    /// Looks at a function in SSA form without calls, of which these are the facts.
    ///
    /// ```
    /// use samebits_ir::analysis::{facts::Facts, floats::{Classes, Floats}};
    /// use samebits_ir::{builder::Builder, types::{Type, Types}};
    /// let mut b = Builder::new("k", [64, 1, 1]);
    /// let x = b.scalar("x", Type::F32);
    /// b.ret();
    /// let function = b.finish();
    /// let floats = Floats::of(&function, &Facts::of(&Types::default(), &function));
    /// assert_eq!(floats.at(x), Classes::ANY);
    /// ```
    pub fn of(function: &Function, facts: &Facts) -> Self {
        let tables = HashMap::new();
        let mut walk = Walk { function, facts, known: Side::new(None), tables, widening: false, changed: false };
        for (value, def) in function.values.iter() {
            walk.known[value] = match (def.ty, def.constant) {
                (Type::Scalar(ty), Some(bits)) if ty.is_float() => Some(Known::constant(ty, bits)),
                _ => def.ty.lane().filter(|ty| ty.is_float()).map(|_| Known::NOTHING),
            };
        }
        walk.grow_to_any(&function.regions[function.body].params);
        for round in 0.. {
            walk.changed = false;
            walk.widening = round >= WIDENING;
            walk.region(function.body);
            if !walk.changed {
                break;
            }
            if round == MAX_ROUNDS {
                walk.give_up();
            }
        }
        Self { known: walk.known }
    }

    /// What a float may be, or each lane of a vector of floats, wherever it is visible. Any
    /// float for a value of another type; none for one that no invocation computes.
    ///
    /// ```
    /// # use samebits_ir::analysis::{facts::Facts, floats::{Classes, Floats}};
    /// # use samebits_ir::{builder::Builder, ops::Op, types::{Type, Types}};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// # let x = b.scalar("x", Type::F32);
    /// let magnitude = b.op(Op::Abs, &[x]);
    /// # b.ret();
    /// # let function = b.finish();
    /// # let floats = Floats::of(&function, &Facts::of(&Types::default(), &function));
    /// assert_eq!(floats.at(magnitude), Classes::POSITIVE.union(Classes::NAN));
    /// ```
    pub fn at(&self, value: Value) -> Classes {
        self.known[value].map_or(Classes::ANY, |known| known.classes)
    }

    /// The least and the greatest exponent that a float has where it is finite and not zero:
    /// its magnitude is at least two to the power of the one, and less than twice two to the
    /// power of the other. `None` if it is no such number.
    ///
    /// ```
    /// # use samebits_ir::analysis::{facts::Facts, floats::Floats};
    /// # use samebits_ir::{builder::Builder, types::{Scalar, Types}};
    /// # let mut b = Builder::new("k", [64, 1, 1]);
    /// let three = b.constant(Scalar::F32, 0x4040_0000);
    /// # b.ret();
    /// # let function = b.finish();
    /// # let floats = Floats::of(&function, &Facts::of(&Types::default(), &function));
    /// assert_eq!(floats.exponents(three), Some((1, 1)));
    /// ```
    pub fn exponents(&self, value: Value) -> Option<(i32, i32)> {
        let span = self.known[value]?.span;
        (!span.is_empty()).then_some((span.low, span.high))
    }
}

struct Walk<'a> {
    function: &'a Function,
    facts: &'a Facts,
    /// What is not ruled out; only ever becomes more. `None` for what is no float.
    known: Side<ValueDef, Option<Known>>,
    /// What the loads from tables may give, by the table, the offset, the step and the type.
    tables: HashMap<(u32, u32, u32, Type), Known>,
    widening: bool,
    changed: bool,
}

impl Walk<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        let function = self.function;
        for &inst in &function.regions[region].insts {
            let def = &function.insts[inst];
            match &def.kind {
                InstKind::Op(op, args) => {
                    if let &[result] = def.results.as_slice()
                        && let Some(ty) = self.float(result)
                    {
                        let known = if moves_bits(*op) || !function.is_loose(inst) {
                            self.op(inst, *op, args, ty, result)
                        } else {
                            Known::any(ty)
                        };
                        self.grow(result, known);
                    }
                }
                InstKind::Load(place) => {
                    for &result in &def.results {
                        if let Some(ty) = self.float(result) {
                            let known = self.looked_up(place, function.ty(result), ty);
                            self.grow(result, known.unwrap_or(Known::any(ty)));
                        }
                    }
                }
                InstKind::Atomic(..) | InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Subgroup(..) => {
                    self.grow_to_any(&def.results);
                }
                InstKind::Call { .. } | InstKind::Get(_) => self.grow_to_any(&def.results),
                InstKind::Store(..) | InstKind::Barrier | InstKind::Fence(..) | InstKind::Set(..) => {}
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in def.kind.regions() {
                        self.region(inner);
                        self.pass(function.yielded(inner).unwrap_or_default(), &def.results);
                    }
                }
                InstKind::Loop { body, initial, .. } => {
                    self.pass(initial, &function.regions[*body].params);
                    self.region(*body);
                }
                InstKind::Break(target, args) => self.pass(args, &function.insts[*target].results),
                InstKind::Continue(target, args) => {
                    if let InstKind::Loop { body, .. } = function.insts[*target].kind {
                        self.pass(args, &function.regions[body].params);
                    }
                }
                InstKind::Yield(_) | InstKind::Return(_) | InstKind::Unreachable => {}
            }
        }
    }

    /// The type of a value's lanes, if they are floats.
    fn float(&self, value: Value) -> Option<Scalar> {
        self.function.ty(value).lane().filter(|ty| ty.is_float())
    }

    fn grow(&mut self, value: Value, known: Known) {
        let (Some(before), Some(ty)) = (self.known[value], self.float(value)) else { return };
        let mut now = before.or(known);
        if now != before {
            if self.widening && !before.span.is_empty() {
                now.span = transfer::widened(ty, before.span, now.span);
            }
            self.known[value] = Some(now);
            self.changed = true;
        }
    }

    fn grow_to_any(&mut self, values: &[Value]) {
        for &value in values {
            if let Some(ty) = self.float(value) {
                self.grow(value, Known::any(ty));
            }
        }
    }

    /// Values that become others where control merges.
    fn pass(&mut self, from: &[Value], to: &[Value]) {
        for (&from, &to) in from.iter().zip(to) {
            if let Some(known) = self.known[from] {
                self.grow(to, known);
            }
        }
    }

    /// What goes round in loops may be any float; the rest follows.
    fn give_up(&mut self) {
        let function = self.function;
        for (_, def) in function.insts.iter() {
            if let InstKind::Loop { body, .. } = def.kind {
                self.grow_to_any(&function.regions[body].params);
            }
        }
    }

    /// What is known of a float here; any if it is of another type than it should be.
    fn of(&self, value: Value, ty: Scalar) -> Known {
        self.known[value].filter(|_| self.float(value) == Some(ty)).unwrap_or(Known::any(ty))
    }

    fn op(&self, inst: Inst, op: Op, args: &[Value], ty: Scalar, result: Value) -> Known {
        let any = Known::any(ty);
        let Some(&first) = args.first() else { return any };
        let each = |args: &[Value]| args.iter().fold(Known::NOTHING, |all, &arg| all.or(self.of(arg, ty)));
        match op.info().signature {
            Signature::Select => each(args.get(1..).unwrap_or_default()),
            Signature::Construct => each(args),
            Signature::Extract => {
                let index = args.get(1).and_then(|&index| self.function.constant_bits(index));
                let within = index.is_some_and(|index| index < self.function.ty(first).lanes() as u64);
                let lanes = self.of(first, ty);
                if within { lanes } else { lanes.or(Known::constant(ty, 0)) }
            }
            Signature::Insert => self.of(first, ty).or(args.get(2).map_or(any, |&lane| self.of(lane, ty))),
            Signature::Bitcast => self.read(inst, first, ty),
            Signature::Cast => self.cast(inst, first, self.function.ty(result), ty),
            Signature::Lanes(..) if self.float(first) == Some(ty) => {
                // Only an op all of whose operands are such floats has a rule.
                let known: Option<Vec<Known>> = args.iter().map(|&arg| self.known[arg]).collect();
                match known {
                    // Nobody has come to an operand yet.
                    Some(known) if known.iter().any(|known| known.classes == Classes::NONE) => Known::NOTHING,
                    Some(known) => transfer::op(op, ty, &known),
                    None => any,
                }
            }
            Signature::Fixed(..) if op == Op::UnpackHalf => transfer::cast(Scalar::F16, ty, Known::any(Scalar::F16)),
            Signature::Lanes(..) | Signature::Fixed(..) | Signature::Reduce => any,
        }
    }

    /// What the bits of another type are.
    fn read(&self, inst: Inst, value: Value, ty: Scalar) -> Known {
        match self.float(value) {
            Some(from) => self.of(value, from),
            None => {
                let fact = self.facts.at(inst, value);
                if fact.least > fact.most { Known::any(ty) } else { Known::between(ty, fact.least, fact.most) }
            }
        }
    }

    fn cast(&self, inst: Inst, value: Value, to: Type, ty: Scalar) -> Known {
        let from = self.function.ty(value);
        match (cast_rule(from, to), from.lane()) {
            (Some(CastRule::Identity), _) => self.of(value, ty),
            (Some(CastRule::FloatToFloat), Some(from)) => transfer::cast(from, ty, self.of(value, from)),
            (Some(CastRule::IntToFloat), Some(from)) => {
                let fact = self.facts.at(inst, value);
                let (low, high) = if from.is_signed() {
                    (i128::from(fact.low), i128::from(fact.high))
                } else {
                    (i128::from(fact.least), i128::from(fact.most))
                };
                let unit = fact.trailing_zeros(from).min(from.bits() - 1);
                if low > high { Known::any(ty) } else { transfer::of_integer(ty, low, high, unit) }
            }
            _ => Known::any(ty),
        }
    }

    /// What a load from a table may give.
    fn looked_up(&mut self, place: &Place, ty: Type, lane: Scalar) -> Option<Known> {
        let Root::Table(index) = place.root else { return None };
        let table = self.function.tables.get(index as usize)?;
        let key = (index, place.offset, place.step(), ty);
        let known = self.tables.entry(key).or_insert_with(|| {
            let values = table.looked_up(ty, place.offset, place.step());
            let lanes = values.flat_map(|lanes| lanes.into_iter().take(ty.lanes()));
            lanes.fold(Known::NOTHING, |known, bits| known.or(Known::constant(lane, bits)))
        });
        Some(*known)
    }
}

/// Whether an op gives bits that it was given, on every device.
fn moves_bits(op: Op) -> bool {
    matches!(
        op.info().signature,
        Signature::Select | Signature::Construct | Signature::Extract | Signature::Insert | Signature::Bitcast
    )
}
