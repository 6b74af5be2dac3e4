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

/// An inner loop may start the next round of an unrolled one, whose last number is tested
/// wherever a round ends.
#[test]
fn inner_loops_continue_and_leave_unrolled_ones() {
    #[kernel(workgroup_size(1))]
    fn inner(x: &[u32], o: &mut [u32]) {
        let mut sum = 0u32;
        #[unroll]
        'down: for i in (0..4u32).rev() {
            for j in 0..x.len() {
                if x[j] == 7 + i {
                    continue 'down;
                }
                sum += x[j];
            }
            sum += 100;
        }
        o[0] = sum;
        sum = 0;
        #[unroll]
        'steps: for i in (0..=9u32).step_by(3) {
            let mut j = 0;
            while j < x.len() {
                j += 1;
                loop {
                    if x[j] == 7 {
                        continue 'steps;
                    }
                    if x[j] == i {
                        break;
                    }
                    if x[j] == 9 && i == 6 {
                        break 'steps;
                    }
                    sum += 1;
                    if sum > i {
                        break;
                    }
                }
            }
            sum += 100;
        }
        o[1] = sum;
        sum = 0;
        let mut i = 16u32;
        #[unroll]
        'halves: loop {
            if i == 0 {
                break;
            }
            i /= 2;
            #[unroll]
            'twice: for k in (0..2u32).rev() {
                for j in 0..x.len() {
                    match x[j] + k {
                        7 => continue 'halves,
                        9 => continue 'twice,
                        _ => {}
                    }
                    sum += x[j] * i;
                }
                sum += 1000;
            }
        }
        o[2] = sum;
    }
    fn twin(x: &[u32]) -> [u32; 3] {
        let (mut o, mut sum) = ([0; 3], 0);
        let at = |j: usize| x.get(j).copied().unwrap_or(0);
        'down: for i in (0..4).rev() {
            for &v in x {
                if v == 7 + i {
                    continue 'down;
                }
                sum += v;
            }
            sum += 100;
        }
        o[0] = std::mem::take(&mut sum);
        'steps: for i in (0..=9).step_by(3) {
            let mut j = 0;
            while j < x.len() {
                j += 1;
                loop {
                    if at(j) == 7 {
                        continue 'steps;
                    }
                    if at(j) == i {
                        break;
                    }
                    if at(j) == 9 && i == 6 {
                        break 'steps;
                    }
                    sum += 1;
                    if sum > i {
                        break;
                    }
                }
            }
            sum += 100;
        }
        o[1] = std::mem::take(&mut sum);
        let mut i = 16;
        'halves: while i != 0 {
            i /= 2;
            'twice: for k in (0..2).rev() {
                for &v in x {
                    match v + k {
                        7 => continue 'halves,
                        9 => continue 'twice,
                        _ => {}
                    }
                    sum += v * i;
                }
                sum += 1000;
            }
        }
        o[2] = sum;
        o
    }
    for x in [vec![1, 2, 8, 3], vec![5, 9, 1], vec![3, 6, 9, 9], vec![7, 6], vec![1, 2, 3]] {
        let expected = twin(&x);
        crate::expect(&expected, |device, out| inner::launch(device, 1, &device.upload(&x)?, out));
    }
}

#[test]
fn a_kernel_with_barriers_may_ask_for_loops_that_inner_ones_continue() {
    #[kernel(workgroup_size(4))]
    fn waiting(x: &[u32], o: &mut [u32]) {
        let l = local_index() as u32;
        let (mut sum, mut rounds) = (0u32, 0u32);
        #[unroll]
        'outer: for i in 0..4u32 {
            workgroup_barrier();
            rounds += i;
            for j in 0..x.len() {
                if x[j] == l + i {
                    continue 'outer;
                }
                sum += x[j];
            }
            sum += 100;
        }
        for _ in 0..rounds {
            workgroup_barrier();
        }
        o[local_index()] = sum + rounds;
    }
    let x = [2u32, 5, 3];
    let own = |l: u32| {
        let mut sum = 6;
        for i in 0..4 {
            let before: u32 = x.iter().take_while(|&&v| v != l + i).sum();
            sum += before + if x.contains(&(l + i)) { 0 } else { 100 };
        }
        sum
    };
    let expected: Vec<u32> = (0..4).map(own).collect();
    crate::expect(&expected, |device, out| waiting::launch(device, 4, &device.upload(&x)?, out));
}

#[device]
const ROUNDS: usize = 5;
#[device]
const FIRST: u32 = 2;

#[test]
fn constants_for_kernels_are_numbers_of_rounds() {
    #[kernel(workgroup_size(1))]
    fn constant(x: &[u32], o: &mut [u32]) {
        let mut t = [0u32; ROUNDS];
        #[unroll]
        for i in 0..ROUNDS {
            t[i] = x[i] + 1;
        }
        let mut s = 0;
        #[unroll]
        for i in (FIRST..=FIRST + 2).rev() {
            s = s * 10 + t[i as usize];
        }
        o[0] = s;
        o[1] = t[ROUNDS - 1];
    }
    crate::expect(&[654, 6], |device, out| constant::launch(device, 1, &device.upload(&[1, 2, 3, 4, 5])?, out));
}
