//! The programs of native code: they are made and run on all cores, up to the first difference.

use super::{Natives, Part};
use samebits_ir::backend::native::Versions;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The levels of instructions, and on how many threads each is tried: on more than there are cores, too.
const LEVELS: [(&str, &str, Versions); 3] =
    [("baseline", "1", Versions::Baseline), ("avx2", "2", Versions::Avx2), ("avx512", "7", Versions::Avx512)];

/// What programs have told.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Told {
    /// How many kernels were compiled.
    pub compiled: usize,
    /// How many kernels are too large for that.
    pub without_code: usize,
    /// How many launches agree, by level.
    pub agree: [usize; 3],
    /// How many programs a level was left out of, since the machine has no such instructions.
    pub skipped: [usize; 3],
}

impl Told {
    fn add(&mut self, other: &Self) {
        self.compiled += other.compiled;
        self.without_code += other.without_code;
        for level in 0..LEVELS.len() {
            self.agree[level] += other.agree[level];
            self.skipped[level] += other.skipped[level];
        }
    }

    /// A line for each level.
    pub fn lines(&self) -> Vec<String> {
        let line = |(level, (name, threads, _)): (usize, &(&str, &str, Versions))| match self.skipped[level] {
            0 => format!(
                "native code, {} kernels, {name}, {threads} threads: {} agree",
                self.compiled, self.agree[level]
            ),
            _ => format!("SKIPPED native code for {name}: this machine has no such instructions"),
        };
        LEVELS.iter().enumerate().map(line).collect()
    }
}

/// Makes the programs of all parts in a folder and runs them, as many at once as there are cores. After each part `say`
/// gets how many are done and what they told.
///
/// # Errors
///
/// What is wrong with the first part that fails; no other one is begun then.
pub fn compare_all(parts: &[Part], folder: &Path, say: impl Fn(usize, &Told) + Sync) -> Result<Told, String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let next = AtomicUsize::new(0);
    let told = Mutex::new((0, Told::default(), None));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(part) = parts.get(i) else { break };
                    let one = compare(part, &folder.join(format!("native{i}")));
                    let mut told = told.lock().expect("no thread panics");
                    match one {
                        Ok(one) => {
                            told.0 += 1;
                            told.1.add(&one);
                            say(told.0, &told.1);
                        }
                        Err(why) => {
                            next.store(parts.len(), Ordering::Relaxed);
                            told.2.get_or_insert(format!("{part}: {why}"));
                        }
                    }
                }
            });
        }
    });
    let (_, told, wrong) = told.into_inner().expect("no thread panics");
    wrong.map_or(Ok(told), Err)
}

/// Makes the program of a part and runs it at each level. It is gone afterwards, since each is large; the text stays if
/// something is wrong.
fn compare(part: &Part, at: &Path) -> Result<Told, String> {
    // Where there are no other sets of instructions, the baseline is all.
    let versions = part.level().filter(|_| cfg!(target_arch = "x86_64")).map_or(Versions::All, |level| LEVELS[level].2);
    let natives = Natives::to_be_found(versions);
    let (_, wrong) = part.work(&natives);
    if !wrong.is_empty() {
        return Err(format!("the interpreter is wrong: {}", wrong.join("\n")));
    }
    let (text, [compiled, without_code]) = natives.program();
    let (source, program) = (at.with_extension("rs"), at.with_extension("program"));
    compile(&text, &source, &program).map_err(|why| format!("{} does not compile: {why}", source.display()))?;
    let mut told = Told { compiled, without_code, ..Told::default() };
    let mut levels = part.level().map_or(0..LEVELS.len(), |level| level..level + 1);
    let run = levels.try_for_each(|level| run(part, &program, level, &mut told));
    let _ = std::fs::remove_file(&program);
    if run.is_ok() {
        let _ = std::fs::remove_file(&source);
    }
    run.map(|()| told)
}

/// Runs a program at a level.
fn run(part: &Part, program: &Path, level: usize, told: &mut Told) -> Result<(), String> {
    let (name, threads, _) = LEVELS[level];
    let mut command = Command::new(program);
    let command = command.arg(part.to_string()).env("SAMEBITS_CPU", name).env("RAYON_NUM_THREADS", threads);
    let output = command.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("on this machine") || errors.contains("on this machine") {
        told.skipped[level] += 1;
        return Ok(());
    }
    let (first, more) = said.split_once('\n').unwrap_or((&said, ""));
    let numbers: Vec<usize> = first.split(' ').filter_map(|number| number.parse().ok()).collect();
    match numbers.as_slice() {
        &[agree, interpreted] if output.status.success() => {
            if interpreted > told.without_code {
                return Err(format!(
                    "{name}: {interpreted} kernels had no code, and {} are too large",
                    told.without_code
                ));
            }
            told.agree[level] += agree;
            Ok(())
        }
        _ => Err(format!("{name}, {threads} threads: {more}{errors}")),
    }
}

/// Compiles a program against this library, as a build with optimisation and without debug assertions would.
fn compile(text: &str, source: &Path, program: &Path) -> Result<(), String> {
    std::fs::write(source, text).map_err(|error| error.to_string())?;
    let deps = std::env::current_exe().map_err(|error| error.to_string())?;
    let deps = deps.parent().ok_or("a test is in a folder")?;
    let library = newest(deps).ok_or("there is no library of the tests")?;
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        // A compiler on each core: none of them needs threads.
        .args(["--edition", "2024", "-C", "opt-level=1", "-C", "debug-assertions=off", "-C", "codegen-units=1", "-o"])
        .arg(program)
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("--extern")
        .arg(format!("samebits_tests={}", library.display()))
        .arg(source)
        .output()
        .map_err(|error| error.to_string())?;
    let refused = || String::from_utf8_lossy(&output.stderr).lines().take(60).collect::<Vec<_>>().join("\n");
    if output.status.success() { Ok(()) } else { Err(refused()) }
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
