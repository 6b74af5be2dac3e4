//! Functions, methods, fields and the constants of types.

use super::atomic::is_atomic_method;
use super::element::OF_ELEMENTS;
use super::inline::{Callee, Owner};
use super::place::{Places, Target, axis};
use super::traits::Lookup;
use super::{Binding, Lowerer};
use crate::hir::{Block, ExprId, ExprKind, Place, Step, Stmt};
use crate::infer::Ty;
use crate::spell;
use crate::syntax::{self, member};
use crate::types;
use crate::words::around::{Around, Plain};
use crate::words::foreign;
use crate::words::order;
use crate::words::reserved::{self, is_known_function, is_known_type};
use crate::words::suggest::instead_of;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use samebits_ir::ops::{AtomicOp, Function, Op};
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    pub(super) fn call(&mut self, call: &'a syn::ExprCall, loc: Loc) -> ExprId {
        let syn::Expr::Path(path) = syntax::peel(&call.func) else {
            return self.unsupported(&*call.func, "a call of this expression", None);
        };
        if let Some(called) = self.call_qualified(call, path, loc) {
            return called;
        }
        if let Some(called) = self.operator_qualified(call, path, loc) {
            return called;
        }
        if let Some(refused) = self.through_a_trait(path) {
            self.lower_all(&call.args);
            return refused;
        }
        if let Some(ident) = path.path.get_ident() {
            let function = self.find(&ident.unraw().to_string()).cloned();
            match function {
                Some(Binding::Closure(closure)) => return self.call_closure(call, &closure, loc),
                Some(Binding::Unknown(signature)) => return self.call_unknown(call, &signature, loc),
                Some(Binding::Local(_) | Binding::Memory(_) | Binding::Alias(_) | Binding::Iterator(_)) => {
                    self.lower_all(&call.args);
                    let at = self.loc(&*call.func);
                    let message = format!("expected a function, found the variable `{ident}`");
                    let help = "if you meant a helper of this name, the variable hides it: rename the variable";
                    return self.refuse(Diag::new(Code::V016, at, message).help(help));
                }
                Some(Binding::Variant(ty, variant)) => {
                    if let Some(made) = self.variant_call(call, path, loc) {
                        return made;
                    }
                    self.lower_all(&call.args);
                    let at = self.loc(&*call.func);
                    let message = format!("the variant `{}::{variant}` has no fields", self.infer.show(&ty));
                    return self.refuse(Diag::new(Code::V204, at, message).help(format!("write `{ident}`")));
                }
                Some(Binding::Refused) | None => {}
            }
        }
        if let Some(some) = self.some(call, &path.path, loc) {
            return some;
        }
        let before = self.reporter.diags.count();
        let called = match self.known_call(call, path, loc) {
            Some(known) => self.without_arguments(known, &path.path),
            None => self.linked_call(call, path, loc),
        };
        if self.reporter.diags.count() > before
            && let Some(ident) = path.path.get_ident()
            && (is_known_function(&ident.unraw().to_string()) || is_known_type(&ident.unraw().to_string()))
            && Around::links_to(ident)
        {
            // A helper that cannot have this name: that was reported where it is.
            self.reporter.diags.truncate(before);
            return self.excuse(loc);
        }
        called
    }

    /// A call of a function of the language; `None` for any other call.
    fn known_call(&mut self, call: &'a syn::ExprCall, path: &'a syn::ExprPath, loc: Loc) -> Option<ExprId> {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let name = segments.last().map_or("", String::as_str);
        // A type parameter means the type that it is in this instance.
        let owner = segments.len().checked_sub(2).map(|i| segments[i].as_str());
        let parameter = match (owner, segments.len()) {
            (Some(owner), 2) => self.context.own.types.iter().find(|(name, _)| name == owner).map(|(_, ty)| ty.clone()),
            _ => None,
        };
        let parameter = parameter.and_then(|ty| self.infer.resolve(&ty).scalar()).map(Scalar::name);
        let owner = parameter.or(owner);
        let Some(owner) = owner else {
            if matches!(self.find(name), Some(Binding::Refused)) {
                self.args(&call.args);
                return Some(self.error(loc));
            }
            return match Function::from_name(name) {
                Some(function) => Some(self.language_function(call, function, loc)),
                None => self.message(call, name, loc),
            };
        };
        Some(match (owner, name) {
            ("Vec2" | "Vec3" | "Vec4", "new" | "splat" | "from" | "from_array" | "select") => {
                let lanes = path.path.segments.iter().rev().nth(1).and_then(|owner| types::lanes(&owner.ident))?;
                self.vector_function(call, &path.path, lanes, loc)
            }
            ("f16" | "f32" | "f64", "from_bits") => {
                let scalar = Scalar::from_name(owner).unwrap_or(Scalar::F32);
                let args = self.args(&call.args);
                if !self.arity(&call.args, 1, &format!("{owner}::from_bits"), loc) {
                    return Some(self.push(ExprKind::Error, Ty::Scalar(scalar), loc));
                }
                self.expect(args[0], &Ty::Scalar(scalar.unsigned()));
                self.push(ExprKind::Op(Op::Bitcast, args), Ty::Scalar(scalar), loc)
            }
            ("bf16", "from_f32" | "from_bits") => self.bfloat_of(call, name, loc),
            ("usize", "from") => self.number_from(call, (path, Ty::Usize), loc),
            (number, "from") if number != "bool" && Scalar::from_name(number).is_some() => {
                let scalar = Scalar::from_name(number)?;
                self.number_from(call, (path, Ty::Scalar(scalar)), loc)
            }
            ("atomic", "fence") => self.fence(call, Function::Fence, loc),
            ("Mat2" | "Mat3" | "Mat4", _) => {
                let owner = path.path.segments.iter().rev().nth(1);
                let columns = owner.and_then(|owner| types::columns(&owner.ident))?;
                self.matrix_function(call, &path.path, columns, loc)?
            }
            (owner, "from_le_bytes" | "from_be_bytes" | "from_ne_bytes" | "from_le" | "from_be") => {
                let scalar = Scalar::from_name(owner)?;
                self.number_of_bytes(call, scalar, name, loc)?
            }
            ("approx", name) => {
                let op = reserved::approx(&path.path)?;
                self.approx(call, op, name, loc)
            }
            _ => return None,
        })
    }

    /// `bf16::from_f32(x)`, rounded to the nearest, and `bf16::from_bits(n)`
    fn bfloat_of(&mut self, call: &'a syn::ExprCall, name: &str, loc: Loc) -> ExprId {
        let args = self.args(&call.args);
        if !self.arity(&call.args, 1, &format!("bf16::{name}"), loc) {
            return self.push(ExprKind::Error, Ty::Bf16, loc);
        }
        let (op, taken) = match name {
            "from_f32" => (Op::ToBfloat, Scalar::F32),
            _ => (Op::Bitcast, Scalar::U16),
        };
        self.expect(args[0], &Ty::Scalar(taken));
        self.push(ExprKind::Op(op, args), Ty::Bf16, loc)
    }

    /// A call of a function that devices compute in their own way.
    fn approx(&mut self, call: &'a syn::ExprCall, op: Op, name: &str, loc: Loc) -> ExprId {
        let args = self.args(&call.args);
        if !self.arity(&call.args, op.info().signature.arity().0, &format!("approx::{name}"), loc) {
            return self.error(loc);
        }
        let single = Ty::Scalar(Scalar::F32);
        let ty = match self.ty(args[0]) {
            Ty::Vector(_, lanes) => Ty::Vector(Box::new(single), lanes),
            _ => single,
        };
        args.iter().for_each(|&arg| self.expect(arg, &ty));
        self.push(ExprKind::Approx(op, args), ty, loc)
    }

    /// A call of a function of the language by its name alone.
    fn language_function(&mut self, call: &'a syn::ExprCall, function: Function, loc: Loc) -> ExprId {
        let name = function.name();
        let (kind, ty) = match function {
            Function::Op(op) => return self.function(call, op, name, loc),
            Function::Subgroup(op) => return self.subgroup(call, op, loc),
            Function::Broadcast => return self.broadcast(call, loc),
            Function::Fence | Function::FenceIn => return self.fence(call, function, loc),
            Function::Barrier => {
                self.arity(&call.args, 0, name, loc);
                (ExprKind::Barrier, Ty::Unit)
            }
            Function::Builtin(builtin) => {
                self.arity(&call.args, 0, name, loc);
                match builtin.axis() {
                    Some(_) => (ExprKind::Ids, Ty::Ids(builtin)),
                    None => (ExprKind::Builtin(builtin), Ty::Usize),
                }
            }
        };
        self.push(kind, ty, loc)
    }

    /// A call of a helper, an associated function or a tuple struct's constructor.
    fn linked_call(&mut self, call: &'a syn::ExprCall, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        if let Some(fact) = self.context.scope.find(&syntax::bare(&path.path))
            && let Some(item) = fact.function()
        {
            let scope = self.context.scope.of(fact);
            let shown = fact.name.clone();
            let callee = Callee { fact, sig: &item.sig, block: Some(&item.block), scope, owner: Owner::Helper, shown };
            let turbofish = path.path.segments.last().and_then(turbofish);
            let others = path.path.segments.iter().filter(|segment| !segment.arguments.is_none()).count();
            if others > usize::from(turbofish.is_some()) {
                self.reporter.refuse(&path.path, types::no_arguments(&path.path));
                self.lower_all(&call.args);
                return self.error(loc);
            }
            return self.call_helper(callee, turbofish, None, call.args.iter().collect(), loc);
        }
        match self.call_of_type(call, path, loc) {
            Some(called) => called,
            None => {
                let unknown = self.unknown_call(call, path);
                self.args_of_refused(&call.args);
                unknown
            }
        }
    }

    pub(super) fn unknown_call(&mut self, call: &'a syn::ExprCall, path: &'a syn::ExprPath) -> ExprId {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let name = segments.last().map_or("", String::as_str);
        let owner = segments.len().checked_sub(2).map(|i| segments[i].as_str());
        let shown = segments.join("::");
        let loc = self.loc(&*call.func);
        if owner.is_none() && self.calls.first().is_some_and(|own| own == name) {
            let message = format!("`{shown}` calls itself");
            return self.refuse(Diag::new(Code::V106, loc, message).help("use a loop instead"));
        }
        if let Some(first) = segments.first().filter(|_| owner.is_some())
            && matches!(self.find(first), Some(Binding::Refused))
        {
            return self.error(loc);
        }
        if foreign::is_variant(&path.path) && self.context.scope.find(&path.path).is_none() {
            return self.variant(&path.path, loc);
        }
        if let Some(brought) = self.brought_variant(&path.path, loc) {
            return brought;
        }
        let args = foreign::arguments(&call.args);
        let plain = path.path.segments.last().and_then(|last| Around::plain_of(&last.ident));
        let help = match (instead_of(owner, name, &args), plain) {
            (_, Some(Plain::Kernel)) => {
                "only the host launches kernels: move the shared code into a helper, a `#[device] fn`".to_owned()
            }
            (_, Some(Plain::Function)) => {
                format!("a function that kernels call is a helper: write `#[device] fn {name}`")
            }
            (Some(help), _) => help,
            (None, _) if foreign::is_std(&path.path) => {
                "write its code in the kernel, or write a helper for it".to_owned()
            }
            (None, _) => "a function that kernels call is a helper: give it `#[device]`".to_owned(),
        };
        let message = format!("cannot call the function `{shown}` in a kernel");
        let known = foreign::type_of_variant(&shown).unwrap_or(&shown);
        self.refuse_name(known, Diag::new(Code::V016, loc, message).help(help))
    }

    /// The report of a variant of an enum, once for each enum.
    pub(super) fn variant(&mut self, path: &syn::Path, loc: Loc) -> ExprId {
        let shown = syntax::spelled_path(path);
        let owner = syntax::owner(path).map_or_else(String::new, |(owner, _)| syntax::spelled_path(&owner));
        let message = format!("`{shown}` is a variant of an enum that kernels cannot use");
        let name = owner.rsplit("::").next().unwrap_or_default();
        let help = format!(
            "write `#[derive(Clone, Copy, Element)]` before `enum {name}`, and `#[repr(u32)]` if no variant has fields"
        );
        self.refuse_name(&owner, Diag::new(Code::V201, loc, message).help(help))
    }

    /// The report of a constant that has parts, so that it needs `#[device]`.
    pub(super) fn undeclared_table(&mut self, path: &syn::Path, loc: Loc) -> ExprId {
        let shown = syntax::spelled_path(path);
        let ident = path.segments.last().map(|last| &last.ident);
        let help = match ident.and_then(Around::plain_of) {
            Some(Plain::Static) => format!("write `#[device] const {shown}` instead of `static {shown}`"),
            _ => format!("write `#[device]` before `const {shown}`"),
        };
        let message = format!("`{shown}` needs `#[device]`: only a constant that is a number can be used without it");
        self.refuse_name(&shown, Diag::new(Code::V006, loc, message).help(help))
    }

    /// `broadcast(&cell)`: what all invocations of the workgroup then agree on.
    fn broadcast(&mut self, call: &'a syn::ExprCall, loc: Loc) -> ExprId {
        if !self.arity(&call.args, 1, "broadcast", loc) {
            self.args(&call.args);
            return self.error(loc);
        }
        let arg = syntax::peel(&call.args[0]);
        let inner = match arg {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => &*reference.expr,
            other => other,
        };
        let at = self.loc(arg);
        let shared = match self.place(inner, Places::Loaded) {
            Some(target) => match &target.memory {
                Some(memory) if matches!(memory.root, Root::Shared(_)) => Some(target),
                Some(_) => None,
                None => return self.error(loc),
            },
            None => None,
        };
        match shared {
            Some(target) if matches!(self.infer.resolve(&target.ty), Ty::Atomic(_)) => {
                let shown = spell::expression(inner);
                let message = "`broadcast` reads plain workgroup memory, but this is an atomic";
                let help = format!(
                    "let one invocation copy it into a cell that is not an atomic, `#[shared] let cell: u32;` and \
                     `cell = {shown}.load();`, and broadcast that"
                );
                self.refuse(Diag::new(Code::V025, at, message).help(help))
            }
            Some(target) if matches!(arg, syn::Expr::Reference(_)) => {
                let loaded = self.load(target, loc);
                if let ExprKind::Load(place) = std::mem::replace(&mut self.body.exprs[loaded].kind, ExprKind::Error) {
                    self.body.exprs[loaded].kind = ExprKind::Broadcast(place);
                }
                loaded
            }
            _ => {
                let help = "write `broadcast(&cell)` with `#[shared] let cell: T;`";
                self.refuse(Diag::new(Code::V204, at, "`broadcast` takes a reference to workgroup memory").help(help))
            }
        }
    }

    pub(super) fn args(&mut self, args: &'a syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>) -> Vec<ExprId> {
        args.iter().map(|arg| self.expr(arg)).collect()
    }

    /// The arguments of a call that is refused: what stands there may well be wrong for the same reason.
    pub(super) fn args_of_refused(&mut self, args: &'a syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>) {
        let before = self.reporter.diags.count();
        self.lower_all(args);
        self.reporter.diags.truncate(before);
    }

    /// Whether there are as many arguments as there should be; reports it if not.
    pub(super) fn arity<T>(
        &mut self,
        args: &syn::punctuated::Punctuated<T, syn::Token![,]>,
        n: usize,
        name: &str,
        loc: Loc,
    ) -> bool {
        self.takes(args.len(), n, name, loc)
    }

    /// The same of a number of arguments.
    pub(super) fn takes(&mut self, given: usize, n: usize, name: &str, loc: Loc) -> bool {
        if given == n {
            return true;
        }
        let plural = if n == 1 { "argument" } else { "arguments" };
        let given = if given == 1 { "1 is".to_owned() } else { format!("{given} are") };
        // A closure has no name.
        let name = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
        let message = format!("{name} takes {n} {plural}, but {given} given");
        self.reporter.report(Diag::new(Code::V204, loc, message));
        false
    }

    /// The call of a function of the language, none of which is generic.
    fn without_arguments(&mut self, call: ExprId, path: &'a syn::Path) -> ExprId {
        let last = path.segments.len().saturating_sub(1);
        let takes = |i: usize, segment: &syn::PathSegment| {
            i + 1 == last && (types::lanes(&segment.ident).is_some() || types::columns(&segment.ident).is_some())
        };
        let mut segments = path.segments.iter().enumerate();
        match segments.find(|(i, segment)| !segment.arguments.is_none() && !takes(*i, segment)) {
            Some(_) if self.ty(call) != Ty::Error => {
                let loc = self.loc(path);
                self.refuse(types::no_arguments(path).at(loc))
            }
            _ => call,
        }
    }

    /// The report of `<T as Trait>::name`, if a path is one.
    pub(super) fn through_a_trait(&mut self, path: &'a syn::ExprPath) -> Option<ExprId> {
        path.qself.as_ref()?;
        let help = "write the type alone, as in `f32::MAX`";
        Some(self.unsupported(path, "a path with a trait or a type like this", Some(help)))
    }

    pub(super) fn field(&mut self, field: &'a syn::ExprField, loc: Loc) -> ExprId {
        let base = match self.place(&field.base, Places::Loaded) {
            Some(base) => {
                let base = Target { reference: false, ty: self.infer.resolve(&base.ty), ..base };
                if matches!(base.ty, Ty::Struct(_) | Ty::Tuple(_) | Ty::Matrix(..)) {
                    let target = self.field_of(base, field);
                    return self.load(target, loc);
                }
                let at = self.loc(&*field.base);
                self.load(base, at)
            }
            None if self.undeclared(&field.base).is_some() => return self.error(loc),
            None => self.expr(&field.base),
        };
        let base = self.dereferred(base);
        let ty = self.ty(base);
        let name = member(&field.member);
        let lane = axis(&name);
        let at = self.loc(&field.member);
        match (&ty, lane) {
            (Ty::Ids(first), Some(axis @ 0..3)) => {
                self.push(ExprKind::Builtin(first.on(axis as usize)), Ty::Usize, loc)
            }
            (Ty::Ids(_), _) => self
                .refuse(Diag::new(Code::V007, at, format!("no axis `{name}`")).help("the axes are `x`, `y` and `z`")),
            (Ty::Vector(s, n), Some(axis)) if axis < u32::from(*n) => {
                self.push(ExprKind::Lane(base, axis), (**s).clone(), loc)
            }
            (Ty::Error, _) => self.error(loc),
            _ => match self.part(&ty, &name, &field.member) {
                Some((i, part)) => self.push(ExprKind::Field(base, i), part, loc),
                None => {
                    let diag = self.missing_field(&ty, &name, at);
                    self.refuse(diag)
                }
            },
        }
    }

    pub(super) fn method_call(&mut self, call: &'a syn::ExprMethodCall, loc: Loc) -> ExprId {
        let name = call.method.to_string();
        let asks_length = name == "len" || name == "is_empty";
        if let (syn::Expr::Path(path), true) = (syntax::peel(&call.receiver), asks_length)
            && self.is_outer_array(path)
        {
            let len = self.length_of_outer(path, loc);
            return self.length(call, len, loc);
        }
        if ["iter", "get", "into_iter"].contains(&&*name) && self.undeclared(&call.receiver).is_some() {
            return self.error(loc);
        }
        if let Some(consumed) = self.consumed(call, loc) {
            return consumed;
        }
        if self.makes_iterator(call) {
            return self.kept_iterator(call, loc);
        }
        if let Some(contained) = self.range_contains(call, loc) {
            return contained;
        }
        if let Some(tried) = self.number_tried(call, loc) {
            return tried;
        }
        if let syn::Expr::Range(range) = syntax::peel(&call.receiver) {
            let loc = self.loc(range);
            let message = "a range cannot be used as an iterator in a kernel";
            let help = format!("write a loop: `for i in {} {{ … }}`", spell::expression(syntax::peel(&call.receiver)));
            return self.refuse(Diag::new(Code::V100, loc, message).help(help));
        }
        let own = self.receiver(&call.receiver);
        let own_ty = match &own {
            Ok(target) => self.infer.resolve(&target.ty),
            Err(value) => self.ty(*value),
        };
        if own_ty.behind().held().is_some() {
            return self.option_method(call, own, &own_ty, loc);
        }
        let (own, own_ty) = match own {
            Err(value) if matches!(own_ty, Ty::Reference(_)) => (Err(self.dereferred(value)), own_ty.behind().clone()),
            own => (own, own_ty),
        };
        if own_ty.declared().is_some() || !matches!(self.function_by_method(&own_ty, &name), Lookup::Nothing) {
            return self.struct_method(call, own, &own_ty, loc);
        }
        let casts = name == "cast" && matches!(own_ty, Ty::Vector(..));
        if let (Some(turbofish), false) = (&call.turbofish, casts) {
            return self.unsupported(turbofish, "a turbofish here", None);
        }
        if let Ok(target) = own {
            let target = Target { ty: own_ty, reference: false, ..target };
            return match &target.ty {
                Ty::Slice(_) | Ty::Array(..) if asks_length => {
                    let len = self.len_of(&target, loc);
                    self.length(call, len, loc)
                }
                Ty::Atomic(scalar) => {
                    let scalar = *scalar;
                    self.atomic(call, target, scalar, loc)
                }
                Ty::Scalar(_) | Ty::Vector(..) if is_atomic_method(&name) && target.memory.is_some() => {
                    self.args(&call.args);
                    let at = self.loc(&call.method);
                    let shown = self.infer.show(&target.ty);
                    let message = format!("`{name}` is a method of atomics, but this is `{shown}`");
                    let atomics = match &target.ty {
                        Ty::Scalar(scalar) if AtomicOp::CLASS.contains(*scalar) => format!("Atomic<{shown}>"),
                        _ => "Atomic<u32>".to_owned(),
                    };
                    let of_struct = |step: &Step| matches!(step, Step::Field(_, Ty::Struct(_)));
                    let is_field = matches!(&target.place, Place::Memory { path, .. } if path.iter().any(of_struct));
                    let help = match target.memory.as_ref().map(|memory| memory.root) {
                        _ if is_field => format!("declare the field as `{atomics}`"),
                        Some(Root::Param(_)) => format!("take the buffer as `&[{atomics}]`"),
                        _ => format!("declare the memory with `{atomics}`"),
                    };
                    let mut diag = Diag::new(Code::V009, at, message).help(help);
                    if let Some(memory) = &target.memory {
                        diag = diag.label(memory.loc, "it is declared here");
                    }
                    self.refuse(diag)
                }
                Ty::Slice(_) | Ty::Array(..) if OF_ELEMENTS.contains(&&*name) => self.element(call, target, loc),
                Ty::Slice(_) | Ty::Array(..) => {
                    let target = match (&target.place, &target.ty) {
                        // An array that was never memory.
                        (Place::Local { .. }, Ty::Array(..)) => {
                            let value = self.load(target, loc);
                            return self.elements_of_value(call, value, loc);
                        }
                        _ => target,
                    };
                    if let Some(done) = self.elements_method(call, target.clone(), loc) {
                        return done;
                    }
                    self.args_of_refused(&call.args);
                    let help = "there are `len()` and `is_empty()`; its elements are `name[i]`".to_owned();
                    self.no_method(call, &name, &target.ty, Some(help))
                }
                _ => {
                    let at = self.loc(&*call.receiver);
                    let value = self.load(target, at);
                    self.method(call, value, &name, loc)
                }
            };
        }
        match (own, own_ty.len().filter(|_| asks_length)) {
            (Err(value), Some(len)) => {
                let len = self.push(ExprKind::ArrayLen(len), Ty::Usize, loc);
                let tail = self.length(call, len, loc);
                // What the array is made of may do something.
                let ty = self.ty(tail);
                let block = Block { stmts: vec![Stmt::Expr(value)], tail: Some(tail) };
                self.push(ExprKind::Block(block), ty, loc)
            }
            (Err(value), None) if matches!(own_ty, Ty::Array(..)) && OF_ELEMENTS.contains(&&*name) => {
                self.element_of_array(call, value, loc)
            }
            (Err(value), None) if matches!(own_ty, Ty::Array(..)) => self.elements_of_value(call, value, loc),
            (Err(value), None) => self.method(call, value, &name, loc),
            (Ok(_), _) => self.error(loc),
        }
    }

    /// A method of an array that is a value.
    fn elements_of_value(&mut self, call: &'a syn::ExprMethodCall, value: ExprId, loc: Loc) -> ExprId {
        let mut stmts = Vec::new();
        let Some(target) = self.temporary(value, &mut stmts) else { return self.error(loc) };
        match self.elements_method(call, target, loc) {
            Some(done) => {
                let ty = self.ty(done);
                self.push(ExprKind::Block(Block { stmts, tail: Some(done) }), ty, loc)
            }
            None => self.method(call, value, &call.method.to_string(), loc),
        }
    }

    /// What `len` or `is_empty` gives where there are so many elements.
    fn length(&mut self, call: &'a syn::ExprMethodCall, len: ExprId, loc: Loc) -> ExprId {
        self.arity(&call.args, 0, &call.method.to_string(), loc);
        if call.method == "len" {
            return len;
        }
        let zero = self.push(ExprKind::Int(0), Ty::Usize, loc);
        self.push(ExprKind::Op(Op::Eq, vec![len, zero]), Ty::Scalar(Scalar::Bool), loc)
    }

    /// `f32::MAX` and its like.
    pub(super) fn associated_constant(&mut self, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let Some(constant) = self.constant_qualified(path, loc) {
            return constant;
        }
        if let Some(refused) = self.through_a_trait(path) {
            return refused;
        }
        if let Some(none) = self.none(&path.path, loc) {
            return none;
        }
        if let Some(constant) = self.matrix_constant(&path.path, loc) {
            return constant;
        }
        if let Some(constant) = self.constant_of_type(path, loc) {
            return constant;
        }
        if let Some(first) = segments.first()
            && matches!(self.find(first), Some(Binding::Refused))
        {
            return self.error(loc);
        }
        if foreign::is_variant(&path.path) || order::is_order(&path.path) {
            return self.variant(&path.path, loc);
        }
        let mut tail: Vec<&str> = segments.iter().rev().map(String::as_str).collect();
        if let [_, owner] = tail.as_slice() {
            let parameter = self.context.own.types.iter().find(|(name, _)| name == owner).map(|(_, ty)| ty.clone());
            let parameter = parameter.map(|ty| self.infer.resolve(&ty));
            if let Some(Ty::Var(_)) = parameter {
                let message = format!("cannot infer the type `{owner}` in this call");
                let help = "write it after the function's name, as in `::<f32>`";
                return self.refuse(Diag::new(Code::V202, loc, message).help(help));
            }
            if let Some(scalar) = parameter.and_then(|ty| ty.scalar()) {
                tail[1] = scalar.name();
            }
        }
        let found = match tail.as_slice() {
            [name, "consts", owner @ ("f32" | "f64"), ..] => {
                Scalar::from_name(owner).and_then(|scalar| Some((Ty::Scalar(scalar), of_mathematics(scalar, name)?)))
            }
            ["BITS", owner, ..] => constant_owner(owner).map(|(s, _)| (Ty::Scalar(Scalar::U32), s.bits().into())),
            [name, owner, ..] => constant_owner(owner).and_then(|(s, ty)| Some((ty, constant(s, name)?))),
            _ => None,
        };
        if let Some((ty, bits)) = found {
            if !syntax::is_bare(&path.path) {
                return self.refuse(types::no_arguments(&path.path).at(loc));
            }
            return self.push(ExprKind::Bits(bits), ty, loc);
        }
        let number = tail.get(1).is_some_and(|owner| *owner == "usize" || Scalar::from_name(owner).is_some());
        if number {
            let shown = segments.join("::");
            return self.refuse(Diag::new(Code::V006, loc, format!("kernels have no constant `{shown}`")));
        }
        self.outer_constant(path, loc)
    }
}

