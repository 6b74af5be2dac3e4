//! Two accesses by two invocations: whether they can have a byte in common.
//!
//! The unknowns of both accesses are told apart, except those that are one number for both. Then
//! the difference of the two addresses, the conditions on the way to both, and that the
//! invocations are two, make a [`System`], which must have no solution.

use super::access::Access;
use super::form::{Form, gcd};
use super::phases::Meeting;
use super::rows::Row;
use super::system::System;
use super::tickets::Element;
use super::values::{Known, Unknown, Values, read};
use crate::analysis::facts::Condition;
use crate::analysis::tree::Tree;
use crate::ir::{Function, Root, Value};
use crate::ops::Op;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Of so many numbers it is asked how often they wrap around.
const MAX_WRAPS: usize = 8;
/// How often a case is split by the sign of a factor.
const MAX_SPLITS: usize = 3;

/// Which two invocations may meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    /// Two of one workgroup.
    Group(Meeting),
    /// Two of different workgroups, which can differ on some axes.
    Grid([bool; 3]),
}

/// Which of the two an unknown belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Both,
    First,
    Second,
}

/// What the comparison of two accesses comes to.
#[derive(Clone, Debug)]
pub(super) struct Compared {
    /// The axes on which invocations that differ there may meet.
    pub(super) open: Vec<usize>,
    /// The conditions on the launch that the rest depends on.
    pub(super) needs: u64,
}

/// Compares two accesses of one root, where each is within some rows.
pub(super) fn compare(
    values: &mut Values<'_>,
    (first, second): (&Access<'_>, &Access<'_>),
    at: Where,
    rows: [&[Row]; 2],
) -> Compared {
    let mut pair =
        Pair { values, at, numbers: BTreeMap::new(), sides: Vec::new(), system: System::default(), needs: 0 };
    let all = Compared { open: pair.axes(), needs: 0 };
    let Some(overlap) = pair.state(first, second) else { return all };
    pair.within(rows);
    let symmetric = first.inst == second.inst && !matches!(at, Where::Group(Meeting { later: Some(_), .. }));
    // An access meets itself, as long as nothing says that the invocations are two.
    if overlap == Overlap::Never || !symmetric && pair.system.is_refuted() {
        return Compared { open: Vec::new(), needs: pair.needs };
    }
    if pair.have_other_tickets(symmetric) {
        return Compared { open: Vec::new(), needs: pair.needs };
    }
    pair.tell_distinct(symmetric);
    let mut open: Vec<usize> = pair.axes();
    open.retain(|&axis| !pair.is_disjoint_on(axis, symmetric));
    if !open.is_empty() && pair.settle() {
        open.retain(|&axis| !pair.is_disjoint_on(axis, symmetric));
    }
    Compared { open, needs: pair.needs }
}

/// Whether a launch that satisfies these conditions, and has one workgroup on these axes, may come to an access, which may be
/// out of bounds. The conditions around it may say otherwise.
pub(super) fn may_come_to(
    values: &mut Values<'_>,
    access: &Access<'_>,
    conditions: &[Condition],
    axes: &[usize],
) -> bool {
    let at = Where::Grid([false; 3]);
    let mut pair =
        Pair { values, at, numbers: BTreeMap::new(), sides: Vec::new(), system: System::default(), needs: 0 };
    pair.way_to(access, Side::First);
    let mut rests = pair.values.required();
    for condition in conditions {
        let rest = condition.right.sub(&condition.left);
        rests.extend(rest.and_then(|rest| pair.values.form_of(&rest)));
    }
    for rest in rests {
        let rest = pair.on(&rest, Side::First);
        pair.system.natural(rest);
    }
    for &axis in axes {
        let id = pair.values.alone(Unknown::Group(axis));
        let id = pair.on(&id, Side::First);
        pair.system.zero(id);
    }
    !pair.system.is_refuted()
}

/// Whether two places can have bytes in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Overlap {
    Never,
    Maybe,
}

struct Pair<'v, 'a> {
    values: &'v mut Values<'a>,
    at: Where,
    numbers: BTreeMap<(u32, Side), u32>,
    /// What each number of the system stands for.
    sides: Vec<(u32, Side)>,
    system: System,
    needs: u64,
}

impl Pair<'_, '_> {
    /// The axes on which two invocations can differ.
    fn axes(&self) -> Vec<usize> {
        let size = self.values.function.workgroup_size();
        match self.at {
            Where::Group(_) => (0..3).filter(|&axis| size[axis] > 1).collect(),
            Where::Grid(differ) => (0..3).filter(|&axis| differ[axis]).collect(),
        }
    }

