//! The paths of an item that may name helpers, structs or constants.
//!
//! They are found by syntax and by how Rust's names are written: a name with a capital letter
//! is a type, all capitals as a length are a constant, and a called name is a function, unless
//! it is a closure or a function of the language. Every path that is found becomes a macro
//! call. So a name that is not one of ours becomes rustc's error, on the user's own tokens.
//! Names that cannot be ours (a path of `std`, a variant of an enum, a name that nothing in the
//! file declares or imports) are left out and refused in our own words when the body is
//! lowered.

use crate::generics;
use crate::syntax::{self, spelled_path};
use crate::words::around::Around;
use crate::words::{foreign, operators, order, reserved};
use std::collections::BTreeSet;
use syn::ext::IdentExt;
use syn::visit::{self, Visit};

/// The paths that a function names, each once, in the order of the source.
pub fn of_function(item: &syn::ItemFn) -> Vec<syn::Path> {
    let mut names = Names::of(Some(&item.sig.ident));
    names.visit_item_fn(item);
    names.found
}

/// The paths that another item names.
pub fn of_item(item: &syn::Item) -> Vec<syn::Path> {
    let mut names = Names::of(name(item));
    names.visit_item(item);
    names.found
}

/// The structs that the fields of a struct name.
pub fn of_struct(item: &syn::ItemStruct) -> Vec<syn::Path> {
    let mut names = Names::of(Some(&item.ident));
    names.visit_item_struct(item);
    names.found
}

/// The types that the fields of an enum's variants name.
pub fn of_enum(item: &syn::ItemEnum) -> Vec<syn::Path> {
    let mut names = Names::of(Some(&item.ident));
    names.generics(&item.generics);
    item.variants.iter().for_each(|variant| names.visit_fields(&variant.fields));
    names.found
}

/// The constants that a length names.
pub fn of_length(expr: &syn::Expr) -> Vec<syn::Path> {
    let mut names = Names::default();
    names.length(expr);
    names.found
}

/// The structs that a type names.
pub fn of_type(ty: &syn::Type) -> Vec<syn::Path> {
    let mut names = Names::default();
    names.visit_type(ty);
    names.found
}

/// The names that may be those of structs or of variants, where a body brings in all variants of enums.
pub fn doubtful(item: &syn::Item) -> Vec<Doubtful> {
    let mut names = Names::of(name(item));
    names.visit_item(item);
    names.doubtful
}

/// A name that is a struct's unless one of these enums has a variant of it.
#[derive(Clone)]
pub struct Doubtful {
    /// The name.
    pub name: syn::Path,
    /// The enums.
    pub enums: Vec<syn::Path>,
}

#[derive(Default)]
struct Names {
    found: Vec<syn::Path>,
    doubtful: Vec<Doubtful>,
    /// The enums of which all variants are in scope here.
    enums: Vec<syn::Path>,
    spelled: BTreeSet<String>,
    /// Names of the item's own here: type parameters, variables, its constants, itself.
    own: BTreeSet<String>,
    /// Whether constants count here, as in a length.
    in_length: bool,
    /// Whether those for kernels that the file shows count here, as in a range: how far a loop goes is then known.
    in_range: bool,
    depth: usize,
    /// The name of the item, by which its file is found.
    item: Option<syn::Ident>,
    /// Modules, enums and structs of the body, whose names begin paths.
    inner: BTreeSet<String>,
}

/// How deep expressions, types and patterns are looked into; what nests deeper is refused
/// later, and must not overflow the stack here.
const MAX_DEPTH: usize = 72;

impl Names {
    /// Those of an item of this name.
    fn of(item: Option<&syn::Ident>) -> Self {
        Self { item: item.cloned(), ..Self::default() }
    }

    /// Whether a path is known not to be a helper, struct or constant of a user, so that it is
    /// refused in our own words.
    fn is_foreign(&self, path: &syn::Path) -> bool {
        let lacking = || Some(Around::of(self.item.as_ref()?)?.lacks_path(path));
        let first = path.segments.first().map(|first| first.ident.unraw().to_string());
        let variant = || path.get_ident().is_some_and(|name| Around::brought_variant(name).is_some());
        let inner = path.segments.len() > 1 && first.is_some_and(|first| self.inner.contains(&first));
        inner || variant() || foreign::is_std(path) || reserved::approx(path).is_some() || lacking().unwrap_or(false)
    }

