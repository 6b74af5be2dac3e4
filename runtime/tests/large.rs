//! Launches that count as large, for which kernels are compiled so that an invocation of the device does the work of
//! several: every invocation of the launch runs once, with its own place, whatever the grid.

mod devices;

use devices::devices;
use samebits::prelude::*;

/// The devices, with all launches large.
fn large() -> Vec<Device> {
    let devices = devices();
    devices.iter().for_each(|device| device.set_large(0));
    devices
}

/// Where an invocation is, and how often it ran.
#[kernel(workgroup_size(4), requires(counted.len() >= ids.len(), groups.len() >= ids.len()))]
fn places(bias: &[u32], ids: &mut [Vec4<u32>], groups: &mut [Vec4<u32>], counted: &mut [u32]) {
    let global = global_id();
    let group = workgroup_id();
    let num = num_workgroups();
    let i = (global.z * num.y + global.y) * (num.x * 4) + global.x;
    if i < ids.len() {
        let zero = bias[i];
        ids[i] = Vec4::new(global.x as u32, global.y as u32, global.z as u32, local_index() as u32 + zero);
        groups[i] = Vec4::new(group.x as u32, group.y as u32, group.z as u32, (num.x + num.y + num.z) as u32);
        counted[i] += 1;
    }
}

#[test]
fn each_invocation_of_any_grid_runs_once_with_its_own_place() {
    for device in large() {
        for grid in [[1, 1, 1], [2, 1, 1], [3, 2, 1], [4, 1, 3], [5, 3, 2], [7, 1, 1], [8, 2, 2], [9, 1, 1], [64, 1, 1]]
        {
            let [x, y, z] = grid;
            let n = 4 * x * y * z;
            let bias = device.zeros::<u32>(n).unwrap();
            let (mut ids, mut groups) = (device.zeros::<u32>(4 * n).unwrap(), device.zeros::<u32>(4 * n).unwrap());
            let mut counted = device.zeros::<u32>(n).unwrap();
            let (seen_ids, seen_groups) = (&mut ids.view_mut().unwrap(), &mut groups.view_mut().unwrap());
            places::launch(&device, Grid::groups(x, y, z), &bias, seen_ids, seen_groups, &mut counted).unwrap();
            let (ids, groups) = (ids.read().unwrap(), groups.read().unwrap());
            for i in 0..n {
                let (global, others) = (i % (4 * x), i / (4 * x));
                let (row, plane) = (others % y, others / y);
                let place = [global, row, plane, global % 4].map(|value| value as u32);
                let group = [global / 4, row, plane, x + y + z].map(|value| value as u32);
                assert_eq!(ids[4 * i..4 * i + 4], place, "{i} of {grid:?} on {}", device.name());
                assert_eq!(groups[4 * i..4 * i + 4], group, "{i} of {grid:?} on {}", device.name());
            }
            assert_eq!(counted.read().unwrap(), vec![1; n], "{grid:?} on {}", device.name());
        }
    }
}

#[kernel(workgroup_size(1), requires(x.len() >= y.len()))]
fn doubled(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] += 2 * x[i];
    }
}

#[test]
fn grids_that_are_folded_reach_all_invocations() {
    for device in large().into_iter().filter(|device| device.name() != "interpreter") {
        // Four times as many groups as an axis has, a few more, a prime number of them, and equal rows.
        for n in [65_535 * 4, 65_535 * 4 + 1, 262_147, 524_288] {
            let x = device.upload(&(0..n as u32).collect::<Vec<_>>()).unwrap();
            let mut y = device.zeros::<u32>(n).unwrap();
            doubled::launch(&device, n, &x, &mut y).unwrap();
            let wrong = y.read().unwrap().into_iter().zip(0..).find(|&(got, i)| got != 2 * i);
            assert_eq!(wrong, None, "{n} on {}", device.name());
        }
    }
}

#[kernel(workgroup_size(8))]
fn leaving(n: usize, x: &[f32], y: &mut [f32]) {
    let i = global_id().x;
    if i >= n {
        return;
    }
    if i % 3 == 0 {
        y[i] = x[i] + 1.0;
        return;
    }
    let v = x[i];
    if v > 20.0 {
        y[i] = -v;
    } else {
        y[i] = v * 2.0;
    }
}

#[test]
fn invocations_that_part_do_their_own_work() {
    for device in large() {
        for n in [0, 1, 7, 31, 32, 33, 63, 64] {
            let x: Vec<f32> = (0..64u8).map(f32::from).collect();
            let (dx, mut y) = (device.upload(&x).unwrap(), device.zeros::<f32>(64).unwrap());
            leaving::launch(&device, 64, n, &dx, &mut y).unwrap();
            let expected = |i: usize| match x[i] {
                _ if i >= n => 0.0,
                v if i.is_multiple_of(3) => v + 1.0,
                v if v > 20.0 => -v,
                v => v * 2.0,
            };
            assert_eq!(y.read().unwrap(), (0..64).map(expected).collect::<Vec<_>>(), "{n} on {}", device.name());
        }
    }
}

#[test]
fn accesses_out_of_bounds_stay_harmless() {
    #[kernel(workgroup_size(8))]
    fn shifted(by: usize, x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        unsafe { y[i + by] = x[i + 2 * by] + 1 };
    }
    for device in large() {
        let (x, mut y) = (device.upload(&[7u32; 50]).unwrap(), device.zeros::<u32>(60).unwrap());
        shifted::launch(&device, 64, 5, &x, &mut y).unwrap();
        let expected = |i: usize| match i {
            0..5 => 0,
            5..45 => 8,
            _ => 1,
        };
        assert_eq!(y.read().unwrap(), (0..60).map(expected).collect::<Vec<_>>(), "{}", device.name());
    }
}

#[kernel(workgroup_size(64))]
fn looping(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    for k in 0..x.len() {
        y[i] += x[k];
    }
}

#[test]
fn a_kernel_is_compiled_once_more_only_if_it_has_another_form() {
    for device in devices().into_iter().filter(|device| device.report().way() == samebits::report::Way::Spirv) {
        device.set_large(u64::MAX);
        let compiled = |what: &mut dyn FnMut()| {
            let before = device.compilations();
            what();
            device.compilations() - before
        };
        let x = device.zeros::<u32>(64).unwrap();
        let mut y = device.zeros::<u32>(64).unwrap();
        assert_eq!(compiled(&mut || looping::launch(&device, 64, &x, &mut y).unwrap()), 1);
        assert_eq!(compiled(&mut || doubled::launch(&device, 64, &x, &mut y).unwrap()), 1);
        device.set_large(0);
        assert_eq!(compiled(&mut || looping::launch(&device, 64, &x, &mut y).unwrap()), 0);
        assert_eq!(compiled(&mut || doubled::launch(&device, 64, &x, &mut y).unwrap()), 1);
        assert_eq!(compiled(&mut || doubled::launch(&device, 64, &x, &mut y).unwrap()), 0);
    }
}

#[test]
fn what_a_driver_is_handed_can_be_looked_at() {
    use samebits::report::{Emitted, Way};
    for device in devices() {
        let emitted = doubled::KERNEL.emitted_on(&device).unwrap();
        match (device.report().way(), emitted) {
            (Way::Spirv, Some(Emitted::Spirv(words))) => assert_eq!(words[0], 0x0723_0203),
            (Way::Naga, Some(Emitted::Naga(module))) => assert!(module.contains("entry_points"), "{module}"),
            (Way::Interpreter | Way::Native, None) => {}
            (way, emitted) => panic!("{way:?}: {emitted:?}"),
        }
    }
}
