//! Uses of traits: types without the trait, functions that no bound gives, and values that do not exist.
use samebits::prelude::*;

#[device]
trait Shape {
    const SIDES: u32;

    fn area(&self) -> f32;
    fn unit() -> Self;
}

#[device]
trait Named {
    fn name() -> u32;
    fn area(&self) -> f32;
}

#[derive(Clone, Copy, Element)]
#[element(traits(Shape, Named))]
#[repr(C)]
struct Square(f32);

#[device]
impl Shape for Square {
    const SIDES: u32 = 4;

    fn area(&self) -> f32 {
        self.0
    }

    fn unit() -> Self {
        Self(1.0)
    }
}

#[device]
impl Named for Square {
    fn name() -> u32 {
        1
    }

    fn area(&self) -> f32 {
        self.0 + 1.0
    }
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Other(f32);

#[derive(Clone, Copy, Element)]
#[element(traits(Named))]
struct Marker;

#[device]
impl Named for Marker {
    fn name() -> u32 {
        2
    }

    fn area(&self) -> f32 {
        0.0
    }
}

#[device]
fn area_of<S: Shape>(shape: S) -> f32 {
    shape.area()
}

#[device]
fn name_of<N: Named>() -> u32 {
    N::name()
}

#[device]
fn passed_on<N: Named>(x: N) -> f32 {
    area_of(x)
//~ ^ V205
}

#[device]
fn not_in_the_bound<S: Shape>(x: S) -> u32 {
    S::name() + x.name()
//~ ^ V203
//~               ^ V203
}

#[device]
fn no_bound_at_all<S: Iterator>(x: S) -> S {
//~                ^ V102
    x
}

#[device]
fn number_and_trait<S: Shape + Number>(x: S) -> S {
//~                 ^ V102
    x
}

#[kernel]
fn k(y: &mut [f32], squares: &[Square]) {
    y[0] = area_of(Other(1.0));
//~        ^ V205
    y[1] = area_of(2.0f32);
//~        ^ V205
    y[2] = name_of::<Other>() as f32;
//~        ^ V205
    y[3] = squares[0].area();
//~                   ^ V203
    y[4] = Square::area(&squares[0]);
//~        ^ V203
    y[5] = <Square as Shape>::area(&squares[0]);
    y[6] = name_of() as f32;
//~        ^ V202
    y[7] = Square::ANGLES as f32;
//~        ^ V006
    y[8] = Shape::unit().area();
//~        ^ V202
    y[9] = <Other as Shape>::area(&Other(1.0));
//~        ^ V205
}

#[kernel]
fn of_a_marker(y: &mut [f32]) {
    let m = Marker;
//~         ^ V201
    y[0] = m.area();
    let a: [Marker; 3] = [m; 3];
//~        ^ V201
}

#[device]
fn takes_one(m: Marker) -> u32 {
//~             ^ V201
    2
}

#[kernel(instances(S = [Square, Other]))]
//~                ^ V205
fn instances<S: Shape>(y: &mut [u32]) {
    y[0] = S::SIDES;
}

fn main() {}
