//! What is read where it was copied from. Each kernel runs before and after and must store
//! the same.

use crate::check::{Checked, check_image};
use crate::interp::{Arg, Options, Program, Words};
use crate::ir::Module;
use crate::pass::{copies, optimize};
use crate::text::{parse, print};

fn stored(checked: &Checked, n: u64, j: u64) -> Vec<u8> {
    let memory: Vec<u8> = (0..12u32).flat_map(|word| (word * 11 + 1).to_le_bytes()).collect();
    let [x, y] = [memory.clone(), vec![0; 48]].map(|bytes| Words::from_bytes(&bytes));
    let args = [
        Arg::Scalar([n, 0, 0, 0]),
        Arg::Scalar([j, 0, 0, 0]),
        Arg::Buffer { words: &x, offset: 0, len: 3 },
        Arg::Buffer { words: &y, offset: 0, len: 12 },
    ];
    let options = Options { threads: 1, max_steps: Some(1 << 16) };
    Program::new(checked, 0).expect("a kernel").run([1, 1, 1], &args, &options).expect("no fault");
    [x.read(0..48), y.read(0..48)].concat()
}

/// Whether the pass moves loads in a kernel with this body, whose `@x` may be written or not.
#[track_caller]
fn moves(access: &str, body: &str) -> bool {
    let text = format!(
        "struct Row {{ head: u32, tail: [u32; 3] }}
        func kernel workgroup_size(1, 1, 1) @k(%n: u32, %j: u32, @x: {access} [Row], @y: mut [u32]) {{ {body} ret }}"
    );
    let module = parse(&text).unwrap_or_else(|diags| panic!("{}", crate::diag::render(&diags, "text", &text)));
    let before = check_image(module).expect("a sound kernel");
    let mut module = before.clone().into_flat_module();
    let Module { types, functions } = &mut module;
    let changed = copies(&mut functions[0], types);
    let after = check_image(module).expect("a sound module");
    let optimized = optimize(before.clone());
    for n in [0, 2, 3, u64::from(u32::MAX)] {
        for j in [0, 1, 2, 3, 4, u64::from(u32::MAX)] {
            assert_eq!(stored(&after, n, j), stored(&before, n, j), "for {n}, {j}:\n{}", print(after.module()));
            assert_eq!(stored(&optimized, n, j), stored(&before, n, j), "for {n}, {j}");
        }
    }
    changed
}

const COPY: &str = "private @c: Row
    %0 = load u32 @x[%n * 16] store @c, %0
    %1 = load u32 @x[%n * 16] + 4 store @c + 4, %1
    %2 = load u32 @x[%n * 16] + 8 store @c + 8, %2
    %3 = load u32 @x[%n * 16] + 12 store @c + 12, %3";

#[test]
fn an_element_that_is_only_read_is_not_copied() {
    for index in ["[%j * 4 < 3] + 4", "[%j * 4] + 4", "[%j * 4]", " + 8"] {
        assert!(moves("", &format!("{COPY} %v = load u32 @c{index} store @y[0u32], %v")), "{index}");
    }
}

#[test]
fn the_copy_is_gone_once_all_is_done() {
    let text = format!(
        "struct Row {{ head: u32, tail: [u32; 3] }}
        func kernel workgroup_size(1, 1, 1) @k(%n: u32, %j: u32, @x: [Row], @y: mut [u32]) {{
          {COPY} %v = load u32 @c[%j * 4 < 3] + 4 store @y[0u32], %v ret
        }}"
    );
    let text = print(optimize(check_image(parse(&text).expect("text")).expect("a kernel")).module());
    assert!(!text.contains("private") && text.matches("load").count() == 1, "{text}");
}

#[test]
fn a_copy_of_what_may_change_meanwhile_stays() {
    let load = "%v = load u32 @c[%j * 4] store @y[0u32], %v";
    assert!(moves("mut", &format!("{COPY} {load} store @x[0u32 * 16], 5u32")));
    assert!(!moves("mut", &format!("{COPY} store @x[%n * 16], 5u32 {load}")));
    assert!(!moves("mut", &format!("{COPY} barrier {load}")));
    let changing = format!(
        "{COPY} loop 'l (%i: u32 = 0u32) {{
            %v = load u32 @c[%j * 4] store @y[%i], %v
            store @x[%n * 16] + 8, %i
            %next = add %i, 1u32 %done = ge %next, 4u32
            if %done {{ break 'l }} else {{ yield }}
            continue 'l %next
        }}"
    );
    assert!(!moves("mut", &changing));
}

#[test]
fn what_is_no_whole_copy_stays() {
    let load = "%v = load u32 @c[%j * 4] store @y[0u32], %v";
    // Of another element, changed, or only in part.
    assert!(!moves("", &format!("{COPY} %w = load u32 @x[%j * 16] store @c + 4, %w {load}")));
    assert!(!moves("", &format!("{COPY} store @c + 4, %j {load}")));
    let part = COPY.replace("store @c + 8, %2", "");
    assert!(!moves("", &format!("{part} {load}")));
    assert!(moves("", &format!("{part} %v = load u32 @c + 12 store @y[0u32], %v")));
    // As another type than it was stored as.
    assert!(!moves("", &format!("{COPY} %v = load u8 @c[%j] %w = cast %v to u32 store @y[0u32], %w")));
}
