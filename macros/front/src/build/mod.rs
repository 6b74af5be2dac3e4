//! [`hir`](crate::hir) to IR.
//!
//! Types are decided here: what nothing determined gets Rust's default. With that come
//! the checks that need decided types: literal ranges, which types an operator has, and
//! the cast table. After a mistake building goes on, to find the others; the IR is then
//! of no use and is thrown away by the caller.

mod control;
mod expr;

use crate::hir::{Body, Expr, ExprId, Place as HirPlace};
use crate::infer::{Infer, Ty};
use crate::parse::BodyParam;
use crate::signature::{ParamKind, Signature};
use samebits_ir::builder::Builder;
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::{Access, Index, Inst, Module, Place, Value, Var};
use samebits_ir::loc::Loc;
use samebits_ir::types::{Scalar, Type, Types};

/// What a local variable is in the IR.
#[derive(Clone, Copy)]
enum Slot {
    /// Not declared yet.
    Unset,
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
    /// Adds one to the loop variable.
    Next(Value, Scalar),
    /// Leaves the loop if the variable is the last value, else adds one.
    NextUntil(Value, Value, Scalar),
}

/// The state of building one function.
struct Build<'h> {
    body: &'h Body,
    infer: &'h Infer,
    diags: &'h mut Diags,
    types: Types,
    b: Builder,
    locals: Vec<Slot>,
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
    let mut b = Builder::new(signature.name.to_string(), signature.workgroup_size);
    b.at(loc);
    let mut build = Build {
        body,
        infer,
        diags,
        types: Types::default(),
        b,
        locals: vec![Slot::Unset; body.locals.len()],
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
                        self.locals[local] = Slot::Value(value);
                        local += 1;
                    }
                }
            }
        }
        for (i, param) in self.body.locals.iter().take(local) {
            if let (true, Slot::Value(value)) = (param.mutable, self.locals[i.index()]) {
                let ty = param.ty.value().unwrap_or(Type::Error);
                self.b.at(param.loc);
                let var = self.b.var(&param.name, ty);
                self.b.set(var, value);
                self.locals[i.index()] = Slot::Var(var);
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
        let HirPlace::Memory { root, indices } = place else { return None };
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
        Some(self.b.place(*root, &built, 0))
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
