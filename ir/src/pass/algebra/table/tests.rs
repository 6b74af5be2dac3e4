//! Each rule is tried: both sides are evaluated, for every type of its class, on all pairs
//! of bytes or on the edges of wider types and floats. The values come from `Op::eval`'s
//! functions alone, and a wrong rule is noticed.

use super::TABLES;
use crate::ops::{Class, Eval, Op, Signature};
use crate::pass::algebra::rule::{Constants, NAMES, Name, Number, Rule, Term, rules};
use crate::scalar::{Lanes, nan};
use crate::types::{Kind, Scalar, Type};
use samebits_random::Random;

/// How many seeded values are tried where a rule has more than two names.
const SEEDED: usize = 4000;

const ALL_NAMES: [Name; NAMES] =
    [Name::X, Name::Y, Name::Z, Name::K, Name::A, Name::B, Name::N, Name::M, Name::I, Name::J, Name::P, Name::Q];

fn type_of(name: Name, ty: Scalar) -> Scalar {
    match name {
        Name::X | Name::Y | Name::Z | Name::K | Name::A | Name::B => ty,
        Name::N | Name::M | Name::I | Name::J => Scalar::U32,
        Name::P | Name::Q => Scalar::Bool,
    }
}

/// A side of a rule in the order of evaluation: each step reads slots of names or of steps.
struct Program {
    ty: Scalar,
    steps: Vec<(Op, Vec<Type>, Type, Vec<usize>)>,
    numbers: Vec<u64>,
}

/// Slots of names come first, then numbers and steps.
impl Program {
    fn of(op: Option<(Op, &[Term])>, term: Option<Term>, ty: Scalar, result: Type) -> (Self, usize, Type) {
        let mut program = Self { ty, steps: Vec::new(), numbers: Vec::new() };
        let (slot, ty) = match (op, term) {
            (Some((op, args)), _) => program.op(op, args),
            // A number alone has the type of what it replaces.
            (None, Some(Term::Number(number))) => program.number(number, result.lane().unwrap()),
            (None, Some(term)) => program.term(term),
            (None, None) => unreachable!("a side is an op or a term"),
        };
        (program, slot, ty)
    }

    fn number(&mut self, number: Number, ty: Scalar) -> (usize, Type) {
        let scalar = number.scalar(ty);
        self.numbers.push(number.bits(scalar));
        self.steps.push((Op::Construct, Vec::new(), Type::Scalar(scalar), vec![self.numbers.len() - 1]));
        (NAMES + self.steps.len() - 1, Type::Scalar(scalar))
    }

    fn term(&mut self, term: Term) -> (usize, Type) {
        match term {
            Term::Name(name) => (name as usize, Type::Scalar(type_of(name, self.ty))),
            Term::Number(number) => self.number(number, self.ty),
            Term::Op(op, args) => self.op(op, args),
        }
    }

    fn op(&mut self, op: Op, args: &[Term]) -> (usize, Type) {
        let (slots, types): (Vec<usize>, Vec<Type>) = args.iter().map(|arg| self.term(*arg)).unzip();
        let result = op.result(&types, None).unwrap_or_else(|| panic!("{op:?} of {types:?}"));
        self.steps.push((op, types, result, slots));
        (NAMES + self.steps.len() - 1, result)
    }

    fn run(&self, names: &[u64; NAMES], slots: &mut Vec<u64>, slot: usize) -> u64 {
        slots.clear();
        slots.extend_from_slice(names);
        for (op, types, result, args) in &self.steps {
            let value = match (op.info().eval, op.info().signature) {
                (Eval::Lane(f), _) => {
                    let arg = |n: usize| args.get(n).map_or(0, |&slot| slots[slot]);
                    f(types[0].lane().unwrap(), [arg(0), arg(1), arg(2), 0])
                }
                (_, Signature::Construct) => self.numbers[args[0]],
                _ => {
                    let lanes: Vec<Lanes> = args.iter().map(|&slot| [slots[slot], 0, 0, 0]).collect();
                    op.eval(types, *result, &lanes)[0]
                }
            };
            slots.push(value);
        }
        slots[slot]
    }
}

fn names_in(terms: &[Term], found: &mut Vec<Name>) {
    for term in terms {
        match term {
            Term::Name(name) if !found.contains(name) => found.push(*name),
            Term::Name(_) | Term::Number(_) => {}
            Term::Op(_, args) => names_in(args, found),
        }
    }
}

