//! Whether tokens can be parsed: they must not nest too deeply, and numbers must not be too
//! long.
//!
//! syn parses, drops and prints by recursion, and a stack overflow takes rustc down with it. So
//! tokens are checked first, without recursion. Two things count: the nesting of groups, and
//! the tokens since the last `;`, `,` or finished block, each of which may be one level: `- - -
//! 1`, `a + b + c`, `x = y = z`. Two operators or two words in a row weigh more, because a
//! prefix is parsed by recursion, and so does a token that may open generic arguments. The links of
//! an `else if` chain are parsed one after the other and visited by recursion: what stands in one
//! does not count for the next, but each link does.
//!
//! syn reads the digits of a number in quadratic time.

use crate::report::Refused;
use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};
use samebits_ir::diag::Code;
use samebits_ir::ir::MAX_NESTING;
use std::iter::Peekable;

/// The most tokens on the way to one. An expression of that many levels is refused later
/// anyway; this only protects the stack.
const MAX_TOKENS: usize = 512;
/// The weight of a token that is parsed by recursion.
const PREFIX: usize = 8;
/// The weight of an `else`.
const LINK: usize = 4;
/// The deepest nesting of groups. A kernel that is accepted nests less.
const MAX_GROUPS: usize = 96;

/// The most characters of a number. The longest useful number, a float with all its digits, has
/// some 1,100.
pub const MAX_NUMBER: usize = 2048;

/// Why tokens are not parsed, and where.
#[derive(Clone, Copy)]
pub struct Unparsed {
    /// Where.
    pub at: Span,
    /// The characters of a number, if it is one.
    number: Option<usize>,
}

/// Nesting that is too deep.
fn deep(at: Span) -> Unparsed {
    Unparsed { at, number: None }
}

/// A number that is too long.
fn long(token: &TokenTree) -> Option<Unparsed> {
    let TokenTree::Literal(literal) = token else { return None };
    let text = literal.to_string();
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    (is_number && text.len() > MAX_NUMBER).then(|| Unparsed { at: literal.span(), number: Some(text.len()) })
}

/// One group that is being looked at.
struct Level {
    rest: Peekable<proc_macro2::token_stream::IntoIter>,
    /// Tokens on the way to the group.
    before: usize,
    /// Tokens since the last separator of expressions.
    run: usize,
    /// How many of these stand before the last `if` that begins a chain, and the `else`s since then.
    start: usize,
    links: usize,
    last: Last,
}

/// What the last token was.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Word,
    Operator,
    Other,
}

/// The first place where tokens cannot be parsed, if there is one.
pub fn unparsed(tokens: TokenStream) -> Option<Unparsed> {
    let level = |tokens: TokenStream, before| Level {
        rest: tokens.into_iter().peekable(),
        before,
        run: 0,
        start: 0,
        links: 0,
        last: Last::Other,
    };
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
                // The first part of an operator; the next part is not an operator of its own.
                Spacing::Joint => (Last::Other, top.last == Last::Operator),
            },
            TokenTree::Group(_) | TokenTree::Literal(_) => (Last::Other, false),
        };
        match &token {
            TokenTree::Ident(word) if word == "else" => {
                top.links += 1;
                top.run = top.start + LINK * top.links;
            }
            // Behind an `else` it goes on with a chain.
            TokenTree::Ident(word) if word == "if" && prefix && top.links > 0 => {}
            TokenTree::Ident(word) if word == "if" => {
                top.start = top.run;
                top.run += if prefix { PREFIX } else { 1 };
            }
            _ => top.run += if prefix { PREFIX } else { 1 },
        }
        top.last = this;
        let before = top.before + top.run;
        if before > MAX_TOKENS {
            return Some(deep(token.span()));
        }
        if let Some(long) = long(&token) {
            return Some(long);
        }
        let ends = match &token {
            TokenTree::Punct(punct) => matches!(punct.as_char(), ';' | ','),
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !continues(top.rest.peek()),
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        if ends {
            (top.run, top.start, top.links) = (0, 0, 0);
        }
        if let TokenTree::Group(group) = token {
            if levels.len() > MAX_GROUPS {
                return Some(deep(group.span_open()));
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

/// The place where groups nest deeper than in any item that macros hand on. Merely visiting such
/// tokens could overflow the stack.
pub fn too_many_groups(tokens: TokenStream) -> Option<Unparsed> {
    let mut levels = vec![tokens.into_iter()];
    while let Some(top) = levels.last_mut() {
        match top.next() {
            Some(TokenTree::Group(group)) if levels.len() > MAX_GROUPS + MAX_AROUND => {
                return Some(deep(group.span_open()));
            }
            Some(TokenTree::Group(group)) => levels.push(group.stream().into_iter()),
            Some(TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_)) => {}
            None => drop(levels.pop()),
        }
    }
    None
}

/// The item with an empty body instead of one that cannot be parsed, and why; `Err` if what
/// is before the body cannot.
pub fn shallow(item: &TokenStream) -> Result<(TokenStream, Option<Unparsed>), Unparsed> {
    let mut trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = match trees.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group.clone()),
        _ => None,
    };
    let mut inside = None;
    if let Some(body) = body {
        inside = unparsed(body.stream());
        let mut empty = Group::new(Delimiter::Brace, TokenStream::new());
        empty.set_span(body.span());
        trees.pop();
        if let Some(at) = unparsed(trees.iter().cloned().collect()) {
            return Err(at);
        }
        let kept = if inside.is_some() { empty } else { body };
        trees.push(kept.into());
    } else if let Some(at) = unparsed(item.clone()) {
        return Err(at);
    }
    Ok((trees.into_iter().collect(), inside))
}

/// The error for what cannot be parsed.
pub fn error(Unparsed { at, number }: Unparsed) -> TokenStream {
    let refused = match number {
        None => Refused::new(Code::V018, format!("a kernel cannot nest more than {MAX_NESTING} levels deep"))
            .help("split the expression with `let`"),
        Some(len) => Refused::new(Code::V103, format!("a number of {len} characters is too long"))
            .help(format!("use at most {MAX_NUMBER} characters")),
    };
    refused.over(at)
}
