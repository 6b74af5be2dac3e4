//! The launch block: what a launch passes to a kernel besides its buffers, in words of 32 bits.
//!
//! | words | |
//! | --- | --- |
//! | 3 | the number of workgroups on x, y and z, as the kernel counts them |
//! | 2 | the workgroups that the device counts on x and y if the grid is [folded](Grid), else 0; on y also 0 if it is a line that is cut into equal rows |
//! | one for each buffer | the number of its elements |
//! | the rest | the scalar parameters, lane by lane |
//!
//! A lane of 64 bits is two words, low first. Any other lane is one word, which holds its bits
//! extended by zeros. `bool` is 0 or 1.
//!
//! This module alone knows the layout. Back ends ask it where a value lies, limits how large the
//! block is, and whoever launches has it write the words.

use crate::ir::{Function, ParamKind};
use crate::types::Type;
use std::ops::Range;

/// Words before the lengths of the buffers.
const HEADER: u32 = 5;

/// The fewest workgroups that a device allows on an axis.
const AXIS: u64 = 65_535;

/// Where the values of a kernel's launch block lie, in words.
///
/// ```
/// use samebits_ir::{builder::Builder, launch::LaunchBlock, types::{Scalar, Type}};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// b.scalar("n", Type::U32);
/// b.scalar("v", Type::Vector(Scalar::U64, 3));
/// b.ret();
/// let block = LaunchBlock::of(&b.finish());
/// assert_eq!(block.arguments()[1].words(), 6..12);
/// assert_eq!(block.words(), 12);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchBlock {
    buffers: Vec<u32>,
    arguments: Vec<Argument>,
    words: u32,
}

/// A scalar parameter in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its position among the kernel's parameters.
    pub param: u32,
    /// A scalar or a vector.
    pub ty: Type,
    first: u32,
}

impl Argument {
    /// The words that it takes.
    pub fn words(&self) -> Range<u32> {
        self.first..self.first.saturating_add(self.lane_words().saturating_mul(self.ty.lanes() as u32))
    }

    /// The words that a lane takes.
    pub fn lane_words(&self) -> u32 {
        self.ty.lane().map_or(1, |lane| lane.bits().div_ceil(32))
    }
}

impl LaunchBlock {
    /// Where the number of workgroups on each axis lies.
    pub const GROUPS: [u32; 3] = [0, 1, 2];

    /// Where it lies how many workgroups the device counts on x and y, or zeros. If the second one
    /// is zero, the only id that counts is `x + y * first`, and no workgroup is surplus.
    pub const FOLD: [u32; 2] = [3, 4];

    /// The block of a kernel.
    pub fn of(function: &Function) -> Self {
        let params = function.params.iter().zip(0..);
        let is_buffer = |kind| matches!(kind, ParamKind::Buffer { .. });
        let buffers: Vec<u32> = params.clone().filter(|(param, _)| is_buffer(param.kind)).map(|(_, i)| i).collect();
        let (mut arguments, mut words) = (Vec::new(), HEADER.saturating_add(buffers.len() as u32));
        for (param, i) in params {
            if let ParamKind::Scalar(ty) = param.kind {
                let argument = Argument { param: i, ty, first: words };
                words = argument.words().end;
                arguments.push(argument);
            }
        }
        Self { buffers, arguments, words }
    }

    /// The size of the block.
    pub const fn words(&self) -> u32 {
        self.words
    }

    /// The buffers, by their positions among the kernel's parameters.
    pub fn buffers(&self) -> &[u32] {
        &self.buffers
    }

    /// Where the length of a buffer lies, by its position among the buffers.
    pub const fn len_of(buffer: u32) -> u32 {
        HEADER.saturating_add(buffer)
    }

    /// The scalar parameters, in order.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// Writes a block: the lengths of the buffers and the words of the scalars come in order.
    ///
    /// ```
    /// use samebits_ir::launch::{Grid, LaunchBlock};
    /// let mut words = Vec::new();
    /// let wide = Grid::of([70_000, 1, 1], 65_535);
    /// LaunchBlock::write(&mut words, &wide, [10, 20].into_iter(), [&[7][..], &[8, 9]].into_iter());
    /// assert_eq!(words, [70_000, 1, 1, 35_000, 0, 10, 20, 7, 8, 9]);
    /// assert_eq!(words[LaunchBlock::len_of(1) as usize], 20);
    /// ```
    pub fn write<'a>(
        words: &mut Vec<u32>,
        grid: &Grid,
        lens: impl Iterator<Item = u32>,
        scalars: impl Iterator<Item = &'a [u32]>,
    ) {
        words.clear();
        words.extend(grid.groups);
        words.extend(grid.fold);
        words.extend(lens);
        scalars.for_each(|scalar| words.extend_from_slice(scalar));
    }
}

/// How the workgroups of a launch lie on a device's axes, which are short.
///
/// A launch of more workgroups on an axis than the device allows is folded: the device counts
/// workgroups on axes of its own, the kernel makes one linear index of their ids and cuts that
/// into the ids of the launch. Workgroups beyond the last one return at once. A line of workgroups
/// is cut into equal rows if it can be, so that the linear index is the id and none is surplus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grid {
    /// The workgroups as the kernel counts them.
    groups: [u32; 3],
    /// What is dispatched.
    pub dispatched: [u32; 3],
    /// What is dispatched on x and y if the grid is folded, else 0; on y also 0 if the linear index
    /// is the id.
    fold: [u32; 2],
}

