//! Block form: functions as labelled blocks with branches and `phi`, and typed pointers.
//!
//! It is input only; what it becomes is the structured form. The grammar, where what is
//! not said here is as in [`text`](super):
//!
//! ```text
//! global   = "global" @name ":" pointer ["=" ("addr" "(" n ")" | literal)]
//! function = "func" {"kernel" ["workgroup_size" "(" n "," n "," n ")"] [limits] | "inline" | "noinline"} @name
//!            "(" (%name ":" (type | pointer)),* ")" "->" (type | "void") "{" {block} "}"
//! pointer  = "ptr" "[" ("generic" | "global" | "shared" | "local" | "const") "]" "<" type ">"
//! block    = label ":" {phi} {inst} end
//! phi      = %name "=" "phi" (type | pointer) ("[" value "," label "]"),*
//! inst     = [%name "="] mnemonic value,* ["," "stride" "=" n ["," "bound" "=" n]] ["to" (type | pointer)] {key "=" word}
//!          | [%name "="] "call" @name "(" value,* ")" | [%name "="] "atomic.rmw" word value,* {key "=" word}
//! end      = "br" label | "br_if" value "," label "," label | "ret" [value] | "unreachable"
//!          | "switch" value "," label {"," "[" literal "," label "]"}
//! value    = %name | @name | literal
//! ```
//!
//! - Comparisons give a `u32`, 0 or 1. Conditions are integers, and any but 0 is true.
//! - Pointers are resolved to the memory that they are in. A `phi` or `select` of pointers
//!   into two memories is an error.
//! - `global` and `const` globals become buffers of the kernels that use them, after their
//!   parameters and in the order of declaration; those with an `addr` lie in one buffer,
//!   `@arena`. `shared` globals become workgroup memory, `local` ones memory of the
//!   invocation. An array type says how much; the address is that of its first element.
//! - A type that a conversion does not state follows from uses, else by preference.
//!
//! The steps: [`parse`] reads all functions; then for each one `ssa` proves that
//! definitions dominate uses, `infer` finds the types, `pointer` the places, `access` what
//! is done with memory; `graph` and `structure` order the blocks; `emit` builds.

mod access;
mod ast;
mod build;
mod emit;
mod flow;
mod graph;
mod infer;
mod inst;
mod lower;
mod parse;
mod pointer;
mod set;
mod ssa;
mod structure;

use crate::loc::Loc;
use crate::ops::AtomicOp;
use crate::types::{Scalar, Type};
use ast::{CONVERSIONS, Func, Global, RMW, Ty};
use std::collections::HashMap;

/// The name of a conversion between two scalars, for the writer of block form.
pub(crate) fn conversion(from: Scalar, to: Scalar) -> &'static str {
    let fits = |&&(_, conv): &&(&str, _)| set::converts(conv, from.into(), to.into());
    CONVERSIONS.iter().find(fits).map_or("cast", |(name, _)| name)
}

/// The name of an atomic op on a type behind `atomic.`, for the writer of block form.
pub(crate) fn atomic_name(op: AtomicOp, scalar: Scalar) -> String {
    let found = RMW.iter().find(|(_, rmw)| rmw.op == op && rmw.class.contains(scalar));
    found.map_or_else(|| op.name().to_owned(), |(name, _)| format!("rmw {name}"))
}

/// A name after `@` that is no function, with where it was first mentioned.
#[derive(Debug)]
struct Slot {
    name: String,
    loc: Loc,
    global: Option<Global>,
    /// Whether its declaration is wrong, which is no mistake of those who name it.
    failed: bool,
}

/// What was read of block form.
#[derive(Debug, Default)]
pub(super) struct Source {
    slots: Vec<Slot>,
    names: HashMap<String, usize>,
    funcs: Vec<Read>,
}

impl Source {
    /// Where the first function in block form is.
    pub(super) fn first(&self) -> Option<Loc> {
        self.funcs.first().map(|read| read.func.loc)
    }
}

/// A function that was read.
#[derive(Debug)]
struct Read {
    func: Func,
    /// Whether nothing is wrong with it so far.
    well: bool,
    /// Its place in the module.
    index: usize,
}

/// What calls need to know of a function.
#[derive(Clone, Debug)]
struct Callee {
    index: usize,
    params: Vec<Ty>,
    ret: Option<Type>,
}

impl Source {
    /// The number of the global of this name, which may be declared later.
    fn slot(&mut self, name: &str, loc: Loc) -> usize {
        if let Some(&slot) = self.names.get(name) {
            return slot;
        }
        self.slots.push(Slot { name: name.to_owned(), loc, global: None, failed: false });
        self.names.insert(name.to_owned(), self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// Whether a global of this name is declared.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|&slot| self.slots[slot].global.is_some())
    }
}

/// The globals by their numbers.
#[derive(Debug)]
struct Globals {
    list: Vec<Option<Global>>,
    /// The element of the arena.
    arena: Type,
}

impl Globals {
    fn get(&self, slot: usize) -> Option<&Global> {
        self.list.get(slot)?.as_ref()
    }
}

#[cfg(test)]
mod tests;
