//! Values of integers as forms, exact in whole numbers.
//!
//! The form of a value is the number that it is, read as its type reads it. What wraps, and what
//! is divided or masked, becomes a quotient: `x` modulo 2³² is `x - 2³² * q`, where `q` is `x`
//! divided by 2³² and rounded down. What is not understood is an unknown of its own. A counter of
//! a loop is its first value and a multiple of the number of rounds.

use super::access::Leaving;
use super::form::Form;
use super::rows::Row;
use super::tickets::Tickets;
use crate::analysis::facts::{Condition, Facts, Given, Poly, Wrapping};
use crate::analysis::tree::{Def, Tree};
use crate::arena::Side;
use crate::ir::{Function, Inst, InstKind, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use crate::types::{Scalar, Type, Types};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many operands are looked through; what is further away is not understood.
pub(super) const MAX_DEPTH: usize = 64;
/// A value may depend on so many conditions of the launch, one bit each.
const MAX_NEEDS: usize = 64;

/// What an unknown of a form stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Unknown {
    /// The local id on an axis.
    Local(usize),
    /// The workgroup's id on an axis.
    Group(usize),
    /// The number of workgroups on an axis.
    Groups(usize),
    /// The number of elements of a buffer.
    Len(u32),
    /// A value.
    Value(Value),
    /// How often a loop has come round.
    Round(Inst),
    /// A form divided by a positive number and rounded down.
    Quotient(Form, i128),
    /// A digit of an unknown: it divided by one number, and of that the remainder by how often this
    /// number is in another one.
    Digit(u32, i128, i128),
    /// A form that is not negative, divided by a positive one and rounded down.
    Ratio(Form, Form),
}

/// A form and the conditions on the launch that it rests on, one bit each.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) form: Form,
    pub(super) needs: u64,
}

/// What is known of a kernel before values are looked at.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) types: &'a Types,
    pub(super) function: &'a Function,
    pub(super) tree: &'a Tree,
    pub(super) leaving: &'a Leaving,
    pub(super) facts: &'a Facts,
    pub(super) uniform: &'a Side<ValueDef, bool>,
    pub(super) tickets: &'a Tickets,
    /// What the kernel requires of its launches.
    pub(super) given: &'a Given,
}

/// Finds the forms of a kernel's values.
pub(super) struct Values<'a> {
    pub(super) types: &'a Types,
    pub(super) function: &'a Function,
    pub(super) tree: &'a Tree,
    pub(super) leaving: &'a Leaving,
    pub(super) facts: &'a Facts,
    pub(super) uniform: &'a Side<ValueDef, bool>,
    pub(super) tickets: &'a Tickets,
    pub(super) given: &'a Given,
    /// Whether conditions on the launch may be relied on.
    pub(super) assumes: bool,
    /// Whether counters of loops are made of rounds; else they are unknowns.
    pub(super) counts: bool,
    pub(super) conditions: Vec<Condition>,
    unknowns: Vec<Unknown>,
    numbers: HashMap<Unknown, u32>,
    known: HashMap<Value, Known>,
    /// The values whose forms are being made.
    open: HashSet<Value>,
    /// What is known of some unknowns besides their ranges; each form is at least zero under some
    /// conditions on the launch.
    pub(super) rules: BTreeMap<u32, Vec<(Form, u64)>>,
    /// The unknowns that are `a ^ b`, with the forms of both, where `b` is uniform.
    pub(super) flips: BTreeMap<u32, (Form, Form)>,
    /// The rows that accesses may be within.
    pub(super) rows: HashMap<Inst, Vec<Row>>,
    /// Whether a value is the same in the whole launch.
    pub(super) everywhere: HashMap<Value, bool>,
}

