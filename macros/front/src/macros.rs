//! Macros of the kernel language: `assert!` and its like, `unreachable!`, `debug!` and `matches!`.
//!
//! They are rewritten to plain syntax before anything else looks at an item, so that names, types, borrows and lints in
//! them are judged as everywhere. A failed assertion is an `else` that calls one of the [calls](crate::words::messages) that no
//! user can name:
//!
//! ```text
//! assert!(i < n)            if i < n {} else { __samebits_assertion("assertion failed: i < n") }
//! debug!("{i}: {}", x[i])   __samebits_line("{i}: {}", x[i], i = i)
//! matches!(x, 1 | 2)        (match x { 1 | 2 => true, _ => false })
//! ```
//!
//! Variables that a text names are arguments of their own then. A macro that cannot be read so is left as it is, and
//! refused where the body is lowered.

use crate::spell;
use crate::syntax;
use crate::words::messages::{ASSERTION, DEBUG_ASSERTIONS, LEFT, LINE, Macro, RIGHT, UNREACHABLE};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Pat, Token};

/// Makes plain syntax of the macros of the language in an item, which is there as tokens and as its tree.
pub fn rewrite<T: Parse>(tokens: &mut TokenStream, item: &mut T) {
    if has_macro(tokens) {
        let plain = rewritten(tokens.clone());
        if let Ok(parsed) = syn::parse2(plain.clone()) {
            (*tokens, *item) = (plain, parsed);
        }
    }
}

fn rewritten(tokens: TokenStream) -> TokenStream {
    let mut done: Vec<TokenTree> = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Group(group) => {
                if let Some(found) = called(&done)
                    && let Some(plain) = plain(&found, &group)
                {
                    done.truncate(found.begins);
                    done.extend(plain);
                } else {
                    let mut same = Group::new(group.delimiter(), rewritten(group.stream()));
                    same.set_span(group.span());
                    done.push(same.into());
                }
            }
            tree => done.push(tree),
        }
    }
    done.into_iter().collect()
}

/// Whether there may be one of the macros, so that others need no copy.
fn has_macro(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => Macro::from_name(&name.to_string()).is_some(),
        TokenTree::Group(group) => has_macro(&group.stream()),
        _ => false,
    })
}

/// A macro that is called.
struct Called {
    what: Macro,
    name: Ident,
    /// Where its path begins among the tokens before the arguments.
    begins: usize,
}

/// The macro whose path and `!` these tokens end with.
fn called(before: &[TokenTree]) -> Option<Called> {
    let is = |i: usize, char: char| matches!(before.get(i), Some(TokenTree::Punct(punct)) if punct.as_char() == char);
    let bang = before.len().checked_sub(1).filter(|&i| is(i, '!'))?;
    let Some(TokenTree::Ident(name)) = bang.checked_sub(1).and_then(|i| before.get(i)) else { return None };
    let what = Macro::from_name(&name.to_string())?;
    let mut begins = bang - 1;
    while begins >= 2 && is(begins - 1, ':') && is(begins - 2, ':') {
        begins -= 2;
        match begins.checked_sub(1).and_then(|i| before.get(i)) {
            Some(TokenTree::Ident(_)) => begins -= 1,
            _ => break,
        }
    }
    Some(Called { what, name: name.clone(), begins })
}

