//! `samebits run`: a kernel on the interpreter, with arguments from the command line.

use super::emit::{find_kernel, listed, names_of, no_kernel};
use super::failure::Failure;
use super::files::{Input, bytes, write};
use super::values::{Element, MOST_BYTES, parse_lanes};
use clap::{Args, ValueEnum, ValueHint};
use samebits_ir::check::Checked;
use samebits_ir::diag::{count, excerpt, visible};
use samebits_ir::interp::{Arg, Fault, Judge, Options, Program, Schedule, Verdict, Words, entry};
use samebits_ir::ir::{Access, Function, Module, Param, ParamKind};
use samebits_ir::text;
use samebits_ir::types::Type;
use std::ffi::OsString;

/// Steps of a launch unless said otherwise: some seconds.
const MAX_STEPS: u64 = 1_000_000_000;
/// The same for the judge, which is slower.
const JUDGE_STEPS: u64 = 100_000_000;

/// Run a kernel on this CPU, with exact results
///
/// Runs a kernel of the file and prints each buffer that the kernel may write, in the form of an
/// argument. If the file has only one kernel, its name can be left out. A buffer that was read
/// from a file is printed too, unless --out names a file for it. A device function is run once,
/// with its arguments in order or by name, and its results are printed, one per line.
///
/// Arguments, one for each parameter of the kernel, in any order:
///   %n=4u32                a scalar
///   %v=[1.0f32, 2.0f32]    a vector
///   @x=[1u32, 2u32, 3u32]  a buffer of these elements
///   @x=[0.0f32; 256]       a buffer of one element, repeated
///   @x=@data.bin           a buffer with the bytes of a file, little-endian
///   %p=[41]                the memory that a pointer of block form points to, as `@p=[41]`
///   '%"odd name"=-5'       a name that is not a plain word, as in the text form
///
/// Values of a device function, in the order of its parameters:
///   -5  true  1.5  [1, 2]  numbers, booleans, vectors and buffers
///
/// Literals need no type, since the parameters have types. Floats may also be `nan`, `inf` and
/// `-inf`. Vectors and structs in buffers are written as their scalars, one after the other.
///
/// These are errors: a launch that breaks a requirement of the kernel, a barrier that not all
/// invocations of a workgroup reach, reaching an `unreachable`, and too many steps. An access out of
/// bounds is not an error: a load gives zero and a store does nothing. A note on standard error
/// says how many there were.
#[derive(Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_help = EXAMPLES)]
pub struct Run {
    /// The module; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    /// The kernel or function, and what is passed to it
    #[arg(value_name = "ARGUMENT", value_hint = ValueHint::Other)]
    words: Vec<String>,
    /// Invocations on each axis, rounded up to whole workgroups
    #[arg(long, value_name = "X,Y,Z", value_parser = axes, conflicts_with = "groups")]
    grid: Option<[u32; 3]>,
    /// Workgroups on each axis; without this and --grid, one workgroup
    #[arg(long, value_name = "X,Y,Z", value_parser = axes)]
    groups: Option<[u32; 3]>,
    /// Stop after so many steps of all invocations together
    ///
    /// Unless said, 1000000000, and 100000000 with --judge.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Look for mistakes that a result does not show
    ///
    /// Races, barriers that not all invocations reach in the same round of a loop, invocations
    /// that wait for each other for ever, reads of workgroup memory that nothing wrote. The exit
    /// code is 1 if there is one.
    #[arg(long, verbatim_doc_comment)]
    judge: bool,
    /// As --judge, with the invocations in this order
    #[arg(long, value_name = "ORDER")]
    schedule: Option<Order>,
    /// As --judge, in the random order that this number determines
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the bytes of a buffer to a file instead of printing it
    #[arg(long = "out", value_name = "@Y=FILE", value_parser = out, value_hint = ValueHint::Other)]
    outs: Vec<(String, String)>,
}

const USAGE: &str = "\
samebits run [OPTIONS] <FILE> [@KERNEL] [ARGUMENT]...
       samebits run [OPTIONS] <FILE> @FUNCTION [VALUE]...";

const EXAMPLES: &str = "\
Examples:
  samebits run saxpy.gir --grid 4 %a=2.0 '@x=[1.0, 2.0, 3.0, 4.0]' '@y=[0.5; 4]'
  samebits run --seed 7 saxpy.gir --grid 4 %a=2.0 '@x=[1.0; 4]' '@y=[0.5; 4]'
  samebits run math.gir @square 7";

#[derive(Clone, Copy, ValueEnum)]
enum Order {
    /// By number
    Forward,
    /// By number, the last one first
    Reversed,
    /// As --seed says, which is 0 unless given
    Random,
}

