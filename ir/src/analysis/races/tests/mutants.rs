//! Mutants of the idioms: what races in the judge is not said to be free.
//!
//! An idiom runs as it is, and with one line changed: a barrier goes, an index is shifted, a guard gets wider, a stride
//! is halved or doubled, a buffer is used again, an atomic becomes a load and a store. Each mutant that
//! passes the checks runs in several launches and orders. Whenever the judge sees a race, the
//! prover must have refused the kernel, or that launch.

use super::super::{RaceVerdict, Races};
use super::random::{SCHEDULES, races};
use super::{grid, group, idioms, kernel};
use crate::analysis::facts::Launch;
use crate::check::check;
use crate::flags::Flags;
use crate::interp::Program;
use crate::ir::{Inst, ParamKind};
use crate::text::parse;
use std::collections::BTreeSet;

const LEN: u32 = 1024;
/// Of launches: workgroups and scalars.
const LAUNCHES: [([u32; 3], [u64; 2]); 5] =
    [([2, 1, 1], [128, 128]), ([3, 1, 1], [48, 64]), ([1, 1, 1], [0, 4]), ([2, 2, 1], [16, 40]), ([5, 1, 1], [5, 7])];

/// Every idiom with its name.
fn idioms() -> Vec<(&'static str, String)> {
    let xy = "@x: [u32], @y: mut [u32]";
    let text = |source: &str| source.to_owned();
    vec![
        ("halving tree", text(group::REDUCE)),
        ("doubling tree", text(group::DOUBLE)),
        ("scan with two buffers", text(group::HILLIS)),
        ("scan up and down", text(group::BLELLOCH)),
        ("padded transpose", text(group::TRANSPOSE)),
        ("bitonic sort", text(group::BITONICGROUP)),
        ("swizzle", text(group::SWIZZLE)),
        ("histogram", kernel(xy, group::HISTOGRAM)),
        ("tiles", kernel("@x: [u32], %n: u32", group::TILES)),
        ("branch", kernel("%n: u32", group::BRANCH)),
        ("parity", kernel("", group::PARITY)),
        ("mirrored", kernel("@y: mut [u32], @z: mut [u32]", group::MIRRORED)),
        ("plane", text(grid::PLANE)),
        ("blocks", kernel("@y: mut [u32]", grid::BLOCKS)),
        ("grid stride", kernel(xy, grid::STRIDE)),
        ("stencil", kernel(xy, grid::STENCIL)),
        ("bitonic step", kernel("@y: mut [u32], %j: u32", grid::STEP)),
        ("leaders", kernel("@y: mut [u32]", grid::LEADERS)),
        ("tens", kernel("@y: mut [u32]", grid::TENS)),
        ("rows", text(grid::ROWS)),
        ("width", kernel("@y: mut [u32], %w: u32", grid::WIDTH)),
        ("compaction", kernel("@x: [u32], @y: mut [u32], @n: atomic [u32], %k: u32", grid::COMPACT)),
    ]
    .into_iter()
    .chain(idioms::all())
    .collect()
}

/// What one line may become.
fn changes(line: &str) -> Vec<String> {
    let mut changed = Vec::new();
    if line.trim() == "barrier" {
        changed.push(String::new());
    }
    for (from, to) in [
        // Guards.
        ("lt %", "le %"),
        ("lt %", "ne %"),
        ("gt %", "ge %"),
        ("gt %", "ne %"),
        ("gt %", "lt %"),
        ("eq %", "le %"),
        ("eq %", "ge %"),
        ("and %", "or %"),
        // Indices.
        ("add %", "sub %"),
        ("sub %", "add %"),
        ("add %", "max %"),
        ("xor %", "or %"),
        ("xor %", "add %"),
        ("rem %", "div %"),
        ("shr %", "shl %"),
        ("= mul %", "= add %"),
        ("%i]", "%l]"),
        ("%l]", "%g]"),
        ("%i]", "%g]"),
        ("%l]", "%o]"),
        ("%i", "%l"),
        ("%i", "%g"),
        ("%l", "%g"),
        ("%lx", "%ly"),
        ("%ly", "%lx"),
        ("%o", "%l"),
        ("%to", "%from"),
        ("%n, ", "%l, "),
        ("global_id", "local_id"),
        ("local_id.x", "workgroup_id.x"),
        // Strides and sizes.
        ("1u32", "2u32"),
        ("1u32", "0u32"),
        (" 0u32", " 1u32"),
        ("2u32", "1u32"),
        ("4u32", "2u32"),
        ("32u32", "16u32"),
        ("64u32", "32u32"),
        ("63u32", "62u32"),
        ("128u32", "64u32"),
        ("256u32", "128u32"),
        ("65u32", "63u32"),
        (" * 68", " * 60"),
        (" * 16]", " * 4]"),
        ("+ 16", "+ 12"),
        (" + 4", " + 0"),
        (" 64u32", " 65u32"),
        ("7u32", "5u32"),
        ("i, 1u32", "i, 5u32"),
        ("l, 63u32", "l, 31u32"),
        ("case 5u32", "case 5u32, 6u32"),
        ("rem %k", "rem %next"),
        ("mul %k", "mul %next"),
        ("@n[4u32]", "@n[0u32]"),
        ("@n[0u32]", "@n[5000u32]"),
        ("@p[%i]", "@p[%l]"),
        ("load u32 @p[%i]", "shr %i, 1u32"),
        ("10u32", "9u32"),
        // Buffers.
        ("load u32 @x", "load u32 @y"),
        ("@x[0u32]", "@x[%g]"),
        ("@z[", "@y["),
    ] {
        if let Some(at) = line.find(from) {
            changed.push(format!("{}{to}{}", &line[..at], &line[at + from.len()..]));
        }
    }
    // An atomic addition in two steps.
    if let Some((result, rest)) = line.split_once(" = atomic.add ")
        && let Some((place, by)) = rest.split_once("], ")
    {
        let result = if result.trim() == "%0" { "%unused" } else { result };
        changed.push(format!("{result} = load u32 {place}]\n%more = add {result}, {by}\nstore {place}], %more"));
    }
    changed
}

