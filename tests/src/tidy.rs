//! Gates over the source tree. Each takes the tree's root and returns what is wrong, one
//! line each, so that a test can hand it a tree with a planted fault.
//!
//! A file that cannot be read counts as empty: the gates that need it then complain.

use crate::source::{blank, segments, without_tests};
use samebits_ir::diag::Code;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where each package lives, its name, and the workspace packages it may depend on.
const PACKAGES: &[(&str, &str, &[&str])] = &[
    ("ir", "samebits-ir", &[]),
    ("macros/front", "samebits-front", &["samebits-ir"]),
    ("macros", "samebits-macros", &["samebits-front"]),
    ("runtime", "samebits", &["samebits-ir", "samebits-macros"]),
    ("tests/random", "samebits-random", &[]),
    (
        "tests",
        "samebits-tests",
        &["samebits", "samebits-examples", "samebits-front", "samebits-ir", "samebits-macros", "samebits-random"],
    ),
    ("ui-tests", "samebits-ui-tests", &["samebits"]),
    ("examples", "samebits-examples", &["samebits"]),
    ("examples/hecbench", "samebits-hecbench", &["samebits"]),
    ("examples/cluster", "samebits-cluster", &["samebits"]),
];

/// The modules of a package in their order: each may use those of earlier lines, and those of one line do
/// not know each other. So there is no circle among them.
struct Order {
    /// The package's folder.
    folder: &'static str,
    layers: &'static [&'static [&'static str]],
    /// Modules whose files are alternatives or steps, none of which knows another.
    independent: &'static [&'static str],
}

const ORDERS: [Order; 3] = [COMPILER, FRONT_END, RUNTIME];

const COMPILER: Order = Order {
    folder: "ir",
    layers: &[
        &["arena", "loc", "nearest"],
        &["types"],
        &["math", "matrix"],
        &["scalar"],
        &["ops", "flags"],
        &["diag", "order"],
        &["caps"],
        &["limits"],
        &["ir"],
        &["builder", "launch", "messages"],
        &["text", "wire", "soft"],
        &["ssa", "inline"],
        &["analysis"],
        &["check"],
        &["pass", "interp"],
        &["backend"],
        // The command, which uses the library as anybody does.
        &["bin"],
    ],
    independent: &["pass", "backend"],
};

const RUNTIME: Order = Order {
    folder: "runtime",
    layers: &[
        &["error", "math", "messages", "shape", "names", "native", "place", "report", "trace"],
        &["later"],
        // A kernel before a device has it.
        &["kernel"],
        &["judge"],
        // Memory and launches, without the types of elements.
        &["backend"],
        &["device"],
        &["verify", "profile", "tune"],
        &["argument"],
        &["element"],
        // Typed memory.
        &["span"],
        &["view"],
        &["buffer"],
        &["distinct", "below", "split", "check", "staging"],
        &["classes"],
        &["vectors"],
        &["matrices"],
        &["launch", "linked", "said"],
        &["graph"],
        // What other crates have.
        &["data"],
        // Programs that use wgpu themselves.
        &["interop"],
        &["prelude", "language"],
        &["editor"],
        // Kernels of our own.
        &["algo"],
    ],
    independent: &[],
};

const FRONT_END: Order = Order {
    folder: "macros/front",
    layers: &[
        // Tokens, spans and syntax, whatever they mean.
        &["fragments", "native", "spans", "spell", "syntax"],
        &["report"],
        &["depth", "attributes", "hygiene", "configure"],
        // Types and values.
        &["infer"],
        &["known", "class", "words"],
        &["macros"],
        &["names", "generics", "hir"],
        &["types"],
        // What an item names and what it says of itself.
        &["link", "declare"],
        &["requires", "privacy", "warn"],
        &["signature"],
        &["parse", "docs"],
        &["instances"],
        // Its body. Lowering computes the values of constants, and builds them for it.
        &["build"],
        &["lower"],
        &["check", "emit"],
        // What becomes of each kind of item.
        &["editor", "expansion"],
        &["kernel", "device", "trial"],
        &["limits"],
    ],
    independent: &[],
};

/// Lines of the longest source file.
const MOST_LINES: usize = 800;

/// Packages that the attribute's users build besides ours.
const MOST_MACRO_PACKAGES: usize = 8;

/// Codes of rules about Rust, which the IR's text cannot break.
const ONLY_IN_RUST: &[Code] = &[
    Code::V007,
    Code::V008,
    Code::V011,
    Code::V015,
    Code::V100,
    Code::V101,
    Code::V105,
    Code::V109,
    Code::V110,
    Code::V111,
    Code::V112,
    Code::V203,
    Code::V205,
    Code::V206,
    Code::V207,
    Code::V209,
    Code::V304,
    Code::V320,
    Code::V321,
    Code::V322,
    Code::V323,
    Code::V324,
    Code::V325,
    Code::V500,
    Code::V501,
    Code::V502,
    Code::V606,
];

