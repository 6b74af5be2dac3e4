//! Conversions that nobody wrote, that are not clear, or that are listed wrongly.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(traits(From<f32>, From<Other>, f32: From<One>, From<u32>))]
#[repr(C)]
struct One {
    x: f32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Other {
    x: f32,
}

#[device]
impl From<f32> for One {
    fn from(x: f32) -> Self {
        One { x }
    }
}

#[device]
impl From<Other> for One {
    fn from(x: Other) -> One {
        One { x: x.x }
    }
}

#[device]
impl From<One> for f32 {
    fn from(one: One) -> f32 {
        one.x
    }
}

#[device]
impl From<u32> for One {
    fn from(x: &u32) -> Self {
//~    ^ V200
        One { x: 1.0 }
    }
}

#[device]
impl From<i32> for One {
//~  ^ V102
    fn from(x: i32) -> Self {
        One { x: x as f32 }
    }
}

#[device(listed_by(Third))]
impl core::ops::Add<One> for Other {
//~                          ^ V102
    type Output = One;

    fn add(self, one: One) -> One {
        one
    }
}

#[device]
impl Into<f32> for Other {
//~  ^ V102
    fn into(self) -> f32 {
        self.x
    }
}

#[device]
impl Default for Other {
//~  ^ V102
    fn default() -> Self {
        Other { x: 0.0 }
    }
}

#[device(listed_by(One))]
//~      ^ V101
fn helper(x: f32) -> f32 {
    x
}

fn main() {}
