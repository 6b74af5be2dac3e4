//! How long optimisation takes: `cargo bench -p samebits-ir --bench passes`.
//!
//! Passes run inside the macro, which cargo builds without optimisation unless told
//! otherwise; `--profile dev` shows what a user then waits for.
//!
//! Each kernel has about 10,000 instructions; before it comes one of a tenth of that, so
//! that what grows faster than the kernel shows. Every time but `optimize` is of one pass
//! applied to the kernel as it was checked, and has the second check in it; `nothing` is
//! that check alone.

use samebits_ir::analysis::tree::Tree;
use samebits_ir::check::{Checked, check};
use samebits_ir::pass::{Level, PASSES, optimize, optimize_to};
use samebits_ir::text;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A kernel, by how many times its pattern comes.
struct Shape {
    name: &'static str,
    /// About how many instructions a round has.
    round: usize,
    source: fn(usize) -> String,
}

const SHAPES: &[Shape] = &[
    Shape { name: "arithmetic", round: 16, source: arithmetic },
    Shape { name: "control flow", round: 62, source: control },
    Shape { name: "memory and loops", round: 38, source: memory },
    Shape { name: "calls", round: 17, source: calls },
];

/// Straight on: chains, sums that are known, sums that come twice, and some that nobody
/// looks at.
fn arithmetic(rounds: usize) -> String {
    let mut out = String::from(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, %s: f32, @y: mut [u32], @z: mut [f32]) {\n  \
         %i = global_id.x\n  %x0 = add %i, 1u32\n  %f0 = cast %i to f32\n",
    );
    for r in 0..rounds {
        let next = r + 1;
        let _ = write!(
            out,
            "  %a{r} = mul %x{r}, 1664525u32\n  \
               %b{r} = add %a{r}, {r}u32\n  \
               %c{r} = shr %b{r}, 3u32\n  \
               %d{r} = xor %b{r}, %c{r}\n  \
               %e{r} = add %i, {}u32\n  \
               %g{r} = div %e{r}, 8u32\n  \
               %h{r} = add 5u32, {r}u32\n  \
               %j{r} = mul %h{r}, 0u32\n  \
               %k{r} = or %d{r}, %j{r}\n  \
               %dead{r} = sub %k{r}, %n\n  \
               %o{r} = lt %g{r}, %n\n  \
               %p{r} = select %o{r}, %k{r}, %d{r}\n  \
               %x{next} = rotl %p{r}, 7u32\n  \
               %q{r} = mul %f{r}, %s\n  \
               %t{r} = sub %q{r}, 1.0f32\n  \
               %f{next} = max %t{r}, {r}.25f32\n",
            r % 10
        );
    }
    let _ = write!(out, "  store @y[%i], %x{rounds}\n  store @z[%i], %f{rounds}\n  ret\n}}\n");
    out
}

