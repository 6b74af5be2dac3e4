//! What each barrier orders.
//!
//! A barrier makes earlier writes visible. If no buffer is written on one side of it and
//! accessed on the other, it need not do so for buffers. That saves a GPU a fence of its
//! caches: on NVIDIA, an eighth of the time of a tiled matrix product. An access comes before
//! or after a barrier by its position, or both if a loop holds the two.

use crate::arena::Side;
use crate::ir::{Access, Function, Inst, InstDef, InstKind, Region, Root};
use std::collections::BTreeMap;

/// The barriers that order accesses to buffers.
///
/// ```
/// use samebits_ir::analysis::barriers::order_buffers;
/// use samebits_ir::{builder::Builder, ir::{Access, Place}, types::{Type, Types}};
/// let mut b = Builder::new("k", [64, 1, 1]);
/// let data = b.buffer("data", Type::U32, Access::ReadWrite);
/// let place = || Place { root: data, offset: 0, indices: Vec::new() };
/// b.barrier();
/// let old = b.load(place(), Type::U32);
/// b.barrier();
/// b.store(place(), old);
/// b.ret();
/// let function = b.finish();
/// let ordering = order_buffers(&function);
/// let barriers = &function.regions[function.body].insts;
/// assert!(!ordering[barriers[0]] && ordering[barriers[2]]);
/// ```
pub fn order_buffers(function: &Function) -> Side<InstDef, bool> {
    ordering(function, |root| matches!(root, Root::Param(_)))
}

/// The barriers that order accesses to any memory that invocations share.
pub(super) fn order_anything(function: &Function) -> Side<InstDef, bool> {
    ordering(function, |root| matches!(root, Root::Param(_) | Root::Shared(_)))
}

/// The barriers that order accesses to memory of this kind.
fn ordering(function: &Function, is_meant: fn(Root) -> bool) -> Side<InstDef, bool> {
    let mut walk =
        Walk { function, is_meant, position: 0, loops: Vec::new(), accesses: Vec::new(), barriers: Vec::new() };
    walk.region(function.body);
    let mut ordering = Side::new(false);
    for barrier in &walk.barriers {
        // Of each buffer: read before, written before, read after, written after.
        let mut seen: BTreeMap<Root, [bool; 4]> = BTreeMap::new();
        for access in &walk.accesses {
            let seen = seen.entry(access.root).or_default();
            let kind = usize::from(access.writes);
            seen[kind] |= access.position < barrier.end;
            seen[2 + kind] |= access.position > barrier.start;
        }
        ordering[barrier.inst] =
            seen.into_values().any(|[read, written, reads, writes]| written && (reads || writes) || read && writes);
    }
    ordering
}

/// The instructions that are a barrier or have one inside.
pub(crate) fn waits(function: &Function) -> Side<InstDef, bool> {
    let mut waits = Side::new(false);
    waits_inside(function, function.body, &mut waits);
    waits
}

/// Whether a region has a barrier inside. The checks limit how deep regions are nested.
fn waits_inside(function: &Function, region: Region, waits: &mut Side<InstDef, bool>) -> bool {
    let mut any = false;
    for &inst in &function.regions[region].insts {
        let kind = &function.insts[inst].kind;
        let mut inside = *kind == InstKind::Barrier;
        for inner in kind.regions() {
            inside |= waits_inside(function, inner, waits);
        }
        waits[inst] = inside;
        any |= inside;
    }
    any
}

/// An access to memory that may be written.
struct Use {
    root: Root,
    position: u32,
    writes: bool,
}

/// A barrier, and the positions of the outermost loop that holds it, or its own.
struct Found {
    inst: Inst,
    start: u32,
    end: u32,
}

struct Walk<'f> {
    function: &'f Function,
    is_meant: fn(Root) -> bool,
    position: u32,
    /// The barriers that were found when each loop around began.
    loops: Vec<(u32, usize)>,
    accesses: Vec<Use>,
    barriers: Vec<Found>,
}

