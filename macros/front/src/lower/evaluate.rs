//! The values of constants, computed by the interpreter of the IR while a macro expands.
//!
//! A constant becomes a kernel of one invocation that stores its value into a buffer. The
//! result is exact on every host, and the constant may have any control flow. The number of
//! steps is limited, so that an expansion ends.

use crate::build::value::{Failure, MAX_STEPS, run};
use crate::build::{self, Target};
use crate::hir::{Body, ExprKind};
use crate::infer::{Infer, Ty};
use crate::known::Bits;
use crate::link::Scope;
use crate::lower::{self, Outside, Source};
use crate::names::Own;
use crate::report::{Refused, Reporter};
use samebits_ir::caps::Capabilities;
use samebits_ir::diag::Code;

/// A constant of an outer block: its name, its type and its value.
pub type Named = (String, Ty, Bits);

/// A constant whose value is asked for.
pub struct Constant<'a> {
    /// Its type.
    pub ty: Ty,
    /// What computes it.
    pub expr: &'a syn::Expr,
    /// What its names mean.
    pub scope: Scope<'a>,
    /// The type and constant parameters around it.
    pub own: Own,
    /// Whether rustc compiles it as well, and so judges what it uses of structs that is private.
    pub seen_by_rustc: bool,
    /// The constants of the blocks around it.
    pub around: Outside,
}

/// The value of a constant.
#[derive(Clone)]
pub struct Value {
    /// Its bits.
    pub bits: Bits,
    /// Whether a `usize` was computed for it, whose width differs between host and device.
    pub usizes: bool,
    /// What the types that its expression writes need of a device.
    pub written: Vec<Capabilities>,
}

impl Constant<'_> {
    /// Computes the value. What is wrong with the expression is not reported here.
    pub fn evaluate(self) -> Result<Value, Failure> {
        let mut reporter = Reporter::new();
        let loc = reporter.loc(self.expr);
        let block = syn::Block {
            brace_token: syn::token::Brace::default(),
            stmts: vec![syn::Stmt::Expr(self.expr.clone(), None)],
        };
        let source = Source {
            params: &[],
            block: &block,
            result: Some((self.ty.clone(), loc)),
            name: String::new(),
            scope: self.scope,
            home: None,
            own: self.own,
            untold: lower::Untold::Default,
            constant: Some(self.around),
        };
        let lowered = lower::lower(source, &mut reporter);
        let private = !self.seen_by_rustc && !lowered.judged.is_empty();
        if lowered.wrong || private || !lowered.body.outer.is_empty() || reporter.has_errors() {
            return Err(Failure::Unknown);
        }
        let parts = (&lowered.body, &lowered.block, &lowered.infer);
        let module = build::build(&Target::Constant(self.ty), &[], parts, loc, &mut reporter.diags);
        if reporter.has_errors() {
            return Err(Failure::Unknown);
        }
        Ok(Value {
            bits: run(module)?.into(),
            usizes: computes_usizes(&lowered.body, &lowered.infer),
            written: lowered.body.written.iter().map(|written| written.features).collect(),
        })
    }
}

/// The value of a constant at its definition.
pub fn definition(ty: &Ty, expr: &syn::Expr, scope: Scope<'_>, self_ty: Option<Ty>) -> Result<Value, Failure> {
    let own = Own { self_ty, ..Own::default() };
    Constant { ty: ty.clone(), expr, scope, own, seen_by_rustc: true, around: Outside::default() }.evaluate()
}

/// The mistake that a constant takes too long.
pub fn endless(name: &str) -> Refused {
    let message = format!("the value of `{name}` takes more than {MAX_STEPS} steps to compute");
    Refused::new(Code::V019, message).help("end its loops sooner, or compute it on the host and pass it as a buffer")
}

/// Whether a body computes with a `usize`, or has one that is as wide as it gets.
fn computes_usizes(body: &Body, infer: &Infer) -> bool {
    let is_usize = |id| infer.decided(&body.exprs[id].ty) == Ty::Usize;
    body.exprs.iter().any(|(id, expr)| match &expr.kind {
        ExprKind::Op(_, args) => is_usize(id) || args.iter().any(|&arg| is_usize(arg)),
        ExprKind::Pair(_, _, args) => is_usize(args[0]),
        ExprKind::AssignOp(_, _, a) => is_usize(*a),
        ExprKind::Bits(_) => is_usize(id),
        _ => false,
    })
}
