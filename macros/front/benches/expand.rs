//! The time that expanding the example kernels takes, in milliseconds.
//!
//! Macros run unoptimised in their users' builds, so run this the same way:
//! `cargo bench -p samebits-front --bench expand --profile dev`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use std::time::{Duration, Instant};

const FILES: [(&str, &str); 2] = [
    ("saxpy", include_str!("../../../examples/src/saxpy.rs")),
    ("histogram", include_str!("../../../examples/src/histogram.rs")),
];
const ROUNDS: u32 = 50;

/// The kernel of a file: its attribute's arguments and the function.
fn kernel(source: &str) -> Option<(TokenStream, TokenStream)> {
    let file = syn::parse_file(source).ok()?;
    file.items.into_iter().find_map(|item| {
        let syn::Item::Fn(mut function) = item else { return None };
        let at = function.attrs.iter().position(|attr| attr.path().is_ident("kernel"))?;
        let attr = function.attrs.remove(at);
        Some((attr.meta.require_list().ok()?.tokens.clone(), function.into_token_stream()))
    })
}

fn main() {
    let mut total = Duration::ZERO;
    for (name, source) in FILES {
        let Some((args, item)) = kernel(source) else {
            println!("{name}: no kernel found");
            continue;
        };
        let start = Instant::now();
        for _ in 0..ROUNDS {
            let expansion = samebits_front::kernel::expand(args.clone(), item.clone());
            assert!(!expansion.is_empty());
        }
        let each = start.elapsed() / ROUNDS;
        total += each;
        println!("{name}: {:.2} ms", each.as_secs_f64() * 1e3);
    }
    println!("together: {:.2} ms", total.as_secs_f64() * 1e3);
}
