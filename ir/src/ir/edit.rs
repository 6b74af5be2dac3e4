//! How a function is changed: new values and instructions, values in the place of others, and
//! instructions in the place of others.
//!
//! The arenas only grow. What is no longer used stays there, and no region's list names it.

use super::{Function, Inst, InstDef, InstKind, Value, ValueDef};
use crate::arena::Side;
use crate::loc::Loc;
use crate::types::Type;

impl Function {
    /// A new value without a name.
    pub(crate) fn value(&mut self, ty: Type) -> Value {
        self.values.push(ValueDef { ty, constant: None, name: None })
    }

    /// A new instruction, which no region holds yet.
    pub(crate) fn inst(&mut self, kind: InstKind, results: Vec<Value>, loc: Loc) -> Inst {
        self.insts.push(InstDef { kind, results, loc })
    }

    /// A new instruction, which no region holds yet, and its only result, which is of this type.
    pub(crate) fn made(&mut self, kind: InstKind, ty: Type, loc: Loc) -> (Inst, Value) {
        let value = self.value(ty);
        (self.inst(kind, vec![value], loc), value)
    }

    /// Puts lists of instructions in the place of instructions, wherever a region holds them.
    pub(crate) fn put_instead(&mut self, instead: &Side<InstDef, Option<Vec<Inst>>>) {
        for region in self.regions.ids() {
            let insts = &self.regions[region].insts;
            if insts.iter().all(|&inst| instead[inst].is_none()) {
                continue;
            }
            let mut new = Vec::with_capacity(insts.len());
            for &inst in insts {
                match &instead[inst] {
                    Some(insts) => new.extend_from_slice(insts),
                    None => new.push(inst),
                }
            }
            self.regions[region].insts = new;
        }
    }
}

/// What is used instead of values. What replaces a value may be replaced in turn; it was defined
/// before what it replaces, so that no chain leads back.
#[derive(Clone, Debug)]
pub(crate) struct Replaced(Side<ValueDef, Option<Value>>);

impl Replaced {
    pub(crate) fn new() -> Self {
        Self(Side::new(None))
    }

    pub(crate) fn set(&mut self, value: Value, by: Value) {
        self.0[value] = Some(by);
    }

    /// Replaces values by others in order.
    pub(crate) fn set_all(&mut self, values: &[Value], by: &[Value]) {
        for (&value, &by) in values.iter().zip(by) {
            self.set(value, by);
        }
    }

    /// What a value was replaced by, if it was.
    pub(crate) fn get(&self, value: Value) -> Option<Value> {
        self.0[value]
    }

    /// What is used for a value in the end.
    pub(crate) fn resolve(&self, mut value: Value) -> Value {
        while let Some(next) = self.0[value] {
            value = next;
        }
        value
    }

    /// Lets an instruction's operands be what is used for them; says whether any is another one.
    pub(crate) fn follow(&self, kind: &mut InstKind) -> bool {
        let mut changed = false;
        kind.map_operands(|value| {
            let mut now = value;
            while let Some(next) = self.0[now] {
                now = next;
            }
            changed |= now != value;
            now
        });
        changed
    }
}
