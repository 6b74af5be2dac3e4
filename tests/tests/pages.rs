//! The pages of the codes tell the truth: what each shows first fails with its code, and
//! what it shows last is accepted. Examples in prose (`text`) are beyond a test.

use samebits_ir::check;
use samebits_ir::diag::Code;
use samebits_ir::text;
use samebits_tests::expand::expand;
use samebits_tests::tidy;
use std::fs;

/// The codes that an example fails with, in order.
fn codes(language: &str, example: &str) -> Option<Vec<Code>> {
    match language {
        "gir" => {
            let result = text::parse(example).and_then(|module| check::check(module).map(drop));
            let diags = result.err().unwrap_or_default();
            Some(diags.as_slice().iter().map(|diag| diag.code).collect())
        }
        "rust" => {
            let found = expand(example);
            assert!(found.missing.is_empty(), "nothing declares {:?} in:\n{example}", found.missing);
            Some(found.codes)
        }
        _ => None,
    }
}

/// The pages' faults, from what `judge` makes of a code's examples.
fn faults(judge: impl Fn(Code, &[(&str, &str)]) -> Option<String>) -> String {
    let folder = tidy::root().join("ir/docs/errors");
    let mut faults = Vec::new();
    for &code in Code::ALL {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).unwrap_or_default();
        faults.extend(judge(code, &tidy::examples(&page)));
    }
    faults.join("\n")
}

#[test]
fn the_first_example_fails_with_the_code_alone() {
    let faults = faults(|code, examples| {
        let (language, example) = examples.first()?;
        let found = codes(language, example)?;
        (found != [code]).then(|| format!("{code}.md: the first example gives {found:?}"))
    });
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn the_last_example_is_accepted() {
    let faults = faults(|code, examples| {
        let (language, example) = examples.last()?;
        let found = codes(language, example)?;
        (!found.is_empty()).then(|| format!("{code}.md: the last example gives {found:?}"))
    });
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn the_messages_of_the_readme_are_those_that_users_see() {
    let root = tidy::root();
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let examples = tidy::examples(&readme);
    let messages: Vec<&str> =
        examples.iter().map(|(_, text)| *text).filter(|text| text.contains("--> fail/")).collect();
    assert_eq!(messages.len(), 3);
    for message in messages {
        let (_, place) = message.split_once("--> fail/").expect("a place");
        let (file, _) = place.split_once(".rs:").expect("a file");
        let expected = fs::read_to_string(root.join(format!("ui-tests/fail/{file}.stderr"))).expect("its messages");
        assert!(expected.contains(message.trim()), "not in {file}.stderr:\n{message}");
    }
}
