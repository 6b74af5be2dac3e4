//! The front end of samebits: Rust syntax to IR, its diagnostics, and the tokens that stand in the
//! user's program.
//!
//! A normal library, so that everything the macros do can be tested and timed outside
//! of rustc. The flow is one way: [`mod@link`] what an item names, [`parse`] its signature, [`lower`] its body to
//! [`hir`], [`build`] IR, check and optimise it, [`emit`] the launcher. Each phase
//! reports every mistake that it finds; [`report`] turns them into rustc errors. What only rustc
//! can find is [asserted](emit::asserted), and what it warns of in bodies is made by [`warn`].
//! [`kernel`] and [`device`] say what becomes of each kind of item, [`trial`] of tests, and [`editor`] what editors see of it.

// Its spans tell where macros wrote what; `proc_macro2` does not ask whether rustc is there.
extern crate proc_macro;

pub mod attributes;
pub mod build;
pub mod check;
pub mod class;
pub mod configure;
pub mod declare;
pub mod depth;
pub mod device;
pub mod docs;
pub mod editor;
pub mod emit;
pub mod expansion;
pub mod fragments;
pub mod generics;
pub mod hir;
pub mod hygiene;
pub mod infer;
pub mod instances;
pub mod kernel;
pub mod known;
pub mod limits;
pub mod link;
pub mod lower;
pub mod macros;
pub mod names;
pub mod native;
pub mod parse;
pub mod privacy;
pub mod report;
pub mod requires;
pub mod signature;
pub mod spans;
pub mod spell;
pub mod syntax;
pub mod trial;
pub mod types;
pub mod warn;
pub mod words;

use link::chain::{self, Job};
use proc_macro2::TokenStream;

/// Goes on with an item after the macro of one of the names in it was called.
///
/// ```
/// use quote::quote;
/// let alone = quote!(kernel {} { fn k(x: &mut [u32]) { x[0] = 1; } } {} {});
/// assert!(samebits_front::link(alone).to_string().contains("KERNEL"));
/// ```
pub fn link(input: TokenStream) -> TokenStream {
    if let Some(at) = depth::too_many_groups(input.clone()) {
        return depth::error(at);
    }
    match chain::next(input) {
        Ok(Ok(mut state)) => match further(&mut state) {
            Some(hop) => hop,
            None => finish(state),
        },
        Ok(Err(hop)) => hop,
        Err(error) => error.to_compile_error(),
    }
}

/// The next hop of an item of which the facts tell that it names more.
fn further(state: &mut chain::State) -> Option<TokenStream> {
    let krate = syntax::krate(&state.arguments);
    let mut names = device::before(state);
    // Others need not be read for it.
    let brings = syntax::has_word(&state.item, "use");
    let item = if brings { syn::parse2::<syn::Item>(state.item.clone()).ok() } else { None };
    for doubtful in item.iter().flat_map(link::refs::doubtful) {
        let name = doubtful.name.get_ident().map(syntax::plain).unwrap_or_default();
        // What is no enum is refused where the body brings it in.
        let is_variant = |of: &syn::Path| state.found(of).is_none_or(|fact| fact.has_variant(&name));
        if !doubtful.enums.iter().any(is_variant) {
            names.push(doubtful.name);
        }
    }
    state.further(names, &krate)
}

fn finish(state: chain::State) -> TokenStream {
    match state.job {
        Job::Kernel => kernel::finish(state),
        Job::Function | Job::Methods | Job::Constant | Job::Element => device::finish(state),
        Job::Trait | Job::Implementation | Job::WithTraits => device::finish(state),
    }
}

/// Goes on with an item of which rustc has left what its `cfg`s say.
pub fn configured(input: TokenStream) -> TokenStream {
    if depth::too_many_groups(input.clone()).is_some() {
        return TokenStream::new();
    }
    match configure::unwrapped(input) {
        Some((attribute, args, item)) if attribute == "kernel" => kernel::expand_configured(args, item),
        Some((_, args, item)) => device::expand_configured(args, item),
        None => TokenStream::new(),
    }
}
