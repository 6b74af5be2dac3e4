//! The table of builtins: where an invocation is in the launch.

use super::numbered::numbered;

numbered! {
    /// What an invocation knows of its place in the launch; every one is a `u32`. In Rust those of three
    /// axes are one function, which gives all three.
    ///
    /// ```
    /// use samebits_ir::ops::Builtin;
    /// assert_eq!(Builtin::from_name("global_id.x"), Some(Builtin::GlobalIdX));
    /// assert_eq!(Builtin::from_rust("global_id"), Some(Builtin::GlobalIdX));
    /// ```
    Builtin: Option<usize> {
        GlobalIdX(1, "global_id.x", "global_id", Some(0), "Workgroup index times workgroup size plus local index, on x.");
        GlobalIdY(2, "global_id.y", "global_id", Some(1), "The same on y.");
        GlobalIdZ(3, "global_id.z", "global_id", Some(2), "The same on z.");
        LocalIdX(4, "local_id.x", "local_id", Some(0), "The place in the workgroup on x.");
        LocalIdY(5, "local_id.y", "local_id", Some(1), "The same on y.");
        LocalIdZ(6, "local_id.z", "local_id", Some(2), "The same on z.");
        WorkgroupIdX(7, "workgroup_id.x", "workgroup_id", Some(0), "The workgroup's index on x.");
        WorkgroupIdY(8, "workgroup_id.y", "workgroup_id", Some(1), "The same on y.");
        WorkgroupIdZ(9, "workgroup_id.z", "workgroup_id", Some(2), "The same on z.");
        NumWorkgroupsX(10, "num_workgroups.x", "num_workgroups", Some(0), "The number of workgroups on x.");
        NumWorkgroupsY(11, "num_workgroups.y", "num_workgroups", Some(1), "The same on y.");
        NumWorkgroupsZ(12, "num_workgroups.z", "num_workgroups", Some(2), "The same on z.");
        LocalIndex(13, "local_index", "local_index", None, "`local_id.x + size.x * (local_id.y + size.y * local_id.z)`.");
        SubgroupId(14, "subgroup_id", "subgroup_id", None, "The subgroup's index in the workgroup: `local_index / 32`.");
        SubgroupLane(15, "subgroup_lane", "subgroup_lane", None, "The place in the subgroup: `local_index % 32`.");
        NumSubgroups(16, "num_subgroups", "num_subgroups", None, "The number of subgroups of the workgroup, of which the last may have fewer than 32 lanes.");
    }
}

impl Builtin {
    /// The axis, 0 to 2, or `None` for what counts invocations in one row.
    pub const fn axis(self) -> Option<usize> {
        self.columns()
    }

    /// The same on another axis; what has no axis is itself.
    ///
    /// ```
    /// use samebits_ir::ops::Builtin;
    /// assert_eq!(Builtin::LocalIdX.on(1), Builtin::LocalIdY);
    /// ```
    pub fn on(self, axis: usize) -> Self {
        let is_it = |other: &Self| other.rust() == self.rust() && other.axis() == Some(axis);
        Self::ALL.iter().copied().find(is_it).unwrap_or(self)
    }
}
