//! The walk through a function as it is written, which notes its variables, labels and constants and
//! what becomes of each.
//!
//! Names are resolved by scope, as Rust does. Where the walk cannot tell what is done with a variable,
//! it counts as used in every way: a missed warning is better than a false one.

use super::live::{self, Flow};
use super::mutates;
use super::notes::{
    Next, Notes, Site, SiteKind, Spot, SpotKind, Variable, attributes, attributes_of, integer, is_literal, peel,
};
use crate::attributes::is_shared;
use crate::syntax::{changes_elements, imports_of, is_constant, is_none, is_type_name};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::{Expr, Pat, Stmt};

/// How deep expressions are looked into; what nests deeper was refused.
const MAX_DEPTH: usize = 72;

struct Walk<'a, 'm> {
    notes: Notes<'a>,
    /// The methods that change what they are called on.
    changing: &'m BTreeSet<String>,
    /// Names in scope, innermost last; `None` for names that are not variables.
    scope: Vec<(String, Option<usize>)>,
    /// The loops and labelled blocks around, innermost last.
    targets: Vec<Target>,
    attrs: Vec<&'a syn::Attribute>,
    flow: Vec<Flow>,
    /// The bodies of closures, and at last that of the function.
    bodies: Vec<Vec<Flow>>,
    /// Whether a block brings in all variants of an enum, so that a name with a capital is no variable.
    variants: bool,
    /// The variables below this number are captured where they are named.
    own: usize,
    reachable: bool,
    depth: usize,
}

/// Whether tokens may access a buffer or workgroup memory themselves: there is something between brackets,
/// a field or method, a reference that is followed, or a name of workgroup memory.
fn may_access(tokens: TokenStream, shared: &[String]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            group.delimiter() == proc_macro2::Delimiter::Bracket || may_access(group.stream(), shared)
        }
        TokenTree::Ident(ident) => shared.contains(&ident.unraw().to_string()),
        TokenTree::Punct(punct) => ['.', '*'].contains(&punct.as_char()),
        TokenTree::Literal(_) => false,
    })
}

struct Target {
    label: Option<String>,
    id: usize,
    repeats: bool,
    /// Whether a jump to it was seen.
    named: bool,
    /// Whether a `break` leaves it.
    left: bool,
}

/// Walks through a function.
pub(super) fn walk<'a>(
    sig: &'a syn::Signature,
    block: &'a syn::Block,
    attrs: Vec<&'a syn::Attribute>,
    changing: &BTreeSet<String>,
) -> Notes<'a> {
    let mut walk = Walk {
        notes: Notes::default(),
        changing,
        scope: Vec::new(),
        targets: Vec::new(),
        attrs,
        flow: Vec::new(),
        bodies: Vec::new(),
        variants: false,
        own: 0,
        reachable: true,
        depth: 0,
    };
    for input in &sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            walk.with(&typed.attrs, |walk| walk.pattern(&typed.pat, true));
            walk.typed(&typed.pat, &typed.ty);
        }
    }
    walk.block(block);
    let Walk { mut notes, mut bodies, flow, .. } = walk;
    bodies.push(flow);
    let read = live::read_sites(&bodies, notes.variables.len(), notes.sites.len());
    for (site, read) in notes.sites.iter_mut().zip(read) {
        site.read |= read || notes.variables[site.variable].escapes;
    }
    notes
}

