//! Iterators over parts: `chunks`, `chunks_exact` and `windows`, and their `&mut` forms.
//!
//! The loop counts the parts, from what the number of elements and the size of a part tell. The counts are written so
//! that the facts see each part to be within the whole (`analysis/facts/order.rs`).

use super::super::Lowerer;
use super::super::place::Target;
use super::item::{Item, Position};
use super::{Given, Iter};
use crate::hir::{ExprId, ExprKind, Stmt};
use crate::infer::Ty;
use crate::types::integer;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;

/// Which parts of so many elements there are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// One behind the other; the last one may be shorter.
    Chunks,
    /// The same without a shorter one.
    Exact,
    /// One from each element on.
    Windows,
}

/// The methods, what they give, and whether that may be changed.
const METHODS: [(&str, Parts, bool); 5] = [
    ("chunks", Parts::Chunks, false),
    ("chunks_mut", Parts::Chunks, true),
    ("chunks_exact", Parts::Exact, false),
    ("chunks_exact_mut", Parts::Exact, true),
    ("windows", Parts::Windows, false),
];

/// What a method of this name gives.
pub(super) fn parts(name: &str) -> Option<(Parts, bool)> {
    METHODS.iter().find(|(method, ..)| *method == name).map(|&(_, parts, mutable)| (parts, mutable))
}

/// How large the parts of a whole are, both counted once.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    parts: Parts,
    size: ExprId,
    whole: ExprId,
}

impl<'a> Lowerer<'a, '_> {
    /// The parts of what has elements.
    pub(super) fn parts_of(
        &mut self,
        call: &'a syn::ExprMethodCall,
        (parts, mutable): (Parts, bool),
        body: &dyn Fn(&str) -> bool,
        stmts: &mut Vec<Stmt>,
        loc: Loc,
    ) -> Option<Iter<'a>> {
        let name = call.method.to_string();
        if !self.arity(&call.args, 1, &name, loc) {
            return None;
        }
        let elements = self.elements_of(&call.receiver, Some(mutable), body, stmts, loc)?;
        let (Item::Element { array, .. }, Some(whole)) = (elements.item, elements.count.end) else { return None };
        let whole = self.fixed(whole, stmts);
        let size = self.size_of_parts(&call.args[0], &name, stmts)?;
        let count = self.count_parts(parts, (whole, size), loc, stmts);
        let count = self.count_to(count, loc);
        let item = Item::Part { array, at: Position::At, sizes: Sizes { parts, size, whole } };
        Some(Iter { count, item, ..elements })
    }

    /// The argument, which Rust does not let be zero.
    fn size_of_parts(&mut self, arg: &'a syn::Expr, name: &str, stmts: &mut Vec<Stmt>) -> Option<ExprId> {
        let known = integer::evaluate(arg, self).and_then(|known| u32::try_from(known.value).ok());
        let size = self.index_value(arg)?;
        let loc = self.body.exprs[size].loc;
        match known {
            Some(0) => {
                let message = format!("`{name}` needs at least 1 element for a part, but this is 0");
                self.reporter.report(Diag::new(Code::V015, loc, message));
                None
            }
            Some(known) => Some(self.push(ExprKind::ArrayLen(known), Ty::Usize, loc)),
            None => Some(self.fixed(size, stmts)),
        }
    }

    /// How many parts there are: none of size 0.
    fn count_parts(
        &mut self,
        parts: Parts,
        (whole, size): (ExprId, ExprId),
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> ExprId {
        let op = match parts {
            Parts::Chunks => Op::DivCeil,
            Parts::Exact => Op::Div,
            Parts::Windows => {
                // All but what follows the beginning of the last one. Size 0 leaves none.
                let one = self.int(1, &Ty::Usize, loc);
                let rest = self.compute(Op::Sub, &[size, one], &Ty::Usize, loc);
                let rest = self.fixed(rest, stmts);
                let most = self.compute(Op::Max, &[whole, rest], &Ty::Usize, loc);
                let count = self.compute(Op::Sub, &[most, rest], &Ty::Usize, loc);
                return self.fixed(count, stmts);
            }
        };
        let count = self.compute(op, &[whole, size], &Ty::Usize, loc);
        self.fixed(count, stmts)
    }

    /// The part of a number.
    pub(super) fn part_of_number(
        &mut self,
        array: Target,
        Sizes { parts, size, whole }: Sizes,
        number: ExprId,
        (loc, round): (Loc, &mut Vec<Stmt>),
    ) -> Given {
        let begin = match parts {
            Parts::Windows => number,
            _ => self.compute(Op::Mul, &[number, size], &Ty::Usize, loc),
        };
        let begin = self.fixed(begin, round);
        let len = match parts {
            Parts::Chunks => {
                let rest = self.elements_from(whole, begin, loc, round);
                let len = self.compute(Op::Min, &[size, rest], &Ty::Usize, loc);
                self.fixed(len, round)
            }
            _ => size,
        };
        let part = self.part_within(array, begin, len, loc);
        let part = self.frozen(part, round);
        Given::Reference(Target { reference: true, ..part })
    }
}
