//! Workgroup memory that helpers, methods and closures declare: each call has its own.

use samebits::prelude::*;

/// What the invocation at the other end of the workgroup passes.
#[device]
fn reversed<T: Element>(x: T) -> T {
    #[shared]
    let tile: [T; 8];
    tile[local_index()] = x;
    workgroup_barrier();
    tile[7 - local_index()]
}

/// No barrier is between two calls, nor between the calls of two helpers.
#[device]
fn turned(x: u32, by: u32) -> u32 {
    reversed(reversed(x) + by)
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Range {
    low: u32,
    high: u32,
}

#[device]
impl Range {
    /// The least and the greatest over the workgroup.
    fn of(x: u32) -> Self {
        #[shared]
        let least: Atomic<u32>;
        #[shared]
        let most: Atomic<u32>;
        if local_index() == 0 {
            least.store(x);
        }
        workgroup_barrier();
        least.fetch_min(x);
        most.fetch_max(x);
        workgroup_barrier();
        Self { low: least.load(), high: most.load() }
    }

    fn joined(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

#[kernel(workgroup_size(8))]
fn mirrors(x: &[u32], o: &mut [u32]) {
    #[shared]
    let tile: [u32; 8];
    let i = global_id().x;
    tile[local_index()] = x[i];
    let a = turned(x[i], 100);
    let b = reversed(Vec2::new(x[i] as f32, 0.5));
    let range = Range::of(x[i]).joined(Range::of(a));
    workgroup_barrier();
    o[i * 4] = a + tile[(local_index() + 1) % 8] * 1000;
    o[i * 4 + 1] = (b.x + b.y + b.y) as u32;
    o[i * 4 + 2] = range.low;
    o[i * 4 + 3] = range.high;
}

#[test]
fn calls_do_not_share_memory() {
    let x = [3u32, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
    let mut expected = Vec::new();
    for (i, &value) in x.iter().enumerate() {
        let (group, lane) = (&x[i / 8 * 8..][..8], i % 8);
        let (least, most) = (*group.iter().min().unwrap(), *group.iter().max().unwrap());
        expected.extend([value + 100 + group[(lane + 1) % 8] * 1000, group[7 - lane] + 1, least, most + 100]);
    }
    crate::expect(&expected, |device, out| mirrors::launch(device, 16, &device.upload(&x)?, out));
}

/// Calls a function for each of three numbers.
#[device]
fn thrice(mut f: impl FnMut(u32)) {
    f(1);
    f(2);
    f(3);
}

/// A closure has memory for each of its calls, and a call in a loop keeps its memory.
#[kernel(workgroup_size(8))]
fn closures(o: &mut [u32]) {
    let lane = local_index();
    let next = |x: u32| {
        #[shared]
        let tile: [u32; 8];
        tile[lane] += x;
        workgroup_barrier();
        let y = tile[(lane + 1) % 8];
        workgroup_barrier();
        y
    };
    let mut sum = 0;
    thrice(|by| sum = sum * 100 + next(by * (lane as u32 + 1)));
    let mut more = 0;
    for k in 0..3 {
        // The sums of 1, 2 and 3 are kept: 1, 3, 6.
        more = more * 100 + next((k + 1) * (lane as u32 + 1));
    }
    o[lane * 2] = sum;
    o[lane * 2 + 1] = more;
}

#[test]
fn calls_of_a_closure_do_not_share_memory() {
    let mut expected = Vec::new();
    for lane in 0..8u32 {
        let n = (lane + 1) % 8 + 1;
        expected.extend([n * 10_000 + 2 * n * 100 + 3 * n, n * 10_000 + 3 * n * 100 + 6 * n]);
    }
    crate::expect(&expected, |device, out| closures::launch(device, 8, out));
}

/// Memory of a size that the call decides, one for each number, all in one kernel.
#[device]
fn last<const N: usize>(x: u32) -> u32 {
    #[shared]
    let tile: [u32; N * 2];
    if local_index() < N {
        tile[local_index() * 2] = x;
    }
    workgroup_barrier();
    tile[N * 2 - 2] + tile.len() as u32 * 1000
}

#[kernel(workgroup_size(8))]
fn sizes(o: &mut [u32]) {
    let x = local_index() as u32 + 10;
    let sum = last::<1>(x) + last::<3>(x) * 100;
    if local_index() == 5 {
        o[0] = sum + last_of_a_cell(7);
    }
}

/// Without a barrier, for the one invocation that calls it.
#[device]
fn last_of_a_cell(x: u32) -> u32 {
    #[shared]
    let cell: Vec2<u32>;
    cell.y = x;
    cell.x + cell.y
}

#[test]
fn the_size_of_memory_is_a_parameter_of_the_helper() {
    crate::expect(&[2010 + 6012 * 100 + 7], |device, out| sizes::launch(device, 8, out));
}
