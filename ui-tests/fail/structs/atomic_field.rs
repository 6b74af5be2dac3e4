//! Structs with atomics: there are no values of them, and their atomics are accessed by methods.
use samebits::prelude::*;

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Node {
    count: Atomic<u32>,
    value: u32,
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Torn {
//~    ^ V207
    sum: Atomic<u64>,
    n: u64,
}

#[device]
fn by_value(node: Node) -> u32 {
//~               ^ V201
    node.value
}

#[kernel]
fn values(nodes: &mut [Node]) {
    let node = nodes[0];
//~            ^ V025
    nodes[1] = nodes[0];
//~            ^ V025
    nodes[2] = Node { count: Atomic::new(1), value: 2 };
//~            ^ V025
    let pair = (nodes[0], 1);
//~             ^ V025
}

#[kernel]
fn atomics(nodes: &mut [Node], y: &mut [u32]) {
    y[0] = nodes[0].count;
//~        ^ V025
    nodes[0].count = 1;
//~ ^ V025
    nodes[0].count += 1;
//~ ^ V025
    nodes[0].value.fetch_add(1);
//~                ^ V009
    let count = &mut nodes[0].count;
//~             ^ V025
}

#[device]
fn through_a_shared_reference(node: &Node) {
    node.count.fetch_add(1);
    node.value = 1;
//~ ^ V005
}

#[kernel]
fn lent(nodes: &[Node]) {}
//~            ^ V201

#[kernel]
fn passed(node: Node) {}
//~             ^ V201

fn main() {}
