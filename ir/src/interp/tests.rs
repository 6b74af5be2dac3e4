//! What kernels do, by example. Expected values are computed here, in plain Rust.

use super::{Arg, Fault, Options, Program, Report, Words};
use crate::check::check;
use crate::text::parse;
use std::sync::atomic::AtomicU32;

#[track_caller]
fn program(source: &str) -> Program {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    let checked = check(module).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    Program::new(&checked, 0).expect("a function")
}

/// A program that the checks would refuse: its barriers diverge, or it reads and writes
/// memory as other types than the memory has.
#[track_caller]
fn unchecked(source: &str) -> Program {
    let module = parse(source).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", source)));
    Program::of(&module.types, &module.functions[0])
}

/// What one invocation makes of the buffer `@y: mut [u32]`.
#[track_caller]
fn alone(body: &str, y: &[u32]) -> (Vec<u32>, Report) {
    run_alone(&program(&in_kernel(body)), y)
}

/// The same for a body that reads and writes the buffer as other types.
#[track_caller]
fn alone_unchecked(body: &str, y: &[u32]) -> (Vec<u32>, Report) {
    run_alone(&unchecked(&in_kernel(body)), y)
}

fn in_kernel(body: &str) -> String {
    format!("func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {{ {body} }}")
}

#[track_caller]
fn run_alone(program: &Program, y: &[u32]) -> (Vec<u32>, Report) {
    let words = words(y);
    let report = program.run([1; 3], &[buffer(&words)], &Options::default()).expect("no fault");
    (u32s(&words), report)
}

fn words(values: &[u32]) -> Words {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Words::from_bytes(&bytes)
}

fn u32s(words: &Words) -> Vec<u32> {
    let bytes = words.read(0..words.bytes());
    bytes.chunks_exact(4).map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])).collect()
}

/// A buffer of 32-bit elements that fills its memory.
fn buffer(words: &Words) -> Arg<'_> {
    Arg::Buffer { words, offset: 0, len: (words.bytes() / 4) as u32 }
}

fn scalar(bits: u32) -> Arg<'static> {
    Arg::Scalar([bits.into(), 0, 0, 0])
}

fn threads(threads: usize) -> Options {
    Options { threads, max_steps: None }
}

// Values and ops.

#[test]
fn saxpy_is_two_roundings() {
    let source = "func kernel workgroup_size(4, 1, 1) @saxpy(%a: f32, @x: [f32], @y: mut [f32]) {
        %i = global_id.x
        %n = len @y
        %more = lt %i, %n
        if %more {
            %x = load f32 @x[%i]
            %ax = mul %a, %x
            %y = load f32 @y[%i]
            %sum = add %ax, %y
            store @y[%i], %sum
        }
        ret
    }";
    let (xs, ys) = ([1.5_f32, -0.1, 3.0e38, 7.0, 0.1], [0.1_f32, 0.3, 3.0e38, -0.0, 1.0e-9]);
    let bits = |values: &[f32]| words(&values.iter().map(|f| f.to_bits()).collect::<Vec<_>>());
    let (x, y) = (bits(&xs), bits(&ys));
    let args = [scalar(1.1_f32.to_bits()), buffer(&x), buffer(&y)];
    let report = program(source).run([2, 1, 1], &args, &Options::default()).expect("no fault");
    let expected: Vec<u32> = xs.iter().zip(ys).map(|(x, y)| (1.1 * x + y).to_bits()).collect();
    assert_eq!(u32s(&y), expected);
    assert_eq!(report.out_of_bounds, 0);
}

#[test]
fn vectors_are_built_taken_apart_and_stored_lane_by_lane() {
    let body = "%v = vec 1u32, 2u32, 3u32
        %w = add %v, %v
        store @y[0u32 * 4], %w
        %i = load u32 @y[4u32]
        %e = extract %w, %i
        store @y[3u32], %e
        ret";
    assert_eq!(alone_unchecked(body, &[0, 0, 0, 0, 1]).0, [2, 4, 6, 4, 1]);
}

