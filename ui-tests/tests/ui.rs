//! Runs the compile-fail and compile-pass files, and holds their marks to their words.

use samebits_ui_tests::{marks, shown, sources};
use std::path::Path;

// Apart from those that compile: only then does `trybuild` give them all to one run of cargo, in a fifth of the time.
#[test]
fn users_see_these_errors() {
    trybuild::TestCases::new().compile_fail("fail/*/*.rs");
}

#[test]
fn these_compile_and_run() {
    trybuild::TestCases::new().pass("pass/*.rs");
}

#[test]
fn every_error_is_marked_where_it_stands() {
    let files = sources(Path::new("fail"));
    assert!(files.len() >= 150, "only {} failing files", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let source = std::fs::read_to_string(&file).expect("the file was just listed");
        let stderr = std::fs::read_to_string(file.with_extension("stderr")).unwrap_or_default();
        let (marks, shown) = (marks(&source), shown(&stderr));
        if marks != shown || marks.is_empty() {
            wrong.push(format!("{}:\n  marked {marks:?}\n  shown  {shown:?}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_mark_is_noticed() {
    let stderr = "error: a [V001]\n --> fail/x.rs:3:5\n";
    assert_ne!(marks("\n\nab\n//~ ^ V002\n"), shown(stderr));
    assert_ne!(marks("\n\nab\n//~  ^ V001\n"), shown(stderr));
    assert_eq!(marks("\n\nab\n//~ ^ V001\n"), shown(stderr));
}
