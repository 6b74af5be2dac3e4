//! Seeded mutation of texts and wire bytes, and what must hold for the results.
//!
//! A [`Mutator`] takes inputs apart by their structure: a text into words, and bytes into the
//! numbers that they encode. It changes a few of these, or inserts parts of other inputs.
//! [`text`] and [`bytes`] take an input through the whole compiler and say which of its laws
//! does not hold. The corpus is in `tests/corpus`; inputs that once broke a law stay there.

use samebits_ir::backend::gir;
use samebits_ir::check::{Checked, check, check_image};
use samebits_ir::diag::{Code, Diags, render};
use samebits_ir::interp::{Arg, Judge, Options, Program, Schedule, Words};
use samebits_ir::ir::{Module, Param, ParamKind};
use samebits_ir::pass::optimize;
use samebits_ir::{text as texts, wire};
use samebits_random::Random;
use std::fs;
use std::path::{Path, PathBuf};

/// Longer inputs only take longer.
const MOST_BYTES: usize = 1 << 14;

/// Steps of a run.
const MAX_STEPS: u64 = 20_000;

/// Numbers at which something may change.
const NUMBERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    4,
    -2,
    31,
    32,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    1024,
    65_535,
    65_536,
    100_001,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    u32::MAX as i64 + 1,
    i64::MAX,
    i64::MIN,
];

/// Makes inputs out of those of the corpus.
pub struct Mutator {
    random: Random,
    texts: Vec<Vec<String>>,
    files: Vec<Vec<Vec<u8>>>,
}

impl Mutator {
    /// A mutator over the corpus and the file tests.
    pub fn from_corpus(seed: u64) -> Self {
        let mut texts: Vec<Vec<String>> = Vec::new();
        let mut files: Vec<Vec<Vec<u8>>> = Vec::new();
        for (_, bytes) in corpus("wire") {
            files.push(numbers(&bytes));
        }
        for (_, bytes) in corpus("text") {
            let source = String::from_utf8_lossy(&bytes).into_owned();
            if let Ok(module) = texts::parse(&source) {
                let bytes = wire::encode(&module);
                if bytes.len() <= MOST_BYTES {
                    files.push(numbers(&bytes));
                }
            }
            texts.push(words(&source));
        }
        Self { random: Random::new(seed), texts, files }
    }

    /// A text.
    pub fn text(&mut self) -> String {
        let random = &mut self.random;
        let mut words = random.pick(&self.texts).cloned().unwrap_or_default();
        for _ in 0..1 + random.below(4) {
            let at = random.below(words.len() + 1);
            match random.below(9) {
                0 => drop(words.drain(at..(at + 1 + random.below(8)).min(words.len()))),
                1 => {
                    let from = random.below(words.len());
                    let part: Vec<String> = words.iter().skip(from).take(1 + random.below(12)).cloned().collect();
                    words.splice(at..at, part);
                }
                2 | 3 => {
                    let part = random.pick(&self.texts).map_or(&[][..], Vec::as_slice);
                    let from = random.below(part.len());
                    let len = 1 << random.below(7);
                    let part: Vec<String> = part.iter().skip(from).take(len).cloned().collect();
                    let end = (at + random.below(len + 1)).min(words.len());
                    words.splice(at..end, part);
                }
                4 | 5 => {
                    let number = random.pick(NUMBERS).copied().unwrap_or(0);
                    let digits = |word: &&mut String| word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                    let of: Vec<&mut String> = words.iter_mut().filter(digits).collect();
                    let which = random.below(of.len());
                    if let Some(word) = of.into_iter().nth(which) {
                        let from = word.trim_start_matches('-').find(|c: char| c.is_alphabetic());
                        let suffix = from.map_or("", |from| &word.trim_start_matches('-')[from..]);
                        *word = format!("{number}{suffix}");
                    }
                }
                6 | 7 => {
                    let from = random.pick(&words).cloned();
                    if let (Some(word), Some(from)) = (words.get_mut(at), from) {
                        *word = from;
                    }
                }
                _ => {
                    if let Some(word) = words.get_mut(at) {
                        let mut bytes = std::mem::take(word).into_bytes();
                        let byte = random.below(bytes.len());
                        if let Some(byte) = bytes.get_mut(byte) {
                            *byte ^= 1 << random.below(8);
                        }
                        *word = String::from_utf8_lossy(&bytes).into_owned();
                    }
                }
            }
        }
        let mut out = words.concat();
        let mut end = out.len().min(MOST_BYTES);
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        out.truncate(end);
        out
    }