/// Numbers at which ops do something else than beside them.
fn edges(ty: Scalar) -> Vec<u64> {
    let mask = ty.mask();
    let sign = 1u64 << (ty.bits() - 1);
    let mut found: Vec<u64> = match ty.kind() {
        Kind::Bool => vec![0, 1],
        Kind::Signed | Kind::Unsigned => {
            let half = 1u64 << (ty.bits() / 2);
            [
                0,
                1,
                2,
                3,
                4,
                5,
                7,
                8,
                10,
                100,
                half - 1,
                half,
                half + 1,
                sign - 1,
                sign,
                sign + 1,
                mask,
                mask - 1,
                mask - 2,
            ]
            .into_iter()
            .chain([mask - 7, 0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x00ff_00ff_00ff_00ff, sign >> 1])
            .collect()
        }
        Kind::Float => {
            let fraction = match ty {
                Scalar::F16 => 10,
                Scalar::F32 => 23,
                _ => 52,
            };
            let infinity = (sign - 1) >> fraction << fraction;
            let one = Number::One.bits(ty);
            let quiet = nan(ty).unwrap();
            let positive = [0, 1, 3, (1 << fraction) - 1, 1 << fraction, (1 << fraction) + 1, one, one + 1, one - 1]
                .into_iter()
                .chain([
                    one + (1 << fraction),
                    one - (1 << fraction),
                    one + (1 << (fraction - 1)),
                    one + (5 << (fraction - 2)),
                ])
                .chain([
                    one + (4 << fraction),
                    one - (4 << fraction),
                    infinity - 1,
                    infinity,
                    infinity + 1,
                    quiet,
                    quiet + 1,
                ]);
            positive.flat_map(|bits| [bits, bits | sign]).collect()
        }
    };
    found.iter_mut().for_each(|bits| *bits &= mask);
    found.sort_unstable();
    found.dedup();
    found
}

/// What a name is tried with.
fn domain(name: Name, ty: Scalar, exhaustive: bool) -> Vec<u64> {
    let own = type_of(name, ty);
    match name {
        Name::N | Name::M | Name::I | Name::J => {
            let width = u64::from(ty.bits());
            (0..=width + 1).chain([2 * width, 2 * width + 3, 255, 256, 0x8000_0000, 0xffff_fffe, 0xffff_ffff]).collect()
        }
        Name::P | Name::Q => vec![0, 1],
        Name::X | Name::Y | Name::Z | Name::A | Name::B if exhaustive && own.bits() <= 8 => (0..=own.mask()).collect(),
        Name::X | Name::Y | Name::Z | Name::A | Name::B => edges(own),
        Name::K => edges(own).into_iter().filter(|&bits| is_canonical(own, bits)).collect(),
    }
}

fn is_canonical(ty: Scalar, bits: u64) -> bool {
    let is_nan = Op::IsNan.eval(&[Type::Scalar(ty)], Type::BOOL, &[[bits, 0, 0, 0]])[0] == 1;
    !is_nan || nan(ty) == Some(bits)
}

/// Every choice of values, or many of them.
fn for_each_choice(names: &[Name], ty: Scalar, mut f: impl FnMut(&[u64; NAMES])) {
    let exhaustive = names.len() <= 2;
    let domains: Vec<Vec<u64>> = names.iter().map(|&name| domain(name, ty, exhaustive)).collect();
    let mut values = [0; NAMES];
    let mut at = vec![0; names.len()];
    let all: usize = domains.iter().map(Vec::len).product();
    if all <= 100_000 {
        loop {
            for ((name, domain), &at) in names.iter().zip(&domains).zip(&at) {
                values[*name as usize] = domain[at];
            }
            f(&values);
            let Some(next) = at.iter().zip(&domains).position(|(&at, domain)| at + 1 < domain.len()) else { break };
            at[next] += 1;
            at[..next].fill(0);
        }
    }
    if exhaustive && ty.bits() <= 8 {
        return;
    }
    let mut random = Random::new(1);
    for _ in 0..SEEDED {
        for (&name, domain) in names.iter().zip(&domains) {
            let own = type_of(name, ty);
            let bits = random.bits() & own.mask();
            let free = own == ty && random.bits() & 1 == 0 && (name != Name::K || is_canonical(own, bits));
            values[name as usize] = if free { bits } else { domain[random.bits() as usize % domain.len()] };
        }
        f(&values);
    }
}

/// Tries a rule for a type; gives how often it held, or an example against it.
fn proof(rule: &Rule, ty: Scalar) -> Result<usize, String> {
    let (left, left_slot, result) = Program::of(Some((rule.op, rule.args)), None, ty, Type::Error);
    let (right, right_slot, to) = Program::of(None, Some(rule.to), ty, result);
    if result != to {
        return Err(format!("{}: {result:?} becomes {to:?}", ty.name()));
    }
    let (mut names, mut count, mut slots, mut fault) = (Vec::new(), 0, Vec::new(), None);
    names_in(rule.args, &mut names);
    for_each_choice(&names, ty, |values| {
        let [a, b, i, j] = [Name::A, Name::B, Name::I, Name::J].map(|name| values[name as usize]);
        if rule.condition.is_some_and(|condition| !condition(Constants { ty, a, b, i, j })) {
            return;
        }
        count += 1;
        let (is, becomes) = (left.run(values, &mut slots, left_slot), right.run(values, &mut slots, right_slot));
        if is != becomes && fault.is_none() {
            let given: Vec<String> =
                names.iter().map(|&name| format!("{name:?} = {:#x}", values[name as usize])).collect();
            fault = Some(format!("{}: {} is {is:#x}, becomes {becomes:#x}", ty.name(), given.join(", ")));
        }
    });
    fault.map_or(Ok(count), Err)
}

