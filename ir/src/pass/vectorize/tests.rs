//! Which accesses become one, and which must not. Every test runs the kernel before and
//! after on a few inputs, some of which lead out of bounds, and asserts that the buffers
//! hold equal bytes.

use super::vectorize;
use crate::check::{Checked, check_image};
use crate::clock::thread_time;
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::{Function, InstKind, Module, ParamKind};
use crate::pass::optimize;
use crate::text::{parse, print};
use crate::types::Type;

const INPUTS: &[[u32; 4]] = &[
    [0, 1, 2, 3],
    [1, 0x7fa0_0001, 2, 0x8000_0000],
    [2, u32::MAX, 0xffc0_0003, 1],
    [3, 7, 0, 4],
    [5, 5, 6, 0],
    [6, 5, 6, 0],
    [0x4000_0000, 3, 6, 9],
    [u32::MAX, 5, 6, 0],
];

/// The bytes of the buffers of 88 bytes each.
fn bytes(checked: &Checked, input: &[u32; 4]) -> Vec<Vec<u8>> {
    let function = &checked.module().functions[0];
    let memory: Vec<u8> = (0..22).flat_map(|i: u32| input[i as usize % 4].wrapping_add(i).to_le_bytes()).collect();
    let buffers: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&memory)).collect();
    let args = function.params.iter().zip(&buffers).map(|(param, words)| match param.kind {
        ParamKind::Buffer { element, .. } => {
            let size = checked.module().types.layout(element).expect("a size").size;
            Arg::Buffer { words, offset: 0, len: 88 / size }
        }
        ParamKind::Scalar(_) => Arg::Scalar([input[0].into(), 0, 0, 0]),
    });
    let args: Vec<Arg<'_>> = args.collect();
    let options = Options { threads: 1, max_steps: Some(1 << 20) };
    Program::new(checked, 0).expect("a kernel").run([1, 1, 1], &args, &options).expect("no fault");
    buffers.iter().map(|words| words.read(0..words.bytes())).collect()
}

const TYPES: &str = "struct P { a: f32, b: f32, c: f32, d: f32 } struct Q { a: f32, b: f32, c: f32 }
    struct R { k: u64, v: u64 }";

#[track_caller]
fn checked(body: &str) -> Checked {
    let params = "%n: u32, @y: mut [u32], @p: [P], @q: mut [Q], @r: mut [R], @v: [vec4<u32>]";
    let source = format!("{TYPES} func kernel workgroup_size(4, 1, 1) @k({params}) {{ {body} ret }}");
    let module = parse(&source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)));
    check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &source)))
}

#[track_caller]
fn after(body: &str) -> Module {
    let before = checked(body);
    let mut module = before.clone().into_flat_module();
    let Module { types, functions } = &mut module;
    let changed = vectorize(&mut functions[0], types);
    let after = check_image(module).expect("a sound module");
    for input in INPUTS {
        assert_eq!(bytes(&after, input), bytes(&before, input), "for {input:?}:\n{}", print(after.module()));
    }
    assert_eq!(changed, print(after.module()) != print(before.module()), "{}", print(after.module()));
    after.module().clone()
}

/// The types of the loads and of the stores, in the order of the arena of instructions that
/// regions hold.
fn accesses(module: &Module) -> (Vec<String>, Vec<String>) {
    let function: &Function = &module.functions[0];
    let show = |ty: Type| module.types.display(ty).to_string();
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    for (_, region) in function.regions.iter() {
        for &inst in &region.insts {
            match &function.insts[inst].kind {
                InstKind::Load(_) => loads.push(show(function.ty(function.insts[inst].results[0]))),
                InstKind::Store(_, value) => stores.push(show(function.ty(*value))),
                _ => {}
            }
        }
    }
    (loads, stores)
}

#[track_caller]
fn becomes(body: &str, loads: &[&str], stores: &[&str]) {
    let module = after(body);
    let (found_loads, found_stores) = accesses(&module);
    assert_eq!(found_loads, loads, "loads of\n{}", print(&module));
    assert_eq!(found_stores, stores, "stores of\n{}", print(&module));
}

#[track_caller]
fn stays(body: &str) {
    let module = after(body);
    let (loads, stores) = accesses(&module);
    let vector = loads.iter().chain(&stores).find(|ty| ty.starts_with("vec"));
    assert_eq!(vector, None, "{}", print(&module));
}

/// Stores the sum of `%a` and `%b`, which are `u32`, where nothing else is.
const SUM: &str = "%sum = add %a, %b store @y[%sum], 7u32";

#[test]
fn fields_of_one_element_of_a_buffer_are_one_load() {
    becomes(
        "%b = load f32 @p[%n * 16] +4
         %a = load f32 @p[%n * 16]
         %d = load f32 @p[%n * 16] +12
         %c = load f32 @p[%n * 16] +8
         %s = add %a, %b
         %t = mul %c, %d
         %u = add %s, %t
         store @y[0u32], %u",
        &["vec4<f32>"],
        &["f32"],
    );
}

