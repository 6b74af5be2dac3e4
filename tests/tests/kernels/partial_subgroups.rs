//! Subgroup operations that only some subgroups of a workgroup reach.

use samebits::prelude::*;

/// Small numbers that are all over the place.
fn numbers(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 24).collect()
}

/// The subgroups of workgroups of a size, of the values of their invocations.
fn subgroups(x: &[u32], size: usize) -> impl Iterator<Item = (usize, &[u32])> {
    x.chunks(size).flat_map(|group| group.chunks(32).enumerate())
}

#[test]
fn the_first_subgroup_ends_a_reduction() {
    #[kernel(workgroup_size(256))]
    fn sum(x: &[u32], y: &mut [u32]) {
        #[shared]
        let sums: [u32; 8];
        let sum = subgroup_add(x[global_id().x]);
        if subgroup_elect() {
            sums[subgroup_id()] = sum;
        }
        workgroup_barrier();
        if subgroup_id() == 0 {
            let lane = subgroup_lane();
            let all = subgroup_add(if lane < 8 { sums[lane] } else { 0 });
            if lane == 0 {
                y[workgroup_id().x] = all;
            }
        }
    }
    let x = numbers(700);
    let expected: Vec<u32> = x.chunks(256).map(|group| group.iter().sum()).collect();
    crate::expect(&expected, |device, out| sum::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn subgroups_without_a_row_leave_and_rows_have_any_length() {
    #[kernel(workgroup_size(96))]
    fn sums(starts: &[u32], x: &[u32], y: &mut [u32]) {
        let row = global_id().x / 32;
        if row >= y.len() {
            return;
        }
        let end = starts[row + 1] as usize;
        let mut first = starts[row] as usize;
        let mut sum = 0;
        while first < end {
            let at = first + subgroup_lane();
            sum += subgroup_add(if at < end { x[at] } else { 0 });
            first += 32;
        }
        if subgroup_elect() {
            y[row] = sum;
        }
    }
    let starts = [0u32, 40, 40, 43, 200, 201, 300, 300];
    let x = numbers(300);
    let expected: Vec<u32> = starts.windows(2).map(|ends| x[ends[0] as usize..ends[1] as usize].iter().sum()).collect();
    crate::expect(&expected, |device, out| {
        sums::launch(device, 32 * 7, &device.upload(&starts)?, &device.upload(&x)?, out)
    });
}

#[test]
fn a_loop_that_all_count_alike_after_some_left() {
    #[kernel(workgroup_size(64))]
    fn tree(n: usize, x: &[u32], y: &mut [u32]) {
        let row = global_id().x / 32;
        if row >= n {
            return;
        }
        let mut sum = x[global_id().x];
        #[unroll]
        for step in 0..5u32 {
            sum += subgroup_shuffle_xor(sum, 1 << step);
        }
        y[global_id().x] = sum;
    }
    let x = numbers(32 * 5);
    let expected: Vec<u32> =
        x.chunks(32).enumerate().flat_map(|(row, x)| vec![if row < 3 { x.iter().sum() } else { 0 }; 32]).collect();
    crate::expect(&expected, |device, out| tree::launch(device, x.len(), 3, &device.upload(&x)?, out));
}

#[test]
fn a_step_that_ends_no_loop_is_not_tried_where_nobody_is() {
    #[kernel(workgroup_size(64))]
    fn steps(step: u32, x: &[u32], y: &mut [u32]) {
        if step == 0 || subgroup_id() == 1 {
            return;
        }
        let mut at = 0;
        let mut sum = 0;
        while at < 64 {
            sum += subgroup_add(x[global_id().x] + at);
            at += step;
        }
        y[global_id().x] = sum;
    }
    let x = numbers(64);
    let first: u32 = x[..32].iter().sum();
    for (step, expected) in [(0, 0), (32, 2 * first + 32 * 32)] {
        let expected: Vec<u32> = (0..64).map(|i| if i < 32 { expected } else { 0 }).collect();
        crate::expect(&expected, |device, out| steps::launch(device, 64, step, &device.upload(&x)?, out));
    }
}

#[test]
fn each_subgroup_does_another_operation() {
    #[device]
    fn by_number(x: u32) -> u32 {
        match subgroup_id() {
            0 => subgroup_add(x),
            1 => subgroup_max(x),
            2 | 3 => {
                if workgroup_id().x == 1 {
                    return 7;
                }
                subgroup_inclusive_add(x)
            }
            _ => x,
        }
    }
    // The last subgroup is not whole.
    #[kernel(workgroup_size(112))]
    fn several(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        y[i] = by_number(x[i]);
    }
    let x = numbers(224);
    let mut expected = Vec::new();
    for (group, x) in x.chunks(112).enumerate() {
        for (number, x) in subgroups(x, 112) {
            let scan = x.iter().scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            });
            match number {
                0 => expected.extend(vec![x.iter().sum::<u32>(); 32]),
                1 => expected.extend(vec![*x.iter().max().expect("32 numbers"); 32]),
                _ if group == 1 => expected.extend(vec![7; x.len()]),
                _ => expected.extend(scan),
            }
        }
    }
    crate::expect(&expected, |device, out| several::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn a_vote_of_a_subgroup_ends_its_loop() {
    #[kernel(workgroup_size(64))]
    fn collatz(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        let mut value = x[i] + 1;
        let mut rounds = 0;
        loop {
            if subgroup_all(value == 1) {
                break;
            }
            if value != 1 {
                value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
            }
            rounds += 1;
        }
        y[i] = rounds;
    }
    fn steps(mut value: u32) -> u32 {
        let mut steps = 0;
        while value != 1 {
            value = if value.is_multiple_of(2) { value / 2 } else { 3 * value + 1 };
            steps += 1;
        }
        steps
    }
    let x = numbers(128);
    let expected: Vec<u32> = subgroups(&x, 64)
        .flat_map(|(_, x)| vec![x.iter().map(|x| steps(x + 1)).max().expect("32 numbers"); 32])
        .collect();
    crate::expect(&expected, |device, out| collatz::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn a_labelled_loop_is_left_by_whole_subgroups() {
    #[kernel(workgroup_size(64))]
    fn found(x: &[u32], y: &mut [u32]) {
        let row = global_id().x / 32;
        let mut at = 1000;
        'rows: for a in 0..4usize {
            for b in 0..3usize {
                let value = x[(row * 12 + a * 3 + b) * 32 + subgroup_lane()];
                if subgroup_any(value == 255) {
                    at = a * 3 + b;
                    break 'rows;
                }
                if subgroup_max(value) < 250 {
                    continue 'rows;
                }
            }
        }
        y[global_id().x] = at as u32;
    }
    let x = numbers(32 * 12 * 4);
    let mut expected = Vec::new();
    for row in x.chunks(32 * 12) {
        let mut at = 1000;
        let part = |a: usize, b: usize| &row[(a * 3 + b) * 32..][..32];
        'rows: for a in 0..4 {
            for b in 0..3 {
                if part(a, b).contains(&255) {
                    at = a * 3 + b;
                    break 'rows;
                }
                if part(a, b).iter().all(|&x| x < 250) {
                    continue 'rows;
                }
            }
        }
        expected.extend(vec![at as u32; 32]);
    }
    crate::expect(&expected, |device, out| found::launch(device, 128, &device.upload(&x)?, out));
}
