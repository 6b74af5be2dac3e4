//! Places: where an access is, and whether it is in bounds.
//!
//! What an access tests is decided by [`guard`](crate::analysis::guard). A test never wraps: an
//! index is compared with a limit before it is used, or sums are as wide as what they can reach.

use super::body::Body;
use super::code::Code;
use super::memory::Info;
use super::module::{Id, Reg};
use crate::analysis::guard::Extent;
use crate::analysis::shape::{Lane, lane};
use crate::ir::{Inst, Place};
use crate::types::Type;
use spirv::Op;

/// A place in words, and bytes to add to that.
#[derive(Clone, Copy)]
pub(super) struct WordPlace {
    /// The word.
    pub index: Id,
    /// Not less than 4 where it is in a later word.
    pub byte: Id,
}

impl WordPlace {
    /// The word that a part is in, so many bytes further on, and by how many bits it is shifted
    /// there.
    pub fn part(self, code: &mut Code, offset: u32) -> (Id, Id) {
        let (offset, two, three) = (code.word(offset), code.word(2), code.word(3));
        let byte = code.binary(Op::IAdd, self.byte, offset);
        let words = code.binary(Op::ShiftRightLogical, byte, two);
        let index = code.binary(Op::IAdd, self.index, words);
        let byte = code.binary(Op::BitwiseAnd, byte, three);
        (index, code.binary(Op::ShiftLeftLogical, byte, three))
    }
}

/// The bits of a part of a word.
pub(super) const fn mask(bytes: u32) -> u32 {
    (1 << (8 * bytes)) - 1
}

