//! Calls of helpers and closures: their bodies replace the calls.
//!
//! The body is lowered in a [`Context`] of its own, so that its names mean what they mean where
//! it was written. A `return` leaves the call as a `break` leaves a loop.

use super::borrow::{Borrow, Passed, may_change};
use super::captured::{Named, State, Unknown};
use super::class::{Bound, Obligation};
use super::place::Target;
use super::{Binding, Context, Lowerer};
use crate::class::Calls;
use crate::generics::{self, Parameter, Takes};
use crate::hir::{Block, ExprId, ExprKind, Loop, LoopId, Place, Stmt, Taken};
use crate::infer::{GenericArg, Ty, VarKind};
use crate::known::Kind;
use crate::link::Scope;
use crate::link::facts::{self, Fact};
use crate::names::Names;
use crate::names::Own;
use crate::report::Refused;
use crate::spans::Through;
use crate::syntax;
use crate::types;
use crate::types::integer;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag, count};
use samebits_ir::loc::Loc;
use std::rc::Rc;
use syn::ext::IdentExt;

/// The deepest nesting of calls.
pub(crate) const MAX_CALLS: usize = 48;
/// How many expressions a function may have with its helpers.
pub(crate) const MAX_EXPRS: usize = 200_000;

/// A helper, method or associated function, as a call finds it.
pub(super) struct Callee<'a> {
    pub fact: &'a Fact,
    pub sig: &'a syn::Signature,
    /// Its body; nothing of a function of a trait that a type has which is not known.
    pub block: Option<&'a syn::Block>,
    /// What its names mean.
    pub scope: Scope<'a>,
    /// What it is of.
    pub owner: Owner,
    /// How messages call it.
    pub shown: String,
}

/// What a function is of, which says what `Self` is in it.
pub(super) enum Owner {
    /// Nothing: it is a helper.
    Helper,
    /// A struct, in whose implementation it stands: the arguments as far as they are known.
    Struct(Vec<Option<GenericArg>>),
    /// A type that has it by a trait.
    Type(Ty),
}

/// A closure, with the context that its names are looked up in.
#[derive(Clone)]
pub(super) struct Closure<'a> {
    pub syntax: &'a syn::ExprClosure,
    /// The variable that holds it.
    pub named: Option<Rc<Named>>,
    /// What is known of it so far.
    pub state: Rc<State<'a>>,
    scope: Scope<'a>,
    names: Vec<(String, Binding<'a>)>,
    own: Own,
    /// The call around the place where it was written.
    through: Through,
    /// The helpers around that place.
    calls: Vec<String>,
    /// Whether it changes variables of its own.
    changes: bool,
    /// Whether it was written inside of an `unsafe`.
    is_unsafe: bool,
    /// What it takes and gives, as stated by the parameter that it was passed for.
    pub signature: Option<Stated<'a>>,
}

/// What a parameter states of the function that is passed for it.
#[derive(Clone)]
pub(super) struct Stated<'a> {
    syntax: &'a syn::ParenthesizedGenericArguments,
    pub takes: Vec<Taken>,
    result: Ty,
    pub calls: Calls,
}

impl<'a> Closure<'a> {
    /// Whether calling it changes nothing, as its syntax shows.
    pub(super) fn is_pure(&self) -> bool {
        super::iterate::is_pure(&self.syntax.body)
    }

    /// How many arguments it takes.
    pub(super) fn arity(&self) -> usize {
        self.syntax.inputs.len()
    }

