//! Constants from outside whose type no use decides, such as the `N` of `for k in 0..N { s += k
//! as f32; }`.
//!
//! Only rustc knows the type, after the expansion. So a kernel with such constants is compiled
//! once for each type that they may have, and the expansion lets rustc pick one: by `kind`, a
//! constant function that gives a number for the type of a value.

use crate::emit::messages::Messages;
use crate::emit::rust_type;
use crate::emit::{self, Images};
use crate::infer::{Ty, VarKind};
use crate::report::Refused;
use crate::signature::Signature;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use samebits_ir::diag::Code;
use samebits_ir::types::Scalar;

/// A constant whose type is not told.
#[derive(Clone)]
pub struct Untold {
    /// What tells it from all others.
    pub id: String,
    /// How the body names it.
    pub key: String,
    /// How rustc finds it.
    pub path: syn::Path,
    /// Whether that is what a helper passes on.
    pub kept: bool,
    /// What it may be.
    pub kind: VarKind,
    /// Where it is named.
    pub at: Span,
}

impl Untold {
    /// The number of its type.
    fn kind_of(&self, krate: &syn::Path) -> TokenStream {
        let path = &self.path;
        if self.kept { quote!(#path.kind) } else { quote!(#krate::__private::kind(&#path)) }
    }

    /// It as an argument of a launch, and the assertion that it fits a `usize` if it is one.
    pub fn argument(&self, krate: &syn::Path) -> TokenStream {
        let (path, kind) = (&self.path, self.kind_of(krate));
        let (bits, argument) = if self.kept {
            let arms = candidates(VarKind::Int).into_iter().filter_map(|ty| {
                let ty = rust_type(&ty, krate)?;
                Some(quote! {
                    <#ty as #krate::__private::ConstantType>::KIND => #krate::__private::Arg::scalar(#path.bits as #ty),
                })
            });
            (quote!(#path.bits), quote!(match #kind { #(#arms)* _ => #krate::__private::Arg::parts([]) }))
        } else {
            (quote!(#path as u64), quote!(#krate::__private::Arg::scalar(#path)))
        };
        let text = emit::too_large(&self.key);
        let condition = quote_spanned! {self.at=>
            #kind != <::core::primitive::usize as #krate::__private::ConstantType>::KIND || #bits <= 0xffff_ffff
        };
        let fits = emit::assertion(self.at, &condition, &text);
        quote!({ #fits #argument })
    }
}

/// The types that constants of this sort may have, the default of literals first.
pub fn candidates(kind: VarKind) -> Vec<Ty> {
    let integers =
        [Scalar::I32, Scalar::U32, Scalar::U8, Scalar::I8, Scalar::U16, Scalar::I16, Scalar::U64, Scalar::I64];
    let floats = [Scalar::F32, Scalar::F64];
    let of = |scalars: &[Scalar]| scalars.iter().copied().map(Ty::Scalar).collect::<Vec<_>>();
    match kind {
        VarKind::Int => [of(&integers), vec![Ty::Usize]].concat(),
        VarKind::Float => of(&floats),
        VarKind::General => [of(&integers), vec![Ty::Usize], of(&floats), of(&[Scalar::Bool])].concat(),
    }
}

/// The constants of one sort among these, which are taken to be of one type: those that may be
/// integers before the floats.
pub fn together(untold: Vec<Untold>) -> Vec<Untold> {
    let float = untold.iter().all(|constant| constant.kind == VarKind::Float);
    untold.into_iter().filter(|constant| (constant.kind == VarKind::Float) == float).collect()
}

/// What these may be together.
pub fn sort(untold: &[Untold]) -> VarKind {
    let kind = |kind| untold.iter().any(|constant| constant.kind == kind);
    match (kind(VarKind::Int), kind(VarKind::Float)) {
        (true, _) => VarKind::Int,
        (false, true) => VarKind::Float,
        (false, false) => VarKind::General,
    }
}

/// The kernel for each type that its untold constants may have, or why it cannot be compiled.
pub struct Variants {
    /// The constants.
    pub untold: Vec<Untold>,
    /// The variants in the order of the types.
    pub of: Vec<(Ty, Result<Images, Refused>)>,
}

impl Variants {
    /// The kernel that rustc picks, as an expression.
    pub fn kernel(&self, sig: &Signature, messages: &Messages) -> TokenStream {
        let krate = &sig.krate;
        let Some(first) = self.untold.first() else { return TokenStream::new() };
        let kind = first.kind_of(krate);
        let arms = self.of.iter().filter_map(|(ty, images)| {
            let (ty, images) = (rust_type(ty, krate)?, images.as_ref().ok()?);
            let made = emit::of_images(sig, images, messages);
            Some(quote! { <#ty as #krate::__private::ConstantType>::KIND => { #made } })
        });
        // What is wrong with another type the assertions say.
        let right = self.of.iter().find_map(|(_, images)| images.as_ref().ok());
        let any = right.map(|images| emit::of_images(sig, images, messages));
        quote! {
            match #kind {
                #(#arms)*
                _ => { #any }
            }
        }
    }

    /// The assertions that the constants have one type, for which the kernel is right.
    pub fn assertions(&self, krate: &syn::Path) -> TokenStream {
        let Some((first, others)) = self.untold.split_first() else { return TokenStream::new() };
        let (of_first, at) = (first.kind_of(krate), first.at);
        let kinds = self.of.iter().filter_map(|(ty, _)| rust_type(ty, krate));
        let wrong = Refused::new(Code::V201, format!("the type of `{}` cannot be used here", first.key));
        let text = wrong.help("add a cast: `… as u32`").text();
        let any = quote_spanned!(at=> #(#of_first == <#kinds as #krate::__private::ConstantType>::KIND)||*);
        let mut out = emit::assertion(at, &any, &text);
        for (ty, images) in &self.of {
            let (Some(ty), Err(refused)) = (rust_type(ty, krate), images) else { continue };
            let text = refused.clone().text();
            let kind = quote!(<#ty as #krate::__private::ConstantType>::KIND);
            out.extend(emit::assertion(at, &quote_spanned!(at=> #of_first != #kind), &text));
        }
        for other in others {
            let (second, at) = (other.kind_of(krate), other.at);
            let message =
                format!("`{}` and `{}` have different types, and no use says which one is meant", first.key, other.key);
            let text = Refused::new(Code::V202, message).help(format!("add a cast: `{} as u32`", other.key)).text();
            out.extend(emit::assertion(at, &quote_spanned!(at=> #of_first == #second), &text));
        }
        out
    }
}
