//! syn's tree to [`hir`](crate::hir): names, operators, methods and types.
//!
//! Nothing is skipped: what is not in the kernel language is an error on its own tokens. A
//! refused expression has the type [`Ty::Error`], which fits everything, so that one mistake is
//! one error and the rest is still checked.
//!
//! Expressions are visited in Rust's order of evaluation, and types are unified on the way.
//! What needs decided types (ranges of literals, casts, operators of types) is checked by
//! [`build`](crate::build).

mod atomic;
mod borrow;
mod call;
mod captured;
mod class;
mod constant;
mod control;
mod conversion;
mod deferred;
mod definite;
mod distance;
mod element;
pub mod evaluate;
mod expr;
mod generic;
mod inline;
mod iterate;
mod loans;
mod matched;
mod matching;
mod matrix;
mod message;
mod method;
mod named;
mod operators;
mod option;
mod parts;
mod pattern;
mod place;
mod reference;
mod sequence;
mod slice;
mod stmt;
mod structs;
mod table;
mod traits;
mod variants;
mod vector;

pub(crate) use constant::MAX_OUTER;
pub(crate) use expr::MAX_PARTS;
pub(crate) use inline::{MAX_CALLS, MAX_EXPRS, function_types};

use crate::build::value::Failure;
use crate::class::Calls;
use crate::declare;
use crate::hir::{Body, Capturing, Expr, ExprId, ExprKind, Form, LoanId, Local, LocalId, LoopId, Step, Written};
use crate::hir::{BodyParam, Passing};
use crate::infer::{GenericArg, Infer, Ty, VarKind};
use crate::known::Bits;
use crate::known::{Kind, Known};
use crate::link::Scope;
use crate::link::facts;
use crate::names::Names;
use crate::names::{Own, Slot, Within};
use crate::privacy::Judged;
use crate::report::{Refused, Reporter};
use crate::syntax;
use crate::types;
use captured::Unknown;
use class::Obligation;
use evaluate::{Named, Value};
use inline::Closure;
use iterate::{Kept, Loan};
use place::Target;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// How deep expressions and blocks of one body may nest.
pub(crate) const MAX_DEPTH: usize = 64;
/// The same for a function with the bodies that it calls. Each level is several stack frames of
/// an unoptimised macro, of which rustc's stack holds some hundreds of levels.
pub(crate) const MAX_DEPTH_IN_ALL: usize = 192;

/// The most conditions of an `if` with its `else if`s. Each becomes a block in the one before, of which the IR has a
/// bounded number.
pub(crate) const MAX_CHAIN: usize = 60;

