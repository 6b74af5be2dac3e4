//! The command `samebits`: what it prints, what it refuses, and its exit codes.

mod amounts;
mod crates;
mod reports;
mod shells;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

const PROGRAM: &str = env!("CARGO_BIN_EXE_samebits");

const DOUBLE: &str = "\
func kernel workgroup_size(2, 1, 1) @double(%by: f32, @y: mut [f32]) {
  %i = global_id.x
  %v = load f32 @y[%i]
  %w = mul %v, %by
  store @y[%i], %w
  ret
}
";

/// A folder of its own, which goes away.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        fs::write(self.0.join(name), bytes).expect("a file");
        self
    }

    fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("a file")
    }

    fn run(&self, words: &[&str]) -> Output {
        self.run_with(words, b"")
    }

    fn run_with(&self, words: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(words).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that does not read may end first.
        let _ = stdin.write_all(input);
        drop(stdin);
        child.wait_with_output().expect("the command ends")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a successful command printed.
#[track_caller]
fn printed(output: Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), errors), (Some(0), String::new()));
    String::from_utf8(output.stdout).expect("text")
}

/// What a command said that failed with this code.
#[track_caller]
fn refused(output: Output, code: i32) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{errors}");
    errors
}

#[test]
fn the_examples_of_the_book_print_what_it_says() {
    let pages = ["ir.md", "command.md"].map(|page| root().join("docs/src").join(page));
    let pages = pages.map(|page| fs::read_to_string(page).expect("a chapter"));
    let blocks: Vec<&str> = pages.iter().flat_map(|page| page.split("\n```").skip(1).step_by(2)).collect();
    let saxpy = blocks.iter().find_map(|block| block.strip_prefix("text\n").filter(|text| text.starts_with("func ")));
    let folder = Folder::new();
    folder.put("saxpy.gir", format!("{}\n", saxpy.expect("the text of saxpy")));
    let examples: Vec<&str> = blocks.iter().filter_map(|block| block.strip_prefix("console\n")).collect();
    assert!(!examples.is_empty());
    let programs = Path::new(PROGRAM).parent().expect("a folder");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    for example in examples {
        let mut found = String::new();
        for command in example.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("{command} 2>&1")]).current_dir(&folder.0).env("PATH", &path);
            let output = shell.output().expect("a shell");
            found += &format!("$ {command}\n{}", String::from_utf8_lossy(&output.stdout));
        }
        assert_eq!(found.trim_end(), example.trim_end());
    }
}

#[test]
fn every_mistake_of_every_file_is_shown_and_a_good_file_is_silent() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE.replace("%by\n", "%to\n")).put("b.gir", DOUBLE);
    folder.put("c.gir", DOUBLE.replace("%v, %by", "%v, %q").replace("store @y", "store @z"));
    assert_eq!(printed(folder.run(&["check", "b.gir"])), "");
    let errors = refused(folder.run(&["check", "a.gir", "b.gir", "c.gir"]), 1);
    for line in ["--> a.gir:4:16", "--> c.gir:5:9", "--> c.gir:4:16"] {
        assert!(errors.contains(line), "{errors}");
    }
    assert_eq!(errors.matches("error: ").count(), 3);
}

#[test]
fn a_missing_file_does_not_hide_the_mistakes_of_another() {
    let folder = Folder::new();
    folder.put("a.gir", "ret");
    let errors = refused(folder.run(&["check", "missing.gir", "a.gir"]), 2);
    assert!(errors.contains("error: missing.gir: ") && errors.contains("--> a.gir:1:1"), "{errors}");
}

#[test]
fn what_is_neither_text_nor_bytes_is_refused() {
    let folder = Folder::new();
    folder.put("a", [b'f', 0xff]).put("b", "SBIR");
    let errors = refused(folder.run(&["check", "a", "b"]), 1);
    assert!(errors.contains("a is neither text nor wire bytes: byte 1 is not UTF-8"), "{errors}");
    assert!(errors.contains("error: b: malformed wire bytes at offset 4"), "{errors}");
}

