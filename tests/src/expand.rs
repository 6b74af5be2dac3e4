//! What rustc makes of an example: the expansion of this project's macros, without rustc.
//!
//! Helpers, structs and constants are hidden macros that are imported under their names.
//! Whoever names one calls its macro, which calls `link` with what it knows. So items are
//! expanded in order. Each `macro_rules!` is kept under the names that it is imported by. A
//! call of a name that does not exist yet waits until all others are expanded. There is one
//! scope: modules, visibilities and `cfg` are not supported. The mistakes are those in the
//! `compile_error!`s of the result, and the warnings that a kernel asks for.

use samebits_ir::diag::Code;
use std::collections::{BTreeMap, VecDeque};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Item, Token};

/// What an example expands to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The codes of its mistakes, in order.
    pub codes: Vec<Code>,
    /// The names that it calls like helpers and that nothing declares.
    pub missing: Vec<String>,
}

/// Expands all items of an example.
///
/// ```
/// use samebits_ir::diag::Code;
/// use samebits_tests::expand::expand;
/// let helper = "#[device] fn twice(x: u32) -> u32 { 2 * x }";
/// let right = expand("#[kernel] fn k(y: &mut [u32]) { y[global_id().x] = twice(1); }".to_owned() + helper);
/// assert!(right.codes.is_empty() && right.missing.is_empty());
/// let wrong = expand("#[kernel] fn k(y: &mut [f32]) { y[0] = twice(1); }".to_owned() + helper);
/// assert_eq!(wrong.codes, [Code::V200]);
/// assert_eq!(expand("#[device] fn f() { g() }").missing, ["g"]);
/// ```
///
/// # Panics
///
/// If the example is not Rust.
pub fn expand(example: impl AsRef<str>) -> Expansion {
    let mut scope = Scope::default();
    scope.add(syn::parse_file(example.as_ref()).expect("the example is Rust"));
    let mut waiting = VecDeque::new();
    while let Some(item) = scope.items.pop_front().or_else(|| scope.next_known(&mut waiting)) {
        waiting.extend(scope.expand(item));
    }
    let missing = waiting.iter().filter_map(|item| name(&item.mac.path));
    Expansion { codes: scope.codes, missing: missing.collect() }
}

/// The code of a warning: that in the text of a function in a block that is deprecated.
fn warning(block: &syn::Expr) -> Option<Code> {
    let syn::Expr::Block(block) = block else { return None };
    let functions = block.block.stmts.iter().filter_map(|stmt| match stmt {
        syn::Stmt::Item(Item::Fn(function)) => Some(function),
        _ => None,
    });
    let deprecated = functions.flat_map(|function| &function.attrs).find(|attr| attr.path().is_ident("deprecated"))?;
    let note = |meta: ParseStream<'_>| {
        meta.parse::<syn::Ident>()?;
        meta.parse::<Token![=]>()?;
        meta.parse::<syn::LitStr>()
    };
    let text = deprecated.parse_args_with(note).ok()?.value();
    Code::ALL.iter().copied().find(|code| text.contains(&format!("[{code}]")))
}

/// What is known so far.
#[derive(Default)]
struct Scope {
    items: VecDeque<Item>,
    /// What each hidden macro hands on, by its name and by those that it is imported under.
    facts: BTreeMap<String, Item>,
    codes: Vec<Code>,
}

impl Scope {
    /// Items that come next.
    fn add(&mut self, file: syn::File) {
        file.items.into_iter().rev().for_each(|item| self.items.push_front(item));
    }

    /// A call that had to wait and whose macro is known by now.
    fn next_known(&self, waiting: &mut VecDeque<syn::ItemMacro>) -> Option<Item> {
        let known = |item: &syn::ItemMacro| name(&item.mac.path).is_some_and(|name| self.facts.contains_key(&name));
        let at = waiting.iter().position(known)?;
        waiting.remove(at).map(Item::Macro)
    }