impl<'a> Values<'a> {
    pub(super) fn new(parts: Parts<'a>, assumes: bool, counts: bool) -> Self {
        let Parts { types, function, tree, leaving, facts, uniform, tickets, given } = parts;
        Self {
            types,
            function,
            tree,
            leaving,
            facts,
            uniform,
            tickets,
            given,
            assumes,
            counts,
            conditions: Vec::new(),
            unknowns: Vec::new(),
            numbers: HashMap::new(),
            known: HashMap::new(),
            open: HashSet::new(),
            rules: BTreeMap::new(),
            flips: BTreeMap::new(),
            rows: HashMap::new(),
            everywhere: HashMap::new(),
        }
    }

    /// Every number by which an unknown is divided, in order, of those that divide the next one.
    pub(super) fn divisors(&self, unknown: u32) -> Vec<i128> {
        let own = Form::unknown(unknown);
        let by = self.unknowns.iter().filter_map(|known| match known {
            Unknown::Quotient(form, by) if *form == own => Some(*by),
            _ => None,
        });
        let all: BTreeSet<i128> = by.collect();
        let mut chain = vec![1];
        for by in all {
            if chain.last().is_some_and(|last| by % last == 0) {
                chain.push(by);
            }
        }
        chain
    }

    /// What an unknown stands for.
    pub(super) fn unknown(&self, number: u32) -> &Unknown {
        &self.unknowns[number as usize]
    }

    pub(super) fn number(&mut self, unknown: Unknown) -> u32 {
        if let Some(&number) = self.numbers.get(&unknown) {
            return number;
        }
        let number = self.unknowns.len() as u32;
        self.unknowns.push(unknown.clone());
        self.numbers.insert(unknown, number);
        number
    }

    /// The form that is one unknown.
    pub(super) fn alone(&mut self, unknown: Unknown) -> Form {
        Form::unknown(self.number(unknown))
    }

    /// The form of a value; `None` of what is no integer or condition.
    pub(super) fn of(&mut self, value: Value) -> Option<Known> {
        matches!(self.function.ty(value), Type::Scalar(ty) if !ty.is_float()).then(|| self.at_depth(value, 0))
    }

    pub(super) fn at_depth(&mut self, value: Value, depth: usize) -> Known {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        // What is asked for on the way to itself is an unknown there.
        if !self.open.insert(value) {
            return plain(self.alone(Unknown::Value(value)));
        }
        let made = if depth < MAX_DEPTH { self.make(value, depth + 1) } else { None };
        self.open.remove(&value);
        let known = made.unwrap_or_else(|| Known { form: self.alone(Unknown::Value(value)), needs: 0 });
        self.known.insert(value, known.clone());
        known
    }

    /// What an index is wherever it is in bounds. The least of 64 bits and the greatest `u32` is the 64 bits
    /// there, since nothing has an element of that number.
    pub(super) fn index(&self, index: Value) -> Value {
        let function = self.function;
        let most = |value| function.constant_bits(value) == Some(u32::MAX.into());
        let wide = |cut| match self.tree.op(function, cut) {
            Some((Op::Min, &[a, b])) if most(b) => Some(a),
            Some((Op::Min, &[a, b])) if most(a) => Some(b),
            _ => None,
        };
        match self.tree.op(function, index) {
            Some((Op::Cast, &[cut])) if function.ty(cut) == Type::U64 => wide(cut).unwrap_or(index),
            _ => index,
        }
    }

    fn scalar(&self, value: Value) -> Option<Scalar> {
        match self.function.ty(value) {
            Type::Scalar(ty) if ty.is_int() => Some(ty),
            _ => None,
        }
    }

