//! The text of `samebits --help`.

use super::failure::Failure;

/// What a command with commands says of itself.
pub struct Manual {
    /// How it is called.
    pub program: &'static str,
    /// The commands, in the order in which the help lists them.
    pub commands: &'static [&'static str],
    /// What `--help` says of a command, or of all if the name is empty; `None` for no command.
    pub help: fn(&str) -> Option<&'static str>,
}

impl Manual {
    /// That a command does not exist.
    pub fn no_command(&self, name: &str) -> Failure {
        Failure::usage(format!("unknown command `{name}`; the commands are {}", self.commands.join(", ")))
    }
}

/// `samebits`.
pub const MANUAL: Manual = Manual {
    program: "samebits",
    commands: &["check", "fmt", "run", "emit", "wire", "opt", "report", "explain", "completions", "man"],
    help,
};

fn help(command: &str) -> Option<&'static str> {
    Some(match command {
        "" => MAIN,
        "check" => CHECK,
        "fmt" => FMT,
        "run" => RUN,
        "emit" => EMIT,
        "wire" => WIRE,
        "opt" => OPT,
        "report" => REPORT,
        "explain" => EXPLAIN,
        "completions" => COMPLETIONS,
        "man" => MAN,
        _ => return None,
    })
}

const MAIN: &str = "\
samebits: read, check, run and translate kernels in text form

usage: samebits COMMAND [OPTION…] FILE…

commands:
  check        report all mistakes in modules
  fmt          bring texts into canonical form
  run          run a kernel on this CPU, with exact results
  emit         print a module as text or gir, or a kernel as rust, cuda, wgsl, msl, hlsl, glsl or spirv
  wire         turn texts into bytes and back
  opt          print a module as the passes leave it
  report       say which accesses are proven to be in bounds, and which loops are proven to end
  explain      print the pages of codes of mistakes, such as V010
  completions  print what a shell completes
  man          print the page for `man`

A FILE holds a module as text or as wire bytes, or a kernel that the macro left for
`cargo samebits`, which its first bytes tell apart. `-` is standard input. Results go to standard output, everything
else to standard error.

The exit code is 0 if all went well, 1 if a module has mistakes or its run failed, and 2 if the
command line is wrong or a file cannot be read or written.

`samebits COMMAND --help` explains a command, `samebits --version` prints the version.
`cargo samebits` is about the kernels of a Rust package.";

const CHECK: &str = "\
samebits check: report all mistakes in modules

usage: samebits check FILE…

Parses and checks each file: names, types, memory accesses, limits, barriers. Prints nothing
if a module is right. Otherwise prints all mistakes with their lines on standard error; the
exit code is then 1. Each mistake has a code, such as V010, which `samebits explain` explains.

