//! Decoding any bytes and reading any text takes no more memory than the tables of limits say.
//!
//! The allocator counts what a thread holds, so that the most it held at once is known.

use samebits_ir::text;
use samebits_ir::wire::{self, limits};
use samebits_tests::mutate::Mutator;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread took and did not give back.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// The most of them at once.
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator, which counts.
struct Counting;

fn took(bytes: usize) {
    HELD.set(HELD.get() + bytes as isize);
    MOST.set(MOST.get().max(HELD.get()));
}

fn gave(bytes: usize) {
    HELD.set(HELD.get() - bytes as isize);
}

// SAFETY: every method is the system's own; counting touches thread-local `Cell`s that need
// no allocation and have no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        gave(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while one is copied to the other.
        took(size);
        gave(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that decoding held at once.
fn decoding(bytes: &[u8]) -> usize {
    let before = HELD.get();
    MOST.set(before);
    drop(wire::decode(bytes));
    usize::try_from(MOST.get() - before).unwrap_or(0)
}

#[track_caller]
fn is_bounded(what: &str, bytes: &[u8]) {
    let (most, len) = (decoding(bytes), bytes.len());
    let limit = limits::MEMORY_PER_BYTE * len + limits::MEMORY;
    assert!(most <= limit, "{what}: {len} bytes took {most}, more than {limit}");
}

/// The start of a file with these bytes after the version.
fn file(rest: &[u8]) -> Vec<u8> {
    [&wire::MAGIC[..], &[wire::VERSION as u8], rest].concat()
}

/// The bytes of a number below 2^27, in the four bytes that all of them fit, if it is large.
fn number(value: u32) -> [u8; 4] {
    assert!((1 << 20..1 << 27).contains(&value));
    (value | 0xe000_0000).to_be_bytes()
}

const MANY: u32 = 1 << 20;

#[test]
fn counts_take_no_memory_by_themselves() {
    for expected in 0..9 {
        // No types, one function without a name, and zeros up to one of its counts.
        let mut bytes = file(&[0, 1, 0, 1, 1, 1]);
        bytes.extend(std::iter::repeat_n(0, expected));
        bytes.extend(number(MANY));
        is_bounded("a count", &bytes);
    }
    is_bounded("the number of types", &file(&number(MANY)));
    is_bounded("the number of functions", &file(&[&[0][..], &number(MANY)].concat()));
}

#[test]
fn the_densest_files_are_bounded() {
    let many = number(MANY);
    let repeat = |bytes: &[u8]| bytes.repeat(MANY as usize);
    let function = [0, 1, 0, 1, 1, 1];
    // No parameters, memories, variables and constants; a body without parameters.
    let body = [0, 0, 0, 0, 0, 0];
    let dense: [(&str, Vec<u8>); 7] = [
        ("arrays", [&many[..], &repeat(&[0, 4, 1])].concat()),
        ("fields", [&[1, 1, 0][..], &many, &repeat(&[0, 4])].concat()),
        ("functions", [&[0][..], &many, &repeat(&[0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])].concat()),
        ("parameters", [&function[..], &many, &repeat(&[0, 0, 4])].concat()),
        ("region parameters", [&function[..], &body[..5], &many, &repeat(&[4, 0])].concat()),
        ("instructions", [&function[..], &body, &many, &repeat(&[0x7a, 0])].concat()),
        ("results", [&function[..], &body, &[1, 0x7a], &many, &repeat(&[4, 0])].concat()),
    ];
    for (what, rest) in dense {
        let bytes = file(&rest);
        is_bounded(what, &bytes);
        println!("{what}: {} bytes a byte", decoding(&bytes) / bytes.len());
    }
}

#[test]
fn mutated_files_are_bounded() {
    let mut mutator = Mutator::from_corpus(7);
    for _ in 0..5_000 {
        let bytes = mutator.wire();
        is_bounded("a mutated file", &bytes);
    }
}

/// The most memory that reading a text held at once.
fn reading(source: &str) -> usize {
    let before = HELD.get();
    MOST.set(before);
    drop(text::parse(source));
    usize::try_from(MOST.get() - before).unwrap_or(0)
}

#[test]
fn the_densest_texts_are_bounded() {
    let kernel = |body: &str| format!("func kernel workgroup_size(1, 1, 1) @k(@y: mut [u32]) {{\n{body}\nret\n}}");
    let repeat = |part: &str| part.repeat((1 << 20) / part.len());
    let numbered = |part: &str| (0..(1 << 20) / (part.len() + 5)).map(|i| part.replace('#', &i.to_string())).collect();
    let texts: [(&str, String); 16] = [
        ("punctuation", repeat("(")),
        ("brackets", repeat("[")),
        ("unknown characters", repeat("?")),
        ("one line each", repeat("a\n")),
        ("words", repeat("a ")),
        ("names", repeat("%a ")),
        ("quoted names", repeat("%\"\" ")),
        ("numbers", repeat("1 ")),
        ("functions", numbered("func @#(){ret}\n")),
        ("kernels", repeat("func kernel workgroup_size(1,1,1)@k(){ret}\n")),
        ("structs", numbered("struct S#{a:u8}\n")),
        ("blocks", format!("func @f()->void{{\n{}}}", numbered("b#:br b#\n"))),
        ("instructions", kernel(&repeat("barrier\n"))),
        ("values", kernel(&numbered("%#=not 1u\n"))),
        ("unknown values", kernel(&numbered("set $#,%#\n"))),
        ("regions", kernel(&repeat("if true{}\n"))),
    ];
    for (what, source) in texts {
        let (most, len) = (reading(&source), source.len());
        println!("{what}: {} bytes a byte", most / len);
        let limit = text::limits::MEMORY_PER_BYTE * len + text::limits::MEMORY;
        assert!(most <= limit, "{what}: {len} bytes took {most}, more than {limit}");
    }
}

#[test]
fn a_text_beyond_the_limit_is_refused_before_it_is_read() {
    let source = "(".repeat(text::limits::SOURCE + 1);
    let diags = text::parse(&source).unwrap_err();
    let [diag] = diags.as_slice() else { panic!("one mistake") };
    assert_eq!(diag.message, "16777217 bytes of text are too many, at most 16777216 are allowed");
    assert!(reading(&source) < 1 << 10);
}
