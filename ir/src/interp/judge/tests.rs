//! The judge at work: each finding planted, and its correct twin without it.

use super::*;
use crate::check::check;
use crate::interp::Words;
use crate::ops::AtomicOp;
use crate::text::parse;

pub(super) const SEEDS: [Schedule; 8] = [
    Schedule::Forward,
    Schedule::Reversed,
    Schedule::Random(0),
    Schedule::Random(1),
    Schedule::Random(2),
    Schedule::Random(3),
    Schedule::Random(4),
    Schedule::Random(1 << 40),
];

#[track_caller]
pub(super) fn program(source: &str) -> Program {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    Program::new(&checked, 0).expect("a function")
}

/// A program whose barriers the checks would refuse.
#[track_caller]
fn unchecked(source: &str) -> Program {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    Program::of(&module.types, &module.functions[0])
}

/// What the judge says of a launch with one buffer of words, and what is in the buffer then.
fn judge(program: &Program, groups: u32, y: &[u32], schedule: Schedule) -> (Verdict, Vec<u32>) {
    let bytes: Vec<u8> = y.iter().flat_map(|value| value.to_le_bytes()).collect();
    let words = Words::from_bytes(&bytes);
    let args = [Arg::Buffer { words: &words, offset: 0, len: y.len() as u32 }];
    let verdict = program.judge([groups, 1, 1], &args, &Judge { schedule, max_steps: Some(10_000_000) });
    let bytes = words.read(0..words.bytes());
    let out = bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
    (verdict, out.collect())
}

/// A kernel with the buffer `@y: mut [u32]`, workgroup memory `@t` of eight words, and `%i`, `%l`, `%g`.
fn kernel(size: u32, body: &str) -> String {
    format!(
        "func kernel workgroup_size({size}, 1, 1) @k(@y: mut [u32]) {{
            shared @t: [u32; 8]
            %i = global_id.x
            %l = local_id.x
            %g = workgroup_id.x
            {body}
            ret
        }}"
    )
}

/// The races of a kernel under a schedule, as pairs of what the two sides do.
#[track_caller]
pub(super) fn races(source: &str, groups: u32, schedule: Schedule) -> Vec<(String, String, String)> {
    let (verdict, _) = judge(&program(source), groups, &[0; 8], schedule);
    assert_eq!(verdict.fault, None);
    let race = |finding: &Finding| match finding {
        Finding::Race { root, element, first, second, .. } => {
            let mut sides = [first.action.to_string(), second.action.to_string()];
            sides.sort();
            let [a, b] = sides;
            Some((format!("{root}[{element}]"), a, b))
        }
        Finding::OutOfBounds { .. } | Finding::Unwritten { .. } => None,
    };
    verdict.findings.iter().filter_map(race).collect()
}

/// Under every schedule the kernel has exactly this race, between these actions.
#[track_caller]
fn has_race(source: &str, groups: u32, root: &str, a: &str, b: &str) {
    for schedule in SEEDS {
        let found = races(source, groups, schedule);
        assert_eq!(found, [(root.to_owned(), a.to_owned(), b.to_owned())], "{schedule:?}");
    }
}

#[track_caller]
pub(super) fn has_no_race(source: &str, groups: u32) {
    for schedule in SEEDS {
        assert_eq!(races(source, groups, schedule), [], "{schedule:?}");
    }
}

// Races.

#[test]
fn workgroup_memory_without_a_barrier_between_is_a_race() {
    let exchange = |barrier: &str| {
        kernel(2, &format!("store @t[%l], %i {barrier}\n %o = sub 1u32, %l\n %x = load u32 @t[%o]\n store @y[%i], %x"))
    };
    let found = races(&exchange(""), 1, Schedule::Forward);
    assert_eq!(found, [("t[1]".to_owned(), "loads".to_owned(), "stores".to_owned())]);
    for schedule in SEEDS {
        assert!(!races(&exchange(""), 1, schedule).is_empty(), "{schedule:?}");
    }
    has_no_race(&exchange("\n barrier\n"), 4);
}

