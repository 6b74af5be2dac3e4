//! An assignment in generic code whose meaning depends on which of its sides comes first.
use samebits::prelude::*;

#[device]
fn value_moves_the_index<T: Number>(one: T) -> T {
    let mut i = 0usize;
    let mut a = [one, one];
    a[i] += { i = 1; one };
//~ ^ V100
    a[i]
}

#[device]
fn index_changes_the_value<T: Number>(one: T) -> T {
    let mut i = 0usize;
    let mut a = [one, one];
    a[{ i += 1; i }] *= a[i];
//~ ^ V100
    a[0]
}

#[device]
fn no_order_shows<T: Number>(x: &[T], one: T) -> T {
    let mut i = 0usize;
    let mut sum = [one, one];
    while i < x.len() {
        sum[i % 2] += x[i] * one;
        i += 1;
    }
    sum[0]
}

fn main() {}
