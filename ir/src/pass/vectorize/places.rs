//! Places as a base and an offset, and which of them are in bounds together.

use crate::analysis::align::Alignment;
use crate::analysis::tree::Tree;
use crate::flags::Flags;
use crate::ir::{Function, Index, Place, Root, Value};
use crate::ops::Op;
use crate::types::Types;

/// The indices of a place: value, stride and bound. Places of one root with equal bases are
/// as far apart as their offsets.
pub(super) type Base = Vec<(Value, u32, Option<u32>)>;

/// What is known of places.
pub(super) struct Places<'a> {
    pub function: &'a Function,
    pub types: &'a Types,
    pub tree: &'a Tree,
    pub alignment: &'a Alignment,
}

impl Places<'_> {
    /// A place with the constants of its indices in the offset. `None` for one that is out
    /// of bounds or whose offset would not be a `u32`.
    pub fn split(&self, place: &Place) -> Option<(Base, u32)> {
        let mut offset = place.offset;
        let mut base = Vec::new();
        for &Index { mut value, stride, bound } in &place.indices {
            if let Some(bits) = self.function.constant_bits(value) {
                if bound.is_some_and(|bound| bits >= u64::from(bound)) {
                    return None;
                }
                offset = offset.checked_add(u32::try_from(bits).ok()?.checked_mul(stride)?)?;
                continue;
            }
            while let Some((rest, added)) = self.sum(value, bound) {
                let Some(next) = added.checked_mul(stride).and_then(|bytes| offset.checked_add(bytes)) else { break };
                (value, offset) = (rest, next);
            }
            base.push((value, stride, bound));
        }
        Some((base, offset))
    }

    /// A value as another one plus a constant, if that sum does not wrap and is below the
    /// bound exactly if the other one is.
    fn sum(&self, value: Value, bound: Option<u32>) -> Option<(Value, u32)> {
        let inst = self.tree.inst_of(value)?;
        // What is to be taken for different in each invocation stays the index.
        if self.function.flags[inst].has(Flags::NONUNIFORM) {
            return None;
        }
        let (Op::Add | Op::Or, &[a, b]) = self.tree.op(self.function, value)? else { return None };
        let (rest, added) = match (self.function.constant_bits(a), self.function.constant_bits(b)) {
            (None, Some(added)) => (a, added),
            (Some(added), None) => (b, added),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        let added = u32::try_from(added).ok()?;
        // The constant is below this power of two, which divides the rest and the bound, so
        // that no bit is carried and no bound is passed between the two.
        let step = added.checked_add(1)?.checked_next_power_of_two()?;
        let divides = self.alignment.zeros(rest) >= step.trailing_zeros();
        (divides && bound.is_none_or(|bound| bound.is_multiple_of(step))).then_some((rest, added))
    }

    /// The place of a base and an offset.
    pub fn place(&self, root: Root, base: &Base, offset: u32) -> Place {
        let index = |&(value, stride, bound): &(Value, u32, Option<u32>)| Index { value, stride, bound };
        Place { root, offset, indices: base.iter().map(index).collect() }
    }

    /// Whether, whatever the indices are, all bytes from an offset on are in bounds or none
    /// is.
    pub fn stand_together(&self, root: Root, base: &Base, offset: u32, bytes: u32) -> bool {
        let size = self.function.root_size(self.types, root);
        let element = self.function.root_element(self.types, root).and_then(|ty| self.types.layout(ty));
        let Some(element) = element.map(|layout| layout.size).filter(|&size| size > 0) else { return false };
        let end = |from: u32, reach: Option<u64>| reach.map(|reach| u64::from(from) + reach + u64::from(bytes));
        // Within their bounds the indices cannot lead out of the root,
        if let Some(size) = size
            && end(offset, reach(base.iter())).is_some_and(|end| end <= u64::from(size))
        {
            return true;
        }
        // or out of the element,
        let inner = base.iter().filter(|(_, stride, _)| !stride.is_multiple_of(element));
        if end(offset % element, reach(inner)).is_some_and(|end| end <= u64::from(element)) {
            return true;
        }
        // or the bytes are in one block of which the root is a multiple.
        let block = self.alignment.indices(&self.place(root, base, 0));
        let block = block.min(1 << size.unwrap_or(element).trailing_zeros().min(30));
        offset % block + bytes <= block
    }
}

/// How far indices lead at most, if they have bounds.
fn reach<'a>(indices: impl Iterator<Item = &'a (Value, u32, Option<u32>)>) -> Option<u64> {
    indices.map(|&(_, stride, bound)| Some(u64::from(bound?.saturating_sub(1)) * u64::from(stride))).sum()
}
