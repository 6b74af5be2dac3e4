//! Variables that nothing reads: rustc warns of them where they are declared, in its own words.
#![deny(warnings)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Pair {
    a: f32,
    b: f32,
}

#[device]
impl Pair {
    fn sum(self, scale: f32) -> f32 {
//~              ^ no code
        let Pair { a, b } = self;
//~                   ^ no code
        a
    }
}

#[device]
fn helper<T: Number>(x: T, unread: T) -> T {
//~                        ^ no code
    let twice = x + x;
//~     ^ no code
    x
}

#[kernel]
fn k(n: u32, x: &[f32], unread: &[f32], y: &mut [f32]) {
//~                     ^ no code
    let i = global_id().x as usize;
    let count = 1;
//~     ^ no code
    let (first, second) = (x[i], x[i + 1]);
//~             ^ no code
    let mut total = 0.0;
//~     ^ no code
    for round in 0..n {
//~     ^ no code
        total += first;
//~     ^ no code
    }
    let add = |a: f32, b: f32| a + 1.0;
//~                    ^ no code
    #[shared]
    let tile: [f32; 64];
//~     ^ no code
    match n {
        other => y[2 * i] = helper(add(first, 1.0), 1.0),
//~     ^ no code
    }
    y[2 * i + 1] = Pair { a: 1.0, b: 2.0 }.sum(1.0);
}

fn main() {}
