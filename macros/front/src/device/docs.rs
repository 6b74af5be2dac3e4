//! What rustdoc is told of helpers and methods, of which rustc sees no function.
//!
//! The documentation of a helper stands on its type, that of the public methods on the
//! implementation of their struct, so that both are shown and the examples in them run.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The documentation of the public methods of a struct.
pub(super) fn of_methods(implementation: &syn::ItemImpl) -> TokenStream {
    let own = docs(&implementation.attrs);
    let methods = implementation.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) if matches!(function.vis, syn::Visibility::Public(_)) => Some(function),
        _ => None,
    });
    let methods = methods.map(|function| {
        let heading = format!("\n\n #### For kernels: `{}`\n\n", written(&function.sig));
        let docs = docs(&function.attrs);
        quote! { #[doc = #heading] #(#docs)* }
    });
    quote! { #(#own)* #(#methods)* }
}

/// The line about a helper that follows its own documentation.
pub(super) fn of_function(sig: &syn::Signature) -> String {
    format!("\n\n A helper for kernels: `{}`", written(sig))
}

fn docs(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("doc")).collect()
}

/// A signature as rustfmt would write it, more or less: tokens have lost their spaces.
fn written(sig: &syn::Signature) -> String {
    const SPACES: [(&str, &str); 15] = [
        ("\n", " "),
        (" :: ", "::"),
        (" : ", ": "),
        (" < ", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" ;", ";"),
        (" )", ")"),
        ("& ", "&"),
        (" (", "("),
        ("->(", "-> ("),
        (":(", ": ("),
        (",(", ", ("),
        ("' ", "'"),
    ];
    let text = sig.to_token_stream().to_string();
    SPACES.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn signatures_are_written_as_rustfmt_does() {
        let sig = |text: &str| written(&syn::parse_str(text).expect("a signature"));
        for text in [
            "fn lerp<T: Float>(a: T, b: T, t: T) -> T",
            "fn refract(direction: Vec3<f32>, ratio: f32) -> (Vec3<f32>, bool)",
            "fn fold<const N: usize>(&mut self, a: &[u32; N], f: impl Fn(u32, u32) -> u32) -> u32",
            "fn bounds(at: math::Quat, low: (f32, f32), count: &Atomic<u32>)",
        ] {
            assert_eq!(sig(text), text);
        }
    }

    #[test]
    fn public_methods_are_documented_and_others_are_not() {
        let implementation = parse_quote! {
            impl Ray {
                /// Where it is.
                pub fn at(&self, t: f32) -> Vec3<f32> {}
                /// A detail.
                fn hidden(self) {}
            }
        };
        let docs = of_methods(&implementation).to_string();
        assert!(docs.contains("`fn at(&self, t: f32) -> Vec3<f32>`") && docs.contains("Where it is."), "{docs}");
        assert!(!docs.contains("hidden") && !docs.contains("A detail."), "{docs}");
    }
}