/// What a name stands for.
#[derive(Clone)]
enum Binding<'a> {
    /// A value.
    Local(LocalId),
    /// A buffer, workgroup memory or array.
    Memory(Memory),
    /// A reference to a local variable or a part of one.
    Alias(Rc<Target>),
    /// A closure.
    Closure(Rc<Closure<'a>>),
    /// A function that the call of a helper will give.
    Unknown(Rc<Unknown>),
    /// An iterator.
    Iterator(Rc<Kept<'a>>),
    /// A variant of an enum, by its name there.
    Variant(Ty, Rc<str>),
    /// Something whose declaration was refused.
    Refused,
}

/// Memory that a name stands for.
#[derive(Clone)]
struct Memory {
    root: Root,
    /// The way to the part of the root that is meant.
    path: Vec<Step>,
    ty: Ty,
    access: Access,
    hold: Hold,
    /// Whether it is seen as a slice, which has no size of its own: a buffer, or an array that was
    /// borrowed as `&[T]`.
    slice: bool,
    /// The loans of iterators that it is an item of.
    leases: Vec<u32>,
    /// The variable's reference through which it is reached.
    loan: Option<LoanId>,
    /// Whether it is a copy, for a name in a pattern that is a `&` reference.
    copied: bool,
    loc: Loc,
}

/// How a name holds memory; `mutable` says that it may be stored to through this name.
#[derive(Clone, Copy)]
enum Hold {
    /// As its own.
    Own { mutable: bool },
    /// As a reference to what a caller lent, which `*` follows.
    Lent { mutable: bool },
}

impl Memory {
    /// Memory that a function declares.
    fn declared(root: Root, ty: Ty, access: Access, mutable: bool, loc: Loc) -> Self {
        let (slice, leases) = (false, Vec::new());
        let (hold, loan, copied) = (Hold::Own { mutable }, None, false);
        Self { root, path: Vec::new(), ty, access, hold, slice, leases, loan, copied, loc }
    }
}

/// The function, helper or closure that is being lowered: what its names mean.
struct Context<'a> {
    scope: Scope<'a>,
    /// Names in scope, innermost last; later entries shadow earlier ones.
    names: Vec<(String, Binding<'a>)>,
    /// The loops around the current place, innermost last.
    loops: Vec<LoopId>,
    /// Its type and constant parameters, and `Self`.
    own: Own,
    /// The private memory that its own variables have.
    private: Vec<usize>,
    /// What it returns.
    result: Ty,
    /// The call that `return` leaves; none in the function that is being compiled.
    call: Option<LoopId>,
    /// Whether the current place is inside of an `unsafe` of its own.
    is_unsafe: bool,
}

/// A function as [`lower`] takes it.
pub struct Source<'a, 'p> {
    /// Its parameters.
    pub params: &'p [BodyParam],
    /// Its body.
    pub block: &'a syn::Block,
    /// What it returns, and where it says so; nothing for a kernel.
    pub result: Option<(Ty, Loc)>,
    /// Its own name.
    pub name: String,
    /// The other functions that its names mean.
    pub scope: Scope<'a>,
    /// The fact whose implementation the body stands in, with whose other functions it shares
    /// its names.
    pub home: Option<String>,
    /// Its type and constant parameters, and `Self`.
    pub own: Own,
    /// What constants are whose type no use tells.
    pub untold: Untold<'p>,
    /// What is around a constant whose value is asked for; nothing for a function.
    pub constant: Option<Outside>,
}

/// What is around a constant.
#[derive(Default)]
pub struct Outside {
    /// The constants of the blocks around it.
    pub constants: Vec<Named>,
    /// How deep it is there.
    pub depth: usize,
}

/// What constants from outside are whose type no use tells.
#[derive(Clone, Copy)]
pub enum Untold<'p> {
    /// What literals are.
    Default,
    /// Not known: they are listed in [`Lowered::untold`].
    Listed,
    /// Those of these ids are of this type.
    Of(&'p [String], &'p Ty),
}

/// What [`lower`] gives.
pub struct Lowered<'a> {
    /// The body.
    pub body: Body,
    /// Its statements.
    pub block: crate::hir::Block,
    /// The types of all expressions.
    pub infer: Infer,
    /// What rustc judges.
    pub judged: Vec<Judged<'a>>,
    /// The constants from outside whose type no use decides, with their kinds.
    pub untold: Vec<(LocalId, VarKind)>,
    /// Whether something in it is wrong. If nothing was reported, that was done elsewhere:
    /// where a helper or a struct that it uses is defined. Then there is nothing to build.
    pub wrong: bool,
    /// Whether something was skipped because it is an error where it is defined and has no facts.
    pub excused: bool,
}

