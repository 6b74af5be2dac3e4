//! `samebits emit`: a kernel in another language.
//!
//! This crate writes Rust, CUDA C++ and SPIR-V, naga writes four targets. A module is validated before
//! naga gets it, so that no target misreads it.

use super::failure::Failure;
use super::files::{Input, write};
use clap::{Args, ValueEnum, ValueHint};
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

/// What a kernel is written as. Help, messages and completions read this list.
#[derive(Clone, Copy, ValueEnum)]
pub enum Target {
    /// The module in canonical form
    Text,
    /// The module in block form: labelled blocks, branches and phis
    Gir,
    /// The code that `samebits::native` runs on this CPU, an expression
    Rust,
    /// CUDA C++; its first line says with which flags it must be compiled
    Cuda,
    /// WebGPU's language
    Wgsl,
    /// Metal's language, version 2.4
    Msl,
    /// Direct3D's language, shader model 5.1
    Hlsl,
    /// OpenGL's language, version 4.30
    Glsl,
    /// Vulkan's binary form, version 1.3
    Spirv,
}

/// A language of naga's.
#[derive(Clone, Copy)]
enum Language {
    Wgsl,
    Msl,
    Hlsl,
    Glsl,
}

#[derive(Clone, Copy, ValueEnum)]
enum Floats {
    /// In integers, which is exact on every device
    Software,
    /// By the device
    Hardware,
}

/// What to write, and where to.
#[derive(Args)]
pub struct Asked {
    /// What to write it as
    pub target: Target,
    /// The kernel; needed if there are several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// How floats are computed
    ///
    /// A device's own are exact only if it rounds to nearest, keeps subnormals and contracts
    /// nothing.
    #[arg(long, default_value = "software", verbatim_doc_comment)]
    floats: Floats,
    /// Write to a file instead of standard output
    #[arg(short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub out: Option<String>,
}

/// Print a kernel, or a module, in another language
///
/// naga writes WGSL, MSL, HLSL and GLSL. The entry point of these and of SPIR-V is `main` (`main_`
/// where a language forbids that).
/// Bind group 0 holds the buffers in the order of the parameters, then a uniform block of words:
/// the number of workgroups on x, y and z, two zeros, the number of elements of each buffer, and
/// the scalar parameters. The code handles bounds, division, shifts and NaN itself. MSL slots, HLSL
/// registers and GLSL bindings have the same numbers. The code relies on the kernel's requirements:
/// your launch has to satisfy them.
#[derive(Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  samebits emit wgsl --floats hardware saxpy.gir -o saxpy.wgsl"
)]
pub struct Emit {
    #[command(flatten)]
    asked: Asked,
    /// The module; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: String,
}

impl Emit {
    pub fn run(self) -> Result<(), Failure> {
        let (input, asked) = (Input::read(&self.file)?, &self.asked);
        write(asked.out.as_deref(), &written(&input, asked.kernel.as_deref(), asked)?)
    }
}

/// A kernel, or the module if the target is one of its own forms, in the language of a target.
pub fn written(input: &Input, kernel: Option<&str>, asked: &Asked) -> Result<Vec<u8>, Failure> {
    let naga = |language| by_naga(language, input.checked()?, kernel, asked);
    Ok(match asked.target {
        Target::Text => text::print(&input.module()?).into_bytes(),
        Target::Gir => {
            // Bytes that only passes can make, such as `bool` memory read as `u32`, cannot be
            // said in block form.
            let checked = check(input.module()?).map_err(|diags| input.mistakes(&diags))?;
            gir::emit(&checked).into_bytes()
        }
        Target::Rust => {
            let checked = optimize_to(input.checked()?, Level::Processor);
            let index = find_kernel(&checked, kernel)?;
            let code = native::emit(&checked, index);
            let code = code.map_err(|unfit| Failure::program(format!("the kernel is not written as Rust: {unfit}")))?;
            code.into_bytes()
        }
        Target::Cuda => {
            let checked = optimize(input.checked()?);
            let source = cuda::emit(&checked, find_kernel(&checked, kernel)?).ok_or_else(no_kernel)?;
            source.text().as_bytes().to_vec()
        }
        Target::Spirv => {
            let checked = optimize(input.checked()?);
            let index = find_kernel(&checked, kernel)?;
            let target = spirv::Target { native: asked.native(), ..spirv::Target::VULKAN };
            let shader = spirv::emit(&checked, index, &target).ok_or_else(no_kernel)?;
            shader.words.iter().flat_map(|word| word.to_le_bytes()).collect()
        }
        Target::Wgsl => naga(Language::Wgsl)?,
        Target::Msl => naga(Language::Msl)?,
        Target::Hlsl => naga(Language::Hlsl)?,
        Target::Glsl => naga(Language::Glsl)?,
    })
}

impl Asked {
    /// What the target is taken to compute exactly.
    fn native(&self) -> Native {
        match self.floats {
            Floats::Software => Native::WEBGPU,
            Floats::Hardware => Native::EXACT_F32,
        }
    }
}

/// A kernel in a language of naga's.
fn by_naga(language: Language, checked: Checked, kernel: Option<&str>, asked: &Asked) -> Result<Vec<u8>, Failure> {
    let checked = optimize(checked);
    let index = find_kernel(&checked, kernel)?;
    let (function, facts) = checked.function(index).ok_or_else(no_kernel)?;
    if facts.capabilities.contains(Needs::ATOMIC64) {
        let (name, needs) = (&function.name, facts.capabilities);
        let target = asked.target.to_possible_value();
        let shown = target.as_ref().map_or("", |target| target.get_name());
        return Err(Failure::program(format!("kernel `{name}` needs {needs}, which `emit {shown}` cannot write")));
    }
    let options = Options { native: asked.native(), wgsl_rules: matches!(language, Language::Wgsl), ..Options::WEBGPU };
    let shader = lower(&checked, index, &options).ok_or_else(no_kernel)?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&shader.module).map_err(Failure::program)?;
    translate(language, &shader, &info)
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

fn translate(language: Language, shader: &Shader, info: &ModuleInfo) -> Result<Vec<u8>, Failure> {
    const ENTRY: &str = "main";
    let module = &shader.module;
    let stage = ShaderStage::Compute;
    let failed = |error: &dyn std::fmt::Display| Failure::program(error);
    match language {
        Language::Wgsl => shader.wgsl().map(String::into_bytes).map_err(|error| failed(&error)),
        Language::Msl => {
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
        Language::Hlsl => {
            let (options, pipeline) = (hlsl::Options::default(), hlsl::PipelineOptions::default());
            let mut text = String::new();
            let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None);
            written.map_err(|e| failed(&e))?;
            Ok(text.into_bytes())
        }
        Language::Glsl => {
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
