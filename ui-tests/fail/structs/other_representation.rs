//! Representations other than `repr(C)`.
mod inner {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[repr(C, packed)]
//~ ^ V207
    struct Packed {
        a: u8,
        b: u32,
    }

    #[derive(Clone, Copy, Element)]
    #[repr(transparent)]
//~ ^ V207
    struct Transparent {
        a: u32,
    }

    #[derive(Clone, Copy, Element)]
    #[repr(C, align(16))]
//~ ^ V207
    struct Aligned {
        a: u32,
    }

    #[kernel]
    fn k(p: Packed, t: Transparent, a: Aligned, y: &mut [u32]) {
        y[0] = p.b + t.a + a.a;
    }
}

fn main() {}