/// Codes of what only the IR's text can say.
const ONLY_IN_TEXT: &[Code] = &[Code::V013, Code::V023, Code::V107, Code::V302, Code::V303, Code::V700, Code::V702];

/// Codes that no file of tests can hold a fault for, and the test that has one instead.
const TESTED_IN_CODE: &[(Code, &str)] = &[(Code::V701, "ir/src/wire/tests.rs")];

/// The root of this tree.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The files with this extension below a folder, sorted, without build outputs.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && name != "wip" && !name.starts_with('.') {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The source files of every package.
fn sources(root: &Path) -> Vec<PathBuf> {
    ["ir", "macros", "runtime", "tests", "ui-tests", "examples"]
        .iter()
        .flat_map(|f| files(&root.join(f), "rs"))
        .collect()
}

fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// What a manifest depends on outside of tests: the section's kind, the package, the line.
fn dependencies(manifest: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').to_owned();
            if let Some((kind, name)) = section.rsplit_once("dependencies.")
                && !kind.ends_with("dev-")
            {
                found.push((name.to_owned(), String::new()));
            }
        } else if section.ends_with("dependencies") && !section.ends_with("dev-dependencies") {
            let Some((name, value)) = line.split_once('=') else { continue };
            let name = name.trim().trim_end_matches(".workspace").trim_matches('"');
            let renamed = value.split_once("package").and_then(|(_, rest)| rest.split('"').nth(1));
            found.push((renamed.unwrap_or(name).to_owned(), value.to_owned()));
        }
    }
    found
}

/// Packages depend on each other only as the table allows, and the compiler core needs
/// nothing.
pub fn package_order(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for &(folder, package, allowed) in PACKAGES {
        let manifest = read(&root.join(folder).join("Cargo.toml"));
        if !manifest.contains(&format!("name = \"{package}\"")) {
            faults.push(format!("{folder}/Cargo.toml is not the manifest of {package}"));
        }
        for (name, value) in dependencies(&manifest) {
            let ours = PACKAGES.iter().any(|&(_, package, _)| package == name);
            if ours && !allowed.contains(&name.as_str()) {
                faults.push(format!("{package} may not depend on {name}"));
            }
            let front_allows = ["syn", "quote", "proc-macro2"].contains(&name.as_str());
            if !ours && folder.starts_with("macros") && !front_allows {
                faults.push(format!("{package} may not depend on {name}: every user would build it"));
            }
            if folder == "ir" && !value.contains("optional = true") {
                faults.push(format!("{package} may depend on {name} only if that is optional"));
            }
        }
        if root.join(folder).join("build.rs").exists() {
            faults.push(format!("{folder}/build.rs: there are no build scripts"));
        }
    }
    faults
}

/// The modules of a package use only what stands above them. Tests may use anything.
pub fn module_order(root: &Path) -> Vec<String> {
    ORDERS.iter().flat_map(|order| order.faults(root)).collect()
}

impl Order {
    fn layer(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }

    fn faults(&self, root: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        let source = root.join(self.folder).join("src");
        for path in files(&source, "rs") {
            let inside = path.strip_prefix(&source).unwrap_or(&path).with_extension("");
            let steps: Vec<String> = inside.iter().map(|step| step.to_string_lossy().into_owned()).collect();
            let (module, last) = (&steps[0], &steps[steps.len() - 1]);
            if module == "lib" || steps.iter().any(|step| step == "tests") {
                continue;
            }
            let Some(own) = self.layer(module) else {
                faults.push(format!("module {module} of {} has no place in the order", self.folder));
                continue;
            };
            let code = blank(without_tests(&read(&path)));
            let depth = if last == "mod" { steps.len() - 1 } else { steps.len() };
            let mut used = segments(&code, "crate");
            used.extend(segments(&code, &vec!["super"; depth].join("::")));
            let used: BTreeSet<String> = used.into_iter().filter(|used| used != module).collect();
            for used in used {
                if self.layer(&used).is_some_and(|layer| layer >= own) {
                    faults.push(format!("{} uses {used}, which does not stand above {module}", shown(root, &path)));
                }
            }
            if self.independent.contains(&module.as_str()) && depth > 1 {
                faults.extend(siblings(root, &path, (&source, &steps), depth, &code));
            }
        }
        faults
    }
}

