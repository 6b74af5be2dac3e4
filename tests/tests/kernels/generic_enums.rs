//! Generic enums: values and patterns, with types that the inference finds, lengths, methods, and in helpers, structs,
//! other enums and macros, against plain Rust.

use crate::{expect, twins};
use samebits::prelude::*;

twins! {
    maybe([3, 40, 0, 9]);
    { enum Maybe<T> { No, Yes(T), Both { a: T, b: u32 } } }
    { enum Either<A, B> { Left(A), Right(B) } }
    { struct Point { x: f32, y: f32 } }
    { fn found(n: u32) -> Maybe<f32> {
        match n {
            0 => Maybe::No,
            1..=9 => Maybe::Yes(n as f32 * 0.5),
            _ => Maybe::Both { a: n as f32, b: n + 1 },
        }
    } }
    { fn code(of: Maybe<f32>) -> u32 {
        match of {
            Maybe::No => 1,
            Maybe::Yes(v) if v > 4.0 => 2,
            Maybe::Yes(v) => 10 + (v * 2.0) as u32,
            Maybe::Both { a, b } => a as u32 * 100 + b,
        }
    } }
    { fn first<T: Number>(of: Maybe<T>, otherwise: T) -> T {
        if let Maybe::Yes(v) | Maybe::Both { a: v, .. } = of { v } else { otherwise }
    } }
    { fn flipped<A: Number, B: Number>(of: Either<A, B>) -> Either<B, A> {
        match of {
            Either::Left(a) => Either::Right(a),
            Either::Right(b) => Either::Left(b),
        }
    } }
    kernel(x, y) {
        for i in 0..4 {
            y[i] = code(found(x[i]));
        }
        // What a later use decides.
        let mut last = Maybe::No;
        if x[0] == 3 { last = Maybe::Yes(x[1]); }
        y[4] = first(last, 7);
        y[5] = first(Maybe::No, 7u32) + first::<u32>(Maybe::Both { a: 5, b: 6 }, 1);
        y[6] = match Maybe::<u8>::Yes(200) { Maybe::Yes(v) => v.wrapping_add(100) as u32, _ => 0 };
        // In each other, with structs, tuples and arrays.
        let nested: Maybe<Maybe<u32>> = if x[2] == 0 { Maybe::Yes(Maybe::Yes(x[3])) } else { Maybe::Yes(Maybe::No) };
        y[7] = match nested { Maybe::Yes(Maybe::Yes(v @ 5..)) => v, Maybe::Yes(_) => 1, _ => 2 };
        let point = Maybe::Yes(Point { x: 1.5, y: x[0] as f32 });
        if let Maybe::Yes(Point { y: top, .. }) = point { y[8] = top as u32 + 1; }
        let pair: Either<(u32, bool), [u32; 3]> = if x[1] > 5 { Either::Right([x[0], x[1], x[3]]) } else { Either::Left((1, true)) };
        let Either::Right(list) = pair else { return };
        y[9] = list[x[0] as usize - 1] * 10 + list[0];
        let either: Either<u32, f32> = Either::Left(x[3]);
        y[10] = match flipped(either) { Either::Right(v) => v, Either::Left(f) => f as u32 };
        let all = [found(0), found(2), found(12)];
        for of in all { y[11] = y[11] * 100 + code(of) % 97; }
        let held = Some(found(x[3]));
        y[12] = match held { Some(Maybe::Yes(v)) => v as u32 + 3, Some(_) => 1, None => 2 };
        y[13] = (Maybe::Yes(x[0]) == Maybe::Yes(3)) as u32 + (found(0) != Maybe::No) as u32 * 2 + (Maybe::Yes(1u8) != Maybe::Yes(2)) as u32 * 4;
        let of_closure = |m: Maybe<u32>| first(m, 50);
        y[14] = of_closure(Maybe::No) + of_closure(Maybe::Yes(1));
    }
}

