//! The binary form of a module.
//!
//! ```text
//! file      = "SBIR" version types functions
//! types     = count type-def*                 each names earlier ones only, in order of first use
//! type-def  = 0 type len | 1 text count (text type)*
//! functions = count function*
//! function  = text kind                   kind 0 is a device function, -1 one with tables, 1 size-x
//!                                         size-y size-z a kernel; to the 1 are added 1 for
//!                                         `fast_math`, 2 if limits and 4 if requirements follow the
//!                                         sizes, and 8 if there are tables
//!             count (text param-kind type)*   parameters; kind 0 is a scalar, else an access
//!             count type*             results
//!             count (text type access)*       workgroup memory
//!             count (text type access)*       private memory
//!             [count (text type count byte*)*]        tables, if the kind says so
//!             count (text type)*              variables, in order of first use
//!             count (scalar bits)*            constants, in order of first use
//!             region                          the body
//! limits    = count (limit amount)*       what the kernel declares
//! requires  = count (relation amount amount)*     what it requires of a launch
//! region    = count (type name)* count inst*  parameters, instructions
//! amount    = count step*                 0 and a number, 1 and the parameter of a length, 2 and that
//!                                         of an integer, 3, 4 and 5 for sum, difference and product
//! inst      = [flagged flags] head field* count (type name)*   fields and results, see `InstNumber`
//! ```
//!
//! All numbers are tokens (`token.rs`): signed, of variable length. A text is its length and
//! its UTF-8 bytes; an optional name has its length plus one first, and 0 for none.
//!
//! - **Values** have no number of their own in the file: they count up in the order in
//!   which a walk meets their definitions (region parameters, then the instructions in
//!   order, an instruction's regions before its results). An operand is the distance back
//!   from the next value's number, so 1 is the latest value; `-1 - i` is the constant `i`
//!   of the function; 0 is never valid.
//! - **Loops** are named by the number of loops between, 0 being the innermost.
//! - **Canonical**: a module has one encoding, independent of ids, of what the walk does
//!   not reach, and of locations, which are not part of it. [`decode`] refuses every other
//!   sequence of bytes.
//! - **Hostile bytes** are safe to decode: memory grows with the bytes that were read,
//!   nesting is limited, nothing panics. What a decoded module means is the checks' matter.
//! - [`encode`] takes any module. Where one has no encoding (an id outside its arena, a
//!   region in two places, an operand that the walk has not met, a type that is a mistake)
//!   the bytes say so and [`decode`] refuses them.

mod decode;
mod encode;
pub mod limits;
mod listing;
mod locations;
#[cfg(test)]
mod tests;
mod token;

pub use decode::decode;
pub use encode::encode;
pub use listing::{LISTING, Listing};
pub use locations::{Site, attach_locations, encode_locations};

use crate::ir::{Access, Elements, Step};
use crate::types::{Scalar, Type};

/// Parts of a kernel's kind, less 1.
const FAST_MATH: i64 = 1;
/// Limits follow the sizes.
const LIMITS: i64 = 2;
/// Requirements follow those.
const REQUIRES: i64 = 4;
/// There are tables.
const TABLES: i64 = 8;
/// The kind of a device function with tables.
const DEVICE_TABLES: i64 = -1;

/// The first bytes of every file.
pub const MAGIC: [u8; 4] = *b"SBIR";

/// The version of the format, which follows the magic.
pub const VERSION: u32 = 3;

/// What stands where the encoder has nothing valid to say; no number, count, root or loop
/// is negative.
const INVALID: i64 = -1;

/// What stands for a type that has no number.
const INVALID_TYPE: i64 = i64::MAX;

/// The instructions that are no pure ops, for a macro that wants the rows. The numbers are
/// frozen. A row with fields names those of [`InstKind`](crate::ir::InstKind) in the order of
/// the file, each with the method that writes and reads it; the others are written by hand.
macro_rules! instructions {
    ($then:ident! $($args:ident)*) => { $then! { $($args)*;
        Load = 1, "place", (place: place);
        Store = 2, "place, operand", (place: place, value: operand);
        Atomic = 3, "atomic op, place, count, operands";
        Len = 4, "root", (root: root);
        Builtin = 5, "builtin", (builtin: builtin);
        Barrier = 6, "nothing", {};
        Get = 7, "variable", (var: var);
        Set = 8, "variable, operand", (var: var, value: operand);
        If = 9, "operand, region, region", { condition: operand, then: region, otherwise: region };
        Switch = 10, "operand, count of cases, for each a count, the values and a region; the default region",
            { selector: operand, cases: cases, default: region };
        Loop = 11, "name, count, operands, region";
        Yield = 12, "count, operands", (values: operands);
        Break = 13, "loop, count, operands", (target: target, values: operands);
        Continue = 14, "loop, count, operands", (target: target, values: operands);
        Return = 15, "count, operands", (values: operands);
        Unreachable = 16, "nothing", {};
        Call = 17, "function, count, for each argument 0 and an operand or 1 and a place",
            { function: function, args: arguments };
        AtomicOrdered = 20, "atomic op, ordering, ordering of failure, scope, place, count, operands; not for the default order";
        Fence = 21, "ordering, scope", (ordering: ordering, scope: scope);
        Subgroup = 22, "subgroup op, count, operands", (op: subgroup_op, args: operands);
        Flagged = 24, "flags, and an instruction that takes them";
        LoopUnrolled = 25, "what is asked, name, count, operands, region; not where nothing is asked";
    } };
}
use instructions;

