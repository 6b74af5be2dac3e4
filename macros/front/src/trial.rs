//! `#[samebits::test]`: a test that compares what devices compute with the function that it is on.
//!
//! The function becomes a test. Its parameters become a type of inputs, which is made by chance and made smaller, and the
//! function itself stays as it is: it computes what is right. Expressions of the attributes see the parameters, lists as
//! slices, and no names of ours: those of variables are hygienic, and those of items begin with `__`.

use crate::report::{Refused, Reporter};
use crate::syntax;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use samebits_ir::diag::Code;

/// What the attribute takes, for messages.
const ARGUMENTS: &str = "the arguments are `kernel = path`, `run = closure`, `grid = n`, `inputs = 32`, `seed = 0`, `on = [device]` and \
     `crate = path`";

/// Expands `#[test(args)] item`.
///
/// After a mistake the expansion holds the errors alone; nothing else in a program names a test.
///
/// ```
/// use quote::quote;
/// let right = quote! { fn halves(x: &[u32], y: &mut [u32]) { y[0] = x[0] / 2; } };
/// let expanded = samebits_front::trial::expand(quote!(kernel = halve), right.clone()).to_string();
/// assert!(expanded.contains("halve :: launch"));
/// assert!(samebits_front::trial::expand(quote!(), right).to_string().contains("V101"));
/// ```
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let metas = match syntax::separated::<syn::Meta>(args) {
        Ok(metas) => metas,
        Err(error) => {
            let refused = Refused::new(Code::V101, error.to_string()).help("write `#[samebits::test(kernel = name)]`");
            return refused.over(error.span());
        }
    };
    let function = match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let refused = Refused::new(Code::V102, "`#[samebits::test]` belongs on a function");
            return refused.on(&item);
        }
    };
    let mut reporter = Reporter::new();
    let arguments = arguments(&metas, &function, &mut reporter);
    signature(&function, &mut reporter);
    let params: Vec<Param> = function.sig.inputs.iter().filter_map(|input| param(input, &mut reporter)).collect();
    let compares = params.iter().any(|param| param.kind == Kind::Changed) || has_result(&function);
    if !reporter.has_errors() && !compares {
        let refused = Refused::new(Code::V102, "the test computes nothing that could be compared");
        reporter.refuse(&function.sig, refused.help("give it a parameter `&mut [T]`, or a result"));
    }
    match arguments {
        Some(arguments) if !reporter.has_errors() => test(&arguments, &function, &params),
        _ => reporter.tokens(),
    }
}

/// What runs on a device.
enum Run<'a> {
    /// A kernel, over a grid.
    Kernel { path: &'a syn::Path, grid: Option<&'a syn::Expr> },
    /// Anything that can be called with a device and the parameters.
    Call(&'a syn::Expr),
}

/// What the attribute says.
struct Arguments<'a> {
    run: Run<'a>,
    inputs: Option<&'a syn::Expr>,
    seed: Option<&'a syn::Expr>,
    on: Option<&'a syn::Expr>,
    krate: syn::Path,
}

/// Reads the attribute's arguments; nothing if they do not say what runs, which is reported.
fn arguments<'a>(
    metas: &'a [syn::Meta],
    function: &'a syn::ItemFn,
    reporter: &mut Reporter<'a>,
) -> Option<Arguments<'a>> {
    const NAMES: [&str; 7] = ["kernel", "run", "grid", "inputs", "seed", "on", "crate"];
    let mut given: [Option<&'a syn::Expr>; 7] = [None; 7];
    for meta in metas {
        let name = meta.path().to_token_stream().to_string();
        let Some(at) = NAMES.iter().position(|known| *known == name) else {
            let message = format!("`{name}` is not an argument of `#[samebits::test]`");
            reporter.refuse(meta, Refused::new(Code::V101, message).help(ARGUMENTS));
            continue;
        };
        match meta {
            syn::Meta::NameValue(value) if given[at].is_none() => given[at] = Some(&value.value),
            syn::Meta::NameValue(_) => {
                reporter.refuse(meta, Refused::new(Code::V101, format!("`{name}` is given twice")));
            }
            _ => {
                let message = format!("`{name}` needs a value");
                reporter.refuse(meta, Refused::new(Code::V101, message).help(format!("write `{name} = …`")));
                // It is not also missing.
                return None;
            }
        }
    }
    let [kernel, run, grid, inputs, seed, on, krate] = given;
    let krate = path(krate, "crate", reporter).cloned().unwrap_or_else(syntax::our_crate);
    if let (Some(grid), None) = (grid, kernel) {
        let refused = Refused::new(Code::V101, "`grid` is of a kernel, and the test has none");
        reporter.refuse(grid, refused.help("write `kernel = name`, or launch with the grid in `run`"));
    }
    let run = match (kernel, run) {
        (Some(kernel), None) => {
            if has_result(function) {
                let refused = Refused::new(Code::V102, "a kernel has no result, so a test of it has none");
                reporter.refuse(&function.sig.output, refused.help("write the results to a parameter `&mut [T]`"));
            }
            Run::Kernel { path: path(Some(kernel), "kernel", reporter)?, grid }
        }
        (None, Some(run)) => Run::Call(run),
        (Some(_), Some(run)) => {
            let refused = Refused::new(Code::V101, "a test has either `kernel` or `run`");
            reporter.refuse(run, refused.help("launch the kernel in `run`"));
            return None;
        }
        (None, None) => {
            let refused = Refused::new(Code::V101, "the test does not say what it runs on devices");
            let help = "write `#[samebits::test(kernel = name)]`, or `run = |device, x, y| …` for more than one launch";
            reporter.refuse(&function.sig.ident, refused.help(help));
            return None;
        }
    };
    Some(Arguments { run, inputs, seed, on, krate })
}