/// The state of lowering one function.
struct Lowerer<'a, 's> {
    reporter: &'s mut Reporter<'a>,
    infer: Infer,
    body: Body,
    context: Context<'a>,
    home: Option<String>,
    /// The name of the function that is compiled, and the ids of the helpers around the current
    /// place, where it was written: what a closure calls is not called by the helper that it is
    /// passed to.
    calls: Vec<String>,
    /// How many calls enclose the current place.
    inlined: usize,
    /// The values of integer constants, for the lengths of arrays.
    known: Vec<(LocalId, i128)>,
    /// The locals that `const` items of the body are.
    constants: Vec<LocalId>,
    /// The constants that were asked for as memory, by their identity; `None` for those that
    /// are none.
    tables: HashMap<String, Option<Memory>>,
    /// The types and values of those locals that are constants of known values.
    items: HashMap<LocalId, (Ty, Bits)>,
    /// The expressions that those locals stand for which are constants with parts, or of enums.
    written: HashMap<LocalId, ExprId>,
    /// The values of the constants of bodies, by what tells them apart.
    values: HashMap<String, Result<Value, Failure>>,
    /// Whether the value at hand may become a table, and so be of any size.
    unsized_values: bool,
    /// Types that must turn out to be of a class.
    obligations: Vec<Obligation>,
    /// The types of sums and of their items, which must turn out to be the same.
    totals: Vec<(Ty, Ty, Loc)>,
    /// What iterators have borrowed around the current place, and how many loans there were.
    loans: Vec<Loan>,
    loans_made: u32,
    /// How often a part was cut in two.
    cuts_made: u32,
    /// The closures that the function makes itself.
    closures: Vec<Rc<Closure<'a>>>,
    judged: Vec<Judged<'a>>,
    /// What constants are whose type no use tells.
    untold: Untold<'s>,
    /// Those of them that a method is called on.
    asked: Vec<(LocalId, VarKind)>,
    /// Private memory of calls that are over.
    free: Vec<usize>,
    /// How deep the current place is in its body.
    depth: usize,
    /// How deep the calls around that body are, in all.
    outer_depth: usize,
    /// Whether too deep nesting was reported; the rest of such an expression is not reported again.
    deep_reported: bool,
    /// Whether too long a body was reported.
    long_reported: bool,
    /// Names that were refused; their other uses are not reported again.
    refused: BTreeSet<String>,
    /// Whether something was passed over in silence that is an error where it is defined.
    excused: bool,
}

