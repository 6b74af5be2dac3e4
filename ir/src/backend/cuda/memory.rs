//! Memory accesses: places, bounds, loads and stores.
//!
//! A root is an array of *units*: the narrowest lane that any access to it has, so that
//! one address is always accessed as one type, and is aligned. A wider lane is several
//! units, low first.
//!
//! Two or four units that are accessed together at a place that is certainly a multiple of
//! their size are accessed as one.
//!
//! Where an access begins is computed in 64 bits. The access itself stands under the test
//! that [`guard`](crate::analysis::guard) decides, in which nothing wraps.

use super::body::Body;
use super::code::{c_type, literal};
use crate::analysis::effects::racy_roots;
use crate::analysis::guard::Extent;
use crate::ir::{Access, Function, Inst, ParamKind, Place, Root};
use crate::types::{Scalar, Type, Types};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A root as the text declares it.
#[derive(Clone, Debug)]
pub(super) struct DeclaredRoot {
    /// The array's name.
    pub name: String,
    /// Bytes of a unit: 1, 2, 4 or 8.
    pub unit: u32,
    /// Bytes of an element of the kernel's.
    pub element: u32,
    /// The number of elements, a `u32`.
    pub count: String,
    /// The size in bytes of memory of fixed size.
    pub fixed: Option<u32>,
    /// Whether each unit is read and written as a whole, since an access is racy.
    pub racy: bool,
}

impl DeclaredRoot {
    /// The array in loads and stores.
    fn accessed(&self) -> String {
        if self.racy { format!("((volatile {}*){})", self.unit_type(), self.name) } else { self.name.clone() }
    }

    /// The C type of a unit.
    pub fn unit_type(&self) -> &'static str {
        match self.unit {
            1 => "unsigned char",
            2 => "unsigned short",
            4 => "sb_u32",
            _ => "sb_u64",
        }
    }

    /// The number of units of memory of fixed size.
    pub fn units(&self) -> u32 {
        self.fixed.unwrap_or(0).div_ceil(self.unit.max(1))
    }
}

/// Where an access begins, in units, and the condition that it is in bounds.
pub(super) struct Address {
    /// A sum.
    pub at: String,
    /// A conjunction, or nothing if that is proven.
    pub valid: Option<String>,
}

impl Address {
    /// What opens the block that the access stands in.
    pub fn guard(&self) -> String {
        self.valid.as_ref().map_or_else(|| "{".to_owned(), |valid| format!("if ({valid}) {{"))
    }
}

/// Every buffer, and what else is accessed.
pub(super) fn memories(types: &Types, function: &Function) -> BTreeMap<Root, DeclaredRoot> {
    let mut narrowest: BTreeMap<Root, u32> = BTreeMap::new();
    for (inst, def) in function.insts.iter() {
        let Some(place) = def.kind.place() else { continue };
        let size = function.accessed(inst).and_then(Type::lane).map_or(4, Scalar::size);
        let least = narrowest.entry(place.root).or_insert(size);
        *least = size.min(*least);
    }
    let racy = racy_roots(function);
    let mut memories = BTreeMap::new();
    for (i, param) in function.params.iter().enumerate() {
        let ParamKind::Buffer { element, .. } = param.kind else { continue };
        let root = Root::Param(i as u32);
        let layout = types.layout(element);
        let unit = layout.map_or(1, |l| l.align).min(narrowest.get(&root).copied().unwrap_or(8));
        let (name, count) = (format!("b{i}{}", suffix(&param.name)), format!("n{i}{}", suffix(&param.name)));
        let element = layout.map_or(1, |l| l.size);
        let racy = racy.contains(&root);
        memories.insert(root, DeclaredRoot { name, unit, element, count, fixed: None, racy });
    }
    let shared = function.shared.iter().enumerate().map(|(i, m)| (Root::Shared(i as u32), 's', i, &m.name));
    let private = function.private.iter().enumerate().map(|(i, m)| (Root::Private(i as u32), 'a', i, &m.name));
    let tables = function.tables.iter().enumerate().map(|(i, t)| (Root::Table(i as u32), 't', i, &t.name));
    for (root, letter, i, name) in shared.chain(private).chain(tables) {
        let layout = function.root_element(types, root).and_then(|ty| types.layout(ty));
        let (Some(layout), Some(size)) = (layout, function.root_size(types, root)) else { continue };
        let Some(&unit) = narrowest.get(&root) else { continue };
        // Tables stand outside of the kernel, beside those of others.
        let scope = if letter == 't' { format!("sb_{}_", super::entry(&function.name)) } else { String::new() };
        let (name, count) = (format!("{scope}{letter}{i}{}", suffix(name)), format!("{}u", size / layout.size.max(1)));
        let (unit, element) = (unit.min(layout.align), layout.size);
        let racy = racy.contains(&root);
        memories.insert(root, DeclaredRoot { name, unit, element, count, fixed: Some(size), racy });
    }
    memories
}

