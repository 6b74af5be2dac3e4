//! Uses of operators that a type does not have, that come too late, or of which several fit.
use core::ops::{Add, Mul, Sub};
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods, traits(Add))]
#[repr(C)]
struct Late(f32);

#[device]
impl Late {
    fn twice(self) -> Self {
        self + self
//~          ^ V021
    }
}

#[device]
impl Add for Late {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Late(self.0 + other.0)
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Add, Mul<f32>, Mul<f64>))]
#[repr(C)]
struct Point {
    x: f32,
}

#[device]
impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Point { x: self.x + other.x }
    }
}

#[device]
impl Mul<f32> for Point {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Point { x: self.x * by }
    }
}

#[device]
impl Mul<f64> for Point {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Point { x: by as f32 }
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Sub))]
#[repr(C)]
struct Pair<T> {
    a: T,
}

#[device]
impl<T: Float> Sub for Pair<T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Pair { a: self.a - other.a }
    }
}

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Way {
    Up,
    Down,
}

#[derive(Clone, Copy, Element)]
enum Shape {
    Nothing,
    Circle(u32),
}

#[kernel]
fn lacking(way: Way, y: &mut [Point], o: &mut [u32]) {
    let (a, b) = (y[0], y[1]);
    y[0] = a - b;
//~          ^ V021
    y[1] = -a;
//~        ^ V021
    y[2] = 2.0f32 * a;
//~               ^ V021
    y[3] = a + 1.0f32;
//~          ^ V021
    y[0] += b;
//~      ^ V021
    y[4] = a * 2.0;
//~        ^ V202
    y[5] = a * way;
//~          ^ V021
    o[0] = (way + Way::Down) as u32;
//~             ^ V021
    let shape = Shape::Nothing + Shape::Circle(1);
//~                            ^ V021
    let pair = Pair { a: 1u32 } - Pair { a: 2 };
//~                             ^ V021
    let right = Pair { a: 1.0f32 } - Pair { a: 2.0 };
    let mixed = right - 1.0f32;
//~                   ^ V021
    let less = a < b;
//~              ^ V021
}

#[device]
fn generic<T: Element>(a: T, b: T) -> bool {
    let sum = a + b;
//~             ^ V021
    a == b
//~   ^ V021
}

fn main() {}
