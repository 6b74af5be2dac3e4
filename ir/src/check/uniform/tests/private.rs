//! What a store of what differs taints of private memory, and what it leaves alone.

use super::{accepts, rejects};

/// A kernel with such memory that stores, and then waits if what it loads says so.
fn body(memory: &str, stores: &str, load: &str) -> String {
    format!(
        "private @t: {memory}\n%l = local_id.x\n%i = and %l, 3u32\n%k = and %n, 3u32\n%z = lt %l, 3u32\n{stores}\n\
         %v = load u32 {load}\n%c = ne %v, 0u32\nif %c {{\nbarrier\n}}"
    )
}

#[test]
fn an_element_stays_what_it_is_beside_one_that_differs() {
    for (stores, load) in [
        ("store @t[1u32], %l", "@t[0u32]"),
        ("if %z { store @t[1u32], 1u32 }", "@t[2u32]"),
        ("store @t[%i], %l", "@t[4u32]"),
        ("store @t[%k], %l", "@t[5u32]"),
        ("%j = add %i, 2u32 store @t[%j], %l", "@t[1u32]"),
    ] {
        accepts(&body("[u32; 8]", stores, load));
    }
    for (stores, load) in [
        ("store @t[1u32], %l", "@t[1u32]"),
        ("store @t[%i], 1u32", "@t[3u32]"),
        ("store @t[%k], %l", "@t[2u32]"),
        ("store @t[1u32], %l", "@t[%k]"),
        ("if %z { store @t[1u32], 1u32 }", "@t[1u32]"),
        ("store @t[%n], %l", "@t[7u32]"),
        ("store @t[1u32], %l %w = load u32 @t[1u32] store @t[2u32], %w", "@t[2u32]"),
        ("", "@t[%i]"),
    ] {
        rejects(&body("[u32; 8]", stores, load));
    }
}

#[test]
fn rows_of_nested_arrays_stay_apart() {
    let memory = "[[u32; 4]; 4]";
    accepts(&body(memory, "store @t[2u32 * 16][%i * 4 < 4], %l", "@t[1u32 * 16][%k * 4 < 4]"));
    accepts(&body(memory, "store @t[%k * 16] + 4, %l", "@t[%k * 16] + 8"));
    rejects(&body(memory, "store @t[2u32 * 16][%i * 4 < 4], %l", "@t[2u32 * 16]"));
    rejects(&body(memory, "store @t[%k * 16] + 4, %l", "@t[0u32 * 16] + 4"));
}

#[test]
fn fields_of_structs_stay_apart_also_in_arrays() {
    // Four bytes, an array of two, and four more.
    let fields = |store: &str, load: &str| body("[[u32; 4]; 4]", store, load);
    for element in ["2u32", "%i", "%k"] {
        accepts(&fields(&format!("store @t[{element} * 16][%i * 4 < 2] + 4, %l"), "@t[%k * 16]"));
        accepts(&fields(&format!("store @t[{element} * 16][%i * 4 < 2] + 4, %l"), "@t[%k * 16] + 12"));
        rejects(&fields(&format!("store @t[{element} * 16][%i * 4 < 2] + 4, %l"), "@t[2u32 * 16] + 8"));
    }
}

#[test]
fn lanes_of_vectors_stay_apart() {
    let body = |lane: u32, what: &str| {
        format!(
            "private @t: [vec4<u32>; 2]\n%l = local_id.x\n%v = vec %n, %l, %n, 1u32\n%w = {what}\n\
             %x = extract %w, {lane}u32\n%c = ne %x, 0u32\nif %c {{\nbarrier\n}}"
        )
    };
    let ways = [
        "add %v, %v",
        "load vec4<u32> @t[0u32]\nstore @t[0u32], %v",
        "load vec4<u32> @t[1u32]\nstore @t[0u32], %v\nstore @t[1u32 * 16] + 4, %l",
    ];
    for what in ways {
        for lane in [0, 2, 3] {
            accepts(&body(lane, what));
        }
        rejects(&body(1, what));
    }
    accepts(&body(1, "load vec4<u32> @t[1u32]\nstore @t[0u32], %v"));
    rejects(&body(0, "add %v, %v").replace("0u32\n%c", "%n\n%c"));
}

#[test]
fn large_memory_is_one_whole() {
    rejects(&body("[u32; 4096]", "store @t[1u32], %l", "@t[0u32]"));
    accepts(&body("[u32; 4096]", "store @t[1u32], %n", "@t[0u32]"));
}
