//! Whether it shows which of two expressions is evaluated first.
//!
//! It does not if what one changes is nothing that the other one reads. All expressions of each are known by then.

use super::Lowerer;
use super::borrow::overlap;
use crate::hir::{Body, ExprId, ExprKind, Place};
use std::ops::Range;

/// What some expressions do to places.
#[derive(Default)]
struct Effects {
    reads: Vec<Place>,
    writes: Vec<Place>,
    /// Whether they do more than that: leave, wait, or use atomics.
    other: bool,
}

impl Lowerer<'_, '_> {
    /// Whether the order of two ranges of expressions shows: the value on the right, and the place on the left.
    pub(super) fn order_shows(&self, (right, left): (Range<usize>, Range<usize>)) -> bool {
        let (right, left) = (effects(&self.body, right), effects(&self.body, left));
        let meet = |a: &[Place], b: &[Place]| a.iter().any(|a| b.iter().any(|b| overlap(a, b)));
        meet(&right.writes, &left.reads)
            || meet(&left.writes, &right.reads)
            || meet(&left.writes, &right.writes)
            || right.other && (left.other || !left.writes.is_empty())
            || left.other && !right.writes.is_empty()
    }
}

fn effects(body: &Body, range: Range<usize>) -> Effects {
    let mut effects = Effects::default();
    for id in body.exprs.ids().skip(range.start).take(range.len()) {
        of(body, id, &mut effects);
    }
    effects
}

fn of(body: &Body, id: ExprId, effects: &mut Effects) {
    match &body.exprs[id].kind {
        ExprKind::Local(local) if body.locals[*local].mutable => {
            effects.reads.push(Place::Local { local: *local, path: Vec::new(), lane: None });
        }
        ExprKind::Load(place) => effects.reads.push(place.clone()),
        ExprKind::Assign(place, _) => effects.writes.push(place.clone()),
        ExprKind::AssignOp(_, place, _) => {
            effects.reads.push(place.clone());
            effects.writes.push(place.clone());
        }
        ExprKind::AssignParts(places, _) => effects.writes.extend(places.iter().map(|(place, _)| place.clone())),
        ExprKind::Atomic(..) | ExprKind::Barrier | ExprKind::Broadcast(_) | ExprKind::Fence(..) => effects.other = true,
        ExprKind::Break(..) | ExprKind::Continue(_) | ExprKind::Return(_) => effects.other = true,
        _ => {}
    }
}
