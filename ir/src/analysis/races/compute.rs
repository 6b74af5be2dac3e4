//! Values computed for an invocation, as far as they are functions of ids, constants and the
//! counters of loops.

use super::table::{Reason, Tables};
use super::values::{MAX_DEPTH, Unknown, read};
use crate::analysis::tree::Def;
use crate::ir::{InstKind, Place, Root, Value};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use crate::types::Type;
use std::collections::{BTreeMap, HashMap};

/// What is known of an invocation, or of all of a workgroup.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) local: Option<u32>,
    pub(super) group: Option<[u32; 3]>,
    pub(super) params: BTreeMap<Value, Option<u64>>,
    pub(super) values: HashMap<Value, Option<u64>>,
}

impl Known {
    pub(super) fn with(&self, params: &BTreeMap<Value, Option<u64>>) -> Self {
        let mut known = Self { values: HashMap::new(), ..self.clone() };
        known.params.extend(params);
        known
    }
}

impl Tables<'_, '_> {
    /// The number that an unknown is.
    pub(super) fn number(&mut self, unknown: u32, known: &mut Known) -> Result<Option<i128>, Reason> {
        match self.values.unknown(unknown).clone() {
            Unknown::Local(axis) => Ok(known.local.map(|local| self.local(local)[axis].into())),
            Unknown::Group(axis) => Ok(known.group.map(|group| group[axis].into())),
            Unknown::Value(value) => {
                let Type::Scalar(ty) = self.values.function.ty(value) else { return Ok(None) };
                Ok(self.evaluate(value, known, 0)?.map(|bits| read(ty, bits)))
            }
            Unknown::Quotient(form, by) => {
                let mut sum = form.constant;
                for (product, value) in &form.terms {
                    let mut term = *value;
                    for &inner in product {
                        let Some(factor) = self.number(inner, known)? else { return Ok(None) };
                        let Some(product) = term.checked_mul(factor) else { return Ok(None) };
                        term = product;
                    }
                    let Some(more) = sum.checked_add(term) else { return Ok(None) };
                    sum = more;
                }
                Ok(Some(sum.div_euclid(by)))
            }
            Unknown::Digit(of, low, high) => {
                let number = self.number(of, known)?;
                Ok(number.map(|number| number.div_euclid(low).rem_euclid(high / low)))
            }
            Unknown::Ratio(..) | Unknown::Groups(_) | Unknown::Len(_) | Unknown::Round(_) => Ok(None),
        }
    }

    fn local(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.values.function.workgroup_size().map(|extent| extent.max(1));
        [index % x, index / x % y, index / x / y]
    }

    /// The bits of a scalar value, if they can be computed.
    pub(super) fn evaluate(&mut self, value: Value, known: &mut Known, depth: usize) -> Result<Option<u64>, Reason> {
        let function = self.values.function;
        if let Some(bits) = function.constant_bits(value) {
            return Ok(Some(bits));
        }
        if let Some(bits) = known.values.get(&value) {
            return Ok(*bits);
        }
        self.spend(1)?;
        let bits = match self.values.tree.def(value) {
            _ if depth > MAX_DEPTH => None,
            Def::Constant | Def::Argument(_) => None,
            Def::Param(..) => known.params.get(&value).copied().flatten(),
            Def::Result(inst, i) => match &function.insts[inst].kind {
                InstKind::Builtin(builtin) => self.builtin(*builtin, known),
                InstKind::Subgroup(SubgroupOp::Elect, _) => {
                    self.builtin(Builtin::SubgroupLane, known).map(|lane| u64::from(lane == 0))
                }
                InstKind::Load(place) => self.looked_up(value, place, known, depth)?,
                InstKind::Op(op, args) => {
                    let mut bits = HashMap::new();
                    for &arg in args {
                        bits.insert(arg, self.evaluate(arg, known, depth + 1)?);
                    }
                    let of = |value: Value| bits.get(&value).copied().flatten();
                    match (op, args.as_slice()) {
                        (Op::Select, &[condition, one, other]) => {
                            of(condition).and_then(|condition| of(if condition != 0 { one } else { other }))
                        }
                        (Op::And, &[a, b]) if of(a) == Some(0) || of(b) == Some(0) => Some(0),
                        _ => function.evaluated(*op, args, function.ty(value), of),
                    }
                }
                InstKind::If { condition, then, otherwise } => match self.evaluate(*condition, known, depth + 1)? {
                    Some(condition) => {
                        let arm = if condition != 0 { *then } else { *otherwise };
                        match function.yielded(arm).and_then(|values| values.get(i)) {
                            Some(&value) => self.evaluate(value, known, depth + 1)?,
                            None => None,
                        }
                    }
                    None => None,
                },
                _ => None,
            },
        };
        known.values.insert(value, bits);
        Ok(bits)
    }

    /// What a load from a constant table gives.
    fn looked_up(
        &mut self,
        value: Value,
        place: &Place,
        known: &mut Known,
        depth: usize,
    ) -> Result<Option<u64>, Reason> {
        let function = self.values.function;
        let Root::Table(table) = place.root else { return Ok(None) };
        let mut at = u64::from(place.offset);
        for index in &place.indices {
            match self.evaluate(index.value, known, depth + 1)? {
                Some(bits) if index.bound.is_none_or(|bound| bits < bound.into()) => {
                    at = at.saturating_add(bits.saturating_mul(index.stride.into()));
                }
                _ => return Ok(None),
            }
        }
        let (ty, table) = (function.ty(value), function.tables.get(table as usize));
        Ok(table.filter(|table| table.holds(ty, at)).map(|table| table.value(ty, at)[0]))
    }

    fn builtin(&self, builtin: Builtin, known: &Known) -> Option<u64> {
        let size = self.values.function.workgroup_size();
        let axis = builtin.axis().unwrap_or(0);
        let number = match builtin {
            Builtin::LocalIdX | Builtin::LocalIdY | Builtin::LocalIdZ => self.local(known.local?)[axis],
            Builtin::LocalIndex => known.local?,
            Builtin::SubgroupId => known.local? / SUBGROUP_SIZE,
            Builtin::SubgroupLane => known.local? % SUBGROUP_SIZE,
            Builtin::NumSubgroups => (self.values.function.invocations() as u32).div_ceil(SUBGROUP_SIZE),
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => known.group?[axis],
            Builtin::GlobalIdX | Builtin::GlobalIdY | Builtin::GlobalIdZ => {
                let first = known.group?[axis].wrapping_mul(size[axis]);
                first.wrapping_add(self.local(known.local?)[axis])
            }
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => return None,
        };
        Some(number.into())
    }
}
