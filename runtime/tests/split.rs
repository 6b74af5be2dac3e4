//! Several devices on one grid: the bytes are those of one.

mod devices;

use devices::devices;
use samebits::prelude::*;
use samebits::split::{Rows, Split};

/// A step of heat: each cell from the five around it, with a rim that stays as it is.
#[kernel(workgroup_size(8, 8))]
fn heat(width: usize, above: usize, height: usize, from: &[f32], to: &mut [f32]) {
    let (x, y) = (global_id().x, global_id().y);
    let i = y * width + x;
    if x < width && i < from.len() && i < to.len() {
        let row = above + y;
        let mut next = from[i];
        if row > 0 && row + 1 < height && x > 0 && x + 1 < width && y > 0 && i + width < from.len() {
            let around = from[i - 1] + from[i + 1] + (from[i - width] + from[i + width]);
            next = from[i] + 0.2 * (around - 4.0 * from[i]);
        }
        to[i] = next;
    }
}

fn start(width: usize, height: usize) -> Vec<f32> {
    (0..width * height).map(|i| (i * 37 % 101) as f32 + if i % 7 == 0 { 0.3 } else { 0.0 }).collect()
}

/// So many steps in plain Rust, as bits.
fn plain(width: usize, height: usize, steps: usize) -> Vec<u32> {
    let mut cells = start(width, height);
    for _ in 0..steps {
        let from = cells.clone();
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                let around = from[i - 1] + from[i + 1] + (from[i - width] + from[i + width]);
                cells[i] = from[i] + 0.2 * (around - 4.0 * from[i]);
            }
        }
    }
    cells.into_iter().map(f32::to_bits).collect()
}

/// The same on several devices, with an exchange after each `between` steps.
fn split(split: &Split, width: usize, steps: usize, between: usize) -> Vec<u32> {
    let height = split.parts()[0].height();
    let mut from = split.upload(width, &start(width, height)).unwrap();
    let mut to: Rows<f32> = split.zeros(width).unwrap();
    for step in 1..=steps {
        from.step(&mut to, |part, from, to| {
            let held = part.held();
            heat::launch(part.device(), (width, held.len()), width, held.start, height, from, to)
        })
        .unwrap();
        if step % between == 0 {
            to.exchange().unwrap();
        }
        std::mem::swap(&mut from, &mut to);
    }
    from.read().unwrap().into_iter().map(f32::to_bits).collect()
}

#[test]
fn a_stencil_on_all_devices_has_the_bytes_of_one() {
    let (width, height, steps) = (23, 31, 12);
    let expected = plain(width, height, steps);
    let all = devices();
    for device in &all {
        let one = Split::evenly(std::slice::from_ref(device), height, 1).unwrap();
        assert!(split(&one, width, steps, 1) == expected, "{device:?}");
    }
    let together = Split::evenly(&all, height, 1).unwrap();
    assert!(split(&together, width, steps, 1) == expected, "{all:?}");
    // Shares that differ, and this CPU twice.
    let mut shares: Vec<(Device, u32)> =
        all.iter().rev().zip(1..).map(|(device, share)| (device.clone(), share)).collect();
    shares.push((Device::cpu(), 2));
    let shared = Split::by_share(&shares, height, 1).unwrap();
    assert!(split(&shared, width, steps, 1) == expected, "{shares:?}");
}

#[test]
fn a_higher_halo_is_exchanged_less_often() {
    let (width, height, steps) = (9, 40, 12);
    let expected = plain(width, height, steps);
    let split = Split::evenly(&devices(), height, 3).unwrap();
    assert!(self::split(&split, width, steps, 3) == expected);
    // Without enough of them, the halo is stale.
    assert!(self::split(&split, width, steps, 6) != expected);
}

#[test]
fn a_halo_may_be_higher_than_what_a_device_has() {
    let (width, height, steps) = (9, 12, 10);
    let cpus = vec![Device::cpu(); 6];
    let split = Split::evenly(&cpus, height, 5).unwrap();
    assert!(self::split(&split, width, steps, 5) == plain(width, height, steps));
}

#[test]
fn each_row_is_one_devices_own() {
    let cpu = Device::cpu();
    for height in 0..30 {
        for count in 1..5u32 {
            let shares: Vec<(Device, u32)> = (0..count).map(|share| (cpu.clone(), share + 1)).collect();
            let split = Split::by_share(&shares, height, 0).unwrap();
            let rows: Vec<usize> = split.parts().iter().flat_map(|part| part.own()).collect();
            assert_eq!(rows, (0..height).collect::<Vec<_>>());
            let numbers: Vec<u32> = (0..height as u32 * 3).collect();
            assert_eq!(split.upload(3, &numbers).unwrap().read().unwrap(), numbers);
        }
    }
}

#[test]
fn what_cannot_be_split_is_refused() {
    let cpu = Device::cpu();
    let said = |result: Result<Split, Error>| result.unwrap_err().to_string();
    assert_eq!(said(Split::evenly(&[], 5, 1)), "a grid cannot be split: there is no device with a share of the rows");
    let split = Split::evenly(std::slice::from_ref(&cpu), 5, 3).unwrap();
    assert_eq!(
        split.upload(2, &[0u8; 9]).unwrap_err().to_string(),
        "a grid cannot be split: 5 rows of 2 elements are not 9 elements"
    );
    assert!(matches!(split.zeros::<u64>(usize::MAX), Err(Error::BufferTooLarge { .. })));
    let other = Split::evenly(&[cpu], 5, 3).unwrap();
    let (from, mut to) = (split.zeros::<u8>(1).unwrap(), other.zeros::<u8>(1).unwrap());
    assert!(matches!(from.step(&mut to, |_, _, _| Ok(())), Err(Error::Split { .. })));
}

#[test]
fn halos_of_parts_on_one_device_are_copied_there() {
    let (width, height, steps) = (23, 31, 6);
    for device in devices() {
        let three = Split::evenly(&[device.clone(), device.clone(), device.clone()], height, 1).unwrap();
        assert_eq!(split(&three, width, steps, 1), plain(width, height, steps), "{device:?}");
        let mut rows = three.upload(width, &start(width, height)).unwrap();
        device.wait().unwrap();
        // The host has no part in it, so nothing has to be submitted for it yet.
        let before = device.submissions();
        rows.exchange().unwrap();
        rows.exchange().unwrap();
        assert_eq!(device.submissions(), before, "{device:?}");
    }
}
