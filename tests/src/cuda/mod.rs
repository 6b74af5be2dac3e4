//! Kernels of the CUDA back end as programs that run and check themselves.
//!
//! A `Unit` is a translation unit with kernels, launches of them, and the expected contents of
//! the buffers. It is written as a `.cu` file with its data beside it, both read by `runner.h`.
//! nvcc makes a program for a GPU of it. With `host.h` before it, a C++ compiler makes a
//! program for this CPU of the same files, so that the text is tested without a GPU. That does
//! not test the arithmetic of the GPU.

use crate::conform::{Job, subgroups};
use crate::filetest::{Argument, Engine, Failure, Interpreter, Launch, Memories};
use samebits_ir::backend::cuda::{Parameter, Source, emit, join};
use samebits_ir::check::{Checked, check};
use samebits_ir::pass::optimize;
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::Path;

/// Launches of a unit at most, so that units compile side by side.
const UNIT: usize = 120;

/// A kernel's launch and what its buffers hold afterwards.
pub struct Test {
    name: String,
    source: Source,
    grid: [u32; 3],
    groups: [u32; 3],
    /// One for each parameter of the kernel.
    arguments: Vec<Argument>,
    /// A kernel's parameter, the bytes of a result, and all the bytes at its start.
    expected: Vec<(usize, usize, Vec<u8>)>,
}

impl Test {
    /// The test of a conformance job, before or after the passes. `number` tells its
    /// kernel from others.
    pub fn of_job(job: &Job, number: usize, optimized: bool) -> Result<Self, String> {
        let mut module = job.module.clone();
        for function in &mut module.functions {
            function.name = format!("{}_{number}", function.name);
        }
        let checked = check(module).map_err(|diags| format!("{}: {diags:?}", job.case.name()))?;
        let checked = if optimized { optimize(checked) } else { checked };
        let source = emit(&checked, 0).ok_or("there is no kernel")?;
        let (launch, memories) = job.launch().ok_or_else(|| format!("{}: there is no expectation", job.case.name()))?;
        let Launch { groups, arguments } = launch;
        let wanted = memories.last().cloned().unwrap_or_default();
        let name = format!("{} [{:?}]", job.case.name(), job.form);
        let expected = vec![(arguments.len() - 1, job.result_bytes(), wanted)];
        Ok(Self { name, source, grid: groups, groups, arguments, expected })
    }

    /// The test of a case of subgroups.
    pub fn of_subgroups(case: &subgroups::Case, number: usize) -> Result<Self, String> {
        let mut module = case.module();
        for function in &mut module.functions {
            function.name = format!("{}_{number}", function.name);
        }
        let checked = check(module).map_err(|diags| format!("{}: {diags:?}", case.name()))?;
        let source = emit(&checked, 0).ok_or("there is no kernel")?;
        let (memories, result) = case.memories();
        let invocations = u32::try_from(case.launch().0.len()).unwrap_or(0);
        let arguments = memories.map(|bytes| Argument::Buffer { bytes, len: invocations }).into();
        let groups = [subgroups::GROUPS as u32, 1, 1];
        let width = result.len() / invocations.max(1) as usize;
        Ok(Self { name: case.name(), source, grid: groups, groups, arguments, expected: vec![(2, width, result)] })
    }

    fn has_barriers(&self) -> bool {
        let text = self.source.text();
        ["__syncthreads", "__shfl_sync", "__ballot_sync"].iter().any(|waits| text.contains(waits))
    }

