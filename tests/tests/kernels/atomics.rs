//! Atomics in buffers and in workgroup memory.

use samebits::prelude::*;

#[test]
fn least_and_greatest_know_their_signs() {
    #[kernel(workgroup_size(1))]
    fn in_buffers(a: &[i32], s: &[Atomic<i32>], u: &[Atomic<u32>], old: &mut [i32]) {
        old[0] = s[0].fetch_max(-1);
        old[1] = s[1].fetch_min(-1);
        old[2] = s[2].fetch_max(a[0]);
        old[3] = s[1].fetch_min(5);
        old[4] = u[0].fetch_max(0xffff_ffff) as i32;
        old[5] = u[1].fetch_min(1) as i32;
        old[6] = u[0].fetch_max(3) as i32;
    }
    #[kernel(workgroup_size(1))]
    fn in_workgroup_memory(a: &[i32], s: &mut [i32], u: &mut [u32]) {
        #[shared]
        let t: [Atomic<i32>; 3];
        #[shared]
        let v: [Atomic<u32>; 2];
        t[0].fetch_max(-1);
        t[1].fetch_min(-1);
        t[2].fetch_max(a[0]);
        v[0].fetch_max(0xffff_ffff);
        v[1].fetch_min(1);
        for i in 0..3 {
            s[i] = t[i].load();
        }
        for i in 0..2 {
            u[i] = v[i].load();
        }
    }
    for device in crate::devices() {
        let a = device.upload(&[-5]).unwrap();
        let (mut s, mut u) = (device.zeros(3).unwrap(), device.zeros(2).unwrap());
        let mut old = device.zeros(7).unwrap();
        in_buffers::launch(device, 1, &a, &mut s, &mut u, &mut old).unwrap();
        crate::same(device, &s, &[0, -1, 0]);
        crate::same(device, &u, &[u32::MAX, 0]);
        crate::same(device, &old, &[0, 0, 0, -1, 0, 0, -1]);
        let (mut s, mut u) = (device.upload(&[9; 3]).unwrap(), device.upload(&[9u32; 2]).unwrap());
        in_workgroup_memory::launch(device, 1, &a, &mut s, &mut u).unwrap();
        crate::same(device, &s, &[0, -1, 0]);
        crate::same(device, &u, &[u32::MAX, 0]);
    }
}

#[test]
fn scalars_and_elements_of_workgroup_memory() {
    #[kernel(workgroup_size(64))]
    fn count(o: &mut [u32]) {
        #[shared]
        let n: Atomic<u32>;
        #[shared]
        let bins: [Atomic<u32>; 4];
        n.fetch_add(1);
        bins[local_id().x & 3].fetch_add(1);
        workgroup_barrier();
        if local_id().x == 0 {
            let first = workgroup_id().x * 5;
            o[first] = n.load();
            for j in 0..4 {
                o[first + 1 + j] = bins[j].load();
            }
        }
    }
    let expected = [64, 16, 16, 16, 16].repeat(3);
    crate::expect(&expected, |device, out| count::launch(device, 192, out));
}

#[test]
fn every_operation_gives_the_old_value() {
    #[kernel(workgroup_size(1))]
    fn every(c: &[Atomic<u32>], old: &mut [u32]) {
        #[shared]
        let s: Atomic<u32>;
        old[0] = c[0].fetch_add(5);
        old[1] = c[0].fetch_sub(7);
        old[2] = c[0].fetch_and(0xff);
        old[3] = c[0].fetch_or(0x100);
        old[4] = c[0].fetch_xor(0x101);
        old[5] = c[0].swap(40);
        old[6] = c[0].compare_exchange(41, 1);
        old[7] = c[0].compare_exchange(40, 2);
        old[8] = c[0].load();
        c[0].store(3);
        old[9] = c[0].load();
        s.store(8);
        old[10] = s.fetch_add(1);
        old[11] = s.compare_exchange(9, 20);
        old[12] = s.swap(0) + s.load();
    }
    let low = 8u32.wrapping_sub(7);
    let expected = [3, 8, low, low, low | 0x100, (low | 0x100) ^ 0x101, 40, 40, 2, 3, 8, 9, 20];
    for device in crate::devices() {
        let mut c = device.upload(&[3u32]).unwrap();
        let mut old = device.zeros(13).unwrap();
        every::launch(device, 1, &mut c, &mut old).unwrap();
        crate::same(device, &old, &expected);
        crate::same(device, &c, &[3]);
    }
}

