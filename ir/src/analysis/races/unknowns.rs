//! What is known of the unknowns of forms: between which numbers they lie, what else holds of
//! them, and which are one number for two invocations.

use super::form::Form;
use super::values::{MAX_DEPTH, Unknown, Values};
use crate::analysis::facts::Symbol;
use crate::analysis::tree::Def;
use crate::ir::{Access, Inst, InstKind, Value};
use crate::ops::Builtin;
use crate::types::Type;

/// Bounds beyond this tell nothing.
const FAR: i128 = 1 << 100;
/// No launch has more invocations.
const MAX_INVOCATIONS: i128 = u32::MAX as i128;

impl Values<'_> {
    /// Between which numbers a form lies.
    pub(super) fn range(&self, form: &Form) -> (i128, i128) {
        let (mut least, mut most) = (form.constant, form.constant);
        for (product, value) in &form.terms {
            let (mut low, mut high) = (1_i128, 1_i128);
            for &unknown in product {
                let (a, b) = self.range_of(unknown);
                let ends =
                    [(low, a), (low, b), (high, a), (high, b)].map(|(x, y)| x.saturating_mul(y).clamp(-FAR, FAR));
                (low, high) = ends.iter().fold((FAR, -FAR), |(low, high), &end| (low.min(end), high.max(end)));
            }
            let ends = [low, high].map(|end| end.saturating_mul(*value).clamp(-FAR, FAR));
            least = least.saturating_add(ends[0].min(ends[1])).max(-FAR);
            most = most.saturating_add(ends[0].max(ends[1])).min(FAR);
        }
        (least, most)
    }

    /// How many workgroups a launch can have.
    fn most_groups(&self) -> i128 {
        (MAX_INVOCATIONS / i128::from(self.function.invocations().max(1))).max(1)
    }

    /// Between which numbers an unknown lies.
    pub(super) fn range_of(&self, unknown: u32) -> (i128, i128) {
        let size = self.function.workgroup_size().map(i128::from);
        match self.unknown(unknown) {
            Unknown::Local(axis) => (0, size[*axis] - 1),
            Unknown::Groups(_) => (1, self.most_groups()),
            Unknown::Group(_) => (0, self.most_groups() - 1),
            Unknown::Len(param) => {
                let symbol = u16::try_from(*param).map(Symbol::Len).ok();
                let (least, most) = symbol.and_then(|len| self.given.range(len)).unwrap_or((0, u32::MAX.into()));
                (least.into(), most.into())
            }
            Unknown::Round(_) => (0, FAR),
            Unknown::Quotient(form, by) => {
                let (least, most) = self.range(form);
                let end = |end: i128| if end.abs() >= FAR { end } else { end.div_euclid(*by) };
                (end(least), end(most))
            }
            Unknown::Ratio(form, _) => (0, self.range(form).1),
            Unknown::Digit(_, low, high) => (0, high / low - 1),
            Unknown::Value(value) => self.limits(*value).unwrap_or((-FAR, FAR)),
        }
    }

    /// Between which numbers a value lies.
    pub(super) fn limits(&self, value: Value) -> Option<(i128, i128)> {
        let Type::Scalar(ty) = self.function.ty(value) else { return None };
        let fact = self.facts.fact(value);
        match ty.is_signed() {
            true => Some((fact.low.into(), fact.high.into())),
            false => Some((fact.least.into(), fact.most.into())),
        }
    }

    /// Forms that are at least zero, since an unknown is what it is, under some conditions.
    pub(super) fn rules(&mut self, unknown: u32, needs: u64) -> Vec<Form> {
        let own = Form::unknown(unknown);
        let known = self.rules.get(&unknown).map_or(&[][..], Vec::as_slice);
        let mut rules: Vec<Form> =
            known.iter().filter(|(_, rests)| rests & !needs == 0).map(|(rule, _)| rule.clone()).collect();
        let (least, most) = self.range_of(unknown);
        if least > -FAR {
            rules.extend(own.shifted(-least));
        }
        if most < FAR {
            rules.extend(Form::constant(most).sub(&own));
        }
        match self.unknown(unknown).clone() {
            Unknown::Quotient(form, by) => {
                let rest = form.plus(&own, -by);
                rules.extend(rest.as_ref().and_then(|rest| Form::constant(by - 1).sub(rest)));
                rules.extend(rest);
            }
            Unknown::Ratio(form, by) => {
                let rest = by.mul(&own).and_then(|whole| form.sub(&whole));
                rules.extend(rest.as_ref().and_then(|rest| by.sub(rest)?.shifted(-1)));
                rules.extend(rest);
                rules.extend(form.sub(&own));
            }
            Unknown::Group(axis) => {
                let count = self.alone(Unknown::Groups(axis));
                rules.extend(count.sub(&own).and_then(|room| room.shifted(-1)));
            }
            _ => {}
        }
        rules
    }

    /// A form that is zero, since an unknown is what it is.
    pub(super) fn law(&mut self, unknown: u32) -> Option<Form> {
        let Unknown::Digit(of, low, high) = *self.unknown(unknown) else { return None };
        let [low_part, high_part] = [low, high].map(|by| match by {
            1 => Form::unknown(of),
            by => self.alone(Unknown::Quotient(Form::unknown(of), by)),
        });
        low_part.plus(&high_part, -(high / low))?.sub(&Form::unknown(unknown))
    }

    /// A form in which what is divided somewhere is made of digits.
    pub(super) fn in_digits(&mut self, form: &Form) -> Option<Form> {
        let mut sum = Form::constant(form.constant);
        for (product, factor) in &form.terms {
            let mut term = Form::constant(*factor);
            for &unknown in product {
                let (of, by) = match self.unknown(unknown) {
                    Unknown::Quotient(form, by) => match form.terms.as_slice() {
                        [(product, 1)] if form.constant == 0 && product.len() == 1 => (product[0], *by),
                        _ => (unknown, 1),
                    },
                    _ => (unknown, 1),
                };
                term = term.mul(&self.digits(of, by)?)?;
            }
            sum = sum.add(&term)?;
        }
        Some(sum)
    }

    /// An unknown divided by a number, made of digits.
    fn digits(&mut self, unknown: u32, by: i128) -> Option<Form> {
        let chain = self.divisors(unknown);
        let Some(first) = chain.iter().position(|&one| one == by) else {
            return Some(self.alone(Unknown::Quotient(Form::unknown(unknown), by)));
        };
        let mut sum = Form::constant(0);
        for pair in chain[first..].windows(2) {
            let digit = self.alone(Unknown::Digit(unknown, pair[0], pair[1]));
            sum = sum.plus(&digit, pair[0] / by)?;
        }
        let last = *chain.last()?;
        let rest = match last {
            1 => Form::unknown(unknown),
            last => self.alone(Unknown::Quotient(Form::unknown(unknown), last)),
        };
        sum.plus(&rest, last / by)
    }

    /// Whether a value is the same in all invocations of a launch that compute it.
    pub(super) fn is_everywhere_alike(&mut self, value: Value) -> bool {
        self.alike_at_depth(value, 0)
    }

    fn alike_at_depth(&mut self, value: Value, depth: usize) -> bool {
        if let Some(&known) = self.everywhere.get(&value) {
            return known;
        }
        let function = self.function;
        let alike = depth < MAX_DEPTH
            && match self.tree.def(value) {
                Def::Constant | Def::Argument(_) => true,
                Def::Param(..) => false,
                Def::Result(inst, _) => match &function.insts[inst].kind {
                    InstKind::Len(_) => true,
                    InstKind::Builtin(builtin) => matches!(
                        builtin,
                        Builtin::NumWorkgroupsX
                            | Builtin::NumWorkgroupsY
                            | Builtin::NumWorkgroupsZ
                            | Builtin::NumSubgroups
                    ),
                    InstKind::Op(_, args) => args.iter().all(|&arg| self.alike_at_depth(arg, depth + 1)),
                    InstKind::Load(place) if function.root_access(place.root) == Some(Access::Read) => {
                        place.indices.iter().all(|index| self.alike_at_depth(index.value, depth + 1))
                    }
                    _ => false,
                },
            };
        self.everywhere.insert(value, alike);
        alike
    }

    /// Whether an unknown is one number for two invocations: of one workgroup that are in the same
    /// round of so many loops, or of a launch.
    pub(super) fn is_shared(&mut self, unknown: u32, rounds: Option<usize>) -> bool {
        match self.unknown(unknown).clone() {
            Unknown::Local(_) => false,
            Unknown::Group(_) => rounds.is_some(),
            Unknown::Groups(_) | Unknown::Len(_) => true,
            Unknown::Value(value) => match rounds {
                None => self.is_everywhere_alike(value),
                Some(rounds) => {
                    self.uniform[value] && self.loops_around(value) <= rounds || self.is_everywhere_alike(value)
                }
            },
            Unknown::Digit(of, ..) => self.is_shared(of, rounds),
            Unknown::Round(inst) => rounds.is_some_and(|rounds| self.loops_of(inst) < rounds),
            Unknown::Quotient(form, _) => self.are_shared(&form, rounds),
            Unknown::Ratio(form, by) => self.are_shared(&form, rounds) && self.are_shared(&by, rounds),
        }
    }

    /// Whether all unknowns of a form are one number for two invocations.
    fn are_shared(&mut self, form: &Form, rounds: Option<usize>) -> bool {
        let unknowns: Vec<u32> = form.unknowns().collect();
        unknowns.into_iter().all(|inner| self.is_shared(inner, rounds))
    }

    /// How many loops are around an instruction.
    fn loops_of(&self, inst: Inst) -> usize {
        self.tree.loops_around(self.function, inst).count()
    }

    /// How many loops are around where a value is made.
    fn loops_around(&self, value: Value) -> usize {
        match self.tree.def(value) {
            Def::Constant | Def::Argument(_) => 0,
            Def::Result(inst, _) => self.loops_of(inst),
            Def::Param(inst, _) => self.loops_of(inst) + 1,
        }
    }
}
