//! Which bits of an invocation's ids may differ between those of a workgroup, or of a subgroup.
//!
//! It follows from the workgroup's size alone. Of a device function that nobody calls, the size
//! is not known: it may be any.

use super::Analysis;
use super::values::ALL;
use crate::ops::{Builtin, SUBGROUP_SIZE};

impl Analysis<'_> {
    /// The size of the workgroup; a device function may be called from one of any size.
    fn size(&self) -> [u32; 3] {
        if self.function.is_kernel() { self.function.workgroup_size() } else { [u32::MAX; 3] }
    }

    /// The bits of a builtin that may differ between the invocations of a subgroup: they have
    /// consecutive local indices, from a multiple of the subgroup's size.
    fn bits_in_subgroup(&self, builtin: Builtin) -> u64 {
        let [x, y, z] = self.size();
        let lanes = u64::from(SUBGROUP_SIZE - 1);
        let is_whole = x.is_multiple_of(SUBGROUP_SIZE);
        // How many rows along x a subgroup is made of, where each begins at its first lane.
        let rows = (x.is_power_of_two() && x < SUBGROUP_SIZE).then(|| SUBGROUP_SIZE / x.max(1));
        // Whether a count of rows that is a multiple of theirs stays one, modulo `y` and from workgroup to workgroup.
        let begins_at_rows = |rows: u32| y.is_power_of_two() || y.is_multiple_of(rows);
        let local = |axis: usize| match (axis, rows) {
            (0, _) if is_whole || [y, z] == [1, 1] => lanes,
            (0, Some(_)) => u64::from(x - 1),
            (1, _) if is_whole || y == 1 => 0,
            (1, Some(rows)) if begins_at_rows(rows) || z == 1 => u64::from(rows - 1),
            (2, _) if is_whole || z == 1 || u64::from(x) * u64::from(y) % u64::from(SUBGROUP_SIZE) == 0 => 0,
            _ => ALL,
        };
        match builtin {
            Builtin::SubgroupId => 0,
            Builtin::SubgroupLane | Builtin::LocalIndex => lanes,
            Builtin::LocalIdX => local(0),
            Builtin::LocalIdY => local(1),
            Builtin::LocalIdZ => local(2),
            // A workgroup begins at a multiple of its size.
            Builtin::GlobalIdX if is_whole => lanes,
            Builtin::GlobalIdX if rows.is_some() => local(0),
            Builtin::GlobalIdX => ALL,
            Builtin::GlobalIdY if local(1) == 0 || rows.is_some_and(begins_at_rows) => local(1),
            Builtin::GlobalIdZ if local(2) == 0 => 0,
            Builtin::GlobalIdY | Builtin::GlobalIdZ => ALL,
            Builtin::NumSubgroups => 0,
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => 0,
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => 0,
        }
    }

    /// The bits of a builtin that may differ.
    pub(super) fn bits_of_builtin(&self, builtin: Builtin) -> u64 {
        if self.in_subgroup {
            return self.bits_in_subgroup(builtin);
        }
        let size = self.size();
        let along = |axis: usize, is_global: bool| match size[axis] {
            1 => 0,
            // A workgroup begins at a multiple of its size.
            size if is_global && size.is_power_of_two() => u64::from(size - 1),
            _ => ALL,
        };
        match builtin {
            Builtin::SubgroupId if self.asks_for_subgroup() => 0,
            Builtin::SubgroupId | Builtin::SubgroupLane | Builtin::LocalIndex => ALL,
            Builtin::NumSubgroups => 0,
            Builtin::GlobalIdX => along(0, true),
            Builtin::GlobalIdY => along(1, true),
            Builtin::GlobalIdZ => along(2, true),
            Builtin::LocalIdX => along(0, false),
            Builtin::LocalIdY => along(1, false),
            Builtin::LocalIdZ => along(2, false),
            Builtin::WorkgroupIdX | Builtin::WorkgroupIdY | Builtin::WorkgroupIdZ => 0,
            Builtin::NumWorkgroupsX | Builtin::NumWorkgroupsY | Builtin::NumWorkgroupsZ => 0,
        }
    }
}
