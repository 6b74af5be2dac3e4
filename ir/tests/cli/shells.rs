//! What shells complete, and the page for `man`.

use super::{Folder, printed, refused};
use std::process::Command;

/// What bash completes of these words, the last of which is begun.
fn completed(words: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    let script = printed(folder.run(&["completions", "bash"]));
    folder.put("script", script);
    let line = words.iter().map(|word| format!("'{word}' ")).collect::<String>();
    let (begun, before) = (words[words.len() - 1], words[words.len() - 2]);
    let ask = format!(
        "source ./script; COMP_WORDS=({line}); COMP_CWORD={}; _samebits samebits '{begun}' '{before}'
         echo \"${{COMPREPLY[@]}}\"",
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
    assert_eq!(completed(&["samebits", "opt", "--level", "s"]), ["simple"]);
    // Nothing of the command's, so bash takes files; it is told that an option's value is one.
    assert_eq!(completed(&["samebits", "check", "kern"]), [""; 0]);
    assert_eq!(completed(&["samebits", "emit", "wgsl", "-o", "scr"]), ["script"]);
}

#[test]
fn fish_gets_each_option_in_its_form() {
    let script = printed(Folder::new().run(&["completions", "fish"]));
    for line in [
        "complete -c samebits -n \"__fish_samebits_needs_command\" -f -a \"wire\" -d 'Turn texts into bytes and back'",
        "complete -c samebits -n \"__fish_samebits_using_subcommand emit\" -l floats ",
        "complete -c samebits -n \"__fish_samebits_using_subcommand emit\" -s o ",
    ] {
        assert!(script.lines().any(|found| found.starts_with(line)), "no `{line}` in\n{script}");
    }
}

#[test]
fn only_known_shells_have_completions() {
    let folder = Folder::new();
    let zsh = printed(folder.run(&["completions", "zsh"]));
    assert!(
        zsh.starts_with("#compdef samebits\n") && zsh.contains("file -- The module") && zsh.contains("_files"),
        "{zsh}"
    );
    assert!(
        refused(folder.run(&["completions", "csh"]), 2).contains("'csh' for '<SHELL>'\n  [possible values: bash, ")
    );
    assert!(refused(folder.run(&["man", "run"]), 2).contains("unexpected argument 'run' found"));
}

#[test]
fn the_page_of_man_has_every_command_and_no_stray_request() {
    let page = printed(Folder::new().run(&["man"]));
    for command in ["CHECK", "FMT", "RUN", "EMIT", "WIRE", "OPT", "REPORT"] {
        let (_, section) = page.split_once(&format!("\n.SH {command}\n.SS SYNOPSIS\n")).expect(command);
        let (section, _) = section.split_once("\n.SH ").unwrap_or((section, ""));
        let examples = format!("\n.SS EXAMPLES\n.nf\n  samebits {} ", command.to_lowercase());
        assert!(section.contains("\n.SS DESCRIPTION\n") && section.contains(&examples), "{section}");
    }
    let requests = page.lines().filter(|line| line.starts_with(['.', '\'']));
    for request in requests {
        let known = [".TH", ".SH", ".SS", ".PP", ".TP", ".IP", ".RS", ".RE", ".br", ".nf", ".fi", ".ie", ".el"];
        assert!(known.iter().any(|known| request.starts_with(known)), "{request}");
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
    assert!(unknown.contains("invalid value 'V999' for '[CODE]...': there is no such code"), "{unknown}");
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
