//! Loops of more rounds than some device does: the right result or an error, never a wrong one.
//!
//! Each test opens devices of its own, so that a wait speaks of its kernels alone.

use samebits::prelude::*;

/// The same where a device that cuts loops cuts those of this kernel if `cut`.
fn expect(name: &str, cut: bool, expected: &[u32], run: impl Fn(&Device, &mut Buffer<u32>) -> Result<(), Error>) {
    expect_where(name, |device| cut && cuts(device), expected, run);
}

/// Runs a kernel on each device, with an output as long as the expected one. A device for which
/// `is_cut` must say that it cut loops, others must not, and all must then work as before.
fn expect_where(
    name: &str,
    is_cut: impl Fn(&Device) -> bool,
    expected: &[u32],
    run: impl Fn(&Device, &mut Buffer<u32>) -> Result<(), Error>,
) {
    let mut devices = crate::devices::devices();
    let others: Vec<Device> = devices.iter().filter_map(Device::other_way).map(|other| other.unwrap()).collect();
    devices.extend(others);
    for device in devices {
        let cut = is_cut(&device);
        let mut out = device.zeros::<u32>(expected.len()).unwrap();
        run(&device, &mut out).unwrap();
        match out.read() {
            Ok(found) => {
                assert!(!cut, "{name} on {}: no error", device.name());
                assert_eq!(found, expected, "{name} on {}", device.name());
            }
            Err(Error::LoopCut { kernel, device: named }) => {
                assert!(cut, "{name} on {}: an error", device.name());
                assert_eq!((kernel.as_str(), named.as_str()), (name, device.name()));
                assert!(out.read().is_err() && device.wait().is_err(), "the result stays wrong");
                out.fill(0).unwrap();
                assert_eq!(device.wait(), Ok(()), "and is gone");
            }
            Err(other) => panic!("{name} on {}: {other}", device.name()),
        }
        let input = device.upload(&[2u32, 5, 7, 9]).unwrap();
        count::launch(&device, 1, 1000, &input, &mut out).unwrap();
        assert_eq!(out.read().unwrap()[..2], counted(1000), "{name}, then on {}", device.name());
    }
}

/// Whether the device ends loops of more than 65,535 rounds.
fn cuts(device: &Device) -> bool {
    device.name().contains("llvmpipe")
}

#[kernel(workgroup_size(1))]
fn count(n: u32, x: &[u32], y: &mut [u32]) {
    let mut s = 0u32;
    let mut j = 0;
    while j < n {
        s = (s ^ x[(s % 4) as usize]) * 1664525 + 1013904223;
        j += 1;
    }
    y[0] = s;
    y[1] = j;
}

/// What `count` computes from 2, 5, 7, 9.
fn counted(n: u32) -> [u32; 2] {
    let x = [2u32, 5, 7, 9];
    let s = (0..n).fold(0u32, |s, _| (s ^ x[(s % 4) as usize]).wrapping_mul(1664525).wrapping_add(1013904223));
    [s, n]
}

fn expect_count(n: u32, cut: bool) {
    expect("count", cut, &counted(n), |device, out| {
        count::launch(device, 1, n, &device.upload(&[2u32, 5, 7, 9])?, out)
    });
}

#[test]
fn a_loop_within_the_limit_is_right_everywhere() {
    expect_count(60_000, false);
}

#[test]
fn a_loop_beyond_the_limit_is_right_or_an_error() {
    // Devices make several rounds at a time, and cut those.
    expect_count(1_000_000, true);
}

#[test]
fn rounds_of_all_loops_count_together() {
    #[kernel(workgroup_size(1))]
    fn nested(n: u32, y: &mut [u32]) {
        let mut s = 1u32;
        for a in 0..n {
            for b in 0..n {
                s = (s ^ (a + y[0])) * 1664525 + b;
            }
        }
        y[1] = s;
    }
    let twin = |n: u32| {
        let rounds = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        [0, rounds.fold(1u32, |s, (a, b)| (s ^ a).wrapping_mul(1664525).wrapping_add(b))]
    };
    expect("nested", false, &twin(200), |device, out| nested::launch(device, 1, 200, out));
    expect("nested", true, &twin(1000), |device, out| nested::launch(device, 1, 1000, out));
}

