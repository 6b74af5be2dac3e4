//! What goes wrong, or might: every call gives an error that reaches the caller it belongs to, or the right bytes.

mod devices;

use devices::{devices, drivers};
use samebits::graph::Graph;
use samebits::prelude::*;
use std::any::Any;
use std::thread;
use std::time::Duration;

#[kernel(workgroup_size(64))]
fn add(y: &mut [u32], n: u32) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

#[kernel(workgroup_size(64))]
fn double(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() && i < y.len() {
        y[i] = 2 * x[i];
    }
}

#[test]
fn things_are_dropped_in_any_order() {
    let mut chance = 1u64;
    for seed in 0..40 {
        for device in devices() {
            let mut x = device.upload(&[seed; 1000]).unwrap();
            let mut y = device.zeros::<u32>(1000).unwrap();
            add::launch(&device, 1000, &mut x, 1).unwrap();
            let first = x.read_async().unwrap();
            double::launch(&device, 1000, &x, &mut y).unwrap();
            let mut graph = Graph::new(&device);
            let mut slot = graph.buffer::<u32>();
            add::record(&mut graph, slot.len(), &mut slot, 5).unwrap();
            graph.replay([slot.bind(&mut y)]).unwrap();
            let (waited, second) = (device.wait_async().unwrap(), y.read_async().unwrap());
            let unread = x.read_async().unwrap();
            add::launch(&device, 1000, &mut x, 7).unwrap();
            let mut things: Vec<Box<dyn Any>> = vec![
                Box::new(device),
                Box::new(x),
                Box::new(y),
                Box::new(graph),
                Box::new(slot),
                Box::new(waited),
                Box::new(unread),
            ];
            while !things.is_empty() {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                drop(things.swap_remove((chance >> 33) as usize % things.len()));
            }
            assert_eq!(pollster::block_on(second).unwrap(), [2 * (seed + 1) + 5; 1000]);
            assert_eq!(pollster::block_on(first).unwrap(), [seed + 1; 1000]);
        }
    }
}

#[test]
fn sixteen_threads_share_a_device() {
    for device in devices() {
        let shared = device.upload(&(0..500).collect::<Vec<u32>>()).unwrap();
        thread::scope(|scope| {
            for thread in 0..16u32 {
                let (device, shared) = (&device, &shared);
                scope.spawn(move || {
                    let mut graph = Graph::new(device);
                    let (from, mut to) = (graph.buffer::<u32>(), graph.buffer::<u32>());
                    double::record(&mut graph, from.len(), &from, &mut to).unwrap();
                    add::record(&mut graph, to.len(), &mut to, thread).unwrap();
                    for round in 0..10u32 {
                        let mut own = device.zeros::<u32>(500).unwrap();
                        graph.replay([from.lend(shared), to.bind(&mut own)]).unwrap();
                        add::launch(device, 500, &mut own, round).unwrap();
                        own.slice_mut(..1).unwrap().write(0, &[9]).unwrap();
                        let later = own.read_async().unwrap();
                        own.fill(0).unwrap();
                        let read = pollster::block_on(later).unwrap();
                        let expected = |i: u32| if i == 0 { 9 } else { 2 * i + thread + round };
                        assert!(read.into_iter().eq((0..500).map(expected)), "{thread}, {round}, {device:?}");
                    }
                });
            }
        });
    }
}

#[test]
fn a_hundred_thousand_launches_are_in_flight() {
    const LAUNCHES: u32 = 100_000;
    for device in devices().into_iter().filter(|device| device.name() != "interpreter") {
        let (mut x, mut y) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(1).unwrap());
        for n in 0..LAUNCHES / 2 {
            add::launch(&device, 1, &mut x, n).unwrap();
            add::launch(&device, 1, &mut y, 1).unwrap();
        }
        let sum = (0..LAUNCHES / 2).fold(0u32, |sum, n| sum.wrapping_add(n));
        assert_eq!((x.read().unwrap(), y.read().unwrap()), (vec![sum], vec![LAUNCHES / 2]), "{device:?}");
    }
}