impl<'a> Walk<'a, '_> {
    /// Goes on with more attributes around.
    fn with<T>(&mut self, attrs: &'a [syn::Attribute], walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.attrs.len();
        self.attrs.extend(attrs);
        let result = walk(self);
        self.attrs.truncate(before);
        result
    }

    fn spot(&mut self, kind: SpotKind<'a>) {
        let attrs = self.attrs.clone();
        self.notes.spots.push(Spot { kind, attrs });
    }

    /// What happens apart from the rest.
    fn way(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<Flow> {
        let (before, reachable) = (std::mem::take(&mut self.flow), self.reachable);
        let scope = self.scope.len();
        walk(self);
        self.scope.truncate(scope);
        self.reachable = reachable;
        std::mem::replace(&mut self.flow, before)
    }

    fn push(&mut self, flow: Flow) {
        if self.reachable {
            self.flow.push(flow);
        }
    }

    fn declare(&mut self, name: &'a syn::PatIdent, shorthand: bool) {
        let variable = self.notes.variables.len();
        self.notes.variables.push(Variable {
            ident: &name.ident,
            mutability: name.mutability.as_ref(),
            ty: None,
            shorthand,
            attrs: self.attrs.clone(),
            used: false,
            mutated: name.by_ref.is_some(),
            escapes: name.by_ref.is_some(),
        });
        self.scope.push((name.ident.unraw().to_string(), Some(variable)));
    }

    /// Gives a variable a value.
    fn write(&mut self, variable: usize, kind: SiteKind<'a>) {
        let (site, attrs) = (self.notes.sites.len(), self.attrs.clone());
        // What is never reached, or reaches out of a closure, is not judged.
        let read = !self.reachable || variable < self.own;
        self.notes.sites.push(Site { variable, kind, attrs, read });
        self.push(Flow::Write { variable, site });
    }

    fn find(&self, name: &str) -> Option<Option<usize>> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }

    fn variable(&self, ident: &Ident) -> Option<usize> {
        self.find(&ident.unraw().to_string()).flatten()
    }

    fn read(&mut self, variable: usize) {
        self.notes.variables[variable].used = true;
        self.notes.variables[variable].escapes |= variable < self.own || !self.reachable;
        self.push(Flow::Read(variable));
    }

    /// Uses a variable in all ways.
    fn lend(&mut self, variable: usize) {
        self.read(variable);
        let variable = &mut self.notes.variables[variable];
        (variable.mutated, variable.escapes) = (true, true);
    }

    /// A pattern; `binds` where a name alone is always a new variable.
    fn pattern(&mut self, pat: &'a Pat, binds: bool) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match pat {
            Pat::Ident(name) if is_none(name) => {}
            Pat::Ident(name) => self.with(&name.attrs, |walk| walk.name(name, binds, false)),
            Pat::Tuple(tuple) => tuple.elems.iter().for_each(|pat| self.pattern(pat, binds)),
            Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|pat| self.pattern(pat, binds)),
            Pat::Slice(slice) => slice.elems.iter().for_each(|pat| self.pattern(pat, binds)),
            Pat::Struct(structure) => {
                for field in &structure.fields {
                    self.with(&field.attrs, |walk| match &*field.pat {
                        Pat::Ident(name) if field.colon_token.is_none() => walk.name(name, true, true),
                        pat => walk.pattern(pat, binds),
                    });
                }
            }
            Pat::Paren(paren) => self.pattern(&paren.pat, binds),
            Pat::Reference(reference) => self.pattern(&reference.pat, binds),
            Pat::Type(typed) => {
                self.with(&typed.attrs, |walk| walk.pattern(&typed.pat, binds));
                self.typed(&typed.pat, &typed.ty);
            }
            Pat::Or(or) => {
                let before = self.notes.variables.len();
                or.cases.iter().for_each(|pat| self.pattern(pat, binds));
                // Each name occurs once in each case, and is one variable.
                self.notes.variables[before..].iter_mut().for_each(|variable| {
                    (variable.used, variable.mutated, variable.escapes) = (true, true, true);
                });
            }
            _ => {}
        }
        self.depth -= 1;
    }

    /// Whether a name may be that of a variant that came with all others.
    fn is_variant(&self, name: &Ident) -> bool {
        self.variants && is_type_name(name) && self.find(&name.unraw().to_string()).is_none()
    }

    fn name(&mut self, name: &'a syn::PatIdent, binds: bool, shorthand: bool) {
        let text = name.ident.unraw().to_string();
        let constant = is_constant(&name.ident) || self.find(&text) == Some(None);
        let bare = name.subpat.is_none() && name.mutability.is_none() && name.by_ref.is_none();
        if bare && (self.find(&text) == Some(None) && is_type_name(&name.ident) || self.is_variant(&name.ident)) {
            return;
        }
        if let Some((_, inner)) = &name.subpat {
            self.pattern(inner, binds);
        } else if !binds && name.mutability.is_none() && constant {
            return;
        }
        self.declare(name, shorthand);
        self.write(self.notes.variables.len() - 1, SiteKind::Bound);
    }

    /// A block; whether its end is never reached.
    fn block(&mut self, block: &'a syn::Block) -> bool {
        let scope = self.scope.len();
        for stmt in &block.stmts {
            if let Stmt::Item(syn::Item::Const(item)) = stmt {
                self.scope.push((item.ident.unraw().to_string(), None));
            }
        }
        for import in imports_of(block) {
            match import.name {
                Some((_, name)) => self.scope.push((name.unraw().to_string(), None)),
                None => self.variants = true,
            }
        }
        let mut ended: Option<&'a Expr> = None;
        for (i, stmt) in block.stmts.iter().enumerate() {
            if let (Some(ends), true) = (ended, self.reachable) {
                let next = match stmt {
                    Stmt::Expr(value, None) if i + 1 == block.stmts.len() => Some(Next::Value(value)),
                    Stmt::Expr(Expr::Verbatim(_), _) | Stmt::Item(_) => None,
                    stmt => Some(Next::Statement(stmt)),
                };
                if let Some(next) = next {
                    let attrs = attributes(stmt);
                    self.with(attrs, |walk| walk.spot(SpotKind::Unreachable { ends, next }));
                    self.reachable = false;
                }
            }
            if self.stmt(stmt) && ended.is_none() {
                ended = match stmt {
                    Stmt::Expr(expr, _) => Some(expr),
                    Stmt::Local(local) => local.init.as_ref().map(|init| &*init.expr),
                    Stmt::Item(_) | Stmt::Macro(_) => None,
                };
            }
        }
        self.scope.truncate(scope);
        ended.is_some()
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match stmt {
            Stmt::Local(local) => self.with(&local.attrs, |walk| walk.local(local)),
            Stmt::Expr(expr, semi) => {
                if let Some(semi) = semi {
                    self.unused(expr, semi);
                }
                self.expr(expr)
            }
            Stmt::Item(syn::Item::Const(item)) => self.with(&item.attrs, |walk| {
                walk.spot(SpotKind::Constant(&item.ident));
                // It sees none of the variables around it.
                let (scope, own) = (std::mem::take(&mut walk.scope), std::mem::take(&mut walk.own));
                let body = walk.way(|walk| {
                    walk.expr(&item.expr);
                });
                walk.bodies.push(body);
                (walk.scope, walk.own) = (scope, own);
                false
            }),
            Stmt::Item(_) => false,
            Stmt::Macro(called) => {
                self.anything(called.mac.tokens.clone());
                false
            }
        }
    }

    fn local(&mut self, local: &'a syn::Local) -> bool {
        let mut ends = false;
        if let Some(init) = &local.init {
            ends = self.expr(&init.expr);
            if let Some((_, otherwise)) = &init.diverge {
                let otherwise = self.way(|walk| {
                    walk.expr(otherwise);
                });
                self.push(Flow::Either(vec![otherwise, Vec::new()]));
            }
        }
        let plain = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pat => pat,
        };
        let index = self.notes.variables.len();
        match (plain, &local.init) {
            (Pat::Ident(name), init) if name.subpat.is_none() => {
                self.with(&name.attrs, |walk| walk.declare(name, false));
                // What other invocations read of workgroup memory is not followed.
                self.notes.variables[index].escapes |= local.attrs.iter().any(is_shared);
                if let Some(init) = init {
                    self.write(index, SiteKind::First(&init.expr));
                }
            }
            // As in a condition, a name in capitals may be a constant's.
            (_, init) => self.pattern(&local.pat, init.as_ref().is_none_or(|init| init.diverge.is_none())),
        }
        match (&local.pat, local.init.as_ref().map(|init| peel(&init.expr))) {
            (Pat::Type(typed), _) => self.typed(&typed.pat, &typed.ty),
            (pat, Some(Expr::Cast(cast))) => self.typed(pat, &cast.ty),
            _ => {}
        }
        ends
    }

    /// Notes the type of the variable that was just declared, if it is one.
    fn typed(&mut self, pat: &Pat, ty: &'a syn::Type) {
        if let (Pat::Ident(_), Some(variable)) = (pat, self.notes.variables.last_mut()) {
            variable.ty = integer(ty);
        }
    }

    /// The integer type of an expression, where the source says it beside it.
    fn type_of(&self, expr: &'a Expr) -> Option<&'a Ident> {
        match peel(expr) {
            Expr::Path(path) => self.notes.variables[self.variable(path.path.get_ident()?)?].ty,
            Expr::Cast(cast) => integer(&cast.ty),
            _ => None,
        }
    }

    /// A comparison with a literal, if the type of the other side is known.
    fn comparison(&mut self, binary: &'a syn::ExprBinary) {
        let (left, right) = (&*binary.left, &*binary.right);
        let of = match (is_literal(left), is_literal(right)) {
            (false, true) => self.type_of(left),
            (true, false) => self.type_of(right),
            _ => None,
        };
        if let Some(ty) = of {
            self.spot(SpotKind::Compared(binary, ty));
        }
    }

    /// A statement whose value nothing uses.
    fn unused(&mut self, expr: &'a Expr, semi: &'a syn::Token![;]) {
        match expr {
            Expr::Path(path) => {
                if let Some(ident) = path.path.get_ident()
                    && self.variable(ident).is_some()
                {
                    self.with(&path.attrs, |walk| walk.spot(SpotKind::Path(ident, semi)));
                }
            }
            Expr::Binary(binary) if !mutates(&binary.op) => {
                self.with(&binary.attrs, |walk| walk.spot(SpotKind::Unused(expr)));
            }
            Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
                self.with(&unary.attrs, |walk| walk.spot(SpotKind::Unused(expr)));
            }
            _ => {}
        }
    }

    /// Tokens whose meaning is not known here.
    fn anything(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if let Some(variable) = self.variable(&ident) {
                        self.lend(variable);
                    }
                }
                TokenTree::Group(group) => self.anything(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    /// Reads the variables that tokens name.
    fn read_all(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if let Some(variable) = self.variable(&ident) {
                        self.push(Flow::Read(variable));
                    }
                }
                TokenTree::Group(group) => self.read_all(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) -> bool {
        let mut ends = false;
        for expr in exprs {
            ends |= self.expr(expr);
        }
        ends
    }

    /// An expression; whether it is never left.
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if self.depth >= MAX_DEPTH {
            self.anything(expr.to_token_stream());
            return false;
        }
        self.depth += 1;
        let ends = self.with(attributes_of(expr), |walk| walk.expr_inner(expr));
        self.depth -= 1;
        ends
    }

    fn expr_inner(&mut self, expr: &'a Expr) -> bool {
        match expr {
            Expr::Lit(_) => false,
            Expr::Path(path) => {
                let ident = path.path.get_ident().filter(|_| path.qself.is_none());
                if let Some(variable) = ident.and_then(|ident| self.variable(ident)) {
                    self.read(variable);
                }
                false
            }
            Expr::Call(call) => {
                // A closure may change what it captures.
                if let Some(variable) = self.root(&call.func) {
                    self.notes.variables[variable].mutated = true;
                }
                self.expr(&call.func) | self.exprs(&call.args)
            }
            Expr::MethodCall(call) => {
                // What changes an `Option` in place changes its variable.
                const IN_PLACE: [&str; 3] = ["take", "take_if", "replace"];
                let changes =
                    |name: &str| changes_elements(name) || IN_PLACE.contains(&name) || self.changing.contains(name);
                if changes(&call.method.unraw().to_string())
                    && let Some(variable) = self.root(&call.receiver)
                {
                    self.lend(variable);
                }
                self.expr(&call.receiver) | self.exprs(&call.args)
            }
            Expr::Array(array) => self.exprs(&array.elems),
            Expr::Tuple(tuple) => self.exprs(&tuple.elems),
            Expr::Index(index) => self.expr(&index.expr) | self.expr(&index.index),
            Expr::Unary(unary) => self.expr(&unary.expr),
            Expr::Cast(cast) => self.expr(&cast.expr),
            Expr::Field(field) => self.expr(&field.base),
            Expr::Group(group) => self.expr(&group.expr),
            Expr::Paren(paren) => self.expr(&paren.expr),
            Expr::Reference(reference) => {
                if let Some(variable) = self.root(&reference.expr) {
                    let mutated = self.notes.variables[variable].mutated;
                    self.lend(variable);
                    self.notes.variables[variable].mutated = mutated || reference.mutability.is_some();
                }
                self.expr(&reference.expr)
            }
            Expr::Range(range) => self.exprs(range.start.as_deref().into_iter().chain(range.end.as_deref())),
            Expr::Repeat(repeat) => self.expr(&repeat.expr),
            Expr::Struct(literal) => {
                let fields = literal.fields.iter().map(|field| &field.expr);
                self.exprs(fields.chain(literal.rest.as_deref()))
            }
            Expr::Assign(assign) => self.assign(assign),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Block(block) => self.labelled(block.label.as_ref(), false, |walk| walk.block(&block.block)),
            Expr::Unsafe(unsafe_) => {
                let escaping = self.notes.variables.iter().filter(|variable| variable.escapes);
                let shared: Vec<String> = escaping.map(|variable| variable.ident.unraw().to_string()).collect();
                let accesses = may_access(unsafe_.block.to_token_stream(), &shared);
                self.spot(SpotKind::Unsafe { token: &unsafe_.unsafe_token, accesses });
                self.block(&unsafe_.block)
            }
            Expr::If(if_) => self.if_(if_),
            Expr::Let(let_) => {
                let ends = self.expr(&let_.expr);
                self.pattern(&let_.pat, false);
                ends
            }
            Expr::Match(match_) => self.match_(match_),
            Expr::Loop(loop_) => self.labelled(loop_.label.as_ref(), true, |walk| walk.block(&loop_.body)),
            Expr::While(while_) => {
                self.labelled(while_.label.as_ref(), true, |walk| {
                    let scope = walk.scope.len();
                    walk.expr(&while_.cond);
                    let body = walk.way(|walk| {
                        walk.block(&while_.body);
                    });
                    walk.scope.truncate(scope);
                    walk.or_leave(body)
                });
                false
            }
            Expr::ForLoop(for_) => {
                let ends = self.expr(&for_.expr);
                self.labelled(for_.label.as_ref(), true, |walk| {
                    let body = walk.way(|walk| {
                        walk.pattern(&for_.pat, true);
                        walk.block(&for_.body);
                    });
                    walk.or_leave(body)
                });
                ends
            }
            Expr::Closure(closure) => {
                self.closure(closure);
                false
            }
            Expr::Break(break_) => {
                self.exprs(break_.expr.as_deref());
                if let Some(target) = self.target(break_.label.as_ref(), break_.label.is_none()) {
                    target.left = true;
                    let id = target.id;
                    self.push(Flow::Break(id));
                }
                true
            }
            Expr::Continue(continue_) => {
                if let Some(target) = self.target(continue_.label.as_ref(), true) {
                    let id = target.id;
                    self.push(Flow::Continue(id));
                }
                true
            }
            Expr::Return(return_) => {
                self.exprs(return_.expr.as_deref());
                self.push(Flow::Return);
                true
            }
            other => {
                self.anything(other.to_token_stream());
                false
            }
        }
    }

    /// The end of a round: the body, or the end of the loop.
    fn or_leave(&mut self, body: Vec<Flow>) -> bool {
        if let Some(target) = self.targets.last_mut() {
            target.left = true;
            let leave = vec![Flow::Break(target.id)];
            self.push(Flow::Either(vec![body, leave]));
        }
        false
    }

    /// A loop or a block, which a jump may name.
    fn labelled(&mut self, label: Option<&'a syn::Label>, repeats: bool, walk: impl FnOnce(&mut Self) -> bool) -> bool {
        if label.is_none() && !repeats {
            let (mut ends, scope) = (false, self.scope.len());
            ends |= walk(self);
            self.scope.truncate(scope);
            return ends;
        }
        let id = self.targets.last().map_or(0, |target| target.id + 1);
        let name = label.map(|label| label.name.ident.unraw().to_string());
        self.targets.push(Target { label: name, id, repeats, named: false, left: false });
        let mut ends = false;
        let body = self.way(|this| ends = walk(this));
        self.push(Flow::Labelled { target: id, repeats, body });
        let Some(target) = self.targets.pop() else { return false };
        if let (Some(label), false) = (label, target.named) {
            self.spot(SpotKind::Label(&label.name));
        }
        !target.left && (ends || repeats)
    }

    /// Where a jump leads.
    fn target(&mut self, label: Option<&syn::Lifetime>, repeats: bool) -> Option<&mut Target> {
        let label = label.map(|label| label.ident.unraw().to_string());
        let target = self.targets.iter_mut().rev().find(|target| match &label {
            Some(label) => target.label.as_ref() == Some(label),
            None => target.repeats || !repeats,
        })?;
        target.named |= label.is_some();
        Some(target)
    }

    fn if_(&mut self, if_: &'a syn::ExprIf) -> bool {
        let scope = self.scope.len();
        let ends = self.expr(&if_.cond);
        let (mut then_ends, mut else_ends) = (false, false);
        let then = self.way(|walk| then_ends = walk.block(&if_.then_branch));
        self.scope.truncate(scope);
        let otherwise = match &if_.else_branch {
            // A chain does not nest.
            Some((_, otherwise)) => self.way(|walk| {
                else_ends = match &**otherwise {
                    Expr::If(next) => walk.if_(next),
                    otherwise => walk.expr(otherwise),
                }
            }),
            None => Vec::new(),
        };
        self.push(Flow::Either(vec![then, otherwise]));
        ends || then_ends && else_ends
    }

    fn match_(&mut self, match_: &'a syn::ExprMatch) -> bool {
        let ends = self.expr(&match_.expr);
        let mut all = !match_.arms.is_empty();
        let mut ways = Vec::new();
        let mut guards = Vec::new();
        for arm in &match_.arms {
            self.with(&arm.attrs, |walk| {
                let way = walk.way(|walk| {
                    walk.pattern(&arm.pat, false);
                    if let Some((_, guard)) = &arm.guard {
                        walk.expr(guard);
                    }
                    all &= walk.expr(&arm.body);
                });
                ways.push(way);
            });
            // A guard that fails has been evaluated, too.
            if let Some((_, guard)) = &arm.guard {
                guards.push(guard);
            }
        }
        for guard in guards {
            self.anything(guard.to_token_stream());
        }
        self.push(Flow::Either(ways));
        ends || all
    }

    fn closure(&mut self, closure: &'a syn::ExprClosure) {
        let own = std::mem::replace(&mut self.own, self.notes.variables.len());
        let targets = std::mem::take(&mut self.targets);
        let body = self.way(|walk| {
            closure.inputs.iter().for_each(|pat| walk.pattern(pat, true));
            walk.expr(&closure.body);
        });
        self.bodies.push(body);
        (self.own, self.targets) = (own, targets);
    }

    fn assign(&mut self, assign: &'a syn::ExprAssign) -> bool {
        let ends = self.expr(&assign.right);
        match peel(&assign.left) {
            Expr::Path(path) => {
                if let Some(variable) = path.path.get_ident().and_then(|ident| self.variable(ident)) {
                    self.assigned(variable, SiteKind::Assign(assign));
                }
            }
            left @ (Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_)) => self.part(left),
            place => self.place(place),
        }
        ends
    }

    /// What takes a part of a value that is taken apart; groups of tokens do not nest deeply.
    fn part(&mut self, part: &'a Expr) {
        match peel(part) {
            Expr::Path(path) => match path.path.get_ident().and_then(|ident| self.variable(ident)) {
                Some(variable) => self.assigned(variable, SiteKind::Part),
                None => self.place(part),
            },
            Expr::Tuple(syn::ExprTuple { elems, .. })
            | Expr::Array(syn::ExprArray { elems, .. })
            | Expr::Call(syn::ExprCall { args: elems, .. }) => elems.iter().for_each(|part| self.part(part)),
            Expr::Struct(literal) => literal.fields.iter().for_each(|field| self.part(&field.expr)),
            Expr::Range(_) => {}
            place => self.place(place),
        }
    }

    fn assigned(&mut self, variable: usize, kind: SiteKind<'a>) {
        let captured = variable < self.own;
        let found = &mut self.notes.variables[variable];
        found.mutated = true;
        found.escapes |= captured;
        found.used |= captured || !self.reachable;
        self.write(variable, kind);
    }

    /// A part of something that is assigned to: the whole counts as read.
    fn place(&mut self, place: &'a Expr) {
        if let Some(variable) = self.root(place) {
            self.notes.variables[variable].mutated = true;
        }
        self.expr(place);
    }

    fn binary(&mut self, binary: &'a syn::ExprBinary) -> bool {
        if mutates(&binary.op) {
            let variable = match peel(&binary.left) {
                Expr::Path(path) => path.path.get_ident().and_then(|ident| self.variable(ident)),
                _ => None,
            };
            // The place of a number is found behind the value, that of anything else before it.
            if variable.is_none() {
                self.read_all(binary.left.to_token_stream());
            }
            let ends = self.expr(&binary.right);
            match variable {
                Some(variable) => {
                    self.push(Flow::Read(variable));
                    self.assigned(variable, SiteKind::Change(binary));
                }
                None => self.place(&binary.left),
            }
            return ends;
        }
        self.comparison(binary);
        let ends = self.expr(&binary.left);
        if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) {
            // What a `let` on the right binds is in scope behind it.
            let before = std::mem::take(&mut self.flow);
            self.expr(&binary.right);
            let right = std::mem::replace(&mut self.flow, before);
            self.push(Flow::Either(vec![right, Vec::new()]));
            return ends;
        }
        self.expr(&binary.right) | ends
    }

    /// The variable that a place is a part of.
    fn root(&self, place: &Expr) -> Option<usize> {
        match peel(place) {
            Expr::Path(path) => self.variable(path.path.get_ident()?),
            Expr::Field(field) => self.root(&field.base),
            Expr::Index(index) => self.root(&index.expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => self.root(&unary.expr),
            Expr::Reference(reference) => self.root(&reference.expr),
            Expr::MethodCall(call) => self.root(&call.receiver),
            _ => None,
        }
    }
}
