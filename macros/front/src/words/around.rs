//! What the file around an item says about a name, for error messages.
//!
//! Only rustc knows what a name means, and only after all macros are expanded. For a name that
//! is not a helper's it would report "cannot find macro", which says nothing about kernels. So
//! the file is read as well, and a name that nothing in it declares or imports is refused in
//! our own words. In doubt (imports with `*`, macros that may declare items, files that cannot
//! be read or that others include), the name is linked and rustc decides. The file never gives
//! a name a meaning.

use super::reserved;
use crate::spell::spelled;
use crate::syntax::is_type_name;
use proc_macro2::Span;
use quote::ToTokens;
use samebits_ir::types::Scalar;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// What is known of the names in a file.
#[derive(Default)]
pub struct Around {
    /// Whether names may come from where this file does not show them.
    open: bool,
    /// Where the file is, and whether another one includes it, so that the other's names are in scope.
    /// That is looked up only before a name is refused.
    path: Option<PathBuf>,
    included: OnceCell<bool>,
    imported: BTreeSet<String>,
    /// Helpers, structs and constants for kernels.
    linked: BTreeSet<String>,
    /// Items that kernels cannot use, with what they are.
    plain: BTreeMap<String, Plain>,
    /// The enums and their variants.
    variants: BTreeSet<(String, String)>,
    /// The variants that a `use` outside of functions brings in, with their enums, and the enums of which it brings in all.
    brought: BTreeMap<String, String>,
    opened: BTreeSet<String>,
    /// Constants for kernels that are no numbers.
    values: BTreeSet<String>,
    /// The implementations of traits for kernels: the last name of the trait, and the type.
    implementations: BTreeSet<(String, String)>,
    /// Functions with our attributes in an `impl` or a `trait`, and those that are items.
    members: BTreeSet<String>,
    functions: BTreeSet<String>,
    /// Modules that stand here as a whole, at the top.
    modules: BTreeSet<String>,
    /// Modules of other files, or of a module or a function here.
    elsewhere: BTreeSet<String>,
    /// How many modules and functions enclose what is visited, and how many blocks.
    depth: usize,
    blocks: usize,
    /// Every name in the file. If the name of the item is not among them, this is the wrong file.
    declared: BTreeSet<String>,
}

/// An item that kernels cannot use as it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plain {
    /// A function without `#[device]`.
    Function,
    /// A kernel, which only the host launches.
    Kernel,
    /// A number that is a `const` without `#[device]`, which a kernel can use by its name alone.
    Constant,
    /// A `const` of another type without `#[device]`.
    Table,
    /// A `static`.
    Static,
    /// A struct without `#[derive(Element)]`.
    Struct,
    /// An `enum`.
    Enum,
    /// A trait without `#[device]`.
    Trait,
    /// `type Name = …`
    Alias,
}

thread_local! {
    /// Each file is read once.
    static READ: RefCell<BTreeMap<PathBuf, Option<Rc<Around>>>> = const { RefCell::new(BTreeMap::new()) };
}

impl Around {
    /// Whether a function stands in an `impl` or a `trait`, which its own tokens do not tell.
    pub fn has_member(vis: &syn::Visibility, sig: &syn::Signature) -> bool {
        // What is no part of anything begins its line.
        let first = vis.to_token_stream().into_iter().chain(sig.to_token_stream()).next();
        let inside = first.is_some_and(|first| first.span().start().column > 0);
        inside && Self::of(&sig.ident).is_some_and(|around| around.is_member(&sig.ident.unraw().to_string()))
    }

    /// What is known of the file with an item's name; nothing if the file cannot be found.
    pub fn of(item: &syn::Ident) -> Option<Rc<Self>> {
        let path = file(item.span())?;
        let around = READ.with_borrow_mut(|read| {
            let text = || std::fs::read_to_string(&path).ok();
            let around = || Some(Rc::new(Self { path: Some(path.clone()), ..Self::read(&text()?)? }));
            read.entry(path.clone()).or_insert_with(around).clone()
        })?;
        around.declared.contains(&item.unraw().to_string()).then_some(around)
    }

    /// Reads a file's text; nothing if it is not valid Rust.
    pub fn read(text: &str) -> Option<Self> {
        let file = syn::parse_file(text).ok()?;
        let mut around = Self::default();
        around.visit_file(&file);
        Some(around)
    }

    /// Whether the file shows a type or a helper of this name for kernels, or imports it from elsewhere than Rust's library.
    pub fn shows(&self, name: &str) -> bool {
        self.linked.contains(name) || self.imported.contains(name)
    }

