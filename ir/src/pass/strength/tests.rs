//! What the pass makes of kernels. Each test also runs the kernel before and after and
//! compares bytes.

use super::strength;
use crate::check::{Checked, check, check_image};
use crate::clock::thread_time;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Module, ParamKind};
use crate::ops::{Builtin, Op};
use crate::pass::dce;
use crate::text::{parse, print};
use crate::types::{Type, Types};

#[track_caller]
fn parsed(source: &str) -> Checked {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

#[track_caller]
fn checked(body: &str) -> Checked {
    parsed(&format!(
        "func kernel workgroup_size(4, 1, 1) @k(%n: u32, %s: i32, %l: u64, %m: i64, @y: mut [u32], @z: mut [u64]) {{ {body} }}"
    ))
}

fn bytes(checked: &Checked, input: u64) -> Vec<Vec<u8>> {
    let function = &checked.module().functions[0];
    let memory: Vec<u8> = (0..64).map(|byte: u8| byte.wrapping_mul(37)).collect();
    let buffers: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&memory)).collect();
    let args = function.params.iter().zip(&buffers).map(|(param, words)| match param.kind {
        ParamKind::Buffer { element, .. } => {
            let len = if element == Type::U64 { 8 } else { 16 };
            Arg::Buffer { words, offset: 0, len }
        }
        ParamKind::Scalar(ty) => Arg::Scalar([input & ty.lane().map_or(0, |lane| lane.mask()), 0, 0, 0]),
    });
    let args: Vec<Arg<'_>> = args.collect();
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a function").run([2, 1, 1], &args, &options).expect("no fault");
    buffers.iter().map(|words| words.read(0..words.bytes())).collect()
}

/// What the pass makes of a body, having proven that it does the same.
#[track_caller]
fn after(body: &str) -> Checked {
    let before = checked(body);
    let mut module: Module = before.clone().into_flat_module();
    strength(&mut module.functions[0]);
    dce(&mut module.functions[0]);
    let after = check_image(module).expect("a sound module");
    for input in [0, 1, 2, 5, 6, 7, 12, 13, 14, 0x8000_0000, 0xffff_fff8, u64::MAX, u64::MAX - 2, 1 << 63] {
        assert_eq!(bytes(&after, input), bytes(&before, input), "for {input:#x}:\n{}", print(after.module()));
    }
    after
}

#[track_caller]
fn becomes(body: &str, expected: &str) {
    let (actual, expected) = (print(after(body).module()), print(checked(expected).module()));
    assert_eq!(actual, expected, "\n{actual}\n{expected}");
}

#[track_caller]
fn stays(body: &str) {
    becomes(body, body);
}

#[test]
fn a_long_product_with_a_power_of_two_is_a_shift() {
    becomes(
        "%a = mul %l, 8u64 %b = mul %l, 12u64 store @z[0u32], %a store @z[1u32], %b ret",
        "%0 = shl %l, 3u32 %b = mul %l, 12u64 store @z[0u32], %0 store @z[1u32], %b ret",
    );
    stays("%a = mul %n, 8u32 store @y[0u32], %a ret");
}

#[test]
fn a_signed_quotient_by_a_power_of_two_rounds_towards_zero() {
    let text = print(after("%a = div %s, 8i32 %b = cast %a to u32 store @y[0u32], %b ret").module());
    assert!(!text.contains("div") && text.contains("shr %s, 31u32"), "{text}");
    let text = print(after("%a = rem %s, -8i32 %b = cast %a to u32 store @y[0u32], %b ret").module());
    assert!(!text.contains("rem"), "{text}");
    let text = print(after("%a = div %s, -2147483648i32 %b = cast %a to u32 store @y[0u32], %b ret").module());
    assert!(!text.contains("div"), "{text}");
}

#[test]
fn long_quotients_are_products() {
    let text = print(after("%a = div %l, 10u64 %b = rem %l, 7u64 store @z[0u32], %a store @z[1u32], %b ret").module());
    assert!(!text.contains("div") && !text.contains("rem") && text.contains("mul_hi %l"), "{text}");
    let text = print(after("%a = div %m, -10i64 %b = bitcast %a to u64 store @z[0u32], %b ret").module());
    assert!(!text.contains("div"), "{text}");
}

