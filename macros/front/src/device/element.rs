//! `#[derive(Element)]`: structs in buffers, arguments and kernels.
//!
//! A struct is `repr(C)` without padding, so that its bytes are the same on the host and on
//! every device. The layout is computed here, and assertions compare it with the host's.

use super::methods::{announced_name, layout_name};
use super::operators::{self, Listed, parameters};
use super::{Constants, facts, names, start, traits};
use crate::emit::absolute;
use crate::expansion::Expansion;
use crate::generics::{self, Parameter};
use crate::infer::{StructTy, Ty};
use crate::link::chain::{Job, State, bounded, macro_for};
use crate::link::facts::{Fact, Kind, identity};
use crate::link::traits::last_name;
use crate::link::{Linked, refs, slots_of};
use crate::names::{Names, Own, Slot, Within};
use crate::report::{Refused, Reporter};
use crate::spell::spelled;
use crate::syntax;
use crate::types;
use crate::words::reserved::is_nameable;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::{Code, count};
use samebits_ir::types::{Layout, Scalar};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;

/// Expands `#[derive(Element)] item`.
///
/// ```
/// use quote::quote;
/// let ray = quote! { #[repr(C)] struct Ray { origin: Vec3<f32>, dir: Vec3<f32> } };
/// assert!(!samebits_front::device::element(ray).to_string().contains("compile_error"));
/// let padded = quote! { #[repr(C)] struct Padded { a: u8, b: u32 } };
/// assert!(samebits_front::device::element(padded).to_string().contains("V207"));
/// ```
pub fn expand(item: TokenStream) -> TokenStream {
    if let Some(at) = crate::depth::unparsed(item.clone()) {
        return crate::depth::error(at);
    }
    let structure = match syn::parse2::<syn::Item>(item) {
        Ok(syn::Item::Struct(structure)) => structure,
        Ok(syn::Item::Enum(item)) => return super::enumeration::expand(&item),
        Ok(syn::Item::Union(syn::ItemUnion { ident, vis, attrs, .. })) => {
            let refused = Refused::new(Code::V207, "only a struct or an enum can be an element")
                .help("use a struct, with a `u32` that says which case it is");
            let error = refused.on(&ident);
            let (id, hash) = identity(&ident);
            let fact = fact((&id, &ident), Vec::new(), &Linked::default(), &Constants::new(&syntax::our_crate()), true);
            let definition =
                macro_for(&ident, hash, &vis, &syntax::conditions(&attrs), facts(&fact, &Linked::default()));
            return quote! { #error #definition };
        }
        Ok(_) => return TokenStream::new(),
        Err(error) => return error.to_compile_error(),
    };
    let (options, mut errors) = Options::of(&structure.attrs);
    errors.extend(unsuitable(&structure));
    let (names, too_many) = bounded(refs::of_struct(&structure));
    errors.extend(too_many);
    let krate = options.krate;
    let state = if errors.is_empty() {
        State::new(Job::Element, quote!(crate = #krate), structure.to_token_stream(), names)
    } else {
        State::new(Job::Element, super::refused(&krate), structure.to_token_stream(), Vec::new())
    };
    Expansion { errors, rest: start(state, &krate), ..Expansion::default() }.into()
}

/// The fact of a struct that passes these constants on.
fn fact(
    (id, name): (&str, &syn::Ident),
    items: Vec<syn::Item>,
    linked: &Linked,
    constants: &Constants,
    broken: bool,
) -> Fact {
    Fact {
        kind: Kind::Struct,
        id: id.to_owned(),
        name: name.unraw().to_string(),
        broken,
        names: names(linked),
        constants: constants.list.clone(),
        values: Vec::new(),
        items,
    }
}

/// What `#[element(…)]` says.
pub(super) struct Options {
    pub methods: Option<syn::Path>,
    /// The traits and the operators that the struct or enum has.
    pub traits: Vec<Listed>,
    /// How many of them stand before `methods`.
    pub before_methods: usize,
    pub krate: syn::Path,
}

impl Options {
    /// The options, as far as they can be read, and what is wrong with them.
    pub fn of(attrs: &[syn::Attribute]) -> (Self, TokenStream) {
        let mut options = Self { methods: None, traits: Vec::new(), before_methods: 0, krate: syntax::our_crate() };
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("element")) {
            let parsed = attr.parse_nested_meta(|meta| {
                if meta.path.is_ident("methods") && options.methods.is_some() {
                    return Err(meta.error("`methods` is given twice"));
                } else if meta.path.is_ident("methods") {
                    options.methods = Some(meta.path);
                    options.before_methods = options.traits.len();
                } else if meta.path.is_ident("traits") {
                    let list;
                    syn::parenthesized!(list in meta.input);
                    for listed in list.parse_terminated(Listed::parse, syn::Token![,])? {
                        let (of, path) = (&listed.of, &listed.path);
                        let same = |known: &Listed| {
                            spelled(&known.of) == spelled(of) && spelled(&known.path) == spelled(path)
                                || listed.operator().is_none() && last_name(&known.path) == last_name(path)
                        };
                        if options.traits.iter().any(same) {
                            return Err(syn::Error::new_spanned(path, format!("`{}` is given twice", spelled(path))));
                        }
                        options.traits.push(listed);
                    }
                } else if meta.path.to_token_stream().to_string() == "crate" {
                    options.krate = meta.value()?.parse()?;
                } else {
                    let name = meta.path.to_token_stream().to_string();
                    return Err(meta.error(format!("`{name}` is not an argument of `#[element]`")));
                }
                Ok(())
            });
            if let Err(error) = parsed {
                let help = "write `#[element(methods)]`, `#[element(traits(Shape))]` or `#[element(crate = path)]`";
                let refused = Refused::new(Code::V101, error.to_string()).help(help);
                return (options, refused.over(error.span()));
            }
        }
        (options, TokenStream::new())
    }
}

impl Options {
    /// What is listed that cannot be, and why.
    pub fn unsuitable(&self) -> Option<(&Listed, Refused)> {
        self.traits.iter().find_map(|listed| Some((listed, operators::unsuitable(listed)?)))
    }
}

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first: syn::Type = input.parse()?;
        if input.parse::<Option<syn::Token![:]>>()?.is_some() {
            let of_trait: syn::Type = input.parse()?;
            return match of_trait {
                syn::Type::Path(syn::TypePath { qself: None, path }) => Ok(Self { of: Some(first), path }),
                other => Err(syn::Error::new_spanned(other, "expected the trait of an operator")),
            };
        }
        match first {
            syn::Type::Path(syn::TypePath { qself: None, path }) => Ok(Self { of: None, path }),
            other => Err(syn::Error::new_spanned(other, "expected a trait or an operator")),
        }
    }
}

