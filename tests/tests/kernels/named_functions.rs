//! Functions that are given by name: methods of numbers, operators, and functions of structs and of traits.

use crate::twins;

twins! {
    methods_and_operators_are_given_by_name([7, 3, 900, 4_000_000_000, 12]);
    { fn reduce(x: &[u32], f: impl Fn(u32, u32) -> u32) -> u32 {
        let mut all = x[0];
        for i in 1..x.len() { all = f(all, x[i]); }
        all
    } }
    { fn of_floats(a: f32, b: f32, f: impl Fn(f32, f32) -> f32) -> u32 { f(a, b).to_bits() } }
    { fn once(a: f32, f: impl Fn(f32) -> f32) -> f32 { f(a) } }
    { fn of_type(a: i32, b: i32, f: impl Fn(i32, i32) -> i32) -> u32 { f(a, b) as u32 } }
    kernel(x, o) {
        o[0] = reduce(x, u32::wrapping_add);
        o[1] = reduce(x, u32::max);
        o[2] = reduce(x, u32::min);
        o[3] = reduce(&x[..3], core::ops::Mul::mul);
        o[4] = reduce(&x[..2], core::ops::Sub::sub);
        o[5] = reduce(x, std::ops::BitXor::bitxor);
        let a = x[0] as f32;
        o[6] = of_floats(a, 2.5, f32::min);
        o[7] = of_floats(a, 2.5, core::ops::Div::div);
        o[8] = once(-a, f32::abs) as u32;
        o[9] = once(-a, core::ops::Neg::neg) as u32;
        o[10] = of_type(-5, 3, i32::wrapping_mul);
        o[11] = of_type(7, 3, core::ops::Rem::rem);
        o[12] = x.iter().copied().fold(0, u32::max);
        o[13] = x.iter().copied().map(u32::count_ones).sum::<u32>();
    }
}

/// The same tokens as plain Rust and for kernels: functions of a struct and of a trait by name.
macro_rules! points {
    ({ $(#[$on_item:meta])* } { $(#[$on_trait:meta])* } { $(#[$on_struct:meta])* }) => {
        use core::ops::Sub;

        $(#[$on_trait])*
        pub trait Half: Copy {
            fn half(self) -> Self;
        }

        $(#[$on_item])*
        impl Half for u32 {
            fn half(self) -> u32 {
                self / 2
            }
        }

        $(#[$on_struct])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct Point {
            x: u32,
            y: u32,
        }

        $(#[$on_item])*
        impl Point {
            pub fn new(x: u32, y: u32) -> Self {
                Self { x, y }
            }

            pub fn add(self, other: Self) -> Self {
                Self::new(self.x + other.x, self.y.wrapping_mul(other.y))
            }

            pub fn sum(&self) -> u32 {
                self.x + self.y
            }
        }

        $(#[$on_item])*
        fn combined(a: Point, b: Point, f: impl Fn(Point, Point) -> Point) -> Point {
            f(f(a, b), b)
        }

        $(#[$on_item])*
        fn made(x: u32, f: impl Fn(u32, u32) -> Point) -> Point {
            f(x, x + 1)
        }

        $(#[$on_item])*
        fn applied<T: Half>(x: T, f: impl Fn(T) -> T) -> T {
            f(x.half())
        }

        $(#[$on_item])*
        fn through<T: Half>(x: T) -> T {
            applied(x, T::half)
        }

        $(#[$on_item])*
        fn of_two(x: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
            f(x + 9, 2)
        }

        $(#[$on_item])*
        pub fn all(x: u32) -> u32 {
            let both = combined(made(x, Point::new), Point::new(3, 5), Point::add);
            both.sum() + of_two(x, Sub::sub) * 1000 + applied(x * 100, u32::half) * 7 + through(x) + applied(x * 10, <u32 as Half>::half)
        }
    };
}

mod plain {
    points! { { #[allow(dead_code)] } { #[allow(dead_code)] } { #[allow(dead_code)] } }
}

mod for_kernels {
    use samebits::prelude::*;

    points! { { #[device] } { #[device(types(u32))] } { #[derive(Element)] #[element(methods)] } }

    #[kernel(workgroup_size(1))]
    pub fn given(x: &[u32], o: &mut [u32]) {
        let i = global_id().x;
        o[i] = all(x[i]);
    }
}

#[test]
fn functions_of_types_are_given_by_name() {
    let x = [0u32, 1, 5, 1000];
    let expected: Vec<u32> = x.iter().map(|&x| plain::all(x)).collect();
    crate::expect(&expected, |device, out| for_kernels::given::launch(device, x.len(), &device.upload(&x)?, out));
}
