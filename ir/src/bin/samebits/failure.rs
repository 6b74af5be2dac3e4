//! The ways in which the command can fail, and their exit codes.

use samebits_ir::diag::visible;
use std::io;

/// Why a command ended.
#[derive(Debug)]
pub enum Failure {
    /// The command line is none; the text is shown as it is: 2.
    CommandLine(String),
    /// What the command line asks for makes no sense: 2.
    Usage(String),
    /// A file cannot be read or written: 2.
    File(String),
    /// A module is wrong or its run failed; the text is shown as it is: 1.
    Program(String),
    /// Several files failed.
    Several(Vec<Failure>),
    /// Nobody reads the output any more, which is no failure of ours: 0.
    Unread,
}

impl Failure {
    /// What makes no sense.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// One line about a program.
    pub fn program(message: impl std::fmt::Display) -> Self {
        Self::Program(format!("error: {}\n", visible(&message.to_string())))
    }

    /// A file that cannot be read or written.
    pub fn file(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Unread;
        }
        Self::File(format!("{name}: {error}"))
    }

    /// Shows the failure of a command, such as `samebits run`.
    pub fn show(&self, command: &str) {
        match self {
            Self::Usage(message) => {
                let message = visible(message);
                eprintln!("error: {message}\nhelp: `{command} --help` shows what can be written");
            }
            Self::File(message) => eprintln!("error: {}", visible(message)),
            Self::CommandLine(shown) | Self::Program(shown) => eprint!("{shown}"),
            Self::Several(all) => all.iter().for_each(|failure| failure.show(command)),
            Self::Unread => {}
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::CommandLine(_) | Self::Usage(_) | Self::File(_) => 2,
            Self::Program(_) => 1,
            Self::Several(all) => all.iter().map(Self::code).max().unwrap_or(0),
            Self::Unread => 0,
        }
    }
}
