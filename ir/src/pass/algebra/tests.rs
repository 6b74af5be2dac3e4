//! That rules are applied where they fit and nowhere else. That they are true is tried in
//! `table` and `shape`.

use super::algebra;
use super::rule::{Constants, NAMES, Name, Rule, Term};
use super::table::TABLES;
use crate::check::{Checked, check};
use crate::clock::thread_time;
use crate::flags::Flags;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Function, InstKind, Module, Value};
use crate::loc::Loc;
use crate::ops::Op;
use crate::scalar::Lanes;
use crate::text::{parse, print};
use crate::types::{Scalar, Type, Types};
use samebits_random::Random;

/// A function whose body is a rule's left side, between values that nothing is known of.
struct Case {
    function: Function,
    names: [Option<Value>; NAMES],
    ty: Scalar,
}

fn scalar_of(name: Name, ty: Scalar) -> Scalar {
    match name {
        Name::X | Name::Y | Name::Z | Name::K | Name::A | Name::B => ty,
        Name::N | Name::M | Name::I | Name::J => Scalar::U32,
        Name::P | Name::Q => Scalar::Bool,
    }
}

impl Case {
    fn of(rule: &Rule, ty: Scalar, constants: Constants) -> Function {
        let function = Function::new("k", [1, 1, 1], Loc::NONE);
        let mut case = Self { function, names: [None; NAMES], ty };
        for (name, bits) in
            [(Name::A, constants.a), (Name::B, constants.b), (Name::I, constants.i), (Name::J, constants.j)]
        {
            case.names[name as usize] = Some(case.function.constant(scalar_of(name, ty), bits));
        }
        let root = case.op(rule.op, rule.args);
        // A use, so that the value is looked up once more.
        let inst = InstKind::Return(vec![root]);
        let inst = case.function.insts.push(crate::ir::InstDef { kind: inst, results: Vec::new(), loc: Loc::NONE });
        let body = case.function.body;
        case.function.regions[body].insts.push(inst);
        case.function
    }

    fn value(&mut self, ty: Type) -> Value {
        self.function.values.push(crate::ir::ValueDef { ty, constant: None, name: None })
    }

    fn push(&mut self, op: Op, args: Vec<Value>) -> Value {
        let types: Vec<Type> = args.iter().map(|&arg| self.function.ty(arg)).collect();
        let ty = op.result(&types, None).expect("a rule is well typed");
        let value = self.value(ty);
        let def = crate::ir::InstDef { kind: InstKind::Op(op, args), results: vec![value], loc: Loc::NONE };
        let inst = self.function.insts.push(def);
        let body = self.function.body;
        self.function.regions[body].insts.push(inst);
        value
    }

    fn term(&mut self, term: Term) -> Value {
        match term {
            Term::Name(name) => match self.names[name as usize] {
                Some(value) => value,
                None => {
                    let value = self.value(Type::Scalar(scalar_of(name, self.ty)));
                    // A root makes no NaN but the canonical one.
                    let value = if name == Name::K { self.push(Op::Sqrt, vec![value]) } else { value };
                    self.names[name as usize] = Some(value);
                    value
                }
            },
            Term::Number(number) => {
                let ty = number.scalar(self.ty);
                self.function.constant(ty, number.bits(ty))
            }
            Term::Op(op, args) => self.op(op, args),
        }
    }

    fn op(&mut self, op: Op, args: &[Term]) -> Value {
        let args = args.iter().map(|arg| self.term(*arg)).collect();
        self.push(op, args)
    }
}

fn ops(function: &Function) -> usize {
    function.regions[function.body].insts.len()
}

/// Constants that the rule is about.
fn constants(rule: &Rule, ty: Scalar) -> Option<Constants> {
    let few = [6, 0xf0, 12, 3, 8, 5, 1, 7, 9, 16, 0, 2, 250, 255];
    let few = few.into_iter().chain([0x4000, 0x4400, 0x4000_0000, 0x40a0_0000, 0x4000_0000_0000_0000, ty.mask()]);
    let few: Vec<u64> = few.map(|bits| bits & ty.mask()).collect();
    let counts = [3, 5, 0, 4, u64::from(ty.bits()).saturating_sub(3), u64::from(ty.bits()).saturating_sub(5)];
    for &a in &few {
        for &b in &few {
            for i in counts {
                for j in counts {
                    let constants = Constants { ty, a, b, i, j };
                    if rule.condition.is_none_or(|condition| condition(constants)) {
                        return Some(constants);
                    }
                }
            }
        }
    }
    None
}

