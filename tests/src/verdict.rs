//! A verdict on a device, for its owner to share: what the device is, whether its bits are right, and how fast it is.
//!
//! What is compared is what the conformance tests and the random tests compare. Speed is measured and not judged.

use crate::conform::{self, Tally, atomics, compound, subgroups};
use crate::engines::OnDevice;
use crate::random::compare;
use crate::random::generate;
use samebits::prelude::*;
use samebits_ir::ops::{AtomicOp, Op, SubgroupOp};
use std::time::Instant;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Random tuples of each op and type, beside the edges.
    pub tuples: usize,
    /// Random kernels.
    pub kernels: u64,
}

/// What was found out about a device.
#[derive(Debug)]
pub struct Verdict {
    /// All of it, to be shared.
    pub text: String,
    /// Whether every result was right.
    pub conforms: bool,
}

/// At most so many faults of a kind are shown.
const SHOWN: usize = 10;

/// What was compared of one kind.
struct Part {
    what: &'static str,
    compared: u64,
    faults: Vec<String>,
}

impl Part {
    fn of(what: &'static str, tally: &Tally, names: &[&str]) -> Self {
        let faults = tally.verdict(names).err().into_iter();
        Self {
            what,
            compared: tally.comparisons,
            faults: faults.flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).collect(),
        }
    }
}

#[kernel(workgroup_size(256), requires(y.len() == x.len()))]
fn copy(x: &[u32], y: &mut [u32]) {
    let i = global_id().x;
    if i < x.len() {
        y[i] = x[i];
    }
}

/// A chain of sums and products, which no device can shorten.
#[kernel(workgroup_size(256))]
fn chain(y: &mut [f32]) {
    let i = global_id().x;
    if i < y.len() {
        let mut x = y[i];
        #[unroll(4)]
        for _ in 0..256 {
            x = x * 0.999 + 0.001;
        }
        y[i] = x;
    }
}

