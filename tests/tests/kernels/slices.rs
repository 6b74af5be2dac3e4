//! References to slices and arrays that a helper was lent and passes on.

use crate::twins;
use samebits::prelude::*;

twins! {
    a_slice_is_passed_on_in_every_way([3, 1, 4, 1, 5]);
    { fn put(t: &mut [u32], i: usize, v: u32) { t[i] = t[i].wrapping_mul(3).wrapping_add(v); } }
    { fn get(t: &[u32], i: usize) -> u32 { t[i] } }
    { fn sum(t: &[u32]) -> u32 {
        let mut s = 0u32;
        for i in 0..t.len() {
            s = s.wrapping_add(get(t, i)).wrapping_add(get(&t, i) * 3).wrapping_add(get(&*t, i)).wrapping_add(get(&t[..], i));
        }
        s
    } }
    { fn of_array(t: &[u32; 4]) -> u32 { sum(t).wrapping_add(sum(&t[..])).wrapping_add(sum(&*t)).wrapping_add(sum(&t[..])) } }
    { fn change_array(t: &mut [u32; 4]) { put(t, 0, 5); put(&mut *t, 1, 6); put(&mut t[..], 2, 7); t[3] = of_array(t); fill(t); } }
    { fn bump(x: &mut u32) { *x = x.wrapping_add(1); } }
    { fn twice(x: &mut u32) { bump(x); bump(&mut *x); } }
    { fn fill(t: &mut [u32]) {
        put(t, 0, 1);
        put(&mut *t, 1, 2);
        put(&mut t[..], 2, 3);
        twice(&mut t[3]);
        let s = sum(t);
        t[0] = s ^ sum(&*t);
    } }
    kernel(x, y) {
        let mut t = [x[0], x[1], x[2], x[3]];
        fill(&mut t);
        y[0] = t[0];
        y[1] = of_array(&t);
        change_array(&mut t);
        y[2] = t[0];
        y[3] = t[3];
        fill(&mut t[..]);
        y[4] = t[1];
        put(y, 5, 1);
        put(&mut *y, 6, 2);
        put(&mut y[..], 7, 3);
        y[8] = sum(x) ^ sum(&x) ^ sum(&*x) ^ sum(&x[..]);
        let mut rows = [[1u32, 2, 3], [4, 5, 6]];
        put(&mut rows[1], 2, 9);
        y[9] = rows[1][2] + sum(&rows[0][..]);
        let mut by = |i: usize| put(&mut t, i, 8);
        by(2);
        y[10] = t[2];
    }
}

twins! {
    methods_pass_on_arrays_of_their_struct([7, 9]);
    { with_methods struct Acc { n: u32, a: [u32; 4] } }
    { fn put(t: &mut [u32], i: usize, v: u32) { t[i] += v; } }
    { fn both(t: &mut [u32], v: u32) { put(t, 1, v); put(t, 2, v * 2); } }
    { fn total(t: &[u32]) -> u32 { let mut s = 0; for i in 0..t.len() { s += t[i]; } s } }
    { impl Acc {
        fn go(&mut self, v: u32) { both(&mut self.a, v); self.more(); put(&mut self.a[..], 3, v); }
        fn more(&mut self) { self.n += total(&self.a); both(&mut self.a, 1); }
    } }
    kernel(x, y) {
        let mut acc = Acc { n: 1, a: [0; 4] };
        acc.go(x[0]);
        acc.go(x[1]);
        y[0] = acc.n;
        y[1] = total(&acc.a);
    }
}

#[test]
fn a_generic_slice_and_an_atomic_are_passed_on() {
    #[device]
    fn one<T: Number>(t: &mut [T], v: T) {
        t[1] += v;
    }
    #[device]
    fn more<T: Number>(t: &mut [T], v: T) {
        one(t, v);
        one(&mut *t, v);
    }
    #[device]
    fn up(c: &Atomic<u32>) {
        c.fetch_add(1);
    }
    #[device]
    fn thrice(c: &Atomic<u32>) {
        up(c);
        up(&c);
        up(&*c);
    }
    #[kernel(workgroup_size(1))]
    fn passed(o: &mut [u32]) {
        #[shared]
        let c: Atomic<u32>;
        let mut t = [0u32; 3];
        let mut f = [0.5f32; 2];
        more(&mut t, 4);
        more(&mut f, 1.5);
        more(o, 2);
        thrice(&c);
        o[0] = t[1] + f[1] as u32;
        o[2] = c.load();
    }
    crate::expect(&[11, 4, 3], |device, out| passed::launch(device, 1, out));
}