#[test]
fn a_buffer_written_by_one_group_and_read_by_another_is_a_race() {
    let source = |own: &str| {
        kernel(
            1,
            &format!(
                "store @y[%g], 7u32
                barrier
                %other = xor %g, {own}
                %x = load u32 @y[%other]
                %at = add %g, 4u32
                store @y[%at], %x"
            ),
        )
    };
    for schedule in SEEDS {
        let found = races(&source("1u32"), 2, schedule);
        assert_eq!(found.len(), 1, "{schedule:?}");
        assert_eq!((&*found[0].1, &*found[0].2), ("loads", "stores"));
    }
    has_no_race(&source("0u32"), 2);
}

#[test]
fn a_barrier_orders_buffers_within_its_workgroup() {
    let source = |barrier| {
        kernel(
            2,
            &format!("store @y[%l], %i\n {barrier}\n %o = sub 1u32, %l\n %x = load u32 @y[%o]\n store @t[%l], %x"),
        )
    };
    has_no_race(&source("barrier"), 1);
    assert!(!races(&source(""), 1, Schedule::Random(3)).is_empty());
}

#[test]
fn two_stores_of_one_constant_are_a_race() {
    has_race(&kernel(4, "store @y[2u32], 5u32"), 1, "y[2]", "stores", "stores");
    has_no_race(&kernel(4, "%first = eq %i, 0u32\n if %first { store @y[2u32], 5u32 }"), 1);
}

#[test]
fn two_stores_of_different_groups_are_a_race() {
    has_race(&kernel(1, "store @y[2u32], 5u32"), 3, "y[2]", "stores", "stores");
    has_no_race(&kernel(1, "store @y[%i], 5u32"), 3);
}

#[test]
fn readers_alone_do_not_race() {
    has_no_race(&kernel(4, "%x = load u32 @y[0u32]\n %at = add %i, 0u32\n store @t[%l], %x"), 8);
}

#[test]
fn many_readers_and_one_writer_race() {
    let source = kernel(4, "%w = eq %i, 9u32\n if %w { store @y[0u32], 1u32 } else { %x = load u32 @y[0u32] }");
    for schedule in SEEDS {
        assert_eq!(races(&source, 4, schedule).len(), 1, "{schedule:?}");
    }
}

/// Memory of atomics that is read as if it were plain, which the checks refuse.
fn mixed(plain: bool) -> String {
    let access = if plain { "%x = load u32 @y[0u32]" } else { "%x = atomic.load u32 @y[0u32]" };
    format!(
        "func kernel workgroup_size(4, 1, 1) @k(@y: atomic [u32]) {{
            %i = global_id.x
            %c = eq %i, 2u32
            if %c {{ {access} }} else {{ %o = atomic.add @y[0u32], 1u32 }}
            ret
        }}"
    )
}

#[test]
fn atomics_race_with_plain_accesses_and_not_with_each_other() {
    for schedule in SEEDS {
        let (verdict, y) = judge(&unchecked(&mixed(true)), 1, &[0], schedule);
        let [Finding::Race { root, element: 0, first, second, .. }] = &verdict.findings[..] else {
            panic!("{schedule:?}: {:?}", verdict.findings)
        };
        assert_eq!(root, "y");
        let sides = [first, second];
        let load = sides.iter().find(|side| side.action == Action::Load).expect("the load");
        assert_eq!(load.invocation, [2, 0, 0]);
        assert!(sides.iter().any(|side| side.action == Action::Atomic(AtomicOp::Add)));
        assert_eq!(y, [3]);
        let (verdict, y) = judge(&unchecked(&mixed(false)), 1, &[0], schedule);
        assert_eq!(verdict.findings, []);
        assert_eq!(y, [3]);
    }
}

