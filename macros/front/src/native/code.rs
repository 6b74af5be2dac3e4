//! The expansion that makes the code.

use proc_macro2::{Group, Literal, Span, TokenStream, TokenTree};
use quote::quote;
use samebits_ir::backend::native;
use samebits_ir::check::check_image;
use samebits_ir::diag::Diags;
use samebits_ir::pass::{Level, optimize_to};
use samebits_ir::wire;
use std::str::FromStr;
use syn::parse::{Parse, ParseStream};
use syn::{LitByteStr, Token};

/// What the expansion of a kernel passes: where `samebits` is, the image of the kernel as it was written, and the
/// places of its instructions.
struct Input {
    krate: syn::Path,
    image: LitByteStr,
    locations: LitByteStr,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = input.call(syn::Path::parse_mod_style)?;
        input.parse::<Token![,]>()?;
        let image = input.parse()?;
        input.parse::<Token![,]>()?;
        Ok(Self { krate, image, locations: input.parse()? })
    }
}

/// The code of a kernel, as an expression.
///
/// ```
/// use quote::quote;
/// let nothing = samebits_front::native::expand(quote!(::samebits, b"?", b""));
/// assert!(nothing.to_string().contains("Err"));
/// ```
pub fn expand(input: TokenStream) -> TokenStream {
    let input: Input = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let krate = &input.krate;
    match code(&input) {
        Ok((image, code)) => {
            let items = quote! {
                use #krate::__private::native as n;
                const IMAGE: &[n::primitive::u8] = #image;
            };
            if is_everywhere(krate) {
                // A module of its own sees neither constants of the user's, which a pattern would mean, nor traits.
                quote!({
                    mod samebits_native { #items pub(super) const FOUND: n::Found = n::Ok(#code); }
                    samebits_native::FOUND
                })
            } else {
                quote!({ #items n::Ok(#code) })
            }
        }
        Err(why) => quote!(::core::result::Result::Err(#why)),
    }
}

/// Whether a path means the same in every module of the crate.
fn is_everywhere(path: &syn::Path) -> bool {
    path.leading_colon.is_some() || path.segments.first().is_some_and(|first| first.ident == "crate")
}

/// The kernel's image and its code.
fn code(input: &Input) -> Result<(Literal, TokenStream), String> {
    let refused = |_: Diags| "its image cannot be read".to_owned();
    let mut module = wire::decode(&input.image.value()).map_err(refused)?;
    // Loops that do not end are named by their places.
    let locations = input.locations.value();
    wire::attach_locations(&mut module, &locations);
    let checked = optimize_to(check_image(module).map_err(refused)?, Level::Processor);
    let text = native::emit(&checked, 0).map_err(|unfit| unfit.to_string())?;
    let tokens = TokenStream::from_str(&text).map_err(|error| error.to_string())?;
    Ok((Literal::byte_string(&wire::encode(checked.module())), respanned(tokens)))
}

/// The tokens with the span of this macro.
fn respanned(tokens: TokenStream) -> TokenStream {
    let span = Span::mixed_site();
    let one = |mut tree: TokenTree| {
        if let TokenTree::Group(group) = tree {
            tree = Group::new(group.delimiter(), respanned(group.stream())).into();
        }
        tree.set_span(span);
        tree
    };
    tokens.into_iter().map(one).collect()
}