    /// Whether the file shows that a path names something of a user.
    fn shows(&self, path: &syn::Path) -> bool {
        let around = self.item.as_ref().and_then(Around::of);
        let last = path.segments.last().map(|last| syntax::plain(&last.ident));
        self.is_own(path) || around.zip(last).is_some_and(|(around, last)| around.shows(&last))
    }

    fn add(&mut self, path: &syn::Path) {
        if self.is_foreign(path) {
            return;
        }
        let mut path = path.clone();
        for segment in &mut path.segments {
            segment.arguments = syn::PathArguments::None;
        }
        if self.spelled.insert(spelled_path(&path)) {
            self.found.push(path);
        }
    }

    fn is_own(&self, path: &syn::Path) -> bool {
        path.get_ident().is_some_and(|ident| self.own.contains(&ident.unraw().to_string()))
    }

    fn ty(&mut self, path: &syn::Path) {
        let Some(last) = path.segments.last() else { return };
        let bare = path.segments.len() == 1 && self.own.contains(&last.ident.unraw().to_string());
        let name = last.ident.to_string();
        if !bare && syntax::is_type_name(&last.ident) && !reserved::is_known_type(&name) && !reserved::is_taken(&name) {
            self.add(path);
        }
    }

    /// The type before the last segment, of `Type::function` and `Type::CONSTANT`.
    fn owner(&mut self, path: &syn::Path) -> bool {
        if self.is_foreign(path) {
            return true;
        }
        let Some((owner, _)) = syntax::owner(path) else { return order::is_order(path) };
        // The words of Rust, unless the file shows that a user has a type of this name.
        if (order::is_order(path) || operators::by_path(path).is_some()) && !self.shows(&owner) {
            return true;
        }
        let capital = owner.segments.last().is_some_and(|last| syntax::is_type_name(&last.ident));
        if capital {
            self.ty(&owner);
        }
        capital || owner.segments.last().is_some_and(|last| reserved::is_known_type(&last.ident.to_string()))
    }

    /// A struct, or a variant of an enum, that a value is made of or taken apart by.
    fn made(&mut self, path: &syn::Path) {
        let of_type = syntax::owner(path)
            .is_some_and(|(owner, _)| owner.segments.last().is_some_and(|owner| syntax::is_type_name(&owner.ident)));
        if of_type {
            self.owner(path);
        } else if let (false, Some(name)) = (self.enums.is_empty(), path.get_ident()) {
            // The facts of the enums will tell.
            let text = name.to_string();
            let known = reserved::is_known_type(&text) || reserved::is_taken(&text);
            let name = syn::Path::from(name.clone());
            if !known && !self.is_own(&name) && !self.is_foreign(&name) {
                self.doubtful.push(Doubtful { name, enums: self.enums.clone() });
            }
        } else {
            self.ty(path);
        }
    }

    /// A constant that is an array, a vector, a tuple or a struct.
    fn compound(&mut self, base: &syn::Expr) {
        if let syn::Expr::Path(path) = base
            && path.qself.is_none()
            && path.path.segments.last().is_some_and(|last| syntax::is_constant(&last.ident))
            && !self.is_own(&path.path)
            && !self.has_known_owner(&path.path)
        {
            self.add(&path.path);
        }
    }

    /// Whether the file shows that a path names a `#[device] const` that is no number, which only its tokens tell.
    fn is_value(&self, path: &syn::Path) -> bool {
        let around = self.item.as_ref().and_then(Around::of);
        let last = path.segments.last().map(|last| syntax::plain(&last.ident));
        around.zip(last).is_some_and(|(around, last)| around.is_value(&last))
    }

    /// Whether the file shows that a path in a range names a `#[device] const`.
    fn bounds_range(&self, path: &syn::Path) -> bool {
        self.in_range && path.get_ident().is_some_and(Around::only_links_to)
    }

    /// Whether a path is one of a type, such as `Mat2::IDENTITY`.
    fn has_known_owner(&self, path: &syn::Path) -> bool {
        path.segments.iter().rev().nth(1).is_some_and(|owner| {
            syntax::is_type_name(&owner.ident)
                || reserved::is_known_type(&owner.ident.to_string())
                || owner.ident == "consts"
        })
    }

