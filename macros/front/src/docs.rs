//! The documentation of kernels, helpers and methods, for rustdoc and editors, since rustc sees
//! no function.
//!
//! The documentation of a kernel or a helper goes on its type, that of public methods on the
//! implementation of their struct. So it is shown, and its examples run, once. Added lines
//! follow the user's own.

use crate::signature::{Param, ParamKind, Signature};
use crate::spell::spelled;
use proc_macro2::TokenStream;
use quote::quote;
use samebits_ir::ir::{Access, Elements};
use syn::ext::IdentExt;

/// The lines about a kernel that follow its own documentation: what it asks of a launch, and its arguments.
/// `sized` says whether the size of its workgroups is known.
pub fn of_kernel(sig: &Signature, sized: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if !docs(&sig.attrs).is_empty() {
        lines.push(String::new());
    }
    lines.push(if sized {
        format!(" A kernel with workgroups of {} invocations.", size(sig))
    } else {
        " A kernel.".to_owned()
    });
    if !sig.generics.params.is_empty() {
        let instances: Vec<String> =
            sig.instances.iter().map(|instance| format!("`{}`", instance.own.shown())).collect();
        lines.push(format!(" Its instances: {}.", instances.join("; ")));
    }
    if sig.fast_math {
        lines.push(
            " Its `f32` arithmetic depends on the device (`fast_math`): results may differ in their last bits."
                .to_owned(),
        );
    }
    lines.extend(arguments(sig, &[]));
    lines
}

/// The documentation of a kernel's `launch`.
pub fn of_launch(sig: &Signature, sized: bool) -> Vec<String> {
    let name = sig.name.unraw();
    let mut lines = vec![format!(" Queues the kernel `{name}` over a grid of invocations."), String::new()];
    let summary = summary(&sig.attrs);
    if !summary.is_empty() {
        lines.extend(summary);
        lines.push(String::new());
    }
    let groups = if sized { format!(" of {}", size(sig)) } else { String::new() };
    let grid = format!(
        " - `grid`: how many invocations, `n`, `(w, h)` or `(w, h, d)`, rounded up to whole workgroups{groups}"
    );
    lines.extend(arguments(sig, &[" - `device`: where it runs".to_owned(), grid]));
    lines
}

fn size(sig: &Signature) -> String {
    let [x, y, z] = sig.workgroup_size;
    format!("{x} × {y} × {z}")
}

/// The list of arguments, after some others, and what is required of them.
fn arguments(sig: &Signature, before: &[String]) -> Vec<String> {
    let mut lines = vec![String::new(), " Its arguments:".to_owned(), String::new()];
    lines.extend_from_slice(before);
    lines.extend(sig.params.iter().map(argument));
    if before.is_empty() && sig.params.is_empty() {
        lines.clear();
    }
    if !sig.requires.is_empty() {
        lines.extend([String::new(), " Every launch must satisfy:".to_owned(), String::new()]);
        lines.extend(sig.requires.iter().map(|required| format!(" - `{}`", required.shown())));
    }
    lines
}

fn argument(param: &Param) -> String {
    let name = param.name.unraw();
    match &param.kind {
        ParamKind::Buffer { written, elements: Elements::Distinct, .. } => {
            let ty = spelled(written);
            format!(" - `{name}: {ty}`, a buffer that it reads, of which no two elements are equal")
        }
        ParamKind::Buffer { written, elements: Elements::Below, .. } => {
            let ty = spelled(written);
            format!(" - `{name}: {ty}`, a buffer that it reads, whose elements are below a bound")
        }
        ParamKind::Buffer { written, access, .. } => {
            let of = spelled(written);
            let (ty, what) = match access {
                Access::Read => (format!("&[{of}]"), "that it reads"),
                Access::ReadWrite => (format!("&mut [{of}]"), "that it reads and writes"),
                Access::Atomic => (format!("&[{}]", of_atomics(written)), "that it changes by atomics"),
            };
            format!(" - `{name}: {ty}`, a buffer of elements {what}")
        }
        ParamKind::Scalar { written, .. } => format!(" - `{name}: {}`, a value", spelled(written)),
    }
}

/// A type of atomics, of which this is what the host sees.
fn of_atomics(written: &syn::Type) -> String {
    match written {
        syn::Type::Array(array) => format!("[{}; {}]", of_atomics(&array.elem), spelled(&array.len)),
        scalar => format!("Atomic<{}>", spelled(scalar)),
    }
}

/// The first paragraph of an item's own documentation.
fn summary(attrs: &[syn::Attribute]) -> Vec<String> {
    let text = |attr: &&syn::Attribute| match &attr.meta {
        syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) => Some(text.value()),
        _ => None,
    };
    let lines = docs(attrs);
    let lines: Vec<String> =
        lines.iter().map_while(text).flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.into_iter().take_while(|line| !line.trim().is_empty() && !line.trim().starts_with("```")).collect()
}

