//! Diagnostics as rustc errors on the user's tokens.
//!
//! A macro on stable Rust can only raise errors, so facts about other places follow the
//! message as `note: line:column: …` lines and the cure as one `help:` line. What is wrong
//! inside of a helper because of the way that it is called is shown at the call.

use crate::spans::Spans;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use samebits_ir::diag::{Code, Diag, Diags};

/// One `compile_error!` a diagnostic, each on the tokens that it is about.
pub fn errors(diags: &Diags, spans: &Spans<'_>) -> TokenStream {
    diags.as_slice().iter().map(|diag| error(diag, spans).to_compile_error()).collect()
}

/// Wrong syntax, which rustc has found itself before it expanded the macro, and has reported in its own
/// words. Should it ever take what we do not, a lint says so: lints come only where there is no error.
pub fn syntax(error: &syn::Error) -> TokenStream {
    let text = format!("{error} [{}]", Code::V100);
    quote_spanned! { error.span() =>
        const _: () = {
            #[must_use = #text]
            fn unreadable() -> bool {
                false
            }
            #[deny(unused_must_use)]
            #[allow(dead_code)]
            fn reported() {
                unreadable();
            }
        };
    }
}

fn error(diag: &Diag, spans: &Spans<'_>) -> syn::Error {
    let mut text = diag.headline();
    let site = spans.outermost(diag.loc);
    if let Some(helper) = spans.helper(diag.loc) {
        note(&mut text, spans.place(diag.loc, site), &format!("it is here, in `{helper}`"));
    }
    for (loc, label) in &diag.labels {
        let label = match spans.helper(*loc) {
            Some(helper) => format!("{label}, in `{helper}`"),
            None => label.clone(),
        };
        note(&mut text, spans.place(*loc, site), &label);
    }
    if let Some(help) = &diag.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    syn::Error::new_spanned(spans.tokens(site), text)
}

fn note(text: &mut String, place: Option<String>, label: &str) {
    match place {
        Some(place) => text.push_str(&format!("\nnote: {place}: {label}")),
        None => text.push_str(&format!("\nnote: {label}")),
    }
}
