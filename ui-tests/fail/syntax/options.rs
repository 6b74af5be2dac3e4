//! `Option` where it does not fit.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Holder {
    value: Option<f32>,
//~        ^ V207
}

#[kernel]
fn values(n: u32, y: &mut [f32]) {
    let a: Option<f32> = Some(n);
//~                      ^ V200
    let b = Some(n);
    y[0] = b;
//~        ^ V200
    let c = b + 1;
//~           ^ V021
    let d = b == n;
//~           ^ V021
    let e = Some(n, n);
//~         ^ V204
    let f = Some;
//~         ^ V204
    let g = None(n);
//~         ^ V204
    let h = None;
//~     ^ V202
    let i: Option<f32> = n as f32;
//~                      ^ V200
    if b {
//~    ^ V022
        y[1] = 1.0;
    }
}

#[kernel]
fn methods(x: &[u32], y: &mut [u32], locks: &[Atomic<u32>]) {
    let o = Some(x[0]);
    y[0] = o.unwrap();
//~          ^ V203
    y[1] = x.first().expect("an element");
//~                  ^ V203
    y[2] = o.ok_or(3);
//~          ^ V203
    y[3] = o.unwrap_or(1.5);
//~                    ^ V200
    y[4] = o.copied().unwrap_or(0);
//~          ^ V203
    y[5] = o.map(|v| v + 1);
//~        ^ V200
    y[6] = x.get(2).copied();
//~        ^ V200
    y[7] = x.get(n()).is_some() as u32;
//~              ^ V016
    y[8] = x.get(0..2).is_some() as u32;
//~              ^ V203
    y[9] = locks.get(0).is_some() as u32;
//~              ^ V203
    y[10] = x.get(1u32).is_some() as u32;
//~               ^ V301
    o.take();
//~ ^ V008
    y[11] = o.filter(|v| v > 3).is_some() as u32;
//~                      ^ V200
    y[12] = o.map_or(0).max(1);
//~         ^ V204
    y[13] = x.get(3).unwrap_or(0);
//~                            ^ V200
    let pair = Some(Pair { a: 1, b: 2 });
    y[14] = (pair == None) as u32;
//~               ^ E0277
    y[15] = pair.unwrap_or_default().a;
//~              ^ V205
}

#[kernel]
fn patterns(x: &[u32], y: &mut [u32]) {
    let o = Some(x[0]);
    y[0] = match o {
//~              ^ V105
        Some(0) => 1,
        None => 2,
    };
    let Some(v) = o;
//~               ^ V105
    if let Some(v) = x[1] {
//~        ^ V200
        y[1] = v;
    }
    if let Some = o {
//~        ^ V204
        y[2] = 1;
    }
    if let Some(a, b) = o {
//~        ^ V204
        y[3] = a;
    }
    if let Some(1.5) = o {
//~             ^ V100
        y[4] = 1;
    }
    match Some(o) {
//~       ^ V105
        Some(Some(1..)) | None => {}
        Some(None) => {}
    }
}

#[kernel]
fn leaving(x: &[u32], y: &mut [u32]) {
    let v = x.get(0)?;
//~                 ^ V200
    y[0] = x[1]?;
//~            ^ V200
}

#[device]
fn number(x: Option<f32>) -> f32 {
    x? + 1.0
//~  ^ V200
}

#[device]
fn half(n: u32) -> Option<u32> {
    if n % 2 == 0 {
        return n / 2;
//~            ^ V200
    }
    n
//~ ^ V200
}

#[kernel]
fn buffer(x: &[Option<u32>], y: &mut [[Option<u32>; 2]]) {}
//~          ^ V201
//~                             ^ V201

#[kernel]
fn argument(n: Option<u32>, y: &mut [u32]) {
//~            ^ V201
    #[shared]
    let tile: [Option<f32>; 4];
//~           ^ V201
}

fn main() {}
