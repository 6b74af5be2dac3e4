//! `samebits emit`: a kernel in another language.
//!
//! This crate writes Rust, CUDA C++ and SPIR-V, naga writes four targets. A module is validated before
//! naga gets it, so that no target misreads it.

use super::args::Args;
use super::failure::Failure;
use super::files::{Input, one_file, write};
use naga::back::{glsl, hlsl, msl};
use naga::proc::BoundsCheckPolicies;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, ResourceBinding, ShaderStage};
use samebits_ir::backend::naga::{Options, Shader, emit as lower};
use samebits_ir::backend::{cuda, gir, native, spirv};
use samebits_ir::caps::Capabilities as Needs;
use samebits_ir::check::{Checked, check};
use samebits_ir::ir::Function;
use samebits_ir::pass::{Level, optimize, optimize_to};
use samebits_ir::soft::plan::Native;
use samebits_ir::text;

/// A language of naga's.
#[derive(Clone, Copy)]
enum Target {
    Wgsl,
    Msl,
    Hlsl,
    Glsl,
}

/// Every target, in the order of the help.
pub const TARGETS: [&str; 9] = ["text", "gir", "rust", "cuda", "wgsl", "msl", "hlsl", "glsl", "spirv"];

impl Target {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "wgsl" => Self::Wgsl,
            "msl" => Self::Msl,
            "hlsl" => Self::Hlsl,
            "glsl" => Self::Glsl,
            _ => return None,
        })
    }
}

/// What to write, and where to.
pub struct Asked {
    pub out: Option<String>,
    pub kernel: Option<String>,
    hardware: bool,
}

impl Asked {
    /// Takes the options from a command line.
    pub fn read(args: &mut Args) -> Result<Self, Failure> {
        let (out, kernel) = (args.value("-o")?, args.value("--kernel")?);
        let hardware = match args.value("--floats")?.as_deref() {
            None | Some("software") => false,
            Some("hardware") => true,
            Some(other) => return Err(Failure::usage(format!("--floats is `software` or `hardware`, not `{other}`"))),
        };
        Ok(Self { out, kernel, hardware })
    }
}

fn wrong_target(what: &str) -> Failure {
    Failure::usage(format!("{what}; the targets are {}", TARGETS.join(", ")))
}

/// The target, which is the first operand, and what follows it.
pub fn target(operands: &[String]) -> Result<(&str, &[String]), Failure> {
    let (target, rest) = operands.split_first().ok_or_else(|| wrong_target("no target is given"))?;
    if !TARGETS.contains(&&**target) {
        return Err(wrong_target(&format!("unknown target `{target}`")));
    }
    Ok((target, rest))
}

pub fn emit(mut args: Args) -> Result<(), Failure> {
    let asked = Asked::read(&mut args)?;
    let operands = args.operands()?;
    let (target, names) = target(&operands)?;
    let input = Input::read(one_file(names)?)?;
    write(asked.out.as_deref(), &written(&input, target, asked.kernel.as_deref(), &asked)?)
}

/// A kernel, or the module if the target is one of its own forms, in the language of a target.
pub fn written(input: &Input, target: &str, kernel: Option<&str>, asked: &Asked) -> Result<Vec<u8>, Failure> {
    Ok(match target {
        "text" => text::print(&input.module()?).into_bytes(),
        "gir" => {
            // Bytes that only passes can make, such as `bool` memory read as `u32`, cannot be
            // said in block form.
            let checked = check(input.module()?).map_err(|diags| input.mistakes(&diags))?;
            gir::emit(&checked).into_bytes()
        }
        "rust" => {
            let checked = optimize_to(input.checked()?, Level::Processor);
            let index = find_kernel(&checked, kernel)?;
            let code = native::emit(&checked, index);
            let code = code.map_err(|unfit| Failure::program(format!("the kernel is not written as Rust: {unfit}")))?;
            code.into_bytes()
        }
        "cuda" => {
            let checked = optimize(input.checked()?);
            let source = cuda::emit(&checked, find_kernel(&checked, kernel)?).ok_or_else(no_kernel)?;
            source.text().as_bytes().to_vec()
        }
        "spirv" => {
            let checked = optimize(input.checked()?);
            let index = find_kernel(&checked, kernel)?;
            let native = if asked.hardware { Native::EXACT_F32 } else { Native::WEBGPU };
            let target = spirv::Target { native, ..spirv::Target::VULKAN };
            let shader = spirv::emit(&checked, index, &target).ok_or_else(no_kernel)?;
            shader.words.iter().flat_map(|word| word.to_le_bytes()).collect()
        }
        other => {
            let target = Target::from_name(other).ok_or_else(|| wrong_target(&format!("unknown target `{other}`")))?;
            let checked = optimize(input.checked()?);
            let index = find_kernel(&checked, kernel)?;
            by_naga(target, other, &checked, index, asked.hardware)?
        }
    })
}

