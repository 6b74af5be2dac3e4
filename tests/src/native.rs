//! Kernels as native code, in a program of their own.
//!
//! A test cannot run code that its own compiler run has not seen. So the same jobs are done twice: by the test, where
//! [`Natives`] writes down the code of each kernel that it is asked for, and by a program made of that code, where it
//! runs the code. Kernels go the way that the macro goes: what was written is optimised for a processor, written as Rust,
//! and launched through the runtime.

use crate::conform::{self, Form, Job, Machine, Tally};
use crate::engines::launch_on;
use crate::filetest::{self, Engine, Failure, Launch, Memories};
use crate::random::{compare, generate};
use samebits::__private::{Kernel, native::Native};
use samebits::prelude::*;
use samebits_ir::backend::native::emit;
use samebits_ir::check::{Checked, check_image};
use samebits_ir::ir::{Module, Param};
use samebits_ir::pass::{Level, optimize_to};
use samebits_ir::wire;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A kernel that is compiled: the wire form of the kernel as it was written, and its code.
pub type Compiled = (&'static [u8], &'static Native);

/// The code of kernels: what was found of it, or what the program has.
pub struct Natives {
    device: Device,
    /// The code as text, by the wire form of the kernel; nothing for one that is not written.
    written: Mutex<BTreeMap<Vec<u8>, Option<String>>>,
    compiled: BTreeMap<&'static [u8], &'static Native>,
}

impl Natives {
    /// Finds out which kernels there are.
    pub fn to_be_found() -> Self {
        Self { device: Device::interpreter(), written: Mutex::default(), compiled: BTreeMap::new() }
    }

    fn of(compiled: &[Compiled]) -> Self {
        Self { device: Device::cpu(), written: Mutex::default(), compiled: compiled.iter().copied().collect() }
    }

    /// The kernel with its code, if the program has it. If not, its code is written down.
    fn kernel(&self, checked: &Checked, function: usize) -> Result<(Kernel, Vec<Param>), String> {
        let (flat, _) = checked.function(function).ok_or("there is no such function")?;
        let params = flat.params.clone();
        let module = Module { types: checked.module().types.clone(), functions: vec![flat.clone()] };
        let key = wire::encode(&module);
        if let Some((&image, &native)) = self.compiled.get_key_value(key.as_slice()) {
            return Ok((Kernel::from_image("compiled", image).native(Ok(native)), params));
        }
        let mut written = self.written.lock().map_err(|_| "a thread has panicked")?;
        if let Entry::Vacant(new) = written.entry(key) {
            let checked = check_image(module.clone()).map_err(|diags| format!("{diags:?}"))?;
            let checked = optimize_to(checked, Level::Processor);
            let code = emit(&checked, 0).ok().map(|code| item(new.key(), &wire::encode(checked.module()), &code));
            new.insert(code);
        }
        let kernel = Kernel::from_module(&module, 0).map_err(|error| error.to_string())?;
        Ok((kernel, params))
    }

    /// The text of a program that runs the code of all kernels that were found, and how many there are with and without
    /// code.
    pub fn program(&self) -> (String, [usize; 2]) {
        let written = self.written.lock().expect("no thread has panicked");
        let mut text = "#![allow(warnings)]\nuse samebits_tests::native::n;\n".to_owned();
        let mut table = String::new();
        let items: Vec<&String> = written.values().flatten().collect();
        for (i, item) in items.iter().enumerate() {
            let _ = writeln!(text, "mod k{i} {{ use super::n; {item} }}");
            let _ = write!(table, "(k{i}::KEY, k{i}::code()), ");
        }
        let _ = writeln!(text, "fn main() {{ samebits_tests::native::serve(&[{table}]) }}");
        (text, [items.len(), written.len() - items.len()])
    }
}

/// What the text of programs calls `n`.
pub use samebits::__private::native as n;

/// The items of a kernel.
fn item(key: &[u8], image: &[u8], code: &str) -> String {
    let literal = |bytes: &[u8]| bytes.iter().fold(String::new(), |text, byte| text + &format!("\\x{byte:02x}"));
    let (key, image) = (literal(key), literal(image));
    format!(
        "pub const KEY: &[u8] = b\"{key}\"; const IMAGE: &[u8] = b\"{image}\"; \
         pub fn code() -> &'static n::Native {{ {code} }}"
    )
}

