//! What is asked of cargo: to check a package whose kernels the macro is to write into a folder, or to run its tests.
//!
//! The build has a folder of its own below the target folder, so that the user's builds are not disturbed. The folder for
//! kernels has another name each time: that makes cargo compile again what has kernels, and nothing else.

use super::super::failure::Failure;
use clap::{Arg, ArgAction, ArgMatches, Args, Command as Program, FromArgMatches};
use samebits_ir::wire::Listing;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, process};

/// The variable that the macro reads.
const KERNELS: &str = "SAMEBITS_KERNELS";

/// Options of cargo's without a value.
const FLAGS: [(&str, Option<char>, &str); 14] = [
    ("lib", None, "The library"),
    ("bins", None, "All programs"),
    ("examples", None, "All examples"),
    ("tests", None, "All tests"),
    ("benches", None, "All benchmarks"),
    ("all-targets", None, "All of these"),
    ("workspace", None, "All packages of the workspace"),
    ("all-features", None, "With all features"),
    ("no-default-features", None, "Without the default features"),
    ("release", None, "As it is built for a release"),
    ("locked", None, "Leave `Cargo.lock` as it is"),
    ("offline", None, "Without the network"),
    ("frozen", None, "Both of these"),
    ("quiet", Some('q'), "Let cargo say less"),
];

/// Options of cargo's with a value, which may be given several times.
const VALUES: [(&str, Option<char>, &str, &str); 9] = [
    ("package", Some('p'), "SPEC", "This package"),
    ("exclude", None, "SPEC", "Not this package"),
    ("bin", None, "NAME", "This program"),
    ("example", None, "NAME", "This example"),
    ("test", None, "NAME", "This test"),
    ("bench", None, "NAME", "This benchmark"),
    ("features", Some('F'), "FEATURES", "With these features"),
    ("profile", None, "NAME", "By this profile"),
    ("manifest-path", None, "PATH", "The package of this `Cargo.toml`"),
];

/// The option of cargo's that counts.
const VERBOSE: &str = "verbose";

/// What a command line asks of cargo.
pub struct Package(Vec<String>);

impl Args for Package {
    fn augment_args(mut program: Program) -> Program {
        let option =
            |name, short, help| Arg::new(name).long(name).short(short).help(help).help_heading("What cargo checks");
        for (name, short, value, help) in VALUES {
            program = program.arg(option(name, short, help).value_name(value).action(ArgAction::Append));
        }
        for (name, short, help) in FLAGS {
            program = program.arg(option(name, short, help).action(ArgAction::SetTrue));
        }
        let verbose = option(VERBOSE, Some('v'), "Let cargo say more; twice, still more");
        program.arg(verbose.action(ArgAction::Count))
    }

    fn augment_args_for_update(program: Program) -> Program {
        Self::augment_args(program)
    }
}

