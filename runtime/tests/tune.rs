//! Choosing among instances of a kernel on each device.

mod devices;

use devices::devices;
use samebits::judge::Schedule;
use samebits::prelude::*;
use samebits::tune;

#[kernel(workgroup_size(SIZE), instances(SIZE = [32, 64]))]
fn fill<const SIZE: usize>(y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = i as u32;
    }
}

/// Chooses, and says how often candidates ran for that.
fn choose(device: &Device) -> Result<(usize, usize), Error> {
    let mut y = device.zeros::<u32>(100)?;
    let mut runs = 0;
    let run = |candidate: usize| {
        runs += 1;
        match candidate {
            0 => fill::launch::<32>(device, 100, &mut y),
            _ => fill::launch::<64>(device, 100, &mut y),
        }
    };
    let best = tune::fastest(device, "a test", &[fill::kernel::<32>(), fill::kernel::<64>()], run)?;
    assert!(runs == 0 || y.read()?.into_iter().eq(0..100));
    Ok((best, runs))
}

#[test]
fn a_choice_is_made_once() {
    for device in devices() {
        let (best, _) = choose(&device).expect("a choice");
        assert!(best < 2);
        assert_eq!(choose(&device), Ok((best, 0)), "{}", device.name());
    }
}

#[test]
fn a_judge_times_nothing() {
    assert_eq!(choose(&Device::judge(Schedule::Forward)), Ok((0, 0)));
}

#[test]
fn one_candidate_needs_no_time() {
    let fails = |_: usize| Err(Error::Range { start: 1, end: None, len: 0 });
    assert_eq!(tune::fastest(&Device::cpu(), "one", &[fill::kernel::<32>()], fails), Ok(0));
    assert_eq!(tune::fastest(&Device::cpu(), "none", &[], fails), Ok(0));
    let both = [fill::kernel::<32>(), fill::kernel::<64>()];
    let error = tune::fastest(&Device::cpu(), "failing", &both, fails);
    assert_eq!(error, Err(Error::Range { start: 1, end: None, len: 0 }));
}

#[test]
fn an_instance_is_a_kernel_with_all_methods() {
    let small = fill::kernel::<32>();
    assert_eq!(small.report().unwrap().accesses, 1);
    assert!(!std::ptr::eq(small, fill::kernel::<64>()));
    for device in devices() {
        fill::prepare::<32>(&device).unwrap();
        let is_driven = device.report().rows().count() > 0;
        assert_eq!(small.report_on(&device).unwrap().is_some(), is_driven, "{}", device.name());
    }
}
