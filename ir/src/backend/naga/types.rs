//! How values and memory of the IR are represented in naga.
//!
//! A value is a list of scalar *registers*, one a lane, two for lanes of 64 bits (low
//! first): every device computes lane by lane, and so each op needs one lowering only.
//! A register is a `bool`, an `f32`, or a `u32` that holds the zero-extended bits of
//! anything else. Memory is made of words of 4 bytes, and a value whose lanes are 4 or 8
//! bytes has exactly one word a register: `bool` as 0 or 1, others by their bits.
//! Smaller lanes are parts of words. [`shape`](crate::analysis::shape) says how a root is
//! declared.

use super::code::Basic;
use crate::analysis::shape::{Shape, Word};
use crate::types::{Scalar, Type};
use naga::{Handle, Span, TypeInner, VectorSize};
use std::num::NonZeroU32;

/// What a register is to naga.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// `bool`.
    Bool,
    /// `u32`.
    Word,
    /// `f32`.
    Float,
}

/// The register of a scalar, and how many of them a lane takes.
pub(super) const fn register(scalar: Scalar) -> (Register, usize) {
    match scalar {
        Scalar::Bool => (Register::Bool, 1),
        Scalar::F32 => (Register::Float, 1),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::F16 => {
            (Register::Word, 1)
        }
        Scalar::I64 | Scalar::U64 | Scalar::F64 => (Register::Word, 2),
    }
}

/// The registers of a value, all of one kind.
pub(super) fn registers(ty: Type) -> (Register, usize) {
    match ty.lane() {
        Some(lane) => {
            let (register, each) = register(lane);
            (register, each * ty.lanes())
        }
        None => (Register::Word, 0),
    }
}

/// The types of a naga module.
pub(super) struct Table<'m> {
    module: &'m mut naga::Module,
    /// The register types.
    pub basic: Basic,
}

impl<'m> Table<'m> {
    /// The types that every module has.
    pub fn new(module: &'m mut naga::Module) -> Self {
        let mut scalar = |scalar| {
            let ty = naga::Type { name: None, inner: TypeInner::Scalar(scalar) };
            module.types.insert(ty, Span::UNDEFINED)
        };
        let basic = Basic {
            u32: scalar(naga::Scalar::U32),
            i32: scalar(naga::Scalar::I32),
            f32: scalar(naga::Scalar::F32),
            bool: scalar(naga::Scalar::BOOL),
            open_loops: None,
        };
        Self { module, basic }
    }

    /// The module.
    pub fn module(&mut self) -> &mut naga::Module {
        self.module
    }

    /// A type, stored once.
    pub fn insert(&mut self, inner: TypeInner) -> Handle<naga::Type> {
        self.module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED)
    }

    /// Three `u32` lanes, what ids are.
    pub fn id(&mut self) -> Handle<naga::Type> {
        self.insert(TypeInner::Vector { size: VectorSize::Tri, scalar: naga::Scalar::U32 })
    }

    /// The vector of a root's element; `None` if that is a scalar.
    pub fn vector(&mut self, shape: Shape) -> Option<Handle<naga::Type>> {
        let size = match shape.width {
            2 if shape.word != Word::WideAtomic => VectorSize::Bi,
            4 => VectorSize::Quad,
            _ => return None,
        };
        let scalar = if shape.word == Word::Float { naga::Scalar::F32 } else { naga::Scalar::U32 };
        Some(self.insert(TypeInner::Vector { size, scalar }))
    }

    /// The array that a root is; `words` is its size, `None` for a buffer.
    pub fn array(&mut self, shape: Shape, words: Option<u32>) -> Handle<naga::Type> {
        let base = match (self.vector(shape), shape.word) {
            (Some(vector), _) => vector,
            (None, Word::Plain) => self.basic.u32,
            (None, Word::Float) => self.basic.f32,
            (None, Word::Atomic) => self.insert(TypeInner::Atomic(naga::Scalar::U32)),
            (None, Word::SignedAtomic) => self.insert(TypeInner::Atomic(naga::Scalar::I32)),
            (None, Word::WideAtomic) => self.insert(TypeInner::Atomic(naga::Scalar::U64)),
        };
        let size = match words {
            Some(words) => {
                let elements = words.div_ceil(shape.width);
                naga::ArraySize::Constant(NonZeroU32::new(elements).unwrap_or(NonZeroU32::MIN))
            }
            None => naga::ArraySize::Dynamic,
        };
        self.insert(TypeInner::Array { base, size, stride: 4 * shape.width })
    }

    /// The struct of `words` words that the launch passes.
    pub fn parameters(&mut self, words: u32) -> Handle<naga::Type> {
        let member =
            |i| naga::StructMember { name: Some(format!("word{i}")), ty: self.basic.u32, binding: None, offset: 4 * i };
        let members = (0..words).map(member).collect();
        let inner = TypeInner::Struct { members, span: 4 * words };
        let ty = naga::Type { name: Some("Parameters".to_owned()), inner };
        self.module.types.insert(ty, Span::UNDEFINED)
    }
}
