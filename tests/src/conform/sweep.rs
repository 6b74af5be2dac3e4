//! `Op::eval` against native Rust, without any device: all pairs of the edges of each type, a
//! hundred thousand seeded tuples, and 8-bit operands exhaustively.
//!
//! Folding calls `eval` and the interpreter its functions. So what is proven here on many
//! values needs only a few tests there.

use super::{Case, SHOWN, Tally, expect, values};
use samebits_ir::scalar::Lanes;
use samebits_ir::types::{Scalar, Type};

/// Compares `eval` with native Rust for each case on scalars, on this many random tuples.
pub fn run(cases: &[Case], random: usize, tally: &mut Tally) {
    for case in cases {
        let mut wrong = 0;
        let mut count = 0;
        let mut compare = |tuple: &[Lanes]| {
            let (op, types) = (case.op, &case.operands);
            let found = op.eval(types, case.result, tuple);
            let wanted = expect::expect(op, types, case.result, tuple);
            count += 1;
            if wanted != Some(found) {
                wrong += 1;
                if wrong <= SHOWN {
                    tally.shown.push(format!("{} of {tuple:x?} gave {found:x?}, not {wanted:x?}", case.name()));
                }
            }
        };
        for tuple in values::crossed(case.op, &case.operands, values::MOST_CROSSED) {
            compare(&tuple);
        }
        exhaust(&case.operands, &mut compare);
        // All that there is of `bool` was among the edges.
        let is_small = case.operands.iter().all(|ty| ty.lane() == Some(Scalar::Bool));
        let mut generator = values::Operands::new(values::SEED);
        for _ in 0..if is_small { 100 } else { random } {
            compare(&generator.tuple(case.op, &case.operands));
        }
        tally.mismatches += wrong as u64;
        tally.count(case.op.info().name, case.operands[0].lane(), count);
    }
}

/// Every pair of 8-bit values in the first two operands, or every one in the first; the
/// others take turns.
fn exhaust(types: &[Type], compare: &mut impl FnMut(&[Lanes])) {
    let is_byte = |ty: Option<&Type>| matches!(ty, Some(Type::Scalar(Scalar::I8 | Scalar::U8)));
    if !is_byte(types.first()) {
        return;
    }
    // What is no byte is a count here: from none to beyond the width.
    let second = if is_byte(types.get(1)) { 256 } else { 20 };
    let mut tuple = vec![Lanes::default(); types.len()];
    for first in 0..256 {
        for other in 0..if types.len() > 1 { second } else { 1 } {
            tuple[0][0] = first;
            for (n, value) in tuple.iter_mut().enumerate().skip(1) {
                let turn = if n == 1 { other } else { first * 5 + other * (2 * n as u64 + 1) };
                value[0] = turn % if is_byte(types.get(n)) { 256 } else { 20 };
            }
            compare(&tuple);
        }
    }
}