#[test]
fn a_race_is_reported_once_for_each_pair_of_places() {
    let (verdict, _) =
        judge(&program(&kernel(8, "store @y[2u32], %i\n store @y[3u32], %i")), 4, &[0; 8], Schedule::Forward);
    let times: Vec<u64> = verdict
        .findings
        .iter()
        .map(|finding| match finding {
            Finding::Race { times, .. } => *times,
            Finding::OutOfBounds { .. } | Finding::Unwritten { .. } => 0,
        })
        .collect();
    assert_eq!(times.len(), 2);
    assert!(times.iter().all(|&times| times >= 31), "{times:?}");
}

#[test]
fn findings_are_limited_in_number() {
    let stores: String = (0..100).map(|_| "store @y[0u32], %i\n").collect();
    let (verdict, _) = judge(&program(&kernel(2, &stores)), 1, &[0; 8], Schedule::Forward);
    assert_eq!(verdict.findings.len(), 64);
    assert!(verdict.left_out > 0);
    assert!(verdict.render("k.gir", "").ends_with("more findings are not shown\n"));
}

#[test]
fn a_race_is_shown_at_both_places() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
    %i = global_id.x
    store @y[%i], %i
    %o = sub 1u32, %i
    %x = load u32 @y[%o]
    store @y[%o], %x
    ret
}";
    let (verdict, _) = judge(&program(source), 1, &[0; 2], Schedule::Forward);
    let shown = verdict.render("k.gir", source);
    let expected =
        "error: race on `y[0]`: invocation (0, 0, 0) stores, invocation (1, 0, 0) loads, and nothing orders the two
 --> k.gir:5:10
  |
5 |     %x = load u32 @y[%o]
  |          ^
note: invocation (0, 0, 0) stores here
 --> k.gir:3:5
  |
3 |     store @y[%i], %i
  |     ^
";
    assert!(shown.contains(expected), "{shown}");
}

#[test]
fn the_element_of_a_race_is_that_of_the_common_bytes() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u8]) {
        %i = global_id.x
        %c = eq %i, 1u32
        if %c { store @y[5u32], 1u8 } else { store @y[5u32], 2u8 }
        store @y[%i], 3u8
        ret
    }";
    has_race(source, 1, "y[5]", "stores", "stores");
}

// Schedules.

#[test]
fn schedules_change_the_result_of_a_race_and_of_nothing_else() {
    let racy = program(&kernel(4, "store @y[0u32], %i"));
    assert_eq!(judge(&racy, 2, &[9; 8], Schedule::Forward).1[0], 7);
    assert_eq!(judge(&racy, 2, &[9; 8], Schedule::Reversed).1[0], 0);
    let mut seen: Vec<u32> = (0..40).map(|seed| judge(&racy, 2, &[9; 8], Schedule::Random(seed)).1[0]).collect();
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() > 4, "{seen:?}");
    let sound =
        program(&kernel(4, "store @t[%l], %i\n barrier\n %o = sub 3u32, %l\n %x = load u32 @t[%o]\n store @y[%i], %x"));
    for schedule in SEEDS {
        let (verdict, y) = judge(&sound, 2, &[9; 8], schedule);
        assert!(verdict.is_sound() && verdict.findings.is_empty(), "{schedule:?}: {:?}", verdict.findings);
        assert_eq!(y, [3, 2, 1, 0, 7, 6, 5, 4]);
    }
}

#[test]
fn invocations_of_different_groups_are_interleaved() {
    // Both groups read, then both write: one of the two increments is lost.
    let racy = program(&kernel(1, "%x = load u32 @y[0u32]\n %n = add %x, 1u32\n store @y[0u32], %n"));
    assert_eq!(judge(&racy, 2, &[0; 8], Schedule::Forward).1[0], 2);
    assert!((0..40).any(|seed| judge(&racy, 2, &[0; 8], Schedule::Random(seed)).1[0] == 1));
}

