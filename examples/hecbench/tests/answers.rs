//! Each program at its small size on every device: the bytes of plain Rust, and so of every other device. And on the
//! judge: no races.

use samebits::judge::Schedule;
use samebits::prelude::*;
use samebits_hecbench::PROGRAMS;
use samebits_hecbench::job::Scale;

/// Every device; without wgpu's a line says so, or, with `SAMEBITS_REQUIRE_GPU=1`, the test fails.
fn devices() -> Vec<Device> {
    let devices = Device::all();
    if devices.len() < 3 {
        let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
        assert!(!required, "a GPU device is required");
        eprintln!("SKIPPED on GPU devices: there is none");
    }
    devices
}

/// What each program computes on these devices that is not what plain Rust computes, or the errors that it ends with.
fn faults(devices: &[Device]) -> Vec<String> {
    let mut faults = Vec::new();
    for program in PROGRAMS {
        let expected = (program.reference)(Scale::Small);
        // An empty kernel computes nothing.
        assert_eq!(expected.parts.is_empty(), program.name == "dispatch", "{}", program.name);
        for device in devices {
            let run = || {
                let mut job = (program.start)(device, Scale::Small)?;
                for step in 0..job.steps().len() {
                    job.step(step)?;
                }
                job.answer()
            };
            let fault = match run() {
                Ok(answer) => answer.difference(&expected),
                Err(error) => Some(error.to_string()),
            };
            faults.extend(fault.map(|fault| format!("{} on {}: {fault}", program.name, device.name())));
        }
    }
    faults
}

#[test]
fn every_program_gives_the_bytes_of_plain_rust_on_every_device() {
    let faults = faults(&devices());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What `unsafe` says of accesses, the judge sees for these inputs.
#[test]
fn no_program_races() {
    let faults = faults(&[Device::judge(Schedule::Random(3))]);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