    /// A closure in a context, with variables of its own.
    pub(super) fn new(
        syntax: &'a syn::ExprClosure,
        named: Option<Named>,
        own: Vec<(String, Binding<'a>)>,
        context: &Context<'a>,
        (calls, through): (Vec<String>, Through),
    ) -> Self {
        let copies: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
        let changes = !copies.is_empty() && may_change(&syntax.body, &copies);
        let (scope, names) = (context.scope, context.names.iter().cloned().chain(own).collect());
        let (own, is_unsafe) = (context.own.clone(), context.is_unsafe);
        let (named, state) = (named.map(Rc::new), Rc::default());
        Self { syntax, named, state, scope, names, own, through, calls, changes, is_unsafe, signature: None }
    }

    /// The same as the last helper that takes it states it.
    pub(super) fn as_stated(&self) -> Self {
        Self { signature: self.state.stated.borrow().clone(), ..self.clone() }
    }

    /// Whether a copy of it would diverge from it: it changes variables of its own. A closure that
    /// was passed here is not copied, because its caller gave it away.
    pub(super) fn changes_copies(&self) -> bool {
        self.changes && self.signature.is_none()
    }
}

/// Where a call is, while its body is lowered.
struct Outer<'a> {
    context: Context<'a>,
    calls: Vec<String>,
    depth: usize,
}

