//! A browser's WebGPU takes every kernel, and gives the interpreter's bytes.
//!
//! Where there is no browser the tests say that they tested nothing;
//! `SAMEBITS_REQUIRE_BROWSER=1` makes that a failure.

mod shapes;
mod uniformity;

use samebits_ir::backend::naga::Options;
use samebits_ir::pass::optimize;
use samebits_tests::browser::{Browser, Recorder, Report};
use samebits_tests::engines::say;
use samebits_tests::filetest::{self, Failure, files};
use samebits_tests::random::{compare, generate};
use std::path::Path;

/// Random kernels of a run.
const KERNELS: u64 = 2_000;

/// Fails with the first kernels that a browser does not take or computes differently.
#[track_caller]
fn agrees(report: &Report) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shown = report.wrong.iter().take(15).enumerate().map(|(i, wrong)| {
        let path = folder.join(format!("browser-{i}.wgsl"));
        std::fs::write(&path, &wrong.wgsl).expect("a text is kept");
        format!("{} {}\n  {}\n", wrong.name, wrong.what, path.display())
    });
    let shown: String = shown.collect();
    for wrong in &report.wrong { println!("WRONG {} {}", wrong.name, wrong.what.replace('\n', " | ")); }
    assert!(report.wrong.is_empty(), "{} of {}:\n{shown}", report.wrong.len(), report.wrong.len() + report.agreed);
}

#[test]
fn every_file_test_does_in_a_browser_what_its_comments_say() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    for path in files(&folder).expect("the folder of file tests") {
        let source = std::fs::read_to_string(&path).expect("a file");
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        filetest::test(&name, &source, &[&recorder]).expect("a file that passes");
    }
    let report = recorder.finish().expect("a browser that answers");
    say(&format!("file tests in a browser: {} launches agree", report.agreed));
    println!("{:?}", report.lacking);
    agrees(&report);
}

#[test]
fn random_kernels_give_the_same_bytes_in_a_browser() {
    let Some(mut browser) = Browser::open() else { return };
    let recorder = Recorder::new(&mut browser, Options::WEBGPU);
    for seed in 0..KERNELS {
        let kernel = generate(seed);
        let checked = compare::accept(&kernel).expect("the generator's kernels are accepted");
        let (expected, _) = compare::run(&checked, kernel.index(), &kernel.launch).expect("and run");
        // Half of them as generated, half as users get them.
        let checked = if seed.is_multiple_of(2) { checked } else { optimize(checked) };
        match recorder.send(&format!("seed {seed}"), &checked, kernel.index(), Some((&kernel.launch, &expected))) {
            Ok(()) | Err(Failure::Lacks(_)) => {}
            Err(Failure::Wrong(what)) => panic!("seed {seed}: {what}"),
        }
    }
    let report = recorder.finish().expect("a browser that answers");
    say(&format!("random kernels in a browser: {} agree", report.agreed));
    agrees(&report);
}
