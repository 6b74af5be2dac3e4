//! Generic enums: what their parameters cannot be, and values and patterns that do not fit.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
enum Bits<const N: u32> {
//~       ^ V207
    Word(u32),
}

#[derive(Clone, Copy, Element)]
enum Lent<'a> {
//~       ^ V207
    Word(&'a u32),
}

#[derive(Clone, Copy, PartialEq, Element)]
enum Maybe<T> {
    No,
    Yes(T),
    Both { a: T, b: u32 },
}

#[derive(Clone, Copy, Element)]
enum Sum<T: Number> {
    Of(T),
}

#[derive(Clone, Copy, Element)]
enum Part<T, const N: usize> {
    All([T; N]),
    Nothing,
}

#[device]
fn without_arguments(x: Maybe) -> u32 {
//~                     ^ V204
    match x { Maybe::No => 1, _ => 2 }
}

#[device]
fn of_atomics(x: Maybe<Atomic<u32>>) {}
//~              ^ V201

#[kernel]
fn values(n: u32, y: &mut [u32]) {
    let undecided = Maybe::No;
//~     ^ V202
    let a = Maybe::<u32, f32>::No;
//~         ^ V204
    let b: Maybe<f32> = Maybe::Yes(n);
//~                     ^ V200
    let c = Maybe::Nope(n);
//~         ^ V203
    let d = Maybe::<u32>::None;
//~         ^ V203
    let e = Maybe::Both { a: n };
//~         ^ V204
    let f = Sum::Of(true);
//~         ^ V205
    let g = Part::<u32, _>::Nothing;
//~         ^ V202
    let h = Maybe::Yes(1u32) == Maybe::Yes(1.0f32);
//~                          ^ V021
}

#[kernel]
fn patterns(n: u32, y: &mut [u32]) {
    y[0] = match Maybe::Yes(n) {
//~              ^ V105
        Maybe::No => 1,
        Maybe::Yes(0..=9) => 2,
    };
    if let Maybe::Yes(a, b) = Maybe::Yes(n) {
//~        ^ V204
        y[1] = a;
    }
    if let Sum::Of(v) = Maybe::Yes(n) {
//~        ^ V200
        y[2] = v;
    }
}

fn main() {}
