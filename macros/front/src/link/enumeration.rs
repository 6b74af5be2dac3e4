//! What the declaration of an enum says: the type of its discriminants and their values.

use crate::infer::Variant;
use crate::names::NoNames;
use crate::report::Refused;
use crate::syntax;
use crate::types::integer;
use proc_macro2::TokenStream;
use quote::ToTokens;
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

/// A mistake, with its tokens.
pub type Wrong = (TokenStream, Refused);

/// The type of the discriminants and the variants, or why kernels cannot have the enum.
pub fn read(item: &syn::ItemEnum) -> Result<(Scalar, Vec<Variant>), Wrong> {
    let refuse = |node: &dyn ToTokens, message: &str, help: &str| {
        Err((node.to_token_stream(), Refused::new(Code::V207, message).help(help)))
    };
    if !item.generics.params.is_empty() {
        return refuse(&item.generics, "an enum in kernels cannot be generic", "write an enum for each type");
    }
    let Some(tag) = item.attrs.iter().find_map(repr) else {
        let message = format!("`{}` needs `#[repr(u32)]`, or another integer of 8 to 64 bits", item.ident);
        return refuse(&item.ident, &message, "add it: without it, Rust may choose any size");
    };
    let (low, high) = tag.limits();
    let mut variants: Vec<Variant> = Vec::new();
    for variant in &item.variants {
        if !matches!(variant.fields, syn::Fields::Unit) {
            let help = "use a struct, with an enum that says which case it is";
            return refuse(variant, "a variant with fields cannot be in memory", help);
        }
        let value = match &variant.discriminant {
            None => variants.last().map_or(0, |last| last.value + 1),
            Some((_, expr)) => match integer::evaluate(expr, &NoNames) {
                Some(known) => known.value,
                None => return refuse(expr, "a discriminant must be a literal here", "write the number"),
            },
        };
        if !(low..=high).contains(&value) {
            // rustc says so.
            let message = format!("`{value}` does not fit `{}`", tag.name());
            return refuse(variant, &message, "use a larger `repr`");
        }
        variants.push(Variant { name: syntax::plain(&variant.ident), value });
    }
    if !variants.iter().any(|variant| variant.value == 0) {
        let help = "give one the discriminant 0: new memory is zero, and unknown values read as it";
        return refuse(&item.ident, "an element needs a variant of value 0", help);
    }
    Ok((tag, variants))
}

/// The integer that a `repr` names.
fn repr(attr: &syn::Attribute) -> Option<Scalar> {
    if !attr.path().is_ident("repr") {
        return None;
    }
    let mut found = None;
    // What rustc does not accept either is its error.
    let _ = attr.parse_nested_meta(|meta| {
        found = Scalar::from_name(&meta.path.to_token_stream().to_string()).filter(|scalar| scalar.is_int()).or(found);
        Ok(())
    });
    found
}
