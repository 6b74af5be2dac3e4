//! Type and constant parameters of helpers and kernels.

use crate::class::{Calls, Class};
use crate::infer::{GenericArg, Ty};
use crate::syntax::{self, parenthesized, peel_type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// The length for which a helper with a constant parameter is checked, and the value of a trait's `usize` there.
pub const CHECKED_LENGTH: i128 = 4;

/// A parameter between the angle brackets.
#[derive(Clone)]
pub enum Parameter {
    /// `T: Float`
    Type {
        /// The name.
        name: String,
        /// The class; nothing if the bounds name none.
        class: Option<Class>,
        /// The traits among the bounds.
        traits: Vec<syn::Path>,
    },
    /// `const N: usize`
    Const {
        /// The name.
        name: String,
    },
    /// `F: Fn(f32) -> f32`
    Function {
        /// The name.
        name: String,
    },
    /// What a helper cannot have, as written.
    Wrong(String),
}

impl Parameter {
    /// Its name, or what is written.
    pub fn name(&self) -> String {
        match self {
            Self::Type { name, .. } | Self::Const { name } | Self::Function { name } | Self::Wrong(name) => {
                name.clone()
            }
        }
    }
}

/// The parameters of an implementation in the order in which they are the arguments of its struct; `None` if not all
/// are, or others are as well, so that it is not for all types of the struct.
pub fn of_self(implementation: &syn::ItemImpl) -> Option<Vec<String>> {
    let syn::Type::Path(path) = peel_type(&implementation.self_ty) else { return None };
    let given: Vec<String> = match &path.path.segments.last()?.arguments {
        syn::PathArguments::None => Vec::new(),
        syn::PathArguments::AngleBracketed(list) => list
            .args
            .iter()
            .map(|argument| match argument {
                syn::GenericArgument::Type(syn::Type::Path(path)) => syntax::name(&path.path),
                _ => None,
            })
            .collect::<Option<_>>()?,
        syn::PathArguments::Parenthesized(_) => return None,
    };
    let declared: Vec<String> = parameters(&implementation.generics).iter().map(Parameter::name).collect();
    let each = declared.iter().all(|name| given.iter().filter(|other| *other == name).count() == 1);
    (each && declared.len() == given.len()).then_some(given)
}

/// How a parameter takes its argument, by the way its type is written.
#[derive(Clone, Copy)]
pub enum Takes<'a> {
    /// By value.
    Value(&'a syn::Type),
    /// `&T` or `&mut T`.
    Reference(&'a syn::TypeReference),
    /// A function, with the types between the parentheses and after the arrow.
    Function(&'a syn::ParenthesizedGenericArguments, Calls),
}

/// The parameters of a function.
pub fn parameters(generics: &syn::Generics) -> Vec<Parameter> {
    let read = |param: &syn::GenericParam| match param {
        syn::GenericParam::Type(ty) => {
            let name = ty.ident.unraw().to_string();
            let bounds: Vec<&syn::TypeParamBound> = bounds(generics, &name).collect();
            if bounds.iter().any(|bound| signature(bound).is_some()) {
                return Parameter::Function { name };
            }
            let classes: Vec<Class> = bounds.iter().filter_map(|bound| class(bound)).collect();
            let traits: Vec<syn::Path> = bounds.iter().filter_map(|bound| of_trait(bound)).cloned().collect();
            let operators: Vec<Class> = bounds.iter().filter_map(|bound| of_operator(bound, &name)).collect();
            let known = |b: &&syn::TypeParamBound| {
                class(b).is_some() || of_trait(b).is_some() || is_copy(b) || of_operator(b, &name).is_some()
            };
            let known = bounds.iter().all(known);
            // Types that have operators are numbers, and integers if bits are among those.
            let of = operators.into_iter().reduce(|a, b| if a == Class::Number { b } else { a });
            let class = match (classes.as_slice(), of) {
                ([], of) => Some(of),
                ([class], None) => Some(Some(*class)),
                ([class], Some(of)) => narrower(*class, of).map(Some),
                _ => None,
            };
            match class {
                Some(class) if known && (class.is_some() || !traits.is_empty()) => {
                    Parameter::Type { name, class, traits }
                }
                _ => Parameter::Wrong(name),
            }
        }
        syn::GenericParam::Const(value) if peel_type(&value.ty).to_token_stream().to_string() == "usize" => {
            Parameter::Const { name: value.ident.unraw().to_string() }
        }
        other => Parameter::Wrong(other.to_token_stream().to_string()),
    };
    generics.params.iter().map(read).collect()
}

/// The first bound of a type parameter that kernels do not know, as it is written.
pub fn unknown_bound(generics: &syn::Generics, name: &Ident) -> Option<String> {
    let name = name.unraw().to_string();
    let known = |bound: &&syn::TypeParamBound| {
        let of_kernels = class(bound).is_some() || of_trait(bound).is_some() || is_copy(bound);
        of_kernels || signature(bound).is_some() || of_operator(bound, &name).is_some()
    };
    let unknown = bounds(generics, &name).find(|bound| !known(bound))?;
    Some(crate::spell::spelled(unknown))
}

/// The bounds of a type parameter, where it stands and in the `where` clause.
fn bounds<'a>(generics: &'a syn::Generics, name: &str) -> impl Iterator<Item = &'a syn::TypeParamBound> {
    let name = name.to_owned();
    let own = name.clone();
    let inline = generics.params.iter().filter_map(move |param| match param {
        syn::GenericParam::Type(ty) if ty.ident.unraw() == own => Some(&ty.bounds),
        _ => None,
    });
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let outside = clauses.filter_map(move |predicate| match predicate {
        syn::WherePredicate::Type(ty) if is_name(&ty.bounded_ty, &name) => Some(&ty.bounds),
        _ => None,
    });
    inline.chain(outside).flatten()
}

fn is_name(ty: &syn::Type, name: &str) -> bool {
    match peel_type(ty) {
        syn::Type::Path(path) => path.path.get_ident().is_some_and(|ident| ident.unraw() == name),
        _ => false,
    }
}

fn bound_name(bound: &syn::TypeParamBound) -> Option<&syn::PathSegment> {
    match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    }
}