#[test]
fn no_count_is_lost() {
    #[kernel(workgroup_size(64))]
    fn many(c: &[Atomic<u32>], s: &[Atomic<i32>]) {
        let i = global_id().x as u32;
        c[0].fetch_add(1);
        c[1].fetch_max(i);
        c[2].fetch_xor(i);
        c[3].fetch_or(1 << (i & 31));
        s[0].fetch_sub(1);
        s[1].fetch_min(-(i as i32));
    }
    let n = 64 * 100;
    for device in crate::devices() {
        let (mut c, mut s) = (device.zeros(4).unwrap(), device.zeros(2).unwrap());
        many::launch(device, n, &mut c, &mut s).unwrap();
        crate::same(device, &c, &[n as u32, n as u32 - 1, (0..n as u32).fold(0, |x, i| x ^ i), u32::MAX]);
        crate::same(device, &s, &[-(n as i32), 1 - n as i32]);
    }
}

#[test]
fn a_lock_free_maximum_by_compare_exchange() {
    #[kernel(workgroup_size(32))]
    fn greatest(x: &[u32], best: &[Atomic<u32>]) {
        let mine = x[global_id().x];
        let mut seen = best[0].load();
        while seen < mine {
            let old = best[0].compare_exchange(seen, mine);
            if old == seen {
                break;
            }
            seen = old;
        }
    }
    let x: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 3).collect();
    for device in crate::devices() {
        let mut best = device.zeros(1).unwrap();
        greatest::launch(device, x.len(), &device.upload(&x).unwrap(), &mut best).unwrap();
        crate::same(device, &best, &[*x.iter().max().unwrap()]);
    }
}

#[test]
fn every_width_keeps_what_is_beside_it() {
    #[kernel(workgroup_size(64))]
    fn bytes(c: &[Atomic<u8>], s: &[Atomic<i8>]) {
        let i = global_id().x;
        c[i & 3].fetch_add(1);
        s[i & 3].fetch_sub(1);
        s[4].fetch_min(-(i as i8 & 15));
        c[4].fetch_nand(255);
    }
    #[kernel(workgroup_size(64))]
    fn halves(c: &[Atomic<u16>], s: &[Atomic<i16>]) {
        let i = global_id().x;
        c[i & 1].fetch_add(3);
        s[i & 1].fetch_max(i as i16 - 500);
        c[2].fetch_inc_wrap(9);
        c[3].fetch_dec_wrap(9);
    }
    for device in crate::devices() {
        let (mut c, mut s) = (device.zeros::<u8>(8).unwrap(), device.zeros::<i8>(8).unwrap());
        bytes::launch(device, 256, &mut c, &mut s).unwrap();
        // Not and, 256 times, from zero: all ones, none, all ones, …, none.
        assert_eq!(c.read().unwrap(), [64, 64, 64, 64, 0, 0, 0, 0], "{}", device.name());
        assert_eq!(s.read().unwrap(), [-64, -64, -64, -64, -15, 0, 0, 0], "{}", device.name());
        let (mut c, mut s) = (device.zeros::<u16>(4).unwrap(), device.upload(&[-9999i16; 2]).unwrap());
        halves::launch(device, 256, &mut c, &mut s).unwrap();
        assert_eq!(c.read().unwrap(), [384, 384, 256 % 10, 10 - 256 % 10], "{}", device.name());
        assert_eq!(s.read().unwrap(), [-246, -245], "{}", device.name());
    }
}

#[test]
fn sixty_four_bits_are_one_step_or_an_error_that_names_them() {
    #[kernel(workgroup_size(64), features(atomic64))]
    fn wide(sum: &[Atomic<u64>], least: &[Atomic<i64>], old: &mut [u64]) {
        #[shared]
        let tile: Atomic<u64>;
        let i = global_id().x;
        sum[0].fetch_add(0xffff_ffff);
        sum[1].fetch_max((i as u64) << 40);
        least[0].fetch_min(-((i as i64) << 33));
        tile.fetch_add(1 << 32);
        workgroup_barrier();
        if local_id().x == 0 {
            old[workgroup_id().x] = tile.load();
        }
    }
    for device in crate::devices() {
        let (mut sum, mut least) = (device.zeros::<u64>(2).unwrap(), device.zeros::<i64>(1).unwrap());
        let mut old = device.zeros::<u64>(4).unwrap();
        match wide::launch(device, 256, &mut sum, &mut least, &mut old) {
            Ok(()) => {
                crate::same(device, &sum, &[256 * 0xffff_ffff, 255 << 40]);
                assert_eq!(least.read().unwrap(), [-(255 << 33)], "{}", device.name());
                crate::same(device, &old, &[64 << 32; 4]);
            }
            Err(error) => {
                let expected = format!("kernel `wide` needs 64-bit atomics, which `{}` lacks", device.name());
                assert_eq!(error.to_string(), expected);
                crate::same(device, &sum, &[0, 0]);
            }
        }
    }
}

