//! `samebits run`: a kernel on the interpreter, with arguments from the command line.

use super::args::Args;
use super::emit::find_kernel;
use super::failure::Failure;
use super::files::{Input, write};
use super::values::{Element, parse_lanes};
use samebits_ir::diag::excerpt;
use samebits_ir::interp::{Arg, Fault, Options, Program, Words};
use samebits_ir::ir::{Access, Function, Module, Param, ParamKind};
use std::fs;

/// Steps of a launch unless said otherwise: some seconds.
const MAX_STEPS: u64 = 1_000_000_000;

/// What the command line says about a launch.
struct Launch {
    grid: Option<[u32; 3]>,
    groups: Option<[u32; 3]>,
    max_steps: u64,
    /// Buffers and the files to write them to.
    outs: Vec<(String, String)>,
    kernel: Option<String>,
    /// Names of parameters, without the sigil, and what is passed.
    arguments: Vec<(char, String, String)>,
}

/// An argument that is ready.
enum Ready {
    Buffer { words: Words, element: Element, len: u32 },
    Scalar([u64; 4]),
}

pub fn run(args: Args) -> Result<(), Failure> {
    let (name, launch) = read_arguments(args)?;
    let input = Input::read(&name)?;
    let checked = input.checked()?;
    let index = find_kernel(&checked, launch.kernel.as_deref())?;
    let Some(program) = Program::new(&checked, index) else { return Err(Failure::usage("there is no such kernel")) };
    let Some((function, _)) = checked.function(index) else { return Err(Failure::usage("there is no such kernel")) };
    let ready = arguments(checked.module(), function, &launch.arguments)?;
    for (buffer, _) in &launch.outs {
        if !function.params.iter().any(|param| param.name == *buffer && is_writable(param)) {
            return Err(Failure::usage(format!("--out: kernel `{}` writes no buffer `@{buffer}`", function.name)));
        }
    }
    let args: Vec<Arg<'_>> = ready
        .iter()
        .map(|ready| match ready {
            Ready::Buffer { words, len, .. } => Arg::Buffer { words, offset: 0, len: *len },
            Ready::Scalar(lanes) => Arg::Scalar(*lanes),
        })
        .collect();
    let groups = groups(&launch, function)?;
    let options = Options { max_steps: Some(launch.max_steps), ..Options::default() };
    let report = program.run(groups, &args, &options).map_err(|fault| show_fault(&input, &fault))?;
    if report.out_of_bounds > 0 {
        eprintln!("note: {} accesses were out of bounds", report.out_of_bounds);
    }
    let mut printed = String::new();
    for (param, ready) in function.params.iter().zip(&ready) {
        let Ready::Buffer { words, element, .. } = ready else { continue };
        let bytes = words.read(0..words.bytes());
        match launch.outs.iter().find(|(buffer, _)| *buffer == param.name) {
            Some((_, file)) => write(Some(file), &bytes)?,
            None if is_writable(param) => {
                printed += &format!("@{}={}\n", param.name, element.print_list(&bytes));
            }
            None => {}
        }
    }
    write(None, printed.as_bytes())
}

fn read_arguments(mut args: Args) -> Result<(String, Launch), Failure> {
    let grid = args.value("--grid")?.map(|text| axes("--grid", &text)).transpose()?;
    let groups = args.value("--groups")?.map(|text| axes("--groups", &text)).transpose()?;
    if grid.is_some() && groups.is_some() {
        return Err(Failure::usage("--grid and --groups say the same twice"));
    }
    let max_steps = match args.value("--max-steps")? {
        None => MAX_STEPS,
        Some(text) => text.parse().map_err(|_| Failure::usage(format!("--max-steps: `{text}` is no number")))?,
    };
    let mut outs = Vec::new();
    for text in args.values("--out")? {
        let (buffer, file) = text.split_once('=').ok_or_else(|| Failure::usage("--out needs `@BUFFER=FILE`"))?;
        let buffer = buffer.strip_prefix('@').ok_or_else(|| Failure::usage("--out needs `@BUFFER=FILE`"))?;
        outs.push((buffer.to_owned(), file.to_owned()));
    }
    let (mut files, mut kernel, mut arguments) = (Vec::new(), None, Vec::new());
    for operand in args.operands()? {
        let sigil = operand.chars().next().filter(|sigil| "@%".contains(*sigil));
        match (sigil, operand.split_once('=')) {
            (Some(sigil), Some((name, value))) => arguments.push((sigil, name[1..].to_owned(), value.to_owned())),
            (Some('@'), None) if kernel.is_none() => kernel = Some(operand[1..].to_owned()),
            (Some(_), None) => return Err(Failure::usage(format!("`{operand}` has no value"))),
            (None, _) => files.push(operand),
        }
    }
    let name = super::one_file(&files)?.to_owned();
    Ok((name, Launch { grid, groups, max_steps, outs, kernel, arguments }))
}

