//! `samebits completions` and `samebits man`: what shells and `man` are told about the command.

use super::failure::Failure;
use super::files::write;
use super::{Cli, PROGRAM};
use clap::{Args, Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;
use std::io;

/// Print what a shell completes
///
/// Prints a script for the shell that completes commands, options, targets and files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  source <(samebits completions bash)
  samebits completions fish > ~/.config/fish/completions/samebits.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), PROGRAM, &mut script);
        write(None, &script)
    }
}

/// Prints one page for `man`, with a section for each command.
pub fn man<C: CommandFactory>() -> Result<(), Failure> {
    let page = page(C::command()).map_err(|error| Failure::file("the page", &error))?;
    write(None, page.as_bytes())
}

fn page(program: Command) -> io::Result<String> {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut title = Vec::new();
    let man = Man::new(program.clone());
    man.render_title(&mut title)?;
    man.render_name_section(&mut title)?;
    let mut page = text(title) + &sections(&program)?.replace(".SH EXTRA\n", ".SH FILES AND EXIT CODES\n");
    for command in program.get_subcommands() {
        // Examples are not filled up to lines, and are the last of a command.
        let sections = sections(command)?.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n.nf\n");
        let (name, sections) = (command.get_name().to_uppercase(), sections.replace(".SH ", ".SS "));
        page += &format!(".SH {name}\n{sections}.fi\n");
    }
    Ok(page)
}

/// What a page says of a command after its name. Each part begins with what an apostrophe is, which the page has said.
fn sections(command: &Command) -> io::Result<String> {
    let (man, mut sections) = (Man::new(command.clone()), Vec::new());
    man.render_synopsis_section(&mut sections)?;
    man.render_description_section(&mut sections)?;
    man.render_options_section(&mut sections)?;
    man.render_extra_section(&mut sections)?;
    let lines = text(sections);
    let lines = lines.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
