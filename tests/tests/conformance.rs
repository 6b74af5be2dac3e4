//! Every device gives the bits of native Rust; `src/conform` says how that is tested.

use samebits::prelude::*;
use samebits_ir::builder::Builder;
use samebits_ir::check::check;
use samebits_ir::diag::Code;
use samebits_ir::ops::{AtomicOp, Op, SubgroupOp};
use samebits_ir::types::{Scalar, Type, Types};
use samebits_tests::conform::{
    AfterPasses, Case, Job, Machine, Tally, atomics, cases, casts, compound, run, subgroups, sweep, table,
};
use samebits_tests::engines::{devices, say};

/// Random tuples of each op and type on each device.
const RANDOM: usize = 2_000;
/// Random tuples of each op and type without a device.
const SWEPT: usize = 100_000;

fn judge(what: &str, tallies: &[Tally], names: &[&str]) {
    say(&format!("{what}\n{}", table(tallies)));
    let faults: Vec<String> = tallies.iter().filter_map(|tally| tally.verdict(names).err()).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

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
    let ops: Vec<&str> = Op::ALL.iter().map(|op| op.info().name).collect();
    judge("ops", &tallies, &ops);
}

#[test]
fn every_op_evaluates_to_the_bits_of_native_rust() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.is_for_sweeps()).collect();
    // Neighbours are alike, so that each thread takes its turn.
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut total = Tally::new("eval");
    let part = |n: usize| {
        let cases: Vec<Case> = cases.iter().skip(n).step_by(threads).cloned().collect();
        let mut tally = Tally::new("eval");
        sweep::run(&cases, SWEPT, &mut tally);
        tally
    };
    std::thread::scope(|scope| {
        let part = &part;
        let parts: Vec<_> = (0..threads).map(|n| scope.spawn(move || part(n))).collect();
        parts.into_iter().for_each(|part| total.add(part.join().expect("a tally")));
    });
    let ops: Vec<&str> = Op::ALL.iter().map(|op| op.info().name).collect();
    judge("evaluation", &[total], &ops);
}

#[test]
fn atomics_take_effect_one_after_the_other() {
    let cases = atomics::cases();
    let tally = |device: &Device| {
        let mut tally = Tally::new(device.name());
        atomics::run(device, &cases, &mut tally);
        tally
    };
    let tallies: Vec<Tally> = devices().iter().map(tally).collect();
    let ops: Vec<&str> = AtomicOp::ALL.iter().map(|op| op.name()).collect();
    judge("atomics", &tallies, &ops);
}

#[test]
fn lanes_of_subgroups_get_what_plain_rust_says() {
    let cases = subgroups::cases();
    let tally = |device: &Device| {
        let mut tally = Tally::new(device.name());
        subgroups::run(device, &cases, &mut tally);
        tally
    };
    let tallies: Vec<Tally> = devices().iter().map(tally).collect();
    let ops: Vec<&str> = SubgroupOp::ALL.iter().map(|op| op.name()).collect();
    judge("subgroups", &tallies, &ops);
}

#[test]
fn expressions_are_computed_as_written() {
    let tally = |device: &Device| {
        let mut tally = Tally::new(device.name());
        compound::run(device, &mut tally);
        tally
    };
    let tallies: Vec<Tally> = devices().iter().map(tally).collect();
    judge("expressions", &tallies, &["expressions"]);
}

#[test]
fn atomics_of_workgroup_scalars_and_elements_start_at_zero_in_each_group() {
    #[kernel(workgroup_size(64))]
    fn count(out: &mut [u32]) {
        #[shared]
        let n: [Atomic<u32>; 1];
        #[shared]
        let bins: [Atomic<u32>; 4];
        n[0].fetch_add(1);
        bins[local_index() % 4].fetch_add(1);
        workgroup_barrier();
        if local_index() == 0 {
            let at = workgroup_id().x * 5;
            out[at] = n[0].load();
            for j in 0..4 {
                out[at + 1 + j] = bins[j].load();
            }
        }
    }
    for device in devices() {
        let mut out = device.zeros::<u32>(15).expect("a buffer");
        count::launch(&device, Grid::groups(3, 1, 1), &mut out).expect("a launch");
        assert_eq!(out.read().expect("the counts"), [64, 16, 16, 16, 16].repeat(3), "{}", device.name());
    }
}

