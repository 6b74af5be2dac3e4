//! The walk through an item that renames its variables and repeats them for rustc.
//!
//! It visits every place where the language has expressions. Anything else is refused later.

use super::{Mark, Marks, Resolved, braced, probe};
use crate::report::Refused;
use crate::syntax::{imports_of, is_constant, is_none, is_type_name};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use syn::ext::IdentExt;
use syn::{Expr, Pat, Stmt};

/// How deep expressions are looked into; what nests deeper is refused later.
const MAX_DEPTH: usize = 72;

/// How the names of the calls begin that macros of the language became.
const OURS: &str = "__samebits_";

/// A variable or a label in scope.
#[derive(Clone)]
pub(super) struct Variable {
    pub(super) text: String,
    pub(super) mark: Mark,
    /// What it is called from now on.
    pub(super) name: String,
    number: usize,
}

struct Walk<'m> {
    marks: &'m Marks,
    krate: &'m syn::Path,
    /// Those in scope, innermost last.
    variables: Vec<Variable>,
    labels: Vec<Variable>,
    /// The variants that blocks around bring in, by name; nothing for all of an enum.
    variants: Vec<Option<String>>,
    /// Names with a mark, in the order in which they were first bound: the first of one text keeps it.
    bound: Vec<(String, Mark, String)>,
    count: usize,
    depth: usize,
    errors: TokenStream,
}

/// Renames the variables of a function.
pub(super) fn function(
    sig: &mut syn::Signature,
    block: &mut syn::Block,
    marks: &Marks,
    krate: &syn::Path,
    resolved: &mut Resolved,
) {
    let mut walk = Walk::new(marks, krate);
    let mut body = TokenStream::new();
    let mut receiver = None;
    for input in &mut sig.inputs {
        match input {
            syn::FnArg::Receiver(own) => {
                walk.receiver(own.self_token);
                receiver = Some(own.self_token.to_token_stream());
            }
            syn::FnArg::Typed(typed) => {
                let before = walk.variables.len();
                walk.pattern(&mut typed.pat, true, &mut body);
                resolved.params.extend(walk.variables[before..].iter().cloned());
            }
        }
    }
    walk.block(block, &mut body);
    walk.finish(&body, receiver.as_ref(), resolved);
}

/// Renames the variables in the value of a constant.
pub(super) fn constant(expr: &mut Expr, marks: &Marks, krate: &syn::Path, resolved: &mut Resolved) {
    let mut walk = Walk::new(marks, krate);
    let mut body = TokenStream::new();
    walk.expr(expr, &mut body);
    walk.finish(&body, None, resolved);
}

impl<'m> Walk<'m> {
    fn new(marks: &'m Marks, krate: &'m syn::Path) -> Self {
        let (variables, labels, variants, bound) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { marks, krate, variables, labels, variants, bound, count: 0, depth: 0, errors: TokenStream::new() }
    }

    fn finish(self, body: &TokenStream, receiver: Option<&TokenStream>, resolved: &mut Resolved) {
        resolved.wrong |= !self.errors.is_empty();
        resolved.tokens.extend(self.errors);
        if self.bound.iter().any(|(text, ..)| !self.marks.is_clear(text)) {
            resolved.tokens.extend(probe(body, receiver, self.krate));
        }
    }

    /// Counts a variable or a label of this spelling, and says what it is called.
    fn declare(&mut self, text: String, mark: Mark) -> Variable {
        let known = self.bound.iter().find(|(other, same, _)| *other == text && *same == mark);
        let name = match known {
            Some((.., name)) => name.clone(),
            None => {
                let first = !self.bound.iter().any(|(other, ..)| *other == text);
                let name = if first { text.clone() } else { self.free(&text) };
                self.bound.push((text.clone(), mark, name.clone()));
                name
            }
        };
        let number = self.count;
        self.count += 1;
        Variable { text, mark, name, number }
    }

    /// Letters like these that nothing has in the item.
    fn free(&self, text: &str) -> String {
        let taken = |name: &String| self.marks.of.contains_key(name) || self.bound.iter().any(|(.., own)| own == name);
        (2usize..).map(|n| format!("{text}_{n}")).find(|name| !taken(name)).unwrap_or_default()
    }

    fn receiver(&mut self, own: syn::Token![self]) {
        let variable = self.declare("self".to_owned(), Mark::of(own.span));
        self.variables.push(variable);
    }

