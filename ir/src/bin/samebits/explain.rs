//! `samebits explain`: the pages of codes, which the command has in it.

use super::args::Args;
use super::failure::Failure;
use super::files::write;
use samebits_ir::diag::Code;

/// Prints the page of each code that is named, or the list of all codes.
pub fn explain(args: Args) -> Result<(), Failure> {
    let names = args.operands()?;
    if names.is_empty() {
        let lines = Code::ALL.iter().map(|code| format!("{code}  {}\n", code.title()));
        return write(None, lines.collect::<String>().as_bytes());
    }
    let found: Result<Vec<Code>, Failure> = names.iter().map(|name| code(name)).collect();
    let pages: Vec<String> =
        found?.iter().map(|code| format!("{}\n{}\n", code.page().trim_end(), code.address())).collect();
    write(None, pages.join("\n").as_bytes())
}

fn code(name: &str) -> Result<Code, Failure> {
    let bare = name.trim_matches(['[', ']']);
    Code::from_name(bare).ok_or_else(|| {
        Failure::usage(format!(
            "there is no code `{name}`; a code is one such as `V010`, and `samebits explain` lists all"
        ))
    })
}
