//! Conversions of Rust's library.
use samebits::prelude::*;

#[kernel]
fn k(b: u8, n: u32, y: &mut [u32]) {
    let a = u8::from(n);
//~         ^ V016
    let c = usize::try_from(n);
//~         ^ V016
    let d: u16 = n.into();
//~                ^ V205
    let e = u8::try_from(n).unwrap_err();
//~                         ^ V203
    let f = b.try_into();
//~           ^ V203
    let g = u32::default();
//~         ^ V016
    let h = n.clone();
//~           ^ V203
    let i = n.unwrap();
//~           ^ V203
}

fn main() {}