#[test]
fn every_rule_is_applied() {
    let mut missed = Vec::new();
    for rule in TABLES.iter().copied().flatten() {
        let mut applied = false;
        for ty in rule.class.members() {
            let Some(constants) = constants(rule, ty) else { continue };
            let mut function = Case::of(rule, ty, constants);
            let before = ops(&function);
            let changed = algebra(&mut function);
            crate::pass::dce(&mut function);
            assert!(ops(&function) <= before, "{rule:?} for {} makes more of less", ty.name());
            applied |= changed;
            assert!(!algebra(&mut function), "{rule:?} for {} goes on", ty.name());
        }
        if !applied {
            missed.push(format!("{rule:?}"));
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[track_caller]
fn checked(body: &str) -> Checked {
    let source = format!(
        "func kernel workgroup_size(2, 1, 1) @k(%n: u32, %m: u32, %f: f32, %s: i32, %t: i8, %y: mut [u32]) {{ {body} }}"
    );
    let source = source.replace("%y: mut", "@y: mut");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)))
}

fn bytes(checked: &Checked, input: u32) -> Vec<u8> {
    let words = Words::from_bytes(&[7; 32]);
    let scalar = |bits: u32| Arg::Scalar([bits.into(), 0, 0, 0]);
    let args = [
        scalar(input),
        scalar(input.rotate_left(7)),
        scalar(input),
        scalar(!input),
        scalar(input & 0xff),
        Arg::Buffer { words: &words, offset: 0, len: 8 },
    ];
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a function").run([1, 1, 1], &args, &options).expect("no fault");
    words.read(0..32)
}