/// A negative number as an operand, which would be taken for options: `-inf`, `-5i32`. A space before it changes no value.
pub fn shielded(word: OsString) -> OsString {
    let is_number = word.to_str().and_then(|word| word.strip_prefix('-')).is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest == "inf" || rest.starts_with("inff")
    });
    if !is_number {
        return word;
    }
    let mut shielded = OsString::from(" ");
    shielded.push(word);
    shielded
}

/// What the words say about a launch.
struct Launch {
    /// The order in which the judge is to run the invocations; without it nobody judges.
    schedule: Option<Schedule>,
    kernel: Option<String>,
    /// Names of parameters, without the sigil, and what is passed.
    arguments: Vec<(char, String, String)>,
    /// What is passed without a name, to a device function's parameters in order.
    values: Vec<String>,
}

/// An argument that is ready.
enum Ready {
    Buffer { words: Words, element: Element, len: u32 },
    Scalar([u64; 4]),
}

impl Run {
    pub fn run(self) -> Result<(), Failure> {
        run(&self, &self.launch()?)
    }

    fn launch(&self) -> Result<Launch, Failure> {
        let schedule = match (self.schedule, self.seed) {
            (None, None) => self.judge.then_some(Schedule::Forward),
            (Some(Order::Forward), None) => Some(Schedule::Forward),
            (Some(Order::Reversed), None) => Some(Schedule::Reversed),
            (None | Some(Order::Random), seed) => Some(Schedule::Random(seed.unwrap_or(0))),
            (Some(Order::Forward | Order::Reversed), Some(_)) => {
                return Err(Failure::usage("--seed is for the schedule `random`"));
            }
        };
        let (mut kernel, mut arguments, mut values) = (None, Vec::new(), Vec::new());
        for word in &self.words {
            let sigil = word.chars().next().filter(|sigil| "@%".contains(*sigil));
            match (sigil, sigil.and_then(|_| named(&word[1..]))) {
                (Some(sigil), Some((name, value))) => arguments.push((sigil, name, value.to_owned())),
                (Some('@'), None) if kernel.is_none() => {
                    let quoted = text::parse_quoted(&word[1..]).filter(|(_, rest)| rest.is_empty());
                    kernel = Some(quoted.map_or_else(|| word[1..].to_owned(), |(name, _)| name));
                }
                (Some(_), None) => {
                    return Err(Failure::usage(format!("`{word}` has no value: write `{word}=…`")));
                }
                (None, _) if kernel.is_some() => values.push(word.trim().to_owned()),
                (None, _) => {
                    let message = format!("`{}` is for no function: write `@FUNCTION` before it", word.trim());
                    return Err(Failure::usage(message));
                }
            }
        }
        Ok(Launch { schedule, kernel, arguments, values })
    }
}

fn run(asked: &Run, launch: &Launch) -> Result<(), Failure> {
    let input = Input::read(&asked.file)?;
    let Target { checked, index, results, what } = target(input.checked()?, launch)?;
    let program = Program::new(&checked, index).ok_or_else(no_kernel)?;
    let (function, _) = checked.function(index).ok_or_else(no_kernel)?;
    let mut given = launch.arguments.clone();
    let first_result = function.params.len() - results;
    if !launch.values.is_empty() {
        let unnamed: Vec<&Param> = function.params[..first_result].iter().collect();
        if launch.values.len() > unnamed.len() {
            let (values, params) = (launch.values.len(), unnamed.len());
            let (values, params) = (count(values, "value"), count(params, "parameter"));
            return Err(Failure::usage(format!("{what} has {params}, but {values} are given")));
        }
        for (param, value) in unnamed.into_iter().zip(&launch.values) {
            given.push((sigil(param), param.name.clone(), value.clone()));
        }
    }
    let (params, result_params) = function.params.split_at(first_result);
    let mut ready = arguments(checked.module(), (&what, params), &given)?;
    for param in result_params {
        ready.push(result(checked.module(), param)?);
    }
    for (buffer, _) in &asked.outs {
        if !params.iter().any(|param| param.name == *buffer && is_writable(param)) {
            return Err(Failure::usage(format!("--out: {what} writes no buffer `@{buffer}`")));
        }
    }
    let args: Vec<Arg<'_>> = ready
        .iter()
        .map(|ready| match ready {
            Ready::Buffer { words, len, .. } => Arg::Buffer { words, offset: 0, len: *len },
            Ready::Scalar(lanes) => Arg::Scalar(*lanes),
        })
        .collect();
    let groups = groups(asked, function)?;
    let usual = if launch.schedule.is_some() { JUDGE_STEPS } else { MAX_STEPS };
    let options = Options { max_steps: asked.max_steps.or(Some(usual)), ..Options::default() };
    let verdict = match launch.schedule {
        Some(schedule) => {
            let verdict = program.judge(groups, &args, &Judge { schedule, max_steps: options.max_steps });
            let is_sound = verdict.is_sound();
            let (verdict, fault) = (Verdict { fault: None, ..verdict.clone() }, verdict.fault);
            let mut shown = verdict.render(&input.name, input.source().unwrap_or_default());
            shown += &fault.map_or_else(String::new, |fault| show_fault(&input, &what, &fault));
            if is_sound {
                eprint!("{shown}");
                Ok(())
            } else {
                Err(Failure::Program(shown))
            }
        }
        None => {
            let fault = |fault| Failure::Program(show_fault(&input, &what, &fault));
            let report = program.run(groups, &args, &options).map_err(fault)?;
            match report.out_of_bounds {
                0 => {}
                1 => eprintln!("note: 1 access was out of bounds"),
                many => eprintln!("note: {many} accesses were out of bounds"),
            }
            Ok(())
        }
    };
    let mut printed = String::new();
    for (i, (param, ready)) in function.params.iter().zip(&ready).enumerate() {
        let Ready::Buffer { words, element, .. } = ready else { continue };
        let bytes = words.read(0..words.bytes());
        if i >= first_result {
            printed += &format!("{}\n", element.print_value(&bytes));
            continue;
        }
        match asked.outs.iter().find(|(buffer, _)| *buffer == param.name) {
            Some((_, file)) => write(Some(file), &bytes)?,
            None if is_writable(param) => {
                printed += &format!("@{}={}\n", text::print_name(&param.name), element.print_list(&bytes));
            }
            None => {}
        }
    }
    write(None, printed.as_bytes())?;
    verdict
}

