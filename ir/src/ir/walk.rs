//! What an instruction holds: its operands and its regions, each in order.
//!
//! Whoever goes through a function asks every instruction, and passes do it many times in
//! builds that are not optimised; so nothing here allocates but the regions of a `switch`.

use super::{CallArg, InstKind, Place, Region, Value};

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
        match self {
            Self::Op(_, args) | Self::Subgroup(_, args) => each(args, &mut f),
            Self::Load(place) => each_index(place, &mut f),
            Self::Store(place, value) => {
                each_index(place, &mut f);
                f(*value);
            }
            Self::Atomic(_, place, args, _) => {
                each_index(place, &mut f);
                each(args, &mut f);
            }
            Self::Call { args, .. } => {
                for arg in args {
                    match arg {
                        CallArg::Value(value) => f(*value),
                        CallArg::Place(place) => each_index(place, &mut f),
                    }
                }
            }
            Self::Set(_, value) => f(*value),
            Self::If { condition, .. } => f(*condition),
            Self::Switch { selector, .. } => f(*selector),
            Self::Loop { initial, .. } => each(initial, &mut f),
            Self::Yield(args) | Self::Break(_, args) | Self::Continue(_, args) | Self::Return(args) => {
                each(args, &mut f);
            }
            Self::Len(_) | Self::Builtin(_) | Self::Barrier | Self::Fence(..) | Self::Get(_) => {}
            Self::Unreachable => {}
        }
    }

    /// Replaces every operand, in evaluation order.
    pub fn map_operands(&mut self, mut f: impl FnMut(Value) -> Value) {
        match self {
            Self::Op(_, args) | Self::Subgroup(_, args) => map(args, &mut f),
            Self::Load(place) => map_indices(place, &mut f),
            Self::Store(place, value) => {
                map_indices(place, &mut f);
                *value = f(*value);
            }
            Self::Atomic(_, place, args, _) => {
                map_indices(place, &mut f);
                map(args, &mut f);
            }
            Self::Call { args, .. } => {
                for arg in args {
                    match arg {
                        CallArg::Value(value) => *value = f(*value),
                        CallArg::Place(place) => map_indices(place, &mut f),
                    }
                }
            }
            Self::Set(_, value) => *value = f(*value),
            Self::If { condition, .. } => *condition = f(*condition),
            Self::Switch { selector, .. } => *selector = f(*selector),
            Self::Loop { initial, .. } => map(initial, &mut f),
            Self::Yield(args) | Self::Break(_, args) | Self::Continue(_, args) | Self::Return(args) => {
                map(args, &mut f);
            }
            Self::Len(_) | Self::Builtin(_) | Self::Barrier | Self::Fence(..) | Self::Get(_) => {}
            Self::Unreachable => {}
        }
    }
}

fn each(values: &[Value], f: &mut impl FnMut(Value)) {
    for &value in values {
        f(value);
    }
}

fn each_index(place: &Place, f: &mut impl FnMut(Value)) {
    for index in &place.indices {
        f(index.value);
    }
}

fn map(values: &mut [Value], f: &mut impl FnMut(Value) -> Value) {
    for value in values {
        *value = f(*value);
    }
}

fn map_indices(place: &mut Place, f: &mut impl FnMut(Value) -> Value) {
    for index in &mut place.indices {
        index.value = f(index.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Id;
    use crate::ir::{Case, Index, Root};
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
