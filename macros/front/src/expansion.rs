//! What stands in an item's place once it is expanded.

use proc_macro2::TokenStream;

/// The parts of an expansion, in their order.
#[derive(Default)]
pub struct Expansion {
    /// What is wrong with the item.
    pub errors: TokenStream,
    /// What editors look into.
    pub shell: TokenStream,
    /// What stands for the item in the program, as far as its own tokens tell.
    pub head: TokenStream,
    /// What needs the facts of all that it names; if there are any, the first hop to them.
    pub rest: TokenStream,
}

impl From<Expansion> for TokenStream {
    fn from(Expansion { errors, shell, head, rest }: Expansion) -> Self {
        [errors, shell, head, rest].into_iter().collect()
    }
}
