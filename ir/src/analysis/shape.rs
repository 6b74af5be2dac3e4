//! How memory is declared: as words of 4 bytes, or as blocks of 2 or 4 words.
//!
//! A buffer or workgroup memory is declared with elements of 16 or 8 bytes, *blocks*, which load at
//! once, if some accesses are whole blocks and every other one is a part of a block that is known
//! here, or a single word of one that is not; else it is an array of words. So is memory of the
//! invocation: NVIDIA's driver was seen to load what was never set from blocks of it. A word is an
//! `f32` if nothing else is accessed.
//!
//! Lanes of less than a word are *parts* of words; where they are stored, the words are
//! atomic, because other invocations may be storing beside them. Two things spare that. Lanes
//! that are whole words together are accessed as these ([`Offer::packed`]). And a buffer may
//! be declared once more, with elements of the lane's size ([`Offer::bytes`],
//! [`Offer::halves`]).
//!
//! In WGSL and Metal a store to a lane may store the whole vector, which would undo what
//! other invocations store beside it. Where that may be, only blocks are stored.

use crate::analysis::align::Alignment;
use crate::analysis::effects::racy_roots;
use crate::ir::{Access, Function, InstKind, Place, Root};
use crate::types::{Scalar, Type, Types};
use std::collections::BTreeMap;

/// What a target offers to accesses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Whether a lane of a block may be stored though others store beside it.
    pub lane_stores: bool,
    /// Whether the lanes of a vector that are whole words together are accessed as words.
    pub packed: bool,
    /// Whether a buffer can be declared once more as bytes.
    pub bytes: bool,
    /// Whether a buffer can be declared once more as pairs of bytes.
    pub halves: bool,
}

/// What an access goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// So many words.
    Words(usize),
    /// Parts of words, of so many bytes each.
    Parts(u32),
    /// Elements of so many bytes of the root's other declaration.
    Small(u32),
}

impl Offer {
    /// What an access of this type goes through.
    pub fn piece(&self, alignment: &Alignment, place: &Place, ty: Type, atomic: bool) -> Piece {
        let Some(bytes) = part(ty) else { return Piece::Words(words(ty)) };
        if atomic {
            return Piece::Parts(bytes);
        }
        let size = bytes * ty.lanes() as u32;
        if self.packed && size.is_multiple_of(4) && place.offset.is_multiple_of(4) && alignment.indices(place) >= 4 {
            return Piece::Words(size as usize / 4);
        }
        let is_apart = matches!(place.root, Root::Param(_)) && if bytes == 1 { self.bytes } else { self.halves };
        if is_apart { Piece::Small(bytes) } else { Piece::Parts(bytes) }
    }
}

/// How a root is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Words of an array element: 1, 2 or 4; 2 for atomics of 64 bits.
    pub width: u32,
    /// What a word is.
    pub word: Word,
}

/// What a word of memory is declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// `u32`.
    Plain,
    /// `f32`.
    Float,
    /// Atomic.
    Atomic,
    /// Atomic; every access is one of `i32`.
    SignedAtomic,
    /// Atomic in pairs; every access is one of 64 bits.
    WideAtomic,
}

/// Where in a block an access begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// At this word.
    At(u32),
    /// Nobody knows yet.
    Any,
}

/// Where in blocks of so many words an access of `words` words begins; `None` if it may be
/// in several blocks.
pub(crate) fn lane(alignment: &Alignment, place: &Place, width: u32, words: usize) -> Option<Lane> {
    let block = 4 * width;
    if alignment.indices(place) >= block {
        let first = place.offset % block / 4;
        return (first as usize + words <= width as usize).then_some(Lane::At(first));
    }
    (words == 1).then_some(Lane::Any)
}

/// Bytes of a lane that is less than a word.
pub(crate) fn part(ty: Type) -> Option<u32> {
    ty.lane().map(Scalar::size).filter(|&bytes| bytes < 4)
}

/// The words of a value whose lanes are not less than a word; else its lanes.
fn words(ty: Type) -> usize {
    ty.lane().map_or(0, |lane| lane.bits().div_ceil(32) as usize * ty.lanes())
}

