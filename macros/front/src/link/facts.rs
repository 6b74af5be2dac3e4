//! What a helper, a struct, a constant or a trait tells those that name it.
//!
//! In the tokens of the hidden macro it is a group, `{ FORMAT "version" fact… }`. The first
//! fact is the macro's own. The others are those that it was linked with, so one hop brings all
//! that is needed. A fact is `{ kind "id" "name" broken [names] [constants] [values] { items }
//! }`.

use super::signs;
use crate::class::Class;
use crate::depth;
use crate::generics::{self, Parameter};
use crate::known::Bits;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};

/// The form of the tokens; it counts up with each change.
pub const FORMAT: u32 = 3;

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `#[device] fn`
    Function,
    /// `#[derive(Element)] struct`, perhaps with its `#[device] impl`
    Struct,
    /// `#[derive(Element)] enum`, perhaps with its `#[device] impl`
    Enum,
    /// `#[device] const`
    Constant,
    /// `#[device] trait`
    Trait,
    /// `#[device] impl` of a trait
    Implementation,
}

const KINDS: [(Kind, &str); 6] = [
    (Kind::Function, "function"),
    (Kind::Struct, "structure"),
    (Kind::Enum, "enumeration"),
    (Kind::Constant, "constant"),
    (Kind::Trait, "protocol"),
    (Kind::Implementation, "implementation"),
];

/// What is known of a helper, a struct or a constant.
#[derive(Clone)]
pub struct Fact {
    /// What it is.
    pub kind: Kind,
    /// Where it was declared, unlike anything else.
    pub id: String,
    /// Its name there.
    pub name: String,
    /// Whether something is wrong with it, which was reported at its declaration.
    pub broken: bool,
    /// The paths in it that name facts, as written, and the facts' ids.
    pub names: Vec<(String, String)>,
    /// The constants from outside that it needs, in the order of their numbers.
    pub constants: Vec<PassedOn>,
    /// The values of the constants in it that are known, by their names.
    pub values: Vec<(String, Bits)>,
    /// The function, the struct and its implementation, or the constant.
    pub items: Vec<syn::Item>,
}

/// A constant from outside that a fact needs, an associated constant of its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassedOn {
    /// The id of the fact whose body names it.
    pub origin: String,
    /// How that body names it.
    pub key: String,
    /// Its type, as Rust spells it, or [`UNTOLD`].
    pub ty: String,
}

/// The type of an integer constant whose type no use in the fact's body decides.
pub const UNTOLD: &str = "_";

impl Fact {
    /// The function.
    pub fn function(&self) -> Option<&syn::ItemFn> {
        self.items.iter().find_map(|item| if let syn::Item::Fn(item) = item { Some(item) } else { None })
    }

    /// The struct.
    pub fn structure(&self) -> Option<&syn::ItemStruct> {
        self.items.iter().find_map(|item| if let syn::Item::Struct(item) = item { Some(item) } else { None })
    }

    /// The enum.
    pub fn enumeration(&self) -> Option<&syn::ItemEnum> {
        self.items.iter().find_map(|item| if let syn::Item::Enum(item) = item { Some(item) } else { None })
    }

    /// The parameters of the struct or the enum.
    pub fn generics(&self) -> Option<&syn::Generics> {
        self.structure().map(|item| &item.generics).or_else(|| self.enumeration().map(|item| &item.generics))
    }

    /// Whether it is an enum with a variant of this name, or of one that is not known because it is wrong.
    pub fn has_variant(&self, name: &str) -> bool {
        let of_name = |item: &syn::ItemEnum| item.variants.iter().any(|variant| variant.ident.unraw() == name);
        self.broken || self.enumeration().is_some_and(of_name)
    }

    /// The trait.
    pub fn of_trait(&self) -> Option<&syn::ItemTrait> {
        self.items.iter().find_map(|item| if let syn::Item::Trait(item) = item { Some(item) } else { None })
    }

    /// The implementation of a trait: the path of the trait, and the type that it is for.
    pub fn trait_and_type(&self) -> Option<(&syn::Path, &syn::Type)> {
        self.items.iter().find_map(|item| match item {
            syn::Item::Impl(item) => item.trait_.as_ref().map(|(_, path, _)| (path, &*item.self_ty)),
            _ => None,
        })
    }