#[test]
fn a_device_that_is_lost_in_the_middle_of_a_batch_is_an_error_of_its_own_buffers() {
    for (device, other) in drivers().zip(drivers()) {
        let mut graph = Graph::new(&device);
        let mut slot = graph.buffer::<u32>();
        add::record(&mut graph, slot.len(), &mut slot, 1).unwrap();
        let mut x = device.upload(&[1u32; 100]).unwrap();
        let (mut y, mut z) = (device.zeros::<u32>(100).unwrap(), other.zeros::<u32>(100).unwrap());
        for _ in 0..30 {
            add::launch(&device, 100, &mut x, 1).unwrap();
            add::launch(&other, 100, &mut z, 1).unwrap();
        }
        let waiting = x.read_async().unwrap();
        device.lose();
        let is_lost = |result: Result<(), Error>| matches!(result, Err(Error::DeviceLost { .. }));
        // What was queued before may have run.
        let read = pollster::block_on(waiting);
        assert!(read.as_ref().is_ok_and(|read| read == &[31; 100]) || is_lost(read.map(drop)));
        assert!(is_lost(add::launch(&device, 100, &mut x, 1)));
        assert!(is_lost(double::launch(&device, 100, &x, &mut y)));
        assert!(is_lost(graph.replay([slot.bind(&mut x)])));
        assert!(is_lost(x.read().map(drop)));
        assert!(is_lost(y.read_async().and_then(pollster::block_on).map(drop)));
        assert!(is_lost(y.fill(1)) || is_lost(y.read().map(drop)));
        assert!(is_lost(device.wait()));
        assert!(is_lost(device.upload(&[1u32; 100]).map(drop)));
        assert_eq!(z.read().unwrap(), [30; 100]);
    }
}

#[test]
fn a_launch_on_a_device_that_is_being_lost_ends() {
    for device in drivers() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let Ok(mut x) = device.zeros::<u32>(100) else { return };
                    // Until an error says that the device is gone.
                    while add::launch(&device, 100, &mut x, 1).and_then(|()| x.read()).is_ok() {}
                });
            }
            scope.spawn(|| device.lose());
        });
        assert!(matches!(device.wait(), Err(Error::DeviceLost { .. })));
    }
}

/// Takes long: each round depends on the one before.
#[kernel(workgroup_size(64))]
fn turn(turns: u32, y: &mut [u32]) {
    let i = global_id().x;
    let mut x = i as u32;
    for _ in 0..turns {
        x = x * 1664525 + 1013904223;
    }
    if i < y.len() {
        y[i] = x;
    }
}

/// A driver that gives a kernel up that does not end loses the device. Until then waits end when their time is over; then
/// everybody who waits, reads or launches there is told, and others are not.
#[test]
fn a_kernel_that_hangs_until_its_device_is_lost_is_an_error_of_who_waits() {
    for (device, other) in drivers().zip(drivers()) {
        let (mut x, mut z) = (device.zeros::<u32>(1 << 14).unwrap(), other.upload(&[5u32; 4]).unwrap());
        let untouched = device.upload(&[3u32; 4]).unwrap();
        let turns = if device.is_gpu() { 1 << 22 } else { 1 << 15 };
        device.set_timeout(Duration::ZERO);
        turn::launch(&device, 1 << 14, turns, &mut x).unwrap();
        let later = x.read_async().unwrap();
        // The first submission; llvmpipe runs it before it takes another.
        assert!(matches!(pollster::block_on(later), Err(Error::TimedOut { .. })));
        device.set_timeout(Duration::from_secs(600));
        let lost = |result: Result<(), Error>| match result {
            Err(Error::DeviceLost { device: name, .. }) => assert_eq!(name, device.name()),
            other => panic!("{other:?}"),
        };
        let later = x.read_async().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| device.lose());
            // It waits while the device goes. What ran before that is right.
            let read = x.read();
            if read.is_err() {
                lost(read.map(drop));
            }
        });
        let read = pollster::block_on(later);
        if read.is_err() {
            lost(read.map(drop));
        }
        lost(device.wait());
        lost(x.read().map(drop));
        lost(untouched.read().map(drop));
        lost(turn::launch(&device, 64, 1, &mut x));
        lost(x.write(0, &[1; 1 << 14]).and_then(|()| device.wait()));
        lost(device.wait_async().and_then(pollster::block_on));
        add::launch(&other, 4, &mut z, 1).unwrap();
        assert_eq!(z.read().unwrap(), [6; 4]);
        // A device that is opened again works.
        let again = Device::named(device.name()).unwrap();
        assert_eq!(again.upload(&[4u32]).unwrap().read().unwrap(), [4]);
    }
}
