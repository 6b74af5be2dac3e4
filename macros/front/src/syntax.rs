//! What the whole front end asks of Rust's syntax, whatever the item is: parentheses, paths, plain names,
//! attributes, and where `samebits` is.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// An expression without the parentheses around it, the invisible ones of macros among them.
pub fn peel(mut expr: &syn::Expr) -> &syn::Expr {
    loop {
        expr = match expr {
            syn::Expr::Paren(paren) => &paren.expr,
            syn::Expr::Group(group) => &group.expr,
            other => return other,
        };
    }
}

/// A type without the parentheses around it, the invisible ones of macros among them.
pub fn peel_type(mut ty: &syn::Type) -> &syn::Type {
    loop {
        ty = match ty {
            syn::Type::Group(group) => &group.elem,
            syn::Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}

/// The name and mutability of a pattern that is just a name.
pub fn binding(pat: &syn::Pat) -> Option<(&syn::Ident, bool)> {
    match pat {
        syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => Some((&p.ident, p.mutability.is_some())),
        _ => None,
    }
}

/// An identifier's letters without the mark of a raw one.
pub fn plain(ident: &syn::Ident) -> String {
    ident.unraw().to_string()
}

/// The letters of a path that is just a name.
pub fn name(path: &syn::Path) -> Option<String> {
    path.get_ident().map(plain)
}

/// Whether an identifier is written as types are.
pub fn is_type_name(ident: &syn::Ident) -> bool {
    plain(ident).starts_with(char::is_uppercase)
}

/// The names that a pattern would bind.
pub fn pattern_names(pat: &syn::Pat) -> Vec<String> {
    struct Names(Vec<String>);
    impl Visit<'_> for Names {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0.push(plain(&pat.ident));
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pat);
    names.0
}

/// The variable that a place is a part of, or that a reference is to.
pub fn root(place: &syn::Expr) -> Option<String> {
    match peel(place) {
        syn::Expr::Path(path) => name(&path.path),
        syn::Expr::Field(field) => root(&field.base),
        syn::Expr::Index(index) => root(&index.expr),
        syn::Expr::Reference(reference) => root(&reference.expr),
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => root(expr),
        _ => None,
    }
}

/// The parts of a list with commas between them.
pub fn separated<T: Parse>(tokens: TokenStream) -> syn::Result<Vec<T>> {
    let list = Punctuated::<T, syn::Token![,]>::parse_terminated.parse2(tokens)?;
    Ok(list.into_iter().collect())
}

/// A field's name, or number.
pub fn member(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.unraw().to_string(),
        syn::Member::Unnamed(index) => index.to_token_stream().to_string(),
    }
}

/// Whether an identifier is written as constants are.
pub fn is_constant(ident: &syn::Ident) -> bool {
    let name = ident.unraw().to_string();
    name.chars().any(|c| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a pattern is the variant `None`, and not a name.
pub fn is_none(pattern: &syn::PatIdent) -> bool {
    let bare = pattern.by_ref.is_none() && pattern.mutability.is_none() && pattern.subpat.is_none();
    bare && pattern.ident == "None"
}

/// What generics in a vector's or `Atomic`'s angle brackets hold: one type.
pub fn type_argument(segment: &syn::PathSegment) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else { return None };
    match (args.args.first(), args.args.len()) {
        (Some(syn::GenericArgument::Type(ty)), 1) => Some(ty),
        _ => None,
    }
}

/// Whether nothing in a path has generic arguments.
pub fn is_bare(path: &syn::Path) -> bool {
    path.segments.iter().all(|segment| segment.arguments.is_none())
}

/// A path without the generic arguments in it.
pub fn bare(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    path
}

/// A path without its last segment, and that segment.
pub fn owner(path: &syn::Path) -> Option<(syn::Path, &syn::PathSegment)> {
    let last = path.segments.last()?;
    let mut owner = path.clone();
    owner.segments.pop();
    let before = owner.segments.pop()?.into_value();
    owner.segments.push(before);
    Some((owner, last))
}

/// A path as one writes it.
pub fn spelled_path(path: &syn::Path) -> String {
    let mut text = String::new();
    for (i, segment) in path.segments.iter().enumerate() {
        if i > 0 || path.leading_colon.is_some() {
            text.push_str("::");
        }
        text.push_str(&segment.ident.unraw().to_string());
    }
    text
}

/// The names that an item declares.
pub fn item_names(item: &syn::Item) -> Vec<String> {
    fn used(tree: &syn::UseTree, names: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => used(&path.tree, names),
            syn::UseTree::Name(name) => names.push(name.ident.unraw().to_string()),
            syn::UseTree::Rename(rename) => names.push(rename.rename.unraw().to_string()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, names)),
            syn::UseTree::Glob(_) => {}
        }
    }
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Mod(item) => &item.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        syn::Item::Macro(syn::ItemMacro { ident: Some(ident), .. }) => ident,
        syn::Item::Use(item) => {
            let mut names = Vec::new();
            used(&item.tree, &mut names);
            return names;
        }
        _ => return Vec::new(),
    };
    vec![name.unraw().to_string()]
}

