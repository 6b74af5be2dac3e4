//! Atomic accesses of the interpreter by many threads at once: every width, no update lost.

use samebits_ir::check::check;
use samebits_ir::interp::{Arg, Options, Program, Words};
use samebits_ir::text::parse;
use samebits_ir::types::Scalar;

/// Runs a kernel on four threads over a buffer of bytes.
fn run(source: &str, groups: u32, len: u32, bytes: usize) -> Words {
    let checked = check(parse(source).expect("it is well written")).expect("it is right");
    let program = Program::new(&checked, 0).expect("there is a kernel");
    let words = Words::zeroed(bytes);
    let buffer = Arg::Buffer { words: &words, offset: 0, len };
    program.run([groups, 1, 1], &[buffer], &Options { threads: 4, max_steps: None }).expect("no fault");
    words
}

#[test]
fn no_addition_of_any_width_is_lost() {
    for ty in Scalar::ALL.iter().filter(|ty| ty.is_int()) {
        let name = ty.name();
        let source = format!(
            "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [{name}]) {{
               %i = local_index
               %at = rem %i, 3u32
               %a = atomic.add @h[%at], 3{name}
               ret
             }}"
        );
        let size = ty.size() as usize;
        let words = run(&source, 1000, 3, 3 * size);
        // Of 32 invocations the third location has ten.
        for (i, count) in [11_000_u64, 11_000, 10_000].into_iter().enumerate() {
            let expected = ((3 * count) & ty.mask()).to_le_bytes();
            assert_eq!(words.read(i * size..(i + 1) * size), expected[..size], "{name} {i}");
        }
    }
}

#[test]
fn the_two_halves_of_a_wide_exchange_are_never_mixed() {
    let source = "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [u64]) {
          %i = global_id.x
          %wide = cast %i to u64
          %high = shl %wide, 32u32
          %both = or %wide, %high
          %old = atomic.exchange @h[0u32], %both
          %low = cast %old to u32
          %up = shr %old, 32u32
          %top = cast %up to u32
          %mixed = ne %low, %top
          if %mixed { %n = atomic.add @h[1u32], 1u64 }
          ret
        }";
    let words = run(source, 2000, 2, 16);
    assert_eq!(words.read(8..16), [0; 8]);
}

#[test]
fn float_sums_that_are_exact_lose_nothing() {
    for (ty, each, sum) in [("f32", "0.5f32", 16_000_f32.to_bits().into()), ("f64", "0.5f64", 16_000_f64.to_bits())] {
        let source = format!(
            "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [{ty}]) {{ %a = atomic.add @h[0u32], {each} ret }}"
        );
        let size = if ty == "f32" { 4 } else { 8 };
        let found = run(&source, 1000, 1, size).read(0..size);
        assert_eq!(found, u64::to_le_bytes(sum)[..size]);
    }
}

#[test]
fn wrapping_counters_count_round_and_round() {
    // 32 000 counts of 0 to 6 end at 32 000 modulo 7.
    let up = "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [u16]) { %a = atomic.inc_wrap @h[1u32], 6u16 ret }";
    assert_eq!(run(up, 1000, 2, 4).read(0..4), [0, 0, (32_000 % 7) as u8, 0]);
    let down = "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [u64]) { %a = atomic.dec_wrap @h[0u32], 6u64 ret }";
    assert_eq!(run(down, 1000, 1, 8).read(0..8), u64::to_le_bytes(7 - 32_000 % 7));
}

#[test]
fn what_was_released_is_seen_by_who_acquires() {
    // Each workgroup but the first looks whether the data were there when the flag was.
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: atomic [u32]) {
          %g = workgroup_id.x
          %first = eq %g, 0u32
          if %first {
            atomic.store @y[0u32], 7u32
            fence ordering=release scope=device
            atomic.store @y[1u32], 1u32
          } else {
            %flag = atomic.load u32 @y[1u32] ordering=acquire
            %set = eq %flag, 1u32
            if %set {
              %data = atomic.load u32 @y[0u32]
              %wrong = ne %data, 7u32
              if %wrong { %n = atomic.add @y[2u32], 1u32 }
            }
          }
          ret
        }";
    for _ in 0..50 {
        assert_eq!(run(source, 64, 3, 12).read(8..12), [0; 4]);
    }
}
