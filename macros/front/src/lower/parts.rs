//! What takes a value apart on the left of `=`: tuples, arrays and structs of places, with `_` and `..` between them.
//!
//! As in Rust the value comes first, and then the places from left to right. What `..` leaves out is known by the type
//! of the value.

use super::Lowerer;
use crate::hir::{ExprId, ExprKind, LoanId, Place};
use crate::infer::{Ty, VarKind};
use crate::syntax::{member, peel};
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use syn::punctuated::Punctuated;

/// The places so far, in the order of the parts of the value, and through which references they are reached.
#[derive(Default)]
struct Places {
    list: Vec<(Place, Ty)>,
    loans: Vec<Option<LoanId>>,
}

impl Places {
    /// A part that is not kept.
    fn leave_out(&mut self, ty: &Ty) {
        self.list.push((Place::Ignored, ty.clone()));
        self.loans.push(None);
    }
}

type Elements = Punctuated<syn::Expr, syn::Token![,]>;

/// Whether an assignment to this takes a value apart.
pub(super) fn takes_apart(left: &syn::Expr) -> bool {
    match peel(left) {
        syn::Expr::Tuple(_) | syn::Expr::Array(_) | syn::Expr::Struct(_) => true,
        syn::Expr::Call(call) => match peel(&call.func) {
            syn::Expr::Path(path) => path.path.segments.last().is_some_and(|last| {
                let name = last.ident.to_string();
                name.starts_with(char::is_uppercase)
            }),
            _ => false,
        },
        _ => false,
    }
}

