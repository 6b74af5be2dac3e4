//! Random graphs of blocks against what the graphs themselves say, step by step.
//!
//! A block adds its number to a checksum, stores the sum, and goes where a hash of the sum
//! sends it; a counter ends the run. The graphs are of any shape, most of them with cycles
//! that are entered in several places.

use samebits_ir::check::check;
use samebits_ir::diag::render;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::pass::optimize;
use samebits_ir::text::{parse, print};
use samebits_random::Random;
use std::fmt::Write;

/// The blocks that each block leads to.
type Graph = Vec<Vec<usize>>;

fn random_graph(random: &mut Random, blocks: usize, back: usize) -> Graph {
    let target = |random: &mut Random, from: usize| {
        let forward = from + 1 < blocks && random.below(100) >= back;
        // No block leads to the entry.
        if forward { from + 1 + random.below((blocks - from - 1).min(4)) } else { 1 + random.below(blocks - 1) }
    };
    let ends = |random: &mut Random, from: usize| {
        let ways = if from == 0 { 2 } else { [1, 2, 2, 2, 3, 0][random.below(6)] };
        let mut to: Vec<usize> = (0..ways).map(|_| target(random, from)).collect();
        to.dedup();
        to
    };
    (0..blocks).map(|from| ends(random, from)).collect()
}

/// The most blocks that a run goes through.
const STEPS: u32 = 60;

fn mix(sum: u32, block: usize) -> u32 {
    (sum ^ (block as u32 + 1)).wrapping_mul(0x9e37_79b1).rotate_left(7)
}

/// What a run gives: the checksum, and how many blocks it went through.
fn judge(graph: &Graph, seed: u32) -> [u32; 2] {
    let (mut sum, mut steps, mut block) = (seed, 0, 0);
    loop {
        sum = mix(sum, block);
        steps += 1;
        let to = &graph[block];
        if steps >= STEPS || to.is_empty() {
            return [sum, steps];
        }
        block = match to[..] {
            [only] => only,
            [a, b] => {
                if sum & 8 != 0 {
                    a
                } else {
                    b
                }
            }
            _ => to[(sum >> 4 & 3).min(to.len() as u32 - 1) as usize],
        };
    }
}

/// The graph as text. Every block has a second block that decides where to go on, so that
/// a run of `STEPS` can end anywhere. Sums and counts are merged by `phi`, the blocks
/// being in random order.
fn text(graph: &Graph, random: &mut Random) -> String {
    let mut blocks = Vec::new();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for (from, to) in graph.iter().enumerate() {
        for &to in to {
            if !before[to].contains(&from) {
                before[to].push(from);
            }
        }
    }
    for (n, to) in graph.iter().enumerate() {
        let mut out = format!("b{n}:\n");
        if n > 0 {
            for (name, start) in [("sum", "sum"), ("steps", "steps")] {
                let from: Vec<String> =
                    before[n].iter().map(|from| format!("[ %{start}{from}.new, go{from} ]")).collect();
                // What nothing leads to is never run.
                if from.is_empty() {
                    let _ = writeln!(out, "  %{name}{n} = mov 0u");
                } else {
                    let _ = writeln!(out, "  %{name}{n} = phi u32 {}", from.join(", "));
                }
            }
        } else {
            out += "  %sum0 = load %seed\n  %steps0 = mov 0u\n";
        }
        let _ = write!(
            out,
            "  %x{n} = xor %sum{n}, {}u\n  %m{n} = mul %x{n}, 0x9e3779b1u\n  %sum{n}.new = rotl %m{n}, 7u\n  \
             %steps{n}.new = add %steps{n}, 1u\n  store %out, %sum{n}.new\n  store %count, %steps{n}.new\n",
            n + 1
        );
        if to.is_empty() {
            out += "  ret\n";
            blocks.push(out);
            continue;
        }
        let _ = write!(out, "  %more{n} = ucmp.lt %steps{n}.new, {STEPS}u\n  br_if %more{n}, go{n}, stop\n");
        blocks.push(out);
        let mut out = format!("go{n}:\n");
        match to[..] {
            [only] => {
                let _ = writeln!(out, "  br b{only}");
            }
            [a, b] => {
                let _ = write!(out, "  %c{n} = and %sum{n}.new, 8u\n  br_if %c{n}, b{a}, b{b}\n");
            }
            _ => {
                let last = to[to.len() - 1];
                let cases: Vec<String> =
                    to[..to.len() - 1].iter().enumerate().map(|(i, to)| format!("[ {i}u, b{to} ]")).collect();
                let _ = write!(
                    out,
                    "  %s{n} = shr %sum{n}.new, 4u\n  %t{n} = and %s{n}, 3u\n  switch %t{n}, b{last}, {}\n",
                    cases.join(", ")
                );
            }
        }
        blocks.push(out);
    }
    blocks.push("stop:\n  ret\n".to_owned());
    for i in (2..blocks.len()).rev() {
        blocks.swap(i, 1 + random.below(i));
    }
    format!(
        "func kernel @k(%seed: ptr[global]<u32>, %out: ptr[global]<u32>, %count: ptr[global]<u32>) -> void {{\n{}}}\n",
        blocks.concat()
    )
}

fn run(program: &Program, seed: u32) -> [u32; 2] {
    let words = [Words::from_bytes(&seed.to_le_bytes()), Words::zeroed(4), Words::zeroed(4)];
    let args: Vec<Arg<'_>> = words.iter().map(|words| Arg::Buffer { words, offset: 0, len: 1 }).collect();
    let options = Options { max_steps: Some(1_000_000), ..Options::default() };
    program.run([1; 3], &args, &options).expect("a run");
    let word = |words: &Words| u32::from_le_bytes(words.read(0..4).try_into().expect("four bytes"));
    [word(&words[1]), word(&words[2])]
}

#[test]
fn random_graphs_of_blocks_do_as_they_say() {
    let mut refused = 0;
    for seed in 1..=400u64 {
        let mut random = Random::new(seed);
        let blocks = 2 + random.below(14);
        let back = [10, 30, 60, 100][random.below(4)];
        let graph = random_graph(&mut random, blocks, back);
        let source = text(&graph, &mut random);
        let module = match parse(&source) {
            Ok(module) => module,
            Err(diags) => {
                let shown = render(&diags, "random", &source);
                assert!(shown.contains("[V018]"), "{seed}: {shown}\n{source}");
                refused += 1;
                continue;
            }
        };
        let printed = print(&module);
        assert_eq!(print(&parse(&printed).expect("the structured form")), printed);
        let checked = match check(module) {
            Ok(checked) => checked,
            Err(diags) => panic!("{seed}: {}\n{printed}", render(&diags, "random", &source)),
        };
        let optimized = optimize(checked.clone());
        let programs = [&checked, &optimized].map(|checked| Program::new(checked, 0).expect("a kernel"));
        for start in 0..4u32 {
            let start = start.wrapping_mul(0x1234_5677);
            for program in &programs {
                assert_eq!(run(program, start), judge(&graph, start), "{seed} {start}\n{source}\n{printed}");
            }
        }
    }
    assert!(refused < 20, "{refused} graphs are nested too deeply");
}
