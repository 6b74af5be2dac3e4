//! The launcher, which replaces the kernel in the user's program.
//!
//! A kernel becomes a type of its name without values, whose `launch` has the kernel's
//! parameters. The surroundings of the expansion (shadowed names, `no_implicit_prelude`, denied
//! lints) must not matter. So paths are absolute, primitive types are named by
//! `::core::primitive`, and the launcher's own parameters are hygienic and have names that no
//! item has.

pub mod asserted;
pub mod messages;
pub mod untold;

use crate::docs;
use crate::generics::{self, Parameter};
use crate::infer::Ty;
use crate::native;
use crate::report::Refused;
use crate::requires::Required;
use crate::signature::{Param, ParamKind, Signature};
use crate::spans::Spans;
use crate::syntax::{self, parenthesized};
use crate::warn;
use crate::words::reserved::is_known_type;
use messages::Messages;
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag;
use samebits_ir::ir::{Access, Elements, Module};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;
use samebits_ir::wire;
use std::collections::BTreeMap;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use untold::{Untold, Variants};

/// A form of a kernel as the launcher holds it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Image {
    /// The wire form.
    pub bytes: Vec<u8>,
    /// The places of its instructions.
    pub locations: Vec<u8>,
    /// The names of the passes that were left out, for reports.
    pub left_out: Vec<&'static str>,
}

impl Image {
    /// The image of a module whose locations are in a table, made without some passes.
    pub fn of(module: &Module, left_out: Vec<&'static str>, spans: &Spans<'_>) -> Self {
        let mut sites = Sites { spans, known: BTreeMap::new(), sites: Vec::new() };
        for function in &module.functions {
            let insts = function.insts.iter().map(|(_, def)| def.loc);
            std::iter::once(function.loc).chain(insts).for_each(|loc| _ = sites.number(loc));
        }
        let Sites { known, sites, .. } = sites;
        let locations = wire::encode_locations(module, &sites, |loc| known.get(&loc).copied().flatten());
        Self { bytes: wire::encode(module), locations, left_out }
    }
}

/// Both forms of a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Images {
    /// What devices run.
    pub optimised: Image,
    /// What the judge runs: every load and store that the source has, also those that passes
    /// find needless.
    pub written: Image,
    /// The conditions under which a launch has no race, as numbers.
    pub race_free_if: Vec<i64>,
}

/// The places of locations. Many instructions come from one node, whose tokens need walking
/// only once.
struct Sites<'s, 'a> {
    spans: &'s Spans<'a>,
    known: BTreeMap<Loc, Option<u32>>,
    sites: Vec<wire::Site<String>>,
}

impl Sites<'_, '_> {
    /// The number of the site of a location, after those of the calls that lead to it.
    fn number(&mut self, loc: Loc) -> Option<u32> {
        if let Some(known) = self.known.get(&loc) {
            return *known;
        }
        let number = self.site(loc).and_then(|site| {
            self.sites.push(site);
            u32::try_from(self.sites.len() - 1).ok()
        });
        self.known.insert(loc, number);
        number
    }

    fn site(&mut self, loc: Loc) -> Option<wire::Site<String>> {
        let (line, column) = self.spans.line_column(loc)?;
        let helper = match self.spans.call(loc) {
            Some((name, at)) => Some((name.to_owned(), self.number(at)?)),
            None => None,
        };
        let (line, column) = (u32::try_from(line).ok()?, u32::try_from(column).ok()?);
        Some(wire::Site { file: Some(self.spans.start(loc).file()), line, column, helper })
    }
}

/// What an instance is compiled to.
pub enum Code {
    /// One kernel.
    One(Images),
    /// One for each type that constants may have.
    Varying(Variants),
}

/// A constant from outside, as an instance needs it.
pub struct Constant {
    /// What tells it from all others; one path may lead to several, `N` and `N as u32`.
    pub id: String,
    /// Its path.
    pub path: syn::Path,
    /// Its value, as an expression.
    pub value: TokenStream,
    /// The type that the kernel uses it as, in Rust.
    pub ty: TokenStream,
    /// Whether that is `usize`.
    pub is_usize: bool,
    /// What to pass instead, where its type is not `ty` but what rustc finds.
    pub untold: Option<Untold>,
}