#[test]
fn a_seed_gives_the_same_run_again() {
    let racy = program(&kernel(4, "%x = load u32 @y[0u32]\n %n = add %x, %i\n store @y[0u32], %n"));
    for schedule in SEEDS {
        assert_eq!(judge(&racy, 4, &[0; 8], schedule), judge(&racy, 4, &[0; 8], schedule));
    }
}

#[test]
fn steps_are_those_of_a_plain_run() {
    let program = program(&kernel(4, "%x = load u32 @y[0u32]\n store @t[%l], %x\n barrier"));
    let words = Words::zeroed(32);
    let args = [Arg::Buffer { words: &words, offset: 0, len: 8 }];
    let plain = program.run([5, 1, 1], &args, &crate::interp::Options::default()).expect("no fault");
    for schedule in SEEDS {
        assert_eq!(judge(&program, 5, &[0; 8], schedule).0.report, plain);
    }
}

// Places.

#[test]
fn accesses_out_of_bounds_are_counted_by_place() {
    let source = kernel(4, "%at = add %i, 6u32\n store @y[%at], 1u32\n %x = load u32 @t[%at]\n store @t[%l], %x");
    let (verdict, _) = judge(&program(&source), 1, &[0; 8], Schedule::Forward);
    let found: Vec<(&str, u64, Action, u64)> = verdict
        .findings
        .iter()
        .filter_map(|finding| match finding {
            Finding::OutOfBounds { root, element, access, times } => Some((&**root, *element, access.action, *times)),
            Finding::Race { .. } | Finding::Unwritten { .. } => None,
        })
        .collect();
    assert_eq!(found, [("y", 8, Action::Store, 2), ("t", 8, Action::Load, 2)]);
    assert_eq!(verdict.report.out_of_bounds, 4);
    assert!(verdict.is_sound());
}

#[test]
fn workgroup_memory_that_nothing_wrote_is_noticed() {
    let source = |store: &str| kernel(2, &format!("{store}\n barrier\n %x = load u32 @t[%l]\n store @y[%i], %x"));
    let (verdict, _) = judge(&program(&source("")), 1, &[0; 8], Schedule::Forward);
    let [Finding::Unwritten { root, element: 0, access, times: 2 }] = &verdict.findings[..] else {
        panic!("{:?}", verdict.findings)
    };
    assert_eq!((&**root, access.invocation), ("t", [0, 0, 0]));
    // What one group wrote is not written in the next.
    let first = source("%first = eq %g, 0u32\n if %first { store @t[%l], 1u32 }");
    let (verdict, _) = judge(&program(&first), 2, &[0; 8], Schedule::Forward);
    assert_eq!(verdict.findings.len(), 1);
    let (verdict, _) = judge(&program(&source("store @t[%l], 1u32")), 2, &[0; 8], Schedule::Forward);
    assert_eq!(verdict.findings, []);
}

// Barriers.

#[test]
fn a_barrier_that_one_invocation_misses_is_a_fault() {
    let source = kernel(4, "%c = eq %l, 2u32\n if %c { ret }\n barrier");
    for schedule in SEEDS {
        let fault = judge(&unchecked(&source), 1, &[0; 8], schedule).0.fault.expect("a fault");
        assert_eq!(
            fault.reason(),
            "not every invocation of workgroup (0, 0, 0) reaches the same barrier: \
             local id (0, 0, 0) waits at one, but local id (2, 0, 0) has returned"
        );
    }
}

#[test]
fn different_barriers_are_a_fault_at_both_places() {
    let source = kernel(2, "%c = eq %l, 0u32\n if %c { barrier } else { barrier }");
    let verdict = judge(&unchecked(&source), 1, &[0; 8], Schedule::Reversed).0;
    let fault = verdict.fault.as_ref().expect("a fault");
    assert!(matches!(fault, Fault::DivergentBarrier { waiting: [0, 0, 0], other: [1, 0, 0], .. }), "{fault:?}");
    let shown = verdict.render("k.gir", &source);
    assert_eq!(shown.matches("--> k.gir:7:").count(), 2, "{shown}");
    assert!(shown.contains("note: local id (1, 0, 0) waits here"), "{shown}");
}

