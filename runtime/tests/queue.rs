//! The queue: what is submitted when, what it keeps alive, and devices that stop.

mod devices;

use devices::{devices, drivers};
use samebits::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[kernel(workgroup_size(64))]
fn times_ten(a: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = a[i] * 10;
    }
}

#[kernel(workgroup_size(1))]
fn step(out: &mut [u32], factor: u32) {
    out[0] = out[0] * factor + 1;
}

/// As many turns of a loop as asked.
#[kernel(workgroup_size(64))]
fn spin(turns: u32, out: &mut [u32]) {
    let mut x = global_id().x as u32;
    let mut i = 0u32;
    while i < turns {
        x = x * 1_664_525 + 1_013_904_223;
        i = i + 1;
    }
    out[global_id().x] = x;
}

/// `step` on the host.
fn stepped(factors: impl IntoIterator<Item = u32>) -> u32 {
    factors.into_iter().fold(0u32, |x, factor| x.wrapping_mul(factor).wrapping_add(1))
}

#[test]
fn launches_and_the_read_after_them_are_one_submission() {
    for device in drivers() {
        let a = device.upload(&[1u32, 2, 3]).unwrap();
        let mut b = device.zeros(3).unwrap();
        let mut c = device.zeros(3).unwrap();
        let before = device.submissions();
        for _ in 0..10 {
            times_ten::launch(&device, 3, &a, &mut b).unwrap();
            times_ten::launch(&device, 3, &b, &mut c).unwrap();
        }
        assert_eq!(device.submissions(), before);
        assert_eq!(c.read().unwrap(), [100, 200, 300]);
        assert_eq!(device.submissions(), before + 1);
    }
}

#[test]
fn a_new_buffer_does_not_end_a_batch() {
    for device in drivers() {
        let mut out = device.zeros(1).unwrap();
        let before = device.submissions();
        for i in 0..10u32 {
            times_ten::launch(&device, 1, &device.upload(&[i]).unwrap(), &mut out).unwrap();
        }
        assert_eq!(out.read().unwrap(), [90]);
        assert_eq!(device.submissions(), before + 1);
    }
}

#[test]
fn launches_see_each_other_in_order() {
    for device in devices() {
        let mut out = device.zeros(1).unwrap();
        for factor in 0..1000 {
            step::launch(&device, 1, &mut out, factor).unwrap();
        }
        assert_eq!(out.read().unwrap(), [stepped(0..1000)]);
    }
}

#[test]
fn a_write_is_between_the_launches_around_it() {
    for device in devices() {
        let mut a = device.upload(&[1u32]).unwrap();
        let mut outs: Vec<_> = (0..5).map(|_| device.zeros::<u32>(1).unwrap()).collect();
        for (i, out) in outs.iter_mut().enumerate() {
            a.write(0, &[i as u32]).unwrap();
            times_ten::launch(&device, 1, &a, out).unwrap();
            a.fill(77).unwrap();
        }
        for (i, out) in outs.iter().enumerate() {
            assert_eq!(out.read().unwrap(), [10 * i as u32]);
        }
    }
}

#[test]
fn a_copy_is_between_the_launches_around_it() {
    for device in devices() {
        let a = device.upload(&[3u32]).unwrap();
        let mut out = device.zeros(1).unwrap();
        let mut kept = device.zeros(1).unwrap();
        times_ten::launch(&device, 1, &a, &mut out).unwrap();
        kept.copy_from(&out).unwrap();
        step::launch(&device, 1, &mut out, 2).unwrap();
        assert_eq!((kept.read().unwrap(), out.read().unwrap()), (vec![30], vec![61]));
    }
}

#[test]
fn a_buffer_that_is_dropped_is_not_reused_by_what_follows() {
    for device in devices() {
        let mut first = Vec::new();
        for _ in 0..1000 {
            let a = device.upload(&[1u32, 2, 3, 4]).unwrap();
            let mut out = device.zeros(4).unwrap();
            times_ten::launch(&device, 4, &a, &mut out).unwrap();
            drop(a);
            let other = device.upload(&[9u32; 4]).unwrap();
            // Read at once, or when much more is queued.
            if first.len() % 2 == 0 {
                assert_eq!(out.read().unwrap(), [10, 20, 30, 40]);
            }
            first.push(out);
            drop(other);
        }
        assert!(first.iter().all(|out| out.read().unwrap() == [10, 20, 30, 40]));
    }
}

#[test]
fn a_device_may_go_with_work_in_its_queue() {
    for device in devices() {
        let mut out = device.zeros(1).unwrap();
        step::launch(&device, 1, &mut out, 1).unwrap();
        drop(device);
        step::launch(&out.device().clone(), 1, &mut out, 5).unwrap();
        assert_eq!(out.read().unwrap(), [6]);
        step::launch(&out.device().clone(), 1, &mut out, 5).unwrap();
    }
}

