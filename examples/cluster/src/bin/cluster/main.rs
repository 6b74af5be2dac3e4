//! The command: runs one of the programs on the ranks that `mpirun` started, and writes the result of rank 0.
//!
//! `mpirun -n 4 cluster wave 640 400 100 wave.f32`

use mpi::Threading;
use mpi::traits::Communicator;
use samebits_cluster::ranks::Ranks;
use samebits_cluster::{bodies, product, wave};
use std::error::Error;
use std::process::ExitCode;

const HELP: &str = "
usage: cluster wave WIDTH HEIGHT STEPS [FILE]
       cluster bodies COUNT STEPS [FILE]
       cluster product ROWS INNER COLUMNS [FILE]

Computes on all ranks, and writes the numbers to FILE: `f32` in four bytes each, the low one first.

SAMEBITS_DEVICE picks the device of a rank: cpu, wgpu, or a part of a device's name.";

/// What is to be computed.
#[derive(Clone, Copy)]
enum Work {
    Wave { width: usize, height: usize, steps: usize },
    Bodies { count: usize, steps: usize },
    Product { rows: usize, inner: usize, columns: usize },
}

/// The work, and the file for its result; nothing if that is not what the words say.
fn understood(words: &[String]) -> Option<(Work, Option<&String>)> {
    let (name, words) = words.split_first()?;
    let number = |word: &String| word.parse().ok().filter(|number| *number < 1 << 24);
    let numbers: Vec<usize> = words.iter().map_while(number).collect();
    let work = match (name.as_str(), &numbers[..]) {
        ("wave", &[width, height, steps]) => Work::Wave { width, height, steps },
        ("bodies", &[count, steps]) => Work::Bodies { count, steps },
        ("product", &[rows, inner, columns]) => Work::Product { rows, inner, columns },
        _ => return None,
    };
    match &words[numbers.len()..] {
        [] => Some((work, None)),
        [file] => Some((work, Some(file))),
        _ => None,
    }
}

fn run(ranks: &Ranks, work: Work, file: Option<&String>) -> Result<(), Box<dyn Error>> {
    let device = ranks.device()?;
    let way = device.report().instructions().map_or_else(String::new, |instructions| format!(", {instructions}"));
    eprintln!("rank {} on {}{way}", ranks.rank(), device.name());
    let result = match work {
        Work::Wave { width, height, steps } => wave::run(ranks, &device, (width, height), steps),
        Work::Bodies { count, steps } => bodies::run(ranks, &device, count, steps),
        Work::Product { rows, inner, columns } => product::run(ranks, &device, (rows, inner, columns)),
    }?;
    if let (Some(numbers), Some(file)) = (result, file) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        std::fs::write(file, bytes).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    // Threads of samebits compute, and this one alone sends messages.
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI is in use already");
        return ExitCode::FAILURE;
    };
    let ranks = Ranks::new(universe.world());
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((work, file)) = understood(&words) else {
        if universe.world().rank() == 0 {
            eprintln!("{}", HELP.trim());
        }
        return ExitCode::from(2);
    };
    if let Err(error) = run(&ranks, work, file) {
        eprintln!("error: rank {}: {error}", ranks.rank());
        ranks.abort();
    }
    ExitCode::SUCCESS
}
