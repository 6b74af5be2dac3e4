//! What an instruction holds: its operands, regions, places and what it passes on, each in order.
//!
//! Whoever goes through a function asks every instruction, and passes do it many times in
//! builds that are not optimised; so nothing here allocates but the regions of a `switch`.

use super::{CallArg, Index, InstKind, Place, Region, Root, Value};

/// The regions of an instruction, in order.
///
/// ```
/// use samebits_ir::ir::InstKind;
/// assert_eq!(InstKind::Barrier.regions().next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Regions(List);

#[derive(Clone, Debug)]
enum List {
    None,
    One(Region),
    Two(Region, Region),
    Many(std::vec::IntoIter<Region>),
}

impl Iterator for Regions {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        match &mut self.0 {
            List::None => None,
            &mut List::One(region) => {
                self.0 = List::None;
                Some(region)
            }
            &mut List::Two(first, second) => {
                self.0 = List::One(second);
                Some(first)
            }
            List::Many(regions) => regions.next(),
        }
    }
}

/// Does something with every operand of an instruction, in evaluation order. The operands are
/// references, mutable ones where the instruction is.
macro_rules! operands {
    ($kind:expr, $value:ident => $do:expr) => {
        match $kind {
            InstKind::Op(_, args)
            | InstKind::Subgroup(_, args)
            | InstKind::Loop { initial: args, .. }
            | InstKind::Yield(args)
            | InstKind::Break(_, args)
            | InstKind::Continue(_, args)
            | InstKind::Return(args) => {
                for $value in args {
                    $do;
                }
            }
            InstKind::Set(_, $value)
            | InstKind::If { condition: $value, .. }
            | InstKind::Switch { selector: $value, .. } => $do,
            InstKind::Load(Place { indices, .. }) => {
                for Index { value: $value, .. } in indices {
                    $do;
                }
            }
            InstKind::Store(Place { indices, .. }, stored) => {
                for Index { value: $value, .. } in indices {
                    $do;
                }
                let $value = stored;
                $do;
            }
            InstKind::Atomic(_, Place { indices, .. }, args, _) => {
                for Index { value: $value, .. } in indices {
                    $do;
                }
                for $value in args {
                    $do;
                }
            }
            InstKind::Call { args, .. } => {
                for arg in args {
                    match arg {
                        CallArg::Value($value) => $do,
                        CallArg::Place(Place { indices, .. }) => {
                            for Index { value: $value, .. } in indices {
                                $do;
                            }
                        }
                    }
                }
            }
            InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Barrier | InstKind::Fence(..) => {}
            InstKind::Get(_) | InstKind::Unreachable => {}
        }
    };
}

impl InstKind {
    /// Whether the instruction owns regions.
    ///
    /// ```
    /// use samebits_ir::ir::InstKind;
    /// assert!(!InstKind::Barrier.has_regions());
    /// ```
    pub const fn has_regions(&self) -> bool {
        matches!(self, Self::If { .. } | Self::Switch { .. } | Self::Loop { .. })
    }

    /// The regions that the instruction owns, in order.
    pub fn regions(&self) -> Regions {
        Regions(match self {
            Self::If { then, otherwise, .. } => List::Two(*then, *otherwise),
            Self::Switch { cases, default, .. } => {
                let mut regions = Vec::with_capacity(cases.len() + 1);
                regions.extend(cases.iter().map(|case| case.region));
                regions.push(*default);
                List::Many(regions.into_iter())
            }
            Self::Loop { body, .. } => List::One(*body),
            _ => List::None,
        })
    }

    /// Calls `f` with every operand, in evaluation order.
    pub fn for_each_operand(&self, mut f: impl FnMut(Value)) {
        operands!(self, value => f(*value));
    }

