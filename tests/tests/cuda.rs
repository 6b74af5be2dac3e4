//! The text of the CUDA back end, compiled for this CPU and run.
//!
//! `src/cuda/host.h` stands in for the keywords and intrinsics of CUDA, so that this tests
//! what the text says and not what a GPU makes of it; for that, the example
//! `cuda_conformance` writes the same programs for nvcc.

use samebits_tests::conform::{Form, cases, subgroups};
use samebits_tests::cuda::{Recorder, Test, write};
use samebits_tests::engines::say;
use samebits_tests::filetest::{files, test};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Combinations of edges of each op and type.
const EDGES: usize = 200;
/// Random tuples of each op and type.
const RANDOM: usize = 200;

/// Compiles every unit and runs it; the result is what is wrong.
fn run(name: &str, tests: &[Test]) -> Vec<String> {
    if Command::new("g++").arg("--version").output().is_err() {
        say(&format!("SKIPPED {} launches of CUDA text as C++: there is no g++", tests.len()));
        return Vec::new();
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run left would not be noticed as missing.
    let _ = std::fs::remove_dir_all(&folder);
    let units = write(&folder, tests).expect("a folder of units");
    let judge = |unit: &String| {
        let program = folder.join(unit).with_extension("out");
        let compiled = Command::new("g++")
            .args(["-x", "c++", "-DSAMEBITS_HOST", "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-pthread", "-o"])
            .args([&program, &folder.join(unit).with_extension("cu")])
            .output();
        let compiled = compiled.map_err(|e| e.to_string())?;
        if !compiled.status.success() {
            return Err(format!("{unit} does not compile:\n{}", String::from_utf8_lossy(&compiled.stderr)));
        }
        let ran = Command::new(&program).arg(folder.join(unit).with_extension("bin")).output();
        let ran = ran.map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        if ran.status.success() { Ok(said) } else { Err(format!("{unit}: {} {said}", ran.status)) }
    };
    let half = units.len().div_ceil(2).max(1);
    let outcomes: Vec<Result<String, String>> = std::thread::scope(|scope| {
        let work = |units: &'_ [String]| units.iter().map(judge).collect::<Vec<_>>();
        let threads: Vec<_> = units.chunks(half).map(|units| scope.spawn(move || work(units))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    let faults: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    if faults.is_empty() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    faults
}

#[track_caller]
fn passes(name: &str, tests: &[Test]) {
    assert!(!tests.is_empty(), "a test of nothing");
    let faults = run(name, tests);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_op_as_cuda_text_gives_the_bits_of_native_rust() {
    let mut tests = Vec::new();
    for case in cases() {
        let lanes = case.operands[0].lanes();
        for job in case.jobs(EDGES, RANDOM) {
            // Literals in vectors go the way of those in scalars, and short vectors that of long ones.
            // Compound ops with literals are basic ops with literals.
            let literals = lanes == 1 && !case.op.is_compound();
            if literals || job.form == Form::Loaded && (lanes == 1 || lanes == 4) {
                let optimized = job.form == Form::Folded;
                tests.push(Test::of_job(&job, tests.len(), optimized).expect("a kernel"));
            }
        }
    }
    passes("cuda-ops", &tests);
}

#[test]
fn every_subgroup_op_as_cuda_text_gives_what_plain_rust_says() {
    let cases = subgroups::cases();
    let tests: Vec<Test> =
        cases.iter().enumerate().map(|(n, case)| Test::of_subgroups(case, n).expect("a kernel")).collect();
    passes("cuda-subgroups", &tests);
}

#[test]
fn every_file_test_as_cuda_text_does_what_its_comments_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let recorder = Recorder::default();
    for path in files(&folder).expect("the folder of file tests") {
        let source = std::fs::read_to_string(&path).expect("a file");
        test(&path.display().to_string(), &source, &[&recorder]).expect("a file that passes");
    }
    passes("cuda-files", &recorder.into_tests());
}