fn class(bound: &syn::TypeParamBound) -> Option<Class> {
    Class::from_name(&bound_name(bound)?.ident.to_string())
}

/// The class of types that have the operator of a bound on a parameter, such as `Add<Output = T>`: numbers or integers.
fn of_operator(bound: &syn::TypeParamBound, parameter: &str) -> Option<Class> {
    let segment = bound_name(bound)?;
    let name = segment.ident.to_string();
    let (class, gives) = match &*name {
        "Add" | "Sub" | "Mul" | "Div" | "Rem" => (Class::Number, true),
        "AddAssign" | "SubAssign" | "MulAssign" | "DivAssign" | "RemAssign" => (Class::Number, false),
        "PartialEq" | "PartialOrd" => (Class::Number, false),
        "BitAnd" | "BitOr" | "BitXor" | "Not" => (Class::Int, true),
        "BitAndAssign" | "BitOrAssign" | "BitXorAssign" => (Class::Int, false),
        _ => return None,
    };
    let mut output = false;
    match &segment.arguments {
        syn::PathArguments::None => {}
        syn::PathArguments::AngleBracketed(list) => {
            for argument in &list.args {
                match argument {
                    syn::GenericArgument::Type(ty) if is_parameter(ty, parameter) && name != "Not" => {}
                    syn::GenericArgument::AssocType(of) if of.ident == "Output" && is_parameter(&of.ty, parameter) => {
                        output = true;
                    }
                    _ => return None,
                }
            }
        }
        syn::PathArguments::Parenthesized(_) => return None,
    }
    (output == gives).then_some(class)
}

/// Whether a type in a bound of a parameter is the parameter.
fn is_parameter(ty: &syn::Type, parameter: &str) -> bool {
    is_name(ty, parameter) || is_name(ty, "Self")
}

