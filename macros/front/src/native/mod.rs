//! A kernel as code for the machine that the user's program is compiled for.
//!
//! The code stands in an expansion of its own, which rustc asks for only where it is wanted: a build with debug
//! assertions never does, so that checking and debugging a program costs nothing for it. The macro is given the
//! kernel as it was written, in wire form, and not the user's tokens. So the whole code has spans of the macro:
//! lints of the user's crate do not look into it, and it may contain `unsafe` where the user forbids that.

#[cfg(feature = "native")]
mod code;

#[cfg(feature = "native")]
pub use code::expand;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The items that say what native code a kernel has: a constant `NATIVE`.
pub fn constant(krate: &syn::Path, image: &Literal, locations: &Literal) -> TokenStream {
    if !cfg!(feature = "native") {
        let why = "samebits was built without its feature `native`";
        return quote!(const NATIVE: #krate::__private::native::Found = ::core::result::Result::Err(#why););
    }
    quote! {
        #[cfg(all(not(debug_assertions), target_pointer_width = "64", target_endian = "little"))]
        const NATIVE: #krate::__private::native::Found = #krate::__private::native_code!(#krate, #image, #locations);
        #[cfg(not(all(not(debug_assertions), target_pointer_width = "64", target_endian = "little")))]
        const NATIVE: #krate::__private::native::Found = #krate::__private::native::NOT_IN_THIS_BUILD;
    }
}
