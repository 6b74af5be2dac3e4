//! Syntax that lowering makes of what is written, which lives as long as the facts do.

use std::cell::OnceCell;

/// Expressions, each of which stays where it is.
#[derive(Default)]
pub struct Kept {
    first: OnceCell<Box<(syn::Expr, Kept)>>,
}

impl Kept {
    /// Keeps an expression.
    pub fn keep(&self, expr: syn::Expr) -> &syn::Expr {
        let mut end = self;
        while let Some(link) = end.first.get() {
            end = &link.1;
        }
        &end.first.get_or_init(|| Box::new((expr, Self::default()))).0
    }
}

impl Drop for Kept {
    // One by one, since a long list dropped from its head would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut link) = next {
            next = link.1.first.take();
        }
    }
}
