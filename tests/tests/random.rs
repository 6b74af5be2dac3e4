//! Random kernels: passes, levels, stored forms and devices keep their bytes, and would be
//! caught if they did not.
//!
//! A short run is part of every test. `SAMEBITS_RANDOM=100000` makes it a long one of as many
//! kernels, with seeds from 0 on, so that a seed is all that it takes to see a kernel again. What is
//! found is made small, printed and written to the folder for temporary files; when it is
//! cured it belongs into `tests/corpus/random`.

use samebits_ir::interp::Schedule;
use samebits_tests::engines::{OnDevice, devices_and_forms, say};
use samebits_tests::filetest::{self, Engine};
use samebits_tests::random::compare::{self, After, Finding};
use samebits_tests::random::count::Tally;
use samebits_tests::random::faults::{self, FAULTS, Fault};
use samebits_tests::random::seeds::{kernels, over};
use samebits_tests::random::{Kernel, generate, shrink};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// After so many wrong kernels a device is asked no more.
const MOST_WRONG: usize = 4;

/// Fails with kernels made small, as long as they still go wrong in the same step.
fn report(wrong: &[(Kernel, Finding)], again: &dyn Fn(&Kernel) -> Option<Finding>) {
    for (kernel, finding) in wrong {
        let small = shrink::shrink(kernel, &|k| again(k).is_some_and(|other| other.step == finding.step));
        let text = shrink::file(&small, &format!("seed {}: {finding}", kernel.seed));
        println!("{text}");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join(format!("random-{}.gir", kernel.seed));
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &text)).expect("a finding is kept");
        println!("is {}", path.display());
    }
    let seeds: Vec<u64> = wrong.iter().map(|(kernel, _)| kernel.seed).collect();
    assert!(wrong.is_empty(), "seeds {seeds:?}: {}", wrong[0].1);
}

#[test]
fn passes_levels_and_stored_forms_keep_the_bytes() {
    let steps = AtomicU64::new(0);
    let wrong = over(kernels(), |seed| {
        let kernel = generate(seed);
        match compare::compare(&kernel) {
            Ok(taken) => {
                steps.fetch_add(taken, Ordering::Relaxed);
                None
            }
            Err(finding) => Some((kernel, finding)),
        }
    });
    report(&wrong, &|kernel| compare::compare(kernel).err());
    println!("{} kernels, {} steps each", kernels(), steps.into_inner() / kernels().max(1));
}

#[test]
fn devices_give_the_same_bytes() {
    let most = (kernels() / 25).min(2_000);
    for device in devices_and_forms() {
        let name = device.name().to_owned();
        let engine = OnDevice(device);
        let (mut done, mut lacking, mut wrong) = (0, 0, Vec::new());
        for kernel in (0..most).map(generate) {
            match compare::compare_on(&kernel, &engine) {
                Ok(true) => done += 1,
                Ok(false) => lacking += 1,
                Err(finding) => wrong.push((kernel, finding)),
            }
            if wrong.len() == MOST_WRONG {
                break;
            }
        }
        report(&wrong, &|kernel| compare::compare_on(kernel, &engine).err());
        say(&format!("random kernels on {name}: {done} agree, {lacking} need what it lacks"));
        assert!(done * 2 > most, "{name} ran {done} of {most} kernels");
    }
}

