//! Compiled kernels on disk: a second program finds them, and nothing that lies there does harm.

mod devices;

use devices::drivers;
use samebits::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

/// Says that this process is one of those that a test starts.
const CHILD: &str = "SAMEBITS_TEST_DISK";

#[kernel(workgroup_size(64))]
fn powers(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < y.len() {
        y[i] = x[i].wrapping_pow(5) ^ 0x1234;
    }
}

/// What each program does.
fn work() {
    let x: Vec<u32> = (0..1000).collect();
    for device in drivers() {
        let (input, mut y) = (device.upload(&x).unwrap(), device.zeros::<u32>(1000).unwrap());
        powers::launch(&device, 1000, &input, &mut y).unwrap();
        let expected: Vec<u32> = x.iter().map(|x| x.wrapping_pow(5) ^ 0x1234).collect();
        assert_eq!(y.read().unwrap(), expected, "on {}", device.name());
    }
}

/// Runs the work in a program of its own, with this folder.
fn program(folder: &Path) {
    let test = "compiled_kernels_are_found_again_and_damaged_ones_are_replaced";
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test])
        .env(CHILD, "1")
        .env("SAMEBITS_CACHE", folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The compiled kernels in a folder, with their bytes.
fn compiled(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).map(|entries| entries.map(|entry| entry.unwrap().path()).collect());
    let mut paths: Vec<PathBuf> = entries.unwrap_or_default();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

#[test]
fn compiled_kernels_are_found_again_and_damaged_ones_are_replaced() {
    if env::var_os(CHILD).is_some() {
        return work();
    }
    if drivers().next().is_none() {
        return;
    }
    let folder = env::temp_dir().join(format!("samebits-compiled-{}", process::id()));
    let _ = fs::remove_dir_all(&folder);
    program(&folder);
    let first = compiled(&folder);
    // A driver that gives nothing to keep is as good as one that is not asked.
    if first.is_empty() {
        eprintln!("SKIPPED: no driver here gives what it has compiled");
    }
    program(&folder);
    assert_eq!(compiled(&folder), first);
    for (path, bytes) in &first {
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
    program(&folder);
    assert_eq!(compiled(&folder).len(), first.len());
    assert!(compiled(&folder).iter().zip(&first).all(|(now, then)| now.1.len() > then.1.len() / 2));
    fs::remove_dir_all(&folder).unwrap();
}
