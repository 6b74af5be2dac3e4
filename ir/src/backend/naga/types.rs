//! How values and memory of the IR are represented in naga.
//!
//! A value is a list of scalar *registers*, one a lane, two for lanes of 64 bits (low
//! first): every device computes lane by lane, and so each op needs one lowering only.
//! A register is a `bool`, an `f32`, or a `u32` that holds the zero-extended bits of
//! anything else. Memory is made of words of 4 bytes, and a value whose lanes are 4 or 8
//! bytes has exactly one word a register: `bool` as 0 or 1, others by their bits.
//! Smaller lanes are parts of words; where they are stored, the words are atomic.
//!
//! A root is declared with elements of 16 or 8 bytes, *blocks*, which load at once, if some
//! accesses are whole blocks and every other one is a part of a block that is known here, or
//! a single word of one that is not; else it is an array of words. A word is an `f32` if
//! nothing else is accessed.
//!
//! In WGSL and Metal a store to a lane may store the whole vector, which would undo what
//! other invocations store beside it. Where that may be, only blocks are stored.

use super::code::Basic;
use crate::analysis::align::Alignment;
use crate::ir::{Access, Function, InstKind, Place, Root};
use crate::types::{Scalar, Type, Types};
use naga::{Handle, Span, TypeInner, VectorSize};
use std::collections::BTreeMap;
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

/// Bytes of a lane that is less than a word.
pub(super) fn part(ty: Type) -> Option<u32> {
    ty.lane().map(Scalar::size).filter(|&bytes| bytes < 4)
}

/// How a root is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Words of an array element: 1, 2 or 4; 2 for atomics of 64 bits.
    pub width: u32,
    /// What a word is.
    pub word: Word,
}

/// What a word of memory is declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// `u32`.
    Plain,
    /// `f32`.
    Float,
    /// `atomic<u32>`.
    Atomic,
    /// `atomic<i32>`; every access is one of `i32`.
    SignedAtomic,
    /// `atomic<u64>`; every access is one of 64 bits.
    WideAtomic,
}

/// Where in a block an access begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// At this word.
    At(u32),
    /// Nobody knows yet.
    Any,
}

/// Where in blocks of so many words an access of `words` words begins; `None` if it may be
/// in several blocks.
pub(super) fn lane(alignment: &Alignment, place: &Place, width: u32, words: usize) -> Option<Lane> {
    let block = 4 * width;
    if alignment.indices(place) >= block {
        let first = place.offset % block / 4;
        return (first as usize + words <= width as usize).then_some(Lane::At(first));
    }
    (words == 1).then_some(Lane::Any)
}

/// The shape of every root that the function declares; `lane_stores` says whether a lane
/// of a block may be stored though others store beside it.
pub(super) fn shapes(
    types: &Types,
    function: &Function,
    alignment: &Alignment,
    lane_stores: bool,
) -> BTreeMap<Root, Shape> {
    let mut uses: BTreeMap<Root, Uses> = BTreeMap::new();
    for (inst, def) in function.insts.iter() {
        let (Some(place), Some(ty)) = (def.kind.place(), function.accessed(inst)) else { continue };
        let (atomic, store) = (matches!(def.kind, InstKind::Atomic(..)), matches!(def.kind, InstKind::Store(..)));
        let uses = uses.entry(place.root).or_default();
        uses.add(ty, atomic, store);
        for blocks in &mut uses.blocks {
            let own = matches!(place.root, Root::Private(_));
            let lane = lane(alignment, place, blocks.width, registers(ty).1);
            blocks.add(lane, registers(ty).1, own, store && !lane_stores);
        }
    }
    let params = (0..function.params.len() as u32).map(Root::Param);
    let shared = (0..function.shared.len() as u32).map(Root::Shared);
    let private = (0..function.private.len() as u32).map(Root::Private);
    let roots = params.chain(shared).chain(private);
    roots
        .filter_map(|root| {
            let access = function.root_access(root)?;
            // A buffer whose elements are no blocks may end within one.
            let element = function.root_element(types, root).and_then(|element| types.layout(element));
            let unit = match root {
                Root::Param(_) => element.map_or(1, |layout| layout.size),
                Root::Shared(_) | Root::Private(_) | Root::Table(_) => 16,
            };
            Some((root, uses.remove(&root).unwrap_or_default().shape(root, access, unit)))
        })
        .collect()
}

/// What is known of the accesses of a root.
struct Uses {
    float: bool,
    signed: bool,
    atomic: bool,
    /// Whether less than a word is accessed somewhere.
    parts: bool,
    /// Whether less than a word is stored somewhere.
    part_stores: bool,
    words: Option<usize>,
    blocks: [Blocks; 2],
}

impl Default for Uses {
    fn default() -> Self {
        let blocks = [4, 2].map(|width| Blocks { width, fit: true, whole: 0, single: 0 });
        Self { float: true, signed: true, atomic: false, parts: false, part_stores: false, words: None, blocks }
    }
}

/// How a root's accesses fit into blocks of so many words.
struct Blocks {
    width: u32,
    fit: bool,
    /// How many are whole blocks.
    whole: u32,
    /// How many are a word that may be any one of a block.
    single: u32,
}

impl Blocks {
    fn add(&mut self, lane: Option<Lane>, words: usize, own: bool, may_tear: bool) {
        let whole = words == self.width as usize;
        match lane {
            Some(Lane::At(_)) if whole => self.whole += 1,
            Some(Lane::At(_)) => self.fit &= own || !may_tear,
            // Arrays of the invocation are registers only if lanes are known.
            Some(Lane::Any) => {
                self.fit &= !own && !may_tear;
                self.single += 1;
            }
            None => self.fit = false,
        }
    }

    /// Whether blocks are of use: they are accessed, and at least as many words by them as
    /// words that must be picked from one.
    fn pay(&self) -> bool {
        self.fit && self.whole > 0 && self.whole * self.width >= self.single
    }
}

impl Uses {
    fn add(&mut self, ty: Type, atomic: bool, store: bool) {
        let (register, words) = registers(ty);
        let part = part(ty).is_some();
        self.parts |= part;
        self.part_stores |= part && store;
        self.float &= register == Register::Float;
        self.signed &= ty == Type::I32;
        self.atomic |= atomic;
        self.words = Some(words);
    }

    /// The shape of a root whose size is a multiple of `unit`.
    fn shape(self, root: Root, access: Access, unit: u32) -> Shape {
        // Other invocations may be storing to the same word.
        let parts = self.part_stores && !matches!(root, Root::Private(_));
        if self.atomic || parts || access == Access::Atomic {
            return match self.words {
                Some(2) if self.atomic => Shape { width: 2, word: Word::WideAtomic },
                Some(_) if self.signed => Shape { width: 1, word: Word::SignedAtomic },
                _ => Shape { width: 1, word: Word::Atomic },
            };
        }
        let fits = |blocks: &&Blocks| !self.parts && unit.is_multiple_of(4 * blocks.width) && blocks.pay();
        let width = self.blocks.iter().find(fits).map_or(1, |blocks| blocks.width);
        Shape { width, word: if self.float && self.words.is_some() { Word::Float } else { Word::Plain } }
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
