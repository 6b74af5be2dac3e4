//! Structs with methods: one with public fields, and one whose field only methods reach.

use core::ops::{Add, Mul};
use samebits::prelude::*;

/// A point in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods, traits(Add, f32: Mul<Point>))]
#[repr(C)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

const UNIT: f32 = 0.5 + 0.5;

#[device]
impl Point {
    /// Where the axes meet.
    pub const ORIGIN: Point = Point { x: 0.0, y: 0.0 };

    /// A point.
    pub fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    /// One further to the right.
    pub fn right(self) -> Self {
        Self { x: self.x + UNIT, ..self }
    }

    /// Moves by a factor.
    pub fn scale(&mut self, by: f32) {
        self.x *= by;
        self.y *= by;
    }

    /// The sum of both distances.
    pub fn manhattan(&self) -> f32 {
        self.x.abs() + self.y.abs()
    }
}

#[device]
impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self::Output {
        Self::new(self.x + other.x * UNIT, self.y + other.y)
    }
}

#[device]
impl Mul<Point> for f32 {
    type Output = Point;

    fn mul(self, point: Point) -> Point {
        Point { x: point.x * self, y: point.y * self }
    }
}

/// A way between two points.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
pub struct Way {
    /// Its ends.
    pub ends: [Point; 2],
    /// What it counts.
    pub weight: u32,
}

/// A number that counts up.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(methods)]
#[repr(C)]
pub struct Counter {
    count: u32,
}

impl Counter {
    /// A counter, on the host.
    pub const fn at(count: u32) -> Self {
        Self { count }
    }
}

#[device]
impl Counter {
    const STEP: u32 = 3;

    /// A counter at a number.
    pub fn starting(count: u32) -> Self {
        Self { count }
    }

    /// The next number.
    pub fn next(&mut self) -> u32 {
        self.count += Self::STEP;
        crate::scaled(self.count)
    }
}

/// The way from the origin.
#[device]
pub fn way_to(end: Point, weight: u32) -> Way {
    Way { ends: [Point::ORIGIN, end], weight }
}

/// How long a way is.
#[device]
pub fn way_length(way: &Way) -> f32 {
    let (from, to) = (way.ends[0], way.ends[1]);
    Point::new(to.x - from.x, to.y - from.y).manhattan() * way.weight as f32
}
