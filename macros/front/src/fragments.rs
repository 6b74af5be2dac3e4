//! The invisible groups around fragments of `macro_rules!`.
//!
//! A fragment such as `$e:expr` is a group without delimiters, so that `$e * 2` is a product of
//! the whole fragment. syn expects such groups around expressions and types, but not around
//! labels, statements or names of structs. So groups that are not needed are removed.
//! `<T>::NAME`, which a fragment produces for an item of a type, becomes the path that it
//! means.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};

/// Tokens without the groups that mean nothing.
pub fn without(tokens: TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    // The whole item, from `$item:item`.
    if let [TokenTree::Group(group)] = trees.as_slice()
        && group.delimiter() == Delimiter::None
    {
        return without(group.stream());
    }
    stream(trees, false)
}

/// The tokens of a group; `statements` if it has braces.
fn stream(trees: Vec<TokenTree>, statements: bool) -> TokenStream {
    let mut done: Vec<TokenTree> = Vec::with_capacity(trees.len());
    let mut trees = trees.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let TokenTree::Group(group) = tree else {
            done.push(tree);
            continue;
        };
        let visible = group.delimiter() != Delimiter::None;
        let whole = statements && begins_statement(done.last()) && ends_statement(trees.peek());
        let inner = stream(group.stream().into_iter().collect(), group.delimiter() == Delimiter::Brace);
        let attribute = group.delimiter() == Delimiter::Bracket && matches!(done.last(), Some(last) if is(last, '#'));
        let inner = if attribute { opened(inner) } else { inner };
        let parts: Vec<TokenTree> = inner.clone().into_iter().collect();
        let free = !visible
            && (is_atom(&parts)
                || matches!(parts.first(), Some(TokenTree::Ident(word)) if word == "let")
                || whole
                || statements && begins_statement(done.last()) && is_block_like(&parts) && !continues(trees.peek()));
        if free {
            done.extend(parts);
        } else {
            let mut same = Group::new(group.delimiter(), inner);
            same.set_span(group.span());
            done.push(same.into());
        }
    }
    qualified(done).into_iter().collect()
}

/// The content of an attribute, which may be a `$meta:meta`.
fn opened(tokens: TokenStream) -> TokenStream {
    let mut trees = tokens.into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => group.stream(),
        (first, second) => first.into_iter().chain(second).chain(trees).collect(),
    }
}

