//! Methods of slices: parts in a row, cuts in two, and what goes over all elements; against the same Rust on the host.

use crate::twins;
use samebits::prelude::*;

twins! {
    chunks_of_every_memory([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]);
    { struct Grid { pub before: u32, pub rows: [[u32; 6]; 2] } }
    { fn mixed(t: &[u32]) -> u32 { let mut all = 7; for v in t { all = all * 5 + *v; } all } }
    { fn sums(t: &[u32], n: usize) -> u32 { let mut all = 0; for c in t.chunks(n) { all = all * 3 + mixed(c) + c.len() as u32; } all } }
    { fn scale<const N: usize>(t: &mut [u32]) { for (i, c) in t.chunks_exact_mut(N).enumerate() { c[0] += i as u32; c[N - 1] *= 2; } } }
    kernel(x, y) {
        let (a, n) = (x[1] as usize, x[0] as usize);
        for (i, c) in x.chunks_exact(3).enumerate() { y[i] = c[0] * 100 + c[1] * 10 + c[2]; }
        y[3] = sums(x, n) ^ sums(&x[a..8], 4) ^ sums(&x[..2], 5);
        for c in x[a..].chunks_exact(n) { y[4] = y[4] * 31 + c[n - 1] - c[0] + mixed(&c[1..]); }
        for w in x.windows(4) { y[5] = y[5] * 3 + w[0] * w[3]; }
        for w in x[a..n * 2].windows(n) { y[6] = y[6] * 3 + w[n - 1] + mixed(w); }
        let mut t = [1u32, 2, 3, 4, 5, 6, 7];
        for c in t.chunks_mut(n) { let l = c.len(); c[l - 1] += 10 * l as u32; c[0] += 1; }
        scale::<2>(&mut t[1..]);
        y[7] = mixed(&t);
        let mut g = Grid { before: 5, rows: [[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]] };
        for c in g.rows[a].chunks_exact_mut(2) { c.swap(0, 1); }
        for row in g.rows.chunks(1) { y[8] = y[8] * 7 + row[0][1]; }
        y[9] = mixed(&g.rows[1]) + g.before;
        for (c, d) in x.chunks_exact(2).zip(t.chunks(3)) { y[10] = y[10] * 3 + c[0] * d[0] + c[1]; }
        for c in x.chunks(4).rev() { y[11] = y[11] * 3 + c[0]; }
        y[12] = x.chunks_exact(2).map(|c| c[0] * c[1]).sum::<u32>() + x.windows(2).filter(|w| w[0] < w[1]).count() as u32;
        for c in x.chunks(3).skip(1).step_by(2) { y[13] = y[13] * 3 + mixed(c); }
        y[14] = x.chunks(3).count() as u32 * 100 + x.windows(11).count() as u32 * 10 + x.chunks_exact(4).count() as u32;
        for c in x.chunks(4) { for d in c.chunks_exact(2) { y[15] = y[15] * 3 + d[0] + 10 * d[1]; } }
        for c in y[16..22].chunks_mut(2) { c.copy_from_slice(&x[n..n + 2]); }
        for (to, from) in y[22..30].chunks_exact_mut(2).zip(x.windows(2)) { to[0] = from[1]; to[1] = from[0]; }
    }
}

twins! {
    cuts_in_two([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]);
    { fn add(to: &mut [u32], from: &[u32]) { for (a, b) in to.iter_mut().zip(from) { *a += *b; } } }
    { fn up(t: &mut [u32], n: usize) { let (low, high) = t.split_at_mut(n); add(high, low); add(low, high); let (a, b) = low.split_at(1); high[0] += a[0] + b.len() as u32; } }
    kernel(x, y) {
        let n = x[2] as usize;
        let (a, b) = x.split_at(n);
        y[0] = a[3] * 10 + b[0] + (a.len() * 1000 + b.len()) as u32;
        let mut t = [1u32, 2, 3, 4, 5, 6, 7, 8];
        {
            let (low, high) = t.split_at_mut(4);
            for i in 0..4 { low[i] += high[3 - i]; }
            let (left, right) = high.split_at_mut(n - 2);
            left[0] = right[1] + low[2];
            right[0] += left[1];
        }
        for i in 0..8 { y[1 + i] = t[i]; }
        up(&mut t[1..7], 2);
        for i in 0..8 { y[9 + i] = t[i]; }
        let (_, rest) = t[n..].split_at(1);
        y[17] = rest[0] + rest.len() as u32;
        let (low, high) = y.split_at_mut(20);
        high[0] = low[0];
        low[19] = high[0] + 1;
    }
}