/// What a kernel is before its body is compiled: a type of its name with a `launch`.
///
/// The image comes later, from [`tail`], as a constant that hides a default. If it never comes,
/// because something that the kernel names is not a helper, the launcher exists nevertheless, and
/// only that mistake is reported. `refused` launchers take anything. `sized` says whether the size
/// of its workgroups is known.
pub fn head(sig: &Signature, sized: bool, refused: bool) -> TokenStream {
    let Signature { vis, name, krate, .. } = sig;
    let attrs = syntax::named(&sig.attrs, &syntax::ON_TYPE).filter_map(warn::outside);
    let impl_attrs = syntax::named(&sig.attrs, &ON_IMPLEMENTATION);
    let text = name.unraw().to_string();
    let (docs, launch_docs) = (docs::of_kernel(sig, sized), docs::of_launch(sig, sized));
    // A parameter cannot have the name of a `static` or a `const` of the user's.
    let device = Ident::new("samebits_device", Span::mixed_site());
    let grid = Ident::new("samebits_grid", Span::mixed_site());
    let params =
        sig.params.iter().enumerate().map(|(i, param)| parameter(krate, param, argument_name(i, param, refused)));
    let args = sig.params.iter().enumerate().filter(|_| !refused).map(|(i, param)| {
        let name = argument_name(i, param, refused);
        match &param.kind {
            ParamKind::Buffer { elements: Elements::Distinct, .. } => quote!(#krate::Distinct::argument(&#name)),
            ParamKind::Buffer { elements: Elements::Below, .. } => quote!(#krate::Below::argument(&#name)),
            ParamKind::Buffer { element, written, access, .. } => {
                let element = absolute(element, written);
                match access {
                    Access::Read => quote!(#krate::Readable::<#element>::argument(#name)),
                    Access::ReadWrite | Access::Atomic => quote!(#krate::Writable::<#element>::argument_mut(#name)),
                }
            }
            ParamKind::Scalar { .. } => quote!(#krate::__private::Value(#name).argument()),
        }
    });
    let recorded =
        sig.params.iter().enumerate().map(|(i, param)| recorded(krate, param, argument_name(i, param, refused)));
    let noted = sig.params.iter().enumerate().filter(|_| !refused).map(|(i, param)| {
        let name = argument_name(i, param, refused);
        match &param.kind {
            ParamKind::Buffer { element: Ty::Error, .. } | ParamKind::Scalar { ty: Ty::Error, .. } => {
                quote!(#krate::__private::Noted::nothing(#name))
            }
            ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. } => quote!(#name.noted_mut()),
            ParamKind::Buffer { .. } => quote!(#name.noted()),
            ParamKind::Scalar { ty, written } => {
                let ty = absolute(ty, written);
                quote!(#krate::graph::Given::<#ty>::given(#name))
            }
        }
    });
    let generic = !sig.generics.params.is_empty() && !refused;
    let Generic { items, params: generics, clause, kernel, constants } = if generic {
        Generic::of(sig)
    } else {
        Generic { kernel: quote!(Self::KERNEL), constants: quote!(&Self::__samebits_constants()), ..Generic::default() }
    };
    let get = generic.then(|| {
        let doc = format!(" An instance of the kernel `{text}` as the device takes it.");
        quote! {
            #[doc = #doc]
            #vis fn kernel #generics () -> &'static #krate::__private::Kernel #clause { #kernel }
        }
    });
    let prepare_doc = format!(
        " Compiles the kernel `{text}` for a device, so that its first launch does not have to. Fails as a launch does if \
          the device cannot run it."
    );
    let record_doc =
        format!(" Records a launch of the kernel `{text}` into a graph, with slots for buffers and values.");
    let graph = Ident::new("samebits_graph", Span::mixed_site());
    quote! {
        #(#attrs)*
        #(#[doc = #docs])*
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations)]
        #vis enum #name {}

        #items

        #(#impl_attrs)*
        #[allow(dead_code, deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl #name {
            #get

            #[doc = #prepare_doc]
            #vis fn prepare #generics (#device: &#krate::Device) -> ::core::result::Result<(), #krate::Error> #clause {
                #[allow(unused_imports)]
                use #krate::__private::Unlinked as _;
                #kernel.prepare(#device)
            }

            #(#[doc = #launch_docs])*
            #vis fn launch #generics (
                #device: &#krate::Device,
                #grid: impl ::core::convert::Into<#krate::Grid>,
                #(#params),*
            ) -> ::core::result::Result<(), #krate::Error> #clause {
                #[allow(unused_imports)]
                use #krate::__private::{Unlinked as _, UnlinkedValue as _};
                #kernel.launch_linked(#device, #grid, &[#(#args),*], #constants)
            }

            #[doc = #record_doc]
            #vis fn record #generics (
                #graph: &mut #krate::graph::Graph,
                #grid: impl #krate::graph::Extent,
                #(#recorded),*
            ) -> ::core::result::Result<(), #krate::Error> #clause {
                #[allow(unused_imports)]
                use #krate::__private::Unlinked as _;
                #kernel.record_linked(#graph, #grid, [#(#noted),*], #constants)
            }
        }
    }
}

