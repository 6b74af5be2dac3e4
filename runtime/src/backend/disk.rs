//! What is kept on disk from one program to the next: what probes have found out about devices.
//!
//! A file holds one value and the key that it is for. What is missing, damaged or of another key
//! counts as unknown, and is written anew. Nothing here fails: without a folder that can be written
//! to, values are found out each time.

use std::env;
use std::fs;
use std::hash::Hasher;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that names the folder, or switches it off.
const VARIABLE: &str = "SAMEBITS_CACHE";
/// The first line of a file; it changes with the form of the file.
const FIRST_LINE: &str = "samebits cache 1";
/// The most bytes of a file.
const MOST: u64 = 1 << 16;

/// A folder of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Disk(Option<PathBuf>);

impl Disk {
    /// The folder that the environment names, or the platform's.
    pub fn of_environment() -> Self {
        Self(folder(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)))
    }

    /// The value of a key, if it is known. Neither has line breaks.
    pub fn read(&self, key: &str) -> Option<String> {
        let mut text = String::new();
        fs::File::open(file(self.0.as_deref()?, key)).ok()?.take(MOST).read_to_string(&mut text).ok()?;
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        if sum != digest(body.as_bytes()) {
            return None;
        }
        let mut lines = body.split('\n');
        let value = (lines.next() == Some(FIRST_LINE) && lines.next() == Some(key)).then(|| lines.next())??;
        lines.next().is_none().then(|| value.to_owned())
    }

    /// Keeps the value of a key. Another program that reads meanwhile sees the whole value or none.
    pub fn write(&self, key: &str, value: &str) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(folder) = &self.0 else { return };
        let body = format!("{FIRST_LINE}\n{key}\n{value}");
        let text = format!("{body}\n{}\n", digest(body.as_bytes()));
        let path = file(folder, key);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let unfinished = path.with_extension(format!("{}-{number}", process::id()));
        // A value that cannot be kept is found out again.
        let written = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&unfinished, text))
            .and_then(|()| fs::rename(&unfinished, &path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
    }
}

/// The file of a key.
fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{}.txt", digest(key.as_bytes())))
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

/// A number that two different texts hardly ever share, the same on every machine.
fn digest(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.write(bytes);
    format!("{:016x}", digest.finish())
}

/// FNV-1a.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

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
        assert_eq!(disk.read("a device"), None);
        disk.write("a device", "1 2 3");
        disk.write("another", "");
        assert_eq!(disk.read("a device").as_deref(), Some("1 2 3"));
        assert_eq!(disk.read("another").as_deref(), Some(""));
        disk.write("a device", "4");
        assert_eq!(disk.read("a device").as_deref(), Some("4"));
        assert_eq!(folder.files().len(), 2, "nothing unfinished is left");
    }

    #[test]
    fn a_damaged_file_is_unknown_and_rewritten() {
        let folder = Folder::new("damaged");
        let disk = folder.disk();
        disk.write("key", "value");
        let [path] = folder.files().try_into().expect("one file");
        let good = fs::read(&path).expect("the file");
        let flipped = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            bytes
        };
        let damaged: Vec<Vec<u8>> =
            (0..good.len()).map(flipped).chain((0..good.len()).map(|n| good[..n].to_vec())).collect();
        for bytes in damaged.into_iter().chain([vec![0xff; 100], vec![b'\n'; 100], vec![b'x'; 1 << 17]]) {
            fs::write(&path, &bytes).expect("written");
            assert_eq!(disk.read("key"), None, "{bytes:?}");
        }
        disk.write("key", "value");
        assert_eq!(fs::read(&path).expect("the file"), good);
    }

    #[test]
    fn a_file_of_another_key_is_unknown() {
        let folder = Folder::new("foreign");
        let disk = folder.disk();
        disk.write("key", "value");
        fs::rename(file(&folder.0, "key"), file(&folder.0, "other")).expect("renamed");
        assert_eq!(disk.read("other"), None);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_does_no_harm() {
        let folder = Folder::new("impossible");
        fs::write(&folder.0, "a file").expect("written");
        let disk = folder.disk();
        disk.write("key", "value");
        assert_eq!(disk.read("key"), None);
        fs::remove_file(&folder.0).expect("it is still a file");
        Disk(None).write("key", "value");
        assert_eq!(Disk(None).read("key"), None);
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
