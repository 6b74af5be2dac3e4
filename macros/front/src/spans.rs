//! The table from [`Loc`] to the user's tokens.
//!
//! Lowering notes the syntax node of everything that it makes; only when something is
//! wrong are the node's tokens walked for their spans, so that a right kernel pays nothing.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use samebits_ir::loc::Loc;

/// The syntax nodes that locations stand for.
#[derive(Default)]
pub struct Spans<'a> {
    nodes: Vec<&'a dyn ToTokens>,
}

impl<'a> Spans<'a> {
    /// An empty table.
    pub fn new() -> Self {
        Self { nodes: Vec::new() }
    }

    /// A location for a node.
    pub fn add(&mut self, node: &'a dyn ToTokens) -> Loc {
        self.nodes.push(node);
        Loc::new(self.nodes.len() as u32 - 1)
    }

    /// The tokens at a location; none for a location that is not in the table.
    pub fn tokens(&self, loc: Loc) -> TokenStream {
        let node = loc.index().and_then(|i| self.nodes.get(i as usize));
        node.map(|node| node.to_token_stream()).unwrap_or_default()
    }

    /// Line and column, both from 1, of the first token at a location.
    pub fn line_column(&self, loc: Loc) -> Option<(usize, usize)> {
        let start = self.tokens(loc).into_iter().next()?.span().start();
        Some((start.line, start.column + 1))
    }

    /// The span of the first token at a location.
    pub fn start(&self, loc: Loc) -> Span {
        self.tokens(loc).into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }
}
