//! Places: what can be read, assigned to, borrowed, indexed or accessed atomically.

use super::{Binding, Hold, Lowerer, Memory};
use crate::hir::{Block, ExprId, ExprKind, Lane, LoanId, LocalId, MatrixOp, Place, Step, Stmt};
use crate::infer::{Ty, VarKind};
use crate::spell;
use crate::syntax::{self, member, peel};
use crate::words::foreign;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;
use samebits_ir::ops::AtomicOp;
use samebits_ir::types::Scalar;

/// A place, its type, and what it belongs to.
#[derive(Clone)]
pub(super) struct Target {
    pub place: Place,
    pub ty: Ty,
    /// The memory that it is in; `None` for local variables and what was refused.
    pub memory: Option<Memory>,
    /// The vector, if the place is a lane of one in memory.
    pub vector: Option<Ty>,
    /// Whether this is a reference to the place, which has not been followed.
    pub reference: bool,
    /// How many references there are to that reference.
    pub more: u8,
    /// Whether the place is seen as a slice, though its type may be an array.
    pub slice: bool,
    /// The variable's reference through which the place is reached.
    pub loan: Option<LoanId>,
    /// Whether a local variable may be changed here; memory says so itself.
    pub mutable: bool,
}

impl Target {
    pub const REFUSED: Self = Self {
        place: Place::Error,
        ty: Ty::Error,
        memory: None,
        vector: None,
        reference: false,
        more: 0,
        slice: false,
        loan: None,
        mutable: true,
    };

    /// The whole of a memory.
    pub fn of(memory: &Memory) -> Self {
        let place = Place::Memory { root: memory.root, path: memory.path.clone(), lane: None };
        let reference = matches!(memory.hold, Hold::Lent { .. });
        let (ty, slice, loan) = (memory.ty.clone(), memory.slice, memory.loan);
        Self { place, ty, memory: Some(memory.clone()), reference, slice, loan, ..Self::REFUSED }
    }

    /// The whole of a variable.
    pub fn local(local: LocalId, ty: Ty, mutable: bool) -> Self {
        Self { place: Place::Local { local, path: Vec::new(), lane: None }, ty, mutable, ..Self::REFUSED }
    }

    /// An element of an array or a slice.
    pub fn element(self, index: ExprId, element: Ty) -> Self {
        let Place::Memory { root, mut path, lane: None } = self.place else { return Self::REFUSED };
        path.push(Step::Index(index, self.ty));
        let place = Place::Memory { root, path, lane: None };
        Self { place, ty: element, memory: self.memory, loan: self.loan, ..Self::REFUSED }
    }

    /// Whether it is a part of an array or slice, which has no size of its own.
    pub fn is_part(&self) -> bool {
        matches!(&self.place, Place::Memory { path, .. } if matches!(path.last(), Some(Step::Slice { .. })))
    }

    /// A part of a tuple or a struct.
    pub fn part(self, i: usize) -> Self {
        let ty = self.ty.parts().and_then(|parts| parts.get(i).copied().cloned());
        let Some(part) = ty else { return Self::REFUSED };
        let mut target = Self { ty: part, reference: false, more: 0, slice: false, vector: None, ..self.clone() };
        match &mut target.place {
            Place::Local { path, lane: None, .. } => path.push(i),
            Place::Memory { path, lane: None, .. } => path.push(Step::Field(i, self.ty)),
            _ => return Self::REFUSED,
        }
        target
    }

    /// The type as Rust sees it, of a place whose type is known: that of a slice does not tell its length.
    pub fn seen(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Array(element, _) if self.slice => Ty::Slice(element),
            ty => ty,
        }
    }
}

/// Which places are meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// Those that are read by loads: memory and what references lead to.
    Loaded,
    /// Local variables and their parts as well.
    All,
}