/// A name of the source as the end of an identifier, if it can be one.
pub(super) fn suffix(name: &str) -> String {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let name = name.trim_matches('_');
    if name.is_empty() { String::new() } else { format!("_{name}") }
}

impl Body<'_> {
    /// The number of elements of a root.
    pub(super) fn len(&self, root: Root) -> String {
        if let Some(memory) = self.memory.get(&root) {
            return memory.count.clone();
        }
        let element = self.function.root_element(self.types, root).and_then(|ty| self.types.layout(ty));
        let size = self.function.root_size(self.types, root).unwrap_or(0);
        format!("{}u", size / element.map_or(1, |layout| layout.size.max(1)))
    }

    /// Reads a value into variables that it declares; zero out of bounds.
    pub(super) fn load(&mut self, inst: Inst, place: &Place, ty: Type, names: &[String]) {
        let Some(lane) = ty.lane() else { return };
        for name in names {
            self.code.line(format!("{} {name} = {};", c_type(lane), literal(lane, 0)));
        }
        let Some((memory, address)) = self.address(inst, place, ty) else { return };
        self.code.open(address.guard());
        let at = self.start(&address);
        let each = lane.size() / memory.unit;
        if let Some(block) = self.block(&memory, place, ty) {
            self.code.line(format!("const {block} all = *(const {block}*)&{}[{at}];", memory.name));
            for (i, name) in names.iter().enumerate() {
                self.code.line(format!("{name} = all.units[{i}];"));
            }
            self.code.close("}");
            return;
        }
        for (i, name) in names.iter().enumerate() {
            let wide = if lane.size() == 8 { "sb_u64" } else { "sb_u32" };
            let parts: Vec<String> = (0..each)
                .map(|part| {
                    let unit = format!("{}[{}]", memory.accessed(), plus(&at, i as u32 * each + part));
                    match part {
                        0 if each == 1 => unit,
                        0 => format!("({wide}){unit}"),
                        _ => format!("({wide}){unit} << {}", 8 * memory.unit * part),
                    }
                })
                .collect();
            let value = parts.join(" | ");
            let value = if lane == Scalar::Bool { format!("({value}) != 0u") } else { value };
            self.code.line(format!("{name} = {value};"));
        }
        self.code.close("}");
    }

    /// Sets the value at a place; nothing out of bounds.
    pub(super) fn store(&mut self, inst: Inst, place: &Place, ty: Type, lanes: &[String]) {
        let Some(lane) = ty.lane() else { return };
        let Some((memory, address)) = self.address(inst, place, ty) else { return };
        self.code.open(address.guard());
        let at = self.start(&address);
        let each = lane.size() / memory.unit;
        if let Some(block) = self.block(&memory, place, ty) {
            self.code.line(format!("const {block} all = {{{{{}}}}};", lanes.join(", ")));
            self.code.line(format!("*({block}*)&{}[{at}] = all;", memory.name));
            self.code.close("}");
            return;
        }
        let ty = memory.unit_type();
        for (i, value) in lanes.iter().enumerate() {
            let value = if lane == Scalar::Bool { format!("(sb_u32){value}") } else { value.clone() };
            for part in 0..each {
                let target = format!("{}[{}]", memory.accessed(), plus(&at, i as u32 * each + part));
                let shifted =
                    if part == 0 { value.clone() } else { format!("({value} >> {})", 8 * memory.unit * part) };
                let cut = if each == 1 && lane.size() >= 4 { shifted } else { format!("({ty}){shifted}") };
                self.code.line(format!("{target} = {cut};"));
            }
        }
        self.code.close("}");
    }

    /// The type of the units of an access that can be accessed as one.
    fn block(&mut self, memory: &DeclaredRoot, place: &Place, ty: Type) -> Option<String> {
        let (lane, lanes) = (ty.lane()?, ty.lanes() as u32);
        let bytes = memory.unit * lanes;
        if memory.racy
            || lane == Scalar::Bool
            || lane.size() != memory.unit
            || memory.unit < 4
            || !matches!(bytes, 8 | 16)
        {
            return None;
        }
        // The alignment of arrays is declared; a buffer begins at a multiple of its elements.
        let begins = match place.root {
            Root::Param(_) => memory.element.is_multiple_of(bytes),
            Root::Shared(_) | Root::Table(_) => true,
            // An array of the invocation is best left to the compiler.
            Root::Private(_) => false,
        };
        let aligned = self.alignment.indices(place) >= bytes && place.offset.is_multiple_of(bytes);
        if lanes < 2 || !begins || !aligned {
            return None;
        }
        let name = format!("sb_{lanes}x{}", memory.unit);
        let unit = memory.unit_type();
        let text = |_: &mut _| format!("struct __align__({bytes}) {name} {{\n    {unit} units[{lanes}];\n}};\n");
        Some(self.code.helper(name.clone(), text))
    }

    /// Declares where an access begins, unless that is a name or a number already.
    fn start(&mut self, address: &Address) -> String {
        if address.at.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return address.at.clone();
        }
        self.code.line(format!("const sb_u64 at = {};", address.at));
        "at".to_owned()
    }

    /// `None` for a place that no access can be in.
    pub(super) fn address(&mut self, inst: Inst, place: &Place, ty: Type) -> Option<(DeclaredRoot, Address)> {
        let memory = self.memory.get(&place.root)?.clone();
        let size = self.types.layout(ty)?.size;
        let unit = memory.unit.max(1);
        let mut terms: Vec<String> =
            place.indices.iter().map(|index| times(&self.scalar(index.value), index.stride / unit)).collect();
        if place.offset > 0 || terms.is_empty() {
            terms.push(format!("{}ull", place.offset / unit));
        }
        let test = self.guards.test(inst);
        let at = match (test.extent, terms.as_slice()) {
            (Extent::Root { reach }, _) if reach > u64::MAX.into() => self.saturating(&terms),
            // One index alone needs no cast.
            (_, [alone]) => alone.trim_start_matches("(sb_u64)").to_owned(),
            _ => terms.join(" + "),
        };
        let mut tests = match test.extent {
            Extent::Within => Vec::new(),
            Extent::Element(index) => {
                let picked = index.map_or_else(|| "0u".to_owned(), |index| self.scalar(index));
                vec![format!("{picked} < {}", memory.count)]
            }
            Extent::Root { .. } => {
                let total = match memory.fixed {
                    Some(bytes) => format!("{}ull", bytes / unit),
                    None => times(&memory.count, memory.element / unit),
                };
                let size = size / unit;
                vec![format!("{total} >= {size}ull && {at} <= {total} - {size}ull")]
            }
        };
        tests.extend(test.below.iter().map(|&(index, bound)| format!("{} < {bound}u", self.scalar(index))));
        let valid = (!tests.is_empty()).then(|| tests.join(" && "));
        Some((memory, Address { at, valid }))
    }

    /// A sum that is the greatest number where it would wrap, which is out of every bound.
    fn saturating(&mut self, terms: &[String]) -> String {
        let name = self.code.function("sb_add_saturating".to_owned(), "sb_u64", "sb_u64 a, sb_u64 b", |_| {
            "return a + b < a ? ~0ull : a + b;".to_owned()
        });
        let mut terms = terms.iter();
        let first = terms.next().cloned().unwrap_or_default();
        terms.fold(first, |sum, term| format!("{name}({sum}, {term})"))
    }
}

