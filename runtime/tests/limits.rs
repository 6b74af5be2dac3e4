//! What a kernel declares, and what a device that lacks it says: before anything is queued,
//! and so that the launches around it are none the wiser.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn fill(value: i32, y: &mut [i32]) {
    y[global_id().x] = value;
}

/// All the memory that can be declared, more than most devices have.
#[kernel(workgroup_size(64), limits(workgroup_memory = 232448))]
fn large(y: &mut [i32]) {
    #[shared]
    let tile: [i32; 58112];
    tile[local_id().x * 908] = 5;
    workgroup_barrier();
    y[global_id().x] = tile[(63 - local_id().x) * 908];
}

#[kernel(workgroup_size(64), features(atomic64))]
fn wide(y: &[Atomic<i64>]) {
    y[global_id().x].fetch_add(6);
}

#[test]
fn a_launch_that_is_refused_leaves_its_buffer_and_the_launches_around_it_alone() {
    for device in devices() {
        let [mut a, mut b, mut c] = [(); 3].map(|()| device.upload(&[-1i32; 64]).unwrap());
        fill::launch(&device, 64, 111, &mut a).unwrap();
        let refused = large::launch(&device, 64, &mut b);
        fill::launch(&device, 64, 222, &mut c).unwrap();
        assert_eq!((a.read().unwrap(), c.read().unwrap()), (vec![111; 64], vec![222; 64]), "{}", device.name());
        let allowed = device.limits().shared_bytes;
        if allowed >= 232_448 {
            assert_eq!((refused, b.read().unwrap()), (Ok(()), vec![5; 64]));
        } else {
            let name = device.name();
            let text = format!(
                "kernel `large`: 232448 bytes of workgroup memory, but `{name}` allows {allowed}; use less `#[shared]` memory or another device"
            );
            assert_eq!((refused.unwrap_err().to_string(), b.read().unwrap()), (text, vec![-1; 64]));
        }
    }
}

#[test]
fn a_feature_that_is_missing_is_named_and_nothing_runs() {
    for device in devices() {
        let [mut a, mut c] = [(); 2].map(|()| device.upload(&[-1i32; 64]).unwrap());
        let mut b = device.upload(&[-1i64; 64]).unwrap();
        fill::launch(&device, 64, 111, &mut a).unwrap();
        let launched = wide::launch(&device, 64, &mut b);
        fill::launch(&device, 64, 222, &mut c).unwrap();
        assert_eq!((a.read().unwrap(), c.read().unwrap()), (vec![111; 64], vec![222; 64]), "{}", device.name());
        match launched {
            Ok(()) => assert_eq!(b.read().unwrap(), [5; 64]),
            Err(error) => {
                let text = format!("kernel `wide` needs 64-bit atomics, which `{}` lacks", device.name());
                assert_eq!((error.to_string(), b.read().unwrap()), (text, vec![-1; 64]));
            }
        }
    }
}

#[test]
fn sixty_four_invocations_add_up_in_wide_and_in_float_atomics() {
    #[kernel(workgroup_size(64), features(atomic64))]
    fn integers(up: &[Atomic<u64>], down: &[Atomic<i64>]) {
        up[0].fetch_add(1);
        down[0].fetch_add(-1);
    }
    #[kernel(workgroup_size(64), features(float_atomics))]
    fn floats(sum: &[Atomic<f32>]) {
        sum[0].fetch_add(0.5);
    }
    for device in devices() {
        let (mut up, mut down) = (device.zeros::<u64>(1).unwrap(), device.zeros::<i64>(1).unwrap());
        match integers::launch(&device, 64, &mut up, &mut down) {
            Ok(()) => assert_eq!((up.read().unwrap(), down.read().unwrap()), (vec![64], vec![-64])),
            Err(error) => assert!(error.to_string().contains("needs 64-bit atomics"), "{error}"),
        }
        let mut sum = device.zeros::<f32>(1).unwrap();
        floats::launch(&device, 64, &mut sum).unwrap();
        assert_eq!(sum.read().unwrap(), [32.0], "{}", device.name());
    }
}