macro_rules! inst_numbers {
    (; $($name:ident = $number:literal, $doc:literal $(, $fields:tt)?;)*) => {
        /// The numbers of instructions. The head of an instruction is the op's
        /// number for a pure op, followed by a count and the operands, and minus one of
        /// these for the others, followed by the fields that the table states. A *place*
        /// is a root, an offset, a count and indices (operand, stride, and the bound plus
        /// one or 0); a *root* is its index times four plus 0 for parameters, 1 for
        /// workgroup and 2 for private memory, and 3 for tables.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(i64)]
        enum InstNumber { $(#[doc = $doc] $name = $number,)* }

        impl InstNumber {
            /// Every number.
            const ALL: &[Self] = &[$(Self::$name,)*];
        }

        /// The names of the instructions that are no ops, and the tokens that they start
        /// with. Like the numbers of ops, atomic ops and builtins, these never change.
        pub const INSTRUCTIONS: &[(&str, i64)] = &[$((stringify!($name), InstNumber::$name.head()),)*];
    };
}
instructions!(inst_numbers!);

impl InstNumber {
    /// The instruction whose head this is.
    fn from_head(head: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|number| number.head() == head)
    }

    /// The token that an instruction starts with.
    const fn head(self) -> i64 {
        -(self as i64)
    }
}

/// The number of a scalar, which is its place in the table of scalars.
const fn scalar_number(scalar: Scalar) -> i64 {
    scalar as i64
}

/// The number of a type without a declaration: 1 for bytes, from 4 on four for each
/// scalar, by lanes. A declared type is `-1 - i`.
fn plain_type_number(ty: Type) -> i64 {
    match ty {
        Type::Bytes => 1,
        Type::Scalar(scalar) => 4 + 4 * scalar_number(scalar),
        Type::Vector(scalar, lanes @ 2..=4) => 3 + 4 * scalar_number(scalar) + i64::from(lanes),
        Type::Vector(..) | Type::Error | Type::Array(_) | Type::Struct(_) => INVALID_TYPE,
    }
}

/// The type that [`plain_type_number`] gives this number.
fn plain_type(number: i64) -> Option<Type> {
    if number == 1 {
        return Some(Type::Bytes);
    }
    let number = usize::try_from(number.checked_sub(4)?).ok()?;
    let scalar = *Scalar::ALL.get(number / 4)?;
    Some(match number % 4 {
        0 => Type::Scalar(scalar),
        more => Type::Vector(scalar, more as u8 + 1),
    })
}

/// The number of an access; 0 is free for what is not memory.
const fn access_number(access: Access) -> i64 {
    match access {
        Access::Read => 1,
        Access::ReadWrite => 2,
        Access::Atomic => 3,
    }
}

/// The number of a buffer that is read and of whose elements this is promised; that of one without a promise is its
/// access's.
const fn promise_number(elements: Elements) -> Option<i64> {
    match elements {
        Elements::Any => None,
        Elements::Distinct => Some(4),
        Elements::Below => Some(5),
    }
}

/// The promise of this number.
fn promise(number: i64) -> Option<Elements> {
    [Elements::Distinct, Elements::Below].into_iter().find(|&elements| promise_number(elements) == Some(number))
}

/// The access of this number.
fn access(number: i64) -> Option<Access> {
    [Access::Read, Access::ReadWrite, Access::Atomic].into_iter().find(|&access| access_number(access) == number)
}

/// The number of a step of an amount, and what follows it.
const fn step_number(step: Step) -> (i64, Option<i64>) {
    match step {
        Step::Number(value) => (0, Some(value as i64)),
        Step::Len(param) => (1, Some(param as i64)),
        Step::Scalar(param) => (2, Some(param as i64)),
        Step::Add => (3, None),
        Step::Sub => (4, None),
        Step::Mul => (5, None),
        Step::Bound(param) => (6, Some(param as i64)),
    }
}

/// The steps, each with 0 for what follows it.
const STEPS: [Step; 7] =
    [Step::Number(0), Step::Len(0), Step::Scalar(0), Step::Add, Step::Sub, Step::Mul, Step::Bound(0)];

/// A constant as a number: signed ones are negative, so that -1 is short.
fn constant_number(scalar: Scalar, bits: u64) -> i64 {
    if scalar.is_signed() {
        let unused = 64 - scalar.bits();
        (bits << unused) as i64 >> unused
    } else {
        bits as i64
    }
}
