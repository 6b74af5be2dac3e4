//! Iterators in variables: they are used up once, borrow what they go over, and are no values.
use samebits::prelude::*;

#[kernel]
fn used_twice(x: &[u32], y: &mut [u32]) {
    let it = x.iter();
    y[0] = it.clone().sum::<u32>();
    for v in it {
        y[1] += v;
    }
    y[2] = it.count() as u32;
//~        ^ V209
    let numbers = 0..4;
    loop {
        for i in numbers {
//~              ^ V209
            y[i] += 1;
        }
        if y[0] > 9 {
            break;
        }
    }
}

#[kernel]
fn borrowed(y: &mut [u32]) {
    let mut t = [1u32, 2, 3];
    let it = t.iter();
    t[0] = 5;
//~ ^ V206
    for v in it {
        y[0] += v;
    }
    let changed = t.iter_mut();
    let sum = t[0];
//~           ^ V206
    for v in changed {
        *v += sum;
    }
}

#[kernel]
fn no_values(x: &[u32], y: &mut [u32]) {
    let mut it = x.iter();
    let first = it.next();
//~             ^ V100
    let some = it.any(|v| *v > 3);
//~            ^ V100
    let other = Some(it);
//~                  ^ V100
    let many = y.iter_mut();
    let sum = many.clone().count();
//~           ^ V203
}

fn main() {}
