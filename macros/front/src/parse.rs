//! The attribute's arguments and the function's signature.
//!
//! Everything that a kernel's signature cannot have is an error on its own tokens, and the rest
//! still makes a [`Signature`].

use crate::attributes;
use crate::class::Class;
use crate::declare::Declared;
use crate::generics::{self, Parameter};
use crate::hir::{BodyParam, Passing};
use crate::infer::Ty;
use crate::link::Scope;
use crate::names::Names;
use crate::report::{Refused, Reporter};
use crate::requires;
use crate::signature::{Denied, Param, ParamKind, Signature};
use crate::syntax;
use crate::types;
use crate::types::integer;
use crate::words::around::Around;
use proc_macro2::TokenStream;
use quote::ToTokens;
use samebits_ir::analysis::lints::Lint;
use samebits_ir::diag::{Code, Diag};
use samebits_ir::ir::{Access, Elements};
use samebits_ir::limits::{Limit, MAX_SIZE_ON_Z};
use samebits_ir::loc::Loc;
use samebits_ir::types::Scalar;
use syn::ext::IdentExt;

/// The workgroup size of a kernel that does not say.
const DEFAULT_WORKGROUP: [u32; 3] = [64, 1, 1];

/// The arguments of the attribute; wrong syntax is one error.
pub fn arguments(args: TokenStream) -> Result<Vec<syn::Meta>, TokenStream> {
    syntax::separated(args).map_err(|error| {
        let refused = Refused::new(Code::V101, error.to_string()).help("write `#[kernel(workgroup_size(256))]`");
        refused.over(error.span())
    })
}

/// Reads the signature of a kernel.
pub fn signature<'a>(
    args: &'a [syn::Meta],
    item: &'a syn::ItemFn,
    names: &dyn Names,
    reporter: &mut Reporter<'a>,
) -> (Signature, Vec<BodyParam>) {
    let Arguments { workgroup_size, declared, fast_math, debug, requires, denied, warned, krate } =
        attribute(args, (names, &requires::argument_names(&item.sig)), reporter);
    attributes::of_item(&item.attrs, "kernel", &[], reporter);
    refuse_qualifiers(&item.sig, reporter);
    let mut params = Vec::new();
    let mut body_params: Vec<BodyParam> = Vec::new();
    for input in &item.sig.inputs {
        let typed = match input {
            syn::FnArg::Typed(typed) => typed,
            syn::FnArg::Receiver(receiver) => {
                reporter.refuse(receiver, Refused::new(Code::V102, "a kernel cannot take `self`"));
                continue;
            }
        };
        let Some((name, mutable)) = syntax::binding(&typed.pat) else {
            let loc = reporter.loc(&*typed.pat);
            let names = refused_names(&typed.pat, loc);
            let each: Vec<String> = names.iter().map(|param| format!("`{}`", param.name)).collect();
            let help = match &each[..] {
                [] => "give it a name".to_owned(),
                [one] => format!("write only {one}"),
                each => format!("write a parameter for each of {}", each.join(", ")),
            };
            let diag = Diag::new(Code::V102, loc, "a parameter of a kernel must be a plain name");
            reporter.report(diag.help(help));
            body_params.extend(names);
            continue;
        };
        let loc = reporter.loc(name);
        if let Some(first) = body_params.iter().find(|p| name.unraw() == p.name) {
            let message = format!("parameter `{name}` is declared twice");
            let label = format!("`{name}` is first declared here");
            reporter.report(Diag::new(Code::V001, loc, message).label(first.loc, label));
            continue;
        }
        let (kind, ty, passing) = param(&typed.ty, names, reporter);
        params.push(Param { name: name.clone(), mutable, kind });
        body_params.push(BodyParam { name: name.unraw().to_string(), ty, passing, mutable, loc });
    }
    let is_bounded = |param: &&Param| matches!(param.kind, ParamKind::Buffer { elements: Elements::Below, .. });
    let bounded: Vec<String> = params.iter().filter(is_bounded).map(|param| param.name.unraw().to_string()).collect();
    let required = |list| requires::read(list, (&body_params, &bounded), names, reporter);
    let requires = requires.map_or_else(Vec::new, required);
    let signature = Signature {
        attrs: item.attrs.clone(),
        vis: item.vis.clone(),
        name: item.sig.ident.clone(),
        krate,
        workgroup_size,
        declared,
        fast_math,
        debug,
        requires,
        denied,
        warned,
        params,
        instances: Vec::new(),
        generics: item.sig.generics.clone(),
    };
    (signature, body_params)
}

