//! V500: every invocation stores to the same element

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Pair {
    left: i16,
    right: i16,
}

#[kernel(workgroup_size(2))]
fn clear(pairs: &mut [Pair]) {
    pairs[42] = Pair { left: 0, right: 0 };
}
