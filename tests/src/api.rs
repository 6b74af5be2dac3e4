//! The list of the public items of `samebits`, made from its sources: `runtime/public-api.txt`. It is checked in, so that
//! whoever changes the public API sees it.
//!
//! The list is what can be seen without expanding macros. An item counts if its module is public or a public module
//! uses it by `pub use`; what is hidden from the documentation does not count. Of a macro's definition the `pub` items are listed
//! with their `$` parameters. A line is an item; lines are sorted.

use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, Type, UseTree, Visibility};

use proc_macro2::{TokenStream, TokenTree};

/// Types that no public module names, but that programs meet: the constant `KERNEL` of a launcher is one. Modules and names.
const MET: [(&str, &str); 1] = [("samebits::kernel", "Kernel")];

/// A module with its items.
struct Module {
    path: String,
    is_public: bool,
    items: Vec<Item>,
}

/// Whether an item is there for users.
fn is_shown(attributes: &[Attribute]) -> bool {
    let text = |attribute: &Attribute| attribute.meta.to_token_stream().to_string().replace(' ', "");
    !attributes.iter().map(text).any(|text| text == "doc(hidden)" || text == "cfg(test)")
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The modules of a file, itself first.
fn modules(file: &Path, path: String, is_public: bool, found: &mut Vec<Module>) {
    let text = fs::read_to_string(file).unwrap_or_default();
    let items = syn::parse_file(&text).map_or_else(|_| Vec::new(), |file| file.items);
    let folder = match file.file_stem() {
        Some(stem) if stem != "mod" && stem != "lib" => file.with_extension(""),
        _ => file.parent().unwrap_or(file).to_owned(),
    };
    gather(&folder, path, is_public, items, found);
}

fn gather(folder: &Path, path: String, is_public: bool, items: Vec<Item>, found: &mut Vec<Module>) {
    let mut open = Vec::new();
    for item in &items {
        let Item::Mod(module) = item else { continue };
        if !is_shown(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        open.push((name, self::is_public(&module.vis), module.content.as_ref().map(|(_, items)| items.clone())));
    }
    found.push(Module { path: path.clone(), is_public, items });
    for (name, own, content) in open {
        let inner = format!("{path}::{name}");
        match content {
            Some(items) => gather(&folder.join(&name), inner, is_public && own, items, found),
            None => {
                let file = folder.join(format!("{name}.rs"));
                let file = if file.is_file() { file } else { folder.join(&name).join("mod.rs") };
                modules(&file, inner, is_public && own, found);
            }
        }
    }
}

/// What a `use` names: paths of modules, and names in them. The last name of a renamed item is its own.
fn used(tree: &UseTree, path: &str, found: &mut Vec<(String, String)>) {
    match tree {
        UseTree::Path(step) => used(&step.tree, &format!("{path}{}::", step.ident), found),
        UseTree::Name(name) => found.push((path.to_owned(), name.ident.to_string())),
        UseTree::Rename(rename) => found.push((path.to_owned(), rename.ident.to_string())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, path, found)),
        UseTree::Glob(_) => {}
    }
}

/// The public `use` of an item, as pairs of a module's full path and a name in it.
fn reexported(item: &Item, module: &str) -> Vec<(String, String)> {
    let Item::Use(item) = item else { return Vec::new() };
    if !is_public(&item.vis) || !is_shown(&item.attrs) {
        return Vec::new();
    }
    let mut found = Vec::new();
    used(&item.tree, "", &mut found);
    let full = |path: String| match path.strip_prefix("crate::") {
        Some(rest) => format!("samebits::{rest}"),
        None => format!("{module}::{path}"),
    };
    found.into_iter().map(|(path, name)| (full(path).trim_end_matches("::").to_owned(), name)).collect()
}

/// The items that programs can name: modules and names.
fn named(all: &[Module]) -> BTreeSet<(String, String)> {
    let mut named: BTreeSet<(String, String)> = MET.map(|(module, name)| (module.to_owned(), name.to_owned())).into();
    let mut open = Vec::new();
    for module in all.iter().filter(|module| module.is_public) {
        for item in &module.items {
            named.extend(declared(item).map(|name| (module.path.clone(), name)));
            open.extend(reexported(item, &module.path));
        }
    }
    // A private module may only hand on what it uses itself.
    let mut seen = BTreeSet::new();
    while let Some((path, name)) = open.pop() {
        if !seen.insert((path.clone(), name.clone())) {
            continue;
        }
        let Some(module) = all.iter().find(|module| module.path == path) else { continue };
        if module.items.iter().filter_map(declared).any(|declared| declared == name) {
            named.insert((path, name));
        } else {
            let further = module.items.iter().flat_map(|item| reexported(item, &path));
            open.extend(further.filter(|(_, further)| *further == name));
        }
    }
    named
}

/// How many steps of their paths two modules share.
fn shared(a: &str, b: &str) -> usize {
    a.split("::").zip(b.split("::")).take_while(|(a, b)| a == b).count()
}

/// What a type is called: `Buffer` of `&Buffer<T>`.
fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Reference(reference) => name_of(&reference.elem),
        _ => None,
    }
}

