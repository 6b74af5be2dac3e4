//! Writes the conformance tests and the file tests as CUDA programs into a folder, for a
//! machine that has nvcc: `cargo run -p samebits-tests --example cuda_conformance -- FOLDER
//! [RANDOM]`, and there `FOLDER/run.sh`.

use samebits_tests::conform::{Form, cases, subgroups};
use samebits_tests::cuda::{Recorder, Test, write};
use samebits_tests::filetest::{files, test};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("name a folder to write to")?;
    let random = arguments.next().map_or(Ok(500), |text| text.parse())?;
    let mut tests = Vec::new();
    for case in cases() {
        for job in case.jobs(1_000, random) {
            let optimized = job.form != Form::Loaded;
            tests.push(Test::of_job(&job, tests.len(), false)?);
            if optimized {
                tests.push(Test::of_job(&job, tests.len(), true)?);
            }
        }
    }
    for case in subgroups::cases() {
        tests.push(Test::of_subgroups(&case, tests.len())?);
    }
    let recorder = Recorder::default();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    for path in files(&sources)? {
        test(&path.display().to_string(), &std::fs::read_to_string(&path)?, &[&recorder])?;
    }
    tests.extend(recorder.into_tests());
    let units = write(Path::new(&folder), &tests)?;
    println!("{} launches in {} units below {folder}", tests.len(), units.len());
    Ok(())
}
