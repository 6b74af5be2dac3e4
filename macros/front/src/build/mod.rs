//! [`hir`](crate::hir) to IR.
//!
//! Types are decided here: what nothing determined gets Rust's default. With that come
//! the checks that need decided types: literal ranges, which types an operator has, and
//! the cast table. After a mistake building goes on, to find the others; the IR is then
//! of no use and is thrown away by the caller.

mod array;
mod control;
mod count;
mod expr;
mod matching;

use crate::hir::{Body, Expr, ExprId, Place as HirPlace};
use crate::infer::{Infer, Ty};
use crate::parse::BodyParam;
use crate::signature::{ParamKind, Signature};
use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::{Access, Index, Inst, Module, Place, Root, Value, Var};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::{Scalar, Type, Types};
use syn::ext::IdentExt;

/// What a local variable, or a part of a tuple in one, is in the IR.
#[derive(Clone, Copy)]
enum Slot {
    /// A value that never changes.
    Value(Value),
    /// A variable.
    Var(Var),
}

/// What `continue` does before the loop's body starts again.
#[derive(Clone, Copy)]
enum Step {
    /// Nothing.
    None,
    /// Adds one to the loop's parameter.
    Next(Value, Scalar),
    /// Leaves the loop if the parameter is the last one, else goes to the next one with this op.
    Until {
        /// The parameter.
        at: Value,
        /// Its last value.
        last: Value,
        /// `Add` or `Sub`.
        op: Op,
        /// Its type.
        scalar: Scalar,
    },
}

/// The state of building one function.
struct Build<'h> {
    body: &'h Body,
    infer: &'h Infer,
    diags: &'h mut Diags,
    types: Types,
    b: Builder,
    /// A slot for each value that a local is made of.
    locals: Vec<Vec<Slot>>,
    loops: Vec<Option<(Inst, Step)>>,
    /// Whether a float without a type was reported; the others follow from the first.
    float_reported: bool,
}

/// Builds the module of a kernel.
pub fn build(
    signature: &Signature,
    params: &[BodyParam],
    (body, block, infer): (&Body, &crate::hir::Block, &Infer),
    loc: Loc,
    diags: &mut Diags,
) -> Module {
    let mut b = Builder::new(signature.name.unraw().to_string(), signature.workgroup_size);
    b.at(loc);
    b.fast_math(signature.fast_math);
    let mut build = Build {
        body,
        infer,
        diags,
        types: Types::default(),
        b,
        locals: vec![Vec::new(); body.locals.len()],
        loops: vec![None; body.loops.len()],
        float_reported: false,
    };
    build.declare(signature, params);
    build.block(block);
    if !build.b.is_terminated() {
        build.b.ret();
    }
    let Build { types, b, .. } = build;
    b.into_module(types)
}