#[test]
fn select_cast_and_bitcast_give_their_values() {
    let body = "%x = load u32 @y[0u32]
        %c = cast %x to bool
        %s = select %c, 10u32, 20u32
        store @y[1u32], %s
        %f = bitcast %x to f32
        %i = cast %f to i32
        %bits = bitcast %i to u32
        store @y[2u32], %bits
        %pair = cast %x to vec2<u32>
        %wide = cast %pair to u64
        %odd = cast %wide to u8
        %odd32 = cast %odd to u32
        store @y[3u32], %odd32
        ret";
    let x = (-300.75_f32).to_bits();
    assert_eq!(alone(body, &[x, 0, 0, 0]).0, [x, 10, (-300_i32) as u32, x & 0xff]);
}

// Control flow.

#[test]
fn branches_give_what_they_yield() {
    let body = "%x = load u32 @y[0u32]
        %c = gt %x, 5u32
        %a, %b = if %c -> u32, u32 { yield 1u32, %x } else { yield %x, 2u32 }
        store @y[1u32], %a
        store @y[2u32], %b
        ret";
    assert_eq!(alone(body, &[9, 0, 0]).0, [9, 1, 9]);
    assert_eq!(alone(body, &[3, 0, 0]).0, [3, 3, 2]);
}

#[test]
fn a_switch_runs_the_case_that_lists_the_value() {
    let body = "%x = load u32 @y[0u32]
        %r = switch %x -> u32 {
            case 7u32, 1u32 { yield 100u32 }
            case 4294967295u32 { yield 200u32 }
            default { yield %x }
        }
        store @y[1u32], %r
        ret";
    for (x, expected) in [(1, 100), (7, 100), (u32::MAX, 200), (0, 0), (2, 2)] {
        assert_eq!(alone(body, &[x, 0]).0, [x, expected]);
    }
}

#[test]
fn a_loop_carries_its_parameters_all_at_once() {
    // Fibonacci: both parameters are set from each other.
    let body = "%n = load u32 @y[0u32]
        %r = loop 'l (%i: u32 = 0u32, %a: u32 = 0u32, %b: u32 = 1u32) -> u32 {
            %done = eq %i, %n
            if %done { break 'l %a }
            %next = add %a, %b
            %j = add %i, 1u32
            continue 'l %j, %b, %next
        }
        store @y[1u32], %r
        ret";
    assert_eq!(alone(body, &[10, 0]).0, [10, 55]);
    assert_eq!(alone(body, &[0, 7]).0, [0, 0]);
}

#[test]
fn a_loop_may_exchange_its_parameters() {
    let body = "%v = vec 1u32, 2u32
        %w = vec 3u32, 4u32
        %p, %q = loop 'l (%i: u32 = 0u32, %a: vec2<u32> = %v, %b: vec2<u32> = %w) -> vec2<u32>, vec2<u32> {
            %done = eq %i, 3u32
            if %done { break 'l %a, %b }
            %j = add %i, 1u32
            continue 'l %j, %b, %a
        }
        store @y[0u32 * 4], %p
        store @y[2u32 * 4], %q
        ret";
    assert_eq!(alone_unchecked(body, &[0; 4]).0, [3, 4, 1, 2]);
}

#[test]
fn break_and_continue_leave_any_number_of_loops() {
    let body = "%limit = load u32 @y[0u32]
        %sum = loop 'outer (%i: u32 = 0u32, %acc: u32 = 0u32) -> u32 {
            %end = ge %i, 6u32
            if %end { break 'outer %acc }
            %next = add %i, 1u32
            %row = loop 'inner (%j: u32 = 0u32, %part: u32 = %acc) -> u32 {
                %stop = ge %j, 4u32
                if %stop { break 'inner %part }
                %odd = and %i, 1u32
                %skip = ne %odd, 0u32
                if %skip { continue 'outer %next, %part }
                %cell = mul %i, %j
                %more = add %part, %cell
                %over = gt %more, %limit
                if %over { break 'outer %more }
                %k = add %j, 1u32
                continue 'inner %k, %more
            }
            continue 'outer %next, %row
        }
        store @y[1u32], %sum
        ret";
    let expected = |limit: u32| {
        let mut acc = 0;
        'outer: for i in 0..6 {
            for j in 0..4 {
                if i & 1 != 0 {
                    continue 'outer;
                }
                acc += i * j;
                if acc > limit {
                    break 'outer;
                }
            }
        }
        acc
    };
    for limit in [0, 5, 20, 1000] {
        assert_eq!(alone(body, &[limit, 0]).0, [limit, expected(limit)]);
    }
}

#[test]
fn return_ends_the_invocation_alone() {
    let source = "func kernel workgroup_size(4, 1, 1) @k(@y: mut [u32]) {
        %i = local_id.x
        %c = eq %i, 2u32
        if %c { ret }
        store @y[%i], 9u32
        ret
    }";
    let y = words(&[1; 4]);
    program(source).run([1; 3], &[buffer(&y)], &Options::default()).expect("no fault");
    assert_eq!(u32s(&y), [9, 9, 1, 9]);
}

