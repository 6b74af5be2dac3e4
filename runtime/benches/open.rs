//! What a start costs: opening a device and a first result, in processes of their own, beside wgpu by hand.
//!
//! `cargo bench -p samebits --bench open [-- DEVICE]`. A cold process finds nothing that an earlier one has kept; a
//! warm one finds verdicts and compiled kernels. The driver's own cache is left as it is. Medians of the rounds count.
#![allow(missing_docs)]

#[path = "../tests/raw/mod.rs"]
#[allow(dead_code, reason = "a start waits by reading")]
mod raw;

use raw::Raw;
use samebits::prelude::*;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

#[kernel(workgroup_size(64))]
fn multiply(a: &[u32], out: &mut [u32], factor: u32) {
    let i = global_id().x;
    if i < out.len() {
        out[i] = a[i] * factor;
    }
}

const LEN: u32 = 64;
const ROUNDS: usize = 7;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["typed", device] => typed(device),
        ["raw", device] => by_hand(device),
        [device] => compare(device),
        _ => compare("wgpu"),
    }
}

/// A child: opens the device and computes.
fn typed(wanted: &str) {
    let begin = Instant::now();
    let device = Device::named(wanted).expect("the parent has opened it");
    let open = begin.elapsed();
    let a = device.upload(&[3u32; LEN as usize]).expect("upload");
    let mut out = device.zeros::<u32>(LEN as usize).expect("memory");
    multiply::launch(&device, LEN as usize, &a, &mut out, 7).expect("launch");
    assert_eq!(out.read().expect("read"), [21; LEN as usize]);
    println!("{} {}", open.as_micros(), begin.elapsed().as_micros());
}

/// The same by wgpu.
fn by_hand(adapter: &str) {
    let begin = Instant::now();
    let mut raw = Raw::new(adapter, multiply::KERNEL, LEN);
    let open = begin.elapsed();
    raw.write(&[3; LEN as usize]);
    raw.launch(7);
    assert_eq!(raw.read(), [21; LEN as usize]);
    println!("{} {}", open.as_micros(), begin.elapsed().as_micros());
}

fn compare(wanted: &str) {
    let device = match Device::named(wanted) {
        Ok(device) => device,
        Err(error) => return println!("nothing to measure: {error}"),
    };
    let folder = std::env::temp_dir().join(format!("samebits-open-{}", std::process::id()));
    println!("starts on {}, in ms; medians of {ROUNDS} processes", device.name());
    println!("{:32}{:>12}{:>16}", "", "open", "first result");
    let mut rows: [(&str, Vec<[f64; 2]>); 3] =
        [("cold", Vec::new()), ("warm", Vec::new()), ("wgpu by hand, pipeline included", Vec::new())];
    for _ in 0..ROUNDS {
        let _ = std::fs::remove_dir_all(&folder);
        rows[0].1.push(child("typed", wanted, &folder));
        rows[1].1.push(child("typed", wanted, &folder));
        rows[2].1.push(child("raw", device.name(), &folder));
    }
    let _ = std::fs::remove_dir_all(&folder);
    for (name, times) in rows {
        let [open, first] = [0, 1].map(|which| {
            let mut all: Vec<f64> = times.iter().map(|time| time[which] / 1e3).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() / 2]
        });
        println!("{name:32}{open:>12.1}{first:>16.1}");
    }
}

/// What a child measures, in microseconds.
fn child(how: &str, device: &str, folder: &Path) -> [f64; 2] {
    let own = std::env::current_exe().expect("the bench's own path");
    let out = Command::new(own).args([how, device]).env("SAMEBITS_CACHE", folder).output().expect("a child");
    let text = String::from_utf8_lossy(&out.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [open, first] => [open, first],
        _ => panic!("{how} on {device}: {}", String::from_utf8_lossy(&out.stderr)),
    }
}
