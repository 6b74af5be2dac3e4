//! `get`, `first` and `last` of buffers, arrays and parts: an element, if there is one.
//!
//! What they give refers to the element as it was. It is read where it is within bounds, so that no access is tested
//! twice.

use super::Lowerer;
use super::place::Target;
use crate::hir::{Block, ExprId, ExprKind, Place};
use crate::infer::{NONE, SOME, Ty};
use crate::syntax::peel;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

/// The methods.
pub(super) const OF_ELEMENTS: [&str; 3] = ["get", "first", "last"];

impl<'a> Lowerer<'a, '_> {
    /// An element of a place that has elements, as an `Option` of a reference.
    pub(super) fn element(&mut self, call: &'a syn::ExprMethodCall, target: Target, loc: Loc) -> ExprId {
        let name = call.method.to_string();
        let element = match &target.ty {
            Ty::Slice(element) | Ty::Array(element, _) => (**element).clone(),
            _ => Ty::Error,
        };
        let takes = usize::from(name == "get");
        if !self.arity(&call.args, takes, &name, loc) || element == Ty::Error {
            self.lower_all(&call.args);
            return self.error(loc);
        }
        if element.has_atomics() {
            self.args_of_refused(&call.args);
            let at = self.loc(&call.method);
            let diag = Diag::new(Code::V203, at, format!("`{name}` cannot refer to an atomic"));
            return self.refuse(diag.help("test the index, and access the element: `x[i].load()`"));
        }
        if let Some(syn::Expr::Range(range)) = call.args.first().map(peel) {
            let at = self.loc(range);
            let diag = Diag::new(Code::V203, at, "`get` takes an index in a kernel, and no range");
            return self.refuse(diag.help("borrow the part, which is cut at the end: `&x[a..b]`"));
        }
        if let Place::Local { .. } = target.place {
            // An array that was never memory.
            let at = self.loc(&*call.receiver);
            let value = self.load(target, at);
            return self.element_of_array(call, value, loc);
        }
        let mut stmts = Vec::new();
        let target = self.frozen(target, &mut stmts);
        let (usize, bool) = (Ty::Usize, Ty::Scalar(Scalar::Bool));
        let at = self.loc(&*call.receiver);
        let index = match call.args.first() {
            Some(index) => match self.index_value(index) {
                Some(index) => Some(self.fixed(index, &mut stmts)),
                None => return self.error(loc),
            },
            None => None,
        };
        let len = self.len_of(&target, at);
        let len = self.fixed(len, &mut stmts);
        let index = match (index, &*name) {
            (Some(index), _) => index,
            (None, "last") => {
                let one = self.int(1, &usize, loc);
                let last = self.compute(Op::Sub, &[len, one], &usize, loc);
                self.fixed(last, &mut stmts)
            }
            (None, _) => self.int(0, &usize, loc),
        };
        if self.is_beyond(index, len) {
            return self.variant_of(NONE, Vec::new(), Ty::option(Ty::Reference(Box::new(element))), loc);
        }
        let has = self.compute(Op::Lt, &[index, len], &bool, loc);
        let ty = Ty::option(Ty::Reference(Box::new(element.clone())));
        let value = self.load(Target { slice: false, ..target.element(index, element) }, loc);
        let value = self.referred(value, loc);
        if self.ty(value) == Ty::Error {
            return self.error(loc);
        }
        let some = self.variant_of(SOME, vec![value], ty.clone(), loc);
        let none = self.variant_of(NONE, Vec::new(), ty.clone(), loc);
        let then = Block { stmts: Vec::new(), tail: Some(some) };
        let found = self.push(ExprKind::If(has, then, Some(none)), ty.clone(), loc);
        if stmts.is_empty() {
            return found;
        }
        self.push(ExprKind::Block(Block { stmts, tail: Some(found) }), ty, loc)
    }

    /// Whether an index is a literal that is out of bounds of an array.
    fn is_beyond(&self, index: ExprId, len: ExprId) -> bool {
        match (&self.body.exprs[index].kind, &self.body.exprs[len].kind) {
            (ExprKind::Int(index), ExprKind::ArrayLen(len)) => *index >= u128::from(*len),
            _ => false,
        }
    }

    /// The same of an array that is a value.
    pub(super) fn element_of_array(&mut self, call: &'a syn::ExprMethodCall, array: ExprId, loc: Loc) -> ExprId {
        let mut stmts = Vec::new();
        let Some(target) = self.temporary(array, &mut stmts) else { return self.error(loc) };
        let found = self.element(call, Target { reference: false, ..target }, loc);
        let ty = self.ty(found);
        self.push(ExprKind::Block(Block { stmts, tail: Some(found) }), ty, loc)
    }
}