/// The shape of every root that the function declares.
pub(crate) fn shapes(
    types: &Types,
    function: &Function,
    alignment: &Alignment,
    offer: &Offer,
) -> BTreeMap<Root, Shape> {
    let mut uses: BTreeMap<Root, Uses> = BTreeMap::new();
    let racy = racy_roots(function);
    for (inst, def) in function.insts.iter() {
        let (Some(place), Some(ty)) = (def.kind.place(), function.accessed(inst)) else { continue };
        let (atomic, store) = (matches!(def.kind, InstKind::Atomic(..)), matches!(def.kind, InstKind::Store(..)));
        let is_racy = racy.contains(&place.root);
        let piece = offer.piece(alignment, place, ty, atomic || is_racy);
        let uses = uses.entry(place.root).or_default();
        uses.racy |= is_racy;
        uses.add(ty, piece, atomic, store);
        if let Piece::Words(words) = piece {
            for blocks in &mut uses.blocks {
                let lane = lane(alignment, place, blocks.width, words);
                blocks.add(lane, words, store && !offer.lane_stores);
            }
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
                Root::Shared(_) | Root::Table(_) => 16,
                Root::Private(_) => 4,
            };
            Some((root, uses.remove(&root).unwrap_or_default().shape(root, access, unit)))
        })
        .collect()
}

/// What is known of the accesses of a root.
struct Uses {
    racy: bool,
    float: bool,
    signed: bool,
    atomic: bool,
    /// Whether an atomic access is of two words.
    wide: bool,
    /// Whether parts of words are accessed somewhere.
    parts: bool,
    /// Whether they are stored somewhere.
    part_stores: bool,
    words: Option<usize>,
    blocks: [Blocks; 2],
}

impl Default for Uses {
    fn default() -> Self {
        let blocks = [4, 2].map(|width| Blocks { width, fit: true, whole: 0, single: 0 });
        Self {
            racy: false,
            float: true,
            signed: true,
            atomic: false,
            wide: false,
            parts: false,
            part_stores: false,
            words: None,
            blocks,
        }
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
    fn add(&mut self, lane: Option<Lane>, words: usize, may_tear: bool) {
        let whole = words == self.width as usize;
        match lane {
            Some(Lane::At(_)) if whole => self.whole += 1,
            Some(Lane::At(_)) => self.fit &= !may_tear,
            Some(Lane::Any) => {
                self.fit &= !may_tear;
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
    fn add(&mut self, ty: Type, piece: Piece, atomic: bool, store: bool) {
        let words = match piece {
            Piece::Words(words) => words,
            Piece::Parts(_) => ty.lanes(),
            Piece::Small(_) => return,
        };
        let part = matches!(piece, Piece::Parts(_));
        self.parts |= part;
        self.part_stores |= part && store;
        self.float &= ty.lane() == Some(Scalar::F32);
        self.signed &= ty == Type::I32;
        self.atomic |= atomic;
        self.wide |= atomic && words == 2 && !part;
        self.words = Some(words);
    }

    /// The shape of a root whose size is a multiple of `unit`.
    fn shape(self, root: Root, access: Access, unit: u32) -> Shape {
        // Other invocations may be storing to the same word.
        let parts = self.part_stores && !matches!(root, Root::Private(_));
        if self.atomic || parts || self.racy || access == Access::Atomic {
            return match self.words {
                Some(_) if self.wide => Shape { width: 2, word: Word::WideAtomic },
                Some(_) if self.signed && !self.racy => Shape { width: 1, word: Word::SignedAtomic },
                _ => Shape { width: 1, word: Word::Atomic },
            };
        }
        let fits = |blocks: &&Blocks| !self.parts && unit.is_multiple_of(4 * blocks.width) && blocks.pay();
        let width = self.blocks.iter().find(fits).map_or(1, |blocks| blocks.width);
        Shape { width, word: if self.float && self.words.is_some() { Word::Float } else { Word::Plain } }
    }
}
