//! Each idiom in both directions: proven, and not proven once something is taken away.

mod grid;
mod group;
mod idioms;
mod mutants;
mod random;

use super::*;
use crate::check::check;
use crate::text::parse;

fn races_of(source: &str) -> (Races, Function) {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    let (function, findings) = checked.function(0).expect("a function");
    (Races::of(&checked.module().types, function, &findings.uniform), function.clone())
}

fn described(source: &str) -> String {
    let (races, function) = races_of(source);
    let line = |loc: crate::loc::Loc| {
        let (line, _) = crate::diag::line_column(source, loc.index()? as usize);
        Some(source.lines().nth(line - 1)?.trim().to_owned())
    };
    races.describe(&function, line)
}

/// A kernel that is proven under some conditions, and changes each of which takes that away.
#[track_caller]
fn rests_on(source: &str, expected: &[&str], changes: &[(&str, &str)]) {
    let (races, function) = races_of(source);
    let found: Vec<String> = match &races.verdict {
        RaceVerdict::Free => Vec::new(),
        RaceVerdict::FreeIf(conditions) => conditions.iter().map(|one| one.display(&function)).collect(),
        RaceVerdict::Unproven(_) => panic!("{source}\n{}", described(source)),
    };
    assert_eq!(found, expected, "{source}");
    for (from, to) in changes {
        let changed = source.replacen(from, to, 1);
        assert_ne!(changed, source, "{from}");
        let (races, _) = races_of(&changed);
        assert!(matches!(races.verdict, RaceVerdict::Unproven(_)), "{changed}\n{}", described(&changed));
    }
}

const YZ: &[&str] = &["groups.y == 1", "groups.z == 1"];

/// A kernel of 64 invocations with `%i`, `%l` and `%g`.
fn kernel(params: &str, body: &str) -> String {
    let (shared, body): (Vec<&str>, Vec<&str>) = body.lines().partition(|line| line.starts_with("shared"));
    let (shared, body) = (shared.join("\n"), body.join("\n"));
    format!(
        "func kernel workgroup_size(64, 1, 1) @k({params}) {{
            {shared}
            %i = global_id.x
            %l = local_id.x
            %g = workgroup_id.x
            {body}
            ret
        }}"
    )
}

#[test]
fn a_kernel_without_stores_is_free() {
    rests_on(&kernel("@x: [u32], @h: atomic [u32]", "%v = load u32 @x[%i]\n%0 = atomic.add @h[0u32], %v"), &[], &[]);
    assert_eq!(described("func @f(@y: mut [u32]) { store @y[0u32], 1u32 ret }"), "race-free and deterministic\n");
}

#[test]
fn a_finding_says_who_may_meet() {
    let source = kernel("@y: mut [u32]", "%j = shr %i, 1u32\nstore @y[%j], %i");
    let expected = "not proven race-free
  store to `y` and itself: two invocations of a workgroup may access the same bytes, such as those with local ids (0, 0, 0) and (1, 0, 0)
    --> store @y[%j], %i
";
    assert_eq!(described(&source), expected);
    let source = kernel("@y: mut [u32]", "%z = eq %l, 3u32\nif %z {\n%j = shr %g, 1u32\nstore @y[%j], %i\n}");
    let shown = described(&source);
    assert!(shown.contains("such as (3, 0, 0) of workgroup (0, 0, 0) and (3, 0, 0) of workgroup (1, 0, 0)"), "{shown}");
}

#[test]
fn one_workgroup_may_be_a_condition() {
    rests_on(&kernel("@y: mut [u32]", "store @y[%l], %i"), &["groups.x == 1", "groups.y == 1", "groups.z == 1"], &[]);
    rests_on(
        &kernel("@y: mut [u32]", "%z = eq %l, 0u32\nif %z { store @y[0u32], %i }"),
        &["groups.x == 1", "groups.y == 1", "groups.z == 1"],
        &[("if %z", "%y = lt %l, 2u32\nif %y")],
    );
}

#[test]
fn the_order_of_atomics_may_matter() {
    let ordered = |body: &str| {
        let (races, function) = races_of(&kernel("@x: [u32], @h: atomic [u32], @f: atomic [f32], @y: mut [u32]", body));
        assert_ne!(races.is_deterministic(), !races.ordered.is_empty());
        let lines: Vec<String> = races.ordered.iter().map(|&inst| format!("{:?}", function.insts[inst].kind)).collect();
        lines.len()
    };
    assert_eq!(ordered("%0 = atomic.add @h[0u32], 1u32\n%1 = atomic.sub @h[1u32], %i"), 0);
    assert_eq!(ordered("%0 = atomic.add @h[0u32], 1u32\nstore @y[%i], %0"), 1);
    assert_eq!(ordered("%0 = atomic.add @h[0u32], 1u32\n%1 = atomic.max @h[0u32], 1u32"), 2);
    assert_eq!(ordered("%0 = atomic.add @h[0u32], 1u32\n%1 = atomic.max @h[1u32], 1u32"), 0);
    assert_eq!(ordered("%0 = atomic.add @f[0u32], 1.0f32"), 1);
    assert_eq!(ordered("%0 = atomic.add @h[0u32], 1u32\n%1 = atomic.load u32 @h[0u32]"), 2);
    assert_eq!(ordered("atomic.store @h[0u32], %i"), 1);
    assert_eq!(ordered("%0 = atomic.exchange @h[0u32], %i"), 1);
    // In workgroup memory a barrier orders them.
    let counts = "shared @b: atomic [u32; 64]\natomic.store @b[%l], 0u32\nBARRIER\n%v = load u32 @x[%i]\n%0 = atomic.add @b[%v], 1u32\nbarrier\n%n = atomic.load u32 @b[%l]\n%1 = atomic.add @h[%l], %n";
    assert_eq!(ordered(&counts.replace("BARRIER", "barrier")), 0);
    assert_eq!(ordered(&counts.replace("BARRIER", "")), 2);
}

#[test]
fn atomics_of_a_narrow_scope_race_between_workgroups() {
    let source = kernel("@h: atomic [u32]", "%0 = atomic.add @h[0u32], 1u32 scope=workgroup");
    assert!(matches!(races_of(&source).0.verdict, RaceVerdict::FreeIf(conditions) if conditions.len() == 3));
}

#[test]
fn long_shifts_of_long_numbers_do_not_overflow() {
    let body = "%v = load i64 @x[%i]
        %s = shr %v, 63u32
        %u = cast %s to u64
        %n = cast %u to u32
        store @y[%n], 1u32";
    let (races, _) = races_of(&kernel("@x: [i64], @y: mut [u32]", body));
    assert!(matches!(races.verdict, RaceVerdict::Unproven(_)));
}