    /// The bytes of a file.
    pub fn wire(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let mut tokens = random.pick(&self.files).cloned().unwrap_or_default();
        for _ in 0..1 + random.below(4) {
            let at = random.below(tokens.len() + 1);
            match random.below(8) {
                0 => drop(tokens.drain(at..(at + 1 + random.below(6)).min(tokens.len()))),
                1 => {
                    let from = random.below(tokens.len());
                    let part: Vec<Vec<u8>> = tokens.iter().skip(from).take(1 + random.below(16)).cloned().collect();
                    tokens.splice(at..at, part);
                }
                2 => {
                    let part = random.pick(&self.files).map_or(&[][..], Vec::as_slice);
                    let from = random.below(part.len());
                    let len = 1 << random.below(6);
                    let part: Vec<Vec<u8>> = part.iter().skip(from).take(len).cloned().collect();
                    let end = (at + random.below(len + 1)).min(tokens.len());
                    tokens.splice(at..end, part);
                }
                3 | 4 => {
                    let number = random.pick(NUMBERS).copied().unwrap_or(0);
                    if let Some(to) = tokens.get_mut(at) {
                        *to = token(number);
                    }
                }
                5 | 6 => {
                    let by = if random.below(2) == 0 { 1 } else { -1 };
                    if let Some(to) = tokens.get_mut(at) {
                        *to = token(value(to).wrapping_add(by));
                    }
                }
                _ => {
                    if let Some(byte) = tokens.get_mut(at).and_then(|token| token.first_mut()) {
                        *byte ^= 1 << random.below(8);
                    }
                }
            }
        }
        let mut out = tokens.concat();
        out.truncate(MOST_BYTES);
        out
    }
}

/// The inputs of a kind with their paths, in order: those that once broke a law, and for
/// texts the file tests.
pub fn corpus(kind: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![root.join("corpus").join(kind)];
    if kind == "text" {
        folders.push(root.join("filetests"));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                found.push((path, bytes));
            }
        }
    }
    found.sort();
    found
}

/// The words of a text, each with the space after it. Comments would only hide changes.
fn words(source: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in source.lines() {
        let line = if line.starts_with(';') { "" } else { line.split(" ;").next().unwrap_or_default() };
        let mut in_word = false;
        for c in line.chars() {
            let is_word = c.is_alphanumeric() || "_.%@$'".contains(c);
            match out.last_mut() {
                Some(last) if (is_word && in_word) || c == ' ' => last.push(c),
                _ => out.push(c.to_string()),
            }
            in_word = is_word;
        }
        if let Some(last) = out.last_mut() {
            last.push('\n');
        }
    }
    out
}

/// A file taken apart into the numbers that it encodes, as far as its bytes are numbers.
fn numbers(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (magic, mut rest) = bytes.split_at(bytes.len().min(wire::MAGIC.len()));
    let mut out = vec![magic.to_vec()];
    while let Some(first) = rest.first() {
        let (number, after) = rest.split_at((1 + first.leading_ones() as usize).min(rest.len()));
        out.push(number.to_vec());
        rest = after;
    }
    out
}

/// The number that some bytes are.
fn value(bytes: &[u8]) -> i64 {
    let Some((&first, rest)) = bytes.split_first() else { return 0 };
    let extra = first.leading_ones();
    let low = u64::from(first) & (0x7f >> extra.min(7));
    let value = rest.iter().fold(low, |value, &byte| value << 8 | u64::from(byte));
    let unused = 64u32.saturating_sub(7 * (extra + 1)).min(63);
    (value << unused) as i64 >> unused
}

/// The bytes of a number, by the definition of the format.
fn token(value: i64) -> Vec<u8> {
    let magnitude = value.unsigned_abs();
    let extra = (0..8).find(|extra| magnitude >> (7 * extra + 6) == 0).unwrap_or(8);
    if extra == 8 {
        return [&[0xff][..], &value.to_be_bytes()].concat();
    }
    let mut bytes = value.to_be_bytes()[7 - extra..].to_vec();
    if let Some(first) = bytes.first_mut() {
        *first = (*first & (0x7f >> extra)) | !(0xff_u8.checked_shr(extra as u32).unwrap_or(0));
    }
    bytes
}