// Places of invocations.

#[test]
fn ids_count_x_fastest_on_three_axes() {
    let source = "func kernel workgroup_size(3, 2, 2) @k(@y: mut [u32]) {
        %gx = global_id.x
        %gy = global_id.y
        %gz = global_id.z
        %lx = local_id.x
        %ly = local_id.y
        %lz = local_id.z
        %wx = workgroup_id.x
        %wy = workgroup_id.y
        %wz = workgroup_id.z
        %nx = num_workgroups.x
        %ny = num_workgroups.y
        %nz = num_workgroups.z
        %li = local_index
        %sy = mul %gz, 8u32
        %sz = add %sy, %gy
        %row = mul %sz, 6u32
        %at = add %row, %gx
        %a = vec %gx, %gy, %gz, %lx
        %b = vec %ly, %lz, %wx, %wy
        %c = vec %wz, %nx, %ny, %nz
        store @y[%at * 52], %a
        store @y[%at * 52] + 16, %b
        store @y[%at * 52] + 32, %c
        store @y[%at * 52] + 48, %li
        ret
    }";
    let (groups, size) = ([2, 4, 3], [3, 2, 2]);
    let y = words(&vec![0; 6 * 8 * 6 * 13]);
    unchecked(source).run(groups, &[buffer(&y)], &threads(3)).expect("no fault");
    let mut expected = Vec::new();
    for z in 0..6 {
        for y in 0..8 {
            for x in 0..6 {
                let (global, mut ids) = ([x, y, z], vec![x, y, z]);
                ids.extend((0..3).map(|a| global[a] % size[a]));
                ids.extend((0..3).map(|a| global[a] / size[a]));
                ids.extend(groups);
                ids.push(x % 3 + 3 * (y % 2 + 2 * (z % 2)));
                expected.extend(ids);
            }
        }
    }
    assert_eq!(u32s(&y), expected);
}

#[test]
fn a_grid_without_workgroups_runs_nothing() {
    let program = program("func kernel workgroup_size(64, 1, 1) @k(@y: mut [u32]) { store @y[0u32], 1u32 ret }");
    let y = words(&[0]);
    for groups in [[0, 1, 1], [1, 0, 1], [u32::MAX, u32::MAX, 0]] {
        assert_eq!(program.run(groups, &[buffer(&y)], &Options::default()), Ok(Report::default()));
    }
    assert_eq!(u32s(&y), [0]);
}

#[test]
fn every_one_of_many_workgroups_runs_once() {
    let source = "func kernel workgroup_size(8, 1, 1) @k(@h: atomic [u32]) {
        %g = workgroup_id.y
        %old = atomic.add @h[%g], 1u32
        ret
    }";
    let program = program(source);
    let reports = [1, 2, 7].map(|n| {
        let counts = words(&[0; 1000]);
        let report = program.run([5, 1000, 2], &[buffer(&counts)], &threads(n)).expect("no fault");
        assert_eq!(u32s(&counts), [80; 1000]);
        report
    });
    assert_eq!([reports[0]; 3], reports);
    assert_eq!(reports[0].steps, 80_000 * 3);
}

// Memory.