#[test]
fn sixteen_kibibytes_of_workgroup_memory_need_no_declaration_and_more_run_with_one() {
    #[kernel(workgroup_size(64))]
    fn usual(y: &mut [f32]) {
        #[shared]
        let tile: [f32; 4096];
        tile[local_id().x * 65] = 2.0;
        workgroup_barrier();
        y[global_id().x] = tile[(63 - local_id().x) * 65];
    }
    #[kernel(workgroup_size(64), limits(workgroup_memory = 16400))]
    fn larger(y: &mut [f32]) {
        #[shared]
        let tile: [f32; 4097];
        tile[local_id().x * 65 + 1] = 2.0;
        workgroup_barrier();
        y[global_id().x] = tile[(63 - local_id().x) * 65 + 1];
    }
    for device in devices() {
        let mut y = device.zeros::<f32>(64).unwrap();
        usual::launch(&device, 64, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [2.0; 64], "{}", device.name());
        let mut y = device.zeros::<f32>(64).unwrap();
        let launched = larger::launch(&device, 64, &mut y);
        assert_eq!(launched.is_ok(), device.limits().shared_bytes >= 16_400, "{launched:?}");
        let expected = if launched.is_ok() { 2.0 } else { 0.0 };
        assert_eq!(y.read().unwrap(), [expected; 64], "{}", device.name());
    }
}

#[test]
fn a_workgroup_of_512_runs_with_a_declaration() {
    #[kernel(workgroup_size(8, 8, 8), limits(invocations = 512))]
    fn cube(y: &mut [u32]) {
        y[local_index()] = local_id().x as u32 + 8 * (local_id().y as u32 + 8 * local_id().z as u32);
    }
    for device in devices() {
        let mut y = device.zeros::<u32>(512).unwrap();
        let launched = cube::launch(&device, (8, 8, 8), &mut y);
        assert_eq!(launched.is_ok(), device.limits().workgroup_invocations >= 512, "{launched:?}");
        if launched.is_ok() {
            assert_eq!(y.read().unwrap(), (0..512).collect::<Vec<u32>>(), "{}", device.name());
        }
    }
}

#[test]
fn more_than_eight_buffers_run_with_a_declaration() {
    #[kernel(workgroup_size(1), limits(buffers = 9))]
    #[allow(clippy::too_many_arguments)]
    fn nine(a: &[u32], b: &[u32], c: &[u32], d: &[u32], e: &[u32], f: &[u32], g: &[u32], h: &[u32], y: &mut [u32]) {
        y[0] = a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0];
    }
    for device in devices() {
        let x = device.upload(&[3u32]).unwrap();
        let mut y = device.zeros::<u32>(1).unwrap();
        let launched = nine::launch(&device, 1, &x, &x, &x, &x, &x, &x, &x, &x, &mut y);
        assert_eq!(launched.is_ok(), device.limits().buffers >= 9, "{launched:?}");
        if launched.is_ok() {
            assert_eq!(y.read().unwrap(), [24], "{}", device.name());
        }
    }
}

#[test]
fn a_limit_may_be_declared_for_some_of_the_instances() {
    #[kernel(instances(N = [64, 8192]), workgroup_size(64), limits(workgroup_memory = 65536))]
    fn tiles<const N: usize>(y: &mut [u32]) {
        #[shared]
        let tile: [u32; N];
        tile[local_id().x] = N as u32;
        workgroup_barrier();
        y[global_id().x] = tile[63 - local_id().x];
    }
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        tiles::launch::<64>(&device, 64, &mut y).unwrap();
        assert_eq!(y.read().unwrap(), [64; 64], "{}", device.name());
        let launched = tiles::launch::<8192>(&device, 64, &mut y);
        assert_eq!(launched.is_ok(), device.limits().shared_bytes >= 32_768, "{launched:?}");
    }
}

#[test]
fn bools_are_values_and_workgroup_memory() {
    #[kernel(workgroup_size(64))]
    fn odd(x: &[u32], y: &mut [u32]) {
        #[shared]
        let flags: [bool; 64];
        let lane = local_id().x;
        let is_odd: bool = x[global_id().x] % 2 == 1;
        let both = [is_odd, !is_odd];
        flags[lane] = both[0];
        workgroup_barrier();
        y[global_id().x] = if flags[63 - lane] && both[lane % 2] != is_odd { 1 } else { 0 };
    }
    for device in devices() {
        let x = device.upload(&(0..64).collect::<Vec<u32>>()).unwrap();
        let mut y = device.zeros::<u32>(64).unwrap();
        odd::launch(&device, 64, &x, &mut y).unwrap();
        // The flag across is that of a lane of the other parity.
        let expected: Vec<u32> = (0..64).map(|lane| u32::from((63 - lane) % 2 == 1 && lane % 2 == 1)).collect();
        assert_eq!(y.read().unwrap(), expected, "{}", device.name());
    }
}
