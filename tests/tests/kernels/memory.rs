//! Buffers and arrays: indices, bounds, and what lies outside.

use samebits::prelude::*;

#[test]
fn outside_of_memory_loads_are_zero_and_stores_are_dropped() {
    #[kernel(workgroup_size(8))]
    fn outside(
        a: &[u32],
        j: &[u32],
        n: usize,
        o: &mut [u32],
        a2: &mut [u32],
        o3: &mut [u32],
        c: &[Atomic<u32>],
        r: &mut [u32],
    ) {
        let i = global_id().x;
        if i < n {
            let at = j[i] as usize;
            o[i] = a[at];
            if i != 0 {
                // No two of `j` are one place.
                unsafe {
                    a2[at] = 99;
                }
            }
            let mut l = [1u32, 2, 3, 4];
            l[at] = 9;
            o3[i] = l[at] * 100 + l[0] + l[3];
            r[i] = c[at].fetch_add(1);
        }
        if i == 0 {
            o[n] = a[7];
            unsafe {
                a2[9] = 5;
                a2[n + 1000] = 5;
            }
        }
    }
    let j = [3, 4, 5, u32::MAX, -1i32 as u32];
    for device in crate::devices() {
        let a = device.upload(&[10u32, 20, 30, 40]).unwrap();
        let indices = device.upload(&j).unwrap();
        let mut o = device.upload(&[7u32; 6]).unwrap();
        let mut a2 = device.upload(&[10u32, 20, 30, 40]).unwrap();
        let mut o3 = device.zeros(5).unwrap();
        let mut c = device.upload(&[5u32; 4]).unwrap();
        let mut r = device.upload(&[7u32; 5]).unwrap();
        outside::launch(device, 8, &a, &indices, 5, &mut o, &mut a2, &mut o3, &mut c, &mut r).unwrap();
        crate::same(device, &o, &[40, 0, 0, 0, 0, 0]);
        crate::same(device, &a2, &[10, 20, 30, 40]);
        crate::same(device, &o3, &[910, 5, 5, 5, 5]);
        crate::same(device, &c, &[5, 5, 5, 6]);
        crate::same(device, &r, &[5, 0, 0, 0, 0]);
    }
}

#[test]
fn a_store_hits_only_its_element() {
    #[kernel(workgroup_size(1))]
    fn one(j: u32, o: &mut [u32]) {
        o[j as usize] = 99;
    }
    for device in crate::devices() {
        for j in [0u32, 3, 4, u32::MAX, 1 << 30, 1 << 31] {
            let mut o = device.upload(&[1u32, 2, 3, 4]).unwrap();
            one::launch(device, 1, j, &mut o).unwrap();
            let mut expected = [1, 2, 3, 4];
            if let Some(hit) = expected.get_mut(j as usize) {
                *hit = 99;
            }
            crate::same(device, &o, &expected);
        }
    }
}

#[test]
fn an_index_that_would_wrap_in_bytes_is_outside() {
    #[kernel(workgroup_size(1))]
    fn wrap(v: &[u32], b: &[u32], p: &mut [u32], o: &mut [u32]) {
        let off = 67108864u32 * b[0];
        p[0] = off;
        o[0] = v[off as usize];
        o[1] = v[(0u32 - 1) as usize];
        o[2] = v[(b[1] as i32 - 8) as usize];
        o[3] = v[(b[2] << 30) as usize];
        o[4] = v[0x4000_0000];
        o[5] = v[b[2] as usize * 0x4000_0000 + 1];
    }
    for device in crate::devices() {
        let v = device.upload(&[7u32; 16]).unwrap();
        let b = device.upload(&[63u32, 3, 1]).unwrap();
        let (mut p, mut o) = (device.zeros(1).unwrap(), device.upload(&[9u32; 6]).unwrap());
        wrap::launch(device, 1, &v, &b, &mut p, &mut o).unwrap();
        crate::same(device, &p, &[4_227_858_432]);
        crate::same(device, &o, &[0; 6]);
    }
}

#[test]
fn lengths_are_those_of_the_buffers() {
    #[kernel(workgroup_size(1))]
    fn lengths(a: &[u32], b: &[f32], c: &[u64], d: &[Vec3<f32>], e: &[Atomic<i32>], o: &mut [u32]) {
        let local = [1u32, 2, 3];
        o[0] = a.len() as u32;
        o[1] = b.len() as u32;
        o[2] = c.len() as u32;
        o[3] = d.len() as u32;
        o[4] = e.len() as u32;
        o[5] = o.len() as u32;
        o[6] = local.len() as u32;
    }
    for device in crate::devices() {
        let (a, b, c) = (device.zeros(5).unwrap(), device.zeros(0).unwrap(), device.zeros(3).unwrap());
        let (d, mut e) = (device.zeros(2).unwrap(), device.zeros(1).unwrap());
        let mut o = device.zeros(7).unwrap();
        lengths::launch(device, 1, &a, &b, &c, &d, &mut e, &mut o).unwrap();
        crate::same(device, &o, &[5, 0, 3, 2, 1, 7, 3]);
    }
}

#[test]
fn arrays_of_an_invocation() {
    #[kernel(workgroup_size(4))]
    fn arrays(o: &mut [u32]) {
        let i = global_id().x;
        let mut table = [0u32; 8];
        for k in 0..8 {
            table[k] = (k * k + i) as u32;
        }
        let fixed = [5, 6, 7];
        let truth = [true, false, i == 2, true];
        let floats = [0.5f32, 1.5, 2.5, 3.5];
        let mut sum = 0;
        for k in 0..8 {
            if truth[k % 4] {
                sum += table[k] * fixed[k % 3];
            }
        }
        o[i] = sum + (floats[i] * 2.0) as u32 * 10000;
    }
    let twin = |i: u32| {
        let truth = [true, false, i == 2, true];
        let sum: u32 = (0..8).filter(|k| truth[*k as usize % 4]).map(|k| (k * k + i) * (5 + k % 3)).sum();
        sum + (2 * i + 1) * 10000
    };
    let expected: Vec<u32> = (0..4).map(twin).collect();
    crate::expect(&expected, |device, out| arrays::launch(device, 4, out));
}

#[test]
fn an_element_is_changed_in_place() {
    #[kernel(workgroup_size(4))]
    fn change(x: &mut [i32]) {
        let i = global_id().x;
        x[i] += 1;
        x[i] *= x[i];
        x[i] -= -x[i];
        x[i] <<= 1u32;
        x[i] %= 100;
    }
    for device in crate::devices() {
        let mut x = device.upload(&[-4, 0, 3, 9]).unwrap();
        change::launch(device, 4, &mut x).unwrap();
        crate::same(device, &x, &[36, 4, 64, 0]);
    }
}

#[test]
fn a_bool_is_an_argument_and_a_variable() {
    #[kernel(workgroup_size(2))]
    fn flags(yes: bool, no: bool, o: &mut [u32]) {
        let mut both = yes & no;
        let i = global_id().x;
        both |= i == 1;
        let mut kept = [false; 2];
        kept[i] = both ^ yes;
        o[i] = kept[i] as u32 + (!no) as u32 * 2;
    }
    crate::expect(&[3, 2], |device, out| flags::launch(device, 2, true, false, out));
}
