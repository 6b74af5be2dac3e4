//! What the text of every target has to keep: the order of accesses and barriers, jumps
//! through `switch`es and loops, and loops that no compiler may take for ones that end.
//!
//! The kernels are file tests, so that what they compute is tested elsewhere.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use samebits_ir::text;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every target that is text.
const TEXTS: [&str; 5] = ["wgsl", "msl", "hlsl", "glsl", "cuda"];

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests").join(name)
}

/// A kernel of a file test, optimised, in the language of a target.
fn emit(target: &str, name: &str, kernel: &str) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_samebits"));
    command.args(["emit", target, "--kernel", kernel]).arg(file(name));
    let output = command.output().expect("the command runs");
    assert!(output.status.success(), "{target}, {kernel}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn emit_text(target: &str, name: &str, kernel: &str) -> String {
    String::from_utf8(emit(target, name, kernel)).expect("text")
}

/// The names of a file's kernels.
fn kernels(name: &str) -> Vec<String> {
    let source = std::fs::read_to_string(file(name)).expect("a file test");
    let module = text::parse(&source).expect("a text");
    module.functions.into_iter().filter(|function| function.is_kernel()).map(|kernel| kernel.name).collect()
}

/// An instruction of SPIR-V: its opcode and its operands.
type Instruction = (u32, Vec<u32>);

const TYPE_POINTER: u32 = 32;
const CONSTANT: u32 = 43;
const VARIABLE: u32 = 59;
const LOAD: u32 = 61;
const STORE: u32 = 62;
const ACCESS_CHAIN: u32 = 65;
const CONTROL_BARRIER: u32 = 224;
const LOOP_MERGE: u32 = 246;

/// The storage classes.
const WORKGROUP: u32 = 4;
const STORAGE_BUFFER: u32 = 12;

fn instructions(bytes: &[u8]) -> Vec<Instruction> {
    let (words, _) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut rest = words.get(5..).expect("a header");
    let mut instructions = Vec::new();
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        instructions.push((first & 0xffff, instruction[1..].to_vec()));
        rest = after;
    }
    instructions
}

/// How many loads of a storage class stand before, between and after the last two barriers.
fn loads_around_barriers(instructions: &[Instruction], class: u32) -> [usize; 3] {
    let of_class = |opcode: u32| {
        let found = instructions.iter().filter(move |(found, _)| *found == opcode);
        found.map(|(_, operands)| operands.as_slice()).collect::<Vec<_>>()
    };
    let types: Vec<u32> = of_class(TYPE_POINTER).iter().filter(|o| o[1] == class).map(|o| o[0]).collect();
    let typed = [of_class(VARIABLE), of_class(ACCESS_CHAIN)].concat();
    let pointers: Vec<u32> = typed.iter().filter(|o| types.contains(&o[0])).map(|o| o[1]).collect();
    let mut parts = vec![0];
    for (opcode, operands) in instructions {
        match *opcode {
            CONTROL_BARRIER => parts.push(0),
            LOAD if pointers.contains(&operands[2]) => *parts.last_mut().expect("a part") += 1,
            _ => {}
        }
    }
    *parts.last_chunk::<3>().expect("two barriers")
}

/// The lines before, between and after the last two barriers.
fn around_barriers(text: &str) -> [Vec<&str>; 3] {
    // A barrier may be several lines.
    let is_barrier = |line: &str| line.contains("arrier") || line.contains("__syncthreads()");
    let (mut parts, mut was_barrier) = (vec![Vec::new()], false);
    for line in text.lines() {
        let barrier = is_barrier(line);
        if barrier && !was_barrier {
            parts.push(Vec::new());
        } else if !barrier {
            parts.last_mut().expect("a part").push(line);
        }
        was_barrier = barrier;
    }
    let found = parts.last_chunk::<3>().unwrap_or_else(|| panic!("no two barriers in:\n{text}"));
    found.clone()
}

/// How a target writes a load of workgroup memory or of the first buffer, and a store of 2.
/// A load on which all invocations agree is one of a function's in WGSL.
fn access(target: &str, shared: bool) -> (&'static str, &'static str) {
    match (target, shared) {
        ("wgsl", true) => ("shared_[0]", "] = 2u;"),
        ("hlsl" | "glsl", true) => ("= shared_[", "] = 2u;"),
        ("msl", true) => ("= shared.inner[", "] = 2u;"),
        ("cuda", true) => ("= s0_s[", "] = 2u;"),
        ("wgsl" | "msl", false) => ("= buffer[", "] = 2u;"),
        ("hlsl", false) => ("buffer.Load(", "asuint(2u))"),
        ("glsl", false) => ("= _group_0_binding_0_cs[", "] = 2u;"),
        ("cuda", false) => ("= b0_cells[", "] = 2u;"),
        (other, _) => panic!("no such target: {other}"),
    }
}