fn is(tree: &TokenTree, char: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// Whether tokens hold together without a group: nothing, one token, a lifetime, a path of names.
fn is_atom(parts: &[TokenTree]) -> bool {
    match parts {
        [] | [_] => true,
        [quote, TokenTree::Ident(_)] if is(quote, '\'') => true,
        _ => {
            let colons = |pair: &[TokenTree]| pair.len() == 2 && pair.iter().all(|tree| is(tree, ':'));
            let rest = if colons(&parts[..2]) { &parts[2..] } else { parts };
            let named = |part: &[TokenTree]| match part {
                [TokenTree::Ident(_)] => true,
                [TokenTree::Ident(_), between @ ..] => colons(between),
                _ => false,
            };
            rest.chunks(3).all(named) && matches!(rest.last(), Some(TokenTree::Ident(_)))
        }
    }
}

fn begins_statement(before: Option<&TokenTree>) -> bool {
    match before {
        None => true,
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(tree) => is(tree, ';'),
    }
}

fn ends_statement(after: Option<&TokenTree>) -> bool {
    after.is_none_or(|tree| is(tree, ';'))
}

/// Whether tokens are a statement without a `;`, such as a loop.
fn is_block_like(parts: &[TokenTree]) -> bool {
    let begins = match parts.first() {
        Some(TokenTree::Ident(word)) => ["if", "match", "for", "while", "loop"].iter().any(|known| word == known),
        Some(tree) => is(tree, '\''),
        None => false,
    };
    begins && matches!(parts.last(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

/// Whether what follows belongs to the expression before it.
fn continues(after: Option<&TokenTree>) -> bool {
    match after {
        Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), '#' | '\''),
        Some(TokenTree::Ident(word)) => word == "as",
        _ => false,
    }
}

/// Tokens with `A::<B>::c` for `<A<B>>::c`.
fn qualified(trees: Vec<TokenTree>) -> Vec<TokenTree> {
    let mut done: Vec<TokenTree> = Vec::with_capacity(trees.len());
    let mut at = 0;
    while at < trees.len() {
        match is(&trees[at], '<').then(|| owner(&trees[at + 1..])).flatten() {
            Some((path, len)) if begins_path(done.last()) => {
                done.extend(path);
                at += 1 + len;
            }
            _ => {
                done.push(trees[at].clone());
                at += 1;
            }
        }
    }
    done
}

/// Whether a `<` after this begins a path, and compares nothing.
fn begins_path(before: Option<&TokenTree>) -> bool {
    match before {
        None => true,
        Some(TokenTree::Ident(word)) => {
            ["return", "break", "in", "if", "while", "match", "as", "else"].iter().any(|known| word == known)
        }
        Some(TokenTree::Punct(punct)) => !matches!(punct.as_char(), ':' | '?'),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        Some(TokenTree::Literal(_)) => false,
    }
}

/// The path of the type in `<T>::`, after the `<`, without the `>`; and the number of tokens up to it.
fn owner(trees: &[TokenTree]) -> Option<(Vec<TokenTree>, usize)> {
    // The type itself may stand in a group.
    if let [TokenTree::Group(group), close, first, second, ..] = trees
        && group.delimiter() == Delimiter::None
        && is(close, '>')
        && is(first, ':')
        && is(second, ':')
    {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        return Some((path(&inner)?, 2));
    }
    let mut depth = 0usize;
    for (i, tree) in trees.iter().enumerate() {
        match tree {
            tree if is(tree, '<') => depth += 1,
            tree if is(tree, '>') && depth > 0 => depth -= 1,
            tree if is(tree, '>') => {
                let follows =
                    trees.get(i + 1).is_some_and(|t| is(t, ':')) && trees.get(i + 2).is_some_and(|t| is(t, ':'));
                return if follows { Some((path(&trees[..i])?, i + 1)) } else { None };
            }
            TokenTree::Ident(word) if word == "as" => return None,
            TokenTree::Ident(_) | TokenTree::Literal(_) | TokenTree::Group(_) => {}
            tree if is(tree, ':') || is(tree, ',') => {}
            TokenTree::Punct(_) => return None,
        }
    }
    None
}

/// A type's path as the path of an expression, if the type is only a path.
fn path(ty: &[TokenTree]) -> Option<Vec<TokenTree>> {
    let open = ty.iter().position(|tree| is(tree, '<')).unwrap_or(ty.len());
    let (name, arguments) = ty.split_at(open);
    if name.is_empty() || !is_atom(name) || matches!(name, [TokenTree::Group(_) | TokenTree::Literal(_)]) {
        return None;
    }
    let mut path = name.to_vec();
    if !arguments.is_empty() {
        path.extend([Punct::new(':', Spacing::Joint).into(), Punct::new(':', Spacing::Alone).into()]);
        path.extend(arguments.iter().cloned());
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn group(tokens: TokenStream) -> TokenTree {
        Group::new(Delimiter::None, tokens).into()
    }

    fn becomes(tokens: TokenStream, expected: TokenStream) {
        assert_eq!(without(tokens).to_string(), expected.to_string());
    }

    #[test]
    fn what_holds_together_needs_no_group() {
        let (label, path, name) = (group(quote!('a)), group(quote!(m::f)), group(quote!(x)));
        becomes(
            quote!({ #label: loop { #path(#name); } }),
            quote!({
                'a: loop {
                    m::f(x);
                }
            }),
        );
    }

    #[test]
    fn a_statement_is_one() {
        let (bound, set, looped) = (
            group(quote!(let x = 1)),
            group(quote!(x = 2)),
            group(quote!(for i in 0..3 {
                f(i)
            })),
        );
        becomes(
            quote!({ #bound; #set; #looped f(x) }),
            quote!({
                let x = 1;
                x = 2;
                for i in 0..3 {
                    f(i)
                }
                f(x)
            }),
        );
    }

    #[test]
    fn an_operand_keeps_its_group() {
        let sum = group(quote!(a + b));
        let kept = without(quote!({ x = #sum * 2; })).to_string();
        assert_eq!(without(quote!({ x = #sum * 2; })).into_iter().count(), 1);
        assert_eq!(kept, quote!({ x = #sum * 2; }).to_string());
    }

    #[test]
    fn a_type_before_colons_is_a_path() {
        let ty = group(quote!(Vec2<f32>));
        becomes(quote!((<#ty>::splat(1.0))), quote!((Vec2::<f32>::splat(1.0))));
        becomes(quote!((x = <f32>::MAX)), quote!((x = f32::MAX)));
        becomes(quote!((a<b>::c)), quote!((a<b>::c)));
        becomes(quote!((<f32 as Float>::MAX)), quote!((<f32 as Float>::MAX)));
        becomes(quote!((f::<f32>(x))), quote!((f::<f32>(x))));
    }
}