#[test]
fn a_subgroup_op_that_one_invocation_misses_is_a_fault() {
    let source = kernel(4, "%c = eq %l, 2u32\n if %c { ret }\n %s = subgroup.add %l");
    for schedule in SEEDS {
        let fault = judge(&unchecked(&source), 1, &[0; 8], schedule).0.fault;
        assert!(matches!(fault, Some(Fault::DivergentBarrier { other: [2, 0, 0], .. })), "{fault:?}");
    }
    let source = kernel(2, "%c = eq %l, 0u32\n if %c { %a = subgroup.add %l } else { %b = subgroup.add %l }");
    let fault = judge(&unchecked(&source), 1, &[0; 8], Schedule::Forward).0.fault;
    assert!(matches!(fault, Some(Fault::DivergentBarrier { other_barrier: Some(_), .. })), "{fault:?}");
}

#[test]
fn a_subgroup_op_orders_no_memory() {
    let source = |between: &str| {
        let body = "store @t[%l], %l\n BETWEEN\n %o = sub 1u32, %l\n %x = load u32 @t[%o]\n store @y[%i], %x";
        kernel(2, &body.replace("BETWEEN", between))
    };
    for schedule in SEEDS {
        let (verdict, _) = judge(&program(&source("%s = subgroup.add %l")), 1, &[0; 8], schedule);
        assert!(matches!(verdict.findings[..], [Finding::Race { .. }, ..]), "{:?}", verdict.findings);
        let (verdict, _) = judge(&program(&source("%s = subgroup.add %l\n barrier")), 1, &[0; 8], schedule);
        assert_eq!(verdict.findings, []);
    }
}

#[test]
fn lanes_get_the_same_in_every_order() {
    let source = kernel(40, "%s = subgroup.inclusive_add %l\n store @y[%i], %s");
    let expected: Vec<u32> = (0..40).map(|i| if i < 32 { i * (i + 1) / 2 } else { (32..=i).sum() }).collect();
    for schedule in SEEDS {
        let (verdict, words) = judge(&program(&source), 1, &[0; 40], schedule);
        assert!(verdict.is_sound());
        assert_eq!(words, expected);
    }
}

#[test]
fn one_barrier_in_different_rounds_is_a_fault() {
    // The second invocation goes past the barrier in the first round.
    let source = |skips: u32| {
        kernel(
            2,
            &format!(
                "loop 'l (%n: u32 = 0u32) {{
                    %end = eq %n, 3u32
                    if %end {{ break 'l }}
                    %next = add %n, 1u32
                    %first = eq %n, 0u32
                    %second = eq %l, {skips}u32
                    %both = and %first, %second
                    if %both {{ continue 'l %next }}
                    barrier
                    continue 'l %next
                }}"
            ),
        )
    };
    for schedule in SEEDS {
        let fault = judge(&unchecked(&source(1)), 1, &[0; 8], schedule).0.fault.expect("a fault");
        assert_eq!(
            fault.reason(),
            "not every invocation of workgroup (0, 0, 0) reaches a barrier in the same round of the loop around it: \
             local id (0, 0, 0) waits in round 1, but local id (1, 0, 0) in round 2"
        );
        assert_eq!(judge(&unchecked(&source(9)), 1, &[0; 8], schedule).0.fault, None);
    }
}

#[test]
fn rounds_of_an_inner_loop_are_counted_anew() {
    // In the first outer round the two invocations take different numbers of inner rounds,
    // without a barrier; in the second the same number, with one.
    let source = kernel(
        2,
        "loop 'o (%n: u32 = 0u32) {
            %end = eq %n, 2u32
            if %end { break 'o }
            %second = eq %n, 1u32
            %many = add %l, 1u32
            %rounds = select %second, 2u32, %many
            loop 'm (%k: u32 = 0u32) {
                %stop = ge %k, %rounds
                if %stop { break 'm }
                if %second { barrier }
                %j = add %k, 1u32
                continue 'm %j
            }
            %next = add %n, 1u32
            continue 'o %next
        }",
    );
    for schedule in SEEDS {
        assert_eq!(judge(&unchecked(&source), 1, &[0; 8], schedule).0.fault, None);
    }
}

// Waiting for each other.

/// Takes the lock `@y[0]`, adds one to `@y[1]`, and gives the lock back, or does not.
fn spinlock(release: &str) -> String {
    format!(
        "func kernel workgroup_size(4, 1, 1) @k(@y: atomic [u32]) {{
            loop 'take {{
                %old = atomic.cmpxchg @y[0u32], 0u32, 1u32
                %mine = eq %old, 0u32
                if %mine {{ break 'take }}
                continue 'take
            }}
            %x = atomic.load u32 @y[1u32]
            %n = add %x, 1u32
            atomic.store @y[1u32], %n
            {release}
            ret
        }}"
    )
}

