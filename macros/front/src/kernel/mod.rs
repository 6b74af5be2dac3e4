//! `#[kernel]`: from the attribute to the launcher.
//!
//! The launcher's [head](crate::emit::head) comes at once; the [tail](crate::emit::tail) with the compiled image comes when all
//! that the kernel names is linked, which for a kernel without helpers and structs is at once
//! as well.

mod compile;
mod listed;

pub use compile::compile;

use crate::configure;
use crate::depth;
use crate::editor;
use crate::emit::messages::Messages;
use crate::emit::untold::Variants;
use crate::emit::{self, Images};
use crate::expansion::Expansion;
use crate::fragments;
use crate::generics;
use crate::hygiene;
use crate::instances;
use crate::link::chain::{self, Job, State};
use crate::link::{Linked, refs};
use crate::macros;
use crate::names::{Assumed, Within};
use crate::parse;
use crate::privacy::probes;
use crate::report::{self, Refused, Reporter};
use crate::signature::{Param, ParamKind, Signature};
use crate::spans::Spans;
use crate::syntax;
use crate::warn;
use crate::words::around::Around;
use compile::{Made, compile_linked};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use samebits_ir::diag::{Code, Diag, Diags};
use samebits_ir::ir::Access;
use samebits_ir::loc::Loc;

/// Expands `#[kernel(args)] item`.
///
/// After a mistake the expansion holds the errors and still the launcher, so that its
/// uses do not fail as well.
///
/// ```
/// use quote::quote;
/// let kernel = quote! { fn k(x: &mut [u32]) { x[global_id().x] = 1; } };
/// assert!(!samebits_front::kernel::expand(quote!(workgroup_size(64)), kernel).to_string().contains("compile_error"));
/// let wrong = quote! { fn k(x: &[u32]) { x[0] = 1; } };
/// assert!(samebits_front::kernel::expand(quote!(), wrong).to_string().contains("V005"));
/// ```
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, false)
}

/// Expands a kernel in which every `cfg` is decided.
pub(crate) fn expand_configured(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(args, item, true)
}