#[test]
fn what_races_in_the_judge_is_refused() {
    let (mut mutants, mut racing, mut at_launch) = (0, 0, 0);
    let mut shared = 0;
    for (name, source) in idioms() {
        let lines: Vec<&str> = source.lines().collect();
        let mut of_idiom = 0;
        let mut seen = BTreeSet::new();
        for (at, line) in lines.iter().enumerate().skip(1) {
            // What changes nothing is the idiom itself.
            for change in changes(line).into_iter().chain([(*line).to_owned()]) {
                let mut changed = lines.clone();
                changed[at] = &change;
                let mut mutant = changed.join("\n");
                // What is no atomic any more is in plain memory.
                if line.contains("atomic.add") && !change.contains("atomic.add") {
                    mutant = mutant.replace("atomic [u32", "mut [u32").replace("shared @bins: mut", "shared @bins:");
                    mutant = mutant.replace("atomic.store", "store").replace("atomic.load", "load");
                }
                if !seen.insert(mutant.clone()) {
                    continue;
                }
                let Ok(Ok(checked)) = parse(&mutant).map(check) else {
                    assert_ne!(mutant, source, "{name} is no kernel");
                    continue;
                };
                mutants += 1;
                let (function, findings) = checked.function(0).expect("a kernel");
                let verdict = Races::of(&checked.module().types, function, &findings.uniform);
                let is_racy = |inst: &Inst| function.flags[*inst].has(Flags::RACY);
                assert!(verdict.trusted.iter().all(is_racy), "{name} is trusted:\n{mutant}");
                let program = Program::new(&checked, 0).expect("a kernel");
                let mut raced = false;
                for (groups, scalars) in LAUNCHES {
                    let mut numbers = scalars.into_iter();
                    let is_scalar = |kind: &ParamKind| matches!(kind, ParamKind::Scalar(_));
                    let kinds = function.params.iter().map(|param| &param.kind);
                    let values = kinds.map(|kind| if is_scalar(kind) { numbers.next().unwrap_or(0) } else { 0 });
                    let (values, lens) = (values.collect::<Vec<_>>(), vec![LEN; function.params.len()]);
                    let is_free = verdict.is_free(&Launch { groups, lens: &lens, scalars: &values });
                    let is_free = is_free && verdict.trusted.is_empty();
                    // That it races is known, and that it may is said.
                    if raced && !is_free {
                        continue;
                    }
                    let races = |schedule| races(&program, function, (groups, scalars), LEN, schedule);
                    let found = SCHEDULES.into_iter().any(races);
                    raced |= found;
                    assert!(!found || !is_free, "{name} races with {groups:?} and {scalars:?}:\n{mutant}");
                }
                racing += usize::from(raced);
                of_idiom += usize::from(raced);
                at_launch += usize::from(raced && !matches!(verdict.verdict, RaceVerdict::Unproven(_)));
                shared += usize::from(raced && !function.shared.is_empty());
            }
        }
        assert!(of_idiom > 0, "no mutant of {name} races");
    }
    println!("{mutants} mutants, {racing} race ({shared} with workgroup memory), {at_launch} are refused at a launch");
    assert!(racing >= 100, "{racing} mutants race");
}
