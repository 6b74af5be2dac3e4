//! Counters of loops, and what they and the conditions around an instruction say about numbers.

use super::access::Conditions;
use super::form::Form;
use super::pair::{comparison, negated};
use super::system::System;
use super::values::{Known, Unknown, Values};
use crate::analysis::facts::{Condition, Poly, Wrapping};
use crate::ir::{Inst, InstKind, Region, Value};
use crate::ops::Op;
use crate::types::Scalar;
use std::collections::BTreeSet;

/// How many unknowns are looked at to bound a form.
const MAX_UNKNOWNS: usize = 12;

/// What each round adds to a counter, with the sum's instruction if there is one.
struct Step {
    form: Form,
    needs: u64,
    sum: Inst,
}

impl Values<'_> {
    /// A parameter of a loop to which every `continue` adds the same.
    pub(super) fn counter(&mut self, param: Value, inst: Inst, i: usize, ty: Scalar, depth: usize) -> Option<Known> {
        let function = self.function;
        let InstKind::Loop { body, initial, .. } = &function.insts[inst].kind else { return None };
        if !self.counts {
            return None;
        }
        let mut steps: Vec<Option<Step>> = Vec::new();
        for &jump in self.tree.continues(inst) {
            let next = *function.insts[jump].kind.passed().get(i)?;
            steps.push(if next == param { None } else { Some(self.step(param, next, *body, depth)?) });
        }
        let first = self.at_depth(*initial.get(i)?, depth);
        let by = |step: &Option<Step>| step.as_ref().map(|step| step.form.clone());
        let Some(step) = steps.first().and_then(by) else {
            return steps.iter().all(Option::is_none).then_some(first);
        };
        if steps.iter().any(|other| by(other).as_ref() != Some(&step)) {
            return None;
        }
        let round = self.alone(Unknown::Round(inst));
        let mut needs = first.needs | steps.iter().flatten().fold(0, |needs, step| needs | step.needs);
        let form = first.form.add(&step.mul(&round)?)?;
        let mut never = true;
        for Step { sum, .. } in steps.iter().flatten() {
            never &= match self.facts.wrapping(*sum) {
                Wrapping::Never => true,
                Wrapping::Unless(condition) if self.assumes => {
                    let condition = condition.clone();
                    needs |= self.need(&condition)?;
                    true
                }
                Wrapping::Unless(_) | Wrapping::Possible => false,
            };
        }
        let last = self.last(inst, param, *initial.get(i)?, &step, depth);
        let form = if never || last.is_some() { form } else { self.wrapped(form, ty)? };
        // What is known of the counter bounds the rounds.
        let (least, most) = self.limits(param)?;
        let mut bounds = vec![form.shifted(-least)?, Form::constant(most).sub(&form)?];
        if let Some(last) = last {
            needs |= last.needs;
            let room = last.form.sub(&form)?;
            // What is left in the last round times what the rounds were divided by.
            let by = last.form.unknowns().filter_map(|unknown| match self.unknown(unknown) {
                Unknown::Ratio(_, by) => Some(by.clone()),
                _ => None,
            });
            let by: Vec<Form> = by.collect();
            bounds.extend(by.iter().filter_map(|by| room.mul(by)));
            bounds.push(room);
        }
        let round = self.number(Unknown::Round(inst));
        self.rules.entry(round).or_default().extend(bounds.into_iter().map(|bound| (bound, needs)));
        Some(Known { form, needs })
    }

    /// What is added to a loop's parameter in each round: a number that the loop does not change.
    fn step(&mut self, param: Value, next: Value, body: Region, depth: usize) -> Option<Step> {
        let (op, args) = self.tree.op(self.function, next)?;
        let (step, sign) = match (op, args) {
            (Op::Add, &[a, b]) if a == param => (b, 1),
            (Op::Add, &[a, b]) if b == param => (a, 1),
            (Op::Sub, &[a, b]) if a == param => (b, -1),
            _ => return None,
        };
        let Known { form, needs } = self.at_depth(step, depth);
        let unknowns: Vec<u32> = form.unknowns().collect();
        let is_fixed = unknowns.into_iter().all(|unknown| self.is_fixed(unknown, body));
        Some(Step { form: form.times(sign)?, needs, sum: self.tree.inst_of(next)? }).filter(|_| is_fixed)
    }

    /// Whether an unknown is one number in all rounds of a loop.
    fn is_fixed(&self, unknown: u32, body: Region) -> bool {
        match self.unknown(unknown) {
            Unknown::Local(_) | Unknown::Group(_) | Unknown::Groups(_) | Unknown::Len(_) => true,
            Unknown::Value(value) => {
                self.tree.home(self.function, *value).is_some_and(|home| !self.tree.is_within(home, body))
            }
            Unknown::Round(inst) => {
                let is_outside = |home: Region| !self.tree.is_within(home, body);
                self.tree.owner(body) != Some(*inst) && self.tree.parent(*inst).is_some_and(is_outside)
            }
            Unknown::Digit(of, ..) => self.is_fixed(*of, body),
            Unknown::Quotient(form, _) => form.unknowns().all(|unknown| self.is_fixed(unknown, body)),
            Unknown::Ratio(form, by) => {
                form.unknowns().chain(by.unknowns()).all(|unknown| self.is_fixed(unknown, body))
            }
        }
    }

    /// The greatest number that a counter of steps of one comes to, if every round ends the loop that
    /// has it.
    fn last(&mut self, inst: Inst, param: Value, first: Value, step: &Form, depth: usize) -> Option<Known> {
        if step.as_constant() != Some(1) {
            return None;
        }
        let mut last = None;
        for &jump in self.tree.continues(inst) {
            let conditions = Conditions::at(self.function, self.tree, self.leaving, jump);
            let ends = conditions.guards.iter().find_map(|&(condition, truth)| {
                match (comparison(self.function, self.tree, condition)?, truth) {
                    ((Op::Eq, a, b), false) | ((Op::Ne, a, b), true) if a == param => Some(b),
                    ((Op::Eq, a, b), false) | ((Op::Ne, a, b), true) if b == param => Some(a),
                    _ => None,
                }
            })?;
            if *last.get_or_insert(ends) != ends {
                return None;
            }
        }
        let known = self.at_depth(last?, depth);
        let (least, _) = self.limits(last?)?;
        let InstKind::Loop { body, .. } = self.function.insts[inst].kind else { return None };
        let unknowns: Vec<u32> = known.form.unknowns().collect();
        let is_fixed = unknowns.into_iter().all(|unknown| self.is_fixed(unknown, body));
        let begins = self.function.constant_bits(first).map(i128::from);
        // It begins no later than where it ends.
        (is_fixed && begins == Some(0) && least >= 0).then_some(known)
    }

    /// Whether a form lies between two numbers where an instruction is, under some conditions on the
    /// launch.
    pub(super) fn is_within(
        &mut self,
        inst: Inst,
        form: &Form,
        (low, high): (i128, i128),
        needs: u64,
        depth: usize,
    ) -> bool {
        let system = self.known_at(inst, form, needs, depth);
        let above = form.shifted(-high - 1);
        let below = Form::constant(low - 1).sub(form);
        [above, below].into_iter().all(|beyond| beyond.is_some_and(|beyond| system.excludes(beyond)))
    }

    /// A condition on the launch under which a form lies between two numbers where an instruction is.
    pub(super) fn within_if(
        &mut self,
        inst: Inst,
        form: &Form,
        (low, high): (i128, i128),
        needs: u64,
        depth: usize,
    ) -> Option<Condition> {
        let system = self.known_at(inst, form, needs, depth);
        if !system.excludes(Form::constant(low - 1).sub(form)?) {
            return None;
        }
        let is_grown =
            |unknown: &u32| matches!(self.unknown(*unknown), Unknown::Group(_)) || self.is_of_launch(*unknown);
        let (grown, rest) = form.split(|product, _| product.iter().any(is_grown));
        // A length or an argument that the rest is below says more than a great number.
        let unknowns: BTreeSet<u32> = system.unknowns().filter(|unknown| self.is_of_launch(*unknown)).collect();
        let is_below = |unknown: &u32| rest.sub(&Form::unknown(*unknown)).is_some_and(|over| system.excludes(over));
        let most = match system.most(&rest) {
            Some(most) if most <= high / 2 => Poly::constant(most),
            most => match unknowns.into_iter().find(is_below) {
                Some(unknown) => self.poly(&Form::unknown(unknown).shifted(-1)?)?,
                None => Poly::constant(most?),
            },
        };
        let greatest = self.greatest(&grown)?.add(&most)?;
        let rest = Poly::constant(high).sub(&greatest)?;
        Condition::natural(&rest).filter(|_| self.most(&rest).is_none_or(|most| most >= 0))
    }

    /// What is known where an instruction is and may matter for a form.
    pub(super) fn known_at(&mut self, inst: Inst, form: &Form, needs: u64, depth: usize) -> System {
        let mut system = System::default();
        for (condition, truth) in Conditions::at(self.function, self.tree, self.leaving, inst).guards {
            let Some((op, a, b)) = comparison(self.function, self.tree, condition) else { continue };
            let (a, b) = (self.at_depth(a, depth), self.at_depth(b, depth));
            if (a.needs | b.needs) & !needs == 0 {
                system.compares(if truth { op } else { negated(op) }, &a.form, &b.form);
            }
        }
        self.required().into_iter().for_each(|rest| system.natural(rest));
        let held: Vec<Condition> = self.conditions.clone();
        for (_, condition) in (0..).zip(&held).filter(|(bit, _)| needs >> bit & 1 == 1) {
            if let Some(rest) = condition.right.sub(&condition.left).and_then(|rest| self.form_of(&rest)) {
                system.natural(rest);
            }
        }
        for (product, _) in form.terms.iter().filter(|(product, _)| product.len() > 1) {
            let product = Form { terms: vec![(product.clone(), 1)], constant: 0 };
            let (least, most) = self.range(&product);
            product.shifted(-least).into_iter().for_each(|rest| system.natural(rest));
            Form::constant(most).sub(&product).into_iter().for_each(|rest| system.natural(rest));
        }
        let mut todo: BTreeSet<u32> = form.unknowns().chain(system.unknowns()).collect();
        let mut seen = BTreeSet::new();
        while let Some(unknown) = todo.pop_first() {
            if !seen.insert(unknown) || seen.len() > MAX_UNKNOWNS {
                continue;
            }
            for rule in self.rules(unknown, needs) {
                todo.extend(rule.unknowns());
                system.natural(rule);
            }
        }
        system
    }
}