/// The name of an item that declares a type, a trait, a function or a constant, if it is public and shown.
fn declared(item: &Item) -> Option<String> {
    let (vis, attributes, name) = match item {
        Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
        Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
        Item::Type(item) => (&item.vis, &item.attrs, &item.ident),
        _ => return None,
    };
    (is_public(vis) && is_shown(attributes)).then(|| name.to_string())
}

/// Tokens as people write them.
fn spelled(tokens: impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let mut out = String::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (i, word) in words.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", |at| words[at]);
        let tight_left = [",", ";", ":", "::", ".", ")", "]", ">", "?", "(", "<", "!", "+="].contains(word)
            || word.starts_with([')', ',', ';', '.', ':', '>', '('].as_slice());
        let tight_right = ["(", "[", "<", "&", "::", "!", "#", "'", "$"].contains(&before)
            || before.ends_with(['(', '<', '['].as_slice());
        if !out.is_empty() && !tight_left && !tight_right {
            out.push(' ');
        }
        out.push_str(word);
    }
    let spaced = [("->(", "-> ("), (":(", ": ("), ("=(", "= ("), (",(", ", (")];
    let tight = [("& ", "&"), ("{ ", "{"), (" }", "}"), (",)", ")")];
    spaced.iter().chain(&tight).fold(out, |text, (from, to)| text.replace(from, to))
}

/// The fields of a struct or variant that programs can name.
fn fields(fields: &Fields, all: bool) -> Vec<String> {
    let shown = fields.iter().filter(|field| all || is_public(&field.vis));
    shown
        .map(|field| {
            let ty = spelled(&field.ty);
            field.ident.as_ref().map_or_else(|| ty.clone(), |name| format!("{name}: {ty}"))
        })
        .collect()
}