#[test]
fn every_way_out_of_a_loop_is_a_way_out() {
    #[kernel(workgroup_size(8))]
    fn ways(x: &[u32], y: &mut [u32]) {
        let i = global_id().x;
        let mut s = 0;
        'outer: for a in 0..20 {
            for b in 0..20 {
                if x[0] == a * b + i as u32 {
                    continue 'outer;
                }
                match b {
                    7 => {
                        if a == 9 {
                            break 'outer;
                        }
                        if a == 3 {
                            continue;
                        }
                    }
                    11 => break,
                    _ => {}
                }
                s += a + b;
                if s > 700 + 20 * i as u32 {
                    y[i] = s;
                    return;
                }
            }
        }
        y[i] = s + 10_000;
    }
    let twin = |i: u32| {
        let mut s = 0;
        'outer: for a in 0..20 {
            for b in 0..20 {
                if 12 == a * b + i {
                    continue 'outer;
                }
                match b {
                    7 if a == 9 => break 'outer,
                    7 if a == 3 => continue,
                    11 => break,
                    _ => {}
                }
                s += a + b;
                if s > 700 + 20 * i {
                    return s;
                }
            }
        }
        s + 10_000
    };
    let expected: Vec<u32> = (0..8).map(twin).collect();
    assert!(expected.iter().any(|&s| s < 10_000) && expected.iter().any(|&s| s > 10_000));
    expect("ways", false, &expected, |device, out| ways::launch(device, 8, &device.upload(&[12u32])?, out));
}

#[test]
fn invocations_that_leave_at_different_times_leave() {
    #[kernel(workgroup_size(64))]
    fn uneven(y: &mut [u32]) {
        let i = global_id().x as u32;
        let mut s = i;
        let mut j = 0;
        while j < i % 61 * 7 {
            s = s * 1664525 + 1013904223;
            j += 1;
        }
        y[i as usize] = s;
    }
    let twin = |i: u32| (0..i % 61 * 7).fold(i, |s, _| s.wrapping_mul(1664525).wrapping_add(1013904223));
    let expected: Vec<u32> = (0..512).map(twin).collect();
    expect("uneven", false, &expected, |device, out| uneven::launch(device, 512, out));
}

#[test]
fn loops_of_software_ops_count_as_well() {
    #[kernel(workgroup_size(1))]
    fn rests(n: u32, x: &[f32], w: &[u64], y: &mut [u32]) {
        let mut s = 0u32;
        for j in 0..n {
            s = s * 31 + (x[0] % x[1]).to_bits() + (w[0] / (w[1] + j as u64)) as u32;
        }
        y[0] = s;
        y[1] = n;
    }
    let (x, w) = ([3.0e38f32, 1.1e-38], [u64::MAX - 3, 12_345]);
    let twin = |n: u32| {
        let rest = (x[0] % x[1]).to_bits();
        let word = |j: u32| (w[0] / (w[1] + u64::from(j))) as u32;
        [(0..n).fold(0u32, |s, j| s.wrapping_mul(31).wrapping_add(rest).wrapping_add(word(j))), n]
    };
    let run = |n| {
        move |device: &Device, out: &mut Buffer<u32>| {
            rests::launch(device, 1, n, &device.upload(&x)?, &device.upload(&w)?, out)
        }
    };
    expect("rests", false, &twin(100), run(100));
    // By naga remainders and long quotients are routines, which have loops.
    let by_routines = |device: &Device| cuts(device) && device.report().way() == samebits::report::Way::Naga;
    expect_where("rests", by_routines, &twin(2000), run(2000));
}

#[test]
fn an_endless_loop_is_no_result() {
    #[kernel(workgroup_size(1))]
    fn endless(x: &[u32], y: &mut [u32]) {
        let mut s = 0u32;
        loop {
            s = s * 1664525 + x[0];
            if s == x[1] {
                break;
            }
        }
        y[0] = s;
    }
    #[kernel(workgroup_size(1))]
    fn empty(x: &[u32], y: &mut [u32]) {
        if x[0] == 0 {
            loop {}
        }
        y[0] = x[0];
    }
    // Other devices would take what they are promised to be able to take.
    for device in crate::devices::devices().into_iter().filter(cuts) {
        let mut out = device.zeros::<u32>(1).unwrap();
        endless::launch(&device, 1, &device.upload(&[0u32, 1]).unwrap(), &mut out).unwrap();
        let error = device.wait().unwrap_err();
        assert!(error.to_string().starts_with("kernel `endless`: its loops take more than 65535 rounds"), "{error}");
        assert_eq!(out.read(), Err(error));
        out.fill(0).unwrap();
        empty::launch(&device, 1, &device.upload(&[0u32]).unwrap(), &mut out).unwrap();
        assert_eq!(device.wait(), Err(Error::LoopCut { kernel: "empty".into(), device: device.name().into() }));
        out.fill(0).unwrap();
        empty::launch(&device, 1, &device.upload(&[3u32]).unwrap(), &mut out).unwrap();
        assert_eq!(out.read(), Ok(vec![3]));
    }
}
