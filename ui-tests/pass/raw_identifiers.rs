//! Names that are keywords elsewhere.
#![deny(warnings)]
#![allow(non_camel_case_types)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Span {
    r#type: f32,
    r#fn: f32,
}

#[device]
impl Span {
    fn r#where(self) -> f32 {
        self.r#type + self.r#fn
    }
}

#[device]
fn r#match(r#in: f32) -> f32 {
    r#in * 2.0
}

#[device]
fn r#use(x: f32) -> f32 {
    r#match(x) + 1.0
}

#[kernel(workgroup_size(1))]
fn r#loop(r#move: Span, y: &mut [f32]) {
    let Span { r#type, .. } = r#move;
    y[0] = r#use(r#move.r#where()) + r#type;
}

fn main() -> Result<(), Error> {
    let device = Device::interpreter();
    let mut y = device.zeros::<f32>(1)?;
    r#loop::launch(&device, 1, Span { r#type: 1.0, r#fn: 2.0 }, &mut y)?;
    assert_eq!(y.read()?, [8.0]);
    Ok(())
}
