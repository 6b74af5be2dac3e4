//! What users see when a kernel is wrong.
//!
//! `fail/<area>/*.rs` must not compile, with exactly the words of the `.stderr` beside
//! it; `pass/*.rs` must compile. A line `//~  ^ V010` in a failing file says that the
//! line above it has an error of that code whose first column is the caret's, so that
//! a reader sees it and a blessed `.stderr` cannot drift from it.

use std::path::{Path, PathBuf};

/// An error: its code, line and column, both from 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark {
    /// The line.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The code, such as `V010`.
    pub code: String,
}

/// The marks that a failing file makes.
///
/// ```
/// let marks = samebits_ui_tests::marks("fn k() {\n    x;\n//~ ^ V006\n}");
/// assert_eq!((marks[0].line, marks[0].column, marks[0].code.as_str()), (2, 5, "V006"));
/// ```
pub fn marks(source: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut line = 0;
    for (i, text) in source.lines().enumerate() {
        if !text.starts_with("//~") {
            line = i + 1;
            continue;
        }
        if let Some(caret) = text.find('^') {
            let code = text[caret + 1..].trim().to_owned();
            marks.push(Mark { line, column: text[..caret].chars().count() + 1, code });
        }
    }
    marks.sort();
    marks
}

/// The errors that a `.stderr` file shows, ours and rustc's.
///
/// ```
/// let stderr = "error: cannot find value `x` in this kernel [V006]\n --> fail/a/b.rs:2:5\n";
/// assert_eq!(samebits_ui_tests::shown(stderr)[0].column, 5);
/// ```
pub fn shown(stderr: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut code = None;
    for line in stderr.lines() {
        if let Some(headline) = line.strip_prefix("error: ") {
            let inner = headline.rsplit_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
            code = Some(inner.unwrap_or("no code").to_owned());
        } else if let Some((rustc, _)) = line.strip_prefix("error[").and_then(|rest| rest.split_once(']')) {
            code = Some(rustc.to_owned());
        } else if let (Some(place), Some(found)) = (line.trim_start().strip_prefix("--> "), &code) {
            let mut parts = place.rsplit(':').map(|n| n.parse().unwrap_or(0));
            let (column, line) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
            marks.push(Mark { line, column, code: found.clone() });
            code = None;
        }
    }
    marks.sort();
    marks
}

/// Every `.rs` file below a folder, sorted.
///
/// ```
/// assert!(samebits_ui_tests::sources(std::path::Path::new("no such folder")).is_empty());
/// ```
pub fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}