/// Takes a text through everything; how far it came, or which law it breaks.
pub fn text(source: &str) -> Result<Reached, String> {
    let module = match texts::parse(source) {
        Ok(module) => module,
        Err(diags) => {
            let shown = render(&diags, "input", source);
            return if shown.is_empty() { Err("a text is refused without a word".into()) } else { Ok(Reached::Input) };
        }
    };
    let printed = texts::print(&module);
    let again = texts::parse(&printed).map_err(|diags| format!("print does not parse: {}", first(&diags)))?;
    same("text", &printed, &texts::print(&again))?;
    // Block form has no canonical text.
    let in_blocks = |diags: &Diags| first(diags).contains("in block form");
    match texts::format(source) {
        Ok(tidy) => {
            let twice = texts::format(&tidy).map_err(|diags| format!("its form does not parse: {}", first(&diags)))?;
            same("form", &tidy, &twice)?;
            let parsed = texts::parse(&tidy).map_err(|diags| format!("its form does not parse: {}", first(&diags)))?;
            same("text of the form", &printed, &texts::print(&parsed))?;
        }
        Err(diags) if in_blocks(&diags) => {}
        Err(diags) => return Err(format!("a text has no form: {}", first(&diags))),
    }
    match check(module) {
        Ok(checked) => good(checked),
        Err(diags) => {
            drop(render(&diags, "input", source));
            Ok(Reached::Module)
        }
    }
}

/// Takes bytes through everything; how far they came, or which law they break.
pub fn bytes(input: &[u8]) -> Result<Reached, String> {
    let Ok(module) = wire::decode(input) else { return Ok(Reached::Input) };
    if wire::encode(&module) != input {
        return Err("accepted bytes are not what they encode to".into());
    }
    drop(texts::print(&module));
    check_image(module).map_or(Ok(Reached::Module), good)
}

/// How far an input came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reached {
    /// It was refused.
    Input,
    /// It is a module, but a wrong one.
    Module,
    /// It is a module that does something.
    Run,
}

/// What holds for a module that passed the checks.
fn good(checked: Checked) -> Result<Reached, String> {
    let again = laws(checked.module())?;
    let bytes = results(&checked);
    let from_wire = check_image(again).map_err(|diags| format!("fails after decoding: {}", first(&diags)))?;
    if bytes != results(&from_wire) {
        return Err("another result after decoding".into());
    }
    // Block form is for what a source may say; images may look at memory as another type.
    if let Ok(as_source) = check(checked.module().clone()) {
        blocks(&as_source, &bytes)?;
    }
    judged(&checked);
    let optimized = optimize(checked);
    let again = laws(optimized.module())?;
    check_image(again).map_err(|diags| format!("fails after the passes: {}", first(&diags)))?;
    for (before, after) in bytes.iter().zip(&results(&optimized)) {
        // Passes save steps, so a limit may be reached before them alone.
        if before.is_some() && before != after {
            return Err("another result after the passes".into());
        }
    }
    Ok(Reached::Run)
}

/// What is written in block form parses and does the same, kernel by kernel.
fn blocks(checked: &Checked, before: &[Option<Vec<Vec<u8>>>]) -> Result<(), String> {
    let written = gir::emit(checked);
    let parsed = texts::parse(&written);
    // Its own pointers and phis may make more of a module that is as large as may be.
    let is_too_large = |diags: &Diags| diags.as_slice().iter().all(|diag| diag.code == Code::V018);
    let module = match parsed.and_then(check_image) {
        Ok(module) => module,
        Err(diags) if is_too_large(&diags) => return Ok(()),
        Err(diags) => return Err(format!("block form fails: {}\n{written}", first(&diags))),
    };
    let kernels = |checked: &Checked, results: &[Option<Vec<Vec<u8>>>]| {
        let functions = checked.module().functions.iter().zip(results);
        functions.filter(|(f, _)| f.is_kernel()).map(|(_, result)| result.clone()).collect::<Vec<_>>()
    };
    let (before, after) = (kernels(checked, before), kernels(&module, &results(&module)));
    let differs = |(before, after): (&Option<_>, &Option<_>)| before.is_some() && after.is_some() && before != after;
    if before.len() != after.len() || before.iter().zip(&after).any(differs) {
        return Err(format!("another result in block form\n{written}"));
    }
    Ok(())
}

