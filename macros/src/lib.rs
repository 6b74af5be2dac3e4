//! The attribute `#[kernel]`; see the crate `samebits` for what it does.

use proc_macro::TokenStream;

/// Compiles a function for every device and replaces it by its typed launcher.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    samebits_front::expand(args.into(), item.into()).into()
}
