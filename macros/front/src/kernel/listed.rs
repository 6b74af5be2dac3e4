//! `SAMEBITS_KERNELS=FOLDER`: a kernel as a file, for `cargo samebits`.
//!
//! A file holds one instance, in the form of [`Listing`]. Only packages that the user asked cargo for leave files. Every
//! expansion notes the variable, so that cargo compiles the crate again when its value changes. What cannot be written is
//! an error on the kernel's name; without the variable nothing happens.

use super::compile::Made;
use crate::signature::Signature;
use crate::spans::Spans;
use crate::spell::spelled;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use samebits_ir::wire::Listing;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use syn::ext::IdentExt;

/// The environment variable.
const VARIABLE: &str = "SAMEBITS_KERNELS";

/// Writes the instances of a kernel, if that is wanted. What it gives belongs into the expansion.
pub(super) fn listed(function: &syn::ItemFn, signature: &Signature, made: &[Made], spans: &Spans<'_>) -> TokenStream {
    let Some(folder) = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) else {
        return TokenStream::new();
    };
    // So rustc tells cargo that the crate depends on it.
    let noted = quote! {
        const _: ::core::option::Option<&'static ::core::primitive::str> = ::core::option_env!(#VARIABLE);
    };
    let is_wanted = std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some() || std::env::var_os("CARGO_PKG_NAME").is_none();
    if !is_wanted {
        return noted;
    }
    let folder = Path::new(&folder);
    let name = &function.sig.ident;
    let written = made.iter().enumerate().try_for_each(|(i, made)| {
        let listing = listing(function, signature, (i, made), spans);
        write(folder, &listing)
    });
    let error = written.err().map(|error| {
        let message = format!(
            "kernel `{}` cannot be written to `{}`, which the environment variable `{VARIABLE}` names: {error}",
            name.unraw(),
            folder.display()
        );
        syn::Error::new_spanned(name, message).to_compile_error()
    });
    quote! { #noted #error }
}

fn listing(function: &syn::ItemFn, signature: &Signature, (i, made): (usize, &Made), spans: &Spans<'_>) -> Listing {
    let name = &function.sig.ident;
    let arguments = signature.instances.get(i).map_or(&[][..], |instance| &instance.arguments);
    let arguments: Vec<String> = arguments.iter().map(|argument| spelled(argument.to_token_stream())).collect();
    let instance = if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
    let start = name.span().start();
    let image = made.forms.written_image(spans);
    let mut head = function.sig.clone();
    head.inputs.pop_punct();
    Listing {
        package: std::env::var("CARGO_PKG_NAME").unwrap_or_default(),
        name: name.unraw().to_string(),
        instance,
        place: format!("{}:{}:{}", name.span().file(), start.line, start.column + 1),
        signature: spelled(&head),
        image: image.bytes,
        locations: image.locations,
    }
}

/// Writes a file whose name depends on what is in it alone: a crate that is compiled twice, as a library and as its own
/// tests, leaves one.
fn write(folder: &Path, listing: &Listing) -> io::Result<()> {
    if !folder.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path has to be absolute"));
    }
    let bytes = listing.encode();
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = listing.name.chars().filter(plain).take(60).collect();
    fs::create_dir_all(folder)?;
    fs::write(folder.join(format!("{}-{name}-{:016x}.sbil", listing.package, hasher.finish())), bytes)
}
