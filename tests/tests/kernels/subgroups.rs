//! What the invocations of a subgroup do together, as a user writes it.

use samebits::prelude::*;

/// Numbers that are all over their type.
fn words(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

#[test]
fn a_sum_of_a_workgroup_by_subgroups() {
    #[device]
    fn total(sums: &mut [u32; 32], x: u32) -> u32 {
        let sum = subgroup_add(x);
        if subgroup_elect() {
            sums[subgroup_id()] = sum;
        }
        workgroup_barrier();
        subgroup_add(if local_index() < num_subgroups() { sums[local_index()] } else { 0 })
    }
    #[kernel(workgroup_size(100))]
    fn sum(x: &[u32], y: &mut [u32]) {
        #[shared]
        let sums: [u32; 32];
        let all = total(&mut sums, x[global_id().x]);
        if local_index() == 0 {
            y[workgroup_id().x] = all;
        }
    }
    let x = words(250);
    let add = |chunk: &[u32]| chunk.iter().fold(0u32, |sum, x| sum.wrapping_add(*x));
    let expected: Vec<u32> = x.chunks(100).map(add).collect();
    crate::expect(&expected, |device, out| sum::launch(device, x.len(), &device.upload(&x)?, out));
}

#[test]
fn places_from_a_ballot_and_a_scan() {
    #[kernel(workgroup_size(32))]
    fn compact(x: &[u32], y: &mut [u32]) {
        let value = x[local_index()];
        let wanted = value % 3 == 0;
        let place = subgroup_exclusive_add(wanted as u32);
        if wanted {
            unsafe {
                // A scan gives each its own.
                y[place as usize] = value;
            }
        }
        let count = subgroup_ballot(wanted).count_ones();
        if count < 32 && subgroup_elect() {
            unsafe {
                y[count as usize] = 7;
            }
        }
    }
    let x = words(32);
    let mut expected: Vec<u32> = x.iter().copied().filter(|value| value % 3 == 0).collect();
    expected.push(7);
    crate::expect(&expected, |device, out| compact::launch(device, 32, &device.upload(&x)?, out));
}

#[test]
fn shuffles_of_usize_bool_and_vectors() {
    #[kernel(workgroup_size(33))]
    fn turn(y: &mut [u32]) {
        let i = local_index();
        let next = subgroup_shuffle(i * 3, (subgroup_lane() as u32 + 1) % 32);
        let last = subgroup_shuffle_up(i % 2 == 1, 1);
        let pair = subgroup_shuffle_xor(Vec2::new(i as u32, 100 + i as u32), 1);
        y[i] = next as u32 * 10_000 + pair.x * 1000 + pair.y * 2 + last as u32;
    }
    let expected: Vec<u32> = (0..33u32)
        .map(|i| {
            let next = if i == 32 { 0 } else { (i + 1) % 32 * 3 };
            // The last subgroup has one lane.
            let (x, y) = if i == 32 { (0, 0) } else { (i ^ 1, 100 + (i ^ 1)) };
            let last = u32::from(i % 32 != 0 && (i - 1) % 2 == 1);
            next * 10_000 + x * 1000 + y * 2 + last
        })
        .collect();
    crate::expect(&expected, |device, out| turn::launch(device, 33, out));
}

mod wholes {
    use samebits::prelude::*;

    #[derive(Clone, Copy, Element, PartialEq)]
    #[repr(u32)]
    pub enum Kind {
        Zero,
        Odd = 7,
        Even = 9,
    }

    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Part {
        place: Vec2<u32>,
        kind: Kind,
        counts: [u32; 3],
    }

    #[device]
    fn other<T: Element>(x: T) -> T {
        subgroup_shuffle_xor(x, 1)
    }

    #[kernel(workgroup_size(33))]
    pub fn exchange(parts: &[Part], y: &mut [u32]) {
        let i = local_index();
        let own = parts[i];
        let next = subgroup_shuffle(own, (subgroup_lane() as u32 + 1) % 32);
        let (lane, (big, flag)) = subgroup_shuffle_up((i, (i as u64 * 5_000_000_000, i % 3 == 0)), 2);
        let first = subgroup_broadcast_first([i as u32, own.place.x]);
        let kind = other(own.kind);
        let fourth = subgroup_broadcast(own, 3);
        let found = [
            next.place.y * 1000 + next.kind as u32 * 100 + next.counts[2],
            lane as u32 * 2 + flag as u32,
            (big / 1_000_000_000) as u32,
            first[0] * 1000 + first[1],
            kind as u32,
            fourth.counts[1],
            other(own).counts[0],
            (other(own.kind) == Kind::Odd) as u32,
        ];
        for j in 0..8 {
            y[i * 8 + j] = found[j];
        }
    }

    pub fn part(i: u32) -> Part {
        let kind = if i % 2 == 1 { Kind::Odd } else { Kind::Even };
        Part { place: Vec2::new(i * 3, i + 40), kind, counts: [i, i * i, 5 * i + 1] }
    }
}

#[test]
fn structs_tuples_enums_and_arrays_are_exchanged_part_by_part() {
    let parts: Vec<_> = (0..33).map(wholes::part).collect();
    let expected: Vec<u32> = (0..33u32)
        .flat_map(|i| {
            let (first, lane) = (i / 32 * 32, i % 32);
            // What a lane that does not exist has is zero: the last subgroup has one lane.
            let of = |lane: u32| (first + lane < 33).then_some(first + lane);
            let kind = |i: Option<u32>| i.map_or(0, |i| if i % 2 == 1 { 7 } else { 9 });
            let next = of((lane + 1) % 32);
            let up = lane.checked_sub(2).map(|lane| first + lane);
            let other = of(lane ^ 1);
            [
                next.map_or(0, |i| (i + 40) * 1000 + 5 * i + 1) + kind(next) * 100,
                up.map_or(0, |i| i * 2 + u32::from(i % 3 == 0)),
                up.map_or(0, |i| i * 5),
                first * 1000 + first * 3,
                kind(other),
                of(3).map_or(0, |i| i * i),
                other.unwrap_or(0),
                u32::from(kind(other) == 7),
            ]
        })
        .collect();
    crate::expect(&expected, |device, out| wholes::exchange::launch(device, 33, &device.upload(&parts)?, out));
}

#[test]
fn votes_decide_about_a_loop_where_a_workgroup_is_a_subgroup() {
    #[kernel(workgroup_size(16))]
    fn settle(x: &[u32], y: &mut [u32]) {
        let mut mine = x[local_index()];
        let mut rounds = 0;
        while subgroup_any(mine > 9) {
            mine = if mine > 9 { mine / 2 } else { mine };
            rounds += 1;
        }
        y[local_index()] = rounds * 100 + subgroup_max(mine);
    }
    let x: Vec<u32> = (0..16).map(|i| i * i * i).collect();
    // 3375 is halved nine times, and 8 is never halved.
    let halved = x.iter().map(|&x| std::iter::successors(Some(x), |x| (*x > 9).then_some(x / 2)).last().unwrap_or(0));
    let expected = vec![900 + halved.max().unwrap_or(0); 16];
    crate::expect(&expected, |device, out| settle::launch(device, 16, &device.upload(&x)?, out));
}

#[test]
fn helpers_of_any_number_reduce() {
    #[device]
    fn spread<T: Number>(x: T) -> T {
        subgroup_max(x) - subgroup_min(x)
    }
    #[kernel(workgroup_size(64), instances(T = [f32, i32, f64]), features(f64))]
    fn spreads<T: Number>(x: &[T], y: &mut [T]) {
        y[local_index()] = spread(x[local_index()]);
    }
    let x: Vec<i32> = words(64).iter().map(|&x| x as i32 >> 8).collect();
    let of = |x: &[i32]| x.iter().max().unwrap() - x.iter().min().unwrap();
    let expected: Vec<i32> = x.chunks(32).flat_map(|x| [of(x)].repeat(32)).collect();
    crate::expect(&expected, |device, out| spreads::launch(device, 64, &device.upload(&x)?, out));
    let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let wanted: Vec<f32> = floats
        .chunks(32)
        .flat_map(|x| {
            [x.iter().copied().fold(f32::MIN, f32::max) - x.iter().copied().fold(f32::MAX, f32::min)].repeat(32)
        })
        .collect();
    crate::expect(&wanted, |device, out| spreads::launch(device, 64, &device.upload(&floats)?, out));
}

#[test]
fn workgroup_memory_that_is_exchanged_through_is_within_the_limit() {
    #[kernel(workgroup_size(1024), limits(invocations = 1024))]
    fn large(x: &[u64], y: &mut [u64]) {
        #[shared]
        let tile: [u64; 1024];
        let i = local_index();
        tile[i] = subgroup_inclusive_add(x[i]);
        workgroup_barrier();
        y[i] = tile[i ^ 32];
    }
    let x: Vec<u64> = words(1024).iter().map(|&x| u64::from(x) << 7).collect();
    let scan = |x: &[u64]| {
        x.iter()
            .scan(0u64, |sum, x| {
                *sum = sum.wrapping_add(*x);
                Some(*sum)
            })
            .collect::<Vec<_>>()
    };
    let sums: Vec<u64> = x.chunks(32).flat_map(scan).collect();
    let expected: Vec<u64> = (0..1024).map(|i| sums[i ^ 32]).collect();
    crate::expect(&expected, |device, out| large::launch(device, 1024, &device.upload(&x)?, out));
}