    /// The launch as the runner reads it; `entry` is the position of the kernel.
    fn write(&self, entry: usize, out: &mut Vec<u8>) {
        let word = |out: &mut Vec<u8>, n: usize| out.extend((n as u32).to_le_bytes());
        let bytes = |out: &mut Vec<u8>, bytes: &[u8]| {
            out.extend((bytes.len() as u32).to_le_bytes());
            out.extend(bytes);
        };
        bytes(out, self.name.as_bytes());
        word(out, entry);
        for n in self.grid.into_iter().chain(self.source.block) {
            word(out, n as usize);
        }
        word(out, usize::from(self.has_barriers()));
        word(out, self.arguments.len());
        for argument in &self.arguments {
            match argument {
                Argument::Buffer { bytes: memory, .. } => bytes(out, memory),
                Argument::Scalar(_) => bytes(out, &[]),
            }
        }
        word(out, self.source.parameters.len());
        for &parameter in &self.source.parameters {
            let value = match parameter {
                Parameter::Pointer(param) => u64::from(param),
                Parameter::Count(param) => match self.arguments.get(param as usize) {
                    Some(Argument::Buffer { len, .. }) => u64::from(*len),
                    Some(Argument::Scalar(_)) | None => 0,
                },
                Parameter::Lane { param, lane, .. } => match self.arguments.get(param as usize) {
                    Some(Argument::Scalar(lanes)) => lanes[lane as usize],
                    Some(Argument::Buffer { .. }) | None => 0,
                },
                Parameter::Groups(axis) => self.groups[axis as usize].into(),
            };
            word(out, usize::from(matches!(parameter, Parameter::Pointer(_))));
            out.extend(value.to_le_bytes());
        }
        word(out, self.expected.len());
        for (param, width, wanted) in &self.expected {
            word(out, *param);
            word(out, *width);
            bytes(out, wanted);
        }
    }
}

/// An engine that keeps every launch as a test, expecting what the interpreter gives.
#[derive(Default)]
pub struct Recorder {
    tests: RefCell<Vec<Test>>,
}

impl Recorder {
    /// The launches so far.
    pub fn into_tests(self) -> Vec<Test> {
        self.tests.into_inner()
    }
}

impl Engine for Recorder {
    fn name(&self) -> &str {
        "interpreter, recorded for CUDA"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let memories = Interpreter.launch(checked, function, launch)?;
        let mut tests = self.tests.borrow_mut();
        let number = tests.len();
        let mut module = checked.module().clone();
        let name = module.functions.get(function).map(|f| f.name.clone()).unwrap_or_default();
        for function in &mut module.functions {
            function.name = format!("{}_r{number}", function.name);
        }
        let checked = check(module).map_err(|diags| format!("{diags:?}"))?;
        let checked = if number.is_multiple_of(2) { checked } else { optimize(checked) };
        let source = emit(&checked, function).ok_or("there is no such function")?;
        let expected = memories.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty());
        let expected = expected.map(|(i, bytes)| (i, 1, bytes.clone())).collect();
        let (groups, arguments) = (launch.groups, launch.arguments.clone());
        // Some launches are folded: more workgroups, on other axes.
        let total = groups.iter().product::<u32>();
        let grid = if number.is_multiple_of(3) { [2, total.div_ceil(2), 1] } else { groups };
        tests.push(Test { name, source, grid, groups, arguments, expected });
        Ok(memories)
    }
}

/// Writes tests as units into a folder; the result is their names, without extension.
pub fn write(folder: &Path, tests: &[Test]) -> io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("runner.h"), include_str!("runner.h"))?;
    fs::write(folder.join("host.h"), include_str!("host.h"))?;
    fs::write(folder.join("run.sh"), include_str!("run.sh"))?;
    let mut names = Vec::new();
    for (i, tests) in tests.chunks(UNIT).enumerate() {
        let name = format!("unit_{i:02}");
        let sources: Vec<Source> = tests.iter().map(|test| test.source.clone()).collect();
        let entries: String = sources.iter().map(|source| format!("    ENTRY({}),\n", source.entry)).collect();
        let text = format!(
            "#include \"runner.h\"\n\n{}\nstatic void* const entries[] = {{\n{entries}}};\n\n\
             int main(int count, char** arguments) {{\n    \
             return run_all(count > 1 ? arguments[1] : \"{name}.bin\", entries);\n}}\n",
            join(&sources)
        );
        let mut data = (tests.len() as u32).to_le_bytes().to_vec();
        tests.iter().enumerate().for_each(|(entry, test)| test.write(entry, &mut data));
        fs::write(folder.join(&name).with_extension("cu"), text)?;
        fs::write(folder.join(&name).with_extension("bin"), data)?;
        names.push(name);
    }
    Ok(names)
}
