//! Every op and construct becomes a module that naga accepts without capabilities.

use super::*;
use crate::builder::Builder;
use crate::caps::Capabilities as Needs;
use crate::check::{check, needs};
use crate::ir::{Index, Module, Place, Value};
use crate::ops::{AtomicOp, Builtin, Op, Signature};
use crate::soft::Routine;
use crate::text::parse;
use crate::types::{Kind, Scalar, Type};
use naga::valid::{Capabilities, ValidationFlags, Validator};

const EXACT: Options = Options {
    immediates: false,
    native: Native::EXACT_F32,
    report_cut_loops: None,
    launch_conditions: 0,
    lane_stores: false,
    wgsl_rules: false,
    subgroups: false,
    table_buffer: false,
};
const SOFT: Options = Options {
    immediates: true,
    native: Native::WEBGPU,
    report_cut_loops: None,
    launch_conditions: 0,
    lane_stores: true,
    wgsl_rules: false,
    subgroups: false,
    table_buffer: false,
};
const HALF_SOFT: Options = Options {
    immediates: false,
    native: Native::WEBGPU.with(Group::Fused32, Form::Checked),
    report_cut_loops: None,
    launch_conditions: 0,
    lane_stores: true,
    wgsl_rules: false,
    subgroups: false,
    table_buffer: false,
};

/// Emits with every option, validates, writes SPIR-V, and gives the WGSL of the exact form.
fn wgsl(mut module: Module) -> String {
    let types = module.types.clone();
    module.functions.iter_mut().for_each(|f| f.limits = needs(&types, f).beyond_defaults());
    let checked = check(module).expect("the kernel is right");
    let mut text = String::new();
    let counted = [SOFT, EXACT].map(|options| Options { report_cut_loops: Some(3), ..options });
    for options in counted.into_iter().chain([SOFT, HALF_SOFT, EXACT]) {
        let shader = emit(&checked, 0, &options).expect("there is a kernel");
        let wide = Capabilities::SHADER_INT64 | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS;
        let wide = if checked.function(0).is_some_and(|(_, facts)| facts.capabilities.contains(Needs::ATOMIC64)) {
            wide
        } else {
            Capabilities::empty()
        };
        let capabilities = wide | if options.immediates { Capabilities::IMMEDIATES } else { Capabilities::empty() };
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&shader.module)
            .unwrap_or_else(|e| panic!("{}", e.emit_to_string("")));
        let spirv = naga::back::spv::write_vec(&shader.module, &info, &naga::back::spv::Options::default(), None)
            .expect("SPIR-V can be written");
        validate_spirv(&spirv);
        text = naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty())
            .expect("WGSL can be written");
    }
    text
}

/// The WGSL of a kernel with these parameters and this body.
fn wgsl_of(params: &str, body: &str) -> String {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k({params}) {{ {body} ret }}");
    wgsl(parse(&text).unwrap_or_else(|diags| panic!("{diags:?}")))
}

/// Runs `spirv-val` if this machine has it.
pub(super) fn validate_spirv(words: &[u32]) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let spawned = Command::new("spirv-val").args(["--target-env", "vulkan1.1", "-"]).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = spawned else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&bytes).expect("spirv-val reads");
    }
    assert!(child.wait().expect("spirv-val ends").success());
}

#[test]
fn saxpy_declares_two_float_arrays_and_the_launch() {
    let text = wgsl_of(
        "%a: f32, @x: [f32], @y: mut [f32]",
        "%i = global_id.x
         %n = len @y
         %in = lt %i, %n
         if %in {
           %x = load f32 @x[%i]
           %p = mul %a, %x
           %y = load f32 @y[%i]
           %s = add %p, %y
           store @y[%i], %s
         }",
    );
    assert!(text.contains("@group(0) @binding(0) \nvar<storage> buffer: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(1) \nvar<storage, read_write> buffer_1: array<f32>;"), "{text}");
    assert!(text.contains("@group(0) @binding(2) \nvar<uniform> parameters: Parameters;"), "{text}");
}