/// The types of a class that a bound names which have the operators of another one.
fn narrower(named: Class, operators: Class) -> Option<Class> {
    match (named, operators) {
        (Class::Element, of) => Some(of),
        (Class::Number, Class::Int) => Some(Class::Int),
        (Class::Float, Class::Int) => None,
        (named, _) => Some(named),
    }
}

/// Whether a bound says what is so of every type in a kernel.
pub fn is_copy(bound: &syn::TypeParamBound) -> bool {
    bound_name(bound).is_some_and(|segment| ["Copy", "Clone", "Sized"].iter().any(|name| segment.ident == name))
}

/// Traits of std whose names nobody gives to a trait of kernels.
const OF_STD: [&str; 28] = [
    "Add",
    "AddAssign",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Debug",
    "Default",
    "Display",
    "Div",
    "DivAssign",
    "Eq",
    "From",
    "Hash",
    "Into",
    "Iterator",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Rem",
    "Send",
    "Shl",
    "Shr",
    "Sub",
    "Sync",
];

/// The path of a bound that may be a trait with `#[device]`.
pub fn of_trait(bound: &syn::TypeParamBound) -> Option<&syn::Path> {
    let syn::TypeParamBound::Trait(of) = bound else { return None };
    let plain = of.lifetimes.is_none() && matches!(of.modifier, syn::TraitBoundModifier::None);
    let known = class(bound).is_some() || is_copy(bound);
    let name = bound_name(bound)?.ident.to_string();
    (plain && !known && syntax::is_bare(&of.path) && !OF_STD.contains(&&*name)).then_some(&of.path)
}

