//! `#[device] const`: constants whose values kernels know while they are compiled.

use super::function::{Callable, attributes};
use super::{Constants, facts, names};
use crate::kernel::wrong_name;
use crate::link::Linked;
use crate::link::chain::macro_for;
use crate::link::facts::{Fact, Kind, identity};
use crate::report;
use crate::spans::Spans;
use proc_macro2::TokenStream;
use quote::quote;
use samebits_ir::diag::{Code, Diag, Diags};
use syn::ext::IdentExt;

/// A constant once all that it names is linked. The constant itself stands already.
pub(super) fn finish(constant: syn::ItemConst, linked: Linked) -> TokenStream {
    let (mut spans, mut diags) = (Spans::new(), Diags::new());
    let (id, hash) = identity(&constant.ident);
    let refused = wrong_name(&constant.ident, "a constant", &mut spans);
    let nameable = refused.is_none();
    diags.extend(refused);
    attributes(&constant.attrs, &mut spans, &mut diags);
    if !crate::lower::is_constant(&constant.ident) {
        let message = format!("the constant `{}` is not written as constants are", constant.ident);
        let help = format!("call it `{}`", constant.ident.to_string().to_uppercase());
        diags.push(Diag::new(Code::V110, spans.add(&constant.ident), message).help(help));
    }
    let (ty, expr, ident) = (&constant.ty, &constant.expr, &constant.ident);
    let function: syn::ItemFn = syn::parse_quote!(fn #ident() -> #ty { #expr });
    let callable = Callable {
        sig: &function.sig,
        block: &function.block,
        scope: linked.scope(),
        home: None,
        self_ty: None,
        id: &id,
    };
    let mut constants = Constants::new();
    callable.check(&mut constants, &mut spans, &mut diags);
    if let (true, Some(outer)) = (diags.is_empty(), constants.list.first()) {
        let message = format!("the value of `{ident}` needs that of `{}`, which is not known here", outer.key);
        let help = format!("make it a `#[device] const {}` too", outer.key);
        diags.push(Diag::new(Code::V006, spans.add(&*constant.expr), message).help(help));
    }
    let errors = report::errors(&diags, &spans);
    let mut bare = constant.clone();
    bare.attrs.clear();
    bare.vis = syn::Visibility::Inherited;
    let fact = Fact {
        kind: Kind::Constant,
        id: id.clone(),
        name: ident.unraw().to_string(),
        broken: !errors.is_empty() || constants.wrong,
        names: names(&linked),
        constants: Vec::new(),
        items: vec![syn::Item::Const(bare)],
    };
    let definition = match nameable {
        true => macro_for(ident, hash, &constant.vis, &super::conditions(&constant.attrs), facts(&fact, &linked)),
        false => TokenStream::new(),
    };
    quote! { #errors #definition }
}
