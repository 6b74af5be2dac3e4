//! Orders and scopes of atomics that an access cannot have, and what is no order.
use samebits::prelude::*;

#[derive(Clone, Copy)]
#[allow(dead_code)]
enum Mine {
    Relaxed,
}

#[allow(dead_code)]
const ORDER: Ordering = Ordering::Release;

#[kernel(features(atomic_orders))]
fn invalid(c: &[Atomic<u32>], y: &mut [u32]) {
    y[0] = c[1].load(Ordering::Release);
//~                  ^ V310
    c[1].store(1, std::sync::atomic::Ordering::AcqRel);
//~               ^ V310
    c[2].compare_exchange(1, 2, Ordering::AcqRel, Ordering::Release);
//~                                               ^ V310
    c[2].compare_exchange_weak_in(1, 2, Ordering::AcqRel, Ordering::AcqRel, Scope::Device);
//~                                                       ^ V310
    fence(Ordering::Relaxed);
//~       ^ V310
    fence(Ordering::AcqRel);
}

#[kernel]
fn arguments(c: &[Atomic<u32>], order: u32) {
    c[0].fetch_add(1, ORDER);
//~                   ^ V204
    c[0].fetch_add(1, order);
//~                   ^ V204
    c[0].fetch_add(1, 2);
//~ ^ V204
    c[0].fetch_add(1, Ordering::Relaxed, Ordering::Relaxed);
//~ ^ V204
    c[0].compare_exchange(1, 2, Ordering::Relaxed);
//~ ^ V204
    c[0].fetch_add_in(1, Ordering::Relaxed);
//~ ^ V204
    c[0].fetch_add_in(1, Ordering::Relaxed, Scope::Subgroup);
//~                                         ^ V204
    c[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |x| x);
//~      ^ V203
    fence();
//~ ^ V204
    fence_in(Ordering::Release, 1);
//~                             ^ V204
}

#[kernel]
fn foreign(c: &[Atomic<u32>]) {
    c[0].fetch_add(1, Mine::Relaxed);
//~                   ^ E0308
}

fn main() {}