    /// Enters everything but that the invocations are two; `None` of what has no form.
    fn state(&mut self, first: &Access<'_>, second: &Access<'_>) -> Option<Overlap> {
        let one = self.address(first, Side::First)?;
        let other = self.address(second, Side::Second)?;
        for form in self.values.required() {
            let form = self.on(&form, Side::First);
            self.system.natural(form);
        }
        let apart = one.sub(&other)?;
        // Which multiples of the divisor the difference can be.
        let common = apart.divisor();
        let (least, most) = (1 - i128::from(first.size), i128::from(second.size) - 1);
        if common == 0 {
            return Some(if (least..=most).contains(&apart.constant) { Overlap::Maybe } else { Overlap::Never });
        }
        let rest = apart.constant.rem_euclid(common);
        let steps = apart.shifted(-rest)?.divided(common);
        let (low, high) = (
            (least - rest).div_euclid(common) + i128::from((least - rest).rem_euclid(common) != 0),
            (most - rest).div_euclid(common),
        );
        if low > high {
            return Some(Overlap::Never);
        }
        if low == high {
            let zero = steps.shifted(-low)?;
            self.flip(&zero);
            self.system.zero(zero);
        } else {
            self.system.natural(steps.shifted(-low)?);
            self.system.natural(Form::constant(high).sub(&steps)?);
        }
        if let Where::Group(Meeting { depth, later: Some(later), .. }) = self.at {
            self.later(first, depth, later);
        }
        Some(Overlap::Maybe)
    }

    /// Both are within rows. If these have one length, the accesses are in one of them.
    fn within(&mut self, [ones, others]: [&[Row]; 2]) {
        for (rows, side) in [(ones, Side::First), (others, Side::Second)] {
            for row in rows {
                let room = self.on(&row.room, side);
                self.system.natural(room);
            }
        }
        for one in ones {
            let Some(other) = others.iter().find(|other| other.length == one.length) else { continue };
            let (Some(one), Some(other)) = (&one.number, &other.number) else { continue };
            let (one, other) = (self.on(one, Side::First), self.on(other, Side::Second));
            one.sub(&other).into_iter().for_each(|apart| self.system.zero(apart));
        }
    }

    /// The second invocation is so many rounds later in the loop of this depth.
    fn later(&mut self, first: &Access<'_>, depth: usize, later: i8) {
        let (tree, function) = (self.values.tree, self.values.function);
        let mut loops: Vec<_> = tree.loops_around(function, first.inst).collect();
        loops.reverse();
        let Some(&inst) = loops.get(depth) else { return };
        let round = self.values.alone(Unknown::Round(inst));
        let (one, other) = (self.on(&round, Side::First), self.on(&round, Side::Second));
        if let Some(apart) = other.sub(&one).and_then(|apart| apart.shifted(-i128::from(later))) {
            self.system.zero(apart);
        }
    }

    /// A form as one of the two invocations finds it.
    fn on(&mut self, form: &Form, side: Side) -> Form {
        let rounds = match self.at {
            Where::Group(Meeting { depth, .. }) => Some(depth),
            Where::Grid(_) => None,
        };
        let mut terms = Vec::with_capacity(form.terms.len());
        for (product, value) in &form.terms {
            let mut numbers = Vec::with_capacity(product.len());
            for &unknown in product {
                let side = if self.values.is_shared(unknown, rounds) { Side::Both } else { side };
                numbers.push(self.number(unknown, side));
            }
            numbers.sort_unstable();
            terms.push((numbers, *value));
        }
        terms.sort_unstable();
        Form { terms, constant: form.constant }
    }

    /// The number of an unknown in the system; with the first use come its rules.
    fn number(&mut self, unknown: u32, side: Side) -> u32 {
        if let Some(&number) = self.numbers.get(&(unknown, side)) {
            return number;
        }
        let number = self.sides.len() as u32;
        self.sides.push((unknown, side));
        self.numbers.insert((unknown, side), number);
        let sides = if side == Side::Both { vec![Side::First, Side::Second] } else { vec![side] };
        for rule in self.values.rules(unknown, self.needs) {
            for &side in &sides {
                let rule = self.on(&rule, side);
                self.system.natural(rule);
            }
        }
        if let Some(law) = self.values.law(unknown) {
            for side in sides {
                let zero = self.on(&law, side);
                self.system.zero(zero);
            }
        }
        number
    }

