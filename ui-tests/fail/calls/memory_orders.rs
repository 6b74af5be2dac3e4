//! Atomics with the orders of `std::sync::atomic`.
use samebits::prelude::*;
#[allow(unused_imports)]
use std::sync::atomic::Ordering;
#[allow(unused_imports)]
use std::sync::atomic::Ordering as O;

#[kernel]
fn k(c: &[Atomic<u32>], y: &mut [u32]) {
    c[0].fetch_add(1, Ordering::Relaxed);
//~                   ^ V204
    y[0] = c[1].load(std::sync::atomic::Ordering::SeqCst);
//~                  ^ V204
    c[2].compare_exchange(1, 2, O::AcqRel, O::Relaxed);
//~                             ^ V204
    std::sync::atomic::fence(Ordering::SeqCst);
//~ ^ V016
}

fn main() {}
