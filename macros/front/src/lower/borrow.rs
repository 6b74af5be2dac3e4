//! Arguments of helpers: values, references to places, and functions.
//!
//! A reference stands for the place that it was made from. The indices of that place are
//! evaluated once, where the reference is made.

use super::captured::Named;
use super::inline::Closure;
use super::iterate::Given;
use super::place::{BORROW, Places, Target};
use super::{Binding, Hold, Lowerer};
use crate::generics::Takes;
use crate::hir::{Borrowed, ExprId, ExprKind, Lane, Place, Step, Stmt};
use crate::infer::{Ty, VarKind};
use crate::report::Refused;
use crate::syntax::{self, peel};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use std::collections::BTreeSet;
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};

/// What is passed to a helper.
pub(super) enum Passed<'a> {
    /// A value.
    Value(ExprId),
    /// A reference.
    Reference(Borrow),
    /// A function.
    Function(Binding<'a>),
    /// An item of an iterator.
    Item(Given),
    /// Something that was refused.
    Refused,
}

/// A reference as an argument.
#[derive(Clone)]
pub(super) struct Borrow {
    /// What it refers to.
    pub target: Target,
    /// Whether it may be changed.
    pub mutable: bool,
    pub loc: Loc,
}

impl<'a> Lowerer<'a, '_> {
    /// An argument, as its parameter takes it. What references to temporary values refer to
    /// is added to the statements.
    pub(super) fn passed(&mut self, arg: &'a syn::Expr, takes: Takes<'a>, stmts: &mut Vec<Stmt>) -> Passed<'a> {
        match takes {
            Takes::Value(_) => {
                if let syn::Expr::Reference(reference) = peel(arg) {
                    self.given_up(&reference.expr);
                    let written = if reference.mutability.is_some() { "&mut" } else { "&" };
                    let refused = Refused::new(Code::V200, "this parameter takes a value, not a reference");
                    self.reporter.refuse(arg, refused.help(format!("remove the `{written}`")));
                    return Passed::Refused;
                }
                if self.is_function(arg) {
                    return self.no_function(arg);
                }
                Passed::Value(self.expr(arg))
            }
            Takes::Function(signature, _) => self.passed_function(arg, signature.inputs.len(), stmts),
            Takes::Reference(_) if self.is_function(arg) => self.no_function(arg),
            Takes::Reference(parameter) => self.passed_reference(arg, parameter.mutability.is_some(), stmts),
        }
    }

    /// Whether an argument is a closure, or the name of one.
    pub(super) fn is_function(&self, arg: &'a syn::Expr) -> bool {
        match peel(arg) {
            syn::Expr::Closure(_) => true,
            syn::Expr::Path(path) => syntax::name(&path.path)
                .is_some_and(|name| matches!(self.find(&name), Some(Binding::Closure(_) | Binding::Unknown(_)))),
            _ => false,
        }
    }

    fn no_function(&mut self, arg: &'a syn::Expr) -> Passed<'a> {
        let refused = Refused::new(Code::V200, "this parameter takes a value, not a function");
        self.reporter.refuse(arg, refused.help("call the function and pass its result"));
        Passed::Refused
    }

    /// The value of an argument that was refused as such: what is wrong in it is still reported, but
    /// not that nothing decides its type, which the parameter would have done.
    pub(super) fn given_up(&mut self, arg: &'a syn::Expr) {
        let ty = match self.place(arg, Places::All) {
            Some(target) => target.ty,
            None => {
                let value = self.expr(arg);
                self.ty(value)
            }
        };
        self.infer.give_up(&ty);
    }

    pub(super) fn passed_function(&mut self, arg: &'a syn::Expr, arity: usize, stmts: &mut Vec<Stmt>) -> Passed<'a> {
        let inner = match peel(arg) {
            syn::Expr::Reference(reference) => peel(&reference.expr),
            other => other,
        };
        match inner {
            syn::Expr::Closure(closure) => {
                let function = self.closure(closure, None, stmts);
                self.of_arity(function, arg, arity)
            }
            syn::Expr::Path(path) => {
                let name = syntax::name(&path.path);
                match name.as_deref().and_then(|name| self.find(name)) {
                    Some(Binding::Closure(closure)) if closure.changes_copies() => {
                        closure.state.called.set(true);
                        let args = ["", "x", "x, y"].get(closure.arity()).copied().unwrap_or("…");
                        // To pass it is to copy it, with what it has made of its variables so far.
                        let message = "a `move` closure that changes its copies cannot be passed by its name";
                        let shown = syntax::spelled_path(&path.path);
                        let help = format!("pass a closure that calls it: `|{args}| {shown}({args})`");
                        self.reporter.refuse(arg, Refused::new(Code::V100, message).help(help));
                        Passed::Refused
                    }
                    Some(binding @ (Binding::Closure(_) | Binding::Unknown(_))) => {
                        let mut function = binding.clone();
                        if let Binding::Unknown(own) = &function {
                            let (own, loc) = (Rc::clone(own), self.loc(arg));
                            self.used_once(&own, loc, stmts);
                            // From here on the helper's own parameter says what it may do.
                            function = Binding::Unknown(Rc::new(own.given_away()));
                        }
                        self.of_arity(function, arg, arity)
                    }
                    Some(Binding::Refused) => Passed::Refused,
                    Some(_) => self.expected_function(arg, arity),
                    None => {
                        match self.closure_of_name(path, arity) {
                            Some(Ok(closure)) => {
                                let function = self.closure(closure, None, stmts);
                                return self.of_arity(function, arg, arity);
                            }
                            Some(Err(refused)) => {
                                self.reporter.refuse(arg, refused);
                                return Passed::Refused;
                            }
                            None => {}
                        }
                        let (shown, inputs) = (syntax::spelled_path(&path.path), inputs(arity));
                        let refused = Refused::new(Code::V200, "this parameter takes a function: write a closure");
                        self.reporter.refuse(arg, refused.help(format!("write `|{inputs}| {shown}({inputs})`")));
                        Passed::Refused
                    }
                }
            }
            _ => self.expected_function(arg, arity),
        }
    }

    fn expected_function(&mut self, arg: &'a syn::Expr, arity: usize) -> Passed<'a> {
        self.given_up(arg);
        let refused = Refused::new(Code::V200, "this parameter takes a function, not a value");
        self.reporter.refuse(arg, refused.help(format!("write a closure: `|{}| …`", inputs(arity))));
        Passed::Refused
    }

    /// A function argument, if it takes as many arguments as its parameter gives it.
    fn of_arity(&mut self, function: Binding<'a>, arg: &'a syn::Expr, arity: usize) -> Passed<'a> {
        let takes = match &function {
            Binding::Closure(closure) => {
                closure.state.called.set(closure.state.called.get() || closure.arity() != arity);
                closure.arity()
            }
            Binding::Unknown(function) => function.takes.len(),
            _ => return Passed::Refused,
        };
        if takes == arity {
            return Passed::Function(function);
        }
        let message = format!("this function takes {}, but is given {arity}", count(takes, "argument"));
        let help = format!("write `|{}| …`", inputs(arity));
        self.reporter.refuse(arg, Refused::new(Code::V204, message).help(help));
        Passed::Refused
    }

    pub(super) fn passed_reference(&mut self, arg: &'a syn::Expr, mutable: bool, stmts: &mut Vec<Stmt>) -> Passed<'a> {
        let loc = self.loc(arg);
        let (inner, written) = match peel(arg) {
            syn::Expr::Reference(reference) => (&*reference.expr, Some(reference.mutability.is_some())),
            other => (other, None),
        };
        let Some(target) = self.place(inner, Places::All) else {
            let value = self.expr(inner);
            let ty = self.ty(value);
            if ty == Ty::Error {
                return Passed::Refused;
            }
            if self.infer.kind(&ty) == Some(VarKind::General) {
                self.unknown_type(inner, &ty, loc);
                return Passed::Refused;
            }
            if written.is_none() || written == Some(false) && mutable {
                return self.expected_reference(&ty, written.is_some(), mutable, loc);
            }
            // A value that nobody else sees, which lives as long as the call.
            let target = self.temporary(value, stmts);
            return self.lend(target, mutable, loc, stmts);
        };
        let ty = self.infer.resolve(&target.ty);
        if ty == Ty::Error {
            return Passed::Refused;
        }
        match written {
            None if !target.reference => {
                let ty = target.seen(ty);
                return self.expected_reference(&ty, false, mutable, loc);
            }
            Some(false) if mutable => return self.expected_reference(&ty, true, mutable, loc),
            // `&` of a reference is followed to what that refers to; for `&mut` the name would have to be `mut`.
            Some(true) if target.reference => {
                let shown = inner.to_token_stream().to_string();
                let message = format!("cannot borrow `{shown}` as mutable: it is already a reference");
                let diag = Diag::new(Code::V008, loc, message);
                self.reporter.report(diag.help(format!("pass it without `&mut`: `{shown}`")));
                return Passed::Refused;
            }
            _ => {}
        }
        let target = if mutable { self.storable(target, BORROW, loc) } else { target };
        self.lend(Some(target), mutable, loc, stmts)
    }

    /// A place as an argument, unless it was refused.
    pub(super) fn lend(
        &mut self,
        target: Option<Target>,
        mutable: bool,
        loc: Loc,
        stmts: &mut Vec<Stmt>,
    ) -> Passed<'a> {
        let Some(target) = target.filter(|target| target.ty != Ty::Error) else { return Passed::Refused };
        if let Some(variable) = self.deferred_at(&target.place) {
            stmts.push(Stmt::Used(variable, loc));
        }
        if self.loaned(&target, mutable && !matches!(target.ty.innermost(), Ty::Atomic(_)), loc) {
            return Passed::Refused;
        }
        let target = self.frozen(target, stmts);
        if !self.body.loans.is_empty() {
            let (place, through) = (target.place.clone(), target.loan);
            stmts.push(Stmt::Borrow(Borrowed { place, mutable, through, made: None, loc }));
        }
        Passed::Reference(Borrow { target, mutable, loc })
    }

    /// The report that an argument is not a reference, or, if it is `written` as one, that nothing
    /// may be changed through it.
    fn expected_reference(&mut self, ty: &Ty, written: bool, mutable: bool, loc: Loc) -> Passed<'a> {
        let shown = self.infer.show(ty);
        let (expected, found, help) = match (written, mutable) {
            (true, _) => ("`&mut`", "&", "write `&mut` instead of `&`"),
            (false, true) => ("a `&mut` reference", &*shown, "write `&mut` before it"),
            (false, false) => ("a reference", &*shown, "write `&` before it"),
        };
        let message = format!("mismatched types: expected {expected}, found `{found}`");
        self.reporter.report(Diag::new(Code::V200, loc, message).help(help));
        self.infer.give_up(ty);
        Passed::Refused
    }

    /// A value as a place of its own.
    pub(super) fn temporary(&mut self, value: ExprId, stmts: &mut Vec<Stmt>) -> Option<Target> {
        let (loc, ty) = (self.body.exprs[value].loc, self.ty(value));
        let name = if ty.has_array() { self.shown(loc) } else { "temporary".to_owned() };
        match self.declare_as(&name, true, value, loc, stmts) {
            Binding::Local(local) => Some(Target::local(local, ty, true)),
            Binding::Memory(memory) => Some(Target::of(&memory)),
            _ => None,
        }
    }

    /// What stands at a location, as the name of memory in messages: all of it if it is short.
    /// Of a constant it is its name, and not its value that stands elsewhere.
    pub(super) fn shown(&self, loc: Loc) -> String {
        /// Characters of a name.
        const MOST: usize = 24;
        let loc = self.reporter.spans.seen_from_here(loc);
        let text = self.reporter.spans.tokens(loc).to_string().replace(' ', "");
        match text.char_indices().nth(MOST) {
            None => text,
            Some((end, _)) => format!("{}…", &text[..end]),
        }
    }

    /// Lowers arguments in order; those of parameters without a type are values.
    pub(super) fn pass_all(
        &mut self,
        args: impl IntoIterator<Item = &'a syn::Expr>,
        takes: impl Iterator<Item = Option<Takes<'a>>>,
        passed: &mut Vec<Passed<'a>>,
        stmts: &mut Vec<Stmt>,
    ) {
        let args: Vec<&'a syn::Expr> = args.into_iter().collect();
        for (i, (&arg, takes)) in args.iter().zip(takes).enumerate() {
            let mut own = Vec::new();
            let arg = match takes {
                Some(takes) => {
                    let given = self.passed(arg, takes, &mut own);
                    self.borrowed_by_call(given, (arg, false), &args[i + 1..], &mut own)
                }
                None => Passed::Value(self.expr(arg)),
            };
            self.in_order(passed, own, stmts);
            passed.push(arg);
        }
    }

    /// Adds what an argument does first to the statements, after the values of those before it.
    fn in_order(&mut self, before: &mut [Passed<'a>], own: Vec<Stmt>, stmts: &mut Vec<Stmt>) {
        if own.iter().all(|stmt| matches!(stmt, Stmt::Borrow(_) | Stmt::Used(..) | Stmt::Called(..))) {
            stmts.extend(own);
            return;
        }
        for passed in before {
            let Passed::Value(value) = passed else { continue };
            let loc = self.body.exprs[*value].loc;
            if !self.is_fixed(*value)
                && let Some(target) = self.temporary(*value, stmts)
            {
                *value = self.load(target, loc);
            }
        }
        stmts.extend(own);
    }

    /// Whether a value is the same whenever it is evaluated.
    pub(super) fn is_fixed(&self, value: ExprId) -> bool {
        match &self.body.exprs[value].kind {
            ExprKind::Error | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bits(_) => true,
            ExprKind::Builtin(_) | ExprKind::ArrayLen(_) | ExprKind::Len(_) => true,
            ExprKind::Local(local) => !self.body.locals[*local].mutable,
            _ => false,
        }
    }

    /// A place whose indices are values that do not change.
    pub(super) fn frozen(&mut self, mut target: Target, stmts: &mut Vec<Stmt>) -> Target {
        let indices: Vec<&mut ExprId> = match &mut target.place {
            Place::Memory { path, .. } => {
                let steps = path.iter_mut();
                let indices = steps.filter_map(|step| match step {
                    Step::Index(index, _) | Step::Slice { begin: index, .. } => Some(index),
                    Step::Field(..) => None,
                });
                indices.collect()
            }
            Place::Local { lane: Some(lane), .. } => lane.indices_mut(),
            _ => return target,
        };
        for index in indices {
            if self.is_fixed(*index) {
                continue;
            }
            let loc = self.body.exprs[*index].loc;
            let local = self.variable("index", Ty::Usize, false, loc);
            stmts.push(Stmt::Let(local, *index));
            *index = self.body.exprs.push(crate::hir::Expr { kind: ExprKind::Local(local), ty: Ty::Usize, loc });
        }
        target
    }

    /// What a reference parameter of a type stands for in the body of the helper.
    pub(super) fn lent(&mut self, borrow: Borrow, parameter: &Ty, helper: &str) -> Binding<'a> {
        let Borrow { target, mutable, loc } = &borrow;
        let found = target.seen(self.infer.resolve(&target.ty));
        if !self.refers_to(&found, parameter) {
            let reference = if *mutable { "&mut " } else { "&" };
            let (e, f) = (self.infer.show(parameter), self.infer.show(&found));
            let message = format!("mismatched types: `{helper}` expects `{reference}{e}`, found `{reference}{f}`");
            self.reporter.report(Diag::new(Code::V200, *loc, message));
            return Binding::Refused;
        }
        let ty = self.infer.resolve(&target.ty);
        self.reference_to(borrow, ty, matches!(parameter, Ty::Slice(_)))
    }

    /// Whether a reference to what is seen as one type may be one to another.
    pub(super) fn refers_to(&mut self, found: &Ty, wanted: &Ty) -> bool {
        match (wanted, found) {
            (Ty::Slice(element), Ty::Slice(of) | Ty::Array(of, _)) => self.infer.unify(of, element),
            (wanted, found) => self.infer.unify(found, wanted),
        }
    }

    /// What a name stands for that is a reference to a place, seen as a slice or not.
    pub(super) fn reference_to(&mut self, borrow: Borrow, ty: Ty, slice: bool) -> Binding<'a> {
        let Borrow { target, mutable, loc } = borrow;
        match target.memory {
            Some(memory) => {
                let path = match target.place {
                    Place::Memory { path, lane: None, .. } => path,
                    _ => return self.no_lane(loc),
                };
                let hold = Hold::Lent { mutable: mutable && memory.access != Access::Read };
                Binding::Memory(super::Memory { path, ty, hold, slice, ..memory })
            }
            None => {
                let (place, loan) = (target.place, target.loan);
                Binding::Alias(Rc::new(Target { place, ty, reference: true, mutable, loan, ..Target::REFUSED }))
            }
        }
    }

    fn no_lane(&mut self, loc: Loc) -> Binding<'a> {
        let message = "a lane of a vector in memory cannot be borrowed";
        self.reporter.report(Diag::new(Code::V100, loc, message).help("copy it to a variable and store it afterwards"));
        Binding::Refused
    }

    /// Reports a place that is borrowed twice if one borrow is mutable, as Rust does.
    pub(super) fn disjoint(&mut self, passed: &[Passed<'a>]) {
        let borrows: Vec<&Borrow> = passed
            .iter()
            .filter_map(|passed| if let Passed::Reference(borrow) = passed { Some(borrow) } else { None })
            .collect();
        for (i, second) in borrows.iter().enumerate() {
            for first in &borrows[..i] {
                let atomic = first.target.memory.as_ref().is_some_and(|memory| memory.access == Access::Atomic);
                if (first.mutable || second.mutable) && !atomic && overlap(&first.target.place, &second.target.place) {
                    let message = "cannot borrow this place twice, since one of the two may change it";
                    let diag = Diag::new(Code::V206, second.loc, message).label(first.loc, "the first borrow is here");
                    self.reporter.report(diag.help("pass a copy, or another place"));
                }
            }
        }
    }

    /// A closure, with the names that it sees. The copies that a `move` makes are added to the
    /// statements.
    pub(super) fn closure(
        &mut self,
        syntax: &'a syn::ExprClosure,
        named: Option<Named>,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        for attr in &syntax.attrs {
            self.unsupported(attr, "this attribute", None);
        }
        if let Some(token) = &syntax.asyncness {
            self.unsupported(token, "`async`", None);
            return Binding::Refused;
        }
        self.captures(syntax, stmts);
        let own = if syntax.capture.is_some() { self.moved(syntax, stmts) } else { Vec::new() };
        // Those of helpers are checked where the helpers are.
        let is_own = self.calls.len() == 1;
        let named = named.map(|named| {
            let number = is_own.then(|| self.number_of(&named.name, syntax, stmts));
            Named { number, ..named }
        });
        let calls = (self.calls.clone(), self.reporter.spans.through());
        let closure = Rc::new(Closure::new(syntax, named, own, &self.context, calls));
        if is_own {
            self.closures.push(Rc::clone(&closure));
        }
        Binding::Closure(closure)
    }

    /// Copies of the variables that a `move` closure names and that may change after it was made.
    fn moved(&mut self, syntax: &'a syn::ExprClosure, stmts: &mut Vec<Stmt>) -> Vec<(String, Binding<'a>)> {
        let mut names = BTreeSet::new();
        identifiers(syntax.body.to_token_stream(), &mut names);
        let loc = self.loc(syntax);
        let mut copies = Vec::new();
        for name in names {
            let changes = match self.find(&name) {
                Some(Binding::Local(local)) => self.body.locals[*local].mutable,
                // What is borrowed moves as the reference that it is.
                Some(Binding::Memory(memory)) => {
                    matches!((memory.hold, memory.root), (Hold::Own { mutable: true }, Root::Private(_)))
                }
                _ => false,
            };
            let Some(target) = self.named_place(&name, Places::All).filter(|_| changes) else { continue };
            let value = self.load(target, loc);
            let copy = self.declare_as(&name, true, value, loc, stmts);
            copies.push((name, copy));
        }
        copies
    }
}