/// The names in a pattern that a parameter cannot be, as parameters of an unknown type.
pub fn refused_names(pat: &syn::Pat, loc: Loc) -> Vec<BodyParam> {
    let param = |name| BodyParam { name, ty: Ty::Error, passing: Passing::Value, mutable: false, loc };
    syntax::pattern_names(pat).into_iter().map(param).collect()
}

/// What the attribute says.
struct Arguments<'a> {
    workgroup_size: [u32; 3],
    declared: Declared,
    fast_math: bool,
    debug: bool,
    requires: Option<&'a syn::MetaList>,
    denied: Denied,
    warned: Vec<Lint>,
    krate: syn::Path,
}

fn attribute<'a>(args: &'a [syn::Meta], names: (&dyn Names, &[String]), reporter: &mut Reporter<'a>) -> Arguments<'a> {
    let mut size = None;
    let mut krate = None;
    let mut fast_math = false;
    let mut debug = false;
    let mut declared = Declared::default();
    let mut requires = None;
    let mut denied = Denied::default();
    let mut warned = Vec::new();
    let mut given: Vec<String> = Vec::new();
    for arg in args {
        let name = arg.path().to_token_stream().to_string();
        let twice = given.contains(&name);
        match arg {
            syn::Meta::List(_) if twice && ["limits", "features", "requires"].contains(&name.as_str()) => {}
            syn::Meta::List(list) if name == "workgroup_size" => size = Some(list),
            syn::Meta::List(list) if name == "limits" => declared.read_limits(list, reporter),
            syn::Meta::List(list) if name == "features" => declared.read_features(list, reporter),
            syn::Meta::List(list) if name == "requires" => requires = Some(list),
            syn::Meta::List(list) if name == "deny" => denied = deny(list, reporter),
            syn::Meta::List(list) if name == "warn" => warned = warn(list, reporter),
            // Read by `instances`.
            syn::Meta::List(_) if name == "instances" => {}
            syn::Meta::NameValue(syn::MetaNameValue { value: syn::Expr::Path(path), .. }) if name == "crate" => {
                krate = Some(path.path.clone());
            }
            syn::Meta::Path(_) if name == "fast_math" => fast_math = true,
            syn::Meta::Path(_) if name == "debug" => debug = true,
            _ if [
                "workgroup_size",
                "limits",
                "features",
                "fast_math",
                "debug",
                "requires",
                "deny",
                "warn",
                "instances",
                "crate",
            ]
            .contains(&name.as_str()) =>
            {
                let message = format!("`{name}` is not written correctly");
                let help = "write `workgroup_size(256)`, `workgroup_size(16, 16)`, `fast_math`, `debug`, \
                            `limits(workgroup_memory = 32768)`, `features(f64)`, `requires(x.len() >= n)`, \
                            `deny(guards)`, `warn(all)`, `instances(T = [f32, u32])` or `crate = path`";
                reporter.refuse(arg, Refused::new(Code::V101, message).help(help));
                continue;
            }
            _ => {
                let message = format!("`{name}` is not an argument of `#[kernel]`");
                let help = "the arguments are `workgroup_size(x, y, z)`, `limits(…)`, `features(…)`, `fast_math`, `debug`, \
                            `requires(…)`, `deny(guards)`, `warn(all)`, \
                            `instances(T = […])` and `crate = path`";
                reporter.refuse(arg, Refused::new(Code::V101, message).help(help));
                continue;
            }
        }
        if twice {
            let refused = Refused::new(Code::V101, format!("`{name}` is given twice"));
            reporter.refuse(
                arg,
                match name.as_str() {
                    "requires" => refused.help("list all of them in one, with commas between"),
                    "instances" => refused.help("list all parameters in one, with commas between"),
                    _ => refused,
                },
            );
        }
        given.push(name);
    }
    let krate = krate.unwrap_or_else(syntax::our_crate);
    let workgroup_size = match size {
        Some(list) => workgroup_size(list, names, (&declared, args), reporter),
        None => DEFAULT_WORKGROUP,
    };
    Arguments { workgroup_size, declared, fast_math, debug, requires, denied, warned, krate }
}

