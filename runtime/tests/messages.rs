//! What kernels say: assertions that fail, and lines.

mod devices;

use devices::devices;
use samebits::judge::Schedule;
use samebits::prelude::*;

/// The devices that there are, and a judge.
fn everywhere() -> Vec<Device> {
    devices().into_iter().chain([Device::judge(Schedule::Reversed)]).collect()
}

#[device]
fn checked(x: &[u32], i: usize) -> u32 {
    assert!(i < x.len(), "there is no x[{i}]");
    x[i]
}

#[kernel(workgroup_size(4, 2))]
fn looked_up(x: &[u32], places: &[u32], y: &mut [u32]) {
    let (i, row) = (global_id().x, global_id().y);
    let at = row * 8 + i;
    if i < 8 && at < y.len() {
        y[at] = checked(x, places[at] as usize) + 1;
    }
}

#[test]
fn a_failed_assertion_is_the_error_of_the_next_read() {
    for device in everywhere() {
        let x = device.upload(&[10u32, 20, 30]).unwrap();
        let mut at = [0u32, 1, 2, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 2, 0, 1];
        (at[13], at[11], at[6]) = (9, 5, 7);
        let places = device.upload(&at).unwrap();
        let mut y = device.zeros::<u32>(16).unwrap();
        looked_up::launch(&device, (8, 2), &x, &places, &mut y).unwrap();
        let error = y.read().unwrap_err();
        let Error::Assertion { kernel, text, place, invocation, times } = &error else { panic!("{error}") };
        assert_eq!((&kernel[..], *times), ("looked_up", 3), "on {}", device.name());
        // The workgroup of (5, 1) comes after that of (3, 1).
        assert_eq!((&text[..], *invocation), ("there is no x[5]", [3, 1, 0]));
        assert!(place.contains("tests/messages.rs:16:5, in `checked`, called at "), "{place}");
        let shown = error.to_string();
        assert!(shown.starts_with("kernel `looked_up`: there is no x[5]\n  in invocation (3, 1, 0), at "), "{shown}");
        assert!(shown.ends_with(", and 2 times more"), "{shown}");
        // It was told, and the results are what they are without it.
        let y = y.read().unwrap();
        assert_eq!((y[0], y[1], y[6], y[11], y[15]), (11, 21, 1, 1, 21));
        device.wait().unwrap();
    }
}

#[kernel(workgroup_size(64))]
fn judged(n: u32, x: &[i32], y: &mut [i32]) {
    let i = global_id().x;
    if i < y.len() {
        assert_eq!(x[i], x[i] + n as i32 * (i == 70) as i32, "in {} of {n}", i);
        assert_ne!(x[i], -5);
        y[i] = match x[i] {
            0..=100 => 1,
            -5 => 2,
            _ => unreachable!("{}", x[i]),
        };
    }
}

#[test]
fn an_assertion_says_what_was_compared() {
    for device in everywhere() {
        let mut xs = [3i32; 100];
        let text = |n: u32, xs: &[i32]| {
            let (x, mut y) = (device.upload(xs).unwrap(), device.zeros::<i32>(100).unwrap());
            judged::launch(&device, 100, n, &x, &mut y).unwrap();
            match device.wait() {
                Ok(()) => Ok(y.read().unwrap()),
                Err(Error::Assertion { text, invocation, times, .. }) => Err((text, invocation[0], times)),
                Err(other) => panic!("{other}"),
            }
        };
        assert_eq!(text(0, &xs), Ok(vec![1; 100]), "on {}", device.name());
        let equal = "assertion `left == right` failed: in 70 of 2\n  left: 3\n right: 5".to_owned();
        assert_eq!(text(2, &xs), Err((equal, 70, 1)));
        xs[60] = -5;
        let unequal = "assertion `left != right` failed\n  left: -5\n right: -5".to_owned();
        assert_eq!(text(2, &xs), Err((unequal, 60, 1)));
        (xs[9], xs[10]) = (101, 102);
        let reached = "internal error: entered unreachable code: 101".to_owned();
        assert_eq!(text(0, &xs), Err((reached, 9, 2)));
    }
}

