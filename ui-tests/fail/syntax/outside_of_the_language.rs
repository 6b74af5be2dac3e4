//! Much of Rust has no meaning in a kernel; each is refused on its own tokens.
use samebits::prelude::*;

#[kernel]
fn k(x: &[u32], y: &mut [u32]) {
    let f = async { 1 };
//~         ^ V100
    let s = "text";
//~         ^ V100
    let v = vec![0];
//~         ^ V100
    let r = [&x];
//~          ^ V100
    struct S;
//~ ^ V100
    println!("{}", 1);
//~ ^ V100
    let q = x[0]?;
//~             ^ V200
    let c = 'c';
//~         ^ V100
}

fn main() {}
