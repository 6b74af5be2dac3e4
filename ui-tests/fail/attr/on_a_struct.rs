//! The attribute on something that is not a function.
use samebits::prelude::*;

#[kernel]
struct S;
//~^ V102

fn main() {}
