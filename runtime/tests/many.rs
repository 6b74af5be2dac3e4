//! Many launches, and many devices one after the other: memory does not grow. One test, so that nothing else runs while
//! it measures.

mod devices;

use devices::devices;
use samebits::graph::Graph;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn add(n: u32, y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] += n;
    }
}

/// Bytes of this process that are in memory, where the system says so.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

/// Whether memory has grown by less than so many bytes since the first of two measures.
fn is_bounded(what: &str, before: Option<u64>, after: Option<u64>, most: u64) {
    if let (Some(before), Some(after)) = (before, after) {
        println!("{what}: {before} bytes became {after}");
        assert!(after < before + most, "{what}: {before} bytes became {after}");
    }
}

/// Queues launches on one thread, none of which is waited for.
fn launches(device: &Device, count: u32) {
    let mut buffers = [(); 3].map(|()| device.zeros::<u32>(1).expect("memory"));
    let mut before = None;
    for n in 0..count {
        if n == count / 10 {
            before = resident();
        }
        add::launch(device, 1, n, &mut buffers[n as usize % 3]).expect("a launch");
    }
    is_bounded(&format!("{count} launches on {}", device.name()), before, resident(), 16 << 20);
    let sums = buffers.map(|buffer| buffer.read().expect("a read")[0]);
    let expected = [0, 1, 2].map(|first| (first..count).step_by(3).fold(0u32, u32::wrapping_add));
    assert_eq!(sums, expected, "{}", device.name());
}

/// Uses all sorts of things on a device, and drops them.
fn use_everything(device: &Device) -> Result<(), Error> {
    let (mut x, ()) = device.upload_with(1 << 16, |out| out.extend(0..1 << 16))?;
    let mut graph = Graph::new(device);
    let (mut slot, n) = (graph.buffer::<u32>(), graph.value::<u32>());
    add::record(&mut graph, slot.len(), n, &mut slot)?;
    graph.replay([slot.bind(&mut x), n.bind(1)])?;
    let later = x.read_async()?;
    add::launch(device, 1 << 16, 1, &mut x)?;
    assert_eq!(pollster::block_on(later)?[7], 8);
    let unread = x.read_async()?;
    // Refused, and in the middle of other work.
    assert!(x.write_with(0, |out| out.extend(std::iter::repeat_n(1, 1 << 17))).is_err());
    let mut sum = 0u64;
    x.read_with(|piece| sum += piece.len() as u64)?;
    assert_eq!(sum, 1 << 16);
    drop((x, unread, graph));
    assert_eq!((device.memory().buffers, device.memory().bytes), (0, 0));
    Ok(())
}

#[test]
fn nothing_grows_and_nothing_is_left() -> Result<(), Error> {
    let count = match std::env::var("SAMEBITS_LAUNCHES") {
        Ok(count) => count.parse().expect("a number of launches"),
        Err(_) => 20_000,
    };
    for device in devices() {
        // The interpreter runs each at once.
        launches(&device, if device.name() == "interpreter" { count / 10 } else { count });
        let mut before = None;
        for round in 0..100 {
            use_everything(&device)?;
            if round == 30 {
                before = resident();
            }
        }
        is_bounded(&format!("all sorts of things on {}", device.name()), before, resident(), 8 << 20);
    }
    // Devices that are opened and closed. One that is closed may still be about to give its memory back, so the least of
    // some rounds counts.
    let rounds = |count| -> Result<Option<u64>, Error> {
        let mut least = None;
        for _ in 0..count {
            for device in Device::all() {
                use_everything(&device)?;
            }
            least = least.min(resident()).or(resident());
        }
        Ok(least)
    };
    rounds(4)?;
    let before = rounds(4)?;
    rounds(24)?;
    // A third of a mebibyte for each device would be more.
    is_bounded("devices", before, rounds(4)?, 10 << 20);
    Ok(())
}
