//! `cargo samebits` on packages of this workspace, which it builds in `target/samebits`.

use super::{Folder, printed, refused, root};
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-samebits");

/// Two packages: one has a generic kernel, the other two kernels over helpers of both.
const PACKAGES: [&str; 5] = ["-p", "samebits-tests-a", "-p", "samebits-tests-b", "--locked"];

/// What the command does in a folder.
fn run_in(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("samebits").args(words).current_dir(folder).env_remove("CARGO_TARGET_DIR");
    command.output().expect("the command starts")
}

/// What it does with both packages; cargo is quiet, so that all that is said is the command's.
fn run(words: &[&str]) -> Output {
    run_in(&root(), &[words, &PACKAGES[..], &["--quiet"]].concat())
}

#[test]
fn the_kernels_of_packages_are_listed_with_what_is_proven() {
    let list = printed(run(&["list"]));
    let headings: Vec<&str> = list.lines().filter(|line| !line.starts_with("  ") || line.contains("-->")).collect();
    let line = |file: &str, text: &str| {
        let source = std::fs::read_to_string(root().join(file)).expect("a source");
        let at = source.lines().position(|line| line.contains(text)).expect("the kernel");
        let column = source.lines().nth(at).and_then(|line| line.find("fn ")).expect("a function") + "fn ".len();
        format!("  --> {file}:{}:{}", at + 1, column + 1)
    };
    let (a, b) = ("tests/crates/a/src/lib.rs", "tests/crates/b/src/lib.rs");
    let expected = [
        "package `samebits-tests-a`".to_owned(),
        String::new(),
        "fn multiplied<T: Number, const N: usize>(x: &[T], y: &mut [T])".to_owned(),
        line(a, "pub fn multiplied<"),
        String::new(),
        "package `samebits-tests-b`".to_owned(),
        String::new(),
        "fn advance_all(by: f32, pairs: &mut [Pair], o: &mut [u32])".to_owned(),
        line(b, "pub fn advance_all("),
        String::new(),
        "fn store(x: Bare, o: &mut [u32])".to_owned(),
        line(b, "pub fn store("),
    ];
    assert_eq!(headings, expected, "{list}");
    // Each instance loads one element and stores one, and neither index is compared with a length.
    for instance in ["<f32, 2>", "<f32, 3>", "<u32, 2>", "<u32, 3>"] {
        let shown = format!(
            "  `multiplied::{instance}`:\n    2 accesses: 0 proven, 2 if the launch allows (2 conditions), 0 guarded\n"
        );
        assert!(list.contains(&shown), "{list}");
    }
    assert!(list.ends_with("race-free and deterministic if the launch allows (3 conditions)\n"), "{list}");
}

