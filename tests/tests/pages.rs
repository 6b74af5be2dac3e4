//! The pages of the book tell the truth. What the page of a code shows first fails with its code, and
//! what it shows last is accepted; examples in prose (`text`) are beyond a test. No chapter is lost, no link leads to nothing,
//! and messages are those that users see.

use samebits_ir::check;
use samebits_ir::diag::Code;
use samebits_ir::text;
use samebits_tests::expand::expand;
use samebits_tests::planted::Tree;
use samebits_tests::{book, tidy};
use std::fs;

#[track_caller]
fn clean(faults: Vec<String>) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

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
    let folder = tidy::root().join("docs/src/errors");
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
fn the_summary_lists_every_chapter() {
    clean(book::summary(&tidy::root()));
}

#[test]
fn links_lead_somewhere() {
    clean(book::broken_links(&tidy::root()));
}

#[test]
fn the_rust_of_every_chapter_is_compiled() {
    clean(book::untested_rust(&tidy::root()));
}

#[test]
fn the_messages_of_the_book_are_those_that_users_see() {
    let (faults, count) = book::unseen_messages(&tidy::root());
    clean(faults);
    assert!(count >= 4, "{count} messages are left");
}

#[test]
fn a_chapter_that_is_lost_is_found() {
    let tree = Tree::new("chapters");
    tree.put("docs/src/SUMMARY.md", "# Summary\n\n- [A](a.md)\n  - [B](sub/b.md)\n");
    tree.put("docs/src/a.md", "# A\n\n```sh\n# no title\n```\n").put("docs/src/sub/b.md", "# B\n");
    tree.finds(book::summary, &[]);
    tree.put("docs/src/SUMMARY.md", "# Summary\n\n- [A](a.md)\n- [A](a.md)\n- [C](c.md)\n");
    tree.put("docs/src/a.md", "# A\n\n# Again\n");
    let expected =
        ["lists a.md twice", "lists c.md, which is not there", "a.md must open with", "does not list sub/b.md"];
    tree.finds(book::summary, &expected);
}

#[test]
fn a_link_to_nothing_is_found() {
    let tree = Tree::new("links");
    tree.put("docs/src/a.md", "# A title: `code` (or not)\n\n[itself](#a-title-code-or-not), [b](b.md#b)\n");
    tree.put("docs/src/b.md", "# B\n\n```text\n[no link](nowhere)\n```\n`[nor](this)` but [p](p.png)\n");
    tree.put("src/x.md", "# X\n")
        .put("docs/src/p.png", "")
        .put("README.md", "[x](src/x.md), [web](https://example.org/nothing)\n");
    tree.finds(book::broken_links, &[]);
    tree.put("docs/src/a.md", "# A\n\n[b](b.md#c), [c](c.md), [x](../../src/x.md), [src](../../src/)\n");
    let expected = [
        "b.md#c, a heading that is not there",
        "c.md, which is not there",
        "x.md, which is outside",
        "src/, which is outside",
    ];
    tree.finds(book::broken_links, &expected);
}

#[test]
fn rust_that_nothing_compiles_is_found() {
    let tree = Tree::new("untested-rust");
    tree.put("docs/src/races.md", "# Races\n\n```rust\nlet x = 1;\n```\n");
    tree.put("docs/src/new.md", "# New\n\n```text\nlet x = 1;\n```\n").finds(book::untested_rust, &[]);
    tree.put("docs/src/races.md", "# Races\n\n```rust,ignore\nlet x = 1;\n```\n");
    tree.put("docs/src/new.md", "# New\n\n```rust\nlet x = 1;\n```\n");
    tree.finds(book::untested_rust, &["new.md has Rust and is not in the list", "`rust,ignore`: only `rust`"]);
}

#[test]
fn a_message_that_nobody_sees_is_found() {
    let tree = Tree::new("messages-of-the-book");
    let message = "error: no\n --> fail/a.rs:1:1\n";
    tree.put("README.md", &format!("# R\n\n```text\n{message}```\n")).put("ui-tests/fail/a.stderr", message);
    assert_eq!(book::unseen_messages(tree.root()), (Vec::new(), 1));
    tree.put("ui-tests/fail/a.stderr", "error: yes\n --> fail/a.rs:1:1\n");
    let (faults, _) = book::unseen_messages(tree.root());
    assert_eq!(faults, ["README.md shows a message that is not in a.stderr"]);
}
