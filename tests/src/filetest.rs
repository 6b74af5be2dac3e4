//! Tests that are files: IR in text, with what is expected of it in comments.
//!
//! - `; error: V021 cannot add` at the end of a line: parsing and checking report a
//!   mistake with this code on this line whose message contains the rest. Mistakes that no
//!   comment expects are failures, and so are comments that no mistake fulfils.
//! - `; run: @kernel groups(1, 1, 1) %a=2.0f32 @x=[1.0f32, 2.0f32] @y=[0.0f32; 2] =>
//!   @y=[2.0f32, 4.0f32]` launches the kernel on every engine and compares the named
//!   buffers bit for bit. Lines that begin with `;   ` (three spaces) continue the line
//!   before. A device function runs as the only invocation, and what it gives is compared
//!   with the values after the arrow: `; run: @f %a=2u32 => 4u32`. Memory is written as a list of literals, laid out one after the other, each
//!   at the next multiple of its size; `[v; n]` repeats one.
//!
//! Whatever parses has to print as text that parses and prints the same. Whatever passes
//! the checks has to do so again after printing, has to go through the wire form unchanged,
//! and is launched as written, as read back, and as read back from block form.

use crate::engines::say;
use samebits_ir::backend::gir;
use samebits_ir::check::{Checked, check};
use samebits_ir::diag::{Diags, line_column, render};
use samebits_ir::interp::{Arg, Judge, Options, Program, Schedule, Words, entry};
use samebits_ir::ir::{Function, Module, ParamKind};
use samebits_ir::pass::optimize;
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type, Types};
use samebits_ir::{text, wire};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a launch passes for one parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Argument {
    /// The elements of a buffer.
    Buffer {
        /// Their bytes.
        bytes: Vec<u8>,
        /// How many they are.
        len: u32,
    },
    /// The bits of a scalar or vector.
    Scalar(Lanes),
}

impl Argument {
    /// The bytes of a buffer; none of a scalar.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Buffer { bytes, .. } => bytes.clone(),
            Self::Scalar(_) => Vec::new(),
        }
    }
}

/// A launch of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// The number of workgroups on x, y, z.
    pub groups: [u32; 3],
    /// What is passed, in the order of the parameters.
    pub arguments: Vec<Argument>,
}

/// The memory of each parameter after a launch: a buffer's bytes, nothing for a scalar.
pub type Memories = Vec<Vec<u8>>;

/// Why a launch gave nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The engine lacks what the kernel needs, which is no fault. Such launches are skipped,
    /// with a line each that counts them.
    Lacks(String),
    /// What went wrong.
    Wrong(String),
}

impl From<String> for Failure {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

impl From<&str> for Failure {
    fn from(what: &str) -> Self {
        Self::Wrong(what.to_owned())
    }
}

/// How many launches were skipped in this process.
static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// Something that executes kernels.
pub trait Engine {
    /// The name in messages.
    fn name(&self) -> &str;

