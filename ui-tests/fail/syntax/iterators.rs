//! Iterators that do not fit, and what is on loan while a loop goes over references.
use samebits::prelude::*;

#[kernel]
fn misused(x: &[u32], f: &[f32], y: &mut [u32], n: usize) {
    for v in n {
//~          ^ V200
        y[0] = v;
    }
    let s = x.iter().sum();
//~         ^ V202
    let kept = Some(x.iter().rev());
//~                 ^ V100
    let list = x.iter().collect();
//~                     ^ V203
    let m = x.iter().map(|v| v + 1).min_by(|a, b| a.cmp(b));
//~                                 ^ V203
    y[1] = x.iter().min().unwrap_or(3);
//~                                 ^ V200
    y[2] = f.iter().copied().max().unwrap_or(0.0) as u32;
//~                          ^ V205
    y[3] = f.iter().sum::<u32>();
//~        ^ V200
    y[4] = x.iter().filter(|v| **v > 2).zip(x).map(|(a, b)| a * b).sum();
//~                                     ^ V203
    y[5] = x.iter().skip(2u32).count() as u32;
//~                      ^ V200
    for i in 3.. {
//~          ^ V100
        y[6] = i;
    }
    for v in (0..4).copied() {
//~                 ^ V203
        y[7] = v;
    }
    for (a, b, c) in x.iter().enumerate() {
//~     ^ V100
        y[8] = 1;
    }
    for v in x {
        y[9] = v;
//~            ^ V200
    }
    y[10] = x.iter().map(|v| { y[11] = *v; *v }).skip(1).sum();
//~                                              ^ V203
    for v in x.iter().chain(x) {
//~                   ^ V203
        y[12] = *v;
    }
    y[13] = x.iter().fold(0, |a| a);
//~                          ^ V204
    y[14] = x.iter().any(|v| *v) as u32;
//~         ^ V200
}

#[kernel]
fn on_loan(x: &[u32], y: &mut [u32]) {
    for v in y.iter_mut() {
        *v = y[0];
//~          ^ V206
    }
    let mut a = [1, 2, 3];
    for v in &a {
        a[0] = *v;
//~     ^ V206
    }
    let b = [1, x[0]];
    for v in &mut b {
//~               ^ V008
        *v = 1;
    }
    for v in x.iter_mut() {
//~          ^ V005
        *v = 1;
    }
    let c = [1u32, 2];
    for v in c.iter() {
        *v = 2;
//~     ^ V005
    }
    for (v, w) in y.iter_mut().zip(y.iter()) {
//~                                ^ V206
        *v = *w;
    }
}

fn main() {}
