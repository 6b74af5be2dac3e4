//! Mutated texts and bytes through the whole compiler: none panics, hangs or breaks a law.
//!
//! A short run of [`INPUTS`] with a fixed seed is part of every test. `SAMEBITS_MUTATION=MINUTES`
//! makes it a long one with a seed from the clock, which is printed; what it finds is written
//! to the folder for temporary files and belongs, made small, into `tests/corpus`.

use samebits_tests::clock::thread_time;
use samebits_tests::mutate::{Mutator, Reached, bytes, corpus, text};
use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// Inputs of each kind in a short run.
const INPUTS: usize = 5_000;

/// An input that computes longer has found something: the largest take milliseconds.
const SLOWEST: Duration = Duration::from_secs(5);

/// When a run ends.
enum End {
    After(usize),
    At(Instant),
}

/// How far to go on, and the seed.
fn plan() -> (End, u64) {
    let minutes = std::env::var("SAMEBITS_MUTATION").ok().and_then(|text| text.parse::<f64>().ok());
    match minutes {
        Some(minutes) => {
            let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
            (End::At(Instant::now() + Duration::from_secs_f64(minutes * 60.0)), clock)
        }
        None => (End::After(INPUTS), 1),
    }
}

/// What is wrong with an input, with panics and slowness counted in.
fn fault(
    input: &[u8],
    judge: impl Fn(&[u8]) -> Result<Reached, String> + std::panic::RefUnwindSafe,
) -> Result<Reached, String> {
    let start = thread_time();
    let outcome = catch_unwind(|| judge(input)).unwrap_or_else(|_| Err("it panics".to_owned()));
    let took = thread_time() - start;
    if took > SLOWEST { Err(format!("it takes {took:?}")) } else { outcome }
}

fn as_text(input: &[u8]) -> Result<Reached, String> {
    text(&String::from_utf8_lossy(input))
}

fn mutate(kind: &str, make: impl Fn(&mut Mutator) -> Vec<u8>, judge: fn(&[u8]) -> Result<Reached, String>) {
    let (end, seed) = plan();
    let mut mutator = Mutator::from_corpus(seed);
    let mut reached: BTreeMap<Reached, usize> = BTreeMap::new();
    let mut findings: Vec<String> = Vec::new();
    for done in 0.. {
        let is_over = match end {
            End::After(count) => done >= count,
            End::At(instant) => Instant::now() >= instant,
        };
        if is_over || findings.len() >= 20 {
            break;
        }
        let input = make(&mut mutator);
        match fault(&input, judge) {
            Ok(far) => *reached.entry(far).or_default() += 1,
            Err(what) => {
                let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{kind}-{seed}-{}", findings.len()));
                fs::write(&path, &input).expect("a finding is kept");
                findings.push(format!("{}: {what}", path.display()));
            }
        }
    }
    println!("{kind}, seed {seed}: {reached:?}");
    assert!(findings.is_empty(), "seed {seed}:\n{}", findings.join("\n"));
    assert!(reached.contains_key(&Reached::Run), "{kind}: no input came far, so the mutations test little");
}

#[test]
fn mutated_texts_break_no_law() {
    mutate("text", |mutator| mutator.text().into_bytes(), as_text);
}

#[test]
fn mutated_bytes_break_no_law() {
    mutate("wire", Mutator::wire, bytes);
}

#[test]
fn what_once_broke_a_law_does_not_any_more() {
    for (kind, judge) in [("text", as_text as fn(&[u8]) -> Result<Reached, String>), ("wire", bytes)] {
        for (path, input) in corpus(kind) {
            let outcome = fault(&input, judge);
            assert!(outcome.is_ok(), "{}: {outcome:?}", path.display());
        }
    }
}
