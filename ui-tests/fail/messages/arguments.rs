//! Macros of the language with arguments that they do not take, and macros that it does not have.
use samebits::prelude::*;

#[kernel]
fn wrong(n: u32, y: &mut [u32]) {
    let i = global_id().x;
    assert!();
//~ ^ V204
    assert!(i < y.len(), n);
//~ ^ V204
    assert_eq!(n);
//~ ^ V204
    debug_assert_ne!(n, 1, "{n}" "{n}");
//~ ^ V204
    debug!(n);
//~ ^ V204
    assert!(n);
//~         ^ V022
    assert_eq!(n, 1.0);
//~ ^ V021
    unreachable!(n);
//~ ^ V204
    let two = matches!(n);
//~           ^ V204
    let three = matches!(n, 1, 2);
//~             ^ V204
    let four = matches!(n, 1 if n);
//~                             ^ V022
    panic!("stop");
//~ ^ V100
    y[i] = unreachable!();
    let nothing = unreachable!();
//~     ^ V202
}

fn main() {}
