//! How much of a device a kernel may use.
//!
//! Every device has the amounts that WebGPU promises, the defaults of [`Limit`]. A kernel that
//! needs more declares how much, so that nobody finds out only on another device that it is too
//! large. More than any device has cannot be declared. [`check`](crate::check) compares needs
//! with declarations, and whoever launches compares needs with the device.

use crate::diag::{Code, count};
use std::fmt;

/// The most invocations of a workgroup on z, which no declaration changes. On x and y the
/// limit of all invocations is the only one.
pub const MAX_SIZE_ON_Z: u32 = 64;

/// The most bytes that the tables of a kernel have together: what CUDA has of constant memory.
pub const MAX_TABLE_BYTES: u32 = 65_536;

macro_rules! limits {
    ($($name:ident = $number:literal, $text:literal, $code:ident, $default:literal, $most:literal, $doc:literal;)*) => {
        /// A resource of which devices have different amounts.
        ///
        /// ```
        /// use samebits_ir::limits::Limit;
        /// let memory = Limit::from_name("workgroup_memory");
        /// assert_eq!(memory, Some(Limit::WorkgroupMemory));
        /// assert_eq!(Limit::WorkgroupMemory.default(), 16_384);
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Limit { $(#[doc = $doc] $name = $number,)* }

        impl Limit {
            /// Every limit, by its number in the binary form from 0 on.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in declarations.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What every device has.
            pub const fn default(self) -> u32 {
                match self { $(Self::$name => $default,)* }
            }

            /// The most that any device has.
            pub const fn most(self) -> u32 {
                match self { $(Self::$name => $most,)* }
            }

            /// The code of the error if a kernel needs more than it may use.
            pub const fn code(self) -> Code {
                match self { $(Self::$name => Code::$code,)* }
            }
        }
    };
}

limits! {
    WorkgroupMemory = 0, "workgroup_memory", V601, 16_384, 232_448, "Bytes of workgroup memory, each array rounded up to 16.";
    Invocations = 1, "invocations", V600, 256, 1_024, "Invocations of a workgroup.";
    Buffers = 2, "buffers", V603, 8, 1_024, "Buffers.";
    ArgumentBytes = 3, "argument_bytes", V604, 65_536, 1_048_576, "Bytes of the launch block: a header of five words, the lengths of buffers, scalars, and vectors.";
}

impl Limit {
    /// The limit of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|limit| limit.name() == name)
    }

    /// An amount in words.
    ///
    /// ```
    /// use samebits_ir::limits::Limit;
    /// assert_eq!(Limit::Buffers.amount(9), "9 buffers");
    /// assert_eq!(Limit::Buffers.amount(1), "1 buffer");
    /// assert_eq!(Limit::WorkgroupMemory.amount(64), "64 bytes of workgroup memory");
    /// ```
    pub fn amount(self, n: impl fmt::Display) -> String {
        match self {
            Self::WorkgroupMemory => format!("{} of workgroup memory", count(n, "byte")),
            Self::Invocations => format!("{} of a workgroup", count(n, "invocation")),
            Self::Buffers => count(n, "buffer"),
            Self::ArgumentBytes => format!("{} of launch arguments", count(n, "byte")),
        }
    }

    /// Why a kernel cannot declare an amount, if it cannot.
    ///
    /// ```
    /// use samebits_ir::limits::Limit;
    /// assert!(Limit::Buffers.refuse(9).is_none());
    /// let (_, message) = Limit::Buffers.refuse(8).ok_or("the default suffices")?;
    /// assert_eq!(message, "`buffers = 8` is not needed: every device has 8 buffers");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn refuse(self, declared: u64) -> Option<(Code, String)> {
        let shown = format!("`{} = {declared}`", self.name());
        if declared <= self.default().into() {
            let message = format!("{shown} is not needed: every device has {}", self.amount(self.default()));
            Some((Code::V605, message))
        } else if declared > self.most().into() {
            let message = format!("{shown} is more than any device has: at most {}", self.most());
            Some((self.code(), message))
        } else {
            None
        }
    }

    /// What a kernel exceeds that needs this much and declares these limits, to follow "more
    /// than", and what to do about it; nothing if it may have that much.
    ///
    /// ```
    /// use samebits_ir::limits::{Limit, Limits};
    /// assert_eq!(Limit::Buffers.excess(8, &Limits::NONE), None);
    /// let (than, help) = Limit::Buffers.excess(9, &Limits::NONE).ok_or("too many")?;
    /// assert_eq!(than, "the 8 that every device has");
    /// assert_eq!(help, "declare it: `limits(buffers = 9)`");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn excess(self, need: u64, declared: &Limits) -> Option<(String, String)> {
        let (allowed, most) = (declared.allowed(self), self.most());
        if need <= allowed.into() {
            return None;
        }
        if need > most.into() {
            return Some((format!("the {most} that any device has"), format!("use at most {most}")));
        }
        let than = match declared.get(self) {
            0 => format!("the {allowed} that every device has"),
            _ => format!("the {allowed} that are declared"),
        };
        Some((than, format!("declare it: `limits({} = {need})`", self.name())))
    }
}

/// An amount of each limit; 0 where none is set.
///
/// ```
/// use samebits_ir::limits::{Limit, Limits};
/// let mut limits = Limits::NONE;
/// limits.set(Limit::Invocations, 512);
/// assert_eq!(limits.to_string(), "limits(invocations = 512)");
/// assert_eq!((limits.allowed(Limit::Invocations), limits.allowed(Limit::Buffers)), (512, 8));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits([u32; Limit::ALL.len()]);

impl Limits {
    /// Nothing.
    pub const NONE: Self = Self([0; Limit::ALL.len()]);

    /// The amount of a limit.
    pub const fn get(&self, limit: Limit) -> u32 {
        self.0[limit as usize]
    }

    /// Sets the amount of a limit.
    pub const fn set(&mut self, limit: Limit, amount: u32) {
        self.0[limit as usize] = amount;
    }

    /// Whether no amount is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The amounts that are set, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Limit, u32)> + '_ {
        Limit::ALL.iter().map(|&limit| (limit, self.get(limit))).filter(|&(_, amount)| amount > 0)
    }

    /// What has to be declared by a kernel that needs these amounts.
    ///
    /// ```
    /// use samebits_ir::limits::{Limit, Limits};
    /// let mut needs = Limits::NONE;
    /// needs.set(Limit::Buffers, 8);
    /// needs.set(Limit::Invocations, 512);
    /// assert_eq!(needs.beyond_defaults().to_string(), "limits(invocations = 512)");
    /// ```
    #[must_use]
    pub fn beyond_defaults(mut self) -> Self {
        for &limit in Limit::ALL {
            if self.get(limit) <= limit.default() {
                self.set(limit, 0);
            }
        }
        self
    }

    /// How much of a limit a kernel with these declarations may use.
    pub const fn allowed(&self, limit: Limit) -> u32 {
        match self.get(limit) {
            0 => limit.default(),
            declared => declared,
        }
    }
}

/// The declaration.
impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.iter().map(|(limit, amount)| format!("{} = {amount}", limit.name())).collect();
        write!(f, "limits({})", list.join(", "))
    }
}