impl<'a> Lowerer<'a, '_> {
    /// Calls a helper.
    pub(super) fn call_helper(
        &mut self,
        callee: Callee<'a>,
        turbofish: Option<&'a syn::AngleBracketedGenericArguments>,
        receiver: Option<Passed<'a>>,
        args: Vec<&'a syn::Expr>,
        loc: Loc,
    ) -> ExprId {
        let inputs: Vec<&'a syn::PatType> = callee.sig.inputs.iter().filter_map(typed).collect();
        let mut stmts = Vec::new();
        if callee.fact.broken || inputs.len() != args.len() {
            let given = args.len();
            self.lower_all(args);
            if !callee.fact.broken {
                self.takes(given, inputs.len(), &callee.shown, loc);
            }
            return self.error(loc);
        }
        if let Some(error) = self.unsuitable_call(&callee, loc) {
            self.lower_all(args);
            return error;
        }
        let takes = inputs.iter().map(|input| Some(generics::takes(&input.ty, callee.sig)));
        let mut passed: Vec<Passed<'a>> = Vec::new();
        let own = receiver.is_some();
        passed.extend(receiver);
        self.pass_all(args, takes, &mut passed, &mut stmts);
        self.call_passed(callee, turbofish, (own, passed), stmts, loc)
    }

    /// Calls a helper with arguments that were looked at, the receiver first if there is one.
    pub(super) fn call_passed(
        &mut self,
        callee: Callee<'a>,
        turbofish: Option<&'a syn::AngleBracketedGenericArguments>,
        (own, passed): (bool, Vec<Passed<'a>>),
        mut stmts: Vec<Stmt>,
        loc: Loc,
    ) -> ExprId {
        let parameters = generics::parameters(&callee.sig.generics);
        let inputs: Vec<&'a syn::PatType> = callee.sig.inputs.iter().filter_map(typed).collect();
        let takes: Vec<Takes<'a>> = inputs.iter().map(|input| generics::takes(&input.ty, callee.sig)).collect();
        let own = usize::from(own);
        self.disjoint(&passed);
        let begins: Vec<(Target, bool, Loc)> = passed
            .iter()
            .filter_map(|passed| match passed {
                Passed::Reference(borrow) => Some((borrow.target.clone(), borrow.mutable, borrow.loc)),
                _ => None,
            })
            .collect();
        let owed = self.obligations.len();
        let mut context = Context::of(callee.scope, None);
        match self.own_of(&callee, (&takes, &passed[own..]), loc) {
            Ok(found) => context.own = found,
            Err(refused) => return self.refuse(refused.at(loc)),
        }
        if !self.bind_generics(&callee, (&parameters, turbofish), (&takes, &passed[own..]), &mut context, loc) {
            return self.error(loc);
        }
        context.result = match &callee.sig.output {
            syn::ReturnType::Default => Ty::Unit,
            syn::ReturnType::Type(_, ty) => types::read(ty, &context).unwrap_or(Ty::Error),
        };
        let mut expected: Vec<Option<Ty>> = Vec::new();
        for takes in &takes {
            match parameter_type(*takes, &context) {
                Ok(ty) => expected.push(ty),
                Err(refused) => {
                    // Right for what the helper was checked with, but not for this.
                    self.reporter.report(refused.at(loc));
                    return self.error(loc);
                }
            }
        }
        self.reporter.spans.enter(loc, &callee.shown);
        let result = context.result.clone();
        let frame = self.frame(result.clone());
        context.call = Some(frame);
        let calls = [self.calls.as_slice(), &[callee.id()]].concat();
        let outer = self.enter(context, calls);
        let mut passed = passed.into_iter();
        let mut bound = true;
        if own == 1 {
            bound &= self.bind_self(passed.next(), callee.sig, &callee.shown, &mut stmts);
        }
        for (((input, takes), passed), expected) in inputs.iter().zip(&takes).zip(passed).zip(expected) {
            bound &= self.bind_parameter(input, (*takes, expected), passed, &callee.shown, &mut stmts);
        }
        self.begins(&begins, &mut stmts);
        let mut block = Block { stmts: Vec::new(), tail: None };
        bound = bound && self.classes_hold(owed);
        // The arguments told what the type parameters are, which paths through them have to know.
        let mut own = std::mem::take(&mut self.context.own.types);
        own.iter_mut().for_each(|(_, ty)| *ty = self.infer.resolve(ty));
        self.context.own.types = own;
        bound = bound && self.traits_are_known(&callee.shown, loc);
        match callee.block {
            Some(body) if bound => block = self.call_body(body, &result),
            None if bound && result != Ty::Unit => block.tail = Some(self.unknown("result", result.clone(), loc)),
            _ => {}
        }
        self.leave(outer);
        if !bound {
            return self.error(loc);
        }
        self.push(ExprKind::Call(frame, stmts, block), result, loc)
    }

    /// Whether all types whose traits a body relies on are known; reports one that is not.
    fn traits_are_known(&mut self, helper: &str, loc: Loc) -> bool {
        let own = &self.context.own;
        let open = own.types.iter().find(|(name, ty)| {
            let bound = own.bounds.iter().any(|(of, _)| of == name);
            bound && self.infer.kind(ty).is_some()
        });
        let Some((name, ty)) = open.cloned() else { return true };
        let message = format!("cannot infer `{name}` of `{helper}`");
        let help = format!("write it: `{helper}::<Type>(…)`");
        self.reporter.report(Diag::new(Code::V202, loc, message).help(help));
        self.infer.give_up(&ty);
        false
    }

    /// Goes on in the context of another body, which is in these calls.
    fn enter(&mut self, context: Context<'a>, calls: Vec<String>) -> Outer<'a> {
        self.inlined += 1;
        self.outer_depth += self.depth;
        let depth = std::mem::take(&mut self.depth);
        let calls = std::mem::replace(&mut self.calls, calls);
        Outer { context: std::mem::replace(&mut self.context, context), calls, depth }
    }

    /// Comes back from it.
    fn leave(&mut self, outer: Outer<'a>) {
        let inner = std::mem::replace(&mut self.context, outer.context);
        self.free.extend(inner.private);
        self.inlined -= 1;
        self.calls = outer.calls;
        self.depth = outer.depth;
        self.outer_depth -= outer.depth;
        self.reporter.spans.leave();
    }

    /// Why a helper cannot be called here at all.
    pub(super) fn unsuitable_call(&mut self, callee: &Callee<'a>, loc: Loc) -> Option<ExprId> {
        if self.calls.contains(&callee.id()) {
            let message = format!("`{}` calls itself", callee.shown);
            return Some(self.refuse(Diag::new(Code::V106, loc, message).help("use a loop instead")));
        }
        if self.inlined > MAX_CALLS {
            let message = format!("helpers cannot call each other more than {MAX_CALLS} levels deep");
            return Some(self.refuse(Diag::new(Code::V018, loc, message)));
        }
        if self.body.exprs.len() > MAX_EXPRS {
            if std::mem::replace(&mut self.long_reported, true) {
                return Some(self.error(loc));
            }
            let message = "this function is too long with its helpers inlined";
            return Some(
                self.refuse(Diag::new(Code::V019, loc, message).help("call fewer helpers, or call them in a loop")),
            );
        }
        None
    }

    /// The body of a call, whose last value is that of the call.
    fn call_body(&mut self, block: &'a syn::Block, result: &Ty) -> Block {
        let (block, _) = self.block(block);
        if let Some(tail) = block.tail {
            self.expect(tail, result);
        }
        block
    }

    /// What `return` and the end of a call's body lead to.
    fn frame(&mut self, ty: Ty) -> LoopId {
        self.body.loops.push(Loop { label: None, ty, broken: false, is_block: false, unroll: None })
    }

    /// Looks at the arguments of a call that was refused.
    pub(super) fn lower_all(&mut self, args: impl IntoIterator<Item = &'a syn::Expr>) {
        for arg in args {
            match syntax::peel(arg) {
                syn::Expr::Reference(reference) => self.given_up(&reference.expr),
                _ if self.is_function(arg) => {}
                _ => self.given_up(arg),
            }
        }
    }

    /// Finds out what the type and constant parameters of a call are.
    fn bind_generics(
        &mut self,
        callee: &Callee<'a>,
        (parameters, turbofish): (&[Parameter], Option<&'a syn::AngleBracketedGenericArguments>),
        (takes, passed): (&[Takes<'a>], &[Passed<'a>]),
        context: &mut Context<'a>,
        loc: Loc,
    ) -> bool {
        let written: Vec<&'a syn::GenericArgument> = turbofish.map_or(Vec::new(), |list| list.args.iter().collect());
        let explicit = parameters.iter().filter(|parameter| !matches!(parameter, Parameter::Function { .. })).count();
        if !written.is_empty() && written.len() != explicit {
            let message = format!(
                "`{}` has {}, but {} given",
                callee.shown,
                count(explicit, "generic parameter"),
                if written.len() == 1 { "1 is".to_owned() } else { format!("{} are", written.len()) }
            );
            self.reporter.report(Diag::new(Code::V204, loc, message));
            return false;
        }
        let mut written = written.into_iter();
        let mut known = true;
        for parameter in parameters {
            match parameter {
                Parameter::Type { name, class, traits } => {
                    let ty = match written.next() {
                        Some(syn::GenericArgument::Type(syn::Type::Infer(_))) | None => {
                            self.infer.var(VarKind::General)
                        }
                        Some(syn::GenericArgument::Type(ty)) => self.read_type(ty),
                        Some(other) => {
                            self.unsupported(other, "this generic argument", Some("write a type"));
                            Ty::Error
                        }
                    };
                    let mut bounds: Vec<Bound> = class.iter().map(|class| Bound::Class(*class)).collect();
                    // What is no trait was reported where the helper is.
                    let traits: Vec<&Fact> = traits.iter().filter_map(|path| callee.scope.trait_named(path)).collect();
                    bounds.extend(traits.iter().map(|of| Bound::Trait { id: of.id.clone(), name: of.name.clone() }));
                    bounds.into_iter().for_each(|bound| self.owe(ty.clone(), bound, name, &callee.shown, loc));
                    if !traits.is_empty() {
                        let ids = traits.iter().map(|of| of.id.clone()).collect();
                        context.own.bounds.push((name.clone(), ids));
                    }
                    context.own.types.push((name.clone(), ty));
                }
                Parameter::Const { name } => {
                    let given = written.next().filter(|given| given.to_token_stream().to_string() != "_");
                    let value = match given {
                        Some(given) => self.constant_argument(given),
                        None => self.length_of(name, takes, passed),
                    };
                    match value {
                        Some(value) => context.own.lengths.push((name.clone(), value)),
                        None => {
                            if given.is_none() {
                                let message = format!("cannot infer `{name}` of `{}`", callee.shown);
                                let help = format!("write it: `{}::<4>(…)`", callee.shown);
                                self.reporter.report(Diag::new(Code::V202, loc, message).help(help));
                            }
                            known = false;
                        }
                    }
                }
                Parameter::Function { .. } | Parameter::Wrong(_) => {}
            }
        }
        known
    }

    pub(super) fn owe(&mut self, ty: Ty, bound: Bound, parameter: &str, helper: &str, loc: Loc) {
        let (parameter, helper) = (parameter.to_owned(), helper.to_owned());
        self.obligations.push(Obligation { ty, bound, helper, parameter, loc });
    }

    /// A constant of a turbofish.
    fn constant_argument(&mut self, argument: &'a syn::GenericArgument) -> Option<i128> {
        let value = match argument {
            syn::GenericArgument::Const(expr) => integer::evaluate(expr, self),
            syn::GenericArgument::Type(syn::Type::Path(path)) => self.constant(&path.path),
            _ => None,
        };
        // It is a `usize`.
        let value = value.and_then(|known| known.typed(Kind::Usize)).map(|known| known.value);
        if value.is_none() {
            let help = "write a literal, a `const` of the function or a `#[device] const`";
            self.unsupported(argument, "this constant", Some(help));
        }
        value
    }

    /// Gives a parameter its argument; `false` if something of it was refused.
    fn bind_parameter(
        &mut self,
        input: &'a syn::PatType,
        (takes, expected): (Takes<'a>, Option<Ty>),
        passed: Passed<'a>,
        helper: &str,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let binding = match (passed, takes) {
            (Passed::Value(value), _) => {
                let expected = expected.unwrap_or(Ty::Error);
                self.expect(value, &expected);
                self.bind(&input.pat, value, stmts);
                return !matches!(self.body.exprs[value].kind, ExprKind::Error);
            }
            (Passed::Reference(borrow), _) => self.lent(borrow, &expected.unwrap_or(Ty::Error), helper),
            (Passed::Function(binding), Takes::Function(signature, calls)) => {
                self.typed_function(binding, signature, calls)
            }
            (Passed::Function(_) | Passed::Item(_) | Passed::Refused, _) => Binding::Refused,
        };
        let right = !matches!(binding, Binding::Refused);
        if let Some((name, _)) = syntax::binding(&input.pat) {
            self.context.names.push((name.unraw().to_string(), binding));
        }
        right
    }

    /// A function argument with the types that its parameter states.
    fn typed_function(
        &mut self,
        binding: Binding<'a>,
        signature: &'a syn::ParenthesizedGenericArguments,
        calls: Calls,
    ) -> Binding<'a> {
        let Some((takes, result)) = function_types(signature, &self.context) else { return Binding::Refused };
        match binding {
            Binding::Closure(closure) => {
                let signature = Some(Stated { syntax: signature, takes, result, calls });
                closure.state.stated.borrow_mut().clone_from(&signature);
                Binding::Closure(Rc::new(Closure { signature, ..(*closure).clone() }))
            }
            other => other,
        }
    }

    fn bind_self(
        &mut self,
        own: Option<Passed<'a>>,
        sig: &'a syn::Signature,
        helper: &str,
        stmts: &mut Vec<Stmt>,
    ) -> bool {
        let self_ty = self.context.own.self_ty.clone().unwrap_or(Ty::Error);
        let mutable = sig.receiver().is_some_and(|own| own.reference.is_none() && own.mutability.is_some());
        let binding = match own {
            Some(Passed::Value(value)) => {
                self.expect(value, &self_ty);
                self.declare_as("self", mutable, value, self.body.exprs[value].loc, stmts)
            }
            Some(Passed::Reference(borrow)) => self.lent(borrow, &self_ty, helper),
            _ => return false,
        };
        let right = !matches!(binding, Binding::Refused);
        self.context.names.push(("self".to_owned(), binding));
        right
    }

    /// Calls a closure.
    pub(super) fn call_closure(&mut self, call: &'a syn::ExprCall, closure: &Closure<'a>, loc: Loc) -> ExprId {
        let inputs: Vec<&'a syn::Pat> = closure.syntax.inputs.iter().collect();
        closure.state.called.set(true);
        if !self.arity(&call.args, inputs.len(), "this closure", loc) {
            self.lower_all(&call.args);
            return self.error(loc);
        }
        let mut stmts = Vec::new();
        let mut passed = Vec::new();
        let takes = inputs.iter().enumerate().map(|(i, input)| match (&closure.signature, input) {
            (Some(stated), _) => stated.syntax.inputs.get(i).and_then(generics::takes_reference),
            (None, syn::Pat::Type(typed)) => generics::takes_reference(&typed.ty),
            (None, _) => None,
        });
        self.pass_all(&call.args, takes, &mut passed, &mut stmts);
        self.disjoint(&passed);
        self.inline_closure(closure, passed, stmts, loc)
    }

    /// The body of a closure with its arguments, in the place of a call.
    pub(super) fn inline_closure(
        &mut self,
        closure: &Closure<'a>,
        passed: Vec<Passed<'a>>,
        mut stmts: Vec<Stmt>,
        loc: Loc,
    ) -> ExprId {
        if self.inlined > MAX_CALLS || self.body.exprs.len() > MAX_EXPRS {
            let message = "closures and helpers are nested too deeply here";
            return self.refuse(Diag::new(Code::V018, loc, message));
        }
        closure.state.called.set(true);
        let result = self.types_of_calls(closure, &passed);
        let lent: Option<Vec<Place>> = passed.iter().map(places).collect::<Option<Vec<_>>>().map(|all| all.concat());
        if let Some(stated) = &closure.signature {
            for (passed, taken) in passed.iter().zip(&stated.takes) {
                if let Passed::Value(value) = passed {
                    self.expect(*value, &taken.ty);
                }
            }
            self.infer.unify(&result, &stated.result);
        }
        let before = self.before();
        let frame = self.frame(result.clone());
        if let Some(number) = closure.named.as_ref().and_then(|named| named.number) {
            self.body.bodies.insert(frame, number);
        }
        let context = Context {
            names: closure.names.clone(),
            own: closure.own.clone(),
            result: result.clone(),
            call: Some(frame),
            is_unsafe: closure.is_unsafe,
            ..Context::of(closure.scope, None)
        };
        self.reporter.spans.enter_again(closure.through);
        let outer = self.enter(context, closure.calls.clone());
        for (i, (input, passed)) in closure.syntax.inputs.iter().zip(passed).enumerate() {
            match passed {
                Passed::Value(value) => self.bind(input, value, &mut stmts),
                Passed::Item(given) => self.bind_given(input, given, &mut stmts),
                Passed::Reference(borrow) => {
                    let stated = closure.signature.as_ref().and_then(|stated| stated.takes.get(i));
                    self.bind_reference(input, borrow, stated.map(|taken| taken.ty.clone()));
                }
                Passed::Function(_) | Passed::Refused => self.poison(input),
            }
        }
        let mut given = result.clone();
        if let syn::ReturnType::Type(_, written) = &closure.syntax.output {
            let ty = self.read_type(written);
            let at = self.loc(&**written);
            if !self.infer.unify(&ty, &result) {
                self.expect_at(at, &result, &ty, "the closure must return the type that the helper's parameter states");
                given = ty;
            }
        }
        let value = self.expr(&closure.syntax.body);
        self.expect(value, &given);
        if let Some(lent) = lent {
            self.judge_changes(closure, &before, &lent, loc);
        }
        self.leave(outer);
        let mut block = Block { stmts: Vec::new(), tail: Some(value) };
        let result = self.infer.resolve(&result);
        if closure.is_unsafe {
            let value = self.push(ExprKind::Unsafe(block), result.clone(), loc);
            block = Block { stmts: Vec::new(), tail: Some(value) };
        }
        self.push(ExprKind::Call(frame, stmts, block), result, loc)
    }

    /// Does something where the names of a closure are known.
    pub(super) fn in_closure<T>(&mut self, closure: &Closure<'a>, act: impl FnOnce(&mut Self) -> T) -> T {
        let (names, own) = (closure.names.clone(), closure.own.clone());
        let context = Context { names, own, ..Context::of(closure.scope, None) };
        let outer = std::mem::replace(&mut self.context, context);
        let done = act(self);
        self.context = outer;
        done
    }

    /// Gives a parameter of a closure the reference that it takes; `stated` is the type that the helper's parameter
    /// states.
    fn bind_reference(&mut self, input: &'a syn::Pat, borrow: Borrow, stated: Option<Ty>) {
        let (pat, written) = match input {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let written = written.map(|ty| match generics::takes_reference(ty) {
            Some(takes) => parameter_type(takes, &self.context).map(|read| (read.unwrap_or(Ty::Error), takes)),
            None => Err(Refused::new(Code::V200, "this parameter is a reference").help("write `&` before the type")),
        });
        let ty = match (written, stated) {
            (Some(Err(refused)), _) => {
                self.reporter.refuse(input, refused);
                return self.poison(pat);
            }
            (Some(Ok((ty, takes))), stated) => {
                let mutable = matches!(takes, Takes::Reference(reference) if reference.mutability.is_some());
                let right = mutable == borrow.mutable && stated.is_none_or(|stated| self.infer.unify(&ty, &stated));
                if !right {
                    let message = "this type differs from that of the helper's parameter";
                    self.reporter.refuse(input, Refused::new(Code::V200, message).help("remove the type"));
                    return self.poison(pat);
                }
                ty
            }
            (None, Some(stated)) => stated,
            (None, None) => Ty::Error,
        };
        let Some((name, _)) = syntax::binding(pat) else {
            self.unsupported(pat, "this pattern", Some("write a name, and `*name` for the value"));
            return self.poison(pat);
        };
        let binding = self.lent(borrow, &ty, "this closure");
        self.context.names.push((name.unraw().to_string(), binding));
    }

    /// Calls a function that is not known yet: its result may be anything.
    pub(super) fn call_unknown(&mut self, call: &'a syn::ExprCall, function: &Unknown, loc: Loc) -> ExprId {
        let Unknown { takes, result, .. } = function;
        if !self.arity(&call.args, takes.len(), "this function", loc) {
            self.lower_all(&call.args);
            return self.push(ExprKind::Error, result.clone(), loc);
        }
        let mut stmts = Vec::new();
        let mut all = Vec::new();
        for (arg, Taken { ty, reference }) in call.args.iter().zip(takes) {
            let Some(mutable) = *reference else {
                let value = self.expr(arg);
                self.expect(value, ty);
                stmts.push(Stmt::Expr(value));
                continue;
            };
            if let Passed::Reference(borrow) = self.passed_reference(arg, mutable, &mut stmts) {
                all.push(Passed::Reference(borrow.clone()));
                self.lent(borrow, ty, "this function");
            }
        }
        self.disjoint(&all);
        self.calls_unknown(function, loc, &mut stmts);
        self.unknown_result(stmts, result, loc)
    }

    /// What a function gives that is not known yet, after these statements.
    pub(super) fn unknown_result(&mut self, stmts: Vec<Stmt>, result: &Ty, loc: Loc) -> ExprId {
        let value = self.unknown("result", result.clone(), loc);
        let block = Block { stmts, tail: Some(value) };
        self.push(ExprKind::Block(block), result.clone(), loc)
    }

    /// A value of a type of which nothing else is known.
    pub(super) fn unknown(&mut self, name: &str, ty: Ty, loc: Loc) -> ExprId {
        let local = self.variable(name, ty.clone(), false, loc);
        self.body.unknown.push(local);
        self.push(ExprKind::Local(local), ty, loc)
    }

    /// `return`, with or without a value.
    pub(super) fn return_(&mut self, value: Option<ExprId>, loc: Loc) -> ExprId {
        let result = self.context.result.clone();
        match value {
            Some(value) => self.expect(value, &result),
            None => self.expect_at(loc, &result, &Ty::Unit, "add the value: `return value`"),
        }
        let kind = match self.context.call {
            Some(call) => {
                self.body.loops[call].broken = true;
                ExprKind::Break(call, value)
            }
            None => ExprKind::Return(value.filter(|_| result != Ty::Unit)),
        };
        self.push(kind, Ty::Never, loc)
    }

    /// The value of a constant of a struct, or of a `#[device] const`, where it is named.
    pub(super) fn inlined_constant(
        &mut self,
        fact: &'a Fact,
        (ty, expr): (&'a syn::Type, &'a syn::Expr),
        self_ty: Option<Ty>,
        loc: Loc,
    ) -> ExprId {
        let id = constant_id(fact, expr, self_ty.as_ref());
        let context = Context::of(self.context.scope.of(fact), self_ty);
        let ty = types::read(ty, &context).unwrap_or(Ty::Error);
        let value = self.constant_value((&fact.name, &id), context, (expr, &ty), loc);
        value.unwrap_or_else(|| self.error(loc))
    }

    /// The value of a constant of a name and an identity; `None` where it was refused.
    pub(super) fn constant_value(
        &mut self,
        (name, id): (&str, &str),
        context: Context<'a>,
        (expr, ty): (&'a syn::Expr, &Ty),
        loc: Loc,
    ) -> Option<ExprId> {
        if self.body.exprs.len() > MAX_EXPRS {
            let message = "this function is too long with the values of its constants";
            self.reporter.report(Diag::new(Code::V019, loc, message));
            return None;
        }
        if self.calls.iter().any(|call| call == id) || self.inlined > MAX_CALLS {
            self.reporter.report(Diag::new(Code::V106, loc, "the value of this constant depends on itself"));
            return None;
        }
        self.reporter.spans.enter(loc, name);
        let calls = [self.calls.as_slice(), &[id.to_owned()]].concat();
        let outer = self.enter(context, calls);
        let value = self.expr(expr);
        self.expect(value, ty);
        self.leave(outer);
        Some(value)
    }
}

impl Callee<'_> {
    /// What tells the function from all others; the body that a trait gives is another one for each type.
    fn id(&self) -> String {
        let of = match (&self.owner, self.fact.kind) {
            (Owner::Type(ty), facts::Kind::Trait) => ty.to_string(),
            _ => String::new(),
        };
        format!("{} {} {of}", self.fact.id, self.sig.ident)
    }
}

/// What tells a constant of a fact from all others; what a trait gives is another one for each type.
pub(super) fn constant_id(fact: &Fact, expr: &syn::Expr, self_ty: Option<&Ty>) -> String {
    let of = self_ty.filter(|_| fact.kind == facts::Kind::Trait).map_or_else(String::new, Ty::to_string);
    format!("constant {} {expr:p} {of}", fact.id)
}

/// The place that an argument refers to, if it is known which.
fn places(passed: &Passed<'_>) -> Option<Vec<Place>> {
    match passed {
        Passed::Reference(borrow) => Some(vec![borrow.target.place.clone()]),
        Passed::Item(_) => None,
        Passed::Value(_) | Passed::Function(_) | Passed::Refused => Some(Vec::new()),
    }
}

fn typed(input: &syn::FnArg) -> Option<&syn::PatType> {
    match input {
        syn::FnArg::Typed(typed) => Some(typed),
        syn::FnArg::Receiver(_) => None,
    }
}

/// The type that a parameter states, behind its reference.
pub(super) fn parameter_type(takes: Takes<'_>, names: &dyn Names) -> Result<Option<Ty>, Refused> {
    match takes {
        Takes::Value(ty) => types::read(ty, names).map(Some),
        Takes::Reference(reference) => match syntax::peel_type(&reference.elem) {
            syn::Type::Slice(slice) => types::read(&slice.elem, names).map(|ty| Some(Ty::Slice(Box::new(ty)))),
            ty => types::read(ty, names).map(Some),
        },
        Takes::Function(..) => Ok(None),
    }
}

/// The types of a function parameter's arguments and result.
pub(crate) fn function_types(
    signature: &syn::ParenthesizedGenericArguments,
    names: &dyn Names,
) -> Option<(Vec<Taken>, Ty)> {
    let taken = |ty: &syn::Type| {
        let takes = generics::takes_reference(ty).unwrap_or(Takes::Value(ty));
        let reference = match takes {
            Takes::Reference(reference) => Some(reference.mutability.is_some()),
            _ => None,
        };
        Some(Taken { ty: parameter_type(takes, names).ok()??, reference })
    };
    let params = signature.inputs.iter().map(taken).collect::<Option<_>>()?;
    let result = match &signature.output {
        syn::ReturnType::Default => Ty::Unit,
        syn::ReturnType::Type(_, ty) => types::read(ty, names).ok()?,
    };
    Some((params, result))
}
