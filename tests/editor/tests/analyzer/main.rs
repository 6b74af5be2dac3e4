//! rust-analyzer itself shows kernels as it shows other Rust: types, documentation and declarations at the
//! cursor, completions in half-typed lines, and no error that rustc would not report.
//!
//! `SAMEBITS_ANALYZER` names the program. Without one the test says that it tested nothing;
//! `SAMEBITS_REQUIRE_ANALYZER=1` makes that a failure. `.ci/editor` gets one and runs this.

mod client;
mod looked_at;

use client::{Analyzer, Diagnostic, Place, root};
use samebits::Device;
use std::path::{Path, PathBuf};

/// The file with expectations.
const LOOKED_AT: &str = "tests/editor/tests/analyzer/looked_at.rs";
/// Folders all of whose kernels are shown without an error.
const FOLDERS: [&str; 5] =
    ["examples/src", "examples/examples", "examples/hecbench/src", "tests/tests/kernels", "runtime/benches/suite"];

/// Files in which rust-analyzer itself is wrong, and why.
const WRONG: [(&str, &str); 3] = [
    ("tests/tests/kernels/main.rs", "it finds no module whose `#[path]` leads to another package"),
    ("tests/tests/kernels/enum_constants.rs", "constants whose types are enums, in patterns"),
    ("tests/tests/kernels/named_functions.rs", "a function of a trait that is given by name, in a macro"),
];

/// Something that a comment says of the line above.
struct Expectation {
    place: Place,
    what: What,
    /// Where the comment is, from 0.
    line: usize,
}

enum What {
    Hover(String),
    GoesTo(String),
}

/// A line that somebody has typed halfway.
struct Half {
    /// The line that it replaces, from 0.
    line: usize,
    typed: String,
    place: Place,
    has: Vec<String>,
}

/// What the comments of a text say.
fn expectations(text: &str) -> (Vec<Expectation>, Vec<Half>) {
    let (mut expected, mut halves) = (Vec::new(), Vec::new());
    let mut code = 0;
    for (line, found) in text.lines().enumerate() {
        let indent = found.len() - found.trim_start().len();
        let Some(comment) = found.trim_start().strip_prefix("// ").or_else(|| found.trim_start().strip_prefix("//^"))
        else {
            code = line;
            continue;
        };
        if let Some(half) = comment.strip_prefix("half: ") {
            let (typed, has) = half.split_once(" => ").expect("what may follow");
            let cursor = indent + typed.find("$0").expect("a cursor");
            let typed = format!("{}{}", " ".repeat(indent), typed.replace("$0", ""));
            let has = has.split(' ').map(str::to_owned).collect();
            halves.push(Half { line, typed, place: Place { line, column: cursor }, has });
        } else {
            let (marks, says) = found.split_once(": ").expect("what is expected");
            let (marks, kind) = marks.rsplit_once(['^', '-']).expect("a mark");
            let column = if marks.ends_with('<') { indent } else { marks.find('^').unwrap_or(marks.len()) };
            let what = match kind.trim() {
                "hover" => What::Hover(says.to_owned()),
                "goes to" => What::GoesTo(says.to_owned()),
                other => panic!("line {}: nothing known about `{other}`", line + 1),
            };
            expected.push(Expectation { place: Place { line: code, column }, what, line });
        }
    }
    (expected, halves)
}

/// All Rust files in a folder and below.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// One line for each error.
fn listed(path: &Path, errors: &[Diagnostic]) -> String {
    let line =
        |error: &Diagnostic| format!("{}:{}: {} [{}]\n", path.display(), error.line + 1, error.message, error.code);
    errors.iter().map(line).collect()
}

fn is_error(found: &Diagnostic) -> bool {
    found.severity == 1
}

