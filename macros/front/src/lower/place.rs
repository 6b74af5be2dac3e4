//! Places: what can be assigned to, indexed or accessed atomically.

use super::{Binding, Lowerer, Memory};
use crate::hir::{ExprId, ExprKind, Place};
use crate::infer::{Ty, VarKind};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;
use samebits_ir::ops::AtomicOp;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

/// A place, its type, and the memory that it is in.
pub(super) struct Target {
    pub place: Place,
    pub ty: Ty,
    /// `None` for local variables and what was refused.
    pub memory: Option<Memory>,
}

impl Target {
    const REFUSED: Self = Self { place: Place::Error, ty: Ty::Error, memory: None };
}

impl<'a> Lowerer<'a, '_> {
    /// The memory place that an expression names, or `None` if it is a value.
    pub(super) fn memory_place(&mut self, expr: &'a syn::Expr) -> Option<Target> {
        match expr {
            syn::Expr::Path(path) if path.qself.is_none() => {
                let name = path.path.get_ident()?.unraw().to_string();
                match self.find(&name)? {
                    Binding::Memory(memory) => {
                        let memory = memory.clone();
                        let place = Place::Memory { root: memory.root, indices: Vec::new(), lane: None };
                        Some(Target { place, ty: memory.ty.clone(), memory: Some(memory) })
                    }
                    Binding::Refused => Some(Target::REFUSED),
                    Binding::Local(_) => None,
                }
            }
            syn::Expr::Index(index) => {
                let loc = self.loc(expr);
                Some(self.nested(expr, |this| this.index(index, loc)).unwrap_or(Target::REFUSED))
            }
            syn::Expr::Paren(paren) => self.memory_place(&paren.expr),
            syn::Expr::Group(group) => self.memory_place(&group.expr),
            _ => None,
        }
    }

    fn index(&mut self, index: &'a syn::ExprIndex, loc: Loc) -> Target {
        let Some(base) = self.memory_place(&index.expr) else {
            let value = self.expr(&index.expr);
            self.index_value(&index.index);
            let ty = self.ty(value);
            if ty != Ty::Error {
                let message = format!("cannot index into a value of type `{}`", self.infer.show(&ty));
                self.diags.push(Diag::new(Code::V301, loc, message));
            }
            return Target::REFUSED;
        };
        let value = self.index_value(&index.index);
        let base_ty = self.infer.resolve(&base.ty);
        let element = match (&base_ty, value) {
            (Ty::Error, _) | (_, None) => return Target::REFUSED,
            (Ty::Slice(element) | Ty::Array(element, _), _) => (**element).clone(),
            (other, _) => {
                let message = format!("cannot index into a value of type `{}`", self.infer.show(other));
                self.diags.push(Diag::new(Code::V301, loc, message));
                return Target::REFUSED;
            }
        };
        match (base.place, value) {
            (Place::Memory { root, mut indices, lane: None }, Some(value)) => {
                indices.push((value, base_ty));
                Target { place: Place::Memory { root, indices, lane: None }, ty: element, memory: base.memory }
            }
            _ => Target::REFUSED,
        }
    }

    /// An index, which must be a `usize`; `None` if it was refused.
    fn index_value(&mut self, expr: &'a syn::Expr) -> Option<ExprId> {
        if let syn::Expr::Range(range) = expr {
            self.unsupported(range, "a sub-slice", Some("index single elements"));
            return None;
        }
        let value = self.expr(expr);
        let ty = self.ty(value);
        if self.infer.unify(&ty, &Ty::Usize) {
            return (ty != Ty::Error).then_some(value);
        }
        let loc = self.body.exprs[value].loc;
        let message = format!("an index must be a `usize`, but this is `{}`", self.infer.show(&ty));
        let diag = Diag::new(Code::V301, loc, message);
        self.diags.push(match &ty {
            Ty::Ids(_) => diag.help("pick an axis: `.x`, `.y` or `.z`"),
            ty if ty.scalar().is_some() => diag.help("write `… as usize`"),
            _ => diag,
        });
        None
    }

    /// The value in a place that an expression names.
    pub(super) fn load(&mut self, target: Target, loc: Loc) -> ExprId {
        let access = target.memory.as_ref().map(|m| m.access);
        match (&target.ty, access) {
            (Ty::Error, _) => self.push(ExprKind::Error, Ty::Error, loc),
            (Ty::Atomic(_), _) => self.refuse(
                Diag::new(Code::V025, loc, "an atomic cannot be read like a plain value").help("use `.load()`"),
            ),
            (Ty::Slice(_) | Ty::Array(..), _) => {
                let what = if matches!(target.ty, Ty::Slice(_)) { "a buffer" } else { "an array" };
                let message = format!("{what} cannot be used as a value");
                self.refuse(Diag::new(Code::V100, loc, message).help("index it: `name[i]`"))
            }
            _ => self.push(ExprKind::Load(target.place), target.ty.clone(), loc),
        }
    }

    /// The place on the left of an assignment; refuses what cannot be assigned to.
    /// `operator` is that of `place op= value`, and empty for `=`.
    pub(super) fn assigned(&mut self, expr: &'a syn::Expr, operator: &str) -> Target {
        let loc = self.loc(expr);
        if let Some(target) = self.memory_place(expr) {
            return self.storable(target, operator, loc);
        }
        let inner = peel(expr);
        if let syn::Expr::Field(field) = inner {
            return self.nested(expr, |this| this.assigned_field(field)).unwrap_or(Target::REFUSED);
        }
        if let syn::Expr::Infer(_) = inner {
            let ty = self.infer.var(VarKind::General);
            return Target { place: Place::Ignored, ty, memory: None };
        }
        if let syn::Expr::Path(path) = inner
            && let Some(name) = path.path.get_ident()
        {
            let name = name.unraw().to_string();
            return match self.find(&name) {
                Some(Binding::Local(id)) => {
                    let id = *id;
                    self.assigned_local(id, loc);
                    let place = Place::Local { local: id, path: Vec::new(), lane: None };
                    Target { place, ty: self.body.locals[id].ty.clone(), memory: None }
                }
                Some(_) => Target::REFUSED,
                None => {
                    self.unknown_name(&name, loc);
                    Target::REFUSED
                }
            };
        }
        let message = "this expression cannot be assigned to";
        let help = "assign to a `let mut` variable or to an element of a `&mut [T]`";
        self.diags.push(Diag::new(Code::V100, loc, message).help(help));
        Target::REFUSED
    }

    /// A lane of a vector or a part of a tuple as the target of an assignment.
    fn assigned_field(&mut self, field: &'a syn::ExprField) -> Target {
        let base = self.assigned(&field.base, "");
        if base.ty == Ty::Error {
            return Target::REFUSED;
        }
        let at = self.loc(&field.member);
        let ty = self.infer.resolve(&base.ty);
        match (&ty, &field.member, base.place) {
            (Ty::Tuple(parts), syn::Member::Unnamed(index), Place::Local { local, mut path, lane: None })
                if (index.index as usize) < parts.len() =>
            {
                path.push(index.index as usize);
                let ty = parts[index.index as usize].clone();
                Target { place: Place::Local { local, path, lane: None }, ty, memory: None }
            }
            (Ty::Vector(lane_ty, lanes), syn::Member::Named(name), place) => {
                let axis = ["x", "y", "z", "w"].iter().position(|axis| name == axis).filter(|&i| i < *lanes as usize);
                let ty = (**lane_ty).clone();
                match (axis.map(|axis| axis as u32), place) {
                    (lane @ Some(_), Place::Local { local, path, lane: None }) => {
                        Target { place: Place::Local { local, path, lane }, ty, memory: base.memory }
                    }
                    (lane @ Some(_), Place::Memory { root, indices, lane: None }) => {
                        Target { place: Place::Memory { root, indices, lane }, ty, memory: base.memory }
                    }
                    _ => self.no_field(&base.ty.clone(), &name.to_string(), at),
                }
            }
            (other, member, _) => {
                let name = quote::ToTokens::to_token_stream(member).to_string();
                self.no_field(&other.clone(), &name, at)
            }
        }
    }

    fn no_field(&mut self, ty: &Ty, name: &str, at: Loc) -> Target {
        let message = format!("no field `{name}` on type `{}`", self.infer.show(ty));
        self.diags.push(Diag::new(Code::V203, at, message));
        Target::REFUSED
    }

    fn assigned_local(&mut self, id: crate::hir::LocalId, loc: Loc) {
        let local = &self.body.locals[id];
        if local.mutable {
            return;
        }
        let (name, declared) = (local.name.clone(), local.loc);
        let diag = if local.iterates {
            Diag::new(Code::V011, loc, format!("cannot assign to the loop variable `{name}`"))
                .label(declared, format!("`{name}` gets its values here"))
                .help("use `while`, or copy it: `let mut copy = …;`")
        } else {
            Diag::new(Code::V008, loc, format!("cannot assign twice to immutable variable `{name}`"))
                .label(declared, format!("`{name}` is declared here"))
                .help(format!("declare it as `mut {name}`"))
        };
        self.diags.push(diag);
    }

    fn storable(&mut self, target: Target, operator: &str, loc: Loc) -> Target {
        let Some(memory) = &target.memory else { return target };
        let diag = match (&target.ty, memory.access) {
            (Ty::Atomic(scalar), _) => {
                let help = atomic_assignment(operator, *scalar);
                Diag::new(Code::V025, loc, "an atomic cannot be assigned to").help(help)
            }
            (Ty::Slice(_) | Ty::Array(..), _) => {
                Diag::new(Code::V100, loc, "a whole array cannot be assigned to").help("assign to its elements")
            }
            (_, Access::Read) => Diag::new(Code::V005, loc, "cannot store to a read-only buffer")
                .label(memory.loc, "it is declared here as `&[T]`")
                .help("take it as `&mut [T]`"),
            _ if !memory.mutable => Diag::new(Code::V008, loc, "cannot assign to an element of an immutable array")
                .label(memory.loc, "it is declared here")
                .help("declare it with `let mut`"),
            _ => return target,
        };
        self.diags.push(diag);
        Target::REFUSED
    }
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

/// Looks through parentheses, the invisible ones of macros among them.
pub(super) fn peel(mut expr: &syn::Expr) -> &syn::Expr {
    loop {
        expr = match expr {
            syn::Expr::Paren(paren) => &paren.expr,
            syn::Expr::Group(group) => &group.expr,
            other => return other,
        };
    }
}
