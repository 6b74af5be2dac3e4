//! Variables that get their values later, on every way to their uses.

use crate::twins;
use samebits::prelude::*;

twins! {
    branches([3, 20, 7, 0]);
    { fn of_helper(n: u32) -> u32 {
        let kind;
        if n == 0 {
            return 100;
        } else if n < 10 {
            kind = 1;
        } else {
            kind = 2;
        }
        kind
    } }
    kernel(x, out) {
        for i in 0..4 {
            let v;
            let w: i32;
            if x[i] > 5 {
                v = x[i];
                w = -1;
            } else {
                w = 2;
                v = 50;
            }
            out[i] = v.wrapping_add(w as u32);
            out[4 + i] = of_helper(x[i]);
        }
        let name;
        match x[1] {
            0..=9 => name = 97,
            20 => name = 7,
            _ => return,
        }
        out[8] = name;
        let (a, b);
        (a, b) = (x[0], x[1] as f32);
        out[9] = a;
        out[10] = b.to_bits();
        let t: (u32, [u32; 2]);
        t = (5, [6, 7]);
        out[11] = t.0 + t.1[0] * t.1[1];
    }
}

twins! {
    loops([5, 1, 9, 2]);
    { fn first_above(x: &[u32], least: u32) -> usize {
        let found;
        let mut i = 0;
        loop {
            if i == x.len() {
                found = 99;
                break;
            }
            if x[i] > least {
                found = i;
                break;
            }
            i += 1;
        }
        found
    } }
    kernel(x, out) {
        out[0] = first_above(x, 4) as u32;
        out[1] = first_above(x, 8) as u32;
        out[2] = first_above(x, 10) as u32;
        let mut sum;
        sum = x[0];
        for i in 1..4 {
            let twice;
            twice = 2 * x[i];
            sum += twice;
        }
        out[3] = sum;
        let mut last;
        'all: loop {
            last = 3;
            loop {
                last += 1;
                if last > 6 {
                    break 'all;
                }
            }
        }
        out[4] = last;
        let on = x[0] > 2 && {
            last = 1;
            true
        };
        out[5] = on as u32 + last;
    }
}

twins! {
    arrays([5, 1, 9, 2]);
    { fn ends(n: u32) -> [u32; 2] {
        let ends;
        if n > 3 {
            ends = [n, n + 1];
        } else {
            ends = [0, n];
        }
        ends
    } }
    kernel(x, out) {
        let a;
        let mut b: [u32; 3];
        if x[0] > 4 {
            a = [x[1], x[2]];
            b = [1; 3];
        } else {
            a = [0, 1];
            b = [x[0], x[1], x[2]];
        }
        b[1] += 5;
        for i in 0..2 {
            out[i] = a[i];
            out[2 + i] = ends(x[i])[i];
        }
        for i in 0..b.len() {
            out[4 + i] = b[i];
        }
        let add = |n: u32| n + a[0];
        let c;
        c = add(3);
        out[7] = c;
    }
}

twins! {
    borrowed([5, 1]);
    { fn bump(n: &mut u32) -> u32 {
        *n += 1;
        *n
    } }
    { fn all<F: Fn(u32) -> u32>(f: F) -> u32 {
        let sum;
        sum = f(1) + f(2);
        sum
    } }
    kernel(x, out) {
        let mut n;
        n = x[0];
        out[0] = bump(&mut n);
        out[1] = n;
        let times;
        times = x[1] + 2;
        out[2] = all(|k| k * times);
        let f = move |k: u32| {
            let inner;
            inner = k + times;
            inner
        };
        out[3] = f(4);
        let (p, q): (u32, u32);
        q = 1;
        p = q + 1;
        out[4] = p;
    }
}

/// A kernel of a macro, whose own variable has the letters of the caller's.
macro_rules! choosing {
    ($kernel:ident, $name:ident, $condition:expr, $a:expr, $b:expr) => {
        #[kernel(workgroup_size(1))]
        fn $kernel(n: &[u32], out: &mut [u32]) {
            let $name;
            let other;
            if $condition(n[0]) {
                $name = $a;
                other = 1u32;
            } else {
                $name = $b;
                other = 2;
            }
            out[0] = $name;
            out[1] = other;
        }
    };
}

#[device]
fn is_large(n: u32) -> bool {
    n > 3
}

#[test]
fn macros_assign_later() {
    choosing!(k, other, is_large, 8, 20);
    crate::expect(&[20, 2], |device, out| k::launch(device, 1, &device.upload(&[2])?, out));
    crate::expect(&[8, 1], |device, out| k::launch(device, 1, &device.upload(&[5])?, out));
}
