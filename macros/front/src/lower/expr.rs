//! Expressions: operators, literals and names.

use super::parts::takes_apart;
use super::place::{Places, Target};
use super::{Binding, Lowerer};
use crate::hir::{Block, ExprId, ExprKind, MatrixOp};
use crate::infer::{Ty, VarKind};
use crate::names;
use crate::report::Refused;
use crate::spell;
use crate::syntax::{self, peel};
use crate::types;
use crate::words::foreign;
use crate::words::messages::Macro;
use crate::words::operators::{self, Form, Operator};
use crate::words::suggest;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::{Op, Part, Signature, VectorMethod};
use samebits_ir::scalar;
use samebits_ir::types::{Scalar, Type};
use syn::ext::IdentExt;

/// The most parts of a tuple, counting those of the tuples in it, because `let t = (t, t);` doubles
/// them with each line.
pub(crate) const MAX_PARTS: usize = 256;

/// What to do with a `bf16`.
const TO_FLOAT: &str = "convert to `f32` first: `.to_f32()`";

impl<'a> Lowerer<'a, '_> {
    /// An expression's value.
    pub(super) fn expr(&mut self, expr: &'a syn::Expr) -> ExprId {
        self.nested(expr, |this| this.expr_inner(expr)).unwrap_or_else(|| {
            let loc = self.loc(expr);
            self.error(loc)
        })
    }

    fn expr_inner(&mut self, expr: &'a syn::Expr) -> ExprId {
        let loc = self.loc(expr);
        match expr {
            syn::Expr::Paren(paren) => {
                let id = self.expr(&paren.expr);
                self.relocate(id, loc)
            }
            syn::Expr::Group(group) => self.expr(&group.expr),
            syn::Expr::Lit(lit) => self.literal(lit, loc),
            syn::Expr::Path(path) => self.path(path, loc),
            syn::Expr::Index(_) => match self.place(expr, Places::Loaded) {
                Some(target) => self.load(target, loc),
                None => self.error(loc),
            },
            syn::Expr::Array(array) => self.array_value(array, loc),
            syn::Expr::Repeat(repeat) => self.repeat_value(repeat, loc),
            syn::Expr::Struct(literal) => self.struct_literal(literal, loc),
            syn::Expr::Unary(unary) => self.unary(unary, loc),
            syn::Expr::Binary(binary) => self.binary(binary, loc),
            syn::Expr::Cast(cast) => self.cast(cast, loc),
            syn::Expr::Call(call) => self.call(call, loc),
            syn::Expr::MethodCall(call) => self.method_call(call, loc),
            syn::Expr::Field(field) => self.field(field, loc),
            syn::Expr::Tuple(tuple) if !tuple.elems.is_empty() => {
                let parts: Vec<ExprId> = tuple.elems.iter().map(|e| self.expr(e)).collect();
                let types: Vec<Ty> = parts.iter().map(|&part| self.ty(part)).collect();
                if types.iter().map(Ty::nodes).sum::<usize>() > MAX_PARTS {
                    let message = format!("a tuple has at most {MAX_PARTS} parts, counting the parts of its parts");
                    return self.refuse(Diag::new(Code::V019, loc, message).help("use an array"));
                }
                if let Some(i) = types.iter().position(|ty| matches!(ty, Ty::Ids(_))) {
                    let at = self.body.exprs[parts[i]].loc;
                    let message = format!("a tuple cannot hold `{}`", types[i]);
                    return self.refuse(Diag::new(Code::V201, at, message).help("pick an axis, such as `.x`"));
                }
                let ty = if types.contains(&Ty::Error) { Ty::Error } else { Ty::Tuple(types) };
                self.push(ExprKind::Tuple(parts), ty, loc)
            }
            syn::Expr::Tuple(_) => self.push(ExprKind::Block(Block::default()), Ty::Unit, loc),
            syn::Expr::Macro(mac) => self.macro_(mac, &mac.mac),
            syn::Expr::Match(match_) => self.match_(match_, loc),
            syn::Expr::Assign(assign) => {
                if takes_apart(&assign.left) {
                    return self.assign_parts(assign, loc);
                }
                let mut stmts = Vec::new();
                if matches!(peel(&assign.left), syn::Expr::Infer(_))
                    && self.unread(&assign.right, None, &mut stmts).is_some()
                {
                    return self.push(ExprKind::Block(Block { stmts, tail: None }), Ty::Unit, loc);
                }
                let value = self.expr(&assign.right);
                self.settle(&assign.left, value);
                let target = self.assigned(&assign.left, "");
                self.expect(value, &target.ty);
                let assigned = self.push(ExprKind::Assign(target.place, value), Ty::Unit, loc);
                self.through(assigned, 0, target.loan);
                assigned
            }
            syn::Expr::Block(block) => match &block.label {
                Some(label) => self.labelled(label, &block.block, loc),
                None => self.block_expr(&block.block),
            },
            syn::Expr::Unsafe(unsafe_) => {
                let before = std::mem::replace(&mut self.context.is_unsafe, true);
                let (block, ty) = self.block(&unsafe_.block);
                self.context.is_unsafe = before;
                self.push(ExprKind::Unsafe(block), ty, loc)
            }
            syn::Expr::Const(block) => self.const_block(block, loc),
            syn::Expr::If(if_) => self.if_(if_, loc),
            syn::Expr::Loop(loop_) => {
                let id = self.begin_loop(&loop_.label, &loop_.attrs);
                let (body, ty) = self.block(&loop_.body);
                self.end_loop(&loop_.body, &body, &ty);
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
            syn::Expr::Try(try_) => self.try_(try_, loc),
            syn::Expr::Return(return_) => {
                let value = return_.expr.as_ref().map(|value| self.expr(value));
                self.return_(value, loc)
            }
            other => self.refuse_expr(other),
        }
    }

    /// The same expression under a wider place in the source.
    fn relocate(&mut self, id: ExprId, loc: Loc) -> ExprId {
        self.body.exprs[id].loc = loc;
        id
    }

    /// A macro, which a kernel cannot use.
    pub(super) fn macro_(&mut self, node: &'a dyn ToTokens, mac: &syn::Macro) -> ExprId {
        let name = mac.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        if matches!(self.find(&name), Some(Binding::Refused)) {
            let loc = self.loc(node);
            return self.error(loc);
        }
        if let Some(ours) = Macro::from_name(&name) {
            let loc = self.loc(node);
            let message = format!("the arguments of `{name}!` are not right");
            return self.refuse(Diag::new(Code::V204, loc, message).help(ours.usage()));
        }
        let help = foreign::macro_call(&name).unwrap_or("write its expansion, or write a helper with `#[device]`");
        self.unsupported(node, &format!("the macro `{name}!`"), Some(help))
    }

    /// Rust's expressions that a kernel cannot have.
    fn refuse_expr(&mut self, expr: &'a syn::Expr) -> ExprId {
        let (what, help) = match expr {
            syn::Expr::Async(_) | syn::Expr::Await(_) => ("`async`", None),
            syn::Expr::Closure(_) => ("a closure here", Some("give it a name with `let`, or to a helper")),
            syn::Expr::Infer(_) => ("`_`", None),
            syn::Expr::Let(let_) => {
                self.poison(&let_.pat);
                ("`let` here", Some("only the condition of an `if` or a `while` takes `let`, alone or between `&&`"))
            }
            syn::Expr::Range(_) => ("a range here", Some("ranges belong in `for i in start..end`")),
            syn::Expr::RawAddr(_) | syn::Expr::Reference(_) => {
                ("a reference here", Some("use the value itself, or give the reference a name: `let r = &x;`"))
            }
            syn::Expr::TryBlock(_) => ("a `try` block", None),
            syn::Expr::Yield(_) => ("`yield`", None),
            _ => ("this expression", None),
        };
        self.unsupported(expr, what, help)
    }

    /// The report of a `let` in a condition that is about what a kernel does not have, if it is one.
    pub(super) fn refused_let(&mut self, let_: &'a syn::ExprLet) -> Option<ExprId> {
        let variant = |path: &syn::Path| {
            if super::option::option_path(path).is_some() {
                return false;
            }
            let known = path.get_ident().and_then(|name| foreign::type_of_variant(&name.to_string()));
            let ours = || syntax::owner(path).is_some_and(|(owner, _)| self.named_type(&owner).is_some());
            known.is_some() || foreign::is_variant(path) && !ours()
        };
        let refused = match &*let_.pat {
            syn::Pat::TupleStruct(pat) => variant(&pat.path),
            syn::Pat::Path(pat) => variant(&pat.path),
            _ => false,
        };
        if !refused {
            return None;
        }
        self.poison(&let_.pat);
        if self.is_refused(&let_.expr) {
            let loc = self.loc(let_);
            return Some(self.error(loc));
        }
        let help = "compare values instead, as in `if a == 3`";
        Some(self.unsupported(let_, "a `Result` or such an enum", Some(help)))
    }

    /// Whether a name stands for a value that was refused where it was given.
    fn is_refused(&self, expr: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = peel(expr) else { return false };
        match syntax::name(&path.path).and_then(|name| self.find(&name)) {
            Some(Binding::Local(local)) => self.infer.resolve(&self.body.locals[*local].ty) == Ty::Error,
            Some(Binding::Refused) => true,
            _ => false,
        }
    }

    fn literal(&mut self, expr: &'a syn::ExprLit, loc: Loc) -> ExprId {
        match &expr.lit {
            syn::Lit::Bool(value) => self.push(ExprKind::Bits(u64::from(value.value)), Ty::Scalar(Scalar::Bool), loc),
            syn::Lit::Int(int) => {
                let Some(ty) = self.suffix(int.suffix(), VarKind::Int, loc) else { return self.error(loc) };
                if ty.scalar().is_some_and(Scalar::is_float) {
                    return self.push(ExprKind::Float(int.base10_digits().to_owned()), ty, loc);
                }
                match int.base10_parse::<u128>() {
                    Ok(value) => self.push(ExprKind::Int(value), ty, loc),
                    Err(_) => self.refuse(Diag::new(Code::V103, loc, "integer literal is too large")),
                }
            }
            syn::Lit::Float(float) => {
                let Some(ty) = self.suffix(float.suffix(), VarKind::Float, loc) else { return self.error(loc) };
                self.push(ExprKind::Float(float.base10_digits().to_owned()), ty, loc)
            }
            syn::Lit::Str(_) | syn::Lit::CStr(_) => {
                self.unsupported(expr, "a string", Some("pass the bytes of a text as a buffer, `&[u8]`"))
            }
            syn::Lit::ByteStr(bytes) => {
                let list: Vec<String> = bytes.value().iter().take(64).map(|byte| format!("{byte}u8")).collect();
                let dots = if bytes.value().len() > list.len() { ", …" } else { "" };
                self.unsupported(expr, "a byte string", Some(&format!("write an array: `[{}{dots}]`", list.join(", "))))
            }
            syn::Lit::Char(_) => {
                let help = format!("write its number: `{expr} as u32`", expr = expr.to_token_stream());
                self.unsupported(expr, "a `char`", Some(&help))
            }
            syn::Lit::Byte(byte) => self.push(ExprKind::Int(byte.value().into()), Ty::Scalar(Scalar::U8), loc),
            _ => self.unsupported(expr, "this literal", None),
        }
    }

    /// The type that a literal's suffix names.
    fn suffix(&mut self, suffix: &str, without: VarKind, loc: Loc) -> Option<Ty> {
        if suffix.is_empty() {
            return Some(self.infer.var(without));
        }
        let ty: syn::Type = syn::parse_str(suffix).ok()?;
        types::read(&ty, &names::NoNames).map_err(|refused| self.reporter.report(refused.at(loc))).ok()
    }

    fn path(&mut self, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        let own = path.path.get_ident().filter(|_| path.qself.is_none());
        let Some(ident) = own else { return self.associated_constant(path, loc) };
        let name = ident.unraw().to_string();
        if let Some(none) = self.none(&path.path, loc) {
            return none;
        }
        match self.find(&name) {
            Some(Binding::Local(id)) => {
                let id = *id;
                let ty = self.body.locals[id].ty.clone();
                self.push(ExprKind::Local(id), ty, loc)
            }
            Some(Binding::Memory(_) | Binding::Alias(_)) => match self.named_place(&name, Places::Loaded) {
                Some(target) => self.load(target, loc),
                None => self.error(loc),
            },
            Some(Binding::Closure(_) | Binding::Unknown(_)) => {
                let message = format!("the function `{name}` cannot be used as a value");
                let help = "call it, or pass it to a helper that takes a function";
                self.refuse(Diag::new(Code::V100, loc, message).help(help))
            }
            Some(Binding::Iterator(_)) => self.kept_as_value(loc),
            Some(Binding::Variant(..)) => match self.variant_named(&path.path, loc) {
                Some((ty, variant)) => self.variant_value(&ty, &variant, loc).unwrap_or_else(|| self.error(loc)),
                None => self.error(loc),
            },
            Some(Binding::Refused) => self.error(loc),
            None => match self.named_type(&path.path) {
                Some(Ok(Ty::Struct(def))) if def.is_marker() => {
                    let refused = types::no_value(&def.name);
                    self.refuse(refused.at(loc))
                }
                _ => self.outer_constant(path, loc),
            },
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, loc: Loc) -> ExprId {
        let diag = Diag::new(Code::V006, loc, format!("cannot find value `{name}` in this scope"));
        let seen = || "use a parameter, a variable of this function, or a constant".to_owned();
        self.refuse(diag.help(suggest::call_of(name).unwrap_or_else(seen)))
    }

    fn unary(&mut self, unary: &'a syn::ExprUnary, loc: Loc) -> ExprId {
        let op = match unary.op {
            syn::UnOp::Neg(_) => Op::Neg,
            syn::UnOp::Not(_) => Op::Not,
            _ => return self.deref(unary, loc),
        };
        let value = self.followed(&unary.expr, true);
        let ty = self.ty(value);
        let sign = if op == Op::Neg { "-" } else { "!" };
        let operator = operators::by_sign(sign, Form::Unary);
        if let Some(made) = operator.and_then(|operator| self.operator_of_types(operator, (value, None), loc)) {
            return made;
        }
        if let (Op::Neg, Ty::Matrix(..)) = (op, &ty) {
            return self.push(ExprKind::Matrix(MatrixOp::Neg, vec![value]), ty, loc);
        }
        if is_compound(&ty) {
            let message = format!("cannot apply unary `{sign}` to type `{}`", self.infer.show(&ty));
            let diag = Diag::new(Code::V021, loc, message);
            return self.refuse(match ty {
                Ty::Ids(_) => diag.help("pick an axis: `.x`, `.y` or `.z`"),
                Ty::Bf16 => diag.help(TO_FLOAT),
                _ => match operator.and_then(|operator| self.lacking_operator(operator, &ty, None)) {
                    Some(help) => diag.help(help),
                    None => diag,
                },
            });
        }
        self.push(ExprKind::Op(op, vec![value]), ty, loc)
    }

    /// `*reference`
    fn deref(&mut self, unary: &'a syn::ExprUnary, loc: Loc) -> ExprId {
        match self.place(&unary.expr, Places::All) {
            Some(target) if target.more > 0 => self.load(Target { more: target.more - 1, ..target }, loc),
            Some(target) if target.reference => self.load(Target { reference: false, ..target }, loc),
            Some(target) if target.ty == Ty::Error => self.error(loc),
            Some(target) => self.not_a_reference(&target.ty, loc),
            None => {
                let value = self.expr(&unary.expr);
                match self.ty(value) {
                    Ty::Error => value,
                    Ty::Reference(of) => self.push(ExprKind::Behind(value), *of, loc),
                    ty => self.not_a_reference(&ty, loc),
                }
            }
        }
    }

    fn binary(&mut self, binary: &'a syn::ExprBinary, loc: Loc) -> ExprId {
        use syn::BinOp as B;
        if let B::And(_) | B::Or(_) = binary.op {
            let (a, b) = (self.expr(&binary.left), self.expr(&binary.right));
            if let Some(refused) = self.bits_as_conditions(binary, (a, b), loc) {
                return refused;
            }
            self.expect(a, &Ty::Scalar(Scalar::Bool));
            self.expect(b, &Ty::Scalar(Scalar::Bool));
            let kind = if matches!(binary.op, B::And(_)) { ExprKind::And(a, b) } else { ExprKind::Or(a, b) };
            return self.push(kind, Ty::Scalar(Scalar::Bool), loc);
        }
        let spelling = binary.op.to_token_stream().to_string();
        if let Some(plain) = spelling.strip_suffix('=').filter(|s| !["=", "!", "<", ">"].contains(s)) {
            return self.compound(binary, plain, loc);
        }
        let Some(op) = Op::from_operator(&spelling, 2) else {
            return self.unsupported(&binary.op, "this operator", None);
        };
        let comparison = matches!(op.info().signature, Signature::Lanes(_, _, Part::Bool));
        // Two references are compared by what they refer to, one with a value is not, as in Rust.
        let follow = !comparison || self.is_number_behind(&binary.left) && self.is_number_behind(&binary.right);
        let (a, b) = (self.followed(&binary.left, follow), self.followed(&binary.right, follow));
        let operator = operators::by_sign(&spelling, Form::Binary);
        if let Some(made) = operator.and_then(|operator| self.operator_of_types(operator, (a, Some(b)), loc)) {
            return made;
        }
        if let Some(made) = self.matrix_operator(&spelling, (a, b), &binary.op, loc) {
            return made;
        }
        match self.operands(op, &spelling, (a, b), &binary.op) {
            Ok(ty) => {
                let compared = match (op, self.ty(a)) {
                    // Of vectors all lanes count.
                    (Op::Eq, Ty::Vector(_, lanes)) => Some((Op::All, lanes)),
                    (Op::Ne, Ty::Vector(_, lanes)) => Some((Op::Any, lanes)),
                    (Op::Eq | Op::Ne, Ty::Sum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Reference(_)) => {
                        return self.same_sums(op, (a, b), loc);
                    }
                    _ => None,
                };
                let Some((all, lanes)) = compared else { return self.push(ExprKind::Op(op, vec![a, b]), ty, loc) };
                let each = Ty::Vector(Box::new(ty.clone()), lanes);
                let each = self.push(ExprKind::Op(op, vec![a, b]), each, loc);
                self.push(ExprKind::Op(all, vec![each]), ty, loc)
            }
            Err(ty) => self.push(ExprKind::Error, ty, loc),
        }
    }

    /// Whether an expression names a reference to a number.
    fn is_number_behind(&self, expr: &'a syn::Expr) -> bool {
        let syn::Expr::Path(path) = peel(expr) else { return false };
        let target = syntax::name(&path.path).and_then(|name| self.named_place(&name, Places::Loaded));
        target.is_some_and(|target| {
            let number = matches!(self.infer.resolve(&target.ty), Ty::Scalar(_) | Ty::Usize | Ty::Var(_));
            target.reference && target.more == 0 && number
        })
    }

    /// An operand; what it refers to if it is a reference to a number that may be `follow`ed.
    fn followed(&mut self, expr: &'a syn::Expr, follow: bool) -> ExprId {
        let target = match peel(expr) {
            syn::Expr::Path(path) if follow && self.is_number_behind(expr) => {
                syntax::name(&path.path).and_then(|name| self.named_place(&name, Places::Loaded))
            }
            _ => None,
        };
        match target {
            Some(target) => {
                let loc = self.loc(expr);
                self.load(Target { reference: false, ..target }, loc)
            }
            None => self.expr(expr),
        }
    }

    /// Refuses `a && b` of two integers, which is one mistake.
    fn bits_as_conditions(
        &mut self,
        binary: &'a syn::ExprBinary,
        (a, b): (ExprId, ExprId),
        loc: Loc,
    ) -> Option<ExprId> {
        let (left, right) = (self.ty(a), self.ty(b));
        let integer = |ty: &Ty| matches!(ty, Ty::Usize) || ty.scalar().is_some_and(Scalar::is_int);
        if !integer(&left) || !integer(&right) {
            return None;
        }
        let spelling = binary.op.to_token_stream().to_string();
        let message = format!("`{spelling}` needs `bool`s, but these are `{left}` and `{right}`");
        let tested = |expr: &syn::Expr| match peel(expr) {
            simple @ (syn::Expr::Path(_) | syn::Expr::Index(_) | syn::Expr::Field(_) | syn::Expr::MethodCall(_)) => {
                format!("{} != 0", spell::expression(simple))
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Not(_), expr, .. }) => {
                format!("{} == 0", spell::expression(expr))
            }
            other => format!("({}) != 0", spell::expression(other)),
        };
        let help = format!("compare them: `{} {spelling} {}`", tested(&binary.left), tested(&binary.right));
        self.reporter.report(Diag::new(Code::V200, loc, message).help(help));
        Some(self.error(loc))
    }

    /// Makes the operands' types fit each other and gives the result's type, as an error
    /// if they do not fit and that was reported.
    fn operands(&mut self, op: Op, spelling: &str, (a, b): (ExprId, ExprId), at: &'a syn::BinOp) -> Result<Ty, Ty> {
        let (left, right) = (self.ty(a), self.ty(b));
        if let Signature::Lanes(_, [_, Part::U32], _) = op.info().signature {
            let count = right == Ty::Usize
                || matches!(right, Ty::Error | Ty::Never)
                || self.infer.kind(&right) == Some(VarKind::Int)
                || right.scalar().is_some_and(Scalar::is_int);
            if !count {
                let message = format!("cannot shift by a count of type `{}`", self.infer.show(&right));
                self.reporter.refuse(at, Refused::new(Code::V021, message).help("the count must be an integer"));
                return Err(left);
            }
            return if is_compound(&left) { Err(self.no_operator(spelling, (&left, &right), at)) } else { Ok(left) };
        }
        let comparison = matches!(op.info().signature, Signature::Lanes(_, _, Part::Bool));
        let assigns = at.to_token_stream().to_string() != spelling;
        // A scalar place cannot take the vector that the result would be.
        let fits = !assigns || matches!(left, Ty::Vector(..));
        if fits && let Some(ty) = self.scaled(op, (a, b), (&left, &right)) {
            return Ok(ty);
        }
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
            // The place of an assignment keeps its type.
            let wider = if assigns { self.float_as_integer(b, &left, &right) } else { self.widening(&left, &right) };
            let own = self.operator_at(spelling, assigns);
            let own = own.and_then(|operator| self.lacking_operator(operator, &left, Some(&right)));
            let other = || wider.or_else(|| self.conversion(&left, &right)).or_else(|| self.conversion(&right, &left));
            diag.help = own.or_else(other);
            self.reporter.report(diag);
            return Err(if comparison { Ty::Scalar(Scalar::Bool) } else { Ty::Error });
        }
        let both = self.infer.resolve(&left);
        // What was refused may have had an operator that gives another type.
        if right == Ty::Error && !comparison && !assigns {
            return Err(Ty::Error);
        }
        if !comparison {
            return if is_compound(&both) { Err(self.no_operator(spelling, (&both, &both), at)) } else { Ok(both) };
        }
        if matches!(both, Ty::Enum(_)) && matches!(op, Op::Eq | Op::Ne) {
            self.compared(&both, at);
            return Ok(Ty::Scalar(Scalar::Bool));
        }
        let ordered = !matches!(op, Op::Eq | Op::Ne);
        if matches!(both, Ty::Sum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Reference(_))
            && !ordered
            && super::option::is_comparable(&both)
        {
            self.compared(&both, at);
            return Ok(Ty::Scalar(Scalar::Bool));
        }
        if matches!(both, Ty::Vector(..)) && ordered || is_compound(&both) {
            let message = match both {
                Ty::Vector(..) => format!("cannot order values of type `{}`", self.infer.show(&left)),
                _ => format!("cannot compare values of type `{}`", self.infer.show(&left)),
            };
            let lanes = VectorMethod::ALL.iter().find(|method| method.comparison() == Some(op));
            let help = match (&both, lanes) {
                (Ty::Vector(_, lanes), Some(method)) => {
                    format!("compare lane by lane: `a.{}(b)` is a `Vec{lanes}<bool>`, which has `all()`", method.name())
                }
                (Ty::Enum(_), _) => "compare their numbers, as in `a as u32`".to_owned(),
                (Ty::Bf16, _) => TO_FLOAT.to_owned(),
                (Ty::Sum(_), _) => "compare what they hold, after a `match`".to_owned(),
                _ if ordered => "compare part by part: `a.x < b.x || a.x == b.x && a.y < b.y`".to_owned(),
                _ => "compare part by part: `a.x == b.x && …`".to_owned(),
            };
            self.reporter.refuse(at, Refused::new(Code::V021, message).help(help));
            return Err(Ty::Scalar(Scalar::Bool));
        }
        Ok(Ty::Scalar(Scalar::Bool))
    }

    /// The operator of this spelling, or the one that assigns by it.
    fn operator_at(&self, spelling: &str, assigns: bool) -> Option<&'static Operator> {
        match assigns {
            true => operators::by_sign(&format!("{spelling}="), Form::Assign),
            false => operators::by_sign(spelling, Form::Binary),
        }
    }

    /// Reports an operator between values that are neither numbers nor vectors.
    fn no_operator(&mut self, spelling: &str, (ty, right): (&Ty, &Ty), at: &'a syn::BinOp) -> Ty {
        let assigns = at.to_token_stream().to_string() != spelling;
        let own = self.operator_at(spelling, assigns);
        let own = own.and_then(|operator| self.lacking_operator(operator, ty, Some(right)));
        let help = match ty {
            Ty::Struct(_) | Ty::Enum(_) => {
                own.as_deref().unwrap_or("operators are for numbers and vectors: write a method")
            }
            Ty::Sum(_) if own.is_some() => own.as_deref().unwrap_or_default(),
            Ty::Ids(_) => "pick an axis: `.x`, `.y` or `.z`",
            Ty::Bf16 => TO_FLOAT,
            _ => "apply it part by part",
        };
        let sign = at.to_token_stream();
        let message = format!("`{sign}` is not available for `{}`", self.infer.show(ty));
        self.reporter.refuse(at, Refused::new(Code::V021, message).help(help));
        Ty::Error
    }

    /// A vector and a scalar under `*`, `/`, `+` or `-`: the scalar stands for a vector of it.
    fn scaled(&mut self, op: Op, (a, b): (ExprId, ExprId), (left, right): (&Ty, &Ty)) -> Option<Ty> {
        if !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Div) {
            return None;
        }
        let (vector, scalar, id) = match (left, right) {
            (Ty::Vector(s, n), other @ (Ty::Scalar(_) | Ty::Var(_))) => (Ty::Vector(s.clone(), *n), other, b),
            (other @ (Ty::Scalar(_) | Ty::Var(_)), Ty::Vector(s, n)) => (Ty::Vector(s.clone(), *n), other, a),
            _ => return None,
        };
        let Ty::Vector(lane, _) = &vector else { return None };
        if !self.infer.unify(scalar, lane) {
            return None;
        }
        // The expression takes the place of the scalar, which moves to one of its own.
        let loc = self.body.exprs[id].loc;
        let kind = std::mem::replace(&mut self.body.exprs[id].kind, ExprKind::Error);
        let moved = self.push(kind, (**lane).clone(), loc);
        self.body.exprs[id].kind = ExprKind::Splat(moved);
        self.body.exprs[id].ty = vector.clone();
        Some(vector)
    }

    /// `place op= value`
    fn compound(&mut self, binary: &'a syn::ExprBinary, spelling: &str, loc: Loc) -> ExprId {
        let borrow = self.borrow_of_operator(binary, spelling, loc);
        let right = self.body.exprs.len();
        let value = self.followed(&binary.right, true);
        let left = self.body.exprs.len();
        let target = self.assigned(&binary.left, spelling);
        let behind = self.body.exprs.len();
        let Some(op) = Op::from_operator(spelling, 2) else {
            return self.unsupported(&binary.op, "this operator", None);
        };
        let sign = format!("{spelling}=");
        let operator = operators::by_sign(&sign, Form::Assign);
        if let Some(made) =
            operator.and_then(|operator| self.assignment_of_types(operator, (&target, value), borrow, loc))
        {
            return made;
        }
        if let Ty::Matrix(..) = self.infer.resolve(&target.ty) {
            return self.matrix_assignment(target, (spelling, value), borrow, &binary.op, loc);
        }
        let operand = self.push(ExprKind::Error, target.ty.clone(), loc);
        match self.operands(op, spelling, (operand, value), &binary.op) {
            Ok(_) => {
                let ty = self.infer.resolve(&target.ty);
                let of_parameter = self.context.own.types.iter().any(|(_, own)| self.infer.resolve(own) == ty);
                // For a type parameter Rust finds the place first, and which of the two it is cannot be told here.
                if of_parameter && self.order_shows((right..left, left..behind)) {
                    let message = "in generic code this assignment depends on which of its sides comes first";
                    let help = "give the index, or what is on the right, a name with `let` before";
                    return self.refuse(Diag::new(Code::V100, loc, message).help(help));
                }
                let mut stmts = Vec::new();
                // Rust finds the place first, unless both are numbers.
                let target = match self.infer.resolve(&target.ty) {
                    Ty::Vector(..) => self.borrowed_by_operator(borrow, target, loc, &mut stmts),
                    _ if of_parameter && borrow.is_some() => self.borrowed_by_operator(borrow, target, loc, &mut stmts),
                    _ => target,
                };
                let assigned = self.push(ExprKind::AssignOp(op, target.place, value), Ty::Unit, loc);
                self.through(assigned, 0, target.loan);
                self.after(stmts, assigned, loc)
            }
            Err(_) => self.push(ExprKind::Error, Ty::Unit, loc),
        }
    }

    fn cast(&mut self, cast: &'a syn::ExprCast, loc: Loc) -> ExprId {
        if let syn::Expr::Path(path) = peel(&cast.expr)
            && self.is_outer(path)
        {
            // rustc knows the constant's own type and makes the cast.
            let ty = self.read_type(&cast.ty);
            return self.cast_outer(path, ty, loc);
        }
        if let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Char(char), .. }) = peel(&cast.expr) {
            return self.char_as(char, cast, loc);
        }
        let value = self.expr(&cast.expr);
        // The type of `x as _` follows from its use.
        let read = match syntax::peel_type(&cast.ty) {
            syn::Type::Infer(_) => Ok(self.infer.var(VarKind::General)),
            _ => types::read(&cast.ty, self),
        };
        let read = read.map(|ty| self.infer.resolve(&ty));
        if let Ok(ty) = &read {
            self.literal_as(value, &cast.expr, ty);
        }
        // What has the type already stays what it is, whatever that is.
        let own = self.infer.resolve(&self.ty(value));
        if let (Ok(ty), false) = (&read, matches!(own, Ty::Var(_) | Ty::Error | Ty::Never))
            && matches!(ty, Ty::Vector(..) | Ty::Array(..) | Ty::Tuple(_) | Ty::Struct(_) | Ty::Enum(_) | Ty::Unit)
            && std::mem::discriminant(ty) == std::mem::discriminant(&own)
            && self.infer.unify(&own, ty)
        {
            self.written(&cast.ty, ty);
            return self.relocate(value, loc);
        }
        match read {
            Ok(Ty::Bf16) if own != Ty::Error => {
                let message = format!("cannot cast `{}` to `bf16`", self.infer.show(&own));
                self.refuse(Diag::new(Code::V012, loc, message).help("write `bf16::from_f32(…)`"))
            }
            Ok(ty @ Ty::Enum(_)) => {
                let message = format!("cannot cast `{}` to `{ty}`", self.infer.show(&own));
                let help = "match the number: `match n { 1 => …, _ => … }`";
                self.refuse(Diag::new(Code::V012, loc, message).help(help))
            }
            // The number of a variant.
            Ok(ty) if matches!(own, Ty::Enum(_)) && (ty == Ty::Usize || ty.scalar().is_some_and(Scalar::is_int)) => {
                self.written(&cast.ty, &ty);
                self.push(ExprKind::Op(Op::Cast, vec![value]), ty, loc)
            }
            Ok(ty) if ty.value().is_some() && is_compound(&self.ty(value)) => {
                let from = self.ty(value);
                let message = format!("cannot cast `{}` to `{ty}`", self.infer.show(&from));
                let help = match from {
                    Ty::Enum(_) => "cast it to an integer first",
                    Ty::Bf16 => TO_FLOAT,
                    Ty::Sum(_) => "match it, and cast what it holds",
                    _ => "cast one of its numbers instead",
                };
                self.refuse(Diag::new(Code::V012, loc, message).help(help))
            }
            // The type parameter of a helper is perhaps decided only by what follows.
            Ok(ty) if ty.value().is_some() || matches!(ty, Ty::Var(_)) => {
                self.written(&cast.ty, &ty);
                self.push(ExprKind::Op(Op::Cast, vec![value]), ty, loc)
            }
            Ok(Ty::Error) => self.error(loc),
            Ok(other) => {
                let loc = self.loc(&*cast.ty);
                self.refuse(Diag::new(Code::V012, loc, format!("cannot cast to `{other}`")))
            }
            Err(refused) => {
                self.reporter.refuse(&*cast.ty, refused);
                self.error(loc)
            }
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// `'a' as u32`: the number of a character, of which a narrower type keeps the low bits.
    fn char_as(&mut self, char: &'a syn::LitChar, cast: &'a syn::ExprCast, loc: Loc) -> ExprId {
        let ty = self.read_type(&cast.ty);
        match ty.scalar().filter(|scalar| scalar.is_int()) {
            Some(scalar) => {
                let bits = u64::from(u32::from(char.value())) & scalar.mask();
                self.push(ExprKind::Bits(bits), ty, loc)
            }
            None if ty == Ty::Error => self.error(loc),
            None => {
                let message = format!("cannot cast `char` to `{ty}`");
                self.refuse(Diag::new(Code::V012, loc, message).help("cast it to an integer, such as `u32`"))
            }
        }
    }

    /// A literal under a cast, whose type is that of the cast where it can be, as in Rust; a float that
    /// becomes an integer is an `f64`, whose value is known here.
    fn literal_as(&mut self, value: ExprId, expr: &'a syn::Expr, ty: &Ty) {
        let number = match self.infer.kind(&self.ty(value)) {
            Some(kind @ (VarKind::Int | VarKind::Float)) if is_literal(expr) => kind,
            _ => return,
        };
        let Some(to) = ty.scalar() else { return };
        let from = self.ty(value);
        match number {
            VarKind::Int if to.is_int() => _ = self.infer.unify(&from, ty),
            VarKind::Float if to.is_float() => _ = self.infer.unify(&from, ty),
            VarKind::Float if to.is_int() => {
                let Some(number) = float_of(expr) else { return };
                let f64 = Type::Scalar(Scalar::F64);
                let bits = scalar::cast(f64, Type::Scalar(to), [number.to_bits(), 0, 0, 0]).map_or(0, |lanes| lanes[0]);
                // The literal and its signs are no floats any more.
                let mut at = Some(value);
                while let Some(id) = at {
                    self.body.exprs[id].ty = ty.clone();
                    at = match std::mem::replace(&mut self.body.exprs[id].kind, ExprKind::Bits(bits)) {
                        ExprKind::Op(_, args) => args.first().copied(),
                        _ => None,
                    };
                }
            }
            _ => {}
        }
    }
}

/// Whether an expression is a literal, with signs and parentheses around it.
fn is_literal(expr: &syn::Expr) -> bool {
    match peel(expr) {
        syn::Expr::Lit(_) => true,
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_) | syn::UnOp::Not(_), expr, .. }) => is_literal(expr),
        _ => false,
    }
}

/// The value of a float literal, with signs and parentheses around it.
fn float_of(expr: &syn::Expr) -> Option<f64> {
    match peel(expr) {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(float), .. }) => float.base10_digits().parse().ok(),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => float_of(expr).map(|value| -value),
        _ => None,
    }
}

/// Whether a type has no operators.
fn is_compound(ty: &Ty) -> bool {
    match ty {
        Ty::Struct(_) | Ty::Enum(_) | Ty::Sum(_) | Ty::Tuple(_) | Ty::Array(..) | Ty::Unit | Ty::Bf16 => true,
        Ty::Slice(_) | Ty::Reference(_) | Ty::Atomic(_) | Ty::Ids(_) | Ty::Matrix(..) => true,
        Ty::Scalar(_) | Ty::Usize | Ty::Vector(..) | Ty::Var(_) | Ty::Error | Ty::Never => false,
    }
}
