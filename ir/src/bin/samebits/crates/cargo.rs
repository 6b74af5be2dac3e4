//! What is asked of cargo: to check a package whose kernels the macro is to write into a folder, or to run its tests.
//!
//! The build has a folder of its own below the target folder, so that the user's builds are not disturbed. The folder for
//! kernels has another name each time: that makes cargo compile again what has kernels, and nothing else.

use super::super::args::Args;
use super::super::failure::Failure;
use samebits_ir::wire::Listing;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, process};

/// The variable that the macro reads.
const KERNELS: &str = "SAMEBITS_KERNELS";

/// Options of cargo's without a value.
const FLAGS: [&str; 17] = [
    "--lib",
    "--bins",
    "--examples",
    "--tests",
    "--benches",
    "--all-targets",
    "--workspace",
    "--all-features",
    "--no-default-features",
    "--release",
    "--locked",
    "--offline",
    "--frozen",
    "--quiet",
    "-q",
    "--verbose",
    "-v",
];

/// Options of cargo's with a value, which may be given several times.
const VALUES: [&str; 11] = [
    "-p",
    "--package",
    "--exclude",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "--features",
    "-F",
    "--profile",
    "--manifest-path",
];

/// What a command line asks of cargo.
pub struct Asked(Vec<String>);

impl Asked {
    /// Takes cargo's options from a command line.
    pub fn read(args: &mut Args) -> Result<Self, Failure> {
        let mut words = Vec::new();
        for option in VALUES {
            words.extend(args.values(option)?.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        words.extend(FLAGS.iter().filter(|flag| args.flag(flag)).map(|&flag| flag.to_owned()));
        Ok(Self(words))
    }

    /// The kernels of what it selects, in the order of the sources; at least one.
    pub fn kernels(&self) -> Result<Vec<Listing>, Failure> {
        let target = self.target()?;
        let folder = Folder::new(&target)?;
        let mut check = cargo();
        check.arg("check").args(&self.0).arg("--target-dir").arg(&target).env(KERNELS, &folder.0);
        // What cargo prints is no result of this command's.
        check.stdout(Stdio::null());
        succeed(check)?;
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
        let manifest = succeed(locate)?;
        let root = Path::new(manifest.trim_end()).parent().unwrap_or_else(|| Path::new("."));
        Ok(root.join("target").join("samebits"))
    }
}

/// Runs the tests of a package on the judge.
pub fn test(args: Args) -> Result<(), Failure> {
    let mut test = cargo();
    test.arg("test").args(args.words()).env("SAMEBITS_DEVICE", "judge").stdout(Stdio::inherit());
    succeed(test).map(drop)
}

/// The cargo that called this command, or the one that a shell finds.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).stdout(Stdio::piped());
    cargo
}

/// What it prints. If it fails, it has said why.
fn succeed(mut command: Command) -> Result<String, Failure> {
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