    /// Expands one item; gives it back if it calls a macro that is not known.
    fn expand(&mut self, mut item: Item) -> Option<syn::ItemMacro> {
        if let Some((attribute, arguments)) = attribute(&mut item) {
            let (arguments, item) = (&arguments, &item);
            let tokens = match attribute {
                Attribute::Kernel => {
                    samebits_front::kernel::expand(syn::parse_quote!(#arguments), syn::parse_quote!(#item))
                }
                Attribute::Device => {
                    samebits_front::device::expand(syn::parse_quote!(#arguments), syn::parse_quote!(#item))
                }
                Attribute::Element => samebits_front::device::element(syn::parse_quote!(#item)),
            };
            self.add(syn::parse2(tokens).expect("the expansion is items"));
            return None;
        }
        match item {
            Item::Macro(item) if item.ident.is_some() => {
                let facts = Parser::parse2(handed_on, item.mac.tokens).expect("a macro that hands on facts");
                self.facts.extend(item.ident.map(|name| (name.to_string(), facts)));
                None
            }
            Item::Macro(item) if item.mac.path.segments.last().is_some_and(|last| last.ident == "compile_error") => {
                let text: syn::LitStr = item.mac.parse_body().expect("a text");
                let shown = text.value();
                let code = Code::ALL.iter().find(|code| shown.contains(&format!("[{code}]")));
                self.codes.push(*code.expect("each mistake has a code"));
                None
            }
            Item::Macro(item) => match name(&item.mac.path).and_then(|name| self.facts.get(&name)) {
                Some(facts) => {
                    let state = item.mac.parse_body_with(state).expect("a state");
                    let tokens = samebits_front::link(syn::parse_quote!(#state #facts));
                    self.add(syn::parse2(tokens).expect("the expansion is items"));
                    None
                }
                None => Some(item),
            },
            // A warning is a result that must be used.
            Item::Const(item) if item.ident == "_" => {
                self.codes.extend(warning(&item.expr));
                None
            }
            Item::Use(item) => {
                if let syn::UseTree::Rename(tree) = item.tree
                    && let Some(facts) = self.facts.get(&tree.ident.to_string())
                {
                    self.facts.insert(tree.rename.to_string(), facts.clone());
                }
                None
            }
            _ => None,
        }
    }
}

/// An attribute of this project.
#[derive(Clone, Copy)]
enum Attribute {
    Kernel,
    Device,
    Element,
}

/// Takes an item's attribute of this project off it, with the arguments.
fn attribute(item: &mut Item) -> Option<(Attribute, Item)> {
    let attributes = match item {
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Const(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return None,
    };
    let found = |attribute: &syn::Attribute| match &attribute.meta {
        meta if meta.path().is_ident("kernel") => Some(Attribute::Kernel),
        meta if meta.path().is_ident("device") => Some(Attribute::Device),
        syn::Meta::List(list) if list.path.is_ident("derive") => {
            let traits = list.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated).ok()?;
            traits.iter().any(|path| path.is_ident("Element")).then_some(Attribute::Element)
        }
        _ => None,
    };
    let (at, found) = attributes.iter().enumerate().find_map(|(i, attribute)| Some((i, found(attribute)?)))?;
    let arguments = match attributes.remove(at).meta {
        syn::Meta::List(list) => Item::Verbatim(list.tokens),
        _ => Item::Verbatim(syn::parse_quote!()),
    };
    Some((found, arguments))
}

/// The tokens in `(…) => { $callback! { $($state)* tokens } }`.
fn handed_on(input: ParseStream<'_>) -> syn::Result<Item> {
    let (pattern, rule, call, state);
    syn::parenthesized!(pattern in input);
    rest(&pattern)?;
    input.parse::<Token![=>]>()?;
    syn::braced!(rule in input);
    rule.parse::<Token![$]>()?;
    rule.parse::<syn::Ident>()?;
    rule.parse::<Token![!]>()?;
    syn::braced!(call in rule);
    call.parse::<Token![$]>()?;
    syn::parenthesized!(state in call);
    rest(&state)?;
    call.parse::<Token![*]>()?;
    rest(&call)
}

/// What follows the callback in a call of a hidden macro.
fn state(input: ParseStream<'_>) -> syn::Result<Item> {
    input.parse::<syn::Path>()?;
    input.parse::<Token![,]>()?;
    rest(input)
}

/// All tokens that are left, as they are.
fn rest(input: ParseStream<'_>) -> syn::Result<Item> {
    Ok(Item::Verbatim(input.parse()?))
}

/// The name that a path ends with.
fn name(path: &syn::Path) -> Option<String> {
    Some(path.segments.last()?.ident.to_string())
}