    /// Replaces every operand, in evaluation order.
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        operands!(self, value => *value = f(*value));
    }

    /// Calls `f` with every region that the instruction owns, in order.
    pub(crate) fn for_each_region_mut(&mut self, mut f: impl FnMut(&mut Region)) {
        match self {
            Self::If { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            Self::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|case| f(&mut case.region));
                f(default);
            }
            Self::Loop { body, .. } => f(body),
            _ => {}
        }
    }

    /// Calls `f` with every memory that the instruction names.
    pub(crate) fn for_each_root_mut(&mut self, mut f: impl FnMut(&mut Root)) {
        match self {
            Self::Load(place) | Self::Store(place, _) | Self::Atomic(_, place, ..) => f(&mut place.root),
            Self::Len(root) => f(root),
            Self::Call { args, .. } => {
                for arg in args {
                    if let CallArg::Place(place) = arg {
                        f(&mut place.root);
                    }
                }
            }
            _ => {}
        }
    }

    /// The place that the instruction itself accesses; the places of a call are views.
    pub const fn place(&self) -> Option<&Place> {
        match self {
            Self::Load(place) | Self::Store(place, _) | Self::Atomic(_, place, ..) => Some(place),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) const fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Self::Load(place) | Self::Store(place, _) | Self::Atomic(_, place, ..) => Some(place),
            _ => None,
        }
    }

    /// The values that a `yield`, `break` or `continue` passes on; none for any other instruction.
    pub(crate) const fn passed(&self) -> &[Value] {
        match self {
            Self::Yield(values) | Self::Break(_, values) | Self::Continue(_, values) => values.as_slice(),
            _ => &[],
        }
    }

    /// The same, to be changed.
    pub(crate) const fn passed_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Self::Yield(values) | Self::Break(_, values) | Self::Continue(_, values) => Some(values),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Id;
    use crate::ir::Case;
    use crate::ops::{AtomicOp, Op, SubgroupOp};
    use crate::order::MemoryOrder;

    /// An instruction of every kind that has operands, whose operands are 0, 1, 2 ….
    fn kinds() -> Vec<(InstKind, usize)> {
        let v = Id::from_index;
        let (then, otherwise) = (Id::from_index(7), Id::from_index(8));
        let index = |value| Index { value, stride: 4, bound: None };
        let place = Place { root: Root::Param(0), offset: 0, indices: vec![index(v(0)), index(v(1))] };
        let target = Id::from_index(0);
        vec![
            (InstKind::Op(Op::Select, vec![v(0), v(1), v(2)]), 3),
            (InstKind::Load(place.clone()), 2),
            (InstKind::Store(place.clone(), v(2)), 3),
            (InstKind::Atomic(AtomicOp::Add, place.clone(), vec![v(2)], MemoryOrder::RELAXED), 3),
            (InstKind::Call { function: 0, args: vec![CallArg::Place(place), CallArg::Value(v(2))] }, 3),
            (InstKind::Set(Id::from_index(0), v(0)), 1),
            (InstKind::If { condition: v(0), then, otherwise }, 1),
            (
                InstKind::Switch {
                    selector: v(0),
                    cases: vec![Case { values: vec![3], region: then }],
                    default: otherwise,
                },
                1,
            ),
            (InstKind::Yield(vec![v(0), v(1)]), 2),
            (InstKind::Break(target, vec![v(0)]), 1),
            (InstKind::Continue(target, vec![v(0)]), 1),
            (InstKind::Return(vec![v(0)]), 1),
            (InstKind::Subgroup(SubgroupOp::Shuffle, vec![v(0), v(1)]), 2),
            (InstKind::Barrier, 0),
        ]
    }

    #[test]
    fn operands_come_in_the_order_of_evaluation() {
        for (kind, count) in kinds() {
            let mut met = Vec::new();
            kind.for_each_operand(|value| met.push(value.index()));
            assert_eq!(met, (0..count).collect::<Vec<_>>(), "{kind:?}");
        }
    }

    #[test]
    fn every_operand_is_replaced_once() {
        for (mut kind, count) in kinds() {
            kind.map_operands(|value| Id::from_index(value.index() + 100));
            let mut met = Vec::new();
            kind.for_each_operand(|value| met.push(value.index()));
            assert_eq!(met, (100..100 + count).collect::<Vec<_>>(), "{kind:?}");
        }
    }

    #[test]
    fn regions_come_in_order() {
        for (kind, _) in kinds() {
            let regions: Vec<usize> = kind.regions().map(Id::index).collect();
            let expected: &[usize] = if kind.has_regions() { &[7, 8] } else { &[] };
            assert_eq!(regions, expected, "{kind:?}");
        }
    }
}
