//! Attributes that mean nothing inside of an item.
use samebits::prelude::*;

#[kernel]
fn statements(#[first] x: f32, y: &mut [f32]) {
//~           ^ V100
    #[second]
//~ ^ V100
    let z = [x, #[third] 2.0];
//~             ^ V100
    #[shared]
//~ ^ V100
    y[0] = z[0];
    y[1] = match y.len() {
        #[fourth]
//~     ^ V100
        1 => 2.0,
        _ => 3.0,
    };
    let f = |#[fifth] a: f32| a;
//~          ^ V100
    y[2] = f(1.0);
}

#[device]
fn helper<#[sixth] T: Float>(#[seventh] x: T) -> T {
//~       ^ V100
//~                          ^ V100
    x
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: f32,
}

#[kernel]
fn fields(y: &mut [f32]) {
    let pair = Pair { #[inline] a: 1.0 };
//~                   ^ V100
    y[0] = pair.a;
}

fn main() {}
