//! What a program of native code compares: some file tests, some random kernels, or some cases of ops.

use super::Natives;
use crate::conform::{self, Tally};
use crate::filetest::{self, Engine};
use crate::random::{compare, generate};
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The file tests of a part: they have a few kernels each.
const FILES: u64 = 16;
/// The random kernels of a part.
const SEEDS: u64 = 20;
/// The cases of ops of a part.
const CASES: u64 = 64;
/// The random operands of a case.
const RANDOM: usize = 500;
/// Every so many random kernels one is taken as the passes for devices leave it.
const PASSED: u64 = 4;

/// What there is to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Files,
    Seeds,
    Cases,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Files, Self::Seeds, Self::Cases];

    const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Seeds => "seeds",
            Self::Cases => "cases",
        }
    }
}

/// Neighbouring jobs of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    kind: Kind,
    range: Range<u64>,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.kind.name(), self.range.start, self.range.end)
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part");
        let words: Vec<&str> = text.split(' ').collect();
        let &[kind, start, end] = words.as_slice() else { return Err(wrong()) };
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or_else(wrong)?;
        let number = |text: &str| text.parse().map_err(|_| wrong());
        Ok(Self { kind, range: number(start)?..number(end)? })
    }
}

/// All parts, with so many random kernels, those last: what they find is the hardest to read.
pub fn parts(seeds: u64) -> Vec<Part> {
    let counts = [
        (Kind::Files, files().len() as u64, FILES),
        (Kind::Cases, conform::cases().len() as u64, CASES),
        (Kind::Seeds, seeds, SEEDS),
    ];
    let cut = |(kind, count, step): (Kind, u64, u64)| {
        let starts = (0..count).step_by(step as usize);
        starts.map(move |start| Part { kind, range: start..(start + step).min(count) })
    };
    counts.into_iter().flat_map(cut).collect()
}

/// All file tests.
fn files() -> Vec<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |folder: &str| filetest::files(&home.join(folder)).expect("a folder of file tests");
    ["filetests", "corpus/random"].into_iter().flat_map(of).collect()
}

impl Part {
    /// Which of the levels of instructions the part is compared at; all of them but for random kernels, which take turns.
    pub fn level(&self) -> Option<usize> {
        (self.kind == Kind::Seeds).then_some((self.range.start / SEEDS) as usize % 3)
    }

    /// Does the jobs; gives how many launches agree, and what is wrong.
    pub fn work(&self, natives: &Natives) -> (usize, Vec<String>) {
        let (mut agree, mut wrong) = (0, Vec::new());
        let range = self.range.start as usize..self.range.end as usize;
        match self.kind {
            Kind::Files => {
                for path in &files()[range] {
                    let source = std::fs::read_to_string(path).expect("a file test can be read");
                    match filetest::test(&path.display().to_string(), &source, &[natives]) {
                        Ok(count) => agree += count,
                        Err(what) => wrong.push(what),
                    }
                }
            }
            Kind::Seeds => {
                for seed in self.range.clone() {
                    let form =
                        if seed % PASSED == PASSED - 1 { compare::Form::Passed } else { compare::Form::Generated };
                    match compare::compare_form_on(&generate(seed), natives, form) {
                        Ok(_) => agree += 1,
                        Err(finding) => wrong.push(format!("seed {seed}: {finding}")),
                    }
                }
            }
            Kind::Cases => {
                let mut tally = Tally::new(Engine::name(natives));
                conform::run(natives, &conform::cases()[range], RANDOM, &mut tally);
                agree += tally.comparisons as usize;
                if tally.mismatches > 0 {
                    wrong.push(tally.shown.join("\n"));
                }
            }
        }
        (agree, wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_job_once_and_are_read_as_they_are_written() {
        let parts = parts(50);
        for (kind, count) in [(Kind::Files, files().len()), (Kind::Cases, conform::cases().len()), (Kind::Seeds, 50)] {
            let jobs = parts.iter().filter(|part| part.kind == kind).flat_map(|part| part.range.clone());
            assert!(jobs.eq(0..count as u64), "{kind:?}");
        }
        assert!(parts.iter().all(|part| part.to_string().parse::<Part>().as_ref() == Ok(part)));
        for wrong in ["", "seeds 1", "seeds 1 2 3", "others 1 2", "seeds a 2"] {
            assert_eq!(wrong.parse::<Part>(), Err(format!("`{wrong}` is no part")));
        }
    }
}
