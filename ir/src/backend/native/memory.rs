//! Memory accesses.
//!
//! Every root is bytes; an access is at a distance from the first one, under the test that
//! [`guard`](crate::analysis::guard) decides. Private memory that outlives a run has the elements of all lanes
//! side by side, so that neighbouring lanes access neighbouring words.

use super::code::{lane_of, literal, rust};
use super::writer::{Over, Writer};
use crate::analysis::effects::racy_roots;
use crate::analysis::guard::{Extent, Test};
use crate::analysis::tree::Def;
use crate::ir::{Access, Function, Inst, InstKind, ParamKind, Place, Region, Root, Value};
use crate::ops::Op;
use crate::types::{Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The most stores that are made whether or not the branch around them is taken.
const MOST_STORES: usize = 4;

/// Where private memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// In the block of a lane.
    Lane,
    /// Side by side with that of the other lanes of a strip.
    Strip,
    /// Side by side with that of the other lanes of the workgroup.
    Group,
}

/// The memory of a function.
pub(super) struct Memories {
    /// The buffers, by parameter, in order.
    pub buffers: Vec<u32>,
    /// Memory that others may access while the kernel does.
    racy: BTreeSet<Root>,
    /// The bytes of the narrowest access of private memory.
    units: BTreeMap<Root, u32>,
    /// Where private memory is.
    pub homes: BTreeMap<Root, Home>,
}

impl Memories {
    /// The memory of a function.
    pub fn of(function: &Function) -> Self {
        let params = function.params.iter().zip(0..);
        let buffers =
            params.filter(|(param, _)| matches!(param.kind, ParamKind::Buffer { .. })).map(|(_, i)| i).collect();
        let mut units = BTreeMap::new();
        for (inst, def) in function.insts.iter() {
            let Some(place) = def.kind.place() else { continue };
            let size = function.accessed(inst).map_or(4, |ty| lane_of(ty).size());
            let unit = units.entry(place.root).or_insert(size);
            *unit = size.min(*unit);
        }
        // Workgroup memory is of one thread.
        let racy = racy_roots(function).into_iter().filter(|root| matches!(root, Root::Param(_))).collect();
        Self { buffers, racy, units, homes: BTreeMap::new() }
    }

    /// The place of a buffer among the buffers.
    pub fn buffer(&self, param: u32) -> usize {
        self.buffers.iter().position(|&buffer| buffer == param).unwrap_or(0)
    }
}

/// The private memory that instructions access.
pub(super) fn private_roots(function: &Function, insts: &[Inst]) -> BTreeSet<Root> {
    let mut roots = BTreeSet::new();
    let mut pending = insts.to_vec();
    while let Some(inst) = pending.pop() {
        let kind = &function.insts[inst].kind;
        if let Some(place) = kind.place()
            && matches!(place.root, Root::Private(_))
        {
            roots.insert(place.root);
        }
        for region in kind.regions() {
            pending.extend(&function.regions[region].insts);
        }
    }
    roots
}

/// What an access needs: where it begins in bytes, and the test that it is in bounds.
struct Address {
    at: String,
    valid: Option<String>,
}