/// Whether a struct or an enum of these attributes says that it has methods.
pub(super) fn is_announced(attrs: &[syn::Attribute]) -> bool {
    Options::of(attrs).0.methods.is_some()
}

/// A struct once the types of its fields are linked. If it was refused, it is not looked at.
pub(super) fn finish(structure: syn::ItemStruct, krate: &syn::Path, linked: Linked, refused: bool) -> TokenStream {
    let name = &structure.ident;
    let mut reporter = Reporter::new();
    let nameable = is_nameable(name, "a struct", &mut reporter);
    let fields = if refused { None } else { fields(&structure, &linked, &mut reporter) };
    let generic = !structure.generics.params.is_empty();
    let layout = fields.as_ref().and_then(|fields| match () {
        () if fields.is_empty() => Some(Seen::Nothing),
        () if fields.iter().any(Ty::has_usize) => Some(Seen::Values),
        // Each use of it as an element asks whether there are gaps then.
        () if generic => Some(Seen::Generic),
        () => layout(&structure, fields, &mut reporter),
    });
    let errors = reporter.tokens();
    let implementation = match (&layout, &fields) {
        (Some(layout), Some(fields)) if errors.is_empty() => implementation(&structure, krate, fields, layout),
        // Without the traits every use of the struct would be a further mistake.
        _ => placeholder(&structure, krate),
    };
    let (id, hash) = identity(name);
    // Who has a struct can call the methods of its parts without naming their types.
    let mut constants = Constants::new(krate);
    constants.named(&linked);
    let conditions = syntax::conditions(&structure.attrs);
    let (of, arguments, clause) = structure.generics.split_for_impl();
    let passed_on = constants.implementation(&quote!(#of #name #arguments #clause), &conditions);
    let broken = layout.is_none() || !errors.is_empty();
    // Only the implementation in the same module asks for the layout, and whether it is announced.
    let of = |announced| {
        let items = vec![syn::Item::Struct(bare(structure.clone(), announced))];
        facts(&fact((&id, name), items, &linked, &constants, broken), &linked)
    };
    let layout = macro_for(&layout_name(name), hash, &syn::Visibility::Inherited, &conditions, of(true));
    let (options, _) = Options::of(&structure.attrs);
    if !nameable {
        return quote! { #errors #implementation #passed_on #layout };
    }
    let item = bare(structure.clone(), false).to_token_stream();
    let item = (name, quote! { #(#conditions)* #item }, generic);
    let definition =
        definition(item, &options, &conditions, || macro_for(name, hash, &structure.vis, &conditions, of(false)));
    quote! { #errors #implementation #passed_on #layout #definition }
}

/// How the macro of a struct or an enum comes about: by its implementation of methods, by those of its traits, or, as
/// `alone` gives it, here.
pub(super) fn definition(
    (name, item, generic): (&syn::Ident, TokenStream, bool),
    Options { methods, traits, krate, .. }: &Options,
    conditions: &[&syn::Attribute],
    alone: impl FnOnce() -> TokenStream,
) -> TokenStream {
    let mut definition = TokenStream::new();
    if let Some(methods) = methods {
        let announced = if generic { announced_name(name) } else { name.clone() };
        let there = quote_spanned!(methods.span()=> const _: () = #krate::__private::implemented::<#announced>(););
        let declared = generic.then(|| {
            quote!(#(#conditions)* #[doc(hidden)] #[allow(non_camel_case_types, dead_code, missing_debug_implementations, missing_copy_implementations)] enum #announced {})
        });
        definition.extend(quote! { #declared #(#conditions)* #there });
    }
    // The implementations of traits ask for what the type is with its methods. Without traits they only have to find
    // that it says nothing of them.
    if traits.is_empty() || methods.is_none() {
        let (layout, own) = (layout_name(name), traits::self_name(name));
        definition.extend(quote! { #(#conditions)* #[doc(hidden)] #[allow(unused_imports)] use #layout as #own; });
    }
    if traits.is_empty() && methods.is_none() {
        definition.extend(alone());
    }
    if traits.is_empty() {
        return definition;
    }
    let (traits, lacking): (Vec<Listed>, Vec<Listed>) =
        traits.iter().cloned().partition(|listed| listed.lacking(name).is_none());
    for listed in &lacking {
        definition.extend(listed.lacking(name).map(|refused| refused.on(&listed.path)));
    }
    for of in traits.iter().filter(|listed| listed.operator().is_none()).map(|listed| &listed.path) {
        let has = quote_spanned!(of.span()=> const _: () = { fn has<__T: #of>() {} _ = has::<#name>; };);
        definition.extend(quote! { #(#conditions)* #has });
    }
    let params = syn::parse2::<syn::Item>(item.clone()).map(|item| parameters(&item)).unwrap_or_default();
    let names = traits::names_of_type(name, &traits, &params);
    // What it lacks is no further mistake of its uses.
    let arguments = if lacking.is_empty() { quote!(crate = #krate) } else { super::refused(krate) };
    definition.extend(start(State::new(Job::WithTraits, arguments, item, names), krate));
    definition
}

/// A struct without what only its definition needs; what it says of methods is kept for
/// their implementation.
fn bare(mut structure: syn::ItemStruct, announced: bool) -> syn::ItemStruct {
    structure.attrs.retain(|attr| announced && attr.path().is_ident("element"));
    structure.fields.iter_mut().for_each(|field| field.attrs.clear());
    structure
}

/// The report of what a struct cannot be, whatever its fields are.
fn unsuitable(structure: &syn::ItemStruct) -> TokenStream {
    let name = &structure.ident;
    let refuse =
        |code: Code, node: &dyn ToTokens, message: String, help: &str| Refused::new(code, message).help(help).on(node);
    if !name.unraw().to_string().starts_with(char::is_uppercase) {
        let message = format!("the name of the struct `{name}` must begin with a capital letter");
        return refuse(Code::V110, name, message, "rename it: a capital tells types from functions in a kernel");
    }
    if let Some(refused) = unsuitable_parameters(&structure.generics) {
        return refused;
    }
    let (options, _) = Options::of(&structure.attrs);
    if let Some((listed, refused)) = options.unsuitable() {
        return refused.on(&listed.path);
    }
    let of_trait = options.traits.iter().find(|listed| listed.operator().is_none()).map(|listed| &listed.path);
    if let (Some(of), false) = (of_trait, structure.generics.params.is_empty()) {
        let message = "a generic struct cannot have the traits of kernels".to_owned();
        return refuse(Code::V207, of, message, "write a struct without type parameters for it");
    }
    if structure.fields.is_empty() {
        if options.methods.is_some() || !options.traits.is_empty() {
            // A name for functions and constants, of which there are no values in kernels.
            return TokenStream::new();
        }
        let message = "an element needs at least one field".to_owned();
        return refuse(Code::V207, name, message, "add a field");
    }
    let mut is_c = false;
    for attr in structure.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        let mut others = false;
        // What rustc does not accept either is its error.
        let _ = attr.parse_nested_meta(|meta| {
            is_c |= meta.path.is_ident("C");
            others |= !meta.path.is_ident("C");
            if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        });
        if others {
            let message = "an element must be `repr(C)`".to_owned();
            return refuse(Code::V207, attr, message, "write `#[repr(C)]`");
        }
    }
    if !is_c {
        let message = format!("`{name}` needs `#[repr(C)]`");
        return refuse(Code::V207, name, message, "add it: without it, Rust may reorder the fields");
    }
    TokenStream::new()
}

/// The report of a parameter that neither a struct nor an enum can have.
pub(super) fn unsuitable_parameters(generics: &syn::Generics) -> Option<TokenStream> {
    let refuse =
        |node: &dyn ToTokens, message: &str, help: &str| Some(Refused::new(Code::V207, message).help(help).on(node));
    for (param, read) in generics.params.iter().zip(generics::parameters(generics)) {
        match param {
            syn::GenericParam::Type(_) if matches!(&read, Parameter::Type { traits, .. } if !traits.is_empty()) => {
                let message = "a type parameter of an element cannot be bound by a trait of kernels";
                return refuse(param, message, "bound it by a class, such as `Number`");
            }
            syn::GenericParam::Type(_) => {}
            syn::GenericParam::Const(value)
                if syntax::peel_type(&value.ty).to_token_stream().to_string() == "usize" => {}
            syn::GenericParam::Const(_) => {
                return refuse(param, "a constant parameter of an element must be a `usize`", "write `const N: usize`");
            }
            syn::GenericParam::Lifetime(_) => {
                let message = "an element cannot have lifetime parameters";
                return refuse(param, message, "store an index into another buffer");
            }
        }
    }
    None
}

/// What the parameters of a declaration stand for there: a type that nothing is known of, and any length.
pub(super) fn unknown_parameters(generics: &syn::Generics) -> Own {
    let mut own = Own::default();
    for slot in slots_of(generics) {
        match slot {
            Slot::Type(name) => own.types.push((name.clone(), Ty::Struct(StructTy::opaque(&name)))),
            Slot::Length(name) => own.lengths.push((name, generics::CHECKED_LENGTH)),
        }
    }
    own
}

/// The types of the fields; what they cannot be is reported.
fn fields<'a>(structure: &'a syn::ItemStruct, linked: &Linked, reporter: &mut Reporter<'a>) -> Option<Vec<Ty>> {
    let mut found = Vec::new();
    let mut right = true;
    let own = unknown_parameters(&structure.generics);
    let (scope, own) = (linked.scope(), &own);
    let names = Within { own, around: &scope };
    for field in &structure.fields {
        if names_itself(structure, &field.ty) {
            // It has no size: rustc says so.
            right = false;
            continue;
        }
        match field_type(&field.ty, &names) {
            Ok(Ty::Error) => right = false,
            Ok(ty) if ty.mixes_wide_atomics() => {
                reporter.refuse(&field.ty, Refused { code: Code::V207, ..types::mixed_atomics(&ty) });
                right = false;
            }
            Ok(ty) => found.push(ty),
            Err(refused) => {
                reporter.refuse(&field.ty, Refused { code: Code::V207, ..refused });
                right = false;
            }
        }
    }
    // Of a type parameter nothing is known, so that it may be anything.
    let whole = Ty::Tuple(found);
    if right && whole.mixes_wide_atomics() {
        let refused = types::mixed_atomics(&Ty::Struct(StructTy::opaque(&structure.ident.to_string())));
        reporter.refuse(&structure.ident, Refused { code: Code::V207, ..refused });
        right = false;
    }
    if let Ty::Tuple(found) = whole { right.then_some(found) } else { None }
}

fn names_itself(structure: &syn::ItemStruct, ty: &syn::Type) -> bool {
    match syntax::peel_type(ty) {
        syn::Type::Array(array) => names_itself(structure, &array.elem),
        syn::Type::Path(path) => path.path.get_ident().is_some_and(|name| *name == structure.ident || name == "Self"),
        _ => false,
    }
}

fn field_type(ty: &syn::Type, names: &dyn Names) -> Result<Ty, Refused> {
    let refuse = |message: &str, help: &str| Err(Refused::new(Code::V207, message).help(help));
    match syntax::peel_type(ty) {
        syn::Type::Reference(_) | syn::Type::Ptr(_) => {
            return refuse("a field cannot be a reference", "store an index into another buffer");
        }
        syn::Type::Array(array) => {
            // The element's own reason comes first.
            field_type(&array.elem, names)?;
        }
        _ => {}
    }
    match types::read(ty, names)? {
        Ty::Vector(lane, _) if *lane == Ty::Scalar(Scalar::Bool) => {
            refuse("a field cannot be a vector of `bool`", "use a vector of `u32`, whose lanes are 0 or 1")
        }
        Ty::Struct(def) if def.is_marker() => Err(Refused { code: Code::V207, ..types::no_value(&def.name) }),
        Ty::Tuple(_) | Ty::Unit => refuse("a field cannot be a tuple", "use a struct instead of the tuple"),
        ty if ty.has_sum() => Err(Refused { code: Code::V207, ..types::no_sum("a struct", &ty) }),
        ty => Ok(ty),
    }
}

/// Where a field lies, and its size.
struct Placed {
    offset: u32,
    layout: Layout,
}

/// What the host sees of a struct.
enum Seen {
    /// Where its fields lie in memory, and its size.
    Memory(Vec<Placed>, u32),
    /// Fields of types that only its arguments tell.
    Generic,
    /// No values: it has no fields.
    Nothing,
    /// Its values alone: a `usize` is in it, which has another size on the host, so that no buffer
    /// holds it.
    Values,
}

/// The layout of `repr(C)`; padding is reported.
fn layout<'a>(structure: &'a syn::ItemStruct, fields: &[Ty], reporter: &mut Reporter<'a>) -> Option<Seen> {
    let mut placed = Vec::new();
    let (mut end, mut align) = (0u32, 1u32);
    for (ty, field) in fields.iter().zip(&structure.fields) {
        let layout = size(ty)?;
        let offset = end.checked_next_multiple_of(layout.align)?;
        if offset > end {
            let shown = field.ident.as_ref().map_or_else(|| placed.len().to_string(), ToString::to_string);
            let gap = offset - end;
            let bytes = count(gap, "byte");
            let message = format!("{bytes} of padding before field `{shown}`, whose value would be undefined");
            let help = format!("order the fields by size, or fill the gap: `_pad: [u8; {gap}]`");
            reporter.refuse(field, Refused::new(Code::V207, message).help(help));
            return None;
        }
        end = offset.checked_add(layout.size)?;
        align = align.max(layout.align);
        placed.push(Placed { offset, layout });
    }
    let whole = end.checked_next_multiple_of(align)?;
    if whole > end {
        let gap = whole - end;
        let bytes = count(gap, "byte");
        let message = format!("{bytes} of padding at the end of `{}`, whose value would be undefined", structure.ident);
        let help = format!("fill the gap: `_pad: [u8; {gap}]`");
        reporter.refuse(&structure.ident, Refused::new(Code::V207, message).help(help));
        return None;
    }
    Some(Seen::Memory(placed, whole))
}

fn size(ty: &Ty) -> Option<Layout> {
    match ty {
        // As hosts have it.
        Ty::Scalar(Scalar::Bool) => Some(Layout { size: 1, align: 1 }),
        Ty::Scalar(scalar) | Ty::Atomic(scalar) => Some(Layout { size: scalar.size(), align: scalar.size() }),
        Ty::Bf16 => Some(Layout { size: 2, align: 2 }),
        Ty::Enum(def) => Some(Layout { size: def.tag.size(), align: def.tag.size() }),
        Ty::Vector(lane, lanes) => {
            let lane = lane.scalar()?.size();
            Some(Layout { size: lane * u32::from(*lanes), align: lane })
        }
        Ty::Matrix(column, columns) => {
            let column = size(column)?;
            Some(Layout { size: column.size * u32::from(*columns), align: column.align })
        }
        Ty::Array(element, len) => {
            let element = size(element)?;
            Some(Layout { size: element.size.checked_mul(*len)?, align: element.align })
        }
        Ty::Struct(def) => {
            let mut whole = Layout { size: 0, align: 1 };
            for field in &def.fields {
                let field = size(&field.ty)?;
                whole.size = whole.size.checked_next_multiple_of(field.align)?.checked_add(field.size)?;
                whole.align = whole.align.max(field.align);
            }
            Some(whole)
        }
        _ => None,
    }
}

/// Whether all bytes are a value of a type.
fn is_any_bytes(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => *scalar != Scalar::Bool,
        Ty::Array(element, _) => is_any_bytes(element),
        Ty::Struct(def) => def.fields.iter().all(|field| is_any_bytes(&field.ty)),
        Ty::Enum(_) => false,
        _ => true,
    }
}

/// Whether a type may be one that can be copied.
fn is_plain(ty: &syn::Type) -> bool {
    match syntax::peel_type(ty) {
        syn::Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| !["Vec", "String", "Box"].iter().any(|n| last.ident == n))
        }
        syn::Type::Array(array) => is_plain(&array.elem),
        syn::Type::Tuple(_) => true,
        _ => false,
    }
}

/// The traits of a struct that was refused, so that its uses are not further mistakes. Nothing is
/// ever done with them, since the program does not compile.
fn placeholder(structure: &syn::ItemStruct, krate: &syn::Path) -> TokenStream {
    let name = &structure.ident;
    // Only rustc knows of `Copy`, and what is not has no use either.
    if !structure.generics.params.is_empty() || structure.fields.iter().any(|field| !is_plain(&field.ty)) {
        return TokenStream::new();
    }
    placeholder_of(name, krate, &syntax::conditions(&structure.attrs))
}

/// The same traits of a type of this name.
pub(super) fn placeholder_of(name: &syn::Ident, krate: &syn::Path, conditions: &[&syn::Attribute]) -> TokenStream {
    let text = name.unraw().to_string();
    let private = quote!(#krate::__private);
    quote! {
        #(#conditions)*
        const _: () = {
            // SAFETY: never relied on: an error stands beside it.
            unsafe impl #private::bytemuck::Zeroable for #name {}
            impl #private::Sealed for #name {}
            // SAFETY: never relied on: an error stands beside it.
            unsafe impl #krate::Element for #name {
                const SHAPE: #private::Shape = #private::Shape::Struct { name: #text, fields: &[] };
            }
            impl #private::Argument for #name {
                fn argument(self) -> #private::Arg<'static> {
                    #private::Arg::parts([])
                }
            }
        };
    }
}

/// The traits of the runtime, and the assertions.
fn implementation(structure: &syn::ItemStruct, krate: &syn::Path, tys: &[Ty], seen: &Seen) -> TokenStream {
    let name = &structure.ident;
    let text = name.unraw().to_string();
    let conditions = syntax::conditions(&structure.attrs);
    let members: Vec<syn::Member> = structure.fields.members().collect();
    let types: Vec<TokenStream> =
        structure.fields.iter().map(|field| syntax::parenthesized(field.ty.to_token_stream())).collect();
    // What is written like a primitive type is that type.
    let exact: Vec<TokenStream> = structure.fields.iter().zip(tys).map(|(f, ty)| absolute(ty, &f.ty)).collect();
    let labels: Vec<String> = members.iter().map(syntax::member).collect();
    let private = quote!(#krate::__private);
    let (of, arguments, clause) = structure.generics.split_for_impl();
    let bounded = bounded_by(&structure.generics, &quote!(#private::Argument));
    let of_arguments = bounded.split_for_impl().2;
    // Atomics are memory, which is not passed by value.
    let passed = (!tys.iter().any(Ty::has_atomics)).then(|| {
        quote! {
            impl #of #private::Argument for #name #arguments #of_arguments {
                fn argument(self) -> #private::Arg<'static> {
                    #private::Arg::parts([#(#private::Argument::argument(self.#members)),*])
                }
            }
        }
    });
    let argument = quote! {
        impl #of #private::Sealed for #name #arguments #clause {}
        #passed
        #[allow(dead_code)]
        fn exact #of (__samebits_value: &#name #arguments) #clause {
            #(let _: &#exact = &__samebits_value.#members;)*
        }
    };
    let shape = quote! {
        const SHAPE: #private::Shape = #private::Shape::Struct {
            name: #text,
            fields: &[#(#private::Field { name: #labels, shape: <#types as #krate::Element>::SHAPE }),*],
        };
    };
    let (placed, whole) = match seen {
        Seen::Memory(placed, whole) => (placed, whole),
        Seen::Values => return quote! { #(#conditions)* const _: () = { #argument }; },
        Seen::Nothing => return TokenStream::new(),
        Seen::Generic => {
            let element = bounded_by(&structure.generics, &quote!(#krate::Element));
            let clause = element.split_for_impl().2;
            return quote! {
                #(#conditions)*
                #[allow(clippy::undocumented_unsafe_blocks)]
                const _: () = {
                    // SAFETY: all fields are elements, of which all zero bytes are a value.
                    unsafe impl #of #private::bytemuck::Zeroable for #name #arguments #clause {}
                    #argument
                    // SAFETY: the shape lists the fields in order, and of a type with padding no buffer is made.
                    unsafe impl #of #krate::Element for #name #arguments #clause { #shape }
                };
            };
        }
    };
    let offsets = placed.iter().map(|placed| Literal::u32_unsuffixed(placed.offset));
    let sizes = placed.iter().map(|placed| Literal::u32_unsuffixed(placed.layout.size));
    let whole = Literal::u32_unsuffixed(*whole);
    let pod = tys.iter().all(is_any_bytes).then(|| {
        quote! {
            // SAFETY: all fields are elements of which all bytes are a value, and by the assertions
            // below they follow each other without padding.
            unsafe impl #private::bytemuck::Pod for #name {}
        }
    });
    quote! {
        #(#conditions)*
        #[allow(clippy::undocumented_unsafe_blocks)]
        const _: () = {
            // SAFETY: all fields are elements, of which all zero bytes are a value.
            unsafe impl #private::bytemuck::Zeroable for #name {}
            #pod
            #argument
            // SAFETY: the shape lists the fields in order, and by the assertions below they lie
            // where `repr(C)` without padding puts them.
            unsafe impl #krate::Element for #name { #shape }
            ::core::assert!(<#name as #krate::Element>::SHAPE.bytes() == #whole);
            ::core::assert!(::core::mem::size_of::<#name>() == #whole);
            #(
                ::core::assert!(::core::mem::offset_of!(#name, #members) == #offsets);
                ::core::assert!(::core::mem::size_of::<#types>() == #sizes);
            )*
        };
    }
}

/// The parameters of a struct, with a bound on each of its types.
pub(super) fn bounded_by(generics: &syn::Generics, bound: &TokenStream) -> syn::Generics {
    let mut bounded = generics.clone();
    let types: Vec<syn::Ident> = generics.type_params().map(|ty| ty.ident.clone()).collect();
    if !types.is_empty() {
        let clause = bounded.make_where_clause();
        clause.predicates.extend(types.iter().map(|ty| -> syn::WherePredicate { syn::parse_quote!(#ty: #bound) }));
    }
    bounded
}
