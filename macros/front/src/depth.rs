//! Whether tokens nest too deeply to be parsed.
//!
//! syn parses, drops and prints by recursion, and a stack that overflows takes rustc down
//! with it. So tokens are looked at first, without recursion. What counts is the nesting
//! of groups, and the tokens since the last `;`, `,` or finished block on the way to a
//! token, each of which may be one level: `- - - 1`, `a + b + c`, `x = y = z`. Two operators
//! or two words in a row weigh more, because a prefix is parsed by recursion, and so does
//! what may open generic arguments.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use samebits_ir::diag::Code;
use samebits_ir::ir::MAX_NESTING;
use std::iter::Peekable;

/// The most tokens on the way to one. An expression of that many levels is refused later
/// anyway; this only protects the stack.
const MAX_TOKENS: usize = 512;
/// What a token counts that is parsed by recursion.
const PREFIX: usize = 8;
/// The most groups in each other; those of a kernel that is not refused are fewer.
const MAX_GROUPS: usize = 96;

/// One group that is being looked at.
struct Level {
    rest: Peekable<proc_macro2::token_stream::IntoIter>,
    /// Tokens on the way to the group.
    before: usize,
    /// Tokens since what separates expressions.
    run: usize,
    last: Last,
}

/// What the last token was.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Word,
    Operator,
    Other,
}

/// Where tokens nest too deeply, if they do.
pub fn too_deep(tokens: TokenStream) -> Option<Span> {
    let level =
        |tokens: TokenStream, before| Level { rest: tokens.into_iter().peekable(), before, run: 0, last: Last::Other };
    let mut levels = vec![level(tokens, 0)];
    while let Some(top) = levels.last_mut() {
        let Some(token) = top.rest.next() else {
            levels.pop();
            continue;
        };
        let (this, prefix) = match &token {
            TokenTree::Ident(_) => (Last::Word, top.last == Last::Word),
            TokenTree::Punct(punct) => match punct.spacing() {
                Spacing::Alone => {
                    (Last::Operator, top.last == Last::Operator || (punct.as_char() == '<' && top.last == Last::Word))
                }
                // The first part of an operator; the next part is no operator of its own.
                Spacing::Joint => (Last::Other, top.last == Last::Operator),
            },
            TokenTree::Group(_) | TokenTree::Literal(_) => (Last::Other, false),
        };
        top.run += if prefix { PREFIX } else { 1 };
        top.last = this;
        let before = top.before + top.run;
        if before > MAX_TOKENS {
            return Some(token.span());
        }
        let ends = match &token {
            TokenTree::Punct(punct) => matches!(punct.as_char(), ';' | ','),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !continues(top.rest.peek()),
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        if ends {
            top.run = 0;
        }
        if let TokenTree::Group(group) = token {
            if levels.len() > MAX_GROUPS {
                return Some(group.span_open());
            }
            levels.push(level(group.stream(), before));
        }
    }
    None
}

/// Whether the expression before a token goes on after a block.
fn continues(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Ident(ident)) => ident == "else" || ident == "as",
        Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '#' | '\''),
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) | None => false,
    }
}

/// Groups around an item that is handed from macro to macro.
const MAX_AROUND: usize = 8;

/// Where groups alone are in each other more often than in anything that is handed from macro to
/// macro. Even to look into such tokens could overflow the stack.
pub fn too_many_groups(tokens: TokenStream) -> Option<Span> {
    let mut levels = vec![tokens.into_iter()];
    while let Some(top) = levels.last_mut() {
        match top.next() {
            Some(TokenTree::Group(group)) if levels.len() > MAX_GROUPS + MAX_AROUND => return Some(group.span_open()),
            Some(TokenTree::Group(group)) => levels.push(group.stream().into_iter()),
            Some(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => {}
            None => drop(levels.pop()),
        }
    }
    None
}

/// The item with an empty body instead of one that nests too deeply, and where it does;
/// `Err` if what is before the body does.
pub fn shallow(item: &TokenStream) -> Result<(TokenStream, Option<Span>), Span> {
    let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = match trees.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group.clone()),
        _ => None,
    };
    let mut deep = None;
    if let Some(body) = body {
        deep = too_deep(body.stream());
        let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
        empty.set_span(body.span());
        trees.pop();
        if let Some(at) = too_deep(trees.iter().cloned().collect()) {
            return Err(at);
        }
        let kept = if deep.is_some() { empty } else { body };
        trees.push(kept.into());
    } else if let Some(at) = too_deep(item.clone()) {
        return Err(at);
    }
    Ok((trees.into_iter().collect(), deep))
}

/// The error for a place that is too deep.
pub fn error(at: Span) -> TokenStream {
    let text = format!(
        "a kernel cannot nest more than {MAX_NESTING} levels deep [{}]\nhelp: split the expression with `let`",
        Code::V018
    );
    syn::Error::new(at, text).to_compile_error()
}