impl<'a> Lowerer<'a, '_> {
    /// The place that an expression names, or `None` if it is a value.
    pub(super) fn place(&mut self, expr: &'a syn::Expr, which: Places) -> Option<Target> {
        match expr {
            syn::Expr::Path(path) if path.qself.is_none() => {
                if let Some(name) = syntax::name(&path.path).filter(|name| self.find(name).is_some()) {
                    return self.named_place(&name, which);
                }
                let loc = self.loc(expr);
                self.table_named(&path.path, loc)
            }
            syn::Expr::Index(index) => {
                let loc = self.loc(expr);
                if let syn::Expr::Range(range) = peel(&index.index) {
                    return Some(self.nested(expr, |this| this.slice(index, range)).unwrap_or(Target::REFUSED));
                }
                Some(self.nested(expr, |this| this.index(index, which, loc)).unwrap_or(Target::REFUSED))
            }
            syn::Expr::Field(field) => self.nested(expr, |this| {
                let base = this.place(&field.base, which)?;
                Some(this.field_of(base, field))
            })?,
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr: inner, .. }) => {
                let loc = self.loc(expr);
                match self.nested(expr, |this| this.place(inner, which))? {
                    Some(target) if target.more > 0 => Some(Target { more: target.more - 1, ..target }),
                    Some(target) if target.reference => Some(Target { reference: false, ..target }),
                    Some(target) if target.ty == Ty::Error => Some(target),
                    Some(target) => {
                        self.not_a_reference(&target.ty.clone(), loc);
                        Some(Target::REFUSED)
                    }
                    None => None,
                }
            }
            syn::Expr::Paren(paren) => self.nested(expr, |this| this.place(&paren.expr, which)).flatten(),
            // What a method is called on: `(&x[a..b]).len()`.
            syn::Expr::Reference(reference) => {
                let target = self.nested(expr, |this| this.place(&reference.expr, which))??;
                let loc = self.loc(expr);
                let mutable = reference.mutability.is_some();
                let target = if mutable { self.storable(target, BORROW, loc) } else { target };
                let reference = target.ty != Ty::Error;
                Some(Target { reference, ..target })
            }
            syn::Expr::Group(group) => self.place(&group.expr, which),
            _ => None,
        }
    }

    /// Evaluates a place that `_` is bound to, which nobody reads: no more happens than that its
    /// indices are evaluated. `None` for a value. `expected` is the type that is written for it.
    pub(super) fn unread(&mut self, expr: &'a syn::Expr, expected: Option<&Ty>, stmts: &mut Vec<Stmt>) -> Option<()> {
        let target = self.place(expr, Places::All)?;
        let loc = self.loc(expr);
        if let Some(expected) = expected {
            if target.reference {
                let value = self.load(target, loc);
                self.expect(value, expected);
                return Some(());
            }
            self.expect_at(loc, expected, &target.ty, "change the type or the value, so that they agree");
        }
        if let Place::Memory { path, .. } = target.place {
            stmts.extend(path.into_iter().filter_map(|step| match step {
                Step::Index(index, _) | Step::Slice { begin: index, .. } => Some(Stmt::Expr(index)),
                Step::Field(..) => None,
            }));
        }
        Some(())
    }

    pub(super) fn not_a_reference(&mut self, ty: &Ty, loc: Loc) -> ExprId {
        let message = format!("type `{}` cannot be dereferenced", self.infer.show(ty));
        self.refuse(Diag::new(Code::V200, loc, message).help("use the value itself, without the `*`"))
    }

    /// The place that a name stands for.
    pub(super) fn named_place(&self, name: &str, which: Places) -> Option<Target> {
        match self.find(name)? {
            Binding::Memory(memory) => Some(Target::of(memory)),
            Binding::Alias(target) => Some((**target).clone()),
            Binding::Local(id) if which == Places::All => {
                let local = &self.body.locals[*id];
                Some(Target::local(*id, local.ty.clone(), local.mutable))
            }
            Binding::Refused => Some(Target::REFUSED),
            Binding::Local(_)
            | Binding::Closure(_)
            | Binding::Unknown(_)
            | Binding::Variant(..)
            | Binding::Iterator(_) => None,
        }
    }

    /// The field of a place: a part of a struct or tuple, or a lane of a vector.
    pub(super) fn field_of(&mut self, base: Target, field: &'a syn::ExprField) -> Target {
        let at = self.loc(&field.member);
        let ty = self.infer.resolve(&base.ty);
        if ty == Ty::Error {
            return Target::REFUSED;
        }
        let name = member(&field.member);
        let lane = match &ty {
            Ty::Vector(lane, lanes) => axis(&name).filter(|&i| i < u32::from(*lanes)).map(|i| (i, (**lane).clone())),
            _ => None,
        };
        let part = self.part(&ty, &name, &field.member);
        let whole = ty.clone();
        let mut place = base.place.clone();
        let ty = match (&mut place, part, lane) {
            (Place::Local { path, lane: None, .. }, Some((i, part)), _) => {
                path.push(i);
                part
            }
            (Place::Memory { path, lane: None, .. }, Some((i, part)), _) => {
                path.push(Step::Field(i, ty.clone()));
                part
            }
            (Place::Local { lane: to @ None, .. }, None, Some((i, lane))) => {
                *to = Some(Lane::Known(i));
                lane
            }
            (Place::Local { lane: to @ Some(Lane::Column(_)), .. }, None, Some((i, lane))) => {
                *to = to.as_ref().and_then(Lane::column).map(|column| Lane::InColumn(column, i));
                lane
            }
            (Place::Memory { lane: to @ None, .. }, None, Some((i, lane))) => {
                *to = Some(i);
                lane
            }
            _ => {
                let diag = self.missing_field(&ty, &name, at);
                self.reporter.report(diag);
                return Target::REFUSED;
            }
        };
        let vector = matches!(place, Place::Memory { lane: Some(_), .. }).then_some(whole);
        let (memory, loan, mutable) = (base.memory, base.loan, base.mutable);
        Target { place, ty, vector, memory, loan, mutable, ..Target::REFUSED }
    }

    /// The position and type of a part of a struct or tuple.
    pub(super) fn part(&mut self, ty: &Ty, name: &str, member: &'a syn::Member) -> Option<(usize, Ty)> {
        match ty {
            Ty::Tuple(parts) => {
                let i = name.parse::<usize>().ok().filter(|&i| i < parts.len())?;
                Some((i, parts[i].clone()))
            }
            Ty::Matrix(column, columns) => {
                let i = AXES.iter().position(|axis| name.strip_suffix("_axis") == Some(axis))?;
                (i < usize::from(*columns)).then(|| (i, (**column).clone()))
            }
            Ty::Struct(def) => {
                let (i, field) = def.field(name)?;
                if !field.public {
                    self.used_field(def, member);
                }
                Some((i, field.ty.clone()))
            }
            _ => None,
        }
    }

    /// The report of a constant without `#[device]` that is indexed or whose field is used.
    pub(super) fn undeclared(&mut self, base: &'a syn::Expr) -> Option<Target> {
        let syn::Expr::Path(path) = peel(base) else { return None };
        let name = syntax::name(&path.path);
        if !self.is_outer(path) || name.is_some_and(|name| foreign::value(&name).is_some()) {
            return None;
        }
        let loc = self.loc(path);
        self.undeclared_table(&path.path, loc);
        Some(Target::REFUSED)
    }

    fn index(&mut self, index: &'a syn::ExprIndex, which: Places, loc: Loc) -> Target {
        let Some(base) = self.place(&index.expr, which).or_else(|| self.matrix_place(&index.expr, &index.index)) else {
            if let Some(refused) = self.undeclared(&index.expr) {
                return refused;
            }
            let value = self.expr(&index.expr);
            let ty = self.ty(value);
            let at = self.body.exprs[value].loc;
            if let Some(memory) = self.table(&self.shown(at), &ty, value, at) {
                return self.element_of(Target::of(&memory), index, loc);
            }
            if let Ty::Array(element, _) = &ty
                && let Some(target) = self.element_of_value(value, (**element).clone(), &index.index)
            {
                return target;
            }
            if let Ty::Matrix(column, columns) = &ty {
                return self.column_of_value(value, ((**column).clone(), *columns), index, at);
            }
            if let Ty::Vector(lane, _) = &ty {
                return self.lane_of_value(value, (**lane).clone(), &index.index);
            }
            self.index_value(&index.index);
            if !matches!(ty, Ty::Error | Ty::Array(..)) {
                self.not_indexed(&ty, index, loc);
            }
            return Target::REFUSED;
        };
        self.element_of(base, index, loc)
    }

    /// An element of an array or a slice in memory.
    fn element_of(&mut self, base: Target, index: &'a syn::ExprIndex, loc: Loc) -> Target {
        let base_ty = self.infer.resolve(&base.ty);
        if let Ty::Matrix(column, columns) = &base_ty
            && let Some(known) = self.column_of(&index.index, *columns)
        {
            let (mut place, ty) = (base.place, (**column).clone());
            match (&mut place, known) {
                (Place::Local { path, lane: None, .. }, Some(at)) => path.push(at),
                (Place::Memory { path, lane: None, .. }, Some(at)) => path.push(Step::Field(at, base_ty)),
                _ => return Target::REFUSED,
            }
            return Target { place, ty, reference: false, slice: false, ..base };
        }
        let value = self.index_value(&index.index);
        match (&base_ty, value) {
            (Ty::Error, _) | (_, None) => Target::REFUSED,
            (Ty::Slice(element) | Ty::Array(element, _), Some(value)) => {
                let element = (**element).clone();
                Target { ty: base_ty, ..base }.element(value, element)
            }
            (Ty::Matrix(column, _), Some(value)) => match base.place {
                Place::Memory { .. } => {
                    let column = (**column).clone();
                    Target { ty: base_ty, ..base }.element(value, column)
                }
                Place::Local { local, path, lane: None } => {
                    let place = Place::Local { local, path, lane: Some(Lane::Column(value)) };
                    Target { place, ty: (**column).clone(), reference: false, ..base }
                }
                _ => Target::REFUSED,
            },
            (Ty::Vector(lane, _), Some(value)) => {
                let ty = (**lane).clone();
                match base.place {
                    Place::Local { local, path, lane: None } => {
                        let place = Place::Local { local, path, lane: Some(Lane::Index(value)) };
                        Target { place, ty, reference: false, ..base }
                    }
                    Place::Local { local, path, lane: Some(Lane::Column(column)) } => {
                        let place = Place::Local { local, path, lane: Some(Lane::At(column, value)) };
                        Target { place, ty, reference: false, ..base }
                    }
                    _ => Target { ty: base_ty, ..base }.element(value, ty),
                }
            }
            (other, _) => {
                self.not_indexed(other, index, loc);
                Target::REFUSED
            }
        }
    }

    /// The place of a matrix in a variable, whose columns are picked by a literal; of what else reads as a value, none.
    fn matrix_place(&mut self, base: &'a syn::Expr, index: &'a syn::Expr) -> Option<Target> {
        if !matches!(peel(index), syn::Expr::Lit(_)) {
            return None;
        }
        let target = self.place(base, Places::All)?;
        matches!(self.infer.resolve(&target.ty), Ty::Matrix(..)).then_some(target)
    }

    /// A column of a matrix that is a value: an element of the array of its columns.
    fn column_of_value(
        &mut self,
        matrix: ExprId,
        (column, columns): (Ty, u8),
        index: &'a syn::ExprIndex,
        loc: Loc,
    ) -> Target {
        let array = Ty::Array(Box::new(column.clone()), columns.into());
        let array = self.push(ExprKind::Matrix(MatrixOp::Columns, vec![matrix]), array, loc);
        let known = self.column_of(&index.index, columns);
        if let Some(None) = known {
            return Target::REFUSED;
        }
        self.element_of_value(array, column, &index.index).unwrap_or(Target::REFUSED)
    }

    /// A lane of a vector that is a value: it gets a variable, which is read after the index.
    fn lane_of_value(&mut self, vector: ExprId, lane: Ty, index: &'a syn::Expr) -> Target {
        let Some(index) = self.index_value(index) else { return Target::REFUSED };
        let (loc, at) = (self.body.exprs[vector].loc, self.body.exprs[index].loc);
        let ty = self.ty(vector);
        let local = self.variable("vector", ty, false, loc);
        let block = Block { stmts: vec![Stmt::Let(local, vector)], tail: Some(index) };
        let index = self.push(ExprKind::Block(block), Ty::Usize, at);
        let place = Place::Local { local, path: Vec::new(), lane: Some(Lane::Index(index)) };
        Target { place, ty: lane, mutable: false, ..Target::REFUSED }
    }

    /// Reports that the type of a constant from outside cannot be inferred.
    pub(super) fn unknown_type(&mut self, expr: &'a syn::Expr, ty: &Ty, loc: Loc) {
        self.infer.give_up(ty);
        let message = format!("cannot infer the type of `{}`", spell::expression(expr));
        let help = "add `#[device]` to the constant; for a number add a cast, such as `as u32`";
        self.reporter.report(Diag::new(Code::V202, loc, message).help(help));
    }

    /// Reports an index into something without elements.
    fn not_indexed(&mut self, ty: &Ty, index: &'a syn::ExprIndex, loc: Loc) {
        if self.infer.kind(ty) == Some(VarKind::General) {
            self.unknown_type(&index.expr, ty, loc);
            return;
        }
        let message = format!("cannot index into a value of type `{}`", self.infer.show(ty));
        let diag = Diag::new(Code::V301, loc, message);
        let base = spell::expression(&index.expr);
        self.reporter.report(match ty {
            Ty::Tuple(_) => diag.help(format!("write `{base}.0`")),
            Ty::Ids(_) => diag.help(format!("pick an axis: `{base}.x`")),
            Ty::Atomic(_) => diag.help(format!("it is a single atomic: use `{base}.load()`")),
            _ => diag.help("only buffers and arrays have elements"),
        });
    }

    /// An element of an array that is a value, which is put into memory before it is indexed.
    fn element_of_value(&mut self, array: ExprId, element: Ty, index: &'a syn::Expr) -> Option<Target> {
        let mut stmts = Vec::new();
        let target = self.temporary(array, &mut stmts)?;
        let Some(index) = self.index_value(index) else { return Some(Target::REFUSED) };
        let loc = self.body.exprs[index].loc;
        // The index is what is evaluated first of a place.
        let index = self.push(ExprKind::Block(Block { stmts, tail: Some(index) }), Ty::Usize, loc);
        // Nobody could see a change of it.
        let memory = target.memory.clone().map(|memory| Memory { hold: Hold::Own { mutable: false }, ..memory });
        Some(Target { memory, ..target }.element(index, element))
    }

    /// An index, which must be a `usize`; `None` if it was refused.
    pub(super) fn index_value(&mut self, expr: &'a syn::Expr) -> Option<ExprId> {
        let value = self.expr(expr);
        let ty = self.ty(value);
        if self.infer.unify(&ty, &Ty::Usize) {
            return (ty != Ty::Error).then_some(value);
        }
        let loc = self.body.exprs[value].loc;
        let message = format!("an index must be a `usize`, but this is `{}`", self.infer.show(&ty));
        let diag = Diag::new(Code::V301, loc, message);
        self.reporter.report(match &ty {
            Ty::Ids(_) => diag.help("pick an axis: `.x`, `.y` or `.z`"),
            ty if ty.scalar().is_some() => diag.help("write `… as usize`"),
            _ => diag,
        });
        None
    }

    /// The value in a place that an expression names.
    pub(super) fn load(&mut self, target: Target, loc: Loc) -> ExprId {
        let ty = self.infer.resolve(&target.ty);
        if target.is_part() || target.slice && matches!(ty, Ty::Array(..)) {
            let message = "a slice cannot be used as a value";
            return self.refuse(Diag::new(Code::V100, loc, message).help("index it, or borrow it: `&x[a..b]`"));
        }
        if target.reference && !matches!(ty, Ty::Error | Ty::Slice(_) | Ty::Atomic(_)) {
            let message = format!("mismatched types: this is a reference to `{}`", self.infer.show(&ty));
            return self.refuse(Diag::new(Code::V200, loc, message).help("write `*` before it for the value"));
        }
        if self.loaned(&target, false, loc) {
            return self.error(loc);
        }
        match (ty, target.place) {
            (Ty::Error, _) => self.error(loc),
            (Ty::Atomic(_), _) => self.refuse(
                Diag::new(Code::V025, loc, "an atomic cannot be read like a plain value").help("use `.load()`"),
            ),
            (Ty::Slice(_), _) => {
                let message = "a buffer cannot be used as a value";
                self.refuse(Diag::new(Code::V100, loc, message).help("index it: `name[i]`"))
            }
            (ty, _) if matches!(ty.innermost(), Ty::Atomic(_)) => {
                let message = "an array of atomics cannot be used as a value";
                self.refuse(Diag::new(Code::V025, loc, message).help("load its elements: `name[i].load()`"))
            }
            (ty, _) if ty.has_atomics() => {
                let message = format!("`{}` holds atomics and cannot be used as a value", self.infer.show(&ty));
                self.refuse(Diag::new(Code::V025, loc, message).help("use its fields one by one, or a reference to it"))
            }
            (ty, Place::Local { local, path, lane }) => {
                self.part_of_local(local, (&path, lane), ty, (target.loan, loc))
            }
            (ty, Place::Memory { root, path, lane: Some(lane) }) => {
                // The whole vector is as quick to load, and more often of use again.
                let vector = target.vector.unwrap_or(Ty::Error);
                let whole = self.push(ExprKind::Load(Place::Memory { root, path, lane: None }), vector, loc);
                self.through(whole, 0, target.loan);
                self.push(ExprKind::Lane(whole, lane), ty, loc)
            }
            (ty, place) => {
                let value = self.push(ExprKind::Load(place), ty, loc);
                self.through(value, 0, target.loan);
                value
            }
        }
    }

    /// The value of a part of a local.
    fn part_of_local(
        &mut self,
        local: LocalId,
        (path, lane): (&[usize], Option<Lane>),
        ty: Ty,
        (loan, loc): (Option<LoanId>, Loc),
    ) -> ExprId {
        let whole = self.body.locals[local].ty.clone();
        let mut value = self.push(ExprKind::Local(local), whole, loc);
        self.through(value, 0, loan);
        for &part in path {
            let base = self.ty(value);
            let of = base.inner().get(part).copied().cloned().unwrap_or(Ty::Error);
            value = self.push(ExprKind::Field(value, part), of, loc);
        }
        let mut lane = lane;
        if let Some(column) = lane.as_ref().and_then(Lane::column) {
            let of = if let Ty::Matrix(column, _) = self.ty(value) { *column } else { Ty::Error };
            value = self.push(ExprKind::ColumnAt(value, column), of, loc);
            lane = lane.and_then(|lane| lane.of_vector());
        }
        match lane {
            Some(Lane::Known(lane)) => self.push(ExprKind::Lane(value, lane), ty, loc),
            Some(Lane::Index(index)) => self.push(ExprKind::LaneAt(value, index), ty, loc),
            _ => value,
        }
    }

    /// The place on the left of an assignment; refuses what cannot be assigned to.
    /// `operator` is that of `place op= value`, and empty for `=`.
    pub(super) fn assigned(&mut self, expr: &'a syn::Expr, operator: &str) -> Target {
        let loc = self.loc(expr);
        if let Some(target) = self.place(expr, Places::All) {
            // Whether it has a value already is judged later.
            let first = operator.is_empty() && self.deferred_named(expr).is_some();
            return if first { target } else { self.storable(target, operator, loc) };
        }
        let inner = peel(expr);
        if let syn::Expr::Infer(_) = inner {
            let ty = self.infer.var(VarKind::General);
            return Target { place: Place::Ignored, ty, ..Target::REFUSED };
        }
        if let syn::Expr::Path(path) = inner
            && let Some(name) = syntax::name(&path.path)
            && self.find(&name).is_none()
        {
            self.unknown_name(&name, loc);
            return Target::REFUSED;
        }
        let message = "this expression cannot be assigned to";
        let lanes = match inner {
            syn::Expr::MethodCall(call) if call.args.is_empty() => {
                lane_by_lane(&spell::expression(&call.receiver), &call.method.to_string())
            }
            _ => None,
        };
        let help = "assign to a `let mut` variable or to an element of a `&mut [T]`";
        let help = lanes.unwrap_or_else(|| help.to_owned());
        self.reporter.report(Diag::new(Code::V100, loc, message).help(help));
        Target::REFUSED
    }

    /// The report that a type has no such field.
    pub(super) fn missing_field(&self, ty: &Ty, name: &str, at: Loc) -> Diag {
        let diag = Diag::new(Code::V203, at, format!("no field `{name}` on type `{}`", self.infer.show(ty)));
        match ty {
            Ty::Struct(def) if def.tuple => diag.help("its fields are numbered: `.0`"),
            Ty::Struct(def) => {
                let names: Vec<&str> = def.fields.iter().map(|field| field.name.as_str()).collect();
                diag.help(format!("its fields are {}", listed(&names)))
            }
            Ty::Vector(_, lanes) => {
                let lane = |c: char| axis(&c.to_string()).is_some_and(|i| i < u32::from(*lanes));
                diag.help(if (2..=4).contains(&name.len()) && name.chars().all(lane) {
                    format!("several lanes are a method: `.{name}()`; assign lanes one by one, as in `.x = 1.0`")
                } else {
                    format!("its lanes are {}", listed(&AXES[..usize::from(*lanes).min(4)]))
                })
            }
            Ty::Matrix(_, columns) => {
                let names: Vec<String> =
                    AXES.iter().take((*columns).into()).map(|axis| format!("{axis}_axis")).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                diag.help(format!("its columns are {}", listed(&names)))
            }
            Ty::Tuple(parts) => diag.help(format!("its parts are `.0` to `.{}`", parts.len().saturating_sub(1))),
            _ => diag,
        }
    }

    /// Whether a place may be changed, as an assignment or a `&mut` would; reports it if not.
    pub(super) fn storable(&mut self, target: Target, operator: &str, loc: Loc) -> Target {
        if target.ty == Ty::Error {
            return Target::REFUSED;
        }
        let borrow = operator == BORROW;
        if !borrow && (target.is_part() || target.slice && matches!(target.ty, Ty::Array(..))) {
            let diag = Diag::new(Code::V100, loc, "a whole slice cannot be assigned to");
            self.reporter.report(diag.help("assign to its elements"));
            return Target::REFUSED;
        }
        if target.reference && !borrow && !matches!(target.ty, Ty::Slice(_) | Ty::Atomic(_)) {
            let diag = Diag::new(Code::V200, loc, "a reference cannot be assigned to");
            self.reporter.report(diag.help("write `*` before it to change what it refers to"));
            return Target::REFUSED;
        }
        if self.loaned(&target, !matches!(target.ty.innermost(), Ty::Atomic(_)), loc) {
            return Target::REFUSED;
        }
        let Some(memory) = &target.memory else {
            if let (Place::Local { local, .. }, false) = (&target.place, target.mutable) {
                self.immutable(*local, borrow, loc);
                return Target::REFUSED;
            }
            return target;
        };
        let diag = match (&target.ty, memory.access, memory.hold) {
            (Ty::Atomic(scalar), ..) => {
                let help = atomic_assignment(operator, *scalar);
                Diag::new(Code::V025, loc, "an atomic cannot be assigned to").help(help)
            }
            (Ty::Slice(_), ..) if !borrow => {
                Diag::new(Code::V100, loc, "a whole buffer cannot be assigned to").help("assign to its elements")
            }
            (_, Access::Read, _) => {
                let message = if borrow {
                    "cannot borrow a read-only buffer as mutable"
                } else {
                    "cannot store to a read-only buffer"
                };
                Diag::new(Code::V005, loc, message)
                    .label(memory.loc, "it is declared here as `&[T]`")
                    .help("declare the parameter as `&mut [T]`")
            }
            (.., Hold::Lent { mutable: false }) => {
                let help = match (memory.leases.is_empty(), memory.copied) {
                    (false, _) => "go over `&mut` references: `.iter_mut()`",
                    (true, true) => "match `&mut` of what it is a part of, or assign to the whole",
                    (true, false) => "declare the parameter as `&mut`",
                };
                Diag::new(Code::V005, loc, "cannot assign through a `&` reference")
                    .label(memory.loc, "it is declared here")
                    .help(help)
            }
            (.., Hold::Own { mutable: false }) => {
                let message = if borrow {
                    "cannot borrow an immutable array as mutable"
                } else {
                    "cannot assign to an element of an immutable array"
                };
                Diag::new(Code::V008, loc, message)
                    .label(memory.loc, "it is declared here")
                    .help("declare it with `let mut`")
            }
            _ => return target,
        };
        self.reporter.report(diag);
        Target::REFUSED
    }

    fn immutable(&mut self, id: LocalId, borrow: bool, loc: Loc) {
        let local = &self.body.locals[id];
        let (name, declared) = (local.name.clone(), local.loc);
        let diag = if local.behind {
            Diag::new(Code::V005, loc, format!("cannot assign through `{name}`, which is a `&` reference in a kernel"))
                .label(declared, format!("`{name}` is declared here"))
                .help("compute the new value, and assign it to the whole")
        } else if local.iterates {
            Diag::new(Code::V011, loc, format!("cannot assign to the loop variable `{name}`"))
                .label(declared, format!("`{name}` gets its values here"))
                .help("use `while`, or copy it: `let mut copy = …;`")
        } else if local.mutable {
            Diag::new(Code::V005, loc, "cannot assign through a `&` reference").help("declare the parameter as `&mut`")
        } else {
            let message = if borrow {
                format!("cannot borrow the immutable variable `{name}` as mutable")
            } else {
                format!("cannot assign twice to immutable variable `{name}`")
            };
            Diag::new(Code::V008, loc, message)
                .label(declared, format!("`{name}` is declared here"))
                .help(format!("declare it as `mut {name}`"))
        };
        self.reporter.report(diag);
    }
}

