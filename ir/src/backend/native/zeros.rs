//! Which memory of workgroups is filled with zeros once only, and not again for each workgroup.
//!
//! A thread runs many workgroups, one after the other, in the same memory. What the one before has left there has to be
//! gone, unless nobody can see it. That is so where all workgroups store to the same bytes, and store to each byte
//! before they load it: bytes that nobody stores to stay zero, and the others are set anew.
//!
//! So of each store to such memory two things have to be known:
//!
//! - Who comes to it, and where it goes, is the same in each workgroup: that depends on constants, on arguments and on
//!   the lane alone. The bytes that all stores reach are the same ones, then.
//! - Each load that may meet it comes after it, or after another store to the same bytes. Both stand in the body one
//!   after the other, or in two instructions of the body that do. Lanes that meet otherwise would race.

use super::writer::Writer;
use crate::analysis::effects::racy_roots;
use crate::arena::Side;
use crate::ir::{Inst, InstKind, Place, Root, Value, ValueDef};
use crate::ops::Builtin;
use crate::types::Type;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most pairs of accesses that are looked at.
const MOST_PAIRS: usize = 1 << 12;

/// The memory that needs to be filled once only.
pub(super) fn filled_once(writer: &Writer<'_>) -> BTreeSet<u32> {
    let function = writer.function;
    let last = function.regions[function.body].insts.last();
    let leaves = |inst: &Inst| {
        matches!(function.insts[*inst].kind, InstKind::Return(_) | InstKind::Unreachable) && Some(inst) != last
    };
    // Who has left does not store.
    if function.shared.is_empty() || writer.marks_gone || writer.tree.insts().iter().any(leaves) {
        return BTreeSet::new();
    }
    let racy = racy_roots(function);
    let varies = varies(writer);
    let roots = (0..function.shared.len() as u32).filter(|&i| !racy.contains(&Root::Shared(i)));
    roots.filter(|&i| is_filled_once(writer, &varies, Root::Shared(i))).collect()
}

/// An access of the memory that is looked at.
struct Access<'a> {
    inst: Inst,
    place: &'a Place,
    ty: Type,
    /// The instruction of the body that it is, or that it is in.
    top: usize,
    /// The bytes that it may reach.
    bytes: Range<u64>,
}

fn is_filled_once(writer: &Writer<'_>, varies: &Side<ValueDef, bool>, root: Root) -> bool {
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for &inst in writer.tree.insts() {
        let kind = &writer.function.insts[inst].kind;
        let Some(place) = kind.place().filter(|place| place.root == root) else { continue };
        let to = match kind {
            InstKind::Load(_) => &mut loads,
            InstKind::Store(..) => &mut stores,
            _ => return false,
        };
        let Some(access) = access(writer, inst, place) else { return false };
        to.push(access);
    }
    if loads.len() * stores.len() > MOST_PAIRS {
        return false;
    }
    let is_body = |access: &Access<'_>| writer.tree.parent(access.inst) == Some(writer.function.body);
    let comes_before = |store: &Access<'_>, load: &Access<'_>| {
        stores.iter().any(|first| {
            let is_same = first.inst == store.inst || is_body(first) && is_same_place(writer, first, store);
            is_same && first.top < load.top
        })
    };
    let meet = |a: &Access<'_>, b: &Access<'_>| a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end;
    stores.iter().all(|store| is_alike(writer, varies, store))
        && loads.iter().all(|load| stores.iter().all(|store| !meet(store, load) || comes_before(store, load)))
}

fn access<'a>(writer: &Writer<'a>, inst: Inst, place: &'a Place) -> Option<Access<'a>> {
    let function = writer.function;
    let outermost = std::iter::successors(Some(inst), |&inner| writer.tree.owner(writer.tree.parent(inner)?)).last()?;
    let top = function.regions[function.body].insts.iter().position(|&inst| inst == outermost)?;
    let ty = function.accessed(inst)?;
    let size = writer.types.layout(ty)?.size;
    let (mut start, mut end) = (u64::from(place.offset), u64::from(place.offset) + u64::from(size));
    for index in &place.indices {
        // What is out of bounds reaches nothing.
        let (least, most) = writer.facts().range(index.value);
        let most = index.bound.map_or(most, |bound| most.min(u64::from(bound.saturating_sub(1))));
        start = start.saturating_add(least.saturating_mul(index.stride.into()));
        end = end.saturating_add(most.saturating_mul(index.stride.into()));
    }
    Some(Access { inst, place, ty, top, bytes: start..end })
}

