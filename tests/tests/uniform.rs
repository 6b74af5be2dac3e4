//! The judgement of barriers, by random kernels: what is accepted never parts at a barrier,
//! and little of what is refused would not.
//!
//! Each kernel of [`barriers`] and of [`phases`] runs with all its inputs in three orders, whether it is
//! accepted or not. A short run is part of every test; `SAMEBITS_RANDOM=100000` makes it a
//! long one, as for `random.rs`. With `--nocapture` it prints what it counted.
//!
//! Of the kernels that are refused, less than one in twenty is harmless for all inputs. They
//! are of these kinds, by what the refusal says that the difference comes from:
//!
//! - *ids*: arithmetic on ids that comes out the same by more than bits and ranges say, such
//!   as `i ^ n != i`, or a condition on them that no input makes true;
//! - *memory*: workgroup memory and buffers, of which it is not known what is in them;
//! - *arrays*: a private array, at an index that may be that of an element that differs;
//! - *atomics*: what they give is anything, and may be compared with what it never is;
//! - *intricate*: given up.

use samebits_ir::check::{Checked, Mistake, check, check_mistaken};
use samebits_ir::diag::{Diag, Diags, render};
use samebits_ir::pass::{Level, PASSES, optimize_to, run};
use samebits_tests::random::barriers::{Case, Outcome, generate, judge};
use samebits_tests::random::compare::guarded;
use samebits_tests::random::phases;
use samebits_tests::random::seeds::{kernels, over};
use std::collections::BTreeMap;
use std::sync::Mutex;

fn shown(case: &Case, diags: &Diags) -> String {
    render(diags, "k.gir", &case.text)
}

/// What a kernel does whose barriers nobody judged.
fn outcome(case: &Case) -> Outcome {
    match check_mistaken(case.module.clone(), Mistake::NothingRefused) {
        Ok(checked) => judge(&checked, case),
        Err(diags) => panic!("seed {}: the generator's fault: {}\n{}", case.seed, shown(case, &diags), case.text),
    }
}

/// Counts by name.
#[derive(Default)]
struct Tally(Mutex<BTreeMap<String, u64>>);

impl Tally {
    fn add(&self, what: &str) {
        *self.0.lock().expect("no thread panics").entry(what.to_owned()).or_default() += 1;
    }

    fn count(&self, what: &str) -> u64 {
        self.0.lock().expect("no thread panics").get(what).copied().unwrap_or_default()
    }
}

/// What a refusal says that the difference comes from.
fn kind(diag: &Diag) -> &'static str {
    let sources = diag.labels.iter().rev().filter_map(|(_, text)| {
        let kinds = [
            ("writable buffer", "memory"),
            ("workgroup memory", "memory"),
            ("atomic access", "atomics"),
            ("elements of", "arrays"),
            ("too intricate", "intricate"),
            ("differs between invocations", "ids"),
        ];
        kinds.into_iter().find(|(words, _)| text.contains(words)).map(|(_, kind)| kind)
    });
    sources.min_by_key(|&kind| kind == "ids").unwrap_or("others")
}

#[test]
fn what_is_accepted_meets_at_every_barrier_and_little_else_does() {
    let tally = Tally::default();
    let wrong = over(kernels(), |seed| {
        let case = generate(seed);
        let outcome = outcome(&case);
        if let Outcome::Failed(fault) = &outcome {
            return Some(format!("seed {seed}: {fault}\n{}", case.text));
        }
        match check(case.module.clone()) {
            Ok(_) if outcome == Outcome::Together => tally.add("accepted"),
            Ok(_) => return Some(format!("seed {seed} parts at a barrier\n{}", case.text)),
            Err(diags) => {
                tally.add("refused");
                if outcome == Outcome::Together {
                    tally.add("harmless");
                    tally.add(&format!("harmless: {}", diags.as_slice().first().map_or("others", kind)));
                }
            }
        }
        None
    });
    for (what, count) in tally.0.lock().expect("no thread panics").iter() {
        println!("{count:6} {what}");
    }
    assert_eq!(wrong, [""; 0]);
    let [accepted, refused] = ["accepted", "refused"].map(|what| tally.count(what));
    assert!(accepted * 4 > kernels() && refused * 4 > kernels(), "the figures mean little");
    assert_eq!(tally.count("harmless: others"), 0, "a kind is missing in the list");
    // In a short run chance may bring more: three standard deviations of it.
    let chance = if kernels() < 10_000 { 3.0 * (refused as f64 * 0.05 * 0.95).sqrt() } else { 0.0 };
    assert!((tally.count("harmless") as f64) < refused as f64 * 0.05 + chance, "needless refusals are many");
}