/// Hovering and going to declarations.
fn shows_what_is_at_the_cursor(server: &mut Analyzer, text: &str, expected: &[Expectation]) {
    let path = Path::new(LOOKED_AT);
    server.show(path, text);
    let mut wrong = String::new();
    for Expectation { place, what, line } in expected {
        match what {
            What::Hover(part) => {
                let shown = server.hover(path, *place);
                if !shown.contains(part.as_str()) {
                    wrong += &format!("{LOOKED_AT}:{}: `{part}` is not in {shown:?}\n", line + 1);
                }
            }
            What::GoesTo(part) => {
                let found = server.definitions(path, *place);
                let lines: Vec<String> = found.iter().map(|(path, line)| line_of(path, *line)).collect();
                if !lines.iter().any(|found| found.contains(part.as_str())) {
                    wrong += &format!("{LOOKED_AT}:{}: `{part}` is not in {lines:?}\n", line + 1);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn line_of(path: &Path, line: usize) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().nth(line).unwrap_or_default().to_owned()
}

/// Half-typed lines: what may follow is offered, and no other line is wrong.
fn completes_half_typed_lines(server: &mut Analyzer, text: &str, halves: &[Half]) {
    let path = Path::new(LOOKED_AT);
    let mut wrong = String::new();
    for half in halves {
        let lines = text.lines().enumerate();
        let typed: Vec<&str> = lines.map(|(i, line)| if i == half.line { half.typed.as_str() } else { line }).collect();
        server.show(path, &typed.join("\n"));
        let offered = server.completions(path, half.place);
        for name in &half.has {
            if !offered.contains(name) {
                wrong += &format!("{LOOKED_AT}:{}: `{name}` is not offered\n", half.line + 1);
            }
        }
        let mut elsewhere = server.diagnostics(path);
        // What is missing may be taken from the next line of code, or be missed there.
        let below = text.lines().enumerate().skip(half.line + 1);
        let next = below.filter(|(_, line)| !line.trim_start().starts_with("//")).map(|(at, _)| at).next();
        let last = next.unwrap_or(half.line);
        elsewhere.retain(|found| is_error(found) && !(found.line <= last && half.line <= found.last_line));
        wrong += &listed(path, &elsewhere);
    }
    server.show(path, text);
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Wherever somebody stops typing, there is an answer, and the macro does not panic.
fn survives_every_half_typed_line(server: &mut Analyzer, text: &str) {
    let path = Path::new(LOOKED_AT);
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim();
        if code.is_empty() || code.starts_with("//") || !line.starts_with("    ") {
            continue;
        }
        let ends = line.char_indices().filter(|&(_, c)| ".(= ".contains(c)).map(|(at, _)| at + 1);
        // The middle one: all of them would take minutes.
        let ends: Vec<usize> = ends.filter(|&end| end > line.len() - code.len()).collect();
        let Some(&end) = ends.get(ends.len() / 2) else { continue };
        let mut typed = lines.clone();
        typed[at] = &line[..end];
        server.show(path, &typed.join("\n"));
        server.completions(path, Place { line: at, column: end });
        let panics: Vec<Diagnostic> =
            server.diagnostics(path).into_iter().filter(|found| found.message.contains("panicked")).collect();
        assert!(panics.is_empty(), "{:?} in place of line {}\n{}", &line[..end], at + 1, listed(path, &panics));
    }
    server.show(path, text);
}

/// Files without a mistake are shown without one.
fn reports_nothing_false(server: &mut Analyzer) {
    let mut wrong = String::new();
    let mut files = 0;
    for path in FOLDERS.iter().flat_map(|folder| rust_files(&root().join(folder))) {
        let text = std::fs::read_to_string(&path).expect("a file");
        server.show(&path, &text);
        let errors: Vec<Diagnostic> = server.diagnostics(&path).into_iter().filter(is_error).collect();
        // One that is no longer wrong is to leave the list.
        match WRONG.iter().find(|(known, _)| path.ends_with(known)) {
            Some((known, why)) if errors.is_empty() => {
                wrong += &format!("{known}: nothing is wrong any more ({why})\n")
            }
            Some(_) => {}
            None => wrong += &listed(&path, &errors),
        }
        files += 1;
    }
    assert!(files > 100, "{files} files");
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// A mistake that rust-analyzer knows is reported where it is, so that silence means something.
fn reports_a_mistake(server: &mut Analyzer, text: &str) {
    let path = Path::new(LOOKED_AT);
    let wrong = text.replacen("body.at.length()", "body.at.lenght()", 1);
    let line = text.lines().position(|line| line.contains("body.at.length()")).expect("the line");
    server.show(path, &wrong);
    let found: Vec<Diagnostic> = server.diagnostics(path).into_iter().filter(is_error).collect();
    assert!(found.iter().any(|found| found.line == line), "{found:?}");
    server.show(path, text);
}

/// In one test: a server takes a minute to start.
#[test]
fn kernels_are_shown_as_other_rust_is() {
    let text = std::fs::read_to_string(root().join(LOOKED_AT)).expect("the file");
    let (expected, halves) = expectations(&text);
    assert!(expected.len() >= 20 && halves.len() >= 7, "{} and {}", expected.len(), halves.len());
    let Some(mut server) = Analyzer::start() else { return };
    shows_what_is_at_the_cursor(&mut server, &text, &expected);
    reports_a_mistake(&mut server, &text);
    completes_half_typed_lines(&mut server, &text, &halves);
    survives_every_half_typed_line(&mut server, &text);
    reports_nothing_false(&mut server);
}

#[test]
fn what_is_looked_at_runs() {
    let bodies = looked_at::host(&Device::interpreter()).expect("a launch");
    assert_eq!(bodies.len(), 64);
}