#[test]
fn floats_are_added_and_compared_in_one_step() {
    #[kernel(workgroup_size(64), features(float_atomics))]
    fn floats(x: &[f32], c: &[Atomic<f32>], swapped: &mut [f32]) {
        #[shared]
        let sum: Atomic<f32>;
        let i = global_id().x;
        c[0].fetch_add(0.25);
        c[1].fetch_min(x[i]);
        c[2].fetch_max(x[i]);
        sum.fetch_sub(1.0);
        workgroup_barrier();
        if local_id().x == 0 {
            c[3].fetch_add(sum.load());
        }
        if i == 0 {
            swapped[0] = c[4].swap(2.5);
            swapped[1] = c[4].compare_exchange(2.5, 3.5);
            swapped[2] = c[4].load();
            // Zeros of either sign are equal numbers, but not equal bits.
            swapped[3] = c[5].compare_exchange(0.0, 1.0);
            swapped[4] = c[5].load();
        }
    }
    let x: Vec<f32> = (0..256).map(|i| (i as f32 - 100.0) * 0.5).collect();
    for device in crate::devices() {
        let mut c = device.upload(&[0.0f32, f32::NAN, f32::NAN, 0.0, 1.5, -0.0]).unwrap();
        let mut swapped = device.zeros(5).unwrap();
        floats::launch(device, 256, &device.upload(&x).unwrap(), &mut c, &mut swapped).unwrap();
        crate::same(device, &c, &[64.0, -50.0, 77.5, -256.0, 3.5, -0.0]);
        crate::same(device, &swapped, &[1.5, 2.5, 3.5, -0.0, -0.0]);
    }
}

#[device]
fn tally(row: &[Atomic<u32>], at: usize) {
    row[at].fetch_add(1);
}

#[device]
fn raised(number: &Atomic<u32>) -> u32 {
    number.fetch_add(100)
}

#[device]
fn sum_of_row<const N: usize>(table: &[[Atomic<u32>; N]], row: usize) -> u32 {
    let mut sum = 0;
    for j in 0..N {
        sum += table[row][j].load();
    }
    sum
}

#[test]
fn arrays_of_arrays_of_atomics() {
    #[kernel(workgroup_size(32))]
    fn nested(
        rows: &[[Atomic<u32>; 8]],
        cubes: &[[[Atomic<i16>; 2]; 3]],
        pairs: &[[Atomic<u32>; 2]],
        y: &mut [u32],
        last: &mut [u32],
    ) {
        #[shared]
        let table: [[Atomic<u32>; 8]; 4];
        let (group, l) = (workgroup_id().x, local_index());
        table[l / 8][l % 8].store(l as u32);
        workgroup_barrier();
        tally(&table[l % 4], l / 4);
        // Beyond the end of a row nothing happens, and no other row is reached.
        table[0][8 + l / 8].fetch_add(1000);
        tally(&rows[group], l / 4);
        tally(&rows[group], l / 4 + 8);
        cubes[0][l % 3][l / 16].fetch_sub(1);
        pairs[l / 16][l & 1].fetch_add(l as u32);
        workgroup_barrier();
        if l < 4 {
            y[4 * group + l] = sum_of_row(&table, l);
        }
        workgroup_barrier();
        if l == 5 {
            raised(&table[3][7]);
            last[group] = raised(&table[3][7]) + sum_of_row(rows, group) + rows.len() as u32;
        }
    }
    for device in crate::devices() {
        let (mut rows, mut cubes) = (device.zeros::<[u32; 8]>(2).unwrap(), device.zeros::<[[i16; 2]; 3]>(1).unwrap());
        let mut pairs = device.zeros::<[u32; 2]>(2).unwrap();
        let (mut y, mut last) = (device.zeros(8).unwrap(), device.zeros(2).unwrap());
        nested::launch(device, 64, &mut rows, &mut cubes, &mut pairs, &mut y, &mut last).unwrap();
        // A row has its numbers and eight more.
        let sums = [36, 100, 164, 228];
        crate::same(device, &y, &[sums, sums].concat());
        crate::same(device, &last, &[31 + 1 + 100 + 32 + 2; 2]);
        assert_eq!(pairs.read().unwrap(), [[112, 128], [368, 384]], "{}", device.name());
        assert_eq!(rows.read().unwrap(), [[4; 8]; 2], "{}", device.name());
        // Of 32 invocations 11, 11 and 10 fall to each third, half of them to each number.
        assert_eq!(cubes.read().unwrap(), [[[-12, -10], [-10, -12], [-10, -10]]], "{}", device.name());
    }
}
