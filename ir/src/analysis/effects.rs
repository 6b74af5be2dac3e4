//! What instructions and regions may read and write, and whether two accesses may touch the
//! same bytes.
//!
//! This is the only home of these questions. Different roots are different memory: a launch
//! refuses buffers that overlap, unless both are only read. The buffers of a device function
//! are views, and a caller may pass two views of one memory; so there, all buffers count as
//! one.
//!
//! A barrier, a fence and an ordered atomic access let the accesses of other invocations
//! happen. To this invocation they are like reads and writes of all that others can reach:
//! workgroup memory and the buffers that anybody may write. A relaxed atomic access only
//! touches its own root.
//!
//! Every answer is conservative: what is unknown may happen, and may overlap.

use super::tree::Tree;
use crate::arena::Side;
use crate::ir::{Access, Function, Inst, InstKind, Place, Region, RegionDef, Root, Value};
use crate::ops::Op;
use crate::order::Ordering;
use crate::types::{Type, Types};

/// A set of the memory of a function, as [`Effects::class`] numbers it.
///
/// ```
/// use samebits_ir::analysis::effects::RootSet;
/// let set = RootSet::NONE.with(3);
/// assert!(set.has(3) && !set.has(2));
/// assert!(!set.without(RootSet::ALL).has(3));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootSet(u128);

impl RootSet {
    /// No memory.
    pub const NONE: Self = Self(0);
    /// All memory.
    pub const ALL: Self = Self(u128::MAX);

    /// This set and one class.
    #[must_use]
    pub const fn with(self, class: usize) -> Self {
        Self(self.0 | 1 << class)
    }

    /// What is in either set.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether a class is in the set.
    pub const fn has(self, class: usize) -> bool {
        self.0 >> class & 1 != 0
    }
}

/// What something may do to memory, as this invocation sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// What may be looked at, by this invocation or by others that it lets run.
    pub reads: RootSet,
    /// What may change.
    pub writes: RootSet,
}

impl Effect {
    /// Nothing.
    pub const NONE: Self = Self { reads: RootSet::NONE, writes: RootSet::NONE };

    const fn and(self, other: Self) -> Self {
        Self { reads: self.reads.and(other.reads), writes: self.writes.and(other.writes) }
    }
}

/// The last class; memory beyond it shares it.
const LAST: usize = 127;

/// The effects of every region of a function.
///
/// ```
/// use samebits_ir::analysis::effects::Effects;
/// use samebits_ir::{ir::Root, text::parse};
/// let source = "func kernel workgroup_size(2, 1, 1) @k(@x: [u32], @y: mut [u32]) {
///   %a = load u32 @x[0u32]
///   store @y[0u32], %a
///   ret
/// }";
/// let function = parse(source).expect("sound text").functions.remove(0);
/// let effects = Effects::of(&function);
/// let body = effects.region(function.body);
/// let [x, y] = [Root::Param(0), Root::Param(1)].map(|root| effects.class(root));
/// assert!(body.reads.has(x) && !body.writes.has(x));
/// assert!(body.writes.has(y) && !body.reads.has(y));
/// ```
#[derive(Clone, Debug)]
pub struct Effects {
    is_kernel: bool,
    params: usize,
    shared: usize,
    private: usize,
    classes: usize,
    /// What other invocations may write.
    others: RootSet,
    regions: Side<RegionDef, Effect>,
}

impl Effects {
    /// Looks at a function in SSA form.
    pub fn of(function: &Function) -> Self {
        let mut effects = Self {
            is_kernel: function.is_kernel(),
            params: function.params.len(),
            shared: function.shared.len(),
            private: function.private.len(),
            classes: (function.params.len() + function.shared.len() + function.private.len() + function.tables.len())
                .min(LAST + 1),
            others: RootSet::NONE,
            regions: Side::new(Effect::NONE),
        };
        for (i, _) in function.params.iter().enumerate() {
            let root = Root::Param(i as u32);
            // A view that is only read may be of memory that others write.
            let read_only = effects.is_kernel && function.root_access(root) == Some(Access::Read);
            if function.root_access(root).is_some() && !read_only {
                effects.others = effects.others.with(effects.class(root));
            }
        }
        for (i, _) in function.shared.iter().enumerate() {
            effects.others = effects.others.with(effects.class(Root::Shared(i as u32)));
        }
        effects.visit(function, function.body);
        effects
    }

    /// The checks limit how deep regions are nested.
    fn visit(&mut self, function: &Function, region: Region) -> Effect {
        let mut all = Effect::NONE;
        for &inst in &function.regions[region].insts {
            let kind = &function.insts[inst].kind;
            for inner in kind.regions() {
                self.visit(function, inner);
            }
            all = all.and(self.kind(kind));
        }
        self.regions[region] = all;
        all
    }

