//! Closures: what they capture, how they are passed on, and how they return, each against
//! the same Rust on the host.

use crate::twins;
use samebits::prelude::*;

twins! {
    closures_are_passed_to_helpers([2, 3, 5, 7]);
    { fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 { f(f(x)) } }
    { fn apply_bound<F: Fn(u32, u32) -> u32>(f: F, x: u32) -> u32 { f(x, 1) + f(1, x) } }
    { fn pass_on(f: impl Fn(u32) -> u32, x: u32) -> u32 { apply(&f, x) + apply(|y| f(y) * 2, x) } }
    { fn pair(f: impl Fn((u32, u32)) -> (u32, u32), x: u32) -> u32 { let (a, b) = f((x, x + 1)); a * 10 + b } }
    { fn each(n: usize, mut f: impl FnMut(usize)) { for i in 0..n { f(i); } } }
    { fn compose(f: impl Fn(u32) -> u32, g: impl Fn(u32) -> u32, x: u32) -> u32 { g(f(x)) } }
    kernel(x, o) {
        let k = x[1];
        o[0] = apply(|x| x * k + 1, 2);
        o[1] = apply_bound(|a, b| a * 10 + b, k);
        o[2] = pass_on(|x| x + k, 1);
        o[3] = pair(|(a, b)| (b, a), 4);
        let mut sum = 0;
        each(4, |i| sum += x[i]);
        o[4] = sum;
        each(3, |i| { o[5 + i] += x[i]; o[5] += 1; });
        o[8] = compose(|x| x + 1, |x| x * 10, 3);
        o[9] = apply(|x: u32| -> u32 { let k = x + 1; k * 2 }, k);
    }
}

twins! {
    closures_have_names_and_see_what_was_in_scope([2, 3, 5, 7]);
    { fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 { let k = 1000; f(x) + k } }
    kernel(x, o) {
        let k = 3;
        let f = |a: u32| a * k + x[0];
        let k = 100;
        o[0] = f(5) + k;
        o[1] = { let x = 50; f(x) };
        o[2] = apply(f, 1) + apply(|a| f(a) + k, 2);
        let g = |a: u32| { let f = |b: u32| b + a; f(1) * f(2) };
        o[3] = g(4) + f(1);
        let h = |a: u32, b: u32| g(f(a)) + b;
        o[4] = h(1, 2);
        let constant = || 9;
        o[5] = constant() + constant();
        let wide = |(a, b): (u32, u32), [c, d]: [u32; 2]| a * 1000 + b * 100 + c * 10 + d;
        o[6] = wide((1, 2), [3, 4]);
        let by = |v: &mut u32, w: &u32| { *v += *w; *v * 2 };
        let mut v = 1;
        o[7] = by(&mut v, &x[2]);
        o[8] = v;
        o[9] = by(&mut o[8], &k);
    }
}

twins! {
    a_closure_may_call_the_helper_that_it_is_passed_to([3, 4]);
    { fn each(n: u32, mut f: impl FnMut(u32)) { for i in 0..n { f(i); } } }
    { fn sum(n: u32, f: impl Fn(u32) -> u32) -> u32 { let mut s = 0; for i in 0..n { s += f(i); } s } }
    { fn table(w: u32, h: u32, f: impl Fn(u32, u32) -> u32) -> u32 { sum(h, |y| sum(w, |x| f(x, y)) * 10) } }
    kernel(x, o) {
        each(x[0], |y| each(x[1], |x| o[(y * 4 + x) as usize] = y * 10 + x + 1));
        o[12] = table(2, 3, |x, y| sum(x + 1, |i| i + y) + table(1, 1, |_, _| 5));
    }
}

twins! {
    a_closure_hides_a_helper_in_its_block_alone([2]);
    { fn f(x: u32) -> u32 { x + 100 } }
    { fn g(x: u32) -> u32 { let y = f(x); { let f = |x: u32| x * 3; let g = |x: u32| f(x) + 1; y + g(x) } } }
    kernel(x, o) {
        o[0] = f(x[0]);
        {
            let f = |x: u32| x * 2;
            o[1] = f(x[0]);
        }
        o[2] = f(x[0]) + g(1);
        let f = |a: u32| f(a) * 2;
        o[3] = f(x[0]);
    }
}

