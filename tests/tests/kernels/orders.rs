//! Orders and scopes of atomics: what they order, on every device that has them, and what the judge sees where one
//! is too weak.
//!
//! Only one invocation of a workgroup waits for another workgroup, since a GPU need not let the others of a subgroup
//! go on meanwhile. llvmpipe ends an invocation's loops after so many rounds, which a busy machine may make too few;
//! such a run shows nothing.

use samebits::judge::Schedule;
use samebits::prelude::*;

/// Launches a kernel with a lock and what it guards.
type Locked<'a> = dyn Fn(&Device, &mut Buffer<u32>, &mut Buffer<u32>) -> Result<(), Error> + 'a;

/// Launches so many invocations of a kernel that passes data with a flag.
type Passed = fn(&Device, usize, &mut Buffer<u32>, &mut Buffer<u32>) -> Result<(), Error>;

/// The orders in which the judge runs the invocations.
const SCHEDULES: [Schedule; 8] = [
    Schedule::Forward,
    Schedule::Reversed,
    Schedule::Random(1),
    Schedule::Random(2),
    Schedule::Random(3),
    Schedule::Random(4),
    Schedule::Random(5),
    Schedule::Random(6),
];

/// Runs a launch on each device, and says whether it gave a result. A device that lacks the feature refuses it, and
/// no other does.
fn on_each_device(feature: &str, words: &str, run: impl Fn(&Device) -> Result<(), Error>) {
    let mut ran = 0;
    let devices = crate::devices();
    let others: Vec<Device> = devices.iter().filter_map(Device::other_way).map(Result::unwrap).collect();
    for device in devices.iter().chain(&others) {
        let features = device.report().to_string();
        let features = features.lines().find_map(|line| line.trim().strip_prefix("features: ")).unwrap_or_default();
        match run(device) {
            Ok(()) => ran += 1,
            Err(Error::LoopCut { .. }) => {}
            Err(error) => {
                let text = error.to_string();
                assert!(!features.split(", ").any(|has| has == feature), "{text}");
                assert!(matches!(error, Error::MissingFeature { .. }) && text.contains(words), "{text}");
                continue;
            }
        }
        assert!(features.split(", ").any(|has| has == feature), "{} lacks {feature} and runs it", device.name());
    }
    assert!(ran >= 4, "this CPU, the interpreter and two judges have it");
}

/// Whether the judge finds a race in a launch under each schedule, and the same under all.
fn races(run: impl Fn(&Device) -> Result<(), Error>) -> bool {
    let found = SCHEDULES.map(|schedule| {
        let device = Device::judge(schedule);
        let result = run(&device);
        let findings = device.findings();
        assert!(findings.iter().all(|finding| finding.is_race()), "{findings:?}");
        assert_eq!(result.is_err(), !findings.is_empty(), "{result:?}");
        !findings.is_empty()
    });
    assert!(found.iter().all(|race| *race == found[0]), "{found:?}");
    found[0]
}

#[test]
fn every_order_gives_the_old_value() {
    #[kernel(workgroup_size(1), features(atomic_orders))]
    fn every(c: &[Atomic<u32>], old: &mut [u32]) {
        #[shared]
        let s: Atomic<u32>;
        old[0] = c[0].fetch_add(5, Ordering::AcqRel);
        old[1] = c[0].fetch_sub(7, Ordering::Relaxed);
        old[2] = c[0].fetch_and(0xff, std::sync::atomic::Ordering::Acquire);
        old[3] = c[0].fetch_or(0x100, Ordering::Release);
        old[4] = c[0].fetch_xor_in(0x101, Ordering::AcqRel, Scope::Workgroup);
        old[5] = c[0].swap(40, Ordering::AcqRel);
        old[6] = c[0].compare_exchange(41, 1, Ordering::AcqRel, Ordering::Acquire);
        old[7] = c[0].compare_exchange_weak(40, 2, Ordering::Release, Ordering::Acquire);
        old[8] = c[0].load(Ordering::Acquire);
        c[0].store(3, Ordering::Release);
        fence(Ordering::AcqRel);
        old[9] = c[0].load_in(Ordering::Relaxed, Scope::Device);
        s.store(8, Ordering::Release);
        old[10] = s.fetch_min(1, Ordering::AcqRel);
        old[11] = s.compare_exchange_in(1, 20, Ordering::Acquire, Ordering::Relaxed, Scope::Workgroup);
        fence_in(Ordering::Acquire, Scope::Workgroup);
        old[12] = s.fetch_max(9, Ordering::Relaxed) + s.fetch_inc_wrap(30, Ordering::Acquire);
        old[13] = s.fetch_dec_wrap(4, Ordering::AcqRel) + s.fetch_nand_in(1, Ordering::Release, Scope::Device);
        s.store_in(6, Ordering::Relaxed, Scope::Workgroup);
        old[14] = s.compare_exchange_weak(7, 1) + s.load();
    }
    let low = 8u32.wrapping_sub(7);
    let expected = [3, 8, low, low, low | 0x100, (low | 0x100) ^ 0x101, 40, 40, 2, 3, 8, 1, 40, 25, 12];
    on_each_device("atomic_orders", "needs orders of atomics", |device| {
        let mut c = device.upload(&[3u32]).unwrap();
        let mut old = device.zeros(15).unwrap();
        every::launch(device, 1, &mut c, &mut old)?;
        crate::same(device, &old, &expected);
        crate::same(device, &c, &[3]);
        Ok(())
    });
}

