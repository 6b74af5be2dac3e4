//! `step_by`: steps of `usize`, whatever the type of the range.

use crate::twins;
use samebits::prelude::*;

twins! {
    steps_beyond_the_numbers_of_a_narrow_range([200, 256, 300, 3, 65536]);
    { fn rounds(n: u8, step: usize) -> u32 { let mut r = 0; for _ in (0..n).step_by(step) { r += 1; } r } }
    { fn back(n: u8, step: usize) -> u32 {
        let mut s = 0;
        for i in (0..=n).rev().step_by(step) { s = s * 3 + i as u32; }
        s
    } }
    { fn halves(n: i16, step: usize) -> u32 {
        let mut s = 0u32;
        for i in (-n..n).step_by(step) { s = s * 5 + (i as i32 + 1000) as u32; }
        s
    } }
    { fn down(n: u16, step: usize) -> u32 {
        let mut s = 0u32;
        for i in (5..n).step_by(step).rev() { s = s * 7 + i as u32; }
        s
    } }
    kernel(x, y) {
        let n = x[0] as u8;
        y[0] = rounds(n, x[1] as usize);
        y[1] = rounds(n, x[2] as usize);
        y[2] = rounds(n, x[3] as usize);
        y[3] = back(n, x[1] as usize);
        y[4] = back(n, x[2] as usize);
        y[5] = back(n, 255);
        y[6] = halves(x[0] as i16, x[4] as usize);
        y[7] = halves(x[0] as i16, x[4] as usize + 7);
        y[8] = halves(x[0] as i16, 399);
        y[9] = down(x[0] as u16, x[4] as usize + 1);
        y[10] = down(x[0] as u16, 100);
        // Literals, in each of the other types.
        for i in (-100i8..=100).step_by(150) { y[11] = y[11] * 9 + (i as i32 + 200) as u32; }
        for i in (-100i8..100).step_by(199).rev() { y[12] = y[12] * 9 + (i as i32 + 200) as u32; }
        for i in (-100i8..=100).rev().step_by(256) { y[13] = y[13] * 9 + (i as i32 + 200) as u32; }
        for i in (0u8..255).step_by(100000) { y[14] += 1 + i as u32; }
        for i in (1u16..=65535).step_by(65534) { y[15] = y[15] * 3 + i as u32; }
        for i in (1u16..=65535).step_by(70000) { y[16] = y[16] * 3 + i as u32; }
        for i in (-5i64..1 << 40).step_by(4000000000) { y[17] = (y[17] ^ i as u32).rotate_left(3); }
        for i in (0u64..1 << 34).rev().step_by(4294967295) { y[18] = (y[18] ^ i as u32).rotate_left(3); }
        for i in (-2000000000i32..2000000000).step_by(3999999999) { y[19] = (y[19] ^ i as u32).rotate_left(3); }
        for i in (0usize..x.len()).step_by(4000000000) { y[20] += 1 + i as u32; }
        for i in (7u8..7).step_by(300) { y[21] += 1 + i as u32; }
        for i in (0u8..=255).step_by(255) { y[22] = y[22] * 3 + i as u32 + 1; }
    }
}

const STEP: usize = 1000;

#[test]
fn steps_that_are_constants() {
    #[device]
    const WIDE: usize = 700;
    #[kernel(workgroup_size(1))]
    fn constants(n: u8, o: &mut [u32]) {
        const OWN: usize = 300;
        for i in (0..n).step_by(STEP) {
            o[0] += 1 + i as u32;
        }
        for i in (0..n).step_by(OWN) {
            o[1] += 1 + i as u32;
        }
        for i in (0..n).step_by(WIDE) {
            o[2] += 1 + i as u32;
        }
    }
    crate::expect(&[1, 1, 1], |device, out| constants::launch(device, 1, 200, out));
}

#[test]
fn a_step_of_zero_counts_as_one() {
    #[kernel(workgroup_size(1))]
    fn zero(step: usize, o: &mut [u32]) {
        for i in (2u8..5).step_by(step) {
            o[0] = o[0] * 10 + i as u32;
        }
        for i in (-1i64..2).rev().step_by(step) {
            o[1] = o[1] * 10 + (i + 5) as u32;
        }
        for i in (0u32..3).step_by(step).rev() {
            o[2] = o[2] * 10 + i + 1;
        }
    }
    crate::expect(&[234, 654, 321], |device, out| zero::launch(device, 1, 0, out));
}

/// The loop over a grid that strides through a buffer: proven to end, and without a guard.
#[kernel(workgroup_size(64), deny(guards))]
fn negate(y: &mut [i32]) {
    for i in (global_id().x..y.len()).step_by(64 * num_workgroups().x) {
        y[i] = -y[i];
    }
}

/// Steps of a length from a launch, through a part of a buffer, up and down.
#[kernel(workgroup_size(1), deny(guards), requires(x.len() >= n, o.len() >= 2))]
fn sums(step: usize, n: usize, x: &[u32], o: &mut [u32]) {
    let (mut up, mut down) = (0, 0);
    for i in (0..n).step_by(step) {
        up = up * 3 + x[i];
    }
    for i in (0..n).rev().step_by(step) {
        down = down * 3 + x[i];
    }
    o[0] = up;
    o[1] = down;
}

/// The rows of subgroups.
#[kernel(workgroup_size(64), deny(guards), requires(o.len() >= 1))]
fn row(x: &[u32], o: &mut [u32]) {
    let mut sum = 0;
    for i in (subgroup_lane()..x.len()).step_by(32) {
        sum += x[i];
    }
    let all = subgroup_add(sum);
    if global_id().x == 0 {
        o[0] = all;
    }
}

#[test]
fn ranges_in_steps_are_known_to_end() {
    for kernel in [negate::KERNEL, sums::KERNEL, row::KERNEL] {
        let report = kernel.report().expect("a kernel");
        assert_eq!((report.guarded.len(), report.unbounded_loops.len()), (0, 0), "{report}");
        assert!(report.bounded_loops > 0, "{report}");
    }
}

#[test]
fn strides_of_a_grid_reach_each_element_once() {
    let y: Vec<i32> = (0..1000).collect();
    let expected: Vec<i32> = y.iter().map(|y| -y).collect();
    for device in crate::devices() {
        let mut out = device.upload(&y).expect("memory");
        negate::launch(device, 130, &mut out).expect("a launch");
        assert_eq!(out.read().expect("the result"), expected, "{}", device.name());
    }
}

#[test]
fn steps_of_any_length_read_what_rust_does() {
    let x: Vec<u32> = (1..=23).collect();
    for step in [1usize, 4, 5, 22, 23, 4_000_000_000] {
        let fold =
            |way: &mut dyn Iterator<Item = usize>| way.fold(0u32, |sum, i| sum.wrapping_mul(3).wrapping_add(x[i]));
        let expected = [fold(&mut (0..x.len()).step_by(step)), fold(&mut (0..x.len()).rev().step_by(step))];
        crate::expect(&expected, |device, out| sums::launch(device, 1, step, x.len(), &device.upload(&x)?, out));
    }
    crate::expect(&[x.iter().sum::<u32>()], |device, out| row::launch(device, 64, &device.upload(&x)?, out));
}
