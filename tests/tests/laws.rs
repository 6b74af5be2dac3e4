//! The laws in the op table, and what its float classes say of NaN: each that a row claims is tried on
//! many values, and each that it does not claim is refuted by an example.
//!
//! Claimed laws are tried on all 8-bit values and on a million seeded ones of wider types.
//! A law that no example refutes although no row claims it is a fault too: the table then
//! says less than is true.

use samebits_ir::ops::{Associative, FloatClass, Op, Part, Signature};
use samebits_ir::scalar::{Lanes, nan};
use samebits_ir::types::{Scalar, Type};
use samebits_tests::conform::values::{self, Operands};
use samebits_tests::engines::say;
use std::fmt::Write as _;

/// Seeded values of each claimed law.
const SEEDED: usize = 1_000_000;
/// Values that are searched for an example against a law, of each type.
const SEARCHED: usize = 20_000;

/// Operands of an op, all of its types, and the result's type.
struct On {
    op: Op,
    operands: Vec<Type>,
    result: Type,
}

impl On {
    /// An op on each of its scalar types, or on the types that are fixed for it.
    fn all(op: Op) -> Vec<Self> {
        let signature = op.info().signature;
        let firsts: Vec<Type> = match signature {
            Signature::Lanes(class, ..) => class.members().map(Type::Scalar).collect(),
            Signature::Fixed(types, _) => types.first().copied().into_iter().collect(),
            Signature::Select
            | Signature::Cast
            | Signature::Bitcast
            | Signature::Construct
            | Signature::Extract
            | Signature::Insert
            | Signature::Reduce => Vec::new(),
        };
        let on = |first| signature.types(first).map(|(operands, result)| Self { op, operands, result });
        firsts.into_iter().filter_map(on).collect()
    }

    fn eval(&self, args: &[Lanes]) -> Lanes {
        self.op.eval(&self.operands, self.result, args)
    }

    fn lane(&self) -> Scalar {
        self.operands[0].lane().unwrap_or(Scalar::U32)
    }

    /// Whether the first two operands have one type, so that they can be exchanged.
    fn can_commute(&self) -> bool {
        self.operands.len() > 1 && self.operands[0] == self.operands[1]
    }

    /// Whether results are operands again, of every type of the op.
    fn can_associate(&self) -> bool {
        matches!(self.op.info().signature, Signature::Lanes(_, [Part::Same, Part::Same], Part::Same))
    }

    /// What an exchange of the first two operands changes.
    fn exchanged(&self, args: &[Lanes]) -> Option<String> {
        let mut other = args.to_vec();
        other.swap(0, 1);
        let (this, that) = (self.eval(args)[0], self.eval(&other)[0]);
        (this != that).then(|| format!("{}: {} gives {this:#x}, exchanged {that:#x}", self.lane().name(), shown(args)))
    }

    /// What another grouping of three operands changes.
    fn regrouped(&self, args: &[Lanes]) -> Option<String> {
        let [a, b, c] = [0, 1, 2].map(|n| args[n]);
        let left = self.eval(&[self.eval(&[a, b]), c])[0];
        let right = self.eval(&[a, self.eval(&[b, c])])[0];
        (left != right).then(|| format!("{}: {} gives {left:#x} or {right:#x}", self.lane().name(), shown(args)))
    }
}

/// Whether a scalar of this type is a NaN.
fn is_nan(ty: Type, bits: u64) -> bool {
    ty.lane().is_some_and(Scalar::is_float) && Op::IsNan.eval(&[ty], Type::BOOL, &[[bits, 0, 0, 0]])[0] != 0
}

