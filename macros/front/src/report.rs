//! Diagnostics as rustc errors on the user's tokens.
//!
//! A macro on stable Rust can only raise errors, so facts about other places follow the
//! message as `note: line:column: …` lines and the cure as one `help:` line.

use crate::spans::Spans;
use proc_macro2::TokenStream;
use samebits_ir::diag::{Diag, Diags};

/// One `compile_error!` a diagnostic, each on the tokens that it is about.
pub fn errors(diags: &Diags, spans: &Spans<'_>) -> TokenStream {
    diags.as_slice().iter().map(|diag| error(diag, spans).to_compile_error()).collect()
}

fn error(diag: &Diag, spans: &Spans<'_>) -> syn::Error {
    let mut text = diag.headline();
    for (loc, label) in &diag.labels {
        match spans.line_column(*loc) {
            Some((line, column)) => text.push_str(&format!("\nnote: {line}:{column}: {label}")),
            None => text.push_str(&format!("\nnote: {label}")),
        }
    }
    if let Some(help) = &diag.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    syn::Error::new_spanned(spans.tokens(diag.loc), text)
}