    /// Whether nothing that a kernel can use can be in scope by this name.
    pub fn lacks(&self, name: &str) -> bool {
        let known = self.imported.contains(name) || self.linked.contains(name);
        !self.open && !known && !self.is_included()
    }

    /// The same of the last name of a path, which leads into a module that stands here as a whole.
    pub fn lacks_path(&self, path: &syn::Path) -> bool {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.unraw().to_string()).collect();
        match names.as_slice() {
            [name] => self.lacks(name),
            [module, .., name] => {
                let here = self.modules.contains(module) && !self.elsewhere.contains(module);
                here && !self.imported.contains(module) && self.lacks(name)
            }
            [] => false,
        }
    }

    fn is_included(&self) -> bool {
        *self.included.get_or_init(|| self.path.as_deref().is_some_and(is_included))
    }

    /// The item that this name means, if its file declares it as something that kernels cannot use.
    pub fn plain_of(used: &syn::Ident) -> Option<Plain> {
        Self::of(used)?.plain(&used.unraw().to_string())
    }

    /// Whether the file of a use declares its enum with this variant.
    pub fn is_variant(owner: &syn::Ident, variant: &syn::Ident) -> bool {
        let names = (owner.unraw().to_string(), variant.unraw().to_string());
        Self::of(owner).is_some_and(|around| around.variants.contains(&names) && around.lacks(&names.0))
    }

    /// The enum that a name is a variant of, if a `use` of its file brings that in.
    pub fn brought_variant(used: &syn::Ident) -> Option<String> {
        Self::of(used)?.brought(&used.unraw().to_string())
    }

    fn brought(&self, name: &str) -> Option<String> {
        let opened = || self.opened.iter().find(|of| self.variants.contains(&((*of).clone(), name.to_owned())));
        let declared = self.linked.contains(name) || self.plain.contains_key(name);
        self.brought.get(name).or_else(|| opened().filter(|_| !declared)).cloned()
    }

    /// Whether the file shows a constant for kernels of this name that is no number.
    pub fn is_value(&self, name: &str) -> bool {
        self.values.contains(name)
    }

    /// Whether the file that declares a type shows that kernels have no implementation of a trait for a type.
    pub fn lacks_implementation(declared: &syn::Ident, of_trait: &str, ty: &str) -> bool {
        let implemented = (of_trait.to_owned(), ty.to_owned());
        Self::of(declared).is_some_and(|around| {
            !around.open && !around.implementations.contains(&implemented) && !around.is_included()
        })
    }

    /// Whether the file of a use declares what is used as something for kernels.
    pub fn links_to(used: &syn::Ident) -> bool {
        Self::of(used).is_some_and(|around| around.linked.contains(&used.unraw().to_string()))
    }

    /// Whether the file of a use declares what is used for kernels, and nothing else by this name.
    pub fn only_links_to(used: &syn::Ident) -> bool {
        let name = used.unraw().to_string();
        Self::of(used).is_some_and(|around| {
            let others = around.plain.contains_key(&name) || around.imported.contains(&name);
            around.linked.contains(&name) && !others
        })
    }

    /// The item of this name, if kernels cannot use it.
    pub fn plain(&self, name: &str) -> Option<Plain> {
        self.plain.get(name).copied().filter(|_| self.lacks(name))
    }

    /// Whether the function of this name stands in an `impl` or a `trait`.
    fn is_member(&self, name: &str) -> bool {
        !self.open && self.members.contains(name) && !self.functions.contains(name)
    }

    fn item(&mut self, name: &syn::Ident, attrs: &[syn::Attribute], plain: Plain) {
        let name = name.unraw().to_string();
        self.declared.insert(name.clone());
        let kernel = |attr: &syn::Attribute| attr.path().segments.last().is_some_and(|last| last.ident == "kernel");
        if attrs.iter().any(kernel) {
            self.plain.insert(name, Plain::Kernel);
            return;
        }
        if attrs.iter().any(|attr| is_ours(attr) || attr.path().is_ident("cfg_attr")) {
            self.linked.insert(name);
        } else {
            self.plain.insert(name, plain);
        }
    }

    /// What a `use` of a type brings in, which has the name `of`.
    fn import_of(&mut self, of: &syn::Ident, tree: &syn::UseTree) {
        let of_type = of.unraw().to_string();
        let mut brought = |name: &syn::Ident| {
            self.declared.insert(name.unraw().to_string());
            self.brought.insert(name.unraw().to_string(), of_type.clone());
        };
        match tree {
            syn::UseTree::Name(name) => brought(&name.ident),
            syn::UseTree::Rename(rename) => brought(&rename.rename),
            syn::UseTree::Glob(_) => _ = self.opened.insert(of_type),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import_of(of, tree)),
            syn::UseTree::Path(_) => {}
        }
    }

    fn import(&mut self, tree: &syn::UseTree, first: bool) {
        match tree {
            // Variants of an enum, and of nothing of Rust's.
            syn::UseTree::Path(path) if is_type_name(&path.ident) => {
                // What a body brings in is known in it alone.
                if self.blocks == 0 {
                    self.import_of(&path.ident, &path.tree);
                }
            }
            // Nothing that these export is a helper.
            syn::UseTree::Path(path) if first && is_known_crate(&path.ident) => {}
            syn::UseTree::Path(path) => self.import(&path.tree, false),
            syn::UseTree::Name(name) => _ = self.imported.insert(name.ident.unraw().to_string()),
            syn::UseTree::Rename(rename) => _ = self.imported.insert(rename.rename.unraw().to_string()),
            syn::UseTree::Glob(_) => self.open = true,
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, first)),
        }
    }
}

