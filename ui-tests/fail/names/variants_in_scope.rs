//! Variants of enums in scope: by a `use` outside of the body, of what is no enum, and of what it does not have.
use samebits::prelude::*;

#[derive(Clone, Copy, PartialEq, Element)]
#[repr(u32)]
enum Way {
    Up,
    Down,
}

#[derive(Clone, Copy, Element)]
enum Shape {
    Nothing,
    Circle(u32),
    Rect { w: u32 },
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Point(u32);

#[derive(Clone, Copy)]
enum Plain {
    A,
}

use Shape::{Circle, Rect};
use Way::*;

#[kernel]
fn outside(n: u32, y: &mut [u32]) {
    let shape = if n > 1 { Circle(n) } else { Rect { w: 1 } };
//~                        ^ V100
//~                                           ^ V100
    y[0] = Up as u32;
//~        ^ V100
    if let Circle(r) = shape {
        y[1] = r;
    }
    y[2] = match Way::Up {
        Down => 2,
//~     ^ V100
        _ => 3,
    };
}

#[kernel]
fn inside(n: u32, y: &mut [u32]) {
    use Point::*;
//~ ^ V100
    use Plain::A;
//~ ^ V100
    use Way::Left;
//~ ^ V203
    use Shape::{Nothing, Circle as Round};
    use std::cmp::Ordering::Less;
//~ ^ V100
    use std::mem::swap;
//~ ^ V100
    let way = Left;
    let shape = if n > 1 { Round } else { Nothing(2) };
//~                        ^ V204
//~                                       ^ V204
    y[0] = match Shape::Nothing {
        Round(..) => 1,
        Nothing(_) => 2,
//~     ^ V204
        _ => 4,
    };
    let a = A;
}

#[kernel]
fn as_a_type(n: u32, y: &mut [u32]) {
    use Way::Up;
    y[0] = Up(n);
//~        ^ V204
}

#[kernel]
fn as_a_name(n: u32, y: &mut [u32]) {
    use Way::Up;
    let Up = Way::Down;
//~          ^ V105
    y[global_id().x] = n;
}

fn main() {}