/// The seconds of the quickest of some runs, after one that does not count.
fn quickest(device: &Device, mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    run()?;
    device.wait()?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        run()?;
        device.wait()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// How fast the device is, a line for each kernel.
fn speed(device: &Device, elements: usize) -> Result<Vec<String>, Error> {
    let x = device.zeros::<u32>(elements)?;
    let mut y = device.zeros::<u32>(elements)?;
    let seconds = quickest(device, || copy::launch(device, elements, &x, &mut y))?;
    let gigabytes = 8.0 * elements as f64 / seconds / 1e9;
    let mut z = device.zeros::<f32>(elements)?;
    let chained = quickest(device, || chain::launch(device, elements, &mut z))?;
    let gigaflops = 512.0 * elements as f64 / chained / 1e9;
    Ok(vec![
        format!("copy of {elements} words: {:.3} ms, {gigabytes:.1} GB/s", 1e3 * seconds),
        format!("chain of 256 products and sums of f32: {:.3} ms, {gigaflops:.1} GFLOP/s", 1e3 * chained),
    ])
}

/// The verdict from what was compared.
fn conclude(device: &str, parts: &[Part], speed: &[String]) -> Verdict {
    let mut text = format!("samebits {}\n{device}\n", env!("CARGO_PKG_VERSION"));
    let mut conforms = true;
    for Part { what, compared, faults } in parts {
        conforms &= faults.is_empty() && *compared > 0;
        let outcome = match (faults.len(), compared) {
            (0, 0) => "nothing was compared".to_owned(),
            (0, _) => format!("{compared} results, all right"),
            (wrong, _) => format!("{compared} results, {wrong} faults"),
        };
        text += &format!("  {what}: {outcome}\n");
        faults.iter().take(SHOWN).for_each(|fault| text += &format!("    {fault}\n"));
        if faults.len() > SHOWN {
            text += &format!("    and {} more\n", faults.len() - SHOWN);
        }
    }
    speed.iter().for_each(|line| text += &format!("  {line}\n"));
    text += if conforms { "verdict: every result has the right bits\n" } else { "verdict: there are wrong results\n" };
    Verdict { text, conforms }
}

/// Tries a device. `say` is told what is tried next.
///
/// # Errors
///
/// An error of the device while its speed is measured. Errors of what is compared are faults.
pub fn of(device: &Device, effort: Effort, say: impl Fn(&str)) -> Result<Verdict, Error> {
    let tally = |try_out: &dyn Fn(&mut Tally)| {
        let mut tally = Tally::new(device.name());
        try_out(&mut tally);
        tally
    };
    let mut parts = Vec::new();
    say("ops");
    let names: Vec<&str> = Op::ALL.iter().map(|op| op.info().name).collect();
    let ops = tally(&|tally| conform::run(device, &conform::cases(), effort.tuples, tally));
    parts.push(Part::of("ops", &ops, &names));
    say("atomics");
    let names: Vec<&str> = AtomicOp::ALL.iter().map(|op| op.name()).collect();
    parts.push(Part::of("atomics", &tally(&|tally| atomics::run(device, &atomics::cases(), tally)), &names));
    say("subgroups");
    let names: Vec<&str> = SubgroupOp::ALL.iter().map(|op| op.name()).collect();
    parts.push(Part::of("subgroups", &tally(&|tally| subgroups::run(device, &subgroups::cases(), tally)), &names));
    say("expressions");
    parts.push(Part::of("expressions", &tally(&|tally| compound::run(device, tally)), &["expressions"]));
    say("random kernels");
    let engine = OnDevice(device.clone());
    let mut random = Part { what: "random kernels", compared: 0, faults: Vec::new() };
    for seed in 0..effort.kernels {
        match compare::compare_on(&generate(seed), &engine) {
            Ok(true) => random.compared += 1,
            // It needs what the device lacks.
            Ok(false) => {}
            Err(finding) => random.faults.push(format!("kernel {seed}: {finding}")),
        }
    }
    parts.push(random);
    say("speed");
    // Large enough for a GPU to be busy, and small enough for the interpreter.
    let elements = if device.is_gpu() { 1 << 24 } else { 1 << 20 };
    Ok(conclude(&device.report().to_string(), &parts, &speed(device, elements)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(compared: u64, faults: &[&str]) -> Part {
        Part { what: "ops", compared, faults: faults.iter().map(|&fault| fault.to_owned()).collect() }
    }

    #[test]
    fn a_device_without_faults_conforms() {
        let verdict = conclude("a device", &[part(5, &[])], &["fast".to_owned()]);
        assert!(verdict.conforms);
        let text = verdict.text.split_once('\n').expect("a first line").1;
        assert_eq!(text, "a device\n  ops: 5 results, all right\n  fast\nverdict: every result has the right bits\n");
    }

    #[test]
    fn one_fault_is_enough_and_few_are_shown() {
        let faults = ["wrong"; 12];
        let verdict = conclude("a device", &[part(5, &[]), part(7, &faults)], &[]);
        assert!(
            !verdict.conforms && verdict.text.contains("7 results, 12 faults") && verdict.text.contains("and 2 more")
        );
        assert_eq!(verdict.text.matches("    wrong\n").count(), 10);
    }

    #[test]
    fn who_compares_nothing_does_not_conform() {
        assert!(!conclude("a device", &[part(0, &[])], &[]).conforms);
    }

    #[test]
    fn a_mismatch_of_a_tally_is_a_fault() {
        let mut tally = Tally::new("a device");
        tally.count("add", None, 3);
        assert!(Part::of("ops", &tally, &["add"]).faults.is_empty());
        tally.wrong("1 + 1 is 3".to_owned());
        assert_eq!(Part::of("ops", &tally, &["add", "sub"]).faults, ["1 + 1 is 3", "nothing was compared of `sub`"]);
    }

    #[test]
    fn speed_is_measured_of_each_kernel() {
        let lines = speed(&Device::interpreter(), 1000).expect("lines");
        assert!(lines.len() == 2 && lines[0].starts_with("copy of 1000 words: "), "{lines:?}");
    }
}