/// Every fault of every rule of a table.
fn faults(rules: &[Rule]) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in rules {
        let mut held = 0;
        for ty in rule.class.members() {
            match proof(rule, ty) {
                Ok(count) => held += count,
                Err(example) => faults.push(format!("{}: {example}", shown(rule))),
            }
        }
        if held == 0 {
            faults.push(format!("{}: no value was found to try it on", shown(rule)));
        }
    }
    faults
}

fn shown_term(term: &Term) -> String {
    match term {
        Term::Name(name) => format!("{name:?}").to_lowercase(),
        Term::Number(number) => format!("{number:?}").to_lowercase(),
        Term::Op(op, args) => shown_op(*op, args),
    }
}

fn shown_op(op: Op, args: &[Term]) -> String {
    format!("{op:?}({})", args.iter().map(shown_term).collect::<Vec<_>>().join(", "))
}

fn shown(rule: &Rule) -> String {
    format!("{} => {}", shown_op(rule.op, rule.args), shown_term(&rule.to))
}

#[track_caller]
fn holds(table: usize) {
    let faults = faults(TABLES[table]);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn rules_of_sums_hold() {
    holds(0);
}

#[test]
fn rules_of_bits_hold() {
    holds(1);
}

#[test]
fn rules_of_comparisons_hold() {
    holds(2);
}

#[test]
fn rules_of_floats_hold() {
    holds(3);
    assert_eq!(TABLES.len(), 4, "a table without a test");
}

#[test]
fn a_wrong_rule_is_noticed() {
    fn any(_: Constants) -> bool {
        true
    }
    const WRONG: &[Rule] = rules! {
        FLOAT {
            Mul(x, 1) => x;
            Add(x, 0) => x;
            Sub(x, x) => 0;
            Not(Lt(x, y)) => Ge(x, y);
            Neg(Sub(x, y)) => Sub(y, x);
            Min(x, x) => x;
            Div(x, a) => Mul(x, Div(1, a));
        }
        INT {
            Add(x, 1) => x;
            Shl(Shl(x, i), j) => Shl(x, Add(i, j));
            Lt(Add(x, a), b) => Lt(x, Sub(b, a));
            Div(x, x) => 1;
            Sub(x, Mul(Div(x, y), y)) => Rem(x, y);
            Lt(x, y) if any => Ge(y, x);
        }
        SIGNED {
            Shr(Shl(x, n), n) => And(x, Shr(ones, n));
            Neg(Abs(x)) => x;
            Lt(Neg(x), Neg(y)) => Lt(y, x);
        }
    };
    let found = faults(WRONG);
    for rule in WRONG {
        assert!(found.iter().any(|fault| fault.starts_with(&shown(rule))), "{} passes", shown(rule));
    }
}

/// What a term weighs, and how many ops in it have a constant first and something else after.
fn measure(term: &Term) -> (u32, usize) {
    match term {
        Term::Op(op, args) if !term.is_constant() => {
            let first = args.len() > 1 && args[0].is_constant();
            args.iter().map(measure).fold((op.info().weight, usize::from(first)), |(weight, first), (more, firsts)| {
                (weight + more, first + firsts)
            })
        }
        Term::Name(_) | Term::Number(_) | Term::Op(..) => (0, 0),
    }
}

#[test]
fn every_rule_makes_its_value_lighter() {
    for rule in TABLES.iter().copied().flatten() {
        let first = rule.args.len() > 1 && rule.args[0].is_constant();
        let before = rule
            .args
            .iter()
            .map(measure)
            .fold((rule.op.info().weight, usize::from(first)), |(weight, first), (more, firsts)| {
                (weight + more, first + firsts)
            });
        assert!(measure(&rule.to) < before, "{}: {before:?} becomes {:?}", shown(rule), measure(&rule.to));
    }
}

/// How often each name is written.
fn written(terms: &[Term], name: Name) -> usize {
    terms
        .iter()
        .map(|term| match term {
            Term::Name(is) => usize::from(*is == name),
            Term::Number(_) => 0,
            Term::Op(_, args) => written(args, name),
        })
        .sum()
}

/// What a name stands for may be heavy; it counts as often as it is written.
#[test]
fn no_rule_writes_what_is_no_constant_more_often() {
    for rule in TABLES.iter().copied().flatten() {
        for name in ALL_NAMES.into_iter().filter(|name| !name.is_constant()) {
            let (before, after) = (written(rule.args, name), written(&[rule.to], name));
            assert!(after <= before, "{} writes {name:?} more often", shown(rule));
        }
    }
}

#[test]
fn no_rule_is_written_twice() {
    let mut all: Vec<String> = TABLES.iter().copied().flatten().map(|rule| format!("{rule:?}")).collect();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    assert!(count > 250, "only {count} rules");
}

#[test]
fn classes_are_not_empty() {
    assert!(Class::ANY.members().count() == Scalar::ALL.len());
}