impl Build<'_> {
    /// Parameters, workgroup memory and arrays.
    fn declare(&mut self, signature: &Signature, params: &[BodyParam]) {
        // The scalar parameters are the first locals, in order.
        let mut local = 0;
        for (param, body) in signature.params.iter().zip(params) {
            self.b.at(body.loc);
            match &param.kind {
                ParamKind::Buffer { element, access, .. } => {
                    self.b.buffer(&body.name, *element, *access);
                }
                ParamKind::Scalar { ty, .. } => {
                    let value = self.b.scalar(&body.name, *ty);
                    if body.ty != Ty::Error {
                        self.locals[local] = vec![Slot::Value(value)];
                        local += 1;
                    }
                }
            }
        }
        for (i, param) in self.body.locals.iter().take(local) {
            if let (true, [Slot::Value(value)]) = (param.mutable, self.locals[i.index()].as_slice()) {
                let (value, ty) = (*value, param.ty.value().unwrap_or(Type::Error));
                self.b.at(param.loc);
                let var = self.b.var(&param.name, ty);
                self.b.set(var, value);
                self.locals[i.index()] = vec![Slot::Var(var)];
            }
        }
        for outer in &self.body.outer {
            let local = &self.body.locals[outer.local];
            self.b.at(local.loc);
            match self.infer.decided(&local.ty).value() {
                Some(ty) => {
                    let value = self.b.scalar(&local.name, ty);
                    self.locals[outer.local.index()] = vec![Slot::Value(value)];
                }
                None if matches!(self.infer.resolve(&local.ty), Ty::Error) => {}
                None => {
                    let message = format!("nothing says what type `{}` has here", local.name);
                    let help = format!("write `{} as T`, or use it where one type fits", local.name);
                    self.diags.push(Diag::new(Code::V202, local.loc, message).help(help));
                }
            }
        }
        for memory in &self.body.shared {
            let ty = self.memory_type(&memory.ty);
            let atomic = matches!(innermost(&memory.ty), Ty::Atomic(_));
            self.b.at(memory.loc);
            self.b.shared(&memory.name, ty, if atomic { Access::Atomic } else { Access::ReadWrite });
        }
        for memory in &self.body.private {
            let ty = self.memory_type(&memory.ty);
            self.b.at(memory.loc);
            if ty == Type::Error && !matches!(self.infer.decided(innermost(&memory.ty)), Ty::Error) {
                let message = format!("an array cannot hold `{}`", self.infer.show(innermost(&memory.ty)));
                self.diags.push(Diag::new(Code::V201, memory.loc, message));
            }
            self.b.private(&memory.name, ty);
        }
    }

    /// The type of memory in the IR.
    fn memory_type(&mut self, ty: &Ty) -> Type {
        match self.infer.decided(ty) {
            Ty::Array(element, len) => match self.memory_type(&element) {
                Type::Error => Type::Error,
                element => self.types.array(element, len),
            },
            Ty::Atomic(s) => Type::Scalar(s),
            other => other.value().unwrap_or(Type::Error),
        }
    }

    fn expr(&self, id: ExprId) -> &Expr {
        &self.body.exprs[id]
    }

    /// An expression's type, decided.
    fn ty(&self, id: ExprId) -> Ty {
        self.infer.decided(&self.expr(id).ty)
    }

    /// The place in the IR, its indices evaluated in order, and the type there.
    fn place(&mut self, place: &HirPlace) -> Option<Place> {
        let HirPlace::Memory { root, indices, lane } = place else { return None };
        let mut built = Vec::with_capacity(indices.len());
        for (level, (index, array)) in indices.iter().enumerate() {
            let value = self.operand(*index);
            let (element, bound) = match array {
                Ty::Array(element, len) => (element, Some(*len)),
                Ty::Slice(element) => (element, None),
                _ => return None,
            };
            let element = self.memory_type(element);
            let stride = self.types.layout(element)?.size;
            // The outermost index is bounded by the size of the memory itself.
            built.push(Index { value, stride, bound: bound.filter(|_| level > 0) });
        }
        let lane_size = match self.element(*root, indices) {
            Ty::Vector(lane_ty, _) => lane_ty.scalar().map_or(0, |scalar| scalar.size()),
            _ => 0,
        };
        Some(self.b.place(*root, &built, lane.map_or(0, |lane| lane * lane_size)))
    }

    /// The type of what indices lead to.
    fn element(&self, root: Root, indices: &[(ExprId, Ty)]) -> Ty {
        match (indices.last(), root) {
            (Some((_, Ty::Array(element, _) | Ty::Slice(element))), _) => self.infer.decided(element),
            (_, Root::Shared(i)) => self.body.shared.get(i as usize).map_or(Ty::Error, |m| self.infer.decided(&m.ty)),
            _ => Ty::Error,
        }
    }

    /// A value for an expression that has one; after a mistake, any value.
    fn operand(&mut self, id: ExprId) -> Value {
        match self.value(id) {
            Some(value) => value,
            None => {
                let scalar = self.ty(id).scalar().unwrap_or(Scalar::U32);
                self.b.constant(scalar, 0)
            }
        }
    }
}

fn innermost(ty: &Ty) -> &Ty {
    let mut ty = ty;
    while let Ty::Array(element, _) = ty {
        ty = element;
    }
    ty
}
