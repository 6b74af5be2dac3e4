//! Traits with functions and constants for kernels, dispatched by type: of markers and of structs with values, in
//! helpers, in kernels and beside a struct's own methods.

use samebits::prelude::*;

mod metrics {
    use samebits::prelude::*;

    const HALF: f32 = 0.5;

    /// How far two points are from each other.
    #[device]
    pub trait Distance {
        const BITS: u32;
        const WAYS: usize = 2;
        const TABLE: [u32; 3] = [Self::BITS, 2, 3];

        fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32;

        fn half(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
            Self::distance(a, b) * HALF
        }
    }

    #[device]
    pub fn nearest<D: Distance>(x: &[Vec2<f32>], to: Vec2<f32>) -> u32 {
        let mut best = 0;
        let mut least = f32::INFINITY;
        for i in 0..x.len() {
            let d = D::distance(x[i], to);
            if d < least {
                least = d;
                best = i as u32;
            }
        }
        best + D::BITS * 100
    }
}

use metrics::{Distance, nearest};

#[derive(Clone, Copy, Element)]
#[element(traits(Distance))]
struct Euclid;

#[device]
impl Distance for Euclid {
    const BITS: u32 = 2;

    fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
        (a - b).length_squared()
    }
}

const SCALE: f32 = 1.0;

#[derive(Clone, Copy, Element)]
#[element(methods, traits(Distance))]
struct Manhattan;

#[device]
impl Manhattan {
    const N: usize = 3;

    fn three() -> u32 {
        3
    }
}

#[device]
impl Distance for Manhattan {
    const BITS: u32 = 3;
    const WAYS: usize = Self::N;

    fn distance(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
        ((a.x - b.x).abs() + (a.y - b.y).abs()) * SCALE + (Self::three() - 3) as f32
    }

    fn half(a: Vec2<f32>, b: Vec2<f32>) -> f32 {
        Self::distance(a, b) + 0.5
    }
}

/// Constants as lengths, as numbers and as tables.
#[device]
fn ways<D: Distance>(k: usize) -> u32 {
    let a = [1u32; D::WAYS];
    let mut s = 0;
    for i in 0..D::WAYS {
        s += a[i];
    }
    s * 100 + D::TABLE[0] * 10 + D::TABLE[k]
}

/// Hands its type parameter on.
#[device]
fn both<A: Distance, B: Distance>(x: &[Vec2<f32>]) -> u32 {
    let zero = Vec2::new(0.0, 0.0);
    nearest::<A>(x, zero) * 1000 + nearest::<B>(x, zero)
}

#[kernel(workgroup_size(1), instances(D = [Euclid, Manhattan]))]
fn metric<D: Distance>(x: &[Vec2<f32>], y: &mut [u32]) {
    let zero = Vec2::new(0.0, 0.0);
    y[0] = nearest::<D>(x, zero);
    y[1] = D::half(zero, Vec2::new(3.0, 4.0)) as u32;
    y[2] = ways::<D>(1) + ways::<Euclid>(2) * 1000;
    y[3] = Euclid::BITS + Manhattan::N as u32 * 10;
    y[4] = Euclid::half(zero, Vec2::new(2.0, 2.0)) as u32;
    y[5] = both::<D, Manhattan>(x);
    let measure = |a: Vec2<f32>| D::distance(a, zero);
    y[6] = measure(Vec2::new(1.0, 5.0)) as u32;
}

#[test]
fn markers_choose_functions_and_constants() {
    let x = [Vec2::new(3.0, 3.0), Vec2::new(0.0, 5.0), Vec2::new(-1.0, 2.0), Vec2::new(2.5, 0.0)];
    // By squares 18, 25, 5, 6.25; by sums 6, 5, 3, 2.5.
    let of_euclid = [202, 12, 222 + 223_000, 32, 4, 202 * 1000 + 303, 26];
    crate::expect(&of_euclid, |device, out| metric::launch::<Euclid>(device, 1, &device.upload(&x)?, out));
    let of_manhattan = [303, 7, 332 + 223_000, 32, 4, 303 * 1000 + 303, 6];
    crate::expect(&of_manhattan, |device, out| metric::launch::<Manhattan>(device, 1, &device.upload(&x)?, out));
    // The constants are there on the host as well.
    assert_eq!((<Euclid as Distance>::WAYS, Manhattan::WAYS), (2, 3));
}

