//! Generic structs with parameters or arguments that they cannot have.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair<T: Number> {
    a: T,
    b: T,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Tile<T, const N: usize> {
    data: [T; N],
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Bits<const N: u32> {
//~         ^ V207
    word: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Lent<'a> {
//~         ^ V207
    word: &'a u32,
}

#[device]
fn sum(x: Pair) -> u32 {
//~       ^ V204
    x.a + x.b
}

#[device]
fn empty<const N: usize>() -> Tile<u32, N> {
    Tile { data: [0; N] }
}

#[kernel]
fn k(y: &mut [u32]) {
    let bools = Pair { a: true, b: false };
//~             ^ V205
    let mixed = Pair { a: 1u32, b: 2.0f32 };
//~                                ^ V200
    let few: Pair = Pair { a: 1u32, b: 2 };
//~          ^ V204
    let many: Pair<u32, 3> = Pair { a: 1u32, b: 2 };
//~           ^ V204
    let length: Tile<u32, u32> = Tile { data: [1u32] };
//~             ^ V201
    let other: Tile<u32, 3> = Tile { data: [1u32, 2] };
//~                           ^ V200
    let unknown = empty();
//~               ^ V202
    let written = Tile::<u32, 3> { data: [1, 2] };
//~                                      ^ V200
    y[0] = 1;
}

fn main() {}
