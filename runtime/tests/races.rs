//! Kernels with a race and kernels without, in the manner of suites for verifiers: the judge
//! reports each of the former under every schedule, whether or not anybody looks at what it
//! computes, and none of the latter.

use samebits::judge::Schedule;
use samebits::prelude::*;

const SCHEDULES: [Schedule; 4] = [Schedule::Forward, Schedule::Reversed, Schedule::Random(1), Schedule::Random(2)];

/// A kernel launched on a buffer that counts up and one of zeros, both of 64 numbers.
type Launch = fn(&Device, &mut Buffer<u32>, &mut Buffer<u32>) -> Result<(), Error>;

/// Whether the judge reports a race; the same under every schedule.
fn is_race(name: &str, launch: Launch) -> bool {
    let all = SCHEDULES.map(|schedule| {
        let device = Device::judge(schedule);
        let mut x = device.upload(&(0..64).collect::<Vec<u32>>()).unwrap();
        let mut y = device.zeros::<u32>(64).unwrap();
        let result = launch(&device, &mut x, &mut y);
        let race = device.findings().iter().any(|finding| finding.is_race());
        match result {
            Err(Error::Race { .. }) => assert!(race, "{name}"),
            Ok(()) => assert!(!race, "{name}"),
            Err(other) => panic!("{name}: {other}"),
        }
        race
    });
    assert!(all.iter().all(|&one| one == all[0]), "{name}: under some schedules only: {all:?}");
    all[0]
}

