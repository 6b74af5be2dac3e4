//! Diagnostics of the front end: where they are gathered, and how rustc shows them.
//!
//! A mistake is a [`Diag`], or a [`Refused`] as long as its place is not known. Both come to the
//! user by this module alone, as errors of rustc's on the user's tokens. A macro on stable Rust
//! cannot give rustc more than one text, so facts about other places follow the message as
//! `note: line:column: …` lines and the cure as one `help:` line. What is wrong inside of a helper
//! because of the way that it is called is shown at the call.

use crate::spans::Spans;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use samebits_ir::diag::{Code, Diag, Diags, Severity};
use samebits_ir::loc::Loc;

/// What an item's diagnostics are reported to, with the table of the places that they are about.
#[derive(Default)]
pub struct Reporter<'a> {
    /// The places.
    pub spans: Spans<'a>,
    /// What was reported.
    pub diags: Diags,
}

impl<'a> Reporter<'a> {
    /// A reporter to which nothing was reported.
    pub fn new() -> Self {
        Self::default()
    }

    /// A location for a node.
    pub fn loc(&mut self, node: &'a dyn ToTokens) -> Loc {
        self.spans.add(node)
    }

    /// Reports a diagnostic.
    pub fn report(&mut self, diag: Diag) {
        self.diags.push(diag);
    }

    /// Reports that a node was refused.
    pub fn refuse(&mut self, node: &'a dyn ToTokens, refused: Refused) {
        let loc = self.spans.add(node);
        self.report(refused.at(loc));
    }

    /// Reports that tokens were refused which are not part of the tree.
    pub fn refuse_tokens(&mut self, tokens: TokenStream, refused: Refused) {
        let loc = self.spans.add_tokens(tokens);
        self.report(refused.at(loc));
    }

    /// Whether an error was reported.
    pub fn has_errors(&self) -> bool {
        self.diags.has_errors()
    }

    /// Does something as if nothing was reported before. What it leaves in the reporter is added to
    /// what was.
    pub fn apart<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::take(&mut self.diags);
        let result = act(self);
        let reported = std::mem::replace(&mut self.diags, before);
        self.diags.append(reported);
        result
    }

    /// What was reported, each on the tokens that it is about.
    pub fn tokens(&self) -> TokenStream {
        shown(&self.diags, &self.spans)
    }
}

/// A mistake whose place only the caller knows, or which is found by rustc alone.
#[derive(Clone)]
pub struct Refused {
    /// The code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Refused {
    /// A mistake without a help.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    /// Sets the line that says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with this help, if there is any.
    #[must_use]
    pub fn advised(self, help: Option<&str>) -> Self {
        Self { help: help.map(str::to_owned), ..self }
    }

    /// The error at a place.
    pub fn at(self, loc: Loc) -> Diag {
        Diag { help: self.help, ..Diag::new(self.code, loc, self.message) }
    }

    /// The error on tokens, where there is no table of places.
    pub fn on(self, tokens: &dyn ToTokens) -> TokenStream {
        syn::Error::new_spanned(tokens.to_token_stream(), self.text()).to_compile_error()
    }

    /// The error at a span, where there are no tokens either.
    pub fn over(self, span: Span) -> TokenStream {
        syn::Error::new(span, self.text()).to_compile_error()
    }

    /// The text of an error that rustc finds, such as a failed assertion.
    pub fn text(self) -> String {
        text(&self.at(Loc::NONE), &Spans::new())
    }
}

impl From<&Diag> for Refused {
    /// The mistake alone, without its place and other places.
    fn from(diag: &Diag) -> Self {
        Self { code: diag.code, message: diag.message.clone(), help: diag.help.clone() }
    }
}

/// Each diagnostic on the tokens that it is about.
pub fn shown(diags: &Diags, spans: &Spans<'_>) -> TokenStream {
    let one = |diag: &Diag| {
        let (tokens, text) = (spans.tokens(spans.outermost(diag.loc)), text(diag, spans));
        let error = syn::Error::new_spanned(tokens, &text);
        match diag.severity {
            Severity::Error => error.to_compile_error(),
            Severity::Warning => hint(error.span(), &text),
        }
    };
    diags.as_slice().iter().map(one).collect()
}

/// Wrong syntax. rustc has usually found it before it expanded the macro, and has reported it in
/// its own words. In case rustc accepts what we do not, a lint reports it: rustc shows lints only
/// if there is no error.
pub fn syntax(error: &syn::Error) -> TokenStream {
    lint("deny", error.span(), &Refused::new(Code::V100, error.to_string()).text())
}

/// A text that rustc shows as a lint of this level: a result that must be used and is not.
fn lint(level: &str, span: Span, text: &str) -> TokenStream {
    let level = proc_macro2::Ident::new(level, Span::call_site());
    quote_spanned! { span =>
        const _: () = {
            #[must_use = #text]
            fn unreadable() -> bool {
                false
            }
            #[#level(unused_must_use)]
            #[allow(dead_code)]
            fn reported() {
                unreadable();
            }
        };
    }
}

/// A text that rustc shows as a warning, which obeys the lint `deprecated`: a macro on stable Rust has no other way
/// to warn that brings no advice of rustc's own.
fn hint(span: Span, text: &str) -> TokenStream {
    quote_spanned! { span =>
        const _: () = {
            #[deprecated(note = #text)]
            const fn slow_code() {}
            #[allow(dead_code)]
            const fn reported() {
                slow_code();
            }
        };
    }
}

/// All that a diagnostic says, as one text.
fn text(diag: &Diag, spans: &Spans<'_>) -> String {
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
    text
}

fn note(text: &mut String, place: Option<String>, label: &str) {
    match place {
        Some(place) => text.push_str(&format!("\nnote: {place}: {label}")),
        None => text.push_str(&format!("\nnote: {label}")),
    }
}