/// The path that an argument is.
fn path<'a>(value: Option<&'a syn::Expr>, name: &str, reporter: &mut Reporter<'a>) -> Option<&'a syn::Path> {
    match value.map(|value| (value, syntax::peel(value))) {
        Some((_, syn::Expr::Path(path))) if path.qself.is_none() => Some(&path.path),
        Some((value, _)) => {
            reporter.refuse(
                value,
                Refused::new(Code::V101, format!("`{name}` is a path")).help(format!("write `{name} = name`")),
            );
            None
        }
        None => None,
    }
}

fn has_result(function: &syn::ItemFn) -> bool {
    matches!(&function.sig.output, syn::ReturnType::Type(_, ty) if !matches!(syntax::peel_type(ty), syn::Type::Tuple(tuple) if tuple.elems.is_empty()))
}

/// Reports what no test can be.
fn signature<'a>(function: &'a syn::ItemFn, reporter: &mut Reporter<'a>) {
    let sig = &function.sig;
    let qualifiers: [Option<&dyn ToTokens>; 4] = [
        sig.constness.as_ref().map(|token| token as _),
        sig.asyncness.as_ref().map(|token| token as _),
        sig.unsafety.as_ref().map(|token| token as _),
        sig.abi.as_ref().map(|token| token as _),
    ];
    for qualifier in qualifiers.into_iter().flatten() {
        let message = format!("a test cannot be `{}`", qualifier.to_token_stream());
        reporter.refuse_tokens(qualifier.to_token_stream(), Refused::new(Code::V102, message).help("remove it"));
    }
    if !sig.generics.params.is_empty() {
        let refused = Refused::new(Code::V102, "a test cannot be generic");
        reporter.refuse(&sig.generics, refused.help("write a test for each type; references need no lifetimes"));
    }
    for attr in
        function.attrs.iter().filter(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "test"))
    {
        reporter.refuse(attr, Refused::new(Code::V102, "the function is a test already").help("remove this one"));
    }
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A value.
    Value,
    /// A list that is read.
    Read,
    /// A list that is changed, and compared.
    Changed,
}

/// Where the values of a parameter, or the elements of a list, come from.
enum Source {
    Any,
    Range(TokenStream),
    With(TokenStream),
}

struct Param<'a> {
    name: &'a Ident,
    kind: Kind,
    /// Its type, or that of its elements.
    ty: &'a syn::Type,
    len: Option<TokenStream>,
    source: Source,
}

/// Reads a parameter; nothing if it is refused.
fn param<'a>(input: &'a syn::FnArg, reporter: &mut Reporter<'a>) -> Option<Param<'a>> {
    let typed = match input {
        syn::FnArg::Typed(typed) => typed,
        syn::FnArg::Receiver(receiver) => {
            reporter.refuse(receiver, Refused::new(Code::V102, "a test cannot take `self`"));
            return None;
        }
    };
    let Some((name, _)) = syntax::binding(&typed.pat) else {
        reporter.refuse(&*typed.pat, Refused::new(Code::V102, "a parameter of a test must be a plain name"));
        return None;
    };
    let (kind, ty) = match syntax::peel_type(&typed.ty) {
        syn::Type::Reference(reference) => match syntax::peel_type(&reference.elem) {
            syn::Type::Slice(slice) => {
                (if reference.mutability.is_some() { Kind::Changed } else { Kind::Read }, &*slice.elem)
            }
            _ => {
                let refused = Refused::new(Code::V102, "a reference of a test is one of a slice");
                reporter.refuse(&*typed.ty, refused.help("write `&[T]`, `&mut [T]`, or the type without `&`"));
                return None;
            }
        },
        ty => (Kind::Value, ty),
    };
    let mut param = Param { name, kind, ty, len: None, source: Source::Any };
    for attr in &typed.attrs {
        attribute(attr, &mut param, reporter);
    }
    Some(param)
}

