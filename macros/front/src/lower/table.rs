//! Tables: constants that contain arrays, which are memory that nobody writes.
//!
//! A constant becomes one table of the kernel, however often it is named. An index, a field or
//! a reference then means a place in it. The value comes with the facts of the constant, or
//! from [`evaluate`](crate::lower::evaluate) for a constant of a body. An array of literals
//! whose type may still be open is a table as well; its value is computed when the IR is built.
//! What depends on constants from outside stays a value.

use super::inline::constant_id;
use super::place::Target;
use super::{Context, Lowerer, Memory};
use crate::hir::{ArrayInit, Block, ExprId, ExprKind, Held, Place, Step, Table};
use crate::infer::{MAX_LEAVES, Ty};
use crate::link::facts::Fact;
use crate::types;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root};
use samebits_ir::limits::MAX_TABLE_BYTES;
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// A constant of a fact: its type, its value and what `Self` is in them.
struct Named<'a> {
    fact: &'a Fact,
    name: &'a syn::Ident,
    ty: &'a syn::Type,
    value: &'a syn::Expr,
    self_ty: Option<Ty>,
}

impl<'a> Lowerer<'a, '_> {
    /// The place of a `#[device] const` or of a constant of a struct that has an array in it;
    /// `None` if the path names something else or has to be evaluated where it is named.
    pub(super) fn table_named(&mut self, path: &'a syn::Path, loc: Loc) -> Option<Target> {
        let Named { fact, name, ty, value, self_ty } = self.constant_named(path)?;
        let id = constant_id(fact, value, self_ty.as_ref());
        let context = Context::of(self.context.scope.of(fact), self_ty);
        let ty = types::read(ty, &context).ok().filter(Ty::has_array)?;
        if fact.broken {
            return Some(Target::REFUSED);
        }
        if let Some(known) = self.tables.get(&id) {
            return known.as_ref().map(Target::of);
        }
        if let Some(bits) = fact.value(name) {
            let memory = self.table_of(&fact.name, &ty, Held::Bits(bits.clone()), loc);
            self.tables.insert(id, Some(memory.clone()));
            return Some(Target::of(&memory));
        }
        let lowered = self.of_any_size(|this| this.constant_value((&fact.name, &id), context, (value, &ty), loc));
        let Some(lowered) = lowered else { return Some(Target::REFUSED) };
        let memory = self.table(&fact.name, &ty, lowered, loc);
        if memory.is_none() && self.too_large_for_a_value(&fact.name, &ty, loc) {
            return Some(Target::REFUSED);
        }
        self.tables.insert(id, memory.clone());
        memory.as_ref().map(Target::of)
    }

    fn constant_named(&self, path: &'a syn::Path) -> Option<Named<'a>> {
        if self.context.own.constant(path).is_some() {
            return None;
        }
        if let Some(fact) = self.context.scope.find(path) {
            let item = fact.constant()?;
            return Some(Named { fact, name: &item.ident, ty: &item.ty, value: &item.expr, self_ty: None });
        }
        let found = self.context.associated(path)?;
        Some(Named {
            fact: found.fact,
            name: found.name,
            ty: found.ty,
            value: found.value?,
            self_ty: Some(found.self_ty),
        })
    }

    /// Lowers a value that may become a table, and so be larger than other values.
    pub(super) fn of_any_size<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.unsized_values, true);
        let lowered = lower(self);
        self.unsized_values = before;
        lowered
    }

    /// Whether a constant that is not a table is too large to be a value; reports it.
    pub(super) fn too_large_for_a_value(&mut self, name: &str, ty: &Ty, loc: Loc) -> bool {
        let large = self.infer.resolve(ty).width() > MAX_LEAVES;
        if large {
            let message = format!(
                "`{name}` has more than {MAX_LEAVES} numbers, and its value is not known when the kernel is compiled"
            );
            let help = "compute it from literals and `#[device]` constants";
            self.reporter.report(Diag::new(Code::V019, loc, message).help(help));
        }
        large
    }

    /// The array that a `let` without `mut` names, if it is made of literals.
    pub(super) fn array_of_literals(&mut self, name: &str, ty: &Ty, init: &ArrayInit, loc: Loc) -> Option<Memory> {
        let ty = self.infer.resolve(ty);
        let size = ty.innermost().scalar().map_or(4, Scalar::size) as usize;
        // What is too large for either is too large for the memory that it seems to be.
        if !self.is_made_of_literals(init) || ty.width().saturating_mul(size) > MAX_TABLE_BYTES as usize {
            return None;
        }
        let value = self.of_any_size(|this| this.value_of(init, loc));
        self.table(name, &ty, value, loc)
    }

    fn is_made_of_literals(&self, init: &ArrayInit) -> bool {
        match init {
            ArrayInit::Value(value) => self.is_literal(*value),
            ArrayInit::Repeat(inner, _) => self.is_made_of_literals(inner),
            ArrayInit::List(list) => list.iter().all(|init| self.is_made_of_literals(init)),
        }
    }

    /// Memory that holds a value, if the value follows from literals alone.
    pub(super) fn table(&mut self, name: &str, ty: &Ty, value: ExprId, loc: Loc) -> Option<Memory> {
        if !ty.has_array() || !self.is_literal(value) {
            return None;
        }
        Some(self.table_of(name, ty, Held::Expr(value), loc))
    }

    /// Memory that holds what is known.
    pub(super) fn table_of(&mut self, name: &str, ty: &Ty, value: Held, loc: Loc) -> Memory {
        let root = Root::Table(self.body.tables.len() as u32);
        self.body.tables.push(Table { name: name.to_owned(), ty: ty.clone(), value, loc });
        Memory::declared(root, ty.clone(), Access::ReadWrite, false, loc)
    }

    /// Whether a value follows from literals and tables alone, without control flow.
    fn is_literal(&self, value: ExprId) -> bool {
        let all = |values: &[ExprId]| values.iter().all(|&value| self.is_literal(value));
        match &self.body.exprs[value].kind {
            ExprKind::Error | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) | ExprKind::ArrayLen(_) => true,
            ExprKind::Op(_, args) | ExprKind::Tuple(args) | ExprKind::Array(args) => all(args),
            ExprKind::Struct(fields, base) => {
                fields.iter().map(|(_, value)| value).chain(base).all(|&value| self.is_literal(value))
            }
            ExprKind::Repeat(value, _) | ExprKind::Field(value, _) | ExprKind::Lane(value, _) => {
                self.is_literal(*value)
            }
            ExprKind::Swizzle(value, _) | ExprKind::Splat(value) => self.is_literal(*value),
            ExprKind::Lanes(value) | ExprKind::CastLanes(value) | ExprKind::OfBytes(value, _) => {
                self.is_literal(*value)
            }
            ExprKind::SelectLanes(values) => all(values),
            ExprKind::LaneAt(vector, index) | ExprKind::ColumnAt(vector, index) => all(&[*vector, *index]),
            ExprKind::Pair(_, _, args) | ExprKind::Approx(_, args) | ExprKind::Vector(_, args) => all(args),
            ExprKind::Number(_, args) | ExprKind::Matrix(_, args) => all(args),
            ExprKind::Block(Block { stmts, tail: Some(tail) }) => stmts.is_empty() && self.is_literal(*tail),
            ExprKind::Load(Place::Memory { root: Root::Table(_), path, .. }) => path.iter().all(|step| match step {
                Step::Index(index, _) => self.is_literal(*index),
                Step::Slice { begin, len, .. } => all(&[*begin, *len]),
                Step::Field(..) => true,
            }),
            _ => false,
        }
    }
}