    /// Launches the function with this index.
    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure>;
}

/// The reference interpreter.
pub struct Interpreter;

impl Engine for Interpreter {
    fn name(&self) -> &str {
        "interpreter"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        interpret(checked, function, launch)
    }
}

/// The reference interpreter on what the passes make of a module.
pub struct Optimized;

impl Engine for Optimized {
    fn name(&self) -> &str {
        "interpreter after the passes"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        interpret(&optimize(checked.clone()), function, launch)
    }
}

/// The interpreter as judge, under a schedule: a race is a failure.
pub struct Judged {
    schedule: Schedule,
    name: String,
}

impl Judged {
    /// The judge with this schedule.
    pub fn new(schedule: Schedule) -> Self {
        Self { schedule, name: format!("judge, {schedule:?}") }
    }
}

impl Engine for Judged {
    fn name(&self) -> &str {
        &self.name
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        with_arguments(checked, function, launch, |program, arguments| {
            let judge = Judge { schedule: self.schedule, max_steps: Some(MAX_STEPS) };
            let verdict = program.judge(launch.groups, arguments, &judge);
            let races = verdict.findings.iter().filter(|finding| finding.is_race()).map(ToString::to_string);
            let wrong: Vec<String> = races.chain(verdict.fault.iter().map(ToString::to_string)).collect();
            if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
        })
    }
}

/// Far more than any file needs, so that an endless loop is a failure.
const MAX_STEPS: u64 = 50_000_000;

fn interpret(checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
    with_arguments(checked, function, launch, |program, arguments| {
        let options = Options { max_steps: Some(MAX_STEPS), ..Options::default() };
        program.run(launch.groups, arguments, &options).map(|_| ()).map_err(|fault| fault.to_string())
    })
}

/// What the memories are after a program was run in some way.
fn with_arguments(
    checked: &Checked,
    function: usize,
    launch: &Launch,
    run: impl FnOnce(&Program, &[Arg<'_>]) -> Result<(), String>,
) -> Result<Memories, Failure> {
    let program = Program::new(checked, function).ok_or("there is no such function")?;
    let buffer = |argument: &Argument| match argument {
        Argument::Buffer { bytes, .. } => Words::from_bytes(bytes),
        Argument::Scalar(_) => Words::zeroed(0),
    };
    let words: Vec<Words> = launch.arguments.iter().map(buffer).collect();
    let bind = |(argument, words): (&Argument, _)| match *argument {
        Argument::Buffer { len, .. } => Arg::Buffer { words, offset: 0, len },
        Argument::Scalar(lanes) => Arg::Scalar(lanes),
    };
    let arguments: Vec<Arg<'_>> = launch.arguments.iter().zip(&words).map(bind).collect();
    run(&program, &arguments)?;
    Ok(words.iter().map(|words| words.read(0..words.bytes())).collect())
}

/// Every `.gir` file below a folder, sorted.
pub fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "gir") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Tests one file; the result is the number of launches that it asked for, or what is
/// wrong.
pub fn test(name: &str, source: &str, engines: &[&dyn Engine]) -> Result<usize, String> {
    let expected = expected_errors(source);
    let module = match text::parse(source) {
        Ok(module) => module,
        Err(diags) => return compare_errors(name, source, &expected, &diags).map(|()| 0),
    };
    text_round_trip(&module)?;
    let checked = match check(module) {
        Ok(checked) => checked,
        Err(diags) => return compare_errors(name, source, &expected, &diags).map(|()| 0),
    };
    compare_errors(name, source, &expected, &Diags::new())?;
    let printed = text_round_trip(checked.module())?;
    wire_round_trip(checked.module(), &printed)?;
    let again = text::parse(&printed).and_then(check);
    let again = again.map_err(|diags| format!("fails after printing:\n{}", render(&diags, "printed", &printed)))?;
    let blocks = gir::emit(&checked);
    let in_blocks = text::parse(&blocks).and_then(check);
    let in_blocks =
        in_blocks.map_err(|diags| format!("fails in block form:\n{}", render(&diags, "blocks", &blocks)))?;
    let runs = run_lines(source);
    for (line, run) in &runs {
        for &engine in engines {
            // Block form may leave device functions out.
            let in_blocks = Some(&in_blocks).filter(|blocks| is_in(blocks, run));
            let forms =
                [(Some(&checked), "as written"), (Some(&again), "after printing"), (in_blocks, "in block form")];
            for (checked, what) in forms.into_iter().filter_map(|(checked, what)| Some((checked?, what))) {
                let outcome = launch(checked, run, engine);
                outcome.map_err(|e| format!("{name}:{line}: {} ({what}): {e}", engine.name()))?;
            }
        }
    }
    Ok(runs.len())
}

/// Whether a run's function is in a module.
fn is_in(checked: &Checked, run: &str) -> bool {
    let name = items(run).first().copied().unwrap_or_default();
    checked.module().functions.iter().any(|function| name.strip_prefix('@') == Some(function.name.as_str()))
}

/// The law of the text form; the result is the text.
fn text_round_trip(module: &Module) -> Result<String, String> {
    let printed = text::print(module);
    let again = text::parse(&printed);
    let again = again.map_err(|diags| format!("print does not parse:\n{}", render(&diags, "printed", &printed)))?;
    same("text", &printed, &text::print(&again))?;
    Ok(printed)
}

/// The law of the wire form.
fn wire_round_trip(module: &Module, printed: &str) -> Result<(), String> {
    let decoded = wire::decode(&wire::encode(module));
    let decoded = decoded.map_err(|diags| format!("wire does not decode:\n{}", render(&diags, "wire", "")))?;
    same("wire", printed, &text::print(&decoded))
}

fn same(what: &str, before: &str, after: &str) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    Err(format!("{what} changes the module; before:\n{before}after:\n{after}"))
}

// Expected mistakes.

#[derive(Debug)]
struct ExpectedError<'s> {
    line: usize,
    code: &'s str,
    message: &'s str,
}