/// What one of independent files uses of another.
fn siblings(root: &Path, path: &Path, (source, steps): (&Path, &[String]), depth: usize, code: &str) -> Vec<String> {
    let folder = source.join(&steps[0]);
    let mut used = segments(code, &format!("crate::{}", steps[0]));
    used.extend(segments(code, &vec!["super"; depth - 1].join("::")));
    used.retain(|used| *used != steps[1]);
    used.retain(|used| folder.join(used).is_dir() || folder.join(used).with_extension("rs").is_file());
    used.into_iter().map(|used| format!("{} uses {}::{used}, its sibling", shown(root, path), steps[0])).collect()
}

/// The attribute's dependency tree is small and knows no device, and of the compiler it builds no optional part.
pub fn macro_tree(root: &Path) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let arguments =
        ["tree", "-p", "samebits-macros", "-e", "normal", "--prefix", "none", "--offline", "--format", "{p};{f}"];
    let output = match Command::new(cargo).args(arguments).current_dir(root).output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => return vec![format!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr))],
        Err(error) => return vec![format!("cargo tree did not start: {error}")],
    };
    macro_packages(&String::from_utf8_lossy(&output.stdout))
}

/// What is wrong with a list of packages, one a line, each with its features after a semicolon.
pub fn macro_packages(list: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut packages = BTreeSet::new();
    for (package, features) in list.lines().filter_map(|line| line.split_once(';')) {
        let name = package.split_whitespace().next().unwrap_or_default();
        packages.insert(name);
        let features = features.trim_end_matches("(*)").trim();
        if name == "samebits-ir" && !features.is_empty() {
            faults.push(format!("users of the attribute would build {features} of {name}"));
        }
    }
    if !packages.contains("samebits-macros") {
        faults.push("the list of packages does not start at samebits-macros".to_owned());
    }
    let foreign: Vec<&str> = packages.iter().copied().filter(|name| !name.starts_with("samebits")).collect();
    for name in &foreign {
        if ["naga", "wgpu", "wgpu-core", "wgpu-hal"].contains(name) {
            faults.push(format!("users of the attribute would build {name}"));
        }
    }
    if foreign.len() > MOST_MACRO_PACKAGES {
        faults.push(format!("users of the attribute would build {} packages: {foreign:?}", foreign.len()));
    }
    faults
}

/// Packages that `Cargo.lock` has in several versions are those that `deny.toml` excuses: of each but one version.
pub fn duplicates(root: &Path) -> Vec<String> {
    let (lock, deny) = (read(&root.join("Cargo.lock")), read(&root.join("deny.toml")));
    let packages = lock.split("[[package]]").skip(1).filter_map(|package| {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned())
        };
        Some((field("name")?, field("version")?))
    });
    let packages: Vec<(String, String)> = packages.collect();
    let excused = |(name, version): &(String, String)| deny.contains(&format!("\"{name}@{version}\""));
    let names: BTreeSet<&String> = packages.iter().map(|(name, _)| name).collect();
    let count = |name: &String| packages.iter().filter(|one| one.0 == *name && !excused(one)).count();
    let several = names.iter().filter(|name| count(name) > 1);
    let mut faults: Vec<String> =
        several.map(|name| format!("Cargo.lock has several versions of {name}, and deny.toml excuses none")).collect();
    let lines = deny.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix("\","));
    for line in lines.filter(|line| line.contains('@')) {
        let is_there = packages.iter().any(|(name, version)| line == format!("{name}@{version}"));
        let is_one_of_several =
            line.split_once('@').is_some_and(|(name, _)| packages.iter().filter(|one| one.0 == name).count() > 1);
        if !is_there || !is_one_of_several {
            faults.push(format!("deny.toml excuses {line}, which is no duplicate in Cargo.lock"));
        }
    }
    faults
}

/// Source files are short and say first what they are for. A module with files of its own is a
/// folder with a `mod.rs`.
pub fn file_shape(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for path in sources(root) {
        let text = read(&path);
        let lines = text.lines().count();
        if lines > MOST_LINES {
            faults.push(format!("{} has {lines} lines, at most {MOST_LINES} are allowed", shown(root, &path)));
        }
        if !text.starts_with("//! ") {
            faults.push(format!("{} does not open with `//!`", shown(root, &path)));
        }
        let is_module = path.components().any(|step| step.as_os_str() == "src");
        if is_module && !files(&path.with_extension(""), "rs").is_empty() {
            faults.push(format!("{} is the `mod.rs` of its folder", shown(root, &path)));
        }
    }
    faults
}