/// Lowers the body of a function.
pub fn lower<'a, 's>(source: Source<'a, 's>, reporter: &'s mut Reporter<'a>) -> Lowered<'a> {
    let Source { params, block, result, name, scope, home, own, untold, constant } = source;
    let returns = result.as_ref().map_or(Ty::Unit, |(ty, _)| ty.clone());
    let context = Context { own, result: returns, ..Context::of(scope, None) };
    let mut lowerer = Lowerer {
        reporter,
        infer: Infer::default(),
        body: Body::default(),
        context,
        home,
        calls: vec![name],
        inlined: 0,
        known: Vec::new(),
        constants: Vec::new(),
        tables: HashMap::new(),
        items: HashMap::new(),
        written: HashMap::new(),
        values: HashMap::new(),
        unsized_values: constant.is_some(),
        obligations: Vec::new(),
        totals: Vec::new(),
        loans: Vec::new(),
        loans_made: 0,
        cuts_made: 0,
        closures: Vec::new(),
        judged: Vec::new(),
        untold,
        asked: Vec::new(),
        free: Vec::new(),
        depth: 0,
        outer_depth: 0,
        deep_reported: false,
        long_reported: false,
        refused: BTreeSet::new(),
        excused: false,
    };
    params.iter().enumerate().for_each(|(i, param)| lowerer.param(param, i));
    let mut known = Vec::new();
    if let (Some(Outside { constants, depth }), Some((_, loc))) = (constant, &result) {
        lowerer.outer_depth = depth;
        constants.into_iter().for_each(|named| lowerer.known_item(named, *loc, &mut known));
    }
    let (mut block, ty) = lowerer.block(block);
    block.stmts.splice(0..0, known);
    match (block.tail, &result) {
        (Some(tail), None) => {
            let help = "a kernel cannot return a value: end the last statement with `;`";
            lowerer.expect_at(lowerer.body.exprs[tail].loc, &Ty::Unit, &ty, help);
        }
        (Some(tail), Some((result, _))) => {
            let nothing = *result == Ty::Unit && !matches!(ty, Ty::Unit | Ty::Never | Ty::Error);
            let shown = lowerer.infer.show(&lowerer.infer.decided(&ty));
            let help = nothing.then(|| format!("add `-> {shown}` to the signature, or end the statement with `;`"));
            lowerer.expect_or(tail, result, help);
            // The value is what the function gives.
            let loc = lowerer.body.exprs[tail].loc;
            block.tail = Some(lowerer.push(ExprKind::Return(Some(tail)), Ty::Never, loc));
        }
        (None, Some((result, loc))) => lowerer.missing_result(&ty, result, *loc),
        (None, None) => {}
    }
    lowerer.never_called(&mut block.stmts);
    let untold = lowerer.untold_constants();
    for outer in &lowerer.body.outer {
        // A constant among float literals is an `f32`, or else rustc says what it is.
        let ty = &lowerer.body.locals[outer.local].ty;
        if lowerer.infer.kind(ty) == Some(VarKind::Float) {
            lowerer.infer.unify(ty, &Ty::Scalar(Scalar::F32));
        }
    }
    lowerer.judge_totals();
    lowerer.discharge();
    definite::mistakes(&lowerer.body, &block).into_iter().for_each(|diag| lowerer.reporter.report(diag));
    let used_once = |param: &BodyParam| matches!(param.passing, Passing::Function(_, Calls::Once));
    let changes = |closure: &Capturing| !closure.changes.is_empty();
    let asked =
        !lowerer.body.loans.is_empty() || params.iter().any(used_once) || lowerer.body.closures.iter().any(changes);
    if asked && !lowerer.reporter.diags.has_errors() {
        loans::mistakes(&lowerer.body, &block).into_iter().for_each(|diag| lowerer.reporter.report(diag));
    }
    let wrong = params.iter().any(|param| param.ty == Ty::Error)
        || matches!(&result, Some((Ty::Error, _)))
        || lowerer.body.exprs.iter().any(|(_, expr)| lowerer.infer.resolve(&expr.ty) == Ty::Error);
    let excused = lowerer.excused || params.iter().any(|param| param.ty == Ty::Error);
    let Lowerer { body, infer, judged, .. } = lowerer;
    Lowered { body, block, infer, judged, untold, wrong, excused }
}

impl Names for Lowerer<'_, '_> {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        self.context.ty(path)
    }

    fn slots(&self, path: &syn::Path) -> Option<Vec<Slot>> {
        self.context.slots(path)
    }

    fn instance(&self, path: &syn::Path, args: Vec<GenericArg>) -> Option<Result<Ty, Refused>> {
        self.context.instance(path, args)
    }

    fn constant(&self, path: &syn::Path) -> Option<Known> {
        let name = syntax::name(path);
        let own = name.and_then(|name| {
            let Binding::Local(local) = self.find(&name)? else { return None };
            Known::of(self.known_constant(&name)?, Kind::of(&self.body.locals[*local].ty))
        });
        own.or_else(|| self.context.constant(path))
    }

    fn length(&self, path: &syn::Path) -> Option<u32> {
        let name = syntax::name(path);
        match name.and_then(|name| self.find(&name)) {
            Some(Binding::Local(local)) if self.constants.contains(local) => self.body.locals[*local].ty.len(),
            Some(_) => None,
            None => self.context.length(path),
        }
    }
}

impl Names for Context<'_> {
    fn ty(&self, path: &syn::Path) -> Option<Result<Ty, Refused>> {
        Within { own: &self.own, around: &self.scope }.ty(path)
    }

    fn slots(&self, path: &syn::Path) -> Option<Vec<Slot>> {
        Within { own: &self.own, around: &self.scope }.slots(path)
    }

    fn instance(&self, path: &syn::Path, args: Vec<GenericArg>) -> Option<Result<Ty, Refused>> {
        self.scope.instance(path, args)
    }

    fn constant(&self, path: &syn::Path) -> Option<Known> {
        let own = || Within { own: &self.own, around: &self.scope }.constant(path);
        self.associated_length(path).or_else(own)
    }

    fn length(&self, path: &syn::Path) -> Option<u32> {
        match self.associated(path) {
            Some(found) => found.read(self).ok()?.len(),
            None => self.scope.length(path),
        }
    }
}

