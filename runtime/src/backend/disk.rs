//! What is kept on disk from one program to the next: what probes and timing have found out about devices, and
//! compiled kernels.
//!
//! A file holds one value and the key that it is for. What is missing, damaged or of another key
//! counts as unknown, and is written anew. Nothing here fails: without a folder that can be written
//! to, values are found out each time.

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The variable that names the folder, or switches it off.
const VARIABLE: &str = "SAMEBITS_CACHE";
/// The first line of a file; it changes with the form of the file.
const FIRST_LINE: &str = "samebits cache 2";
/// The most bytes of a file.
const MOST: u64 = 64 << 20;
/// The most bytes of all compiled kernels.
const COMPILED: u64 = 256 << 20;
/// How many compiled kernels are kept before the folder is looked through.
const SOME: u64 = 32;

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// What a probe or timing has found out, as text.
    Verdict,
    /// A kernel as a driver has compiled it. The oldest go when there are many.
    Compiled,
}

impl Kind {
    fn extension(self) -> &'static str {
        match self {
            Kind::Verdict => "txt",
            Kind::Compiled => "bin",
        }
    }
}

/// A folder of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Disk(Option<PathBuf>);

impl Disk {
    /// The folder that the environment names, or the platform's.
    pub fn of_environment() -> Self {
        Self(folder(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)))
    }

    /// A folder, for tests.
    #[cfg(test)]
    pub fn at(folder: PathBuf) -> Self {
        Self(Some(folder))
    }

    /// The value of a key, which has no line breaks, if it is known.
    pub fn read(&self, kind: Kind, key: &str) -> Option<Vec<u8>> {
        let mut file = fs::File::options().read(true).open(file(self.0.as_deref()?, kind, key)).ok()?;
        let mut bytes = Vec::new();
        file.by_ref().take(MOST).read_to_end(&mut bytes).ok()?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
        if sum != digest(body).as_bytes() {
            return None;
        }
        let value = body.strip_prefix(beginning(key).as_bytes())?;
        if kind == Kind::Compiled {
            // Those that were not used for longest go first. It does not matter if that cannot be noted.
            let _ = file.set_modified(SystemTime::now());
        }
        Some(value.to_vec())
    }

    /// Keeps the value of a key. Another program that reads meanwhile sees the whole value or none.
    pub fn write(&self, kind: Kind, key: &str, value: &[u8]) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(folder) = &self.0 else { return };
        let mut bytes = beginning(key).into_bytes();
        bytes.extend_from_slice(value);
        let sum = digest(&bytes);
        bytes.extend_from_slice(sum.as_bytes());
        let path = file(folder, kind, key);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = path.with_extension(format!("{}-{number}", process::id()));
        // A value that cannot be kept is found out again.
        let written = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&unfinished, bytes))
            .and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        if kind == Kind::Compiled && number.is_multiple_of(SOME) {
            trim(folder, kind, COMPILED);
        }
    }
}

/// Removes the oldest files of a kind until the rest has no more bytes than these.
fn trim(folder: &Path, kind: Kind, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let of_kind = |path: &PathBuf| path.extension().is_some_and(|extension| extension == kind.extension());
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let about = path.metadata().ok().filter(|_| of_kind(&path))?;
            Some((about.modified().ok()?, about.len(), path))
        })
        .collect();
    files.sort_by_key(|(time, ..)| Reverse(*time));
    let mut sum = 0;
    for (_, len, path) in files {
        sum += len;
        if sum > most {
            let _ = fs::remove_file(path);
        }
    }
}

/// How a file of a key begins.
fn beginning(key: &str) -> String {
    format!("{FIRST_LINE}\n{key}\n")
}

/// The file of a key.
fn file(folder: &Path, kind: Kind, key: &str) -> PathBuf {
    folder.join(format!("{}.{}", digest(key.as_bytes()), kind.extension()))
}

/// The folder, by variables that are not empty.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(named) = variable(VARIABLE) {
        return (named != Path::new("off")).then_some(named);
    }
    let platform = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_vendor = "apple") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // A path that is not absolute does not count, says the standard for these folders.
        let named = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        named.or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    platform.map(|folder| folder.join("samebits"))
}

/// Bytes of a digest as text.
const SUM: usize = 16;

/// A number that two different texts hardly ever share, the same on every machine.
fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.write(bytes);
    format!("{:016x}", digest.finish())
}