/// A file beside the first one of a crate or module is one of its modules: another, such as a test that somebody adds, would
/// not be compiled.
pub fn strays(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for first in sources(root) {
        let is_first = |path: &Path| ["main.rs", "lib.rs", "mod.rs"].iter().any(|name| path.ends_with(name));
        let Some(folder) = first.parent().filter(|_| is_first(&first)) else { continue };
        let text = read(&first);
        let code = blank(&text);
        for path in files(folder, "rs").into_iter().filter(|path| path.parent() == Some(folder) && !is_first(path)) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_included = text.contains(&format!("\"{name}.rs\""));
            if !code.contains(&format!("mod {name};")) && !is_included {
                faults.push(format!("{} is no module of {}", shown(root, &path), shown(root, &first)));
            }
        }
    }
    faults
}

/// Every code has a page that opens with it, and every page has a code.
pub fn code_pages(root: &Path) -> Vec<String> {
    let folder = root.join("docs/src/errors");
    let mut faults = Vec::new();
    for code in Code::ALL {
        let page = read(&folder.join(format!("{code}.md")));
        if !page.starts_with(&format!("# {code}: {}\n", code.title())) {
            faults.push(format!("docs/src/errors/{code}.md must open with `# {code}: {}`", code.title()));
        }
        if page.lines().count() > 40 {
            faults.push(format!("docs/src/errors/{code}.md has more than 40 lines"));
        }
        if examples(&page).len() < 2 {
            faults.push(format!("docs/src/errors/{code}.md needs an example and its cure"));
        }
    }
    for path in files(&folder, "md") {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !Code::ALL.iter().any(|code| code.as_str() == stem) {
            faults.push(format!("{} is the page of no code", shown(root, &path)));
        }
    }
    faults
}

/// The languages and texts of a page's fenced blocks.
pub fn examples(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("\n```").skip(1).step_by(2);
    blocks.filter_map(|block| block.split_once('\n')).filter(|(language, _)| !language.is_empty()).collect()
}

/// Every code is shown by tests that fail with it: by an `; error:` line of a `.gir` file and
/// by a `//~` mark in a file of Rust that must not compile. A few can only be met in one
/// of the two, or with input that no file should hold.
pub fn codes_tested(root: &Path) -> Vec<String> {
    let shown = |folder: &str, extension: &str, mark: &str| {
        let texts = files(&root.join(folder), extension).into_iter().map(|path| read(&path));
        let marks = |text: String| text.lines().filter_map(|line| Some(line.split_once(mark)?.1.to_owned())).collect();
        texts.map(marks).collect::<Vec<String>>().join(" ")
    };
    let text = shown("tests/filetests", "gir", "; error:");
    let rust = shown("ui-tests/fail", "rs", "//~");
    let mut faults = Vec::new();
    for &code in Code::ALL {
        let in_code = TESTED_IN_CODE.iter().find(|(tested, _)| *tested == code);
        let in_code = in_code.is_some_and(|(_, path)| read(&root.join(path)).contains(&format!("Code::{code}")));
        for (shown, elsewhere, what) in [(&text, ONLY_IN_RUST, "file test"), (&rust, ONLY_IN_TEXT, "compile-fail test")]
        {
            let (shown, excused) = (shown.contains(code.as_str()), elsewhere.contains(&code));
            if !shown && !excused && !in_code {
                faults.push(format!("no {what} fails with {code}: {}", code.title()));
            }
            if shown && excused {
                faults.push(format!("a {what} fails with {code}, which is listed as if none could"));
            }
        }
    }
    faults
}

/// Expected output belongs to a file.
pub fn orphans(root: &Path) -> Vec<String> {
    let expected = files(&root.join("ui-tests"), "stderr");
    let orphans = expected.iter().filter(|path| !path.with_extension("rs").is_file());
    orphans.map(|path| format!("{} has no source beside it", shown(root, path))).collect()
}

/// Nothing is left for later, and no test is switched off.
pub fn nothing_postponed(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for path in sources(root) {
        let code = blank(&read(&path));
        for (number, line) in code.lines().enumerate() {
            for mark in ["todo!", "unimplemented!", "#[ignore"] {
                if line.contains(mark) {
                    faults.push(format!("{}:{}: `{mark}`", shown(root, &path), number + 1));
                }
            }
        }
    }
    faults
}

/// The front end writes no message by hand: a code or a help in a text is put there by `report` alone.
pub fn one_reporter(root: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for path in files(&root.join("macros"), "rs") {
        if path.file_stem().is_some_and(|name| name == "report")
            || path.components().any(|part| part.as_os_str() == "tests")
        {
            continue;
        }
        let text = read(&path);
        for (number, line) in without_tests(&text).lines().enumerate() {
            for mark in [" [{}]", " [{code}]", "\\nhelp:", "\\nnote:"] {
                if line.contains(mark) {
                    faults.push(format!("{}:{}: `{mark}` outside of `report`", shown(root, &path), number + 1));
                }
            }
        }
    }
    faults
}
