//! Which variable a name means, where `macro_rules!` made the code.
//!
//! Rust keeps the variables and labels of a macro apart from those of its caller, even if they
//! are spelled alike; it does not for items, fields, methods and types. The front end resolves
//! names by spelling only. So before an item is read, its variables get different spellings
//! where the spelling alone would be ambiguous, and everything after knows nothing of macros.
//!
//! A macro can only see where a name was written from the debug output of its span (`Mark`),
//! which rustc does not promise. So the result is verified: wherever marks differ, or cannot be
//! read, the expansion repeats the item's variables, scopes and uses as plain Rust. Each
//! variable has a type of its own, and each use asks for the type of the variable that it was
//! resolved to. rustc refuses a wrong one.

mod rename;

use crate::report::Refused;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use samebits_ir::diag::Code;
use std::collections::BTreeMap;
use syn::ext::IdentExt;

/// Where a name was written, as far as macros tell names apart: the number of its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// The number that rustc shows.
    Known(u32),
    /// This rustc shows none.
    Unknown,
}

impl Mark {
    fn of(span: Span) -> Self {
        // Outside of rustc, as in tests, there are no macros.
        if !proc_macro::is_available() {
            return Self::Known(0);
        }
        let shown = format!("{span:?}");
        let number = shown.strip_prefix('#').and_then(|rest| rest.split(' ').next()?.parse().ok());
        number.map_or(Self::Unknown, Self::Known)
    }
}

/// The marks of the names in an item, by their letters; those of labels begin with `'`.
#[derive(Default)]
struct Marks {
    of: BTreeMap<String, Vec<Mark>>,
    /// The first name of each path that begins with `$crate`, by the path.
    crates: BTreeMap<String, Mark>,
    /// Where a path begins with the `$crate` of another macro than an equal one.
    ambiguous: Option<Span>,
    mixed: bool,
}

impl Marks {
    fn read(tokens: TokenStream) -> Self {
        let mut marks = Self::default();
        let mut first = None;
        marks.add(tokens, &mut first);
        marks
    }

    fn add(&mut self, tokens: TokenStream, first: &mut Option<Mark>) {
        let mut tokens = tokens.into_iter().peekable();
        let mut label = false;
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Group(group) => self.add(group.stream(), first),
                TokenTree::Ident(ident) => {
                    let mark = Mark::of(ident.span());
                    self.mixed |= mark == Mark::Unknown || *first.get_or_insert(mark) != mark;
                    let text = ident.unraw().to_string();
                    if text == "$crate" {
                        self.path(ident.span(), mark, tokens.clone());
                    }
                    let known = self.of.entry(if label { format!("'{text}") } else { text }).or_default();
                    if !known.contains(&mark) {
                        known.push(mark);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            label = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        }
    }

    /// Notes a path that begins with `$crate`; `rest` follows that.
    fn path(&mut self, span: Span, mark: Mark, rest: impl Iterator<Item = TokenTree>) {
        let mut path = String::new();
        for token in rest {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => path.push(':'),
                TokenTree::Ident(ident) if path.ends_with("::") => path.push_str(&ident.to_string()),
                _ => break,
            }
        }
        if *self.crates.entry(path).or_insert(mark) != mark {
            self.ambiguous.get_or_insert(span);
        }
    }

    /// Whether this spelling alone says what a name means.
    fn is_clear(&self, text: &str) -> bool {
        self.of.get(text).is_none_or(|marks| matches!(marks.as_slice(), [Mark::Known(_)]))
    }
}

/// What became of an item's names.
#[derive(Default)]
pub struct Resolved {
    /// Tokens by which rustc verifies how names were resolved, and the errors for names that cannot
    /// be resolved.
    pub tokens: TokenStream,
    /// Whether there are errors.
    pub wrong: bool,
    /// The parameters of the function.
    params: Vec<rename::Variable>,
}