/// The kernels of a list of which the judge does not say what is expected.
fn wrong(kernels: &[(&'static str, Launch)], expected: bool) -> Vec<&'static str> {
    kernels.iter().filter(|(name, launch)| is_race(name, *launch) != expected).map(|(name, _)| *name).collect()
}

/// Kernels, each with workgroups of four invocations and launched on eight of them, and the
/// list of them. They take `y` alone, or `x` and `y`; `x` may be written or atomic.
macro_rules! kernels {
    (unsafe $list:ident: $(fn $name:ident($($param:ident: $ty:ty),*) { $($body:tt)* })*) => {
        kernels! { $list: $(fn $name($($param: $ty),*) { unsafe { $($body)* } })* }
    };
    ($list:ident: $(fn $name:ident($($param:ident: $ty:ty),*) $body:block)*) => {
        $(
            #[kernel(workgroup_size(4))]
            // What nobody reads is what some of them are about.
            #[allow(unused_variables, unused_unsafe)]
            fn $name($($param: $ty),*) $body
        )*
        const $list: &[(&str, Launch)] = &[$((stringify!($name), launch!($name $($param)*))),*];
    };
}

macro_rules! launch {
    ($name:ident x y) => {
        |device, x, y| $name::launch(device, 8, x, y)
    };
    ($name:ident y) => {
        |device, _, y| $name::launch(device, 8, y)
    };
}

/// Work of a helper's own, in which nothing is looked at.
#[device]
fn peeks(y: &[u32], i: usize) {
    let _seen = unsafe { y[i] };
}

#[device]
fn bumps(y: &mut [u32], i: usize) {
    unsafe {
        y[i] = y[i] + 1;
    }
}

kernels! { unsafe RACY:
    fn all_store_their_ids_to_one_place(y: &mut [u32]) {
        y[0] = global_id().x as u32;
    }
    fn all_store_the_same(y: &mut [u32]) {
        y[0] = 1;
    }
    fn all_store_back_what_they_loaded(y: &mut [u32]) {
        let v = y[0];
        y[0] = v;
    }
    fn adding_nothing_is_a_store(y: &mut [u32]) {
        y[0] += 0;
    }
    fn a_shared_number_that_nobody_reads(y: &mut [u32]) {
        #[shared]
        let a: u32;
        a = local_id().x as u32;
    }
    fn a_shared_number_that_one_reads(y: &mut [u32]) {
        #[shared]
        let a: u32;
        a = local_id().x as u32;
        workgroup_barrier();
        if local_id().x == 0 {
            y[workgroup_id().x] = a;
        }
    }
    fn a_load_that_nobody_uses_beside_a_store(y: &mut [u32]) {
        let i = global_id().x;
        let _neighbour = y[i + 1];
        y[i] = 1;
    }
    fn a_load_as_a_statement_beside_a_store(y: &mut [u32]) {
        let i = global_id().x;
        y[i + 1];
        y[i] = 1;
    }
    fn a_load_times_nothing(x: &mut [u32], y: &mut [u32]) {
        let i = global_id().x;
        x[i] = 3;
        y[i] = x[(i + 1) % 8] * 0;
    }
    fn a_difference_from_itself(x: &mut [u32], y: &mut [u32]) {
        let i = global_id().x;
        x[i] = 3;
        y[i] = x[i ^ 1] - x[i ^ 1];
    }
    fn a_store_that_the_next_one_hides(y: &mut [u32]) {
        let i = global_id().x;
        y[i + 1] = 5;
        y[i + 1] = 6;
        y[i] = 7;
    }
    fn a_store_to_shared_memory_that_is_set_again(y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        tile[(i + 1) % 4] = 5;
        tile[i] = 6;
        workgroup_barrier();
        y[global_id().x] = tile[i];
    }
    fn a_tile_that_nobody_reads(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        tile[0] = x[global_id().x];
        y[global_id().x] = 1;
    }
    fn a_barrier_is_missing(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        tile[i] = x[global_id().x];
        y[global_id().x] = tile[3 - i];
    }
    fn a_barrier_is_missing_at_a_loops_end(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        let mut sum = 0;
        for round in 0..3 {
            tile[i] = x[round * 4 + i];
            workgroup_barrier();
            sum += tile[3 - i];
        }
        y[global_id().x] = sum;
    }
    fn a_tree_without_barriers(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        tile[i] = x[global_id().x];
        workgroup_barrier();
        let mut step = 2;
        while step > 0 {
            if i < step {
                tile[i] += tile[i + step];
            }
            step /= 2;
        }
        workgroup_barrier();
        if i == 0 {
            y[workgroup_id().x] = tile[0];
        }
    }
    fn a_prefix_sum_in_place(y: &mut [u32]) {
        let i = local_id().x;
        if i > 0 {
            y[i] += y[i - 1];
        }
    }
    fn rows_overlap_by_one(y: &mut [u32]) {
        let i = global_id().x;
        for k in 0..4 {
            y[i * 3 + k] = k as u32;
        }
    }
    fn a_stride_is_too_small(y: &mut [u32]) {
        let i = global_id().x;
        y[i / 2] = i as u32;
    }
    fn a_remainder_folds_places_together(y: &mut [u32]) {
        let i = global_id().x;
        y[i % 7] = i as u32;
    }
    fn local_ids_meet_among_workgroups(y: &mut [u32]) {
        y[local_id().x] = 1;
    }
    fn a_barrier_does_not_order_workgroups(y: &mut [u32]) {
        let i = global_id().x;
        y[i] = 1;
        workgroup_barrier();
        let _other = y[7 - i];
    }
    fn an_index_from_memory_meets(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        y[(x[i] / 2) as usize] = 1;
    }
    fn a_plain_store_beside_atomics(x: &[Atomic<u32>], y: &mut [u32]) {
        if x[0].fetch_add(1) < 100 {
            y[0] = 1;
        }
    }
    fn a_flag_orders_nothing_when_it_is_relaxed(x: &[Atomic<u32>], y: &mut [u32]) {
        if global_id().x == 0 {
            y[0] = 42;
            x[0].store(1);
        } else {
            let ready = x[0].load();
            let seen = y[0];
            y[global_id().x] = seen * ready;
        }
    }
    fn a_shared_flag_that_is_polled_and_set(x: &[u32], y: &mut [u32]) {
        #[shared]
        let done: bool;
        if local_id().x == 0 {
            done = false;
        }
        workgroup_barrier();
        if x[global_id().x] == 2 {
            done = true;
        }
        if !done {
            y[global_id().x] = 1;
        }
    }
    fn a_branch_on_a_neighbour(y: &mut [u32]) {
        let i = global_id().x;
        if y[(i + 1) % 8] == 77 {
            y[i] = 0;
        } else {
            y[i] = 0;
        }
    }
    fn a_helper_peeks(y: &mut [u32]) {
        let i = global_id().x;
        y[i] = 1;
        peeks(y, i + 1);
    }
    fn a_helper_bumps_one_place(y: &mut [u32]) {
        bumps(y, 3);
    }
    fn a_closure_peeks(y: &mut [u32]) {
        let i = global_id().x;
        y[i] = 1;
        let seen = |at: usize| y[at];
        let _v = seen(i + 1);
    }
    fn a_load_in_a_branch_not_taken_by_the_result(x: &mut [u32], y: &mut [u32]) {
        let i = global_id().x;
        x[i] = 1;
        y[i] = if i < 100 && x[(i + 1) % 8] < 100 { 5 } else { 5 };
    }
    fn a_loop_that_only_loads(x: &mut [u32], y: &mut [u32]) {
        let i = global_id().x;
        x[i] = 1;
        let mut sum = 0;
        for k in 0..8 {
            sum += x[k];
        }
        y[i] = 1;
    }
    fn halves_of_a_word(y: &mut [u32]) {
        let i = global_id().x;
        let word = y[i / 2];
        y[i / 2] = word | 1 << (i % 2 * 16);
    }
    fn two_lanes_swap_in_place(y: &mut [u32]) {
        let i = local_id().x;
        let mine = y[i ^ 1];
        y[i] = mine;
    }
}

kernels! { RACE_FREE:
    fn each_its_own(y: &mut [u32]) {
        y[global_id().x] = 1;
    }
    fn each_its_own_twice(y: &mut [u32]) {
        let i = global_id().x;
        let v = y[i];
        y[i] = v;
        y[i] += 0;
    }
    fn one_alone_stores(y: &mut [u32]) {
        if global_id().x == 5 {
            y[0] = 1;
        }
    }
    fn all_load_one_place(x: &[u32], y: &mut [u32]) {
        y[global_id().x] = x[0];
    }
    fn a_shared_number_of_one(y: &mut [u32]) {
        #[shared]
        let a: u32;
        if local_id().x == 2 {
            a = workgroup_id().x as u32;
        }
        workgroup_barrier();
        y[global_id().x] = a;
    }
    fn a_barrier_stands_between(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        tile[i] = x[global_id().x];
        workgroup_barrier();
        y[global_id().x] = tile[3 - i];
    }
    fn two_barriers_a_round(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        let mut sum = 0;
        for round in 0..3 {
            tile[i] = x[round * 4 + i];
            workgroup_barrier();
            sum += tile[3 - i];
            workgroup_barrier();
        }
        y[global_id().x] = sum;
    }
    fn two_tiles_take_turns(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tiles: [[u32; 4]; 2];
        let i = local_id().x;
        let mut sum = 0;
        for round in 0..6 {
            tiles[round % 2][i] = x[round * 4 + i];
            workgroup_barrier();
            sum += tiles[round % 2][3 - i];
        }
        y[global_id().x] = sum;
    }
    fn a_tree(x: &[u32], y: &mut [u32]) {
        #[shared]
        let tile: [u32; 4];
        let i = local_id().x;
        tile[i] = x[global_id().x];
        workgroup_barrier();
        let mut step = 2;
        while step > 0 {
            if i < step {
                tile[i] += tile[i + step];
            }
            workgroup_barrier();
            step /= 2;
        }
        if i == 0 {
            y[workgroup_id().x] = tile[0];
        }
    }
    fn a_prefix_sum_with_barriers(y: &mut [u32]) {
        let (i, base) = (local_id().x, workgroup_id().x * 4);
        for step in 1..3 {
            let v = if i >= step { y[base + i - step] } else { 0 };
            workgroup_barrier();
            y[base + i] += v;
            workgroup_barrier();
        }
    }
    fn rows_beside_each_other(y: &mut [u32]) {
        let i = global_id().x;
        for k in 0..4 {
            y[i * 4 + k] = k as u32;
        }
    }
    fn a_permutation(y: &mut [u32]) {
        let i = global_id().x;
        y[i ^ 3] = i as u32;
    }
    fn atomics_alone(x: &[Atomic<u32>], y: &mut [u32]) {
        x[0].fetch_add(1);
        x[1].store(3);
        y[global_id().x] = x[1].load();
    }
    fn a_slot_by_an_atomic(x: &[Atomic<u32>], y: &mut [u32]) {
        let slot = x[0].fetch_add(1) as usize;
        y[slot] = 1;
    }
    fn shared_atomics_and_a_barrier(x: &[u32], y: &mut [u32]) {
        #[shared]
        let bins: [Atomic<u32>; 2];
        let i = local_id().x;
        if i < 2 {
            bins[i].store(0);
        }
        workgroup_barrier();
        bins[(x[global_id().x] % 2) as usize].fetch_add(1);
        workgroup_barrier();
        if i < 2 {
            y[workgroup_id().x * 2 + i] = bins[i].load();
        }
    }
    fn a_flag_between_barriers(x: &[u32], y: &mut [u32]) {
        #[shared]
        let done: bool;
        if local_id().x == 0 {
            done = x[global_id().x] > 2;
        }
        workgroup_barrier();
        if !done {
            y[global_id().x] = 1;
        }
        workgroup_barrier();
        if local_id().x == 3 {
            done = true;
        }
    }
    fn private_memory_is_everybodys_own(x: &[u32], y: &mut [u32]) {
        let mut own = [0u32; 4];
        for k in 0..4 {
            own[k] = x[k];
        }
        y[global_id().x] = own[0] + own[3];
    }
    fn a_place_that_is_not_loaded(y: &mut [u32]) {
        let i = global_id().x;
        let _ = y[(i + 1) % 8];
        _ = y[(i + 2) % 8];
        y[i] = 2;
    }
    fn a_helper_with_its_own_place(y: &mut [u32]) {
        let i = global_id().x;
        bumps(y, i);
        peeks(y, i);
    }
    fn subgroups_need_no_memory(x: &[u32], y: &mut [u32]) {
        y[global_id().x] = subgroup_add(x[global_id().x]);
    }
}

// Without a race in this launch, which no proof shows.
kernels! { unsafe RACE_FREE_BY_WORD:
    fn a_remainder_that_suffices(y: &mut [u32]) {
        let i = global_id().x;
        y[(i + 5) % 8] = i as u32;
    }
    fn groups_keep_to_themselves(y: &mut [u32]) {
        let i = global_id().x;
        y[i] = 1;
        workgroup_barrier();
        let _other = y[i ^ 3];
    }
    fn a_guard_keeps_the_load_away(y: &mut [u32]) {
        let i = global_id().x;
        if i > 100 && y[(i + 1) % 8] > 3 {
            y[0] = 1;
        }
        y[i] = 2;
    }
    fn the_other_operand_decides(y: &mut [u32]) {
        let i = global_id().x;
        let lazy = i < 100 || y[(i + 1) % 8] > 3;
        y[i] = lazy as u32;
    }
    fn out_of_bounds_meets_nobody(y: &mut [u32]) {
        y[64] = 1;
        let _nothing = y[1000];
    }
}

#[test]
fn every_race_is_reported_as_it_is_written() {
    assert_eq!(wrong(RACY, true), Vec::<&str>::new());
}

#[test]
fn no_kernel_without_a_race_is_reported() {
    assert_eq!(wrong(RACE_FREE, false), Vec::<&str>::new());
    assert_eq!(wrong(RACE_FREE_BY_WORD, false), Vec::<&str>::new());
}