#[test]
fn a_quotient_that_devices_reduce_themselves_stays() {
    stays("%a = div %n, 10u32 %b = rem %n, 7u32 store @y[0u32], %a store @y[1u32], %b ret");
    stays("%a = div 10u32, %n %b = rem %n, 0u32 store @y[0u32], %a store @y[1u32], %b ret");
}

#[test]
fn a_long_product_of_a_counter_is_counted_along() {
    becomes(
        "loop 'l (%i: u64 = 3u64, %k: u32 = 0u32) {
            %done = ge %k, 4u32
            if %done { break 'l }
            %p = mul %i, 24u64
            %q = mul %l, %i
            %t = add %p, %q
            store @z[%k], %t
            %k2 = add %k, 1u32
            %i2 = add %i, 5u64
            continue 'l %i2, %k2
         }
         ret",
        "%0 = mul 3u64, %l
         %1 = mul 5u64, %l
         loop 'l (%k: u32 = 0u32, %2: u64 = %0, %3: u64 = 72u64) {
            %done = ge %k, 4u32
            if %done { break 'l }
            %t = add %3, %2
            store @z[%k], %t
            %k2 = add %k, 1u32
            %4 = add %2, %1
            %5 = add %3, 120u64
            continue 'l %k2, %4, %5
         }
         ret",
    );
}

