//! The instructions of `float_fused` and `float_remainder` as they stand in a module, computed here, against
//! Rust's arithmetic.

use super::Target;
use super::op_tests::emitted;
use crate::soft::plan::{Form, Group, Native};
use crate::text::parse;
use crate::types::Scalar;
use rspirv::dr::{Instruction, Module, Operand};
use samebits_random::Random;
use spirv::{GlslStd450Op as Glsl, Op as Spirv};
use std::collections::BTreeMap;

const FRACTION: u64 = (1 << 52) - 1;
const SIGN: u64 = 1 << 63;

/// A kernel with two of each op, for a target that has the forms.
fn module() -> Module {
    let native = [Scalar::I64, Scalar::F64].into_iter().fold(Native::SOFTWARE, Native::having);
    let groups = [Group::Sum64, Group::Product64, Group::Quotient64];
    let exact = groups.into_iter().fold(native, |it, group| it.with(group, Form::Exact));
    let split = [Group::Fused64, Group::Remainder64].into_iter().fold(exact, |it, group| {
        assert!(exact.allows(group, Form::Split) && !native.allows(group, Form::Split));
        it.with(group, Form::Split)
    });
    let text = "func kernel workgroup_size(1, 1, 1) @k(@x: [f64], @y: mut [f64]) {
        %a = load f64 @x[0u32]
        %b = load f64 @x[1u32]
        %c = load f64 @x[2u32]
        %r = fma %a, %b, %c
        %s = fma %r, 3.0f64, %b
        %t = rem %s, %a
        %u = rem %t, 3.0f64
        store @y[0u32], %u
        ret
    }";
    let module = parse(text).unwrap_or_else(|diags| panic!("{diags:?}"));
    emitted(module, &[Target { native: split, ..Target::VULKAN }])
}

/// An instruction that is to be computed: the places of its operands, and that of its result.
struct Step {
    op: Spirv,
    /// The function of `GLSL.std.450`, or 0.
    function: u32,
    operands: Vec<usize>,
    result: usize,
}

/// Where a block goes: to the first one if the value is not zero, else to the second one.
enum End {
    Return(usize),
    Go(Option<usize>, [u32; 2]),
}

struct Block {
    label: u32,
    steps: Vec<Step>,
    end: End,
}

/// A function of floats: its blocks, and values with the constants and the variables among them.
struct Steps {
    blocks: Vec<Block>,
    params: Vec<usize>,
    values: Vec<u64>,
}

impl Steps {
    /// The function that has so many parameters.
    fn of(module: &Module, params: usize) -> Self {
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut values = Vec::new();
        let mut place = |id: u32, bits: u64| {
            *places.entry(id).or_insert_with(|| {
                values.push(bits);
                values.len() - 1
            })
        };
        for constant in module.types_global_values.iter().filter(|it| it.class.opcode == Spirv::Constant) {
            let bits = match constant.operands[0] {
                Operand::LiteralBit32(word) => word.into(),
                Operand::LiteralBit64(bits) => bits,
                _ => panic!("no literal"),
            };
            place(constant.result_id.expect("an id"), bits);
        }
        let function = module.functions.iter().find(|function| function.parameters.len() == params);
        let function = function.expect("the function");
        for id in function.all_inst_iter().filter_map(|inst| inst.result_id) {
            place(id, 0);
        }
        let ids = |inst: &Instruction| -> Vec<u32> { inst.operands.iter().filter_map(Operand::id_ref_any).collect() };
        let known = |inst: &Instruction| -> Vec<usize> {
            ids(inst).into_iter().filter_map(|id| places.get(&id).copied()).collect()
        };
        let block = |block: &rspirv::dr::Block| {
            let (last, insts) = block.instructions.split_last().expect("an end");
            let end = match (last.class.opcode, ids(last).as_slice()) {
                (Spirv::ReturnValue, [value]) => End::Return(places[value]),
                (Spirv::Branch, &[to]) => End::Go(None, [to, to]),
                (Spirv::BranchConditional, &[condition, accept, reject]) => {
                    End::Go(Some(places[&condition]), [accept, reject])
                }
                (op, _) => panic!("{op:?}"),
            };
            let declares = |inst: &&Instruction| {
                matches!(inst.class.opcode, Spirv::Variable | Spirv::LoopMerge | Spirv::SelectionMerge)
            };
            let step = |inst: &Instruction| {
                let function = inst.operands.iter().find_map(|operand| match operand {
                    Operand::LiteralExtInstInteger(number) => Some(*number),
                    _ => None,
                });
                let operands = known(inst);
                // A store's result is its variable.
                let result = inst.result_id.map_or(operands[0], |id| places[&id]);
                Step { op: inst.class.opcode, function: function.unwrap_or(0), operands, result }
            };
            let label = block.label.as_ref().and_then(|label| label.result_id).expect("a label");
            Block { label, steps: insts.iter().filter(|inst| !declares(inst)).map(step).collect(), end }
        };
        let blocks = function.blocks.iter().map(block).collect();
        let params = function.parameters.iter().map(|inst| places[&inst.result_id.expect("an id")]).collect();
        Self { blocks, params, values }
    }

