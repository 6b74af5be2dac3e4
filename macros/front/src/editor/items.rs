//! What the language has and Rust lacks, as items that an editor can show: the functions and
//! methods of the tables of ops, with their words.
//!
//! The items are those of `samebits::__private::editor`, where the types stand that they name: `Value`, with the
//! types of a value's results, `never()`, `Ids`, vectors and `Atomic`. An op that is added to a table has its item at once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use samebits_ir::ops::{AtomicOp, Function, Op, Part, Signature, SubgroupSignature};
use samebits_ir::types::{Scalar, Type};

/// The names of operands, as the tables count them.
const OPERANDS: [&str; 4] = ["first", "second", "third", "fourth"];

/// All of the items.
///
/// ```
/// let items = samebits_front::editor::items().to_string();
/// assert!(items.contains("fn mul_hi") && items.contains("fn fetch_add"));
/// ```
pub fn items() -> TokenStream {
    let (functions, halves, atomics) = (functions(), methods(Scalar::F16), atomics());
    quote! {
        /// The functions of the language.
        pub mod functions {
            use super::*;
            #functions
        }
        /// Methods of `f16`.
        pub trait MethodsOfF16: Value { #halves }
        impl MethodsOfF16 for f16 {}
        #atomics
    }
}

fn scalar(scalar: Scalar) -> Ident {
    Ident::new(scalar.name(), Span::call_site())
}

/// A type of the table as Rust writes it.
fn ty(ty: Type) -> TokenStream {
    match ty {
        Type::Vector(lane, lanes) => {
            let (name, lane) = (format_ident!("Vec{lanes}"), scalar(lane));
            quote!(#name<#lane>)
        }
        Type::Scalar(of) => {
            let of = scalar(of);
            quote!(#of)
        }
        Type::Array(_) | Type::Struct(_) | Type::Bytes | Type::Error => quote!(()),
    }
}

/// A type that follows from that of the first operand, `first`.
fn part(part: Part, first: &TokenStream) -> TokenStream {
    match part {
        Part::Same => first.clone(),
        Part::Unsigned => quote!(#first::Unsigned),
        Part::U32 => quote!(#first::U32),
        Part::I32 => quote!(#first::I32),
        Part::Bool => quote!(#first::Bool),
    }
}

fn operands(types: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let params = types.into_iter().zip(OPERANDS).map(|(ty, name)| {
        let name = Ident::new(name, Span::call_site());
        quote!(#name: #ty)
    });
    quote!(#(#params),*)
}

/// The functions of the language.
fn functions() -> TokenStream {
    let named = |function: Function| {
        let (name, doc) = (Ident::new(function.name(), Span::call_site()), format!(" {}", function.doc()));
        let first = quote!(T);
        let rest = match function {
            Function::Builtin(builtin) if builtin.axis().is_some() => quote!(() -> Ids),
            Function::Builtin(_) => quote!(() -> usize),
            Function::Barrier => quote!(()),
            Function::Broadcast => quote!(<T: Copy>(cell: &T) -> T),
            Function::Fence => quote!((order: Ordering)),
            Function::FenceIn => quote!((order: Ordering, scope: Scope)),
            Function::Op(op) => match op.info().signature {
                Signature::Lanes(_, parts, result) => {
                    let params = operands(parts.iter().map(|of| part(*of, &first)));
                    let result = part(result, &first);
                    quote!(<T: Value>(#params) -> #result)
                }
                Signature::Fixed(types, result) => {
                    let (params, result) = (operands(types.iter().map(|of| ty(*of))), ty(result));
                    quote!((#params) -> #result)
                }
                // No function of the language has another shape.
                _ => return None,
            },
            Function::Subgroup(op) => match op.signature() {
                SubgroupSignature::Value(_) if op.moves() => quote!(<T: Copy>(first: T) -> T),
                SubgroupSignature::Value(_) => quote!(<T: Value>(first: T) -> T),
                SubgroupSignature::Exchange(_) => quote!(<T: Copy>(first: T, second: u32) -> T),
                SubgroupSignature::Vote => quote!((first: bool) -> bool),
                SubgroupSignature::Ballot => quote!((first: bool) -> u32),
                SubgroupSignature::Elect => quote!(() -> bool),
            },
        };
        Some(quote!(#[doc = #doc] pub fn #name #rest { never() }))
    };
    Function::all().filter_map(named).collect()
}

/// The methods of a number.
fn methods(lane: Scalar) -> TokenStream {
    let mut seen: Vec<&str> = Vec::new();
    let mut methods = TokenStream::new();
    let own = quote!(Self);
    for (name, op) in Op::methods(lane) {
        let info = op.info();
        let Signature::Lanes(_, parts, result) = info.signature else { continue };
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let (name, doc) = (Ident::new(name, Span::call_site()), format!(" {}", info.doc));
        let params = operands(parts[1..].iter().map(|of| part(*of, &own)));
        let result = part(result, &own);
        methods.extend(quote!(#[doc = #doc] fn #name(self, #params) -> #result { never() }));
    }
    methods
}

/// The methods of atomics: without an order, with one, and with one and a scope.
fn atomics() -> TokenStream {
    let (mut plain, mut ordered, mut scoped) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for op in AtomicOp::ALL {
        let doc = format!(" {}", op.doc());
        let values: Vec<TokenStream> = (0..op.operands()).map(|_| quote!(T)).collect();
        let values = operands(values);
        let first = if values.is_empty() { TokenStream::new() } else { quote!(#values,) };
        let result = (*op != AtomicOp::Store).then(|| quote!(-> T));
        let exchanges = *op == AtomicOp::CompareExchange;
        let orders = if exchanges { quote!(success: Ordering, failure: Ordering) } else { quote!(order: Ordering) };
        let weak = exchanges.then_some("compare_exchange_weak");
        for name in [op.rust()].into_iter().chain(weak) {
            let (name, name_in) = (format_ident!("{name}"), format_ident!("{name}_in"));
            plain.extend(quote!(#[doc = #doc] fn #name(&self, #values) #result { never() }));
            ordered.extend(quote!(#[doc = #doc] pub fn #name(&self, #first #orders) #result { never() }));
            scoped.extend(quote!(#[doc = #doc] fn #name_in(&self, #first #orders, scope: Scope) #result { never() }));
        }
    }
    quote! {
        /// Methods of atomics. Without an order they are relaxed; all but `store` give the value from before.
        pub trait Atomics<T> {
            /// The same number, whose methods take an order.
            #[doc(hidden)]
            fn ordered(&self) -> Ordered<T> { never() }
            #plain
            #scoped
        }
        impl<T> Atomics<T> for Atomic<T> {}
        impl<T> Ordered<T> { #ordered }
    }
}

/// The swizzles of vectors, which the host has too.
///
/// ```
/// assert!(samebits_front::editor::swizzles().to_string().contains("fn zyx"));
/// ```
pub fn swizzles() -> TokenStream {
    (2..=4).map(swizzles_of).collect()
}

/// The swizzles of vectors of so many lanes.
fn swizzles_of(lanes: usize) -> TokenStream {
    let of = format_ident!("Vec{lanes}");
    let mut picked = vec![String::new()];
    let mut methods = TokenStream::new();
    for n in 1..=4 {
        let longer = |text: &String| "xyzw"[..lanes].chars().map(|lane| format!("{text}{lane}")).collect::<Vec<_>>();
        picked = picked.iter().flat_map(longer).collect();
        for text in picked.iter().filter(|_| n > 1) {
            let (method, result) = (Ident::new(text, Span::call_site()), format_ident!("Vec{n}"));
            let lanes = text.chars().map(|lane| Ident::new(&lane.to_string(), Span::call_site()));
            let doc =
                format!(" The lanes {}.", text.chars().map(|lane| format!("`{lane}`")).collect::<Vec<_>>().join(", "));
            methods.extend(
                quote!(#[doc = #doc] pub const fn #method(self) -> #result<T> { #result::new(#(self.#lanes),*) }),
            );
        }
    }
    quote!(impl<T: Copy> #of<T> { #methods })
}
