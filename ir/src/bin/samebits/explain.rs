//! `samebits explain`: the pages of codes, which the command has in it.

use super::failure::Failure;
use super::files::write;
use clap::Args;
use samebits_ir::diag::Code;

/// Print the pages of codes of mistakes, such as V010
///
/// Prints the page of each code: why it is a mistake, an example that has it, and one that has
/// not. Below each page is its address. Without a code it lists all codes.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits explain V010")]
pub struct Explain {
    /// The codes
    #[arg(value_name = "CODE", value_parser = code)]
    codes: Vec<Code>,
}

impl Explain {
    pub fn run(self) -> Result<(), Failure> {
        if self.codes.is_empty() {
            let lines = Code::ALL.iter().map(|code| format!("{code}  {}\n", code.title()));
            return write(None, lines.collect::<String>().as_bytes());
        }
        let page = |code: &Code| format!("{}\n{}\n", code.page().trim_end(), code.address());
        let pages: Vec<String> = self.codes.iter().map(page).collect();
        write(None, pages.join("\n").as_bytes())
    }
}

/// The code of a name, which may stand in the brackets that messages put around it.
fn code(name: &str) -> Result<Code, &'static str> {
    let bare = name.trim_matches(['[', ']']);
    Code::from_name(bare).ok_or("there is no such code; `samebits explain` lists all")
}