impl<'a> Visit<'a> for Around {
    fn visit_item(&mut self, item: &'a syn::Item) {
        match item {
            syn::Item::Fn(item) => {
                self.functions.insert(item.sig.ident.unraw().to_string());
                self.item(&item.sig.ident, &item.attrs, Plain::Function);
            }
            syn::Item::Const(item) => {
                let scalar = item.ty.to_token_stream().to_string();
                if item.attrs.iter().any(is_ours) && Scalar::from_name(&scalar).is_none() && scalar != "usize" {
                    self.values.insert(item.ident.unraw().to_string());
                }
                let number = matches!(&*item.ty, syn::Type::Path(path) if path.path.get_ident().is_some());
                let plain = if number { Plain::Constant } else { Plain::Table };
                self.item(&item.ident, &item.attrs, plain);
            }
            syn::Item::Static(item) => self.item(&item.ident, &item.attrs, Plain::Static),
            syn::Item::Struct(item) => self.item(&item.ident, &item.attrs, Plain::Struct),
            syn::Item::Enum(item) => {
                let name = item.ident.unraw().to_string();
                let variants = || item.variants.iter().map(|variant| variant.ident.unraw().to_string());
                self.variants.extend(variants().map(|variant| (name.clone(), variant)));
                self.declared.extend(variants());
                self.item(&item.ident, &item.attrs, Plain::Enum);
            }
            syn::Item::Trait(item) => self.item(&item.ident, &item.attrs, Plain::Trait),
            syn::Item::Type(item) => self.item(&item.ident, &item.attrs, Plain::Alias),
            syn::Item::Mod(item) => {
                let here = item.content.is_some() && self.depth == 0;
                let modules = if here { &mut self.modules } else { &mut self.elsewhere };
                modules.insert(item.ident.unraw().to_string());
            }
            syn::Item::Use(item) => self.import(&item.tree, item.leading_colon.is_none()),
            syn::Item::Impl(item)
                if item.attrs.iter().any(|attr| is_ours(attr) || attr.path().is_ident("cfg_attr")) =>
            {
                let last = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                // Those of a generic type are for all its arguments.
                let ty = match &*item.self_ty {
                    syn::Type::Path(path) if path.qself.is_none() && !item.generics.params.is_empty() => {
                        path.path.segments.last().map_or_else(String::new, |last| last.ident.unraw().to_string())
                    }
                    ty => spelled(ty),
                };
                self.implementations.extend(last.map(|last| (last.ident.unraw().to_string(), ty)));
            }
            syn::Item::ExternCrate(item) => {
                let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
                self.imported.insert(name.unraw().to_string());
                // All its macros, which helpers are as well.
                self.open |= item.attrs.iter().any(|attr| attr.path().is_ident("macro_use"));
            }
            syn::Item::Macro(item) => self.macro_call(&item.mac),
            syn::Item::Verbatim(_) => self.open = true,
            _ => {}
        }
        self.depth += 1;
        visit::visit_item(self, item);
        self.depth -= 1;
    }

    fn visit_block(&mut self, block: &'a syn::Block) {
        self.blocks += 1;
        visit::visit_block(self, block);
        self.blocks -= 1;
    }

    fn visit_stmt_macro(&mut self, stmt: &'a syn::StmtMacro) {
        self.macro_call(&stmt.mac);
    }

