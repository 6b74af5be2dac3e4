//! How long the forms of a module take: `cargo bench -p samebits-ir --bench forms`.
//!
//! The module has one function of about 10,000 instructions. A second one has a tenth of
//! that, so that what grows faster than the module shows. Block form has two of its own.

use samebits_ir::backend::gir;
use samebits_ir::check::check;
use samebits_ir::text;
use samebits_ir::wire;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A kernel of nested branches, loops, memory accesses, variables and arithmetic; eighteen
/// instructions a round.
fn source(rounds: usize) -> String {
    let mut out = String::from("func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [f32], @y: mut [f32]) {\n");
    out += "  var $sum: f32\n  %i = global_id.x\n  set $sum, 0.0f32\n";
    for round in 0..rounds {
        let _ = write!(
            out,
            "  %a{round} = add %i, {round}u32\n  \
               %b{round} = load f32 @x[%a{round}]\n  \
               %c{round} = mul %b{round}, {round}.5f32\n  \
               %d{round} = get $sum\n  \
               %e{round} = add %d{round}, %c{round}\n  \
               set $sum, %e{round}\n  \
               %f{round} = lt %a{round}, %n\n  \
               if %f{round} {{\n    \
                 %g{round} = get $sum\n    \
                 %h{round} = neg %g{round}\n    \
                 set $sum, %h{round}\n    \
                 store @y[%a{round}], %h{round}\n  \
               }}\n  \
               loop 'l{round} (%k{round}: u32 = 0u32) {{\n    \
                 %m{round} = lt %k{round}, 4u32\n    \
                 if %m{round} {{\n      \
                   %o{round} = add %k{round}, 1u32\n      \
                   continue 'l{round} %o{round}\n    \
                 }}\n    \
                 break 'l{round}\n  \
               }}\n"
        );
    }
    out += "  %z = get $sum\n  store @y[%i], %z\n  ret\n}\n";
    out
}

/// A kernel in block form: a loop of memory accesses, conversions without a stated type and
/// a diamond that merges a value; twenty instructions a round, `phi`s and ends included.
fn blocks(rounds: usize) -> String {
    let mut out = String::from(
        "func kernel workgroup_size(64, 1, 1) @k(%n: u32, %x: ptr[global]<f32>, %y: ptr[global]<f32>) -> void {\n\
         start:\n  %i = builtin global_id.x\n  br head0\n",
    );
    for round in 0..rounds {
        let from = if round == 0 { "start".to_owned() } else { format!("done{}", round - 1) };
        let _ = write!(
            out,
            "head{round}:\n  \
               %k{round} = phi u32 [ 0u, {from} ], [ %l{round}, join{round} ]\n  \
               %c{round} = ucmp.lt %k{round}, 4u\n  \
               br_if %c{round}, body{round}, done{round}\n\
             body{round}:\n  \
               %a{round} = add %i, {round}u\n  \
               %p{round} = gep %x, %a{round}, stride=4\n  \
               %v{round} = load %p{round}\n  \
               %b{round} = bitcast %v{round}\n  \
               %w{round} = xor %b{round}, %k{round}\n  \
               %d{round} = ucmp.gt %w{round}, %n\n  \
               br_if %d{round}, left{round}, join{round}\n\
             left{round}:\n  \
               %e{round} = add %w{round}, 1u\n  \
               br join{round}\n\
             join{round}:\n  \
               %m{round} = phi u32 [ %w{round}, body{round} ], [ %e{round}, left{round} ]\n  \
               %f{round} = bitcast %m{round} to f32\n  \
               %q{round} = gep %y, %a{round}, stride=4\n  \
               store %q{round}, %f{round}\n  \
               %l{round} = add %k{round}, 1u\n  \
               br head{round}\n\
             done{round}:\n  \
               br {}\n",
            if round + 1 == rounds { "end".to_owned() } else { format!("head{}", round + 1) }
        );
    }
    out += "end:\n  ret\n}\n";
    out
}

/// The least time of several runs.
fn least<T>(runs: usize, mut f: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let start = Instant::now();
        let result = f();
        let took = start.elapsed();
        drop(result);
        took
    };
    (0..runs).map(run).min().unwrap_or_default()
}

fn main() {
    // Run as a test, it only has to work.
    let runs = if std::env::args().any(|arg| arg == "--bench") { 20 } else { 1 };
    for rounds in [52, 520] {
        let source = source(rounds);
        let module = text::parse(&source).expect("a text");
        let insts = module.functions.iter().map(|function| function.insts.len()).sum::<usize>();
        let checked = check(module.clone()).expect("a sound kernel");
        let bytes = wire::encode(checked.module());
        println!("{insts} instructions, {} bytes of text, {} of wire:", source.len(), bytes.len());
        println!("  parse   {:8.2?}", least(runs, || text::parse(&source)));
        println!("  check   {:8.2?}", least(runs, || check(module.clone())));
        println!("  print   {:8.2?}", least(runs, || text::print(checked.module())));
        println!("  encode  {:8.2?}", least(runs, || wire::encode(checked.module())));
        println!("  decode  {:8.2?}", least(runs, || wire::decode(&bytes)));
    }
    for rounds in [50, 500] {
        let source = blocks(rounds);
        let module = text::parse(&source).expect("a text");
        let checked = check(module.clone()).expect("a sound kernel");
        println!("{} instructions in block form, {} bytes:", rounds * 20, source.len());
        println!("  parse   {:8.2?}", least(runs, || text::parse(&source)));
        println!("  check   {:8.2?}", least(runs, || check(module.clone())));
        println!("  print   {:8.2?}", least(runs, || gir::emit(&checked)));
    }
}