#[test]
fn fmt_rewrites_in_place_and_only_what_differs() {
    let folder = Folder::new();
    let untidy = format!("; about\n{}", DOUBLE.replace("  ", "\t").replace("ret", "ret ; end"));
    folder.put("a.gir", &untidy).put("b.gir", DOUBLE).put("c.gir", "func {");
    let errors = refused(folder.run(&["fmt", "--check", "a.gir", "b.gir"]), 1);
    assert_eq!(errors, "error: a.gir is not in canonical form\n");
    assert_eq!(folder.get("a.gir"), untidy.as_bytes());
    refused(folder.run(&["fmt", "a.gir", "b.gir", "c.gir"]), 1);
    assert_eq!(folder.get("a.gir"), format!("; about\n{}", DOUBLE.replace("ret", "ret ; end")).as_bytes());
    assert_eq!(folder.get("c.gir"), b"func {");
    assert_eq!(printed(folder.run(&["fmt", "--check", "a.gir", "b.gir"])), "");
}

#[test]
fn a_kernel_is_named_where_there_are_several() {
    let folder = Folder::new();
    folder.put("a.gir", format!("{DOUBLE}{}", DOUBLE.replace("@double", "@other")));
    let run = |words: &[&str]| folder.run(&[&["run", "a.gir", "%by=2.0", "@y=[1.0, 1.0]"], words].concat());
    assert_eq!(printed(run(&["@other"])), "@y=[2.0f32, 2.0f32]\n");
    assert!(refused(run(&[]), 2).contains("the module has several kernels, so name one: `double`, `other`"));
    assert!(
        refused(run(&["@third"]), 2)
            .contains("there is no kernel or function `third`; the module has `double`, `other`")
    );
}

#[test]
fn the_grid_is_rounded_up_to_whole_workgroups() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE);
    let run =
        |words: &[&str]| printed(folder.run(&[&["run", "a.gir", "%by=2.0f32", "@y=[1.0f32; 4]"], words].concat()));
    assert_eq!(run(&[]), "@y=[2.0f32, 2.0f32, 1.0f32, 1.0f32]\n");
    assert_eq!(run(&["--grid", "3"]), "@y=[2.0f32, 2.0f32, 2.0f32, 2.0f32]\n");
    assert_eq!(run(&["--groups=2,1"]), "@y=[2.0f32, 2.0f32, 2.0f32, 2.0f32]\n");
}

#[test]
fn arguments_have_to_fit_the_parameters() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE).put("odd.bin", [0; 5]);
    for (words, says) in [
        (&["%by=2.0"][..], "parameter `@y` has no argument"),
        (&["%by=2u32", "@y=[]"], "%by: `2u32` is a `u32`, but a `f32` is needed"),
        (&["%by=two", "@y=[]"], "%by: `two` is not a value of type `f32`"),
        (&["%by=1.0", "@y=1.0"], "@y: `1.0` is not a list"),
        (&["%by=1.0", "@y=@odd.bin"], "@y: 5 bytes do not divide into elements of 4"),
        (&["%by=1.0", "@y=[]", "@z=[]"], "has no parameter `@z`"),
        (&["%by=1.0", "@y=[]", "@y=[]"], "`@y` is given twice"),
        (&["%by=1.0", "@y=[0.0; 99999999999]"], "more than a buffer holds"),
        (&["%by=1.0", "@y=[]", "--grid", "0"], "invalid value '0' for '--grid <X,Y,Z>': it has to be `X`, `X,Y` or"),
        (&["%by=1.0", "@y=[]", "--groups", "4294967295"], "are too many invocations"),
        (&["%by=1.0", "@y=[]", "--out", "@x=f"], "writes no buffer `@x`"),
        (&["%by=1.0", "@y=@missing"], "missing: "),
    ] {
        let errors = refused(folder.run(&[&["run", "a.gir"], words].concat()), 2);
        assert!(errors.contains(says), "{words:?}: {errors}");
    }
}

#[test]
fn vectors_and_structs_are_listed_by_scalars_and_what_is_printed_can_be_passed() {
    let folder = Folder::new();
    let source = "\
struct Pair { a: u8, b: vec2<i32> }

func kernel workgroup_size(1, 1, 1) @k(%v: vec2<i32>, @y: mut [Pair]) {
  store @y[0u32 * 12] + 4, %v
  ret
}
";
    folder.put("a.gir", source);
    let run = |list: &str| printed(folder.run(&["run", "a.gir", "%v=[-1, 5i32]", &format!("@y={list}")]));
    let out = run("[7, 1, 2, 8, 3, 4]");
    assert_eq!(out, "@y=[7u8, -1i32, 5i32, 8u8, 3i32, 4i32]\n");
    assert_eq!(run(out.trim_start_matches("@y=").trim()), out);
    let errors = refused(folder.run(&["run", "a.gir", "%v=[1, 2]", "@y=[1, 2]"]), 2);
    assert!(errors.contains("2 values do not divide into elements of 3 values"), "{errors}");
}