#[test]
fn the_list_of_the_book_is_that_of_the_example() {
    let words = ["list", "-p", "samebits-examples", "--kernel", "saxpy", "--locked", "--quiet"];
    let list = printed(run_in(&root(), &words));
    let chapter = std::fs::read_to_string(root().join("docs/src/command.md")).expect("the chapter");
    let (_, shown) = chapter.split_once("$ cargo samebits list\n").expect("the list");
    let (shown, _) = shown.split_once("```").expect("its end");
    // The example stands in a library.
    let without_place =
        |text: &str| text.lines().filter(|line| !line.contains("-->")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(without_place(&list), without_place(shown));
    assert!(list.contains("  --> examples/src/saxpy.rs:"), "{list}");
}

#[test]
fn a_kernel_is_reported_translated_and_shown_before_and_after_the_passes() {
    let report = printed(run(&["report", "--kernel", "multiplied::<u32,3>", "--target", "webgpu"]));
    assert!(report.contains("kernel `multiplied::<u32, 3>`: 2 accesses"), "{report}");
    assert!(report.contains("  2 conditions on the launch:\n    x.len() >= "), "{report}");
    assert!(report.contains("  on webgpu:\n"), "{report}");
    assert_eq!(report.matches("-->").count(), 1, "{report}");

    let text = printed(run(&["emit", "text", "--kernel", "advance_all"]));
    assert!(text.contains("@advance_all(%by: f32, @pairs: mut [Pair], @o: mut [u32]"), "{text}");
    let wgsl = printed(run(&["emit", "wgsl", "--kernel", "store"]));
    assert!(wgsl.contains("@compute @workgroup_size(1, 1, 1)"), "{wgsl}");

    let passes = printed(run(&["passes", "--kernel", "store"]));
    let (before, after) = passes.split_once("\n; the result\n").expect("both texts");
    assert!(before.starts_with("; as written\n") && before.contains("private @x: Bare"), "{passes}");
    assert!(after.contains("@store(") && !after.contains("private"), "{passes}");
    let steps = printed(run(&["passes", "--kernel", "store", "--print-after"]));
    assert!(steps.contains("\n; after memory\n") && steps.matches("\n; the result\n").count() == 1, "{steps}");
}

#[test]
fn a_kernel_that_is_not_there_or_not_the_only_one_is_told_what_is() {
    let says = |words: &[&str]| refused(run(words), 2);
    assert!(says(&["report", "--kernel", "stor"]).contains("there is no kernel `stor`; there is `store`\n"));
    let unlike = says(&["list", "--kernel", "fft"]);
    assert!(unlike.contains("the kernels are `multiplied`, `advance_all`, `store`"), "{unlike}");
    let several = says(&["emit", "cuda", "--kernel", "multiplied"]);
    assert!(several.contains("choose one with `--kernel NAME`: `multiplied::<f32, 2>`, "), "{several}");
    let several = says(&["passes"]);
    assert!(several.contains("`advance_all`, `store`"), "{several}");
}

#[test]
fn what_has_no_kernels_or_does_not_compile_is_an_error() {
    let none = refused(run_in(&root(), &["list", "-p", "samebits-random", "--locked", "--quiet"]), 1);
    assert!(none.starts_with("error: there are no kernels in what cargo checked\nhelp: `--all-targets`"), "{none}");
    let folder = std::env::temp_dir().join(format!("samebits-no-package-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let outside = refused(run_in(&folder, &["list"]), 1);
    std::fs::remove_dir_all(&folder).expect("it goes away");
    assert!(outside.contains("could not find `Cargo.toml`"), "{outside}");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_on_the_kernel() {
    let mut check = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    check.args(["check", "-p", "samebits-tests-a", "--locked", "--quiet", "--target-dir", "target/samebits"]);
    let output = check.current_dir(root()).env("SAMEBITS_KERNELS", "not/absolute").output().expect("cargo starts");
    let errors = refused(output, 101);
    let says = "error: kernel `multiplied` cannot be written to `not/absolute`, which the environment variable \
                `SAMEBITS_KERNELS` names: the path has to be absolute";
    assert!(errors.contains(says) && errors.contains("tests/crates/a/src/lib.rs:"), "{errors}");
}

#[test]
fn tests_run_on_the_judge_with_the_words_that_cargo_gets() {
    let folder = Folder::new();
    folder.put("cargo", "#!/bin/sh\necho \"$SAMEBITS_DEVICE: $*\"\nexit $((($# == 1) * 101))\n");
    let script = folder.0.join("cargo");
    assert!(Command::new("chmod").arg("+x").arg(&script).status().expect("chmod").success());
    let test = |words: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args([&["samebits", "test"], words].concat()).env("CARGO", &script).output().expect("the command")
    };
    let shown = printed(test(&["-p", "k", "--release", "name", "--", "--nocapture", "-1"]));
    assert_eq!(shown, "judge: test -p k --release name -- --nocapture -1\n");
    assert_eq!(printed(test(&["--", "name"])), "judge: test -- name\n");
    assert_eq!(refused(test(&[]), 1), "");
}

#[test]
fn a_wrong_command_line_starts_no_build() {
    let run = |words: &[&str]| run_in(&root(), words);
    for (words, says) in [
        (&["lits"][..], "unrecognized subcommand 'lits'\n\n  tip: a similar subcommand exists: 'list'"),
        (&["list", "saxpy"], "unexpected argument 'saxpy' found"),
        (&["list", "--kernels", "saxpy"], "a similar argument exists: '--kernel'"),
        (&["emit"], "required arguments were not provided:\n  <TARGET>\n\nUsage: cargo samebits emit <TARGET>"),
        (&["emit", "metal"], "'metal' for '<TARGET>'\n  [possible values: text, "),
        (&["emit", "wgsl", "saxpy"], "unexpected argument 'saxpy' found"),
        (&["passes", "--level", "most"], "'most' for '--level <LEVEL>'"),
        (&["report", "--target", "vulkan"], "'vulkan' for '--target <TARGET>'\n  [possible values: cuda, webgpu, "),
        (&["list", "-p"], "a value is required for '--package <SPEC>'"),
    ] {
        let errors = refused(run(words), 2);
        let once = errors.starts_with("error: ") && errors.matches("error").count() == 1;
        assert!(once && errors.contains(says) && errors.contains("--help"), "{words:?}: {errors}");
    }
    assert!(refused(run(&[]), 2).contains("\nUsage: cargo samebits <COMMAND>\n"));
}

#[test]
fn help_and_the_page_of_man_are_there_for_each_command() {
    let run = |words: &[&str]| printed(run_in(&root(), words));
    let (main, page) = (run(&["--help"]), run(&["man"]));
    let title = page.lines().find(|line| line.starts_with(".TH ")).expect("a title");
    assert!(title.starts_with(".TH cargo-samebits 1 ") && page.contains("\ncargo\\-samebits \\- Show "), "{page}");
    for command in ["list", "report", "emit", "passes", "test", "man"] {
        let help = run(&[command, "--help"]);
        assert!(
            main.contains(&format!("\n  {command} ")) && help.contains(&format!("\nUsage: cargo samebits {command}"))
        );
        assert!(help.contains("\nExamples:\n  cargo samebits "), "{help}");
        assert!(page.contains(&format!("\n.SH {}\n.SS SYNOPSIS\n", command.to_uppercase())), "{command}");
        let widest = help.lines().chain(main.lines()).map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command}: {widest:?}");
    }
}

#[test]
fn a_kernel_that_the_macro_left_is_a_file_like_others() {
    let folder = Folder::new();
    let mut check = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    check.args(["check", "-p", "samebits-tests-a", "--locked", "--quiet", "--target-dir", "target/samebits"]);
    let output = check.current_dir(root()).env("SAMEBITS_KERNELS", &folder.0).output().expect("cargo starts");
    printed(output);
    let files = std::fs::read_dir(&folder.0).expect("the folder").map(|entry| entry.expect("a file").file_name());
    let files: Vec<String> = files.map(|name| name.into_string().expect("a name")).collect();
    assert_eq!(files.len(), 4, "{files:?}");
    for file in &files {
        assert!(file.starts_with("samebits-tests-a-multiplied-") && file.ends_with(".sbil"), "{file}");
        assert_eq!(printed(folder.run(&["check", file])), "");
        assert!(printed(folder.run(&["emit", "text", file])).contains("@multiplied("), "{file}");
        let bytes = folder.get(file);
        folder.put("cut.sbil", &bytes[..bytes.len() - 1]);
        assert!(refused(folder.run(&["check", "cut.sbil"]), 1).contains("malformed wire bytes at offset"));
    }
}
