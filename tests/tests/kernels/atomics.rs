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