#[test]
fn a_spinlock_is_passed_on_under_every_schedule() {
    for schedule in SEEDS {
        let (verdict, y) = judge(&program(&spinlock("atomic.store @y[0u32], 0u32")), 3, &[0; 2], schedule);
        assert!(verdict.is_sound(), "{schedule:?}: {:?}", verdict.fault);
        assert_eq!(y, [0, 12]);
    }
}

#[test]
fn a_lock_that_nobody_gives_back_is_a_livelock() {
    let source = spinlock("");
    for schedule in SEEDS {
        let verdict = judge(&program(&source), 3, &[0; 2], schedule).0;
        let Some(Fault::Livelock { root, element: 0, caught: 11, waiting: 0, .. }) = &verdict.fault else {
            panic!("{schedule:?}: {:?}", verdict.fault)
        };
        assert_eq!(root.as_deref(), Some("y"));
        let shown = verdict.render("k.gir", &source);
        assert!(shown.contains("--> k.gir:3:"), "{shown}");
        assert!(shown.contains("note: this loop goes on for ever\n --> k.gir:2:"), "{shown}");
    }
}

#[test]
fn a_loop_that_does_nothing_waits_for_no_memory() {
    for before in ["", "store @y[%l], 1u32"] {
        let source = kernel(2, &format!("{before}\nloop 'l {{\n continue 'l\n }}"));
        for schedule in SEEDS {
            let verdict = judge(&program(&source), 1, &[0; 2], schedule).0;
            let fault = verdict.fault.as_ref().expect("a fault").reason();
            let (first, rest) = (
                fault.strip_prefix("livelock: invocation ("),
                " is in a loop that goes on for ever and changes nothing, and so does 1 more",
            );
            assert!(first.is_some_and(|text| text.ends_with(rest)), "{fault}");
            let line = source.lines().position(|line| line.contains("loop 'l")).expect("a loop") + 1;
            let shown = verdict.render("k.gir", &source);
            assert!(shown.contains(&format!(" --> k.gir:{line}:")) && !shown.contains("note:"), "{shown}");
        }
    }
}

#[test]
fn invocations_that_take_turns_are_endless_together() {
    let counting = "loop 'l (%n: u32 = 0u32) {\n %next = add %n, 1u32\n BARRIER\n continue 'l %next\n }";
    for (barrier, schedules) in [("barrier", &SEEDS[..]), ("", &SEEDS[..])] {
        let source = kernel(64, &counting.replace("BARRIER", barrier));
        let program = program(&source).with_invocation_steps(100_000);
        for &schedule in schedules {
            let fault = judge(&program, 1, &[0], schedule).0.fault.expect("a fault");
            let Fault::Endless { together: Some(64), limit: 1_600_000, loops, .. } = &fault else {
                panic!("{fault:?}")
            };
            assert_eq!(loops.len(), 1, "{schedule:?}: {fault:?}");
        }
    }
}

