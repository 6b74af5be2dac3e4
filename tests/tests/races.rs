//! The classic races, each found by the judge, and twins without one in which it finds none.

use samebits_ir::check::check;
use samebits_ir::interp::{Arg, Judge, Program, Schedule, Words};
use samebits_ir::ir::ParamKind;
use samebits_ir::{text, wire};

/// Whether the judge finds a race, in every one of some orders, with buffers of 64 numbers
/// that count up and as many workgroups.
fn races(source: &str, groups: [u32; 3]) -> bool {
    let module = text::parse(source).unwrap_or_else(|diags| panic!("{source}: {:?}", diags.as_slice()));
    let checked = check(module).unwrap_or_else(|diags| panic!("{source}: {:?}", diags.as_slice()));
    let program = Program::new(&checked, 0).expect("a kernel");
    let (function, _) = checked.function(0).expect("a kernel");
    let found = |schedule: Schedule| {
        let bytes: Vec<u8> = (0..64u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
        let words: Vec<Words> = function.params.iter().map(|_| Words::from_bytes(&bytes)).collect();
        let args = function.params.iter().zip(&words).map(|(param, words)| match param.kind {
            ParamKind::Buffer { .. } => Arg::Buffer { words, offset: 0, len: 64 },
            ParamKind::Scalar(_) => Arg::Scalar([7, 0, 0, 0]),
        });
        let verdict = program.judge(groups, &args.collect::<Vec<_>>(), &Judge { schedule, max_steps: None });
        assert!(verdict.fault.is_none(), "{source}: {:?}", verdict.fault);
        if !verdict.is_sound() {
            let shown = verdict.render("k.gir", source);
            assert!(shown.contains("error: race on") && shown.contains(" --> k.gir:"), "{shown}");
        }
        !verdict.is_sound()
    };
    let all = [Schedule::Forward, Schedule::Reversed, Schedule::Random(1), Schedule::Random(2)].map(found);
    assert!(all.iter().all(|&one| one == all[0]), "{source}: some orders only: {all:?}");
    all[0]
}

/// A kernel of four invocations a workgroup.
fn kernel(params: &str, body: &str) -> String {
    format!("func kernel workgroup_size(4, 1, 1) @k({params}) {{\n{body}\nret\n}}\n")
}

#[track_caller]
fn is_a_race(params: &str, body: &str) {
    assert!(races(&kernel(params, body), [3, 1, 1]), "no race is found");
}

#[track_caller]
fn is_no_race(params: &str, body: &str) {
    assert!(!races(&kernel(params, body), [3, 1, 1]), "a race is found");
}

#[test]
fn a_local_id_is_not_unique_among_workgroups() {
    is_a_race("@o: mut [u32]", "%i = local_id.x\nstore @o[%i], 1u32");
    is_no_race("@o: mut [u32]", "%i = global_id.x\nstore @o[%i], 1u32");
}

#[test]
fn an_index_on_x_alone_is_not_unique_in_a_launch_of_two_axes() {
    let source = kernel("@o: mut [u32]", "%i = global_id.x\nstore @o[%i], %i");
    assert!(races(&source, [2, 2, 1]));
    assert!(!races(&source, [2, 1, 1]));
}

#[test]
fn neighbours_share_a_halved_index() {
    is_a_race("@o: mut [u32]", "%i = global_id.x\n%j = shr %i, 1u32\nstore @o[%j], %i");
    is_no_race("@o: mut [u32]", "%i = global_id.x\n%j = shl %i, 1u32\nstore @o[%j], %i");
}

#[test]
fn indices_from_memory_may_meet() {
    is_a_race("@x: [u32], @o: mut [u32]", "%i = global_id.x\n%j = load u32 @x[%i]\nstore @o[%j], %i");
}

#[test]
fn a_stride_of_each_invocations_own_makes_rows_overlap() {
    let body = "%i = global_id.x\n%v = load u32 @x[%i]\n%c = gt %v, 1u32\n%w = select %c, 2u32, 3u32\n\
                %y = mul %i, %w\n%j = rem %y, 8u32\nstore @o[%j], %i";
    is_a_race("@x: [u32], @o: mut [u32]", body);
}

#[test]
fn one_element_that_all_store_is_a_race_also_of_equal_values() {
    is_a_race("@o: mut [u32]", "%i = global_id.x\nstore @o[0u32], %i");
    is_a_race("@o: mut [u32]", "store @o[0u32], 7u32");
}

#[test]
fn a_neighbour_read_in_place_is_a_race() {
    let sum = "%i = global_id.x\n%j = add %i, 1u32\n%a = load u32 @d[%i]\n%b = load u32 @D[%j]\n%s = add %a, %b\nstore @d[%i], %s";
    is_a_race("@d: mut [u32]", &sum.replace("@D", "@d"));
    is_no_race("@d: mut [u32], @e: [u32]", &sum.replace("@D", "@e"));
}

#[test]
fn workgroup_memory_of_a_neighbour_needs_a_barrier() {
    let body = "shared @s: [u32; 8]\n%l = local_id.x\n%i = global_id.x\nstore @s[%l], %i\nBARRIER\n%j = add %l, 1u32\n\
                %v = load u32 @s[%j]\nstore @o[%i], %v";
    is_a_race("@o: mut [u32]", &body.replace("BARRIER", ""));
    is_no_race("@o: mut [u32]", &body.replace("BARRIER", "barrier"));
}

#[test]
fn a_plain_access_and_an_atomic_one_need_a_barrier() {
    // Workgroup memory is atomic or not, so the first store is atomic there, and ordered.
    let body = "shared @m: atomic [u32; 4]\n%l = local_id.x\natomic.store @m[%l], 0u32\n%i = global_id.x\n\
                %v = atomic.max @m[0u32], %i";
    is_no_race("@o: mut [u32]", body);
    // A plain buffer may be handed over by a flag, with release and acquire.
    let flag = "%l = global_id.x\n%first = eq %l, 0u32\nif %first {\nstore @d[0u32], 7u32\n\
                atomic.store @f[40u32], 99u32 ordering=RELEASE\n} else {\n%s = atomic.load u32 @f[40u32] ordering=ACQUIRE\n\
                %set = eq %s, 99u32\nif %set {\n%v = load u32 @d[0u32]\nstore @o[%l], %v\n}\n}";
    let handed = flag.replace("RELEASE", "release").replace("ACQUIRE", "acquire");
    is_no_race("@d: mut [u32], @f: atomic [u32], @o: mut [u32]", &handed);
}

/// Changes of one attribute each, all of which must be told apart by the bytes that caches
/// know a kernel by.
#[test]
fn every_attribute_of_a_kernel_is_in_its_bytes() {
    let base = "func kernel workgroup_size(4, 1, 1) @k(@x: [u32], @o: mut [u32]) {\n  %i = global_id.x\n  \
                %a = load u32 @x[%i]\n  %b = add %a, 1u32\n  store @o[%i], %b\n  ret\n}\n";
    let changes = [
        ("(4, 1, 1)", "(4, 1, 2)"),
        ("@x: [u32]", "@x: mut [u32]"),
        ("1u32\n", "2u32\n"),
        ("add %a", "sub %a"),
        ("@x[%i]", "@x[%i * 8]"),
        ("@x[%i]", "@x[%i] + 4"),
        ("@x[%i]", "@x[%i < 9]"),
        ("global_id.x", "local_id.x"),
        ("store @o[%i], %b", "store @o[%i], %a"),
        ("@k(", "@kk("),
        ("  ret", "  barrier\n  ret"),
    ];
    let bytes = |source: &str| {
        let module = text::parse(source).unwrap_or_else(|diags| panic!("{source}: {:?}", diags.as_slice()));
        wire::encode(&module)
    };
    let mut seen = vec![bytes(base)];
    for (from, to) in changes {
        let changed = base.replacen(from, to, 1);
        assert_ne!(changed, base, "{from}");
        let changed = bytes(&changed);
        assert!(!seen.contains(&changed), "{from} and {to} have the same bytes");
        seen.push(changed);
    }
    assert_eq!(seen[0], bytes(&text::print(&text::parse(base).expect("a module"))));
}
