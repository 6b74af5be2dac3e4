//! Expressions: operators, control flow, literals and names.

use super::place::peel;
use super::{Binding, Lowerer};
use crate::hir::{ExprId, ExprKind, Local, Loop, LoopId, Place};
use crate::infer::{Ty, VarKind};
use crate::parse::binding;
use crate::types;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Op, Signature};
use samebits_ir::types::Scalar;

impl<'a> Lowerer<'a, '_> {
    /// An expression's value.
    pub(super) fn expr(&mut self, expr: &'a syn::Expr) -> ExprId {
        self.nested(expr, |this| this.expr_inner(expr)).unwrap_or_else(|| {
            let loc = self.loc(expr);
            self.push(ExprKind::Error, Ty::Error, loc)
        })
    }

    fn expr_inner(&mut self, expr: &'a syn::Expr) -> ExprId {
        if let Some(attr) = attributes(expr).iter().find(|attr| !super::stmt::is_lint(attr)) {
            return self.unsupported(attr, "this attribute", None);
        }
        let loc = self.loc(expr);
        match expr {
            syn::Expr::Paren(paren) => {
                let id = self.expr(&paren.expr);
                self.relocate(id, loc)
            }
            syn::Expr::Group(group) => self.expr(&group.expr),
            syn::Expr::Lit(lit) => self.literal(lit, loc),
            syn::Expr::Path(path) => self.path(path, loc),
            syn::Expr::Index(_) => match self.memory_place(expr) {
                Some(target) => self.load(target, loc),
                None => self.push(ExprKind::Error, Ty::Error, loc),
            },
            syn::Expr::Unary(unary) => self.unary(unary, loc),
            syn::Expr::Binary(binary) => self.binary(binary, loc),
            syn::Expr::Cast(cast) => self.cast(cast, loc),
            syn::Expr::Call(call) => self.call(call, loc),
            syn::Expr::MethodCall(call) => self.method_call(call, loc),
            syn::Expr::Field(field) => self.field(field, loc),
            syn::Expr::Assign(assign) => {
                let value = self.expr(&assign.right);
                let target = self.assigned(&assign.left);
                self.expect(value, &target.ty);
                self.push(ExprKind::Assign(target.place, value), Ty::Unit, loc)
            }
            syn::Expr::Block(block) => match &block.label {
                Some(label) => self.unsupported(label, "a labelled block", Some("use a labelled `loop`")),
                None => self.block_expr(&block.block),
            },
            syn::Expr::If(if_) => self.if_(if_, loc),
            syn::Expr::Loop(loop_) => {
                let id = self.begin_loop(&loop_.label);
                let (body, ty) = self.block(&loop_.body);
                self.end_loop(&loop_.body, &body.tail.map(|t| self.body.exprs[t].loc), &ty);
                let broken = &self.body.loops[id];
                let ty = if broken.broken { broken.ty.clone() } else { Ty::Never };
                self.push(ExprKind::Loop(id, body), ty, loc)
            }
            syn::Expr::While(while_) => self.while_(while_, loc),
            syn::Expr::ForLoop(for_) => self.for_(for_, loc),
            syn::Expr::Break(break_) => self.break_(break_, loc),
            syn::Expr::Continue(continue_) => match self.loop_target(&continue_.label, loc, "continue") {
                Some(id) => self.push(ExprKind::Continue(id), Ty::Never, loc),
                None => self.push(ExprKind::Error, Ty::Never, loc),
            },
            syn::Expr::Return(return_) => {
                if let Some(value) = &return_.expr {
                    let id = self.expr(value);
                    self.expect(id, &Ty::Unit);
                }
                self.push(ExprKind::Return, Ty::Never, loc)
            }
            other => self.refuse_expr(other),
        }
    }

    /// The same expression under a wider place in the source.
    fn relocate(&mut self, id: ExprId, loc: Loc) -> ExprId {
        self.body.exprs[id].loc = loc;
        id
    }

    /// Everything of Rust's expressions that has no meaning in a kernel.
    fn refuse_expr(&mut self, expr: &'a syn::Expr) -> ExprId {
        let (what, help) = match expr {
            syn::Expr::Array(_) | syn::Expr::Repeat(_) => {
                ("an array here", Some("give it a name first: `let name = [0; 4];`"))
            }
            syn::Expr::Async(_) | syn::Expr::Await(_) => ("`async`", None),
            syn::Expr::Closure(_) => ("a closure", Some("write the code where it is needed")),
            syn::Expr::Const(_) => ("a `const` block", None),
            syn::Expr::Infer(_) => ("`_`", None),
            syn::Expr::Let(_) => ("`let` in a condition", Some("compare values instead")),
            syn::Expr::Macro(_) => ("a macro", None),
            syn::Expr::Match(_) => ("`match`", Some("use `if` and `else if`")),
            syn::Expr::Range(_) => ("a range here", Some("ranges belong in `for i in start..end`")),
            syn::Expr::RawAddr(_) | syn::Expr::Reference(_) => ("a reference", Some("use the value itself")),
            syn::Expr::Struct(_) => ("a struct", None),
            syn::Expr::Try(_) => ("`?`", Some("a kernel cannot fail")),
            syn::Expr::TryBlock(_) => ("a `try` block", None),
            syn::Expr::Tuple(_) => ("a tuple", Some("use one variable for each part")),
            syn::Expr::Unsafe(_) => ("`unsafe`", None),
            syn::Expr::Yield(_) => ("`yield`", None),
            _ => ("this expression", None),
        };
        self.unsupported(expr, what, help)
    }

    fn literal(&mut self, expr: &'a syn::ExprLit, loc: Loc) -> ExprId {
        match &expr.lit {
            syn::Lit::Bool(value) => self.push(ExprKind::Bits(u64::from(value.value)), Ty::Scalar(Scalar::Bool), loc),
            syn::Lit::Int(int) => {
                let ty = match int.suffix() {
                    "" => self.infer.var(VarKind::Int),
                    suffix => match self.suffix(suffix, loc) {
                        Some(ty) => ty,
                        None => return self.push(ExprKind::Error, Ty::Error, loc),
                    },
                };
                if ty.scalar().is_some_and(Scalar::is_float) {
                    return self.push(ExprKind::Float(int.base10_digits().to_owned()), ty, loc);
                }
                match int.base10_parse::<u128>() {
                    Ok(value) => self.push(ExprKind::Int(value), ty, loc),
                    Err(_) => self.refuse(Diag::new(Code::V103, loc, "integer literal is too large")),
                }
            }
            syn::Lit::Float(float) => {
                let ty = match float.suffix() {
                    "" => self.infer.var(VarKind::Float),
                    suffix => match self.suffix(suffix, loc) {
                        Some(ty) => ty,
                        None => return self.push(ExprKind::Error, Ty::Error, loc),
                    },
                };
                self.push(ExprKind::Float(float.base10_digits().to_owned()), ty, loc)
            }
            syn::Lit::Str(_) | syn::Lit::ByteStr(_) | syn::Lit::CStr(_) => self.unsupported(expr, "a string", None),
            syn::Lit::Char(_) => self.unsupported(expr, "a `char`", Some("use a `u32`")),
            syn::Lit::Byte(_) => self.unsupported(expr, "a byte literal", Some("use a `u32`")),
            _ => self.unsupported(expr, "this literal", None),
        }
    }

    /// The type that a literal's suffix names.
    fn suffix(&mut self, suffix: &str, loc: Loc) -> Option<Ty> {
        let ident: Option<syn::Type> = syn::parse_str(suffix).ok();
        match ident.as_ref().map(types::read) {
            Some(Ok(ty)) => Some(ty),
            Some(Err(refused)) => {
                self.report(refused, loc);
                None
            }
            None => None,
        }
    }

    fn path(&mut self, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        let Some(ident) = path.path.get_ident() else { return self.associated_constant(path, loc) };
        let name = ident.to_string();
        match self.find(&name) {
            Some(Binding::Local(id)) => {
                let id = *id;
                let ty = self.body.locals[id].ty.clone();
                self.push(ExprKind::Local(id), ty, loc)
            }
            Some(Binding::Memory(_)) => match self.memory_place_of(&name) {
                Some(target) => self.load(target, loc),
                None => self.push(ExprKind::Error, Ty::Error, loc),
            },
            Some(Binding::Refused) => self.push(ExprKind::Error, Ty::Error, loc),
            None => self.unknown_name(&name, loc),
        }
    }

    fn memory_place_of(&mut self, name: &str) -> Option<super::place::Target> {
        match self.find(name)? {
            Binding::Memory(memory) => {
                let memory = memory.clone();
                let place = Place::Memory { root: memory.root, indices: Vec::new() };
                Some(super::place::Target { place, ty: memory.ty.clone(), memory: Some(memory) })
            }
            _ => None,
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, loc: Loc) -> ExprId {
        let diag = Diag::new(Code::V006, loc, format!("cannot find value `{name}` in this kernel"));
        let constant = name.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_');
        self.refuse(if constant {
            diag.help("constants from outside are not visible in a kernel yet: pass the value as an argument")
        } else {
            diag.help("a kernel sees its parameters and its own variables")
        })
    }

    fn unary(&mut self, unary: &'a syn::ExprUnary, loc: Loc) -> ExprId {
        let op = match unary.op {
            syn::UnOp::Neg(_) => Op::Neg,
            syn::UnOp::Not(_) => Op::Not,
            _ => return self.unsupported(unary, "a dereference", Some("use the value itself")),
        };
        let value = self.expr(&unary.expr);
        let ty = self.ty(value);
        self.push(ExprKind::Op(op, vec![value]), ty, loc)
    }

    fn binary(&mut self, binary: &'a syn::ExprBinary, loc: Loc) -> ExprId {
        use syn::BinOp as B;
        if let B::And(_) | B::Or(_) = binary.op {
            let (a, b) = (self.expr(&binary.left), self.expr(&binary.right));
            self.expect(a, &Ty::Scalar(Scalar::Bool));
            self.expect(b, &Ty::Scalar(Scalar::Bool));
            let kind = if matches!(binary.op, B::And(_)) { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
            return self.push(kind, Ty::Scalar(Scalar::Bool), loc);
        }
        let spelling = binary.op.to_token_stream().to_string();
        if let Some(plain) = spelling.strip_suffix('=').filter(|s| !["=", "!", "<", ">"].contains(s)) {
            return self.compound(binary, plain, loc);
        }
        let Some(op) = Op::from_rust(&spelling, 2) else {
            return self.unsupported(&binary.op, "this operator", None);
        };
        let (a, b) = (self.expr(&binary.left), self.expr(&binary.right));
        match self.operands(op, &spelling, (a, b), &binary.op) {
            Ok(ty) => self.push(ExprKind::Op(op, vec![a, b]), ty, loc),
            Err(ty) => self.push(ExprKind::Error, ty, loc),
        }
    }

    /// Makes the operands' types fit each other and gives the result's type, as an error
    /// if they do not fit and that was reported.
    fn operands(&mut self, op: Op, spelling: &str, (a, b): (ExprId, ExprId), at: &'a syn::BinOp) -> Result<Ty, Ty> {
        let (left, right) = (self.ty(a), self.ty(b));
        if let Signature::Shift(_) = op.info().signature {
            let count = right == Ty::Usize
                || matches!(right, Ty::Error | Ty::Never)
                || self.infer.kind(&right) == Some(VarKind::Int)
                || right.scalar().is_some_and(Scalar::is_int);
            if !count {
                let loc = self.loc(at);
                let message = format!("cannot shift by a count of type `{}`", self.infer.show(&right));
                self.diags.push(Diag::new(Code::V021, loc, message).help("the count must be an integer"));
                return Err(left);
            }
            return Ok(left);
        }
        let comparison = matches!(op.info().signature, Signature::Compare(_));
        if !self.infer.unify(&left, &right) {
            let (l, r) = (self.infer.show(&left), self.infer.show(&right));
            let message = match spelling {
                "+" => format!("cannot add `{r}` to `{l}`"),
                "-" => format!("cannot subtract `{r}` from `{l}`"),
                "*" => format!("cannot multiply `{l}` by `{r}`"),
                "/" => format!("cannot divide `{l}` by `{r}`"),
                "%" => format!("cannot take the remainder of `{l}` by `{r}`"),
                _ if comparison => format!("cannot compare `{l}` with `{r}`"),
                other => format!("cannot apply `{other}` to `{l}` and `{r}`"),
            };
            let loc = self.loc(at);
            let mut diag = Diag::new(Code::V021, loc, message);
            diag.help = self.conversion(&left, &right).or_else(|| self.conversion(&right, &left));
            self.diags.push(diag);
            return Err(if comparison { Ty::Scalar(Scalar::Bool) } else { Ty::Error });
        }
        if !comparison {
            return Ok(self.infer.resolve(&left));
        }
        if let Ty::Vector(..) = self.infer.resolve(&left) {
            let loc = self.loc(at);
            let message = format!("cannot compare values of type `{}`", self.infer.show(&left));
            self.diags.push(Diag::new(Code::V021, loc, message).help("compare lane by lane: `a.x == b.x && …`"));
            return Err(Ty::Scalar(Scalar::Bool));
        }
        Ok(Ty::Scalar(Scalar::Bool))
    }

    /// `place op= value`
    fn compound(&mut self, binary: &'a syn::ExprBinary, spelling: &str, loc: Loc) -> ExprId {
        let value = self.expr(&binary.right);
        let target = self.assigned(&binary.left);
        let Some(op) = Op::from_rust(spelling, 2) else {
            return self.unsupported(&binary.op, "this operator", None);
        };
        let left = self.push(ExprKind::Error, target.ty.clone(), loc);
        match self.operands(op, spelling, (left, value), &binary.op) {
            Ok(_) => self.push(ExprKind::AssignOp(op, target.place, value), Ty::Unit, loc),
            Err(_) => self.push(ExprKind::Error, Ty::Unit, loc),
        }
    }

    fn cast(&mut self, cast: &'a syn::ExprCast, loc: Loc) -> ExprId {
        let value = self.expr(&cast.expr);
        match types::read(&cast.ty) {
            Ok(ty) if ty.value().is_some() => self.push(ExprKind::Op(Op::Cast, vec![value]), ty, loc),
            Ok(other) => {
                let loc = self.loc(&*cast.ty);
                self.refuse(Diag::new(Code::V012, loc, format!("cannot cast to `{other}`")))
            }
            Err(refused) => {
                let at = self.loc(&*cast.ty);
                self.report(refused, at);
                self.push(ExprKind::Error, Ty::Error, loc)
            }
        }
    }

    /// A condition, which must be a `bool`.
    fn condition(&mut self, expr: &'a syn::Expr) -> ExprId {
        let id = self.expr(expr);
        let ty = self.ty(id);
        if !self.infer.unify(&ty, &Ty::Scalar(Scalar::Bool)) {
            let loc = self.body.exprs[id].loc;
            let message = format!("a condition must be a `bool`, but this is `{}`", self.infer.show(&ty));
            self.diags.push(Diag::new(Code::V022, loc, message).help("compare it: `… != 0`"));
        }
        id
    }

    fn if_(&mut self, if_: &'a syn::ExprIf, loc: Loc) -> ExprId {
        let condition = self.condition(&if_.cond);
        let (then, then_ty) = self.block(&if_.then_branch);
        let Some((_, otherwise)) = &if_.else_branch else {
            if let Some(tail) = then.tail {
                self.expect(tail, &Ty::Unit);
            }
            return self.push(ExprKind::If(condition, then, None), Ty::Unit, loc);
        };
        let otherwise = self.expr(otherwise);
        let else_ty = self.ty(otherwise);
        if !self.infer.unify(&then_ty, &else_ty) {
            let at = self.body.exprs[otherwise].loc;
            let (t, e) = (self.infer.show(&then_ty), self.infer.show(&else_ty));
            let message = format!("`if` and `else` have incompatible types: `{t}` and `{e}`");
            let mut diag = Diag::new(Code::V200, at, message);
            if let Some(tail) = then.tail {
                diag = diag.label(self.body.exprs[tail].loc, format!("the other value is `{t}`"));
            }
            self.diags.push(diag);
        }
        let ty = if then_ty == Ty::Never { else_ty } else { self.infer.resolve(&then_ty) };
        self.push(ExprKind::If(condition, then, Some(otherwise)), ty, loc)
    }

    fn begin_loop(&mut self, label: &'a Option<syn::Label>) -> LoopId {
        let ty = self.infer.var(VarKind::General);
        let label = label.as_ref().map(|l| l.name.ident.to_string());
        let id = self.body.loops.push(Loop { label, ty, broken: false });
        self.loops.push(id);
        id
    }

    /// Closes a loop; its body must have no value.
    fn end_loop(&mut self, block: &'a syn::Block, tail: &Option<Loc>, ty: &Ty) {
        self.loops.pop();
        let at = match tail {
            Some(loc) => *loc,
            None => self.loc(block),
        };
        self.expect_at(at, &Ty::Unit, ty, "the body of a loop has no value: end it with `;`");
    }

    fn while_(&mut self, while_: &'a syn::ExprWhile, loc: Loc) -> ExprId {
        let id = self.begin_loop(&while_.label);
        let unit = self.body.loops[id].ty.clone();
        self.infer.unify(&unit, &Ty::Unit);
        let condition = self.condition(&while_.cond);
        let (body, ty) = self.block(&while_.body);
        self.end_loop(&while_.body, &body.tail.map(|t| self.body.exprs[t].loc), &ty);
        self.push(ExprKind::While(id, condition, body), Ty::Unit, loc)
    }

    fn for_(&mut self, for_: &'a syn::ExprForLoop, loc: Loc) -> ExprId {
        let (start, end, inclusive) = match peel(&for_.expr) {
            syn::Expr::Range(syn::ExprRange { start: Some(start), end: Some(end), limits, .. }) => {
                (start, end, matches!(limits, syn::RangeLimits::Closed(_)))
            }
            other => {
                let help = "write `for i in start..end`";
                self.unsupported(other, "this iterator", Some(help));
                return self.refused_loop(for_, loc);
            }
        };
        let (start, end) = (self.expr(start), self.expr(end));
        let (a, b) = (self.ty(start), self.ty(end));
        if !self.infer.unify(&a, &b) {
            let at = self.body.exprs[end].loc;
            let (l, r) = (self.infer.show(&a), self.infer.show(&b));
            let message = format!("the bounds of this range have different types: `{l}` and `{r}`");
            let diag = Diag::new(Code::V015, at, message).label(self.body.exprs[start].loc, format!("this is `{l}`"));
            self.diags.push(match self.conversion(&a, &b) {
                Some(help) => diag.help(help),
                None => diag,
            });
        }
        let ty = self.infer.resolve(&a);
        let (name, name_loc) = match (&*for_.pat, binding(&for_.pat)) {
            (_, Some((name, false))) => (name.to_string(), self.loc(name)),
            (syn::Pat::Wild(wild), _) => ("_".to_owned(), self.loc(wild)),
            (pat, _) => {
                self.unsupported(pat, "this pattern", Some("write `for i in start..end`"));
                return self.refused_loop(for_, loc);
            }
        };
        let local =
            self.body.locals.push(Local { name: name.clone(), ty, mutable: false, iterates: true, loc: name_loc });
        let id = self.begin_loop(&for_.label);
        let unit = self.body.loops[id].ty.clone();
        self.infer.unify(&unit, &Ty::Unit);
        let scope = self.names.len();
        self.names.push((name, Binding::Local(local)));
        let (body, body_ty) = self.block(&for_.body);
        self.names.truncate(scope);
        self.end_loop(&for_.body, &body.tail.map(|t| self.body.exprs[t].loc), &body_ty);
        self.push(ExprKind::For { id, local, start, end, inclusive, body }, Ty::Unit, loc)
    }

    /// Looks at the body of a loop whose head was refused, for further mistakes.
    fn refused_loop(&mut self, for_: &'a syn::ExprForLoop, loc: Loc) -> ExprId {
        self.begin_loop(&for_.label);
        let scope = self.names.len();
        if let Some((name, _)) = binding(&for_.pat) {
            self.names.push((name.to_string(), Binding::Refused));
        }
        self.block(&for_.body);
        self.names.truncate(scope);
        self.loops.pop();
        self.push(ExprKind::Error, Ty::Unit, loc)
    }

    fn break_(&mut self, break_: &'a syn::ExprBreak, loc: Loc) -> ExprId {
        let value = break_.expr.as_ref().map(|value| self.expr(value));
        let Some(id) = self.loop_target(&break_.label, loc, "break") else {
            return self.push(ExprKind::Error, Ty::Never, loc);
        };
        self.body.loops[id].broken = true;
        let ty = self.body.loops[id].ty.clone();
        match value {
            Some(value) => self.expect(value, &ty),
            None => self.expect_at(loc, &ty, &Ty::Unit, "give the same kind of value at each `break`"),
        }
        self.push(ExprKind::Break(id, value), Ty::Never, loc)
    }

    /// The loop that a `break` or `continue` is about.
    fn loop_target(&mut self, label: &'a Option<syn::Lifetime>, loc: Loc, what: &str) -> Option<LoopId> {
        let found = match label {
            None => self.loops.last().copied(),
            Some(label) => {
                let name = label.ident.to_string();
                self.loops.iter().rev().copied().find(|&id| self.body.loops[id].label.as_ref() == Some(&name))
            }
        };
        if found.is_none() {
            let message = match label {
                Some(label) => format!("cannot find a loop labelled `{label}` around this"),
                None => format!("`{what}` outside of a loop"),
            };
            self.diags.push(Diag::new(Code::V104, loc, message));
        }
        found
    }
}

/// The attributes of the expressions that can stand where a statement does.
fn attributes(expr: &syn::Expr) -> &[syn::Attribute] {
    match expr {
        syn::Expr::Block(e) => &e.attrs,
        syn::Expr::If(e) => &e.attrs,
        syn::Expr::Loop(e) => &e.attrs,
        syn::Expr::While(e) => &e.attrs,
        syn::Expr::ForLoop(e) => &e.attrs,
        syn::Expr::Assign(e) => &e.attrs,
        syn::Expr::Call(e) => &e.attrs,
        syn::Expr::MethodCall(e) => &e.attrs,
        syn::Expr::Binary(e) => &e.attrs,
        _ => &[],
    }
}