#[kernel(workgroup_size(32))]
fn all_fail(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        for k in 0..4 {
            assert!(y[i] + k == 9, "{k}");
        }
        y[i] = 1;
    }
}

#[test]
fn the_first_failure_of_the_first_invocation_is_there_however_many_fail() {
    for device in everywhere() {
        let mut y = device.zeros::<u32>(5000).unwrap();
        for _ in 0..2 {
            all_fail::launch(&device, 5000, &mut y).unwrap();
        }
        let Err(Error::Assertion { text, invocation, times, .. }) = device.wait() else { panic!("it fails") };
        assert_eq!((&text[..], invocation, times), ("0", [0; 3], 40_000), "on {}", device.name());
        assert_eq!(y.read().unwrap(), [1; 5000]);
    }
}

#[kernel(workgroup_size(2), features(f64), debug)]
fn shown(wide: &[u64], y: &mut [u32]) {
    let i = global_id().x;
    if i < 2 {
        let v = Vec3::new(0.5f32, -1.0, i as f32);
        let (narrow, negative, real) = (300u16, -2i64, wide[i] as f64 / 4.0);
        let width = 4usize;
        debug!("{:#x} {v:?} {narrow} {negative}", wide[i]);
        if i == 1 {
            debug!("[{real:>8.2}] {:?} {:width$} {{}}", v.x < v.y, i);
        }
        y[i] = 1;
    }
}

#[test]
fn lines_show_values_of_every_type_in_the_order_of_invocations() {
    let v = |z: f32| Vec3::new(0.5f32, -1.0, z);
    let first = |x: u64, z: f32| format!("{x:#x} {:?} 300 -2", v(z));
    for device in everywhere() {
        let wide = device.upload(&[1u64 << 40 | 7, 10]).unwrap();
        let mut y = device.zeros::<u32>(2).unwrap();
        shown::launch(&device, 2, &wide, &mut y).unwrap();
        let lines = device.debug_lines().unwrap();
        let texts: Vec<_> = lines.iter().map(|line| (line.invocation[0], line.text.clone())).collect();
        let second = format!("[{:>8.2}] false {:4} {{}}", 2.5, 1);
        assert_eq!(texts, [(0, first(1 << 40 | 7, 0.0)), (1, first(10, 1.0)), (1, second)], "on {}", device.name());
        assert!(lines[0].to_string().contains("messages.rs") && lines[0].to_string().contains("(0, 0, 0): 0x1"));
        assert_eq!((device.debug_lines().unwrap().len(), y.read().unwrap()), (0, vec![1, 1]));
    }
}

#[kernel(workgroup_size(64))]
fn silent(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        debug!("{i}");
        y[i] = 1;
    }
}

#[test]
fn without_the_argument_there_are_no_lines_and_no_buffer_for_them() {
    assert_eq!(silent::KERNEL.report().unwrap().accesses, 1);
    let image = samebits::__private::ir::wire::decode(silent::KERNEL.image()).unwrap();
    assert_eq!(image.functions[0].params.len(), 1);
    let device = Device::interpreter();
    let mut y = device.zeros::<u32>(3).unwrap();
    silent::launch(&device, 3, &mut y).unwrap();
    assert_eq!(device.debug_lines().unwrap(), []);
}

#[kernel(workgroup_size(64))]
fn in_debug_builds(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        debug_assert!(y[i] == 1);
        debug_assert_eq!(y[i], 2, "two");
    }
}

#[test]
fn debug_assertions_are_those_of_the_program() {
    for device in everywhere() {
        let mut y = device.zeros::<u32>(3).unwrap();
        in_debug_builds::launch(&device, 3, &mut y).unwrap();
        let result = device.wait();
        if cfg!(debug_assertions) {
            assert!(result.unwrap_err().to_string().contains("assertion failed: y[i] == 1"));
        } else {
            result.unwrap();
        }
    }
}

#[test]
fn an_assertion_changes_nothing_that_is_known_of_a_kernel() {
    let report = looked_up::KERNEL.report().unwrap();
    assert_eq!((report.accesses, report.guarded.len()), (3, 1), "{report}");
    assert!(report.races[0].starts_with("race-free and deterministic"), "{report}");
}

