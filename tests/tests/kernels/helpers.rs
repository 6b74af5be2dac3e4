//! Helpers: values, references and results, the order of what they do, and helpers of
//! helpers, each against the same Rust on the host.
//!
//! What no plain Rust has, such as barriers, is held against values worked out by hand.

use crate::twins;
use samebits::prelude::*;

twins! {
    helpers_of_helpers([7, 50]);
    { fn one(x: u32) -> u32 { x + 1 } }
    { fn two(x: u32) -> u32 { one(one(x)) } }
    { fn four(x: u32) -> u32 { let y = two(x); two(y) } }
    { fn all(x: u32) -> u32 { one(x) * 10_000 + two(x) * 100 + four(x) } }
    kernel(x, o) {
        o[0] = all(x[0]);
        o[1] = all(all(3)) + all(x[1]);
        for i in 0..3 {
            o[2 + i] = four(o[i]);
        }
    }
}

twins! {
    early_returns_leave_the_helper_alone([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    { fn find(a: &[u32], v: u32) -> u32 {
        for y in 0..3 {
            for x in 0..4 {
                if a[y * 4 + x] == v {
                    return (y * 4 + x) as u32;
                }
            }
        }
        99
    } }
    { fn first_power(n: u32) -> u32 {
        let mut k = 1;
        loop {
            if k > n {
                return k;
            }
            k *= 2;
        }
    } }
    { fn sign(x: i32) -> i32 {
        let v = if x < 0 { return -1 } else if x == 0 { return 0 } else { x };
        v / v
    } }
    { fn arms(x: u32) -> u32 {
        let v = match x {
            0 => return 5,
            1 | 2 => { if x == 2 { return 6; } 7 }
            _ => 8,
        };
        v * 10
    } }
    { fn nothing(x: u32, o: &mut [u32]) {
        if x > 2 {
            return;
        }
        o[10 + x as usize] += 1;
        'outer: for i in 0..4 {
            let mut j = 0;
            while j < 4 {
                if i * j == 2 { continue 'outer; }
                if i == 3 { return; }
                j += 1;
                o[13] += 1;
            }
        }
        o[14] += 1;
    } }
    kernel(x, o) {
        o[0] = find(x, 7);
        o[1] = find(x, 50);
        for i in 0..3 {
            o[2 + i] = first_power(x[i * 4]);
        }
        o[5] = (sign(x[3] as i32) + 10 * sign(0) - 3 * sign(-9)) as u32;
        for i in 0..4 {
            o[6 + i] = arms(x[i]);
            nothing(x[i], o);
        }
        o[15] = if find(x, 3) == 3 { first_power(find(x, 11)) } else { 1 };
    }
}

twins! {
    values_of_every_shape_go_in_and_come_out([3, 4, 5]);
    { struct Pair { pub a: u32, pub b: u32 } }
    { struct Nest { pub pair: Pair, pub list: [u32; 3] } }
    { fn turned(t: (u32, u32)) -> (u32, u32) { let (a, b) = t; (b, a) } }
    { fn both(p: Pair, list: [u32; 3]) -> Nest { let [x, y, z] = list; Nest { pair: Pair { a: p.b, b: p.a }, list: [z, y, x] } } }
    { fn digits(n: u32) -> [u32; 4] { [n / 1000 % 10, n / 100 % 10, n / 10 % 10, n % 10] } }
    { fn mixed(t: ((u32, bool), Pair), scale: u32) -> (u32, (Pair, bool)) {
        let ((n, flag), Pair { a, b }) = t;
        (n * scale, (Pair { a: b, b: a }, !flag))
    } }
    { fn own(mut list: [u32; 3], mut p: Pair, mut n: u32) -> u32 {
        list[1] += 10;
        p.a *= 2;
        n += 1;
        list[0] + list[1] * 100 + list[2] + p.a + p.b + n
    } }
    kernel(x, o) {
        let (a, b) = turned((x[0], x[1]));
        o[0] = a * 10 + b;
        let list = [x[0], x[1], x[2]];
        let n = both(Pair { a: 1, b: 2 }, list);
        o[1] = n.pair.a * 10 + n.pair.b;
        o[2] = n.list[0] * 100 + n.list[1] * 10 + n.list[2];
        let d = digits(9876);
        for i in 0..4 {
            o[3 + i] = d[3 - i];
        }
        let (m, (Pair { a, b }, flag)) = mixed(((x[0], true), n.pair), 7);
        o[7] = m * 1000 + a * 100 + b * 10 + flag as u32;
        let p = n.pair;
        o[8] = own(list, p, x[0]);
        o[9] = list[1] * 100 + p.a * 10 + x[0];
        let again = both(n.pair, n.list);
        o[10] = again.list[0];
    }
}

twins! {
    references_reach_every_kind_of_place([1, 2, 3, 4]);
    { struct Body { pub mass: u32, pub at: [u32; 3], pub inner: Inner } }
    { struct Inner { pub x: u32, pub y: u32 } }
    { fn add(to: &mut u32, n: u32) { *to += n; } }
    { fn add_twice(to: &mut u32, n: u32) { add(to, n); add(&mut *to, n * 10); } }
    { fn read(from: &u32) -> u32 { *from * 2 } }
    { fn fill(list: &mut [u32; 3], with: u32) { for i in 0..3 { list[i] = with + i as u32; } } }
    { fn total(list: &[u32; 3]) -> u32 { list[0] + list[1] + list[2] } }
    { fn total_of(list: &[u32]) -> u32 { let mut s = 0; for i in 0..list.len() { s += list[i]; } s } }
    { fn turn(b: &mut Body) { let old = b.inner; b.inner.x = old.y; b.inner.y = old.x; add(&mut b.mass, 5); add(&mut b.at[1], b.inner.x); } }
    { fn weigh(b: &Body) -> u32 { b.mass + total(&b.at) + b.inner.x * 1000 + read(&b.inner.y) } }
    { fn replace(b: &mut Body, t: &mut (u32, u32)) { *b = Body { mass: t.0, at: [t.1; 3], inner: Inner { x: 1, y: 2 } }; *t = (t.1, t.0); } }
    kernel(x, o) {
        let mut n = x[0];
        add(&mut n, 4);
        add_twice(&mut n, 1);
        o[0] = n;
        add_twice(&mut o[1], x[1]);
        let mut list = [0, 0, 0];
        fill(&mut list, 7);
        add(&mut list[x[1] as usize], 100);
        o[2] = total(&list) + total_of(&list) * 1000 + total_of(x);
        let mut b = Body { mass: 1, at: [1, 2, 3], inner: Inner { x: 4, y: 5 } };
        turn(&mut b);
        o[3] = weigh(&b);
        add(&mut b.inner.y, 3);
        fill(&mut b.at, 20);
        o[4] = weigh(&b);
        let mut t = (3, 4);
        add(&mut t.1, 5);
        replace(&mut b, &mut t);
        o[5] = weigh(&b) + t.0 * 10_000 + t.1 * 100_000;
        let i = 6;
        add(&mut o[i], read(&x[3]) + read(&5) + read(&(n + 1)));
        let mut m = [[1, 2, 3], [4, 5, 6]];
        fill(&mut m[1], 40);
        o[7] = total(&m[0]) + total(&m[1]);
    }
}

twins! {
    arguments_are_evaluated_once_and_from_left_to_right([10, 20, 30, 40, 50, 60]);
    { struct P { pub a: u32, pub b: u32 } }
    { fn next(n: &mut u32) -> usize { *n += 1; (*n - 1) as usize } }
    { fn digits(a: u32, b: u32, c: u32) -> u32 { a * 100 + b * 10 + c } }
    { fn mixed(a: u32, b: &u32, c: u32) -> u32 { a * 10_000 + *b * 100 + c } }
    { fn twice(a: &mut u32) { *a += 1; *a += 1; } }
    { fn second(i: usize, a: &mut u32, b: &u32) { *a += *b + i as u32; *a += *b; } }
    { fn kept(a: u32, n: &mut u32) -> u32 { *n += 5; a } }
    kernel(x, o) {
        let mut n = 0;
        o[0] = digits(next(&mut n) as u32, next(&mut n) as u32, next(&mut n) as u32);
        // A value before a reference whose index counts on.
        o[1] = mixed(next(&mut n) as u32, &x[next(&mut n)], next(&mut n) as u32);
        n = 0;
        o[2] = mixed(x[next(&mut n)], &x[next(&mut n)], x[next(&mut n)]);
        n = 3;
        twice(&mut o[next(&mut n)]);
        second(next(&mut n), &mut o[next(&mut n)], &x[next(&mut n) - 5]);
        o[7] = n;
        // The value from before the change.
        n = 3;
        o[8] = kept(n, &mut n) * 100 + n;
        o[9] = n + kept(n, &mut n) + n;
        n = 0;
        let p = P { b: next(&mut n) as u32, a: next(&mut n) as u32 };
        o[10] = p.a * 10 + p.b;
        let t = (next(&mut n), next(&mut n), [next(&mut n), next(&mut n)]);
        let list = t.2;
        o[11] = (t.0 * 1000 + t.1 * 100 + list[0] * 10 + list[1]) as u32;
        n = 1;
        let mut l = [1, 2, 3, 4];
        l[next(&mut n)] += l[next(&mut n)] * 10;
        o[12] = l[1] * 100 + l[2];
        o[13] = n;
        // A reference keeps to the element that it was made for.
        let mut i = 14;
        second({ i += 1; i }, &mut o[i], &x[0]);
        if next(&mut n) > 100 && next(&mut n) > 100 || next(&mut n) > 1 {
            o[16] = n;
        }
    }
}

twins! {
    places_that_are_apart_are_lent_together([3, 4, 5, 6]);
    { struct Two { pub a: u32, pub b: [u32; 2], pub c: u32 } }
    { fn trade(a: &mut u32, b: &mut u32) { let old = *a; *a = *b; *b = old + 1; } }
    { fn sum(a: &u32, b: &u32) -> u32 { *a + *b } }
    { fn into(from: &[u32], more: &[u32], to: &mut [u32; 2]) { to[0] = from[1] + more[1]; to[1] = from[2]; } }
    { fn both(a: &mut u32, list: &mut [u32; 2], c: &u32) { *a += *c; list[1] += *a; } }
    { fn fresh(n: u32) -> u32 { let mut l = [0; 4]; let mut t = (0, n); l[(n % 4) as usize] += n; t.0 += 1; t.0 * 1000 + l[0] + l[1] * 10 + t.1 } }
    kernel(x, o) {
        let mut s = Two { a: x[0], b: [x[1], x[2]], c: x[3] };
        trade(&mut s.a, &mut s.c);
        both(&mut s.a, &mut s.b, &s.c);
        o[0] = s.a * 1000 + s.b[1] * 10 + s.c;
        let mut t = (1, (2, 3));
        trade(&mut t.0, &mut t.1.1);
        o[1] = t.0 * 100 + t.1.0 * 10 + t.1.1 + sum(&t.0, &t.0) + sum(&x[1], &x[1]);
        let mut rest = [0, 0];
        into(x, x, &mut rest);
        o[2] = rest[0] * 10 + rest[1];
        for i in 0..4 {
            o[3 + i] = fresh(i as u32);
        }
        while sum(&o[7], &1) < 5 {
            o[7] += 1;
        }
        o[8] = { fresh(1); if sum(&1, &2) == 3 { fresh(2) } else { 0 } };
    }
}

twins! {
    names_in_a_helper_are_its_own([4]);
    { fn scale(x: u32) -> u32 { x * 3 } }
    { fn use_scale() -> u32 { scale(1) } }
    { fn shadow(x: u32) -> u32 { let x = x + 1; let y = { let x = x * 10; x }; for x in 0..2 { let _ = x; } x + y } }
    { fn same_names(n: u32, o: u32, acc: u32) -> u32 { let i = n + o; let n = i * acc; n } }
    kernel(x, o) {
        let n = x[0];
        let x = 1;
        let x = x + 1;
        { let x = x * 10; o[0] = x; }
        o[1] = x;
        let n = n * 2;
        o[2] = n;
        let mut acc = 0;
        for j in 0..2 { let j = j + 5; acc += j; }
        o[3] = acc;
        let scale = scale(1) + 1;
        o[4] = scale;
        o[5] = use_scale();
        let o2 = o[0];
        let x = if x > 1 { let x = 7; x } else { x };
        o[6] = x + o2;
        let i = 3;
        o[7] = shadow(x) + same_names(i, n, acc) + i;
        let y = shadow(i);
        o[8] = y + x + i + n;
    }
}

#[device]
fn count(bins: &[Atomic<u32>], x: u32) -> u32 {
    bins[(x & 3) as usize].fetch_add(1)
}

#[device]
fn raise(cell: &Atomic<u32>, to: u32) {
    cell.fetch_max(to);
}

#[kernel(workgroup_size(64))]
fn counts(x: &[u32], o: &mut [u32], all: &[Atomic<u32>]) {
    #[shared]
    let n: Atomic<u32>;
    #[shared]
    let most: Atomic<u32>;
    #[shared]
    let bins: [Atomic<u32>; 4];
    let (lane, group) = (local_id().x, workgroup_id().x);
    n.fetch_add(1);
    count(&bins, lane as u32);
    count(all, x[global_id().x]);
    raise(&all[4], x[global_id().x]);
    raise(&most, lane as u32);
    workgroup_barrier();
    if lane == 0 {
        o[group * 5] = n.load() * 100 + most.load();
        for j in 0..4 {
            o[group * 5 + 1 + j] = bins[j].load();
        }
    }
    if lane == 1 {
        count(all, all.len() as u32 + 2);
        raise(&all[100], 5);
    }
}

#[test]
fn atomics_in_helpers_are_those_of_the_kernel() {
    let x: Vec<u32> = (0..192).map(|i| i * 7 % 50).collect();
    for device in crate::devices() {
        let (mut o, mut all) = (device.zeros::<u32>(15).unwrap(), device.zeros::<u32>(5).unwrap());
        counts::launch(device, x.len(), &device.upload(&x).unwrap(), &mut o, &mut all).unwrap();
        crate::same(device, &o, &[6463, 16, 16, 16, 16, 6463, 16, 16, 16, 16, 6463, 16, 16, 16, 16]);
        let of = |rest| x.iter().filter(|&&x| x % 4 == rest).count() as u32;
        // Three groups count one more each, in the place for 7.
        crate::same(device, &all, &[of(0), of(1), of(2), of(3) + 3, 49]);
    }
}

/// The sum over a workgroup, which all of its invocations call.
#[device]
fn sum_of_group(tile: &mut [u32; 64], mine: u32) -> u32 {
    let lane = local_id().x;
    tile[lane] = mine;
    workgroup_barrier();
    let mut step = 32;
    while step > 0 {
        if lane < step {
            tile[lane] += tile[lane + step];
        }
        workgroup_barrier();
        step /= 2;
    }
    let sum = tile[0];
    workgroup_barrier();
    sum
}

#[device]
fn sums_of_group(tile: &mut [u32; 64], mine: u32) -> (u32, u32) {
    let first = sum_of_group(tile, mine);
    (first, sum_of_group(tile, mine * mine))
}

#[kernel(workgroup_size(64))]
fn group_sums(x: &[u32], o: &mut [u32]) {
    #[shared]
    let tile: [u32; 64];
    let i = global_id().x;
    let (sum, squares) = sums_of_group(&mut tile, x[i]);
    o[i] = sum * 1000 + squares + sum_of_group(&mut tile, 1);
}

#[test]
fn barriers_in_helpers_order_workgroup_memory() {
    let x: Vec<u32> = (0..192).map(|i| (i * 13 + 5) % 11).collect();
    let of = |group: &[u32]| group.iter().sum::<u32>() * 1000 + group.iter().map(|x| x * x).sum::<u32>() + 64;
    let expected: Vec<u32> = x.chunks(64).flat_map(|group| [of(group); 64]).collect();
    crate::expect(&expected, |device, out| group_sums::launch(device, x.len(), &device.upload(&x)?, out));
}

#[device]
fn sync_then(x: u32) -> u32 {
    workgroup_barrier();
    x + 1
}

#[device]
fn odd(x: usize) -> bool {
    x & 1 == 1
}

#[kernel(workgroup_size(4))]
fn uniform_barriers(flag: u32, o: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    let (i, lane, group) = (global_id().x, local_id().x, workgroup_id().x);
    if flag != 0 {
        o[i] = sync_then(1);
    }
    tile[lane] = i as u32 * 10;
    if odd(group) {
        workgroup_barrier();
        o[i] += tile[3 - lane];
    }
}

#[test]
fn a_barrier_in_a_helper_is_where_the_call_is() {
    crate::expect(&[2, 2, 2, 2, 72, 62, 52, 42], |device, out| uniform_barriers::launch(device, 8, 1, out));
    crate::expect(&[0, 0, 0, 0, 70, 60, 50, 40], |device, out| uniform_barriers::launch(device, 8, 0, out));
}

#[device]
fn set(to: &mut u32, value: u32) {
    *to = value;
}

#[device]
fn get(from: &u32) -> u32 {
    *from
}

#[device]
fn set_at(list: &mut [u32], at: usize, value: u32) {
    list[at] = value;
}

#[device]
fn set_in(list: &mut [u32; 4], at: usize, value: u32) -> u32 {
    list[at] = value;
    list[at]
}

#[kernel(workgroup_size(1))]
fn out_of_bounds(j: &[u32], a: &mut [u32], o: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    for i in 0..j.len() {
        let at = j[i] as usize;
        let mut list = [1, 2, 3, 4];
        o[i * 4] = get(&a[at]);
        set(&mut a[at], 99);
        o[i * 4 + 1] = set_in(&mut list, at, 9) * 1000 + list[0] * 100 + list[3];
        o[i * 4 + 2] = set_in(&mut tile, at, 5) * 10 + tile[3] + tile[0];
        set_at(a, at, 70 + i as u32);
        set_at(&mut list, at + 1, 8);
        o[i * 4 + 3] = list[3];
    }
}

#[test]
fn a_reference_out_of_bounds_reads_zero_and_stores_nothing() {
    let j = [3, 4, 5, u32::MAX];
    // Of `list[at + 1]` only `u32::MAX` comes round to an element, which is the first.
    let expected = [40, 9109, 55, 9, 0, 104, 5, 4, 0, 104, 5, 4, 0, 104, 5, 4];
    for device in crate::devices() {
        let mut a = device.upload(&[10u32, 20, 30, 40]).unwrap();
        let mut o = device.zeros::<u32>(16).unwrap();
        out_of_bounds::launch(device, 1, &device.upload(&j).unwrap(), &mut a, &mut o).unwrap();
        crate::same(device, &a, &[10, 20, 30, 70]);
        crate::same(device, &o, &expected);
    }
}

#[device]
fn turn(v: &mut Vec3<f32>, by: &Vec3<f32>, lane: &mut f32) {
    *lane += v.y;
    *v = v.zxy() * *by;
    set_lane(&mut v.x, *lane);
}

#[device]
fn set_lane(to: &mut f32, value: f32) {
    *to = value * 2.0;
}

#[kernel(workgroup_size(1))]
fn vectors(vs: &mut [Vec3<f32>], o: &mut [f32]) {
    let mut v = vs[0];
    let mut w = Vec2::new(1.0f32, 10.0);
    turn(&mut v, &vs[1], &mut w.y);
    vs[2] = v;
    o[0] = w.x + w.y;
    set_lane(&mut o[1], v.dot(vs[1]));
}

#[test]
fn vectors_and_their_lanes_are_passed_by_reference() {
    for device in crate::devices() {
        let (a, b) = (Vec3::new(1.0f32, 2.0, 3.0), Vec3::new(0.5f32, 4.0, 8.0));
        let mut vs = device.upload(&[a, b, a]).unwrap();
        let mut o = device.zeros::<f32>(2).unwrap();
        vectors::launch(device, 1, &mut vs, &mut o).unwrap();
        // (3, 1, 2) * b, and then 2 * (10 + 2) first.
        let v = Vec3::new(24.0f32, 4.0, 16.0);
        assert_eq!(vs.read().unwrap(), [a, b, v], "on {}", device.name());
        crate::same(device, &o, &[13.0, 2.0 * (12.0 + 16.0 + 128.0)]);
    }
}

#[device]
fn row(m: &[[u32; 3]; 4], y: usize) -> [u32; 3] {
    m[y]
}

#[device]
fn put_row(m: &mut [[u32; 3]; 4], y: usize, row: [u32; 3]) {
    m[y] = row;
}

#[kernel(workgroup_size(4))]
fn transposed(x: &[[u32; 3]], o: &mut [[u32; 3]]) {
    #[shared]
    let tile: [[u32; 3]; 4];
    let lane = local_id().x;
    put_row(&mut tile, lane, x[global_id().x]);
    workgroup_barrier();
    let [a, b, c] = row(&tile, 3 - lane);
    o[global_id().x] = [c, b, a];
}

#[test]
fn rows_of_workgroup_memory_are_passed_by_value() {
    for device in crate::devices() {
        let x: Vec<[u32; 3]> = (0..8).map(|i| [i, i * 10, i * 100]).collect();
        let mut o = device.zeros::<[u32; 3]>(8).unwrap();
        transposed::launch(device, 8, &device.upload(&x).unwrap(), &mut o).unwrap();
        let expected: Vec<[u32; 3]> = [3, 2, 1, 0, 7, 6, 5, 4].map(|i: u32| [i * 100, i * 10, i]).into();
        assert_eq!(o.read().unwrap(), expected, "{}", device.name());
    }
}

mod elsewhere {
    use samebits::prelude::*;

    pub const SCALE: u32 = 10;
    /// Not a literal: rustc works it out.
    pub const OFFSET: u32 = [3u32, 4, 5][1] + u32::MAX.count_ones();

    pub mod deeper {
        use samebits::prelude::*;

        const SCALE: u32 = 1000;

        #[device]
        pub fn scaled(x: u32) -> u32 {
            x * SCALE + super::OFFSET
        }
    }

    #[device]
    pub fn scaled(x: u32) -> u32 {
        deeper::scaled(x) + x * SCALE + self::deeper::scaled(0)
    }
}

const SCALE: u32 = 7;

#[device]
fn scaled(x: u32) -> u32 {
    elsewhere::scaled(x) * SCALE + elsewhere::deeper::scaled(SCALE)
}

#[kernel(workgroup_size(1))]
fn constants_of_all(o: &mut [u32]) {
    o[0] = elsewhere::SCALE;
    o[1] = elsewhere::deeper::scaled(2);
    o[2] = elsewhere::scaled(2);
    o[3] = scaled(2);
    o[4] = SCALE;
}

#[test]
fn constants_from_outside_are_those_of_the_helper() {
    let deeper = |x: u32| x * 1000 + 36;
    let other = |x: u32| deeper(x) + x * 10 + deeper(0);
    let expected = [10, deeper(2), other(2), other(2) * 7 + deeper(7), 7];
    crate::expect(&expected, |device, out| constants_of_all::launch(device, 1, out));
}

/// Words of shading languages, of C++ and of Rust as names of helpers.
mod keywords {
    use samebits::prelude::*;

    macro_rules! named {
        ($($name:ident)*) => {
            /// How many they are.
            pub(super) const COUNT: u32 = [$(stringify!($name)),*].len() as u32;

            $(
                #[device]
                pub fn $name(texture: u32, sampler: &mut u32) -> u32 {
                    *sampler += 1;
                    texture * 2
                }
            )*

            #[kernel(workgroup_size(1))]
            pub(super) fn storage(o: &mut [u32]) {
                let mut buffer = 0;
                let mut i = 0;
                $(
                    buffer += $name(i as u32, &mut o[i]);
                    i += 1;
                )*
                o[i] = buffer;
            }
        };
    }
    named! {
        main vec2 array atomic ptr packed uniform workgroup private function var discard switch float
        double int unsigned short long signed goto asm register template operator class this delete
        namespace constant thread precision highp flat r#struct r#loop r#match r#type void bool2 half4
        global groupshared cbuffer layout inout in_ fragment vertex
    }
}

#[test]
fn keywords_of_the_targets_are_names_of_helpers() {
    let n = keywords::COUNT;
    let expected: Vec<u32> = (0..n).map(|_| 1).chain([(0..n).map(|i| i * 2).sum()]).collect();
    crate::expect(&expected, |device, out| keywords::storage::launch(device, 1, out));
}