/// What `warn` lists.
fn warn<'a>(list: &'a syn::MetaList, reporter: &mut Reporter<'a>) -> Vec<Lint> {
    let known = Lint::ALL.iter().map(|lint| format!("`{}`", lint.name())).collect::<Vec<_>>().join(", ");
    let help = format!("write `warn(all)`, or list some of {known}");
    let names: Vec<syn::Path> = syntax::separated(list.tokens.clone()).unwrap_or_default();
    if names.is_empty() {
        let message = "`warn` needs the name of what it warns of";
        reporter.refuse(list, Refused::new(Code::V101, message).help(help.as_str()));
    }
    let mut warned = Vec::new();
    for name in &names {
        let ident = name.get_ident().map(ToString::to_string).unwrap_or_default();
        let lints: Vec<Lint> = match ident.as_str() {
            "all" => Lint::ALL.to_vec(),
            one => Lint::ALL.iter().copied().filter(|lint| lint.name() == one).collect(),
        };
        if lints.is_empty() {
            let message = format!("`warn` does not know `{}`", syntax::spelled_path(name));
            reporter.refuse_tokens(name.to_token_stream(), Refused::new(Code::V101, message).help(help.as_str()));
        } else if lints.iter().any(|lint| warned.contains(lint)) {
            let message = format!("`warn` lists `{ident}` twice");
            reporter.refuse(list, Refused::new(Code::V101, message).help("list it once"));
        }
        warned.extend(lints);
    }
    warned
}

/// What `deny` lists.
fn deny<'a>(list: &'a syn::MetaList, reporter: &mut Reporter<'a>) -> Denied {
    const HELP: &str = "write `deny(guards)` or `deny(schedule)`, or both with a comma between";
    let names: Vec<syn::Path> = syntax::separated(list.tokens.clone()).unwrap_or_default();
    if names.is_empty() {
        let message = "`deny` needs the name of what it denies";
        reporter.refuse(list, Refused::new(Code::V101, message).help(HELP));
    }
    let mut denied = Denied::default();
    for name in &names {
        let flag = match name.get_ident().map(ToString::to_string).as_deref() {
            Some("guards") => &mut denied.guards,
            Some("schedule") => &mut denied.schedule,
            _ => {
                let message = format!("`deny` does not know `{}`", syntax::spelled_path(name));
                reporter.refuse_tokens(name.to_token_stream(), Refused::new(Code::V101, message).help(HELP));
                continue;
            }
        };
        if std::mem::replace(flag, true) {
            let message = format!("`deny` lists `{}` twice", syntax::spelled_path(name));
            reporter.refuse(list, Refused::new(Code::V101, message).help("list it once"));
        }
    }
    denied
}

/// Whether the size of a workgroup differs between instances: a constant parameter states it.
pub fn is_sized_by_instance(args: &[syn::Meta], sig: &syn::Signature) -> bool {
    let own = requires::constant_names(sig);
    let lists = args.iter().filter_map(|arg| match arg {
        syn::Meta::List(list) if list.path.is_ident("workgroup_size") => Some(list),
        _ => None,
    });
    let sizes = lists.flat_map(|list| syntax::separated::<syn::Expr>(list.tokens.clone()).unwrap_or_default());
    sizes.into_iter().any(|size| requires::own_in(&size, &own).is_some())
}

