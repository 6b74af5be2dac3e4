//! `samebits completions` and `samebits man`: what shells and `man` are told about the command.
//!
//! Both are made from the texts of `--help`, so they never differ from them: an option is what a line of a help text
//! begins with, and so is a target.

use super::args::Args;
use super::failure::Failure;
use super::files::write;
use super::help::{MANUAL, Manual};

/// What `samebits COMMAND --help` says; for completions.
fn help(command: &str) -> Option<&'static str> {
    (MANUAL.help)(command)
}

/// What the `--help` of a command says first, without the command's name.
fn about(manual: &Manual, command: &str) -> &'static str {
    let first = (manual.help)(command).and_then(|text| text.lines().next()).unwrap_or_default();
    first.split_once(": ").map_or("", |(_, about)| about)
}

/// The lines of a section of a help text, such as its options, without those that go on.
fn section(command: &str, name: &str) -> impl Iterator<Item = &'static str> {
    let lines = help(command).unwrap_or_default().lines();
    let rest = lines.skip_while(move |line| line.strip_suffix(':') != Some(name)).skip(1);
    rest.take_while(|line| line.starts_with(' '))
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
}

/// The options of a command, as `--grid`.
fn options(command: &str) -> impl Iterator<Item = &'static str> {
    section(command, "options").filter_map(|line| line.split_whitespace().next()).chain(["--help"])
}

/// What may stand behind a command: its targets, or the words that its usage spells.
fn words(command: &'static str) -> impl Iterator<Item = &'static str> {
    let spelled = help(command).unwrap_or_default().lines().filter_map(move |line| {
        let (_, rest) = line.split_once(&format!("samebits {command} "))?;
        rest.split_whitespace().next().filter(|word| word.chars().all(|c| c.is_ascii_lowercase()))
    });
    let targets = section(command, "targets").filter_map(|line| line.split_whitespace().next());
    let usage = (command == "wire" || command == "completions").then_some(spelled);
    usage.into_iter().flatten().chain(targets)
}

fn bash() -> String {
    let mut cases = String::new();
    for &command in MANUAL.commands {
        let all: Vec<&str> = options(command).chain(words(command)).collect();
        cases += &format!("        {command}) words=\"{}\" ;;\n", all.join(" "));
    }
    let commands = MANUAL.commands.join(" ");
    format!(
        "_samebits() {{
    local words=\"\"
    case \"${{COMP_WORDS[1]}}\" in
{cases}    esac
    [ \"$COMP_CWORD\" = 1 ] && words=\"{commands} help --help --version\"
    COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))
}}
complete -o default -F _samebits samebits
"
    )
}

fn fish() -> String {
    let mut lines = String::new();
    for &command in MANUAL.commands {
        lines +=
            &format!("complete -c samebits -n __fish_use_subcommand -a {command} -d '{}'\n", about(&MANUAL, command));
        let seen = format!("complete -c samebits -n '__fish_seen_subcommand_from {command}'");
        for option in options(command) {
            let named =
                option.strip_prefix("--").map_or_else(|| format!("-s {}", &option[1..]), |long| format!("-l {long}"));
            lines += &format!("{seen} {named}\n");
        }
        words(command).for_each(|word| lines += &format!("{seen} -a {word}\n"));
    }
    lines
}

/// Prints the completions for a shell.
pub fn completions(args: Args) -> Result<(), Failure> {
    let operands = args.operands()?;
    let script = match operands.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bash"] => bash(),
        ["zsh"] => format!("autoload -U +X bashcompinit && bashcompinit\n{}", bash()),
        ["fish"] => fish(),
        _ => return Err(Failure::usage("expected `bash`, `zsh` or `fish`")),
    };
    write(None, script.as_bytes())
}

/// A text as `man` shows it as it is.
fn as_it_is(text: &str) -> String {
    let line = |line: &str| {
        let escaped = line.replace('\\', "\\e").replace('-', "\\-");
        let starts = escaped.starts_with('.') || escaped.starts_with('\'');
        format!("{}{escaped}\n", if starts { "\\&" } else { "" })
    };
    format!(".nf\n{}.fi\n", text.lines().map(line).collect::<String>())
}

/// Prints the page for `man`.
pub fn man(manual: &Manual, args: Args) -> Result<(), Failure> {
    if let Some(more) = args.operands()?.first() {
        return Err(Failure::usage(format!("expected nothing, found `{more}`")));
    }
    let name = manual.program.replace(' ', "-");
    let mut page = format!(".TH {} 1 \"\" \"samebits {}\"\n", name.to_uppercase(), env!("CARGO_PKG_VERSION"));
    page += &format!(".SH NAME\n{} \\- {}\n.SH DESCRIPTION\n", name.replace('-', "\\-"), about(manual, ""));
    page += &as_it_is((manual.help)("").unwrap_or_default());
    for &command in manual.commands {
        page += &format!(".SH {}\n", command.to_uppercase());
        page += &as_it_is((manual.help)(command).unwrap_or_default());
    }
    write(None, page.as_bytes())
}
