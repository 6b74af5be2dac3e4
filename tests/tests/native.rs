//! Native code gives the bytes of the interpreter: of file tests, of random kernels, and of every op.
//!
//! `SAMEBITS_NATIVE=10000` takes as many random kernels, and `SAMEBITS_CONFORMANCE=1` every form of the ops.

use samebits_tests::engines::say;
use samebits_tests::native::{compare_all, parts};
use std::path::Path;

/// How many random kernels there are if nobody asks for more.
const SEEDS: u64 = 300;
/// After so many programs a long run says how far it is.
const OFTEN: usize = 10;

#[test]
fn native_code_gives_the_bytes_of_the_interpreter() {
    let asked = std::env::var("SAMEBITS_NATIVE").ok();
    let seeds = asked.as_deref().map_or(SEEDS, |text| text.parse().expect("SAMEBITS_NATIVE is a number of kernels"));
    let parts = parts(seeds);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
    let told = compare_all(&parts, &folder, |done, told| {
        if asked.is_some() && done % OFTEN == 0 {
            say(&format!("native code: {done} of {} programs, {} kernels", parts.len(), told.compiled));
        }
    });
    let told = told.unwrap_or_else(|wrong| panic!("{wrong}"));
    // Only kernels that are far too large have no code.
    let (with, without) = (told.compiled, told.without_code);
    assert!(without * 100 < with, "{without} kernels have no code, and {with} have");
    assert!(told.agree[0] > parts.len(), "{told:?}");
    told.lines().iter().for_each(|line| say(line));
}
