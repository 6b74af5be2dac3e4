//! Every op's result satisfies what is said about it: for all bytes under facts of several
//! shapes, and for samples of every type.

use super::*;
use crate::ops::Signature;
use crate::scalar::Lanes;
use samebits_random::Random;

/// Numbers and facts at random.
struct Numbers(Random);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.bits() % limit
    }

    /// A number that is often near an edge.
    fn number(&mut self, ty: Scalar) -> u64 {
        let near = self.below(5).wrapping_sub(2);
        let number = match self.below(6) {
            0 => near,
            1 => (ty.mask() >> 1).wrapping_add(near),
            2 => (1u64 << self.below(ty.bits().into())).wrapping_add(near),
            3 => self.0.bits() >> self.below(64),
            4 => self.below(8) << self.below(8),
            _ => self.0.bits(),
        };
        number & ty.mask()
    }

    /// Some numbers, and a fact that they all satisfy.
    fn fact(&mut self, ty: Scalar) -> (Vec<u64>, Fact) {
        let first = self.number(ty);
        let spread = self.below(5);
        let members: Vec<u64> = (0..1 + self.below(4))
            .map(|_| match spread {
                0 => first,
                1 => first.wrapping_add(self.below(16)) & ty.mask(),
                2 => (first & 0xf0f0 | self.below(16)) & ty.mask(),
                _ => self.number(ty),
            })
            .collect();
        let hull = members.iter().map(|&bits| Fact::exactly(ty, bits)).reduce(Fact::or).expect("a member");
        let any = Fact::any(ty);
        let fact = match self.below(5) {
            0 => any,
            1 => Fact { least: hull.least, most: hull.most, ..any },
            2 => Fact { low: hull.low, high: hull.high, ..any },
            3 => Fact { zeros: hull.zeros, ones: hull.ones, ..any },
            _ => hull,
        };
        (members, fact.settled(ty))
    }
}

#[test]
fn numbers_that_satisfied_a_fact_do_so_after_it_is_settled() {
    let mut random = Numbers(Random::new(1));
    for ty in [Scalar::U8, Scalar::I8] {
        for _ in 0..400 {
            let raw = Fact {
                zeros: random.0.bits() & random.0.bits() & random.0.bits() | !ty.mask(),
                ones: random.0.bits() & random.0.bits() & random.0.bits() & ty.mask(),
                least: random.below(256),
                most: random.below(256),
                low: random.below(256) as i64 - 128,
                high: random.below(256) as i64 - 128,
            };
            let settled = raw.settled(ty);
            for bits in 0..256 {
                assert!(
                    !raw.contains(ty, bits) || settled.contains(ty, bits),
                    "{bits} in {raw:x?} and not {settled:x?}"
                );
            }
        }
    }
}

#[test]
fn both_facts_and_either_fact_hold_what_they_should() {
    let mut random = Numbers(Random::new(2));
    for ty in [Scalar::U8, Scalar::I8] {
        for _ in 0..400 {
            let ((_, a), (_, b)) = (random.fact(ty), random.fact(ty));
            let (both, either) = (a.and(b, ty), a.or(b));
            for bits in 0..256 {
                let (in_a, in_b) = (a.contains(ty, bits), b.contains(ty, bits));
                assert!(!(in_a && in_b) || both.contains(ty, bits));
                assert!(!(in_a || in_b) || either.contains(ty, bits));
            }
        }
    }
}

/// The ops whose operands are bytes, but for counts.
fn byte_ops() -> impl Iterator<Item = (Op, Scalar, Vec<Scalar>, Type)> {
    Op::ALL.iter().flat_map(|&op| {
        [Scalar::U8, Scalar::I8].into_iter().filter_map(move |ty| {
            let (operands, result) = op.info().signature.types(ty.into())?;
            let operands = operands.iter().map(|ty| ty.lane()).collect::<Option<Vec<_>>>()?;
            matches!(op.info().signature, Signature::Lanes(..)).then_some((op, ty, operands, result))
        })
    })
}

#[test]
fn results_of_bytes_satisfy_what_is_said_about_them() {
    let mut random = Numbers(Random::new(3));
    let mut ops = 0;
    for (op, _, operands, result) in byte_ops().filter(|(_, _, operands, _)| operands.len() <= 2) {
        ops += 1;
        let types: Vec<Type> = operands.iter().map(|&ty| ty.into()).collect();
        let lane = result.lane().expect("a lane");
        let second: u64 = if operands.len() == 2 { 256 } else { 1 };
        let table: Vec<u64> = (0..256 * second)
            .map(|i| {
                let lanes: [Lanes; 2] = [[i / second, 0, 0, 0], [i % second, 0, 0, 0]];
                op.eval(&types, result, &lanes[..operands.len()])[0]
            })
            .collect();
        for _ in 0..60 {
            let facts: Vec<Fact> = operands
                .iter()
                .map(|&ty| if ty.bits() == 8 { random.fact(ty).1 } else { random.fact(Scalar::U8).1 })
                .zip(&operands)
                .map(|(fact, &ty)| if ty.bits() == 8 { fact } else { Fact::between(ty, fact.least, fact.most) })
                .collect();
            let args: Vec<(Type, Fact)> = types.iter().copied().zip(facts.iter().copied()).collect();
            let said = transfer(op, result, &args);
            for a in (0..256).filter(|&a| facts[0].contains(operands[0], a)) {
                for b in (0..second).filter(|&b| operands.len() == 1 || facts[1].contains(operands[1], b)) {
                    let value = table[(a * second + b) as usize];
                    assert!(
                        said.contains(lane, value),
                        "{} {a} {b} = {value}: {said:x?} of {facts:x?}",
                        op.info().name
                    );
                }
            }
        }
    }
    assert!(ops > 70, "{ops}");
}

