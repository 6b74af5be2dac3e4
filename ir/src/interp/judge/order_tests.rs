//! What releases, acquires, fences and scopes put in order for the judge.

use super::tests::{SEEDS, has_no_race, program, races};
use super::*;
use crate::interp::Words;

/// One workgroup leaves a number in `@y` and raises the flag `@f`; the other waits for the
/// flag and takes the number. How the flag is raised and looked at is given.
fn message(raise: &str, look: &str) -> String {
    format!(
        "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32], @f: atomic [u32]) {{
            %g = workgroup_id.x
            %first = eq %g, 0u32
            if %first {{
                store @y[0u32], 42u32
                {raise}
            }} else {{
                loop 'w {{
                    {look}
                    %up = ne %x, 0u32
                    if %up {{ break 'w }}
                    continue 'w
                }}
                %n = load u32 @y[0u32]
                store @y[1u32], %n
            }}
            ret
        }}"
    )
}

/// Whether the message is passed without a race, under every schedule alike.
#[track_caller]
fn passes(raise: &str, look: &str) -> bool {
    let program = program(&message(raise, look));
    let outcome = |schedule| {
        let (y, f) = (Words::zeroed(8), Words::zeroed(4));
        let args = [Arg::Buffer { words: &y, offset: 0, len: 2 }, Arg::Buffer { words: &f, offset: 0, len: 1 }];
        let verdict = program.judge([2, 1, 1], &args, &Judge { schedule, max_steps: Some(1_000_000) });
        assert_eq!(verdict.fault, None);
        assert_eq!(y.read(0..8), [42, 0, 0, 0, 42, 0, 0, 0]);
        verdict.is_sound()
    };
    let outcomes = SEEDS.map(outcome);
    assert!(outcomes.iter().all(|&sound| sound == outcomes[0]), "{outcomes:?}");
    outcomes[0]
}

#[test]
fn a_release_and_an_acquire_order_what_is_around_them() {
    let raise = |order: &str| format!("atomic.store @f[0u32], 1u32 {order}");
    let look = |order: &str| format!("%x = atomic.load u32 @f[0u32] {order}");
    assert!(passes(&raise("ordering=release"), &look("ordering=acquire")));
    assert!(passes(&raise("ordering=seq_cst"), &look("ordering=seq_cst")));
    assert!(!passes(&raise(""), &look("")));
    assert!(!passes(&raise("ordering=release"), &look("")));
    assert!(!passes(&raise(""), &look("ordering=acquire")));
}

#[test]
fn an_order_within_the_workgroup_does_not_reach_another() {
    let raise = "atomic.store @f[0u32], 1u32 ordering=release";
    let look = "%x = atomic.load u32 @f[0u32] ordering=acquire";
    assert!(!passes(&format!("{raise} scope=workgroup"), look));
    assert!(!passes(raise, &format!("{look} scope=workgroup")));
    assert!(passes(&format!("{raise} scope=system"), look));
}

#[test]
fn fences_order_relaxed_accesses() {
    let raise = "atomic.store @f[0u32], 1u32";
    let look = "%x = atomic.load u32 @f[0u32]";
    assert!(passes(&format!("fence ordering=release\n {raise}"), &format!("{look}\n fence ordering=acquire")));
    assert!(passes(&format!("fence ordering=acq_rel\n {raise}"), &format!("{look} ordering=acquire")));
    assert!(!passes(&format!("{raise}\n fence ordering=release"), &format!("{look}\n fence ordering=acquire")));
    assert!(!passes(&format!("fence ordering=release\n {raise}"), &format!("fence ordering=acquire\n {look}")));
}