fn expected_errors(source: &str) -> Vec<ExpectedError<'_>> {
    let mut expected = Vec::new();
    for (i, line) in source.lines().enumerate() {
        for text in line.split("; error:").skip(1) {
            let text = text.trim();
            let (code, message) = text.split_once(' ').unwrap_or((text, ""));
            expected.push(ExpectedError { line: i + 1, code, message: message.trim() });
        }
    }
    expected
}

fn compare_errors(name: &str, source: &str, expected: &[ExpectedError<'_>], diags: &Diags) -> Result<(), String> {
    let last_line = source.lines().count();
    let mut missing: Vec<&ExpectedError<'_>> = expected.iter().collect();
    let mut wrong = String::new();
    for diag in diags.as_slice() {
        let line = diag.loc.index().map(|at| line_column(source, at as usize).0.min(last_line));
        let fits = |e: &&ExpectedError<'_>| {
            Some(e.line) == line && e.code == diag.code.as_str() && diag.message.contains(e.message)
        };
        match missing.iter().position(fits) {
            Some(found) => {
                missing.remove(found);
            }
            None => wrong += &format!("unexpected {}", render(&diag.clone().into(), name, source)),
        }
    }
    for error in missing {
        wrong += &format!("{name}:{}: missing error {} {}\n", error.line, error.code, error.message);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

// Launches.

/// The text of every `; run:` with the number of its line.
fn run_lines(source: &str) -> Vec<(usize, String)> {
    let mut runs: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    for (i, line) in source.lines().enumerate() {
        if let Some(run) = line.strip_prefix("; run:") {
            runs.push((i + 1, run.to_owned()));
            continues = true;
        } else if let (true, Some(more), Some((_, run))) = (continues, line.strip_prefix(";   "), runs.last_mut()) {
            run.push(' ');
            run.push_str(more);
        } else {
            continues = false;
        }
    }
    runs
}

/// Splits at spaces that are not between brackets.
fn items(run: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let split = move |c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    };
    run.split(split).filter(|item| !item.is_empty()).collect()
}

fn launch(checked: &Checked, run: &str, engine: &dyn Engine) -> Result<(), String> {
    let items = items(run);
    let [name, rest @ ..] = &items[..] else { return Err("a run names a function".into()) };
    let name = name.strip_prefix('@').ok_or("a run begins with the name of a function")?;
    let index = checked.module().functions.iter().position(|f| f.name == name).ok_or("there is no such function")?;
    if let Some((checked, index)) = entry(checked, index) {
        return run_kernel(&checked, index, [1; 3], rest, engine);
    }
    let [groups, rest @ ..] = rest else { return Err("a run of a kernel says its groups".into()) };
    let groups =
        groups.strip_prefix("groups(").and_then(|g| g.strip_suffix(')')).ok_or("expected `groups(x, y, z)`")?;
    let groups: Result<Vec<u32>, _> = groups.split(',').map(|n| n.trim().parse()).collect();
    let groups = groups.ok().and_then(|g| g.try_into().ok()).ok_or("expected three numbers of groups")?;
    run_kernel(checked, index, groups, rest, engine)
}

/// Launches a kernel with the arguments before the arrow and compares with what is after
/// it: buffers by name, results by their order.
fn run_kernel(
    checked: &Checked,
    index: usize,
    groups: [u32; 3],
    rest: &[&str],
    engine: &dyn Engine,
) -> Result<(), String> {
    let module = checked.module();
    let function = &module.functions[index];
    let mut halves = rest.split(|item| *item == "=>");
    let mut given = assignments(halves.next().unwrap_or_default())?;
    let wanted = halves.next().unwrap_or_default();
    let (named, results): (Vec<&str>, Vec<&str>) = wanted.iter().partition(|item| item.contains('='));
    let mut wanted = assignments(&named)?;
    let names: Vec<&str> = function.params.iter().map(|param| param.name.as_str()).collect();
    let first = names.len().checked_sub(results.len()).ok_or("there are more results than the function gives")?;
    for (name, result) in names[first..].iter().zip(results) {
        let cells = parse_cells(result).ok_or_else(|| format!("cannot read `{result}`"))?;
        given.push((name, cells.iter().map(|&(ty, _)| (ty, 0)).collect()));
        wanted.push((name, cells));
    }
    let arguments = arguments(&module.types, function, &given)?;
    let outcome = match engine.launch(checked, index, &Launch { groups, arguments }) {
        Ok(outcome) => outcome,
        Err(Failure::Lacks(what)) => {
            let number = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
            say(&format!("SKIPPED launch {number}: {what}"));
            return Ok(());
        }
        Err(Failure::Wrong(what)) => return Err(what),
    };
    for (name, cells) in &wanted {
        let found = function.params.iter().position(|p| p.name == *name && matches!(p.kind, ParamKind::Buffer { .. }));
        let found = found.and_then(|i| outcome.get(i)).ok_or_else(|| format!("there is no buffer `{name}`"))?;
        compare(name, cells, found)?;
    }
    Ok(())
}

type Cells = Vec<(Scalar, u64)>;

fn assignments<'r>(items: &[&'r str]) -> Result<Vec<(&'r str, Cells)>, String> {
    let assignment = |item: &&'r str| {
        let (name, cells) = item.split_once('=')?;
        Some((name.strip_prefix(['@', '%'])?, parse_cells(cells)?))
    };
    items.iter().map(|item| assignment(item).ok_or_else(|| format!("cannot read `{item}`"))).collect()
}

