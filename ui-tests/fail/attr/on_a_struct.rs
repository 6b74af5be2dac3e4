//! The attribute on something that is not a function.
mod shapes {
    use samebits::prelude::*;

    #[kernel]
    struct S;
//~ ^ V102
}

fn main() {}
