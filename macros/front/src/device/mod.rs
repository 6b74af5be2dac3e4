//! `#[device]`: functions, methods and constants for kernels, and `#[derive(Element)]`.
//!
//! Each is compiled alone where it is defined, so that its mistakes are reported there, once.
//! Then it becomes a hidden macro that hands on its [facts](crate::link::facts). An item with a
//! mistake is handed on as well, marked as broken, so that its uses are no further mistakes.

mod constant;
mod element;
mod enumeration;
mod function;
mod methods;
mod operators;
mod params;
mod traits;
mod widths;

pub use element::expand as element;
pub(crate) use operators::before;

use crate::configure;
use crate::depth;
use crate::editor;
use crate::emit::rust_type;
use crate::expansion::Expansion;
use crate::fragments;
use crate::hir;
use crate::hygiene;
use crate::infer::{Infer, Ty, VarKind};
use crate::link::chain::{self, Job, State};
use crate::link::facts::{Fact, Kind, PassedOn, UNTOLD};
use crate::link::{Linked, constant_name, refs};
use crate::macros;
use crate::report::{self, Refused};
use crate::syntax::{self, parenthesized, spelled_path};
use crate::words::around::Around;
use crate::words::operators as words;
use crate::words::reserved::is_of_language;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

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
    let mut item = match Item::read(args, item) {
        Ok(item) => item,
        Err(instead) => return instead,
    };
    if item.errors.is_empty() && !configured && configure::is_conditional(&item.tokens) {
        return configure::hop("device", &item.args, &item.tokens, &item.krate);
    }
    macros::rewrite(&mut item.tokens, &mut item.parsed);
    item.keep_lister();
    item.name_output();
    let (job, head) = match item.head() {
        Ok(found) => found,
        Err(instead) => return instead,
    };
    let renamed = item.rename();
    let state = item.state(job);
    let shell = match job {
        // The constant itself is what editors look into.
        Job::Constant => TokenStream::new(),
        _ => item.shell,
    };
    let rest = start(state, &item.krate);
    Expansion { errors: item.errors, shell, head: quote! { #head #renamed }, rest }.into()
}

/// An item as its attribute finds it.
struct Item {
    args: TokenStream,
    krate: syn::Path,
    tokens: TokenStream,
    parsed: syn::Item,
    shell: TokenStream,
    errors: TokenStream,
}

impl Item {
    /// Reads the attribute and its item, or gives the whole expansion of what cannot be one.
    fn read(args: TokenStream, item: TokenStream) -> Result<Self, TokenStream> {
        if let Some(at) = depth::unparsed(args.clone()).or_else(|| depth::unparsed(item.clone())) {
            return Err(depth::error(at));
        }
        let mut errors = TokenStream::new();
        let krate = syntax::krate(&args);
        let mut tokens = fragments::without(item);
        let shell = editor::shell("device", &args, &tokens);
        let parsed = match syn::parse2::<syn::Item>(tokens.clone()) {
            Ok(parsed) => parsed,
            Err(error) => {
                errors.extend(report::syntax(&error));
                let Some(rest) = readable(tokens) else { return Err(quote! { #shell #errors }) };
                tokens = rest.to_token_stream();
                rest
            }
        };
        errors.extend(arguments(&args, &parsed));
        if let syn::Item::Fn(syn::ItemFn { vis, sig, .. }) = &parsed {
            if Around::has_member(vis, sig) {
                let help = "put `#[device]` before the `impl`, for all its functions";
                let message = "`#[device]` is not allowed inside of an `impl` or a `trait`";
                return Err(Refused::new(Code::V102, message).help(help).on(&sig.ident));
            }
            if let Some(own) = sig.receiver() {
                return Err(if errors.is_empty() { params::no_method().on(own) } else { errors });
            }
        }
        Ok(Self { args, krate, tokens, parsed, shell, errors })
    }

    /// What is to be done with it, and what replaces it in the program; or the whole expansion of
    /// an item that kernels cannot use.
    fn head(&mut self) -> Result<(Job, TokenStream), TokenStream> {
        Ok(match &self.parsed {
            syn::Item::Fn(function) => (Job::Function, function::head(function)),
            syn::Item::Impl(implementation) => {
                if let Some(operator) = words::of(implementation) {
                    let head = operators::head(implementation, operator, &self.krate).map_err(|error| {
                        let instead = operators::placeholder(implementation);
                        quote! { #error #instead }
                    })?;
                    return Ok((Job::Implementation, head));
                }
                if let Some((_, path, _)) = &implementation.trait_
                    && is_of_language(&implementation.self_ty)
                {
                    self.errors.extend(traits::unsuitable_for_language(implementation, path));
                    return Ok((Job::Implementation, traits::head_of_implementation(implementation, path)));
                }
                let name = methods::own_name(implementation).filter(|name| syntax::is_type_name(name));
                let Some(name) = name else {
                    return Err(methods::unnamed(implementation));
                };
                self.errors.extend(methods::unsuitable(implementation));
                match &implementation.trait_ {
                    // Its macro does not exist.
                    Some((_, path, _)) if traits::is_plain(path) => {
                        let (error, instead) =
                            (traits::no_trait(path).on(path), traits::placeholder(implementation, path));
                        return Err(quote! { #error #instead });
                    }
                    Some((_, path, _)) => (Job::Implementation, traits::head_of_implementation(implementation, path)),
                    None => (Job::Methods, methods::head(implementation, name, &self.krate)),
                }
            }
            syn::Item::Trait(of) => {
                self.errors.extend(traits::unsuitable(of));
                (Job::Trait, traits::head(of, &self.krate, &traits::types(&self.args)))
            }
            syn::Item::Const(constant) => {
                let constant = parenthesized(constant.to_token_stream());
                // Kernels have it as a table, and no copy of it is made where it is named.
                (Job::Constant, quote!(#[allow(dead_code, clippy::large_const_arrays)] #constant))
            }
            other => {
                let message = "`#[device]` belongs on a function, a trait, an `impl` or a `const`";
                let mut refused = Refused::new(Code::V102, message);
                if matches!(other, syn::Item::Struct(_) | syn::Item::Enum(_)) {
                    refused = refused.help("write `#[derive(Element)]`, with which kernels know a type");
                }
                let (error, item) = (refused.on(&first_token(other)), &self.tokens);
                return Err(quote! { #error #item });
            }
        })
    }

    /// Keeps on an operator which type lists it.
    fn keep_lister(&mut self) {
        if let Some(kept) = operators::lister_of(&self.args, &self.parsed)
            && let syn::Item::Impl(implementation) = &mut self.parsed
        {
            let tokens = &self.tokens;
            self.tokens = quote!(#kept #tokens);
            implementation.attrs.insert(0, kept);
        }
    }

    /// Writes the type that an operator gives for `Self::Output`.
    fn name_output(&mut self) {
        if let syn::Item::Impl(implementation) = &self.parsed
            && let Some(tokens) = words::with_output(implementation, &self.tokens)
            && let Ok(parsed) = syn::parse2(tokens.clone())
        {
            (self.tokens, self.parsed) = (tokens, parsed);
        }
    }

    /// Gives different names to variables that macros keep apart. By the tokens, rustc verifies the
    /// result.
    fn rename(&mut self) -> TokenStream {
        let resolved = hygiene::item(&mut self.parsed, &self.tokens, &self.krate);
        if !resolved.tokens.is_empty() {
            self.tokens = self.parsed.to_token_stream();
        }
        if resolved.wrong {
            self.errors.extend(resolved.tokens);
            return TokenStream::new();
        }
        resolved.tokens
    }

    /// The state before the first hop.
    fn state(&mut self, job: Job) -> State {
        let own = match (&self.parsed, job) {
            (syn::Item::Impl(implementation), _) if words::of(implementation).is_some() => {
                operators::home(implementation).map(methods::layout_name)
            }
            (syn::Item::Impl(implementation), Job::Implementation) => traits::declaration(implementation),
            (syn::Item::Impl(implementation), _) => methods::own_name(implementation).map(methods::layout_name),
            _ => None,
        };
        let layout: Vec<syn::Path> = own.into_iter().map(syn::Path::from).collect();
        let (names, too_many) = chain::bounded([layout.clone(), refs::of_item(&self.parsed)].concat());
        self.errors.extend(too_many);
        let tokens = std::mem::take(&mut self.tokens);
        if self.errors.is_empty() {
            return State::new(job, self.args.clone(), tokens, names);
        }
        // Without the macro of its name every use would be a further mistake.
        State::new(job, refused(&self.krate), tokens, layout)
    }
}

/// As much of an item whose syntax is wrong as its uses need: its name, and for an `impl` that it exists.
fn readable(item: TokenStream) -> Option<syn::Item> {
    if let Some(function) = syntax::without_body(item.clone()) {
        return Some(syn::Item::Fn(function));
    }
    let (before, _) = syntax::before_body(item);
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
fn start(mut state: State, krate: &syn::Path) -> TokenStream {
    match state.hop(krate) {
        Some(hop) => hop,
        None => finish(state),
    }
}

/// What a device item is once all that it names is linked.
pub(crate) fn finish(state: State) -> TokenStream {
    let (job, args, item) = (state.job, state.arguments.clone(), state.item.clone());
    let krate = syntax::krate(&args);
    let (found, errors) = state.linked();
    // It was parsed before the first hop.
    let Ok(item) = syn::parse2::<syn::Item>(item) else { return TokenStream::new() };
    let (linked, refused) = (Linked::new(found), is_refused(&args) || !errors.is_empty());
    let finished = match (job, item) {
        (Job::Function, syn::Item::Fn(function)) => function::finish(function, &krate, linked, refused),
        (Job::Methods, syn::Item::Impl(implementation)) => methods::finish(implementation, &krate, linked, refused),
        (Job::Trait, syn::Item::Trait(of)) => {
            let types = if refused { Vec::new() } else { traits::types(&args) };
            traits::finish(of, &krate, linked, (&types, refused))
        }
        (Job::Implementation, syn::Item::Impl(implementation)) if words::of(&implementation).is_some() => {
            operators::finish(implementation, &krate, linked, refused)
        }
        (Job::Implementation, syn::Item::Impl(implementation)) => {
            traits::finish_implementation(implementation, &krate, linked, refused)
        }
        (Job::WithTraits, item) => traits::finish_type(&item, &krate, linked, refused),
        (Job::Constant, syn::Item::Const(constant)) => constant::finish(constant, &krate, linked, refused),
        (Job::Element, syn::Item::Struct(structure)) => element::finish(structure, &krate, linked, refused),
        (Job::Element, syn::Item::Enum(item)) => enumeration::finish(&item, &krate, &linked, refused),
        _ => TokenStream::new(),
    };
    quote! { #errors #finished }
}

/// The errors in the arguments of `#[device]`, which are just `crate = path`, of a trait its types, and of an operator
/// which type lists it.
fn arguments(args: &TokenStream, item: &syn::Item) -> TokenStream {
    let of_trait = matches!(item, syn::Item::Trait(_));
    let of_operator = matches!(item, syn::Item::Impl(item) if words::of(item).is_some());
    let list: Vec<syn::Meta> = match syntax::separated(args.clone()) {
        Ok(list) => list,
        Err(error) => return Refused::new(Code::V101, error.to_string()).over(error.span()),
    };
    let wrong = |meta: &&syn::Meta| {
        let path = matches!(meta, syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Path(_), .. }));
        let types = of_trait && meta.path().is_ident("types");
        let lister = of_operator && operators::names_lister(meta);
        !(types || lister || path && meta.path().to_token_stream().to_string() == "crate")
    };
    let errors = list.iter().filter(wrong).map(|meta| {
        let name = meta.path().to_token_stream().to_string();
        let help = match item {
            _ if of_trait => "its arguments are `crate = path` and `types(f32, u32)`",
            _ if of_operator => "its arguments are `crate = path` and `listed_by(Name)`, the type on the right",
            _ => "its only argument is `crate = path`",
        };
        Refused::new(Code::V101, format!("`{name}` is not an argument of `#[device]`")).help(help).on(meta)
    });
    let listed = list.iter().filter(|meta| of_trait && meta.path().is_ident("types"));
    errors.chain(listed.map(traits::unsuitable_types)).collect()
}

/// The constants from outside that a fact passes on: those of its own bodies, and those of
/// all that it names, which those that name it cannot otherwise reach.
struct Constants {
    krate: syn::Path,
    list: Vec<PassedOn>,
    items: TokenStream,
    /// The type and the value of each that was added.
    parts: Vec<(TokenStream, TokenStream)>,
    /// Whether a body is wrong because of something that it names, which was reported there.
    wrong: bool,
}

impl Constants {
    fn new(krate: &syn::Path) -> Self {
        Self { krate: krate.clone(), list: Vec::new(), items: TokenStream::new(), parts: Vec::new(), wrong: false }
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
            let path = &crate::link::sampled(path, fact);
            for (i, passed) in fact.constants.iter().enumerate() {
                let (name, at) = (constant_name(i), Literal::usize_unsuffixed(i));
                let value = if fact.kind == Kind::Trait { quote!(#path.#at) } else { quote!(#path::#name) };
                if passed.ty == UNTOLD {
                    let krate = &self.krate;
                    let ty = quote!(#krate::__private::Passed);
                    self.add(&passed.origin, &passed.key, UNTOLD, ty, value);
                    continue;
                }
                let ty = match Scalar::from_name(&passed.ty) {
                    Some(scalar) => Ty::Scalar(scalar),
                    None => Ty::Usize,
                };
                let Some(ty) = rust_type(&ty, &self.krate) else { continue };
                self.add(&passed.origin, &passed.key, &passed.ty, ty, value);
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
        self.parts.push((rust.clone(), value.clone()));
        self.items.extend(quote! {
            #[doc(hidden)]
            pub const #name: #rust = #value;
        });
    }

    /// The constants as the parts of a value that has the name of a trait, with which it is imported. A trait itself has
    /// none that do not depend on a type.
    fn of_trait(&self, (vis, name): (&syn::Visibility, &Ident), conditions: &[&syn::Attribute]) -> TokenStream {
        if self.parts.is_empty() {
            return TokenStream::new();
        }
        let (types, values): (Vec<&TokenStream>, Vec<&TokenStream>) = self.parts.iter().map(|(ty, v)| (ty, v)).unzip();
        quote! {
            #(#conditions)*
            #[doc(hidden)]
            #[allow(non_upper_case_globals, dead_code, deprecated, unreachable_pub)]
            #vis const #name: (#(#types,)*) = (#(#values,)*);
        }
    }

    /// The constants as those of a type, which comes with the parameters before it and the clauses after it.
    fn implementation(&self, of: &TokenStream, conditions: &[&syn::Attribute]) -> TokenStream {
        let items = &self.items;
        let implementation = || quote! { #(#conditions)* #[allow(dead_code, deprecated)] impl #of { #items } };
        if items.is_empty() { TokenStream::new() } else { implementation() }
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
