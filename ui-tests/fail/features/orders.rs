//! Orders of atomics that a kernel does not declare, or needlessly does.
use samebits::prelude::*;

#[device]
fn raise(flag: &Atomic<u32>) {
    flag.store(1, Ordering::Release);
}

#[kernel]
fn undeclared(c: &[Atomic<u32>]) {
    c[0].fetch_add(1, Ordering::Relaxed);
    c[0].fetch_add(1, Ordering::AcqRel);
//~ ^ V606
    fence(Ordering::SeqCst);
}

#[kernel(workgroup_size(32), features(atomic_orders))]
fn in_a_helper(c: &[Atomic<u32>]) {
    raise(&c[0]);
    fence_in(Ordering::SeqCst, Scope::Workgroup);
//~ ^ V606
}

#[kernel(features(seq_cst, atomic_orders))]
//~                        ^ V605
fn needless(c: &[Atomic<u32>]) {
    c[0].fetch_add_in(1, Ordering::Relaxed, Scope::Device);
    c[0].compare_exchange(1, 2, Ordering::Relaxed, Ordering::SeqCst);
}

fn main() {}