    /// The result, where the step at `fault`, if any, gives one of its operands instead.
    fn run(&mut self, operands: &[f64], fault: Option<([usize; 2], usize)>) -> f64 {
        for (&param, operand) in self.params.iter().zip(operands) {
            self.values[param] = operand.to_bits();
        }
        let mut at = 0;
        // Nothing runs for long but what has a fault.
        for _ in 0..1000 {
            let block = &self.blocks[at];
            for (number, step) in block.steps.iter().enumerate() {
                let operand = |i: usize| step.operands.get(i).map_or(0, |&place| self.values[place]);
                let value = match fault {
                    Some((planted, i)) if planted == [at, number] => operand(i),
                    _ => value(step, [operand(0), operand(1), operand(2)]),
                };
                self.values[step.result] = value;
            }
            let to = match block.end {
                End::Return(value) => return f64::from_bits(self.values[value]),
                End::Go(condition, ends) => {
                    let is_first = condition.is_none_or(|condition| self.values[condition] != 0);
                    ends[usize::from(!is_first)]
                }
            };
            at = self.blocks.iter().position(|block| block.label == to).expect("a block");
        }
        f64::from_bits(1)
    }

    /// The faults that no operands find.
    fn missed(&mut self, operands: &[Vec<f64>], right: fn(&[f64]) -> f64) -> Vec<([usize; 2], Spirv, usize)> {
        let mut missed = Vec::new();
        for block in 0..self.blocks.len() {
            for number in 0..self.blocks[block].steps.len() {
                let step = &self.blocks[block].steps[number];
                let (op, count) = (step.op, if is_work(step.op) { step.operands.len() } else { 0 });
                // What is chosen, but no condition, which the operand of a test against zero is, too.
                let first = usize::from(matches!(op, Spirv::Select | Spirv::INotEqual));
                for operand in first..count {
                    let fault = Some(([block, number], operand));
                    if !operands.iter().any(|operands| !same(self.run(operands, fault), right(operands))) {
                        missed.push(([block, number], op, operand));
                    }
                }
            }
        }
        missed
    }

    /// How many instructions there are, but for those that change nothing.
    fn count(&self) -> usize {
        self.blocks.iter().flat_map(|block| &block.steps).filter(|step| is_work(step.op)).count()
    }
}

fn is_work(op: Spirv) -> bool {
    !matches!(op, Spirv::Bitcast | Spirv::Load | Spirv::Store)
}

fn value(step: &Step, [a, b, c]: [u64; 3]) -> u64 {
    let [x, y] = [a, b].map(f64::from_bits);
    match step.op {
        Spirv::Bitcast | Spirv::Load => a,
        Spirv::Store => b,
        Spirv::FAdd => (x + y).to_bits(),
        Spirv::FSub => (x - y).to_bits(),
        Spirv::FMul => (x * y).to_bits(),
        Spirv::FDiv => (x / y).to_bits(),
        Spirv::IAdd => a.wrapping_add(b),
        Spirv::ISub => a.wrapping_sub(b),
        Spirv::ShiftLeftLogical => a << b,
        Spirv::ShiftRightLogical => a >> b,
        Spirv::ShiftRightArithmetic => (a as i64 >> b) as u64,
        Spirv::BitwiseAnd => a & b,
        Spirv::BitwiseOr => a | b,
        Spirv::BitwiseXor => a ^ b,
        Spirv::IEqual => (a == b).into(),
        Spirv::INotEqual => (a != b).into(),
        Spirv::LogicalAnd => a & b,
        Spirv::SLessThan => ((a as i64) < b as i64).into(),
        Spirv::ULessThan => (a < b).into(),
        Spirv::UGreaterThan => (a > b).into(),
        Spirv::Select => [c, b][usize::from(a != 0)],
        Spirv::ExtInst if step.function == Glsl::UMin as u32 => a.min(b),
        Spirv::ExtInst if step.function == Glsl::SMin as u32 => (a as i64).min(b as i64) as u64,
        Spirv::ExtInst if step.function == Glsl::UMax as u32 => a.max(b),
        op => panic!("{op:?}"),
    }
}

