//! `samebits opt`: what the passes make of a module, at the end or step by step.

use super::failure::Failure;
use super::files::{Input, write};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use samebits_ir::check::Checked;
use samebits_ir::pass::{self, Level, PASSES, Pass};
use samebits_ir::text;

/// Print a module as the passes leave it
///
/// Checks the module and prints what the passes make of it. The results of a kernel stay the same,
/// bit for bit.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  samebits opt saxpy.gir")]
pub struct Opt {
    /// The module; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
    #[command(flatten)]
    asked: Asked,
}

/// The passes to run, whether each is shown, and where to.
#[derive(Args)]
pub struct Asked {
    /// How much is done; the macro uses `full`
    #[arg(long, default_value = Level::Full.name(), conflicts_with = "passes", value_parser = level())]
    level: Level,
    /// Run these passes instead, once, in this order
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', hide_possible_values = true, value_parser = named())]
    passes: Option<Vec<&'static Pass>>,
    /// Also print what each pass leaves that changed something
    #[arg(long)]
    pub print_after: bool,
    /// Write to a file instead of standard output
    #[arg(short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub out: Option<String>,
}

impl Opt {
    pub fn run(self) -> Result<(), Failure> {
        let checked = Input::read(&self.file)?.checked()?;
        write(self.asked.out.as_deref(), shown(checked, &self.asked).as_bytes())
    }
}

/// What the passes make of a module, as text.
pub fn shown(checked: Checked, asked: &Asked) -> String {
    let mut steps = String::new();
    let plan = match &asked.passes {
        Some(passes) => vec![(passes.clone(), 1)],
        None => asked.level.plan(),
    };
    let optimized = pass::run(checked, &plan, &mut |pass, module| {
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

/// The names of passes.
fn named() -> impl TypedValueParser<Value = &'static Pass> {
    let names = PossibleValuesParser::new(PASSES.iter().map(|pass| pass.name));
    names.try_map(|name| Pass::from_name(&name).ok_or("there is no such pass"))
}

/// The names of levels.
fn level() -> impl TypedValueParser<Value = Level> {
    let names = PossibleValuesParser::new(Level::ALL.iter().map(|level| level.name()));
    names.try_map(|name| Level::from_name(&name).ok_or("there is no such level"))
}