/// The arguments behind a segment of a path.
pub(super) fn turbofish(segment: &syn::PathSegment) -> Option<&syn::AngleBracketedGenericArguments> {
    match &segment.arguments {
        syn::PathArguments::AngleBracketed(list) => Some(list),
        _ => None,
    }
}

/// The type before the `::` of a constant; `usize` is 32 bits wide.
fn constant_owner(name: &str) -> Option<(Scalar, Ty)> {
    match name {
        "usize" => Some((Scalar::U32, Ty::Usize)),
        _ => match Scalar::from_name(name)? {
            Scalar::Bool => None,
            s => Some((s, Ty::Scalar(s))),
        },
    }
}

/// Whether numbers of the language have a constant of this name, which no trait replaces.
pub(super) fn is_of_numbers(name: &syn::Ident) -> bool {
    let name = name.to_string();
    name == "BITS" || [Scalar::I32, Scalar::F32].iter().any(|scalar| constant(*scalar, &name).is_some())
}

/// The bits of a constant of a scalar type.
fn constant(scalar: Scalar, name: &str) -> Option<u64> {
    let floats = |half: u64, single: f32, double: f64| match scalar {
        Scalar::F16 => Some(half),
        Scalar::F32 => Some(single.to_bits().into()),
        Scalar::F64 => Some(double.to_bits()),
        _ => None,
    };
    match name {
        "MIN" if scalar.is_signed() => Some(1 << (scalar.bits() - 1)),
        "MAX" if scalar.is_signed() => Some(scalar.mask() >> 1),
        "MIN" if scalar.is_int() => Some(0),
        "MAX" if scalar.is_int() => Some(scalar.mask()),
        "MAX" => floats(0x7bff, f32::MAX, f64::MAX),
        "MIN" => floats(0xfbff, f32::MIN, f64::MIN),
        "MIN_POSITIVE" => floats(0x0400, f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        "EPSILON" => floats(0x1400, f32::EPSILON, f64::EPSILON),
        "INFINITY" => floats(0x7c00, f32::INFINITY, f64::INFINITY),
        "NEG_INFINITY" => floats(0xfc00, f32::NEG_INFINITY, f64::NEG_INFINITY),
        "NAN" => samebits_ir::scalar::nan(scalar),
        _ => None,
    }
}

/// The bits of a constant of `core::f32::consts` or `core::f64::consts`.
fn of_mathematics(scalar: Scalar, name: &str) -> Option<u64> {
    macro_rules! constants {
        ($($name:ident)*) => {
            match (scalar, name) {
                $(
                    (Scalar::F32, stringify!($name)) => core::f32::consts::$name.to_bits().into(),
                    (Scalar::F64, stringify!($name)) => core::f64::consts::$name.to_bits(),
                )*
                _ => return None,
            }
        };
    }
    Some(constants! {
        PI TAU E SQRT_2 FRAC_1_SQRT_2 FRAC_PI_2 FRAC_PI_3
        FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI LN_2
        LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2
    })
}