/// Gives variables and labels letters of their own where macros keep them apart. `tokens` are the item's.
pub fn item(item: &mut syn::Item, tokens: &TokenStream, krate: &syn::Path) -> Resolved {
    resolve(tokens, |marks, resolved| match item {
        syn::Item::Fn(function) => rename::function(&mut function.sig, &mut function.block, marks, krate, resolved),
        syn::Item::Impl(implementation) => {
            for item in &mut implementation.items {
                match item {
                    syn::ImplItem::Fn(function) => {
                        rename::function(&mut function.sig, &mut function.block, marks, krate, resolved);
                    }
                    syn::ImplItem::Const(constant) => rename::constant(&mut constant.expr, marks, krate, resolved),
                    _ => {}
                }
            }
        }
        syn::Item::Trait(of) => {
            for item in &mut of.items {
                match item {
                    syn::TraitItem::Fn(syn::TraitItemFn { sig, default: Some(block), .. }) => {
                        rename::function(sig, block, marks, krate, resolved);
                    }
                    syn::TraitItem::Const(syn::TraitItemConst { default: Some((_, value)), .. }) => {
                        rename::constant(value, marks, krate, resolved);
                    }
                    _ => {}
                }
            }
        }
        syn::Item::Const(constant) => rename::constant(&mut constant.expr, marks, krate, resolved),
        _ => {}
    })
}

/// The same for a function.
pub fn function(function: &mut syn::ItemFn, tokens: &TokenStream, krate: &syn::Path) -> Resolved {
    resolve(tokens, |marks, resolved| {
        rename::function(&mut function.sig, &mut function.block, marks, krate, resolved);
    })
}

fn resolve(tokens: &TokenStream, rename: impl FnOnce(&Marks, &mut Resolved)) -> Resolved {
    let marks = Marks::read(tokens.clone());
    let mut resolved = Resolved::default();
    if !marks.mixed {
        return resolved;
    }
    if let Some(at) = marks.ambiguous {
        let message = "the `$crate` of two macros is used with one name here, and may mean two different crates";
        let help = "import one of the two under another name, and use that name";
        resolved.tokens.extend(Refused::new(Code::V016, message).help(help).over(at));
        resolved.wrong = true;
    }
    rename(&marks, &mut resolved);
    resolved
}

impl Resolved {
    /// The attribute's arguments, in which `requires` names parameters, with their new letters.
    pub fn arguments(&self, args: TokenStream) -> TokenStream {
        if self.params.iter().all(|param| param.name == param.text) {
            return args;
        }
        let mut required = false;
        let renamed = args.into_iter().map(|token| {
            let own = std::mem::take(&mut required);
            match token {
                TokenTree::Ident(ident) => {
                    required = ident == "requires";
                    ident.into()
                }
                TokenTree::Group(group) if own => self.renamed(group.into()),
                other => other,
            }
        });
        renamed.collect()
    }

    fn renamed(&self, token: TokenTree) -> TokenTree {
        match token {
            TokenTree::Ident(ident) => {
                let text = ident.unraw().to_string();
                let mut same = self.params.iter().filter(|param| param.text == text);
                let exact = same.clone().find(|param| param.mark == Mark::of(ident.span()));
                match exact.or_else(|| same.next()) {
                    Some(param) if param.name != param.text => Ident::new(&param.name, ident.span()).into(),
                    _ => ident.into(),
                }
            }
            TokenTree::Group(group) => {
                let inner = group.stream().into_iter().map(|token| self.renamed(token)).collect();
                let mut renamed = proc_macro2::Group::new(group.delimiter(), inner);
                renamed.set_span(group.span());
                renamed.into()
            }
            other => other,
        }
    }
}

/// The item by which rustc judges a function's names.
fn probe(body: &TokenStream, receiver: Option<&TokenStream>, krate: &syn::Path) -> TokenStream {
    let silent = quote! {
        #[allow(
            unused, non_snake_case, non_upper_case_globals, clippy::all, clippy::pedantic, clippy::nursery,
            clippy::restriction
        )]
    };
    let function = match receiver {
        None => quote!(fn names() { #body }),
        // Only a method has a `self`.
        Some(receiver) => quote! {
            trait Names {
                fn names(self);
            }
            impl Names for #krate::__private::Name<0> {
                fn names(#receiver) { #body }
            }
        },
    };
    quote! {
        #silent
        const _: () = { #function };
    }
}

/// Tokens between braces.
fn braced(inner: TokenStream) -> TokenStream {
    TokenTree::from(proc_macro2::Group::new(Delimiter::Brace, inner)).into()
}