    fn length(&mut self, expr: &syn::Expr) {
        let outer = std::mem::replace(&mut self.in_length, true);
        self.visit_expr(expr);
        self.in_length = outer;
    }

    fn generics(&mut self, generics: &syn::Generics) {
        for param in &generics.params {
            if let syn::GenericParam::Type(syn::TypeParam { ident, .. })
            | syn::GenericParam::Const(syn::ConstParam { ident, .. }) = param
            {
                self.own.insert(syntax::plain(ident));
            }
        }
    }

    /// Parameters that are functions, by their type or by a bound on it.
    fn function_params(&mut self, sig: &syn::Signature) {
        for input in &sig.inputs {
            if let syn::FnArg::Typed(typed) = input
                && let syn::Pat::Ident(name) = &*typed.pat
                && may_be_function(&typed.ty)
            {
                self.own.insert(name.ident.unraw().to_string());
            }
        }
    }
}

impl Names {
    /// Runs `visit` one level deeper, unless that is too deep.
    fn nested(&mut self, visit: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            visit(self);
            self.depth -= 1;
        }
    }
}

impl<'a> Visit<'a> for Names {
    fn visit_expr(&mut self, expr: &'a syn::Expr) {
        self.nested(|this| visit::visit_expr(this, expr));
    }

    fn visit_expr_range(&mut self, range: &'a syn::ExprRange) {
        let outer = std::mem::replace(&mut self.in_range, true);
        visit::visit_expr_range(self, range);
        self.in_range = outer;
    }

    // A chain does not nest.
    fn visit_expr_if(&mut self, if_: &'a syn::ExprIf) {
        let (links, otherwise) = syntax::chain(if_);
        for link in links {
            self.visit_expr(&link.cond);
            self.visit_block(&link.then_branch);
        }
        otherwise.into_iter().for_each(|otherwise| self.visit_expr(otherwise));
    }

    fn visit_type(&mut self, ty: &'a syn::Type) {
        self.nested(|this| visit::visit_type(this, ty));
    }

    fn visit_pat(&mut self, pat: &'a syn::Pat) {
        self.nested(|this| visit::visit_pat(this, pat));
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.own.insert(item.sig.ident.unraw().to_string());
        self.generics(&item.sig.generics);
        self.function_params(&item.sig);
        self.visit_signature(&item.sig);
        self.visit_block(&item.block);
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let operator = item.trait_.as_ref().is_some_and(|(_, path, _)| operators::by_trait(path).is_some());
        let of_other = operator && operators::is_of_other(item);
        if let syn::Type::Path(path) = &*item.self_ty
            && let Some(name) = path.path.segments.last().filter(|_| path.path.segments.len() == 1)
            && !of_other
        {
            self.own.insert(name.ident.unraw().to_string());
        }
        self.generics(&item.generics);
        // A trait for a type of the language is asked for by its name in its module.
        if let Some((_, path, _)) = &item.trait_ {
            if operator {
                let right = path.segments.last().and_then(syntax::type_argument);
                // The type that lists it hands on what it is itself.
                if let (true, Some(syn::Type::Path(right))) = (of_other, right) {
                    self.own.extend(right.path.segments.last().map(|last| syntax::plain(&last.ident)));
                    self.visit_type(&item.self_ty);
                }
                path.segments.iter().for_each(|segment| self.visit_path_arguments(&segment.arguments));
                item.items.iter().for_each(|item| self.visit_impl_item(item));
                return;
            }
            match reserved::is_of_language(&item.self_ty) {
                true => self.own.extend(path.get_ident().map(syntax::plain)),
                false => self.add(path),
            }
        }
        item.items.iter().for_each(|item| self.visit_impl_item(item));
    }

    fn visit_item_trait(&mut self, item: &'a syn::ItemTrait) {
        self.own.insert(syntax::plain(&item.ident));
        item.items.iter().for_each(|item| self.visit_trait_item(item));
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        let own = self.own.clone();
        self.generics(&item.sig.generics);
        self.function_params(&item.sig);
        self.visit_signature(&item.sig);
        item.default.iter().for_each(|block| self.visit_block(block));
        self.own = own;
    }

