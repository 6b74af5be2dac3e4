//! Grids larger than a GPU's axis: how logical workgroups are folded onto three short axes.
//!
//! A kernel is told the logical grid and the extents of the folded one, and computes its logical id
//! from them. Invariant: each logical workgroup runs once, and the surplus ones do nothing.
#![allow(dead_code, reason = "a build may have no GPU back end")]

/// What the most workgroups on an axis are at least, on every device.
const AXIS: u32 = 65_535;

/// How logical workgroups lie on a device's axes, which are short.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fold {
    /// What is dispatched.
    pub physical: [u32; 3],
    /// The physical extents on x and y if the grid is folded, else 0.
    pub x: u32,
    pub y: u32,
}

impl Fold {
    /// A way to dispatch these workgroups, fewer than 2³² in all, with at most `axis` on an
    /// axis. The last of them is followed by few surplus ones, and no number of one, surplus
    /// included, exceeds 32 bits.
    pub fn of(groups: [u32; 3], axis: u32) -> Self {
        if groups.iter().all(|count| *count <= axis) {
            return Self { physical: groups, x: 0, y: 0 };
        }
        let axis = u64::from(axis.max(AXIS));
        let total = groups.iter().map(|count| u64::from(*count)).product::<u64>();
        let z = total.div_ceil(axis * axis);
        let y = total.div_ceil(z * axis);
        let x = total.div_ceil(z * y);
        let [x, y, z] = if x * y * z <= 1 << 32 { [x, y, z] } else { [1 << 15, 1 << 15, 4] };
        Self { physical: [x as u32, y as u32, z as u32], x: x as u32, y: y as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_grids_are_not_folded() {
        assert_eq!(Fold::of([65_535, 65_535, 1], 65_535), Fold { physical: [65_535, 65_535, 1], x: 0, y: 0 });
    }

    #[test]
    fn a_folded_grid_covers_every_group_once_and_fits_the_axes() {
        let totals = [65_536, 65_537, 131_071, 4_294_836_225, 4_294_836_226, 4_294_901_760, 4_294_967_291, u32::MAX];
        for total in totals {
            let fold = Fold::of([total, 1, 1], 65_535);
            let covered = fold.physical.iter().map(|n| u64::from(*n)).product::<u64>();
            assert!(covered >= total.into() && covered <= 1 << 32, "{total}: {fold:?}");
            assert!(fold.physical.iter().all(|n| (1..=65_535).contains(n)), "{total}: {fold:?}");
            assert_eq!([fold.x, fold.y], fold.physical[..2]);
        }
    }

    #[test]
    fn folding_wastes_little() {
        let fold = Fold::of([65_537, 1, 1], 65_535);
        assert_eq!(fold.physical, [32_769, 2, 1]);
    }
}