/// The size of a workgroup, which constants and constant parameters may state and the kernel's `arguments` may not.
fn workgroup_size<'a>(
    list: &'a syn::MetaList,
    (names, arguments): (&dyn Names, &[String]),
    (declared, args): (&Declared, &[syn::Meta]),
    reporter: &mut Reporter<'a>,
) -> [u32; 3] {
    let sizes: Vec<syn::Expr> = syntax::separated(list.tokens.clone()).unwrap_or_default();
    if let Some(param) = sizes.iter().find_map(|size| requires::own_in(size, arguments)) {
        let message = "a workgroup size cannot be an argument of the launch";
        let help = "write a literal, a `#[device]` constant or a constant parameter: `const N: usize`";
        reporter.refuse_tokens(param.to_token_stream(), Refused::new(Code::V101, message).help(help));
        return DEFAULT_WORKGROUP;
    }
    let known = |size: &syn::Expr| u32::try_from(integer::evaluate(size, names)?.value).ok();
    let literals: Vec<u32> = sizes.iter().map(known).collect::<Option<_>>().unwrap_or_default();
    if names.is_assumed() {
        // It is judged when the constants are linked.
        return DEFAULT_WORKGROUP;
    }
    if literals.is_empty() || literals.len() > 3 {
        let help = "write literals, `#[device]` constants or constant parameters: `workgroup_size(16, 16)`";
        let message = "`workgroup_size` takes one to three integers that are known here";
        reporter.refuse(&list.tokens, Refused::new(Code::V101, message).help(help));
        return DEFAULT_WORKGROUP;
    }
    let mut refuse = |axis: usize, code: Code, message: &str, help: &str| {
        let tokens = sizes.get(axis).map(ToTokens::to_token_stream).unwrap_or_default();
        reporter.refuse_tokens(tokens, Refused::new(code, message).help(help));
        DEFAULT_WORKGROUP
    };
    if let Some(axis) = literals.iter().position(|size| *size == 0) {
        return refuse(axis, Code::V003, "a workgroup size cannot be zero", "use at least 1 on each axis");
    }
    let [x, y, z] = [0, 1, 2].map(|i| literals.get(i).copied().unwrap_or(1));
    if z > MAX_SIZE_ON_Z {
        let message =
            format!("a workgroup of {z} invocations on z is more than the {MAX_SIZE_ON_Z} that any device has");
        return refuse(2, Code::V600, &message, &format!("use at most {MAX_SIZE_ON_Z} on z"));
    }
    let invocations = u64::from(x).saturating_mul(y.into()).saturating_mul(z.into());
    let limit = Limit::Invocations;
    if declared.is_unread() {
        // What it lists may well allow the size.
        return [x, y, z];
    }
    if let Some((than, mut help)) = limit.excess(invocations, &declared.limits()) {
        let message = format!("a workgroup of {x}×{y}×{z} = {invocations} invocations is more than {than}");
        let amount = u32::try_from(invocations).ok().filter(|amount| *amount <= limit.most());
        if let Some(amount) = amount {
            help = declared.allowing(limit, amount, args);
        }
        reporter.refuse(&list.tokens, Refused::new(limit.code(), message).help(help));
        // What could be declared counts, so that what else is needed is known.
        return if amount.is_some() { [x, y, z] } else { DEFAULT_WORKGROUP };
    }
    [x, y, z]
}