#[test]
fn a_fault_is_shown_at_its_line_and_bounds_are_counted() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE.replace("  ret", "  unreachable"));
    let errors = refused(folder.run(&["run", "a.gir", "%by=1.0", "@y=[0.0; 2]"]), 1);
    assert!(errors.starts_with("error: kernel `double`: "), "{errors}");
    assert!(errors.contains(" --> a.gir:6:3\n"), "{errors}");
    folder.put("b.gir", DOUBLE);
    let errors = refused(folder.run(&["run", "b.gir", "%by=1.0", "@y=[0.0]"]), 0);
    assert_eq!(errors, "note: 2 accesses were out of bounds\n");
}

#[test]
fn every_language_takes_every_kernel() {
    let folder = Folder::new();
    let mut seen = 0;
    for name in ["saxpy", "histogram", "matmul"] {
        let file = root().join(format!("tests/filetests/{name}.gir")).display().to_string();
        for floats in ["software", "hardware"] {
            let emit = |target: &str| folder.run(&["emit", target, "--floats", floats, &file]);
            let wgsl = printed(emit("wgsl"));
            let module = naga::front::wgsl::parse_str(&wgsl).expect("WGSL");
            Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).expect("a valid module");
            assert!(printed(emit("msl")).contains("kernel void main_("));
            assert!(printed(emit("hlsl")).contains("[numthreads("));
            assert!(printed(emit("rust")).contains("unsafe fn body<M: n::Machine"));
            assert!(printed(emit("glsl")).starts_with("#version 430 core\n"));
            let spirv = emit("spirv");
            assert_eq!((spirv.status.code(), spirv.stdout.get(..4)), (Some(0), Some(&[3, 2, 0x23, 7][..])));
            folder.put("k.spv", &spirv.stdout);
            let mut validator = Command::new("spirv-val");
            validator.args(["--target-env", "vulkan1.1", "k.spv"]).current_dir(&folder.0);
            // Where the tool is missing there is nothing to ask.
            if let Ok(status) = validator.status() {
                assert!(status.success(), "{name}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}

#[test]
fn bytes_and_text_are_read_alike() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE);
    assert_eq!(printed(folder.run(&["wire", "encode", "a.gir", "-o", "a.sbir"])), "");
    assert_eq!(printed(folder.run(&["wire", "decode", "a.sbir"])), DOUBLE);
    for command in [&["check"][..], &["emit", "text"], &["opt"]] {
        let from_text = printed(folder.run(&[command, &["a.gir"]].concat()));
        assert_eq!(printed(folder.run(&[command, &["a.sbir"]].concat())), from_text);
    }
    let piped = folder.run_with(&["run", "-", "%by=2.0", "@y=[4.0]"], &folder.get("a.sbir"));
    assert_eq!(String::from_utf8_lossy(&piped.stdout), "@y=[8.0f32]\n");
    assert!(refused(folder.run(&["wire", "decode", "a.gir"]), 1).contains("does not start with `SBIR`"));
}

#[test]
fn help_is_there_for_each_command_and_fits_a_terminal() {
    let folder = Folder::new();
    let main = printed(folder.run(&["--help"]));
    for command in ["check", "fmt", "run", "emit", "wire", "opt", "report", "explain", "completions", "man"] {
        assert!(main.contains(&format!("\n  {command} ")));
        let help = printed(folder.run(&[command, "--help"]));
        assert!(
            help.contains(&format!("\nUsage: samebits {command}"))
                && help.contains("\nExamples:\n  ")
                && help.contains(&format!("samebits {command} "))
        );
        assert_eq!(printed(folder.run(&["help", command])), help);
        let widest = help.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command}: {widest:?}");
    }
    assert_eq!(printed(folder.run(&["--version"])), format!("samebits {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_wrong_command_line_is_told_what_is_wrong_and_where_help_is() {
    let folder = Folder::new();
    for (words, says) in [
        (&["chekc"][..], "unrecognized subcommand 'chekc'\n\n  tip: a similar subcommand exists: 'check'"),
        (&["check"], "required arguments were not provided:\n  <FILE>..."),
        (&["check", "--strict", "a"], "unexpected argument '--strict' found"),
        (&["emit", "metal", "a"], "invalid value 'metal' for '<TARGET>'\n  [possible values: text, "),
        (
            &["emit", "wgsl", "--floats", "fast", "a"],
            "for '--floats <FLOATS>'\n  [possible values: software, hardware]",
        ),
        (&["opt", "a", "b"], "unexpected argument 'b' found"),
        (&["opt", "--level", "most", "a"], "'most' for '--level <LEVEL>'\n  [possible values: none, simple, full"),
        (&["opt", "--passes", "dce,magic", "a"], "'magic' for '--passes <A,B,C>'\n  [possible values: fold,"),
        (&["opt", "--level", "full", "--passes", "dce", "a"], "cannot be used with '--passes <A,B,C>'"),
        (&["wire", "a", "b"], "'a' for '<DIRECTION>'\n  [possible values: encode, decode]"),
        (&["run", "a", "--max-steps"], "a value is required for '--max-steps <N>'"),
        (&["run", "a", "--grid=1", "--grid=2"], "'--grid <X,Y,Z>' cannot be used multiple times"),
        (&["run", "a", "--grid=1", "--groups=2"], "'--grid <X,Y,Z>' cannot be used with '--groups <X,Y,Z>'"),
        (&["run", "a", "--seed=1", "--schedule=forward"], "--seed is for the schedule `random`"),
        (&["run", "a", "7"], "`7` is for no function: write `@FUNCTION` before it"),
        (&["run", "a", "--out", "y=f"], "'y=f' for '--out <@Y=FILE>': it has to be `@BUFFER=FILE`"),
    ] {
        let errors = refused(folder.run(words), 2);
        assert!(
            errors.starts_with("error: ") && errors.contains(says) && errors.contains("--help"),
            "{words:?}: {errors}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let body = "  barrier\n".repeat(20_000);
    folder.put("a.gir", format!("func kernel workgroup_size(1, 1, 1) @k() {{\n{body}  ret\n}}\n"));
    let mut command = Command::new(PROGRAM);
    command.args(["emit", "text", "a.gir"]).current_dir(&folder.0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

const RACE: &str = "\
func kernel workgroup_size(2, 1, 1) @last(@y: mut [u32]) {
  %i = local_id.x
  store @y[0u32], %i
  ret
}
";

#[test]
fn the_judge_shows_a_race_with_its_lines_and_the_result() {
    let folder = Folder::new();
    folder.put("race.gir", RACE).put("good.gir", DOUBLE);
    assert_eq!(printed(folder.run(&["run", "race.gir", "@y=[9]"])), "@y=[1u32]\n");
    let output = folder.run(&["run", "--schedule", "reversed", "race.gir", "@y=[9]"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "@y=[0u32]\n");
    let errors = refused(output, 1);
    assert!(errors.contains("error: race on `y[0]`") && errors.contains("--> race.gir:3:3"), "{errors}");
    for option in [&["--judge"][..], &["--schedule", "random"], &["--seed", "3"]] {
        refused(folder.run(&[&["run", "race.gir", "@y=[9]"], option].concat()), 1);
        printed(folder.run(&[&["run", "good.gir", "%by=2", "@y=[1, 2]"], option].concat()));
    }
    refused(folder.run(&["run", "--schedule", "forward", "--seed", "1", "race.gir", "@y=[9]"]), 2);
    refused(folder.run(&["run", "--schedule", "sideways", "race.gir", "@y=[9]"]), 2);
}

#[test]
fn a_spinlock_of_one_workgroup_is_a_livelock_and_one_lane_each_is_none() {
    let lock = |lanes: u32| {
        format!(
            "func kernel workgroup_size({lanes}, 1, 1) @lock(@l: atomic [u32], @n: mut [u32]) {{
  loop 'try {{
    %old = atomic.cmpxchg @l[0u32], 0u32, 1u32 ordering=acquire failure=acquire
    %free = eq %old, 0u32
    if %free {{
      break 'try
    }}
    continue 'try
  }}
  barrier
  %v = load u32 @n[0u32]
  %w = add %v, 1u32
  store @n[0u32], %w
  atomic.store @l[0u32], 0u32 ordering=release
  ret
}}
"
        )
    };
    let folder = Folder::new();
    folder.put("two.gir", lock(2)).put("one.gir", lock(1));
    let run = |file: &str| folder.run(&["run", "--seed", "5", file, "--groups", "3", "@l=[0]", "@n=[0]"]);
    assert!(printed(run("one.gir")).contains("@n=[3u32]"));
    let errors = refused(run("two.gir"), 1);
    assert!(errors.contains("for ever"), "{errors}");
}

const HELPER: &str = "\
func @square(%a: u32) -> u32 {
  %b = mul %a, %a
  ret %b
}

func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
  %v = load u32 @y[0u32]
  %w = call @square(%v)
  store @y[0u32], %w
  ret
}
";

#[test]
fn a_device_function_runs_by_itself_and_is_no_kernel() {
    let folder = Folder::new();
    folder.put("a.gir", HELPER);
    assert_eq!(printed(folder.run(&["run", "a.gir", "@square", "7"])), "49u32\n");
    assert_eq!(printed(folder.run(&["run", "a.gir", "@square", "%a=5u32"])), "25u32\n");
    assert_eq!(printed(folder.run(&["run", "a.gir", "@y=[4]"])), "@y=[16u32]\n");
    refused(folder.run(&["run", "a.gir", "@square", "7", "8"]), 2);
    refused(folder.run(&["run", "a.gir", "@k", "7"]), 2);
    let errors = refused(folder.run(&["emit", "wgsl", "--kernel", "square", "a.gir"]), 2);
    assert!(errors.contains("`square` is a device function, not a kernel"), "{errors}");
    assert!(printed(folder.run(&["emit", "wgsl", "a.gir"])).contains("@compute"));
}

#[test]
fn block_form_is_written_read_and_left_alone_by_fmt() {
    let folder = Folder::new();
    folder.put("a.gir", HELPER);
    let blocks = printed(folder.run(&["emit", "gir", "a.gir"]));
    assert!(blocks.contains("entry:") || blocks.contains(":\n"), "{blocks}");
    folder.put("b.gir", &blocks);
    assert_eq!(printed(folder.run(&["check", "b.gir"])), "");
    assert_eq!(printed(folder.run(&["run", "b.gir", "@square", "7"])), "49u32\n");
    let errors = refused(folder.run(&["fmt", "b.gir"]), 1);
    assert!(errors.contains("a function in block form has no canonical text"), "{errors}");
    assert_eq!(folder.get("b.gir"), blocks.as_bytes());
}

#[test]
fn cuda_text_begins_with_its_flags() {
    let folder = Folder::new();
    folder.put("a.gir", DOUBLE);
    let text = printed(folder.run(&["emit", "cuda", "a.gir"]));
    assert!(text.starts_with("// Compile with -ftz=false") && text.contains("__fmul_rn("), "{text}");
}

#[test]
fn atomics_of_64_bits_are_for_spirv_alone() {
    let folder = Folder::new();
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: atomic [u64]) { %a = atomic.max @y[0u32], 5u64 ret }";
    folder.put("a.gir", source);
    for target in ["wgsl", "msl", "hlsl", "glsl"] {
        let errors = refused(folder.run(&["emit", target, "a.gir"]), 1);
        let words = format!("kernel `k` needs 64-bit atomics, which `emit {target}` cannot write");
        assert!(errors.contains(&words), "{errors}");
    }
    printed(folder.run(&["emit", "spirv", "a.gir", "-o", "a.spv"]));
    assert_eq!(folder.get("a.spv")[..4], [3, 2, 0x23, 7]);
}

