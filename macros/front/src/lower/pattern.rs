//! Patterns that take values apart: in `let`, and on the left of `=`.

use super::{Binding, Lowerer};
use crate::hir::{ExprId, ExprKind, Local, LocalId, Part, Place, Stmt};
use crate::infer::{Ty, VarKind};
use crate::parse::binding;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: &'a syn::Pat, value: ExprId, stmts: &mut Vec<Stmt>) {
        let ty = self.ty(value);
        if let Some((name, mutable)) = binding(pat) {
            let binding = match self.new_local(name, mutable, ty) {
                Some(local) => {
                    stmts.push(Stmt::Let(local, value));
                    Binding::Local(local)
                }
                None => {
                    stmts.push(Stmt::Expr(value));
                    Binding::Refused
                }
            };
            self.names.push((name.unraw().to_string(), binding));
            return;
        }
        let mut parts = Vec::new();
        let mut names = Vec::new();
        self.parts(pat, &ty, &mut Part { first: 0, len: 0 }, &mut parts, &mut names);
        stmts.push(if parts.is_empty() { Stmt::Expr(value) } else { Stmt::Destructure(parts, value) });
        self.names.extend(names);
    }

    /// A local of a type that a variable can have.
    fn new_local(&mut self, name: &'a syn::Ident, mutable: bool, ty: Ty) -> Option<LocalId> {
        match ty {
            Ty::Error | Ty::Slice(_) | Ty::Array(..) | Ty::Atomic(_) => None,
            ty => {
                let loc = self.loc(name);
                let name = name.unraw().to_string();
                Some(self.body.locals.push(Local { name, ty, mutable, iterates: false, loc }))
            }
        }
    }

    /// Walks a pattern along a type; `at.first` is the index of the type's first value.
    fn parts(
        &mut self,
        pat: &'a syn::Pat,
        ty: &Ty,
        at: &mut Part,
        parts: &mut Vec<(LocalId, Part)>,
        names: &mut Vec<(String, Binding)>,
    ) {
        let ty = self.infer.resolve(ty);
        let len = self.width(&ty);
        if let Some((name, mutable)) = binding(pat) {
            let binding = match self.new_local(name, mutable, ty) {
                Some(local) => {
                    parts.push((local, Part { first: at.first, len }));
                    Binding::Local(local)
                }
                None => Binding::Refused,
            };
            names.push((name.unraw().to_string(), binding));
            at.first += len;
            return;
        }
        match (pat, &ty) {
            (syn::Pat::Wild(_), _) => at.first += len,
            (syn::Pat::Paren(paren), _) => self.parts(&paren.pat, &ty, at, parts, names),
            (syn::Pat::Tuple(syn::PatTuple { elems, .. }) | syn::Pat::Slice(syn::PatSlice { elems, .. }), _) => {
                let types: Vec<Ty> = match &ty {
                    Ty::Tuple(types) if types.len() == elems.len() => types.clone(),
                    Ty::Error => vec![Ty::Error; elems.len()],
                    other => {
                        let loc = self.loc(pat);
                        let message = format!(
                            "this pattern has {} parts, but the value is of type `{}`",
                            elems.len(),
                            self.infer.show(other)
                        );
                        self.diags.push(Diag::new(Code::V200, loc, message));
                        vec![Ty::Error; elems.len()]
                    }
                };
                for (pat, ty) in elems.iter().zip(&types) {
                    let walked = self.nested(pat, |this| this.parts(pat, ty, at, parts, names));
                    if walked.is_none() {
                        return;
                    }
                }
            }
            _ => {
                let help = "bind names, tuples of names and `_`";
                self.unsupported(pat, "this pattern", Some(help));
                names.extend(pattern_names(pat).into_iter().map(|name| (name, Binding::Refused)));
                at.first += len;
            }
        }
    }

    /// The number of values that make up one of a type.
    pub(super) fn width(&self, ty: &Ty) -> usize {
        match self.infer.resolve(ty) {
            Ty::Tuple(parts) => parts.iter().map(|part| self.width(part)).sum(),
            Ty::Unit | Ty::Never | Ty::Ids(_) => 0,
            _ => 1,
        }
    }

    /// `let [a, b] = array;`: the elements, one after the other.
    pub(super) fn bind_elements(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr, stmts: &mut Vec<Stmt>) {
        let syn::Pat::Slice(slice) = pat else { return };
        let loc = self.loc(pat);
        let (root, len, element, access) = match self.memory_place(init) {
            Some(target) => match (&target.ty, &target.memory, &target.place) {
                (Ty::Array(element, len), Some(memory), Place::Memory { indices, .. }) if indices.is_empty() => {
                    (memory.root, *len, (**element).clone(), memory.access)
                }
                _ => return self.not_an_array(pat, init),
            },
            None => return self.not_an_array(pat, init),
        };
        if slice.elems.len() != len as usize || access == Access::Atomic {
            let message = format!(
                "this pattern has {}, but the array has {}",
                count(slice.elems.len(), "part"),
                count(len, "element")
            );
            self.diags.push(Diag::new(Code::V200, loc, message));
            return self.poison(pat);
        }
        let array = Ty::Array(Box::new(element.clone()), len);
        for (i, pat) in slice.elems.iter().enumerate() {
            let index = self.push(ExprKind::Int(i as u128), Ty::Usize, loc);
            let place = Place::Memory { root, indices: vec![(index, array.clone())], lane: None };
            let value = self.push(ExprKind::Load(place), element.clone(), loc);
            self.bind(pat, value, stmts);
        }
    }

    fn not_an_array(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr) {
        self.unsupported(init, "this value behind an array pattern", Some("name the array first"));
        self.poison(pat);
    }

    /// Makes the names of a refused pattern known, so that their uses are no mistakes.
    pub(super) fn poison(&mut self, pat: &syn::Pat) {
        self.names.extend(pattern_names(pat).into_iter().map(|name| (name, Binding::Refused)));
    }

    /// `(a, b) = value`
    pub(super) fn assign_parts(&mut self, assign: &'a syn::ExprAssign, tuple: &'a syn::ExprTuple, loc: Loc) -> ExprId {
        let value = self.expr(&assign.right);
        let mut places = Vec::new();
        let ty = self.tuple_places(tuple, &mut places);
        self.expect(value, &ty);
        self.push(ExprKind::AssignParts(places, value), Ty::Unit, loc)
    }

    /// The places of a tuple on the left of `=`, flat, and the tuple's type.
    fn tuple_places(&mut self, tuple: &'a syn::ExprTuple, places: &mut Vec<(Place, Ty)>) -> Ty {
        let mut types = Vec::new();
        for elem in &tuple.elems {
            let ty = match super::place::peel(elem) {
                syn::Expr::Tuple(inner) => {
                    self.nested(elem, |this| this.tuple_places(inner, places)).unwrap_or(Ty::Error)
                }
                _ => {
                    let target = self.assigned(elem, "");
                    places.push((target.place, target.ty.clone()));
                    target.ty
                }
            };
            types.push(ty);
        }
        if types.is_empty() { Ty::Unit } else { Ty::Tuple(types) }
    }

    /// The names of a `for` pattern or a binding: a plain name or `_`.
    pub(super) fn loop_name(&mut self, pat: &'a syn::Pat) -> Option<(String, Loc)> {
        match (pat, binding(pat)) {
            (_, Some((name, _))) => Some((name.unraw().to_string(), self.loc(name))),
            (syn::Pat::Wild(wild), _) => Some(("_".to_owned(), self.loc(wild))),
            (pat, _) => {
                self.unsupported(pat, "this pattern", Some("write `for i in start..end`"));
                None
            }
        }
    }

    /// A fresh variable of any type, with the sort of a literal.
    pub(super) fn literal_type(&mut self, bool: bool) -> Ty {
        if bool { Ty::Scalar(Scalar::Bool) } else { self.infer.var(VarKind::Int) }
    }
}

/// The names that a pattern would bind.
fn pattern_names(pat: &syn::Pat) -> Vec<String> {
    match pat {
        syn::Pat::Ident(ident) => vec![ident.ident.unraw().to_string()],
        syn::Pat::Type(typed) => pattern_names(&typed.pat),
        syn::Pat::Paren(paren) => pattern_names(&paren.pat),
        syn::Pat::Reference(reference) => pattern_names(&reference.pat),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().flat_map(pattern_names).collect(),
        syn::Pat::TupleStruct(tuple) => tuple.elems.iter().flat_map(pattern_names).collect(),
        syn::Pat::Slice(slice) => slice.elems.iter().flat_map(pattern_names).collect(),
        syn::Pat::Struct(fields) => fields.fields.iter().flat_map(|field| pattern_names(&field.pat)).collect(),
        _ => Vec::new(),
    }
}
