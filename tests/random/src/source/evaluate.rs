//! What programs compute: a walk of the tree, in Rust's order of evaluation.

use super::{
    Adapter, Arg, Asked, Consumer, Ex, Helper, INPUT, OUTPUT, Param, Pat, Place, Program, SMALL, St, Step, Ty, Val, Var,
};
use std::collections::BTreeMap;

/// What a statement leads to.
#[derive(PartialEq, Debug)]
enum Flow {
    Next,
    Continue,
    Break,
}

/// The variables of a function that runs.
struct Walk<'p> {
    program: &'p Program,
    input: &'p [u32; INPUT],
    variables: BTreeMap<Var, Val>,
}

pub(super) fn run(program: &Program, input: &[u32; INPUT]) -> Vec<u32> {
    let mut walk = Walk { program, input, variables: BTreeMap::new() };
    walk.all(&program.body);
    let mut words = Vec::new();
    for (var, _) in &program.shown {
        leaves(&walk.variables[var], &mut words);
    }
    words.resize(OUTPUT, 0);
    words
}

fn leaves(value: &Val, words: &mut Vec<u32>) {
    match value {
        Val::U(n) => words.push(*n),
        Val::I(n) => words.push(*n as u32),
        Val::B(b) => words.push(u32::from(*b)),
        Val::F(f) => words.push(f.to_bits()),
        Val::Way(n) => words.push(*n as u32),
        Val::Parts(parts) => parts.iter().for_each(|part| leaves(part, words)),
        Val::Some(value) => {
            words.push(1);
            leaves(value, words);
        }
        Val::None(zero) => {
            words.push(0);
            leaves(zero, words);
        }
    }
}

/// A float whose NaN is the one that there is.
fn float(value: f32) -> Val {
    Val::F(if value.is_nan() { f32::from_bits(0x7fc0_0000) } else { value })
}

fn unsigned(value: &Val) -> u32 {
    match value {
        Val::U(n) => *n,
        other => panic!("{other:?} is no u32"),
    }
}

fn truth(value: &Val) -> bool {
    match value {
        Val::B(b) => *b,
        other => panic!("{other:?} is no bool"),
    }
}

fn parts(value: &Val) -> &[Val] {
    match value {
        Val::Parts(parts) => parts,
        other => panic!("{other:?} has no parts"),
    }
}

/// The fields of a `Pair`.
fn pair(value: &Val) -> (u32, i32) {
    match parts(value) {
        [Val::U(first), Val::I(second)] => (*first, *second),
        other => panic!("{other:?} is no pair"),
    }
}

fn of_pair(first: u32, second: i32) -> Val {
    Val::Parts(vec![Val::U(first), Val::I(second)])
}

/// The operators of `Pair`; nothing for others.
fn of_pairs(op: &str, a: &Val, b: &Val) -> Option<Val> {
    let is_pair =
        |value: &Val| matches!(value, Val::Parts(parts) if matches!(parts.as_slice(), [Val::U(_), Val::I(_)]));
    Some(match (op, is_pair(a), is_pair(b), a, b) {
        ("+", true, true, ..) => {
            let (a, b) = (pair(a), pair(b));
            of_pair(a.0.wrapping_add(b.0), a.1 ^ b.1)
        }
        ("*", true, _, _, Val::U(by)) => {
            let a = pair(a);
            of_pair(a.0.wrapping_mul(*by), a.1.wrapping_add(*by as i32))
        }
        ("*", _, true, Val::U(_), _) => binary("+", &binary("*", b, a), &of_pair(1, 0)),
        ("+=", true, true, ..) => binary("+", a, &binary("*", b, &Val::U(3))),
        _ => return None,
    })
}

/// The numbers of a matrix, column by column.
fn numbers(value: &Val) -> Option<Vec<f32>> {
    let Val::Parts(parts) = value else { return None };
    let number = |part: &Val| if let Val::F(f) = part { Some(*f) } else { None };
    parts.iter().map(number).collect::<Option<Vec<f32>>>().filter(|numbers| numbers.len() == 4)
}