#[test]
fn lengths_are_in_elements_of_each_root() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32], @b: [u8], @e: [vec2<f32>]) {
        shared @tile: [vec4<u32>; 5]
        shared @one: u32
        private @own: [u8; 9]
        %a = len @y
        %b = len @b
        %c = len @e
        %d = len @tile
        %f = len @one
        %g = len @own
        store @y[0u32], %a
        store @y[1u32], %b
        store @y[2u32], %c
        store @y[3u32], %d
        store @y[4u32], %f
        store @y[5u32], %g
        ret
    }";
    let (y, bytes, pairs) = (words(&[0; 6]), Words::zeroed(7), Words::zeroed(24));
    let whole = |words, len| Arg::Buffer { words, offset: 0, len };
    let args = [whole(&y, 6), whole(&bytes, 7), whole(&pairs, 3)];
    program(source).run([1; 3], &args, &Options::default()).expect("no fault");
    assert_eq!(u32s(&y), [6, 7, 3, 5, 1, 9]);
}

#[test]
fn out_of_bounds_reads_zero_and_stores_nothing_in_every_address_space() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@x: [u32], @y: mut [u32], @h: atomic [u32], %far: u32) {
        shared @tile: [u32; 4]
        shared @next: [u32; 4]
        private @own: [u32; 4]
        private @other: [u32; 4]
        store @tile[%far], 1u32
        store @own[%far], 1u32
        store @y[%far], 1u32
        %a = load u32 @x[%far]
        %b = load u32 @tile[%far]
        %c = load u32 @own[%far]
        %d = atomic.add @h[%far], 5u32
        %e = atomic.load u32 @h[%far]
        atomic.store @h[%far], 5u32
        %n = load u32 @next[0u32]
        %o = load u32 @other[0u32]
        store @y[0u32], %a
        store @y[1u32], %b
        store @y[2u32], %c
        store @y[3u32], %d
        store @y[4u32], %e
        store @y[5u32], %n
        store @y[6u32], %o
        ret
    }";
    // The buffers are stretches of one piece of memory each, with more behind their ends.
    let memories = [words(&[7; 20]), words(&[8; 20]), words(&[9; 20])];
    for far in [8, 9, 1 << 30, u32::MAX] {
        let part = |words| Arg::Buffer { words, offset: 16, len: 8 };
        let args = [part(&memories[0]), part(&memories[1]), part(&memories[2]), scalar(far)];
        let report = program(source).run([1; 3], &args, &Options::default()).expect("no fault");
        assert_eq!(report.out_of_bounds, 9);
    }
    let mut y = vec![8; 20];
    y[4..11].fill(0);
    assert_eq!(u32s(&memories[0]), [7; 20]);
    assert_eq!(u32s(&memories[1]), y);
    assert_eq!(u32s(&memories[2]), [9; 20]);
}

#[test]
fn an_access_that_only_begins_in_bounds_is_out_of_bounds() {
    let body = "%v = load vec2<u32> @y[2u32 * 4]
        %x = extract %v, 0u32
        store @y[0u32], %x
        %w = vec 5u32, 5u32
        store @y[2u32 * 4], %w
        ret";
    let (y, report) = alone_unchecked(body, &[1, 2, 3]);
    assert_eq!((y, report.out_of_bounds), (vec![0, 2, 3], 2));
}

#[test]
fn an_index_at_its_bound_is_out_of_bounds_though_the_memory_goes_on() {
    let body = "%i = load u32 @y[0u32]
        %v = load u32 @y[%i * 4 < 3]
        store @y[1u32], %v
        ret";
    assert_eq!(alone(body, &[2, 0, 7, 8]).0, [2, 7, 7, 8]);
    let (y, report) = alone(body, &[3, 5, 7, 8]);
    assert_eq!((y, report.out_of_bounds), (vec![3, 0, 7, 8], 1));
}

#[test]
fn places_add_indices_and_offset_without_wrapping() {
    let body = "%i = load u32 @y[0u32]
        store @y[%i * 8][%i * 4] + 4, 9u32
        store @y[4294967295u32 * 4294967295][4294967295u32 * 4294967295] + 4294967295, 1u32
        ret";
    let (y, report) = alone_unchecked(body, &[1, 0, 0, 0, 0]);
    assert_eq!((y, report.out_of_bounds), (vec![1, 0, 0, 0, 9], 1));
}