fn expand_item(args: TokenStream, item: TokenStream, configured: bool) -> TokenStream {
    let mut item = match Item::read(args, item) {
        Ok(item) => item,
        Err(instead) => return instead,
    };
    if item.errors.is_empty() && !configured && configure::is_conditional(&item.tokens) {
        return configure::hop("kernel", &item.args, &item.tokens, &item.krate);
    }
    macros::rewrite(&mut item.tokens, &mut item.function);
    let renamed = item.rename();
    let names = item.names();
    let (signature, head) = launcher(&item.arguments, &item.function);
    let mut state = State::new(Job::Kernel, item.args, item.tokens, names);
    let mut errors = item.errors;
    let rest = match state.hop(&signature.krate) {
        Some(hop) if errors.is_empty() => hop,
        None if renamed.is_some() => {
            let (rest, more) = compiled(&item.arguments, &item.function, &Linked::default(), errors.is_empty());
            errors.extend(more);
            rest
        }
        // Without what it names, or with names that are wrong, nothing more can be said of it.
        Some(_) | None => without_image(&signature),
    };
    Expansion { errors, shell: item.shell, head: quote! { #renamed #head }, rest }.into()
}

/// A kernel as its attribute finds it.
struct Item {
    args: TokenStream,
    /// What can be read of the same.
    arguments: Vec<syn::Meta>,
    krate: syn::Path,
    /// The function's tokens, without a body that nests too deep.
    tokens: TokenStream,
    function: syn::ItemFn,
    shell: TokenStream,
    errors: TokenStream,
}

impl Item {
    /// Reads the attribute and its item, or gives the whole expansion of an item that is not a
    /// kernel.
    fn read(args: TokenStream, item: TokenStream) -> Result<Self, TokenStream> {
        let (tokens, deep) = depth::shallow(&item).map_err(depth::error)?;
        let tokens = fragments::without(tokens);
        let function = syn::parse2::<syn::ItemFn>(tokens.clone())
            .map_err(|error| deep.map_or_else(|| unreadable(args.clone(), item.clone(), &error), depth::error))?;
        if function.sig.receiver().is_some() || Around::has_member(&function.vis, &function.sig) {
            let help = "move it outside, and pass what it needs as parameters";
            let message = "a kernel cannot be in an `impl` or a `trait`";
            return Err(Refused::new(Code::V102, message).help(help).on(&function.sig.ident));
        }
        let arguments = match depth::unparsed(args.clone()) {
            Some(at) => Err(depth::error(at)),
            None => parse::arguments(args.clone()),
        };
        let (arguments, mut errors) = match arguments {
            Ok(arguments) => (arguments, TokenStream::new()),
            Err(error) => (Vec::new(), error),
        };
        let shell = match deep {
            Some(_) => TokenStream::new(),
            None => editor::shell("kernel", &args, &item),
        };
        errors.extend(deep.map(depth::error));
        let krate = if errors.is_empty() { syntax::krate(&args) } else { syntax::our_crate() };
        Ok(Self { args, arguments, krate, tokens, function, shell, errors })
    }

    /// Gives different names to variables that macros keep apart. By the tokens, rustc verifies the
    /// result; there are none if a name cannot be resolved.
    fn rename(&mut self) -> Option<TokenStream> {
        let resolved = hygiene::function(&mut self.function, &self.tokens, &self.krate);
        if !resolved.tokens.is_empty() {
            self.args = resolved.arguments(std::mem::take(&mut self.args));
            self.tokens = self.function.to_token_stream();
            if let Ok(arguments) = parse::arguments(self.args.clone()) {
                self.arguments = arguments;
            }
        }
        if resolved.wrong {
            self.errors.extend(resolved.tokens);
            return None;
        }
        Some(resolved.tokens)
    }

    /// The paths that it names, as many as can be linked.
    fn names(&mut self) -> Vec<syn::Path> {
        let mut names = refs::of_function(&self.function);
        names.extend(instances::named_by_arguments(&self.arguments, &self.function.sig));
        let (names, too_many) = chain::bounded(names);
        self.errors.extend(too_many);
        names
    }
}

/// The expansion of an item that is not a function. If only its body is not valid Rust (yet), that
/// is the launcher.
fn unreadable(args: TokenStream, item: TokenStream, error: &syn::Error) -> TokenStream {
    let function = syntax::without_body(item.clone()).filter(|_| depth::unparsed(args.clone()).is_none());
    let Some(function) = function else { return not_a_function(item, error) };
    let errors = report::syntax(error);
    if function.sig.receiver().is_some() {
        return errors;
    }
    let shell = editor::shell("kernel", &args, &item);
    let (signature, head) = launcher(&parse::arguments(args).unwrap_or_default(), &function);
    Expansion { errors, shell, head, rest: without_image(&signature) }.into()
}

/// What a kernel is once all that it names is linked.
pub(crate) fn finish(state: State) -> TokenStream {
    let (arguments, item) = (state.arguments.clone(), state.item.clone());
    let (found, errors) = state.linked();
    if !errors.is_empty() {
        return errors;
    }
    // Both were parsed before the first hop.
    let (Ok(arguments), Ok(function)) = (parse::arguments(arguments), syn::parse2::<syn::ItemFn>(item)) else {
        return TokenStream::new();
    };
    let (rest, errors) = compiled(&arguments, &function, &Linked::new(found), true);
    quote! { #errors #rest }
}

/// The launcher, as far as it is known before anything is linked.
fn launcher(arguments: &[syn::Meta], function: &syn::ItemFn) -> (Signature, TokenStream) {
    let mut reporter = Reporter::new();
    let assumed = Assumed::default();
    let instances = instances::listed(arguments, function, &assumed, &mut reporter);
    let first = Within { own: &instances[0].own, around: &assumed };
    let (mut signature, _) = parse::signature(arguments, function, &first, &mut reporter);
    signature.instances = instances;
    let sized = !assumed.constant.get() && !parse::is_sized_by_instance(arguments, &function.sig);
    let head = emit::head(&signature, sized, reporter.has_errors());
    (signature, head)
}

/// The images of a kernel's instances, and what is wrong with it.
fn compiled(
    arguments: &[syn::Meta],
    function: &syn::ItemFn,
    linked: &Linked,
    wanted: bool,
) -> (TokenStream, TokenStream) {
    let mut reporter = Reporter::new();
    let kernel = compile_linked(arguments, function, linked, &mut reporter);
    let spans = &reporter.spans;
    let mut errors = match &kernel.result {
        Ok(_) => TokenStream::new(),
        Err(diags) => report::shown(diags, spans),
    };
    let (probes, unnamed) = probes(&kernel.judged, linked, None, &kernel.signature.krate);
    errors.extend(unnamed);
    let is_right = errors.is_empty() && kernel.result.is_ok();
    let hints = kernel.result.as_ref().map(|made| report::shown(&hints(made, &kernel.signature, spans), spans));
    let hints = hints.unwrap_or_default();
    let listed = match &kernel.result {
        Ok(made) if wanted && is_right => listed::listed(function, &kernel.signature, made, spans),
        _ => TokenStream::new(),
    };
    let tail: TokenStream = match kernel.result {
        Ok(instances) if wanted && errors.is_empty() => {
            let tails = instances.iter().enumerate().map(|(i, made)| {
                let code = match &made.variants {
                    None => emit::Code::One(made.forms.images(spans)),
                    Some((untold, variants)) => emit::Code::Varying(Variants {
                        untold: untold.clone(),
                        of: variants.iter().map(|variant| variant.images(spans)).collect(),
                    }),
                };
                emit::tail(&kernel.signature, i, &code, &made.constants, &made.messages)
            });
            // What is wrong in one instance is wrong in others, and one error.
            let assertions = instances.iter().map(|made| &made.assertions).find(|assertions| !assertions.is_empty());
            tails.chain(assertions.cloned()).collect()
        }
        _ => without_image(&kernel.signature),
    };
    let mut more = TokenStream::new();
    if errors.is_empty() {
        more.extend(demanded(function, &kernel.signature));
    }
    if is_right {
        let args: TokenStream = arguments.iter().map(ToTokens::to_token_stream).collect();
        more.extend(hints);
        more.extend(listed);
        more.extend(warn::warnings((&function.sig, &function.block), &args, &function.attrs, linked));
    }
    (quote! { #tail #probes #more }, errors)
}

/// What the instances of a kernel are warned of. One place is one warning, in the words of the first instance that has it;
/// where others have not, it names those that have.
fn hints(made: &[Made], signature: &Signature, spans: &Spans<'_>) -> Diags {
    let place = |loc| (spans.line_column(spans.outermost(loc)), spans.line_column(loc));
    let mut found: Vec<(Diag, Vec<usize>)> = Vec::new();
    for (i, instance) in made.iter().enumerate() {
        for hint in instance.hints.as_slice() {
            let is_same = |one: &Diag| one.code == hint.code && place(one.loc) == place(hint.loc);
            match found.iter_mut().find(|(one, _)| is_same(one)) {
                Some((_, of)) if of.last() == Some(&i) => {}
                Some((_, of)) => of.push(i),
                None => found.push((hint.clone(), vec![i])),
            }
        }
    }
    let mut hints = Diags::new();
    for (hint, of) in found {
        if of.len() == made.len() {
            hints.push(hint);
            continue;
        }
        let names: Vec<String> = of.iter().map(|&i| signature.instances[i].own.shown()).collect();
        let what = if names.len() == 1 { "instance" } else { "instances" };
        hints.push(hint.label(Loc::NONE, format!("in the {what} {}", names.join(", "))));
    }
    hints
}

/// Replaces the image of a wrong kernel, so that its uses are not reported as further errors.
fn without_image(signature: &Signature) -> TokenStream {
    let none = emit::Code::One(Images::default());
    let count = signature.instances.len().max(1);
    (0..count).map(|i| emit::tail(signature, i, &none, &[], &Messages::default())).collect()
}

/// An item that shows rustc the types that the launcher does not name: those of atomics.
fn demanded(function: &syn::ItemFn, signature: &Signature) -> TokenStream {
    let atomic = |param: &&Param| matches!(&param.kind, ParamKind::Buffer { access: Access::Atomic, .. });
    let names: Vec<&syn::Ident> = signature.params.iter().filter(atomic).map(|param| &param.name).collect();
    let types = function.sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => {
            let (name, _) = syntax::binding(&typed.pat)?;
            names.contains(&name).then_some(&*typed.ty)
        }
        syn::FnArg::Receiver(_) => None,
    });
    generics::demanded(&function.sig.generics, types, &signature.krate)
}

/// The item unchanged, and the error that it is not a function, on its own tokens.
fn not_a_function(item: TokenStream, error: &syn::Error) -> TokenStream {
    let error = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(_) => Refused::new(Code::V102, "`#[kernel]` belongs on a function").over(error.span()),
        Err(_) => report::syntax(error),
    };
    quote! { #error #item }
}
