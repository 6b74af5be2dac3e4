//! Loops that do not end, on the interpreter and before the judge: found out in seconds, and told
//! apart from work that takes long.
//!
//! One test, since it sets what the environment says.

use samebits::judge::Schedule;
use samebits::prelude::*;

#[kernel(workgroup_size(4))]
fn endless(y: &mut [u32]) {
    let i = global_id().x;
    if i >= 6 {
        let mut j = 0u32;
        loop {
            j = j + 1;
            if j == 0 && y.len() == 0 {
                break;
            }
        }
    }
    y[i] = 1;
}

#[kernel(workgroup_size(4))]
fn endless_rounds(n: u32, y: &mut [u32]) {
    let mut j = 0u32;
    let mut rounds = 0u32;
    while j < n {
        j = j + 1;
        rounds = rounds + 3;
        workgroup_barrier();
        if j == n {
            j = 0;
        }
    }
    if global_id().x == 0 {
        y[0] = rounds;
    }
}

/// All go round together, and each alone takes its time.
#[kernel(workgroup_size(64))]
fn endless_together(y: &mut [u32]) {
    let mut j = 0u32;
    while j < 7 || y.len() > 0 {
        j = j + 1;
        workgroup_barrier();
    }
    if global_id().x == 0 {
        y[0] = j;
    }
}

/// Long in all, and short in each invocation.
#[kernel(workgroup_size(64))]
fn work(n: u32, y: &mut [u32]) {
    let mut s = 0u32;
    for j in 0..n {
        s = s * 3 + j;
    }
    y[global_id().x] = s;
}

#[test]
fn an_invocation_that_does_not_end_is_named_with_its_loop() {
    // SAFETY: this test is the only one of its process, and no other thread has begun.
    unsafe { std::env::set_var("SAMEBITS_STEPS", "20000") };
    let mut devices = vec![Device::interpreter(), Device::judge(Schedule::Forward), Device::judge(Schedule::Random(3))];
    // Native code counts rounds and not steps; `cpu_settings.rs` tests it.
    if endless::KERNEL.report().unwrap().cpu.as_deref() != Some("native code") {
        devices.push(Device::cpu());
    }
    for device in devices {
        let mut y = device.zeros::<u32>(8).unwrap();
        let error = endless::launch(&device, 8, &mut y).unwrap_err().to_string();
        let first = "kernel `endless`: invocation (6, 0, 0) took more than the 20000 steps allowed for one, and is still in this loop\n";
        assert!(error.starts_with(first), "{error}");
        assert!(error.contains("\n  --> runtime/tests/endless.rs:14:9\n"), "{error}");
        let help = "\n  help: if this is intended, set the environment variable `SAMEBITS_STEPS` to more steps";
        assert!(error.ends_with(help), "{error}");
        assert_eq!(y.read().unwrap_err().to_string(), error);

        let mut y = device.zeros::<u32>(1).unwrap();
        let error = endless_rounds::launch(&device, 4, 5, &mut y).unwrap_err().to_string();
        assert!(error.contains("took more than the 20000 steps allowed for one"), "{error}");
        assert!(error.contains("\n  --> runtime/tests/endless.rs:28:5\n"), "{error}");

        let mut y = device.zeros::<u32>(1).unwrap();
        let error = endless_together::launch(&device, 64, &mut y).unwrap_err().to_string();
        assert!(error.starts_with("kernel `endless_together`: invocation ("), "{error}");
        let together = " and the 63 others that it takes turns with took more than the 320000 steps \
                        allowed for all of them, and the first is still in this loop\n";
        assert!(error.contains(together), "{error}");
        assert!(error.contains("\n  --> runtime/tests/endless.rs:45:5\n"), "{error}");
        assert!(error.ends_with(help), "{error}");

        // A hundred thousand steps and more.
        let mut y = device.zeros::<u32>(256).unwrap();
        work::launch(&device, 256, 100, &mut y).unwrap();
        let expected = (0..100u32).fold(0u32, |s, j| s.wrapping_mul(3).wrapping_add(j));
        assert_eq!(y.read().unwrap(), [expected; 256]);
    }

    // SAFETY: as above.
    unsafe { std::env::set_var("SAMEBITS_STEPS", "many") };
    let device = Device::interpreter();
    let error = work::launch(&device, 1, 1, &mut device.zeros(1).unwrap()).unwrap_err();
    let words = "the environment variable `SAMEBITS_STEPS` is `many`, but must be a number of steps";
    assert_eq!(error.to_string(), words);

    // SAFETY: as above.
    unsafe { std::env::remove_var("SAMEBITS_STEPS") };
    let device = Device::interpreter();
    work::launch(&device, 1, 30_000, &mut device.zeros(1).unwrap()).unwrap();
}
