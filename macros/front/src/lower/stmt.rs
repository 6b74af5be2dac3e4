//! Blocks and statements.

use super::captured::Named;
use super::matched::Matched;
use super::pattern::Names;
use super::{Binding, Lowerer, Memory};
use crate::attributes::is_shared;
use crate::hir::{ArrayInit, Block, ExprId, ExprKind, Stmt};
use crate::infer::{Ty, VarKind};
use crate::syntax::{self, binding};
use crate::types;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Root};
use samebits_ir::loc::Loc;
use syn::ext::IdentExt;

impl<'a> Lowerer<'a, '_> {
    /// A block and its type, in a scope of its own.
    pub(super) fn block(&mut self, block: &'a syn::Block) -> (Block, Ty) {
        let result = self.scoped(|this| this.nested(block, |this| this.block_body(block)));
        result.unwrap_or((Block::default(), Ty::Error))
    }

    fn block_body(&mut self, block: &'a syn::Block) -> (Block, Ty) {
        let mut stmts = Vec::new();
        let mut tail = None;
        let mut diverges = false;
        self.refused_items(block);
        self.constant_items(block, &mut stmts);
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            match stmt {
                syn::Stmt::Local(local) => self.local(local, &mut stmts),
                // A `;` of its own.
                syn::Stmt::Expr(syn::Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => {}
                syn::Stmt::Expr(expr, None) if last => tail = Some(self.expr(expr)),
                syn::Stmt::Expr(expr, semicolon) => {
                    let id = self.expr(expr);
                    if semicolon.is_none() {
                        self.expect(id, &Ty::Unit);
                    }
                    diverges |= self.ty(id) == Ty::Never;
                    stmts.push(Stmt::Expr(id));
                }
                syn::Stmt::Item(_) => {}
                syn::Stmt::Macro(mac) => {
                    self.macro_(mac, &mac.mac);
                }
            }
        }
        let ty = match tail {
            Some(tail) => self.ty(tail),
            None if diverges => Ty::Never,
            None => Ty::Unit,
        };
        (Block { stmts, tail }, ty)
    }

    /// Refuses the items of a block that are not constants; their uses are not reported again.
    fn refused_items(&mut self, block: &'a syn::Block) {
        for stmt in &block.stmts {
            let syn::Stmt::Item(item) = stmt else { continue };
            let (what, help) = match item {
                syn::Item::Const(_) => continue,
                syn::Item::Use(item) if self.brings_variants(item) => continue,
                syn::Item::Fn(_) => ("a function here", "write it outside of the kernel, with `#[device]` before it"),
                syn::Item::Struct(_) => {
                    let help = "write it outside of the kernel, with `#[derive(Clone, Copy, Element)] #[repr(C)]`";
                    ("a struct here", help)
                }
                syn::Item::Enum(_) => {
                    ("an enum here", "write it outside of the kernel, with `#[derive(Clone, Copy, Element)]`")
                }
                syn::Item::Static(_) => ("a `static`", "write `const` instead"),
                syn::Item::Use(_) => ("a `use` of anything but variants of enums", "write it before the kernel"),
                syn::Item::Type(_) => ("a type alias", "write the type itself"),
                syn::Item::Macro(_) => ("a macro", "write its expansion, or write a helper with `#[device]`"),
                syn::Item::Trait(_) => ("a trait", "write helpers with `#[device]`"),
                _ => ("an item here", "write it outside of the kernel"),
            };
            self.unsupported(item, what, Some(help));
            for name in syntax::item_names(item) {
                self.context.own.types.push((name.clone(), Ty::Error));
                self.context.names.push((name, Binding::Refused));
            }
        }
    }

    fn local(&mut self, local: &'a syn::Local, stmts: &mut Vec<Stmt>) {
        let (pat, annotation) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        if local.attrs.iter().any(is_shared) {
            self.shared(local, pat, annotation);
            return;
        }
        let Some(init) = &local.init else {
            let ty = annotation.map(|ty| self.read_type(ty));
            self.declare_later(pat, ty, stmts);
            return;
        };
        if self.let_reference(pat, annotation, &init.expr, stmts) || self.let_halves(pat, annotation, &init.expr, stmts)
        {
            return;
        }
        let before = self.reporter.diags.count();
        let annotated = annotation.map(|ty| self.read_type(ty));
        if annotated == Some(Ty::Error) && self.reporter.diags.count() > before {
            // If the type is wrong, the value is wrong for the same reason.
            let after = self.reporter.diags.count();
            self.expr(&init.expr);
            self.reporter.diags.truncate(after);
            self.poison(pat);
            return;
        }
        if let Some((_, otherwise)) = &init.diverge {
            return self.let_else(pat, (&init.expr, annotated), otherwise, stmts);
        }
        if let (Some((name, mutable)), syn::Expr::Closure(closure)) = (binding(pat), syntax::peel(&init.expr)) {
            let name = name.unraw().to_string();
            let binding = self.closure(closure, Some(Named { name: name.clone(), mutable, number: None }), stmts);
            self.context.names.push((name, binding));
            return;
        }
        if let (Some((name, _)), None) = (binding(pat), annotation)
            && self.is_iterator(&init.expr)
        {
            let binding = self.keep_iterator(name, &init.expr, stmts);
            self.context.names.push((name.unraw().to_string(), binding));
            return;
        }
        if matches!(pat, syn::Pat::Wild(_)) && self.unread(&init.expr, annotated.as_ref(), stmts).is_some() {
            return;
        }
        let behind = matches!(syntax::peel(&init.expr), syn::Expr::Reference(_)) || self.is_changeable(&init.expr);
        if annotation.is_none() && binding(pat).is_none() && behind {
            let subject = self.subject(&init.expr);
            let ty = self.ty(subject.value);
            let Matched { pattern, made } = self.matched_by(pat, &ty, Names::New, &subject);
            stmts.push(Stmt::Destructure(pattern, subject.value));
            stmts.extend(made);
            return;
        }
        match (binding(pat), syntax::peel(&init.expr)) {
            (Some((name, mutable)), array @ (syn::Expr::Array(_) | syn::Expr::Repeat(_))) => {
                let name = name.unraw().to_string();
                let binding = self.array(&name, mutable, annotated, array, stmts);
                self.context.names.push((name, binding));
            }
            // `let [a, b] = [x, y];` needs no array.
            (None, init) if is_list(pat) && annotated.is_none() && !matches!(init, syn::Expr::Array(_)) => {
                self.bind_elements(pat, init, stmts);
            }
            (_, init) => {
                let value = match (init, &annotated) {
                    (syn::Expr::MethodCall(call), Some(to)) if call.method == "into" => self.conversion_to(call, to),
                    _ => self.expr(init),
                };
                if let Some(expected) = annotated {
                    let counts = self.ty(value) == Ty::Usize && matches!(expected, Ty::Scalar(s) if s.is_int());
                    let help = format!("remove `: {expected}`, since indices are `usize`, or write `as {expected}`");
                    self.expect_or(value, &expected, counts.then_some(help));
                }
                self.bind(pat, value, stmts);
            }
        }
    }

    /// `#[shared] let name: [T; N];`
    fn shared(&mut self, local: &'a syn::Local, pat: &'a syn::Pat, annotation: Option<&'a syn::Type>) {
        let help = "write `#[shared] let tile: [f32; 256];`";
        let Some((name, _)) = binding(pat) else {
            self.unsupported(pat, "this pattern", Some("write a `#[shared] let name: T;` for each name"));
            self.poison(pat);
            return;
        };
        let loc = self.loc(name);
        let name = name.unraw().to_string();
        if let Some(init) = &local.init {
            let loc = self.loc(&*init.expr);
            let message = "workgroup memory cannot have an initial value: it starts as zero";
            self.reporter.report(Diag::new(Code::V100, loc, message).help(help));
        }
        let Some(annotation) = annotation else {
            if local.init.is_none() {
                self.reporter.report(Diag::new(Code::V202, loc, "workgroup memory needs a type").help(help));
            }
            self.context.names.push((name, Binding::Refused));
            return;
        };
        let mut ty = self.read_type(annotation);
        if matches!(ty, Ty::Unit | Ty::Tuple(_)) || ty.has_sum() {
            let refused = if ty.has_sum() { types::no_sum("workgroup memory", &ty) } else { types::no_element(&ty) };
            let at = self.loc(annotation);
            self.reporter.report(refused.at(at));
            ty = Ty::Error;
        } else if let Ty::Struct(def) = &ty
            && def.is_marker()
        {
            let refused = types::no_value(&def.name);
            let at = self.loc(annotation);
            self.reporter.report(refused.at(at));
            ty = Ty::Error;
        } else if ty.mixes_wide_atomics() {
            let at = self.loc(annotation);
            self.reporter.report(types::mixed_atomics(&ty).at(at));
            ty = Ty::Error;
        }
        if ty == Ty::Error {
            self.context.names.push((name, Binding::Refused));
            return;
        }
        let access = if matches!(ty.innermost(), Ty::Atomic(_)) { Access::Atomic } else { Access::ReadWrite };
        let root = Root::Shared(self.body.shared.len() as u32);
        self.body.shared.push(crate::hir::Memory { name: name.clone(), ty: ty.clone(), loc });
        self.context.names.push((name, Binding::Memory(Memory::declared(root, ty, access, true, loc))));
    }

    /// `let name = [a, b]` and `let name = [a; N]`: memory of the invocation.
    fn array(
        &mut self,
        name: &str,
        mutable: bool,
        annotated: Option<Ty>,
        init: &'a syn::Expr,
        stmts: &mut Vec<Stmt>,
    ) -> Binding<'a> {
        let loc = self.loc(init);
        let Some((init, ty)) = self.array_init(init) else { return Binding::Refused };
        if let Some(expected) = annotated {
            self.expect_at(loc, &expected, &ty, "change the type before the `=`, or the value");
        }
        if !mutable && let Some(memory) = self.array_of_literals(name, &ty, &init, loc) {
            return Binding::Memory(memory);
        }
        let root = self.private(name, &ty, loc);
        stmts.push(Stmt::Array { root, init });
        Binding::Memory(Memory::declared(root, ty, Access::ReadWrite, mutable, loc))
    }

    /// What an array holds at first, and its type; values are evaluated in order, once.
    fn array_init(&mut self, init: &'a syn::Expr) -> Option<(ArrayInit, Ty)> {
        self.nested(init, |this| match syntax::peel(init) {
            syn::Expr::Repeat(repeat) => {
                let (inner, element) = this.array_init(&repeat.expr)?;
                match types::array_len(&repeat.len, this) {
                    Ok(len) => Some((ArrayInit::Repeat(Box::new(inner), len), Ty::Array(Box::new(element), len))),
                    Err(refused) => {
                        let loc = this.loc(&*repeat.len);
                        this.reporter.report(refused.at(loc));
                        None
                    }
                }
            }
            syn::Expr::Array(array) => {
                let loc = this.loc(init);
                let inits: Vec<_> = array.elems.iter().map(|e| this.array_init(e)).collect();
                let element = this.infer.var(VarKind::General);
                let mut list = Vec::with_capacity(inits.len());
                for (init, expr) in inits.into_iter().zip(&array.elems) {
                    let (init, ty) = init?;
                    match init {
                        ArrayInit::Value(value) => this.expect(value, &element),
                        _ => {
                            let at = this.loc(expr);
                            this.expect_at(at, &element, &ty, "all elements of an array have one type");
                        }
                    }
                    list.push(init);
                }
                if list.is_empty() {
                    this.reporter.report(Diag::new(Code::V024, loc, "an array needs at least one element"));
                    return None;
                }
                let len = list.len() as u32;
                // An array that is a value has no elements here, so that others beside it have none.
                let least = list.iter().map(ArrayInit::depth).min().unwrap_or(0);
                let list = list.into_iter().map(|init| this.shallow(init, least, loc)).collect();
                Some((ArrayInit::List(list), Ty::Array(Box::new(element), len)))
            }
            value => {
                let value = this.expr(value);
                let ty = this.ty(value);
                Some((ArrayInit::Value(value), ty))
            }
        })
        .flatten()
    }

    /// An initialiser of so many levels, what is deeper in it being values.
    fn shallow(&mut self, init: ArrayInit, levels: usize, loc: Loc) -> ArrayInit {
        match init {
            ArrayInit::Value(value) => ArrayInit::Value(value),
            init if levels == 0 => ArrayInit::Value(self.value_of(&init, loc)),
            ArrayInit::Repeat(inner, len) => ArrayInit::Repeat(Box::new(self.shallow(*inner, levels - 1, loc)), len),
            ArrayInit::List(list) => {
                ArrayInit::List(list.into_iter().map(|init| self.shallow(init, levels - 1, loc)).collect())
            }
        }
    }

    /// An initialiser as a value.
    pub(super) fn value_of(&mut self, init: &ArrayInit, loc: Loc) -> ExprId {
        match init {
            ArrayInit::Value(value) => *value,
            ArrayInit::Repeat(inner, len) => {
                let (value, len) = (self.value_of(inner, loc), *len);
                let ty = Ty::Array(Box::new(self.ty(value)), len);
                self.sized(ExprKind::Repeat(value, len), ty, loc)
            }
            ArrayInit::List(list) => {
                let values: Vec<ExprId> = list.iter().map(|init| self.value_of(init, loc)).collect();
                let element = values.first().map_or(Ty::Error, |&value| self.ty(value));
                let ty = Ty::Array(Box::new(element), values.len() as u32);
                self.sized(ExprKind::Array(values), ty, loc)
            }
        }
    }

    /// An expression that is a block of its own.
    pub(super) fn block_expr(&mut self, block: &'a syn::Block) -> ExprId {
        let loc = self.loc(block);
        let (block, ty) = self.block(block);
        self.push(ExprKind::Block(block), ty, loc)
    }
}

/// Whether a pattern takes an array apart, with a pattern for each element.
fn is_list(pat: &syn::Pat) -> bool {
    let is_rest = |pat: &syn::Pat| matches!(pat, syn::Pat::Rest(_));
    matches!(pat, syn::Pat::Slice(slice) if !slice.elems.iter().any(is_rest))
}
