//! Memory in the long run; one test, so that nothing else runs while it measures.

mod devices;

use devices::devices;
use samebits::prelude::*;

#[kernel(workgroup_size(64))]
fn add(a: &[u32], out: &mut [u32]) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = out[i] + a[i];
    }
}

/// Bytes of this process that are in memory, where the system says so.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

#[test]
fn launches_with_new_buffers_that_are_never_read_do_not_grow() {
    const LAUNCHES: u32 = 10_000;
    for device in devices() {
        let mut out = device.zeros(1024).unwrap();
        let mut half = None;
        for i in 0..LAUNCHES {
            if i == LAUNCHES / 2 {
                half = resident();
            }
            let a = device.upload(&[i; 1024]).unwrap();
            add::launch(&device, 64, &a, &mut out).unwrap();
        }
        if let (Some(half), Some(end)) = (half, resident()) {
            let growth = end as f64 / half as f64 - 1.0;
            println!("{}: {half} bytes after half, {end} at the end, {:+.2} %", device.name(), growth * 100.0);
            assert!(growth < 0.05, "{}: {half} bytes became {end}", device.name());
        }
        assert_eq!(out.read().unwrap()[63], (0..LAUNCHES).sum::<u32>());
    }
}