#[test]
fn orders_are_taken_by_any_name() {
    use std::sync::atomic::Ordering::AcqRel;
    use std::sync::atomic::{self, Ordering as O};

    #[device]
    fn raised(flag: &Atomic<u32>) -> u32 {
        flag.fetch_add(1, O::AcqRel)
    }

    #[kernel(workgroup_size(1), features(atomic_orders))]
    fn named(c: &[Atomic<u32>], old: &mut [u32]) {
        old[0] = raised(&c[0]);
        old[1] = c[0].fetch_add(1, AcqRel);
        old[2] = c[0].load(atomic::Ordering::Acquire);
        atomic::fence(O::Release);
        std::sync::atomic::fence(O::Acquire);
    }
    on_each_device("atomic_orders", "needs orders of atomics", |device| {
        let (mut c, mut old) = (device.zeros::<u32>(1).unwrap(), device.zeros(3).unwrap());
        named::launch(device, 1, &mut c, &mut old)?;
        crate::same(device, &old, &[0, 1, 2]);
        Ok(())
    });
}

/// Kernels in which a lock guards plain memory, with these orders of taking and releasing it.
macro_rules! spinlock {
    ($name:ident, $take:path, $release:path) => {
        #[kernel(workgroup_size(32), features(atomic_orders))]
        fn $name(lock: &[Atomic<u32>], guarded: &mut [u32], rounds: usize) {
            if local_index() == 0 {
                for _ in 0..rounds {
                    while lock[0].compare_exchange_weak(0, 1, $take, Ordering::Relaxed) != 0 {}
                    unsafe {
                        guarded[0] += 1;
                        guarded[1] = guarded[0] * 3;
                    }
                    lock[0].store(0, $release);
                }
            }
            // The kernel has orders, whatever those above are.
            fence_in(Ordering::AcqRel, Scope::Workgroup);
        }
    };
}

#[test]
fn a_spinlock_guards_plain_memory() {
    spinlock!(locked, Ordering::Acquire, Ordering::Release);
    spinlock!(taken_weakly, Ordering::Relaxed, Ordering::Release);
    spinlock!(released_weakly, Ordering::Acquire, Ordering::Relaxed);
    let (groups, rounds) = (12, 20);
    on_each_device("atomic_orders", "needs orders of atomics", |device| {
        let (mut lock, mut guarded) = (device.zeros::<u32>(1).unwrap(), device.zeros(2).unwrap());
        locked::launch(device, 32 * groups, &mut lock, &mut guarded, rounds)?;
        device.wait()?;
        let all = (groups * rounds) as u32;
        crate::same(device, &guarded, &[all, 3 * all]);
        Ok(())
    });
    let judged = |launch: &Locked<'_>| {
        races(|device| {
            let (mut lock, mut guarded) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(2).unwrap());
            launch(device, &mut lock, &mut guarded)?;
            crate::same(device, &guarded, &[8, 24]);
            Ok(())
        })
    };
    assert!(!judged(&|device, lock, guarded| locked::launch(device, 32 * 4, lock, guarded, 2)));
    assert!(judged(&|device, lock, guarded| taken_weakly::launch(device, 32 * 4, lock, guarded, 2)));
    assert!(judged(&|device, lock, guarded| released_weakly::launch(device, 32 * 4, lock, guarded, 2)));
}