/// The bound by which the functions of a trait of this name are there for kernels only: to editors every type has it
/// that has the trait, and to rustc none.
pub fn on_device(krate: &syn::Path, name: &str) -> syn::TypeParamBound {
    // Traits differ by a number, so that a type can have several.
    let number = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    syn::parse_quote!(#krate::__private::OnDevice<#number>)
}

/// The signature in a bound such as `Fn(f32) -> f32`.
fn signature(bound: &syn::TypeParamBound) -> Option<(&syn::ParenthesizedGenericArguments, Calls)> {
    let segment = bound_name(bound)?;
    let known = [("Fn", Calls::Shared), ("FnMut", Calls::Mutable), ("FnOnce", Calls::Once)];
    let (_, calls) = known.into_iter().find(|(name, _)| segment.ident == name)?;
    match &segment.arguments {
        syn::PathArguments::Parenthesized(signature) => Some((signature, calls)),
        _ => None,
    }
}

/// An item that shows rustc the types of a signature that nothing else in the expansion names, and
/// the classes that bounds name: so their imports are used, and the classes are those of samebits.
pub fn demanded<'t>(
    generics: &syn::Generics,
    types: impl Iterator<Item = &'t syn::Type>,
    krate: &syn::Path,
) -> TokenStream {
    let read = parameters(generics);
    let kept = generics.params.iter().zip(&read).filter_map(|(param, read)| match (param, read) {
        (syn::GenericParam::Type(param), Parameter::Type { name, .. }) => {
            let (ident, of) = (&param.ident, bounds(generics, name));
            let known = bounds(generics, name).find_map(class).map(|class| {
                let class = Ident::new(class.name(), Span::mixed_site());
                quote!({ fn known<T: #krate::#class>() {} known::<#ident>(); })
            });
            Some((quote!(#ident: #(#of)+*), known.unwrap_or_default()))
        }
        (syn::GenericParam::Const(param), Parameter::Const { .. }) => Some((quote!(#param), TokenStream::new())),
        _ => None,
    });
    let (params, known): (Vec<TokenStream>, Vec<TokenStream>) = kept.unzip();
    let types: Vec<TokenStream> = types.map(|ty| parenthesized(ty.to_token_stream())).collect();
    if params.is_empty() && types.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[allow(unused, deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            fn demanded<#(#params),*>() {
                #(#known)*
                #(let _: #types;)*
            }
        };
    }
}

/// The types in a helper's signature, where no function stands.
pub fn written(sig: &syn::Signature) -> Vec<&syn::Type> {
    let mut found = Vec::new();
    for input in &sig.inputs {
        let syn::FnArg::Typed(typed) = input else { continue };
        match takes(&typed.ty, sig) {
            Takes::Function(signature, _) => of_function(signature, &mut found),
            Takes::Value(_) | Takes::Reference(_) => found.push(&*typed.ty),
        }
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        found.push(&**ty);
    }
    found
}

fn of_function<'a>(signature: &'a syn::ParenthesizedGenericArguments, found: &mut Vec<&'a syn::Type>) {
    found.extend(&signature.inputs);
    if let syn::ReturnType::Type(_, ty) = &signature.output {
        found.push(&**ty);
    }
}

/// How a parameter of this type takes its argument.
pub fn takes<'a>(ty: &'a syn::Type, sig: &'a syn::Signature) -> Takes<'a> {
    match peel_type(ty) {
        syn::Type::Reference(reference) => match takes(&reference.elem, sig) {
            function @ Takes::Function(..) => function,
            _ => Takes::Reference(reference),
        },
        // No `dyn Fn`: what rustc makes of such an argument a kernel has not.
        syn::Type::ImplTrait(syn::TypeImplTrait { bounds, .. }) => {
            bounds.iter().find_map(signature).map_or(Takes::Value(ty), of_bound)
        }
        syn::Type::Path(path) => {
            let name = syntax::name(&path.path).unwrap_or_default();
            bounds(&sig.generics, &name).find_map(signature).map_or(Takes::Value(ty), of_bound)
        }
        _ => Takes::Value(ty),
    }
}

fn of_bound((signature, calls): (&syn::ParenthesizedGenericArguments, Calls)) -> Takes<'_> {
    Takes::Function(signature, calls)
}

/// How a closure's parameter takes its argument, if it does not take a value.
pub fn takes_reference(ty: &syn::Type) -> Option<Takes<'_>> {
    match peel_type(ty) {
        syn::Type::Reference(reference) => Some(Takes::Reference(reference)),
        _ => None,
    }
}

/// What a constant parameter is if an argument of the type `found` is passed for `written`.
pub fn length(written: &syn::Type, found: &Ty, name: &str) -> Option<i128> {
    match (peel_type(written), found) {
        // A generic type: by the place of the parameter among the arguments.
        (syn::Type::Path(path), found) if !found.arguments().is_empty() => {
            let syn::PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else { return None };
            list.args.iter().zip(found.arguments()).find_map(|(written, arg)| match (written, arg) {
                (syn::GenericArgument::Type(syn::Type::Path(path)), GenericArg::Len(len)) => {
                    path.path.get_ident().filter(|ident| ident.unraw() == name).map(|_| i128::from(*len))
                }
                (syn::GenericArgument::Const(value), GenericArg::Len(len)) => {
                    peel_length(value).filter(|ident| ident.unraw() == name).map(|_| i128::from(*len))
                }
                (syn::GenericArgument::Type(written), GenericArg::Ty(ty)) => length(written, ty, name),
                _ => None,
            })
        }
        (syn::Type::Array(array), Ty::Array(element, len)) => match peel_length(&array.len) {
            Some(ident) if ident.unraw() == name => Some(i128::from(*len)),
            _ => length(&array.elem, element, name),
        },
        (syn::Type::Slice(slice), Ty::Slice(element) | Ty::Array(element, _)) => length(&slice.elem, element, name),
        (syn::Type::Tuple(tuple), Ty::Tuple(parts)) => {
            tuple.elems.iter().zip(parts).find_map(|(ty, part)| length(ty, part, name))
        }
        _ => None,
    }
}

fn peel_length(len: &syn::Expr) -> Option<&Ident> {
    match len {
        syn::Expr::Path(path) => path.path.get_ident(),
        syn::Expr::Paren(paren) => peel_length(&paren.expr),
        syn::Expr::Group(group) => peel_length(&group.expr),
        syn::Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => peel_length(value),
            _ => None,
        },
        _ => None,
    }
}
