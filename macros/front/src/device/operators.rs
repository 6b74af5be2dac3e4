//! `#[device] impl Add for Point`: operators of structs and enums.
//!
//! As with traits, the type lists its operators, `#[element(traits(Add, Mul<f32>, f32: Mul<Point>))]`, and each
//! implementation becomes a macro of a name that type and operator make. rustc sees no implementation of it, as of all
//! functions for kernels, and only judges whether the trait is the one of `core::ops`.
//!
//! Types that are operands of each other cannot each wait for the macro of the other one. So one of them may list an
//! implementation for the other, whose `#[device(listed_by(Point))]` says so; the attribute `listed_by` keeps that on the
//! item.
//!
//! The functions of one implementation may use what the type lists before it. So each is linked in two steps: first the
//! layout of the type, which tells the list, and then the macros of what stands before.

use super::element::Options;
use super::function::{Callable, attributes};
use super::methods::{bare, layout_name, own_name};
use super::traits::{self_name, spelled_type, twice};
use super::{Constants, facts, names, params};
use crate::generics;
use crate::infer::Ty;
use crate::link::chain::{Job, State, macro_for};
use crate::link::facts::{Fact, Kind, identity};
use crate::link::traits::last_name;
use crate::link::{Linked, Scope};
use crate::names::{Own, Within};
use crate::privacy::probes;
use crate::report::{Refused, Reporter};
use crate::spell::spelled;
use crate::syntax::{self, spelled_path};
use crate::types;
use crate::warn;
use crate::words::around::Around;
use crate::words::operators::{self, Form, LISTED_BY, Operator, is_of_other, lister};
use crate::words::reserved::is_of_language;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use samebits_ir::diag::{Code, Diag};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// A trait that a type lists, or an operator.
#[derive(Clone)]
pub(super) struct Listed {
    /// The type on the left of an operator, if that is one of the language.
    pub of: Option<syn::Type>,
    /// The trait, with the type on the right of an operator.
    pub path: syn::Path,
}

impl Listed {
    /// The operator, if it is one.
    pub fn operator(&self) -> Option<&'static Operator> {
        operators::by_trait(&self.path)
    }

    /// The macro of its implementation for a type of this name and these parameters.
    pub fn marker(&self, name: &Ident, params: &[String]) -> Ident {
        let of = self.of.as_ref().map_or_else(|| syntax::plain(name), spelled_type);
        marker((&self.path, &of), name, params)
    }
}

impl Listed {
    /// The report that the file of the type shows no implementation.
    pub fn lacking(&self, name: &Ident) -> Option<Refused> {
        let ty = self.of.as_ref().map_or_else(|| syntax::plain(name), spelled);
        let of_trait = last_name(&self.path);
        Around::lacks_implementation(name, &of_trait, &ty).then(|| {
            let shown = spelled(&self.path);
            let message = format!("`{name}` lists `{shown}`, but there is no `#[device] impl {shown} for {ty}`");
            Refused::new(Code::V102, message).help("write it in the module of the type, or remove it from the list")
        })
    }
}

/// The name of the macro of an implementation, in which a parameter goes by its number.
fn marker((path, of): (&syn::Path, &str), name: &Ident, params: &[String]) -> Ident {
    let own = |ty: &syn::Type| match syntax::peel_type(ty) {
        syn::Type::Path(ty) => ty.path.segments.last().is_some_and(|last| last.ident == *name || last.ident == "Self"),
        _ => false,
    };
    let right = path.segments.last().and_then(syntax::type_argument).filter(|ty| !own(ty) || *name != of);
    let right = right.map_or_else(String::new, |ty| format!("_{}", spelled_right(ty, params)));
    let at = path.segments.last().map_or_else(|| name.span(), |last| last.ident.span());
    Ident::new(&format!("__samebits_{}{right}_for_{of}", last_name(path)), at)
}

/// A type on the right of an operator as a part of a name.
fn spelled_right(ty: &syn::Type, params: &[String]) -> String {
    fn numbered(tokens: TokenStream, params: &[String]) -> TokenStream {
        let numbered = tokens.into_iter().map(|tree| match tree {
            TokenTree::Ident(ident) => match params.iter().position(|param| ident.unraw() == *param) {
                Some(at) => Ident::new(&format!("__{at}"), ident.span()).into(),
                None => ident.into(),
            },
            TokenTree::Group(group) => {
                proc_macro2::Group::new(group.delimiter(), numbered(group.stream(), params)).into()
            }
            other => other,
        });
        numbered.collect()
    }
    spelled(numbered(ty.to_token_stream(), params)).replace(|c: char| !c.is_alphanumeric(), "_")
}