/// The lines of an item that is public.
fn lines(item: &Item) -> Vec<String> {
    match item {
        Item::Const(item) => {
            let (name, ty) = (&item.ident, &item.ty);
            vec![spelled(quote!(pub const #name: #ty))]
        }
        Item::Fn(item) => vec![format!("pub {}", spelled(&item.sig))],
        Item::Type(item) => {
            let (name, generics, ty) = (&item.ident, &item.generics, &item.ty);
            vec![spelled(quote!(pub type #name #generics = #ty))]
        }
        Item::Struct(item) => {
            let (name, generics) = (&item.ident, &item.generics);
            let own = fields(&item.fields, false).into_iter().map(|field| format!("struct {name}: pub {field}"));
            [spelled(quote!(pub struct #name #generics))].into_iter().chain(own).collect()
        }
        Item::Enum(item) => {
            let (name, generics) = (&item.ident, &item.generics);
            let open = item.attrs.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
            let head = spelled(quote!(pub enum #name #generics)) + if open { ", not exhaustive" } else { "" };
            let shown = item.variants.iter().filter(|variant| is_shown(&variant.attrs));
            let variants = shown.map(|variant| {
                let parts = fields(&variant.fields, true).join(", ");
                let parts = if parts.is_empty() { String::new() } else { format!(" {{ {parts} }}") };
                format!("enum {name}: {}{parts}", variant.ident)
            });
            [head].into_iter().chain(variants).collect()
        }
        Item::Trait(item) => {
            let (name, generics, bounds) = (&item.ident, &item.generics, &item.supertraits);
            let head = spelled(quote!(pub trait #name #generics: #bounds));
            let members = item.items.iter().filter_map(|member| match member {
                syn::TraitItem::Fn(member) if is_shown(&member.attrs) => Some(spelled(&member.sig)),
                syn::TraitItem::Type(member) if is_shown(&member.attrs) => Some(format!("type {}", member.ident)),
                syn::TraitItem::Const(member) if is_shown(&member.attrs) => {
                    Some(format!("const {}: {}", member.ident, spelled(&member.ty)))
                }
                _ => None,
            });
            let members = members.map(|member| format!("trait {name}: {member}"));
            [head.trim_end_matches(':').to_owned()].into_iter().chain(members).collect()
        }
        _ => Vec::new(),
    }
}

/// The lines of an `impl` for a type that programs can name.
fn implemented(item: &ItemImpl) -> Vec<String> {
    let (generics, ty) = (&item.generics, &item.self_ty);
    let bounds = &generics.where_clause;
    if let Some((_, path, _)) = &item.trait_ {
        return vec![spelled(quote!(impl #generics #path for #ty #bounds))];
    }
    let shown = item.items.iter().filter_map(|member| match member {
        ImplItem::Fn(member) if is_public(&member.vis) && is_shown(&member.attrs) => Some(spelled(&member.sig)),
        ImplItem::Const(member) if is_public(&member.vis) && is_shown(&member.attrs) => {
            Some(format!("const {}: {}", member.ident, spelled(&member.ty)))
        }
        _ => None,
    });
    let head = spelled(quote!(impl #generics #ty));
    shown.map(|member| format!("{head}: pub {member}")).collect()
}

/// The `pub` items in a macro's tokens, up to their bodies.
fn in_macro(tokens: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, word: &str| trees.get(at).is_some_and(|tree| tree.to_string() == word);
    let mut i = 0;
    while i < trees.len() {
        if is(i, "pub") && ["fn", "const", "struct", "trait", "type"].iter().any(|word| is(i + 1, word)) {
            let is_end = |tree: &TokenTree| match tree {
                TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            let end = trees[i..].iter().position(is_end).map_or(trees.len(), |end| i + end);
            found.push(spelled(trees[i..end].iter().cloned().collect::<TokenStream>()));
            i = end;
        }
        if let Some(TokenTree::Group(group)) = trees.get(i) {
            in_macro(group.stream(), found);
        }
        i += 1;
    }
}

/// The names of the types that the call of a macro may make.
fn made(item: &Item) -> Vec<String> {
    let Item::Macro(item) = item else { return Vec::new() };
    // Vectors are named where the macro is called, and any word may be one.
    words_of(item.mac.tokens.clone()).into_iter().filter(|word| word.starts_with(char::is_uppercase)).collect()
}

/// The words of tokens, those in groups among them.
fn words_of(tokens: TokenStream) -> Vec<String> {
    let each = tokens.into_iter().flat_map(|tree| match tree {
        TokenTree::Group(group) => words_of(group.stream()),
        TokenTree::Ident(word) => vec![word.to_string()],
        _ => Vec::new(),
    });
    each.collect()
}

/// The list of public items of the package in `runtime/`.
pub fn listing(root: &Path) -> String {
    let mut all = Vec::new();
    modules(&root.join("runtime/src/lib.rs"), "samebits".to_owned(), true, &mut all);
    let named = named(&all);
    // Of several types and traits of one name the nearest is meant.
    let names = |item: &Item| match item {
        Item::Enum(item) => Some(item.ident.to_string()),
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Trait(item) => Some(item.ident.to_string()),
        _ => None,
    };
    let ours: BTreeSet<String> = all.iter().flat_map(|module| &module.items).filter_map(names).collect();
    let by_macro = all.iter().filter(|module| module.is_public);
    let known: BTreeSet<String> = by_macro.flat_map(|module| &module.items).flat_map(made).collect();
    let is_named = |name: &str, module: &str| {
        let declaring = all.iter().filter(|other| other.items.iter().filter_map(names).any(|own| own == name));
        match declaring.max_by_key(|other| (shared(&other.path, module), other.is_public)) {
            Some(nearest) => named.contains(&(nearest.path.clone(), name.to_owned())),
            // Another crate's, or one that a macro makes.
            None => known.contains(name),
        }
    };
    let mut list = BTreeSet::new();
    for module in &all {
        let mut found = Vec::new();
        for item in &module.items {
            match item {
                Item::Use(item) if module.is_public && is_public(&item.vis) && is_shown(&item.attrs) => {
                    found.push(format!("pub use {}", spelled(&item.tree)));
                }
                Item::Impl(item) if name_of(&item.self_ty).is_some_and(|name| is_named(&name, &module.path)) => {
                    let of = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
                    let is_inner = |name: &str| ours.contains(name) && !is_named(name, &module.path);
                    if is_shown(&item.attrs) && of.is_none_or(|of| !is_inner(&of.ident.to_string())) {
                        found.extend(implemented(item));
                    }
                }
                Item::Macro(item) if module.is_public && is_shown(&item.attrs) => {
                    let mut inside = Vec::new();
                    in_macro(item.mac.tokens.clone(), &mut inside);
                    found.extend(inside.into_iter().map(|line| format!("by a macro: {line}")));
                }
                item => {
                    if declared(item).is_some_and(|name| named.contains(&(module.path.clone(), name))) {
                        found.extend(lines(item));
                    }
                }
            }
        }
        list.extend(found.into_iter().map(|line| format!("{}: {line}\n", module.path)));
    }
    list.into_iter().collect()
}