/// How many of the lines load, and do not store.
fn loads(lines: &[&str], load: &str) -> usize {
    lines.iter().filter(|line| line.contains(load) && !line.contains("shared_[0] =")).count()
}

#[test]
fn a_load_between_two_barriers_is_written_between_them() {
    for (kernel, shared) in [("@workgroup", true), ("@computed", true), ("@buffer", false)] {
        for target in TEXTS {
            let text = emit_text(target, "memory/between_barriers.gir", kernel);
            let parts = around_barriers(&text);
            let (load, store) = access(target, shared);
            let loads = parts.each_ref().map(|lines| loads(lines, load));
            let stores = parts.each_ref().map(|lines| lines.iter().filter(|line| line.contains(store)).count());
            assert_eq!((loads, stores), ([0, 1, 0], [0, 0, 1]), "{target}, {kernel}:\n{text}");
        }
        let spirv = instructions(&emit("spirv", "memory/between_barriers.gir", kernel));
        let class = if shared { WORKGROUP } else { STORAGE_BUFFER };
        assert_eq!(loads_around_barriers(&spirv, class), [0, 1, 0], "{kernel}");
    }
}

#[test]
fn equal_loads_on_both_sides_of_a_barrier_are_two() {
    for target in TEXTS {
        let text = emit_text(target, "memory/between_barriers.gir", "@again");
        let (load, _) = access(target, true);
        let loads = around_barriers(&text).map(|lines| loads(&lines, load));
        assert_eq!(loads, [1, 0, 1], "{target}:\n{text}");
    }
    let spirv = instructions(&emit("spirv", "memory/between_barriers.gir", "@again"));
    assert_eq!(loads_around_barriers(&spirv, WORKGROUP), [1, 0, 1]);
}

/// C++ lets a compiler assume that a loop without effects ends, and the languages that Metal
/// and DirectX translate do as C++ does. So each loop has a count that runs out after the
/// machine has, or an effect. WGSL and SPIR-V promise no such thing; SPIR-V counts all the same, in
/// two words, where a loop is not known to end.
#[test]
fn no_loop_may_be_taken_for_one_that_ends() {
    for kernel in kernels("control/endless.gir") {
        for (target, head, guard) in [
            ("msl", "while(true) {", "if (metal::all(loop_bound"),
            ("hlsl", "while(true) {", "if (all(loop_bound"),
            ("cuda", "for (;;) {", "asm volatile(\"\");"),
        ] {
            let text = emit_text(target, "control/endless.gir", &kernel);
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let after_heads: Vec<&str> = lines.windows(2).filter(|pair| pair[0] == head).map(|pair| pair[1]).collect();
            assert_eq!(after_heads.len(), 1, "{target}, {kernel}:\n{text}");
            assert!(after_heads.iter().all(|line| line.starts_with(guard)), "{target}, {kernel}:\n{text}");
        }
        let spirv = instructions(&emit("spirv", "control/endless.gir", &kernel));
        let loops = spirv.iter().filter(|(opcode, _)| *opcode == LOOP_MERGE).count();
        let most: Vec<u32> =
            spirv.iter().filter(|i| i.0 == CONSTANT && i.1[2..] == [u32::MAX]).map(|i| i.1[1]).collect();
        let counts: BTreeSet<u32> =
            spirv.iter().filter(|i| i.0 == STORE && most.contains(&i.1[1])).map(|i| i.1[0]).collect();
        // One of them is known to end.
        let counted = if kernel == "guarded" { 0 } else { 2 };
        assert_eq!((loops, counts.len()), (1, counted), "{kernel}");
    }
}

/// Whether a tool accepts SPIR-V; where it is missing there is nothing to ask.
fn is_valid_spirv(bytes: &[u8]) -> bool {
    let spawned = Command::new("spirv-val").args(["--target-env", "vulkan1.1", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return true };
    child.stdin.take().expect("a pipe").write_all(bytes).expect("the tool reads");
    child.wait().expect("the tool ends").success()
}

#[test]
fn every_target_takes_every_way_out_of_a_loop() {
    for name in ["control/exits.gir", "control/exchange.gir", "control/literal_arms.gir"] {
        for kernel in kernels(name) {
            for target in TEXTS {
                let text = emit_text(target, name, &kernel);
                if target == "wgsl" {
                    let module = naga::front::wgsl::parse_str(&text).expect("WGSL");
                    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
                    validator.validate(&module).unwrap_or_else(|error| panic!("{kernel}: {error}\n{text}"));
                }
            }
            assert!(is_valid_spirv(&emit("spirv", name, &kernel)), "{kernel}");
        }
    }
}