impl<'a> Context<'a> {
    /// A body in which nothing is declared yet.
    fn of(scope: Scope<'a>, self_ty: Option<Ty>) -> Self {
        // What a trait gives has the trait's own functions by `Self`.
        let of_trait = scope.owner().filter(|fact| fact.kind == facts::Kind::Trait);
        let bounds = of_trait.map(|fact| ("Self".to_owned(), vec![fact.id.clone()])).into_iter().collect();
        Self {
            scope,
            names: Vec::new(),
            loops: Vec::new(),
            own: Own { self_ty, bounds, ..Own::default() },
            private: Vec::new(),
            result: Ty::Unit,
            call: None,
            is_unsafe: false,
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// Makes a parameter of the function that is compiled known.
    fn param(&mut self, param: &BodyParam, index: usize) {
        let local = |this: &mut Self, mutable| this.variable(&param.name, param.ty.clone(), mutable, param.loc);
        let binding = match (&param.passing, &param.ty) {
            (_, Ty::Error) => Binding::Refused,
            (Passing::Memory(access), ty) => Binding::Memory(Memory {
                hold: Hold::Lent { mutable: *access == Access::ReadWrite },
                slice: matches!(ty, Ty::Slice(_)),
                ..Memory::declared(Root::Param(index as u32), ty.clone(), *access, false, param.loc)
            }),
            (Passing::Value, ty) if ty.has_array() => {
                let root = Root::Private(self.body.private.len() as u32);
                self.body.private.push(crate::hir::Memory { name: param.name.clone(), ty: ty.clone(), loc: param.loc });
                local(self, false);
                Binding::Memory(Memory::declared(root, ty.clone(), Access::ReadWrite, param.mutable, param.loc))
            }
            (Passing::Value, _) => Binding::Local(local(self, param.mutable)),
            (Passing::Reference { mutable }, ty) => {
                let id = local(self, true);
                Binding::Alias(Rc::new(Target { reference: true, ..Target::local(id, ty.clone(), *mutable) }))
            }
            (Passing::Function(takes, calls), result) => Binding::Unknown(Rc::new(Unknown {
                name: param.name.clone(),
                takes: takes.clone(),
                result: result.clone(),
                calls: *calls,
                mutable: param.mutable,
                loc: param.loc,
                number: index,
            })),
        };
        self.context.names.push((param.name.clone(), binding));
    }

    /// Reports that a function's end is reached without a value, if that is a mistake.
    fn missing_result(&mut self, ty: &Ty, result: &Ty, loc: Loc) {
        if !self.infer.unify(ty, result) {
            let message = format!("mismatched types: expected `{}`, found `()`", self.infer.show(result));
            let help = "end the body with the value, without `;`, or `return` it";
            self.reporter.report(Diag::new(Code::V200, loc, message).help(help));
        }
    }
}

impl<'a> Lowerer<'a, '_> {
    /// The constants from outside whose type nothing has told.
    fn untold_constants(&self) -> Vec<(LocalId, VarKind)> {
        let of = |outer: &crate::hir::Outer| {
            let asked = self.asked.iter().find(|(local, _)| *local == outer.local).map(|(_, kind)| *kind);
            let kind = asked.or_else(|| self.infer.kind(&self.body.locals[outer.local].ty))?;
            let open = outer.origin.is_empty() && outer.form == Form::Plain || outer.form == Form::Kept;
            open.then_some((outer.local, kind))
        };
        self.body.outer.iter().filter_map(of).collect()
    }

    fn loc(&mut self, node: &'a dyn ToTokens) -> Loc {
        self.reporter.spans.add(node)
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
        self.reporter.report(diag);
        self.error(loc)
    }

    /// A new variable.
    fn variable(&mut self, name: &str, ty: Ty, mutable: bool, loc: Loc) -> LocalId {
        self.body.locals.push(Local { name: name.to_owned(), ty, mutable, iterates: false, behind: false, loc })
    }

    /// Lowers what has names of its own, which nothing after it sees.
    fn scoped<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.context.names.len();
        let lowered = lower(self);
        self.context.names.truncate(scope);
        lowered
    }

