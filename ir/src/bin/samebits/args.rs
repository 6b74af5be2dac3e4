//! The command line: options with a value, flags and operands, in any order.
//!
//! A word that begins with `-` is an option, but `-` itself, negative numbers and what follows
//! `--` are operands. The value of an option is the next word, or stands behind `=`.

use super::failure::Failure;
use std::collections::VecDeque;
use std::ffi::OsString;

/// The words behind the command's name.
pub struct Args {
    words: VecDeque<OsString>,
    operands: Vec<OsString>,
}

impl Args {
    /// Takes the words apart at `--`.
    pub fn new(words: impl Iterator<Item = OsString>) -> Self {
        let mut args = Self { words: words.collect(), operands: Vec::new() };
        if let Some(at) = args.words.iter().position(|word| word == "--") {
            args.operands = args.words.split_off(at).into_iter().skip(1).collect();
        }
        args
    }

    /// Whether a flag is given.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// The values of an option, in order.
    pub fn values(&mut self, name: &str) -> Result<Vec<String>, Failure> {
        let mut found = Vec::new();
        let is_option = |word: &OsString| {
            let rest = word.as_encoded_bytes().strip_prefix(name.as_bytes());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
        };
        while let Some(at) = self.words.iter().position(is_option) {
            let missing = || Failure::usage(format!("{name} needs a value"));
            let word = text(self.words.remove(at).unwrap_or_default())?;
            found.push(match word.split_once('=') {
                Some((_, value)) => value.to_owned(),
                None => text(self.words.remove(at).ok_or_else(missing)?)?,
            });
        }
        Ok(found)
    }

    /// The value of an option, which may be given once.
    pub fn value(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let mut values = self.values(name)?;
        let last = values.pop();
        if values.is_empty() { Ok(last) } else { Err(Failure::usage(format!("{name} is given twice"))) }
    }

    /// What is left, as it is.
    pub fn words(self) -> impl Iterator<Item = OsString> {
        let end = (!self.operands.is_empty()).then(|| OsString::from("--"));
        self.words.into_iter().chain(end).chain(self.operands)
    }

    /// What is left, which must be operands.
    pub fn operands(self) -> Result<Vec<String>, Failure> {
        let words: Result<Vec<String>, Failure> = self.words.into_iter().map(text).collect();
        let mut words = words?;
        let is_option = |word: &&String| word.len() > 1 && word.starts_with('-') && !is_number(word);
        if let Some(unknown) = words.iter().find(is_option) {
            return Err(Failure::usage(format!("unknown option `{unknown}`")));
        }
        for operand in self.operands {
            words.push(text(operand)?);
        }
        Ok(words)
    }
}

/// Whether a word is a number with a sign, and no option.
fn is_number(word: &str) -> bool {
    let rest = word.trim_start_matches('-');
    rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest == "inf" || rest.starts_with("inff")
}

fn text(word: OsString) -> Result<String, Failure> {
    word.into_string().map_err(|word| Failure::usage(format!("`{}` is not Unicode", word.display())))
}