/// Judges a launch of each kernel; whatever it finds, it comes to an end.
fn judged(checked: &Checked) {
    for index in 0..checked.module().functions.len() {
        if let (Some(program), Some((function, _))) = (Program::new(checked, index), checked.function(index)) {
            let words: Vec<Words> = function.params.iter().map(|_| Words::zeroed(256)).collect();
            let args: Vec<Arg<'_>> =
                function.params.iter().zip(&words).map(|(param, words)| argument(param, words, 4)).collect();
            let judge = Judge { schedule: Schedule::Random(1), max_steps: Some(MAX_STEPS) };
            drop(program.judge([2, 1, 1], &args, &judge).render("input", ""));
        }
    }
}

/// What is passed for a parameter.
fn argument<'a>(param: &Param, words: &'a Words, len: u32) -> Arg<'a> {
    match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len },
        ParamKind::Scalar(ty) => {
            let mask = ty.lane().map_or(0, |scalar| scalar.mask());
            Arg::Scalar([0, 1, 2, 3].map(|lane| if lane < ty.lanes() { (lane as u64 + 1) & mask } else { 0 }))
        }
    }
}

/// The laws of both forms for a sound module; what decoding gives.
fn laws(module: &Module) -> Result<Module, String> {
    let printed = texts::print(module);
    let parsed = texts::parse(&printed).map_err(|diags| format!("print does not parse: {}", first(&diags)))?;
    same("text", &printed, &texts::print(&parsed))?;
    check_image(parsed).map_err(|diags| format!("fails after printing: {}", first(&diags)))?;
    let bytes = wire::encode(module);
    let decoded = wire::decode(&bytes).map_err(|diags| format!("does not decode: {}", first(&diags)))?;
    // Bytes hold no struct that nothing uses, such as one of memory that became values.
    let (before, after) = (printed, texts::print(&decoded));
    let is_struct = |line: &&str| line.starts_with("struct ");
    let functions = |text: &str| text.lines().filter(|line| !is_struct(line)).collect::<Vec<_>>().join("\n");
    same("wire", functions(&before).trim(), functions(&after).trim())?;
    match after.lines().filter(is_struct).find(|line| !before.lines().any(|known| known == *line)) {
        Some(line) => Err(format!("wire makes `{line}`")),
        None => Ok(decoded),
    }
}

/// The buffers after a run of each kernel, or `None` for one that did not come to its end.
fn results(checked: &Checked) -> Vec<Option<Vec<Vec<u8>>>> {
    let run = |index: usize| {
        let program = Program::new(checked, index)?;
        let (function, _) = checked.function(index)?;
        let len = 16;
        let size = |kind: ParamKind| match kind {
            ParamKind::Buffer { element, .. } => {
                checked.module().types.layout(element).map_or(1, |layout| layout.size as usize).min(1 << 12) * len
            }
            ParamKind::Scalar(_) => 0,
        };
        let fill = |bytes: usize| (0..bytes).map(|i| (i * 7 + 3) as u8 & 0x3f).collect::<Vec<u8>>();
        let words: Vec<Words> = function.params.iter().map(|p| Words::from_bytes(&fill(size(p.kind)))).collect();
        let args = function.params.iter().zip(&words).map(|(param, words)| argument(param, words, len as u32));
        let args: Vec<Arg<'_>> = args.collect();
        let options = Options { threads: 1, max_steps: Some(MAX_STEPS) };
        program.run([2, 1, 1], &args, &options).ok()?;
        Some(words.iter().map(|words| words.read(0..words.bytes())).collect())
    };
    (0..checked.module().functions.len()).map(run).collect()
}

fn same(what: &str, before: &str, after: &str) -> Result<(), String> {
    if before == after { Ok(()) } else { Err(format!("{what} changes\n{before}\nto\n{after}")) }
}

fn first(diags: &Diags) -> String {
    diags.as_slice().first().map_or_else(String::new, |diag| diag.headline())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_bytes_that_the_format_defines() {
        for (number, bytes) in [
            (0, &[0x00][..]),
            (-1, &[0x7f]),
            (64, &[0x80, 0x40]),
            (-64, &[0xbf, 0xc0]),
            (8192, &[0xc0, 0x20, 0x00]),
            (1 << 55, &[0xff, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
        ] {
            assert_eq!(token(number), bytes);
            assert_eq!(value(bytes), number);
        }
    }

    #[test]
    fn a_seed_determines_the_inputs() {
        let inputs = |seed| {
            let mut mutator = Mutator::from_corpus(seed);
            (0..5).map(|_| (mutator.text(), mutator.wire())).collect::<Vec<_>>()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
    }
}
