//! Memory of dropped buffers that is used again: what a program sees of it are its statistics, and no old bytes.

mod devices;

use devices::{devices, drivers};
use samebits::graph::Graph;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn add(y: &mut [u32], n: u32) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = y[i] + n;
    }
}

#[test]
fn statistics_count_what_the_program_has() {
    for device in devices() {
        let before = device.memory();
        let x = device.upload(&[1u32; 1000]).unwrap();
        let y = device.zeros::<u64>(500).unwrap();
        let now = device.memory();
        assert_eq!((now.buffers, now.bytes), (before.buffers + 2, before.bytes + 8000), "{device:?}");
        drop(x);
        let now = device.memory();
        assert_eq!((now.buffers, now.bytes), (before.buffers + 1, before.bytes + 4000));
        drop(y);
        let now = device.memory();
        assert_eq!((now.buffers, now.bytes), (before.buffers, before.bytes));
        assert!(now.most_bytes >= before.bytes + 8000);
    }
}

#[test]
fn memory_that_is_used_again_is_zero() {
    for device in devices() {
        for len in [1usize, 63, 64, 1000, 70_000] {
            for round in 0..4 {
                let mut x = device.zeros::<u32>(len).unwrap();
                assert!(x.read().unwrap().iter().all(|&word| word == 0), "{len} on {device:?}");
                add::launch(&device, len, &mut x, round + 5).unwrap();
                x.write(len - 1, &[9]).unwrap();
                // Some rounds end with work that was not submitted.
                if round % 2 == 0 {
                    device.wait().unwrap();
                }
            }
        }
    }
}

#[test]
fn uploads_into_memory_that_is_used_again_are_whole() {
    for device in devices() {
        for round in 0..20u8 {
            let bytes: Vec<u8> = (0..1001u32).map(|i| (i as u8).wrapping_mul(round | 1)).collect();
            let x = device.upload(&bytes).unwrap();
            let later = x.read_async().unwrap();
            drop(x);
            let other = device.upload(&[round; 1001]).unwrap();
            assert_eq!(pollster::block_on(later).unwrap(), bytes, "{device:?}");
            assert_eq!(other.read().unwrap(), [round; 1001]);
        }
    }
}

#[test]
fn work_on_its_way_keeps_the_memory_of_a_dropped_buffer() {
    for device in devices() {
        let mut sum = device.zeros::<u32>(256).unwrap();
        for n in 1..=50 {
            let mut x = device.upload(&[n; 256]).unwrap();
            add::launch(&device, 256, &mut x, 1000).unwrap();
            sum.copy_from(&x).unwrap();
            add::launch(&device, 256, &mut sum, 1).unwrap();
            drop(x);
            // This may be the memory of `x`, whose copy may not have run.
            let y = device.upload(&[7u32; 256]).unwrap();
            assert_eq!(y.read().unwrap(), [7; 256]);
            assert_eq!(sum.read().unwrap(), [n + 1001; 256], "{device:?}");
        }
    }
}

#[test]
fn dropped_memory_is_kept_and_given_back() {
    for device in drivers() {
        device.trim().unwrap();
        assert_eq!(device.memory().kept_bytes, 0);
        for _ in 0..3 {
            let buffers: Vec<_> = (0..4).map(|_| device.zeros::<u32>(1 << 16).unwrap()).collect();
            drop(buffers);
            device.wait().unwrap();
            // The same four each time.
            assert_eq!(device.memory().kept_bytes, 4 << 18);
        }
        let large = device.zeros::<u32>(20 << 20).unwrap();
        drop(large);
        assert_eq!(device.memory().kept_bytes, 4 << 18);
        device.trim().unwrap();
        assert_eq!(device.memory().kept_bytes, 0);
        assert_eq!(device.upload(&[3u32; 5]).unwrap().read().unwrap(), [3; 5]);
    }
}

#[test]
fn a_replay_uses_memory_as_launches_do() {
    for device in devices() {
        let mut graph = Graph::new(&device);
        let mut slot = graph.buffer::<u32>();
        add::record(&mut graph, slot.len(), &mut slot, 3).unwrap();
        for _ in 0..30 {
            let mut x = device.zeros::<u32>(77).unwrap();
            graph.replay([slot.bind(&mut x)]).unwrap();
            graph.replay([slot.bind(&mut x)]).unwrap();
            assert_eq!(x.read().unwrap(), [6; 77], "{device:?}");
        }
    }
}
