//! One to four ranks on different devices give the bytes of plain Rust. The ranks are started by `mpirun`.
//!
//! A test without a Vulkan device computes on this CPU instead, unless `SAMEBITS_REQUIRE_GPU=1` is set.

use samebits::prelude::*;
use samebits_cluster::{bodies, product, wave};
use std::path::Path;
use std::process::{Command, Output};

/// The devices of the ranks, for one to four of them.
const CLUSTERS: [&[&str]; 5] = [
    &["cpu"],
    &["wgpu"],
    &["interpreter", "cpu"],
    &["cpu", "wgpu", "interpreter"],
    &["wgpu", "interpreter", "cpu", "wgpu"],
];

/// Runs the command on ranks with these devices.
fn mpirun(devices: &[&str], words: &[&str]) -> Output {
    let mut command = Command::new("mpirun");
    // More ranks than processors, each of which may use all of them, and none takes time while it waits.
    command.args(["--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]);
    for (rank, device) in devices.iter().enumerate() {
        if rank > 0 {
            command.arg(":");
        }
        command.args(["-n", "1", "-x", &format!("SAMEBITS_DEVICE={device}"), env!("CARGO_BIN_EXE_cluster")]);
        command.args(words);
    }
    command.output().expect("`mpirun` of Open MPI runs")
}

/// Asserts that a program writes these numbers, to the bit, on each cluster.
fn assert_same_bits(words: &[&str], expected: &[f32]) {
    let expected: Vec<u8> = expected.iter().flat_map(|number| number.to_le_bytes()).collect();
    let has_vulkan = Device::named("wgpu").is_ok();
    let is_required = std::env::var_os("SAMEBITS_REQUIRE_GPU").is_some_and(|value| value == "1");
    assert!(has_vulkan || !is_required, "there is no Vulkan device");
    for devices in CLUSTERS {
        let devices: Vec<&str> =
            devices.iter().map(|device| if *device == "wgpu" && !has_vulkan { "cpu" } else { device }).collect();
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{}.f32", words[0], devices.join("-")));
        let _ = std::fs::remove_file(&file);
        let path = file.to_str().expect("the path is Unicode");
        let output = mpirun(&devices, &[words, &[path]].concat());
        assert!(output.status.success(), "{devices:?}: {}", String::from_utf8_lossy(&output.stderr));
        let bytes = std::fs::read(&file).expect("rank 0 writes the file");
        assert_eq!(bytes.len(), expected.len(), "{devices:?}");
        let first = bytes.chunks(4).zip(expected.chunks(4)).position(|(one, other)| one != other);
        assert_eq!(first, None, "{devices:?} differ from plain Rust first at this number");
    }
}

#[test]
fn a_wave_has_the_same_bits_on_all_clusters() {
    let (width, height, steps) = (37, 29, 23);
    let mut now: Vec<f32> = (0..width * height).map(|i| wave::start(width, height, i % width, i / width)).collect();
    let mut before = now.clone();
    for _ in 0..steps {
        let mut next = now.clone();
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                let i = y * width + x;
                let around = now[i - 1] + now[i + 1] + (now[i - width] + now[i + width]);
                next[i] = 2.0 * now[i] - before[i] + 0.25 * (around - 4.0 * now[i]);
            }
        }
        before = now;
        now = next;
    }
    assert_same_bits(&["wave", "37", "29", "23"], &now);
}

#[test]
fn bodies_have_the_same_bits_on_all_clusters() {
    let (count, steps) = (131, 5);
    let mut all: Vec<[f32; 4]> = (0..count).map(bodies::start).collect();
    let mut speeds = vec![[0.0f32; 3]; count];
    for _ in 0..steps {
        let from = all.clone();
        for (body, speed) in all.iter_mut().zip(&mut speeds) {
            let here = *body;
            let mut pull = [0.0f32; 3];
            for other in &from {
                let way = [0, 1, 2].map(|axis| other[axis] - here[axis]);
                let square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + 0.01;
                let strength = other[3] / (square * square.sqrt());
                (0..3).for_each(|axis| pull[axis] += way[axis] * strength);
            }
            for axis in 0..3 {
                speed[axis] += pull[axis] * 0.01;
                body[axis] = here[axis] + speed[axis] * 0.01;
            }
        }
    }
    assert_same_bits(&["bodies", "131", "5"], all.as_flattened());
}

/// The product, with each sum taken from the term `first` on, and from the beginning after the last.
fn multiplied((rows, inner, columns): (usize, usize, usize), first: usize) -> Vec<f32> {
    let element = |i: usize| {
        let (row, column) = (i / columns, i % columns);
        let terms = (0..inner).map(|k| (first + k) % inner);
        terms.fold(0.0, |sum, k| sum + product::left(inner, row, k) * product::right(columns, k, column))
    };
    (0..rows * columns).map(element).collect()
}

#[test]
fn a_product_has_the_same_bits_on_all_clusters() {
    assert_same_bits(&["product", "35", "53", "41"], &multiplied((35, 53, 41), 0));
}

#[test]
fn a_sum_that_begins_elsewhere_has_other_bits() {
    // So the test before would notice ranks that begin with their own rows.
    assert_ne!(multiplied((35, 53, 41), 0), multiplied((35, 53, 41), 27));
}

#[test]
fn too_many_ranks_are_refused() {
    let output = mpirun(&["cpu", "cpu", "cpu"], &["wave", "8", "2", "1"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("2 rows are too few for 3 ranks; each needs one"), "{message}");
}

#[test]
fn a_rank_without_its_device_ends_the_others() {
    let output = mpirun(&["cpu", "abacus"], &["bodies", "100", "1000000"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("error: rank 1: there is no device `abacus`"), "{message}");
}
