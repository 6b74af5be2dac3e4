//! Methods that make an iterator of another.

use super::super::borrow::Passed;
use super::super::{Binding, Lowerer};
use super::item::{Item, Position, Shape};
use super::{ADAPTERS, Iter, Stage};
use crate::hir::{ExprId, Stmt};
use crate::infer::Ty;
use crate::syntax::{self, changes_elements, peel};
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::loc::Loc;
use samebits_ir::ops::AtomicOp;
use syn::visit::{self, Visit};

impl<'a> Lowerer<'a, '_> {
    /// The iterator that a method makes of one.
    pub(super) fn adapted(
        &mut self,
        mut iter: Iter<'a>,
        call: &'a syn::ExprMethodCall,
        body: &dyn Fn(&str) -> bool,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Iter<'a>> {
        let name = call.method.to_string();
        let loc = self.loc(&call.method);
        if !ADAPTERS.contains(&name.as_str()) {
            self.lacking(call);
            return None;
        }
        let takes = usize::from(!["enumerate", "rev", "copied", "cloned"].contains(&name.as_str()));
        if !self.arity(&call.args, takes, &name, loc) {
            return None;
        }
        let arg = call.args.first();
        match (&*name, arg) {
            ("map" | "filter", Some(arg)) => self.with_function(&mut iter, &name, arg, stmts)?,
            ("enumerate", _) if iter.stages.is_empty() => {
                self.plainly(&mut iter, stmts)?;
                let index = Item::Number(Position::At);
                iter.item = Item::Pair(Box::new(index), Box::new(iter.item));
            }
            ("enumerate", _) => {
                let counter = self.counter(loc, stmts);
                iter.stages.push(Stage::Enumerate(counter));
            }
            ("copied" | "cloned", _) => {
                if iter.item.shape(&iter.stages) != Shape::Reference {
                    let message = format!("`{name}` is for references, but the items of this iterator are values");
                    self.reporter.report(Diag::new(Code::V203, loc, message).help(format!("remove the `.{name}()`")));
                    return None;
                }
                match iter.stages.is_empty() {
                    true => iter.item = Item::Copied(Box::new(iter.item)),
                    false => iter.stages.push(Stage::Copied),
                }
            }
            ("rev", _) => self.adapted_rev(&mut iter, loc, stmts)?,
            ("zip", Some(arg)) => self.zipped(&mut iter, arg, (body, loc), stmts)?,
            (_, Some(arg)) => self.numbered(&mut iter, &name, arg, (loc, stmts))?,
            _ => return None,
        }
        Some(iter)
    }

    /// The report of a method that iterators of kernels do not have.
    pub(super) fn lacking(&mut self, call: &'a syn::ExprMethodCall) {
        self.args_of_refused(&call.args);
        let name = call.method.to_string();
        let loc = self.loc(&call.method);
        let message = format!("a kernel has no method `{name}` of iterators");
        let help = match &*name {
            "chain" => "write a loop for each part",
            "filter_map" | "flat_map" | "flatten" => "write a `for` with an `if` or another `for` in it",
            "take_while" | "map_while" | "skip_while" => "write a `for` with a `break` or `continue` in it",
            "last" | "nth" | "find" | "reduce" | "min_by" | "max_by" | "min_by_key" | "max_by_key" => {
                "write a `for`, or `fold`"
            }
            "collect" => "an array has a fixed length: write `let mut name = [0; 4];`, and set its elements in a `for`",
            _ => "write a `for`",
        };
        self.reporter.report(Diag::new(Code::V203, loc, message).help(help));
    }

    fn with_function(
        &mut self,
        iter: &mut Iter<'a>,
        name: &str,
        arg: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Option<()> {
        let Passed::Function(function) = self.passed_function(arg, 1, stmts) else { return None };
        match (name, iter.stages.is_empty()) {
            ("map", true) => iter.item = Item::Mapped(Box::new(iter.item.clone()), function),
            ("map", false) => iter.stages.push(Stage::Map(function)),
            _ => iter.stages.push(Stage::Filter(function)),
        }
        Some(())
    }

    fn adapted_rev(&mut self, iter: &mut Iter<'a>, loc: Loc, stmts: &mut Vec<Stmt>) -> Option<()> {
        let ends = |stage: &Stage<'_>| !matches!(stage, Stage::Map(_) | Stage::Filter(_) | Stage::Copied);
        if iter.count.end.is_none() || iter.stages.iter().any(ends) {
            let diag = Diag::new(Code::V203, loc, "this iterator cannot be reversed, since its end is not known");
            self.reporter.report(diag.help("put `.rev()` before what counts the items"));
            return None;
        }
        self.reversed(iter, stmts)
    }

    /// `skip`, `take` and `step_by`
    fn numbered(
        &mut self,
        iter: &mut Iter<'a>,
        name: &str,
        arg: &'a syn::Expr,
        (loc, stmts): (Loc, &mut Vec<Stmt>),
    ) -> Option<()> {
        let number = match name {
            "step_by" => self.step(arg),
            _ => {
                let number = self.expr(arg);
                self.expect(number, &Ty::Usize);
                number
            }
        };
        if !iter.stages.is_empty() {
            return self.staged(iter, name, number, (loc, stmts));
        }
        if name != "take" {
            self.without_effects(iter, name, loc)?;
        }
        match name {
            "skip" => self.skipped(iter, number, stmts),
            "take" => self.taken(iter, number, stmts),
            _ => {
                self.settled(iter, stmts);
                self.stepped(iter, number, stmts)
            }
        }
    }

    /// The same behind a `filter`, where they count in each round.
    fn staged(
        &mut self,
        iter: &mut Iter<'a>,
        name: &str,
        number: ExprId,
        (loc, stmts): (Loc, &mut Vec<Stmt>),
    ) -> Option<()> {
        self.settled(iter, stmts);
        let number = self.fixed(number, stmts);
        let counter = self.counter(loc, stmts);
        iter.stages.push(match name {
            "skip" => Stage::Skip(counter, number),
            "take" => Stage::Take(counter, number),
            _ => Stage::StepBy(counter, number),
        });
        Some(())
    }

    /// Evaluates the ends of a range before what is written behind it.
    fn settled(&mut self, iter: &mut Iter<'a>, stmts: &mut Vec<Stmt>) {
        let mut settle = |this: &mut Self, value: ExprId| match &this.body.exprs[value].kind {
            crate::hir::ExprKind::Len(_) => value,
            _ => this.fixed(value, stmts),
        };
        iter.count.start = settle(self, iter.count.start);
        iter.count.end = iter.count.end.map(|end| settle(self, end));
    }

    fn zipped(
        &mut self,
        iter: &mut Iter<'a>,
        arg: &'a syn::Expr,
        (body, loc): (&dyn Fn(&str) -> bool, Loc),
        stmts: &mut Vec<Stmt>,
    ) -> Option<()> {
        if iter.stages.is_empty() {
            self.plainly(iter, stmts)?;
        }
        let on_loan = self.loans.len();
        self.loans.extend(iter.loans.iter().cloned());
        let other = self.iterator(arg, body, stmts);
        self.loans.truncate(on_loan);
        let mut other = other?;
        if !iter.stages.is_empty() || !other.stages.is_empty() {
            let diag = Diag::new(Code::V203, loc, "`zip` needs iterators that know how many items they have");
            self.reporter.report(diag.help("put `.filter(…)` behind `.zip(…)`, or write a `for`"));
            return None;
        }
        self.without_effects(iter, "zip", loc)?;
        self.without_effects(&other, "zip", loc)?;
        self.plainly(&mut other, stmts)?;
        if let Some(end) = other.count.end {
            self.ends_by(iter, end, stmts);
        }
        iter.item = Item::Pair(Box::new(iter.item.clone()), Box::new(other.item));
        iter.loans.extend(other.loans);
        Some(())
    }

    /// Refuses a method that leaves items out where a `map` before it does something for each.
    fn without_effects(&mut self, iter: &Iter<'a>, name: &str, loc: Loc) -> Option<()> {
        let changes = |function: &&Binding<'_>| matches!(function, Binding::Closure(closure) if !closure.is_pure());
        if !iter.item.functions().iter().any(changes) {
            return Some(());
        }
        let message = format!("`{name}` is not available behind a `map` whose function changes something");
        let help = format!("put `.{name}(…)` before `.map(…)`, or write a `for`");
        self.reporter.report(Diag::new(Code::V203, loc, message).help(help));
        None
    }
}

