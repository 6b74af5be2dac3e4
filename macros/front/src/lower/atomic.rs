//! Atomic accesses and fences: their arguments, orders and scopes.
//!
//! An order is written as Rust's own atomics take it, or left out, which means relaxed. It must stand in the call
//! itself, since it is part of the instruction. Which order an access may have is Rust's rule. A compare-exchange
//! may fail with a stronger order than it succeeds with; then both get the stronger one.

use super::Lowerer;
use super::place::Target;
use crate::hir::{ExprId, ExprKind};
use crate::infer::Ty;
use crate::privacy::Judged;
use crate::spell;
use crate::syntax;
use crate::words::order;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Function};
use samebits_ir::order::{MemoryOrder, Ordering, Scope};
use samebits_ir::types::Scalar;

/// A method of atomics.
struct Method {
    op: AtomicOp,
    /// Whether the last argument is a scope.
    scoped: bool,
}

impl Method {
    fn of(name: &str) -> Option<Self> {
        let (op, scoped) = order::method(name)?;
        Some(Self { op, scoped })
    }

    /// How many orders it takes, if it takes any.
    fn orders(&self) -> usize {
        if self.op == AtomicOp::CompareExchange { 2 } else { 1 }
    }
}

/// Whether only atomics have a method of this name.
pub(super) fn is_atomic_method(name: &str) -> bool {
    Method::of(name).is_some()
}

