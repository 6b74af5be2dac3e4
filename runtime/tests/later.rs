//! Reads and waits as futures.

mod devices;

use devices::{devices, drivers};
use samebits::prelude::*;
use std::future::Future;

#[kernel(workgroup_size(64))]
fn add(y: &mut [u32], n: u32) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

/// A hundred launches, after each of which the buffer is read; no read waits for another.
async fn sums(device: Device) -> Vec<u32> {
    let mut y = device.zeros::<u32>(1000).unwrap();
    let mut reads = Vec::new();
    for n in 1..=100 {
        add::launch(&device, 1000, &mut y, n).unwrap();
        reads.push(y.slice(17..18).unwrap().read_async().unwrap());
    }
    drop(y);
    let mut sums = Vec::new();
    for read in reads {
        sums.extend(read.await.unwrap());
    }
    sums
}

/// What `sums` gives: sums of the first numbers.
fn expected() -> Vec<u32> {
    (1..=100).map(|n| n * (n + 1) / 2).collect()
}

#[test]
fn a_read_is_of_the_moment_when_it_was_asked_for() {
    for device in devices() {
        assert_eq!(pollster::block_on(sums(device.clone())), expected(), "on {}", device.name());
    }
}

#[test]
fn tokio_waits_for_reads() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for device in devices() {
        let tasks: Vec<_> = (0..4).map(|_| runtime.spawn(sums(device.clone()))).collect();
        for task in tasks {
            assert_eq!(runtime.block_on(task).unwrap(), expected(), "on {}", device.name());
        }
    }
}

#[test]
fn smol_waits_for_reads() {
    for device in devices() {
        let tasks: Vec<_> = (0..4).map(|_| smol::spawn(sums(device.clone()))).collect();
        for task in tasks {
            assert_eq!(smol::block_on(task), expected(), "on {}", device.name());
        }
    }
}

#[test]
fn a_read_that_nobody_awaits_does_no_harm() {
    for device in devices() {
        let y = device.upload(&[7u32; 100]).unwrap();
        for _ in 0..20 {
            drop(y.read_async().unwrap());
        }
        let last = y.read_async().unwrap();
        drop((y, device));
        assert_eq!(pollster::block_on(last).unwrap(), [7; 100]);
    }
}

#[test]
fn a_large_read_at_any_byte_is_whole() {
    let bytes: Vec<u8> = (0..(9 << 20) + 5u32).map(|i| (i % 251) as u8).collect();
    for device in devices() {
        let buffer = device.upload(&bytes).unwrap();
        let later = buffer.slice(3..).unwrap().read_async().unwrap();
        assert!(pollster::block_on(later).unwrap() == bytes[3..], "on {}", device.name());
        assert_eq!(pollster::block_on(buffer.slice(5..5).unwrap().read_async().unwrap()), Ok(Vec::new()));
    }
}

#[test]
fn a_wait_is_over_when_its_work_is() {
    for device in devices() {
        let mut y = device.zeros::<u32>(64).unwrap();
        add::launch(&device, 64, &mut y, 5).unwrap();
        assert_eq!(pollster::block_on(device.wait_async().unwrap()), Ok(()));
        assert_eq!(y.read().unwrap(), [5; 64]);
    }
}

#[test]
fn a_read_of_failed_work_is_its_error() {
    for device in drivers() {
        let mut y = device.zeros::<u32>(64).unwrap();
        device.spoil();
        add::launch(&device, 64, &mut y, 5).unwrap();
        let error = pollster::block_on(y.read_async().unwrap()).unwrap_err();
        assert!(matches!(error, Error::Driver { .. }), "{error}");
        y.fill(1).unwrap();
        assert_eq!(pollster::block_on(y.read_async().unwrap()).unwrap(), [1; 64]);
    }
}

#[test]
fn a_read_of_a_lost_device_is_an_error() {
    for device in drivers() {
        let y = device.zeros::<u32>(64).unwrap();
        device.lose();
        let read = y.read_async().and_then(pollster::block_on);
        assert!(matches!(read, Err(Error::DeviceLost { .. })), "{read:?}");
    }
}

#[test]
fn a_later_result_is_sent_between_threads() {
    fn is_sent<T: Send + 'static>(value: T) -> T {
        value
    }
    let buffer = Device::cpu().upload(&[1u32]).unwrap();
    let later = is_sent(buffer.read_async().unwrap());
    assert_eq!(format!("{later:?}"), "Later(ready)");
    let awaited = std::thread::spawn(move || pollster::block_on(later)).join().unwrap();
    assert_eq!(awaited, Ok(vec![1]));
}

/// A future that was ready says so by a panic, as others do.
#[test]
#[should_panic(expected = "polled after it was ready")]
fn a_result_is_taken_once() {
    let mut later = Box::pin(Device::cpu().upload(&[1u32]).unwrap().read_async().unwrap());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(later.as_mut().poll(&mut context).is_ready());
    let _ = later.as_mut().poll(&mut context);
}
