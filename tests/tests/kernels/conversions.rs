//! `From` and `into` of types of one's own, and operators of two of them with each other.

/// The same tokens as plain Rust and for kernels.
macro_rules! plane {
    ({ $(#[$device:meta])* } { $(#[$by_point:meta])* } { $(#[$point:meta])* } { $(#[$offset:meta])* } { $(#[$kind:meta])* } $word:ident) => {
        use core::ops::{Add, AddAssign, Mul, Neg, Sub};

        $(#[$point])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct Point {
            pub x: $word,
            pub y: $word,
        }

        $(#[$offset])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct Offset {
            pub x: $word,
            pub y: $word,
        }

        $(#[$kind])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Kind {
            Far(u32),
            Near,
        }

        $(#[$device])*
        impl Add<Offset> for Point {
            type Output = Point;

            fn add(self, by: Offset) -> Point {
                Point { x: self.x + by.x, y: self.y + by.y }
            }
        }

        $(#[$by_point])*
        impl Add<Point> for Offset {
            type Output = Point;

            fn add(self, to: Point) -> Point {
                to + self
            }
        }

        $(#[$device])*
        impl Sub for Point {
            type Output = Offset;

            fn sub(self, other: Point) -> Offset {
                Offset { x: self.x - other.x, y: self.y - other.y }
            }
        }

        $(#[$device])*
        impl AddAssign<Offset> for Point {
            fn add_assign(&mut self, by: Offset) {
                *self = *self + by;
            }
        }

        $(#[$device])*
        impl From<Offset> for Point {
            fn from(from: Offset) -> Self {
                Self { x: from.x, y: from.y }
            }
        }

        $(#[$by_point])*
        impl From<Point> for Offset {
            fn from(to: Point) -> Offset {
                Offset { x: to.x, y: to.y }
            }
        }

        $(#[$by_point])*
        impl Mul<Point> for Offset {
            type Output = i32;

            fn mul(self, other: Point) -> i32 {
                let other: Self = other.into();
                self.x * other.x + self.y * other.y
            }
        }

        $(#[$device])*
        impl Neg for Offset {
            type Output = Offset;

            fn neg(self) -> Offset {
                Offset { x: -self.x, y: -self.y }
            }
        }

        $(#[$device])*
        impl Mul<i32> for Offset {
            type Output = Offset;

            fn mul(self, by: i32) -> Offset {
                Offset { x: self.x * by, y: self.y * by }
            }
        }

        $(#[$device])*
        impl Mul<Offset> for i32 {
            type Output = Offset;

            fn mul(self, by: Offset) -> Offset {
                by * self
            }
        }

        $(#[$device])*
        impl From<i32> for Offset {
            fn from(both: i32) -> Self {
                Offset { x: both, y: both }
            }
        }

        $(#[$device])*
        impl From<Kind> for u32 {
            fn from(kind: Kind) -> u32 {
                match kind {
                    Kind::Far(by) => by,
                    Kind::Near => 0,
                }
            }
        }

        $(#[$device])*
        impl From<i32> for Kind {
            fn from(far: i32) -> Self {
                if far > 2 { Kind::Far(far as u32) } else { Kind::Near }
            }
        }

        $(#[$device])*
        pub fn all(x: &[i32], o: &mut [i32]) {
            let start = Point { x: x[0], y: x[1] };
            let by = Offset { x: x[2], y: x[3] };
            let mut p = start + by;
            p += 2 * by;
            p = -by + p;
            let back = p - start;
            o[0] = p.x * 100 + p.y;
            o[1] = back.x * 100 + back.y;
            o[2] = back * p;
            let as_point: Point = back.into();
            let as_offset = Offset::from(p);
            o[3] = (as_point - Point::from(by)).x + as_offset.y;
            let both: Offset = x[1].into();
            o[4] = both.x * 10 + Offset::from(7).y;
            let far: Kind = x[2].into();
            let number: u32 = far.into();
            o[5] = number as i32 + u32::from(Kind::from(1)) as i32;
            // A type is converted to itself.
            o[6] = Point::from(p).x;
        }
    };
}

#[allow(unused_imports)]
mod on_devices {
    use samebits::prelude::*;

    plane! {
        { #[device] }
        { #[device(listed_by(Point))] }
        {
            #[derive(Element)]
            #[element(traits(Add<Offset>, Offset: Add<Point>, Sub, AddAssign<Offset>, From<Offset>, Offset: From<Point>))]
            #[element(traits(Offset: Mul<Point>))]
        }
        { #[derive(Element)] #[element(traits(Mul<i32>, i32: Mul<Offset>, Neg, From<i32>))] }
        { #[derive(Element)] #[element(traits(u32: From<Kind>, From<i32>))] }
        i32
    }

    #[kernel(workgroup_size(1))]
    pub fn compute(x: &[i32], o: &mut [i32]) {
        all(x, o);
    }
}

mod on_host {
    plane! { {} {} {} {} {} i32 }
}

#[test]
fn types_become_each_other_and_have_operators_with_each_other() {
    let x = [3, -4, 5, 6];
    let mut expected = [0i32; 7];
    on_host::all(&x, &mut expected);
    // By hand: (3, -4) + (5, 6) + 2 (5, 6) - (5, 6) = (13, 8), which is (10, 12) from the start.
    assert_eq!(expected[..3], [1308, 1012, 10 * 13 + 12 * 8]);
    crate::expect(&expected, |device, out| on_devices::compute::launch(device, 1, &device.upload(&x)?, out));
}