/// The operators of matrices; nothing for others.
fn of_matrices(op: &str, a: &Val, b: &Val) -> Option<Val> {
    let each = |a: &[f32], f: &dyn Fn(usize, f32) -> f32| {
        Val::Parts(a.iter().enumerate().map(|(i, &a)| float(f(i, a))).collect())
    };
    let (left, right) = (numbers(a), numbers(b));
    Some(match (op, left, right, a, b) {
        ("+", Some(a), Some(b), ..) => each(&a, &|i, a| a + b[i]),
        ("-", Some(a), Some(b), ..) => each(&a, &|i, a| a - b[i]),
        ("*", Some(a), Some(b), ..) => each(&a, &|i, _| a[i % 2] * b[i / 2 * 2] + a[2 + i % 2] * b[i / 2 * 2 + 1]),
        ("*", Some(a), None, _, Val::F(by)) => each(&a, &|_, a| a * by),
        ("*", None, Some(b), Val::F(by), _) => each(&b, &|_, b| b * by),
        _ => return None,
    })
}

/// What the trait gives of a value.
fn measure(value: &Val) -> u32 {
    match value {
        Val::Way(n) => [1, 5, 9][*n],
        value => {
            let (first, second) = pair(value);
            first ^ second as u32
        }
    }
}

fn scale(value: &Val) -> u32 {
    if matches!(value, Val::Way(_)) { 7 } else { 3 }
}

fn twice(value: &Val) -> u32 {
    measure(value).wrapping_mul(2).wrapping_add(scale(value))
}

/// Whether two values are the same, of which none is a NaN.
fn same(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Some(a), Val::Some(b)) => same(a, b),
        (Val::Parts(a), Val::Parts(b)) => a.iter().zip(b).all(|(a, b)| same(a, b)),
        (a, b) => a == b,
    }
}

fn binary(op: &str, a: &Val, b: &Val) -> Val {
    if let Some(made) = of_pairs(op, a, b).or_else(|| of_matrices(op, a, b)) {
        return made;
    }
    match (a, b) {
        (Val::Some(_) | Val::None(_) | Val::Parts(_), _) => match op {
            "==" => Val::B(same(a, b)),
            "!=" => Val::B(!same(a, b)),
            _ => panic!("{a:?} {op} {b:?}"),
        },
        (Val::U(a), Val::U(b)) => match op {
            "+" => Val::U(a.wrapping_add(*b)),
            "-" => Val::U(a.wrapping_sub(*b)),
            "*" => Val::U(a.wrapping_mul(*b)),
            "/" => Val::U(a.checked_div(*b).unwrap_or(0)),
            "%" => Val::U(a.checked_rem(*b).unwrap_or(0)),
            "^" => Val::U(a ^ b),
            "&" => Val::U(a & b),
            "|" => Val::U(a | b),
            "<<" => Val::U(a.wrapping_shl(*b)),
            ">>" => Val::U(a.wrapping_shr(*b)),
            _ => compared(op, a, b),
        },
        (Val::I(a), Val::I(b)) => match op {
            "+" => Val::I(a.wrapping_add(*b)),
            "-" => Val::I(a.wrapping_sub(*b)),
            "*" => Val::I(a.wrapping_mul(*b)),
            "/" => Val::I(if *b == 0 { 0 } else { a.wrapping_div(*b) }),
            "%" => Val::I(if *b == 0 { 0 } else { a.wrapping_rem(*b) }),
            "^" => Val::I(a ^ b),
            "&" => Val::I(a & b),
            "|" => Val::I(a | b),
            _ => compared(op, a, b),
        },
        (Val::F(a), Val::F(b)) => match op {
            "+" => float(a + b),
            "-" => float(a - b),
            "*" => float(a * b),
            _ => compared(op, a, b),
        },
        (Val::B(a), Val::B(b)) => match op {
            "^" => Val::B(a ^ b),
            "&" => Val::B(a & b),
            "|" => Val::B(a | b),
            _ => compared(op, a, b),
        },
        (Val::Way(a), Val::Way(b)) => compared(op, a, b),
        (a, b) => panic!("{a:?} {op} {b:?}"),
    }
}

fn compared<T: PartialOrd>(op: &str, a: &T, b: &T) -> Val {
    Val::B(match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => panic!("no operator {op}"),
    })
}