/// Whether an expression may change one of these variables.
pub(super) fn may_change(expr: &syn::Expr, names: &[&str]) -> bool {
    let mut changes = Changes { names, found: false };
    changes.visit_expr(expr);
    changes.found
}

/// Whether a block may.
pub(super) fn may_change_in(block: &syn::Block, names: &[&str]) -> bool {
    let mut changes = Changes { names, found: false };
    changes.visit_block(block);
    changes.found
}

/// A search for changes of variables.
struct Changes<'n> {
    names: &'n [&'n str],
    found: bool,
}

impl Changes<'_> {
    fn place(&mut self, expr: &syn::Expr) {
        match peel(expr) {
            syn::Expr::Path(path) => {
                let name = syntax::name(&path.path);
                self.found |= name.is_some_and(|name| self.names.contains(&name.as_str()));
            }
            syn::Expr::Field(field) => self.place(&field.base),
            syn::Expr::Index(index) => self.place(&index.expr),
            syn::Expr::Tuple(tuple) => tuple.elems.iter().for_each(|elem| self.place(elem)),
            syn::Expr::Array(array) => array.elems.iter().for_each(|elem| self.place(elem)),
            _ => {}
        }
    }
}
impl<'a> Visit<'a> for Changes<'_> {
    fn visit_expr_assign(&mut self, assign: &'a syn::ExprAssign) {
        self.place(&assign.left);
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        // Of `a += b` and `a == b` only the first changes anything, and to be wrong about the other is safe.
        if binary.op.to_token_stream().to_string().ends_with('=') {
            self.place(&binary.left);
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_reference(&mut self, reference: &'a syn::ExprReference) {
        if reference.mutability.is_some() {
            self.place(&reference.expr);
        }
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.place(&call.receiver);
        visit::visit_expr_method_call(self, call);
    }
}

/// All identifiers of some tokens.
pub(super) fn identifiers(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                names.insert(ident.unraw().to_string());
            }
            TokenTree::Group(group) => identifiers(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether two places may share memory; indices may be equal.
pub(super) fn overlap(a: &Place, b: &Place) -> bool {
    match (a, b) {
        (Place::Local { local, path, lane }, Place::Local { local: other, path: other_path, lane: other_lane }) => {
            let shared = path.len().min(other_path.len());
            let known = |lane: &Option<Lane>| matches!(lane, Some(Lane::Known(_)));
            let lanes = !known(lane) || !known(other_lane) || lane == other_lane;
            // A column of an index may be any, which is a part of the path for a known one.
            local == other && path[..shared] == other_path[..shared] && (path.len() != other_path.len() || lanes)
        }
        (Place::Memory { root, path, .. }, Place::Memory { root: other, path: other_path, .. }) => {
            root == other && !apart(path, other_path)
        }
        _ => false,
    }
}

/// Whether the ways to two places of one memory part: at fields, or at the two sides of a cut.
fn apart(mut path: &[Step], mut other: &[Step]) -> bool {
    loop {
        let cuts = |path: &mut &[Step]| match *path {
            [Step::Slice { cuts, .. }, rest @ ..] => {
                *path = rest;
                cuts.clone()
            }
            _ => Vec::new(),
        };
        let (own, others) = (cuts(&mut path), cuts(&mut other));
        if own.iter().any(|(id, right)| others.contains(&(*id, !right))) {
            return true;
        }
        match (path, other) {
            ([Step::Field(i, _), ..], [Step::Field(j, _), ..]) if i != j => return true,
            ([_, rest @ ..], [_, other_rest @ ..]) => (path, other) = (rest, other_rest),
            _ => return false,
        }
    }
}

/// Names for as many parameters of a closure.
fn inputs(arity: usize) -> String {
    let name = |i: usize| if i < 3 { ["x", "y", "z"][i].to_owned() } else { format!("x{i}") };
    (0..arity).map(name).collect::<Vec<_>>().join(", ")
}
