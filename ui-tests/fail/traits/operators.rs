//! Operators of structs and enums that are not there, are not listed, or differ from their traits.
use core::ops::{Add, AddAssign, Mul, Neg};
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(traits(Neg, Mul<f32>, Mul<f64>, Mul<i32>), methods)]
#[repr(C)]
struct Point {
    x: f32,
}

#[device]
impl Neg for Point {
    type Output = Self;

    fn neg(self) -> Self {
        Point { x: -self.x }
    }
}

#[device]
impl Mul<f32> for Point {
    type Output = Point;

    fn mul(self, by: f32) -> Point {
        -Point { x: self.x * by }
    }
}

#[device]
impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, by: f64) -> Self::Output {
        Point { x: by as f32 }
    }
}

#[device]
impl Mul<i32> for Point {
    type Output = Point;

    fn mul(self, by: i32) -> Point {
        self * by as f32
    }
}

#[device]
impl Add for Point {
//~  ^ V102
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Point { x: self.x + other.x }
    }
}

#[device]
impl Point {
    fn twice(self) -> Self {
        self * 2.0f32
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Add, Mul<f32>, AddAssign, Neg, f32: Mul<Wrong>))]
#[repr(C)]
struct Wrong(u32);

#[device]
impl Add for Wrong {
    type Output = Wrong;

    fn add(&self, other: Wrong) -> Wrong {
//~    ^ V200
        *self
    }
}

#[device]
impl Mul<f32> for Wrong {
    type Output = Wrong;

    fn mul(self, by: u32) -> Wrong {
//~    ^ V200
        self
    }

    fn other(self) -> u32 {
//~ ^ V203
        1
    }
}

#[device]
impl AddAssign for Wrong {
//~  ^ V102
}

#[device]
impl Neg for Wrong {
//~  ^ V102
    fn neg(self) -> Wrong {
        self
    }
}

#[device]
impl Mul<Wrong> for f32 {
    type Output = u32;

    fn mul(self, by: Wrong) -> f32 {
//~    ^ V200
        self
    }
}

#[device]
impl Mul<u32> for &Wrong {
//~               ^ V102
    type Output = Wrong;

    fn mul(self, by: u32) -> Wrong {
        *self
    }
}

fn main() {}
