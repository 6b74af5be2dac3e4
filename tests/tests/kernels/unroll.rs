//! Loops with `#[unroll]`: what is asked changes no bit.

use samebits::prelude::*;

#[test]
fn every_form_of_a_range_is_unrolled() {
    #[kernel(workgroup_size(1))]
    fn ranges(o: &mut [u32]) {
        #[unroll]
        for j in 0..5u32 {
            o[0] = o[0] * 10 + j;
        }
        #[unroll]
        for j in 3..=7u32 {
            o[1] = o[1] * 10 + j;
        }
        #[unroll]
        for j in (0..5u32).rev() {
            o[2] = o[2] * 10 + j;
        }
        #[unroll]
        for j in (1..10u32).step_by(3) {
            o[3] = o[3] * 10 + j;
        }
        #[unroll]
        for j in (1..10u32).step_by(4).rev() {
            o[4] = o[4] * 10 + j;
        }
        #[unroll]
        for j in (-2i32..=1).rev() {
            o[5] = o[5] * 10 + (j + 3) as u32;
        }
        #[unroll]
        for j in u32::MAX - 2..=u32::MAX {
            o[6] = o[6] * 10 + (j & 7);
        }
        #[unroll]
        for j in 5..5u32 {
            o[7] = j;
        }
    }
    crate::expect(&[1234, 34567, 43210, 147, 951, 4321, 567, 0], |device, out| ranges::launch(device, 1, out));
}

#[test]
fn copies_leave_together_with_the_loop() {
    #[kernel(workgroup_size(1))]
    fn several(n: u32, o: &mut [u32]) {
        #[unroll(3)]
        for j in 0..n {
            if j % 5 == 3 {
                continue;
            }
            o[0] += j;
        }
        let mut s = n;
        #[unroll(4)]
        while s > 1 {
            s = if s % 2 == 0 { s / 2 } else { 3 * s + 1 };
            o[1] += 1;
        }
        #[unroll(2)]
        loop {
            s += 7;
            if s % n == 2 {
                o[2] = s;
                break;
            }
        }
        #[unroll(never)]
        for _ in 0..3u32 {
            o[3] += n;
        }
    }
    let n = 17u32;
    let sum = (0..n).filter(|j| j % 5 != 3).sum();
    let collatz = std::iter::successors(Some(n), |&s| Some(if s % 2 == 0 { s / 2 } else { 3 * s + 1 }));
    let steps = collatz.take_while(|&s| s > 1).count() as u32;
    let found = (1..).map(|k| 1 + 7 * k).find(|s| s % n == 2).expect("7 and 17 have no common factor");
    crate::expect(&[sum, steps, found, 3 * n], |device, out| several::launch(device, 1, n, out));
}

#[test]
fn jumps_out_of_unrolled_loops_lead_where_they_say() {
    #[kernel(workgroup_size(1))]
    fn jumps(n: u32, o: &mut [u32]) {
        let mut rounds = 0;
        'outer: for a in 0..n {
            #[unroll]
            for b in 0..6u32 {
                rounds += 1;
                if b == a {
                    continue 'outer;
                }
                if a + b == 9 {
                    o[1] = a * 10 + b;
                    break 'outer;
                }
                if b % 2 == 1 {
                    continue;
                }
                o[0] += a;
            }
        }
        o[2] = rounds;
    }
    let mut expected = [0u32; 3];
    'outer: for a in 0..8 {
        for b in 0..6 {
            expected[2] += 1;
            if b == a {
                continue 'outer;
            }
            if a + b == 9 {
                expected[1] = a * 10 + b;
                break 'outer;
            }
            if b % 2 == 1 {
                continue;
            }
            expected[0] += a;
        }
    }
    crate::expect(&expected, |device, out| jumps::launch(device, 1, 8, out));
}

#[test]
fn barriers_between_the_copies_order_what_they_should() {
    #[kernel(workgroup_size(64))]
    fn tree(o: &mut [u32]) {
        #[shared]
        let tile: [u32; 64];
        let lane = local_id().x;
        tile[lane] = lane as u32 + 1;
        workgroup_barrier();
        let mut step = 32;
        #[unroll]
        while step > 0 {
            if lane < step {
                tile[lane] += tile[lane + step];
            }
            workgroup_barrier();
            step /= 2;
        }
        if lane == 0 {
            o[0] = tile[0];
        }
    }
    crate::expect(&[65 * 32], |device, out| tree::launch(device, 64, out));
}

#[test]
fn values_change_places_from_copy_to_copy() {
    #[kernel(workgroup_size(1))]
    fn fibonacci(start: u32, o: &mut [u32]) {
        let mut a = 0;
        let mut b = start;
        let mut history = [0u32; 12];
        #[unroll]
        for j in 0..12 {
            history[j] = a;
            let next = a + b;
            a = b;
            b = next;
        }
        for j in 0..12 {
            o[j] = history[j];
        }
    }
    crate::expect(&[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89], |device, out| fibonacci::launch(device, 1, 1, out));
}