#[test]
fn narrow_elements_of_many_workgroups_do_not_disturb_their_neighbours() {
    for (element, size) in [("u8", 1), ("u16", 2), ("i8", 1), ("f16", 2)] {
        let bits = if size == 1 { "u8" } else { "u16" };
        let cast =
            if element == bits { "%v = cast %i to BITS" } else { "%u = cast %i to BITS %v = bitcast %u to ELEMENT" };
        let cast = cast.replace("BITS", bits).replace("ELEMENT", element);
        let source = format!(
            "func kernel workgroup_size(1, 1, 1) @k(@y: mut [{element}]) {{ %i = global_id.x {cast} store @y[%i], %v ret }}"
        );
        let y = Words::zeroed(4099 * size);
        let args = [Arg::Buffer { words: &y, offset: size, len: 4098 }];
        program(&source).run([4098, 1, 1], &args, &threads(4)).expect("no fault");
        let expected = (0..4098_u32).flat_map(|i| i.to_le_bytes().into_iter().take(size));
        let expected: Vec<u8> = std::iter::repeat_n(0, size).chain(expected).collect();
        assert_eq!(y.read(0..4099 * size), expected, "{element}");
    }
}

#[test]
fn bool_in_memory_is_a_word_and_any_bits_but_zero_are_true() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@b: mut [bool], %t: bool) {
        %x = load bool @b[0u32]
        store @b[1u32], %x
        %y = xor %x, true
        store @b[2u32], %y
        store @b[3u32], %t
        ret
    }";
    let b = words(&[0x8000_0000, 9, 9, 9]);
    program(source).run([1; 3], &[buffer(&b), scalar(6)], &Options::default()).expect("no fault");
    assert_eq!(u32s(&b), [0x8000_0000, 1, 0, 1]);
}

#[test]
fn elements_of_64_bits_are_two_words_low_first() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@w: mut [u64], %s: u64) {
        %x = load u64 @w[0u32]
        %v = cast %x to vec2<u32>
        %low = extract %v, 0u32
        %high = extract %v, 1u32
        %swapped = vec %high, %low
        %y = cast %swapped to u64
        store @w[1u32], %y
        store @w[2u32], %s
        ret
    }";
    let w = words(&[1, 2, 0, 0, 0, 0]);
    let args = [Arg::Buffer { words: &w, offset: 0, len: 3 }, Arg::Scalar([0x5_0000_0004, 0, 0, 0])];
    program(source).run([1; 3], &args, &Options::default()).expect("no fault");
    assert_eq!(u32s(&w), [1, 2, 2, 1, 4, 5]);
}

#[test]
fn private_and_workgroup_memory_start_zeroed_each_time() {
    let source = "func kernel workgroup_size(2, 1, 1) @k(@y: mut [u32]) {
        shared @tile: [u32; 2]
        private @own: [u32; 3]
        %i = local_id.x
        %g = global_id.x
        %a = load u32 @tile[%i]
        %b = load u32 @own[1u32]
        %sum = or %a, %b
        store @y[%g], %sum
        store @tile[%i], 5u32
        store @own[1u32], 6u32
        BARRIER
        ret
    }";
    for barrier in ["", "barrier"] {
        let y = words(&[9; 20]);
        let program = program(&source.replace("BARRIER", barrier));
        program.run([10, 1, 1], &[buffer(&y)], &threads(2)).expect("no fault");
        assert_eq!(u32s(&y), [0; 20]);
    }
}

#[test]
fn each_invocation_keeps_its_private_memory_across_barriers() {
    let source = "func kernel workgroup_size(4, 1, 1) @k(@y: mut [u32]) {
        private @own: [u32; 2]
        %i = local_id.x
        store @own[1u32], %i
        barrier
        %v = load u32 @own[1u32]
        store @y[%i], %v
        ret
    }";
    let y = words(&[9; 4]);
    program(source).run([1; 3], &[buffer(&y)], &Options::default()).expect("no fault");
    assert_eq!(u32s(&y), [0, 1, 2, 3]);
}

