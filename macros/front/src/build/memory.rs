//! Memory: its types in the IR, the places that expressions name in it, and loads and stores of values.
//!
//! A value is loaded and stored leaf by leaf. In memory that a host sees, a `bool` is a byte as in Rust: what is
//! not 0 reads as `true`, and a store writes 0 or 1. Elsewhere it is a word of the IR. An enum is its discriminant;
//! where a host may have written another number, it reads as the variant of 0.

use super::Build;
use super::part::Window;
use crate::hir::{Place as HirPlace, Step};
use crate::infer::{EnumTy, SumTy, Ty};
use samebits_ir::ir::{Index, Place, Root, Value};
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, StructDef, Type, Types};
use std::rc::Rc;

/// Who sees a memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// Hosts as well, as Rust lays it out: a buffer, or what a helper alone takes as one.
    ByHosts,
    /// Nobody but the kernel.
    ByKernels,
}

impl Seen {
    fn of(root: Root) -> Self {
        if matches!(root, Root::Param(_)) { Self::ByHosts } else { Self::ByKernels }
    }
}

/// Where a value lies.
pub(super) struct Spot {
    pub place: Place,
    /// The value's type.
    pub ty: Ty,
    /// Whether it is within the parts that it is of; nothing if that is known, or tested by the place.
    pub inside: Option<Value>,
    seen: Seen,
}

/// A scalar or vector of a value in memory.
#[derive(Clone)]
pub(super) struct Leaf {
    /// Where it lies.
    pub offset: u32,
    /// Its type there.
    ty: Type,
    /// Its type as a value.
    value: Type,
    /// The enum that it is, where any number may stand for one.
    of: Option<Rc<EnumTy>>,
}

