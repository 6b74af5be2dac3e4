//! Modules of the SPIR-V back end, judged by `spirv-val` for Vulkan.
//!
//! Every kernel is written for two devices: one that has nothing but what every device has, and
//! one that has all there is. Devices here compile modules for themselves besides, under the
//! driver's validation.

use samebits_ir::backend::spirv::{Target, Widths, emit};
use samebits_ir::check::{Checked, check};
use samebits_ir::pass::optimize;
use samebits_ir::soft::plan::Native;
use samebits_tests::engines::say;
use samebits_tests::filetest::{Engine, Failure, Interpreter, Launch, Memories, files, test};
use samebits_tests::random::generate;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Random kernels that are tried.
const RANDOM: u64 = 150;

/// A device that has nothing that a Vulkan device may lack.
const PLAIN: Target = Target {
    native: Native::SOFTWARE,
    round_to_nearest: Widths { half: false, single: false, double: false },
    keep_subnormals: Widths { half: false, single: false, double: false },
    bytes: false,
    halves: false,
    memory_model: true,
    subgroups: false,
    immediates: false,
    table_buffer: true,
    report_cut_loops: Some(0),
    large: false,
    launch_conditions: 0,
};

/// A device that has all.
const FULL: Target = Target {
    native: Native::CUDA,
    round_to_nearest: Widths { half: true, single: true, double: true },
    keep_subnormals: Widths { half: true, single: false, double: true },
    bytes: true,
    halves: true,
    memory_model: true,
    subgroups: true,
    immediates: true,
    table_buffer: false,
    report_cut_loops: None,
    large: true,
    launch_conditions: u64::MAX,
};

/// Where modules wait for the validator, which judges many at once: starting it takes longer.
struct Modules {
    folder: PathBuf,
    files: Vec<PathBuf>,
    seen: BTreeSet<Vec<u32>>,
}

impl Modules {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // What an earlier run left is not of this one.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self { folder, files: Vec::new(), seen: BTreeSet::new() }
    }

    /// Keeps the modules of every kernel.
    fn add(&mut self, name: &str, checked: &Checked) {
        for index in 0..checked.module().functions.len() {
            for (target, kind) in [(&PLAIN, "plain"), (&FULL, "full")] {
                let Some(shader) = emit(checked, index, target) else { continue };
                if !self.seen.insert(shader.words.clone()) {
                    continue;
                }
                let file = self.folder.join(format!("{name}-{index}-{kind}.spv"));
                let bytes: Vec<u8> = shader.words.iter().flat_map(|word| word.to_le_bytes()).collect();
                std::fs::write(&file, bytes).expect("a file");
                self.files.push(file);
            }
        }
    }

    #[track_caller]
    fn are_valid(self) {
        assert!(!self.files.is_empty(), "a test of nothing");
        if Command::new("spirv-val").arg("--version").output().is_err() {
            let required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
            assert!(!required, "there is no `spirv-val`");
            say(&format!("SKIPPED {} modules of SPIR-V: there is no `spirv-val`", self.files.len()));
            return;
        }
        let mut faults = Vec::new();
        for file in &self.files {
            let judged = Command::new("spirv-val").args(["--target-env", "vulkan1.2"]).arg(file).output();
            let judged = judged.expect("it runs");
            if !judged.status.success() {
                faults.push(format!("{}: {}", file.display(), String::from_utf8_lossy(&judged.stderr)));
            }
        }
        assert!(faults.is_empty(), "{} of {} are wrong\n{}", faults.len(), self.files.len(), faults.join("\n"));
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The interpreter, which keeps every module that it runs.
struct Keeper(RefCell<Modules>);

impl Engine for Keeper {
    fn name(&self) -> &str {
        "interpreter, whose kernels are kept"
    }

    fn launch(&self, checked: &Checked, function: usize, launch: &Launch) -> Result<Memories, Failure> {
        let mut modules = self.0.borrow_mut();
        let name = modules.files.len().to_string();
        modules.add(&name, checked);
        modules.add(&format!("{name}-optimised"), &optimize(checked.clone()));
        Interpreter.launch(checked, function, launch)
    }
}

#[test]
fn every_file_test_is_valid_spirv() {
    let keeper = Keeper(RefCell::new(Modules::new("spirv-files")));
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")).expect("the folder of file tests") {
        let source = std::fs::read_to_string(&path).expect("a file");
        test(&path.display().to_string(), &source, &[&keeper]).expect("a file that passes");
    }
    keeper.0.into_inner().are_valid();
}

#[test]
fn random_kernels_are_valid_spirv() {
    let mut modules = Modules::new("spirv-random");
    for seed in 0..RANDOM {
        let checked = check(generate(seed).module).expect("random kernels are right");
        modules.add(&seed.to_string(), &if seed % 2 == 0 { optimize(checked) } else { checked });
    }
    modules.are_valid();
}