example:
  samebits check kernels/*.gir";

const FMT: &str = "\
samebits fmt: bring texts into canonical form

usage: samebits fmt [--check] FILE…

Rewrites each file in place, with one instruction per line, indented by two spaces per block,
and keeps comments. A file that does not parse is not changed. Standard input (`-`) is
formatted to standard output. A function in block form has no canonical text, so a file with
one is an error and is not changed.

options:
  --check   change nothing, and print the names of the files that are not in canonical form;
            the exit code is 1 if there are any

example:
  samebits fmt --check kernels/*.gir";

const RUN: &str = "\
samebits run: run a kernel on this CPU, with exact results

usage: samebits run [OPTION…] FILE [@KERNEL] ARGUMENT…
       samebits run [OPTION…] FILE @FUNCTION VALUE…

Runs a kernel of the file and prints each buffer that the kernel may write, in the form of an
argument. If the file has only one kernel, its name can be left out. A buffer that was read
from a file is printed too, unless --out names a file for it. A device function is run once,
with its arguments in order or by name, and its results are printed, one per line.

arguments, one for each parameter of the kernel, in any order:
  %n=4u32                a scalar
  %v=[1.0f32, 2.0f32]    a vector
  @x=[1u32, 2u32, 3u32]  a buffer of these elements
  @x=[0.0f32; 256]       a buffer of one element, repeated
  @x=@data.bin           a buffer with the bytes of a file, little-endian
  %p=[41]                the memory that a pointer of block form points to, as `@p=[41]`
  '%\"odd name\"=-5'       a name that is not a plain word, as in the text form

values of a device function, in the order of its parameters:
  -5  true  1.5  [1, 2]  numbers, booleans, vectors and buffers

Literals need no type, since the parameters have types. Floats may also be `nan`, `inf` and
`-inf`. Vectors and structs in buffers are written as their scalars, one after the other.

options:
  --grid X[,Y[,Z]]    invocations on each axis, rounded up to whole workgroups
  --groups X[,Y[,Z]]  workgroups on each axis; without either option, one workgroup
  --max-steps N       stop after so many steps of all invocations together
                      (default: 1000000000, and 100000000 with --judge)
  --judge             look for mistakes that a result does not show: races, barriers that
                      not all invocations reach in the same round of a loop, invocations
                      that wait for each other for ever, reads of workgroup memory that
                      nothing wrote; the exit code is 1 if there is one
  --schedule ORDER    as --judge, with the invocations in this order: `forward` (the default),
                      `reversed` or `random`
  --seed N            as --judge, in the random order that this number determines (default: 0)
  --out @Y=FILE       write the bytes of a buffer to a file instead of printing it

These are errors: a launch that breaks a requirement of the kernel, a barrier that not all
invocations of a workgroup reach, reaching an `unreachable`, and too many steps. An access out of
bounds is not an error: a load gives zero and a store does nothing. A note on standard error
says how many there were.

examples:
  samebits run saxpy.gir --grid 4 %a=2.0 '@x=[1.0, 2.0, 3.0, 4.0]' '@y=[0.5; 4]'
  samebits run --seed 7 saxpy.gir --grid 4 %a=2.0 '@x=[1.0; 4]' '@y=[0.5; 4]'
  samebits run math.gir @square 7";

const EMIT: &str = "\
samebits emit: print a kernel in another language

usage: samebits emit TARGET [OPTION…] FILE

targets:
  text    the module in canonical form
  gir     the module in block form: labelled blocks, branches and phis
  rust    the code that `samebits::native` runs on this CPU, an expression
  cuda    CUDA C++; its first line says with which flags it must be compiled
  wgsl    WebGPU's language
  msl     Metal's language, version 2.4
  hlsl    Direct3D's language, shader model 5.1
  glsl    OpenGL's language, version 4.30
  spirv   Vulkan's binary form, version 1.3

naga writes WGSL, MSL, HLSL and GLSL. The entry point of these and of SPIR-V is `main` (`main_`
where a language forbids that).
Bind group 0 holds the buffers in the order of the parameters, then a uniform block of words: the
number of workgroups on x, y and z, two zeros, the number of elements of each buffer, and the
scalar parameters. The code handles bounds, division, shifts and NaN itself. MSL slots, HLSL
registers and GLSL bindings have the same numbers. The code relies on the kernel's requirements:
your launch has to satisfy them.

options:
  --kernel NAME      the kernel; needed if the file has several, except for `text` and `gir`
  --floats software  compute floats in integers, which is exact on every device (the default)
  --floats hardware  use the device's floats; exact only on a device that rounds to nearest,
                     keeps subnormals and contracts nothing
  -o FILE            write to a file instead of standard output

example:
  samebits emit wgsl --floats hardware saxpy.gir -o saxpy.wgsl";

const WIRE: &str = "\
samebits wire: turn texts into bytes and back

usage: samebits wire encode [-o OUT] FILE
       samebits wire decode [-o OUT] FILE

`encode` writes the encoding of a module; there is exactly one. `decode` prints the text of a
module; for bytes that encode none it reports the offset of the first wrong byte. Neither checks
the module: use `samebits check`, which reads both forms.

options:
  -o OUT   write to a file instead of standard output

example:
  samebits wire encode saxpy.gir -o saxpy.sbir";

const OPT: &str = "\
samebits opt: print a module as the passes leave it

usage: samebits opt [OPTION…] FILE

Checks the module and prints what the passes make of it. The results of a kernel stay the same,
bit for bit.

options:
  --level LEVEL    none, simple or full (the default, which the macro uses)
  --passes A,B,C   run these passes instead, once, in this order; an unknown name lists all
  --print-after    also print the module after each pass that changed it
  -o OUT           write to a file instead of standard output

example:
  samebits opt saxpy.gir";

const REPORT: &str = "\
samebits report: say which accesses are proven to be in bounds and free of races, and which loops
are proven to end

usage: samebits report [OPTION…] FILE

Checks the module, runs the passes, and prints for each kernel how many accesses are in bounds
at every launch, how many more are if the launch satisfies the listed conditions, and for each
other access what could not be proven. Those are tested when they run.
For a device function it prints the same, with calls instead of launches. In a kernel that
calls it, more may be proven.
Of each kernel as it was written, before any pass, it says whether it is race-free, race-free if
the launch satisfies some conditions, or not proven race-free, with the accesses that may race,
and which atomics make results depend on the order of the invocations.

options:
  --target TARGET   also say which ops the target computes itself, in which form, and which are
                    calls of library functions, so that you see why a kernel is slow there

targets:
  cuda             a GPU of NVIDIA's, through the text that `emit cuda` writes
  webgpu           any device of which nothing is known
  spirv-software   a Vulkan device whose floats are not exact in any form
  spirv-exact      a Vulkan device whose `+ - * /`, `sqrt` and `fma` of `f32` are exact

example:
  samebits report --target webgpu saxpy.gir";

const EXPLAIN: &str = "\
samebits explain: print the pages of codes of mistakes

usage: samebits explain CODE…

Prints the page of each code: why it is a mistake, an example that has it, and one that has not.
Below each page is its address. Without a code it lists all codes.

example:
  samebits explain V010";

const COMPLETIONS: &str = "\
samebits completions: print what a shell completes

usage: samebits completions bash
       samebits completions zsh
       samebits completions fish

Prints a script for the shell that completes commands, options and targets.

examples:
  source <(samebits completions bash)
  samebits completions fish > ~/.config/fish/completions/samebits.fish";

const MAN: &str = "\
samebits man: print the page for `man`

usage: samebits man

Prints a page with the help of all commands, in the form that `man` reads.

example:
  samebits man > ~/.local/share/man/man1/samebits.1";
