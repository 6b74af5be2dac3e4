//! A struct in itself.
mod inner {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Node {
//~ ^ E0072
//~ ^ E0391
        value: f32,
        next: [Node; 2],
    }

    #[kernel]
    fn k(x: &[Node], y: &mut [f32]) {
        y[0] = x[0].value;
    }
}

fn main() {}
