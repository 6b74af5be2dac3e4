//! The table of builtins: what an invocation knows of its place in the launch.

macro_rules! builtins {
    ($($name:ident = $number:literal, $text:literal, $doc:literal;)*) => {
        /// What an invocation knows of its place in the launch; every one is a `u32`.
        ///
        /// ```
        /// use samebits_ir::ops::Builtin;
        /// assert_eq!(Builtin::from_name("global_id.x"), Some(Builtin::GlobalIdX));
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum Builtin { $(#[doc = $doc] $name = $number,)* }

        impl Builtin {
            /// Every builtin.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The frozen wire number.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// One sentence of documentation.
            pub const fn doc(self) -> &'static str {
                match self { $(Self::$name => $doc,)* }
            }
        }
    };
}

builtins! {
    GlobalIdX = 1, "global_id.x", "Workgroup index times workgroup size plus local index, on x.";
    GlobalIdY = 2, "global_id.y", "The same on y.";
    GlobalIdZ = 3, "global_id.z", "The same on z.";
    LocalIdX = 4, "local_id.x", "The place in the workgroup on x.";
    LocalIdY = 5, "local_id.y", "The same on y.";
    LocalIdZ = 6, "local_id.z", "The same on z.";
    WorkgroupIdX = 7, "workgroup_id.x", "The workgroup's index on x.";
    WorkgroupIdY = 8, "workgroup_id.y", "The same on y.";
    WorkgroupIdZ = 9, "workgroup_id.z", "The same on z.";
    NumWorkgroupsX = 10, "num_workgroups.x", "The number of workgroups on x.";
    NumWorkgroupsY = 11, "num_workgroups.y", "The same on y.";
    NumWorkgroupsZ = 12, "num_workgroups.z", "The same on z.";
    LocalIndex = 13, "local_index", "`local_id.x + size.x * (local_id.y + size.y * local_id.z)`.";
    SubgroupId = 14, "subgroup_id", "The subgroup's index in the workgroup: `local_index / 32`.";
    SubgroupLane = 15, "subgroup_lane", "The place in the subgroup: `local_index % 32`.";
    NumSubgroups = 16, "num_subgroups", "The number of subgroups of the workgroup, of which the last may have fewer than 32 lanes.";
}

impl Builtin {
    /// The builtin with this name in text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|b| b.name() == name)
    }

    /// The builtin with this wire number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.iter().copied().find(|b| b.number() == number)
    }

    /// The axis, 0 to 2, or `None` for what counts invocations in one row.
    pub const fn axis(self) -> Option<usize> {
        match self {
            Self::LocalIndex | Self::SubgroupId | Self::SubgroupLane | Self::NumSubgroups => None,
            other => Some((other as usize - 1) % 3),
        }
    }
}