// Barriers.

#[test]
fn a_tile_is_reversed_through_workgroup_memory() {
    let source = "func kernel workgroup_size(8, 1, 1) @reverse(@y: mut [u32]) {
        shared @tile: [u32; 8]
        %i = local_id.x
        %g = global_id.x
        %v = load u32 @y[%g]
        store @tile[%i], %v
        barrier
        %j = sub 7u32, %i
        %w = load u32 @tile[%j]
        store @y[%g], %w
        ret
    }";
    let values: Vec<u32> = (0..64).map(|i| i * i).collect();
    let y = words(&values);
    program(source).run([8, 1, 1], &[buffer(&y)], &threads(2)).expect("no fault");
    let expected: Vec<u32> = values.chunks(8).flat_map(|tile| tile.iter().rev().copied()).collect();
    assert_eq!(u32s(&y), expected);
}

#[test]
fn a_tree_reduction_meets_at_a_barrier_in_a_loop() {
    let source = "func kernel workgroup_size(64, 1, 1) @sum(@x: [u32], @y: mut [u32]) {
        shared @part: [u32; 64]
        %i = local_id.x
        %g = global_id.x
        %w = workgroup_id.x
        %v = load u32 @x[%g]
        store @part[%i], %v
        barrier
        loop 'halve (%step: u32 = 32u32) {
            %done = eq %step, 0u32
            if %done { break 'halve }
            %in = lt %i, %step
            if %in {
                %j = add %i, %step
                %a = load u32 @part[%i]
                %b = load u32 @part[%j]
                %s = add %a, %b
                store @part[%i], %s
            }
            barrier
            %next = shr %step, 1u32
            continue 'halve %next
        }
        %first = eq %i, 0u32
        if %first {
            %total = load u32 @part[0u32]
            store @y[%w], %total
        }
        ret
    }";
    let values: Vec<u32> = (0..640).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect();
    let (x, y) = (words(&values), words(&[0; 10]));
    program(source).run([10, 1, 1], &[buffer(&x), buffer(&y)], &threads(4)).expect("no fault");
    let expected: Vec<u32> = values.chunks(64).map(|c| c.iter().fold(0, |a: u32, &b| a.wrapping_add(b))).collect();
    assert_eq!(u32s(&y), expected);
}

/// Runs what the checks refuse: a kernel whose barriers diverge.
#[track_caller]
fn divergence(source: &str, groups: [u32; 3]) -> Fault {
    let program = unchecked(source);
    let faults = [1, 3].map(|n| program.run(groups, &[], &threads(n)).expect_err("a fault"));
    assert_eq!(faults[0], faults[1]);
    faults[0].clone()
}

#[test]
fn a_returned_invocation_has_not_reached_the_barrier() {
    let source = "func kernel workgroup_size(4, 2, 1) @k() {
        %i = local_index
        %g = workgroup_id.x
        %last = eq %i, 6u32
        %later = ge %g, 2u32
        %leave = and %last, %later
        if %leave { ret }
        barrier
        ret
    }";
    let fault = divergence(source, [5, 1, 1]);
    let barrier = crate::loc::Loc::new(source.find("barrier").expect("it is there") as u32);
    let (group, waiting, other) = ([2, 0, 0], [0, 0, 0], [2, 1, 0]);
    let expected = Fault::DivergentBarrier {
        kernel: "k".to_owned(),
        group,
        barrier,
        waiting,
        other,
        other_barrier: None,
        rounds: None,
    };
    assert_eq!(fault, expected);
    assert_eq!(
        fault.to_string(),
        "kernel `k`: not every invocation of workgroup (2, 0, 0) reaches the same barrier: \
         local id (0, 0, 0) waits at one, but local id (2, 1, 0) has returned"
    );
}