#[test]
fn what_is_no_module_is_not_refused_line_by_line() {
    let folder = Folder::new();
    folder.put("a.md", "# Title\n".repeat(100));
    let errors = refused(folder.run(&["check", "a.md"]), 1);
    assert!(errors.matches("error").count() <= 21, "{errors}");
}

#[test]
fn passes_are_chosen_by_name_and_shown_one_by_one() {
    let folder = Folder::new();
    let source = "\
func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {
  %a = add 2u32, 3u32
  %b = add %a, %a
  store @y[0u32], 7u32
  ret
}
";
    folder.put("k.gir", source);
    let untouched = printed(folder.run(&["opt", "--level", "none", "k.gir"]));
    assert_eq!(untouched.matches("add").count(), 2);
    let all = printed(folder.run(&["opt", "k.gir"]));
    assert_eq!(all.matches("add").count(), 0);
    let steps = printed(folder.run(&["opt", "--passes", "dce,fold", "--print-after", "k.gir"]));
    let heads: Vec<&str> = steps.lines().filter(|line| line.starts_with(';')).collect();
    assert_eq!(heads, ["; after dce", "; the result"]);
}

#[test]
fn a_requirement_is_reported_and_kept() {
    let folder = Folder::new();
    let double = DOUBLE.replace("@y: mut [f32])", "@y: mut [f32]) requires(len @y >= 2)");
    folder.put("double.gir", &double);
    let report = printed(folder.run(&["report", "double.gir"]));
    assert!(report.contains("  requires y.len() >= 2\n"), "{report}");
    let run = |y: &str| folder.run(&["run", "double.gir", "%by=2", &format!("@y={y}")]);
    assert_eq!(printed(run("[1, 2]")), "@y=[2.0f32, 4.0f32]\n");
    let errors = refused(run("[1]"), 1);
    assert!(errors.starts_with("error: kernel `double` requires `y.len() >= 2`, but `y.len()` is 1\n"), "{errors}");
    assert!(errors.contains("double.gir:1:"), "{errors}");
    let judged = refused(folder.run(&["run", "--judge", "double.gir", "%by=2", "@y=[1]"]), 1);
    assert!(judged.contains("requires `y.len() >= 2`"), "{judged}");
    printed(folder.run(&["wire", "encode", "double.gir", "-o", "double.sbir"]));
    assert_eq!(printed(folder.run(&["wire", "decode", "double.sbir"])), double);
    let optimised = printed(folder.run(&["opt", "double.gir"]));
    assert!(optimised.contains("requires(len @y >= 2)"), "{optimised}");
}