/// The kernel to run, in a module that has it: the one that is meant, or one around the
/// device function that is meant.
struct Target {
    checked: Checked,
    index: usize,
    /// How many of the last parameters are for results.
    results: usize,
    /// What is run, in words.
    what: String,
}

fn target(checked: Checked, launch: &Launch) -> Result<Target, Failure> {
    let functions = &checked.module().functions;
    let named = launch.kernel.as_deref();
    let found = named.and_then(|name| functions.iter().position(|f| f.name == name));
    let has_kernels = functions.iter().any(Function::is_kernel);
    match (named, found) {
        (Some(name), None) if functions.is_empty() => {
            Err(Failure::usage(format!("there is no kernel or function `{name}`; the module has none")))
        }
        (Some(name), None) => Err(Failure::usage(format!(
            "there is no kernel or function `{name}`; the module has {}",
            listed(names_of(functions))
        ))),
        (None, _) if !has_kernels && !functions.is_empty() => {
            let (first, all) = (text::print_name(&functions[0].name), listed(names_of(functions)));
            Err(Failure::usage(format!(
                "the module has functions and no kernel: {all}; to run one, write `@{first}` after the file"
            )))
        }
        (Some(name), Some(index)) if !functions[index].is_kernel() => {
            let (what, results) = (format!("function `{name}`"), functions[index].results.len());
            let around = entry(&checked, index);
            let (checked, index) =
                around.ok_or_else(|| Failure::program(format!("{what} is too large to be run by itself")))?;
            Ok(Target { checked, index, results, what })
        }
        (Some(_), Some(_)) | (None, _) => {
            let index = find_kernel(&checked, named)?;
            if !launch.values.is_empty() {
                let message = "a kernel's arguments have names: `%n=4u32`, `@x=[1.0f32]`";
                return Err(Failure::usage(message));
            }
            let what = format!("kernel `{}`", checked.module().functions[index].name);
            Ok(Target { checked, index, results: 0, what })
        }
    }
}

/// Memory for a result.
fn result(module: &Module, param: &Param) -> Result<Ready, Failure> {
    let ParamKind::Buffer { element, .. } = param.kind else { return Ok(Ready::Scalar([0; 4])) };
    let element = Element::new(&module.types, element).map_err(Failure::program)?;
    Ok(Ready::Buffer { words: Words::zeroed(element.size), element, len: 1 })
}

const fn sigil(param: &Param) -> char {
    match param.kind {
        ParamKind::Scalar(_) => '%',
        ParamKind::Buffer { .. } => '@',
    }
}

/// A buffer and the file to write it to.
fn out(text: &str) -> Result<(String, String), &'static str> {
    let (buffer, file) = text.strip_prefix('@').and_then(named).ok_or("it has to be `@BUFFER=FILE`")?;
    Ok((buffer, file.to_owned()))
}

/// The name, plain or between quote marks, before a `=`, and what follows it.
fn named(source: &str) -> Option<(String, &str)> {
    match text::parse_quoted(source) {
        Some((name, rest)) => Some((name, rest.strip_prefix('=')?)),
        None => source.split_once('=').map(|(name, value)| (name.to_owned(), value)),
    }
}