    /// The form of a value for one of the two.
    fn form(&mut self, value: Value, side: Side) -> Option<Form> {
        let Known { form, needs } = self.values.of(value)?;
        self.needs |= needs;
        let form = self.on(&form, side);
        if form.terms.len() > 1
            && let Some((least, most)) = self.values.limits(value)
        {
            self.at_least(&form, least);
            self.at_most(&form, &Form::constant(most));
        }
        Some(form)
    }

    /// Where an access begins, with all that holds there.
    fn address(&mut self, access: &Access<'_>, side: Side) -> Option<Form> {
        let mut address = Form::constant(access.place.offset.into());
        for index in &access.place.indices {
            let form = self.form(self.values.index(index.value), side)?;
            let fact = self.values.facts.at(access.inst, index.value);
            self.at_least(&form, fact.least.into());
            self.at_most(&form, &Form::constant(fact.most.into()));
            if let Some(bound) = index.bound {
                self.at_most(&form, &Form::constant(i128::from(bound) - 1));
            }
            address = address.plus(&form, index.stride.into())?;
        }
        // What is out of bounds does nothing.
        let end = address.shifted(access.size.into())?;
        match access.place.root {
            Root::Param(param) => {
                let (types, function) = (self.values.types, self.values.function);
                let element = function.root_element(types, access.place.root).and_then(|ty| types.layout(ty));
                let len = self.values.alone(Unknown::Len(param));
                let bytes = element.and_then(|element| self.on(&len, side).times(element.size.into()));
                if let Some(bytes) = bytes {
                    self.at_most(&end, &bytes);
                }
            }
            root => {
                if let Some(size) = self.values.function.root_size(self.values.types, root) {
                    self.at_most(&end, &Form::constant(size.into()));
                }
            }
        }
        self.way_to(access, side);
        Some(address)
    }

    /// Enters the conditions around an access.
    fn way_to(&mut self, access: &Access<'_>, side: Side) {
        for &(condition, truth) in &access.guards {
            self.guard(condition, truth, side);
        }
        for (selector, bits) in &access.cases {
            let Type::Scalar(ty) = self.values.function.ty(*selector) else { continue };
            let numbers = bits.iter().map(|&bits| read(ty, bits));
            if let (Some(least), Some(most)) = (numbers.clone().min(), numbers.max())
                && let Some(form) = self.form(*selector, side)
            {
                self.at_least(&form, least);
                self.at_most(&form, &Form::constant(most));
            }
        }
    }

    fn at_least(&mut self, form: &Form, least: i128) {
        if let Some(rest) = form.shifted(-least) {
            self.system.natural(rest);
        }
    }

    fn at_most(&mut self, form: &Form, most: &Form) {
        if let Some(rest) = most.sub(form) {
            self.system.natural(rest);
        }
    }

    /// A condition that is true or false. What has no form tells nothing.
    fn guard(&mut self, condition: Value, truth: bool, side: Side) {
        let compared = comparison(self.values.function, self.values.tree, condition);
        let forms = compared.and_then(|(op, a, b)| Some((op, self.form(a, side)?, self.form(b, side)?)));
        let Some((op, a, b)) = forms else {
            if let Some(lane) = self.values.elected(condition).map(|lane| self.on(&lane, side)) {
                if truth {
                    self.system.zero(lane)
                } else {
                    self.at_least(&lane, 1)
                }
                return;
            }
            if let Some(form) = self.form(condition, side)
                && let Some(zero) = form.shifted(-i128::from(truth))
            {
                self.system.zero(zero);
            }
            return;
        };
        self.system.compares(if truth { op } else { negated(op) }, &a, &b);
    }

    /// If an address says that `i ^ n` is `k` for one `n`, then `k ^ n` is `i`.
    fn flip(&mut self, zero: &Form) {
        let flips: Vec<(u32, (Form, Form))> =
            self.values.flips.iter().map(|(&own, pair)| (own, pair.clone())).collect();
        let mut found = Vec::new();
        for (own, (a, by)) in &flips {
            for (side, other_side) in [(Side::First, Side::Second), (Side::Second, Side::First)] {
                let Some(here) = self.numbers.get(&(*own, side)).copied() else { continue };
                let flipped = Form::unknown(here);
                let theirs = self.on(by, side);
                let from = self.on(a, side);
                for (own, (a, by)) in &flips {
                    // Both must be flipped by one number.
                    if self.on(by, other_side) != theirs {
                        continue;
                    }
                    let Some(there) = self.numbers.get(&(*own, other_side)).copied() else { continue };
                    let there = Form::unknown(there);
                    let source = self.on(a, other_side);
                    // Which of both is the other one's decides what follows.
                    for (claim, follows) in
                        [((&flipped, &there), (&from, &source)), ((&flipped, &source), (&from, &there))]
                    {
                        if claim.0.sub(claim.1).is_some_and(|claim| is_multiple(zero, &claim)) {
                            found.extend(follows.0.sub(follows.1));
                        }
                    }
                }
            }
        }
        found.into_iter().for_each(|form| self.system.zero(form));
    }