/// One to three numbers of at least 1.
fn axes(option: &str, text: &str) -> Result<[u32; 3], Failure> {
    let wrong = || Failure::usage(format!("{option}: `{text}` is not `X`, `X,Y` or `X,Y,Z`, each at least 1"));
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let numbers = numbers.map_err(|_| wrong())?;
    if numbers.is_empty() || numbers.len() > 3 || numbers.contains(&0) {
        return Err(wrong());
    }
    let axis = |i: usize| numbers.get(i).copied().unwrap_or(1);
    Ok([axis(0), axis(1), axis(2)])
}

/// The number of workgroups.
fn groups(launch: &Launch, function: &Function) -> Result<[u32; 3], Failure> {
    /// Launches that no device takes, and whose ids do not fit 32 bits.
    const MOST: u64 = 1 << 32;
    let groups = match (launch.groups, launch.grid) {
        (Some(groups), _) => groups,
        (None, Some(grid)) => {
            let [x, y, z] = function.workgroup_size();
            [grid[0].div_ceil(x.max(1)), grid[1].div_ceil(y.max(1)), grid[2].div_ceil(z.max(1))]
        }
        (None, None) => [1, 1, 1],
    };
    for (&count, &size) in groups.iter().zip(&function.workgroup_size()) {
        if u64::from(count) * u64::from(size) >= MOST {
            return Err(Failure::usage(format!(
                "{count} workgroups of {size} are more invocations than can be counted"
            )));
        }
    }
    Ok(groups)
}

const fn is_writable(param: &Param) -> bool {
    matches!(param.kind, ParamKind::Buffer { access: Access::ReadWrite | Access::Atomic, .. })
}

/// Makes the arguments ready, in the order of the parameters.
fn arguments(module: &Module, function: &Function, given: &[(char, String, String)]) -> Result<Vec<Ready>, Failure> {
    let sigil = |param: &Param| match param.kind {
        ParamKind::Scalar(_) => '%',
        ParamKind::Buffer { .. } => '@',
    };
    for (i, (with, name, _)) in given.iter().enumerate() {
        if !function.params.iter().any(|param| param.name == *name && sigil(param) == *with) {
            return Err(Failure::usage(format!("kernel `{}` has no parameter `{with}{name}`", function.name)));
        }
        if given.iter().take(i).any(|(other, before, _)| (other, before) == (with, name)) {
            return Err(Failure::usage(format!("`{with}{name}` is given twice")));
        }
    }
    let mut ready = Vec::new();
    for param in &function.params {
        let shown = format!("{}{}", sigil(param), param.name);
        let value = given.iter().find(|(_, name, _)| *name == param.name).map(|(_, _, value)| value);
        let value = value.ok_or_else(|| Failure::usage(format!("parameter `{shown}` has no argument")))?;
        let wrong = |message: String| Failure::usage(format!("{shown}: {message}"));
        ready.push(match param.kind {
            ParamKind::Scalar(ty) => Ready::Scalar(parse_lanes(ty, value).map_err(wrong)?),
            ParamKind::Buffer { element, .. } => {
                let element = Element::new(&module.types, element).map_err(wrong)?;
                let bytes = match value.strip_prefix('@') {
                    Some(file) => fs::read(file).map_err(|error| Failure::file(file, &error))?,
                    None => element.parse_list(value).map_err(wrong)?,
                };
                if bytes.len() % element.size != 0 {
                    let size = element.size;
                    return Err(wrong(format!("{} bytes are no whole number of elements of {size}", bytes.len())));
                }
                let len =
                    u32::try_from(bytes.len() / element.size).map_err(|_| wrong("too many elements".to_owned()))?;
                Ready::Buffer { words: Words::from_bytes(&bytes), element, len }
            }
        });
    }
    Ok(ready)
}

/// A fault with the line that it is about.
fn show_fault(input: &Input, fault: &Fault) -> Failure {
    let mut shown = format!("error: {fault}\n");
    if let Some(source) = input.source() {
        excerpt(&mut shown, &input.name, source, fault.loc());
    }
    Failure::Program(shown)
}
