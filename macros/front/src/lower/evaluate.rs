//! The values of constants, computed by the interpreter of the IR while a macro expands.
//!
//! A constant becomes a kernel of one invocation that stores its value into a buffer. What it
//! gives is exact on every host, and a constant may have any control flow. Only its steps are
//! bounded, so that an expansion ends.

use crate::build::{self, Target};
use crate::hir::{Body, ExprKind};
use crate::infer::{Infer, Ty};
use crate::link::Scope;
use crate::lower::{self, Outside, Source};
use crate::report::{Refused, Reporter};
use samebits_ir::caps::Capabilities;
use samebits_ir::check;
use samebits_ir::diag::Code;
use samebits_ir::interp::{Arg, Fault, Options, Program, Words};
use samebits_ir::ir::{Module, ParamKind, Table};
use samebits_ir::loc::Loc;
use samebits_ir::types::Type;
use std::rc::Rc;

/// The most steps that the value of a constant may take: some seconds in a macro that is not
/// optimised.
pub const MAX_STEPS: u64 = 10_000_000;

/// The bits of the scalars that a value is made of, in order.
pub type Bits = Rc<[u64]>;

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
    /// What `Self` is.
    pub self_ty: Option<Ty>,
    /// The type parameters around it.
    pub types: Vec<(String, Ty)>,
    /// The constant parameters around it.
    pub lengths: Vec<(String, i128)>,
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

/// Why a constant has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It takes more than [`MAX_STEPS`].
    Endless,
    /// It is wrong, or follows from what only a launch knows.
    Unknown,
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
            types: self.types,
            lengths: self.lengths,
            self_ty: self.self_ty,
            untold: lower::Untold::Default,
            constant: Some(self.around),
        };
        let lowered = lower::lower(source, &mut reporter);
        let private = !self.seen_by_rustc && !lowered.private_uses.is_empty();
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
    let (types, lengths) = (Vec::new(), Vec::new());
    Constant { ty: ty.clone(), expr, scope, self_ty, types, lengths, seen_by_rustc: true, around: Outside::default() }
        .evaluate()
}

/// Runs a kernel of one invocation that stores one element into its only buffer, and gives the bits
/// of the element's scalars.
pub fn run(module: Module) -> Result<Vec<u64>, Failure> {
    let checked = check::check_image(module).map_err(|_| Failure::Unknown)?;
    let program = Program::new(&checked, 0).ok_or(Failure::Unknown)?;
    let module = checked.module();
    let element = match module.functions.first().and_then(|function| function.params.first()).map(|param| param.kind) {
        Some(ParamKind::Buffer { element, .. }) => element,
        _ => return Err(Failure::Unknown),
    };
    let size = module.types.layout(element).map_or(0, |layout| layout.size as usize);
    let words = Words::zeroed(size);
    let args = [Arg::Buffer { words: &words, offset: 0, len: 1 }];
    let options = Options { threads: 1, max_steps: Some(MAX_STEPS) };
    program.run([1, 1, 1], &args, &options).map_err(|fault| match fault {
        Fault::StepLimit { .. } => Failure::Endless,
        _ => Failure::Unknown,
    })?;
    let bytes = words.read(0..size);
    let table = Table { name: String::new(), ty: element, bytes: bytes.into(), loc: Loc::NONE };
    let scalars = table.scalars(&module.types).into_iter();
    Ok(scalars.map(|(offset, scalar)| table.value(Type::Scalar(scalar), offset.into())[0]).collect())
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
        ExprKind::Overflowing(_, _, a, _) | ExprKind::AssignOp(_, _, a) => is_usize(*a),
        ExprKind::Bits(_) => is_usize(id),
        _ => false,
    })
}