twins! {
    what_goes_over_all_elements([3, 1, 4, 1, 5, 9, 2, 6, 5, 3]);
    { struct Pair { pub a: u32, pub b: u32 } }
    { fn known<T: Int>(t: &[T], v: T) -> bool { t.contains(&v) } }
    { fn turned(t: &mut [u32]) { t.reverse(); t[1..].reverse(); } }
    kernel(x, y) {
        let n = x[0] as usize;
        let mut t = [0u32; 8];
        t.fill(x[2] + 1);
        t[n..].fill(2);
        t[1..3].copy_from_slice(&x[5..7]);
        t[4..8].copy_from_slice(&[11, 12, 13, 14]);
        y[..8].copy_from_slice(&t);
        t.swap(0, 7);
        t.swap(n, n + 1);
        turned(&mut t);
        t[..n].reverse();
        y[8..16].copy_from_slice(&t[..]);
        y[16] = x.contains(&9) as u32 + 2 * x.contains(&7) as u32 + 4 * t.contains(&x[5]) as u32;
        y[16] += 8 * [1u8, 2, 3].contains(&(n as u8)) as u32 + 16 * known(&t, 14) as u32 + 32 * known(&x[..2], 4) as u32;
        y[17] = x.starts_with(&[3, 1, 4]) as u32 + 2 * x.starts_with(&[3, 4]) as u32 + 4 * t[..1].starts_with(&t[..2]) as u32;
        y[17] += 8 * x[3..].starts_with(&x[1..2]) as u32 + 16 * x.starts_with(&t[2..2]) as u32;
        let mut pairs = [Pair { a: 1, b: 2 }; 3];
        pairs.fill(Pair { a: n as u32, b: 9 });
        pairs[1].a = 77;
        pairs.reverse();
        pairs.swap(1, 2);
        y[18] = pairs[2].a * 100 + pairs[1].b + pairs[0].a;
        let mut vectors = [Vec2::splat(0.5f32); 4];
        vectors[2] = Vec2::new(n as f32, 0.5);
        y[19] = vectors.contains(&Vec2::new(3.0, 0.5)) as u32 + 2 * vectors.contains(&Vec2::splat(3.0)) as u32;
    }
}

twins! {
    ranges_contain_numbers([3, 1, 4, 1, 5]);
    { fn inside<T: Number>(low: T, high: T, v: T) -> bool { (low..high).contains(&v) } }
    kernel(x, y) {
        let (a, n) = (x[1], x[0] as i32 - 5);
        y[0] = (a..4).contains(&x[2]) as u32 + 2 * (a..=4).contains(&x[2]) as u32 + 4 * (2..).contains(&a) as u32;
        y[1] = (..n).contains(&-3) as u32 + 2 * (..=n).contains(&n) as u32 + 4 * (-3i32..-1).contains(&n) as u32;
        y[2] = (0.5..1.5).contains(&(a as f32)) as u32 + 2 * (0.0..=f32::NAN).contains(&0.0) as u32;
        y[3] = inside(1u32, 5, x[4]) as u32 + 2 * inside(-1.0f32, 1.0, -1.0) as u32 + 4 * (0..x.len()).contains(&4) as u32;
        let range = |v: u32| !(2..4).contains(&v);
        y[4] = range(x[0]) as u32 * 2 + range(x[1]) as u32 + 8;
        let part = &x[1];
        y[5] = (1..3).contains(part) as u32;
    }
}

