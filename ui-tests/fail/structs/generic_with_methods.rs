//! Methods of a generic struct: their errors stand where they are, and classes hold at their calls.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[device]
impl<T: Number> Pair<T> {
    fn sum(self) -> T {
        self.a + self.b
    }

    fn bits(self) -> T {
        self.a & self.b
//~     ^ V021
    }
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Tile<T, const N: usize> {
    data: [T; N],
}

#[device]
impl<T: Float, const N: usize> Tile<T, N> {
    fn zero() -> Self {
        Self { data: [0.0; N] }
    }

    fn first(&self) -> T {
        self.data[0]
    }
}

#[kernel]
fn k(y: &mut [u32]) {
    let whole = Tile { data: [1u32, 2] };
    y[0] = whole.first();
//~        ^ V205
    let zero = Tile::zero();
//~            ^ V202
    y[1] = Tile::<f32, 2>::zero().first() as u32;
    y[2] = Tile::<u32, 2>::zero().first();
//~        ^ V205
}

fn main() {}