#[test]
fn two_barriers_are_not_the_same_barrier() {
    let source = "func kernel workgroup_size(3, 1, 1) @k() {
        %i = local_id.x
        %c = lt %i, 1u32
        if %c { barrier } else { barrier }
        ret
    }";
    let fault = divergence(source, [1; 3]);
    assert!(matches!(
        fault,
        Fault::DivergentBarrier { waiting: [0, 0, 0], other: [1, 0, 0], other_barrier: Some(_), .. }
    ));
    assert!(fault.to_string().ends_with("local id (1, 0, 0) waits at another barrier"));
}

#[test]
fn a_barrier_reached_a_different_number_of_times_is_a_fault() {
    let source = "func kernel workgroup_size(3, 1, 1) @k() {
        %i = local_id.x
        loop 'l (%j: u32 = 0u32) {
            %done = ge %j, %i
            if %done { break 'l }
            barrier
            %next = add %j, 1u32
            continue 'l %next
        }
        ret
    }";
    let fault = divergence(source, [1; 3]);
    assert!(matches!(fault, Fault::DivergentBarrier { waiting: [1, 0, 0], other: [0, 0, 0], other_barrier: None, .. }));
}

#[test]
fn coming_to_what_cannot_be_reached_is_a_fault() {
    let source = "func kernel workgroup_size(1, 1, 1) @k() {
        %g = workgroup_id.x
        %c = ge %g, 3u32
        if %c { unreachable }
        ret
    }";
    let fault = divergence(source, [9, 1, 1]);
    assert!(matches!(fault, Fault::Unreachable { group: [3, 0, 0], .. }));
    assert_eq!(fault.to_string(), "kernel `k`: workgroup (3, 0, 0) reached code that cannot be reached");
}

// Atomics.

#[test]
fn atomic_ops_change_memory_and_give_the_old_value() {
    let cases: &[(&str, u32, &str, u32)] = &[
        ("add", 7, "4294967295u32", 6),
        ("sub", 7, "8u32", u32::MAX),
        ("min", 7, "3u32", 3),
        ("max", 7, "2147483648u32", 0x8000_0000),
        ("and", 12, "10u32", 8),
        ("or", 12, "10u32", 14),
        ("xor", 12, "10u32", 6),
        ("exchange", 12, "10u32", 10),
        ("cmpxchg", 12, "12u32, 5u32", 5),
        ("cmpxchg", 12, "11u32, 5u32", 12),
    ];
    for &(op, old, operands, new) in cases {
        for memory in ["@h", "@own"] {
            let source = format!(
                "func kernel workgroup_size(1, 1, 1) @k(@h: atomic [u32], @y: mut [u32], %old: u32) {{
                    shared @own: atomic [u32; 2]
                    atomic.store {memory}[1u32], %old
                    %was = atomic.{op} {memory}[1u32], {operands}
                    %is = atomic.load u32 {memory}[1u32]
                    store @y[0u32], %was
                    store @y[1u32], %is
                    ret
                }}"
            );
            let (h, y) = (words(&[1, 1, 1]), words(&[0; 2]));
            let args = [buffer(&h), buffer(&y), scalar(old)];
            program(&source).run([1; 3], &args, &Options::default()).expect("no fault");
            assert_eq!(u32s(&y), [old, new], "{op} {memory}");
            assert_eq!((u32s(&h)[0], u32s(&h)[2]), (1, 1));
        }
    }
}

#[test]
fn signed_atomics_order_by_sign() {
    let source = "func kernel workgroup_size(1, 1, 1) @k(@h: atomic [i32]) {
        %a = atomic.min @h[0u32], -5i32
        %b = atomic.max @h[1u32], -5i32
        ret
    }";
    let h = words(&[3, 3]);
    program(source).run([1; 3], &[buffer(&h)], &Options::default()).expect("no fault");
    assert_eq!(u32s(&h), [(-5_i32) as u32, 3]);
}

#[test]
fn no_atomic_addition_of_many_threads_is_lost() {
    let source = "func kernel workgroup_size(32, 1, 1) @k(@h: atomic [u32]) { %a = atomic.add @h[0u32], 3u32 ret }";
    let h = words(&[0]);
    program(source).run([1000, 1, 1], &[buffer(&h)], &threads(4)).expect("no fault");
    assert_eq!(u32s(&h), [96_000]);
}

