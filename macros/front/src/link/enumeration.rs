//! What the declaration of an enum says: the type of its discriminants and their values, or the fields of its variants.

use crate::infer::{Case, CaseForm, Field, Ty, Variant};
use crate::names::{Names, NoNames};
use crate::report::Refused;
use crate::syntax;
use crate::types;
use crate::types::integer;
use proc_macro2::TokenStream;
use quote::ToTokens;
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

/// A mistake, with its tokens.
pub type Wrong = (TokenStream, Refused);

/// Whether a variant has fields, so that the enum is a value in kernels alone.
pub fn has_fields(item: &syn::ItemEnum) -> bool {
    item.variants.iter().any(|variant| !matches!(variant.fields, syn::Fields::Unit))
}

/// The variants of an enum with fields, or why kernels cannot have it.
pub fn cases(item: &syn::ItemEnum, names: &dyn Names) -> Result<Vec<Case>, Wrong> {
    let wrong = |node: &dyn ToTokens, refused: Refused| Err((node.to_token_stream(), refused));
    let mut cases = Vec::new();
    for variant in &item.variants {
        if let Some((_, value)) = &variant.discriminant {
            let refused = Refused::new(Code::V207, "a variant of an enum with fields cannot have a discriminant");
            return wrong(value, refused.help("remove it: kernels number the variants themselves"));
        }
        let form = match &variant.fields {
            syn::Fields::Unit => CaseForm::Unit,
            syn::Fields::Unnamed(_) => CaseForm::Tuple,
            syn::Fields::Named(_) => CaseForm::Named,
        };
        let mut fields = Vec::new();
        for (member, field) in variant.fields.members().zip(&variant.fields) {
            let ty = match types::read(&field.ty, names) {
                Ok(ty) if matches!(ty, Ty::Slice(_) | Ty::Ids(_)) || ty.has_atomics() => {
                    let refused = Refused::new(Code::V207, "a field of a variant must be a value");
                    return wrong(&field.ty, refused.help("keep an index instead"));
                }
                Ok(ty) => ty,
                Err(refused) => return wrong(&field.ty, Refused { code: Code::V207, ..refused }),
            };
            fields.push(Field { name: syntax::member(&member), ty, public: true });
        }
        cases.push(Case { name: syntax::plain(&variant.ident), form, fields });
    }
    Ok(cases)
}

/// The type of the discriminants and the variants, or why kernels cannot have the enum.
pub fn read(item: &syn::ItemEnum) -> Result<(Scalar, Vec<Variant>), Wrong> {
    let refuse = |node: &dyn ToTokens, message: &str, help: &str| {
        Err((node.to_token_stream(), Refused::new(Code::V207, message).help(help)))
    };
    if !item.generics.params.is_empty() {
        return refuse(&item.generics, "an enum without fields cannot be generic", "remove the parameters");
    }
    let Some(tag) = item.attrs.iter().find_map(repr) else {
        let message = format!("`{}` needs `#[repr(u32)]`, or another integer of 8 to 64 bits", item.ident);
        return refuse(&item.ident, &message, "add it: without it, Rust may choose any size");
    };
    let (low, high) = tag.limits();
    let mut variants: Vec<Variant> = Vec::new();
    for variant in &item.variants {
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