    fn bind(&mut self, ident: &mut Ident, out: &mut TokenStream) {
        let variable = self.declare(ident.unraw().to_string(), Mark::of(ident.span()));
        let (krate, number) = (self.krate, variable.number);
        out.extend(quote!(let #ident = #krate::__private::Name::<#number>;));
        rename(ident, &variable);
        self.variables.push(variable);
    }

    /// A use of a name that may be a variable's. `item`: in a place where an item may be meant as well.
    fn used(&mut self, ident: &mut Ident, item: bool, out: &mut TokenStream) {
        let (text, mark) = (ident.unraw().to_string(), Mark::of(ident.span()));
        let alike = self.variables.iter().rev().filter(|variable| variable.text == text);
        let Some(inner) = alike.clone().next() else { return };
        let exact = alike.clone().find(|variable| variable.mark == mark);
        let variable = match exact {
            Some(variable) => variable.clone(),
            None if item || is_constant(ident) => {
                let message =
                    format!("cannot tell whether `{text}` is a variable of the macro or another item with this name");
                let refused = Refused::new(Code::V006, message).help("give the variable in the macro another name");
                self.errors.extend(refused.over(ident.span()));
                return;
            }
            // Names from procedural macros can have another mark and mean the same: rustc judges it.
            None => inner.clone(),
        };
        let (krate, number) = (self.krate, variable.number);
        out.extend(quote!(#krate::__private::named::<#number>(#ident);));
        rename(ident, &variable);
    }

    /// Something in a scope of its own.
    fn scoped(&mut self, out: &mut TokenStream, walk: impl FnOnce(&mut Self, &mut TokenStream)) {
        let before = self.variables.len();
        let mut inner = TokenStream::new();
        walk(self, &mut inner);
        self.variables.truncate(before);
        out.extend(braced(inner));
    }

    fn block(&mut self, block: &mut syn::Block, out: &mut TokenStream) {
        let variants = self.variants.len();
        let brought = imports_of(block).into_iter().map(|import| import.name.map(|(_, name)| name.unraw().to_string()));
        self.variants.extend(brought);
        self.scoped(out, |this, out| {
            for stmt in &mut block.stmts {
                match stmt {
                    Stmt::Local(local) => {
                        let mut binds = true;
                        if let Some(init) = &mut local.init {
                            this.expr(&mut init.expr, out);
                            if let Some((_, otherwise)) = &mut init.diverge {
                                this.expr(otherwise, out);
                                binds = false;
                            }
                        }
                        this.pattern(&mut local.pat, binds, out);
                    }
                    Stmt::Expr(expr, _) => this.expr(expr, out),
                    Stmt::Item(syn::Item::Const(item)) => this.apart(|this, out| this.expr(&mut item.expr, out), out),
                    Stmt::Item(_) | Stmt::Macro(_) => {}
                }
            }
        });
        self.variants.truncate(variants);
    }

    /// Whether a name in a pattern may be that of a variant which a `use` of the body brings in.
    fn is_variant(&self, name: &syn::PatIdent) -> bool {
        let bare = name.subpat.is_none() && name.mutability.is_none() && name.by_ref.is_none();
        let text = name.ident.unraw().to_string();
        let known = |brought: &Option<String>| brought.as_ref().is_none_or(|brought| *brought == text);
        bare && is_type_name(&name.ident) && self.variants.iter().any(known)
    }

    /// Something that sees none of the variables around it.
    fn apart(&mut self, walk: impl FnOnce(&mut Self, &mut TokenStream), out: &mut TokenStream) {
        let (variables, labels) = (std::mem::take(&mut self.variables), std::mem::take(&mut self.labels));
        let mut inner = TokenStream::new();
        walk(self, &mut inner);
        (self.variables, self.labels) = (variables, labels);
        out.extend(braced(inner));
    }

    /// A pattern; `binds` where a name alone is always a new variable.
    fn pattern(&mut self, pat: &mut Pat, binds: bool, out: &mut TokenStream) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match pat {
            Pat::Ident(name) if is_none(name) || self.is_variant(name) => {}
            Pat::Ident(name) => {
                if let Some((_, inner)) = &mut name.subpat {
                    self.pattern(inner, binds, out);
                    self.bind(&mut name.ident, out);
                } else if binds || name.mutability.is_some() || !self.is_constant_pattern(&name.ident) {
                    self.bind(&mut name.ident, out);
                }
            }
            Pat::Type(typed) => self.pattern(&mut typed.pat, binds, out),
            Pat::Paren(paren) => self.pattern(&mut paren.pat, binds, out),
            Pat::Reference(reference) => self.pattern(&mut reference.pat, binds, out),
            Pat::Tuple(parts) => parts.elems.iter_mut().for_each(|pat| self.pattern(pat, binds, out)),
            Pat::TupleStruct(parts) => parts.elems.iter_mut().for_each(|pat| self.pattern(pat, binds, out)),
            Pat::Slice(parts) => parts.elems.iter_mut().for_each(|pat| self.pattern(pat, binds, out)),
            Pat::Or(cases) => cases.cases.iter_mut().for_each(|pat| self.pattern(pat, binds, out)),
            Pat::Struct(fields) => {
                for field in &mut fields.fields {
                    self.pattern(&mut field.pat, binds, out);
                    // `a` is short for `a: a`, where the first `a` names the field.
                    if let (syn::Member::Named(member), Pat::Ident(name)) = (&field.member, &*field.pat)
                        && name.ident != *member
                    {
                        field.colon_token.get_or_insert_with(Default::default);
                    }
                }
            }
            _ => {}
        }
        self.depth -= 1;
    }

    /// Whether a name in the pattern of a `match` means a constant.
    fn is_constant_pattern(&mut self, ident: &Ident) -> bool {
        let text = ident.unraw().to_string();
        let mut alike = self.variables.iter().filter(|variable| variable.text == text).peekable();
        if alike.peek().is_none() {
            return is_constant(ident);
        }
        if is_constant(ident) && !alike.any(|variable| variable.mark == Mark::of(ident.span())) {
            let mut name = ident.clone();
            self.used(&mut name, true, &mut TokenStream::new());
        }
        false
    }

    /// A loop's body, in which its label can be named.
    fn labelled(
        &mut self,
        label: &mut Option<syn::Label>,
        out: &mut TokenStream,
        walk: impl FnOnce(&mut Self, &mut TokenStream),
    ) {
        let Some(label) = label else { return walk(self, out) };
        let lifetime = label.name.clone();
        let variable = self.declare(format!("'{}", lifetime.ident), Mark::of(lifetime.ident.span()));
        let (krate, number) = (self.krate, variable.number);
        rename_label(&mut label.name, &variable);
        self.labels.push(variable);
        let mut inner = TokenStream::new();
        walk(self, &mut inner);
        self.labels.pop();
        out.extend(quote!(let _: #krate::__private::Name<#number> = #lifetime: loop { #inner };));
    }

    /// A `break` or `continue` with a label.
    fn jump(&mut self, label: &mut Option<syn::Lifetime>, out: &mut TokenStream) {
        let Some(label) = label else { return };
        let (text, mark) = (format!("'{}", label.ident), Mark::of(label.ident.span()));
        let alike = self.labels.iter().rev().filter(|variable| variable.text == text);
        let found = alike.clone().find(|variable| variable.mark == mark).or_else(|| alike.clone().next());
        let Some(variable) = found.cloned() else { return };
        let (krate, number) = (self.krate, variable.number);
        out.extend(quote!(if true { break #label #krate::__private::Name::<#number>; }));
        rename_label(label, &variable);
    }

    fn exprs<'e>(&mut self, exprs: impl Iterator<Item = &'e mut Expr>, out: &mut TokenStream) {
        exprs.for_each(|expr| self.expr(expr, out));
    }

    fn expr(&mut self, expr: &mut Expr, out: &mut TokenStream) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.expr_inner(expr, out);
            self.depth -= 1;
        }
    }

    fn if_(&mut self, if_: &mut syn::ExprIf, out: &mut TokenStream) {
        // What a `let` binds is known in the branch alone.
        self.scoped(out, |this, out| {
            this.expr(&mut if_.cond, out);
            this.block(&mut if_.then_branch, out);
        });
        if let Some((_, otherwise)) = &mut if_.else_branch {
            self.scoped(out, |this, out| match &mut **otherwise {
                // A chain does not nest.
                Expr::If(next) => this.if_(next, out),
                otherwise => this.expr(otherwise, out),
            });
        }
    }

    fn expr_inner(&mut self, expr: &mut Expr, out: &mut TokenStream) {
        match expr {
            Expr::Path(path) => self.path(path, false, out),
            Expr::Call(call) => {
                let mut says = false;
                match called(&mut call.func) {
                    Some(path) => {
                        says = path.path.get_ident().is_some_and(|name| name.to_string().starts_with(OURS));
                        self.path(path, true, out);
                    }
                    None => self.expr(&mut call.func, out),
                }
                // The text of a message names its values as it is written.
                for arg in &mut call.args {
                    match arg {
                        Expr::Assign(assign) if says => self.expr(&mut assign.right, out),
                        arg => self.expr(arg, out),
                    }
                }
            }
            Expr::MethodCall(call) => {
                self.expr(&mut call.receiver, out);
                self.exprs(call.args.iter_mut(), out);
            }
            Expr::Array(array) => self.exprs(array.elems.iter_mut(), out),
            Expr::Tuple(tuple) => self.exprs(tuple.elems.iter_mut(), out),
            Expr::Assign(assign) => self.exprs([&mut *assign.right, &mut *assign.left].into_iter(), out),
            Expr::Binary(binary) => self.exprs([&mut *binary.left, &mut *binary.right].into_iter(), out),
            Expr::Index(index) => self.exprs([&mut *index.expr, &mut *index.index].into_iter(), out),
            Expr::Unary(unary) => self.expr(&mut unary.expr, out),
            Expr::Cast(cast) => self.expr(&mut cast.expr, out),
            Expr::Try(tried) => self.expr(&mut tried.expr, out),
            Expr::Field(field) => self.expr(&mut field.base, out),
            Expr::Group(group) => self.expr(&mut group.expr, out),
            Expr::Paren(paren) => self.expr(&mut paren.expr, out),
            Expr::Reference(reference) => self.expr(&mut reference.expr, out),
            Expr::Range(range) => {
                self.exprs(range.start.iter_mut().chain(&mut range.end).map(|bound| &mut **bound), out);
            }
            Expr::Repeat(repeat) => {
                self.expr(&mut repeat.expr, out);
                self.apart(|this, out| this.expr(&mut repeat.len, out), out);
            }
            Expr::Struct(literal) => {
                for field in &mut literal.fields {
                    self.expr(&mut field.expr, out);
                    if let (syn::Member::Named(member), Expr::Path(value)) = (&field.member, &field.expr)
                        && value.path.get_ident().is_some_and(|value| value != member)
                    {
                        field.colon_token.get_or_insert_with(Default::default);
                    }
                }
                self.exprs(literal.rest.iter_mut().map(|rest| &mut **rest), out);
            }
            Expr::Block(block) => {
                let syn::ExprBlock { label, block, .. } = block;
                self.labelled(label, out, |this, out| this.block(block, out));
            }
            Expr::Unsafe(block) => self.block(&mut block.block, out),
            Expr::Const(block) => self.apart(|this, out| this.block(&mut block.block, out), out),
            Expr::If(if_) => self.if_(if_, out),
            Expr::Let(let_) => {
                self.expr(&mut let_.expr, out);
                self.pattern(&mut let_.pat, false, out);
            }
            Expr::Match(match_) => {
                self.expr(&mut match_.expr, out);
                for arm in &mut match_.arms {
                    self.scoped(out, |this, out| {
                        this.pattern(&mut arm.pat, false, out);
                        if let Some((_, guard)) = &mut arm.guard {
                            this.expr(guard, out);
                        }
                        this.expr(&mut arm.body, out);
                    });
                }
            }
            Expr::Loop(loop_) => {
                let syn::ExprLoop { label, body, .. } = loop_;
                self.labelled(label, out, |this, out| this.block(body, out));
            }
            Expr::While(while_) => {
                let syn::ExprWhile { label, cond, body, .. } = while_;
                self.labelled(label, out, |this, out| {
                    this.scoped(out, |this, out| {
                        this.expr(cond, out);
                        this.block(body, out);
                    });
                });
            }
            Expr::ForLoop(for_) => {
                let syn::ExprForLoop { label, pat, expr, body, .. } = for_;
                self.expr(expr, out);
                self.labelled(label, out, |this, out| {
                    this.scoped(out, |this, out| {
                        this.pattern(pat, true, out);
                        this.block(body, out);
                    });
                });
            }
            Expr::Closure(closure) => {
                // What is around a closure has no labels for it.
                let labels = std::mem::take(&mut self.labels);
                self.scoped(out, |this, out| {
                    closure.inputs.iter_mut().for_each(|pat| this.pattern(pat, true, out));
                    this.expr(&mut closure.body, out);
                });
                self.labels = labels;
            }
            Expr::Break(break_) => {
                self.exprs(break_.expr.iter_mut().map(|value| &mut **value), out);
                self.jump(&mut break_.label, out);
            }
            Expr::Continue(continue_) => self.jump(&mut continue_.label, out),
            Expr::Return(return_) => self.exprs(return_.expr.iter_mut().map(|value| &mut **value), out),
            _ => {}
        }
    }

    fn path(&mut self, path: &mut syn::ExprPath, item: bool, out: &mut TokenStream) {
        if path.qself.is_none() && path.path.leading_colon.is_none() && path.path.segments.len() == 1 {
            self.used(&mut path.path.segments[0].ident, item, out);
        }
    }
}

/// The path that a call is of.
fn called(function: &mut Expr) -> Option<&mut syn::ExprPath> {
    match function {
        Expr::Path(path) => Some(path),
        Expr::Group(group) => called(&mut group.expr),
        Expr::Paren(paren) => called(&mut paren.expr),
        _ => None,
    }
}

fn rename(ident: &mut Ident, variable: &Variable) {
    if variable.name != variable.text {
        *ident = Ident::new(&variable.name, ident.span());
    }
}

fn rename_label(label: &mut syn::Lifetime, variable: &Variable) {
    if variable.name != variable.text {
        label.ident = Ident::new(variable.name.trim_start_matches('\''), label.ident.span());
    }
}