/// Reports the words before `fn`, and a list of parameters as C has it, that `what` cannot have. The helps are
/// those for `const` and for `async`.
pub fn refuse_words<'a>(
    sig: &'a syn::Signature,
    what: &str,
    (of_const, of_async): (Option<&str>, Option<&str>),
    reporter: &mut Reporter<'a>,
) {
    let words: [(Option<&'a dyn ToTokens>, &str, Option<&str>); 5] = [
        (sig.constness.as_ref().map(|word| word as &dyn ToTokens), "be `const`", of_const),
        (sig.asyncness.as_ref().map(|word| word as &dyn ToTokens), "be `async`", of_async),
        (sig.unsafety.as_ref().map(|word| word as &dyn ToTokens), "be `unsafe`", None),
        (sig.abi.as_ref().map(|abi| abi as &dyn ToTokens), "have an ABI", None),
        (sig.variadic.as_ref().map(|rest| rest as &dyn ToTokens), "be variadic", None),
    ];
    for (word, cannot, help) in words {
        if let Some(word) = word {
            reporter.refuse(word, Refused::new(Code::V102, format!("{what} cannot {cannot}")).advised(help));
        }
    }
}

/// Reports the bounds of a signature that are no traits of kernels.
pub fn refuse_bounds<'a>(generics: &'a syn::Generics, scope: Scope<'_>, reporter: &mut Reporter<'a>) {
    for (param, read) in generics.params.iter().zip(generics::parameters(generics)) {
        let Parameter::Type { name, class, traits } = read else { continue };
        let refused = match (traits.iter().find(|path| scope.trait_named(path).is_none()), class) {
            // It cannot have its name, which was reported there.
            (Some(path), _) if path.segments.last().is_some_and(|last| Around::links_to(&last.ident)) => continue,
            (Some(path), _) => {
                let message = format!("`{}` is not a trait that kernels can use", syntax::spelled_path(path));
                Refused::new(Code::V102, message).help(BOUNDS)
            }
            (None, Some(class))
                if class != Class::Element && !traits.is_empty() && scope.members(class, &name, &traits).is_empty() =>
            {
                let message = format!("no type of `{}` has the trait of `{name}`", class.name());
                Refused::new(Code::V102, message).help("leave out one of them")
            }
            _ => continue,
        };
        reporter.refuse(param, refused);
    }
}

/// The bounds that a type parameter may have.
pub const BOUNDS: &str = "write one of `Float`, `Int`, `Signed`, `Unsigned`, `Number`, `Element`, a trait with `#[device]`, \
                      or `Fn(f32) -> f32`, as the bound";

fn refuse_qualifiers<'a>(sig: &'a syn::Signature, reporter: &mut Reporter<'a>) {
    refuse_words(sig, "a kernel", (None, Some("remove `async`: launches are queued, and only a read waits")), reporter);
    let mut refuse = |node: &'a dyn ToTokens, message: &str, help: Option<&str>| {
        reporter.refuse(node, Refused::new(Code::V102, message).advised(help));
    };
    if sig.generics.params.iter().any(|param| matches!(param, syn::GenericParam::Lifetime(_))) {
        refuse(&sig.generics, "a kernel cannot have lifetime parameters", Some("remove them: write `&[T]`"));
    } else if let Some(clause) = &sig.generics.where_clause {
        refuse(clause, "a kernel cannot have a `where` clause", None);
    }
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        let unit = matches!(syntax::peel_type(ty), syn::Type::Tuple(tuple) if tuple.elems.is_empty());
        if !unit {
            refuse(&sig.output, "a kernel cannot return a value", Some("write results to a `&mut [T]` parameter"));
        }
    }
}