/// Whether a word is among tokens.
pub fn has_word(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(&group.stream(), word),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// What a `use` brings into a body.
pub struct Import {
    /// What it stands in, whose name begins with a capital: an enum.
    pub owner: syn::Path,
    /// The name there and the name in the body; nothing for all names.
    pub name: Option<(syn::Ident, syn::Ident)>,
}

/// What a `use` brings in, if all of it stands in types.
pub fn imports(item: &syn::ItemUse) -> Option<Vec<Import>> {
    fn used(tree: &syn::UseTree, owner: &syn::Path, found: &mut Vec<Import>) -> Option<()> {
        let leaf = |name| {
            let in_type = owner.segments.last().is_some_and(|last| is_type_name(&last.ident));
            in_type.then(|| Import { owner: owner.clone(), name })
        };
        match tree {
            syn::UseTree::Path(path) => {
                let mut owner = owner.clone();
                owner.segments.push(path.ident.clone().into());
                used(&path.tree, &owner, found)?;
            }
            syn::UseTree::Group(group) => {
                group.items.iter().try_for_each(|tree| used(tree, owner, found))?;
            }
            syn::UseTree::Name(name) if name.ident == "self" => return None,
            syn::UseTree::Name(name) => found.push(leaf(Some((name.ident.clone(), name.ident.clone())))?),
            syn::UseTree::Rename(name) => found.push(leaf(Some((name.ident.clone(), name.rename.clone())))?),
            syn::UseTree::Glob(_) => found.push(leaf(None)?),
        }
        Some(())
    }
    let mut found = Vec::new();
    let none = syn::Path { leading_colon: item.leading_colon, segments: Punctuated::new() };
    used(&item.tree, &none, &mut found)?;
    Some(found)
}

/// What the `use` items of a block bring in from types.
pub fn imports_of(block: &syn::Block) -> Vec<Import> {
    let items = block.stmts.iter().filter_map(|stmt| match stmt {
        syn::Stmt::Item(syn::Item::Use(item)) => imports(item),
        _ => None,
    });
    items.flatten().collect()
}

/// Attributes of a function that mean the same on a type.
pub const ON_TYPE: [&str; 9] = ["doc", "cfg", "cfg_attr", "allow", "warn", "deny", "forbid", "expect", "deprecated"];

/// The attributes of these names.
pub fn named<'a>(attrs: &'a [syn::Attribute], names: &'a [&str]) -> impl Iterator<Item = &'a syn::Attribute> {
    attrs.iter().filter(move |attr| names.iter().any(|name| attr.path().is_ident(name)))
}

/// The `cfg` of an item, which all that is made of it needs as well.
pub fn conditions(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// An `if` with the `else if`s behind it, and what the last `else` holds.
pub fn chain(if_: &syn::ExprIf) -> (Vec<&syn::ExprIf>, Option<&syn::Expr>) {
    let mut links = vec![if_];
    let mut last = if_;
    loop {
        match last.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
            Some(syn::Expr::If(next)) => {
                links.push(next);
                last = next;
            }
            otherwise => return (links, otherwise),
        }
    }
}

/// Where `samebits` is, unless an attribute says otherwise.
pub fn our_crate() -> syn::Path {
    syn::parse_quote!(::samebits)
}

/// Where `samebits` is, by the attribute's arguments.
pub fn krate(arguments: &TokenStream) -> syn::Path {
    let given = separated(arguments.clone()).into_iter().flatten().find_map(|meta| match meta {
        syn::Meta::NameValue(syn::MetaNameValue { path, value: syn::Expr::Path(value), .. })
            if path.to_token_stream().to_string() == "crate" =>
        {
            Some(value.path)
        }
        _ => None,
    });
    given.unwrap_or_else(our_crate)
}

/// The tokens of an item before its body, and the body, if it has one.
pub fn before_body(item: TokenStream) -> (TokenStream, Option<Group>) {
    let mut trees: Vec<TokenTree> = item.into_iter().collect();
    match trees.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => {
            (trees.into_iter().collect(), Some(body))
        }
        // A `$body:block` of a macro.
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::None => match before_body(body.stream()) {
            (before, Some(inner)) if before.is_empty() => (trees.into_iter().collect(), Some(inner)),
            _ => (trees.into_iter().chain([body.into()]).collect(), None),
        },
        last => (trees.into_iter().chain(last).collect(), None),
    }
}

/// A function whose body is not valid Rust, with an empty body instead.
pub fn without_body(item: TokenStream) -> Option<syn::ItemFn> {
    let (before, body) = before_body(item);
    let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
    empty.set_span(body?.span());
    syn::parse2(quote!(#before #empty)).ok()
}

/// Tokens in which the invisible groups of `macro_rules` are parentheses: rustc forgets the
/// invisible ones of a macro's output, and with them that `$a * 2` is a product.
pub fn parenthesized(tokens: TokenStream) -> TokenStream {
    let visible = |tree: TokenTree| match tree {
        TokenTree::Group(group) => {
            let inner = parenthesized(group.stream());
            let one = inner.clone().into_iter().nth(1).is_none();
            match group.delimiter() {
                Delimiter::None if one => inner,
                delimiter => {
                    let delimiter = if delimiter == Delimiter::None { Delimiter::Parenthesis } else { delimiter };
                    let mut visible = Group::new(delimiter, inner);
                    visible.set_span(group.span());
                    TokenTree::Group(visible).into()
                }
            }
        }
        other => other.into(),
    };
    tokens.into_iter().map(visible).collect::<Vec<TokenStream>>().into_iter().collect()
}

/// Whether a method of this name changes elements of the slice that it is called on, or lends them as `&mut`.
pub fn changes_elements(name: &str) -> bool {
    let lends = matches!(name, "iter_mut" | "chunks_mut" | "chunks_exact_mut" | "split_at_mut");
    lends || matches!(name, "fill" | "copy_from_slice" | "swap" | "reverse")
}