const EVERY_TYPE: &str = "\
func @above(%a: u32) -> bool {
  %b = gt %a, 10u32
  ret %b
}

func @not(%a: bool) -> bool {
  %b = not %a
  ret %b
}

func @less(%a: vec2<i8>, %b: vec2<i8>) -> vec2<bool> {
  %c = lt %a, %b
  ret %c
}

func @neg(%a: i64) -> i64 {
  %b = neg %a
  ret %b
}

func @half(%a: f16) -> f16 {
  %b = mul %a, 0.5f16
  ret %b
}

func @same(%a: f64) -> f64 {
  ret %a
}

func @both(%a: vec3<u16>, %b: bool) -> vec3<u16>, bool {
  ret %a, %b
}
";

#[test]
fn every_type_of_result_is_printed_as_it_is_passed() {
    let folder = Folder::new();
    folder.put("f.gir", EVERY_TYPE);
    for (words, says) in [
        (&["@above", "11"][..], "true\n"),
        (&["@above", "10"], "false\n"),
        (&["@not", "true"], "false\n"),
        (&["@less", "[-1, 1]", "[0, 0]"], "[true, false]\n"),
        (&["@neg", "-5"], "5i64\n"),
        (&["@neg", "-9223372036854775807"], "9223372036854775807i64\n"),
        (&["@neg", "--", "-5"], "5i64\n"),
        (&["@half", "0.2"], "0.1f16\n"),
        (&["@half", "-65504"], "-32750.0f16\n"),
        (&["@half", "inf"], "inff16\n"),
        (&["@half", "nan"], "nanf16\n"),
        (&["@same", "-inf"], "-inff64\n"),
        (&["@same", "-1e-300"], "-1e-300f64\n"),
        (&["@same", "-.5"], "-0.5f64\n"),
        (&["@same", "bits(0x7ff8000000000001)f64"], "bits(0x7ff8000000000001)f64\n"),
        (&["@both", "[1, 2, 3]", "true"], "[1u16, 2u16, 3u16]\ntrue\n"),
    ] {
        let command = [&["run", "f.gir"], words].concat();
        assert_eq!(printed(folder.run(&command)), says, "{words:?}");
    }
    // What is printed can be passed again.
    for (function, value) in [("@same", "-inff64"), ("@same", "bits(0x7ff8000000000001)f64"), ("@half", "nanf16")] {
        assert_eq!(printed(folder.run(&["run", "f.gir", function, value])), format!("{value}\n"));
    }
}

