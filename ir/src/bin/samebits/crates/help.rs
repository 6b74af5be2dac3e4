//! The text of `cargo samebits --help`.

use super::super::help::Manual;

/// `cargo samebits`.
pub const MANUAL: Manual =
    Manual { program: "cargo samebits", commands: &["list", "report", "emit", "passes", "test", "man"], help };

fn help(command: &str) -> Option<&'static str> {
    Some(match command {
        "" => MAIN,
        "list" => LIST,
        "report" => REPORT,
        "emit" => EMIT,
        "passes" => PASSES,
        "test" => TEST,
        "man" => MAN,
        _ => return None,
    })
}

const MAIN: &str = "\
cargo samebits: show what becomes of the kernels of a package

usage: cargo samebits COMMAND [OPTION…]

commands:
  list    list the kernels, with their signatures and what is proven of them
  report  say which accesses are proven, on which conditions, and why not
  emit    print a kernel as text or gir, or as rust, cuda, wgsl, msl, hlsl, glsl or spirv
  passes  print a kernel before and after the passes
  test    run the tests of a package on the judge
  man     print the page for `man`

All but `test` let cargo check the package, in the folder `samebits` of the target folder, and
take options of cargo's: -p/--package, --workspace, --exclude, --lib, --bin, --bins, --example,
--examples, --test, --tests, --bench, --benches, --all-targets, -F/--features, --all-features,
--no-default-features, --release, --profile, --manifest-path, --locked, --offline, --frozen,
-q/--quiet and -v/--verbose.

`--kernel` takes the name of a kernel, an instance of a generic one such as 'scale::<f32, 2>', or
where it stands as FILE:LINE.

The exit code is 0 if all went well, 1 if cargo failed or there are no kernels, and 2 if the
command line is wrong.

`cargo samebits COMMAND --help` explains a command. `samebits --help` is about kernels in files.";

const LIST: &str = "\
cargo samebits list: list the kernels, with their signatures and what is proven of them

usage: cargo samebits list [--kernel NAME] [OPTION OF CARGO…]

Prints for each kernel its signature and its place, how many accesses are in bounds at every
launch, how many are if the launch satisfies some conditions, how many are tested when they run,
and whether it is race-free. `cargo samebits report` says more.

options:
  --kernel NAME   only this one

examples:
  cargo samebits list
  cargo samebits list --all-targets -p my-kernels";

const REPORT: &str = "\
cargo samebits report: say which accesses are proven, on which conditions, and why not

usage: cargo samebits report [--kernel NAME] [--target TARGET] [OPTION OF CARGO…]

Prints what `Kernel::report` says, without a program that asks for it. `samebits report --help`
explains the lines.

options:
  --kernel NAME     only this one
  --target TARGET   also say which ops the target computes itself, and which are calls of library
                    functions

targets:
  cuda             a GPU of NVIDIA's, through the text that `emit cuda` writes
  webgpu           any device of which nothing is known
  spirv-software   a Vulkan device whose floats are not exact in any form
  spirv-exact      a Vulkan device whose `+ - * /`, `sqrt` and `fma` of `f32` are exact

example:
  cargo samebits report --kernel saxpy --target webgpu";

const EMIT: &str = "\
cargo samebits emit: print a kernel in another language

usage: cargo samebits emit TARGET [--kernel NAME] [OPTION…] [OPTION OF CARGO…]

The targets are text, gir, rust, cuda, wgsl, msl, hlsl, glsl and spirv. `samebits emit --help`
says what each is, and how arguments are bound. `text` and `gir` are the kernel as it is written,
before any pass.

options:
  --kernel NAME      the kernel; needed if there are several
  --floats software  compute floats in integers, which is exact on every device (the default)
  --floats hardware  use the device's floats; exact only on a device that rounds to nearest,
                     keeps subnormals and contracts nothing
  -o FILE            write to a file instead of standard output

example:
  cargo samebits emit wgsl --kernel saxpy";

const PASSES: &str = "\
cargo samebits passes: print a kernel before and after the passes

usage: cargo samebits passes [--kernel NAME] [OPTION…] [OPTION OF CARGO…]

options:
  --kernel NAME    the kernel; needed if there are several
  --level LEVEL    none, simple or full (the default, which the macro uses)
  --passes A,B,C   run these passes instead, once, in this order; an unknown name lists all
  --print-after    also print the kernel after each pass that changed it
  -o FILE          write to a file instead of standard output

example:
  cargo samebits passes --kernel saxpy --print-after";

const TEST: &str = "\
cargo samebits test: run the tests of a package on the judge

usage: cargo samebits test [OPTION OF `cargo test`…] [-- ARGUMENT OF TESTS…]

Runs `cargo test` with SAMEBITS_DEVICE=judge. Every launch on `Device::best()` is then watched: a
race, a barrier that not all invocations reach, and a launch that never ends are errors. Launches
on a device that a test names itself stay there. The judge is slow, and meant for small inputs.

example:
  cargo samebits test -p my-kernels -- sums";

const MAN: &str = "\
cargo samebits man: print the page for `man`

usage: cargo samebits man

Prints a page with the help of all commands, in the form that `man` reads. `cargo help samebits`
shows it where `man` finds it.

example:
  cargo samebits man > ~/.local/share/man/man1/cargo-samebits.1";