    /// An expression of which nothing more is said.
    fn error(&mut self, loc: Loc) -> ExprId {
        self.push(ExprKind::Error, Ty::Error, loc)
    }

    /// Reports what is wrong with a name, once for all its uses.
    fn refuse_name(&mut self, name: &str, diag: Diag) -> ExprId {
        let loc = diag.loc;
        if self.refused.insert(name.to_owned()) {
            self.reporter.report(diag);
        }
        self.error(loc)
    }

    /// Passes over what is an error where it is defined.
    fn excuse(&mut self, loc: Loc) -> ExprId {
        self.excused = true;
        self.error(loc)
    }

    /// Reports syntax that is not in the kernel language.
    fn unsupported(&mut self, node: &'a dyn ToTokens, what: &str, help: Option<&str>) -> ExprId {
        let loc = self.loc(node);
        self.refuse(Refused::new(Code::V100, format!("{what} cannot be used in a kernel")).advised(help).at(loc))
    }

    /// Makes an expression's type the expected one, or reports that it is another.
    fn expect(&mut self, id: ExprId, expected: &Ty) {
        self.expect_or(id, expected, None);
    }

    /// Like [`expect`](Self::expect), with a help of its own.
    fn expect_or(&mut self, id: ExprId, expected: &Ty, help: Option<String>) {
        let (loc, found) = (self.body.exprs[id].loc, self.ty(id));
        if *expected == Ty::Error {
            // Nothing will say what literals in it are.
            self.infer.give_up(&found);
        }
        if !self.infer.unify(&found, expected) {
            let mut diag = self.mismatch(loc, expected, &found);
            diag.help = help.or_else(|| self.float_as_integer(id, expected, &found)).or(diag.help);
            self.reporter.report(diag);
            self.body.exprs[id].kind = ExprKind::Error;
            self.body.exprs[id].ty = Ty::Error;
        }
    }

    /// Like [`expect`](Self::expect) for a type that is known without an expression.
    fn expect_at(&mut self, loc: Loc, expected: &Ty, found: &Ty, help: &str) {
        self.fits_at(loc, expected, found, help);
    }

    /// The same, and whether it is the expected type.
    fn fits_at(&mut self, loc: Loc, expected: &Ty, found: &Ty, help: &str) -> bool {
        let fits = self.infer.unify(found, expected);
        if !fits {
            let diag = self.mismatch(loc, expected, found).help(help);
            self.reporter.report(diag);
        }
        fits
    }

    fn mismatch(&self, loc: Loc, expected: &Ty, found: &Ty) -> Diag {
        let (e, f) = (self.infer.show(expected), self.infer.show(found));
        let diag = Diag::new(Code::V200, loc, format!("mismatched types: expected `{e}`, found `{f}`"));
        match self.conversion(expected, found) {
            Some(help) => diag.help(help),
            None => diag,
        }
    }