/// Loops and branches in each other, eight deep, with a switch inside and a variable that
/// all of them set.
fn control(rounds: usize) -> String {
    const DEPTH: usize = 8;
    let mut out = String::from(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {\n  var $sum: u32\n  %i = global_id.x\n  \
         set $sum, %i\n",
    );
    for r in 0..rounds {
        for d in 0..DEPTH {
            if d % 2 == 0 {
                let _ = write!(
                    out,
                    "loop 'l{r}_{d} (%k{r}_{d}: u32 = 0u32) {{\n  \
                       %c{r}_{d} = ge %k{r}_{d}, %n\n  \
                       if %c{r}_{d} {{ break 'l{r}_{d} }}\n  \
                       %m{r}_{d} = add %k{r}_{d}, 1u32\n"
                );
            } else {
                let _ = write!(
                    out,
                    "  %g{r}_{d} = get $sum\n  %b{r}_{d} = and %g{r}_{d}, {}u32\n  \
                       %o{r}_{d} = ne %b{r}_{d}, 0u32\n  if %o{r}_{d} {{\n",
                    1 << d
                );
            }
        }
        let _ = write!(
            out,
            "  %u{r} = get $sum\n  %v{r} = switch %u{r} -> u32 {{\n  case 1u32, 2u32 {{ yield 7u32 }}\n  \
               case 5u32 {{ continue 'l{r}_0 %m{r}_0 }}\n  case 9u32 {{ break 'l{r}_2 }}\n  \
               default {{ %w{r} = add %u{r}, {r}u32 yield %w{r} }}\n  }}\n  set $sum, %v{r}\n"
        );
        for d in (0..DEPTH).rev() {
            if d % 2 == 0 {
                let _ = write!(
                    out,
                    "  %t{r}_{d} = get $sum\n  %z{r}_{d} = xor %t{r}_{d}, %k{r}_{d}\n  set $sum, %z{r}_{d}\n  \
                       continue 'l{r}_{d} %m{r}_{d}\n}}\n"
                );
            } else {
                let _ = write!(
                    out,
                    "  }} else {{\n  %p{r}_{d} = get $sum\n  %q{r}_{d} = add %p{r}_{d}, {d}u32\n  \
                       set $sum, %q{r}_{d}\n  }}\n"
                );
            }
        }
    }
    out += "  %end = get $sum\n  store @y[%i], %end\n  ret\n}\n";
    out
}

/// Tiles in workgroup memory between barriers, arrays of the invocation, loops of a known
/// and of an unknown number of rounds, and places that are loaded again.
fn memory(rounds: usize) -> String {
    let mut out = String::from(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [f32], @y: mut [f32]) {\n  \
         shared @tile: [f32; 64]\n  private @own: [f32; 4]\n  %i = global_id.x\n  %l = local_id.x\n",
    );
    for r in 0..rounds {
        let _ = write!(
            out,
            "  %a{r} = add %i, {r}u32\n  \
               %b{r} = load f32 @x[%a{r}]\n  \
               store @tile[%l], %b{r}\n  \
               barrier\n  \
               loop 'f{r} (%k{r}: u32 = 0u32) {{\n    \
                 %c{r} = ge %k{r}, 4u32\n    \
                 if %c{r} {{ break 'f{r} }}\n    \
                 %d{r} = add %l, %k{r}\n    \
                 %e{r} = and %d{r}, 63u32\n    \
                 %g{r} = load f32 @tile[%e{r}]\n    \
                 store @own[%k{r}], %g{r}\n    \
                 %h{r} = add %k{r}, 1u32\n    \
                 continue 'f{r} %h{r}\n  \
               }}\n  \
               barrier\n  \
               %m{r} = load f32 @own[1u32]\n  \
               %o{r} = load f32 @own[1u32]\n  \
               %p{r} = mul %m{r}, %o{r}\n  \
               store @own[2u32], %p{r}\n  \
               %q{r} = load f32 @own[2u32]\n  \
               store @y[%a{r}], %q{r}\n  \
               %s{r} = load f32 @y[%a{r}]\n  \
               store @y[%i], %s{r}\n  \
               store @y[%i], %q{r}\n  \
               %t{r} = loop 'u{r} (%v{r}: u32 = 0u32, %w{r}: f32 = %s{r}) -> f32 {{\n    \
                 %z{r} = ge %v{r}, %n\n    \
                 if %z{r} {{ break 'u{r} %w{r} }}\n    \
                 %A{r} = mul %v{r}, 3u32\n    \
                 %B{r} = load f32 @x[%A{r}]\n    \
                 %C{r} = load f32 @x[%l]\n    \
                 %D{r} = mul %B{r}, %C{r}\n    \
                 %E{r} = add %w{r}, %D{r}\n    \
                 %F{r} = add %v{r}, 1u32\n    \
                 continue 'u{r} %F{r}, %E{r}\n  \
               }}\n  \
               store @y[%a{r}], %t{r}\n"
        );
    }
    out += "  ret\n}\n";
    out
}

/// A kernel that is mostly calls of two functions, one of which returns early.
fn calls(rounds: usize) -> String {
    let mut out = String::from(
        "func @mix(%a: u32, %b: u32, @m: mut [u32]) -> u32 {\n  \
           private @own: [u32; 2]\n  \
           %c = gt %a, %b\n  \
           if %c {\n    store @own[0u32], %b\n    %o = load u32 @own[0u32]\n    ret %o\n  }\n  \
           %d = load u32 @m[%a]\n  \
           %e = call @step(%d)\n  \
           store @m[%b], %e\n  \
           ret %e\n\
         }\n\
         func @step(%a: u32) -> u32 {\n  %b = mul %a, 69069u32\n  %c = add %b, 1u32\n  ret %c\n}\n\
         func kernel workgroup_size(64, 1, 1) @k(%n: u32, @y: mut [u32]) {\n  %x0 = global_id.x\n",
    );
    for r in 0..rounds {
        let next = r + 1;
        let _ = write!(
            out,
            "  %a{r} = call @mix(%x{r}, {r}u32, @y[%n])\n  %b{r} = call @step(%a{r})\n  %x{next} = xor %b{r}, %x{r}\n"
        );
    }
    let _ = write!(out, "  store @y[0u32], %x{rounds}\n  ret\n}}\n");
    out
}

/// The least time of several runs, of one if it takes long.
fn least<T>(runs: usize, mut f: impl FnMut() -> T) -> Duration {
    let begin = Instant::now();
    let mut least = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        let result = f();
        least = least.min(start.elapsed());
        drop(result);
        if begin.elapsed() > Duration::from_secs(1) {
            break;
        }
    }
    least
}

/// How many instructions the kernel's body holds, calls replaced.
fn size(checked: &Checked) -> usize {
    let count = checked.module().functions.len();
    let mut functions = (0..count).filter_map(|i| checked.function(i)).map(|(function, _)| function);
    functions.find(|function| function.is_kernel()).map_or(0, |kernel| Tree::of(kernel).insts().len())
}

fn main() {
    // Run as a test, it only has to work.
    let runs = if std::env::args().any(|arg| arg == "--bench") { 20 } else { 1 };
    for shape in SHAPES {
        for insts in [1_000, 10_000] {
            let source = (shape.source)(insts / shape.round);
            let checked = check(text::parse(&source).expect("a text")).expect("a sound kernel");
            let optimized = optimize(checked.clone());
            println!("{}: {} instructions, {} optimised:", shape.name, size(&checked), size(&optimized));
            println!("  optimize {:8.2?}", least(runs, || optimize(checked.clone())));
            println!("  nothing  {:8.2?}", least(runs, || optimize_to(checked.clone(), Level::None)));
            for pass in PASSES {
                println!("  {:<8} {:8.2?}", pass.name, least(runs, || pass.apply(checked.clone())));
            }
        }
    }
}
