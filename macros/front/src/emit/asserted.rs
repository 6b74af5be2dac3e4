//! Assertions about constants from outside, whose values only rustc knows: an index must not be
//! beyond the end of an array, a step must not be zero.
//!
//! The expansion contains the assertions, as constants on the tokens of the use. An index is
//! only asserted if every invocation reaches its use, because under a condition it may never be
//! used. An assertion computes as the kernel does, in 32 bits that wrap.

use crate::emit::{self, Constant};
use crate::hir;
use crate::report::Refused;
use crate::spans::Spans;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use samebits_ir::check::Checked;
use samebits_ir::diag::{Code, count};
use samebits_ir::ir::{Function, Inst, InstKind, Place, Region, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Type, Types};

/// How deep an index is computed.
const MAX_DEPTH: usize = 8;

/// The assertions that the constants which are steps of loops are not zero.
pub fn steps(body: &hir::Body, constants: &[Constant], spans: &Spans<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    let mut known = Vec::new();
    for &(local, loc) in body.steps.iter().filter(|_| !constants.is_empty()) {
        let Some(i) = body.outer.iter().position(|outer| outer.local == local) else { continue };
        if known.contains(&i) {
            continue;
        }
        known.push(i);
        let Some(Constant { value, .. }) = constants.get(i) else { continue };
        let at = spans.start(spans.outermost(loc));
        let text = Refused::new(Code::V015, "a step must be at least 1, but this is 0").text();
        let condition = quote_spanned!(at=> (#value) as ::core::primitive::u64 != 0);
        out.extend(emit::assertion(at, &condition, &text));
    }
    out
}

/// The assertions of a kernel that is not yet optimised and whose last parameters are these
/// constants.
pub fn assertions(checked: &Checked, constants: &[Constant], spans: &Spans<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    let types = &checked.module().types;
    let Some((function, _)) = checked.function(0).filter(|_| !constants.is_empty() && !types.arrays.is_empty()) else {
        return out;
    };
    let mut known = Vec::new();
    for &inst in &function.regions[function.body].insts {
        let def = &function.insts[inst];
        if def.kind.regions().any(|region| returns(function, region)) {
            break;
        }
        let Some(place) = def.kind.place().filter(|_| !known.contains(&def.loc)) else { continue };
        let index = Index { function, constants };
        for (value, bound) in limits(types, function, inst, place) {
            if let Some((index, true)) = index.tokens(value, MAX_DEPTH) {
                let at = spans.start(spans.outermost(def.loc));
                let name = function.root_name(place.root);
                let elements = count(bound, "element");
                let message = format!("an index of `{name}` is out of bounds: it has {elements}");
                let text = Refused::new(Code::V300, message).text();
                known.push(def.loc);
                out.extend(emit::assertion(at, &quote_spanned!(at=> #index < #bound), &text));
            }
        }
    }
    out
}

/// Whether anything in a region ends the invocation. The checks limit how deep regions nest.
fn returns(function: &Function, region: Region) -> bool {
    function.regions[region].insts.iter().any(|&inst| {
        let kind = &function.insts[inst].kind;
        matches!(kind, InstKind::Return(_)) || kind.regions().any(|inner| returns(function, inner))
    })
}

/// The indices of a place with the number that each has to be below.
fn limits(types: &Types, function: &Function, inst: Inst, place: &Place) -> Vec<(Value, u32)> {
    let def = &function.insts[inst];
    let accessed = match &def.kind {
        InstKind::Store(_, value) => Some(function.ty(*value)),
        _ => def.results.first().map(|&value| function.ty(value)),
    };
    let size = accessed.and_then(|ty| types.layout(ty)).map(|layout| layout.size);
    let whole = |stride: u32| {
        let room = function.root_size(types, place.root)?.checked_sub(place.offset.checked_add(size?)?)?;
        room.checked_div(stride).filter(|_| place.indices.len() == 1).map(|last| last + 1)
    };
    let limit = |index: &samebits_ir::ir::Index| Some((index.value, index.bound.or_else(|| whole(index.stride))?));
    place.indices.iter().filter_map(limit).collect()
}

struct Index<'a> {
    function: &'a Function,
    constants: &'a [Constant],
}

impl Index<'_> {
    /// An index as rustc computes it, and whether a constant from outside is in it.
    fn tokens(&self, value: Value, depth: usize) -> Option<(TokenStream, bool)> {
        let function = self.function;
        if depth == 0 || function.ty(value) != Type::U32 {
            return None;
        }
        if let Some(bits) = function.constant_bits(value) {
            let number = u32::try_from(bits).ok()?;
            return Some((quote!(#number), false));
        }
        let body = &function.regions[function.body];
        if let Some(position) = body.params.iter().position(|&param| param == value) {
            let first = body.params.len().checked_sub(self.constants.len())?;
            let Constant { value, .. } = self.constants.get(position.checked_sub(first)?)?;
            return Some((quote!(((#value) as ::core::primitive::u32)), true));
        }
        let made = body.insts.iter().map(|&inst| &function.insts[inst]).find(|def| def.results.contains(&value))?;
        let (method, args) = match &made.kind {
            InstKind::Op(Op::Add, args) => (quote!(wrapping_add), args),
            InstKind::Op(Op::Sub, args) => (quote!(wrapping_sub), args),
            InstKind::Op(Op::Mul, args) => (quote!(wrapping_mul), args),
            _ => return None,
        };
        let &[a, b] = args.as_slice() else { return None };
        let ((a, first), (b, second)) = (self.tokens(a, depth - 1)?, self.tokens(b, depth - 1)?);
        Some((quote!(#a.#method(#b)), first || second))
    }
}