/// The same tokens as plain Rust and as traits, structs and helpers of kernels.
macro_rules! shapes {
    ({ $(#[$on_item:meta])* } { $(#[$on_square:meta])* } { $(#[$on_rectangle:meta])* }) => {
        $(#[$on_item])*
        pub trait Shape: Copy {
            const SIDES: u32;

            fn area(&self) -> u32;
            fn grow(&mut self, by: u32);
            fn unit() -> Self;

            fn doubled(mut self) -> Self {
                self.grow(2);
                self
            }

            fn summed(&self, f: impl Fn(u32) -> u32) -> u32 {
                let mut sum = 0;
                for side in 0..Self::SIDES {
                    sum += f(side) + self.area();
                }
                sum
            }
        }

        $(#[$on_square])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct Square {
            side: u32,
        }

        $(#[$on_item])*
        impl Shape for Square {
            const SIDES: u32 = 4;

            fn area(&self) -> u32 {
                self.side * self.side
            }

            fn grow(&mut self, by: u32) {
                self.side *= by;
            }

            fn unit() -> Self {
                Self { side: 1 }
            }
        }

        $(#[$on_rectangle])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct Rectangle {
            width: u32,
            height: u32,
        }

        $(#[$on_item])*
        impl Rectangle {
            const OWN: u32 = 5;

            fn turned(self) -> Self {
                Self { width: self.height, height: self.width }
            }
        }

        $(#[$on_item])*
        impl Shape for Rectangle {
            const SIDES: u32 = Self::OWN - 1;

            fn area(&self) -> u32 {
                self.turned().width * self.width
            }

            fn grow(&mut self, by: u32) {
                self.width *= by;
            }

            fn unit() -> Self {
                Rectangle { width: 1, height: 1 }
            }

            fn doubled(self) -> Self {
                let Rectangle { width, height } = self;
                Self { width: width * 2, height: height * 2 }
            }
        }

        $(#[$on_item])*
        pub fn total<S: Shape>(a: S, b: S, out: &mut u32) -> u32 {
            let c = a.doubled();
            let mut d = b;
            d.grow(3);
            S::grow(&mut d, 1);
            *out += d.summed(|side| side * 10);
            c.area() + S::area(&d) + S::unit().area() * 1000 + <S as Shape>::SIDES.min(S::SIDES) * 100_000
        }

        $(#[$on_item])*
        pub fn of_both(n: u32, out: &mut u32) -> u32 {
            let square = Square { side: n };
            let mut rectangle = Rectangle { width: n, height: n + 1 };
            Shape::grow(&mut rectangle, 2);
            rectangle.grow(1);
            let sum = total(square, Square::unit(), out) + total(rectangle, rectangle.turned(), out);
            sum + Shape::area(&square) + Rectangle::area(&rectangle.doubled())
        }
    };
}

mod plain {
    shapes! { { #[allow(dead_code)] } { #[allow(dead_code)] } { #[allow(dead_code)] } }
}

mod for_kernels {
    use samebits::prelude::*;

    shapes! { { #[device] } { #[derive(Element)] #[element(traits(Shape))] } { #[derive(Element)] #[element(methods, traits(Shape))] } }
}

use for_kernels::of_both;

#[kernel(workgroup_size(1))]
fn shapes(x: &[u32], o: &mut [u32]) {
    let i = global_id().x;
    let mut more = 1;
    o[i * 2] = of_both(x[i], &mut more);
    o[i * 2 + 1] = more;
}

#[test]
fn structs_have_the_methods_of_their_traits() {
    let x = [1u32, 2, 7, 30];
    let mut expected = Vec::new();
    for n in x {
        let mut more = 1;
        expected.push(plain::of_both(n, &mut more));
        expected.push(more);
    }
    crate::expect(&expected, |device, out| shapes::launch(device, x.len(), &device.upload(&x)?, out));
}

#[device]
trait Combine {
    fn apply<T: Number>(a: T, b: T) -> T;
    fn first<T: Number>() -> T;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Combine))]
struct Sum;

#[device]
impl Combine for Sum {
    fn apply<T: Number>(a: T, b: T) -> T {
        a + b
    }

    fn first<T: Number>() -> T {
        0 as T
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Combine))]
struct Most;

#[device]
impl Combine for Most {
    fn apply<T: Number>(a: T, b: T) -> T {
        if a > b { a } else { b }
    }

    fn first<T: Number>() -> T {
        T::MIN
    }
}

/// Combines what a workgroup has by any operator, in workgroup memory of its own.
#[device]
fn combined<O: Combine, T: Number>(x: T) -> T {
    #[shared]
    let tile: [T; 16];
    let lane = local_index();
    tile[lane] = x;
    workgroup_barrier();
    let mut all = O::first::<T>();
    for i in 0..16 {
        all = O::apply(all, tile[i]);
    }
    all
}

#[kernel(workgroup_size(16))]
fn operators(x: &[i32], o: &mut [i32]) {
    let i = global_id().x;
    let (sum, most) = (combined::<Sum, _>(x[i]), combined::<Most, i32>(x[i]));
    let float = combined::<Most, f32>(x[i] as f32 * 0.5);
    if local_index() == 0 {
        let at = workgroup_id().x * 3;
        o[at] = sum;
        o[at + 1] = most;
        o[at + 2] = float as i32;
    }
}

#[test]
fn an_operator_is_a_type_parameter() {
    let x: Vec<i32> = (0..32).map(|i| (i * 37 + 11) % 100 - 90).collect();
    let of = |x: &[i32]| {
        let most = *x.iter().max().unwrap();
        [x.iter().sum(), most, (most as f32 * 0.5) as i32]
    };
    let expected = [of(&x[..16]), of(&x[16..])].concat();
    crate::expect(&expected, |device, out| operators::launch(device, 32, &device.upload(&x)?, out));
}

/// The same tokens as plain Rust and for kernels: a trait of numbers, of a vector, of an enum and of a struct.
macro_rules! distances {
    ({ $(#[$on_trait:meta])* } { $(#[$on_item:meta])* } { $(#[$on_enum:meta])* } { $(#[$on_struct:meta])* }) => {
        $(#[$on_trait])*
        pub trait Distance: Copy {
            const NEAR: u32;
            const PARTS: usize = 2;

            fn distance(a: Self, b: Self) -> u32;
            fn push(&mut self, by: u32);

            fn twice(self, other: Self) -> u32 {
                Self::distance(self, other) * 2 + Self::NEAR
            }
        }

        $(#[$on_item])*
        impl Distance for u32 {
            const NEAR: u32 = 1;
            const PARTS: usize = 3;

            fn distance(a: Self, b: Self) -> u32 {
                a.abs_diff(b)
            }

            fn push(&mut self, by: u32) {
                *self += by;
            }
        }

        $(#[$on_item])*
        impl Distance for f32 {
            const NEAR: u32 = 10;

            fn distance(a: f32, b: f32) -> u32 {
                (a - b).abs() as u32
            }

            fn push(&mut self, by: u32) {
                *self += by as f32;
            }

            fn twice(self, other: Self) -> u32 {
                Self::distance(self, other) * 2 + <f32 as Distance>::NEAR + 3
            }
        }

        $(#[$on_item])*
        impl Distance for Vec2<f32> {
            const NEAR: u32 = 100;

            fn distance(a: Self, b: Self) -> u32 {
                ((a.x - b.x).abs() + (a.y - b.y).abs()) as u32
            }

            fn push(&mut self, by: u32) {
                self.x += by as f32;
            }
        }

        $(#[$on_enum])*
        #[derive(Clone, Copy, PartialEq)]
        #[repr(u32)]
        pub enum Cell {
            Wall,
            Free = 4,
            Door,
        }

        $(#[$on_item])*
        impl Distance for Cell {
            const NEAR: u32 = 1000;
            const PARTS: usize = 1 + Self::Free as usize;

            fn distance(a: Self, b: Self) -> u32 {
                if a == b { 0 } else { (a as u32).abs_diff(b as u32) + 7 }
            }

            fn push(&mut self, by: u32) {
                *self = if by > 2 { Cell::Door } else { Self::Free };
            }
        }

        $(#[$on_struct])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct Pair(u32, f32);

        $(#[$on_item])*
        impl Distance for Pair {
            const NEAR: u32 = <f32 as Distance>::NEAR + 1;

            fn distance(a: Self, b: Self) -> u32 {
                u32::distance(a.0, b.0) + f32::distance(a.1, b.1)
            }

            fn push(&mut self, by: u32) {
                self.0.push(by);
                Distance::push(&mut self.1, by);
            }
        }

        /// What is furthest from its predecessor, by the type's own measure.
        $(#[$on_item])*
        pub fn furthest<T: Distance>(a: T, b: T, n: u32) -> u32 {
            let mut last = a;
            let mut most = 0u32;
            for i in 0..n {
                let mut next = b;
                next.push(i);
                most = most.max(last.twice(next)).max(T::distance(next, last));
                last = next;
            }
            for _ in 0..T::PARTS {
                most += T::NEAR;
            }
            most
        }

        $(#[$on_item])*
        pub fn all(x: u32) -> [u32; 5] {
            [
                furthest(x, 3u32, 4),
                furthest(x as f32, 2.5f32, 5),
                furthest(Vec2::new(x as f32, 1.0), Vec2::new(0.5f32, 9.0), 3),
                furthest(if x > 3 { Cell::Wall } else { Cell::Door }, Cell::Free, x % 5),
                furthest(Pair(x, 1.5), Pair(4, x as f32), 2),
            ]
        }
    };
}

mod plain_distances {
    use samebits::prelude::*;

    distances! { { #[allow(dead_code)] } { #[allow(dead_code)] } { #[allow(dead_code)] } { #[allow(dead_code)] } }
}

mod device_distances {
    use samebits::prelude::*;

    distances! {
        { #[device(types(f32, u32, Vec2<f32>))] } { #[device] }
        { #[derive(Element)] #[element(traits(Distance))] } { #[derive(Element)] #[element(traits(Distance))] }
    }
}

mod apart {
    use super::device_distances::{Cell, Distance, all, furthest};
    use samebits::prelude::*;

    #[kernel(workgroup_size(1))]
    pub fn distances(x: &[u32], o: &mut [u32]) {
        let i = global_id().x;
        let found = all(x[i]);
        for j in 0..5 {
            o[i * 8 + j] = found[j];
        }
        let mut at = x[i] as f32;
        at.push(2);
        let mut cell = Cell::Wall;
        cell.push(x[i]);
        o[i * 8 + 5] = at.twice(1.0f32) + f32::NEAR * 1000;
        o[i * 8 + 6] = cell as u32 + Cell::NEAR + Cell::twice(cell, Cell::Wall);
        o[i * 8 + 7] = furthest::<Vec2<f32>>(Vec2::splat(at), Vec2::new(0.0, 1.0), 2);
    }

    #[kernel(workgroup_size(1), instances(T = [f32, u32, Cell]))]
    pub fn between<T: Distance + Element>(x: &[T], o: &mut [u32]) {
        let i = global_id().x as usize;
        if i + 1 < x.len() {
            o[i] = T::distance(x[i], x[i + 1]) + T::NEAR;
        }
    }

    #[device]
    fn numbers<T: Number + Distance>(x: T) -> u32 {
        let next = x + x;
        x.twice(next) + T::NEAR + (T::MAX > next) as u32
    }

    #[kernel(workgroup_size(1))]
    pub fn doubled(x: &[u32], o: &mut [u32]) {
        let i = global_id().x;
        o[i] = numbers(x[i]) * 1000 + numbers(x[i] as f32);
    }
}

#[test]
fn enums_and_types_of_the_language_have_traits() {
    use plain_distances::{Cell, Distance, all, furthest};
    let x = [0u32, 1, 3, 4, 12];
    let mut expected = Vec::new();
    for x in x {
        expected.extend(all(x));
        let mut at = x as f32;
        at.push(2);
        let mut cell = Cell::Wall;
        cell.push(x);
        expected.push(at.twice(1.0f32) + f32::NEAR * 1000);
        expected.push(cell as u32 + Cell::NEAR + Cell::twice(cell, Cell::Wall));
        expected.push(furthest(Vec2::splat(at), Vec2::new(0.0f32, 1.0), 2));
    }
    crate::expect(&expected, |device, out| apart::distances::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn a_kernel_runs_for_each_type_of_a_trait() {
    use device_distances::Cell;
    let floats = [1.0f32, 4.5, -2.0];
    crate::expect(&[13, 16, 0], |device, out| apart::between::launch::<f32>(device, 3, &device.upload(&floats)?, out));
    let numbers = [7u32, 4, 9];
    crate::expect(&[4, 6, 0], |device, out| apart::between::launch::<u32>(device, 3, &device.upload(&numbers)?, out));
    let cells = [Cell::Door, Cell::Door, Cell::Wall];
    crate::expect(&[1000, 1012, 0], |device, out| {
        apart::between::launch::<Cell>(device, 3, &device.upload(&cells)?, out)
    });
}

#[test]
fn a_bound_by_numbers_and_a_trait_gives_both() {
    let x = [3u32, 10];
    // Of 3: 3 * 2 + 1, near 1, and the greatest is greater. Of 3.0 by its own function: 3 * 2 + 10 + 3, near 10, and 1.
    crate::expect(&[9030, 23044], |device, out| apart::doubled::launch(device, 2, &device.upload(&x)?, out));
}

mod short_names {
    use samebits::prelude::*;

    #[device]
    pub trait T {
        fn value(self) -> u32;
    }

    #[derive(Clone, Copy, Element)]
    #[element(traits(T))]
    #[repr(C)]
    pub struct S {
        pub number: u32,
    }

    #[device]
    impl T for S {
        fn value(self) -> u32 {
            self.number + 1
        }
    }

    #[kernel(workgroup_size(1))]
    pub fn value(o: &mut [u32]) {
        let s = S { number: 4 };
        o[0] = s.value();
    }
}

#[test]
fn a_trait_may_have_the_name_of_a_type_parameter() {
    crate::expect(&[5], |device, out| short_names::value::launch(device, 1, out));
}