/// What shows that an op takes one NaN for another than the next, or gives one that is not canonical. One
/// of the operands is replaced by a NaN in turn.
fn tells_nans_apart(on: &On, args: &[Lanes]) -> Option<String> {
    let canonical = |ty: Type| ty.lane().and_then(nan);
    for (i, &ty) in on.operands.iter().enumerate() {
        let Some(usual) = canonical(ty) else { continue };
        let sign = ty.lane().map_or(0, |lane| 1 << (lane.bits() - 1));
        let with = |bits: u64| {
            let mut args = args.to_vec();
            args[i][..ty.lanes()].fill(bits);
            on.eval(&args)
        };
        let (this, that) = (with(usual), with((usual ^ sign) | 1));
        if this != that {
            return Some(format!(
                "{}: {} with NaNs as operand {i}: {this:x?} or {that:x?}",
                on.lane().name(),
                shown(args)
            ));
        }
    }
    let given = on.eval(args);
    let other = |&bits: &u64| {
        is_nan(on.result.lane().map_or(on.result, Type::Scalar), bits) && canonical(on.result) != Some(bits)
    };
    given[..on.result.lanes()].iter().find(|bits| other(bits)).map(|bits| format!("{} gives {bits:#x}", shown(args)))
}

fn shown(args: &[Lanes]) -> String {
    args.iter().map(|arg| format!("{:#x}", arg[0])).collect::<Vec<_>>().join(", ")
}

/// Edges crossed, which most examples are among, and then seeded values.
fn search(on: &On, types: &[Type], refutes: impl Fn(&[Lanes]) -> Option<String>) -> Option<String> {
    let mut random = Operands::new(values::SEED);
    let edges = values::crossed(on.op, types, SEARCHED);
    let seeded = (0..SEARCHED).map(|_| random.tuple(on.op, types));
    edges.into_iter().chain(seeded).find_map(|args| refutes(&args))
}

/// Every pair of bytes, with a third operand that takes turns.
fn bytes() -> impl Iterator<Item = [Lanes; 3]> {
    /// Thirds beside every pair: the edges, and one that differs from pair to pair.
    const THIRDS: [u64; 6] = [0, 1, 0x7f, 0x80, 0xff, 0x55];
    let value = |bits: u64| [bits, 0, 0, 0];
    (0..0x1_0000_u64).flat_map(move |pair| {
        let thirds = THIRDS.into_iter().chain([pair.wrapping_mul(0x9e5) >> 5 & 0xff]);
        thirds.map(move |third| [value(pair & 0xff), value(pair >> 8), value(third)])
    })
}

/// Tries a claimed law on the types of an op; gives the number of values or an example
/// against it.
fn hold(ons: &[&On], operands: usize, refutes: impl Fn(&On, &[Lanes]) -> Option<String>) -> Result<usize, String> {
    let mut count = 0;
    let (small, wide): (Vec<&&On>, Vec<&&On>) = ons.iter().partition(|on| on.lane().bits() <= 8);
    for on in small {
        let counts = on.operands.iter().skip(2).any(|ty| ty.lane() != Some(on.lane()));
        for args in bytes().filter(|args| on.lane() != Scalar::Bool || args.iter().all(|arg| arg[0] < 2)) {
            // No op has counts beside bytes and commutes; if one had, edges would do.
            if !counts {
                count += 1;
                refutes(on, &args[..operands]).map_or(Ok(()), Err)?;
            }
        }
    }
    for on in &wide {
        let types = if operands > on.operands.len() { vec![on.operands[0]; operands] } else { on.operands.clone() };
        for args in values::crossed(on.op, &types, SEARCHED) {
            count += 1;
            refutes(on, &args).map_or(Ok(()), Err)?;
        }
        let mut random = Operands::new(values::SEED);
        for _ in 0..SEEDED / wide.len() {
            count += 1;
            refutes(on, &random.tuple(on.op, &types)).map_or(Ok(()), Err)?;
        }
    }
    Ok(count)
}

/// What the tests found: a line for each op, and the faults.
#[derive(Default)]
struct Report {
    lines: String,
    faults: Vec<String>,
}

impl Report {
    fn held(&mut self, op: Op, law: &str, found: Result<usize, String>) {
        match found {
            Ok(count) => {
                let _ = writeln!(self.lines, "{:<16} {law} on {count} values", op.info().name);
            }
            Err(example) => self.faults.push(format!("{} is not {law}: {example}", op.info().name)),
        }
    }