/// Reads an attribute of a parameter.
fn attribute<'a>(attr: &'a syn::Attribute, param: &mut Param<'a>, reporter: &mut Reporter<'a>) {
    const HELP: &str = "write `#[len(0..=200)]` for the number of elements, `#[range(0..10)]` for values or elements, or \
                        `#[with(|chance| …)]` for what makes one";
    let known = ["len", "range", "with"].into_iter().find(|name| attr.path().is_ident(name));
    let Some(name) = known else {
        let name = attr.path().to_token_stream().to_string().replace(' ', "");
        let message = format!("a parameter of a test has no attribute `{name}`");
        reporter.refuse(attr, Refused::new(Code::V101, message).help(HELP));
        return;
    };
    let value = match &attr.meta {
        syn::Meta::List(list) => syn::parse2::<syn::Expr>(list.tokens.clone()).map(ToTokens::into_token_stream).ok(),
        _ => None,
    };
    let Some(value) = value else {
        let message = format!("`{name}` needs one expression in parentheses");
        reporter.refuse(attr, Refused::new(Code::V101, message).help(HELP));
        return;
    };
    let twice = match name {
        "len" if param.kind == Kind::Value => {
            let refused = Refused::new(Code::V101, format!("`{}` is one value and has no length", param.name));
            reporter.refuse(attr, refused.help("remove it, or make the parameter a slice"));
            return;
        }
        "len" => param.len.replace(value).is_some(),
        _ => {
            let source = if name == "range" { Source::Range(value) } else { Source::With(value) };
            !matches!(std::mem::replace(&mut param.source, source), Source::Any)
        }
    };
    if twice {
        let message =
            if name == "len" { "`len` is given twice" } else { "a parameter has either `range` or `with`, once" };
        reporter.refuse(attr, Refused::new(Code::V101, message).help("remove one"));
    }
}

