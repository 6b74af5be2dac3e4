//! Bodies in which everything is used, in ways that a careless count would miss: rustc says nothing.
#![deny(warnings)]
#![allow(unused_variables)]
#![deny(unused_variables, unused_mut, unused_assignments, unused_labels, unreachable_code, unused_must_use)]
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
pub struct Counter {
    at: u32,
    step: u32,
}

#[device]
impl Counter {
    fn next(&mut self) -> u32 {
        self.at += self.step;
        self.at
    }

    fn both(self, scale: u32) -> u32 {
        let Self { at, step: by } = self;
        at * scale + by
    }
}

#[device]
fn raise(x: &mut u32, by: u32) {
    *x += by;
}

#[device]
fn fold<T: Number, const N: usize>(values: [T; N], start: T, step: impl Fn(T, T) -> T) -> T {
    let mut total = start;
    for i in 0..N {
        total = step(total, values[i]);
    }
    total
}

#[device]
fn first_above(limit: u32, _unread: u32) -> u32 {
    let mut k = 0;
    loop {
        k += 3;
        if k > limit {
            return k;
        }
    }
}

#[kernel(requires(n <= y.len()))]
#[allow(dead_code)]
fn required(n: u32, y: &mut [u32]) {
    y[global_id().x as usize] = 1;
}

#[kernel(workgroup_size(1))]
#[allow(unused_variables, unused_mut)]
fn allowed(n: u32, unread: &[f32], y: &mut [u32]) {
    let mut nothing = 3;
    y[0] = n;
}

#[kernel(workgroup_size(1))]
#[expect(unused_variables)]
fn expected(n: u32, y: &mut [u32]) {
    #[expect(unused_mut, reason = "it is read only")]
    let mut once = 1;
    y[0] = once;
    #[allow(unused_assignments)]
    {
        let mut twice = 1;
        twice = 2;
        y[1] = twice;
    }
}

macro_rules! made {
    ($name:ident, $n:ident, $body:block) => {
        #[kernel(workgroup_size(1))]
        fn $name($n: u32, y: &mut [u32]) {
            let inner = $body;
            y[0] = inner;
        }
    };
}

made!(of_a_macro, n, {
    let inner = n + 1;
    inner
});

#[kernel(workgroup_size(1))]
fn k(n: u32, mut m: u32, y: &mut [u32], counts: &[Atomic<u32>]) {
    const LEN: usize = 4;
    const TWICE: u32 = 2 * HALF;
    const HALF: u32 = 3;
    let mut counter = Counter { at: n, step: 2 };
    let mut list = [0u32; LEN];
    list[0] = counter.next();
    counter.step = 3;
    let other = Counter { at: n, ..counter };
    y[1] = other.both(TWICE);
    raise(&mut m, n);
    y[2] = m;
    let mut raised = 0;
    raise(&mut raised, 1);
    let x = list[1];
    let x = x + raised;
    y[14] = x;
    let mut last = 0;
    'rows: for i in 0..n {
        for k in 0..n {
            if i * k == 7 {
                continue 'rows;
            }
            if k == 5 {
                break 'rows;
            }
            last = k;
        }
    }
    y[3] = last;
    let mut previous = 1;
    for i in 0..n {
        y[4] = previous;
        previous = i;
    }
    let mut state = 0;
    while state < 10 {
        state = if state == 3 { 7 } else { state + 1 };
    }
    let found = loop {
        state += 1;
        if state > n {
            break state;
        }
    };
    let mut seen = 0;
    let mut add = |by: u32| seen += by;
    add(found);
    add(1);
    y[5] = seen;
    let scale = 3;
    y[6] = fold([1, 2, 3], 0, |a, b| a + b * scale);
    let value = match n {
        0 => 0,
        k if k > scale => k,
        k @ 1..=2 => k + 1,
        _ => 4,
    };
    y[7] = value;
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if y[middle as usize] < n {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    y[8] = low;
    (low, high) = (high, low);
    [low, high] = [high, low];
    y[9] = low - high;
    let mut v = Vec3::new(1.0f32, 2.0, 3.0);
    v.x = 2.0;
    y[10] = v.x as u32;
    let _ignored = n;
    counts[0].fetch_add(1);
    #[shared]
    let mut tile: [u32; 64];
    tile[local_index() as usize] = first_above(n, 1);
    workgroup_barrier();
    y[12] = tile[63 - local_index() as usize];
    if n >= 1 && m < 4294967295 {
        return;
    }
    y[13] = 1;
}

fn main() {}
