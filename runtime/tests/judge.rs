//! The judge as Rust users meet it: what it says, and where it says that it is.

use samebits::judge::{Place, Schedule};
use samebits::prelude::*;

const SCHEDULES: [Schedule; 5] =
    [Schedule::Forward, Schedule::Reversed, Schedule::Random(0), Schedule::Random(1), Schedule::Random(2)];

fn here(line: u32, column: u32) -> Place {
    Place { file: file!(), line, column }
}

/// The line of the first one of the kernel's statements.
const EXCHANGE: u32 = line!() + 5;
#[kernel(workgroup_size(2))]
fn exchange(y: &mut [u32], out: &mut [u32]) {
    let i = local_id().x;
    unsafe {
        y[i] = 7;
        out[i] = y[1 - i];
    }
}

#[test]
fn a_race_names_both_places_in_the_source() {
    let device = Device::judge(Schedule::Forward);
    let (mut y, mut out) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(2).unwrap());
    let error = exchange::launch(&device, 2, &mut y, &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "kernel `exchange`: race on `y[1]`: invocation (0, 0, 0) loads, invocation (1, 0, 0) stores, \
             and nothing orders the two (the first of 2 such cases)\n  --> {}\n  note: invocation (0, 0, 0) loads here\n  --> {}",
            here(EXCHANGE, 9),
            here(EXCHANGE + 1, 18)
        )
    );
    let Error::Race { kernel, more: 0, .. } = error else { panic!("{error}") };
    assert_eq!(kernel, "exchange");
    let [finding] = &device.findings()[..] else { panic!("one finding") };
    assert!(finding.is_race());
    assert_eq!((finding.memory(), finding.element()), ("y", 1));
    assert_eq!(finding.place(), Some(here(EXCHANGE, 9)));
    assert_eq!(finding.notes().next().unwrap().0, Some(here(EXCHANGE + 1, 18)));
    assert!(device.findings().is_empty(), "they were taken");
    assert_eq!(out.read().unwrap(), [0, 7], "the results are there all the same");
}

#[kernel(workgroup_size(2))]
fn exchange_after_a_barrier(y: &mut [u32], out: &mut [u32]) {
    let i = local_id().x;
    y[i] = 7;
    workgroup_barrier();
    out[i] = y[1 - i];
}

#[test]
fn a_sound_kernel_gives_the_same_in_every_order_and_no_findings() {
    for schedule in SCHEDULES {
        let device = Device::judge(schedule);
        let (mut y, mut out) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(2).unwrap());
        exchange_after_a_barrier::launch(&device, 2, &mut y, &mut out).unwrap();
        assert_eq!(out.read().unwrap(), [7, 7]);
        assert_eq!(device.findings(), []);
    }
}

const SPIN: u32 = line!() + 3;
#[kernel(workgroup_size(1))]
fn take_and_keep(lock: &[Atomic<u32>]) {
    while lock[0].compare_exchange(0, 1) != 0 {}
}

#[test]
fn a_lock_that_is_kept_is_a_livelock() {
    for schedule in SCHEDULES {
        let device = Device::judge(schedule);
        let mut lock = device.zeros::<u32>(1).unwrap();
        let error = take_and_keep::launch(&device, 3, &mut lock).unwrap_err().to_string();
        assert!(error.contains("waits in a loop for a change of `lock[0]` that no invocation will make"), "{error}");
        assert!(error.contains(&format!("\n  --> {}", here(SPIN, 11))), "{error}");
    }
}

const UNWRITTEN: u32 = line!() + 8;
#[kernel(workgroup_size(4))]
fn unwritten(out: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    if out.len() > 1000 {
        tile[local_id().x] = 1;
    }
    out[global_id().x] = tile[local_id().x];
}

#[test]
fn what_is_defined_but_odd_is_a_finding_and_no_error() {
    let device = Device::judge(Schedule::Reversed);
    let mut out = device.zeros::<u32>(6).unwrap();
    unwritten::launch(&device, 6, &mut out).unwrap();
    let findings = device.findings();
    let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let place = |column| here(UNWRITTEN, column);
    assert_eq!(
        shown,
        [
            format!(
                "kernel `unwritten`: invocation (7, 0, 0) loads `tile[3]`, \
                 which nothing in its workgroup has written (the first of 8 such cases)\n  --> {}",
                place(26)
            ),
            format!(
                "kernel `unwritten`: out of bounds: invocation (7, 0, 0) stores `out[7]` \
                 (the first of 2 such cases)\n  --> {}",
                place(5)
            ),
        ]
    );
}

#[test]
fn findings_of_launches_add_up_to_a_limit() {
    let device = Device::judge(Schedule::Forward);
    let mut out = device.zeros::<u32>(1).unwrap();
    for _ in 0..3000 {
        unwritten::launch(&device, 1, &mut out).unwrap();
    }
    assert_eq!(device.findings().len(), 4096);
}

#[test]
fn a_judge_is_a_device_with_a_name() {
    let device = Device::named("judge").unwrap();
    assert_eq!((device.name(), device.is_gpu()), ("judge", false));
}

#[kernel(workgroup_size(1))]
fn looks_at_nothing(y: &mut [u32]) {
    #[shared]
    let tile: [u32; 4];
    let mut own = [1u32; 2];
    let n = y.len();
    let _far = y[n];
    let _unwritten = tile[n - 1];
    tile[n + 4] = 1;
    own[n + 2] = 1;
    y[n + 1] = 1;
    y[n + 1] = 2;
}

#[test]
fn what_has_no_effect_is_judged_all_the_same() {
    let device = Device::judge(Schedule::Forward);
    let mut y = device.zeros::<u32>(3).unwrap();
    looks_at_nothing::launch(&device, 1, &mut y).unwrap();
    let findings = device.findings();
    let shown: Vec<_> = findings.iter().map(|one| (one.memory(), one.element())).collect();
    assert_eq!(shown, [("y", 3), ("tile", 2), ("tile", 7), ("own", 5), ("y", 4), ("y", 4)]);
    let lines: Vec<u32> = findings.iter().filter_map(|one| Some(one.place()?.line)).collect();
    assert!(lines.is_sorted_by(|a, b| a < b) && lines.len() == 6, "{lines:?}");
}