impl Engine for Natives {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let (kernel, params) = self.kernel(checked, function)?;
        launch_on(&self.device, &kernel, &params, launch)
    }
}

impl Machine for Natives {
    fn name(&self) -> &str {
        self.device.name()
    }

    fn run(&self, job: &Job) -> Result<Vec<u32>, String> {
        let checked = check_image(job.module.clone()).map_err(|diags| format!("{diags:?}"))?;
        let (kernel, _) = self.kernel(&checked, 0)?;
        conform::launch(&self.device, &kernel, job).map_err(|error| error.to_string())
    }

    /// What is folded was computed before the code was written. A short run leaves out literals, and vectors that are no
    /// more than their lanes.
    fn skips(&self, job: &Job) -> bool {
        let is_short = !conform::is_long() && (job.form != Form::Loaded || !job.case.is_for_sweeps());
        is_short || job.form == Form::Folded
    }
}

/// How many random kernels there are; `SAMEBITS_NATIVE` sets another number.
fn seeds() -> u64 {
    let asked = std::env::var("SAMEBITS_NATIVE").ok();
    asked.map_or(60, |text| text.parse().expect("SAMEBITS_NATIVE is a number of kernels"))
}

/// Does all jobs; gives how many launches agree, and what is wrong.
pub fn work(natives: &Natives) -> (usize, Vec<String>) {
    let (mut agree, mut wrong) = (0, Vec::new());
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["filetests", "corpus/random"] {
        for path in filetest::files(&home.join(folder)).expect("a folder of file tests") {
            let source = std::fs::read_to_string(&path).expect("a file test can be read");
            match filetest::test(&path.display().to_string(), &source, &[natives]) {
                Ok(count) => agree += count,
                Err(what) => wrong.push(what),
            }
        }
    }
    for kernel in (0..seeds()).map(generate) {
        match compare::compare_on(&kernel, natives) {
            Ok(_) => agree += 1,
            Err(finding) => wrong.push(format!("seed {}: {finding}", kernel.seed)),
        }
    }
    let mut tally = Tally::new(Engine::name(natives));
    conform::run(natives, &conform::cases(), 500, &mut tally);
    agree += tally.comparisons as usize;
    if tally.mismatches > 0 {
        wrong.push(tally.shown.join("\n"));
    }
    (agree, wrong)
}

/// What the program of the code does: it tells how many launches agree, and fails if one does not.
pub fn serve(compiled: &[Compiled]) {
    let natives = Natives::of(compiled);
    let (agree, wrong) = work(&natives);
    let interpreted = natives.written.lock().map_or(0, |written| written.len());
    println!("{agree} agree, {} wrong, {interpreted} kernels without code", wrong.len());
    for what in wrong.iter().take(5) {
        println!("{what}");
    }
    std::process::exit(i32::from(!wrong.is_empty()));
}

/// Compiles a program against this library, as a build with optimisation and without debug assertions would.
///
/// # Errors
///
/// If there is no compiler, or it refuses the program.
pub fn compile(text: &str, folder: &Path) -> Result<PathBuf, String> {
    let (source, program) = (folder.join("native.rs"), folder.join("native"));
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&source, text)).map_err(|error| error.to_string())?;
    let deps = std::env::current_exe().map_err(|error| error.to_string())?;
    let deps = deps.parent().ok_or("a test is in a folder")?;
    let library = newest(deps).ok_or("there is no library of the tests")?;
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--edition", "2024", "-C", "opt-level=1", "-C", "debug-assertions=off", "-o"])
        .arg(&program)
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("--extern")
        .arg(format!("samebits_tests={}", library.display()))
        .arg(&source)
        .output()
        .map_err(|error| error.to_string())?;
    let refused = || String::from_utf8_lossy(&output.stderr).lines().take(60).collect::<Vec<_>>().join("\n");
    if output.status.success() { Ok(program) } else { Err(refused()) }
}

/// The library of the tests that was built last.
fn newest(deps: &Path) -> Option<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        name.starts_with("libsamebits_tests-") && name.ends_with(".rlib")
    };
    let files = std::fs::read_dir(deps).ok()?.flatten().map(|entry| entry.path()).filter(is_library);
    files.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}
