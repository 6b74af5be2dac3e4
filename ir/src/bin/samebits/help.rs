//! The words of `--help`.

/// The commands, in the order in which the help lists them.
pub const COMMANDS: [&str; 7] = ["check", "fmt", "run", "emit", "wire", "opt", "report"];

/// What `samebits --help` and each `samebits COMMAND --help` say; `None` for no command.
pub fn help(command: &str) -> Option<&'static str> {
    Some(match command {
        "" => MAIN,
        "check" => CHECK,
        "fmt" => FMT,
        "run" => RUN,
        "emit" => EMIT,
        "wire" => WIRE,
        "opt" => OPT,
        "report" => REPORT,
        _ => return None,
    })
}

const MAIN: &str = "\
samebits: read, check, run and translate kernels in text form

usage: samebits COMMAND [OPTION…] FILE…

commands:
  check   say what is wrong with modules
  fmt     bring texts into canonical form
  run     run a kernel on this CPU, with exact results
  emit    print a module as text or gir, or a kernel as cuda, wgsl, msl, hlsl, glsl or spirv
  wire    turn texts into bytes and back
  opt     print a module as the passes leave it
  report  say which accesses are proven to be in bounds, and which loops to end

A FILE holds a module as text or as wire bytes; which of them it is, is seen from its first
bytes. `-` is standard input. Results go to standard output, everything else to standard error.

The exit code is 0 if all went well, 1 if a module is wrong or its run failed, and 2 if the
command line makes no sense or a file cannot be read or written.

`samebits COMMAND --help` says more about a command, `samebits --version` gives the version.";

const CHECK: &str = "\
samebits check: say what is wrong with modules

usage: samebits check FILE…

Parses and checks each file: names, types, memory accesses, limits, barriers. Prints nothing
about a module that is right. Mistakes are shown with their lines on standard error, all of
them in one go, and make the exit code 1. Each has a code, such as V010, with a page in
ir/docs/errors.

example:
  samebits check kernels/*.gir";

const FMT: &str = "\
samebits fmt: bring texts into canonical form

usage: samebits fmt [--check] FILE…

Rewrites each file in place, with one instruction a line, two spaces for each block around,
and comments where they were. A file that does not parse is left alone. Standard input (`-`)
is formatted to standard output. A function in block form has no canonical text, so a file with
one is refused and left alone.

options:
  --check   change nothing, and name the files that are not in canonical form; the exit code
            is 1 if there is one

example:
  samebits fmt --check kernels/*.gir";

const RUN: &str = "\
samebits run: run a kernel on this CPU, with exact results

usage: samebits run [OPTION…] FILE [@KERNEL] ARGUMENT…
       samebits run [OPTION…] FILE @FUNCTION VALUE…

Runs a kernel of the file, which need not be named if it is the only one, and prints each
buffer that the kernel may write, in the form in which arguments are written. A buffer that
lies in a file is printed too unless --out says where to put it. A device function is run once,
with its arguments in order or by name, and what it gives is printed, a result a line.

arguments, one for each parameter of the kernel, in any order:
  %n=4u32                a scalar
  %v=[1.0f32, 2.0f32]    a vector
  @x=[1u32, 2u32, 3u32]  a buffer of these elements
  @x=[0.0f32; 256]       a buffer of an element, repeated
  @x=@data.bin           a buffer with the bytes of a file, little-endian
  %p=[41]                the memory that a pointer of block form points to, as `@p=[41]`
  '%\"odd name\"=-5'       a name that is no plain word, as in texts

values of a device function, in the order of its parameters:
  -5  true  1.5  [1, 2]  numbers, also negative ones, truths, vectors and buffers

A literal may leave out its type: the parameter has it. Floats may also be `nan`, `inf` and
`-inf`. Vectors and structs in buffers are written as their scalars, one after the other.

options:
  --grid X[,Y[,Z]]    invocations on each axis, rounded up to whole workgroups
  --groups X[,Y[,Z]]  workgroups on each axis; without either option, one workgroup
  --max-steps N       give up after so many steps of all invocations together
                      (1000000000 unless said otherwise, and 100000000 before the judge)
  --judge             look for mistakes that a result does not show, and make the exit code 1
                      if there is one: races, barriers that not all invocations reach in the
                      same round of a loop, invocations that wait for each other for ever,
                      reads of workgroup memory that nothing wrote
  --schedule ORDER    judge, running the invocations `forward` (as --judge does), `reversed`
                      or in a `random` order
  --seed N            judge in the random order of this number; 0 unless said otherwise
  --out @Y=FILE       write the bytes of a buffer to a file instead of printing it

A launch that breaks what the kernel requires, a barrier that not all invocations of a workgroup
reach, code that cannot be reached and too many steps are errors. Accesses out of bounds are
none: a load gives zero and a store does nothing; a note on standard error says how many there
were.

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
  cuda    CUDA C++; its first line says with which flags it must be compiled
  wgsl    WebGPU's language
  msl     Metal's language, version 2.4
  hlsl    Direct3D's language, shader model 5.1
  glsl    OpenGL's language, version 4.30
  spirv   Vulkan's binary form, version 1.1

The last five are naga's. Their entry point is `main` (`main_` where a language forbids that).
Bind group 0 holds the buffers in the order of the parameters, then a uniform block of words: the
number of workgroups on x, y and z, two zeros, the number of elements of each buffer, and the
scalar parameters. Bounds, division, shifts and NaN are spelled out and need nothing of the
device. What MSL, HLSL and GLSL call a slot, a register and a binding has the same number.
Whoever launches a kernel has to see to what it requires: the code relies on that.

options:
  --kernel NAME      the kernel; needed if the file has several, save for `text` and `gir`
  --floats software  compute floats in integers, which is right on every device (the default)
  --floats hardware  trust the device: for one that rounds to nearest, keeps subnormals and
                     contracts nothing
  -o FILE            write to a file instead of standard output

example:
  samebits emit wgsl --floats hardware saxpy.gir -o saxpy.wgsl";

const WIRE: &str = "\
samebits wire: turn texts into bytes and back

usage: samebits wire encode [-o OUT] FILE
       samebits wire decode [-o OUT] FILE

`encode` writes the one encoding that a module has. `decode` prints the text of a module; bytes
that are not the encoding of one are refused with the offset of the first wrong one. Neither
says whether the module makes sense: that is for `samebits check`, which reads both forms.

options:
  -o OUT   write to a file instead of standard output

example:
  samebits wire encode saxpy.gir -o saxpy.sbir";

const OPT: &str = "\
samebits opt: print a module as the passes leave it

usage: samebits opt [options] FILE

Checks the module and prints what the passes make of it.
What a kernel computes stays the same, bit for bit.

options:
  --level LEVEL    none, simple or full, which is the default and what the macro does
  --passes A,B,C   these passes instead, once and in this order; a wrong name lists them all
  --print-after    print the module after each pass that changed it, too
  -o OUT           write to a file instead of standard output

example:
  samebits opt saxpy.gir";

const REPORT: &str = "\
samebits report: say which accesses are proven to be in bounds, and which loops to end

usage: samebits report FILE

Checks the module, runs the passes, and says of each kernel how many accesses are in bounds
whatever the launch is, how many more are if the launch satisfies the conditions that are
listed, and of each other one what is not known about it. Those are tested when they run.
Of a device function it says the same for itself, with its calls in the place of launches; in
a kernel that calls it, more may be known.

example:
  samebits report saxpy.gir";
