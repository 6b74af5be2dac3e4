//! Memory orders: what an atomic access or a fence promises about other accesses.
//!
//! The words are those of C11. An order names no memory: `release` and `acquire` are
//! about all memory that the invocations within the scope share. Which access may have
//! which order is decided here alone, by [`MemoryOrder::fault`] and [`fence_fault`].

use crate::ops::AtomicOp;

macro_rules! words {
    ($(#[$doc:meta])* $ty:ident { $($(#[$variant_doc:meta])* $name:ident = $number:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum $ty { $($(#[$variant_doc])* $name = $number,)* }

        impl $ty {
            /// Every one, the weakest or narrowest first.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The frozen wire number.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// The one with this name in text.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.name() == name)
            }

            /// The one with this wire number.
            pub fn from_number(number: u16) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.number() == number)
            }
        }
    };
}

words! {
    /// How an access is ordered with the invocation's other accesses.
    ///
    /// ```
    /// use samebits_ir::order::Ordering;
    /// assert_eq!(Ordering::from_name("acq_rel"), Some(Ordering::AcqRel));
    /// assert!(Ordering::AcqRel.acquires() && !Ordering::Release.acquires());
    /// ```
    Ordering {
        /// Not at all.
        Relaxed = 1, "relaxed";
        /// What follows sees what was written before the release that this reads from.
        Acquire = 2, "acquire";
        /// Whoever acquires from this sees everything that happened before it.
        Release = 3, "release";
        /// Both.
        AcqRel = 4, "acq_rel";
        /// Both, and all of these have one order that every invocation agrees on.
        SeqCst = 5, "seq_cst";
    }
}

words! {
    /// Who takes part in an order.
    ///
    /// ```
    /// use samebits_ir::order::Scope;
    /// assert_eq!(Scope::from_name("workgroup"), Some(Scope::Workgroup));
    /// ```
    Scope {
        /// The invocation alone.
        Invocation = 1, "invocation";
        /// The invocation's subgroup.
        Subgroup = 2, "subgroup";
        /// The invocation's workgroup.
        Workgroup = 3, "workgroup";
        /// Every invocation on the device.
        Device = 4, "device";
        /// Every invocation on every device, and the host.
        System = 5, "system";
    }
}

impl Ordering {
    /// Whether it is an acquire, among other things.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::SeqCst)
    }

    /// Whether it is a release, among other things.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::SeqCst)
    }
}

/// The order of an atomic access.
///
/// ```
/// use samebits_ir::order::{MemoryOrder, Ordering};
/// let order = MemoryOrder { ordering: Ordering::Acquire, ..MemoryOrder::RELAXED };
/// assert_ne!(order, MemoryOrder::default());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryOrder {
    /// How the access is ordered; of a compare-exchange, one that replaces the value.
    pub ordering: Ordering,
    /// The order of a compare-exchange that fails; relaxed for other ops.
    pub failure: Ordering,
    /// Between whom.
    pub scope: Scope,
}

impl MemoryOrder {
    /// No order, and every invocation of the device sees the access whole.
    pub const RELAXED: Self = Self { ordering: Ordering::Relaxed, failure: Ordering::Relaxed, scope: Scope::Device };

    /// What is wrong with this as the order of an op, if anything is.
    ///
    /// ```
    /// use samebits_ir::{ops::AtomicOp, order::{MemoryOrder, Ordering}};
    /// let order = MemoryOrder { ordering: Ordering::Release, ..MemoryOrder::RELAXED };
    /// assert_eq!(order.fault(AtomicOp::Store), None);
    /// assert_eq!(order.fault(AtomicOp::Load).as_deref(), Some("a load cannot be `release`"));
    /// ```
    pub fn fault(self, op: AtomicOp) -> Option<String> {
        let Self { ordering, failure, .. } = self;
        match op {
            AtomicOp::Load if matches!(ordering, Ordering::Release | Ordering::AcqRel) => {
                return Some(format!("a load cannot be `{}`", ordering.name()));
            }
            AtomicOp::Store if matches!(ordering, Ordering::Acquire | Ordering::AcqRel) => {
                return Some(format!("a store cannot be `{}`", ordering.name()));
            }
            _ => {}
        }
        if op != AtomicOp::CompareExchange {
            let stated = failure != Ordering::Relaxed;
            return stated.then(|| format!("`{}` cannot fail, so it takes no `failure`", op.name()));
        }
        let weak_enough = match failure {
            Ordering::Relaxed => true,
            Ordering::Acquire => ordering.acquires(),
            Ordering::SeqCst => ordering == Ordering::SeqCst,
            Ordering::Release | Ordering::AcqRel => {
                return Some(format!(
                    "a compare-exchange that fails stores nothing and cannot be `{}`",
                    failure.name()
                ));
            }
        };
        let message = || format!("the `failure` order `{}` is stronger than `{}`", failure.name(), ordering.name());
        (!weak_enough).then(message)
    }
}

impl Default for MemoryOrder {
    fn default() -> Self {
        Self::RELAXED
    }
}

/// What is wrong with this as the order of a fence, if anything is.
///
/// ```
/// use samebits_ir::order::{Ordering, fence_fault};
/// assert!(fence_fault(Ordering::Relaxed).is_some());
/// assert!(fence_fault(Ordering::SeqCst).is_none());
/// ```
pub fn fence_fault(ordering: Ordering) -> Option<String> {
    (ordering == Ordering::Relaxed).then(|| "a `relaxed` fence orders nothing".to_owned())
}