/// Whether two accesses are of the same bytes for each lane. Constants of the same number may be several values.
fn is_same_place(writer: &Writer<'_>, a: &Access<'_>, b: &Access<'_>) -> bool {
    let bits = |value: Value| writer.function.constant_bits(value);
    let is_same = |a: Value, b: Value| a == b || bits(a).is_some() && bits(a) == bits(b);
    let mut indices = a.place.indices.iter().zip(&b.place.indices);
    let (one, other) = (a.place, b.place);
    a.ty == b.ty
        && (one.offset, one.indices.len()) == (other.offset, other.indices.len())
        && indices.all(|(a, b)| is_same(a.value, b.value) && (a.stride, a.bound) == (b.stride, b.bound))
}

/// Whether the same lanes come to a store in each workgroup, and it goes to the same bytes there.
fn is_alike(writer: &Writer<'_>, varies: &Side<ValueDef, bool>, store: &Access<'_>) -> bool {
    let mut owners = writer.tree.around(store.inst).filter_map(|region| writer.tree.owner(region));
    !store.place.indices.iter().any(|index| varies[index.value]) && owners.all(|owner| !turns(writer, varies, owner))
}

/// Whether an instruction with regions may go another way in another workgroup. Of a loop everything that is decided in
/// it counts.
fn turns(writer: &Writer<'_>, varies: &Side<ValueDef, bool>, inst: Inst) -> bool {
    let function = writer.function;
    match &function.insts[inst].kind {
        InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } => varies[*value],
        InstKind::Loop { body, .. } => {
            let mut pending = function.regions[*body].insts.clone();
            while let Some(inner) = pending.pop() {
                let kind = &function.insts[inner].kind;
                if let InstKind::If { condition: value, .. } | InstKind::Switch { selector: value, .. } = kind
                    && varies[*value]
                {
                    return true;
                }
                for region in kind.regions() {
                    pending.extend(&function.regions[region].insts);
                }
            }
            false
        }
        _ => false,
    }
}

/// Which values may be others in another workgroup, or in another lane of the same number there.
fn varies(writer: &Writer<'_>) -> Side<ValueDef, bool> {
    let (function, tree) = (writer.function, writer.tree);
    let mut varies = Side::new(false);
    loop {
        let mut changed = false;
        for &inst in tree.insts() {
            let def = &function.insts[inst];
            let mut any = false;
            def.kind.for_each_operand(|value| any |= varies[value]);
            let all = match &def.kind {
                InstKind::Op(..) | InstKind::Len(_) => any,
                InstKind::Builtin(builtin) => is_of_one_group(*builtin),
                InstKind::Load(place) => any || !matches!(place.root, Root::Table(_)),
                InstKind::If { .. } | InstKind::Switch { .. } | InstKind::Loop { .. } => turns(writer, &varies, inst),
                _ => true,
            };
            let passed = |exits: &[Inst], i: usize, varies: &Side<ValueDef, bool>| {
                exits.iter().any(|&exit| function.insts[exit].kind.passed().get(i).is_some_and(|&value| varies[value]))
            };
            let mut set = |value: Value, is: bool, varies: &mut Side<ValueDef, bool>| {
                changed |= is && !varies[value];
                varies[value] |= is;
            };
            for (i, &result) in def.results.iter().enumerate() {
                let given = def.kind.has_regions() && passed(tree.exits(inst), i, &varies);
                set(result, all || given, &mut varies);
            }
            if let InstKind::Loop { body, initial, .. } = &def.kind {
                for (i, &param) in function.regions[*body].params.iter().enumerate() {
                    let first = initial.get(i).is_some_and(|&value| varies[value]);
                    let next = passed(tree.continues(inst), i, &varies);
                    set(param, all || first || next, &mut varies);
                }
            }
        }
        if !changed {
            return varies;
        }
    }
}

/// Whether a builtin depends on the workgroup.
const fn is_of_one_group(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::GlobalIdX
            | Builtin::GlobalIdY
            | Builtin::GlobalIdZ
            | Builtin::WorkgroupIdX
            | Builtin::WorkgroupIdY
            | Builtin::WorkgroupIdZ
    )
}