    fn refuted(&mut self, op: Op, law: &str, example: Option<String>) {
        match example {
            Some(example) => {
                let _ = writeln!(self.lines, "{:<16} not {law}: {example}", op.info().name);
            }
            None => self.faults.push(format!("{} seems to be {law}, which its row does not claim", op.info().name)),
        }
    }

    #[track_caller]
    fn verdict(self, what: &str) {
        say(&format!("{what}\n{}", self.lines));
        assert!(self.faults.is_empty(), "{}", self.faults.join("\n"));
        assert!(!self.lines.is_empty(), "nothing was tried");
    }
}

#[test]
fn operands_may_be_exchanged_where_the_table_says_so() {
    let mut report = Report::default();
    for &op in Op::ALL {
        let ons = On::all(op);
        let ons: Vec<&On> = ons.iter().filter(|on| on.can_commute()).collect();
        let Some(first) = ons.first() else { continue };
        if op.info().commutative {
            report.held(op, "commutative", hold(&ons, first.operands.len(), |on, args| on.exchanged(args)));
        } else {
            let example = |on: &&On| search(on, &on.operands, |args| on.exchanged(args));
            report.refuted(op, "commutative", ons.iter().find_map(example));
        }
    }
    report.verdict("exchange");
}

#[test]
fn operands_may_be_regrouped_where_the_table_says_so() {
    let mut report = Report::default();
    for &op in Op::ALL {
        let ons = On::all(op);
        let ons: Vec<&On> = ons.iter().filter(|on| on.can_associate()).collect();
        let (floats, others): (Vec<&On>, Vec<&On>) = ons.iter().partition(|on| on.lane().is_float());
        let example = |on: &&On| search(on, &[on.operands[0]; 3], |args| on.regrouped(args));
        match op.info().associative {
            Associative::Exact => report.held(op, "associative", hold(&ons, 3, |on, args| on.regrouped(args))),
            Associative::Inexact => {
                report.held(op, "associative for integers", hold(&others, 3, |on, args| on.regrouped(args)));
                report.refuted(op, "associative for floats", floats.iter().find_map(example));
            }
            Associative::No if ons.is_empty() => {}
            Associative::No => report.refuted(op, "associative", ons.iter().find_map(example)),
        }
    }
    report.verdict("regrouping");
}

#[test]
fn the_table_claims_laws_only_of_ops_that_can_have_them() {
    for &op in Op::ALL {
        let ons = On::all(op);
        if op.info().commutative {
            assert!(!ons.is_empty() && ons.iter().all(On::can_commute), "{op:?}");
        }
        if op.info().associative != Associative::No {
            assert!(!ons.is_empty() && ons.iter().all(On::can_associate), "{op:?}");
        }
    }
}

#[test]
fn a_nan_is_like_another_where_the_table_says_so() {
    let mut report = Report::default();
    for &op in Op::ALL {
        let has_floats =
            |on: &&On| on.operands.iter().chain([&on.result]).any(|ty| ty.lane().is_some_and(Scalar::is_float));
        let ons = On::all(op);
        let floats: Vec<&On> = ons.iter().filter(has_floats).collect();
        if ons.is_empty() {
            continue;
        }
        assert_eq!(floats.is_empty(), op.info().float == FloatClass::None, "{op:?}");
        match op.info().float {
            FloatClass::None => {}
            FloatClass::Bits => {
                let example = |on: &&On| search(on, &on.operands, |args| tells_nans_apart(on, args));
                report.refuted(op, "blind to the bits of a NaN", floats.iter().find_map(example));
            }
            FloatClass::Exact
            | FloatClass::CorrectlyRounded
            | FloatClass::Stepwise
            | FloatClass::Library
            | FloatClass::Approximate => {
                for on in floats {
                    let found = search(on, &on.operands, |args| tells_nans_apart(on, args)).map_or(Ok(SEARCHED), Err);
                    report.held(op, "blind to the bits of a NaN", found);
                }
            }
        }
    }
    report.verdict("NaN");
}