#[test]
fn three_fields_are_a_vector_of_three_and_stored_as_one() {
    becomes(
        "%a = load f32 @q[%n * 12]
         %b = load f32 @q[%n * 12] +4
         %c = load f32 @q[%n * 12] +8
         %s = add %a, %b
         store @q[%n * 12], %c
         store @q[%n * 12] +8, %a
         store @q[%n * 12] +4, %s",
        &["vec3<f32>"],
        &["vec3<f32>"],
    );
}

#[test]
fn lanes_of_eight_bytes_are_two() {
    becomes(
        "%a = load u64 @r[%n * 16]
         %b = load u64 @r[%n * 16] +8
         store @r[%n * 16], %b
         store @r[%n * 16] +8, %a",
        &["vec2<u64>"],
        &["vec2<u64>"],
    );
}

#[test]
fn neighbours_that_may_be_out_of_bounds_alone_stay() {
    // The length of the buffer may be no multiple of four.
    stays(&format!(
        "%i = mul %n, 4u32
         %j = add %i, 1u32
         %a = load u32 @y[%i]
         %b = load u32 @y[%j]
         {SUM}"
    ));
    // The fields of two elements.
    stays(
        "%a = load f32 @p[%n * 16] +12
         %b = load f32 @p[%n * 16] +16
         %s = add %a, %b
         store @y[0u32], %s",
    );
}

#[test]
fn constants_added_to_aligned_indices_are_offsets() {
    becomes(
        "shared @t: [u32; 64]
         %i = local_id.x
         %x = mul %i, 4u32
         %x1 = add %x, 1u32
         %x2 = or 2u32, %x
         %x3 = add %x2, 1u32
         store @t[%x3], 3u32
         store @t[%x1], 1u32
         store @t[%x], 0u32
         store @t[%x2], 2u32
         barrier
         %k = sub 12u32, %x
         %k1 = add %k, 1u32
         %k2 = add %k, 2u32
         %k3 = add %k, 3u32
         %a = load u32 @t[%k]
         %b = load u32 @t[%k1]
         %c = load u32 @t[%k2]
         %d = load u32 @t[%k3]
         %s = add %a, %b
         %u = sub %c, %d
         %w = mul %s, %u
         store @y[%i], %w",
        &["vec4<u32>"],
        &["vec4<u32>", "u32"],
    );
}

#[test]
fn a_sum_that_may_wrap_is_no_offset() {
    stays(
        "shared @t: [u32; 64]
         %i = local_id.x
         %j = mul %i, 2u32
         %x = sub %j, 2u32
         %x1 = add %x, 1u32
         %x2 = add %x, 2u32
         store @t[%x1], 3u32
         store @t[%x2], 2u32",
    );
}

#[test]
fn a_bound_that_parts_the_lanes_keeps_them_apart() {
    let body = |bound: u32| {
        format!(
            "private @t: [[u32; 6]; 4]
             %i = and %n, 12u32
             %j = add %i, 1u32
             store @t[1u32 * 24][%i * 4 < {bound}], 3u32
             store @t[1u32 * 24][%j * 4 < {bound}], 2u32
             %a = load u32 @t[1u32 * 24][%n * 4]
             store @y[0u32], %a"
        )
    };
    stays(&body(5));
    becomes(&body(6), &["u32"], &["vec2<u32>", "u32"]);
}

#[test]
fn a_root_that_is_no_multiple_of_the_vector_keeps_its_lanes_apart() {
    let body = |size: u32| {
        format!(
            "private @t: [u32; {size}]
             %i = mul %n, 4u32
             %j = add %i, 1u32
             store @t[%i], 3u32
             store @t[%j], 2u32
             %a = load u32 @t[%n]
             store @y[0u32], %a"
        )
    };
    stays(&body(5));
    becomes(&body(6), &["u32"], &["vec2<u32>", "u32"]);
}

#[test]
fn vectors_begin_where_they_are_aligned() {
    // Lanes 1 to 6 of eight: 1 alone, 2 and 3, then 4 and 5, then 6 alone.
    let stores: String = (1..7).map(|i| format!("store @t[%i * 32] +{}, {i}u32 ", 4 * i)).collect();
    becomes(
        &format!(
            "private @t: [[u32; 8]; 2]
             %i = and %n, 1u32
             {stores}
             %a = load u32 @t[%n]
             store @y[0u32], %a"
        ),
        &["u32"],
        &["u32", "vec2<u32>", "vec3<u32>", "u32"],
    );
}