twins! {
    brought_into_scope([1, 2, 3, 4]);
    { enum Tree<T, const N: usize> { Leaf([T; N]), Empty } }
    { fn sum<T: Number, const N: usize>(of: Tree<T, N>, zero: T) -> T {
        match of {
            Tree::Leaf(list) => {
                let mut all = zero;
                for v in list { all += v; }
                all
            }
            Tree::Empty => zero,
        }
    } }
    { enum Step<T: Number> { Go(T), Stop } }
    kernel(x, y) {
        use Step::*;
        let (mut at, mut step) = (0u32, Go(x[0]));
        while let Go(by) = step {
            at += by;
            step = if at < 9 { Go(by + 1) } else { Stop };
        }
        y[0] = at;
        // The same names, of another type.
        let other = if at > 9 { Go(0.25f32) } else { Stop };
        y[1] = match other { Go(f) => (f * 8.0) as u32, Stop => 100 };
        y[2] = sum(Tree::<u32, 2>::Leaf([x[1], x[2]]), 1);
        y[3] = sum(Tree::<i16, 4>::Empty, -3) as i32 as u32;
    }
}

/// As another module or crate would see it.
mod shapes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, PartialEq, Debug, Element)]
    #[element(methods, traits(Add))]
    pub enum Partial<T: Number> {
        Nothing,
        Some { value: T, count: u32 },
    }

    #[device]
    impl<S: Number> Partial<S> {
        pub fn of(value: S) -> Self {
            Self::Some { value, count: 1 }
        }

        pub fn with(self, value: S) -> Partial<S> {
            match self {
                Self::Nothing => Partial::of(value),
                Partial::Some { value: before, count } => Partial::Some { value: before + value, count: count + 1 },
            }
        }

        pub fn count(&self) -> u32 {
            if let Self::Some { count, .. } = *self { count } else { 0 }
        }

        pub fn raise(&mut self, by: S) {
            *self = self.with(by);
        }

        pub fn or(self, otherwise: S) -> S {
            match self {
                Partial::Some { value, .. } => value,
                Partial::Nothing => otherwise,
            }
        }
    }

    #[device]
    impl<T: Number> std::ops::Add for Partial<T> {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            match (self, other) {
                (Partial::Nothing, any) | (any, Partial::Nothing) => any,
                (Partial::Some { value: a, count: n }, Partial::Some { value: b, count: m }) => {
                    Partial::Some { value: a + b, count: n + m }
                }
            }
        }
    }
}

use shapes::Partial;

#[test]
fn methods_and_operators_are_for_all_types() {
    #[kernel(workgroup_size(1))]
    fn run(x: &[f32], y: &mut [f32], n: &mut [u32]) {
        let mut all = Partial::Nothing;
        for v in x {
            all.raise(*v);
        }
        y[0] = all.or(0.0);
        n[0] = all.count();
        let one = Partial::of(5u32).with(6);
        n[1] = one.or(1) * 10 + one.count();
        let sum = one + Partial::Nothing + Partial::of(7);
        n[2] = sum.or(0) * 10 + sum.count();
        n[3] = Partial::<u32>::Nothing.or(9) + Partial::<u32>::of(3).count();
    }
    for device in crate::devices() {
        let x = device.upload(&[0.5f32, 1.25, 4.0]).unwrap();
        let (mut y, mut n) = (device.zeros(1).unwrap(), device.zeros(4).unwrap());
        run::launch(device, 1, &x, &mut y, &mut n).unwrap();
        crate::same(device, &y, &[5.75f32]);
        crate::same(device, &n, &[3u32, 112, 183, 10]);
    }
}

macro_rules! searched {
    ($kernel:ident, $ty:ident, $scalar:ty) => {
        #[derive(Clone, Copy, Element)]
        enum $ty<T> {
            Missing,
            At(T, u32),
        }
        #[kernel(workgroup_size(1))]
        fn $kernel(x: &[$scalar], y: &mut [u32]) {
            let mut found = $ty::Missing;
            for i in 0..x.len() {
                if let $ty::Missing = found
                    && x[i] == 5 as $scalar
                {
                    found = $ty::At(x[i], i as u32);
                }
            }
            y[0] = match found {
                $ty::At(v, at) => at * 10 + v as u32,
                $ty::Missing => 1000,
            };
        }
    };
}

#[test]
fn macros_make_them() {
    searched!(in_floats, InFloats, f32);
    searched!(in_bytes, InBytes, u8);
    expect(&[25], |device, out| in_floats::launch(device, 1, &device.upload(&[1.0, 2.0, 5.0, 5.0])?, out));
    expect(&[1000], |device, out| in_bytes::launch(device, 1, &device.upload(&[1, 2])?, out));
}
