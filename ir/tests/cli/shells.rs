//! What shells complete, and the page for `man`.

use super::{Folder, printed, refused};
use std::process::Command;

/// What bash completes of these words, the last of which is begun.
fn completed(words: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let script = printed(folder.run(&["completions", "bash"]));
    folder.put("script", script);
    let line = words.iter().map(|word| format!("'{word}' ")).collect::<String>();
    let ask = format!(
        "source ./script; COMP_WORDS=({line}); COMP_CWORD={}; _samebits; echo \"${{COMPREPLY[@]}}\"",
        words.len() - 1
    );
    let output = Command::new("bash").args(["-c", &ask]).current_dir(&folder.0).output().expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_targets() {
    assert_eq!(completed(&["samebits", "re"]), ["report"]);
    assert_eq!(completed(&["samebits", "run", "--g"]), ["--grid", "--groups"]);
    assert_eq!(completed(&["samebits", "emit", "w"]), ["wgsl"]);
    assert_eq!(completed(&["samebits", "report", "--target", "web"]), ["webgpu"]);
    assert_eq!(completed(&["samebits", "wire", "d"]), ["decode"]);
    assert_eq!(completed(&["samebits", "check", "kern"]), [""; 0]);
}

#[test]
fn fish_gets_each_option_in_its_form() {
    let script = printed(Folder::new().run(&["completions", "fish"]));
    for line in [
        "complete -c samebits -n __fish_use_subcommand -a wire -d 'turn texts into bytes and back'",
        "complete -c samebits -n '__fish_seen_subcommand_from emit' -l floats",
        "complete -c samebits -n '__fish_seen_subcommand_from emit' -s o",
        "complete -c samebits -n '__fish_seen_subcommand_from emit' -a cuda",
    ] {
        assert!(script.lines().any(|found| found == line), "no `{line}` in\n{script}");
    }
}

#[test]
fn only_known_shells_have_completions() {
    let folder = Folder::new();
    assert!(printed(folder.run(&["completions", "zsh"])).contains("bashcompinit\n_samebits() {"));
    assert!(refused(folder.run(&["completions", "csh"]), 2).contains("expected `bash`, `zsh` or `fish`"));
    assert!(refused(folder.run(&["man", "run"]), 2).contains("expected nothing, found `run`"));
}

#[test]
fn the_page_of_man_has_every_command_and_no_stray_request() {
    let page = printed(Folder::new().run(&["man"]));
    for command in ["CHECK", "FMT", "RUN", "EMIT", "WIRE", "OPT", "REPORT"] {
        assert!(page.contains(&format!("\n.SH {command}\n.nf\n")), "{command}");
    }
    let requests = page.lines().filter(|line| line.starts_with(['.', '\'']));
    for request in requests {
        assert!([".TH", ".SH", ".nf", ".fi"].iter().any(|known| request.starts_with(known)), "{request}");
    }
}

#[test]
fn codes_are_explained_by_their_pages_and_mistakes_say_so() {
    let folder = Folder::new();
    let page = std::fs::read_to_string(super::root().join("docs/src/errors/V010.md")).expect("a page");
    let shown = printed(folder.run(&["explain", "v010", "[V003]"]));
    assert!(shown.starts_with(&page) && shown.contains("\ndocs/src/errors/V010.md\n\n# V003: "), "{shown}");
    assert!(shown.ends_with("\ndocs/src/errors/V003.md\n"), "{shown}");
    let all = printed(folder.run(&["explain"]));
    assert!(all.starts_with("V001  two things with the same name\n") && all.lines().count() > 60, "{all}");
    let unknown = refused(folder.run(&["explain", "V999"]), 2);
    assert!(unknown.contains("there is no code `V999`"), "{unknown}");
    let wrong =
        "func kernel workgroup_size(0, 1, 1) @k(@y: [u32]) {\n  store @y[0u32], 1u32\n  store @y[%i], 1u32\n  ret\n}\n";
    folder.put("wrong.gir", wrong);
    let errors = refused(folder.run(&["check", "wrong.gir"]), 1);
    let codes: Vec<&str> = ["V003", "V005", "V006"].into_iter().filter(|code| errors.contains(code)).collect();
    let last = errors.lines().last().unwrap_or_default();
    assert!(
        !codes.is_empty() && last.starts_with("help: `samebits explain V") && last.ends_with("` says more"),
        "{errors}"
    );
    assert!(codes.iter().all(|code| last.contains(code)), "{errors}");
}
