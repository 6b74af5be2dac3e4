//! Generic structs: in buffers, as arguments and values, with methods, and with lengths, against plain Rust.

use crate::{devices, twins};
use samebits::prelude::*;

/// As another module or crate would see them.
mod shapes {
    use samebits::prelude::*;

    pub const LIMIT: u32 = 7;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Pair<T> {
        pub a: T,
        b: T,
    }

    impl<T> Pair<T> {
        pub const fn host(a: T, b: T) -> Self {
            Self { a, b }
        }
    }

    #[device]
    impl<T: Number> Pair<T> {
        pub fn new(a: T, b: T) -> Self {
            Self { a, b }
        }

        pub fn sum(&self) -> T {
            self.a + self.b
        }

        pub fn swapped(self) -> Pair<T> {
            Pair { a: self.b, b: self.a }
        }

        pub fn raise(&mut self, by: T) {
            self.a += by;
            self.b = self.b * by;
        }

        fn limited(self) -> u32 {
            (self.a as u32).min(LIMIT)
        }

        pub fn capped(self) -> u32 {
            self.limited()
        }

        pub fn with<U: Number>(self, other: U) -> Pair<U> {
            Pair { a: self.a as U, b: other }
        }
    }

    /// Its parameters have other names in its implementation.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(methods)]
    #[repr(C)]
    pub struct Tile<T: Number, const N: usize> {
        pub data: [T; N],
        pub at: u32,
    }

    #[device]
    impl<S: Number, const M: usize> Tile<S, M> {
        pub fn of(data: [S; M]) -> Self {
            Tile { data, at: 1 }
        }

        pub fn filled(value: S) -> Self {
            Self { data: [value; M], at: 0 }
        }

        pub fn total(&self) -> S {
            let mut total = self.data[0];
            for i in 1..M {
                total += self.data[i];
            }
            total
        }

        pub fn ends(&self) -> super::Two<S, S> {
            super::Two(self.data[0], self.data[M - 1])
        }
    }
}

use shapes::{Pair, Tile};

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Two<A, B>(pub A, pub B);

#[device]
fn largest<T: Number>(pair: Pair<T>) -> T {
    if pair.a > pair.sum() { pair.a } else { pair.sum() }
}

#[device]
fn outer<T: Number, const N: usize>(x: &Tile<T, N>) -> Pair<T> {
    Pair::new(x.data[0], x.data[N - 1])
}

#[kernel(workgroup_size(1))]
fn used(
    given: Pair<u32>,
    tiles: &[Tile<u32, 3>],
    pairs: &mut [Pair<f32>],
    twos: &mut [Two<Pair<u32>, [u8; 4]>],
    o: &mut [f32],
) {
    let first = pairs[0];
    pairs[1] = first.swapped();
    pairs[1].raise(1.5);
    o[0] = first.sum() + pairs[1].sum();
    o[1] = largest(Pair::new(2u32, 3)) as f32 + largest(given) as f32;
    let tile = Tile { data: [1.0, 2.0, 4.0f32], at: 9 };
    o[2] = tile.total() + tile.at as f32 + Tile::of([5u32, 6]).total() as f32 + Tile::<f32, 5>::filled(2.0).total();
    let Two(inner, bytes) = twos[0];
    o[3] = (inner.sum() + bytes[2] as u32) as f32 + tiles[0].total() as f32;
    twos[0] = Two(Pair::new(tiles[0].data[1], 4), [1; 4]);
    twos[0].0.a += 1;
    o[4] = given.capped() as f32 * 100.0 + given.with(2.5f32).sum();
    let ends = tiles[0].ends();
    o[5] = outer(&tiles[0]).sum() as f32 + (ends.0 * 10 + ends.1) as f32;
    let Pair { a, .. } = given.swapped();
    o[6] = a as f32;
    #[shared]
    let kept: [Pair<f32>; 2];
    kept[1] = pairs[1];
    o[7] = kept[1].a;
}

