//! What the macro costs its users in compile time: `cargo check` of a crate of a hundred
//! kernels of fifty lines, with native code and without, beside the same functions without the
//! attribute; and a release build with native code and without.
//!
//! `cargo bench -p samebits --bench compile` writes the crates below the target folder,
//! checks what they depend on, and then times, in turns,
//!
//! - `from nothing`: the crate alone, without anything that rustc kept of it;
//! - `one changed`: the crate after another literal in one kernel. rustc expands every
//!   macro of a crate again whenever it checks the crate, so this is a hundred kernels.
//!
//! Macros run as the build profile says, which is unoptimised in a dev build unless the
//! user's `Cargo.toml` has `[profile.dev.build-override] opt-level = 3`; both are timed.
//! Each time is the median of five, of release builds of three. `-- --write` only writes the crates and says where.

mod generate;
mod helpers;

use generate::Form;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Rounds, of which the median counts.
const ROUNDS: usize = 5;
/// The same of release builds.
const BUILDS: usize = 3;
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
    /// Writes the crate, a workspace of its own with the versions of this one. It uses samebits with these features.
    fn write(root: &Path, name: &'static str, form: Form, features: &[&str]) -> Self {
        let folder = root.join(name);
        let dependency = match form {
            Form::Kernels => {
                let home = env!("CARGO_MANIFEST_DIR");
                format!("samebits = {{ path = {home:?}, default-features = false, features = {features:?} }}\n")
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

    /// The time of a command of cargo.
    fn time(&self, command: &[&str], profile: &[&str], case: Case) -> f64 {
        match case {
            Case::Nothing => {
                let release: &[&str] = if command.contains(&"--release") { &["--release"] } else { &[] };
                self.cargo(&[&["clean", "--package", self.name], release].concat(), profile);
                self.change(false);
            }
            Case::Changed => {
                self.change(false);
                self.cargo(command, profile);
                self.change(true);
            }
        }
        let start = Instant::now();
        self.cargo(command, profile);
        start.elapsed().as_secs_f64()
    }
}

/// The median seconds of a command for each crate, which take turns.
fn medians<const N: usize>(
    crates: [&Crate; N],
    command: &[&str],
    profile: &[&str],
    case: Case,
    count: usize,
) -> [f64; N] {
    let rounds: Vec<[f64; N]> = (0..count).map(|_| crates.map(|made| made.time(command, profile, case))).collect();
    std::array::from_fn(|which| {
        let mut times: Vec<f64> = rounds.iter().map(|round| round[which]).collect();
        times.sort_by(f64::total_cmp);
        times[count / 2]
    })
}

fn main() {
    let flag = |name: &str| std::env::args().any(|arg| arg == name);
    if !flag("--bench") {
        return; // run as a test, where minutes of building would prove nothing
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile");
    let native = Crate::write(&root, "native", Form::Kernels, &["native"]);
    let kernels = Crate::write(&root, "kernels", Form::Kernels, &[]);
    let plain = Crate::write(&root, "plain", Form::Plain, &[]);
    let all = [&native, &kernels, &plain];
    if flag("--write") {
        all.iter().for_each(|made| println!("{}", made.folder.display()));
        return;
    }
    println!("cargo check of {} kernels, in seconds; medians of {ROUNDS}", generate::KERNELS);
    println!("{:44}{:>10}{:>10}{:>10}{:>18}", "", "native", "kernels", "plain", "native / kernels");
    for (title, profile) in PROFILES {
        for made in all {
            made.cargo(&["check"], profile);
        }
        for (name, case) in [("from nothing", Case::Nothing), ("one changed", Case::Changed)] {
            let [native, kernels, plain] = medians(all, &["check"], profile, case, ROUNDS);
            let title = format!("{title}, {name}");
            println!("{title:44}{native:>10.2}{kernels:>10.2}{plain:>10.2}{:>18.2}", native / kernels);
        }
    }
    let build = ["build", "--release"];
    for made in [&native, &kernels] {
        made.cargo(&build, &[]);
    }
    let [native, kernels] = medians([&native, &kernels], &build, &[], Case::Nothing, BUILDS);
    let each = (native - kernels) / generate::KERNELS as f64;
    println!("cargo build --release: {native:.2} and {kernels:.2}, so native code takes {each:.3} for each kernel");
}
