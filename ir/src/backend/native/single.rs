//! Branches that one lane of a row takes: `if lane == 255 { … }`.
//!
//! In the loop over the lanes such a branch is a store under a mask in every round. So the loop does what is before it,
//! and then the one lane goes to it by itself. It loads again what it needs, so nothing that is loaded may be stored to.

use super::along::{Path, is_racy};
use super::plan::leads_away;
use super::writer::Writer;
use crate::analysis::tree::Def;
use crate::ir::{Inst, InstKind, Root, Value};
use crate::ops::{Builtin, Op};
use crate::types::Type;

/// A path that ends in such a branch.
pub(super) struct Single {
    /// What all lanes do.
    all: Vec<Inst>,
    /// What the one lane does then.
    one: Vec<Inst>,
    /// Its number, and what that is at the beginning of the row.
    number: String,
    first: String,
}

impl Writer<'_> {
    /// Whether a path ends in a branch that one lane takes.
    pub(super) fn single(&self, path: &Path) -> Option<Single> {
        let function = self.function;
        let (last, before) = path.list.split_last()?;
        let (end, before) = match &function.insts[*last].kind {
            InstKind::If { .. } => (None, before),
            kind if kind.is_terminator() => (Some(*last), before),
            _ => return None,
        };
        let (branch, before) = if end.is_none() { (last, before) } else { before.split_last()? };
        let def = &function.insts[*branch];
        let InstKind::If { condition, then, otherwise } = &def.kind else { return None };
        let does_nothing = function.regions[*otherwise].insts.len() == 1 && function.yielded(*otherwise).is_some();
        if !def.results.is_empty() || !does_nothing || leads_away(&self.given(), &[], *branch) {
            return None;
        }
        let (first, number) = self.one_number(*condition)?;
        let (mut loaded, mut stored) = (Vec::new(), self.stored_in(function.regions[*then].insts.clone())?);
        if self.computes_once(path) {
            return None;
        }
        for inst in before {
            match &function.insts[*inst].kind {
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) => {}
                // Of a branch that all lanes take.
                InstKind::Yield(values) if values.is_empty() => {}
                // Another load of what others may store to at the same time may find something else.
                InstKind::Load(_) if is_racy(function, *inst) => return None,
                InstKind::Load(place) if !matches!(place.root, Root::Private(_)) => loaded.push(place.root),
                InstKind::Store(place, _) if !matches!(place.root, Root::Private(_)) => stored.push(place.root),
                _ => return None,
            }
        }
        if loaded.iter().any(|root| stored.contains(root)) {
            return None;
        }
        let stores = |inst: &Inst| matches!(function.insts[*inst].kind, InstKind::Store(..));
        let all = before.iter().copied().chain(end).collect();
        let one = before.iter().copied().filter(|inst| !stores(inst)).chain([*branch]).collect();
        Some(Single { all, one, number, first })
    }

    /// The number of the one lane for which a condition may hold, and that of the first lane of the row.
    fn one_number(&self, condition: Value) -> Option<(String, String)> {
        let (op, args) = self.tree.op(self.function, condition)?;
        let &[a, b] = args else { return None };
        if op == Op::And {
            return self.one_number(a).or_else(|| self.one_number(b));
        }
        if op != Op::Eq || self.function.ty(a) != Type::U32 {
            return None;
        }
        let first = |value: Value| match self.tree.def(value) {
            Def::Result(inst, _) => match self.function.insts[inst].kind {
                InstKind::Builtin(Builtin::GlobalIdX) => Some("ox".to_owned()),
                InstKind::Builtin(Builtin::LocalIdX) => Some("0u32".to_owned()),
                InstKind::Builtin(Builtin::LocalIndex) => Some(self.lanes_before_row()),
                _ => None,
            },
            _ => None,
        };
        let pair = |lane: Value, number: Value| {
            let is_there = self.function.constant_bits(number).is_some() || self.is_there(number);
            is_there.then_some(())?;
            Some((first(lane)?, self.scalar(number)))
        };
        pair(a, b).or_else(|| pair(b, a))
    }

    /// The memory that instructions store to; `None` if they do more than load, compute and store plainly.
    fn stored_in(&self, mut pending: Vec<Inst>) -> Option<Vec<Root>> {
        let mut stored = Vec::new();
        while let Some(inst) = pending.pop() {
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Store(place, _) => stored.push(place.root),
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Load(_) => {}
                InstKind::If { .. } | InstKind::Yield(_) => {}
                _ => return None,
            }
            pending.extend(kind.regions().flat_map(|region| &self.function.regions[region].insts));
        }
        Some(stored)
    }

    /// Writes the loop over the `count` neighbours from `lo` on, and what the one lane does if it is among them.
    pub(super) fn all_and_one(&mut self, path: &Path, single: &Single) {
        let is_rest = |inst: &Inst| self.function.insts[*inst].kind.is_terminator();
        if !single.all.iter().all(is_rest) {
            self.code.open("for i in 0..count {");
            self.one_by_one(path.moves_apart);
            self.code.line("let x = lo.unchecked_add(i);");
            self.lane(&single.all);
            self.code.close("}");
        }
        self.code.line(format!("let i = {}.wrapping_sub({}).wrapping_sub(lo);", single.number, single.first));
        self.code.open("if i < count {");
        self.code.line("let x = lo.unchecked_add(i);");
        self.lane(&single.one);
        self.code.close("}");
    }
}