/// Kernels in which workgroups take numbers and wait for their turn.
macro_rules! ticket_lock {
    ($name:ident, $wait:path, $next:path) => {
        #[kernel(workgroup_size(32), features(atomic_orders))]
        fn $name(lock: &[Atomic<u32>], guarded: &mut [u32]) {
            if local_index() == 0 {
                let ticket = lock[0].fetch_add(1);
                while lock[1].load($wait) != ticket {}
                unsafe {
                    guarded[ticket as usize + 1] = guarded[ticket as usize] + ticket;
                }
                lock[1].store(ticket + 1, $next);
            }
            fence_in(Ordering::AcqRel, Scope::Workgroup);
        }
    };
}

#[test]
fn a_ticket_lock_is_taken_in_turn() {
    ticket_lock!(in_turn, Ordering::Acquire, Ordering::Release);
    ticket_lock!(waits_weakly, Ordering::Relaxed, Ordering::Release);
    ticket_lock!(passed_on_weakly, Ordering::Acquire, Ordering::Relaxed);
    let groups = 16u32;
    let expected: Vec<u32> = (0..=groups).map(|n| n * n.saturating_sub(1) / 2).collect();
    on_each_device("atomic_orders", "needs orders of atomics", |device| {
        let (mut lock, mut guarded) = (device.zeros::<u32>(2).unwrap(), device.zeros(groups as usize + 1).unwrap());
        in_turn::launch(device, 32 * groups as usize, &mut lock, &mut guarded)?;
        device.wait()?;
        crate::same(device, &guarded, &expected);
        crate::same(device, &lock, &[groups, groups]);
        Ok(())
    });
    let judged = |launch: &Locked<'_>| {
        races(|device| {
            let (mut lock, mut guarded) = (device.zeros::<u32>(2).unwrap(), device.zeros::<u32>(4).unwrap());
            launch(device, &mut lock, &mut guarded)?;
            crate::same(device, &guarded, &expected[..4]);
            Ok(())
        })
    };
    assert!(!judged(&|device, lock, guarded| in_turn::launch(device, 32 * 3, lock, guarded)));
    assert!(judged(&|device, lock, guarded| waits_weakly::launch(device, 32 * 3, lock, guarded)));
    assert!(judged(&|device, lock, guarded| passed_on_weakly::launch(device, 32 * 3, lock, guarded)));
}

/// Kernels in which one workgroup leaves a number and raises a flag, and the others wait for it.
macro_rules! message {
    ($name:ident, |$flag:ident| $raise:expr, $look:expr, $seen:expr) => {
        #[kernel(workgroup_size(1), features(atomic_orders))]
        fn $name($flag: &[Atomic<u32>], data: &mut [u32]) {
            let group = workgroup_id().x;
            if group == 0 {
                unsafe {
                    data[0] = 42;
                }
                $raise;
            } else {
                while $look == 0 {}
                $seen;
                unsafe {
                    data[group] = data[0];
                }
            }
            fence_in(Ordering::AcqRel, Scope::Workgroup);
        }
    };
}

#[test]
fn a_message_is_passed_by_a_flag() {
    message!(by_accesses, |f| f[0].store(1, Ordering::Release), f[0].load(Ordering::Acquire), ());
    message!(
        by_fences,
        |f| {
            fence(Ordering::Release);
            f[0].store(1);
        },
        f[0].load(),
        fence(Ordering::Acquire)
    );
    message!(by_changes, |f| f[0].fetch_add(1, Ordering::Release), f[0].fetch_or(0, Ordering::Acquire), ());
    message!(raised_weakly, |f| f[0].store(1, Ordering::Relaxed), f[0].load(Ordering::Acquire), ());
    message!(seen_weakly, |f| f[0].store(1, Ordering::Release), f[0].load(Ordering::Relaxed), ());
    message!(
        fenced_too_late,
        |f| {
            f[0].store(1);
            fence(Ordering::Release);
        },
        f[0].load(Ordering::Acquire),
        ()
    );
    message!(
        within_the_workgroup,
        |f| f[0].store_in(1, Ordering::Release, Scope::Workgroup),
        f[0].load_in(Ordering::Acquire, Scope::Workgroup),
        ()
    );
    let launches: [(_, Passed); 6] = [
        (true, |device, n, flag, data| by_accesses::launch(device, n, flag, data)),
        (true, |device, n, flag, data| by_fences::launch(device, n, flag, data)),
        (true, |device, n, flag, data| by_changes::launch(device, n, flag, data)),
        (false, |device, n, flag, data| raised_weakly::launch(device, n, flag, data)),
        (false, |device, n, flag, data| seen_weakly::launch(device, n, flag, data)),
        (false, |device, n, flag, data| fenced_too_late::launch(device, n, flag, data)),
    ];
    for (i, (sound, launch)) in launches.into_iter().enumerate() {
        let run = |device: &Device| {
            let (mut flag, mut data) = (device.zeros::<u32>(1).unwrap(), device.zeros(4).unwrap());
            launch(device, 4, &mut flag, &mut data)?;
            device.wait()?;
            crate::same(device, &data, &[42; 4]);
            Ok(())
        };
        assert_eq!(races(run), !sound, "the message {i}");
        if sound {
            on_each_device("atomic_orders", "needs orders of atomics", run);
        }
    }
    // An atomic of one workgroup is a race with those of others, which needs no run to be seen.
    let device = Device::interpreter();
    let (mut flag, mut data) = (device.zeros::<u32>(1).unwrap(), device.zeros::<u32>(4).unwrap());
    let error = within_the_workgroup::launch(&device, 4, &mut flag, &mut data).unwrap_err();
    assert!(matches!(error, Error::MayRace { .. }), "{error}");
}