// Faults.

#[test]
fn an_endless_loop_meets_the_step_limit() {
    let program = program("func kernel workgroup_size(1, 1, 1) @spin() { loop 'l { continue 'l } unreachable }");
    for n in [1, 2] {
        let options = Options { threads: n, max_steps: Some(1_000_000) };
        let fault = Fault::StepLimit { kernel: "spin".to_owned(), limit: 1_000_000 };
        assert_eq!(program.run([4, 1, 1], &[], &options), Err(fault.clone()));
        assert_eq!(fault.to_string(), "kernel `spin`: took more than the 1000000 steps allowed for a launch");
    }
}

#[test]
fn the_step_limit_is_exact() {
    let program = program("func kernel workgroup_size(1, 1, 1) @k() { %i = global_id.x ret }");
    let limit = |max_steps| Options { threads: 2, max_steps: Some(max_steps) };
    assert_eq!(program.run([10, 1, 1], &[], &limit(20)), Ok(Report { steps: 20, out_of_bounds: 0 }));
    assert!(matches!(program.run([10, 1, 1], &[], &limit(19)), Err(Fault::StepLimit { limit: 19, .. })));
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let program = program("func kernel workgroup_size(1, 1, 1) @k(%n: u32, @y: mut [vec2<u32>]) { ret }");
    let y = words(&[0; 5]);
    let part = |offset, len| Arg::Buffer { words: &y, offset, len };
    let refused = |args: &[Arg<'_>]| match program.run([1; 3], args, &Options::default()) {
        Err(fault @ Fault::Arguments { .. }) => fault.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&[]), "kernel `k`: takes 2 arguments, not 0");
    assert_eq!(refused(&[part(0, 1), part(0, 1)]), "kernel `k`: argument `n` must be a scalar, not a buffer");
    assert_eq!(refused(&[scalar(1), scalar(1)]), "kernel `k`: argument `y` must be a buffer, not a scalar");
    let message = "kernel `k`: argument `y`: 3 elements are 24 bytes, but the buffer has 20";
    assert_eq!(refused(&[scalar(1), part(0, 3)]), message);
    let message = "kernel `k`: argument `y`: 1 elements are 8 bytes, but the buffer has 0";
    assert_eq!(refused(&[scalar(1), part(100, 1)]), message);
    assert!(program.run([1; 3], &[scalar(1), part(20, 0)], &Options::default()).is_ok());
    let lent = [const { AtomicU32::new(0) }; 5];
    let words = |len| Arg::Words { words: &lent, len, most: None };
    assert!(refused(&[scalar(1), words(3)]).ends_with(": 3 elements are 24 bytes, but the buffer has 20"));
    assert!(program.run([1; 3], &[scalar(1), words(2)], &Options::default()).is_ok());
}

#[test]
fn a_launch_that_breaks_a_requirement_does_not_begin() {
    let program = program(
        "func kernel workgroup_size(1, 1, 1) @k(%n: i32, @y: mut [u32]) requires(len @y >= %n + 1, %n >= 0) {
            store @y[0u32], 7u32
            ret
        }",
    );
    let y = words(&[0; 2]);
    let run = |n: i32| {
        let args = [scalar(n as u32), Arg::Buffer { words: &y, offset: 0, len: 2 }];
        program.run([1; 3], &args, &Options::default()).map_err(|fault| fault.to_string())
    };
    let broken = |text: &str| Err(text.to_owned());
    let few = "kernel `k` requires `y.len() >= n + 1`, but `y.len()` is 2 and `n + 1` is 3";
    assert_eq!(run(2), broken(few));
    assert_eq!(run(-1), broken("kernel `k` requires `n >= 0`, but `n` is -1"));
    assert_eq!(y.read(0..8), [0; 8]);
    assert!(run(1).is_ok());
    assert_eq!(y.read(0..4), [7, 0, 0, 0]);
}

#[test]
fn a_function_that_does_not_exist_has_no_program() {
    let checked = check(crate::ir::Module::default()).expect("nothing is sound");
    assert!(Program::new(&checked, 0).is_none());
}
