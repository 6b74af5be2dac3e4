//! What the pass makes of kernels. Each test also runs the kernel before and after and
//! compares bytes.

use super::places;
use crate::check::{Checked, check, check_image};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Module, ParamKind};
use crate::pass::dce;
use crate::text::{parse, print};

#[track_caller]
fn parsed(source: &str) -> Checked {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)))
}

#[track_caller]
fn checked(body: &str) -> Checked {
    parsed(&format!("func kernel workgroup_size(4, 1, 1) @k(%n: u32, %s: i32, @y: mut [u32]) {{ {body} }}"))
}

fn bytes(checked: &Checked, input: u64) -> Vec<Vec<u8>> {
    let function = &checked.module().functions[0];
    let memory: Vec<u8> = (0..64).map(|byte: u8| byte.wrapping_mul(37)).collect();
    let buffers: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&memory)).collect();
    let args = function.params.iter().zip(&buffers).map(|(param, words)| match param.kind {
        ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len: 16 },
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
    places(&mut module.functions[0]);
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
fn a_constant_of_an_index_that_cannot_wrap_goes_into_the_place() {
    becomes(
        "%i = local_id.x
         %a = add %i, 3u32
         %v = load u32 @y[%a]
         %m8 = and %n, 7u32
         %b = add 2u32, %m8
         store @y[%b], %v
         ret",
        "%i = local_id.x
         %v = load u32 @y[%i]+12
         %m8 = and %n, 7u32
         store @y[%m8]+8, %v
         ret",
    );
}

#[test]
fn a_constant_of_an_index_that_may_wrap_stays() {
    for sum in ["add %n, 3u32", "add %n, 4294967295u32", "sub %n, 1u32"] {
        stays(&format!("%a = {sum} %v = load u32 @y[%a] store @y[0u32], %v ret"));
    }
    // A local id is small, but what is added is not.
    stays("%i = local_id.x %a = add %i, 4294967295u32 %v = load u32 @y[%a] store @y[0u32], %v ret");
    // The product may be anything.
    stays(
        "%i = and %n, 65535u32 %j = mul %i, %i %k = mul %j, 4u32 %a = add %k, 1u32 %v = load u32 @y[%a] store @y[0u32], %v ret",
    );
}

#[test]
fn a_bound_of_an_index_is_lowered_by_its_constant() {
    let source = |index: &str, offset: &str, bound: u32| {
        format!(
            "func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32]) {{
                %m = and %n, 7u32
                {index}
                store @y[%{} < {bound}]{offset}, %n
                ret
             }}",
            if offset.is_empty() { "a" } else { "m" }
        )
    };
    for (bound, moved) in [(6, true), (4, true), (3, false), (2, false)] {
        let before = parsed(&source("%a = add %m, 3u32", "", bound));
        let mut module: Module = before.clone().into_flat_module();
        assert_eq!(places(&mut module.functions[0]), moved, "{bound}");
        dce(&mut module.functions[0]);
        let after = check_image(module).expect("a sound module");
        for input in 0..9 {
            assert_eq!(bytes(&after, input), bytes(&before, input), "for {input}:\n{}", print(after.module()));
        }
        if moved {
            assert_eq!(print(after.module()), print(parsed(&source("", "+12", bound - 3)).module()));
        }
    }
}

/// Every op that a greatest value is known of, on all bytes below some masks.
#[test]
fn no_value_exceeds_its_greatest_one() {
    use crate::arena::Side;
    use crate::builder::Builder;
    use crate::ops::Op;
    use crate::scalar::Lanes;
    use crate::types::{Scalar, Type};

    let u8 = Type::Scalar(Scalar::U8);
    let masks = [0u64, 1, 3, 0x0f, 0x15, 0x7f, 0x80, 0xff];
    let mut tight = 0;
    for &op in Op::ALL {
        let operands = match op.info().signature.types(u8) {
            Some((operands, result)) if result == u8 && operands.len() == 2 => operands,
            _ => continue,
        };
        let counts = [0u64, 1, 3, 7, 8, 9, 255];
        let seconds = if operands[1] == u8 { masks.as_slice() } else { counts.as_slice() };
        for &first in &masks {
            for &second in seconds {
                let mut b = Builder::device("k");
                let (x, y) = (b.scalar("x", u8), b.scalar("y", u8));
                let low = b.constant(Scalar::U8, first);
                let a = b.op(Op::And, &[x, low]);
                let c = if operands[1] == u8 {
                    let low = b.constant(Scalar::U8, second);
                    b.op(Op::And, &[y, low])
                } else {
                    b.u32(second as u32)
                };
                let result = b.op(op, &[a, c]);
                let mut function = b.finish();
                let mut pass = super::Places {
                    most: Side::new(None),
                    defs: Side::new(None),
                    changed: false,
                    function: &mut function,
                };
                let body = pass.function.body;
                pass.region(body);
                let most = pass.most(result, super::MAX_DEPTH);
                let mut greatest = 0;
                for x in (0..=255u64).filter(|x| x & !first == 0) {
                    for y in (0..=255u64).filter(|y| operands[1] == u8 && y & !second == 0 || *y == second) {
                        let args: [Lanes; 2] = [[x, 0, 0, 0], [y, 0, 0, 0]];
                        greatest = greatest.max(op.eval(&operands, u8, &args)[0]);
                    }
                }
                assert!(greatest <= most, "{op:?} of {first:#x} and {second:#x}: {greatest} exceeds {most}");
                tight += usize::from(greatest == most && most < 255);
            }
        }
    }
    assert!(tight > 150, "only {tight} are tight");
}
