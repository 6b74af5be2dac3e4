//! Every device gives the bits of native Rust; `src/conform` says how that is tested.

use samebits::prelude::*;
use samebits_ir::ops::Op;
use samebits_tests::conform::{AfterPasses, Machine, Tally, cases, run, table};
use samebits_tests::engines::{devices, say};

/// Random tuples of each op and type.
const RANDOM: usize = 10_000;

#[test]
fn every_op_gives_the_bits_of_native_rust() {
    let cases = cases();
    let mut machines: Vec<Box<dyn Machine + Send + Sync>> = vec![Box::new(AfterPasses::new(Device::interpreter()))];
    machines.extend(devices().into_iter().map(|device| Box::new(device) as Box<dyn Machine + Send + Sync>));
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let work = |machine: &dyn Machine| {
            let mut tally = Tally::new(machine.name());
            run(machine, &cases, RANDOM, &mut tally);
            tally
        };
        let threads: Vec<_> = machines.iter().map(|machine| scope.spawn(move || work(&**machine))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a tally")).collect()
    });
    say(&table(&tallies));
    let ops: Vec<&str> = Op::ALL.iter().map(|op| op.info().name).collect();
    let faults: Vec<String> = tallies.iter().filter_map(|tally| tally.verdict(&ops).err()).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