    /// The methods and associated functions of the struct, or of a type as a trait has them.
    pub fn methods(&self) -> impl Iterator<Item = &syn::ImplItemFn> {
        self.implementations().filter_map(|item| if let syn::ImplItem::Fn(item) = item { Some(item) } else { None })
    }

    /// The associated constants of the struct, or of a type as a trait has them.
    pub fn associated(&self) -> impl Iterator<Item = &syn::ImplItemConst> {
        self.implementations().filter_map(|item| if let syn::ImplItem::Const(item) = item { Some(item) } else { None })
    }

    /// The implementation of the struct.
    pub fn implementation(&self) -> Option<&syn::ItemImpl> {
        self.items.iter().find_map(|item| if let syn::Item::Impl(item) = item { Some(item) } else { None })
    }

    fn implementations(&self) -> impl Iterator<Item = &syn::ImplItem> {
        self.implementation().into_iter().flat_map(|item| &item.items)
    }

    /// Arguments that a generic struct and its methods may have, for rustc to have some; nothing for another fact.
    pub fn sample(&self) -> Option<syn::AngleBracketedGenericArguments> {
        let own = generics::parameters(self.generics().filter(|generics| !generics.params.is_empty())?);
        let methods = self.implementation().and_then(|item| Some((generics::of_self(item)?, &item.generics)));
        let arguments = own.into_iter().enumerate().map(|(i, parameter)| {
            let narrower = methods.as_ref().and_then(|(names, of)| {
                generics::parameters(of).into_iter().find(|parameter| Some(&parameter.name()) == names.get(i))
            });
            match narrower.unwrap_or(parameter) {
                Parameter::Const { .. } => quote!(1),
                Parameter::Type { class: Some(Class::Float), .. } => quote!(::core::primitive::f32),
                Parameter::Type { class: Some(Class::Signed), .. } => quote!(::core::primitive::i32),
                _ => quote!(::core::primitive::u32),
            }
        });
        let arguments: Vec<TokenStream> = arguments.collect();
        syn::parse2(quote!(::<#(#arguments),*>)).ok()
    }

    /// Whether the type that it is lists a trait of this name, as far as that is kept.
    pub fn lists(&self, of_trait: &str) -> bool {
        let attrs = match self.items.first() {
            Some(syn::Item::Struct(item)) => &item.attrs[..],
            Some(syn::Item::Enum(item)) => &item.attrs[..],
            _ => &[],
        };
        attrs.iter().any(|attr| crate::syntax::has_word(&attr.meta.to_token_stream(), of_trait))
    }

    /// The value of a constant in it, if that is known.
    pub fn value(&self, name: &Ident) -> Option<&Bits> {
        self.values.iter().find(|(known, _)| name.unraw() == *known).map(|(_, bits)| bits)
    }

    /// The constant.
    pub fn constant(&self) -> Option<&syn::ItemConst> {
        self.items.iter().find_map(|item| if let syn::Item::Const(item) = item { Some(item) } else { None })
    }
}

/// The facts of one hidden macro, its own first.
pub struct Facts {
    /// The version of the macros that made them.
    pub version: String,
    /// The facts; nothing if they are of another form.
    pub list: Option<Vec<Fact>>,
}

impl ToTokens for Fact {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let word = |word: &str| Ident::new(word, Span::mixed_site());
        let kind = word(KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("", |(_, word)| word));
        let state = word(if self.broken { "broken" } else { "sound" });
        let text = Literal::string;
        let (id, name) = (text(&self.id), text(&self.name));
        let names = self.names.iter().flat_map(|(path, id)| [text(path), text(id)]);
        let constants = self.constants.iter().flat_map(|c| [text(&c.origin), text(&c.key), text(&c.ty)]);
        let values = self.values.iter().flat_map(|(name, bits)| [text(name), text(&written(bits))]);
        let items = &self.items;
        let items = signs::apart(quote!(#(#items)*));
        tokens.extend(quote!({ #kind #id #name #state [#(#names)*] [#(#constants)*] [#(#values)*] { #items } }));
    }
}

/// The tokens of facts in a hidden macro; the first fact is the macro's own.
pub fn tokens<'f>(facts: impl Iterator<Item = &'f Fact>) -> TokenStream {
    let format = Literal::u32_unsuffixed(FORMAT);
    let version = Literal::string(env!("CARGO_PKG_VERSION"));
    quote!({ #format #version #(#facts)* })
}

impl ToTokens for Facts {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (format, version) = (Literal::u32_unsuffixed(FORMAT), Literal::string(&self.version));
        let list = self.list.iter().flatten();
        // Facts of another form stay such.
        let format = if self.list.is_some() { format } else { Literal::u32_unsuffixed(0) };
        tokens.extend(quote!({ #format #version #(#list)* }));
    }
}

impl Parse for Facts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let inner;
        syn::braced!(inner in input);
        let format: syn::LitInt = inner.parse()?;
        let version = inner.parse::<syn::LitStr>()?.value();
        if format.base10_parse::<u32>().ok() != Some(FORMAT) {
            inner.parse::<TokenStream>()?;
            return Ok(Self { version, list: None });
        }
        let mut list = Vec::new();
        while !inner.is_empty() {
            list.push(inner.parse()?);
        }
        Ok(Self { version, list: Some(list) })
    }
}

impl Parse for Fact {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let inner;
        syn::braced!(inner in input);
        let kind: Ident = inner.parse()?;
        let Some((kind, _)) = KINDS.iter().find(|(_, word)| kind == word) else {
            return Err(syn::Error::new(kind.span(), "no such fact"));
        };
        let text = |input: ParseStream<'_>| input.parse::<syn::LitStr>().map(|text| text.value());
        let (id, name) = (text(&inner)?, text(&inner)?);
        let broken = inner.parse::<Ident>()? == "broken";
        let names = all(&inner, |list| Ok((text(list)?, text(list)?)))?;
        let passed = |list: ParseStream<'_>| Ok(PassedOn { origin: text(list)?, key: text(list)?, ty: text(list)? });
        let constants = all(&inner, passed)?;
        let values = all(&inner, |list| Ok((text(list)?, read(&text(list)?))))?;
        let body;
        syn::braced!(body in inner);
        if let Some(found) = depth::unparsed(body.fork().parse()?) {
            return Err(syn::Error::new(found.at, "these tokens are nested too deeply"));
        }
        let mut items = Vec::new();
        while !body.is_empty() {
            items.push(body.parse()?);
        }
        Ok(Self { kind: *kind, id, name, broken, names, constants, values, items })
    }
}

/// Bits as text: hexadecimal numbers.
fn written(bits: &Bits) -> String {
    bits.iter().map(|bits| format!("{bits:x}")).collect::<Vec<_>>().join(" ")
}

/// All that stands in brackets, one after the other.
fn all<T>(input: ParseStream<'_>, one: impl Fn(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<Vec<T>> {
    let list;
    syn::bracketed!(list in input);
    let mut all = Vec::new();
    while !list.is_empty() {
        all.push(one(&list)?);
    }
    Ok(all)
}

/// Bits from such a text. A malformed text gives too few bits, which is noticed when they are read
/// as a value of a type.
fn read(text: &str) -> Bits {
    text.split_ascii_whitespace().map_while(|bits| u64::from_str_radix(bits, 16).ok()).collect()
}

/// What tells a declaration from every other: its name, its crate, and a number for its place.
///
/// A macro may put one name, with one place in the source, into several modules, so that the
/// number counts declarations as well. rustc expands in the same order each time.
pub fn identity(name: &Ident) -> (String, u64) {
    let (id, hash) = identified(name);
    lock().insert(id.clone());
    (id, hash)
}

/// Whether a declaration is of the crate that is compiled. The names of crates would not tell: a package's
/// program, its examples and tests may be called as its library is. But rustc compiles one crate, whose
/// declarations were all named here.
pub fn is_own(id: &str) -> bool {
    lock().contains(id)
}

fn lock() -> MutexGuard<'static, BTreeSet<String>> {
    static OWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn identified(name: &Ident) -> (String, u64) {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let package = |key: &str| std::env::var(key).unwrap_or_default();
    let krate = package("CARGO_CRATE_NAME");
    let place = format!("{name} {:?} {}", name.span(), NEXT.fetch_add(1, Ordering::Relaxed));
    let whole = format!(
        "{krate} {} {} {place} {}",
        package("CARGO_PKG_NAME"),
        package("CARGO_PKG_VERSION"),
        name.span().file()
    );
    (format!("{krate}::{name} {:016x}", hash(&whole)), hash(&place))
}

/// FNV-1a: short, and the same on every machine.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