    fn make(&mut self, value: Value, depth: usize) -> Option<Known> {
        let ty = self.scalar(value)?;
        let function = self.function;
        if let Some(bits) = function.constant_bits(value) {
            return Some(Known { form: Form::constant(read(ty, bits)), needs: 0 });
        }
        let inst = match self.tree.def(value) {
            Def::Constant | Def::Argument(_) => return None,
            Def::Param(inst, i) => return self.counter(value, inst, i, ty, depth),
            Def::Result(inst, _) => inst,
        };
        match &function.insts[inst].kind {
            InstKind::Len(Root::Param(param)) => Some(plain(self.alone(Unknown::Len(*param)))),
            InstKind::Builtin(builtin) => self.builtin(*builtin).map(plain),
            InstKind::Op(op, args) => self.op(inst, *op, args, ty, depth),
            InstKind::If { then, otherwise, .. } => {
                let Def::Result(_, i) = self.tree.def(value) else { return None };
                let (one, other) = (*function.yielded(*then)?.get(i)?, *function.yielded(*otherwise)?.get(i)?);
                let (one, other) = (self.at_depth(one, depth), self.at_depth(other, depth));
                (one.form == other.form).then_some(Known { needs: one.needs | other.needs, ..one })
            }
            _ => None,
        }
    }

    fn builtin(&mut self, builtin: Builtin) -> Option<Form> {
        if !self.function.is_kernel() {
            return None;
        }
        let size = self.function.workgroup_size().map(i128::from);
        let axis = builtin.axis().unwrap_or(0);
        match builtin {
            Builtin::LocalIdX | Builtin::LocalIdY | Builtin::LocalIdZ => Some(self.local(axis)),
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => {
                Some(self.alone(Unknown::Group(axis)))
            }
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => {
                Some(self.alone(Unknown::Groups(axis)))
            }
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => {
                let group = self.alone(Unknown::Group(axis));
                self.local(axis).plus(&group, size[axis])
            }
            Builtin::LocalIndex => self.local_index(),
            Builtin::SubgroupId => self.local_index().and_then(|form| self.quotient(form, SUBGROUP_SIZE.into())),
            Builtin::SubgroupLane => self.local_index().and_then(|form| self.remainder(form, SUBGROUP_SIZE.into())),
            Builtin::NumSubgroups => None,
        }
    }

    /// The form that is zero where a condition holds, if that is that the first lane of a subgroup was
    /// chosen. All lanes come there together, so it is the first one of all.
    pub(super) fn elected(&mut self, condition: Value) -> Option<Form> {
        let inst = self.tree.inst_of(condition)?;
        let is_elect = matches!(self.function.insts[inst].kind, InstKind::Subgroup(SubgroupOp::Elect, _));
        if is_elect { self.builtin(Builtin::SubgroupLane) } else { None }
    }

    /// The local id on an axis; 0 on one of a single invocation.
    fn local(&mut self, axis: usize) -> Form {
        match self.function.workgroup_size()[axis] {
            0 | 1 => Form::constant(0),
            _ => self.alone(Unknown::Local(axis)),
        }
    }

    fn local_index(&mut self) -> Option<Form> {
        let size = self.function.workgroup_size().map(i128::from);
        let [x, y, z] = [0, 1, 2].map(|axis| self.local(axis));
        x.plus(&y, size[0])?.plus(&z, size[0] * size[1])
    }