#[test]
fn a_value_that_is_none_is_told_what_the_type_has() {
    let folder = Folder::new();
    folder.put("f.gir", EVERY_TYPE);
    for (words, says) in [
        (&["@not", "1"][..], "%a: `1` is not a value of type `bool`, which is `true` or `false`"),
        (&["@neg", "x"], "%a: `x` is not a value of type `i64`, which goes from -9223372036854775808 to"),
        (&["@less", "[128, 1]", "[0, 0]"], "%a: `128` is not a value of type `i8`, which goes from -128 to 127"),
        (&["@half", "1e9"], "%a: `1e9` is not a value of type `f16`, which is a number such as"),
        (&["@neg"], "parameter `%a` has no argument: write `%a=…`"),
        (&["@neg", "1", "2"], "function `neg` has 1 parameter, but 2 values are given"),
        (&["@neg", "%b=1"], "function `neg` has no parameter `%b`; it has `%a`"),
        (
            &["@nge", "1"],
            "there is no kernel or function `nge`; the module has `above`, `not`, `less`, `neg`, `half`, `same`, `both`",
        ),
        (&[], "no kernel: `above`, `not`, `less`, `neg`, `half`, `same`, `both`; to run one, write `@above` after"),
        (&["@neg", "-x"], "unexpected argument '-x' found"),
    ] {
        let errors = refused(folder.run(&[&["run", "f.gir"], words].concat()), 2);
        assert!(errors.contains(says), "{words:?}: {errors}");
        assert_eq!(errors.matches("error").count(), 1, "{words:?}: {errors}");
    }
    let errors = refused(folder.run(&["emit", "wgsl", "f.gir"]), 1);
    assert!(errors.contains("the module has no kernel, only device functions: `above`, "), "{errors}");
}

