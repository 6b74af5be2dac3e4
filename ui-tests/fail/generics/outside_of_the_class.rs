//! Types that are no members of the class that a helper asks for.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Ray {
    a: f32,
}

#[device]
fn lerp<T: Float>(a: T, b: T, t: T) -> T {
    a + (b - a) * t
}

#[device]
fn odd<T: Unsigned>(a: T) -> bool {
    a & 1 == 1
}

#[device]
fn larger<T: Number>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

#[device]
fn sum<T: Copy + std::ops::Add<Output = T>>(a: T, b: T) -> T {
    a + b
}

#[device]
fn first<T: Element>(a: &[T]) -> T {
    a[0]
}

#[kernel]
fn k(r: Ray, n: u32, i: i32, v: Vec2<f32>, x: &[f32], y: &mut [f32]) {
    y[0] = lerp(n, n, n) as f32;
//~        ^ V205
    y[1] = odd(i) as u32 as f32;
//~        ^ V205
    y[2] = larger(v, v).x;
//~        ^ V205
    y[3] = larger(r, r).a;
//~        ^ V205
    y[4] = odd(1.5) as u32 as f32;
//~        ^ V205
    y[5] = first(x);
    y[6] = larger(true, false) as u32 as f32;
//~        ^ V205
    y[8] = sum(r, r).a;
//~        ^ V205
    y[7] = larger(y.len(), 1) as f32;
//~        ^ V205
}

fn main() {}