#[cfg(all(test, feature = "text"))]
mod tests {
    use crate::backend::native::emit;
    use crate::check::check;
    use crate::text::parse;

    /// Whether the tile of a kernel with this body is filled for each workgroup. `%l` is the lane, and `%g` says where
    /// it stores at the end.
    fn is_filled_again(body: &str) -> bool {
        let tile = if body.contains("atomic") { "atomic " } else { "" };
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], %n: u32, @y: mut [u32]) {{ shared @t: {tile}[u32; 64]
             %l = local_id.x %g = global_id.x %group = workgroup_id.x %v = load u32 @x[%g] %up = sub 63u32, %l
             {body}
             store @y[%g], %r ret }}"
        );
        let checked = check(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}\n{text}")));
        let checked = checked.unwrap_or_else(|diags| panic!("{diags:?}\n{text}"));
        emit(&checked, 0).expect("code").lines().any(|line| line.trim() == "shared0.0.fill(0);")
    }

    #[test]
    fn memory_is_filled_once_where_each_byte_is_stored_before_it_is_loaded() {
        // All of it.
        assert!(!is_filled_again("store @t[%l], %v barrier %r = load u32 @t[%up]"));
        // A part, always the same one: the rest stays zero.
        let half = "%low = lt %l, 32u32 if %low { store @t[%l], %v }";
        assert!(!is_filled_again(&format!("{half} barrier %r = load u32 @t[%up]")));
        // An argument decides, which is the same for all workgroups.
        let some = "%low = lt %l, %n if %low { store @t[%l], %v }";
        assert!(!is_filled_again(&format!("{some} barrier %r = load u32 @t[%up]")));
        // What comes later goes to bytes that have been stored to, even where data decides how often.
        let again = "store @t[%l], %v barrier %a = load u32 @t[%up] barrier
             %low = lt %l, 32u32 if %low { store @t[%l], %a } barrier %r = load u32 @t[%up]";
        assert!(!is_filled_again(again));
        // A loop whose rounds are counted.
        let rounds = "loop 'k (%k: u32 = 0u32) { %end = eq %k, 2u32 if %end { break 'k }
             %half = mul %k, 32u32 %low = lt %l, 32u32 if %low { %at = add %half, %l store @t[%at], %v }
             %next = add %k, 1u32 continue 'k %next } barrier %r = load u32 @t[%up]";
        assert!(!is_filled_again(rounds));
    }

    #[test]
    fn memory_is_filled_again_where_something_of_another_workgroup_could_be_seen() {
        // It is loaded first.
        assert!(is_filled_again("%a = load u32 @t[%l] %r = add %a, %v store @t[%l], %r"));
        // The workgroup decides where, or whether.
        assert!(is_filled_again("%at = rem %group, 64u32 store @t[%at], 1u32 barrier %r = load u32 @t[%up]"));
        let first = "%is = eq %group, 0u32 if %is { store @t[%l], %v }";
        assert!(is_filled_again(&format!("{first} barrier %r = load u32 @t[%up]")));
        // Data decides whether.
        let data = "%is = gt %v, 3u32 if %is { store @t[%l], %v }";
        assert!(is_filled_again(&format!("{data} barrier %r = load u32 @t[%up]")));
        // A later store goes to more bytes than the first one.
        let more = "%low = lt %l, 32u32 if %low { store @t[%l], %v } barrier %a = load u32 @t[%up] barrier
             store @t[%l], %a barrier %r = load u32 @t[%up]";
        assert!(is_filled_again(more));
        // A round loads what the next one stores.
        let rounds =
            "%all = loop 'k (%k: u32 = 0u32, %sum: u32 = 0u32) -> u32 { %end = eq %k, 64u32 if %end { break 'k %sum }
             %is = eq %l, %k if %is { store @t[%l], %v } barrier
             %a = load u32 @t[%up] %next = add %k, 1u32 %both = add %sum, %a barrier continue 'k %next, %both }
             barrier %r = load u32 @t[%up]";
        assert!(is_filled_again(rounds));
        // An atomic access.
        assert!(is_filled_again("%r = atomic.add @t[%l], 1u32"));
    }
}