#[test]
fn threads_share_a_device() {
    for device in devices() {
        std::thread::scope(|scope| {
            for thread in 0..4u32 {
                let device = &device;
                scope.spawn(move || {
                    let mut out = device.zeros(1).unwrap();
                    for factor in 0..200 {
                        step::launch(device, 1, &mut out, factor ^ thread).unwrap();
                        if factor % 50 == 7 {
                            let a = device.upload(&[factor, thread]).unwrap();
                            let mut b = device.zeros(2).unwrap();
                            times_ten::launch(device, 2, &a, &mut b).unwrap();
                            assert_eq!(b.read().unwrap(), [10 * factor, 10 * thread]);
                        }
                    }
                    assert_eq!(out.read().unwrap(), [stepped((0..200).map(|factor| factor ^ thread))]);
                });
            }
        });
    }
}

#[test]
fn several_devices_have_queues_of_their_own() {
    let all: Vec<_> = devices().into_iter().chain(devices()).collect();
    let mut outs: Vec<_> = all.iter().map(|device| device.zeros(1).unwrap()).collect();
    for factor in 0..100 {
        for (i, (device, out)) in all.iter().zip(&mut outs).enumerate() {
            step::launch(device, 1, out, factor + i as u32).unwrap();
        }
    }
    for (i, out) in outs.iter().enumerate() {
        assert_eq!(out.read().unwrap(), [stepped((0..100).map(|factor| factor + i as u32))]);
    }
}

#[test]
fn the_best_device_opens_twice() {
    let [one, two] = [(); 2].map(|()| Device::best().unwrap());
    assert_eq!(one.name(), two.name());
    let mut out = two.zeros(1).unwrap();
    drop(one);
    step::launch(&two, 1, &mut out, 1).unwrap();
    assert_eq!(out.read().unwrap(), [1]);
}

#[test]
fn a_lost_device_is_an_error_of_everything_on_it() {
    for device in drivers() {
        let mut out = device.zeros::<u32>(1).unwrap();
        let a = device.upload(&[1u32]).unwrap();
        step::launch(&device, 1, &mut out, 1).unwrap();
        device.lose();
        let lost = |result: Result<(), Error>| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
            assert_eq!(
                error.to_string(),
                format!("device `{}` was lost, and its buffers with it: it was destroyed", device.name())
            );
        };
        lost(out.read().map(|_| ()));
        lost(out.write(0, &[1]));
        lost(device.zeros::<u32>(1).map(|_| ()));
        lost(step::launch(&device, 1, &mut out, 1));
        lost(times_ten::launch(&device, 1, &a, &mut out));
        lost(device.wait());
        lost(out.copy_from(&a));
        // Others are as well as before.
        let other = Device::named(device.name()).unwrap();
        assert_eq!(other.upload(&[5u32]).unwrap().read().unwrap(), [5]);
    }
}

#[test]
fn a_wait_that_takes_too_long_is_an_error() {
    for device in drivers() {
        let mut out = device.zeros(1 << 14).unwrap();
        spin::launch(&device, 1 << 14, 1, &mut out).unwrap();
        device.wait().unwrap();
        let turns = if device.is_gpu() { 1 << 22 } else { 1 << 15 };
        spin::launch(&device, 1 << 14, turns, &mut out).unwrap();
        device.set_timeout(Duration::ZERO);
        let error = out.read().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("device `{}` did not finish within 0 ms; wait or read again to wait longer", device.name())
        );
        // The work goes on, and can be waited for again.
        device.set_timeout(Duration::from_secs(600));
        let x = (0..turns).fold(1u32, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        assert_eq!(out.read().unwrap()[1], x);
    }
}

#[test]
fn nobody_waits_for_anothers_submission() {
    // llvmpipe runs what was submitted before when more is submitted.
    for device in drivers().filter(|device| !device.is_gpu()) {
        let mut out = device.zeros(1 << 12).unwrap();
        spin::launch(&device, 1 << 12, 1, &mut out).unwrap();
        device.wait().unwrap();
        device.set_timeout(Duration::ZERO);
        let (began, is_done) = (Instant::now(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (is_done, device) = (&is_done, &device);
            scope.spawn(move || {
                for _ in 0..3 {
                    spin::launch(device, 1 << 12, 1 << 15, &mut out).unwrap();
                    // Submits, and does not wait.
                    let _ = out.read();
                }
                is_done.store(true, Ordering::Release);
            });
            let mut longest = Duration::ZERO;
            while !is_done.load(Ordering::Acquire) {
                let before = Instant::now();
                device.zeros::<u32>(16).unwrap();
                longest = longest.max(before.elapsed());
                std::thread::sleep(Duration::from_millis(1));
            }
            let all = began.elapsed();
            // What a lock over a submission would take is a half of it.
            assert!(longest < all / 4 || all < Duration::from_millis(200), "{longest:?} of {all:?}");
        });
        device.set_timeout(Duration::from_secs(600));
        device.wait().unwrap();
    }
}
