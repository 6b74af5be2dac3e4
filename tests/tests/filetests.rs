//! Runs every file below `tests/filetests`; `src/filetest.rs` says what they contain.

use samebits_ir::check::check;
use samebits_ir::interp::Schedule;
use samebits_ir::text;
use samebits_tests::engines::{OnDevice, devices_and_forms};
use samebits_tests::filetest::{Engine, Interpreter, Judged, Optimized, files, test};
use std::path::Path;

#[test]
fn every_file_does_what_its_comments_say() {
    let devices: Vec<OnDevice> = devices_and_forms().into_iter().map(OnDevice).collect();
    let mut engines: Vec<&dyn Engine> = vec![&Interpreter, &Optimized];
    engines.extend(devices.iter().map(|device| device as &dyn Engine));
    test_all(&engines);
}

#[test]
fn every_file_does_so_without_a_race_in_any_order() {
    let schedules = [Schedule::Forward, Schedule::Reversed, Schedule::Random(1), Schedule::Random(2)];
    let judges = schedules.map(Judged::new);
    let engines: Vec<&dyn Engine> = judges.iter().map(|judge| judge as &dyn Engine).collect();
    test_all(&engines);
}

fn test_all(engines: &[&dyn Engine]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let files = files(&folder).expect("the folder of file tests");
    let (mut runs, mut failures) = (0, String::new());
    for path in &files {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let outcome = std::fs::read_to_string(path).map_err(|e| e.to_string());
        match outcome.and_then(|source| test(&name, &source, engines)) {
            Ok(count) => runs += count,
            Err(failure) => failures += &format!("{name}\n{failure}\n"),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(!files.is_empty() && runs > 0, "{} files with {runs} launches are no test", files.len());
}

/// Applies edits that are not random, but different for each seed: parts are repeated,
/// left out or replaced by parts from elsewhere.
fn edited(source: &str, mut state: u64) -> String {
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let mut words: Vec<&str> = source.split_inclusive([' ', '\n', ',', '(', '[']).collect();
    for _ in 0..1 + next(4) {
        let (to, from) = (next(words.len()), next(words.len()));
        match next(3) {
            0 => words[to] = words[from],
            1 => words.insert(to, words[from]),
            _ => drop(words.remove(to)),
        }
    }
    words.concat()
}

#[test]
fn edited_files_parse_and_check_or_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let files = files(&folder).expect("the folder of file tests");
    let mut accepted = 0;
    for path in files {
        let source = std::fs::read_to_string(&path).expect("a file");
        for seed in 0..60 {
            // Comments would only hide the edits.
            let source: Vec<&str> = source.lines().map(|line| line.split(" ;").next().unwrap_or("")).collect();
            let source: Vec<&str> = source.into_iter().filter(|line| !line.starts_with(';')).collect();
            let source = edited(&source.join("\n"), seed);
            let Ok(module) = text::parse(&source) else { continue };
            let printed = text::print(&module);
            let again = text::parse(&printed).map(|module| text::print(&module));
            assert_eq!(again.as_ref(), Ok(&printed), "{}, edited:\n{source}", path.display());
            if let Ok(checked) = check(module) {
                accepted += 1;
                let printed = text::print(checked.module());
                assert!(text::parse(&printed).and_then(check).is_ok(), "{}, edited:\n{source}", path.display());
            }
        }
    }
    assert!(accepted > 0, "every edit was refused, so the edits test little");
}