#[test]
fn a_read_that_comes_later_reports_as_well() {
    for device in everywhere() {
        let mut y = device.zeros::<u32>(4).unwrap();
        all_fail::launch(&device, 4, &mut y).unwrap();
        let error = pollster::block_on(y.read_async().unwrap()).unwrap_err();
        assert!(matches!(error, Error::Assertion { times: 16, .. }), "{error}");
        all_fail::launch(&device, 4, &mut y).unwrap();
        assert!(pollster::block_on(device.wait_async().unwrap()).is_err());
        all_fail::launch(&device, 4, &mut y).unwrap();
        assert!(y.read_into(&mut [0; 4]).is_err());
        all_fail::launch(&device, 4, &mut y).unwrap();
        if y.as_slice().is_none() {
            assert!(device.wait().is_err());
        } else {
            panic!("the failure is not told yet");
        }
        assert_eq!(y.read().unwrap(), [1; 4]);
    }
}

macro_rules! made {
    ($name:ident, $limit:expr) => {
        #[kernel(workgroup_size(1), debug)]
        fn $name(y: &mut [u32]) {
            let words = y[0] + $limit;
            assert!(words == 9, "{words} and {}", $limit);
            debug!("{words}");
            let below = |n: u32| {
                debug_assert!(n < 9);
                n
            };
            y[0] = below(words);
        }
    };
}

made!(of_a_macro, 2);

#[test]
fn macros_and_closures_say_messages_too() {
    for device in everywhere() {
        let mut y = device.upload(&[4u32]).unwrap();
        of_a_macro::launch(&device, 1, &mut y).unwrap();
        assert_eq!(device.debug_lines().unwrap()[0].text, "6");
        assert!(y.read().unwrap_err().to_string().contains("6 and 2"));
        assert_eq!(y.read().unwrap(), [6]);
    }
}

#[test]
fn an_empty_launch_says_nothing() {
    for device in everywhere() {
        let mut y = device.zeros::<u32>(4).unwrap();
        all_fail::launch(&device, 0, &mut y).unwrap();
        device.wait().unwrap();
    }
    let device = Device::interpreter();
    let error = all_fail::KERNEL.launch(&device, 1, &[]).unwrap_err();
    assert!(matches!(error, Error::ArgumentCount { expected: 1, passed: 0, .. }), "{error}");
}

/// A look of one thread takes nothing away that another thread's launch is about to say.
#[test]
fn no_line_is_lost_between_threads() {
    const LAUNCHES: usize = 200;
    let device = Device::interpreter();
    let taken = std::thread::scope(|scope| {
        let thread = || {
            let mut taken = 0;
            let mut y = device.upload(&[4u32]).unwrap();
            for _ in 0..LAUNCHES {
                says_one::launch(&device, 1, &mut y).unwrap();
                taken += device.debug_lines().unwrap().len();
            }
            taken
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(thread)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(taken + device.debug_lines().unwrap().len(), 4 * LAUNCHES);
}

#[kernel(workgroup_size(1), debug)]
fn says_one(y: &mut [u32]) {
    debug!("one");
    y[0] = 1;
}

/// A denied guard is one of the kernel's own accesses.
#[kernel(workgroup_size(64), deny(guards))]
fn without_guards(y: &mut [u32]) {
    if global_id().x == 0 {
        for k in 0..y.len() {
            assert!(y[k] < 9, "y[{k}] is {}", y[k]);
            y[k] += 1;
        }
    }
}

#[test]
fn the_buffer_of_messages_shows_nowhere() {
    let report = looked_up::KERNEL.report().unwrap();
    assert!(!report.to_string().contains("__samebits"), "{report}");
    let device = Device::interpreter();
    let mut y = device.upload(&[4u32]).unwrap();
    without_guards::launch(&device, 1, &mut device.upload(&[1u32, 2, 3, 4]).unwrap()).unwrap();
    device.wait().unwrap();
    let (_, profile) = device.profile(|| says_one::launch(&device, 1, &mut y)).unwrap();
    assert_eq!(profile.launches()[0].bytes(), 4);
}
