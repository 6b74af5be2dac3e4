//! The table of atomic ops: what each does to memory in one step.
//!
//! Each row states types and meaning, for the interpreter and the tests. A target that has no
//! instruction with that meaning exchanges the word in a loop.

use super::Class;
use super::numbered::numbered;
use crate::scalar;
use crate::types::Scalar;

numbered! {
    /// What an atomic access does; in text its name stands after `atomic.`. All but
    /// [`AtomicOp::Store`] give the old value.
    ///
    /// ```
    /// use samebits_ir::ops::AtomicOp;
    /// assert_eq!(AtomicOp::from_rust("fetch_add"), Some(AtomicOp::Add));
    /// ```
    AtomicOp: (usize, Class) {
        Load(1, "load", "load", (0, Class::NUM), "The value.");
        Store(2, "store", "store", (1, Class::NUM), "Replaces the value; gives nothing.");
        Add(3, "add", "fetch_add", (1, Class::NUM), "Adds, wrapping; floats as `add`.");
        Sub(4, "sub", "fetch_sub", (1, Class::NUM), "Subtracts, wrapping; floats as `sub`.");
        Min(5, "min", "fetch_min", (1, Class::NUM), "Keeps the lesser; floats as `min`.");
        Max(6, "max", "fetch_max", (1, Class::NUM), "Keeps the greater; floats as `max`.");
        And(7, "and", "fetch_and", (1, Class::INT), "Bitwise and.");
        Or(8, "or", "fetch_or", (1, Class::INT), "Bitwise or.");
        Xor(9, "xor", "fetch_xor", (1, Class::INT), "Bitwise exclusive or.");
        Exchange(10, "exchange", "swap", (1, Class::NUM), "Replaces the value.");
        CompareExchange(11, "cmpxchg", "compare_exchange", (2, Class::NUM), "Replaces the value by the second operand if its bits are those of the first; never fails spuriously.");
        Nand(12, "nand", "fetch_nand", (1, Class::INT), "The complement of bitwise and.");
        IncWrap(13, "inc_wrap", "fetch_inc_wrap", (1, Class::UNSIGNED), "One more, or 0 if the value is the operand or above.");
        DecWrap(14, "dec_wrap", "fetch_dec_wrap", (1, Class::UNSIGNED), "One less, or the operand if the value is 0 or above the operand.");
    }
}

impl AtomicOp {
    /// The types with atomics.
    pub const CLASS: Class = Class::NUM;

    /// The number of value operands.
    pub const fn operands(self) -> usize {
        self.columns().0
    }

    /// The types that have it.
    pub const fn class(self) -> Class {
        self.columns().1
    }

    /// The value that the memory holds afterwards. A value of the op's [class](Self::class)
    /// is its bits, zero-extended.
    pub fn apply(self, ty: Scalar, old: u64, operands: [u64; 2]) -> u64 {
        let [value, new] = operands;
        let args = [old, value, 0, 0];
        match self {
            Self::Load => old,
            Self::Store | Self::Exchange => value,
            Self::Add => scalar::add(ty, args),
            Self::Sub => scalar::sub(ty, args),
            Self::Min => scalar::min(ty, args),
            Self::Max => scalar::max(ty, args),
            Self::And => scalar::and(ty, args),
            Self::Or => scalar::or(ty, args),
            Self::Xor => scalar::xor(ty, args),
            Self::Nand => scalar::not(ty, [scalar::and(ty, args), 0, 0, 0]),
            Self::IncWrap if old >= value => 0,
            Self::IncWrap => old + 1,
            Self::DecWrap if old == 0 || old > value => value,
            Self::DecWrap => old - 1,
            Self::CompareExchange if old == value => new,
            Self::CompareExchange => old,
        }
    }
}
