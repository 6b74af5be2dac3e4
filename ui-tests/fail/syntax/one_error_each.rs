//! Statements of which each has one mistake, however often it shows.
use samebits::prelude::*;

#[kernel]
fn k(p: u32, x: &[f32], y: &mut [f32]) {
    for (j, v) in x.iter().peekable().enumerate() {
//~                        ^ V203
        y[j] = *v;
    }
    for (a, b) in x.iter().chain(x) {
//~                        ^ V203
        y[0] = *a + *b;
    }
    if let Some(v) = x[1] {
//~        ^ V200
        y[1] = v;
    }
    while let Ok(v) = x[2] {
//~       ^ V100
        y[2] = v;
    }
    match x[0] {
        1.0 => y[0] = 1.0,
//~     ^ V100
        2.0 => y[0] = 2.0,
        _ => {}
    }
    let text: String = String::new();
//~           ^ V201
    let f = |a: u32| a;
//~          ^ V200
    y[5] = f(1.0);
}

#[kernel]
fn shared(y: &mut [i32]) {
    #[shared]
    let (a, b): (i32, i32);
//~     ^ V100
    a = 1;
    b = a + 2;
    y[0] = a + b;
}

#[kernel]
fn lanes(y: &mut [f32]) {
    let mut v = Vec3::new(1.0f32, 2.0, 3.0);
    v.xy() = Vec2::new(1.0, 2.0);
//~ ^ V100
    v.xy = Vec2::new(1.0, 2.0);
//~   ^ V203
    let w = v as Vec3<u32>;
//~         ^ V012
    let i = global_id().x;
    y[0] = v.x[i];
//~        ^ V301
    y[1] = v[0].x;
//~             ^ V203
}

fn main() {}