impl FromArgMatches for Package {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words = Vec::new();
        for (name, ..) in VALUES {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            words.extend(values.flat_map(|value| [format!("--{name}"), value.clone()]));
        }
        for (name, ..) in FLAGS {
            words.extend(matches.get_flag(name).then(|| format!("--{name}")));
        }
        words.extend((0..matches.get_count(VERBOSE)).map(|_| format!("--{VERBOSE}")));
        Ok(Self(words))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Package {
    /// The kernels of what it selects, in the order of the sources; at least one.
    pub fn kernels(&self) -> Result<Vec<Listing>, Failure> {
        let target = self.target()?;
        let folder = Folder::new(&target)?;
        let mut check = cargo();
        check.arg("check").args(&self.0).arg("--target-dir").arg(&target).env(KERNELS, &folder.0);
        // What cargo prints is no result of this command's.
        check.stdout(Stdio::null());
        succeed(&mut check)?;
        let mut kernels = folder.kernels()?;
        if kernels.is_empty() {
            let message = "there are no kernels in what cargo checked\nhelp: `--all-targets` looks into tests, examples \
                           and benchmarks as well, and `-p PACKAGE` into another package";
            return Err(Failure::Program(format!("error: {message}\n")));
        }
        kernels.sort_by_cached_key(|one| (one.package.clone(), place(&one.place), one.instance.clone()));
        Ok(kernels)
    }

    /// The folder for this build.
    fn target(&self) -> Result<PathBuf, Failure> {
        if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR").filter(|folder| !folder.is_empty()) {
            let folder = std::path::absolute(&folder);
            return Ok(folder.map_err(|error| Failure::file("CARGO_TARGET_DIR", &error))?.join("samebits"));
        }
        let mut locate = cargo();
        locate.args(["locate-project", "--workspace", "--message-format", "plain"]);
        let manifest = self.0.iter().position(|word| word == "--manifest-path").and_then(|at| self.0.get(at + 1));
        locate.args(manifest.iter().flat_map(|path| ["--manifest-path", path]));
        let manifest = succeed(&mut locate)?;
        let root = Path::new(manifest.trim_end()).parent().unwrap_or_else(|| Path::new("."));
        Ok(root.join("target").join("samebits"))
    }
}

/// Run the tests of a package on the judge
///
/// Runs `cargo test` with SAMEBITS_DEVICE=judge. Every launch on `Device::best()` is then watched: a
/// race, a barrier that not all invocations reach, and a launch that never ends are errors. Launches
/// on a device that a test names itself stay there. The judge is slow, and meant for small inputs.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = "Examples:\n  cargo samebits test -p my-kernels -- sums")]
pub struct Test {
    /// Options and names for `cargo test`
    #[arg(value_name = "OPTION", allow_hyphen_values = true)]
    words: Vec<OsString>,
    /// What the tests get
    #[arg(value_name = "ARGUMENT", last = true)]
    rest: Vec<OsString>,
}

impl Test {
    pub fn run(self) -> Result<(), Failure> {
        let mut test = cargo();
        test.arg("test").args(self.words);
        if !self.rest.is_empty() {
            test.arg("--").args(self.rest);
        }
        succeed(test.env("SAMEBITS_DEVICE", "judge").stdout(Stdio::inherit())).map(drop)
    }
}

/// The cargo that called this command, or the one that a shell finds.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).stdout(Stdio::piped());
    cargo
}

/// What it prints. If it fails, it has said why.
fn succeed(command: &mut Command) -> Result<String, Failure> {
    let child = command.spawn().and_then(process::Child::wait_with_output);
    let output = child.map_err(|error| Failure::file(&command.get_program().to_string_lossy(), &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::Program(String::new()))
    }
}

/// A place in order: lines and columns as numbers.
fn place(place: &str) -> (String, u32, u32) {
    let mut parts = place.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let (column, line) = (number(), number());
    (parts.next().unwrap_or_default().to_owned(), line, column)
}

/// The folder for kernels, which goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(target: &Path) -> Result<Self, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let path = target.join(format!("kernels-{}-{now}", process::id()));
        fs::create_dir_all(&path).map_err(|error| Failure::file(&path.to_string_lossy(), &error))?;
        Ok(Self(path))
    }

    fn kernels(&self) -> Result<Vec<Listing>, Failure> {
        let failed = |path: &Path, error| Failure::file(&path.to_string_lossy(), &error);
        let mut kernels = Vec::new();
        for entry in fs::read_dir(&self.0).map_err(|error| failed(&self.0, error))? {
            let path = entry.map_err(|error| failed(&self.0, error))?.path();
            if path.extension() != Some(OsStr::new("sbil")) {
                continue;
            }
            let bytes = fs::read(&path).map_err(|error| failed(&path, error))?;
            kernels.push(Listing::decode(&bytes).map_err(|diags| {
                let first = diags.as_slice().first().map(|diag| diag.message.clone()).unwrap_or_default();
                Failure::program(format!("{}: {first}", path.display()))
            })?);
        }
        Ok(kernels)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
