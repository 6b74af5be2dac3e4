//! Kernels as native code, in programs of their own.
//!
//! A test cannot run code that its own compiler run has not seen. So the same jobs are done twice: by the test, where
//! [`Natives`] writes down the code of each kernel that it is asked for, and by a program made of that code, where it
//! runs the code. Kernels go the way that the macro goes: what was written is optimised for a processor, written as Rust,
//! and launched through the runtime.
//!
//! LLVM needs long for many kernels. So there are many programs, each of a few dozen: [`Part`] says what one of them compares,
//! and [`compare_all`] makes and runs them. A random kernel is compiled once, for one level of instructions.

mod part;
mod programs;

pub use part::{Part, parts};
pub use programs::{Told, compare_all};

use crate::conform::{self, Form, Job, Machine};
use crate::engines::launch_on;
use crate::filetest::{Engine, Failure, Launch, Memories};
use samebits::__private::{Kernel, native::Native};
use samebits::prelude::*;
use samebits_ir::backend::native::{Versions, emit_versions};
use samebits_ir::check::{Checked, check_image};
use samebits_ir::ir::{Module, Param};
use samebits_ir::pass::{Level, optimize_to};
use samebits_ir::wire;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write;
use std::sync::Mutex;

/// A kernel that is compiled: the wire form of the kernel as it was written, and its code.
pub type Compiled = (&'static [u8], &'static Native);

/// The code of kernels: what was found of it, or what the program has.
pub struct Natives {
    device: Device,
    /// The code as text, by the wire form of the kernel; nothing for one that is not written.
    written: Mutex<BTreeMap<Vec<u8>, Option<String>>>,
    compiled: BTreeMap<&'static [u8], &'static Native>,
    /// What code is written for.
    versions: Versions,
}

impl Natives {
    /// Finds out which kernels there are.
    pub fn to_be_found(versions: Versions) -> Self {
        Self { device: Device::interpreter(), written: Mutex::default(), compiled: BTreeMap::new(), versions }
    }

    fn of(compiled: &[Compiled]) -> Self {
        let compiled = compiled.iter().copied().collect();
        Self { device: Device::cpu(), written: Mutex::default(), compiled, versions: Versions::All }
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
            let code = emit_versions(&checked, 0, self.versions)
                .ok()
                .map(|code| item(new.key(), &wire::encode(checked.module()), &code));
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

/// What a program of code does with its part, which its argument names: it tells how many launches agree, and fails if one
/// does not.
pub fn serve(compiled: &[Compiled]) {
    let natives = Natives::of(compiled);
    let part = std::env::args().nth(1).and_then(|text| text.parse::<Part>().ok()).expect("a part is named");
    let (agree, wrong) = part.work(&natives);
    let interpreted = natives.written.lock().map_or(0, |written| written.len());
    println!("{agree} {interpreted}");
    for what in wrong.iter().take(5) {
        println!("{what}");
    }
    std::process::exit(i32::from(!wrong.is_empty()));
}
