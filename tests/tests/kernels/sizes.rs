//! Sizes that an instance decides: of workgroups, and of workgroup memory in kernels and helpers.

use samebits::prelude::*;

#[device]
const HALF: usize = 2;

/// The sum over a workgroup of any size, in every invocation.
#[device]
fn total<T: Number, const BS: usize>(x: T) -> T {
    #[shared]
    let sums: [T; BS * HALF];
    let lane = local_index();
    sums[lane] = x;
    sums[lane + BS] = 0 as T;
    workgroup_barrier();
    let mut step = BS / 2;
    while step > 0 {
        if lane < step {
            sums[lane] += sums[lane + step];
        }
        workgroup_barrier();
        step /= 2;
    }
    sums[0]
}

#[kernel(workgroup_size(BS), instances(T = [u32, i64, f32], BS = [4, 32, 128]))]
fn totals<T: Number, const BS: usize>(x: &[T], y: &mut [T]) {
    let i = global_id().x;
    let sum = total::<T, BS>(x[i]);
    if local_index() == 0 {
        y[workgroup_id().x] = sum;
    }
}

#[test]
fn the_size_of_a_workgroup_is_a_parameter() {
    for device in crate::devices() {
        let x = device.upload(&(0..256u32).collect::<Vec<_>>()).unwrap();
        let sums = |size: u32| (0..256 / size).map(|g| (g * size..(g + 1) * size).sum::<u32>()).collect::<Vec<u32>>();
        let mut y = device.zeros::<u32>(64).unwrap();
        totals::launch::<u32, 4>(device, 256, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), sums(4), "on {}", device.name());
        totals::launch::<_, 32>(device, 256, &x, &mut y).unwrap();
        assert_eq!(y.read_range(..8).unwrap(), sums(32), "on {}", device.name());
        totals::launch::<_, 128>(device, 256, &x, &mut y).unwrap();
        assert_eq!(y.read_range(..2).unwrap(), sums(128), "on {}", device.name());
        let x = device.upload(&(0..128).map(|i| (i as f32) * 0.5).collect::<Vec<_>>()).unwrap();
        let mut y = device.zeros::<f32>(4).unwrap();
        totals::launch::<f32, 32>(device, 128, &x, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [248.0, 760.0, 1272.0, 1784.0], "on {}", device.name());
    }
}

#[test]
fn each_instance_has_a_kernel_and_a_report_of_its_own() {
    let (small, large) = (totals::kernel::<u32, 4>().report().unwrap(), totals::kernel::<u32, 32>().report().unwrap());
    // The rounds of its loop have copies.
    assert!(small.accesses < large.accesses, "{small}\n{large}");
    assert_ne!(totals::kernel::<u32, 4>().image(), totals::kernel::<i64, 4>().image());
}

#[device]
const ROWS: usize = 3;

/// Axes by parameters, by an expression of one and by a constant that is not a parameter.
#[kernel(workgroup_size(W, H * 2, ROWS - 1), instances(W = [2, HALF * 4], H = [1, ROWS]))]
fn places<const W: usize, const H: usize>(y: &mut [u32]) {
    #[shared]
    let tile: [[[u32; W]; H * 2]; ROWS - 1];
    let here = local_id();
    tile[here.z][here.y][here.x] = local_index() as u32;
    workgroup_barrier();
    if local_index() == 0 && workgroup_id().x == 0 {
        let mut n = 0;
        for z in 0..tile.len() {
            for row in 0..H * 2 {
                for column in 0..W {
                    n = n * 3 + tile[z][row][column];
                }
            }
        }
        y[0] = n;
        y[1] = (W * 100 + H) as u32;
    }
}

#[test]
fn each_axis_of_a_workgroup_is_an_expression() {
    fn expected(w: u32, h: u32) -> [u32; 2] {
        let n = (0..w * h * 2 * 2).fold(0u32, |n, i| n.wrapping_mul(3).wrapping_add(i));
        [n, w * 100 + h]
    }
    crate::expect(&expected(2, 1), |device, out| places::launch::<2, 1>(device, 1, out));
    crate::expect(&expected(2, 3), |device, out| places::launch::<2, 3>(device, 1, out));
    crate::expect(&expected(8, 1), |device, out| places::launch::<8, 1>(device, 1, out));
    crate::expect(&expected(8, 3), |device, out| places::launch::<8, 3>(device, 1, out));
}

/// Only one instance needs what is declared.
#[kernel(
    workgroup_size(BS),
    instances(BS = [64, 512]),
    limits(invocations = 512, workgroup_memory = 32768),
    requires(y.len() >= BS)
)]
fn large<const BS: usize>(y: &mut [u32]) {
    #[shared]
    let tile: [[u32; 16]; BS];
    let lane = local_index();
    tile[lane][3] = lane as u32;
    workgroup_barrier();
    y[global_id().x] = tile[BS - 1 - lane][3];
}

#[test]
fn what_one_instance_needs_is_declared_for_all() {
    for device in crate::devices() {
        let mut y = device.zeros::<u32>(512).unwrap();
        large::launch::<64>(device, 64, &mut y).unwrap();
        assert_eq!(y.read_range(..64).unwrap(), (0..64).rev().collect::<Vec<u32>>(), "on {}", device.name());
        large::launch::<512>(device, 512, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), (0..512).rev().collect::<Vec<u32>>(), "on {}", device.name());
        let mut short = device.zeros::<u32>(100).unwrap();
        assert!(large::launch::<64>(device, 64, &mut short).is_ok());
        assert!(large::launch::<512>(device, 512, &mut short).is_err(), "on {}", device.name());
    }
}

/// The smallest size is 1 before constants are known, which is no mistake.
#[kernel(workgroup_size(ROWS - 1), requires(y.len() >= ROWS - 1))]
fn less(spare: [u32; ROWS - 1], y: &mut [u32]) {
    y[global_id().x] = spare[local_id().x] + 7;
}

#[test]
fn a_size_that_is_a_difference() {
    crate::expect(&[8, 9], |device, out| less::launch(device, 2, [1, 2], out));
}