    /// Finds out how often numbers wrap around, where they do so never or once and what is known tells which of both: a
    /// difference before the condition under which it does not wrap. Says whether something was found.
    fn settle(&mut self) -> bool {
        let wraps: Vec<(u32, [i128; 2])> = self
            .sides
            .iter()
            .zip(0..)
            .filter_map(|(&(unknown, _), number)| {
                let (least, most) = self.values.range_of(unknown);
                let is_wrap = matches!(self.values.unknown(unknown), Unknown::Quotient(_, by) if *by >= 1 << 32);
                (is_wrap && most - least == 1).then_some((number, [least, most]))
            })
            .take(MAX_WRAPS)
            .collect();
        let mut found = false;
        for (number, times) in wraps {
            let forms = times.map(|times| Form::unknown(number).shifted(-times));
            let [Some(one), Some(other)] = forms else { continue };
            let [is_one, is_other] = [&one, &other].map(|form| {
                let mut system = self.system.clone();
                system.zero(form.clone());
                !system.is_refuted()
            });
            if is_one != is_other {
                self.system.zero(if is_one { one } else { other });
                found = true;
            }
        }
        found
    }

    /// Whether no two invocations meet of which this is the first axis on which they differ.
    fn is_disjoint_on(&mut self, axis: usize, symmetric: bool) -> bool {
        let axes = self.axes().into_iter().filter(|before| *before <= axis);
        let apart: Option<Vec<Form>> = axes.map(|axis| self.apart(axis)).collect();
        let Some((apart, same)) = apart.as_ref().and_then(|all| all.split_last()) else { return false };
        let mut system = self.system.clone();
        same.iter().for_each(|form| system.zero(form.clone()));
        self.are_never_apart(apart, system, symmetric)
    }

    /// Whether both accesses are where each invocation has a number from a counter of its own, and
    /// no two of these numbers lead to one place.
    fn have_other_tickets(&mut self, symmetric: bool) -> bool {
        let Some([one, other]) = self.tickets() else { return false };
        let (one, other) = (Form::unknown(one), Form::unknown(other));
        let Some(apart) = one.sub(&other) else { return false };
        self.are_never_apart(&apart, self.system.clone(), symmetric)
    }

    /// Elements of a buffer that has no equal ones are equal only if they are one. So if other ones lead
    /// to other places, both invocations have one.
    fn tell_distinct(&mut self, symmetric: bool) {
        let elements: Vec<(u32, Element, Side)> = self
            .sides
            .clone()
            .into_iter()
            .zip(0..)
            .filter_map(|((unknown, side), number)| {
                let Unknown::Value(value) = *self.values.unknown(unknown) else { return None };
                Some((number, self.values.element(value)?, side))
            })
            .collect();
        for (one, first, _) in elements.iter().filter(|(_, _, side)| *side == Side::First) {
            for (other, second, _) in elements.iter().filter(|(_, _, side)| *side == Side::Second) {
                if first.root != second.root {
                    continue;
                }
                let Some(apart) = Form::unknown(*one).sub(&Form::unknown(*other)) else { continue };
                let (here, there) = (self.on(&first.index, Side::First), self.on(&second.index, Side::Second));
                let Some(same) = here.sub(&there) else { continue };
                if self.are_never_apart(&apart, self.system.clone(), symmetric) {
                    self.needs |= first.needs | second.needs;
                    self.system.zero(apart);
                    self.system.zero(same);
                }
            }
        }
    }

    /// A ticket of each of the two, of one counter.
    fn tickets(&mut self) -> Option<[u32; 2]> {
        let tickets: Vec<(u32, usize, Side)> = self
            .sides
            .iter()
            .zip(0..)
            .filter_map(|(&(unknown, side), number)| {
                let Unknown::Value(value) = *self.values.unknown(unknown) else { return None };
                Some((number, *self.values.tickets.counters.get(&value)?, side))
            })
            .collect();
        let of = |wanted: Side| move |(_, _, side): &&(u32, usize, Side)| *side == wanted;
        let mut pairs = tickets
            .iter()
            .filter(of(Side::First))
            .flat_map(|one| tickets.iter().filter(of(Side::Second)).map(move |other| (one, other)));
        let ((one, counter, _), (other, ..)) = pairs.find(|(one, other)| one.1 == other.1)?;
        let (mut needs, all) = (0, self.values.tickets);
        for condition in &all.needs[*counter] {
            needs |= self.values.assume(condition)?;
        }
        self.needs |= needs;
        Some([*one, *other])
    }

