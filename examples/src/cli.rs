//! The command line of the programs: `--help`, options with a value, operands, and the way
//! an error ends a program.
//!
//! Results go to stdout and everything else to stderr; the exit code is 0 if the answer is
//! right, 1 if it is not or something failed, and 2 if the command line cannot be understood.

use samebits::Device;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

/// A command line that cannot be understood, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Usage(String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Usage {}

/// A width and a height of at least 1, written `640x400`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let side = |text: &str| text.parse().ok().filter(|side| (1..=1 << 14).contains(side));
        let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
        let (width, height) = sides.ok_or("write it like `640x400`; each side is 1 to 16384")?;
        Ok(Self { width, height })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// What stands behind the program's name.
#[derive(Debug)]
pub struct Args {
    words: Vec<OsString>,
}

impl Args {
    /// The value of an option, `--name VALUE` or `--name=VALUE`; the last one counts.
    pub fn option<T: FromStr<Err: fmt::Display>>(&mut self, name: &str, default: T) -> Result<T, Usage> {
        let mut found = default;
        while let Some(at) = self.words.iter().position(|word| is_option(word, name)) {
            let words = self.words.len() - 1;
            let mut text = |at| {
                let word: OsString = self.words.remove(at);
                word.into_string().map_err(|word| Usage(format!("{name}: `{}` is not Unicode", word.display())))
            };
            let word = text(at)?;
            let value = match word.split_once('=') {
                Some((_, value)) => value.to_owned(),
                None if at < words => text(at)?,
                None => return Err(Usage(format!("{name} needs a value"))),
            };
            found = value.parse().map_err(|why| Usage(format!("{name}: cannot use `{value}`: {why}")))?;
        }
        Ok(found)
    }

    /// The value of an option that is a number of no more than `most`, so that memory for it
    /// can be had.
    pub fn number(&mut self, name: &str, default: usize, most: usize) -> Result<usize, Usage> {
        let number = self.option(name, default)?;
        if number > most { Err(Usage(format!("{name} can be at most {most}"))) } else { Ok(number) }
    }

    /// Whether an option without a value is given.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// The next operand; to be asked for after all options.
    pub fn path(&mut self) -> Option<PathBuf> {
        let at = self.words.iter().position(|word| !looks_like_option(word))?;
        Some(self.words.remove(at).into())
    }

    /// The next operand, which must be there.
    pub fn required_path(&mut self, name: &str) -> Result<PathBuf, Usage> {
        // A mistyped option is the better thing to complain about.
        let unknown = self.words.iter().find(|word| looks_like_option(word));
        let unknown = unknown.map(|word| Usage(format!("no such option: {}", word.display())));
        self.path().ok_or_else(|| unknown.unwrap_or_else(|| Usage(format!("{name} is missing"))))
    }

    /// Refuses what nobody asked for.
    pub fn finish(&mut self) -> Result<(), Usage> {
        match self.words.first() {
            None => Ok(()),
            Some(word) if looks_like_option(word) => Err(Usage(format!("no such option: {}", word.display()))),
            Some(word) => Err(Usage(format!("nothing is expected here: `{}`", word.display()))),
        }
    }
}

fn looks_like_option(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"--")
}

fn is_option(word: &OsString, name: &str) -> bool {
    let rest = word.as_encoded_bytes().strip_prefix(name.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
}

/// A device's name, and how it runs the examples if it is this CPU.
///
/// ```
/// use samebits::prelude::*;
/// let way = samebits_examples::cli::way(&Device::interpreter());
/// assert_eq!(way, "interpreter");
/// ```
pub fn way(device: &Device) -> String {
    match device.report().instructions() {
        Some(_) if cfg!(debug_assertions) => {
            format!("{} (interpreter, in a build with debug assertions)", device.name())
        }
        Some(instructions) => format!("{} (native code, {instructions})", device.name()),
        None => device.name().to_owned(),
    }
}

/// Runs a program: its help, or its work and the exit code that comes of it.
pub fn run(help: &str, work: impl FnOnce(&mut Args) -> Result<(), Box<dyn Error>>) -> ExitCode {
    let mut args = Args { words: std::env::args_os().skip(1).collect() };
    if args.flag("--help") {
        println!("{}", help.trim());
        return ExitCode::SUCCESS;
    }
    match work(&mut args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if error.is::<Usage>() {
                eprintln!("help: `--help` shows what can be written");
                return ExitCode::from(2);
            }
            ExitCode::FAILURE
        }
    }
}

/// A bar on stderr, if that is a terminal.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    shown: bool,
}

impl Progress {
    /// A bar for so many steps.
    pub fn new(total: usize) -> Self {
        Self { total, shown: stderr().is_terminal() }
    }

    /// Shows that so many steps are done; the last one ends the line.
    pub fn show(&self, done: usize) {
        if self.shown {
            let end = if done == self.total { "\n" } else { "" };
            let mut stderr = stderr().lock();
            // A bar that cannot be shown is no reason to stop.
            let _ = write!(stderr, "\r{}{end}", bar(done, self.total));
            let _ = stderr.flush();
        }
    }
}

/// Forty cells, of which as many are full as the share of what is done says.
fn bar(done: usize, total: usize) -> String {
    let full = (done * 40).checked_div(total).unwrap_or(40).min(40);
    format!("[{}{}] {done}/{total}", "#".repeat(full), "-".repeat(40 - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args { words: words.iter().map(OsString::from).collect() }
    }

    #[test]
    fn options_stand_anywhere_and_in_both_spellings() {
        let mut args = args(&["in.png", "--radius", "3", "--size=20x10", "out.png"]);
        assert_eq!(args.option("--radius", 1), Ok(3));
        let size = Size { width: 20, height: 10 };
        assert_eq!(args.option("--size", Size { width: 1, height: 1 }), Ok(size));
        assert_eq!(args.path(), Some("in.png".into()));
        assert_eq!(args.path(), Some("out.png".into()));
        assert_eq!(args.finish(), Ok(()));
    }

    #[test]
    fn a_missing_option_has_its_default() {
        assert_eq!(args(&[]).option("--radius", 7), Ok(7));
    }

    #[test]
    fn what_cannot_be_understood_is_said() {
        let says = |result: Result<u32, Usage>| result.unwrap_err().to_string();
        assert_eq!(says(args(&["--radius"]).option("--radius", 1)), "--radius needs a value");
        let message = says(args(&["--radius", "wide"]).option("--radius", 1));
        assert_eq!(message, "--radius: cannot use `wide`: invalid digit found in string");
        let large = args(&["--count=9"]).number("--count", 1, 8).unwrap_err().to_string();
        assert_eq!(large, "--count can be at most 8");
        let unknown = args(&["--radios=3"]).finish().unwrap_err().to_string();
        assert_eq!(unknown, "no such option: --radios=3");
    }

    #[test]
    fn a_missing_operand_is_named() {
        let says = |words: &[&str]| args(words).required_path("FILE").unwrap_err().to_string();
        assert_eq!(says(&[]), "FILE is missing");
        assert_eq!(says(&["--flie=x"]), "no such option: --flie=x");
    }

    #[test]
    fn a_size_has_two_sides_of_at_least_one() {
        for wrong in ["", "x", "640", "0x4", "4x0", "16385x1", "3x-1", "3x4x5"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_bar_fills_up() {
        assert_eq!(bar(0, 8), format!("[{}] 0/8", "-".repeat(40)));
        assert_eq!(bar(2, 8), format!("[{}{}] 2/8", "#".repeat(10), "-".repeat(30)));
        assert_eq!(bar(8, 8), format!("[{}] 8/8", "#".repeat(40)));
    }
}
