//! Random kernels.

use samebits_tests::random::{compare, generate};

#[test]
fn passes_keep_the_bytes_of_random_kernels() {
    let count = std::env::var("SAMEBITS_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut bad = 0;
    let mut steps = Vec::new();
    for seed in 0..count {
        match compare::compare(&generate(seed)) {
            Err(finding) => {
                println!("seed {seed}: {finding}");
                bad += 1;
                if bad > 10 {
                    break;
                }
            }
            Ok(n) => steps.push(n),
        }
    }
    steps.sort();
    println!(
        "steps: median {}, 90% {}, most {}",
        steps[steps.len() / 2],
        steps[steps.len() * 9 / 10],
        steps[steps.len() - 1]
    );
    assert_eq!(bad, 0);
}

#[test]
fn random_kernels_have_no_race() {
    use samebits_ir::interp::Schedule;
    for seed in 0..400 {
        let kernel = generate(seed);
        let checked = compare::accept(&kernel).expect("accepted");
        let (expected, _) = compare::run(&checked, kernel.index(), &kernel.launch).expect("runs");
        for schedule in [Schedule::Reversed, Schedule::Random(seed), Schedule::Random(seed + 1)] {
            match compare::judge(&checked, kernel.index(), &kernel.launch, schedule) {
                Err(w) => println!("seed {seed}: {w}"),
                Ok(m) => {
                    if let Some(d) = compare::differs(&expected, &m) {
                        println!("seed {seed}: {d}")
                    }
                }
            }
        }
    }
}
#[test]
fn counted() {
    let mut t = samebits_tests::random::count::Tally::default();
    for seed in 0..2000 {
        t.add(&generate(seed));
    }
    println!(
        "{}",
        t.table().lines().filter(|l| !l.contains("op ") || l.split(' ').count() < 2).collect::<Vec<_>>().join("\n")
    );
    println!("{:?}", t.rare(30));
    println!("{:?}", t.missing_types());
}
#[test]
fn hunted() {
    for found in samebits_tests::random::faults::hunt(2000) {
        println!("{:?} {} {}: {}", found.seed, found.planted, found.fault.family, found.fault.name);
    }
}
#[test]
fn shrunk() {
    use samebits_tests::filetest;
    use samebits_tests::random::{
        Kernel,
        faults::{self, FAULTS},
        shrink,
    };
    for (name, seed) in
        [("x / x is 1", 1u64), ("a bound goes", 0), ("a store moves over a barrier", 0), ("an early return goes on", 0)]
    {
        let fault = FAULTS.iter().find(|f| f.name == name).unwrap();
        let shows = |k: &Kernel| {
            let Ok(c) = compare::accept(k) else { return false };
            let Ok((e, _)) = compare::run(&c, k.index(), &k.launch) else { return false };
            faults::shows(fault, k, &c, &e) == Some(true)
        };
        let kernel = (seed..2000).map(generate).find(shows).unwrap();
        let start = std::time::Instant::now();
        let small = shrink::shrink(&kernel, &shows);
        let file = shrink::file(&small, name);
        println!("{:?} {}", start.elapsed(), file);
        let after = compare::After::all();
        let engines: Vec<&dyn filetest::Engine> = after.iter().map(|e| e as &dyn filetest::Engine).collect();
        println!("{:?}", filetest::test("x", &file, &engines));
    }
}