/// Whether evaluating an expression changes nothing, as its syntax shows.
pub(in crate::lower) fn is_pure(expr: &syn::Expr) -> bool {
    #[derive(Default)]
    struct Effects {
        found: bool,
    }
    impl<'e> Visit<'e> for Effects {
        fn visit_expr(&mut self, expr: &'e syn::Expr) {
            self.found |= match expr {
                syn::Expr::Assign(_) | syn::Expr::Unsafe(_) | syn::Expr::Macro(_) => true,
                syn::Expr::Reference(reference) => reference.mutability.is_some(),
                syn::Expr::Binary(binary) => {
                    let op = binary.op.to_token_stream().to_string();
                    op.ends_with('=') && !["==", "!=", "<=", ">="].contains(&op.as_str())
                }
                syn::Expr::MethodCall(call) => {
                    let name = call.method.to_string();
                    AtomicOp::from_rust(&name).is_some() || changes_elements(&name)
                }
                // A helper may be handed an atomic, or a function that changes something.
                syn::Expr::Call(call) => call.args.iter().any(|arg| match peel(arg) {
                    syn::Expr::Reference(_) | syn::Expr::Closure(_) => true,
                    syn::Expr::Path(path) => syntax::name(&path.path).is_none(),
                    _ => false,
                }),
                _ => false,
            };
            visit::visit_expr(self, expr);
        }
    }
    let mut effects = Effects::default();
    effects.visit_expr(expr);
    !effects.found
}