/// The documentation of the public methods of a struct.
pub(crate) fn of_methods(implementation: &syn::ItemImpl) -> TokenStream {
    let own = docs(&implementation.attrs);
    let methods = implementation.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) if matches!(function.vis, syn::Visibility::Public(_)) => Some(function),
        _ => None,
    });
    let methods = methods.map(|function| {
        let heading = format!("\n\n #### For kernels: `{}`\n\n", spelled(&function.sig));
        let docs = docs(&function.attrs);
        quote! { #[doc = #heading] #(#docs)* }
    });
    quote! { #(#own)* #(#methods)* }
}

/// The line about a helper that follows its own documentation.
pub(crate) fn of_function(sig: &syn::Signature) -> String {
    format!("\n\n A helper for kernels: `{}`", spelled(sig))
}

fn docs(attrs: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("doc")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;
    use syn::parse_quote;

    /// The documentation in an expansion of the items of a kind, line by line.
    fn documented(
        args: TokenStream,
        item: TokenStream,
        of: fn(&syn::Item) -> Option<&[syn::Attribute]>,
    ) -> Vec<String> {
        let file: syn::File = syn::parse2(crate::kernel::expand(args, item)).expect("items");
        let attrs = file.items.iter().find_map(of).expect("the item");
        let texts = docs(attrs).into_iter().map(|attr| match &attr.meta {
            syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Lit(literal), .. }) => match &literal.lit {
                syn::Lit::Str(text) => text.value(),
                other => panic!("{}", other.to_token_stream()),
            },
            other => panic!("{}", other.to_token_stream()),
        });
        texts.collect()
    }

    fn on_type(item: &syn::Item) -> Option<&[syn::Attribute]> {
        match item {
            syn::Item::Enum(item) if !item.ident.to_string().starts_with("__") => Some(&item.attrs),
            _ => None,
        }
    }

    fn on_launch(item: &syn::Item) -> Option<&[syn::Attribute]> {
        let syn::Item::Impl(item) = item else { return None };
        item.items.iter().find_map(|item| match item {
            syn::ImplItem::Fn(function) if function.sig.ident == "launch" => Some(&*function.attrs),
            _ => None,
        })
    }

    #[test]
    fn a_kernel_has_its_own_words_and_then_its_arguments() {
        let item = quote! {
            /// Counts.
            fn count(r#type: usize, a: Vec2<f32>, x: &[[u32; 2]], y: &mut [u32], n: &[Atomic<u32>], m: &[[Atomic<i32>; 4]]) {}
        };
        assert_eq!(
            documented(quote!(workgroup_size(8, 4)), item, on_type),
            [
                " Counts.",
                "",
                " A kernel with workgroups of 8 × 4 × 1 invocations.",
                "",
                " Its arguments:",
                "",
                " - `type: usize`, a value",
                " - `a: Vec2<f32>`, a value",
                " - `x: &[[u32; 2]]`, a buffer of elements that it reads",
                " - `y: &mut [u32]`, a buffer of elements that it reads and writes",
                " - `n: &[Atomic<u32>]`, a buffer of elements that it changes by atomics",
                " - `m: &[[Atomic<i32>; 4]]`, a buffer of elements that it changes by atomics",
            ]
        );
    }

    #[test]
    fn a_kernel_says_what_its_attribute_says() {
        let item = quote! { fn k<T: Number, const N: usize>(y: &mut [T]) { y[N] = y[0]; } };
        let lines = documented(quote!(fast_math, instances(T = [f32, u32], N = [2])), item, on_type);
        assert_eq!(lines[0], " A kernel with workgroups of 64 × 1 × 1 invocations.");
        assert_eq!(lines[1], " Its instances: `T = f32, N = 2`; `T = u32, N = 2`.");
        assert!(lines[2].contains("`fast_math`"), "{}", lines[2]);
        let lines = documented(
            quote!(workgroup_size(SIZE)),
            quote!(
                fn k() {}
            ),
            on_type,
        );
        assert_eq!(lines, [" A kernel."]);
    }

    #[test]
    fn launching_has_the_first_paragraph_and_all_arguments() {
        let item = quote! {
            /// Counts
            /// much.
            ///
            /// And tells it.
            fn count(y: &mut [u32]) { y[0] = 1; }
        };
        let lines = documented(quote!(workgroup_size(32)), item, on_launch);
        assert_eq!(lines[..4], [" Queues the kernel `count` over a grid of invocations.", "", " Counts", " much."]);
        assert_eq!(lines[lines.len() - 3], " - `device`: where it runs");
        assert!(lines[lines.len() - 2].ends_with("rounded up to whole workgroups of 32 × 1 × 1"), "{lines:?}");
        assert_eq!(lines[lines.len() - 1], " - `y: &mut [u32]`, a buffer of elements that it reads and writes");
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
