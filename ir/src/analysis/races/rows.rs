//! Rows that are long enough: conditions on the launch under which an index within a row stays
//! in it.
//!
//! In `y[row * width + column]` two invocations keep apart if each column is less than the width.
//! Often nothing in the kernel says so: the grid is made to fit. What is within a row is then at
//! most a polynomial over the launch, and so is the length of the row. That the one is less than
//! the other is a condition that a launcher can look at.

use super::access::Access;
use super::form::Form;
use super::values::{Unknown, Values};
use crate::analysis::facts::{Condition, Poly, Symbol};
use crate::analysis::tree::Def;
use crate::ir::{Inst, ParamKind, Value};
use crate::types::Type;
use std::collections::BTreeSet;

/// Greater numbers are no part of a row.
const FAR: i128 = 1 << 40;
/// How many rows of one access are looked at.
const MAX_ROWS: usize = 12;

/// What keeps an access within a row.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The length of the row: a factor times numbers of the launch.
    pub(super) length: (Vec<u32>, i128),
    /// How many bytes are left in the row behind the access: at least zero under the condition.
    pub(super) room: Form,
    /// Which row it is, if rows are all that is added to what is within one. Two accesses meet in one row
    /// only.
    pub(super) number: Option<Form>,
    /// What the launch must satisfy; nothing if every launch does.
    pub(super) condition: Option<Condition>,
}

