//! When launches ran.

mod devices;

use devices::devices;
use samebits::prelude::*;
use std::time::Duration;

#[kernel(workgroup_size(64))]
fn add(n: u32, y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

/// As many turns of a loop as asked.
#[kernel(workgroup_size(64))]
fn turn(turns: u32, y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        let mut x = i as u32;
        for _ in 0..turns {
            x = x * 1_664_525 + 1_013_904_223;
        }
        y[i] = x;
    }
}

#[test]
fn launches_are_listed_in_order_and_one_after_the_other() {
    for device in devices() {
        let mut y = device.zeros::<u32>(1000).unwrap();
        let (sum, profile) = device
            .profile(|| {
                for n in 0..3 {
                    add::launch(&device, 1000, n, &mut y)?;
                    turn::launch(&device, 1000, n, &mut y.slice_mut(..100)?)?;
                }
                y.read_range(999..).map(|last| last[0])
            })
            .unwrap();
        assert_eq!(sum, 3);
        let launches = profile.launches();
        let names: Vec<&str> = launches.iter().map(|launch| launch.kernel()).collect();
        assert_eq!(names, ["add", "turn", "add", "turn", "add", "turn"], "on {}", device.name());
        assert_eq!((launches[0].bytes(), launches[1].bytes()), (4000, 400));
        assert!(launches.iter().all(|launch| launch.begin() <= launch.end()), "{profile:?}");
        assert!(launches.windows(2).all(|two| two[0].end() <= two[1].begin()), "{profile:?}");
        assert_eq!(launches[0].begin(), Duration::ZERO);
    }
}

#[test]
fn more_launches_than_there_is_room_for_are_all_timed() {
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        let (_, profile) = device.profile(|| (0..2500).try_for_each(|_| add::launch(&device, 64, 1, &mut y))).unwrap();
        assert_eq!(profile.launches().len(), 2500);
        assert!(profile.launches().windows(2).all(|two| two[0].end() <= two[1].begin()), "on {}", device.name());
        assert!((0.0..=1.0).contains(&profile.busy()));
        assert_eq!(y.read().unwrap(), [2500; 64]);
    }
}

#[test]
fn one_profile_at_a_time() {
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        let (inner, profile) = device
            .profile(|| {
                let inner = device.profile(|| Ok(()));
                add::launch(&device, 64, 1, &mut y)?;
                Ok(inner.map(|_| ()))
            })
            .unwrap();
        assert_eq!(inner, Err(Error::Profiled { device: device.name().to_owned() }));
        assert_eq!(profile.launches().len(), 1);
        // Work that fails ends its profile.
        let failed = device.profile(|| y.read_range(70..).map(|_| ()));
        assert!(matches!(failed, Err(Error::Range { .. })));
        assert_eq!(device.profile(|| Ok(())).unwrap().1.launches(), []);
    }
}

#[test]
fn launches_of_several_threads_are_listed() {
    for device in devices() {
        let mut ys: Vec<Buffer<u32>> = (0..4).map(|_| device.zeros(64).unwrap()).collect();
        let (_, profile) = device
            .profile(|| {
                std::thread::scope(|scope| {
                    for y in &mut ys {
                        scope.spawn(|| (0..400).for_each(|_| add::launch(&device, 64, 1, y).unwrap()));
                    }
                });
                Ok(())
            })
            .unwrap();
        assert_eq!(profile.launches().len(), 1600, "on {}", device.name());
        assert!(ys.iter().all(|y| y.read().unwrap() == [400; 64]));
    }
}