#[test]
fn a_pointer_is_passed_by_its_own_name_and_a_function_keeps_its() {
    let folder = Folder::new();
    let source = "\
func @lock(%p: ptr[global]<u32>) -> u32 {
entry:
  br again
again:
  %old = atomic.cmpxchg %p, 0u, 1u ordering_succ=acquire ordering_fail=acquire scope=device
  %free = ucmp.eq %old, 0u
  br_if %free, done, again
done:
  ret %old
}
";
    folder.put("lock.gir", source);
    for name in ["%p", "@p"] {
        let run = folder.run(&["run", "lock.gir", "@lock", &format!("{name}=[0]")]);
        assert_eq!(printed(run), "@p=[1u32]\n0u32\n");
    }
    let errors = refused(folder.run(&["run", "--judge", "lock.gir", "@lock", "%p=[1]"]), 1);
    assert!(errors.starts_with("error: function `lock`: livelock: "), "{errors}");
    assert!(errors.contains("change of `p[0]`") && errors.contains("note: this loop goes on for ever"), "{errors}");
    let errors = refused(folder.run(&["run", "--max-steps", "99", "lock.gir", "@lock", "%p=[1]"]), 1);
    assert!(errors.starts_with("error: function `lock`: took more than the 99 steps"), "{errors}");
}

#[test]
fn names_do_nothing_to_the_terminal_and_can_be_passed() {
    let folder = Folder::new();
    let name = "y\\u{1b}[2J\\u{a}error: no";
    let odd = DOUBLE.replace("@double", "@\"k\\u{1b}[31m\"").replace("@y", &format!("@\"{name}\""));
    folder.put("a.gir", &odd);
    printed(folder.run(&["wire", "encode", "a.gir", "-o", "a.sbir"]));
    let shown = format!("@\"{name}\"");
    let passed = format!("{shown}=[1.0]");
    for file in ["a.gir", "a.sbir"] {
        for words in [
            &["report", file][..],
            &["run", file, "%by=2", &passed],
            &["run", "--judge", file, "%by=2", &passed],
            &["run", file, "%by=2"],
            &["run", file, "@\"k\\u{1b}[31m\"", "%z=2"],
            &["run", file, "@other"],
            &["run", file, "--max-steps", "1", "%by=2", &passed],
            &["emit", "wgsl", "--kernel", "none", file],
            &["emit", "wgsl", file, "\u{1b}[31m"],
        ] {
            let output = folder.run(words);
            let all = [output.stdout, output.stderr].concat();
            let all = String::from_utf8(all).expect("text");
            assert!(!all.contains(|c: char| c.is_control() && c != '\n'), "{words:?}: {all:?}");
            assert!(!all.lines().any(|line| line.starts_with("error: no")), "{words:?}: {all}");
        }
    }
    let output = folder.run(&["run", "a.gir", "%by=2", &passed]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{shown}=[2.0f32]\n"));
    folder.put("b.gir", "func kernel \u{1b}[31m");
    assert!(!refused(folder.run(&["check", "b.gir"]), 1).contains('\u{1b}'));
}

/// A kernel of so many accesses that are not proven.
fn many_accesses(count: usize) -> String {
    let access = |i| format!("  %v{i} = load u32 @x[%i]\n  %w{i} = mul %v{i}, {i}u32\n  store @y[%w{i}], %v{i}\n");
    let body: String = (0..count / 2).map(access).collect();
    format!(
        "func kernel workgroup_size(64, 1, 1) @k(@x: [u32], @y: mut [u32]) {{\n  %i = global_id.x\n{body}  ret\n}}\n"
    )
}

/// Inputs of half a megabyte that once took minutes each.
#[test]
fn long_inputs_take_seconds() {
    let folder = Folder::new();
    folder.put("accesses.gir", many_accesses(30_000));
    folder
        .put("escapes.gir", format!("func kernel workgroup_size(1, 1, 1) @\"{}\"() {{ ret }}", "\\u{".repeat(200_000)));
    let fields: Vec<String> = (0..9_000).map(|i| format!("a{i}: u32")).collect();
    folder.put("fields.gir", format!("struct S {{ {} }}\n{DOUBLE}", fields.join(", ")));
    folder.put("digits.gir", DOUBLE.replace("%v, %by", &format!("%v, 1.{}f32", "3".repeat(500_000))));
    let start = std::time::Instant::now();
    let report = printed(folder.run(&["report", "accesses.gir"]));
    assert!(report.matches("--> accesses.gir:").count() > 14_000);
    refused(folder.run(&["check", "escapes.gir"]), 1);
    printed(folder.run(&["check", "fields.gir"]));
    printed(folder.run(&["check", "digits.gir"]));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_file_without_end_is_refused() {
    let errors = refused(Folder::new().run(&["check", "/dev/zero"]), 1);
    assert!(errors.contains("bytes of text are too many, at most 16777216 are allowed [V700]"), "{errors}");
}

/// What `fmt` does to the folder's `a.gir`, with no room for more than so many blocks of 512 bytes.
#[cfg(unix)]
fn format_with_room(folder: &Folder, blocks: usize) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" fmt a.gir"), PROGRAM]);
    shell.current_dir(&folder.0).output().expect("a shell")
}

