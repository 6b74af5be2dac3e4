//! `samebits opt`: what the passes make of a module, at the end or step by step.

use super::args::Args;
use super::failure::Failure;
use super::files::{Input, one_file, write};
use samebits_ir::check::Checked;
use samebits_ir::pass::{self, Level, PASSES, Pass};
use samebits_ir::text;

/// The passes to run, and whether each is shown.
pub struct Asked {
    plan: Vec<(Vec<&'static Pass>, usize)>,
    pub print_after: bool,
}

impl Asked {
    /// Takes the options from a command line.
    pub fn read(args: &mut Args) -> Result<Self, Failure> {
        let plan = match (args.value("--level")?, args.value("--passes")?) {
            (Some(_), Some(_)) => return Err(Failure::usage("use either --level or --passes, not both")),
            (_, Some(list)) => vec![(list.split(',').map(named).collect::<Result<_, _>>()?, 1)],
            (Some(level), None) => Level::from_name(&level).ok_or_else(|| no_level(&level))?.plan(),
            (None, None) => Level::Full.plan(),
        };
        Ok(Self { plan, print_after: args.flag("--print-after") })
    }
}

pub fn opt(mut args: Args) -> Result<(), Failure> {
    let out = args.value("-o")?;
    let asked = Asked::read(&mut args)?;
    let names = args.operands()?;
    let checked = Input::read(one_file(&names)?)?.checked()?;
    write(out.as_deref(), shown(checked, &asked).as_bytes())
}

/// What the passes make of a module, as text.
pub fn shown(checked: Checked, asked: &Asked) -> String {
    let mut steps = String::new();
    let optimized = pass::run(checked, &asked.plan, &mut |pass, module| {
        if asked.print_after {
            steps += &format!("; after {}\n{}\n", pass.name, text::print(module));
        }
    });
    if asked.print_after {
        steps += "; the result\n";
    }
    let module = optimized.checked.module();
    for left_out in &optimized.left_out {
        let name = module.functions.get(left_out.function).map_or("", |function| &function.name);
        steps += &format!("; {left_out} in @{name}\n");
    }
    steps + &text::print(module)
}

fn named(name: &str) -> Result<&'static Pass, Failure> {
    Pass::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = PASSES.iter().map(|pass| pass.name).collect();
        Failure::usage(format!("unknown pass `{name}`; the passes are {}", known.join(", ")))
    })
}

fn no_level(name: &str) -> Failure {
    let known: Vec<&str> = Level::ALL.iter().map(|level| level.name()).collect();
    Failure::usage(format!("unknown level `{name}`; the levels are {}", known.join(", ")))
}
