//! The value of a constant, by the interpreter of the IR.

use samebits_ir::check;
use samebits_ir::interp::{Arg, Fault, Options, Program, Words};
use samebits_ir::ir::{Module, ParamKind, Table};
use samebits_ir::loc::Loc;
use samebits_ir::types::Type;

/// The most steps that the value of a constant may take: some seconds in a macro that is not
/// optimised.
pub const MAX_STEPS: u64 = 10_000_000;

/// Why a constant has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It takes more than [`MAX_STEPS`].
    Endless,
    /// It is wrong, or follows from what only a launch knows.
    Unknown,
}

/// Runs a kernel of one invocation that stores one element into its only buffer, and gives the bits
/// of the element's scalars.
pub fn run(module: Module) -> Result<Vec<u64>, Failure> {
    let checked = check::check_image(module).map_err(|_| Failure::Unknown)?;
    let program = Program::new(&checked, 0).ok_or(Failure::Unknown)?;
    let module = checked.module();
    let element = match module.functions.first().and_then(|function| function.params.first()).map(|param| param.kind) {
        Some(ParamKind::Buffer { element, .. }) => element,
        _ => return Err(Failure::Unknown),
    };
    let size = module.types.layout(element).map_or(0, |layout| layout.size as usize);
    let words = Words::zeroed(size);
    let args = [Arg::Buffer { words: &words, offset: 0, len: 1 }];
    let options = Options { threads: 1, max_steps: Some(MAX_STEPS) };
    program.run([1, 1, 1], &args, &options).map_err(|fault| match fault {
        Fault::StepLimit { .. } => Failure::Endless,
        _ => Failure::Unknown,
    })?;
    let bytes = words.read(0..size);
    let table = Table { name: String::new(), ty: element, bytes: bytes.into(), loc: Loc::NONE };
    let scalars = table.scalars(&module.types).into_iter();
    Ok(scalars.map(|(offset, scalar)| table.value(Type::Scalar(scalar), offset.into())[0]).collect())
}
