//! Variables that are references: places whose indices are evaluated once, and borrows that end with their last use.

use crate::twins;
use samebits::prelude::*;

twins! {
    parts_have_names([4, 7, 1, 9, 3, 8, 2, 6]);
    { fn sum(t: &[u32]) -> u32 { let mut s = 0; for i in 0..t.len() { s = s * 10 + t[i]; } s } }
    { fn fill(t: &mut [u32], by: u32) { for i in 0..t.len() { t[i] += by + i as u32; } } }
    kernel(x, y) {
        let mut from = 2;
        let part = &x[from..from + 3];
        from += 1;
        y[0] = sum(part) + part[1] + part.len() as u32 * 1000 + from as u32;
        let inner = &part[1..];
        let whole: &[u32] = x;
        y[1] = sum(inner) + whole[0] + sum(&inner[..1]);
        let mut t = [1u32; 6];
        let tail = &mut t[4..];
        fill(tail, 5);
        tail[0] *= 2;
        fill(&mut tail[1..], 7);
        let first = &mut t[..2];
        first[1] = 3;
        let n = first.len();
        y[2] = sum(&t) + n as u32;
        for row in 0..3 {
            let pair = &mut t[row * 2..row * 2 + 2];
            fill(pair, row as u32);
            let (a, b) = (pair[0], pair[1]);
            pair[0] = b;
            pair[1] = a;
        }
        y[3] = sum(&t[..3]);
        y[4] = sum(&t[3..]);
        let copy = part;
        y[5] = sum(copy) + sum(part);
        if !part.is_empty() { y[6] = part[part.len() - 1]; }
    }
}

twins! {
    places_have_names([5, 6, 7, 8]);
    { with_methods struct Body { pub mass: u32, pub at: [u32; 3] } }
    { fn raise(n: &mut u32, by: u32) { *n += by; } }
    { fn next(i: &mut usize) -> usize { *i += 1; *i - 1 } }
    { impl Body {
        fn grow(&mut self, by: u32) { let mass = &mut self.mass; *mass += by; let own = &mut self.at; own[1] = 7; }
        fn heavy(&self) -> bool { let m = &self.mass; *m > 3 }
    } }
    kernel(x, y) {
        let mut bodies = [Body { mass: 1, at: [1, 2, 3] }, Body { mass: 2, at: [4, 5, 6] }];
        let mut i = 0;
        let b = &mut bodies[next(&mut i)];
        i = 7;
        b.mass += x[0];
        b.at[2] = b.mass * 2;
        raise(&mut b.mass, 10);
        y[0] = b.mass + b.at[2] * 100 + i as u32;
        let last = &bodies[1];
        y[1] = last.mass + last.at[0] + bodies[1].at[1];
        let mut n = x[1];
        let r = &mut n;
        *r += 1;
        raise(r, 2);
        let again = &mut *r;
        *again *= 2;
        *r += 1;
        y[2] = n;
        let mut pair = (n, (x[2], 3u32));
        let inner = &mut pair.1;
        inner.0 += 5;
        let other = &mut pair.0;
        *other = 1;
        y[3] = pair.0 + pair.1.0 * 10;
        let e = &x[3];
        let (c, d) = (*e + 1, e.count_ones());
        y[4] = c * 10 + d;
        let heavy = &bodies[0];
        if heavy.heavy() { y[5] = 1; }
        let o = &mut y[6];
        *o = 4;
        *o += *e;
        let temporary = &[x[0], x[1]];
        y[7] = temporary[1] + temporary.len() as u32;
        let value = &(x[0] + 1);
        y[8] = *value;
        let at = &mut bodies[1].at;
        at[0] = 9;
        let part = &at[..2];
        y[9] = part[0] + part[1];
    }
}

twins! {
    borrows_end_with_their_last_use([3, 1, 2]);
    { fn set(t: &mut [u32], v: u32) { t[0] = v; } }
    kernel(x, y) {
        let mut t = [0u32; 4];
        let a = &mut t[0];
        *a = x[0];
        let b = &mut t[0];
        *b += 1;
        t[1] = t[0];
        let shared = &t;
        let other = &t[1..];
        y[0] = shared[0] + other[0] + t[1];
        t[2] = 5;
        let r = &mut t;
        if x[1] == 1 { r[3] = 1; } else { set(r, 4); }
        t[3] += 1;
        for i in 0..3 {
            let e = &mut t[i];
            *e += 1;
            t[3] += t[i];
        }
        let p = &mut t[1..];
        if x[2] == 9 { set(p, 1); } else { t[0] = 8; }
        let mut k = 0;
        while k < 3 {
            let q = &mut t[k..];
            q[0] += 1;
            if q[0] > 100 { break; }
            k += 1;
            t[k] += 2;
        }
        let early = &t[2];
        y[1] = *early;
        t[2] = 0;
        for i in 0..4 { y[2 + i] = t[i]; }
        let f = |i: usize| t[i] + 1;
        y[6] = f(1);
        t[1] = 2;
        y[7] = t[1];
    }
}

#[test]
fn a_tile_is_shared_by_named_parts() {
    #[kernel(workgroup_size(8))]
    fn k(counts: &[Atomic<u32>], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 32];
        let i = local_id().x;
        let own = &mut tile[i * 4..(i + 1) * 4];
        for j in 0..own.len() {
            own[j] = (i * 10 + j) as u32;
        }
        let count = &counts[i / 4];
        count.fetch_add(own[3]);
        workgroup_barrier();
        let from = &tile[(7 - i) * 4..];
        let out = &mut y[i * 4..i * 4 + 4];
        for j in 0..4 {
            out[j] = from[j] + 1;
        }
    }
    let expected: Vec<u32> = (0..32).map(|at| (7 - at / 4) * 10 + at % 4 + 1).collect();
    crate::expect(&expected, |device, out| {
        let mut counts = device.zeros::<u32>(2)?;
        k::launch(device, 8, &mut counts, out)?;
        assert_eq!(counts.read()?, [3 + 13 + 23 + 33, 43 + 53 + 63 + 73]);
        Ok(())
    });
}