/// Whether an argument of `#[device]` says which type lists an operator.
pub(super) fn names_lister(meta: &syn::Meta) -> bool {
    let named = |list: &syn::MetaList| syn::parse2::<Ident>(list.tokens.clone()).is_ok();
    meta.path().is_ident(LISTED_BY) && matches!(meta, syn::Meta::List(list) if named(list))
}

/// What arguments of `#[device]` say of that as an attribute, if this is the implementation of an operator.
pub(super) fn lister_of(args: &TokenStream, item: &syn::Item) -> Option<syn::Attribute> {
    let syn::Item::Impl(item) = item else { return None };
    operators::of(item)?;
    let meta = syntax::separated::<syn::Meta>(args.clone()).ok()?.into_iter().find(names_lister)?;
    Some(syn::parse_quote!(#[#meta]))
}

/// The type that lists an implementation: the one that `listed_by` names, that on the left, or that on the right of one
/// of the language.
pub(super) fn home(item: &syn::ItemImpl) -> Option<&Ident> {
    if !is_of_other(item) {
        return own_name(item).filter(|name| syntax::is_type_name(name));
    }
    let (_, path, _) = item.trait_.as_ref()?;
    match syntax::peel_type(syntax::type_argument(path.segments.last()?)?) {
        syn::Type::Path(right) if !is_of_language(&syn::Type::Path(right.clone())) => {
            let name = right.path.segments.last().filter(|_| right.path.segments.len() == 1)?;
            Some(&name.ident).filter(|name| syntax::is_type_name(name))
        }
        _ => None,
    }
}

/// The macro of an implementation.
fn marker_of(item: &syn::ItemImpl, home: &Ident) -> Option<Ident> {
    let (_, path, _) = item.trait_.as_ref()?;
    let of = if is_of_other(item) { spelled_type(&item.self_ty) } else { syntax::plain(home) };
    Some(marker((path, &of), home, &generics::of_self(item).unwrap_or_default()))
}

/// The parameters of a struct or an enum by name, in order.
pub(super) fn parameters(item: &syn::Item) -> Vec<String> {
    let names = |of: &syn::Generics| crate::link::slots_of(of).iter().map(|slot| slot.name().to_owned()).collect();
    match item {
        syn::Item::Struct(item) => names(&item.generics),
        syn::Item::Enum(item) => names(&item.generics),
        _ => Vec::new(),
    }
}

/// What of a type is linked as well, once its layout tells what it lists: what stands before this implementation.
pub(crate) fn before(state: &State) -> Vec<syn::Path> {
    if !matches!(state.job, Job::Methods | Job::Implementation) || super::is_refused(&state.arguments) {
        return Vec::new();
    }
    let Ok(item) = syn::parse2::<syn::ItemImpl>(state.item.clone()) else { return Vec::new() };
    let operator = operators::of(&item);
    let Some(home) = (if operator.is_some() { home(&item) } else { own_name(&item) }) else { return Vec::new() };
    let fact = [layout_name(home), self_name(home)].into_iter().find_map(|name| state.found(&name.into()));
    let Some(declared) = fact.and_then(|fact| fact.items.first()) else { return Vec::new() };
    let attrs = match declared {
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        _ => return Vec::new(),
    };
    let (options, params) = (Options::of(attrs).0, parameters(declared));
    let marker = |listed: &Listed| match listed.operator() {
        Some(_) => Some(listed.marker(home, &params)),
        None => super::traits::marker_of_listed(listed, home),
    };
    let traits: Vec<Listed> = options.traits.into_iter().filter(|listed| listed.lacking(home).is_none()).collect();
    let all: Vec<Ident> = traits.iter().filter_map(marker).collect();
    let has_methods = options.methods.is_some();
    let mut found: Vec<Ident> = Vec::new();
    let own = match (state.job, operator) {
        // Others that methods may use would have to know the methods.
        (Job::Methods, _) => {
            let operators = traits.iter().zip(all).take(options.before_methods);
            found.extend(operators.filter(|(listed, _)| listed.operator().is_some()).map(|(_, marker)| marker));
            return found.into_iter().map(syn::Path::from).collect();
        }
        (_, Some(_)) => marker_of(&item, home),
        (_, None) => item.trait_.as_ref().map(|(_, path, _)| super::traits::marker_of_path(path, home)),
    };
    let Some(at) = own.and_then(|own| all.iter().position(|marker| *marker == own)) else { return Vec::new() };
    let after_methods = has_methods && at >= options.before_methods;
    for (listed, marker) in traits.iter().zip(&all).take(at) {
        // A trait knows the methods, which must not lead back here.
        if listed.operator().is_some() || operator.is_none() || after_methods || !has_methods {
            found.push(marker.clone());
        }
    }
    if operator.is_some() && after_methods {
        found.push(self_name(home));
    }
    found.into_iter().map(syn::Path::from).collect()
}

/// What stands for an implementation that was refused, so that what lists it and what stands behind it are no further
/// mistakes.
pub(super) fn placeholder(item: &syn::ItemImpl) -> TokenStream {
    let marker = home(item).and_then(|home| marker_of(item, home));
    marker.map_or_else(TokenStream::new, |marker| super::traits::broken(&marker, &item.attrs))
}

/// What rustc sees of an implementation: which trait it is of, and a type that has the constants from outside.
pub(super) fn head(item: &syn::ItemImpl, operator: &Operator, krate: &syn::Path) -> Result<TokenStream, TokenStream> {
    let refuse = |node: &dyn ToTokens, message: &str, help: &str| Refused::new(Code::V102, message).help(help).on(node);
    let Some((not, path, _)) = &item.trait_ else { return Err(TokenStream::new()) };
    if let Some(not) = not {
        return Err(refuse(not, "a `#[device] impl` cannot be negative", "remove it"));
    }
    let Some(home) = home(item) else {
        let message = "an operator of kernels must be of a struct or an enum of the same module, named without a path";
        let help = "write `impl Mul<f32> for Name` or `impl Mul<Name> for f32`; references are no values in a kernel";
        return Err(refuse(&item.self_ty, message, help));
    };
    let mut reporter = Reporter::new();
    params::unsuitable_generics(&item.generics, "a `#[device] impl`", &mut reporter);
    let wrong = reporter.tokens();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    if let Some(name) = lister(item).filter(|name| name != home) {
        let message = format!("`listed_by({name})` does not name an operand of this operator");
        return Err(refuse(&item.self_ty, &message, "name the type on the right, which then lists this operator"));
    }
    if is_of_other(item) {
        if !item.generics.params.is_empty() {
            let help = "write one for each type";
            let message = "an operator that the type on its right lists cannot be generic";
            return Err(refuse(&item.generics, message, help));
        }
    } else if generics::of_self(item).is_none() {
        let help = "make each argument a parameter: `impl<T: Number> Add for Pair<T>`";
        return Err(refuse(&item.self_ty, "a `#[device] impl` must be for all types of its struct", help));
    }
    let Some(marker) = marker_of(item, home) else { return Err(TokenStream::new()) };
    let conditions = syntax::conditions(&item.attrs);
    // Integers have all operators.
    let bare = syntax::bare(path);
    let number = quote!(::core::primitive::i32);
    let of = match operator.form {
        Form::Binary | Form::Assign | Form::Conversion => quote_spanned!(path.span()=> #bare<#number>),
        Form::Unary => quote_spanned!(path.span()=> #bare),
    };
    let right = path.segments.last().and_then(syntax::type_argument);
    let output = operators::output(item).map(|output| &output.ty);
    // What is written `Self` is named beside it.
    let types = right.into_iter().chain(output).filter(|ty| !syntax::has_word(&ty.to_token_stream(), "Self"));
    let types = types.chain([&*item.self_ty]);
    let classes = generics::demanded(&item.generics, types, krate);
    Ok(quote! {
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations, dead_code)]
        enum #marker {}
        #(#conditions)*
        const _: () = {
            const fn operator<__T: #of>() {}
            operator::<#number>();
        };
        #(#conditions)*
        #classes
    })
}

/// An implementation once all that it names is linked. What was refused is not compiled.
pub(super) fn finish(item: syn::ItemImpl, krate: &syn::Path, mut linked: Linked, refused: bool) -> TokenStream {
    let (Some(operator), Some((_, path, _)), Some(home)) = (operators::of(&item), &item.trait_, home(&item)) else {
        return TokenStream::new();
    };
    let (Some(marker), layout) = (marker_of(&item, home), layout_name(home)) else { return TokenStream::new() };
    let Some(structure) = linked.direct().find(|(path, _)| path.is_ident(&layout)).map(|(_, fact)| fact.clone()) else {
        return TokenStream::new();
    };
    let mut reporter = Reporter::new();
    let (id, hash) = identity(&marker);
    let conditions = syntax::conditions(&item.attrs);
    let declared = structure.items.first();
    let attrs = match declared {
        Some(syn::Item::Struct(item)) => &item.attrs[..],
        Some(syn::Item::Enum(item)) => &item.attrs[..],
        _ => &[],
    };
    let params = declared.map(parameters).unwrap_or_default();
    let listed = Options::of(attrs).0.traits;
    if !listed.iter().any(|listed| listed.marker(home, &params) == marker) && !structure.broken && !refused {
        let written = written(&item, path);
        let what = if operator.sign == "from" {
            "a conversion".to_owned()
        } else {
            format!("the operator `{}`", operator.sign)
        };
        let message = format!("`{home}` does not say that it has {what}");
        let help = format!("write `#[element(traits({written}))]` below the `#[derive(…)]` of `{home}`");
        reporter.refuse(path, Refused::new(Code::V102, message).help(help));
    }
    let mut known = names(&linked);
    known.retain(|(path, _)| layout != path && self_name(home) != path);
    known.push((syntax::plain(home), structure.id.clone()));
    let mut fact = Fact {
        kind: Kind::Implementation,
        id: id.clone(),
        name: format!("{}::{}", spelled(&item.self_ty), operator.function),
        broken: false,
        names: known,
        constants: Vec::new(),
        values: Vec::new(),
        items: vec![syn::Item::Impl(bare(item.clone()))],
    };
    linked.name(home.clone().into(), structure.clone());
    linked.name(marker.clone().into(), fact.clone());
    let scope = linked.scope();
    attributes_of_item(&item.attrs, &mut reporter);
    let given = generics::of_self(&item).map_or(0, |given| given.len());
    // rustc says so of another number of arguments, where its types are named.
    let fits = is_of_other(&item) || given == crate::link::slots(&structure).len();
    let refused = refused || !fits;
    let mut constants = Constants::new(krate);
    let mut uses = Vec::new();
    let mut seen: Vec<&Ident> = Vec::new();
    let right = path.segments.last().and_then(syntax::type_argument);
    for part in item.items.iter().filter(|_| !refused) {
        let function = match part {
            syn::ImplItem::Fn(function) if function.sig.ident == operator.function => function,
            syn::ImplItem::Type(output) if output.ident == "Output" && operator.has_output() => continue,
            other => {
                let message = format!("`{}` has nothing like this", operator.of_trait);
                let help = expected(operator, &item, right);
                reporter.refuse(other, Refused::new(Code::V203, message).help(format!("it has {help}")));
                continue;
            }
        };
        if twice(&mut seen, &function.sig.ident, &mut reporter) {
            continue;
        }
        let of_other = is_of_other(&item);
        let self_ty = of_other.then(|| types::read(&item.self_ty, &scope).unwrap_or(Ty::Error));
        attributes(&function.attrs, &mut reporter);
        let callable = Callable {
            sig: &function.sig,
            block: &function.block,
            scope,
            home: Some(id.clone()),
            of: (!of_other).then_some((&item, &structure)),
            own: Own { self_ty, ..Own::default() },
            id: &id,
        };
        let before = reporter.diags.count();
        uses.extend(callable.check(&mut constants, &mut reporter));
        if reporter.diags.count() == before && !structure.broken {
            signature_fits(&item, function, (operator, right), (&callable, scope), &mut reporter);
        }
    }
    if seen.is_empty() && !refused {
        let message = format!("this lacks `{}`", operator.function);
        let help = format!("write {}", expected(operator, &item, right));
        reporter.refuse(path, Refused::new(Code::V102, message).help(help));
    } else if operator.has_output() && operators::output(&item).is_none() && !refused {
        let diag = Diag::new(Code::V102, reporter.loc(path), "this lacks the type of the result");
        reporter.report(diag.help("write `type Output = …;`"));
    }
    let (probes, unnamed) = probes(&uses, &linked, Some(&structure.id), krate);
    let mut errors = reporter.tokens();
    errors.extend(unnamed);
    let right = errors.is_empty() && !constants.wrong && !refused;
    let bodies = item.items.iter().filter_map(|part| match part {
        syn::ImplItem::Fn(function) if right => Some(function),
        _ => None,
    });
    let warnings = bodies.map(|function| {
        let attrs = [item.attrs.as_slice(), &function.attrs].concat();
        warn::warnings((&function.sig, &function.block), &TokenStream::new(), &attrs, &linked)
    });
    let warnings: TokenStream = warnings.collect();
    constants.named(&linked);
    let passed_on = constants.implementation(&quote!(#marker), &conditions);
    fact.constants.clone_from(&constants.list);
    fact.broken = !right;
    let definition = macro_for(&marker, hash, &syn::Visibility::Inherited, &conditions, facts(&fact, &linked));
    quote! { #errors #probes #passed_on #definition #warnings }
}

/// Reports attributes that mean nothing on an implementation.
fn attributes_of_item<'a>(attrs: &'a [syn::Attribute], reporter: &mut Reporter<'a>) {
    crate::attributes::of_item(attrs, "helper", &["inline", "must_use", LISTED_BY], reporter);
}

/// How a type lists an implementation.
fn written(item: &syn::ItemImpl, path: &syn::Path) -> String {
    match is_of_other(item) {
        true => format!("{}: {}", spelled(&item.self_ty), spelled(path)),
        false => spelled(path),
    }
}

/// What an implementation holds, as one writes it.
fn expected(operator: &Operator, item: &syn::ItemImpl, right: Option<&syn::Type>) -> String {
    let right = right.map_or_else(|| spelled(&item.self_ty), spelled);
    let function = operator.function;
    match operator.form {
        Form::Binary => format!("`type Output` and `fn {function}(self, other: {right}) -> Self::Output`"),
        Form::Unary => format!("`type Output` and `fn {function}(self) -> Self::Output`"),
        Form::Assign => format!("`fn {function}(&mut self, other: {right})`"),
        Form::Conversion => format!("`fn {function}(value: {right}) -> Self`"),
    }
}

/// Reports a function that is not as its trait says.
fn signature_fits<'a>(
    item: &'a syn::ItemImpl,
    function: &'a syn::ImplItemFn,
    (operator, right): (&Operator, Option<&syn::Type>),
    (callable, scope): (&Callable<'a, '_>, Scope<'a>),
    reporter: &mut Reporter<'a>,
) {
    let sig = &function.sig;
    let instance = callable.first_instance();
    let names = Within { own: &instance, around: &scope };
    let read = |ty: &syn::Type| types::read(ty, &names).ok();
    let own = read(&item.self_ty);
    let by_reference = sig.receiver().map(|own| own.reference.is_some() && own.mutability.is_some());
    let by_value = sig.receiver().map(|own| own.reference.is_none());
    let takes = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(typed) => Some(&*typed.ty),
        syn::FnArg::Receiver(_) => None,
    });
    let takes: Vec<&syn::Type> = takes.collect();
    let operand = || takes.len() == 1 && takes.first().and_then(|ty| read(ty)) == right.map_or(own.clone(), read);
    let gives = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => read(ty),
    };
    let result = || gives.is_some() && operators::output(item).is_none_or(|output| read(&output.ty) == gives);
    let fits = match operator.form {
        Form::Binary => by_value == Some(true) && operand() && result(),
        Form::Unary => by_value == Some(true) && takes.is_empty() && result(),
        Form::Assign => by_reference == Some(true) && operand() && matches!(sig.output, syn::ReturnType::Default),
        Form::Conversion => by_value.is_none() && operand() && gives == own,
    };
    if !fits || !sig.generics.params.is_empty() {
        let message = format!("`{}` differs from that of `{}`", sig.ident, operator.of_trait);
        let help = format!("it has {}", expected(operator, item, right));
        reporter.refuse(&sig.ident, Refused::new(Code::V200, message).help(help));
    }
}

/// How to write what a type lists that it cannot.
pub(super) fn unsuitable(listed: &Listed) -> Option<Refused> {
    let shown = spelled_path(&listed.path);
    let arguments = !syntax::is_bare(&listed.path) || listed.of.is_some();
    let name = last_name(&listed.path);
    if let Some(instead) = operators::instead_of_trait(&listed.path) {
        let message = format!("`{name}` is no trait that kernels have");
        return Some(Refused::new(Code::V101, message).help(instead));
    }
    (arguments && listed.operator().is_none()).then(|| {
        let message = format!("`{shown}` is no operator, and the traits of kernels have no parameters");
        Refused::new(Code::V101, message).help(format!("write `{shown}` alone"))
    })
}
