//! Patterns that take values apart: in `let`, and on the left of `=`.

use super::place::Places;
use super::{Binding, Lowerer};
use crate::hir::{Bound, ExprId, ExprKind, Memory, Part, Place, Step, Stmt};
use crate::infer::{MAX_LEAVES, Ty};
use crate::syntax::{self, binding};
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use syn::ext::IdentExt;

/// How many private memories a function may have before those of finished calls are used again. A
/// memory with a single use is easier to turn into values.
const PRIVATE_ROOTS: usize = 32;

impl<'a> Lowerer<'a, '_> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: &'a syn::Pat, value: ExprId, stmts: &mut Vec<Stmt>) {
        let ty = self.ty(value);
        if let Some((name, mutable)) = binding(pat) {
            let loc = self.loc(name);
            let name = name.unraw().to_string();
            let binding = self.declare_as(&name, mutable, value, loc, stmts);
            self.context.names.push((name, binding));
            return;
        }
        let mut parts = Vec::new();
        let mut names = Vec::new();
        self.parts(pat, &ty, &mut Part { first: 0, len: 0 }, &mut parts, &mut names);
        stmts.push(if parts.is_empty() { Stmt::Expr(value) } else { Stmt::Destructure(parts, value) });
        self.context.names.extend(names);
    }

    /// A new variable: private memory if its type holds an array, else a local.
    pub(super) fn declare(&mut self, name: &str, mutable: bool, ty: Ty, loc: Loc) -> Binding<'a> {
        match ty {
            Ty::Error | Ty::Slice(_) | Ty::Atomic(_) => Binding::Refused,
            ty if ty.has_array() => {
                if ty.width() > MAX_LEAVES {
                    let message = format!("a value of type `{}` is too large to be copied", self.infer.show(&ty));
                    let help = format!("pass it by reference: at most {MAX_LEAVES} numbers are passed by value");
                    self.reporter.report(Diag::new(Code::V019, loc, message).help(help));
                    return Binding::Refused;
                }
                let root = self.private(name, &ty, loc);
                Binding::Memory(super::Memory::declared(root, ty, Access::ReadWrite, mutable, loc))
            }
            ty => Binding::Local(self.variable(name, ty, mutable, loc)),
        }
    }

    /// Declares a variable that holds a value from now on.
    pub(super) fn declare_as(
        &mut self,
        name: &str,
        mutable: bool,
        value: ExprId,
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        let binding = self.declare(name, mutable, self.ty(value), loc);
        stmts.push(match &binding {
            Binding::Local(local) => Stmt::Let(*local, value),
            Binding::Memory(memory) => Stmt::Store { root: memory.root, value },
            _ => Stmt::Expr(value),
        });
        binding
    }

    /// Private memory for a value of a type: that of a call which is over, if there is much of
    /// it already, else a new one. All of it is set before any is read.
    pub(super) fn private(&mut self, name: &str, ty: &Ty, loc: Loc) -> Root {
        let reused = |&i: &usize| self.body.private.len() > PRIVATE_ROOTS && self.body.private[i].ty == *ty;
        let free = self.free.iter().position(reused);
        let index = match free {
            Some(at) => self.free.swap_remove(at),
            None => {
                self.body.private.push(Memory { name: name.to_owned(), ty: ty.clone(), loc });
                self.body.private.len() - 1
            }
        };
        self.context.private.push(index);
        Root::Private(index as u32)
    }

    /// Walks a pattern along a type; `at.first` is the index of the type's first value.
    fn parts(
        &mut self,
        pat: &'a syn::Pat,
        ty: &Ty,
        at: &mut Part,
        parts: &mut Vec<(Bound, Part)>,
        names: &mut Vec<(String, Binding<'a>)>,
    ) {
        let ty = self.infer.resolve(ty);
        let len = ty.width();
        if let Some((name, mutable)) = binding(pat) {
            let loc = self.loc(name);
            let name = name.unraw().to_string();
            let binding = self.declare(&name, mutable, ty, loc);
            let part = Part { first: at.first, len };
            match &binding {
                Binding::Local(local) => parts.push((Bound::Local(*local), part)),
                Binding::Memory(memory) => parts.push((Bound::Memory(memory.root), part)),
                _ => {}
            }
            names.push((name, binding));
            at.first += len;
            return;
        }
        let inner = match pat {
            syn::Pat::Wild(_) => {
                at.first += len;
                return;
            }
            syn::Pat::Paren(paren) => return self.parts(&paren.pat, &ty, at, parts, names),
            syn::Pat::Type(typed) => {
                let expected = self.read_type(&typed.ty);
                let loc = self.loc(pat);
                let fits = self.infer.unify(&ty, &expected);
                self.expect_at(loc, &expected, &ty, "change the type or the value, so that they agree");
                if !fits {
                    self.infer.give_up(&ty);
                }
                let ty = if fits { ty } else { Ty::Error };
                return self.parts(&typed.pat, &ty, at, parts, names);
            }
            syn::Pat::Tuple(syn::PatTuple { elems, .. }) | syn::Pat::Slice(syn::PatSlice { elems, .. })
                if !elems.iter().any(|pat| matches!(pat, syn::Pat::Rest(_))) =>
            {
                Some(self.parts_in_order(pat, elems.iter().collect(), &ty))
            }
            syn::Pat::Struct(_) | syn::Pat::TupleStruct(_) => self.parts_of_struct(pat, &ty),
            _ => None,
        };
        let Some(inner) = inner else {
            let help = "use names, or tuples or structs of names, and `_` for parts that you do not need";
            self.unsupported(pat, "this pattern", Some(help));
            names.extend(syntax::pattern_names(pat).into_iter().map(|name| (name, Binding::Refused)));
            at.first += len;
            return;
        };
        let first = at.first;
        for (pat, offset, ty) in inner {
            at.first = first + offset;
            let walked = self.nested(pat, |this| this.parts(pat, &ty, at, parts, names));
            if walked.is_none() {
                return;
            }
        }
        at.first = first + len;
    }

    /// The patterns in a tuple's or array's, each with its first leaf and its type.
    fn parts_in_order(
        &mut self,
        pat: &'a syn::Pat,
        elems: Vec<&'a syn::Pat>,
        ty: &Ty,
    ) -> Vec<(&'a syn::Pat, usize, Ty)> {
        let types: Vec<Ty> = match ty {
            // `let [a, b] = [x, y];` is a tuple by now.
            Ty::Tuple(types) if types.len() == elems.len() => types.clone(),
            Ty::Array(element, len) if *len as usize == elems.len() => vec![(**element).clone(); elems.len()],
            Ty::Error => vec![Ty::Error; elems.len()],
            other => {
                let loc = self.loc(pat);
                let shown = self.infer.show(other);
                let message = format!("this pattern has {} parts, but the value is of type `{shown}`", elems.len());
                self.reporter.report(Diag::new(Code::V200, loc, message));
                vec![Ty::Error; elems.len()]
            }
        };
        let mut offset = 0;
        let place = |(pat, ty): (&'a syn::Pat, Ty)| {
            let first = offset;
            offset += self.infer.resolve(&ty).width();
            (pat, first, ty)
        };
        elems.into_iter().zip(types).map(place).collect()
    }

    /// `let [a, b] = array;`: the elements, one after the other.
    pub(super) fn bind_elements(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr, stmts: &mut Vec<Stmt>) {
        let syn::Pat::Slice(slice) = pat else { return };
        let loc = self.loc(pat);
        let Some(target) = self.place(init, Places::Loaded) else {
            // An array that is a value, such as what a helper gives.
            let value = self.expr(init);
            return match self.ty(value) {
                Ty::Array(..) | Ty::Error => self.bind(pat, value, stmts),
                _ => self.not_an_array(pat, init),
            };
        };
        let target = super::place::Target { reference: false, ..target };
        let (len, element, access) = match (&target.ty, &target.memory) {
            (Ty::Array(element, len), Some(memory)) if !target.slice => (*len, (**element).clone(), memory.access),
            (Ty::Error, _) => return self.poison(pat),
            _ => return self.not_an_array(pat, init),
        };
        if slice.elems.len() != len as usize || access == Access::Atomic {
            let message = format!(
                "this pattern has {}, but the array has {}",
                count(slice.elems.len(), "part"),
                count(len, "element")
            );
            self.reporter.report(Diag::new(Code::V200, loc, message));
            return self.poison(pat);
        }
        let array = target.ty.clone();
        let Place::Memory { root, path, .. } = target.place else { return self.not_an_array(pat, init) };
        for (i, pat) in slice.elems.iter().enumerate() {
            let index = self.push(ExprKind::Int(i as u128), Ty::Usize, loc);
            let mut path = path.clone();
            path.push(Step::Index(index, array.clone()));
            let place = Place::Memory { root, path, lane: None };
            let value = self.push(ExprKind::Load(place), element.clone(), loc);
            self.bind(pat, value, stmts);
        }
    }

    fn not_an_array(&mut self, pat: &'a syn::Pat, init: &'a syn::Expr) {
        self.unsupported(init, "this value for an array pattern", Some("give the array a name with `let` first"));
        self.poison(pat);
    }

    /// Makes the names of a refused pattern known, so that their uses are not reported.
    pub(super) fn poison(&mut self, pat: &syn::Pat) {
        self.context.names.extend(syntax::pattern_names(pat).into_iter().map(|name| (name, Binding::Refused)));
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
            let ty = match syntax::peel(elem) {
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
}
