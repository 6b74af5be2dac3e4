//! Barriers under conditions that are the same for all beside what differs: in other fields,
//! elements and lanes of private memory, and in workgroup memory after loops.

use samebits::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Level {
    from: u32,
    to: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
struct Config {
    rounds: u32,
    levels: [u32; 4],
    last: Level,
}

const CONFIG: Config = Config { rounds: 2, levels: [5, 6, 7, 8], last: Level { from: 1, to: 3 } };

#[device]
fn with_own_level(mut config: Config, i: u32) -> u32 {
    config.levels[2] = i;
    config.rounds
}

#[device]
fn set_own_level(config: &mut Config, i: u32) {
    config.levels[2] = i;
    config.last.to = i;
}

/// Rounds with barriers that fields decide; each round adds one.
#[test]
fn fields_beside_one_that_differs() {
    #[kernel(workgroup_size(8))]
    fn fields(config: Config, k: usize, o: &mut [u32]) {
        let i = local_index() as u32;
        let mut sum = 0u32;
        let mut own = config;
        own.levels[1] = i;
        for _ in 0..own.rounds {
            workgroup_barrier();
            sum += 1;
        }
        let copy = own;
        let mut both = [copy; 2];
        both[1].rounds = i;
        for _ in 0..both[0].rounds + both[1].levels[0] {
            workgroup_barrier();
            sum += 10;
        }
        let mut later = [config; 2];
        later[k % 2].levels[k % 4] = i;
        later[local_index() % 2].last.from = i;
        for _ in 0..later[k % 2].last.to {
            workgroup_barrier();
            sum += 100;
        }
        for _ in 0..with_own_level(config, i) {
            workgroup_barrier();
            sum += 1000;
        }
        let mut lent = config;
        set_own_level(&mut lent, i);
        for _ in 0..lent.last.from + lent.rounds {
            workgroup_barrier();
            sum += 10_000;
        }
        let tuple = (config.rounds, [i, 4], i);
        for _ in 0..tuple.0 + tuple.1[1] {
            workgroup_barrier();
            sum += 100_000;
        }
        o[local_index()] = sum + own.levels[1] + both[1].rounds + lent.levels[2] + tuple.1[0] + tuple.2;
    }
    let expected: Vec<u32> = (0..8).map(|i| 632_372 + 5 * i).collect();
    crate::expect(&expected, |device, out| fields::launch(device, 8, CONFIG, 3, out));
}

#[test]
fn elements_and_lanes_beside_one_that_differs() {
    #[kernel(workgroup_size(8))]
    fn elements(k: usize, o: &mut [u32]) {
        let l = local_index();
        let i = l as u32;
        let mut sum = 0u32;
        let mut list = [3u32, 0, 2];
        list[1] = i;
        for _ in 0..list[0] + list[2] {
            workgroup_barrier();
            sum += 1;
        }
        let mut put = |at: u32| list[1] = at;
        put(i + 1);
        for _ in 0..list[2] {
            workgroup_barrier();
            sum += 10;
        }
        let mut rows = [[1u32; 4]; 4];
        rows[2][l % 4] = i;
        for _ in 0..rows[1][k % 4] + rows[3][0] {
            workgroup_barrier();
            sum += 100;
        }
        let mut many = [1u32; 16];
        for j in 8..16 {
            many[j] = i;
        }
        for _ in 0..many[7] {
            workgroup_barrier();
            sum += 1000;
        }
        let mut bytes = [2u8; 8];
        bytes[5] = i as u8;
        for _ in 0..bytes[4] {
            workgroup_barrier();
            sum += 10_000;
        }
        let mut pair = Vec2::new(3u32, 0);
        pair.y = i;
        let doubled = pair * Vec2::splat(2) + Vec2::new(1, 0);
        for _ in 0..pair.x + doubled.x {
            workgroup_barrier();
            sum += 100_000;
        }
        let mut pairs = [pair; 4];
        pairs[k % 4].y = i + 1;
        for _ in 0..pairs[k % 3].x {
            workgroup_barrier();
            sum += 10_000_000;
        }
        o[l] = sum + list[1] + rows[2][0] + many[9] + bytes[5] as u32 + doubled.y + pairs[3].y;
    }
    let own =
        |i: u32| (i + 1) + if i < 4 { [0, 1, 1, 1][i as usize] } else { [4, 1, 1, 1][i as usize - 4] } + 5 * i + 1;
    let expected: Vec<u32> = (0..8).map(|i| 31_021_225 + own(i)).collect();
    crate::expect(&expected, |device, out| elements::launch(device, 8, 3, out));
}

#[test]
fn workgroup_memory_after_loops_with_barriers() {
    #[kernel(workgroup_size(8))]
    fn after(n: i32, o: &mut [u32]) {
        #[shared]
        let p: [i32; 8];
        let l = local_index();
        let mut sum = 0u32;
        for i in 0..n {
            p[l] = i;
            workgroup_barrier();
        }
        if p[0] == 2 {
            workgroup_barrier();
            sum += 1;
        }
        workgroup_barrier();
        let mut i = n;
        while i > 0 {
            p[l] = i;
            workgroup_barrier();
            i /= 2;
        }
        if p[7] == 1 {
            workgroup_barrier();
            sum += 10;
        }
        workgroup_barrier();
        loop {
            p[l] += 1;
            workgroup_barrier();
            if p[1] > 3 {
                break;
            }
            workgroup_barrier();
        }
        if p[2] == 4 {
            workgroup_barrier();
            sum += 100;
        }
        workgroup_barrier();
        for i in 0..n {
            for j in 0..i {
                p[l] = j;
                workgroup_barrier();
            }
            if p[3] == 0 {
                workgroup_barrier();
                sum += 1000;
            }
            workgroup_barrier();
        }
        for i in 0..n {
            if i % 2 == 0 {
                workgroup_barrier();
                p[l] = i;
                workgroup_barrier();
            }
        }
        if p[4] == 2 {
            workgroup_barrier();
            sum += 10_000;
        }
        if n > 2 {
            workgroup_barrier();
            p[l] = n;
            workgroup_barrier();
        } else {
            workgroup_barrier();
        }
        while p[5] < 6 {
            workgroup_barrier();
            p[l] += 1;
            workgroup_barrier();
            sum += 100_000;
        }
        o[l] = sum;
    }
    crate::expect(&[311_111; 8], |device, out| after::launch(device, 8, 3, out));
}

#[test]
fn what_nobody_comes_to_is_no_barrier() {
    #[kernel(workgroup_size(64))]
    fn dead(s: u32, o: &mut [u32]) {
        let mut a = [0u32; 2];
        a[0] = s;
        if a[0] >= 100 {
            return;
        }
        let mut sum = local_index() as u32;
        match s {
            300 => {
                if local_id().x > 63 {
                    sum += subgroup_add(2u32);
                }
                if local_id().x > 80 {
                    workgroup_barrier();
                }
            }
            1 => sum += 5,
            _ => {}
        }
        #[unroll]
        for j in 0..4 {
            sum += j;
        }
        o[local_index()] = sum;
    }
    assert_eq!(dead::KERNEL.report().expect("a kernel").left_out, [""; 0]);
    let expected: Vec<u32> = (0..64).map(|i| i + 11).collect();
    crate::expect(&expected, |device, out| dead::launch(device, 64, 1, out));
}