/// FNV-1a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Kind::{Compiled, Verdict as VERDICT};
    use super::*;

    /// An empty folder of a test's own.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = env::temp_dir().join(format!("samebits-disk-{name}-{}", process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }

        fn disk(&self) -> Disk {
            Disk(Some(self.0.clone()))
        }

        fn files(&self) -> Vec<PathBuf> {
            let entries = fs::read_dir(&self.0).expect("the folder exists");
            entries.map(|entry| entry.expect("an entry").path()).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_was_written_is_read_and_replaced() {
        let folder = Folder::new("written");
        let disk = folder.disk();
        assert_eq!(disk.read(VERDICT, "a device"), None);
        disk.write(VERDICT, "a device", b"1 2 3");
        disk.write(VERDICT, "another", b"");
        assert_eq!(disk.read(VERDICT, "a device").as_deref(), Some(&b"1 2 3"[..]));
        assert_eq!(disk.read(VERDICT, "another").as_deref(), Some(&b""[..]));
        disk.write(VERDICT, "a device", b"4");
        assert_eq!(disk.read(VERDICT, "a device").as_deref(), Some(&b"4"[..]));
        assert_eq!(folder.files().len(), 2, "nothing unfinished is left");
    }

    #[test]
    fn a_damaged_file_is_unknown_and_rewritten() {
        let folder = Folder::new("damaged");
        let disk = folder.disk();
        disk.write(VERDICT, "key", b"value");
        let [path] = folder.files().try_into().expect("one file");
        let good = fs::read(&path).expect("the file");
        let flipped = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        };
        let damaged: Vec<Vec<u8>> =
            (0..good.len()).map(flipped).chain((0..good.len()).map(|n| good[..n].to_vec())).collect();
        for bytes in damaged.into_iter().chain([vec![0xff; 100], vec![b'\n'; 100], vec![b'x'; 1 << 17], Vec::new()]) {
            fs::write(&path, &bytes).expect("written");
            assert_eq!(disk.read(VERDICT, "key"), None, "{bytes:?}");
        }
        disk.write(VERDICT, "key", b"value");
        assert_eq!(fs::read(&path).expect("the file"), good);
    }

    #[test]
    fn a_file_of_another_key_is_unknown() {
        let folder = Folder::new("foreign");
        let disk = folder.disk();
        disk.write(VERDICT, "key", b"value");
        fs::rename(file(&folder.0, VERDICT, "key"), file(&folder.0, VERDICT, "other")).expect("renamed");
        assert_eq!(disk.read(VERDICT, "other"), None);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_does_no_harm() {
        let folder = Folder::new("impossible");
        fs::write(&folder.0, "a file").expect("written");
        let disk = folder.disk();
        disk.write(VERDICT, "key", b"value");
        assert_eq!(disk.read(VERDICT, "key"), None);
        fs::remove_file(&folder.0).expect("it is still a file");
        Disk(None).write(VERDICT, "key", b"value");
        assert_eq!(Disk(None).read(VERDICT, "key"), None);
    }

    #[test]
    fn a_value_has_any_bytes_and_is_of_one_kind() {
        let folder = Folder::new("bytes");
        let disk = folder.disk();
        let value: Vec<u8> = (0..=255).chain([b'\n', b'\n']).collect();
        disk.write(Compiled, "key", &value);
        assert_eq!(disk.read(Compiled, "key"), Some(value));
        assert_eq!(disk.read(VERDICT, "key"), None);
    }

    #[test]
    fn the_compiled_kernels_that_were_used_last_stay() {
        let folder = Folder::new("trimmed");
        let disk = folder.disk();
        for (age, key) in [(30, "old"), (20, "used"), (10, "new"), (40, "oldest")] {
            disk.write(Compiled, key, &[1; 1000]);
            let then = SystemTime::now() - std::time::Duration::from_secs(age);
            let path = file(&folder.0, Compiled, key);
            fs::File::options().append(true).open(path).and_then(|file| file.set_modified(then)).expect("a file");
        }
        disk.write(VERDICT, "verdict", &[1; 1000]);
        assert!(disk.read(Compiled, "used").is_some());
        trim(&folder.0, Compiled, 2500);
        let is_there = |key| disk.read(Compiled, key).is_some();
        assert_eq!(["oldest", "old", "used", "new"].map(is_there), [false, false, true, true]);
        assert!(disk.read(VERDICT, "verdict").is_some());
    }

    #[test]
    fn the_environment_names_the_folder() {
        let of = |set: &[(&str, &str)]| {
            let set: Vec<(String, PathBuf)> =
                set.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
            folder(|name| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()))
        };
        assert_eq!(of(&[(VARIABLE, "/there"), ("HOME", "/home")]), Some("/there".into()));
        assert_eq!(of(&[(VARIABLE, "off"), ("HOME", "/home")]), None);
        assert_eq!(of(&[]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(of(&[("HOME", "/home")]), Some("/home/.cache/samebits".into()));
            assert_eq!(of(&[("HOME", "/home"), ("XDG_CACHE_HOME", "/c")]), Some("/c/samebits".into()));
            assert_eq!(of(&[("HOME", "/home"), ("XDG_CACHE_HOME", "c")]), Some("/home/.cache/samebits".into()));
        }
    }
}