#[cfg(unix)]
#[test]
fn fmt_leaves_a_file_whole_when_there_is_no_room() {
    let folder = Folder::new();
    let untidy = many_accesses(400).replace("  ", "\t");
    folder.put("a.gir", &untidy);
    let errors = refused(format_with_room(&folder, 2), 2);
    assert!(errors.starts_with("error: a.gir: "), "{errors}");
    assert_eq!(folder.get("a.gir"), untidy.as_bytes());
    assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "nothing is left behind");
    assert_eq!(printed(format_with_room(&folder, 1000)), "");
    assert_eq!(folder.get("a.gir"), many_accesses(400).as_bytes());
}

#[cfg(unix)]
#[test]
fn fmt_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new();
    let untidy = DOUBLE.replace("  ", "\t");
    folder.put("real.gir", &untidy);
    let path = folder.0.join("real.gir");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("real.gir", folder.0.join("link.gir")).expect("a link");
    assert_eq!(printed(folder.run(&["fmt", "link.gir"])), "");
    assert!(fs::symlink_metadata(folder.0.join("link.gir")).expect("a link").is_symlink());
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    assert_eq!(folder.get("real.gir"), DOUBLE.as_bytes());
    // What must not be written is not replaced either; root may write anything.
    folder.put("fixed.gir", &untidy);
    fs::set_permissions(folder.0.join("fixed.gir"), fs::Permissions::from_mode(0o444)).expect("permissions");
    if fs::OpenOptions::new().write(true).open(folder.0.join("fixed.gir")).is_err() {
        refused(folder.run(&["fmt", "fixed.gir"]), 2);
        assert_eq!(folder.get("fixed.gir"), untidy.as_bytes());
    }
}

#[test]
fn the_help_names_every_target() {
    let folder = Folder::new();
    let help = printed(folder.run(&["emit", "--help"]));
    folder.put("a.gir", DOUBLE);
    for target in ["text", "gir", "rust", "cuda", "wgsl", "msl", "hlsl", "glsl", "spirv"] {
        assert!(help.contains(&format!("\n          - {target}: ")), "{target}");
        assert!(folder.run(&["emit", target, "a.gir"]).status.success(), "{target}");
    }
}

#[test]
fn odd_command_lines_are_told_what_is_there() {
    let folder = Folder::new();
    for (words, says) in [
        (&[][..], "\nCommands:\n  check "),
        (&["help", "chekc"], "unrecognized subcommand 'chekc'"),
        (&["wire"], "required arguments were not provided:\n  <DIRECTION>\n  <FILE>\n"),
        (&["wire", "encode"], "required arguments were not provided:\n  <FILE>\n"),
        (&["run", "a.gir", "%by"], "`%by` has no value: write `%by=…`"),
        (&["run", "a.gir", "%to=1"], "kernel `double` has no parameter `%to`; it has `%by`, `@y`"),
    ] {
        folder.put("a.gir", DOUBLE);
        let errors = refused(folder.run(words), 2);
        assert!(errors.contains(says), "{words:?}: {errors}");
    }
}