#[test]
fn a_counter_that_some_rounds_leave_alone_is_counted_along() {
    let text = print(
        after(
            "loop 'l (%i: u64 = %l, %k: u32 = 0u32) {
                %done = ge %k, 6u32
                if %done { break 'l }
                %k2 = add %k, 1u32
                %odd = and %k, 1u32
                %c = eq %odd, 1u32
                if %c { %p = mul %i, 24u64 store @z[%k], %p continue 'l %i, %k2 }
                %two = and %k, 2u32
                %d = eq %two, 2u32
                %down = sub %i, 7u64
                if %d { continue 'l %down, %k2 }
                %up = add 3u64, %i
                continue 'l %up, %k2
             }
             ret",
        )
        .module(),
    );
    // Once before the loop.
    assert_eq!(text.matches("mul").count(), 1, "{text}");
    assert!(text.contains("168u64") && text.contains("72u64"), "{text}");
}

#[test]
fn loops_in_loops_are_counted_along() {
    let text = print(
        after(
            "loop 'a (%i: u64 = 0u64, %c: u32 = 0u32) {
                %end = ge %c, 3u32
                if %end { break 'a }
                %row = mul %i, %l
                loop 'b (%j: u64 = %row, %k: u32 = 0u32) {
                    %done = ge %k, 2u32
                    if %done { break 'b }
                    %p = mul %j, %row
                    store @z[%k], %p
                    %j2 = add %j, %i
                    %k2 = add %k, 1u32
                    continue 'b %j2, %k2
                }
                %i2 = add %i, 1u64
                %c2 = add %c, 1u32
                continue 'a %i2, %c2
             }
             ret",
        )
        .module(),
    );
    let inner = text.split("loop 'b").nth(1).expect("two loops");
    assert!(!inner.contains("mul"), "{text}");
}

#[test]
fn what_is_no_counter_is_not_counted_along() {
    // A product in place of a sum, and a step that changes.
    for next in ["mul %i, 3u64", "add %i, %v", "add %i, %i"] {
        let text = print(
            after(&format!(
                "loop 'l (%i: u64 = %l, %k: u32 = 0u32) {{
                    %done = ge %k, 4u32
                    if %done {{ break 'l }}
                    %v = load u64 @z[%k]
                    %p = mul %i, 24u64
                    store @z[%k], %p
                    %k2 = add %k, 1u32
                    %i2 = {next}
                    continue 'l %i2, %k2
                 }}
                 ret"
            ))
            .module(),
        );
        assert!(text.contains("mul %i, 24u64"), "{text}");
    }
}

#[test]
fn a_product_of_32_bits_stays() {
    stays(
        "loop 'l (%i: u32 = 0u32) {
            %done = ge %i, 4u32
            if %done { break 'l }
            %p = mul %i, 12u32
            store @y[%i], %p
            %i2 = add %i, 1u32
            continue 'l %i2
         }
         ret",
    );
}

/// Loops in loops whose counters change by this and that, with products of what is visible.
struct Loops {
    seed: u64,
    text: String,
    values: Vec<String>,
    names: usize,
}

impl Loops {
    fn below(&mut self, count: usize) -> usize {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed >> 20) as usize % count
    }

    fn value(&mut self) -> String {
        let constants = ["3u64", "10u64", "18446744073709551611u64"];
        match self.below(4) {
            0 => constants[self.below(3)].to_owned(),
            _ => {
                let at = self.below(self.values.len());
                self.values[at].clone()
            }
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn op(&mut self, ops: &[&str]) -> String {
        let (name, op, a, b) = (self.name(), ops[self.below(ops.len())].to_owned(), self.value(), self.value());
        self.text += &format!("{name} = {op} {a}, {b}\n");
        name
    }

    fn repeat(&mut self, depth: usize) {
        let visible = self.values.len();
        let (label, first) = (format!("'l{}", self.names), self.value());
        let (counter, left, less) = (self.name(), self.name(), self.name());
        let done = self.name();
        self.text += &format!(
            "loop {label} ({counter}: u64 = {first}, {left}: u32 = 3u32) {{ {done} = eq {left}, 0u32 if {done} {{ break {label} }}\n{less} = sub {left}, 1u32\n"
        );
        // What the loop does not change may be a step.
        let mut nexts = vec![counter.clone()];
        for _ in 0..2 {
            let (next, by) = (self.name(), self.value());
            let form = self.below(5);
            self.text += &match form {
                0 | 1 => format!("{next} = add {counter}, {by}\n"),
                2 => format!("{next} = add {by}, {counter}\n"),
                3 => format!("{next} = sub {counter}, {by}\n"),
                _ => format!("{next} = sub {by}, {counter}\n"),
            };
            nexts.push(next);
        }
        self.values.push(counter);
        for _ in 0..3 {
            let value = self.op(&["mul", "mul", "mul", "add"]);
            self.values.push(value.clone());
            self.text += &format!("store @z[{left}], {value}\n");
        }
        if depth > 0 {
            self.repeat(depth - 1);
        }
        let (next, other) = (nexts[self.below(3)].clone(), nexts[self.below(3)].clone());
        let two = self.name();
        self.text += &format!("{two} = eq {left}, 2u32 if {two} {{ continue {label} {other}, {less} }}\n");
        self.text += &format!("continue {label} {next}, {less} }}\n");
        self.values.truncate(visible);
    }
}

#[test]
fn random_loops_are_counted_along() {
    let mut fewer = 0;
    for seed in 1..150u64 {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut loops = Loops { seed, text: String::new(), values: vec!["%l".to_owned()], names: 0 };
        for _ in 0..2 {
            loops.repeat(2);
        }
        let before = format!("{} ret", loops.text);
        let inside = |text: &str| text.lines().filter(|line| line.contains("mul") && line.starts_with("    ")).count();
        let text = print(after(&before).module());
        fewer += inside(&print(checked(&before).module())).saturating_sub(inside(&text));
    }
    assert!(fewer > 100, "only {fewer} products are fewer");
}

#[test]
fn many_products_take_no_noticeable_time() {
    let mut b = crate::builder::Builder::new("k", [64, 1, 1]);
    let x = b.builtin(Builtin::GlobalIdX);
    let (mut wide, five) = (b.op_to(Op::Cast, &[x], Type::U64), b.constant(crate::types::Scalar::U64, 5));
    for i in 0..200 {
        let (this, params) = b.begin_loop(None, &[wide]);
        for k in 0..20u64 {
            let number = b.constant(crate::types::Scalar::U64, 10 + i + k);
            b.op(Op::Mul, &[params[0], number]);
            b.op(Op::Div, &[params[0], number]);
        }
        let next = b.op(Op::Add, &[params[0], five]);
        let done = b.op(Op::Ge, &[next, five]);
        let (then, otherwise) = (b.region(&[]), b.region(&[]));
        b.enter(then);
        b.break_(this, &[next]);
        b.leave();
        b.enter(otherwise);
        b.yield_(&[]);
        b.leave();
        b.if_else(done, then, otherwise, &[]);
        b.continue_(this, &[next]);
        wide = b.end_loop(this, &[Type::U64])[0];
    }
    b.ret();
    let mut module = b.into_module(Types::default());
    let start = thread_time();
    assert!(strength(&mut module.functions[0]));
    let taken = thread_time() - start;
    assert!(taken.as_millis() < 2000, "{taken:?}");
}
