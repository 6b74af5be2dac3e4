//! scratch
use samebits_ir::check::{Mistake, check, check_mistaken};
use samebits_tests::random::barriers::{self, Outcome, generate};
use std::collections::BTreeMap;

#[test]
fn scratch() {
    let n: u64 = std::env::var("SAMEBITS_RANDOM").ok().map_or(1500, |t| t.parse().unwrap());
    let start: u64 = std::env::var("START").ok().map_or(0, |t| t.parse().unwrap());
    let show: usize = std::env::var("SHOW").ok().map_or(3, |t| t.parse().unwrap());
    let only = std::env::var("ONLY").ok();
    let (mut acc, mut refused, mut harmless, mut unsound, mut invalid, mut failed) = (0, 0, 0, 0, 0, 0);
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown = 0;
    for seed in start..start + n {
        let case = generate(seed);
        match check(case.module.clone()) {
            Ok(checked) => {
                acc += 1;
                match barriers::judge(&checked, &case) {
                    Outcome::Parted => {
                        unsound += 1;
                        if unsound <= show && only.is_none() {
                            println!("UNSOUND {seed}\n{}", case.text);
                        }
                    }
                    Outcome::Together => {}
                    o => {
                        failed += 1;
                        println!("{seed} {o:?}");
                    }
                }
            }
            Err(diags) => {
                let Ok(all) = check_mistaken(case.module.clone(), Mistake::NothingRefused) else {
                    invalid += 1;
                    if invalid < 3 {
                        println!("INVALID {}\n{}", samebits_ir::diag::render(&diags, "k", &case.text), case.text);
                    }
                    continue;
                };
                refused += 1;
                match barriers::judge(&all, &case) {
                    Outcome::Together => {
                        harmless += 1;
                        let d = &diags.as_slice()[0];
                        let reach = if barriers::is_reached(&case, d.loc) { "all" } else { "none" };
                        let kind = format!(
                            "{reach} reach: {}",
                            d.labels
                                .iter()
                                .filter(|l| !l.1.contains("through this call"))
                                .last()
                                .map_or("-", |l| l.1.as_str())
                        );
                        *kinds.entry(kind.clone()).or_default() += 1;
                        if only.as_ref().is_some_and(|o| kind.contains(o.as_str())) && shown < show {
                            shown += 1;
                            println!(
                                "HARMLESS {seed} {kind}\n{}\n{}",
                                samebits_ir::diag::render(&diags, "k", &case.text),
                                case.text
                            );
                        }
                    }
                    Outcome::Parted => {}
                    o => {
                        failed += 1;
                        println!("{seed} {o:?}");
                    }
                }
            }
        }
    }
    println!(
        "accepted {acc} refused {refused} harmless {harmless} ({:.2}%) unsound {unsound} invalid {invalid} failed {failed}",
        100.0 * harmless as f64 / refused as f64
    );
    for (k, n) in kinds {
        println!("{n:6} {k}");
    }
}