impl<'a> Lowerer<'a, '_> {
    /// `(a, b) = value`, `[a, _, ..] = value`, `P { x, y } = value`
    pub(super) fn assign_parts(&mut self, assign: &'a syn::ExprAssign, loc: Loc) -> ExprId {
        if let (syn::Expr::Array(left), syn::Expr::Array(right)) = (peel(&assign.left), peel(&assign.right))
            && !left.elems.iter().any(|elem| takes_apart(elem) || is_rest(elem))
        {
            return self.assign_elements(left, right, loc);
        }
        let value = self.expr(&assign.right);
        let known = self.ty(value);
        let mut places = Places::default();
        let ty = self.taken_apart(&assign.left, &known, &mut places);
        self.expect(value, &ty);
        self.assigned_parts(places, value, loc)
    }

    /// `[a, b] = [x, y]`: all values before any place.
    fn assign_elements(&mut self, left: &'a syn::ExprArray, right: &'a syn::ExprArray, loc: Loc) -> ExprId {
        let values: Vec<ExprId> = right.elems.iter().map(|value| self.expr(value)).collect();
        let element = self.infer.var(VarKind::General);
        values.iter().for_each(|&value| self.expect(value, &element));
        let mut places = Places::default();
        for elem in &left.elems {
            self.element_place(elem, &element, &mut places);
        }
        if places.list.len() != values.len() {
            let (found, expected) = (count(values.len(), "element"), places.list.len());
            let message = format!("mismatched types: expected an array of {expected}, found one of {found}");
            return self.refuse(Diag::new(Code::V200, loc, message));
        }
        let ty = Ty::Tuple(vec![element; values.len()]);
        let value = self.push(ExprKind::Tuple(values), ty, loc);
        self.assigned_parts(places, value, loc)
    }

    fn assigned_parts(&mut self, places: Places, value: ExprId, loc: Loc) -> ExprId {
        let assigned = self.push(ExprKind::AssignParts(places.list, value), Ty::Unit, loc);
        (0..).zip(places.loans).for_each(|(number, loan)| self.through(assigned, number, loan));
        assigned
    }

    /// The places on the left, flat, and the type of what they take.
    fn taken_apart(&mut self, left: &'a syn::Expr, known: &Ty, places: &mut Places) -> Ty {
        let known = self.infer.resolve(known);
        let inner = peel(left);
        if !takes_apart(inner) {
            let target = self.assigned(left, "");
            places.list.push((target.place, target.ty.clone()));
            places.loans.push(target.loan);
            return target.ty;
        }
        let found = self.nested(left, |this| match inner {
            syn::Expr::Tuple(tuple) => this.tuple_apart(tuple, &known, places),
            syn::Expr::Array(array) => this.array_apart(array, &known, places),
            syn::Expr::Struct(literal) => this.struct_apart(literal, &known, places),
            syn::Expr::Call(call) => this.tuple_struct_apart(call, &known, places),
            _ => Ty::Error,
        });
        found.unwrap_or(Ty::Error)
    }

    fn tuple_apart(&mut self, tuple: &'a syn::ExprTuple, known: &Ty, places: &mut Places) -> Ty {
        let of: &[Ty] = if let Ty::Tuple(parts) = known { parts } else { &[] };
        let Some((first, last)) = self.around(&tuple.elems) else { return Ty::Error };
        let given = first.len() + last.len();
        if given == tuple.elems.len() {
            let any = Ty::Error;
            let each = first.into_iter().enumerate();
            let types: Vec<Ty> =
                each.map(|(i, elem)| self.taken_apart(elem, of.get(i).unwrap_or(&any), places)).collect();
            return if types.is_empty() { Ty::Unit } else { Ty::Tuple(types) };
        }
        if given > of.len() {
            let loc = self.loc(tuple);
            return self.too_many(given, known, loc);
        }
        Ty::Tuple(self.parts_around((first, last), of, places))
    }

    fn array_apart(&mut self, array: &'a syn::ExprArray, known: &Ty, places: &mut Places) -> Ty {
        let Some((first, last)) = self.around(&array.elems) else { return Ty::Error };
        let (element, len) = match known {
            Ty::Array(element, len) => (self.infer.resolve(element), *len as usize),
            _ => (self.infer.var(VarKind::General), array.elems.len()),
        };
        let (given, open) = (first.len() + last.len(), first.len() + last.len() < array.elems.len());
        if given > len || !open && given != len {
            let loc = self.loc(array);
            return self.too_many(given, known, loc);
        }
        first.into_iter().for_each(|elem| self.element_place(elem, &element, places));
        (given..len).for_each(|_| places.leave_out(&element));
        last.into_iter().for_each(|elem| self.element_place(elem, &element, places));
        Ty::Array(Box::new(element), len as u32)
    }

    /// A place for an element, which all are of one type.
    fn element_place(&mut self, elem: &'a syn::Expr, element: &Ty, places: &mut Places) {
        let (ty, at) = (self.taken_apart(elem, element, places), self.loc(elem));
        self.expect_at(at, element, &ty, "all elements of an array have one type");
    }

    /// `P { x, y: place, .. }`
    fn struct_apart(&mut self, literal: &'a syn::ExprStruct, known: &Ty, places: &mut Places) -> Ty {
        let loc = self.loc(literal);
        let Some(def) = self.struct_of_value(&literal.path, known, loc) else { return Ty::Error };
        let whole = Ty::Struct(def.clone());
        let mut given: Vec<Option<&'a syn::Expr>> = vec![None; def.fields.len()];
        for field in &literal.fields {
            let name = member(&field.member);
            match self.part(&whole, &name, &field.member) {
                Some((i, _)) => given[i] = Some(&field.expr),
                None => {
                    let at = self.loc(&field.member);
                    let diag = self.missing_field(&whole, &name, at);
                    self.reporter.report(diag);
                }
            }
        }
        if literal.dot2_token.is_none() && given.iter().any(Option::is_none) {
            let named = given.iter().flatten().count();
            let message = format!("this names {named} of {}", count(given.len(), "field"));
            self.reporter.report(Diag::new(Code::V204, loc, message).help("write `..` for the others"));
            return Ty::Error;
        }
        self.fields_apart(&given, &whole, places)
    }

    /// `P(a, .., b)`
    fn tuple_struct_apart(&mut self, call: &'a syn::ExprCall, known: &Ty, places: &mut Places) -> Ty {
        let (loc, syn::Expr::Path(path)) = (self.loc(call), peel(&call.func)) else { return Ty::Error };
        let Some(def) = self.struct_of_value(&path.path, known, loc) else { return Ty::Error };
        let Some((first, last)) = self.around(&call.args) else { return Ty::Error };
        let (given, all) = (first.len() + last.len(), def.fields.len());
        let whole = Ty::Struct(def);
        if given > all || given == call.args.len() && given < all {
            return self.too_many(given, &whole, loc);
        }
        let left_out = std::iter::repeat_n(None, all - given);
        let fields: Vec<_> = first.into_iter().map(Some).chain(left_out).chain(last.into_iter().map(Some)).collect();
        self.fields_apart(&fields, &whole, places)
    }

    fn fields_apart(&mut self, given: &[Option<&'a syn::Expr>], whole: &Ty, places: &mut Places) -> Ty {
        let types: Vec<Ty> = whole.parts().into_iter().flatten().cloned().collect();
        for (given, ty) in given.iter().zip(&types) {
            match given {
                Some(elem) => {
                    let (found, at) = (self.taken_apart(elem, ty, places), self.loc(*elem));
                    self.expect_at(at, ty, &found, "the place must have the type of the field");
                }
                None => places.leave_out(ty),
            }
        }
        whole.clone()
    }

    /// Parts of known types, of which those between are left out.
    fn parts_around(
        &mut self,
        (first, last): (Vec<&'a syn::Expr>, Vec<&'a syn::Expr>),
        of: &[Ty],
        places: &mut Places,
    ) -> Vec<Ty> {
        let behind = of.len() - last.len();
        let mut types = Vec::new();
        for (elem, ty) in first.iter().zip(of) {
            types.push(self.taken_apart(elem, ty, places));
        }
        for ty in &of[first.len()..behind] {
            places.leave_out(ty);
            types.push(ty.clone());
        }
        for (elem, ty) in last.iter().zip(&of[behind..]) {
            types.push(self.taken_apart(elem, ty, places));
        }
        types
    }

    /// The elements before a `..` and those behind it; `None` if there is a second one, which is reported.
    fn around(&mut self, elems: &'a Elements) -> Option<(Vec<&'a syn::Expr>, Vec<&'a syn::Expr>)> {
        if let Some(second) = elems.iter().filter(|elem| is_rest(elem)).nth(1) {
            self.unsupported(second, "a second `..`", Some("write `_` for single parts"));
            return None;
        }
        let first: Vec<&syn::Expr> = elems.iter().take_while(|elem| !is_rest(elem)).collect();
        let last = elems.iter().skip(first.len() + 1).collect();
        Some((first, last))
    }

    fn too_many(&mut self, given: usize, known: &Ty, loc: Loc) -> Ty {
        if *known != Ty::Error {
            let shown = self.infer.show(known);
            let message = format!("this takes {} apart, but the value is of type `{shown}`", count(given, "part"));
            self.reporter.report(Diag::new(Code::V200, loc, message));
        }
        Ty::Error
    }
}

/// `..`
fn is_rest(expr: &syn::Expr) -> bool {
    matches!(peel(expr), syn::Expr::Range(range) if range.start.is_none() && range.end.is_none())
}