#[test]
fn a_store_that_may_be_there_parts_loads() {
    // Another index, the same byte, and a type that overlaps.
    for store in ["store @q[%k * 12], 1.0f32", "store @q[%n * 12] +8, 1.0f32", "store @q[%n * 12] +8, 7u16"] {
        stays(&format!(
            "%k = local_id.x
             %a = load f32 @q[%n * 12] +4
             {store}
             %b = load f32 @q[%n * 12] +8
             %s = add %a, %b
             store @y[0u32], %s"
        ));
    }
    becomes(
        "%a = load f32 @q[%n * 12] +4
         store @q[%n * 12], 1.0f32
         %b = load f32 @q[%n * 12] +8
         %s = add %a, %b
         store @y[0u32], %s",
        &["vec2<f32>"],
        &["f32", "f32"],
    );
}

#[test]
fn a_load_that_may_be_there_parts_stores() {
    for load in ["load f32 @q[%k * 12]", "load f32 @q[%n * 12] +4", "load vec3<f32> @q[%n * 12]"] {
        stays_or_vec3(&format!(
            "%k = local_id.x
             store @q[%n * 12] +4, 1.0f32
             %a = {load}
             store @q[%n * 12] +8, 2.0f32
             store @y[%k], %k"
        ));
    }
    becomes(
        "store @q[%n * 12] +4, 1.0f32
         %a = load f32 @q[%n * 12]
         store @q[%n * 12] +8, 2.0f32
         store @y[0u32], %a",
        &["f32"],
        &["vec2<f32>", "f32"],
    );
}

/// Asserts that stores stay, whatever is loaded.
#[track_caller]
fn stays_or_vec3(body: &str) {
    let module = after(body);
    assert!(accesses(&module).1.iter().all(|ty| !ty.starts_with("vec")), "{}", print(&module));
}

#[test]
fn a_store_that_is_overwritten_parts_stores() {
    becomes(
        "store @q[%n * 12], 1.0f32
         store @q[%n * 12], 2.0f32
         store @q[%n * 12] +4, 3.0f32",
        &[],
        &["f32", "vec2<f32>"],
    );
}

#[test]
fn barriers_regions_and_ends_part_accesses() {
    let between = [
        "barrier",
        "fence ordering=acq_rel",
        "%c = eq %n, 3u32 if %c { ret }",
        "%c = eq %n, 3u32 if %c { store @y[9u32], 4u32 }",
        "loop 'l { break 'l }",
    ];
    for between in between {
        stays(&format!(
            "store @q[%n * 12], 1.0f32
             {between}
             store @q[%n * 12] +4, 3.0f32"
        ));
        stays(&format!(
            "%x = load f32 @q[%n * 12]
             {between}
             %z = load f32 @q[%n * 12] +4
             %s = add %x, %z
             store @y[0u32], %s"
        ));
    }
}

#[test]
fn what_is_said_about_an_access_keeps_it_alone() {
    stays(
        "%a = nonuniform load f32 @p[%n * 16]
         %b = load f32 @p[%n * 16] +4
         %s = add %a, %b
         store @y[0u32], %s",
    );
}

#[test]
fn lanes_of_other_types_and_small_ones_stay() {
    stays(
        "%a = load u32 @p[%n * 16]
         %b = load f32 @p[%n * 16] +4
         %c = bitcast %b to u32
         store @y[%a], %c",
    );
    stays(
        "%a = load u16 @p[%n * 16]
         %b = load u16 @p[%n * 16] +2
         %c = add %a, %b
         %d = cast %c to u32
         store @y[0u32], %d",
    );
}

#[test]
fn a_load_that_occurs_twice_is_one_lane() {
    becomes(
        "%a = load f32 @p[%n * 16]
         %b = load f32 @p[%n * 16] +4
         %c = load f32 @p[%n * 16]
         %s = add %a, %b
         %t = add %s, %c
         store @y[0u32], %t",
        &["vec2<f32>"],
        &["f32"],
    );
}

#[test]
fn all_passes_make_vectors_of_unrolled_fields() {
    let before = checked(
        "%a = load f32 @p[%n * 16]
         %b = load f32 @p[%n * 16] +4
         %s = add %a, %b
         store @y[0u32], %s",
    );
    let after = optimize(before);
    assert_eq!(accesses(after.module()).0, ["vec2<f32>"]);
}

#[test]
fn ten_thousand_accesses_take_no_time() {
    let mut body = "shared @t: [u32; 4096] %i = local_id.x %x = mul %i, 4u32 ".to_owned();
    for i in 0..3000 {
        body.push_str(&format!("%x{i} = xor %x, {}u32 store @t[%x{i}], {i}u32 ", 4 * i));
        body.push_str(&format!("%v{i} = load u32 @t[{i}u32] store @t[{}u32], %v{i} ", i + 7));
    }
    let mut module = checked(&body).into_flat_module();
    let Module { types, functions } = &mut module;
    let start = thread_time();
    vectorize(&mut functions[0], types);
    let taken = thread_time() - start;
    assert!(taken.as_secs() < 2, "{taken:?}");
}