impl Param<'_> {
    /// The type of what an input holds of it.
    fn owned(&self) -> TokenStream {
        let ty = self.ty;
        if self.kind == Kind::Value { quote!(#ty) } else { quote!(::std::vec::Vec<#ty>) }
    }

    /// A statement that binds the parameter for the expressions after it, from what an input holds.
    fn bind(&self, held: &TokenStream) -> TokenStream {
        let (name, ty) = (self.name, self.ty);
        match self.kind {
            Kind::Value => quote!(let #name: #ty = ::core::clone::Clone::clone(&#held);),
            Kind::Read | Kind::Changed => quote!(let #name: &[#ty] = &#held;),
        }
    }

    fn lengths(&self) -> TokenStream {
        self.len.clone().unwrap_or_else(|| quote!(0..=200))
    }

    /// An expression of one value of the parameter's type, or `None`.
    fn one(&self, chance: &Ident, krate: &syn::Path) -> TokenStream {
        let ty = self.ty;
        match &self.source {
            Source::Any => {
                quote!(::core::option::Option::Some(<#ty as #krate::check::Generate>::generate(#chance)))
            }
            Source::Range(range) => quote!(#krate::check::Within::<#ty>::any(&(#range), #chance)),
            Source::With(with) => quote!(::core::option::Option::Some(
                #krate::check::attribute::with::<#ty>(#chance, #with)
            )),
        }
    }

    /// The statement that makes what an input holds of the parameter, as a variable `held`.
    fn make(&self, held: &Ident, chance: &Ident, krate: &syn::Path) -> TokenStream {
        let (owned, one) = (self.owned(), self.one(chance, krate));
        if self.kind == Kind::Value {
            return quote!(let #held: #owned = #one?;);
        }
        let lengths = self.lengths();
        quote!(let #held: #owned = #krate::check::attribute::list(#chance, &(#lengths), |#chance| #one)?;)
    }

    /// The statement that makes the variable `held`, of a smaller input, fit the parameter.
    fn fit(&self, held: &Ident, krate: &syn::Path) -> TokenStream {
        let (ty, value) = (self.ty, Ident::new("value", Span::mixed_site()));
        let holds = match &self.source {
            Source::Range(range) => quote!(#krate::check::Within::<#ty>::has(&(#range), #value)),
            Source::Any | Source::With(_) => quote!(true),
        };
        if self.kind == Kind::Value {
            return quote! {
                let #value: &#ty = &#held;
                if !(#holds) {
                    return ::core::option::Option::None;
                }
            };
        }
        let lengths = self.lengths();
        quote!(let #held = #krate::check::attribute::fit(#held, &(#lengths), |#value: &#ty| #holds)?;)
    }

    /// An expression of smaller values of what `held` is.
    fn smaller(&self, held: &TokenStream, krate: &syn::Path) -> TokenStream {
        match (&self.source, self.kind) {
            // Nothing is known of what the expression can make.
            (Source::With(_), Kind::Value) => quote!(::std::vec::Vec::new()),
            (Source::With(_), _) => quote!(#krate::check::attribute::shorter(&#held)),
            _ => quote!(#krate::check::Input::smaller(&#held)),
        }
    }
}

/// The test.
fn test(arguments: &Arguments<'_>, function: &syn::ItemFn, params: &[Param<'_>]) -> TokenStream {
    let krate = &arguments.krate;
    let local = |name: &str| Ident::new(name, Span::mixed_site());
    let [chance, device, inputs, less, result, run_it, this] =
        ["chance", "device", "inputs", "less", "result", "run", "this"].map(local);
    let fields: Vec<&Ident> = params.iter().map(|param| param.name).collect();
    let held: Vec<Ident> = (0..params.len()).map(|at| format_ident!("held_{at}", span = Span::mixed_site())).collect();
    let owned: Vec<TokenStream> = params.iter().map(Param::owned).collect();
    let labels: Vec<String> = fields.iter().map(|name| syntax::plain(name)).collect();
    let binds: Vec<TokenStream> =
        params.iter().zip(&held).map(|(param, held)| param.bind(&held.to_token_stream())).collect();
    let makes = params.iter().zip(&held).map(|(param, held)| param.make(held, &chance, krate));
    let fits = params.iter().zip(&held).map(|(param, held)| param.fit(held, krate));
    let smaller = params.iter().map(|param| {
        let name = param.name;
        param.smaller(&quote!(self.#name), krate)
    });
    let changed: Vec<&Param<'_>> = params.iter().filter(|param| param.kind == Kind::Changed).collect();
    let changed_names: Vec<&Ident> = changed.iter().map(|param| param.name).collect();
    let changed_types = changed.iter().map(|param| param.owned());
    let changed_labels = changed_names.iter().map(|name| format!("of `{}`, ", syntax::plain(name)));
    let returned = match &function.sig.output {
        syn::ReturnType::Default => quote!(()),
        syn::ReturnType::Type(_, ty) => quote!(#ty),
    };

    let plain = {
        let mut plain = function.clone();
        plain.attrs.retain(|attr| attr.path().is_ident("allow") || attr.path().is_ident("expect"));
        plain.vis = syn::Visibility::Inherited;
        plain.sig.ident = Ident::new("__plain", function.sig.ident.span());
        for input in &mut plain.sig.inputs {
            if let syn::FnArg::Typed(typed) = input {
                typed.attrs.clear();
            }
        }
        plain
    };
    let passed = |borrow: bool| -> Vec<TokenStream> {
        let pass = |param: &Param<'_>| {
            let name = param.name;
            match param.kind {
                Kind::Value => quote!(::core::clone::Clone::clone(&#inputs.#name)),
                Kind::Read if borrow => quote!(&#inputs.#name),
                Kind::Read => quote!(&#name),
                Kind::Changed => quote!(&mut #name),
            }
        };
        params.iter().map(pass).collect()
    };
    let clones: Vec<TokenStream> =
        changed_names.iter().map(|name| quote!(let mut #name = #inputs.#name.clone();)).collect();
    let plain_args = passed(true);
    let run = match &arguments.run {
        Run::Kernel { path, grid } => {
            let launch = launch(path);
            let lengths = params.iter().filter(|param| param.kind != Kind::Value).map(|param| {
                let name = param.name;
                quote!(#inputs.#name.len())
            });
            let grid = match grid {
                Some(grid) => {
                    let binds = params.iter().map(|param| {
                        let name = param.name;
                        param.bind(&quote!(#inputs.#name))
                    });
                    quote!({ #(#binds)* #grid })
                }
                None => quote!([0usize #(, #lengths)*].into_iter().max().unwrap_or(0)),
            };
            let uploads = params.iter().filter(|param| param.kind != Kind::Value).map(|param| {
                let (name, mutable) = (param.name, (param.kind == Kind::Changed).then(|| quote!(mut)));
                quote!(let #mutable #name = #device.upload(&#inputs.#name)?;)
            });
            let args = passed(false);
            quote! {
                let #result = #grid;
                #(#uploads)*
                #launch(#device, #result, #(#args),*)?;
                ::core::result::Result::Ok(__Outputs { __result: (), #(#changed_names: #changed_names.read()?,)* })
            }
        }
        Run::Call(run) => {
            let types = function.sig.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(typed) => Some(&*typed.ty),
                syn::FnArg::Receiver(_) => None,
            });
            let args = passed(true);
            quote! {
                fn __call<F>(run: F) -> F
                where
                    F: Fn(&#krate::Device, #(#types),*) -> ::core::result::Result<#returned, #krate::Error>,
                {
                    run
                }
                let #run_it = __call(#run);
                #(#clones)*
                let #result = #run_it(#device, #(#args),*)?;
                ::core::result::Result::Ok(__Outputs { __result: #result, #(#changed_names),* })
            }
        }
    };
    let inputs_of = arguments.inputs.map(|inputs| quote!(.inputs(#inputs)));
    let seed = arguments.seed.map(|seed| quote!(.seed(#seed)));
    let on = arguments.on.map(|on| quote!(.on(&#on)));
    let (name, vis) = (&function.sig.ident, &function.vis);
    let attrs: Vec<&syn::Attribute> = function.attrs.iter().collect();
    quote! {
        #(#attrs)*
        #[::core::prelude::v1::test]
        #vis fn #name() -> ::core::result::Result<(), #krate::check::Failure> {
            #plain

            #[derive(Clone)]
            struct __Inputs {
                #(#fields: #owned,)*
            }

            impl ::core::fmt::Debug for __Inputs {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    #krate::check::attribute::show(f, &[#((#labels, &self.#fields)),*])
                }
            }

            impl __Inputs {
                #[allow(unused_variables)]
                fn generate(#chance: &mut #krate::check::Chance) -> ::core::option::Option<Self> {
                    #(#makes #binds)*
                    ::core::option::Option::Some(Self { #(#fields: #held),* })
                }

                #[allow(unused_variables)]
                fn fit(self) -> ::core::option::Option<Self> {
                    let Self { #(#fields: #held),* } = self;
                    #(#fits #binds)*
                    ::core::option::Option::Some(Self { #(#fields: #held),* })
                }
            }

            impl #krate::check::Input for __Inputs {
                fn smaller(&self) -> ::std::vec::Vec<Self> {
                    let mut #result = ::std::vec::Vec::new();
                    #({
                        #result.extend(#smaller.into_iter().filter_map(|#less| {
                            let mut #this = self.clone();
                            #this.#fields = #less;
                            #this.fit()
                        }));
                    })*
                    #result
                }
            }

            struct __Outputs {
                __result: #returned,
                #(#changed_names: #changed_types,)*
            }

            impl #krate::check::Output for __Outputs {
                fn differs(&self, right: &Self) -> ::core::option::Option<::std::string::String> {
                    if let ::core::option::Option::Some(#result) =
                        #krate::check::Output::differs(&self.__result, &right.__result)
                    {
                        return ::core::option::Option::Some(#result);
                    }
                    #(if let ::core::option::Option::Some(#result) =
                        #krate::check::Output::differs(&self.#changed_names, &right.#changed_names)
                    {
                        return ::core::option::Option::Some(::std::format!("{}{}", #changed_labels, #result));
                    })*
                    ::core::option::Option::None
                }
            }

            #krate::check::attribute::trial(
                &#krate::check::Check::new() #inputs_of #seed #on,
                __Inputs::generate,
                #[allow(unused_variables)]
                |#inputs: &__Inputs| {
                    #(#clones)*
                    let #result = __plain(#(#plain_args),*);
                    __Outputs { __result: #result, #(#changed_names),* }
                },
                #[allow(unused_variables)]
                |#device: &#krate::Device, #inputs: &__Inputs| { #run },
            )
        }
    }
}

/// The launcher of a kernel: arguments of the kernel's own are those of `launch`.
fn launch(kernel: &syn::Path) -> TokenStream {
    let last = kernel.segments.last().map(|last| &last.arguments);
    let generics = last.and_then(|arguments| match arguments {
        syn::PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    });
    let bare = syntax::bare(kernel);
    match generics {
        Some(generics) => quote!(#bare::launch::<#generics>),
        None => quote!(#bare::launch),
    }
}