/// Asserts what a body becomes, and that it does the same.
#[track_caller]
fn becomes(body: &str, expected: &str) {
    let before = checked(body);
    let mut module: Module = before.clone().into_flat_module();
    algebra(&mut module.functions[0]);
    let after = crate::check::check_image(module).expect("a sound module");
    for input in [0, 1, 5, 0x7fc0_0000, 0x7fc0_0001, 0xff80_0001, 0x8000_0000, u32::MAX, 0x1234_5678, 0x00ff_ff00] {
        assert_eq!(bytes(&after, input), bytes(&before, input), "for {input:#x}:\n{}", print(after.module()));
    }
    let (actual, expected) = (print(after.module()), print(checked(expected).module()));
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

#[track_caller]
fn stays(body: &str) {
    becomes(body, body);
}

#[test]
fn a_constant_stands_last() {
    becomes(
        "%a = add 5u32, %n %c = lt 5u32, %n %r = select %c, %a, 9u32 store @y[0u32], %r ret",
        "%a = add %n, 5u32 %c = gt %n, 5u32 %r = select %c, %a, 9u32 store @y[0u32], %r ret",
    );
}

#[test]
fn operands_of_inner_ops_are_tried_in_both_orders() {
    for sum in ["add %n, %m", "add %m, %n"] {
        becomes(
            &format!("%a = {sum} %b = sub %a, %m store @y[0u32], %b ret"),
            &format!("%a = {sum} store @y[0u32], %n ret"),
        );
    }
}

#[test]
fn a_chain_of_constants_is_one() {
    becomes(
        "%a = add %n, 5u32 %b = add %a, 7u32 %c = sub %b, 2u32 %d = add 1u32, %c store @y[0u32], %d ret",
        "%a = add %n, 5u32 %b = add %n, 12u32 %c = add %n, 10u32 %d = add %n, 11u32 store @y[0u32], %d ret",
    );
}

#[test]
fn a_value_of_another_region_is_looked_through() {
    becomes(
        "%a = xor %n, %m
         %c = lt %n, 3u32
         if %c { %b = xor %a, %m store @y[0u32], %b }
         ret",
        "%a = xor %n, %m
         %c = lt %n, 3u32
         if %c { store @y[0u32], %n }
         ret",
    );
}

#[test]
fn a_factor_is_not_taken_out_if_the_products_are_needed() {
    let products = "%a = mul %n, %m %b = mul %n, %s2 %c = add %a, %b";
    let before = format!("%s2 = len @y {products} store @y[0u32], %c");
    stays(&format!("{before} store @y[1u32], %a store @y[2u32], %b ret"));
    becomes(
        &format!("{before} ret"),
        "%s2 = len @y %a = mul %n, %m %b = mul %n, %s2 %0 = add %m, %s2 %c = mul %n, %0 store @y[0u32], %c ret",
    );
}

#[test]
fn lanes_are_found_through_insertions_and_choices() {
    becomes(
        "%c = eq %n, 4u32
         %v = vec %n, 1u32
         %w = vec %m, 2u32
         %i = insert %v, 1u32, %m
         %p = extract %i, 0u32
         %q = extract %i, 1u32
         %z = select %c, %v, %w
         %r = extract %z, 0u32
         store @y[0u32], %p
         store @y[1u32], %q
         store @y[2u32], %r
         ret",
        "%c = eq %n, 4u32
         %v = vec %n, 1u32
         %w = vec %m, 2u32
         %i = vec %n, %m
         %z = select %c, %v, %w
         %r = select %c, %n, %m
         store @y[0u32], %n
         store @y[1u32], %m
         store @y[2u32], %r
         ret",
    );
}

#[test]
fn a_vector_of_all_lanes_of_a_vector_is_that_vector() {
    becomes(
        "%v = load vec2<u32> @y[0u32]
         %a = extract %v, 0u32
         %b = extract %v, 1u32
         %w = vec %a, %b
         %x = vec %b, %a
         store @y[2u32], %w
         store @y[4u32], %x
         ret",
        "%v = load vec2<u32> @y[0u32]
         %a = extract %v, 0u32
         %b = extract %v, 1u32
         %x = vec %b, %a
         store @y[2u32], %v
         store @y[4u32], %x
         ret",
    );
}

#[test]
fn laws_without_constants_are_for_vectors_too() {
    becomes(
        "%v = load vec2<u32> @y[0u32]
         %w = load vec2<u32> @y[2u32]
         %a = xor %v, %w
         %b = xor %a, %w
         store @y[4u32], %b
         %z = sub %v, %v
         store @y[6u32], %z
         ret",
        "%v = load vec2<u32> @y[0u32]
         %w = load vec2<u32> @y[2u32]
         %a = xor %v, %w
         store @y[4u32], %v
         %z = sub %v, %v
         store @y[6u32], %z
         ret",
    );
}

#[test]
fn casts_between_are_left_out() {
    becomes(
        "%a = cast %t to i32
         %b = cast %a to i8
         %c = cast %b to u32
         %d = cast %s to i8
         %e = cast %d to u8
         %f1 = cast %e to u32
         store @y[0u32], %c
         store @y[1u32], %f1
         ret",
        "%a = cast %t to i32
         %c = cast %t to u32
         %d = cast %s to i8
         %e = cast %s to u8
         %f1 = cast %e to u32
         store @y[0u32], %c
         store @y[1u32], %f1
         ret",
    );
    // The sign is lost on the way.
    stays("%a = cast %t to u8 %b = cast %a to u32 store @y[0u32], %b ret");
}

#[test]
fn bits_of_a_nan_stay_where_arithmetic_would_change_them() {
    for op in ["mul %f, 1.0f32", "add %f, -0.0f32", "sub %f, 0.0f32", "min %f, %f", "add %f, 0.0f32"] {
        stays(&format!("%a = {op} %b = bitcast %a to u32 store @y[0u32], %b ret"));
    }
    becomes(
        "%q = add %f, 2.5f32 %a = mul %q, 1.0f32 %b = sub %a, 0.0f32 %c = bitcast %b to u32 store @y[0u32], %c ret",
        "%q = add %f, 2.5f32 %c = bitcast %q to u32 store @y[0u32], %c ret",
    );
    // A zero's sign goes even there.
    stays("%q = mul %f, 2.5f32 %a = add %q, 0.0f32 %c = bitcast %a to u32 store @y[0u32], %c ret");
}

#[test]
fn a_choice_of_floats_is_no_minimum() {
    stays("%g = bitcast %m to f32 %c = lt %f, %g %r = select %c, %f, %g %b = bitcast %r to u32 store @y[0u32], %b ret");
    stays("%g = bitcast %m to f32 %c = lt %f, %g %d = not %c if %d { store @y[0u32], 1u32 } ret");
}

#[test]
fn a_quotient_by_a_power_of_two_is_a_product_or_a_shift() {
    becomes(
        "%a = div %f, 8.0f32 %b = bitcast %a to u32 store @y[0u32], %b ret",
        "%a = mul %f, 0.125f32 %b = bitcast %a to u32 store @y[0u32], %b ret",
    );
    becomes(
        "%a = div %n, 8u32 %b = rem %n, 8u32 store @y[0u32], %a store @y[1u32], %b ret",
        "%a = shr %n, 3u32 %b = and %n, 7u32 store @y[0u32], %a store @y[1u32], %b ret",
    );
    // The quotient of a negative number rounds up.
    stays("%a = div %s, 8i32 %b = bitcast %a to u32 store @y[0u32], %b ret");
    stays("%a = div %f, 3.0f32 %b = bitcast %a to u32 store @y[0u32], %b ret");
}

#[test]
fn what_is_said_to_be_nonuniform_stays() {
    let source = "%a = nonuniform add %n, 0u32 %b = nonuniform xor %n, %m %c = xor %b, %m store @y[0u32], %a store @y[1u32], %c ret";
    stays(source);
    let function = &checked(source).into_flat_module().functions[0];
    assert!(function.insts.ids().any(|inst| function.flags[inst].has(Flags::NONUNIFORM)));
}

#[test]
fn effects_keep_their_order() {
    becomes(
        "%a = load u32 @y[1u32]
         %b = add %a, 0u32
         store @y[1u32], 5u32
         %c = load u32 @y[1u32]
         %d = xor %c, %b
         %e = xor %d, %c
         barrier
         store @y[0u32], %e
         ret",
        "%a = load u32 @y[1u32]
         store @y[1u32], 5u32
         %c = load u32 @y[1u32]
         %d = xor %c, %a
         barrier
         store @y[0u32], %a
         ret",
    );
}

/// Bits that often are near an edge.
fn bits(random: &mut Random, ty: Scalar) -> u64 {
    let near = [0, 1, 2, 3, 4, 8, ty.mask(), ty.mask() - 1, ty.mask() >> 1, 1 << (ty.bits() - 1)];
    let floats = [0x3c00, 0x7e01, 0x3f80_0000, 0x7fc0_0001, 0xff80_0001, 0x3ff0_0000_0000_0000, 0x7ff8_0000_0000_0001];
    let bits = match random.below(3) {
        0 => near[random.below(near.len())],
        1 => floats[random.below(floats.len())],
        _ => random.bits(),
    };
    bits & ty.mask()
}

/// Ops on values of all types; all of them are returned.
fn ops_at_random(random: &mut Random) -> Function {
    let mut case = Case { function: Function::new("k", [1, 1, 1], Loc::NONE), names: [None; NAMES], ty: Scalar::U32 };
    let vectors = [Type::Vector(Scalar::U32, 2), Type::Vector(Scalar::F32, 3), Type::Vector(Scalar::Bool, 2)];
    let types: Vec<Type> = Scalar::ALL.iter().copied().map(Type::Scalar).chain(vectors).collect();
    let mut values: Vec<Value> = types.iter().chain(&types).map(|&ty| case.value(ty)).collect();
    let body = case.function.body;
    case.function.regions[body].params = values.clone();
    let few = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Neg,
        Op::And,
        Op::Or,
        Op::Xor,
        Op::Not,
        Op::Shl,
        Op::Shr,
        Op::Min,
        Op::Max,
        Op::Select,
        Op::Eq,
        Op::Lt,
        Op::Cast,
        Op::Bitcast,
        Op::Construct,
        Op::Extract,
        Op::Insert,
    ];
    while values.len() < 150 {
        let op = if random.below(3) == 0 { Op::ALL[random.below(Op::ALL.len())] } else { few[random.below(few.len())] };
        let stated = op.info().signature.states_result().then(|| types[random.below(types.len())]);
        let (fewest, most) = op.info().signature.arity();
        // The first operand that fits decides what the others may be.
        for _ in 0..20 {
            let count = fewest + random.below(most - fewest + 1);
            let first = case.function.ty(values[random.below(values.len())]);
            let operands = match op.info().signature.types(first) {
                Some((operands, _)) => operands,
                None if op == Op::Select => vec![Type::BOOL, first, first],
                None => vec![first; count],
            };
            let args: Option<Vec<Value>> = operands
                .iter()
                .map(|&ty| {
                    let fit: Vec<Value> =
                        values.iter().copied().filter(|&value| case.function.ty(value) == ty).collect();
                    match ty {
                        Type::Scalar(scalar) if fit.is_empty() || random.below(3) == 0 => {
                            let bits = bits(random, scalar);
                            Some(case.function.constant(scalar, bits))
                        }
                        _ if fit.is_empty() => None,
                        // The last ones are more often related.
                        _ => Some(fit[fit.len() - 1 - random.below(fit.len().min(4))]),
                    }
                })
                .collect();
            let Some(args) = args else { continue };
            let Some(ty) = op.result(&operands, stated) else { continue };
            let value = case.value(ty);
            let def = crate::ir::InstDef { kind: InstKind::Op(op, args), results: vec![value], loc: Loc::NONE };
            let inst = case.function.insts.push(def);
            case.function.regions[body].insts.push(inst);
            values.push(value);
            break;
        }
    }
    let def = crate::ir::InstDef { kind: InstKind::Return(values), results: Vec::new(), loc: Loc::NONE };
    let inst = case.function.insts.push(def);
    case.function.regions[body].insts.push(inst);
    case.function
}

