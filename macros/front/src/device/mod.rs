//! `#[device]`: functions, methods and constants for kernels, and `#[derive(Element)]`.
//!
//! Each is compiled alone where it is defined, so that what is wrong with it is reported there
//! and once; then it becomes a hidden macro that hands on its [facts](crate::link::facts). What is
//! wrong is handed on too, marked as broken: its uses are then no further mistakes.

mod constant;
mod element;
mod function;
mod methods;
mod params;
mod widths;

pub use element::expand as element;

use crate::configure;
use crate::depth;
use crate::editor;
use crate::fragments;
use crate::hir;
use crate::hygiene::{self, Resolved};
use crate::infer::{Infer, Ty, VarKind};
use crate::kernel::rust_type;
use crate::link::chain::{self, Job, State};
use crate::link::facts::{Fact, PassedOn, UNTOLD};
use crate::link::{Linked, constant_name, refs};
use crate::report::{self, Refused};
use crate::types::spelled_path;
use crate::words::around::Around;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// Expands `#[device(args)] item`.
///
/// ```
/// use quote::quote;
/// let helper = quote! { fn square(x: f32) -> f32 { x * x } };
/// assert!(!samebits_front::device::expand(quote!(), helper).to_string().contains("compile_error"));
/// let wrong = quote! { fn square(x: f32) -> u32 { x * x } };
/// assert!(samebits_front::device::expand(quote!(), wrong).to_string().contains("V200"));
/// ```
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, false)
}

/// Expands an item in which every `cfg` is decided.
pub(crate) fn expand_configured(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, true)
}

