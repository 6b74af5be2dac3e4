//! Whatever nests without end is an error, or an answer, in every walker over it: never a
//! stack that overflows or a walk that does not end.

use samebits_ir::arena::Id;
use samebits_ir::builder::Builder;
use samebits_ir::check::{check, check_image};
use samebits_ir::diag::Code;
use samebits_ir::ir::{Access, Module};
use samebits_ir::pass::optimize;
use samebits_ir::types::{ArrayDef, StructDef, Type, Types};
use samebits_ir::{text, wire};

/// Far more levels than any stack holds.
const DEEP: usize = 100_000;

/// An eighth of a stack that is as small as any that a program would give, 1 MiB: tests are optimised, and users' programs
/// often are not. These here need 64 to 96 KiB, and without optimisation 640 to 768.
const STACK: usize = 128 << 10;

/// Runs in a small stack.
fn in_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(f).expect("a thread");
    thread.join().expect("the thread ends well");
}

/// A kernel with this before its end.
fn kernel(body: &str) -> String {
    format!("func kernel workgroup_size(1, 1, 1) @k(%c: bool, @y: mut [u32]) {{\n{body}\nret\n}}\n")
}

#[test]
fn nested_blocks_of_a_text_are_refused_where_there_are_too_many() {
    in_a_small_stack(|| {
        for (open, close) in [
            ("if %c {\n", "}\n"),
            ("if %c {\n} else {\n", "}\n"),
            ("switch 1u32 {\ncase 1u32 {\n", "}\n}\n"),
            ("switch 1u32 {\ndefault {\n", "}\n}\n"),
            ("loop {\n", "break }\n"),
        ] {
            let good = kernel(&format!("{}{}", open.repeat(64), close.repeat(64)));
            let checked = text::parse(&good).and_then(check).expect("64 levels are allowed");
            drop(optimize(checked));
            for levels in [65, 66, DEEP] {
                for close in [close, ""] {
                    let source = kernel(&format!("{}{}", open.repeat(levels), close.repeat(levels)));
                    let diags = text::parse(&source).expect_err("too deep");
                    assert_eq!(diags.as_slice()[0].code, Code::V018, "{open}");
                    assert!(text::format(&source).is_err());
                }
            }
        }
    });
}

#[test]
fn nested_types_and_brackets_of_a_text_are_refused() {
    in_a_small_stack(|| {
        let array = |levels: usize| {
            let ty = format!("{}u32{}", "[".repeat(levels), "; 1]".repeat(levels));
            format!("func kernel workgroup_size(1, 1, 1) @k() {{\nprivate @p: {ty}\nret\n}}\n")
        };
        assert!(text::parse(&array(64)).and_then(check).is_ok());
        assert_eq!(text::parse(&array(65)).unwrap_err().as_slice()[0].code, Code::V018);
        assert_eq!(text::parse(&array(DEEP)).unwrap_err().as_slice()[0].code, Code::V018);
        for bracket in ["(", "[", "{", "<", "vec2<", "@y[", "%a = add ", "struct S { a: "] {
            let many = bracket.repeat(DEEP);
            for source in [many.clone(), kernel(&many), kernel(&format!("store @y[{many}"))] {
                assert!(text::parse(&source).is_err(), "{bracket}");
            }
        }
        let structs: String = (1..DEEP).map(|i| format!("struct S{i} {{ a: S{} }}\n", i - 1)).collect();
        let source = format!("struct S0 {{ a: u32 }}\n{structs}");
        assert_eq!(text::parse(&source).unwrap_err().as_slice()[0].code, Code::V018);
    });
}

/// What every walker makes of a module that no check would let pass.
fn walk(module: Module) {
    let printed = text::print(&module);
    let _ = text::parse(&printed);
    assert!(wire::decode(&wire::encode(&module)).is_err());
    assert!(check_image(module.clone()).is_err());
    assert!(check(module).is_err());
}

#[test]
fn nested_regions_that_a_builder_made_are_refused_by_every_walker() {
    in_a_small_stack(|| {
        let mut b = Builder::new("k", [1, 1, 1]);
        let condition = b.scalar("c", Type::BOOL);
        let mut opened = Vec::new();
        for _ in 0..DEEP {
            let regions = (b.region(&[]), b.region(&[]));
            b.enter(regions.1);
            b.yield_(&[]);
            b.leave();
            b.enter(regions.0);
            opened.push(regions);
        }
        while let Some((then, otherwise)) = opened.pop() {
            b.yield_(&[]);
            b.leave();
            b.if_else(condition, then, otherwise, &[]);
        }
        b.ret();
        walk(b.into_module(Types::default()));
    });
}

/// A module that loads and stores a value of a type.
fn using(types: Types, ty: Type) -> Module {
    let mut b = Builder::new("k", [1, 1, 1]);
    let root = b.private("p", ty);
    let place = b.place(root, &[], 0);
    let value = b.load(place.clone(), ty);
    b.store(place, value);
    b.len(root);
    b.ret();
    b.buffer("y", ty, Access::ReadWrite);
    b.into_module(types)
}

#[test]
fn nested_types_that_a_builder_made_are_refused_by_every_walker() {
    in_a_small_stack(|| {
        let mut types = Types::default();
        let mut ty = Type::U32;
        for _ in 0..DEEP {
            ty = Type::Array(types.arrays.push(ArrayDef { element: ty, len: 1 }));
        }
        assert_eq!(types.layout(ty), None);
        assert!(types.display(ty).to_string().starts_with("[[[["));
        walk(using(types, ty));
    });
}

#[test]
fn a_type_inside_itself_has_no_layout_and_is_refused() {
    in_a_small_stack(|| {
        let mut types = Types::default();
        let array = Type::Array(types.arrays.push(ArrayDef { element: Type::Struct(Id::from_index(0)), len: 2 }));
        types.structs.push(StructDef { name: "S".into(), fields: vec![("a".into(), array), ("b".into(), array)] });
        assert_eq!(types.layout(array), None);
        walk(using(types, array));
    });
}

#[test]
fn a_type_that_doubles_with_each_level_ends() {
    in_a_small_stack(|| {
        let mut types = Types::default();
        let mut ty = Type::U32;
        for level in 0..60 {
            let fields = vec![("a".into(), ty), ("b".into(), ty)];
            ty = Type::Struct(types.structs.push(StructDef { name: format!("S{level}"), fields }));
        }
        assert_eq!(types.layout(ty), None);
        walk(using(types, ty));
    });
}
