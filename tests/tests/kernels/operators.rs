//! Operators of structs and enums: all of `core::ops`, mixed types, numbers on the left, generic structs, in helpers,
//! methods, traits and closures, against plain Rust.

use crate::twins;
use samebits::prelude::*;

/// The same tokens as plain Rust and for kernels.
macro_rules! points {
    ({ $(#[$on_item:meta])* } { $(#[$on_point:meta])* } { $(#[$on_bits:meta])* } { $(#[$on_flag:meta])* } { $(#[$on_pair:meta])* } $number:ident) => {
        use core::ops::{Add, AddAssign, BitAnd, BitOr, Mul, Neg, Not, Sub, SubAssign};

        $(#[$on_point])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct Point {
            pub x: f32,
            pub y: f32,
        }

        $(#[$on_item])*
        impl Point {
            pub fn new(x: f32, y: f32) -> Self {
                Self { x, y }
            }

            pub fn code(self) -> u32 {
                (self.x * 8.0) as i32 as u32 * 1000 + (self.y * 8.0) as i32 as u32
            }
        }

        $(#[$on_item])*
        impl Add for Point {
            type Output = Self;

            fn add(self, other: Self) -> Self::Output {
                Self::new(self.x + other.x, self.y + other.y)
            }
        }

        $(#[$on_item])*
        impl Neg for Point {
            type Output = Point;

            fn neg(self) -> Point {
                Point { x: -self.x, y: -self.y }
            }
        }

        $(#[$on_item])*
        impl Sub for Point {
            type Output = Point;

            fn sub(self, other: Point) -> Point {
                self + -other
            }
        }

        $(#[$on_item])*
        impl Mul<f32> for Point {
            type Output = Self;

            fn mul(mut self, by: f32) -> Self {
                self.x *= by;
                self.y *= by;
                self
            }
        }

        $(#[$on_item])*
        impl Mul<Point> for f32 {
            type Output = Point;

            fn mul(self, by: Point) -> Self::Output {
                by * self
            }
        }

        // The scalar product.
        $(#[$on_item])*
        impl Mul for Point {
            type Output = f32;

            fn mul(self, other: Self) -> f32 {
                self.x * other.x + self.y * other.y
            }
        }

        $(#[$on_item])*
        impl Add<Vec2<f32>> for Point {
            type Output = Vec2<f32>;

            fn add(self, other: Vec2<f32>) -> Vec2<f32> {
                Vec2::new(self.x, self.y) + other
            }
        }

        $(#[$on_item])*
        impl AddAssign for Point {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        $(#[$on_item])*
        impl SubAssign<f32> for Point {
            fn sub_assign(&mut self, by: f32) {
                self.x -= by;
            }
        }

        $(#[$on_bits])*
        #[derive(Clone, Copy, PartialEq)]
        #[repr(C)]
        pub struct Bits(pub u32, pub u32);

        $(#[$on_item])*
        impl Not for Bits {
            type Output = Bits;

            fn not(self) -> Bits {
                Bits(!self.0, !self.1)
            }
        }

        $(#[$on_flag])*
        #[derive(Clone, Copy, PartialEq)]
        #[repr(u32)]
        pub enum Flag {
            Off,
            On,
        }

        $(#[$on_item])*
        impl BitAnd for Flag {
            type Output = Flag;

            fn bitand(self, other: Flag) -> Flag {
                if matches!((self, other), (Flag::On, Flag::On)) { Flag::On } else { Flag::Off }
            }
        }

        $(#[$on_item])*
        impl BitOr<u32> for Flag {
            type Output = u32;

            fn bitor(self, other: u32) -> u32 {
                self as u32 | other
            }
        }

        $(#[$on_pair])*
        #[derive(Clone, Copy, PartialEq)]
        #[repr(C)]
        pub struct Pair<T> {
            pub a: T,
            pub b: T,
        }

        $(#[$on_item])*
        impl<T: $number> Add for Pair<T> {
            type Output = Pair<T>;

            fn add(self, other: Self) -> Self::Output {
                Pair { a: self.a + other.a, b: self.b + other.b }
            }
        }

        $(#[$on_item])*
        impl<S: $number> Mul<S> for Pair<S> {
            type Output = Self;

            fn mul(self, by: S) -> Self {
                Pair { a: self.a * by, b: self.b * by }
            }
        }

        $(#[$on_item])*
        impl<T: $number> Pair<T> {
            pub fn scaled(self, by: T) -> Self {
                let twice = self + self;
                twice * by
            }
        }

        $(#[$on_item])*
        pub fn middle(a: Point, b: Point) -> Point {
            (a + b) * 0.5
        }

        $(#[$on_item])*
        pub fn moved(at: &mut Point, by: &Point, times: u32) -> f32 {
            for _ in 0..times {
                *at += *by;
            }
            *at * *by
        }

        $(#[$on_item])*
        pub fn folded(points: [Point; 3], f: impl Fn(Point, Point) -> Point) -> Point {
            f(f(points[0], points[1]), points[2])
        }
    };
}

mod plain {
    use samebits::prelude::Vec2;

    pub trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {}
    impl Number for u32 {}
    impl Number for f32 {}

    points! { {} {} {} {} {} Number }
}

mod for_kernels {
    use samebits::prelude::*;

    points! {
        { #[device] }
        { #[derive(Element)] #[element(methods, traits(Add, Neg, Sub, Mul<f32>, f32: Mul<Point>, Mul, Add<Vec2<f32>>, AddAssign, SubAssign<f32>))] }
        { #[derive(Element)] #[element(traits(Not))] }
        { #[derive(Element)] #[element(traits(BitAnd, BitOr<u32>))] }
        { #[derive(Element)] #[element(traits(Add, Mul<T>), methods)] }
        Number
    }
}

/// The same body in a kernel and in plain Rust.
macro_rules! uses {
    ({ $(#[$on:meta])* } $from:ident) => {
        use super::$from::{Bits, Flag, Pair, Point, folded, middle, moved};
        use samebits::prelude::*;

        $(#[$on])*
        pub fn uses(x: &[u32], y: &mut [u32]) {
            let (a, b) = (Point { x: x[0] as f32, y: 1.5 }, Point { x: 0.25, y: x[1] as f32 });
            y[0] = (a + b).x as u32 * 100 + (a - b).y as i32 as u32;
            let scaled = 2.0 * a * 0.5 + -b;
            y[1] = (scaled.x * 4.0) as u32 + (scaled.y * 4.0) as u32 * 100;
            y[2] = (a * b * 16.0) as u32;
            y[3] = (a + Vec2::new(1.0, 2.0)).y as u32;
            let mut all = [a, b, a];
            let mut n = 0;
            all[{ n += 1; n }] += { n += 1; all[n] };
            all[0] -= 0.5;
            y[4] = (all[0].x * 4.0) as u32 + (all[1].y * 4.0) as u32 * 100 + n as u32 * 10_000;
            let m = middle(all[1], b);
            y[5] = (m.x * 8.0) as u32 + (m.y * 8.0) as u32 * 1000;
            let mut at = a;
            y[6] = (moved(&mut at, &b, x[2]) * 16.0) as u32;
            y[7] = (at.x * 4.0) as u32;
            let sum = folded(all, |a, b| a + b * 2.0);
            y[8] = (sum.x * 4.0) as u32 + (sum.y * 4.0) as u32 * 100;
            let bits = !Bits(x[0], 7);
            y[9] = bits.0 ^ (!bits).1;
            let on = if x[1] > 0 { Flag::On } else { Flag::Off };
            y[10] = (on & Flag::On) as u32 + ((on & Flag::Off) | 6) * 10;
            let pair = Pair { a: x[0], b: x[1] };
            let twice = (pair + Pair { a: 1, b: 2 }) * 3;
            y[11] = twice.a + twice.b * 100;
            let pair = Pair { a: x[2] as f32, b: 0.5 }.scaled(1.5) + Pair { a: 0.25, b: 0.25 };
            y[12] = (pair.a * 4.0) as u32 + (pair.b * 4.0) as u32 * 100;
            y[13] = (a == b) as u32 + (a + b != b) as u32 * 2 + (Bits(1, 2) == Bits(1, x[1])) as u32 * 4;
            y[14] = (Some(pair) == Some(pair)) as u32 + ((a, 1) == (a, 1)) as u32 * 2;
            let add = |a: Point, by: f32| by * a + a;
            y[15] = (add(a, 3.0).x) as u32;
            y[16] = (b + a).code();
        }
    };
}

mod on_devices {
    uses! { { #[kernel(workgroup_size(1))] } for_kernels }
}

#[allow(clippy::all)]
mod on_host {
    uses! { {} plain }
}

#[test]
fn operators_of_structs_and_enums() {
    let x = [3u32, 2, 4];
    let mut expected = [0u32; 17];
    on_host::uses(&x, &mut expected);
    crate::expect(&expected, |device, out| on_devices::uses::launch(device, 1, &device.upload(&x)?, out));
}

macro_rules! binary {
    ({ $(#[$on:meta])* } $of:ident $function:ident $number:literal) => {
        $(#[$on])*
        impl core::ops::$of for All {
            type Output = u32;

            fn $function(self, other: All) -> u32 {
                self.0 * 100 + other.0 * 10 + $number
            }
        }
    };
}

macro_rules! unary {
    ({ $(#[$on:meta])* } $of:ident $function:ident $number:literal) => {
        $(#[$on])*
        impl core::ops::$of for All {
            type Output = Self;

            fn $function(self) -> Self {
                All(self.0 + $number)
            }
        }
    };
}

macro_rules! assign {
    ({ $(#[$on:meta])* } $of:ident $function:ident $number:literal) => {
        $(#[$on])*
        impl core::ops::$of<u32> for All {
            fn $function(&mut self, other: u32) {
                self.0 = self.0 * 7 + other * $number;
            }
        }
    };
}

/// All operators, each of which gives numbers of its own.
macro_rules! every {
    ($on:tt { $(#[$on_all:meta])* }) => {
        $(#[$on_all])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct All(pub u32);

        binary! { $on Add add 1 }
        binary! { $on Sub sub 2 }
        binary! { $on Mul mul 3 }
        binary! { $on Div div 4 }
        binary! { $on Rem rem 5 }
        binary! { $on BitAnd bitand 6 }
        binary! { $on BitOr bitor 7 }
        binary! { $on BitXor bitxor 8 }
        binary! { $on Shl shl 9 }
        binary! { $on Shr shr 0 }
        unary! { $on Neg neg 11 }
        unary! { $on Not not 12 }
        assign! { $on AddAssign add_assign 1 }
        assign! { $on SubAssign sub_assign 2 }
        assign! { $on MulAssign mul_assign 3 }
        assign! { $on DivAssign div_assign 4 }
        assign! { $on RemAssign rem_assign 5 }
        assign! { $on BitAndAssign bitand_assign 6 }
        assign! { $on BitOrAssign bitor_assign 7 }
        assign! { $on BitXorAssign bitxor_assign 8 }
        assign! { $on ShlAssign shl_assign 9 }
        assign! { $on ShrAssign shr_assign 10 }
    };
}

mod every_plain {
    every! { {} {} }
}

mod every_for_kernels {
    use samebits::prelude::*;

    every! {
        { #[device] }
        {
            #[derive(Element)]
            #[element(traits(Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr, Neg, Not))]
            #[element(traits(AddAssign<u32>, SubAssign<u32>, MulAssign<u32>, DivAssign<u32>, RemAssign<u32>))]
            #[element(traits(BitAndAssign<u32>, BitOrAssign<u32>, BitXorAssign<u32>, ShlAssign<u32>, ShrAssign<u32>))]
        }
    }
}

macro_rules! uses_of_all {
    ({ $(#[$on:meta])* } $from:ident) => {
        use super::$from::All;

        $(#[$on])*
        pub fn all(x: &[u32], y: &mut [u32]) {
            let (a, b) = (All(x[0]), All(x[1]));
            y[0] = a + b;
            y[1] = a - b;
            y[2] = a * b;
            y[3] = a / b;
            y[4] = a % b;
            y[5] = a & b;
            y[6] = a | b;
            y[7] = a ^ b;
            y[8] = a << b;
            y[9] = a >> b;
            y[10] = (-a).0;
            y[11] = (!-b).0;
            let mut c = a;
            c += 1;
            c -= x[0];
            c *= 2;
            c /= x[1];
            c %= 3;
            y[12] = c.0;
            c &= 1;
            c |= x[1];
            c ^= 2;
            c <<= 3;
            c >>= x[0];
            y[13] = c.0;
        }
    };
}

mod all_on_devices {
    use samebits::prelude::*;

    uses_of_all! { { #[kernel(workgroup_size(1))] } every_for_kernels }
}

mod all_on_host {
    uses_of_all! { {} every_plain }
}

#[test]
fn every_operator_calls_its_function() {
    let x = [3u32, 5];
    let mut expected = [0u32; 14];
    all_on_host::all(&x, &mut expected);
    crate::expect(&expected, |device, out| all_on_devices::all::launch(device, 1, &device.upload(&x)?, out));
}

/// Operators that another module gives, with constants from outside, of enums with fields, and of vectors and matrices on
/// the left; on elements of buffers.
mod shapes {
    use core::ops::{Add, Div, Mul, ShlAssign};
    use samebits::prelude::*;

    const HALF: f32 = 0.5;
    const STEP: u32 = 3;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(traits(Div<u32>, Mat2<f32>: Mul<Size>, Vec2<f32>: Add<Size>, Add, ShlAssign<u32>, Scale), methods)]
    #[repr(C)]
    pub struct Size {
        pub w: f32,
        pub h: f32,
    }

    #[device(types(Mat2<f32>))]
    pub trait Scale {
        fn scale(self) -> f32;

        fn halved(self) -> f32 {
            self.scale() * HALF
        }
    }

    #[device]
    impl Scale for Mat2<f32> {
        fn scale(self) -> f32 {
            self.determinant()
        }
    }

    #[device]
    impl Scale for Size {
        fn scale(self) -> f32 {
            (self + self).w
        }
    }

    #[device]
    impl Div<u32> for Size {
        type Output = Size;

        fn div(self, by: u32) -> Size {
            Size { w: self.w * HALF / by as f32, h: self.h * HALF }
        }
    }

    #[device]
    impl Mul<Size> for Mat2<f32> {
        type Output = Size;

        fn mul(self, size: Size) -> Size {
            let v = self * Vec2::new(size.w, size.h);
            Size { w: v.x, h: v.y }
        }
    }

    #[device]
    impl Add<Size> for Vec2<f32> {
        type Output = Vec2<f32>;

        fn add(self, size: Size) -> Vec2<f32> {
            self + Vec2::new(size.w, size.h)
        }
    }

    #[device]
    impl Add for Size {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Size { w: self.w + other.w, h: self.h + other.h }
        }
    }

    #[device]
    impl ShlAssign<u32> for Size {
        fn shl_assign(&mut self, by: u32) {
            self.w *= (1 << by) as f32;
        }
    }

    #[device]
    impl Size {
        pub fn twice(self) -> Self {
            (self + self) / 1
        }
    }

    #[derive(Clone, Copy, Element)]
    #[element(traits(Add, Div<T>))]
    #[repr(C)]
    pub struct Span<T> {
        pub from: T,
        pub to: T,
    }

    #[device]
    impl<T: Unsigned> Add for Span<T> {
        type Output = Span<T>;

        fn add(self, other: Self) -> Self {
            Span { from: self.from.min(other.from), to: self.to.max(other.to) + STEP as T }
        }
    }

    #[device]
    impl<T: Unsigned> Div<T> for Span<T> {
        type Output = T;

        fn div(self, by: T) -> T {
            let whole = self + self;
            (whole.to - whole.from) / by
        }
    }

    #[derive(Clone, Copy, PartialEq, Element)]
    #[element(traits(Add))]
    pub enum Count {
        None,
        Some(u32),
        Many { least: u32 },
    }

    #[device]
    impl Add for Count {
        type Output = Count;

        fn add(self, other: Count) -> Count {
            use Count::*;
            match (self, other) {
                (None, one) | (one, None) => one,
                (Some(a), Some(b)) if a + b < 10 => Some(a + b),
                (Some(a), Some(b)) => Many { least: a + b },
                (Many { least: a }, Some(b) | Many { least: b }) | (Some(b), Many { least: a }) => {
                    Many { least: a + b }
                }
            }
        }
    }
}

use shapes::{Count, Scale, Size, Span};

#[device]
fn halves_of<S: Scale>(a: S, b: S) -> f32 {
    a.halved() + S::scale(b)
}

#[kernel(workgroup_size(1))]
fn sizes(x: &mut [Size], n: u32, y: &mut [f32]) {
    let m = Mat2::from_cols_array([2.0f32, 0.0, 1.0, 3.0]);
    x[0] <<= n;
    y[0] = x[0].w;
    x[1] = m * x[1] / 2;
    y[1] = x[1].w * 100.0 + x[1].h;
    y[2] = (Vec2::new(1.0, 2.0) + x[2]).y;
    y[3] = x[2].twice().h;
    let span = Span { from: 4, to: 9 } + Span { from: n, to: 11 };
    y[4] = (span.from * 100 + span.to) as f32;
    y[5] = (span / 2) as f32;
    y[6] = match Count::Some(n) + Count::None + Count::Some(9) {
        Count::Many { least } => least as f32,
        _ => 0.0,
    };
    y[7] = halves_of(m, m) + halves_of(x[2], x[2]) + x.iter().fold(0.0, |sum, size| sum + (*size + *size).h);
}

#[test]
fn operators_of_another_module() {
    let x = [1.5, 3.0, 5.0].map(|w| Size { w, h: w + 1.0 });
    // Of (3, 4) the product is (2 * 3 + 4, 12), and half and a quarter of it.
    let (w, h) = (10.0 * 0.5 / 2.0, 12.0 * 0.5);
    let halves = 6.0 * 0.5 + 6.0 + (10.0 * 0.5 + 10.0) + 2.0 * (2.5 + h + 6.0);
    let expected = [6.0, w * 100.0 + h, 8.0, 6.0, 200.0 + 14.0, ((14 + 3 - 2) / 2) as f32, 11.0, halves];
    crate::expect(&expected, |device, out| {
        let mut x = device.upload(&x)?;
        sizes::launch(device, 1, &mut x, 2, out)
    });
}

mod by_name {
    use core::ops::{Add, Mul, Neg};
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element)]
    #[element(traits(Add, Mul<u32>, Neg))]
    #[repr(C)]
    pub struct Pair {
        pub a: u32,
        pub b: u32,
    }

    #[device]
    impl Add for Pair {
        type Output = Pair;

        fn add(self, other: Pair) -> Pair {
            Pair { a: self.a + other.a, b: self.b * other.b }
        }
    }

    #[device]
    impl Mul<u32> for Pair {
        type Output = Pair;

        fn mul(self, by: u32) -> Pair {
            Pair { a: self.a * by, b: self.b + by }
        }
    }

    #[device]
    impl Neg for Pair {
        type Output = Pair;

        fn neg(self) -> Pair {
            Pair { a: self.b, b: self.a }
        }
    }

    #[kernel(workgroup_size(1))]
    pub fn compute(x: &[Pair], o: &mut [u32]) {
        let sum = x.iter().copied().fold(Pair { a: 1, b: 1 }, Pair::add);
        o[0] = sum.a * 100 + sum.b;
        let scaled = Pair::mul(x[0], 3).add(x[1]);
        o[1] = scaled.a * 100 + scaled.b;
        let turned = <Pair as Neg>::neg(x[1]);
        o[2] = turned.a * 100 + turned.b;
    }
}

#[test]
fn operators_are_functions_of_their_types() {
    for device in crate::devices() {
        let x = [by_name::Pair { a: 2, b: 3 }, by_name::Pair { a: 4, b: 5 }];
        let (x, mut o) = (device.upload(&x).unwrap(), device.zeros::<u32>(3).unwrap());
        by_name::compute::launch(device, 1, &x, &mut o).unwrap();
        crate::same(device, &o, &[7 * 100 + 15, (6 + 4) * 100 + 6 * 5, 504]);
    }
}

twins! {
    right_sides_read_what_is_changed([3, 1, 2]);
    { with_methods struct P { pub a: u32, pub b: u32 } }
    { impl P { fn grow(&mut self, by: u32) -> u32 { self.a += by; self.b } } }
    { fn put(t: &mut [u32; 3], i: usize, by: u32) -> usize { t[i] += by; i } }
    { fn twice(t: &mut [u32; 3]) -> usize { put(t, t[0] as usize, t[1]) } }
    kernel(x, y) {
        let mut n = 0;
        let mut v = Vec2::new(x[0], 2);
        v += { n += v.y; Vec2::splat(n) };
        y[0] = v.x * 100 + v.y;
        let mut many = [Vec2::splat(1u32); 3];
        let mut i = x[1] as usize;
        many[i] += { i = 2; many[0] + v };
        y[1] = many[1].x * 10000 + many[1].y * 100 + many[2].x;
        let mut m = Mat2::from_cols(Vec2::new(1.0f32, 2.0), Vec2::new(3.0, 4.0));
        m *= { n += 1; m.x_axis.y + n as f32 };
        y[2] = m.y_axis.y as u32;
        let mut number = x[1];
        y[7] = number;
        number += { number = x[2]; 10 };
        y[3] = number;
        let mut p = P { a: 1, b: 7 };
        y[4] = p.grow({ n += p.b; n }) + p.a * 100;
        let mut t = [1, 2, 3];
        y[5] = put(&mut t, { n += 1; 1 }, v.x) as u32 + t[1] * 10;
        y[8] = n * 100 + twice(&mut t) as u32 + t[1];
        let mut parts = (1u32, v);
        parts.1 += { parts.0 = 5; Vec2::splat(parts.0) };
        y[6] = parts.1.x * 10 + parts.0;
    }
}
