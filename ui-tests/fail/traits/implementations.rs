//! Implementations that do not fit their trait or their struct.
use samebits::prelude::*;

#[device]
trait Shape {
    const SIDES: u32;

    fn area(&self) -> f32;
    fn scaled(self, by: f32) -> Self;
    fn unit() -> Self;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Shape))]
#[repr(C)]
struct Lacking(f32);

#[device]
impl Shape for Lacking {
//~  ^ V102
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.0
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Shape))]
#[repr(C)]
struct Different(f32);

#[device]
impl Shape for Different {
    const SIDES: u32 = 4;

    fn area(self) -> f32 {
//~    ^ V200
        self.0
    }

    fn scaled(self, by: u32) -> Self {
//~    ^ V200
        Self(self.0 * by as f32)
    }

    fn unit() -> f32 {
//~    ^ V200
        1.0
    }
}

#[derive(Clone, Copy, Element)]
#[element(traits(Shape))]
#[repr(C)]
struct More(f32);

#[device]
impl Shape for More {
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.0 * 2
//~            ^ V021
    }

    fn scaled(self, by: f32) -> Self {
        Self(self.0 * by)
    }

    fn unit() -> Self {
        Self(1.0)
    }

    fn height(&self) -> f32 {
//~    ^ V203
        self.0
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Unannounced(f32);

#[device]
impl Shape for Unannounced {
//~  ^ V102
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.0
    }

    fn scaled(self, by: f32) -> Self {
        Self(self.0 * by)
    }

    fn unit() -> Self {
        Self(1.0)
    }
}

trait Plain {
    fn of(&self) -> f32;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Plain))]
#[repr(C)]
struct OfPlain(f32);

#[device]
impl Plain for OfPlain {
//~  ^ V102
    fn of(&self) -> f32 {
        self.0
    }
}

fn main() {}