/// What a parameter of this type is; a refused one takes anything at the launch.
fn param<'a>(ty: &'a syn::Type, names: &dyn Names, reporter: &mut Reporter<'a>) -> (ParamKind, Ty, Passing) {
    let refused = || (ParamKind::Scalar { ty: Ty::Error, written: ty.clone() }, Ty::Error, Passing::Value);
    if let syn::Type::Path(path) = syntax::peel_type(ty)
        && let Some(last) = path.path.segments.last()
        && let Some(elements) = promised(&last.ident)
    {
        return match of_words(last) {
            Ok(()) => {
                let written = syntax::peel_type(ty).clone();
                let element = Ty::Scalar(Scalar::U32);
                let slice = Ty::Slice(Box::new(element.clone()));
                let kind = ParamKind::Buffer { element, written, access: Access::Read, elements };
                (kind, slice, Passing::Memory(Access::Read))
            }
            Err(error) => {
                reporter.refuse(ty, error);
                refused()
            }
        };
    }
    let read =
        match syntax::peel_type(ty) {
            syn::Type::Reference(reference) => buffer(reference, names),
            written => match types::read(written, names) {
                Ok(value) if is_argument(&value) && !matches!(&value, Ty::Struct(def) if def.is_marker()) => {
                    let kind = ParamKind::Scalar { ty: value.clone(), written: written.clone() };
                    return (kind, value, Passing::Value);
                }
                Ok(Ty::Error) => return refused(),
                Ok(Ty::Struct(def)) if def.is_marker() => Err(types::no_value(&def.name)),
                Ok(Ty::Atomic(_)) => Err(Refused::new(Code::V201, "an atomic cannot be passed by value")
                    .help("take a buffer of them: `&[Atomic<u32>]`")),
                Ok(sum) if sum.has_sum() => {
                    let message = format!("`{sum}` is a value in kernels alone, and cannot be passed at a launch");
                    Err(Refused::new(Code::V201, message).help(types::beside(&sum)))
                }
                Ok(large @ (Ty::Array(..) | Ty::Struct(_))) => {
                    let message = match large.flat().map(|leaves| leaves.len()) {
                        Some(leaves) => {
                            format!("`{large}` is {leaves} numbers, and at most {MAX_ARGUMENT} can be passed by value")
                        }
                        None => format!("`{large}` cannot be passed by value"),
                    };
                    let element = if let Ty::Array(element, _) = &large { element } else { &large };
                    Err(Refused::new(Code::V201, message).help(format!("take a buffer: `&[{element}]`")))
                }
                Ok(other) => Err(Refused::new(Code::V201, format!("`{other}` cannot be passed by value"))
                    .help("take a buffer: `&[T]`")),
                Err(refused) => Err(refused),
            },
        };
    match read {
        Ok((_, Ty::Error, _)) => refused(),
        Ok((written, element, access)) => {
            let ty = Ty::Slice(Box::new(element.clone()));
            (ParamKind::Buffer { element, written, access, elements: Elements::Any }, ty, Passing::Memory(access))
        }
        // rustc counts the arguments of a type itself, in the launcher's signature.
        Err(error) if error.code == Code::V204 => refused(),
        Err(error) => {
            reporter.refuse(ty, error);
            refused()
        }
    }
}

/// What the type of this name promises of the elements of a buffer.
pub fn promised(name: &syn::Ident) -> Option<Elements> {
    [("Distinct", Elements::Distinct), ("Below", Elements::Below)]
        .into_iter()
        .find(|(of, _)| name == of)
        .map(|(_, is)| is)
}

/// Whether this is `Distinct<'_, u32>` or its like.
fn of_words(segment: &syn::PathSegment) -> Result<(), Refused> {
    let name = &segment.ident;
    let refuse = |message: String| Err(Refused::new(Code::V201, message).help(format!("write `{name}<'_, u32>`")));
    let syn::PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return refuse(format!("`{name}` needs the type of its elements"));
    };
    let types: Vec<&syn::Type> = arguments
        .args
        .iter()
        .filter_map(|argument| if let syn::GenericArgument::Type(ty) = argument { Some(ty) } else { None })
        .collect();
    match types.as_slice() {
        [one] if matches!(syntax::peel_type(one), syn::Type::Path(path) if path.path.is_ident("u32")) => Ok(()),
        [one] => refuse(format!("`{name}` holds `u32`, not `{}`", one.to_token_stream())),
        _ => refuse(format!("`{name}` needs the type of its elements")),
    }
}

/// The most numbers and vectors that make up one argument of a launch. Each is a parameter, and an
/// array of them is copied by every invocation, for which drivers take longer and longer.
pub(crate) const MAX_ARGUMENT: usize = 512;

/// Whether a type may be passed by value at a launch.
fn is_argument(ty: &Ty) -> bool {
    match ty {
        Ty::Struct(_) | Ty::Array(..) | Ty::Matrix(..) => ty.flat().is_some_and(|leaves| leaves.len() <= MAX_ARGUMENT),
        other => other.value().is_some(),
    }
}