impl Walk<'_> {
    /// The checks limit how deep regions are nested.
    fn region(&mut self, region: Region) {
        for &inst in &self.function.regions[region].insts {
            self.position += 1;
            let position = self.position;
            let kind = &self.function.insts[inst].kind;
            match kind {
                InstKind::Barrier => self.barriers.push(Found { inst, start: position, end: position }),
                InstKind::Load(place) => self.access(place.root, false),
                InstKind::Store(place, _) | InstKind::Atomic(_, place, ..) => self.access(place.root, true),
                InstKind::Loop { body, .. } => {
                    self.loops.push((position, self.barriers.len()));
                    self.region(*body);
                    self.position += 1;
                    let end = self.position;
                    if let Some((start, first)) = self.loops.pop()
                        && self.loops.is_empty()
                    {
                        for barrier in self.barriers.iter_mut().skip(first) {
                            (barrier.start, barrier.end) = (start, end);
                        }
                    }
                }
                InstKind::If { .. } | InstKind::Switch { .. } => {
                    for inner in kind.regions() {
                        self.region(inner);
                    }
                }
                // A call may access anything; back ends see none.
                InstKind::Call { .. } => {}
                // It orders no memory.
                InstKind::Subgroup(..) => {}
                InstKind::Op(..) | InstKind::Len(_) | InstKind::Builtin(_) | InstKind::Fence(..) => {}
                InstKind::Get(_) | InstKind::Set(..) | InstKind::Yield(_) | InstKind::Break(..) => {}
                InstKind::Continue(..) | InstKind::Return(_) | InstKind::Unreachable => {}
            }
        }
    }

    fn access(&mut self, root: Root, writes: bool) {
        let changes = !matches!(self.function.root_access(root), Some(Access::Read) | None);
        if changes && (self.is_meant)(root) {
            self.accesses.push(Use { root, position: self.position, writes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// For each barrier of a kernel with this body, in order, whether it orders buffers.
    fn ordering(body: &str) -> Vec<bool> {
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@in: [u32], @x: mut [u32], @y: mut [u32]) {{
               shared @s: [u32; 64]
               {body}
               ret
             }}"
        );
        let module = parse(&text).unwrap_or_else(|diags| panic!("{diags:?}"));
        let function = &module.functions[0];
        let ordering = order_buffers(function);
        let mut walk = Walk {
            function,
            is_meant: |root| matches!(root, Root::Param(_)),
            position: 0,
            loops: Vec::new(),
            accesses: Vec::new(),
            barriers: Vec::new(),
        };
        walk.region(function.body);
        walk.barriers.iter().map(|barrier| ordering[barrier.inst]).collect()
    }

    #[test]
    fn buffers_that_are_only_read_need_no_order() {
        assert_eq!(ordering("%a = load u32 @in[0u32] barrier %b = load u32 @in[1u32]"), [false]);
        assert_eq!(ordering("%a = load u32 @x[0u32] barrier %b = load u32 @x[1u32]"), [false]);
    }

    #[test]
    fn a_write_on_either_side_is_ordered_with_an_access_on_the_other() {
        assert_eq!(ordering("store @x[0u32], 1u32 barrier %b = load u32 @x[1u32]"), [true]);
        assert_eq!(ordering("%b = load u32 @x[1u32] barrier store @x[0u32], 1u32"), [true]);
        assert_eq!(ordering("store @x[1u32], 2u32 barrier store @x[0u32], 1u32"), [true]);
    }

    #[test]
    fn accesses_to_different_buffers_or_on_one_side_are_not() {
        assert_eq!(ordering("store @x[0u32], 1u32 barrier %b = load u32 @y[1u32]"), [false]);
        assert_eq!(ordering("barrier store @x[0u32], 1u32 %b = load u32 @x[1u32]"), [false]);
        assert_eq!(ordering("store @s[0u32], 1u32 barrier %b = load u32 @s[1u32]"), [false]);
    }

    #[test]
    fn in_a_loop_an_access_is_on_both_sides() {
        let body = "barrier loop 'a (%i: u32 = 0u32) {
                      %done = ge %i, 4u32
                      if %done { break 'a }
                      barrier
                      loop 'b {
                        barrier
                        break 'b
                      }
                      store @x[%i], 1u32
                      %n = add %i, 1u32
                      continue 'a %n
                    }
                    barrier";
        assert_eq!(ordering(body), [false, true, true, false]);
    }
}