    /// A number for a root. Memory of different classes never overlaps.
    pub fn class(&self, root: Root) -> usize {
        let class = match root {
            Root::Param(i) if self.is_kernel => i as usize,
            Root::Param(_) => 0,
            Root::Shared(i) => self.params + i as usize,
            Root::Private(i) => self.params + self.shared + i as usize,
            Root::Table(i) => self.params + self.shared + self.private + i as usize,
        };
        class.min(LAST)
    }

    /// How many classes there are.
    pub const fn classes(&self) -> usize {
        self.classes
    }

    /// What a region's instructions do together.
    pub fn region(&self, region: Region) -> Effect {
        self.regions[region]
    }

    /// What an instruction does, its regions included.
    pub fn inst(&self, function: &Function, inst: Inst) -> Effect {
        self.kind(&function.insts[inst].kind)
    }

    fn kind(&self, kind: &InstKind) -> Effect {
        let everybody = Effect { reads: self.others, writes: self.others };
        match kind {
            InstKind::Load(place) => {
                Effect { reads: RootSet::NONE.with(self.class(place.root)), writes: RootSet::NONE }
            }
            InstKind::Store(place, _) => {
                Effect { reads: RootSet::NONE, writes: RootSet::NONE.with(self.class(place.root)) }
            }
            InstKind::Atomic(_, place, _, order) => {
                let own = RootSet::NONE.with(self.class(place.root));
                let own = Effect { reads: own, writes: own };
                let relaxed = order.ordering == Ordering::Relaxed && order.failure == Ordering::Relaxed;
                if relaxed { own } else { own.and(everybody) }
            }
            InstKind::Barrier | InstKind::Fence(..) => everybody,
            InstKind::Call { .. } => Effect { reads: RootSet::ALL, writes: RootSet::ALL },
            InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => {
                kind.regions().fold(Effect::NONE, |all, region| all.and(self.regions[region]))
            }
            InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Get(_) | InstKind::Set(..) => {
                Effect::NONE
            }
            // It waits, but orders no memory.
            InstKind::Subgroup(..) => Effect::NONE,
            InstKind::Yield(_) | InstKind::Break(..) | InstKind::Continue(..) | InstKind::Return(_) => Effect::NONE,
            InstKind::Unreachable => Effect::NONE,
        }
    }

    /// The bytes that an access of a type at a place touches.
    pub fn bytes(&self, function: &Function, types: &Types, place: &Place, ty: Type) -> Bytes {
        let mut offset = u128::from(place.offset);
        let mut terms = Vec::with_capacity(place.indices.len());
        for index in &place.indices {
            match function.constant_bits(index.value) {
                Some(bits) => offset += u128::from(bits) * u128::from(index.stride),
                None => terms.push(Term { value: index.value, stride: index.stride, bound: index.bound }),
            }
        }
        terms.sort_unstable_by_key(|term| (term.value, term.stride));
        let size = types.layout(ty).map_or(u32::MAX, |layout| layout.size);
        Bytes { class: self.class(place.root), root: place.root, offset, size: size.into(), terms }
    }
}

/// What an index that is not a constant adds to an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Term {
    value: Value,
    stride: u32,
    bound: Option<u32>,
}

/// The bytes of an access: a constant offset in its memory plus values times strides.
///
/// All values are the ones of one moment: an index that a loop changes makes bytes of
/// different rounds incomparable.
///
/// ```
/// use samebits_ir::analysis::effects::Effects;
/// use samebits_ir::{ir::{Function, Place, Root}, loc::Loc, types::{Type, Types}};
/// let (function, types) = (Function::new("k", [1, 1, 1], Loc::NONE), Types::default());
/// let effects = Effects::of(&function);
/// let at = |offset, ty| {
///     effects.bytes(&function, &types, &Place { root: Root::Private(0), offset, indices: Vec::new() }, ty)
/// };
/// assert!(!at(4, Type::F32).may_overlap(&at(8, Type::F32)));
/// assert!(at(4, Type::U64).may_overlap(&at(8, Type::F32)));
/// assert!(at(4, Type::U64).covers(&at(8, Type::F32)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bytes {
    class: usize,
    /// Several memories may be of one class.
    root: Root,
    offset: u128,
    size: u128,
    /// In order.
    terms: Vec<Term>,
}

impl Bytes {
    /// The memory, as [`Effects::class`] numbers it.
    pub const fn class(&self) -> usize {
        self.class
    }

