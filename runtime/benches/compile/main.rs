//! What the macro costs its users in compile time: `cargo check` of a crate of a hundred
//! kernels of fifty lines beside the same functions without the attribute.
//!
//! `cargo bench -p samebits --bench compile` writes both crates below the target folder,
//! checks what they depend on, and then times, in turns,
//!
//! - `from nothing`: the crate alone, without anything that rustc kept of it;
//! - `one changed`: the crate after another literal in one kernel. rustc expands every
//!   macro of a crate again whenever it checks the crate, so this is a hundred kernels.
//!
//! Macros run as the build profile says, which is unoptimised in a dev build unless the
//! user's `Cargo.toml` has `[profile.dev.build-override] opt-level = 3`; both are timed.
//! Each time is the median of five. `-- --write` only writes the crates and says where.

mod generate;
mod helpers;

use generate::Form;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Rounds, of which the median counts.
const ROUNDS: usize = 5;
/// The profiles: what they are called and what cargo is told.
const PROFILES: [(&str, &[&str]); 2] = [
    ("macros unoptimised", &[]),
    ("build-override opt-level = 3", &["--config", "profile.dev.build-override.opt-level=3"]),
];

/// A generated crate.
struct Crate {
    name: &'static str,
    form: Form,
    folder: PathBuf,
}

/// What takes turns in the rounds.
#[derive(Clone, Copy)]
enum Case {
    Nothing,
    Changed,
}

impl Crate {
    /// Writes the crate, a workspace of its own with the versions of this one.
    fn write(root: &Path, name: &'static str, form: Form) -> Self {
        let folder = root.join(name);
        let dependency = match form {
            Form::Kernels => {
                format!("samebits = {{ path = {:?}, default-features = false }}\n", env!("CARGO_MANIFEST_DIR"))
            }
            Form::Plain => String::new(),
        };
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependency}"
        );
        fs::create_dir_all(folder.join("src")).expect("a folder");
        fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
        fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"), folder.join("Cargo.lock"))
            .expect("the versions");
        if form == Form::Plain {
            fs::write(folder.join("src/prelude.rs"), include_str!("prelude.rs")).expect("stand-ins");
        }
        let made = Self { name, form, folder };
        made.change(false);
        made
    }

    fn change(&self, changed: bool) {
        fs::write(self.folder.join("src/lib.rs"), generate::library(self.form, changed)).expect("a library");
    }

    fn cargo(&self, arguments: &[&str], profile: &[&str]) {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--quiet"])
            .args(profile)
            .env("CARGO_TARGET_DIR", self.folder.with_file_name("target"))
            .current_dir(&self.folder)
            .output()
            .expect("cargo");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// The time of a check.
    fn check(&self, profile: &[&str], case: Case) -> Duration {
        match case {
            Case::Nothing => {
                self.cargo(&["clean", "--package", self.name], profile);
                self.change(false);
            }
            Case::Changed => {
                self.change(false);
                self.cargo(&["check"], profile);
                self.change(true);
            }
        }
        let start = Instant::now();
        self.cargo(&["check"], profile);
        start.elapsed()
    }
}

fn main() {
    let flag = |name: &str| std::env::args().any(|arg| arg == name);
    if !flag("--bench") {
        return; // run as a test, where minutes of building would prove nothing
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile");
    let kernels = Crate::write(&root, "kernels", Form::Kernels);
    let plain = Crate::write(&root, "plain", Form::Plain);
    if flag("--write") {
        return println!("{}\n{}", kernels.folder.display(), plain.folder.display());
    }
    println!("cargo check of {} kernels, in seconds; medians of {ROUNDS}", generate::KERNELS);
    println!("{:44}{:>10}{:>10}{:>12}", "", "kernels", "plain", "difference");
    for (title, profile) in PROFILES {
        for made in [&kernels, &plain] {
            made.cargo(&["check"], profile);
        }
        for (name, case) in [("from nothing", Case::Nothing), ("one changed", Case::Changed)] {
            let rounds: Vec<_> =
                (0..ROUNDS).map(|_| [&kernels, &plain].map(|made| made.check(profile, case))).collect();
            let [typed, bare] = [0, 1].map(|which| {
                let mut times: Vec<_> = rounds.iter().map(|round| round[which].as_secs_f64()).collect();
                times.sort_by(f64::total_cmp);
                times[ROUNDS / 2]
            });
            println!("{:44}{typed:>10.2}{bare:>10.2}{:>12.2}", format!("{title}, {name}"), typed - bare);
        }
    }
}