#[test]
fn a_read_modify_write_passes_a_release_on() {
    let raise = "atomic.store @f[0u32], 1u32 ordering=release\n %o = atomic.add @f[0u32], 1u32";
    assert!(passes(raise, "%x = atomic.load u32 @f[0u32] ordering=acquire"));
    let raise = "atomic.store @f[0u32], 1u32 ordering=release\n atomic.store @f[0u32], 2u32";
    let program = program(&message(raise, "%x = atomic.load u32 @f[0u32] ordering=acquire"));
    let (y, f) = (Words::zeroed(8), Words::zeroed(4));
    let args = [Arg::Buffer { words: &y, offset: 0, len: 2 }, Arg::Buffer { words: &f, offset: 0, len: 1 }];
    assert!(!program.judge([2, 1, 1], &args, &Judge::default()).is_sound());
}

#[test]
fn what_a_workgroup_acquired_it_knows_after_a_barrier() {
    let source = |barrier: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32], @f: atomic [u32]) {{
                %g = workgroup_id.x
                %l = local_id.x
                %first = eq %g, 0u32
                if %first {{
                    store @y[%l], 42u32
                    barrier
                    %lead = eq %l, 0u32
                    if %lead {{ atomic.store @f[0u32], 1u32 ordering=release }}
                }} else {{
                    %lead2 = eq %l, 1u32
                    if %lead2 {{
                        loop 'w {{
                            %x = atomic.load u32 @f[0u32] ordering=acquire
                            %up = ne %x, 0u32
                            if %up {{ break 'w }}
                            continue 'w
                        }}
                    }}
                    {barrier}
                    %o = sub 1u32, %l
                    %n = load u32 @y[%o]
                    %at = add %l, 2u32
                    store @y[%at], %n
                }}
                ret
            }}"
        )
    };
    let sound = |source: &str, schedule| {
        let (y, f) = (Words::zeroed(16), Words::zeroed(4));
        let args = [Arg::Buffer { words: &y, offset: 0, len: 4 }, Arg::Buffer { words: &f, offset: 0, len: 1 }];
        program(source).judge([2, 1, 1], &args, &Judge { schedule, max_steps: None }).is_sound()
    };
    for schedule in SEEDS {
        assert!(sound(&source("barrier"), schedule), "{schedule:?}");
        assert!(!sound(&source(""), schedule), "{schedule:?}");
    }
}

#[test]
fn a_spinlock_with_orders_guards_plain_memory() {
    let source = |acquire: &str, release: &str| {
        format!(
            "func kernel workgroup_size(4, 1, 1) @k(@y: mut [u32], @f: atomic [u32]) {{
                loop 'take {{
                    %old = atomic.cmpxchg @f[0u32], 0u32, 1u32 {acquire}
                    %mine = eq %old, 0u32
                    if %mine {{ break 'take }}
                    continue 'take
                }}
                %n = load u32 @y[0u32]
                %more = add %n, 1u32
                store @y[0u32], %more
                atomic.store @f[0u32], 0u32 {release}
                ret
            }}"
        )
    };
    for schedule in SEEDS {
        for (acquire, release, expected) in [("ordering=acquire", "ordering=release", true), ("", "", false)] {
            let (y, f) = (Words::zeroed(4), Words::zeroed(4));
            let args = [Arg::Buffer { words: &y, offset: 0, len: 1 }, Arg::Buffer { words: &f, offset: 0, len: 1 }];
            let judge = Judge { schedule, max_steps: Some(1_000_000) };
            let verdict = program(&source(acquire, release)).judge([3, 1, 1], &args, &judge);
            assert_eq!(verdict.is_sound(), expected, "{schedule:?}: {:?}", verdict.findings);
            assert_eq!(y.read(0..4), [12, 0, 0, 0]);
        }
    }
}

#[test]
fn atomics_of_a_workgroup_race_with_those_of_another() {
    let source = |scope: &str| {
        format!(
            "func kernel workgroup_size(2, 1, 1) @k(@y: atomic [u32]) {{
                %o = atomic.add @y[0u32], 1u32 scope={scope}
                ret
            }}"
        )
    };
    has_no_race(&source("workgroup"), 1);
    has_no_race(&source("device"), 2);
    for schedule in SEEDS {
        assert_eq!(races(&source("workgroup"), 2, schedule).len(), 1);
        assert_eq!(races(&source("invocation"), 1, schedule).len(), 1);
    }
}