fn method(name: &str, a: &Val, args: &[Val]) -> Val {
    match (name, a, args) {
        ("min", Val::U(a), [Val::U(b)]) => Val::U(*a.min(b)),
        ("max", Val::U(a), [Val::U(b)]) => Val::U(*a.max(b)),
        ("rotate_left", Val::U(a), [Val::U(b)]) => Val::U(a.rotate_left(*b)),
        ("count_ones", Val::U(a), []) => Val::U(a.count_ones()),
        ("leading_zeros", Val::U(a), []) => Val::U(a.leading_zeros()),
        ("abs_diff", Val::U(a), [Val::U(b)]) => Val::U(a.abs_diff(*b)),
        ("saturating_sub", Val::U(a), [Val::U(b)]) => Val::U(a.saturating_sub(*b)),
        ("swap_bytes", Val::U(a), []) => Val::U(a.swap_bytes()),
        ("min", Val::I(a), [Val::I(b)]) => Val::I(*a.min(b)),
        ("rem_euclid", Val::I(a), [Val::I(b)]) => Val::I(if *b == 0 { 0 } else { a.wrapping_rem_euclid(*b) }),
        ("checked_add", Val::U(a), [Val::U(b)]) => option(a.checked_add(*b)),
        ("checked_sub", Val::U(a), [Val::U(b)]) => option(a.checked_sub(*b)),
        ("checked_mul", Val::U(a), [Val::U(b)]) => option(a.checked_mul(*b)),
        ("checked_div", Val::U(a), [Val::U(b)]) => option(a.checked_div(*b)),
        ("checked_rem", Val::U(a), [Val::U(b)]) => option(a.checked_rem(*b)),
        ("checked_shl", Val::U(a), [Val::U(b)]) => option(a.checked_shl(*b)),
        ("checked_pow", Val::U(a), [Val::U(b)]) => option(a.checked_pow(*b)),
        ("is_some", a, []) => Val::B(matches!(a, Val::Some(_))),
        ("unwrap_or", Val::Some(a), [_]) => (**a).clone(),
        ("unwrap_or", Val::None(_), [b]) => b.clone(),
        ("or", Val::None(_), [b]) => b.clone(),
        ("or", a, [_]) => a.clone(),
        ("measure", a, []) => Val::U(measure(a)),
        ("twice", a, []) => Val::U(twice(a)),
        ("transpose", Val::Parts(a), []) => Val::Parts([0, 2, 1, 3].map(|i| a[i].clone()).to_vec()),
        ("min", Val::F(a), [Val::F(b)]) => float(a.min(*b)),
        ("max", Val::F(a), [Val::F(b)]) => float(a.max(*b)),
        _ => panic!("{a:?}.{name}({args:?})"),
    }
}

fn option(value: Option<u32>) -> Val {
    match value {
        Some(value) => Val::Some(Box::new(Val::U(value))),
        None => Val::None(Box::new(Val::U(0))),
    }
}

fn cast(value: &Val, to: &Ty) -> Val {
    match (value, to) {
        // A count, which is a `usize`.
        (Val::U(n), Ty::U32) => Val::U(*n),
        (Val::U(n), Ty::I32) => Val::I(*n as i32),
        (Val::U(n), Ty::F32) => Val::F(*n as f32),
        (Val::I(n), Ty::U32) => Val::U(*n as u32),
        (Val::I(n), Ty::F32) => Val::F(*n as f32),
        (Val::B(b), Ty::U32) => Val::U(u32::from(*b)),
        (Val::B(b), Ty::I32) => Val::I(i32::from(*b)),
        (Val::F(f), Ty::U32) => Val::U(*f as u32),
        (Val::F(f), Ty::I32) => Val::I(*f as i32),
        (Val::Way(n), Ty::U32) => Val::U(*n as u32),
        _ => panic!("{value:?} as {to:?}"),
    }
}