#[test]
fn casts_outside_of_the_table_are_refused() {
    let pairs = casts::pairs();
    for from in casts::types() {
        for to in casts::types() {
            let mut b = Builder::new("convert", [1, 1, 1]);
            let value = b.scalar("x", from);
            b.op_to(Op::Cast, &[value], to);
            b.ret();
            let codes: Vec<Code> = match check(b.into_module(Types::default())) {
                Ok(_) => Vec::new(),
                Err(diags) => diags.as_slice().iter().map(|diag| diag.code).collect(),
            };
            let wanted = if to == Type::Bytes { Code::V023 } else { Code::V012 };
            let right = if pairs.contains(&(from, to)) { codes.is_empty() } else { codes.contains(&wanted) };
            assert!(right, "{from:?} to {to:?}: {codes:?}");
        }
    }
}

/// The interpreter with a mistake in what it gives.
struct Faulty(fn(&Job, usize, u32) -> u32);

impl Machine for Faulty {
    fn name(&self) -> &str {
        "faulty"
    }

    fn run(&self, job: &Job) -> Result<Vec<u32>, String> {
        let right = Machine::run(&Device::interpreter(), job)?;
        Ok(right.iter().enumerate().map(|(i, &word)| (self.0)(job, i * 4 / job.result_bytes(), word)).collect())
    }
}

/// What is said of an op on one type when a machine makes this mistake.
#[track_caller]
fn noticed(op: Op, operand: Type, mistake: fn(&Job, usize, u32) -> u32) {
    let cases: Vec<Case> = cases().into_iter().filter(|c| c.op == op && c.operands[0] == operand).collect();
    let mut tally = Tally::new("faulty");
    run(&Faulty(mistake), &cases, 100, &mut tally);
    assert!(tally.comparisons > 0 && tally.mismatches > 0 && tally.verdict(&[]).is_err(), "{}", op.info().name);
    let mut tally = Tally::new("right");
    run(&Faulty(|_, _, word| word), &cases, 100, &mut tally);
    assert_eq!(tally.verdict(&[op.info().name]), Ok(()));
}

#[test]
fn a_shift_whose_count_is_not_masked_is_noticed() {
    noticed(Op::Shl, Type::U32, |job, i, word| if job.tuples[i][1][0] > 31 { 0 } else { word });
}

#[test]
fn a_clamped_index_is_noticed() {
    noticed(Op::Extract, Type::VEC4_U32, |job, i, word| {
        let [vector, index] = [job.tuples[i][0], job.tuples[i][1]];
        if index[0] > 3 { vector[3] as u32 } else { word }
    });
}

#[test]
fn subnormals_flushed_to_zero_are_noticed() {
    noticed(Op::Mul, Type::F32, |_, _, word| if word & 0x7f80_0000 == 0 { word & 0x8000_0000 } else { word });
}

#[test]
fn a_product_and_sum_in_two_roundings_are_noticed() {
    noticed(Op::MulAdd, Type::F32, |job, i, _| {
        let [a, b, c] = [0, 1, 2].map(|n| f32::from_bits(job.tuples[i][n][0] as u32));
        (a * b + c).to_bits()
    });
}

#[test]
fn another_nan_is_noticed() {
    noticed(Op::Add, Type::F32, |_, _, word| if word == 0x7fc0_0000 { 0xffc0_0000 } else { word });
}

#[test]
fn an_unsigned_upper_product_of_signed_numbers_is_noticed() {
    noticed(Op::MulHigh, Type::I32, |job, i, _| {
        let [a, b] = [0, 1].map(|n| job.tuples[i][n][0]);
        (a.wrapping_mul(b) >> 32) as u32
    });
}