#[test]
fn a_chain_of_changes_passes_a_message_on() {
    // Each workgroup adds to what the one before it left, and raises the flag once more.
    #[kernel(workgroup_size(1), features(atomic_orders))]
    fn chain(flag: &[Atomic<u32>], data: &mut [u32]) {
        let group = workgroup_id().x;
        while flag[0].load(Ordering::Acquire) != group as u32 {}
        unsafe {
            let before = if group == 0 { 0 } else { data[group - 1] };
            data[group] = before + 5;
        }
        flag[0].fetch_add(1, Ordering::Release);
    }
    let run = |device: &Device| {
        let (mut flag, mut data) = (device.zeros::<u32>(1).unwrap(), device.zeros(6).unwrap());
        chain::launch(device, 6, &mut flag, &mut data)?;
        device.wait()?;
        crate::same(device, &data, &[5, 10, 15, 20, 25, 30]);
        Ok(())
    };
    assert!(!races(run));
    on_each_device("atomic_orders", "needs orders of atomics", run);
}

#[test]
fn orders_of_workgroup_memory_are_within_the_workgroup() {
    // Who sees the flag sees the number; nobody waits.
    #[kernel(workgroup_size(64), features(atomic_orders))]
    fn within(wrong: &[Atomic<u32>]) {
        #[shared]
        let flag: Atomic<u32>;
        #[shared]
        let number: u32;
        if local_index() == 0 {
            flag.store(0);
            number = 0;
        }
        workgroup_barrier();
        if local_index() == 40 {
            unsafe {
                number = 9;
            }
            flag.store(1, Ordering::Release);
        }
        if local_index() == 3 && flag.load(Ordering::Acquire) == 1 && unsafe { number } != 9 {
            wrong[0].fetch_add(1);
        }
    }
    let run = |device: &Device| {
        let mut wrong = device.zeros::<u32>(1).unwrap();
        within::launch(device, 64 * 10, &mut wrong)?;
        crate::same(device, &wrong, &[0]);
        Ok(())
    };
    assert!(!races(run));
    on_each_device("atomic_orders", "needs orders of atomics", run);
}

#[test]
fn sequential_consistency_is_one_order_or_an_error_that_names_it() {
    // Each of two workgroups raises its flag and then looks at the other's: one of them sees the other.
    #[kernel(workgroup_size(1), features(seq_cst))]
    fn flags(raised: &[Atomic<u32>], seen: &mut [u32], rounds: usize) {
        let group = workgroup_id().x;
        for i in 0..rounds {
            raised[2 * i + group].store(1, Ordering::SeqCst);
            unsafe {
                seen[2 * i + group] = raised[2 * i + (1 - group)].load(Ordering::SeqCst);
            }
        }
    }
    let rounds = 500;
    on_each_device("seq_cst", "needs `SeqCst` (`AcqRel` is enough where", |device| {
        let mut raised = device.zeros::<u32>(2 * rounds).unwrap();
        let mut seen = device.zeros::<u32>(2 * rounds).unwrap();
        flags::launch(device, 2, &mut raised, &mut seen, rounds)?;
        for pair in seen.read().unwrap().chunks(2) {
            assert!(pair.contains(&1), "neither saw the other");
        }
        Ok(())
    });
}