fn expand_item(args: TokenStream, item: TokenStream, configured: bool) -> TokenStream {
    let deep = depth::unparsed(args.clone()).or_else(|| depth::unparsed(item.clone()));
    if let Some(at) = deep {
        return depth::error(at);
    }
    let mut errors = arguments(&args);
    let krate = chain::krate(&args);
    let mut item = fragments::without(item);
    let shell = editor::shell("device", &args, &item);
    let mut parsed = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.extend(report::syntax(&error));
            let Some(rest) = readable(item) else { return quote! { #shell #errors } };
            item = rest.to_token_stream();
            rest
        }
    };
    if let syn::Item::Fn(syn::ItemFn { vis, sig, .. }) = &parsed
        && Around::has_member(vis, sig)
    {
        let help = "put `#[device]` before the `impl`, for all its functions";
        let message = "`#[device]` cannot stand in an `impl` or a `trait`";
        return Refused::new(Code::V102, message).help(help).on(&sig.ident);
    }
    // In an `impl` nothing that decides a `cfg` can stand.
    let method = matches!(&parsed, syn::Item::Fn(function) if function.sig.receiver().is_some());
    if errors.is_empty() && !configured && !method && configure::is_conditional(&item) {
        return configure::hop("device", &args, &item, &krate);
    }
    let original = parsed.clone();
    let resolved = if method { Resolved::default() } else { hygiene::item(&mut parsed, &item, &krate) };
    if !resolved.tokens.is_empty() {
        item = parsed.to_token_stream();
        errors.extend(resolved.wrong.then(|| resolved.tokens.clone()));
    }
    let probe = if resolved.wrong { TokenStream::new() } else { resolved.tokens };
    let (job, head) = match &original {
        // In an `impl` no constant without a name can stand.
        syn::Item::Fn(function) if function.sig.receiver().is_some() => (Job::Function, function::head(function)),
        syn::Item::Fn(function) => {
            let head = function::head(function);
            (Job::Function, quote! { #shell #head })
        }
        // That its struct is generic was reported there, and it would be no better here.
        syn::Item::Impl(implementation) if methods::is_of_a_generic(implementation) => return TokenStream::new(),
        syn::Item::Impl(implementation) => match methods::own_name(implementation) {
            Some(name) => {
                errors.extend(methods::unsuitable(implementation));
                let head = methods::head(implementation, name, &chain::krate(&args));
                (Job::Methods, quote! { #shell #head })
            }
            None => return methods::unnamed(implementation),
        },
        syn::Item::Const(constant) => (Job::Constant, {
            let constant = parenthesized(constant.to_token_stream());
            // Kernels have it as a table, and no copy of it is made where it is named.
            quote!(#[allow(dead_code, clippy::large_const_arrays)] #constant)
        }),
        other => {
            let message = "`#[device]` belongs on a function, an `impl` or a `const`";
            let error = Refused::new(Code::V102, message).on(&first_token(other));
            return quote! { #error #item };
        }
    };
    let layout = match &parsed {
        syn::Item::Impl(implementation) => {
            methods::own_name(implementation).map(|name| methods::layout_name(name).into())
        }
        _ => None,
    };
    let (names, too_many) = chain::bounded(layout.iter().cloned().chain(refs::of_item(&parsed)).collect());
    errors.extend(too_many);
    let state = match errors.is_empty() {
        true => State::new(job, args.clone(), item, names),
        // Without the macro of its name every use would be a further mistake.
        false => State::new(job, refused(&krate), item, layout.into_iter().collect()),
    };
    start(state, &krate, quote! { #errors #head #probe })
}

/// As much of an item whose syntax is wrong as its uses need: its name, and for an `impl` that it exists.
fn readable(item: TokenStream) -> Option<syn::Item> {
    if let Some(function) = crate::parse::without_body(item.clone()) {
        return Some(syn::Item::Fn(function));
    }
    let (before, _) = crate::parse::before_body(item);
    if let Ok(implementation) = syn::parse2::<syn::ItemImpl>(quote!(#before {})) {
        return Some(syn::Item::Impl(implementation));
    }
    let mut words = before.into_iter().skip_while(|tree| !matches!(tree, TokenTree::Ident(word) if word == "fn"));
    match (words.next(), words.next()) {
        (_, Some(TokenTree::Ident(name))) => syn::parse2(quote!(fn #name() {})).ok(),
        _ => None,
    }
}

/// The argument by which the last hop knows that something of the item was refused before
/// the first one.
const REFUSED: &str = "refused_before";

/// Arguments that say no more than where `samebits` is, and that the item was refused.
fn refused(krate: &syn::Path) -> TokenStream {
    let word = Ident::new(REFUSED, Span::mixed_site());
    quote!(crate = #krate, #word)
}

fn is_refused(arguments: &TokenStream) -> bool {
    arguments.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == REFUSED))
}

/// The first hop, or all that follows the last one if there is nothing to link.
fn start(mut state: State, krate: &syn::Path, head: TokenStream) -> TokenStream {
    let rest = match state.hop(krate) {
        Some(hop) => hop,
        None => finish(state),
    };
    quote! { #head #rest }
}

/// What a device item is once all that it names is linked.
pub(crate) fn finish(state: State) -> TokenStream {
    let (job, args, item) = (state.job, state.arguments.clone(), state.item.clone());
    let krate = chain::krate(&args);
    let (found, errors) = state.linked();
    // It was parsed before the first hop.
    let Ok(item) = syn::parse2::<syn::Item>(item) else { return TokenStream::new() };
    let (linked, refused) = (Linked::new(found), is_refused(&args) || !errors.is_empty());
    let finished = match (job, item) {
        (Job::Function, syn::Item::Fn(function)) => function::finish(function, &krate, linked, refused),
        (Job::Methods, syn::Item::Impl(implementation)) => methods::finish(implementation, &krate, linked, refused),
        (Job::Constant, syn::Item::Const(constant)) => constant::finish(constant, &krate, linked, refused),
        (Job::Element, syn::Item::Struct(structure)) => element::finish(structure, &krate, linked, refused),
        _ => TokenStream::new(),
    };
    quote! { #errors #finished }
}

/// The errors in the arguments of `#[device]`, which are just `crate = path`.
fn arguments(args: &TokenStream) -> TokenStream {
    let parser = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
    let list = match parser.parse2(args.clone()) {
        Ok(list) => list,
        Err(error) => {
            return Refused::new(Code::V101, error.to_string()).over(error.span());
        }
    };
    let wrong = |meta: &&syn::Meta| {
        let path = matches!(meta, syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Path(_), .. }));
        !(path && meta.path().to_token_stream().to_string() == "crate")
    };
    let errors = list.iter().filter(wrong).map(|meta| {
        let name = meta.path().to_token_stream().to_string();
        let help = "its only argument is `crate = path`";
        Refused::new(Code::V101, format!("`{name}` is not an argument of `#[device]`")).help(help).on(meta)
    });
    errors.collect()
}

/// Tokens in which the invisible groups of `macro_rules` are parentheses: rustc forgets the
/// invisible ones of a macro's output, and with them that `$a * 2` is a product.
pub(crate) fn parenthesized(tokens: TokenStream) -> TokenStream {
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

/// The attributes of an item that its parts need as well.
fn conditions(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

/// The constants from outside that a fact passes on: those of its own bodies, and those of
/// all that it names, which those that name it cannot otherwise reach.
struct Constants {
    krate: syn::Path,
    list: Vec<PassedOn>,
    items: TokenStream,
    /// Whether a body is wrong because of something that it names, which was reported there.
    wrong: bool,
}

impl Constants {
    fn new(krate: &syn::Path) -> Self {
        Self { krate: krate.clone(), list: Vec::new(), items: TokenStream::new(), wrong: false }
    }

    /// Adds the constants of a body of the fact of this id.
    fn own(&mut self, id: &str, body: &hir::Body, infer: &Infer) {
        for outer in body.outer.iter().filter(|outer| outer.origin.is_empty()) {
            let ty = &body.locals[outer.local].ty;
            if outer.form == hir::Form::Plain && infer.kind(ty) == Some(VarKind::Int) {
                let (krate, path) = (&self.krate, &outer.path);
                let value =
                    quote!(#krate::__private::Passed { kind: #krate::__private::kind(&#path), bits: #path as u64 });
                self.add(id, &outer.key, UNTOLD, quote!(#krate::__private::Passed), value);
                continue;
            }
            let ty = infer.decided(ty);
            let Some(rust) = rust_type(&ty, &self.krate) else { continue };
            let value = outer.value(&ty, &rust, &self.krate);
            self.add(id, &outer.key, &ty.to_string(), rust, value);
        }
    }

    /// Adds the constants of all that the function names.
    fn named(&mut self, linked: &Linked) {
        for (path, fact) in linked.direct() {
            for (i, passed) in fact.constants.iter().enumerate() {
                let name = constant_name(i);
                if passed.ty == UNTOLD {
                    let krate = &self.krate;
                    let ty = quote!(#krate::__private::Passed);
                    self.add(&passed.origin, &passed.key, UNTOLD, ty, quote!(#path::#name));
                    continue;
                }
                let ty = match Scalar::from_name(&passed.ty) {
                    Some(scalar) => Ty::Scalar(scalar),
                    None => Ty::Usize,
                };
                let Some(ty) = rust_type(&ty, &self.krate) else { continue };
                self.add(&passed.origin, &passed.key, &passed.ty, ty, quote!(#path::#name));
            }
        }
    }

    fn add(&mut self, origin: &str, key: &str, ty: &str, rust: TokenStream, value: TokenStream) {
        let passed = PassedOn { origin: origin.to_owned(), key: key.to_owned(), ty: ty.to_owned() };
        if self.list.iter().any(|known| known.origin == passed.origin && known.key == passed.key) {
            return;
        }
        let name = constant_name(self.list.len());
        self.list.push(passed);
        self.items.extend(quote! {
            #[doc(hidden)]
            pub const #name: #rust = #value;
        });
    }

    /// The constants as those of a type.
    fn implementation(&self, of: &Ident, conditions: &[&syn::Attribute]) -> TokenStream {
        let items = &self.items;
        match items.is_empty() {
            true => TokenStream::new(),
            false => quote! { #(#conditions)* #[allow(dead_code, deprecated)] impl #of { #items } },
        }
    }
}

/// A fact's own tokens and those of all that it was linked with.
fn facts(own: &Fact, linked: &Linked) -> TokenStream {
    let others = linked.facts().iter().filter(|fact| fact.id != own.id);
    crate::link::facts::tokens(std::iter::once(own).chain(others))
}

/// What the paths of an item name.
fn names(linked: &Linked) -> Vec<(String, String)> {
    linked.direct().map(|(path, fact)| (spelled_path(path), fact.id.clone())).collect()
}

/// The first token of an item, for errors about what it is.
fn first_token(item: &syn::Item) -> TokenStream {
    item.to_token_stream().into_iter().next().into_iter().collect()
}
