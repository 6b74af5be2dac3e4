//! Which roots are declared with elements of 8 or 16 bytes, and how parts of these are
//! accessed. Every kernel is also a valid module and valid SPIR-V.

use super::{Options, emit};
use crate::check::check_image;
use crate::soft::plan::Native;
use crate::text::parse;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The WGSL of a kernel with this body.
#[track_caller]
fn wgsl(body: &str, lane_stores: bool) -> String {
    let params = "%n: u32, @y: mut [f32], @p: mut [P], @q: [Q], @v: mut [vec4<f32>], @w: [u32]";
    let types = "struct P { a: vec4<f32>, b: f32, c: f32, d: f32, e: f32 } struct Q { a: f32, b: f32, c: f32 }";
    let text = format!("{types} func kernel workgroup_size(64, 1, 1) @k({params}) {{ {body} ret }}");
    let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let checked = check_image(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let options = Options { native: Native::EXACT_F32, lane_stores, wgsl_rules: false, ..Options::WEBGPU };
    let shader = emit(&checked, 0, &options).expect("there is a kernel");
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&shader.module).unwrap_or_else(|e| panic!("{}", e.emit_to_string("")));
    naga::back::spv::write_vec(&shader.module, &info, &naga::back::spv::Options::default(), None)
        .expect("SPIR-V can be written");
    naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty())
        .expect("WGSL can be written")
}

/// What a root of fixed size is declared as.
#[track_caller]
fn declared(text: &str, space: &str) -> String {
    let line = text.lines().find(|line| line.contains(space)).unwrap_or_else(|| panic!("no {space} in {text}"));
    line.split_once(": ").expect("a type").1.split([';', '=']).next().expect("a type").trim().to_owned()
}

const WORKGROUP: &str = "var<workgroup> shared";

/// A tile whose rows of four are read, after this.
fn tile(before: &str) -> String {
    format!(
        "shared @t: [f32; 64]
         %i = local_id.x
         %four = mul %i, 4u32
         {before}
         barrier
         %v = load vec4<f32> @t[%four * 4]
         store @v[%i], %v"
    )
}

#[test]
fn a_tile_that_is_accessed_by_aligned_fours_has_blocks() {
    let text = wgsl(&tile("%x = load vec4<f32> @v[%n] store @t[%four * 4], %x"), false);
    assert_eq!(declared(&text, WORKGROUP), "array<vec4<f32>, 16>");
    assert!(text.contains(">> 2u"), "{text}");
}

#[test]
fn distances_in_blocks_need_no_shift() {
    let text = wgsl(
        "shared @t: [[f32; 8]; 8]
         %i = local_id.x
         %x = load vec4<f32> @v[%n]
         store @t[%i * 32] +16, %x
         barrier
         %z = load vec4<f32> @t[%n * 32]
         store @v[%i], %z",
        false,
    );
    assert_eq!(declared(&text, WORKGROUP), "array<vec4<f32>, 16>");
    assert!(text.contains("* 2u)") && !text.contains(">> 2u"), "{text}");
}

#[test]
fn one_word_is_loaded_out_of_a_block() {
    let text =
        wgsl(&tile("%x = load vec4<f32> @v[%n] store @t[%four * 4], %x %z = load f32 @t[%n] store @y[%i], %z"), false);
    assert_eq!(declared(&text, WORKGROUP), "array<vec4<f32>, 16>");
    assert!(text.contains("& 3u)"), "{text}");
}

#[test]
fn one_word_is_stored_into_a_block_only_where_that_leaves_the_others_alone() {
    let body = tile("%x = load f32 @y[%n] store @t[%i], %x");
    assert_eq!(declared(&wgsl(&body, true), WORKGROUP), "array<vec4<f32>, 16>");
    assert_eq!(declared(&wgsl(&body, false), WORKGROUP), "array<f32, 64>");
}

#[test]
fn fours_that_may_begin_anywhere_are_words() {
    let text = wgsl(&tile("%x = load vec4<f32> @v[%n] store @t[%n * 4], %x"), true);
    assert_eq!(declared(&text, WORKGROUP), "array<f32, 64>");
    let text = wgsl(&tile("%x = load vec4<f32> @v[%n] store @t[%four * 4] +4, %x"), true);
    assert_eq!(declared(&text, WORKGROUP), "array<f32, 64>");
}

#[test]
fn pairs_are_blocks_of_two() {
    let text = wgsl(
        "shared @t: [u32; 64]
         %i = local_id.x
         %two = mul %i, 2u32
         %x = load vec4<f32> @v[%n]
         %u = load u64 @w[%n * 8]
         store @t[%n * 8], %u
         barrier
         %z = load vec2<u32> @t[%two * 4]
         %a = extract %z, 1u32
         %b = bitcast %a to f32
         store @y[%i], %b",
        false,
    );
    assert_eq!(declared(&text, WORKGROUP), "array<vec2<u32>, 32>");
}

#[test]
fn a_buffer_has_blocks_only_if_its_elements_are_made_of_them() {
    let text = wgsl(
        "%a = load vec4<f32> @p[%n * 32]
         %b = load vec4<f32> @p[%n * 32] +16
         %c = load f32 @p[%n * 32] +20
         %x = mul %n, 4u32
         %d = load vec4<u32> @w[%x * 4]
         %e = extract %d, 1u32
         %f = bitcast %e to f32
         store @p[%n * 32], %b
         store @y[0u32], %c
         store @y[1u32], %f",
        false,
    );
    assert_eq!(declared(&text, "buffer_1"), "array<vec4<f32>>");
    assert_eq!(declared(&text, "buffer_4"), "array<u32>");
}

#[test]
fn a_field_is_stored_into_a_block_of_a_buffer_only_where_that_leaves_the_others_alone() {
    let body = "%a = load vec4<f32> @p[%n * 32] store @p[%n * 32] +16, 1.0f32 store @v[%n], %a";
    assert_eq!(declared(&wgsl(body, true), "buffer_1"), "array<vec4<f32>>");
    assert_eq!(declared(&wgsl(body, false), "buffer_1"), "array<f32>");
}

#[test]
fn an_array_of_the_invocation_has_no_blocks() {
    let body = "private @a: [vec4<f32>; 4]
         %x = load vec4<f32> @v[%n]
         store @a[%n * 16], %x
         %z = load vec4<f32> @a[%n * 16]
         store @v[%n], %z";
    assert_eq!(declared(&wgsl(body, false), "var local"), "array<f32, 16>");
}

#[test]
fn many_picked_words_are_not_worth_blocks() {
    let loads: String = (0..5).map(|i| format!("%z{i} = load f32 @t[%n] +{} store @y[%i], %z{i} ", 4 * i)).collect();
    let text = wgsl(
        &format!(
            "shared @t: [f32; 64]
             %i = local_id.x
             %x = load vec4<f32> @v[%n]
             store @t[%i * 16], %x
             {loads}"
        ),
        false,
    );
    assert_eq!(declared(&text, WORKGROUP), "array<f32, 64>");
}