impl Walk<'_> {
    /// Runs statements until one leads away.
    fn all(&mut self, body: &[St]) -> Flow {
        body.iter().map(|st| self.statement(st)).find(|flow| *flow != Flow::Next).unwrap_or(Flow::Next)
    }

    /// Where a place is: the positions of its parts; nothing if an index is out of bounds, with the type there.
    fn positions(&mut self, place: &Place) -> Result<Vec<usize>, Ty> {
        let mut positions = Vec::new();
        let mut outside = None;
        for step in &place.path {
            match step {
                Step::Field(n) | Step::Named(n) | Step::Lane(n) => positions.push(*n),
                Step::Index(index, element) => {
                    let at = unsigned(&self.ex(index)) as usize;
                    positions.push(at);
                    let whole = positions[..positions.len() - 1]
                        .iter()
                        .try_fold(&self.variables[&place.var], |value, &at| parts(value).get(at));
                    if whole.is_none_or(|whole| at >= parts(whole).len()) {
                        outside = Some(element.clone());
                    }
                }
            }
        }
        // The type of a part of what is not there.
        match outside {
            None => Ok(positions),
            Some(element) => Err(place.path.iter().rev().take_while(|step| !matches!(step, Step::Index(..))).fold(
                element,
                |_, step| match step {
                    Step::Field(_) => Ty::U32,
                    Step::Named(n) => super::pair()[*n].clone(),
                    Step::Lane(_) => Ty::F32,
                    Step::Index(_, element) => element.clone(),
                },
            )),
        }
    }

    fn load(&mut self, place: &Place) -> Val {
        match self.positions(place) {
            Ok(positions) => positions.iter().fold(&self.variables[&place.var], |value, &at| &parts(value)[at]).clone(),
            Err(ty) => ty.zero(),
        }
    }

    fn store(&mut self, place: &Place, value: Val) {
        let Ok(positions) = self.positions(place) else { return };
        let root = self.variables.get_mut(&place.var).expect("a variable that has a value");
        let at = positions.iter().fold(root, |part, &at| match part {
            Val::Parts(parts) => &mut parts[at],
            other => panic!("{other:?} has no parts"),
        });
        *at = value;
    }

    fn changed(&mut self, place: &Place, op: &str, value: &Val) {
        let old = self.load(place);
        // Pairs have an operator of their own for it.
        let made = of_pairs(&format!("{op}="), &old, value).unwrap_or_else(|| binary(op, &old, value));
        self.store(place, made);
    }

    /// Runs the body of a loop; whether the loop goes on.
    fn round(&mut self, body: &[St]) -> bool {
        self.all(body) != Flow::Break
    }

    fn statement(&mut self, st: &St) -> Flow {
        match st {
            St::Let(var, _, _, value) => {
                let value = self.ex(value);
                self.variables.insert(*var, value);
            }
            St::Bind(pat, value) => {
                let value = self.ex(value);
                assert!(self.fits(pat, &value), "{pat:?} fits every value");
            }
            St::Later(var, _, condition, a, b) => {
                let value = if truth(&self.ex(condition)) { self.ex(a) } else { self.ex(b) };
                self.variables.insert(*var, value);
            }
            St::Assign(to, value) => {
                let value = self.ex(value);
                self.store(to, value);
            }
            St::OpAssign(op, to, value) | St::Through(_, to, op, value) => {
                let value = self.ex(value);
                self.changed(to, op, &value);
            }
            St::Held(asked, _, to, op, value) => {
                let above = |held: &Val| match (asked, held) {
                    (Asked::Guarded(least), Val::U(held)) => held > least,
                    _ => true,
                };
                if let Val::Some(held) = self.load(to)
                    && above(&held)
                {
                    let value = self.ex(value);
                    self.store(to, Val::Some(Box::new(binary(op, &held, &value))));
                }
            }
            St::Fields(_, to, op, values) => {
                for (i, value) in values.iter().enumerate() {
                    let value = self.ex(value);
                    let path = to.path.iter().cloned().chain([Step::Named(i)]).collect();
                    self.changed(&Place { var: to.var, path }, op, &value);
                }
            }
            St::Elements(either, _, to, op, values) => {
                let len = parts(&self.load(to)).len();
                let at = |i: usize| {
                    let step = Step::Index(Box::new(Ex::Lit(Val::U(i as u32))), Ty::U32);
                    Place { var: to.var, path: to.path.iter().cloned().chain([step]).collect() }
                };
                let (first, last) = (at(0), at(len - 1));
                if *either {
                    let one = if unsigned(&self.load(&first)) <= SMALL { first } else { last };
                    let value = self.ex(&values[0]);
                    self.changed(&one, op, &value);
                } else {
                    for (place, value) in [first, last].iter().zip(values) {
                        let value = self.ex(value);
                        self.changed(place, op, &value);
                    }
                }
            }
            St::If(condition, then, otherwise) => {
                return if truth(&self.ex(condition)) { self.all(then) } else { self.all(otherwise) };
            }
            St::For(var, from, to, rev, step, body) => {
                let (from, to) = (unsigned(&self.ex(from)), unsigned(&self.ex(to)));
                let mut rounds: Vec<u32> = (from..to).collect();
                if *rev {
                    rounds.reverse();
                }
                for at in rounds.into_iter().step_by(*step as usize) {
                    self.variables.insert(*var, Val::U(at));
                    if !self.round(body) {
                        break;
                    }
                }
            }
            St::Each(i, var, over, body) => {
                let all = self.load(over);
                for (at, value) in parts(&all).iter().enumerate() {
                    self.variables.insert(*i, Val::U(at as u32));
                    self.variables.insert(*var, value.clone());
                    if !self.round(body) {
                        break;
                    }
                }
            }
            St::EachMut(var, over, value) => {
                let len = parts(&self.load(over)).len();
                for at in 0..len {
                    let mut place = over.clone();
                    place.path.push(Step::Index(Box::new(Ex::Lit(Val::U(at as u32))), Ty::U32));
                    let old = self.load(&place);
                    self.variables.insert(*var, old);
                    let value = self.ex(value);
                    self.changed(&place, "^", &value);
                }
            }
            St::While(counter, rounds, body) => {
                for left in (0..*rounds).rev() {
                    self.variables.insert(*counter, Val::U(left));
                    if !self.round(body) {
                        break;
                    }
                }
            }
            St::Labelled(_, pat, value, leave, body) => {
                let value = self.ex(value);
                if self.fits(pat, &value) && !truth(&self.ex(leave)) {
                    return self.all(body);
                }
            }
            St::Match(value, arms) => {
                let value = self.ex(value);
                for (pat, guard, body) in arms {
                    if self.fits(pat, &value) && self.holds(guard) {
                        return self.all(body);
                    }
                }
                panic!("no arm fits {value:?}");
            }
            St::Jump(on, condition) => {
                if truth(&self.ex(condition)) {
                    return if *on { Flow::Continue } else { Flow::Break };
                }
            }
            St::Expr(value) => _ = self.ex(value),
        }
        Flow::Next
    }

    fn holds(&mut self, guard: &Option<Ex>) -> bool {
        guard.as_ref().is_none_or(|guard| truth(&self.ex(guard)))
    }

    /// Whether a value fits a pattern, whose names then have values.
    fn fits(&mut self, pat: &Pat, value: &Val) -> bool {
        match pat {
            Pat::Any => true,
            Pat::Bind(var) => {
                self.variables.insert(*var, value.clone());
                true
            }
            Pat::Lit(wanted) => wanted == value,
            Pat::Range(low, high) => truth(&binary(">=", value, low)) && truth(&binary("<=", value, high)),
            Pat::Or(cases) => cases.iter().any(|case| self.fits(case, value)),
            Pat::Tuple(pats) | Pat::Pair(pats) | Pat::Array(pats, None) => {
                pats.iter().zip(parts(value)).all(|(pat, part)| self.fits(pat, part))
            }
            Pat::Array(first, Some(last)) => {
                let all = parts(value);
                let behind = &all[all.len() - last.len()..];
                first.iter().zip(all).chain(last.iter().zip(behind)).all(|(pat, part)| self.fits(pat, part))
            }
            Pat::Way(n) => *value == Val::Way(*n),
            Pat::None => matches!(value, Val::None(_)),
            Pat::Some(inner) => match value {
                Val::Some(value) => self.fits(inner, value),
                _ => false,
            },
            Pat::At(var, inner) => {
                self.variables.insert(*var, value.clone());
                self.fits(inner, value)
            }
        }
    }

    fn list(&mut self, all: &[Ex]) -> Vec<Val> {
        all.iter().map(|value| self.ex(value)).collect()
    }

    fn ex(&mut self, expr: &Ex) -> Val {
        match expr {
            Ex::Lit(value) => value.clone(),
            Ex::Read(place) => self.load(place),
            Ex::Input(index) => {
                let at = unsigned(&self.ex(index)) as usize;
                Val::U(self.input.get(at).copied().unwrap_or(0))
            }
            Ex::Unary(op, a) => match (*op, self.ex(a)) {
                ("!", Val::U(a)) => Val::U(!a),
                ("!", Val::I(a)) => Val::I(!a),
                ("!", Val::B(a)) => Val::B(!a),
                ("-", Val::I(a)) => Val::I(a.wrapping_neg()),
                ("-", Val::F(a)) => Val::F(-a),
                ("-", a) if numbers(&a).is_some() => {
                    let negative = |part: &Val| if let Val::F(f) = part { Val::F(-f) } else { part.clone() };
                    Val::Parts(parts(&a).iter().map(negative).collect())
                }
                ("-", a @ Val::Parts(_)) => {
                    let (first, second) = pair(&a);
                    of_pair(!first, second.wrapping_neg())
                }
                (op, a) => panic!("{op}{a:?}"),
            },
            Ex::Binary("&&", a, b) => Val::B(truth(&self.ex(a)) && truth(&self.ex(b))),
            Ex::Binary("||", a, b) => Val::B(truth(&self.ex(a)) || truth(&self.ex(b))),
            Ex::Binary(op, a, b) => {
                let a = self.ex(a);
                let b = self.ex(b);
                binary(op, &a, &b)
            }
            Ex::Method(name, a, args) => {
                let a = self.ex(a);
                let args = self.list(args);
                method(name, &a, &args)
            }
            Ex::Cast(a, to) => {
                let a = self.ex(a);
                cast(&a, to)
            }
            Ex::Tuple(all) | Ex::Array(all) | Ex::Matrix(all) => Val::Parts(self.list(all)),
            Ex::Some(value) => Val::Some(Box::new(self.ex(value))),
            Ex::None(of) => Val::None(Box::new(of.zero())),
            Ex::MapOr(value, otherwise, var, body) => {
                let value = self.ex(value);
                let otherwise = self.ex(otherwise);
                match value {
                    Val::Some(value) => {
                        self.variables.insert(*var, *value);
                        self.ex(body)
                    }
                    _ => otherwise,
                }
            }
            Ex::AndThen(value, var, body, of) => match self.ex(value) {
                Val::Some(value) => {
                    self.variables.insert(*var, *value);
                    self.ex(body)
                }
                // Of another type than the one before.
                _ => Val::None(Box::new(of.zero())),
            },
            Ex::Matches(value, pat, guard) => {
                let value = self.ex(value);
                Val::B(self.fits(pat, &value) && guard.as_ref().is_none_or(|guard| truth(&self.ex(guard))))
            }
            Ex::Measured(a, b) => {
                let (a, b) = (self.ex(a), self.ex(b));
                Val::U((twice(&a) ^ measure(&b)).wrapping_add(scale(&a)))
            }
            Ex::Repeat(value, len) => Val::Parts(vec![self.ex(value); *len]),
            // The second field is written first.
            Ex::Pair(all) => {
                let second = self.ex(&all[1]);
                let first = self.ex(&all[0]);
                Val::Parts(vec![first, second])
            }
            Ex::Block(body, value) => {
                self.all(body);
                self.ex(value)
            }
            Ex::If(condition, a, b) => {
                if truth(&self.ex(condition)) {
                    self.ex(a)
                } else {
                    self.ex(b)
                }
            }
            Ex::IfLet(pat, value, condition, a, b) => {
                let value = self.ex(value);
                if self.fits(pat, &value) && truth(&self.ex(condition)) { self.ex(a) } else { self.ex(b) }
            }
            Ex::Match(value, arms) => {
                let value = self.ex(value);
                for (pat, guard, result) in arms {
                    if self.fits(pat, &value) && self.holds(guard) {
                        return self.ex(result);
                    }
                }
                panic!("no arm fits {value:?}");
            }
            Ex::Closure(var, body, a, b) => {
                let call = |walk: &mut Self, arg: &Ex| {
                    let arg = walk.ex(arg);
                    walk.variables.insert(*var, arg);
                    unsigned(&walk.ex(body))
                };
                let first = call(self, a);
                Val::U(first ^ call(self, b))
            }
            Ex::Call(helper, args) => self.call(&self.program.helpers[*helper], args),
            Ex::Iterate(over, adapters, consumer) => self.iterate(over, adapters, consumer),
            Ex::Loop(counter, rounds, body, value) => {
                for round in 1..=*rounds {
                    self.variables.insert(*counter, Val::U(round));
                    self.all(body);
                }
                self.variables.insert(*counter, Val::U(rounds + 1));
                self.ex(value)
            }
        }
    }

    fn call(&mut self, helper: &Helper, args: &[Arg]) -> Val {
        let mut inner = Walk { program: self.program, input: self.input, variables: BTreeMap::new() };
        let mut lent = Vec::new();
        for (arg, (var, param)) in args.iter().zip(&helper.params) {
            let value = match arg {
                Arg::Value(value) => self.ex(value),
                Arg::Part(place, _, from, to) => {
                    let (from, to) = (unsigned(&self.ex(from)) as usize, unsigned(&self.ex(to)) as usize);
                    let whole = self.load(place);
                    let len = parts(&whole).len();
                    // A part ends where the whole ends, and is empty if it ends before it begins.
                    let to = to.min(len);
                    let from = from.min(to);
                    lent.push((*var, param.clone(), place, from));
                    Val::Parts(parts(&whole)[from..to].to_vec())
                }
            };
            inner.variables.insert(*var, value);
        }
        inner.all(&helper.body);
        let (early, value) = &helper.early;
        let result = match truth(&inner.ex(early)) {
            true => inner.ex(value),
            false => match helper.tried.as_ref().map(|(var, value)| (*var, inner.ex(value))) {
                // What the function gives instead is of its own type.
                Some((_, Val::None(_))) => helper.result.zero(),
                Some((var, Val::Some(value))) => {
                    inner.variables.insert(var, *value);
                    inner.ex(&helper.value)
                }
                _ => inner.ex(&helper.value),
            },
        };
        for (var, param, place, from) in lent {
            if param == Param::Part(true) {
                for (at, value) in parts(&inner.variables[&var]).iter().enumerate() {
                    let mut place = place.clone();
                    place.path.push(Step::Index(Box::new(Ex::Lit(Val::U((from + at) as u32))), Ty::U32));
                    self.store(&place, value.clone());
                }
            }
        }
        result
    }

    fn iterate(&mut self, over: &Place, adapters: &[Adapter], consumer: &Consumer) -> Val {
        let mut all: Vec<Val> = parts(&self.load(over)).to_vec();
        let mut stages: &[Adapter] = adapters;
        // What only picks elements comes first; the rest is done element by element.
        while let [first, rest @ ..] = stages {
            match first {
                Adapter::Rev => all.reverse(),
                Adapter::Skip(n) => _ = all.drain(..(*n as usize).min(all.len())),
                Adapter::Take(n) => all.truncate(*n as usize),
                Adapter::StepBy(n) => all = all.into_iter().step_by(*n as usize).collect(),
                Adapter::Map(..) | Adapter::Filter(..) => break,
            }
            stages = rest;
        }
        let (mut sum, mut count) = (0u32, 0u32);
        let (mut any, mut every) = (false, true);
        let mut folded = match consumer {
            Consumer::Fold(first, ..) => self.ex(first),
            _ => Val::U(0),
        };
        'elements: for mut value in all {
            for stage in stages {
                let (Adapter::Map(var, body) | Adapter::Filter(var, body)) = stage else {
                    panic!("{stage:?} stands behind others");
                };
                self.variables.insert(*var, value.clone());
                let made = self.ex(body);
                match stage {
                    Adapter::Map(..) => value = made,
                    _ if !truth(&made) => continue 'elements,
                    _ => {}
                }
            }
            match consumer {
                Consumer::Sum => sum = sum.wrapping_add(unsigned(&value)),
                Consumer::Count => count += 1,
                Consumer::Any(var, body) | Consumer::All(var, body) => {
                    self.variables.insert(*var, value);
                    let holds = truth(&self.ex(body));
                    (any, every) = (any || holds, every && holds);
                }
                Consumer::Fold(_, so_far, var, body) => {
                    self.variables.insert(*so_far, folded);
                    self.variables.insert(*var, value);
                    folded = self.ex(body);
                }
            }
        }
        match consumer {
            Consumer::Sum => Val::U(sum),
            Consumer::Count => Val::U(count),
            Consumer::Any(..) => Val::B(any),
            Consumer::All(..) => Val::B(every),
            Consumer::Fold(..) => folded,
        }
    }
}