impl Build<'_> {
    /// The type of memory in the IR.
    pub(super) fn memory_type(&mut self, ty: &Ty, seen: Seen) -> Type {
        match self.infer.decided(ty) {
            Ty::Array(element, len) => match self.memory_type(&element, seen) {
                Type::Error => Type::Error,
                element => self.types.array(element, len),
            },
            Ty::Matrix(column, columns) => match self.memory_type(&column, seen) {
                Type::Error => Type::Error,
                column => self.types.array(column, columns.into()),
            },
            Ty::Atomic(s) => Type::Scalar(s),
            Ty::Struct(def) => {
                let fields = def.fields.iter().map(|field| (field.name.clone(), self.memory_type(&field.ty, seen)));
                let fields = fields.collect();
                self.structure(&def.name, fields)
            }
            Ty::Tuple(parts) => {
                let fields = parts.iter().enumerate().map(|(i, part)| (i.to_string(), self.memory_type(part, seen)));
                let fields = fields.collect();
                self.structure("tuple", fields)
            }
            // Nobody but the kernel sees it: what accesses it are its leaves.
            Ty::Sum(def) => {
                let tag = def.tag().map(|tag| in_memory(Type::Scalar(tag), seen));
                let fields: Vec<Type> = tag
                    .into_iter()
                    .chain(held_fields(&def).map(|(_, field)| self.memory_type(field, seen)).collect::<Vec<_>>())
                    .collect();
                let fields = fields.into_iter().enumerate().map(|(i, ty)| (i.to_string(), ty)).collect();
                self.structure("variants", fields)
            }
            other => other.value().map_or(Type::Error, |value| in_memory(value, seen)),
        }
    }

    /// A struct type, with a name that differs from the names of other structs.
    fn structure(&mut self, name: &str, fields: Vec<(String, Type)>) -> Type {
        if fields.iter().any(|(_, ty)| *ty == Type::Error) {
            return Type::Error;
        }
        let taken =
            |types: &Types, name: &str| types.structs.iter().any(|(_, def)| def.name == name && def.fields != fields);
        let mut unique = name.to_owned();
        let mut number = 2;
        while taken(&self.types, &unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        self.types.structure(StructDef { name: unique, fields })
    }

    /// The place in the IR, its indices evaluated in order, and what lies there.
    pub(super) fn place(&mut self, place: &HirPlace) -> Option<Spot> {
        let HirPlace::Memory { root, path, lane } = place else { return None };
        let mut built = Vec::new();
        let mut offset = 0;
        let (mut inside, mut window) = (None, None);
        let mut ty = self.root_type(*root);
        let (parameter, seen) = (matches!(root, Root::Param(_)), Seen::of(*root));
        for (level, step) in path.iter().enumerate() {
            match step {
                Step::Slice { begin, len, .. } => window = Some(self.window(*begin, *len)),
                Step::Index(index, array) => {
                    let value = self.index(*index);
                    let (element, bound) = match self.infer.decided(array) {
                        Ty::Array(element, len) => (element, Some(len)),
                        Ty::Matrix(column, columns) => (column, Some(columns.into())),
                        Ty::Vector(lane, lanes) => {
                            let at = self.expr(*index).loc;
                            self.is_one_of(lanes.into(), value, at);
                            (lane, Some(lanes.into()))
                        }
                        Ty::Slice(element) => (element, None),
                        _ => return None,
                    };
                    let ir = self.memory_type(&element, seen);
                    let stride = self.types.layout(ir)?.size;
                    // The outermost index is bounded by the size of the memory itself.
                    let is_outermost = path[..level].iter().all(|step| matches!(step, Step::Slice { .. }));
                    let bound = bound.filter(|_| !is_outermost || parameter);
                    built.push(match window.take() {
                        None => Index { value, stride, bound },
                        Some(Window::Known { begin, len }) => {
                            // A part without elements may begin where the whole ends.
                            let begin = if len == 0 { 0 } else { begin };
                            offset = begin.saturating_mul(stride).saturating_add(offset);
                            Index { value, stride, bound: Some(len) }
                        }
                        Some(Window::Value { begin, len }) => {
                            self.b.at(self.expr(*index).loc);
                            let is_below = self.b.op(Op::Lt, &[value, len]);
                            inside = Some(inside.map_or(is_below, |inside| self.b.op(Op::And, &[inside, is_below])));
                            Index { value: self.b.op(Op::Add, &[begin, value]), stride, bound }
                        }
                    });
                    ty = self.infer.decided(&element);
                }
                Step::Field(field, of) => {
                    let of = self.infer.decided(of);
                    if let Ty::Matrix(column, _) = of {
                        let ir = self.memory_type(&column, seen);
                        offset += self.types.layout(ir)?.size * *field as u32;
                        ty = *column;
                        continue;
                    }
                    let Type::Struct(id) = self.memory_type(&of, seen) else { return None };
                    let (position, part) = match of.sum() {
                        Some(def) => {
                            let before = held_fields(def).take_while(|(i, _)| i < field).count();
                            (usize::from(def.tag().is_some()) + before, def.fields().nth(*field)?.behind())
                        }
                        None => (*field, *of.parts()?.get(*field)?),
                    };
                    offset += self.types.field_offset(id, position)?;
                    ty = self.infer.decided(part);
                }
            }
        }
        if let (Some(lane), Ty::Vector(lane_ty, _)) = (lane, &ty) {
            offset += lane * lane_ty.scalar()?.size();
            ty = (**lane_ty).clone();
        }
        let root = self.root(*root);
        Some(Spot { place: self.b.place(root, &built, offset), ty, inside, seen })
    }

    /// A root of the body as the IR numbers it, where a parameter may be several.
    pub(super) fn root(&self, root: Root) -> Root {
        match root {
            Root::Param(i) => self.memory.get(i as usize).map_or(root, |(root, _)| *root),
            Root::Table(i) => self.tables.get(i as usize).copied().unwrap_or(root),
            Root::Shared(_) | Root::Private(_) => root,
        }
    }

    /// The type of a whole memory.
    fn root_type(&self, root: Root) -> Ty {
        let memory = |list: &[crate::hir::Memory], i: u32| list.get(i as usize).map(|memory| memory.ty.clone());
        let ty = match root {
            Root::Shared(i) => memory(&self.body.shared, i),
            Root::Private(i) => memory(&self.body.private, i),
            Root::Param(i) => self.memory.get(i as usize).map(|(_, ty)| ty.clone()),
            Root::Table(i) => self.body.tables.get(i as usize).map(|table| table.ty.clone()),
        };
        ty.map_or(Ty::Error, |ty| self.infer.decided(&ty))
    }

    /// The value in a place, leaf by leaf.
    pub(super) fn load_from(&mut self, spot: &Spot) -> Vec<Value> {
        let leaves = self.leaves_at(&spot.ty, spot.place.offset, spot.seen);
        leaves.into_iter().map(|leaf| self.load_leaf(&spot.place, leaf)).collect()
    }

    /// Stores a value in a place, leaf by leaf.
    pub(super) fn store_to(&mut self, spot: &Spot, values: &[Value]) {
        let leaves = self.leaves_at(&spot.ty, spot.place.offset, spot.seen);
        for (leaf, &value) in leaves.into_iter().zip(values) {
            self.store_leaf(&spot.place, leaf, value);
        }
    }

    fn load_leaf(&mut self, place: &Place, leaf: Leaf) -> Value {
        let loaded = self.b.load(Place { offset: leaf.offset, ..place.clone() }, leaf.ty);
        if let Some(of) = &leaf.of {
            return self.known_variant(of, loaded);
        }
        if leaf.ty == leaf.value {
            return loaded;
        }
        // A byte that is a `bool`.
        let zero = self.b.constant(Scalar::U8, 0);
        self.b.op(Op::Ne, &[loaded, zero])
    }

    /// A number that is of an enum: itself, or 0 if it is no discriminant.
    fn known_variant(&mut self, of: &EnumTy, number: Value) -> Value {
        let (low, high) = of.tag.limits();
        let mut known = None;
        for (first, last) in of.runs() {
            let bound = |this: &mut Self, op, bound: i128| {
                let bound = this.b.constant(of.tag, bound as u64 & of.tag.mask());
                this.b.op(op, &[number, bound])
            };
            let within = match (first == low, last == high) {
                (true, true) => return number,
                _ if first == last => bound(self, Op::Eq, first),
                (true, false) => bound(self, Op::Le, last),
                (false, true) => bound(self, Op::Ge, first),
                (false, false) => {
                    let (from, to) = (bound(self, Op::Ge, first), bound(self, Op::Le, last));
                    self.b.op(Op::And, &[from, to])
                }
            };
            known = Some(known.map_or(within, |known| self.b.op(Op::Or, &[known, within])));
        }
        let zero = self.b.constant(of.tag, 0);
        known.map_or(zero, |known| self.b.op(Op::Select, &[known, number, zero]))
    }

    /// Stores a leaf in the memory of a place, whose own offset does not count.
    pub(super) fn store_leaf(&mut self, place: &Place, leaf: Leaf, value: Value) {
        let value = if leaf.ty == leaf.value { value } else { self.b.op_to(Op::Cast, &[value], leaf.ty) };
        self.b.store(Place { offset: leaf.offset, ..place.clone() }, value);
    }

    /// The scalars and vectors of a type at an offset, with their own offsets.
    pub(super) fn leaves_at(&mut self, ty: &Ty, at: u32, seen: Seen) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.leaves(ty, (at, seen), &mut leaves);
        leaves
    }

    /// Where the leaves of a type lie in memory, and their types.
    fn leaves(&mut self, ty: &Ty, (at, seen): (u32, Seen), leaves: &mut Vec<Leaf>) {
        match ty {
            Ty::Matrix(column, columns) => {
                let ir = self.memory_type(column, seen);
                let Some(layout) = self.types.layout(ir) else { return };
                (0..u32::from(*columns)).for_each(|i| self.leaves(column, (at + i * layout.size, seen), leaves));
            }
            Ty::Array(element, len) => {
                let ir = self.memory_type(element, seen);
                let Some(layout) = self.types.layout(ir) else { return };
                (0..*len).for_each(|i| self.leaves(element, (at + i * layout.size, seen), leaves));
            }
            Ty::Struct(_) | Ty::Tuple(_) => {
                let Type::Struct(id) = self.memory_type(ty, seen) else { return };
                for (i, part) in ty.parts().unwrap_or_default().into_iter().enumerate() {
                    let Some(offset) = self.types.field_offset(id, i) else { return };
                    self.leaves(part, (at + offset, seen), leaves);
                }
            }
            Ty::Sum(def) => {
                let Type::Struct(id) = self.memory_type(ty, seen) else { return };
                let tag = def.tag().map(Type::Scalar);
                leaves.extend(tag.map(|tag| Leaf { offset: at, ty: in_memory(tag, seen), value: tag, of: None }));
                for (i, (_, field)) in (usize::from(tag.is_some())..).zip(held_fields(def)) {
                    let Some(offset) = self.types.field_offset(id, i) else { return };
                    self.leaves(field, (at + offset, seen), leaves);
                }
            }
            other => {
                let of = other.enumeration().filter(|_| seen == Seen::ByHosts).cloned();
                leaves.extend(other.value().map(|value| Leaf { offset: at, ty: in_memory(value, seen), value, of }));
            }
        }
    }
}

/// The fields of all variants that hold anything, with their numbers among all fields.
fn held_fields(def: &SumTy) -> impl Iterator<Item = (usize, &Ty)> {
    let fields = def.fields().map(Ty::behind).enumerate();
    fields.filter(|(_, field)| field.flat().is_none_or(|leaves| !leaves.is_empty()))
}

/// The type in memory of a scalar or vector.
fn in_memory(value: Type, seen: Seen) -> Type {
    if value == Type::BOOL && seen == Seen::ByHosts { Type::Scalar(Scalar::U8) } else { value }
}
