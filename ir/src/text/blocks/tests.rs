//! Block form, seen from outside: what it becomes, and that no text is too much for it.

use crate::check::check;
use crate::interp::{Arg, Options, Program, Words};
use crate::text::{parse, print};

#[track_caller]
fn printed(source: &str) -> String {
    print(&parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source))))
}

#[test]
fn a_diamond_becomes_an_if_and_a_cycle_a_loop() {
    let source = "\
func kernel @k(%n: u32, %y: ptr[global]<u32>) -> void {
entry:
  br head
head:
  %i = phi u32 [ 0u, entry ], [ %j, odd ], [ %j, even ]
  %c = ucmp.lt %i, %n
  br_if %c, body, done
body:
  %j = add %i, 1u
  %b = and %i, 1u
  br_if %b, odd, even
odd:
  store %y, %j
  br head
even:
  br head
done:
  ret
}
";
    let shown = printed(source);
    assert_eq!(shown.matches("loop").count(), 1, "{shown}");
    assert_eq!(shown.matches("if ").count(), 2, "{shown}");
    assert!(check(parse(source).expect("parsed")).is_ok());
}

/// A condition that is a comparison is the comparison; where the number is meant, there is
/// one conversion.
#[test]
fn comparisons_become_numbers_only_where_they_are_used_as_such() {
    let source = "\
func kernel @k(%n: u32, %y: ptr[global]<u32>) -> void {
entry:
  %a = ucmp.lt %n, 5u
  %b = ucmp.gt %n, 2u
  %c = and %a, %b
  %d = select %c, 1u, 2u
  store %y, %d
  br_if %c, yes, no
yes:
  store %y, %a
  br no
no:
  ret
}
";
    let shown = printed(source);
    assert_eq!(shown.matches("cast").count(), 1, "{shown}");
    assert!(!shown.contains("ne "), "{shown}");
}

#[test]
fn a_comment_may_stand_wherever_space_may() {
    let source = "\
func kernel @k( ; one
  %y : ptr[ ; two
    global ]<u32> ) ; three
  -> void { entry: ; four
  br next next: %p = phi u32 [ 1u, ; five
    entry ]
  store %y, %p ret }";
    assert!(printed(source).contains("store @y"));
}

#[test]
fn labels_may_be_mnemonics_and_names_may_begin_with_digits() {
    let source = "\
func kernel @k(%1y: ptr[global]<u32>, %a$b.c: u32) -> void {
add:
  br ret
ret:
  store %1y, %a$b.c
  br unreachable
unreachable:
  ret
phi:
  ret
}";
    assert!(printed(source).contains("store"));
}

#[test]
fn long_chains_of_blocks_and_of_choices_are_no_deep_nesting() {
    let mut source = String::from("func kernel @k(%n: u32, %y: ptr[global]<u32>) -> void {\nb0:\n");
    for i in 0..3000 {
        source += &format!("  %c{i} = ucmp.eq %n, {i}u\n  br_if %c{i}, out, b{}\nb{}:\n", i + 1, i + 1);
    }
    source += "  br c0\n";
    for i in 0..3000 {
        source += &format!("c{i}:\n  br c{}\n", i + 1);
    }
    source += "c3000:\n  store %y, 1u\n  br out\nout:\n  store %y, 2u\n  ret\n}\n";
    let checked = check(parse(&source).expect("parsed")).expect("checked");
    let program = Program::new(&checked, 0).expect("a kernel");
    let words = Words::zeroed(4);
    let args = [Arg::Scalar([2999, 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: 1 }];
    program.run([1; 3], &args, &Options::default()).expect("a run");
    assert_eq!(words.read(0..4), [2, 0, 0, 0]);
}

#[test]
fn sums_of_64_bit_floats_are_atomic() {
    let source = "\
global @sum : ptr[global]<f64>

func kernel @accumulate(%value: f64) -> void {
entry:
  %p = mov @sum
  %old = atomic.rmw fadd %p, %value ordering=acq_rel scope=device
  ret
}";
    let checked = check(parse(source).expect("parsed")).expect("checked");
    let program = Program::new(&checked, 0).expect("a kernel");
    let words = Words::from_bytes(&1.5f64.to_le_bytes());
    let args = [Arg::Scalar([2.25f64.to_bits(), 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: 1 }];
    program.run([1; 3], &args, &Options::default()).expect("a run");
    assert_eq!(words.read(0..8), 3.75f64.to_le_bytes());
}

#[test]
fn a_chain_of_conversions_without_types_takes_the_preferred_ones() {
    let source = "\
func @f(%x: i8) -> f64 {
entry:
  %wide = sext %x
  %wider = sext %wide
  %float = sitofp %wider
  ret %float
}
func @g(%x: i8) -> f64 {
entry:
  %wide = sext %x
  %float = sitofp %wide
  %double = fpext %float
  ret %double
}";
    let shown = printed(source);
    assert!(shown.contains("cast %x to i32") && shown.contains("cast %wide to i64"), "{shown}");
    assert!(shown.contains("cast %wide to f32") && shown.contains("cast %float to f64"), "{shown}");
}

#[test]
fn no_text_makes_the_parser_panic() {
    let text = include_str!("../../../../tests/filetests/gir/pointers.gir");
    for (at, _) in text.char_indices().step_by(17) {
        let _ = parse(&text[..at]);
        let _ = parse(&text[at..]);
    }
    let mut state = 1u64;
    let bits = b"%@$'\"{}[]()<>,:=*+-; \n0f.x";
    for _ in 0..600 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = bits[(state >> 20) as usize % bits.len()];
        }
        if let Ok(module) = parse(&String::from_utf8_lossy(&bytes)) {
            let _ = check(module);
        }
    }
}
