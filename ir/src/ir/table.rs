//! Tables: memory of a function that is only read and whose bytes are known.
//!
//! A table is stored once, however often it is looked up and by whomever. Its bytes are as in
//! all memory: little-endian, a `bool` as a word that is 0 or 1, and zero where a struct has
//! padding. The checks hold a table against that, so that its scalars say all about it.

use super::{Function, Place, Root};
use crate::loc::Loc;
use crate::scalar::Lanes;
use crate::types::{Scalar, Type, Types};
use std::sync::Arc;

/// Memory that is only read and whose bytes are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// The name in the source.
    pub name: String,
    /// Its type, usually an array.
    pub ty: Type,
    /// What it holds, as many bytes as the type has.
    pub bytes: Arc<[u8]>,
    /// Where the declaration is.
    pub loc: Loc,
}

impl Table {
    /// The value of a type that begins at an offset; zero where it does not end within the table.
    ///
    /// ```
    /// use samebits_ir::{ir::Table, loc::Loc, types::{Type, Types}};
    /// let ty = Types::default().array(Type::U32, 2);
    /// let table = Table { name: "t".to_owned(), ty, bytes: [1, 0, 0, 0, 0, 1, 0, 0].into(), loc: Loc::NONE };
    /// assert_eq!(table.value(Type::U32, 4), [256, 0, 0, 0]);
    /// assert_eq!(table.value(Type::U32, 8), [0; 4]);
    /// ```
    pub fn value(&self, ty: Type, offset: u64) -> Lanes {
        let mut lanes = [0; 4];
        let Some(scalar) = ty.lane() else { return lanes };
        let size = scalar.size() as usize;
        let Some(bytes) = usize::try_from(offset).ok().and_then(|start| self.bytes.get(start..)) else { return lanes };
        let Some(bytes) = bytes.get(..size * ty.lanes()) else { return lanes };
        for (lane, bytes) in lanes.iter_mut().zip(bytes.chunks_exact(size)) {
            let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            *lane = if scalar == Scalar::Bool { u64::from(bits != 0) } else { bits };
        }
        lanes
    }

    /// The values of a type that a load may give whose place begins at an offset and moves in
    /// [steps](Place::step): what the table holds there, and zero, which is out of bounds.
    pub(crate) fn looked_up(&self, ty: Type, offset: u32, step: u32) -> impl Iterator<Item = Lanes> {
        let places = (u64::from(offset)..self.bytes.len() as u64).step_by(step.max(1) as usize);
        places.map(move |at| self.value(ty, at)).chain([[0; 4]])
    }

    /// Whether a value of a type that begins at an offset ends within the table.
    pub fn holds(&self, ty: Type, offset: u64) -> bool {
        let size = ty.lane().map_or(0, Scalar::size) as usize * ty.lanes();
        offset.checked_add(size as u64).is_some_and(|end| end <= self.bytes.len() as u64)
    }

    /// The scalars that it holds, in order, each with its offset. Whoever asks has looked at the
    /// size.
    pub fn scalars(&self, types: &Types) -> Vec<(u32, Scalar)> {
        types.scalars(self.ty, usize::MAX).unwrap_or_default()
    }

    /// The bytes of a type whose scalars have these bits, in order; `None` where there are more
    /// or fewer of them.
    pub fn bytes_of(types: &Types, ty: Type, bits: &[u64]) -> Option<Arc<[u8]>> {
        let mut bytes = vec![0; types.layout(ty)?.size as usize];
        let scalars = types.scalars(ty, usize::MAX)?;
        if scalars.len() != bits.len() {
            return None;
        }
        for ((offset, scalar), bits) in scalars.into_iter().zip(bits) {
            let (start, size) = (offset as usize, scalar.size() as usize);
            bytes.get_mut(start..start + size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Some(bytes.into())
    }
}

impl Place {
    /// What the distance of every place that the indices reach is a multiple of: one of the
    /// strides' own low bits.
    pub(crate) fn step(&self) -> u32 {
        let step = self.indices.iter().fold(0, |step, index| step | index.stride);
        if step == 0 { u32::MAX } else { 1 << step.trailing_zeros() }
    }
}

impl Types {
    /// The scalars of a type, in order, each with its offset; `None` where there are clearly more
    /// than `most`. Types nest a bounded number of times.
    pub fn scalars(&self, ty: Type, most: usize) -> Option<Vec<(u32, Scalar)>> {
        fn visit(types: &Types, ty: Type, at: u32, most: usize, list: &mut Vec<(u32, Scalar)>) -> Option<()> {
            if list.len() > most {
                return None;
            }
            match ty {
                Type::Scalar(scalar) => list.push((at, scalar)),
                Type::Vector(scalar, lanes) => {
                    list.extend((0..u32::from(lanes)).map(|lane| (at + lane * scalar.size(), scalar)));
                }
                Type::Array(id) => {
                    let def = &types.arrays[id];
                    let stride = types.layout(def.element).map_or(0, |layout| layout.size);
                    (0..def.len).try_for_each(|i| visit(types, def.element, at + i * stride, most, list))?;
                }
                Type::Struct(id) => {
                    for (field, (_, ty)) in types.structs[id].fields.iter().enumerate() {
                        let offset = types.field_offset(id, field).unwrap_or(0);
                        visit(types, *ty, at + offset, most, list)?;
                    }
                }
                Type::Error | Type::Bytes => {}
            }
            Some(())
        }
        let mut list = Vec::new();
        self.layout(ty).map_or(Some(()), |_| visit(self, ty, 0, most, &mut list))?;
        Some(list)
    }
}

impl Function {
    /// The table of this content, made if it is new.
    ///
    /// ```
    /// use samebits_ir::{ir::{Function, Table}, loc::Loc, types::{Scalar, Types}};
    /// let (mut function, ty) = (Function::new("k", [1, 1, 1], Loc::NONE), Types::default().array(Scalar::U8.into(), 2));
    /// let table = |bytes: [u8; 2]| Table { name: "t".to_owned(), ty, bytes: bytes.into(), loc: Loc::NONE };
    /// let first = function.table(table([1, 2]));
    /// assert!(function.table(table([1, 2])) == first && function.table(table([1, 3])) != first);
    /// ```
    pub fn table(&mut self, table: Table) -> Root {
        let same = |other: &Table| other.ty == table.ty && other.bytes == table.bytes;
        let index = self.tables.iter().position(same).unwrap_or_else(|| {
            self.tables.push(table);
            self.tables.len() - 1
        });
        Root::Table(index as u32)
    }
}
