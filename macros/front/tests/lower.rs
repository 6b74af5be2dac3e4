//! What Rust becomes: kernels and the IR that they are lowered to, as text.

use quote::quote;
use samebits_front::compile;
use samebits_front::spans::Spans;

/// The optimised IR of a kernel, or the codes and messages of what is wrong with it.
fn ir(item: proc_macro2::TokenStream) -> String {
    let function: syn::ItemFn = syn::parse2(item).expect("the test's own kernel parses");
    let mut spans = Spans::new();
    match compile(&[], &function, &mut spans).1 {
        Ok(checked) => samebits_ir::text::print(checked.module()),
        Err(diags) => diags.as_slice().iter().map(|d| format!("{}\n", d.headline())).collect(),
    }
}

#[test]
fn show() {
    println!(
        "{}",
        ir(quote! { fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            let i = global_id().x;
            if i < y.len() { y[i] = a * x[i] + y[i]; }
        }})
    );
    println!(
        "{}",
        ir(quote! { fn histogram(n: usize, data: &[u32], bins: &[Atomic<u32>]) {
            #[shared] let local: [Atomic<u32>; 256];
            let i = global_id().x;
            if i < n {
                let mut word = data[i];
                for b in 0..4 { local[(word & 255) as usize].fetch_add(1); word >>= 8; }
            }
            workgroup_barrier();
            let mut k = local_index();
            while k < 256 {
                let c = local[k].load();
                if c != 0 { bins[k].fetch_add(c); }
                k += 64;
            }
        }})
    );
    println!(
        "{}",
        ir(quote! { fn k(n: u32, y: &mut [u32]) {
            let mut s = 0;
            'out: for a in 0..4 { for b in 0..=n { if b == 2 && y[b as usize] > 1 { continue 'out; } if a == 3 { break 'out; } s += a * 10 + b; } }
            y[0] = s;
            let v = loop { s += 1; if s > 100 { break s * 2; } };
            y[1] = v;
        }})
    );
}