    /// Whether a difference of both is always zero.
    fn are_never_apart(&mut self, apart: &Form, system: System, symmetric: bool) -> bool {
        let signs: &[i128] = if symmetric { &[1] } else { &[1, -1] };
        signs.iter().all(|&sign| {
            let Some(order) = apart.times(sign).and_then(|form| form.shifted(-1)) else { return false };
            let mut system = system.clone();
            system.natural(order);
            self.is_impossible(system, &mut BTreeSet::new())
        })
    }

    /// The difference of the ids of both on an axis.
    fn apart(&mut self, axis: usize) -> Option<Form> {
        let id = match self.at {
            Where::Group(_) => Unknown::Local(axis),
            Where::Grid(_) => Unknown::Group(axis),
        };
        let id = self.values.alone(id);
        let (one, other) = (self.on(&id, Side::First), self.on(&id, Side::Second));
        one.sub(&other)
    }

    /// Whether a system has no solution, told by cases of what factors are multiplied with.
    fn is_impossible(&mut self, system: System, tried: &mut BTreeSet<(u32, Form)>) -> bool {
        if system.is_refuted() {
            return true;
        }
        if tried.len() >= MAX_SPLITS {
            return false;
        }
        let Some((factor, rest)) = self.split(&system, tried) else { return false };
        tried.insert((factor, rest.clone()));
        let factor = Form::unknown(factor);
        let possible = [-1, 0, 1].into_iter().any(|sign| {
            let mut system = system.clone();
            let (bound, product) = match sign {
                0 => (Some(rest.clone()), rest.mul(&factor)),
                sign => {
                    let bound = rest.times(sign).and_then(|form| form.shifted(-1));
                    let product = bound.as_ref().and_then(|bound| bound.mul(&factor));
                    (bound, product)
                }
            };
            for form in [bound, product].into_iter().flatten() {
                if sign == 0 { system.zero(form) } else { system.natural(form) }
            }
            !self.is_impossible(system, &mut tried.clone())
        });
        !possible
    }

    /// A factor that both share, and what it is multiplied with: the simplest, of which most depends.
    fn split(&self, system: &System, tried: &BTreeSet<(u32, Form)>) -> Option<(u32, Form)> {
        let mut cases = Vec::new();
        for zero in system.zeros() {
            let products = zero.terms.iter().filter(|(product, _)| product.len() > 1);
            let factors: BTreeSet<u32> = products.flat_map(|(product, _)| product.iter().copied()).collect();
            for factor in factors {
                let (unknown, side) = self.sides[factor as usize];
                let rest = zero.cofactor(factor);
                if side != Side::Both || self.values.range_of(unknown).0 < 0 || rest.terms.is_empty() {
                    continue;
                }
                let case = (factor, rest.divided(gcd(rest.divisor(), rest.constant)));
                if !tried.contains(&case) {
                    cases.push(case);
                }
            }
        }
        let degree = |form: &Form| form.terms.iter().map(|(product, _)| product.len()).max();
        cases.into_iter().min_by_key(|(_, rest)| (degree(rest), usize::MAX - rest.terms.len()))
    }
}

/// The comparison of two integers that a value is.
pub(super) fn comparison(function: &Function, tree: &Tree, value: Value) -> Option<(Op, Value, Value)> {
    let (op, &[a, b]) = tree.op(function, value)? else { return None };
    let is_int = matches!(function.ty(a), Type::Scalar(ty) if ty.is_int());
    let compares = matches!(op, Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne);
    (is_int && compares).then_some((op, a, b))
}

pub(super) fn negated(op: Op) -> Op {
    match op {
        Op::Lt => Op::Ge,
        Op::Le => Op::Gt,
        Op::Gt => Op::Le,
        Op::Ge => Op::Lt,
        Op::Eq => Op::Ne,
        _ => Op::Eq,
    }
}

/// Whether a form is so many times another, but not no times.
fn is_multiple(form: &Form, other: &Form) -> bool {
    let (Some((_, value)), Some((_, one))) = (form.terms.first(), other.terms.first()) else { return false };
    if value % one != 0 {
        return false;
    }
    other.times(value / one).as_ref() == Some(form)
}