/// One literal, a list of them, or one repeated.
fn parse_cells(text: &str) -> Option<Cells> {
    let Some(list) = text.strip_prefix('[') else { return Some(vec![text::parse_literal(text)?]) };
    let list = list.strip_suffix(']')?.trim();
    if list.is_empty() {
        return Some(Vec::new());
    }
    if let Some((cell, count)) = list.split_once(';') {
        return Some(vec![text::parse_literal(cell.trim())?; count.trim().parse().ok()?]);
    }
    list.split(',').map(|cell| text::parse_literal(cell.trim())).collect()
}

/// Lays cells out; the result also says where each one is.
fn lay_out(cells: &Cells) -> (Vec<u8>, Vec<usize>) {
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    for &(ty, bits) in cells {
        let size = ty.size() as usize;
        bytes.resize(bytes.len().next_multiple_of(size), 0);
        starts.push(bytes.len());
        bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    (bytes, starts)
}

fn arguments(types: &Types, function: &Function, given: &[(&str, Cells)]) -> Result<Vec<Argument>, String> {
    if let Some((name, _)) = given.iter().find(|(name, _)| !function.params.iter().any(|p| p.name == *name)) {
        return Err(format!("there is no parameter `{name}`"));
    }
    let argument = |param: &samebits_ir::ir::Param| {
        let name = &param.name;
        let cells = given.iter().find(|(other, _)| other == name).map(|(_, cells)| cells);
        let cells = cells.ok_or_else(|| format!("parameter `{name}` has no argument"))?;
        match param.kind {
            ParamKind::Scalar(ty) => {
                let fits = cells.len() == ty.lanes() && cells.iter().all(|(scalar, _)| Some(*scalar) == ty.lane());
                let mut lanes = Lanes::default();
                if !fits {
                    return Err(format!("argument `{name}` does not have the type `{}`", types.display(ty)));
                }
                for (lane, (_, bits)) in lanes.iter_mut().zip(cells) {
                    *lane = *bits;
                }
                Ok(Argument::Scalar(lanes))
            }
            ParamKind::Buffer { element, .. } => {
                let (mut bytes, _) = lay_out(cells);
                let layout = types.layout(element).filter(|layout| layout.size > 0);
                let size = layout.ok_or_else(|| format!("buffer `{name}` has no element size"))?.size as usize;
                if let Type::Struct(_) = element {
                    bytes.resize(bytes.len().next_multiple_of(size), 0);
                }
                if bytes.len() % size != 0 {
                    return Err(format!("argument `{name}` is not a whole number of elements"));
                }
                let len = u32::try_from(bytes.len() / size).map_err(|_| format!("argument `{name}` is too long"))?;
                Ok(Argument::Buffer { bytes, len })
            }
        }
    };
    function.params.iter().map(argument).collect()
}

fn compare(name: &str, wanted: &Cells, found: &[u8]) -> Result<(), String> {
    let (bytes, starts) = lay_out(wanted);
    if bytes.len() > found.len() {
        return Err(format!("`@{name}` has {} bytes, not {}", found.len(), bytes.len()));
    }
    for (i, (&(ty, bits), start)) in wanted.iter().zip(starts).enumerate() {
        let mut word = [0; 8];
        let size = ty.size() as usize;
        word[..size].copy_from_slice(&found[start..start + size]);
        let is = u64::from_le_bytes(word);
        if is != bits {
            let (wanted, found) = (text::print_literal(ty, bits), text::print_literal(ty, is));
            return Err(format!("`@{name}` has {found} in place {i}, not {wanted}"));
        }
    }
    if bytes.len() < found.len() {
        return Err(format!("`@{name}` has {} bytes, not {}", found.len(), bytes.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBLE: &str = "\
func kernel workgroup_size(2, 1, 1) @double(%by: f32, @y: mut [f32]) {
  %i = global_id.x
  %v = load f32 @y[%i]
  %w = mul %v, %by
  store @y[%i], %w
  ret
}
";

    fn with(comment: &str) -> Result<usize, String> {
        test("t.gir", &format!("{comment}\n{DOUBLE}"), &[&Interpreter])
    }

    #[test]
    fn a_right_run_passes_and_is_counted() {
        let run = "; run: @double groups(1, 1, 1) %by=2.0f32 @y=[1.5f32; 2]\n;   => @y=[3.0f32, 3.0f32]";
        assert_eq!(with(run), Ok(1));
    }

    #[test]
    fn a_wrong_value_fails() {
        let run = "; run: @double groups(1, 1, 1) %by=2.0f32 @y=[1.5f32, 0.0f32] => @y=[3.0f32, -0.0f32]";
        assert_eq!(
            with(run).unwrap_err(),
            "t.gir:1: interpreter (as written): `@y` has 0.0f32 in place 1, not -0.0f32"
        );
    }

    #[test]
    fn arguments_have_to_fit_the_parameters() {
        assert!(
            with("; run: @double groups(1, 1, 1) %by=2u32 @y=[]").unwrap_err().contains("does not have the type `f32`")
        );
        assert!(with("; run: @double groups(1, 1, 1) @y=[]").unwrap_err().contains("`by` has no argument"));
        assert!(
            with("; run: @double groups(1, 1, 1) %by=2.0f32 @y=[] @z=[]").unwrap_err().contains("no parameter `z`")
        );
        assert!(with("; run: @triple groups(1, 1, 1)").unwrap_err().contains("no such function"));
    }

    #[test]
    fn a_missing_error_and_an_unexpected_one_both_fail() {
        assert!(with("; error: V700 nothing").unwrap_err().contains("missing error V700 nothing"));
        let source = DOUBLE.replace("%v, %by", "%v, %to");
        let failure = test("t.gir", &source, &[]).unwrap_err();
        assert!(
            failure.starts_with("unexpected error: cannot find value `%to` [V006]\n --> t.gir:4:16\n"),
            "{failure}"
        );
        assert_eq!(test("t.gir", &source.replace("%to", "%to ; error: V006 `%to`"), &[]), Ok(0));
    }
}
