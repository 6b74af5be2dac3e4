//! Values computed for an invocation, as far as they are functions of ids, constants and the
//! counters of loops.

use super::table::{Reason, Tables};
use super::values::{MAX_DEPTH, Unknown, read};
use crate::analysis::tree::Def;
use crate::arena::Side;
use crate::ir::{Inst, InstKind, Place, Root, Value, ValueDef};
use crate::ops::{Builtin, Op, SUBGROUP_SIZE, SubgroupOp};
use crate::types::Type;
use std::collections::{BTreeMap, HashMap};

/// What is known of an invocation, or of all of a workgroup.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Tells it from others that know something else; values that were computed for it are kept by it.
    id: u32,
    pub(super) local: Option<u32>,
    pub(super) group: Option<[u32; 3]>,
    pub(super) params: BTreeMap<Value, Option<u64>>,
}

/// Values that were computed, each with the id of what was known.
pub(super) struct Computed {
    values: Side<ValueDef, (u32, Option<u64>)>,
    /// The types of the operands of ops that can be computed.
    operands: HashMap<Inst, Option<Vec<Type>>>,
    ids: u32,
}

impl Computed {
    pub(super) fn new(values: usize) -> Self {
        Self { values: Side::sized((0, None), values), operands: HashMap::new(), ids: 0 }
    }
}

impl Tables<'_, '_> {
    /// Something known that is new.
    pub(super) fn known(&mut self, local: Option<u32>, group: Option<[u32; 3]>) -> Known {
        self.with(&Known { local, group, ..Known::default() }, &BTreeMap::new())
    }

    /// The same with some parameters of loops.
    pub(super) fn with(&mut self, known: &Known, params: &BTreeMap<Value, Option<u64>>) -> Known {
        self.computed.ids += 1;
        let mut known = Known { id: self.computed.ids, ..known.clone() };
        known.params.extend(params);
        known
    }

    /// What was computed of a value, if it was.
    pub(super) fn computed(&self, value: Value, known: &Known) -> Option<u64> {
        let (id, bits) = self.computed.values[value];
        if id == known.id { bits } else { None }
    }

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
        let (id, bits) = self.computed.values[value];
        if id == known.id {
            return Ok(bits);
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
                InstKind::Op(Op::Select, args) if args.len() == 3 => {
                    let condition = self.evaluate(args[0], known, depth + 1)?;
                    let (one, other) =
                        (self.evaluate(args[1], known, depth + 1)?, self.evaluate(args[2], known, depth + 1)?);
                    condition.and_then(|condition| if condition != 0 { one } else { other })
                }
                InstKind::Op(op, args) => {
                    let mut lanes = Vec::with_capacity(args.len());
                    for &arg in args {
                        lanes.push(self.evaluate(arg, known, depth + 1)?);
                    }
                    match (op, lanes.as_slice()) {
                        (Op::And, [a, b]) if *a == Some(0) || *b == Some(0) => Some(0),
                        _ => self.op(inst, *op, args, value, &lanes),
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
        self.computed.values[value] = (known.id, bits);
        Ok(bits)
    }

    /// What an op gives; the types of its operands are looked at once.
    fn op(&mut self, inst: Inst, op: Op, args: &[Value], value: Value, lanes: &[Option<u64>]) -> Option<u64> {
        let function = self.values.function;
        let ty = function.ty(value);
        let types = self.computed.operands.entry(inst).or_insert_with(|| {
            let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
            let are_scalars = types.iter().chain([&ty]).all(|ty| matches!(ty, Type::Scalar(_)));
            (are_scalars && op.result(&types, Some(ty)) == Some(ty)).then_some(types)
        });
        let lanes: Option<Vec<_>> = lanes.iter().map(|bits| Some([(*bits)?, 0, 0, 0])).collect();
        Some(op.eval(types.as_ref()?, ty, &lanes?)[0])
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