    /// How to write the float literal that stands where an integer is asked.
    fn float_as_integer(&self, id: ExprId, expected: &Ty, found: &Ty) -> Option<String> {
        let to = self.infer.resolve(expected);
        let scalar = to.scalar().filter(|scalar| scalar.is_int())?;
        if self.infer.kind(found) != Some(VarKind::Float) {
            return None;
        }
        let (negative, literal) = match &self.body.exprs[id].kind {
            ExprKind::Op(Op::Neg, args) => (true, args.first().copied()?),
            _ => (false, id),
        };
        let ExprKind::Float(text) = &self.body.exprs[literal].kind else {
            return Some(format!("give a literal its type, as in `1.0f32`, and convert the whole with `as {to}`"));
        };
        let value = text.parse::<f64>().ok().filter(|value| value.fract() == 0.0 && *value < 1e15);
        let whole = value.map(|value| if negative { -(value as i128) } else { value as i128 });
        let (least, greatest) = scalar.limits();
        Some(match whole {
            Some(whole) if (least..=greatest).contains(&whole) => format!("write `{whole}`"),
            // A cast takes the nearest number that there is.
            _ => format!("convert it with `as {to}`: `{}{text} as {to}`", if negative { "-" } else { "" }),
        })
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
        if matches!(to, Ty::Reference(_)) {
            return Some("write `&` before it, or `.copied()` before this method".to_owned());
        }
        if let Ty::Reference(of) = &from {
            return (**of == to)
                .then(|| "write `*` before it for the value, or `.copied()` behind the `Option`".to_owned());
        }
        if let Some(held) = from.held()
            && (*held == to || matches!(held, Ty::Var(_)) || matches!(to, Ty::Var(_)) && held.scalar().is_some())
        {
            return Some("take the value out of the `Option`: `.unwrap_or(value)`".to_owned());
        }
        if to.held().is_some_and(|held| *held == from || matches!((held, &from), (Ty::Var(_), _))) {
            return Some("wrap the value: `Some(…)`".to_owned());
        }
        if matches!(from, Ty::Scalar(Scalar::Bool)) && matches!(&to, Ty::Scalar(s) if s.is_float()) {
            return Some(format!("convert it with `as u32 as {to}`"));
        }
        if let (Ty::Scalar(Scalar::Bool), Ty::Vector(lane, _)) = (&to, &from)
            && **lane == Ty::Scalar(Scalar::Bool)
        {
            return Some("say which lanes count: `.all()` or `.any()`".to_owned());
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

    /// Reads a type; reports it if it is refused.
    fn read_type(&mut self, ty: &'a syn::Type) -> Ty {
        match types::read(ty, self) {
            Ok(read) => {
                self.written(ty, &read);
                read
            }
            Err(refused) => {
                self.reporter.refuse(ty, refused);
                Ty::Error
            }
        }
    }

    /// Notes what a type that is written somewhere needs of a device.
    fn written(&mut self, ty: &'a syn::Type, read: &Ty) {
        let features = declare::of_type(read);
        if !features.is_empty() {
            let loc = self.loc(declare::innermost(ty));
            let before = self.body.exprs.len();
            self.body.written.push(Written { features, before, loc });
        }
    }

    /// The value of an integer constant of this name.
    fn known_constant(&self, name: &str) -> Option<i128> {
        let Binding::Local(local) = self.find(name)? else { return None };
        self.known.iter().find(|(id, _)| id == local).map(|(_, value)| *value)
    }

    /// Looks a name up.
    fn find(&self, name: &str) -> Option<&Binding<'a>> {
        self.context.names.iter().rev().find(|(n, _)| n == name).map(|(_, binding)| binding)
    }

    /// Runs `f` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, node: &'a dyn ToTokens, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH || self.depth + self.outer_depth >= MAX_DEPTH_IN_ALL {
            if std::mem::replace(&mut self.deep_reported, true) {
                return None;
            }
            let (message, help) = if self.depth >= MAX_DEPTH {
                let message = format!("a kernel cannot nest more than {MAX_DEPTH} levels deep");
                (message, "split the expression with `let`")
            } else {
                let message = "calls of helpers are nested too deeply here".to_owned();
                (message, "call them one after the other, with `let`")
            };
            self.reporter.refuse(node, Refused::new(Code::V018, message).help(help));
            return None;
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        Some(result)
    }
}