impl Values<'_> {
    /// The rows that an access may be within, each with the condition that its launch must satisfy.
    pub(super) fn rows(&mut self, access: &Access<'_>) -> Vec<Row> {
        if let Some(known) = self.rows.get(&access.inst) {
            return known.clone();
        }
        let found = self.make_rows(access);
        self.rows.insert(access.inst, found.clone());
        found
    }

    fn make_rows(&mut self, access: &Access<'_>) -> Vec<Row> {
        let Some(address) = self.start(access).and_then(|(address, _)| self.in_digits(&address)) else {
            return Vec::new();
        };
        let mut strides = BTreeSet::new();
        for (product, factor) in address.terms.iter().filter(|(_, factor)| *factor > 0) {
            let shared: Vec<u32> = product.iter().copied().filter(|&unknown| self.is_of_launch(unknown)).collect();
            if shared.len() < product.len() || shared.len() > 1 {
                strides.insert((shared, *factor));
            }
        }
        let rows = strides.into_iter().filter_map(|(shared, factor)| self.row(access, &address, &shared, factor));
        let mut found: Vec<Row> = Vec::new();
        for row in rows {
            if found.len() < MAX_ROWS {
                found.push(row);
            }
        }
        found
    }

    /// The row whose length is a factor times what of a launch is in each of its multiples.
    fn row(&mut self, access: &Access<'_>, address: &Form, shared: &[u32], factor: i128) -> Option<Row> {
        let (mut outside, mut within) = address.split(|product, value| match shared {
            [] => product.len() > 1 && product.iter().any(|&unknown| self.is_of_launch(unknown)) || value >= factor,
            shared => shared.iter().all(|unknown| product.contains(unknown)),
        });
        if outside.terms.is_empty() || within.terms.is_empty() {
            return None;
        }
        if shared.is_empty() {
            let rest = within.constant.rem_euclid(factor);
            (outside, within.constant) = (outside.shifted(within.constant - rest)?, rest);
        }
        let is_whole = outside.constant % factor == 0 && outside.terms.iter().all(|(_, value)| value % factor == 0);
        let number = if is_whole { outside.divided(factor).without(shared) } else { None };
        let mut length = Form::constant(factor);
        for &unknown in shared {
            length = length.mul(&Form::unknown(unknown))?;
        }
        let room = length.shifted(-i128::from(access.size))?.sub(&within)?;
        let last = self.greatest_at(access.inst, &within)?.add(&Poly::constant(access.size.into()))?;
        let length = self.poly(&length)?;
        let rest = length.sub(&last)?;
        if self.most(&rest).is_some_and(|most| most < 0) {
            return None;
        }
        let condition = if Poly::constant(0).at_most(&rest) { None } else { Some(Condition::natural(&rest)?) };
        Some(Row { length: (shared.to_vec(), factor), room, number, condition })
    }

    /// What a polynomial is at most, times its denominator.
    pub(super) fn most(&self, poly: &Poly) -> Option<i128> {
        let range = |symbol: Symbol| match symbol {
            Symbol::LastGroup(_) | Symbol::Most(_) => (0, i128::from(u32::MAX)),
            Symbol::Len(_) => {
                let (least, most) = self.given.range(symbol).unwrap_or((0, u32::MAX.into()));
                (least.into(), most.into())
            }
            Symbol::Scalar(param) => {
                self.value_of(param).and_then(|value| self.limits(value)).unwrap_or((0, u64::MAX.into()))
            }
        };
        poly.parts().0.iter().try_fold(0_i128, |sum, (symbols, factor)| {
            let ends = symbols.iter().flatten().map(|&symbol| range(symbol));
            let factors = ends.map(|(least, most)| if *factor > 0 { most } else { least });
            sum.checked_add(factors.into_iter().try_fold(*factor, i128::checked_mul)?)
        })
    }

    /// A polynomial as a form, times its denominator.
    pub(super) fn form_of(&mut self, poly: &Poly) -> Option<Form> {
        let mut sum = Form::constant(0);
        for (symbols, factor) in poly.parts().0 {
            let mut term = Form::constant(*factor);
            for &symbol in symbols.iter().flatten() {
                let number = match symbol {
                    Symbol::LastGroup(axis) => self.alone(Unknown::Groups(axis.into())).shifted(-1)?,
                    Symbol::Len(param) => self.alone(Unknown::Len(param.into())),
                    Symbol::Scalar(param) => self.alone(Unknown::Value(self.value_of(param)?)),
                    // No place is a sum of it.
                    Symbol::Most(_) => return None,
                };
                term = term.mul(&number)?;
            }
            sum = sum.add(&term)?;
        }
        Some(sum)
    }

    /// What the kernel requires, as forms that are at least zero.
    pub(super) fn required(&mut self) -> Vec<Form> {
        let given = self.given;
        given.rests().iter().filter_map(|rest| self.form_of(rest)).collect()
    }

    /// The value of the scalar that is the parameter of an index.
    fn value_of(&self, param: u16) -> Option<Value> {
        let kinds = self.function.params.iter().take(param.into()).map(|param| &param.kind);
        let before = kinds.filter(|kind| matches!(kind, ParamKind::Scalar(_))).count();
        self.function.regions[self.function.body].params.get(before).copied()
    }

    /// Whether an unknown is a number that the launch decides.
    pub(super) fn is_of_launch(&self, unknown: u32) -> bool {
        match self.unknown(unknown) {
            Unknown::Groups(_) | Unknown::Len(_) => true,
            Unknown::Value(value) => self.scalar_param(*value).is_some(),
            _ => false,
        }
    }

    /// The parameter without a sign that a value is.
    fn scalar_param(&self, value: Value) -> Option<u16> {
        let Def::Argument(i) = self.tree.def(value) else { return None };
        let mut scalars =
            (0..).zip(&self.function.params).filter(|(_, param)| matches!(param.kind, ParamKind::Scalar(_)));
        let (index, param) = scalars.nth(i)?;
        let is_natural = matches!(param.kind, ParamKind::Scalar(Type::Scalar(ty)) if ty.is_int() && !ty.is_signed());
        (is_natural && self.function.is_kernel()).then_some(index)
    }

    /// What the launch decides, as a polynomial.
    pub(super) fn poly(&self, form: &Form) -> Option<Poly> {
        self.sum(form, |unknown| match self.unknown(unknown) {
            Unknown::Groups(axis) => Poly::symbol(Symbol::LastGroup(*axis as u8)).add(&Poly::constant(1)),
            Unknown::Len(param) => Some(Poly::symbol(Symbol::Len(u16::try_from(*param).ok()?))),
            Unknown::Value(value) => Some(Poly::symbol(Symbol::Scalar(self.scalar_param(*value)?))),
            _ => None,
        })
    }

    /// A polynomial that a form never exceeds, if nothing is taken away in it.
    pub(super) fn greatest(&self, form: &Form) -> Option<Poly> {
        if form.constant < 0 || form.terms.iter().any(|(_, factor)| *factor < 0) {
            return None;
        }
        self.sum(form, |unknown| {
            let (least, most) = self.range_of(unknown);
            match self.unknown(unknown) {
                Unknown::Group(axis) => Some(Poly::symbol(Symbol::LastGroup(*axis as u8))),
                _ if self.is_of_launch(unknown) => self.poly(&Form::unknown(unknown)),
                _ => (0 <= least && most < FAR).then(|| Poly::constant(most)),
            }
        })
    }

    /// The same where an instruction is, of a form that is never negative there.
    fn greatest_at(&mut self, inst: Inst, form: &Form) -> Option<Poly> {
        let is_counted = |unknown: &u32, this: &Self| match this.unknown(*unknown) {
            Unknown::Round(_) => true,
            Unknown::Digit(of, ..) => matches!(this.unknown(*of), Unknown::Round(_)),
            Unknown::Quotient(form, _) => form.unknowns().any(|of| matches!(this.unknown(of), Unknown::Round(_))),
            _ => false,
        };
        if form.terms.iter().any(|(_, factor)| *factor < 0) {
            return None;
        }
        let (counted, rest) = form.split(|product, _| product.iter().any(|unknown| is_counted(unknown, self)));
        let is_local = |unknown: u32, this: &Self| matches!(this.unknown(unknown), Unknown::Local(_));
        let (mut local, mut rest) = rest.split(|product, _| matches!(product, [unknown] if is_local(*unknown, self)));
        if rest.constant < 0 {
            (local.constant, rest.constant) = (rest.constant, 0);
        }
        let mut greatest = self.greatest(&rest)?;
        if !local.terms.is_empty() || local.constant < 0 {
            // A condition may let only some of the workgroup come here, and a difference be at least zero.
            let (_, of_all) = self.range(&local);
            let known = self.known_at(inst, &local, 0, 0);
            if local.constant < 0 && known.most(&local.times(-1)?).is_none_or(|most| most > 0) {
                return None;
            }
            let most = known.most(&local).map_or(of_all, |most| most.min(of_all));
            greatest = greatest.add(&Poly::constant(most))?;
        }
        if counted.terms.is_empty() {
            return Some(greatest);
        }
        let most = self.known_at(inst, &counted, 0, 0).most(&counted).filter(|most| *most < FAR)?;
        greatest.add(&Poly::constant(most))
    }

    fn sum(&self, form: &Form, of: impl Fn(u32) -> Option<Poly>) -> Option<Poly> {
        let mut sum = Poly::constant(form.constant);
        for (product, factor) in &form.terms {
            let mut term = Poly::constant(*factor);
            for &unknown in product {
                term = term.mul(&of(unknown)?)?;
            }
            sum = sum.add(&term)?;
        }
        Some(sum)
    }
}