/// What a function of ops returns.
fn returned(function: &Function, inputs: &[Lanes]) -> Vec<Lanes> {
    let mut values: Vec<Lanes> = vec![[0; 4]; function.values.len()];
    for (value, def) in function.values.iter() {
        values[value.index()][0] = def.constant.unwrap_or(0);
    }
    for (param, input) in function.regions[function.body].params.iter().zip(inputs) {
        values[param.index()] = *input;
    }
    for &inst in &function.regions[function.body].insts {
        let def = &function.insts[inst];
        match &def.kind {
            InstKind::Op(op, args) => {
                let types: Vec<Type> = args.iter().map(|&arg| function.ty(arg)).collect();
                let ty = function.ty(def.results[0]);
                assert_eq!(op.result(&types, Some(ty)), Some(ty), "{op:?}");
                let args: Vec<Lanes> = args.iter().map(|&arg| values[arg.index()]).collect();
                values[def.results[0].index()] = op.eval(&types, ty, &args);
            }
            InstKind::Return(args) => return args.iter().map(|&arg| values[arg.index()]).collect(),
            other => panic!("{other:?}"),
        }
    }
    Vec::new()
}

#[test]
fn random_ops_of_all_types_give_the_same_bits() {
    let mut fewer = 0;
    for seed in 1..400u64 {
        let mut random = Random::new(seed);
        let before = ops_at_random(&mut random);
        let mut after = before.clone();
        algebra(&mut after);
        fewer += ops(&before).saturating_sub(ops(&after));
        for _ in 0..6 {
            let params = &before.regions[before.body].params;
            let inputs: Vec<Lanes> = params
                .iter()
                .map(|&param| {
                    let ty = before.ty(param);
                    let mut lanes = [0; 4];
                    lanes[..ty.lanes()].fill_with(|| bits(&mut random, ty.lane().unwrap_or(Scalar::U32)));
                    lanes
                })
                .collect();
            assert_eq!(returned(&after, &inputs), returned(&before, &inputs), "seed {seed}: {inputs:x?}");
        }
    }
    assert!(fewer > 4000, "only {fewer} ops are fewer");
}

#[test]
fn ten_thousand_ops_take_no_noticeable_time() {
    let mut b = crate::builder::Builder::new("k", [1, 1, 1]);
    let mut values = vec![b.builtin(crate::ops::Builtin::GlobalIdX), b.builtin(crate::ops::Builtin::GlobalIdY)];
    let all = [Op::Add, Op::And, Op::Or, Op::Xor, Op::Sub, Op::Mul, Op::Shl, Op::Shr, Op::Min, Op::Not, Op::Neg];
    for i in 0..10_000usize {
        let op = all[i * i % 11];
        let at = |i: usize| values[values.len() - 1 - i % values.len().min(97)];
        let (a, c) = (at((i * 7919) >> 3), at((i * 104_729) >> 5));
        let args = if op == Op::Not || op == Op::Neg { vec![a] } else { vec![a, c] };
        values.push(b.op(op, &args));
    }
    b.ret();
    let mut module = b.into_module(Types::default());
    let start = thread_time();
    algebra(&mut module.functions[0]);
    let taken = thread_time() - start;
    assert!(taken.as_millis() < 2000, "{taken:?}");
}