impl Body<'_> {
    /// The unit of so many bytes, a power of two, in which a place is, and the bytes from its start, which
    /// may be more than the unit has.
    fn in_parts(&mut self, place: &Place, bytes: u32) -> (Id, Id) {
        let mut index = self.code.word(place.offset / bytes);
        let mut rest = self.code.word(place.offset % bytes);
        for step in &place.indices {
            let value = self.register(step.value);
            if step.stride.is_multiple_of(bytes) {
                let stride = self.code.word(step.stride / bytes);
                let distance = self.code.binary(Op::IMul, value, stride);
                index = self.code.binary(Op::IAdd, index, distance);
            } else {
                // As many of these elements as a unit has bytes are whole units.
                let (stride, shift) = (self.code.word(step.stride), self.code.word(bytes.trailing_zeros()));
                let many = self.code.binary(Op::ShiftRightLogical, value, shift);
                let few = self.code.masked(value, u64::from(bytes) - 1);
                let units = self.code.binary(Op::IMul, many, stride);
                let more = self.code.binary(Op::IMul, few, stride);
                index = self.code.binary(Op::IAdd, index, units);
                rest = self.code.binary(Op::IAdd, rest, more);
            }
        }
        (index, rest)
    }

    /// Where a place is in units of so many bytes, a power of two, at one of which it is known to begin.
    pub(super) fn in_units(&mut self, place: &Place, bytes: u32) -> Id {
        let (index, rest) = self.in_parts(place, bytes);
        let shift = self.code.word(bytes.trailing_zeros());
        let more = self.code.binary(Op::ShiftRightLogical, rest, shift);
        self.code.binary(Op::IAdd, index, more)
    }

    /// Where a place is in words of an array in which the root begins at a word.
    pub(super) fn in_words(&mut self, place: &Place, base: u32) -> WordPlace {
        let (index, byte) = self.in_parts(place, 4);
        let base = self.code.word(base);
        WordPlace { index: self.code.binary(Op::IAdd, index, base), byte }
    }

    /// The same of a place that is known to begin at a word.
    pub(super) fn at_word(&mut self, place: &Place, base: u32) -> Id {
        let (index, base) = (self.in_units(place, 4), self.code.word(base));
        self.code.binary(Op::IAdd, index, base)
    }

    /// The block of so many words where a place of some words is, and the word in it; `None` if
    /// it may be in several blocks.
    pub(super) fn in_blocks(&mut self, place: &Place, width: u32, words: usize) -> Option<(Id, Id)> {
        let lane = lane(&self.alignment, place, width, words)?;
        let bytes = 4 * width;
        // In blocks, if every distance is some of them, else in words.
        let whole = lane != Lane::Any && place.indices.iter().all(|step| step.stride.is_multiple_of(bytes));
        let unit = if whole { bytes } else { 4 };
        let mut index = self.in_units(place, unit);
        let rest = self.code.word(width - 1);
        let within = match lane {
            Lane::At(first) => self.code.word(first),
            Lane::Any => self.code.binary(Op::BitwiseAnd, index, rest),
        };
        if unit == 4 {
            let shift = self.code.word(width.trailing_zeros());
            index = self.code.binary(Op::ShiftRightLogical, index, shift);
        }
        Some((index, within))
    }

    /// Whether an access of this type is in bounds; `None` if none can be.
    pub(super) fn test(&mut self, inst: Inst, info: &Info, place: &Place, ty: Type) -> Option<Id> {
        let end = place.offset.checked_add(self.types.layout(ty)?.size)?;
        let test = self.guards.test(inst);
        let mut valid = match test.extent {
            Extent::Within => self.code.flag(true),
            Extent::Element(index) => {
                let zero = self.code.word(0);
                let picked = index.map_or(zero, |index| self.register(index));
                self.code.binary(Op::ULessThan, picked, info.count)
            }
            Extent::Root { reach } if reach <= u32::MAX.into() => {
                let sizes = (self.size_of(info, info.element), self.code.word(end));
                self.reaches(place, Reg::U32, sizes)
            }
            Extent::Root { reach } if self.target.native.has_long() && reach <= u64::MAX.into() => {
                let (count, end) = (self.code.resize(Reg::U64, info.count), self.code.constant(Reg::U64, end.into()));
                let element = self.code.constant(Reg::U64, info.element.into());
                let size = self.code.binary(Op::IMul, count, element);
                self.reaches(place, Reg::U64, (size, end))
            }
            Extent::Root { .. } => self.has_room(info, place, end),
        };
        for (index, bound) in test.below {
            let (index, bound) = (self.register(index), self.code.word(bound));
            let below = self.code.binary(Op::ULessThan, index, bound);
            valid = self.code.binary(Op::LogicalAnd, valid, below);
        }
        if let Some(under) = self.under {
            valid = match self.code.known_flag(valid) {
                Some(true) => under,
                _ => self.code.binary(Op::LogicalAnd, valid, under),
            };
        }
        if self.code.known_flag(valid) == Some(false) { None } else { Some(valid) }
    }

    /// The size of a root whose elements have so many units, or 2³² - 1 if it has more.
    fn size_of(&mut self, info: &Info, each: u32) -> Id {
        let each = each.max(1);
        let (most, whole) = (self.code.word(u32::MAX / each), self.code.word(u32::MAX));
        let fits = self.code.binary(Op::ULessThanEqual, info.count, most);
        let each = self.code.word(each);
        let total = self.code.binary(Op::IMul, info.count, each);
        self.code.select(fits, total, whole)
    }

    /// Whether the distances of a place and `end` come to no more than `size`, in numbers that
    /// hold whatever they can come to.
    fn reaches(&mut self, place: &Place, reg: Reg, (size, end): (Id, Id)) -> Id {
        let mut sum = end;
        for step in &place.indices {
            let value = self.register(step.value);
            let (value, stride) = (self.code.resize(reg, value), self.code.constant(reg, step.stride.into()));
            let distance = self.code.binary(Op::IMul, value, stride);
            sum = self.code.binary(Op::IAdd, sum, distance);
        }
        self.code.binary(Op::ULessThanEqual, sum, size)
    }

    /// Whether the bytes lie within the root, each index against the room that those before it
    /// leave. Room is counted in words, or in bytes if something is no multiple of words.
    /// More than 2³² of either is as good as 2³² - 1.
    fn has_room(&mut self, info: &Info, place: &Place, end: u32) -> Id {
        let sizes = [place.offset, end, info.element].into_iter().chain(place.indices.iter().map(|i| i.stride));
        let unit = if sizes.into_iter().all(|bytes| bytes.is_multiple_of(4)) { 4 } else { 1 };
        let total = self.size_of(info, info.element / unit);
        let (end, zero) = (self.code.word(end / unit), self.code.word(0));
        let mut valid = self.code.binary(Op::UGreaterThanEqual, total, end);
        let room = self.code.binary(Op::ISub, total, end);
        let mut room = self.code.select(valid, room, zero);
        for step in &place.indices {
            let value = self.register(step.value);
            let stride = self.code.word((step.stride / unit).max(1));
            let most = self.code.binary(Op::UDiv, room, stride);
            let fits = self.code.binary(Op::ULessThanEqual, value, most);
            valid = self.code.binary(Op::LogicalAnd, valid, fits);
            let value = self.code.select(fits, value, zero);
            let taken = self.code.binary(Op::IMul, value, stride);
            room = self.code.binary(Op::ISub, room, taken);
        }
        valid
    }
}