    fn op(&mut self, inst: Inst, op: Op, args: &[Value], ty: Scalar, depth: usize) -> Option<Known> {
        let mut needs = 0;
        let mut forms = Vec::with_capacity(args.len());
        for &arg in args {
            // A condition, a float and a vector have no form.
            let known = self.scalar(arg).map(|_| self.at_depth(arg, depth));
            needs |= known.as_ref().map_or(0, |known| known.needs);
            forms.push(known.map(|known| known.form));
        }
        // A number without a sign is at least zero, whatever is known of its parts.
        let is_natural = |form: &Form, this: &Self| !ty.is_signed() || this.range(form).0 >= 0;
        let form = match (op, forms.as_slice(), args) {
            (Op::Add | Op::Or | Op::Xor, [Some(a), Some(b)], &[x, y]) if self.are_apart(inst, x, y, ty) => a.add(b)?,
            (Op::Add, [Some(a), Some(b)], _) => self.exact(inst, a.add(b)?, ty, &mut needs, depth)?,
            (Op::Sub, [Some(a), Some(b)], _) => self.exact(inst, a.sub(b)?, ty, &mut needs, depth)?,
            (Op::Mul, [Some(a), Some(b)], _) => self.exact(inst, a.mul(b)?, ty, &mut needs, depth)?,
            (Op::Neg, [Some(a)], _) => self.wrapped(a.times(-1)?, ty)?,
            (Op::Not, [Some(a)], _) => {
                let all = if ty.is_signed() { -1 } else { i128::from(ty.mask()) };
                Form::constant(all).sub(a)?
            }
            (Op::Shl, [Some(a), Some(b)], _) => {
                let count = b.as_constant()?.rem_euclid(ty.bits().into());
                let shifted = a.times(1 << count)?;
                let most = args.first().map_or(u64::MAX, |&arg| self.facts.at(inst, arg).most);
                let fits = !ty.is_signed() && most <= ty.mask() >> count;
                if fits { shifted } else { self.wrapped(shifted, ty)? }
            }
            (Op::Shr, [Some(a), Some(b)], _) => {
                let count = b.as_constant()?.rem_euclid(ty.bits().into());
                self.quotient(a.clone(), 1 << count)?
            }
            (Op::Div | Op::DivEuclid, [Some(a), Some(b)], &[_, y]) => match b.as_constant() {
                Some(by) if by > 0 && is_natural(a, self) => self.quotient(a.clone(), by)?,
                Some(_) => return None,
                None if is_natural(a, self) && is_natural(b, self) => self.ratio(inst, [a, b], y, &mut needs)?,
                None => return None,
            },
            (Op::Rem | Op::Mod | Op::RemEuclid, [Some(a), Some(b)], &[_, y]) => match b.as_constant() {
                Some(by) if by > 0 && is_natural(a, self) => self.remainder(a.clone(), by)?,
                Some(_) => return None,
                None if is_natural(a, self) && is_natural(b, self) => {
                    a.sub(&self.ratio(inst, [a, b], y, &mut needs)?.mul(b)?)?
                }
                None => return None,
            },
            (Op::And, [Some(a), Some(b)], &[x, y]) => self.masked(inst, [a, b], [x, y], ty, needs)?,
            (Op::Xor, [Some(a), Some(b)], &[x, y]) if !ty.is_signed() => self.flipped(inst, [a, b], [x, y], needs)?,
            (Op::Or, [Some(a), Some(b)], _) if !ty.is_signed() => {
                self.between(inst, needs, |own| Some(vec![own.sub(a)?, own.sub(b)?, a.add(b)?.sub(own)?]))?
            }
            (Op::Min, [Some(a), Some(b)], _) | (Op::Max, [Some(b), Some(a)], _)
                if self.range(a).1 <= self.range(b).0 =>
            {
                if op == Op::Min {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            (Op::Min, [Some(b), Some(a)], _) | (Op::Max, [Some(a), Some(b)], _)
                if self.range(a).1 <= self.range(b).0 =>
            {
                if op == Op::Min {
                    a.clone()
                } else {
                    b.clone()
                }
            }
            (Op::Min, [Some(a), Some(b)], _) => {
                self.between(inst, needs, |own| Some(vec![a.sub(own)?, b.sub(own)?]))?
            }
            (Op::Max, [Some(a), Some(b)], _) => {
                self.between(inst, needs, |own| Some(vec![own.sub(a)?, own.sub(b)?]))?
            }
            (Op::SubSat, [Some(a), Some(b)], _) if !ty.is_signed() => {
                self.between(inst, needs, |own| Some(vec![a.sub(own)?, own.sub(a)?.add(b)?]))?
            }
            (Op::Select, [_, Some(a), Some(b)], _) if a == b => a.clone(),
            (Op::Cast | Op::Bitcast, [Some(a)], _) => self.wrapped(a.clone(), ty)?,
            _ => return None,
        };
        Some(Known { form, needs })
    }

    /// Whether no bit can be one in both values.
    fn are_apart(&self, inst: Inst, x: Value, y: Value, ty: Scalar) -> bool {
        let zeros = self.facts.at(inst, x).zeros | self.facts.at(inst, y).zeros;
        !ty.is_signed() && !zeros & ty.mask() == 0
    }

    /// A sum, difference or product, of which the facts may know that it does not wrap.
    fn exact(&mut self, inst: Inst, form: Form, ty: Scalar, needs: &mut u64, depth: usize) -> Option<Form> {
        let (least, most) = self.range(&form);
        let (low, high) = ty.limits();
        if low <= least && most <= high {
            return Some(form);
        }
        let ends = (low, high);
        let known = match self.facts.wrapping(inst) {
            Wrapping::Never => return Some(form),
            _ if self.is_within(inst, &form, ends, *needs, depth) => return Some(form),
            Wrapping::Unless(condition) => Some(&**condition),
            Wrapping::Possible => None,
        };
        if self.assumes {
            let found = self.within_if(inst, &form, ends, *needs, depth);
            // Of two conditions the weaker one, if they can be compared; that of the facts knows guards.
            let rest = |condition: &Condition| condition.right.sub(&condition.left);
            let is_weaker = |one: &Condition, other: &Condition| {
                rest(other).zip(rest(one)).is_some_and(|(other, one)| other.at_most(&one))
            };
            let condition = match (known, found.as_ref()) {
                (Some(known), Some(found)) if is_weaker(found, known) => Some(found),
                (Some(known), _) => Some(known),
                (None, found) => found,
            };
            if let Some(condition) = condition {
                *needs |= self.need(condition)?;
                return Some(form);
            }
        }
        self.wrapped(form, ty)
    }

    /// The bit of a condition, if conditions may be relied on.
    pub(super) fn assume(&mut self, condition: &Condition) -> Option<u64> {
        if self.assumes { self.need(condition) } else { None }
    }

    /// The bit of a condition.
    pub(super) fn need(&mut self, condition: &Condition) -> Option<u64> {
        let at = self.conditions.iter().position(|known| known == condition).unwrap_or(self.conditions.len());
        if at == self.conditions.len() {
            self.conditions.push(condition.clone());
        }
        (at < MAX_NEEDS).then(|| 1 << at)
    }

    /// Whether there may be more conditions than there are bits for them.
    pub(super) fn is_full(&self) -> bool {
        self.conditions.len() >= MAX_NEEDS
    }

    /// The number of a type that is congruent to a form.
    pub(super) fn wrapped(&mut self, form: Form, ty: Scalar) -> Option<Form> {
        let (low, high) = ty.limits();
        let fits = |(least, most): (i128, i128)| low <= least && most <= high;
        if fits(self.range(&form)) {
            return Some(form);
        }
        let modulus = 1 << ty.bits();
        let form = form.reduced(modulus);
        if fits(self.range(&form)) {
            return Some(form);
        }
        let rounds = self.quotient(form.shifted(-low)?, modulus)?;
        form.plus(&rounds, -modulus)
    }

    /// A form divided by a positive number and rounded down.
    fn quotient(&mut self, form: Form, by: i128) -> Option<Form> {
        let (whole, rest) = form.split(|_, value| value % by == 0);
        let (whole, rest) = (whole.divided(by).shifted(rest.constant.div_euclid(by))?, {
            let constant = rest.constant.rem_euclid(by);
            Form { constant, ..rest }
        });
        let (least, most) = self.range(&rest);
        if 0 <= least && most < by {
            return Some(whole);
        }
        if let ([(product, 1)], 0) = (rest.terms.as_slice(), rest.constant)
            && let &[unknown] = product.as_slice()
            && let Unknown::Quotient(inner, divisor) = self.unknown(unknown).clone()
            && let Some(both) = divisor.checked_mul(by).filter(|both| *both < 1 << 64)
        {
            let quotient = self.quotient(inner, both)?;
            return whole.add(&quotient);
        }
        let quotient = self.alone(Unknown::Quotient(rest, by));
        whole.add(&quotient)
    }

    /// A form divided by another one, which may have to be a number of the launch that is not zero.
    fn ratio(&mut self, inst: Inst, [a, b]: [&Form; 2], divisor: Value, needs: &mut u64) -> Option<Form> {
        if self.facts.at(inst, divisor).least == 0 && self.range(b).0 <= 0 {
            let positive = self.poly(b)?.add(&Poly::constant(-1))?;
            *needs |= self.assume(&Condition::natural(&positive)?)?;
        }
        Some(self.alone(Unknown::Ratio(a.clone(), b.clone())))
    }

    fn remainder(&mut self, form: Form, by: i128) -> Option<Form> {
        let quotient = self.quotient(form.clone(), by)?;
        form.plus(&quotient, -by)
    }

    /// The bits of one operand that another one, a constant, lets through.
    fn masked(&mut self, inst: Inst, [a, b]: [&Form; 2], [x, y]: [Value; 2], ty: Scalar, needs: u64) -> Option<Form> {
        let constant = |value| self.function.constant_bits(value);
        let (form, mask) = match (constant(x), constant(y)) {
            (_, Some(mask)) => (a, mask),
            (Some(mask), _) => (b, mask),
            (None, None) if !ty.is_signed() => {
                return self.between(inst, needs, |own| Some(vec![a.sub(own)?, b.sub(own)?]));
            }
            (None, None) => return None,
        };
        let skipped = mask.trailing_zeros();
        let kept = (mask >> skipped.min(63)).trailing_ones();
        if mask == 0
            || mask != ty.mask() && mask >> skipped >> kept.min(63) != 0
            || ty.is_signed() && self.range(form).0 < 0
        {
            return None;
        }
        let high = self.quotient(form.clone(), 1 << skipped)?;
        self.remainder(high, 1 << kept)?.times(1 << skipped)
    }

    fn flipped(&mut self, inst: Inst, [a, b]: [&Form; 2], [x, y]: [Value; 2], needs: u64) -> Option<Form> {
        let is_alike = |value: Value| self.function.constant_bits(value).is_some() || self.uniform[value];
        let pair = match (is_alike(x), is_alike(y)) {
            (_, true) => Some((a.clone(), b.clone())),
            (true, false) => Some((b.clone(), a.clone())),
            (false, false) => None,
        };
        // No more than the sum, and no less than the difference.
        let rules = |own: &Form| Some(vec![a.add(b)?.sub(own)?, own.sub(a)?.add(b)?, own.sub(b)?.add(a)?]);
        let own = self.between(inst, needs, rules)?;
        if let Some(pair) = pair {
            self.flips.extend(own.unknowns().map(|unknown| (unknown, pair.clone())));
        }
        Some(own)
    }

    /// An unknown of which some rules hold.
    fn between(&mut self, inst: Inst, needs: u64, rules: impl FnOnce(&Form) -> Option<Vec<Form>>) -> Option<Form> {
        let own = self.alone(Unknown::Value(*self.function.insts[inst].results.first()?));
        let rules: Vec<(Form, u64)> = rules(&own)?.into_iter().map(|rule| (rule, needs)).collect();
        self.rules.extend(own.unknowns().map(|unknown| (unknown, rules.clone())));
        Some(own)
    }
}

pub(super) fn plain(form: Form) -> Known {
    Known { form, needs: 0 }
}

/// The number that bits are.
pub(super) fn read(ty: Scalar, bits: u64) -> i128 {
    if ty.is_signed() { crate::scalar::signed(ty, bits).into() } else { (bits & ty.mask()).into() }
}