impl<'a> Lowerer<'a, '_> {
    /// A method of an atomic.
    pub(super) fn atomic(&mut self, call: &'a syn::ExprMethodCall, target: Target, scalar: Scalar, loc: Loc) -> ExprId {
        let name = call.method.to_string();
        let has = |op: &AtomicOp| op.class().contains(scalar);
        let Some(method) = Method::of(&name).filter(|method| has(&method.op)) else {
            self.args_of_refused(&call.args);
            let at = self.loc(&call.method);
            let names: Vec<&str> = AtomicOp::ALL.iter().filter(|op| has(op)).map(|op| op.rust()).collect();
            let message = format!("no method `{name}` on `Atomic<{}>`", scalar.name());
            let help = match name.as_str() {
                "fetch_update" | "try_update" | "update" => "use `compare_exchange` in a loop".to_owned(),
                _ => format!("there are {}", names.join(", ")),
            };
            return self.refuse(Diag::new(Code::V203, at, message).help(help));
        };
        let op = method.op;
        let ty = if op == AtomicOp::Store { Ty::Unit } else { Ty::Scalar(scalar) };
        let values = op.operands();
        let ordered = values + method.orders() + usize::from(method.scoped);
        let relaxed = call.args.len() == values && !method.scoped;
        let surplus = call.args.iter().nth(values).filter(|_| !method.scoped);
        let is_surplus = surplus.is_some_and(|arg| !matches!(syntax::peel(arg), syn::Expr::Path(_)));
        if !relaxed && (call.args.len() != ordered || is_surplus) {
            self.args_of_refused(&call.args);
            self.wrong_arguments(call, &method, is_surplus, loc);
            return self.push(ExprKind::Error, ty, loc);
        }
        let order = if relaxed {
            Some(MemoryOrder::RELAXED)
        } else {
            let scope = match target.memory.as_ref().map(|memory| memory.root) {
                Some(Root::Shared(_)) => Scope::Workgroup,
                _ => Scope::Device,
            };
            self.memory_order(&name, &method, call.args.iter().skip(values).collect(), scope)
        };
        let Some(order) = order else {
            self.args_of_refused(&call.args);
            return self.push(ExprKind::Error, ty, loc);
        };
        let args: Vec<ExprId> = call.args.iter().take(values).map(|arg| self.expr(arg)).collect();
        for &arg in &args {
            self.expect(arg, &Ty::Scalar(scalar));
        }
        let loan = target.loan;
        let value = self.push(ExprKind::Atomic(op, scalar, target.place, args, order), ty, loc);
        self.through(value, 0, loan);
        value
    }

    /// Reports a number of arguments that a method of atomics does not take.
    fn wrong_arguments(&mut self, call: &'a syn::ExprMethodCall, method: &Method, is_surplus: bool, loc: Loc) {
        let (name, values) = (call.method.to_string(), method.op.operands());
        let most = if is_surplus { values } else { values + method.orders() + usize::from(method.scoped) };
        if let Some(more @ 1..) = call.args.len().checked_sub(most) {
            let plural = if more == 1 { "" } else { "s" };
            let more = if more == 1 { "one".to_owned() } else { more.to_string() };
            let message = format!("`{name}` has {more} argument{plural} more than it takes");
            self.reporter.report(Diag::new(Code::V204, loc, message).help("remove it"));
        } else if method.scoped {
            let orders = if method.orders() == 1 { "an order" } else { "two orders" };
            let message = format!("`{name}` needs {orders} and a scope");
            let given = call.args.iter().take(values).map(spell::expression);
            let orders = std::iter::repeat_n("Ordering::Relaxed".to_owned(), method.orders());
            let args: Vec<String> = given.chain(orders).chain(["Scope::Workgroup".to_owned()]).collect();
            let help = format!("write `{}.{name}({})`", spell::expression(&call.receiver), args.join(", "));
            self.reporter.report(Diag::new(Code::V204, loc, message).help(help));
        } else if call.args.len() > values {
            let message =
                format!("`{name}` takes two orders: for when it replaces the value, and for when it does not");
            let args: Vec<String> = call.args.iter().map(spell::expression).collect();
            let receiver = spell::expression(&call.receiver);
            let help = format!("write `{receiver}.{name}({}, Ordering::Relaxed)`", args.join(", "));
            self.reporter.report(Diag::new(Code::V204, loc, message).help(help));
        } else {
            self.arity(&call.args, values, &name, loc);
        }
    }

    /// The order that these arguments state; nothing if it was refused.
    fn memory_order(
        &mut self,
        name: &str,
        method: &Method,
        args: Vec<&'a syn::Expr>,
        scope: Scope,
    ) -> Option<MemoryOrder> {
        let mut args = args.into_iter();
        let first = args.next()?;
        let ordering = self.ordering(first)?;
        let refused: &[Ordering] = match method.op {
            AtomicOp::Load => &[Ordering::Release, Ordering::AcqRel],
            AtomicOp::Store => &[Ordering::Acquire, Ordering::AcqRel],
            _ => &[],
        };
        if refused.contains(&ordering) {
            let (message, help) = match method.op {
                AtomicOp::Load => (
                    "atomic loads cannot have `Release` or `AcqRel` ordering",
                    "consider using ordering modes `Acquire`, `SeqCst` or `Relaxed`",
                ),
                _ => (
                    "atomic stores cannot have `Acquire` or `AcqRel` ordering",
                    "consider using ordering modes `Release`, `SeqCst` or `Relaxed`",
                ),
            };
            return self.wrong_order(first, message.to_owned(), help);
        }
        let mut order = MemoryOrder { ordering, failure: Ordering::Relaxed, scope };
        if method.orders() == 2 {
            let second = args.next()?;
            let failure = self.ordering(second)?;
            if matches!(failure, Ordering::Release | Ordering::AcqRel) {
                let message = format!(
                    "`{name}`'s failure ordering may not be `Release` or `AcqRel`, since a failed `{name}` does not \
                     result in a write"
                );
                return self.wrong_order(
                    second,
                    message,
                    "consider using `Acquire` or `Relaxed` failure ordering instead",
                );
            }
            order = MemoryOrder { ordering: both(ordering, failure), failure, scope };
        }
        if let Some(scope) = args.next() {
            order.scope = self.scope(scope)?;
        } else if order.ordering == Ordering::Relaxed {
            // It is the same as without an order.
            return Some(MemoryOrder::RELAXED);
        }
        Some(order)
    }

    fn wrong_order<T>(&mut self, arg: &'a syn::Expr, message: String, help: &str) -> Option<T> {
        let at = self.loc(arg);
        self.reporter.report(Diag::new(Code::V310, at, message).help(help));
        None
    }

    /// `fence(order)` or `fence_in(order, scope)`.
    pub(super) fn fence(&mut self, call: &'a syn::ExprCall, function: Function, loc: Loc) -> ExprId {
        let mut kind = ExprKind::Error;
        let mut args = call.args.iter();
        if self.arity(&call.args, function.operands(), function.name(), loc)
            && let Some(first) = args.next()
            && let Some(ordering) = self.ordering(first)
        {
            if ordering == Ordering::Relaxed {
                let help = "consider using ordering modes `Acquire`, `Release`, `AcqRel` or `SeqCst`";
                let message = "memory fences cannot have `Relaxed` ordering";
                let _: Option<()> = self.wrong_order(first, message.to_owned(), help);
            } else if let Some(scope) = args.next().map_or(Some(Scope::Device), |scope| self.scope(scope)) {
                kind = ExprKind::Fence(ordering, scope);
            }
        }
        self.push(kind, Ty::Unit, loc)
    }

    /// The order that an argument is; nothing if it was refused.
    fn ordering(&mut self, arg: &'a syn::Expr) -> Option<Ordering> {
        let found = self.word(arg).and_then(|path| Some((path, order::ordering(path)?)));
        let Some((path, ordering)) = found else {
            let help = "write one of `Ordering::Relaxed`, `Ordering::Acquire`, `Ordering::Release`, \
                        `Ordering::AcqRel` and `Ordering::SeqCst`";
            return self.no_word(arg, "an order of atomics", help);
        };
        self.judge(Judged::Order(path));
        Some(ordering)
    }

    /// The scope that an argument is; nothing if it was refused.
    fn scope(&mut self, arg: &'a syn::Expr) -> Option<Scope> {
        let found = self.word(arg).and_then(|path| Some((path, order::scope(path)?)));
        let Some((path, scope)) = found else {
            return self.no_word(arg, "a scope", "write `Scope::Workgroup` or `Scope::Device`");
        };
        self.judge(Judged::Scope(path));
        Some(scope)
    }

    /// The path that an argument is, if it is no variable.
    fn word(&self, arg: &'a syn::Expr) -> Option<&'a syn::Path> {
        let syn::Expr::Path(path) = syntax::peel(arg) else { return None };
        let is_variable = syntax::name(&path.path).is_some_and(|name| self.find(&name).is_some());
        (path.qself.is_none() && !is_variable).then_some(&path.path)
    }

    fn no_word<T>(&mut self, arg: &'a syn::Expr, what: &str, help: &str) -> Option<T> {
        let at = self.loc(arg);
        let message = format!("expected {what}, found `{}`", spell::expression(syntax::peel(arg)));
        self.reporter.report(Diag::new(Code::V204, at, message).help(help));
        None
    }
}

/// The order that promises what both do; the second one releases nothing.
const fn both(ordering: Ordering, failure: Ordering) -> Ordering {
    match (ordering, failure) {
        (Ordering::SeqCst, _) | (_, Ordering::SeqCst) => Ordering::SeqCst,
        (Ordering::Release, Ordering::Acquire) => Ordering::AcqRel,
        (Ordering::Relaxed, Ordering::Acquire) => Ordering::Acquire,
        (ordering, _) => ordering,
    }
}
