//! syn's tree to [`hir`](crate::hir): names, operators, methods and types.
//!
//! Nothing is skipped: what is not in the kernel language is refused on its own tokens.
//! A refused expression has the type [`Ty::Error`], which fits everything, so that one
//! mistake is one error and the rest is still looked at.
//!
//! Expressions are visited in Rust's order of evaluation. Types are found by unification
//! on the way; what needs decided types (literal ranges, casts, which types an operator
//! has) is checked by [`build`](crate::build).

mod call;
mod constant;
mod control;
mod expr;
mod matching;
mod method;
mod pattern;
mod place;
mod stmt;
mod suggest;
mod vector;

use crate::hir::{Body, Expr, ExprId, ExprKind, Local, LocalId, LoopId};
use crate::infer::{Infer, Ty, VarKind};
use crate::parse::BodyParam;
use crate::spans::Spans;
use crate::types;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;

/// How deep expressions and blocks may nest.
const MAX_DEPTH: usize = 64;

/// What a name stands for.
#[derive(Clone)]
enum Binding {
    /// A value.
    Local(LocalId),
    /// A buffer, workgroup memory or array.
    Memory(Memory),
    /// Something whose declaration was refused.
    Refused,
}

/// Memory that a name stands for.
#[derive(Clone)]
struct Memory {
    root: Root,
    ty: Ty,
    access: Access,
    /// Whether it was declared so that it may be stored to.
    mutable: bool,
    loc: Loc,
}

/// The state of lowering one body.
struct Lowerer<'a, 's> {
    spans: &'s mut Spans<'a>,
    diags: &'s mut Diags,
    infer: Infer,
    body: Body,
    /// Names in scope, innermost last; later entries shadow earlier ones.
    names: Vec<(String, Binding)>,
    /// The loops around the current place, innermost last.
    loops: Vec<LoopId>,
    /// The values of integer constants, for the lengths of arrays.
    known: Vec<(LocalId, i128)>,
    /// The locals that `const` items of the kernel are.
    constants: Vec<LocalId>,
    depth: usize,
    /// Whether too deep nesting was reported; the rest of such an expression is no other mistake.
    deep_reported: bool,
}

/// Lowers the body of a kernel with these parameters.
pub fn lower<'a>(
    params: &[BodyParam],
    block: &'a syn::Block,
    spans: &mut Spans<'a>,
    diags: &mut Diags,
) -> (Body, crate::hir::Block, Infer) {
    let mut lowerer = Lowerer {
        spans,
        diags,
        infer: Infer::default(),
        body: Body::default(),
        names: Vec::new(),
        loops: Vec::new(),
        known: Vec::new(),
        constants: Vec::new(),
        depth: 0,
        deep_reported: false,
    };
    for (i, param) in params.iter().enumerate() {
        let binding = match &param.ty {
            Ty::Error => Binding::Refused,
            Ty::Slice(_) => Binding::Memory(Memory {
                root: Root::Param(i as u32),
                ty: param.ty.clone(),
                access: param.access,
                mutable: param.access == Access::ReadWrite,
                loc: param.loc,
            }),
            value => Binding::Local(lowerer.body.locals.push(Local {
                name: param.name.clone(),
                ty: value.clone(),
                mutable: param.mutable,
                iterates: false,
                loc: param.loc,
            })),
        };
        lowerer.names.push((param.name.clone(), binding));
    }
    let (block, ty) = lowerer.block(block);
    if let Some(tail) = block.tail {
        lowerer.expect_at(
            lowerer.body.exprs[tail].loc,
            &Ty::Unit,
            &ty,
            "a kernel returns nothing: end the last statement with `;`",
        );
    }
    for outer in &lowerer.body.outer {
        // A constant among float literals is an `f32`, or else rustc says what it is.
        let ty = &lowerer.body.locals[outer.local].ty;
        if lowerer.infer.kind(ty) == Some(VarKind::Float) {
            lowerer.infer.unify(ty, &Ty::Scalar(Scalar::F32));
        }
    }
    (lowerer.body, block, lowerer.infer)
}