/// A `u32` times a constant, in 64 bits.
fn times(value: &str, factor: u32) -> String {
    if factor == 1 { format!("(sb_u64){value}") } else { format!("(sb_u64){value} * {factor}ull") }
}

/// A place and a number of units after it.
fn plus(at: &str, units: u32) -> String {
    if units == 0 { at.to_owned() } else { format!("{at} + {units}ull") }
}

/// The definition of a table: its units, low byte first.
pub(super) fn table(memory: &DeclaredRoot, bytes: &[u8]) -> String {
    let mut text = format!(
        "static __device__ const __align__(16) {} {}[{}] = {{",
        memory.unit_type(),
        memory.name,
        memory.units()
    );
    let suffix = match memory.unit {
        8 => "ull",
        4 => "u",
        _ => "",
    };
    for (i, unit) in bytes.chunks(memory.unit.max(1) as usize).enumerate() {
        let bits = unit.iter().rev().fold(0, |bits: u64, &byte| bits << 8 | u64::from(byte));
        text += if i % 8 == 0 { "\n    " } else { " " };
        let _ = write!(text, "{bits}{suffix},");
    }
    text + "\n};\n"
}

/// What the text may do with a buffer.
pub(super) fn is_read_only(function: &Function, root: Root) -> bool {
    function.root_access(root) == Some(Access::Read)
}