/// What is evidently in bounds has no guard.
#[test]
fn chunks_and_windows_need_no_guards() {
    #[device]
    fn total(t: &[u32]) -> u32 {
        let mut all = 0;
        for c in t.chunks_exact(4) {
            all += c[0] * c[3];
        }
        all
    }
    #[kernel(workgroup_size(8), deny(guards), requires(out.len() >= 8))]
    fn k(x: &[u32], n: usize, out: &mut [u32]) {
        #[shared]
        let tile: [u32; 24];
        let own = &x[local_index() * 8..local_index() * 8 + 8];
        for c in tile[local_index() * 3..local_index() * 3 + 3].chunks_exact_mut(3) {
            c[0] = 1;
            c[2] = local_index() as u32;
        }
        let mut sum = total(x) + total(own);
        for c in x.chunks_exact(4) {
            sum += c[0] + c[3];
            for v in c {
                sum += *v;
            }
        }
        for c in x.chunks_exact(n) {
            for i in 0..n {
                sum += c[i];
            }
        }
        for c in x.chunks(5) {
            for v in c.iter() {
                sum += *v;
            }
        }
        for w in x.windows(3) {
            sum += w[0] * w[2] + w[1];
        }
        for w in x[n..].windows(n) {
            for i in 0..n {
                sum += w[i];
            }
        }
        for (a, b) in x.chunks_exact(2).zip(x.windows(2)) {
            sum += a[1] * b[1];
        }
        out[local_index()] = sum + tile[local_index() * 3] + tile[local_index() * 3 + 2];
    }
    let x: Vec<u32> = (0..30).map(|i| i * i % 17 + 1).collect();
    let total = |t: &[u32]| t.chunks_exact(4).map(|c| c[0] * c[3]).sum::<u32>();
    let all = |n: usize| {
        let chunks = x.chunks_exact(4).map(|c| c[0] + c[3] + c.iter().sum::<u32>()).sum::<u32>();
        let exact = x.chunks_exact(n).flatten().sum::<u32>() + x.iter().sum::<u32>();
        let windows = x.windows(3).map(|w| w[0] * w[2] + w[1]).sum::<u32>() + x[n..].windows(n).flatten().sum::<u32>();
        total(&x)
            + chunks
            + exact
            + windows
            + x.chunks_exact(2).zip(x.windows(2)).map(|(a, b)| a[1] * b[1]).sum::<u32>()
    };
    for n in [1, 4, 7] {
        let own = |i: usize| total(&x[(i * 8).min(30)..(i * 8 + 8).min(30)]);
        let expected: Vec<u32> = (0..8).map(|i| all(n) + own(i) + 1 + i as u32).collect();
        crate::expect(&expected, |device, out| k::launch(device, 8, &device.upload(&x)?, n, out));
    }
}

/// Where Rust panics.
#[test]
fn parts_of_no_size_and_cuts_beyond_the_end() {
    #[kernel(workgroup_size(1))]
    fn k(n: usize, far: usize, x: &[u32], y: &mut [u32]) {
        y[0] = x.chunks(n).count() as u32 + x.chunks_exact(n).count() as u32 + x.windows(n).count() as u32;
        for c in x.chunks_exact(n) {
            y[1] += c[0] + 1;
        }
        let (a, b) = x.split_at(far);
        y[2] = (a.len() * 10 + b.len()) as u32 + b[0] + a[4];
        for c in x.chunks(far) {
            y[3] += c.len() as u32;
        }
        for w in x.windows(far) {
            y[4] += w.len() as u32;
        }
        y[5..7].copy_from_slice(&x[..far]);
        y.swap(7, far);
    }
    crate::expect(&[0, 0, 50 + 9, 5, 0, 5, 6, 0, 0], |device, out| {
        k::launch(device, 1, 0, u32::MAX as usize, &device.upload(&[5u32, 6, 7, 8, 9])?, out)
    });
}

/// Each workgroup turns its part of a buffer round through workgroup memory, cut in two.
#[test]
fn a_tile_is_cut_between_halves_of_a_workgroup() {
    #[kernel(workgroup_size(8))]
    fn k(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 16];
        let i = local_index();
        let (low, high) = tile.split_at_mut(8);
        low[i] = x[global_id().x];
        high[7 - i] = x[global_id().x] * 2;
        workgroup_barrier();
        y[global_id().x] = low[7 - i] + high[i];
    }
    let x: Vec<u32> = (0..24).map(|i| i * 3 + 1).collect();
    let expected: Vec<u32> = (0..24).map(|i| x[i / 8 * 8 + 7 - i % 8] * 3).collect();
    crate::expect(&expected, |device, out| k::launch(device, 24, &device.upload(&x)?, out));
}