#[test]
fn a_lock_that_is_tried_and_counted_is_a_livelock_as_well() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: atomic [u32]) {
        loop 'take (%n: u32 = 0u32) {
            %old = atomic.cmpxchg @y[0u32], 0u32, 1u32
            %mine = eq %old, 0u32
            if %mine { break 'take }
            %more = add %n, 1u32
            continue 'take %more
        }
        ret
    }";
    let verdict = judge(&program(source), 2, &[0; 2], Schedule::Forward).0;
    assert!(matches!(verdict.fault, Some(Fault::Livelock { caught: 1, .. })), "{:?}", verdict.fault);
}

#[test]
fn those_that_wait_at_a_barrier_are_named_in_a_livelock() {
    let source = kernel(
        4,
        "%c = eq %l, 0u32
        if %c {
            loop 'w {
                %x = load u32 @t[7u32]
                %go = ne %x, 0u32
                if %go { break 'w }
                continue 'w
            }
        }
        barrier
        store @t[7u32], 1u32",
    );
    let fault = judge(&unchecked(&source), 1, &[0; 8], Schedule::Random(2)).0.fault.expect("a fault");
    assert_eq!(
        fault.reason(),
        "livelock: invocation (0, 0, 0) waits in a loop for a change of `t[7]` that no invocation will make, \
         and 3 wait at a barrier"
    );
}

#[test]
fn a_group_may_wait_for_one_that_begins_later() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: atomic [u32]) {
        %g = workgroup_id.x
        %first = eq %g, 0u32
        if %first {
            loop 'w {
                %x = atomic.load u32 @y[0u32]
                %go = eq %x, 5u32
                if %go { break 'w }
                continue 'w
            }
        } else {
            %o = atomic.add @y[0u32], 1u32
        }
        ret
    }";
    for schedule in SEEDS {
        let (verdict, y) = judge(&program(source), 6, &[0], schedule);
        assert_eq!((verdict.fault, y), (None, vec![5]), "{schedule:?}");
    }
}

#[test]
fn a_long_loop_that_reads_is_no_livelock() {
    let source = kernel(
        1,
        "%sum = loop 'l (%n: u32 = 0u32, %acc: u32 = 0u32) -> u32 {
            %end = eq %n, 100000u32
            if %end { break 'l %acc }
            %x = load u32 @y[1u32]
            %more = add %acc, %x
            %next = add %n, 1u32
            continue 'l %next, %more
        }
        store @y[%g], %sum",
    );
    let (verdict, y) = judge(&program(&source), 1, &[0, 3], Schedule::Forward);
    assert_eq!((verdict.fault, y), (None, vec![300_000, 3]));
}

#[test]
fn an_endless_loop_of_its_own_ends_at_the_step_limit() {
    let source = kernel(1, "loop 'l (%n: u32 = 0u32) {\n %next = add %n, 1u32\n continue 'l %next\n }\n unreachable");
    let source = source.replace("unreachable\n            ret", "ret");
    let program = program(&source);
    let verdict = program.judge(
        [1, 1, 1],
        &[Arg::Buffer { words: &Words::zeroed(4), offset: 0, len: 1 }],
        &Judge { max_steps: Some(100_000), ..Judge::default() },
    );
    assert_eq!(verdict.fault, Some(Fault::StepLimit { kernel: "k".to_owned(), limit: 100_000 }));
}

#[test]
fn arguments_that_do_not_fit_are_a_fault() {
    let verdict = program(&kernel(1, "")).judge([1, 1, 1], &[], &Judge::default());
    assert!(matches!(verdict.fault, Some(Fault::Arguments { .. })));
    assert_eq!(program(&kernel(1, "")).judge([0, 1, 1], &[Arg::Scalar([0; 4])], &Judge::default()).findings, []);
}
