//! Addresses that are numbers with digits: the quick way to tell most accesses apart.
//!
//! In `64 * g + l` with `l` below 64, no two pairs `(g, l)` give one number. The same holds for every
//! sum in which each factor is at least what all smaller terms can differ by. If two accesses have
//! the same such sum, they meet only where all of its unknowns are equal, and nothing needs to be solved.

use super::access::Access;
use super::form::Form;
use super::pair::{Where, comparison};
use super::phases::Meeting;
use super::values::{Unknown, Values};
use crate::analysis::tree::Def;
use crate::ir::Value;

/// Beyond this nothing is multiplied.
const FAR: i128 = 1 << 60;

impl Values<'_> {
    /// The axes on which two accesses may meet, told by the digits of their addresses alone, and the
    /// conditions that this rests on; `None` if more must be looked at.
    pub(super) fn by_digits(
        &mut self,
        (first, second): (&Access<'_>, &Access<'_>),
        at: Where,
        axes: &[usize],
    ) -> Option<(Vec<usize>, u64)> {
        let rounds = match at {
            Where::Group(Meeting { depth, .. }) => Some(depth),
            Where::Grid(_) => None,
        };
        let ((one, needs), (other, others)) = (self.start(first)?, self.start(second)?);
        let later = other.sub(&one)?.as_constant()?;
        let apart = later.abs();
        let mut terms = one.terms.clone();
        terms.sort_by_key(|(_, factor)| factor.abs());
        // How far apart the smaller terms can be, with what the accesses reach.
        let mut reach = apart.checked_add(i128::from(first.size.max(second.size)))?;
        let mut told = Vec::new();
        for (product, factor) in &terms {
            let &[unknown] = product.as_slice() else { return None };
            if self.is_shared(unknown, rounds) {
                continue;
            }
            // What memory gives may be known to differ in other ways.
            if matches!(self.unknown(unknown), Unknown::Value(_) | Unknown::Ratio(..)) {
                return None;
            }
            let (least, most) = self.range_of(unknown);
            if factor.abs() < reach || reach >= FAR {
                return None;
            }
            reach = reach.saturating_add(factor.abs().saturating_mul(most.saturating_sub(least)).min(FAR));
            told.push(self.unknown(unknown).clone());
        }
        // Where all unknowns are equal the places may still be beside each other.
        if apart >= i128::from(if later < 0 { second.size } else { first.size }) {
            return Some((Vec::new(), needs | others));
        }
        let id = |axis: usize| match at {
            Where::Group(_) => Unknown::Local(axis),
            Where::Grid(_) => Unknown::Group(axis),
        };
        let open: Vec<usize> = axes.iter().copied().filter(|&axis| !told.contains(&id(axis))).collect();
        // A condition around an access may leave one invocation on such an axis.
        let is_guarded =
            open.iter().any(|&axis| self.is_guarded(first, &id(axis)) || self.is_guarded(second, &id(axis)));
        let is_enough = !is_guarded && (open.is_empty() || matches!(at, Where::Grid(_)));
        is_enough.then_some((open, needs | others))
    }

    /// Where an access begins, and what that rests on.
    pub(super) fn start(&mut self, access: &Access<'_>) -> Option<(Form, u64)> {
        let mut address = Form::constant(access.place.offset.into());
        let mut needs = 0;
        for index in &access.place.indices {
            let known = self.of(self.index(index.value))?;
            address = address.plus(&known.form, index.stride.into())?;
            needs |= known.needs;
        }
        Some((address, needs))
    }

    /// Whether a condition around an access may be about an unknown.
    fn is_guarded(&mut self, access: &Access<'_>, about: &Unknown) -> bool {
        let guards = access.guards.iter().map(|(condition, _)| *condition);
        let values: Vec<Value> = guards.chain(access.cases.iter().map(|(selector, _)| *selector)).collect();
        values.into_iter().any(|value| {
            // Of another condition nothing is known.
            let Some((_, a, b)) = comparison(self.function, self.tree, value) else { return true };
            [a, b].into_iter().any(|operand| {
                let Some(known) = self.of(operand) else { return true };
                known.form.unknowns().any(|unknown| self.may_be_about(unknown, about))
            })
        })
    }

    fn may_be_about(&self, unknown: u32, about: &Unknown) -> bool {
        match self.unknown(unknown) {
            Unknown::Local(_) | Unknown::Group(_) => self.unknown(unknown) == about,
            Unknown::Groups(_) | Unknown::Len(_) => false,
            Unknown::Value(value) => !matches!(self.tree.def(*value), Def::Argument(_)),
            _ => true,
        }
    }
}
