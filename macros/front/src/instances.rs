//! `#[kernel(instances(T = [f32, u32], N = [4, 8]))]`: what a generic kernel is compiled for.

use crate::class::Class;
use crate::generics::{self, Parameter};
use crate::infer::Ty;
use crate::known::Kind;
use crate::link::refs;
use crate::names;
use crate::names::Names;
use crate::report::Reporter;
use crate::requires;
use crate::signature::Instance;
use crate::syntax;
use crate::types;
use crate::types::integer;
use proc_macro2::TokenStream;
use quote::ToTokens;
use samebits_ir::diag::{Code, Diag};
use syn::ext::IdentExt;

/// The most instances of a generic kernel.
pub(crate) const MAX_INSTANCES: usize = 64;

/// The instances that the attribute lists for a generic kernel; one without anything for a kernel
/// that is not generic. Where they are wrong there is one whose types are unknown.
pub fn listed<'a>(
    args: &'a [syn::Meta],
    item: &'a syn::ItemFn,
    names: &dyn Names,
    reporter: &mut Reporter<'a>,
) -> Vec<Instance> {
    match read(args, item, names, reporter) {
        Ok(instances) => instances,
        Err(diag) => {
            reporter.report(diag);
            vec![unknown(&item.sig.generics)]
        }
    }
}

/// An instance about which nothing is known, so that nothing in the body is reported.
fn unknown(generics: &syn::Generics) -> Instance {
    let mut instance = Instance::default();
    for param in &generics.params {
        match param {
            syn::GenericParam::Type(ty) => instance.own.types.push((ty.ident.unraw().to_string(), Ty::Error)),
            syn::GenericParam::Const(value) if matches!(types::read(&value.ty, &names::NoNames), Ok(Ty::Usize)) => {
                instance.own.lengths.push((value.ident.unraw().to_string(), 1));
            }
            syn::GenericParam::Const(_) | syn::GenericParam::Lifetime(_) => {}
        }
    }
    instance
}

fn read<'a>(
    args: &'a [syn::Meta],
    item: &'a syn::ItemFn,
    names: &dyn Names,
    reporter: &mut Reporter<'a>,
) -> Result<Vec<Instance>, Diag> {
    let list = args.iter().find_map(|arg| match arg {
        syn::Meta::List(list) if list.path.is_ident("instances") => Some(list),
        _ => None,
    });
    let of = &item.sig.generics;
    let parameters: Vec<&syn::GenericParam> =
        of.params.iter().filter(|param| !matches!(param, syn::GenericParam::Lifetime(_))).collect();
    let mut refuse = |node: &'a dyn ToTokens, message: String, help: &str| {
        Diag::new(Code::V101, reporter.loc(node), message).help(help)
    };
    let example = &*example(of);
    let Some(list) = list else {
        return if parameters.is_empty() {
            Ok(vec![Instance::default()])
        } else {
            Err(refuse(of, "a generic kernel must list its instances".to_owned(), example))
        };
    };
    let Ok(given) = syntax::separated::<Listed>(list.tokens.clone()) else {
        return Err(refuse(&list.tokens, "`instances` needs a list for each parameter".to_owned(), example));
    };
    if let Some(wrong) = given.iter().find(|listed| !parameters.iter().any(|param| is_param(param, &listed.name))) {
        return Err(refuse(&list.tokens, format!("the kernel has no parameter `{}`", wrong.name), example));
    }
    let mut instances = vec![Instance::default()];
    let kinds = generics::parameters(of);
    let kinds = kinds.iter().zip(&of.params).filter(|(_, param)| !matches!(param, syn::GenericParam::Lifetime(_)));
    for (kind, param) in kinds {
        let Some(listed) = given.iter().find(|listed| is_param(param, &listed.name)) else {
            return Err(refuse(param, "`instances` does not list this parameter".to_owned(), example));
        };
        if let (syn::GenericParam::Const(_), Parameter::Wrong(_)) = (param, kind) {
            let message = "a constant parameter of a kernel must be a `usize`".to_owned();
            let diag = refuse(param, message, "write `const N: usize`");
            return Err(Diag { code: Code::V102, ..diag });
        }
        if let Some(twice) = twice(&listed.values) {
            let message = format!("`{twice}` is listed twice for `{}`", listed.name);
            return Err(refuse(&list.tokens, message, "list each type and each constant once"));
        }
        let name = listed.name.unraw().to_string();
        let mut next = Vec::new();
        for instance in &instances {
            for value in &listed.values {
                let mut instance: Instance = instance.clone();
                instance.arguments.push(value.clone());
                match param {
                    syn::GenericParam::Const(_) => {
                        let known = syn::parse2::<syn::Expr>(value.clone()).ok();
                        let Some(known) = known.and_then(|expr| integer::evaluate(&expr, names)?.typed(Kind::Usize))
                        else {
                            let message = format!("`{value}` is not a number that is known here");
                            return Err(refuse(&list.tokens, message, "write literals or `#[device]` constants"));
                        };
                        instance.own.lengths.push((name.clone(), known.value));
                    }
                    _ => {
                        let ty = syn::parse2::<syn::Type>(value.clone()).ok().map(|ty| types::read(&ty, names));
                        // What has traits need not be in buffers.
                        let by_traits = matches!(kind, Parameter::Type { class: None, .. });
                        let fits = |ty: &Ty| by_traits || Class::Element.contains(ty) || *ty == Ty::Error;
                        let Some(Ok(ty)) = ty.filter(|ty| matches!(ty, Ok(ty) if fits(ty))) else {
                            let message = format!("`{value}` is not a type that a buffer can hold");
                            return Err(refuse(&list.tokens, message, example));
                        };
                        if let Parameter::Type { class: Some(class), .. } = kind
                            && !class.contains(&ty)
                            && !ty.is_unknown()
                        {
                            let message = format!("`{name}` must be a `{}`, but `{value}` is not", class.name());
                            let diag = refuse(&list.tokens, message, "list only types that have this bound");
                            return Err(Diag { code: Code::V205, ..diag });
                        }
                        let traits = if let Parameter::Type { traits, .. } = kind { &traits[..] } else { &[] };
                        let mut ids = Vec::new();
                        for path in traits {
                            // What is no trait is reported with the signature.
                            let Some((id, has)) = names.has_trait(path, &ty) else { continue };
                            if !has && !ty.is_unknown() {
                                let shown = syntax::spelled_path(path);
                                let message = format!("`{name}` must be a `{shown}`, but `{value}` is not");
                                let diag = refuse(&list.tokens, message, "list only types that have this bound");
                                return Err(Diag { code: Code::V205, ..diag });
                            }
                            ids.push(id);
                        }
                        if !ids.is_empty() {
                            instance.own.bounds.push((name.clone(), ids));
                        }
                        instance.own.types.push((name.clone(), ty));
                    }
                }
                next.push(instance);
            }
        }
        instances = next;
        if instances.is_empty() || instances.len() > MAX_INSTANCES {
            let message = format!("a kernel has 1 to {MAX_INSTANCES} instances, but this has {}", instances.len());
            return Err(refuse(&list.tokens, message, "list fewer types or constants"));
        }
    }
    Ok(instances)
}