impl<'a> Lowerer<'a, '_> {
    fn loc(&mut self, node: &'a dyn ToTokens) -> Loc {
        self.spans.add(node)
    }

    fn push(&mut self, kind: ExprKind, ty: Ty, loc: Loc) -> ExprId {
        self.body.exprs.push(Expr { kind, ty, loc })
    }

    fn ty(&self, id: ExprId) -> Ty {
        self.infer.resolve(&self.body.exprs[id].ty)
    }

    /// Reports a mistake and gives the expression that stands for it.
    fn refuse(&mut self, diag: Diag) -> ExprId {
        let loc = diag.loc;
        self.diags.push(diag);
        self.push(ExprKind::Error, Ty::Error, loc)
    }

    /// Reports a type that was refused.
    fn report(&mut self, refused: types::Refused, loc: Loc) {
        let mut diag = Diag::new(refused.code, loc, refused.message);
        diag.help = refused.help;
        self.diags.push(diag);
    }

    /// Reports syntax that is not in the kernel language.
    fn unsupported(&mut self, node: &'a dyn ToTokens, what: &str, help: Option<&str>) -> ExprId {
        let loc = self.loc(node);
        let mut diag = Diag::new(Code::V100, loc, format!("{what} cannot be used in a kernel"));
        diag.help = help.map(str::to_owned);
        self.refuse(diag)
    }

    /// Makes an expression's type the expected one, or reports that it is another.
    fn expect(&mut self, id: ExprId, expected: &Ty) {
        self.expect_or(id, expected, None);
    }

    /// Like [`expect`](Self::expect), with a help of its own.
    fn expect_or(&mut self, id: ExprId, expected: &Ty, help: Option<String>) {
        let (loc, found) = (self.body.exprs[id].loc, self.ty(id));
        if !self.infer.unify(&found, expected) {
            let mut diag = self.mismatch(loc, expected, &found);
            diag.help = help.or(diag.help);
            self.diags.push(diag);
            self.body.exprs[id].kind = ExprKind::Error;
            self.body.exprs[id].ty = Ty::Error;
        }
    }

    /// Like [`expect`](Self::expect) for a type that is known without an expression.
    fn expect_at(&mut self, loc: Loc, expected: &Ty, found: &Ty, help: &str) {
        if !self.infer.unify(found, expected) {
            let diag = self.mismatch(loc, expected, found).help(help);
            self.diags.push(diag);
        }
    }

    fn mismatch(&self, loc: Loc, expected: &Ty, found: &Ty) -> Diag {
        let (e, f) = (self.infer.show(expected), self.infer.show(found));
        let diag = Diag::new(Code::V200, loc, format!("mismatched types: expected `{e}`, found `{f}`"));
        match self.conversion(expected, found) {
            Some(help) => diag.help(help),
            None => diag,
        }
    }

    /// How to get from one number type to another.
    fn conversion(&self, expected: &Ty, found: &Ty) -> Option<String> {
        let (to, from) = (self.infer.resolve(expected), self.infer.resolve(found));
        match (&to, self.infer.kind(found)) {
            (Ty::Scalar(s), Some(VarKind::Int)) if s.is_float() => {
                return Some("write a float literal, such as `1.0`".to_owned());
            }
            // `i * 2.0`: it is the other side that can be converted.
            (Ty::Scalar(_) | Ty::Usize, Some(VarKind::Float)) if to.scalar().is_some_and(Scalar::is_int) => {
                return Some("convert the integer with `as f32`".to_owned());
            }
            _ => {}
        }
        if matches!(to, Ty::Ids(_)) || matches!(from, Ty::Ids(_)) {
            return Some("pick an axis: `.x`, `.y` or `.z`".to_owned());
        }
        if matches!(from, Ty::Scalar(Scalar::Bool)) && matches!(&to, Ty::Scalar(s) if s.is_float()) {
            return Some(format!("convert it with `as u32 as {to}`"));
        }
        let number = |ty: &Ty| matches!(ty, Ty::Usize) || matches!(ty, Ty::Scalar(s) if s.bits() > 1);
        (number(&to) && number(&from)).then(|| format!("convert it with `as {to}`"))
    }

    /// How to bring the operands of an operator to the type that holds more.
    fn widening(&self, left: &Ty, right: &Ty) -> Option<String> {
        let (left, right) = (self.infer.resolve(left), self.infer.resolve(right));
        let number = |ty: &Ty| ty.scalar().filter(|scalar| scalar.bits() > 1);
        let (l, r) = (number(&left)?, number(&right)?);
        // A float holds more than any integer; else what has more bits does.
        let rank = |scalar: Scalar| (scalar.is_float(), scalar.bits());
        match rank(l).cmp(&rank(r)) {
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(format!("convert the `{left}` with `as {right}`")),
            std::cmp::Ordering::Greater => Some(format!("convert the `{right}` with `as {left}`")),
        }
    }

    /// Reads a type in the scope of the present constants; reports it if it is refused.
    fn read_type(&mut self, ty: &'a syn::Type) -> Ty {
        match types::read(ty, &|name| self.known_constant(name)) {
            Ok(ty) => ty,
            Err(refused) => {
                let loc = self.loc(ty);
                self.report(refused, loc);
                Ty::Error
            }
        }
    }

    /// The value of an integer constant of this name.
    fn known_constant(&self, name: &str) -> Option<i128> {
        match self.find(name)? {
            Binding::Local(local) => self.known.iter().find(|(id, _)| id == local).map(|(_, value)| *value),
            Binding::Memory(_) | Binding::Refused => None,
        }
    }

    /// Looks a name up.
    fn find(&self, name: &str) -> Option<&Binding> {
        self.names.iter().rev().find(|(n, _)| n == name).map(|(_, binding)| binding)
    }

    /// Runs `f` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, node: &'a dyn ToTokens, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            if std::mem::replace(&mut self.deep_reported, true) {
                return None;
            }
            let loc = self.loc(node);
            let message = format!("a kernel cannot nest more than {MAX_DEPTH} levels deep");
            self.diags.push(Diag::new(Code::V018, loc, message).help("split the expression with `let`"));
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        Some(result)
    }
}