/// Stands for a `&mut`, where no operator assigns.
pub(super) const BORROW: &str = "&mut";

/// Names in a sentence.
fn listed(names: &[&str]) -> String {
    let ticked: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    ticked.join(", ")
}

/// The names of lanes.
const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// How to assign to the lanes that a swizzle of this name picks, if it is one.
fn lane_by_lane(vector: &str, swizzle: &str) -> Option<String> {
    let lanes: Vec<String> = swizzle.chars().map(|c| c.to_string()).collect();
    let are_lanes = (2..=4).contains(&lanes.len()) && lanes.iter().all(|lane| axis(lane).is_some());
    let assigned: Vec<String> = lanes.iter().map(|lane| format!("`{vector}.{lane} = …;`")).collect();
    are_lanes.then(|| format!("assign lane by lane: {}", assigned.join(" ")))
}

/// The lane of a vector that a field names.
pub(super) fn axis(name: &str) -> Option<u32> {
    AXES.iter().position(|axis| *axis == name).map(|axis| axis as u32)
}

/// What does to an atomic what this assignment means.
fn atomic_assignment(operator: &str, scalar: Scalar) -> String {
    let op = match operator {
        "" => Some(AtomicOp::Store),
        "+" => Some(AtomicOp::Add),
        "-" => Some(AtomicOp::Sub),
        "&" => Some(AtomicOp::And),
        "|" => Some(AtomicOp::Or),
        "^" => Some(AtomicOp::Xor),
        _ => None,
    };
    match op.filter(|op| op.class().contains(scalar)) {
        Some(op) => format!("use `.{}(value)`", op.rust()),
        None => "use `.compare_exchange(old, new)` in a loop".to_owned(),
    }
}