/// The WGSL of the exact form of a kernel that counts loops, and whether it reports.
fn counting(params: &str, body: &str, immediates: bool) -> (String, bool) {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k({params}) {{ {body} ret }}");
    let module = parse(&text).unwrap_or_else(|diags| panic!("{diags:?}"));
    let checked = check(module).expect("the kernel is right");
    let options = Options { immediates, report_cut_loops: Some(3), ..EXACT };
    let shader = emit(&checked, 0, &options).expect("there is a kernel");
    let capabilities = if immediates { Capabilities::IMMEDIATES } else { Capabilities::empty() };
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&shader.module).expect("it is valid");
    let flags = naga::back::wgsl::WriterFlags::empty();
    (naga::back::wgsl::write_string(&shader.module, &info, flags).expect("WGSL can be written"), shader.reports)
}

#[test]
fn loops_are_counted_on_entry_and_on_every_way_out() {
    let body = "%i = global_id.x
        loop 'a () {
          loop 'b () {
            %p = lt %i, 4u32
            if %p { break 'a }
            %q = lt %i, 5u32
            if %q { continue 'a }
            %r = lt %i, 6u32
            if %r { break 'b }
            %s = lt %i, 7u32
            if %s { ret }
            continue 'b
          }
          break 'a
        }";
    for (immediates, binding) in [(true, 1), (false, 2)] {
        let (text, reports) = counting("@x: mut [u32]", body, immediates);
        assert!(reports);
        let declared =
            format!("@group(0) @binding({binding}) \nvar<storage, read_write> open_loops: array<atomic<u32>, 4>;");
        assert!(text.contains(&declared), "{text}");
        let times = |what: &str| text.matches(what).count();
        // Both loops; out of `b` for each of its ways out, out of `a` at the two ends of it; both by `ret`.
        assert_eq!(times("atomicAdd((&open_loops[3]), 1u)"), 2, "{text}");
        assert_eq!(times("atomicSub((&open_loops[3]), 1u)"), 5, "{text}");
        assert_eq!(times("atomicSub((&open_loops[3]), 2u)"), 1, "{text}");
    }
}

#[test]
fn what_has_no_loop_reports_nothing_and_software_ops_have_some() {
    assert!(!counting("@x: mut [u32]", "store @x[0u32], 1u32", true).1);
    let rest = "%a = load f32 @x[0u32]  %b = rem %a, %a  store @x[1u32], %b";
    let (text, reports) = counting("@x: mut [f32]", rest, true);
    assert!(reports);
    assert_eq!(text.matches("open_loops[").count(), 2, "{text}");
    let exchange = "%a = atomic.cmpxchg @x[0u32], 1u32, 2u32  atomic.store @x[1u32], %a";
    let (text, reports) = counting("@x: atomic [u32]", exchange, true);
    assert!(reports);
    assert_eq!(text.matches("open_loops[").count(), 2, "{text}");
}

#[test]
fn nan_is_made_canonical_only_where_it_is_seen() {
    let text = wgsl_of(
        "@x: mut [f32]",
        "%i = global_id.x  %a = load f32 @x[%i]  %b = mul %a, %a  %c = add %b, %a  store @x[%i], %c",
    );
    assert_eq!(text.matches("2143289344u").count(), 1, "{text}");
}

/// Values of any type, each from its own element of a buffer of that type.
struct Kernel {
    b: Builder,
    buffers: Vec<(Type, Root)>,
    next: u32,
}

impl Kernel {
    fn new() -> Self {
        Self { b: Builder::new("k", [1, 1, 1]), buffers: Vec::new(), next: 0 }
    }

    fn place(&mut self, ty: Type) -> Place {
        let root = match self.buffers.iter().find(|(known, _)| *known == ty) {
            Some((_, root)) => *root,
            None => {
                let name = format!("b{}", self.buffers.len());
                let root = self.b.buffer(name, ty, Access::ReadWrite);
                self.buffers.push((ty, root));
                root
            }
        };
        self.next += 1;
        let i = self.b.builtin(Builtin::GlobalIdX);
        let offset = self.b.u32(self.next);
        let value = self.b.op(Op::Add, &[i, offset]);
        let stride = Types::default().layout(ty).expect("values have sizes").size;
        self.b.place(root, &[Index { value, stride, bound: None }], 0)
    }

    fn operand(&mut self, ty: Type) -> Value {
        let place = self.place(ty);
        self.b.load(place, ty)
    }

    fn result(&mut self, value: Value) {
        let ty = self.b.function().ty(value);
        let place = self.place(ty);
        self.b.store(place, value);
    }

    fn finish(mut self) -> Module {
        self.b.ret();
        self.b.into_module(Types::default())
    }
}

/// Every scalar, and a vector of each; each length is one of some. Lanes are lowered one by one.
fn scalars_and_vectors() -> Vec<Type> {
    let vectors = (0..).zip(Scalar::ALL).map(|(i, &s)| Type::Vector(s, 2 + i % 3));
    Scalar::ALL.iter().map(|&s| Type::Scalar(s)).chain(vectors).collect()
}

fn value_types() -> Vec<Type> {
    let vectors = Scalar::ALL.iter().flat_map(|&s| (2..=4).map(move |n| Type::Vector(s, n)));
    Scalar::ALL.iter().map(|&s| Type::Scalar(s)).chain(vectors).collect()
}

/// The operand types of an op whose leading operand, or what it selects, is of this type.
fn operand_types(op: Op, ty: Type) -> Option<Vec<Type>> {
    let signature = op.info().signature;
    let operands = match signature {
        Signature::Select => vec![Type::BOOL, ty, ty],
        Signature::Extract => vec![ty, Type::U32],
        Signature::Construct => vec![ty; 3],
        Signature::Cast | Signature::Bitcast => return None,
        Signature::Lanes(..) | Signature::Fixed(..) | Signature::Insert | Signature::Reduce => signature.types(ty)?.0,
    };
    op.result(&operands, None).map(|_| operands)
}

#[test]
fn every_op_of_every_type_is_lowered() {
    let mut seen = 0;
    for ty in scalars_and_vectors() {
        let mut k = Kernel::new();
        for &op in Op::ALL {
            let Some(types) = operand_types(op, ty) else { continue };
            let operands: Vec<Value> = types.iter().map(|&ty| k.operand(ty)).collect();
            let result = k.b.op(op, &operands);
            k.result(result);
            seen += 1;
        }
        wgsl(k.finish());
    }
    assert!(seen > 250, "{seen}");
}

#[test]
fn every_cast_of_the_table_is_lowered() {
    let mut seen = 0;
    for from in value_types() {
        let mut k = Kernel::new();
        for to in value_types() {
            for op in [Op::Cast, Op::Bitcast] {
                if op.result(&[from], Some(to)).is_some() {
                    let operand = k.operand(from);
                    let result = k.b.op_to(op, &[operand], to);
                    k.result(result);
                    seen += 1;
                }
            }
        }
        wgsl(k.finish());
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn every_op_is_native_or_in_the_library() {
    let mut module = naga::Module::default();
    let mut code = Code::new(None, Table::new(&mut module).basic);
    let (a, yes) = (code.word(1), code.flag(true));
    for &op in Op::ALL.iter().filter(|op| !op.is_compound()) {
        let Signature::Lanes(class, ..) = op.info().signature else { continue };
        // Of floats a sign was expanded.
        for ty in class.members().filter(|ty| op != Op::Sign || !ty.is_float()) {
            // `f16` is computed in `f32`.
            let ty = if ty == Scalar::F16 { Scalar::F32 } else { ty };
            let native = match (ty.kind(), ty.bits()) {
                (Kind::Bool, _) => code.logic(op, yes, yes),
                (Kind::Signed | Kind::Unsigned, 8 | 16) => code.narrow(op, ty, a, a),
                (Kind::Signed | Kind::Unsigned, 32) => code.integer(op, ty.is_signed(), a, a),
                (Kind::Signed | Kind::Unsigned | Kind::Float, _) => None,
            };
            assert!(native.is_some() || Routine::of_op(op, ty).is_some(), "{op:?} on {ty:?}");
        }
    }
}

#[test]
fn arithmetic_on_f64_is_a_function_made_once() {
    let text = wgsl_of(
        "@x: [vec3<f64>], @y: mut [vec3<f64>]",
        "%i = global_id.x
         %a = load vec3<f64> @x[%i]
         %b = mul %a, %a
         %c = add %a, %b
         %d = sub %c, %b
         %e = add %d, %c
         store @y[%i], %e",
    );
    assert_eq!(text.matches("fn f64_").count(), 2, "{text}");
    assert_eq!(text.matches("= f64_mul(").count(), 3, "{text}");
    assert_eq!(text.matches("= f64_add(").count(), 9, "{text}");
    assert!(!text.contains("f32") && !text.replace("f64_", "").contains("f64"), "{text}");
}

#[test]
fn operands_may_all_be_constants() {
    for scalar in value_types().into_iter().filter_map(|ty| if let Type::Scalar(s) = ty { Some(s) } else { None }) {
        let mut k = Kernel::new();
        for &op in Op::ALL {
            let Some(types) = operand_types(op, scalar.into()) else { continue };
            for bits in [0u64, 1, 0x80, 0x7f80_0000, 0x8000_0000, 0xffff_ffff, u64::MAX] {
                let constant = |ty: &Type| ty.lane().map(|lane| (lane, bits & lane.mask()));
                let operands: Vec<Value> =
                    types.iter().filter_map(constant).map(|(lane, bits)| k.b.constant(lane, bits)).collect();
                let result = k.b.op(op, &operands);
                k.result(result);
            }
        }
        wgsl(k.finish());
    }
}

#[test]
fn every_atomic_is_lowered_in_buffers_and_workgroup_memory() {
    for &ty in Scalar::ALL {
        for &op in AtomicOp::ALL.iter().filter(|op| op.class().contains(ty)) {
            if ty == Scalar::F64 && matches!(op, AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max) {
                continue;
            }
            let name = ty.name();
            let operands = ", %v".repeat(op.operands());
            let access = |root: &str| match op {
                AtomicOp::Load => format!("%{root} = atomic.load {name} @{root}[%i]  store @out[%i], %{root} "),
                AtomicOp::Store => format!("atomic.store @{root}[%i], %v "),
                _ => format!("%{root} = atomic.{} @{root}[%i]{operands}  store @out[%i], %{root} ", op.name()),
            };
            let (buffer, shared) = (access("buffer"), access("shared"));
            let text = wgsl_of(
                &format!("@buffer: atomic [{name}], @out: mut [{name}]"),
                &format!(
                    "shared @shared: atomic [{name}; 16] %i = local_index %v = load {name} @out[%i] {buffer} {shared}"
                ),
            );
            let word = match (ty, ty.bits()) {
                (Scalar::I32, _) => "i32",
                (_, 64) => "u64",
                _ => "u32",
            };
            assert!(text.contains(&format!("buffer: array<atomic<{word}>>")), "{text}");
        }
    }
}

#[test]
fn jumps_leave_switches_and_inner_loops() {
    let text = wgsl_of(
        "%n: u32, @x: [u32], @y: mut [u32]",
        "%i = global_id.x
         %seed = load u32 @x[%i]
         %r = loop 'outer (%a: u32 = 0u32, %b: u32 = %seed) -> u32 {
           %done = ge %a, %n
           if %done { break 'outer %b }
           %a1 = add %a, 1u32
           %q = loop 'inner (%c: u32 = 0u32, %d: u32 = %b) -> u32 {
             %d2 = switch %d -> u32 {
               case 0u32, 3u32 { continue 'outer %a1, %d }
               case 1u32 { break 'inner %d }
               case 2u32 { ret }
               case 4u32 { break 'outer %a }
               case 5u32 { continue 'inner %d, %a1 }
               default { %w = mul %d, 3u32  yield %w }
             }
             %c1 = add %c, 1u32
             continue 'inner %c1, %d2
           }
           continue 'outer %a1, %q
         }
         store @y[%i], %r",
    );
    assert!(text.contains("case 0u, 3u: {") || text.contains("case 0u: {"), "{text}");
    // In the switch each jump sets `exit`; after the switch and the inner loop it goes on.
    let inside = text.split("switch").nth(1).expect("there is a switch");
    let (switch, after) = inside.split_once("default").expect("the switch has a default");
    assert_eq!(switch.matches("break;").count(), 3, "{text}");
    assert_eq!(switch.matches("continue;").count(), 1, "{text}");
    assert_eq!(after.matches("continue;").count(), 3, "{text}");
    assert_eq!(after.matches("break;").count(), 3 + 1, "{text}");
}

#[test]
fn a_switch_of_two_words_picks_by_position() {
    let text = wgsl_of(
        "@x: [u64], @y: mut [f32]",
        "%i = global_id.x
         %s = load u64 @x[%i]
         %r = switch %s -> f32 {
           case 5u64, 0x10000000000u64 { yield bits(0x7fc00000)f32 }
           default { yield 1.0f32 }
         }
         store @y[%i], %r",
    );
    assert!(text.contains("256u"), "{text}");
}

#[test]
fn a_switch_on_a_bool_is_one_on_a_word() {
    let text = wgsl_of(
        "@x: [bool], @y: mut [f32]",
        "%i = global_id.x
         %s = load bool @x[%i]
         %r = switch %s -> f32 {
           case true { yield 2.0f32 }
           case false { yield 3.0f32 }
           default { yield 4.0f32 }
         }
         store @y[%i], %r",
    );
    let selector = text.split("switch").nth(1).and_then(|rest| rest.split('{').next()).expect("there is a switch");
    let word = selector.trim().trim_matches(['(', ')']);
    assert!(text.contains("select(0u, 1u, "), "{text}");
    assert!(word != "0u" && text.contains("case 1u") && text.contains("case 0u"), "{text}");
}

#[test]
fn a_swap_in_a_loop_reads_both_before_it_writes() {
    let text = wgsl_of(
        "%p: u32, %q: u32, @out: mut [u32]",
        "%r = loop 'l (%left: u32 = %p, %right: u32 = %q) -> u32 {
           %less = lt %left, %right
           if %less { break 'l %left }
           continue 'l %right, %left
         }
         store @out[0u32], %r",
    );
    let body = text.split("loop {").nth(1).expect("there is a loop");
    let read = |name: &str| body.find(&format!("let {name} = ")).expect("the parameter is read");
    let write = |name: &str| body.find(&format!(" = {name};")).expect("the parameter is written");
    assert!(read("left").max(read("right")) < write("right").min(write("left")), "{text}");
}

#[test]
fn a_tile_uses_workgroup_memory_and_barriers() {
    let text = wgsl_of(
        "@data: mut [f32]",
        "shared @tile: [f32; 64]
         private @scratch: [u32; 4]
         %i = global_id.x
         %l = local_index
         %v = load f32 @data[%i]
         store @tile[%l], %v
         barrier
         %m = sub 63u32, %l
         %w = load f32 @tile[%m]
         store @scratch[%l], %l
         %k = load u32 @scratch[%m]
         store @data[%k], %w",
    );
    assert!(text.contains("array<f32, 64>") && text.contains("array<u32, 4>"), "{text}");
    assert!(text.contains("workgroupBarrier();") && text.contains("storageBarrier();"), "{text}");
}

#[test]
fn elements_of_eight_and_sixteen_bytes_load_at_once() {
    for (ty, declared) in [
        ("vec4<f32>", "array<vec4<f32>>"),
        ("vec2<f32>", "array<vec2<f32>>"),
        ("vec4<i32>", "array<vec4<u32>>"),
        ("u64", "array<vec2<u32>>"),
        ("vec3<f32>", "array<f32>"),
        ("vec4<u8>", "array<atomic<u32>>"),
    ] {
        let text = wgsl_of(
            &format!("@x: mut [{ty}]"),
            &format!("%i = global_id.x  %j = global_id.y  %v = load {ty} @x[%i]  store @x[%j], %v"),
        );
        assert_eq!(text.matches(declared).count(), 1, "{text}");
    }
}

#[test]
fn places_in_structs_are_words() {
    let text = "
        struct Item { a: f32, b: [vec2<u32>; 3], c: bool }
        struct Small { a: u8, b: [i16; 2], c: f16 }
        func kernel workgroup_size(64, 1, 1) @k(@x: mut [Item], @s: mut [Small], @r: [[vec2<u32>; 4]]) {
          %i = global_id.x
          %j = global_id.y
          %a = load f32 @x[%i * 32]
          %p = load vec2<u32> @r[%i * 32][%j * 8]
          %c = load bool @x[%i * 32] + 28
          %n = not %c
          store @x[%i * 32] + 28, %n
          store @x[%i * 32][%j * 8 < 3] + 4, %p
          store @x[%i * 32], %a
          store @x, %a
          %h = load f16 @s[%i * 8] + 6
          %k = load i16 @s[%i * 8][%j * 2 < 2] + 2
          store @s[%j * 8] + 6, %h
          store @s[%j * 8][%i * 2 < 2] + 2, %k
          ret
        }";
    let text = wgsl(parse(text).unwrap_or_else(|diags| panic!("{diags:?}")));
    assert!(text.contains("buffer: array<u32>") && text.contains("buffer_1: array<atomic<u32>>"), "{text}");
}

#[test]
fn there_is_no_kernel_beyond_the_last() {
    let checked = check(Kernel::new().finish()).expect("the kernel is right");
    assert!(emit(&checked, 1, &EXACT).is_none());
}

#[test]
fn the_launch_has_a_word_for_each_register_of_the_scalars() {
    let text = "func kernel workgroup_size(1, 1, 1) @k(%a: u64, @x: [f32], %b: bool, %c: vec3<f32>) { ret }";
    let checked = parse(text).and_then(check).expect("the kernel is right");
    assert_eq!(emit(&checked, 0, &EXACT).map(|shader| shader.param_words), Some(5 + 1 + 2 + 1 + 3));
}

#[test]
fn the_greatest_index_is_no_mistake() {
    wgsl_of("@y: mut [u32]", "store @y[4294967295u32], 1u32\n%v = load u32 @y[4294967295u32]\nstore @y[0u32], %v\n");
    wgsl_of("@y: mut [u64]", "store @y[2147483647u32], 1u64\n%v = load u64 @y[2147483647u32]\nstore @y[0u32], %v\n");
    wgsl_of("@y: atomic [u32]", "%v = atomic.add @y[4294967295u32], 1u32\n");
}

#[test]
fn an_access_that_is_proven_for_the_launch_is_not_guarded() {
    let source = "func kernel workgroup_size(64, 1, 1) @k(%n: u32, @x: [u32], @y: mut [u32]) {
        shared @tile: [u32; 64]
        %i = global_id.x
        %l = local_id.x
        %in = lt %i, %n
        if %in {
            %v = load u32 @x[%i]
            store @y[%i], %v
            store @tile[%l], %v
        }
        ret
    }";
    let checked = check(parse(source).expect("text")).expect("the kernel is right");
    let count = |launch_conditions| {
        let shader = emit(&checked, 0, &Options { launch_conditions, ..EXACT }).expect("there is a kernel");
        let info =
            Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&shader.module).expect("valid");
        let text = naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty());
        let text = text.expect("WGSL can be written");
        // The prologue and the kernel's own guard are two branches; the tile needs none.
        (text.matches("if ").count() - 3, text.matches("select(").count())
    };
    let (branches, selects) = count(0);
    let none = count(0b11);
    assert_eq!(count(0b01), (branches, none.1));
    assert_eq!(count(0b10), (branches - 1, selects));
    assert_eq!(none.0, branches - 1);
    assert!(none.1 < selects);
}

/// The WGSL of a kernel with `fast_math` on a device whose floats are inexact.
fn loose_wgsl(body: &str) -> String {
    let text = format!("func kernel workgroup_size(64, 1, 1) @k(@x: mut [f32]) {{ {body} ret }}");
    let mut module = parse(&text).unwrap_or_else(|diags| panic!("{diags:?}"));
    module.functions[0].fast_math = true;
    wgsl(module.clone());
    let shader = emit(&check(module).expect("the kernel is right"), 0, &SOFT).expect("there is a kernel");
    let capabilities = Capabilities::IMMEDIATES;
    let info = Validator::new(ValidationFlags::all(), capabilities).validate(&shader.module).expect("valid");
    naga::back::wgsl::write_string(&shader.module, &info, naga::back::wgsl::WriterFlags::empty()).expect("WGSL")
}

#[test]
fn fast_math_is_the_devices_own_arithmetic() {
    let text = loose_wgsl(
        "%a = load f32 @x[0u32]
         %b = load f32 @x[1u32]
         %m = fma %a, %b, %a
         %d = div %m, %b
         %s = sqrt %d
         %o = min %s, %a
         store @x[2u32], %o",
    );
    for expected in ["fma(", "sqrt(", "min(", " / "] {
        assert!(text.contains(expected), "no {expected} in {text}");
    }
    assert_eq!(text.matches("fn ").count(), 1, "{text}");
}

#[test]
fn a_precise_op_is_strict_also_with_fast_math() {
    let strict = loose_wgsl("%a = load f32 @x[0u32] %q = precise div %a, %a store @x[2u32], %q");
    let loose = loose_wgsl("%a = load f32 @x[0u32] %q = div %a, %a store @x[2u32], %q");
    assert_eq!((strict.matches("fn ").count(), loose.matches("fn ").count()), (2, 1), "{strict}");
}

#[test]
fn every_float_op_is_valid_with_fast_math() {
    for &op in Op::ALL {
        let Some((operands, _)) = op.info().signature.types(Type::F32) else { continue };
        let mut b = Builder::new("k", [64, 1, 1]);
        let data = b.buffer("data", Type::F32, Access::ReadWrite);
        let place = |offset| Place { root: data, offset, indices: Vec::new() };
        let number = b.load(place(0), Type::F32);
        let operands: Vec<Value> = operands
            .into_iter()
            .map(|ty| if ty == Type::F32 { number } else { b.op_to(Op::Cast, &[number], ty) })
            .collect();
        let value = b.op(op, &operands);
        let zero = b.constant(Scalar::F32, 0);
        let number = match b.function().ty(value) {
            Type::F32 => value,
            Type::BOOL => b.op(Op::Select, &[value, number, zero]),
            ty if ty.lanes() == 1 && ty.lane().is_some_and(Scalar::is_int) => b.op_to(Op::Cast, &[value], Type::F32),
            _ => number,
        };
        b.store(place(0), number);
        b.ret();
        let mut module = b.into_module(Types::default());
        module.functions[0].fast_math = true;
        wgsl(module);
    }
}

#[test]
fn a_load_that_is_used_after_a_barrier_stands_before_it() {
    let text = wgsl_of(
        "@y: mut [u32], @o: mut [u32]",
        "shared @t: [u32; 64]
         %i = local_id.x
         %u = load u32 @t[%i]
         %v = load u32 @y[%i]
         barrier
         %a = mul %u, 2u32
         %b = add %a, %u
         %c = mul %v, %b
         %d = add %c, %v
         store @o[%i], %d",
    );
    let (before, after) = text.rsplit_once("workgroupBarrier();").expect("a barrier");
    for memory in ["shared_[", " buffer["] {
        assert!(before.contains(memory) && !after.contains(memory), "{memory} in:\n{text}");
    }
}