/// A list of instances that fits the parameters of a kernel, as a help shows it.
fn example(generics: &syn::Generics) -> String {
    let read = generics::parameters(generics);
    let listed = generics.params.iter().zip(&read).filter_map(|(param, kind)| match (param, kind) {
        (syn::GenericParam::Lifetime(_), _) => None,
        (syn::GenericParam::Const(value), _) => Some(format!("{} = [4, 8]", value.ident.unraw())),
        (syn::GenericParam::Type(ty), kind) => {
            let types = match kind {
                Parameter::Type { class: Some(Class::Float), .. } => "f32",
                Parameter::Type { class: Some(Class::Int), .. } => "i32, u32",
                Parameter::Type { class: Some(Class::Signed), .. } => "i32, i64",
                Parameter::Type { class: Some(Class::Unsigned), .. } => "u32, u64",
                _ => "f32, u32",
            };
            Some(format!("{} = [{types}]", ty.ident.unraw()))
        }
    });
    let listed: Vec<String> = listed.collect();
    if listed.is_empty() {
        "remove `instances(…)`: the kernel has no parameters in `<…>`".to_owned()
    } else {
        format!("write `#[kernel(instances({}))]`", listed.join(", "))
    }
}

/// The first value that is listed a second time.
fn twice(values: &[TokenStream]) -> Option<String> {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.iter().enumerate().find(|(i, text)| texts[..*i].contains(text)).map(|(_, text)| text.clone())
}

fn is_param(param: &syn::GenericParam, name: &syn::Ident) -> bool {
    match param {
        syn::GenericParam::Type(ty) => ty.ident == *name,
        syn::GenericParam::Const(value) => value.ident == *name,
        syn::GenericParam::Lifetime(_) => false,
    }
}

/// `T = [f32, u32]`
struct Listed {
    name: syn::Ident,
    values: Vec<TokenStream>,
}

impl syn::parse::Parse for Listed {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<syn::Token![=]>()?;
        let values;
        syn::bracketed!(values in input);
        let mut list = Vec::new();
        while !values.is_empty() {
            list.push(value(&values)?);
            if !values.is_empty() {
                values.parse::<syn::Token![,]>()?;
            }
        }
        Ok(Self { name, values: list })
    }
}

/// A value of a list. Constants are among types here: which are meant, the parameter tells.
fn value(values: syn::parse::ParseStream<'_>) -> syn::Result<TokenStream> {
    let ahead = values.fork();
    let argument = ahead.parse::<syn::GenericArgument>();
    let ends = ahead.is_empty() || ahead.peek(syn::Token![,]);
    if let (Ok(argument), true) = (argument, ends) {
        syn::parse::discouraged::Speculative::advance_to(values, &ahead);
        return Ok(argument.to_token_stream());
    }
    // Unlike between angle brackets, `2 * N` needs no braces here.
    values.parse::<syn::Expr>().map(ToTokens::into_token_stream)
}

/// The constants and structs that a value of a list names.
fn named_by_value(value: &TokenStream) -> Vec<syn::Path> {
    match syn::parse2::<syn::Type>(value.clone()) {
        Ok(ty) => refs::of_type(&ty),
        Err(_) => syn::parse2(value.clone()).map(|expr| refs::of_length(&expr)).unwrap_or_default(),
    }
}

/// The paths in an attribute's arguments that may name structs and constants.
pub fn named_by_arguments(args: &[syn::Meta], sig: &syn::Signature) -> Vec<syn::Path> {
    let mut paths = Vec::new();
    for arg in args {
        let syn::Meta::List(list) = arg else { continue };
        if list.path.is_ident("workgroup_size") {
            let sizes: Vec<syn::Expr> = syntax::separated(list.tokens.clone()).unwrap_or_default();
            let own = requires::own_names(sig);
            paths.extend(sizes.iter().flat_map(refs::of_length).filter(|path| !requires::is_one_of(path, &own)));
        } else if list.path.is_ident("requires") {
            paths.extend(requires::named(list, sig));
        } else if list.path.is_ident("instances") {
            let listed: Vec<Listed> = syntax::separated(list.tokens.clone()).unwrap_or_default();
            paths.extend(listed.iter().flat_map(|listed| &listed.values).flat_map(named_by_value));
        }
    }
    paths
}