/// The plain syntax of a call; `None` if its arguments are not those of the macro.
fn plain(called: &Called, arguments: &Group) -> Option<TokenStream> {
    // Macros may be among the arguments, as everywhere.
    let stream = rewritten(arguments.stream());
    if called.what == Macro::Matches {
        let at = called.name.span();
        return (|input: ParseStream<'_>| matches(input, at)).parse2(stream).ok();
    }
    let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(stream).ok()?;
    let mut args = args.into_iter();
    let at = called.name.span();
    let call = |name: &str| Ident::new(name, at);
    Some(match called.what {
        // It has other arguments.
        Macro::Matches => return None,
        Macro::Line => {
            let text = Text::of(args)?;
            said(&call(LINE), text, at)
        }
        Macro::Unreachable => {
            let reached = "internal error: entered unreachable code";
            let text = match Text::of_optional(args)? {
                Some(text) => Text { format: format!("{reached}: {}", text.format), ..text },
                None => Text::plain(reached, at),
            };
            said(&call(UNREACHABLE), text, at)
        }
        Macro::Assert { debug } => {
            let condition = args.next()?;
            // As it was written, which what became of a macro in it is not.
            let written = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(arguments.stream()).ok()?;
            let failed = format!("assertion failed: {}", spell::expression(written.first()?));
            let text = match Text::of_optional(args)? {
                Some(text) => text,
                None => Text::plain(&failed, at),
            };
            let said = said(&call(ASSERTION), text, at);
            let condition = as_condition(&condition);
            in_debug(debug, quote_spanned!(at=> if #condition {} else { #said; }), at)
        }
        Macro::Compare { debug, equal } => {
            let (left, right) = (args.next()?, args.next()?);
            let [first, second] = [LEFT, RIGHT].map(call);
            let operator = if equal { quote_spanned!(at=> ==) } else { quote_spanned!(at=> !=) };
            let mut text = Text::of_optional(args)?.unwrap_or_else(|| Text::plain("", at));
            let colon = if text.format.is_empty() { "" } else { ": " };
            text.format = format!(
                "assertion `left {operator} right` failed{colon}{}\n  left: {{{first}:?}}\n right: {{{second}:?}}",
                text.format
            );
            text.args.extend([quote!(#first = #first), quote!(#second = #second)]);
            let said = said(&call(ASSERTION), text, at);
            let compared = quote_spanned! {at=> {
                let (#first, #second) = (#left, #right);
                if #first #operator #second {} else { #said; }
            }};
            in_debug(debug, compared, at)
        }
    })
}

/// The `match` that the arguments of `matches!` become: a value and a pattern, perhaps with a condition.
fn matches(input: ParseStream<'_>, at: Span) -> syn::Result<TokenStream> {
    let value: Expr = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Pat::parse_multi_with_leading_vert(input)?;
    let guard = match input.parse::<Option<Token![if]>>()? {
        Some(word) => Some((word, input.parse::<Expr>()?)),
        None => None,
    };
    input.parse::<Option<Token![,]>>()?;
    let (value, guard) = (as_condition(&value), guard.map(|(word, condition)| quote!(#word #condition)));
    Ok(quote_spanned!(at=> (match #value { #pattern #guard => true, _ => false })))
}

/// An expression before a block: in brackets only where the block would belong to it.
fn as_condition(condition: &Expr) -> TokenStream {
    let has_braces = |tree: TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    if quote!(#condition).into_iter().any(has_braces) { quote!((#condition)) } else { quote!(#condition) }
}

/// A call that says something.
fn said(call: &Ident, Text { format, literal, args }: Text, at: Span) -> TokenStream {
    let mut format = Literal::string(&format);
    format.set_span(literal);
    quote_spanned!(at=> #call(#format #(, #args)*))
}

/// What happens in a program with debug assertions only.
fn in_debug(debug: bool, checked: TokenStream, at: Span) -> TokenStream {
    if !debug {
        return checked;
    }
    let call = Ident::new(DEBUG_ASSERTIONS, at);
    quote_spanned!(at=> if #call() { #checked })
}

/// A text with places for values, and the values.
struct Text {
    format: String,
    literal: Span,
    args: Vec<TokenStream>,
}

impl Text {
    /// A text without places.
    fn plain(text: &str, literal: Span) -> Self {
        Self { format: text.replace('{', "{{").replace('}', "}}"), literal, args: Vec::new() }
    }

    /// What the arguments from a literal on say.
    fn of(mut args: impl Iterator<Item = Expr>) -> Option<Self> {
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(literal), .. }) = args.next()? else { return None };
        let format = literal.value();
        let args: Vec<Expr> = args.collect();
        let named = |arg: &Expr| match arg {
            Expr::Assign(assign) => match syntax::peel(&assign.left) {
                Expr::Path(path) => syntax::name(&path.path),
                _ => None,
            },
            _ => None,
        };
        let given: Vec<String> = args.iter().filter_map(named).collect();
        let captured = captured(&format).into_iter().filter(|name| !given.contains(name)).map(|name| {
            let name = Ident::new(&name, literal.span());
            quote!(#name = #name)
        });
        let args = args.iter().map(|arg| quote!(#arg)).chain(captured).collect();
        Some(Self { format, literal: literal.span(), args })
    }

    /// The same where there may be none.
    fn of_optional(args: impl Iterator<Item = Expr>) -> Option<Option<Self>> {
        let mut args = args.peekable();
        if args.peek().is_none() { Some(None) } else { Self::of(args).map(Some) }
    }
}

/// The variables that a text names, each once: of `{x}`, `{x:?}` and `{:width$}`.
fn captured(format: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if syn::parse_str::<Ident>(name).is_ok() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let mut rest = format;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (name, spec) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        add(name.trim());
        for counted in spec.split('$').rev().skip(1) {
            let is_part = |char: char| char.is_alphanumeric() || char == '_';
            add(&counted[counted
                .rfind(|char| !is_part(char))
                .map_or(0, |at| at + counted[at..].chars().next().map_or(1, char::len_utf8))..]);
        }
        rest = &rest[close + 1..];
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tokens: TokenStream) -> String {
        spell::expression(rewritten(tokens))
    }

    #[test]
    fn an_assertion_is_a_condition_with_a_call_in_its_else() {
        assert_eq!(
            text(quote!(assert!(i < n))),
            text(quote!(if i < n {
            } else {
                __samebits_assertion("assertion failed: i < n");
            }))
        );
        let named = quote!(if ok {
        } else {
            __samebits_assertion("at {i}", i = i);
        });
        assert_eq!(text(quote!(core::assert!(ok, "at {i}"))), text(named));
    }

    #[test]
    fn a_block_in_a_condition_is_in_brackets() {
        let expected = quote!(if (match a {
            _ => b,
        }) {
        } else {
            __samebits_assertion("no");
        });
        assert_eq!(
            text(quote!(assert!(
                match a {
                    _ => b,
                },
                "no"
            ))),
            text(expected)
        );
    }

    #[test]
    fn what_is_compared_is_evaluated_once() {
        #[rustfmt::skip]
        let expected = quote!({
            let (__samebits_left, __samebits_right) = (f(a), 2);
            if __samebits_left == __samebits_right {
            } else {
                __samebits_assertion(
                    "assertion `left == right` failed: of {}\n  left: {__samebits_left:?}\n right: {__samebits_right:?}",
                    a,
                    __samebits_left = __samebits_left,
                    __samebits_right = __samebits_right
                );
            }
        });
        assert_eq!(text(quote!(assert_eq!(f(a), 2, "of {}", a))), text(expected));
    }

    #[test]
    fn a_line_names_the_variables_in_its_text() {
        let expected = quote!(__samebits_line("{{x}} {x:>w$.2} {y} {}", 1, y = 2, x = x, w = w));
        assert_eq!(text(quote!(debug!("{{x}} {x:>w$.2} {y} {}", 1, y = 2))), text(expected));
    }

    #[test]
    fn a_debug_assertion_asks_the_program() {
        let expected = quote!(if __samebits_debug_assertions() {
            if a {
            } else {
                __samebits_assertion("assertion failed: a");
            }
        });
        assert_eq!(text(quote!(debug_assert!(a))), text(expected));
    }

    #[test]
    fn a_test_of_a_pattern_is_a_match() {
        // With commas only where the macro writes them.
        let expected = "(match(S { x }) { 1 | 2 if(match y { Some(_) => true, _ => false }) => true, _ => false })";
        assert_eq!(text(quote!(matches!(S { x }, 1 | 2 if matches!(y, Some(_)),))), expected);
    }

    #[test]
    fn an_assertion_says_what_was_written() {
        let shown = text(quote!(assert!(matches!(x, 1))));
        assert!(shown.contains("assertion failed: matches!(x, 1)"), "{shown}");
    }

    #[test]
    fn other_macros_and_wrong_arguments_stay() {
        for tokens in [
            quote!(assert!()),
            quote!(assert!(a, b)),
            quote!(println!("{}", 1)),
            quote!(debug!(x)),
            quote!(line),
            quote!(matches!(x)),
            quote!(matches!(x, 1, 2)),
        ] {
            assert_eq!(text(tokens.clone()), spell::expression(tokens));
        }
    }
}
