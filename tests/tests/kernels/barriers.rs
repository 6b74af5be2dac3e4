//! Barriers under uniform conditions, workgroup memory, and broadcasts.

use samebits::prelude::*;

#[test]
fn a_tree_sums_up_a_workgroup() {
    #[kernel(workgroup_size(64))]
    fn reduce(x: &[u32], sums: &mut [u32]) {
        #[shared]
        let partial: [u32; 64];
        let l = local_index();
        partial[l] = x[global_id().x];
        workgroup_barrier();
        let mut width = 32;
        while width > 0 {
            if l < width {
                partial[l] += partial[l + width];
            }
            workgroup_barrier();
            width /= 2;
        }
        if l == 0 {
            sums[workgroup_id().x] = partial[0];
        }
    }
    let x: Vec<u32> = (0..200u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let sum = |chunk: &[u32]| chunk.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let expected: Vec<u32> = x.chunks(64).map(sum).collect();
    crate::expect(&expected, |device, out| reduce::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn whole_workgroups_may_leave_before_a_barrier() {
    #[kernel(workgroup_size(8))]
    fn leave(groups: u32, a: &[u32], o: &mut [u32]) {
        #[shared]
        let s: [u32; 8];
        if workgroup_id().x as u32 >= groups {
            return;
        }
        s[local_id().x] = a[global_id().x];
        workgroup_barrier();
        o[global_id().x] = s[0] + s[7];
    }
    let a: Vec<u32> = (0..24).collect();
    let expected: Vec<u32> = (0..24).map(|i| if i < 16 { i / 8 * 16 + 7 } else { 0 }).collect();
    crate::expect(&expected, |device, out| leave::launch(device, 24, 2, &device.upload(&a)?, out));
}

/// Each round hands every value one place on.
#[test]
fn barriers_in_loops_with_bounds_from_arguments() {
    #[kernel(workgroup_size(8))]
    fn rounds(n: u32, o: &mut [u32]) {
        #[shared]
        let s: [u32; 8];
        let l = local_index();
        s[l] = l as u32;
        for _ in 0..n {
            workgroup_barrier();
            let next = s[(l + 1) % 8];
            workgroup_barrier();
            s[l] = next;
        }
        o[global_id().x] = s[l];
    }
    crate::expect(&[3, 4, 5, 6, 7, 0, 1, 2], |device, out| rounds::launch(device, 8, 11, out));
}

#[test]
fn barriers_in_loops_with_bounds_from_read_only_buffers() {
    #[kernel(workgroup_size(4))]
    fn first(steps: &[u32], o: &mut [u32]) {
        #[shared]
        let s: [u32; 4];
        for _ in 0..steps[0] {
            s[local_index()] += 1;
            workgroup_barrier();
        }
        o[global_id().x] = s[3 - local_index()];
    }
    #[kernel(workgroup_size(4))]
    fn by_group(steps: &[u32], o: &mut [u32]) {
        #[shared]
        let s: [u32; 4];
        for _ in 0..steps[workgroup_id().x] {
            s[local_index()] += 1;
            workgroup_barrier();
        }
        o[global_id().x] = s[3 - local_index()];
    }
    crate::expect(&[3; 8], |device, out| first::launch(device, 8, &device.upload(&[3u32, 5])?, out));
    crate::expect(&[3, 3, 3, 3, 5, 5, 5, 5], |device, out| {
        by_group::launch(device, 8, &device.upload(&[3u32, 5])?, out)
    });
}

#[test]
fn a_barrier_under_conditions_on_arguments_and_groups() {
    #[kernel(workgroup_size(4))]
    fn uniform(flag: bool, n: u32, o: &mut [u32]) {
        #[shared]
        let s: [u32; 4];
        let l = local_index();
        s[l] = l as u32 + 1;
        if flag && n > 2 {
            workgroup_barrier();
            let turned = s[3 - l];
            workgroup_barrier();
            s[l] = turned * 10;
        }
        if workgroup_id().x % 2 == 1 {
            workgroup_barrier();
            let turned = s[3 - l];
            workgroup_barrier();
            s[l] = turned + 100;
        }
        let mut k = 0;
        while k < n && num_workgroups().x > 1 {
            workgroup_barrier();
            k += 1;
        }
        o[global_id().x] = s[l] + k * 1000;
    }
    crate::expect(&[3040, 3030, 3020, 3010, 3110, 3120, 3130, 3140], |device, out| {
        uniform::launch(device, 8, true, 3, out)
    });
    crate::expect(&[2001, 2002, 2003, 2004, 2104, 2103, 2102, 2101], |device, out| {
        uniform::launch(device, 8, false, 2, out)
    });
}

#[test]
fn a_broadcast_makes_a_value_uniform() {
    #[kernel(workgroup_size(8))]
    fn rounds(a: &[u32], o: &mut [u32]) {
        #[shared]
        let cell: u32;
        for round in 0..2 {
            if local_id().x == 0 {
                cell = a[workgroup_id().x] + round;
            }
            let n = broadcast(&cell);
            let mut s = 0;
            for j in 0..n {
                s += j;
                workgroup_barrier();
            }
            o[global_id().x * 2 + round as usize] = s;
        }
    }
    let expected: Vec<u32> = [(3, 6), (0, 0), (10, 15)].iter().flat_map(|&(a, b)| [a, b].repeat(8)).collect();
    crate::expect(&expected, |device, out| rounds::launch(device, 24, &device.upload(&[3u32, 0, 5])?, out));
}

#[test]
fn a_broadcast_of_an_element() {
    #[kernel(workgroup_size(4))]
    fn element(o: &mut [u32]) {
        #[shared]
        let s: [u32; 4];
        s[local_index()] = local_index() as u32 * 7;
        let last = broadcast(&s[3]);
        if last == 21 {
            workgroup_barrier();
            o[global_id().x] = last;
        }
    }
    crate::expect(&[21; 8], |device, out| element::launch(device, 8, out));
}

/// A thousand launches, each with a place of its own for its results, so that nothing waits
/// between them.
#[test]
fn a_load_stays_between_its_two_barriers() {
    #[kernel(workgroup_size(64))]
    fn between(launch: usize, o: &mut [u32]) {
        #[shared]
        let s: u32;
        if local_index() == 0 {
            s = 1;
        }
        workgroup_barrier();
        let r = s;
        workgroup_barrier();
        o[launch * 64 + global_id().x] = r;
        if local_index() == 0 {
            s = 2;
        }
    }
    #[kernel(workgroup_size(64))]
    fn used_twice(launch: usize, o: &mut [u32]) {
        #[shared]
        let s: u32;
        if local_index() == 0 {
            s = 1;
        }
        workgroup_barrier();
        let r = s * 2 + 1;
        workgroup_barrier();
        if local_index() == 0 {
            s = 2;
        }
        o[launch * 64 + global_id().x] = r + r / 3;
    }
    #[kernel(workgroup_size(64))]
    fn through_a_buffer(launch: usize, cells: &mut [u32], o: &mut [u32]) {
        let g = workgroup_id().x;
        if local_index() == 5 {
            cells[g] = 1;
        }
        workgroup_barrier();
        let r = cells[g];
        workgroup_barrier();
        if local_index() == 5 {
            cells[g] = 2;
        }
        o[launch * 64 + global_id().x] = r;
    }
    const LAUNCHES: usize = 1000;
    crate::expect(&[1; LAUNCHES * 64], |device, out| {
        (0..LAUNCHES).try_for_each(|launch| between::launch(device, 64, launch, out))
    });
    crate::expect(&[4; LAUNCHES * 64], |device, out| {
        (0..LAUNCHES).try_for_each(|launch| used_twice::launch(device, 64, launch, out))
    });
    crate::expect(&[1; LAUNCHES * 64], |device, out| {
        let mut cells = device.zeros::<u32>(1)?;
        (0..LAUNCHES).try_for_each(|launch| through_a_buffer::launch(device, 64, launch, &mut cells, out))
    });
}

#[test]
fn workgroup_memory_starts_as_zero_in_each_group() {
    #[kernel(workgroup_size(16))]
    fn zero(o: &mut [u32]) {
        #[shared]
        let s: [u32; 16];
        #[shared]
        let cell: i32;
        #[shared]
        let flag: bool;
        let l = local_index();
        let before = s[l] + cell as u32 + flag as u32;
        workgroup_barrier();
        s[l] = 77;
        if l == 0 {
            cell = 88;
            flag = true;
        }
        workgroup_barrier();
        o[global_id().x] = before * 1000 + s[15 - l] + cell as u32 + flag as u32;
    }
    crate::expect(&[166; 320], |device, out| zero::launch(device, 320, out));
}

#[test]
fn tiles_of_two_dimensions() {
    #[kernel(workgroup_size(4, 4))]
    fn transpose(width: usize, x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [[u32; 5]; 4];
        let l = local_id();
        let g = workgroup_id();
        tile[l.y][l.x] = x[global_id().y * width + global_id().x];
        workgroup_barrier();
        // The fifth column and what lies outside of a row do not exist.
        tile[l.y][l.x + 5] = 999;
        workgroup_barrier();
        y[(g.x * 4 + l.y) * width + g.y * 4 + l.x] = tile[l.x][l.y] + tile[l.x][l.y + 5];
    }
    let x: Vec<u32> = (0..64).collect();
    let expected: Vec<u32> = (0..64).map(|i| i % 8 * 8 + i / 8).collect();
    crate::expect(&expected, |device, out| transpose::launch(device, (8, 8), 8, &device.upload(&x)?, out));
}

/// What the invocation on the other side of the workgroup left.
#[device]
fn turned(s: &mut [u32; 8], l: usize) -> u32 {
    workgroup_barrier();
    let other = s[7 - l];
    workgroup_barrier();
    other
}

#[test]
fn a_helper_with_barriers_under_a_flag_of_the_launch() {
    #[kernel(workgroup_size(8))]
    fn flagged(flag: u32, o: &mut [u32]) {
        #[shared]
        let s: [u32; 8];
        let l = local_index();
        s[l] = l as u32 + 1;
        let mut value = 0;
        if flag != 0 {
            value = turned(&mut s, l);
        }
        o[global_id().x] = value;
    }
    crate::expect(&[8, 7, 6, 5, 4, 3, 2, 1], |device, out| flagged::launch(device, 8, 1, out));
    crate::expect(&[0; 8], |device, out| flagged::launch(device, 8, 0, out));
}

#[test]
fn a_cell_that_nobody_writes_meanwhile_and_an_id_over_the_size_are_uniform() {
    #[kernel(workgroup_size(8))]
    fn steady(a: &[u32], o: &mut [u32]) {
        #[shared]
        let cell: u32;
        if local_id().x == 0 {
            cell = a[workgroup_id().x];
        }
        workgroup_barrier();
        let n = cell;
        let mut s = 0;
        for j in 0..n {
            s += j;
            workgroup_barrier();
        }
        if global_id().x / 8 == 1 {
            workgroup_barrier();
            s += 100;
        }
        o[global_id().x] = s;
    }
    let expected: Vec<u32> = [3, 100, 10].iter().flat_map(|&s| [s; 8]).collect();
    crate::expect(&expected, |device, out| steady::launch(device, 24, &device.upload(&[3u32, 0, 5])?, out));
}
