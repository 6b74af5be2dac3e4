//! The hops from macro to macro.
//!
//! Each hop calls the macro of one name, which calls back with its facts appended: `name! {
//! link, kind {arguments} {item} {names to come} {names done} {facts}… }`. The number of names
//! is limited, because rustc limits how deeply macros may nest.

use super::facts::{Fact, Facts};
use super::signs;
use crate::depth;
use crate::report::Refused;
use crate::syntax::{self, spelled_path};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use samebits_ir::diag::Code;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// The most names that one item may link: two macro calls each, of the 128 that may nest.
pub const MAX_NAMES: usize = 60;

/// What is being expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Job {
    /// `#[kernel] fn`
    Kernel,
    /// `#[device] fn`
    Function,
    /// `#[device] impl`
    Methods,
    /// `#[device] const`
    Constant,
    /// `#[derive(Element)] struct`
    Element,
    /// `#[device] trait`
    Trait,
    /// `#[device] impl` of a trait
    Implementation,
    /// A struct with the implementations of its traits.
    WithTraits,
}

const JOBS: [(Job, &str); 8] = [
    (Job::Kernel, "kernel"),
    (Job::Function, "function"),
    (Job::Methods, "methods"),
    (Job::Constant, "constant"),
    (Job::Element, "element"),
    (Job::Trait, "protocol"),
    (Job::Implementation, "implementation"),
    (Job::WithTraits, "with_traits"),
];

/// The state that a hop carries.
pub struct State {
    /// What is being expanded.
    pub job: Job,
    /// The attribute's arguments.
    pub arguments: TokenStream,
    /// The item.
    pub item: TokenStream,
    to_come: Vec<syn::Path>,
    done: Vec<syn::Path>,
    facts: Vec<Facts>,
}

impl State {
    /// The state before the first hop.
    pub fn new(job: Job, arguments: TokenStream, item: TokenStream, names: Vec<syn::Path>) -> Self {
        Self { job, arguments, item: signs::apart(item), to_come: names, done: Vec::new(), facts: Vec::new() }
    }

    /// The next hop, or nothing if all names are done. What is known so far goes with it.
    pub fn hop(&mut self, krate: &syn::Path) -> Option<TokenStream> {
        if self.to_come.is_empty() {
            return None;
        }
        let next = self.to_come.remove(0);
        self.done.push(next.clone());
        let job = JOBS.iter().find(|(job, _)| *job == self.job).map_or("", |(_, word)| word);
        let job = Ident::new(job, Span::mixed_site());
        let Self { arguments, item, to_come, done, facts, .. } = self;
        Some(quote! {
            #next! {
                #krate::__private::link, #job {#arguments} {#item} {#(#to_come,)*} {#(#done,)*} #(#facts)*
            }
        })
    }

    /// The fact of a name that was linked.
    pub fn found(&self, path: &syn::Path) -> Option<&Fact> {
        let name = spelled_path(path);
        let at = self.done.iter().position(|done| spelled_path(done) == name)?;
        self.facts.get(at)?.list.as_ref()?.first()
    }

    /// The next hop of an item that names more than its syntax told; nothing if all of it is linked.
    pub fn further(&mut self, names: Vec<syn::Path>, krate: &syn::Path) -> Option<TokenStream> {
        let known: Vec<String> = self.done.iter().map(spelled_path).collect();
        let new = names.into_iter().filter(|name| !known.contains(&spelled_path(name)));
        let (all, _) = bounded(self.done.iter().cloned().chain(new).collect());
        self.to_come = all.into_iter().skip(self.done.len()).collect();
        self.hop(krate)
    }

    /// The facts of all names, or the mistakes that keep them from being used.
    pub fn linked(self) -> (Vec<(syn::Path, Vec<Fact>)>, TokenStream) {
        let mut errors = TokenStream::new();
        let mut found = Vec::new();
        for (path, facts) in self.done.into_iter().zip(self.facts) {
            match facts.list {
                Some(list) if facts.version == env!("CARGO_PKG_VERSION") => found.push((path, list)),
                _ => errors.extend(wrong_version(&path, &facts.version)),
            }
        }
        (found, errors)
    }
}