/// The ways in which an op's operands can be typed.
fn typings(op: Op) -> Vec<(Vec<Type>, Type)> {
    let lanes: Vec<Type> =
        Scalar::ALL.iter().flat_map(|&s| [Type::Scalar(s), Type::Vector(s, 2), Type::Vector(s, 4)]).collect();
    match op.info().signature {
        Signature::Lanes(..) | Signature::Fixed(..) | Signature::Extract | Signature::Insert | Signature::Reduce => {
            lanes.iter().filter_map(|&ty| op.info().signature.types(ty)).collect()
        }
        Signature::Select => lanes.iter().map(|&ty| (vec![Type::BOOL, ty, ty], ty)).collect(),
        Signature::Construct => Scalar::ALL.iter().map(|&s| (vec![s.into(); 3], Type::Vector(s, 3))).collect(),
        Signature::Cast | Signature::Bitcast => lanes
            .iter()
            .flat_map(|&from| {
                lanes.iter().filter(move |&&to| op.result(&[from], Some(to)).is_some()).map(move |&to| (vec![from], to))
            })
            .collect(),
    }
}

#[test]
fn results_of_every_type_satisfy_what_is_said_about_them() {
    let mut random = Numbers(Random::new(4));
    for &op in Op::ALL {
        for (types, result) in typings(op) {
            let lane = result.lane().expect("a lane");
            for _ in 0..60 {
                let operands: Vec<(Vec<u64>, Fact)> =
                    types.iter().map(|ty| random.fact(ty.lane().expect("a lane"))).collect();
                let args: Vec<(Type, Fact)> =
                    types.iter().copied().zip(operands.iter().map(|(_, fact)| *fact)).collect();
                let said = transfer(op, result, &args);
                for _ in 0..8 {
                    let values: Vec<Lanes> = (types.iter().zip(&operands))
                        .map(|(ty, (members, _))| {
                            let mut lanes = [0; 4];
                            for lane in lanes.iter_mut().take(ty.lanes()) {
                                *lane = members[random.below(members.len() as u64) as usize];
                            }
                            lanes
                        })
                        .collect();
                    let value = op.eval(&types, result, &values);
                    for &bits in value.iter().take(result.lanes()) {
                        let name = op.info().name;
                        assert!(
                            said.contains(lane, bits),
                            "{name} {types:?} of {values:x?} is {bits:x}: {said:x?}, from {args:x?}"
                        );
                    }
                }
            }
        }
    }
}

/// What is said about an op on `u32`.
fn said(op: Op, args: &[Fact]) -> Fact {
    let args: Vec<(Type, Fact)> = args.iter().map(|&fact| (Type::U32, fact)).collect();
    transfer(op, Type::U32, &args)
}

fn between(least: u64, most: u64) -> Fact {
    Fact::between(Scalar::U32, least, most)
}

#[test]
fn ranges_are_as_narrow_as_they_should_be() {
    let range = |fact: Fact| (fact.least, fact.most);
    assert_eq!(range(said(Op::Add, &[between(1, 9), between(10, 20)])), (11, 29));
    assert_eq!(range(said(Op::Sub, &[between(10, 20), between(1, 9)])), (1, 19));
    assert_eq!(range(said(Op::Mul, &[between(2, 3), between(5, 7)])), (10, 21));
    assert_eq!(range(said(Op::Div, &[between(8, 64), between(2, 4)])), (2, 32));
    assert_eq!(range(said(Op::Rem, &[between(0, 1000), between(8, 8)])), (0, 7));
    assert_eq!(range(said(Op::Rem, &[between(0, 6), between(8, 8)])), (0, 6));
    assert_eq!(range(said(Op::And, &[Fact::any(Scalar::U32), between(0, 15)])), (0, 15));
    assert_eq!(range(said(Op::Shr, &[between(0, 1023), between(4, 4)])), (0, 63));
    assert_eq!(range(said(Op::Shl, &[between(1, 3), between(4, 4)])), (16, 48));
    assert_eq!(range(said(Op::Min, &[Fact::any(Scalar::U32), between(0, 63)])), (0, 63));
    assert_eq!(range(said(Op::Clamp, &[Fact::any(Scalar::U32), between(3, 3), between(9, 9)])), (3, 9));
    assert_eq!(said(Op::Mul, &[Fact::any(Scalar::U32), between(12, 12)]).zeros & 7, 3);
}

#[test]
fn sums_that_may_wrap_have_no_range() {
    assert_eq!(said(Op::Add, &[between(0, u64::from(u32::MAX)), between(1, 1)]).least, 0);
    assert_eq!(said(Op::Mul, &[between(0, 1 << 16), between(0, 1 << 16)]).most, u64::from(u32::MAX));
    assert_eq!(said(Op::Sub, &[between(0, 5), between(1, 1)]).most, u64::from(u32::MAX));
}
