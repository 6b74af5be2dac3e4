//! What scalar replacement makes of private memory. Every test runs the kernel before and
//! after on a few inputs and asserts that the buffer holds equal bytes.

use super::sroa;
use crate::check::{Checked, check_image};
use crate::clock::thread_time;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{InstKind, Module, Root};
use crate::pass::optimize;
use crate::text::{parse, print};

const INPUTS: &[[u32; 4]] =
    &[[0, 1, 2, 3], [1, 0x7fa0_0001, 2, 0x8000_0000], [2, u32::MAX, 0xffc0_0003, 1], [3, 7, 0, 4], [9, 5, 6, 0]];

fn bytes(checked: &Checked, input: &[u32; 4]) -> Vec<u8> {
    let memory: Vec<u8> = input.iter().cycle().take(64).flat_map(|word| word.to_le_bytes()).collect();
    let words = Words::from_bytes(&memory);
    let args = [Arg::Scalar([input[0].into(), 0, 0, 0]), Arg::Buffer { words: &words, offset: 0, len: 64 }];
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a kernel").run([1, 1, 1], &args, &options).expect("no fault");
    words.read(0..256)
}

/// The checked module of a kernel with this body; constant indices may be out of bounds, as
/// after passes.
#[track_caller]
fn checked(types: &str, body: &str) -> Checked {
    let source = format!("{types} func kernel workgroup_size(4, 1, 1) @k(%n: u32, @y: mut [u32]) {{ {body} ret }}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)))
}

#[track_caller]
fn same(before: &Checked, after: &Checked) {
    for input in INPUTS {
        assert_eq!(bytes(after, input), bytes(before, input), "for {input:?}:\n{}", print(after.module()));
    }
}

/// What the pass makes of a kernel.
#[track_caller]
fn after_with(types: &str, body: &str) -> Module {
    let before = checked(types, body);
    let mut module = before.clone().into_flat_module();
    let Module { types, functions } = &mut module;
    let changed = sroa(&mut functions[0], types);
    let after = check_image(module).expect("a sound module");
    same(&before, &after);
    let differs = print(after.module()) != print(before.module());
    assert_eq!(changed, differs, "{}", print(after.module()));
    let mut again = after.module().clone();
    let Module { types, functions } = &mut again;
    assert!(!sroa(&mut functions[0], types), "a second run found something:\n{}", print(after.module()));
    after.module().clone()
}

#[track_caller]
fn after(body: &str) -> Module {
    after_with("", body)
}

/// The types of the private roots that are left.
fn left(module: &Module) -> Vec<String> {
    let types = module.functions[0].private.iter().map(|memory| module.types.display(memory.ty).to_string());
    types.collect()
}

fn private_accesses(module: &Module) -> usize {
    let insts = module.functions[0].insts.iter();
    insts.filter(|(_, def)| def.kind.place().is_some_and(|place| matches!(place.root, Root::Private(_)))).count()
}

#[track_caller]
fn vanishes(types: &str, body: &str) -> Module {
    let module = after_with(types, body);
    assert_eq!((left(&module), private_accesses(&module)), (Vec::new(), 0), "{}", print(&module));
    module
}

#[track_caller]
fn stays(body: &str, roots: &[&str]) {
    let module = after(body);
    assert_eq!(left(&module), roots, "{}", print(&module));
}

#[test]
fn an_array_with_constant_places_becomes_values() {
    let module = vanishes(
        "",
        "private @a: [u32; 3]
         store @a[0u32], %n
         %x = load u32 @y[1u32]
         store @a[2u32], %x
         %p = load u32 @a[0u32]
         %q = load u32 @a[1u32]
         %r = load u32 @a[2u32]
         %s = sub %p, %r
         %t = add %s, %q
         store @y[0u32], %t",
    );
    let loads = module.functions[0].insts.iter().filter(|(_, def)| matches!(def.kind, InstKind::Load(_))).count();
    assert_eq!(loads, 1);
}

#[test]
fn an_element_is_carried_by_a_loop_and_given_by_branches() {
    let module = vanishes(
        "",
        "private @acc: [u32; 2]
         store @acc[1u32], 5u32
         loop 'l (%i: u32 = 0u32) {
           %end = ge %i, 4u32
           if %end { break 'l }
           %x = load u32 @y[%i]
           %odd = eq %i, %n
           if %odd {
             store @acc[0u32], %x
             %after = add %i, 2u32
             continue 'l %after
           }
           %s = load u32 @acc[1u32]
           %t = add %s, %x
           store @acc[1u32], %t
           %next = add %i, 1u32
           continue 'l %next
         }
         %a = load u32 @acc[0u32]
         %b = load u32 @acc[1u32]
         store @y[0u32], %a
         store @y[1u32], %b",
    );
    let carried = module.functions[0].regions.iter().map(|(_, region)| region.params.len()).max();
    assert_eq!(carried, Some(3));
}

#[test]
fn memory_is_zero_when_the_function_begins_and_not_when_a_loop_does() {
    vanishes(
        "",
        "private @a: [u32; 1]
         loop 'l (%i: u32 = 0u32) {
           %end = ge %i, 4u32
           if %end { break 'l }
           %old = load u32 @a[0u32]
           store @y[%i], %old
           %new = add %i, 7u32
           store @a[0u32], %new
           %next = add %i, 1u32
           continue 'l %next
         }",
    );
}

#[test]
fn a_vector_is_also_accessed_by_its_lanes() {
    vanishes(
        "",
        "private @v: [vec4<u32>; 2]
         %x = load u32 @y[1u32]
         %w = vec %n, %x, 3u32, 4u32
         store @v[1u32], %w
         store @v +24, %n
         %u = load vec4<u32> @v[1u32]
         %l = load u32 @v +28
         %a = extract %u, 0u32
         %b = extract %u, 1u32
         %c = extract %u, 2u32
         %d = extract %u, 3u32
         %z = load vec2<u32> @v +20
         %e = extract %z, 1u32
         store @y[0u32], %a
         store @y[1u32], %b
         store @y[2u32], %c
         store @y[3u32], %d
         store @y[4u32], %l
         store @y[5u32], %e",
    );
}

#[test]
fn a_vector_that_is_only_accessed_whole_stays_one_value() {
    let module = vanishes(
        "",
        "private @v: [vec4<u32>; 1]
         %w = vec %n, 2u32, 3u32, 4u32
         store @v[0u32], %w
         %u = load vec4<u32> @v[0u32]
         %c = extract %u, 2u32
         store @y[2u32], %c",
    );
    let text = print(&module);
    assert!(text.contains("%c = extract %w, 2u32"), "{text}");
}

#[test]
fn fields_of_a_struct_are_values_of_their_types() {
    vanishes(
        "struct P { position: vec3<f32>, alive: bool, tags: [u32; 2], wide: u64, small: u8 }",
        "private @p: [P; 2]
         %c = eq %n, 1u32
         store @p +52, %c
         %x = load f32 @y[1u32]
         store @p +44, %x
         store @p[1u32 * 40] +20, %n
         %w = cast %n to u64
         store @p +24, %w
         %b = cast %n to u8
         store @p +32, %b
         %alive = load bool @p[1u32 * 40] +12
         %f = load f32 @p +44
         %t = load u32 @p[1u32 * 40] +20
         %w2 = load u64 @p +24
         %b2 = load u8 @p +32
         %w3 = cast %w2 to u32
         %b3 = cast %b2 to u32
         %k = select %alive, 3u32, 4u32
         store @y[0u32], %k
         store @y[1u32], %f
         store @y[2u32], %t
         store @y[3u32], %w3
         store @y[4u32], %b3",
    );
}

#[test]
fn a_lane_of_several_types_keeps_its_bits() {
    let module = vanishes(
        "",
        "private @a: [u32; 2]
         %f = load f32 @y[1u32]
         store @a, %f
         %bits = load u32 @a
         store @y[0u32], %bits
         store @a +4, %n
         %b = load bool @a +4
         %k = select %b, 10u32, 20u32
         store @y[1u32], %k
         store @a +4, %b
         %one = load u32 @a +4
         store @y[2u32], %one
         %g = load f32 @a +4
         store @y[3u32], %g",
    );
    assert!(print(&module).contains("bitcast %f to u32"), "{}", print(&module));
}

#[test]
fn accesses_that_overlap_in_part_stay_in_memory() {
    stays(
        "private @a: [u64; 2]
         %w = cast %n to u64
         store @a +8, %w
         %low = load u32 @a +8
         store @y[0u32], %low",
        &["u64"],
    );
    stays(
        "private @a: [u32; 2]
         store @a, %n
         %b = load u8 @a +1
         %c = cast %b to u32
         store @y[0u32], %c",
        &["u32"],
    );
}

#[test]
fn the_end_of_a_loop_that_only_some_leave_early_can_still_decide_about_a_barrier() {
    vanishes(
        "",
        "private @a: [u32; 1]
         %i = local_id.x
         %d = lt %i, 2u32
         %u = eq %n, 1u32
         loop 'once {
           store @a[0u32], 5u32
           if %u { break 'once }
           store @a[0u32], 6u32
           if %d { break 'once }
           store @y[9u32], 1u32
           break 'once
         }
         %v = load u32 @a[0u32]
         %e = eq %v, 6u32
         if %e { barrier }
         store @y[%i], %v",
    );
}

#[test]
fn a_constant_place_out_of_bounds_is_zero_and_keeps_nothing() {
    vanishes(
        "",
        "private @a: [[u32; 2]; 2]
         store @a[0u32 * 8 < 2][2u32 * 4 < 2], %n
         store @a[2u32 * 8][0u32 * 4 < 2], %n
         store @a[0u32 * 8 < 2][1u32 * 4 < 2], 3u32
         %p = load u32 @a[0u32 * 8 < 2][2u32 * 4 < 2]
         %q = load u32 @a[4294967295u32 * 8][0u32 * 4 < 2]
         %r = load u32 @a[0u32 * 8 < 2][1u32 * 4 < 2]
         %s = load u32 @a[1u32 * 8 < 2][0u32 * 4 < 2]
         store @y[0u32], %p
         store @y[1u32], %q
         store @y[2u32], %r
         store @y[3u32], %s",
    );
}

#[test]
fn of_rows_with_constant_numbers_each_is_a_root() {
    let module = after(
        "private @a: [[u32; 5]; 3]
         %i = local_id.x
         store @a[2u32 * 20 < 3][%i * 4 < 5], %n
         store @a[0u32 * 20 < 3][%n * 4 < 5], 7u32
         store @a[1u32 * 20 < 3][3u32 * 4 < 5], 9u32
         %p = load u32 @a[2u32 * 20 < 3][%n * 4 < 5]
         %q = load u32 @a[0u32 * 20 < 3][%i * 4 < 5]
         %r = load u32 @a[1u32 * 20 < 3][3u32 * 4 < 5]
         %s = add %p, %q
         %t = add %s, %r
         store @y[%i], %t",
    );
    assert_eq!(left(&module), ["[u32; 5]", "[u32; 5]"], "{}", print(&module));
    let deep = module.functions[0].insts.iter().filter_map(|(_, def)| def.kind.place());
    let deep: Vec<_> = deep.filter(|place| matches!(place.root, Root::Private(_))).collect();
    assert!(deep.iter().all(|place| place.indices.len() == 1 && place.offset == 0), "{}", print(&module));
}

#[test]
fn an_index_without_bound_reaches_to_the_end_of_the_root() {
    // The last row and what is behind it: `%n` may be anything.
    let module = after_with(
        "struct S { head: [u32; 2], tail: [u32; 6] }",
        "private @a: S
         %i = local_id.x
         store @a[%n * 4] +8, %i
         store @a +4, 6u32
         %p = load u32 @a[%i * 4] +8
         %q = load u32 @a +4
         %s = add %p, %q
         store @y[%i], %s",
    );
    assert_eq!(left(&module), ["[u32; 6]"], "{}", print(&module));
}

#[test]
fn an_index_picks_from_very_few_elements() {
    // Bounded, unbounded, a row of a matrix, a vector, and lanes of another type.
    vanishes(
        "",
        "private @a: [u32; 3]
         private @m: [[f32; 2]; 2]
         private @v: [vec2<u32>; 2]
         %i = local_id.x
         store @a[0u32], 5u32
         store @a[%n], 7u32
         store @a[%i * 4 < 2], 9u32
         %f = bitcast %n to f32
         store @m[1u32 * 8 < 2][%i * 4 < 2], %f
         %w = vec %i, %n
         store @v[%i], %w
         %p = load u32 @a[%i]
         %q = load u32 @a[%n * 4 < 2]
         %r = load u32 @m[1u32 * 8 < 2][%n * 4 < 2]
         %s = load vec2<u32> @v[%n]
         %x = extract %s, 1u32
         %z = load u32 @v[%n * 8] +4
         %a = add %p, %q
         %b = sub %r, %x
         %c = mul %a, %b
         %d = add %c, %z
         store @y[%i], %d",
    );
}

#[test]
fn two_indices_or_many_elements_are_not_picked() {
    stays(
        "private @m: [[u32; 2]; 2]
         %i = local_id.x
         store @m[%n * 8 < 2][%i * 4 < 2], 3u32
         %p = load u32 @m[%i * 8 < 2][%n * 4 < 2]
         store @y[0u32], %p",
        &["[[u32; 2]; 2]"],
    );
    stays("private @a: [u32; 5] store @a[%n], 3u32 %p = load u32 @a[1u32] store @y[0u32], %p", &["[u32; 5]"]);
}

#[test]
fn a_variable_index_that_reaches_a_constant_place_keeps_it_in_memory() {
    stays(
        "private @a: [u32; 6]
         store @a[1u32], 5u32
         store @a[%n], 7u32
         %p = load u32 @a[1u32]
         store @y[0u32], %p",
        &["[u32; 6]"],
    );
}

#[test]
fn memory_that_is_only_read_is_zero_and_memory_that_is_only_written_is_nothing() {
    let module = vanishes(
        "",
        "private @a: [vec2<u32>; 4]
         private @b: [u32; 4]
         %p = load vec2<u32> @a[%n]
         %q = extract %p, 1u32
         store @b[%n], %q
         store @y[0u32], %q",
    );
    assert_eq!(module.functions[0].insts.iter().filter(|(_, i)| matches!(i.kind, InstKind::Store(..))).count(), 1);
}

#[test]
fn a_length_is_a_number() {
    vanishes("", "private @a: [vec3<f32>; 7] %l = len @a store @y[0u32], %l");
}

#[test]
fn what_is_to_differ_is_not_made_a_value_that_does_not() {
    stays(
        "private @a: [u32; 1]
         store @a[0u32], %n
         %p = nonuniform load u32 @a[0u32]
         store @y[0u32], %p",
        &["[u32; 1]"],
    );
}

#[test]
fn roots_that_stay_are_numbered_anew() {
    let module = after(
        "private @a: [u32; 2]
         private @b: [u32; 5]
         private @c: [u32; 6]
         store @a[0u32], 1u32
         store @b[%n], 2u32
         store @c[%n], 3u32
         %p = load u32 @a[0u32]
         %q = load u32 @b[1u32]
         %r = load u32 @c[2u32]
         store @y[0u32], %p
         store @y[1u32], %q
         store @y[2u32], %r",
    );
    assert_eq!(left(&module), ["[u32; 5]", "[u32; 6]"]);
}

#[test]
fn more_elements_than_registers_stay_in_memory() {
    let mut body = "private @a: [u32; 1000]".to_owned();
    for i in 0..1000 {
        body.push_str(&format!(" store @a[{i}u32], %n"));
    }
    for i in 0..1000 {
        body.push_str(&format!(" %v{i} = load u32 @a[{i}u32] store @y[%v{i}], %v{i}"));
    }
    let module = after(&body);
    assert_eq!((left(&module), private_accesses(&module)), (vec!["[u32; 1000]".to_owned()], 2000));
}

#[test]
fn a_part_that_would_not_be_aligned_stays_where_it_is() {
    // The second row begins at 12, so that a `u64` at 16 would be at 4.
    stays(
        "private @a: [[u32; 3]; 2]
         %w = cast %n to u64
         store @a +16, %w
         %low = load u32 @a +20
         store @y[0u32], %low",
        &["[[u32; 3]; 2]"],
    );
}

#[test]
fn a_kernel_with_a_small_matrix_has_no_memory_of_its_own_left() {
    let before = checked(
        "",
        "private @m: [[u32; 2]; 2]
         %i = local_id.x
         store @m[0u32 * 8 < 2][0u32 * 4 < 2], %i
         store @m[0u32 * 8 < 2][1u32 * 4 < 2], 2u32
         store @m[1u32 * 8 < 2][0u32 * 4 < 2], 3u32
         %a = load u32 @m[0u32 * 8 < 2][0u32 * 4 < 2]
         %d = load u32 @m[1u32 * 8 < 2][1u32 * 4 < 2]
         %p = mul %a, %d
         store @y[%i], %p",
    );
    let after = optimize(before.clone());
    same(&before, &after);
    assert!(left(after.module()).is_empty(), "{}", print(after.module()));
}

#[test]
fn ten_thousand_accesses_in_nested_loops_take_no_time() {
    let mut body = "private @a: [u32; 256] private @b: [[u32; 8]; 100] ".to_owned();
    for depth in 0..6 {
        body.push_str(&format!("loop 'l{depth} (%i{depth}: u32 = 0u32) {{ "));
    }
    for i in 0..5000 {
        body.push_str(&format!("%v{i} = load u32 @a[{}u32] ", i * 7 % 256));
        match i % 4 {
            0 => body.push_str(&format!("store @b[{}u32 * 32][%v{i} * 4 < 8], %n ", i % 100)),
            _ => body.push_str(&format!("store @a[{}u32], %v{i} ", i * 11 % 256)),
        }
    }
    for depth in (0..6).rev() {
        body.push_str(&format!("%d{depth} = gt %n, %i{depth} if %d{depth} {{ break 'l{depth} }} "));
        body.push_str(&format!("%j{depth} = add %i{depth}, 1u32 continue 'l{depth} %j{depth} }} "));
    }
    let mut module = checked("", &body).into_flat_module();
    let Module { types, functions } = &mut module;
    let start = thread_time();
    assert!(sroa(&mut functions[0], types));
    let taken = thread_time() - start;
    assert!(taken.as_secs() < 2, "{taken:?}");
    check_image(module).expect("a sound module");
}