/// The next hop of a chain that came back, or the state after the last one.
///
/// The item and the facts so far are handed on as they are: to look into them costs more
/// than all else, and only the last hop does.
pub fn next(input: TokenStream) -> syn::Result<Result<State, TokenStream>> {
    let mut trees = input.into_iter();
    let word = match trees.next() {
        Some(TokenTree::Ident(word)) => word,
        other => return Err(misuse(other.map_or_else(Span::call_site, |token| token.span()))),
    };
    let Some((job, _)) = JOBS.iter().find(|(_, known)| word == known) else { return Err(misuse(word.span())) };
    let mut groups = Vec::new();
    for tree in trees {
        match tree {
            TokenTree::Group(group) => groups.push(group),
            other => return Err(misuse(other.span())),
        }
    }
    if groups.len() < 4 {
        return Err(misuse(word.span()));
    }
    let facts = groups.split_off(4);
    let paths = |group: &Group| -> syn::Result<Vec<syn::Path>> {
        let list = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated.parse2(group.stream())?;
        Ok(list.into_iter().collect())
    };
    let (arguments, item) = (&groups[0], &groups[1]);
    let (mut to_come, done) = (paths(&groups[2])?.into_iter(), paths(&groups[3])?);
    if let Some(next) = to_come.next() {
        let krate = syntax::krate(&arguments.stream());
        return Ok(Err(quote! {
            #next! { #krate::__private::link, #word #arguments #item {#(#to_come,)*} {#(#done,)* #next,} #(#facts)* }
        }));
    }
    let deep = depth::unparsed(arguments.stream());
    if let Some(found) = deep.or_else(|| depth::shallow(&item.stream()).map_or_else(Some, |(_, deep)| deep)) {
        return Err(syn::Error::new(found.at, "these tokens are nested too deeply"));
    }
    let facts = facts.into_iter().map(|group| syn::parse2(group.into_token_stream())).collect::<syn::Result<_>>()?;
    let (arguments, item) = (arguments.stream(), item.stream());
    Ok(Ok(State { job: *job, arguments, item, to_come: Vec::new(), done, facts }))
}

fn misuse(span: Span) -> syn::Error {
    syn::Error::new(span, "this macro is internal: do not call it")
}

/// The names that an item links, and the error that there are too many of them.
pub fn bounded(names: Vec<syn::Path>) -> (Vec<syn::Path>, TokenStream) {
    let Some(first) = names.get(MAX_NAMES) else { return (names, TokenStream::new()) };
    let message = format!("one function can use at most {MAX_NAMES} helpers, structs and constants");
    let help = "move some of the calls into a helper";
    let error = Refused::new(Code::V112, message).help(help).on(first);
    (names, error)
}

fn wrong_version(path: &syn::Path, version: &str) -> TokenStream {
    let (shown, own) = (spelled_path(path), env!("CARGO_PKG_VERSION"));
    let message = format!("`{shown}` comes from a crate that uses samebits {version}, but this one uses {own}");
    Refused::new(Code::V111, message).help("make both depend on one version of samebits").on(path)
}

/// The name that a macro has before it is imported as `name`, and which no type has.
pub fn hidden_name(name: &Ident, hash: u64) -> Ident {
    Ident::new(&format!("__samebits_{}_{hash:016x}", syntax::plain(name)), Span::call_site())
}

/// The hidden macro that hands on facts, imported as `name`.
pub fn macro_for(
    name: &Ident,
    hash: u64,
    vis: &syn::Visibility,
    attrs: &[&syn::Attribute],
    facts: TokenStream,
) -> TokenStream {
    let hidden = hidden_name(name, hash);
    // Only an exported macro can be imported from other crates.
    let export = matches!(vis, syn::Visibility::Public(_)).then(|| quote!(#[macro_export]));
    quote! {
        #(#attrs)*
        #[doc(hidden)]
        #export
        #[allow(unused_macros, non_local_definitions, clippy::crate_in_macro_def)]
        macro_rules! #hidden {
            ($callback:path, $($state:tt)*) => { $callback! { $($state)* #facts } }
        }
        #(#attrs)*
        #[doc(hidden)]
        #[allow(unused_imports, unreachable_pub)]
        #vis use #hidden as #name;
    }
}