    fn visit_attribute(&mut self, attr: &'a syn::Attribute) {
        self.attribute(&attr.meta);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.member(&item.sig, &item.attrs);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        self.member(&item.sig, &item.attrs);
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.declared.insert(item.ident.unraw().to_string());
        visit::visit_impl_item_const(self, item);
    }
}

impl Around {
    /// Another macro's attribute or derive may declare anything.
    fn attribute(&mut self, meta: &syn::Meta) {
        let path = meta.path();
        let first = path.segments.first().map(|first| first.ident.to_string()).unwrap_or_default();
        let known = match path.segments.len() {
            1 => reserved::is_taken(&first) || ["element", "unroll"].contains(&&*first),
            _ => ["rustfmt", "clippy", "diagnostic", "samebits"].contains(&&*first),
        };
        self.open |= !known;
        let syn::Meta::List(list) = meta else { return };
        let parsed = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated.parse2(list.tokens.clone());
        match (first.as_str(), parsed) {
            ("derive", Ok(derived)) => self.open |= !derived.iter().all(|derive| is_known_derive(derive.path())),
            // The first is the condition.
            ("cfg_attr", Ok(attributes)) => attributes.iter().skip(1).for_each(|meta| self.attribute(meta)),
            ("derive" | "cfg_attr", Err(_)) => self.open = true,
            _ => {}
        }
    }

    fn member(&mut self, sig: &syn::Signature, attrs: &[syn::Attribute]) {
        let name = sig.ident.unraw().to_string();
        self.declared.insert(name.clone());
        if attrs.iter().any(is_ours) {
            self.members.insert(name);
        }
    }

    fn macro_call(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let rusts = match mac.path.segments.first() {
            Some(first) if mac.path.segments.len() > 1 => is_known_crate(&first.ident),
            _ => true,
        };
        // Those of Rust that declare or bring in items are among its macros as well.
        let declares = ["cfg_select", "include", "macro_rules", "thread_local"].contains(&&*name);
        self.open |= declares || !rusts || !reserved::is_macro(&name);
    }
}

/// Whether an attribute makes of an item what kernels use, or is one of a kernel.
fn is_ours(attr: &syn::Attribute) -> bool {
    let last = attr.path().segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    match &attr.meta {
        syn::Meta::List(list) if last == "derive" => list.tokens.to_string().contains("Element"),
        _ => last == "device" || last == "kernel",
    }
}

/// Whether a derive declares nothing that a kernel could name: Rust's, ours, and well-known ones that only implement traits.
fn is_known_derive(path: &syn::Path) -> bool {
    let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    reserved::is_taken(&last) || ["Deserialize", "Pod", "Serialize", "Zeroable"].contains(&&*last)
}

/// Whether a crate cannot export helpers of users.
fn is_known_crate(name: &syn::Ident) -> bool {
    ["std", "core", "alloc", "samebits"].iter().any(|known| name == known)
}

/// Whether a file is generated, or may be one that another file of its package includes.
fn is_included(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return true };
    let variable = |name| std::env::var_os(name).and_then(|value| PathBuf::from(value).canonicalize().ok());
    let generated = variable("OUT_DIR").is_some_and(|out| path.starts_with(out));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return true };
    let mut left = MOST_FILES;
    let package = variable("CARGO_MANIFEST_DIR");
    generated
        || path.parent().is_some_and(|folder| includes(folder, name, false, &mut left))
        || package.is_some_and(|folder| includes(&folder, name, true, &mut left))
}

/// How many files of a package are looked at. In a larger one any file may be included.
const MOST_FILES: usize = 5_000;

/// Whether a file in a folder, or with `deep` in one below it, may include one of this name.
fn includes(folder: &Path, name: &str, deep: bool, left: &mut usize) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    for entry in entries.flatten() {
        if *left == 0 {
            return true;
        }
        *left -= 1;
        let (path, hidden) = (entry.path(), entry.file_name().to_string_lossy().starts_with('.'));
        // A link may lead back here.
        let below = deep && !hidden && entry.file_name() != "target" && entry.file_type().is_ok_and(|ty| ty.is_dir());
        let found = if below {
            includes(&path, name, deep, left)
        } else {
            path.extension().is_some_and(|extension| extension == "rs")
                && std::fs::read_to_string(&path).is_ok_and(|text| text.contains("include!") && text.contains(name))
        };
        if found {
            return true;
        }
    }
    false
}