/// What the host sees of atomics, and of arrays of them.
fn without_atomic(written: &syn::Type) -> syn::Type {
    match syntax::peel_type(written) {
        syn::Type::Array(array) => {
            syn::Type::Array(syn::TypeArray { elem: Box::new(without_atomic(&array.elem)), ..array.clone() })
        }
        syn::Type::Path(path) => {
            let inner = path.path.segments.last().and_then(syntax::type_argument);
            inner.map_or_else(|| written.clone(), |ty| syntax::peel_type(ty).clone())
        }
        other => other.clone(),
    }
}

/// Element as written (without `Atomic`), element and access of `&[T]` and its like.
fn buffer(reference: &syn::TypeReference, names: &dyn Names) -> Result<(syn::Type, Ty, Access), Refused> {
    let refuse = |message: &str, help: &str| Refused::new(Code::V201, message).help(help);
    let syn::Type::Slice(slice) = syntax::peel_type(&reference.elem) else {
        let and = if reference.mutability.is_some() { "&mut " } else { "&" };
        let help = match types::read(&reference.elem, names) {
            Ok(Ty::Error) => return Ok((syntax::peel_type(&reference.elem).clone(), Ty::Error, Access::Read)),
            Ok(Ty::Array(element, _)) => format!("write `{and}[{element}]`"),
            Ok(
                Ty::Scalar(_) | Ty::Bf16 | Ty::Vector(..) | Ty::Matrix(..) | Ty::Usize | Ty::Struct(_) | Ty::Enum(_),
            ) => "remove the `&`: it is passed by value".to_owned(),
            Ok(Ty::Atomic(scalar)) => format!("write `&[Atomic<{}>]`", scalar.name()),
            Err(Refused { help: Some(help), .. }) if !help.starts_with("use one of") => help,
            _ => "write `&[T]` or `&mut [T]`".to_owned(),
        };
        return Err(refuse("a reference parameter must be a slice", &help));
    };
    let element = types::read(&slice.elem, names)?;
    let written = syntax::peel_type(&slice.elem).clone();
    let access = if reference.mutability.is_some() { Access::ReadWrite } else { Access::Read };
    match &element {
        element if matches!(element.innermost(), Ty::Atomic(_)) && access == Access::ReadWrite => {
            let help =
                if matches!(element, Ty::Atomic(_)) { "write `&[Atomic<T>]`" } else { "write `&[[Atomic<T>; N]]`" };
            Err(refuse("atomics are shared, so they cannot be borrowed as `&mut`", help))
        }
        element if matches!(element.innermost(), Ty::Atomic(_)) => {
            Ok((without_atomic(&written), element.clone(), Access::Atomic))
        }
        Ty::Vector(lane, lanes) if **lane == Ty::Scalar(Scalar::Bool) => Err(refuse(
            &format!("a buffer cannot hold `{element}`"),
            &format!("use `Vec{lanes}<u32>`, whose lanes are 0 for false and 1 for true"),
        )),
        Ty::Struct(def) if def.is_marker() => Err(types::no_value(&def.name)),
        _ if element.has_sum() => Err(types::no_sum("a buffer", &element)),
        _ if element.has_usize() => Err(types::no_usize(&element)),
        // The launcher, which knows nothing of the struct, lends a buffer as the signature says.
        _ if element.has_atomics() && access == Access::Read => Err(refuse(
            &format!("`{element}` holds atomics, so that a launch changes a buffer of it"),
            &format!("write `&mut [{element}]`"),
        )),
        _ if element.mixes_wide_atomics() => Err(types::mixed_atomics(&element)),
        Ty::Scalar(_) | Ty::Bf16 | Ty::Vector(..) | Ty::Matrix(..) | Ty::Struct(_) | Ty::Enum(_) | Ty::Error => {
            Ok((written, element, access))
        }
        Ty::Array(inner, _) if Class::Element.contains(inner) => Ok((written, element, access)),
        other => Err(refuse(
            &format!("a buffer cannot hold `{other}`"),
            "use a number, a vector, or an array or a struct of them as the element",
        )),
    }
}
