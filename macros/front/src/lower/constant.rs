//! Constants: `const` items of the body, and constants from outside.
//!
//! A constant from outside is a path, used as a value, that names nothing in the kernel. rustc
//! knows its value and the launcher passes it, so it is a parameter to the kernel. Its type is
//! what its use asks for. A single name is taken for such a constant if it is all capitals.

use super::{Binding, Context, Lowerer, Memory, Outside, Untold};
use crate::build::value::Failure;
use crate::hir::{ExprId, ExprKind, Form, Held, Outer, Stmt, Written, outer_id};
use crate::infer::{Ty, VarKind};
use crate::known::{Bits, Kind, Known};
use crate::link::facts::{Fact, UNTOLD};
use crate::lower::evaluate::{self, Constant, Named, Value};
use crate::names;
use crate::names::Names;
use crate::spell;
use crate::syntax;
use crate::syntax::is_constant;
use crate::types;
use crate::types::integer;
use crate::words::around::{Around, Plain};
use crate::words::foreign;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::Root;
use samebits_ir::loc::Loc;
use samebits_ir::ops::Op;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};

/// Constants from outside that a kernel may use.
pub(crate) const MAX_OUTER: usize = 32;

impl<'a> Lowerer<'a, '_> {
    /// The `const` items of a block. They are visible in all of it, also before them and
    /// in each other, so that each comes after those that it names.
    pub(super) fn constant_items(&mut self, block: &'a syn::Block, stmts: &mut Vec<Stmt>) {
        let mut items = Vec::new();
        for stmt in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Const(item)) = stmt {
                let mut names = Vec::new();
                single_names(item.expr.to_token_stream(), &mut names);
                single_names(item.ty.to_token_stream(), &mut names);
                items.push((item, names));
            }
        }
        while !items.is_empty() {
            let ready = |(_, names): &(&syn::ItemConst, Vec<String>)| {
                !items.iter().any(|(other, _)| names.contains(&other.ident.unraw().to_string()))
            };
            let Some(ready) = items.iter().position(ready) else {
                let loc = self.loc(&items[0].0.ident);
                let message = format!("the value of `{}` depends on itself", items[0].0.ident);
                self.reporter.report(Diag::new(Code::V100, loc, message));
                self.context
                    .names
                    .extend(items.iter().map(|(item, _)| (item.ident.unraw().to_string(), Binding::Refused)));
                return;
            };
            self.constant_item(items.remove(ready).0, stmts);
        }
    }

    /// `const NAME: T = value;` in a block: a known value or a table. A constant that depends on
    /// what only a launch knows is computed where the block begins.
    pub(super) fn constant_item(&mut self, item: &'a syn::ItemConst, stmts: &mut Vec<Stmt>) {
        let name = item.ident.unraw().to_string();
        let binding = self.constant_binding(item, &name, stmts);
        self.context.names.push((name, binding));
    }

    fn constant_binding(&mut self, item: &'a syn::ItemConst, name: &str, stmts: &mut Vec<Stmt>) -> Binding<'a> {
        let ty = self.read_type(&item.ty);
        if self.uses_a_variable(item) {
            return Binding::Refused;
        }
        let at = self.loc(&item.ident);
        match self.value_of_item(item, &ty) {
            Ok(value) => {
                let before = self.body.exprs.len();
                let written = value.written.into_iter().map(|features| Written { features, before, loc: at });
                self.body.written.extend(written);
                return self.known_binding((name, ty, value.bits), at, stmts);
            }
            Err(Failure::Endless) => {
                self.reporter.report(evaluate::endless(name).at(at));
                return Binding::Refused;
            }
            Err(Failure::Unknown) => {}
        }
        // A value that wraps in the kernel is not known here.
        let known =
            Kind::of(&ty).and_then(|ty| integer::evaluate(&item.expr, self)?.typed(ty)).map(|known| known.value);
        let value = self.of_any_size(|this| this.expr(&item.expr));
        self.expect(value, &ty);
        if let Some(memory) = self.table(name, &ty, value, at) {
            return Binding::Memory(memory);
        }
        if self.too_large_for_a_value(name, &ty, at) || ty.flat().is_none() {
            return Binding::Refused;
        }
        let local = self.variable(name, ty.clone(), false, at);
        self.constants.push(local);
        self.known.extend(known.map(|value| (local, value)));
        self.written.extend((ty.scalar().is_none()).then_some((local, value)));
        stmts.push(Stmt::Let(local, value));
        Binding::Local(local)
    }

    /// The value of a constant of the body, computed once for each choice of type and constant
    /// parameters.
    fn value_of_item(&mut self, item: &'a syn::ItemConst, ty: &Ty) -> Result<Value, Failure> {
        if !is_value(ty) {
            return Err(Failure::Unknown);
        }
        let Context { scope, own, names, .. } = &self.context;
        let id = format!("{item:p} {own:?}");
        if let Some(known) = self.values.get(&id) {
            return known.clone();
        }
        let constants = names.iter().filter_map(|(name, binding)| {
            let (ty, bits) = match binding {
                Binding::Local(local) => self.items.get(local)?,
                Binding::Memory(Memory { root: Root::Table(table), path, .. }) if path.is_empty() => {
                    let table = self.body.tables.get(*table as usize)?;
                    match &table.value {
                        Held::Bits(bits) => return Some((name.clone(), table.ty.clone(), bits.clone())),
                        Held::Expr(_) => return None,
                    }
                }
                _ => return None,
            };
            Some((name.clone(), ty.clone(), bits.clone()))
        });
        let around = Outside { constants: constants.collect(), depth: self.outer_depth + self.depth };
        let constant = Constant {
            ty: ty.clone(),
            expr: &item.expr,
            scope: *scope,
            own: own.clone(),
            seen_by_rustc: false,
            around,
        };
        let value = constant.evaluate();
        self.values.insert(id, value.clone());
        value
    }

    /// Makes a constant of a known value visible.
    pub(super) fn known_item(&mut self, (name, ty, bits): Named, loc: Loc, stmts: &mut Vec<Stmt>) {
        let binding = self.known_binding((&name, ty, bits), loc, stmts);
        self.context.names.push((name, binding));
    }

    fn known_binding(&mut self, (name, ty, bits): (&str, Ty, Bits), loc: Loc, stmts: &mut Vec<Stmt>) -> Binding<'a> {
        if ty.has_array() {
            return Binding::Memory(self.table_of(name, &ty, Held::Bits(bits), loc));
        }
        let value = self.known_value(&ty, &mut bits.iter().copied(), loc);
        let local = self.variable(name, ty.clone(), false, loc);
        self.constants.push(local);
        let number = Kind::of(&ty).zip(bits.first()).and_then(|(kind, &bits)| Known::of_bits(bits, kind));
        self.known.extend(number.map(|known| (local, known.value)));
        self.written.extend((ty.scalar().is_none()).then_some((local, value)));
        self.items.insert(local, (ty, bits));
        stmts.push(Stmt::Let(local, value));
        Binding::Local(local)
    }

    /// A value of these bits, of a type without arrays.
    fn known_value(&mut self, ty: &Ty, bits: &mut dyn Iterator<Item = u64>, loc: Loc) -> ExprId {
        let kind = match ty {
            Ty::Tuple(parts) => ExprKind::Tuple(parts.iter().map(|part| self.known_value(part, bits, loc)).collect()),
            Ty::Struct(def) => {
                let fields = def.fields.iter().enumerate();
                ExprKind::Struct(fields.map(|(i, field)| (i, self.known_value(&field.ty, bits, loc))).collect(), None)
            }
            Ty::Vector(lane, lanes) => {
                let lanes = (0..*lanes).map(|_| self.known_value(lane, bits, loc)).collect();
                ExprKind::Op(Op::Construct, lanes)
            }
            Ty::Matrix(column, columns) => {
                ExprKind::Array((0..*columns).map(|_| self.known_value(column, bits, loc)).collect())
            }
            // The sign of an integer is not part of a literal.
            other => match (bits.next().unwrap_or_default(), Kind::of(other)) {
                (bits, Some(kind)) => match Known::of_bits(bits, kind).map(|known| u128::try_from(known.value)) {
                    Some(Ok(value)) => ExprKind::Int(value),
                    _ => ExprKind::Bits(bits),
                },
                (bits, None) => ExprKind::Bits(bits),
            },
        };
        self.push(kind, ty.clone(), loc)
    }

    /// The value of a constant of a fact that has no array in it.
    pub(super) fn constant_value_of(
        &mut self,
        fact: &'a Fact,
        (item, ty, expr): (&syn::Ident, &'a syn::Type, &'a syn::Expr),
        self_ty: Option<Ty>,
        loc: Loc,
    ) -> ExprId {
        let bits = fact.value(item).filter(|_| !fact.broken).cloned();
        let read = types::read(ty, &Context::of(self.context.scope.of(fact), self_ty.clone()));
        match (bits, read) {
            (Some(bits), Ok(ty)) if !ty.has_array() && is_value(&ty) => {
                self.known_value(&ty, &mut bits.iter().copied(), loc)
            }
            _ => self.inlined_constant(fact, (ty, expr), self_ty, loc),
        }
    }

    /// Whether a constant names something that is known only at run time, which Rust does not
    /// allow; reports it.
    fn uses_a_variable(&mut self, item: &'a syn::ItemConst) -> bool {
        let mut values = Values::default();
        values.visit_expr(&item.expr);
        let Some((ident, name)) = self.variable_among(&values) else { return false };
        let loc = self.loc(ident);
        let message = format!("the constant `{}` cannot depend on `{name}`, which is not a constant", item.ident);
        let variable = item.ident.unraw().to_string().to_lowercase();
        let ty = spell::spelled(&item.ty);
        let help = format!(
            "write `let {variable}: {ty} = {};`, and `{variable}` where it is used",
            spell::expression(&item.expr)
        );
        self.reporter.report(Diag::new(Code::V006, loc, message).help(help));
        true
    }

    /// `const { … }`: a value that depends on constants alone, and which nothing in it leaves.
    pub(super) fn const_block(&mut self, block: &'a syn::ExprConst, loc: Loc) -> ExprId {
        let mut values = Values::default();
        values.visit_block(&block.block);
        if let Some((ident, name)) = self.variable_among(&values) {
            let at = self.loc(ident);
            let message = format!("a `const` block cannot depend on `{name}`, which is not a constant");
            return self.refuse(Diag::new(Code::V006, at, message).help("remove the word `const`"));
        }
        if values.returns {
            return self.refuse(Diag::new(Code::V100, loc, "`return` in a `const` block"));
        }
        let loops = std::mem::take(&mut self.context.loops);
        let value = self.block_expr(&block.block);
        self.context.loops = loops;
        value
    }

    /// A variable among the names that a constant uses.
    fn variable_among<'n>(&self, values: &Values<'n>) -> Option<(&'n syn::Ident, String)> {
        let varies = |name: &String| match self.find(name) {
            Some(Binding::Local(local)) => !self.constants.contains(local),
            Some(Binding::Memory(memory)) => !matches!(memory.root, Root::Table(_)),
            Some(Binding::Alias(_) | Binding::Iterator(_)) => true,
            Some(Binding::Closure(_) | Binding::Unknown(_) | Binding::Variant(..) | Binding::Refused) | None => false,
        };
        let own = &values.declared;
        let named = values.used.iter().map(|ident| (*ident, ident.unraw().to_string()));
        named.filter(|(_, name)| !own.contains(name)).find(|(_, name)| varies(name))
    }

    /// The value of a constant from outside, or the mistake that nothing has this name.
    pub(super) fn outer_constant(&mut self, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        if let Some(value) = self.device_constant(path, loc) {
            return value;
        }
        if let Some(brought) = self.brought_variant(&path.path, loc) {
            return brought;
        }
        let shown = path.to_token_stream().to_string().replace(' ', "");
        let single = syntax::name(&path.path);
        let constant = path.path.segments.last().is_some_and(|last| is_constant(&last.ident));
        if let Some(name) = &single
            && let Some(help) = foreign::value(name)
        {
            let diag = Diag::new(Code::V006, loc, format!("cannot find value `{name}` in a kernel"));
            let known = foreign::type_of_variant(name).unwrap_or(name);
            return self.refuse_name(known, diag.help(help));
        }
        if path.qself.is_some() || !constant {
            if let Some(name) = single {
                let plain = path.path.get_ident().and_then(Around::plain_of);
                if matches!(plain, Some(Plain::Constant | Plain::Table | Plain::Static)) {
                    let diag = Diag::new(Code::V006, loc, format!("cannot find value `{name}` in this scope"));
                    let capitals = name.to_uppercase();
                    let help = format!("constants from outside must be in capitals: rename it to `{capitals}`");
                    return self.refuse_name(&name, diag.help(help));
                }
                return self.unknown_name(&name, loc);
            }
            let diag = Diag::new(Code::V006, loc, format!("cannot find value `{shown}` in this scope"));
            return self.refuse(diag.help("a path can only name a constant, and its name must be in capitals"));
        }
        let plain = path.path.segments.last().and_then(|last| Around::plain_of(&last.ident));
        if matches!(plain, Some(Plain::Table | Plain::Static)) {
            return self.undeclared_table(&path.path, loc);
        }
        self.outer_named(path.path.clone(), shown, loc)
    }

    /// Whether a path names a constant from outside.
    pub(super) fn is_outer(&self, path: &syn::ExprPath) -> bool {
        let own = |ident: &syn::Ident| self.find(&ident.unraw().to_string()).is_some();
        let constant = path.path.segments.last().is_some_and(|last| is_constant(&last.ident));
        let parameter = self.context.own.constant(&path.path).is_some();
        let bare = parameter || path.path.get_ident().is_some_and(own);
        let found = self.context.scope.find(&path.path).is_some();
        let owned = syntax::owner(&path.path).is_some_and(|(owner, _)| self.named_type(&owner).is_some());
        let outer = path.qself.is_none() && constant && !bare && !found && !owned && !of_a_number(&path.path);
        outer && !foreign::is_variant(&path.path)
    }

    /// Whether a path names a constant of which only the length is asked: one from outside, or a
    /// constant array that is known here.
    pub(super) fn is_outer_array(&self, path: &syn::ExprPath) -> bool {
        let own = path.path.get_ident().is_some_and(|ident| self.find(&ident.unraw().to_string()).is_some());
        !own && path.qself.is_none() && (self.is_outer(path) || self.length(&path.path).is_some())
    }

    /// The value of a constant parameter or of a `#[device] const`.
    fn device_constant(&mut self, path: &'a syn::ExprPath, loc: Loc) -> Option<ExprId> {
        if let Some(known) = self.context.own.constant(&path.path) {
            return Some(self.push(ExprKind::Int(known.value.unsigned_abs()), Ty::Usize, loc));
        }
        let fact = self.context.scope.find(&path.path)?;
        let item = fact.constant()?;
        if fact.broken {
            return Some(self.error(loc));
        }
        // A length is known without the elements, which may be many.
        let ty = types::read(&item.ty, &self.context.scope.of(fact)).ok();
        let known = self.context.scope.constant(&path.path).and_then(|known| u128::try_from(known.value).ok());
        match (known, ty) {
            (Some(value), Some(ty @ (Ty::Usize | Ty::Scalar(Scalar::U32)))) if value <= u128::from(u32::MAX) => {
                Some(self.push(ExprKind::Int(value), ty, loc))
            }
            _ => match self.table_named(&path.path, loc) {
                Some(target) => Some(self.load(target, loc)),
                None => Some(self.constant_value_of(fact, (&item.ident, &item.ty, &item.expr), None, loc)),
            },
        }
    }

    /// `PATH as T`, which is a constant of type `T`.
    pub(super) fn cast_outer(&mut self, path: &'a syn::ExprPath, ty: Ty, loc: Loc) -> ExprId {
        let shown = path.to_token_stream().to_string().replace(' ', "");
        let name = format!("{shown} as {}", self.infer.show(&ty));
        self.outer(path.path.clone(), (name, Form::Cast, Some(ty)), loc)
    }

    /// `PATH.len()`, which rustc knows as well.
    pub(super) fn length_of_outer(&mut self, path: &'a syn::ExprPath, loc: Loc) -> ExprId {
        if let Some(len) = self.length(&path.path) {
            return self.push(ExprKind::ArrayLen(len), Ty::Usize, loc);
        }
        let shown = path.to_token_stream().to_string().replace(' ', "");
        self.outer(path.path.clone(), (format!("{shown}.len()"), Form::Len, Some(Ty::Usize)), loc)
    }

    /// A constant from outside of the type that its use asks for.
    pub(super) fn outer_named(&mut self, path: syn::Path, name: String, loc: Loc) -> ExprId {
        self.outer(path, (name, Form::Plain, None), loc)
    }

    /// The local that stands for a constant from outside, the same for each use of a path.
    ///
    /// A helper's constant goes by the helper's name, since its own path means something
    /// else here.
    fn outer(&mut self, path: syn::Path, (name, form, ty): (String, Form, Option<Ty>), loc: Loc) -> ExprId {
        let owner = self.context.scope.owner().filter(|fact| self.home.as_ref() != Some(&fact.id));
        let origin = owner.map_or(String::new(), |fact| fact.id.clone());
        let (mut stated, mut kept) = (ty, false);
        let path = match owner {
            None => path,
            Some(fact) => {
                let listed = fact.constants.iter().find(|passed| passed.origin == fact.id && passed.key == name);
                let ty = listed.and_then(|passed| syn::parse_str::<syn::Type>(&passed.ty).ok());
                stated = ty.and_then(|ty| types::read(&ty, &names::NoNames).ok());
                kept = listed.is_some_and(|passed| passed.ty == UNTOLD);
                match (self.context.scope.constant_path(&origin, &name), stated.is_some() || kept) {
                    (Some(path), true) => path,
                    // Only a helper that is wrong, or whose type is not named here, lacks it.
                    _ => {
                        let message = format!("the constant `{name}` of `{}` cannot be used here", fact.name);
                        let help =
                            format!("use the type `{}` by name in this function, as in `let x: {0} = …`", fact.name);
                        return self.refuse(Diag::new(Code::V006, loc, message).help(help));
                    }
                }
            }
        };
        let same = |outer: &&Outer| outer.origin == origin && outer.key == name;
        let local = match self.body.outer.iter().find(same) {
            Some(outer) => outer.local,
            None if self.body.outer.len() == MAX_OUTER => {
                let message = format!("a kernel can use at most {MAX_OUTER} constants from outside");
                let diag = Diag::new(Code::V019, loc, message);
                return self.refuse(diag.help("declare some of them inside of the kernel"));
            }
            None => {
                // What a helper passes on is the value itself.
                let form = match (origin.is_empty(), kept) {
                    (true, _) => form,
                    (false, true) => Form::Kept,
                    (false, false) => Form::Plain,
                };
                let assumed = match self.untold {
                    Untold::Of(ids, ty) if ids.contains(&outer_id(&origin, &name)) => Some(ty.clone()),
                    _ => None,
                };
                let kind = if kept { VarKind::Int } else { VarKind::General };
                let ty = stated.or(assumed).unwrap_or_else(|| self.infer.var(kind));
                let shown = match owner {
                    None => name.clone(),
                    Some(fact) => self.passed_on_name(&format!("{}.{name}", fact.name)),
                };
                let local = self.variable(&shown, ty, false, loc);
                self.body.outer.push(Outer { origin, key: name, path, form, local });
                local
            }
        };
        let ty = self.body.locals[local].ty.clone();
        self.push(ExprKind::Local(local), ty, loc)
    }

    /// The name of the parameter that a helper's constant becomes: two helpers may be called
    /// alike, and each parameter needs a name of its own.
    fn passed_on_name(&self, wanted: &str) -> String {
        let taken = |name: &str| self.body.outer.iter().any(|outer| self.body.locals[outer.local].name == name);
        let numbered = (2..).map(|n| format!("{wanted}.{n}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// Whether a type is one whose values are bits.
fn is_value(ty: &Ty) -> bool {
    match ty {
        Ty::Array(element, _) => is_value(element),
        Ty::Tuple(parts) => parts.iter().all(is_value),
        Ty::Struct(def) => def.fields.iter().all(|field| is_value(&field.ty)),
        other => other.value().is_some(),
    }
}

/// The names that stand for values in an expression, and those that it declares itself.
#[derive(Default)]
struct Values<'a> {
    used: Vec<&'a syn::Ident>,
    declared: Vec<String>,
    /// Whether there is a `return`.
    returns: bool,
}

impl<'a> Visit<'a> for Values<'a> {
    fn visit_expr_return(&mut self, return_: &'a syn::ExprReturn) {
        self.returns = true;
        visit::visit_expr_return(self, return_);
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        self.used.extend(path.path.get_ident());
    }

    fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
        self.declared.push(pat.ident.unraw().to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.declared.push(item.ident.unraw().to_string());
        visit::visit_item_const(self, item);
    }
}

/// The identifiers that may name a local: not fields, and not later segments of paths.
fn single_names(tokens: TokenStream, names: &mut Vec<String>) {
    let mut after = ' ';
    for token in tokens {
        match &token {
            TokenTree::Ident(ident) if !matches!(after, ':' | '.') => names.push(ident.unraw().to_string()),
            TokenTree::Group(group) => single_names(group.stream(), names),
            _ => {}
        }
        after = match token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
    }
}

/// Whether a path is a constant of a number type, which is known here.
fn of_a_number(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev().skip(1).map(|segment| segment.ident.to_string());
    segments.next().is_some_and(|owner| owner == "usize" || owner == "consts" || Scalar::from_name(&owner).is_some())
}
