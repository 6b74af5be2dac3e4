//! The kernels of GPUVerify's CUDA tests, written anew: what the compiler says of each is what is
//! right, or is less where the file says so. A race is never missed.

use samebits_tests::expand::expand;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A file: its name, what is right of its kernel, and what is expected to be found.
struct Case {
    name: String,
    source: String,
    right: String,
    found: String,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gpuverify");
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let sources = entries.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let case = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).expect("a text");
        let said = |lead: &str| {
            let line = source.lines().take(2).find_map(|line| line.strip_prefix(lead))?;
            line.split([':', ' ']).next().map(str::to_owned)
        };
        let right = said("//! ").filter(|right| right != "found").unwrap_or_else(|| panic!("{name} says no verdict"));
        let found = said("//! found: ").unwrap_or_else(|| right.clone());
        Case { name, source, right, found }
    };
    let mut all: Vec<Case> = sources.map(case).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

#[test]
fn each_kernel_gets_the_verdict_that_its_file_states() {
    let mut wrong = Vec::new();
    let all = cases();
    for Case { name, source, found, .. } in &all {
        let expansion = expand(source);
        assert!(expansion.missing.is_empty(), "{name}: {:?}", expansion.missing);
        let codes: BTreeSet<String> = expansion.codes.iter().map(ToString::to_string).collect();
        let expected: BTreeSet<String> = [found.clone()].into_iter().filter(|one| one != "race-free").collect();
        if codes != expected {
            wrong.push(format!("{name}: {codes:?}, not {expected:?}"));
        }
    }
    assert!(all.len() > 130, "{} kernels", all.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_race_is_missed_and_few_kernels_are_refused_without_need() {
    let all = cases();
    let missed: Vec<&str> = all
        .iter()
        .filter(|case| case.right != "race-free" && case.found == "race-free")
        .map(|case| &*case.name)
        .collect();
    assert_eq!(missed, Vec::<&str>::new());
    let harmless = all.iter().filter(|case| case.right == "race-free").count();
    let refused = all.iter().filter(|case| case.right == "race-free" && case.found != "race-free").count();
    assert!(refused * 12 < harmless, "{refused} of {harmless}");
}

#[test]
fn the_table_names_every_file_and_no_other() {
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("gpuverify/README.md")).expect("a table");
    let named: BTreeSet<&str> = table.split('`').filter(|word| word.ends_with(".rs")).collect();
    let all = cases();
    assert_eq!(named, all.iter().map(|case| &*case.name).collect::<BTreeSet<&str>>());
    let tests: BTreeSet<&str> = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    assert!(tests.len() >= 187, "{} tests", tests.len());
}