    fn visit_trait_item_const(&mut self, item: &'a syn::TraitItemConst) {
        self.visit_type(&item.ty);
        item.default.iter().for_each(|(_, value)| self.length(value));
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        let own = self.own.clone();
        self.generics(&item.sig.generics);
        self.function_params(&item.sig);
        self.visit_signature(&item.sig);
        self.visit_block(&item.block);
        self.own = own;
    }

    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.own.insert(item.ident.unraw().to_string());
        self.generics(&item.generics);
        item.fields.iter().for_each(|field| self.visit_type(&field.ty));
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.own.insert(item.ident.unraw().to_string());
        self.visit_type(&item.ty);
        self.length(&item.expr);
    }

    fn visit_block(&mut self, block: &'a syn::Block) {
        // What a block declares is known in it alone.
        let (own, enums) = (self.own.clone(), self.enums.len());
        for import in syntax::imports_of(block) {
            self.ty(&import.owner);
            match import.name {
                Some((_, name)) => _ = self.own.insert(syntax::plain(&name)),
                None => self.enums.push(import.owner),
            }
        }
        for stmt in &block.stmts {
            if let syn::Stmt::Item(item) = stmt {
                self.own.extend(syntax::item_names(item));
                if !matches!(item, syn::Item::Const(_)) {
                    self.inner.extend(syntax::item_names(item));
                }
            }
        }
        visit::visit_block(self, block);
        self.own = own;
        self.enums.truncate(enums);
    }

    fn visit_stmt(&mut self, stmt: &'a syn::Stmt) {
        match stmt {
            // Only constants are allowed in a body; the others are refused as a whole.
            syn::Stmt::Item(syn::Item::Const(item)) => {
                self.visit_type(&item.ty);
                self.visit_expr(&item.expr);
            }
            syn::Stmt::Item(_) | syn::Stmt::Macro(_) => {}
            other => visit::visit_stmt(self, other),
        }
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        visit::visit_local(self, local);
        // From here on the name is the variable's, which may be a closure.
        if let syn::Pat::Ident(name) = untyped(&local.pat) {
            self.own.insert(name.ident.unraw().to_string());
        }
    }

    fn visit_type_path(&mut self, ty: &'a syn::TypePath) {
        if ty.qself.is_none() {
            self.ty(&ty.path);
        }
        visit::visit_type_path(self, ty);
    }

    fn visit_type_array(&mut self, array: &'a syn::TypeArray) {
        self.visit_type(&array.elem);
        self.length(&array.len);
    }

    fn visit_generic_argument(&mut self, argument: &'a syn::GenericArgument) {
        match argument {
            syn::GenericArgument::Const(value) => self.length(value),
            other => visit::visit_generic_argument(self, other),
        }
    }

    // Bounds name classes, functions and traits.
    fn visit_type_param_bound(&mut self, bound: &'a syn::TypeParamBound) {
        if let Some(path) = generics::of_trait(bound).filter(|path| !self.is_own(path)) {
            self.add(path);
        }
        visit::visit_type_param_bound(self, bound);
    }

    fn visit_trait_bound(&mut self, bound: &'a syn::TraitBound) {
        if let Some(syn::PathArguments::Parenthesized(of)) = bound.path.segments.last().map(|last| &last.arguments) {
            of.inputs.iter().for_each(|ty| self.visit_type(ty));
            if let syn::ReturnType::Type(_, ty) = &of.output {
                self.visit_type(ty);
            }
        }
    }

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
        self.length(&repeat.len);
    }

    // What is indexed or has fields is not a number, so the kernel needs its tokens.
    fn visit_expr_index(&mut self, index: &'a syn::ExprIndex) {
        self.compound(&index.expr);
        visit::visit_expr_index(self, index);
    }

    fn visit_expr_field(&mut self, field: &'a syn::ExprField) {
        self.compound(&field.base);
        visit::visit_expr_field(self, field);
    }

    // Nor is what a loop goes over.
    fn visit_expr_for_loop(&mut self, for_: &'a syn::ExprForLoop) {
        self.compound(borrowed(&for_.expr));
        visit::visit_expr_for_loop(self, for_);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if ["iter", "into_iter"].iter().any(|name| call.method == name) && call.args.is_empty() {
            self.compound(borrowed(&call.receiver));
        }
        if call.method == "zip" {
            call.args.iter().for_each(|other| self.compound(borrowed(other)));
        }
        self.visit_expr(&call.receiver);
        if let Some(turbofish) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(turbofish);
        }
        let naming = order::naming_arguments(&syntax::plain(&call.method), call.args.len());
        call.args.iter().take(naming).for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_struct(&mut self, expr: &'a syn::ExprStruct) {
        self.made(&expr.path);
        visit::visit_expr_struct(self, expr);
    }

    fn visit_pat_struct(&mut self, pat: &'a syn::PatStruct) {
        self.made(&pat.path);
        visit::visit_pat_struct(self, pat);
    }

    fn visit_pat_tuple_struct(&mut self, pat: &'a syn::PatTupleStruct) {
        self.made(&pat.path);
        visit::visit_pat_tuple_struct(self, pat);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        match syntax::peel(&call.func) {
            syn::Expr::Path(func) if func.qself.is_none() => {
                let path = &func.path;
                let last = path.segments.last();
                let known = last.is_some_and(|last| {
                    let name = last.ident.unraw().to_string();
                    reserved::is_known_function(&name) || reserved::is_known_type(&name)
                });
                if foreign::is_variant(path) {
                    // Of an enum of ours, or refused as such.
                    self.owner(path);
                } else if last.is_some_and(|last| syntax::is_type_name(&last.ident)) {
                    self.made(path);
                } else if !self.owner(path) && !known && !self.is_own(path) {
                    self.add(path);
                }
                // The arguments of a turbofish are types.
                path.segments.iter().for_each(|segment| self.visit_path_arguments(&segment.arguments));
            }
            other => self.visit_expr(other),
        }
        let name = match syntax::peel(&call.func) {
            syn::Expr::Path(path) => syntax::name(&path.path).unwrap_or_default(),
            _ => String::new(),
        };
        let naming = order::naming_arguments(&name, call.args.len());
        call.args.iter().take(naming).for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_path(&mut self, expr: &'a syn::ExprPath) {
        if let Some(of_type) = expr.qself.as_ref().filter(|of| of.as_token.is_some() && of.position > 0) {
            let segments = expr.path.segments.iter().take(of_type.position).cloned().collect();
            let of_trait = syn::Path { leading_colon: expr.path.leading_colon, segments };
            let operator = operators::by_path(&expr.path).is_some() && !self.shows(&of_trait);
            if !self.is_own(&of_trait) && !operator {
                self.add(&of_trait);
            }
        }
        let own = self.is_own(&expr.path);
        let owned = expr.qself.is_none() && self.owner(&expr.path);
        let constant = expr.path.segments.last().is_some_and(|last| syntax::is_constant(&last.ident));
        let known = self.in_length || self.is_value(&expr.path) || self.bounds_range(&expr.path);
        if known && constant && !own && !owned && expr.qself.is_none() {
            self.add(&expr.path);
        }
        visit::visit_expr_path(self, expr);
    }

    fn visit_pat_ident(&mut self, pat: &'a syn::PatIdent) {
        let path = syn::Path::from(pat.ident.clone());
        if syntax::is_constant(&pat.ident) && self.is_value(&path) && !self.is_own(&path) {
            self.add(&path);
        }
        visit::visit_pat_ident(self, pat);
    }
}