/// A fraction that has few ones, few zeros, or any bits.
fn fraction(random: &mut Random) -> u64 {
    let (bits, place) = (random.bits(), random.below(52));
    let fraction = match random.below(6) {
        0 => 0,
        1 => FRACTION,
        2 => bits & FRACTION >> place,
        3 => bits << place,
        4 => (1u64 << place).wrapping_sub(bits % 3),
        _ => bits,
    };
    fraction & FRACTION
}

/// A number of any sign whose exponent has such a field, or the nearest one there is.
fn number(random: &mut Random, field: i64) -> f64 {
    let field = field.clamp(0, 2046) as u64;
    f64::from_bits(random.bits() & SIGN | field << 52 | fraction(random))
}

fn any_field(random: &mut Random) -> i64 {
    random.below(2047) as i64
}

/// From -n to n.
fn around(random: &mut Random, n: usize) -> i64 {
    random.below(2 * n + 1) as i64 - n as i64
}

/// The field of the second factor of a product whose field is about `product`.
fn other_field(field: i64, product: i64) -> i64 {
    product + 1023 - field
}

/// What is left of the product's leading bits is little or nothing.
fn opposite(random: &mut Random, a: f64, b: f64) -> f64 {
    let product = (a * b).to_bits() ^ SIGN;
    f64::from_bits(product.wrapping_add_signed(around(random, 2)))
}

/// An operand of which the rules of zeros, infinities and NaN are about, or one at an end of a range.
fn special(random: &mut Random) -> f64 {
    let ends = [0, 1, 2, 3, 54, 1022, 1023, 1024, 2046, 2047].map(|field: u64| field << 52);
    let bits = random.one_of(ends).wrapping_add_signed(around(random, 1));
    f64::from_bits(bits & !SIGN | random.bits() & SIGN)
}