#[test]
fn as_many_accepted_kernels_meet_at_every_barrier() {
    // Half of the kernels are accepted, so there are as many among twice as many others.
    let first = kernels();
    let accepted = Tally::default();
    let wrong = over(first * 3 / 2, |seed| {
        let case = generate(first + seed);
        let checked = check(case.module.clone()).ok()?;
        accepted.add("accepted");
        (judge(&checked, &case) != Outcome::Together).then(|| format!("seed {}\n{}", case.seed, case.text))
    });
    println!("{:6} more accepted", accepted.count("accepted"));
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn what_waits_by_workgroup_memory_meets_too() {
    let tally = Tally::default();
    let wrong = over(kernels(), |seed| {
        let case = phases::generate(seed);
        let outcome = outcome(&case);
        if let Outcome::Failed(fault) = &outcome {
            return Some(format!("seed {seed}: {fault}\n{}", case.text));
        }
        match check(case.module.clone()) {
            Ok(_) if outcome == Outcome::Together => tally.add("accepted"),
            Ok(_) => return Some(format!("seed {seed} parts at a barrier\n{}", case.text)),
            Err(_) if outcome == Outcome::Together => tally.add("harmless"),
            Err(_) => tally.add("refused"),
        }
        None
    });
    for (what, count) in tally.0.lock().expect("no thread panics").iter() {
        println!("{count:6} {what}");
    }
    assert_eq!(wrong, [""; 0]);
    assert!(tally.count("accepted") * 10 > kernels() && tally.count("refused") * 10 > kernels(), "they mean little");
}

#[test]
fn what_is_accepted_stays_so_after_each_pass() {
    let after_all = |checked: &Checked| {
        for pass in PASSES {
            guarded(pass.name, || pass.apply(checked.clone()))?;
        }
        for &level in Level::ALL {
            guarded(level.name(), || optimize_to(checked.clone(), level))?;
        }
        Ok(())
    };
    let wrong = over(kernels() / 5, |seed| {
        let case = generate(seed);
        let checked = check(case.module.clone()).ok()?;
        after_all(&checked)
            .err()
            .map(|finding: samebits_tests::random::compare::Finding| format!("seed {seed}: {finding}\n{}", case.text))
    });
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn passes_are_hardly_ever_left_out() {
    let tally = Tally::default();
    let plan = Level::Full.plan();
    let found = over(kernels(), |seed| {
        let case = generate(seed);
        let checked = check(case.module.clone()).ok()?;
        tally.add("optimized");
        let left_out = run(checked, &plan, &mut |_, _| {}).left_out;
        let shown = left_out.iter().map(|one| format!("{} ({})", one.pass, one.diag.headline()));
        left_out.first()?;
        Some(format!("seed {seed}: {}\n{}", shown.collect::<Vec<_>>().join(", "), case.text))
    });
    println!("{:6} optimized, {} not wholly", tally.count("optimized"), found.len());
    assert_eq!(found, [""; 0]);
}

/// In these kernels a guard makes a constant of one of two counts that are one, which the
/// other one does not show.
#[test]
fn counts_that_are_one_stay_recognizable() {
    for seed in [9_813, 16_162, 19_043] {
        let case = generate(seed);
        let checked = check(case.module.clone()).expect("an accepted kernel");
        let optimized = run(checked, &Level::Full.plan(), &mut |_, _| {});
        assert!(optimized.left_out.is_empty(), "seed {seed}: {:?}", optimized.left_out);
        assert_eq!(judge(&optimized.checked, &case), Outcome::Together, "seed {seed}");
    }
}

#[test]
fn a_seed_determines_a_kernel() {
    for seed in 0..20 {
        assert_eq!(generate(seed).text, generate(seed).text);
        assert_eq!(generate(seed).launches, generate(seed).launches);
        assert_ne!(generate(seed).text, generate(seed + 1).text);
    }
}

#[test]
fn mistakes_of_the_analysis_are_found() {
    let mut missed: Vec<Mistake> = Mistake::ALL.to_vec();
    for seed in 0..10_000 {
        if missed.is_empty() {
            break;
        }
        for case in [generate(seed), phases::generate(seed)] {
            if check(case.module.clone()).is_ok() || outcome(&case) != Outcome::Parted {
                continue;
            }
            missed.retain(|&mistake| {
                let is_found = check_mistaken(case.module.clone(), mistake).is_ok();
                if is_found {
                    println!("{:5} kernels: {mistake:?}", seed + 1);
                }
                !is_found
            });
        }
    }
    assert_eq!(missed, []);
}