impl Constant {
    /// Whether the user's program has debug assertions.
    pub fn debug_assertions() -> Self {
        let (path, ty) = (syn::parse_quote!(debug_assertions), quote!(::core::primitive::bool));
        let value = quote!(::core::cfg!(debug_assertions));
        Self { id: "debug_assertions".to_owned(), path, value, ty, is_usize: false, untold: None }
    }
}

/// What a launcher needs to find an instance; nothing of a kernel that is not generic.
#[derive(Default)]
struct Generic {
    /// The instances, found by the types and constants that they are for.
    items: TokenStream,
    /// The launcher's type parameters.
    params: TokenStream,
    /// That there is such an instance.
    clause: TokenStream,
    /// The kernel.
    kernel: TokenStream,
    /// The constants that its launch passes.
    constants: TokenStream,
}

impl Generic {
    fn of(sig: &Signature) -> Self {
        let Signature { krate, name, vis, .. } = sig;
        let instance = quote!(#krate::__private::Instance<#name>);
        let implementations = sig.instances.iter().enumerate().map(|(i, one)| {
            let place = instance_marker(name, i);
            let key = one.arguments.iter().zip(&sig.generics.params).map(|(argument, param)| match param {
                syn::GenericParam::Const(_) => quote!(#krate::__private::Const<{ #argument }>),
                _ => quote!(#argument),
            });
            quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations, dead_code)]
                #vis enum #place {}
                impl #instance for (#(#key,)*) {
                    #[allow(unused_imports)]
                    const KERNEL: &'static #krate::__private::Kernel = {
                        use #krate::__private::Unlinked as _;
                        #place::KERNEL
                    };
                    fn constants() -> #krate::__private::Constants {
                        #[allow(unused_imports)]
                        use #krate::__private::Unlinked as _;
                        ::core::convert::From::from(#place::__samebits_constants())
                    }
                }
            }
        });
        let items = quote!(#(#implementations)*);
        let read = generics::parameters(&sig.generics);
        let params = sig.generics.params.iter().zip(&read).filter_map(|(param, read)| match param {
            syn::GenericParam::Type(ty) => {
                let ident = &ty.ident;
                // What has traits need not be in buffers.
                if matches!(read, Parameter::Type { class: None, .. }) {
                    return Some(quote!(#ident));
                }
                // A generic struct may be bounded as its parameter is.
                let class = match read {
                    Parameter::Type { class, .. } => *class,
                    _ => None,
                };
                let class = class.filter(|_| is_argument_of_a_struct(sig, ident)).map(|class| {
                    let class = Ident::new(class.name(), Span::mixed_site());
                    quote!(+ #krate::#class)
                });
                Some(quote!(#ident: #krate::Element + #krate::__private::Argument #class))
            }
            syn::GenericParam::Const(value) => {
                let ident = &value.ident;
                Some(quote!(const #ident: ::core::primitive::usize))
            }
            syn::GenericParam::Lifetime(_) => None,
        });
        let key = key(sig);
        Self {
            items,
            params: quote!(<#(#params),*>),
            clause: quote!(where #key: #instance),
            kernel: quote!(<#key as #instance>::KERNEL),
            constants: quote!(&<#key as #instance>::constants()),
        }
    }
}

/// Whether a kernel takes a struct with this parameter among its arguments.
fn is_argument_of_a_struct(sig: &Signature, parameter: &Ident) -> bool {
    struct Arguments<'a>(&'a Ident, bool);
    impl<'a> Visit<'a> for Arguments<'_> {
        fn visit_type_path(&mut self, ty: &'a syn::TypePath) {
            let arguments = ty.path.segments.last().filter(|last| !is_known_type(&syntax::plain(&last.ident)));
            let tokens = arguments.map(|last| last.arguments.to_token_stream());
            self.1 |= tokens.is_some_and(|tokens| names(tokens, self.0));
            visit::visit_type_path(self, ty);
        }
    }
    fn names(tokens: TokenStream, ident: &Ident) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Ident(found) => found == *ident,
            TokenTree::Group(group) => names(group.stream(), ident),
            _ => false,
        })
    }
    let mut arguments = Arguments(parameter, false);
    for param in &sig.params {
        let (ParamKind::Buffer { written, .. } | ParamKind::Scalar { written, .. }) = &param.kind;
        arguments.visit_type(written);
    }
    arguments.1
}

/// The tuple that an instance is found by.
fn key(sig: &Signature) -> TokenStream {
    let krate = &sig.krate;
    let parts = sig.generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(ty) => Some(ty.ident.to_token_stream()),
        syn::GenericParam::Const(value) => {
            let ident = &value.ident;
            // A type of this name would be taken for the argument.
            Some(quote!(#krate::__private::Const<{ #ident }>))
        }
        syn::GenericParam::Lifetime(_) => None,
    });
    quote!((#(#parts,)*))
}

fn instance_marker(name: &Ident, i: usize) -> Ident {
    Ident::new(&format!("__samebits_{}_{i}", name.unraw()), Span::call_site())
}

/// What a kernel, or the `i`-th instance of a generic one, is once it is compiled.
pub fn tail(sig: &Signature, i: usize, code: &Code, constants: &[Constant], messages: &Messages) -> TokenStream {
    let Signature { vis, name, krate, .. } = sig;
    let impl_attrs = syntax::named(&sig.attrs, &ON_IMPLEMENTATION);
    let kernel_doc = format!(" The kernel `{}` as the device takes it.", name.unraw());
    let (kernel, assertions) = match code {
        Code::One(images) => (of_images(sig, images, messages), TokenStream::new()),
        Code::Varying(variants) => (variants.kernel(sig, messages), variants.assertions(krate)),
    };
    let count = Literal::usize_unsuffixed(constants.len());
    let constants = constants.iter().map(|Constant { path, value, ty, is_usize, untold, .. }| {
        if let Some(untold) = untold {
            return untold.argument(krate);
        }
        // A `usize` that a kernel's could not hold would be cut.
        let fits = is_usize.then(|| {
            let (text, at) = (too_large(&syntax::spelled_path(path)), path.span());
            assertion(at, &quote_spanned!(at=> __SAMEBITS_CONSTANT as u64 <= 0xffff_ffff), &text)
        });
        // An item is not hygienic: it would hide the user's constant of the same name from itself.
        quote!(#krate::__private::Arg::scalar({
            const __SAMEBITS_CONSTANT: #ty = #value;
            #fits
            __SAMEBITS_CONSTANT
        }))
    });
    let owner = if sig.generics.params.is_empty() { name.clone() } else { instance_marker(name, i) };
    quote! {
        #(#impl_attrs)*
        #[allow(dead_code, deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl #owner {
            #[doc = #kernel_doc]
            #vis const KERNEL: &'static #krate::__private::Kernel = {
                #kernel
            };

            #[doc = " The constants from outside that a launch passes."]
            #[doc(hidden)]
            #vis fn __samebits_constants() -> [#krate::__private::Arg<'static>; #count] {
                [#(#constants),*]
            }
        }

        #assertions
    }
}

/// The error that the value of a constant is too large for the `usize` of a kernel.
pub fn too_large(name: &str) -> String {
    let message = format!("`{name}` does not fit `usize`, which is 32 bits wide in a kernel");
    Refused::new(diag::Code::V103, message).help("keep its value below 2^32").text()
}

/// An assertion at a place of the user's, with the text of the error.
pub fn assertion(at: Span, condition: &TokenStream, text: &str) -> TokenStream {
    quote_spanned! {at=>
        #[allow(clippy::all, clippy::pedantic)]
        const _: () = ::core::assert!(#condition, #text);
    }
}

/// A kernel of its images, as an expression that borrows it for ever.
pub fn of_images(sig: &Signature, images: &Images, messages: &Messages) -> TokenStream {
    let krate = &sig.krate;
    let text = sig.name.unraw().to_string();
    let strings = |image: &Image| [&image.bytes, &image.locations].map(|bytes| Literal::byte_string(bytes));
    let ([bytes, locations], [written, written_locations]) = (strings(&images.optimised), strings(&images.written));
    let requires = (!sig.requires.is_empty()).then(|| {
        let sides = sig.requires.iter().map(Required::sides).map(|[left, right]| quote!([#left, #right]));
        quote!(.requiring(&[#(#sides),*]))
    });
    let passes = &images.optimised.left_out;
    let left_out = (!passes.is_empty()).then(|| quote!(.without(&[#(#passes),*])));
    let numbers = &images.race_free_if;
    let race_free = (!numbers.is_empty()).then(|| quote!(.race_free_if(&[#(#numbers),*])));
    let native = native::constant(krate, &written, &written_locations);
    let messages = messages.tokens(krate);
    quote! {
        use #krate::__private::Kernel;
        #native
        static KERNEL: Kernel = Kernel::from_image(#text, #bytes)
            .located(#locations)
            .as_written(#written, #written_locations)
            .native(NATIVE)
            #requires #left_out #race_free #messages;
        &KERNEL
    }
}

/// The attributes of a kernel that its implementation needs as well.
const ON_IMPLEMENTATION: [&str; 4] = ["cfg", "allow", "warn", "deny"];

/// The kernel's name for an argument. In a refused signature two may have one name, and none
/// is used.
fn argument_name(index: usize, param: &Param, refused: bool) -> Ident {
    if refused { Ident::new(&format!("_{index}"), Span::mixed_site()) } else { param.name.clone() }
}

/// A parameter of `launch`.
fn parameter(krate: &syn::Path, param: &Param, name: Ident) -> TokenStream {
    match &param.kind {
        ParamKind::Buffer { element: Ty::Error, .. } | ParamKind::Scalar { ty: Ty::Error, .. } => {
            quote!(#name: impl ::core::marker::Sized)
        }
        // As written, so that its import is used.
        ParamKind::Buffer { written, elements: Elements::Distinct | Elements::Below, .. } => quote!(#name: #written),
        ParamKind::Buffer { element, written, access, .. } => {
            let element = absolute(element, written);
            match access {
                Access::Read => quote!(#name: &impl #krate::Readable<#element>),
                Access::ReadWrite | Access::Atomic => quote!(#name: &mut impl #krate::Writable<#element>),
            }
        }
        ParamKind::Scalar { ty, written } => {
            let ty = absolute(ty, written);
            quote!(#name: #ty)
        }
    }
}

/// A parameter of `record`.
fn recorded(krate: &syn::Path, param: &Param, name: Ident) -> TokenStream {
    match &param.kind {
        ParamKind::Buffer { element: Ty::Error, .. } | ParamKind::Scalar { ty: Ty::Error, .. } => {
            quote!(#name: impl ::core::marker::Sized)
        }
        ParamKind::Buffer { elements: Elements::Distinct, .. } => quote!(#name: &#krate::graph::DistinctSlot),
        ParamKind::Buffer { elements: Elements::Below, .. } => quote!(#name: &#krate::graph::BelowSlot),
        ParamKind::Buffer { element, written, access, .. } => {
            let element = absolute(element, written);
            match access {
                Access::Read => quote!(#name: &#krate::graph::BufferSlot<#element>),
                Access::ReadWrite | Access::Atomic => quote!(#name: &mut #krate::graph::BufferSlot<#element>),
            }
        }
        ParamKind::Scalar { ty, written } => {
            let ty = absolute(ty, written);
            quote!(#name: impl #krate::graph::Given<#ty>)
        }
    }
}

/// A number type, by a path that means it everywhere. `f16` is not a primitive type of stable Rust.
pub(crate) fn rust_type(ty: &Ty, krate: &syn::Path) -> Option<TokenStream> {
    match ty {
        Ty::Scalar(Scalar::F16) => Some(quote!(#krate::prelude::f16)),
        Ty::Bf16 => Some(quote!(#krate::prelude::bf16)),
        Ty::Usize => Some(quote!(::core::primitive::usize)),
        Ty::Scalar(scalar) => {
            let name = Ident::new(scalar.name(), Span::mixed_site());
            Some(quote!(::core::primitive::#name))
        }
        _ => None,
    }
}

/// A type's path for which the user's names do not matter, nor those of types in it. Types that are
/// not primitive stay as written, so that their imports are used.
pub(crate) fn absolute(ty: &Ty, written: &syn::Type) -> TokenStream {
    match (ty, syntax::peel_type(written)) {
        (Ty::Array(element, _), syn::Type::Array(array)) => {
            let element = absolute(element, &array.elem);
            let len = parenthesized(array.len.to_token_stream());
            return quote_spanned!(written.span()=> [#element; #len]);
        }
        (Ty::Vector(..) | Ty::Matrix(..), syn::Type::Path(path)) => {
            let lane = if let Ty::Matrix(column, _) = ty { column.lane() } else { ty.lane() };
            let mut path = path.path.clone();
            let last = path.segments.last_mut();
            let last = last.and_then(|last| Some((absolute(lane, syntax::type_argument(last)?), last)));
            if let Some((lane, last)) = last {
                last.arguments = syn::PathArguments::None;
                return quote_spanned!(written.span()=> #path<#lane>);
            }
        }
        _ => {}
    }
    let primitive = match ty {
        Ty::Scalar(scalar) | Ty::Atomic(scalar) => *scalar != Scalar::F16,
        Ty::Usize => true,
        _ => false,
    };
    match written {
        syn::Type::Path(path) if primitive => match path.path.segments.last() {
            // A type parameter is as good as absolute.
            Some(last) if Scalar::from_name(&last.ident.to_string()).is_some() || last.ident == "usize" => {
                // Its span is the user's, but it is not the user's code: lints must not see it.
                let name = &last.ident;
                let at = written.span().resolved_at(Span::mixed_site());
                quote_spanned!(at=> ::core::primitive::#name)
            }
            _ => quote!(#written),
        },
        _ => quote!(#written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Declared;
    use syn::parse_quote;

    fn signature() -> Signature {
        let f32 = || parse_quote!(f32);
        let param = |name: &str, kind| Param { name: Ident::new(name, Span::call_site()), mutable: false, kind };
        let buffer = |access| ParamKind::Buffer {
            element: Ty::Scalar(Scalar::F32),
            written: f32(),
            access,
            elements: Elements::Any,
        };
        Signature {
            attrs: vec![parse_quote!(#[cfg(all())])],
            vis: parse_quote!(pub(crate)),
            name: parse_quote!(r#saxpy),
            krate: parse_quote!(::samebits),
            workgroup_size: [64, 2, 1],
            declared: Declared::default(),
            fast_math: false,
            debug: false,
            requires: Vec::new(),
            denied: crate::signature::Denied::default(),
            warned: Vec::new(),
            params: vec![
                param("device", ParamKind::Scalar { ty: Ty::Scalar(Scalar::F32), written: f32() }),
                param("x", buffer(Access::Read)),
                param("y", buffer(Access::ReadWrite)),
            ],
            instances: Vec::new(),
            generics: syn::Generics::default(),
        }
    }

    /// The launcher as rustc sees it, and as text without spaces.
    fn emitted(sig: &Signature, image: Option<&[u8]>) -> (syn::File, String) {
        let mut tokens = head(sig, true, image.is_none());
        if let Some(bytes) = image {
            let optimised = Image { bytes: bytes.to_vec(), locations: vec![0, 9], left_out: Vec::new() };
            let written = Image { bytes: b"written".to_vec(), locations: vec![1], left_out: Vec::new() };
            tokens.extend(tail(
                sig,
                0,
                &Code::One(Images { optimised, written, race_free_if: Vec::new() }),
                &[],
                &Messages::default(),
            ));
        }
        let text = tokens.to_string().replace(' ', "");
        (syn::parse2(tokens).unwrap(), text)
    }

    #[test]
    fn the_launcher_is_a_type_with_an_implementation() {
        let (file, text) = emitted(&signature(), Some(b"\x00image\xff"));
        assert_eq!(file.items.len(), 3);
        assert!(text.contains("pub(crate)enumr#saxpy{}"), "{text}");
        assert!(
            text.contains(r#"from_image("saxpy",b"\0image\xFF").located(b"\0\t").as_written(b"written",b"\x01")"#),
            "{text}"
        );
        assert!(text.contains("device:::core::primitive::f32"), "{text}");
        assert!(text.contains("x:&impl::samebits::Readable<::core::primitive::f32>"), "{text}");
        assert!(text.contains("y:&mutimpl::samebits::Writable<::core::primitive::f32>"), "{text}");
    }

    #[test]
    fn a_condition_guards_all_items() {
        let (_, text) = emitted(&signature(), Some(b""));
        assert_eq!(text.matches("#[cfg(all())]").count(), 3);
    }

    #[test]
    fn a_refused_type_takes_anything() {
        let mut sig = signature();
        sig.params[1].kind = ParamKind::Scalar { ty: Ty::Error, written: parse_quote!(Wrong) };
        let (_, text) = emitted(&sig, None);
        assert!(text.contains("_1:impl::core::marker::Sized"), "{text}");
        assert!(
            text.contains("KERNEL.launch_linked(samebits_device,samebits_grid,&[],&Self::__samebits_constants())"),
            "{text}"
        );
    }
}