impl Writer<'_> {
    /// The number of elements of a root.
    pub(super) fn len(&self, root: Root) -> String {
        match root {
            Root::Param(param) => format!("n{}", self.memory.buffer(param)),
            Root::Shared(_) | Root::Private(_) | Root::Table(_) => {
                let size = self.function.root_size(self.types, root).unwrap_or(0);
                format!("{}u32", size / self.element(root))
            }
        }
    }

    /// The bytes of an element of a root.
    pub(super) fn element(&self, root: Root) -> u32 {
        let element = self.function.root_element(self.types, root).and_then(|ty| self.types.layout(ty));
        element.map_or(1, |layout| layout.size.max(1))
    }

    /// The bytes that the private memory of a lane has.
    pub(super) fn private_bytes(&self, root: Root) -> u32 {
        self.function.root_size(self.types, root).unwrap_or(0)
    }

    /// The name of the pointer to a root's first byte, and whether it may be written by.
    fn base(&self, root: Root) -> (String, bool) {
        match root {
            Root::Param(param) => {
                let written = self.function.root_access(root) != Some(Access::Read);
                (format!("b{}", self.memory.buffer(param)), written)
            }
            Root::Shared(i) => (format!("s{i}"), true),
            Root::Private(i) => (format!("a{i}"), true),
            Root::Table(i) => (format!("t{i}"), false),
        }
    }

    /// Gives a value what is at a place; zero out of bounds.
    pub(super) fn load(&mut self, inst: Inst, place: &Place, result: Value) {
        let ty = self.function.ty(result);
        let (lane, lanes) = (lane_of(ty), ty.lanes() as u32);
        let Address { at, valid } = self.address(inst, place, ty);
        let parts: Vec<String> = (0..lanes).map(|i| self.loaded(place.root, &at, i * lane.size(), lane)).collect();
        let Some(valid) = valid else {
            self.define(result, parts);
            return;
        };
        if lanes == 1 {
            let value = format!("if {valid} {{ {} }} else {{ {} }}", parts.concat(), literal(lane, 0));
            self.define(result, vec![value]);
            return;
        }
        // One test for all lanes.
        let zeros = vec![literal(lane, 0); parts.len()];
        let names = self.names(result, 'q');
        self.code.line(format!(
            "let ({}) = if {valid} {{ ({}) }} else {{ ({}) }};",
            names.join(", "),
            parts.join(", "),
            zeros.join(", ")
        ));
        self.define(result, names);
    }

    /// The expression that loads a lane.
    fn loaded(&self, root: Root, at: &str, more: u32, lane: Scalar) -> String {
        let (base, written) = self.base(root);
        let pointer = if written { format!("{base}.cast_const()") } else { base.clone() };
        let held = if lane == Scalar::Bool { Scalar::U32 } else { lane };
        let value = if self.memory.racy.contains(&root) {
            let bits = format!("n::load_racy({base}, {}, {})", plus(at, more), lane.size());
            super::op::bitcast(held.unsigned(), held, &format!("({bits} as {})", held.unsigned().name()))
        } else if let Some(side) = self.side_by_side(root) {
            let unit = self.unit(root);
            let pieces = (0..held.size() / unit).map(|i| side.place(&plus(at, more + i * unit), unit));
            let word = unit_type(unit);
            let pieces: Vec<String> = pieces.map(|at| format!("n::load::<{word}>({pointer}, {at})")).collect();
            let wide = held.unsigned();
            let bits = match pieces.as_slice() {
                [one] => one.clone(),
                _ => {
                    let shifted = pieces.iter().enumerate();
                    let shifted = shifted.map(|(i, piece)| {
                        format!("({piece} as {}).wrapping_shl({})", wide.name(), 8 * unit * i as u32)
                    });
                    format!("({})", shifted.collect::<Vec<_>>().join(" | "))
                }
            };
            super::op::bitcast(wide, held, &bits)
        } else {
            format!("n::load::<{}>({pointer}, {})", rust(held), plus(at, more))
        };
        if lane == Scalar::Bool { format!("({value} != 0)") } else { value }
    }

    /// Sets what is at a place; nothing out of bounds.
    pub(super) fn store(&mut self, inst: Inst, place: &Place, value: Value) {
        let ty = self.function.ty(value);
        let lane = lane_of(ty);
        let lanes = self.lanes(value);
        let Address { at, valid } = self.address(inst, place, ty);
        if let Some(valid) = &valid {
            self.code.open(format!("if {valid} {{"));
        }
        let (base, _) = self.base(place.root);
        for (i, value) in (0..).zip(lanes) {
            let (held, value) = match lane {
                Scalar::Bool => (Scalar::U32, format!("({value} as u32)")),
                _ => (lane, value),
            };
            let to = plus(&at, i * lane.size());
            if self.memory.racy.contains(&place.root) {
                let bits = super::op::bitcast(held, held.unsigned(), &value);
                self.code.line(format!("n::store_racy({base}, {to}, {}, {bits} as u64);", held.size()));
            } else if let Some(side) = self.side_by_side(place.root) {
                let unit = self.unit(place.root);
                let word = unit_type(unit);
                let bits = super::op::bitcast(held, held.unsigned(), &value);
                for piece in 0..held.size() / unit {
                    let part = match piece {
                        0 => format!("({bits} as {word})"),
                        _ => format!("({bits}.wrapping_shr({}) as {word})", 8 * unit * piece),
                    };
                    let to = side.place(&plus(&at, i * lane.size() + piece * unit), unit);
                    self.code.line(format!("n::store::<{word}>({base}, {to}, {part});"));
                }
            } else {
                self.code.line(format!("n::store::<{}>({base}, {to}, {value});", rust(held)));
            }
        }
        if valid.is_some() {
            self.code.close("}");
        }
    }

    /// Writes a branch that does nothing but store where the lane has loaded before: it stores what was there if it is not
    /// taken. That needs no jump, which processors guess wrong where data decides. `false` if the branch does more.
    ///
    /// No other invocation writes where this one loads. Others may load there too, if the ids of this one say that it
    /// does not store. In workgroup memory, which one thread has, they find what was there. In a buffer the store would
    /// race with them, so there each part of the condition has to depend on what was loaded: then any invocation may
    /// store for all that is known, and no other one loads what it does.
    pub(super) fn store_either(&mut self, inst: Inst, condition: Value, then: Region, otherwise: Region) -> bool {
        let function = self.function;
        let (Some((_, insts)), [_]) =
            (function.regions[then].insts.split_last(), &function.regions[otherwise].insts[..])
        else {
            return false;
        };
        let known = self.loaded_before(inst);
        let stores = |inst: &Inst| match &function.insts[*inst].kind {
            InstKind::Store(place, value) => {
                let ty = function.ty(*value);
                let same = |load: &&Inst| {
                    let def = &function.insts[**load];
                    def.kind.place() == Some(place) && def.results.iter().all(|&old| function.ty(old) == ty)
                };
                Some((known.iter().find(same).copied()?, place, *value))
            }
            _ => None,
        };
        let all: Option<Vec<_>> = insts.iter().map(stores).collect();
        let results = &function.insts[inst].results;
        let Some(all) = all.filter(|all| !all.is_empty() && all.len() <= MOST_STORES && results.is_empty()) else {
            return false;
        };
        let is_own = all.iter().all(|(_, place, _)| matches!(place.root, Root::Shared(_)));
        let parts = if is_own { vec![condition] } else { self.parts_of_condition(condition) };
        if !parts.iter().all(|&part| self.depends_on(part, &known)) {
            return false;
        }
        let condition = self.scalar(condition);
        for (load, place, value) in all {
            let ty = function.ty(value);
            let lane = lane_of(ty);
            let Address { at, valid } = self.address(load, place, ty);
            let (base, _) = self.base(place.root);
            let old = function.insts[load].results.first().map(|&old| self.lanes(old)).unwrap_or_default();
            if let Some(valid) = &valid {
                self.code.open(format!("if {valid} {{"));
            }
            for (i, (value, old)) in (0..).zip(self.lanes(value).into_iter().zip(old)) {
                let to = plus(&at, i * lane.size());
                let either = format!("if {condition} {{ {value} }} else {{ {old} }}");
                self.code.line(format!("n::store::<{}>({base}, {to}, {either});", rust(lane)));
            }
            if valid.is_some() {
                self.code.close("}");
            }
        }
        true
    }

    /// The plain loads that the lane has come to right before an instruction, with nothing but arithmetic in between.
    fn loaded_before(&self, inst: Inst) -> Vec<Inst> {
        let function = self.function;
        let Some(region) = self.tree.parent(inst) else { return Vec::new() };
        let before = function.regions[region].insts.iter().rev().skip_while(|&&other| other != inst).skip(1);
        let quiet = before.take_while(|&&other| {
            matches!(
                function.insts[other].kind,
                InstKind::Op(..) | InstKind::Load(_) | InstKind::Builtin(_) | InstKind::Len(_)
            )
        });
        let plain = |inst: &Inst| match &function.insts[*inst].kind {
            InstKind::Load(place) => {
                let is_plain = match place.root {
                    Root::Shared(_) => true,
                    Root::Param(_) => !self.memory.racy.contains(&place.root),
                    Root::Private(_) | Root::Table(_) => false,
                };
                let results = &function.insts[*inst].results;
                is_plain
                    && results.iter().all(|&value| {
                        // What is stored again has to have the bits that were loaded.
                        lane_of(function.ty(value)) != Scalar::Bool && !self.observed[value]
                    })
            }
            _ => false,
        };
        quiet.copied().filter(plain).collect()
    }

    /// What a condition is joined from.
    fn parts_of_condition(&self, condition: Value) -> Vec<Value> {
        let (mut pending, mut seen, mut parts) = (vec![condition], BTreeSet::new(), Vec::new());
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            match self.tree.op(self.function, value) {
                Some((Op::And | Op::Or | Op::Not | Op::Select, args)) => pending.extend(args),
                _ => parts.push(value),
            }
        }
        parts
    }

    /// Whether one of these loads decides a value.
    fn depends_on(&self, value: Value, loads: &[Inst]) -> bool {
        let (mut pending, mut seen) = (vec![value], BTreeSet::new());
        while let Some(value) = pending.pop() {
            let Def::Result(inst, _) = self.tree.def(value) else { continue };
            if loads.contains(&inst) {
                return true;
            }
            if let InstKind::Op(_, args) = &self.function.insts[inst].kind
                && seen.insert(value)
            {
                pending.extend(args);
            }
        }
        false
    }

    /// The bytes of the narrowest access of a root.
    fn unit(&self, root: Root) -> u32 {
        self.memory.units.get(&root).copied().unwrap_or(4).max(1)
    }

    /// How the memory of lanes lies side by side, if it does.
    fn side_by_side(&self, root: Root) -> Option<SideBySide> {
        let home = self.memory.homes.get(&root).copied().filter(|_| matches!(root, Root::Private(_)))?;
        match home {
            Home::Lane => None,
            Home::Strip => {
                let width = self.levels.iter().find_map(|level| match level.over {
                    Over::Strip(width) => Some(width),
                    Over::Group | Over::Row => None,
                });
                Some(SideBySide { lanes: width.unwrap_or(1).into(), at: "j" })
            }
            Home::Group => Some(SideBySide { lanes: self.function.invocations(), at: "l" }),
        }
    }

    /// A pointer to a place of a buffer or of workgroup memory, for an atomic access; with the test.
    pub(super) fn pointer(&mut self, inst: Inst, place: &Place, ty: Type) -> (String, Option<String>) {
        let Address { at, valid } = self.address(inst, place, ty);
        let (base, _) = self.base(place.root);
        (format!("{base}.add({at})"), valid)
    }

    fn address(&mut self, inst: Inst, place: &Place, ty: Type) -> Address {
        let size = self.types.layout(ty).map_or(4, |layout| layout.size);
        let passed = self.paths.iter().any(|path| path.passed.contains(&inst));
        let (guarded, bare) = (self.guards.test(inst), self.guards.test_under(inst, u64::MAX));
        let scaled = |index: &crate::ir::Index| format!("n::times({}, {})", self.scalar(index.value), index.stride);
        let mut terms: Vec<String> = place.indices.iter().map(scaled).collect();
        if place.offset > 0 || terms.is_empty() {
            terms.push(place.offset.to_string());
        }
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_default();
        let at = terms.fold(first, |sum, term| format!("n::plus({sum}, {term})"));
        let valid = if passed { None } else { self.test(place, &guarded, size, &at) };
        let Some(valid) = valid else { return Address { at, valid: None } };
        let valid = if bare.is_none() && !guarded.is_none() {
            self.uses_conditions = true;
            format!("BARE || {valid}")
        } else {
            valid
        };
        Address { at, valid: Some(valid) }
    }

    /// A test as a condition, if there is anything to test.
    fn test(&self, place: &Place, test: &Test, size: u32, at: &str) -> Option<String> {
        let mut tests = match test.extent {
            Extent::Within => Vec::new(),
            Extent::Element(index) => {
                let picked = index.map_or_else(|| "0".to_owned(), |index| self.scalar(index));
                vec![format!("{picked} < {}", self.len(place.root))]
            }
            Extent::Root { reach } => {
                let total = match place.root {
                    Root::Param(_) => format!("n::times({}, {})", self.len(place.root), self.element(place.root)),
                    _ => format!("{}usize", self.function.root_size(self.types, place.root).unwrap_or(0)),
                };
                if reach > u64::MAX.into() {
                    let terms = place
                        .indices
                        .iter()
                        .map(|index| format!("({} as u128).wrapping_mul({})", self.scalar(index.value), index.stride));
                    let end = terms.fold(format!("{}u128", u64::from(place.offset) + u64::from(size)), |sum, term| {
                        format!("{sum}.wrapping_add({term})")
                    });
                    vec![format!("{end} <= {total} as u128")]
                } else {
                    vec![format!("n::plus({at}, {size}) <= {total}")]
                }
            }
        };
        tests.extend(test.below.iter().map(|&(index, bound)| format!("{} < {bound}", self.scalar(index))));
        (!tests.is_empty()).then(|| format!("({})", tests.join(" && ")))
    }
}

