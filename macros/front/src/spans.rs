//! The table from [`Loc`] to the user's tokens.
//!
//! Lowering notes the syntax node of everything that it makes. Only if something is wrong are
//! the node's tokens searched for their spans, so a right kernel pays nothing.
//!
//! A node in the body of a helper is noted together with the call that brought it, so that a
//! mistake in the call can be shown there: a place in the function that is being compiled is
//! always known.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use samebits_ir::loc::Loc;

/// The syntax nodes that locations stand for.
#[derive(Default)]
pub struct Spans<'a> {
    nodes: Vec<(Node<'a>, Through)>,
    calls: Vec<Call>,
    current: Vec<Through>,
}

/// Tokens of the user's.
enum Node<'a> {
    /// A part of the tree.
    Part(&'a dyn ToTokens),
    /// Of something that is not part of the tree, such as the arguments of an attribute.
    Tokens(TokenStream),
}

/// The innermost call around a node; `None` in the function that is compiled.
pub type Through = Option<usize>;

/// A call of a helper.
struct Call {
    at: Loc,
    name: String,
}

impl<'a> Spans<'a> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// A location for a node.
    pub fn add(&mut self, node: &'a dyn ToTokens) -> Loc {
        self.note(Node::Part(node))
    }

    /// A location for tokens that are kept for it.
    pub fn add_tokens(&mut self, tokens: TokenStream) -> Loc {
        self.note(Node::Tokens(tokens))
    }

    fn note(&mut self, node: Node<'a>) -> Loc {
        self.nodes.push((node, self.through()));
        Loc::new(self.nodes.len() as u32 - 1)
    }

    /// The call that nodes are noted with at present.
    pub fn through(&self) -> Through {
        self.current.last().copied().flatten()
    }

    /// Notes what follows as part of a helper that is called at `at`.
    pub fn enter(&mut self, at: Loc, name: &str) {
        self.current.push(Some(self.calls.len()));
        self.calls.push(Call { at, name: name.to_owned() });
    }

    /// Notes what follows as it was noted at another time, where a closure was written.
    pub fn enter_again(&mut self, through: Through) {
        self.current.push(through);
    }

    /// Ends what the last `enter` began.
    pub fn leave(&mut self) {
        self.current.pop();
    }

    /// The helper that a location is in, unless it is in the function that is compiled.
    pub fn helper(&self, loc: Loc) -> Option<&str> {
        self.call(loc).map(|(name, _)| name)
    }

    /// The helper that a location is in and the location of its call; nothing in the function
    /// that is compiled.
    pub fn call(&self, loc: Loc) -> Option<(&str, Loc)> {
        let (_, through) = self.node(loc)?;
        let Call { at, name } = &self.calls[through?];
        Some((name, *at))
    }

    /// The location itself, or the call in the function that is compiled that leads to it.
    pub fn outermost(&self, mut loc: Loc) -> Loc {
        while let Some((_, at)) = self.call(loc) {
            loc = at;
        }
        loc
    }

    /// The location itself, or the call or the name, in what is noted at present, that leads to it.
    pub fn seen_from_here(&self, mut loc: Loc) -> Loc {
        while let Some((_, through)) = self.node(loc)
            && through != self.through()
            && let Some((_, at)) = self.call(loc)
        {
            loc = at;
        }
        loc
    }

    /// Whether any helper is called.
    pub fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    fn node(&self, loc: Loc) -> Option<(&Node<'a>, Through)> {
        let (node, through) = self.nodes.get(loc.index()? as usize)?;
        Some((node, *through))
    }

    /// The tokens at a location; none for a location that is not in the table.
    pub fn tokens(&self, loc: Loc) -> TokenStream {
        match self.node(loc) {
            Some((Node::Part(node), _)) => node.to_token_stream(),
            Some((Node::Tokens(tokens), _)) => tokens.clone(),
            None => TokenStream::new(),
        }
    }

    /// Line and column, both from 1, of the first token at a location.
    pub fn line_column(&self, loc: Loc) -> Option<(usize, usize)> {
        let start = self.tokens(loc).into_iter().next()?.span().start();
        Some((start.line, start.column + 1))
    }

    /// File, line and column of the first token at a location, without the file if it is
    /// that of `near`.
    pub fn place(&self, loc: Loc, near: Loc) -> Option<String> {
        let (line, column) = self.line_column(loc)?;
        let file = self.start(loc).file();
        Some(match file == self.start(near).file() {
            true => format!("{line}:{column}"),
            false => format!("{file}:{line}:{column}"),
        })
    }

    /// The span of the first token at a location.
    pub fn start(&self, loc: Loc) -> Span {
        self.tokens(loc).into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }
}
