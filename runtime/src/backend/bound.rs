//! Arguments of a launch as back ends take them.

use super::opened::Memory;
use crate::kernel::Loaded;
use samebits_ir::ir::{Access, Param, ParamKind};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// An argument of a dispatch. `M` is a reference to memory: of any back end, or of the one
/// that runs the dispatch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound<'a, M = &'a Memory> {
    /// Elements in memory.
    Buffer(Part<M>),
    /// A scalar's or vector's words.
    Scalar(&'a [u32]),
}

/// A part of a memory, as a kernel sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<M> {
    /// The memory.
    pub memory: M,
    /// Where the part begins, in bytes.
    pub start: u64,
    /// How many bytes there are.
    pub bytes: u64,
    /// How many elements the kernel sees.
    pub len: u32,
    /// What no element exceeds as a `u32`, as far as that was looked at.
    pub most: u32,
}

impl<M> Part<M> {
    /// Its bytes in the memory.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes
    }
}

impl<'a> Bound<'a> {
    /// The argument with memory of the back end whose memory is `M`; `None` if it is another's.
    pub fn of<M: Any>(self) -> Option<Bound<'a, &'a M>> {
        Some(match self {
            Self::Buffer(Part { memory, start, bytes, len, most }) => {
                Bound::Buffer(Part { memory: memory.of()?, start, bytes, len, most })
            }
            Self::Scalar(words) => Bound::Scalar(words),
        })
    }
}

impl<M> Bound<'_, M> {
    /// How many elements a buffer has; 0 for a value.
    pub fn len(&self) -> u32 {
        match self {
            Self::Buffer(part) => part.len,
            Self::Scalar(_) => 0,
        }
    }

    /// The bits of a scalar, zero-extended; what no element of a buffer exceeds.
    pub fn bits(&self) -> u64 {
        match self {
            Self::Buffer(part) => part.most.into(),
            Self::Scalar(words) => {
                let word = |i: usize| words.get(i).copied().map_or(0, u64::from);
                word(0) | word(1) << 32
            }
        }
    }
}

/// A part of recorded work, which may run.
#[derive(Clone, Debug)]
pub(crate) enum Step<'a> {
    /// A kernel over workgroups.
    Launch {
        /// The kernel.
        kernel: &'a Arc<Loaded>,
        /// The workgroups.
        groups: [u32; 3],
        /// The arguments.
        args: &'a [Bound<'a>],
    },
    /// Copies of a pattern over some bytes.
    Fill {
        /// Where they are.
        memory: &'a Memory,
        /// Which they are.
        bytes: Range<u64>,
        /// The pattern.
        pattern: &'a [u8],
    },
    /// A copy between parts of memory that do not overlap.
    Copy {
        /// Its source, and where that begins in bytes.
        from: (&'a Memory, u64),
        /// Its target.
        to: (&'a Memory, u64),
        /// How many bytes.
        bytes: u64,
    },
}

/// Whether a kernel may write a parameter.
pub(crate) fn writes(param: &Param) -> bool {
    match param.kind {
        ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. } => true,
        ParamKind::Buffer { access: Access::Read, .. } | ParamKind::Scalar(_) => false,
    }
}

/// Arguments for which no memory of the heap is needed.
const FEW: usize = 16;

/// As many values as a launch has arguments.
pub(crate) struct PerArgument<T> {
    few: [T; FEW],
    many: Vec<T>,
    len: usize,
}

impl<T: Copy> PerArgument<T> {
    /// The same value for each argument.
    pub fn new(len: usize, value: T) -> Self {
        Self { few: [value; FEW], many: if len <= FEW { Vec::new() } else { vec![value; len] }, len }
    }

    /// The values.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        if self.len <= FEW { &mut self.few[..self.len] } else { &mut self.many }
    }
}
