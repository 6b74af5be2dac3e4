//! Values that are computed in the same way from the same values, wherever that happens.
//!
//! Uniformity uses this to see that two paths produce the same value. A pass that could make
//! one of two such values look different asks [`merged_alike`] which ones to leave as they are.

use super::tree::Tree;
use crate::arena::Side;
use crate::ir::{Access, Function, Index, Inst, InstKind, Place, Root, Value, ValueDef};
use crate::ops::{Builtin, Op};
use crate::types::Type;
use std::collections::HashMap;

/// What computes a value, apart from its operands.
#[derive(PartialEq, Eq, Hash)]
enum What {
    Op(Op),
    Builtin(Builtin),
    Len(Root),
    Load(Place),
}

/// Of the values that are computed alike from the same values, the first one. An invocation
/// that computes both finds the same.
pub(crate) fn first_alike(function: &Function, tree: &Tree) -> Side<ValueDef, Option<Value>> {
    let mut first: Side<ValueDef, Option<Value>> = Side::new(None);
    let mut known: HashMap<(What, Vec<Value>, Type), Value> = HashMap::new();
    for &inst in tree.insts() {
        let def = &function.insts[inst];
        let mut args = Vec::new();
        def.kind.for_each_operand(|arg| args.push(first[arg].unwrap_or(arg)));
        let what = match &def.kind {
            InstKind::Op(op, _) => What::Op(*op),
            InstKind::Builtin(builtin) => What::Builtin(*builtin),
            InstKind::Len(root) => What::Len(*root),
            InstKind::Load(place) if function.root_access(place.root) == Some(Access::Read) => {
                let index = |(&value, index): (&Value, &Index)| Index { value, ..*index };
                let indices = args.iter().zip(&place.indices).map(index).collect();
                What::Load(Place { indices, ..*place })
            }
            _ => continue,
        };
        if let &[result] = &def.results[..] {
            first[result] = Some(*known.entry((what, args, function.ty(result))).or_insert(result));
        }
    }
    first
}

/// The values that are passed on in a place of a jump or `yield` where another way to the same
/// brings one that is computed alike, and all that they are computed from.
pub(crate) fn merged_alike(function: &Function, tree: &Tree) -> Side<ValueDef, bool> {
    let first = first_alike(function, tree);
    let number = |value: Value| first[value].unwrap_or(value);
    let mut alike = Side::new(false);
    let mut todo: Vec<Value> = Vec::new();
    let args = |&inst: &Inst| function.insts[inst].kind.passed();
    for &inst in tree.insts() {
        if !function.insts[inst].kind.has_regions() {
            continue;
        }
        for ways in [tree.exits(inst), tree.continues(inst)] {
            let places = ways.iter().map(|way| args(way).len()).max().unwrap_or_default();
            for place in 0..places {
                let mut ways_of: HashMap<Value, usize> = HashMap::new();
                let passed = || ways.iter().filter_map(|way| args(way).get(place).copied());
                passed().for_each(|value| *ways_of.entry(number(value)).or_default() += 1);
                todo.extend(passed().filter(|&value| ways_of.get(&number(value)).is_some_and(|&ways| ways > 1)));
            }
        }
    }
    while let Some(value) = todo.pop() {
        if std::mem::replace(&mut alike[value], true) {
            continue;
        }
        if let Some(inst) = tree.inst_of(value)
            && let kind @ (InstKind::Op(..) | InstKind::Load(_)) = &function.insts[inst].kind
        {
            kind.for_each_operand(|operand| todo.push(operand));
        }
    }
    alike
}