/// A kernel in a language of naga's.
fn by_naga(target: Target, shown: &str, checked: &Checked, index: usize, hardware: bool) -> Result<Vec<u8>, Failure> {
    let (function, facts) = checked.function(index).ok_or_else(no_kernel)?;
    if facts.capabilities.contains(Needs::ATOMIC64) {
        let (name, needs) = (&function.name, facts.capabilities);
        return Err(Failure::program(format!("kernel `{name}` needs {needs}, which `emit {shown}` cannot write")));
    }
    let options = Options {
        native: if hardware { Native::EXACT_F32 } else { Native::WEBGPU },
        wgsl_rules: matches!(target, Target::Wgsl),
        ..Options::WEBGPU
    };
    let shader = lower(checked, index, &options).ok_or_else(no_kernel)?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&shader.module).map_err(Failure::program)?;
    translate(target, &shader, &info)
}

pub fn no_kernel() -> Failure {
    Failure::usage("there is no such kernel")
}

/// The position of the kernel that a name means, or of the only one.
pub fn find_kernel(checked: &Checked, name: Option<&str>) -> Result<usize, Failure> {
    let functions = &checked.module().functions;
    let kernels: Vec<(usize, &Function)> = functions.iter().enumerate().filter(|(_, f)| f.is_kernel()).collect();
    let names = || listed(kernels.iter().map(|(_, kernel)| &*kernel.name));
    let name = name.map(|name| name.strip_prefix('@').unwrap_or(name));
    match (name, kernels.as_slice()) {
        (Some(name), _) => match kernels.iter().find(|(_, kernel)| kernel.name == name) {
            Some(&(index, _)) => Ok(index),
            None if functions.iter().any(|function| function.name == name) => {
                Err(Failure::usage(format!("`{name}` is a device function, not a kernel")))
            }
            None if kernels.is_empty() => {
                Err(Failure::usage(format!("there is no kernel `{name}`; the module has no kernels")))
            }
            None => Err(Failure::usage(format!("there is no kernel `{name}`; the kernels are {}", names()))),
        },
        (None, &[(index, _)]) => Ok(index),
        (None, []) if functions.is_empty() => Err(Failure::program("the module has no kernel")),
        (None, []) => Err(Failure::program(format!(
            "the module has no kernel, only device functions: {}",
            listed(names_of(functions))
        ))),
        (None, _) => Err(Failure::usage(format!("the module has several kernels, so name one: {}", names()))),
    }
}

/// The names of functions.
pub fn names_of(functions: &[Function]) -> impl Iterator<Item = &str> {
    functions.iter().map(|function| &*function.name)
}

/// Names in a message; of many, the first ones.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 12;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let (first, more) = names.split_at(names.len().min(SHOWN));
    match more.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The bindings of a module with their slots, which are the same numbers.
fn slots(module: &Module) -> Result<Vec<(ResourceBinding, u8)>, Failure> {
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    let slot = |binding: ResourceBinding| Some((binding, u8::try_from(binding.binding).ok()?));
    let slots: Option<Vec<(ResourceBinding, u8)>> = bindings.map(slot).collect();
    // One more is needed in MSL.
    let slots = slots.filter(|slots| slots.len() < usize::from(u8::MAX));
    slots.ok_or_else(|| Failure::program("the kernel has more buffers than this target can bind"))
}

fn translate(target: Target, shader: &Shader, info: &ModuleInfo) -> Result<Vec<u8>, Failure> {
    const ENTRY: &str = "main";
    let module = &shader.module;
    let stage = ShaderStage::Compute;
    let failed = |error: &dyn std::fmt::Display| Failure::program(error);
    match target {
        Target::Wgsl => shader.wgsl().map(String::into_bytes).map_err(|error| failed(&error)),
        Target::Msl => {
            let slots = slots(module)?.into_iter().map(|(binding, slot)| {
                (binding, msl::BindTarget { buffer: Some(slot), mutable: true, ..Default::default() })
            });
            let resources: msl::BindingMap = slots.collect();
            let sizes_buffer = Some(resources.len() as u8);
            let resources = msl::EntryPointResources { resources, immediates_buffer: None, sizes_buffer };
            let options = msl::Options {
                lang_version: (2, 4),
                per_entry_point_map: [(ENTRY.to_owned(), resources)].into(),
                fake_missing_bindings: false,
                ..Default::default()
            };
            let pipeline = msl::PipelineOptions::default();
            let (text, _) = msl::write_string(module, info, &options, &pipeline).map_err(|e| failed(&e))?;
            Ok(text.into_bytes())
        }
        Target::Hlsl => {
            let (options, pipeline) = (hlsl::Options::default(), hlsl::PipelineOptions::default());
            let mut text = String::new();
            let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
            written.map_err(|e| failed(&e))?;
            Ok(text.into_bytes())
        }
        Target::Glsl => {
            let version = glsl::Version::Desktop(430);
            let options =
                glsl::Options { version, binding_map: slots(module)?.into_iter().collect(), ..Default::default() };
            let pipeline =
                glsl::PipelineOptions { shader_stage: stage, entry_point: ENTRY.to_owned(), multiview: None };
            let mut text = String::new();
            let policies = BoundsCheckPolicies::default();
            let writer = glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies);
            writer.and_then(|mut writer| writer.write()).map_err(|e| failed(&e))?;
            Ok(text.into_bytes())
        }
    }
}
