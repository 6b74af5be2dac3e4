//! A tree in a folder of its own, for tests that plant a fault and see a gate find it.

use crate::tidy;
use std::fs;
use std::path::{Path, PathBuf};

/// A tree in a folder of its own that goes away with it.
pub struct Tree(PathBuf);

impl Tree {
    /// An empty tree. No two tests of a process may give it the same name.
    ///
    /// # Panics
    ///
    /// If the folder cannot be made.
    pub fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("samebits-tidy-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// The tree's root.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// Writes a file.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn put(&self, path: &str, text: &str) -> &Self {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Copies files of the real tree.
    ///
    /// # Panics
    ///
    /// If one is not there.
    pub fn copy(&self, paths: impl IntoIterator<Item = String>) -> &Self {
        for path in paths {
            self.put(&path, &fs::read_to_string(tidy::root().join(&path)).unwrap());
        }
        self
    }

    /// Demands that a gate finds these faults, in this order, and no others.
    ///
    /// # Panics
    ///
    /// If it does not.
    #[track_caller]
    pub fn finds(&self, gate: fn(&Path) -> Vec<String>, expected: &[&str]) {
        let faults = gate(&self.0);
        assert_eq!(faults.len(), expected.len(), "{faults:#?}");
        for (fault, expected) in faults.iter().zip(expected) {
            assert!(fault.contains(expected), "{fault}");
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