#[test]
fn a_generic_struct_is_an_element_an_argument_and_a_value() {
    for device in devices() {
        let name = device.name();
        let mut pairs = device.upload(&[Pair::host(1.0f32, 2.0); 2]).unwrap();
        let tiles = device.upload(&[Tile { data: [1u32, 2, 3], at: 5 }]).unwrap();
        let mut twos = device.upload(&[Two(Pair::host(3u32, 4), [1u8, 2, 3, 4])]).unwrap();
        let mut o = device.zeros::<f32>(8).unwrap();
        used::launch(device, 1, Pair::host(10, 20), &tiles, &mut pairs, &mut twos, &mut o).unwrap();
        // (1, 2) is (2, 1) turned, and (3.5, 1.5) raised.
        assert_eq!(pairs.read().unwrap(), [Pair::host(1.0, 2.0), Pair::host(3.5, 1.5)], "on {name}");
        assert_eq!(twos.read().unwrap(), [Two(Pair::host(3, 4), [1; 4])], "on {name}");
        let expected = [3.0 + 5.0, 5.0 + 30.0, 7.0 + 9.0 + 11.0 + 10.0, 10.0 + 6.0, 712.5, 4.0 + 13.0, 20.0, 3.5];
        assert_eq!(o.read().unwrap(), expected, "on {name}");
    }
}

#[kernel(workgroup_size(1), instances(T = [u32, f32], N = [2, 3]))]
fn totals<T: Number, const N: usize>(x: &[Tile<T, N>], y: &mut [Two<T, u32>]) {
    for i in 0..x.len() {
        y[i] = Two(x[i].total(), N as u32);
    }
}

#[test]
fn a_generic_kernel_takes_buffers_of_generic_structs() {
    for device in devices() {
        let x = device.upload(&[Tile { data: [1.5f32, 2.0], at: 0 }]).unwrap();
        let mut y = device.zeros(1).unwrap();
        totals::launch(device, 1, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [Two(3.5, 2)], "on {}", device.name());
        let x = device.upload(&[Tile { data: [1u32, 2, 3], at: 0 }; 2]).unwrap();
        let mut y = device.zeros(2).unwrap();
        totals::launch(device, 1, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [Two(6, 3); 2], "on {}", device.name());
    }
}

twins! {
    values_and_literals_of_generic_structs([2, 3, 5, 7]);
    { struct Span<T> { pub from: T, pub to: T } }
    { struct Row<T, const N: usize>(pub [T; N], pub u32); }
    { fn span(from: u32, to: u32) -> Span<u32> { Span { from, to } } }
    { fn width(span: Span<u32>) -> u32 { span.to - span.from } }
    { fn both(span: Span<Span<u32>>) -> u32 { width(span.from) * 100 + width(span.to) } }
    kernel(x, o) {
        let one = span(x[0], x[2]);
        o[0] = width(one);
        let two = Span { from: one, to: Span { to: 9, ..one } };
        o[1] = both(two);
        let floats = Span { from: 1.5, to: x[1] as f32 };
        o[2] = (floats.to - floats.from) as u32;
        let mut moved = Span::<i64> { from: -5, to: 4 };
        moved.to += 1;
        o[3] = (moved.to - moved.from) as u32;
        let Span { from, to: Span { to: last, .. } } = two;
        o[4] = from.from * 10 + last;
        let row = Row([one, span(1, 2), span(x[1], 9)], 4);
        let Row(spans, n) = row;
        o[5] = width(spans[x[0] as usize]) + n;
        let flags = Row([true, false], 0);
        let step = |row: Row<bool, 2>| if row.0[1] { 1 } else { row.1 + 2 };
        o[6] = step(flags);
        let tuple = Span { from: (1, 2.5f32), to: (3, 4.5) };
        o[7] = tuple.to.0 + (tuple.from.1 + tuple.to.1) as u32;
        let same: Row<Row<u32, 2>, 2> = Row([Row([1, 2], 3), Row([4, x[3]], 6)], 7);
        o[8] = same.0[1].0[1] * 10 + same.0[0].1;
    }
}
