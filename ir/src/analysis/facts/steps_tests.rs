//! Ranges in steps: which end, and where their numbers are.

use super::Rounds;
use super::tests::Found;

/// A range in steps as a `for` makes it, with these lines in the place of the usual ones.
struct Steps<'a> {
    /// The condition for the range to have a number.
    some: &'a str,
    step: &'a str,
    rounds: &'a str,
    far: &'a str,
    at: &'a str,
    /// What ends the loop, and what it goes on with.
    done: &'a str,
    next: &'a str,
    first_round: &'a str,
}

const USUAL: Steps<'static> = Steps {
    some: "lt %i, %n",
    step: "max %s, 1u32",
    rounds: "div %d, %step",
    far: "mul %r, %step",
    at: "add %i, %far",
    done: "eq %r, %rounds",
    next: "add %r, 1u32",
    first_round: "0u32",
};

impl Steps<'_> {
    fn found(&self) -> Found {
        let Self { some, step, rounds, far, at, done, next, first_round } = self;
        Found::of(&format!(
            "func kernel workgroup_size(64, 1, 1) @k(%s: u32, %t: u32, @y: mut [u32]) {{
                %i = global_id.x
                %n = len @y
                %c = {some}
                if %c {{
                    %last = sub %n, 1u32
                    %step = {step}
                    %d = sub %last, %i
                    %rounds = {rounds}
                    loop 'a (%r: u32 = {first_round}) {{
                        %far = {far}
                        %at = {at}
                        store @y[%at], 7u32
                        %done = {done}
                        if %done {{ break 'a }} else {{ yield }}
                        %next = {next}
                        continue 'a %next
                    }}
                    yield
                }} else {{ yield }}
                ret
            }}"
        ))
    }
}

const END: Rounds = Rounds::AtMost(1 << 32);

/// As many as a step of one makes: the last number is at most 2^32 - 2.
const ALL: Rounds = Rounds::AtMost((1 << 32) - 1);

#[test]
fn steps_of_any_length_stay_within_the_range_and_end() {
    let found = USUAL.found();
    assert_eq!((found.verdicts(), found.loops()), (vec!["proven".to_owned()], vec![ALL]));
    let constant = Steps { step: "max 32u32, 1u32", ..USUAL };
    assert_eq!(constant.found().verdicts(), ["proven"]);
    let literal = Steps { rounds: "div %d, 32u32", far: "mul 32u32, %r", at: "add %far, %i", ..USUAL };
    assert_eq!(literal.found().verdicts(), ["proven"]);
    let shifted = Steps { rounds: "shr %d, 5u32", far: "shl %r, 5u32", ..USUAL };
    assert_eq!(shifted.found().verdicts(), ["proven"]);
}

#[test]
fn steps_back_stay_within_the_range_as_well() {
    let back = Steps { at: "sub %last, %far", ..USUAL };
    assert_eq!((back.found().verdicts(), back.found().loops()), (vec!["proven".to_owned()], vec![ALL]));
}

#[test]
fn a_range_that_may_be_empty_proves_nothing() {
    assert_ne!(Steps { some: "lt %s, %n", ..USUAL }.found().verdicts(), ["proven"]);
    assert_ne!(Steps { some: "ge %i, %n", ..USUAL }.found().verdicts(), ["proven"]);
}

#[test]
fn other_steps_than_were_divided_by_prove_nothing() {
    for steps in [
        Steps { far: "mul %r, %t", ..USUAL },
        Steps { rounds: "div %d, %t", ..USUAL },
        Steps { rounds: "div %t, %step", ..USUAL },
        Steps { rounds: "div %n, %step", ..USUAL },
        Steps { rounds: "shr %d, 4u32", far: "shl %r, 5u32", ..USUAL },
        Steps { rounds: "shr %d, 37u32", far: "shl %r, 6u32", ..USUAL },
        Steps { rounds: "mul %d, %step", ..USUAL },
        Steps { at: "add %t, %far", ..USUAL },
        Steps { at: "sub %n, %far", ..USUAL },
        Steps { at: "sub %i, %far", ..USUAL },
    ] {
        assert_ne!(steps.found().verdicts(), ["proven"], "{} {} {}", steps.rounds, steps.far, steps.at);
    }
}

#[test]
fn a_round_that_may_be_missed_is_no_end() {
    for steps in [
        Steps { next: "add %r, 2u32", ..USUAL },
        Steps { next: "add %r, %t", ..USUAL },
        Steps { next: "sub %r, 1u32", ..USUAL },
        Steps { first_round: "1u32", ..USUAL },
        Steps { first_round: "%t", ..USUAL },
        Steps { done: "eq %r, %t", rounds: "div %d, %step", ..USUAL },
        Steps { done: "ne %r, %rounds", ..USUAL },
    ] {
        assert_ne!(steps.found().verdicts(), ["proven"], "{} {}", steps.next, steps.done);
    }
    for steps in [
        Steps { next: "add %r, 2u32", ..USUAL },
        Steps { first_round: "1u32", ..USUAL },
        Steps { done: "ne %r, %rounds", next: "sub %r, 1u32", ..USUAL },
    ] {
        assert_eq!(steps.found().loops(), [Rounds::Unknown], "{} {}", steps.next, steps.done);
    }
}

#[test]
fn a_count_to_a_value_that_it_does_not_begin_above_ends() {
    let count = |first: &str, guard: &str| {
        let source = format!(
            "func kernel workgroup_size(64, 1, 1) @k(%a: u32, %b: u32, @y: mut [u32]) {{
                %c = {guard}
                if %c {{
                    loop 'a (%r: u32 = {first}) {{
                        %done = eq %r, %b
                        if %done {{ break 'a }} else {{ yield }}
                        %next = add 1u32, %r
                        continue 'a %next
                    }}
                    yield
                }} else {{ yield }}
                ret
            }}"
        );
        Found::of(&source).loops()
    };
    assert_eq!(count("%a", "le %a, %b"), [END]);
    assert_eq!(count("0u32", "lt %a, %b"), [END]);
    // A number above goes round through zero, which ends as well, but that is not what is asked.
    assert_eq!(count("%a", "ge %a, %b"), [Rounds::Unknown]);
}
