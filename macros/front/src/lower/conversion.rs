//! `From`, `Into` and `TryFrom`: between numbers `u64::from(x)` and `x.into()`, where every value of one type is one of
//! the other, and `u8::try_from(x)`, which is an `Option` here, since kernels have no `Result`; and the conversions that
//! a user's types list.

use super::Lowerer;
use super::class::Bound;
use crate::hir::{Block, Constructor, ExprId, ExprKind, Pattern, Stmt};
use crate::infer::{NONE, Ty, VarKind};
use crate::syntax;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    /// `T::from(x)`, where `T` is a number.
    pub(super) fn number_from(
        &mut self,
        call: &'a syn::ExprCall,
        (path, to): (&'a syn::ExprPath, Ty),
        loc: Loc,
    ) -> ExprId {
        let args = self.args(&call.args);
        let from = args.first().filter(|_| args.len() == 1).map(|&arg| self.ty(arg));
        if from.as_ref().is_some_and(|from| from.declared().is_some())
            && let Some(made) = self.converted(&to, args[0], loc)
        {
            return made;
        }
        match from {
            Some(Ty::Bf16) if to == Ty::Scalar(Scalar::F32) => self.push(ExprKind::Op(Op::FromBfloat, args), to, loc),
            Some(Ty::Error) => self.error(loc),
            Some(from) if from == to => args[0],
            Some(from) if is_lossless(&from, &to) => self.push(ExprKind::Op(Op::Cast, args), to, loc),
            _ => self.unknown_call(call, path),
        }
    }

    /// `x.into()` of a number: a cast to what it turns out to be given to, which must keep every value.
    pub(super) fn number_into(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, loc: Loc) -> ExprId {
        if !self.arity(&call.args, 0, "into", loc) {
            return self.error(loc);
        }
        let (from, to) = (self.ty(value), self.infer.var(VarKind::General));
        let at = self.loc(&call.method);
        self.owe(to.clone(), Bound::From(from), "T", "into", at);
        self.push(ExprKind::Op(Op::Cast, vec![value]), to, loc)
    }

    /// `T::from(x)`, where `T` is a type of a user.
    pub(super) fn own_from(&mut self, arg: &'a syn::Expr, to: &Ty, loc: Loc) -> ExprId {
        let value = self.expr(arg);
        let from = self.ty(value);
        if from == *to {
            return value;
        }
        match self.converted(to, value, loc) {
            Some(made) => made,
            None => self.no_conversion(&from, to, loc),
        }
    }

    /// `let name: T = x.into();`
    pub(super) fn conversion_to(&mut self, call: &'a syn::ExprMethodCall, to: &Ty) -> ExprId {
        let loc = self.loc(call);
        if !call.args.is_empty() || to.declared().is_none() {
            let value = (to.declared().is_none() && call.args.is_empty()).then(|| self.expr(&call.receiver));
            let own = value.filter(|&value| self.ty(value).declared().is_some());
            return match (own, value) {
                (Some(own), _) => match self.converted(to, own, loc) {
                    Some(made) => made,
                    None => self.no_conversion(&self.ty(own), to, loc),
                },
                (None, Some(value)) => self.method(call, value, "into", loc),
                (None, None) => self.method_call(call, loc),
            };
        }
        self.own_from(&call.receiver, to, loc)
    }

    /// `x.into()` of a user's type, of which nothing says what it is to be.
    pub(super) fn own_into(&mut self, value: ExprId, at: Loc, loc: Loc) -> ExprId {
        let from = self.ty(value);
        let mut to = self.conversions_of(&from);
        if let ([one], true) = (to.as_slice(), from != Ty::Error) {
            let one = one.clone();
            return self.converted(&one, value, loc).unwrap_or_else(|| self.error(loc));
        }
        let Some(first) = to.pop() else {
            let shown = self.infer.show(&from);
            let message = format!("kernels know no conversion of `{shown}`");
            let help =
                format!("write `#[device] impl From<{shown}> for …`, and list it: `#[element(traits(From<{shown}>))]`");
            return self.refuse(Diag::new(Code::V203, at, message).help(help));
        };
        let message = "type annotations needed: nothing says what `into` is to give";
        let help = format!("write the type: `let made: {0} = x.into();` or `{0}::from(x)`", self.infer.show(&first));
        self.refuse(Diag::new(Code::V202, at, message).help(help))
    }

    /// Reports a conversion that nobody wrote.
    fn no_conversion(&mut self, from: &Ty, to: &Ty, loc: Loc) -> ExprId {
        if *from == Ty::Error || *to == Ty::Error {
            return self.error(loc);
        }
        let (shown, to_shown) = (self.infer.show(from), self.infer.show(to));
        let message = format!("kernels know no conversion of `{shown}` to `{to_shown}`");
        let diag = Diag::new(Code::V203, loc, message);
        let operator = crate::words::operators::conversion();
        match operator.and_then(|operator| self.lacking_operator(operator, to, Some(from))) {
            Some(help) => self.refuse(diag.help(help)),
            None => self.refuse(diag),
        }
    }

    /// A method of what `u8::try_from(x)` gives; `None` if the call is of something else.
    pub(super) fn number_tried(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> Option<ExprId> {
        let syn::Expr::Call(tried) = syntax::peel(&call.receiver) else { return None };
        let syn::Expr::Path(path) = syntax::peel(&tried.func) else { return None };
        let mut segments = path.path.segments.iter().rev();
        let (name, owner) = (segments.next()?, segments.next()?);
        let to = match owner.ident.to_string().as_str() {
            "usize" => Ty::Usize,
            owner => Ty::Scalar(Scalar::from_name(owner).filter(|scalar| scalar.is_int())?),
        };
        if name.ident != "try_from" || path.qself.is_some() || tried.args.len() != 1 {
            return None;
        }
        let method = call.method.to_string();
        let mut stmts = Vec::new();
        let at = self.loc(&*call.receiver);
        let Some(value) = self.try_number(tried, path, &to, at, &mut stmts) else {
            self.args_of_refused(&call.args);
            return Some(self.error(loc));
        };
        let option = self.ty(value);
        let result = match &*method {
            "ok" | "is_ok" | "is_err" => {
                self.arity(&call.args, 0, &method, loc);
                let none = Pattern::Made(Constructor::Variant(NONE), Vec::new());
                match &*method {
                    "ok" => value,
                    "is_ok" => self.is_some(value, loc),
                    _ => self.push(ExprKind::Let(none, value), Ty::Scalar(Scalar::Bool), loc),
                }
            }
            "unwrap_or" | "unwrap_or_default" | "map_or" | "unwrap" | "expect" => {
                self.option_method(call, Err(value), &option, loc)
            }
            _ => {
                self.args_of_refused(&call.args);
                let message = format!("no method `{method}` on what `try_from` gives, since a kernel has no `Result`");
                let diag = Diag::new(Code::V203, self.loc(&call.method), message);
                self.refuse(diag.help("write `.ok()` before it: then it is an `Option`"))
            }
        };
        if stmts.is_empty() {
            return Some(result);
        }
        let ty = self.ty(result);
        Some(self.push(ExprKind::Block(Block { stmts, tail: Some(result) }), ty, loc))
    }

    /// `T::try_from(x)` as an `Option<T>`; `None` if that was refused.
    fn try_number(
        &mut self,
        call: &'a syn::ExprCall,
        path: &'a syn::ExprPath,
        to: &Ty,
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> Option<ExprId> {
        let value = self.expr(call.args.first()?);
        if self.infer.kind(&self.ty(value)) == Some(VarKind::Int) {
            // As Rust decides a literal.
            self.expect(value, &Ty::Scalar(Scalar::I32));
        }
        let from = self.ty(value);
        let integer = |ty: &Ty| *ty == Ty::Usize || matches!(ty, Ty::Scalar(scalar) if scalar.is_int());
        // Hosts keep more of such a number than kernels do.
        let host = *to == Ty::Usize && from.scalar().is_some_and(|scalar| scalar.bits() > 32);
        if from == Ty::Error {
            return None;
        }
        if !integer(&from) || host {
            self.unknown_call(call, path);
            return None;
        }
        let value = self.fixed(value, stmts);
        let bool = Ty::Scalar(Scalar::Bool);
        let narrow = self.push(ExprKind::Op(Op::Cast, vec![value]), to.clone(), loc);
        let narrow = self.fixed(narrow, stmts);
        let back = self.push(ExprKind::Op(Op::Cast, vec![narrow]), from.clone(), loc);
        let same = self.push(ExprKind::Op(Op::Eq, vec![back, value]), bool.clone(), loc);
        let signed = |ty: &Ty| matches!(ty, Ty::Scalar(scalar) if scalar.is_signed());
        let fits = if signed(&from) == signed(to) {
            same
        } else {
            let (of, ty) = if signed(&from) { (value, from) } else { (narrow, to.clone()) };
            let zero = self.push(ExprKind::Int(0), ty, loc);
            let natural = self.push(ExprKind::Op(Op::Ge, vec![of, zero]), bool.clone(), loc);
            self.push(ExprKind::And(same, natural), bool, loc)
        };
        let fits = self.fixed(fits, stmts);
        Some(self.push(ExprKind::When(fits, narrow), Ty::option(to.clone()), loc))
    }
}

/// Whether Rust has `From` of one type for another one.
pub(super) fn is_lossless(from: &Ty, to: &Ty) -> bool {
    let scalar = |ty: &Ty| if let Ty::Scalar(scalar) = ty { Some(*scalar) } else { None };
    match (scalar(from), scalar(to)) {
        // As wide as on any host.
        (Some(Scalar::Bool | Scalar::U8 | Scalar::U16), None) => *to == Ty::Usize,
        (Some(Scalar::Bool), Some(to)) => to.is_int(),
        (Some(from), Some(to)) if from.is_float() => to.is_float() && from.bits() < to.bits(),
        (Some(from), Some(Scalar::F32)) => from.bits() <= 16,
        (Some(from), Some(Scalar::F64)) => from.bits() <= 32,
        (Some(from), Some(to)) if to.is_int() => from.bits() < to.bits() && (to.is_signed() || !from.is_signed()),
        _ => false,
    }
}