/// Memory of several lanes: the units at one place of all lanes are neighbours.
struct SideBySide {
    lanes: u64,
    at: &'static str,
}

impl SideBySide {
    /// Where the lane's unit is that begins at this byte.
    fn place(&self, at: &str, unit: u32) -> String {
        format!("n::side_by_side({at}, {}, {}, {unit})", self.lanes, self.at)
    }
}

/// A distance and some more bytes.
fn plus(at: &str, more: u32) -> String {
    if more == 0 { at.to_owned() } else { format!("n::plus({at}, {more})") }
}

/// The unsigned integer of so many bytes.
const fn unit_type(unit: u32) -> &'static str {
    match unit {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        _ => "u64",
    }
}

/// Whether an instruction accesses workgroup memory.
pub(super) fn uses_shared(function: &Function) -> bool {
    function.insts.iter().any(|(_, def)| {
        def.kind.place().is_some_and(|place| matches!(place.root, Root::Shared(_)))
            || matches!(def.kind, InstKind::Len(Root::Shared(_)))
    })
}

#[cfg(all(test, feature = "text"))]
mod tests {
    use crate::backend::native::emit;
    use crate::check::check;
    use crate::text::parse;

    /// Whether a store behind this condition is made either way.
    fn is_either(memory: &str, condition: &str) -> bool {
        let text = format!(
            "func kernel workgroup_size(64, 1, 1) @k(@x: mut [u32]) {{ {memory}
             %i = local_id.x %a = load u32 @m[%i] %far = lt %i, 10u32 %d = gt %a, 3u32 {condition}
             if %c {{ store @m[%i], 0u32 }} ret }}"
        );
        let text = if memory.is_empty() { text.replace("@m", "@x") } else { text };
        let checked = check(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}\n{text}"))).expect("a sound module");
        emit(&checked, 0).expect("code").lines().any(|line| line.contains("n::store") && line.contains("else"))
    }

    #[test]
    fn a_store_in_a_buffer_is_made_either_way_if_what_was_loaded_decides_alone() {
        let tile = "shared @m: [u32; 64]";
        let (data, both) = ("%c = or %d, %d", "%c = and %d, %far");
        assert_eq!([data, both].map(|condition| is_either("", condition)), [true, false]);
        assert_eq!([data, both].map(|condition| is_either(tile, condition)), [true, true]);
    }
}