/// One to three numbers of at least 1.
fn axes(text: &str) -> Result<[u32; 3], &'static str> {
    let mut axes = [1; 3];
    let mut numbers = text.split(',');
    for (axis, number) in axes.iter_mut().zip(&mut numbers) {
        *axis = number.trim().parse().ok().filter(|&axis| axis > 0).ok_or(NO_AXES)?;
    }
    if numbers.next().is_some() { Err(NO_AXES) } else { Ok(axes) }
}

const NO_AXES: &str = "it has to be `X`, `X,Y` or `X,Y,Z`, each at least 1";

/// The number of workgroups.
fn groups(asked: &Run, function: &Function) -> Result<[u32; 3], Failure> {
    /// Launches that no device takes, and whose ids do not fit 32 bits.
    const MOST: u64 = 1 << 32;
    let groups = match (asked.groups, asked.grid) {
        (Some(groups), _) => groups,
        (None, Some(grid)) => {
            let [x, y, z] = function.workgroup_size();
            [grid[0].div_ceil(x.max(1)), grid[1].div_ceil(y.max(1)), grid[2].div_ceil(z.max(1))]
        }
        (None, None) => [1, 1, 1],
    };
    for (&count, &size) in groups.iter().zip(&function.workgroup_size()) {
        if u64::from(count) * u64::from(size) >= MOST {
            return Err(Failure::usage(format!("{count} workgroups of {size} are too many invocations")));
        }
    }
    Ok(groups)
}

const fn is_writable(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. })
}

/// Makes the arguments of a kernel or function ready, in the order of its parameters. Either
/// sigil will do, since a parameter's name is that of no other.
fn arguments(
    module: &Module,
    (what, params): (&str, &[Param]),
    given: &[(char, String, String)],
) -> Result<Vec<Ready>, Failure> {
    for (i, (with, name, _)) in given.iter().enumerate() {
        if !params.iter().any(|param| param.name == *name) {
            let known: Vec<String> = params.iter().map(shown).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(Failure::usage(format!("{what} has no parameter `{with}{name}`; it has {known}")));
        }
        if given.iter().take(i).any(|(_, before, _)| before == name) {
            return Err(Failure::usage(format!("`{with}{name}` is given twice")));
        }
    }
    params.iter().map(|param| argument(module, param, given)).collect()
}

/// A parameter's name with its sigil.
fn shown(param: &Param) -> String {
    format!("`{}{}`", sigil(param), text::print_name(&param.name))
}

fn argument(module: &Module, param: &Param, given: &[(char, String, String)]) -> Result<Ready, Failure> {
    let name = format!("{}{}", sigil(param), param.name);
    let value = given.iter().find(|(_, name, _)| *name == param.name).map(|(_, _, value)| value);
    let missing = || {
        let example = match param.kind {
            ParamKind::Scalar(Type::Vector(..)) | ParamKind::Buffer { .. } => "[…]",
            ParamKind::Scalar(_) => "…",
        };
        Failure::usage(format!("parameter `{name}` has no argument: write `{name}={example}`"))
    };
    let value = value.ok_or_else(missing)?;
    let wrong = |message: String| Failure::usage(format!("{name}: {message}"));
    match param.kind {
        ParamKind::Scalar(ty) => Ok(Ready::Scalar(parse_lanes(ty, value).map_err(wrong)?)),
        ParamKind::Buffer { element, .. } => {
            let element = Element::new(&module.types, element).map_err(wrong)?;
            let bytes = match value.strip_prefix('@') {
                Some(file) => bytes(file, MOST_BYTES)?,
                None => element.parse_list(value).map_err(wrong)?,
            };
            if bytes.len() % element.size != 0 {
                let (size, bytes) = (count(element.size, "byte"), count(bytes.len(), "byte"));
                return Err(wrong(format!("{bytes} do not divide into elements of {size}")));
            }
            let len = u32::try_from(bytes.len() / element.size).map_err(|_| wrong("too many elements".to_owned()))?;
            Ok(Ready::Buffer { words: Words::from_bytes(&bytes), element, len })
        }
    }
}

/// A fault of what is run, with the lines that it is about.
fn show_fault(input: &Input, what: &str, fault: &Fault) -> String {
    let colon = if matches!(fault, Fault::Requirement { .. }) { "" } else { ":" };
    let source = input.source().unwrap_or_default();
    let mut shown = format!("error: {}\n", visible(&format!("{what}{colon} {}", fault.reason())));
    excerpt(&mut shown, &input.name, source, fault.loc());
    for (loc, text) in fault.notes() {
        shown += &format!("note: {}\n", visible(&text));
        excerpt(&mut shown, &input.name, source, loc);
    }
    shown
}