impl Grid {
    /// A way to dispatch these workgroups, fewer than 2³² in all, with at most `axis` on an
    /// axis. Few surplus workgroups follow the last one, and no number of a workgroup, surplus
    /// included, exceeds 32 bits.
    pub fn of(groups: [u32; 3], axis: u32) -> Self {
        if groups.contains(&0) || groups.iter().all(|count| *count <= axis) {
            return Self { groups, dispatched: groups, fold: [0, 0] };
        }
        let axis = u64::from(axis).max(AXIS);
        let all = groups.iter().fold(1, |all: u64, count| all.saturating_mul(u64::from(*count)));
        let total = all.min(u32::MAX.into());
        if let [_, 1, 1] = groups
            && let Some(rows) = equal_rows(total, axis)
        {
            let x = (total / rows) as u32;
            return Self { groups, dispatched: [x, rows as u32, 1], fold: [x, 0] };
        }
        let z = total.div_ceil(axis * axis);
        let y = total.div_ceil(z * axis);
        let x = total.div_ceil(z * y);
        let [x, y, z] = if x * y * z <= 1 << 32 { [x, y, z] } else { [1 << 15, 1 << 15, 4] };
        let dispatched = [x, y, z].map(|count| count as u32);
        Self { groups, dispatched, fold: [dispatched[0], dispatched[1]] }
    }
}

impl Grid {
    /// The same for a device that does so many workgroups, next to each other on x, as one. The last one may be of
    /// fewer.
    ///
    /// ```
    /// use samebits_ir::launch::Grid;
    /// assert_eq!(Grid::of_several([10, 3, 1], 4, 65_535).dispatched, [3, 3, 1]);
    /// ```
    pub fn of_several(groups: [u32; 3], at_once: u32, axis: u32) -> Self {
        let [x, y, z] = groups;
        Self { groups, ..Self::of([x.div_ceil(at_once.max(1)), y, z], axis) }
    }
}

/// The fewest rows of equal length, no more than `axis` and none longer, that so many workgroups are
/// cut into, if there are not many more than have to be.
fn equal_rows(total: u64, axis: u64) -> Option<u64> {
    let fewest = total.div_ceil(axis);
    (fewest..=axis.min(fewest.saturating_mul(4))).find(|rows| total.is_multiple_of(*rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::types::Scalar;

    #[test]
    fn every_value_is_written_where_it_is_said_to_lie() {
        let mut b = Builder::new("k", [64, 1, 1]);
        b.scalar("a", Type::Scalar(Scalar::Bool));
        b.buffer("x", Type::U32, crate::ir::Access::Read);
        b.scalar("b", Type::Vector(Scalar::F64, 2));
        b.buffer("y", Type::U32, crate::ir::Access::Read);
        b.scalar("c", Type::Scalar(Scalar::U8));
        b.ret();
        let block = LaunchBlock::of(&b.finish());
        let mut words = Vec::new();
        let scalars: [&[u32]; 3] = [&[1], &[2, 3, 4, 5], &[6]];
        LaunchBlock::write(&mut words, &Grid::of([3, 2, 99_999], 65_535), [40, 50].into_iter(), scalars.into_iter());
        let at = |word: u32| words[word as usize];
        assert_eq!(words.len() as u32, block.words());
        assert_eq!(LaunchBlock::GROUPS.map(at), [3, 2, 99_999]);
        assert_eq!(LaunchBlock::FOLD.map(at), Grid::of([3, 2, 99_999], 65_535).dispatched[..2]);
        assert_eq!(block.buffers(), [1, 3]);
        assert_eq!([0, 1].map(LaunchBlock::len_of).map(at), [40, 50]);
        let found: Vec<Vec<u32>> = block.arguments().iter().map(|one| one.words().map(at).collect()).collect();
        assert_eq!(found, scalars);
    }

    #[test]
    fn short_grids_are_not_folded() {
        let grid = Grid::of([65_535, 65_535, 1], 65_535);
        assert_eq!((grid.dispatched, grid.fold), ([65_535, 65_535, 1], [0, 0]));
    }

    #[test]
    fn grids_that_no_launch_can_have_do_not_panic() {
        assert_eq!(Grid::of([0, 70_000, 1], 65_535).dispatched, [0, 70_000, 1]);
        assert_eq!(Grid::of([u32::MAX; 3], 0).dispatched, Grid::of([u32::MAX, 1, 1], 65_535).dispatched);
    }

    #[test]
    fn a_folded_grid_covers_every_group_once_and_fits_the_axes() {
        let totals = [65_536, 65_537, 131_071, 4_294_836_225, 4_294_836_226, 4_294_901_760, 4_294_967_291, u32::MAX];
        for total in totals {
            let grid = Grid::of([total, 1, 1], 65_535);
            let covered = grid.dispatched.iter().map(|n| u64::from(*n)).product::<u64>();
            assert!(covered >= total.into() && covered <= 1 << 32, "{total}: {grid:?}");
            assert!(grid.dispatched.iter().all(|n| (1..=65_535).contains(n)), "{total}: {grid:?}");
            let [x, y, z] = grid.dispatched;
            let is_cut = grid.fold == [x, 0];
            assert!(is_cut && z == 1 && covered == total.into() || grid.fold == [x, y], "{total}: {grid:?}");
        }
    }

    #[test]
    fn a_line_is_cut_into_equal_rows_where_it_can_be() {
        let grid = Grid::of([1 << 18, 1, 1], 65_535);
        assert_eq!((grid.dispatched, grid.fold), ([32_768, 8, 1], [32_768, 0]));
        assert_eq!(Grid::of([65_537, 1, 1], 65_535).fold, [32_769, 2], "a prime number has a surplus");
        assert_eq!(Grid::of([1 << 18, 2, 1], 65_535).fold[1], 9, "two axes are told apart");
    }

    #[test]
    fn folding_wastes_little() {
        assert_eq!(Grid::of([65_537, 1, 1], 65_535).dispatched, [32_769, 2, 1]);
    }
}
