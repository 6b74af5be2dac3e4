//! Runs every file below `tests/filetests`; `src/filetest.rs` says what they contain.

use samebits_tests::filetest::{INTERPRETER, files, test};
use std::path::Path;

#[test]
fn every_file_does_what_its_comments_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let files = files(&folder).expect("the folder of file tests");
    let (mut runs, mut failures) = (0, String::new());
    for path in &files {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let outcome = std::fs::read_to_string(path).map_err(|e| e.to_string());
        match outcome.and_then(|source| test(&name, &source, &[INTERPRETER])) {
            Ok(count) => runs += count,
            Err(failure) => failures += &format!("{name}\n{failure}\n"),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(!files.is_empty() && runs > 0, "{} files with {runs} launches are no test", files.len());
}
