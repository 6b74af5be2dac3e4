//! Where the judge says that something is, and what it calls the memory: the line of the
//! access itself, in whatever helper and file it stands, the calls that lead there, and the
//! names that the source has.

use samebits::judge::{Place, Schedule};
use samebits::prelude::*;

#[path = "places/far.rs"]
mod far;
use far::{far_store, take};

const FAR: &str = "runtime/tests/places/far.rs";

fn here(line: u32, column: u32) -> Place {
    Place { file: file!(), line, column }
}

/// What the judge has to say about a launch on eight numbers that count up, as it is shown.
fn findings(launch: impl Fn(&Device, &mut Buffer<u32>) -> Result<(), Error>) -> Vec<String> {
    let device = Device::judge(Schedule::Forward);
    let mut y = device.upload(&(0..8).collect::<Vec<u32>>()).unwrap();
    let _ = launch(&device, &mut y);
    device.findings().iter().map(ToString::to_string).collect()
}

const BUMP: u32 = line!() + 3;
#[device]
fn bump(y: &mut [u32], at: usize) {
    let old = unsafe { y[at] };
    unsafe { y[at] = old + 1 };
}

const BUMP_TWICE: u32 = line!() + 3;
#[device]
fn bump_twice(y: &mut [u32], at: usize) {
    bump(y, at);
    bump(y, at);
}

const BUMPS: u32 = line!() + 3;
#[kernel(workgroup_size(2))]
fn bumps(y: &mut [u32]) {
    bump_twice(y, 3);
}

#[test]
fn a_race_in_a_helper_is_in_the_helper_and_every_call_is_named() {
    let shown = findings(|device, y| bumps::launch(device, 2, y));
    let call = |which: u32| {
        format!(
            "\n  note: in `bump`, which is called here\n  --> {}\n  note: in `bump_twice`, which is called here\n  --> {}",
            here(BUMP_TWICE + which, 5),
            here(BUMPS, 5)
        )
    };
    // The invocation that comes first does all of its own before the other one loads.
    let first = shown
        .iter()
        .find(|one| one.contains(&format!("loads, and nothing orders the two\n  --> {}{}", here(BUMP, 24), call(0))));
    let first = first.unwrap_or_else(|| panic!("{shown:#?}"));
    let stores = "\n  note: invocation (0, 0, 0) stores here\n  --> ";
    assert!(first.ends_with(&format!("{stores}{}{}", here(BUMP + 1, 14), call(1))), "{first}");
    let lines: Vec<&String> = shown.iter().filter(|one| one.contains("race on `y[3]`")).collect();
    assert_eq!(lines.len(), shown.len(), "{shown:#?}");
}

const FAR_STORES: u32 = line!() + 3;
#[kernel(workgroup_size(2))]
fn far_stores(y: &mut [u32]) {
    far_store(y, 1);
    far_store(y, 2);
}

#[test]
fn a_helper_of_another_file_is_shown_in_that_file() {
    let shown = findings(|device, y| far_stores::launch(device, 2, y));
    assert!(!shown.is_empty());
    for (i, one) in shown.iter().enumerate() {
        assert_eq!(one.matches(&format!("\n  --> {FAR}:8:14")).count(), 2, "{one}");
        assert!(one.contains(&here(FAR_STORES + u32::from(i > 0), 5).to_string()), "{one}");
    }
}

const TAKES: u32 = line!() + 3;
#[kernel(workgroup_size(1))]
fn takes(lock: &[Atomic<u32>]) {
    take(lock);
}

#[test]
fn a_lock_that_a_helper_waits_for_is_shown_there() {
    let device = Device::judge(Schedule::Forward);
    let mut lock = device.zeros::<u32>(1).unwrap();
    let error = takes::launch(&device, 2, &mut lock).unwrap_err().to_string();
    let expected = format!("\n  --> {FAR}:14:11\n  note: in `take`, which is called here\n  --> {}", here(TAKES, 5));
    assert!(error.contains(&expected), "{error}");
}

#[derive(Clone, Copy, Element)]
#[element(methods)]
#[repr(C)]
struct Cell(u32);

const STORE: u32 = line!() + 4;
#[device]
impl Cell {
    fn store(&self, y: &mut [u32]) {
        y[9] = self.0;
    }
}

const STORES: u32 = line!() + 4;
#[kernel(workgroup_size(1))]
fn stores(y: &mut [u32]) {
    let cell = Cell(1);
    cell.store(y);
    let mut put = |at: usize| y[at + 20] = 1;
    put(0);
}

#[test]
fn a_method_and_a_closure_have_places_of_their_own() {
    let shown = findings(|device, y| stores::launch(device, 1, y));
    let [method, closure] = &shown[..] else { panic!("{shown:#?}") };
    let calls = format!(
        "\n  --> {}\n  note: in `Cell::store`, which is called here\n  --> {}",
        here(STORE, 9),
        here(STORES, 5)
    );
    assert!(method.contains("stores `y[9]`") && method.ends_with(&calls), "{method}");
    assert!(
        closure.contains("stores `y[20]`") && closure.ends_with(&format!("\n  --> {}", here(STORES + 1, 31))),
        "{closure}"
    );
}

#[device]
const TABLE: [u32; 3] = [5, 6, 7];

#[device]
fn squares(n: u32) -> [u32; 2] {
    [n, n * n]
}

#[kernel(workgroup_size(1))]
fn far_too_far(y: &mut [u32]) {
    const LOCAL: [u32; 2] = [1, 2];
    let n = y[7] as usize;
    let mut own = [0u32; 4];
    own[n] = 1;
    let mut sum = TABLE[n] + LOCAL[n] + [1u32, 2, 3][n] + squares(3)[n];
    sum += own[n + 1];
    y[0] = sum;
}

#[test]
fn memory_is_called_as_the_source_calls_it() {
    let shown = findings(|device, y| far_too_far::launch(device, 1, y));
    let named: Vec<&str> = shown.iter().filter_map(|one| one.lines().next()?.split('`').nth(3)).collect();
    assert_eq!(named, ["own[7]", "TABLE[7]", "LOCAL[7]", "[1u32,2,3][7]", "squares(3)[7]", "own[8]"], "{shown:#?}");
}

const REPORTED: u32 = line!() + 3;
#[kernel(workgroup_size(1))]
fn reported(y: &mut [u32]) {
    bump(y, unsafe { y[0] } as usize);
}

#[test]
fn a_report_names_the_helper_and_the_call() {
    let report = reported::KERNEL.report().unwrap().to_string();
    let place = format!("--> {}, in `bump`, called at {}", here(BUMP, 24), here(REPORTED, 5));
    assert!(report.contains(&place), "{report}");
}