/// An expression without the `&` before it.
fn borrowed(expr: &syn::Expr) -> &syn::Expr {
    match syntax::peel(expr) {
        syn::Expr::Reference(reference) => borrowed(&reference.expr),
        other => other,
    }
}

/// The name of an item.
fn name(item: &syn::Item) -> Option<&syn::Ident> {
    match item {
        syn::Item::Fn(item) => Some(&item.sig.ident),
        syn::Item::Const(item) => Some(&item.ident),
        syn::Item::Struct(item) => Some(&item.ident),
        syn::Item::Trait(item) => Some(&item.ident),
        syn::Item::Impl(item) => item.items.iter().find_map(|item| match item {
            syn::ImplItem::Fn(item) => Some(&item.sig.ident),
            syn::ImplItem::Const(item) => Some(&item.ident),
            _ => None,
        }),
        _ => None,
    }
}

/// A pattern without the type that follows it.
fn untyped(pat: &syn::Pat) -> &syn::Pat {
    match pat {
        syn::Pat::Type(typed) => untyped(&typed.pat),
        other => other,
    }
}

/// Whether a parameter of this type may be called.
fn may_be_function(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::ImplTrait(_) => true,
        syn::Type::Reference(reference) => may_be_function(&reference.elem),
        syn::Type::Path(path) => path.path.get_ident().is_some(),
        _ => false,
    }
}