/// Three operands of the sort of a number.
fn triple(random: &mut Random, sort: u64) -> [f64; 3] {
    let field = any_field(random);
    let factors = |random: &mut Random, product: i64| {
        let factors = [number(random, field), number(random, other_field(field, product))];
        if random.chance(50) { factors } else { [factors[1], factors[0]] }
    };
    match sort % 9 {
        0 => [random.bits(), random.bits(), random.bits()].map(f64::from_bits),
        1 => [special(random), special(random), special(random)],
        // The addend is about as large as the product, or a bit of it.
        2 => {
            let product = any_field(random);
            let [a, b] = factors(random, product);
            let distance = around(random, 130);
            [a, b, number(random, product + distance)]
        }
        // Leading bits cancel.
        3 => {
            let product = any_field(random);
            let [a, b] = factors(random, product);
            [a, b, opposite(random, a, b)]
        }
        // The product is about the least normal number.
        4 => {
            let product = around(random, 65);
            let [a, b] = factors(random, product);
            let c = match random.below(3) {
                0 => opposite(random, a, b),
                1 => f64::from_bits(random.below(8) as u64 | random.bits() & SIGN),
                _ => {
                    let field = random.below(3) as i64 * random.below(40) as i64;
                    number(random, field)
                }
            };
            [a, b, c]
        }
        // The result is about the greatest number.
        5 => {
            let product = 2046 + around(random, 3);
            let [a, b] = factors(random, product);
            let distance = random.below(2) * random.below(120);
            let c = number(random, 2046 - distance as i64);
            [a, b, if random.chance(30) { opposite(random, a, b) } else { c }]
        }
        // The product is halfway between two numbers, and the addend is far less.
        6 => {
            let wide = 1 << 53 | random.bits() >> 11 | 1;
            let divisor = 3 + 2 * random.below(2000) as u64;
            let quotient = (wide / divisor) | 1;
            let fields = [field, any_field(random)];
            let distance = random.below(2) * random.below(2100);
            let sign = random.bits() & SIGN;
            let [a, b] = [(quotient, fields[0]), (divisor, fields[1])].map(|(whole, field)| {
                let fraction = (whole as f64).to_bits() & FRACTION;
                f64::from_bits((field as u64) << 52 | fraction)
            });
            let c = number(random, fields[0] + fields[1] - 1023 - 53 - distance as i64);
            [f64::from_bits(a.to_bits() | sign), b, c]
        }
        // The product is about half of the addend's last bit, or half of the least number.
        7 => {
            let of_c = if random.chance(50) { any_field(random) } else { 0 };
            let c = number(random, of_c);
            let product = of_c.max(1) - 53 + around(random, 2);
            let [a, b] = factors(random, product);
            let power = |x: f64| f64::from_bits(x.to_bits() & !FRACTION | u64::from(x.to_bits() & 12 == 0));
            if random.chance(50) { [power(a), power(b), c] } else { [a, b, c] }
        }
        // A factor is subnormal.
        _ => {
            let a = number(random, 0);
            let b = number(random, field);
            let of_product = (a * b).to_bits() >> 52 & 2047;
            let c = match random.below(3) {
                0 => opposite(random, a, b),
                1 => {
                    let distance = around(random, 110);
                    number(random, of_product as i64 + distance)
                }
                _ => {
                    let field = random.below(60) as i64;
                    number(random, field)
                }
            };
            [a, b, c]
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn fused(operands: &[f64]) -> f64 {
    operands[0].mul_add(operands[1], operands[2])
}

fn remainder(operands: &[f64]) -> f64 {
    operands[0] % operands[1]
}

/// A dividend and a divisor.
fn pair(random: &mut Random, sort: u64) -> [f64; 2] {
    let [a, b, c] = triple(random, sort);
    random.one_of([[a, b], [a, c], [c, a]])
}

#[test]
fn a_fused_product_in_steps_is_rounded_once() {
    let mut steps = Steps::of(&module(), 3);
    let mut random = Random::new(1);
    let (mut subnormal, mut infinite) = (0, 0);
    for sort in 0..900_000 {
        let operands = triple(&mut random, sort);
        let (found, right) = (steps.run(&operands, None), fused(&operands));
        assert!(same(found, right), "{sort}: of {operands:?} it is {right:e}, not {found:e}");
        subnormal += u32::from(right.is_subnormal());
        infinite += u32::from(right.is_infinite() && operands.iter().all(|x| x.is_finite()));
    }
    assert!(subnormal > 50_000 && infinite > 10_000, "{subnormal} {infinite}");
}

#[test]
fn a_remainder_in_steps_is_exact() {
    let mut steps = Steps::of(&module(), 2);
    let mut random = Random::new(2);
    let mut usual = 0;
    for sort in 0..300_000 {
        let operands = pair(&mut random, sort);
        let (found, right) = (steps.run(&operands, None), remainder(&operands));
        assert!(same(found, right), "{sort}: of {operands:?} it is {right:e}, not {found:e}");
        usual += u32::from(right != 0.0 && right != operands[0]);
    }
    assert!(usual > 100_000, "{usual}");
}

#[test]
fn each_step_is_needed() {
    let module = module();
    let mut random = Random::new(3);
    let triples: Vec<_> = (0..200_000).map(|sort| triple(&mut random, sort).to_vec()).collect();
    assert_eq!(Steps::of(&module, 3).missed(&triples, fused), []);
    let pairs: Vec<_> = (0..100_000).map(|sort| pair(&mut random, sort).to_vec()).collect();
    assert_eq!(Steps::of(&module, 2).missed(&pairs, remainder), []);
}

#[test]
fn the_steps_are_functions_of_few_instructions_that_are_made_once() {
    let module = module();
    let count = |op| module.all_inst_iter().filter(|inst| inst.class.opcode == op).count();
    assert_eq!([Spirv::Function, Spirv::FunctionCall].map(count), [3, 4]);
    assert_eq!([3, 2].map(|params| Steps::of(&module, params).count()), [72, 44]);
    // Two literals are hidden, and what the four calls return.
    assert_eq!(count(Spirv::BitwiseXor), 1 + 2 + 4);
    // None is contracted.
    let floats = [Spirv::FAdd, Spirv::FSub, Spirv::FMul, Spirv::FDiv].map(count).iter().sum::<usize>();
    let contraction = Operand::Decoration(spirv::Decoration::NoContraction);
    assert_eq!(module.annotations.iter().filter(|it| it.operands.contains(&contraction)).count(), floats);
}
