//! `then` of what is no condition, and without a function.
use samebits::prelude::*;

#[kernel]
fn k(n: u32, y: &mut [u32]) {
    let a = n.then(|| 1);
//~           ^ V203
    let b = (n > 3).then(5).unwrap_or(1);
//~                      ^ V200
    let c = (n > 3).then(|x| x + 1).unwrap_or(1);
//~                      ^ V204
    y[0] = b + c;
}

fn main() {}