#[test]
fn kernels_have_no_race_and_one_result_in_any_order() {
    let wrong = over((kernels() / 5).min(5_000), |seed| {
        let kernel = generate(seed);
        let wrong = |what: String| Some(format!("seed {seed}: {what}"));
        let checked = match compare::accept(&kernel) {
            Ok(checked) => checked,
            Err(finding) => return wrong(finding.to_string()),
        };
        let expected = match compare::run(&checked, kernel.index(), &kernel.launch) {
            Ok((memories, _)) => memories,
            Err(fault) => return wrong(fault),
        };
        for schedule in [Schedule::Reversed, Schedule::Random(seed), Schedule::Random(seed + 1)] {
            match compare::judge(&checked, kernel.index(), &kernel.launch, schedule) {
                Err(what) => return wrong(what),
                Ok(found) => {
                    if let Some(what) = compare::differs(&expected, &found) {
                        return wrong(what);
                    }
                }
            }
        }
        None
    });
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_construct_occurs() {
    let total = Mutex::new(Tally::default());
    let count = kernels().max(1_500);
    over(count, |seed| {
        let mut tally = Tally::default();
        tally.add(&generate(seed));
        total.lock().expect("no thread panics").merge(&tally);
        None::<()>
    });
    let tally = total.into_inner().expect("no thread panics");
    println!("{}", tally.table());
    assert!(tally.barriers_in_loops * 10 >= tally.kernels * 3, "barriers in loops are rare");
    // A thousand of each in a hundred thousand kernels.
    assert_eq!(tally.rare((count / 100).min(1_000)), [""; 0]);
    if count >= 10_000 {
        assert_eq!(tally.missing_types(), [""; 0]);
    }
}

#[test]
fn a_seed_determines_a_kernel() {
    let text = |seed| shrink::file(&generate(seed), "");
    for seed in 0..20 {
        assert_eq!(text(seed), text(seed));
        assert_ne!(text(seed), text(seed + 1));
    }
}

#[test]
fn planted_faults_are_found() {
    let found = faults::hunt(10_000);
    for found in &found {
        let after = found.seed.map_or_else(|| "NEVER".to_owned(), |seed| format!("{:5}", seed + 1));
        println!("{after} kernels, planted in {:4}: {}, {}", found.planted, found.fault.family, found.fault.name);
    }
    let missed: Vec<&str> = found.iter().filter(|f| f.seed.is_none()).map(|f| f.fault.name).collect();
    assert_eq!(missed, [""; 0]);
}

/// Whether a kernel shows a fault.
fn shows(fault: &Fault, kernel: &Kernel) -> bool {
    let Ok(checked) = compare::accept(kernel) else { return false };
    let Ok((expected, _)) = compare::run(&checked, kernel.index(), &kernel.launch) else { return false };
    faults::shows(fault, kernel, &checked, &expected) == Some(true)
}

#[test]
fn what_shows_a_fault_becomes_a_small_file_that_shows_it() {
    for name in ["x / x is 1", "a bound goes", "an early return goes on", "a store is hoisted out of a loop"] {
        let fault = FAULTS.iter().find(|fault| fault.name == name).expect("a fault of this name");
        let kernel = (0..2_000).map(generate).find(|kernel| shows(fault, kernel)).expect("a kernel that shows it");
        let small = shrink::shrink(&kernel, &|kernel| shows(fault, kernel));
        let text = shrink::file(&small, name);
        assert!(shows(fault, &small) && text.lines().count() < 50, "{text}");
        assert_eq!(replay(name, &text, &[]), Ok(1), "{text}");
    }
}

/// Tests a file after each pass, at each level, and on more engines.
fn replay(name: &str, source: &str, more: &[OnDevice]) -> Result<usize, String> {
    let after = After::all();
    let mut engines: Vec<&dyn Engine> = vec![&filetest::Interpreter];
    engines.extend(after.iter().map(|engine| engine as &dyn Engine));
    engines.extend(more.iter().map(|engine| engine as &dyn Engine));
    filetest::test(name, source, &engines)
}

#[test]
fn what_was_found_stays_cured() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/random");
    let devices: Vec<OnDevice> = devices_and_forms().into_iter().map(OnDevice).collect();
    let files = filetest::files(&folder).expect("the corpus can be read");
    for path in &files {
        let source = std::fs::read_to_string(path).expect("a file of the corpus can be read");
        assert_eq!(replay(&path.display().to_string(), &source, &devices), Ok(1));
    }
    assert!(!files.is_empty(), "there is no file");
}