/// The file of a span, if rustc tells.
fn file(span: Span) -> Option<PathBuf> {
    span.local_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str) -> Around {
        Around::read(text).unwrap_or_else(|| panic!("{text} is no Rust"))
    }

    #[test]
    fn a_name_that_nothing_declares_is_lacking() {
        let file = around("use samebits::prelude::*; use std::cmp::max; #[device] fn k() { max(1, 2); }");
        assert!(file.lacks("max") && file.lacks("sin") && !file.lacks("k"));
        assert_eq!(file.plain("max"), None);
        assert!(around("use std::collections::HashMap; #[kernel] fn k() {}").lacks("HashMap"));
    }

    #[test]
    fn variants_that_are_brought_into_scope_are_told_apart() {
        let file = around(
            "use Shape::{Circle, Rect as Wide}; use way::Way::*; enum Shape { Circle, Rect } enum Way { Up }
             fn f() { use Shape::Other; }",
        );
        let brought: Vec<_> = ["Circle", "Wide", "Up", "Rect", "Other"].map(|name| file.brought(name)).into();
        let shape = Some("Shape".to_owned());
        assert_eq!(brought, [shape.clone(), shape, Some("Way".to_owned()), None, None]);
        assert!(file.lacks("Shape") && !file.is_value("Shape"));
    }

    #[test]
    fn implementations_are_seen() {
        let file = around(
            "#[device] impl shapes::Area for Square {} impl Add for Square {} #[device] impl Mul<Square> for f32 {}",
        );
        let all: Vec<_> = file.implementations.iter().map(|(of, ty)| format!("{of} for {ty}")).collect();
        assert_eq!(all, ["Area for Square", "Mul for f32"]);
    }

    #[test]
    fn a_path_into_a_module_is_looked_up_there() {
        let lacks = |text: &str, path: &str| {
            around(text).lacks_path(&syn::parse_str(path).unwrap_or_else(|_| panic!("{path} is no path")))
        };
        assert!(lacks("mod m { pub fn square() {} }", "m::square"));
        assert!(!lacks("mod m { #[device] pub fn square() {} }", "m::square"));
        assert!(!lacks("mod m;", "m::square"));
        assert!(!lacks("use other::m; mod n {}", "m::square"));
        // The crate `m`, or a module of another file, and not what a test calls so.
        assert!(!lacks("mod tests { mod m {} }", "m::square"));
        assert!(!lacks("mod m; mod tests { mod m {} }", "m::square"));
        assert!(!lacks("fn f() { mod m {} }", "m::square"));
        assert!(!lacks("extern crate other as m; mod m {}", "m::square"));
    }

    #[test]
    fn what_may_bring_a_name_leaves_it_to_rustc() {
        for text in [
            "use math::*;",
            "use math::sin;",
            "use math::{cos, sine as sin};",
            "use super::*;",
            "helpers!();",
            "macro_rules! sin { () => {} }",
            "include!(\"sin.rs\");",
            "#[device] fn sin() {}",
            "mod math { #[samebits::device] fn sin() {} }",
            "#[generate] fn other() {}",
            "fn main() { helpers! {} }",
            "#[cfg_attr(all(), device)] fn sin() {}",
            "#[cfg_attr(all(), generate)] fn other() {}",
            "#[derive(Clone, Helpers)] struct S;",
            "#[cfg_attr(all(), derive(Helpers))] struct S;",
            "#[macro_use] extern crate math;",
            "extern crate math as sin;",
        ] {
            assert!(!around(text).lacks("sin"), "{text}");
        }
    }

    #[test]
    fn items_that_kernels_cannot_use_are_told_apart() {
        let file = around(
            "fn square() {} const N: u32 = 1; const LUT: [u32; 1] = [1]; static S: u32 = 1; enum Op { Add } struct Plain; type Real = f32; #[kernel] fn launched() {}
             #[derive(Clone, Element)] struct Ours; #[device] const TABLE: u32 = 1;",
        );
        let plain: Vec<Option<Plain>> = ["square", "N", "LUT", "S", "Op", "Plain", "Real", "launched", "Ours", "TABLE"]
            .iter()
            .map(|n| file.plain(n))
            .collect();
        use Plain::{Alias, Constant, Enum, Function, Kernel, Static, Struct, Table};
        let all = [Function, Constant, Table, Static, Enum, Struct, Alias, Kernel].map(Some);
        assert_eq!(plain, [&all[..], &[None, None]].concat());
    }

    #[test]
    fn a_kernel_in_an_implementation_is_seen() {
        let file = around("struct S; impl S { #[kernel] fn k() {} fn g() {} } #[kernel] fn other() {}");
        assert!(file.is_member("k") && !file.is_member("other") && !file.is_member("g"));
    }
}