    /// Whether an access of these bytes and one of the others may touch a common byte.
    pub fn may_overlap(&self, other: &Self) -> bool {
        if self.class != other.class {
            return false;
        }
        if self.root != other.root {
            // Where the one lies in the other is not known.
            return true;
        }
        let (mut ours, mut theirs) = (self.terms.as_slice(), other.terms.as_slice());
        // Terms of both cancel out. How far the rest can reach, unless there is no end to
        // it, and what every difference is a multiple of:
        let (mut our_reach, mut their_reach) = (Some(0u128), Some(0u128));
        let mut step = 0;
        loop {
            let key = |term: &Term| (term.value, term.stride);
            let (reach, term) = match (ours.split_first(), theirs.split_first()) {
                (None, None) => break,
                (Some((a, rest_a)), Some((b, rest_b))) if key(a) == key(b) => {
                    (ours, theirs) = (rest_a, rest_b);
                    continue;
                }
                (Some((a, rest)), Some((b, _))) if key(a) < key(b) => {
                    ours = rest;
                    (&mut our_reach, a)
                }
                (Some((a, rest)), None) => {
                    ours = rest;
                    (&mut our_reach, a)
                }
                (_, Some((b, rest))) => {
                    theirs = rest;
                    (&mut their_reach, b)
                }
            };
            step = gcd(step, term.stride);
            let furthest = term.bound.map(|bound| u128::from(bound.saturating_sub(1)) * u128::from(term.stride));
            *reach = reach.zip(furthest).map(|(reach, further)| reach + further);
        }
        let before = |first: &Self, reach: Option<u128>, second: &Self| {
            reach.is_some_and(|reach| first.offset + reach + first.size <= second.offset)
        };
        if before(self, our_reach, other) || before(other, their_reach, self) {
            return false;
        }
        if step == 0 {
            return true;
        }
        // The other access begins this far after ours, or whole steps from there.
        let step = u128::from(step);
        let apart = (other.offset % step + step - self.offset % step) % step;
        apart < self.size || step - apart < other.size
    }

    /// Whether these bytes hold all of the others.
    pub fn covers(&self, other: &Self) -> bool {
        self.root == other.root
            && self.offset <= other.offset
            && other.offset + other.size <= self.offset + self.size
            && self.terms.len() == other.terms.len()
            && self.terms.iter().zip(&other.terms).all(|(a, b)| a.value == b.value && a.stride == b.stride)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether an access is known to be in bounds: false where it may not be.
///
/// ```
/// use samebits_ir::analysis::{effects::in_bounds, tree::Tree};
/// use samebits_ir::text::parse;
/// let source = "func kernel workgroup_size(2, 1, 1) @k(%n: u32) {
///   private @a: [u32; 4]
///   %i = and %n, 3u32
///   %x = load u32 @a[%i]
///   %y = load u32 @a[%n]
///   ret
/// }";
/// let module = parse(source).expect("sound text");
/// let function = &module.functions[0];
/// let (tree, insts) = (Tree::of(function), &function.regions[function.body].insts);
/// assert!(in_bounds(function, &module.types, &tree, insts[1]));
/// assert!(!in_bounds(function, &module.types, &tree, insts[2]));
/// ```
pub fn in_bounds(function: &Function, types: &Types, tree: &Tree, inst: Inst) -> bool {
    let Some(place) = function.insts[inst].kind.place() else { return false };
    let layout = function.accessed(inst).and_then(|ty| types.layout(ty));
    let (Some(size), Some(layout)) = (function.root_size(types, place.root), layout) else { return false };
    let mut end = u128::from(place.offset) + u128::from(layout.size);
    for index in &place.indices {
        let Some(greatest) = greatest(function, tree, index.value) else { return false };
        if index.bound.is_some_and(|bound| greatest >= u64::from(bound)) {
            return false;
        }
        end += u128::from(greatest) * u128::from(index.stride);
    }
    end <= u128::from(size)
}

/// The greatest that a `u32` can be, where its definition alone says so.
fn greatest(function: &Function, tree: &Tree, value: Value) -> Option<u64> {
    let bits = |value| function.constant_bits(value);
    if let Some(bits) = bits(value) {
        return Some(bits);
    }
    match &function.insts[tree.inst_of(value)?].kind {
        InstKind::Op(Op::And, args) => args.iter().filter_map(|&arg| bits(arg)).min(),
        // The remainder of a division by zero is zero.
        InstKind::Op(Op::Rem, args) => args.get(1).and_then(|&arg| bits(arg)).map(|bits| bits.saturating_sub(1)),
        InstKind::Builtin(builtin) => function.greatest(*builtin),
        _ => None,
    }
}

/// The roots of which every access is an atomic one of words: those with an access that is racy, and those with
/// atomics and other fields, which are loaded and stored beside them.
#[cfg(any(feature = "cuda", feature = "naga", feature = "native", feature = "spirv"))]
pub(crate) fn racy_roots(function: &Function) -> std::collections::BTreeSet<Root> {
    let is_racy = |inst: Inst, kind: &InstKind, root: Root| match function.root_access(root) {
        Some(Access::Read) => false,
        Some(Access::Atomic) if matches!(kind, InstKind::Load(_) | InstKind::Store(..)) => true,
        _ => function.flags[inst].has(crate::flags::Flags::RACY),
    };
    let accesses = function.insts.iter().filter_map(|(inst, def)| Some((inst, &def.kind, def.kind.place()?.root)));
    accesses.filter(|&(inst, kind, root)| is_racy(inst, kind, root)).map(|(.., root)| root).collect()
}
