//! The book: its chapters as documentation, and the gates over it.
//!
//! The README and the chapters are included as documentation, so each of their Rust blocks is compiled and run as a test of
//! documentation. The gates take the tree's root and return what is wrong, one line each, as those of [`tidy`]
//! do.

use crate::tidy;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[doc = include_str!(concat!("../../docs/src/", stringify!($name), ".md"))]
            pub mod $name {}
        )*

        /// The chapters whose Rust is compiled and run.
        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

#[doc = include_str!("../../README.md")]
pub mod readme {}

chapters! {
    clusters debugging first_kernel from_cubecl from_cuda from_wgsl graphs host invocations ir mathematics memory
    performance primitives races same_bits web wgpu_app
}

/// Where the chapters are.
const SOURCE: &str = "docs/src";

/// Pages of the repository that are no chapters, whose links are checked too.
const OTHER_PAGES: [&str; 8] = [
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "ir/README.md",
    "macros/README.md",
    "macros/front/README.md",
    "examples/hecbench/README.md",
];

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The lines of a page that are no code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Where the links and pictures of a page lead, without those that stand in code.
fn links(page: &str) -> Vec<String> {
    let plain = |line: &str| line.split('`').step_by(2).collect::<Vec<_>>().join("x");
    let targets = |line: String| -> Vec<String> {
        let after = line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
        after.collect()
    };
    prose(page).map(plain).flat_map(targets).collect()
}

/// The names by which the headings of a page can be linked.
fn anchors(page: &str) -> BTreeSet<String> {
    let named = |heading: &str| -> String {
        let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
    };
    prose(page).filter(|line| line.starts_with('#')).map(|line| named(line.trim_start_matches('#'))).collect()
}

/// A path without `..` and `.`.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step.as_os_str().to_str() {
            Some("..") => drop(plain.pop()),
            Some(".") => {}
            _ => plain.push(step),
        }
    }
    plain
}

/// The chapters of the book, those of its reference and of its errors among them.
fn chapters(root: &Path) -> Vec<PathBuf> {
    let mut pages = tidy::files(&root.join(SOURCE), "md");
    pages.retain(|page| !page.ends_with("SUMMARY.md"));
    pages
}

/// The summary lists each chapter once and nothing else, and a chapter opens with its only title.
pub fn summary(root: &Path) -> Vec<String> {
    let source = root.join(SOURCE);
    let listed = links(&read(&source.join("SUMMARY.md")));
    let mut faults = Vec::new();
    for (i, target) in listed.iter().enumerate() {
        if !source.join(target).is_file() {
            faults.push(format!("SUMMARY.md lists {target}, which is not there"));
        }
        if listed[..i].contains(target) {
            faults.push(format!("SUMMARY.md lists {target} twice"));
        }
    }
    for chapter in chapters(root) {
        let name = shown(&source, &chapter);
        if !listed.contains(&name) {
            faults.push(format!("SUMMARY.md does not list {name}"));
        }
        let page = read(&chapter);
        let titles = prose(&page).filter(|line| line.starts_with("# ")).count();
        if !page.starts_with("# ") || titles != 1 {
            faults.push(format!("{name} must open with its title, and have no other one"));
        }
    }
    faults
}

/// Each link leads to a file and a heading that are there. A link of a chapter to something outside of the book would
/// lead to nothing once it is built.
pub fn broken_links(root: &Path) -> Vec<String> {
    let source = root.join(SOURCE);
    let pages = chapters(root).into_iter().chain(OTHER_PAGES.iter().map(|page| root.join(page)));
    let mut faults = Vec::new();
    for path in pages {
        let page = read(&path);
        for link in links(&page).into_iter().filter(|link| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').map_or((&*link, None), |(file, anchor)| (file, Some(anchor)));
            let target = plain_path(&path.parent().unwrap_or(root).join(file));
            let target = if file.is_empty() { path.clone() } else { target };
            if !target.exists() {
                faults.push(format!("{} links {link}, which is not there", shown(root, &path)));
            } else if path.starts_with(&source) && !target.starts_with(&source) {
                faults.push(format!("{} links {link}, which is outside of the book", shown(root, &path)));
            } else if anchor.is_some_and(|anchor| !anchors(&read(&target)).contains(anchor)) {
                faults.push(format!("{} links {link}, a heading that is not there", shown(root, &path)));
            }
        }
    }
    faults
}

/// The Rust of each chapter is compiled and run. Pages of errors have tests of their own.
pub fn untested_rust(root: &Path) -> Vec<String> {
    let source = root.join(SOURCE);
    let is_tested = |name: &str| TESTED.iter().any(|tested| name.strip_suffix(".md") == Some(*tested));
    let mut faults = Vec::new();
    for chapter in chapters(root) {
        let name = shown(&source, &chapter);
        let page = read(&chapter);
        for (language, _) in tidy::examples(&page) {
            let is_rust = language.starts_with("rust");
            if is_rust && language != "rust" {
                faults.push(format!("{name} has a block `{language}`: only `rust` is compiled and run"));
            } else if is_rust && !is_tested(&name) && !name.starts_with("errors/") {
                faults.push(format!("{name} has Rust and is not in the list of `tests/src/book.rs`"));
            }
        }
    }
    faults
}

/// The messages of rustc in the README and the book are those that users see. How many there are is the second
/// result.
pub fn unseen_messages(root: &Path) -> (Vec<String>, usize) {
    let pages = chapters(root).into_iter().chain([root.join("README.md")]);
    let (mut faults, mut count) = (Vec::new(), 0);
    for path in pages {
        let page = read(&path);
        for (_, message) in tidy::examples(&page) {
            let Some((_, place)) = message.split_once("--> fail/") else { continue };
            count += 1;
            let file = place.split_once(".rs:").map_or("", |(file, _)| file);
            if !read(&root.join(format!("ui-tests/fail/{file}.stderr"))).contains(message.trim()) {
                faults.push(format!("{} shows a message that is not in {file}.stderr", shown(root, &path)));
            }
        }
    }
    (faults, count)
}
