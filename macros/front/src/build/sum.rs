//! Values of enums with fields, and of `Option`: the number of the variant, and the fields of all variants.
//!
//! Where a value is made, the fields of other variants are zero, which costs nothing. Afterwards they may hold
//! anything.

use super::Build;
use crate::hir::{ExprId, Part};
use crate::infer::{SumTy, Ty};
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Value;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// A variant as its number says it.
fn bits(number: usize) -> u64 {
    number as u64
}

impl Build<'_> {
    /// The values of a variant with these fields.
    pub(super) fn variant(&mut self, number: usize, args: &[ExprId], id: ExprId) -> Vec<Value> {
        let given: Vec<Vec<Value>> = args.iter().map(|&arg| self.flat(arg)).collect();
        let ty = self.ty(id);
        let Some(def) = ty.sum() else { return Vec::new() };
        if ty.flat().is_none() {
            self.undecided_sum(&ty, id);
            return Vec::new();
        }
        self.b.at(self.expr(id).loc);
        let mut values: Vec<Value> = def.tag().map(|tag| self.b.constant(tag, bits(number))).into_iter().collect();
        for (i, case) in def.cases.iter().enumerate() {
            if i == number {
                values.extend(given.iter().flatten());
                continue;
            }
            for leaf in case.fields.iter().flat_map(|field| field.ty.flat().unwrap_or_default()) {
                values.push(self.zero(leaf));
            }
        }
        values
    }

    /// Reports an `Option`, or another enum, of which nothing says what it may hold.
    fn undecided_sum(&mut self, ty: &Ty, id: ExprId) {
        let open = |ty: &Ty| ty.is_open() && !self.undecided.contains(ty);
        if !open(ty) || self.diags.has_errors() {
            return;
        }
        let shown = self.infer.show(ty);
        let diag = Diag::new(Code::V202, self.expr(id).loc, format!("type annotations needed for `{shown}`"));
        let help = match ty.held() {
            Some(_) => "write the type that it may hold: `let x: Option<f32> = None;`",
            None => "write its type: `let x: Name<f32> = …;`",
        };
        self.diags.push(diag.help(help));
    }

    /// The default of a type.
    pub(super) fn default(&mut self, id: ExprId) -> Vec<Value> {
        let ty = self.ty(id);
        self.b.at(self.expr(id).loc);
        let (leaves, is_known) = (ty.flat(), !ty.is_open() && ty != Ty::Error);
        if let (Some(leaves), true) = (leaves, has_default(&ty)) {
            return leaves.into_iter().map(|leaf| self.zero(leaf)).collect();
        }
        if is_known {
            let shown = self.infer.show(&ty);
            let message = format!("`unwrap_or_default` needs a type with a default, but this is `{shown}`");
            self.diags.push(Diag::new(Code::V205, self.expr(id).loc, message).help("write `.unwrap_or(value)`"));
        }
        Vec::new()
    }

    /// `Some` of a value where a condition holds.
    pub(super) fn when(&mut self, holds: ExprId, value: ExprId) -> Vec<Value> {
        let Some(holds) = self.value(holds) else { return Vec::new() };
        [vec![holds], self.flat(value)].concat()
    }

    /// Whether two values of an enum with fields are the same.
    pub(super) fn same(&mut self, a: ExprId, b: ExprId, id: ExprId) -> Option<Value> {
        let ty = self.ty(a);
        let (a, b) = (self.flat(a), self.flat(b));
        self.b.at(self.expr(id).loc);
        if ty.flat().is_none_or(|leaves| leaves.len() != a.len() || leaves.len() != b.len()) {
            self.undecided_sum(&ty, id);
            return None;
        }
        Some(self.equal(&ty, &a, &b))
    }

    /// Whether leaf by leaf two values are the same, as far as they mean something.
    fn equal(&mut self, ty: &Ty, a: &[Value], b: &[Value]) -> Value {
        match ty {
            Ty::Sum(def) => self.equal_variants(def, a, b),
            Ty::Reference(of) => self.equal(of, a, b),
            Ty::Struct(def) => self.equal_parts(def.fields.iter().map(|field| &field.ty), a, b),
            Ty::Tuple(parts) => self.equal_parts(parts.iter(), a, b),
            Ty::Array(element, len) => self.equal_parts((0..*len).map(|_| &**element), a, b),
            Ty::Matrix(column, columns) => self.equal_parts((0..*columns).map(|_| &**column), a, b),
            Ty::Vector(..) => {
                let lanes = self.b.op(Op::Eq, &[a[0], b[0]]);
                self.b.op(Op::All, &[lanes])
            }
            _ => match (a.first(), b.first()) {
                (Some(&a), Some(&b)) => self.b.op(Op::Eq, &[a, b]),
                _ => self.b.constant(Scalar::Bool, 1),
            },
        }
    }

    /// Whether values are the same that consist of parts of these types.
    fn equal_parts<'t>(&mut self, types: impl Iterator<Item = &'t Ty>, a: &[Value], b: &[Value]) -> Value {
        let (mut first, mut all) = (0, None);
        for ty in types {
            let len = ty.flat().map_or(0, |leaves| leaves.len());
            let (Some(a), Some(b)) = (a.get(first..first + len), b.get(first..first + len)) else { break };
            let same = self.equal(ty, a, b);
            all = Some(all.map_or(same, |all| self.b.op(Op::And, &[all, same])));
            first += len;
        }
        all.unwrap_or_else(|| self.b.constant(Scalar::Bool, 1))
    }

    fn equal_variants(&mut self, def: &SumTy, a: &[Value], b: &[Value]) -> Value {
        let mut all = def.tag().map(|_| self.b.op(Op::Eq, &[a[0], b[0]]));
        for (number, case) in def.cases.iter().enumerate() {
            let mut fields: Option<Value> = None;
            for (Part { first, len }, ty) in
                places(def, number).into_iter().zip(case.fields.iter().map(|field| &field.ty))
            {
                let (a, b) = (&a[first..first + len], &b[first..first + len]);
                let same = self.equal(ty, a, b);
                fields = Some(fields.map_or(same, |fields| self.b.op(Op::And, &[fields, same])));
            }
            let Some(mut fields) = fields else { continue };
            if let Some(is) = self.is_variant(def, number, a) {
                let other = self.b.op(Op::Not, &[is]);
                fields = self.b.op(Op::Or, &[other, fields]);
            }
            all = Some(all.map_or(fields, |all| self.b.op(Op::And, &[all, fields])));
        }
        all.unwrap_or_else(|| self.b.constant(Scalar::Bool, 1))
    }

    /// Whether a value is of a variant; `None` if all are.
    pub(super) fn is_variant(&mut self, def: &SumTy, number: usize, values: &[Value]) -> Option<Value> {
        let (tag, &value) = (def.tag()?, values.first()?);
        Some(match (tag, number) {
            (Scalar::Bool, 0) => self.b.op(Op::Not, &[value]),
            (Scalar::Bool, _) => value,
            _ => {
                let number = self.b.constant(tag, bits(number));
                self.b.op(Op::Eq, &[value, number])
            }
        })
    }
}

/// Where the fields of a variant are among all the leaves of a value.
pub(super) fn places(def: &SumTy, number: usize) -> Vec<Part> {
    let width = |ty: &Ty| ty.flat().map_or(0, |leaves| leaves.len());
    let mut first = usize::from(def.tag().is_some());
    let mut found = Vec::new();
    for (i, case) in def.cases.iter().enumerate() {
        for field in &case.fields {
            let part = Part { first, len: width(&field.ty) };
            first += part.len;
            if i == number {
                found.push(part);
            }
        }
    }
    found
}

/// Whether a type has a default in Rust, of zeros.
fn has_default(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Usize | Ty::Vector(..) | Ty::Unit => true,
        Ty::Tuple(parts) => parts.iter().all(has_default),
        Ty::Array(element, len) => *len <= 32 && has_default(element),
        ty => ty.held().is_some(),
    }
}