twins! {
    closures_change_what_they_capture([1, 2, 3, 4]);
    { fn three_times(mut f: impl FnMut() -> u32) -> u32 { f() * 100 + f() * 10 + f() } }
    { fn relay(mut f: impl FnMut(u32)) { f(1); f(2); let mut g = |x: u32| f(x * 10); g(3); } }
    kernel(x, o) {
        let mut n = 0;
        let mut next = || { n += 1; n };
        o[0] = next();
        o[1] = next() + 10 * next();
        o[2] = n;
        o[3] = three_times(|| { n += x[1]; n });
        o[4] = n;
        let mut list = [0, 0, 0];
        let mut put = |i: usize, v: u32| list[i] = v;
        put(0, 5);
        put(2, 6);
        o[5] = list[0] * 100 + list[1] * 10 + list[2];
        let mut t = (1, [2, 3]);
        relay(|x| { t.0 += x; t.1[1] = t.0; });
        o[6] = t.0;
        let rest = t.1;
        o[7] = rest[1];
        let mut store = |i: usize| o[8 + i] = i as u32 + 1;
        store(0);
        store(1);
    }
}

twins! {
    a_moved_variable_is_a_copy([1, 2, 3, 4]);
    { fn call(f: impl Fn(u32) -> u32) -> u32 { f(1) } }
    kernel(x, o) {
        let mut n = x[3];
        let f = move |a: u32| a + n;
        n = 50;
        o[0] = f(1);
        o[1] = n;
        let mut count = 0;
        let mut g = move || { count += 1; count };
        o[2] = g() * 10 + g();
        o[3] = count;
        let mut list = [1, 2, 3];
        let h = move |i: usize| list[i];
        list[1] = 9;
        o[4] = h(1) * 10 + list[1];
        o[5] = call(move |a| { n + a });
    }
}

twins! {
    return_leaves_the_closure_alone([4, 9, 0, 16, 5]);
    { fn count_if(x: &[u32], keep: impl Fn(u32) -> bool) -> u32 {
        let mut n = 0;
        for i in 0..x.len() {
            if keep(x[i]) { n += 1; }
        }
        n
    } }
    { fn first(x: &[u32], is: impl Fn(u32) -> bool) -> u32 {
        for i in 0..x.len() {
            if is(x[i]) { return i as u32; }
        }
        77
    } }
    { fn until(mut f: impl FnMut(u32) -> bool) -> u32 { let mut i = 0; while f(i) { i += 1; } i } }
    kernel(x, o) {
        o[0] = count_if(x, |v| {
            for d in 2..10 {
                if v == d * d { return true; }
            }
            false
        });
        o[1] = first(x, |v| { if v == 0 { return true; } v > 100 });
        o[2] = first(x, |v| v == 6);
        let mut seen = 0;
        o[3] = until(|i| {
            if i == 3 { return false; }
            seen += x[i as usize];
            while seen > 0 { if seen > 1 { return true; } }
            false
        });
        o[4] = seen;
        for i in 0..5 {
            let clamp = |v: u32| { if v > 8 { return 8; } v };
            if x[i] == 0 { continue; }
            o[5 + i] = clamp(x[i]);
            if i == 3 { break; }
        }
    }
}

/// A reduction with any operation, whose closure stands between barriers.
#[device]
fn reduce(tile: &mut [u32; 8], mine: u32, join: impl Fn(u32, u32) -> u32) -> u32 {
    let lane = local_id().x;
    tile[lane] = mine;
    workgroup_barrier();
    let mut step = 4;
    while step > 0 {
        if lane < step {
            tile[lane] = join(tile[lane], tile[lane + step]);
        }
        workgroup_barrier();
        step /= 2;
    }
    let all = tile[0];
    workgroup_barrier();
    all
}

#[kernel(workgroup_size(8))]
fn reductions(x: &[u32], o: &mut [u32]) {
    #[shared]
    let tile: [u32; 8];
    let i = global_id().x;
    let mine = x[i];
    let sum = reduce(&mut tile, mine, |a, b| a + b);
    let most = reduce(&mut tile, mine, |a, b| a.max(b));
    o[i] = sum * 100 + most + reduce(&mut tile, 1, |a, b| a * b + 1);
}

#[test]
fn a_closure_is_called_between_barriers() {
    let x = [3u32, 1, 4, 1, 5, 9, 2, 6, 8, 8, 0, 0, 1, 2, 3, 4];
    // 1 * 1 + 1 = 2, 2 * 2 + 1 = 5, 5 * 5 + 1 = 26.
    let of = |group: &[u32]| group.iter().sum::<u32>() * 100 + group.iter().max().unwrap() + 26;
    let expected: Vec<u32> = x.chunks(8).flat_map(|group| [of(group); 8]).collect();
    crate::expect(&expected, |device, out| reductions::launch(device, x.len(), &device.upload(&x)?, out));
}