#[test]
fn a_sum_that_saturates_at_the_wrong_bound_is_noticed() {
    noticed(Op::AddSat, Type::I32, |_, _, word| if word == 0x8000_0000 { 0x7fff_ffff } else { word });
}

#[test]
fn a_quotient_truncated_where_it_is_euclids_is_noticed() {
    noticed(Op::DivEuclid, Type::I32, |job, i, _| {
        let [a, b] = [0, 1].map(|n| job.tuples[i][n][0] as i32);
        if b == 0 { 0 } else { a.wrapping_div(b) as u32 }
    });
}

#[test]
fn a_field_that_is_not_cut_off_at_the_width_is_noticed() {
    noticed(Op::BitExtract, Type::U32, |job, i, _| {
        let [value, offset, count] = [0, 1, 2].map(|n| job.tuples[i][n][0] as u32);
        value >> (offset % 32) & 1_u32.wrapping_shl(count).wrapping_sub(1)
    });
}

#[test]
fn a_power_of_two_applied_in_two_roundings_is_noticed() {
    noticed(Op::Ldexp, Type::F32, |job, i, word| {
        let (value, power) = (f32::from_bits(job.tuples[i][0][0] as u32), job.tuples[i][1][0] as u32 as i32);
        let half = power.clamp(-250, 250) / 2;
        let twice = value * 2f32.powi(half) * 2f32.powi(power.clamp(-250, 250) - half);
        if twice.is_finite() && twice != 0.0 { twice.to_bits() } else { word }
    });
}

#[test]
fn a_subnormal_taken_apart_as_a_normal_number_is_noticed() {
    noticed(Op::FrexpExponent, Type::F32, |job, i, word| {
        let bits = job.tuples[i][0][0] as u32;
        if bits & 0x7f80_0000 == 0 && bits & 0x7fff_ffff != 0 { -126_i32 as u32 } else { word }
    });
    noticed(Op::FrexpFraction, Type::F32, |job, i, word| {
        let bits = job.tuples[i][0][0] as u32;
        if bits & 0x7f80_0000 == 0 && bits & 0x7fff_ffff != 0 { bits } else { word }
    });
}

#[test]
fn fractions_packed_with_halves_away_from_zero_are_noticed() {
    noticed(Op::PackUnorm4, Type::Vector(Scalar::F32, 4), |job, i, _| {
        let byte = |bits: u64| (f32::from_bits(bits as u32).clamp(0.0, 1.0) * 255.0).round() as u8;
        u32::from_le_bytes(job.tuples[i][0].map(byte))
    });
}

#[test]
fn a_dot_product_with_bytes_of_the_other_sign_is_noticed() {
    noticed(Op::DotI8U8, Type::U32, |job, i, _| {
        let [a, b, c] = [0, 1, 2].map(|n| job.tuples[i][n][0] as u32);
        let products =
            a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| i32::from(a as i8) * i32::from(b as i8));
        products.fold(c as i32, i32::wrapping_add) as u32
    });
}

#[test]
fn a_saturating_dot_product_that_wraps_on_the_way_is_noticed() {
    noticed(Op::DotI16Sat, Type::U32, |job, i, _| {
        let [a, b, c] = [0, 1, 2].map(|n| job.tuples[i][n][0] as u32);
        let half = |word: u32, n: u32| i32::from((word >> (16 * n)) as i16);
        let products = (half(a, 0) * half(b, 0)).wrapping_add(half(a, 1) * half(b, 1));
        (c as i32).saturating_add(products) as u32
    });
}

#[test]
fn a_test_of_nothing_is_a_failure() {
    assert!(Tally::new("idle").verdict(&[]).is_err());
    let mut tally = Tally::new("partial");
    run(&Device::interpreter(), &cases()[..1], 1, &mut tally);
    assert!(tally.verdict(&["add"]).is_ok());
    assert!(tally.verdict(&["add", "sub"]).is_err());
}
