//! The front end of `#[kernel]`: Rust syntax to samebits IR, its diagnostics, and the launcher's tokens.
//!
//! A normal library, so that everything the macro does can be tested and timed outside
//! of rustc. The flow is one way: [`parse`] the signature, [`lower`] the body to
//! [`hir`], [`build`] IR, check and optimise it, [`emit`] the launcher. Each phase
//! reports every mistake that it finds; [`report`] turns them into rustc errors.

pub mod build;
pub mod depth;
pub mod emit;
pub mod hir;
pub mod infer;
pub mod lower;
pub mod parse;
pub mod report;
pub mod signature;
pub mod spans;
pub mod types;

use emit::Image;
use proc_macro2::TokenStream;
use quote::quote;
use samebits_ir::check::Checked;
use samebits_ir::diag::{Code, Diags};
use samebits_ir::{check, pass};
use signature::{Constant, Signature};
use spans::Spans;

/// Expands `#[kernel(args)] item`.
///
/// After a mistake the expansion holds the errors and still the launcher, so that its
/// uses do not fail as well.
///
/// ```
/// use quote::quote;
/// let kernel = quote! { fn k(x: &mut [u32]) { x[0] = 1; } };
/// assert!(!samebits_front::expand(quote!(workgroup_size(64)), kernel).to_string().contains("compile_error"));
/// let wrong = quote! { fn k(x: &[u32]) { x[0] = 1; } };
/// assert!(samebits_front::expand(quote!(), wrong).to_string().contains("V005"));
/// ```
pub fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let (shallow, deep) = match depth::shallow(&item) {
        Ok(found) => found,
        Err(at) => return depth::error(at),
    };
    let function: syn::ItemFn = match syn::parse2(shallow) {
        Ok(function) => function,
        Err(error) if deep.is_none() => return not_a_function(item, &error),
        Err(_) => return deep.map(depth::error).unwrap_or_default(),
    };
    let arguments = match depth::too_deep(args.clone()) {
        Some(at) => Err(depth::error(at)),
        None => parse::arguments(args).map_err(|error| error.to_compile_error()),
    };
    let (arguments, mut errors) = match arguments {
        Ok(arguments) => (arguments, TokenStream::new()),
        Err(error) => (Vec::new(), error),
    };
    errors.extend(deep.map(depth::error));
    let mut spans = Spans::new();
    let (signature, result) = compile(&arguments, &function, &mut spans);
    let image = match result {
        Ok(checked) if errors.is_empty() => Some(Image::of(checked.module(), &spans)),
        Ok(_) => None,
        Err(diags) => {
            errors.extend(report::errors(&diags, &spans));
            None
        }
    };
    if function.sig.receiver().is_some() {
        // In an `impl`, where a launcher cannot stand.
        return errors;
    }
    let launcher = emit::launcher(&signature, image.as_ref());
    quote! { #errors #launcher }
}

/// Compiles a kernel as far as it goes: its signature, and its checked and optimised IR
/// or what is wrong with it.
///
/// ```
/// let item: syn::ItemFn = syn::parse_quote! { fn k(x: &mut [u32]) { x[0] = 1; } };
/// let mut spans = samebits_front::spans::Spans::new();
/// let (signature, checked) = samebits_front::compile(&[], &item, &mut spans);
/// assert_eq!(signature.workgroup_size, [64, 1, 1]);
/// assert!(checked.is_ok());
/// ```
pub fn compile<'a>(
    arguments: &'a [syn::Meta],
    function: &'a syn::ItemFn,
    spans: &mut Spans<'a>,
) -> (Signature, Result<Checked, Diags>) {
    let mut diags = Diags::new();
    let loc = spans.add(&function.sig.ident);
    let (mut signature, params) = parse::signature(arguments, function, spans, &mut diags);
    let (body, block, infer) = lower::lower(&params, &function.block, spans, &mut diags);
    let module = build::build(&signature, &params, (&body, &block, &infer), loc, &mut diags);
    signature.constants = constants(&body, &infer);
    let checked = diags.gate().and_then(|()| check::check(module)).map(pass::optimize);
    // Only now is it known what was made of the loops.
    (signature, checked.and_then(|checked| pass::unmet(&checked).gate().map(|()| checked)))
}

/// The constants from outside that a body uses, with the Rust types of their uses.
fn constants(body: &hir::Body, infer: &infer::Infer) -> Vec<Constant> {
    let constant = |outer: &hir::Outer| {
        let ty = match infer.decided(&body.locals[outer.local].ty) {
            infer::Ty::Usize => quote!(::core::primitive::usize),
            infer::Ty::Scalar(scalar) => {
                let name = proc_macro2::Ident::new(scalar.name(), proc_macro2::Span::mixed_site());
                quote!(::core::primitive::#name)
            }
            _ => return None,
        };
        Some(Constant { path: outer.path.clone(), cast: outer.cast, ty })
    };
    body.outer.iter().filter_map(constant).collect()
}

/// The item unchanged, and the error that it is not a function, on its own tokens.
fn not_a_function(item: TokenStream, error: &syn::Error) -> TokenStream {
    let text = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(_) => format!("`#[kernel]` belongs on a function [{}]", Code::V102),
        Err(_) => format!("{error} [{}]", Code::V100),
    };
    let error = syn::Error::new(error.span(), text).to_compile_error();
    quote! { #error #item }
}
