//! Enums with fields: what their fields cannot be, where they do not belong, and variants that are written wrong.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Generic<const N: usize> {
//~         ^ V207
    A,
}

#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Numbered {
    A(u32) = 3,
//~          ^ V207
}

#[derive(Clone, Copy, Element)]
enum Borrowing {
    A(&'static u32),
//~   ^ V207
}

#[derive(Clone, Copy, Element)]
enum Event {
    Nothing,
    Hit { t: f32, id: u32 },
    Miss(u32),
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Log {
    last: Event,
//~       ^ V207
}

#[kernel]
fn values(n: u32, y: &mut [u32]) {
    let a = Event::Hit { t: 1.0 };
//~         ^ V204
    let b = Event::Hit { t: 1.0, id: 2, by: 3 };
//~                                     ^ V203
    let c = Event::Hit { t: n, id: n };
//~                         ^ V200
    let d = Event::Hit(1.0, n);
//~         ^ V204
    let e = Event::Miss;
//~         ^ V204
    let f = Event::Miss(n, n);
//~         ^ V204
    let g = Event::Nothing(n);
//~         ^ V204
    let h = Event::Mis(n);
//~         ^ V203
    let i = Event::None;
//~         ^ V203
    let j = Event::Hit { t: 1.0, t: 2.0, id: n };
//~                              ^ V200
    let k = Event::Nothing as u32;
//~         ^ V012
    let l = Event::Miss(n) + 1;
//~                        ^ V021
    let m: Event = n;
//~                ^ V200
}

#[kernel]
fn patterns(n: u32, y: &mut [u32]) {
    let event = if n > 3 { Event::Miss(n) } else { Event::Nothing };
    y[0] = match event {
//~              ^ V105
        Event::Nothing => 1,
        Event::Hit { t: _, id: 0 } => 2,
        Event::Miss(_) => 3,
    };
    y[1] = match event {
        Event::Hit { t } => 1,
//~     ^ V204
        _ => 3,
    };
    if let Event::Hit { id, by, .. } = event {
//~                         ^ V203
        y[2] = id;
    }
    if let Event::Miss(a, b) = event {
//~        ^ V204
        y[2] = a;
    }
    if let Event::Miss = event {
//~        ^ V204
        y[2] = 4;
    }
    if let Event::Hit(..) = event {
//~        ^ V204
        y[3] = 4;
    }
    if let Event::Gone(_) = event {
//~        ^ V203
        y[3] = 5;
    }
    if let Event::Miss(v) = n {
//~        ^ V200
        y[4] = v;
    }
    match event {
        Nothing => y[5] = 1,
//~     ^ V100
        _ => {}
    }
}

#[kernel]
fn memory(events: &[Event], first: Event) {
//~               ^ V201
//~                                ^ V201
    #[shared]
    let last: Event;
//~           ^ V201
}

#[kernel]
fn compared(n: u32, y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = (Event::Miss(n) == Event::Nothing) as u32;
//~                            ^ E0277
    }
}

fn main() {}
